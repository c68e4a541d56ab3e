// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_at.hpp>
#include <sqrtdk/testing/reporting/mutant_run.hpp>
#include <sqrtdk/testing/reporting/source_location.hpp>
#include <sqrtdk/testing/statistics/seed.hpp>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdint>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>

namespace sqrtdk::testing {

namespace {

using Property = std::function<void()>;

/// While it lives, a failed expectation ends the case.
class TryingACase {
 public:
  TryingACase() : before_(std::exchange(detail::trying_a_case(), true)) {}
  ~TryingACase() { detail::trying_a_case() = before_; }
  TryingACase(const TryingACase&) = delete;
  TryingACase& operator=(const TryingACase&) = delete;

 private:
  bool before_;
};

/// What the cases of a property did.
struct Cases {
  std::uint64_t comparing = 0;  ///< how many held and compared something
  bool last_threw = false;      ///< whether the last one threw what is no failed assertion
};

/// The property, whose failed expectations are failures of RapidCheck's, so that it shrinks; also
/// those that the property itself has caught.
Property one_case(const Property& property, Cases& cases) {
  return [&property, &cases] {
    const std::uint64_t before = evidence().comparisons();
    cases.last_threw = false;
    const TryingACase trying;
    std::string& failure = detail::failure_of_case();
    failure.clear();
    try {
      property();
    } catch (const detail::FailedCase&) {      // NOLINT(bugprone-empty-catch): the failure is kept
    } catch (const rc::detail::CaseResult&) {  // an assertion of RapidCheck's
      throw;
    } catch (...) {
      cases.last_threw = failure.empty();
      throw;
    }
    if (!failure.empty()) RC_FAIL(failure);
    if (evidence().comparisons() > before) ++cases.comparing;
  };
}

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

void fail_at(const SourceLocation& place, const std::string& message) {
  ADD_FAILURE_AT(place.file_name(), place.line()) << message << "\nreplay: " << replay_line();
}

}  // namespace

std::string& program_name() {
  static std::string name = "<test program>";
  return name;
}

std::string replay_line() {
  return "SQRTDK_SEED=" + std::to_string(master_seed()) + " " + program_name() +
         " --gtest_filter=" + current_test_name();
}

void detail::for_all(const Property& given, int cases, const SourceLocation& place) {
  if (cases < 1)
    throw std::invalid_argument("for_all() is to try " + std::to_string(cases) +
                                " cases, which is none");
  Cases tried;
  const Property property = one_case(given, tried);
  const std::uint64_t stream = evidence().next_stream();

  rc::detail::TestParams params;
  params.seed = seed_of(active_seed(), current_test_name(), stream);
  params.maxSuccess = cases;
  params.disableShrinking = checking_a_mutant();
  params.maxDiscardRatio = 1000;  // to give up would be to fail by chance

  DiscardCounter counter;
  const rc::detail::TestMetadata metadata{current_test_name(), current_test_name()};
  // With an explicit list of cases to reproduce (none), RapidCheck reads no configuration of its
  // own and so does not announce a random seed that nothing uses.
  const rc::detail::TestResult result =
      rc::detail::checkTestable(property, metadata, params, counter,
                                std::unordered_map<std::string, rc::detail::Reproduce>());

  if (result.is<rc::detail::SuccessResult>()) {
    const int held = result.get<rc::detail::SuccessResult>().numSuccess;
    evidence().add_cases(static_cast<std::uint64_t>(held), counter.discards, tried.comparing);
    return;
  }
  if (tried.last_threw) evidence().add_exception();
  std::ostringstream message;
  rc::detail::printResultMessage(result, message);
  fail_at(place, message.str());
}

}  // namespace sqrtdk::testing
