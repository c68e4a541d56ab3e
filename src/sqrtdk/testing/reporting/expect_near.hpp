// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Two numbers that must agree up to a bound.
#pragma once

#include <sqrtdk/testing/reporting/evidence.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace sqrtdk::testing {

/// Expects abs(a − b) ≤ bound, and notes as evidence how near to the bound it came.
/// \param a, b  the numbers.
/// \param bound how far they may be from each other.
/// \param where what they are, for the message.
inline void expect_near(double a, double b, double bound, const std::string& where);

// ------------------------------------------------------------------------------------------------

inline void expect_near(double a, double b, double bound, const std::string& where) {
  evidence().worst(std::abs(a - b), bound);
  EXPECT_LE(std::abs(a - b), bound) << where << ": " << a << " and " << b;
}

}  // namespace sqrtdk::testing
