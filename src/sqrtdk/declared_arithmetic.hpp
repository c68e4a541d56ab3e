// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref softmax_error : arithmetics that kernels have, by name.
///
/// Each takes an arithmetic, says one thing more of it, and returns the result, so that they can be
/// combined: `any_order(exp2_folded(arithmetic_of<float>()))`.
#pragma once

#include <sqrtdk/numbers/columns.hpp>
#include <sqrtdk/numbers/require.hpp>
#include <sqrtdk/softmax_error.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>

namespace sqrtdk {

/// Numbers that are computed with in a format itself, also where arithmetic_of() takes them for stored
/// in it and computed in float.
/// \tparam Scalar half, bfloat16, float, double or long double.
template <class Scalar>
SoftmaxArithmetic computed_in();

/// Results that are rounded once more, to the format in which they are stored.
/// \tparam Scalar    the format.
/// \param arithmetic what is declared so far.
template <class Scalar>
SoftmaxArithmetic stored_in(SoftmaxArithmetic arithmetic);

/// Sums whose order is not known, or that add one term after the other: h = n − 1.
/// \param arithmetic what is declared so far.
SoftmaxArithmetic any_order(SoftmaxArithmetic arithmetic);

/// Sums by halves, of blocks of m terms that are added in any order: h = ⌈log₂ n⌉ + m.
/// \param arithmetic what is declared so far.
/// \param longest    m, at least 1.
/// \throws std::domain_error if m is 0.
SoftmaxArithmetic blocks(SoftmaxArithmetic arithmetic, std::size_t longest);

/// One pass for the maximum and the sum, which rescales the sum, and in attention the output, when
/// it meets a greater score: \ref OnePassError.
/// \param arithmetic what is declared so far.
/// \param rescalings B, how often one term is rescaled at most.
SoftmaxArithmetic one_pass(SoftmaxArithmetic arithmetic, std::size_t rescalings);

/// A product with the reciprocal of the sum in the place of a division: D = 2.
/// \param arithmetic what is declared so far.
SoftmaxArithmetic by_reciprocal(SoftmaxArithmetic arithmetic);

/// e^x as 2^(x log₂ e), whose product is rounded: κ = 2 more, one for the product and one for the
/// constant.
///
/// The difference of the scores is taken first. A kernel that multiplies scores and maximum by the
/// constant before it subtracts them, without a fused operation, is another, and not covered.
/// \param arithmetic what is declared so far.
SoftmaxArithmetic exp2_folded(SoftmaxArithmetic arithmetic);

/// Queries and keys each multiplied by the root of the scale, in the place of the scores by the scale:
/// 6 roundings in the place of 2, of the scale 2, of its root 2 (they enter twice), and of the products 2.
///
/// Products that underflow are covered if flushing() is declared as well.
/// \param arithmetic what is declared so far.
SoftmaxArithmetic scale_folded(SoftmaxArithmetic arithmetic);

/// Subnormal numbers of the format that is computed in may be taken for 0, as arguments and as
/// results; those of a narrower format in which a result is stored are not. Four times the smallest normal
/// number N, and as many times more as a lost number can be magnified, in the place of η.
/// Weights that are stored keep theirs, too.
///
/// \param arithmetic    what is declared so far.
/// \param magnification the most that a lost number is multiplied by: for a softmax 1/τ. Numbers below
///                      1 count as 1. attention_error_bound() and attention_gradient_error_bound()
///                      see to it for their arguments.
/// \throws std::domain_error if the magnification is negative or no finite number.
SoftmaxArithmetic flushing(SoftmaxArithmetic arithmetic, double magnification = 1);

/// The same for an input that magnifies what is lost: η and ln(2/η) of an arithmetic that flushing()
/// returned are changed once more; any other is returned as it is.
/// \param arithmetic    what is declared.
/// \param magnification as for flushing().
/// \throws std::domain_error as flushing().
SoftmaxArithmetic magnified(SoftmaxArithmetic arithmetic, double magnification);

/// Attention weights that are rounded to a format before they meet the values.
/// \tparam Scalar    the format: half, bfloat16, or another that arithmetic_of() takes.
/// \param arithmetic what is declared so far.
template <class Scalar>
SoftmaxArithmetic stored_weights(SoftmaxArithmetic arithmetic);

// ---- Implementation -----------------------------------------------------------------------------

namespace detail {

/// A number of a format as a double; half and bfloat16 have no conversion of their own to it.
template <class Scalar>
double as_double(Scalar x) {
  return static_cast<double>(static_cast<Compute<Scalar>>(x));
}

}  // namespace detail

template <class Scalar>
SoftmaxArithmetic computed_in() {
  using Limits = std::numeric_limits<Scalar>;
  SoftmaxArithmetic arithmetic = arithmetic_of<Compute<Scalar>>();
  if constexpr (std::is_same_v<Scalar, Compute<Scalar>>) return arithmetic;
  arithmetic.unit_roundoff = std::ldexp(1.0, -Limits::digits);
  arithmetic.smallest = detail::as_double(Limits::denorm_min());
  arithmetic.largest = detail::as_double(Limits::max());
  arithmetic.depth_of_underflow = std::log(2 / arithmetic.smallest);
  return arithmetic;
}

template <class Scalar>
SoftmaxArithmetic stored_in(SoftmaxArithmetic arithmetic) {
  using Storage = std::numeric_limits<Scalar>;
  arithmetic.storage_roundoff = std::ldexp(1.0, -Storage::digits);
  arithmetic.storage_smallest = detail::as_double(Storage::denorm_min());
  arithmetic.storage_largest = detail::as_double(Storage::max());
  return arithmetic;
}

inline SoftmaxArithmetic any_order(SoftmaxArithmetic arithmetic) {
  arithmetic.summation = Summation::any_order;
  return arithmetic;
}

inline SoftmaxArithmetic blocks(SoftmaxArithmetic arithmetic, std::size_t longest) {
  detail::require_at_least("the length of a block", longest, 1U);
  arithmetic.summation = Summation::pairwise;
  arithmetic.block = longest;
  return arithmetic;
}

inline SoftmaxArithmetic one_pass(SoftmaxArithmetic arithmetic, std::size_t rescalings) {
  arithmetic.rescalings = rescalings;
  return arithmetic;
}

inline SoftmaxArithmetic by_reciprocal(SoftmaxArithmetic arithmetic) {
  arithmetic.quotient_roundings = 2;
  return arithmetic;
}

inline SoftmaxArithmetic exp2_folded(SoftmaxArithmetic arithmetic) {
  arithmetic.exp_argument_error += 2;
  return arithmetic;
}

inline SoftmaxArithmetic scale_folded(SoftmaxArithmetic arithmetic) {
  arithmetic.scale_roundings = 6;
  return arithmetic;
}

inline SoftmaxArithmetic flushing(SoftmaxArithmetic arithmetic, double magnification) {
  // η/(2u) is the smallest normal number of a format.
  arithmetic.smallest *= 4 / (2 * arithmetic.unit_roundoff);
  arithmetic.flushes = true;
  return magnified(arithmetic, magnification);
}

inline SoftmaxArithmetic magnified(SoftmaxArithmetic arithmetic, double magnification) {
  detail::require_at_least_finite("the magnification", magnification, 0);
  if (!arithmetic.flushes) return arithmetic;
  arithmetic.smallest *= std::max(1.0, magnification);
  arithmetic.depth_of_underflow = std::log(2 / arithmetic.smallest);
  return arithmetic;
}

template <class Scalar>
SoftmaxArithmetic stored_weights(SoftmaxArithmetic arithmetic) {
  using Storage = std::numeric_limits<Scalar>;
  arithmetic.weight_roundoff = std::ldexp(1.0, -Storage::digits);
  arithmetic.weight_smallest = detail::as_double(Storage::denorm_min());
  return arithmetic;
}

}  // namespace sqrtdk
