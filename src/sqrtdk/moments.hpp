// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref moments : moments of finite distributions, and the rules for them.
#pragma once

#include <sqrtdk/moments/finite_distribution.hpp>
#include <sqrtdk/numbers/interval.hpp>
#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/numbers/require.hpp>

#include <algorithm>
#include <cstddef>
#include <ostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace sqrtdk {

/// Mean and variance, all that the rules of this chapter need to know of a distribution.
class Moments {
 public:
  /// \param mean     any number.
  /// \param variance at least 0.
  /// \throws std::domain_error if the variance is negative.
  Moments(Rational mean, Rational variance);

  const Rational& mean() const { return mean_; }          ///< the mean E X, any number
  const Rational& variance() const { return variance_; }  ///< the variance E (X − E X)², at least 0

  /// Equal means and equal variances.
  friend bool operator==(const Moments&, const Moments&) = default;

 private:
  Rational mean_;
  Rational variance_;
};

/// E Xⁿ.
/// \param distribution a distribution of numbers.
/// \param n            the order, at least 0.
/// \relatesalso FiniteDistribution
template <class Scalar>
Scalar raw_moment(const FiniteDistribution<Scalar>& distribution, unsigned n);

/// E (X − E X)ⁿ.
/// \param distribution a distribution of numbers.
/// \param n            the order, at least 0.
/// \relatesalso FiniteDistribution
template <class Scalar>
Scalar central_moment(const FiniteDistribution<Scalar>& distribution, unsigned n);

/// The mean E X = Σpx over the outcomes; exact for rational numbers.
/// \relatesalso FiniteDistribution
template <class Scalar>
Scalar mean(const FiniteDistribution<Scalar>& distribution);

/// Var X = E (X − E X)², the population variance: divided by n for a list of n numbers.
/// \relatesalso FiniteDistribution
template <class Scalar>
Scalar variance(const FiniteDistribution<Scalar>& distribution);

/// Mean and variance of a distribution.
/// \relatesalso FiniteDistribution
Moments moments(const RationalDistribution& distribution);

/// Cov(X, Y) = E (X − E X)(Y − E Y) of a joint distribution.
/// \relatesalso FiniteDistribution
template <class Scalar>
Scalar covariance(const FiniteDistribution<std::pair<Scalar, Scalar>>& joint);

/// Var X = E X² − (E X)².
/// \param mean        E X.
/// \param mean_square E X², at least (E X)².
/// \throws std::domain_error if no distribution has these moments.
/// \implements{VarianceIsMeanSquare}
Rational variance_from_mean_square(const Rational& mean, const Rational& mean_square);

/// E XY = E X · E Y for independent X and Y.
/// \param x moments of X.
/// \param y moments of Y.
/// \implements{IndependentProductMean}
/// \relatesalso Moments
Rational product_mean(const Moments& x, const Moments& y);

/// Var XY = σx²σy² + μx²σy² + μy²σx² for independent X and Y.
/// \param x moments of X.
/// \param y moments of Y.
/// \implements{IndependentProductVariance}
/// \relatesalso Moments
Rational product_variance(const Moments& x, const Moments& y);

/// Var ΣXᵢ = ΣVar Xᵢ for pairwise uncorrelated Xᵢ.
/// \param variances Var Xᵢ, each at least 0; the empty sum has variance 0.
/// \throws std::domain_error if a variance is negative.
/// \implements{VarianceOfSum}
Rational variance_of_sum(const std::vector<Rational>& variances);

/// Var(X/c) = Var X / c².
/// \param variance Var X, at least 0.
/// \param divisor  c, not 0; its sign does not matter.
/// \throws std::domain_error if the divisor is 0 or the variance negative.
/// \implements{VarianceUnderScaling}
Rational variance_after_division(const Rational& variance, const Rational& divisor);

/// Chebyshev's bound: the most that P(|X − E X| ≥ t) can be, σ²/t² or 1.
/// \param variance σ², at least 0.
/// \param distance t, greater than 0.
/// \throws std::domain_error if an argument is out of range.
/// \implements{VarianceBoundsDeviations}
Rational chebyshev_bound(const Rational& variance, const Rational& distance);

/// The least that P(|X − E X| ≥ t) can be if no deviation exceeds r: (σ² − t²)/(r² − t²) or 0.
/// \param variance σ², from 0 to r².
/// \param distance t, greater than 0 and less than r.
/// \param reach    r.
/// \throws std::domain_error if an argument is out of range.
/// \implements{VarianceBoundsDeviations}
Rational min_deviation_probability(const Rational& variance, const Rational& distance,
                                   const Rational& reach);

/// Bounds (b − a)²/2n and (b − a)²/4 on the variance of n numbers from a to b, both among them.
/// \param count n, at least 2.
/// \param min   a.
/// \param max   b, at least a.
/// \throws std::domain_error if an argument is out of range.
/// \implements{RangeBoundsVariance}
/// \relatesalso Interval
Interval<Rational> variance_bounds(std::size_t count, const Rational& min, const Rational& max);

/// Var ΣXᵢ = ΣᵢΣⱼ Cov(Xᵢ, Xⱼ), whatever the dependence.
/// \param joint a joint distribution of vectors of one length.
/// \throws std::invalid_argument if two outcomes differ in length.
/// \implements{VarianceOfSum}
/// \relatesalso FiniteDistribution
Rational variance_of_dependent_sum(const FiniteDistribution<std::vector<Rational>>& joint);

/// Writes `mean 0, variance 1`.
/// \relatesalso Moments
std::ostream& operator<<(std::ostream& out, const Moments& moments);

// Implementation

namespace detail {

inline void require_equal_lengths(const FiniteDistribution<std::vector<Rational>>& joint,
                                  std::size_t width) {
  for (const auto& atom : joint.atoms())
    if (atom.outcome.size() != width)
      throw std::invalid_argument(
          "a joint distribution has outcomes of lengths " + std::to_string(width) + " and " +
          std::to_string(atom.outcome.size()) + ", but they must have one length");
}

}  // namespace detail

inline Moments::Moments(Rational mean, Rational variance)
    : mean_(std::move(mean)), variance_(std::move(variance)) {
  detail::require_at_least("the variance", variance_, 0);
}

template <class Scalar>
Scalar raw_moment(const FiniteDistribution<Scalar>& distribution, unsigned n) {
  return distribution.expectation([n](const Scalar& x) {
    Scalar power(1);
    for (unsigned i = 0; i < n; ++i) power *= x;
    return power;
  });
}

template <class Scalar>
Scalar central_moment(const FiniteDistribution<Scalar>& distribution, unsigned n) {
  const Scalar centre = mean(distribution);
  return raw_moment(distribution.image([&](const Scalar& x) { return Scalar(x - centre); }), n);
}

template <class Scalar>
Scalar mean(const FiniteDistribution<Scalar>& distribution) {
  return raw_moment(distribution, 1);
}

template <class Scalar>
Scalar variance(const FiniteDistribution<Scalar>& distribution) {
  return central_moment(distribution, 2);
}

inline Moments moments(const RationalDistribution& distribution) {
  return {mean(distribution), variance(distribution)};
}

template <class Scalar>
Scalar covariance(const FiniteDistribution<std::pair<Scalar, Scalar>>& joint) {
  const Scalar x_mean = joint.expectation([](const auto& xy) { return xy.first; });
  const Scalar y_mean = joint.expectation([](const auto& xy) { return xy.second; });
  return joint.expectation(
      [&](const auto& xy) { return Scalar((xy.first - x_mean) * (xy.second - y_mean)); });
}

//! [VarianceIsMeanSquare]
inline Rational variance_from_mean_square(const Rational& mean, const Rational& mean_square) {
  const Rational variance = mean_square - mean * mean;
  detail::require_at_least("the variance", variance, 0);
  return variance;
}
//! [VarianceIsMeanSquare]

//! [IndependentProductMean]
inline Rational product_mean(const Moments& x, const Moments& y) { return x.mean() * y.mean(); }
//! [IndependentProductMean]

//! [IndependentProductVariance]
inline Rational product_variance(const Moments& x, const Moments& y) {
  return x.variance() * y.variance() +         // σx²σy²
         x.mean() * x.mean() * y.variance() +  // μx²σy²
         y.mean() * y.mean() * x.variance();   // μy²σx²
}
//! [IndependentProductVariance]

//! [VarianceOfSum]
inline Rational variance_of_sum(const std::vector<Rational>& variances) {
  Rational total = 0;
  for (const Rational& variance : variances) {
    detail::require_at_least("the variance", variance, 0);
    total += variance;
  }
  return total;
}

inline Rational variance_of_dependent_sum(const FiniteDistribution<std::vector<Rational>>& joint) {
  const std::size_t width = joint.atoms().front().outcome.size();
  detail::require_equal_lengths(joint, width);
  Rational total = 0;
  for (std::size_t i = 0; i < width; ++i)
    for (std::size_t j = 0; j < width; ++j)
      total += covariance(joint.image([=](const auto& x) { return std::pair(x[i], x[j]); }));
  return total;
}
//! [VarianceOfSum]

//! [VarianceUnderScaling]
inline Rational variance_after_division(const Rational& variance, const Rational& divisor) {
  detail::require_that(divisor != 0, "the divisor", divisor, "not be 0");
  detail::require_at_least("the variance", variance, 0);
  return variance / (divisor * divisor);
}
//! [VarianceUnderScaling]

//! [VarianceBoundsDeviations]
inline Rational chebyshev_bound(const Rational& variance, const Rational& distance) {
  detail::require_at_least("the variance", variance, 0);
  detail::require_positive("the distance", distance);
  return std::min(Rational(1), Rational(variance / (distance * distance)));
}

inline Rational min_deviation_probability(const Rational& variance, const Rational& distance,
                                          const Rational& reach) {
  detail::require_at_least("the variance", variance, 0);
  detail::require_positive("the distance", distance);
  detail::require_that(reach > distance && reach * reach >= variance, "the reach", reach,
                       "exceed the distance, and its square be no less than the variance");
  const Rational square = distance * distance;
  return std::max(Rational(0), Rational((variance - square) / (reach * reach - square)));
}
//! [VarianceBoundsDeviations]

//! [RangeBoundsVariance]
inline Interval<Rational> variance_bounds(std::size_t count, const Rational& min,
                                          const Rational& max) {
  detail::require_at_least("the number of values", count, 2U);
  detail::require_that(min <= max, "the greatest value", max,
                       "be at least the least, " + to_text(min));
  const Rational range = max - min;
  return {range * range / Rational(2 * count), range * range / 4};
}
//! [RangeBoundsVariance]

inline std::ostream& operator<<(std::ostream& out, const Moments& moments) {
  return out << "mean " << moments.mean() << ", variance " << moments.variance();
}

}  // namespace sqrtdk
