// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref moments : finite distributions, their moments, and the rules for them.
#pragma once

#include <sqrtdk/numbers/rational.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace sqrtdk {

/// A distribution with finitely many outcomes, as a value.
///
/// The outcomes are kept sorted, distinct and with positive probability, so two distributions are
/// equal exactly if they are the same law.
/// \tparam Outcome what is drawn: a number, or a tuple of numbers for a joint law; ordered by `<`.
template <class Outcome = Rational>
class FiniteDistribution {
 public:
  /// An outcome and its probability.
  struct Atom {
    Outcome outcome;       ///< what is drawn
    Rational probability;  ///< how likely it is, in (0, 1]
    /// Equal outcomes with equal probabilities.
    friend bool operator==(const Atom&, const Atom&) = default;
  };

  /// The law that gives `outcomes[i]` the probability `probabilities[i]`.
  /// \param outcomes       n outcomes, n at least 1; equal ones are merged.
  /// \param probabilities  n probabilities, nonnegative, with sum exactly 1.
  /// \throws std::invalid_argument if one of these rules is broken; the message names the value.
  FiniteDistribution(const std::vector<Outcome>& outcomes,
                     const std::vector<Rational>& probabilities);

  /// The law that draws each entry of a list equally often.
  /// \param values n values, n at least 1; an entry that stands twice is drawn twice as often.
  /// \throws std::invalid_argument if the list is empty.
  static FiniteDistribution uniform(const std::vector<Outcome>& values);

  /// The outcomes with their probabilities, sorted by outcome.
  const std::vector<Atom>& atoms() const { return atoms_; }

  /// The law of f(X).
  /// \param function maps an outcome to anything ordered.
  template <std::invocable<const Outcome&> Function>
  auto image(Function function) const;

  /// E f(X), the sum of p·f(x) over the outcomes.
  /// \param function maps an outcome to a number.
  template <std::invocable<const Outcome&> Function>
  auto expectation(Function function) const;

  /// Whether two laws are the same.
  friend bool operator==(const FiniteDistribution&, const FiniteDistribution&) = default;

 private:
  template <class Other>
  friend class FiniteDistribution;

  explicit FiniteDistribution(std::vector<Atom> atoms);

  std::vector<Atom> atoms_;
};

/// A law of rational numbers, the usual case.
using RationalLaw = FiniteDistribution<Rational>;

/// Mean and variance, all that the rules of this chapter need to know of a law.
class Moments {
 public:
  /// \param mean     any number.
  /// \param variance at least 0.
  /// \throws std::domain_error if the variance is negative.
  Moments(Rational mean, Rational variance);

  const Rational& mean() const { return mean_; }          ///< E X
  const Rational& variance() const { return variance_; }  ///< E (X − E X)²

  /// Equal means and equal variances.
  friend bool operator==(const Moments&, const Moments&) = default;

 private:
  Rational mean_;
  Rational variance_;
};

/// E Xⁿ.
/// \param law a law of numbers.
/// \param n   the order, at least 0.
template <class Scalar>
Scalar raw_moment(const FiniteDistribution<Scalar>& law, unsigned n);

/// E (X − E X)ⁿ.
/// \param law a law of numbers.
/// \param n   the order, at least 0.
template <class Scalar>
Scalar central_moment(const FiniteDistribution<Scalar>& law, unsigned n);

/// E X.
template <class Scalar>
Scalar mean(const FiniteDistribution<Scalar>& law);

/// Var X = E (X − E X)², the population variance: divided by n for a list of n numbers.
template <class Scalar>
Scalar variance(const FiniteDistribution<Scalar>& law);

/// Mean and variance of a law.
Moments moments(const RationalLaw& law);

/// Cov(X, Y) = E (X − E X)(Y − E Y) of a joint law.
template <class Scalar>
Scalar covariance(const FiniteDistribution<std::pair<Scalar, Scalar>>& joint);

/// The joint law of independent X and Y.
template <class X, class Y>
FiniteDistribution<std::pair<X, Y>> independent(const FiniteDistribution<X>& x,
                                                const FiniteDistribution<Y>& y);

/// The law of XY for independent X and Y.
template <class Scalar>
FiniteDistribution<Scalar> product(const FiniteDistribution<Scalar>& x,
                                   const FiniteDistribution<Scalar>& y);

/// The law of X + Y for independent X and Y: their convolution.
template <class Scalar>
FiniteDistribution<Scalar> sum(const FiniteDistribution<Scalar>& x,
                               const FiniteDistribution<Scalar>& y);

/// The law of the sum of n independent copies of X, by repeated squaring.
/// \param law   the law of X.
/// \param count n, at least 0; the empty sum is 0.
template <class Scalar>
FiniteDistribution<Scalar> sum_of_copies(FiniteDistribution<Scalar> law, std::size_t count);

/// Var X = E X² − (E X)².
///
/// Implements \ref VarianceIsMeanSquare.
/// \param mean        E X.
/// \param mean_square E X², at least (E X)².
/// \throws std::domain_error if no law has these moments.
Rational variance_from_mean_square(const Rational& mean, const Rational& mean_square);

/// E XY = E X · E Y for independent X and Y.
///
/// Implements \ref IndependentProductMean.
/// \param x moments of X.
/// \param y moments of Y.
Rational product_mean(const Moments& x, const Moments& y);

/// Var XY = σx²σy² + μx²σy² + μy²σx² for independent X and Y.
///
/// Implements \ref IndependentProductVariance.
/// \param x moments of X.
/// \param y moments of Y.
Rational product_variance(const Moments& x, const Moments& y);

/// Var ΣXᵢ = ΣVar Xᵢ for pairwise uncorrelated Xᵢ.
///
/// Implements \ref VarianceOfSum.
/// \param variances Var Xᵢ, each at least 0; the empty sum has variance 0.
/// \throws std::domain_error if a variance is negative.
Rational variance_of_sum(const std::vector<Rational>& variances);

/// Var(X/c) = Var X / c².
///
/// Implements \ref VarianceUnderScaling.
/// \param variance Var X, at least 0.
/// \param divisor  c, not 0; its sign does not matter.
/// \throws std::domain_error if the divisor is 0 or the variance negative.
Rational variance_after_division(const Rational& variance, const Rational& divisor);

/// Chebyshev's bound: the most that P(|X − E X| ≥ t) can be, σ²/t² or 1.
///
/// Implements \ref VarianceBoundsDeviations.
/// \param variance σ², at least 0.
/// \param distance t, greater than 0.
/// \throws std::domain_error if an argument is out of range.
Rational greatest_deviation_probability(const Rational& variance, const Rational& distance);

/// The least that P(|X − E X| ≥ t) can be if no deviation exceeds r: (σ² − t²)/(r² − t²) or 0.
///
/// Implements \ref VarianceBoundsDeviations.
/// \param variance σ², from 0 to r².
/// \param distance t, greater than 0 and less than r.
/// \param reach    r.
/// \throws std::domain_error if an argument is out of range.
Rational least_deviation_probability(const Rational& variance, const Rational& distance,
                                     const Rational& reach);

/// The least and the greatest variance that numbers of a range can have.
struct VarianceBounds {
  Rational least;     ///< (b − a)² / 2n
  Rational greatest;  ///< (b − a)² / 4
};

/// Bounds on the variance of n numbers, the least of which is a and the greatest b.
///
/// Implements \ref RangeBoundsVariance.
/// \param count    n, at least 2.
/// \param least    a.
/// \param greatest b, at least a.
/// \throws std::domain_error if an argument is out of range.
VarianceBounds variance_bounds(std::size_t count, const Rational& least, const Rational& greatest);

/// Var ΣXᵢ = ΣᵢΣⱼ Cov(Xᵢ, Xⱼ), whatever the dependence.
///
/// Implements \ref VarianceOfSum.
/// \param joint a joint law of vectors of one length.
/// \throws std::invalid_argument if two outcomes differ in length.
Rational variance_of_dependent_sum(const FiniteDistribution<std::vector<Rational>>& joint);

/// Writes `{-1: 1/2, 1: 1/2}`, the form in which counterexamples are shown.
template <class Outcome>
std::ostream& operator<<(std::ostream& out, const FiniteDistribution<Outcome>& law);

/// Writes `mean 0, variance 1`.
std::ostream& operator<<(std::ostream& out, const Moments& moments);

// ------------------------------------------------------------------------------------------------

namespace detail {

/// "a: 1/3" as text, for messages.
template <class Value>
std::string text(const Value& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

inline void require_nonnegative_variance(const Rational& variance) {
  if (variance < 0)
    throw std::domain_error("the variance is " + text(variance) + ", but must be at least 0");
}

inline void require_positive_distance(const Rational& distance) {
  if (distance <= 0)
    throw std::domain_error("the distance is " + text(distance) + ", but must be greater than 0");
}

inline void require_equal_lengths(const FiniteDistribution<std::vector<Rational>>& joint,
                                  std::size_t width) {
  for (const auto& atom : joint.atoms())
    if (atom.outcome.size() != width)
      throw std::invalid_argument("a joint law has outcomes of lengths " + std::to_string(width) +
                                  " and " + std::to_string(atom.outcome.size()) +
                                  ", but they must have one length");
}

inline void write_outcome(std::ostream& out, const Rational& outcome) { out << outcome; }

template <class X, class Y>
void write_outcome(std::ostream& out, const std::pair<X, Y>& outcome) {
  out << '(' << outcome.first << ", " << outcome.second << ')';
}

template <class X>
void write_outcome(std::ostream& out, const std::vector<X>& outcome) {
  const char* separator = "(";
  for (const X& x : outcome) out << std::exchange(separator, ", ") << x;
  out << ')';
}

}  // namespace detail

template <class Outcome>
FiniteDistribution<Outcome>::FiniteDistribution(const std::vector<Outcome>& outcomes,
                                                const std::vector<Rational>& probabilities)
    : FiniteDistribution([&] {
        if (outcomes.size() != probabilities.size())
          throw std::invalid_argument("there are " + std::to_string(outcomes.size()) +
                                      " outcomes but " + std::to_string(probabilities.size()) +
                                      " probabilities; each outcome needs one");
        std::vector<Atom> atoms;
        for (std::size_t i = 0; i < outcomes.size(); ++i)
          atoms.push_back({outcomes[i], probabilities[i]});
        return atoms;
      }()) {}

template <class Outcome>
FiniteDistribution<Outcome>::FiniteDistribution(std::vector<Atom> atoms) {
  if (atoms.empty()) throw std::invalid_argument("a distribution needs at least one outcome");
  std::sort(atoms.begin(), atoms.end(),
            [](const Atom& a, const Atom& b) { return a.outcome < b.outcome; });
  Rational total = 0;
  for (Atom& atom : atoms) {
    if (atom.probability < 0)
      throw std::invalid_argument("a probability is " + detail::text(atom.probability) +
                                  ", but must be at least 0");
    total += atom.probability;
    if (atom.probability == 0) continue;
    if (!atoms_.empty() && atoms_.back().outcome == atom.outcome)
      atoms_.back().probability += atom.probability;
    else
      atoms_.push_back(std::move(atom));
  }
  if (total != 1)
    throw std::invalid_argument("the probabilities sum to " + detail::text(total) +
                                ", but must sum to exactly 1");
}

template <class Outcome>
FiniteDistribution<Outcome> FiniteDistribution<Outcome>::uniform(
    const std::vector<Outcome>& values) {
  return {values, std::vector<Rational>(values.size(),
                                        Rational(1, static_cast<unsigned long long>(
                                                        std::max<std::size_t>(values.size(), 1))))};
}

template <class Outcome>
template <std::invocable<const Outcome&> Function>
auto FiniteDistribution<Outcome>::image(Function function) const {
  using Result = FiniteDistribution<std::decay_t<std::invoke_result_t<Function, const Outcome&>>>;
  std::vector<typename Result::Atom> atoms;
  atoms.reserve(atoms_.size());
  for (const Atom& atom : atoms_) atoms.push_back({function(atom.outcome), atom.probability});
  return Result(std::move(atoms));
}

template <class Outcome>
template <std::invocable<const Outcome&> Function>
auto FiniteDistribution<Outcome>::expectation(Function function) const {
  using Result = std::decay_t<std::invoke_result_t<Function, const Outcome&>>;
  Result total(0);
  for (const Atom& atom : atoms_)
    total += static_cast<Result>(atom.probability) * function(atom.outcome);
  return total;
}

inline Moments::Moments(Rational mean, Rational variance)
    : mean_(std::move(mean)), variance_(std::move(variance)) {
  detail::require_nonnegative_variance(variance_);
}

template <class Scalar>
Scalar raw_moment(const FiniteDistribution<Scalar>& law, unsigned n) {
  return law.expectation([n](const Scalar& x) {
    Scalar power(1);
    for (unsigned i = 0; i < n; ++i) power *= x;
    return power;
  });
}

template <class Scalar>
Scalar central_moment(const FiniteDistribution<Scalar>& law, unsigned n) {
  const Scalar centre = mean(law);
  return raw_moment(law.image([&](const Scalar& x) { return Scalar(x - centre); }), n);
}

template <class Scalar>
Scalar mean(const FiniteDistribution<Scalar>& law) {
  return raw_moment(law, 1);
}

template <class Scalar>
Scalar variance(const FiniteDistribution<Scalar>& law) {
  return central_moment(law, 2);
}

inline Moments moments(const RationalLaw& law) { return {mean(law), variance(law)}; }

template <class Scalar>
Scalar covariance(const FiniteDistribution<std::pair<Scalar, Scalar>>& joint) {
  const Scalar x_mean = joint.expectation([](const auto& xy) { return xy.first; });
  const Scalar y_mean = joint.expectation([](const auto& xy) { return xy.second; });
  return joint.expectation(
      [&](const auto& xy) { return Scalar((xy.first - x_mean) * (xy.second - y_mean)); });
}

template <class X, class Y>
FiniteDistribution<std::pair<X, Y>> independent(const FiniteDistribution<X>& x,
                                                const FiniteDistribution<Y>& y) {
  std::vector<std::pair<X, Y>> outcomes;
  std::vector<Rational> probabilities;
  for (const auto& a : x.atoms())
    for (const auto& b : y.atoms()) {
      outcomes.emplace_back(a.outcome, b.outcome);
      probabilities.push_back(a.probability * b.probability);
    }
  return {outcomes, probabilities};
}

template <class Scalar>
FiniteDistribution<Scalar> product(const FiniteDistribution<Scalar>& x,
                                   const FiniteDistribution<Scalar>& y) {
  return independent(x, y).image([](const auto& xy) { return Scalar(xy.first * xy.second); });
}

template <class Scalar>
FiniteDistribution<Scalar> sum(const FiniteDistribution<Scalar>& x,
                               const FiniteDistribution<Scalar>& y) {
  return independent(x, y).image([](const auto& xy) { return Scalar(xy.first + xy.second); });
}

template <class Scalar>
FiniteDistribution<Scalar> sum_of_copies(FiniteDistribution<Scalar> law, std::size_t count) {
  auto total = FiniteDistribution<Scalar>::uniform({Scalar(0)});
  for (; count > 0; count /= 2) {
    if (count % 2 == 1) total = sum(total, law);
    if (count > 1) law = sum(law, law);
  }
  return total;
}

//! [VarianceIsMeanSquare]
inline Rational variance_from_mean_square(const Rational& mean, const Rational& mean_square) {
  const Rational variance = mean_square - mean * mean;
  detail::require_nonnegative_variance(variance);
  return variance;
}
//! [VarianceIsMeanSquare]

//! [IndependentProductMean]
inline Rational product_mean(const Moments& x, const Moments& y) { return x.mean() * y.mean(); }
//! [IndependentProductMean]

//! [IndependentProductVariance]
inline Rational product_variance(const Moments& x, const Moments& y) {
  return x.variance() * y.variance() +         // σx²σy²
         x.mean() * x.mean() * y.variance() +  // μx²σy²
         y.mean() * y.mean() * x.variance();   // μy²σx²
}
//! [IndependentProductVariance]

//! [VarianceOfSum]
inline Rational variance_of_sum(const std::vector<Rational>& variances) {
  Rational total = 0;
  for (const Rational& variance : variances) {
    detail::require_nonnegative_variance(variance);
    total += variance;
  }
  return total;
}

inline Rational variance_of_dependent_sum(const FiniteDistribution<std::vector<Rational>>& joint) {
  const std::size_t width = joint.atoms().front().outcome.size();
  detail::require_equal_lengths(joint, width);
  Rational total = 0;
  for (std::size_t i = 0; i < width; ++i)
    for (std::size_t j = 0; j < width; ++j)
      total += covariance(joint.image([=](const auto& x) { return std::pair(x[i], x[j]); }));
  return total;
}
//! [VarianceOfSum]

//! [VarianceUnderScaling]
inline Rational variance_after_division(const Rational& variance, const Rational& divisor) {
  if (divisor == 0) throw std::domain_error("the divisor is 0, but must not be 0");
  detail::require_nonnegative_variance(variance);
  return variance / (divisor * divisor);
}
//! [VarianceUnderScaling]

//! [VarianceBoundsDeviations]
inline Rational greatest_deviation_probability(const Rational& variance, const Rational& distance) {
  detail::require_nonnegative_variance(variance);
  detail::require_positive_distance(distance);
  return std::min(Rational(1), Rational(variance / (distance * distance)));
}

inline Rational least_deviation_probability(const Rational& variance, const Rational& distance,
                                            const Rational& reach) {
  detail::require_nonnegative_variance(variance);
  detail::require_positive_distance(distance);
  if (reach <= distance || reach * reach < variance)
    throw std::domain_error("the reach is " + detail::text(reach) +
                            ", but must exceed the distance, and its square be no less than the "
                            "variance");
  const Rational square = distance * distance;
  return std::max(Rational(0), Rational((variance - square) / (reach * reach - square)));
}
//! [VarianceBoundsDeviations]

//! [RangeBoundsVariance]
inline VarianceBounds variance_bounds(std::size_t count, const Rational& least,
                                      const Rational& greatest) {
  if (count < 2)
    throw std::domain_error("the number of values is " + std::to_string(count) +
                            ", but must be at least 2");
  if (greatest < least)
    throw std::domain_error("the greatest value is " + detail::text(greatest) +
                            ", but must be at least the least, " + detail::text(least));
  const Rational range = greatest - least;
  return {range * range / Rational(2 * count), range * range / 4};
}
//! [RangeBoundsVariance]

template <class Outcome>
std::ostream& operator<<(std::ostream& out, const FiniteDistribution<Outcome>& law) {
  const char* separator = "{";
  for (const auto& atom : law.atoms()) {
    out << std::exchange(separator, ", ");
    detail::write_outcome(out, atom.outcome);
    out << ": " << atom.probability;
  }
  return out << '}';
}

inline std::ostream& operator<<(std::ostream& out, const Moments& moments) {
  return out << "mean " << moments.mean() << ", variance " << moments.variance();
}

}  // namespace sqrtdk
