// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief RapidCheck properties with a seed of their own, evidence, and a line that replays them.
#pragma once

#include <sqrtdk/testing/corpus.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/judging.hpp>
#include <sqrtdk/testing/statistics/seed.hpp>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdint>
#include <filesystem>
#include <sstream>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace sqrtdk::testing {

/// How many cases a property tries unless it says otherwise.
inline constexpr int default_cases = 200;

/// The program that runs the tests, as it was called; set by run().
inline std::string& program_name() {
  static std::string name = "<test program>";
  return name;
}

/// The command that runs the current test again with the same numbers.
inline std::string replay_line() {
  return "SQRTDK_SEED=" + std::to_string(master_seed()) + " " + program_name() +
         " --gtest_filter=" + current_test_name();
}

/// Checks a property for its cases in the corpus, then for many generated ones; if one of these
/// fails, shows the simplest that was found.
///
/// Must be called in a GoogleTest body. Inside the property use `RC_ASSERT` and `RC_PRE`:
/// GoogleTest's own macros would neither stop nor shrink it.
///
/// \param property a callable that draws its inputs by input() or, if it has no corpus, from
///                 RapidCheck generators.
/// \param cases    how many generated cases must hold, at least 1.
template <class Property>
void for_all(Property&& property, int cases = default_cases);

// ------------------------------------------------------------------------------------------------

namespace detail {

/// Counts the cases that RapidCheck discards.
class DiscardCounter : public rc::detail::TestListener {
 public:
  void onTestCaseFinished(const rc::detail::CaseDescription& description) override {
    if (description.result.type == rc::detail::CaseResult::Type::Discard) ++discards;
  }
  void onShrinkTried(const rc::detail::CaseDescription&, bool) override {}
  void onTestFinished(const rc::detail::TestMetadata&, const rc::detail::TestResult&) override {}

  std::uint64_t discards = 0;
};

/// Replays a case of the corpus.
/// \return what is wrong with it; empty if the property holds.
template <class Property>
std::string wrong_with(const CorpusCase& replayed, const Property& property) {
  using rc::detail::CaseResult;
  const std::string place = replayed.file + ":" + std::to_string(replayed.line) + ": ";
  Replay replay(replayed);
  const CaseResult result = rc::detail::PropertyAdapter<std::decay_t<Property>>(property)().result;
  if (result.type == CaseResult::Type::Discard)
    return place + "this case is discarded, so that it checks nothing\n" + result.description;
  if (result.type == CaseResult::Type::Failure)
    return place + "this case of the corpus fails\n\n" + result.description;
  return replay.unread_input();
}

/// Replays the cases of the corpus; whether the property holds for all of them.
template <class Property>
bool holds_on_corpus(const Property& property, const std::filesystem::path& file) {
  const std::vector<CorpusCase> cases = load_corpus(file);
  for (const CorpusCase& replayed : cases)
    if (const std::string wrong = wrong_with(replayed, property); !wrong.empty()) {
      ADD_FAILURE() << wrong << "\nreplay: " << replay_line();
      return false;
    }
  if (!cases.empty())
    evidence().add_line("corpus",
                        file.filename().generic_string() + "\t" + std::to_string(cases.size()));
  return true;
}

}  // namespace detail

template <class Property>
void for_all(Property&& property, int cases) {
  const std::uint64_t stream = evidence().next_stream();
  const std::filesystem::path file = corpus_file(current_test_name(), stream);
  if (!detail::holds_on_corpus(property, file)) return;

  rc::detail::TestParams params;
  params.seed = seed_of(active_seed(), current_test_name(), stream);
  params.maxSuccess = cases;
  params.disableShrinking = judging_a_mutant();
  params.maxDiscardRatio = 1000;  // to give up would be to fail by chance

  detail::drawn_inputs().clear();
  detail::DiscardCounter counter;
  const rc::detail::TestMetadata metadata{current_test_name(), current_test_name()};
  // With an explicit list of cases to reproduce (none), RapidCheck reads no configuration of its
  // own and so does not announce a random seed that nothing uses.
  const rc::detail::TestResult result =
      rc::detail::checkTestable(std::forward<Property>(property), metadata, params, counter,
                                std::unordered_map<std::string, rc::detail::Reproduce>());

  if (result.template is<rc::detail::SuccessResult>()) {
    const int held = result.template get<rc::detail::SuccessResult>().numSuccess;
    evidence().add_cases(static_cast<std::uint64_t>(held), counter.discards);
    return;
  }
  std::ostringstream message;
  rc::detail::printResultMessage(result, message);
  if (result.template is<rc::detail::FailureResult>())
    message << detail::proposed_case(
        result.template get<rc::detail::FailureResult>().counterExample, file);
  ADD_FAILURE() << message.str() << "\nreplay: " << replay_line();
}

}  // namespace sqrtdk::testing
