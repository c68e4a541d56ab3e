// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief The number types that the generators draw.
#pragma once

#include <sqrtdk/numbers/float_environment.hpp>

#include <limits>

namespace sqrtdk::testing {

/// A type of binary floating-point numbers: those of the language, and narrower storage types.
template <class T>
concept BinaryFloat =
    std::numeric_limits<T>::is_specialized && std::numeric_limits<T>::radix == 2 &&
    !std::numeric_limits<T>::is_exact;

}  // namespace sqrtdk::testing
