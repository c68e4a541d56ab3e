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

/// A double as it is.
/// \param x a finite number.
inline Rational exactly(double x) {
  int exponent = 0;
  const double significand = std::ldexp(std::frexp(x, &exponent), 53);
  const Integer whole(static_cast<long long>(significand));
  exponent -= 53;
  return exponent < 0 ? Rational(whole, Integer(1) << -exponent) : Rational(whole << exponent);
}

namespace detail {

/// A positive number, rounded to a format; beyond its range it is the largest number, or +∞.
inline double rounded(const Rational& x, const Format& format, bool up) {
  const Integer over = numerator(x), under = denominator(x);
  int exponent = static_cast<int>(msb(over)) - static_cast<int>(msb(under));
  if (exponent < 0 ? (over << -exponent) < under : over < (under << exponent)) --exponent;
  const int unit = std::max(exponent + 1, format.least_exponent) - format.digits;
  const Integer scaled = unit < 0 ? Integer(over << -unit) : over;
  const Integer by = unit < 0 ? under : Integer(under << unit);
  const Integer whole = (scaled + (up ? Integer(by - 1) : Integer(0))) / by;
  if (exactly(format.largest) <
      (unit < 0 ? Rational(whole, Integer(1) << -unit) : Rational(whole << unit)))
    return up ? std::numeric_limits<double>::infinity() : format.largest;
  return std::ldexp(whole.convert_to<double>(), unit);
}

}  // namespace detail

/// The greatest number of a format that is at most x, −∞ included.
inline double below(const Rational& x, const Format& format) {
  if (x == 0) return 0;
  return x > 0 ? detail::rounded(x, format, false) : 0.0 - detail::rounded(-x, format, true);
}

/// The least number of a format that is at least x, +∞ included.
inline double above(const Rational& x, const Format& format) { return 0.0 - below(-x, format); }

/// Whether a format has a number; it has infinities and NaN.
inline bool has(const Format& format, double x) {
  return !std::isfinite(x) || below(exactly(x), format) == x;
}

/// A bound, raised to twelve bits: libraries whose last bits differ give the same file.
inline double raised(double bound) {
  int exponent = 0;
  const double significand = std::frexp(bound, &exponent);
  return std::ldexp(std::ceil(std::ldexp(significand, 12)), exponent - 12);
}

/// A number in hexadecimal, such as `0x1.8p+1`, `-inf` or `nan`.
inline std::string hex(double x) {
  const std::string text = format_hex_and_decimal(x);
  return text.substr(0, text.find(' '));
}

}  // namespace sqrtdk::vectors
