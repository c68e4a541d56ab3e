// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref attention : scaled dot-product attention, its gradient, its cost.
#pragma once

#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/softmax.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace sqrtdk {

/// Which keys a causal mask leaves to query i of n when there are m keys.
enum class CausalAlignment {
  top_left,     ///< keys j ≤ i: the first query sees the first key, whatever n and m are
  bottom_right  ///< keys j ≤ i + m − n: the last query sees all keys, as when n queries continue a
                ///< sequence whose earlier keys are remembered
};

/// What attention may be asked to do beside softmax(QKᵀ/√d)V.
///
/// A key is masked for a query if any of the masks says so.
/// \tparam Real the type that is computed with.
template <class Real>
struct AttentionOptions {
  using Biases = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;       ///< n × m numbers
  using Permissions = Eigen::Matrix<bool, Eigen::Dynamic, Eigen::Dynamic>;  ///< n × m

  /// What scores are multiplied by, unless it is 1; if there is none they are divided by √d.
  std::optional<Real> scale = {};
  std::optional<Biases> bias = {};             ///< added to the scaled scores; −∞ masks the key
  std::optional<Permissions> allowed = {};     ///< true where the query may see the key
  std::optional<CausalAlignment> causal = {};  ///< masks the keys that come later
  bool return_weights = false;                 ///< whether the result has the weights
};

/// What attention returns.
template <class Scalar>
struct AttentionResult {
  using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;  ///< of any size
  Matrix output;                                                         ///< n × d_v
  Matrix weights;  ///< n × m if they were asked for, else empty; 0 for masked keys
};

/// The derivatives of a loss by the arguments of attention.
template <class Scalar>
struct AttentionGradient {
  using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;  ///< of any size
  Matrix queries;                                                        ///< n × d
  Matrix keys;                                                           ///< m × d
  Matrix values;                                                         ///< m × d_v
};

/// Weights from scores by softmax(): the weighting that attention is defined with.
struct SoftmaxWeighting {
  /// softmax(scores).
  /// \param scores a column of at least one number.
  template <class Derived>
  auto operator()(const Eigen::MatrixBase<Derived>& scores) const {
    return softmax(scores);
  }
};

/// The scaled scores QKᵀ/√d, without masks.
///
/// Each differs from the exact one by score_error_bound() at most, if none overflows; one that does
/// is infinite or NaN.
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

/// The scale moved to the queries: Q/√d, or Q times the scale.
///
/// Attention with these queries and the scale 1 is attention with the old ones.
/// Implements \ref ScaleFoldsIntoQueries.
/// \param queries Q, n × d, d at least 1.
/// \param scale   as in attention_scores().
/// \return n × d numbers.
/// \throws as attention_scores().
template <class Queries>
auto fold_scale(const Eigen::MatrixBase<Queries>& queries,
                const std::optional<Compute<typename Queries::Scalar>>& scale = {});

/// The attention weights softmax(QKᵀ/√d), row by row over the keys that are not masked.
///
/// Implements \ref AttentionWeightsAreProbabilities.
/// \param queries   Q, n × d, d at least 1.
/// \param keys      K, m × d.
/// \param options   scale and masks.
/// \param weighting what makes weights of scores; softmax, unless exact arithmetic asks for a
///                  rational one.
/// \return n × m weights, 0 for masked keys; a row without any key to attend to is all 0.
/// \throws std::invalid_argument if shapes do not fit; the message names both.
/// \throws std::domain_error if a score that is not masked is no finite number although the query,
///         the key, the scale and the bias are, or if it is +∞, or if a row has no other than −∞.
template <class Queries, class Keys, class Weighting = SoftmaxWeighting>
auto attention_weights(const Eigen::MatrixBase<Queries>& queries,
                       const Eigen::MatrixBase<Keys>& keys,
                       const AttentionOptions<Compute<typename Queries::Scalar>>& options = {},
                       const Weighting& weighting = {});

/// Scaled dot-product attention softmax(QKᵀ/√d)V, a row for each query.
///
/// Rows are queries, keys and values, as models store them. Where they are columns instead, the
/// scores are KᵀQ, or QᵀK in S1's order; that is the same formula for the transposed matrices.
///
/// A masked key and its value are never looked at: they may hold anything, NaN included. A query
/// that may see no key attends to nothing: its weights, its output and its gradient are 0. That is
/// the empty sum, what merging no parts gives, and the one answer that poisons nothing.
///
/// The output is within attention_error_bound() of the exact one. Needs O(m) memory beside copies
/// of the arguments, unless weights are asked for. Implements \ref ScaledDotProductAttention.
/// \param queries   Q, n × d, d at least 1.
/// \param keys      K, m × d.
/// \param values    V, m × d_v.
/// \param options   scale, masks, and whether weights are returned.
/// \param weighting as in attention_weights().
/// \return the n × d_v output, with the weights if they were asked for; a NaN in a query, or in a
///         key or value that it sees, makes its output NaN.
/// \throws std::invalid_argument if shapes do not fit; the message names both.
/// \throws std::domain_error as attention_weights(), for scores that overflow.
/// Source: Vaswani et al., "Attention is all you need" (2017), section 3.2.1.
template <class Queries, class Keys, class Values, class Weighting = SoftmaxWeighting>
AttentionResult<typename Queries::Scalar> scaled_dot_product_attention(
    const Eigen::MatrixBase<Queries>& queries, const Eigen::MatrixBase<Keys>& keys,
    const Eigen::MatrixBase<Values>& values,
    const AttentionOptions<Compute<typename Queries::Scalar>>& options = {},
    const Weighting& weighting = {});

/// The backward pass: from the derivative G of a loss by the output, with P the weights,
/// dV = PᵀG, dS = P ⊙ (GVᵀ − rowsum(P ⊙ GVᵀ)), dQ = dS K/√d, dK = dSᵀQ/√d.
///
/// Masked keys and values are never looked at, and get no gradient from a query that does not see
/// them. Each number is within attention_gradient_error_bound() of the exact one.
/// Implements \ref ScaledDotProductAttention.
/// \param queries   Q, n × d, d at least 1.
/// \param keys      K, m × d.
/// \param values    V, m × d_v.
/// \param output_gradient G, n × d_v.
/// \param options   as in the forward pass.
/// \param weighting as in the forward pass; for powers of another base b than e the derivatives by
///                  queries and keys come out divided by ln b.
/// \throws as scaled_dot_product_attention().
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
/// Implements \ref ValuesAreNeverBlocked.
/// \param weights p, m numbers from 0 to 1 with sum 1, m at least 1; a row or a column.
/// \param gains   a, m numbers: the derivative of the loss by each weight.
/// \throws std::invalid_argument if there are none, or not as many gains as weights.
template <class P, class Gains>
typename P::Scalar score_gradient_bound(const Eigen::MatrixBase<P>& weights,
                                        const Eigen::MatrixBase<Gains>& gains);

/// What makes queries, keys and values of the inputs X of self-attention.
template <class Scalar>
struct Projections {
  using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;  ///< of any size
  Matrix queries;  ///< W_Q, width × d: Q = X W_Q
  Matrix keys;     ///< W_K, width × d: K = X W_K
  Matrix values;   ///< W_V, width × width: V = X W_V
};

/// ∂ℓ/∂X of a layer Y = X + O with a residual, where O is self-attention with Q = X W_Q, K = X W_K,
/// V = X W_V: G + (∂ℓ/∂Q) W_Qᵀ + (∂ℓ/∂K) W_Kᵀ + (∂ℓ/∂V) W_Vᵀ with G = ∂ℓ/∂Y.
///
/// Implements \ref ValuesAreNeverBlocked.
/// \param inputs      X, n × width.
/// \param projections W_Q, W_K and W_V.
/// \param output_gradient G, n × width.
/// \param options     as in scaled_dot_product_attention().
/// \param weighting   as in attention_gradient().
/// \throws as attention_gradient().
template <class Inputs, class Outputs, class Weighting = SoftmaxWeighting>
auto residual_gradient(const Eigen::MatrixBase<Inputs>& inputs,
                       const Projections<typename Inputs::Scalar>& projections,
                       const Eigen::MatrixBase<Outputs>& output_gradient,
                       const AttentionOptions<Compute<typename Inputs::Scalar>>& options = {},
                       const Weighting& weighting = {});

/// Arithmetic operations, counted.
struct OperationCounts {
  std::uint64_t multiplications = 0;  ///< products
  std::uint64_t additions = 0;        ///< sums and differences
  std::uint64_t divisions = 0;        ///< quotients
  std::uint64_t roots = 0;            ///< square roots

  /// Equal counts throughout.
  friend bool operator==(const OperationCounts&, const OperationCounts&) = default;
};

/// Where the scaling is done.
enum class ScalePlace {
  scores,  ///< n·m times
  queries  ///< n·d times, by fold_scale()
};

/// What the scores are scaled by.
enum class ScaleKind {
  root,  ///< divided by √d, which takes a root
  given  ///< multiplied by a number other than 1
};

/// The operations that the scores of n queries and m keys take: nmd multiplications, nm(d − 1)
/// additions, nm or nd divisions, and one root; for a scale that is given, as many multiplications
/// in place of the divisions, and no root.
///
/// Implements \ref ScalingCostIsNegligible.
/// \param n     the number of queries.
/// \param m     the number of keys.
/// \param d     the head dimension, at least 1.
/// \param place where it is scaled.
/// \param kind  by what.
/// \throws std::domain_error if d is 0.
/// \throws std::overflow_error if nmd, with the scaling if that multiplies, is 2⁶⁴ or more.
OperationCounts score_operations(std::uint64_t n, std::uint64_t m, std::uint64_t d,
                                 ScalePlace place, ScaleKind kind = ScaleKind::root);

/// The divisions per operation of the products: 1/(2d − 1), or d/(m(2d − 1)) when folded.
///
/// Implements \ref ScalingCostIsNegligible.
/// \param m     the number of keys, at least 1.
/// \param d     the head dimension, at least 1.
/// \param place where the division by √d is done.
/// \throws std::domain_error if m or d is 0.
/// \throws std::overflow_error if md is 2⁶⁴ or more.
Rational scaling_share(std::uint64_t m, std::uint64_t d, ScalePlace place);

// ------------------------------------------------------------------------------------------------

namespace detail {

/// Rows lie in one piece, since all that attention does is done with rows.
template <class Real>
using Rows = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

inline std::string shape_text(Eigen::Index rows, Eigen::Index columns) {
  return std::to_string(rows) + " x " + std::to_string(columns);
}

template <class Derived>
std::string shape_text(const Eigen::DenseBase<Derived>& matrix) {
  return shape_text(matrix.rows(), matrix.cols());
}

template <class Queries, class Keys>
void require_equal_widths(const Queries& queries, const Keys& keys) {
  if (queries.cols() != keys.cols())
    throw std::invalid_argument("the queries are " + shape_text(queries) + " and the keys " +
                                shape_text(keys) + ", but must have as many columns");
  if (queries.cols() == 0)
    throw std::invalid_argument("the queries are " + shape_text(queries) + " and the keys " +
                                shape_text(keys) + ", but must have at least 1 column");
}

template <class Keys, class Values>
void require_equal_counts(const Keys& keys, const Values& values) {
  if (keys.rows() != values.rows())
    throw std::invalid_argument("the keys are " + shape_text(keys) + " and the values " +
                                shape_text(values) + ", but must have as many rows");
}

template <class Matrix>
void require_shape(const char* name, const Matrix& matrix, Eigen::Index rows,
                   Eigen::Index columns) {
  if (matrix.rows() != rows || matrix.cols() != columns)
    throw std::invalid_argument(std::string(name) + " is " + shape_text(matrix) + ", but must be " +
                                shape_text(rows, columns));
}

/// √d; over the rationals only if it is rational.
template <class Real>
Real root_of(Eigen::Index d) {
  if constexpr (std::is_same_v<Real, Rational>) {
    const Integer root = sqrt(Integer(d));
    if (root * root != d)
      throw std::domain_error("the root of the width " + std::to_string(d) +
                              " is not rational; give a scale, or a width that is a square");
    return Real(root);
  } else {
    using std::sqrt;
    return sqrt(Real(static_cast<double>(d)));
  }
}

/// Multiplies by a scale, or divides by √d.
template <class Real>
class Scaling {
 public:
  Scaling(const std::optional<Real>& scale, Eigen::Index d)
      : scale_(scale), root_(scale ? Real(1) : root_of<Real>(d)) {}

  Real operator()(const Real& x) const {
    if (!scale_) return x / root_;
    return *scale_ == Real(1) ? x : Real(x * *scale_);
  }

  /// The magnitude of the factor, 1/√d or the scale, for error bounds.
  double magnitude() const {
    return scale_ ? std::abs(static_cast<double>(*scale_)) : 1 / static_cast<double>(root_);
  }

 private:
  std::optional<Real> scale_;
  Real root_;
};

/// Which keys the masks leave to a query.
template <class Real>
class Visibility {
 public:
  Visibility(const AttentionOptions<Real>& options, Eigen::Index n, Eigen::Index m)
      : options_(options), n_(n), m_(m) {
    if (options.bias) require_shape("the bias", *options.bias, n, m);
    if (options.allowed) require_shape("the mask", *options.allowed, n, m);
  }

  bool operator()(Eigen::Index i, Eigen::Index j) const {
    if (options_.allowed && !(*options_.allowed)(i, j)) return false;
    if (options_.causal == CausalAlignment::top_left && j > i) return false;
    if (options_.causal == CausalAlignment::bottom_right && j > i + m_ - n_) return false;
    return !options_.bias || !is_minus_infinity((*options_.bias)(i, j));
  }

  /// The keys that query i may see, in their order.
  std::vector<Eigen::Index> of(Eigen::Index i) const {
    std::vector<Eigen::Index> keys;
    for (Eigen::Index j = 0; j < m_; ++j)
      if ((*this)(i, j)) keys.push_back(j);
    return keys;
  }

 private:
  static bool is_minus_infinity(const Real& x) {
    if constexpr (std::numeric_limits<Real>::has_infinity)
      return x == -std::numeric_limits<Real>::infinity();
    else
      return false;
  }

  const AttentionOptions<Real>& options_;
  Eigen::Index n_;
  Eigen::Index m_;
};

/// What every pass over the queries begins with: the arguments in rows, checked, and the weights of
/// one query after the other.
template <class Real>
class AttentionPass {
 public:
  template <class Queries, class Keys>
  AttentionPass(const Eigen::MatrixBase<Queries>& queries, const Eigen::MatrixBase<Keys>& keys,
                const AttentionOptions<Real>& options)
      : options_(options),
        queries_((require_equal_widths(queries, keys), queries.template cast<Real>())),
        keys_(keys.template cast<Real>()),
        scaling_(options.scale, queries.cols()),
        visibility_(options, queries.rows(), keys.rows()) {}

  const Rows<Real>& queries() const { return queries_; }
  const Rows<Real>& keys() const { return keys_; }
  const Scaling<Real>& scaling() const { return scaling_; }

  /// The keys that query i may see.
  std::vector<Eigen::Index> visible(Eigen::Index i) const { return visibility_.of(i); }

  /// The scaled score of query i and key j, without its bias.
  Real score(Eigen::Index i, Eigen::Index j) const {
    return scaling_(queries_.row(i).dot(keys_.row(j)));
  }

  /// The scores of query i and some keys, with their biases.
  /// \throws std::domain_error if one overflows.
  Column<Real> scores(Eigen::Index i, const std::vector<Eigen::Index>& seen) const {
    Column<Real> result(static_cast<Eigen::Index>(seen.size()));
    for (Eigen::Index a = 0; a < result.size(); ++a) {
      const Eigen::Index j = seen[static_cast<std::size_t>(a)];
      result[a] = score(i, j);
      if (options_.bias) result[a] += (*options_.bias)(i, j);
      require_no_overflow(result[a], i, j);
    }
    return result;
  }

 private:
  static bool is_finite(const Real& x) { return Real(x - x) == Real(0); }

  /// Refuses a score that is no finite number, unless it was made of one that is not.
  void require_no_overflow(const Real& score, Eigen::Index i, Eigen::Index j) const {
    if constexpr (std::numeric_limits<Real>::has_infinity) {
      if (is_finite(score)) return;
      for (Eigen::Index l = 0; l < queries_.cols(); ++l)
        if (!is_finite(queries_(i, l)) || !is_finite(keys_(j, l))) return;
      if (options_.scale && !is_finite(*options_.scale)) return;
      if (options_.bias && !is_finite((*options_.bias)(i, j))) return;
      throw std::domain_error("the score of query " + std::to_string(i) + " and key " +
                              std::to_string(j) + " overflows to " + shown(score));
    }
  }

  const AttentionOptions<Real>& options_;
  Rows<Real> queries_;
  Rows<Real> keys_;
  Scaling<Real> scaling_;
  Visibility<Real> visibility_;
};

/// Refuses sizes of which one of the counts would not fit into 64 bits.
/// \param per_query the multiplications by a scale, for each query.
inline void require_countable(std::uint64_t n, std::uint64_t m, std::uint64_t d,
                              std::uint64_t per_query) {
  const Integer most = Integer(n) * (Integer(std::max<std::uint64_t>(m, 1)) * d + per_query);
  if (most > std::numeric_limits<std::uint64_t>::max())
    throw std::overflow_error("the number of operations is " + most.str() +
                              ", but must be below 2^64");
}

}  // namespace detail

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
    const detail::Column<Real> of_seen = weighting(pass.scores(i, seen));
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
    const detail::Column<Real> of_seen = weighting(pass.scores(i, seen));
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
    const detail::Column<Real> p = weighting(pass.scores(i, seen));
    // dP, and its mean under P.
    detail::Column<Real> by_weight(p.size());
    for (std::size_t a = 0; a < seen.size(); ++a)
      by_weight[static_cast<Eigen::Index>(a)] =
          v.cols() == 0 ? Real(0) : Real(g.row(i).dot(v.row(seen[a])));
    const Real mean = p.dot(by_weight);
    for (std::size_t a = 0; a < seen.size(); ++a) {
      const Eigen::Index j = seen[a];
      const Real& weight = p[static_cast<Eigen::Index>(a)];
      const Real by_score = weight * Real(by_weight[static_cast<Eigen::Index>(a)] - mean);
      of_values.row(j) += weight * g.row(i);
      of_queries.row(i) += by_score * pass.keys().row(j);
      of_keys.row(j) += by_score * pass.queries().row(i);
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
  const Scalar range = gains.maxCoeff() - gains.minCoeff();
  const Scalar largest = weights.maxCoeff();
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
  const auto by = attention_gradient(queries, keys, values, output_gradient, options, weighting);
  Matrix gradient = output_gradient;  // of the residual
  gradient += by.queries * projections.queries.transpose();
  gradient += by.keys * projections.keys.transpose();
  gradient += by.values * projections.values.transpose();
  return gradient;
}
//! [ValuesAreNeverBlocked]

//! [ScalingCostIsNegligible]
inline OperationCounts score_operations(std::uint64_t n, std::uint64_t m, std::uint64_t d,
                                        ScalePlace place, ScaleKind kind) {
  if (d == 0) throw std::domain_error("the dimension is 0, but must be at least 1");
  const std::uint64_t per_query = place == ScalePlace::scores ? m : d;
  const bool given = kind == ScaleKind::given;
  detail::require_countable(n, m, d, given ? per_query : 0);
  OperationCounts counts{.multiplications = n * m * d, .additions = n * m * (d - 1)};
  (given ? counts.multiplications : counts.divisions) += n * per_query;
  if (!given) counts.roots = 1;
  return counts;
}

inline Rational scaling_share(std::uint64_t m, std::uint64_t d, ScalePlace place) {
  if (m == 0) throw std::domain_error("the number of keys is 0, but must be at least 1");
  const OperationCounts one_query = score_operations(1, m, d, place);
  return Rational(one_query.divisions) / Rational(one_query.multiplications + one_query.additions);
}
//! [ScalingCostIsNegligible]

}  // namespace sqrtdk
