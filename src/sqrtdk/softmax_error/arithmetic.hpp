// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref softmax_error : what a softmax is computed with.
#pragma once

#include <sqrtdk/numbers/columns.hpp>
#include <sqrtdk/numbers/require.hpp>
#include <sqrtdk/softmax_error/accumulator.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>

namespace sqrtdk {

/// The order of a sum, as far as an error bound must know it.
enum class Summation {
  pairwise,  ///< blocks of at most m terms, in any order, and their sums by halves
  any_order  ///< no term in more than the n − 1 additions that there are
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

/// The arithmetic of a softmax: all that its error bound depends on besides the logits.
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

  Summation summation = Summation::pairwise;  ///< the order of the weights' sum
  std::size_t block = default_block;  ///< m: what is added one after the other in a pairwise sum
  Accumulator sum;                    ///< their accumulator, if sums_by() says it
  std::size_t rescalings = 0;         ///< B: of a one-pass softmax, PartialSoftmax::rescalings()
  std::size_t tile = 0;               ///< keys that are taken in at once, if tiled(); else 0
  std::size_t keys = 0;               ///< their number, if some of them are masked; else 0
  bool rescales_outputs = false;      ///< true if outputs are rescaled with the sum
  unsigned lag = 0;  ///< the maximum may lag behind by lag · ln 2: see lazy_rescaling(); 0 to 63
  unsigned quotient_roundings = 1;  ///< D: 1 for a division, 2 for a product with the reciprocal
  bool by_lse = false;              ///< true if weights are e^(x − lse) instead of quotients
  bool gradients_by_lse = false;    ///< true if they are in backward passes

  Accumulator scores;   ///< of the products of queries and keys, and of G and V
  Accumulator outputs;  ///< of the products of weights and values, and in gradients of others
  unsigned scale_roundings = 2;  ///< of attention's scale and of the products with it
  FormatLimits input_format;     ///< that queries, keys and values are rounded to; u = 0 if none
  FormatLimits score_format;     ///< of scores that are rounded as they are stored
  unsigned score_roundings = 0;  ///< how often each score is rounded to score_format

  double storage_roundoff = 0;  ///< uₛ of the type of the result; 0 if it is the computing type
  double storage_smallest = 0;  ///< ηₛ of that type; 0 likewise
  double storage_largest = std::numeric_limits<double>::infinity();  ///< Ωₛ of that type

  /// True if η stands for what flushing subnormal numbers to 0 costs where nothing is magnified:
  /// magnified() is to raise it for each input.
  bool flushes = false;

  /// u_w of the type that attention weights are rounded to before they meet the values; 0 if none
  double weight_roundoff = 0;
  double weight_smallest = 0;  ///< η_w of that type; 0 likewise
  double weight_largest = std::numeric_limits<double>::infinity();  ///< Ω_w of that type
  unsigned weight_offset = 0;       ///< g: 2^g times the weights are rounded
  bool sums_stored = false;         ///< true if the sum has the rounded weights
  bool stores_derivatives = false;  ///< true if derivatives by scores are rounded to it, too

  // Each of these says one thing more of an implementation, and returns what is then declared:
  // `arithmetic_of<float>().any_order().exp2_folded()`. \ref softmax-arithmetics "Why" they are enough, and
  // \ref kernels "why the later ones" are.

  using Self = SoftmaxArithmetic;  ///< this struct, for pointers to members that with() takes
  /// The same with another value of a member.
  template <class Value>
  SoftmaxArithmetic with(Value Self::*member, std::type_identity_t<Value> value) const;

  /// Sums whose order is not known, or that add one term after the other: h = n − 1.
  SoftmaxArithmetic any_order() const;

  /// Sums by halves, of blocks of m terms that are added in any order: h = ⌈log₂ n⌉ + m.
  /// \param longest m, at least 1.
  /// \throws std::domain_error if m is 0.
  SoftmaxArithmetic blocks(std::size_t longest) const;

  /// One pass for the maximum and the sum, which rescales the sum, and in attention the output, when
  /// it meets a greater score: \ref OnePassError.
  /// \param most B, how often one term is rescaled at most.
  SoftmaxArithmetic one_pass(std::size_t most) const {
    return with(&Self::rescalings, most).with(&Self::rescales_outputs, most > 0 || tile > 0);
  }

  /// A product with the rounded reciprocal of the sum in the place of a division: D = 2.
  SoftmaxArithmetic by_reciprocal() const { return with(&Self::quotient_roundings, 2); }
  /// A product with a reciprocal of the sum that is right to a unit in the last place: D = 3.
  SoftmaxArithmetic by_approximate_reciprocal() const { return with(&Self::quotient_roundings, 3); }

  /// e^x as 2^(x log₂ e), whose product is rounded: κ = 2 more, for the product and the constant.
  /// The difference is taken first; for rounded products of scores there is exp2_of_products().
  SoftmaxArithmetic exp2_folded() const {
    return with(&Self::exp_argument_error, exp_argument_error + 2);
  }

  /// Queries and keys each times the root of the scale, not scores times the scale: 6 roundings
  /// instead of 2, of the scale 2, of its root 2 (they enter twice), and of the products 2.
  /// Products that underflow are covered if flushing() is declared as well.
  SoftmaxArithmetic scale_folded() const { return with(&Self::scale_roundings, 6); }

  /// Subnormal numbers of the format computed in, not of a narrower one for results or weights, may
  /// be taken for 0, as arguments and results: η is four times the smallest normal number N, and as
  /// many times more as a lost number can be magnified.
  /// \param magnification the most that a lost number is multiplied by: for a softmax 1/τ. Numbers below
  ///                      1 count as 1. attention_error_bound() and attention_gradient_error_bound()
  ///                      see to it for their arguments.
  /// \throws std::domain_error if the magnification is negative or no finite number.
  SoftmaxArithmetic flushing(double magnification = 1) const;

  /// The same for an input that magnifies what is lost: η and ln(2/η) are changed once more, if
  /// flushing() was declared, and what is lost of small factors in tensor cores, or as they are rounded;
  /// else nothing is.
  /// \param magnification as for flushing().
  /// \throws std::domain_error as flushing().
  SoftmaxArithmetic magnified(double magnification) const;
  bool magnifies() const;  ///< true if that changes something

  /// Results that are rounded once more, to the format in which they are stored.
  SoftmaxArithmetic stored_in(const FormatLimits& format) const;
  /// \tparam Scalar the format: half, bfloat16, or another that arithmetic_of() takes.
  template <class Scalar>
  SoftmaxArithmetic stored_in() const;

  /// Weights times 2^g rounded to a format before they meet the values: \ref NarrowStorage.
  /// \param format u_w, η_w and Ω_w. Where 2^g(1 + ρ) is more than Ω_w, nothing is promised.
  /// \param offset g, less than 64.
  /// \throws std::domain_error if g is 64 or more.
  SoftmaxArithmetic stored_weights(const FormatLimits& format, unsigned offset = 0) const;
  /// \tparam Scalar the format, as for stored_in().
  template <class Scalar>
  SoftmaxArithmetic stored_weights() const;
  /// A sum of the weights as they were so rounded.
  SoftmaxArithmetic sum_of_stored() const { return with(&Self::sums_stored, true); }

  /// Scores of attention that are rounded to a format: after the products, after the scale and after
  /// the bias, as often as is said. Where a score may exceed Ω, nothing is promised.
  /// \throws std::domain_error if it is never, or if the format's u is below 4u of the arithmetic.
  SoftmaxArithmetic stored_scores(const FormatLimits& format, unsigned times = 1) const;

  /// Queries, keys, values and derivatives by outputs that are rounded to a format before they are
  /// multiplied, as by tensor cores that take TF32. Inputs that have the format already are not rounded.
  SoftmaxArithmetic rounded_inputs(const FormatLimits& format) const {
    return with(&Self::input_format, format);
  }

  /// Derivatives by scores that are rounded to the format of stored_weights(), and an output that is
  /// rounded before the backward pass uses it.
  SoftmaxArithmetic stored_derivatives() const { return with(&Self::stores_derivatives, true); }

  /// The order in which products of queries and keys, and of G and V, are added:
  /// \ref BlockedAccumulation.
  SoftmaxArithmetic scores_by(const Accumulator& by) const { return with(&Self::scores, by); }
  /// The order in which the weights of a row are added: \ref BlockedAccumulation.
  SoftmaxArithmetic sums_by(const Accumulator& by) const { return with(&Self::sum, by); }
  /// The order in which the products of weights and values are added, and those of derivatives by
  /// queries, keys and values: \ref BlockedAccumulation.
  SoftmaxArithmetic outputs_by(const Accumulator& by) const { return with(&Self::outputs, by); }

  /// e^(x − m) as 2^(xc − mc) with c = τ log₂ e, whose products are rounded: \ref RoundedProducts. κ = 2
  /// more for c, as in exp2_folded().
  /// \param products k: how many products are rounded. 1 for a fused xc − mc whose mc is rounded, and
  ///                 for rounded scores xc whose maximum is taken afterwards; 2 if both are rounded.
  /// \throws std::domain_error if it is none, or more than 2.
  SoftmaxArithmetic exp2_of_products(unsigned products = 1) const;

  /// An exponential that is e^x up to the part (K₀ + K₁|x|)u, and ½K₀η: \ref FastExponentials.
  /// \throws std::domain_error if K₀ is below 1, K₁ negative, or one of them no finite number.
  /// \implements{FastExponentials}
  SoftmaxArithmetic fast_exp(double at_zero, double slope = 0) const;

  /// A logarithm that is off by the part Λu of its result, and by Λ₀u beside it, in natural units.
  /// \throws std::domain_error if one of them is negative or no finite number.
  SoftmaxArithmetic fast_log(double relative, double absolute) const;

  /// A log-sum-exp that is taken in base 2 of rounded products, by the logarithm that was declared, and
  /// multiplied by ln 2 at the end: \ref RoundedProducts. Λ(1 + u)² + 2 + u, and Λ₀(1 + u)².
  /// \throws std::domain_error if exp2_of_products() was not declared.
  SoftmaxArithmetic log_in_bits() const;

  /// An exponential that may be 0 for arguments below −c: \ref FastExponentials.
  /// \throws std::domain_error if c is 0 or less, or NaN.
  SoftmaxArithmetic cut_off(double depth) const;

  /// Weights that are e^(x − lse), with the computed log-sum-exp, and not divided by their sum:
  /// \ref WeightsFromLogSumExp. For backward passes alone there is gradients_by_log_sum_exp().
  SoftmaxArithmetic by_log_sum_exp() const {
    return gradients_by_log_sum_exp().with(&Self::by_lse, true);
  }
  /// Weights that are e^(x − lse) in backward passes, with the computed log-sum-exp; forward passes
  /// remain as they are.
  SoftmaxArithmetic gradients_by_log_sum_exp() const { return with(&Self::gradients_by_lse, true); }

  /// One pass over tiles of keys, by each of which sum and output are rescaled once at most:
  /// \ref RescaledOutputs.
  /// \throws std::domain_error if the length of a tile is 0.
  SoftmaxArithmetic tiled(std::size_t length) const;

  /// A maximum that is kept until a score exceeds it by more than bits · ln 2.
  /// \throws std::domain_error if bits is 64 or more.
  SoftmaxArithmetic lazy_rescaling(unsigned bits) const;

  /// h: the additions that a term of a sum of n weights that are not masked goes through at most.
  /// \throws std::domain_error if n or the block is 0.
  double sum_depth(std::size_t n) const;

  /// B for n keys that are not masked, n at least 1: rescalings, or one less than tiles, and than n.
  std::size_t most_rescalings(std::size_t n) const;

  /// k of a sum of so many products, with what rounding those factors costs that are inputs.
  double product_roundings(const Accumulator& accumulator, double terms, unsigned inputs) const;
  /// λ′ of such a sum, which errs by γₖ Σ(|aᵢbᵢ| + λ′) at most: \ref BlockedAccumulation.
  double product_threshold(const Accumulator& accumulator) const;
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

// Implementation

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

template <class Value>
SoftmaxArithmetic SoftmaxArithmetic::with(Value Self::*member,
                                          std::type_identity_t<Value> value) const {
  SoftmaxArithmetic arithmetic = *this;
  arithmetic.*member = value;
  return arithmetic;
}

inline SoftmaxArithmetic SoftmaxArithmetic::any_order() const {
  return sums_by({}).with(&Self::summation, Summation::any_order);
}

inline SoftmaxArithmetic SoftmaxArithmetic::blocks(std::size_t longest) const {
  detail::require_at_least("the length of a block", longest, 1U);
  return sums_by({}).with(&Self::summation, Summation::pairwise).with(&Self::block, longest);
}

inline SoftmaxArithmetic SoftmaxArithmetic::flushing(double magnification) const {
  SoftmaxArithmetic arithmetic = *this;
  arithmetic.smallest *= 4 / (2 * arithmetic.unit_roundoff);
  arithmetic.flushes = true;
  return arithmetic.magnified(magnification);
}

inline SoftmaxArithmetic SoftmaxArithmetic::magnified(double magnification) const {
  SoftmaxArithmetic arithmetic = *this;
  detail::require_at_least_finite("the magnification", magnification, 0);
  for (double* lost : {&arithmetic.scores.least_factor, &arithmetic.outputs.least_factor,
                       &arithmetic.input_format.smallest})
    *lost *= std::max(1.0, magnification);
  if (!flushes) return arithmetic;
  arithmetic.smallest *= std::max(1.0, magnification);
  arithmetic.depth_of_underflow = std::log(2 / arithmetic.smallest);
  return arithmetic;
}

inline bool SoftmaxArithmetic::magnifies() const {
  return flushes || input_format.roundoff > 0 || scores.least_factor > 0 ||
         outputs.least_factor > 0;
}

inline SoftmaxArithmetic SoftmaxArithmetic::stored_in(const FormatLimits& format) const {
  return with(&Self::storage_roundoff, format.roundoff)
      .with(&Self::storage_smallest, format.smallest)
      .with(&Self::storage_largest, format.largest);
}

template <class Scalar>
SoftmaxArithmetic SoftmaxArithmetic::stored_in() const {
  return stored_in(format_limits<Scalar>());
}

inline SoftmaxArithmetic SoftmaxArithmetic::stored_weights(const FormatLimits& format,
                                                           unsigned offset) const {
  detail::require_in("the offset", offset, 0U, 63U);
  return with(&Self::weight_roundoff, format.roundoff)
      .with(&Self::weight_smallest, format.smallest)
      .with(&Self::weight_largest, format.largest)
      .with(&Self::weight_offset, offset);
}

template <class Scalar>
SoftmaxArithmetic SoftmaxArithmetic::stored_weights() const {
  return stored_weights(format_limits<Scalar>());
}

inline SoftmaxArithmetic SoftmaxArithmetic::stored_scores(const FormatLimits& format,
                                                          unsigned times) const {
  detail::require_at_least("the number of roundings", times, 1U);
  detail::require_at_least("the unit roundoff of the scores' format, in units of u",
                           format.roundoff / unit_roundoff, 4);
  return with(&Self::score_format, format).with(&Self::score_roundings, times);
}

inline SoftmaxArithmetic SoftmaxArithmetic::exp2_of_products(unsigned products) const {
  detail::require_in("the number of rounded products", products, 1U, 2U);
  return exp2_folded().with(&Self::score_products, products);
}

//! [FastExponentials]
inline SoftmaxArithmetic SoftmaxArithmetic::fast_exp(double at_zero, double slope) const {
  detail::require_at_least_finite("the error of the exponential", at_zero, 1);
  detail::require_at_least_finite("the slope of the error of the exponential", slope, 0);
  const double q = (at_zero + slope * (2 + depth_of_underflow)) * unit_roundoff;
  const double A = q < 0.5 ? at_zero : std::numeric_limits<double>::infinity();
  const double kappa = slope > 0 && q < 0.5 ? std::max(1.0, slope / (1 - q)) : 0;
  return with(&Self::exp_error, A).with(&Self::exp_argument_error, exp_argument_error + kappa);
}

inline SoftmaxArithmetic SoftmaxArithmetic::cut_off(double depth) const {
  detail::require_positive("the depth of the cut", depth);
  return with(&Self::exp_cut, depth);
}
//! [FastExponentials]

inline SoftmaxArithmetic SoftmaxArithmetic::log_in_bits() const {
  detail::require_at_least("the number of rounded products", score_products, 1U);
  const double u = unit_roundoff, converted = (1 + u) * (1 + u);
  return fast_log(log_error * converted + (2 + u), log_floor * converted);
}

inline SoftmaxArithmetic SoftmaxArithmetic::fast_log(double relative, double absolute) const {
  detail::require_at_least_finite("the relative error of the logarithm", relative, 0);
  detail::require_at_least_finite("the absolute error of the logarithm", absolute, 0);
  return with(&Self::log_error, relative).with(&Self::log_floor, absolute);
}

inline SoftmaxArithmetic SoftmaxArithmetic::tiled(std::size_t length) const {
  detail::require_at_least("the length of a tile", length, 1U);
  return with(&Self::tile, length).with(&Self::rescales_outputs, true);
}

inline SoftmaxArithmetic SoftmaxArithmetic::lazy_rescaling(unsigned bits) const {
  detail::require_in("the lag", bits, 0U, 63U);
  const double least = std::ldexp(smallest, static_cast<int>(bits));
  return with(&Self::lag, bits)
      .with(&Self::smallest, least)
      .with(&Self::depth_of_underflow, std::log(2 / least));
}

inline double SoftmaxArithmetic::sum_depth(std::size_t n) const {
  if (sum.known_order || sum.step > 0)
    return sum.roundings(static_cast<double>(std::max(n, keys)), unit_roundoff);
  const std::size_t depth = summation_depth(summation, std::max(n, keys), block);
  return static_cast<double>(std::min(depth, n - 1));
}

inline std::size_t SoftmaxArithmetic::most_rescalings(std::size_t n) const {
  if (tile == 0) return rescalings;
  const std::size_t tiles = (std::max(n, keys) + tile - 1) / tile;
  return std::max(rescalings, std::min(n, tiles) - 1);
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

}  // namespace sqrtdk
