#include <sqrtdk/testing/reporting/expect_at.hpp>
#include <sqrtdk/testing/reporting/source_location.hpp>

#include <gtest/gtest.h>

#include <string>

namespace sqrtdk::testing {

bool& detail::trying_a_case() {
  static bool trying = false;
  return trying;
}

std::string& detail::failure_of_case() {
  static std::string failure;
  return failure;
}

void expect_at(bool holds, const std::string& message, const SourceLocation& place) {
  if (holds) return;
  if (detail::trying_a_case()) {
    std::string& failure = detail::failure_of_case();
    if (failure.empty())
      failure =
          std::string(place.file_name()) + ":" + std::to_string(place.line()) + ":\n" + message;
    throw detail::FailedCase();
  }
  ADD_FAILURE_AT(place.file_name(), place.line()) << message;
}

}  // namespace sqrtdk::testing
