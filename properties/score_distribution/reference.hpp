// The score's distribution to about thirty digits, by routes that the library does not take.
#pragma once

#include <sqrtdk/distributions/score_distribution.hpp>
#include <sqrtdk/moments.hpp>
#include <sqrtdk/testing/kit.hpp>
#include <sqrtdk/testing/statistics/checks.hpp>

#include <boost/math/constants/constants.hpp>
#include <boost/math/special_functions/bessel.hpp>

namespace sqrtdk::reference {

using testing::Wide;  // the type of every reference value: about thirty of its digits are right
using testing::Wider;

inline constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// |got − want| / |want|, relative to the epsilon of double.
inline double error_in_epsilons(const Wide& got, const Wide& want) {
  return static_cast<double>(Wide(abs(got - want) / abs(want))) / epsilon;
}

inline std::string place(double d, double x) {
  return "d = " + exact_text(d) + ", x = " + exact_text(x);
}

inline Integer choose(unsigned n, unsigned k) {
  Integer ways = 1;
  for (unsigned i = 0; i < k; ++i) ways = ways * (n - i) / (i + 1);
  return ways;
}

// ------------------------------------------------------------------------ Inversion, two ways

/// Values of the distribution at one point, each with its factor e^log_scale taken out.
struct Reference {
  Wide log_scale;
  Wide tail;     // P(X > x) e^−log_scale
  Wide density;  // f(x) e^−log_scale
};

/// Along the vertical line through the saddle point c of e^−θx (1 − θ²)^−a, by the trapezoidal
/// rule: P(X > x) = (1/2πi) ∫ e^−θx (1 − θ²)^−a dθ/θ, and f the same without 1/θ.
///
/// For d ≥ 100, where the integrand falls nearly as fast as a normal density. A pole near 0 adds
/// 1/(e^(2πc/h) − 1) to the sum. `share` is the grid's step in deviations of the integrand.
inline Reference along_the_line(const Wide& d, const Wide& x, bool with_pole = true,
                                double share = 0.3125) {
  const Wide two_pi = boost::math::constants::two_pi<Wide>();
  const Wide a = d / 2;
  const Wide c = x / (a + sqrt(a * a + x * x));
  const Wide room = 1 - c * c;
  const Wide deviation = room / sqrt(d * (1 + c * c));
  const Wide step = deviation * share;
  Reference at{-c * x - a * log(room), 1 / c, 1};
  for (int j = 1;; ++j) {
    const Wide t = j * step;
    const Wide real = room + t * t;  // 1 − θ² = real − i·imaginary
    const Wide imaginary = 2 * c * t;
    const Wide size = exp(-a / 2 * log((real * real + imaginary * imaginary) / (room * room)));
    if (size < Wide(1e-40)) break;
    const Wide phase = a * atan2(imaginary, real) - t * x;
    const Wide cosine = cos(phase);
    at.density += 2 * size * cosine;
    at.tail += 2 * size * (c * cosine + t * sin(phase)) / (c * c + t * t);
  }
  at.tail *= step / two_pi;
  at.density *= step / two_pi;
  if (with_pole && c * step < two_pi * deviation * deviation)
    at.tail -= exp(-at.log_scale) / (exp(two_pi * c / step) - 1);
  return at;
}

/// Around the cut from θ = 1: P(X > x) = (sin πa / π) ∫₁^∞ e^−θx (θ² − 1)^−a dθ/θ for a < 1, and
/// then up in steps of two dimensions. For d up to a few hundred.
inline Reference around_the_cut(const Wide& d, const Wide& x, double step = 0x1p-4) {
  const Wide pi = boost::math::constants::pi<Wide>();
  const int steps = d <= 1.5 ? 0 : static_cast<int>(ceil((d - Wide(1.5)) / 2));
  const Wide first = d - 2 * steps;  // in (−½, 3/2]
  const Wide a = first / 2;
  // θ − 1 = v = e^(t − e^−t) / max(x, 1), by the trapezoidal rule in t
  const Wide log_unit = x > 1 ? log(x) : Wide(0);
  Wide below = 0;  // the integrals of θ⁻¹, 1 and θ
  Wide plain = 0;
  Wide above = 0;
  for (const int direction : {-1, 1})
    for (int j = direction < 0 ? -1 : 0;; j += direction) {
      const Wide t = j * step;
      const Wide turn = exp(-t);
      const Wide log_v = t - turn - log_unit;
      const Wide v = exp(log_v);
      const Wide term = exp(log_v - x * v - a * (log_v + log(2 + v))) * (1 + turn) * step;
      if (term < Wide(1e-44) * plain) break;
      below += term / (1 + v);
      plain += term;
      above += term * (1 + v);
    }
  const Wide weight = sin(pi * a) / pi;
  const Wide weight_over_d = first == 0 ? Wide(0.5) : Wide(weight / first);
  if (steps == 0) return {-x, weight * below, weight * plain};
  Wide density_over_d = weight_over_d * plain;
  Wide tail = weight * below + x * density_over_d;
  Wide density = weight_over_d * (x * above + (first - 1) * plain);
  for (int k = 1; k < steps; ++k) {
    const Wide now = first + 2 * k;
    const Wide next = x * x / now * density_over_d + (now - 1) / now * density;
    density_over_d = density / now;
    tail += x * density_over_d;
    density = next;
  }
  return {-x, tail, density};
}

/// The reference at a point; computed once for each.
inline Reference reference_at(double d, double x) {
  static std::map<std::pair<double, double>, Reference> known;
  const auto [place, is_new] = known.try_emplace({d, x});
  if (is_new) place->second = d < 200 ? around_the_cut(d, x) : along_the_line(d, x);
  return place->second;
}

/// A point with everything that is known of the distribution there.
struct Point {
  double d;
  double x;
  Wide tail;
  Wide lower;
  Wide central;
  Wide density;
  Wide log_tail;
  Wide log_lower;
  Wide log_density;
};

inline Point point_at(double d, double x) {
  const Reference at = reference_at(d, x);
  const Wide scale = exp(at.log_scale);
  const Wide tail = at.tail * scale;
  // ln(1 − p) = −p − p²/2 − p³/3 − …, where 1 − p would lose p
  const Wide log_lower =
      tail > Wide(1e-12) ? log(1 - tail) : -tail * (1 + tail / 2 + tail * tail / 3);
  return {d,
          x,
          tail,
          1 - tail,
          Wide(0.5) - tail,
          at.density * scale,
          at.log_scale + log(at.tail),
          log_lower,
          at.log_scale + log(at.density)};
}

// ------------------------------------------------------------------------------ Closed forms

/// P(X > x) e^x for d = 2m: Σ_{i<m} 2^(−m−i) C(m−1+i, i) Σ_{j<m−i} x^j/j!.
inline Rational even_tail(unsigned m, const Rational& x) {
  std::vector<Rational> partial{0};  // partial[n] = Σ_{j<n} x^j/j!
  Rational term = 1;
  for (unsigned j = 0; j < m; ++j) {
    partial.push_back(partial.back() + term);
    term *= x / (j + 1);
  }
  Rational sum = 0;
  for (unsigned i = 0; i < m; ++i)
    sum += Rational(choose(m - 1 + i, i), Integer(1) << (m + i)) * partial[m - i];
  return sum;
}

/// The coefficients of x^0, …, x^n of f(x) e^x for d = 2m, as the Bessel function of half-integer
/// order gives them, n = m − 1: (n+k)!/(k! (n−k)! n!) / 2^(n+1+k) at x^(n−k).
inline std::vector<Rational> even_density_coefficients(unsigned m) {
  const unsigned n = m - 1;
  std::vector<Rational> coefficients(m);
  for (unsigned k = 0; k <= n; ++k) {
    Rational term(choose(n + k, k), Integer(1) << (n + 1 + k));
    for (unsigned j = 1; j <= n - k; ++j) term /= j;
    coefficients[n - k] = term;
  }
  return coefficients;
}

/// f(x) e^x for d = 2m.
inline Rational even_density(unsigned m, const Rational& x) {
  Rational sum = 0;
  Rational power = 1;
  for (const Rational& c : even_density_coefficients(m)) {
    sum += c * power;
    power *= x;
  }
  return sum;
}

/// P(0 < X ≤ x) = (x/2)(K_ν L_{ν−1} + K_{ν−1} L_ν), L the modified Struve function by its series.
inline Wide struve_form(const Wide& d, const Wide& x) {
  const auto struve = [&](const Wide& order) {
    const Wide half = Wide(1) / 2;
    Wide term = pow(x / 2, order + 1) / (tgamma(3 * half) * tgamma(order + 3 * half));
    Wide sum = 0;
    for (int k = 1; sum + term != sum; ++k) {
      sum += term;
      term *= x * x / 4 / ((k + half) * (k + order + half));
    }
    return sum;
  };
  const Wide nu = (d - 1) / 2;
  return x / 2 *
         (boost::math::cyl_bessel_k(abs(nu), x) * struve(nu - 1) +
          boost::math::cyl_bessel_k(abs(nu - 1), x) * struve(nu));
}

/// The Struve form at a point; computed once for each.
inline Wide struve_form_at(double d, double x) {
  static std::map<std::pair<double, double>, Wide> known;
  const auto [place, is_new] = known.try_emplace({d, x});
  if (is_new) place->second = struve_form(d, x);
  return place->second;
}

}  // namespace sqrtdk::reference
