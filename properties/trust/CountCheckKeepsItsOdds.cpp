// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/numbers/interval.hpp>
#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/testing/memoized.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>
#include <sqrtdk/testing/statistics/checks.hpp>
#include <sqrtdk/testing/statistics/run_test.hpp>
#include <sqrtdk/testing/statistics/sample_size.hpp>
#include <sqrtdk/testing/statistics/streams.hpp>

#include "properties/trust/fixture.hpp"

#include <boost/math/distributions/uniform.hpp>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace sqrtdk::properties::CountCheckKeepsItsOdds {

using namespace sqrtdk::testing;

constexpr double probability = 0.3;
constexpr double count_effect = 0.15;
const CountCheck count_check{probability};

/// Whether a count is rejected.
struct CountRules {
  bool (*rejects)(double p, const Count&, double alpha) = [](double p, const Count& count,
                                                             double alpha) {
    const CountCheck check(p);
    return check.p_value(check.statistic(count), count.trials) <= alpha;
  };
  /// Whether a count of so many trials is taken by a check that has to see an effect.
  bool (*takes)(const CountCheck&, std::size_t n, DetectableEffect) =
      [](const CountCheck& check, std::size_t n, DetectableEffect effect) {
        try {
          run_test(check, {0, n}, rates.alpha, effect);
        } catch (const std::invalid_argument&) {
          return false;
        }
        return true;
      };
};

/// As CountRules, with the count's distance from its mean stretched and α multiplied.
template <int square_of_stretch, int square_of_shrink, int times_alpha>
bool stretched_count(double p, const Count& count, double alpha) {
  const double factor =
      std::sqrt(static_cast<double>(square_of_stretch) / static_cast<double>(square_of_shrink));
  const auto n = static_cast<double>(count.trials);
  const double stretched = n * p + (static_cast<double>(count.successes) - n * p) * factor;
  return CountCheck(p).p_value(std::clamp(std::round(stretched), 0.0, n), count.trials) <=
         times_alpha * alpha;
}

const std::vector<Mutant<CountRules>> count_check_keeps_its_odds_mutants = {
    {"the threshold is √2 too far out",
     "MissesTheDeclaredEffectAsOftenAsItSays",
     {stretched_count<1, 2, 1>}},
    {"the threshold is √2 too near", "RejectsATrueLawAsOftenAsItSays", {stretched_count<2, 1, 1>}},
    {"α is not divided between the two sides",
     "NeverRejectsATrueProbabilityTooOften",
     {stretched_count<1, 1, 2>}},
    {"the count itself is left out of its tail",
     "RejectsWhatTheClopperPearsonIntervalExcludes",
     {[](double p, const Count& count, double alpha) {
       const CountCheck check(p);
       const auto x = static_cast<double>(count.successes);
       const auto n = static_cast<double>(count.trials);
       return (x > 0 && check.p_value(x - 1, count.trials) <= alpha && x < n * p) ||
              (x < n && check.p_value(x + 1, count.trials) <= alpha && x > n * p);
     }}},
    {"α is not divided between the two sides, seen at other sizes and rates",
     "ItsSizeIsAtMostAlpha",
     {stretched_count<1, 1, 2>}},
    {"α is divided by four",
     "NeverRejectsATrueProbabilityTooOften",
     {[](double p, const Count& count, double alpha) {
       return CountRules().rejects(p, count, alpha / 2);
     }}},
    {"as many trials as suffice, or any number beyond, are taken",
     "MoreTrialsMayMissMore",
     {.takes =
          [](const CountCheck& check, std::size_t n, DetectableEffect effect) {
            return n >= sample_size(check, {rates.alpha, effect.beta}, effect.effect);
          }}},
    {"only counts that are too small are rejected",
     "CopiesOfOneTrialBreakTheOdds",
     {[](double p, const Count& count, double alpha) {
       return static_cast<double>(count.successes) < static_cast<double>(count.trials) * p &&
              CountRules().rejects(p, count, alpha);
     }}},
};

bool count_rejected(const CountRules& rules, const Count& count) {
  return rules.rejects(probability, count, rates.alpha);
}

TEST(CountCheckKeepsItsOdds, RejectsATrueLawAsOftenAsItSays) {
  const std::size_t n = sample_size(count_check, rates, count_effect);
  const double size = count_check.size(n, rates.alpha);
  auto samples = repetitions<CountCheck>(
      runs_to_see(size, size), n, [](Stream& stream) { return uniform(stream) < probability; });
  check_with_mutants(count_check_keeps_its_odds_mutants, [&](const CountRules& rules) {
    calibrate(rules, Counted::rejected, size, samples, count_rejected);
    record_value("draws", std::to_string(n));
  });
}

TEST(CountCheckKeepsItsOdds, MissesTheDeclaredEffectAsOftenAsItSays) {
  const std::size_t n = sample_size(count_check, rates, count_effect);
  const double missed = count_check.type_ii_error(n, rates.alpha, count_effect);
  // The larger probability has the larger variance and is missed more often.
  auto samples = repetitions<CountCheck>(runs_to_see(missed, missed), n, [](Stream& stream) {
    return uniform(stream) < probability + count_effect;
  });
  check_with_mutants(count_check_keeps_its_odds_mutants, [&](const CountRules& rules) {
    calibrate(rules, Counted::missed, missed, samples, count_rejected);
  });
}

//! [CountCheckKeepsItsOdds]
TEST(CountCheckKeepsItsOdds, ItsSizeIsAtMostAlpha) {
  check_statement(count_check_keeps_its_odds_mutants, [](const CountRules& rules) {
    for_all([&] {
      const auto n = *rc::gen::inRange<std::size_t>(1, 21).as("number of trials");
      const Rational p(*rc::gen::inRange(1, 64).as("64 p"), 64);
      const double alpha = std::exp2(-*rc::gen::inRange(1, 13).as("−log₂ α"));
      const std::vector<Rational>& distribution = memoized<binomial_probabilities>(n, p);
      Rational rejected = 0;
      for (std::size_t x = 0; x <= n; ++x)
        if (rules.rejects(p.convert_to<double>(), {x, n}, alpha)) rejected += distribution[x];
      EXPECT_EXACTLY(rejected <= Rational(alpha));
    });
  });
}
//! [CountCheckKeepsItsOdds]

//! [CountCheckKeepsItsOdds: exact check]
TEST(CountCheckKeepsItsOdds, NeverRejectsATrueProbabilityTooOften) {
  constexpr std::size_t largest = 20;
  check_statement(count_check_keeps_its_odds_mutants, [](const CountRules& rules) {
    Rational most = 0;
    for (int tenths = 1; tenths < 10; ++tenths)
      for (std::size_t n = 1; n <= largest; ++n) {
        const std::vector<Rational>& distribution =
            memoized<binomial_probabilities>(n, Rational(tenths, 10));
        const auto rejects = [&](std::size_t x) {
          return rules.rejects(tenths / 10.0, {x, n}, rates.alpha);
        };
        // The counts that are rejected as too small and as too large, and the next one of each.
        Rational low = 0;
        Rational high = 0;
        std::size_t l = 0;
        std::size_t h = n;
        for (; l <= n && rejects(l); ++l) low += distribution[l];
        for (; h > l && rejects(h); --h) high += distribution[h];
        for (std::size_t x = l; x <= h; ++x) EXPECT_EXACTLY(!rejects(x)) << x << " of " << n;
        const std::string where = "p = " + std::to_string(tenths) + "/10, n = " + std::to_string(n);
        EXPECT_EXACTLY(low <= Rational(rates.alpha) / 2) << where;
        EXPECT_EXACTLY(high <= Rational(rates.alpha) / 2) << where;
        EXPECT_EXACTLY(Rational(low + distribution[l]) > Rational(rates.alpha) / 2)
            << where << ": one more would do";
        EXPECT_EXACTLY(Rational(high + distribution[h]) > Rational(rates.alpha) / 2)
            << where << ": one more would do";
        most = std::max<Rational>(most, low + high);
        if (tenths == 3 && n == 12) {
          record_value("size_at_12",
                       format_significant(Rational(low + high).convert_to<double>(), 2));
          record_value(
              "larger_at_12",
              format_significant(Rational(low + high + distribution[l]).convert_to<double>(), 3));
        }
        enumerated(1);
      }
    record_value("most", format_significant(most.convert_to<double>(), 4));
  });
}
//! [CountCheckKeepsItsOdds: exact check]

/// The p at which so many successes or fewer have probability α/2, x < n: the upper end of the
/// interval of Clopper and Pearson. Enclosed by two fractions, or found.
Interval<Rational> upper_end(std::size_t n, std::size_t x) {
  Interval<Rational> end{0, 1};
  while (end.upper - end.lower > Rational(1, 1 << 16)) {
    const Rational middle = (end.lower + end.upper) / 2;
    const std::vector<Rational> distribution = binomial_probabilities(n, middle);
    Rational tail = 0;
    for (std::size_t i = 0; i <= x; ++i) tail += distribution[i];
    if (tail == Rational(rates.alpha) / 2) return {middle, middle};
    (tail > Rational(rates.alpha) / 2 ? end.lower : end.upper) = middle;
  }
  return end;
}

/// Whether the interval of Clopper and Pearson excludes p, or has it for an end.
bool excludes(const Rational& p, const Count& count) {
  const auto [x, n] = count;
  const auto reaches = [](const Rational& q, const Interval<Rational>& end) {
    EXPECT_EXACTLY(!(end.lower < q && q < end.upper)) << q << " is too near to an end";
    return q >= end.upper;
  };
  return (x < n && reaches(p, memoized<upper_end>(n, x))) ||
         (x > 0 && reaches(1 - p, memoized<upper_end>(n, n - x)));
}

//! [CountCheckKeepsItsOdds: the interval of Clopper and Pearson]
TEST(CountCheckKeepsItsOdds, RejectsWhatTheClopperPearsonIntervalExcludes) {
  check_statement(count_check_keeps_its_odds_mutants, [](const CountRules& rules) {
    for (int tenths = 1; tenths < 10; ++tenths)
      for (std::size_t n = 1; n <= 20; ++n)
        for (std::size_t x = 0; x <= n; ++x) {
          const double p = tenths / 10.0;
          EXPECT_EXACTLY(rules.rejects(p, {x, n}, rates.alpha) == excludes(Rational(p), {x, n}))
              << x << " of " << n << " for p = " << p;
          enumerated(1);
        }
    // 0 and 1 are ends as well, of no successes and of nothing else; near them all is accepted.
    for (std::size_t n = 1; n <= 20; ++n) {
      EXPECT_EXACTLY(!rules.rejects(0x1p-40, {0, n}, rates.alpha)) << n;
      EXPECT_EXACTLY(!rules.rejects(1 - 0x1p-40, {n, n}, rates.alpha)) << n;
      enumerated(2);
    }
  });
}
//! [CountCheckKeepsItsOdds: the interval of Clopper and Pearson]

/// The larger probability, under p − δ and p + δ, of the counts that are not rejected.
Rational exact_miss(const CountRules& rules, std::size_t n) {
  Rational most = 0;
  for (const double truth : {probability - count_effect, probability + count_effect}) {
    const std::vector<Integer> weights = memoized<binomial_weights>(n, Rational(truth));
    Integer missed = 0;
    for (std::size_t x = 0; x <= n; ++x)
      if (!rules.rejects(probability, {x, n}, rates.alpha)) missed += weights[x];
    most = std::max(most,
                    Rational(missed, pow(denominator(Rational(truth)), static_cast<unsigned>(n))));
  }
  return most;
}

TEST(CountCheckKeepsItsOdds, MoreTrialsMayMissMore) {
  const std::size_t enough = sample_size(count_check, rates, count_effect);
  check_with_mutants(count_check_keeps_its_odds_mutants, [&](const CountRules& rules) {
    bool falls = true;
    for (std::size_t n = enough - 4; n <= enough + 4; ++n) {
      const bool sees = exact_miss(rules, n) <= Rational(rates.beta);
      EXPECT_EXACTLY(rules.takes(count_check, n, {count_effect, rates.beta}) == sees)
          << n << " trials";
      falls = falls && sees == (n >= enough);
      enumerated(1);
    }
    EXPECT_EXACTLY(!falls);
    record_value("enough", std::to_string(enough));
    record_value("missed_by_one_more",
                 format_significant(exact_miss(rules, enough + 1).convert_to<double>(), 3));
  });
}

TEST(CountCheckKeepsItsOdds, CopiesOfOneTrialBreakTheOdds) {
  check_with_mutants(count_check_keeps_its_odds_mutants, [](const CountRules& rules) {
    EXPECT_EXACTLY(rules.rejects(probability, {20, 20}, rates.alpha)) << "has probability 3/10";
    EXPECT_EXACTLY(rules.rejects(probability, {0, 20}, rates.alpha)) << "has probability 7/10";
    enumerated(2);
    counterexample_without("independent");
  });
}

}  // namespace sqrtdk::properties::CountCheckKeepsItsOdds
