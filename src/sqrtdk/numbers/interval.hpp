// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Two numbers between which a third lies.
#pragma once

namespace sqrtdk {

/// Two numbers between which a third lies, both ends included.
/// \tparam T any number, exact or in floating point.
template <class T>
struct Interval {
  T lower;  ///< at most the number
  T upper;  ///< at least the number
};

}  // namespace sqrtdk
