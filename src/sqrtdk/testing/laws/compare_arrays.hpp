// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Whole arrays beside the exact ones, entry by entry: what other languages hold their kernels to.
///
/// The functions are compiled for float and double, to which an array of another format is widened.
#pragma once

#include <sqrtdk/attention.hpp>
#include <sqrtdk/softmax_arithmetic.hpp>
#include <sqrtdk/testing/laws/arrays.hpp>
#include <sqrtdk/testing/laws/attention_case.hpp>

#include <Eigen/Core>

#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <vector>

namespace sqrtdk::testing {

/// The entry that comes nearest to its bound, or is farthest beyond it, and how many there are.
struct Finding {
  std::ptrdiff_t row = -1;     ///< −1 if there is no entry
  std::ptrdiff_t column = -1;  ///< likewise
  double computed = 0;         ///< what is there
  double exact = 0;            ///< what is right
  double error = 0;            ///< how far it is off; NaN if it is none
  double bound = 0;            ///< how far it may be; +∞ where nothing is promised
  std::size_t entries = 0;     ///< how many were compared
  std::size_t beyond = 0;      ///< how many are beyond their bounds
  std::size_t unbounded = 0;   ///< for how many nothing is promised

  /// What orders findings: how much of its bound an error takes.
  static double ratio(double error, double bound) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (error == 0 || bound == infinity) return 0;
    if (std::isnan(error)) return infinity;
    return error / bound;
  }

  /// Whether the law is kept: every error is a number within its bound.
  bool holds() const { return beyond == 0; }

  /// Adds an entry.
  void add(std::ptrdiff_t i, std::ptrdiff_t j, double is, double right, double off, double may) {
    ++entries;
    if (!(off <= may) && !std::isinf(may)) ++beyond;
    if (std::isinf(may)) ++unbounded;
    if (row >= 0 && !(ratio(off, may) > ratio(error, bound))) return;
    row = i, column = j, computed = is, exact = right, error = off, bound = may;
  }

  /// Adds all that another array was found to be.
  void add(const Finding& other) {
    const Finding before = *this;
    if (row < 0 || ratio(other.error, other.bound) > ratio(error, bound)) *this = other;
    entries = before.entries + other.entries;
    beyond = before.beyond + other.beyond;
    unbounded = before.unbounded + other.unbounded;
  }
};

/// What numbers of a kernel are compared with at first: 29 or, where `long double` has 64 digits, 11 bits more
/// than theirs.
template <class Real>
using Reference = std::conditional_t<std::is_same_v<Real, float>, double, long double>;

/// Holds rows × n weights, or their logarithms, to the bound of their logits.
/// \param computed    rows × n numbers.
/// \param logits      as many, each row as softmax_error_bound() takes it.
/// \param temperature τ, greater than 0 and finite.
/// \param arithmetic  what computes them.
/// \param logarithm   whether the numbers are logarithms of weights.
/// \throws std::invalid_argument as softmax_error_bound().
/// \throws std::domain_error as softmax_error_bound().
/// \relatesalso Finding
template <class Real>
Finding compare_softmax(const Matrix<Real>& computed, const Matrix<Real>& logits,
                        double temperature, const SoftmaxArithmetic& arithmetic,
                        bool logarithm = false);

/// The bounds of weights or of their logarithms, +∞ where nothing is promised, or what these are.
/// \param logits      rows × n numbers, as for compare_softmax().
/// \param temperature τ, greater than 0 and finite.
/// \param arithmetic  what computes them.
/// \param logarithm   whether logarithms are asked for.
/// \param bounds      whether bounds are.
template <class Real>
Eigen::MatrixXd softmax_numbers(const Matrix<Real>& logits, double temperature,
                                const SoftmaxArithmetic& arithmetic, bool logarithm, bool bounds);

/// Holds the output of attention to its bound.
/// \param input      queries, keys, values and options.
/// \param computed   n × d_v numbers.
/// \param arithmetic what computes them.
/// \param empty_rows what a query gets that sees no key.
/// \throws std::invalid_argument as attention_error_bound().
/// \throws std::domain_error as attention_error_bound().
/// \relatesalso Finding
template <class Real>
Finding compare_attention(const AttentionCase<Real>& input, const Matrix<Real>& computed,
                          const SoftmaxArithmetic& arithmetic, EmptyRows empty_rows);

/// Holds the derivatives by queries, keys and values to their bounds, in this order.
/// \param input      queries, keys, values, the gradient of the output, and options.
/// \param computed   the three derivatives.
/// \param arithmetic what computes them.
/// \param empty_rows what a query gets that sees no key.
/// \throws std::invalid_argument as attention_gradient_error_bound().
/// \throws std::domain_error as attention_gradient_error_bound().
/// \relatesalso Finding
template <class Real>
std::vector<Finding> compare_attention_gradients(const AttentionCase<Real>& input,
                                                 const AttentionGradient<Real>& computed,
                                                 const SoftmaxArithmetic& arithmetic,
                                                 EmptyRows empty_rows);

/// The bounds of the output of attention, or what it is.
/// \param input      queries, keys, values and options.
/// \param arithmetic what computes it.
/// \param bounds     whether bounds are asked for.
template <class Real>
Eigen::MatrixXd attention_numbers(const AttentionCase<Real>& input,
                                  const SoftmaxArithmetic& arithmetic, bool bounds);

/// What query i alone is asked.
/// \param input queries, keys, values and options.
/// \param i     which query.
/// \relatesalso AttentionCase
template <class Real>
AttentionCase<Real> of_query(const AttentionCase<Real>& input, Eigen::Index i);

}  // namespace sqrtdk::testing
