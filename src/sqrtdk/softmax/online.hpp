// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref softmax : softmax with one pass over the logits, or over parts of them.
#pragma once

#include <sqrtdk/numbers/columns.hpp>
#include <sqrtdk/numbers/require.hpp>
#include <sqrtdk/softmax.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace sqrtdk {

/// All that softmax must know of the logits seen so far: their maximum m and S = Σe^(x − m).
///
/// Logits may come one by one, and states of any parts of a list may be merged in any order.
///
/// \tparam Real a floating-point, Boost.Multiprecision or automatic-differentiation type.
template <class Real>
class PartialSoftmax {
 public:
  /// Takes a logit in: m′ = max(m, x), S′ = S e^(m − m′) + e^(x − m′).
  /// \param logit a number below +∞; −∞ counts as a weight of 0, NaN makes the sum NaN for good.
  /// \throws std::domain_error if the logit is +∞.
  void add(const Real& logit);

  /// Takes in all that another state has seen; a state that has seen nothing changes nothing.
  /// \param other the state of another part of the list.
  void merge(const PartialSoftmax& other);

  std::size_t count() const { return count_; }      ///< the number of logits taken in
  const Real& maximum() const { return maximum_; }  ///< m; −∞ if no logit was above it
  const Real& sum() const { return sum_; }          ///< S; 0 if no logit was above −∞

  /// The most often that the weight of a logit was multiplied by some e^(m − m′).
  std::size_t rescalings() const { return rescalings_; }

  /// m + ln S; −∞ if no logit was above −∞, as the logarithm of an empty sum.
  Real log_sum_exp() const;

  /// The softmax weight e^(x − m) / S of a logit that was taken in.
  /// \param logit x; that it was taken in is not checked.
  /// \return from 0 to 1.
  /// \throws std::invalid_argument if no logit was taken in.
  /// \throws std::domain_error if none of them was above −∞.
  Real weight(const Real& logit) const;

 private:
  static Real infinity() { return Real(std::numeric_limits<Real>::infinity()); }

  Real maximum_ = -infinity();
  Real sum_ = Real(0);
  std::size_t count_ = 0;
  std::size_t rescalings_ = 0;
};

/// Softmax with a single pass for maximum and sum, by PartialSoftmax.
///
/// The error is at most softmax_error_bound() for Summation::any_order and the rescalings of the
/// state.
///
/// \param logits n numbers, n at least 1; a row or a column.
/// \return n weights, in the shape of the argument.
/// \throws std::invalid_argument as softmax().
/// \throws std::domain_error as softmax().
/// \implements{OnePassError}
/// \source{milakov2018}.
template <class Derived>
typename Derived::PlainObject online_softmax(const Eigen::MatrixBase<Derived>& logits);

// Implementation

template <class Real>
void PartialSoftmax<Real>::add(const Real& logit) {
  if (logit == infinity()) detail::require_summable(logit);
  PartialSoftmax single;
  single.count_ = 1;
  if (logit != -infinity()) {
    single.maximum_ = logit;
    single.sum_ = logit != logit ? logit : Real(1);
  }
  merge(single);
}

//! [OnePassError]
template <class Real>
void PartialSoftmax<Real>::merge(const PartialSoftmax& other) {
  using std::exp;
  count_ += other.count_;
  if (other.sum_ == 0) return;
  if (sum_ == 0) {
    maximum_ = other.maximum_;
    sum_ = other.sum_;
    rescalings_ = other.rescalings_;
    return;
  }
  const bool rises = other.maximum_ > maximum_;
  const Real& greater = rises ? other.maximum_ : maximum_;
  const Real& lesser = rises ? maximum_ : other.maximum_;
  const Real factor = exp(Real(lesser - greater));
  const std::size_t rescaled = (rises ? rescalings_ : other.rescalings_) + (lesser < greater);
  rescalings_ = std::max(rescaled, rises ? other.rescalings_ : rescalings_);
  sum_ = rises ? Real(sum_ * factor + other.sum_) : Real(sum_ + other.sum_ * factor);
  maximum_ = greater;
}
//! [OnePassError]

template <class Real>
Real PartialSoftmax<Real>::log_sum_exp() const {
  using std::log;
  return sum_ == 0 ? Real(-infinity()) : Real(maximum_ + log(sum_));
}

template <class Real>
Real PartialSoftmax<Real>::weight(const Real& logit) const {
  using std::exp;
  detail::require_size("logits", static_cast<std::ptrdiff_t>(count_), 1);
  detail::require_summable(maximum_);
  return exp(Real(logit - maximum_)) / sum_;
}

template <class Derived>
typename Derived::PlainObject online_softmax(const Eigen::MatrixBase<Derived>& logits) {
  auto x = detail::as_column(logits);
  PartialSoftmax<Compute<typename Derived::Scalar>> state;
  for (const auto& logit : x) state.add(logit);
  for (auto& logit : x) logit = state.weight(logit);
  return detail::in_shape_of(logits, x);
}

}  // namespace sqrtdk
