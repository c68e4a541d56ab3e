// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Someone else's functions, or check, in the place of those of a claim.
#pragma once

#include <functional>
#include <optional>
#include <vector>

namespace sqrtdk::testing {

template <class Implementation>
struct Mutant;

/// An exercise's own part in a claim: functions that the claim's checks judge instead of the
/// library's, or a check that the claim's mutants judge.
/// \tparam Implementation the struct of functions of the claim's mutants.
template <class Implementation>
struct Substitute {
  std::optional<Implementation> implementation;      ///< judged instead of the library
  std::function<void(const Implementation&)> check;  ///< judged instead of each check
  std::vector<Mutant<Implementation>> more_mutants;  ///< others that a check must kill
};

/// The substitute of this program: none, unless the program is one of exercises.
/// \relatesalso Substitute
template <class Implementation>
Substitute<Implementation>& substitute() {
  static Substitute<Implementation> one;
  return one;
}

}  // namespace sqrtdk::testing
