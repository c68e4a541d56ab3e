#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_at.hpp>
#include <sqrtdk/testing/reporting/expect_worst.hpp>
#include <sqrtdk/testing/reporting/source_location.hpp>

#include <string>

namespace sqrtdk::testing {

void detail::expect_bound_holds(double ratio, double error, double bound,
                                const std::string& summary, const std::string& input,
                                const std::string& prefix, const SourceLocation& place) {
  expect_at(ratio >= 0, "the bound says something at no input that was tried", place);
  expect_at(ratio <= 1, summary, place);
  evidence().add_value();
  evidence().worst(error, bound);
  record_value(prefix + "worst_ratio", rounded_up(ratio, 2));
  record_value(prefix + "worst_input", input);
}

}  // namespace sqrtdk::testing
