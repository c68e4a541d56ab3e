// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Which floating-point numbers, lists and grids are simpler than a given one.
///
/// All of it is computed in `long double`, which holds every narrower binary type exactly; a
/// storage type needs no more than conversions from and to it.
#pragma once

#include <sqrtdk/numbers/float_environment.hpp>

#include <rapidcheck.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace sqrtdk::testing {

/// A type of binary floating-point numbers: `double`, or a narrower storage type.
template <class T>
concept BinaryFloat =
    std::numeric_limits<T>::is_specialized && std::numeric_limits<T>::radix == 2 &&
    !std::numeric_limits<T>::is_exact;

/// How far a number is from 0, the simplest one. Compared part by part, from the first on, so that
/// it can go down only finitely often.
struct Complexity {
  int kind;           ///< zero 0, integer 1, fraction 2, infinity 3, NaN 4
  int bits;           ///< length of the mantissa without its trailing zeros
  int distance;       ///< of the exponent from 0, the exponent of 1
  std::uint64_t odd;  ///< the mantissa without its trailing zeros
  bool negative;      ///< whether there is a minus sign

  /// The more complex number is the greater one.
  friend auto operator<=>(const Complexity&,
                          const Complexity&) = default;  // NOLINT(modernize-use-nullptr)
};

/// The complexity of a number.
Complexity complexity_of(long double x);

/// Numbers simpler than x, the simplest first: integers, fewer mantissa bits, exponents nearer to
/// 0, positive.
///
/// Every result is of lower complexity_of() than x, so that shrinking ends.
/// \param x       any number of the type, special values included.
/// \param largest the largest magnitude of a result.
template <BinaryFloat T>
std::vector<T> simpler(T x, T largest = std::numeric_limits<T>::max());

/// Lists of the same length, simpler than a given one: fewer different entries, then simpler ones.
///
/// Every result has fewer different entries, or as many and simpler ones, so that shrinking ends.
template <BinaryFloat T>
std::vector<std::vector<T>> simpler_entries(const std::vector<T>& x,
                                            T largest = std::numeric_limits<T>::max());

/// Lists simpler than a given one: shorter ones, the shortest first, then simpler_entries().
///
/// If all entries are equal, shorter lists of their double are among the results.
/// \param x        a list.
/// \param shortest the smallest length of a result.
/// \param largest  the largest magnitude of an entry of a result.
template <BinaryFloat T>
std::vector<std::vector<T>> simpler(const std::vector<T>& x, std::size_t shortest,
                                    T largest = std::numeric_limits<T>::max());

// ------------------------------------------------------------------------------------------------

namespace detail {

/// x = odd · 2^power, for x > 0.
struct OddAndPower {
  std::uint64_t odd;
  int power;
};

inline OddAndPower odd_and_power(long double x) {
  int exponent = 0;
  const long double fraction = std::frexp(x, &exponent);
  const auto mantissa = static_cast<std::uint64_t>(std::ldexp(fraction, 64));
  const int zeros = std::countr_zero(mantissa);
  return {mantissa >> zeros, exponent - 64 + zeros};
}

inline int length_in_bits(std::uint64_t n) { return 64 - std::countl_zero(n); }

/// Candidates for something simpler than a finite x > 0, the simplest first; not all are simpler.
inline std::vector<long double> magnitudes_near(long double x) {
  const auto [odd, power] = odd_and_power(x);
  const int bits = length_in_bits(odd);
  const int exponent = std::ilogb(x);
  std::vector<long double> candidates = {0, 1, std::trunc(x), std::ceil(x)};
  for (int dropped = bits - 1; dropped > 0; --dropped) {  // to fewer mantissa bits, down and up
    const long double unit = std::ldexp(1.0L, power + dropped);
    const auto kept = static_cast<long double>(odd >> dropped);
    candidates.push_back(kept * unit);
    candidates.push_back((kept + 1) * unit);
  }
  for (int step = exponent; step != 0; step /= 2)  // to an exponent nearer to 0
    candidates.push_back(std::ldexp(x, -step));
  for (int bit = 1; bit < bits - 1; ++bit)  // to a smaller mantissa of the same length
    if (((odd >> bit) & 1U) != 0) candidates.push_back(x - std::ldexp(1.0L, power + bit));
  return candidates;
}

/// Whether two entries are the same number, the sign of zero included.
template <BinaryFloat T>
bool same_entry(T a, T b) {
  return complexity_of(static_cast<long double>(a)) == complexity_of(static_cast<long double>(b)) &&
         (a == b || a != a);
}

/// The list with every entry that is the same as `from` replaced.
template <BinaryFloat T>
std::vector<T> replaced(std::vector<T> x, T from, T to) {
  for (T& entry : x)
    if (same_entry(entry, from)) entry = to;
  return x;
}

/// The entries without repetition, the simplest first.
template <BinaryFloat T>
std::vector<T> different(std::vector<T> x) {
  const auto order = [](T a, T b) {
    const auto left = complexity_of(static_cast<long double>(a));
    const auto right = complexity_of(static_cast<long double>(b));
    return left != right ? left < right : a < b;
  };
  std::sort(x.begin(), x.end(), order);
  x.erase(std::unique(x.begin(), x.end(), same_entry<T>), x.end());
  return x;
}

/// Twice the one value that all entries have; 0 if they differ or that is too large.
template <BinaryFloat T>
T doubled(const std::vector<T>& x, T largest) {
  if (different(x).size() != 1) return T(0);
  const auto twice = 2 * static_cast<long double>(x[0]);
  return std::abs(twice) <= static_cast<long double>(largest) ? static_cast<T>(twice) : T(0);
}

}  // namespace detail

inline Complexity complexity_of(long double x) {
  const bool negative = std::signbit(x);
  const long double size = std::abs(x);
  if (std::isnan(x)) return {4, 0, 0, 0, false};
  if (std::isinf(x)) return {3, 0, 0, 0, negative};
  if (size == 0) return {0, 0, 0, 0, negative};
  const std::uint64_t odd = detail::odd_and_power(size).odd;
  return {size == std::trunc(size) ? 1 : 2, detail::length_in_bits(odd), std::abs(std::ilogb(size)),
          odd, negative};
}

template <BinaryFloat T>
std::vector<T> simpler(T x, T largest) {
  const auto wide = static_cast<long double>(x);
  const auto limit = static_cast<long double>(largest);
  std::vector<long double> candidates = {0, 1, limit};
  if (wide == 0) candidates = {0};
  if (std::isfinite(wide) && wide != 0) candidates = detail::magnitudes_near(std::abs(wide));

  const Complexity own = complexity_of(wide);
  std::vector<T> result;
  const auto add_if_simpler = [&](long double candidate) {
    const T narrow = static_cast<T>(candidate);
    if (static_cast<long double>(narrow) == candidate && std::abs(candidate) <= limit &&
        complexity_of(candidate) < own)
      result.push_back(narrow);
  };
  if (std::signbit(wide)) candidates.insert(candidates.begin() + 1, -wide);
  for (const long double candidate : candidates) {
    add_if_simpler(candidate);
    if (std::signbit(wide) && candidate != 0) add_if_simpler(-candidate);
  }
  return result;
}

template <BinaryFloat T>
std::vector<std::vector<T>> simpler_entries(const std::vector<T>& x, T largest) {
  std::vector<std::vector<T>> result;
  const std::vector<T> values = detail::different(x);
  if (values.size() > 1) {
    for (const T value : values)  // all entries equal
      result.emplace_back(x.size(), value);
    for (std::size_t i = values.size(); i-- > 1;)  // one value fewer
      result.push_back(detail::replaced(x, values[i], values[0]));
    for (std::size_t i = values.size(); i-- > 2;)
      result.push_back(detail::replaced(x, values[i], values[i - 1]));
    for (std::size_t i = 0; i < x.size(); ++i) {  // one entry the simplest
      if (detail::same_entry(x[i], values[0])) continue;
      result.push_back(x);
      result.back()[i] = values[0];
    }
  }
  for (std::size_t i = values.size(); i-- > 0;)  // one value simpler, wherever it stands
    for (const T value : simpler(values[i], largest))
      result.push_back(detail::replaced(x, values[i], value));
  return result;
}

template <BinaryFloat T>
std::vector<std::vector<T>> simpler(const std::vector<T>& x, std::size_t shortest, T largest) {
  std::vector<std::vector<T>> result;
  for (std::size_t removed = x.size(); removed > 0; removed /= 2) {
    if (x.size() - removed < shortest) continue;
    for (std::size_t start = 0; start < x.size(); start += removed) {
      const std::size_t stop = std::min(start + removed, x.size());
      if (x.size() - (stop - start) < shortest) continue;
      std::vector<T> rest(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(start));
      rest.insert(rest.end(), x.begin() + static_cast<std::ptrdiff_t>(stop), x.end());
      result.push_back(std::move(rest));
    }
  }
  if (const T twice = detail::doubled(x, largest); twice != T(0))
    for (std::size_t i = 0, shorter = result.size(); i < shorter; ++i)
      result.emplace_back(result[i].size(), twice);
  for (std::vector<T>& candidate : simpler_entries(x, largest))
    result.push_back(std::move(candidate));
  return result;
}

}  // namespace sqrtdk::testing
