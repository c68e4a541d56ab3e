// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief RapidCheck properties with a seed of their own, evidence, and a line that replays them.
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdint>
#include <sstream>
#include <string>
#include <unordered_map>
#include <utility>

#include "sqrtdk/testing/evidence.hpp"
#include "sqrtdk/testing/float_text.hpp"
#include "sqrtdk/testing/seed.hpp"

namespace sqrtdk::testing {

/// How many cases a property tries unless it says otherwise.
inline constexpr int default_cases = 200;

/// The program that runs the tests, as it was called; set by run().
inline std::string& program_name() {
  static std::string name = "<test program>";
  return name;
}

/// Whether the running law is judging a mutant: then a failure is wanted, and is not shrunk.
inline bool& judging_a_mutant() {
  static bool judging = false;
  return judging;
}

/// The command that runs the current test again with the same numbers.
inline std::string replay_line() {
  return "SQRTDK_SEED=" + std::to_string(master_seed()) + " " + program_name() +
         " --gtest_filter=" + current_test_name();
}

/// Checks a property for many generated cases and, if one fails, shows the simplest that was found.
///
/// Must be called in a GoogleTest body. Inside the property use `RC_ASSERT` and `RC_PRE`:
/// GoogleTest's own macros would neither stop nor shrink it. \param property a callable that draws
/// its inputs from RapidCheck generators. \param cases    how many cases must hold, at least 1.
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

}  // namespace detail

template <class Property>
void for_all(Property&& property, int cases) {
  rc::detail::TestParams params;
  params.seed = seed_of(master_seed(), current_test_name(), evidence().next_stream());
  params.maxSuccess = cases;
  params.disableShrinking = judging_a_mutant();

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
  ADD_FAILURE() << message.str() << "\nreplay: " << replay_line();
}

}  // namespace sqrtdk::testing
