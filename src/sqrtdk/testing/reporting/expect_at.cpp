// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/testing/reporting/expect_at.hpp>

#include <gtest/gtest.h>

#include <source_location>
#include <string>

namespace sqrtdk::testing {

void expect_at(bool holds, const std::string& message, const std::source_location& place) {
  if (!holds) ADD_FAILURE_AT(place.file_name(), static_cast<int>(place.line())) << message;
}

}  // namespace sqrtdk::testing
