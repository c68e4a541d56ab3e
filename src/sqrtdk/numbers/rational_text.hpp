// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief How rational numbers are read: `-2/3` or `5`.
#pragma once

#include <sqrtdk/numbers/float_text.hpp>
#include <sqrtdk/numbers/rational.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace sqrtdk {

/// A rational number is an integer, or two with a `/` between them; a minus sign comes first.
template <>
struct Parser<Rational> {
  static Rational read(std::string_view text) {
    const std::string_view size = text.substr(text.starts_with('-') ? 1 : 0);
    const std::size_t slash = size.find('/');
    const std::string above(size.substr(0, slash));
    const std::string below(slash == size.npos ? "1" : size.substr(slash + 1));
    if (!is_natural(above) || !is_natural(below) || Integer(below) == 0)
      refuse_text(text, "is not a rational number, which is written like -2/3 or 5");
    const Rational value{Integer(above), Integer(below)};
    return text.starts_with('-') ? Rational(-value) : value;
  }

 private:
  static bool is_natural(const std::string& number) {
    return number.find_first_not_of("0123456789") == number.npos &&
           (number == "0" || (!number.empty() && number.front() != '0'));
  }
};

}  // namespace sqrtdk
