// SPDX-License-Identifier: BSL-1.0
// The testing kit, tested: seeds, printed numbers, generators, and the judging of mutants.
#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/testing/generators/rational_distributions.hpp>
#include <sqrtdk/testing/laws/raised_bound.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/ledger.hpp>
#include <sqrtdk/testing/reporting/printed.hpp>
#include <sqrtdk/testing/statistics/seed.hpp>

#include "tests/fixed_draws.hpp"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <array>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace sqrtdk;
using namespace sqrtdk::testing;

// ------------------------------------------------------------------------------------------- seeds

TEST(Seed, DependsOnTheMasterSeedTheNameAndTheStreamAndNothingElse) {
  static_assert(seed_of(1, "Suite.Test") == seed_of(1, "Suite.Test"));
  EXPECT_NE(seed_of(1, "Suite.Test"), seed_of(2, "Suite.Test"));
  EXPECT_NE(seed_of(1, "Suite.Test"), seed_of(1, "Suite.Tess"));
  EXPECT_NE(seed_of(1, "Suite.Test", 0), seed_of(1, "Suite.Test", 1));
}

TEST(Seed, IsReadFromANumberOrTheWordFresh) {
  EXPECT_EQ(parse_master_seed("18446744073709551615"), 18446744073709551615U);
  chance_of_next_assertion();  // 2⁻⁶⁴ in truth
  EXPECT_NE(parse_master_seed("fresh"), parse_master_seed("fresh"));
  for (const char* bad : {"", "-1", "1.5", "Fresh", "7 ", "18446744073709551616"})
    EXPECT_THROW(parse_master_seed(bad), std::invalid_argument) << bad;
}

// --------------------------------------------------------------------------------- printed numbers

TEST(Printed, ANumberStandsForEverythingThatRoundsToIt) {
  const PrintedNumber number = parse_printed("2.67");
  EXPECT_EQ(number.low, Rational(2665, 1000));
  EXPECT_EQ(number.high, Rational(2675, 1000));
}

TEST(Printed, SignsThousandsAndLeadingZerosAreRead) {
  EXPECT_EQ(parse_printed("1,387,386").low, Rational(2774771, 2));
  EXPECT_EQ(parse_printed("-0.39").high, Rational(-385, 1000));
  EXPECT_EQ(parse_printed("0.080").low, Rational(795, 10000));
  EXPECT_EQ(parse_printed("0").high, Rational(1, 2));
}

TEST(Printed, AnythingElseIsRefused) {
  for (const char* bad : {"", "-", "1e5", "1.2.3", "two", "0x10"})
    EXPECT_THROW(parse_printed(bad), std::invalid_argument) << bad;
}

TEST(Printed, AWrongNumberFails) {
  EXPECT_NONFATAL_FAILURE(expect_printed("S2", "2.67", 3), "S2 prints 2.67");
  EXPECT_NONFATAL_FAILURE(expect_misprinted("S2", "2.67", Rational(8, 3), "2.67"),
                          "which is right");
  EXPECT_NONFATAL_FAILURE(expect_misprinted("S2", "2.67", 3, "4"), "is wrong as well");
}

TEST(Printed, WordsThatHoldAreNotRefuted) {
  EXPECT_NONFATAL_FAILURE(expect_refuted("S2", "always", true, "sometimes"),
                          "S2 says 'always', which is right");
  expect_refuted("S2", "always", false, "sometimes");
}

// -------------------------------------------------------------------------------------- generators

TEST(NumberText, RoundsToDigitsOrToPlaces) {
  EXPECT_EQ(format_significant(0.0125, 3), "0.0125");
  EXPECT_EQ(format_significant(1234.5, 2), "1.2e+03");
  EXPECT_EQ(format_fixed(3.1, 2), "3.10");
  EXPECT_EQ(format_fixed(-1e20, 0), "-100000000000000000000");
  EXPECT_EQ(format_shortest(0.1), "0.1");
  EXPECT_EQ(format_shortest(0x1p-1074), "5e-324");
}

TEST(NumberText, BoundsAreRoundedOutward) {
  EXPECT_EQ(rounded_down(0.60653, 3), "0.606");
  EXPECT_EQ(rounded_up(0.60653, 3), "0.607");
  EXPECT_EQ(rounded_down(-0.5, 0), "-1");
  EXPECT_EQ(rounded_up(0.25, 2), "0.25");
}

TEST(RaisedBound, IsNotLessThanTheFormulaAndNotMuchMore) {
  const long double formula = 3;
  EXPECT_TRUE(is_raised(3 * (1 + bound_margin), formula));
  EXPECT_FALSE(is_raised(3 * (1 - bound_margin), formula));
  EXPECT_FALSE(is_raised(3 * (1 + 3 * bound_margin), formula));
  EXPECT_TRUE(is_raised(3 * (1 + 3 * bound_margin), formula, 2));
  EXPECT_TRUE(is_raised(2.5, formula, 1, 0.5));
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(is_raised(infinity, static_cast<long double>(infinity)));
  EXPECT_FALSE(is_raised(infinity, formula));
  EXPECT_FALSE(is_raised(std::numeric_limits<double>::quiet_NaN(), formula));
}

TEST(Generators, StandardizedLawsHaveMeanZeroAndVarianceOne) {
  for_all([] {
    const RationalDistribution law = *standardized_distribution();
    RC_ASSERT(mean(law) == 0);
    RC_ASSERT(variance(law) == 1);
  });
}

TEST(Generators, LawsOfEveryKindOccur) {
  int degenerate = 0;
  int skewed = 0;
  int huge = 0;
  for (const RationalDistribution& law : fixed_draws(any_distribution(), default_cases)) {
    degenerate += variance(law) == 0 ? 1 : 0;
    skewed += central_moment(law, 3) != 0 ? 1 : 0;
    huge += abs(law.atoms().back().outcome) > sqrtdk::testing::ten_to_the_thirtieth() / 2 ? 1 : 0;
  }
  EXPECT_GT(degenerate, 0);
  EXPECT_GT(skewed, 0);
  EXPECT_GT(huge, 0);
}

/// What shrinking arrives at from x on, if everything from 7 on is a counterexample.
Rational shrunk_from(Rational x) {
  for (bool again = true; again;) {
    again = false;
    for (const Rational& candidate : sqrtdk::testing::shrinks(x)) {
      if (candidate < 7) continue;
      x = candidate;
      again = true;
      break;
    }
  }
  return x;
}

TEST(Generators, ShrinkTowardsTheSimplestCounterexampleFromWhereverTheyStart) {
  int starts = 0;
  for (const Rational& x : fixed_draws(any_rational(), 2000)) {
    if (x < 7) continue;
    EXPECT_EQ(shrunk_from(x), 7) << x;
    ++starts;
  }
  EXPECT_GT(starts, 20);
}

TEST(Generators, ShowTheSimplestCounterexample) {
  // The first case fails, whatever it is, so that nothing need be found.
  const auto from_22_thirds = [] {
    const rc::Gen<Rational> start = rc::gen::just(Rational(22, 3));
    const Rational x = *sqrtdk::testing::shrinking_to_simple(start).as("x");
    RC_ASSERT(x < 7);
  };
  EXPECT_NONFATAL_FAILURE(for_all(from_22_thirds), "x:\n7\n");
  const auto always = [] {
    const Rational x = *any_rational().as("x");
    RC_ASSERT(x != x);
  };
  EXPECT_NONFATAL_FAILURE(for_all(always), "x:\n0\n");
}

TEST(Generators, AFailureSaysHowToReplayIt) {
  EXPECT_NONFATAL_FAILURE(for_all([] { RC_FAIL("always"); }),
                          "--gtest_filter=Generators.AFailureSaysHowToReplayIt");
}

// ----------------------------------------------------------------------------------------- mutants

struct Doubling {
  int (*twice)(int) = [](int x) { return 2 * x; };
};

using DoublingMutants = std::vector<Mutant<Doubling>>;

Mutant<Doubling> squares_aimed_at(const char* test) {
  return {"squares", test, {.twice = [](int x) { return x * x; }}};
}

void doubles_three(const Doubling& doubling) { EXPECT_EQ(doubling.twice(3), 6); }
void doubles_two(const Doubling& doubling) { EXPECT_EQ(doubling.twice(2), 4); }

TEST(Judge, AcceptsALawThatHoldsAndKills) {
  check_with_mutants(DoublingMutants{squares_aimed_at("AcceptsALawThatHoldsAndKills")},
                     doubles_three);
}

TEST(Judge, ASurvivingMutantFailsTheRun) {
  const DoublingMutants mutants = {squares_aimed_at("ASurvivingMutantFailsTheRun")};
  EXPECT_NONFATAL_FAILURE(check_with_mutants(mutants, doubles_two),
                          "the mutant 'squares' survives");
}

TEST(Judge, ALawThatFailsOnTheLibraryFailsTheRun) {
  const auto wrong_law = [](const Doubling& doubling) { EXPECT_EQ(doubling.twice(2), 5); };
  const DoublingMutants mutants = {squares_aimed_at("ALawThatFailsOnTheLibraryFailsTheRun")};
  EXPECT_NONFATAL_FAILURE(check_with_mutants(mutants, wrong_law), "doubling.twice(2)");
}

TEST(Judge, AMutantAimedAtNoTestFailsTheRun) {
  const DoublingMutants mutants = {squares_aimed_at("AMutantAimedAtNoTestFailsTheRun"),
                                   squares_aimed_at("NoSuchTest")};
  EXPECT_NONFATAL_FAILURE(check_with_mutants(mutants, doubles_three), "aimed at NoSuchTest");
}

TEST(Judge, ACheckThatNoMutantIsAimedAtFailsTheRun) {
  const DoublingMutants mutants = {squares_aimed_at("AcceptsALawThatHoldsAndKills")};
  EXPECT_NONFATAL_FAILURE(check_with_mutants(mutants, doubles_three), "no mutant is aimed at");
}

TEST(Judge, MutantsMeetTheSameCasesWhateverTheMasterSeed) {
  EXPECT_EQ(active_seed(), master_seed());
  std::vector<std::uint64_t> met;
  check_with_mutants(
      DoublingMutants{squares_aimed_at("MutantsMeetTheSameCasesWhateverTheMasterSeed")},
      [&](const Doubling& doubling) {
        met.push_back(active_seed());
        doubles_three(doubling);
      });
  EXPECT_EQ(met, (std::vector<std::uint64_t>{master_seed(), mutant_seed()}));
}

TEST(Judge, WhatWasMeasuredMeetsTheSameCasesWhateverTheMasterSeed) {
  evidence() = Evidence();
  EXPECT_EQ(active_seed(), master_seed());
  evidence().downgrade_to(EvidenceLevel::measured);
  EXPECT_EQ(active_seed(), default_master_seed);
  evidence().downgrade_to(EvidenceLevel::empirical);
  EXPECT_EQ(active_seed(), default_master_seed);
  evidence() = Evidence();
}

TEST(Judge, ATestThatTakesFewerRisksThanTheLedgerEntersFailsTheRun) {
  const std::array<LedgerEntry, 1> entries = {
      {{"Judge.ATestThatTakesFewerRisksThanTheLedgerEntersFailsTheRun", 2, 30}}};
  const auto ours = std::exchange(active_ledger(), entries);
  const DoublingMutants mutants = {
      squares_aimed_at("ATestThatTakesFewerRisksThanTheLedgerEntersFailsTheRun")};
  const auto takes = [](int risks) {
    return [risks](const Doubling& doubling) {
      for (int i = 0; i < risks; ++i) chance_of_next_assertion();
      doubles_three(doubling);
    };
  };
  EXPECT_NONFATAL_FAILURE(check_with_mutants(mutants, takes(1)), "the ledger enters 2 risks");
  check_with_mutants(mutants, takes(2));
  active_ledger() = ours;
}

TEST(Judge, AMutantThatThrowsIsKilled) {
  const DoublingMutants mutants = {
      {"throws", "AMutantThatThrowsIsKilled", {.twice = [](int) -> int {
         throw std::runtime_error("broken");
       }}}};
  check_with_mutants(mutants, doubles_three);
}

}  // namespace
