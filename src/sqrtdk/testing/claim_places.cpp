#include <sqrtdk/testing/claim_places.hpp>
#include <sqrtdk/testing/property.hpp>

#include <gtest/gtest.h>

#include <cstddef>
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

/// The name of a suite as its source has it: typed "Law/0" and instantiated "All/Law" are "Law".
std::string_view as_written(std::string_view suite) {
  const std::size_t number = suite.find_last_not_of("0123456789");
  if (number + 1 < suite.size() && suite[number] == '/') suite = suite.substr(0, number);
  return suite.substr(suite.rfind('/') + 1);
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
    const std::string replay = detail::replay_line();
    explain(test.test_suite_name(), *test.result(), test.file(), test.line(),
            shows(*test.result(), replay) ? "" : "\nreplay: " + replay);
  }

  // A failure in SetUpTestSuite() or TearDownTestSuite() belongs to no test.
  void OnTestSuiteEnd(const ::testing::TestSuite& suite) override {
    explain(suite.name(), suite.ad_hoc_test_result(), nullptr, -1, "");
  }

 private:
  void explain(std::string_view suite, const ::testing::TestResult& result, const char* file,
               int line, const std::string& replay) const {
    const auto found = claims_.find(as_written(suite));
    if (found == claims_.end() || !result.Failed()) return;
    const ClaimPlace& claim = found->second;
    ADD_FAILURE_AT(file, line) << "claim: " << claim.suite << "\nsays: " << claim.sentence
                               << "\npage: " << claim.page << replay;
  }

  ClaimsBySuite claims_;
};

}  // namespace

void explain_failures(std::span<const ClaimPlace> claims) {
  ::testing::UnitTest::GetInstance()->listeners().Append(new Explainer(by_suite(claims)));
}

}  // namespace sqrtdk::testing
