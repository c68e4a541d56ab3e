// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Powers and factorials of exact numbers.
#pragma once

#include <sqrtdk/numbers/rational.hpp>

#include <cstddef>

namespace sqrtdk {

/// xⁿ by repeated squaring.
/// \param x any number.
/// \param n at least 0; x⁰ is 1.
template <class Scalar>
Scalar integer_power(const Scalar& x, unsigned n);

/// n!.
/// \param n at least 0.
Integer factorial(std::size_t n);

// Implementation

template <class Scalar>
Scalar integer_power(const Scalar& x, unsigned n) {
  Scalar result(1);
  Scalar square = x;
  for (; n > 0; n /= 2) {
    if (n % 2 == 1) result *= square;
    if (n > 1) square *= square;
  }
  return result;
}

inline Integer factorial(std::size_t n) {
  Integer product = 1;
  for (std::size_t i = 2; i <= n; ++i) product *= i;
  return product;
}

}  // namespace sqrtdk
