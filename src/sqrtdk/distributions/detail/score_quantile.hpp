// SPDX-License-Identifier: BSL-1.0
#ifndef SQRTDK_DETAIL_SCORE_QUANTILE_HPP
#define SQRTDK_DETAIL_SCORE_QUANTILE_HPP

/// \file
/// Quantiles of the score, for x ≥ 0 and without error handling.

#include <sqrtdk/distributions/detail/score_tail.hpp>

namespace sqrtdk::detail {

/// A root and what it took to find it.
template <class Real>
struct root {
  Real x;
  int iterations;
};

/// Newton's method gives up here; the tests show that it needs far fewer.
inline constexpr int quantile_iterations = 30;

/// x ≥ 0 with P(X > x) = tail, for 0 < tail ≤ 1/4.
///
/// Newton's method on log P(X > x), from an inversion of the saddle point's leading term.
template <class Real>
root<Real> tail_quantile(const Real& d, const Real& tail);

/// x ≥ 0 with P(0 < X ≤ x) = mass, for 0 < mass ≤ 1/4.
///
/// Newton's method on log P(0 < X ≤ x) as a function of log x, which is concave: close to linear
/// both near 0, where the mass is like a power of x, and for the normal.
template <class Real>
root<Real> central_quantile(const Real& d, const Real& mass);

// ------------------------------------------------------------------------------------------------

/// η with a(2η − log(1 + η)) = exponent, to a few digits: Newton's method on a convex function,
/// from above.
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

/// The x at which ½ √r e^{−E} erfcx(u), the leading term of P(X > x), is about the given tail. In
/// the extended type, since η is about 1/a.
template <class Real>
Real guess_tail_quantile(const Real& d, const Real& tail) {
  using std::log;
  using std::sqrt;
  using wide = extended<Real>;
  const wide a = wide(d) / 2;
  const wide logarithm = -log(2 * wide(tail));
  wide exponent = logarithm;
  wide eta = invert_exponent(a, exponent);
  for (int k = 0; k < 3 && eta > 0; ++k) {
    const wide prefactor = erfcx(static_cast<Real>(sqrt(a * eta))) / sqrt(1 + 2 * eta);
    exponent = logarithm + log(prefactor);
    if (!(exponent > logarithm / 8)) exponent = logarithm / 8;
    eta = invert_exponent(a, exponent);
  }
  // N = a(1 + 2η) and N² = a² + x²
  return static_cast<Real>(d * sqrt(eta) * sqrt(1 + eta));
}

/// Whether a Newton step is down to rounding: its size is that of x's own rounding, or it stopped
/// shrinking.
template <class Real>
bool has_converged(const Real& step, const Real& previous, const Real& x) {
  using std::abs;
  const Real epsilon = std::numeric_limits<Real>::epsilon();
  if (abs(step) <= epsilon * x) return true;
  return abs(step) < 64 * epsilon * x && 2 * abs(step) >= abs(previous);
}

template <class Real>
root<Real> tail_quantile(const Real& d, const Real& tail) {
  using std::exp;
  using std::log;
  using wide = extended<Real>;
  const wide target = log(wide(tail));
  Real x = guess_tail_quantile(d, tail);
  Real previous = x;
  int k = 1;
  for (; k < quantile_iterations && x > 0; ++k) {
    // x ← x + log(S/tail) S/f
    const auto now = upper_tail(d, x);
    const auto slope = density(d, x);
    const wide difference = log(now.mantissa) - now.exponent - target;
    const wide inverse_hazard = now.mantissa / slope.mantissa * exp(slope.exponent - now.exponent);
    const auto step = static_cast<Real>(difference * inverse_hazard);
    // a large step down is taken in log x, the natural scale of a small d
    x = step > -x / 2 ? x + step : x * exp(step / x);
    if (has_converged(step, previous, x)) return {x, k};
    previous = step;
  }
  return {x, k};
}

template <class Real>
root<Real> central_quantile(const Real& d, const Real& mass) {
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

}  // namespace sqrtdk::detail

#endif
