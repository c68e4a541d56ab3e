// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Classes of floating-point numbers and shapes of vectors, to count what was generated.
///
/// Compiled for the formats of formats.hpp; for others include float_classes_definitions.hpp.
#pragma once

#include <sqrtdk/testing/generators/binary_float.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

namespace sqrtdk::testing {

/// The class of a floating-point number.
enum class FloatClass {
  zero,       ///< 0 or −0
  subnormal,  ///< below the least normal number
  tiny,       ///< normal, but its square is not
  boundary,   ///< a number where something changes, such as 1 or √max, or a neighbour
  huge,       ///< its square overflows
  integer,    ///< a whole number
  ordinary,   ///< a fraction
  infinity,   ///< ∞ or −∞
  nan         ///< not a number
};

/// The shape of a vector.
enum class Shape {
  empty,        ///< no entry
  single,       ///< one entry
  all_equal,    ///< all entries are the same number
  one_hot,      ///< one entry is not 0, all others are
  near_equal,   ///< they differ, by 8 units in the last place of the largest at most
  ties,         ///< the largest entry occurs twice or more
  sorted,       ///< in increasing order
  reversed,     ///< in decreasing order
  one_outlier,  ///< one magnitude is 2^20 times the next largest one or more
  huge_spread,  ///< the largest and the smallest magnitude other than 0 differ by 2^40 or more
  mixed         ///< none of the others
};

/// The name of a class, as it stands in results.
std::string_view name(FloatClass kind);
/// The name of a shape, as it stands in results.
std::string_view name(Shape shape);

namespace detail {

/// Positive numbers at which something changes: the largest, least normal and least subnormal one,
/// 1, ε, 2^digits, √max, √min, and those at which exp overflows, becomes subnormal and vanishes.
template <BinaryFloat T>
const std::vector<T>& boundaries();

}  // namespace detail

/// The class of a number; where several fit, the first that FloatClass lists.
template <BinaryFloat T>
FloatClass class_of(T x);

/// The shape of a vector; where several fit, the first that Shape lists.
template <BinaryFloat T>
Shape shape_of(const std::vector<T>& x);

/// The binary format of a type. Exponents are those of the leading bit: 0 for 1 ≤ x < 2.
/// \tparam T a type of binary floating-point numbers.
template <BinaryFloat T>
struct Format {
  using Limits = std::numeric_limits<T>;                    ///< the standard's description of T
  static constexpr int digits = Limits::digits;             ///< bits of a significand
  static constexpr int lowest = Limits::min_exponent - 1;   ///< least exponent of normal numbers
  static constexpr int highest = Limits::max_exponent - 1;  ///< greatest exponent of finite numbers
  static constexpr int bottom = lowest - digits + 1;        ///< least exponent of subnormal numbers
  static constexpr int tiny = lowest / 2;                   ///< below it, squares are not normal
  static constexpr int huge = (highest + 1) / 2;            ///< from it on, squares overflow

  /// The number n · 2^power; it must have at most `digits` bits.
  static T scaled(std::uint64_t n, int power) {
    return static_cast<T>(std::ldexp(static_cast<long double>(n), power));
  }
  /// The number after x, away from zero; infinity after the largest number.
  static T next(T x) { return beside(x, 1); }
  /// The number before x > 0, towards zero.
  static T previous(T x) { return beside(x, -1); }

 private:
  static T beside(T x, int direction) {
    const auto wide = std::abs(static_cast<long double>(x));
    const int exponent = std::ilogb(wide);
    const bool power_of_two = std::ldexp(1.0L, exponent) == wide;
    const int below = direction < 0 && power_of_two && exponent > lowest ? 1 : 0;
    const long double ulp = std::ldexp(1.0L, std::max(exponent, lowest) - digits + 1 - below);
    return static_cast<T>(wide + static_cast<long double>(direction) * ulp);
  }
};

}  // namespace sqrtdk::testing
