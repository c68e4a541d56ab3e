// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref softmax_error : how far a computed softmax, log-sum-exp and log-softmax can
/// be from the exact ones.
#pragma once

#include <sqrtdk/numbers/columns.hpp>
#include <sqrtdk/numbers/require.hpp>
#include <sqrtdk/softmax.hpp>

#include <Eigen/Core>

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

/// How far computed softmax weights can be from the exact ones, for one list of logits:
/// abs(p̂ⱼ − pⱼ) ≤ relative[j]·pⱼ + absolute.
struct SoftmaxErrorBound {
  Eigen::VectorXd relative;  ///< n numbers; +∞ where nothing can be promised
  double absolute = 0;       ///< what underflow can cost

  /// The bound for a weight.
  /// \param j      which, from 0.
  /// \param weight the exact weight pⱼ.
  /// \return the bound; +∞ if nothing can be promised, whatever the weight is.
  double operator()(Eigen::Index j, double weight) const {
    return std::isinf(relative[j]) ? relative[j] : relative[j] * weight + absolute;
  }

  /// Whether the bound promises nothing: it would let the weight be lost altogether.
  bool vacuous(Eigen::Index j) const { return !(relative[j] < 1); }

  /// Whether one of the bounds promises nothing.
  bool vacuous() const { return !(relative.maxCoeff() < 1); }
};

/// The error bound that \ref SoftmaxError and \ref OnePassError prove, with tⱼ = (m − xⱼ)/τ,
/// T = Σpⱼtⱼ and r = R + κ:
/// aⱼ = (r(tⱼ + T) + h + 2A + B(A + 1) + D)u + ω, ω = 4n(B + 1)(A + 2)η,
/// γⱼ = aⱼ / (1 − aⱼ − θ), θ = (A + r(1 + L))u, L = 1 + ln(2/η),
/// abs(p̂ⱼ − pⱼ) ≤ (γⱼ + uₛ(1 + γⱼ)) pⱼ + (1 + uₛ)(A + 2)η + ηₛ/2.
///
/// h is summation_depth() for the arithmetic's block, D the roundings of the quotient, and R is 1, or
/// 2 if τ is not 1. The part of pⱼ is left out if tⱼ > L. All parts are infinite unless a + θ < ½ for
/// t = 0 and 2n ≤ Ω. The value is rounded up by bound_margin.
///
/// \param logits      n numbers, n at least 1; finite or −∞.
/// \param temperature τ, greater than 0 and finite.
/// \param arithmetic  what computes the softmax.
/// \throws std::invalid_argument as softmax().
/// \throws std::domain_error as softmax(), and if a logit is NaN.
/// \implements{SoftmaxError}
/// \relatesalso SoftmaxErrorBound
template <class Derived>
SoftmaxErrorBound softmax_error_bound(
    const Eigen::MatrixBase<Derived>& logits,
    const Compute<typename Derived::Scalar>& temperature = 1,
    const SoftmaxArithmetic& arithmetic = arithmetic_of<typename Derived::Scalar>());

/// How far a computed log_sum_exp() can be from the exact one, with the letters of
/// softmax_error_bound(): s = ((rT + h + A + B(A + 1))u + ω) / (1 − θ), e = s + Λu(ln S + s),
/// bound = (e + Ru(abs(m/τ) + ln S + e) + 2η) / (1 − θ).
///
/// It is infinite where softmax_error_bound() is, and if abs(m/τ) + ln S + bound > Ω, or within the
/// part 2⁻²⁰ of it. Never NaN.
///
/// \param logits      n numbers, n at least 1; finite or −∞, not all −∞.
/// \param temperature τ, greater than 0 and finite.
/// \param arithmetic  what computes the logarithm.
/// \throws std::invalid_argument as softmax_error_bound().
/// \throws std::domain_error as softmax_error_bound().
/// \implements{LogarithmErrors}
/// \relatesalso SoftmaxArithmetic
template <class Derived>
double log_sum_exp_error_bound(
    const Eigen::MatrixBase<Derived>& logits,
    const Compute<typename Derived::Scalar>& temperature = 1,
    const SoftmaxArithmetic& arithmetic = arithmetic_of<typename Derived::Scalar>());

/// How far each entry of a computed log_softmax() can be from the exact one, with the letters of
/// log_sum_exp_error_bound(): f = (e + Rutⱼ + u(tⱼ + ln S + e) + 2η) / (1 − θ), and
/// bound = f + uₛ(tⱼ + ln S + f) + ηₛ/2.
///
/// It is infinite where softmax_error_bound() is, if tⱼ + ln S + f > Ω, and if
/// tⱼ + ln S + bound > Ωₛ, or within the part 2⁻²⁰ of these. Never NaN.
///
/// \param logits      n numbers, n at least 1; finite or −∞, not all −∞.
/// \param temperature τ, greater than 0 and finite.
/// \param arithmetic  what computes the logarithms.
/// \return n numbers; 0 for a logit of −∞, whose logarithm is −∞ without an error.
/// \throws std::invalid_argument as softmax_error_bound().
/// \throws std::domain_error as softmax_error_bound().
/// \implements{LogarithmErrors}
/// \relatesalso SoftmaxArithmetic
template <class Derived>
Eigen::VectorXd log_softmax_error_bound(
    const Eigen::MatrixBase<Derived>& logits,
    const Compute<typename Derived::Scalar>& temperature = 1,
    const SoftmaxArithmetic& arithmetic = arithmetic_of<typename Derived::Scalar>());

/// By how much error bounds are raised for the rounding of their own computation: the terms that
/// they add are not negative, so it costs them less than this part.
inline constexpr double bound_margin = 0x1p-20;

/// The bound where nothing can be promised.
inline constexpr double vacuous_bound = std::numeric_limits<double>::infinity();

namespace detail {

/// What the error bounds need of the logits and of the arithmetic.
struct ErrorTerms {
  Eigen::VectorXd each;    ///< tⱼ = (m − xⱼ)/τ, +∞ for a logit of −∞
  double mean = 0;         ///< T = Σpⱼtⱼ
  double log_sum = 0;      ///< ln S = ln Σe^(−tⱼ)
  double maximum = 0;      ///< abs(m/τ)
  double divided = 1;      ///< R: roundings of (x − m)/τ
  double of_exponent = 1;  ///< r = R + κ
  double depth = 0;        ///< L
  double theta = 0;        ///< (A + r(1 + L))u
  double of_sum = 0;       ///< (rT + h + A + B(A + 1))u + ω, so that s is that over 1 − θ
  double at_maximum = 0;   ///< aⱼ for tⱼ = 0
  bool valid = false;      ///< whether the theorem says anything
};

/// What the error bounds need of some logits.
/// \param logits      n numbers, n at least 1; finite or −∞.
/// \param temperature τ, greater than 0 and finite.
/// \param arithmetic  what computes with them.
/// \throws std::invalid_argument as softmax_error_bound().
/// \throws std::domain_error as softmax_error_bound().
template <class Derived>
ErrorTerms error_terms(const Eigen::MatrixBase<Derived>& logits,
                       const Compute<typename Derived::Scalar>& temperature,
                       const SoftmaxArithmetic& arithmetic);

/// e of log_sum_exp_error_bound(): how far the computed ln S can be from the exact one.
double log_of_sum_error(const ErrorTerms& terms, const SoftmaxArithmetic& arithmetic);

/// Whether numbers of a size are in range, whatever the size lost when it was computed.
/// \param size    the size, at least 0.
/// \param largest the largest number of the type.
bool fits_in_range(double size, double largest);

}  // namespace detail

// ---- Implementation -----------------------------------------------------------------------------

namespace detail {

template <class Derived>
ErrorTerms error_terms(const Eigen::MatrixBase<Derived>& logits,
                       const Compute<typename Derived::Scalar>& temperature,
                       const SoftmaxArithmetic& arithmetic) {
  using Real = Compute<typename Derived::Scalar>;
  using Wider = std::conditional_t<std::is_same_v<Real, float>, double, Real>;
  require_positive_finite("the temperature", temperature);
  const ColumnOf<Real> x = as_column(logits);
  const Real maximum = max_or_nan(x);
  require_that(maximum == maximum, "a logit", maximum, "be a number");
  require_summable(maximum);

  // Measure how far each logit is below the maximum, in units of τ.
  ErrorTerms terms;
  const Wider tau(temperature);
  const Wider m(maximum);
  terms.maximum = std::abs(static_cast<double>(Wider(m / tau)));
  terms.each.resize(x.size());
  Eigen::VectorXd weights(x.size());
  Eigen::VectorXd products(x.size());
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    const double t = -static_cast<double>(scaled_difference(Wider(x[i]), m, tau));
    terms.each[i] = t;
    weights[i] = std::exp(-t);
    products[i] = weights[i] > 0 ? weights[i] * t : 0;
  }

  // Average that. The greatest has the weight 1; added last, it does not round off what the others
  // have.
  Eigen::Index first = 0;
  terms.each.minCoeff(&first);
  weights[first] = 0;
  const double others = pairwise_sum(weights);
  terms.mean = pairwise_sum(products) / (1 + others);
  terms.log_sum = std::log1p(others);

  // Collect the terms of the theorem.
  const auto size = static_cast<std::size_t>(x.size());
  const double n = static_cast<double>(size);
  const double h =
      static_cast<double>(summation_depth(arithmetic.summation, size, arithmetic.block));
  const double u = arithmetic.unit_roundoff;
  const double A = arithmetic.exp_error;
  const double B = static_cast<double>(arithmetic.rescalings);
  terms.divided = temperature == 1 ? 1 : 2;
  terms.of_exponent = terms.divided + arithmetic.exp_argument_error;
  terms.depth = 1 + arithmetic.depth_of_underflow;
  terms.theta = (A + terms.of_exponent * (1 + terms.depth)) * u;
  const double omega = 4 * n * (B + 1) * (A + 2) * arithmetic.smallest;
  terms.of_sum = (terms.of_exponent * terms.mean + h + A + B * (A + 1)) * u + omega;
  terms.at_maximum = terms.of_sum + (A + arithmetic.quotient_roundings) * u;
  terms.valid = terms.at_maximum + terms.theta < 0.5 && 2 * n <= arithmetic.largest;
  return terms;
}

inline double log_of_sum_error(const ErrorTerms& terms, const SoftmaxArithmetic& arithmetic) {
  const double s = terms.of_sum / (1 - terms.theta);
  return s + arithmetic.log_error * arithmetic.unit_roundoff * (terms.log_sum + s);
}

inline bool fits_in_range(double size, double largest) {
  return (1 + bound_margin) * size <= largest;
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
  if constexpr (!std::is_same_v<Scalar, Real>) {
    using Storage = std::numeric_limits<Scalar>;
    arithmetic.storage_roundoff = std::ldexp(1.0, -Storage::digits);
    arithmetic.storage_smallest = static_cast<double>(static_cast<float>(Storage::denorm_min()));
    arithmetic.storage_largest = static_cast<double>(static_cast<float>(Storage::max()));
  }
  return arithmetic;
}
//! [ExponentialAccuracy]

//! [SoftmaxError]
template <class Derived>
SoftmaxErrorBound softmax_error_bound(const Eigen::MatrixBase<Derived>& logits,
                                      const Compute<typename Derived::Scalar>& temperature,
                                      const SoftmaxArithmetic& arithmetic) {
  const detail::ErrorTerms terms = detail::error_terms(logits, temperature, arithmetic);
  const double us = arithmetic.storage_roundoff;

  SoftmaxErrorBound bound;
  bound.absolute =
      (1 + bound_margin) * ((1 + us) * (arithmetic.exp_error + 2) * arithmetic.smallest +
                            arithmetic.storage_smallest / 2);
  bound.relative.resize(terms.each.size());
  for (Eigen::Index j = 0; j < terms.each.size(); ++j) {
    const double t = terms.each[j];
    if (!terms.valid) {
      bound.relative[j] = vacuous_bound;
    } else if (t > terms.depth) {
      bound.relative[j] = 0;
    } else {
      const double a = terms.of_exponent * t * arithmetic.unit_roundoff + terms.at_maximum;
      const double gamma = a / (1 - a - terms.theta);
      bound.relative[j] = (1 + bound_margin) * (gamma + us * (1 + gamma));
    }
  }
  return bound;
}
//! [SoftmaxError]

//! [LogarithmErrors]
template <class Derived>
double log_sum_exp_error_bound(const Eigen::MatrixBase<Derived>& logits,
                               const Compute<typename Derived::Scalar>& temperature,
                               const SoftmaxArithmetic& arithmetic) {
  const detail::ErrorTerms terms = detail::error_terms(logits, temperature, arithmetic);
  if (!terms.valid) return vacuous_bound;
  const double e = detail::log_of_sum_error(terms, arithmetic);
  const double size = terms.maximum + terms.log_sum;
  const double error =
      (e + terms.divided * arithmetic.unit_roundoff * (size + e) + 2 * arithmetic.smallest) /
      (1 - terms.theta);
  return detail::fits_in_range(size + error, arithmetic.largest) ? (1 + bound_margin) * error
                                                                 : vacuous_bound;
}

template <class Derived>
Eigen::VectorXd log_softmax_error_bound(const Eigen::MatrixBase<Derived>& logits,
                                        const Compute<typename Derived::Scalar>& temperature,
                                        const SoftmaxArithmetic& arithmetic) {
  const detail::ErrorTerms terms = detail::error_terms(logits, temperature, arithmetic);
  const double e = detail::log_of_sum_error(terms, arithmetic);
  const double u = arithmetic.unit_roundoff;
  const auto x = detail::as_column(logits);
  using Real = Compute<typename Derived::Scalar>;
  Eigen::VectorXd bound(terms.each.size());
  for (Eigen::Index j = 0; j < bound.size(); ++j) {
    const double t = terms.each[j];
    const double size = t + terms.log_sum;
    const double error =
        (e + terms.divided * u * t + u * (size + e) + 2 * arithmetic.smallest) / (1 - terms.theta);
    const double stored =
        error + arithmetic.storage_roundoff * (size + error) + arithmetic.storage_smallest / 2;
    const bool in_range = detail::fits_in_range(size + error, arithmetic.largest) &&
                          detail::fits_in_range(size + stored, arithmetic.storage_largest);
    bound[j] = terms.valid && in_range ? (1 + bound_margin) * stored : vacuous_bound;
    if (x[j] == -std::numeric_limits<Real>::infinity()) bound[j] = 0;
  }
  return bound;
}
//! [LogarithmErrors]

}  // namespace sqrtdk
