// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref softmax_jacobian : the derivative of softmax, and in which sense it
/// vanishes.
#pragma once

#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/softmax.hpp>

#include <Eigen/Core>
#include <boost/math/constants/constants.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <boost/multiprecision/eigen.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace sqrtdk {

/// A square matrix with the scalar of a vector.
template <class Vector>
using JacobianOf =
    Eigen::Matrix<typename Vector::Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor>;

/// J = diag(p) − ppᵀ: the derivative ∂pᵢ/∂xⱼ = pᵢ(δᵢⱼ − pⱼ) of p = softmax(x) by its logits.
///
/// In floating point, entry (i, j) of the Jacobian of computed weights is off by at most
/// jacobian_error_bound(). Implements \ref SoftmaxJacobian.
/// \param weights p, n numbers from 0 to 1, n at least 1; a row or a column.
/// \return an n×n matrix, symmetric.
/// \throws std::invalid_argument if there is no weight.
/// \throws std::domain_error if a weight is not from 0 to 1; NaN is passed on.
template <class P>
JacobianOf<P> softmax_jacobian(const Eigen::MatrixBase<P>& weights);

/// Jv = p ⊙ (v − ⟨p, v⟩): the Jacobian–vector product, without the matrix.
///
/// Implements \ref SoftmaxJacobian.
/// \param weights p, as in softmax_jacobian().
/// \param tangent v, n numbers: the direction in which the logits move.
/// \return n numbers: how fast the weights move.
/// \throws std::invalid_argument if the lengths differ or are 0, std::domain_error as
///         softmax_jacobian().
template <class P, class V>
typename P::PlainObject jacobian_vector_product(const Eigen::MatrixBase<P>& weights,
                                                const Eigen::MatrixBase<V>& tangent);

/// gᵀJ = p ⊙ (g − ⟨p, g⟩): the vector–Jacobian product that backpropagation needs.
///
/// In floating point the error is at most vector_jacobian_error_bound(). Implements
/// \ref SoftmaxJacobian.
/// \param weights   p, as in softmax_jacobian().
/// \param cotangent g, n numbers: the derivative of a loss by the weights.
/// \return n numbers: the derivative of that loss by the logits.
/// \throws std::invalid_argument, std::domain_error as jacobian_vector_product().
template <class P, class G>
typename P::PlainObject vector_jacobian_product(const Eigen::MatrixBase<P>& weights,
                                                const Eigen::MatrixBase<G>& cotangent);

/// The weights after logit j has been raised by ln r: pᵢ r^δᵢⱼ / (1 + pⱼ(r − 1)), without softmax.
///
/// The finite difference that this gives is (r − 1)/(1 + pⱼ(r − 1)) times column j of the Jacobian,
/// exactly. Implements \ref SoftmaxJacobian.
/// \param weights p, as in softmax_jacobian().
/// \param j       which logit, from 0.
/// \param ratio   r = e^h for a step h of the logit, greater than 0.
/// \throws std::invalid_argument if there is no such logit.
/// \throws std::domain_error if the ratio is not greater than 0.
template <class P>
typename P::PlainObject weights_after_raise(const Eigen::MatrixBase<P>& weights, Eigen::Index j,
                                            const typename P::Scalar& ratio);

/// pᵢ(1 − pᵢ): the diagonal of J, each weight's derivative by its own logit.
///
/// Half of the gradient: the other entries of a row add up to as much, with the other sign.
/// Implements \ref ModerateJacobianExample.
/// \param weights p, as in softmax_jacobian().
/// \return n numbers from 0 to ¼.
/// \throws std::invalid_argument, std::domain_error as softmax_jacobian().
template <class P>
typename P::PlainObject jacobian_diagonal(const Eigen::MatrixBase<P>& weights);

/// tr J = 1 − Σpᵢ², which is also the sum of the absolute eigenvalues (the nuclear norm).
///
/// Implements \ref JacobianStructure.
/// \param weights p, as in softmax_jacobian(); their sum must be 1.
template <class P>
typename P::Scalar jacobian_trace(const Eigen::MatrixBase<P>& weights);

/// Σᵢⱼ Jᵢⱼ² = Σp² − 2Σp³ + (Σp²)², the squared Frobenius norm.
///
/// Implements \ref JacobianStructure.
/// \param weights p, as in softmax_jacobian().
template <class P>
typename P::Scalar jacobian_squared_norm(const Eigen::MatrixBase<P>& weights);

/// What is known of the spectral norm of J, its largest eigenvalue.
template <class Scalar>
struct NormBounds {
  Scalar least;     ///< the norm is at least this
  Scalar greatest;  ///< and at most this
};

/// The runner-up's weight ≤ ‖J‖₂ ≤ the smaller of p_max and 2(1 − p_max).
///
/// Implements \ref OneHotJacobianVanishes.
/// \param weights p, as in softmax_jacobian(); their sum must be 1. A single weight has norm 0.
template <class P>
NormBounds<typename P::Scalar> jacobian_norm_bounds(const Eigen::MatrixBase<P>& weights);

/// The spectral norm 1/n of J at n equal weights.
///
/// Implements \ref PeakedVersusUniform.
/// \param count n, at least 2.
/// \throws std::domain_error if n is less than 2.
Rational uniform_jacobian_norm(std::size_t count);

/// nε(1 − ε)/(n − 1), the spectral norm of J at a weight 1 − ε and n − 1 equal others; and the
/// least that it can be at a weight 1 − ε, however the others share ε.
///
/// Implements \ref PeakedVersusUniform.
/// \param count n, at least 2.
/// \param rest  ε, from 0 to 1 − 1/n.
/// \throws std::domain_error if an argument is out of range.
Rational peaked_jacobian_norm(std::size_t count, const Rational& rest);

/// The spectral norm of J, its largest eigenvalue, between two numbers that differ by at most a
/// width: the root λ of Σpᵢ²/(pᵢ − λ) = 1 between the two largest weights, by halving.
///
/// Exact over the rationals. In floating point the sum is rounded, and an interval that cannot be
/// halved any more is returned as it is. Implements \ref WhichNorm and \ref WhereNormsCross.
/// \param weights p, as in softmax_jacobian(); their sum must be 1. A single weight has norm 0.
/// \param width   greater than 0.
/// \throws std::domain_error if the width is not greater than 0.
template <class P>
NormBounds<typename P::Scalar> jacobian_spectral_norm(const Eigen::MatrixBase<P>& weights,
                                                      const typename P::Scalar& width);

/// The three norms of J where weights are known to lie between rational numbers.
struct JacobianNorms {
  Enclosure trace;              ///< tr J, the trace norm
  Enclosure squared_frobenius;  ///< ΣJᵢⱼ², the square of the Frobenius norm
  Enclosure spectral;           ///< the largest eigenvalue
};

/// All three norms of J at softmax(x), x rational: those at rational weights p̃ with sum 1, widened
/// by 2Δ, 3Δ and 3Δ where Δ ≥ Σabs(pᵢ − p̃ᵢ).
///
/// Implements \ref WhichNorm.
/// \param logits x, n numbers, n at least 1.
/// \param width  how far apart the ends of the spectral norm at p̃ may lie, greater than 0.
/// \throws std::invalid_argument if there is no logit, std::domain_error if the width is not
///         greater than 0.
JacobianNorms jacobian_norms(const std::vector<Rational>& logits, const Rational& width);

/// The three norms of ∂softmax(s/c)/∂s = J(softmax(s/c))/c: by the raw scores, not by s/c.
///
/// Implements \ref WhichNorm.
/// \param scores  s, n rational numbers, n at least 1.
/// \param divisor c, greater than 0.
/// \param width   as for jacobian_norms().
/// \throws std::invalid_argument, std::domain_error as jacobian_norms(), or if c is not greater
///         than 0.
JacobianNorms raw_score_jacobian_norms(const std::vector<Rational>& scores, const Rational& divisor,
                                       const Rational& width);

/// Whether p majorizes q wherever in these intervals the weights lie: for every k the k largest
/// lower ends of p sum to at least as much as the k largest upper ends of q. For k = n both sums of
/// weights are 1.
///
/// Implements \ref BenignExampleIsSharper.
/// \param p, q enclosures of equally many weights.
/// \throws std::invalid_argument if the lengths differ.
bool surely_majorizes(const std::vector<Enclosure>& p, const std::vector<Enclosure>& q);

/// \name Two keys
/// For n = 2 all norms of the gradient ∂softmax(s/τ)/∂s are one number, ½ sech²(Δ/2τ)/τ, where Δ is
/// the gap between the scores. For independent scores N(0, v) the gap is N(0, 2v).
/// \{

/// ½ sech²(Δ/2τ)/τ, computed as 2e^(−x)/(1 + e^(−x))²/τ with x = abs(Δ)/τ.
///
/// Implements \ref VanishingGradient.
/// \param gap         Δ, any number.
/// \param temperature τ, greater than 0.
/// \throws std::domain_error if τ is not greater than 0.
template <class Real>
Real two_key_gradient_norm(const Real& gap, const Real& temperature);

/// E ½ sech²(Δ/2τ)/τ for Δ ~ N(0, 2v), by the trapezoidal rule; the relative error is at most
/// two_key_error_bound().
///
/// Implements \ref GradientInTheMean.
/// \param variance    v, the variance of a score, greater than 0.
/// \param temperature τ, greater than 0.
/// \throws std::domain_error if an argument is not greater than 0.
template <class Real>
Real two_key_mean_norm(const Real& variance, const Real& temperature);

/// By which part two_key_mean_norm() can be off: (ℓ²/9 + 64)ε with ℓ = 8 + ln(1/ε), for the ℓ²/π²
/// terms of its sum and the functions in each. Implements \ref MeanGradientIntegrals.
template <class Real>
Real two_key_error_bound();

/// ½ sech²(m/2τ)/τ with m = √(2v) Φ⁻¹(¾), the median of abs(Δ): the median of the norm.
///
/// Implements \ref VanishingGradient.
/// \param variance    v, the variance of a score, greater than 0.
/// \param temperature τ, greater than 0.
/// \throws std::domain_error if an argument is not greater than 0.
template <class Real>
Real two_key_median_norm(const Real& variance, const Real& temperature);

/// (1 − π²τ²/12v)/√(πv) ≤ E norm ≤ 1/√(πv): bounds on two_key_mean_norm() for every v and τ.
///
/// Implements \ref GradientInTheMean.
/// \param variance    v, the variance of a score, greater than 0.
/// \param temperature τ, greater than 0.
template <class Real>
NormBounds<Real> two_key_mean_bounds(const Real& variance, const Real& temperature);
/// \}

/// \name Many keys
/// Scores s = β·Z with Z₁, …, Zₙ independent N(0, 1). The spread β is √d for unscaled scores, 1 for
/// scaled ones, and √d/τ in general. The integrals are taken by the trapezoidal rule; each is off
/// by at most integral_error_bound.
/// \{

/// How far each integral over many keys can be from its value: discretization, tails, rounding.
/// Implements \ref MeanGradientIntegrals.
inline constexpr double integral_error_bound = 0x1p-32;

/// The most keys for which that bound is derived.
inline constexpr std::size_t most_integrable_keys = 4096;

/// E max(Z₁, …, Zₙ) = n(n − 1) ∫ φ²Φ^(n−2).
///
/// Implements \ref GradientInTheMean.
/// \param count n, from 2 to most_integrable_keys.
/// \throws std::domain_error if n is out of range.
double expected_maximum(std::size_t count);

/// E tr J(p) = 1 − E Σpᵢ² for p = softmax(βZ), from E Σp² = n ∫ ψ₂ψ₀^(n−1) dv, where
/// ψ_k(v) = E exp(ky − e^y) and y = v + βZ.
///
/// Implements \ref GradientInTheMean.
/// \param count  n, from 2 to most_integrable_keys.
/// \param spread β, from ½ to 64.
/// \throws std::domain_error if an argument is out of range.
double mean_jacobian_trace(std::size_t count, double spread);

/// E‖J‖_F² = E Σp² − 2E Σp³ + E(Σp²)² for p = softmax(βZ), the mean square of the Frobenius norm,
/// from n∫ψ₂ψ₀^(n−1), ½n∫ψ₃ψ₀^(n−1), ⅙n∫ψ₄ψ₀^(n−1) and ⅙n(n − 1)∫ψ₂²ψ₀^(n−2).
///
/// Implements \ref WhichNorm.
/// \param count  n, from 2 to most_integrable_keys.
/// \param spread β, from ½ to 64.
/// \throws std::domain_error if an argument is out of range.
double mean_jacobian_squared_norm(std::size_t count, double spread);

/// E ΣZᵢpᵢ for p = softmax(βZ), the mean score that is attended to: n ∫ E[Z exp(y − e^y)] ψ₀^(n−1)
/// dv, a route that shares only ψ₀ with mean_jacobian_trace().
///
/// Implements \ref GradientInTheMean.
/// \param count  n, from 2 to most_integrable_keys.
/// \param spread β, from ½ to 64.
/// \throws std::domain_error if an argument is out of range.
double mean_attended_score(std::size_t count, double spread);

/// E M/β − ln n/β² ≤ E tr J ≤ the smaller of 1 − 1/n and E M/β, where M is the maximum of the Zᵢ.
///
/// Implements \ref GradientInTheMean.
/// \param count  n, from 2 to most_integrable_keys.
/// \param spread β, greater than 0.
/// \throws std::domain_error if an argument is out of range.
NormBounds<double> mean_trace_bounds(std::size_t count, double spread);

/// −ln n − min(β²/2, β E M) ≤ E ln pⱼ ≤ −max(ln n, β E M): the logarithm of a typical weight.
///
/// Implements \ref TypicalKeyGetsNoGradient.
/// \param count  n, from 2 to most_integrable_keys.
/// \param spread β, greater than 0.
/// \throws std::domain_error if an argument is out of range.
NormBounds<double> mean_log_weight_bounds(std::size_t count, double spread);
/// \}

// ------------------------------------------------------------------------------------------------

namespace detail {

template <class P>
void require_weights(const Eigen::MatrixBase<P>& weights) {
  static_assert(P::IsVectorAtCompileTime, "weights are a row or a column");
  if (weights.size() == 0)
    throw std::invalid_argument("the number of weights is 0, but must be at least 1");
  for (Eigen::Index i = 0; i < weights.size(); ++i)
    if (weights[i] < 0 || weights[i] > 1)
      throw std::domain_error("a weight is " + shown(weights[i]) + ", but must be from 0 to 1");
}

template <class P, class V>
void require_same_length(const Eigen::MatrixBase<P>& weights, const Eigen::MatrixBase<V>& vector) {
  if (weights.size() != vector.size())
    throw std::invalid_argument("there are " + std::to_string(weights.size()) +
                                " weights but a vector of length " + std::to_string(vector.size()) +
                                "; they must be equally long");
}

template <class Real>
void require_positive(const Real& value, const char* name) {
  if (!(value > 0))
    throw std::domain_error(std::string(name) + " is " + shown(value) +
                            ", but must be greater than 0");
}

inline void require_keys(std::size_t count) {
  if (count < 2 || count > most_integrable_keys)
    throw std::domain_error("the number of keys is " + std::to_string(count) +
                            ", but must be from 2 to " + std::to_string(most_integrable_keys));
}

inline void require_spread(double spread) {
  if (!(spread >= 0.5 && spread <= 64))
    throw std::domain_error("the spread is " + shown(spread) + ", but must be from 1/2 to 64");
}

/// ℓ = 8 + ln(1/ε): e^(−ℓ) is what the trapezoidal rules may lose.
template <class Real>
Real digits_kept() {
  using std::log;
  return 8 - log(std::numeric_limits<Real>::epsilon());
}

inline double sum_of(const Eigen::ArrayXd& terms) {
  return pairwise_sum(
      std::span<const double>(terms.data(), static_cast<std::size_t>(terms.size())));
}

//! [MeanGradientIntegrals]
/// What is integrated over v = ln t for n scores βZ, on a grid of step 1/8.
struct KeyIntegrals {
  double squares = 0;         ///< E Σpᵢ²
  double cubes = 0;           ///< E Σpᵢ³
  double squared_square = 0;  ///< E(Σpᵢ²)²
  double attended = 0;        ///< E ΣZᵢpᵢ

  KeyIntegrals(std::size_t count, double spread) {
    require_keys(count);
    require_spread(spread);
    constexpr double h = 0.125;
    const auto reach = static_cast<Eigen::Index>(std::ceil(9 * spread / h));  // ±9 deviations
    const Eigen::Index first = -reach - static_cast<Eigen::Index>(40 / h);
    const Eigen::Index last = reach + static_cast<Eigen::Index>(5 / h);

    // Pass 1: the normal density on the grid, and exp(ky − e^y) wherever it is needed.
    const Eigen::ArrayXd z =
        Eigen::ArrayXd::LinSpaced(2 * reach + 1, -double(reach), double(reach)) * (h / spread);
    const Eigen::ArrayXd density =
        (-0.5 * z.square()).exp() *
        (h / spread / std::sqrt(boost::math::constants::two_pi<double>()));
    const Eigen::Index low = first - reach;
    const Eigen::ArrayXd y =
        Eigen::ArrayXd::LinSpaced(last + reach - low + 1, double(low), double(last + reach)) * h;
    const Eigen::ArrayXd weight = y.min(700).exp();
    // What is below e^(−100) cannot be seen beside the largest, 1.
    const Eigen::ArrayXd psi0 = (weight > 100).select(0, (-weight).exp());

    // Pass 2: ψ₀, …, ψ₄ and E[Z exp(y − e^y)] at each v, then the integrals.
    const double n = static_cast<double>(count);
    const Eigen::Index places = last - first + 1;
    Eigen::ArrayXd second(places), third(places), fourth(places), z_terms(places);
    Eigen::ArrayXd terms(z.size()), weighted(z.size());
    for (Eigen::Index v = 0; v < places; ++v) {
      const Eigen::Index at = first + v - reach - low;
      const auto e = weight.segment(at, z.size());
      terms = density * psi0.segment(at, z.size());
      const double none = sum_of(terms);
      const double others = std::pow(none, n - 1);
      terms *= e;
      weighted = terms * z;
      z_terms[v] = sum_of(weighted) * others;
      terms *= e;
      const double twice = sum_of(terms);
      second[v] = twice * others;
      terms *= e;
      third[v] = sum_of(terms) * others / 2;
      terms *= e;
      fourth[v] = (sum_of(terms) * others + (n - 1) * twice * twice * std::pow(none, n - 2)) / 6;
    }
    squares = n * h * sum_of(second);
    cubes = n * h * sum_of(third);
    squared_square = n * h * sum_of(fourth);
    attended = n * h * sum_of(z_terms);
  }
};
//! [MeanGradientIntegrals]

}  // namespace detail

//! [SoftmaxJacobian]
template <class P>
JacobianOf<P> softmax_jacobian(const Eigen::MatrixBase<P>& weights) {
  using Scalar = typename P::Scalar;
  detail::require_weights(weights);
  const Eigen::Index n = weights.size();
  JacobianOf<P> jacobian(n, n);
  // ∂pᵢ/∂xⱼ = pᵢ(δᵢⱼ − pⱼ)
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
  // gᵀJ = p ⊙ (g − ⟨p, g⟩)
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
  detail::require_positive(ratio, "the ratio");
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
NormBounds<typename P::Scalar> jacobian_norm_bounds(const Eigen::MatrixBase<P>& weights) {
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
  if (count < 2)
    throw std::domain_error("the number of weights is " + std::to_string(count) +
                            ", but must be at least 2 for a gradient");
  return Rational(1) / Rational(count);
}

inline Rational peaked_jacobian_norm(std::size_t count, const Rational& rest) {
  const Rational uniform = uniform_jacobian_norm(count);
  if (rest < 0 || rest > 1 - uniform)
    throw std::domain_error("the weight of the others is " + rest.str() +
                            ", but must be from 0 to " + Rational(1 - uniform).str());
  return rest * (1 - rest) / (1 - uniform);  // n/(n − 1) = 1/(1 − 1/n)
}
//! [PeakedVersusUniform]

//! [WhereNormsCross]
template <class P>
NormBounds<typename P::Scalar> jacobian_spectral_norm(const Eigen::MatrixBase<P>& weights,
                                                      const typename P::Scalar& width) {
  using Scalar = typename P::Scalar;
  detail::require_positive(width, "the width");
  // The largest eigenvalue lies between the runner-up and the largest weight.
  Scalar low = jacobian_norm_bounds(weights).least;
  Scalar high = weights.maxCoeff();
  while (high - low > width) {
    const Scalar middle = (low + high) / 2;
    if (!(low < middle && middle < high)) break;
    Scalar sum(0);  // Σpᵢ²/(pᵢ − λ) rises through 1 at the eigenvalue
    for (Eigen::Index i = 0; i < weights.size(); ++i)
      sum += weights[i] * weights[i] / (weights[i] - middle);
    (sum < 1 ? low : high) = middle;
  }
  return {low, high};
}
//! [WhereNormsCross]

//! [WhichNorm]
inline JacobianNorms jacobian_norms(const std::vector<Rational>& logits, const Rational& width) {
  const std::vector<Enclosure> exact = softmax_enclosure(logits);
  // p̃: lower ends, and for the largest weight what the others leave of 1
  Eigen::Matrix<Rational, Eigen::Dynamic, 1> p(static_cast<Eigen::Index>(exact.size()));
  Rational off = 0, sum = 0;
  Eigen::Index top = 0;
  for (Eigen::Index i = 0; i < p.size(); ++i) {
    const Enclosure& weight = exact[static_cast<std::size_t>(i)];
    p[i] = weight.low;
    off += 2 * (weight.high - weight.low);  // Δ
    sum += p[i];
    if (p[i] > p[top]) top = i;
  }
  p[top] += 1 - sum;
  const auto around = [&](const Rational& least, const Rational& greatest, int factor) {
    return Enclosure{least - factor * off, greatest + factor * off};
  };
  const Rational trace = jacobian_trace(p), square = jacobian_squared_norm(p);
  const auto [least, greatest] = jacobian_spectral_norm(p, width);
  return {around(trace, trace, 2), around(square, square, 3), around(least, greatest, 3)};
}

inline JacobianNorms raw_score_jacobian_norms(const std::vector<Rational>& scores,
                                              const Rational& divisor, const Rational& width) {
  detail::require_positive(divisor, "the divisor");
  std::vector<Rational> logits = scores;
  for (Rational& logit : logits) logit /= divisor;
  JacobianNorms norms = jacobian_norms(logits, width);
  // The chain rule: ∂(s/c)/∂s = 1/c
  for (Enclosure* norm : {&norms.trace, &norms.spectral})
    *norm = {norm->low / divisor, norm->high / divisor};
  const Rational square = divisor * divisor;
  norms.squared_frobenius = {norms.squared_frobenius.low / square,
                             norms.squared_frobenius.high / square};
  return norms;
}

inline double mean_jacobian_squared_norm(std::size_t count, double spread) {
  const detail::KeyIntegrals mean(count, spread);
  return mean.squares - 2 * mean.cubes + mean.squared_square;
}
//! [WhichNorm]

//! [BenignExampleIsSharper]
inline bool surely_majorizes(const std::vector<Enclosure>& p, const std::vector<Enclosure>& q) {
  if (p.size() != q.size())
    throw std::invalid_argument("there are " + std::to_string(p.size()) + " and " +
                                std::to_string(q.size()) +
                                " weights, but must be equally many to be compared");
  std::vector<Rational> least, greatest;
  for (const Enclosure& weight : p) least.push_back(weight.low);
  for (const Enclosure& weight : q) greatest.push_back(weight.high);
  std::sort(least.rbegin(), least.rend());
  std::sort(greatest.rbegin(), greatest.rend());
  Rational of_p = 0, of_q = 0;
  for (std::size_t k = 0; k + 1 < p.size(); ++k) {
    of_p += least[k];
    of_q += greatest[k];
    if (of_p < of_q) return false;
  }
  return true;
}
//! [BenignExampleIsSharper]

//! [VanishingGradient]
template <class Real>
Real two_key_gradient_norm(const Real& gap, const Real& temperature) {
  using std::abs;
  using std::exp;
  detail::require_positive(temperature, "the temperature");
  const Real ratio = exp(-abs(gap) / temperature);
  return 2 * ratio / ((1 + ratio) * (1 + ratio)) / temperature;
}

template <class Real>
Real two_key_median_norm(const Real& variance, const Real& temperature) {
  using std::sqrt;
  detail::require_positive(variance, "the variance");
  // Φ⁻¹(¾) = √2 erf⁻¹(½)
  const Real median_gap = 2 * sqrt(variance) * boost::math::erf_inv(Real(1) / 2);
  return two_key_gradient_norm(median_gap, temperature);
}
//! [VanishingGradient]

//! [GradientInTheMean]
template <class Real>
Real two_key_mean_norm(const Real& variance, const Real& temperature) {
  using std::exp;
  using std::min;
  using std::sqrt;
  detail::require_positive(variance, "the variance");
  detail::require_positive(temperature, "the temperature");
  // (1/τσ) ∫ ½ sech²(u/2) φ(u/σ) du with σ = √(2v)/τ; analytic for abs(Im u) < π
  const Real sigma = sqrt(2 * variance) / temperature;
  const Real digits = detail::digits_kept<Real>();
  const Real strip = min<Real>(boost::math::constants::half_pi<Real>(), 2 * sigma);
  const Real step = boost::math::constants::two_pi<Real>() * strip / digits;
  const Real reach = min<Real>(digits, sigma * sqrt(2 * digits));
  Real sum = Real(1) / 4;  // half of the term at 0
  for (Real u = step; u < reach; u += step) {
    const Real z = u / sigma;
    sum += two_key_gradient_norm<Real>(u, 1) * exp(-z * z / 2);
  }
  return 2 * step * sum / (temperature * sigma * boost::math::constants::root_two_pi<Real>());
}

template <class Real>
NormBounds<Real> two_key_mean_bounds(const Real& variance, const Real& temperature) {
  using std::sqrt;
  detail::require_positive(variance, "the variance");
  detail::require_positive(temperature, "the temperature");
  const Real pi = boost::math::constants::pi<Real>();
  const Real greatest = 1 / sqrt(pi * variance);
  return {(1 - pi * pi * temperature * temperature / (12 * variance)) * greatest, greatest};
}

inline double mean_jacobian_trace(std::size_t count, double spread) {
  return 1 - detail::KeyIntegrals(count, spread).squares;
}

inline double mean_attended_score(std::size_t count, double spread) {
  return detail::KeyIntegrals(count, spread).attended;
}

inline NormBounds<double> mean_trace_bounds(std::size_t count, double spread) {
  detail::require_positive(spread, "the spread");
  const double n = static_cast<double>(count);
  const double greatest = expected_maximum(count) / spread;
  return {greatest - std::log(n) / (spread * spread), std::min(1 - 1 / n, greatest)};
}
//! [GradientInTheMean]

//! [TypicalKeyGetsNoGradient]
inline NormBounds<double> mean_log_weight_bounds(std::size_t count, double spread) {
  detail::require_positive(spread, "the spread");
  const double log_count = std::log(static_cast<double>(count));
  const double maximum = spread * expected_maximum(count);
  return {-log_count - std::min(spread * spread / 2, maximum), -std::max(log_count, maximum)};
}
//! [TypicalKeyGetsNoGradient]

template <class Real>
Real two_key_error_bound() {
  const Real digits = detail::digits_kept<Real>();
  return (digits * digits / 9 + 64) * std::numeric_limits<Real>::epsilon();
}

inline double expected_maximum(std::size_t count) {
  detail::require_keys(count);
  constexpr Eigen::Index reach = 9 * 1024;
  Eigen::ArrayXd terms(2 * reach + 1);
  const double n = static_cast<double>(count);
  for (Eigen::Index i = -reach; i <= reach; ++i) {
    const double x = static_cast<double>(i) / 1024;
    const double below = std::erfc(-x / boost::math::constants::root_two<double>()) / 2;
    terms[i + reach] = std::exp(-x * x) * std::pow(below, n - 2);
  }
  return n * (n - 1) / boost::math::constants::two_pi<double>() * detail::sum_of(terms) / 1024;
}

}  // namespace sqrtdk
