// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref softmax_error : error bounds of softmax, log-sum-exp and log-softmax.
#pragma once

#include <sqrtdk/numbers/columns.hpp>
#include <sqrtdk/numbers/require.hpp>
#include <sqrtdk/softmax.hpp>
#include <sqrtdk/softmax_error/arithmetic.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>

namespace sqrtdk {

/// The error bounds of computed softmax weights, for one list of logits:
/// abs(p̂ⱼ − pⱼ) ≤ relative[j]·pⱼ + absolute.
struct SoftmaxErrorBound {
  Eigen::VectorXd relative;  ///< n numbers; +∞: no promise; 0: underflows, within `absolute`
  double absolute = 0;       ///< at least 0: what underflow, cut-off exponentials and storing cost

  /// The bound for a weight.
  /// \param j      which, from 0 to n − 1; not checked.
  /// \param weight the exact weight pⱼ, from 0 to 1. For a computed p̂ⱼ alone, with
  ///               r = relative[j] < 1: abs(p̂ⱼ − pⱼ) ≤ (r·p̂ⱼ + absolute)/(1 − r).
  /// \return the bound; +∞ if nothing can be promised, whatever the weight is.
  double operator()(Eigen::Index j, double weight) const {
    return std::isinf(relative[j]) ? relative[j] : relative[j] * weight + absolute;
  }

  /// True if relative[j] is 1 or more, so that p̂ⱼ = 0 would pass whatever pⱼ is. absolute is not
  /// looked at: a weight below it may be lost all the same.
  /// \param j which, from 0 to n − 1.
  bool vacuous(Eigen::Index j) const { return !(relative[j] < 1); }

  /// True if one of the bounds promises nothing.
  bool vacuous() const { return !(relative.maxCoeff() < 1); }
};

/// The error bound of computed softmax weights that \ref SoftmaxError and \ref OnePassError prove.
///
/// m is the greatest logit; u, η, Ω, A, κ, uₛ and ηₛ are members of SoftmaxArithmetic. With
/// tⱼ = (m − xⱼ)/τ, T = Σpⱼtⱼ and r = R + κ:
/// aⱼ = (r(tⱼ + T) + h + 2A + B(A + 1) + D)u + ω, ω = 4n(B + 1)(A + 2)η,
/// γⱼ = aⱼ / (1 − aⱼ − θ), θ = (A + r(1 + L))u, L = 1 + ln(2/η),
/// abs(p̂ⱼ − pⱼ) ≤ (γⱼ + uₛ(1 + γⱼ)) pⱼ + (1 + uₛ)(A + 2)η + ηₛ/2.
///
/// h is SoftmaxArithmetic::sum_depth(), B most_rescalings(), D the roundings of the quotient, and R is
/// 1, or 2 if τ is not 1. The part of pⱼ is left out if tⱼ > L. All parts are infinite unless a + θ < ½
/// for t = 0 and 2n ≤ Ω. The value is rounded up by bound_margin. For what kernels do otherwise see
/// \ref RoundedProducts, \ref FastExponentials, \ref WeightsFromLogSumExp and \ref NarrowStorage, 4.
///
/// \param logits      n numbers, n at least 1; finite or −∞.
/// \param temperature τ, greater than 0 and finite.
/// \param arithmetic  what computes the softmax.
/// \throws std::invalid_argument as softmax().
/// \throws std::domain_error as softmax(), and if a logit is NaN.
/// \implements{SoftmaxError}
/// \implements{RoundedProducts}
/// \implements{WeightsFromLogSumExp}
/// \relatesalso SoftmaxErrorBound
template <class Derived>
SoftmaxErrorBound softmax_error_bound(
    const Eigen::MatrixBase<Derived>& logits,
    const Compute<typename Derived::Scalar>& temperature = 1,
    const SoftmaxArithmetic& arithmetic = arithmetic_of<typename Derived::Scalar>());

/// Bounds the error of a computed log_sum_exp(), with the letters of
/// softmax_error_bound(): s = ((rT + h + A + B(A + 1))u + ω) / (1 − θ), e = s + Λu(ln S + s),
/// bound = (e + Ru(abs(m/τ) + ln S + e) + 2η) / (1 − θ).
///
/// It is infinite where softmax_error_bound() is, and if abs(m/τ) + ln S + bound > Ω, or within the
/// part 2⁻²⁰ of it. Never NaN. What \ref RoundedProducts adds, is added.
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

/// Bounds the error of each entry of a computed log_softmax(), with the letters of
/// log_sum_exp_error_bound(): f = (e + Rutⱼ + u(tⱼ + ln S + e) + 2η) / (1 − θ), and
/// bound = f + uₛ(tⱼ + ln S + f) + ηₛ/2.
///
/// It is infinite where softmax_error_bound() is, if tⱼ + ln S + f > Ω, and if
/// tⱼ + ln S + bound > Ωₛ, or within the part 2⁻²⁰ of these. Never NaN. What \ref RoundedProducts adds,
/// is added.
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

/// The part by which bounds are raised for their own rounding: no term that they add is negative.
inline constexpr double bound_margin = 0x1p-20;

/// The bound where nothing can be promised.
inline constexpr double vacuous_bound = std::numeric_limits<double>::infinity();

namespace detail {

/// The terms of the error bounds for some logits and an arithmetic.
struct ErrorTerms {
  Eigen::VectorXd each;     ///< tⱼ = (m − xⱼ)/τ, +∞ for a logit of −∞
  Eigen::VectorXd weights;  ///< pⱼ
  double mean = 0;          ///< T = Σpⱼtⱼ
  double log_sum = 0;       ///< ln S = ln Σe^(−tⱼ)
  double maximum = 0;       ///< abs(m/τ)
  double divided = 1;       ///< R: roundings of (x − m)/τ
  double of_exponent = 1;   ///< r = R + κ′
  double exp_error = 2;     ///< A, or A′ if logits are off
  double moved = 0;         ///< E, by which logits are off
  double grown = 1;         ///< H of \ref RoundedProducts: how much more what underflows counts
  double depth = 0;         ///< L, or L′
  double cut = std::numeric_limits<double>::infinity();  ///< c′: tⱼ from which e^(−tⱼ) may be 0
  double theta = 0;                                      ///< (A + r(1 + L))u
  double of_sum = 0;      ///< (rT + h + A + B(A + 1))u + ω, so that s is that over 1 − θ
  double at_maximum = 0;  ///< aⱼ for tⱼ = 0
  bool valid = false;     ///< true if the theorem says anything
};

/// κ′ of \ref RoundedProducts.
double argument_error(const SoftmaxArithmetic& arithmetic);

/// E′ − E of \ref RoundedProducts: by how much rounded products move exact logits.
/// \param maximum |m| + E, at least 0; may be +∞.
double error_of_products(double maximum, const SoftmaxArithmetic& arithmetic);

/// The terms of the error bounds of n logits, finite or −∞, n at least 1, which are off by `moved`:
/// E′, or error_of_products() if it is less than 0.
/// \throws std::invalid_argument as softmax_error_bound().
/// \throws std::domain_error as softmax_error_bound().
template <class Derived>
ErrorTerms error_terms(const Eigen::MatrixBase<Derived>& logits,
                       const Compute<typename Derived::Scalar>& temperature,
                       const SoftmaxArithmetic& arithmetic, double moved = -1);

/// The bound for weights of logits as they are at hand, of which E′ is to be taken account by the caller
/// unless arithmetic.by_lse.
SoftmaxErrorBound weights_error_bound(const ErrorTerms& terms, const SoftmaxArithmetic& arithmetic);

/// log_sum_exp_error_bound() of these terms.
double log_sum_exp_error_bound(const ErrorTerms& terms, const SoftmaxArithmetic& arithmetic);

/// e of log_sum_exp_error_bound(): how far the computed ln S can be from the exact one.
double log_of_sum_error(const ErrorTerms& terms, const SoftmaxArithmetic& arithmetic);

/// The part of \ref RoundedProducts, 2, in the bound of a logarithm.
/// \param size |m|, or for a logarithm of a weight |m| + tⱼ + ln S.
double log_error_of_products(double size, const ErrorTerms& terms,
                             const SoftmaxArithmetic& arithmetic);

/// True if weights are quotients by whole sums of exact differences, as bounds on entropies need.
bool by_whole_sums(const SoftmaxArithmetic& arithmetic);

/// True if numbers of a size, at least 0, are in range, whatever it lost when it was computed.
bool fits_in_range(double size, double largest);

}  // namespace detail

// Implementation

namespace detail {

//! [RoundedProducts]
inline double argument_error(const SoftmaxArithmetic& by) {
  const unsigned products = by.score_products + (by.weight_offset > 0 ? 1 : 0);
  return by.exp_argument_error + products;
}

inline double error_of_products(double maximum, const SoftmaxArithmetic& by) {
  const unsigned products = by.score_products + (by.weight_offset > 0 ? 1 : 0);
  const double u = by.unit_roundoff, kappa = argument_error(by);
  const double shift = (by.weight_offset + by.lag) * std::log(2.0);
  const double of_maximum = products > 0 ? products * maximum : 0;
  return (1 + 4 * (1 + kappa) * u) * u * (of_maximum + 2 * (1 + kappa) * shift);
}
//! [RoundedProducts]

inline bool by_whole_sums(const SoftmaxArithmetic& by) {
  return error_of_products(1, by) == 0 && std::isinf(by.exp_cut) && !by.sums_stored &&
         by.sum.smallest <= by.smallest && !by.by_lse;
}

template <class Derived>
ErrorTerms error_terms(const Eigen::MatrixBase<Derived>& logits,
                       const Compute<typename Derived::Scalar>& temperature,
                       const SoftmaxArithmetic& arithmetic, double moved) {
  using Real = Compute<typename Derived::Scalar>;
  using Wider = std::conditional_t<std::is_same_v<Real, float>, double, Real>;
  require_positive_finite("the temperature", temperature);
  const ColumnOf<Real> x = as_column(logits);
  const Real maximum = max_or_nan(x);
  require_that(maximum == maximum, "a logit", maximum, "be a number");
  require_summable(maximum);

  ErrorTerms terms;
  const Wider tau(temperature);
  const Wider m(maximum);
  terms.maximum = std::abs(static_cast<double>(Wider(m / tau)));
  terms.each.resize(x.size());
  terms.weights.resize(x.size());
  Eigen::VectorXd& weights = terms.weights;
  Eigen::VectorXd products(x.size());
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    const double t = -static_cast<double>(scaled_difference(Wider(x[i]), m, tau));
    terms.each[i] = t;
    weights[i] = std::exp(-t);
    products[i] = weights[i] > 0 ? weights[i] * t : 0;
  }

  // The greatest has the weight 1; added last, it does not round off what the others have.
  Eigen::Index first = 0;
  terms.each.minCoeff(&first);
  weights[first] = 0;
  const double others = pairwise_sum(weights);
  terms.mean = pairwise_sum(products) / (1 + others);
  terms.log_sum = std::log1p(others);
  weights[first] = 1;
  weights /= 1 + others;

  const auto size = static_cast<std::size_t>(x.size());
  const double n = static_cast<double>(size);
  const double h = arithmetic.sum_depth(size);
  const double u = arithmetic.unit_roundoff;
  const double B = static_cast<double>(arithmetic.most_rescalings(size));
  terms.divided = temperature == 1 ? 1 : 2;
  terms.of_exponent = terms.divided + argument_error(arithmetic);
  const double E = moved < 0 ? error_of_products(terms.maximum, arithmetic) : moved;
  terms.moved = E;
  const double A =
      arithmetic.exp_error + terms.of_exponent * (4 * E + std::expm1(2 * E) * std::log(n)) / 2;
  terms.exp_error = A;
  // The greatest exponential need not be 1 if products are rounded.
  if (argument_error(arithmetic) > arithmetic.exp_argument_error)
    terms.grown = std::exp(E) * (1 + 2 * arithmetic.exp_error * u);
  terms.depth = 1 + (arithmetic.depth_of_underflow + 2 * E);
  terms.theta = (A + terms.of_exponent * (1 + terms.depth)) * u;
  const double omega = 4 * n * (B + 1) * (A + 2) * terms.grown * arithmetic.smallest;
  terms.of_sum = (terms.of_exponent * terms.mean + h + A + B * (A + 1)) * u + omega;

  // Add what the sum lacks where exponentials are cut off, and what it has where they are rounded.
  const int offset = static_cast<int>(arithmetic.weight_offset);
  const double v = terms.of_exponent * u / (1 - terms.of_exponent * u);
  // A maximum that is behind may give a score more than 1, and a rescaling then take all of it.
  const double behind = arithmetic.lag * std::log(2.0);
  terms.cut = (arithmetic.exp_cut - arithmetic.smallest) / (1 + v) - 2 * E - behind;
  double lost = 0;
  for (Eigen::Index i = 0; i < x.size() && terms.cut < vacuous_bound; ++i)
    if (terms.each[i] >= terms.cut) lost += std::exp(2 * E - terms.each[i] - terms.log_sum);
  double smallest = arithmetic.sum.smallest;
  if (arithmetic.sums_stored) smallest += std::ldexp(arithmetic.weight_smallest, -offset);
  const double rounded =
      (arithmetic.sums_stored ? arithmetic.weight_roundoff : 0) + n * terms.grown * smallest;
  terms.of_sum += lost / (1 - lost) + rounded / (1 - rounded);

  terms.at_maximum = terms.of_sum + (A + arithmetic.quotient_roundings) * u;
  const double largest = std::ldexp(std::min(arithmetic.largest, arithmetic.sum.largest),
                                    -offset - static_cast<int>(arithmetic.lag));
  terms.valid = terms.at_maximum + terms.theta < 0.5 && rounded < 0.5 &&
                2 * n * terms.grown <= largest &&
                (lost == 0 || (lost < 0.5 && terms.cut >= std::exp(2 * E) * terms.mean));
  return terms;
}

inline double log_error_of_products(double size, const ErrorTerms& terms,
                                    const SoftmaxArithmetic& by) {
  if (terms.moved == 0 && by.score_products == 0) return 0;
  const double u = by.unit_roundoff;
  const double of_log = (1 + (2 * by.log_error + 6) * u) * terms.moved;
  const double of_exp = (terms.exp_error - by.exp_error) * u / (1 - terms.theta);
  const double of_size = by.score_products > 0 ? (2 + argument_error(by)) * u * size : 0;
  const double shift = (by.weight_offset + by.lag) * std::log(2.0);
  const double of_shift = shift > 0 ? (by.log_error + 2) * u * (shift + terms.log_sum) : 0;
  return of_log + of_exp + of_size + of_shift;
}

inline double log_of_sum_error(const ErrorTerms& terms, const SoftmaxArithmetic& arithmetic) {
  const double s = terms.of_sum / (1 - terms.theta);
  return s + arithmetic.log_error * arithmetic.unit_roundoff * (terms.log_sum + s) +
         arithmetic.log_floor * arithmetic.unit_roundoff;
}

inline bool fits_in_range(double size, double largest) {
  return (1 + bound_margin) * size <= largest;
}

//! [WeightsFromLogSumExp]
/// b of \ref WeightsFromLogSumExp, which stands in every weight.
inline double error_of_lse(const ErrorTerms& terms, const SoftmaxArithmetic& by) {
  const double u = by.unit_roundoff;
  const double r = terms.of_exponent * u, kappa = argument_error(by);
  const double delta = log_sum_exp_error_bound(terms, by);
  const double size = by.score_products > 0 ? terms.maximum + terms.log_sum + delta : 0;
  const double of_products = (1 + 4 * (1 + kappa) * u) * (2 + kappa) * u * size;
  return (terms.moved + delta + of_products) * (1 + r / (1 - r)) +
         by.exp_error * u / (1 - by.exp_error * u);
}

/// The tⱼ from which a weight may be 0 since its exponential is cut off.
inline double cut_of_weights(const ErrorTerms& terms, const SoftmaxArithmetic& by) {
  if (!by.by_lse) return terms.cut;
  return terms.cut + 2 * terms.moved - error_of_lse(terms, by) - terms.log_sum;
}
//! [WeightsFromLogSumExp]

//! [SoftmaxError]
inline SoftmaxErrorBound weights_error_bound(const ErrorTerms& terms,
                                             const SoftmaxArithmetic& arithmetic) {
  const double us = arithmetic.storage_roundoff;

  SoftmaxErrorBound bound;
  bound.absolute =
      (1 + bound_margin) * ((1 + us) * (terms.exp_error + 2) * terms.grown * arithmetic.smallest +
                            arithmetic.storage_smallest / 2);
  bound.relative.resize(terms.each.size());
  const double of_lse = arithmetic.by_lse ? error_of_lse(terms, arithmetic) : 0;
  for (Eigen::Index j = 0; j < terms.each.size(); ++j) {
    const double t = terms.each[j];
    if (!terms.valid || !(of_lse <= 0.5)) {
      bound.relative[j] = vacuous_bound;
    } else if (t > terms.depth) {
      bound.relative[j] = 0;
    } else if (arithmetic.by_lse) {
      const double r = terms.of_exponent * arithmetic.unit_roundoff;
      const double gamma = std::expm1(of_lse + r / (1 - r) * (t + terms.log_sum));
      bound.relative[j] = (1 + bound_margin) * (gamma + us * (1 + gamma));
    } else {
      const double a = terms.of_exponent * t * arithmetic.unit_roundoff + terms.at_maximum;
      const double gamma = a / (1 - a - terms.theta);
      bound.relative[j] = (1 + bound_margin) * (gamma + us * (1 + gamma));
    }
  }
  return bound;
}

}  // namespace detail

template <class Derived>
SoftmaxErrorBound softmax_error_bound(const Eigen::MatrixBase<Derived>& logits,
                                      const Compute<typename Derived::Scalar>& temperature,
                                      const SoftmaxArithmetic& arithmetic) {
  const detail::ErrorTerms terms = detail::error_terms(logits, temperature, arithmetic);
  SoftmaxErrorBound bound = detail::weights_error_bound(terms, arithmetic);
  if (!arithmetic.by_lse && terms.moved > 0)
    for (double& r : bound.relative)
      r = std::isinf(r) ? r : (1 + bound_margin) * (r + (1 + r) * std::expm1(2 * terms.moved));
  double lost = 0;
  const double cut = detail::cut_of_weights(terms, arithmetic);
  for (const double t : terms.each)
    if (t >= cut) lost = std::max(lost, std::exp(-t - terms.log_sum));
  bound.absolute += (1 + bound_margin) * lost;
  return bound;
}
//! [SoftmaxError]

//! [LogarithmErrors]
template <class Derived>
double log_sum_exp_error_bound(const Eigen::MatrixBase<Derived>& logits,
                               const Compute<typename Derived::Scalar>& temperature,
                               const SoftmaxArithmetic& arithmetic) {
  return detail::log_sum_exp_error_bound(detail::error_terms(logits, temperature, arithmetic),
                                         arithmetic);
}

namespace detail {

inline double log_sum_exp_error_bound(const ErrorTerms& terms,
                                      const SoftmaxArithmetic& arithmetic) {
  if (!terms.valid) return vacuous_bound;
  const double e = log_of_sum_error(terms, arithmetic);
  const double size = terms.maximum + terms.log_sum;
  const double error =
      (e + terms.divided * arithmetic.unit_roundoff * (size + e) + 2 * arithmetic.smallest) /
          (1 - terms.theta) +
      log_error_of_products(terms.maximum, terms, arithmetic);
  return fits_in_range(size + error, arithmetic.largest) ? (1 + bound_margin) * error
                                                         : vacuous_bound;
}

}  // namespace detail

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
        (e + terms.divided * u * t + u * (size + e) + 2 * arithmetic.smallest) / (1 - terms.theta) +
        2 * detail::log_error_of_products(terms.maximum + size, terms, arithmetic);
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
