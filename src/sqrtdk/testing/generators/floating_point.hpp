// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Random floating-point numbers and vectors that lie where programs break, and shrink.
///
/// Every class of numbers and every shape of vectors is chosen explicitly and often. These are
/// adversaries, never a statistical sample.
///
/// Compiled for the formats of formats.hpp; for others include floating_point_definitions.hpp.
#pragma once

#include <sqrtdk/testing/generators/binary_float.hpp>
#include <sqrtdk/testing/generators/rapidcheck_internals.hpp>

#include <rapidcheck.h>

#include <cstddef>
#include <limits>
#include <vector>

namespace sqrtdk::testing {

/// The range of the numbers that floats() generates.
/// \tparam T a format of formats.hpp; for others include floating_point_definitions.hpp.
template <BinaryFloat T>
struct Floats {
  T largest = std::numeric_limits<T>::max();  ///< the largest magnitude, finite and at least 1
  bool infinities = false;                    ///< true if ∞ and −∞ occur
  bool nans = false;                          ///< true if NaN occurs
};

/// The vectors to generate.
template <BinaryFloat T>
struct Vectors {
  std::size_t shortest = 1;  ///< the smallest length; 0 for the empty vector too
  std::size_t longest = 65;  ///< the largest length, from `shortest` to 2²⁰
  Floats<T> entries = {};    ///< the numbers that may be entries
};

/// A number of either sign, its FloatClass chosen first, so that 0, subnormal, huge and boundary
/// numbers are frequent; where allowed, one in twelve is infinite and one in twelve NaN. No uniform
/// sample.
/// \throws std::domain_error unless 1 ≤ largest < ∞.
/// \relatesalso Floats
template <BinaryFloat T>
rc::Gen<T> floats(Floats<T> allowed = {});

/// A vector of any shape, chosen by shape first; its length is often 1 or 2^k − 1, 2^k, 2^k + 1.
/// \throws std::invalid_argument unless shortest ≤ longest.
/// \throws std::domain_error unless longest ≤ 2²⁰ and 1 ≤ largest < ∞.
/// \relatesalso Vectors
template <BinaryFloat T>
rc::Gen<std::vector<T>> vectors(Vectors<T> allowed = {});

/// A temperature: mostly 1 or moderate, else any positive number from the least to the largest one.
template <BinaryFloat T>
rc::Gen<T> temperatures();

/// Scores for a softmax: moderate, up to twice where exp underflows, any finite ones, or near both
/// ends of the range, where differences overflow; in every fourth list some, never all, are −∞.
/// \param longest the largest length, at least 1.
/// \throws std::domain_error if that is 0.
template <BinaryFloat T>
rc::Gen<std::vector<T>> scores(std::size_t longest = 33);

namespace detail {

/// \throws std::domain_error unless 1 ≤ largest < ∞.
template <BinaryFloat T>
void require_valid(const Floats<T>& allowed);

}  // namespace detail

}  // namespace sqrtdk::testing
