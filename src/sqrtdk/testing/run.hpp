// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Running the tests of a program, for its main function.
#pragma once

#include <Eigen/Core>
#include <boost/version.hpp>

#include <array>

namespace sqrtdk::testing {

/// The compiler and libraries of a program, as its result file records them.
struct BuildInfo {
  const char* compiler;      ///< its name and version
  int boost;                 ///< Boost's version, as BOOST_VERSION
  std::array<int, 3> eigen;  ///< Eigen's version: world, major and minor
};

/// The build of the file that includes this header; the compiled library is not asked.
constexpr BuildInfo this_build = {
#if defined(__clang__)
    "clang " __clang_version__,
#elif defined(__GNUC__)
    "GCC " __VERSION__,
#else
    "unknown",
#endif
    BOOST_VERSION,
    {EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION}};

namespace detail {
/// `RUN_ALL_TESTS()`, or 2 if no test ran, which only a shard after the first may call a success.
int run_selected_tests();
}  // namespace detail

/// Runs all tests that the command line selects.
/// As GoogleTest's own `main`; also, the result file has the master seed and the versions compiled,
/// a bad `SQRTDK_SEED` is refused before anything runs, and a run of no test is an error.
/// \param argc number of arguments, as `main` has it.
/// \param argv the arguments; GoogleTest's are removed.
/// \param build what the program was compiled with: the file that calls this function.
/// \return 0 if tests ran and all of them passed, 1 if one failed, 2 if none could be run.
/// \relatesalso BuildInfo
int run(int argc, char** argv, const BuildInfo& build = this_build);

}  // namespace sqrtdk::testing
