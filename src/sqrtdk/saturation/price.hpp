// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref saturation : the cost of the root where values do not depend on weights.
#pragma once

#include <sqrtdk/moments.hpp>
#include <sqrtdk/moments/finite_distribution.hpp>
#include <sqrtdk/numbers/float_environment.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/numbers/require.hpp>

#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace sqrtdk {

/// \name The price of the root
/// For values that do not depend on the weights: with a common mean, variance 1, and uncorrelated
/// over keys. An output is one coordinate of Σpⱼvⱼ.
/// \{

/// E Σpⱼ², the variance of an output.
/// \param weights a distribution of rows p, each with sum 1.
/// \implements{PriceOfTheRoot}
/// \relatesalso FiniteDistribution
Rational output_variance(const FiniteDistribution<std::vector<Rational>>& weights);

/// E Σpⱼp′ⱼ, the covariance of the outputs of two queries with the same keys and values.
/// \param rows a joint distribution of two rows p and p′, each with sum 1.
/// \throws std::invalid_argument if two rows differ in length.
/// \implements{PriceOfTheRoot}
/// \relatesalso FiniteDistribution
Rational output_covariance(
    const FiniteDistribution<std::pair<std::vector<Rational>, std::vector<Rational>>>& rows);

/// 1/(n·E Σp²), the correlation of the outputs of two queries whose rows are independent and prefer
/// no key.
/// \param count    n, at least 1.
/// \param variance E Σp², greater than 0.
/// \throws std::domain_error if an argument is out of range.
/// \implements{PriceOfTheRoot}
double output_correlation(double count, double variance);

/// e^(β²) n/(n − 1 + e^(2β²))² ≤ E Σp² for independent normal scores with standard deviation β.
/// \param count        n, at least 1.
/// \param score_stddev β, from 0 to 16.
/// \throws std::domain_error if an argument is out of range.
/// \implements{PriceOfTheRoot}
double output_variance_at_least(double count, double score_stddev);

/// (1 − 2/d)^(−d/2), the limit of n·E Σp² as n → ∞ for normal queries and keys, divided by √d.
/// \param dimension d, greater than 4.
/// \throws std::domain_error if d is not greater than 4.
/// \implements{PriceOfTheRoot}
double scaled_price(double dimension);

/// (1 − 1/d²)^(−d/2), the limit of n·E Σpp′ as n → ∞ for two normal queries that share their normal
/// keys, divided by √d.
/// \param dimension d, greater than 4.
/// \throws std::domain_error if d is not greater than 4.
/// \implements{PriceOfTheRoot}
double shared_key_factor(double dimension);

/// (1 + 1/2 + … + 1/n)/n: the variance of an output at equal scores, averaged over the n positions
/// of a causal head.
/// \param count n, at least 1.
/// \throws std::domain_error if n is 0.
/// \implements{PriceOfTheRoot}
Rational causal_output_variance(std::size_t count);
/// \}

// Implementation

//! [PriceOfTheRoot]
inline Rational output_variance(const FiniteDistribution<std::vector<Rational>>& weights) {
  return weights.expectation([](const std::vector<Rational>& p) {
    Rational sum = 0;
    for (const Rational& weight : p) sum += weight * weight;
    return sum;
  });
}

inline Rational output_covariance(
    const FiniteDistribution<std::pair<std::vector<Rational>, std::vector<Rational>>>& rows) {
  return rows.expectation([](const auto& pair) {
    const auto& [p, other] = pair;
    if (p.size() != other.size())
      throw std::invalid_argument("two rows have " + std::to_string(p.size()) + " and " +
                                  std::to_string(other.size()) + " weights, but must have as many");
    Rational sum = 0;
    for (std::size_t j = 0; j < p.size(); ++j) sum += p[j] * other[j];
    return sum;
  });
}

inline double output_correlation(double count, double variance) {
  detail::require_at_least("the number of keys", count, 1);
  detail::require_positive("the variance of an output", variance);
  return 1 / (count * variance);
}

inline double output_variance_at_least(double count, double score_stddev) {
  detail::require_at_least("the number of keys", count, 1);
  detail::require_in("the standard deviation of a score", score_stddev, 0, 16);
  const double square = score_stddev * score_stddev;
  const double rest = std::expm1(2 * square);
  // n/(n + rest)² without the square, which overflows from β ≈ 13.3 on.
  return std::exp(square) / (count + rest) / (1 + rest / count);
}

inline double scaled_price(double dimension) {
  detail::require_greater("the dimension", dimension, 4);
  return std::pow(1 - 2 / dimension, -dimension / 2);
}

inline double shared_key_factor(double dimension) {
  detail::require_greater("the dimension", dimension, 4);
  return std::pow(1 - 1 / (dimension * dimension), -dimension / 2);
}

inline Rational causal_output_variance(std::size_t count) {
  detail::require_at_least("the number of keys", count, 1U);
  Rational harmonic = 0;
  for (std::size_t i = 1; i <= count; ++i) harmonic += Rational(1, i);
  return harmonic / count;
}
//! [PriceOfTheRoot]

}  // namespace sqrtdk
