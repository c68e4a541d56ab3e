// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref saturation : the entropy of attention weights, and what it loses.
#pragma once

#include <sqrtdk/numbers/interval.hpp>
#include <sqrtdk/numbers/require.hpp>
#include <sqrtdk/saturation/score_means.hpp>
#include <sqrtdk/softmax_jacobian/mean_norms.hpp>

#include <Eigen/Core>
#include <boost/math/constants/constants.hpp>

#include <cmath>
#include <cstddef>
#include <limits>

namespace sqrtdk {

/// e^(E H), the effective number of positions that are attended to.
/// \param count        n, from 1 to most_condensing_keys.
/// \param score_stddev β, from ½ to 64.
/// \throws std::domain_error if an argument is out of range.
/// \implements{InformationLoss}
double effective_positions(double count, double score_stddev);

/// ln n − β²(1 − 1/n)/2, which the mean entropy reaches at least: at β = 1, more than n/√e
/// positions.
/// \param count        n, at least 1 and finite.
/// \param score_stddev β, at least 0 and finite.
/// \return −∞ where the number is below all that a double can hold.
/// \throws std::domain_error if an argument is out of range.
/// \implements{ScaledSpreads}
double entropy_at_least(double count, double score_stddev);

/// h(u) = ln(1 + e^(−u)) + u/(1 + e^u): the entropy of two weights whose scores differ by u.
/// \param gap u, any number, infinite ones too: there h is 0.
/// \implements{InformationLoss}
template <class Real>
Real two_key_entropy(const Real& gap);

/// h(γ) ≤ H ≤ Σh(δᵢ): the entropy of n weights between that of the two largest alone and the sum
/// over all pairs with the largest, δᵢ being how far score i is below the largest and γ the
/// smallest such gap.
/// \param scores s, n finite numbers, n at least 2.
/// \throws std::invalid_argument if there are fewer than two scores.
/// \implements{InformationLoss}
template <class S>
Interval<typename S::Scalar> entropy_from_gaps(const Eigen::MatrixBase<S>& scores);

/// (π²/6)·E M: the limit of β·E H as β → ∞, where M is the largest of n independent N(0, 1).
/// \param count n, from 2 to most_integrable_keys.
/// \throws std::domain_error if n is out of range.
/// \implements{InformationLoss}
double entropy_constant(std::size_t count);

/// Bounds of E H: (π²/6)E M/β within −(9ζ(3)/4)K/β² − (7π⁴/360)E M/β³ and (9ζ(3)/4)K/β²,
/// K = n(n − 1)(n − 2)/(4√2π).
/// \param count        n, from 2 to most_integrable_keys.
/// \param score_stddev β, greater than 0.
/// \return never NaN; −∞ or ∞ where β is so small that a double cannot hold the bound.
/// \throws std::domain_error if an argument is out of range.
/// \implements{InformationLoss}
Interval<double> entropy_bounds(std::size_t count, double score_stddev);

// Implementation

//! [ScaledSpreads]
inline double entropy_at_least(double count, double score_stddev) {
  detail::require_at_least_finite("the number of keys", count, 1);
  detail::require_at_least_finite("the standard deviation of a score", score_stddev, 0);
  // In this order 0 of a single key stays 0 where β² overflows.
  return std::log(count) - (1 - 1 / count) / 2 * score_stddev * score_stddev;
}
//! [ScaledSpreads]

//! [InformationLoss]
inline double effective_positions(double count, double score_stddev) {
  return std::exp(mean_entropy(count, score_stddev));
}

template <class Real>
Real two_key_entropy(const Real& gap) {
  using std::abs;
  using std::exp;
  using std::log1p;
  const Real u = abs(gap);
  const Real ratio = exp(-u);
  if (ratio == 0) return Real(0);  // also for an infinite u, which times 0 is no number
  return log1p(ratio) + u * ratio / (1 + ratio);
}

template <class S>
Interval<typename S::Scalar> entropy_from_gaps(const Eigen::MatrixBase<S>& scores) {
  using Scalar = typename S::Scalar;
  detail::require_size("scores", scores.size(), 2);
  Eigen::Index top = 0;
  const Scalar largest = scores.maxCoeff(&top);
  Scalar lower(0), sum(0);
  for (Eigen::Index i = 0; i < scores.size(); ++i) {
    if (i == top) continue;
    const Scalar entropy = two_key_entropy<Scalar>(largest - scores[i]);
    if (entropy > lower) lower = entropy;
    sum += entropy;
  }
  return {lower, sum};
}

inline double entropy_constant(std::size_t count) {
  return boost::math::constants::pi_sqr_div_six<double>() * expected_maximum(count);
}

inline Interval<double> entropy_bounds(std::size_t count, double score_stddev) {
  detail::require_positive("the standard deviation of a score", score_stddev);
  using namespace boost::math::constants;
  const double maximum = expected_maximum(count);
  const double n = static_cast<double>(count);
  const double K = n * (n - 1) * (n - 2) / (4 * root_two<double>() * pi<double>());
  // One division after the other: β² may be 0, and K of two keys is 0, which leaves no 0/0.
  const double third_key = 2.25 * zeta_three<double>() * K / score_stddev / score_stddev;
  const double curvature =
      7 * std::pow(pi<double>(), 4) / 360 * maximum / score_stddev / score_stddev / score_stddev;
  const double leading = entropy_constant(count) / score_stddev;
  const double lower = leading - third_key - curvature;
  // The subtracted terms are the larger ones where all overflow.
  return {std::isnan(lower) ? -std::numeric_limits<double>::infinity() : lower,
          leading + third_key};
}
//! [InformationLoss]

}  // namespace sqrtdk
