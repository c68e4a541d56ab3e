#include "properties/trust/fixture.hpp"

namespace sqrtdk::properties::VarianceCheckKeepsItsOdds {

struct Subject {
  bool (*rejects)(const Sample&, double alpha) = [](const Sample& sample, double alpha) {
    return sqrtdk::testing::result_of_test(VarianceCheck(standard), sample, {alpha, rates.beta}, 2)
        .rejected;
  };
  double (*statistic)(const normal&, const Sample&) = [](const normal& distribution,
                                                         const Sample& sample) {
    return VarianceCheck(distribution).statistic(sample);
  };
  double (*divisor)(const Sample& key) = [](const Sample& key) {
    double sum = 0;
    for (const double entry : key) sum += entry * entry;
    return std::sqrt(sum);
  };
};

bool variance_rejected(const Subject& subject, const Sample& sample) {
  return subject.rejects(sample, rates.alpha);
}

constexpr double variance_effect = 2;

/// As Subject, with the statistic's distance from its mean n stretched and α multiplied.
template <int square_of_stretch, int square_of_shrink, int times_alpha>
bool stretched_variance(const Sample& sample, double alpha) {
  const VarianceCheck check(standard);
  const double factor =
      std::sqrt(static_cast<double>(square_of_stretch) / static_cast<double>(square_of_shrink));
  const auto n = static_cast<double>(sample.size());
  const double stretched = std::max(0.0, n + (check.statistic(sample) - n) * factor);
  return check.p_value(stretched, sample.size()) <= times_alpha * alpha;
}

//! [VarianceCheckKeepsItsOdds]
STATEMENT(VarianceCheckKeepsItsOdds, RejectsATrueDistributionAsOftenAsItSays) {
  const std::size_t n = sample_size(variance_check, rates, variance_effect);
  static auto samples =
      repetitions<VarianceCheck>(runs_to_see(rates.alpha, rates.alpha), n,
                                 [](Stream& stream) { return draw(standard, stream); });
  calibrate(subject, Counted::rejected, rates.alpha, samples, variance_rejected);
  record_value("draws", std::to_string(n));
}
//! [VarianceCheckKeepsItsOdds]
KILLS("the threshold is √2 too near", {.rejects = stretched_variance<2, 1, 1>});
KILLS("α is not divided between the two sides", {.rejects = stretched_variance<1, 1, 2>});

STATEMENT(VarianceCheckKeepsItsOdds, MissesTheDeclaredEffectAsOftenAsItSays) {
  const std::size_t n = sample_size(variance_check, rates, variance_effect);
  const double missed = variance_check.type_ii_error(n, rates.alpha, variance_effect);
  // A variance twice as large is missed more often than one half as large.
  static auto samples = repetitions<VarianceCheck>(
      runs_to_see(missed, missed), n,
      [](Stream& stream) { return std::sqrt(variance_effect) * draw(standard, stream); });
  calibrate(subject, Counted::missed, missed, samples, variance_rejected);
}
KILLS("the threshold is √2 too far out", {.rejects = stretched_variance<1, 2, 1>});

//! [VarianceCheckKeepsItsOdds: units]
ASIDE(VarianceCheckKeepsItsOdds, TheUnitsOfTheDrawsDoNotMatter) {
  for_all([&] {
    const DrawsInUnits draws = draws_in_units();
    Rational squares = 0;
    for (const double z : draws.standard) squares += Rational(z) * Rational(z);
    EXPECT_EXACTLY(Rational(subject.statistic(draws.distribution, draws.drawn)) == squares);
  });
}
//! [VarianceCheckKeepsItsOdds: units]
KILLS("the variance about 0", {.statistic = [](auto& distribution, auto& sample) {
        return VarianceCheck(normal(0, distribution.standard_deviation())).statistic(sample);
      }});
KILLS("squares are divided by the deviation", {.statistic = [](auto& distribution, auto& sample) {
        return VarianceCheck(distribution).statistic(sample) * distribution.standard_deviation();
      }});

STATEMENT(VarianceCheckKeepsItsOdds, GivenTheKeysScoresAreSuchDraws) {
  // At d = 2 a score over √d has variance 1, but is rejected about fifteen times too often.
  constexpr double effect = 0.125;
  const std::size_t n = sample_size(variance_check, rates, variance_effect);
  const auto score = [&](Stream& stream) {
    const Sample query{draw(standard, stream), draw(standard, stream)};
    const Sample key{draw(standard, stream), draw(standard, stream)};
    return (query[0] * key[0] + query[1] * key[1]) / subject.divisor(key);
  };
  auto samples = repetitions<VarianceCheck>(runs_to_see(rates.alpha, effect), n, score);
  expect_count("rejected",
               samples.rejected([&](const Sample& s) { return variance_rejected(subject, s); }),
               rates.alpha);
}
KILLS("scores are divided by √d in place of the key's length",
      {.divisor = [](auto& key) { return std::sqrt(static_cast<double>(key.size())); }});
KILLS("scores are divided by the squared length of the key", {.divisor = [](auto& key) {
        double sum = 0;
        for (const double entry : key) sum += entry * entry;
        return sum;
      }});

ASIDE(VarianceCheckKeepsItsOdds, DistributionsThatAreNotNormalBreakTheOdds) {
  // ±2 with probability ⅛ each, else 0: mean 0, variance 1, and a draw of 0 is three in four.
  EXPECT_EXACTLY(subject.rejects({0}, rates.alpha));
  enumerated(1);
  counterexample_without("normal");
}
KILLS("only variances that are too large are rejected", {.rejects = [](auto& sample, double alpha) {
        const VarianceCheck check(standard);
        const double t = check.statistic(sample);
        return t > static_cast<double>(sample.size()) && check.p_value(t, sample.size()) <= alpha;
      }});

ASIDE(VarianceCheckKeepsItsOdds, AQueryThatIsItsOwnKeyHasNoNegativeScore) {
  const Sample key{3, 4};
  for (const int sign : {1, -1}) {
    const Sample query{3.0 * sign, 4.0 * sign};
    const auto score = [&](const Sample& k) {
      return Rational((query[0] * k[0] + query[1] * k[1]) / subject.divisor(k));
    };
    EXPECT_EXACTLY(score(key) == 5 * sign);
    EXPECT_EXACTLY(score(query) == 5);
  }
  enumerated(2);
  counterexample_without("independent keys");
}
KILLS("scores are divided by the key's largest entry", {.divisor = [](auto& key) {
        double largest = 0;
        for (const double entry : key) largest = std::max(largest, std::abs(entry));
        return largest;
      }});

ASIDE(VarianceCheckKeepsItsOdds, CopiesOfOneDrawBreakTheOdds) {
  expect_copies_rejected([&](const Sample& s) { return subject.rejects(s, rates.alpha); });
}
KILLS("nothing is rejected", {.rejects = [](auto&, double) { return false; }});

}  // namespace sqrtdk::properties::VarianceCheckKeepsItsOdds
