// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Numbers as a document prints them, compared exactly at the printed precision.
#pragma once

#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace sqrtdk::testing {

/// A decimal number as it is printed: every real number that rounds to it lies in [low, high].
struct PrintedNumber {
  Rational low;   ///< the printed value less half a unit in the last printed place
  Rational high;  ///< the printed value and half a unit in the last printed place
};

/// Reads a printed decimal such as `2.67`, `-0.39` or `1,387,386`.
/// \throws std::invalid_argument if the text is not a decimal number.
inline PrintedNumber parse_printed(const std::string& text) {
  std::string digits = text;
  std::erase(digits, ',');
  const bool negative = !digits.empty() && digits.front() == '-';
  if (negative) digits.erase(0, 1);
  const std::size_t point = digits.find('.');
  Rational unit = 1;
  if (point != std::string::npos) {
    for (std::size_t i = point + 1; i < digits.size(); ++i) unit /= 10;
    digits.erase(point, 1);
  }
  const bool is_number = !digits.empty() && std::all_of(digits.begin(), digits.end(), [](char c) {
    return c >= '0' && c <= '9';
  });
  if (!is_number)
    throw std::invalid_argument("'" + text + "' is not a decimal number such as 1,234.50");
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size() - 1));
  const Rational magnitude = Rational(Integer(digits)) * unit;
  const Rational value = negative ? Rational(-magnitude) : magnitude;
  return {value - unit / 2, value + unit / 2};
}

/// Expects that a value rounds to what a document prints, and notes that it does.
/// \param document `S1`, `S2` or `S3`.
/// \param printed  the number, digit for digit.
/// \param value    the exact value.
inline void expect_printed(const std::string& document, const std::string& printed,
                           const Rational& value) {
  const PrintedNumber number = parse_printed(printed);
  EXPECT_TRUE(number.low <= value && value <= number.high)
      << document << " prints " << printed << ", but the value is " << value << " = "
      << value.convert_to<double>();
  evidence().add_line("agrees", document + "\t" + printed);
}

/// Expects that what a document prints is impossible at its own precision, and notes the erratum.
/// \param document `S1`, `S2` or `S3`.
/// \param printed  the number, digit for digit.
/// \param value    the exact value.
/// \param right    what should have been printed; checked against the value.
inline void expect_misprinted(const std::string& document, const std::string& printed,
                              const Rational& value, const std::string& right) {
  const PrintedNumber wrong = parse_printed(printed);
  const PrintedNumber correct = parse_printed(right);
  EXPECT_TRUE(value < wrong.low || wrong.high < value)
      << document << " prints " << printed << ", which is right: the value is " << value;
  EXPECT_TRUE(correct.low <= value && value <= correct.high)
      << "the correction " << right << " is wrong as well: the value is " << value << " = "
      << value.convert_to<double>();
  evidence().add_line("corrects", document + "\t" + printed + "\t" + right);
}

/// Expects that a document's words hold where a test looks, and notes that they do.
///
/// For numbers there is expect_printed(); this is for a word such as "larger".
/// \param document `S1`, `S2` or `S3`.
/// \param words    the words, as the document has them.
/// \param hold     whether what they say is true here, as computed by the test.
inline void expect_confirmed(const std::string& document, const std::string& words, bool hold) {
  EXPECT_TRUE(hold) << document << " says '" << words << "', which is wrong here";
  evidence().add_line("agrees", document + "\t" + words);
}

/// Expects that a document's words do not hold where a test looks, and notes the erratum.
///
/// For numbers there is expect_misprinted(); this is for a word such as "always".
/// \param document `S1`, `S2` or `S3`.
/// \param words    the words, as the document has them.
/// \param hold     whether what they say is true here, as computed by the test.
/// \param right    what is true instead.
inline void expect_refuted(const std::string& document, const std::string& words, bool hold,
                           const std::string& right) {
  EXPECT_FALSE(hold) << document << " says '" << words << "', which is right";
  evidence().add_line("corrects", document + "\t" + words + "\t" + right);
}

}  // namespace sqrtdk::testing
