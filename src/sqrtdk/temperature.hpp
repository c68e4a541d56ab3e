// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref temperature : what the number that divides the scores does to the weights.
#pragma once

#include <sqrtdk/numbers/columns.hpp>
#include <sqrtdk/numbers/powers.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/numbers/require.hpp>
#include <sqrtdk/softmax.hpp>
#include <sqrtdk/softmax_jacobian.hpp>

#include <Eigen/Core>
#include <boost/multiprecision/eigen.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace sqrtdk {

/// pᵢ = wᵢᵃ / Σwⱼᵃ: softmax at temperature τ = 1/a of the logits ln w, exact over the rationals.
/// \param weights w, n numbers greater than 0, n at least 1; their sum does not matter.
/// \param power   a, at least 0.
/// \return n probabilities.
/// \throws std::invalid_argument if there is no weight.
/// \throws std::domain_error if one is not positive, and as normalized_weights() of the powers.
/// \throws std::overflow_error as normalized_weights() of the powers.
/// \implements{TemperatureSharpens}
template <class W>
typename W::PlainObject sharpened_weights(const Eigen::MatrixBase<W>& weights, unsigned power);

/// True if p majorizes q: equal sums, and for every k the k largest of p sum to at least as much as
/// the k largest of q.
/// \param p, q vectors of one length, at least 1.
/// \throws std::invalid_argument if the lengths differ or are 0.
/// \implements{TemperatureSharpens}
template <class P, class Q>
bool majorizes(const Eigen::MatrixBase<P>& p, const Eigen::MatrixBase<Q>& q);

/// ⟨s⟩ₚ = Σpᵢsᵢ, the score that is attended to, and Var_p(s) = Σpᵢ(sᵢ − ⟨s⟩)².
template <class Scalar>
struct AttendedScore {
  Scalar mean;      ///< ⟨s⟩ₚ = Σpᵢsᵢ, the mean attended score
  Scalar variance;  ///< Var_p(s), at least 0: the derivative of the mean with respect to 1/τ
};

/// Mean and variance of the scores under the weights.
/// \param weights p, n numbers from 0 to 1 with sum 1, n at least 1.
/// \param scores  s, n numbers.
/// \throws std::invalid_argument if the lengths differ or are 0.
/// \throws std::domain_error if a weight is not from 0 to 1.
/// \implements{TemperatureSharpens}
/// \relatesalso AttendedScore
template <class P, class S>
AttendedScore<typename P::Scalar> attended_score(const Eigen::MatrixBase<P>& weights,
                                                 const Eigen::MatrixBase<S>& scores);

/// H = −Σpᵢ ln pᵢ of p = softmax(s/τ), computed as ln S + (Σe^(−tᵢ)tᵢ)/S with S = Σe^(−tᵢ) and
/// tᵢ = (max s − sᵢ)/τ.
///
/// Half precision is computed in float, and the result not rounded.
///
/// \param scores      s, n numbers, n at least 1; finite or −∞. A NaN makes the entropy NaN.
/// \param temperature τ, greater than 0 and finite.
/// \throws std::invalid_argument as softmax().
/// \throws std::domain_error as softmax().
/// \maxerror{entropy_error_bound}
/// \implements{TemperatureSharpens}
template <class S>
Compute<typename S::Scalar> softmax_entropy(const Eigen::MatrixBase<S>& scores,
                                            const Compute<typename S::Scalar>& temperature);

/// dH/dτ = Var_p(s)/τ³, computed as Var_p(t)/τ with t = (s − max s)/τ.
/// \param scores      s, n numbers, n at least 1.
/// \param temperature τ, greater than 0 and finite.
/// \throws std::invalid_argument as softmax().
/// \throws std::domain_error as softmax().
/// \implements{TemperatureSharpens}
template <class S>
typename S::Scalar entropy_slope(const Eigen::MatrixBase<S>& scores,
                                 const typename S::Scalar& temperature);

/// The largest total of all weights but the k largest, which are equal, when each is at most ρ
/// times one of those: (n − k)ρ / (k + (n − k)ρ).
///
/// For softmax(s/τ) with k equal largest scores, ρ = e^(−gap/τ).
///
/// \param count n, at least 1.
/// \param ties  k, from 1 to n.
/// \param ratio ρ, from 0 to 1.
/// \throws std::domain_error if an argument is out of range.
/// \implements{TemperatureLimits}
Rational share_below_the_ties(std::size_t count, std::size_t ties, const Rational& ratio);

/// The temperatures ½√d, √d and 2√d that an exercise of S3 compares.
/// \param dimension d, at least 1.
/// \throws std::domain_error if the dimension is 0.
/// \implements{TemperatureSweep}
std::array<double, 3> swept_temperatures(std::size_t dimension);

/// softmax of each row of scores, divided by a temperature of its own.
/// \param scores       n×m, a row for each query, m at least 1.
/// \param temperatures n numbers greater than 0 and finite.
/// \return n×m, each row with sum 1.
/// \throws std::invalid_argument if there is not one temperature for each row, or no score.
/// \throws std::domain_error as softmax().
/// \implements{QueryDependentScale}
template <class S, class T>
typename S::PlainObject softmax_rows(const Eigen::MatrixBase<S>& scores,
                                     const Eigen::MatrixBase<T>& temperatures);

/// ∂pᵢ/∂τ = −pᵢ(sᵢ − ⟨s⟩ₚ)/τ² for p = softmax(s/τ).
/// \param weights     p, n numbers from 0 to 1 with sum 1, n at least 1.
/// \param scores      s, n numbers.
/// \param temperature τ, greater than 0.
/// \return n numbers with sum 0.
/// \throws std::invalid_argument if the lengths differ or are 0.
/// \throws std::domain_error if a weight is not from 0 to 1 or τ is not greater than 0.
/// \implements{QueryDependentScale}
template <class P, class S>
typename P::PlainObject temperature_derivative(const Eigen::MatrixBase<P>& weights,
                                               const Eigen::MatrixBase<S>& scores,
                                               const typename P::Scalar& temperature);

/// dL/dτ = −Cov_p(g, s)/τ², a learned temperature's gradient, for a loss with ∂L/∂p = g.
/// \param weights     p, n numbers from 0 to 1 with sum 1, n at least 1.
/// \param scores      s, n numbers.
/// \param cotangent   g, n numbers.
/// \param temperature τ, greater than 0.
/// \throws std::invalid_argument as temperature_derivative().
/// \throws std::domain_error as temperature_derivative().
/// \implements{QueryDependentScale}
template <class P, class S, class G>
typename P::Scalar temperature_gradient(const Eigen::MatrixBase<P>& weights,
                                        const Eigen::MatrixBase<S>& scores,
                                        const Eigen::MatrixBase<G>& cotangent,
                                        const typename P::Scalar& temperature);

/// tr J(p)/τ with p ∝ wᵃ and τ = 1/a: the trace norm of ∂softmax(s/τ)/∂s for the scores s = ln w.
/// \param weights w, as in sharpened_weights().
/// \param power   a = 1/τ, at least 0.
/// \throws std::invalid_argument as sharpened_weights().
/// \throws std::domain_error as sharpened_weights().
/// \implements{SmoothingRaisesGradient}
template <class W>
typename W::Scalar gradient_trace(const Eigen::MatrixBase<W>& weights, unsigned power);

/// The weight of the largest key from which smoothing raises gradient_trace(): 17/20, proved as
/// \ref SmoothingRaisesGradient.
inline const Rational saturated_weight = Rational(17, 20);

/// The temperature that maximizes the gradient for two keys, as a part of the gap between their
/// scores: 1/2x with 2x tanh x = 1.
///
/// By Newton's method in the type itself; the last step is below one unit in the last place or two.
///
/// \implements{SmoothingRaisesGradient}
template <class Real>
Real best_two_key_temperature();

// Implementation

//! [TemperatureSharpens]
template <class W>
typename W::PlainObject sharpened_weights(const Eigen::MatrixBase<W>& weights, unsigned power) {
  typename W::PlainObject powers = weights;
  for (Eigen::Index i = 0; i < powers.size(); ++i) {
    detail::require_positive("a weight", powers[i]);
    powers[i] = integer_power(powers[i], power);
  }
  return normalized_weights(powers);
}

template <class P, class Q>
bool majorizes(const Eigen::MatrixBase<P>& p, const Eigen::MatrixBase<Q>& q) {
  using Scalar = typename P::Scalar;
  detail::require_size("weights", p.size(), 1);
  detail::require_same_length(p, q);
  std::vector<Scalar> a, b;
  for (Eigen::Index i = 0; i < p.size(); ++i) {
    a.push_back(p[i]);
    b.push_back(q[i]);
  }
  std::sort(a.begin(), a.end(), std::greater<Scalar>());
  std::sort(b.begin(), b.end(), std::greater<Scalar>());
  Scalar lead(0);
  for (std::size_t k = 0; k < a.size(); ++k) {
    lead += a[k] - b[k];
    if (lead < 0) return false;
  }
  return lead == 0;
}

template <class P, class S>
AttendedScore<typename P::Scalar> attended_score(const Eigen::MatrixBase<P>& weights,
                                                 const Eigen::MatrixBase<S>& scores) {
  using Scalar = typename P::Scalar;
  detail::require_weights(weights);
  detail::require_same_length(weights, scores);
  Scalar mean(0);
  for (Eigen::Index i = 0; i < scores.size(); ++i) mean += weights[i] * scores[i];
  Scalar variance(0);
  for (Eigen::Index i = 0; i < scores.size(); ++i)
    variance += weights[i] * (scores[i] - mean) * (scores[i] - mean);
  return {mean, variance};
}

template <class S>
typename S::Scalar entropy_slope(const Eigen::MatrixBase<S>& scores,
                                 const typename S::Scalar& temperature) {
  using Scalar = typename S::Scalar;
  const typename S::PlainObject weights = softmax(scores, temperature);
  const Scalar maximum = scores.maxCoeff();
  typename S::PlainObject scaled = scores;
  // A score without weight has no part in the variance.
  for (Eigen::Index i = 0; i < scaled.size(); ++i)
    scaled[i] = weights[i] == 0
                    ? Scalar(0)
                    : Scalar(detail::scaled_difference(scaled[i], maximum, temperature));
  return attended_score(weights, scaled).variance / temperature;
}
//! [TemperatureSharpens]

template <class S>
Compute<typename S::Scalar> softmax_entropy(const Eigen::MatrixBase<S>& scores,
                                            const Compute<typename S::Scalar>& temperature) {
  using Real = Compute<typename S::Scalar>;
  using std::exp;
  using std::log;
  detail::require_positive_finite("the temperature", temperature);
  const auto x = detail::as_column(scores);
  const Real maximum = detail::max_or_nan(x);
  detail::require_summable(maximum);
  ColumnOf<Real> weights(x.size()), products(x.size());
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    const Real t = -detail::scaled_difference(x[i], maximum, temperature);
    weights[i] = exp(Real(-t));
    products[i] = weights[i] == 0 ? Real(0) : Real(weights[i] * t);  // t may be ∞
  }
  const Real sum = pairwise_sum(weights);
  return Real(log(sum)) + Real(pairwise_sum(products) / sum);
}

//! [TemperatureLimits]
inline Rational share_below_the_ties(std::size_t count, std::size_t ties, const Rational& ratio) {
  detail::require_in("the number of largest scores", ties, 1U, count);
  detail::require_in("the ratio", ratio, 0, 1);
  const Rational others = Rational(count - ties) * ratio;
  return others / (Rational(ties) + others);
}
//! [TemperatureLimits]

//! [TemperatureSweep]
inline std::array<double, 3> swept_temperatures(std::size_t dimension) {
  detail::require_at_least("the dimension", dimension, 1U);
  const double root = std::sqrt(static_cast<double>(dimension));
  return {root / 2, root, 2 * root};
}
//! [TemperatureSweep]

//! [QueryDependentScale]
template <class S, class T>
typename S::PlainObject softmax_rows(const Eigen::MatrixBase<S>& scores,
                                     const Eigen::MatrixBase<T>& temperatures) {
  if (temperatures.size() != scores.rows())
    throw std::invalid_argument("there are " + std::to_string(scores.rows()) + " queries but " +
                                std::to_string(temperatures.size()) +
                                " temperatures; each query needs one");
  typename S::PlainObject weights(scores.rows(), scores.cols());
  for (Eigen::Index i = 0; i < scores.rows(); ++i)
    weights.row(i) = softmax(scores.row(i), temperatures[i]);
  return weights;
}

template <class P, class S>
typename P::PlainObject temperature_derivative(const Eigen::MatrixBase<P>& weights,
                                               const Eigen::MatrixBase<S>& scores,
                                               const typename P::Scalar& temperature) {
  detail::require_positive("the temperature", temperature);
  typename P::PlainObject derivative = jacobian_vector_product(weights, scores);
  for (Eigen::Index i = 0; i < derivative.size(); ++i)
    derivative[i] /= -(temperature * temperature);
  return derivative;
}

template <class P, class S, class G>
typename P::Scalar temperature_gradient(const Eigen::MatrixBase<P>& weights,
                                        const Eigen::MatrixBase<S>& scores,
                                        const Eigen::MatrixBase<G>& cotangent,
                                        const typename P::Scalar& temperature) {
  detail::require_same_length(weights, cotangent);
  const typename P::PlainObject derivative = temperature_derivative(weights, scores, temperature);
  typename P::Scalar gradient(0);
  for (Eigen::Index i = 0; i < derivative.size(); ++i) gradient += cotangent[i] * derivative[i];
  return gradient;
}
//! [QueryDependentScale]

//! [SmoothingRaisesGradient]
template <class W>
typename W::Scalar gradient_trace(const Eigen::MatrixBase<W>& weights, unsigned power) {
  return jacobian_trace(sharpened_weights(weights, power)) * power;
}

template <class Real>
Real best_two_key_temperature() {
  using std::abs;
  using std::tanh;
  // Newton's method for f(x) = 2x tanh x − 1, which is convex and increasing for x > 0
  Real x(1);
  for (int i = 0; i < 64; ++i) {
    const Real t = tanh(x);
    const Real step = (2 * x * t - 1) / (2 * t + 2 * x * (1 - t * t));
    x -= step;
    if (abs(step) <= std::numeric_limits<Real>::epsilon()) break;
  }
  return 1 / (2 * x);
}
//! [SmoothingRaisesGradient]

}  // namespace sqrtdk
