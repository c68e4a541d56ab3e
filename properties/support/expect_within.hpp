// An error that is held to its bound, outside of a property.
#pragma once

#include <sqrtdk/testing/reporting/evidence.hpp>

#include <gtest/gtest.h>

#include <string>

namespace sqrtdk::testing {

/// Expects an error within a bound, and notes both; the test says what the bound rests on.
inline void expect_within(double error, double bound, const std::string& where) {
  evidence().add_value();
  evidence().worst(error, bound);
  EXPECT_LE(error, bound) << where;
}

}  // namespace sqrtdk::testing
