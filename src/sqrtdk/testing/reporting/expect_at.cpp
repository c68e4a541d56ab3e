// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/testing/reporting/expect_at.hpp>
#include <sqrtdk/testing/reporting/source_location.hpp>

#include <gtest/gtest.h>

#include <string>

namespace sqrtdk::testing {

void expect_at(bool holds, const std::string& message, const SourceLocation& place) {
  if (!holds) ADD_FAILURE_AT(place.file_name(), place.line()) << message;
}

}  // namespace sqrtdk::testing
