// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref saturation : from which scores, and how many keys, a softmax saturates.
#pragma once

#include <sqrtdk/numbers/interval.hpp>
#include <sqrtdk/numbers/require.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace sqrtdk {

/// r/(r + n − 1): the weight of a score x above n − 1 equal ones, r = e^x.
/// \param count n, at least 2.
/// \param ratio r, greater than 0; infinite, as e^x is from x = 710 on in a double, it has weight
///              1.
/// \throws std::domain_error if an argument is out of range.
/// \implements{SaturationThreshold}
template <class Real>
Real outlier_weight(std::size_t count, const Real& ratio);

/// The k-th derivative of outlier_weight() with respect to x = ln r, for k = 1, 2, 3: with p the
/// weight and u = p(1 − p), they are u, u(1 − 2p), u(1 − 6u).
/// \param count n, at least 2.
/// \param ratio r, greater than 0.
/// \param order k, from 1 to 3.
/// \throws std::domain_error if an argument is out of range.
/// \implements{SaturationThreshold}
template <class Real>
Real outlier_weight_derivative(std::size_t count, const Real& ratio, unsigned order);

/// \name Condensation
/// The scores of n keys condense on a few when their standard deviation exceeds √(2 ln n).
/// \{

/// √(2 ln n), the standard deviation at which scores begin to condense.
/// \param count n, greater than 1.
/// \throws std::domain_error if n is not greater than 1.
/// \implements{CondensationThreshold}
double critical_stddev(double count);

/// e^(β²/2), the number of keys with that critical standard deviation; e^(d/2) for β = √d.
/// \param score_stddev β, greater than 0.
/// \return ∞ from β = 37.7 on, where the number is beyond all that a double can hold.
/// \throws std::domain_error if β is not greater than 0.
/// \implements{CondensationThreshold}
double critical_count(double score_stddev);

/// max(0, 1 − √(2 ln n)/β): what E Σpᵢ² tends to as n → ∞ with β/√(2 ln n) fixed.
/// \param count        n, greater than 1.
/// \param score_stddev β, greater than 0.
/// \throws std::domain_error if an argument is out of range.
/// \implements{CondensationThreshold}
double condensed_fraction(double count, double score_stddev);

/// The limit of E ln Σe^(βZᵢ) / ln n: 1 + x² for x ≤ 1 and 2x above, x = β/√(2 ln n).
/// \param count        n, greater than 1.
/// \param score_stddev β, greater than 0.
/// \throws std::domain_error if an argument is out of range.
/// \implements{CondensationThreshold}
double free_energy_limit(double count, double score_stddev);

/// Bounds the deficit of the free energy of n keys from its limit, in units of ln n: with
/// ω = 1 − E M/√(2 ln n), 2ω for x ≤ 1 and 2xω above. It is never above.
/// \param count        n, greater than 1.
/// \param score_stddev β, greater than 0.
/// \param maximum      E M, the mean of the largest of n independent N(0, 1), or less.
/// \throws std::domain_error if an argument is out of range.
/// \implements{CondensationThreshold}
double free_energy_deficit(double count, double score_stddev, double maximum);

/// Bounds of E Σpᵢ² for every n and β: with x and ω as above, from 1 − (1 − ω)/x, or 0, to
/// 2ω/(1 − x²) for x < 1 and 1 − 1/x + ω/(x − 1) for x > 1, or 1.
/// \param count        n, greater than 1.
/// \param score_stddev β, greater than 0.
/// \param maximum      E M, exactly; or too small by δ, and then the lower bound is by δ/β.
/// \throws std::domain_error if an argument is out of range.
/// \implements{CondensationThreshold}
Interval<double> condensation_bounds(double count, double score_stddev, double maximum);
/// \}

// Implementation

//! [SaturationThreshold]
template <class Real>
Real outlier_weight(std::size_t count, const Real& ratio) {
  detail::require_at_least("the number of scores", count, 2U);
  detail::require_positive("the ratio", ratio);
  const Real others = Real(count - 1);
  return ratio > others ? Real(1 / (1 + others / ratio)) : Real(ratio / (ratio + others));
}

template <class Real>
Real outlier_weight_derivative(std::size_t count, const Real& ratio, unsigned order) {
  const Real p = outlier_weight(count, ratio);
  const Real u = p * (1 - p);
  if (order == 1) return u;
  if (order == 2) return u * (1 - 2 * p);
  detail::require_in("the order", order, 1U, 3U);
  return u * (1 - 6 * u);
}
//! [SaturationThreshold]

//! [CondensationThreshold]
inline double critical_stddev(double count) {
  detail::require_greater("the number of keys", count, 1);
  return std::sqrt(2 * std::log(count));
}

inline double critical_count(double score_stddev) {
  detail::require_positive("the standard deviation of a score", score_stddev);
  return std::exp(score_stddev * score_stddev / 2);
}

inline double condensed_fraction(double count, double score_stddev) {
  detail::require_positive("the standard deviation of a score", score_stddev);
  return std::max(0.0, 1 - critical_stddev(count) / score_stddev);
}

inline double free_energy_limit(double count, double score_stddev) {
  detail::require_positive("the standard deviation of a score", score_stddev);
  const double x = score_stddev / critical_stddev(count);
  return x <= 1 ? 1 + x * x : 2 * x;
}

inline double free_energy_deficit(double count, double score_stddev, double maximum) {
  detail::require_positive("the standard deviation of a score", score_stddev);
  const double x = score_stddev / critical_stddev(count);
  return 2 * std::max(x, 1.0) * (1 - maximum / critical_stddev(count));
}

inline Interval<double> condensation_bounds(double count, double score_stddev, double maximum) {
  detail::require_positive("the standard deviation of a score", score_stddev);
  const double x = score_stddev / critical_stddev(count);
  const double eta = 1 - maximum / critical_stddev(count);
  const double lower = std::max(0.0, 1 - (1 - eta) / x);
  if (x < 1) return {lower, std::min(1.0, 2 * eta / (1 - x * x))};
  return {lower, x > 1 ? std::min(1.0, 1 - 1 / x + eta / (x - 1)) : 1};
}
//! [CondensationThreshold]

}  // namespace sqrtdk
