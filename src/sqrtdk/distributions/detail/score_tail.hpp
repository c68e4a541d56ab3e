// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief The numbers behind score_distribution, for x ≥ 0 and without error handling.
///
/// Throughout, a = d/2, ν = a − 1/2, and X = R Z with R² ~ χ²_d and Z ~ N(0, 1).
/// Write R² = d(1 + η)eᵗ, with η such that the exponent of the joint density of t and X, at X = x,
/// is stationary at t = 0:
///
///     N = √(a² + x²),   r = a/N,   B = aη = (N − a)/2,   u = √B,
///     E = 2B − a log(1 + η),   δ = log Γ(a) − (a − 1/2) log a + a − log(2π)/2,
///     P(X > x) = ½ √r e^{−E−δ} M[erfcx(u y)],
///     f(x)     =   √r e^{−E−δ} M[y] / √(2πd(1 + η)),
///     M[h] = √(N/2π) ∫ exp(−N (cosh t − 1 + r (sinh t − t))) h(e^{−t/2}) dt.
///
/// Everything under the integral is positive, so nothing cancels; e^{−E} alone carries the tail.
/// Derived, with what each way of integrating costs, on the page \ref score_numerics.
#pragma once

#include <sqrtdk/distributions/detail/erfcx.hpp>
#include <sqrtdk/distributions/detail/gauss_hermite.hpp>
#include <sqrtdk/distributions/detail/saddle_map.hpp>
#include <sqrtdk/numbers/float_environment.hpp>

#include <boost/math/constants/constants.hpp>
#include <boost/math/policies/policy.hpp>
#include <boost/math/special_functions/bernoulli.hpp>
#include <boost/math/special_functions/bessel.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <boost/math/special_functions/gamma.hpp>

#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <type_traits>

/// The parts of score_distribution; chapter \ref score_numerics states and tests their promises.
namespace sqrtdk::score_numerics {

/// The policy for Boost's special functions: neither promotion nor exceptions; callers handle overflow.
using inner_policy = boost::math::policies::policy<
    boost::math::policies::promote_float<false>, boost::math::policies::promote_double<false>,
    boost::math::policies::overflow_error<boost::math::policies::ignore_error>,
    boost::math::policies::underflow_error<boost::math::policies::ignore_error>>;

/// The type for what rounding must not touch, exponents above all: a tail of 1e-300 has E ≈ 690,
/// which costs 10 bits in e^{−E}. The x87's long double has 11 to spare.
template <class Real>
using Extended = std::conditional_t<std::same_as<Real, double>, long double, Real>;

/// True if the tables of double precision (Gauss–Hermite, erfcx) are precise enough.
template <class Real>
inline constexpr bool is_fast = std::same_as<Real, double>;

/// mantissa · e^{−exponent}
template <class Real>
struct Scaled {
  Extended<Real> mantissa;
  Extended<Real> exponent;

  Extended<Real> wide_value() const {
    using std::exp;
    return mantissa * exp(-exponent);
  }

  Real value() const { return static_cast<Real>(wide_value()); }

  Real log() const {
    using std::log;
    return static_cast<Real>(log(mantissa) - exponent);
  }
};

/// The point about which the mixing variable is expanded; names as at the top of the file.
template <class Real>
struct SaddlePoint {
  Real a;
  Real total;     ///< N
  Real ratio;     ///< r
  Real shift;     ///< B
  Real spread;    ///< d(1 + η), the value of R² at t = 0
  Real exponent;  ///< E
};

template <class Real>
SaddlePoint<Real> make_saddle(const Real& a, const Real& x);

/// δ(a), the remainder of Stirling's series.
template <class Real>
Real stirling_remainder(const Real& a);

/// M[h(u·)], in the cheapest way that keeps the precision of Real; u y is in Real's range where the
/// integrand is not negligible, which neither factor has to be.
/// \param h callable with Real and with its extended type, smooth and positive.
template <class Real, class Function>
Extended<Real> mixture_mean(const SaddlePoint<Extended<Real>>& at, const Extended<Real>& u,
                            const Function& h);

/// P(X > x) for d > 0 and x ≥ 0.
template <class Real>
Scaled<Real> upper_tail(const Real& d, const Real& x);

/// The density f(x), x > 0, or x = 0 and d > 1.
template <class Real>
Scaled<Real> density(const Real& d, const Real& x);

/// −x f′(x)/f(x) = x K_{ν−1}(x)/K_ν(x), x > 0.
template <class Real>
Extended<Real> log_density_slope(const Real& d, const Real& x);

/// P(0 < X ≤ x), with a relative error that stays small as x → 0.
template <class Real>
Real central_mass(const Real& d, const Real& x);

template <class Real>
SaddlePoint<Real> make_saddle(const Real& a, const Real& x) {
  using std::hypot;
  using std::log1p;
  const Real total = hypot(a, x);
  const Real shift = x / (total + a) * x / 2;
  return {a, total, a / total, shift, total + a, 2 * shift - a * log1p(shift / a)};
}

/// B_{2k}/(2k(2k − 1)), k = 1, 2, …: the coefficients of Stirling's series for log Γ.
template <class Real>
const auto& stirling_coefficients() {
  static const auto table = [] {
    std::array<Real, std::numeric_limits<Real>::digits10> c{};
    for (int k = 1; Real & value : c) {
      value = boost::math::bernoulli_b2n<Real>(k) / (2 * k * (2 * k - 1));
      ++k;
    }
    return c;
  }();
  return table;
}

template <class Real>
Real stirling_remainder(const Real& a) {
  using std::abs;
  using std::log;
  using std::log1p;
  // From b = a + n ≥ digits10/2 on, digits10 terms are more than enough:
  // δ(a) = δ(b) + (a − ½) log(b/a) − n − log Πₖ (a + k)/b, 0 ≤ k < n
  constexpr int min_argument = std::numeric_limits<Real>::digits10 / 2;
  const int n = a < min_argument ? min_argument - static_cast<int>(a) : 0;
  const Real inverse = 1 / (a + n);
  Real shifted = 0;
  if (n > 0) {
    Real product = 1;
    for (int k = 0; k < n; ++k) product *= (a + k) * inverse;
    shifted = (a - Real(0.5)) * log1p(n / a) - n - log(product);
  }
  // δ(b) = Σ B_{2k} / (2k (2k − 1) b^{2k−1})
  Real power = inverse;
  Real sum = 0;
  for (const Real& c : stirling_coefficients<Real>()) {
    const Real term = c * power;
    sum += term;
    if (abs(term) < std::numeric_limits<Real>::epsilon() / 16) break;
    power *= inverse * inverse;
  }
  return sum + shifted;
}

/// The grid t = 0, ℓ, 2ℓ, … with μ(t) = eᵗ − 1 and φ(t) = eᵗ − 1 − t, without cancellation, as the
/// products are positive for steps of either sign, and without a transcendental function per point:
///
///     μ(t + ℓ) = μ(t) + μ(ℓ) + μ(t) μ(ℓ),   φ(t + ℓ) = φ(t) + φ(ℓ) + μ(t) μ(ℓ).
template <class Real>
class ExponentialGrid {
 public:
  ExponentialGrid(const Real& step, const Real& u)
      : step_growth_(step + small_phi(step)),
        step_u_(1 - step / 2 + small_phi(Real(-step / 2))),
        step_phi_(small_phi(step)),
        u_(u) {}

  void advance() {
    const Real product = growth_ * step_growth_;
    phi_ += step_phi_ + product;
    growth_ += step_growth_ + product;
    u_ *= step_u_;
  }

  const Real& phi() const { return phi_; }  ///< eᵗ − 1 − t
  const Real& u() const { return u_; }      ///< u e^{−t/2}

 private:
  /// φ(t) = t²/2 (1 + t/3 (1 + t/4 (1 + …))), |t| < 1/3
  static Real small_phi(const Real& t) {
    Real sum = 1;
    for (int k = std::numeric_limits<Real>::digits10; k >= 3; --k) sum = 1 + t / k * sum;
    return t * t / 2 * sum;
  }

  Real step_growth_;
  Real step_u_;
  Real step_phi_;
  Real growth_ = 0;
  Real u_;
  Real phi_ = 0;
};

//! [TrapezoidalStepSuffices]
/// The step ℓ that makes the trapezoidal rule exact to the precision of Real.
///
/// 2πθ/ℓ = L − N log cos θ, with L = 2 − log ε and tan² θ = 2L/N, which is close to the best θ.
/// \implements{TrapezoidalStepSuffices}
template <class Real>
Real trapezoid_step(const Real& total) {
  using std::atan;
  using std::log;
  using std::log1p;
  using std::sqrt;
  const Real precision = 2 - log(std::numeric_limits<Real>::epsilon());
  // keeps the quotient finite
  const Real min_total = precision * (std::numeric_limits<Real>::min)();
  const Real square = 2 * precision / (total > min_total ? total : min_total);
  return boost::math::constants::two_pi<Real>() * atan(sqrt(square)) /
         (precision + total / 2 * log1p(square));
}
//! [TrapezoidalStepSuffices]

/// Any d and x; the number of terms grows like log(1/x) as x → 0 and like 1/d as d → 0. Grids are
/// in the extended type, terms in Real; blocks keep them apart, which is faster with the x87.
template <class Real, class Function>
Extended<Real> trapezoid_mean(const SaddlePoint<Extended<Real>>& at, const Extended<Real>& u,
                              const Function& h) {
  using std::exp;
  using std::sqrt;
  using Wide = Extended<Real>;
  constexpr std::size_t block = 4;
  struct Nodes {
    std::array<Real, block> exponent;
    std::array<Real, block> uy;
  };
  const Real negligible = std::numeric_limits<Real>::epsilon() / 64;
  const Real step = trapezoid_step(static_cast<Real>(at.total));
  ExponentialGrid<Wide> right_grid(step, u);
  ExponentialGrid<Wide> left_grid(-step, u);
  Wide sum = h(static_cast<Real>(u));
  const auto add = [&](const Nodes& side) {
    Real term = 0;
    for (std::size_t i = 0; i < block; ++i) {
      term = exp(-side.exponent[i]) * h(side.uy[i]);
      sum += term;
    }
    return term > negligible * static_cast<Real>(sum);
  };
  for (bool go_right = true, go_left = true; go_right || go_left;) {
    Nodes right;
    Nodes left;
    for (std::size_t i = 0; i < block; ++i) {
      // N(cosh t − 1 + r(sinh t − t)) = (a + B)φ(t) + Bφ(−t)
      right_grid.advance();
      left_grid.advance();
      const Wide both = at.shift * (right_grid.phi() + left_grid.phi());
      right.exponent[i] = static_cast<Real>(both + at.a * right_grid.phi());
      right.uy[i] = static_cast<Real>(right_grid.u());
      left.exponent[i] = static_cast<Real>(both + at.a * left_grid.phi());
      left.uy[i] = static_cast<Real>(left_grid.u());
    }
    if (go_right) go_right = add(right);
    if (go_left) go_left = add(left);
  }
  return sum * step * sqrt(at.total / boost::math::constants::two_pi<Wide>());
}

/// The highest order of the saddle's series that a rule below asks for.
inline constexpr std::size_t saddle_order = 31;

/// In the variable ζ of SaddleSeries, z = ζ√N is standard normal:
///
///     M[h(u·)] = E[J h(u(v − w/2))],   w = ζω,   v = √(1 + w²/4),   J = dt/dζ = 1/(ω (v + r w/2)).
///
/// ω = 1 + ζp(ζ), and |ζp| is small enough for p to be computed in double.
template <std::size_t half, std::size_t order, class Function>
long double hermite_mean(const SaddlePoint<long double>& at, const long double& u,
                         const Function& h) {
  static_assert(order < saddle_order && order % 2 == 0);
  static const auto series = make_saddle_series<saddle_order>();
  const auto ratio = static_cast<double>(at.ratio);
  std::array<double, order> c{};  // p = Σ c_k ζᵏ
  for (std::size_t k = 0; k < order; ++k) {
    double sum = 0;
    for (std::size_t m = 0; 2 * m <= k + 1; ++m) sum = sum * ratio * ratio + series.term[k + 1][m];
    c[k] = k % 2 == 0 ? ratio * sum : sum;
  }
  const auto weighted = [&](long double zeta, double p) {
    const long double omega = 1 + zeta * p;
    const long double w = zeta * omega;
    const long double v = std::sqrt(1 + w * w / 4);
    return h(u * (v - w / 2)) / (omega * (v + at.ratio * w / 2));
  };
  constexpr auto& rule = gauss_hermite_rule<half>;
  const long double sigma = 1 / std::sqrt(at.total);
  long double mean = 0;
  for (std::size_t i = half; i-- > 0;) {
    const long double zeta = rule.node[i] * sigma;
    const auto square = static_cast<double>(zeta * zeta);
    double even = c[order - 2];
    double odd = c[order - 1];
    for (std::size_t k = order - 2; k > 0; k -= 2) {
      even = even * square + c[k - 2];
      odd = odd * square + c[k - 1];
    }
    odd *= static_cast<double>(zeta);
    mean += rule.weight[i] * (weighted(zeta, even + odd) + weighted(-zeta, even - odd));
  }
  return mean;
}

//! [SaddleMapReachesTwo]
/// hermite_from[half − 1] is the N from which on 2·half points are exact in double precision.
///
/// The integrand is analytic for |ζ| < 2, so n points have a relative error of about n! (4N)^{−n}:
/// at most 1e-17 from N = ¼ (n! 1e17)^{1/n} on, rounded up to two or three digits.
///
/// \implements{SaddleMapReachesTwo}
inline constexpr std::array<double, 6> hermite_from = {1.2e8, 9900, 510, 126, 57, 35};

/// M[h(u·)] for N ≥ hermite_from.back().
template <class Function>
long double hermite_mean(const SaddlePoint<long double>& at, const long double& u,
                         const Function& h) {
  if (at.total >= hermite_from[0]) return hermite_mean<1, 4>(at, u, h);
  if (at.total >= hermite_from[1]) return hermite_mean<2, 10>(at, u, h);
  if (at.total >= hermite_from[2]) return hermite_mean<3, 14>(at, u, h);
  if (at.total >= hermite_from[3]) return hermite_mean<4, 18>(at, u, h);
  if (at.total >= hermite_from[4]) return hermite_mean<5, 24>(at, u, h);
  return hermite_mean<6, 30>(at, u, h);
}
//! [SaddleMapReachesTwo]

template <class Real, class Function>
Extended<Real> mixture_mean(const SaddlePoint<Extended<Real>>& at, const Extended<Real>& u,
                            const Function& h) {
  if constexpr (is_fast<Real>)
    if (at.total >= hermite_from.back()) return hermite_mean(at, u, h);
  return trapezoid_mean<Real>(at, u, h);
}

template <class Real>
struct TailAndDensity {
  Scaled<Real> tail;
  Scaled<Real> density;
};

//! [ScoreInEvenDimensions]
/// Even d, by the positive recurrences
///
///     S_{d+2} = S_d + (x/d) f_d,   f_{d+2} = x²/(d(d − 2)) f_{d−2} + ((d − 1)/d) f_d,
///
/// from S₂ = f₂ = e^{−x}/2, and with the factor e^{−x} left out. All terms are positive, so that
/// the relative error is at most 3d roundings of the extended type.
/// \implements{ScoreInEvenDimensions}
template <class Real>
TailAndDensity<Real> even_sum(int d, const Real& x) {
  using Wide = Extended<Real>;
  const Wide wide_x = x;
  Wide tail = Wide(1) / 2;
  Wide carried = wide_x / 2;  // x² f_{k−2}/(k − 2), which tends to x f₂ as k → 2
  Wide now = Wide(1) / 2;
  for (int k = 2; k < d; k += 2) {
    const Wide part = now / k;
    tail += wide_x * part;
    now = carried / k + (k - 1) * part;
    carried = wide_x * wide_x * part;
  }
  return {{tail, wide_x}, {now, wide_x}};
}
//! [ScoreInEvenDimensions]

/// From d = 70 on quadrature is cheaper; from x = 1000 on powers of x approach the overflow.
template <class Real>
bool is_even_and_small(const Real& d, const Real& x) {
  using std::floor;
  return is_fast<Real> && d >= 2 && d < 70 && x < 1000 && floor(d / 2) == d / 2;
}

/// K_ν(x), ν of either sign.
template <class Real>
Real bessel_k(const Real& nu, const Real& x) {
  using std::abs;
  return boost::math::cyl_bessel_k(abs(nu), x, inner_policy());
}

/// True where M[y]'s integrand decays slowly and Boost's K_ν is precise and cheap: small |ν|, x.
template <class Real>
bool is_bessel_easy(const Real& d, const Real& x) {
  return d <= 4 && x < hermite_from.back();
}

//! [ScoreDensity]
/// f(x): Boost's K_ν, where that is cheap, and otherwise the mixing integral that defines it.
/// \implements{ScoreDensity}
template <class Real>
Scaled<Real> density(const Real& d, const Real& x) {
  using std::pow;
  using std::sqrt;
  using Wide = Extended<Real>;
  if (is_even_and_small(d, x)) return even_sum(static_cast<int>(d), x).density;
  const Wide a = Wide(d) / 2;
  const Wide nu = a - Wide(1) / 2;
  const Wide root_pi = boost::math::constants::root_pi<Wide>();
  if (x == 0) {
    // f(0) = Γ(ν)/Γ(ν + ½) / (2√π)
    return {boost::math::tgamma_delta_ratio(nu, Wide(1) / 2, inner_policy()) / (2 * root_pi), 0};
  }
  if (is_bessel_easy(d, x)) {
    // f = (x/2)^ν K_ν(x) / (√π Γ(a))
    const Wide value = pow(Wide(x) / 2, nu) * bessel_k<Wide>(nu, x);
    return {value / (root_pi * boost::math::tgamma(a, inner_policy())), 0};
  }
  const auto at = make_saddle<Wide>(a, x);
  const Wide mean = mixture_mean<Real>(at, Wide(1), [](const auto& y) { return y; });
  const Wide normal = sqrt(boost::math::constants::two_pi<Wide>() * at.spread);
  return {sqrt(at.ratio) * mean / normal, at.exponent + stirling_remainder(a)};
}
//! [ScoreDensity]

template <class Real>
Extended<Real> log_density_slope(const Real& d, const Real& x) {
  using Wide = Extended<Real>;
  if (is_even_and_small(d, x)) {
    // s_d = x²/(d − 3 + s_{d−2}) from s₂ = x
    Wide slope = x;
    for (int k = 4; k <= static_cast<int>(d); k += 2) slope = x / (k - 3 + slope) * x;
    return slope;
  }
  const Wide a = Wide(d) / 2;
  if (is_bessel_easy(d, x))
    return x * (bessel_k<Wide>(a - Wide(1.5), x) / bessel_k<Wide>(a - Wide(0.5), x));
  // f = E[φ(x/R)/R] and −f′ = x E[φ(x/R)/R³]
  const auto at = make_saddle<Wide>(a, x);
  const Wide once = mixture_mean<Real>(at, Wide(1), [](const auto& y) { return y; });
  const Wide thrice = mixture_mean<Real>(at, Wide(1), [](const auto& y) { return y * y * y; });
  return x / at.spread * x * thrice / once;
}

/// Q(x) = Pr(X > x), x > 0, by the even sum, by the centre or by the saddle point.
/// \implements{ScoreSaddleIntegral}
template <class Real>
Scaled<Real> upper_tail(const Real& d, const Real& x) {
  using std::sqrt;
  using Wide = Extended<Real>;
  if (is_even_and_small(d, x)) return even_sum(static_cast<int>(d), x).tail;
  // the trapezoidal rule needs x² > 0; above d = ½ the tail of a tiny x is close to ½ anyway
  const bool is_tiny = x < std::numeric_limits<Real>::epsilon() && (2 * d >= 1 || Wide(x) * x == 0);
  // and where that costs digits and the centre's series does not
  const bool is_near_middle =
      is_fast<Real> && d >= 1 && d < 2 * hermite_from.back() && 100 * x * x < d;
  if (is_tiny || is_near_middle) return {Real(0.5) - central_mass(d, x), 0};
  //! [ScoreSaddleIntegral]
  const Wide a = Wide(d) / 2;
  const auto at = make_saddle<Wide>(a, x);
  const Wide u = sqrt(at.shift);
  const Wide mean = mixture_mean<Real>(at, u, [](const auto& uy) {
    if constexpr (is_fast<Real>)
      return fast_erfcx(uy);
    else
      return erfcx(uy);
  });
  return {sqrt(at.ratio) * mean / 2, at.exponent + stirling_remainder(a)};
  //! [ScoreSaddleIntegral]
}

/// P(0 < X ≤ x) = ½ E[erf(x/(R√2))], expanded about R² = d: for x² ≤ d and a large.
template <class Real>
Real central_mass_by_mixture(const Real& d, const Real& x) {
  using std::exp;
  using std::sqrt;
  using Wide = Extended<Real>;
  const Wide a = Wide(d) / 2;
  const Wide z = x / sqrt(2 * Wide(d));
  const Wide mean = mixture_mean<Real>(make_saddle<Wide>(a, 0), z, [](const auto& zy) {
    return boost::math::erf(zy, inner_policy());
  });
  return static_cast<Real>(mean / 2 * exp(-stirling_remainder(a)));
}

//! [ScoreNearTheMiddle]
/// The Struve form F = ½ + (x/2)(K_ν L_{ν−1} + K_{ν−1} L_ν), with L in powers of x:
///
///     P(0 < X ≤ x) = x f (Σ Πᵢ q/((i + ½)(i + a − 1)) + (−x f′/f)/d Σ Πᵢ q/((i + ½)(i + a))),
///
/// q = x²/4, products over 1 ≤ i ≤ k, sums over k ≥ 0. All terms are positive; for x² ≤ d they fall
/// at least as fast as 3^{−k}.
///
/// \implements{ScoreNearTheMiddle}
template <class Real>
Real central_mass_by_struve(const Real& d, const Real& x) {
  using Wide = Extended<Real>;
  const Wide a = Wide(d) / 2;
  const Wide q = Wide(x) * x / 4;
  Wide first = 1;
  Wide second = log_density_slope(d, x) / d;
  Wide sum = 0;
  for (int i = 1; sum + (first + second) != sum; ++i) {
    sum += first + second;
    first *= q / ((i + Wide(0.5)) * (i - 1 + a));
    second *= q / ((i + Wide(0.5)) * (i + a));
  }
  return static_cast<Real>(x * density(d, x).wide_value() * sum);
}
//! [ScoreNearTheMiddle]

template <class Real>
Real central_mass(const Real& d, const Real& x) {
  if (x == 0) return 0;
  if (x * x > d && x > std::numeric_limits<Real>::epsilon())
    return Real(0.5) - upper_tail(d, x).value();
  return d >= 2 * hermite_from.back() ? central_mass_by_mixture(d, x)
                                      : central_mass_by_struve(d, x);
}

}  // namespace sqrtdk::score_numerics
