// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Statistical checks in a test: draws, a verdict with its error rates, and evidence.
#pragma once

#include <sqrtdk/testing/reporting/ledger.hpp>
#include <sqrtdk/testing/reporting/mutant_run.hpp>
#include <sqrtdk/testing/reporting/source_location.hpp>
#include <sqrtdk/testing/statistics/checks.hpp>
#include <sqrtdk/testing/statistics/confidence_interval.hpp>
#include <sqrtdk/testing/statistics/run_test.hpp>
#include <sqrtdk/testing/statistics/sample_size.hpp>
#include <sqrtdk/testing/statistics/streams.hpp>

#include <concepts>
#include <cstddef>
#include <functional>

namespace sqrtdk::testing {

/// The next random stream of the running test.
/// \throws std::invalid_argument as active_seed().
Stream next_stream();

/// Expects that as many draws as the declared effect needs, from a stream of the running test, do
/// not contradict the distribution. α is what the ledger grants the running test; the result goes
/// into the evidence. To be called in a GoogleTest body inside check_with_mutants().
/// \param check    the distribution.
/// \param declared the effect that must be seen, and its β.
/// \param sampler  a callable `double(Stream&)`, or `bool(Stream&)` for a CountCheck.
/// \param place    the line that a failure points at.
/// \return the result.
/// \throws std::logic_error if the ledger has no α left for the running test.
/// \throws std::domain_error if the declared effect or its β is out of range, a draw is not finite,
///         or the check or the distribution that it asks returns what is no probability.
/// \relatesalso TestResult
template <StatisticalCheck Check, std::invocable<Stream&> Sampler>
TestResult expect_draws(const Check& check, DetectableEffect declared, Sampler&& sampler,
                        SourceLocation place = SourceLocation::current());

/// Expects that a sample whose size was given does not contradict the distribution; otherwise as
/// expect_draws(). The evidence says which effect was just large enough to be seen.
/// \param check  the distribution.
/// \param sample what was observed.
/// \param beta   the probability with which that effect is missed.
/// \param place  the line that a failure points at.
/// \return the result.
/// \throws std::logic_error if the ledger has no α left for the running test.
/// \throws std::invalid_argument if the sample is empty, or a count is greater than its trials.
/// \throws std::domain_error if a draw is not finite, or β is not strictly between 0 and 1.
/// \relatesalso TestResult
template <StatisticalCheck Check>
TestResult expect_sample(const Check& check, const typename Check::Observations& sample,
                         double beta = 0x1p-30, SourceLocation place = SourceLocation::current());

/// An interval at the α that the ledger grants the running test. The evidence says how many draws
/// there are and what the interval sees: what differs by more than its length, but with β = α.
/// \param n        how many draws.
/// \param interval a callable `ConfidenceInterval(double alpha)`.
/// \return the interval.
/// \throws std::logic_error if the ledger has no α left for the running test.
/// \throws std::domain_error if an end is not a number, or the lower one is above the upper one.
/// \relatesalso ConfidenceInterval
ConfidenceInterval report_interval(std::size_t n,
                                   const std::function<ConfidenceInterval(double)>& interval);

namespace detail {

/// Puts a result into the evidence, and fails the test if the draws contradict the distribution.
void report(const TestResult& result, const SourceLocation& place);

}  // namespace detail

template <StatisticalCheck Check, std::invocable<Stream&> Sampler>
TestResult expect_draws(const Check& check, DetectableEffect declared, Sampler&& sampler,
                        SourceLocation place) {
  const double alpha = alpha_of_next_check();
  const std::size_t n = sample_size(check, {alpha, declared.beta}, declared.effect);
  Stream stream = next_stream();
  const auto sample = draw_sample<Check>(n, sampler, stream);
  const TestResult result = result_of_test(check, sample, {alpha, declared.beta}, declared.effect);
  detail::report(result, place);
  return result;
}

template <StatisticalCheck Check>
TestResult expect_sample(const Check& check, const typename Check::Observations& sample,
                         double beta, SourceLocation place) {
  const TestResult result = run_test(check, sample, ErrorRates{alpha_of_next_check(), beta});
  detail::report(result, place);
  return result;
}

}  // namespace sqrtdk::testing
