// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief The arithmetics for which test vectors have intervals.
#pragma once

#include <sqrtdk/softmax_arithmetic.hpp>

#include "number_formats.hpp"

#include <Eigen/Core>

#include <cmath>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace sqrtdk::vectors {

/// How far a kernel may depart from the formula.
enum class Freedom {
  none,      ///< two passes, sums by halves, a division
  order,     ///< any order, one pass that rescales, powers of two, products with reciprocals
  flushing,  ///< that, subnormal numbers taken for 0, the scale in queries and keys
  storage    ///< that, results and weights stored in a narrower format
};

/// An arithmetic that a kernel can be declared to have.
struct Arithmetic {
  std::string name, words;
  std::string cpp, python;  ///< how it is declared to the book's checks; n is the number of scores
  bool in_double;           ///< computed in double, else in float
  Freedom freedom;
  Format format;                         ///< of arguments and results
  std::function<double(double)> stored;  ///< what becomes of a computed number
  /// For a number of scores and a temperature.
  std::function<SoftmaxArithmetic(std::size_t, double)> declared;
};

namespace detail {

/// Any order, powers of two and reciprocals; that of a temperature is rounded unless it is a power of two.
inline SoftmaxArithmetic in_any_order(const SoftmaxArithmetic& strict, std::size_t n,
                                      double temperature) {
  SoftmaxArithmetic any = strict.any_order().one_pass(n - 1).by_reciprocal().exp2_folded();
  int exponent = 0;
  if (std::frexp(temperature, &exponent) != 0.5) any.exp_argument_error += 1;
  return any;
}

/// An arithmetic with no freedom but that of an order.
template <class Real>
Arithmetic wide_arithmetic(const std::string& name, const std::string& type, Freedom freedom) {
  const std::string format = sizeof(Real) == 8 ? "float64" : "float32";
  Arithmetic made{name,
                  format + ", maximum first, sums by halves, a division, subnormals kept",
                  "arithmetic_of<" + type + ">()",
                  "strict(computed='" + format + "')",
                  sizeof(Real) == 8,
                  freedom,
                  format_of<Real>(),
                  [](double x) { return x; },
                  [](std::size_t, double) { return arithmetic_of<Real>(); }};
  if (freedom == Freedom::none) return made;
  made.words = format +
               ", sums in any order, one pass that rescales, powers of two, products "
               "with the reciprocals of the sum and of the temperature; subnormals kept";
  made.cpp +=
      ".any_order().one_pass(n - 1).by_reciprocal().exp2_folded(), and "
      "exp_argument_error + 1 if the temperature is no power of two";
  made.python = "strict(computed='" + format +
                "', sums='any order', rescalings=None, "
                "exp2_folded=True, reciprocal=True)";
  made.declared = [](std::size_t n, double temperature) {
    return in_any_order(arithmetic_of<Real>(), n, temperature);
  };
  return made;
}

/// What accelerators do, with results and attention weights stored in a format.
template <class Stored>
Arithmetic accelerator(const std::string& name, const std::string& format,
                       const std::string& type) {
  constexpr bool narrow = sizeof(Stored) == 2;
  Arithmetic made = wide_arithmetic<float>(name, type, Freedom::order);
  made.freedom = narrow ? Freedom::storage : Freedom::flushing;
  made.words =
      "as fp32-any, with an exponential within two units in the last place, subnormals that "
      "may be 0, and attention's scale as its root in queries and keys" +
      (narrow ? "; computed in float32, with results and attention weights stored in " + format
              : std::string());
  made.cpp += "; then .scale_folded()" +
              (narrow ? ".stored_weights<" + type + ">()" : std::string()) +
              ".flushing(), and exp_error = 4";
  made.python = "Arithmetic(computed='float32', exp_ulps=2, scaled_first=False, sum_first=False)";
  made.format = format_of<Stored>();
  made.stored = [](double x) {
    return sqrtdk::detail::as_double(static_cast<Stored>(static_cast<float>(x)));
  };
  made.declared = [](std::size_t n, double temperature) {
    SoftmaxArithmetic arithmetic =
        in_any_order(arithmetic_of<Stored>(), n, temperature).scale_folded();
    if constexpr (narrow) arithmetic = arithmetic.template stored_weights<Stored>();
    arithmetic.exp_error = 4;
    return arithmetic.flushing();
  };
  return made;
}

}  // namespace detail

/// All of them, from the sharpest to the widest in each format.
inline const std::vector<Arithmetic>& arithmetics() {
  static const std::vector<Arithmetic> all = {
      detail::wide_arithmetic<double>("fp64", "double", Freedom::none),
      detail::wide_arithmetic<double>("fp64-any", "double", Freedom::order),
      detail::wide_arithmetic<float>("fp32", "float", Freedom::none),
      detail::wide_arithmetic<float>("fp32-any", "float", Freedom::order),
      detail::accelerator<float>("fp32-flushing", "float32", "float"),
      detail::accelerator<Eigen::half>("fp16-stored", "float16", "Eigen::half"),
      detail::accelerator<Eigen::bfloat16>("bf16-stored", "bfloat16", "Eigen::bfloat16")};
  return all;
}

}  // namespace sqrtdk::vectors
