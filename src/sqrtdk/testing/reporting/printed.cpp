#include <sqrtdk/numbers/interval.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_at.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>
#include <sqrtdk/testing/reporting/printed.hpp>
#include <sqrtdk/testing/reporting/source_location.hpp>

#include <algorithm>
#include <cstddef>
#include <sstream>
#include <stdexcept>
#include <string>

namespace sqrtdk::testing {

namespace {

std::string value_text(const Rational& value) {
  std::ostringstream text;
  text << value << " = " << value.convert_to<double>();
  return text.str();
}

bool rounds_to(const Rational& value, const Interval<Rational>& printed) {
  return printed.lower <= value && value <= printed.upper;
}

}  // namespace

Interval<Rational> parse_printed(const std::string& text) {
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

void expect_printed(const std::string& document, const std::string& printed, const Rational& value,
                    SourceLocation place) {
  detail::note_exact_comparison();
  expect_at(rounds_to(value, parse_printed(printed)),
            document + " prints " + printed + ", but the value is " + value_text(value), place);
  evidence().add_line("agrees", document + "\t" + printed);
}

void expect_misprinted(const std::string& document, const std::string& printed,
                       const Rational& value, const std::string& right, SourceLocation place) {
  detail::note_exact_comparison();
  expect_at(!rounds_to(value, parse_printed(printed)),
            document + " prints " + printed + ", which is right: the value is " + value.str(),
            place);
  expect_at(rounds_to(value, parse_printed(right)),
            "the correction " + right + " is wrong as well: the value is " + value_text(value),
            place);
  evidence().add_line("corrects", document + "\t" + printed + "\t" + right);
}

void expect_confirmed(const std::string& document, const std::string& words, bool hold,
                      SourceLocation place) {
  expect_at(hold, document + " says '" + words + "', which is wrong here", place);
  evidence().add_line("agrees", document + "\t" + words);
}

void expect_refuted(const std::string& document, const std::string& words, bool hold,
                    const std::string& right, SourceLocation place) {
  expect_at(!hold, document + " says '" + words + "', which is right", place);
  evidence().add_line("corrects", document + "\t" + words + "\t" + right);
}

}  // namespace sqrtdk::testing
