// Checks that are checked: when a run with mutants fails.
#include <sqrtdk/testing/generators/rational_distributions.hpp>
#include <sqrtdk/testing/laws/run_apart.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>
#include <sqrtdk/testing/reporting/expect_refusal.hpp>
#include <sqrtdk/testing/reporting/ledger.hpp>
#include <sqrtdk/testing/reporting/mutant_run.hpp>
#include <sqrtdk/testing/statistics/seed.hpp>

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace sqrtdk;
using namespace sqrtdk::testing;

struct Doubling {
  int (*twice)(int) = [](int x) { return 2 * x; };
};

using DoublingMutants = std::vector<Mutant<Doubling>>;

Mutant<Doubling> squares_aimed_at(const char* test) {
  return {"squares", test, {.twice = [](int x) { return x * x; }}};
}

void doubles_three(const Doubling& doubling) { EXPECT_EXACTLY(doubling.twice(3) == 6); }
void doubles_two(const Doubling& doubling) { EXPECT_EXACTLY(doubling.twice(2) == 4); }

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
  const auto wrong_check = [](const Doubling& doubling) { EXPECT_EXACTLY(doubling.twice(2) == 5); };
  const DoublingMutants mutants = {squares_aimed_at("ALawThatFailsOnTheLibraryFailsTheRun")};
  EXPECT_NONFATAL_FAILURE(check_with_mutants(mutants, wrong_check), "doubling.twice(2)");
}

TEST(Judge, AMutantAimedAtNoTestFailsTheRun) {
  const DoublingMutants mutants = {squares_aimed_at("AMutantAimedAtNoTestFailsTheRun"),
                                   squares_aimed_at("NoSuchTest")};
  EXPECT_NONFATAL_FAILURE(check_with_mutants(mutants, doubles_three), "aimed at NoSuchTest");
}

TEST(Judge, AMutantThatNamesNoKillerFailsTheRunAndIsTheOnlyCauseNamed) {
  const DoublingMutants unnamed = {{"adds two", "", {.twice = [](int x) { return x + 2; }}}};
  EXPECT_NONFATAL_FAILURE(check_with_mutants(unnamed, doubles_three),
                          "the mutant 'adds two' names no killer");
}

TEST(Judge, AMutantWithoutAKillerFailsTheRun) {
  const DoublingMutants null = {{"adds three", nullptr, {.twice = [](int x) { return x + 3; }}}};
  EXPECT_NONFATAL_FAILURE(check_with_mutants(null, doubles_two),
                          "the mutant 'adds three' names no killer");
}

TEST(Judge, ACheckThatNoMutantIsAimedAtFailsTheRun) {
  const DoublingMutants mutants = {squares_aimed_at("AcceptsALawThatHoldsAndKills")};
  EXPECT_NONFATAL_FAILURE(check_with_mutants(mutants, doubles_three), "no mutant is aimed at");
}

TEST(Judge, ACheckMeetsTheMutantsThatAreAimedAtItOrEveryOne) {
  const DoublingMutants mutants = {
      squares_aimed_at("ACheckMeetsTheMutantsThatAreAimedAtItOrEveryOne"),
      {"doubles", "AcceptsALawThatHoldsAndKills", {}}};
  check_with_mutants(mutants, doubles_three);
  EXPECT_TRUE(evidence().has("killed"));
  EXPECT_EQ(evidence().has("spared"), mutants_met() == MutantsMet::every);
}

TEST(Judge, MutantsMeetTheSameCasesWhateverTheMasterSeed) {
  EXPECT_EQ(active_seed(), master_seed());
  const DoublingMutants mutants = {{"doubles", "MutantsMeetTheSameCasesWhateverTheMasterSeed", {}}};
  EXPECT_NONFATAL_FAILURE(check_with_mutants(mutants,
                                             [](const Doubling& doubling) {
                                               doubles_three(doubling);
                                               if (checking_a_mutant())
                                                 EXPECT_EQ(active_seed(), mutant_seed());
                                               else
                                                 EXPECT_EQ(active_seed(), master_seed());
                                             }),
                          "the mutant 'doubles' survives");
}

TEST(Judge, WhatWasMeasuredMeetsTheSameCasesWhateverTheMasterSeed) {
  evidence() = Evidence();
  EXPECT_EQ(active_seed(), master_seed());
  evidence().rests_on(EvidenceLevel::measured);
  EXPECT_EQ(active_seed(), default_master_seed);
  evidence().rests_on(EvidenceLevel::empirical);
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
  evidence() = Evidence();
  check_with_mutants(mutants, takes(2));
  active_ledger() = ours;
}

DoublingMutants throws_aimed_at(const char* test, Death death = Death::by_assertion) {
  return {
      {"throws", test, {.twice = [](int) -> int { throw std::runtime_error("broken"); }}, death}};
}

TEST(Judge, AMutantThatThrowsIsKilledIfItSaysSo) {
  check_with_mutants(throws_aimed_at("AMutantThatThrowsIsKilledIfItSaysSo", Death::by_exception),
                     doubles_three);
}

TEST(Judge, AnExceptionAloneKillsNoMutant) {
  const DoublingMutants mutants = throws_aimed_at("AnExceptionAloneKillsNoMutant");
  EXPECT_NONFATAL_FAILURE(check_with_mutants(mutants, doubles_three), "by nothing but what it");
  EXPECT_TRUE(evidence().has("spared"));
  EXPECT_FALSE(evidence().has("killed"));
}

/// A mutant that ends its process, as an access to no element may.
Mutant<Doubling> crashes_aimed_at(const char* test) {
  return {"crashes", test, {.twice = [](int) -> int { std::abort(); }}};
}

TEST(Judge, AMutantThatCrashesIsNoKillAndEndsNothing) {
  const char* here = "AMutantThatCrashesIsNoKillAndEndsNothing";
  const DoublingMutants mutants = {crashes_aimed_at(here), squares_aimed_at(here)};
  EXPECT_NONFATAL_FAILURE(check_with_mutants(mutants, doubles_three),
                          "the mutant 'crashes' ends the program in Judge." + std::string(here) +
                              " (Aborted): let it return a wrong value");
  EXPECT_TRUE(evidence().has("spared"));
  EXPECT_TRUE(evidence().has("killed"));
}

TEST(RunApart, ReturnsTheValueOrTheCauseOfTheEnd) {
  EXPECT_EQ(run_apart([] { return 63; }).value, 63);
  EXPECT_EQ(run_apart([] { return 0; }).cause, "");
  EXPECT_EQ(run_apart([]() -> int { std::abort(); }).cause, "Aborted");
  EXPECT_EQ(run_apart([]() -> int { std::exit(1); }).cause, "exit status 1");
}

TEST(RunApart, EndsAfterAWhile) {
  volatile bool waiting = true;
  const auto hangs = [&waiting] {
    while (waiting) continue;
    return 0;
  };
  EXPECT_EQ(run_apart(hangs, 1).cause, "no end after 1 seconds");
}

TEST(RunApart, PrintsNothingTwice) {
  ::testing::internal::CaptureStdout();
  std::cout << "once";
  run_apart([] { return 0; });
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "once");
}

TEST(Judge, AnExceptionInAPropertyAloneKillsNoMutant) {
  const DoublingMutants mutants = throws_aimed_at("AnExceptionInAPropertyAloneKillsNoMutant");
  const auto doubles_any = [](const Doubling& doubling) {
    for_all([&] {
      const int x = *rc::gen::inRange(-9, 9);
      EXPECT_EXACTLY(doubling.twice(x) == x + x);
    });
  };
  EXPECT_NONFATAL_FAILURE(check_with_mutants(mutants, doubles_any), "by nothing but what it");
}

TEST(Judge, ACheckThatComparesNothingKillsNoMutant) {
  const DoublingMutants mutants = throws_aimed_at("ACheckThatComparesNothingKillsNoMutant");
  EXPECT_NONFATAL_FAILURE(check_with_mutants(mutants,
                                             [](const Doubling& doubling) {
                                               evidence().rests_on(EvidenceLevel::bounded);
                                               for_all([&] { doubling.twice(3); });
                                               enumerated(7);
                                             }),
                          "by nothing but what it");
}

TEST(Judge, AnExceptionBesideAFailureOrAmongRefusalsKills) {
  const DoublingMutants mutants = throws_aimed_at("AnExceptionBesideAFailureOrAmongRefusalsKills");
  check_with_mutants(mutants, [](const Doubling& doubling) {
    bool threw = false;
    try {
      doubling.twice(3);
    } catch (const std::runtime_error&) {
      threw = true;
    }
    EXPECT_EXACTLY(!threw);
    doubles_three(doubling);
  });
  evidence() = Evidence();
  check_with_mutants(mutants, [](const Doubling& doubling) {
    expect_refusal<std::domain_error>([] { throw std::domain_error("no"); });
    doubling.twice(3);
  });
}

}  // namespace
