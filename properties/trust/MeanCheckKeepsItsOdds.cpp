// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/exact_types.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>
#include <sqrtdk/testing/statistics/checks.hpp>
#include <sqrtdk/testing/statistics/sample_size.hpp>
#include <sqrtdk/testing/statistics/streams.hpp>

#include "properties/trust/fixture.hpp"

#include <boost/math/distributions/normal.hpp>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

namespace sqrtdk::properties::MeanCheckKeepsItsOdds {

using namespace sqrtdk::testing;

/// Publishes the counts that the check of a probability accepts: the judge of the page.
void record_accepted(const Count& count, double stated) {
  const CountCheck check(stated);
  const auto rejects = [&](std::size_t x) {
    return check.p_value(static_cast<double>(x), count.trials) <= strict.alpha;
  };
  const double mean = stated * static_cast<double>(count.trials);
  std::size_t least = static_cast<std::size_t>(mean);
  std::size_t most = least;
  while (least > 0 && !rejects(least - 1)) --least;
  while (most < count.trials && !rejects(most + 1)) ++most;
  record_value("expected", format_significant(mean, 3));
  record_value("least", std::to_string(least));
  record_value("most", std::to_string(most));
}

/// Whether a sample of N(0, 1) is rejected, and the statistic for any normal distribution; a mutant
/// decides otherwise.
struct MeanRules {
  bool (*rejects)(const Sample&, double alpha) = [](const Sample& sample, double alpha) {
    return sqrtdk::testing::result_of_test(MeanCheck(standard), sample, {alpha, rates.beta}, 1)
        .rejected;
  };
  double (*statistic)(const normal&, const Sample&) = [](const normal& distribution,
                                                         const Sample& sample) {
    return MeanCheck(distribution).statistic(sample);
  };
};

/// As MeanRules, with the statistic stretched and α multiplied.
template <int square_of_stretch, int square_of_shrink, int times_alpha>
bool stretched_mean(const Sample& sample, double alpha) {
  const MeanCheck check(standard);
  const double factor =
      std::sqrt(static_cast<double>(square_of_stretch) / static_cast<double>(square_of_shrink));
  return check.p_value(factor * check.statistic(sample), sample.size()) <= times_alpha * alpha;
}

const std::vector<Mutant<MeanRules>> mean_check_keeps_its_odds_mutants = {
    {"the threshold is √2 too large",
     "MissesTheDeclaredEffectAsOftenAsItSays",
     {.rejects = stretched_mean<1, 2, 1>}},
    {"the threshold is √2 too small",
     "RejectsATrueLawAsOftenAsItSays",
     {.rejects = stretched_mean<2, 1, 1>}},
    {"α is not divided between the two sides",
     "RejectsATrueLawAsOftenAsItSays",
     {.rejects = stretched_mean<1, 1, 2>}},
    {"the threshold is twice too large",
     "LawsThatAreNotNormalBreakTheOdds",
     {.rejects = stretched_mean<1, 4, 1>}},
    {"the law's mean is added",
     "TheUnitsOfTheDrawsDoNotMatter",
     {.statistic =
          [](const normal& distribution, const Sample& sample) {
            return MeanCheck(normal(-distribution.mean(), distribution.standard_deviation()))
                .statistic(sample);
          }}},
    {"the variance is taken for the deviation",
     "TheUnitsOfTheDrawsDoNotMatter",
     {.statistic =
          [](const normal& distribution, const Sample& sample) {
            return MeanCheck(distribution).statistic(sample) / distribution.standard_deviation();
          }}},
    {"nothing is rejected",
     "CopiesOfOneDrawBreakTheOdds",
     {.rejects = [](const Sample&, double) { return false; }}},
};

bool mean_rejected(const MeanRules& rules, const Sample& sample) {
  return rules.rejects(sample, rates.alpha);
}

constexpr double mean_effect = 0.5;

//! [MeanCheckKeepsItsOdds]
TEST(MeanCheckKeepsItsOdds, RejectsATrueLawAsOftenAsItSays) {
  const std::size_t n = sample_size(mean_check, rates, mean_effect);
  auto samples = repetitions<MeanCheck>(runs_to_see(rates.alpha, rates.alpha), n,
                                        [](Stream& stream) { return draw(standard, stream); });
  check_statement(mean_check_keeps_its_odds_mutants, [&](const MeanRules& rules) {
    const Count alarms = calibrate(rules, Counted::rejected, rates.alpha, samples, mean_rejected);
    record_value("draws", std::to_string(n));
    record_accepted(alarms, rates.alpha);
  });
}
//! [MeanCheckKeepsItsOdds]

TEST(MeanCheckKeepsItsOdds, MissesTheDeclaredEffectAsOftenAsItSays) {
  const std::size_t n = sample_size(mean_check, rates, mean_effect);
  const double missed = mean_check.type_ii_error(n, rates.alpha, mean_effect);
  auto samples = repetitions<MeanCheck>(runs_to_see(missed, missed), n, [](Stream& stream) {
    return draw(standard, stream) - mean_effect;
  });
  check_statement(mean_check_keeps_its_odds_mutants, [&](const MeanRules& rules) {
    calibrate(rules, Counted::missed, missed, samples, mean_rejected);
  });
}

//! [MeanCheckKeepsItsOdds: units]
TEST(MeanCheckKeepsItsOdds, TheUnitsOfTheDrawsDoNotMatter) {
  check_with_mutants(mean_check_keeps_its_odds_mutants, [](const MeanRules& rules) {
    for_all([&] {
      const DrawsInUnits draws = draws_in_units();
      const double sum = std::accumulate(draws.standard.begin(), draws.standard.end(), 0.0);
      EXPECT_EXACTLY(bits_of(rules.statistic(draws.distribution, draws.drawn)) ==
                     bits_of(sum / std::sqrt(static_cast<double>(draws.drawn.size()))));
    });
  });
}
//! [MeanCheckKeepsItsOdds: units]

TEST(MeanCheckKeepsItsOdds, LawsThatAreNotNormalBreakTheOdds) {
  check_with_mutants(mean_check_keeps_its_odds_mutants, [](const MeanRules& rules) {
    for (const double sign : {-1.0, 1.0}) EXPECT_EXACTLY(rules.rejects({sign}, 0.5)) << sign;
    enumerated(2);
    counterexample_without("normal");
  });
}

TEST(MeanCheckKeepsItsOdds, CopiesOfOneDrawBreakTheOdds) {
  check_with_mutants(mean_check_keeps_its_odds_mutants, [](const MeanRules& rules) {
    expect_copies_rejected([&](const Sample& s) { return rules.rejects(s, rates.alpha); });
  });
}

}  // namespace sqrtdk::properties::MeanCheckKeepsItsOdds
