// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief The score of queries and keys of entries ±1, as a distribution of Boost.Math's kind.
#pragma once

#include <sqrtdk/numbers/float_environment.hpp>

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/complement.hpp>
#include <boost/math/policies/error_handling.hpp>
#include <boost/math/policies/policy.hpp>

#include <cmath>
#include <type_traits>
#include <utility>

namespace sqrtdk {

/// The distribution of X = q·k for independent q, k with independent entries ±1, each with
/// probability ½:
///
///     X = 2B − d,   B ~ Binomial(d, ½)
///
/// It has the mean and the variance of the Gaussian score, and is another distribution: on the
/// lattice −d, −d + 2, …, d, with lighter tails (kurtosis 3 − 2/d against 3 + 6/d).
///
/// \snippet{trimleft} tests/score_distribution_tests.cpp rademacher_score_distribution
///
/// A density elsewhere is a probability here, and a quantile is a point of the lattice,
/// whatever the policy says of discrete quantiles: the smallest at which the distribution function
/// reaches p, so that P(X ≤ quantile(p)) is p or more, and equal to p at a few p only.
///
/// It models Boost.Math's distribution concept: the functions on this page are found by
/// argument-dependent lookup. Boost derives four more from them: standard_deviation(dist), √d;
/// hazard(dist, x), for a discrete distribution P(X = x)/P(X > x) and not P(X = x)/P(X ≥ x), hence an
/// overflow error at x = d; chf(dist, x), −log P(X > x); and coefficient_of_variation(dist), an
/// overflow error, since the mean is 0.
///
/// \tparam RealType a floating-point type
/// \tparam Policy a Boost.Math policy
/// \implements{RademacherScore}
template <class RealType = double, class Policy = boost::math::policies::policy<>>
class rademacher_score_distribution {
 public:
  using value_type = RealType;  ///< RealType, as Boost.Math asks for
  using policy_type = Policy;   ///< Policy, as Boost.Math asks for

  /// \param dimension d, a positive integer
  /// \throws std::domain_error (by default) if it is not
  explicit rademacher_score_distribution(const RealType& dimension = 1);

  /// The head dimension d, as given: a positive integer, unless the policy lets errors pass.
  const RealType& dimension() const { return dimension_; }

 private:
  RealType dimension_;
};

/// rademacher_score_distribution of double, the usual case.
using rademacher_score = rademacher_score_distribution<double>;

/// P(X = x): 0 off the lattice.
/// \relatesalso rademacher_score_distribution
template <class RealType, class Policy>
RealType pdf(const rademacher_score_distribution<RealType, Policy>& dist,
             const std::type_identity_t<RealType>& x);

/// P(X ≤ x), for any x.
/// \relatesalso rademacher_score_distribution
template <class RealType, class Policy>
RealType cdf(const rademacher_score_distribution<RealType, Policy>& dist,
             const std::type_identity_t<RealType>& x);

/// P(X > x), for any x: call it as cdf(complement(dist, x)).
/// \relatesalso rademacher_score_distribution
template <class RealType, class Policy, class Argument>
RealType cdf(const boost::math::complemented2_type<rademacher_score_distribution<RealType, Policy>,
                                                   Argument>& c);

/// The smallest x of the lattice with P(X ≤ x) ≥ p.
/// \param dist the distribution of the score.
/// \param p in [0, 1].
/// \relatesalso rademacher_score_distribution
template <class RealType, class Policy>
RealType quantile(const rademacher_score_distribution<RealType, Policy>& dist,
                  const std::type_identity_t<RealType>& p);

/// The smallest x of the lattice with P(X > x) ≤ q, for q in [0, 1]: call it as
/// quantile(complement(dist, q)).
/// \relatesalso rademacher_score_distribution
template <class RealType, class Policy, class Argument>
RealType quantile(const boost::math::complemented2_type<
                  rademacher_score_distribution<RealType, Policy>, Argument>& c);

/// The mean E X = 0, for every d.
/// \relatesalso rademacher_score_distribution
template <class RealType, class Policy>
RealType mean(const rademacher_score_distribution<RealType, Policy>&) {
  return 0;
}

/// The smallest x of the lattice with P(X ≤ x) ≥ ½: 0 for even d, −1 for odd d, where every number
/// from −1 to 1 would be a median.
/// \relatesalso rademacher_score_distribution
template <class RealType, class Policy>
RealType median(const rademacher_score_distribution<RealType, Policy>& dist);

/// The likeliest x: 0 for even d; for odd d, −1 and 1 are equally likely, and 1 is returned, as
/// Boost does for the binomial.
/// \relatesalso rademacher_score_distribution
template <class RealType, class Policy>
RealType mode(const rademacher_score_distribution<RealType, Policy>& dist);

/// The variance E X² = d.
/// \relatesalso rademacher_score_distribution
template <class RealType, class Policy>
RealType variance(const rademacher_score_distribution<RealType, Policy>& dist) {
  return dist.dimension();
}

/// The skewness, 0: the distribution is symmetric.
/// \relatesalso rademacher_score_distribution
template <class RealType, class Policy>
RealType skewness(const rademacher_score_distribution<RealType, Policy>&) {
  return 0;
}

/// The kurtosis E X⁴/(E X²)², 3 − 2/d.
/// \relatesalso rademacher_score_distribution
template <class RealType, class Policy>
RealType kurtosis(const rademacher_score_distribution<RealType, Policy>& dist) {
  return 3 - 2 / dist.dimension();
}

/// The kurtosis less the normal distribution's 3: −2/d.
/// \relatesalso rademacher_score_distribution
template <class RealType, class Policy>
RealType kurtosis_excess(const rademacher_score_distribution<RealType, Policy>& dist) {
  return -2 / dist.dimension();
}

/// The range of x: −d to d.
/// \relatesalso rademacher_score_distribution
template <class RealType, class Policy>
std::pair<RealType, RealType> range(const rademacher_score_distribution<RealType, Policy>& dist) {
  return {-dist.dimension(), dist.dimension()};
}

/// The points of the lattice between which probabilities are positive: −d to d.
/// \relatesalso rademacher_score_distribution
template <class RealType, class Policy>
std::pair<RealType, RealType> support(const rademacher_score_distribution<RealType, Policy>& dist) {
  return {-dist.dimension(), dist.dimension()};
}

namespace detail {

template <class RealType, class Policy>
auto positive_entries(const rademacher_score_distribution<RealType, Policy>& dist) {
  using boost::math::policies::discrete_quantile;
  using boost::math::policies::integer_round_up;
  using policy =
      typename boost::math::policies::normalise<Policy, discrete_quantile<integer_round_up>>::type;
  return boost::math::binomial_distribution<RealType, policy>(dist.dimension(), RealType(0.5));
}

template <class RealType>
bool is_odd(const RealType& whole) {
  using std::floor;
  return 2 * floor(RealType(whole / 2)) != whole;
}

/// The most entries that agree if the score is ≤ x: ⌊(x + d)/2⌋, |x| ≤ d, by no sum that rounds up.
template <class RealType>
RealType count_at_most(const RealType& x, const RealType& d) {
  using std::floor;
  const RealType whole = floor(x);
  const RealType halves = floor(RealType(whole / 2)) + floor(RealType(d / 2));
  return is_odd(whole) && is_odd(d) ? RealType(halves + 1) : halves;
}

/// True if x is a number, infinite or not; otherwise result is what to return.
template <class RealType, class Policy>
bool check_number(const char* function, const RealType& x, RealType* result, const Policy& policy) {
  if (!(boost::math::isnan)(x)) return true;
  *result = boost::math::policies::raise_domain_error<RealType>(
      function, "The score x is %1%, but must be a number.", x, policy);
  return false;
}

}  // namespace detail

template <class RealType, class Policy>
rademacher_score_distribution<RealType, Policy>::rademacher_score_distribution(
    const RealType& dimension)
    : dimension_(dimension) {
  using std::floor;
  if (!(dimension >= 1 && floor(dimension) == dimension && (boost::math::isfinite)(dimension)))
    boost::math::policies::raise_domain_error<RealType>(
        "sqrtdk::rademacher_score_distribution<%1%>(%1%)",
        "The dimension d is %1%, but must be a positive integer.", dimension, Policy());
}

template <class RealType, class Policy>
RealType pdf(const rademacher_score_distribution<RealType, Policy>& dist,
             const std::type_identity_t<RealType>& x) {
  using std::abs;
  using std::floor;
  RealType result = 0;
  if (!detail::check_number<RealType>("sqrtdk::pdf(const rademacher_score_distribution<%1%>&, %1%)",
                                      x, &result, Policy()))
    return result;
  if (!(abs(x) <= dist.dimension())) return 0;
  if (floor(x) != x || detail::is_odd(x) != detail::is_odd(dist.dimension())) return 0;
  return pdf(detail::positive_entries(dist), detail::count_at_most(x, dist.dimension()));
}

//! [RademacherScore]
template <class RealType, class Policy>
RealType cdf(const rademacher_score_distribution<RealType, Policy>& dist,
             const std::type_identity_t<RealType>& x) {
  RealType result = 0;
  if (!detail::check_number<RealType>("sqrtdk::cdf(const rademacher_score_distribution<%1%>&, %1%)",
                                      x, &result, Policy()))
    return result;
  if (x < -dist.dimension()) return 0;
  if (x >= dist.dimension()) return 1;
  return cdf(detail::positive_entries(dist), detail::count_at_most(x, dist.dimension()));
}
//! [RademacherScore]

template <class RealType, class Policy, class Argument>
RealType cdf(const boost::math::complemented2_type<rademacher_score_distribution<RealType, Policy>,
                                                   Argument>& c) {
  const auto x = static_cast<RealType>(c.param);
  const RealType& d = c.dist.dimension();
  RealType result = 0;
  if (!detail::check_number<RealType>(
          "sqrtdk::cdf(complement(const rademacher_score_distribution<%1%>&, %1%))", x, &result,
          Policy()))
    return result;
  if (x < -d) return 1;
  if (x >= d) return 0;
  return cdf(complement(detail::positive_entries(c.dist), detail::count_at_most(x, d)));
}

template <class RealType, class Policy>
RealType quantile(const rademacher_score_distribution<RealType, Policy>& dist,
                  const std::type_identity_t<RealType>& p) {
  return 2 * quantile(detail::positive_entries(dist), p) - dist.dimension();
}

template <class RealType, class Policy, class Argument>
RealType quantile(const boost::math::complemented2_type<
                  rademacher_score_distribution<RealType, Policy>, Argument>& c) {
  const auto q = static_cast<RealType>(c.param);
  return 2 * quantile(complement(detail::positive_entries(c.dist), q)) - c.dist.dimension();
}

template <class RealType, class Policy>
RealType median(const rademacher_score_distribution<RealType, Policy>& dist) {
  return 2 * median(detail::positive_entries(dist)) - dist.dimension();
}

template <class RealType, class Policy>
RealType mode(const rademacher_score_distribution<RealType, Policy>& dist) {
  return 2 * mode(detail::positive_entries(dist)) - dist.dimension();
}

}  // namespace sqrtdk

#include <sqrtdk/distributions/detail/derived_accessors.hpp>
