// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref score : the dot product of a query and a key, its mean, variance and size.
///
/// Its square, term by term, is in score/square.hpp; entries that depend on each other are in
/// score/dependence.hpp, and such as have no variance in score/heavy_tails.hpp.
#pragma once

#include <sqrtdk/moments.hpp>
#include <sqrtdk/moments/finite_distribution.hpp>
#include <sqrtdk/numbers/float_environment.hpp>
#include <sqrtdk/numbers/pi_fraction.hpp>
#include <sqrtdk/numbers/powers.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/numbers/require.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace sqrtdk {

/// The dot product q·k = Σqᵢkᵢ, an attention score before scaling.
/// \param q the query, d entries.
/// \param k the key, d entries.
/// \throws std::invalid_argument if the lengths differ; the message names both.
/// \implements{WorkedDotProduct}
Rational dot_product(const std::vector<Rational>& q, const std::vector<Rational>& k);

/// The distribution of q·k for 2d independent entries: d copies of that of qᵢkᵢ, convolved.
/// \param q the distribution of each entry of the query.
/// \param k the distribution of each entry of the key.
/// \param d the head dimension, at least 1.
/// \throws std::domain_error if d is 0.
/// \relatesalso FiniteDistribution
RationalDistribution dot_product_distribution(const RationalDistribution& q,
                                              const RationalDistribution& k, std::size_t d);

/// The distribution of q·k by enumeration of every query and every key, each with its probability:
/// a second route to dot_product_distribution().
/// \param q the distribution of each entry of the query, n outcomes.
/// \param k the distribution of each entry of the key, m outcomes.
/// \param d the head dimension, at least 1; the work is (nm)^d, so for small d only.
/// \throws std::domain_error if d is 0.
/// \relatesalso FiniteDistribution
RationalDistribution dot_product_distribution_by_enumeration(const RationalDistribution& q,
                                                             const RationalDistribution& k,
                                                             std::size_t d);

/// E q·k = d μq μk when qᵢ and kᵢ are independent.
/// \param d the head dimension, at least 1.
/// \param q moments of an entry of the query.
/// \param k moments of an entry of the key.
/// \throws std::domain_error if d is 0.
/// \implements{DotProductMean}
/// \relatesalso Moments
Rational dot_product_mean(std::size_t d, const Moments& q, const Moments& k);

/// Var q·k = d(σq²σk² + μq²σk² + μk²σq²) when all entries are independent.
/// \param d the head dimension, at least 1.
/// \param q moments of an entry of the query.
/// \param k moments of an entry of the key.
/// \throws std::domain_error if d is 0.
/// \implements{DotProductVariance}
/// \relatesalso Moments
Rational dot_product_variance(std::size_t d, const Moments& q, const Moments& k);

/// Var q·k = d(1 + μq² + μk²) for independent entries with variance 1 and any means.
/// \param d      the head dimension, at least 1.
/// \param q_mean μq, any number.
/// \param k_mean μk, any number.
/// \throws std::domain_error if d is 0.
/// \implements{WithoutZeroMean}
Rational dot_product_variance_from_means(std::size_t d, const Rational& q_mean,
                                         const Rational& k_mean);

/// Var q·k = d σq²σk² for independent entries with mean 0 and any variances.
/// \param d          the head dimension, at least 1.
/// \param q_variance σq², at least 0.
/// \param k_variance σk², at least 0.
/// \throws std::domain_error if d is 0 or a variance is negative.
/// \implements{WithoutUnitVariance}
Rational dot_product_variance_from_variances(std::size_t d, const Rational& q_variance,
                                             const Rational& k_variance);

/// The largest head dimension whose root dot_product_standard_deviation() gives: 2⁵³, up to which
/// every integer is a double.
inline constexpr std::uint64_t largest_exact_dimension = std::uint64_t{1} << 53;

/// The standard deviation √d of q·k for independent entries with mean 0 and variance 1: the double
/// nearest to √d, as IEEE 754 asks of roots, and d is a double.
/// \param d the head dimension, from 1 to largest_exact_dimension.
/// \throws std::domain_error if d is outside that range.
/// \implements{DotProductStandardDeviation}
double dot_product_standard_deviation(std::uint64_t d);

/// E|X|.
/// \param distribution the distribution of X.
/// \relatesalso FiniteDistribution
Rational mean_absolute(const RationalDistribution& distribution);

/// E|q·k| for independent standard normal entries, exactly:
/// 2 Γ((d+1)/2) / (√π Γ(d/2)), rational for even d and rational over π for odd d.
/// \param d the head dimension, at least 1.
/// \throws std::domain_error if d is 0.
/// \implements{DotProductGrowsWithDimension}
/// \relatesalso PiFraction
PiFraction normal_mean_absolute(std::size_t d);

/// E|q·k| for independent fair signs, exactly: 2m C(2m, m) / 4^m with m = ⌈d/2⌉.
/// \param d the head dimension, at least 1.
/// \throws std::domain_error if d is 0.
/// \implements{DotProductGrowsWithDimension}
Rational sign_mean_absolute(std::size_t d);

// Implementation

namespace detail {

inline FiniteDistribution<std::vector<Rational>> draws(const RationalDistribution& distribution,
                                                       std::size_t d) {
  auto vectors = FiniteDistribution<std::vector<Rational>>::uniform({{}});
  for (std::size_t i = 0; i < d; ++i)
    vectors = independent(vectors, distribution).image([](const auto& longer) {
      std::vector<Rational> entries = longer.first;
      entries.push_back(longer.second);
      return entries;
    });
  return vectors;
}

}  // namespace detail

//! [WorkedDotProduct]
inline Rational dot_product(const std::vector<Rational>& q, const std::vector<Rational>& k) {
  if (q.size() != k.size())
    throw std::invalid_argument("the query has " + std::to_string(q.size()) +
                                " entries and the key " + std::to_string(k.size()) +
                                ", but a dot product needs as many of each");
  Rational total = 0;
  for (std::size_t i = 0; i < q.size(); ++i) total += q[i] * k[i];
  return total;
}
//! [WorkedDotProduct]

inline RationalDistribution dot_product_distribution(const RationalDistribution& q,
                                                     const RationalDistribution& k, std::size_t d) {
  detail::require_at_least("the dimension", d, 1U);
  return sum_of_copies(product(q, k), d);
}

inline RationalDistribution dot_product_distribution_by_enumeration(const RationalDistribution& q,
                                                                    const RationalDistribution& k,
                                                                    std::size_t d) {
  detail::require_at_least("the dimension", d, 1U);
  return independent(detail::draws(q, d), detail::draws(k, d)).image([](const auto& draw) {
    return dot_product(draw.first, draw.second);
  });
}

//! [DotProductMean]
inline Rational dot_product_mean(std::size_t d, const Moments& q, const Moments& k) {
  detail::require_at_least("the dimension", d, 1U);
  return Rational(d) * product_mean(q, k);
}
//! [DotProductMean]

//! [DotProductVariance]
inline Rational dot_product_variance(std::size_t d, const Moments& q, const Moments& k) {
  detail::require_at_least("the dimension", d, 1U);
  return Rational(d) * product_variance(q, k);  // d(σq²σk² + μq²σk² + μk²σq²)
}
//! [DotProductVariance]

//! [WithoutZeroMean]
inline Rational dot_product_variance_from_means(std::size_t d, const Rational& q_mean,
                                                const Rational& k_mean) {
  detail::require_at_least("the dimension", d, 1U);
  return Rational(d) * (1 + q_mean * q_mean + k_mean * k_mean);
}
//! [WithoutZeroMean]

//! [WithoutUnitVariance]
inline Rational dot_product_variance_from_variances(std::size_t d, const Rational& q_variance,
                                                    const Rational& k_variance) {
  detail::require_at_least("the dimension", d, 1U);
  detail::require_at_least("the variance", q_variance, 0);
  detail::require_at_least("the variance", k_variance, 0);
  return Rational(d) * q_variance * k_variance;
}
//! [WithoutUnitVariance]

//! [DotProductStandardDeviation]
inline double dot_product_standard_deviation(std::uint64_t d) {
  detail::require_that(d >= 1 && d <= largest_exact_dimension, "the dimension", d,
                       "lie between 1 and 2^53");
  return std::sqrt(static_cast<double>(d));
}
//! [DotProductStandardDeviation]

inline Rational mean_absolute(const RationalDistribution& distribution) {
  return distribution.expectation([](const Rational& x) { return Rational(abs(x)); });
}

//! [DotProductGrowsWithDimension]
inline PiFraction normal_mean_absolute(std::size_t d) {
  detail::require_at_least("the dimension", d, 1U);
  const std::size_t m = d / 2;
  const Rational integer_gamma(factorial(d % 2 == 0 ? m - 1 : m));  // Γ(m) or Γ(m + 1)
  const Rational half_gamma(factorial(2 * m),
                            factorial(m) << (2 * m));  // Γ(m + ½) / √π
  if (d % 2 == 0) return {2 * half_gamma / integer_gamma, false};
  return {2 * integer_gamma / half_gamma, true};
}

inline Rational sign_mean_absolute(std::size_t d) {
  detail::require_at_least("the dimension", d, 1U);
  const std::size_t m = (d + 1) / 2;
  const Integer central = factorial(2 * m) / (factorial(m) * factorial(m));
  return Rational(2 * m) * Rational(central, Integer(1) << (2 * m));
}
//! [DotProductGrowsWithDimension]

}  // namespace sqrtdk
