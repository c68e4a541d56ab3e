// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref softmax : softmax and log-sum-exp.
///
/// In one pass: softmax/online.hpp; error bounds: softmax_error.hpp; the chapter's worked examples:
/// softmax/examples.hpp; weights between rational numbers: softmax/enclosure.hpp.
#pragma once

#include <sqrtdk/numbers/columns.hpp>
#include <sqrtdk/numbers/require.hpp>

#include <Eigen/Core>

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <stdexcept>
#include <string_view>
#include <type_traits>

namespace sqrtdk {

namespace detail {

/// Logits as a column, in the type computed with; a std::invalid_argument if there is none.
template <class Derived>
ColumnOf<Compute<typename Derived::Scalar>> as_column(const Eigen::MatrixBase<Derived>& logits);

/// (x − m)/τ, x ≤ m, 0 < τ < ∞. Where x − m overflows, both are so large that halves are exact.
template <class Real>
Real scaled_difference(const Real& x, const Real& maximum, const Real& temperature);

/// Refuses logits by their maximum, by a std::domain_error if it is infinite.
template <class Real>
void require_summable(const Real& maximum);

}  // namespace detail

/// pᵢ = wᵢ / Σwⱼ: a probability vector, exact over the rationals; for the weights e^x, softmax.
/// \param weights n weights, n at least 1, finite, none negative, not all 0.
/// \return n probabilities, in the shape of the argument.
/// \throws std::invalid_argument if there is no weight.
/// \throws std::domain_error if a weight is negative, infinite or NaN, or all are 0.
/// \throws std::overflow_error if the sum of the weights overflows.
/// \implements{SoftmaxIsAProbability}
template <class Derived>
typename Derived::PlainObject normalized_weights(const Eigen::MatrixBase<Derived>& weights);

/// The most by which a softmax weight can move if no weight e^x changes by more than a factor
/// r = e^h: (r − 1)/(r + 1) = tanh(h/2), reached by two weights that change places.
/// \tparam Real any number, exact or in floating point.
/// \param ratio r, at least 1 and finite.
/// \throws std::domain_error if r is out of range.
/// \implements{SoftmaxIsAProbability}
template <class Real>
Real largest_move(const Real& ratio);

/// softmax(x)ᵢ = e^xᵢ / Σe^xⱼ as the formula is written, without care for overflow.
///
/// e^x is infinite above overflow_threshold(), and the sum sooner: then weights are NaN where e^x is
/// infinite and 0 elsewhere; and all are NaN if every e^x underflows. Needs no comparison, so complex logits are allowed.
///
/// \param logits n numbers, n at least 1; a row or a column.
/// \return n weights, in the shape of the argument.
/// \throws std::invalid_argument if there is no logit.
/// \implements{NaiveSoftmaxOverflows}
template <class Derived>
typename Derived::PlainObject naive_softmax(const Eigen::MatrixBase<Derived>& logits);

/// softmax(x/τ)ᵢ = e^((xᵢ − m)/τ) / Σe^((xⱼ − m)/τ) with m = max x: never overflows.
///
/// A logit of −∞ has the weight 0; a NaN makes every weight NaN. A difference xᵢ − m that overflows
/// does no harm: it is taken of halves then.
///
/// \tparam Derived a vector over float, double, long double, half or bfloat16 (computed in float),
///                 a Boost.Multiprecision or an automatic-differentiation type.
/// \param logits      n numbers, n at least 1; a row or a column.
/// \param temperature τ, greater than 0 and finite.
/// \return n weights from 0 to 1, in the shape of the argument.
/// \throws std::invalid_argument if there is no logit.
/// \throws std::domain_error if τ is out of range, or a logit is +∞ or all are −∞ (and none is
///                           NaN): then the limit of the weights depends on how it is taken.
/// \maxerror{softmax_error_bound}
/// \implements{StableSoftmax}
template <class Derived>
typename Derived::PlainObject softmax(const Eigen::MatrixBase<Derived>& logits,
                                      const Compute<typename Derived::Scalar>& temperature = 1);

/// softmax() of numbers that lie one after the other in memory.
/// \param logits      n numbers, n at least 1: a std::vector, an array or a part of one, as a span.
/// \param temperature τ, greater than 0 and finite.
/// \return n weights from 0 to 1, as a column.
/// \throws std::invalid_argument as softmax() of a column.
/// \throws std::domain_error as softmax() of a column.
template <class Scalar, std::size_t extent>
auto softmax(std::span<Scalar, extent> logits,
             const std::type_identity_t<Compute<Scalar>>& temperature = 1);

/// ln Σe^(xᵢ/τ) = m/τ + ln Σe^((xᵢ − m)/τ): never overflows.
///
/// +∞ if a logit is +∞, −∞ if all are −∞, NaN if one is NaN.
///
/// \param logits      n numbers, n at least 1; a row or a column.
/// \param temperature τ, greater than 0 and finite.
/// \throws std::invalid_argument if there is no logit.
/// \throws std::domain_error if τ is out of range.
/// \maxerror{log_sum_exp_error_bound}
template <class Derived>
Compute<typename Derived::Scalar> log_sum_exp(
    const Eigen::MatrixBase<Derived>& logits,
    const Compute<typename Derived::Scalar>& temperature = 1);

/// log_sum_exp() of numbers that lie one after the other in memory.
/// \param logits      n numbers, n at least 1: a std::vector, an array or a part of one, as a span.
/// \param temperature τ, greater than 0 and finite.
/// \return ln Σe^(xᵢ/τ).
/// \throws std::invalid_argument as log_sum_exp() of a column.
/// \throws std::domain_error as log_sum_exp() of a column.
template <class Scalar, std::size_t extent>
auto log_sum_exp(std::span<Scalar, extent> logits,
                 const std::type_identity_t<Compute<Scalar>>& temperature = 1);

/// ln softmax(x/τ)ᵢ = (xᵢ − m)/τ − ln Σe^((xⱼ − m)/τ), which stays finite where the weight is 0.
///
/// −∞ comes out only if the logarithm is below the least number of the type.
///
/// \param logits      n numbers, n at least 1; a row or a column.
/// \param temperature τ, greater than 0 and finite.
/// \return n logarithms, at most 0, in the shape of the argument.
/// \throws std::invalid_argument if there is no logit.
/// \throws std::domain_error as softmax().
/// \maxerror{log_softmax_error_bound}
template <class Derived>
typename Derived::PlainObject log_softmax(const Eigen::MatrixBase<Derived>& logits,
                                          const Compute<typename Derived::Scalar>& temperature = 1);

/// log_softmax() of numbers that lie one after the other in memory.
/// \param logits      n numbers, n at least 1: a std::vector, an array or a part of one, as a span.
/// \param temperature τ, greater than 0 and finite.
/// \return n logarithms, at most 0, as a column.
/// \throws std::invalid_argument as log_softmax() of a column.
/// \throws std::domain_error as log_softmax() of a column.
template <class Scalar, std::size_t extent>
auto log_softmax(std::span<Scalar, extent> logits,
                 const std::type_identity_t<Compute<Scalar>>& temperature = 1);

/// The largest x of a type for which e^x, rounded to that type, is finite: 709.78 for double, 88.72
/// for float, 11.09 for half, 88.5 for bfloat16.
/// \tparam Real double, float, Eigen::half or Eigen::bfloat16.
/// \implements{NaiveSoftmaxOverflows}
template <class Real>
Real overflow_threshold();

// Implementation

namespace detail {

template <class Real>
Real infinity() {
  return Real(std::numeric_limits<Real>::infinity());
}

template <class Real>
bool is_finite(const Real& x) {
  return Real(x - x) == Real(0);
}

template <class Real>
void require_finite(std::string_view name, const Real& x) {
  if (!is_finite(x)) require_that(false, name, x, "be finite");
}

/// e^((x − m)/τ).
/// \implements{SoftmaxShiftInvariance}
//! [SoftmaxShiftInvariance]
template <class Real>
ColumnOf<Real> shifted_exponentials(const ColumnOf<Real>& x, const Real& maximum,
                                    const Real& temperature) {
  using std::exp;
  ColumnOf<Real> weights(x.size());
  for (Eigen::Index i = 0; i < x.size(); ++i)
    weights[i] = exp(scaled_difference(x[i], maximum, temperature));
  return weights;
}
//! [SoftmaxShiftInvariance]

template <class Real>
ColumnOf<Real> divided_by_sum(ColumnOf<Real> weights) {
  const Real sum = pairwise_sum(weights);
  for (Real& weight : weights) weight /= sum;
  return weights;
}

template <class Derived>
ColumnOf<Compute<typename Derived::Scalar>> as_column(const Eigen::MatrixBase<Derived>& logits) {
  static_assert(Derived::IsVectorAtCompileTime, "a softmax takes a row or a column");
  using Real = Compute<typename Derived::Scalar>;
  require_size("logits", logits.size(), 1);
  const auto& evaluated = logits.derived().eval();
  ColumnOf<Real> column(logits.size());
  for (Eigen::Index i = 0; i < column.size(); ++i) column[i] = Real(evaluated.coeff(i));
  return column;
}

template <class Real>
Real scaled_difference(const Real& x, const Real& maximum, const Real& temperature) {
  const Real difference = x - maximum;
  if (difference == -detail::infinity<Real>())
    return Real(Real(x / 2) - Real(maximum / 2)) / Real(temperature / 2);
  return difference / temperature;
}

template <class Real>
void require_summable(const Real& maximum) {
  if (maximum == detail::infinity<Real>())
    throw std::domain_error("a logit is inf, but must be less than infinity");
  if (maximum == -detail::infinity<Real>())
    throw std::domain_error("all logits are -inf, but one must be greater");
}

}  // namespace detail

//! [SoftmaxIsAProbability]
template <class Derived>
typename Derived::PlainObject normalized_weights(const Eigen::MatrixBase<Derived>& weights) {
  using Real = Compute<typename Derived::Scalar>;
  const auto w = detail::as_column(weights);
  for (const Real& weight : w) {
    detail::require_at_least("a weight", weight, Real(0));
    detail::require_finite("a weight", weight);
  }
  const Real sum = pairwise_sum(w);
  if (!detail::is_finite(sum)) throw std::overflow_error("the sum of the weights overflows");
  if (sum == 0) throw std::domain_error("all weights are 0, but one must be greater");
  return detail::in_shape_of(weights, detail::divided_by_sum(w));
}

template <class Real>
Real largest_move(const Real& ratio) {
  detail::require_at_least("the ratio", ratio, Real(1));
  detail::require_finite("the ratio", ratio);
  return (ratio - 1) / (ratio + 1);
}
//! [SoftmaxIsAProbability]

//! [NaiveSoftmaxOverflows]
template <class Derived>
typename Derived::PlainObject naive_softmax(const Eigen::MatrixBase<Derived>& logits) {
  using std::exp;
  auto weights = detail::as_column(logits);
  for (auto& x : weights) x = exp(x);
  return detail::in_shape_of(logits, detail::divided_by_sum(weights));
}
//! [NaiveSoftmaxOverflows]

//! [StableSoftmax]
template <class Derived>
typename Derived::PlainObject softmax(const Eigen::MatrixBase<Derived>& logits,
                                      const Compute<typename Derived::Scalar>& temperature) {
  detail::require_positive_finite("the temperature", temperature);
  const auto x = detail::as_column(logits);
  const auto maximum = detail::max_or_nan(x);
  detail::require_summable(maximum);
  return detail::in_shape_of(
      logits, detail::divided_by_sum(detail::shifted_exponentials(x, maximum, temperature)));
}
//! [StableSoftmax]

template <class Scalar, std::size_t extent>
auto softmax(std::span<Scalar, extent> logits,
             const std::type_identity_t<Compute<Scalar>>& temperature) {
  using Vector = ColumnOf<std::remove_cv_t<Scalar>>;
  return softmax(Eigen::Map<const Vector>(logits.data(), static_cast<Eigen::Index>(logits.size())),
                 temperature);
}

template <class Derived>
Compute<typename Derived::Scalar> log_sum_exp(
    const Eigen::MatrixBase<Derived>& logits,
    const Compute<typename Derived::Scalar>& temperature) {
  using Real = Compute<typename Derived::Scalar>;
  using std::log;
  detail::require_positive_finite("the temperature", temperature);
  const auto x = detail::as_column(logits);
  const Real maximum = detail::max_or_nan(x);
  if (maximum == detail::infinity<Real>() || maximum == -detail::infinity<Real>()) return maximum;
  const auto weights = detail::shifted_exponentials(x, maximum, temperature);
  return Real(maximum / temperature) + Real(log(pairwise_sum(weights)));
}

template <class Scalar, std::size_t extent>
auto log_sum_exp(std::span<Scalar, extent> logits,
                 const std::type_identity_t<Compute<Scalar>>& temperature) {
  using Vector = ColumnOf<std::remove_cv_t<Scalar>>;
  return log_sum_exp(
      Eigen::Map<const Vector>(logits.data(), static_cast<Eigen::Index>(logits.size())),
      temperature);
}

template <class Derived>
typename Derived::PlainObject log_softmax(const Eigen::MatrixBase<Derived>& logits,
                                          const Compute<typename Derived::Scalar>& temperature) {
  using Real = Compute<typename Derived::Scalar>;
  using std::log;
  detail::require_positive_finite("the temperature", temperature);
  auto x = detail::as_column(logits);
  const Real maximum = detail::max_or_nan(x);
  detail::require_summable(maximum);
  const auto weights = detail::shifted_exponentials(x, maximum, temperature);
  const Real log_sum = log(pairwise_sum(weights));
  for (Real& logit : x) logit = detail::scaled_difference(logit, maximum, temperature) - log_sum;
  return detail::in_shape_of(logits, x);
}

template <class Scalar, std::size_t extent>
auto log_softmax(std::span<Scalar, extent> logits,
                 const std::type_identity_t<Compute<Scalar>>& temperature) {
  using Vector = ColumnOf<std::remove_cv_t<Scalar>>;
  return log_softmax(
      Eigen::Map<const Vector>(logits.data(), static_cast<Eigen::Index>(logits.size())),
      temperature);
}

/// The largest x of type double for which e^x, rounded to it, is finite: 709.78.
template <>
inline double overflow_threshold<double>() {
  return 0x1.62e42fefa39efp+9;
}
/// The largest x of type float for which e^x, rounded to it, is finite: 88.72.
template <>
inline float overflow_threshold<float>() {
  return 0x1.62e42ep+6F;
}
/// The largest x of type Eigen::half for which e^x, rounded to it, is finite: 11.09.
template <>
inline Eigen::half overflow_threshold<Eigen::half>() {
  return Eigen::half(0x1.62cp+3F);
}
/// The largest x of type Eigen::bfloat16 for which e^x, rounded to it, is finite: 88.5.
template <>
inline Eigen::bfloat16 overflow_threshold<Eigen::bfloat16>() {
  return Eigen::bfloat16(0x1.62p+6F);
}

}  // namespace sqrtdk
