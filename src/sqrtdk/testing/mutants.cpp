#include <sqrtdk/testing/laws/run_apart.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_at.hpp>
#include <sqrtdk/testing/reporting/ledger.hpp>
#include <sqrtdk/testing/reporting/mutant_run.hpp>
#include <sqrtdk/testing/reporting/source_location.hpp>

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace sqrtdk::testing {

namespace {

/// The fate of a mutant.
enum class Fate {
  survived,  ///< nothing was found
  threw,     ///< nothing but an exception, as any call of the mutant would have found
  caught,    ///< an assertion failed, or a test that looks at refusals met one
  crashed    ///< its process ended, or was ended after a long time
};

Fate fate_here(const std::function<void()>& check) {
  evidence() = Evidence();
  checking_a_mutant() = true;
  ::testing::TestPartResultArray results;
  bool threw = false;
  {
    using Reporter = ::testing::ScopedFakeTestPartResultReporter;
    const Reporter reporter(Reporter::INTERCEPT_ONLY_CURRENT_THREAD, &results);
    try {
      check();
    } catch (...) {  // RapidCheck throws what is no std::exception
      threw = true;
    }
  }
  std::uint64_t failures = 0;
  for (int i = 0; i < results.size(); ++i)
    if (results.GetTestPartResult(i).failed()) ++failures;
  if (failures > evidence().exceptions()) return Fate::caught;
  if (!threw && failures == 0) return Fate::survived;
  return evidence().refusals() > 0 ? Fate::caught : Fate::threw;
}

/// The fate in a copy of this process, since a mutant may crash or hang.
std::pair<Fate, std::string> fate_by(const std::function<void()>& check) {
  const Evidence kept = evidence();
  const Ending ending = run_apart([&] { return static_cast<int>(fate_here(check)); });
  evidence() = kept;  // without fork(), the check ran in this process
  checking_a_mutant() = false;
  if (!ending.cause.empty()) return {Fate::crashed, ending.cause};
  return {static_cast<Fate>(ending.value), ""};
}

/// Expects that the running test has taken as many risks as the ledger says.
void expect_ledger_spent(const SourceLocation& place) {
  const LedgerEntry* entry = detail::entry_of_running_test();
  if (entry == nullptr) return;
  expect_at(evidence().risks() == entry->risks,
            "the ledger enters " + std::to_string(entry->risks) + " risks for " +
                std::string(entry->test) + ", which took " + std::to_string(evidence().risks()) +
                ": enter how many there are, so that its sum stays true",
            place);
}

/// Expects that the running test has evidence, and of the kind that it claims.
void expect_evidence(const SourceLocation& place) {
  const std::string test = current_test_name();
  const Evidence& seen = evidence();
  if (!seen.level() && seen.refusals() == 0)
    expect_at(false,
              test +
                  " has no evidence: nothing says how it knows that its check holds. Compare "
                  "exact values by EXPECT_EXACTLY(a == b); in floating point, say what it rests "
                  "on, evidence().rests_on(EvidenceLevel::bounded) if the page derives the "
                  "bound, or measured, statistical, empirical",
              place);
  expect_at(seen.is_of_a_check(),
            test + " puts other evidence in the place of its own: leave evidence() as it is",
            place);
  expect_at(!seen.level() || seen.shows_something(),
            test +
                " says what it rests on, but shows nothing: no case, no value, no draw and no "
                "error beside its bound. Hold values to bounds by expect_near() or "
                "Evidence::worst(), or count what was enumerated",
            place);
  expect_at(seen.level() != EvidenceLevel::statistical || seen.has("n"),
            test +
                " says that it is statistical, but examined no sample: use expect_draws(), which "
                "says how many numbers were drawn",
            place);
  expect_at(seen.keeps_its_bounds(),
            test +
                " notes a bound that is infinite, or an error beyond its bound: assert what is "
                "noted, and leave out what a bound says nothing of",
            place);
  expect_at(seen.level() != EvidenceLevel::exact || !seen.has_idle_property(),
            test +
                " compares exact values, but has a for_all() in whose cases nothing is compared: "
                "use EXPECT_EXACTLY(a == b) there",
            place);
  expect_at(seen.level() != EvidenceLevel::exact || !seen.has_bound(),
            test +
                " compares exact values, but also holds an error to a bound: say "
                "evidence().rests_on(EvidenceLevel::bounded), or what else that bound is",
            place);
  if (seen.about() != "statement") return;
  expect_at(!seen.has("counterexample"),
            test +
                " is a counterexample, which shows what fails without a hypothesis and so is no "
                "check of the statement: write check_with_mutants for check_statement, or make "
                "two tests of it",
            place);
  expect_at(seen.level() || seen.refusals() == 0,
            test +
                " looks at refusals alone, of which the statement says nothing: write "
                "check_with_mutants for check_statement",
            place);
}

/// The test that must kill a mutant; empty if none is named.
std::string killer_of(const detail::MutantLabel& mutant) {
  return mutant.expected_killer == nullptr ? "" : mutant.expected_killer;
}

bool is_test_of_running_suite(const std::string& name) {
  const auto* suite = ::testing::UnitTest::GetInstance()->current_test_suite();
  for (int i = 0; i < suite->total_test_count(); ++i)
    if (suite->GetTestInfo(i)->name() == name) return true;
  return false;
}

/// Expects that a mutant is aimed at a test of the running suite; says so once in a run.
void expect_killer_exists(const detail::MutantLabel& mutant, const SourceLocation& place) {
  static std::set<std::pair<std::string, std::string>> said;
  const std::string killer = killer_of(mutant);
  if (is_test_of_running_suite(killer)) return;
  const char* suite = ::testing::UnitTest::GetInstance()->current_test_suite()->name();
  if (!said.emplace(suite, mutant.name).second) return;
  expect_at(false,
            "the mutant '" + std::string(mutant.name) + "' " +
                (killer.empty() ? "names no killer"
                                : "is aimed at " + killer + ", which is not a test of this suite") +
                ": name the test that must kill it",
            place);
}

}  // namespace

void detail::check_with_mutants(About about, const std::vector<MutantLabel>& mutants,
                                const std::function<void()>& on_library,
                                const std::function<void(std::size_t)>& on_mutant,
                                const SourceLocation& place) {
  const std::string here = ::testing::UnitTest::GetInstance()->current_test_info()->name();
  expect_at(evidence().is_empty(),
            current_test_name() +
                " says or does something before its check, or has two: put all "
                "into one check_statement(…) or check_with_mutants(…)",
            place);
  evidence() = Evidence();
  evidence().begin_check(about == About::statement);
  on_library();
  if (!::testing::Test::HasFailure()) expect_ledger_spent(place);
  if (!::testing::Test::HasFailure()) expect_evidence(place);
  const MutantsMet met = mutants_met();
  if (!::testing::Test::HasFailure() && met != MutantsMet::none) {
    for (std::size_t i = 0; i < mutants.size(); ++i) {
      const std::string name = mutants[i].name;
      const std::string expected_killer = killer_of(mutants[i]);
      expect_killer_exists(mutants[i], place);
      if (expected_killer != here && met == MutantsMet::aimed) continue;
      const auto [fate, cause] = fate_by([&] { on_mutant(i); });
      const bool killed =
          fate == Fate::caught || (fate == Fate::threw && mutants[i].death == Death::by_exception);
      // Keys of the record: "spared" for a mutant that survives, "aimed" for one expected to die.
      evidence().add_line(killed ? "killed" : "spared", name);
      if (expected_killer == here) evidence().add_line("aimed", name);
      expect_at(expected_killer != here || fate != Fate::crashed,
                "the mutant '" + name + "' ends the program in " + current_test_name() + " (" +
                    cause + "): let it return a wrong value, or throw",
                place);
      expect_at(killed || expected_killer != here || fate != Fate::threw,
                "the mutant '" + name + "' dies in " + current_test_name() +
                    " by nothing but what it throws, as by any call of it: let the check compare "
                    "what it returns, or, if it is wrong in that it throws, add "
                    "Death::by_exception to it",
                place);
      expect_at(expected_killer != here || fate != Fate::survived,
                "the mutant '" + name + "' survives " + current_test_name() +
                    ", which is there to kill it: the check has lost its teeth (its cases are "
                    "those of SQRTDK_MUTANT_SEED=" +
                    std::to_string(mutant_seed()) + ")",
                place);
    }
    // A mutant that is aimed at no test may be meant for this one; that was said.
    expect_at(std::any_of(mutants.begin(), mutants.end(),
                          [&](const MutantLabel& mutant) {
                            const std::string killer = killer_of(mutant);
                            return killer == here || !is_test_of_running_suite(killer);
                          }),
              "no mutant is aimed at " + current_test_name() +
                  ": add a wrong implementation that it must reject",
              place);
  }
  evidence().record();
}

}  // namespace sqrtdk::testing
