// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Intervals that hold an unknown number but with probability α, whatever the law of the
/// draws.
///
/// An interval says how much it sees: a number that differs from the true one by more than the
/// interval's length lies outside, unless the interval misses. So a check that rejects what lies
/// outside has β = α for every effect above the length. That of a median is in sign_test.hpp.
/// Implements \ref IntervalsKeepTheirOdds.
#pragma once

#include <sqrtdk/testing/statistics/checks.hpp>
#include <sqrtdk/testing/statistics/confidence_interval.hpp>
#include <sqrtdk/testing/statistics/sign_test.hpp>

#include <boost/math/distributions/binomial.hpp>

#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>

namespace sqrtdk::testing {

/// The interval of Clopper and Pearson for a probability: the p that CountCheck does not reject.
/// \param count successes among n ≥ 1 independent trials.
/// \param alpha in (0, 1); half to each side.
/// \throws std::invalid_argument or std::domain_error if one of these rules is broken.
ConfidenceInterval frequency_interval(const Count& count, double alpha);

/// ε = √(ln(2/α)/2n): the mean of n independent draws from 0 to 1 is nearer than that to its
/// expectation, but with probability α. Source: Hoeffding, "Probability inequalities for sums of
/// bounded random variables" (1963).
/// \param n     how many draws, at least 1.
/// \param alpha in (0, 1).
/// \throws std::invalid_argument or std::domain_error if one of these rules is broken.
double hoeffding_error(std::size_t n, double alpha);

/// How many draws make hoeffding_error() at most ε: ⌈ln(2/α)/2ε²⌉.
/// \param epsilon in (0, 1).
/// \param alpha   in (0, 1).
/// \throws std::domain_error if one of them is not.
std::size_t hoeffding_draws(double epsilon, double alpha);

/// The mean ± √(2V ln(4/α)/n) + 7 ln(4/α)/(3(n − 1)), where V is the sample's variance: holds the
/// expectation of independent draws from 0 to 1. Source: Maurer and Pontil, "Empirical Bernstein
/// bounds and sample variance penalization" (2009), theorem 4, on both sides.
/// \param sample n ≥ 2 draws from 0 to 1.
/// \param alpha  in (0, 1).
/// \throws std::invalid_argument or std::domain_error if one of these rules is broken.
ConfidenceInterval mean_interval(std::span<const double> sample, double alpha);

// ------------------------------------------------------------------------------------------------

//! [IntervalsKeepTheirOdds]
inline ConfidenceInterval frequency_interval(const Count& count, double alpha) {
  require_probability(alpha, "alpha");
  using boost::math::binomial;
  const double k = CountCheck(0.5).statistic(count);
  const auto n = static_cast<double>(count.trials);
  return {binomial::find_lower_bound_on_p(n, k, alpha / 2), k / n,
          binomial::find_upper_bound_on_p(n, k, alpha / 2)};
}

inline double hoeffding_error(std::size_t n, double alpha) {
  require_probability(alpha, "alpha");
  if (n == 0) throw std::invalid_argument("the sample is empty, but needs at least 1 draw");
  return std::sqrt(std::log(2 / alpha) / (2 * static_cast<double>(n)));
}

inline std::size_t hoeffding_draws(double epsilon, double alpha) {
  require_probability(epsilon, "epsilon");
  require_probability(alpha, "alpha");
  return static_cast<std::size_t>(std::ceil(std::log(2 / alpha) / (2 * epsilon * epsilon)));
}

inline ConfidenceInterval mean_interval(std::span<const double> sample, double alpha) {
  require_probability(alpha, "alpha");
  if (sample.size() < 2)
    throw std::invalid_argument("there are " + std::to_string(sample.size()) +
                                " draws, but an interval of the mean needs at least 2");
  for (const double x : sample)
    if (!(x >= 0 && x <= 1))
      throw std::domain_error("a draw is " + exact_text(x) + ", but must lie between 0 and 1");
  const auto n = static_cast<double>(sample.size());
  const double mean = std::accumulate(sample.begin(), sample.end(), 0.0) / n;
  double variance = 0;
  for (const double x : sample) variance += (x - mean) * (x - mean) / (n - 1);
  const double log_odds = std::log(4 / alpha);
  const double half = std::sqrt(2 * variance * log_odds / n) + 7 * log_odds / (3 * (n - 1));
  return {mean - half, mean, mean + half};
}
//! [IntervalsKeepTheirOdds]

}  // namespace sqrtdk::testing
