#include <sqrtdk/numbers/exp_interval.hpp>
#include <sqrtdk/softmax_jacobian.hpp>

#include "properties/support/two_keys.hpp"
#include "properties/temperature/fixture.hpp"

namespace sqrtdk::properties::SmoothingRaisesGradient {

/// The least multiple of 2⁻³⁰ whose a-th power is x or more.
Rational root_from_above(const Rational& x, unsigned a) {
  const Rational unit(1, Integer(1) << 30);
  const double near = std::pow(static_cast<double>(x), 1.0 / a);
  Rational root = Rational(Integer(std::ceil(near * 0x1p30))) * unit;
  while (power(root, a) < x) root += unit;
  while (power(root - unit, a) >= x) root -= unit;
  return root;
}

//! [SmoothingRaisesGradient]
STATEMENT(SmoothingRaisesGradient, FromSaturatedWeightsSmoothingRaisesIt) {
  // At τ = 1/a the first key has the weight 17/20, or more; from there τ falls to 1/(a + 1).
  const auto rises = [&](Vector<Rational> w, unsigned a, const Rational& more) {
    Rational others = 0;
    for (const Rational& x : w.tail(w.size() - 1)) others += power(x, a);
    const Rational& weight = subject.saturated;
    w[0] = root_from_above(others * weight / (1 - weight), a) * more;
    return subject.gradient_trace(w, a) > subject.gradient_trace(w, a + 1);
  };
  // 2(p − 1/(1 + p)) ln(p/(1 − p)) > 1 for that weight, as an inequality of exponentials.
  const Rational p = subject.saturated;
  const Rational factor = 2 * (p - 1 / (1 + p));
  EXPECT_EXACTLY(exp_enclosure(1 / factor).upper < p / (1 - p));
  record_value("left_side", format_fixed(static_cast<double>(factor) *
                                             std::log(static_cast<double>(Rational(p / (1 - p)))),
                                         2));
  for (const unsigned a : {1U, 4U, 16U, 64U})
    EXPECT_EXACTLY(rises(integers({1, 1}), a, 1)) << "two keys, τ = 1/" << a;
  for_all([&] {
    EXPECT_EXACTLY(rises(any_exponentials(6, 2), *rc::gen::element(1U, 2U, 4U, 16U).as("a"),
                         1 + Rational(*rc::gen::inRange(0, 100).as("percent more"), 100)));
  });
}
KILLS("1/τ² for 1/τ",
      {.gradient_trace = [](auto& w, unsigned a) { return gradient_trace(w, a) * a; }});
KILLS("from a weight of 3/4 on", {.saturated = Rational(3, 4)});
KILLS("from a weight of 4/5 on", {.saturated = Rational(4, 5)});

STATEMENT(SmoothingRaisesGradient, FromFlatWeightsSmoothingLowersIt) {
  for_all([&] {
    // Exponentials from 1 to e^(1/8): the scores differ by at most τ = 1/8, and by less than that
    // at every higher temperature 1/a.
    const Vector<Rational> w = any_exponentials(6, 2).unaryExpr(
        [](const Rational& x) { return Rational(1 + x / 7600); });  // at most 1 + 1/7.6 < e^(1/8)
    for (unsigned a = 1; a < 8; ++a)
      EXPECT_EXACTLY(subject.gradient_trace(w, a) < subject.gradient_trace(w, a + 1));
  });
}
//! [SmoothingRaisesGradient]
KILLS("the temperature multiplies", {.gradient_trace = [](auto& w, unsigned a) {
        return gradient_trace(w, a) / (a == 0 ? 1 : a * a);
      }});

ASIDE(SmoothingRaisesGradient, BelowSaturationItMayFall) {
  // Scores within a range of τ, from 1/7 on: 1.1 < e^(1/8).
  Vector<Rational> w = integers({11, 10, 10}) / 10;
  for (unsigned a = 1; a < 8; ++a)
    EXPECT_EXACTLY(subject.gradient_trace(w, a) < subject.gradient_trace(w, a + 1));
  // One of two keys with 79 % of the weight, from τ = 1/16 to 1/15.
  w = integers({109, 100}) / 100;
  EXPECT_EXACTLY(sharpened_weights(w, 16).maxCoeff() > Rational(79, 100));
  EXPECT_EXACTLY(subject.gradient_trace(w, 15) < subject.gradient_trace(w, 16));
  enumerated(8);
  counterexample_without("saturated");
}
KILLS("the factor 1/τ is forgotten", {.gradient_trace = [](auto& w, unsigned a) {
        return jacobian_trace(sharpened_weights(w, a));
      }});

ASIDE(SmoothingRaisesGradient, WithManyKeysFarBelowItHasTwoMaxima) {
  // Scores 6 ln w: 0.01, 0, and a thousand at −6 ln 3. The temperature 6/a has the weights w^a.
  Vector<Rational> w = Vector<Rational>::Constant(1002, Rational(1, 3));
  w[0] = Rational(601, 600);
  w[1] = 1;
  const auto trace = [&](unsigned a) {
    const Rational value = subject.gradient_trace(w, a) / 6;
    record_value("trace_at_" + std::to_string(a), format_fixed(static_cast<double>(value), 3));
    return value;
  };
  const auto largest = [&](unsigned a) {
    const Rational weight = sharpened_weights(w, a).maxCoeff();
    record_value("weight_at_" + std::to_string(a), format_fixed(static_cast<double>(weight), 3));
    return weight;
  };
  const Rational cold = trace(12), cool = trace(8), mild = trace(6), warm = trace(4);
  EXPECT_EXACTLY(cold > cool);
  EXPECT_EXACTLY(cool < mild) << "smoothing raises the gradient, and nothing is saturated";
  EXPECT_EXACTLY(mild > warm);
  EXPECT_EXACTLY(largest(8) < Rational(47, 100));
  for (const unsigned a : {4U, 6U, 12U}) EXPECT_EXACTLY(largest(a) < Rational(51, 100));
  enumerated(4);
}
KILLS("keys beyond the second have no part in it", {.gradient_trace = [](auto& w, unsigned a) {
        return gradient_trace(Vector<Rational>(w.head(std::min<Index>(2, w.size()))), a);
      }});

STATEMENT(SmoothingRaisesGradient, ItVanishesAtBothEnds) {
  for_all([&] {
    const Vector<Rational> w = any_exponentials(6);
    const auto [ties, ratio] = ties_and_ratio(w);
    RC_PRE(ties == 1U);
    const Rational n(w.size());
    for (const unsigned a : {0U, 1U, 4U, 16U, 64U}) {
      const Rational trace = subject.gradient_trace(w, a);
      EXPECT_EXACTLY(trace <= Rational(a) * (1 - 1 / n));
      EXPECT_EXACTLY(trace <= 2 * Rational(a) * (n - 1) * power(ratio, a));
    }
  });
}
KILLS("a hundredth is added", {.gradient_trace = [](auto& w, unsigned a) {
        return gradient_trace(w, a) + Rational(1, 100);
      }});

ASIDE(SmoothingRaisesGradient, WithATieAtTheTopItGrowsWithoutBound) {
  for (unsigned a = 1; a <= 64; a *= 2) {
    EXPECT_EXACTLY(subject.gradient_trace(integers({3, 3, 1}), a) >= Rational(a, 2));
    EXPECT_EXACTLY(subject.gradient_trace(integers({3, 3, 1}), a) <
                   subject.gradient_trace(integers({3, 3, 1}), 2 * a));
  }
  enumerated(7);
  counterexample_without("no ties");
}
KILLS("the first weight is doubled", {.gradient_trace = [](auto& w, unsigned a) -> Rational {
        Vector<Rational> v = w;
        if (v.size() > 0) v[0] *= 2;
        return gradient_trace(v, a);
      }});

/// The numbers that begin with some binary digits.
/// \param number all digits before the point, and some after it.
/// \param after  how many these are.
Interval<Rational> beginning_with(const Integer& number, unsigned after) {
  const Rational unit(1, Integer(1) << after);
  return {number * unit, (number + 1) * unit};
}

/// The gradient's norm for two keys at so many percent of a temperature, if that is known.
/// \param temperature the 32 digits after the point with which it begins, as a part of the gap.
Interval<Rational> norm_at(int percent, const Integer& temperature) {
  // A gap of 1/t has the best temperature 1.
  const Interval<Rational> t = beginning_with(temperature, 32);
  return two_key_norm_enclosure({1 / t.upper, 1 / t.lower}, Rational(percent, 100));
}

STATEMENT(SmoothingRaisesGradient, TwoKeysHaveOneBestTemperature) {
  const Rational computed(subject.best_two_key_temperature());
  // The best temperature begins with the same 160 digits of the 168 that are computed: between the
  // numbers that do, 2x tanh x − 1 changes its sign.
  const Integer digits = (numerator(computed) << 160) / denominator(computed);
  const Interval<Rational> best = beginning_with(digits, 160);
  const auto tanh_at = [](const Rational& x) {
    const Interval<Rational> e = exp_enclosure(2 * x);
    return Interval<Rational>{(e.lower - 1) / (e.lower + 1), (e.upper - 1) / (e.upper + 1)};
  };
  const Rational low = 1 / (2 * best.upper), high = 1 / (2 * best.lower);
  EXPECT_EXACTLY(2 * low * tanh_at(low).upper < 1);
  EXPECT_EXACTLY(2 * high * tanh_at(high).lower > 1);
  const Integer first_digits = digits >> 128;
  const Interval<Rational> largest = memoized<norm_at>(100, first_digits);
  for (int percent = 1; percent < 400; ++percent) {
    if (percent == 100) continue;
    EXPECT_EXACTLY(memoized<norm_at>(percent, first_digits).upper < largest.lower)
        << percent << " percent of it";
    enumerated(1);
  }
  const Interval<Rational> median_gap = median_gap_enclosure(1);
  record_rounded("of_the_gap", format_significant(static_cast<double>(best.lower), 4), best);
  const Interval<Rational> ratio{exp_enclosure(2 * low).lower, exp_enclosure(2 * high).upper};
  record_rounded("weight", format_significant(static_cast<double>(1 - 1 / (1 + ratio.lower)), 3),
                 {1 - 1 / (1 + ratio.lower), 1 - 1 / (1 + ratio.upper)});
  record_rounded("of_the_root",
                 format_significant(static_cast<double>(best.lower * median_gap.lower), 4),
                 {median_gap.lower * best.lower, median_gap.upper * best.upper});
  const Interval<Rational> at_the_root = two_key_norm_enclosure(median_gap, 1);
  // The largest norm for any gap is that for a gap of 1/t, divided by t and by that gap.
  const Interval<Rational> at_best = {largest.lower / (best.upper * median_gap.upper),
                                      largest.upper / (best.lower * median_gap.lower)};
  record_rounded("share_at_the_root",
                 format_significant(static_cast<double>(at_the_root.lower / at_best.upper), 3),
                 {at_the_root.lower / at_best.upper, at_the_root.upper / at_best.lower});
  std::vector<std::vector<double>> rows;
  for (double t = 0.05; t <= 8; t *= 1.1)
    rows.push_back({t, two_key_gradient_norm(static_cast<double>(median_gap.lower), t),
                    two_key_mean_norm(1.0, t)});
  write_figure_data("temperature_gradient", {"temperature_over_root_d", "median", "mean"}, rows);
}
KILLS("the optimum is where x tanh x is 1",
      {.best_two_key_temperature = []() -> Wide { return Wide(1) / (2 * Wide(1.19967864)); }});
KILLS("the optimum is half the gap",
      {.best_two_key_temperature = []() -> Wide { return Wide(1) / 2; }});

STATEMENT(SmoothingRaisesGradient, InTheMeanSmoothingNeverRaisesIt) {
  evidence().rests_on(EvidenceLevel::bounded);
  for (const std::size_t n : {2U, 5U, 512U}) {
    // N(0, 64) scores: τ = 8/spread, and the mean trace of the gradient is spread·E tr J/8.
    double before = 1;
    for (const double t : {1.0, 2.0, 4.0, 8.0, 16.0}) {
      const double now = subject.mean_trace(n, 8 / t) / t;
      EXPECT_LT(now, before - 2 * integral_error_bound) << n << " keys, τ = " << t;
      before = now;
    }
  }
  enumerated(15);
}
KILLS("the mean trace is that of spread 1, over the square of the spread",
      {.mean_trace = [](auto n, double spread) {
        return mean_jacobian_trace(n, 1) / (spread * spread);
      }});

ASIDE(SmoothingRaisesGradient, TheMeanFallsWhereAPairRises) {
  evidence().rests_on(EvidenceLevel::bounded);
  // From τ = 1 to 2, scores N(0, 64): the pair with the median gap, and the mean over pairs.
  const Interval<Rational> gap = median_gap_enclosure(8);
  EXPECT_LT(two_key_norm_enclosure(gap, 1).upper, two_key_norm_enclosure(gap, 2).lower);
  EXPECT_LT(subject.mean_trace(2, 4) / 2, subject.mean_trace(2, 8) - 2 * integral_error_bound);
  enumerated(1);
  counterexample_without("given scores");
}
KILLS("the mean trace is divided by the square of the spread",
      {.mean_trace = [](auto n, double spread) {
        return memoized<mean_jacobian_trace>(n, spread) / (spread * spread);
      }});

ASIDE(SmoothingRaisesGradient, RefusesWhatAreNoWeights) {
  expect_refusal<std::domain_error>([&] { subject.gradient_trace(integers({1, 0}), 2); });
  expect_refusal<std::invalid_argument>([&] { subject.gradient_trace(Vector<Rational>(), 2); });
}
KILLS("a weight of 0 is accepted", {.gradient_trace = [](auto& w, unsigned a) {
        return w.size() > 0 && w.minCoeff() <= 0 ? Rational(0) : gradient_trace(w, a);
      }});

}  // namespace sqrtdk::properties::SmoothingRaisesGradient
