// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref attention : options of attention, and the scores that every query sees.
#pragma once

#include <sqrtdk/numbers/columns.hpp>
#include <sqrtdk/numbers/matrix_product.hpp>
#include <sqrtdk/numbers/number_text.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace sqrtdk {

/// The keys that a causal mask leaves to query i of n if there are m keys.
enum class CausalAlignment {
  top_left,     ///< keys j ≤ i: the first query sees the first key, whatever n and m are
  bottom_right  ///< keys j ≤ i + m − n: the last query sees all keys, as when n queries continue a
                ///< sequence whose earlier keys are remembered
};

/// The options of attention besides softmax(QKᵀ/√d)V.
///
/// A key is masked for a query if any of the masks says so. scaled_dot_product_attention(),
/// attention_gradient(), attention_weights() and their error bounds take these options.
///
/// \tparam Real the type that is computed with.
template <class Real>
struct AttentionOptions {
  using Biases = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;       ///< n × m numbers
  using Permissions = Eigen::Matrix<bool, Eigen::Dynamic, Eigen::Dynamic>;  ///< n × m truth values

  /// The factor of scores, skipped if it is 1; without one they are divided by √d.
  std::optional<Real> scale = {};
  std::optional<Biases> bias = {};             ///< added to the scaled scores; −∞ masks the key
  std::optional<Permissions> allowed = {};     ///< true where the query may see the key
  std::optional<CausalAlignment> causal = {};  ///< masks the keys that come later
  bool return_weights = false;                 ///< true for a result with weights
};

namespace detail {

/// The shape of a matrix, for messages: `3 x 5`.
std::string shape_text(Eigen::Index rows, Eigen::Index columns);

template <class Derived>
std::string shape_text(const Eigen::DenseBase<Derived>& matrix);

/// Refuses queries, n × d, and keys, m × d, whose dot products do not exist.
/// \throws std::invalid_argument if the widths differ or are 0; the message names both shapes.
template <class Queries, class Keys>
void require_equal_widths(const Queries& queries, const Keys& keys);

/// Refuses values, m × d_v, that are not one for each key.
/// \throws std::invalid_argument if they are not as many; the message names both shapes.
template <class Keys, class Values>
void require_equal_counts(const Keys& keys, const Values& values);

/// Refuses a matrix, named in messages such as `the mask`, of another shape than rows × columns.
/// \throws std::invalid_argument if it has another; the message names both.
template <class Matrix>
void require_shape(const char* name, const Matrix& matrix, Eigen::Index rows, Eigen::Index columns);

/// √d for d ≥ 0; over exact types, such as Rational, a std::domain_error unless it is rational.
template <class Real>
Real exact_sqrt(Eigen::Index d);

/// Multiplies by a scale, or divides by √d.
template <class Real>
class Scaling {
 public:
  /// Multiplies by a scale, or divides by √d if there is none, d at least 1.
  /// \throws std::domain_error as exact_sqrt(), if √d is needed.
  Scaling(const std::optional<Real>& scale, Eigen::Index d);

  /// The scaled number; a scale of 1 changes nothing.
  Real operator()(const Real& x) const;

  /// The magnitude of the factor, 1/√d or the scale, for error bounds.
  double magnitude() const;

 private:
  std::optional<Real> scale_;
  Real sqrt_;
};

/// The keys that the masks leave to a query.
template <class Real>
class Visibility {
 public:
  /// The masks, which must outlive this, for n queries and m keys.
  /// \throws std::invalid_argument if a mask has another shape than n × m.
  Visibility(const AttentionOptions<Real>& options, Eigen::Index n, Eigen::Index m);

  bool operator()(Eigen::Index i, Eigen::Index j) const;

  std::vector<Eigen::Index> of(Eigen::Index i) const;

 private:
  static bool is_minus_infinity(const Real& x);

  const AttentionOptions<Real>& options_;
  Eigen::Index n_;
  Eigen::Index m_;
};

/// A pass over the queries: checked arguments in rows, and the scores query by query.
template <class Real>
class AttentionPass {
 public:
  /// Q, n × d with d at least 1, K, m × d, and options that must outlive this.
  /// \throws std::invalid_argument if shapes do not fit; the message names both.
  /// \throws std::domain_error as Scaling.
  template <class Queries, class Keys>
  AttentionPass(const Eigen::MatrixBase<Queries>& queries, const Eigen::MatrixBase<Keys>& keys,
                const AttentionOptions<Real>& options);

  const Rows<Real>& queries() const { return queries_; }     ///< Q
  const Rows<Real>& keys() const { return keys_; }           ///< K
  const Scaling<Real>& scaling() const { return scaling_; }  ///< the scale of products

  std::vector<Eigen::Index> visible(Eigen::Index i) const { return visibility_.of(i); }

  /// The scaled score of query i and key j, without its bias.
  Real score(Eigen::Index i, Eigen::Index j) const;

  /// Scores with biases of query i and some keys; a std::domain_error if one overflows.
  ColumnOf<Real> scores(Eigen::Index i, const std::vector<Eigen::Index>& seen) const;

 private:
  static bool is_finite(const Real& x) { return Real(x - x) == Real(0); }

  /// Refuses a score that is no finite number, unless it was made of one that is not.
  void require_no_overflow(const Real& score, Eigen::Index i, Eigen::Index j) const;

  const AttentionOptions<Real>& options_;
  Rows<Real> queries_;
  Rows<Real> keys_;
  Scaling<Real> scaling_;
  Visibility<Real> visibility_;
};

}  // namespace detail

// Implementation

namespace detail {

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

template <class Real>
Real exact_sqrt(Eigen::Index d) {
  if constexpr (std::numeric_limits<Real>::is_exact) {
    const auto candidate = sqrt(numerator(Real(d)));
    if (candidate * candidate != d)
      throw std::domain_error("the root of the width " + std::to_string(d) +
                              " is not rational; give a scale, or a width that is a square");
    return Real(candidate);
  } else {
    using std::sqrt;
    return sqrt(Real(static_cast<double>(d)));
  }
}

template <class Real>
Scaling<Real>::Scaling(const std::optional<Real>& scale, Eigen::Index d)
    : scale_(scale), sqrt_(scale ? Real(1) : exact_sqrt<Real>(d)) {}

template <class Real>
Real Scaling<Real>::operator()(const Real& x) const {
  if (!scale_) return x / sqrt_;
  return *scale_ == Real(1) ? x : Real(x * *scale_);
}

template <class Real>
double Scaling<Real>::magnitude() const {
  return scale_ ? std::abs(static_cast<double>(*scale_)) : 1 / static_cast<double>(sqrt_);
}

template <class Real>
Visibility<Real>::Visibility(const AttentionOptions<Real>& options, Eigen::Index n, Eigen::Index m)
    : options_(options), n_(n), m_(m) {
  if (options.bias) require_shape("the bias", *options.bias, n, m);
  if (options.allowed) require_shape("the mask", *options.allowed, n, m);
}

template <class Real>
bool Visibility<Real>::operator()(Eigen::Index i, Eigen::Index j) const {
  if (options_.allowed && !(*options_.allowed)(i, j)) return false;
  if (options_.causal == CausalAlignment::top_left && j > i) return false;
  if (options_.causal == CausalAlignment::bottom_right && j > i + m_ - n_) return false;
  return !options_.bias || !is_minus_infinity((*options_.bias)(i, j));
}

template <class Real>
std::vector<Eigen::Index> Visibility<Real>::of(Eigen::Index i) const {
  Eigen::Index end = m_;
  if (options_.causal == CausalAlignment::top_left) end = std::min(end, i + 1);
  if (options_.causal == CausalAlignment::bottom_right)
    end = std::clamp<Eigen::Index>(i + 1 + m_ - n_, 0, m_);
  std::vector<Eigen::Index> keys(static_cast<std::size_t>(end));
  std::iota(keys.begin(), keys.end(), Eigen::Index{0});
  if (options_.allowed || options_.bias)
    std::erase_if(keys, [&](Eigen::Index j) { return !(*this)(i, j); });
  return keys;
}

template <class Real>
bool Visibility<Real>::is_minus_infinity(const Real& x) {
  if constexpr (std::numeric_limits<Real>::has_infinity)
    return x == -std::numeric_limits<Real>::infinity();
  else
    return false;
}

template <class Real>
template <class Queries, class Keys>
AttentionPass<Real>::AttentionPass(const Eigen::MatrixBase<Queries>& queries,
                                   const Eigen::MatrixBase<Keys>& keys,
                                   const AttentionOptions<Real>& options)
    : options_(options),
      queries_((require_equal_widths(queries, keys), queries.template cast<Real>())),
      keys_(keys.template cast<Real>()),
      scaling_(options.scale, queries.cols()),
      visibility_(options, queries.rows(), keys.rows()) {}

template <class Real>
Real AttentionPass<Real>::score(Eigen::Index i, Eigen::Index j) const {
  return scaling_(queries_.row(i).dot(keys_.row(j)));
}

template <class Real>
ColumnOf<Real> AttentionPass<Real>::scores(Eigen::Index i,
                                           const std::vector<Eigen::Index>& seen) const {
  ColumnOf<Real> result(static_cast<Eigen::Index>(seen.size()));
  for (Eigen::Index a = 0; a < result.size(); ++a) {
    const Eigen::Index j = seen[static_cast<std::size_t>(a)];
    result[a] = score(i, j);
    if (options_.bias) result[a] += (*options_.bias)(i, j);
    require_no_overflow(result[a], i, j);
  }
  return result;
}

template <class Real>
void AttentionPass<Real>::require_no_overflow(const Real& score, Eigen::Index i,
                                              Eigen::Index j) const {
  if constexpr (std::numeric_limits<Real>::has_infinity) {
    if (is_finite(score)) return;
    for (Eigen::Index l = 0; l < queries_.cols(); ++l)
      if (!is_finite(queries_(i, l)) || !is_finite(keys_(j, l))) return;
    if (options_.scale && !is_finite(*options_.scale)) return;
    if (options_.bias && !is_finite((*options_.bias)(i, j))) return;
    throw std::domain_error("the score of query " + std::to_string(i) + " and key " +
                            std::to_string(j) + " overflows to " + to_text(score));
  }
}

}  // namespace detail

}  // namespace sqrtdk
