// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief The tests of a claim, each followed by the wrong versions that it kills.
///
/// ```cpp
/// struct Subject {  // the functions under test; by default the library's
///   double (*variance)(unsigned d) = score_variance;
/// };
///
/// STATEMENT(ScoreVariance, IsTheDimension) {
///   for (unsigned d = 1; d <= 8; ++d) EXPECT_EXACTLY(Rational(subject.variance(d)) == d);
///   enumerated(8);
/// }
/// KILLS("the root of d", {.variance = [](unsigned d) { return std::sqrt(d); }});
/// ```
#pragma once

#include <sqrtdk/testing/mutants.hpp>

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace sqrtdk::testing::detail {

struct TestName {
  const char* claim;
  const char* test;
};

/// The last test of a claim that was defined. The variables of a file are initialized in their order.
inline TestName& last_test() {
  static TestName name{};
  return name;
}

/// The mutants of a claim, in the order of its file.
template <class Subject>
std::vector<Mutant<Subject>>& mutants_of(const std::string& claim) {
  static std::map<std::string, std::vector<Mutant<Subject>>> of_claims;
  return of_claims[claim];
}

/// Adds a mutant that the last test has to kill.
template <class Subject>
struct Kills {
  Kills(const char* name, Subject wrong, Death death = Death::by_assertion) {
    const auto& [claim, test] = last_test();
    mutants_of<Subject>(claim).push_back({name, test, std::move(wrong), death});
  }
};

}  // namespace sqrtdk::testing::detail

#define SQRTDK_JOIN_(a, b) a##b
#define SQRTDK_JOIN(a, b) SQRTDK_JOIN_(a, b)

#define SQRTDK_TEST_OF_CLAIM(check, claim, test)                                     \
  static void SQRTDK_JOIN(check_, test)(const Subject& subject);                     \
  TEST(claim, test) {                                                                \
    ::sqrtdk::testing::check(::sqrtdk::testing::detail::mutants_of<Subject>(#claim), \
                             SQRTDK_JOIN(check_, test));                             \
  }                                                                                  \
  static const auto SQRTDK_JOIN(name_, test) =                                       \
      ::sqrtdk::testing::detail::last_test() = {#claim, #test};                      \
  static void SQRTDK_JOIN(check_, test)([[maybe_unused]] const Subject& subject)

/// A test of what a claim states. check_statement() runs its body with the library, where it has to
/// pass, then with each mutant aimed at it, where it has to fail. Its parameter `subject` has the
/// functions under test: a `Subject` of the file or of its chapter, by default the library.
/// \param claim the claim, which is the suite.
/// \param test  a sentence.
#define STATEMENT(claim, test) SQRTDK_TEST_OF_CLAIM(check_statement, claim, test)

/// A test beside the statement (a counterexample, a refusal, …), run by check_with_mutants().
/// \param claim the claim, which is the suite.
/// \param test  a sentence.
#define ASIDE(claim, test) SQRTDK_TEST_OF_CLAIM(check_with_mutants, claim, test)

/// A mutant that the test above has to kill: a few words on its mistake, a `Subject` with the wrong
/// function, and Death::by_exception if throwing is the mistake. Helpers of mutants are above the test.
#define KILLS(name, ...)                                                                \
  static const ::sqrtdk::testing::detail::Kills<Subject> SQRTDK_JOIN(kills_, __LINE__)( \
      name, __VA_ARGS__)
