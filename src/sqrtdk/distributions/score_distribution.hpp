// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief The score X = q·k, q and k independent N(0, I_d), as a distribution of Boost.Math's kind.
#pragma once

#include <sqrtdk/distributions/detail/score_quantile.hpp>
#include <sqrtdk/distributions/detail/score_tail.hpp>

#include <boost/math/constants/constants.hpp>
#include <boost/math/distributions/complement.hpp>
#include <boost/math/distributions/detail/common_error_handling.hpp>
#include <boost/math/distributions/fwd.hpp>
#include <boost/math/policies/error_handling.hpp>
#include <boost/math/policies/policy.hpp>
#include <boost/math/quadrature/exp_sinh.hpp>
#include <boost/math/special_functions/factorials.hpp>
#include <boost/math/special_functions/fpclassify.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <boost/math/tools/promotion.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>
#include <type_traits>
#include <utility>

namespace sqrtdk {

/// The distribution of X = q·k for independent q, k ~ N(0, I_d).
///
///     f(x) = |x|^ν K_ν(|x|) / (√π 2^ν Γ(d/2)),   ν = (d − 1)/2,   E e^{itX} = (1 + t²)^{−d/2}
///
/// K_ν is the modified Bessel function of the second kind. X is also the difference of two
/// independent Gamma(d/2, 1) variables, hence defined for every d > 0, and R Z with R² ~ χ²_d and
/// Z ~ N(0, 1), which is how score_sampler draws it.
///
/// \snippet{trimleft} tests/score_distribution_tests.cpp score_distribution
///
/// It models Boost.Math's distribution concept: the functions on this page are found by
/// argument-dependent lookup and follow Boost's conventions for errors, policies and infinities.
/// Boost derives two more from them: standard_deviation(dist), √d, the number that attention divides
/// by, and coefficient_of_variation(dist), an overflow error, since the mean is 0.
///
/// Precision: the constants in sqrtdk::score_precision were measured for RealType double, for d
/// from 0.5 to 1e9, tails down to 1e-300 and results that are normal numbers; \ref ScorePrecision
/// says at which points and by which reference. Any other positive d has an answer as well, and
/// every x. long double and multiprecision types take a slower, generic path; there the relative
/// error of a tail P was below (128 − 2 log P) epsilon wherever it was measured, and so it should
/// be for double where long double is no wider.
///
/// \tparam RealType a floating-point or Boost.Multiprecision type
/// \tparam Policy a Boost.Math policy; it governs errors, not precision
/// \implements{ScoreDistribution}
template <class RealType = double, class Policy = boost::math::policies::policy<>>
class score_distribution {
 public:
  using value_type = RealType;  ///< RealType, as Boost.Math asks for
  using policy_type = Policy;   ///< Policy, as Boost.Math asks for

  /// The distribution of the score of a query and a key of d entries each.
  /// \param dimension d, positive and finite; need not be a whole number
  /// \throws std::domain_error (by default) if it is not positive and finite
  explicit score_distribution(const RealType& dimension = 1);

  /// The head dimension d, as given: positive and finite, unless the policy lets errors pass.
  const RealType& dimension() const { return dimension_; }

 private:
  RealType dimension_;
};

/// For d of any type, promoted as by Boost.Math: score_distribution(64) has RealType double.
template <class RealType>
score_distribution(RealType)
    -> score_distribution<typename boost::math::tools::promote_args<RealType>::type>;

/// score_distribution of double, the usual case.
using score = score_distribution<double>;

//! [ScorePrecision]
/// Relative errors of the functions of score_distribution, in epsilons: no larger one was found for
/// double, d from 0.5 to 10⁹, tails of at least 10⁻³⁰⁰ and results that are normal numbers.
/// Measured, not proved; elsewhere, and for other types, nothing is promised.
/// \implements{ScorePrecision}
namespace score_precision {
inline constexpr double cdf = 3;     ///< P(X ≤ x) and P(X > x): cdf() and its complement
inline constexpr double pdf = 2;     ///< the density f(x): pdf()
inline constexpr double hazard = 3;  ///< f(x)/P(X > x): hazard(), measured as one number
/// logpdf(), logcdf() and its complement, where the result is below −40; logpdf() has no other
/// bound.
inline constexpr double logarithms = 2;
inline constexpr double log_cdf = 5;      ///< logcdf() and its complement, anywhere
inline constexpr double central_cdf = 2;  ///< P(X ≤ x) − 1/2: central_cdf()
/// quantile(), its result x: the relative error of the tail P(X > abs(x)) that x reaches, divided
/// by 1 + abs(x) f(x)/P(X > abs(x)), since rounding x alone moves the tail by the fraction.
inline constexpr double quantile = 2;
}  // namespace score_precision
//! [ScorePrecision]

/// The density f(x), within score_precision::pdf; 0 at ±∞.
/// \param dist the distribution of the score.
/// \param x any number, infinities included.
/// \throws std::domain_error (by default) if x is NaN
/// \throws std::overflow_error (by default) at x = 0 if d ≤ 1, where f is infinite
/// \relatesalso score_distribution
template <class RealType, class Policy>
RealType pdf(const score_distribution<RealType, Policy>& dist,
             const std::type_identity_t<RealType>& x);

/// log f(x), the logarithm of the density, also where f(x) underflows; within
/// score_precision::logarithms where it is below −40.
/// \param dist the distribution of the score.
/// \param x any number, infinities included.
/// \throws std::domain_error (by default) if x is NaN
/// \throws std::overflow_error (by default) at ±∞, and at x = 0 if d ≤ 1, where it is infinite
/// \relatesalso score_distribution
template <class RealType, class Policy>
RealType logpdf(const score_distribution<RealType, Policy>& dist,
                const std::type_identity_t<RealType>& x);

/// F(x) = P(X ≤ x), within score_precision::cdf.
/// \param dist the distribution of the score.
/// \param x any number, infinities included.
/// \throws std::domain_error (by default) if x is NaN
/// \relatesalso score_distribution
template <class RealType, class Policy>
RealType cdf(const score_distribution<RealType, Policy>& dist,
             const std::type_identity_t<RealType>& x);

/// P(X > x) = F(−x), within score_precision::cdf: call it as cdf(complement(dist, x)).
/// \param c complement(dist, x), with x any number, infinities included.
/// \throws std::domain_error (by default) if x is NaN
/// \relatesalso score_distribution
template <class RealType, class Policy, class Argument>
RealType cdf(
    const boost::math::complemented2_type<score_distribution<RealType, Policy>, Argument>& c);

/// F(x) − 1/2, without cancellation: within score_precision::central_cdf, at x → 0 too.
/// \param dist the distribution of the score.
/// \param x any number, infinities included.
/// \throws std::domain_error (by default) if x is NaN
/// \relatesalso score_distribution
template <class RealType, class Policy>
RealType central_cdf(const score_distribution<RealType, Policy>& dist,
                     const std::type_identity_t<RealType>& x);

/// log F(x), also where F(x) underflows; within score_precision::log_cdf, and where it is below −40
/// within score_precision::logarithms.
/// \param dist the distribution of the score.
/// \param x any number, infinities included.
/// \throws std::domain_error (by default) if x is NaN
/// \throws std::overflow_error (by default) at x = −∞, where it is infinite
/// \relatesalso score_distribution
template <class RealType, class Policy>
RealType logcdf(const score_distribution<RealType, Policy>& dist,
                const std::type_identity_t<RealType>& x);

/// log P(X > x), also where P(X > x) underflows; as exact as logcdf(). Call it as
/// logcdf(complement(dist, x)).
/// \param c complement(dist, x), with x any number, infinities included.
/// \throws std::domain_error (by default) if x is NaN
/// \throws std::overflow_error (by default) at x = ∞, where it is infinite
/// \relatesalso score_distribution
template <class RealType, class Policy, class Argument>
RealType logcdf(
    const boost::math::complemented2_type<score_distribution<RealType, Policy>, Argument>& c);

/// The x with F(x) = p, within score_precision::quantile.
/// \param dist the distribution of the score.
/// \param p in [0, 1].
/// \throws std::domain_error (by default) if p is not in [0, 1]
/// \throws std::overflow_error (by default) at p = 0 and 1, as for Boost's normal distribution
/// \relatesalso score_distribution
template <class RealType, class Policy>
RealType quantile(const score_distribution<RealType, Policy>& dist,
                  const std::type_identity_t<RealType>& p);

/// The x with P(X > x) = q, within score_precision::quantile: call it as
/// quantile(complement(dist, q)).
/// \param c complement(dist, q), with q in [0, 1].
/// \throws std::domain_error (by default) if q is not in [0, 1]
/// \throws std::overflow_error (by default) at q = 0 and 1
/// \relatesalso score_distribution
template <class RealType, class Policy, class Argument>
RealType quantile(
    const boost::math::complemented2_type<score_distribution<RealType, Policy>, Argument>& c);

/// The hazard f(x)/P(X > x), also where both underflow; within score_precision::hazard.
/// \param dist the distribution of the score.
/// \param x any number, infinities included; the hazard is 0 at −∞ and 1 at ∞.
/// \throws std::domain_error (by default) if x is NaN
/// \throws std::overflow_error (by default) at x = 0 if d ≤ 1, where f is infinite
/// \relatesalso score_distribution
template <class RealType, class Policy, class Argument>
RealType hazard(const score_distribution<RealType, Policy>& dist, const Argument& x);

/// The cumulative hazard −log P(X > x), as exact as logcdf(). For E e^{itX} see
/// characteristic_function().
/// \param dist the distribution of the score.
/// \param x any number, infinities included.
/// \throws std::domain_error (by default) if x is NaN
/// \throws std::overflow_error (by default) at x = ∞, where it is infinite
/// \relatesalso score_distribution
template <class RealType, class Policy, class Argument>
RealType chf(const score_distribution<RealType, Policy>& dist, const Argument& x);

/// The characteristic function E e^{itX} = (1 + t²)^{−d/2}, which is real; 0 at ±∞.
/// \ref ScorePrecision bounds its error.
/// \param dist the distribution of the score.
/// \param t any number, infinities included.
/// \throws std::domain_error (by default) if t is NaN
/// \relatesalso score_distribution
template <class RealType, class Policy>
RealType characteristic_function(const score_distribution<RealType, Policy>& dist,
                                 const std::type_identity_t<RealType>& t);

/// The n-th cumulant: d (n − 1)! for even n, 0 for odd n; the product is rounded once more than the
/// factorial.
/// \param dist the distribution of the score.
/// \param n at least 1.
/// \throws std::domain_error (by default) if n is 0
/// \throws std::overflow_error (by default) if (n − 1)! is too large for RealType and n is even
/// \relatesalso score_distribution
template <class RealType, class Policy>
RealType cumulant(const score_distribution<RealType, Policy>& dist, unsigned n);

/// The absolute moment E|X|^s = 2^s Γ((s + 1)/2) Γ((d + s)/2) / (√π Γ(d/2)). No bound of
/// its error is known.
/// \param dist the distribution of the score.
/// \param s finite, greater than −min(1, d).
/// \throws std::domain_error (by default) if s is out of range
/// \throws std::overflow_error (by default) if the moment, or a factor, is too large
/// \relatesalso score_distribution
template <class RealType, class Policy>
RealType absolute_moment(const score_distribution<RealType, Policy>& dist,
                         const std::type_identity_t<RealType>& s);

/// The differential entropy −∫ f log f in nats, by quadrature: 1 + log 2 for d = 2. No bound of
/// its error is known.
/// \relatesalso score_distribution
template <class RealType, class Policy>
RealType entropy(const score_distribution<RealType, Policy>& dist);

/// The Kolmogorov distance to the normal distribution of the same variance, sup |F(x) − Φ(x/√d)|:
/// about 0.1376/d, reached at x = ±√((3 − √6) d) as d → ∞. Absolute error 2 epsilon, of which
/// score_precision::central_cdf makes one.
/// \implements{ScoreIsNearlyNormal}
/// \relatesalso score_distribution
template <class RealType, class Policy>
RealType normal_distance(const score_distribution<RealType, Policy>& dist);

/// The range of x: −∞ to ∞, or between the extreme finite numbers of a type without infinities.
/// \relatesalso score_distribution
template <class RealType, class Policy>
std::pair<RealType, RealType> range(const score_distribution<RealType, Policy>& dist);

/// The support of the density: minus to plus the largest finite value.
/// \relatesalso score_distribution
template <class RealType, class Policy>
std::pair<RealType, RealType> support(const score_distribution<RealType, Policy>& dist);

/// The mean E X = 0, for every d.
/// \relatesalso score_distribution
template <class RealType, class Policy>
RealType mean(const score_distribution<RealType, Policy>&) {
  return 0;
}

/// The median, 0 for every d: the distribution is symmetric.
/// \relatesalso score_distribution
template <class RealType, class Policy>
RealType median(const score_distribution<RealType, Policy>&) {
  return 0;
}

/// The mode, 0 for every d: the density is greatest there, and infinite for d ≤ 1.
/// \relatesalso score_distribution
template <class RealType, class Policy>
RealType mode(const score_distribution<RealType, Policy>&) {
  return 0;
}

/// The variance E X² = d.
/// \relatesalso score_distribution
template <class RealType, class Policy>
RealType variance(const score_distribution<RealType, Policy>& dist) {
  return dist.dimension();
}

/// The skewness, 0: the distribution is symmetric.
/// \relatesalso score_distribution
template <class RealType, class Policy>
RealType skewness(const score_distribution<RealType, Policy>&) {
  return 0;
}

/// The kurtosis E X⁴/(E X²)² = 3 + 6/d.
/// \relatesalso score_distribution
template <class RealType, class Policy>
RealType kurtosis(const score_distribution<RealType, Policy>& dist) {
  return 3 + 6 / dist.dimension();
}

/// The kurtosis less the normal distribution's 3: 6/d.
/// \relatesalso score_distribution
template <class RealType, class Policy>
RealType kurtosis_excess(const score_distribution<RealType, Policy>& dist) {
  return 6 / dist.dimension();
}

namespace detail {

template <class RealType>
using ScoreEvaluation = std::conditional_t<std::same_as<RealType, float>, double, RealType>;

template <class RealType, class Policy>
bool check_dimension(const char* function, const RealType& d, RealType* result,
                     const Policy& policy) {
  if (d > 0 && (boost::math::isfinite)(d)) return true;
  *result = boost::math::policies::raise_domain_error<RealType>(
      function, "The dimension d is %1%, but must be positive and finite.", d, policy);
  return false;
}

/// True if d is valid and x a number, possibly infinite; otherwise result is what to return.
template <class RealType, class Policy>
bool check_score(const char* function, const score_distribution<RealType, Policy>& dist,
                 const RealType& x, RealType* result) {
  if (!check_dimension(function, dist.dimension(), result, Policy())) return false;
  if (!(boost::math::isnan)(x)) return true;
  *result = boost::math::policies::raise_domain_error<RealType>(
      function, "The score x is %1%, but must be a number.", x, Policy());
  return false;
}

/// The value in RealType, with the policy's say on overflow and underflow.
template <class RealType, class Policy, class WideReal>
RealType narrow(const char* function, const WideReal& value, const Policy&) {
  return boost::math::policies::checked_narrowing_cast<RealType, Policy>(value, function);
}

/// P(X > x) of either sign of x, as a number or as its logarithm.
template <class RealType, class Policy>
RealType survival(const char* function, const score_distribution<RealType, Policy>& dist,
                  const RealType& x) {
  using WideReal = ScoreEvaluation<RealType>;
  RealType result = 0;
  if (!check_score(function, dist, x, &result)) return result;
  if ((boost::math::isinf)(x)) return x > 0 ? RealType(0) : RealType(1);
  const auto tail = score_numerics::upper_tail<WideReal>(dist.dimension(), x < 0 ? -x : x);
  const WideReal value = x < 0 ? WideReal(1 - tail.wide_value()) : tail.value();
  return narrow<RealType>(function, value, Policy());
}

template <class RealType, class Policy>
RealType log_survival(const char* function, const score_distribution<RealType, Policy>& dist,
                      const RealType& x) {
  using WideReal = ScoreEvaluation<RealType>;
  using std::log1p;
  RealType result = 0;
  if (!check_score(function, dist, x, &result)) return result;
  if ((boost::math::isinf)(x)) {
    return x < 0 ? RealType(0)
                 : -boost::math::policies::raise_overflow_error<RealType>(function, nullptr,
                                                                          Policy());
  }
  const auto tail = score_numerics::upper_tail<WideReal>(dist.dimension(), x < 0 ? -x : x);
  const WideReal logarithm = x < 0 ? WideReal(log1p(-tail.wide_value())) : tail.log();
  return narrow<RealType>(function, logarithm, Policy());
}

/// The x with P(X > x) = q if upper, otherwise with P(X ≤ x) = q.
/// \param find of the same dimension; many quantiles are found sooner by one than by one each.
template <class RealType, class Policy>
RealType signed_quantile(const char* function, const score_distribution<RealType, Policy>& dist,
                         const RealType& q, bool upper,
                         score_numerics::QuantileFinder<ScoreEvaluation<RealType>>& find) {
  using WideReal = ScoreEvaluation<RealType>;
  RealType result = 0;
  if (!check_dimension(function, dist.dimension(), &result, Policy())) return result;
  if (!boost::math::detail::check_probability(function, q, &result, Policy())) return result;
  const bool positive = (2 * q < 1) == upper;
  if (q == 0 || q == 1) {
    result = boost::math::policies::raise_overflow_error<RealType>(function, nullptr, Policy());
    return positive ? result : -result;
  }
  // 1 − q and q − ½ are exact for q ≥ ½, and so is ½ − q for q ≥ ¼
  const WideReal tail = 2 * q < 1 ? WideReal(q) : 1 - WideReal(q);
  const WideReal x = find(tail, WideReal(0.5) - tail).x;
  return narrow<RealType>(function, positive ? x : -x, Policy());
}

}  // namespace detail

template <class RealType, class Policy>
score_distribution<RealType, Policy>::score_distribution(const RealType& dimension)
    : dimension_(dimension) {
  RealType ignored = 0;
  detail::check_dimension("sqrtdk::score_distribution<%1%>::score_distribution(%1%)", dimension,
                          &ignored, Policy());
}

template <class RealType, class Policy>
RealType pdf(const score_distribution<RealType, Policy>& dist,
             const std::type_identity_t<RealType>& x) {
  constexpr auto function = "sqrtdk::pdf(const score_distribution<%1%>&, %1%)";
  using WideReal = detail::ScoreEvaluation<RealType>;
  RealType result = 0;
  if (!detail::check_score(function, dist, x, &result)) return result;
  if ((boost::math::isinf)(x)) return 0;
  if (x == 0 && dist.dimension() <= 1)
    return boost::math::policies::raise_overflow_error<RealType>(function, nullptr, Policy());
  const WideReal value =
      score_numerics::density<WideReal>(dist.dimension(), x < 0 ? -x : x).value();
  return detail::narrow<RealType>(function, value, Policy());
}

template <class RealType, class Policy>
RealType logpdf(const score_distribution<RealType, Policy>& dist,
                const std::type_identity_t<RealType>& x) {
  constexpr auto function = "sqrtdk::logpdf(const score_distribution<%1%>&, %1%)";
  using WideReal = detail::ScoreEvaluation<RealType>;
  RealType result = 0;
  if (!detail::check_score(function, dist, x, &result)) return result;
  if ((boost::math::isinf)(x))
    return -boost::math::policies::raise_overflow_error<RealType>(function, nullptr, Policy());
  if (x == 0 && dist.dimension() <= 1)
    return boost::math::policies::raise_overflow_error<RealType>(function, nullptr, Policy());
  const WideReal value = score_numerics::density<WideReal>(dist.dimension(), x < 0 ? -x : x).log();
  return detail::narrow<RealType>(function, value, Policy());
}

template <class RealType, class Policy>
RealType cdf(const score_distribution<RealType, Policy>& dist,
             const std::type_identity_t<RealType>& x) {
  // F(x) = P(X > −x)
  return detail::survival<RealType>("sqrtdk::cdf(const score_distribution<%1%>&, %1%)", dist, -x);
}

template <class RealType, class Policy, class Argument>
RealType cdf(
    const boost::math::complemented2_type<score_distribution<RealType, Policy>, Argument>& c) {
  return detail::survival<RealType>("sqrtdk::cdf(complement(const score_distribution<%1%>&, %1%))",
                                    c.dist, static_cast<RealType>(c.param));
}

template <class RealType, class Policy>
RealType central_cdf(const score_distribution<RealType, Policy>& dist,
                     const std::type_identity_t<RealType>& x) {
  constexpr auto function = "sqrtdk::central_cdf(const score_distribution<%1%>&, %1%)";
  using WideReal = detail::ScoreEvaluation<RealType>;
  RealType result = 0;
  if (!detail::check_score(function, dist, x, &result)) return result;
  if ((boost::math::isinf)(x)) return x > 0 ? RealType(0.5) : RealType(-0.5);
  const WideReal mass = score_numerics::central_mass<WideReal>(dist.dimension(), x < 0 ? -x : x);
  return detail::narrow<RealType>(function, x < 0 ? -mass : mass, Policy());
}

template <class RealType, class Policy>
RealType logcdf(const score_distribution<RealType, Policy>& dist,
                const std::type_identity_t<RealType>& x) {
  return detail::log_survival<RealType>("sqrtdk::logcdf(const score_distribution<%1%>&, %1%)", dist,
                                        -x);
}

template <class RealType, class Policy, class Argument>
RealType logcdf(
    const boost::math::complemented2_type<score_distribution<RealType, Policy>, Argument>& c) {
  return detail::log_survival<RealType>(
      "sqrtdk::logcdf(complement(const score_distribution<%1%>&, %1%))", c.dist,
      static_cast<RealType>(c.param));
}

template <class RealType, class Policy>
RealType quantile(const score_distribution<RealType, Policy>& dist,
                  const std::type_identity_t<RealType>& p) {
  score_numerics::QuantileFinder<detail::ScoreEvaluation<RealType>> find(dist.dimension());
  return detail::signed_quantile<RealType>("sqrtdk::quantile(const score_distribution<%1%>&, %1%)",
                                           dist, p, false, find);
}

template <class RealType, class Policy, class Argument>
RealType quantile(
    const boost::math::complemented2_type<score_distribution<RealType, Policy>, Argument>& c) {
  score_numerics::QuantileFinder<detail::ScoreEvaluation<RealType>> find(c.dist.dimension());
  return detail::signed_quantile<RealType>(
      "sqrtdk::quantile(complement(const score_distribution<%1%>&, %1%))", c.dist,
      static_cast<RealType>(c.param), true, find);
}

template <class RealType, class Policy, class Argument>
RealType hazard(const score_distribution<RealType, Policy>& dist, const Argument& argument) {
  constexpr auto function = "sqrtdk::hazard(const score_distribution<%1%>&, %1%)";
  using WideReal = detail::ScoreEvaluation<RealType>;
  using std::exp;
  const auto x = static_cast<RealType>(argument);
  RealType result = 0;
  if (!detail::check_score(function, dist, x, &result)) return result;
  if ((boost::math::isinf)(x)) return x > 0 ? RealType(1) : RealType(0);  // its limits
  if (x <= 0) return pdf(dist, x) / detail::survival<RealType>(function, dist, x);
  const auto slope = score_numerics::density<WideReal>(dist.dimension(), x);
  const auto tail = score_numerics::upper_tail<WideReal>(dist.dimension(), x);
  const auto ratio = slope.mantissa / tail.mantissa * exp(tail.exponent - slope.exponent);
  return detail::narrow<RealType>(function, static_cast<WideReal>(ratio), Policy());
}

template <class RealType, class Policy, class Argument>
RealType chf(const score_distribution<RealType, Policy>& dist, const Argument& x) {
  return -detail::log_survival<RealType>("sqrtdk::chf(const score_distribution<%1%>&, %1%)", dist,
                                         static_cast<RealType>(x));
}

//! [ScoreDistribution]
template <class RealType, class Policy>
RealType characteristic_function(const score_distribution<RealType, Policy>& dist,
                                 const std::type_identity_t<RealType>& t) {
  constexpr auto function = "sqrtdk::characteristic_function(const score_distribution<%1%>&, %1%)";
  using WideReal = detail::ScoreEvaluation<RealType>;
  using std::abs;
  using std::exp;
  using std::log;
  RealType result = 0;
  if (!detail::check_score(function, dist, t, &result)) return result;
  const score_numerics::Extended<WideReal> size = abs(t);
  // log(1 + t²), also where t² overflows
  const auto logarithm = size > 1 / std::numeric_limits<WideReal>::epsilon()
                             ? 2 * log(size)
                             : boost::math::log1p(size * size, score_numerics::inner_policy());
  return static_cast<RealType>(exp(-logarithm * dist.dimension() / 2));
}

template <class RealType, class Policy>
RealType cumulant(const score_distribution<RealType, Policy>& dist, unsigned n) {
  if (n == 0)
    return boost::math::policies::raise_domain_error<RealType>(
        "sqrtdk::cumulant(const score_distribution<%1%>&, unsigned)",
        "The order n is %1%, but must be positive.", RealType(0), Policy());
  if (n % 2 == 1) return 0;
  return dist.dimension() * boost::math::factorial<RealType>(n - 1, Policy());
}

template <class RealType, class Policy>
RealType absolute_moment(const score_distribution<RealType, Policy>& dist,
                         const std::type_identity_t<RealType>& s) {
  constexpr auto function = "sqrtdk::absolute_moment(const score_distribution<%1%>&, %1%)";
  using WideReal = detail::ScoreEvaluation<RealType>;
  using Wide = score_numerics::Extended<WideReal>;
  using std::exp2;
  using std::pow;
  const RealType& d = dist.dimension();
  RealType result = 0;
  if (!detail::check_dimension(function, d, &result, Policy())) return result;
  if (!(s > -1 && s > -d && (boost::math::isfinite)(s)))
    return boost::math::policies::raise_domain_error<RealType>(
        function, "The order s is %1%, but must be finite and greater than -min(1, d).", s,
        Policy());
  const Wide half = Wide(s) / 2;
  const Wide value = pow(Wide(4), half) * boost::math::tgamma(half + Wide(0.5), Policy()) /
                     boost::math::constants::root_pi<Wide>() /
                     boost::math::tgamma_delta_ratio(Wide(d) / 2, half, Policy());
  return detail::narrow<RealType>(function, value, Policy());
}
//! [ScoreDistribution]

template <class RealType, class Policy>
RealType entropy(const score_distribution<RealType, Policy>& dist) {
  using WideReal = detail::ScoreEvaluation<RealType>;
  using std::sqrt;
  const WideReal d = dist.dimension();
  RealType result = 0;
  if (!detail::check_dimension("sqrtdk::entropy(const score_distribution<%1%>&)", dist.dimension(),
                               &result, Policy()))
    return result;
  // −∫ f log f = −2√d ∫₀^∞ f(z√d) log f(z√d) dz
  const WideReal deviation = sqrt(d);
  const auto integrand = [&](const WideReal& z) {
    const auto f = score_numerics::density<WideReal>(d, z * deviation);
    const WideReal value = f.value();
    return value > 0 ? WideReal(-value * f.log()) : WideReal(0);
  };
  const WideReal half = boost::math::quadrature::exp_sinh<WideReal>().integrate(integrand);
  return static_cast<RealType>(2 * deviation * half);
}

//! [ScoreIsNearlyNormal]
template <class RealType, class Policy>
RealType normal_distance(const score_distribution<RealType, Policy>& dist) {
  using WideReal = detail::ScoreEvaluation<RealType>;
  using std::log;
  using std::sqrt;
  const WideReal d = dist.dimension();
  RealType result = 0;
  if (!detail::check_dimension("sqrtdk::normal_distance(const score_distribution<%1%>&)",
                               dist.dimension(), &result, Policy()))
    return result;
  // F − Φ is greatest where the densities cross, near z = √(π/2) d as d → 0, √(3 − √6) as d → ∞.
  const WideReal deviation = sqrt(d);
  const WideReal log_scale = log(boost::math::constants::two_pi<WideReal>() * d) / 2;
  const auto at = [&](const WideReal& z) {
    return std::max(z * deviation, (std::numeric_limits<WideReal>::min)());
  };
  const WideReal size = std::min(d, WideReal(1));
  WideReal lower = size / 8;
  WideReal upper = 3 * size / 2;
  for (int step = 0; step < std::numeric_limits<WideReal>::digits; ++step) {
    const WideReal z = (lower + upper) / 2;
    const bool above = score_numerics::density<WideReal>(d, at(z)).log() + log_scale > -z * z / 2;
    (above ? lower : upper) = z;
  }
  const WideReal normal =
      boost::math::erf(WideReal(lower / boost::math::constants::root_two<WideReal>()),
                       score_numerics::inner_policy());
  const WideReal distance = score_numerics::central_mass<WideReal>(d, at(lower)) - normal / 2;
  return static_cast<RealType>(distance > 0 ? distance : WideReal(0));
}
//! [ScoreIsNearlyNormal]

template <class RealType, class Policy>
std::pair<RealType, RealType> range(const score_distribution<RealType, Policy>&) {
  using limits = std::numeric_limits<RealType>;
  const RealType end = limits::has_infinity ? limits::infinity() : (limits::max)();
  return {-end, end};
}

template <class RealType, class Policy>
std::pair<RealType, RealType> support(const score_distribution<RealType, Policy>&) {
  const RealType end = (std::numeric_limits<RealType>::max)();
  return {-end, end};
}

}  // namespace sqrtdk

#include <sqrtdk/distributions/detail/derived_accessors.hpp>
