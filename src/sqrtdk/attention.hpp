// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref attention : attention and its gradient; costs: attention/operations.hpp.
#pragma once

#include <sqrtdk/attention/pass.hpp>
#include <sqrtdk/numbers/columns.hpp>
#include <sqrtdk/numbers/require.hpp>
#include <sqrtdk/softmax.hpp>

#include <Eigen/Core>

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace sqrtdk {

/// The result of scaled_dot_product_attention().
template <class Scalar>
struct AttentionResult {
  using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;  ///< any matrix of Scalar
  Matrix output;   ///< O, n × d_v: a row for each query
  Matrix weights;  ///< n × m if they were asked for, else empty; 0 for masked keys
};

/// The derivatives of a loss with respect to the arguments of attention.
template <class Scalar>
struct AttentionGradient {
  using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;  ///< any matrix of Scalar
  Matrix queries;  ///< ∂ℓ/∂Q, n × d as Q is
  Matrix keys;     ///< ∂ℓ/∂K, m × d as K is
  Matrix values;   ///< ∂ℓ/∂V, m × d_v as V is
};

/// Weights from scores by softmax(): the weighting that attention is defined with.
struct SoftmaxWeighting {
  /// softmax(scores).
  /// \param scores a column of at least one number.
  /// \throws std::invalid_argument as softmax().
  /// \throws std::domain_error as softmax().
  template <class Derived>
  auto operator()(const Eigen::MatrixBase<Derived>& scores) const {
    return softmax(scores);
  }
};

/// The scaled scores QKᵀ/√d, without masks.
///
/// Each is off by score_error_bound() at most; one that overflows is infinite or NaN.
///
/// \param queries Q, n × d, d at least 1; a row is a query.
/// \param keys    K, m × d; a row is a key.
/// \param scale   what the products are multiplied by; if none is given they are divided by √d.
/// \return n × m scores, in the type that is computed with.
/// \throws std::invalid_argument if the widths differ or are 0; the message names both shapes.
/// \throws std::domain_error if √d is needed, is not rational, and the numbers are.
template <class Queries, class Keys>
auto attention_scores(const Eigen::MatrixBase<Queries>& queries,
                      const Eigen::MatrixBase<Keys>& keys,
                      const std::optional<Compute<typename Queries::Scalar>>& scale = {});

/// The scale moved to the queries, Q/√d or Q times the scale: with these, attention's scale is 1.
/// \param queries Q, n × d, d at least 1.
/// \param scale   as in attention_scores().
/// \return n × d numbers.
/// \throws std::invalid_argument as attention_scores().
/// \throws std::domain_error as attention_scores().
/// \implements{ScaleFoldsIntoQueries}
template <class Queries>
auto fold_scale(const Eigen::MatrixBase<Queries>& queries,
                const std::optional<Compute<typename Queries::Scalar>>& scale = {});

/// The attention weights softmax(QKᵀ/√d), row by row over the keys that are not masked.
/// \param queries   Q, n × d, d at least 1.
/// \param keys      K, m × d.
/// \param options   scale and masks.
/// \param weighting what makes weights of scores; softmax, or a rational one for exact arithmetic.
/// \return n × m weights, 0 for masked keys; a row without any key to attend to is all 0.
/// \throws std::invalid_argument if shapes do not fit; the message names both.
/// \throws std::domain_error if a score that is not masked is no finite number although the query,
///                           the key, the scale and the bias are, or if it is +∞, or if a row has
///                           no other than −∞.
/// \implements{AttentionWeightsAreProbabilities}
/// \relatesalso AttentionOptions
template <class Queries, class Keys, class Weighting = SoftmaxWeighting>
auto attention_weights(const Eigen::MatrixBase<Queries>& queries,
                       const Eigen::MatrixBase<Keys>& keys,
                       const AttentionOptions<Compute<typename Queries::Scalar>>& options = {},
                       const Weighting& weighting = {});

/// Scaled dot-product attention softmax(QKᵀ/√d)V, a row for each query.
///
/// Rows are queries, keys and values, as models store them. With columns instead, the scores are
/// KᵀQ, or QᵀK in S1's order: the same formula for the transposed matrices.
///
/// A masked key and its value are never looked at: they may hold anything, NaN included. A query
/// that may see no key has weights, output and gradient 0, the empty sum. Needs O(m) memory apart
/// from copies of the arguments and weights.
///
/// \param queries   Q, n × d, d at least 1.
/// \param keys      K, m × d.
/// \param values    V, m × d_v.
/// \param options   scale, masks, and whether weights are returned.
/// \param weighting what makes weights of scores; softmax, or a rational one for exact arithmetic.
/// \return the n × d_v output, with the weights if they were asked for; a NaN in a query, or in a
///         key or value that it sees, makes its output NaN.
/// \throws std::invalid_argument if shapes do not fit; the message names both.
/// \throws std::domain_error as attention_weights(), for scores that overflow.
/// \source{vaswani2017}, section 3.2.1.
/// \maxerror{attention_error_bound}
/// \implements{ScaledDotProductAttention}
/// \relatesalso AttentionResult
template <class Queries, class Keys, class Values, class Weighting = SoftmaxWeighting>
AttentionResult<typename Queries::Scalar> scaled_dot_product_attention(
    const Eigen::MatrixBase<Queries>& queries, const Eigen::MatrixBase<Keys>& keys,
    const Eigen::MatrixBase<Values>& values,
    const AttentionOptions<Compute<typename Queries::Scalar>>& options = {},
    const Weighting& weighting = {});

/// The backward pass: from the derivative G of a loss with respect to the output, with P the
/// weights, dV = PᵀG, dS = P ⊙ (GVᵀ − rowsum(P ⊙ GVᵀ)), dQ = dS K/√d, dK = dSᵀQ/√d.
///
/// Masked keys and values are never looked at, and get no gradient from a query that does not see
/// them.
///
/// \param queries         Q, n × d, d at least 1.
/// \param keys            K, m × d.
/// \param values          V, m × d_v.
/// \param output_gradient G, n × d_v.
/// \param options         scale and masks of the forward pass; return_weights does nothing here.
/// \param weighting       what made weights of scores in the forward pass; for powers of another
///                        base b than e the derivatives with respect to queries and keys come out
///                        divided by ln b.
/// \return dQ, n × d, dK, m × d, and dV, m × d_v.
/// \throws std::invalid_argument as scaled_dot_product_attention().
/// \throws std::domain_error as scaled_dot_product_attention().
/// \maxerror{attention_gradient_error_bound}
/// \implements{ScaledDotProductAttention}
/// \relatesalso AttentionGradient
template <class Queries, class Keys, class Values, class Outputs,
          class Weighting = SoftmaxWeighting>
AttentionGradient<typename Queries::Scalar> attention_gradient(
    const Eigen::MatrixBase<Queries>& queries, const Eigen::MatrixBase<Keys>& keys,
    const Eigen::MatrixBase<Values>& values, const Eigen::MatrixBase<Outputs>& output_gradient,
    const AttentionOptions<Compute<typename Queries::Scalar>>& options = {},
    const Weighting& weighting = {});

/// At least Σⱼ abs(∂ℓ/∂sⱼ), whatever the gains aⱼ = G·Vⱼ of the range R = max a − min a are:
/// 2R p₁(1 − p₁) if the largest weight p₁ is at least one half, else R/2.
///
/// Reached, for p₁ ≥ ½, by gains of R at the largest weight and 0 at the others.
///
/// \param weights p, m numbers from 0 to 1 with sum 1, m at least 1; a row or a column.
/// \param gains   a, m numbers: the derivative of the loss with respect to each weight.
/// \throws std::invalid_argument if there are none, or not as many gains as weights.
/// \throws std::domain_error if a weight is not from 0 to 1, or a gain is not finite.
/// \implements{ValuesAreNeverBlocked}
template <class P, class Gains>
typename P::Scalar score_gradient_bound(const Eigen::MatrixBase<P>& weights,
                                        const Eigen::MatrixBase<Gains>& gains);

/// The matrices from inputs X of self-attention to queries, keys and values.
template <class Scalar>
struct Projections {
  using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;  ///< any matrix of Scalar
  Matrix queries;  ///< W_Q, width × d: Q = X W_Q
  Matrix keys;     ///< W_K, width × d: K = X W_K
  Matrix values;   ///< W_V, width × width: V = X W_V
};

/// ∂ℓ/∂X of a layer Y = X + O with a residual, where O is self-attention with Q = X W_Q, K = X W_K,
/// V = X W_V: G + (∂ℓ/∂Q) W_Qᵀ + (∂ℓ/∂K) W_Kᵀ + (∂ℓ/∂V) W_Vᵀ with G = ∂ℓ/∂Y.
/// \param inputs          X, n × width.
/// \param projections     W_Q, W_K and W_V.
/// \param output_gradient G, n × width.
/// \param options         scale and masks.
/// \param weighting       what makes weights of scores, as for attention_gradient().
/// \return n × width numbers.
/// \throws std::invalid_argument as attention_gradient().
/// \throws std::domain_error as attention_gradient().
/// \implements{ValuesAreNeverBlocked}
/// \relatesalso Projections
template <class Inputs, class Outputs, class Weighting = SoftmaxWeighting>
auto residual_gradient(const Eigen::MatrixBase<Inputs>& inputs,
                       const Projections<typename Inputs::Scalar>& projections,
                       const Eigen::MatrixBase<Outputs>& output_gradient,
                       const AttentionOptions<Compute<typename Inputs::Scalar>>& options = {},
                       const Weighting& weighting = {});

// Implementation

template <class Queries, class Keys>
auto attention_scores(const Eigen::MatrixBase<Queries>& queries,
                      const Eigen::MatrixBase<Keys>& keys,
                      const std::optional<Compute<typename Queries::Scalar>>& scale) {
  using Real = Compute<typename Queries::Scalar>;
  AttentionOptions<Real> options;
  options.scale = scale;
  const detail::AttentionPass<Real> pass(queries, keys, options);
  Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic> scores(queries.rows(), keys.rows());
  for (Eigen::Index i = 0; i < scores.rows(); ++i)
    for (Eigen::Index j = 0; j < scores.cols(); ++j) scores(i, j) = pass.score(i, j);
  return scores;
}

//! [ScaleFoldsIntoQueries]
template <class Queries>
auto fold_scale(const Eigen::MatrixBase<Queries>& queries,
                const std::optional<Compute<typename Queries::Scalar>>& scale) {
  using Real = Compute<typename Queries::Scalar>;
  detail::require_equal_widths(queries, queries);
  const detail::Scaling<Real> scaling(scale, queries.cols());
  Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic> folded = queries.template cast<Real>();
  for (Eigen::Index i = 0; i < folded.size(); ++i) folded(i) = scaling(folded(i));
  return folded;
}
//! [ScaleFoldsIntoQueries]

//! [AttentionWeightsAreProbabilities]
template <class Queries, class Keys, class Weighting>
auto attention_weights(const Eigen::MatrixBase<Queries>& queries,
                       const Eigen::MatrixBase<Keys>& keys,
                       const AttentionOptions<Compute<typename Queries::Scalar>>& options,
                       const Weighting& weighting) {
  using Real = Compute<typename Queries::Scalar>;
  using Weights = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
  const detail::AttentionPass<Real> pass(queries, keys, options);
  Weights weights = Weights::Constant(queries.rows(), keys.rows(), Real(0));
  for (Eigen::Index i = 0; i < weights.rows(); ++i) {
    const std::vector<Eigen::Index> seen = pass.visible(i);
    if (seen.empty()) continue;
    const ColumnOf<Real> of_seen = weighting(pass.scores(i, seen));
    for (std::size_t a = 0; a < seen.size(); ++a)
      weights(i, seen[a]) = of_seen[static_cast<Eigen::Index>(a)];
  }
  return weights;
}
//! [AttentionWeightsAreProbabilities]

//! [ScaledDotProductAttention]
template <class Queries, class Keys, class Values, class Weighting>
AttentionResult<typename Queries::Scalar> scaled_dot_product_attention(
    const Eigen::MatrixBase<Queries>& queries, const Eigen::MatrixBase<Keys>& keys,
    const Eigen::MatrixBase<Values>& values,
    const AttentionOptions<Compute<typename Queries::Scalar>>& options,
    const Weighting& weighting) {
  using Scalar = typename Queries::Scalar;
  using Real = Compute<Scalar>;
  detail::require_equal_counts(keys, values);
  const detail::AttentionPass<Real> pass(queries, keys, options);
  const detail::Rows<Real> v = values.template cast<Real>();
  detail::Rows<Real> output = detail::Rows<Real>::Constant(queries.rows(), values.cols(), Real(0));
  detail::Rows<Real> weights;
  if (options.return_weights) weights.setConstant(queries.rows(), keys.rows(), Real(0));

  for (Eigen::Index i = 0; i < queries.rows(); ++i) {
    const std::vector<Eigen::Index> seen = pass.visible(i);
    if (seen.empty()) continue;
    const ColumnOf<Real> of_seen = weighting(pass.scores(i, seen));
    for (std::size_t a = 0; a < seen.size(); ++a) {
      const Real& weight = of_seen[static_cast<Eigen::Index>(a)];
      output.row(i) += weight * v.row(seen[a]);
      if (options.return_weights) weights(i, seen[a]) = weight;
    }
  }
  return {output.template cast<Scalar>(), weights.template cast<Scalar>()};
}
//! [ScaledDotProductAttention]

template <class Queries, class Keys, class Values, class Outputs, class Weighting>
AttentionGradient<typename Queries::Scalar> attention_gradient(
    const Eigen::MatrixBase<Queries>& queries, const Eigen::MatrixBase<Keys>& keys,
    const Eigen::MatrixBase<Values>& values, const Eigen::MatrixBase<Outputs>& output_gradient,
    const AttentionOptions<Compute<typename Queries::Scalar>>& options,
    const Weighting& weighting) {
  using Scalar = typename Queries::Scalar;
  using Real = Compute<Scalar>;
  using Rows = detail::Rows<Real>;
  detail::require_equal_counts(keys, values);
  const detail::AttentionPass<Real> pass(queries, keys, options);
  detail::require_shape("the gradient of the output", output_gradient, queries.rows(),
                        values.cols());
  const Rows v = values.template cast<Real>();
  const Rows g = output_gradient.template cast<Real>();
  Rows of_queries = Rows::Constant(queries.rows(), queries.cols(), Real(0));
  Rows of_keys = Rows::Constant(keys.rows(), keys.cols(), Real(0));
  Rows of_values = Rows::Constant(values.rows(), values.cols(), Real(0));

  for (Eigen::Index i = 0; i < queries.rows(); ++i) {
    const std::vector<Eigen::Index> seen = pass.visible(i);
    if (seen.empty()) continue;
    const ColumnOf<Real> p = weighting(pass.scores(i, seen));
    ColumnOf<Real> d_weight(p.size());
    for (std::size_t a = 0; a < seen.size(); ++a)
      d_weight[static_cast<Eigen::Index>(a)] =
          v.cols() == 0 ? Real(0) : Real(g.row(i).dot(v.row(seen[a])));
    const Real mean = p.dot(d_weight);
    for (std::size_t a = 0; a < seen.size(); ++a) {
      const Eigen::Index j = seen[a];
      const Real& weight = p[static_cast<Eigen::Index>(a)];
      const Real d_score = weight * Real(d_weight[static_cast<Eigen::Index>(a)] - mean);
      of_values.row(j) += weight * g.row(i);
      of_queries.row(i) += d_score * pass.keys().row(j);
      of_keys.row(j) += d_score * pass.queries().row(i);
    }
  }
  for (Eigen::Index l = 0; l < of_queries.size(); ++l)
    of_queries(l) = pass.scaling()(of_queries(l));
  for (Eigen::Index l = 0; l < of_keys.size(); ++l) of_keys(l) = pass.scaling()(of_keys(l));
  return {of_queries.template cast<Scalar>(), of_keys.template cast<Scalar>(),
          of_values.template cast<Scalar>()};
}

//! [ValuesAreNeverBlocked]
template <class P, class Gains>
typename P::Scalar score_gradient_bound(const Eigen::MatrixBase<P>& weights,
                                        const Eigen::MatrixBase<Gains>& gains) {
  using Scalar = typename P::Scalar;
  if (weights.size() == 0 || weights.size() != gains.size())
    throw std::invalid_argument("there are " + std::to_string(weights.size()) + " weights and " +
                                std::to_string(gains.size()) +
                                " gains, but must be as many, and at least 1");
  for (const auto& weight : weights.reshaped()) detail::require_in("a weight", weight, 0, 1);
  for (const auto& gain : gains.reshaped())
    detail::require_that(Scalar(gain - gain) == Scalar(0), "a gain", gain, "be finite");
  const Scalar range = gains.maxCoeff() - gains.minCoeff();
  const Scalar largest = weights.maxCoeff();
  if (largest == 1) return Scalar(0);  // also where the range overflows
  if (2 * largest < 1) return range / 2;
  return 2 * range * largest * (1 - largest);
}

template <class Inputs, class Outputs, class Weighting>
auto residual_gradient(const Eigen::MatrixBase<Inputs>& inputs,
                       const Projections<typename Inputs::Scalar>& projections,
                       const Eigen::MatrixBase<Outputs>& output_gradient,
                       const AttentionOptions<Compute<typename Inputs::Scalar>>& options,
                       const Weighting& weighting) {
  using Matrix = typename Projections<typename Inputs::Scalar>::Matrix;
  const Matrix queries = inputs * projections.queries;
  const Matrix keys = inputs * projections.keys;
  const Matrix values = inputs * projections.values;
  const auto through =
      attention_gradient(queries, keys, values, output_gradient, options, weighting);
  Matrix gradient = output_gradient;  // of the residual
  gradient += through.queries * projections.queries.transpose();
  gradient += through.keys * projections.keys.transpose();
  gradient += through.values * projections.values.transpose();
  return gradient;
}
//! [ValuesAreNeverBlocked]

}  // namespace sqrtdk
