// Arrays of softmax rows beside the exact ones.
#include <sqrtdk/softmax_error.hpp>
#include <sqrtdk/testing/laws/compare_arrays.hpp>

#include "formats.hpp"
#include "module.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace sqrtdk::python {

void add_softmax(nb::module_& m) {
  m.def(
      "softmax_target",
      [](const std::string& format, const Bytes& x, std::size_t rows, std::size_t n,
         double temperature, const SoftmaxArithmetic& arithmetic, bool logarithm,
         bool log_sum_exp) {
        return with_wide_format(format, [&](auto zero) {
          using testing::OfLogits;
          const auto what = logarithm ? OfLogits::logarithms : OfLogits::weights;
          return softmax_target(matrix_of<decltype(zero)>(x, rows, n), temperature, arithmetic,
                                log_sum_exp ? OfLogits::log_sum_exp : what);
        });
      },
      nb::arg("format"), nb::arg("x"), nb::arg("rows"), nb::arg("n"), nb::arg("temperature"),
      nb::arg("arithmetic"), nb::arg("logarithm"), nb::arg("log_sum_exp") = false,
      "What rows × n weights, or their logarithms, or rows × 1 log-sum-exps, have to be.");
  m.def(
      "backward_target",
      [](const std::string& format, const Bytes& y, const Bytes& g, std::size_t rows, std::size_t n,
         const SoftmaxArithmetic& arithmetic, bool logarithm) {
        return with_wide_format(format, [&](auto zero) {
          using Real = decltype(zero);
          const auto of = matrix_of<Real>(y, rows, n), by = matrix_of<Real>(g, rows, n);
          return logarithm ? testing::log_softmax_backward_target(of, by, arithmetic)
                           : testing::backward_target(of, by, arithmetic);
        });
      },
      nb::arg("format"), nb::arg("y"), nb::arg("g"), nb::arg("rows"), nb::arg("n"),
      nb::arg("arithmetic"), nb::arg("logarithm"),
      "What the derivatives by the logits of rows × n weights, or of their logarithms, have to "
      "be.");
  m.def(
      "softmax_bound_parts",
      [](const std::string& format, const Bytes& x, std::size_t n, std::size_t j,
         double temperature, const SoftmaxArithmetic& a) {
        return with_wide_format(format, [&](auto zero) {
          using Real = decltype(zero);
          const std::vector<Real> row = numbers_of<Real>(x);
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
