// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief A test of a claim that fails says which claim that is and where it is explained.
#pragma once

#include <span>
#include <string_view>

namespace sqrtdk::testing {

/// A claim, for whoever reads that one of its tests failed.
struct ClaimPlace {
  std::string_view suite;     ///< its name, which is that of the suite of its tests
  std::string_view sentence;  ///< the claim, in plain text
  std::string_view page;      ///< its explanation: an address, or the name of a file
};

/// From now on, each failed test of these suites ends with one more failure: the claim's name, its
/// sentence, its page and, unless an earlier failure has it, the line that replays the test. So
/// does a suite that failed outside its tests, without such a line. Typed and instantiated suites
/// go by the name in their source. To be called before the tests run.
/// \param claims what they say; must live as long as the tests run.
/// \throws std::invalid_argument if an entry lacks something, or if two are of the same suite.
/// \relatesalso ClaimPlace
void explain_failures(std::span<const ClaimPlace> claims);

}  // namespace sqrtdk::testing
