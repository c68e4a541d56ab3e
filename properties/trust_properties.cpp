// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief The tests of the tests: does each statistical check reject as often as it says?
///
/// Four checks run many times on draws of their own law, and as often on draws of a law that is
/// wrong by the declared effect. Both counts are binomial with probabilities that are known, so a
/// judge, itself a check, judges them. The odds of the others are computed exactly. Mutants are
/// thresholds that are wrong by √2 and similar slips.
///
/// How often is computed: just often enough to see the nearest mutant. SQRTDK_CALIBRATION_RUNS, a
/// compile definition, asks for more; the target `calibration` sets it to 20000.
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/testing/expect_draws.hpp>
#include <sqrtdk/testing/memoized.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/judging.hpp>
#include <sqrtdk/testing/reporting/ledger.hpp>
#include <sqrtdk/testing/reporting/printed.hpp>
#include <sqrtdk/testing/statistics/e_process.hpp>
#include <sqrtdk/testing/statistics/intervals.hpp>
#include <sqrtdk/testing/statistics/number_text.hpp>
#include <sqrtdk/testing/statistics/sign_test.hpp>

#include <Eigen/Core>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/negative_binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/poisson.hpp>
#include <boost/math/distributions/uniform.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <boost/math/tools/minima.hpp>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#ifndef SQRTDK_CALIBRATION_RUNS
#define SQRTDK_CALIBRATION_RUNS 0
#endif

namespace {

using namespace sqrtdk;
using namespace sqrtdk::testing;
using boost::math::normal;
using Sample = std::vector<double>;

/// The odds at which each check is calibrated.
constexpr Odds odds{0x1p-6, 0x1p-6};

/// The odds of the check that judges the calibration.
constexpr Odds strict{0x1p-30, 0x1p-30};

/// How often to run something that happens with this probability, so that a probability wrong by
/// `effect` is seen at the strict odds; at least SQRTDK_CALIBRATION_RUNS times.
std::size_t runs_to_see(double probability, double effect) {
  constexpr std::size_t at_least = SQRTDK_CALIBRATION_RUNS;
  return std::max(at_least, sample_size(CountCheck(probability), strict, effect));
}

/// How often to run something that happens with probability `truth`, so that no count agrees both
/// with that and with the smaller probability that is `stated`: a count that contradicts neither
/// the truth nor what is stated fails the running test.
std::size_t runs_to_tell_apart(double stated, double truth) {
  constexpr std::size_t at_least = SQRTDK_CALIBRATION_RUNS;
  const CountCheck as_stated(stated);
  const CountCheck in_truth(truth);
  // The counts that agree with what is stated have probability α/2 at most, so that each of them
  // lies in the lower tail that a check of the truth rejects.
  const Odds half{strict.alpha, strict.alpha / 2};
  const std::size_t runs = std::max(at_least, sample_size(as_stated, half, truth - stated));
  for (std::size_t x = 0; x <= runs; ++x) {
    const auto count = static_cast<double>(x);
    EXPECT_TRUE(as_stated.p_value(count, runs) <= strict.alpha ||
                in_truth.p_value(count, runs) <= strict.alpha)
        << x << " of " << runs << " agrees with both";
  }
  return runs;
}

/// Samples of n observations each, drawn once for the library and once for all mutants, which get
/// the same numbers anyway.
template <class Check, class Sampler>
class Repetitions {
 public:
  Repetitions(std::size_t runs, std::size_t n, Sampler sampler)
      : runs_(runs), n_(n), sampler_(sampler) {}

  /// How many of the samples are rejected.
  template <class Rejects>
  Count rejected(Rejects rejects) {
    Stream stream = next_stream();
    auto& samples = samples_[active_seed()];
    for (std::size_t run = samples.size(); run < runs_; ++run)
      samples.push_back(observe<Check>(n_, sampler_, stream));
    Count count{0, runs_};
    for (const auto& sample : samples) count.successes += rejects(sample) ? 1 : 0;
    return count;
  }

 private:
  std::size_t runs_;
  std::size_t n_;
  Sampler sampler_;
  std::map<std::uint64_t, std::vector<typename Check::Observations>> samples_;
};

template <class Check, class Sampler>
Repetitions<Check, Sampler> repetitions(std::size_t runs, std::size_t n, Sampler sampler) {
  return {runs, n, sampler};
}

/// Keeps a count as data that a page can quote.
void publish_count(const std::string& what, const Count& count, double stated) {
  publish("runs", std::to_string(count.trials));
  publish(what, std::to_string(count.successes));
  publish("rate",
          digits(static_cast<double>(count.successes) / static_cast<double>(count.trials), 4));
  publish("stated", digits(stated, 4));
}

/// Expects a count that its law says is binomial with this probability; this check is the judge.
void expect_count(const std::string& what, const Count& count, double probability) {
  publish_count(what, count, probability);
  expect_sample(CountCheck(probability), count);
}

/// Publishes the counts that the judge of a probability accepts.
void publish_accepted(const Count& count, double probability) {
  const CountCheck judge(probability);
  const auto rejects = [&](std::size_t x) {
    return judge.p_value(static_cast<double>(x), count.trials) <= strict.alpha;
  };
  const double mean = probability * static_cast<double>(count.trials);
  std::size_t least = static_cast<std::size_t>(mean);
  std::size_t most = least;
  while (least > 0 && !rejects(least - 1)) --least;
  while (most < count.trials && !rejects(most + 1)) ++most;
  publish("expected", digits(mean, 3));
  publish("least", std::to_string(least));
  publish("most", std::to_string(most));
}

Count others(const Count& count) { return {count.trials - count.successes, count.trials}; }

/// Which of the samples are counted.
enum class Counted { rejected, missed };

/// Expects that, of samples of n draws each, as many are rejected or missed as a law says.
/// \tparam Rules   what a check does: that of the library by default, another for each mutant.
/// \param samples     the Repetitions.
/// \param probability with which one sample is counted.
/// \param rejects     whether `rules` reject a sample: a callable `bool(const Rules&, sample)`.
/// \param note        a callable that publishes more about the count.
template <class Rules, class Samples, class Rejects, class Note>
void calibrate(const std::vector<Mutant<Rules>>& mutants, Counted counted, double probability,
               Samples samples, Rejects rejects, Note note) {
  judge(mutants, [&](const Rules& rules) {
    const Count rejected =
        samples.rejected([&](const auto& sample) { return rejects(rules, sample); });
    const Count count = counted == Counted::rejected ? rejected : others(rejected);
    expect_count(counted == Counted::rejected ? "rejected" : "missed", count, probability);
    note(count);
  });
}

template <class Rules, class Samples, class Rejects>
void calibrate(const std::vector<Mutant<Rules>>& mutants, Counted counted, double probability,
               Samples samples, Rejects rejects) {
  calibrate(mutants, counted, probability, samples, rejects, [](const Count&) {});
}

/// The midpoints of 64 intervals that are equally likely under a law.
template <class Law>
Sample representatives(const Law& law) {
  Sample points;
  for (int i = 0; i < 64; ++i) points.push_back(quantile(law, (2 * i + 1) / 128.0));
  return points;
}

/// Draws of N(0, 1) that are whole eighths, and the same draws of a normal law: μ + σz, exactly.
struct DrawsInUnits {
  normal law;
  Sample standard;
  Sample drawn;
};

DrawsInUnits draws_in_units() {
  const auto eighths =
      *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(-40, 41)))
           .as("draws, in eighths of a standard deviation");
  const double mean = *rc::gen::inRange(-9, 10).as("mean");
  const double deviation = std::exp2(*rc::gen::inRange(-3, 4).as("log₂ of the deviation"));
  DrawsInUnits draws{normal(mean, deviation), {}, {}};
  for (const int z : eighths) {
    draws.standard.push_back(z / 8.0);
    draws.drawn.push_back(mean + deviation * z / 8.0);
  }
  return draws;
}

/// How many of these points, each copied n times, a check rejects.
template <class Rejects>
std::size_t rejected_copies(const Sample& points, std::size_t n, Rejects rejects) {
  enumerated(points.size());
  return static_cast<std::size_t>(std::count_if(
      points.begin(), points.end(), [&](double point) { return rejects(Sample(n, point)); }));
}

// -------------------------------------------------------------------------- MeanCheckKeepsItsOdds

const normal standard;

/// Whether a sample of N(0, 1) is rejected, and the statistic for any normal law; a mutant decides
/// otherwise.
struct MeanRules {
  bool (*rejects)(const Sample&, double alpha) = [](const Sample& sample, double alpha) {
    return sqrtdk::testing::detail::judged(MeanCheck(standard), sample, {alpha, odds.beta}, 1)
        .rejected;
  };
  double (*statistic)(const normal&, const Sample&) = [](const normal& law, const Sample& sample) {
    return MeanCheck(law).statistic(sample);
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

const std::vector<Mutant<MeanRules>> mean_mutants = {
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
          [](const normal& law, const Sample& sample) {
            return MeanCheck(normal(-law.mean(), law.standard_deviation())).statistic(sample);
          }}},
    {"the variance is taken for the deviation",
     "TheUnitsOfTheDrawsDoNotMatter",
     {.statistic =
          [](const normal& law, const Sample& sample) {
            return MeanCheck(law).statistic(sample) / law.standard_deviation();
          }}},
    {"nothing is rejected",
     "CopiesOfOneDrawBreakTheOdds",
     {.rejects = [](const Sample&, double) { return false; }}},
};

bool mean_rejected(const MeanRules& rules, const Sample& sample) {
  return rules.rejects(sample, odds.alpha);
}

const MeanCheck mean_check{standard};
constexpr double mean_effect = 0.5;

//! [MeanCheckKeepsItsOdds]
TEST(MeanCheckKeepsItsOdds, RejectsATrueLawAsOftenAsItSays) {
  const std::size_t n = sample_size(mean_check, odds, mean_effect);
  calibrate(mean_mutants, Counted::rejected, odds.alpha,
            repetitions<MeanCheck>(runs_to_see(odds.alpha, odds.alpha), n,
                                   [](Stream& stream) { return draw(standard, stream); }),
            mean_rejected, [&](const Count& alarms) {
              publish("draws", std::to_string(n));
              publish_accepted(alarms, odds.alpha);
            });
}
//! [MeanCheckKeepsItsOdds]

TEST(MeanCheckKeepsItsOdds, MissesTheDeclaredEffectAsOftenAsItSays) {
  const std::size_t n = sample_size(mean_check, odds, mean_effect);
  const double missed = mean_check.miss(n, odds.alpha, mean_effect);
  calibrate(
      mean_mutants, Counted::missed, missed,
      repetitions<MeanCheck>(runs_to_see(missed, missed), n,
                             [](Stream& stream) { return draw(standard, stream) - mean_effect; }),
      mean_rejected);
}

TEST(MeanCheckKeepsItsOdds, TheUnitsOfTheDrawsDoNotMatter) {
  judge(mean_mutants, [](const MeanRules& rules) {
    for_all([&] {
      const DrawsInUnits draws = draws_in_units();
      const double sum = std::accumulate(draws.standard.begin(), draws.standard.end(), 0.0);
      RC_ASSERT(rules.statistic(draws.law, draws.drawn) ==
                sum / std::sqrt(static_cast<double>(draws.drawn.size())));
    });
  });
}

TEST(MeanCheckKeepsItsOdds, LawsThatAreNotNormalBreakTheOdds) {
  judge(mean_mutants, [](const MeanRules& rules) {
    for (const double sign : {-1.0, 1.0}) EXPECT_TRUE(rules.rejects({sign}, 0.5)) << sign;
    enumerated(2);
    counterexample_without("normal");
  });
}

TEST(MeanCheckKeepsItsOdds, CopiesOfOneDrawBreakTheOdds) {
  judge(mean_mutants, [](const MeanRules& rules) {
    const std::size_t rejected =
        rejected_copies(representatives(standard), 4,
                        [&](const Sample& s) { return rules.rejects(s, odds.alpha); });
    EXPECT_GT(rejected, 1U) << "of 64, where α allows 1";
    publish("of_64", std::to_string(rejected));
    counterexample_without("independent");
  });
}

// ---------------------------------------------------------------------- VarianceCheckKeepsItsOdds

/// Whether a sample of N(0, 1) is rejected, the statistic for any normal law, and what a score is
/// divided by, given the key.
struct VarianceRules {
  bool (*rejects)(const Sample&, double alpha) = [](const Sample& sample, double alpha) {
    return sqrtdk::testing::detail::judged(VarianceCheck(standard), sample, {alpha, odds.beta}, 2)
        .rejected;
  };
  double (*statistic)(const normal&, const Sample&) = [](const normal& law, const Sample& sample) {
    return VarianceCheck(law).statistic(sample);
  };
  double (*divisor)(const Sample& key) = [](const Sample& key) {
    double sum = 0;
    for (const double entry : key) sum += entry * entry;
    return std::sqrt(sum);
  };
};

/// As VarianceRules, with the statistic's distance from its mean n stretched and α multiplied.
template <int square_of_stretch, int square_of_shrink, int times_alpha>
bool stretched_variance(const Sample& sample, double alpha) {
  const VarianceCheck check(standard);
  const double factor =
      std::sqrt(static_cast<double>(square_of_stretch) / static_cast<double>(square_of_shrink));
  const auto n = static_cast<double>(sample.size());
  const double stretched = std::max(0.0, n + (check.statistic(sample) - n) * factor);
  return check.p_value(stretched, sample.size()) <= times_alpha * alpha;
}

const std::vector<Mutant<VarianceRules>> variance_mutants = {
    {"the threshold is √2 too far out",
     "MissesTheDeclaredEffectAsOftenAsItSays",
     {.rejects = stretched_variance<1, 2, 1>}},
    {"the threshold is √2 too near",
     "RejectsATrueLawAsOftenAsItSays",
     {.rejects = stretched_variance<2, 1, 1>}},
    {"α is not divided between the two sides",
     "RejectsATrueLawAsOftenAsItSays",
     {.rejects = stretched_variance<1, 1, 2>}},
    {"the variance about 0",
     "TheUnitsOfTheDrawsDoNotMatter",
     {.statistic =
          [](const normal& law, const Sample& sample) {
            return VarianceCheck(normal(0, law.standard_deviation())).statistic(sample);
          }}},
    {"squares are divided by the deviation",
     "TheUnitsOfTheDrawsDoNotMatter",
     {.statistic =
          [](const normal& law, const Sample& sample) {
            return VarianceCheck(law).statistic(sample) * law.standard_deviation();
          }}},
    {"only variances that are too large are rejected",
     "LawsThatAreNotNormalBreakTheOdds",
     {.rejects =
          [](const Sample& sample, double alpha) {
            const VarianceCheck check(standard);
            const double t = check.statistic(sample);
            return t > static_cast<double>(sample.size()) &&
                   check.p_value(t, sample.size()) <= alpha;
          }}},
    {"nothing is rejected",
     "CopiesOfOneDrawBreakTheOdds",
     {.rejects = [](const Sample&, double) { return false; }}},
    {"scores are divided by √d in place of the key's length",
     "GivenTheKeysScoresAreSuchDraws",
     {.divisor = [](const Sample& key) { return std::sqrt(static_cast<double>(key.size())); }}},
    {"scores are divided by the squared length of the key",
     "GivenTheKeysScoresAreSuchDraws",
     {.divisor =
          [](const Sample& key) {
            double sum = 0;
            for (const double entry : key) sum += entry * entry;
            return sum;
          }}},
};

bool variance_rejected(const VarianceRules& rules, const Sample& sample) {
  return rules.rejects(sample, odds.alpha);
}

const VarianceCheck variance_check{standard};
constexpr double variance_effect = 2;

//! [VarianceCheckKeepsItsOdds]
TEST(VarianceCheckKeepsItsOdds, RejectsATrueLawAsOftenAsItSays) {
  const std::size_t n = sample_size(variance_check, odds, variance_effect);
  calibrate(variance_mutants, Counted::rejected, odds.alpha,
            repetitions<VarianceCheck>(runs_to_see(odds.alpha, odds.alpha), n,
                                       [](Stream& stream) { return draw(standard, stream); }),
            variance_rejected, [&](const Count&) { publish("draws", std::to_string(n)); });
}
//! [VarianceCheckKeepsItsOdds]

TEST(VarianceCheckKeepsItsOdds, MissesTheDeclaredEffectAsOftenAsItSays) {
  const std::size_t n = sample_size(variance_check, odds, variance_effect);
  const double missed = variance_check.miss(n, odds.alpha, variance_effect);
  // A variance twice as large is missed more often than one half as large.
  calibrate(variance_mutants, Counted::missed, missed,
            repetitions<VarianceCheck>(
                runs_to_see(missed, missed), n,
                [](Stream& stream) { return std::sqrt(variance_effect) * draw(standard, stream); }),
            variance_rejected);
}

TEST(VarianceCheckKeepsItsOdds, TheUnitsOfTheDrawsDoNotMatter) {
  judge(variance_mutants, [](const VarianceRules& rules) {
    for_all([&] {
      const DrawsInUnits draws = draws_in_units();
      double squares = 0;
      for (const double z : draws.standard) squares += z * z;
      RC_ASSERT(rules.statistic(draws.law, draws.drawn) == squares);
    });
  });
}

TEST(VarianceCheckKeepsItsOdds, GivenTheKeysScoresAreSuchDraws) {
  // At d = 2 a score over √d has variance 1 too, but is far from normal: it would be rejected
  // about fifteen times too often.
  constexpr double effect = 0.125;
  const std::size_t n = sample_size(variance_check, odds, variance_effect);
  judge(variance_mutants, [&](const VarianceRules& rules) {
    const auto score = [&](Stream& stream) {
      const Sample query{draw(standard, stream), draw(standard, stream)};
      const Sample key{draw(standard, stream), draw(standard, stream)};
      return (query[0] * key[0] + query[1] * key[1]) / rules.divisor(key);
    };
    auto samples = repetitions<VarianceCheck>(runs_to_see(odds.alpha, effect), n, score);
    expect_count("rejected",
                 samples.rejected([&](const Sample& s) { return variance_rejected(rules, s); }),
                 odds.alpha);
  });
}

TEST(VarianceCheckKeepsItsOdds, LawsThatAreNotNormalBreakTheOdds) {
  judge(variance_mutants, [](const VarianceRules& rules) {
    // ±2 with probability ⅛ each, else 0: mean 0, variance 1, and a draw of 0 is three in four.
    EXPECT_TRUE(rules.rejects({0}, odds.alpha));
    enumerated(1);
    counterexample_without("normal");
  });
}

TEST(VarianceCheckKeepsItsOdds, CopiesOfOneDrawBreakTheOdds) {
  judge(variance_mutants, [](const VarianceRules& rules) {
    const std::size_t rejected =
        rejected_copies(representatives(standard), 4,
                        [&](const Sample& s) { return rules.rejects(s, odds.alpha); });
    EXPECT_GT(rejected, 1U) << "of 64, where α allows 1";
    publish("of_64", std::to_string(rejected));
    counterexample_without("independent");
  });
}

// ------------------------------------------------------------------------- CountCheckKeepsItsOdds

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

const std::vector<Mutant<CountRules>> count_mutants = {
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
  return rules.rejects(probability, count, odds.alpha);
}

TEST(CountCheckKeepsItsOdds, RejectsATrueLawAsOftenAsItSays) {
  const std::size_t n = sample_size(count_check, odds, count_effect);
  const double size = count_check.size(n, odds.alpha);
  calibrate(count_mutants, Counted::rejected, size,
            repetitions<CountCheck>(runs_to_see(size, size), n,
                                    [](Stream& stream) { return uniform(stream) < probability; }),
            count_rejected, [&](const Count&) { publish("draws", std::to_string(n)); });
}

TEST(CountCheckKeepsItsOdds, MissesTheDeclaredEffectAsOftenAsItSays) {
  const std::size_t n = sample_size(count_check, odds, count_effect);
  const double missed = count_check.miss(n, odds.alpha, count_effect);
  // The larger probability has the larger variance and is missed more often.
  calibrate(count_mutants, Counted::missed, missed,
            repetitions<CountCheck>(
                runs_to_see(missed, missed), n,
                [](Stream& stream) { return uniform(stream) < probability + count_effect; }),
            count_rejected);
}

/// The probabilities of 0, 1, …, n successes, exactly.
std::vector<Rational> binomial_law(std::size_t n, const Rational& p) {
  std::vector<Rational> law{1};
  for (std::size_t trial = 0; trial < n; ++trial) {
    law.push_back(0);
    for (std::size_t x = law.size(); x-- > 0;)
      law[x] = law[x] * (1 - p) + (x > 0 ? Rational(law[x - 1] * p) : Rational(0));
  }
  return law;
}

//! [CountCheckKeepsItsOdds]
TEST(CountCheckKeepsItsOdds, NeverRejectsATrueProbabilityTooOften) {
  constexpr std::size_t largest = 20;
  judge(count_mutants, [](const CountRules& rules) {
    Rational most = 0;
    for (int tenths = 1; tenths < 10; ++tenths)
      for (std::size_t n = 1; n <= largest; ++n) {
        const std::vector<Rational>& law = remembered<binomial_law>(n, Rational(tenths, 10));
        const auto rejects = [&](std::size_t x) {
          return rules.rejects(tenths / 10.0, {x, n}, odds.alpha);
        };
        // The counts that are rejected as too small and as too large, and the next one of each.
        Rational low = 0;
        Rational high = 0;
        std::size_t l = 0;
        std::size_t h = n;
        for (; l <= n && rejects(l); ++l) low += law[l];
        for (; h > l && rejects(h); --h) high += law[h];
        for (std::size_t x = l; x <= h; ++x) EXPECT_FALSE(rejects(x)) << x << " of " << n;
        const std::string where = "p = " + std::to_string(tenths) + "/10, n = " + std::to_string(n);
        EXPECT_LE(low, Rational(odds.alpha) / 2) << where;
        EXPECT_LE(high, Rational(odds.alpha) / 2) << where;
        EXPECT_GT(Rational(low + law[l]), Rational(odds.alpha) / 2)
            << where << ": one more would do";
        EXPECT_GT(Rational(high + law[h]), Rational(odds.alpha) / 2)
            << where << ": one more would do";
        most = std::max<Rational>(most, low + high);
        if (tenths == 3 && n == 12) {
          publish("size_at_12", digits(Rational(low + high).convert_to<double>(), 2));
          publish("larger_at_12", digits(Rational(low + high + law[l]).convert_to<double>(), 3));
        }
        enumerated(1);
      }
    publish("most", digits(most.convert_to<double>(), 4));
  });
}
//! [CountCheckKeepsItsOdds]

//! [CountCheckKeepsItsOdds: the interval of Clopper and Pearson]
TEST(CountCheckKeepsItsOdds, RejectsWhatTheClopperPearsonIntervalExcludes) {
  using boost::math::binomial;
  judge(count_mutants, [](const CountRules& rules) {
    for (int tenths = 1; tenths < 10; ++tenths)
      for (std::size_t n = 1; n <= 20; ++n)
        for (std::size_t x = 0; x <= n; ++x) {
          const double p = tenths / 10.0;
          const auto trials = static_cast<double>(n);
          const auto successes = static_cast<double>(x);
          const double low = binomial::find_lower_bound_on_p(trials, successes, odds.alpha / 2);
          const double high = binomial::find_upper_bound_on_p(trials, successes, odds.alpha / 2);
          EXPECT_EQ(rules.rejects(p, {x, n}, odds.alpha), p <= low || p >= high)
              << x << " of " << n << " for p = " << p;
          enumerated(1);
        }
  });
}
//! [CountCheckKeepsItsOdds: the interval of Clopper and Pearson]

TEST(CountCheckKeepsItsOdds, CopiesOfOneTrialBreakTheOdds) {
  judge(count_mutants, [](const CountRules& rules) {
    EXPECT_TRUE(rules.rejects(probability, {20, 20}, odds.alpha)) << "has probability 3/10";
    EXPECT_TRUE(rules.rejects(probability, {0, 20}, odds.alpha)) << "has probability 7/10";
    enumerated(2);
    counterexample_without("independent");
  });
}

// ------------------------------------------------------------------ DistributionCheckKeepsItsOdds

const CdfCheck cdf_check(boost::math::uniform(0, 1), "uniform");
constexpr double cdf_effect = 0.25;

/// The statistic of a sample of the uniform law, what is made of it, and what is said of misses.
struct DistributionRules {
  double (*statistic)(const Sample&) = [](const Sample& sample) {
    return cdf_check.statistic(sample);
  };
  double (*p_value)(double distance, std::size_t n) = [](double distance, std::size_t n) {
    return cdf_check.p_value(distance, n);
  };
  double (*miss)(std::size_t n, double distance) = [](std::size_t n, double distance) {
    return cdf_check.miss(n, odds.alpha, distance);
  };
  std::size_t (*draws)(double distance) = [](double distance) {
    return sample_size(cdf_check, odds, distance);
  };

  bool rejects(const Sample& sample) const {
    return p_value(statistic(sample), sample.size()) <= odds.alpha;
  }
};

/// As the library, for a distance that is stretched, and with the bound multiplied.
template <int square_of_stretch, int square_of_shrink, int halves>
double stretched_distance(double distance, std::size_t n) {
  const double factor =
      std::sqrt(static_cast<double>(square_of_stretch) / static_cast<double>(square_of_shrink));
  return cdf_check.p_value(factor * distance, n) * halves / 2;
}

/// The largest gap on one side of the steps only.
template <bool after>
double one_sided(const Sample& sample) {
  Sample sorted = sample;
  std::sort(sorted.begin(), sorted.end());
  double distance = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const double step = static_cast<double>(after ? i + 1 : i) / static_cast<double>(sorted.size());
    distance = std::max(distance, after ? step - sorted[i] : sorted[i] - step);
  }
  return distance;
}

const std::vector<Mutant<DistributionRules>> cdf_mutants = {
    {"the threshold is √2 too large",
     "RejectsATrueLawAsOftenAsItSays",
     {.p_value = stretched_distance<1, 2, 2>}},
    {"the threshold is twice too large",
     "MissesTheDeclaredEffectNoMoreOftenThanItSays",
     {.p_value = stretched_distance<1, 4, 2>}},
    {"misses are forgotten, so that far fewer draws are called enough",
     "MissesTheDeclaredEffectNoMoreOftenThanItSays",
     {.draws = [](double distance) { return hoeffding_draws(distance, odds.alpha); }}},
    {"Hoeffding's exponent is doubled",
     "TheBoundOnMissesIsAboveTheExactOnes",
     {.miss =
          [](std::size_t n, double distance) {
            const double once = cdf_check.miss(n, odds.alpha, distance);
            return once * once;
          }}},
    {"the check's own threshold is left out of its misses",
     "TheBoundOnMissesIsAboveTheExactOnes",
     {.miss =
          [](std::size_t n, double distance) {
            return std::exp(-2 * static_cast<double>(n) * distance * distance);
          }}},
    {"the threshold is √2 too small",
     "TheBoundIsAboveTheExactLaw",
     {.p_value = stretched_distance<2, 1, 2>}},
    {"the two sides are not both counted",
     "TheBoundIsAboveTheExactLaw",
     {.p_value = stretched_distance<1, 1, 1>}},
    {"only gaps after a step count", "TheDistanceIsTheLargestGap", {.statistic = one_sided<true>}},
    {"only gaps before a step count",
     "TheDistanceIsTheLargestGap",
     {.statistic = one_sided<false>}},
    {"distances below three quarters are forgiven",
     "CopiesOfOneDrawBreakTheOdds",
     {.p_value =
          [](double distance, std::size_t n) {
            return distance < 0.75 ? 1 : cdf_check.p_value(distance, n);
          }}},
    {"the largest distance is forgiven",
     "ALawWithAnAtomIsRejectedAlthoughItIsTrue",
     {.p_value = [](double distance,
                    std::size_t n) { return distance == 1 ? 1 : cdf_check.p_value(distance, n); }}},
};

int whole(double x) { return static_cast<int>(std::floor(x)); }
int whole(const Rational& x) { return static_cast<int>(Integer(numerator(x) / denominator(x))); }

/// Pr(D_n < d), exactly: n!/nⁿ times the middle entry of the n-th power of a matrix.
/// Source: Marsaglia, Tsang and Wang, "Evaluating Kolmogorov's distribution" (2003).
template <class Number>
Number kolmogorov_cdf(int n, const Number& d) {
  const int k = whole(Number(n * d)) + 1;
  const Number h = k - n * d;
  const int m = 2 * k - 1;
  const auto size = static_cast<std::size_t>(m);
  std::vector<Number> powers{1};  // of h
  std::vector<Number> factorials{1};
  for (int i = 1; i <= m; ++i) {
    powers.push_back(powers.back() * h);
    factorials.push_back(factorials.back() * i);
  }
  const auto entry = [&](std::size_t i, std::size_t j) -> Number {
    if (i + 1 < j) return 0;
    Number value = 1;
    if (j == 0) value -= powers[i + 1];
    if (i + 1 == size) value -= powers[size - j];
    if (i + 1 == size && j == 0 && 2 * h > 1) {
      Number rest = 1;
      for (int power = 0; power < m; ++power) rest *= 2 * h - 1;
      value += rest;
    }
    return value / factorials[i + 1 - j];
  };
  std::vector<Number> matrix;
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j < size; ++j) matrix.push_back(entry(i, j));
  std::vector<Number> row(size, Number(0));
  row[static_cast<std::size_t>(k - 1)] = 1;
  for (int step = 1; step <= n; ++step) {
    std::vector<Number> next(size, Number(0));
    for (std::size_t i = 0; i < size; ++i)
      if (row[i] != 0)
        for (std::size_t j = 0; j < size; ++j) next[j] += row[i] * matrix[i * size + j] * step / n;
    row = next;
  }
  return row[static_cast<std::size_t>(k - 1)];
}

/// Pr(Dₙ < ε), exactly, if Dₙ is the distance from the uniform law of n draws of a law on (0, 1).
///
/// Dₙ < ε if the i-th smallest draw lies between i/n − ε and (i − 1)/n + ε, for each i. So the
/// number of draws up to x is followed from one of these points to the next, as a Poisson process
/// that has n events in the end.
/// \param cumulative the distribution function of the draws.
template <class Cumulative>
double pass_probability(std::size_t n, double epsilon, Cumulative cumulative) {
  const auto size = static_cast<double>(n);
  /// Where the number of draws so far must be within limits.
  struct Point {
    double place;
    std::size_t least, most;
  };
  std::vector<Point> points{{1, n, n}};
  for (std::size_t i = 1; i <= n; ++i) {
    const auto rank = static_cast<double>(i);
    points.push_back({cumulative(std::max(0.0, rank / size - epsilon)), 0, i - 1});
    points.push_back({cumulative(std::min(1.0, (rank - 1) / size + epsilon)), i, n});
  }
  std::sort(points.begin(), points.end(),
            [](const Point& a, const Point& b) { return a.place < b.place; });
  std::vector<double> reached(n + 1, 0.0);  // with so many draws up to this place
  reached[0] = 1;
  double place = 0;
  for (const Point& point : points) {
    std::vector<double> next = reached;
    if (point.place > place) {
      const boost::math::poisson arrivals(size * (point.place - place));
      next.assign(n + 1, 0.0);
      for (std::size_t k = 0; k <= n; ++k) {
        const double weight = pdf(arrivals, static_cast<double>(k));
        for (std::size_t i = 0; i + k <= n; ++i) next[i + k] += weight * reached[i];
      }
      place = point.place;
    }
    for (std::size_t i = 0; i <= n; ++i)
      reached[i] = i < point.least || i > point.most ? 0 : next[i];
  }
  return reached[n] / pdf(boost::math::poisson(size), size);
}

/// The distance at which the check rejects n draws.
double rejected_distance(std::size_t n) { return hoeffding_error(n, odds.alpha); }

/// A law on (0, 1) that is at a distance from the uniform one: its density is constant before the
/// place where they differ most, and after it.
struct BentLaw {
  double place;
  double distance;

  double cumulative(double x) const {
    return x <= place ? x * (place + distance) / place
                      : 1 - (1 - x) * (1 - place - distance) / (1 - place);
  }
  double quantile(double u) const {
    return u <= place + distance ? u * place / (place + distance)
                                 : 1 - (1 - u) * (1 - place) / (1 - place - distance);
  }
};

double exact_miss(std::size_t n, const BentLaw& law) {
  return pass_probability(n, rejected_distance(n), [&](double x) { return law.cumulative(x); });
}

/// Density 2 up to ¼ and ⅔ after it: at ¼ the distance is ¼, and Fₙ varies as much as it can.
const BentLaw quarter_law{0.25, cdf_effect};

double exact_miss_of_quarter_law(std::size_t n) { return exact_miss(n, quarter_law); }

using UniformSamples = CdfCheck<boost::math::uniform>;

//! [DistributionCheckKeepsItsOdds]
TEST(DistributionCheckKeepsItsOdds, RejectsATrueLawAsOftenAsItSays) {
  const std::size_t n = sample_size(cdf_check, odds, cdf_effect);
  const double distance = rejected_distance(n);
  const double exact = 1 - kolmogorov_cdf(static_cast<int>(n), distance);
  EXPECT_LE(exact, odds.alpha);
  EXPECT_NEAR(pass_probability(n, distance, [](double x) { return x; }), 1 - exact, 1e-10)
      << "two routes to one number";
  calibrate(
      cdf_mutants, Counted::rejected, exact,
      repetitions<UniformSamples>(runs_to_see(exact, exact), n, uniform),
      [](const DistributionRules& rules, const Sample& sample) { return rules.rejects(sample); },
      [&](const Count&) { publish("draws", std::to_string(n)); });
}
//! [DistributionCheckKeepsItsOdds]

//! [DistributionCheckKeepsItsOdds: misses]
TEST(DistributionCheckKeepsItsOdds, MissesTheDeclaredEffectNoMoreOftenThanItSays) {
  judge(cdf_mutants, [&](const DistributionRules& rules) {
    const std::size_t n = rules.draws(cdf_effect);
    const double exact = remembered<exact_miss_of_quarter_law>(n);
    EXPECT_LE(exact, odds.beta) << n << " draws are too few";
    if (exact > odds.beta) return;
    auto samples = repetitions<UniformSamples>(
        runs_to_see(exact, odds.beta - exact), n,
        [](Stream& stream) { return quarter_law.quantile(uniform(stream)); });
    expect_count("missed",
                 others(samples.rejected([&](const Sample& s) { return rules.rejects(s); })),
                 exact);
    const std::size_t forgetful = hoeffding_draws(cdf_effect, odds.alpha);
    publish("forgetful", std::to_string(forgetful));
    publish("missed_by_forgetful", digits(remembered<exact_miss_of_quarter_law>(forgetful), 2));
  });
}
//! [DistributionCheckKeepsItsOdds: misses]

TEST(DistributionCheckKeepsItsOdds, TheBoundOnMissesIsAboveTheExactOnes) {
  std::vector<std::pair<std::pair<std::size_t, double>, double>> exact;
  for (const std::size_t n : {20U, 60U, 144U})
    for (const double place : {0.125, 0.25, 0.5})
      for (const double distance : {0.125, 0.25, 0.375})
        exact.push_back({{n, distance}, exact_miss(n, {place, distance})});
  judge(cdf_mutants, [&](const DistributionRules& rules) {
    for (const auto& [at, missed] : exact) {
      const auto [n, distance] = at;
      // The exact number is a sum of positive terms, with a relative error far below 2⁻²⁰.
      EXPECT_LE(missed, (1 + 0x1p-20) * rules.miss(n, distance)) << n << " draws, " << distance;
      enumerated(1);
    }
    evidence().weaken(Grade::bounded);
    of_the_statement();
  });
}

//! [DistributionCheckKeepsItsOdds: the bound beside the exact law]
TEST(DistributionCheckKeepsItsOdds, TheBoundIsAboveTheExactLaw) {
  EXPECT_EQ(kolmogorov_cdf<Rational>(1, Rational(3, 4)), Rational(1, 2));
  std::vector<std::pair<std::pair<int, int>, Rational>> exact;
  for (int n = 1; n <= 6; ++n)
    for (int tenths = 1; tenths < 10; ++tenths)
      exact.push_back({{n, tenths}, 1 - kolmogorov_cdf<Rational>(n, Rational(tenths, 10))});
  const Rational published = kolmogorov_cdf<Rational>(10, Rational(274, 1000));
  judge(cdf_mutants, [&](const DistributionRules& rules) {
    for (const auto& [place, tail] : exact) {
      const auto [n, tenths] = place;
      EXPECT_LE(tail, Rational(rules.p_value(tenths / 10.0, static_cast<std::size_t>(n))))
          << "n = " << n << ", distance " << tenths << "/10";
      enumerated(1);
    }
    const PrintedNumber printed = parse_printed("0.6284796154565");
    EXPECT_TRUE(printed.low <= published && published <= printed.high);
  });
}
//! [DistributionCheckKeepsItsOdds: the bound beside the exact law]

TEST(DistributionCheckKeepsItsOdds, TheDistanceIsTheLargestGap) {
  judge(cdf_mutants, [](const DistributionRules& rules) {
    // The points are multiples of ⅛ and the steps multiples of ¼, so nothing is rounded.
    for (int code = 0; code < 6561; ++code) {
      Sample sample;
      for (int rest = code, i = 0; i < 4; ++i, rest /= 9) sample.push_back(rest % 9 / 8.0);
      double largest = 0;
      for (int i = 0; i <= 8; ++i) {
        const double x = i / 8.0;
        const auto up_to =
            std::count_if(sample.begin(), sample.end(), [&](double point) { return point <= x; });
        const auto below =
            std::count_if(sample.begin(), sample.end(), [&](double point) { return point < x; });
        largest = std::max({largest, std::abs(static_cast<double>(up_to) / 4 - x),
                            std::abs(static_cast<double>(below) / 4 - x)});
      }
      EXPECT_EQ(rules.statistic(sample), largest);
      enumerated(1);
    }
  });
}

/// The law of a constant, 0.
struct Constant {};
double cdf(const Constant&, double x) { return x < 0 ? 0 : 1; }

TEST(DistributionCheckKeepsItsOdds, ALawWithAnAtomIsRejectedAlthoughItIsTrue) {
  judge(cdf_mutants, [](const DistributionRules& rules) {
    const double distance = CdfCheck(Constant(), "0").statistic(Sample(4, 0.0));
    EXPECT_LE(rules.p_value(distance, 4), odds.alpha);
    enumerated(1);
    counterexample_without("continuous");
  });
}

TEST(DistributionCheckKeepsItsOdds, CopiesOfOneDrawBreakTheOdds) {
  judge(cdf_mutants, [](const DistributionRules& rules) {
    for (int i = 0; i <= 64; ++i) {
      const Sample copies(4, i / 64.0);
      EXPECT_LE(rules.p_value(rules.statistic(copies), 4), 0.5) << copies.front();
    }
    enumerated(65);
    counterexample_without("independent");
  });
}

// ------------------------------------------------------------------------ IntervalsKeepTheirOdds

/// The library's intervals, and the effect that an interval is said to see.
struct IntervalRules {
  ConfidenceInterval (*frequency)(const Count&, double alpha) = frequency_interval;
  ConfidenceInterval (*median)(std::vector<double>, const Rational& alpha) = median_interval;
  double (*error)(std::size_t n, double alpha) = hoeffding_error;
  std::size_t (*draws)(double epsilon, double alpha) = hoeffding_draws;
  ConfidenceInterval (*mean)(std::span<const double>, double alpha) = mean_interval;
  double (*sees)(const ConfidenceInterval&) = [](const ConfidenceInterval& found) {
    return found.upper - found.lower;
  };
};

/// The empirical Bernstein interval with its two terms multiplied.
template <int variance_term, int range_term>
ConfidenceInterval weighted_terms(std::span<const double> sample, double alpha) {
  const auto n = static_cast<double>(sample.size());
  const ConfidenceInterval found = mean_interval(sample, alpha);
  const double range = 7 * std::log(4 / alpha) / (3 * (n - 1));
  const double half = variance_term * (found.upper - found.estimate - range) + range_term * range;
  return {found.estimate - half, found.estimate, found.estimate + half};
}

const std::vector<Mutant<IntervalRules>> interval_mutants = {
    {"α is not divided between the two sides of a frequency",
     "FrequenciesLieInside",
     {.frequency = [](const Count& count,
                      double alpha) { return frequency_interval(count, 2 * alpha); }}},
    {"the normal approximation for a frequency",
     "FrequenciesLieInside",
     {.frequency =
          [](const Count& count, double alpha) {
            const auto n = static_cast<double>(count.trials);
            const double share = static_cast<double>(count.successes) / n;
            const double half = -quantile(standard, alpha / 2) * std::sqrt(share * (1 - share) / n);
            return ConfidenceInterval{share - half, share, share + half};
          }}},
    {"α is not divided between the two sides of a median",
     "MediansLieInside",
     {.median =
          [](std::vector<double> sample, const Rational& alpha) {
            return median_interval(std::move(sample), 2 * alpha);
          }}},
    {"α is divided by four for a median",
     "MediansLieInside",
     {.median =
          [](std::vector<double> sample, const Rational& alpha) {
            return sample.size() < 8 ? median_interval(std::move(sample), alpha)
                                     : median_interval(std::move(sample), alpha / 2);
          }}},
    {"Hoeffding's error √2 too small",
     "MeansLieWithinHoeffdingsError",
     {.error = [](std::size_t n, double alpha) { return hoeffding_error(2 * n, alpha); }}},
    {"only one side of Hoeffding's error counts",
     "MeansLieWithinHoeffdingsError",
     {.error = [](std::size_t n, double alpha) { return hoeffding_error(n, 2 * alpha); }}},
    {"one draw less than Hoeffding's",
     "MeansLieWithinHoeffdingsError",
     {.draws = [](double epsilon, double alpha) { return hoeffding_draws(epsilon, alpha) - 1; }}},
    {"the term of the variance is left out",
     "MeansLieInsideTheEmpiricalBernsteinInterval",
     {.mean = weighted_terms<0, 1>}},
    {"the term of the range is left out",
     "MeansLieInsideTheEmpiricalBernsteinInterval",
     {.mean = weighted_terms<1, 0>}},
    {"α is divided by two in place of four",
     "MeansLieInsideTheEmpiricalBernsteinInterval",
     {.mean = [](std::span<const double> sample,
                 double alpha) { return mean_interval(sample, 2 * alpha); }}},
    {"half the length is said to be seen",
     "WhatDiffersByMoreThanTheLengthLiesOutside",
     {.sees = [](const ConfidenceInterval& found) { return (found.upper - found.lower) / 2; }}},
    {"a frequency may be anything",
     "CopiesOfOneTrialBreakTheOdds",
     {.frequency =
          [](const Count& count, double) {
            return ConfidenceInterval{
                0, static_cast<double>(count.successes) / static_cast<double>(count.trials), 1};
          }}},
    {"the error of numbers from 0 to 8",
     "NumbersBeyondTheRangeBreakTheOdds",
     {.error = [](std::size_t n, double alpha) { return 8 * hoeffding_error(n, alpha); }}},
};

//! [IntervalsKeepTheirOdds]
TEST(IntervalsKeepTheirOdds, FrequenciesLieInside) {
  judge(interval_mutants, [](const IntervalRules& rules) {
    Rational most = 0;
    for (int tenths = 1; tenths < 10; ++tenths)
      for (std::size_t n = 1; n <= 20; ++n) {
        const std::vector<Rational>& law = remembered<binomial_law>(n, Rational(tenths, 10));
        Rational missed = 0;
        for (std::size_t x = 0; x <= n; ++x) {
          const ConfidenceInterval found = rules.frequency({x, n}, odds.alpha);
          if (tenths / 10.0 < found.lower || tenths / 10.0 > found.upper) missed += law[x];
        }
        EXPECT_LE(missed, Rational(odds.alpha)) << "p = " << tenths << "/10, n = " << n;
        most = std::max(most, missed);
        enumerated(1);
      }
    publish("most", digits(most.convert_to<double>(), 4));
  });
}
//! [IntervalsKeepTheirOdds]

TEST(IntervalsKeepTheirOdds, MediansLieInside) {
  constexpr unsigned largest = 64;
  judge(interval_mutants, [](const IntervalRules& rules) {
    Rational most = 0;
    for (unsigned n = 7; n <= largest; ++n) {
      const std::vector<Rational>& ways = remembered<binomial_law>(n, Rational(1, 2));
      // Draws of a law with median 0, of which so many are negative.
      Rational missed = 0;
      for (std::size_t negative = 0; negative <= n; ++negative) {
        Sample sample(n);
        std::iota(sample.begin(), sample.end(), 0.5 - static_cast<double>(negative));
        std::rotate(sample.begin(), sample.begin() + n / 3, sample.end());
        const ConfidenceInterval found = rules.median(sample, odds.alpha);
        if (found.lower > 0 || found.upper < 0) missed += ways[negative];
        EXPECT_TRUE(found.lower <= found.estimate && found.estimate <= found.upper);
      }
      // As often as the counts allow and no more: the next order statistics miss too often.
      Rational allowed = 0;
      Rational tail = ways[0];
      for (std::size_t k = 1; 2 * tail <= Rational(odds.alpha); tail += ways[k++])
        allowed = 2 * tail;
      EXPECT_LE(missed, Rational(odds.alpha)) << n << " draws";
      EXPECT_EQ(missed, allowed) << n << " draws";
      most = std::max(most, missed);
      enumerated(n + 1);
    }
    publish("most", digits(most.convert_to<double>(), 4));
    const ConfidenceInterval too_few = rules.median(Sample(6), odds.alpha);
    EXPECT_EQ(too_few.lower, -std::numeric_limits<double>::infinity());
    EXPECT_EQ(too_few.upper, std::numeric_limits<double>::infinity());
  });
}

TEST(IntervalsKeepTheirOdds, MeansLieWithinHoeffdingsError) {
  judge(interval_mutants, [](const IntervalRules& rules) {
    Rational most = 0;
    for (int sixteenths = 1; sixteenths < 16; ++sixteenths)
      for (const std::size_t n : {8U, 20U, 60U}) {
        const Rational p(sixteenths, 16);
        const std::vector<Rational>& law = remembered<binomial_law>(n, p);
        const Rational error(rules.error(n, odds.alpha));
        Rational missed = 0;
        for (std::size_t x = 0; x <= n; ++x)
          if (abs(Rational(x, n) - p) >= error) missed += law[x];
        EXPECT_LE(missed, Rational(odds.alpha)) << "p = " << sixteenths << "/16, n = " << n;
        most = std::max(most, missed);
        enumerated(1);
      }
    publish("most", digits(most.convert_to<double>(), 4));
    for (const std::size_t n : {1U, 10U, 1000U}) {
      const double error = rules.error(n, odds.alpha);
      const double bound = 2 * std::exp(-2 * static_cast<double>(n) * error * error);
      EXPECT_NEAR(bound / odds.alpha, 1, 0x1p-40) << n << " draws";
    }
    for (const double epsilon : {0.02, 0.1, 0.5}) {
      const std::size_t n = rules.draws(epsilon, odds.alpha);
      EXPECT_LE(rules.error(n, odds.alpha), epsilon);
      EXPECT_GT(rules.error(n - 1, odds.alpha), epsilon);
    }
    evidence().weaken(Grade::bounded);
  });
}

//! [IntervalsKeepTheirOdds: the empirical Bernstein interval]
TEST(IntervalsKeepTheirOdds, MeansLieInsideTheEmpiricalBernsteinInterval) {
  judge(interval_mutants, [](const IntervalRules& rules) {
    double most = 0;
    for (const std::size_t n : {50U, 200U, 1000U})
      for (const double p : {0.001, 0.01, 0.1, 0.5}) {
        // Numbers that are 1 with probability p and else 0.
        const boost::math::binomial law(static_cast<double>(n), p);
        double missed = 0;
        Sample sample(n, 0.0);
        for (std::size_t ones = 0; ones <= n; ++ones) {
          if (ones > 0) sample[ones - 1] = 1;
          const ConfidenceInterval found = rules.mean(sample, odds.alpha);
          if (p < found.lower || p > found.upper) missed += pdf(law, static_cast<double>(ones));
        }
        EXPECT_LE(missed, odds.alpha) << "p = " << p << ", n = " << n;
        most = std::max(most, missed);
        enumerated(1);
      }
    publish("most", digits(most, 2));
    // ln(4/α) = 2, and the variances are ½ and 1/5.
    const double alpha = 4 * std::exp(-2.0);
    EXPECT_NEAR(rules.mean(Sample{0, 1}, alpha).upper, 0.5 + 1 + 14.0 / 3, 0x1p-40);
    EXPECT_NEAR(rules.mean(Sample{0, 0, 1, 0, 0}, alpha).lower, 0.2 - std::sqrt(0.16) - 14.0 / 12,
                0x1p-40);
    EXPECT_THROW(rules.mean(Sample{0.5, 1.5}, alpha), std::domain_error);
    EXPECT_THROW(rules.mean(Sample{0.5}, alpha), std::invalid_argument);
    evidence().weaken(Grade::bounded);
    of_the_statement();
  });
}
//! [IntervalsKeepTheirOdds: the empirical Bernstein interval]

//! [IntervalsKeepTheirOdds: what an interval sees]
TEST(IntervalsKeepTheirOdds, WhatDiffersByMoreThanTheLengthLiesOutside) {
  constexpr std::size_t n = 20;
  judge(interval_mutants, [](const IntervalRules& rules) {
    std::vector<ConfidenceInterval> found;
    for (std::size_t x = 0; x <= n; ++x) found.push_back(rules.frequency({x, n}, odds.alpha));
    for (int tenths = 1; tenths < 10; ++tenths) {
      const std::vector<Rational>& law = remembered<binomial_law>(n, Rational(tenths, 10));
      for (int stated = 1; stated < 100; ++stated) {
        const double difference = std::abs(stated / 100.0 - tenths / 10.0);
        Rational missed = 0;
        for (std::size_t x = 0; x <= n; ++x) {
          const bool inside = found[x].lower <= stated / 100.0 && stated / 100.0 <= found[x].upper;
          if (inside && difference > rules.sees(found[x])) missed += law[x];
        }
        EXPECT_LE(missed, Rational(odds.alpha))
            << stated << " % is stated, the truth is " << tenths;
        enumerated(1);
      }
    }
  });
}
//! [IntervalsKeepTheirOdds: what an interval sees]

TEST(IntervalsKeepTheirOdds, CopiesOfOneTrialBreakTheOdds) {
  judge(interval_mutants, [](const IntervalRules& rules) {
    EXPECT_GT(rules.frequency({20, 20}, odds.alpha).lower, 0.5) << "has probability ½";
    EXPECT_LT(rules.frequency({0, 20}, odds.alpha).upper, 0.5) << "has probability ½";
    enumerated(2);
    counterexample_without("independent");
  });
}

TEST(IntervalsKeepTheirOdds, NumbersBeyondTheRangeBreakTheOdds) {
  judge(interval_mutants, [](const IntervalRules& rules) {
    // Eight numbers that are 0 or 8 with equal odds: the mean is off by 1 or more unless just four
    // of them are 8.
    const std::vector<Rational> law = binomial_law(8, Rational(1, 2));
    Rational missed = 0;
    for (std::size_t eights = 0; eights <= 8; ++eights)
      if (std::abs(static_cast<double>(eights) - 4) >= rules.error(8, odds.alpha))
        missed += law[eights];
    EXPECT_GT(missed, Rational(odds.alpha));
    publish("error", digits(rules.error(8, odds.alpha), 2));
    publish("missed", digits(missed.convert_to<double>(), 3));
    enumerated(9);
    counterexample_without("from 0 to 1");
  });
}

// ------------------------------------------------------------------------------- MissingRootOfTwo

/// A comparison of two samples of equal size that is stated to fail at a given rate if their laws
/// are equal: both are sorted together and cut into ten bins, and each bin's mean label (+1 for the
/// one sample, −1 for the other) must be below a threshold.
///
/// If the laws are equal, the order of the labels is a uniformly random arrangement, whatever the
/// law; so no law needs to be drawn from.
struct TwoSampleComparison {
  static constexpr int sample = 10000;
  static constexpr int bins = 10;
  static constexpr int bin = 2 * sample / bins;
  static constexpr double stated_rate = 1e-3;

  double threshold;

  /// Whether a bin with so many labels +1 is below the threshold.
  bool passes(int plus) const { return std::abs(2 * plus - bin) < threshold * bin; }

  /// The number of alarms when it is run on random arrangements.
  Count alarms(std::size_t runs, Stream& stream) const {
    Count count{0, runs};
    for (std::size_t run = 0; run < runs; ++run) {
      int left = sample;        // labels +1 that have not been placed
      int places = 2 * sample;  // places for them
      bool all_pass = true;
      for (int i = 0; i < bins && all_pass; ++i) {
        int plus = 0;
        for (int j = 0; j < bin; ++j, --places)
          if (uniform(stream) * places < left) {
            ++plus;
            --left;
          }
        all_pass = passes(plus);
      }
      count.successes += all_pass ? 0 : 1;
    }
    return count;
  }

  /// The probability of an alarm: the labels of a bin would be binomial with probability ½ if their
  /// total were not fixed, so condition ten binomial counts that pass on their sum.
  double exact_rate() const {
    const boost::math::binomial in_bin(bin, 0.5);
    std::vector<std::pair<std::size_t, double>> passing;
    for (int plus = 0; plus <= bin; ++plus)
      if (passes(plus)) passing.emplace_back(plus, pdf(in_bin, plus));
    std::vector<double> sum(1, 1.0);  // Pr(the bins so far pass and have so many labels +1)
    for (int i = 0; i < bins; ++i) {
      std::vector<double> next(sum.size() + bin, 0.0);
      for (std::size_t s = 0; s < sum.size(); ++s)
        if (sum[s] > 0)
          for (const auto& [plus, weight] : passing) next[s + plus] += weight * sum[s];
      sum = next;
    }
    return 1 - sum[sample] / pdf(boost::math::binomial(2 * sample, 0.5), sample);
  }
};

/// The threshold for the mean of so many labels, and the judge of stated rates.
struct ThresholdRules {
  double (*threshold)(double rate, int bins, int bin) = [](double rate, int bins, int bin) {
    return std::sqrt(2.0) * boost::math::erf_inv(1 - 2 * rate / bins) / std::sqrt(bin);
  };
  bool (*refutes)(double stated, const Count& alarms) = [](double stated, const Count& alarms) {
    return examine(CountCheck(stated), alarms, strict).rejected;
  };
};

template <int square>
double scaled_threshold(double rate, int bins, int bin) {
  return ThresholdRules().threshold(rate, bins, bin) * std::sqrt(square / 2.0);
}

const std::vector<Mutant<ThresholdRules>> threshold_mutants = {
    {"the root of two is missing",
     "WithItsRootTheThresholdKeepsItsPromise",
     {.threshold = scaled_threshold<1>}},
    {"the rate is not divided among the bins",
     "WithItsRootTheThresholdKeepsItsPromise",
     {.threshold = [](double rate, int,
                      int bin) { return ThresholdRules().threshold(rate, 1, bin); }}},
    {"two in place of its root",
     "WithoutItTheRateIsFiftyTimesWhatIsStated",
     {.threshold = scaled_threshold<4>}},
    {"no stated rate is refuted",
     "WithoutItTheRateIsFiftyTimesWhatIsStated",
     {.refutes = [](double, const Count&) { return false; }}},
    {"the threshold is that of a single label",
     "CopiesOfOneDrawAlwaysRaiseAnAlarm",
     {.threshold = [](double rate, int bins,
                      int) { return ThresholdRules().threshold(rate, bins, 1); }}},
};

/// The comparison with a threshold of the rules, times a factor.
TwoSampleComparison comparison(const ThresholdRules& rules, double factor) {
  using Comparison = TwoSampleComparison;
  return {factor * rules.threshold(Comparison::stated_rate, Comparison::bins, Comparison::bin)};
}

//! [MissingRootOfTwo]
TEST(MissingRootOfTwo, WithItsRootTheThresholdKeepsItsPromise) {
  judge(threshold_mutants, [](const ThresholdRules& rules) {
    const double rate = comparison(rules, 1).exact_rate();
    EXPECT_LE(rate, TwoSampleComparison::stated_rate);
    publish("rate", digits(rate, 4));
    evidence().weaken(Grade::bounded);
    of_the_statement();
  });
}
//! [MissingRootOfTwo]

//! [MissingRootOfTwo: the calibration that finds it]
TEST(MissingRootOfTwo, WithoutItTheRateIsFiftyTimesWhatIsStated) {
  constexpr double stated = TwoSampleComparison::stated_rate;
  judge(threshold_mutants, [](const ThresholdRules& rules) {
    const TwoSampleComparison mistaken = comparison(rules, std::sqrt(0.5));
    const double rate = mistaken.exact_rate();
    EXPECT_GT(rate, 50 * stated);
    if (rate < stated) return;
    Stream stream = next_stream();
    const Count alarms = mistaken.alarms(runs_to_tell_apart(stated, rate), stream);
    expect_count("alarms", alarms, rate);
    // No risk of its own: no count agrees with both rates.
    EXPECT_TRUE(rules.refutes(stated, alarms))
        << "the stated rate is not refuted: the calibration has lost its teeth";
  });
}
//! [MissingRootOfTwo: the calibration that finds it]

TEST(MissingRootOfTwo, CopiesOfOneDrawAlwaysRaiseAnAlarm) {
  judge(threshold_mutants, [](const ThresholdRules& rules) {
    // Sorted together, one sample stands before the other: all labels of a bin are equal.
    for (const int plus : {0, TwoSampleComparison::bin})
      EXPECT_FALSE(comparison(rules, 1).passes(plus)) << plus << " labels +1 in a bin";
    enumerated(2);
    counterexample_without("independent");
  });
}

// ----------------------------------------------------------------------------------- RepeatedRisks

/// How often the ledger lets a test that has `checks` checks make one.
std::uint64_t checks_allowed(std::uint64_t checks) {
  const std::string test = current_test_name();
  const LedgerEntry entry{test, checks, 30};
  const auto before = std::exchange(active_ledger(), std::span<const LedgerEntry>(&entry, 1));
  const Evidence kept = std::exchange(evidence(), Evidence());
  std::uint64_t made = 0;
  try {
    for (; made < 100; ++made) alpha_of_next_check();
  } catch (const std::logic_error&) {  // the ledger allows no more
  }
  evidence() = kept;
  active_ledger() = before;
  return made;
}

/// The probability that at least one of k independent trials fails, each with probability r.
struct RiskRules {
  Rational (*any)(const Rational&, unsigned) = [](const Rational& r, unsigned k) -> Rational {
    Rational none = 1;
    for (unsigned i = 0; i < k; ++i) none *= 1 - r;
    return 1 - none;
  };
  std::uint64_t (*allowed)(std::uint64_t) = checks_allowed;
};

const std::vector<Mutant<RiskRules>> risk_mutants = {
    {"the risk is divided by the trials",
     "IsOneLessThePowerOfTheComplement",
     {.any = [](const Rational& r, unsigned k) -> Rational {
       return k == 0 ? Rational(0) : r / k;
     }}},
    {"the risks are multiplied",
     "IsOneLessThePowerOfTheComplement",
     {.any =
          [](const Rational& r, unsigned k) {
            Rational all = 1;
            for (unsigned i = 0; i < k; ++i) all *= r;
            return all;
          }}},
    {"one trial counts for all",
     "OneInFourHundredTwentyTimesIsFivePercent",
     {.any = [](const Rational& r, unsigned k) { return k == 0 ? Rational(0) : r; }}},
    {"the risks are added",
     "IsOneLessThePowerOfTheComplement",
     {.any = [](const Rational& r, unsigned k) -> Rational { return r * k; }}},
    {"pairs of failures are taken off twice",
     "LiesBetweenTheBoundsOfBonferroni",
     {.any = [](const Rational& r, unsigned k) -> Rational {
       return r * k - r * r * k * (k == 0 ? 0 : k - 1);
     }}},
    {"always the same as for one trial",
     "CopiesOfOneTrialFailTogether",
     {.any = [](const Rational& r, unsigned) { return r; }}},
    {"the ledger lets one check too many pass",
     "TheLedgerCountsEveryTrial",
     {.allowed = [](std::uint64_t checks) { return checks_allowed(checks + 1); }}},
};

//! [RepeatedRisks]
TEST(RepeatedRisks, IsOneLessThePowerOfTheComplement) {
  judge(risk_mutants, [](const RiskRules& rules) {
    for (int eighths = 0; eighths <= 8; ++eighths)
      for (unsigned k = 1; k <= 6; ++k) {
        const Rational r(eighths, 8);
        Rational at_least_one = 0;
        for (unsigned failures = 1; failures < 1U << k; ++failures) {
          Rational probability_of_pattern = 1;
          for (unsigned i = 0; i < k; ++i)
            probability_of_pattern *= (failures >> i) % 2 == 1 ? r : Rational(1 - r);
          at_least_one += probability_of_pattern;
        }
        EXPECT_EQ(rules.any(r, k), at_least_one) << "r = " << r << ", k = " << k;
        enumerated(1);
      }
  });
}
//! [RepeatedRisks]

TEST(RepeatedRisks, LiesBetweenTheBoundsOfBonferroni) {
  judge(risk_mutants, [](const RiskRules& rules) {
    for_all([&] {
      const auto k = *rc::gen::inRange(0U, 30U).as("number of trials");
      const Rational r(*rc::gen::inRange(0, 1001).as("thousandths of risk"), 1000);
      const Rational first = r * k;
      const Rational second = k == 0 ? Rational(0) : Rational(r * r * k * (k - 1) / 2);
      RC_ASSERT(rules.any(r, k) <= first);
      RC_ASSERT(rules.any(r, k) >= first - second);
    });
  });
}

//! [RepeatedRisks: one in four hundred, twenty times]
TEST(RepeatedRisks, OneInFourHundredTwentyTimesIsFivePercent) {
  const double stated = 0.0005;
  const double right = RiskRules().any(Rational(1, 400), 20).convert_to<double>();
  const std::size_t runs = runs_to_tell_apart(stated, right);
  judge(risk_mutants, [&](const RiskRules& rules) {
    const Rational exact = rules.any(Rational(1, 400), 20);
    EXPECT_GT(exact, Rational(48, 1000));
    Stream stream = next_stream();
    Count alarms{0, runs};
    for (std::size_t run = 0; run < runs; ++run) {
      bool failed = false;
      for (int trial = 0; trial < 20; ++trial) failed |= uniform(stream) < 1.0 / 400;
      alarms.successes += failed ? 1 : 0;
    }
    expect_count("alarms", alarms, exact.convert_to<double>());
    // No risk of its own: no count agrees with both rates.
    EXPECT_TRUE(examine(CountCheck(stated), alarms, strict).rejected)
        << "the stated rate is not refuted: the calibration has lost its teeth";
  });
}
//! [RepeatedRisks: one in four hundred, twenty times]

TEST(RepeatedRisks, CopiesOfOneTrialFailTogether) {
  judge(risk_mutants, [](const RiskRules& rules) {
    const Rational risk_of_copies(1, 400);
    EXPECT_NE(rules.any(risk_of_copies, 20), risk_of_copies);
    enumerated(1);
    counterexample_without("independent");
  });
}

TEST(RepeatedRisks, TheLedgerCountsEveryTrial) {
  judge(risk_mutants, [](const RiskRules& rules) {
    for (std::uint64_t checks = 1; checks <= 20; ++checks) EXPECT_EQ(rules.allowed(checks), checks);
    enumerated(20);
  });
}

// -------------------------------------------------------------------------------------- UnionBound

using Entries = std::vector<LedgerEntry>;

/// The bound of a ledger in multiples of 2⁻⁶², and whether it keeps a limit.
struct LedgerRules {
  std::uint64_t (*bound)(const Entries&) = [](const Entries& entries) {
    return union_bound(entries);
  };
  bool (*keeps)(const Entries&, unsigned) = [](const Entries& entries, unsigned exponent) {
    return spends_at_most(entries, exponent);
  };
};

const Rational ledger_unit = Rational(1) / Rational(Integer(1) << ledger_resolution);

Rational alpha_of(const LedgerEntry& entry) {
  return Rational(1) / Rational(Integer(1) << entry.exponent);
}

const std::vector<Mutant<LedgerRules>> ledger_mutants = {
    {"each entry is one check",
     "IsTheSumOverAllChecks",
     {.bound =
          [](const Entries& entries) {
            Entries once = entries;
            for (LedgerEntry& entry : once) entry.risks = 1;
            return union_bound(once);
          }}},
    {"the first entry is skipped",
     "IsTheSumOverAllChecks",
     {.bound =
          [](const Entries& entries) {
            return union_bound(std::span(entries).subspan(entries.empty() ? 0 : 1));
          }}},
    {"only the largest entry counts",
     "NoLawOfTheAlarmsExceedsIt",
     {.bound =
          [](const Entries& entries) {
            std::uint64_t largest = 0;
            for (const LedgerEntry& entry : entries)
              largest = std::max(largest, union_bound(std::span(&entry, 1)));
            return largest;
          }}},
    {"probabilities of passing are multiplied",
     "DisjointAlarmsReachIt",
     {.bound =
          [](const Entries& entries) {
            Rational passing = 1;
            for (const LedgerEntry& entry : entries)
              for (std::uint64_t i = 0; i < entry.risks; ++i) passing *= 1 - alpha_of(entry);
            const Rational units = (1 - passing) / ledger_unit;
            return static_cast<std::uint64_t>(Integer(numerator(units) / denominator(units)));
          }}},
    {"a ledger may spend a little more than its limit",
     "ALedgerThatSpendsOneUnitTooMuchIsRefused",
     {.keeps = [](const Entries& entries,
                  unsigned exponent) { return spends_at_most(entries, exponent - 1); }}},
    {"a ledger must spend less than its limit",
     "ALedgerThatSpendsOneUnitTooMuchIsRefused",
     {.keeps =
          [](const Entries& entries, unsigned exponent) {
            return union_bound(entries) < std::uint64_t{1} << (ledger_resolution - exponent);
          }}},
};

TEST(UnionBound, IsTheSumOverAllChecks) {
  judge(ledger_mutants, [](const LedgerRules& rules) {
    for_all([&] {
      using Numbers = std::vector<std::pair<unsigned, unsigned>>;
      const auto entry = rc::gen::pair(rc::gen::inRange(1U, 9U), rc::gen::inRange(6U, 63U));
      const Numbers numbers =
          *rc::gen::mapcat(rc::gen::inRange<std::size_t>(0, 21), [entry](std::size_t size) {
             return rc::gen::container<Numbers>(size, entry);
           }).as("risks and exponents");
      std::vector<std::string> names;
      for (std::size_t i = 0; i < numbers.size(); ++i) names.push_back("S.T" + std::to_string(i));
      Entries entries;
      Rational sum = 0;
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        entries.push_back({names[i], numbers[i].first, numbers[i].second});
        sum += Rational(numbers[i].first) * alpha_of(entries.back());
      }
      RC_ASSERT(Rational(rules.bound(entries)) * ledger_unit == sum);
    });
  });
}

//! [UnionBound]
TEST(UnionBound, NoLawOfTheAlarmsExceedsIt) {
  judge(ledger_mutants, [](const LedgerRules& rules) {
    for_all([&] {
      // Which of three checks raise an alarm: a law on the eight sets, in 64ths.
      const auto weights =
          *rc::gen::container<std::vector<std::uint64_t>>(7, rc::gen::inRange(0, 10))
               .as("64ths of the seven sets that are not empty");
      std::uint64_t any = 0;
      std::uint64_t alarms[3] = {0, 0, 0};
      for (std::size_t set = 1; set < 8; ++set) {
        any += weights[set - 1];
        for (std::size_t check = 0; check < 3; ++check)
          if ((set >> check) % 2 == 1) alarms[check] += weights[set - 1];
      }
      RC_ASSERT(any <= 64U);  // seven times nine at most
      const char* const names[3] = {"First.Check", "Second.Check", "Third.Check"};
      Entries entries;
      for (std::size_t check = 0; check < 3; ++check)
        if (alarms[check] > 0) entries.push_back({names[check], alarms[check], 6});
      RC_ASSERT(Rational(rules.bound(entries)) * ledger_unit >= Rational(any, 64));
    });
  });
}
//! [UnionBound]

//! [UnionBound: why not multiply]
TEST(UnionBound, DisjointAlarmsReachIt) {
  judge(ledger_mutants, [](const LedgerRules& rules) {
    std::vector<std::string> names;
    Entries entries;
    Rational product = 1;
    for (int check = 1; check <= 64; ++check) names.push_back("S.T" + std::to_string(check));
    for (std::uint64_t check = 1; check <= 64; ++check) {
      // One of 64 faces of a die raises the alarm of each check.
      entries.push_back({names[check - 1], 1, 6});
      product *= Rational(63, 64);
      const Rational any(check, 64);
      EXPECT_EQ(Rational(rules.bound(entries)) * ledger_unit, any);
      const Rational by_multiplying = 1 - product;
      EXPECT_EQ(any > by_multiplying, check > 1) << "multiplying promises too much";
      enumerated(1);
    }
    publish("by_multiplying", digits(Rational(1 - product).convert_to<double>(), 4));
  });
}
//! [UnionBound: why not multiply]

TEST(UnionBound, ALedgerThatSpendsOneUnitTooMuchIsRefused) {
  judge(ledger_mutants, [](const LedgerRules& rules) {
    for (unsigned exponent = 2; exponent < ledger_resolution; ++exponent) {
      EXPECT_TRUE(rules.keeps({{"S.T", 1, exponent}}, exponent));
      EXPECT_FALSE(rules.keeps({{"S.T", 1, exponent}, {"S.U", 1, ledger_resolution}}, exponent));
      enumerated(1);
    }
  });
}

// -------------------------------------------------------------------------------- VillesInequality

constexpr unsigned nights = 10;

/// The factors by which a night multiplies a bet: on heads and on tails.
struct Factors {
  Rational heads;
  Rational tails;
};

/// Pr(W ≥ level after any of so many flips), by going through every path.
Rational crossing(const Factors& factors, const Rational& heads, unsigned flips,
                  const Rational& level) {
  Rational probability_of_crossing = 0;
  for (unsigned path = 0; path < 1U << flips; ++path) {
    Rational wealth = 1;
    Rational probability_of_path = 1;
    bool crossed = wealth >= level;
    for (unsigned flip = 0; flip < flips; ++flip) {
      const bool is_heads = (path >> flip) % 2 == 1;
      wealth *= is_heads ? factors.heads : factors.tails;
      probability_of_path *= is_heads ? heads : Rational(1 - heads);
      crossed |= wealth >= level;
    }
    if (crossed) probability_of_crossing += probability_of_path;
  }
  return probability_of_crossing;
}

/// Bets against a coin, and looks at it.
struct BettingRules {
  double (*growth)(const Count&, double p, double wrong) = log2_growth_on_count;
  double (*highest)(const std::vector<Night>&) = [](const std::vector<Night>& all) {
    std::vector<std::string> bets;
    for (std::size_t i = 0; i < all.front().log2_growth.size(); ++i)
      bets.push_back("bet " + std::to_string(i));
    Wealth wealth(20, bets);
    for (const Night& night : all) wealth.add(night);
    return wealth.highest();
  };
  Rational (*crossing)(const Factors&, const Rational&, unsigned, const Rational&) = ::crossing;
  double (*alpha_of_a_look)(double alpha, int looks) = [](double alpha, int) { return alpha; };
};

const std::vector<Mutant<BettingRules>> betting_mutants = {
    {"the best bet is taken for the average",
     "TheWealthIsThatOfTheAverageBet",
     {.highest =
          [](const std::vector<Night>& all) {
            double highest = 0;
            for (std::size_t bet = 0; bet < all.front().log2_growth.size(); ++bet) {
              double wealth = 0;
              for (const Night& night : all) {
                wealth += night.log2_growth[bet];
                highest = std::max(highest, wealth);
              }
            }
            return highest;
          }}},
    {"the bets are added and not averaged",
     "TheExactRateOfAlarmsIsBelowAlpha",
     {.highest = [](const std::vector<Night>& all) { return BettingRules().highest(all) + 1; }}},
    {"only the last night counts",
     "TheWealthIsThatOfTheAverageBet",
     {.highest =
          [](const std::vector<Night>& all) {
            Wealth wealth(20, {"bet 0", "bet 1"});
            for (const Night& night : all) wealth.add(night);
            return std::max(0.0, wealth.log2_wealth());
          }}},
    {"the likelihood ratio is upside down",
     "TheWealthIsThatOfTheAverageBet",
     {.growth = [](const Count& count, double p,
                   double wrong) { return -log2_growth_on_count(count, p, wrong); }}},
    {"failures do not count",
     "TheWealthIsThatOfTheAverageBet",
     {.growth =
          [](const Count& count, double p, double wrong) {
            return log2_growth_on_count({count.successes, count.trials}, p, wrong) -
                   static_cast<double>(count.trials - count.successes) *
                       std::log2((1 - wrong) / (1 - p));
          }}},
    {"only the last flip is looked at",
     "AllInReachesTheBound",
     {.crossing =
          [](const Factors& factors, const Rational& heads, unsigned flips, const Rational& level) {
            Rational total = 0;
            for (unsigned path = 0; path < 1U << flips; ++path) {
              Rational wealth = 1;
              Rational weight = 1;
              for (unsigned flip = 0; flip < flips; ++flip) {
                const bool is_heads = (path >> flip) % 2 == 1;
                wealth *= is_heads ? factors.heads : factors.tails;
                weight *= is_heads ? heads : Rational(1 - heads);
              }
              if (wealth >= level) total += weight;
            }
            return total;
          }}},
    {"the level is half as high",
     "NoFairBetCrossesMoreOftenThanAlpha",
     {.crossing =
          [](const Factors& factors, const Rational& heads, unsigned flips, const Rational& level) {
            return crossing(factors, heads, flips, level / 2);
          }}},
    {"debts are forgiven",
     "DebtsBreakTheBound",
     {.crossing =
          [](const Factors& factors, const Rational& heads, unsigned flips, const Rational& level) {
            const Rational tails = std::max<Rational>(0, factors.tails);
            const Rational mean = factors.heads * heads + tails * (1 - heads);
            return crossing({factors.heads / mean, tails / mean}, heads, flips, level);
          }}},
    {"every coin is fair",
     "AFalseLawCrossesMoreOften",
     {.crossing =
          [](const Factors& factors, const Rational&, unsigned flips, const Rational& level) {
            return crossing(factors, Rational(1, 2), flips, level);
          }}},
    {"a night counts once, however often it is played",
     "TheSameNumbersEveryNightBreakTheBound",
     {.highest =
          [](const std::vector<Night>& all) {
            return std::max(0.0, all.front().log2_growth.front());
          }}},
    {"α is shared among the looks",
     "LookingAgainAndAgainBreaksAPValue",
     {.alpha_of_a_look = [](double alpha, int looks) { return alpha / looks; }}},
};

//! [VillesInequality]
TEST(VillesInequality, NoFairBetCrossesMoreOftenThanAlpha) {
  judge(betting_mutants, [](const BettingRules& rules) {
    for (int tenths = 1; tenths < 10; tenths += 2)
      for (int quarters = 1; quarters <= 4; ++quarters) {
        const Rational heads(tenths, 10);
        // A stake at fair odds: the mean of the two factors is 1.
        const Rational stake(quarters, 4);
        const Factors factors{1 + stake * (1 - heads) / heads, 1 - stake};
        for (const int level : {2, 3, 8}) {
          EXPECT_LE(rules.crossing(factors, heads, 7, level), Rational(1, level))
              << "heads " << heads << ", stake " << stake << ", level " << level;
          enumerated(1U << 7);
        }
      }
  });
}
//! [VillesInequality]

TEST(VillesInequality, AllInReachesTheBound) {
  judge(betting_mutants, [](const BettingRules& rules) {
    for (unsigned k = 0; k <= 8; ++k) {
      const Rational level(1U << k);
      EXPECT_EQ(rules.crossing({2, 0}, Rational(1, 2), 9, level), 1 / level);
      enumerated(1U << 9);
    }
  });
}

//! [VillesInequality: the library's wealth on every path of a coin]
TEST(VillesInequality, TheWealthIsThatOfTheAverageBet) {
  judge(betting_mutants, [](const BettingRules& rules) {
    std::vector<unsigned> crossed(8, 0);
    for (unsigned path = 0; path < 1U << nights; ++path) {
      // Two bets, on heads with probability ¾ and on tails with ¾: factors 3/2 and 1/2.
      std::vector<Night> all;
      Rational bets[2] = {1, 1};
      Rational highest = 1;
      for (unsigned night = 0; night < nights; ++night) {
        const std::size_t heads = (path >> night) % 2;
        all.push_back(
            {night, {rules.growth({heads, 1}, 0.5, 0.75), rules.growth({heads, 1}, 0.5, 0.25)}});
        for (std::size_t bet = 0; bet < 2; ++bet) bets[bet] *= Rational(bet == heads ? 1 : 3, 2);
        highest = std::max<Rational>(highest, (bets[0] + bets[1]) / 2);
      }
      const double computed = rules.highest(all);
      // 3ʰ + 3ᵗ is a power of 2 only if h and t are 0 or 1; so no wealth above 1 is a power of 2,
      // and rounding decides nothing.
      for (unsigned k = 1; k < crossed.size(); ++k) {
        EXPECT_EQ(computed >= k, highest >= 1U << k) << "path " << path << ", level 2^" << k;
        crossed[k] += computed >= k ? 1 : 0;
      }
      enumerated(1);
    }
    for (unsigned k = 1; k < crossed.size(); ++k)
      EXPECT_LE(crossed[k] << k, 1U << nights) << "level 2^" << k;
    publish("paths_to_4", std::to_string(crossed[2]));
  });
}
//! [VillesInequality: the library's wealth on every path of a coin]

/// The probability that the wealth of two bets on a coin reaches 2⁶ after any of so many flips:
/// bets that heads come with probability p ± ¼, when they come with probability `heads`.
double alarm_rate(const BettingRules& rules, double p, double heads, std::size_t looks) {
  std::vector<double> quiet{1};  // probability of so many heads, and no alarm so far
  double alarms = 0;
  for (std::size_t flips = 1; flips <= looks; ++flips) {
    std::vector<double> next(flips + 1, 0.0);
    for (std::size_t h = 0; h < flips; ++h) {
      next[h] += quiet[h] * (1 - heads);
      next[h + 1] += quiet[h] * heads;
    }
    quiet = next;
    for (std::size_t h = 0; h <= flips; ++h) {
      const Count seen{h, flips};
      if (rules.highest({{0, {rules.growth(seen, p, p + 0.25), rules.growth(seen, p, p - 0.25)}}}) <
          6)
        continue;
      alarms += quiet[h];
      quiet[h] = 0;
    }
  }
  return alarms;
}

//! [VillesInequality: the exact rate of alarms]
TEST(VillesInequality, TheExactRateOfAlarmsIsBelowAlpha) {
  constexpr std::size_t looks = 200;
  judge(betting_mutants, [](const BettingRules& rules) {
    for (const double p : {0.5, 0.3}) {
      const double rate = alarm_rate(rules, p, p, looks);
      EXPECT_LE(rate, odds.alpha) << "heads with probability " << p;
      if (p == 0.5) publish("rate", digits(rate, 4));
    }
    publish("looks", std::to_string(looks));
    publish("missed", digits(1 - alarm_rate(rules, 0.5, 0.75, looks), 2));
    enumerated(2 * looks);
    evidence().weaken(Grade::bounded);
    of_the_statement();
  });
}
//! [VillesInequality: the exact rate of alarms]

TEST(VillesInequality, DebtsBreakTheBound) {
  judge(betting_mutants, [](const BettingRules& rules) {
    EXPECT_EQ(rules.crossing({3, -1}, Rational(1, 2), 1, 3), Rational(1, 2));
    enumerated(2);
    counterexample_without("no debts");
  });
}

TEST(VillesInequality, AFalseLawCrossesMoreOften) {
  judge(betting_mutants, [](const BettingRules& rules) {
    // Fair factors for a fair coin, but heads come three times in four.
    const Rational crossed =
        rules.crossing({Rational(3, 2), Rational(1, 2)}, Rational(3, 4), nights, 4);
    EXPECT_GT(crossed, Rational(1, 4));
    publish("crossed", digits(crossed.convert_to<double>(), 4));
    enumerated(1U << nights);
    counterexample_without("true law");
  });
}

TEST(VillesInequality, TheSameNumbersEveryNightBreakTheBound) {
  judge(betting_mutants, [](const BettingRules& rules) {
    unsigned crossed = 0;
    for (const std::size_t heads : {0U, 1U}) {
      std::vector<Night> all;
      for (unsigned night = 0; night < nights; ++night)
        all.push_back({night, {rules.growth({heads, 1}, 0.5, 0.75)}});
      crossed += rules.highest(all) >= 4 ? 1 : 0;
    }
    EXPECT_EQ(crossed, 1U) << "of 2, where the bound is 1 in 16";
    enumerated(2);
    counterexample_without("fresh numbers");
  });
}

/// The probability that the two-sided binomial check of a fair coin, made after every flip at level
/// α, rejects at least once; exact.
Rational any_look_rejects(double alpha, int looks) {
  const CountCheck coin(0.5);
  std::vector<Integer> passing{1};  // paths that no look has rejected, by their number of heads
  int rejected_up_to = -1;          // the check rejects counts up to this, and as many at the top
  for (int flips = 1; flips <= looks; ++flips) {
    passing.push_back(0);
    for (std::size_t heads = passing.size() - 1; heads > 0; --heads)
      passing[heads] += passing[heads - 1];
    const auto trials = static_cast<std::size_t>(flips);
    while (coin.p_value(rejected_up_to + 1, trials) <= alpha && rejected_up_to + 1 < flips)
      ++rejected_up_to;
    for (int heads = 0; heads <= rejected_up_to; ++heads) {
      passing[static_cast<std::size_t>(heads)] = 0;
      passing[static_cast<std::size_t>(flips - heads)] = 0;
    }
  }
  Integer total = 0;
  for (const Integer& paths : passing) total += paths;
  return 1 - Rational(total) / Rational(Integer(1) << static_cast<unsigned>(looks));
}

//! [VillesInequality: what looking again does to a p-value]
TEST(VillesInequality, LookingAgainAndAgainBreaksAPValue) {
  judge(betting_mutants, [](const BettingRules& rules) {
    const double alpha = 0.05;
    for (const int looks : {20, 100, 400}) {
      const Rational rejected = any_look_rejects(rules.alpha_of_a_look(alpha, looks), looks);
      EXPECT_GT(rejected, Rational(1, 20)) << looks << " looks";
      publish("after_" + std::to_string(looks), digits(rejected.convert_to<double>(), 4));
      enumerated(static_cast<std::uint64_t>(looks));
    }
  });
}
//! [VillesInequality: what looking again does to a p-value]

// ----------------------------------------------------------------------------- SeedsIgnoreTheSplit

/// How a test finds its numbers.
struct SeedRules {
  std::uint64_t (*seed)(std::uint64_t, std::string_view, std::uint64_t) = seed_of;
  std::uint64_t (*number)(std::uint64_t master, std::string_view name, std::uint64_t stream,
                          std::uint64_t place) = [](std::uint64_t master, std::string_view name,
                                                    std::uint64_t stream, std::uint64_t place) {
    Stream numbers = stream_of(master, name, stream);
    numbers.discard(place);
    return numbers();
  };
  Stream (*keyed)(std::uint64_t master, std::string_view name, std::uint64_t number) = stream_of;
};

const std::vector<Mutant<SeedRules>> seed_mutants = {
    {"a counter of calls is mixed in",
     "DependOnMasterNameAndStreamOnly",
     {.seed =
          [](std::uint64_t master, std::string_view name, std::uint64_t stream) {
            static std::uint64_t calls = 0;
            return seed_of(master, name, stream) + ++calls;
          }}},
    {"only the suite's name is hashed",
     "DependOnMasterNameAndStreamOnly",
     {.seed =
          [](std::uint64_t master, std::string_view name, std::uint64_t stream) {
            return seed_of(master, name.substr(0, name.find('.')), stream);
          }}},
    {"the stream's number is ignored",
     "NeverMeetForOneName",
     {.seed = [](std::uint64_t master, std::string_view name,
                 std::uint64_t) { return seed_of(master, name, 0); }}},
    {"half of the master seed is ignored",
     "NeverMeetForOneName",
     {.seed = [](std::uint64_t master, std::string_view name,
                 std::uint64_t stream) { return seed_of(master & 0xffffffffU, name, stream); }}},
    {"the stream's number is no part of its key",
     "NeverMeetForOneName",
     {.keyed = [](std::uint64_t master, std::string_view name,
                  std::uint64_t) { return stream_of(master, name, 0); }}},
    {"a stream begins at its number, under the key of the first",
     "NeverMeetForOneName",
     {.keyed =
          [](std::uint64_t master, std::string_view name, std::uint64_t stream) {
            Stream shifted = stream_of(master, name, 0);
            shifted.discard(stream);
            return shifted;
          }}},
    {"a split draws its first block twice",
     "AreTheSameHoweverTheyAreSplit",
     {.number =
          [](std::uint64_t master, std::string_view name, std::uint64_t stream,
             std::uint64_t place) {
            return SeedRules().number(master, name, stream, place < 4 ? place : place - 4);
          }}},
    {"the master seed is ignored",
     "AcrossMasterSeedsAlarmsAreAsRareAsStated",
     {.number =
          [](std::uint64_t, std::string_view name, std::uint64_t stream, std::uint64_t place) {
            return SeedRules().number(default_master_seed, name, stream, place);
          }}},
};

/// The full names of all tests of this program.
std::vector<std::string> test_names() {
  std::vector<std::string> names;
  const auto& program = *::testing::UnitTest::GetInstance();
  for (int i = 0; i < program.total_test_suite_count(); ++i) {
    const auto& suite = *program.GetTestSuite(i);
    for (int j = 0; j < suite.total_test_count(); ++j)
      names.push_back(std::string(suite.name()) + "." + suite.GetTestInfo(j)->name());
  }
  return names;
}

//! [SeedsIgnoreTheSplit]
TEST(SeedsIgnoreTheSplit, DependOnMasterNameAndStreamOnly) {
  static_assert(seed_of(default_master_seed, "Suite.Test", 0) == 0xe5f0505b02f7a8adU);
  judge(seed_mutants, [](const SeedRules& rules) {
    std::vector<std::string> names = test_names();
    std::vector<std::uint64_t> seeds;
    for (const std::string& name : names) seeds.push_back(rules.seed(1, name, 0));
    EXPECT_EQ(std::set(seeds.begin(), seeds.end()).size(), names.size()) << "two tests share one";
    // In any other order, and any subset alone: here backwards.
    for (std::size_t i = names.size(); i-- > 0;)
      EXPECT_EQ(rules.seed(1, names[i], 0), seeds[i]) << names[i];
    enumerated(names.size());
  });
}
//! [SeedsIgnoreTheSplit]

/// The inverse of mix().
constexpr std::uint64_t unmix(std::uint64_t bits) {
  bits = (bits ^ (bits >> 31) ^ (bits >> 62)) * 0x319642b2d24d8ec3U;
  bits = (bits ^ (bits >> 27) ^ (bits >> 54)) * 0x96de1b173f119089U;
  return bits ^ (bits >> 30) ^ (bits >> 60);
}

//! [SeedsIgnoreTheSplit: the way back from a seed]
TEST(SeedsIgnoreTheSplit, NeverMeetForOneName) {
  judge(seed_mutants, [](const SeedRules& rules) {
    for_all([&] {
      const auto master = *rc::gen::arbitrary<std::uint64_t>().as("master seed");
      const auto stream = *rc::gen::arbitrary<std::uint64_t>().as("stream");
      const auto shift = *rc::gen::inRange(0, 64).as("shift");
      const std::uint64_t wide = master << shift;
      const std::uint64_t seed = rules.seed(wide, "Suite.Test", stream);
      // The seed and the stream give the master seed back; the seed and the master the stream.
      RC_ASSERT(unmix(unmix(seed - mix(stream + 1)) ^ hash("Suite.Test")) == wide);
      RC_ASSERT(unmix(seed - mix(mix(wide) ^ hash("Suite.Test"))) - 1 == stream);
      // So do the two words of a stream's key, which is all that a stream depends on.
      const auto key = rules.keyed(wide, "Suite.Test", stream).getkey();
      RC_ASSERT(key[1] == stream);
      RC_ASSERT(unmix(unmix(key[0] - mix(1)) ^ hash("Suite.Test")) == wide);
    });
  });
}
//! [SeedsIgnoreTheSplit: the way back from a seed]

TEST(SeedsIgnoreTheSplit, AreTheSameHoweverTheyAreSplit) {
  judge(seed_mutants, [](const SeedRules& rules) {
    Stream whole = stream_of(7, "Suite.Test", 3);
    for (std::uint64_t place = 0; place < 100; ++place)
      EXPECT_EQ(rules.number(7, "Suite.Test", 3, place), whole()) << "at " << place;
    enumerated(100);
  });
}

TEST(SeedsIgnoreTheSplit, AcrossMasterSeedsAlarmsAreAsRareAsStated) {
  const std::size_t masters = runs_to_see(odds.alpha, odds.alpha);
  judge(seed_mutants, [&](const SeedRules& rules) {
    // One check at level α for each of so many master seeds, beginning with this run's.
    evidence().next_stream();
    Count alarms{0, masters};
    for (std::uint64_t i = 0; i < masters; ++i) {
      const double u = open_uniform(rules.number(active_seed() + i, current_test_name(), 0, 0));
      alarms.successes += u < odds.alpha ? 1 : 0;
    }
    expect_count("alarms", alarms, odds.alpha);
  });
}

// ----------------------------------------------------------------------- SmallEffectsNeedManyDraws

/// How many draws three checks need; two of them at the strict odds.
struct SizeRules {
  std::size_t (*mean)(Odds, double) = [](Odds wanted, double shift) {
    return sample_size(mean_check, wanted, shift);
  };
  std::size_t (*variance)(double) = [](double ratio) {
    return sample_size(variance_check, strict, ratio);
  };
  std::size_t (*distribution)(double) = [](double distance) {
    return sample_size(cdf_check, strict, distance);
  };
};

constexpr Odds one_sided_odds{2 * strict.alpha, strict.beta};

/// The formula of the textbooks, ⌈((z_{α/2} + z_β)/δ)²⌉.
std::size_t textbook_size(Odds wanted, double shift) {
  const double root = (quantile(complement(standard, wanted.alpha / 2)) +
                       quantile(complement(standard, wanted.beta))) /
                      shift;
  return static_cast<std::size_t>(std::ceil(root * root));
}
constexpr Odds coin_toss_odds{strict.alpha, 0.5};

const std::vector<Mutant<SizeRules>> size_mutants = {
    {"α is not divided between the two sides of the mean",
     "HalfTheEffectNeedsFourTimesTheDraws",
     {.mean = [](Odds, double shift) { return sample_size(mean_check, one_sided_odds, shift); }}},
    {"one draw less for the mean",
     "HalfTheEffectNeedsFourTimesTheDraws",
     {.mean = [](Odds wanted, double shift) { return SizeRules().mean(wanted, shift) - 1; }}},
    {"the formula of the textbooks, whatever the odds",
     "OddsThatASingleDrawKeepsNeedNoMore",
     {.mean = textbook_size}},
    {"α is not divided between the two sides of the variance",
     "TheIntegralOfTheDensityGivesTheSameSizes",
     {.variance = [](double ratio) { return sample_size(variance_check, one_sided_odds, ratio); }}},
    {"one draw more for the variance",
     "TheIntegralOfTheDensityGivesTheSameSizes",
     {.variance = [](double ratio) { return SizeRules().variance(ratio) + 1; }}},
    {"the effect is a ratio of deviations",
     "TheIntegralOfTheDensityGivesTheSameSizes",
     {.variance = [](double ratio) { return SizeRules().variance(ratio * ratio); }}},
    {"misses are forgotten",
     "HeadsOfManyDimensionsHideTheirErrors",
     {.distribution =
          [](double distance) { return sample_size(cdf_check, coin_toss_odds, distance); }}},
    {"twenty draws more for a distribution",
     "HalfTheEffectNeedsFourTimesTheDraws",
     {.distribution = [](double distance) { return SizeRules().distribution(distance) + 20; }}},
    {"the draws grow like the inverse distance",
     "HeadsOfManyDimensionsHideTheirErrors",
     {.distribution =
          [](double distance) {
            return static_cast<std::size_t>(static_cast<double>(SizeRules().distribution(0.25)) *
                                            0.25 / distance);
          }}},
};

/// The probability of missing a variance ratio, by integrating the density of χ²ₙ.
double integrated_miss(std::size_t n, double ratio) {
  const auto degrees = static_cast<double>(n);
  const boost::math::chi_squared null(degrees);
  const double a = quantile(null, strict.alpha / 2);
  const double b = quantile(complement(null, strict.alpha / 2));
  const auto density = [&](double x) { return pdf(null, x); };
  using Quadrature = boost::math::quadrature::gauss_kronrod<double, 61>;
  return std::max(Quadrature::integrate(density, a / ratio, b / ratio, 10, 1e-12),
                  Quadrature::integrate(density, a * ratio, b * ratio, 10, 1e-12));
}

/// The smallest number of draws at which the integral is at most β, found by going through all.
std::size_t first_size_that_suffices(double ratio) {
  std::size_t n = 1;
  while (integrated_miss(n, ratio) > strict.beta) ++n;
  return n;
}

//! [SmallEffectsNeedManyDraws]
TEST(SmallEffectsNeedManyDraws, TheIntegralOfTheDensityGivesTheSameSizes) {
  std::map<int, std::size_t> first;
  for (const int d : {2, 8, 64}) first[d] = first_size_that_suffices(d);
  judge(size_mutants, [&](const SizeRules& rules) {
    for (const auto& [d, n] : first) {
      EXPECT_EQ(rules.variance(d), n) << "d = " << d;
      publish("no_root_" + std::to_string(d), std::to_string(rules.variance(d)));
      enumerated(n);
    }
    evidence().weaken(Grade::bounded);
    of_the_statement();
  });
}
//! [SmallEffectsNeedManyDraws]

/// Pr(q·k > x) for x ≥ 0, standard normal entries and even d: the difference of two Gamma(d/2, 1),
/// which wait for the m-th events, m = d/2, of two streams of events.
double score_tail(int d, double x) {
  const int m = d / 2;
  // i events of the first stream before x; then m of the second before m − i of the first.
  const boost::math::negative_binomial race(m, 0.5);
  if (x == 0) return cdf(race, m - 1);
  double tail = 0;
  for (int i = 0; i < m; ++i) tail += pdf(boost::math::poisson(x), i) * cdf(race, m - 1 - i);
  return tail;
}

/// The Kolmogorov distance between the law of a score and N(0, d), for even d.
double distance_from_normal(int d) {
  const auto negative_gap = [d](double z) {
    return -std::abs(score_tail(d, z * std::sqrt(d)) - cdf(standard, -z));
  };
  constexpr int steps = 400;
  int best = 1;
  for (int i = 1; i < steps; ++i)
    if (negative_gap(4.0 * i / steps) < negative_gap(4.0 * best / steps)) best = i;
  return -boost::math::tools::brent_find_minima(negative_gap, 4.0 * (best - 1) / steps,
                                                4.0 * (best + 1) / steps, 40)
              .second;
}

TEST(SmallEffectsNeedManyDraws, HeadsOfManyDimensionsHideTheirErrors) {
  judge(size_mutants, [](const SizeRules& rules) {
    const double sum = std::sqrt(std::log(2 / strict.alpha)) + std::sqrt(std::log(1 / strict.beta));
    for (const int d : {2, 8, 64}) {
      const std::string at = "_" + std::to_string(d);
      const double distance = distance_from_normal(d);
      const double needed = sum * sum / (2 * distance * distance);
      const std::size_t n = rules.distribution(distance);
      EXPECT_LE(needed, static_cast<double>(n)) << "d = " << d;
      EXPECT_GT(needed, static_cast<double>(n - 1)) << "d = " << d;
      publish("distance" + at, digits(distance, 4));
      publish("normal" + at, std::to_string(n));
      publish("one_less" + at, std::to_string(rules.variance(static_cast<double>(d) / (d - 1))));
      enumerated(1);
    }
    evidence().weaken(Grade::bounded);
    of_the_statement();
  });
}

//! [SmallEffectsNeedManyDraws: half the effect]
TEST(SmallEffectsNeedManyDraws, HalfTheEffectNeedsFourTimesTheDraws) {
  judge(size_mutants, [](const SizeRules& rules) {
    const auto expect_four_times = [](std::size_t half, std::size_t whole, double effect) {
      EXPECT_LE(half, 4 * whole) << effect;
      EXPECT_GE(half + 3, 4 * whole) << effect;
      enumerated(1);
    };
    for (int i = 1; i <= 8; ++i) {
      const double shift = std::ldexp(1.0, -i);
      expect_four_times(rules.mean(strict, shift / 2), rules.mean(strict, shift), shift);
      const double distance = shift;
      expect_four_times(rules.distribution(distance / 2), rules.distribution(distance), distance);
      EXPECT_LE(mean_check.miss(rules.mean(strict, shift), strict.alpha, shift), strict.beta);
      EXPECT_GT(mean_check.miss(rules.mean(strict, shift) - 1, strict.alpha, shift), strict.beta);
      enumerated(1);
    }
    publish("quarter", std::to_string(rules.mean(strict, 0.25)));
    evidence().weaken(Grade::bounded);
    of_the_statement();
  });
}
//! [SmallEffectsNeedManyDraws: half the effect]

TEST(SmallEffectsNeedManyDraws, OddsThatASingleDrawKeepsNeedNoMore) {
  judge(size_mutants, [](const SizeRules& rules) {
    for (int i = 1; i <= 8; ++i) {
      EXPECT_EQ(rules.mean({0.75, 0.5}, std::ldexp(1.0, -i)), 1U) << "shift 2^-" << i;
      enumerated(1);
    }
    counterexample_without("odds that ask for something");
  });
}

}  // namespace
