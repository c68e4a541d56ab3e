// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Inputs as text that loses nothing: written in counterexamples, read back from the corpus.
#pragma once

#include <sqrtdk/numbers/number_text.hpp>

#include <charconv>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace sqrtdk {

/// A floating-point number in hex, and the shortest decimal that reads back to the same bits:
/// `0x1.8p+1 = 3`. Infinities are `inf` and `-inf`; every NaN is `nan`.
template <std::floating_point T>
std::string format_hex_and_decimal(T x);

/// How values of a type are read back. Specialize it to keep other types in a corpus.
/// \tparam T a floating-point number (`0x1.8p+1`, or `0x1.8p+1 = 3` as format_hex_and_decimal()
///           writes it), an integer, a rational number (`-2/3`), or a vector of readable values
///           (`[1, 2, 3]`).
template <class T>
struct Parser;  // static T read(std::string_view); throws std::invalid_argument

/// Reads a value from the whole of a text.
/// \throws std::invalid_argument if the text breaks a rule; the message has the value and the rule.
template <class T>
T read_text(std::string_view text) {
  return Parser<T>::read(text);
}

/// Refuses a text, for a Parser.
/// \param text what was to be read.
/// \param rule which rule it breaks: what follows "'text' " in the message.
/// \throws std::invalid_argument always.
[[noreturn]] void refuse_text(std::string_view text, const std::string& rule);

/// The parts of `[a, [b, c]]`: here `a` and `[b, c]`.
/// \throws std::invalid_argument unless the text is a list whose parts are separated by `, `.
std::vector<std::string_view> list_parts(std::string_view text);

// ------------------------------------------------------------------------------------------------

inline void refuse_text(std::string_view text, const std::string& rule) {
  throw std::invalid_argument("'" + std::string(text) + "' " + rule);
}

namespace detail {

/// The hex digits of a finite x >= 0. GCC 12 writes subnormal numbers without moving their first
/// digit to the front, later versions do: here all are written like the normal numbers that they
/// are multiples of.
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

template <std::floating_point T>
struct Parser<T> {
  static T read(std::string_view text) {
    constexpr T infinity = std::numeric_limits<T>::infinity();
    if (text == "inf") return infinity;
    if (text == "-inf") return -infinity;
    if (text == "nan") return std::numeric_limits<T>::quiet_NaN();

    const std::string_view hex = text.substr(0, text.find(" = "));
    const T value = read_hex(hex);
    const std::string expected = std::string(hex) + " = " + format_digits(value);
    if (text != hex && text != expected)
      refuse_text(text, "has two sides that differ: write " + expected);
    return value;
  }

 private:
  static T read_hex(std::string_view hex) {
    const bool negative = hex.starts_with('-');
    const std::string_view unsigned_hex = hex.substr(negative ? 1 : 0);
    long double value = 0;
    if (!unsigned_hex.starts_with("0x") || unsigned_hex.find_first_of("0123456789abcdef", 2) != 2 ||
        !read_number(unsigned_hex.substr(2), value, std::chars_format::hex))
      refuse_text(hex,
                  "is not a floating-point number in hex, which is written like 0x1.8p+1 or "
                  "0x1.8p+1 = 3");
    const T rounded = static_cast<T>(value);
    if (static_cast<long double>(rounded) != value)
      refuse_text(hex,
                  "does not fit the type: the nearest value is " + format_hex_and_decimal(rounded));
    return negative ? -rounded : rounded;
  }
};

template <std::integral T>
struct Parser<T> {
  static T read(std::string_view text) {
    T value = 0;
    if (!read_number(text, value))
      refuse_text(text, "is not an integer from " + std::to_string(std::numeric_limits<T>::min()) +
                            " to " + std::to_string(std::numeric_limits<T>::max()));
    return value;
  }
};

template <class T>
struct Parser<std::vector<T>> {
  static std::vector<T> read(std::string_view text) {
    std::vector<T> values;
    for (const std::string_view part : list_parts(text)) values.push_back(read_text<T>(part));
    return values;
  }
};

inline std::vector<std::string_view> list_parts(std::string_view text) {
  const std::string rule = "is not a list, which is written like [1, 2]";
  if (text.size() < 2 || !text.starts_with('[') || !text.ends_with(']')) refuse_text(text, rule);
  const std::string_view inside = text.substr(1, text.size() - 2);
  std::vector<std::string_view> parts;
  if (inside.empty()) return parts;
  std::size_t start = 0;
  int depth = 0;
  for (std::size_t i = 0; i < inside.size(); ++i) {
    depth += inside[i] == '[' ? 1 : inside[i] == ']' ? -1 : 0;
    if (depth < 0) refuse_text(text, rule);
    if (depth == 0 && inside.substr(i).starts_with(", ")) {
      parts.push_back(inside.substr(start, i - start));
      start = i + 2;
    }
  }
  if (depth != 0) refuse_text(text, rule);
  parts.push_back(inside.substr(start));
  return parts;
}

}  // namespace sqrtdk
