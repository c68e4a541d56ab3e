// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief An estimate with the interval that holds the number.
#pragma once

namespace sqrtdk::testing {

/// The interval that holds a number, except with probability α.
struct ConfidenceInterval {
  double lower;     ///< the lower end of the interval; may be −∞
  double estimate;  ///< the estimate of the number, from lower to upper
  double upper;     ///< the upper end of the interval; may be ∞
};

}  // namespace sqrtdk::testing
