// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief RapidCheck shows numbers by all of their digits.
///
/// Including this header makes RapidCheck show every `float`, `double` and `long double`, alone or
/// in a container, by format_hex_and_decimal() instead of by its first six digits.
#pragma once

#include <sqrtdk/numbers/float_text.hpp>

#include <rapidcheck.h>

#include <concepts>
#include <ostream>

/// \cond  Doxygen does not know the namespaces of RapidCheck.
/// What RapidCheck calls to show a number.
template <std::floating_point T>
struct rc::detail::ShowDefault<T, false, true> {
  static void show(const T& value, std::ostream& out) {
    out << sqrtdk::format_hex_and_decimal(value);
  }
};
/// \endcond
