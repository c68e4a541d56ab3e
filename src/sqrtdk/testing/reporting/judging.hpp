// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Whether a check is being checked, and which numbers mutants meet.
#pragma once

#include <sqrtdk/testing/statistics/seed.hpp>

#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

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

/// Whether `SQRTDK_MUTANTS` is `skip`: then judge() runs laws on the library alone. Mutants meet
/// the same cases whatever the master seed is, so a search over seeds learns nothing from them; a
/// run without them is no evidence for the book, which refuses it.
///
/// \throws std::invalid_argument if it is anything else.
inline bool mutants_are_skipped() {
  static const bool skipped = [] {
    const char* text = std::getenv("SQRTDK_MUTANTS");
    if (text != nullptr && std::string_view(text) != "skip")
      throw std::invalid_argument("SQRTDK_MUTANTS is '" + std::string(text) +
                                  "', but must be `skip` or not be set");
    return text != nullptr;
  }();
  return skipped;
}

}  // namespace sqrtdk::testing
