#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/testing/expect_draws.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_at.hpp>
#include <sqrtdk/testing/reporting/ledger.hpp>
#include <sqrtdk/testing/reporting/source_location.hpp>
#include <sqrtdk/testing/statistics/intervals.hpp>
#include <sqrtdk/testing/statistics/run_test.hpp>
#include <sqrtdk/testing/statistics/streams.hpp>

#include <cstddef>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>

namespace sqrtdk::testing {

void detail::report(const TestResult& result, const SourceLocation& place) {
  Evidence& seen = evidence();
  seen.rests_on(EvidenceLevel::statistical);
  seen.add_line("n", std::to_string(result.n));
  seen.add_line("beta", exact_text(result.rates.beta));
  seen.add_line("effect", result.effect_text);
  seen.add_line("statistic", format_significant(result.statistic, 4));
  seen.add_line("p_value", format_significant(result.p_value, 4));
  if (!result.rejected) return;
  std::ostringstream message;
  message << result << "  replay    " << detail::replay_line();
  expect_at(false, message.str(), place);
}

Stream next_stream() {
  return stream_of(active_seed(), current_test_name(), evidence().next_stream());
}

ConfidenceInterval report_interval(std::size_t n,
                                   const std::function<ConfidenceInterval(double)>& interval) {
  const double alpha = alpha_of_next_check();
  const ConfidenceInterval found = interval(alpha);
  if (!(found.lower <= found.upper))
    throw std::domain_error("the interval is from " + exact_text(found.lower) + " to " +
                            exact_text(found.upper) + ", which holds nothing");
  Evidence& seen = evidence();
  seen.rests_on(EvidenceLevel::statistical);
  seen.add_line("n", std::to_string(n));
  seen.add_line("beta", exact_text(alpha));
  seen.add_line("effect", "a difference of " + format_significant(found.upper - found.lower, 2));
  return found;
}

}  // namespace sqrtdk::testing
