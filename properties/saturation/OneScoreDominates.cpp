#include <sqrtdk/moments.hpp>

#include "properties/saturation/fixture.hpp"

namespace sqrtdk::properties::OneScoreDominates {

/// The interval of Clopper and Pearson for a probability, at the α of the ledger.
ConfidenceInterval count_interval(const Count& count) {
  return report_interval(count.trials,
                         [&](double alpha) { return frequency_interval(count, alpha); });
}

Count count_above(const std::vector<double>& sample, double level) {
  return {static_cast<std::size_t>(
              std::count_if(sample.begin(), sample.end(), [&](double x) { return x > level; })),
          sample.size()};
}

//! [OneScoreDominates: the top gap]
STATEMENT(OneScoreDominates, TheDistributionOfTheTopGapIsOneIntegral) {
  evidence().rests_on(EvidenceLevel::bounded);
  for (const double g : {0.0, 0.125, 1.0, 3.0})
    expect_near(subject.gap_tail(2, g), std::erfc(g / 2), integral_error_bound,
                "two keys, gap " + format_significant(g, 3));
  for (const std::size_t n : key_counts) {
    expect_near(subject.gap_tail(n, 0), 1, integral_error_bound, std::to_string(n) + " keys");
    // The mean gap is n(E M − E M') with the largest of n and of n − 1; for the second largest of
    // n is the largest of n − 1 others unless the one that is left out is the largest. The tail
    // is convex, so that midpoints lie below and trapezoids above its integral.
    const double count = static_cast<double>(n);
    const double mean = count * (largest(n) - (n == 2 ? 0 : largest(n - 1)));
    constexpr double step = 0.5;
    double midpoints = 0, trapezoids = -step / 2 * subject.gap_tail(n, 0);
    for (double g = 0; g < 10; g += step) {
      trapezoids += step * subject.gap_tail(n, g);
      midpoints += step * subject.gap_tail(n, g + step / 2);
    }
    const double error = 2 * (count + 10) * integral_error_bound;
    EXPECT_LE(midpoints, mean + error) << n << " keys";
    EXPECT_LE(mean, trapezoids + error) << n << " keys";
  }
  enumerated(4 + 2 * std::size(key_counts));
}
//! [OneScoreDominates: the top gap]
KILLS("n keys are below the largest", {.gap_tail = [](auto n, double g) {
        const double m = static_cast<double>(n);
        return memoized<top_gap_tail>(std::min<std::size_t>(n + 1, 4096), g) * m / (m + 1);
      }});
KILLS("any key may be the largest, and is not counted", {.gap_tail = [](auto n, double g) {
        return memoized<top_gap_tail>(n, g) / static_cast<double>(n);
      }});
KILLS("half the gap",
      {.gap_tail = [](auto n, double g) { return memoized<top_gap_tail>(n, g / 2); }});

STATEMENT(OneScoreDominates, SmallGapsAreRareInProportion) {
  evidence().rests_on(EvidenceLevel::bounded);
  for (const std::size_t n : key_counts)
    for (const double spread : {1.0, 8.0}) {
      for (const double gap : {0.03125, 0.5, 4.0, 32.0}) {
        const double bound = subject.small_gap(n, spread, gap);
        const double probability = 1 - subject.gap_tail(n, gap / spread);
        EXPECT_LE(probability, bound + 2 * integral_error_bound) << at(double(n), spread);
        EXPECT_LE(bound, 1) << at(double(n), spread);
      }
      // The density of the gap is at least E M − Kg − E M g²/4: nothing is given away at 0.
      const double g = 0x1p-20;
      const double m = static_cast<double>(n);
      const double K =
          m * (m - 1) * (m - 2) / (4 * constants::root_two<double>() * constants::pi<double>());
      if (n > 64) continue;  // K is too large for this gap
      EXPECT_GE(1 - subject.gap_tail(n, g), subject.small_gap(n, spread, g * spread) -
                                                K * g * g / 2 - largest(n) * g * g * g / 12 -
                                                2 * integral_error_bound)
          << at(m, spread);
    }
  enumerated(2 * 5 * std::size(key_counts));
}
KILLS("the density of the largest is forgotten",
      {.small_gap = [](auto, double b, double g) { return std::min(1.0, g / b / 2); }});
KILLS("the spread is squared", {.small_gap = [](auto n, double b, double g) {
        return memoized<small_gap_bound>(n, b * b, g);
      }});
KILLS("the bound is doubled", {.small_gap = [](auto n, double b, double g) {
        return std::min(1.0, 2 * memoized<small_gap_bound>(n, b, g));
      }});
KILLS("a probability above 1",
      {.small_gap = [](auto n, double b, double g) { return g * largest(n) / b; }});

STATEMENT(OneScoreDominates, TheErrorFunctionOfTwoKeysIsTheIntegral) {
  evidence().rests_on(EvidenceLevel::bounded);
  for (const double spread : {1.0, 8.0, 32.0})
    for (const double level : {0.6, 0.9, 0.99}) {
      const double probability = subject.two_key_dominance(spread, level);
      const Bounds bounds = subject.dominance(2, spread, level);
      expect_near(bounds.lower, probability, 2 * integral_error_bound, at(2, spread));
      expect_near(bounds.upper, probability, 2 * integral_error_bound, at(2, spread));
    }
  enumerated(9);
}
KILLS("the gap has the variance of a score", {.two_key_dominance = [](double b, double x) {
        return two_key_dominance(b / std::sqrt(2), x);
      }});
KILLS("one tail only",
      {.two_key_dominance = [](double b, double x) { return two_key_dominance(b, x) / 2; }});

ASIDE(OneScoreDominates, TwoKeysDominateByAnErrorFunction) {
  expect_draws(CountCheck(subject.two_key_dominance(8, 0.9)), {.effect = 0.05},
               [&](Stream& stream) {
                 return subject.weights(independent_row(64, 2, stream), 1).maxCoeff() > 0.9;
               });
  record_value("above_90", format_fixed(subject.two_key_dominance(8, 0.9), 3));
  record_value("above_99", format_fixed(subject.two_key_dominance(8, 0.99), 3));
  record_value("above_99_at_4096", format_fixed(subject.two_key_dominance(64, 0.99), 3));
}
KILLS("the temperature is doubled", {.weights = weights_at_wrong_temperature<2, 1>});

//! [OneScoreDominates]
STATEMENT(OneScoreDominates, ForFewKeysInALargeHeadItIsNearlyCertain) {
  evidence().rests_on(EvidenceLevel::bounded);
  for (const std::size_t n : {2U, 5U, 64U})
    for (const double level : {0.9, 0.99}) {
      double before = 0;
      for (const double d : {64.0, 4096.0, 262144.0, 16777216.0}) {
        const Bounds bounds = subject.dominance(n, std::sqrt(d), level);
        const double others = static_cast<double>(n - 1);
        const double gap = std::log(others * level / (1 - level));
        EXPECT_GE(bounds.lower, before) << n << " keys, d = " << d;
        EXPECT_GE(bounds.lower + 2 * integral_error_bound,
                  1 - subject.small_gap(n, std::sqrt(d), gap))
            << n << " keys, d = " << d;
        expect_near(bounds.lower, subject.gap_tail(n, gap / std::sqrt(d)), 2 * integral_error_bound,
                    "all others");
        expect_near(bounds.upper, subject.gap_tail(n, std::log(level / (1 - level)) / std::sqrt(d)),
                    2 * integral_error_bound, "one other");
        if (n == 2)
          expect_near(bounds.upper, subject.two_key_dominance(std::sqrt(d), level),
                      2 * integral_error_bound, "the only other");
        before = bounds.lower;
      }
      EXPECT_GT(before, 0.99) << n << " keys";
    }
  record_value("least_of_5_at_4096", rounded_down(subject.dominance(5, 64, 0.99).lower, 3));
  record_value("least_of_5_at_million", rounded_down(subject.dominance(5, 1024, 0.99).lower, 3));
  enumerated(24);
  // In every draw: with r = e^gap, r = x/(1 − x) is needed for p_max = x, and (n − 1) times as
  // much is enough.
  for_all([&] {
    const auto n = *rc::gen::inRange<std::size_t>(2, 8).as("keys");
    const auto powers =
        *rc::gen::container<std::vector<int>>(n, rc::gen::inRange(0, 20)).as("scores / ln 2");
    Vector<Rational> exponentials(static_cast<Index>(n));
    for (Index i = 0; i < exponentials.size(); ++i)
      exponentials[i] = 1 << powers[static_cast<std::size_t>(i)];
    Index top = 0;
    const Rational largest = exponentials.maxCoeff(&top);
    const Rational p_max = normalized_weights(exponentials)[top];
    exponentials[top] = 0;
    const Rational ratio = largest / exponentials.maxCoeff();
    EXPECT_EXACTLY(ratio * (1 - p_max) >= p_max);
    EXPECT_EXACTLY(ratio * (1 - p_max) <= Rational(n - 1) * p_max);
  });
}
//! [OneScoreDominates]
KILLS("the other keys are forgotten", {.dominance = [](auto n, double b, double x) {
        const Bounds right = memoized<dominance_bounds>(n, b, x);
        return Bounds{right.upper, right.upper};
      }});
KILLS("the others are counted twice", {.dominance = [](auto n, double b, double x) {
        const Bounds right = memoized<dominance_bounds>(n, b, x);
        const double gap = std::log(x / (1 - x)) + 2 * std::log(static_cast<double>(n - 1));
        return Bounds{memoized<top_gap_tail>(n, gap / b), right.upper};
      }});

ASIDE(OneScoreDominates, AtTheSizesOfRealHeadsItIsNotCertain) {
  for (const Index n : {5, 512}) {
    const auto count = static_cast<std::size_t>(n);
    const Seen seen = look(subject, independent_row, 64, n, 1, rows_for(n));
    // The gap ln 9 is what a weight of 90 % takes against a single rival.
    const double gap = std::log(9);
    expect_sample(CountCheck(subject.gap_tail(count, gap / 8)), count_above(seen.gap, gap));
    for (const int percent : {90, 99}) {
      const ConfidenceInterval share = count_interval(count_above(seen.largest, percent / 100.0));
      const Bounds bounds = subject.dominance(count, 8, percent / 100.0);
      const std::string which = std::to_string(percent) + "_of_" + std::to_string(n);
      EXPECT_LE(bounds.lower, share.upper) << which;
      EXPECT_LE(share.lower, bounds.upper) << which;
      record_interval("above_" + which, share, 2);
      record_value("least_" + which, rounded_down(bounds.lower, 2));
      record_value("greatest_" + which, rounded_up(bounds.upper, 2));
      EXPECT_LT(bounds.upper, 0.8) << "almost certain? " << which;
    }
  }
}
KILLS("the tail of half as many keys", {.gap_tail = [](auto n, double g) {
        return memoized<top_gap_tail>(std::max<std::size_t>(n / 2, 2), g);
      }});
KILLS("all weight goes to the largest", {.weights = [](auto& s, double) {
        Index top = 0;
        s.maxCoeff(&top);
        return Vector<double>(Vector<double>::Unit(s.size(), top));
      }});

ASIDE(OneScoreDominates, AmongManyKeysItIsUnlikely) {
  evidence().rests_on(EvidenceLevel::bounded);
  // d = 64: even the upper bound of the probability is below one half, and falls.
  double before = 1;
  for (const std::size_t n : {5U, 64U, 512U, 4096U}) {
    const double greatest = subject.dominance(n, 8, 0.9).upper;
    EXPECT_LT(greatest, before - 2 * integral_error_bound) << n << " keys";
    before = greatest;
    record_value("at_most_of_" + std::to_string(n), rounded_up(greatest, 2));
  }
  EXPECT_LT(subject.dominance(512, 8, 0.9).upper, 0.5 - integral_error_bound);
  EXPECT_LT(subject.dominance(512, 8, 0.99).upper, 0.2);
  enumerated(6);
  counterexample_without("head large for the number of keys");
}
KILLS("the upper bound is certainty", {.dominance = [](auto n, double b, double x) {
        return Bounds{memoized<dominance_bounds>(n, b, x).lower, 1};
      }});
KILLS("the number of keys is ignored", {.dominance = [](auto, double b, double x) {
        return memoized<dominance_bounds>(std::size_t{2}, b, x);
      }});

ASIDE(OneScoreDominates, RefusesWhatIsNoGapOrLevel) {
  expect_refusal<std::domain_error>([&] { subject.gap_tail(5, -0.5); });
  expect_refusal<std::domain_error>([&] { subject.gap_tail(1, 1); });
  expect_refusal<std::domain_error>([&] { subject.gap_tail(most_integrable_keys + 1, 1); });
  expect_refusal<std::domain_error>([&] { subject.small_gap(5, 0, 1); });
  expect_refusal<std::domain_error>([&] { subject.small_gap(5, 1, -1); });
  expect_refusal<std::domain_error>([&] { subject.dominance(5, 1, 1); });
  expect_refusal<std::domain_error>([&] { subject.dominance(5, 0, 0.9); });
  expect_refusal<std::domain_error>([&] { subject.two_key_dominance(1, 0.5); });
  expect_refusal<std::domain_error>([&] { subject.two_key_dominance(-1, 0.9); });
}
KILLS("a negative gap is accepted",
      {.gap_tail = [](auto n, double g) { return g < 0 ? 1 : memoized<top_gap_tail>(n, g); }});
KILLS("a level of one half is accepted", {.two_key_dominance = [](double b, double x) {
        return x == 0.5 ? 1 : two_key_dominance(b, x);
      }});
KILLS("a level of 1 is accepted", {.dominance = [](auto n, double b, double x) {
        return x == 1 ? Bounds{0, 0} : memoized<dominance_bounds>(n, b, x);
      }});
KILLS("a spread of 0 is accepted", {.small_gap = [](auto n, double b, double g) {
        return b == 0 ? 1 : memoized<small_gap_bound>(n, b, g);
      }});

}  // namespace sqrtdk::properties::OneScoreDominates
