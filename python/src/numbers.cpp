// Numbers of the book: the exact distribution of a score, what softmax makes of normal scores.
#include <sqrtdk/distributions/score_distribution.hpp>
#include <sqrtdk/saturation.hpp>

#include "module.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <cmath>
#include <stdexcept>
#include <string>

namespace sqrtdk::python {

namespace nb = nanobind;

namespace {

using Doubles = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Policy = boost::math::policies::policy<
    boost::math::policies::overflow_error<boost::math::policies::ignore_error>>;

double value(const std::string& name, const score_distribution<double, Policy>& score, double x) {
  if (std::isnan(x)) return x;
  if (name == "pdf") return pdf(score, x);
  if (name == "logpdf") return logpdf(score, x);
  if (name == "cdf") return cdf(score, x);
  if (name == "sf") return cdf(boost::math::complement(score, x));
  if (name == "logcdf") return logcdf(score, x);
  if (name == "logsf") return logcdf(boost::math::complement(score, x));
  if (name == "ppf") return quantile(score, x);
  if (name == "isf") return quantile(boost::math::complement(score, x));
  throw std::invalid_argument("there is no function '" + name + "'");
}

}  // namespace

void add_numbers(nb::module_& m) {
  m.def(
      "score_distribution",
      [](const std::string& name, double d, const Doubles& x) {
        auto* memory = new double[x.size() + 1];
        nb::capsule owner(memory, [](void* p) noexcept { delete[] static_cast<double*>(p); });
        nb::ndarray<nb::numpy, double> result(memory, {x.size()}, owner);
        nb::gil_scoped_release released;
        const score_distribution<double, Policy> score(d);
        for (std::size_t i = 0; i < x.size(); ++i) memory[i] = value(name, score, x.data()[i]);
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
