// Code shared by the claims of chapter \ref trust.
//
// A check runs just often enough for the check of its counts to see the nearest mutant. The
// environment variable SQRTDK_CALIBRATION_RUNS asks for more; the test `calibration` sets it to 20000.
#pragma once

#include <sqrtdk/testing/kit.hpp>
#include <sqrtdk/testing/statistics/checks.hpp>
#include <sqrtdk/testing/statistics/run_test.hpp>
#include <sqrtdk/testing/statistics/sample_size.hpp>
#include <sqrtdk/testing/statistics/streams.hpp>

#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/uniform.hpp>

namespace sqrtdk::properties {
inline namespace chapter_trust {

using namespace sqrtdk::testing;

using boost::math::normal;
using Sample = std::vector<double>;

/// The error rates at which each check is calibrated.
inline constexpr ErrorRates rates{0x1p-6, 0x1p-6};

/// The error rates of the check of the calibration.
inline constexpr ErrorRates strict{0x1p-30, 0x1p-30};

/// The least number of runs that SQRTDK_CALIBRATION_RUNS asks for; 0 unless it is set.
inline std::size_t runs_asked_for() {
  const char* text = std::getenv("SQRTDK_CALIBRATION_RUNS");
  std::size_t runs = 0;
  if (text != nullptr && !read_number(text, runs))
    throw std::invalid_argument("SQRTDK_CALIBRATION_RUNS is '" + std::string(text) +
                                "', but must be an integer, at least 0");
  return runs;
}

/// The number of runs of an event of this probability, so that a probability wrong by `effect` is
/// seen at the strict error rates; at least runs_asked_for().
inline std::size_t runs_to_see(double probability, double effect) {
  const CountCheck check(probability);
  std::size_t runs = std::max(runs_asked_for(), sample_size(check, strict, effect));
  while (check.type_ii_error(runs, strict.alpha, effect) > strict.beta) ++runs;  // it may rise
  return runs;
}

/// The number of runs of an event of probability `truth`, so that no count agrees both with that
/// and with the smaller probability that is `stated`: a count that contradicts neither
/// the truth nor what is stated fails the running test.
inline std::size_t runs_to_tell_apart(double stated, double truth) {
  const CountCheck as_stated(stated);
  const CountCheck in_truth(truth);
  // The counts that agree with what is stated have probability α/2 at most, so that each of them
  // lies in the lower tail that a check of the truth rejects.
  const ErrorRates half{strict.alpha, strict.alpha / 2};
  const std::size_t runs = std::max(runs_asked_for(), sample_size(as_stated, half, truth - stated));
  for (std::size_t x = 0; x <= runs; ++x) {
    const auto count = static_cast<double>(x);
    EXPECT_TRUE(as_stated.p_value(count, runs) <= strict.alpha ||
                in_truth.p_value(count, runs) <= strict.alpha)
        << x << " of " << runs << " agrees with both";
  }
  return runs;
}

/// Samples of n observations, drawn once for the library and once for all mutants.
template <class Check, class Sampler>
class Repetitions {
 public:
  Repetitions(std::size_t runs, std::size_t n, Sampler sampler)
      : runs_(runs), n_(n), sampler_(sampler) {}

  template <class Rejects>
  Count rejected(Rejects rejects) {
    Stream stream = next_stream();
    auto& samples = samples_[active_seed()];
    for (std::size_t run = samples.size(); run < runs_; ++run)
      samples.push_back(draw_sample<Check>(n_, sampler_, stream));
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
inline void record_count(const std::string& what, const Count& count, double stated) {
  record_value("runs", std::to_string(count.trials));
  record_value(what, std::to_string(count.successes));
  record_value("rate",
               format_significant(
                   static_cast<double>(count.successes) / static_cast<double>(count.trials), 4));
  record_value("stated", format_significant(stated, 4));
}

/// Expects a count to be binomial with this probability: the judge of the page.
inline void expect_count(const std::string& what, const Count& count, double probability) {
  record_count(what, count, probability);
  expect_sample(CountCheck(probability), count);
}

inline Count others(const Count& count) { return {count.trials - count.successes, count.trials}; }

/// The samples that are counted.
enum class Counted { rejected, missed };

/// Expects that, of samples of n draws each, as many are rejected or missed as is said.
/// \param rules       what a check does: that of the library, or that of a mutant.
/// \param counted     which of them.
/// \param samples     the Repetitions.
/// \param probability with which one sample is counted.
/// \param rejects     whether `rules` reject a sample: a callable `bool(const Rules&, sample)`.
template <class Rules, class Samples, class Rejects>
Count calibrate(const Rules& rules, Counted counted, double probability, Samples& samples,
                Rejects rejects) {
  const Count rejected =
      samples.rejected([&](const auto& sample) { return rejects(rules, sample); });
  const Count count = counted == Counted::rejected ? rejected : others(rejected);
  expect_count(counted == Counted::rejected ? "rejected" : "missed", count, probability);
  return count;
}

/// The midpoints of 64 intervals that are equally likely under a distribution.
template <class Distribution>
Sample representatives(const Distribution& distribution) {
  Sample points;
  for (int i = 0; i < 64; ++i) points.push_back(quantile(distribution, (2 * i + 1) / 128.0));
  return points;
}

/// Draws of N(0, 1) in whole eighths, and those of another normal distribution: μ + σz, exactly.
struct DrawsInUnits {
  normal distribution;
  Sample standard;
  Sample drawn;
};

inline DrawsInUnits draws_in_units() {
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

/// The number of these points that a check rejects, each copied n times.
template <class Rejects>
std::size_t rejected_copies(const Sample& points, std::size_t n, Rejects rejects) {
  enumerated(points.size());
  return static_cast<std::size_t>(std::count_if(
      points.begin(), points.end(), [&](double point) { return rejects(Sample(n, point)); }));
}

inline const normal standard;

/// Expects four copies of one draw to be rejected for more than one of 64 equally likely draws.
template <class Rejects>
void expect_copies_rejected(Rejects rejects) {
  const std::size_t rejected = rejected_copies(representatives(standard), 4, rejects);
  EXPECT_EXACTLY(rejected > 1) << "of 64, where α allows 1";
  record_value("of_64", std::to_string(rejected));
  counterexample_without("independent");
}

inline const MeanCheck mean_check{standard};

inline const VarianceCheck variance_check{standard};

inline std::vector<Integer> binomial_coefficients(std::size_t n) {
  std::vector<Integer> row{1};
  for (std::size_t x = 0; x < n; ++x) row.push_back(row.back() * (n - x) / (x + 1));
  return row;
}

/// The probabilities of 0, 1, …, n successes, times the n-th power of the denominator of p.
inline std::vector<Integer> binomial_weights(std::size_t n, const Rational& p) {
  const Integer hit = numerator(p);
  const Integer miss = denominator(p) - hit;
  std::vector<Integer> weights = binomial_coefficients(n);
  Integer hits = 1;
  Integer misses = 1;
  for (std::size_t x = 0; x <= n; ++x) {
    weights[x] *= hits;
    weights[n - x] *= misses;
    hits *= hit;
    misses *= miss;
  }
  return weights;
}

/// The exact binomial probabilities, on purpose by another route than Boost's in CountCheck.
inline std::vector<Rational> binomial_probabilities(std::size_t n, const Rational& p) {
  const Integer all = pow(denominator(p), static_cast<unsigned>(n));
  std::vector<Rational> distribution;
  for (const Integer& weight : binomial_weights(n, p))
    distribution.push_back(Rational(weight, all));
  return distribution;
}

inline const CdfCheck cdf_check(boost::math::uniform(0, 1), "uniform");

inline int whole(double x) { return static_cast<int>(std::floor(x)); }
inline int whole(const Rational& x) {
  return static_cast<int>(Integer(numerator(x) / denominator(x)));
}

}  // namespace chapter_trust
}  // namespace sqrtdk::properties
