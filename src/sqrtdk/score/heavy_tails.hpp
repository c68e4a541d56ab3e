// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref score : the dot product of entries that have no variance.
#pragma once

#include <sqrtdk/moments/finite_distribution.hpp>
#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/numbers/pi_fraction.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/numbers/require.hpp>

#include <stdexcept>
#include <vector>

namespace sqrtdk {

/// A distribution with mean 0 and no variance, cut off: ±2ʲ with probability (3/2)4⁻ʲ each for
/// j = 1, …, n, and 0 in place of everything larger.
/// \param cutoff n, at least 0: outcomes beyond 2ⁿ become 0.
/// \implements{WithoutFiniteVariance}
RationalDistribution truncated_heavy_distribution(unsigned cutoff);

/// The density s / (π(s² + x²)) of a Cauchy distribution, exactly.
/// \param scale s, above 0.
/// \param x     any number.
/// \throws std::domain_error if the scale is not positive.
/// \relatesalso PiFraction
PiFraction cauchy_density(const Rational& scale, const Rational& x);

/// The numbers that split 1 / ((a² + y²)(b² + (y − x)²)), a function of y, into
/// (slope·y + at_zero) / (a² + y²) + (−slope·(y − x) + at_x) / (b² + (y − x)²).
struct PartialFractions {
  Rational slope;    ///< the coefficient of y, opposite in the two fractions
  Rational at_zero;  ///< the constant over a² + y²
  Rational at_x;     ///< the constant over b² + (y − x)²
};

/// Splits the integrand of the convolution of two Cauchy densities.
/// \param a the first scale, above 0.
/// \param b the second scale, above 0.
/// \param x where the convolution is wanted; not 0 if a = b, for then two poles are one.
/// \throws std::domain_error if a scale is not positive, or if a = b and x = 0.
/// \relatesalso PartialFractions
PartialFractions cauchy_partial_fractions(const Rational& a, const Rational& b, const Rational& x);

/// The density of the sum of two independent Cauchy variables, by integrating partial fractions.
/// \param a the first scale, above 0.
/// \param b the second scale, above 0.
/// \param x where the density is wanted; not 0 if a = b.
/// \throws std::domain_error as cauchy_partial_fractions().
/// \relatesalso PiFraction
PiFraction cauchy_sum_density(const Rational& a, const Rational& b, const Rational& x);

/// The scale ‖k‖₁ = Σ|kᵢ| of the Cauchy distribution of q·k, q of independent standard ones.
/// \param k the key, not all zero.
/// \throws std::domain_error if every entry is 0, for then q·k is 0.
/// \implements{WithoutFiniteVariance}
Rational cauchy_score_scale(const std::vector<Rational>& k);

// Implementation

inline PiFraction cauchy_density(const Rational& scale, const Rational& x) {
  detail::require_positive("the scale", scale);
  return {scale / (scale * scale + x * x), true};
}

inline PartialFractions cauchy_partial_fractions(const Rational& a, const Rational& b,
                                                 const Rational& x) {
  detail::require_positive("the scale", a);
  detail::require_positive("the scale", b);
  const Rational outer = x * x + (a + b) * (a + b);
  const Rational inner = x * x + (a - b) * (a - b);
  if (inner == 0)
    throw std::domain_error("both scales are " + to_text(a) +
                            " and x is 0, but x must not be 0 for equal scales");
  const Rational product = outer * inner;
  return {2 * x / product, (b * b + x * x - a * a) / product, (a * a + x * x - b * b) / product};
}

//! [WithoutFiniteVariance]
inline RationalDistribution truncated_heavy_distribution(unsigned cutoff) {
  std::vector<Rational> outcomes = {0};
  std::vector<Rational> probabilities = {Rational(1, Integer(1) << (2 * cutoff))};
  for (unsigned j = 1; j <= cutoff; ++j)
    for (const int sign : {-1, 1}) {
      outcomes.push_back(sign * Rational(Integer(1) << j));
      probabilities.push_back(Rational(3, Integer(2) << (2 * j)));  // (3/2)4⁻ʲ
    }
  return {outcomes, probabilities};
}

inline PiFraction cauchy_sum_density(const Rational& a, const Rational& b, const Rational& x) {
  const PartialFractions parts = cauchy_partial_fractions(a, b, x);
  // ∫dy/(a² + y²) = π/a and ∫dy/(b² + (y − x)²) = π/b; the logarithms cancel; times ab/π².
  return {b * parts.at_zero + a * parts.at_x, true};
}

inline Rational cauchy_score_scale(const std::vector<Rational>& k) {
  Rational norm = 0;
  for (const Rational& entry : k) norm += abs(entry);
  if (norm == 0)
    throw std::domain_error("every entry of the key is 0, but at least one must not be");
  return norm;
}
//! [WithoutFiniteVariance]

}  // namespace sqrtdk
