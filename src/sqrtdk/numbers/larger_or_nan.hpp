// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief The larger of two numbers, where one may be NaN.
#pragma once

namespace sqrtdk::detail {

/// The larger of two numbers; NaN if one of them is, which std::max() may drop.
template <class Real>
Real larger_or_nan(const Real& a, const Real& b) {
  return a != a || a > b ? a : b;
}

}  // namespace sqrtdk::detail
