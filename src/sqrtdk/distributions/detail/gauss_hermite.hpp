// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Gauss–Hermite quadrature for the standard normal weight, computed by the compiler.
#pragma once

#include <array>
#include <cstddef>

namespace sqrtdk::score_numerics {

/// The rule of n = 2·half points: E h(Z) ≈ Σ weight[i] (h(node[i]) + h(−node[i])), Z ~ N(0, 1);
/// exact for polynomials of degree 2n − 1.
template <std::size_t half>
struct GaussHermite {
  std::array<long double, half> node;    ///< the positive nodes, increasing
  std::array<long double, half> weight;  ///< their weights, of sum 1/2
};

/// Heₙ(z) by Heₖ₊₁ = z Heₖ − k Heₖ₋₁.
constexpr long double hermite(std::size_t n, long double z) {
  long double previous = 0;
  long double value = 1;
  for (std::size_t k = 0; k < n; ++k) {
    const long double next = z * value - static_cast<long double>(k) * previous;
    previous = value;
    value = next;
  }
  return value;
}

constexpr long double hermite_root(std::size_t n, long double lower, long double upper) {
  const bool rising = hermite(n, upper) > 0;
  for (int step = 0; step < 70; ++step) {
    const long double middle = (lower + upper) / 2;
    ((hermite(n, middle) > 0) == rising ? upper : lower) = middle;
  }
  return (lower + upper) / 2;
}

/// Nodes: the roots of Heₖ₊₁ lie between those of Heₖ, and below k + 2.
/// Weights: (n − 1)! / (n Heₙ₋₁(z)²).
template <std::size_t half>
constexpr GaussHermite<half> make_gauss_hermite() {
  constexpr std::size_t n = 2 * half;
  std::array<long double, half + 1> root{};  // the roots ≥ 0 of Heₖ
  for (std::size_t k = 2; k <= n; ++k) {
    const std::size_t count = k / 2;
    std::array<long double, half + 1> next{};
    for (std::size_t i = 0; i < count; ++i) {
      // for odd k, zero is a root of Heₖ and is left out: the next one is past the first of Heₖ₋₁
      const std::size_t left = k % 2 == 0 ? i : i + 1;
      const long double lower = left == 0 ? 0 : root[left - 1];
      const long double upper = left < (k - 1) / 2 ? root[left] : static_cast<long double>(k + 1);
      next[i] = hermite_root(k, lower, upper);
    }
    root = next;
  }
  GaussHermite<half> rule{};
  for (std::size_t i = 0; i < half; ++i) {
    long double weight = 1 / static_cast<long double>(n);
    for (std::size_t k = 1; k < n; ++k) weight *= static_cast<long double>(k);
    const long double slope = hermite(n - 1, root[i]);
    rule.node[i] = root[i];
    rule.weight[i] = weight / (slope * slope);
  }
  return rule;
}

template <std::size_t half>
inline constexpr GaussHermite<half> gauss_hermite_rule = make_gauss_hermite<half>();

}  // namespace sqrtdk::score_numerics
