// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Rational numbers of any size.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>

/// The mathematics of the book: numbers, distributions, and one header or more for each chapter.
namespace sqrtdk {

/// An exact rational number: the scalar of every identity, so that equality needs no tolerance.
///
/// Boost's `cpp_rational` without expression templates: `auto` and lambdas then deduce a number and
/// not a reference to temporaries.
using Rational = boost::multiprecision::number<boost::multiprecision::cpp_rational::backend_type,
                                               boost::multiprecision::et_off>;

/// An integer of any size, in the same style as Rational.
using Integer = boost::multiprecision::number<boost::multiprecision::cpp_int::backend_type,
                                              boost::multiprecision::et_off>;

}  // namespace sqrtdk
