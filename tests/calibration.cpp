// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief The tests of the tests: does each statistical check reject as often as it says?
///
/// Each check runs many times on draws of its own law, and as often on draws of a law that is wrong
/// by the declared effect. Both counts are binomial with probabilities that are known, so a third
/// check judges them. Mutants are thresholds that are wrong by √2 and similar slips.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/uniform.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "sqrtdk/testing/ledger.hpp"
#include "sqrtdk/testing/mutants.hpp"
#include "sqrtdk/testing/run.hpp"
#include "sqrtdk/testing/statistics.hpp"

namespace {

using namespace sqrtdk::testing;
using boost::math::normal;
using Sample = std::vector<double>;

/// How often each check is run, and with which odds.
constexpr std::size_t runs = 20000;
constexpr Odds odds{0x1p-6, 0x1p-6};

/// The calibration's own α, one for each count that it judges.
constexpr auto calibration_ledger = std::to_array<LedgerEntry>({
    {"MeanCalibration.RejectsATrueLawAsOftenAsItSays", 1, 24},
    {"MeanCalibration.MissesTheDeclaredEffectAsOftenAsItSays", 1, 24},
    {"VarianceCalibration.RejectsATrueLawAsOftenAsItSays", 1, 24},
    {"VarianceCalibration.MissesTheDeclaredEffectAsOftenAsItSays", 1, 24},
    {"CountCalibration.RejectsATrueLawAsOftenAsItSays", 1, 24},
    {"CountCalibration.MissesTheDeclaredEffectAsOftenAsItSays", 1, 24},
    {"CdfCalibration.RejectsATrueLawAsOftenAsItSays", 1, 24},
    {"CdfCalibration.MissesTheDeclaredEffectNoMoreOftenThanItSays", 1, 24},
    {"PublicMistakes.AThresholdWithoutItsSquareRootOfTwoBreaksItsPromise", 1, 24},
    {"PublicMistakes.AThresholdWithItsSquareRootOfTwoKeepsItsPromise", 1, 24},
    {"PublicMistakes.OneFailureInFourHundredTwentyTimesIsFivePercent", 1, 24},
});
static_assert(spends_at_most(calibration_ledger, 20));

/// Whether a sample is rejected at level α; the default is the library, a mutant is wrong.
template <class Check>
struct Decision {
  bool (*rejects)(const Check&, const typename Check::Observations&, double) =
      [](const Check& check, const typename Check::Observations& sample, double alpha) {
        return sqrtdk::testing::detail::judged(check, sample, Odds{alpha, odds.beta}, 1).rejected;
      };
};

/// How many of all runs reject samples of n observations of what the sampler draws.
template <class Check, class Sampler>
Count rejections(const Decision<Check>& decision, const Check& check, std::size_t n,
                 Sampler sampler) {
  Stream stream = next_stream();
  Count rejected{0, runs};
  for (std::size_t run = 0; run < runs; ++run) {
    const auto sample = observe<Check>(n, sampler, stream);
    rejected.successes += decision.rejects(check, sample, odds.alpha) ? 1 : 0;
  }
  return rejected;
}

/// Shows a count on the way and keeps it as data that a page can quote.
void show(const std::string& what, const Count& count, double expected) {
  if (judging_a_mutant()) return;
  const double rate = static_cast<double>(count.successes) / static_cast<double>(count.trials);
  std::cout << "             " << what << " " << count.successes << " of " << count.trials << " ("
            << rounded_text(rate) << "), by the law " << rounded_text(expected) << std::endl;
  publish(what, std::to_string(count.successes));
  publish("rate", rounded_text(rate));
  publish("stated", rounded_text(expected));
}

/// Expects a count that its law says is binomial with this probability.
void expect_count(const std::string& what, const Count& count, double probability) {
  show(what, count, probability);
  expect_sample(CountCheck(probability), count);
}

/// Expects a count that is binomial with at most this probability, at the α of the ledger.
void expect_at_most(const std::string& what, const Count& count, double probability) {
  show(what, count, probability);
  evidence().weaken(Grade::statistical);
  const boost::math::binomial largest(static_cast<double>(count.trials), probability);
  const double p_value =
      count.successes == 0 ? 1 : cdf(complement(largest, static_cast<double>(count.successes) - 1));
  EXPECT_GT(p_value, alpha_of_next_check())
      << what << " " << count.successes << " of " << count.trials << ", but the probability is "
      << "stated to be at most " << probability << "\nreplay: " << replay_line();
}

Count others(const Count& count) { return {count.trials - count.successes, count.trials}; }

// ------------------------------------------------------------------------------------------- Mean

const MeanCheck mean_check{normal(1, 2)};
constexpr double mean_effect = 0.5;

const std::vector<Mutant<Decision<MeanCheck>>> mean_mutants = {
    {"the threshold is √2 too large",
     "MissesTheDeclaredEffectAsOftenAsItSays",
     {[](const MeanCheck& check, const Sample& sample, double alpha) {
       return check.p_value(check.statistic(sample) / std::sqrt(2.0), sample.size()) <= alpha;
     }}},
    {"the threshold is √2 too small",
     "RejectsATrueLawAsOftenAsItSays",
     {[](const MeanCheck& check, const Sample& sample, double alpha) {
       return check.p_value(check.statistic(sample) * std::sqrt(2.0), sample.size()) <= alpha;
     }}},
    {"α is not divided between the two sides",
     "RejectsATrueLawAsOftenAsItSays",
     {[](const MeanCheck& check, const Sample& sample, double alpha) {
       return check.p_value(check.statistic(sample), sample.size()) <= 2 * alpha;
     }}},
};

TEST(MeanCalibration, RejectsATrueLawAsOftenAsItSays) {
  const std::size_t n = sample_size(mean_check, odds, mean_effect);
  judge(mean_mutants, [&](const Decision<MeanCheck>& decision) {
    const Count rejected = rejections(decision, mean_check, n,
                                      [](Stream& stream) { return draw(normal(1, 2), stream); });
    expect_count("rejected", rejected, odds.alpha);
  });
}

TEST(MeanCalibration, MissesTheDeclaredEffectAsOftenAsItSays) {
  const std::size_t n = sample_size(mean_check, odds, mean_effect);
  judge(mean_mutants, [&](const Decision<MeanCheck>& decision) {
    const Count rejected = rejections(decision, mean_check, n, [](Stream& stream) {
      return draw(normal(1 - 2 * mean_effect, 2), stream);
    });
    expect_count("missed", others(rejected), mean_check.miss(n, odds.alpha, mean_effect));
  });
}

// --------------------------------------------------------------------------------------- Variance

const VarianceCheck variance_check{normal(1, 2)};
constexpr double variance_effect = 2;

/// The p-value of a statistic whose deviation from its mean n is stretched.
double stretched_p_value(const VarianceCheck& check, const Sample& sample, double factor) {
  const auto n = static_cast<double>(sample.size());
  return check.p_value(std::max(0.0, n + (check.statistic(sample) - n) * factor), sample.size());
}

const std::vector<Mutant<Decision<VarianceCheck>>> variance_mutants = {
    {"the threshold is √2 too far out",
     "MissesTheDeclaredEffectAsOftenAsItSays",
     {[](const VarianceCheck& check, const Sample& sample, double alpha) {
       return stretched_p_value(check, sample, 1 / std::sqrt(2.0)) <= alpha;
     }}},
    {"the threshold is √2 too near",
     "RejectsATrueLawAsOftenAsItSays",
     {[](const VarianceCheck& check, const Sample& sample, double alpha) {
       return stretched_p_value(check, sample, std::sqrt(2.0)) <= alpha;
     }}},
    {"α is not divided between the two sides",
     "RejectsATrueLawAsOftenAsItSays",
     {[](const VarianceCheck& check, const Sample& sample, double alpha) {
       return check.p_value(check.statistic(sample), sample.size()) <= 2 * alpha;
     }}},
};

TEST(VarianceCalibration, RejectsATrueLawAsOftenAsItSays) {
  const std::size_t n = sample_size(variance_check, odds, variance_effect);
  judge(variance_mutants, [&](const Decision<VarianceCheck>& decision) {
    const Count rejected = rejections(decision, variance_check, n,
                                      [](Stream& stream) { return draw(normal(1, 2), stream); });
    expect_count("rejected", rejected, odds.alpha);
  });
}

TEST(VarianceCalibration, MissesTheDeclaredEffectAsOftenAsItSays) {
  const std::size_t n = sample_size(variance_check, odds, variance_effect);
  // A variance twice as large is missed more often than one half as large.
  judge(variance_mutants, [&](const Decision<VarianceCheck>& decision) {
    const Count rejected = rejections(decision, variance_check, n, [](Stream& stream) {
      return draw(normal(1, 2 * std::sqrt(variance_effect)), stream);
    });
    expect_count("missed", others(rejected), variance_check.miss(n, odds.alpha, variance_effect));
  });
}

// ------------------------------------------------------------------------------------------ Count

constexpr double probability = 0.3;
constexpr double count_effect = 0.15;
const CountCheck count_check{probability};

/// The p-value of a count whose deviation from its mean is stretched.
double stretched_p_value(const CountCheck& check, const Count& count, double factor) {
  const auto n = static_cast<double>(count.trials);
  const double mean = n * probability;
  const double stretched = mean + (static_cast<double>(count.successes) - mean) * factor;
  return check.p_value(std::clamp(std::round(stretched), 0.0, n), count.trials);
}

const std::vector<Mutant<Decision<CountCheck>>> count_mutants = {
    {"the threshold is √2 too far out",
     "MissesTheDeclaredEffectAsOftenAsItSays",
     {[](const CountCheck& check, const Count& count, double alpha) {
       return stretched_p_value(check, count, 1 / std::sqrt(2.0)) <= alpha;
     }}},
    {"the threshold is √2 too near",
     "RejectsATrueLawAsOftenAsItSays",
     {[](const CountCheck& check, const Count& count, double alpha) {
       return stretched_p_value(check, count, std::sqrt(2.0)) <= alpha;
     }}},
    {"the count itself is left out of its tail",
     "RejectsATrueLawAsOftenAsItSays",
     {[](const CountCheck& check, const Count& count, double alpha) {
       const auto x = static_cast<double>(count.successes);
       const auto n = static_cast<double>(count.trials);
       return (x > 0 && check.p_value(x - 1, count.trials) <= alpha && x < n * probability) ||
              (x < n && check.p_value(x + 1, count.trials) <= alpha && x > n * probability);
     }}},
};

TEST(CountCalibration, RejectsATrueLawAsOftenAsItSays) {
  const std::size_t n = sample_size(count_check, odds, count_effect);
  judge(count_mutants, [&](const Decision<CountCheck>& decision) {
    const Count rejected = rejections(decision, count_check, n,
                                      [](Stream& stream) { return uniform(stream) < probability; });
    expect_count("rejected", rejected, count_check.size(n, odds.alpha));
  });
}

TEST(CountCalibration, MissesTheDeclaredEffectAsOftenAsItSays) {
  const std::size_t n = sample_size(count_check, odds, count_effect);
  // The larger probability has the larger variance and is missed more often.
  judge(count_mutants, [&](const Decision<CountCheck>& decision) {
    const Count rejected = rejections(decision, count_check, n, [](Stream& stream) {
      return uniform(stream) < probability + count_effect;
    });
    expect_count("missed", others(rejected), count_check.miss(n, odds.alpha, count_effect));
  });
}

// -------------------------------------------------------------------------------------------- Cdf

const CdfCheck cdf_check(boost::math::uniform(0, 1), "uniform");
constexpr double cdf_effect = 0.25;

const std::vector<Mutant<Decision<CdfCheck<boost::math::uniform>>>> cdf_mutants = {
    {"the threshold is √2 too large",
     "RejectsATrueLawAsOftenAsItSays",
     {[](const CdfCheck<boost::math::uniform>& check, const Sample& sample, double alpha) {
       return check.p_value(check.statistic(sample) / std::sqrt(2.0), sample.size()) <= alpha;
     }}},
    {"the threshold is twice too large",
     "MissesTheDeclaredEffectNoMoreOftenThanItSays",
     {[](const CdfCheck<boost::math::uniform>& check, const Sample& sample, double alpha) {
       return check.p_value(check.statistic(sample) / 2, sample.size()) <= alpha;
     }}},
    {"the threshold is √2 too small",
     "RejectsATrueLawAsOftenAsItSays",
     {[](const CdfCheck<boost::math::uniform>& check, const Sample& sample, double alpha) {
       return check.p_value(check.statistic(sample) * std::sqrt(2.0), sample.size()) <= alpha;
     }}},
    {"the two sides are not both counted",
     "RejectsATrueLawAsOftenAsItSays",
     {[](const CdfCheck<boost::math::uniform>& check, const Sample& sample, double alpha) {
       return check.p_value(check.statistic(sample), sample.size()) <= 2 * alpha;
     }}},
};

/// Pr(D_n < d), exactly: n!/nⁿ times the middle entry of the n-th power of a matrix.
/// Source: Marsaglia, Tsang and Wang, "Evaluating Kolmogorov's distribution" (2003).
double kolmogorov_cdf(int n, double d) {
  const int k = static_cast<int>(std::floor(n * d)) + 1;
  const double h = k - n * d;
  const int m = 2 * k - 1;
  Eigen::MatrixXd matrix(m, m);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < m; ++j) matrix(i, j) = i - j + 1 < 0 ? 0 : 1;
  for (int i = 0; i < m; ++i) {
    matrix(i, 0) -= std::pow(h, i + 1);
    matrix(m - 1, i) -= std::pow(h, m - i);
  }
  matrix(m - 1, 0) += 2 * h - 1 > 0 ? std::pow(2 * h - 1, m) : 0;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < m; ++j)
      if (i - j + 1 > 0) matrix(i, j) /= std::tgamma(i - j + 2);
  Eigen::RowVectorXd row = Eigen::RowVectorXd::Unit(m, k - 1);
  for (int i = 1; i <= n; ++i) row = (row * matrix * (static_cast<double>(i) / n)).eval();
  return row(k - 1);
}

TEST(KolmogorovLaw, HasThePublishedValue) {
  EXPECT_NEAR(kolmogorov_cdf(10, 0.274), 0.6284796154565, 1e-13);
}

TEST(CdfCalibration, RejectsATrueLawAsOftenAsItSays) {
  const std::size_t n = sample_size(cdf_check, odds, cdf_effect);
  const double epsilon = std::sqrt(std::log(2 / odds.alpha) / (2 * static_cast<double>(n)));
  const double exact = 1 - kolmogorov_cdf(static_cast<int>(n), epsilon);
  EXPECT_LE(exact, odds.alpha);
  judge(cdf_mutants, [&](const Decision<CdfCheck<boost::math::uniform>>& decision) {
    expect_count("rejected", rejections(decision, cdf_check, n, uniform), exact);
  });
}

TEST(CdfCalibration, MissesTheDeclaredEffectNoMoreOftenThanItSays) {
  const std::size_t n = sample_size(cdf_check, odds, cdf_effect);
  // U(0, 1 − Δ) has distance Δ from U(0, 1), at 1 − Δ.
  judge(cdf_mutants, [&](const Decision<CdfCheck<boost::math::uniform>>& decision) {
    const Count rejected = rejections(
        decision, cdf_check, n, [](Stream& stream) { return (1 - cdf_effect) * uniform(stream); });
    expect_at_most("missed", others(rejected), odds.beta);
  });
}

// --------------------------------------------------------------------------------- PublicMistakes

/// Two mistakes that are in use, rebuilt from their formulas.
class PublicMistakes : public ::testing::Test {
 protected:
  void SetUp() override { evidence() = Evidence(); }
  void TearDown() override { evidence().record(); }
};

/// A comparison of two samples of equal size that is stated to fail at a given rate if their laws
/// are equal: both are sorted together and cut into ten bins, and each bin's mean label (+1 for the
/// one sample, −1 for the other) must be below factor·erf⁻¹(1 − 2·rate/10)/√(size of a bin).
///
/// If the laws are equal, the order of the labels is a uniformly random arrangement, whatever the
/// law; so no law needs to be drawn from. The right factor is √2.
struct TwoSampleComparison {
  static constexpr int sample = 10000;
  static constexpr int bins = 10;
  static constexpr int bin = 2 * sample / bins;

  double factor;
  double stated_rate;

  /// Whether a bin with so many labels +1 is below the threshold.
  bool passes(int plus) const {
    const double threshold =
        factor * boost::math::erf_inv(1 - 2 * stated_rate / bins) / std::sqrt(bin);
    return std::abs(2 * plus - bin) < threshold * bin;
  }

  /// The number of alarms when it is run on random arrangements.
  Count alarms(Stream& stream) const {
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

  /// The exact probability of an alarm: the labels of a bin would be binomial with probability ½ if
  /// their total were not fixed, so condition ten binomial counts that pass on their sum.
  double exact_rate() const {
    const boost::math::binomial in_bin(bin, 0.5);
    std::vector<double> sum(1, 1.0);  // Pr(the bins so far pass and have so many labels +1)
    for (int i = 0; i < bins; ++i) {
      std::vector<double> next(sum.size() + bin, 0.0);
      for (int plus = 0; plus <= bin; ++plus) {
        if (!passes(plus)) continue;
        const double weight = pdf(in_bin, plus);
        for (std::size_t s = 0; s < sum.size(); ++s)
          next[s + static_cast<std::size_t>(plus)] += weight * sum[s];
      }
      sum = next;
    }
    return 1 - sum[sample] / pdf(boost::math::binomial(2 * sample, 0.5), sample);
  }
};

/// The Clopper–Pearson interval of a count, as text.
std::string interval(const Count& count, double alpha) {
  using boost::math::binomial;
  const auto n = static_cast<double>(count.trials);
  const auto x = static_cast<double>(count.successes);
  return rounded_text(binomial::find_lower_bound_on_p(n, x, alpha / 2)) + " to " +
         rounded_text(binomial::find_upper_bound_on_p(n, x, alpha / 2));
}

/// Runs a procedure's alarms against what it claims and against the truth, both published.
void expect_truth(const Count& alarms, double claimed, double truth) {
  expect_count("alarms", alarms, truth);
  publish("claimed", rounded_text(claimed));
  publish("interval", interval(alarms, 0x1p-24));
}

/// Expects that a calibration refutes the claimed rate.
void expect_refuted(const Count& alarms, double claimed) {
  EXPECT_TRUE(examine(CountCheck(claimed), alarms, Odds{0x1p-24, 0x1p-24}).rejected)
      << "the claimed rate is not refuted: the calibration has lost its teeth";
}

TEST_F(PublicMistakes, AThresholdWithoutItsSquareRootOfTwoBreaksItsPromise) {
  const TwoSampleComparison comparison{1, 1e-3};
  Stream stream = next_stream();
  const Count alarms = comparison.alarms(stream);
  expect_truth(alarms, comparison.stated_rate, comparison.exact_rate());
  expect_refuted(alarms, comparison.stated_rate);
}

TEST_F(PublicMistakes, AThresholdWithItsSquareRootOfTwoKeepsItsPromise) {
  const TwoSampleComparison comparison{std::sqrt(2.0), 1e-3};
  Stream stream = next_stream();
  expect_truth(comparison.alarms(stream), comparison.stated_rate, comparison.exact_rate());
  EXPECT_LE(comparison.exact_rate(), comparison.stated_rate);
}

TEST_F(PublicMistakes, OneFailureInFourHundredTwentyTimesIsFivePercent) {
  const double claimed = 0.0005;
  Stream stream = next_stream();
  Count alarms{0, runs};
  for (std::size_t run = 0; run < runs; ++run) {
    int failures = 0;
    for (int trial = 0; trial < 20; ++trial) failures += uniform(stream) < 1.0 / 400 ? 1 : 0;
    alarms.successes += failures > 0 ? 1 : 0;
  }
  expect_truth(alarms, claimed, 1 - std::pow(399.0 / 400, 20));
  expect_refuted(alarms, claimed);
}

}  // namespace

int main(int argc, char** argv) {
  active_ledger() = calibration_ledger;
  std::cout << "calibration: " << summary(calibration_ledger) << '\n';
  return sqrtdk::testing::run(argc, argv);
}
