// The gradient of two keys at their median gap, between rational numbers.
#pragma once

#include <sqrtdk/numbers/exp_interval.hpp>
#include <sqrtdk/numbers/interval.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/testing/laws/wide.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>
#include <sqrtdk/testing/reporting/printed.hpp>

#include <boost/math/distributions/normal.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace sqrtdk::testing {

/// Σ(−x)ᵏ/(aₖ) for k ≥ 0, between two sums that follow each other.
/// \param x      from 0 to 1.
/// \param weight the k-th number 1/aₖ; these fall.
template <class Weight>
Interval<Rational> alternating_sum(const Rational& x, Weight weight) {
  Rational sum = 0;
  Rational power = 1;
  for (unsigned k = 0; k < 80; ++k) {
    sum += power * weight(k);
    power *= -x;
  }
  const Rational next = sum + power * weight(80U);
  return {std::min(sum, next), std::max(sum, next)};
}

/// π = 16 arctan(1/5) − 4 arctan(1/239).
inline Interval<Rational> pi_enclosure() {
  const auto arctan_of_one_over = [](unsigned m) {
    const Interval<Rational> sum =
        alternating_sum(Rational(1, m * m), [](unsigned k) { return Rational(1, 2 * k + 1); });
    return Interval<Rational>{sum.lower / m, sum.upper / m};
  };
  const Interval<Rational> fifth = arctan_of_one_over(5), small = arctan_of_one_over(239);
  return {16 * fifth.lower - 4 * small.upper, 16 * fifth.upper - 4 * small.lower};
}

/// 16y(Σ(−y)ᵏ/(k!(2k + 1)))² with y = q²/2, which rises with q: it is π where erf √y = ½, that is
/// where Φ(q) = ¾.
/// \param q from 0 to 1.
inline Interval<Rational> quartile_condition(const Rational& q) {
  const Rational y = q * q / 2;
  Rational factorial = 1;
  const Interval<Rational> sum = alternating_sum(y, [&](unsigned k) {
    if (k > 0) factorial *= k;
    return Rational(1 / (factorial * (2 * k + 1)));
  });
  return {16 * y * sum.lower * sum.lower, 16 * y * sum.upper * sum.upper};
}

/// √(2d) Φ⁻¹(¾), the median gap of two scores N(0, d), between multiples of 2⁻¹⁰⁰ over √d.
/// \param root √d.
inline Interval<Rational> median_gap_enclosure(const Rational& root) {
  const auto multiple = [](const Integer& n) { return Rational(n, Integer(1) << 100); };
  static const Integer near(
      floor(ldexp(quantile(boost::math::normal_distribution<Wide>(), Wide(3) / 4), 100)));
  static const Interval<Rational> below = quartile_condition(multiple(near - 1));
  static const Interval<Rational> above = quartile_condition(multiple(near + 2));
  static const Interval<Rational> pi = pi_enclosure();
  EXPECT_EXACTLY(below.upper < pi.lower) << "Φ⁻¹(¾) is greater";
  EXPECT_EXACTLY(above.lower > pi.upper) << "Φ⁻¹(¾) is less";
  // √2 between two multiples, too, and the products rounded outward.
  const Integer root_of_two = sqrt(Integer(2) << 200);
  const Integer low = ((near - 1) * root_of_two) >> 100;
  const Integer high = (((near + 2) * (root_of_two + 1)) >> 100) + 1;
  return {root * multiple(low), root * multiple(high)};
}

/// ½ sech²(Δ/2τ)/τ = 2r/(1 + r)²/τ with r = e^(−Δ/τ), the gradient's norm for two keys.
/// \param gap         Δ, not negative.
/// \param temperature τ, greater than 0.
inline Interval<Rational> two_key_norm_enclosure(const Interval<Rational>& gap,
                                                 const Rational& temperature) {
  const auto norm = [&](const Rational& r) {
    return Rational(2 * r / ((1 + r) * (1 + r)) / temperature);
  };
  return {norm(exp_enclosure(-gap.upper / temperature).lower),
          norm(exp_enclosure(-gap.lower / temperature).upper)};
}

/// Publishes a number, and expects that everything between two numbers rounds to it.
inline void record_rounded(const std::string& name, const std::string& text,
                           const Interval<Rational>& exact) {
  const Interval<Rational> number = parse_printed(text);
  EXPECT_EXACTLY((number.lower <= exact.lower && exact.upper <= number.upper))
      << name << " = " << text;
  record_value(name, text);
}

}  // namespace sqrtdk::testing
