// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Arrays of softmax rows beside the exact ones.
#include <sqrtdk/softmax.hpp>
#include <sqrtdk/softmax_error.hpp>
#include <sqrtdk/testing/laws/exact_softmax.hpp>
#include <sqrtdk/testing/laws/outcome.hpp>
#include <sqrtdk/testing/laws/wide.hpp>

#include "finding.hpp"
#include "formats.hpp"
#include "module.hpp"

#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

namespace sqrtdk::python {

namespace {

/// Softmax rows of one kind: their exact entries and how far they may be off.
template <class Real>
class Row {
 public:
  using Fast = Reference<Real>;

  Row(std::vector<Real> logits, double temperature, const SoftmaxArithmetic& arithmetic,
      bool logarithm)
      : x_(std::move(logits)),
        temperature_(static_cast<Compute<Real>>(temperature)),
        logarithm_(logarithm) {
    const auto column = testing::detail::as_vector(x_);
    if (logarithm)
      of_logarithm_ = log_softmax_error_bound(column, temperature_, arithmetic);
    else
      of_weight_ = softmax_error_bound(column, temperature_, arithmetic);
    const Eigen::Matrix<Fast, Eigen::Dynamic, 1> wide =
        column.template cast<Compute<Real>>().template cast<Fast>();
    reference_ =
        logarithm ? log_softmax(wide, Fast(temperature_)) : softmax(wide, Fast(temperature_));
  }

  /// What is right at j, to nineteen digits.
  Fast reference(std::size_t j) const { return reference_[index(j)]; }

  /// What is right at j, to fifty.
  testing::Wide exact(std::size_t j) {
    if (!exact_) exact_ = std::make_unique<testing::ExactSoftmax<Real>>(x_, Real(temperature_));
    return logarithm_ ? exact_->logarithm(j) : (*exact_)[j];
  }

  /// How far an entry may be off. A weight beyond which nothing is known is no promise.
  double bound(std::size_t j, double right) const {
    const double bound = logarithm_ ? of_logarithm_[index(j)] : of_weight_(index(j), right);
    const bool vacuous =
        logarithm_ ? !(2 * bound < 1 + std::abs(right)) : of_weight_.vacuous(index(j));
    return vacuous && right != -std::numeric_limits<double>::infinity()
               ? std::numeric_limits<double>::infinity()
               : bound;
  }

 private:
  static Eigen::Index index(std::size_t j) { return static_cast<Eigen::Index>(j); }

  std::vector<Real> x_;
  Compute<Real> temperature_;
  bool logarithm_;
  Eigen::VectorXd of_logarithm_;
  SoftmaxErrorBound of_weight_;
  Eigen::Matrix<Fast, Eigen::Dynamic, 1> reference_;
  std::unique_ptr<testing::ExactSoftmax<Real>> exact_;
};

template <class Real>
Finding compared(const Bytes& y, const Bytes& x, std::size_t rows, std::size_t n,
                 double temperature, const SoftmaxArithmetic& arithmetic, bool logarithm) {
  using Fast = Reference<Real>;
  const double part = doubt<Real>(arithmetic.unit_roundoff);
  Finding all;
  for (std::size_t i = 0; i < rows; ++i) {
    Row<Real> row(row_of<Real>(x, i, n), temperature, arithmetic, logarithm);
    const std::vector<Real> computed = row_of<Real>(y, i, n);
    for (std::size_t j = 0; j < n; ++j) {
      const double is = as_double(computed[j]);
      Fast right = row.reference(j);
      auto off = static_cast<double>(testing::distance(Fast(is), right));
      double may = row.bound(j, static_cast<double>(right));
      // Near the bound the exact number decides.
      const double ratio = Finding::ratio(off, may);
      if (std::abs(ratio - 1) <= part) {
        const testing::Wide exact = row.exact(j);
        right = exact.convert_to<Fast>();
        may = row.bound(j, testing::to_double(exact));
        off = testing::to_double(testing::distance(testing::Wide(is), exact));
      }
      all.add(static_cast<std::ptrdiff_t>(i), static_cast<std::ptrdiff_t>(j), is,
              static_cast<double>(right), off, may);
    }
  }
  return all;
}

template <class Real>
void fill(double* out, const Bytes& x, std::size_t rows, std::size_t n, double temperature,
          const SoftmaxArithmetic& arithmetic, bool logarithm, bool bounds) {
  for (std::size_t i = 0; i < rows; ++i) {
    const Row<Real> row(row_of<Real>(x, i, n), temperature, arithmetic, logarithm);
    for (std::size_t j = 0; j < n; ++j) {
      const auto right = static_cast<double>(row.reference(j));
      out[i * n + j] = bounds ? row.bound(j, right) : right;
    }
  }
}

}  // namespace

void add_softmax(nb::module_& m) {
  m.def(
      "compare_softmax",
      [](const std::string& format, const Bytes& y, const Bytes& x, std::size_t rows, std::size_t n,
         double temperature, const SoftmaxArithmetic& arithmetic, bool logarithm) {
        nb::gil_scoped_release released;
        return with_wide_format(format, [&](auto zero) {
          return compared<decltype(zero)>(y, x, rows, n, temperature, arithmetic, logarithm);
        });
      },
      nb::arg("format"), nb::arg("y"), nb::arg("x"), nb::arg("rows"), nb::arg("n"),
      nb::arg("temperature"), nb::arg("arithmetic"), nb::arg("logarithm"),
      "Holds rows × n weights, or their logarithms, to the bound of their logits.");
  m.def(
      "softmax_numbers",
      [](const std::string& format, const Bytes& x, std::size_t rows, std::size_t n,
         double temperature, const SoftmaxArithmetic& arithmetic, bool logarithm, bool bounds) {
        auto result = doubles(rows, n);
        double* out = result.data();
        nb::gil_scoped_release released;
        with_wide_format(format, [&](auto zero) {
          fill<decltype(zero)>(out, x, rows, n, temperature, arithmetic, logarithm, bounds);
        });
        return result;
      },
      nb::arg("format"), nb::arg("x"), nb::arg("rows"), nb::arg("n"), nb::arg("temperature"),
      nb::arg("arithmetic"), nb::arg("logarithm"), nb::arg("bounds"),
      "The bounds of rows × n weights or logarithms, or what these are.");
  m.def(
      "softmax_bound_parts",
      [](const std::string& format, const Bytes& x, std::size_t n, std::size_t j,
         double temperature, const SoftmaxArithmetic& a) {
        return with_wide_format(format, [&](auto zero) {
          using Real = decltype(zero);
          const std::vector<Real> row = row_of<Real>(x, 0, n);
          const sqrtdk::detail::ErrorTerms terms = sqrtdk::detail::error_terms(
              testing::detail::as_vector(row), static_cast<Compute<Real>>(temperature), a);
          const double u = a.unit_roundoff;
          nb::dict parts;
          parts["the differences of the scores"] =
              terms.of_exponent * (terms.each[static_cast<Eigen::Index>(j)] + terms.mean) * u;
          parts["the exponential"] = 2 * a.exp_error * u;
          parts["the sum"] = a.sum_depth(n) * u;
          parts["the rescalings"] =
              static_cast<double>(a.most_rescalings(n)) * (a.exp_error + 1) * u;
          parts["the quotient"] = a.quotient_roundings * u;
          parts["the storage"] = a.storage_roundoff;
          return parts;
        });
      },
      nb::arg("format"), nb::arg("x"), nb::arg("n"), nb::arg("j"), nb::arg("temperature"),
      nb::arg("arithmetic"), "To first order, what each step may do to weight j, relative to it.");
}

}  // namespace sqrtdk::python
