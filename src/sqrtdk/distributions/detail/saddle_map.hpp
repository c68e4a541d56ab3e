// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief The change of variable that makes the mixing density of the score exactly normal.
#pragma once

#include <array>
#include <cstddef>

namespace sqrtdk::score_numerics {

/// The solution w(ζ) = 2 sinh(t/2), through w ~ ζ, of
///
///     cosh t − 1 + r (sinh t − t) = ζ²/2,   0 ≤ r ≤ 1,
///
/// as a power series in ζ whose coefficients are polynomials in r. It converges for |ζ| < 2 at
/// least, whatever r.
///
/// \implements{SaddleMapReachesTwo}
///
/// term[k][m] multiplies ζᵏ⁺¹ r^(k − 2m): the other powers of r vanish, since (t, r, ζ) may be
/// replaced by (−t, −r, −ζ).
template <std::size_t order>
struct SaddleSeries {
  std::array<std::array<double, order / 2 + 1>, order> term;
};

namespace saddle_table {

/// A series in ζ, up to order n, with polynomials in r as coefficients: [power of ζ][power of r].
template <std::size_t n>
using Series = std::array<std::array<long double, n + 1>, n + 1>;

/// Adds Σ a_i b_{k−i} over first ≤ i ≤ last; the caller solves for the ends of the product.
template <std::size_t n>
void add_product(std::array<long double, n + 1>& sum, const Series<n>& a, const Series<n>& b,
                 std::size_t k, std::size_t first, std::size_t last) {
  for (std::size_t i = first; i <= last; ++i)
    for (std::size_t p = 0; p <= i; ++p)
      for (std::size_t q = 0; q <= k - i; ++q) sum[p + q] += a[i][p] * b[k - i][q];
}

}  // namespace saddle_table

/// With ω = w/ζ, v = cosh(t/2), j = dt/dζ: ω (v + r w/2) j = 1, w′ = v j, v′ = w j/4; the
/// coefficients of ζᵏ give those of v, then j and w, one k after another.
template <std::size_t order>
SaddleSeries<order> make_saddle_series() {
  constexpr std::size_t n = order;
  saddle_table::Series<n> omega{};  // ω
  saddle_table::Series<n> v{};
  saddle_table::Series<n> j{};
  saddle_table::Series<n> tilt{};   // v + r w/2 = v + r ζ ω/2
  saddle_table::Series<n> slope{};  // ω (v + r w/2)
  omega[0][0] = v[0][0] = j[0][0] = tilt[0][0] = slope[0][0] = 1;
  //! [SaddleMapReachesTwo]
  for (std::size_t k = 1; k < n; ++k) {
    const auto real_k = static_cast<long double>(k);
    // v' = ζ ω j/4: k v_k = (1/4) (ω j)_{k−2}
    if (k >= 2) {
      saddle_table::add_product<n>(v[k], omega, j, k - 2, 0, k - 2);
      for (auto& value : v[k]) value /= 4 * real_k;
    }
    tilt[k] = v[k];
    for (std::size_t p = 0; p < n; ++p) tilt[k][p + 1] += omega[k - 1][p] / 2;
    // (ζω)' = v j: (k + 1) ω_k = j_k + Σ_{i ≥ 1} v_i j_{k−i}
    std::array<long double, n + 1> rest{};
    saddle_table::add_product<n>(rest, v, j, k, 1, k);
    // (ω tilt)_k = ω_k + tilt_k + Σ, and j_k = −(ω tilt)_k − Σ
    std::array<long double, n + 1> inner = tilt[k];
    saddle_table::add_product<n>(inner, omega, tilt, k, 1, k - 1);
    std::array<long double, n + 1> outer{};
    saddle_table::add_product<n>(outer, slope, j, k, 1, k - 1);
    for (std::size_t p = 0; p <= k; ++p) {
      // j_k = −(ω_k + inner) − outer with ω_k = (j_k + rest)/(k + 1)
      j[k][p] = -(rest[p] + (real_k + 1) * (inner[p] + outer[p])) / (real_k + 2);
      omega[k][p] = (j[k][p] + rest[p]) / (real_k + 1);
      slope[k][p] = omega[k][p] + inner[p];
    }
  }
  //! [SaddleMapReachesTwo]
  SaddleSeries<order> result{};
  for (std::size_t k = 0; k < order; ++k)
    for (std::size_t m = 0; 2 * m <= k; ++m)
      result.term[k][m] = static_cast<double>(omega[k][k - 2 * m]);
  return result;
}

}  // namespace sqrtdk::score_numerics
