#include "exercises/exercise.hpp"

#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/expect_at.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>
#include <sqrtdk/testing/reporting/mutant_run.hpp>
#include <sqrtdk/testing/run.hpp>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <random>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#ifndef __has_feature  // of Clang
#define __has_feature(feature) 0
#endif

namespace sqrtdk::exercises {

namespace {

std::vector<Exercise>& exercises() {
  static std::vector<Exercise> all;
  return all;
}

std::string& last_call() {
  static std::string one;
  return one;
}

/// What a comparison of two values should have found. Its relation is outside of brackets.
std::string as_it_should_be(const std::smatch& comparison) {
  static const std::vector<std::pair<std::string, std::string>> relations = {
      {" == ", " = "}, {" != ", " ≠ "}, {" <= ", " ≤ "},
      {" >= ", " ≥ "}, {" < ", " < "},  {" > ", " > "}};
  const std::string expression = comparison[1];
  int depth = 0;
  for (std::size_t i = 0; i < expression.size(); ++i) {
    const std::string_view here = std::string_view(expression).substr(i);
    if (std::string_view("([{").find(here[0]) != std::string_view::npos) ++depth;
    if (std::string_view(")]}").find(here[0]) != std::string_view::npos) --depth;
    for (const auto& [relation, sign] : relations)
      if (depth == 0 && here.substr(0, relation.size()) == relation)
        return "  this does not hold: " + comparison[2].str() + sign + comparison[3].str();
  }
  return "  these do not agree: " + comparison[2].str() + " and " + comparison[3].str();
}

std::string without_end(const std::string& lines) {
  return lines.substr(0, lines.find_last_not_of('\n') + 1);
}

/// The parts of a message of a property that failed.
struct Counterexample {
  std::string drawn, calls, message;

  explicit Counterexample(const std::string& text) : message(text) {
    static const std::regex name("(?!Exception thrown)[^\n]*[^0-9:\n][0-9]*:\n[^]*");
    if (const std::size_t log = message.find("\n\nLog:\n"); log != std::string::npos) {
      calls = without_end(message.substr(log + 7)) + '\n';
      message.resize(log + 1);
    }
    message.erase(0, message.find("\n\n") + 2);
    for (std::size_t end = 0; (end = message.find("\n\n")) != std::string::npos;) {
      const std::size_t line = message.find('\n') + 1;
      if (line < 3 || !std::regex_match(message.substr(0, line), name)) break;
      drawn += message.substr(0, end + 2);
      message.erase(0, end + 2);
    }
  }
};

/// A failure in a student's words: without replay line, places in the kit, or advice on a mutant.
/// \param of_the_task true if the names of what was drawn are words of the task.
std::string for_a_student(std::string message, bool of_the_task) {
  message.resize(std::min(message.size(), message.find("\nreplay: ")));
  static const std::regex places(
      "[^\n]*:[0-9]+:\n(RC_FAIL[^\n]*\n+)?|RC_ASSERT[^\n]*\n+(Expands "
      "to:\n[^\n]*\n*)?|^Failed\n|expected exactly: (says_yes[^\n]*|[a-z_]+)\n|"
      "Exception thrown with message:\n|Value of: [^\n]*\n  Actual: false[^\n]*\nExpected: true\n");
  static const std::regex explained("expected exactly: [^\n]*\n(?=[0-9A-Za-z(])");
  static const std::regex asked("expected exactly: ([^\n]*)\n");
  static const std::regex compared(
      "expected exactly: ([^\n]*)\n  which is +([^\n]*) against +([^\n]*)");
  static const std::regex bits("-?0x[0-9a-f.]+p[-+][0-9]+ = ");
  static const std::regex survivor("(the mutant '[^\n]*') survives [^\n]*");
  static const std::regex truths("  which is (true against false|false against true)(\n|$)");
  static const std::regex ended("(the mutant '[^\n]*') ends the program in [^\n]*");
  static const std::regex raised("(the mutant '[^\n]*') dies in [^\n]* by nothing but [^\n]*");
  static const std::regex thrown(
      "C\\+\\+ exception with description \"([^]*)\" thrown in [^\n]*\\.");
  if (message.find("Falsifiable after ") != std::string::npos) {
    const Counterexample found(message);
    const bool is_shown = of_the_task || found.calls.empty();
    message = "The smallest case that was found:\n" + (is_shown ? '\n' + found.drawn : "") +
              found.calls + found.message;
  }
  message = std::regex_replace(message, places, "");
  static const std::regex lines(  // of a vector
      "(  which is [^\n]*)\n *(-?[0-9/]+( against -?[0-9/]+)?(\n|$))");
  while (std::regex_search(message, lines)) message = std::regex_replace(message, lines, "$1 $2");
  message = std::regex_replace(message, truths, "");
  for (std::smatch two; std::regex_search(message, two, compared);)
    message = two.prefix().str() + as_it_should_be(two) + two.suffix().str();
  message = std::regex_replace(message, explained, "");
  message = std::regex_replace(message, asked, "the check asks whether $1\n");
  message = std::regex_replace(message, bits, "");
  message = std::regex_replace(message, thrown, "$1");
  message = std::regex_replace(
      message, ended, "$1 cannot answer your check: call it with nothing but what the task allows");
  message = std::regex_replace(
      message, raised, "$1 makes your check raise an exception, where False would be the answer");
  message =
      std::regex_replace(message, survivor, "$1 survives: your check says yes of it in every case");
  return without_end(message);
}

/// Prints of each test the first failure, and each mutant that is not caught.
class Failures : public ::testing::EmptyTestEventListener {
  std::string called_;

  void OnTestStart(const ::testing::TestInfo&) override { called_.clear(); }
  void OnTestPartResult(const ::testing::TestPartResult& part) override {
    if (part.failed() && called_.empty()) called_ = last_call();
  }
  void OnTestProgramStart(const ::testing::UnitTest& all) override {
    std::cout << "parts " << all.test_to_run_count() << std::endl;
  }
  void OnTestEnd(const ::testing::TestInfo& test) override {
    std::cout << "part " << test.result()->Passed() << std::endl;
    std::cerr << test.test_suite_name() << '.' << test.name() << ": ";
    std::cerr << (test.result()->Passed() ? "passed\n" : "failed\n");
    bool said = false;
    for (int i = 0; i < test.result()->total_part_count(); ++i) {
      const auto& part = test.result()->GetTestPartResult(i);
      const std::string message = part.message();
      const bool of_a_mutant = message.find("the mutant '") != std::string::npos;
      if (!part.failed() || (said && !of_a_mutant)) continue;
      const bool fixed = message.find("Falsifiable") == std::string::npos && !of_a_mutant;
      if (!said && fixed) std::cerr << called_;
      said = true;
      const bool of_the_task =
          std::string_view(test.file()).find("judges.cpp") != std::string_view::npos;
      std::cerr << for_a_student(message, of_the_task) << "\n\n";
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

void remark(const std::string& line) {
  last_call() += line + '\n';
  if (testing::detail::trying_a_case() && !testing::checking_a_mutant()) RC_LOG() << line << '\n';
}

std::string answer_to(const std::string& call, const std::string& shown,
                      const Callbacks& callbacks) {
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
    last_call().clear();
    if (kind == "raised") throw std::runtime_error(rest);
    remark(shown + " returned " + rest.substr(rest.find('\t') + 1));
    return rest;
  }
  std::exit(1);  // the program that has the student's functions has ended, and has said why
}

rc::Gen<Rational> in_parts(int from, int to, int parts) {
  return rc::gen::map(rc::gen::inRange(from, to), [=](int n) { return Rational(n, parts); });
}

rc::Gen<Rational> one_over(int from, int to) {
  return rc::gen::map(rc::gen::inRange(from, to), [](int n) { return Rational(1, n); });
}

int& rejections() {
  static int count = 0;
  return count;
}

/// The next call is of a process that knows of none before it.
void forget() { std::cout << "anew" << std::endl; }

bool approves(const std::function<bool()>& of_judged, const std::function<bool()>& of_right) {
  if (!testing::checking_a_mutant()) return of_judged();
  static std::random_device coin;  // a seed could be foreseen
  const auto contradicts = [](const char* how) {
    std::cout << how << std::endl;
    std::exit(1);
  };
  static bool is_first = true;  // each mutant has a process of the judges
  if (std::exchange(is_first, false)) forget();
  const bool right_first = coin() % 2 == 0;
  if (right_first && !of_right()) contradicts("refuses");
  const bool said = of_judged();
  if (!right_first && !of_right()) contradicts("refuses");
  if (said) return true;
  for (int i = 0; rejections() == 0 && i < 20; ++i) {
    if (i % 7 == 0) forget();
    if (coin() % 2 == 0 ? !of_right() : of_judged()) contradicts("wavers");
  }
  return ++rejections() < 12;
}

void for_law(const std::function<void()>& property, int cases) {
  testing::for_all(std::cref(property), cases);
  const bool is_kept = rejections() == 0;
  EXPECT_EXACTLY(is_kept);
}

}  // namespace sqrtdk::exercises

int main(int argc, char** argv) {
#if !defined(__SANITIZE_ADDRESS__) && !__has_feature(address_sanitizer)
  const rlimit memory = {rlim_t{4} << 30, rlim_t{4} << 30};
  setrlimit(RLIMIT_AS, &memory);  // whatever a check asks its functions for
#endif
  ::testing::InitGoogleTest(&argc, argv);
  sqrtdk::testing::detail::program_name() = argv[0];
  return sqrtdk::exercises::judge(argc > 1 ? argv[1] : "");
}
