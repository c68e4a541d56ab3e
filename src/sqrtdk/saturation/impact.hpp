// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref saturation : what scaling takes from the few keys, and leaves to a match.
#pragma once

#include <sqrtdk/numbers/interval.hpp>
#include <sqrtdk/numbers/require.hpp>
#include <sqrtdk/saturation/score_means.hpp>

#include <algorithm>
#include <cmath>

namespace sqrtdk {

/// E Σpᵢ² without scaling less E Σpᵢ² with it, at the standard deviations σ√d and σ: how much of
/// the weight scaling takes from the few.
/// \param count     n, from 1 to most_condensing_keys.
/// \param dimension d, at least 1.
/// \param deviation σ, the product of the standard deviations of an entry of q and one of k; σ is
///                  at least ½ and σ√d at most 64.
/// \throws std::domain_error if an argument is out of range.
/// \implements{WhenScalingMatters}
double scaling_impact(double count, double dimension, double deviation);

/// E ln p, the mean log weight of a match: a key of a fixed score h among n others βZ₁, …, βZₙ.
/// \param count        n, from 1 to most_condensing_keys.
/// \param score_stddev β, from ½ to 64.
/// \param match        h, from −512 to 512.
/// \throws std::domain_error if an argument is out of range.
/// \maxerror{mean_error_bound}
/// \implements{WhenScalingMatters}
double mean_log_match(double count, double score_stddev, double match);

/// −ln(1 + n e^(β²/2 − h)) ≤ E ln p ≤ −ln(1 + e^(F − h)) for the match of mean_log_match(), with F
/// for mean_log_sum().
/// \param count        n, from 1 to most_condensing_keys.
/// \param score_stddev β, from ½ to 64.
/// \param match        h, any number.
/// \throws std::domain_error if an argument is out of range.
/// \implements{WhenScalingMatters}
Interval<double> log_match_bounds(double count, double score_stddev, double match);

// Implementation

//! [WhenScalingMatters]
inline double scaling_impact(double count, double dimension, double deviation) {
  detail::require_at_least("the dimension", dimension, 1);
  return mean_squared_weights(count, deviation * std::sqrt(dimension)) -
         mean_squared_weights(count, deviation);
}

inline double mean_log_match(double count, double score_stddev, double match) {
  detail::require_in("the score of the match", match, -512, 512);
  return match - score_means(count, score_stddev, match).log_sum;
}

inline Interval<double> log_match_bounds(double count, double score_stddev, double match) {
  const auto log_one_plus_exp = [](double x) {
    return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
  };
  return {-log_one_plus_exp(std::log(count) + score_stddev * score_stddev / 2 - match),
          -log_one_plus_exp(mean_log_sum(count, score_stddev) - match)};
}
//! [WhenScalingMatters]

}  // namespace sqrtdk
