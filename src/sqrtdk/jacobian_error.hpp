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
template <class P, class G>
Eigen::VectorXd vector_jacobian_error_bound(const Eigen::MatrixBase<P>& weights,
                                            const Eigen::MatrixBase<G>& cotangent,
                                            const Rounding& rounding) {
  detail::require_weights(weights);
  detail::require_same_length(weights, cotangent);
  using Scalar = typename P::Scalar;
  // A weight that is too small for a double may have a cotangent that makes up for it.
  using Wider = std::conditional_t<(std::numeric_limits<Scalar>::digits > 53), Scalar, double>;
  const Wider u(rounding.unit_roundoff), eta(rounding.smallest), largest(rounding.largest);
  const Wider n(static_cast<double>(weights.size()));
  const ColumnOf<Wider> p = weights.derived().template cast<Wider>().reshaped();
  const ColumnOf<Wider> g = cotangent.derived().template cast<Wider>().reshaped().cwiseAbs();
  const Wider size = p.dot(g);
  const Wider of_mean = n * (u * size + eta) / (1 - n * u);
  Eigen::VectorXd bound(p.size());
  for (Eigen::Index i = 0; i < p.size(); ++i) {
    const Wider reach = g[i] + size;
    const Wider passed = (1 + u) * (reach + of_mean);
    const bool promised = n * u < 1 && (1 + bound_margin) * passed <= largest;
    const Wider error = p[i] * ((1 + u) * (1 + u) * of_mean + u * (2 + u) * reach) + eta;
    bound[i] = promised ? detail::double_above<Wider>((1 + bound_margin) * error) : vacuous_bound;
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
