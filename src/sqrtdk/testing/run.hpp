// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Running the tests of a program, for its main function.
#pragma once

namespace sqrtdk::testing {

/// Runs all tests that the command line selects.
///
/// As GoogleTest's own `main`, and also: the master seed and the versions of what was compiled
/// stand in the result file, a bad `SQRTDK_SEED` is refused before anything runs, and a filter that
/// selects no test is an error.
/// \param argc number of arguments, as `main` has it.
/// \param argv the arguments; GoogleTest's are removed.
/// \return 0 if tests ran and all of them passed, 1 if one failed, 2 if none could be run.
int run(int argc, char** argv);

}  // namespace sqrtdk::testing
