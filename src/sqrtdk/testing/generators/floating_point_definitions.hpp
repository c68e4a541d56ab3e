// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Definitions of floating_point.hpp, for numbers of any type.
#pragma once

#include <sqrtdk/numbers/float_text.hpp>
#include <sqrtdk/testing/generators/float_classes_definitions.hpp>
#include <sqrtdk/testing/generators/floating_point.hpp>
#include <sqrtdk/testing/generators/random_source.hpp>
#include <sqrtdk/testing/generators/shrink_float_definitions.hpp>
#include <sqrtdk/testing/laws/formats.hpp>

#include <rapidcheck.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

namespace sqrtdk::testing {

namespace detail {

template <BinaryFloat T>
class FloatSource {
 public:
  FloatSource(RandomSource& source, const Floats<T>& allowed)
      : source_(source), allowed_(allowed) {}

  T any() { return of(any_class()); }

  T of(FloatClass kind) { return with_sign(within(magnitude(kind))); }

  /// A number between 1/16 and 32 in magnitude, or less if that is too large.
  T moderate() { return with_sign(within(with_exponent(source_.between(-4, 4)))); }

  /// A number of any exponent.
  T of_any_exponent() {
    return with_sign(within(with_exponent(source_.between(F::bottom, top()))));
  }

  /// A class, the more telling ones more often.
  FloatClass any_class() {
    using enum FloatClass;
    static constexpr FloatClass finite[] = {zero,     subnormal, tiny,     boundary,
                                            boundary, ordinary,  ordinary, ordinary,
                                            integer,  integer,   integer,  huge};
    const int special = source_.between(1, 12);
    if (special == 1 && allowed_.infinities) return infinity;
    if (special == 2 && allowed_.nans) return nan;
    return source_.pick(finite);
  }

 private:
  using F = Format<T>;

  int top() const { return std::ilogb(static_cast<long double>(allowed_.largest)); }

  T with_sign(T size) { return source_.boolean() ? static_cast<T>(-size) : size; }

  T magnitude(FloatClass kind) {
    switch (kind) {
      case FloatClass::zero:
        return T(0);
      case FloatClass::subnormal:
        return with_exponent(source_.between(F::bottom, F::lowest - 1));
      case FloatClass::tiny:
        return with_exponent(source_.between(F::lowest, F::tiny - 1));
      case FloatClass::boundary:
        return near_boundary();
      case FloatClass::integer:
        return F::scaled(whole(), 0);
      case FloatClass::huge:
        return with_exponent(source_.between(std::min(F::huge, top()), top()));
      case FloatClass::infinity:
        return std::numeric_limits<T>::infinity();
      case FloatClass::nan:
        return std::numeric_limits<T>::quiet_NaN();
      case FloatClass::ordinary:
        break;
    }
    return with_exponent(source_.between(F::tiny, std::min(F::huge - 1, top())));
  }

  /// A positive number whose leading bit is that of 2^exponent; often with few bits.
  T with_exponent(int exponent) {
    const int precision = std::min(F::digits, exponent - F::bottom + 1);
    const std::uint64_t leading = std::uint64_t{1} << (precision - 1);
    std::uint64_t below = source_.bits() & (leading - 1);
    switch (source_.between(0, 3)) {
      case 0:
        below &= ~((leading - 1) >> source_.between(0, 3));  // few bits
        break;
      case 1:
        below = leading - 1;  // the last number before a power of two
        break;
      default:
        break;
    }
    return F::scaled(leading | below, exponent - precision + 1);
  }

  T near_boundary() {
    const T x = source_.between(0, 3) > 0 ? source_.pick(boundaries<T>()) : allowed_.largest;
    const int side = source_.between(-1, 1);
    return side < 0 ? F::previous(x) : side > 0 ? F::next(x) : x;
  }

  std::uint64_t whole() {
    if (source_.boolean()) return static_cast<std::uint64_t>(source_.between(1, 16));
    return source_.bits() >> (64 - source_.between(1, F::digits));
  }

  /// A finite magnitude that is not too large.
  T within(T size) const {
    const auto wide = static_cast<long double>(size);
    if (std::isnan(wide) || !(wide > static_cast<long double>(allowed_.largest))) return size;
    return std::isinf(wide) && allowed_.infinities ? size : allowed_.largest;
  }

  RandomSource& source_;
  const Floats<T>& allowed_;
};

template <BinaryFloat T>
class VectorSource {
 public:
  VectorSource(RandomSource& source, const Vectors<T>& allowed)
      : source_(source), allowed_(allowed), entry_(source, allowed.entries) {}

  std::vector<T> any() { return of_length(length()); }

  /// A vector of any shape with a given length.
  std::vector<T> of_length(std::size_t n) {
    switch (static_cast<Shape>(source_.between(2, 10))) {
      case Shape::all_equal:
        return std::vector<T>(n, entry_.any());
      case Shape::one_hot:
        return one_other(std::vector<T>(n, T(0)), entry_.any());
      case Shape::near_equal:
        return near_equal(n);
      case Shape::ties:
        return ties(n);
      case Shape::sorted:
        return sorted(mixed(n));
      case Shape::reversed: {
        const std::vector<T> x = sorted(mixed(n));
        return {x.rbegin(), x.rend()};
      }
      case Shape::one_outlier:
        return one_other(each(n, &FloatSource<T>::moderate), entry_.of(FloatClass::huge));
      case Shape::huge_spread:
        return each(n, &FloatSource<T>::of_any_exponent);
      default:
        return mixed(n);
    }
  }

 private:
  using F = Format<T>;

  std::size_t length() {
    const int low = static_cast<int>(allowed_.shortest);
    const int high = static_cast<int>(allowed_.longest);
    const int choice = source_.between(0, 7);
    if (choice == 0) return allowed_.shortest;
    if (choice == 1) return static_cast<std::size_t>(source_.between(low, high));
    if (choice < 5) return static_cast<std::size_t>(source_.between(low, std::min(high, low + 4)));
    const int widest = static_cast<int>(std::bit_width(allowed_.longest)) - 1;
    const int around = (1 << source_.between(0, std::max(widest, 0))) + source_.between(-1, 1);
    return static_cast<std::size_t>(std::clamp(around, low, high));
  }

  /// Independent entries: of any class, or all of one class, or most often moderate ones.
  std::vector<T> mixed(std::size_t n) {
    switch (source_.between(0, 3)) {
      case 0:
        return each(n, &FloatSource<T>::any);
      case 1:
        return all_of(n, entry_.any_class());
      default:
        return each(n, &FloatSource<T>::moderate);
    }
  }

  std::vector<T> all_of(std::size_t n, FloatClass kind) {
    std::vector<T> x(n);
    for (T& entry : x) entry = entry_.of(kind);
    return x;
  }

  std::vector<T> one_other(std::vector<T> x, T other) {
    if (!x.empty())
      x[static_cast<std::size_t>(source_.between(0, static_cast<int>(x.size()) - 1))] = other;
    return x;
  }

  std::vector<T> near_equal(std::size_t n) {
    const T base = entry_.moderate();
    std::vector<T> x(n, base);
    for (T& entry : x)
      for (int steps = source_.between(0, 3); steps > 0; --steps) {
        const T size = F::previous(entry);
        entry = base < T(0) ? static_cast<T>(-size) : size;
      }
    return x;
  }

  std::vector<T> ties(std::size_t n) {
    const T values[] = {entry_.any(), entry_.any(), entry_.moderate()};
    std::vector<T> x(n);
    for (T& entry : x) entry = source_.pick(values);
    return x;
  }

  /// Independent entries.
  std::vector<T> each(std::size_t n, T (FloatSource<T>::*draw)()) {
    std::vector<T> x(n);
    for (T& entry : x) entry = (entry_.*draw)();
    return x;
  }

  /// In increasing order, NaNs last.
  static std::vector<T> sorted(std::vector<T> x) {
    std::sort(x.begin(), x.end(), [](T a, T b) { return a < b || (a == a && b != b); });
    return x;
  }

  RandomSource& source_;
  const Vectors<T>& allowed_;
  FloatSource<T> entry_;
};

/// A temperature, the ends of the range more often than what lies between.
template <BinaryFloat T>
T any_temperature(RandomSource& source) {
  using Limits = std::numeric_limits<T>;
  const Floats<T> allowed;
  FloatSource<T> number(source, allowed);
  const T ends[] = {Limits::denorm_min(), Limits::min(), Limits::max(),
                    Format<T>::previous(Limits::max())};
  switch (source.between(0, 7)) {
    case 0:
    case 1:
      return T(1);
    case 2:
      return source.pick(ends);
    case 3:
      return source.pick(boundaries<T>());
    case 4: {
      const T size = number.of_any_exponent();
      return size < T(0) ? static_cast<T>(-size) : size;
    }
    default: {
      const T size = number.moderate();
      return size < T(0) ? static_cast<T>(-size) : size;
    }
  }
}

/// The masked score.
template <class T>
T masked_score() {
  return static_cast<T>(-std::numeric_limits<T>::infinity());
}

/// Scores of one of the four sizes; one is kept if others are masked.
template <BinaryFloat T>
std::vector<T> any_scores(RandomSource& source, std::size_t longest) {
  using Limits = std::numeric_limits<T>;
  const auto vanishing = static_cast<T>(2 * std::numbers::ln2_v<long double> *
                                        (Limits::digits - Limits::min_exponent + 1));
  const T sizes[] = {T(16), std::min(vanishing, Limits::max()), Limits::max()};
  const Vectors<T> allowed{.longest = longest, .entries = {.largest = source.pick(sizes)}};
  std::vector<T> x = VectorSource<T>(source, allowed).any();
  if (source.between(0, 7) == 0) {
    const T half = static_cast<T>(Limits::max() / T(2));
    const T ends[] = {Limits::max(), Limits::lowest(), half, static_cast<T>(-half), T(0)};
    for (T& entry : x) entry = source.pick(ends);
  }
  if (source.between(0, 3) > 0) return x;
  const auto kept = static_cast<std::size_t>(source.between(0, static_cast<int>(x.size()) - 1));
  for (std::size_t j = 0; j < x.size(); ++j)
    if (j != kept && source.boolean()) x[j] = masked_score<T>();
  return x;
}

template <BinaryFloat T>
void require_valid(const Vectors<T>& allowed) {
  sqrtdk::testing::detail::require_valid(allowed.entries);
  if (allowed.shortest > allowed.longest)
    throw std::invalid_argument("Vectors::shortest is " + std::to_string(allowed.shortest) +
                                ", but longest is " + std::to_string(allowed.longest));
  if (allowed.longest > (1U << 20U))
    throw std::domain_error("Vectors::longest is " + std::to_string(allowed.longest) +
                            ", but at most 2^20 is possible");
}

template <BinaryFloat T>
void require_valid(const Floats<T>& allowed) {
  if (!(allowed.largest >= T(1) && allowed.largest <= std::numeric_limits<T>::max()))
    throw std::domain_error("Floats::largest is " +
                            format_hex_and_decimal(static_cast<long double>(allowed.largest)) +
                            ", but must be finite and at least 1");
}

}  // namespace detail

template <BinaryFloat T>
rc::Gen<T> floats(Floats<T> allowed) {
  detail::require_valid(allowed);
  return generator<T>(
      [=](RandomSource& source) { return detail::FloatSource<T>(source, allowed).any(); },
      [=](const T& x) { return shrinks(x, allowed.largest); });
}

template <BinaryFloat T>
rc::Gen<std::vector<T>> vectors(Vectors<T> allowed) {
  detail::require_valid(allowed);
  return generator<std::vector<T>>(
      [=](RandomSource& source) { return detail::VectorSource<T>(source, allowed).any(); },
      [=](const std::vector<T>& x) {
        return shrinks(x, allowed.shortest, allowed.entries.largest);
      });
}

template <BinaryFloat T>
rc::Gen<T> temperatures() {
  return generator<T>(detail::any_temperature<T>, [](const T& temperature) {
    std::vector<T> positive;
    for (const T x : shrinks(temperature))
      if (x > T(0)) positive.push_back(x);
    return positive;
  });
}

template <BinaryFloat T>
rc::Gen<std::vector<T>> scores(std::size_t longest) {
  if (longest == 0) throw std::domain_error("the longest list is empty, but has no weights");
  return generator<std::vector<T>>(
      [=](RandomSource& source) { return detail::any_scores<T>(source, longest); },
      [](const std::vector<T>& x) {
        std::vector<std::vector<T>> with_a_maximum;
        for (const std::vector<T>& y : shrinks(x, 1))
          if (std::any_of(y.begin(), y.end(),
                          [](T score) { return score > detail::masked_score<T>(); }))
            with_a_maximum.push_back(y);
        return with_a_maximum;
      });
}

#define SQRTDK_GENERATORS(prefix, Real)                              \
  prefix template void detail::require_valid(const Floats<Real>&);   \
  prefix template rc::Gen<Real> floats(Floats<Real>);                \
  prefix template rc::Gen<std::vector<Real>> vectors(Vectors<Real>); \
  prefix template rc::Gen<Real> temperatures();                      \
  prefix template rc::Gen<std::vector<Real>> scores(std::size_t);
SQRTDK_FOR_EACH_FORMAT(SQRTDK_GENERATORS, extern)

}  // namespace sqrtdk::testing
