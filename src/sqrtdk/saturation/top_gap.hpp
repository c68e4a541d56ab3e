// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref saturation : by how much the largest of random scores exceeds the others.
#pragma once

#include <sqrtdk/numbers/columns.hpp>
#include <sqrtdk/numbers/interval.hpp>
#include <sqrtdk/numbers/require.hpp>
#include <sqrtdk/softmax_jacobian/mean_norms.hpp>

#include <Eigen/Core>
#include <boost/math/constants/constants.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace sqrtdk {

/// \name The top gap
/// Scores s = βZ with Z₁, …, Zₙ independent N(0, 1). Their standard deviation β is √d for unscaled
/// scores, 1 for scaled ones.
/// \{

/// P(γ > g) = n ∫ φ(x) Φ(x − g)^(n−1) dx, where γ is the gap between the largest Zᵢ and the next.
/// \param count n, from 2 to most_integrable_keys.
/// \param gap   g, at least 0.
/// \throws std::domain_error if an argument is out of range.
/// \maxerror{integral_error_bound}
/// \implements{OneScoreDominates}
double top_gap_tail(std::size_t count, double gap);

/// min(1, t·E max(Z₁, …, Zₙ)/β) ≥ P(the gap at the top of n scores < t).
/// \param count        n, from 2 to most_integrable_keys.
/// \param score_stddev β, greater than 0.
/// \param gap          t, at least 0.
/// \throws std::domain_error if an argument is out of range.
/// \implements{OneScoreDominates}
double small_gap_bound(std::size_t count, double score_stddev, double gap);

/// P(gap ≥ ln((n − 1)x/(1 − x))) ≤ P(p_max ≥ x) ≤ P(gap ≥ ln(x/(1 − x))): both ends are integrals.
/// \param count        n, from 2 to most_integrable_keys.
/// \param score_stddev β, greater than 0.
/// \param level        x, from ½ to 1, both excluded.
/// \throws std::domain_error if an argument is out of range.
/// \implements{OneScoreDominates}
Interval<double> dominance_bounds(std::size_t count, double score_stddev, double level);

/// P(p_max > x) = erfc(ln(x/(1 − x))/2β) for two keys.
/// \param score_stddev β, greater than 0.
/// \param level        x, from ½ to 1, both excluded.
/// \throws std::domain_error if an argument is out of range.
/// \implements{OneScoreDominates}
double two_key_dominance(double score_stddev, double level);
/// \}

// Implementation

//! [OneScoreDominates]
inline double top_gap_tail(std::size_t count, double gap) {
  detail::require_integrable_keys(count);
  detail::require_at_least("the gap", gap, 0);
  constexpr Eigen::Index reach = 9 * 512;
  const double n = static_cast<double>(count);
  Eigen::ArrayXd terms(2 * reach + 1);
  for (Eigen::Index i = -reach; i <= reach; ++i) {
    const double x = static_cast<double>(i) / 512;
    const double below = std::erfc((gap - x) / boost::math::constants::root_two<double>()) / 2;
    terms[i + reach] = std::exp(-x * x / 2) * std::pow(below, n - 1);
  }
  return n / boost::math::constants::root_two_pi<double>() * pairwise_sum(terms) / 512;
}

inline Interval<double> dominance_bounds(std::size_t count, double score_stddev, double level) {
  detail::require_positive("the standard deviation of a score", score_stddev);
  detail::require_between("the level", level, 0.5, 1);
  const double two = std::log(level / (1 - level));
  const double all = two + std::log(static_cast<double>(count - 1));
  return {top_gap_tail(count, all / score_stddev), top_gap_tail(count, two / score_stddev)};
}

inline double two_key_dominance(double score_stddev, double level) {
  detail::require_positive("the standard deviation of a score", score_stddev);
  detail::require_between("the level", level, 0.5, 1);
  return std::erfc(std::log(level / (1 - level)) / (2 * score_stddev));
}

inline double small_gap_bound(std::size_t count, double score_stddev, double gap) {
  detail::require_positive("the standard deviation of a score", score_stddev);
  detail::require_at_least("the gap", gap, 0);
  return std::min(1.0, gap * expected_maximum(count) / score_stddev);
}
//! [OneScoreDominates]

}  // namespace sqrtdk
