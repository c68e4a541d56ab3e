#include "properties/trust/fixture.hpp"

#include <boost/math/special_functions/erf.hpp>

namespace sqrtdk::properties::MissingRootOfTwo {

std::vector<Rational> fair_probabilities(int n) {
  return binomial_probabilities(static_cast<std::size_t>(n), Rational(1, 2));
}

Rational fair_half_probability(int n) {
  Integer ways = 1;
  for (int i = 1; i <= n; ++i) ways = ways * (n + i) / i;
  return Rational(ways, Integer(1) << static_cast<unsigned>(2 * n));
}

/// A comparison of two samples of equal size that is stated to fail at a given rate if their
/// distributions are equal: both are sorted together and cut into ten bins, and each bin's mean
/// label (+1 for the one sample, −1 for the other) must be below a threshold.
///
/// If the distributions are equal, the order of the labels is a uniformly random arrangement,
/// whatever the distribution; so none needs to be drawn from.
struct TwoSampleComparison {
  static constexpr int sample = 10000;
  static constexpr int bins = 10;
  static constexpr int bin = 2 * sample / bins;
  static constexpr double stated_rate = 1e-3;

  double threshold;

  /// True if a bin with so many labels +1 is below the threshold.
  bool passes(int plus) const { return std::abs(2 * plus - bin) < threshold * bin; }

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
    const std::vector<Rational>& in_bin = memoized<fair_probabilities>(bin);
    std::vector<std::pair<std::size_t, double>> passing;
    for (int plus = 0; plus <= bin; ++plus)
      if (passes(plus))
        passing.emplace_back(plus, in_bin[static_cast<std::size_t>(plus)].convert_to<double>());
    std::vector<double> sum(1, 1.0);  // Pr(the bins so far pass and have so many labels +1)
    for (int i = 0; i < bins; ++i) {
      std::vector<double> next(sum.size() + bin, 0.0);
      for (std::size_t s = 0; s < sum.size(); ++s)
        if (sum[s] > 0)
          for (const auto& [plus, weight] : passing) next[s + plus] += weight * sum[s];
      sum = next;
    }
    return 1 - sum[sample] / memoized<fair_half_probability>(sample).convert_to<double>();
  }
};

struct Subject {
  double (*threshold)(double rate, int bins, int bin) = [](double rate, int bins, int bin) {
    return std::sqrt(2.0) * boost::math::erf_inv(1 - 2 * rate / bins) / std::sqrt(bin);
  };
  bool (*refutes)(double stated, const Count& alarms) = [](double stated, const Count& alarms) {
    return run_test(CountCheck(stated), alarms, strict).rejected;
  };
};

/// Of how much the page shows that an exact rate is right.
constexpr double rate_error = 1e-9;

TwoSampleComparison comparison(const Subject& subject, double factor) {
  using Comparison = TwoSampleComparison;
  return {factor * subject.threshold(Comparison::stated_rate, Comparison::bins, Comparison::bin)};
}

template <int square>
double scaled_threshold(double rate, int bins, int bin) {
  return Subject().threshold(rate, bins, bin) * std::sqrt(square / 2.0);
}

//! [MissingRootOfTwo]
STATEMENT(MissingRootOfTwo, WithItsRootTheThresholdKeepsItsPromise) {
  const double rate = comparison(subject, 1).exact_rate();
  EXPECT_LT(rate + rate_error, TwoSampleComparison::stated_rate);
  record_value("rate", format_significant(rate, 4));
  enumerated(1);
  evidence().rests_on(EvidenceLevel::bounded);
}
//! [MissingRootOfTwo]
KILLS("the root of two is missing", {.threshold = scaled_threshold<1>});
KILLS("the rate is not divided among the bins",
      {.threshold = [](double rate, int, int bin) { return Subject().threshold(rate, 1, bin); }});

//! [MissingRootOfTwo: without it]
STATEMENT(MissingRootOfTwo, WithoutItTheExactRateIsMoreThanFiftyTimesTheStatedOne) {
  constexpr double stated = TwoSampleComparison::stated_rate;
  const double rate = comparison(subject, std::sqrt(0.5)).exact_rate();
  EXPECT_GT(rate - rate_error, 50 * stated);
  record_value("rate", format_significant(rate, 4));
  enumerated(1);
  evidence().rests_on(EvidenceLevel::bounded);
}
//! [MissingRootOfTwo: without it]
KILLS("two in place of its root, seen in the exact rate", {.threshold = scaled_threshold<4>});

//! [MissingRootOfTwo: the calibration that finds it]
ASIDE(MissingRootOfTwo, WithoutItTheRateIsFiftyTimesWhatIsStated) {
  constexpr double stated = TwoSampleComparison::stated_rate;
  const TwoSampleComparison mistaken = comparison(subject, std::sqrt(0.5));
  const double rate = mistaken.exact_rate();
  EXPECT_GT(rate, 50 * stated);
  if (rate < stated) return;
  Stream stream = next_stream();
  const Count alarms = mistaken.alarms(runs_to_tell_apart(stated, rate), stream);
  expect_count("alarms", alarms, rate);
  // No risk of its own: no count agrees with both rates.
  EXPECT_TRUE(subject.refutes(stated, alarms))
      << "the stated rate is not refuted: the calibration has lost its teeth";
}
//! [MissingRootOfTwo: the calibration that finds it]
KILLS("two in place of its root", {.threshold = scaled_threshold<4>});
KILLS("no stated rate is refuted", {.refutes = [](double, auto&) { return false; }});

ASIDE(MissingRootOfTwo, CopiesOfOneDrawAlwaysRaiseAnAlarm) {
  // Sorted together, one sample stands before the other: all labels of a bin are equal.
  for (const int plus : {0, TwoSampleComparison::bin})
    EXPECT_EXACTLY(!comparison(subject, 1).passes(plus)) << plus << " labels +1 in a bin";
  enumerated(2);
  counterexample_without("independent");
}
KILLS("the threshold is that of a single label",
      {.threshold = [](double rate, int bins, int) { return Subject().threshold(rate, bins, 1); }});

}  // namespace sqrtdk::properties::MissingRootOfTwo
