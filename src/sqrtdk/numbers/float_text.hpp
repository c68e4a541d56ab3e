// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Floating-point numbers as text that loses nothing, for counterexamples.
#pragma once

#include <sqrtdk/numbers/number_text.hpp>

#include <charconv>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <string>

namespace sqrtdk {

/// A floating-point number in hex, and the shortest decimal that reads back to the same bits:
/// `0x1.8p+1 = 3`. Infinities are `inf` and `-inf`; every NaN is `nan`.
template <std::floating_point T>
std::string format_hex_and_decimal(T x);

namespace detail {

/// The hex digits of a finite x >= 0. GCC 12 does not normalize subnormal numbers, later versions
/// do: here all are written like the normal numbers that they are multiples of.
template <std::floating_point T>
std::string hex_digits(T x) {
  if (std::fpclassify(x) != FP_SUBNORMAL) return format_digits(x, std::chars_format::hex);
  constexpr int shift = std::numeric_limits<T>::digits;
  const std::string shifted = format_digits(std::ldexp(x, shift), std::chars_format::hex);
  const std::size_t exponent = shifted.find('p') + 1;
  return shifted.substr(0, exponent) + std::to_string(std::stoi(shifted.substr(exponent)) - shift);
}

}  // namespace detail

template <std::floating_point T>
std::string format_hex_and_decimal(T x) {
  if (std::isnan(x)) return "nan";
  if (std::isinf(x)) return x < 0 ? "-inf" : "inf";
  return (std::signbit(x) ? "-0x" : "0x") + detail::hex_digits(std::abs(x)) + " = " +
         format_digits(x);
}

}  // namespace sqrtdk
