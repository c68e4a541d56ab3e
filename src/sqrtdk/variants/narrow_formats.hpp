// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref variants : what narrow formats make of scores and weights.
#pragma once

#include <sqrtdk/numbers/exp_interval.hpp>
#include <sqrtdk/numbers/interval.hpp>
#include <sqrtdk/numbers/powers.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/numbers/require.hpp>

#include <algorithm>
#include <cstdint>

namespace sqrtdk {

/// A binary format with subnormal numbers, as exact numbers see it.
struct BinaryFormat {
  unsigned digits;        ///< of a normal number, the leading one included
  unsigned fraction;      ///< f: the least positive number is 2^−f
  std::uint64_t largest;  ///< the largest finite number, which is whole
};

/// IEEE 754's binary16, half precision: 11 digits, least positive number 2⁻²⁴, largest 65504.
inline constexpr BinaryFormat binary16_format{.digits = 11, .fraction = 24, .largest = 65504};

/// FP8's E4M3, in which kernels store weights: 4 digits, least positive number 2⁻⁹, largest 448.
inline constexpr BinaryFormat e4m3_format{.digits = 4, .fraction = 9, .largest = 448};

/// The number of a format that is nearest to x; of two that are as near the one whose last digit is
/// even. What is greater than the largest number is rounded as if the format went on.
/// \param x      any number.
/// \param format the format.
/// \implements{HalfPrecisionRange}
/// \relatesalso BinaryFormat
Rational rounded_to(const Rational& x, const BinaryFormat& format);

/// True if x does not overflow in the format: abs(rounded_to(x, format)) ≤ format.largest.
/// \param x      any number.
/// \param format the format.
/// \implements{HalfPrecisionRange}
/// \relatesalso BinaryFormat
bool is_finite_in(const Rational& x, const BinaryFormat& format);

/// True if the raw score of any query and key of d entries from −B to B, rounded once, is finite in
/// half precision: dB² < 65520.
/// \param dimension d.
/// \param entry     B, of which the sign is ignored.
/// \implements{HalfPrecisionRange}
bool raw_scores_are_finite(unsigned dimension, const Rational& entry);

/// True if the score of any query and key of d entries from −B to B, the query divided by √d before
/// the products, rounded once, is finite in half precision: √d·B² < 65520.
/// \param dimension d.
/// \param entry     B, of which the sign is ignored.
/// \implements{HalfPrecisionRange}
bool divided_scores_are_finite(unsigned dimension, const Rational& entry);

/// The sum of n equal weights 1/n, each rounded to a format.
/// \param count  n, at least 1.
/// \param format the format.
/// \throws std::domain_error if n is 0.
/// \implements{Fp8WeightsVanish}
/// \relatesalso BinaryFormat
Rational sum_of_rounded_shares(unsigned count, const BinaryFormat& format = e4m3_format);

/// True if a weight 2^k·e^−g, for a score that is g below the maximum, is rounded to 0 by E4M3:
/// g ≥ (10 + k) ln 2.
/// \param gap      g, at least 0.
/// \param exponent k, from 0 to 8; then the greatest weight, 2^k, is a number of the format.
/// \throws std::domain_error if an argument is out of range, or g is so near to (10 + k) ln 2, to
///         about 60 digits, that exp_enclosure() cannot tell on which side it is.
/// \implements{Fp8WeightsVanish}
bool fp8_weight_vanishes(const Rational& gap, unsigned exponent = 0);

// Implementation

//! [HalfPrecisionRange]
inline Rational rounded_to(const Rational& x, const BinaryFormat& format) {
  if (x < 0) return -rounded_to(-x, format);
  Rational unit(1, Integer(1) << format.fraction);
  while (x >= unit * (Integer(1) << format.digits)) unit *= 2;
  const Rational steps = x / unit;
  Integer below = numerator(steps) / denominator(steps);
  const Rational rest = steps - below;
  if (2 * rest > 1 || (2 * rest == 1 && below % 2 == 1)) ++below;
  return below * unit;
}

inline bool is_finite_in(const Rational& x, const BinaryFormat& format) {
  return abs(rounded_to(x, format)) <= format.largest;
}

inline bool raw_scores_are_finite(unsigned dimension, const Rational& entry) {
  return dimension * entry * entry < 65520;
}

inline bool divided_scores_are_finite(unsigned dimension, const Rational& entry) {
  return dimension * integer_power(entry, 4) < Integer(65520) * 65520;
}
//! [HalfPrecisionRange]

//! [Fp8WeightsVanish]
inline Rational sum_of_rounded_shares(unsigned count, const BinaryFormat& format) {
  detail::require_at_least("the number of weights", count, 1U);
  return count * rounded_to(Rational(1, count), format);
}

inline bool fp8_weight_vanishes(const Rational& gap, unsigned exponent) {
  detail::require_at_least("the gap", gap, 0);
  detail::require_in("the exponent", exponent, 0U, 8U);
  // e^13 is beyond every threshold. e^g of a rational g is irrational or 1, so that it is none.
  const Interval<Rational> growth = exp_enclosure(std::min<Rational>(gap, 13));
  const Rational threshold(Integer(1) << (10 + exponent));
  detail::require_that(growth.upper < threshold || growth.lower > threshold, "the gap", gap,
                       "differ from the threshold by more than the enclosure's width");
  return growth.lower > threshold;
}
//! [Fp8WeightsVanish]

}  // namespace sqrtdk
