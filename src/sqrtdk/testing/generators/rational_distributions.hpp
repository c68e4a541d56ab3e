// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Random rational numbers and random finite distributions, which shrink to simple ones.
#pragma once

#include <sqrtdk/moments/finite_distribution.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/testing/generators/rapidcheck_internals.hpp>  // so that all programs show numbers alike

#include <rapidcheck.h>

#include <cstddef>
#include <utility>
#include <vector>

namespace sqrtdk::testing {

/// Numbers that look simpler than x, the simplest first; small integers also lose 1 at a time.
std::vector<Rational> shrinks(const Rational& x);

/// The same numbers, with shrinking towards simple ones instead of towards the ends of ranges.
rc::Gen<Rational> shrinking_to_simple(const rc::Gen<Rational>& numbers);

/// 10^30, the size of the huge numbers of any_rational().
Rational ten_to_the_thirtieth();

/// A rational number: small integers, fractions, and some huge or tiny ones (about 10^±30).
rc::Gen<Rational> any_rational();

/// A rational number other than 0, of the same kinds.
rc::Gen<Rational> nonzero_rational();

/// A distribution of one to five rational numbers: even, skewed (weights 1 to 10^9) or degenerate.
rc::Gen<RationalDistribution> any_distribution();

/// A distribution with mean 0 and any variance, 0 included.
rc::Gen<RationalDistribution> centred_distribution();

/// Mean 0 and variance exactly 1: a mixture of skewed two-point distributions, or {−c, 0, c}.
rc::Gen<RationalDistribution> standardized_distribution();

/// A joint distribution of two to four numbers with any dependence, as vectors of one length.
rc::Gen<FiniteDistribution<std::vector<Rational>>> any_joint_distribution();

/// A positive integer as an unnormalized probability: often below 10, sometimes up to 10^9.
rc::Gen<int> weight();

/// Positive weights, divided by their sum.
std::vector<Rational> normalized(const std::vector<int>& weights);

/// The distribution of weighted outcomes, from a list that RapidCheck knows how to shrink.
template <class Outcome>
FiniteDistribution<Outcome> weighted(const std::vector<std::pair<Outcome, int>>& list);

/// A list of one to `most` weighted outcomes.
template <class Outcome>
rc::Gen<std::vector<std::pair<Outcome, int>>> weighted_list(const rc::Gen<Outcome>& outcome,
                                                            int most);

template <class Outcome>
FiniteDistribution<Outcome> weighted(const std::vector<std::pair<Outcome, int>>& list) {
  std::vector<Outcome> outcomes;
  std::vector<int> weights;
  for (const auto& [outcome, weight] : list) {
    outcomes.push_back(outcome);
    weights.push_back(weight);
  }
  return {outcomes, normalized(weights)};
}

template <class Outcome>
rc::Gen<std::vector<std::pair<Outcome, int>>> weighted_list(const rc::Gen<Outcome>& outcome,
                                                            int most) {
  return rc::gen::mapcat(rc::gen::inRange(1, most + 1), [=](int count) {
    return rc::gen::container<std::vector<std::pair<Outcome, int>>>(
        static_cast<std::size_t>(count), rc::gen::pair(outcome, weight()));
  });
}

}  // namespace sqrtdk::testing
