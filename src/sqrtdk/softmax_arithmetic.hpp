// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref softmax_error : what a softmax is computed with.
#pragma once

#include <sqrtdk/numbers/columns.hpp>
#include <sqrtdk/numbers/require.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>

namespace sqrtdk {

/// In which order a sum is taken, as far as an error bound must know.
enum class Summation {
  pairwise,  ///< tier A: blocks of at most m terms, in any order, and their sums by halves
  any_order  ///< tier B: no term in more than the n − 1 additions that there are
};

/// The longest block of pairwise_sum().
inline constexpr std::size_t default_block = 8;

/// The most additions that a term of a sum goes through: n − 1, or ⌈log₂ n⌉ + m if that is less and
/// the sum is pairwise. One addition more than blocks and halves need: halves may be uneven.
/// \param summation the order.
/// \param n         how many terms, at least 1.
/// \param block     m, the longest block whose terms are added one after the other, at least 1.
/// \throws std::domain_error if n or m is 0.
std::size_t summation_depth(Summation summation, std::size_t n, std::size_t block = default_block);

/// What a softmax is computed with: all that its error bound depends on beside the logits.
///
/// The defaults describe the exponential and the logarithm of a good mathematical library, and
/// sqrtdk::softmax(); see arithmetic_of(). For another implementation change what it does otherwise:
///
/// \snippet examples/own_attention.cpp own softmax
///
/// \implements{ExponentialAccuracy}
struct SoftmaxArithmetic {
  double unit_roundoff = 0;  ///< u: a rounding changes a normal number by at most this part
  double smallest = 0;       ///< η: the smallest positive number
  double largest = std::numeric_limits<double>::infinity();  ///< Ω: the largest finite number
  double depth_of_underflow = 0;  ///< ln(2/η), above which e^(−x) is less than η/2

  /// A: exp(x), where it does not overflow, is e^x′ to A(u e^x′ + η/2), with x′ being x up to the
  /// part κu. One unit in the last place is A = 2.
  double exp_error = 2;
  double exp_argument_error = 0;  ///< κ: what the reduction of its argument costs exp
  double log_error = 2;           ///< Λ: log errs by the part Λu of its result at most

  Summation summation = Summation::pairwise;  ///< how the weights are added
  std::size_t block = default_block;  ///< m: what is added one after the other in a pairwise sum
  std::size_t rescalings = 0;         ///< B: of a one-pass softmax, PartialSoftmax::rescalings()
  unsigned quotient_roundings = 1;    ///< D: 1 for a division, 2 for a product with the reciprocal
  unsigned scale_roundings = 2;       ///< of attention's scale and of the products with it

  double storage_roundoff = 0;  ///< uₛ of the type of the result; 0 if it is the computing type
  double storage_smallest = 0;  ///< ηₛ of that type; 0 likewise
  double storage_largest = std::numeric_limits<double>::infinity();  ///< Ωₛ of that type

  /// Whether η stands for what flushing subnormal numbers to 0 costs where nothing is magnified:
  /// magnified() is to raise it for each input.
  bool flushes = false;

  /// u_w of the type that attention weights are rounded to before they meet the values; 0 if none
  double weight_roundoff = 0;
  double weight_smallest = 0;  ///< η_w of that type; 0 likewise

  // Each of these says one thing more of an implementation, and returns what is then declared:
  // `arithmetic_of<float>().any_order().exp2_folded()`. \ref softmax-arithmetics "Why" they are enough.

  /// Sums whose order is not known, or that add one term after the other: h = n − 1.
  SoftmaxArithmetic any_order() const;

  /// Sums by halves, of blocks of m terms that are added in any order: h = ⌈log₂ n⌉ + m.
  /// \param longest m, at least 1.
  /// \throws std::domain_error if m is 0.
  SoftmaxArithmetic blocks(std::size_t longest) const;

  /// One pass for the maximum and the sum, which rescales the sum, and in attention the output, when
  /// it meets a greater score: \ref OnePassError.
  /// \param most B, how often one term is rescaled at most.
  SoftmaxArithmetic one_pass(std::size_t most) const;

  /// A product with the reciprocal of the sum in the place of a division: D = 2.
  SoftmaxArithmetic by_reciprocal() const;

  /// e^x as 2^(x log₂ e), whose product is rounded: κ = 2 more, one for the product and one for the
  /// constant.
  ///
  /// The difference of the scores is taken first. An implementation that multiplies scores and maximum
  /// by the constant before it subtracts them, without a fused operation, is another, and not covered.
  SoftmaxArithmetic exp2_folded() const;

  /// Queries and keys each multiplied by the root of the scale, in the place of the scores by the
  /// scale: 6 roundings in the place of 2, of the scale 2, of its root 2 (they enter twice), and of the
  /// products 2.
  ///
  /// Products that underflow are covered if flushing() is declared as well.
  SoftmaxArithmetic scale_folded() const;

  /// Subnormal numbers of the format that is computed in may be taken for 0, as arguments and as
  /// results; those of a narrower format in which a result or a weight is stored are not. Four times
  /// the smallest normal number N, and as many times more as a lost number can be magnified, in the
  /// place of η.
  /// \param magnification the most that a lost number is multiplied by: for a softmax 1/τ. Numbers below
  ///                      1 count as 1. attention_error_bound() and attention_gradient_error_bound()
  ///                      see to it for their arguments.
  /// \throws std::domain_error if the magnification is negative or no finite number.
  SoftmaxArithmetic flushing(double magnification = 1) const;

  /// The same for an input that magnifies what is lost: η and ln(2/η) are changed once more, if
  /// flushing() was declared; else nothing is.
  /// \param magnification as for flushing().
  /// \throws std::domain_error as flushing().
  SoftmaxArithmetic magnified(double magnification) const;

  /// Results that are rounded once more, to the format in which they are stored.
  /// \tparam Scalar the format: half, bfloat16, or another that arithmetic_of() takes.
  template <class Scalar>
  SoftmaxArithmetic stored_in() const;

  /// Attention weights that are rounded to a format before they meet the values.
  /// \tparam Scalar the format, as for stored_in().
  template <class Scalar>
  SoftmaxArithmetic stored_weights() const;
};

/// The arithmetic of sqrtdk::softmax() for logits of a type: its format, and how good exp and log
/// are for it.
///
/// A = 2, κ = 0 and Λ = 2 for float, double and long double: one unit in the last place, the most
/// that the tests of the GNU C library have met on x86-64, and that ours have; nobody promises it.
/// half and bfloat16 are computed in float. A = 8, κ = 2 and Λ = 64 for a cpp_bin_float, whose exp
/// reduces its argument by a rounded multiple of ln 2; that is measured for fifty digits.
///
/// \tparam Scalar a binary floating-point type, half, bfloat16 or a cpp_bin_float.
/// \implements{ExponentialAccuracy}
/// \relatesalso SoftmaxArithmetic
template <class Scalar>
SoftmaxArithmetic arithmetic_of();

/// Numbers that are computed with in a format itself, also where arithmetic_of() takes them for stored
/// in it and computed in float.
/// \tparam Scalar half, bfloat16, float, double or long double.
/// \relatesalso SoftmaxArithmetic
template <class Scalar>
SoftmaxArithmetic computed_in();

// ---- Implementation -----------------------------------------------------------------------------

namespace detail {

/// A number of a format as a double; half and bfloat16 have no conversion of their own to it.
template <class Scalar>
double as_double(Scalar x) {
  return static_cast<double>(static_cast<Compute<Scalar>>(x));
}

}  // namespace detail

inline std::size_t summation_depth(Summation summation, std::size_t n, std::size_t block) {
  detail::require_at_least("the number of terms", n, 1U);
  detail::require_at_least("the length of a block", block, 1U);
  if (summation == Summation::any_order || block >= n) return n - 1;
  std::size_t doublings = 0;
  while ((std::size_t{1} << doublings) < n) ++doublings;
  return std::min(doublings + block, n - 1);
}

//! [ExponentialAccuracy]
template <class Scalar>
SoftmaxArithmetic arithmetic_of() {
  using Real = Compute<Scalar>;
  using Limits = std::numeric_limits<Real>;
  static_assert(Limits::radix == 2, "the error bounds are those of binary numbers");
  using Double = std::numeric_limits<double>;
  SoftmaxArithmetic arithmetic;
  arithmetic.unit_roundoff = std::ldexp(1.0, -Limits::digits);
  // Where these are no double, the nearest one that keeps the bound true.
  arithmetic.smallest = std::max(static_cast<double>(Limits::denorm_min()), Double::denorm_min());
  arithmetic.largest = std::min(static_cast<double>(Limits::max()), Double::max());
  arithmetic.depth_of_underflow = std::log(2.0) * (static_cast<double>(Limits::digits) -
                                                   static_cast<double>(Limits::min_exponent) + 1);
  if constexpr (!std::is_floating_point_v<Real>) {
    arithmetic.exp_error = 8;
    arithmetic.exp_argument_error = 2;
    arithmetic.log_error = 64;
  }
  if constexpr (!std::is_same_v<Scalar, Real>) return arithmetic.template stored_in<Scalar>();
  return arithmetic;
}
//! [ExponentialAccuracy]

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
SoftmaxArithmetic SoftmaxArithmetic::stored_in() const {
  SoftmaxArithmetic arithmetic = *this;
  using Storage = std::numeric_limits<Scalar>;
  arithmetic.storage_roundoff = std::ldexp(1.0, -Storage::digits);
  arithmetic.storage_smallest = detail::as_double(Storage::denorm_min());
  arithmetic.storage_largest = detail::as_double(Storage::max());
  return arithmetic;
}

inline SoftmaxArithmetic SoftmaxArithmetic::any_order() const {
  SoftmaxArithmetic arithmetic = *this;
  arithmetic.summation = Summation::any_order;
  return arithmetic;
}

inline SoftmaxArithmetic SoftmaxArithmetic::blocks(std::size_t longest) const {
  SoftmaxArithmetic arithmetic = *this;
  detail::require_at_least("the length of a block", longest, 1U);
  arithmetic.summation = Summation::pairwise;
  arithmetic.block = longest;
  return arithmetic;
}

inline SoftmaxArithmetic SoftmaxArithmetic::one_pass(std::size_t most) const {
  SoftmaxArithmetic arithmetic = *this;
  arithmetic.rescalings = most;
  return arithmetic;
}

inline SoftmaxArithmetic SoftmaxArithmetic::by_reciprocal() const {
  SoftmaxArithmetic arithmetic = *this;
  arithmetic.quotient_roundings = 2;
  return arithmetic;
}

inline SoftmaxArithmetic SoftmaxArithmetic::exp2_folded() const {
  SoftmaxArithmetic arithmetic = *this;
  arithmetic.exp_argument_error += 2;
  return arithmetic;
}

inline SoftmaxArithmetic SoftmaxArithmetic::scale_folded() const {
  SoftmaxArithmetic arithmetic = *this;
  arithmetic.scale_roundings = 6;
  return arithmetic;
}

inline SoftmaxArithmetic SoftmaxArithmetic::flushing(double magnification) const {
  SoftmaxArithmetic arithmetic = *this;
  // η/(2u) is the smallest normal number of a format.
  arithmetic.smallest *= 4 / (2 * arithmetic.unit_roundoff);
  arithmetic.flushes = true;
  return arithmetic.magnified(magnification);
}

inline SoftmaxArithmetic SoftmaxArithmetic::magnified(double magnification) const {
  SoftmaxArithmetic arithmetic = *this;
  detail::require_at_least_finite("the magnification", magnification, 0);
  if (!flushes) return arithmetic;
  arithmetic.smallest *= std::max(1.0, magnification);
  arithmetic.depth_of_underflow = std::log(2 / arithmetic.smallest);
  return arithmetic;
}

template <class Scalar>
SoftmaxArithmetic SoftmaxArithmetic::stored_weights() const {
  SoftmaxArithmetic arithmetic = *this;
  using Storage = std::numeric_limits<Scalar>;
  arithmetic.weight_roundoff = std::ldexp(1.0, -Storage::digits);
  arithmetic.weight_smallest = detail::as_double(Storage::denorm_min());
  return arithmetic;
}

}  // namespace sqrtdk
