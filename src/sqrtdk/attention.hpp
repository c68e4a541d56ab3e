// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref attention : scaled dot-product attention, its gradient, its cost, its error.
#pragma once

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

#include "sqrtdk/rational.hpp"
#include "sqrtdk/softmax_error.hpp"

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
/// Each differs from the exact one by score_error_bound() at most.
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
/// \throws std::domain_error if a score that is not masked overflows.
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
/// \throws std::domain_error if a score that is not masked overflows.
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

/// γ_k = ku/(1 − ku): what k roundings can do to a number, relative to it.
/// \param roundings k.
/// \param u         the unit roundoff.
/// \return +∞ if ku is 1 or more.
double rounding_bound(double roundings, double u);

/// How far a computed score can be from the exact one: with A = Σ|qₗkₗ| and c the scale,
/// E = γ_{d+2}|c|A + (|c|d + 1)η, and E(1 + u) + u(|c|A + |b|) if a bias b is added.
///
/// Implements \ref ScaledDotProductAttention.
/// \param d          the head dimension.
/// \param scale      |c|.
/// \param magnitude  A.
/// \param bias       |b|, if one is added.
/// \param arithmetic what the score is computed with.
double score_error_bound(double d, double scale, double magnitude,
                         const std::optional<double>& bias, const SoftmaxArithmetic& arithmetic);

/// How far a computed output can be from the exact one.
struct AttentionErrorBound {
  Eigen::MatrixXd output;  ///< n × d_v
  bool vacuous = false;    ///< whether the bound allows an error of 100 % or more somewhere
};

/// Bounds abs(Ô − O) componentwise: Σⱼ ((1 + ρⱼ)(1 + γₘ) − 1) y⁺ⱼ|vⱼ| + 16N²B²η, where 1 + ρⱼ =
/// (1 + rⱼ)e^(2E), E is score_error_bound(), rⱼ is softmax_error_bound() with 2K raised by
/// 4E + (e^(2E) − 1) ln m, and y⁺ⱼ is the weight with what underflow can add.
///
/// N = n + m + d + d_v + 2, and B is the largest of 1, |c| and the magnitudes of all arguments that
/// are looked at. The rounding of the result to a narrower type is included.
/// Implements \ref ScaledDotProductAttention.
/// \tparam Wide the type that exact weights are computed in: its own rounding is not counted, so
///              give it 20 bits more than the arithmetic that is judged.
/// \param queries    Q, as in scaled_dot_product_attention(); finite numbers without overflow.
/// \param keys       K.
/// \param values     V.
/// \param options    scale and masks.
/// \param arithmetic what is judged.
template <class Wide, class Queries, class Keys, class Values>
AttentionErrorBound attention_error_bound(
    const Eigen::MatrixBase<Queries>& queries, const Eigen::MatrixBase<Keys>& keys,
    const Eigen::MatrixBase<Values>& values,
    const AttentionOptions<Compute<typename Queries::Scalar>>& options = {},
    const SoftmaxArithmetic& arithmetic = arithmetic_of<typename Queries::Scalar>());

/// How far computed derivatives can be from the exact ones.
struct AttentionGradientErrorBound {
  AttentionGradient<double> gradient;  ///< a bound for each number
  bool vacuous = false;                ///< whether the bound allows an error of 100 % or more
};

/// Bounds the error of attention_gradient() componentwise: ((1 + ρ)^w (1 + γ_k) − 1) times the
/// formula with absolute values and y⁺ for every weight, and 16N²B²η, where ρ is the largest ρⱼ of
/// attention_error_bound(); for dV w = 1 and k = n, for dQ w = 2 and k = d_v + 2m + 4, for dK w = 2
/// and k = d_v + m + n + 4.
///
/// Implements \ref ScaledDotProductAttention. \tparam Wide as in attention_error_bound().
template <class Wide, class Queries, class Keys, class Values, class Outputs>
AttentionGradientErrorBound attention_gradient_error_bound(
    const Eigen::MatrixBase<Queries>& queries, const Eigen::MatrixBase<Keys>& keys,
    const Eigen::MatrixBase<Values>& values, const Eigen::MatrixBase<Outputs>& output_gradient,
    const AttentionOptions<Compute<typename Queries::Scalar>>& options = {},
    const SoftmaxArithmetic& arithmetic = arithmetic_of<typename Queries::Scalar>());

/// Arithmetic operations, counted.
struct OperationCounts {
  std::uint64_t multiplications = 0;  ///< products
  std::uint64_t additions = 0;        ///< sums and differences
  std::uint64_t divisions = 0;        ///< quotients

  /// Equal counts throughout.
  friend bool operator==(const OperationCounts&, const OperationCounts&) = default;
};

/// Where the division by √d is done.
enum class ScalePlace {
  scores,  ///< n·m divisions
  queries  ///< n·d divisions, by fold_scale()
};

/// The operations that the scores of n queries and m keys take, beside the one root:
/// nmd multiplications, nm(d − 1) additions, and nm or nd divisions.
///
/// Implements \ref ScalingCostIsNegligible.
/// \param n     the number of queries.
/// \param m     the number of keys.
/// \param d     the head dimension, at least 1.
/// \param place where the division by √d is done.
/// \throws std::domain_error if d is 0.
OperationCounts score_operations(std::uint64_t n, std::uint64_t m, std::uint64_t d,
                                 ScalePlace place);

/// The divisions per operation of the products: 1/(2d − 1), or d/(m(2d − 1)) when folded.
///
/// Implements \ref ScalingCostIsNegligible.
/// \param m     the number of keys, at least 1.
/// \param d     the head dimension, at least 1.
/// \param place where the division by √d is done.
/// \throws std::domain_error if m or d is 0.
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

  /// |c|, for error bounds.
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
  Column<Real> scores(Eigen::Index i, const std::vector<Eigen::Index>& seen) const {
    Column<Real> result(static_cast<Eigen::Index>(seen.size()));
    for (Eigen::Index a = 0; a < result.size(); ++a) {
      const Eigen::Index j = seen[static_cast<std::size_t>(a)];
      result[a] = score(i, j);
      if (options_.bias) result[a] += (*options_.bias)(i, j);
    }
    return result;
  }

 private:
  const AttentionOptions<Real>& options_;
  Rows<Real> queries_;
  Rows<Real> keys_;
  Scaling<Real> scaling_;
  Visibility<Real> visibility_;
};

/// The largest magnitude of the rows that are listed.
template <class Real>
double largest_of(const Rows<Real>& matrix, const std::vector<Eigen::Index>& rows) {
  double largest = 0;
  for (const Eigen::Index j : rows)
    for (Eigen::Index l = 0; l < matrix.cols(); ++l)
      largest = std::max(largest, std::abs(static_cast<double>(matrix(j, l))));
  return largest;
}

/// Exact weights, and how far computed ones can be from them: abs(ŷ − y) ≤ ρy⁺.
struct WeightErrors {
  Eigen::MatrixXd weights;   ///< y⁺, n × m, 0 for masked keys
  Eigen::MatrixXd relative;  ///< ρ, n × m, 0 for masked keys
  double scale = 0;          ///< |c|
  double largest = 1;        ///< B so far: of 1, |c|, and the queries and keys that are looked at
};

template <class Wide, class Real, class Queries, class Keys>
WeightErrors weight_errors(const Eigen::MatrixBase<Queries>& queries,
                           const Eigen::MatrixBase<Keys>& keys,
                           const AttentionOptions<Real>& options,
                           const SoftmaxArithmetic& arithmetic) {
  const AttentionPass<Real> pass(queries, keys, options);
  const Eigen::Index n = queries.rows();
  const Eigen::Index m = keys.rows();
  const Eigen::Index d = queries.cols();
  std::optional<Wide> wide_scale;
  if (options.scale) wide_scale = Wide(*options.scale);
  const Scaling<Wide> scaling(wide_scale, d);

  WeightErrors errors{Eigen::MatrixXd::Zero(n, m), Eigen::MatrixXd::Zero(n, m),
                      pass.scaling().magnitude(), 1};
  errors.largest = std::max(1.0, errors.scale);
  for (Eigen::Index i = 0; i < n; ++i) {
    const std::vector<Eigen::Index> seen = pass.visible(i);
    if (seen.empty()) continue;
    errors.largest =
        std::max({errors.largest, largest_of(pass.queries(), {i}), largest_of(pass.keys(), seen)});
    // The exact scores, and E, the most that a computed one is off.
    Column<Wide> scores(static_cast<Eigen::Index>(seen.size()));
    double off = 0;
    for (Eigen::Index a = 0; a < scores.size(); ++a) {
      const Eigen::Index j = seen[static_cast<std::size_t>(a)];
      Wide product = 0;
      double magnitude = 0;
      for (Eigen::Index l = 0; l < d; ++l) {
        product += Wide(pass.queries()(i, l)) * Wide(pass.keys()(j, l));
        magnitude += std::abs(static_cast<double>(pass.queries()(i, l)) *
                              static_cast<double>(pass.keys()(j, l)));
      }
      scores[a] = scaling(product);
      std::optional<double> bias;
      if (options.bias) {
        scores[a] += Wide((*options.bias)(i, j));
        bias = std::abs(static_cast<double>((*options.bias)(i, j)));
      }
      off = std::max(off, score_error_bound(static_cast<double>(d), errors.scale, magnitude, bias,
                                            arithmetic));
    }
    const Column<Wide> weights = softmax(scores);
    SoftmaxArithmetic shifted = arithmetic;
    shifted.exp_error +=
        (4 * off + std::expm1(2 * off) * std::log(static_cast<double>(seen.size()))) / 2;
    const SoftmaxErrorBound bound =
        softmax_error_bound(scores.template cast<double>().eval(), 1.0, shifted);
    for (Eigen::Index a = 0; a < scores.size(); ++a) {
      const Eigen::Index j = seen[static_cast<std::size_t>(a)];
      // (1 + r)e^(2E) − 1, without cancellation.
      const double rho = bound.relative[a] + (1 + bound.relative[a]) * std::expm1(2 * off);
      errors.relative(i, j) = rho;
      errors.weights(i, j) = static_cast<double>(weights[a]) + bound.absolute / rho;
    }
  }
  return errors;
}

/// 16N²B²η, of which rounding needs 3N²B²η; the rest is for what underflows while a bound is
/// computed.
inline double underflow_bound(double size, double largest, const SoftmaxArithmetic& arithmetic) {
  return 16 * size * size * largest * largest * arithmetic.smallest;
}

/// The bound of a result that is rounded once more, to the type of the arguments.
inline double with_storage(double bound, double exact_magnitude,
                           const SoftmaxArithmetic& arithmetic) {
  const double stored =
      bound + arithmetic.storage_roundoff * (exact_magnitude + bound) + arithmetic.storage_smallest;
  return (1 + bound_margin) * stored;
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

inline double rounding_bound(double roundings, double u) {
  const double part = roundings * u;
  return part < 1 ? part / (1 - part) : std::numeric_limits<double>::infinity();
}

inline double score_error_bound(double d, double scale, double magnitude,
                                const std::optional<double>& bias,
                                const SoftmaxArithmetic& arithmetic) {
  const double u = arithmetic.unit_roundoff;
  const double product = scale * magnitude;
  double bound = rounding_bound(d + 2, u) * product + (scale * d + 1) * arithmetic.smallest;
  if (bias) bound = bound * (1 + u) + u * (product + *bias);
  return (1 + bound_margin) * bound;
}

template <class Wide, class Queries, class Keys, class Values>
AttentionErrorBound attention_error_bound(
    const Eigen::MatrixBase<Queries>& queries, const Eigen::MatrixBase<Keys>& keys,
    const Eigen::MatrixBase<Values>& values,
    const AttentionOptions<Compute<typename Queries::Scalar>>& options,
    const SoftmaxArithmetic& arithmetic) {
  using Real = Compute<typename Queries::Scalar>;
  detail::require_equal_counts(keys, values);
  const detail::WeightErrors y =
      detail::weight_errors<Wide, Real>(queries, keys, options, arithmetic);
  const detail::Rows<Real> v = values.template cast<Real>();
  const double gamma = rounding_bound(static_cast<double>(keys.rows()), arithmetic.unit_roundoff);
  const double size =
      static_cast<double>(queries.rows() + keys.rows() + queries.cols() + values.cols() + 2);

  AttentionErrorBound bound;
  bound.output = Eigen::MatrixXd::Zero(queries.rows(), values.cols());
  for (Eigen::Index i = 0; i < queries.rows(); ++i)
    for (Eigen::Index c = 0; c < values.cols(); ++c) {
      double error = 0;
      double magnitude = 0;
      double largest = y.largest;
      bool sees_a_key = false;
      for (Eigen::Index j = 0; j < keys.rows(); ++j) {
        if (y.weights(i, j) == 0) continue;  // masked: nothing is known of its value
        sees_a_key = true;
        const double value = std::abs(static_cast<double>(v(j, c)));
        const double relative = y.relative(i, j) + (1 + y.relative(i, j)) * gamma;
        bound.vacuous = bound.vacuous || !(relative < 1);
        error += relative * y.weights(i, j) * value;
        magnitude += y.weights(i, j) * value;
        largest = std::max(largest, value);
      }
      if (!sees_a_key) continue;
      error += detail::underflow_bound(size, largest, arithmetic);
      bound.output(i, c) = detail::with_storage(error, magnitude, arithmetic);
    }
  return bound;
}

template <class Wide, class Queries, class Keys, class Values, class Outputs>
AttentionGradientErrorBound attention_gradient_error_bound(
    const Eigen::MatrixBase<Queries>& queries, const Eigen::MatrixBase<Keys>& keys,
    const Eigen::MatrixBase<Values>& values, const Eigen::MatrixBase<Outputs>& output_gradient,
    const AttentionOptions<Compute<typename Queries::Scalar>>& options,
    const SoftmaxArithmetic& arithmetic) {
  using Real = Compute<typename Queries::Scalar>;
  detail::require_equal_counts(keys, values);
  const detail::WeightErrors y =
      detail::weight_errors<Wide, Real>(queries, keys, options, arithmetic);
  const auto magnitudes = [](const auto& matrix) {
    return Eigen::MatrixXd(matrix.template cast<double>().cwiseAbs());
  };
  const Eigen::MatrixXd q = magnitudes(queries);
  const Eigen::MatrixXd k = magnitudes(keys);
  const Eigen::MatrixXd v = magnitudes(values);
  const Eigen::MatrixXd g = magnitudes(output_gradient);
  const Eigen::Index n = q.rows();
  const Eigen::Index m = k.rows();

  // The formulas with absolute values, over the keys that are not masked.
  Eigen::MatrixXd of_queries = Eigen::MatrixXd::Zero(n, q.cols());
  Eigen::MatrixXd of_keys = Eigen::MatrixXd::Zero(m, k.cols());
  Eigen::MatrixXd of_values = Eigen::MatrixXd::Zero(m, v.cols());
  double largest = y.largest;
  for (Eigen::Index i = 0; i < n; ++i) {
    double mean = 0;
    for (Eigen::Index j = 0; j < m; ++j)
      if (y.weights(i, j) > 0) mean += y.weights(i, j) * g.row(i).dot(v.row(j));
    for (Eigen::Index j = 0; j < m; ++j) {
      if (y.weights(i, j) == 0) continue;
      const double by_score = y.weights(i, j) * (g.row(i).dot(v.row(j)) + mean) * y.scale;
      of_values.row(j) += y.weights(i, j) * g.row(i);
      of_queries.row(i) += by_score * k.row(j);
      of_keys.row(j) += by_score * q.row(i);
      if (v.cols() > 0) largest = std::max({largest, v.row(j).maxCoeff(), g.row(i).maxCoeff()});
    }
  }

  const double rho = y.relative.size() == 0 ? 0 : y.relative.maxCoeff();
  const double u = arithmetic.unit_roundoff;
  const auto part = [&](int weights, Eigen::Index roundings) {
    const double gamma = rounding_bound(static_cast<double>(roundings), u);
    return std::expm1(weights * std::log1p(rho) + std::log1p(gamma));
  };
  const double size = static_cast<double>(n + m + q.cols() + v.cols() + 2);
  AttentionGradientErrorBound bound;
  const auto finished = [&](const Eigen::MatrixXd& formula, double relative, const auto& touched) {
    bound.vacuous = bound.vacuous || !(relative < 1);
    Eigen::MatrixXd errors = Eigen::MatrixXd::Zero(formula.rows(), formula.cols());
    for (Eigen::Index i = 0; i < errors.rows(); ++i)
      for (Eigen::Index l = 0; l < errors.cols(); ++l)
        if (touched(i))
          errors(i, l) = detail::with_storage(
              relative * formula(i, l) + detail::underflow_bound(size, largest, arithmetic),
              formula(i, l), arithmetic);
    return errors;
  };
  const auto sees_a_key = [&](Eigen::Index i) { return (y.weights.row(i).array() > 0).any(); };
  const auto is_seen = [&](Eigen::Index j) { return (y.weights.col(j).array() > 0).any(); };
  bound.gradient.queries = finished(of_queries, part(2, v.cols() + 2 * m + 4), sees_a_key);
  bound.gradient.keys = finished(of_keys, part(2, v.cols() + m + n + 4), is_seen);
  bound.gradient.values = finished(of_values, part(1, n), is_seen);
  return bound;
}

//! [ScalingCostIsNegligible]
inline OperationCounts score_operations(std::uint64_t n, std::uint64_t m, std::uint64_t d,
                                        ScalePlace place) {
  if (d == 0) throw std::domain_error("the dimension is 0, but must be at least 1");
  return {n * m * d, n * m * (d - 1), place == ScalePlace::scores ? n * m : n * d};
}

inline Rational scaling_share(std::uint64_t m, std::uint64_t d, ScalePlace place) {
  if (m == 0) throw std::domain_error("the number of keys is 0, but must be at least 1");
  const OperationCounts one_query = score_operations(1, m, d, place);
  return Rational(one_query.divisions) / Rational(one_query.multiplications + one_query.additions);
}
//! [ScalingCostIsNegligible]

}  // namespace sqrtdk
