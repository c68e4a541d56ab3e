// SPDX-License-Identifier: BSL-1.0
#include "exercises/exercise.hpp"

#include <sqrtdk/testing/property.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <regex>
#include <string>

namespace sqrtdk::exercises {

namespace {

/// A failure without the line that replays it, which is for programs of claims, and without places
/// in the kit.
std::string for_a_student(std::string message) {
  message.resize(std::min(message.size(), message.find("\nreplay: ")));
  static const std::regex places("[^\n]*:[0-9]+:\n(RC_FAIL[^\n]*\n+)?");
  return std::regex_replace(message, places, "");
}

/// Prints what a student needs: of each test the first failure, as it is said, and each mutant that
/// survives.
class Failures : public ::testing::EmptyTestEventListener {
  void OnTestEnd(const ::testing::TestInfo& test) override {
    std::cout << test.test_suite_name() << '.' << test.name() << ": ";
    std::cout << (test.result()->Passed() ? "passed\n" : "failed\n");
    bool said = false;
    for (int i = 0; i < test.result()->total_part_count(); ++i) {
      const auto& part = test.result()->GetTestPartResult(i);
      const std::string message = part.message();
      if (!part.failed() || (said && message.find("' survives ") == std::string::npos)) continue;
      said = true;
      std::cout << for_a_student(message) << "\n\n";
    }
  }
};

}  // namespace

std::vector<HandedIn>& handed_in() {
  static std::vector<HandedIn> answers;
  return answers;
}

int judge(const std::string& name) {
  const auto& answers = handed_in();
  const auto answer = std::find_if(answers.begin(), answers.end(), [&](const HandedIn& candidate) {
    return candidate.name == name || (name.empty() && answers.size() == 1);
  });
  if (answer == answers.end()) {
    std::cerr << "there is no answer '" << name << "'; there are";
    for (const HandedIn& other : answers) std::cerr << ' ' << other.name;
    std::cerr << '\n';
    return 2;
  }
  answer->hand_in();
  GTEST_FLAG_SET(filter, answer->tests);
  auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
  delete listeners.Release(listeners.default_result_printer());
  listeners.Append(new Failures);
  const int status = RUN_ALL_TESTS();
  if (::testing::UnitTest::GetInstance()->test_to_run_count() == 0) {
    std::cerr << "no test judges " << answer->name << '\n';
    return 2;
  }
  std::cout << answer->name << (status == 0 ? " is solved.\n" : " is not solved yet.\n");
  return status;
}

}  // namespace sqrtdk::exercises

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  sqrtdk::testing::detail::program_name() = argv[0];
  return sqrtdk::exercises::judge(argc > 1 ? argv[1] : "");
}
