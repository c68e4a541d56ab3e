// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/testing/memoized.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/statistics/checks.hpp>
#include <sqrtdk/testing/statistics/sample_size.hpp>
#include <sqrtdk/testing/statistics/streams.hpp>

#include "properties/trust/fixture.hpp"

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/uniform.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

namespace {

using namespace sqrtdk;
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
    {"α is divided by four",
     "NeverRejectsATrueProbabilityTooOften",
     {[](double p, const Count& count, double alpha) {
       return CountRules().rejects(p, count, alpha / 2);
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
  calibrate(count_check_keeps_its_odds_mutants, Counted::rejected, size,
            repetitions<CountCheck>(runs_to_see(size, size), n,
                                    [](Stream& stream) { return uniform(stream) < probability; }),
            count_rejected, [&](const Count&) { record_value("draws", std::to_string(n)); });
}

TEST(CountCheckKeepsItsOdds, MissesTheDeclaredEffectAsOftenAsItSays) {
  const std::size_t n = sample_size(count_check, rates, count_effect);
  const double missed = count_check.type_ii_error(n, rates.alpha, count_effect);
  // The larger probability has the larger variance and is missed more often.
  calibrate(count_check_keeps_its_odds_mutants, Counted::missed, missed,
            repetitions<CountCheck>(
                runs_to_see(missed, missed), n,
                [](Stream& stream) { return uniform(stream) < probability + count_effect; }),
            count_rejected);
}

//! [CountCheckKeepsItsOdds]
TEST(CountCheckKeepsItsOdds, NeverRejectsATrueProbabilityTooOften) {
  constexpr std::size_t largest = 20;
  check_with_mutants(count_check_keeps_its_odds_mutants, [](const CountRules& rules) {
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
        for (std::size_t x = l; x <= h; ++x) EXPECT_FALSE(rejects(x)) << x << " of " << n;
        const std::string where = "p = " + std::to_string(tenths) + "/10, n = " + std::to_string(n);
        EXPECT_LE(low, Rational(rates.alpha) / 2) << where;
        EXPECT_LE(high, Rational(rates.alpha) / 2) << where;
        EXPECT_GT(Rational(low + distribution[l]), Rational(rates.alpha) / 2)
            << where << ": one more would do";
        EXPECT_GT(Rational(high + distribution[h]), Rational(rates.alpha) / 2)
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
//! [CountCheckKeepsItsOdds]

//! [CountCheckKeepsItsOdds: the interval of Clopper and Pearson]
TEST(CountCheckKeepsItsOdds, RejectsWhatTheClopperPearsonIntervalExcludes) {
  using boost::math::binomial;
  check_with_mutants(count_check_keeps_its_odds_mutants, [](const CountRules& rules) {
    for (int tenths = 1; tenths < 10; ++tenths)
      for (std::size_t n = 1; n <= 20; ++n)
        for (std::size_t x = 0; x <= n; ++x) {
          const double p = tenths / 10.0;
          const auto trials = static_cast<double>(n);
          const auto successes = static_cast<double>(x);
          const double low = binomial::find_lower_bound_on_p(trials, successes, rates.alpha / 2);
          const double high = binomial::find_upper_bound_on_p(trials, successes, rates.alpha / 2);
          EXPECT_EQ(rules.rejects(p, {x, n}, rates.alpha), p <= low || p >= high)
              << x << " of " << n << " for p = " << p;
          enumerated(1);
        }
  });
}
//! [CountCheckKeepsItsOdds: the interval of Clopper and Pearson]

TEST(CountCheckKeepsItsOdds, CopiesOfOneTrialBreakTheOdds) {
  check_with_mutants(count_check_keeps_its_odds_mutants, [](const CountRules& rules) {
    EXPECT_TRUE(rules.rejects(probability, {20, 20}, rates.alpha)) << "has probability 3/10";
    EXPECT_TRUE(rules.rejects(probability, {0, 20}, rates.alpha)) << "has probability 7/10";
    enumerated(2);
    counterexample_without("independent");
  });
}

}  // namespace
