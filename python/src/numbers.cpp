// Numbers of the book: the exact distribution of a score, what softmax makes of normal scores.
#include <sqrtdk/distributions/score_distribution.hpp>
#include <sqrtdk/saturation.hpp>

#include "module.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>

namespace sqrtdk::python {

namespace nb = nanobind;

namespace {

using Doubles = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Policy = boost::math::policies::policy<
    boost::math::policies::overflow_error<boost::math::policies::ignore_error>>;

/// A quantile is found sooner by what found others of the same dimension.
using Finders = std::map<double, score_numerics::QuantileFinder<double>>;

double value(const std::string& name, double d, double x, Finders& finders) {
  const score_distribution<double, Policy> score(d);
  if (std::isnan(x)) return x;
  if (name == "ppf" || name == "isf") {
    if (x < 0 || x > 1) return std::numeric_limits<double>::quiet_NaN();
    return detail::signed_quantile(name.c_str(), score, x, name == "isf",
                                   finders.try_emplace(d, d).first->second);
  }
  if (name == "pdf") return pdf(score, x);
  if (name == "logpdf") return logpdf(score, x);
  if (name == "cdf") return cdf(score, x);
  if (name == "sf") return cdf(boost::math::complement(score, x));
  if (name == "logcdf") return logcdf(score, x);
  if (name == "logsf") return logcdf(boost::math::complement(score, x));
  if (name == "hazard") return hazard(score, x);
  if (name == "characteristic_function") return characteristic_function(score, x);
  throw std::invalid_argument("there is no function '" + name + "'");
}

}  // namespace

void add_numbers(nb::module_& m) {
  m.def(
      "score_distribution",
      [](const std::string& name, const Doubles& d, const Doubles& x) {
        if (d.size() != x.size()) throw std::invalid_argument("d and x differ in size");
        auto* memory = new double[x.size() + 1];
        nb::capsule owner(memory, [](void* p) noexcept { delete[] static_cast<double*>(p); });
        nb::ndarray<nb::numpy, double> result(memory, {x.size()}, owner);
        nb::gil_scoped_release released;
        Finders finders;
        for (std::size_t i = 0; i < x.size(); ++i)
          memory[i] = value(name, d.data()[i], x.data()[i], finders);
        return result;
      },
      nb::arg("name"), nb::arg("d"), nb::arg("x"));
  m.def(
      "score_entropy", [](double d) { return entropy(score_distribution<double, Policy>(d)); },
      nb::arg("d"));
  m.def(
      "mean_squared_weights",
      [](double keys, double stddev) { return mean_squared_weights(keys, stddev); },
      nb::arg("keys"), nb::arg("stddev"));
  m.def(
      "effective_positions",
      [](double keys, double stddev) { return effective_positions(keys, stddev); }, nb::arg("keys"),
      nb::arg("stddev"));
  m.def(
      "critical_stddev", [](double keys) { return critical_stddev(keys); }, nb::arg("keys"));
}

}  // namespace sqrtdk::python
