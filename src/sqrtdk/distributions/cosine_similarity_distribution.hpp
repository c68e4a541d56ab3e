// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief The cosine similarity of two random directions, as a distribution of Boost.Math's kind.
#pragma once

#include <sqrtdk/numbers/float_environment.hpp>

#include <boost/math/constants/constants.hpp>
#include <boost/math/distributions/complement.hpp>
#include <boost/math/distributions/detail/common_error_handling.hpp>
#include <boost/math/policies/error_handling.hpp>
#include <boost/math/policies/policy.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/fpclassify.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <boost/math/special_functions/log1p.hpp>
#include <boost/math/tools/promotion.hpp>

#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

namespace sqrtdk {

/// The distribution of C = q·k/(‖q‖‖k‖) for independent q, k ~ N(0, I_d), or any two independent
/// vectors of which one has a uniform direction.
///
///     f(c) = (1 − c²)^{(d−3)/2} / B(1/2, (d − 1)/2),  |c| ≤ 1
///
/// (1 + C)/2 ~ Beta((d − 1)/2, (d − 1)/2), and C² ~ Beta(1/2, (d − 1)/2), which is what is computed
/// with: it loses no digits near c = 0, where C is when d is large. If q has the uniform direction,
/// C is independent of ‖k‖, and if q is normal, of ‖q‖ and ‖k‖ together. Defined for every real
/// d > 1; d = 2 is the arcsine distribution, d = 3 is uniform.
///
/// \snippet{trimleft} tests/score_distribution_tests.cpp cosine_similarity_distribution
///
/// It models Boost.Math's distribution concept: the functions on this page are found by
/// argument-dependent lookup. Boost derives two more from them: chf(dist, c), the cumulative hazard
/// −log P(C > c), and coefficient_of_variation(dist), an overflow error, since the mean is 0.
///
/// \tparam RealType a floating-point or Boost.Multiprecision type
/// \tparam Policy a Boost.Math policy
/// \implements{CosineSimilarityDistribution}
template <class RealType = double, class Policy = boost::math::policies::policy<>>
class cosine_similarity_distribution {
 public:
  using value_type = RealType;  ///< RealType, as Boost.Math asks for
  using policy_type = Policy;   ///< Policy, as Boost.Math asks for

  /// \param dimension d, finite and greater than 1
  /// \throws std::domain_error (by default) if it is not
  explicit cosine_similarity_distribution(const RealType& dimension = 2);

  /// The dimension d, as given: finite and above 1, unless the policy lets errors pass.
  const RealType& dimension() const { return dimension_; }

 private:
  RealType dimension_;
};

/// For d of any type, promoted as by Boost.Math: cosine_similarity_distribution(64) is of double.
template <class RealType>
cosine_similarity_distribution(RealType)
    -> cosine_similarity_distribution<typename boost::math::tools::promote_args<RealType>::type>;

/// cosine_similarity_distribution of double, the usual case.
using cosine_similarity = cosine_similarity_distribution<double>;

/// The density f(c).
/// \param dist the distribution of the cosine.
/// \param c in [−1, 1].
/// \throws std::overflow_error (by default) at c = ±1 if d < 3, where it is infinite
/// \relatesalso cosine_similarity_distribution
template <class RealType, class Policy>
RealType pdf(const cosine_similarity_distribution<RealType, Policy>& dist,
             const std::type_identity_t<RealType>& c);

/// P(C ≤ c).
/// \param dist the distribution of the cosine.
/// \param c in [−1, 1].
/// \relatesalso cosine_similarity_distribution
template <class RealType, class Policy>
RealType cdf(const cosine_similarity_distribution<RealType, Policy>& dist,
             const std::type_identity_t<RealType>& c);

/// P(C > c): call it as cdf(complement(dist, c)).
/// \relatesalso cosine_similarity_distribution
template <class RealType, class Policy, class Argument>
RealType cdf(const boost::math::complemented2_type<cosine_similarity_distribution<RealType, Policy>,
                                                   Argument>& c);

/// P(C ≤ c) − 1/2, without cancellation.
/// \relatesalso cosine_similarity_distribution
template <class RealType, class Policy>
RealType central_cdf(const cosine_similarity_distribution<RealType, Policy>& dist,
                     const std::type_identity_t<RealType>& c);

/// The c with P(C ≤ c) = p.
/// \param dist the distribution of the cosine.
/// \param p in [0, 1].
/// \relatesalso cosine_similarity_distribution
template <class RealType, class Policy>
RealType quantile(const cosine_similarity_distribution<RealType, Policy>& dist,
                  const std::type_identity_t<RealType>& p);

/// The c with P(C > c) = q: call it as quantile(complement(dist, q)).
/// \relatesalso cosine_similarity_distribution
template <class RealType, class Policy, class Argument>
RealType quantile(const boost::math::complemented2_type<
                  cosine_similarity_distribution<RealType, Policy>, Argument>& c);

/// The hazard f(c)/P(C > c).
/// \param dist the distribution of the cosine.
/// \param c in [−1, 1].
/// \throws std::overflow_error (by default) at c = 1, where it is infinite for every d
/// \relatesalso cosine_similarity_distribution
template <class RealType, class Policy, class Argument>
RealType hazard(const cosine_similarity_distribution<RealType, Policy>& dist, const Argument& c);

/// The mode: 0 for d > 3; for d ≤ 3 the density has no single maximum, which is a domain error.
/// \relatesalso cosine_similarity_distribution
template <class RealType, class Policy>
RealType mode(const cosine_similarity_distribution<RealType, Policy>& dist);

/// The mean E C = 0, for every d.
/// \relatesalso cosine_similarity_distribution
template <class RealType, class Policy>
RealType mean(const cosine_similarity_distribution<RealType, Policy>&) {
  return 0;
}

/// The median, 0 for every d: the distribution is symmetric.
/// \relatesalso cosine_similarity_distribution
template <class RealType, class Policy>
RealType median(const cosine_similarity_distribution<RealType, Policy>&) {
  return 0;
}

/// The variance E C² = 1/d: what dividing q·k by √d aims at, dividing by ‖q‖‖k‖ overshoots.
/// \relatesalso cosine_similarity_distribution
template <class RealType, class Policy>
RealType variance(const cosine_similarity_distribution<RealType, Policy>& dist) {
  return 1 / dist.dimension();
}

/// The standard deviation 1/√d.
/// \relatesalso cosine_similarity_distribution
template <class RealType, class Policy>
RealType standard_deviation(const cosine_similarity_distribution<RealType, Policy>& dist) {
  using std::sqrt;
  return 1 / sqrt(dist.dimension());
}

/// The skewness, 0: the distribution is symmetric.
/// \relatesalso cosine_similarity_distribution
template <class RealType, class Policy>
RealType skewness(const cosine_similarity_distribution<RealType, Policy>&) {
  return 0;
}

/// The kurtosis E C⁴/(E C²)², 3 − 6/(d + 2).
/// \relatesalso cosine_similarity_distribution
template <class RealType, class Policy>
RealType kurtosis(const cosine_similarity_distribution<RealType, Policy>& dist) {
  return 3 * dist.dimension() / (dist.dimension() + 2);
}

/// The kurtosis less the normal distribution's 3: −6/(d + 2).
/// \relatesalso cosine_similarity_distribution
template <class RealType, class Policy>
RealType kurtosis_excess(const cosine_similarity_distribution<RealType, Policy>& dist) {
  return -6 / (dist.dimension() + 2);
}

/// The range of c: −1 to 1.
/// \relatesalso cosine_similarity_distribution
template <class RealType, class Policy>
std::pair<RealType, RealType> range(const cosine_similarity_distribution<RealType, Policy>&) {
  return {RealType(-1), RealType(1)};
}

/// The support of the density: −1 to 1.
/// \relatesalso cosine_similarity_distribution
template <class RealType, class Policy>
std::pair<RealType, RealType> support(const cosine_similarity_distribution<RealType, Policy>&) {
  return {RealType(-1), RealType(1)};
}

namespace detail {

template <class RealType, class Policy>
bool check_cosine_dimension(const char* function, const RealType& d, RealType* result,
                            const Policy& policy) {
  if (d > 1 && (boost::math::isfinite)(d)) return true;
  *result = boost::math::policies::raise_domain_error<RealType>(
      function, "The dimension d is %1%, but must be finite and greater than 1.", d, policy);
  return false;
}

template <class RealType, class Policy>
bool check_cosine(const char* function,
                  const cosine_similarity_distribution<RealType, Policy>& dist, const RealType& c,
                  RealType* result) {
  if (!check_cosine_dimension(function, dist.dimension(), result, Policy())) return false;
  if (c >= -1 && c <= 1) return true;
  *result = boost::math::policies::raise_domain_error<RealType>(
      function, "The cosine c is %1%, but must be in [-1, 1].", c, Policy());
  return false;
}

//! [CosineSimilarityDistribution]
/// f(0) = 1/B(½, b) = Γ(b + ½)/(Γ(b) √π), b = (d − 1)/2.
template <class RealType, class Policy>
RealType cosine_density_at_zero(const RealType& d, const Policy& policy) {
  const RealType ratio =
      boost::math::tgamma_delta_ratio(RealType((d - 1) / 2), RealType(0.5), policy);
  return 1 / (boost::math::constants::root_pi<RealType>() * ratio);
}

/// P(0 < C ≤ c) for c ≥ 0: half of P(C² ≤ c²), C² ~ Beta(½, b); c f(0) where c² is subnormal.
template <class RealType, class Policy>
RealType central_cosine(const RealType& d, const RealType& c, const Policy& policy) {
  if (c * c < (std::numeric_limits<RealType>::min)()) return c * cosine_density_at_zero(d, policy);
  return boost::math::ibeta(RealType(0.5), RealType((d - 1) / 2), RealType(c * c), policy) / 2;
}

/// P(C > c) for c ≥ 0: half of P(C² > c²) by the precise one of c² and 1 − c², or ½ less the rest.
template <class RealType, class Policy>
RealType upper_cosine(const RealType& d, const RealType& c, const Policy& policy) {
  const RealType half = RealType(0.5);
  const RealType b = (d - 1) / 2;
  if (2 * c >= 1) return boost::math::ibeta(b, half, RealType((1 - c) * (1 + c)), policy) / 2;
  const RealType rest = central_cosine(d, c, policy);
  if (4 * rest <= 1) return half - rest;
  return boost::math::ibetac(half, b, RealType(c * c), policy) / 2;
}
//! [CosineSimilarityDistribution]

template <class RealType, class Policy>
RealType cosine_survival(const char* function,
                         const cosine_similarity_distribution<RealType, Policy>& dist,
                         const RealType& c) {
  RealType result = 0;
  if (!check_cosine(function, dist, c, &result)) return result;
  const RealType tail = upper_cosine(dist.dimension(), RealType(c < 0 ? -c : c), Policy());
  return c < 0 ? RealType(1 - tail) : tail;
}

/// The c with P(C > c) = q if upper, otherwise with P(C ≤ c) = q.
template <class RealType, class Policy>
RealType cosine_quantile(const char* function,
                         const cosine_similarity_distribution<RealType, Policy>& dist,
                         const RealType& q, bool upper) {
  using std::sqrt;
  const RealType half = RealType(0.5);
  RealType result = 0;
  if (!check_cosine_dimension(function, dist.dimension(), &result, Policy())) return result;
  if (!boost::math::detail::check_probability(function, q, &result, Policy())) return result;
  const RealType b = (dist.dimension() - 1) / 2;
  const RealType tail = 2 * q < 1 ? q : RealType(1 - q);
  const RealType square = 4 * tail < 1
                              ? boost::math::ibetac_inv(half, b, RealType(2 * tail), Policy())
                              : boost::math::ibeta_inv(half, b, RealType(1 - 2 * tail), Policy());
  const RealType c = sqrt(square);
  return (2 * q < 1) == upper ? c : RealType(-c);
}

}  // namespace detail

template <class RealType, class Policy>
cosine_similarity_distribution<RealType, Policy>::cosine_similarity_distribution(
    const RealType& dimension)
    : dimension_(dimension) {
  RealType ignored = 0;
  detail::check_cosine_dimension("sqrtdk::cosine_similarity_distribution<%1%>(%1%)", dimension,
                                 &ignored, Policy());
}

template <class RealType, class Policy>
RealType pdf(const cosine_similarity_distribution<RealType, Policy>& dist,
             const std::type_identity_t<RealType>& c) {
  constexpr auto function = "sqrtdk::pdf(const cosine_similarity_distribution<%1%>&, %1%)";
  using std::exp;
  using std::log;
  RealType result = 0;
  if (!detail::check_cosine(function, dist, c, &result)) return result;
  const RealType power = (dist.dimension() - 3) / 2;
  if (c * c == 1 && power < 0)
    return boost::math::policies::raise_overflow_error<RealType>(function, nullptr, Policy());
  if (c * c == 1 && power > 0) return 0;
  const RealType scale = detail::cosine_density_at_zero(dist.dimension(), Policy());
  if (power == 0) return scale;
  const RealType logarithm = 2 * c * c < 1 ? boost::math::log1p(RealType(-c * c), Policy())
                                           : RealType(log((1 - c) * (1 + c)));
  return exp(power * logarithm) * scale;
}

template <class RealType, class Policy>
RealType cdf(const cosine_similarity_distribution<RealType, Policy>& dist,
             const std::type_identity_t<RealType>& c) {
  // P(C ≤ c) = P(C > −c)
  return detail::cosine_survival<RealType>(
      "sqrtdk::cdf(const cosine_similarity_distribution<%1%>&, %1%)", dist, -c);
}

template <class RealType, class Policy, class Argument>
RealType cdf(const boost::math::complemented2_type<cosine_similarity_distribution<RealType, Policy>,
                                                   Argument>& c) {
  return detail::cosine_survival<RealType>(
      "sqrtdk::cdf(complement(const cosine_similarity_distribution<%1%>&, %1%))", c.dist,
      static_cast<RealType>(c.param));
}

template <class RealType, class Policy>
RealType central_cdf(const cosine_similarity_distribution<RealType, Policy>& dist,
                     const std::type_identity_t<RealType>& c) {
  constexpr auto function = "sqrtdk::central_cdf(const cosine_similarity_distribution<%1%>&, %1%)";
  RealType result = 0;
  if (!detail::check_cosine(function, dist, c, &result)) return result;
  const RealType mass =
      detail::central_cosine(dist.dimension(), RealType(c < 0 ? -c : c), Policy());
  return c < 0 ? RealType(-mass) : mass;
}

template <class RealType, class Policy>
RealType quantile(const cosine_similarity_distribution<RealType, Policy>& dist,
                  const std::type_identity_t<RealType>& p) {
  return detail::cosine_quantile<RealType>(
      "sqrtdk::quantile(const cosine_similarity_distribution<%1%>&, %1%)", dist, p, false);
}

template <class RealType, class Policy, class Argument>
RealType quantile(const boost::math::complemented2_type<
                  cosine_similarity_distribution<RealType, Policy>, Argument>& c) {
  return detail::cosine_quantile<RealType>(
      "sqrtdk::quantile(complement(const cosine_similarity_distribution<%1%>&, %1%))", c.dist,
      static_cast<RealType>(c.param), true);
}

template <class RealType, class Policy, class Argument>
RealType hazard(const cosine_similarity_distribution<RealType, Policy>& dist,
                const Argument& argument) {
  const auto c = static_cast<RealType>(argument);
  const RealType tail = cdf(boost::math::complement(dist, c));
  if (tail > 0) return pdf(dist, c) / tail;
  return boost::math::policies::raise_overflow_error<RealType>(
      "sqrtdk::hazard(const cosine_similarity_distribution<%1%>&, %1%)", nullptr, Policy());
}

template <class RealType, class Policy>
RealType mode(const cosine_similarity_distribution<RealType, Policy>& dist) {
  if (dist.dimension() > 3) return 0;
  return boost::math::policies::raise_domain_error<RealType>(
      "sqrtdk::mode(const cosine_similarity_distribution<%1%>&)",
      "The dimension d is %1%, but the mode is unique for d > 3 only.", dist.dimension(), Policy());
}

}  // namespace sqrtdk

#include <sqrtdk/distributions/detail/derived_accessors.hpp>
