// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref softmax_jacobian : the derivative of softmax, and its vanishing.
///
/// Its norms in the mean over random scores are in softmax_jacobian/mean_norms.hpp, those at rational
/// logits, between rational numbers, in softmax_jacobian/norms.hpp.
#pragma once

#include <sqrtdk/numbers/float_environment.hpp>
#include <sqrtdk/numbers/interval.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/numbers/require.hpp>

#include <Eigen/Core>
#include <boost/multiprecision/eigen.hpp>

#include <cstddef>
#include <stdexcept>
#include <string>

namespace sqrtdk {

/// A square matrix with the scalar of a vector.
template <class Vector>
using JacobianOf =
    Eigen::Matrix<typename Vector::Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor>;

namespace detail {

/// Refuses what no softmax gives; NaN is passed on.
/// \throws std::invalid_argument if there is no weight.
/// \throws std::domain_error if a weight is not from 0 to 1.
template <class P>
void require_weights(const Eigen::MatrixBase<P>& weights);

/// Refuses a vector that has not one number for each weight, by a std::invalid_argument.
template <class P, class V>
void require_same_length(const Eigen::MatrixBase<P>& weights, const Eigen::MatrixBase<V>& vector);

}  // namespace detail

/// J = diag(p) − ppᵀ: the derivative ∂pᵢ/∂xⱼ = pᵢ(δᵢⱼ − pⱼ) of p = softmax(x) by its logits. For
/// computed weights, entry (i, j) is off by jacobian_error_bound() at most.
/// \param weights p, n numbers from 0 to 1, n at least 1; a row or a column.
/// \return an n×n matrix, symmetric.
/// \throws std::invalid_argument if there is no weight.
/// \throws std::domain_error if a weight is not from 0 to 1; NaN is passed on.
/// \implements{SoftmaxJacobian}
template <class P>
JacobianOf<P> softmax_jacobian(const Eigen::MatrixBase<P>& weights);

/// Jv = p ⊙ (v − ⟨p, v⟩): the Jacobian–vector product, without the matrix.
/// \param weights p, as in softmax_jacobian().
/// \param tangent v, n numbers: the direction in which the logits move.
/// \return n numbers: how fast the weights move.
/// \throws std::invalid_argument if the lengths differ or are 0.
/// \throws std::domain_error as softmax_jacobian().
/// \implements{SoftmaxJacobian}
template <class P, class V>
typename P::PlainObject jacobian_vector_product(const Eigen::MatrixBase<P>& weights,
                                                const Eigen::MatrixBase<V>& tangent);

/// gᵀJ = p ⊙ (g − ⟨p, g⟩): the vector–Jacobian product that backpropagation needs.
/// \param weights   p, as in softmax_jacobian().
/// \param cotangent g, n numbers: the derivative of a loss with respect to the weights.
/// \return n numbers: the derivative of that loss with respect to the logits.
/// \throws std::invalid_argument as jacobian_vector_product().
/// \throws std::domain_error as jacobian_vector_product().
/// \maxerror{vector_jacobian_error_bound}
/// \implements{SoftmaxJacobian}
template <class P, class G>
typename P::PlainObject vector_jacobian_product(const Eigen::MatrixBase<P>& weights,
                                                const Eigen::MatrixBase<G>& cotangent);

/// The weights after logit j has been raised by ln r: pᵢ r^δᵢⱼ / (1 + pⱼ(r − 1)), without softmax.
///
/// The finite difference is (r − 1)/(1 + pⱼ(r − 1)) times column j of the Jacobian, exactly.
///
/// \param weights p, as in softmax_jacobian().
/// \param j       which logit, from 0.
/// \param ratio   r = e^h for a step h of the logit, greater than 0.
/// \throws std::invalid_argument if there is no such logit.
/// \throws std::domain_error if the ratio is not greater than 0, or a weight is not from 0 to 1.
/// \implements{SoftmaxJacobian}
template <class P>
typename P::PlainObject weights_after_raise(const Eigen::MatrixBase<P>& weights, Eigen::Index j,
                                            const typename P::Scalar& ratio);

/// pᵢ(1 − pᵢ): the diagonal of J, each weight's derivative with respect to its own logit.
///
/// Half of the gradient: the other entries of a row add up to as much, with the other sign.
///
/// \param weights p, as in softmax_jacobian().
/// \return n numbers from 0 to ¼.
/// \throws std::invalid_argument as softmax_jacobian().
/// \throws std::domain_error as softmax_jacobian().
/// \implements{ModerateJacobianExample}
template <class P>
typename P::PlainObject jacobian_diagonal(const Eigen::MatrixBase<P>& weights);

/// tr J = 1 − Σpᵢ², which is also the sum of the absolute eigenvalues (the nuclear norm).
/// \param weights p, as in softmax_jacobian(); their sum must be 1.
/// \throws std::invalid_argument as softmax_jacobian().
/// \throws std::domain_error as softmax_jacobian().
/// \implements{JacobianStructure}
template <class P>
typename P::Scalar jacobian_trace(const Eigen::MatrixBase<P>& weights);

/// Σᵢⱼ Jᵢⱼ² = Σp² − 2Σp³ + (Σp²)², the squared Frobenius norm.
/// \param weights p, as in softmax_jacobian().
/// \throws std::invalid_argument as softmax_jacobian().
/// \throws std::domain_error as softmax_jacobian().
/// \implements{JacobianStructure}
template <class P>
typename P::Scalar jacobian_squared_norm(const Eigen::MatrixBase<P>& weights);

/// The runner-up's weight ≤ ‖J‖₂ ≤ the smaller of p_max and 2(1 − p_max).
/// \param weights p, as in softmax_jacobian(); their sum must be 1. A single weight has norm 0.
/// \throws std::invalid_argument as softmax_jacobian().
/// \throws std::domain_error as softmax_jacobian().
/// \implements{OneHotJacobianVanishes}
template <class P>
Interval<typename P::Scalar> jacobian_norm_bounds(const Eigen::MatrixBase<P>& weights);

/// The spectral norm 1/n of J at n equal weights.
/// \param count n, at least 2.
/// \throws std::domain_error if n is less than 2.
/// \implements{PeakedVersusUniform}
Rational uniform_jacobian_norm(std::size_t count);

/// nε(1 − ε)/(n − 1), the spectral norm of J at a weight 1 − ε and n − 1 equal others; and the
/// least that it can be at a weight 1 − ε, however the others share ε.
/// \param count n, at least 2.
/// \param rest  ε, from 0 to 1 − 1/n.
/// \throws std::domain_error if an argument is out of range.
/// \implements{PeakedVersusUniform}
Rational peaked_jacobian_norm(std::size_t count, const Rational& rest);

/// The spectral norm of J, its largest eigenvalue, between two numbers that differ by at most a
/// width: the root λ of Σpᵢ²/(pᵢ − λ) = 1 between the two largest weights, by halving.
///
/// Exact over the rationals. In floating point the sum is rounded, and an interval that cannot be
/// halved any more is returned as it is.
///
/// \param weights p, as in softmax_jacobian(); their sum must be 1. A single weight has norm 0.
/// \param width   greater than 0.
/// \throws std::invalid_argument as softmax_jacobian().
/// \throws std::domain_error as softmax_jacobian(), or if the width is not greater than 0.
/// \implements{WhereNormsCross}
template <class P>
Interval<typename P::Scalar> jacobian_spectral_norm(const Eigen::MatrixBase<P>& weights,
                                                    const typename P::Scalar& width);

// Implementation

namespace detail {

template <class P>
void require_weights(const Eigen::MatrixBase<P>& weights) {
  static_assert(P::IsVectorAtCompileTime, "weights are a row or a column");
  require_size("weights", weights.size(), 1);
  const typename P::Scalar zero(0), one(1);
  for (Eigen::Index i = 0; i < weights.size(); ++i)
    if (weights[i] < zero || weights[i] > one) require_in("a weight", weights[i], zero, one);
}

template <class P, class V>
void require_same_length(const Eigen::MatrixBase<P>& weights, const Eigen::MatrixBase<V>& vector) {
  if (weights.size() != vector.size())
    throw std::invalid_argument("there are " + std::to_string(weights.size()) +
                                " weights but a vector of length " + std::to_string(vector.size()) +
                                "; they must be equally long");
}

}  // namespace detail

//! [SoftmaxJacobian]
template <class P>
JacobianOf<P> softmax_jacobian(const Eigen::MatrixBase<P>& weights) {
  using Scalar = typename P::Scalar;
  detail::require_weights(weights);
  const Eigen::Index n = weights.size();
  JacobianOf<P> jacobian(n, n);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < n; ++j)
      jacobian(i, j) = weights[i] * (Scalar(i == j ? 1 : 0) - weights[j]);
  return jacobian;
}

template <class P, class G>
typename P::PlainObject vector_jacobian_product(const Eigen::MatrixBase<P>& weights,
                                                const Eigen::MatrixBase<G>& cotangent) {
  detail::require_weights(weights);
  detail::require_same_length(weights, cotangent);
  using Scalar = typename P::Scalar;
  Scalar mean(0);
  for (Eigen::Index i = 0; i < weights.size(); ++i) mean += weights[i] * cotangent[i];
  typename P::PlainObject product = weights;
  for (Eigen::Index i = 0; i < weights.size(); ++i) product[i] *= cotangent[i] - mean;
  return product;
}

template <class P, class V>
typename P::PlainObject jacobian_vector_product(const Eigen::MatrixBase<P>& weights,
                                                const Eigen::MatrixBase<V>& tangent) {
  return vector_jacobian_product(weights, tangent);  // J is symmetric
}

template <class P>
typename P::PlainObject weights_after_raise(const Eigen::MatrixBase<P>& weights, Eigen::Index j,
                                            const typename P::Scalar& ratio) {
  using Scalar = typename P::Scalar;
  detail::require_weights(weights);
  detail::require_positive("the ratio", ratio);
  if (j < 0 || j >= weights.size())
    throw std::invalid_argument("there is no logit " + std::to_string(j) + " among " +
                                std::to_string(weights.size()));
  typename P::PlainObject raised = weights;
  raised[j] *= ratio;
  const Scalar sum = 1 + weights[j] * (ratio - 1);
  for (Eigen::Index i = 0; i < raised.size(); ++i) raised[i] /= sum;
  return raised;
}
//! [SoftmaxJacobian]

//! [ModerateJacobianExample]
template <class P>
typename P::PlainObject jacobian_diagonal(const Eigen::MatrixBase<P>& weights) {
  detail::require_weights(weights);
  typename P::PlainObject diagonal = weights;
  for (Eigen::Index i = 0; i < diagonal.size(); ++i) diagonal[i] *= 1 - weights[i];
  return diagonal;
}
//! [ModerateJacobianExample]

//! [JacobianStructure]
template <class P>
typename P::Scalar jacobian_trace(const Eigen::MatrixBase<P>& weights) {
  detail::require_weights(weights);
  typename P::Scalar squares(0);
  for (Eigen::Index i = 0; i < weights.size(); ++i) squares += weights[i] * weights[i];
  return 1 - squares;
}

template <class P>
typename P::Scalar jacobian_squared_norm(const Eigen::MatrixBase<P>& weights) {
  detail::require_weights(weights);
  // Σpᵢ²(1 − pᵢ)² + Σ_{i≠j} pᵢ²pⱼ², free of cancellation: the rest of Σp² is added up without pᵢ²
  typename P::Scalar diagonal(0), squares(0), crosses(0);
  for (Eigen::Index i = 0; i < weights.size(); ++i) {
    const typename P::Scalar square = weights[i] * weights[i];
    const typename P::Scalar rest = 1 - weights[i];
    diagonal += square * rest * rest;
    crosses += 2 * square * squares;
    squares += square;
  }
  return diagonal + crosses;
}
//! [JacobianStructure]

//! [OneHotJacobianVanishes]
template <class P>
Interval<typename P::Scalar> jacobian_norm_bounds(const Eigen::MatrixBase<P>& weights) {
  using Scalar = typename P::Scalar;
  detail::require_weights(weights);
  Scalar first(0), second(0);
  for (Eigen::Index i = 0; i < weights.size(); ++i)
    if (weights[i] > first) {
      second = first;
      first = weights[i];
    } else if (weights[i] > second) {
      second = weights[i];
    }
  const Scalar rest = 2 * (1 - first);
  return {second, rest < first ? rest : first};
}
//! [OneHotJacobianVanishes]

//! [PeakedVersusUniform]
inline Rational uniform_jacobian_norm(std::size_t count) {
  detail::require_that(count >= 2, "the number of weights", count, "be at least 2 for a gradient");
  return Rational(1) / Rational(count);
}

inline Rational peaked_jacobian_norm(std::size_t count, const Rational& rest) {
  const Rational uniform = uniform_jacobian_norm(count);
  detail::require_in("the weight of the others", rest, 0, Rational(1 - uniform));
  return rest * (1 - rest) / (1 - uniform);  // n/(n − 1) = 1/(1 − 1/n)
}
//! [PeakedVersusUniform]

//! [WhereNormsCross]
template <class P>
Interval<typename P::Scalar> jacobian_spectral_norm(const Eigen::MatrixBase<P>& weights,
                                                    const typename P::Scalar& width) {
  using Scalar = typename P::Scalar;
  detail::require_positive("the width", width);
  Scalar lower = jacobian_norm_bounds(weights).lower;
  Scalar upper = weights.maxCoeff();
  while (upper - lower > width) {
    const Scalar middle = (lower + upper) / 2;
    if (!(lower < middle && middle < upper)) break;
    Scalar sum(0);  // Σpᵢ²/(pᵢ − λ) rises through 1 at the eigenvalue
    for (Eigen::Index i = 0; i < weights.size(); ++i)
      sum += weights[i] * weights[i] / (weights[i] - middle);
    (sum < 1 ? lower : upper) = middle;
  }
  return {lower, upper};
}
//! [WhereNormsCross]

}  // namespace sqrtdk
