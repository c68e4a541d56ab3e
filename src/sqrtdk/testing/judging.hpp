// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Whether a check is being checked.
#pragma once

namespace sqrtdk::testing {

/// Whether the running law is judging a mutant: then a failure is wanted and is not shrunk, and no
/// figure is drawn.
inline bool& judging_a_mutant() {
  static bool judging = false;
  return judging;
}

}  // namespace sqrtdk::testing
