// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Numbers as they stand on a page and in a message.
#pragma once

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <string>

namespace sqrtdk::testing {

/// A number rounded to so many significant digits, without zeros at the end: `0.0125`, `1.2e-09`.
/// \param value       any number.
/// \param significant how many digits, at least 1.
inline std::string digits(double value, int significant);

/// A number rounded to so many decimal places: `3.10`.
/// \param value  any number.
/// \param places how many, at least 0.
inline std::string fixed(double value, int places);

/// A lower bound rounded to so many decimal places: down, so that it stays one.
/// \param value  any number whose digits before and after the point are 15 at most.
/// \param places how many, at least 0.
inline std::string rounded_down(double value, int places);

/// An upper bound rounded to so many decimal places: up.
/// \param value, places as for rounded_down().
inline std::string rounded_up(double value, int places);

/// The shortest decimal number that reads back to the same double: `0.1`, `1e-09`.
inline std::string shortest(double value);

// ------------------------------------------------------------------------------------------------

namespace detail {

inline std::string formatted(const char* format, int precision, double value) {
  std::string text(static_cast<std::size_t>(std::snprintf(nullptr, 0, format, precision, value)),
                   ' ');
  std::snprintf(text.data(), text.size() + 1, format, precision, value);
  return text;
}

}  // namespace detail

inline std::string digits(double value, int significant) {
  return detail::formatted("%.*g", significant, value);
}

inline std::string fixed(double value, int places) {
  return detail::formatted("%.*f", places, value);
}

inline std::string rounded_down(double value, int places) {
  const double unit = std::pow(10.0, places);
  return fixed(std::floor(value * unit) / unit, places);
}

inline std::string rounded_up(double value, int places) {
  const double unit = std::pow(10.0, places);
  return fixed(std::ceil(value * unit) / unit, places);
}

inline std::string shortest(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

}  // namespace sqrtdk::testing
