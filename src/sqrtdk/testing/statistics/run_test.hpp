// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief The verdict of a statistical check on a sample, with its error rates, in any program.
#pragma once

#include <sqrtdk/testing/statistics/checks.hpp>
#include <sqrtdk/testing/statistics/sample_size.hpp>
#include <sqrtdk/testing/statistics/streams.hpp>

#include <cmath>
#include <concepts>
#include <cstddef>
#include <iosfwd>
#include <string>

namespace sqrtdk::testing {

/// The finding of a check in a sample, with its error rates.
///
/// \snippet examples/outside_distribution.cpp outside distribution
struct TestResult {
  std::string method;        ///< the comparison, in the check's words
  std::string distribution;  ///< the distribution, in words
  std::string observed;      ///< the observation, in the check's words
  double statistic;          ///< the check's statistic of the sample
  double p_value;    ///< probability of such a statistic under the distribution, or a bound on it
  std::size_t n;     ///< the number of draws
  ErrorRates rates;  ///< α, and the β with which the effect is seen
  double effect;     ///< an effect that is seen with that β; infinity if none is
  std::string effect_text;  ///< that effect, in words; what is less wrong may have been missed
  bool rejected;            ///< true if p_value ≤ α
};

/// The effect that a check must see: the argument of run_test() and expect_draws().
struct DetectableEffect {
  double effect;          ///< in the unit of the check, such as a variance ratio
  double beta = 0x1p-30;  ///< probability of missing it, in (0, 1)
};

/// Tests a sample whose size was given.
/// \param check  any statistical check.
/// \param sample what was observed.
/// \param rates  α and β.
/// \return the result; its effect is the smallest one that so many draws see.
/// \throws std::invalid_argument if the sample is empty, or a count is greater than its trials.
/// \throws std::domain_error if a draw is not finite, α or β is not strictly between 0 and 1, or the
///         check returns a p-value that is not a number from 0 to 1.
/// \relatesalso TestResult
template <StatisticalCheck Check>
TestResult run_test(const Check& check, const typename Check::Observations& sample,
                    ErrorRates rates);

/// Tests a sample whose size must be one that sees a declared effect.
/// \param check    any statistical check.
/// \param sample   what was observed.
/// \param alpha    the probability of a false alarm.
/// \param declared the effect and its β.
/// \return the result; its effect is the declared one.
/// \throws std::invalid_argument if a sample of that size misses the effect with a probability above
///         β, or a count is greater than its trials. So does a sample that is too small, and for
///         counts also one that is a little larger than sample_size().
/// \throws std::domain_error as for a sample whose size was given, or if the effect is out of the
///         check's range or so small that sample_size() refuses it.
/// \relatesalso TestResult
template <StatisticalCheck Check>
TestResult run_test(const Check& check, const typename Check::Observations& sample, double alpha,
                    DetectableEffect declared);

/// The verdict on a sample, when it is known what so many draws see.
/// \param check  any statistical check.
/// \param sample what was observed.
/// \param rates  α and β.
/// \param effect what the check sees in so many draws with that β; infinity if nothing.
/// \return the result.
/// \throws std::invalid_argument if the sample is empty, or a count is greater than its trials.
/// \throws std::domain_error if a draw is not finite, or the check returns a p-value that is not a
///         number from 0 to 1.
/// \implements{MissingRootOfTwo}
/// \relatesalso TestResult
template <StatisticalCheck Check>
TestResult result_of_test(const Check& check, const typename Check::Observations& sample,
                          ErrorRates rates, double effect);

/// Draws n observations in the form that a check wants.
/// \param n       how many.
/// \param sampler a callable `double(Stream&)`, or `bool(Stream&)` for a CountCheck.
/// \param stream  where the numbers come from.
template <StatisticalCheck Check, std::invocable<Stream&> Sampler>
typename Check::Observations draw_sample(std::size_t n, Sampler&& sampler, Stream& stream);

/// Writes what a result says, a line for each fact.
/// \relatesalso TestResult
std::ostream& operator<<(std::ostream& out, const TestResult& result);

namespace detail {

[[noreturn]] void refuse_sample(std::size_t size, std::size_t needed, const std::string& effect,
                                ErrorRates rates);

/// Refuses a p-value that no comparison with α could judge.
void require_p_value(double p_value, const std::string& method);

}  // namespace detail

template <StatisticalCheck Check>
TestResult result_of_test(const Check& check, const typename Check::Observations& sample,
                          ErrorRates rates, double effect) {
  //! [MissingRootOfTwo]
  const double statistic = check.statistic(sample);
  const double p_value = check.p_value(statistic, sample.size());
  detail::require_p_value(p_value, check.method());
  return {
      .method = check.method(),
      .distribution = check.distribution(),
      .observed = check.observed(statistic, sample.size()),
      .statistic = statistic,
      .p_value = p_value,
      .n = sample.size(),
      .rates = rates,
      .effect = effect,
      .effect_text = std::isfinite(effect) ? check.effect_text(effect) : "nothing: too few draws",
      .rejected = p_value <= rates.alpha};
  //! [MissingRootOfTwo]
}

template <StatisticalCheck Check>
TestResult run_test(const Check& check, const typename Check::Observations& sample,
                    ErrorRates rates) {
  detail::require_error_rates(rates);
  check.statistic(sample);  // refuses a bad sample before anything is computed for it
  return result_of_test(check, sample, rates, smallest_effect(check, rates, sample.size()));
}

template <StatisticalCheck Check>
TestResult run_test(const Check& check, const typename Check::Observations& sample, double alpha,
                    DetectableEffect declared) {
  const ErrorRates rates{alpha, declared.beta};
  const std::size_t needed = sample_size(check, rates, declared.effect);
  const std::size_t n = sample.size();
  if (n == 0 || !(check.type_ii_error(n, alpha, declared.effect) <= declared.beta))
    detail::refuse_sample(n, needed, check.effect_text(declared.effect), rates);
  return result_of_test(check, sample, rates, declared.effect);
}

template <StatisticalCheck Check, std::invocable<Stream&> Sampler>
typename Check::Observations draw_sample(std::size_t n, Sampler&& sampler, Stream& stream) {
  if constexpr (std::same_as<typename Check::Observations, Count>) {
    Count count{0, n};
    for (std::size_t i = 0; i < n; ++i) count.successes += sampler(stream) ? 1 : 0;
    return count;
  } else {
    return draws(
        n, [&](Stream& s) { return static_cast<double>(sampler(s)); }, stream);
  }
}

}  // namespace sqrtdk::testing
