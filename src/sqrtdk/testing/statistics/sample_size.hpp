// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief How many draws a check needs to see an effect, and what it sees with the draws it has.
#pragma once

#include <sqrtdk/testing/statistics/checks.hpp>

#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>

namespace sqrtdk::testing {

/// The odds of a check: how often it may be wrong in each of the two ways.
struct Odds {
  double alpha;  ///< probability of rejecting a true law, in (0, 1)
  double beta;   ///< probability of passing a law that is wrong by the declared effect, in (0, 1)
};

/// How many draws a check needs: miss(n, α, effect) ≤ β.
///
/// The smallest such n if misses become rarer with every draw; for counts, which are not quite like
/// that, an n that suffices and whose predecessor does not.
/// \param check  any statistical check.
/// \param odds   α and β.
/// \param effect what must be seen, between the check's no_effect() and largest_effect().
/// \throws std::domain_error if an argument is out of range, std::length_error if more than 2⁴⁰
/// draws
///         would be needed.
template <StatisticalCheck Check>
std::size_t sample_size(const Check& check, Odds odds, double effect);

/// The smallest effect that n draws see: miss(n, α, effect) ≤ β, to six digits and rounded up.
/// \param check any statistical check.
/// \param odds  α and β.
/// \param n     how many draws there are, at least 1.
/// \return the effect, or infinity if even the largest one would be missed too often.
/// \throws std::domain_error if α or β is out of range, std::invalid_argument if n is 0.
template <StatisticalCheck Check>
double smallest_effect(const Check& check, Odds odds, std::size_t n);

// ------------------------------------------------------------------------------------------------

namespace detail {

inline void require_odds(Odds odds) {
  require_probability(odds.alpha, "alpha");
  require_probability(odds.beta, "beta");
}

}  // namespace detail

template <StatisticalCheck Check>
std::size_t sample_size(const Check& check, Odds odds, double effect) {
  detail::require_odds(odds);
  if (!(effect > check.no_effect() && effect <= check.largest_effect() && std::isfinite(effect)))
    throw std::domain_error("the effect is " + exact_text(effect) + ", but must be above " +
                            exact_text(check.no_effect()) + ", at most " +
                            exact_text(check.largest_effect()) + ", and finite");
  //! [SmallEffectsNeedManyDraws]
  const auto suffices = [&](std::size_t n) {
    return check.miss(n, odds.alpha, effect) <= odds.beta;
  };
  std::size_t enough = 1;
  while (!suffices(enough)) {
    if (enough >= std::size_t{1} << 40)
      throw std::length_error("more than 2^40 draws are needed to see a " + check.wrong_by(effect) +
                              "; check a larger effect");
    enough *= 2;
  }
  for (std::size_t few = enough / 2; enough - few > 1;) {
    const std::size_t middle = few + (enough - few) / 2;
    (suffices(middle) ? enough : few) = middle;
  }
  return enough;
  //! [SmallEffectsNeedManyDraws]
}

template <StatisticalCheck Check>
double smallest_effect(const Check& check, Odds odds, std::size_t n) {
  detail::require_odds(odds);
  if (n == 0) throw std::invalid_argument("the sample is empty, but needs at least 1 draw");
  const auto seen = [&](double effect) { return check.miss(n, odds.alpha, effect) <= odds.beta; };
  const double none = check.no_effect();
  double excess = 1;  // of a seen effect over none
  if (std::isfinite(check.largest_effect())) {
    excess = check.largest_effect() - none;
    if (!seen(check.largest_effect())) return std::numeric_limits<double>::infinity();
  }
  while (!seen(none + excess)) {
    if (excess > 0x1p500) return std::numeric_limits<double>::infinity();
    excess *= 2;
  }
  double unseen = 0;
  while (excess - unseen > 0x1p-20 * excess) {
    const double middle = (unseen + excess) / 2;
    (seen(none + middle) ? excess : unseen) = middle;
  }
  return none + excess;
}

}  // namespace sqrtdk::testing
