// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Statistical checks: does a sample contradict a distribution, and what would a check miss?
///
/// A check turns observations into a statistic, and that into a p-value that is exact (or bounded)
/// when its distribution is the true one; it also knows the probability of passing when the
/// distribution is wrong by a given effect. Nothing here draws numbers or knows about GoogleTest.
#pragma once

#include <sqrtdk/numbers/float_environment.hpp>
#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/numbers/require.hpp>

#include <boost/math/distributions/normal.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace sqrtdk::testing {

/// The interface of all checks.
///
/// `p_value` is at most α with probability at most α when the distribution is the true one, for
/// every α in (0, 1). `type_ii_error` bounds the probability that the p-value is above α when the
/// distribution is wrong by `effect`. Where it is below 1 − α, it falls as the effect grows to
/// `largest_effect()`; before that it may rise. Each check here refuses, by a std::domain_error, an
/// n of 0, an α that is not in (0, 1) and an effect that is none of its own; a result of another
/// check that is no probability is refused and never taken for a pass.
template <class Check>
concept StatisticalCheck = requires(const Check check, const typename Check::Observations& data,
                                    std::size_t n, double x, double alpha, double effect) {
  { check.statistic(data) } -> std::same_as<double>;
  { check.p_value(x, n) } -> std::same_as<double>;
  { check.type_ii_error(n, alpha, effect) } -> std::same_as<double>;
  { check.no_effect() } -> std::same_as<double>;
  { check.largest_effect() } -> std::same_as<double>;
  { check.distribution() } -> std::convertible_to<std::string>;
  { check.method() } -> std::convertible_to<std::string>;
  { check.observed(x, n) } -> std::convertible_to<std::string>;
  { check.effect_text(effect) } -> std::convertible_to<std::string>;
};

/// Checks the mean of normal draws: Z = Σ(xᵢ − μ)/(σ√n) ~ N(0, 1), exactly.
/// The effect is the shift of the mean in units of σ, in either direction.
/// \implements{MeanCheckKeepsItsOdds}
class MeanCheck {
 public:
  using Observations = std::vector<double>;  ///< n independent draws, n at least 1

  /// \param distribution the normal distribution of each draw.
  explicit MeanCheck(boost::math::normal distribution) : distribution_(distribution) {}

  /// Z = Σ(xᵢ − μ)/(σ√n).
  /// \throws std::invalid_argument if there are no draws.
  /// \throws std::domain_error if a draw is not finite.
  double statistic(std::span<const double> sample) const;
  /// 2(1 − Φ(abs(z))); 0 if z is infinite or NaN, as draws that are too large make it. n is not
  /// used.
  double p_value(double z, std::size_t n) const;
  /// The probability of passing draws whose mean is off by δσ: Φ(c − √n δ) − Φ(−c − √n δ) with
  /// c = Φ⁻¹(1 − α/2); the formula is exact, its value rounded.
  /// \param n     the number of draws, at least 1.
  /// \param alpha α, the probability of a false alarm, in (0, 1).
  /// \param shift δ, finite, so not largest_effect() itself.
  /// \throws std::domain_error if an argument is out of range.
  double type_ii_error(std::size_t n, double alpha, double shift) const;

  double no_effect() const { return 0; }  ///< the effect of no error: a shift of 0
  /// The largest effect, ∞: a shift may be of any size.
  double largest_effect() const { return std::numeric_limits<double>::infinity(); }
  std::string distribution() const;                     ///< `N(μ, σ²)`, such as `N(0, 1)`
  std::string method() const;                           ///< `mean, normal pivot (exact)`
  std::string observed(double z, std::size_t n) const;  ///< `mean 0.1 (z = 2)`; n at least 1
  std::string effect_text(double shift) const;  ///< `mean shifted by 0.1 standard deviations`

 private:
  boost::math::normal distribution_;
};

/// Checks the variance of normal draws with known mean: Σ(xᵢ − μ)²/σ² ~ χ²ₙ, exactly.
/// The effect is the ratio r > 1 by which the variance is too large or too small. Draws that are
/// normal with different variances, once divided by their own deviations, are draws of N(0, 1).
/// \implements{VarianceCheckKeepsItsOdds}
class VarianceCheck {
 public:
  using Observations = std::vector<double>;  ///< n independent draws, n at least 1

  /// \param distribution the normal distribution of each draw.
  explicit VarianceCheck(boost::math::normal distribution) : distribution_(distribution) {}

  /// T = Σ(xᵢ − μ)²/σ².
  /// \throws std::invalid_argument if there are no draws.
  /// \throws std::domain_error if a draw is not finite.
  double statistic(std::span<const double> sample) const;
  /// Twice the smaller of the two tails of χ²ₙ, at most 1.
  double p_value(double t, std::size_t n) const;
  /// The larger of F(b/r) − F(a/r) and F(br) − F(ar), F being the distribution function of χ²ₙ and
  /// a, b its quantiles at α/2 and 1 − α/2; exact. r is at least 1 and finite.
  double type_ii_error(std::size_t n, double alpha, double ratio) const;

  double no_effect() const { return 1; }  ///< the effect of no error: a ratio of 1
  /// The largest effect, ∞: a ratio may be of any size.
  double largest_effect() const { return std::numeric_limits<double>::infinity(); }
  std::string distribution() const;                     ///< the distribution, in words
  std::string method() const;                           ///< the comparison, in words
  std::string observed(double t, std::size_t n) const;  ///< the sample's variance, in words
  std::string effect_text(double ratio) const;          ///< an effect, in words

 private:
  boost::math::normal distribution_;
};

/// The count of an event, for a CountCheck.
struct Count {
  std::size_t successes;                       ///< times that it happened
  std::size_t trials;                          ///< times that it could have
  std::size_t size() const { return trials; }  ///< the number of observations
};

/// Checks the probability p of an event: the count among n trials is Bin(n, p), exactly.
///
/// Rejects if and only if p lies outside the count's Clopper–Pearson interval at level 1 − α, or on
/// an end of it; of no successes, or nothing but successes, one end is 0 or 1, which p is not. The
/// effect is the absolute difference between the true probability and p, in either direction.
/// Source: Clopper and Pearson, "The use of confidence or fiducial limits illustrated in the case
/// of the binomial" (1934).
/// \implements{CountCheckKeepsItsOdds}
class CountCheck {
 public:
  using Observations = Count;  ///< successes among n independent trials

  /// \param probability p, in (0, 1).
  /// \throws std::domain_error otherwise.
  explicit CountCheck(double probability);

  /// The number of successes.
  /// \throws std::invalid_argument if there are no trials, or fewer trials than successes.
  double statistic(const Count& count) const;
  /// Twice the smaller of Pr(X ≤ x) and Pr(X ≥ x), at most 1.
  double p_value(double successes, std::size_t n) const;
  /// The larger probability, under p − δ and p + δ, of a count that is not rejected; exact. A side
  /// on which no probability differs from p by as much as δ does not count. Not quite falling in n:
  /// one trial more may raise it, as counts come in whole steps. δ is from 0 to largest_effect().
  double type_ii_error(std::size_t n, double alpha, double difference) const;
  /// The probability of a rejection when p is true: at most α, mostly less, as counts are whole.
  double size(std::size_t n, double alpha) const;

  double no_effect() const { return 0; }  ///< the effect of no error: a difference of 0
  double largest_effect() const {
    return std::max(probability_, 1 - probability_);
  }                                                             ///< the greater of p and 1 − p
  std::string distribution() const;                             ///< the distribution, in words
  std::string method() const;                                   ///< the comparison, in words
  std::string observed(double successes, std::size_t n) const;  ///< the frequency, in words
  std::string effect_text(double difference) const;             ///< an effect, in words

 private:
  std::pair<double, double> accepted(std::size_t n, double alpha) const;

  double probability_;
};

/// Checks draws against a continuous distribution: D = sup|Fₙ − F|, with Pr(D ≥ ε) ≤ 2 exp(−2nε²).
///
/// F is continuous, and every F(x) asked for must be a number from 0 to 1. The effect is the
/// Kolmogorov distance sup|G − F| between F and the true distribution G.
/// Source: Massart, "The tight constant in the Dvoretzky–Kiefer–Wolfowitz inequality" (1990).
/// \tparam Distribution anything that models a Boost.Math distribution: `cdf(distribution, x)`
///         is used, and `support(distribution)` if there is one; a draw outside the support is no
///         error, but evidence.
/// \implements{DistributionCheckKeepsItsOdds}
template <class Distribution>
class CdfCheck {
 public:
  using Observations = std::vector<double>;  ///< n independent draws, n at least 1

  /// \param distribution the distribution of each draw, continuous.
  /// \param name         what it is called: `gamma(3, 2)`.
  CdfCheck(Distribution distribution, std::string name)
      : distribution_(std::move(distribution)), name_(std::move(name)) {}

  /// D = max over i of i/n − F(x₍ᵢ₎) and F(x₍ᵢ₎) − (i − 1)/n, for the sorted draws.
  /// \throws std::invalid_argument if there are no draws.
  /// \throws std::domain_error if a draw is not finite, or F at a draw is not a number from 0 to 1;
  ///         the message says where.
  double statistic(std::span<const double> sample) const;
  /// 2 exp(−2nD²), at most 1: a bound; D is at least 0.
  double p_value(double distance, std::size_t n) const;
  /// exp(−2n(Δ − ε)²) with ε = √(ln(2/α)/2n), or 1 if Δ ≤ ε: a bound, by Hoeffding's inequality at
  /// a point where the two distribution functions differ by Δ, from 0 to 1.
  double type_ii_error(std::size_t n, double alpha, double distance) const;

  double no_effect() const { return 0; }              ///< the effect of no error: a distance of 0
  double largest_effect() const { return 1; }         ///< distance 1, of disjoint supports
  std::string distribution() const { return name_; }  ///< the distribution, in words
  std::string method() const;                         ///< the comparison, in words
  std::string observed(double distance, std::size_t n) const;  ///< the distance, in words
  std::string effect_text(double distance) const;              ///< an effect, in words

 private:
  Distribution distribution_;
  std::string name_;
};

namespace detail {

/// Refuses a sample that says nothing of a distribution.
/// \throws std::invalid_argument if the sample is empty.
/// \throws std::domain_error if a draw is not finite; the message says which.
void require_sample(std::span<const double> sample);

/// Refuses a number that is not strictly between 0 and 1.
/// \throws std::domain_error unless 0 < probability < 1.
void require_probability(double probability, const char* name);

/// Refuses a size or an α that no check has.
/// \throws std::domain_error if n is 0, or α does not lie strictly between 0 and 1.
void require_size_and_alpha(std::size_t n, double alpha);

}  // namespace detail

namespace detail {

/// Refuses a value of a distribution function that is no probability.
void require_cdf_value(double value, double x, const std::string& name);

/// F(x), also outside the support, where Boost.Math refuses to answer.
template <class Distribution>
double cdf_anywhere(const Distribution& distribution, double x) {
  if constexpr (requires { support(distribution); }) {
    const auto [first, last] = support(distribution);
    if (x < first) return 0;
    if (x > last) return 1;
  }
  return static_cast<double>(cdf(distribution, x));
}

}  // namespace detail

//! [DistributionCheckKeepsItsOdds]
template <class Distribution>
double CdfCheck<Distribution>::statistic(std::span<const double> sample) const {
  detail::require_sample(sample);
  std::vector<double> sorted(sample.begin(), sample.end());
  std::sort(sorted.begin(), sorted.end());
  const double n = static_cast<double>(sorted.size());
  double distance = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const double f = detail::cdf_anywhere(distribution_, sorted[i]);
    detail::require_cdf_value(f, sorted[i], name_);
    const double before = static_cast<double>(i) / n;
    const double after = static_cast<double>(i + 1) / n;
    distance = std::max({distance, after - f, f - before});
  }
  return distance;
}

template <class Distribution>
double CdfCheck<Distribution>::p_value(double distance, std::size_t n) const {
  sqrtdk::detail::require_at_least("the distance", distance, 0);
  return std::min(1.0, 2 * std::exp(-2 * static_cast<double>(n) * distance * distance));
}

template <class Distribution>
double CdfCheck<Distribution>::type_ii_error(std::size_t n, double alpha, double distance) const {
  detail::require_size_and_alpha(n, alpha);
  sqrtdk::detail::require_in("the distance", distance, 0, 1);
  const double draws = static_cast<double>(n);
  const double epsilon = std::sqrt(std::log(2 / alpha) / (2 * draws));
  const double margin = std::max(0.0, distance - epsilon);
  return std::exp(-2 * draws * margin * margin);
}
//! [DistributionCheckKeepsItsOdds]

template <class Distribution>
std::string CdfCheck<Distribution>::method() const {
  return "distribution function, DKW-Massart (a bound)";
}

template <class Distribution>
std::string CdfCheck<Distribution>::observed(double distance, std::size_t) const {
  return "distance " + format_significant(distance, 4) + " from the distribution";
}

template <class Distribution>
std::string CdfCheck<Distribution>::effect_text(double distance) const {
  return "Kolmogorov distance " + format_significant(distance, 4);
}

}  // namespace sqrtdk::testing
