#include "exercises/exercise.hpp"

#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/run.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace sqrtdk::exercises {

namespace {

std::vector<Exercise>& exercises() {
  static std::vector<Exercise> all;
  return all;
}

/// A failure in a student's words: without replay line, places in the kit, or advice on a mutant.
std::string for_a_student(std::string message) {
  message.resize(std::min(message.size(), message.find("\nreplay: ")));
  static const std::regex places(
      "[^\n]*:[0-9]+:\n(RC_FAIL[^\n]*\n+)?|^Failed\n|expected exactly: (ask<[^\n]*|[a-z_]+)\n|"
      "Exception thrown with message:\n|Value of: [^\n]*\n  Actual: false[^\n]*\nExpected: true\n");
  static const std::regex smallest("Falsifiable after [^\n]*\n");
  static const std::regex survivor("(the mutant '[^\n]*') survives [^\n]*");
  static const std::regex raised("(the mutant '[^\n]*') dies in [^\n]* by nothing but [^\n]*");
  static const std::regex thrown(
      "C\\+\\+ exception with description \"([^]*)\" thrown in [^\n]*\\.");
  message = std::regex_replace(message, places, "");
  message = std::regex_replace(message, smallest, "The smallest case that was found:\n");
  message = std::regex_replace(message, thrown, "$1");
  message = std::regex_replace(
      message, raised, "$1 makes your check raise an exception, where False would be the answer");
  return std::regex_replace(message, survivor,
                            "$1 survives: your check says yes of it in every case");
}

/// Prints of each test the first failure, and each mutant that is not caught.
class Failures : public ::testing::EmptyTestEventListener {
  void OnTestEnd(const ::testing::TestInfo& test) override {
    std::cerr << test.test_suite_name() << '.' << test.name() << ": ";
    std::cerr << (test.result()->Passed() ? "passed\n" : "failed\n");
    bool said = false;
    for (int i = 0; i < test.result()->total_part_count(); ++i) {
      const auto& part = test.result()->GetTestPartResult(i);
      const std::string message = part.message();
      const bool of_a_mutant = message.find("the mutant '") != std::string::npos;
      if (!part.failed() || (said && !of_a_mutant)) continue;
      said = true;
      std::cerr << for_a_student(message) << "\n\n";
    }
  }
};

/// What a judges' function returns to the student's code: an expression, or one that raises.
std::string returned(const std::function<std::string(std::istream&)>& callback,
                     std::istream& arguments) {
  try {
    return callback(arguments);
  } catch (const std::exception& error) {
    return "raises(" + in_python(std::string(error.what())) + ')';
  }
}

/// \return 0 if nothing is, 1 if something is, 2 if there is no such exercise or no test of it.
int judge(const std::string& name) {
  const auto exercise = std::find_if(exercises().begin(), exercises().end(),
                                     [&](const Exercise& each) { return each.name == name; });
  if (exercise == exercises().end()) {
    std::cerr << "there is no exercise '" << name << "'; there are";
    for (const Exercise& each : exercises()) std::cerr << ' ' << each.name;
    std::cerr << '\n';
    return 2;
  }
  exercise->hand_in();
  GTEST_FLAG_SET(filter, exercise->tests);
  auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
  delete listeners.Release(listeners.default_result_printer());
  listeners.Append(new Failures);
  return testing::detail::run_selected_tests();
}

}  // namespace

Judged::Judged(std::string name, std::string tests, std::function<void()> hand_in) {
  exercises().push_back({std::move(name), std::move(tests), std::move(hand_in)});
}

std::string answer_to(const std::string& call, const Callbacks& callbacks) {
  std::cout << call << std::endl;
  std::string line;
  std::string kind;
  while (std::getline(std::cin, line)) {
    std::istringstream words(line);
    words >> kind >> std::ws;
    if (kind == "call") {
      std::size_t number = 0;
      words >> number;
      std::cout << returned(callbacks.at(number), words) << std::endl;
      continue;
    }
    std::string rest;
    std::getline(words, rest);
    if (kind == "raised") throw std::runtime_error(rest);
    return rest;
  }
  std::exit(1);  // the program that has the student's functions has ended, and has said why
}

}  // namespace sqrtdk::exercises

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  sqrtdk::testing::detail::program_name() = argv[0];
  return sqrtdk::exercises::judge(argc > 1 ? argv[1] : "");
}
