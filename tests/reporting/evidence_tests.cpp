// SPDX-License-Identifier: BSL-1.0
// No evidence for free: which level a test gets for what it says and does, and what is refused.
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>
#include <sqrtdk/testing/reporting/expect_near.hpp>
#include <sqrtdk/testing/reporting/expect_refusal.hpp>
#include <sqrtdk/testing/reporting/printed.hpp>

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace sqrtdk;
using namespace sqrtdk::testing;

struct Halving {
  Rational (*half)(const Rational&) = [](const Rational& x) -> Rational { return x / 2; };
};

/// A mutant that every check below kills, aimed at the running test.
std::vector<Mutant<Halving>> a_mutant() {
  static std::string here;
  here = ::testing::UnitTest::GetInstance()->current_test_info()->name();
  return {{"throws", here.c_str(), {.half = [](const Rational&) -> Rational {
             throw std::logic_error("killed");
           }}}};
}

using Check = std::function<void(const Halving&)>;

/// What check_with_mutants() has recorded about a check.
std::string about_of(const Check& check) {
  evidence() = Evidence();
  check_with_mutants(a_mutant(), check);
  return std::string(evidence().about());
}

void halves(const Halving& halving) { EXPECT_EXACTLY(halving.half(3) == Rational(3, 2)); }

/// A tolerance: true, and no equality.
bool is_near_half(const Halving& halving, int n) {
  return std::abs(halving.half(n).convert_to<double>() - n / 2.0) < 1e-9;
}

TEST(Evidence, ATestThatSaysNothingIsRefused) {
  EXPECT_NONFATAL_FAILURE(
      check_with_mutants(a_mutant(), [](const Halving& halving) { halving.half(1); }),
      "ATestThatSaysNothingIsRefused has no evidence");
}

TEST(Evidence, AToleranceInAPropertyIsNone) {
  EXPECT_NONFATAL_FAILURE(
      check_with_mutants(a_mutant(),
                         [](const Halving& halving) {
                           for_all(
                               [&] { RC_ASSERT(is_near_half(halving, *rc::gen::inRange(0, 9))); });
                         }),
      "has no evidence");
}

TEST(Evidence, AToleranceInAnEnumerationIsNone) {
  EXPECT_NONFATAL_FAILURE(check_with_mutants(a_mutant(),
                                             [](const Halving& halving) {
                                               for (int n = 0; n < 9; ++n)
                                                 EXPECT_TRUE(is_near_half(halving, n));
                                               enumerated(9);
                                             }),
                          "has no evidence");
}

TEST(Evidence, ACounterexampleAloneIsNone) {
  EXPECT_NONFATAL_FAILURE(check_with_mutants(a_mutant(),
                                             [](const Halving& halving) {
                                               EXPECT_TRUE(is_near_half(halving, 1));
                                               counterexample_without("even");
                                             }),
                          "has no evidence");
}

TEST(Evidence, AnExactCounterexampleIsNotOfTheStatement) {
  const Check check = [](const Halving& halving) {
    halves(halving);
    counterexample_without("even");
  };
  EXPECT_EQ(about_of(check), "counterexample");
  evidence() = Evidence();
  EXPECT_NONFATAL_FAILURE(check_statement(a_mutant(), check), "is a counterexample");
}

TEST(Evidence, ComparingExactValuesIsExact) {
  EXPECT_EQ(about_of(halves), "beside");
  EXPECT_EQ(evidence().level(), EvidenceLevel::exact);
  evidence() = Evidence();
  check_statement(a_mutant(), halves);
  EXPECT_EQ(evidence().about(), "statement");
}

TEST(Evidence, APrintedNumberIsComparedExactly) {
  check_with_mutants(a_mutant(),
                     [](const Halving& halving) { expect_printed("S1", "0.5", halving.half(1)); });
  EXPECT_EQ(evidence().level(), EvidenceLevel::exact);
}

TEST(Evidence, TheWeakestLevelCounts) {
  check_with_mutants(a_mutant(), [](const Halving& halving) {
    evidence().rests_on(EvidenceLevel::bounded);
    halves(halving);
    evidence().rests_on(EvidenceLevel::statistical);
    evidence().rests_on(EvidenceLevel::measured);
  });
  EXPECT_EQ(evidence().level(), EvidenceLevel::statistical);
  EXPECT_TRUE(evidence().rests_on_measurement());
}

TEST(Evidence, NearnessAloneIsNone) {
  EXPECT_NONFATAL_FAILURE(check_with_mutants(a_mutant(),
                                             [](const Halving& halving) {
                                               expect_near(halving.half(1).convert_to<double>(),
                                                           0.5, 0.1, "½");
                                             }),
                          "has no evidence");
}

TEST(Evidence, AnErrorBesideItsBoundIsNotExact) {
  EXPECT_NONFATAL_FAILURE(check_with_mutants(a_mutant(),
                                             [](const Halving& halving) {
                                               halves(halving);
                                               expect_near(halving.half(1).convert_to<double>(),
                                                           0.5, 0.1, "½");
                                             }),
                          "also holds an error to a bound");
}

TEST(Evidence, ALevelWithNothingToShowIsRefused) {
  EXPECT_NONFATAL_FAILURE(check_with_mutants(a_mutant(),
                                             [](const Halving& halving) {
                                               evidence().rests_on(EvidenceLevel::bounded);
                                               EXPECT_TRUE(is_near_half(halving, 1));
                                             }),
                          "shows nothing");
}

TEST(Evidence, WhatIsSaidOutsideOfTheCheckIsRefused) {
  evidence().rests_on(EvidenceLevel::measured);
  EXPECT_NONFATAL_FAILURE(check_with_mutants(a_mutant(), halves), "before its check");
  EXPECT_NONFATAL_FAILURE(check_with_mutants(a_mutant(), halves), "or has two");
}

TEST(Evidence, AMeasurementIsSaidBeforeNumbersAreDrawn) {
  evidence() = Evidence();
  evidence().next_stream();
  EXPECT_THROW(evidence().rests_on(EvidenceLevel::measured), std::logic_error);
  evidence() = Evidence();
  evidence().rests_on(EvidenceLevel::measured);
  evidence().next_stream();
  evidence().rests_on(EvidenceLevel::measured);
}

TEST(Evidence, NobodySaysThatHeIsExact) {
  EXPECT_THROW(evidence().rests_on(EvidenceLevel::exact), std::invalid_argument);
}

TEST(Evidence, RefusalsNeedNoLevelAndAreNoStatement) {
  const Check refuses = [](const Halving& halving) {
    halving.half(1);
    expect_refusal<std::domain_error>([] { throw std::domain_error("no"); }, "no");
  };
  EXPECT_EQ(about_of(refuses), "refusal");
  EXPECT_FALSE(evidence().level());
  evidence() = Evidence();
  EXPECT_NONFATAL_FAILURE(check_statement(a_mutant(), refuses), "looks at refusals alone");
}

TEST(Evidence, ARefusalHasAKindAndAMessage) {
  const auto refuse = [] { throw std::domain_error("no"); };
  expect_refusal<std::logic_error>(refuse);
  EXPECT_NONFATAL_FAILURE(expect_refusal<std::domain_error>([] {}), "throws nothing of the kind");
  EXPECT_NONFATAL_FAILURE(expect_refusal<std::domain_error>(refuse, "yes"), "but says 'no'");
  EXPECT_THROW(expect_refusal<std::runtime_error>(refuse), std::domain_error);
}

}  // namespace
