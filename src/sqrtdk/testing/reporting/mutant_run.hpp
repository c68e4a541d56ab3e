// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Whether a mutant is being checked, and which cases mutants meet.
#pragma once

#include <cstdint>

namespace sqrtdk::testing {

/// Whether a mutant is being checked: then a failure is wanted and is not shrunk, and no
/// figure is drawn.
bool& checking_a_mutant();

/// The master seed of the cases that mutants meet: default_master_seed whatever `SQRTDK_SEED` is,
/// so that no mutant lives or dies by chance. `SQRTDK_MUTANT_SEED` tries other cases, to see how
/// often each mutant dies.
/// \throws std::invalid_argument as seed_from_environment().
std::uint64_t mutant_seed();

/// Whether `SQRTDK_MUTANTS` is `skip`: then check_with_mutants() runs checks on the library alone.
///
/// Mutants meet the same cases whatever the master seed is, so a search over seeds learns nothing
/// from them; a run without them is no evidence for the book, which refuses it.
/// \throws std::invalid_argument if it is anything else.
bool mutants_are_skipped();

}  // namespace sqrtdk::testing
