#include <sqrtdk/jacobian_error.hpp>
#include <sqrtdk/temperature.hpp>

#include "properties/saturation/fixture.hpp"

namespace sqrtdk::properties::InformationLoss {

//! [InformationLoss]
STATEMENT(InformationLoss, EveryRowLosesWhatItsGapsSay) {
  // The accuracy of fifty digits' exponentials and logarithms was measured.
  evidence().rests_on(EvidenceLevel::measured);
  for_all(
      [&] {
        const auto tenths =
            *rc::gen::mapcat(rc::gen::inRange<std::size_t>(2, 8), [](std::size_t n) {
               return rc::gen::container<std::vector<int>>(n, rc::gen::inRange(0, 200));
             }).as("10 × scores");
        Vector<Wide> scores(static_cast<Index>(tenths.size()));
        for (Index i = 0; i < scores.size(); ++i)
          scores[i] = Wide(tenths[static_cast<std::size_t>(i)]) / 10;
        const Wide entropy = softmax_entropy(scores, Wide(1));
        const auto [least, greatest] = subject.from_gaps(scores);
        // Each h(δ) has two terms of at most four roundings each, and one for the sum.
        const Wide slack = Wide(entropy_error_bound(scores, Wide(1))) +
                           (8 + scores.size()) * greatest * std::numeric_limits<Wide>::epsilon();
        RC_ASSERT(least <= entropy + slack);
        RC_ASSERT(entropy <= greatest + slack);
        const Vector<Wide> pair = scores.head(2);
        const auto both = subject.from_gaps(pair);
        RC_ASSERT(abs(both.lower - softmax_entropy(pair, Wide(1))) <= 4 * slack);
        RC_ASSERT(both.lower == both.upper);
      },
      100);
}
KILLS("the sum over pairs misses the product", {.from_gaps = [](auto& s) {
        auto bounds = entropy_from_gaps(s);
        Wide sum = 0;
        for (Index i = 0; i < s.size(); ++i) sum += log(1 + exp(s[i] - s.maxCoeff()));
        bounds.upper = sum - log(Wide(2));
        return bounds;
      }});
KILLS("the largest score is a pair with itself", {.from_gaps = [](auto& s) {
        auto bounds = entropy_from_gaps(s);
        bounds.lower += log(Wide(2));
        return bounds;
      }});
KILLS("the smallest pair is the upper bound", {.from_gaps = [](auto& s) {
        auto bounds = entropy_from_gaps(s);
        bounds.upper = bounds.lower;
        return bounds;
      }});

STATEMENT(InformationLoss, PositionsTendToOne) {
  evidence().rests_on(EvidenceLevel::bounded);
  for (const std::size_t n : {2U, 5U, 16U}) {
    double before = static_cast<double>(n);
    for (const double d : {4.0, 16.0, 64.0, 256.0, 1024.0, 4096.0}) {
      const double spread = std::sqrt(d);
      const double positions = subject.positions(double(n), spread);
      const double error = (1 + d) * mean_error_bound;
      EXPECT_LT(positions, before) << n << " keys, d = " << d;
      EXPECT_GE(positions, 1 - error) << n << " keys, d = " << d;
      // (positions − 1)√d tends to the constant: ln(1 + x) ≤ x, and E H is within its bounds.
      const Bounds bounds = subject.entropy_bounds(n, spread);
      const double constant = subject.entropy_constant(n);
      const double scaled = spread * std::log(positions);
      EXPECT_LE(scaled - constant, spread * (bounds.upper + 2 * error) - constant);
      EXPECT_LE(spread * (bounds.lower - 2 * error) - constant, scaled - constant);
      EXPECT_LE(bounds.lower, constant / spread) << n << " keys, d = " << d;
      // For two keys both are one quotient, rounded alike; 2^−50 is eight roundings.
      EXPECT_LE(constant / spread, bounds.upper * (1 + 0x1p-50)) << n << " keys, d = " << d;
      before = positions;
    }
    record_value("at_64_of_" + std::to_string(n), format_fixed(subject.positions(double(n), 8), 3));
    record_value("at_4096_of_" + std::to_string(n),
                 format_fixed(subject.positions(double(n), 64), 3));
  }
  // Two keys: π²/6 · 1/√π
  expect_near(subject.entropy_constant(2),
              constants::pi_sqr_div_six<double>() / constants::root_pi<double>(),
              2 * integral_error_bound, "two keys");
  record_value("constant_of_2", format_fixed(subject.entropy_constant(2), 3));
  record_value("constant_of_5", format_fixed(subject.entropy_constant(5), 3));
  enumerated(18);
}
//! [InformationLoss]
KILLS("the positions are the entropy",
      {.positions = [](double n, double b) { return memoized<mean_entropy>(n, b); }});
KILLS("the positions never fall below two", {.positions = [](double n, double b) {
        return n < 2 ? 1 : std::max(2.0, memoized<effective_positions>(n, b));
      }});
KILLS("the constant is E M", {.entropy_constant = [](auto n) { return largest(n); }});

STATEMENT(InformationLoss, TheMeanEntropyFallsLikeTheRoot) {
  evidence().rests_on(EvidenceLevel::bounded);
  for (const std::size_t n : {2U, 3U, 5U, 16U})
    for (const double spread : {8.0, 16.0, 32.0, 64.0}) {
      const Bounds bounds = subject.entropy_bounds(n, spread);
      const double error =
          (1 + spread * spread) * mean_error_bound + 2 * integral_error_bound / spread;
      expect_between(subject.entropy(double(n), spread), bounds, error, at(double(n), spread));
      // For two keys nothing is left open but the curvature, 7π⁴/360 E M/β³ with E M = 1/√π: the
      // factor is below 1.0687, and rounding has the rest.
      if (n == 2) {
        EXPECT_LE(bounds.upper - bounds.lower, 1.07 / (spread * spread * spread)) << at(2, spread);
      }
    }
  // The constants are 3η(3)K and 2η(4)E M with the alternating sums η, which lie between any two
  // of their partial sums in a row; K is 6/4√2π for three keys.
  const auto between_sums = [](int power, double factor, double value) {
    double sum = 0, before = 0;
    for (int k = 1; k <= 4000; ++k) {
      before = sum;
      sum += (k % 2 == 1 ? 1 : -1) / std::pow(k, power);
    }
    constexpr double rounding = 4000 * std::numeric_limits<double>::epsilon();
    EXPECT_GE(value, factor * (std::min(sum, before) - rounding)) << "power " << power;
    EXPECT_LE(value, factor * (std::max(sum, before) + rounding)) << "power " << power;
  };
  const double leading = subject.entropy_constant(3);
  const Bounds three = subject.entropy_bounds(3, 1);
  between_sums(3, 3 * 6 / (4 * constants::root_two<double>() * constants::pi<double>()),
               three.upper - leading);
  between_sums(4, 2 * largest(3), (leading - three.lower) - (three.upper - leading));
  enumerated(18);
}
KILLS("the third key is forgotten", {.entropy_bounds = [](auto n, double b) {
        const double leading = memoized<entropy_constant>(n) / b;
        return Bounds{leading - 0.001, leading};
      }});
KILLS("π²/12", {.entropy_bounds = [](auto n, double b) {
        const Bounds right = memoized<entropy_bounds>(n, b);
        const double half = memoized<entropy_constant>(n) / b / 2;
        return Bounds{right.lower - half, right.upper - half};
      }});
KILLS("the curvature is forgotten", {.entropy_bounds = [](auto n, double b) {
        const double leading = memoized<entropy_constant>(n) / b;
        return Bounds{n == 2 ? leading : memoized<entropy_bounds>(n, b).lower,
                      memoized<entropy_bounds>(n, b).upper};
      }});
KILLS("ζ(3) in place of 9ζ(3)/4", {.entropy_bounds = [](auto n, double b) {
        const Bounds right = memoized<entropy_bounds>(n, b);
        const double leading = memoized<entropy_constant>(n) / b;
        return Bounds{right.lower, leading + (right.upper - leading) / 2.25};
      }});
KILLS("1/β in place of 1/β²", {.entropy_bounds = [](auto n, double b) {
        const Bounds right = memoized<entropy_bounds>(n, b);
        return Bounds{right.lower, right.upper * b};
      }});

ASIDE(InformationLoss, AnyPositiveSpreadHasBounds) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  for (const std::size_t n : {2U, 5U})
    for (const double spread : {1e-170, 1e-309, std::numeric_limits<double>::denorm_min()}) {
      const Bounds bounds = subject.entropy_bounds(n, spread);
      // Two keys have no third one, so that nothing is added to the leading term.
      const double upper = n == 2 ? subject.entropy_constant(n) / spread : infinite;
      EXPECT_EXACTLY(bits_of(bounds.lower) == bits_of(-infinite)) << at(double(n), spread);
      EXPECT_EXACTLY(bits_of(bounds.upper) == bits_of(upper)) << at(double(n), spread);
      enumerated(1);
    }
}
KILLS("β² and β³ are formed before they divide", {.entropy_bounds = [](auto n, double b) {
        const Bounds one = memoized<entropy_bounds>(n, 1.0);
        const double constant = memoized<entropy_constant>(n);
        const double third_key = (one.upper - constant) / (b * b);
        const double curvature = (2 * constant - one.upper - one.lower) / (b * b * b);
        const double leading = constant / b;
        return Bounds{leading - third_key - curvature, leading + third_key};
      }});
KILLS("what overflows is subtracted from what overflows", {.entropy_bounds = [](auto n, double b) {
        Bounds bounds = memoized<entropy_bounds>(n, b);
        bounds.lower += 0 * (memoized<entropy_constant>(n) / b);
        return bounds;
      }});

ASIDE(InformationLoss, WithEverMoreKeysItIsNotLost) {
  evidence().rests_on(EvidenceLevel::bounded);
  // d = 64 without scaling. The bound of ScaledSpreads, ln n − d/2, is large once n exceeds e³².
  double before = 1;
  for (const double n : {5.0, 512.0, 4096.0, 1e6, 1e9, 1e12, 1e16, 1e20}) {
    const double positions = subject.positions(n, 8);
    EXPECT_GT(positions, before) << n << " keys";
    EXPECT_GE(std::log(positions) + 65 * mean_error_bound, subject.entropy_at_least(n, 8))
        << n << " keys";
    before = positions;
  }
  EXPECT_GT(before, 1e5);
  for (const double n : {5.0, 512.0, 4096.0, 1e6, 1e12})
    record_value("of_" + format_significant(n, 4), format_significant(subject.positions(n, 8), 3));
  enumerated(8);
  counterexample_without("fixed number of keys");
}
KILLS("the positions of five keys, whatever n", {.positions = [](double n, double b) {
        return memoized<effective_positions>(std::min(n, 5.0), b);
      }});

ASIDE(InformationLoss, AnInfiniteGapLeavesNothing) {
  // Eight epsilons is more than was seen.
  evidence().rests_on(EvidenceLevel::measured);
  constexpr double infinite = std::numeric_limits<double>::infinity();
  for (const double gap : {infinite, -infinite, 1e308, 750.0})
    EXPECT_EQ(subject.pair_entropy(gap), 0) << "gap " << gap;
  // Saturated weights, as S3 has them: every other score is infinitely far below the largest.
  double positions = 1;
  for (int other = 0; other < 4; ++other) positions *= std::exp(subject.pair_entropy(infinite));
  expect_confirmed("S3", "Only one position contributes", positions == 1);
  // Large gaps keep their digits: h(u) = (1 + u)e^(−u) up to e^(−2u).
  for (const double gap : {40.0, 100.0, 700.0}) {
    const double wanted = (1 + gap) * std::exp(-gap);
    expect_near(subject.pair_entropy(gap), wanted,
                8 * std::numeric_limits<double>::epsilon() * wanted,
                "gap " + format_significant(gap, 3));
  }
  enumerated(7);
}
KILLS("an infinite gap is no number", {.pair_entropy = [](double gap) {
        const double ratio = std::exp(-std::abs(gap));
        return std::log1p(ratio) + std::abs(gap) * ratio / (1 + ratio);
      }});
KILLS("small ratios are rounded away", {.pair_entropy = [](double gap) {
        const double ratio = std::exp(-std::abs(gap));
        return std::log(1 + ratio) + (ratio == 0 ? 0 : std::abs(gap) * ratio / (1 + ratio));
      }});

ASIDE(InformationLoss, RefusesWhatHasNoGaps) {
  expect_refusal<std::invalid_argument>([&] { subject.from_gaps(Vector<Wide>::Ones(1)); });
  expect_refusal<std::domain_error>([&] { subject.entropy_bounds(5, 0); });
  expect_refusal<std::domain_error>([&] { subject.entropy_constant(1); });
}
KILLS("a single score is accepted", {.from_gaps = [](auto& s) {
        return s.size() < 2 ? Interval<Wide>{0, 0} : entropy_from_gaps(s);
      }});
KILLS("a spread of 0 is accepted", {.entropy_bounds = [](auto n, double b) {
        return b == 0 ? Bounds{0, 0} : memoized<entropy_bounds>(n, b);
      }});

}  // namespace sqrtdk::properties::InformationLoss
