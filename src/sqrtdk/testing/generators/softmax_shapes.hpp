// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief What a softmax may be asked.
#pragma once

#include <cstddef>
#include <limits>

namespace sqrtdk::testing {

/// What a softmax is asked.
struct SoftmaxShapes {
  std::size_t longest = 130;                                 ///< the most scores
  double largest = std::numeric_limits<double>::infinity();  ///< their largest magnitude
  bool masked = true;                                        ///< whether some of them are −∞
  double least_temperature = 0x1p-10;                        ///< τ is from this
  double greatest_temperature = 0x1p10;                      ///< to that
  int cases = 200;                                           ///< how many random ones
};

}  // namespace sqrtdk::testing
