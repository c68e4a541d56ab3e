// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Quantiles of the score, for x ≥ 0 and without error handling.
#pragma once

#include <sqrtdk/distributions/detail/score_tail.hpp>

#include <cmath>
#include <limits>

namespace sqrtdk::score_numerics {

/// A quantile and what it took Newton's method to find it.
template <class Real>
struct QuantileSearch {
  Real x;
  int iterations;
};

/// Newton's method gives up here; the tests show that it needs far fewer.
inline constexpr int quantile_iterations = 30;

/// x ≥ 0 with P(X > x) = tail, for 0 < tail ≤ 1/4, by Newton's method on log P(X > x), from an
/// inversion of the saddle point's leading term.
template <class Real>
QuantileSearch<Real> tail_quantile(const Real& d, const Real& tail);

/// x ≥ 0 with P(0 < X ≤ x) = mass, for 0 < mass ≤ 1/4, by Newton's method on log P(0 < X ≤ x) in
/// log x, which is concave and close to linear.
template <class Real>
QuantileSearch<Real> central_quantile(const Real& d, const Real& mass);

/// x ≥ 0 with P(X > x) = tail = ½ − mass, both from 0 to ½ and precise where small, d above 0: by
/// the precise one of the two.
template <class Real>
QuantileSearch<Real> upper_quantile(const Real& d, const Real& tail, const Real& mass);

/// η with a(2η − log(1 + η)) = exponent, to a few digits: Newton's method on a convex function.
template <class Wide>
Wide invert_exponent(const Wide& a, const Wide& exponent) {
  using std::log1p;
  Wide eta = exponent / a;
  for (int k = 0; k < 6; ++k) {
    const Wide excess = 2 * eta - log1p(eta) - exponent / a;
    eta -= excess * (1 + eta) / (1 + 2 * eta);
  }
  return eta;
}

/// The x where ½ √r e^{−E} erfcx(u), the leading term, is about the tail; extended, as η ≈ 1/a.
template <class Real>
Real guess_tail_quantile(const Real& d, const Real& tail) {
  using std::log;
  using std::sqrt;
  using Wide = Extended<Real>;
  const Wide a = Wide(d) / 2;
  const Wide logarithm = -log(2 * Wide(tail));
  Wide exponent = logarithm;
  Wide eta = invert_exponent(a, exponent);
  for (int k = 0; k < 3 && eta > 0; ++k) {
    const Wide prefactor = erfcx(static_cast<Real>(sqrt(a * eta))) / sqrt(1 + 2 * eta);
    exponent = logarithm + log(prefactor);
    if (!(exponent > logarithm / 8)) exponent = logarithm / 8;
    eta = invert_exponent(a, exponent);
  }
  // N = a(1 + 2η) and N² = a² + x²
  return static_cast<Real>(d * sqrt(eta) * sqrt(1 + eta));
}

/// True if a Newton step is as small as x's rounding, or stopped shrinking.
template <class Real>
bool has_converged(const Real& step, const Real& previous, const Real& x) {
  using std::abs;
  const Real epsilon = std::numeric_limits<Real>::epsilon();
  if (abs(step) <= epsilon * x) return true;
  return abs(step) < 64 * epsilon * x && 2 * abs(step) >= abs(previous);
}

template <class Real>
QuantileSearch<Real> tail_quantile(const Real& d, const Real& tail) {
  using std::exp;
  using std::log;
  using Wide = Extended<Real>;
  const Wide target = log(Wide(tail));
  Real x = guess_tail_quantile(d, tail);
  Real previous = x;
  int k = 1;
  for (; k < quantile_iterations && x > 0; ++k) {
    // x ← x + log(S/tail) S/f
    const auto now = upper_tail(d, x);
    const auto slope = density(d, x);
    const Wide difference = log(now.mantissa) - now.exponent - target;
    const Wide inverse_hazard = now.mantissa / slope.mantissa * exp(slope.exponent - now.exponent);
    const auto step = static_cast<Real>(difference * inverse_hazard);
    // a large step down is taken in log x, the natural scale of a small d
    x = step > -x / 2 ? x + step : x * exp(step / x);
    if (has_converged(step, previous, x)) return {x, k};
    previous = step;
  }
  return {x, k};
}

template <class Real>
QuantileSearch<Real> central_quantile(const Real& d, const Real& mass) {
  using std::exp;
  using std::log1p;
  using std::sqrt;
  Real x = mass * boost::math::constants::root_two_pi<Real>() * sqrt(d);
  Real previous = x;
  int k = 1;
  for (; k < quantile_iterations && x > 0; ++k) {
    // log x ← log x − log(H/mass) H/(x f)
    const Real now = central_mass(d, x);
    const Real relative = log1p((now - mass) / mass) * now / (x * density(d, x).value());
    const Real before = x;
    x *= exp(-relative);
    const Real step = x - before;
    if (has_converged(step, previous, x)) return {x, k};
    previous = step;
  }
  return {x, k};
}

template <class Real>
QuantileSearch<Real> upper_quantile(const Real& d, const Real& tail, const Real& mass) {
  if (mass == 0) return {0, 0};
  return 4 * tail < 1 ? tail_quantile(d, tail) : central_quantile(d, mass);
}

}  // namespace sqrtdk::score_numerics
