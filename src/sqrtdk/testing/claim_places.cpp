// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/testing/claim_places.hpp>
#include <sqrtdk/testing/property.hpp>

#include <gtest/gtest.h>

#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace sqrtdk::testing {

namespace {

using ClaimsBySuite = std::map<std::string_view, ClaimPlace>;

ClaimsBySuite by_suite(std::span<const ClaimPlace> claims) {
  ClaimsBySuite found;
  for (const ClaimPlace& claim : claims) {
    const std::string name = "the claim '" + std::string(claim.suite) + "'";
    if (claim.suite.empty() || claim.sentence.empty() || claim.page.empty())
      throw std::invalid_argument(name + " needs a suite, a sentence and a page");
    if (!found.emplace(claim.suite, claim).second)
      throw std::invalid_argument(name + " has two entries; a suite is of one claim");
  }
  return found;
}

bool shows(const ::testing::TestResult& result, const std::string& line) {
  for (int i = 0; i < result.total_part_count(); ++i)
    if (std::string_view(result.GetTestPartResult(i).message()).find(line) !=
        std::string_view::npos)
      return true;
  return false;
}

class Explainer : public ::testing::EmptyTestEventListener {
 public:
  explicit Explainer(ClaimsBySuite claims) : claims_(std::move(claims)) {}

  void OnTestEnd(const ::testing::TestInfo& test) override {
    const auto found = claims_.find(test.test_suite_name());
    if (found == claims_.end() || !test.result()->Failed()) return;
    const ClaimPlace& claim = found->second;
    const std::string replay = replay_line();
    ADD_FAILURE_AT(test.file(), test.line())
        << "claim: " << claim.suite << "\nsays: " << claim.sentence << "\npage: " << claim.page
        << (shows(*test.result(), replay) ? "" : "\nreplay: " + replay);
  }

 private:
  ClaimsBySuite claims_;
};

}  // namespace

void explain_failures(std::span<const ClaimPlace> claims) {
  ::testing::UnitTest::GetInstance()->listeners().Append(new Explainer(by_suite(claims)));
}

}  // namespace sqrtdk::testing
