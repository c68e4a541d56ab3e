// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief The draws that a check needs to see an effect, and the effect that its draws show.
#pragma once

#include <sqrtdk/numbers/require.hpp>
#include <sqrtdk/testing/statistics/checks.hpp>

#include <cmath>
#include <cstddef>
#include <functional>
#include <string>

namespace sqrtdk::testing {

/// The error rates of a check: how often it may be wrong in each of the two ways.
struct ErrorRates {
  double alpha;  ///< probability of rejecting a true distribution, in (0, 1)
  double beta;   ///< probability of passing one that is wrong by the declared effect, in (0, 1)
};

namespace detail {

/// Refuses error rates that are no probabilities.
/// \throws std::domain_error unless α and β lie strictly between 0 and 1.
void require_error_rates(ErrorRates rates);

}  // namespace detail

/// The number of draws that a check needs: type_ii_error(n, α, effect) ≤ β.
/// The smallest such n if misses become rarer with every draw; for counts, which do not quite, an n
/// that suffices and whose predecessor does not.
/// \param check  any statistical check.
/// \param rates  α and β.
/// \param effect what must be seen, between the check's no_effect() and largest_effect().
/// \throws std::domain_error if an argument is out of range, the effect so small that more than 2⁴⁰
///         draws would be needed, or the check's probability of missing it not a number.
/// \implements{SmallEffectsNeedManyDraws}
/// \relatesalso ErrorRates
template <StatisticalCheck Check>
std::size_t sample_size(const Check& check, ErrorRates rates, double effect);

/// The smallest effect that n draws see: type_ii_error(n, α, effect) ≤ β, rounded up to six digits.
/// \param check any statistical check.
/// \param rates α and β.
/// \param n     how many draws there are, at least 1.
/// \return the effect, or infinity if even the largest one would be missed too often.
/// \throws std::domain_error if α or β is out of range, n is 0, or a type II error not a number.
/// \relatesalso ErrorRates
template <StatisticalCheck Check>
double smallest_effect(const Check& check, ErrorRates rates, std::size_t n);

namespace detail {

/// A check without its type, as far as these searches ask for it.
struct MissesOfACheck {
  double no_effect;
  double largest_effect;
  std::function<double(std::size_t n, double effect)> type_ii_error;  ///< at the α of the check
  std::function<std::string(double effect)> effect_text;
};

template <StatisticalCheck Check>
MissesOfACheck misses_of(const Check& check, double alpha) {
  return {check.no_effect(), check.largest_effect(),
          [&check, alpha](std::size_t n, double effect) {
            const double missed = check.type_ii_error(n, alpha, effect);
            sqrtdk::detail::require_that(
                !std::isnan(missed), "the probability of missing an effect", missed, "be a number");
            return missed;
          },
          [&check](double effect) { return check.effect_text(effect); }};
}

std::size_t sample_size(const MissesOfACheck& check, ErrorRates rates, double effect);
double smallest_effect(const MissesOfACheck& check, ErrorRates rates, std::size_t n);

}  // namespace detail

template <StatisticalCheck Check>
std::size_t sample_size(const Check& check, ErrorRates rates, double effect) {
  return detail::sample_size(detail::misses_of(check, rates.alpha), rates, effect);
}

template <StatisticalCheck Check>
double smallest_effect(const Check& check, ErrorRates rates, std::size_t n) {
  return detail::smallest_effect(detail::misses_of(check, rates.alpha), rates, n);
}

}  // namespace sqrtdk::testing
