// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Definitions of float_classes.hpp, for numbers of any type.
#pragma once

#include <sqrtdk/testing/generators/float_classes.hpp>
#include <sqrtdk/testing/generators/shrink_float_definitions.hpp>
#include <sqrtdk/testing/laws/formats.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <vector>

namespace sqrtdk::testing {

namespace detail {

template <BinaryFloat T>
const std::vector<T>& boundaries() {
  static const std::vector<T> values = [] {
    using F = Format<T>;
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

}  // namespace detail

template <BinaryFloat T>
FloatClass class_of(T x) {
  using F = Format<T>;
  const auto size = std::abs(static_cast<long double>(x));
  if (size == 0) return FloatClass::zero;
  if (std::isnan(size)) return FloatClass::nan;
  if (std::isinf(size)) return FloatClass::infinity;
  if (std::ilogb(size) < F::lowest) return FloatClass::subnormal;
  if (std::ilogb(size) < F::tiny) return FloatClass::tiny;
  for (const T boundary : detail::boundaries<T>())
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

#define SQRTDK_FLOAT_CLASSES(prefix, Real)                       \
  prefix template const std::vector<Real>& detail::boundaries(); \
  prefix template FloatClass class_of(Real);                     \
  prefix template Shape shape_of(const std::vector<Real>&);
SQRTDK_FOR_EACH_FORMAT(SQRTDK_FLOAT_CLASSES, extern)

}  // namespace sqrtdk::testing
