// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Rational numbers and rational numbers over π, and π between two rational numbers.
#pragma once

#include <sqrtdk/numbers/interval.hpp>
#include <sqrtdk/numbers/rational.hpp>

#include <ostream>

namespace sqrtdk {

/// A number r or r/π, with r rational.
struct PiFraction {
  Rational coefficient;  ///< r, any rational number; 0 by default
  bool over_pi = false;  ///< true if r is divided by π

  /// The same r and the same form; since π is irrational, the same number, 0 and 0/π apart.
  friend bool operator==(const PiFraction&, const PiFraction&) = default;
};

/// π between two rational numbers, by Machin's formula π = 16 arctan(1/5) − 4 arctan(1/239).
/// \relatesalso Interval
Interval<Rational> pi_bounds();

/// A nonnegative PiFraction between two rational numbers.
/// \relatesalso PiFraction
Interval<Rational> bounds(const PiFraction& x);

/// Writes `3/2` or `4 / pi`.
/// \relatesalso PiFraction
std::ostream& operator<<(std::ostream& out, const PiFraction& x);

// Implementation

namespace detail {

/// arctan(1/n) between two partial sums of its alternating series Σ(−1)ʲ / ((2j+1)n^(2j+1)).
inline Interval<Rational> arctan_of_reciprocal(unsigned n, unsigned pairs_of_terms) {
  Interval<Rational> sums{0, 0};
  Rational power(1, n);
  for (unsigned j = 0; j < 2 * pairs_of_terms; ++j) {
    Rational& next = j % 2 == 0 ? sums.upper : sums.lower;
    const Rational& last = j % 2 == 0 ? sums.lower : sums.upper;
    const Rational term = power / (2 * j + 1);
    next = j % 2 == 0 ? Rational(last + term) : Rational(last - term);
    power /= n * n;
  }
  return sums;
}

}  // namespace detail

inline Interval<Rational> pi_bounds() {
  static const Interval<Rational> bounds = [] {
    const Interval<Rational> fifth = detail::arctan_of_reciprocal(5, 8);
    const Interval<Rational> other = detail::arctan_of_reciprocal(239, 8);
    return Interval<Rational>{16 * fifth.lower - 4 * other.upper,
                              16 * fifth.upper - 4 * other.lower};
  }();
  return bounds;
}

inline Interval<Rational> bounds(const PiFraction& x) {
  if (!x.over_pi) return {x.coefficient, x.coefficient};
  return {x.coefficient / pi_bounds().upper, x.coefficient / pi_bounds().lower};
}

inline std::ostream& operator<<(std::ostream& out, const PiFraction& x) {
  return out << x.coefficient << (x.over_pi ? " / pi" : "");
}

}  // namespace sqrtdk
