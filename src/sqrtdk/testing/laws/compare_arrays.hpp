// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Whole arrays beside the exact ones, entry by entry: what other languages hold their kernels to.
///
/// Targets are compiled for float and double, to which arrays of other formats are widened.
#pragma once

#include <sqrtdk/softmax_error/arithmetic.hpp>
#include <sqrtdk/testing/laws/arrays.hpp>
#include <sqrtdk/testing/laws/attention_case.hpp>
#include <sqrtdk/testing/laws/wide.hpp>

#include <Eigen/Core>

#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <type_traits>
#include <vector>

namespace sqrtdk::testing {

/// An array compared with a Target: the entry with the largest error in units of its bound, and the
/// numbers of entries compared, beyond their bounds and without one.
struct Finding {
  std::ptrdiff_t row = -1;     ///< its row, from 0; −1 if there is no entry
  std::ptrdiff_t column = -1;  ///< its column, from 0; −1 if there is no entry
  double computed = 0;         ///< the number that was computed there
  double exact = 0;            ///< the right number, rounded to double
  double error = 0;            ///< the distance of the two; NaN if there is none
  double bound = 0;            ///< of that; +∞ where nothing is promised
  std::size_t entries = 0;     ///< how many entries were compared
  std::size_t beyond = 0;      ///< how many of them are beyond their bounds
  std::size_t unbounded = 0;   ///< how many have no bound, as nothing is promised

  /// The error's share of its bound.
  double ratio() const {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (error == 0 || bound == infinity) return 0;
    return std::isnan(error) ? infinity : error / bound;
  }

  /// True if the law is kept: every error is a number within its bound.
  bool holds() const { return beyond == 0; }

  /// Adds all that another array, or an entry, was found to be.
  void add(const Finding& other) {
    const Finding before = *this;
    if (row < 0 || other.ratio() > ratio()) *this = other;
    entries = before.entries + other.entries;
    beyond = before.beyond + other.beyond;
    unbounded = before.unbounded + other.unbounded;
  }
};

/// The type of a first comparison: 29 bits more than Real, 11 if `long double` has 64 digits.
template <class Real>
using Reference = std::conditional_t<std::is_same_v<Real, float>, double, long double>;

/// The right numbers, to the digits of Reference or to fifty; or their error bounds, +∞ for none.
enum class TargetNumbers { nearly_right, exact, bounds };

/// The right numbers of an array, and their bounds.
struct Target {
  using Index = Eigen::Index;  ///< the type of places in an array

  /// The right numbers of a row. The given ones matter where a convention leaves a choice.
  struct Row {
    std::function<long double(Index j, double is)>
        near;                                       ///< the right one, to the digits of Reference
    std::function<Wide(Index j, double is)> exact;  ///< the same to fifty digits
    std::function<double(Index j, double right)> bound;  ///< of its error; +∞: nothing is promised
  };

  Index rows;                     ///< the number of rows
  Index columns;                  ///< and of numbers in each
  std::function<Row(Index)> row;  ///< the right numbers of row i, from 0
  /// Part of a bound by which a reference may be off; what is nearer is decided by fifty digits.
  double doubt;
  std::vector<bool> open =
      {};  ///< of each row, whether nothing is promised of what is beyond its bound

  /// Holds an array to it.
  /// \throws std::invalid_argument if it has another shape.
  Finding compare(const Eigen::MatrixXd& computed) const;

  Eigen::MatrixXd numbers(TargetNumbers kind) const;  ///< numbers of a kind for all entries
};

/// The numbers computed from a row of logits.
enum class OfLogits { weights, logarithms, log_sum_exp };

/// Weights of rows × n logits, or their logarithms; or rows × 1 logarithms of sums.
/// \param logits      each row as softmax_error_bound() takes it.
/// \param temperature τ, greater than 0 and finite.
/// \param arithmetic  what computes them.
/// \param what        which of them.
/// \relatesalso Target
template <class Real>
Target softmax_target(const Matrix<Real>& logits, double temperature,
                      const SoftmaxArithmetic& arithmetic, OfLogits what);

/// The derivative p ⊙ (g − ⟨p, g⟩) of each row.
/// \param weights    rows × n, each row as vector_jacobian_error_bound() takes it.
/// \param cotangents likewise.
/// \param arithmetic what computes it, as vector_jacobian_error_bound() takes it, and what stores it.
/// \throws std::domain_error if a cotangent is not finite.
/// \relatesalso Target
template <class Real>
Target backward_target(const Matrix<Real>& weights, const Matrix<Real>& cotangents,
                       const SoftmaxArithmetic& arithmetic);

/// The derivative g − e^y Σg of each row.
/// \param logarithms rows × n, each row as log_softmax_backward_error_bound() takes it.
/// \param cotangents likewise.
/// \param arithmetic likewise, and what stores it.
/// \throws std::domain_error if a cotangent is not finite.
/// \relatesalso Target
template <class Real>
Target log_softmax_backward_target(const Matrix<Real>& logarithms, const Matrix<Real>& cotangents,
                                   const SoftmaxArithmetic& arithmetic);

/// The output of attention.
/// \param input      queries, keys, values and options, as attention_error_bound() takes them.
/// \param arithmetic what computes it.
/// \param empty_rows what a query gets that sees no key.
/// \relatesalso Target
template <class Real>
Target attention_target(const AttentionCase<Real>& input, const SoftmaxArithmetic& arithmetic,
                        EmptyRows empty_rows = EmptyRows::zero);

/// Log-sum-exp of the scaled and masked scores of each query, n × 1; of a query that sees no key anything.
/// \param input      as for attention_target().
/// \param arithmetic what computes it.
/// \relatesalso Target
template <class Real>
Target attention_log_sum_exp_target(const AttentionCase<Real>& input,
                                    const SoftmaxArithmetic& arithmetic);

/// The derivatives by queries, keys and values.
/// \param input      a case with an output gradient, as attention_gradient_error_bound() takes them.
/// \param arithmetic what computes them.
/// \param empty_rows `any` if nothing is promised for what a query that sees no key has a part in; else they are 0.
/// \param heads      g: the queries are those of so many heads, one after the other, which share keys and
///                   values. Derivatives by these may be added in any order, or may be the sum of one
///                   stored derivative for each head, added in the format of the results or in that of
///                   computing.
/// \relatesalso Target
template <class Real>
std::vector<Target> gradient_targets(const AttentionCase<Real>& input,
                                     const SoftmaxArithmetic& arithmetic, EmptyRows empty_rows,
                                     unsigned heads = 1);

/// The case of query i alone.
/// \relatesalso AttentionCase
template <class Real>
AttentionCase<Real> of_query(const AttentionCase<Real>& input, Eigen::Index i);

}  // namespace sqrtdk::testing
