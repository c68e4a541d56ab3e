// Formulas of the page \ref score_distribution that the library does not need.
#pragma once

#include <sqrtdk/testing/kit.hpp>

#include "properties/score_distribution/reference.hpp"

#include <boost/math/distributions/complement.hpp>
#include <boost/math/distributions/normal.hpp>

namespace sqrtdk::properties {
inline namespace chapter_score_distribution {

using namespace sqrtdk::testing;
using namespace sqrtdk::reference;

using boost::math::complement;
using Score = sqrtdk::score_distribution<double>;

namespace constants = boost::math::constants;

/// E (G₁ − G₂)ⁿ for two independent Gamma(a, 1) variables: E Gⁱ = a (a + 1) … (a + i − 1).
inline Rational difference_moment(const Rational& a, unsigned n) {
  std::vector<Rational> of_gamma{1};
  for (unsigned i = 0; i < n; ++i) of_gamma.push_back(of_gamma.back() * (a + i));
  Rational sum = 0;
  for (unsigned i = 0; i <= n; ++i) {
    const Rational term = Rational(choose(n, i)) * of_gamma[i] * of_gamma[n - i];
    if (i % 2 == 0)
      sum += term;
    else
      sum -= term;
  }
  return sum;
}

/// E ‖k‖ⁿ E Zⁿ for even n: d (d + 2) … (d + n − 2) times 1·3···(n − 1).
inline Rational mixture_moment(const Rational& d, unsigned n) {
  Rational product = 1;
  for (unsigned j = 0; j < n; j += 2) product *= (d + j) * (j + 1);
  return product;
}

/// K_ν(x) = ½ ∫ exp(νs − x cosh s) ds, by the trapezoidal rule in fifty digits.
inline Wide bessel_by_mixing(const Wide& nu, const Wide& x) {
  const Wide step = Wide(1) / 16;
  Wide sum = exp(-x) / 2;
  for (const int direction : {-1, 1})
    for (int j = 1;; ++j) {
      const Wide s = direction * j * step;
      const Wide term = exp(nu * s - x * cosh(s)) / 2;
      sum += term;
      if (x * sinh(abs(s)) > abs(nu) && term < Wide(1e-45) * sum) break;
    }
  return sum * step;
}

/// S_{d+2}(x) from S_d(x) and f_d(x).
inline Wide next_tail(const Wide& d, const Wide& x, const Wide& tail, const Wide& density) {
  return tail + x / d * density;
}

/// f_{d+2}(x) from f_{d−2}(x) and f_d(x).
inline Wide next_density(const Wide& d, const Wide& x, const Wide& before, const Wide& density) {
  return x * x / (d * (d - 2)) * before + (d - 1) / d * density;
}

/// The most that the third term of Taylor's series contributes to the distance: 4/(3πd²).
inline double third_term_bound(double d) { return 4 / (3 * constants::pi<double>() * d * d); }

/// The largest difference of the distance from λ/d, for d > 8; the page derives it:
/// 4/(3πd²) + (E(W − 1)⁴ + E(1 − 1/W)⁴)/(8π), W = ‖k‖²/d.
inline double distance_remainder(double d) {
  const Wide n = d;
  Wide inverse = 1;  // E W^−j = d^j / ((d−2)(d−4)…(d−2j))
  Wide of_inverse = 1;
  const int signed_binomials[] = {-4, 6, -4, 1};
  for (int j = 1; j <= 4; ++j) {
    inverse *= n / (n - 2 * j);
    of_inverse += signed_binomials[j - 1] * inverse;
  }
  const Wide of_square = 12 / (n * n) + 48 / (n * n * n);
  const Wide pi = constants::pi<Wide>();
  return third_term_bound(d) + static_cast<double>(Wide((of_square + of_inverse) / (8 * pi)));
}

inline Rational value_at(const std::vector<Rational>& coefficients, const Rational& x) {
  Rational sum = 0;
  for (std::size_t j = coefficients.size(); j-- > 0;) sum = sum * x + coefficients[j];
  return sum;
}

/// The median of the largest of n independent scores: the x with P(X ≤ x)ⁿ = ½.
inline double median_of_largest(double d, double n) {
  return quantile(complement(Score(d), -std::expm1(-constants::ln_two<double>() / n)));
}

/// The distribution function of N(0, d), its tail, and its density.
inline double normal_lower(double d, double x) {
  return cdf(boost::math::normal(0, std::sqrt(d)), x);
}

inline double normal_upper(double d, double x) { return normal_lower(d, -x); }

inline double normal_density(double d, double x) {
  return pdf(boost::math::normal(0, std::sqrt(d)), x);
}

}  // namespace chapter_score_distribution
}  // namespace sqrtdk::properties
