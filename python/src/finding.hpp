// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief What comes of holding an array to its bound, entry by entry.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>

namespace sqrtdk::python {

/// The entry that comes nearest to its bound, or is farthest beyond it, and how many there are.
struct Finding {
  std::ptrdiff_t row = -1;     ///< −1 if there is no entry
  std::ptrdiff_t column = -1;  ///< likewise
  double computed = 0;         ///< what is there
  double exact = 0;            ///< what is right
  double error = 0;            ///< how far it is off; NaN if it is none
  double bound = 0;            ///< how far it may be; +∞ where nothing is promised
  std::size_t entries = 0;     ///< how many were compared
  std::size_t beyond = 0;      ///< how many are beyond their bounds
  std::size_t unbounded = 0;   ///< for how many nothing is promised

  /// What orders findings: how much of its bound an error takes.
  static double ratio(double error, double bound) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (error == 0 || bound == infinity) return 0;
    if (std::isnan(error)) return infinity;
    return error / bound;
  }

  /// Whether the law is kept: every error is a number within its bound.
  bool holds() const { return beyond == 0; }

  /// Adds an entry.
  void add(std::ptrdiff_t i, std::ptrdiff_t j, double is, double right, double off, double may) {
    ++entries;
    if (!(off <= may) && !std::isinf(may)) ++beyond;
    if (std::isinf(may)) ++unbounded;
    if (row >= 0 && !(ratio(off, may) > ratio(error, bound))) return;
    row = i, column = j, computed = is, exact = right, error = off, bound = may;
  }

  /// Adds all that another array was found to be.
  void add(const Finding& other) {
    const Finding before = *this;
    if (row < 0 || ratio(other.error, other.bound) > ratio(error, bound)) *this = other;
    entries = before.entries + other.entries;
    beyond = before.beyond + other.beyond;
    unbounded = before.unbounded + other.unbounded;
  }
};

/// What numbers of a kernel are compared with at first: 29 or, where `long double` has 64 digits, 11 bits more
/// than theirs.
template <class Real>
using Reference = std::conditional_t<std::is_same_v<Real, float>, double, long double>;

/// Part of a bound up to which an error that was measured against a Reference leaves no doubt: that is
/// computed as the book's own code does, whose error is at most 16 times the ratio of the two units of the
/// bound, since every term of a bound is at least proportional to the unit. What is nearer to the bound
/// is decided by fifty digits.
/// \param unit_roundoff of the kernel's computing: what the storage adds to a bound takes nothing from this.
template <class Real>
double doubt(double unit_roundoff) {
  return 16 * std::ldexp(1.0, -std::numeric_limits<Reference<Real>>::digits) / unit_roundoff;
}

}  // namespace sqrtdk::python
