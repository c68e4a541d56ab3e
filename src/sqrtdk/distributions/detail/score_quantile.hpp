// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Quantiles of the score, for x ≥ 0 and without error handling.
#pragma once

#include <sqrtdk/distributions/detail/score_tail.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>

namespace sqrtdk::score_numerics {

/// A quantile and how many series it took to find it.
template <class Real>
struct QuantileSearch {
  Real x;
  int iterations;
};

/// Newton's method gives up here; the tests show that it needs far fewer.
inline constexpr int quantile_iterations = 30;

/// P, which is P(X > y) or P(0 < X ≤ y), as a power series about a point x:
///
///     |P(y) − P(x)| = x f(x) |Σ (−1)ʲ c_j ω^{j+1}/(j + 1)|,   ω = (y² − x²)/(2x²),
///
/// as f(y) dy = f(y)/y d(y²/2), and f(y)/y = f(x)/x Σ (−1)ʲ c_j ωʲ. All c_j are positive: they are
/// convolved from those of x/y = 1/√(1 + 2ω), 1·3⋯(2j − 1)/j!, and those of f(y)/f(x),
/// s_d s_{d−2} ⋯ s_{d−2j+2}/j!, where
///
///     s_d = −x f′(x)/f(x) = x K_{ν−1}(x)/K_ν(x) = x²/(d − 3 + s_{d−2}).
template <class Real>
class ProbabilitySeries {
 public:
  ProbabilitySeries() = default;  ///< a series that reaches nothing
  ProbabilitySeries(const Real& d, const Real& x, bool is_tail);

  /// True if the series is as good as exact where P is p, or so much closer as the share is smaller.
  bool reaches(const Real& p, const Real& share = 1) const;

  /// The y where P is p, if the series reaches p; otherwise x.
  Real quantile(const Real& p) const;

  /// A step of Newton's method from x, on log P: in y for a tail, otherwise in log y.
  Real newton_step(const Real& p) const;

 private:
  using Wide = Extended<Real>;
  static constexpr int order = 16;

  bool is_tail_ = true;
  Wide x_ = 0;
  Wide probability_ = 0;
  Wide log_probability_ = 0;
  Wide unit_ = 0;          ///< x f(x)
  Wide ratio_ = 0;         ///< P/(x f), also where both underflow
  Real term_[order] = {};  ///< (−1)ʲ c_j/(j + 1)
  Real radius_ = 0;        ///< up to this |P(y) − P(x)|/(x f(x)) the last term is negligible
};

/// Quantiles in one dimension d > 0. All probabilities of a cell, 1/32 of an octave, are found from
/// one series about a point of the cell's own: no quantile depends on those found before, but most
/// are found without another integral.
template <class Real>
class QuantileFinder {
 public:
  explicit QuantileFinder(const Real& d) : d_(d) {}

  /// x ≥ 0 with P(X > x) = tail = ½ − mass, both from 0 to ½ and precise where small: by the
  /// precise one of the two.
  QuantileSearch<Real> operator()(const Real& tail, const Real& mass);

 private:
  /// A series that reaches p, found by Newton's method from x; none if x underflows on the way.
  ProbabilitySeries<Real> search(Real x, const Real& p, bool is_tail, const Real& share);

  Real d_;
  int iterations_ = 0;
  std::unordered_map<int, ProbabilitySeries<Real>> cells_;
};

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

/// Where to begin: for a central probability, as if the density were (2πd)^{−1/2} throughout.
template <class Real>
Real guess_quantile(const Real& d, const Real& p, bool is_tail) {
  using std::sqrt;
  if (is_tail) return guess_tail_quantile(d, p);
  return p * boost::math::constants::root_two_pi<Real>() * sqrt(d);
}

template <class Real>
ProbabilitySeries<Real>::ProbabilitySeries(const Real& d, const Real& x, bool is_tail)
    : is_tail_(is_tail), x_(x) {
  using std::ceil;
  using std::exp;
  using std::log;
  using std::pow;
  const auto value = is_tail ? upper_tail(d, x) : Scaled<Real>{central_mass(d, x), 0};
  const auto f = density(d, x);
  probability_ = value.wide_value();
  log_probability_ = log(value.mantissa) - value.exponent;
  unit_ = x_ * f.wide_value();
  ratio_ = value.mantissa / f.mantissa * exp(f.exponent - value.exponent) / x_;
  // slope[i] = s_{d−2i}: from a dimension near 3, if it is there, up and down: nothing is subtracted
  const auto first = static_cast<int>(std::clamp<Real>(ceil((d - 3) / 2), 0, order - 1));
  Wide slope[order];
  slope[first] = log_density_slope<Real>(d - 2 * first, x);
  for (int i = first; i-- > 0;) slope[i] = x_ / (d - 3 - 2 * i + slope[i + 1]) * x_;
  for (int i = first + 1; i < order; ++i) slope[i] = x_ / slope[i - 1] * x_ + (2 * i + 1 - d);
  Wide root[order] = {1};
  Wide fall[order] = {1};
  for (int j = 1; j < order; ++j) {
    root[j] = root[j - 1] * (2 * j - 1) / j;
    fall[j] = fall[j - 1] * slope[j - 1] / j;
  }
  for (int j = 0; j < order; ++j) {
    Wide c = 0;
    for (int i = 0; i <= j; ++i) c += fall[i] * root[j - i];
    term_[j] = static_cast<Real>((j % 2 == 0 ? c : -c) / (j + 1));
  }
  // half of the ω whose last term is ε: then ω is less than half again its estimate by one term
  radius_ = pow(std::numeric_limits<Real>::epsilon() / -term_[order - 1], Real(1) / order) / 2;
}

template <class Real>
bool ProbabilitySeries<Real>::reaches(const Real& p, const Real& share) const {
  using std::abs;
  return abs(probability_ - p) < share * radius_ * unit_;
}

template <class Real>
Real ProbabilitySeries<Real>::quantile(const Real& p) const {
  using std::abs;
  using std::sqrt;
  if (!reaches(p)) return static_cast<Real>(x_);
  const Wide target = (is_tail_ ? probability_ - p : p - probability_) / unit_;
  // Newton's method; after a step that small, the next would be below the rounding of x. All but
  // the first term, which is ω, are small enough for Real.
  const Wide small = sqrt(std::numeric_limits<Real>::epsilon()) * radius_;
  Wide omega = target;
  for (Wide step = 1; abs(step) > small; omega += step) {
    const auto at = static_cast<Real>(omega);
    Real sum = 0;
    Real slope = 0;
    for (int j = order; j-- > 1;) {
      slope = slope * at + sum;
      sum = sum * at + term_[j];
    }
    step = (target - omega - omega * omega * sum) / (1 + at * (2 * sum + at * slope));
  }
  return static_cast<Real>(x_ + x_ * (2 * omega / (1 + sqrt(1 + 2 * omega))));
}

template <class Real>
Real ProbabilitySeries<Real>::newton_step(const Real& p) const {
  using std::exp;
  using std::log;
  const Wide change = (log_probability_ - log(Wide(p))) * ratio_;
  // a large step down is taken in log x, the natural scale of a small d
  if (is_tail_ && 2 * change > -1) return static_cast<Real>(x_ + x_ * change);
  return static_cast<Real>(x_ * exp(is_tail_ ? change : -change));
}

template <class Real>
ProbabilitySeries<Real> QuantileFinder<Real>::search(Real x, const Real& p, bool is_tail,
                                                     const Real& share) {
  ProbabilitySeries<Real> series;
  Real before = 0;  // a subnormal x may be unable to come closer
  for (int k = 0; k < quantile_iterations && x > 0 && x != before; ++k) {
    series = {d_, x, is_tail};
    ++iterations_;
    if (series.reaches(p, share)) return series;
    before = std::exchange(x, series.newton_step(p));
  }
  return x > 0 ? series : ProbabilitySeries<Real>();
}

template <class Real>
QuantileSearch<Real> QuantileFinder<Real>::operator()(const Real& tail, const Real& mass) {
  using std::frexp;
  using std::ldexp;
  iterations_ = 0;
  if (mass == 0) return {0, 0};
  const bool is_tail = 4 * tail < 1;
  const Real& p = is_tail ? tail : mass;
  int exponent = 0;
  const int part = static_cast<int>(64 * frexp(p, &exponent));  // from 32 to 63
  const auto [cell, is_new] = cells_.try_emplace(64 * (2 * exponent + (is_tail ? 1 : 0)) + part);
  ProbabilitySeries<Real>& series = cell->second;
  if (is_new) {
    const Real middle = ldexp((part + Real(0.5)) / 64, exponent);
    series = search(guess_quantile(d_, middle, is_tail), middle, is_tail, Real(0.25));
  }
  if (series.reaches(p)) return {series.quantile(p), iterations_};
  const Real start = series.newton_step(p);
  const Real found =
      search(start > 0 ? start : guess_quantile(d_, p, is_tail), p, is_tail, Real(1)).quantile(p);
  return {found, iterations_};
}

}  // namespace sqrtdk::score_numerics
