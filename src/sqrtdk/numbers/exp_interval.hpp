// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief The exponential of a rational number between two rational numbers.
#pragma once

#include <sqrtdk/numbers/interval.hpp>
#include <sqrtdk/numbers/rational.hpp>

namespace sqrtdk {

/// e^x between two rational numbers that differ by less than 2⁻²⁰⁰ of it if abs(x) ≤ 2⁶⁴.
///
/// For x ≥ 0: the series at y = x/2ᵏ ≤ 1, 64 terms below and y⁶⁴/64! · 1/(1 − y/65) more above,
/// squared k times, each time rounded outward to a multiple of 2⁻³²⁰.
///
/// \param x any rational number; for x < 0 the reciprocals for −x are taken.
/// \implements{ExponentialGrowth}
/// \relatesalso Interval
Interval<Rational> exp_enclosure(const Rational& x);

// Implementation

namespace detail {

/// Two positive numbers as multiples of 2⁻³²⁰, the one rounded down and the other up.
inline Interval<Rational> rounded_outward(const Rational& lower, const Rational& upper) {
  constexpr unsigned bits = 320;
  const Integer below = (numerator(lower) << bits) / denominator(lower);
  const Integer above = ((numerator(upper) << bits) + denominator(upper) - 1) / denominator(upper);
  const Rational unit(1, Integer(1) << bits);
  return {below * unit, above * unit};
}

}  // namespace detail

//! [ExponentialGrowth]
inline Interval<Rational> exp_enclosure(const Rational& x) {
  if (x < 0) {
    const Interval<Rational> inverse = exp_enclosure(-x);
    return {1 / inverse.upper, 1 / inverse.lower};
  }
  unsigned halvings = 0;
  Rational y = x;
  for (; y > 1; y /= 2) ++halvings;

  constexpr unsigned terms = 64;
  Rational sum = 0;
  Rational term = 1;  // yᵏ/k!
  for (unsigned k = 0; k < terms; ++k) {
    sum += term;
    term *= y / (k + 1);
  }
  Interval<Rational> power = detail::rounded_outward(sum, sum + term / (1 - y / (terms + 1)));
  for (; halvings > 0; --halvings)
    power = detail::rounded_outward(power.lower * power.lower, power.upper * power.upper);
  return power;
}
//! [ExponentialGrowth]

}  // namespace sqrtdk
