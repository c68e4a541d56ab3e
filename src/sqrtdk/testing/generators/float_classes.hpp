// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Where floating-point numbers lie and what vectors look like, so that it can be counted
/// what was generated.
#pragma once

#include <sqrtdk/testing/generators/shrink_float.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <string_view>
#include <vector>

namespace sqrtdk::testing {

/// Where a floating-point number lies.
enum class FloatClass {
  zero,       ///< 0 or −0
  subnormal,  ///< below the least normal number
  tiny,       ///< normal, but its square is not
  boundary,   ///< a number of boundaries(), or one of its two neighbours
  huge,       ///< its square overflows
  integer,    ///< a whole number
  ordinary,   ///< a fraction
  infinity,   ///< ∞ or −∞
  nan         ///< not a number
};

/// What a vector looks like.
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

/// Positive numbers at which something changes: the largest and the least normal number, the least
/// subnormal one, 1, ε, the end 2^digits of the integers, √max, √min, and those at which exp
/// overflows, leaves the normal numbers and vanishes.
template <BinaryFloat T>
const std::vector<T>& boundaries();

/// The class of a number; where several fit, the first that FloatClass lists.
template <BinaryFloat T>
FloatClass class_of(T x);

/// The shape of a vector; where several fit, the first that Shape lists.
template <BinaryFloat T>
Shape shape_of(const std::vector<T>& x);

// ------------------------------------------------------------------------------------------------

inline std::string_view name(FloatClass kind) {
  constexpr std::string_view names[] = {"zero",    "subnormal", "tiny",     "boundary", "huge",
                                        "integer", "ordinary",  "infinity", "NaN"};
  return names[static_cast<std::size_t>(kind)];
}

inline std::string_view name(Shape shape) {
  constexpr std::string_view names[] = {"empty",        "one entry",   "all equal", "one-hot",
                                        "nearly equal", "ties",        "sorted",    "reversed",
                                        "one outlier",  "huge spread", "mixed"};
  return names[static_cast<std::size_t>(shape)];
}

namespace detail {

/// The binary format of a type. Exponents are those of the leading bit: 0 for 1 ≤ x < 2.
template <BinaryFloat T>
struct Format {
  using Limits = std::numeric_limits<T>;
  static constexpr int digits = Limits::digits;
  static constexpr int lowest = Limits::min_exponent - 1;   // of normal numbers
  static constexpr int highest = Limits::max_exponent - 1;  // of finite numbers
  static constexpr int bottom = lowest - digits + 1;        // of subnormal numbers
  static constexpr int tiny = lowest / 2;                   // below: squares are not normal
  static constexpr int huge = (highest + 1) / 2;            // from here on: squares overflow

  /// The number n · 2^power; it must have at most `digits` bits.
  static T scaled(std::uint64_t n, int power) {
    return static_cast<T>(std::ldexp(static_cast<long double>(n), power));
  }
  /// What follows x, away from zero; infinity after the largest number.
  static T next(T x) { return beside(x, 1); }
  /// What precedes x > 0, towards zero.
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

}  // namespace detail

template <BinaryFloat T>
const std::vector<T>& boundaries() {
  static const std::vector<T> values = [] {
    using F = detail::Format<T>;
    const auto max = static_cast<long double>(std::numeric_limits<T>::max());
    const auto min = std::ldexp(1.0L, F::lowest);
    const auto least = std::ldexp(1.0L, F::bottom);
    const auto ln2 = std::numbers::ln2_v<long double>;
    std::vector<T> result;
    for (const long double x :
         {max, min, least, 1.0L, std::ldexp(1.0L, 1 - F::digits), std::ldexp(1.0L, F::digits),
          std::sqrt(max), std::sqrt(min), std::log(max), ln2 * -F::lowest, ln2 * (1 - F::bottom)})
      result.push_back(static_cast<T>(x));
    return result;
  }();
  return values;
}

template <BinaryFloat T>
FloatClass class_of(T x) {
  using F = detail::Format<T>;
  const auto size = std::abs(static_cast<long double>(x));
  if (size == 0) return FloatClass::zero;
  if (std::isnan(size)) return FloatClass::nan;
  if (std::isinf(size)) return FloatClass::infinity;
  if (std::ilogb(size) < F::lowest) return FloatClass::subnormal;
  if (std::ilogb(size) < F::tiny) return FloatClass::tiny;
  for (const T boundary : boundaries<T>())
    if (const T near = static_cast<T>(size);
        near == boundary || near == F::previous(boundary) || near == F::next(boundary))
      return FloatClass::boundary;
  if (std::ilogb(size) >= F::huge) return FloatClass::huge;
  return size == std::trunc(size) ? FloatClass::integer : FloatClass::ordinary;
}

template <BinaryFloat T>
Shape shape_of(const std::vector<T>& x) {
  const std::size_t n = x.size();
  if (n < 2) return n == 0 ? Shape::empty : Shape::single;
  if (std::all_of(x.begin(), x.end(), [&](T e) { return detail::same_entry(e, x[0]); }))
    return Shape::all_equal;
  const auto zeros = static_cast<std::size_t>(std::count(x.begin(), x.end(), T(0)));
  if (zeros == n - 1) return Shape::one_hot;

  const auto [low, high] = std::minmax_element(x.begin(), x.end());
  std::vector<long double> sizes;
  for (const T entry : x)
    if (entry != T(0) && entry == entry) sizes.push_back(std::abs(static_cast<long double>(entry)));
  std::sort(sizes.begin(), sizes.end());
  const long double difference = static_cast<long double>(*high) - static_cast<long double>(*low);
  if (!sizes.empty() &&
      difference <= 8 * std::ldexp(sizes.back(), 1 - std::numeric_limits<T>::digits))
    return Shape::near_equal;
  if (std::count(x.begin(), x.end(), *high) > 1) return Shape::ties;
  if (std::is_sorted(x.begin(), x.end())) return Shape::sorted;
  if (std::is_sorted(x.rbegin(), x.rend())) return Shape::reversed;
  if (sizes.size() > 1 && sizes.back() >= std::ldexp(sizes[sizes.size() - 2], 20))
    return Shape::one_outlier;
  if (sizes.size() > 1 && sizes.back() >= std::ldexp(sizes.front(), 40)) return Shape::huge_spread;
  return Shape::mixed;
}

}  // namespace sqrtdk::testing
