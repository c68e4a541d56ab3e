// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref softmax : what the worked examples of the documents ask of weights, exactly.
#pragma once

#include <sqrtdk/numbers/exp_interval.hpp>
#include <sqrtdk/numbers/interval.hpp>
#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/numbers/require.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <vector>

namespace sqrtdk {

/// The least sum 1 − n·h/2 that n probabilities can have when each is rounded to a multiple of h.
/// \param count n, at least 1.
/// \param unit  h, greater than 0; 1/100 for two decimals.
/// \throws std::domain_error if an argument is out of range.
/// \implements{SpreadExample}
Rational least_sum_of_rounded(std::size_t count, const Rational& unit);

/// The sums S for which each e^(xᵢ)/S lies within [lᵢ, uᵢ]: from max e^(xᵢ)/uᵢ to min e^(xᵢ)/lᵢ.
/// There are none if the lower end of the result is above the upper one.
/// \param logits  n numbers, n at least 1.
/// \param weights for each of them an interval of positive numbers.
/// \throws std::invalid_argument if there is no logit, or not one interval for each.
/// \throws std::domain_error if an interval contains 0 or less.
/// \implements{SpreadExample}
/// \relatesalso Interval
Interval<Rational> sums_that_fit(const std::vector<Rational>& logits,
                                 const std::vector<Interval<Rational>>& weights);

/// The most (n − 1)/(r + n − 1) that all others can have together if the greatest weight is at
/// least r times each other. At most (n − 1)/r, so at most (n − 1)e^(−gap) for a softmax.
/// \param count n, at least 1.
/// \param ratio r, greater than 0.
/// \throws std::domain_error if an argument is out of range.
/// \implements{SoftmaxDominance}
Rational max_remaining_mass(std::size_t count, const Rational& ratio);

/// The ratio (n − 1)(1 − ε)/ε of a weight to n − 1 equal others that leaves them the mass ε; the
/// margin between the logits is its logarithm.
/// \param count          n, at least 2.
/// \param remaining_mass ε, between 0 and 1.
/// \throws std::domain_error if an argument is out of range.
/// \implements{AlmostAllWeightNeedsAGap}
Rational required_ratio(std::size_t count, const Rational& remaining_mass);

/// The margin ln((n − 1)(1 − ε)/ε) of a logit over n − 1 equal others that leaves them the mass ε.
/// \tparam Real a floating-point or Boost.Multiprecision type; the error is one rounding and that
///              of its logarithm.
/// \param count          n, at least 2.
/// \param remaining_mass ε, between 0 and 1.
/// \throws std::domain_error if an argument is out of range.
/// \implements{AlmostAllWeightNeedsAGap}
template <class Real>
Real min_logit_margin(std::size_t count, const Rational& remaining_mass);

/// The least dimension d in which a part δ of the standard deviation √d of a score is that margin:
/// δ√d ≥ ln((n − 1)(1 − ε)/ε).
/// \tparam Real a type in which the margin is computed, with digits enough that it decides.
/// \param count          n, at least 2.
/// \param remaining_mass ε, between 0 and 1.
/// \param deviations     δ, greater than 0.
/// \return d, at least 1.
/// \throws std::domain_error if an argument is out of range.
/// \implements{AlmostAllWeightNeedsAGap}
template <class Real>
std::size_t required_dimension(std::size_t count, const Rational& remaining_mass,
                               const Rational& deviations);

// Implementation

//! [SpreadExample]
inline Rational least_sum_of_rounded(std::size_t count, const Rational& unit) {
  detail::require_at_least("the number of probabilities", count, 1U);
  detail::require_positive("the unit", unit);
  return 1 - Rational(count) * unit / 2;
}

inline Interval<Rational> sums_that_fit(const std::vector<Rational>& logits,
                                        const std::vector<Interval<Rational>>& weights) {
  if (logits.empty() || logits.size() != weights.size())
    throw std::invalid_argument("there are " + to_text(weights.size()) + " intervals for " +
                                to_text(logits.size()) +
                                " logits, but there must be one for each, and at least one");
  std::vector<Interval<Rational>> sums;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    detail::require_positive("a weight", weights[i].lower);
    const Interval<Rational> e = exp_enclosure(logits[i]);
    sums.push_back({e.upper / weights[i].upper, e.lower / weights[i].lower});
  }
  Interval<Rational> all = sums[0];
  for (const Interval<Rational>& one : sums)
    all = {std::max(all.lower, one.lower), std::min(all.upper, one.upper)};
  return all;
}
//! [SpreadExample]

//! [SoftmaxDominance]
inline Rational max_remaining_mass(std::size_t count, const Rational& ratio) {
  detail::require_at_least("the number of weights", count, 1U);
  detail::require_positive("the ratio", ratio);
  const Rational others(count - 1);
  return others / (ratio + others);
}
//! [SoftmaxDominance]

//! [AlmostAllWeightNeedsAGap]
inline Rational required_ratio(std::size_t count, const Rational& remaining_mass) {
  detail::require_at_least("the number of logits", count, 2U);
  detail::require_between("the mass of the others", remaining_mass, 0, 1);
  return Rational(count - 1) * (1 - remaining_mass) / remaining_mass;
}

template <class Real>
Real min_logit_margin(std::size_t count, const Rational& remaining_mass) {
  using std::log;
  return log(static_cast<Real>(required_ratio(count, remaining_mass)));
}

template <class Real>
std::size_t required_dimension(std::size_t count, const Rational& remaining_mass,
                               const Rational& deviations) {
  using std::ceil;
  detail::require_positive("the part of a deviation", deviations);
  const Real root = min_logit_margin<Real>(count, remaining_mass) / static_cast<Real>(deviations);
  return root <= 1 ? 1 : static_cast<std::size_t>(ceil(Real(root * root)));
}
//! [AlmostAllWeightNeedsAGap]

}  // namespace sqrtdk
