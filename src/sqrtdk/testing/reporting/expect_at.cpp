// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/testing/reporting/expect_at.hpp>
#include <sqrtdk/testing/reporting/source_location.hpp>

#include <gtest/gtest.h>

#include <string>

namespace sqrtdk::testing {

bool& detail::trying_a_case() {
  static bool trying = false;
  return trying;
}

void expect_at(bool holds, const std::string& message, const SourceLocation& place) {
  if (holds) return;
  if (detail::trying_a_case())
    throw detail::FailedCase(std::string(place.file_name()) + ":" + std::to_string(place.line()) +
                             ":\n" + message);
  ADD_FAILURE_AT(place.file_name(), place.line()) << message;
}

}  // namespace sqrtdk::testing
