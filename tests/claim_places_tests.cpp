// A failed test of a claim says which claim that is. What is to fail runs in a process of its own.
#include <sqrtdk/testing/claim_places.hpp>
#include <sqrtdk/testing/property.hpp>

#include "tests/own_directory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace sqrtdk::testing;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr ClaimPlace places[] = {{"SumsCommute", "In any order, a + b is the same.", "sums.html"},
                                 {"DISABLED_SumsOfSetUp", "They are set up.", "setup.html"},
                                 {"SumsOfEach", "Each is 0.", "each.html"},
                                 {"SumsOfTypes", "Of any type.", "types.html"}};
const bool explained = (explain_failures(places), true);

TEST(SumsCommute, DISABLED_OfRandomNumbers) {
  for_all([] { RC_ASSERT(*rc::gen::inRange(3, 9).as("x") < 3); });
}
TEST(SumsCommute, DISABLED_OfTwoPairs) {
  EXPECT_EQ(1 + 2, 4);
  EXPECT_EQ(2 + 2, 5);
}
TEST(SumsCommute, DISABLED_WhenSomethingIsThrown) { throw std::runtime_error("no sum"); }
TEST(SumsCommute, DISABLED_Holds) {}
TEST(SumsCommute, DISABLED_IsSkipped) { GTEST_SKIP(); }
class DISABLED_SumsOfSetUp : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { ADD_FAILURE() << "nothing is set up"; }
};
TEST_F(DISABLED_SumsOfSetUp, Hold) {}
class SumsOfEach : public ::testing::TestWithParam<int> {};
TEST_P(SumsOfEach, DISABLED_Hold) { EXPECT_EQ(GetParam(), 0); }
INSTANTIATE_TEST_SUITE_P(All, SumsOfEach, ::testing::Values(1));
template <class T>
class SumsOfTypes : public ::testing::Test {};
TYPED_TEST_SUITE(SumsOfTypes, ::testing::Types<int>);
TYPED_TEST(SumsOfTypes, DISABLED_Hold) { EXPECT_EQ(TypeParam(1), 0); }
TEST(Kernel, DISABLED_OfSomebodyElse) {
  for_all([] { RC_FAIL("as it should"); }, 1);
}

std::string said_by(const std::string& test, const std::string& part) {
  const auto folder =
      make_own_directory(std::filesystem::path(::testing::TempDir()) / "claim_places_tests");
  const std::string out = (folder / "out").string();
  const std::string command = "env -u GTEST_TOTAL_SHARDS -u GTEST_SHARD_INDEX '" +
                              sqrtdk::testing::detail::program_name() +
                              "' --gtest_also_run_disabled_tests --gtest_filter='" + test +
                              "' --gtest_output='xml:" + out + ".xml' > '" + out + ".txt'";
  EXPECT_EQ(std::system(command.c_str()) == 0, test == "SumsCommute.DISABLED_Holds");
  std::ifstream file(out + part);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  file.close();
  std::filesystem::remove_all(folder);
  return text;
}

std::ptrdiff_t count(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  return std::distance(std::sregex_iterator(text.begin(), text.end(), regex), {});
}

TEST(ClaimPlaces, AFailureOfAClaimHasEachPartOnce) {
  ASSERT_TRUE(explained);
  for (const auto& [test, what_fails] : {std::pair("DISABLED_OfRandomNumbers", "x:\n3\n"),
                                         std::pair("DISABLED_OfTwoPairs", "2 \\+ 2\n"),
                                         std::pair("DISABLED_WhenSomethingIsThrown", "no sum")}) {
    const std::string name = std::string("SumsCommute.") + test;
    const std::string text = said_by(name, ".txt");
    for (const std::string& part : {std::string(what_fails), std::string("\nclaim: SumsCommute\n"),
                                    std::string("\nsays: In any order, a \\+ b is the same.\n"),
                                    std::string("\npage: sums.html\n"),
                                    "\nreplay: SQRTDK_SEED=\\d+ .*--gtest_filter=" + name + "\n"})
      EXPECT_EQ(count(text, part), 1) << part << " in\n" << text;
    const std::string junit = said_by(name, ".xml");
    EXPECT_EQ(count(junit, "<failure message=\"[^>]*claim: SumsCommute"), 1) << junit;
  }
}

TEST(ClaimPlaces, SuitesAreNamedAsTheSourceHasThem) {
  for (const auto& [test, page] : {std::pair("DISABLED_SumsOfSetUp.Hold", "setup"),
                                   std::pair("All/SumsOfEach.DISABLED_Hold/0", "each"),
                                   std::pair("SumsOfTypes/0.DISABLED_Hold", "types")}) {
    const std::string text = said_by(test, ".txt");
    EXPECT_EQ(count(text, "\npage: " + std::string(page) + "\\.html\n"), 1) << text;
  }
}

TEST(ClaimPlaces, WhatHoldsOrIsNoClaimNamesNone) {
  for (const std::string test : {"SumsCommute.DISABLED_Holds", "Kernel.DISABLED_OfSomebodyElse"}) {
    const std::string text = said_by(test, ".txt");
    EXPECT_GT(count(text, "OK|as it should"), 0) << text;
    EXPECT_EQ(count(text, "claim: |says: |page: "), 0) << text;
  }
}

TEST(ClaimPlaces, AListThatIsWrongIsRefused) {
  const auto refused = [](const std::vector<ClaimPlace>& claims, const std::string& rule) {
    EXPECT_THAT([&] { explain_failures(claims); },
                ThrowsMessage<std::invalid_argument>(HasSubstr(rule)));
  };
  refused({places[0], places[0]}, "'SumsCommute' has two entries");
  refused({{"", "a", "b"}}, "'' needs a suite");
  refused({{"A", "", "b"}}, "'A' needs a suite, a sentence");
  refused({{"A", "a", ""}}, "'A' needs a suite, a sentence and a page");
}

TEST(Run, OfNoTestIsNoPassUnlessOtherShardsHaveThemAll) {
  const auto ends = [](const std::string& with, int status, const std::string& said) {
    std::string command = "out=$(env -u GTEST_TOTAL_SHARDS -u GTEST_SHARD_INDEX " + with + " '";
    command += detail::program_name() + "' 2>&1); test $? = " + std::to_string(status);
    command += " && case $out in *'" + said + "'*) ;; *) exit 1 ;; esac";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
  };
  ends("GTEST_REPEAT=0", 2, "no test ran: each was skipped, or");
  ends("GTEST_ALSO_RUN_DISABLED_TESTS=1 GTEST_FILTER=*IsSkipped", 2, "no test ran");
  ends("GTEST_FILTER=Nothing", 2, "no test ran: none matches --gtest_filter=Nothing");
  ends("GTEST_TOTAL_SHARDS=3 GTEST_SHARD_INDEX=0 GTEST_FILTER=Nothing", 2, "none matches");
  ends("GTEST_TOTAL_SHARDS=99 GTEST_SHARD_INDEX=98", 0, "no test is left for the shard 98");
}

}  // namespace
