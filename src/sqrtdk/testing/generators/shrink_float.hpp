// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Floating-point numbers, lists and grids that are simpler than a given one.
///
/// It computes in `long double`, which holds every narrower binary type exactly.
/// Compiled for the formats of formats.hpp; for others include shrink_float_definitions.hpp.
#pragma once

#include <sqrtdk/testing/generators/binary_float.hpp>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace sqrtdk::testing {

namespace detail {

/// The distance from 0, the simplest number; compared part by part, it can fall finitely often.
struct Complexity {
  int kind;           ///< zero 0, integer 1, fraction 2, infinity 3, NaN 4
  int bits;           ///< length of the mantissa without its trailing zeros
  int distance;       ///< of the exponent from 0, the exponent of 1
  std::uint64_t odd;  ///< the mantissa without its trailing zeros
  bool negative;      ///< true if there is a minus sign

  friend auto operator<=>(const Complexity&,
                          const Complexity&) = default;  // NOLINT(modernize-use-nullptr)
};

Complexity complexity_of(long double x);

/// True if two entries are the same number, the sign of zero included; one NaN is the other.
template <BinaryFloat T>
bool same_entry(T a, T b);

}  // namespace detail

/// Simpler numbers, the simplest first: integers, fewer bits, exponents nearer to 0, positive.
/// Every result is less complex than x, so that shrinking ends.
/// \param x       any number of the type, special values included.
/// \param largest the largest magnitude of a result.
template <BinaryFloat T>
std::vector<T> shrinks(T x, T largest = std::numeric_limits<T>::max());

namespace detail {

/// Lists of the same length with fewer different entries, or as many and simpler ones.
template <BinaryFloat T>
std::vector<std::vector<T>> simpler_entries(const std::vector<T>& x,
                                            T largest = std::numeric_limits<T>::max());

}  // namespace detail

/// Lists simpler than a given one: shorter ones, the shortest first, then those of the same length
/// with fewer different entries, or simpler ones. Equal entries may be doubled in shorter lists.
/// \param x        a list.
/// \param shortest the smallest length of a result.
/// \param largest  the largest magnitude of an entry of a result.
template <BinaryFloat T>
std::vector<std::vector<T>> shrinks(const std::vector<T>& x, std::size_t shortest,
                                    T largest = std::numeric_limits<T>::max());

}  // namespace sqrtdk::testing
