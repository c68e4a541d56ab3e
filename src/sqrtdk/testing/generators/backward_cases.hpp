// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Random inputs of a backward pass of softmax.
///
/// Compiled for the formats of formats.hpp; for others include backward_cases_definitions.hpp.
#pragma once

#include <sqrtdk/testing/generators/binary_float.hpp>
#include <sqrtdk/testing/generators/rapidcheck_internals.hpp>
#include <sqrtdk/testing/laws/softmax_backward_laws.hpp>

#include <Eigen/Core>

namespace sqrtdk::testing {

namespace detail {

/// The largest magnitude of a cotangent that is drawn: no product or sum of the laws overflows.
inline constexpr double largest_cotangent = 0x1p20;

}  // namespace detail

/// Draws the weights of 1 to 33 logits, some of them masked; to be called in a property.
template <BinaryFloat Real>
BackwardVector<Real> drawn_weights();

/// Draws n numbers up to largest_cotangent; to be called in a property.
/// \param n    how many.
/// \param name what they are called in a counterexample.
template <BinaryFloat Real>
BackwardVector<Real> drawn_cotangent(Eigen::Index n, const char* name = "cotangent");

/// Draws one such number.
/// \param name what it is called in a counterexample.
template <BinaryFloat Real>
Real drawn_constant(const char* name = "constant");

}  // namespace sqrtdk::testing
