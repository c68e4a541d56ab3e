// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Statistical checks in a test: draws, a verdict with its odds, evidence, and an
/// explanation.
#pragma once

#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/judging.hpp>
#include <sqrtdk/testing/reporting/ledger.hpp>
#include <sqrtdk/testing/statistics/checks.hpp>
#include <sqrtdk/testing/statistics/examine.hpp>
#include <sqrtdk/testing/statistics/intervals.hpp>
#include <sqrtdk/testing/statistics/number_text.hpp>
#include <sqrtdk/testing/statistics/sample_size.hpp>
#include <sqrtdk/testing/statistics/streams.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <concepts>
#include <cstddef>
#include <ostream>
#include <stdexcept>
#include <string>
#include <utility>

namespace sqrtdk::testing {

/// The next random stream of the running test.
Stream next_stream();

/// Draws as many observations as the declared effect needs, from a stream of the running test, and
/// expects that they do not contradict the law.
///
/// To be called in a GoogleTest body inside judge(). α is what the ledger grants the running test;
/// the finding goes into the evidence; a failure says what was observed, the law, n, α, the effect
/// that is seen, and how to replay.
/// \param check    the law.
/// \param declared the effect that must be seen, and its β.
/// \param sampler  a callable `double(Stream&)`, or `bool(Stream&)` for a CountCheck.
/// \return the finding.
/// \throws std::logic_error if the ledger has no α for the running test.
template <StatisticalCheck Check, std::invocable<Stream&> Sampler>
Finding expect_draws(const Check& check, Declared declared, Sampler&& sampler);

/// Expects that a sample whose size was given does not contradict the law; otherwise as
/// expect_draws(). The evidence says which effect was just large enough to be seen.
/// \param check  the law.
/// \param sample what was observed.
/// \param beta   the probability with which that effect is missed.
template <StatisticalCheck Check>
Finding expect_sample(const Check& check, const typename Check::Observations& sample,
                      double beta = 0x1p-30);

/// An interval at the α that the ledger grants the running test. The evidence says how many draws
/// there are and what the interval sees: what differs by more than its length, but with β = α.
/// \param n        how many draws.
/// \param interval a callable `ConfidenceInterval(double alpha)`.
/// \return the interval.
/// \throws std::logic_error if the ledger has no α for the running test.
template <std::invocable<double> Compute>
ConfidenceInterval report_interval(std::size_t n, Compute&& interval);

// ------------------------------------------------------------------------------------------------

namespace detail {

/// Puts a finding into the evidence of the running test, and fails it if the law is contradicted.
inline void report(const Finding& finding) {
  Evidence& seen = evidence();
  seen.weaken(Grade::statistical);
  seen.add_line("n", std::to_string(finding.n));
  seen.add_line("beta", exact_text(finding.odds.beta));
  seen.add_line("effect", finding.wrong_by);
  seen.add_line("statistic", digits(finding.statistic, 4));
  seen.add_line("p_value", digits(finding.p_value, 4));
  EXPECT_FALSE(finding.rejected) << finding << "  replay    " << replay_line();
}

}  // namespace detail

inline Stream next_stream() {
  return stream_of(active_seed(), current_test_name(), evidence().next_stream());
}

template <StatisticalCheck Check, std::invocable<Stream&> Sampler>
Finding expect_draws(const Check& check, Declared declared, Sampler&& sampler) {
  const double alpha = alpha_of_next_check();
  const std::size_t n = sample_size(check, {alpha, declared.beta}, declared.effect);
  Stream stream = next_stream();
  const auto sample = observe<Check>(n, sampler, stream);
  const Finding finding = detail::judged(check, sample, {alpha, declared.beta}, declared.effect);
  detail::report(finding);
  return finding;
}

template <std::invocable<double> Compute>
ConfidenceInterval report_interval(std::size_t n, Compute&& interval) {
  const double alpha = alpha_of_next_check();
  const ConfidenceInterval found = interval(alpha);
  Evidence& seen = evidence();
  seen.weaken(Grade::statistical);
  seen.add_line("n", std::to_string(n));
  seen.add_line("beta", exact_text(alpha));
  seen.add_line("effect", "a difference of " + digits(found.upper - found.lower, 2));
  return found;
}

template <StatisticalCheck Check>
Finding expect_sample(const Check& check, const typename Check::Observations& sample, double beta) {
  const Finding finding = examine(check, sample, Odds{alpha_of_next_check(), beta});
  detail::report(finding);
  return finding;
}

}  // namespace sqrtdk::testing
