// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref variants : other ways from scores to weights.
#pragma once

#include <sqrtdk/moments.hpp>
#include <sqrtdk/moments/finite_distribution.hpp>
#include <sqrtdk/numbers/exp_interval.hpp>
#include <sqrtdk/numbers/interval.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/numbers/require.hpp>
#include <sqrtdk/softmax_jacobian.hpp>

#include <Eigen/Core>

#include <stdexcept>

namespace sqrtdk {

/// t·tanh(s/t), a score that is softly capped, between two rational numbers.
/// \param score s, of a magnitude of at most 1000t.
/// \param cap   t, greater than 0.
/// \return an interval that holds it, narrower than 2⁻²⁰⁰t.
/// \throws std::domain_error if an argument is out of range.
/// \implements{SoftCap}
/// \relatesalso Interval
Interval<Rational> soft_cap(const Rational& score, const Rational& cap);

/// 1 − tanh²(s/t), the derivative of the capped score, between two rational numbers.
/// \param score s, of a magnitude of at most 1000t.
/// \param cap   t, greater than 0.
/// \return an interval that holds it, narrower than the part 2⁻²⁰⁰ of it.
/// \throws std::domain_error if an argument is out of range.
/// \implements{SoftCapGradient}
/// \relatesalso Interval
Interval<Rational> soft_cap_slope(const Rational& score, const Rational& cap);

/// e^2t/(e^2t + n − 1), which no weight of n capped scores reaches if n is 2 or more.
/// \param cap   t, greater than 0 and at most 1000.
/// \param count n, at least 1.
/// \return an interval that holds it, narrower than the part 2⁻²⁰⁰ of it.
/// \throws std::domain_error if an argument is out of range.
/// \implements{SoftCap}
/// \relatesalso Interval
Interval<Rational> capped_weight_bound(const Rational& cap, unsigned count);

/// J·diag(c′): the derivative of the softmax of capped scores with respect to the scores.
/// \param weights p, n numbers from 0 to 1, n at least 1; a row or a column.
/// \param slopes  c′, n numbers of the type of p, one within soft_cap_slope() of each score; not
///                checked.
/// \return the n×n matrix of ∂pᵢ/∂sⱼ = pᵢ(δᵢⱼ − pⱼ)c′ⱼ, with J = softmax_jacobian(p).
/// \throws std::invalid_argument if there is no weight, or not a slope for each.
/// \throws std::domain_error if a weight is not from 0 to 1.
/// \implements{SoftCapGradient}
template <class P, class Slopes>
JacobianOf<P> capped_jacobian(const Eigen::MatrixBase<P>& weights,
                              const Eigen::MatrixBase<Slopes>& slopes);

/// zᵢ/(Σzⱼ + z₀): weights beside a sink, which takes the rest.
/// \param powers z, the numbers e^s of the scores, n at least 1, none negative; a row or a column.
/// \param sink   z₀ = e^b, greater than 0; 1 for softmax-plus-one.
/// \return n weights, in the shape of the argument.
/// \throws std::invalid_argument if there is no number.
/// \throws std::domain_error if a number is out of range.
/// \implements{AttentionSink}
template <class Derived>
typename Derived::PlainObject weights_with_sink(const Eigen::MatrixBase<Derived>& powers,
                                                const typename Derived::Scalar& sink);

/// ∂T/∂sⱼ = pⱼ(1 − T): how fast the total weight T beside a sink grows with a score.
/// \param weights p, as weights_with_sink() returns them.
/// \return n numbers, in the shape of the argument.
/// \implements{AttentionSink}
template <class Derived>
typename Derived::PlainObject total_slopes(const Eigen::MatrixBase<Derived>& weights);

/// zf/(1 + zf): the weight of one key in sigmoid attention.
/// \param power  z = e^s, at least 0; NaN is returned if zf overflows.
/// \param factor f = e^b for a bias b, greater than 0; 1/n for the bias −ln n.
/// \throws std::domain_error if an argument is out of range.
/// \implements{SigmoidAttention}
template <class Real>
Real sigmoid_weight(const Real& power, const Real& factor);

/// w(1 − w): a sigmoid weight's derivative by its own score; those by other scores are 0.
/// \param weight w, from 0 to 1.
/// \throws std::domain_error if it is out of range.
/// \implements{SigmoidAttention}
template <class Real>
Real sigmoid_slope(const Real& weight);

/// E z − E z²/n and E z, between which the mean total weight of n keys lies for the bias −ln n.
/// \param powers the distribution of z = e^s, of numbers at least 0.
/// \param count  n, at least 1.
/// \throws std::domain_error if n is 0 or a number is negative.
/// \implements{SigmoidAttention}
/// \relatesalso FiniteDistribution
Interval<Rational> sigmoid_total_bounds(const RationalDistribution& powers, unsigned count);

// Implementation

//! [SoftCap]
namespace detail {

inline Interval<Rational> doubled_growth(const Rational& score, const Rational& cap) {
  require_positive("the cap", cap);
  require_in("the score, in caps,", Rational(score / cap), -1000, 1000);
  return exp_enclosure(2 * abs(score) / cap);
}

}  // namespace detail

inline Interval<Rational> soft_cap(const Rational& score, const Rational& cap) {
  const Interval<Rational> u = detail::doubled_growth(score, cap);
  const Interval<Rational> size = {cap * (u.lower - 1) / (u.lower + 1),
                                   cap * (u.upper - 1) / (u.upper + 1)};
  if (score < 0) return {-size.upper, -size.lower};
  return size;
}

inline Interval<Rational> capped_weight_bound(const Rational& cap, unsigned count) {
  detail::require_positive("the cap", cap);
  detail::require_in("the cap", cap, 0, 1000);
  detail::require_at_least("the number of keys", count, 1U);
  const Interval<Rational> u = exp_enclosure(2 * cap);
  return {u.lower / (u.lower + (count - 1)), u.upper / (u.upper + (count - 1))};
}
//! [SoftCap]

//! [SoftCapGradient]
inline Interval<Rational> soft_cap_slope(const Rational& score, const Rational& cap) {
  // 1 − tanh²(x) = 4u/(u + 1)², which falls for u ≥ 1.
  const Interval<Rational> u = detail::doubled_growth(score, cap);
  const auto slope = [](const Rational& growth) -> Rational {
    return 4 * growth / ((growth + 1) * (growth + 1));
  };
  return {slope(u.upper), slope(u.lower)};
}

template <class P, class Slopes>
JacobianOf<P> capped_jacobian(const Eigen::MatrixBase<P>& weights,
                              const Eigen::MatrixBase<Slopes>& slopes) {
  detail::require_same_length(weights, slopes);
  JacobianOf<P> jacobian = softmax_jacobian(weights);
  for (Eigen::Index j = 0; j < jacobian.cols(); ++j) jacobian.col(j) *= slopes(j);
  return jacobian;
}
//! [SoftCapGradient]

//! [AttentionSink]
template <class Derived>
typename Derived::PlainObject weights_with_sink(const Eigen::MatrixBase<Derived>& powers,
                                                const typename Derived::Scalar& sink) {
  detail::require_size("powers", powers.size(), 1);
  detail::require_positive("the sink", sink);
  for (const auto& power : powers.reshaped()) detail::require_at_least("a power", power, 0);
  return powers / typename Derived::Scalar(powers.sum() + sink);
}

template <class Derived>
typename Derived::PlainObject total_slopes(const Eigen::MatrixBase<Derived>& weights) {
  return weights * typename Derived::Scalar(1 - weights.sum());
}
//! [AttentionSink]

//! [SigmoidAttention]
template <class Real>
Real sigmoid_weight(const Real& power, const Real& factor) {
  detail::require_at_least("the power", power, 0);
  detail::require_positive("the factor", factor);
  return power * factor / (1 + power * factor);
}

template <class Real>
Real sigmoid_slope(const Real& weight) {
  detail::require_in("the weight", weight, 0, 1);
  return weight * (1 - weight);
}

inline Interval<Rational> sigmoid_total_bounds(const RationalDistribution& powers, unsigned count) {
  detail::require_at_least("the number of keys", count, 1U);
  detail::require_at_least("the least power", powers.atoms().front().outcome, 0);
  const Rational mean_power = mean(powers);
  return {mean_power - raw_moment(powers, 2) / count, mean_power};
}
//! [SigmoidAttention]

}  // namespace sqrtdk
