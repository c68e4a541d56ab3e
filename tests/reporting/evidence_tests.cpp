// No evidence for free: which level a test gets for what it says and does, and what is refused.
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/testing/laws/outcome.hpp>
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
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
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
  return {{"throws",
           here.c_str(),
           {.half = [](const Rational&) -> Rational { throw std::logic_error("killed"); }},
           Death::by_exception}};
}

using Check = std::function<void(const Halving&)>;

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
    evidence().rests_on(EvidenceLevel::empirical);
    evidence().rests_on(EvidenceLevel::measured);
  });
  EXPECT_EQ(evidence().level(), EvidenceLevel::empirical);
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

TEST(Evidence, AnErrorBeyondTheBoundThatIsNotedIsRefused) {
  const auto notes = [](double error, double bound) {
    return [error, bound](const Halving& halving) {
      evidence().rests_on(EvidenceLevel::bounded);
      evidence().worst(error, bound);
      evidence().worst(0, 1);
      halving.half(1);
    };
  };
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  check_with_mutants(a_mutant(), notes(1, 1));
  for (const auto& [error, bound] :
       std::vector<std::pair<double, double>>{{20, 1}, {nan, 1}, {1, inf}, {1, nan}}) {
    evidence() = Evidence();
    const Check beyond = notes(error, bound);
    EXPECT_NONFATAL_FAILURE(check_with_mutants(a_mutant(), beyond), "an error beyond its bound");
  }
}

TEST(Evidence, ASampleIsWhatStatisticsRestOn) {
  EXPECT_NONFATAL_FAILURE(check_with_mutants(a_mutant(),
                                             [](const Halving& halving) {
                                               evidence().rests_on(EvidenceLevel::statistical);
                                               halves(halving);
                                               enumerated(1);
                                             }),
                          "examined no sample");
}

TEST(Evidence, AnExactPropertyThatComparesNothingIsRefused) {
  EXPECT_NONFATAL_FAILURE(
      check_with_mutants(a_mutant(),
                         [](const Halving& halving) {
                           halves(halving);
                           for_all([&] { RC_ASSERT(is_near_half(halving, 1)); });
                         }),
      "in whose cases nothing is compared");
}

TEST(Evidence, AnExactPropertyCountsTheCasesThatCompare) {
  const auto compares_in = [](unsigned wanted) {
    return [wanted](const Halving& halving) {
      unsigned tried = 0;
      for_all([&] {
        if (tried++ < wanted) halves(halving);
      });
    };
  };
  about_of(compares_in(3));
  EXPECT_EQ(evidence().cases(), 3U);
  about_of(compares_in(500));
  EXPECT_EQ(evidence().cases(), 200U);
  about_of([&](const Halving& halving) {
    evidence().rests_on(EvidenceLevel::bounded);
    compares_in(3)(halving);
  });
  EXPECT_EQ(evidence().cases(), 200U);
}

TEST(Evidence, APropertyTriesACase) {
  EXPECT_THROW(for_all([] {}, 0), std::invalid_argument);
  EXPECT_THROW(for_all([] {}, -1), std::invalid_argument);
}

TEST(Evidence, ItsOwnIsNotExchanged) {
  EXPECT_NONFATAL_FAILURE(check_with_mutants(a_mutant(),
                                             [](const Halving& halving) {
                                               evidence().rests_on(EvidenceLevel::measured);
                                               evidence() = Evidence();
                                               halves(halving);
                                             }),
                          "puts other evidence in the place of its own");
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

TEST(Evidence, ALawThatLeavesRoomIsNotKeptExactly) {
  Outcome outcome;
  EXPECT_TRUE(outcome.holds_exactly());
  outcome.bound = 1e-9;
  EXPECT_TRUE(outcome.holds());
  EXPECT_FALSE(outcome.holds_exactly());
  EXPECT_FALSE(broken("no").holds_exactly());
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
