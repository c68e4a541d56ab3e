// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref softmax_error : what a softmax is computed with.
#pragma once

#include <sqrtdk/accumulator.hpp>
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
  double log_floor = 0;           ///< Λ₀: and by Λ₀u beside it

  unsigned score_products = 0;  ///< k of \ref RoundedProducts; 0 if the difference is taken first
  double exp_cut = std::numeric_limits<double>::infinity();  ///< c: e^x may be 0 for x < −c

  Summation summation = Summation::pairwise;  ///< how the weights are added
  std::size_t block = default_block;  ///< m: what is added one after the other in a pairwise sum
  Accumulator sum;                    ///< how they are added, if sums_by() says it
  std::size_t rescalings = 0;         ///< B: of a one-pass softmax, PartialSoftmax::rescalings()
  std::size_t tile = 0;               ///< keys that are taken in at once, if tiled(); else 0
  std::size_t keys = 0;               ///< how many there are, if some of them are masked; else 0
  bool rescales_outputs = false;      ///< whether outputs are rescaled with the sum
  unsigned lag = 0;                   ///< of lazy_rescaling()
  unsigned quotient_roundings = 1;    ///< D: 1 for a division, 2 for a product with the reciprocal
  bool by_lse = false;            ///< whether weights are e^(x − lse) in the place of quotients
  bool gradients_by_lse = false;  ///< whether they are in backward passes

  Accumulator scores;   ///< of the products of queries and keys, and of G and V
  Accumulator outputs;  ///< of the products of weights and values, and in gradients of others
  unsigned scale_roundings = 2;  ///< of attention's scale and of the products with it
  FormatLimits input_format;     ///< that queries, keys and values are rounded to; u = 0 if none
  FormatLimits score_format;     ///< of scores that are rounded as they are stored
  unsigned score_roundings = 0;  ///< how often they are

  double storage_roundoff = 0;  ///< uₛ of the type of the result; 0 if it is the computing type
  double storage_smallest = 0;  ///< ηₛ of that type; 0 likewise
  double storage_largest = std::numeric_limits<double>::infinity();  ///< Ωₛ of that type

  /// Whether η stands for what flushing subnormal numbers to 0 costs where nothing is magnified:
  /// magnified() is to raise it for each input.
  bool flushes = false;

  /// u_w of the type that attention weights are rounded to before they meet the values; 0 if none
  double weight_roundoff = 0;
  double weight_smallest = 0;  ///< η_w of that type; 0 likewise
  double weight_largest = std::numeric_limits<double>::infinity();  ///< Ω_w of that type
  unsigned weight_offset = 0;       ///< g: 2^g times the weights are rounded
  bool sums_stored = false;         ///< whether the sum has the rounded weights
  bool stores_derivatives = false;  ///< whether derivatives by scores are rounded to it, too

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
  /// flushing() was declared, and what is lost of small factors by tensor cores, or as they are rounded;
  /// else nothing is.
  /// \param magnification as for flushing().
  /// \throws std::domain_error as flushing().
  SoftmaxArithmetic magnified(double magnification) const;

  /// Results that are rounded once more, to the format in which they are stored.
  /// \tparam Scalar the format: half, bfloat16, or another that arithmetic_of() takes.
  template <class Scalar>
  SoftmaxArithmetic stored_in() const;
  /// The same for a format that has no type.
  SoftmaxArithmetic stored_in(const FormatLimits& format) const;

  /// Attention weights that are rounded to a format before they meet the values.
  /// \tparam Scalar the format, as for stored_in().
  template <class Scalar>
  SoftmaxArithmetic stored_weights() const;
  /// The same for 2^g times the weights: \ref NarrowStorage.
  /// \param format u_w, η_w and Ω_w. Where 2^g(1 + ρ) is more than Ω_w, nothing is promised.
  /// \param offset g, less than 64.
  /// \throws std::domain_error if g is 64 or more.
  SoftmaxArithmetic stored_weights(const FormatLimits& format, unsigned offset = 0) const;

  /// A sum of the weights as they were rounded by stored_weights(); without it, of those before.
  SoftmaxArithmetic sum_of_stored() const;

  /// Queries, keys, values and derivatives by outputs that are rounded to a format before they are
  /// multiplied, as by tensor cores that take TF32. Inputs that have the format already are not rounded.
  SoftmaxArithmetic rounded_inputs(const FormatLimits& format) const;

  /// Scores of attention that are rounded to a format: after the products, after the scale and after
  /// the bias, as often as is said.
  /// \param format that of the scores. Where a score may exceed Ω, nothing is promised.
  /// \param times  how often, at least 1.
  /// \throws std::domain_error if it is never.
  SoftmaxArithmetic stored_scores(const FormatLimits& format, unsigned times = 1) const;

  /// Derivatives by scores that are rounded to the format of stored_weights(), and an output that is
  /// rounded before the backward pass uses it.
  SoftmaxArithmetic stored_derivatives() const;

  /// Known orders of the sums of products in scores, of weights, and in outputs: \ref BlockedAccumulation.
  SoftmaxArithmetic scores_by(const Accumulator& accumulator) const;
  SoftmaxArithmetic sums_by(const Accumulator& accumulator) const;     ///< likewise
  SoftmaxArithmetic outputs_by(const Accumulator& accumulator) const;  ///< likewise

  /// e^(x − m) as 2^(xc − mc) with c = τ log₂ e, whose products are rounded: \ref RoundedProducts. κ = 2
  /// more for c, as in exp2_folded().
  /// \param products k: how many products are rounded. 1 for a fused xc − mc whose mc is rounded, and
  ///                 for rounded scores xc whose maximum is taken afterwards; 2 if both are rounded.
  /// \throws std::domain_error if it is none, or more than 2.
  SoftmaxArithmetic exp2_of_products(unsigned products = 1) const;

  /// An exponential that is e^x up to the part (K₀ + K₁|x|)u, and ½K₀η: \ref FastExponentials.
  /// \param at_zero K₀, at least 1.
  /// \param slope   K₁, at least 0.
  /// \throws std::domain_error if one of them is less, or no finite number.
  SoftmaxArithmetic fast_exp(double at_zero, double slope = 0) const;

  /// A logarithm that is off by the part Λu of its result, and by Λ₀u beside it.
  /// \throws std::domain_error if one of them is negative or no finite number.
  SoftmaxArithmetic fast_log(double relative, double absolute) const;

  /// An exponential that may be 0 below some argument.
  /// \param depth c, greater than 0.
  /// \throws std::domain_error if c is 0 or less, or NaN.
  SoftmaxArithmetic cut_off(double depth) const;

  /// Weights that are e^(x − lse), with the computed log-sum-exp, and not divided by their sum:
  /// \ref WeightsFromLogSumExp.
  SoftmaxArithmetic by_log_sum_exp() const;

  /// The same in gradients alone, as in kernels that keep the log-sum-exp for the backward pass.
  SoftmaxArithmetic gradients_by_log_sum_exp() const;

  /// One pass over tiles of keys that rescales sum and output once for each tile at most, with
  /// \ref RescaledOutputs.
  /// \param length of a tile, at least 1.
  /// \throws std::domain_error if it is 0.
  SoftmaxArithmetic tiled(std::size_t length) const;

  /// A maximum that is kept until a score exceeds it by more than lag ln 2.
  /// \param bits the lag, less than 64.
  /// \throws std::domain_error if it is more.
  SoftmaxArithmetic lazy_rescaling(unsigned bits) const;

  /// A product with a reciprocal that is right to a unit in the last place: D = 3.
  SoftmaxArithmetic by_approximate_reciprocal() const;

  /// h: the additions that a term of a sum of weights goes through at most.
  /// \param n how many weights are not masked, at least 1.
  /// \throws std::domain_error if n or the block is 0.
  double sum_depth(std::size_t n) const;

  /// k and λ for sums of products of inputs, of scores or of outputs, with what rounding inputs costs.
  /// \param accumulator scores or outputs.
  /// \param terms       how many products, at least 0.
  /// \param inputs      how many factors of each are inputs.
  double product_roundings(const Accumulator& accumulator, double terms, unsigned inputs) const;
  double product_threshold(const Accumulator& accumulator) const;  ///< likewise

  /// Whether magnified() changes something.
  bool magnifies() const;

  /// B for n keys that are not masked: rescalings, or if tiled one less than tiles, and than n.
  /// \param n at least 1.
  std::size_t most_rescalings(std::size_t n) const;
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
  return stored_in(format_limits<Scalar>());
}

inline SoftmaxArithmetic SoftmaxArithmetic::stored_in(const FormatLimits& format) const {
  SoftmaxArithmetic arithmetic = *this;
  arithmetic.storage_roundoff = format.roundoff;
  arithmetic.storage_smallest = format.smallest;
  arithmetic.storage_largest = format.largest;
  return arithmetic;
}

inline SoftmaxArithmetic SoftmaxArithmetic::any_order() const {
  SoftmaxArithmetic arithmetic = *this;
  arithmetic.summation = Summation::any_order;
  arithmetic.sum = {};
  return arithmetic;
}

inline SoftmaxArithmetic SoftmaxArithmetic::blocks(std::size_t longest) const {
  SoftmaxArithmetic arithmetic = *this;
  detail::require_at_least("the length of a block", longest, 1U);
  arithmetic.summation = Summation::pairwise;
  arithmetic.block = longest;
  arithmetic.sum = {};
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
  arithmetic.scores.least_factor *= std::max(1.0, magnification);
  arithmetic.outputs.least_factor *= std::max(1.0, magnification);
  arithmetic.input_format.smallest *= std::max(1.0, magnification);
  if (!flushes) return arithmetic;
  arithmetic.smallest *= std::max(1.0, magnification);
  arithmetic.depth_of_underflow = std::log(2 / arithmetic.smallest);
  return arithmetic;
}

template <class Scalar>
SoftmaxArithmetic SoftmaxArithmetic::stored_weights() const {
  return stored_weights(format_limits<Scalar>());
}

inline SoftmaxArithmetic SoftmaxArithmetic::stored_weights(const FormatLimits& format,
                                                           unsigned offset) const {
  detail::require_in("the offset", offset, 0U, 63U);
  SoftmaxArithmetic arithmetic = *this;
  arithmetic.weight_roundoff = format.roundoff;
  arithmetic.weight_smallest = format.smallest;
  arithmetic.weight_largest = format.largest;
  arithmetic.weight_offset = offset;
  return arithmetic;
}

inline SoftmaxArithmetic SoftmaxArithmetic::sum_of_stored() const {
  SoftmaxArithmetic arithmetic = *this;
  arithmetic.sums_stored = true;
  return arithmetic;
}

inline SoftmaxArithmetic SoftmaxArithmetic::rounded_inputs(const FormatLimits& format) const {
  SoftmaxArithmetic arithmetic = *this;
  arithmetic.input_format = format;
  return arithmetic;
}

inline SoftmaxArithmetic SoftmaxArithmetic::stored_scores(const FormatLimits& format,
                                                          unsigned times) const {
  detail::require_at_least("the number of roundings", times, 1U);
  SoftmaxArithmetic arithmetic = *this;
  arithmetic.score_format = format;
  arithmetic.score_roundings = times;
  return arithmetic;
}

inline SoftmaxArithmetic SoftmaxArithmetic::stored_derivatives() const {
  SoftmaxArithmetic arithmetic = *this;
  arithmetic.stores_derivatives = true;
  return arithmetic;
}

inline SoftmaxArithmetic SoftmaxArithmetic::scores_by(const Accumulator& accumulator) const {
  SoftmaxArithmetic arithmetic = *this;
  arithmetic.scores = accumulator;
  return arithmetic;
}

inline SoftmaxArithmetic SoftmaxArithmetic::sums_by(const Accumulator& accumulator) const {
  SoftmaxArithmetic arithmetic = *this;
  arithmetic.sum = accumulator;
  return arithmetic;
}

inline SoftmaxArithmetic SoftmaxArithmetic::outputs_by(const Accumulator& accumulator) const {
  SoftmaxArithmetic arithmetic = *this;
  arithmetic.outputs = accumulator;
  return arithmetic;
}

inline SoftmaxArithmetic SoftmaxArithmetic::exp2_of_products(unsigned products) const {
  detail::require_in("the number of rounded products", products, 1U, 2U);
  SoftmaxArithmetic arithmetic = exp2_folded();
  arithmetic.score_products = products;
  return arithmetic;
}

inline double SoftmaxArithmetic::sum_depth(std::size_t n) const {
  const bool any = !sum.known_order && sum.step == 0;
  return any ? static_cast<double>(summation_depth(summation, n, block))
             : sum.roundings(static_cast<double>(std::max(n, keys)), unit_roundoff);
}

//! [BlockedAccumulation]
inline double SoftmaxArithmetic::product_roundings(const Accumulator& accumulator, double terms,
                                                   unsigned inputs) const {
  const double of_input = input_format.roundoff / (1 - input_format.roundoff) / unit_roundoff;
  return accumulator.roundings(terms, unit_roundoff) + inputs * of_input;
}

inline double SoftmaxArithmetic::product_threshold(const Accumulator& accumulator) const {
  const double least = accumulator.underflow_threshold(smallest / (2 * unit_roundoff));
  const double u = input_format.roundoff;
  return u > 0 ? std::max(least, input_format.smallest / (2 * u)) : least;
}
//! [BlockedAccumulation]

inline bool SoftmaxArithmetic::magnifies() const {
  return flushes || input_format.roundoff > 0 || scores.least_factor > 0 ||
         outputs.least_factor > 0;
}

inline std::size_t SoftmaxArithmetic::most_rescalings(std::size_t n) const {
  if (tile == 0) return rescalings;
  const std::size_t tiles = (std::max(n, keys) + tile - 1) / tile;
  return std::max(rescalings, std::min(n, tiles) - 1);
}

//! [FastExponentials]
inline SoftmaxArithmetic SoftmaxArithmetic::fast_exp(double at_zero, double slope) const {
  detail::require_at_least_finite("the error of the exponential", at_zero, 1);
  detail::require_at_least_finite("the slope of the error of the exponential", slope, 0);
  SoftmaxArithmetic arithmetic = *this;
  const double part = (at_zero + slope * (2 + depth_of_underflow)) * unit_roundoff;
  // Where the error is not small, the bounds promise nothing of an infinite A.
  arithmetic.exp_error = part < 0.5 ? at_zero : std::numeric_limits<double>::infinity();
  if (slope > 0 && part < 0.5) arithmetic.exp_argument_error += std::max(1.0, slope / (1 - part));
  return arithmetic;
}

inline SoftmaxArithmetic SoftmaxArithmetic::fast_log(double relative, double absolute) const {
  detail::require_at_least_finite("the relative error of the logarithm", relative, 0);
  detail::require_at_least_finite("the absolute error of the logarithm", absolute, 0);
  SoftmaxArithmetic arithmetic = *this;
  arithmetic.log_error = relative;
  arithmetic.log_floor = absolute;
  return arithmetic;
}

inline SoftmaxArithmetic SoftmaxArithmetic::cut_off(double depth) const {
  detail::require_positive("the depth of the cut", depth);
  SoftmaxArithmetic arithmetic = *this;
  arithmetic.exp_cut = depth;
  return arithmetic;
}
//! [FastExponentials]

inline SoftmaxArithmetic SoftmaxArithmetic::by_log_sum_exp() const {
  SoftmaxArithmetic arithmetic = gradients_by_log_sum_exp();
  arithmetic.by_lse = true;
  return arithmetic;
}

inline SoftmaxArithmetic SoftmaxArithmetic::gradients_by_log_sum_exp() const {
  SoftmaxArithmetic arithmetic = *this;
  arithmetic.gradients_by_lse = true;
  return arithmetic;
}

inline SoftmaxArithmetic SoftmaxArithmetic::tiled(std::size_t length) const {
  detail::require_at_least("the length of a tile", length, 1U);
  SoftmaxArithmetic arithmetic = *this;
  arithmetic.tile = length;
  arithmetic.rescales_outputs = true;
  return arithmetic;
}

inline SoftmaxArithmetic SoftmaxArithmetic::lazy_rescaling(unsigned bits) const {
  detail::require_in("the lag", bits, 0U, 63U);
  SoftmaxArithmetic arithmetic = *this;
  arithmetic.lag = bits;
  arithmetic.smallest = std::ldexp(smallest, static_cast<int>(bits));
  arithmetic.depth_of_underflow = std::log(2 / arithmetic.smallest);
  return arithmetic;
}

inline SoftmaxArithmetic SoftmaxArithmetic::by_approximate_reciprocal() const {
  SoftmaxArithmetic arithmetic = *this;
  arithmetic.quotient_roundings = 3;
  return arithmetic;
}

}  // namespace sqrtdk
