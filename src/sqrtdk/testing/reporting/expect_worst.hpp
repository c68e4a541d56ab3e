// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief The worst input of a search, as a GoogleTest assertion and as evidence.
#pragma once

#include <sqrtdk/testing/generators/worst_case.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/statistics/number_text.hpp>

#include <gtest/gtest.h>

namespace sqrtdk::testing {

/// Expects that a search found inputs at which the bound says something, and none beyond it.
///
/// Notes error and bound as evidence, and publishes `worst_ratio`, rounded up, and `worst_input`,
/// after a prefix if there is one, so that a page can show how sharp the bound is and where.
template <BinaryFloat Real>
void expect_bound_holds(const Worst<Real>& worst, const std::string& prefix = "");

// ------------------------------------------------------------------------------------------------

template <BinaryFloat Real>
void expect_bound_holds(const Worst<Real>& worst, const std::string& prefix) {
  EXPECT_GE(worst.ratio, 0) << "the bound says something at no input that was tried";
  EXPECT_LE(worst.ratio, 1) << worst;
  if (worst.bound > 0) evidence().worst(worst.error, worst.bound);
  publish(prefix + "worst_ratio", rounded_up(worst.ratio, 2));
  publish(prefix + "worst_input", worst.input.text());
}

}  // namespace sqrtdk::testing
