// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Checks are checked: wrong implementations that a law must reject.
#pragma once

#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/judging.hpp>
#include <sqrtdk/testing/reporting/ledger.hpp>

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <exception>
#include <string>
#include <utility>
#include <vector>

namespace sqrtdk::testing {

/// A named wrong implementation of what a claim is about.
/// \tparam Implementation a struct of functions whose default value is the library itself; a mutant
///                        replaces one of them.
template <class Implementation>
struct Mutant {
  std::string name;               ///< what is wrong with it, in a few words
  std::string aimed_at;           ///< the test of the claim's suite that must kill it
  Implementation implementation;  ///< the wrong functions
};

/// Runs a law on the library, where it must hold, then on every mutant of its claim.
///
/// Fails the running test if the law fails on the library, if it takes fewer risks than the ledger
/// enters for it, if a mutant that is aimed at this test survives it, if no mutant is aimed at it,
/// or if a mutant is aimed at a test that the suite does not have. The library meets the numbers of
/// the master seed; mutants meet fixed cases, those of mutant_seed(), so that none of them dies or
/// survives by chance; mutants_are_skipped() leaves them out. Records the evidence of the run on
/// the library and this test's row of the kill matrix.
/// \param mutants the mutants of the claim.
/// \param law     a callable `void(const Implementation&)` that reports by GoogleTest assertions
///                and for_all().
template <class Implementation, class Law>
void judge(const std::vector<Mutant<Implementation>>& mutants, Law law);

// ------------------------------------------------------------------------------------------------

namespace detail {

/// Whether a law, run on an implementation, reports at least one failure or throws.
template <class Implementation, class Law>
bool rejects(Law& law, const Implementation& implementation) {
  const Evidence kept = std::exchange(evidence(), Evidence());
  judging_a_mutant() = true;
  ::testing::TestPartResultArray failures;
  bool threw = false;
  {
    using Reporter = ::testing::ScopedFakeTestPartResultReporter;
    const Reporter reporter(Reporter::INTERCEPT_ONLY_CURRENT_THREAD, &failures);
    try {
      law(implementation);
    } catch (const std::exception&) {
      threw = true;
    }
  }
  judging_a_mutant() = false;
  evidence() = kept;
  return threw || failures.size() > 0;
}

/// Expects that the running test has taken as many risks as the ledger says.
inline void expect_ledger_spent() {
  const LedgerEntry* entry = entry_of_running_test();
  if (entry == nullptr) return;
  EXPECT_EQ(evidence().risks(), entry->risks)
      << "the ledger enters " << entry->risks << " risks for " << entry->test
      << ", which took another number: enter how many there are, so that its sum stays true";
}

/// Whether the running suite has a test of this name.
inline bool suite_has(const std::string& test_name) {
  const auto* suite = ::testing::UnitTest::GetInstance()->current_test_suite();
  for (int i = 0; i < suite->total_test_count(); ++i)
    if (suite->GetTestInfo(i)->name() == test_name) return true;
  return false;
}

}  // namespace detail

template <class Implementation, class Law>
void judge(const std::vector<Mutant<Implementation>>& mutants, Law law) {
  const std::string here = ::testing::UnitTest::GetInstance()->current_test_info()->name();
  evidence() = Evidence();
  law(Implementation{});
  if (!::testing::Test::HasFailure()) detail::expect_ledger_spent();
  if (!::testing::Test::HasFailure() && !mutants_are_skipped()) {
    for (const auto& mutant : mutants) {
      const bool killed = detail::rejects(law, mutant.implementation);
      evidence().add_line(killed ? "killed" : "spared", mutant.name);
      if (mutant.aimed_at == here) evidence().add_line("aimed", mutant.name);
      EXPECT_TRUE(killed || mutant.aimed_at != here)
          << "the mutant '" << mutant.name << "' survives " << current_test_name()
          << ", which is there to kill it: the check has lost its teeth (its cases are those of "
             "SQRTDK_MUTANT_SEED="
          << mutant_seed() << ")";
      EXPECT_TRUE(detail::suite_has(mutant.aimed_at))
          << "the mutant '" << mutant.name << "' is aimed at " << mutant.aimed_at
          << ", which is not a test of this suite: name one that must kill it";
    }
    EXPECT_TRUE(std::any_of(mutants.begin(), mutants.end(),
                            [&](const auto& mutant) { return mutant.aimed_at == here; }))
        << "no mutant is aimed at " << current_test_name()
        << ": add a wrong implementation that it must reject";
  }
  evidence().record();
}

}  // namespace sqrtdk::testing
