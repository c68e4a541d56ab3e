// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref scale : scalings and the variance they leave, cosines, bounded scores.
#pragma once

#include <sqrtdk/moments.hpp>
#include <sqrtdk/numbers/interval.hpp>
#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/numbers/powers.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/numbers/require.hpp>
#include <sqrtdk/score.hpp>

#include <boost/math/constants/constants.hpp>

#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <vector>

namespace sqrtdk {

/// Var(q·k / √d) = σq²σk² + μq²σk² + μk²σq², whatever d is; divided by (√d)² = d, without a root.
/// \param dimension d, at least 1.
/// \param query     moments of each coordinate of q.
/// \param key       moments of each coordinate of k.
/// \throws std::domain_error if the dimension is 0.
/// \implements{ScaledScoreVariance}
/// \relatesalso Moments
Rational scaled_score_variance(std::size_t dimension, const Moments& query, const Moments& key);

/// The one positive divisor that makes a variance 1, c = √(Var X), where it is rational.
/// \param variance Var X, greater than 0; for a score it is d.
/// \return c; nothing if no rational number serves, because numerator and denominator of Var X in lowest
///         terms are not both squares.
/// \throws std::domain_error if the variance is 0 or negative: no divisor makes it 1.
/// \implements{UnitVarianceScaleIsUnique}
std::optional<Rational> unit_variance_divisor(const Rational& variance);

/// The limit of the variance that a scaling rule leaves, as d grows.
enum class Limit {
  zero,      ///< the scores of a large head are all alike
  positive,  ///< the scores keep a variance that does not depend on the size of the head
  infinite   ///< the scores of a large head are ever further apart
};

/// The name of a limit, for messages.
std::ostream& operator<<(std::ostream& out, Limit limit);

/// A way to scale scores, c(d) = factor · d^power · (ln d)^log_power · e^(π·pi_rate·d): every scale
/// that the documents mention, and all products of them.
struct ScalingRule {
  Rational factor = 1;     ///< the constant factor, greater than 0
  Rational power = 0;      ///< the exponent of d
  Rational log_power = 0;  ///< the exponent of ln d; not 0 only where d is at least 2
  Rational pi_rate = 0;    ///< the exponent of e^(πd)

  /// Writes `(factor) d^(power) (ln d)^(log_power) e^((pi_rate) pi d)`.
  friend std::ostream& operator<<(std::ostream& out, const ScalingRule& rule) {
    return out << '(' << rule.factor << ") d^(" << rule.power << ") (ln d)^(" << rule.log_power
               << ") e^((" << rule.pi_rate << ") pi d)";
  }
};

inline const ScalingRule unscaled{};                           ///< c = 1: leaves variance d
inline const ScalingRule root_scale{.power = Rational(1, 2)};  ///< c = √d: leaves variance 1
inline const ScalingRule linear_scale{.power = 1};             ///< c = d: leaves variance 1/d
inline const ScalingRule fifth_power_scale{.power = 5};      ///< c = d⁵: leaves variance d⁻⁹
inline const ScalingRule logarithmic_scale{.log_power = 1};  ///< c = ln d: leaves variance d/ln² d
inline const ScalingRule exponential_scale{.pi_rate = 1};  ///< c = e^(πd): variance d e^(−2πd)
/// The rule that divides by the same number whatever d is.
/// \param divisor c, greater than 0.
/// \throws std::domain_error if the divisor is 0 or negative.
/// \relatesalso ScalingRule
ScalingRule constant_scale(const Rational& divisor);

/// The variance d/c(d)² that a rule leaves to a score of variance d, exactly.
/// \param rule      a rule without logarithm and exponential, whose power is a multiple of ½.
/// \param dimension d, at least 1.
/// \throws std::domain_error if the value is not a rational number by this formula, if d is 0, or
///                           if the factor is not positive.
/// \implements{AlternativeScales}
/// \relatesalso ScalingRule
Rational variance_left(const ScalingRule& rule, std::size_t dimension);

/// The logarithm of the variance that any rule leaves, as a function of L = ln d:
/// (1 − 2·power) L − 2·log_power·ln L − 2π·pi_rate·e^L − 2 ln factor.
///
/// Taking ln d lets d be as large as a limit needs.
///
/// \tparam Real a binary floating-point type. For one whose exp and log are off by less than a unit
///              in the last place, such as double, the error is at most log_variance_left_error();
///              those of Boost.Multiprecision do not promise that much.
/// \param rule          any rule whose numbers 1 − 2·power, 2·log_power, 2·pi_rate and factor are 0
///                      or between 2^−m and 2^m in size, where m = max_exponent / 2 − 4 of Real.
/// \param log_dimension L, from 0 to 2^m; greater than 0 if the rule has a logarithm.
/// \return the logarithm; infinite only where the term with e^L is beyond the range of Real.
/// \throws std::domain_error if L or a number of the rule is out of range.
/// \implements{AlternativeScales}
/// \relatesalso ScalingRule
template <class Real>
Real log_variance_left(const ScalingRule& rule, const Real& log_dimension);

/// Bounds the error of log_variance_left(): 7 machine epsilons times 1 and its four terms' sizes.
/// \param rule          as there.
/// \param log_dimension as there.
/// \return the bound; infinite where the term with e^L is beyond the range of Real.
/// \throws std::domain_error as log_variance_left().
/// \implements{AlternativeScales}
/// \relatesalso ScalingRule
template <class Real>
Real log_variance_left_error(const ScalingRule& rule, const Real& log_dimension);

/// The limit of the variance that a rule leaves, decided by its exponents in the order
/// pi_rate, power, log_power: the exponential beats every power, a power beats every logarithm.
/// \param rule any rule.
/// \throws std::domain_error if the factor is not positive.
/// \implements{AlternativeScales}
/// \relatesalso ScalingRule
Limit limit_of_variance_left(const ScalingRule& rule);

/// cos²(q, k) = (q·k)² / (‖q‖²‖k‖²).
/// \param query d numbers, not all 0.
/// \param key   d numbers, not all 0.
/// \return a number in [0, 1].
/// \throws std::invalid_argument if the lengths differ.
/// \throws std::domain_error if a vector is 0 and has no direction.
/// \implements{CosineSimilarity}
Rational squared_cosine(const std::vector<Rational>& query, const std::vector<Rational>& key);

/// E Cⁿ of the cosine C of two independent directions, one of them uniform on the sphere:
/// 0 for odd n, and 1·3·…·(n−1) / (d(d+2)…(d+n−2)) for even n; 1/d for n = 2.
/// \param dimension d, at least 1.
/// \param order     n, at least 0.
/// \throws std::domain_error if the dimension is 0.
/// \implements{CosineSimilarity}
Rational cosine_moment(std::size_t dimension, unsigned order);

/// Bounds 1/(1 + (n − 1)r) and r/(r + n − 1) on the softmax weights of n scores that differ by at
/// most ln r; for cosines r = e², as they differ by at most 2.
/// \param count n, at least 1.
/// \param ratio r, at least 1: how many times one exponential can be another.
/// \throws std::domain_error if an argument is out of range.
/// \implements{CosineSimilarity}
Interval<Rational> softmax_weight_bounds(std::size_t count, const Rational& ratio);

// Implementation

namespace detail {

inline Rational squared_norm(const std::vector<Rational>& vector) {
  const Rational square = dot_product(vector, vector);
  if (square == 0) throw std::domain_error("a vector is 0, but must have a direction");
  return square;
}

template <class Real>
struct LogVarianceTerms {
  Real power;        ///< (1 − 2·power) L
  Real logarithm;    ///< 2·log_power·ln L
  Real exponential;  ///< 2π·pi_rate·e^L
  Real factor;       ///< 2 ln factor
};

template <class Real>
LogVarianceTerms<Real> log_variance_terms(const ScalingRule& rule, const Real& log_dimension) {
  using std::abs;
  using std::exp;
  using std::ldexp;
  using std::log;
  require_positive("the divisor", rule.factor);
  const Real largest = ldexp(Real(1), std::numeric_limits<Real>::max_exponent / 2 - 4);
  const bool has_logarithm = rule.log_power != 0;
  if (!(log_dimension >= 0 && log_dimension <= largest) || (has_logarithm && log_dimension == 0))
    require_that(
        false, "ln d", log_dimension,
        "be at least 0, more if the rule has a logarithm, and at most " + to_text(largest));
  const auto converted = [&](const Rational& number) {
    const Real real = static_cast<Real>(number);
    if (number != 0 && !(abs(real) >= 1 / largest && abs(real) <= largest))
      throw std::domain_error("the rule " + to_text(rule) +
                              " has a number that is too large or too small for this format");
    return real;
  };
  LogVarianceTerms<Real> terms{converted(1 - 2 * rule.power) * log_dimension, 0, 0,
                               2 * log(converted(rule.factor))};
  if (rule.log_power != 0) terms.logarithm = converted(2 * rule.log_power) * log(log_dimension);
  if (rule.pi_rate != 0) {
    // In two steps, so that e^L overflows only if its product with a small rate does.
    const Real root = exp(log_dimension / 2);
    terms.exponential =
        converted(2 * rule.pi_rate) * boost::math::constants::pi<Real>() * root * root;
  }
  return terms;
}

}  // namespace detail

//! [ScaledScoreVariance]
inline Rational scaled_score_variance(std::size_t dimension, const Moments& query,
                                      const Moments& key) {
  return dot_product_variance(dimension, query, key) / Rational(dimension);
}
//! [ScaledScoreVariance]

//! [UnitVarianceScaleIsUnique]
inline std::optional<Rational> unit_variance_divisor(const Rational& variance) {
  detail::require_that(variance > 0, "the variance", variance,
                       "be greater than 0 for a divisor to make it 1");
  Integer above_rest, below_rest;
  const Integer above = sqrt(numerator(variance), above_rest);
  const Integer below = sqrt(denominator(variance), below_rest);
  if (above_rest != 0 || below_rest != 0) return std::nullopt;
  return Rational(above, below);
}
//! [UnitVarianceScaleIsUnique]

inline std::ostream& operator<<(std::ostream& out, Limit limit) {
  switch (limit) {
    case Limit::zero:
      return out << "zero";
    case Limit::positive:
      return out << "positive";
    case Limit::infinite:
      return out << "infinite";
  }
  return out;
}

inline ScalingRule constant_scale(const Rational& divisor) {
  detail::require_positive("the divisor", divisor);
  return {.factor = divisor};
}

//! [AlternativeScales]
inline Rational variance_left(const ScalingRule& rule, std::size_t dimension) {
  const Rational twice_power = 2 * rule.power;
  if (rule.log_power != 0 || rule.pi_rate != 0 || denominator(twice_power) != 1)
    throw std::domain_error("the rule " + to_text(rule) +
                            " leaves no rational variance; use log_variance_left");
  detail::require_at_least("the dimension", dimension, 1U);
  detail::require_positive("the divisor", rule.factor);
  // d / (factor · d^power)² = d^(1 − 2·power) / factor²
  const int exponent = 1 - twice_power.convert_to<int>();
  const Rational power =
      integer_power(Rational(dimension), static_cast<unsigned>(std::abs(exponent)));
  return (exponent < 0 ? Rational(1 / power) : power) / (rule.factor * rule.factor);
}

template <class Real>
Real log_variance_left(const ScalingRule& rule, const Real& log_dimension) {
  const auto terms = detail::log_variance_terms(rule, log_dimension);
  return terms.power - terms.logarithm - terms.factor - terms.exponential;
}

template <class Real>
Real log_variance_left_error(const ScalingRule& rule, const Real& log_dimension) {
  using std::abs;
  const auto terms = detail::log_variance_terms(rule, log_dimension);
  return 7 * std::numeric_limits<Real>::epsilon() *
         (1 + abs(terms.power) + abs(terms.logarithm) + abs(terms.factor) + abs(terms.exponential));
}

inline Limit limit_of_variance_left(const ScalingRule& rule) {
  detail::require_positive("the divisor", rule.factor);
  const Rational excess_power = rule.power - Rational(1, 2);
  for (const Rational& exponent : {rule.pi_rate, excess_power, rule.log_power}) {
    if (exponent > 0) return Limit::zero;
    if (exponent < 0) return Limit::infinite;
  }
  return Limit::positive;
}
//! [AlternativeScales]

//! [CosineSimilarity]
inline Rational squared_cosine(const std::vector<Rational>& query,
                               const std::vector<Rational>& key) {
  const Rational product = dot_product(query, key);
  return product * product / (detail::squared_norm(query) * detail::squared_norm(key));
}

inline Rational cosine_moment(std::size_t dimension, unsigned order) {
  detail::require_at_least("the dimension", dimension, 1U);
  if (order % 2 == 1) return 0;
  Rational moment = 1;
  for (unsigned j = 0; j < order; j += 2) moment *= Rational(j + 1) / Rational(dimension + j);
  return moment;
}

inline Interval<Rational> softmax_weight_bounds(std::size_t count, const Rational& ratio) {
  detail::require_at_least("the number of scores", count, 1U);
  detail::require_at_least("the ratio", ratio, 1);
  const Rational others(count - 1);
  return {1 / (1 + others * ratio), ratio / (ratio + others)};
}
//! [CosineSimilarity]

}  // namespace sqrtdk
