// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Does a distribution agree with itself? For anything that models a Boost.Math
/// distribution.
///
/// Nothing here knows the right distribution. The functions of a distribution are routes to the
/// same numbers, and two routes that disagree cannot both be right. Each function below returns a
/// relative error; in many digits, errors of rounding vanish and errors of formulas stay.
#pragma once

#include <boost/math/quadrature/gauss.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace sqrtdk::testing {

/// How far logpdf(distribution, x) is from log(pdf(distribution, x)), relative to the latter or to
/// 1 if that is larger.
///
/// \param distribution the distribution.
/// \param x            a point where the density is positive.
/// \return the error; infinity if either is not a number.
template <class Distribution>
double logpdf_error(const Distribution& distribution, const typename Distribution::value_type& x);

/// How far F(b) − F(a) is from the integral of the density from a to b, relative to the latter,
/// where a and b are x ∓ 2⁻²⁰·min(|x|, distance of x from the nearest end of the support).
///
/// The interval is so short that Gauss–Legendre quadrature has no error worth mentioning; the
/// difference costs 20 bits and more near an end, so use a type that can spare them.
/// \param distribution the distribution, differentiable near x.
/// \param x            a point inside its support, not 0.
/// \return the error; infinity if either is not a number.
template <class Distribution>
double cdf_error(const Distribution& distribution, const typename Distribution::value_type& x);

/// The smallest relative error of x = quantile(distribution, p) that explains why F(x) is not p:
/// the least ε = 2ʲ·epsilon, j = 0, 1, …, with F(x(1 − ε)) ≤ p ≤ F(x(1 + ε)).
///
/// So a quantile is not blamed where its distribution function is steep.
/// \param distribution the distribution, continuous.
/// \param p            a probability, in (0, 1).
/// \return the error; infinity if no ε up to 1 explains it, or x is infinite or not a number.
template <class Distribution>
double quantile_error(const Distribution& distribution, const typename Distribution::value_type& p);

/// How far a point is from 0 and from the ends of a distribution's support, whichever is nearest.
/// \param distribution the distribution.
/// \param x            a point.
template <class Distribution>
typename Distribution::value_type room(const Distribution& distribution,
                                       const typename Distribution::value_type& x);

// ------------------------------------------------------------------------------------------------

namespace detail {

/// A relative error as a double, in which a number that is none becomes infinity.
template <class Real>
double error_or_infinity(const Real& error) {
  const auto narrow = static_cast<double>(error);
  return std::isnan(narrow) ? std::numeric_limits<double>::infinity() : narrow;
}

}  // namespace detail

template <class Distribution>
typename Distribution::value_type room(const Distribution& distribution,
                                       const typename Distribution::value_type& x) {
  using std::abs;
  using Real = typename Distribution::value_type;
  const auto [first, last] = support(distribution);
  return std::min({Real(abs(x)), Real(x - first), Real(last - x)});
}

template <class Distribution>
double logpdf_error(const Distribution& distribution, const typename Distribution::value_type& x) {
  using std::abs;
  using std::log;
  using Real = typename Distribution::value_type;
  const Real expected = log(pdf(distribution, x));
  const Real scale = std::max<Real>(1, abs(expected));
  return detail::error_or_infinity(Real(abs(logpdf(distribution, x) - expected) / scale));
}

template <class Distribution>
double cdf_error(const Distribution& distribution, const typename Distribution::value_type& x) {
  using std::abs;
  using Real = typename Distribution::value_type;
  const Real width = room(distribution, x) * Real(0x1p-20);
  const Real a = x - width;
  const Real b = x + width;
  const auto density = [&](const Real& t) { return Real(pdf(distribution, t)); };
  const Real integral = boost::math::quadrature::gauss<Real, 15>::integrate(density, a, b);
  return detail::error_or_infinity(
      Real(abs(cdf(distribution, b) - cdf(distribution, a) - integral) / integral));
}

template <class Distribution>
double quantile_error(const Distribution& distribution,
                      const typename Distribution::value_type& p) {
  using std::abs;
  using std::isfinite;
  using Real = typename Distribution::value_type;
  const Real x = quantile(distribution, p);
  if (!isfinite(x)) return std::numeric_limits<double>::infinity();  // std::max drops a NaN
  const auto [first, last] = support(distribution);
  const Real low = first;
  const Real high = last;
  for (Real epsilon = std::numeric_limits<Real>::epsilon(); epsilon <= 1; epsilon *= 2) {
    const Real below = std::max<Real>(low, x - abs(x) * epsilon);
    const Real above = std::min<Real>(high, x + abs(x) * epsilon);
    if (cdf(distribution, below) <= p && p <= cdf(distribution, above))
      return static_cast<double>(epsilon);
  }
  return std::numeric_limits<double>::infinity();
}

}  // namespace sqrtdk::testing
