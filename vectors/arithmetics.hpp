// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief The arithmetics for which test vectors have intervals, and their formats.
#pragma once

#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/softmax_arithmetic.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace sqrtdk::vectors {

/// A binary format whose numbers are doubles.
struct Format {
  std::string name;
  int digits;          ///< of the significand
  int least_exponent;  ///< as std::numeric_limits has it: the least normal number is 2^(this − 1)
  double largest;      ///< the largest finite number
};

template <class Scalar>
Format format_of(const std::string& name = "float64") {
  using Limits = std::numeric_limits<Scalar>;
  return {name, Limits::digits, Limits::min_exponent, detail::as_double(Limits::max())};
}

/// An arithmetic that a kernel can be declared to have.
struct Arithmetic {
  std::string name;
  Format format;               ///< of inputs and results
  std::string freedom;         ///< strict, any, flushing or stored; each includes those before it
  SoftmaxArithmetic declared;  ///< without what depends on the input: see of()
  std::string words;

  /// What is declared for an input.
  /// \param n           the number of scores, at least 1.
  /// \param temperature τ; 1 for attention.
  SoftmaxArithmetic of(std::size_t n, double temperature) const {
    if (freedom == "strict") return declared;
    SoftmaxArithmetic any = declared.one_pass(n - 1);
    int exponent = 0;  // The reciprocal of a power of two is not rounded.
    if (std::frexp(temperature, &exponent) != 0.5) any.exp_argument_error += 1;
    return any;
  }
};

/// The arithmetics, from the sharpest to the widest in each format. A further one is one entry more.
inline const std::vector<Arithmetic>& arithmetics() {
  using Half = Eigen::half;
  using Bfloat = Eigen::bfloat16;
  const auto any = [](const SoftmaxArithmetic& strict) {
    return strict.any_order().by_reciprocal().exp2_folded();
  };
  const auto flushing = [any](const SoftmaxArithmetic& strict) {
    SoftmaxArithmetic made = any(strict).scale_folded();
    made.exp_error = 4;
    return made.flushing();
  };
  const std::string strictly = "maximum first, sums by halves, a division; subnormals kept";
  const std::string anyhow =
      "sums in any order, one or two passes, powers of two, products with the reciprocals of the "
      "sum and of the temperature; subnormals kept";
  const auto double_ = arithmetic_of<double>(), float_ = arithmetic_of<float>();
  const auto half = arithmetic_of<Half>().stored_weights<Half>();
  const auto bfloat = arithmetic_of<Bfloat>().stored_weights<Bfloat>();
  static const std::vector<Arithmetic> all = {
      {"fp64", format_of<double>(), "strict", double_, strictly},
      {"fp64-any", format_of<double>(), "any", any(double_), anyhow},
      {"fp32", format_of<float>("float32"), "strict", float_, strictly},
      {"fp32-any", format_of<float>("float32"), "any", any(float_), anyhow},
      {"fp32-flushing", format_of<float>("float32"), "flushing", flushing(float_),
       "fp32-any; an exponential within two units in the last place, subnormals that may be 0, and "
       "attention's scale as its root in queries and keys"},
      {"fp16-stored", format_of<Half>("float16"), "stored", flushing(half),
       "fp32-flushing; results and weights stored in float16"},
      {"bf16-stored", format_of<Bfloat>("bfloat16"), "stored", flushing(bfloat),
       "fp32-flushing; results and weights stored in bfloat16"}};
  return all;
}

/// The greatest number of a format that is at most x, −∞ included.
inline double below(const Rational& x, const Format& format) {
  auto nearest = x.convert_to<double>();
  while (std::isinf(nearest) ? nearest > 0 : Rational(nearest) > x)
    nearest = std::nextafter(nearest, -std::numeric_limits<double>::infinity());
  int exponent = 0;
  std::frexp(nearest, &exponent);
  const int unit = std::max(exponent, format.least_exponent) - format.digits;
  const double kept = std::ldexp(std::floor(std::ldexp(nearest, -unit)), unit);
  if (kept < -format.largest) return -std::numeric_limits<double>::infinity();
  return std::min(kept, format.largest);
}

/// The least number of a format that is at least x, +∞ included.
inline double above(const Rational& x, const Format& format) { return 0.0 - below(-x, format); }

}  // namespace sqrtdk::vectors
