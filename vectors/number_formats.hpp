// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Rational numbers rounded outward and inward to binary formats, and their text.
#pragma once

#include <sqrtdk/numbers/columns.hpp>
#include <sqrtdk/numbers/float_text.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/softmax_arithmetic.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace sqrtdk::vectors {

/// A binary format whose numbers are doubles.
struct Format {
  int digits;          ///< of the significand
  int least_exponent;  ///< as std::numeric_limits has it: the least normal number is 2^(this − 1)
  double largest;      ///< the largest finite number
};

/// The format of a type.
/// \tparam Scalar double, float, Eigen::half or Eigen::bfloat16.
template <class Scalar>
Format format_of() {
  using Limits = std::numeric_limits<Scalar>;
  return {Limits::digits, Limits::min_exponent, sqrtdk::detail::as_double(Limits::max())};
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

/// Whether a format has a number; it has infinities and NaN.
inline bool has(const Format& format, double x) {
  return !std::isfinite(x) || below(Rational(x), format) == x;
}

/// A bound, raised to 24 bits: libraries whose last bits differ give the same file.
inline double raised(double bound) {
  int exponent = 0;
  const double significand = std::frexp(bound, &exponent);
  return std::ldexp(std::ceil(std::ldexp(significand, 24)), exponent - 24);
}

/// A number in hexadecimal, such as `0x1.8p+1`, `-inf` or `nan`.
inline std::string hex(double x) {
  const std::string text = format_hex_and_decimal(x);
  return text.substr(0, text.find(' '));
}

}  // namespace sqrtdk::vectors
