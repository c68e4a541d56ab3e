// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief An error that is held to its bound, outside of a property.
#pragma once

#include <sqrtdk/testing/reporting/evidence.hpp>

#include <gtest/gtest.h>

#include <string>

namespace sqrtdk::testing {

/// Expects an error to be within a bound, and notes both. A derived bound unless the caller says
/// that it was measured.
inline void expect_within(double error, double bound, const std::string& where,
                          EvidenceLevel level = EvidenceLevel::bounded) {
  evidence().downgrade_to(level);
  evidence().worst(error, bound);
  EXPECT_LE(error, bound) << where;
}

}  // namespace sqrtdk::testing
