// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Kernels that test vectors must accept, and those that they must catch.
#pragma once

#include "arithmetics.hpp"
#include "cases.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

namespace sqrtdk::vectors {

/// A kernel with a bug, by its name.
struct Bug {
  std::string name;
  std::string seen_in;  ///< where it was shipped, if that is known
};

/// Bugs from their names, each with `=` and where it was seen if that is known.
inline std::vector<Bug> bugs_from(const std::string& words) {
  std::istringstream text(words);
  std::vector<Bug> bugs;
  for (std::string word; text >> word;) {
    const std::size_t end = word.find('=');
    bugs.push_back({word.substr(0, end), end == word.npos ? "" : word.substr(end + 1)});
  }
  return bugs;
}

/// A right kernel, by its name.
struct Variant {
  std::string name;
  Freedom takes;  ///< it is right where as much is free
};

/// The kernels of softmax. The argument only says of which operation.
std::vector<Bug> bugs_of(const SoftmaxInput&);
std::vector<Variant> variants_of(const SoftmaxInput&);

/// The kernels of attention.
std::vector<Bug> bugs_of(const AttentionInput&);
std::vector<Variant> variants_of(const AttentionInput&);

/// What a kernel stores, row by row.
/// \param name       a bug or a variant; any other name is that of the formula as it is written.
/// \param input      what it is asked.
/// \param arithmetic what it computes with.
std::vector<double> results_of(const std::string& name, const SoftmaxInput& input,
                               const Arithmetic& arithmetic);
std::vector<double> results_of(const std::string& name, const AttentionInput& input,
                               const Arithmetic& arithmetic);

/// Numbers that are computed with.
template <class Real>
using List = std::vector<Real>;

/// −∞.
template <class Real>
inline constexpr Real masked = -std::numeric_limits<Real>::infinity();

/// The greatest of some numbers; −∞ if there are none.
template <class Real>
Real greatest(const List<Real>& x, std::size_t begin = 0, std::size_t end = std::size_t(-1)) {
  Real most = masked<Real>;
  for (std::size_t j = begin; j < std::min(end, x.size()); ++j) most = std::max(most, x[j]);
  return most;
}

/// The sum of the first numbers, one after the other.
template <class Real>
Real sum_of(const List<Real>& x, std::size_t end = std::size_t(-1)) {
  Real sum = 0;
  for (std::size_t j = 0; j < std::min(end, x.size()); ++j) sum += x[j];
  return sum;
}

/// A number that goes through a narrower format.
template <class Narrow, class Real>
Real through(Real x) {
  return static_cast<Real>(static_cast<float>(Narrow(static_cast<float>(x))));
}

/// Results as they are stored.
template <class Real>
std::vector<double> stored(const List<Real>& results, const Arithmetic& arithmetic) {
  std::vector<double> kept;
  for (const Real x : results) kept.push_back(arithmetic.stored(static_cast<double>(x)));
  return kept;
}

}  // namespace sqrtdk::vectors
