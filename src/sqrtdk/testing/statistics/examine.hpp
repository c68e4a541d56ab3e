// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief The verdict of a statistical check on a sample, with its odds, in any program.
#pragma once

#include <sqrtdk/testing/statistics/checks.hpp>
#include <sqrtdk/testing/statistics/number_text.hpp>
#include <sqrtdk/testing/statistics/sample_size.hpp>
#include <sqrtdk/testing/statistics/streams.hpp>

#include <cmath>
#include <concepts>
#include <cstddef>
#include <ostream>
#include <stdexcept>
#include <string>

namespace sqrtdk::testing {

/// What a check found in a sample, with the odds of being wrong.
struct Finding {
  std::string method;    ///< what was compared
  std::string law;       ///< with which law
  std::string observed;  ///< what the sample shows
  double statistic;      ///< the check's statistic
  double p_value;  ///< probability, or a bound on it, of a statistic like this if the law is true
  std::size_t n;   ///< how many draws
  Odds odds;       ///< α, and the β with which the effect is seen
  double effect;   ///< an effect that is seen with that β; infinity if none is
  std::string wrong_by;  ///< that effect, for people: what is less wrong could not have been seen
  bool rejected;         ///< whether p_value ≤ α
};

/// What a check must be able to see.
struct Declared {
  double effect;          ///< in the unit of the check, such as a variance ratio
  double beta = 0x1p-30;  ///< probability of missing it, in (0, 1)
};

/// Judges a sample whose size was given.
/// \param check  any statistical check.
/// \param sample what was observed.
/// \param odds   α and β.
/// \return the finding; its effect is the smallest one that so many draws see.
/// \throws std::invalid_argument or std::domain_error if the sample is empty or has a value that is
///         not finite, or if α or β is not a probability.
template <StatisticalCheck Check>
Finding examine(const Check& check, const typename Check::Observations& sample, Odds odds);

/// Judges a sample that must be large enough to see a declared effect.
/// \param check    any statistical check.
/// \param sample   what was observed.
/// \param alpha    the probability of a false alarm.
/// \param declared the effect and its β.
/// \throws std::invalid_argument if the sample is too small for that; else as above.
template <StatisticalCheck Check>
Finding examine(const Check& check, const typename Check::Observations& sample, double alpha,
                Declared declared);

/// Draws n observations in the form that a check wants.
/// \param n       how many.
/// \param sampler a callable `double(Stream&)`, or `bool(Stream&)` for a CountCheck.
/// \param stream  where the numbers come from.
template <StatisticalCheck Check, std::invocable<Stream&> Sampler>
typename Check::Observations observe(std::size_t n, Sampler&& sampler, Stream& stream);

/// Writes what a finding says, a line for each fact.
std::ostream& operator<<(std::ostream& out, const Finding& finding);

// ------------------------------------------------------------------------------------------------

namespace detail {

template <StatisticalCheck Check>
Finding judged(const Check& check, const typename Check::Observations& sample, Odds odds,
               double effect) {
  //! [MissingRootOfTwo]
  const double statistic = check.statistic(sample);
  const double p_value = check.p_value(statistic, sample.size());
  return {.method = check.method(),
          .law = check.law(),
          .observed = check.observed(statistic, sample.size()),
          .statistic = statistic,
          .p_value = p_value,
          .n = sample.size(),
          .odds = odds,
          .effect = effect,
          .wrong_by = std::isfinite(effect) ? check.wrong_by(effect) : "nothing: too few draws",
          .rejected = p_value <= odds.alpha};
  //! [MissingRootOfTwo]
}

}  // namespace detail

template <StatisticalCheck Check>
Finding examine(const Check& check, const typename Check::Observations& sample, Odds odds) {
  detail::require_odds(odds);
  check.statistic(sample);  // refuses a bad sample before anything is computed for it
  return detail::judged(check, sample, odds, smallest_effect(check, odds, sample.size()));
}

template <StatisticalCheck Check>
Finding examine(const Check& check, const typename Check::Observations& sample, double alpha,
                Declared declared) {
  const Odds odds{alpha, declared.beta};
  const std::size_t needed = sample_size(check, odds, declared.effect);
  if (sample.size() < needed)
    throw std::invalid_argument(
        "there are " + std::to_string(sample.size()) + " draws, but " + std::to_string(needed) +
        " are needed to see a " + check.wrong_by(declared.effect) +
        " with alpha = " + exact_text(alpha) + " and beta = " + exact_text(declared.beta));
  return detail::judged(check, sample, odds, declared.effect);
}

template <StatisticalCheck Check, std::invocable<Stream&> Sampler>
typename Check::Observations observe(std::size_t n, Sampler&& sampler, Stream& stream) {
  if constexpr (std::same_as<typename Check::Observations, Count>) {
    Count count{0, n};
    for (std::size_t i = 0; i < n; ++i) count.successes += sampler(stream) ? 1 : 0;
    return count;
  } else {
    return draws(
        n, [&](Stream& s) { return static_cast<double>(sampler(s)); }, stream);
  }
}

inline std::ostream& operator<<(std::ostream& out, const Finding& finding) {
  return out << (finding.rejected ? "the draws contradict the law\n"
                                  : "the draws do not contradict the law\n")
             << "  law       " << finding.law << '\n'
             << "  check     " << finding.method << '\n'
             << "  observed  " << finding.observed << '\n'
             << "  p-value   " << digits(finding.p_value, 4)
             << (finding.rejected ? " <= alpha = " : " > alpha = ")
             << exact_text(finding.odds.alpha) << '\n'
             << "  n         " << finding.n << '\n'
             << "  sees      " << finding.wrong_by << " (missed with probability "
             << exact_text(finding.odds.beta) << "); what is less wrong may pass\n";
}

}  // namespace sqrtdk::testing
