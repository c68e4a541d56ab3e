// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Definitions of shrink_float.hpp, for numbers of any type.
#pragma once

#include <sqrtdk/testing/generators/shrink_float.hpp>
#include <sqrtdk/testing/laws/formats.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace sqrtdk::testing {

namespace detail {

/// Candidates for something simpler than a finite x > 0, the simplest first; not all are simpler.
std::vector<long double> magnitudes_near(long double x);

/// The list with every entry that is the same as `from` replaced.
template <BinaryFloat T>
std::vector<T> replaced(std::vector<T> x, T from, T to) {
  for (T& entry : x)
    if (same_entry(entry, from)) entry = to;
  return x;
}

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

template <BinaryFloat T>
bool same_entry(T a, T b) {
  return complexity_of(static_cast<long double>(a)) == complexity_of(static_cast<long double>(b)) &&
         (a == b || a != a);
}

}  // namespace detail

template <BinaryFloat T>
std::vector<T> shrinks(T x, T largest) {
  const auto wide = static_cast<long double>(x);
  const auto limit = static_cast<long double>(largest);
  std::vector<long double> candidates = {0, 1, limit};
  if (wide == 0) candidates = {0};
  if (std::isfinite(wide) && wide != 0) candidates = detail::magnitudes_near(std::abs(wide));

  const detail::Complexity own = detail::complexity_of(wide);
  std::vector<T> result;
  const auto add_if_simpler = [&](long double candidate) {
    const T narrow = static_cast<T>(candidate);
    if (static_cast<long double>(narrow) == candidate && std::abs(candidate) <= limit &&
        detail::complexity_of(candidate) < own)
      result.push_back(narrow);
  };
  if (std::signbit(wide)) candidates.insert(candidates.begin() + 1, -wide);
  for (const long double candidate : candidates) {
    add_if_simpler(candidate);
    if (std::signbit(wide) && candidate != 0) add_if_simpler(-candidate);
  }
  return result;
}

namespace detail {

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
      if (same_entry(x[i], values[0])) continue;
      result.push_back(x);
      result.back()[i] = values[0];
    }
  }
  for (std::size_t i = values.size(); i-- > 0;)  // one value simpler, wherever it stands
    for (const T value : shrinks(values[i], largest))
      result.push_back(detail::replaced(x, values[i], value));
  return result;
}

}  // namespace detail

template <BinaryFloat T>
std::vector<std::vector<T>> shrinks(const std::vector<T>& x, std::size_t shortest, T largest) {
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
  for (std::vector<T>& candidate : detail::simpler_entries(x, largest))
    result.push_back(std::move(candidate));
  return result;
}

#define SQRTDK_SHRINKS(prefix, Real)                                                               \
  prefix template bool detail::same_entry(Real, Real);                                             \
  prefix template std::vector<Real> shrinks(Real, Real);                                           \
  prefix template std::vector<std::vector<Real>> detail::simpler_entries(const std::vector<Real>&, \
                                                                         Real);                    \
  prefix template std::vector<std::vector<Real>> shrinks(const std::vector<Real>&, std::size_t,    \
                                                         Real);
SQRTDK_FOR_EACH_FORMAT(SQRTDK_SHRINKS, extern)

}  // namespace sqrtdk::testing
