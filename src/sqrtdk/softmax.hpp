// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref softmax : softmax, log-sum-exp and their one-pass forms.
///
/// How far they are from the exact values is bounded in softmax_error.hpp.
#pragma once

#include <sqrtdk/numbers/float_environment.hpp>
#include <sqrtdk/numbers/rational.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace sqrtdk {

/// \name The type in which logits are computed with
/// Logits stored in half precision are computed with in `float` and rounded once, at the end.
/// \{
template <class Scalar>
struct ComputeType {
  using type = Scalar;  ///< the scalar itself, unless a specialization says otherwise
};
template <>
struct ComputeType<Eigen::half> {
  using type = float;  ///< binary16 is for storage
};
template <>
struct ComputeType<Eigen::bfloat16> {
  using type = float;  ///< bfloat16 is for storage
};
/// What a scalar of this type is computed in: float for the two storage types, else itself.
template <class Scalar>
using Compute = typename ComputeType<std::remove_cv_t<Scalar>>::type;
/// \}

/// The sum of n numbers by halves, down to blocks of eight that are added one after the other.
///
/// No number goes through more than ⌈log₂ n⌉ + 8 additions.
/// \param numbers n numbers, n at least 0; any scalar with addition.
template <class Scalar>
Scalar pairwise_sum(std::span<const Scalar> numbers);

/// pᵢ = wᵢ / Σwⱼ: a list of weights as a probability vector, exact over the rationals.
///
/// Softmax is this, for the weights e^x. Implements \ref SoftmaxIsAProbability.
/// \param weights n weights, n at least 1, none negative, not all 0.
/// \return n probabilities, in the shape of the argument.
/// \throws std::invalid_argument if there is no weight.
/// \throws std::domain_error if a weight is negative or all are 0.
template <class Derived>
typename Derived::PlainObject normalized_weights(const Eigen::MatrixBase<Derived>& weights);

/// softmax(x)ᵢ = e^xᵢ / Σe^xⱼ as the formula is written, without care for overflow.
///
/// e^x is infinite above overflow_threshold(), and the sum sooner: then weights are NaN or all 0;
/// and all are NaN if every e^x underflows. Needs no comparison, so complex logits are allowed.
/// Implements \ref NaiveSoftmaxOverflows .
/// \param logits n numbers, n at least 1; a row or a column.
/// \return n weights, in the shape of the argument.
/// \throws std::invalid_argument if there is no logit.
template <class Derived>
typename Derived::PlainObject naive_softmax(const Eigen::MatrixBase<Derived>& logits);

/// softmax(x/τ)ᵢ = e^((xᵢ − m)/τ) / Σe^((xⱼ − m)/τ) with m = max x: never overflows.
///
/// A logit of −∞ has the weight 0; a NaN makes every weight NaN. A difference xᵢ − m that overflows
/// does no harm: it is taken of halves then.
/// In floating point the error is at most softmax_error_bound(). Implements \ref StableSoftmax.
/// \tparam Derived a vector over float, double, long double, half or bfloat16 (computed in float),
///                 a Boost.Multiprecision or an automatic-differentiation type.
/// \param logits      n numbers, n at least 1; a row or a column.
/// \param temperature τ, greater than 0 and finite.
/// \return n weights from 0 to 1, in the shape of the argument.
/// \throws std::invalid_argument if there is no logit.
/// \throws std::domain_error if τ is out of range, or a logit is +∞ or all are −∞ (and none is
///                           NaN): then the limit of the weights depends on how it is taken.
template <class Derived>
typename Derived::PlainObject softmax(const Eigen::MatrixBase<Derived>& logits,
                                      const Compute<typename Derived::Scalar>& temperature = 1);

/// softmax() of numbers that lie one after the other in memory.
template <class Scalar, std::size_t extent>
auto softmax(std::span<Scalar, extent> logits,
             const std::type_identity_t<Compute<Scalar>>& temperature = 1);

/// ln Σe^(xᵢ/τ) = m/τ + ln Σe^((xᵢ − m)/τ): never overflows.
///
/// +∞ if a logit is +∞, −∞ if all are −∞, NaN if one is NaN. The error is at most
/// log_sum_exp_error_bound().
/// \param logits      n numbers, n at least 1; a row or a column.
/// \param temperature τ, greater than 0 and finite.
/// \throws std::invalid_argument if there is no logit.
/// \throws std::domain_error if τ is out of range.
template <class Derived>
Compute<typename Derived::Scalar> log_sum_exp(
    const Eigen::MatrixBase<Derived>& logits,
    const Compute<typename Derived::Scalar>& temperature = 1);

/// log_sum_exp() of numbers that lie one after the other in memory.
template <class Scalar, std::size_t extent>
auto log_sum_exp(std::span<Scalar, extent> logits,
                 const std::type_identity_t<Compute<Scalar>>& temperature = 1);

/// ln softmax(x/τ)ᵢ = (xᵢ − m)/τ − ln Σe^((xⱼ − m)/τ), which stays finite where the weight is 0.
///
/// The error is at most log_softmax_error_bound(); −∞ comes out only if the logarithm is below the
/// least number of the type.
/// \param logits      n numbers, n at least 1; a row or a column.
/// \param temperature τ, greater than 0 and finite.
/// \return n logarithms, at most 0, in the shape of the argument.
/// \throws std::invalid_argument if there is no logit.
/// \throws std::domain_error as softmax().
template <class Derived>
typename Derived::PlainObject log_softmax(const Eigen::MatrixBase<Derived>& logits,
                                          const Compute<typename Derived::Scalar>& temperature = 1);

/// log_softmax() of numbers that lie one after the other in memory.
template <class Scalar, std::size_t extent>
auto log_softmax(std::span<Scalar, extent> logits,
                 const std::type_identity_t<Compute<Scalar>>& temperature = 1);

/// All that softmax must know of the logits seen so far: their maximum m and S = Σe^(x − m).
///
/// Logits may come one by one, and states of any parts of a list may be merged in any order.
/// \tparam Real a floating-point, Boost.Multiprecision or automatic-differentiation type.
template <class Real>
class PartialSoftmax {
 public:
  /// Takes a logit in: m′ = max(m, x), S′ = S e^(m − m′) + e^(x − m′).
  /// \param logit a number below +∞; −∞ counts as a weight of 0, NaN makes the sum NaN for good.
  /// \throws std::domain_error if the logit is +∞.
  void add(const Real& logit);

  /// Takes in all that another state has seen; a state that has seen nothing changes nothing.
  void merge(const PartialSoftmax& other);

  std::size_t count() const { return count_; }      ///< how many logits were taken in
  const Real& maximum() const { return maximum_; }  ///< m; −∞ if no logit was above it
  const Real& sum() const { return sum_; }          ///< S; 0 if no logit was above −∞

  /// The most often that the weight of a logit was multiplied by some e^(m − m′).
  std::size_t rescalings() const { return rescalings_; }

  /// m + ln S; −∞ if no logit was above −∞, as the logarithm of an empty sum.
  Real log_sum_exp() const;

  /// The softmax weight e^(x − m) / S of a logit that was taken in.
  /// \throws std::invalid_argument if no logit was taken in.
  /// \throws std::domain_error if none of them was above −∞.
  Real weight(const Real& logit) const;

 private:
  Real maximum_ = -std::numeric_limits<Real>::infinity();
  Real sum_ = Real(0);
  std::size_t count_ = 0;
  std::size_t rescalings_ = 0;
};

/// Softmax with a single pass for maximum and sum, by PartialSoftmax.
///
/// The error is at most softmax_error_bound() for Summation::any_order and the rescalings of the
/// state. Implements \ref OnePassError. Source: Milakov and Gimelshein, "Online normalizer
/// calculation for softmax" (2018).
/// \param logits n numbers, n at least 1; a row or a column.
/// \return n weights, in the shape of the argument.
/// \throws std::invalid_argument, std::domain_error as softmax().
template <class Derived>
typename Derived::PlainObject online_softmax(const Eigen::MatrixBase<Derived>& logits);

/// The largest x of a type for which e^x, rounded to that type, is finite: 709.78 for double, 88.72
/// for float, 11.09 for half, 88.5 for bfloat16.
///
/// Implements \ref NaiveSoftmaxOverflows.
/// \tparam Real double, float, Eigen::half or Eigen::bfloat16.
template <class Real>
Real overflow_threshold();

/// Two rational numbers between which a real number lies.
struct Enclosure {
  Rational low;   ///< at most the number
  Rational high;  ///< at least the number
};

/// e^x between two rational numbers that differ by less than 2⁻²⁰⁰ of it if abs(x) ≤ 2⁶⁴: for x ≥ 0
/// the series at y = x/2ᵏ ≤ 1, its sum over 64 terms below and with y⁶⁴/64! · 1/(1 − y/65) more
/// above, squared k times, each time rounded outward to a multiple of 2⁻³²⁰.
///
/// Implements \ref ExponentialGrowth.
/// \param x any rational number; for x < 0 the reciprocals for −x are taken.
Enclosure exp_enclosure(const Rational& x);

/// The most by which a softmax weight can move if no weight e^x changes by more than a factor r =
/// e^h: (r − 1)/(r + 1) = tanh(h/2), reached by two weights that change places.
///
/// Implements \ref SoftmaxIsAProbability.
/// \param ratio r, at least 1.
/// \throws std::domain_error if r is less than 1.
Rational largest_move(const Rational& ratio);

/// The softmax weights between rational numbers: least numerator over greatest sum, and the
/// reverse.
///
/// Implements \ref SoftmaxWorkedExamples.
/// \param logits n numbers, n at least 1.
/// \throws std::invalid_argument if there is no logit.
std::vector<Enclosure> softmax_enclosure(const std::vector<Rational>& logits);

/// The ratio e^(xᵢ − xⱼ) of two softmax weights, which no other logit has a part in.
///
/// Implements \ref PeakedExample.
/// \param numerator   xᵢ.
/// \param denominator xⱼ.
Enclosure weight_ratio(const Rational& numerator, const Rational& denominator);

/// The least sum 1 − n·h/2 that n probabilities can have when each is rounded to a multiple of h.
///
/// Implements \ref SpreadExample.
/// \param count n, at least 1.
/// \param unit  h, greater than 0; 1/100 for two decimals.
/// \throws std::domain_error if an argument is out of range.
Rational least_sum_of_rounded(std::size_t count, const Rational& unit);

/// The sums S for which each e^(xᵢ)/S lies within [lowᵢ, highᵢ]: from max e^(xᵢ)/highᵢ to
/// min e^(xᵢ)/lowᵢ. There are none if the low end of the result is above the high one.
///
/// Implements \ref SpreadExample.
/// \param logits  n numbers, n at least 1.
/// \param weights for each of them an interval of positive numbers.
/// \throws std::invalid_argument if there is no logit, or not one interval for each.
/// \throws std::domain_error if an interval contains 0 or less.
Enclosure sums_that_fit(const std::vector<Rational>& logits, const std::vector<Enclosure>& weights);

/// The largest share (n − 1)/(r + n − 1) that all others can have together if the greatest weight
/// is at least r times each other. At most (n − 1)/r, so at most (n − 1)e^(−gap) for a softmax.
///
/// Implements \ref SoftmaxDominance.
/// \param count n, at least 1.
/// \param ratio r, greater than 0.
/// \throws std::domain_error if an argument is out of range.
Rational largest_share_of_others(std::size_t count, const Rational& ratio);

/// The ratio (n − 1)(1 − ε)/ε of a weight to n − 1 equal others that gives it the share 1 − ε.
///
/// The gap between the logits is the logarithm of that. Implements \ref AlmostAllWeightNeedsAGap.
/// \param count         n, at least 2.
/// \param share_of_rest ε, between 0 and 1.
/// \throws std::domain_error if an argument is out of range.
Rational required_ratio(std::size_t count, const Rational& share_of_rest);

/// The gap ln((n − 1)(1 − ε)/ε) between a logit and n − 1 equal others that gives it the share 1 −
/// ε.
///
/// Implements \ref AlmostAllWeightNeedsAGap.
/// \tparam Real a floating-point or Boost.Multiprecision type; the error is one rounding and that
///              of its logarithm.
/// \param count         n, at least 2.
/// \param share_of_rest ε, between 0 and 1.
/// \throws std::domain_error if an argument is out of range.
template <class Real>
Real required_gap(std::size_t count, const Rational& share_of_rest);

/// The least dimension d in which a part δ of the standard deviation √d of a score is that gap:
/// δ√d ≥ ln((n − 1)(1 − ε)/ε).
///
/// Implements \ref AlmostAllWeightNeedsAGap.
/// \tparam Real a type in which the gap is computed, with digits enough that it decides.
/// \param count         n, at least 2.
/// \param share_of_rest ε, between 0 and 1.
/// \param deviations    δ, greater than 0.
/// \return d, at least 1.
/// \throws std::domain_error if an argument is out of range.
template <class Real>
std::size_t required_dimension(std::size_t count, const Rational& share_of_rest,
                               const Rational& deviations);

// ------------------------------------------------------------------------------------------------

namespace detail {

template <class Real>
using Column = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

/// A value in a message.
template <class Value>
std::string shown(const Value& value) {
  std::ostringstream out;
  out.precision(17);
  out << value;
  return out.str();
}

template <class Real>
bool is_nan(const Real& x) {
  return x != x;
}

template <class Real>
Real infinity() {
  return Real(std::numeric_limits<Real>::infinity());
}

/// The numbers of a row or column, in the type in which they are computed with.
template <class Derived>
Column<Compute<typename Derived::Scalar>> as_column(const Eigen::MatrixBase<Derived>& numbers) {
  static_assert(Derived::IsVectorAtCompileTime, "a softmax takes a row or a column");
  using Real = Compute<typename Derived::Scalar>;
  if (numbers.size() == 0)
    throw std::invalid_argument("the number of logits is 0, but must be at least 1");
  const auto& evaluated = numbers.derived().eval();
  Column<Real> column(numbers.size());
  for (Eigen::Index i = 0; i < column.size(); ++i) column[i] = Real(evaluated.coeff(i));
  return column;
}

/// The same numbers in the type and shape of an argument.
template <class Derived, class Real>
typename Derived::PlainObject in_shape_of(const Eigen::MatrixBase<Derived>& argument,
                                          const Column<Real>& numbers) {
  using Scalar = typename Derived::Scalar;
  typename Derived::PlainObject result(argument.rows(), argument.cols());
  for (Eigen::Index i = 0; i < numbers.size(); ++i) result.coeffRef(i) = Scalar(numbers[i]);
  return result;
}

template <class Real>
std::span<const Real> span_of(const Column<Real>& column) {
  return {column.data(), static_cast<std::size_t>(column.size())};
}

/// The greatest of some numbers, or NaN if one of them is NaN.
template <class Real>
Real maximum(const Column<Real>& x) {
  Real greatest = x[0];
  for (const Real& number : x) {
    if (is_nan(number)) return number;
    if (number > greatest) greatest = number;
  }
  return greatest;
}

template <class Real>
void require_temperature(const Real& temperature) {
  if (!(temperature > 0 && temperature < infinity<Real>()))
    throw std::domain_error("the temperature is " + shown(temperature) +
                            ", but must be greater than 0 and finite");
}

/// The maximum of the logits, which must leave the softmax a meaning.
template <class Real>
void require_summable(const Real& maximum) {
  if (maximum == infinity<Real>())
    throw std::domain_error("a logit is inf, but must be less than infinity");
  if (maximum == -infinity<Real>())
    throw std::domain_error("all logits are -inf, but one must be greater");
}

/// (x − m)/τ for x ≤ m. Where x − m overflows, both are so large that halving them is exact.
template <class Real>
Real scaled_difference(const Real& x, const Real& maximum, const Real& temperature) {
  const Real difference = x - maximum;
  if (difference == -infinity<Real>())
    return Real(Real(x / 2) - Real(maximum / 2)) / Real(temperature / 2);
  return difference / temperature;
}

/// e^((x − m)/τ).
//! [SoftmaxShiftInvariance]
template <class Real>
Column<Real> shifted_exponentials(const Column<Real>& x, const Real& maximum,
                                  const Real& temperature) {
  using std::exp;
  Column<Real> weights(x.size());
  for (Eigen::Index i = 0; i < x.size(); ++i)
    weights[i] = exp(scaled_difference(x[i], maximum, temperature));
  return weights;
}
//! [SoftmaxShiftInvariance]

template <class Real>
Column<Real> divided_by_sum(Column<Real> weights) {
  const Real sum = pairwise_sum(span_of(weights));
  for (Real& weight : weights) weight /= sum;
  return weights;
}

/// Two positive numbers as multiples of 2⁻³²⁰, the one rounded down and the other up.
inline Enclosure rounded_outward(const Rational& low, const Rational& high) {
  constexpr unsigned bits = 320;
  const Integer below = (numerator(low) << bits) / denominator(low);
  const Integer above = ((numerator(high) << bits) + denominator(high) - 1) / denominator(high);
  const Rational unit(1, Integer(1) << bits);
  return {below * unit, above * unit};
}

}  // namespace detail

template <class Scalar>
Scalar pairwise_sum(std::span<const Scalar> numbers) {
  constexpr std::size_t block = 8;
  if (numbers.size() > block) {
    const std::size_t half = numbers.size() / 2;
    return pairwise_sum(numbers.first(half)) + pairwise_sum(numbers.subspan(half));
  }
  Scalar sum = numbers.empty() ? Scalar(0) : numbers[0];
  for (std::size_t i = 1; i < numbers.size(); ++i) sum += numbers[i];
  return sum;
}

//! [SoftmaxIsAProbability]
template <class Derived>
typename Derived::PlainObject normalized_weights(const Eigen::MatrixBase<Derived>& weights) {
  const auto w = detail::as_column(weights);
  for (const auto& weight : w)
    if (weight < 0)
      throw std::domain_error("a weight is " + detail::shown(weight) + ", but must be at least 0");
  if (pairwise_sum(detail::span_of(w)) == 0)
    throw std::domain_error("all weights are 0, but one must be greater");
  return detail::in_shape_of(weights, detail::divided_by_sum(w));
}

inline Rational largest_move(const Rational& ratio) {
  if (ratio < 1)
    throw std::domain_error("the ratio is " + detail::shown(ratio) + ", but must be at least 1");
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
  detail::require_temperature(temperature);
  const auto x = detail::as_column(logits);
  const auto maximum = detail::maximum(x);
  detail::require_summable(maximum);
  return detail::in_shape_of(
      logits, detail::divided_by_sum(detail::shifted_exponentials(x, maximum, temperature)));
}
//! [StableSoftmax]

template <class Scalar, std::size_t extent>
auto softmax(std::span<Scalar, extent> logits,
             const std::type_identity_t<Compute<Scalar>>& temperature) {
  using Vector = detail::Column<std::remove_cv_t<Scalar>>;
  return softmax(Eigen::Map<const Vector>(logits.data(), static_cast<Eigen::Index>(logits.size())),
                 temperature);
}

template <class Derived>
Compute<typename Derived::Scalar> log_sum_exp(
    const Eigen::MatrixBase<Derived>& logits,
    const Compute<typename Derived::Scalar>& temperature) {
  using Real = Compute<typename Derived::Scalar>;
  using std::log;
  detail::require_temperature(temperature);
  const auto x = detail::as_column(logits);
  const Real maximum = detail::maximum(x);
  if (maximum == detail::infinity<Real>() || maximum == -detail::infinity<Real>()) return maximum;
  const auto weights = detail::shifted_exponentials(x, maximum, temperature);
  return Real(maximum / temperature) + Real(log(pairwise_sum(detail::span_of(weights))));
}

template <class Scalar, std::size_t extent>
auto log_sum_exp(std::span<Scalar, extent> logits,
                 const std::type_identity_t<Compute<Scalar>>& temperature) {
  using Vector = detail::Column<std::remove_cv_t<Scalar>>;
  return log_sum_exp(
      Eigen::Map<const Vector>(logits.data(), static_cast<Eigen::Index>(logits.size())),
      temperature);
}

template <class Derived>
typename Derived::PlainObject log_softmax(const Eigen::MatrixBase<Derived>& logits,
                                          const Compute<typename Derived::Scalar>& temperature) {
  using Real = Compute<typename Derived::Scalar>;
  using std::log;
  detail::require_temperature(temperature);
  auto x = detail::as_column(logits);
  const Real maximum = detail::maximum(x);
  detail::require_summable(maximum);
  const auto weights = detail::shifted_exponentials(x, maximum, temperature);
  const Real log_sum = log(pairwise_sum(detail::span_of(weights)));
  for (Real& logit : x) logit = detail::scaled_difference(logit, maximum, temperature) - log_sum;
  return detail::in_shape_of(logits, x);
}

template <class Scalar, std::size_t extent>
auto log_softmax(std::span<Scalar, extent> logits,
                 const std::type_identity_t<Compute<Scalar>>& temperature) {
  using Vector = detail::Column<std::remove_cv_t<Scalar>>;
  return log_softmax(
      Eigen::Map<const Vector>(logits.data(), static_cast<Eigen::Index>(logits.size())),
      temperature);
}

template <class Real>
void PartialSoftmax<Real>::add(const Real& logit) {
  if (logit == detail::infinity<Real>()) detail::require_summable(logit);
  PartialSoftmax single;
  single.count_ = 1;
  if (logit != -detail::infinity<Real>()) {
    single.maximum_ = logit;
    single.sum_ = detail::is_nan(logit) ? logit : Real(1);
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
  // The part with the lesser maximum is rescaled to the greater one.
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
  return sum_ == 0 ? Real(-detail::infinity<Real>()) : Real(maximum_ + log(sum_));
}

template <class Real>
Real PartialSoftmax<Real>::weight(const Real& logit) const {
  using std::exp;
  if (count_ == 0) throw std::invalid_argument("the number of logits is 0, but must be at least 1");
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

template <>
inline double overflow_threshold<double>() {
  return 0x1.62e42fefa39efp+9;
}
template <>
inline float overflow_threshold<float>() {
  return 0x1.62e42ep+6F;
}
template <>
inline Eigen::half overflow_threshold<Eigen::half>() {
  return Eigen::half(0x1.62cp+3F);
}
template <>
inline Eigen::bfloat16 overflow_threshold<Eigen::bfloat16>() {
  return Eigen::bfloat16(0x1.62p+6F);
}

//! [ExponentialGrowth]
inline Enclosure exp_enclosure(const Rational& x) {
  if (x < 0) {
    const Enclosure inverse = exp_enclosure(-x);
    return {1 / inverse.high, 1 / inverse.low};
  }
  unsigned halvings = 0;
  Rational y = x;
  for (; y > 1; y /= 2) ++halvings;

  constexpr unsigned terms = 64;
  Rational sum = 0;
  Rational term = 1;  // yᵏ/k!
  for (unsigned k = 0; k < terms; ++k) {
    sum += term;
    term *= y / (k + 1);
  }
  // Each further term is at most y/(N + 1) times the one before.
  Enclosure power = detail::rounded_outward(sum, sum + term / (1 - y / (terms + 1)));
  for (; halvings > 0; --halvings)
    power = detail::rounded_outward(power.low * power.low, power.high * power.high);
  return power;
}
//! [ExponentialGrowth]

//! [SoftmaxWorkedExamples]
inline std::vector<Enclosure> softmax_enclosure(const std::vector<Rational>& logits) {
  if (logits.empty())
    throw std::invalid_argument("the number of logits is 0, but must be at least 1");
  std::vector<Enclosure> weights;
  Enclosure sum{0, 0};
  for (const Rational& logit : logits) {
    weights.push_back(exp_enclosure(logit));
    sum.low += weights.back().low;
    sum.high += weights.back().high;
  }
  for (Enclosure& weight : weights) weight = {weight.low / sum.high, weight.high / sum.low};
  return weights;
}
//! [SoftmaxWorkedExamples]

//! [PeakedExample]
inline Enclosure weight_ratio(const Rational& numerator, const Rational& denominator) {
  return exp_enclosure(numerator - denominator);
}
//! [PeakedExample]

//! [SpreadExample]
inline Rational least_sum_of_rounded(std::size_t count, const Rational& unit) {
  if (count == 0)
    throw std::domain_error("the number of probabilities is 0, but must be at least 1");
  if (unit <= 0)
    throw std::domain_error("the unit is " + detail::shown(unit) + ", but must be greater than 0");
  return 1 - Rational(count) * unit / 2;
}

inline Enclosure sums_that_fit(const std::vector<Rational>& logits,
                               const std::vector<Enclosure>& weights) {
  if (logits.empty() || logits.size() != weights.size())
    throw std::invalid_argument("there are " + detail::shown(weights.size()) + " intervals for " +
                                detail::shown(logits.size()) +
                                " logits, but there must be one for each, and at least one");
  std::vector<Enclosure> sums;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (weights[i].low <= 0)
      throw std::domain_error("a weight is " + detail::shown(weights[i].low) +
                              ", but must be greater than 0");
    const Enclosure e = exp_enclosure(logits[i]);
    sums.push_back({e.high / weights[i].high, e.low / weights[i].low});
  }
  Enclosure all = sums[0];
  for (const Enclosure& one : sums)
    all = {std::max(all.low, one.low), std::min(all.high, one.high)};
  return all;
}
//! [SpreadExample]

//! [SoftmaxDominance]
inline Rational largest_share_of_others(std::size_t count, const Rational& ratio) {
  if (count == 0) throw std::domain_error("the number of weights is 0, but must be at least 1");
  if (ratio <= 0)
    throw std::domain_error("the ratio is " + detail::shown(ratio) +
                            ", but must be greater than 0");
  const Rational others(count - 1);
  return others / (ratio + others);
}
//! [SoftmaxDominance]

//! [AlmostAllWeightNeedsAGap]
inline Rational required_ratio(std::size_t count, const Rational& share_of_rest) {
  if (count < 2)
    throw std::domain_error("the number of logits is " + detail::shown(count) +
                            ", but must be at least 2");
  if (share_of_rest <= 0 || share_of_rest >= 1)
    throw std::domain_error("the share of the rest is " + detail::shown(share_of_rest) +
                            ", but must be between 0 and 1");
  return Rational(count - 1) * (1 - share_of_rest) / share_of_rest;
}

template <class Real>
Real required_gap(std::size_t count, const Rational& share_of_rest) {
  using std::log;
  return log(static_cast<Real>(required_ratio(count, share_of_rest)));
}

template <class Real>
std::size_t required_dimension(std::size_t count, const Rational& share_of_rest,
                               const Rational& deviations) {
  using std::ceil;
  if (deviations <= 0)
    throw std::domain_error("the part of a deviation is " + detail::shown(deviations) +
                            ", but must be greater than 0");
  const Real root = required_gap<Real>(count, share_of_rest) / static_cast<Real>(deviations);
  return root <= 1 ? 1 : static_cast<std::size_t>(ceil(Real(root * root)));
}
//! [AlmostAllWeightNeedsAGap]

}  // namespace sqrtdk
