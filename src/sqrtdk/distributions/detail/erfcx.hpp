// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief The scaled complementary error function erfcx(u) = exp(u²) erfc(u), u ≥ 0.
#pragma once

#include <boost/math/constants/constants.hpp>
#include <boost/math/special_functions/erf.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

namespace sqrtdk::score_numerics {

/// erfcx(u) to the precision of double, u in [0, ∞]. Measured: a relative error of at most 0.25
/// epsilon of double if Real is the x87's long double, and of 2.5 epsilon if it is double.
///
/// Chebyshev interpolation of (u + k) erfcx(u) in t = (u − k)/(u + k), smooth up to infinity. The
/// compiler computes the coefficients, which are below 0.03 from t⁴ on: double precision suffices.
template <class Real>
Real fast_erfcx(const Real& u);

/// erfcx(u) for any real type: exp(u²) erfc(u), or the divergent series once its smallest term, of
/// order exp(−u²), is negligible. Loses about u² ≤ log(1/epsilon) units of last place.
template <class Real>
Real erfcx(const Real& u);

namespace erfcx_table {

/// Centre of the map t = (u − k)/(u + k): 2 has the smallest error in double precision.
inline constexpr long double centre = 2;

/// Number of coefficients: those of higher order are below 1.2e-17.
inline constexpr std::size_t size = 28;

inline constexpr long double pi = boost::math::constants::pi<long double>();
inline constexpr long double one_div_root_pi =
    boost::math::constants::one_div_root_pi<long double>();

/// erfcx(u) = Σ (−u)ᵏ / Γ(k/2 + 1), the even and the odd terms side by side; for u < 1.
constexpr long double by_series(long double u) {
  long double even = 1;
  long double odd = -2 * u * one_div_root_pi;
  long double sum = 0;
  for (int k = 0; k < 40; ++k) {
    sum += even + odd;
    even *= u * u / static_cast<long double>(k + 1);
    odd *= u * u / (static_cast<long double>(k) + 1.5L);
  }
  return sum;
}

/// √π erfcx(u) = 1/(u + (1/2)/(u + (2/2)/(u + (3/2)/(u + …)))); its error after n levels falls like
/// exp(−2u√(2n)), so 400 levels are enough from u = 1.
constexpr long double by_fraction(long double u) {
  long double tail = u;
  for (int n = 400; n > 0; --n) tail = u + 0.5L * static_cast<long double>(n) / tail;
  return one_div_root_pi / tail;
}

constexpr long double cosine(long double angle) {
  long double term = 1;
  long double sum = 0;
  for (int k = 1; k < 40; k += 2) {
    sum += term;
    term *= -angle * angle / static_cast<long double>(k * (k + 1));
  }
  return sum;
}

/// Coefficients in powers of t of the polynomial through the Chebyshev points.
template <class Real>
constexpr std::array<Real, size> coefficients() {
  constexpr auto n = static_cast<long double>(size);
  std::array<long double, size> chebyshev{};
  for (std::size_t i = 0; i < size; ++i) {
    const long double t = cosine(pi * (static_cast<long double>(i) + 0.5L) / n);
    const long double u = centre * (1 + t) / (1 - t);
    const long double value = (u + centre) * (u < 1 ? by_series(u) : by_fraction(u));
    // T₀(t), T₁(t), …: c_k = (2/n) Σ_i value_i T_k(t_i), and half of that for k = 0
    long double now = 1;
    long double next = t;
    for (std::size_t k = 0; k < size; ++k) {
      chebyshev[k] += (k == 0 ? 1 : 2) * value * now / n;
      const long double after = 2 * t * next - now;
      now = next;
      next = after;
    }
  }
  // T_{k+1} = 2t T_k − T_{k−1}, as polynomials
  std::array<long double, size> sum{};
  std::array<long double, size> now{1};
  std::array<long double, size> next{0, 1};
  for (std::size_t k = 0; k < size; ++k) {
    std::array<long double, size> after{};
    for (std::size_t i = 0; i < size; ++i) {
      sum[i] += chebyshev[k] * now[i];
      after[i] = (i == 0 ? 0 : 2 * next[i - 1]) - now[i];
    }
    now = next;
    next = after;
  }
  std::array<Real, size> rounded{};
  for (std::size_t i = 0; i < size; ++i) rounded[i] = static_cast<Real>(sum[i]);
  return rounded;
}

template <class Real>
inline constexpr std::array<Real, size> table = coefficients<Real>();

static_assert(size % 2 == 0);

}  // namespace erfcx_table

template <class Real>
Real fast_erfcx(const Real& u) {
  constexpr auto k = static_cast<Real>(erfcx_table::centre);
  const Real scale = 1 / (u + k);
  const Real t = u < k ? (u - k) * scale : 1 - 2 * k * scale;
  // from t⁴ on in double, even and odd powers apart: two short chains of operations, not a long one
  constexpr auto& c = erfcx_table::table<double>;
  const auto narrow = static_cast<double>(t);
  const double square = narrow * narrow;
  double even = c[erfcx_table::size - 2];
  double odd = c[erfcx_table::size - 1];
  for (std::size_t i = erfcx_table::size - 2; i > 4; i -= 2) {
    even = even * square + c[i - 2];
    odd = odd * square + c[i - 1];
  }
  // c₀ + t(c₁ + t(c₂ + t(c₃ + …)))
  constexpr auto& lead = erfcx_table::table<Real>;
  Real sum = even + odd * narrow;
  for (std::size_t i = 4; i-- > 0;) sum = sum * t + lead[i];
  return sum * scale;
}

template <class Real>
Real erfcx(const Real& u) {
  using std::exp;
  using std::log;
  static const Real precision = -log(std::numeric_limits<Real>::epsilon());
  const Real square = u * u;
  if (square < precision + 4) return exp(square) * boost::math::erfc(u);
  // √π u erfcx(u) ~ Σ (−1)ᵏ (2k − 1)!!/(2u²)ᵏ
  Real term = 1;
  Real sum = 0;
  for (int k = 1; sum + term != sum; k += 2) {
    sum += term;
    if (k > 2 * square) break;
    term *= -k / (2 * square);
  }
  return boost::math::constants::one_div_root_pi<Real>() * sum / u;
}

}  // namespace sqrtdk::score_numerics
