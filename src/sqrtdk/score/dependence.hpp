// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref score : the dot product when entries that meet are not independent.
#pragma once

#include <sqrtdk/moments.hpp>
#include <sqrtdk/moments/finite_distribution.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/numbers/require.hpp>

#include <cstddef>
#include <utility>

namespace sqrtdk {

/// The joint distribution of one entry of a query and the entry of a key that it meets.
using PairDistribution = FiniteDistribution<std::pair<Rational, Rational>>;

/// The distribution of q·k for d independent pairs (qᵢ, kᵢ), whatever the dependence within a pair.
/// \param pair the joint distribution of (qᵢ, kᵢ), the same for each i.
/// \param d    the head dimension, at least 1.
/// \throws std::domain_error if d is 0.
/// \relatesalso FiniteDistribution
RationalDistribution paired_dot_product_distribution(const PairDistribution& pair, std::size_t d);

/// E q·k = d E q₁k₁, whatever the dependence within a pair.
/// \param d    the head dimension, at least 1.
/// \param pair the joint distribution of (qᵢ, kᵢ).
/// \throws std::domain_error if d is 0.
/// \implements{WithoutIndependence}
/// \relatesalso FiniteDistribution
Rational paired_dot_product_mean(std::size_t d, const PairDistribution& pair);

/// Var q·k = d(E q₁²k₁² − (E q₁k₁)²) for independent pairs, whatever the dependence within a pair.
/// \param d    the head dimension, at least 1.
/// \param pair the joint distribution of (qᵢ, kᵢ).
/// \throws std::domain_error if d is 0.
/// \implements{WithoutIndependence}
/// \relatesalso FiniteDistribution
Rational paired_dot_product_variance(std::size_t d, const PairDistribution& pair);

/// Var q·q = d(μ₄ − 1) for independent entries with mean 0 and variance 1.
/// \param d             the head dimension, at least 1.
/// \param fourth_moment μ₄ = E q₁⁴, at least 1, since it is at least (E q₁²)².
/// \throws std::domain_error if d is 0 or no such distribution has this fourth moment.
/// \implements{WithoutIndependence}
Rational self_dot_product_variance(std::size_t d, const Rational& fourth_moment);

/// E xᵐyⁿ for jointly normal standard x and y with correlation ρ, by Isserlis' theorem: x is paired
/// with another x in m − 1 ways, or with a y in n ways.
/// \param correlation ρ, from −1 to 1.
/// \param m           the power of x.
/// \param n           the power of y.
/// \throws std::domain_error if the correlation is outside its range.
Rational normal_moment(const Rational& correlation, unsigned m, unsigned n);

/// E q·k = dρ for standard normal entries with correlation ρ between qᵢ and kᵢ.
/// \param d           the head dimension, at least 1.
/// \param correlation ρ, from −1 to 1.
/// \throws std::domain_error if d is 0 or the correlation is outside its range.
/// \implements{WithoutIndependence}
Rational correlated_normal_mean(std::size_t d, const Rational& correlation);

/// Var q·k = d(1 + ρ²) for standard normal entries with correlation ρ between qᵢ and kᵢ.
/// \param d           the head dimension, at least 1.
/// \param correlation ρ, from −1 to 1.
/// \throws std::domain_error if d is 0 or the correlation is outside its range.
/// \implements{WithoutIndependence}
Rational correlated_normal_variance(std::size_t d, const Rational& correlation);

// Implementation

inline RationalDistribution paired_dot_product_distribution(const PairDistribution& pair,
                                                            std::size_t d) {
  detail::require_at_least("the dimension", d, 1U);
  return sum_of_copies(pair.image([](const auto& qk) { return Rational(qk.first * qk.second); }),
                       d);
}

//! [WithoutIndependence]
inline Rational paired_dot_product_mean(std::size_t d, const PairDistribution& pair) {
  detail::require_at_least("the dimension", d, 1U);
  return Rational(d) *
         pair.expectation([](const auto& qk) { return Rational(qk.first * qk.second); });
}

inline Rational paired_dot_product_variance(std::size_t d, const PairDistribution& pair) {
  detail::require_at_least("the dimension", d, 1U);
  const Rational mean_square = pair.expectation(
      [](const auto& qk) { return Rational(qk.first * qk.first * qk.second * qk.second); });
  return Rational(d) * variance_from_mean_square(paired_dot_product_mean(1, pair), mean_square);
}

inline Rational self_dot_product_variance(std::size_t d, const Rational& fourth_moment) {
  detail::require_at_least("the dimension", d, 1U);
  detail::require_that(fourth_moment >= 1, "the fourth moment", fourth_moment,
                       "be at least 1 for a distribution with mean square 1");
  return Rational(d) * (fourth_moment - 1);
}

inline Rational normal_moment(const Rational& correlation, unsigned m, unsigned n) {
  detail::require_that(correlation >= -1 && correlation <= 1, "the correlation", correlation,
                       "lie between -1 and 1");
  if (m == 0 && n == 0) return 1;
  if (m == 0) return normal_moment(correlation, n, m);
  Rational moment = 0;
  if (m > 1) moment += (m - 1) * normal_moment(correlation, m - 2, n);
  if (n > 0) moment += n * correlation * normal_moment(correlation, m - 1, n - 1);
  return moment;
}

inline Rational correlated_normal_mean(std::size_t d, const Rational& correlation) {
  detail::require_at_least("the dimension", d, 1U);
  detail::require_that(correlation >= -1 && correlation <= 1, "the correlation", correlation,
                       "lie between -1 and 1");
  return Rational(d) * correlation;
}

inline Rational correlated_normal_variance(std::size_t d, const Rational& correlation) {
  detail::require_at_least("the dimension", d, 1U);
  detail::require_that(correlation >= -1 && correlation <= 1, "the correlation", correlation,
                       "lie between -1 and 1");
  return Rational(d) * (1 + correlation * correlation);
}
//! [WithoutIndependence]

}  // namespace sqrtdk
