#include "properties/trust/fixture.hpp"

namespace sqrtdk::properties::MeanCheckKeepsItsOdds {

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

struct Subject {
  bool (*rejects)(const Sample&, double alpha) = [](const Sample& sample, double alpha) {
    return sqrtdk::testing::result_of_test(MeanCheck(standard), sample, {alpha, rates.beta}, 1)
        .rejected;
  };
  double (*statistic)(const normal&, const Sample&) = [](const normal& distribution,
                                                         const Sample& sample) {
    return MeanCheck(distribution).statistic(sample);
  };
};

bool mean_rejected(const Subject& subject, const Sample& sample) {
  return subject.rejects(sample, rates.alpha);
}

constexpr double mean_effect = 0.5;

/// As Subject, with the statistic stretched and α multiplied.
template <int square_of_stretch, int square_of_shrink, int times_alpha>
bool stretched_mean(const Sample& sample, double alpha) {
  const MeanCheck check(standard);
  const double factor =
      std::sqrt(static_cast<double>(square_of_stretch) / static_cast<double>(square_of_shrink));
  return check.p_value(factor * check.statistic(sample), sample.size()) <= times_alpha * alpha;
}

//! [MeanCheckKeepsItsOdds]
STATEMENT(MeanCheckKeepsItsOdds, RejectsATrueDistributionAsOftenAsItSays) {
  const std::size_t n = sample_size(mean_check, rates, mean_effect);
  static auto samples =
      repetitions<MeanCheck>(runs_to_see(rates.alpha, rates.alpha), n,
                             [](Stream& stream) { return draw(standard, stream); });
  const Count alarms = calibrate(subject, Counted::rejected, rates.alpha, samples, mean_rejected);
  record_value("draws", std::to_string(n));
  record_accepted(alarms, rates.alpha);
}
//! [MeanCheckKeepsItsOdds]
KILLS("the threshold is √2 too small", {.rejects = stretched_mean<2, 1, 1>});
KILLS("α is not divided between the two sides", {.rejects = stretched_mean<1, 1, 2>});

STATEMENT(MeanCheckKeepsItsOdds, MissesTheDeclaredEffectAsOftenAsItSays) {
  const std::size_t n = sample_size(mean_check, rates, mean_effect);
  const double missed = mean_check.type_ii_error(n, rates.alpha, mean_effect);
  static auto samples = repetitions<MeanCheck>(runs_to_see(missed, missed), n, [](Stream& stream) {
    return draw(standard, stream) - mean_effect;
  });
  calibrate(subject, Counted::missed, missed, samples, mean_rejected);
}
KILLS("the threshold is √2 too large", {.rejects = stretched_mean<1, 2, 1>});

//! [MeanCheckKeepsItsOdds: units]
ASIDE(MeanCheckKeepsItsOdds, TheUnitsOfTheDrawsDoNotMatter) {
  for_all([&] {
    const DrawsInUnits draws = draws_in_units();
    const double sum = std::accumulate(draws.standard.begin(), draws.standard.end(), 0.0);
    EXPECT_EXACTLY(bits_of(subject.statistic(draws.distribution, draws.drawn)) ==
                   bits_of(sum / std::sqrt(static_cast<double>(draws.drawn.size()))));
  });
}
//! [MeanCheckKeepsItsOdds: units]
KILLS("the distribution's mean is added", {.statistic = [](auto& distribution, auto& sample) {
        return MeanCheck(normal(-distribution.mean(), distribution.standard_deviation()))
            .statistic(sample);
      }});
KILLS("the variance is taken for the deviation",
      {.statistic = [](auto& distribution, auto& sample) {
        return MeanCheck(distribution).statistic(sample) / distribution.standard_deviation();
      }});

ASIDE(MeanCheckKeepsItsOdds, DistributionsThatAreNotNormalBreakTheOdds) {
  for (const double sign : {-1.0, 1.0}) EXPECT_EXACTLY(subject.rejects({sign}, 0.5)) << sign;
  enumerated(2);
  counterexample_without("normal");
}
KILLS("the threshold is twice too large", {.rejects = stretched_mean<1, 4, 1>});

ASIDE(MeanCheckKeepsItsOdds, CopiesOfOneDrawBreakTheOdds) {
  expect_copies_rejected([&](const Sample& s) { return subject.rejects(s, rates.alpha); });
}
KILLS("nothing is rejected", {.rejects = [](auto&, double) { return false; }});

}  // namespace sqrtdk::properties::MeanCheckKeepsItsOdds
