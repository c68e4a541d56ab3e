// SPDX-License-Identifier: BSL-1.0
// The corpus, tested: how it is read, what is refused, and that properties replay it first.
#include <sqrtdk/testing/corpus.hpp>
#include <sqrtdk/testing/generators/floating_point.hpp>
#include <sqrtdk/testing/generators/matrices.hpp>
#include <sqrtdk/testing/generators/random_source.hpp>
#include <sqrtdk/testing/generators/rational_distributions.hpp>
#include <sqrtdk/testing/generators/shrink_float.hpp>
#include <sqrtdk/testing/property.hpp>

#include "tests/own_directory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace sqrtdk;
using namespace sqrtdk::testing;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

std::vector<CorpusCase> parsed(const std::string& text) {
  std::istringstream stream(text);
  return parse_corpus(stream, "A.B.case");
}

/// A corpus of one file for the running test, for as long as it lives. The evidence begins anew.
class TemporaryCorpus {
 public:
  explicit TemporaryCorpus(const std::string& text, std::uint64_t property = 0) {
    evidence() = Evidence();
    corpus_directory() = directory_;
    std::ofstream(corpus_file(current_test_name(), property)) << text;
  }
  ~TemporaryCorpus() {
    corpus_directory() = kept_;
    std::filesystem::remove_all(directory_);
  }
  TemporaryCorpus(const TemporaryCorpus&) = delete;
  TemporaryCorpus& operator=(const TemporaryCorpus&) = delete;

 private:
  std::filesystem::path kept_ = corpus_directory();
  std::filesystem::path directory_ = make_own_directory(
      std::filesystem::path(::testing::TempDir()) / ("corpus of " + current_test_name()));
};

/// What the running test has written into its result under a key.
std::string recorded(const std::string& key) {
  evidence().record();
  const auto* result = ::testing::UnitTest::GetInstance()->current_test_info()->result();
  for (int i = 0; i < result->test_property_count(); ++i)
    if (result->GetTestProperty(i).key() == key) return result->GetTestProperty(i).value();
  return "";
}

// ------------------------------------------------------------------------------------------- files

TEST(CorpusFile, HasNotesAndCasesThatSayWhyTheyAreThere) {
  const auto cases = parsed(
      "# a note\n\n# first\n# case\nx: [0x1p+0 = 1]\nlaw of X: 2/3\n\n\n# second\nx: [inf]\n");
  ASSERT_EQ(cases.size(), 2U);
  EXPECT_EQ(cases[0].line, 5);
  EXPECT_EQ(cases[0].inputs[1].name, "law of X");
  EXPECT_EQ(cases[0].inputs[1].text, "2/3");
  EXPECT_EQ(cases[1].inputs[0].line, 10);
}

TEST(CorpusFile, WhatBreaksARuleIsRefusedWithItsLine) {
  const auto refused = [](const std::string& text, const std::string& message) {
    EXPECT_THAT([&] { parsed(text); }, ThrowsMessage<std::invalid_argument>(StartsWith(message)));
  };
  refused("", "A.B.case:1: there is no case in this file");
  refused("# only a note\n", "A.B.case:1: there is no case in this file");
  refused("x: 1\n", "A.B.case:1: a case begins with a comment that says why it is there");
  refused("# why\nx: 1\n\ny: 2\n", "A.B.case:4: a case begins with a comment");
  refused("# why\nx = 1\n", "A.B.case:2: 'x = 1' is neither `# comment` nor `name: value`");
  refused("# why\n: 1\n", "A.B.case:2: ': 1' is neither");
  refused("# why\nx:1\n", "A.B.case:2: 'x:1' is neither");
  refused("# why\nx: 1\ny: 2\nx: 3\n", "A.B.case:4: the case has two inputs 'x'");
  refused("# why\nx: 1\n# more\n", "A.B.case:3: a comment stands before the inputs");
}

TEST(CorpusFile, IsNamedAfterTheTestAndTheNumberOfTheProperty) {
  const TemporaryCorpus corpus("");
  EXPECT_EQ(corpus_file("Suite.Test", 0).filename(), "Suite.Test.case");
  EXPECT_EQ(corpus_file("Typed/1.Test", 1).filename(), "Typed-1.Test.2.case");
}

TEST(CorpusFile, AFolderThatIsNotThereIsRefused) {
  const auto kept = std::exchange(corpus_directory(), "no such folder");
  EXPECT_THAT([] { corpus_file("Suite.Test", 0); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("'no such folder'")));
  corpus_directory() = kept;
}

// ------------------------------------------------------------------------------------------ replay

TEST(Replay, TheCheckedInCasesComeBeforeAnythingRandom) {
  ASSERT_FALSE(corpus_directory().empty()) << "compile with SQRTDK_CORPUS_DIR";
  evidence() = Evidence();
  std::vector<std::vector<double>> seen;
  for_all([&] {
    seen.push_back(input("x", vectors<double>()));
    input("shift", floats<double>());
  });
  EXPECT_EQ(seen.size(), 2U + default_cases);
  EXPECT_EQ(seen[0], std::vector<double>({1024, 0}));
  EXPECT_EQ(seen[1], std::vector<double>({-0x1p-1074}));
  EXPECT_EQ(recorded("corpus"), "Replay.TheCheckedInCasesComeBeforeAnythingRandom.case\t2");
}

TEST(Replay, NumbersRationalsVectorsAndMatricesAreInputs) {
  const TemporaryCorpus corpus(
      "# one of each\ncount: 7\nlong: 0x1p-1 = 0.5\nratio: -2/3\nx: []\nm: [[0x1p+0], [-inf]]\n");
  bool first = true;
  for_all([&] {
    const int count = input("count", rc::gen::arbitrary<int>());
    const auto wide = input("long", floats<long double>());
    const Rational ratio = input("ratio", any_rational());
    const auto x = input("x", vectors<float>());
    const auto m = input("m", matrices<double>());
    if (!std::exchange(first, false)) return;
    EXPECT_EQ(count, 7);
    EXPECT_EQ(wide, 0.5L);
    EXPECT_EQ(ratio, Rational(-2, 3));
    EXPECT_EQ(x.size(), 0U);
    EXPECT_EQ(m.rows(), 2);
    EXPECT_TRUE(std::isinf(m(1, 0)));
  });
}

const auto below_seven = [] {
  const double x = input("x", floats<double>());
  RC_PRE(x > 0);
  RC_ASSERT(x < 7);
};

TEST(Replay, ACaseThatFailsIsShownWithItsPlace) {
  const TemporaryCorpus corpus("# why\nx: 0x1p+0 = 1\n\n# why\nx: 0x1.8p+3 = 12\n");
  EXPECT_NONFATAL_FAILURE(for_all(below_seven), ".case:5: this case of the corpus fails");
}

TEST(Replay, TheSecondPropertyOfATestHasAFileOfItsOwn) {
  const TemporaryCorpus corpus("# why\nx: 0x1.8p+3 = 12\n", 1);
  for_all([] { input("y", floats<double>()); });
  EXPECT_NONFATAL_FAILURE(for_all(below_seven), ".2.case:2: this case of the corpus fails");
}

TEST(Replay, ACaseThatChecksNothingFails) {
  const TemporaryCorpus corpus("# why\nx: -0x1p+0 = -1\n");
  EXPECT_NONFATAL_FAILURE(for_all(below_seven), ".case:2: this case is discarded");
}

TEST(Replay, AnInputThatIsMissingFails) {
  const TemporaryCorpus corpus("# why\ny: 0x1p+0 = 1\n");
  EXPECT_NONFATAL_FAILURE(for_all(below_seven), ".case:2: the case has no input 'x'");
}

TEST(Replay, AnInputThatIsNotReadFails) {
  const TemporaryCorpus corpus("# why\nx: 0x1p+0 = 1\ny: 0x1p+0 = 1\n");
  EXPECT_NONFATAL_FAILURE(for_all(below_seven), ".case:3: the property has no input 'y'");
}

TEST(Replay, AValueThatIsMalformedFailsWithItsRule) {
  const TemporaryCorpus corpus("# why\nx: 7.5\n");
  EXPECT_NONFATAL_FAILURE(for_all(below_seven),
                          ".case:2: x: '7.5' is not a floating-point number in hex");
}

// ---------------------------------------------------------------------------------------- proposal

TEST(Proposal, AFailingPropertyPrintsTheCaseToAdd) {
  const TemporaryCorpus corpus("# why\nx: 0x1p+0 = 1\n");
  const auto not_1351 = [] {
    // The first case fails, so that nothing need be found.
    const auto start = generator<double>([](RandomSource&) { return 1351.7; },
                                         [](double x) { return shrinks(x); });
    RC_ASSERT(input("x", start) < 7);
  };
  EXPECT_NONFATAL_FAILURE(
      for_all(not_1351),
      "AFailingPropertyPrintsTheCaseToAdd.case:\n\n# (what went wrong)\nx: 0x1p+3 = 8\n");
}

TEST(Proposal, WhatWasPrintedIsReadBackAndFailsAgain) {
  const auto small_sum = [] {
    const auto x = input("x", vectors<double>());
    const auto c = input("c", floats<double>());
    double sum = c;
    for (const double entry : x) sum += entry;
    RC_ASSERT(!(sum > 1000.3));
  };
  const TemporaryCorpus corpus("# why\nx: [0x1p+9 = 512, 0x1p+9 = 512]\nc: 0x0p+0 = 0\n");
  EXPECT_NONFATAL_FAILURE(for_all(small_sum), "this case of the corpus fails");
}

TEST(Proposal, ThereIsNoneIfAnInputCannotBeReplayed) {
  const auto proposal = [](const std::string& name) {
    return sqrtdk::testing::proposed_case({{name, "0x0p+0 = 0"}}, "file.case");
  };
  for_all([] { input("x", floats<double>()); }, 1);
  EXPECT_NE(proposal("x"), "");
  EXPECT_EQ(proposal("double"), "");
}

}  // namespace
