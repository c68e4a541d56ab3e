// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief The flag of a mutant's check, and the cases that mutants meet.
#pragma once

#include <cstdint>

namespace sqrtdk::testing {

/// True while a mutant is being checked: a failure is wanted and not shrunk, no figure is drawn.
bool& checking_a_mutant();

/// The master seed of mutants' cases: default_master_seed whatever `SQRTDK_SEED` is, so that none
/// dies by chance. `SQRTDK_MUTANT_SEED` tries other cases, to see how often each mutant dies.
/// \throws std::invalid_argument as parse_master_seed().
std::uint64_t mutant_seed();

/// The mutants of its claim that a check meets.
enum class MutantsMet {
  none,  ///< a search over seeds learns nothing from mutants, which meet the same cases in each run
  aimed,  ///< those that it must kill
  every   ///< the others, too: what it makes of them is recorded, and shows what it can see
};

/// The value of `SQRTDK_MUTANTS`: `skip` (no evidence for the book) or `every`; unset, aimed ones.
/// \throws std::invalid_argument if it is anything else.
MutantsMet mutants_met();

}  // namespace sqrtdk::testing
