// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief An estimate with the interval that holds the number.
#pragma once

namespace sqrtdk::testing {

/// The interval that holds a number, except with probability α.
struct ConfidenceInterval {
  double lower;     ///< the lower end
  double estimate;  ///< of the number
  double upper;     ///< the upper end
};

}  // namespace sqrtdk::testing
