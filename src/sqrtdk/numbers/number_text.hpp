// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Numbers as text: printed, on a page and in a message, and read.
#pragma once

#include <cfenv>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <locale>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>

namespace sqrtdk {

/// A number rounded to so many significant digits, without zeros at the end: `0.0125`, `1.2e-09`.
/// \param value       any number.
/// \param significant how many digits, at least 1.
std::string format_significant(double value, int significant);

/// A number rounded to so many decimal places: `3.10`.
/// \param value  any number.
/// \param places how many, at least 0.
std::string format_fixed(double value, int places);

/// A lower bound rounded to so many decimal places: down, so that it stays one. Of 0.3, which as a
/// double is a little less, one place is 0.2.
/// \param value  any number.
/// \param places how many, at least 0.
std::string rounded_down(double value, int places);

/// An upper bound rounded to so many decimal places: up.
/// \param value, places as for rounded_down().
std::string rounded_up(double value, int places);

/// The shortest decimal number that reads back to the same double: `0.1`, `1e-09`.
std::string format_shortest(double value);

/// The fewest digits that read back to the same number of the same type.
/// \tparam Number an integer or a floating-point number of the language.
/// \param  value  any number.
/// \param  format of `std::to_chars`: the base of an integer, or a `std::chars_format`; decimal if
///                there is none.
template <class Number, class... Format>
std::string format_digits(Number value, Format... format);

/// A value as text, for messages: rationals exactly, floating-point numbers with 17 digits.
/// \param value anything that can be written to a stream.
template <class Value>
std::string to_text(const Value& value);

/// A stream that writes numbers without separators, with a point, whatever the program's locale is.
std::ostringstream plain_stream();

/// A number as people write it: `2^-30` for small powers of two, else format_shortest().
std::string exact_text(double x);

/// Reads a number from the whole of a text, and nothing else.
/// \tparam Number an integer or a floating-point number of the language.
/// \param  text   digits, as `std::from_chars` takes them; neither blanks nor a plus sign.
/// \param  number what was read; left alone if nothing could be.
/// \param  format of `std::from_chars`: the base of an integer, or a `std::chars_format`.
/// \return `std::errc()` if the whole text is a number in range, or else what is wrong.
template <class Number, class... Format>
std::errc read_whole(std::string_view text, Number& number, Format... format);

/// True if read_whole() could read the number.
template <class Number, class... Format>
bool read_number(std::string_view text, Number& number, Format... format);

namespace detail {

inline std::string formatted(const char* format, int precision, double value) {
  std::string text(static_cast<std::size_t>(std::snprintf(nullptr, 0, format, precision, value)),
                   ' ');
  std::snprintf(text.data(), text.size() + 1, format, precision, value);
  return text;
}

}  // namespace detail

inline std::string format_significant(double value, int significant) {
  return detail::formatted("%.*g", significant, value);
}

inline std::string format_fixed(double value, int places) {
  return detail::formatted("%.*f", places, value);
}

namespace detail {

inline std::string fixed_rounded(int direction, double value, int places) {
  const int before = std::fegetround();
  std::fesetround(direction);
  std::string text = format_fixed(value, places);
  std::fesetround(before);
  return text;
}

}  // namespace detail

inline std::string rounded_down(double value, int places) {
  return detail::fixed_rounded(FE_DOWNWARD, value, places);
}

inline std::string rounded_up(double value, int places) {
  return detail::fixed_rounded(FE_UPWARD, value, places);
}

template <class Number, class... Format>
std::string format_digits(Number value, Format... format) {
  char text[64];
  return {text, std::to_chars(text, text + sizeof text, value, format...).ptr};
}

inline std::string format_shortest(double value) { return format_digits(value); }

inline std::string exact_text(double x) {
  int exponent = 0;
  if (std::frexp(x, &exponent) == 0.5 && exponent < -3) return "2^" + std::to_string(exponent - 1);
  return format_shortest(x);
}

inline std::ostringstream plain_stream() {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  return out;
}

template <class Value>
std::string to_text(const Value& value) {
  std::ostringstream out = plain_stream();
  out.precision(17);
  out << value;
  return out.str();
}

template <class Number, class... Format>
std::errc read_whole(std::string_view text, Number& number, Format... format) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number, format...);
  return stop == end ? error : std::errc::invalid_argument;
}

template <class Number, class... Format>
bool read_number(std::string_view text, Number& number, Format... format) {
  return read_whole(text, number, format...) == std::errc();
}

}  // namespace sqrtdk
