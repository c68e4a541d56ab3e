#include <sqrtdk/testing/generators/rapidcheck_internals.hpp>
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
#include <stdexcept>
#include <string>
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

/// The record of a property's cases.
struct Cases {
  std::uint64_t comparing = 0;  ///< those that held and compared something
  bool last_threw = false;      ///< true if the last one threw what is no failed assertion
};

/// The property; each failed expectation, caught or not, fails in RapidCheck, so that it shrinks.
Property one_case(const Property& property, Cases& cases) {
  return [&property, &cases] {
    const std::uint64_t before = evidence().comparisons();
    cases.last_threw = false;
    const TryingACase trying;
    std::string& failure = detail::failure_of_case();
    failure.clear();
    try {
      property();
    } catch (const detail::FailedCase&) {  // NOLINT(bugprone-empty-catch): the failure is kept
    } catch (const detail::ThrownByRapidCheck&) {
      throw;
    } catch (...) {
      cases.last_threw = failure.empty();
      throw;
    }
    if (!failure.empty()) RC_FAIL(failure);
    if (evidence().comparisons() > before) ++cases.comparing;
  };
}

void fail_at(const SourceLocation& place, const std::string& message) {
  ADD_FAILURE_AT(place.file_name(), place.line())
      << message << "\nreplay: " << detail::replay_line();
}

}  // namespace

std::string& detail::program_name() {
  static std::string name = "<test program>";
  return name;
}

std::string detail::replay_line() {
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
  const std::string name = current_test_name();
  const PropertyRun run = run_property(property, {name, seed_of(active_seed(), name, stream), cases,
                                                  /*shrinks=*/!checking_a_mutant()});
  if (!run.failure) {
    evidence().add_cases(run.held, run.discarded, tried.comparing);
    return;
  }
  if (tried.last_threw) evidence().add_exception();
  fail_at(place, *run.failure);
}

}  // namespace sqrtdk::testing
