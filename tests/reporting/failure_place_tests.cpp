// A failure of the kit's own assertions points at the line that called them.
#include <sqrtdk/testing/expect_draws.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>
#include <sqrtdk/testing/reporting/expect_near.hpp>
#include <sqrtdk/testing/reporting/expect_refusal.hpp>
#include <sqrtdk/testing/reporting/expect_worst.hpp>
#include <sqrtdk/testing/reporting/printed.hpp>

#include <boost/math/distributions/normal.hpp>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>
#include <vector>

using namespace sqrtdk;
using namespace sqrtdk::testing;

namespace {

/// Expects that some code fails on one line of this file, and on no other.
template <class Code>
void expect_failure_on_line(int line, Code code) {
  ::testing::TestPartResultArray failures;
  {
    using Reporter = ::testing::ScopedFakeTestPartResultReporter;
    const Reporter reporter(Reporter::INTERCEPT_ONLY_CURRENT_THREAD, &failures);
    code();
  }
  ASSERT_GT(failures.size(), 0) << "nothing failed";
  for (int i = 0; i < failures.size(); ++i) {
    const auto& failure = failures.GetTestPartResult(i);
    ASSERT_NE(failure.file_name(), nullptr);
    EXPECT_TRUE(std::string(failure.file_name()).ends_with("failure_place_tests.cpp"))
        << failure.file_name();
    EXPECT_EQ(failure.line_number(), line) << failure.message();
  }
}

TEST(FailurePlace, OfTwoNumbers) {
  expect_failure_on_line(__LINE__, [] { expect_near(1, 2, 0.5, "one and two"); });
}

TEST(FailurePlace, OfWhatADocumentPrints) {
  expect_failure_on_line(__LINE__, [] { expect_printed("S1", "2.67", 2); });
  expect_failure_on_line(__LINE__, [] { expect_misprinted("S1", "2.00", 2, "2.00"); });
  expect_failure_on_line(__LINE__, [] { expect_confirmed("S1", "always", false); });
  expect_failure_on_line(__LINE__, [] { expect_refuted("S1", "always", true, "often"); });
}

TEST(FailurePlace, OfAWorstInput) {
  const Worst<double> beyond{.input = Arrays<double>({{"x", 1, 1, {1.0}}}), .ratio = 2, .bound = 1};
  expect_failure_on_line(__LINE__, [&] { expect_bound_holds(beyond); });
}

TEST(FailurePlace, OfAProperty) {
  expect_failure_on_line(__LINE__, [] { for_all([] { RC_FAIL("as it should"); }, 1); });
}

TEST(FailurePlace, OfAMutantThatSurvives) {
  struct Nothing {};
  const std::vector<Mutant<Nothing>> mutants = {{"nothing", "OfAMutantThatSurvives", {}}};
  const auto check = [](const Nothing&) { EXPECT_EXACTLY(1 == 1); };
  expect_failure_on_line(__LINE__, [&] { check_with_mutants(mutants, check); });
}

TEST(FailurePlace, OfAnExactComparison) {
  expect_failure_on_line(__LINE__, [] { EXPECT_EXACTLY(1 == 2); });
}

TEST(FailurePlace, OfACallThatRefusesNothing) {
  expect_failure_on_line(__LINE__, [] { expect_refusal<std::domain_error>([] {}); });
}

TEST(FailurePlace, OfATestWithoutEvidence) {
  struct Nothing {};
  const std::vector<Mutant<Nothing>> mutants = {{"nothing", "OfATestWithoutEvidence", {}}};
  expect_failure_on_line(__LINE__, [&] { check_with_mutants(mutants, [](const Nothing&) {}); });
}

}  // namespace
