// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Floating-point numbers, lists and grids that are simpler than a given one.
///
/// All of it is computed in `long double`, which holds every narrower binary type exactly; a
/// storage type needs no more than conversions from and to it.
///
/// The templates are compiled for the formats of formats.hpp. For numbers of another type include
/// shrink_float_definitions.hpp.
#pragma once

#include <sqrtdk/testing/generators/binary_float.hpp>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace sqrtdk::testing {

namespace detail {

/// The distance of a number from 0, the simplest one. Compared part by part, from the first on, so
/// that it can go down only finitely often.
struct Complexity {
  int kind;           ///< zero 0, integer 1, fraction 2, infinity 3, NaN 4
  int bits;           ///< length of the mantissa without its trailing zeros
  int distance;       ///< of the exponent from 0, the exponent of 1
  std::uint64_t odd;  ///< the mantissa without its trailing zeros
  bool negative;      ///< true if there is a minus sign

  /// The more complex number is the greater one.
  friend auto operator<=>(const Complexity&,
                          const Complexity&) = default;  // NOLINT(modernize-use-nullptr)
};

/// The complexity of a number.
Complexity complexity_of(long double x);

/// True if two entries are the same number, the sign of zero included; one NaN is the other.
template <BinaryFloat T>
bool same_entry(T a, T b);

}  // namespace detail

/// Numbers simpler than x, the simplest first: integers, fewer mantissa bits, exponents nearer to
/// 0, positive.
///
/// Every result is less complex than x, of a simpler kind or with fewer bits, so that shrinking ends.
/// \param x       any number of the type, special values included.
/// \param largest the largest magnitude of a result.
template <BinaryFloat T>
std::vector<T> shrinks(T x, T largest = std::numeric_limits<T>::max());

namespace detail {

/// Lists of the same length, simpler than a given one: fewer different entries, then simpler ones.
///
/// Every result has fewer different entries, or as many and simpler ones, so that shrinking ends.
template <BinaryFloat T>
std::vector<std::vector<T>> simpler_entries(const std::vector<T>& x,
                                            T largest = std::numeric_limits<T>::max());

}  // namespace detail

/// Lists simpler than a given one: shorter ones, the shortest first, then those of
/// the same length with fewer different entries, or simpler ones.
///
/// If all entries are equal, shorter lists of their double are among the results.
/// \param x        a list.
/// \param shortest the smallest length of a result.
/// \param largest  the largest magnitude of an entry of a result.
template <BinaryFloat T>
std::vector<std::vector<T>> shrinks(const std::vector<T>& x, std::size_t shortest,
                                    T largest = std::numeric_limits<T>::max());

}  // namespace sqrtdk::testing
