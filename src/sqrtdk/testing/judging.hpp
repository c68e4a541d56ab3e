// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Whether a check is being checked, and which numbers it then meets.
#pragma once

#include <cstdint>

#include "sqrtdk/testing/seed.hpp"

namespace sqrtdk::testing {

/// Whether the running law is judging a mutant: then a failure is wanted and is not shrunk, and no
/// figure is drawn.
inline bool& judging_a_mutant() {
  static bool judging = false;
  return judging;
}

/// The master seed of the cases that mutants meet: default_master_seed whatever `SQRTDK_SEED` is,
/// so that no mutant lives or dies by chance. `SQRTDK_MUTANT_SEED` tries other cases, to see how
/// often each mutant dies.
inline std::uint64_t mutant_seed() {
  static const std::uint64_t seed = seed_from_environment("SQRTDK_MUTANT_SEED");
  return seed;
}

/// The master seed of the numbers that the running law meets.
inline std::uint64_t active_seed() { return judging_a_mutant() ? mutant_seed() : master_seed(); }

}  // namespace sqrtdk::testing
