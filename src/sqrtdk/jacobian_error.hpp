// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref jacobian_error : error bounds of Jacobians, backward passes and entropies.
#pragma once

#include <sqrtdk/numbers/columns.hpp>
#include <sqrtdk/numbers/require.hpp>
#include <sqrtdk/softmax_error.hpp>
#include <sqrtdk/softmax_jacobian.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>

namespace sqrtdk {

/// Rounding to nearest in a binary format.
struct Rounding {
  double unit_roundoff;  ///< u: a rounding changes a normal number by at most this part
  double smallest;       ///< η: the smallest positive number
  double largest;        ///< Ω: the largest finite number
};

/// The rounding of a type; where η or Ω is no double, the nearest one that keeps a bound true.
/// \tparam Scalar a binary floating-point type, half, bfloat16 or a cpp_bin_float.
/// \relatesalso Rounding
template <class Scalar>
Rounding rounding_of();

namespace detail {

template <class Real>
double double_above(const Real& number);

}  // namespace detail

/// Bounds the error of entry (i, j) of the Jacobian of computed softmax weights.
///
/// u and η are those of rounding_of<Scalar>(); eᵢ is bound(i, pᵢ).
/// pᵢeⱼ + pⱼeᵢ + eᵢeⱼ + u(pᵢ + eᵢ)(pⱼ + eⱼ) + η for i ≠ j,
/// eᵢ(abs(1 − 2pᵢ) + eᵢ) + u(2 + u)(pᵢ + eᵢ)(1 − pᵢ + eᵢ) + η for i = j.
///
/// Infinite if one of the weights has no bound. Raised by bound_margin for the rounding of its own
/// computation, and by four smallest doubles for its products that underflow.
///
/// \tparam Scalar the type in which the Jacobian is computed.
/// \param weights the exact weights p, as doubles.
/// \param bound   softmax_error_bound() of the logits.
/// \param i, j    the entry, from 0.
/// \throws std::domain_error if weight i or j is not from 0 to 1.
/// \implements{JacobianError}
/// \relatesalso SoftmaxErrorBound
template <class Scalar = double>
double jacobian_error_bound(const Eigen::VectorXd& weights, const SoftmaxErrorBound& bound,
                            Eigen::Index i, Eigen::Index j);

/// Bounds the error of vector_jacobian_product() against p ⊙ (g − ⟨p, g⟩) of the given numbers:
/// pᵢ((1 + u)²D + u(2 + u)(abs(gᵢ) + ḡ)) + η with ḡ = Σpⱼabs(gⱼ), D = n(uḡ + η)/(1 − nu).
///
/// For sums in any order. Infinite unless nu < 1 and (1 + u)(abs(gᵢ) + ḡ + D) ≤ Ω. Raised by
/// bound_margin for the rounding of its own computation, which is in double precision, or in the
/// given type if that is longer.
///
/// \tparam P a row or column of a type that rounding_of() knows.
/// \param weights   p, n numbers from 0 to 1.
/// \param cotangent g, n finite numbers of the same type.
/// \param rounding  of what computes the product.
/// \return n bounds.
/// \throws std::invalid_argument as vector_jacobian_product().
/// \throws std::domain_error as vector_jacobian_product().
/// \implements{BackwardPassError}
template <class P, class G>
Eigen::VectorXd vector_jacobian_error_bound(
    const Eigen::MatrixBase<P>& weights, const Eigen::MatrixBase<G>& cotangent,
    const Rounding& rounding = rounding_of<typename P::Scalar>());

/// The same for a kernel of softmax's backward pass, before its result is stored: it may subtract the
/// products pᵢ⟨p, g⟩ from the products pᵢgᵢ, which it may have stored in the format of stored_weights(),
/// and take subnormal numbers for 0 if the arithmetic is flushing().
///
/// With v and η′ of that format, pᵢ((1 + u)²(D + v·abs(gᵢ)) + u(2 + u)(abs(gᵢ) + ḡ)) + η + η′ with
/// D = ((nu + v)ḡ + n(η + η′))/(1 − nu).
///
/// Flushing: with the smallest normal number N and M = max(1, max abs(gⱼ) + ḡ), η is 4NM. Whatever is
/// flushed is 0 from then on, so that each number loses less than N, once. A weight that is lost takes
/// N·abs(gⱼ) from its product in the mean, and N(abs(gᵢ) + ḡ) from the result. So the n products lose NM
/// each, the n sums N each, together 2nNM of the 4nNM in D. The rest loses less than the last 4NM: for
/// pᵢ(gᵢ − m) either NM by pᵢ, or N(1 + u)² by gᵢ, N(1 + u) by the difference, and N by the product; for
/// pᵢgᵢ − pᵢm at most (1 + u)N(M + 1) by the two products together, and (1 + u)N by the difference.
///
/// \param weights    p, n numbers from 0 to 1.
/// \param cotangent  g, n finite numbers of the same type.
/// \param arithmetic what computes it: of that the formats, and whether it is flushing.
/// \return n bounds.
template <class P, class G>
Eigen::VectorXd vector_jacobian_error_bound(const Eigen::MatrixBase<P>& weights,
                                            const Eigen::MatrixBase<G>& cotangent,
                                            const SoftmaxArithmetic& arithmetic);

/// Bounds the error of gᵢ − e^yᵢ Σgⱼ as the backward pass of log-softmax computes it, before it is stored:
/// (1 + u)(e^yᵢ D + εᵢT + u(e^yᵢ + εᵢ)T + η) + u(abs(gᵢ) + e^yᵢ abs(Σgⱼ)) with D = n(uΣabs(gⱼ) + η)/(1 − nu),
/// T = abs(Σgⱼ) + D, and εᵢ = (1 + Au)e^(yᵢ + κu·abs(yᵢ)) − e^yᵢ + Aη/2, or e^yᵢ more below a cut_off().
///
/// For sums in any order. Infinite unless nu < 1 and all numbers on the way are in range. Raised by
/// bound_margin for the rounding of its own computation.
///
/// Flushing: η, which flushing() makes 4N, covers it. A sum loses N for each of its n terms and of its
/// n − 1 partial sums; an exponential N by its argument or N by itself, less than Aη/2; the product, gᵢ
/// and the difference lose N each, (2(1 + u) + 1)N of the last (1 + u)η.
///
/// \param logarithms y, n numbers; −∞ for a weight of 0; above 0 by rounding at most, or nothing may be
///                   promised.
/// \param cotangent  g, n finite numbers.
/// \param arithmetic what computes it: of that u, η, Ω, A, κ and the cut.
/// \return n bounds.
/// \throws std::invalid_argument if the lengths differ.
/// \throws std::domain_error if a logarithm is NaN.
/// \implements{BackwardPassError}
template <class Y, class G>
Eigen::VectorXd log_softmax_backward_error_bound(
    const Eigen::MatrixBase<Y>& logarithms, const Eigen::MatrixBase<G>& cotangent,
    const SoftmaxArithmetic& arithmetic = arithmetic_of<typename Y::Scalar>());

/// Bounds the error of softmax_entropy() against the exact entropy H, with the letters of
/// log_sum_exp_error_bound(): (1 + u)E + uH with E = e + Σpᵢtᵢρᵢ/(1 − θ − ρᵢ) + 4n(A + 2)(L + 1)η
/// and ρᵢ = (r(tᵢ + T) + R + 2(A + h + 1))u + ω; the sum is over tᵢ ≤ L.
///
/// Infinite where softmax_error_bound() is, and for exponents of rounded products, exponentials that are
/// cut off, sums of rounded weights and weights by the log-sum-exp. Raised by bound_margin for the
/// rounding of its own computation.
///
/// \param scores      s, n numbers, n at least 1; finite or −∞.
/// \param temperature τ, greater than 0 and finite.
/// \param arithmetic  what computes the entropy.
/// \throws std::invalid_argument as softmax_error_bound().
/// \throws std::domain_error as softmax_error_bound().
/// \implements{EntropyError}
/// \relatesalso SoftmaxArithmetic
template <class S>
double entropy_error_bound(
    const Eigen::MatrixBase<S>& scores, const Compute<typename S::Scalar>& temperature,
    const SoftmaxArithmetic& arithmetic = arithmetic_of<typename S::Scalar>());

/// Bounds the error of (p̂(x + ke) − p̂(x − ke))/2k as the derivative of a weight along one logit:
/// k²/48 + (1 + u)²(e₊ + e₋)/2k + u(2 + u)/4. Raised by bound_margin.
/// \param step     k, greater than 0 and finite; x ± k must not be rounded.
/// \param of_above e₊, the bound of the weight at x + k, at least 0; may be +∞, as the result then is.
/// \param of_below e₋, the bound of the weight at x − k, likewise.
/// \param roundoff u of the type in which the difference is taken, from 0 to 1.
/// \throws std::domain_error if an argument is out of range.
/// \implements{NumericalDerivatives}
double central_difference_error_bound(double step, double of_above, double of_below,
                                      double roundoff);

/// Bounds the error of Im p̂ᵢ(x + ike)/k as ∂pᵢ/∂xⱼ where k² vanishes beside u:
/// (4(A + 1) + 2h + 5)u·pᵢ(δᵢⱼ + pⱼ), for naive_softmax(). Raised by bound_margin, which in double
/// covers terms in u² too.
/// \param weight     pᵢ, from 0 to 1.
/// \param other      pⱼ, the weight of the logit that is stepped, from 0 to 1.
/// \param diagonal   whether i = j.
/// \param count      n, at least 1.
/// \param arithmetic what computes the softmax.
/// \throws std::domain_error if an argument is out of range.
/// \implements{NumericalDerivatives}
/// \relatesalso SoftmaxArithmetic
double complex_step_error_bound(double weight, double other, bool diagonal, std::size_t count,
                                const SoftmaxArithmetic& arithmetic = arithmetic_of<double>());

// Implementation

template <class Scalar>
Rounding rounding_of() {
  using Limits = std::numeric_limits<Scalar>;
  using Double = std::numeric_limits<double>;
  return {std::ldexp(1.0, -Limits::digits),
          std::max(static_cast<double>(Limits::denorm_min()), Double::denorm_min()),
          std::min(static_cast<double>((Limits::max)()), (Double::max)())};
}

namespace detail {

template <class Real>
double double_above(const Real& number) {
  const auto nearest = static_cast<double>(number);
  return Real(nearest) < number ? std::nextafter(nearest, std::numeric_limits<double>::infinity())
                                : nearest;
}

}  // namespace detail

//! [JacobianError]
template <class Scalar>
double jacobian_error_bound(const Eigen::VectorXd& weights, const SoftmaxErrorBound& bound,
                            Eigen::Index i, Eigen::Index j) {
  const double p = weights[i], q = weights[j];
  detail::require_in("a weight", p, 0, 1);
  detail::require_in("a weight", q, 0, 1);
  if (!(std::isfinite(bound.relative[i]) && std::isfinite(bound.relative[j]))) return vacuous_bound;
  const auto [u, eta, largest] = rounding_of<Scalar>();
  const double e = bound(i, p), f = bound(j, q);
  const double error = i == j ? e * (std::abs(1 - 2 * p) + e) + u * (2 + u) * (p + e) * (1 - p + e)
                              : p * f + q * e + e * f + u * (p + e) * (q + f);
  return (1 + bound_margin) * (error + eta) + 4 * std::numeric_limits<double>::denorm_min();
}
//! [JacobianError]

//! [BackwardPassError]
namespace detail {

/// \param products the format of stored products, or one without a rounding.
template <class P, class G>
Eigen::VectorXd backward_error_bound(const Eigen::MatrixBase<P>& weights,
                                     const Eigen::MatrixBase<G>& cotangent,
                                     const Rounding& rounding, const FormatLimits& products) {
  require_weights(weights);
  require_same_length(weights, cotangent);
  using Scalar = typename P::Scalar;
  // A weight that is too small for a double may have a cotangent that makes up for it.
  using Wider = std::conditional_t<(std::numeric_limits<Scalar>::digits > 53), Scalar, double>;
  const Wider u(rounding.unit_roundoff), v(products.roundoff),
      eta = Wider(rounding.smallest) + Wider(products.smallest);
  const Wider largest(rounding.largest), n(static_cast<double>(weights.size()));
  const ColumnOf<Wider> p = weights.derived().template cast<Wider>().reshaped();
  const ColumnOf<Wider> g = cotangent.derived().template cast<Wider>().reshaped().cwiseAbs();
  const Wider size = p.dot(g);
  const Wider of_mean = ((n * u + v) * size + n * eta) / (1 - n * u);
  const bool fits =
      (1 + u) * (1 + Wider(bound_margin)) * p.cwiseProduct(g).maxCoeff() <= Wider(products.largest);
  Eigen::VectorXd bound(p.size());
  for (Eigen::Index i = 0; i < p.size(); ++i) {
    const Wider reach = g[i] + size;
    const Wider passed = (1 + u) * (reach + of_mean + v * g[i]);
    const bool promised = n * u < 1 && (1 + bound_margin) * passed <= largest && fits;
    const Wider error =
        p[i] * ((1 + u) * (1 + u) * (of_mean + v * g[i]) + u * (2 + u) * reach) + eta;
    bound[i] = promised ? double_above<Wider>((1 + bound_margin) * error) : vacuous_bound;
  }
  return bound;
}

}  // namespace detail

template <class P, class G>
Eigen::VectorXd vector_jacobian_error_bound(const Eigen::MatrixBase<P>& weights,
                                            const Eigen::MatrixBase<G>& cotangent,
                                            const Rounding& rounding) {
  return detail::backward_error_bound(weights, cotangent, rounding, {});
}

template <class P, class G>
Eigen::VectorXd vector_jacobian_error_bound(const Eigen::MatrixBase<P>& weights,
                                            const Eigen::MatrixBase<G>& cotangent,
                                            const SoftmaxArithmetic& arithmetic) {
  detail::require_same_length(weights, cotangent);
  const Eigen::VectorXd p = weights.derived().template cast<double>().reshaped();
  const Eigen::VectorXd g = cotangent.derived().template cast<double>().reshaped().cwiseAbs();
  const double most = std::min(g.maxCoeff() + p.dot(g), std::numeric_limits<double>::max());
  const double eta = arithmetic.magnified(most).smallest;
  return detail::backward_error_bound(
      weights, cotangent, {arithmetic.unit_roundoff, eta, arithmetic.largest},
      {arithmetic.weight_roundoff, arithmetic.weight_smallest, arithmetic.weight_largest});
}

template <class Y, class G>
Eigen::VectorXd log_softmax_backward_error_bound(const Eigen::MatrixBase<Y>& logarithms,
                                                 const Eigen::MatrixBase<G>& cotangent,
                                                 const SoftmaxArithmetic& arithmetic) {
  detail::require_same_length(logarithms, cotangent);
  const Eigen::VectorXd y = logarithms.derived().template cast<double>().reshaped();
  const Eigen::VectorXd g = cotangent.derived().template cast<double>().reshaped();
  const double u = arithmetic.unit_roundoff, eta = arithmetic.smallest, A = arithmetic.exp_error;
  const double n = static_cast<double>(y.size()), size = g.cwiseAbs().sum(),
               sum = std::abs(g.sum());
  const double of_sum = n * (u * size + eta) / (1 - n * u);
  const double reach = sum + of_sum;
  Eigen::VectorXd bound(y.size());
  for (Eigen::Index i = 0; i < y.size(); ++i) {
    detail::require_that(!std::isnan(y[i]), "the logarithm of a weight", y[i], "be a number");
    const double weight = std::exp(y[i]);
    // e^(y + t) − e^y = e^(y + t)(1 − e^(−t)); −∞ is no argument that is rounded.
    const double t = arithmetic.exp_argument_error * u * std::abs(y[i]) + std::log1p(A * u);
    double of_exp =
        weight > 0 || std::isfinite(y[i]) ? std::exp(y[i] + t) * -std::expm1(-t) + A * eta / 2 : 0;
    if (y[i] < -arithmetic.exp_cut) of_exp += weight;
    const double error =
        (1 + u) * (weight * of_sum + of_exp * reach + u * (weight + of_exp) * reach + eta) +
        u * (std::abs(g[i]) + weight * sum);
    const double most = (1 + u) * (std::abs(g[i]) + (1 + u) * (weight + of_exp) * reach + eta);
    const bool promised =
        n * u < 1 && std::isfinite(error) &&
        detail::fits_in_range(std::max({size + of_sum, weight + of_exp, most}), arithmetic.largest);
    bound[i] = promised ? (1 + bound_margin) * error : vacuous_bound;
  }
  return bound;
}
//! [BackwardPassError]

//! [EntropyError]
template <class S>
double entropy_error_bound(const Eigen::MatrixBase<S>& scores,
                           const Compute<typename S::Scalar>& temperature,
                           const SoftmaxArithmetic& arithmetic) {
  const detail::ErrorTerms terms = detail::error_terms(scores, temperature, arithmetic);
  if (!terms.valid || !detail::by_whole_sums(arithmetic)) return vacuous_bound;
  const double n = static_cast<double>(scores.size());
  const double u = arithmetic.unit_roundoff;
  const double A = arithmetic.exp_error;
  const double h = arithmetic.sum_depth(static_cast<std::size_t>(scores.size()));
  const double omega = 4 * n * (A + 2) * arithmetic.smallest;
  double error = detail::log_of_sum_error(terms, arithmetic) + (terms.depth + 1) * omega;
  for (const double t : terms.each) {
    if (t > terms.depth) continue;
    const double rho =
        (terms.of_exponent * (t + terms.mean) + terms.divided + 2 * (A + h + 1)) * u + omega;
    error += std::exp(-t - terms.log_sum) * t * rho / (1 - terms.theta - rho);
  }
  return (1 + bound_margin) * ((1 + u) * error + u * (terms.log_sum + terms.mean));
}
//! [EntropyError]

//! [NumericalDerivatives]
inline double central_difference_error_bound(double step, double of_above, double of_below,
                                             double roundoff) {
  detail::require_positive_finite("the step", step);
  detail::require_at_least("the error of a weight", of_above, 0);
  detail::require_at_least("the error of a weight", of_below, 0);
  detail::require_in("the unit roundoff", roundoff, 0, 1);
  const double u = roundoff;
  return (1 + bound_margin) *
         (step * step / 48 + (1 + u) * (1 + u) * (of_above + of_below) / (2 * step) +
          u * (2 + u) / 4);
}

inline double complex_step_error_bound(double weight, double other, bool diagonal,
                                       std::size_t count, const SoftmaxArithmetic& arithmetic) {
  detail::require_in("a weight", weight, 0, 1);
  detail::require_in("a weight", other, 0, 1);
  const double h = arithmetic.sum_depth(count);
  const double units = 4 * (arithmetic.exp_error + 1) + 2 * h + 5;
  return (1 + bound_margin) * units * arithmetic.unit_roundoff * weight *
         (other + (diagonal ? 1 : 0));
}
//! [NumericalDerivatives]

}  // namespace sqrtdk
