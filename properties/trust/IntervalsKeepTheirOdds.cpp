#include <sqrtdk/testing/statistics/confidence_interval.hpp>
#include <sqrtdk/testing/statistics/intervals.hpp>
#include <sqrtdk/testing/statistics/sign_test.hpp>

#include "properties/trust/fixture.hpp"

namespace sqrtdk::properties::IntervalsKeepTheirOdds {

struct Subject {
  ConfidenceInterval (*frequency)(const Count&, double alpha) = frequency_interval;
  ConfidenceInterval (*median)(std::vector<double>, const Rational& alpha) = median_interval;
  double (*error)(std::size_t n, double alpha) = hoeffding_error;
  std::size_t (*draws)(double epsilon, double alpha) = hoeffding_draws;
  ConfidenceInterval (*mean)(std::span<const double>, double alpha) = mean_interval;
  double (*sees)(const ConfidenceInterval&) = [](const ConfidenceInterval& found) {
    return found.upper - found.lower;
  };
};

bool holds(const ConfidenceInterval& found, const Rational& number) {
  return Rational(found.lower) <= number && number <= Rational(found.upper);
}

//! [IntervalsKeepTheirOdds]
STATEMENT(IntervalsKeepTheirOdds, RandomFrequenciesLieInside) {
  for_all([&] {
    const auto n = *rc::gen::inRange<std::size_t>(1, 21).as("number of trials");
    const Rational p(*rc::gen::inRange(1, 64).as("64 p"), 64);
    const double alpha = std::exp2(-*rc::gen::inRange(1, 13).as("−log₂ α"));
    const std::vector<Rational>& distribution = memoized<binomial_probabilities>(n, p);
    Rational missed = 0;
    for (std::size_t x = 0; x <= n; ++x)
      if (!holds(subject.frequency({x, n}, alpha), p)) missed += distribution[x];
    EXPECT_EXACTLY(missed <= Rational(alpha));
  });
}
//! [IntervalsKeepTheirOdds]
KILLS("α is not divided between the two sides of a frequency, at any size and rate",
      {.frequency = [](auto& count, double alpha) {
        return frequency_interval(count, std::min(2 * alpha, 0.75));
      }});

//! [IntervalsKeepTheirOdds: exact check]
STATEMENT(IntervalsKeepTheirOdds, FrequenciesLieInside) {
  Rational most = 0;
  for (int tenths = 1; tenths < 10; ++tenths)
    for (std::size_t n = 1; n <= 20; ++n) {
      const std::vector<Rational>& distribution =
          memoized<binomial_probabilities>(n, Rational(tenths, 10));
      Rational missed = 0;
      for (std::size_t x = 0; x <= n; ++x) {
        const ConfidenceInterval found = subject.frequency({x, n}, rates.alpha);
        if (!holds(found, Rational(tenths, 10))) missed += distribution[x];
      }
      EXPECT_EXACTLY(missed <= Rational(rates.alpha)) << "p = " << tenths << "/10, n = " << n;
      most = std::max(most, missed);
      enumerated(1);
    }
  record_value("most", format_significant(most.convert_to<double>(), 4));
}
//! [IntervalsKeepTheirOdds: exact check]
KILLS("α is not divided between the two sides of a frequency",
      {.frequency = [](auto& count, double alpha) {
        return frequency_interval(count, 2 * alpha);
      }});
KILLS("the normal approximation for a frequency", {.frequency = [](auto& count, double alpha) {
        const auto n = static_cast<double>(count.trials);
        const double share = static_cast<double>(count.successes) / n;
        const double half = -quantile(standard, alpha / 2) * std::sqrt(share * (1 - share) / n);
        return ConfidenceInterval{share - half, share, share + half};
      }});

STATEMENT(IntervalsKeepTheirOdds, MediansLieInside) {
  constexpr unsigned largest = 64;
  Rational most = 0;
  for (unsigned n = 7; n <= largest; ++n) {
    const std::vector<Rational>& ways = memoized<binomial_probabilities>(n, Rational(1, 2));
    // Draws of a distribution with median 0, of which so many are negative.
    Rational missed = 0;
    for (std::size_t negative = 0; negative <= n; ++negative) {
      Sample sample(n);
      std::iota(sample.begin(), sample.end(), 0.5 - static_cast<double>(negative));
      std::rotate(sample.begin(), sample.begin() + n / 3, sample.end());
      const ConfidenceInterval found = subject.median(sample, rates.alpha);
      if (!holds(found, 0)) missed += ways[negative];
      EXPECT_EXACTLY(holds(found, Rational(found.estimate)));
    }
    // As often as the counts allow and no more: the next order statistics miss too often.
    Rational allowed = 0;
    Rational tail = ways[0];
    for (std::size_t k = 1; 2 * tail <= Rational(rates.alpha); tail += ways[k++])
      allowed = 2 * tail;
    EXPECT_EXACTLY(missed <= Rational(rates.alpha)) << n << " draws";
    EXPECT_EXACTLY(missed == allowed) << n << " draws";
    most = std::max(most, missed);
    enumerated(n + 1);
  }
  record_value("most", format_significant(most.convert_to<double>(), 4));
  const ConfidenceInterval too_few = subject.median(Sample(6), rates.alpha);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EXACTLY(bits_of(too_few.lower) == bits_of(-infinity));
  EXPECT_EXACTLY(bits_of(too_few.upper) == bits_of(infinity));
}
KILLS("α is not divided between the two sides of a median",
      {.median = [](std::vector<double> sample, auto& alpha) {
        return median_interval(std::move(sample), 2 * alpha);
      }});
KILLS("α is divided by four for a median", {.median = [](std::vector<double> sample, auto& alpha) {
        return sample.size() < 8 ? median_interval(std::move(sample), alpha)
                                 : median_interval(std::move(sample), alpha / 2);
      }});

STATEMENT(IntervalsKeepTheirOdds, MeansLieWithinHoeffdingsError) {
  Rational most = 0;
  for (int sixteenths = 1; sixteenths < 16; ++sixteenths)
    for (const std::size_t n : {8U, 20U, 60U}) {
      const Rational p(sixteenths, 16);
      const std::vector<Rational>& distribution = memoized<binomial_probabilities>(n, p);
      const Rational error(subject.error(n, rates.alpha));
      Rational missed = 0;
      for (std::size_t x = 0; x <= n; ++x)
        if (abs(Rational(x, n) - p) >= error) missed += distribution[x];
      EXPECT_EXACTLY(missed <= Rational(rates.alpha)) << "p = " << sixteenths << "/16, n = " << n;
      most = std::max(most, missed);
      enumerated(1);
    }
  record_value("most", format_significant(most.convert_to<double>(), 4));
}
KILLS("Hoeffding's error √2 too small",
      {.error = [](auto n, double alpha) { return hoeffding_error(2 * n, alpha); }});

STATEMENT(IntervalsKeepTheirOdds, TheErrorsOfMeansAreThoseOfTheFormulas) {
  // Forty bits: nobody proved that exponentials and logarithms here are right to more.
  evidence().rests_on(EvidenceLevel::measured);
  for (const std::size_t n : {1U, 10U, 1000U}) {
    const double error = subject.error(n, rates.alpha);
    const double bound = 2 * std::exp(-2 * static_cast<double>(n) * error * error);
    EXPECT_NEAR(bound / rates.alpha, 1, 0x1p-40) << n << " draws";
  }
  for (const double epsilon : {0.02, 0.1, 0.5}) {
    const std::size_t n = subject.draws(epsilon, rates.alpha);
    EXPECT_LE(subject.error(n, rates.alpha), epsilon);
    EXPECT_GT(subject.error(n - 1, rates.alpha), epsilon);
  }
  // ln(4/α) = 2, and the variances are ½ and 1/5.
  const double alpha = 4 * std::exp(-2.0);
  EXPECT_NEAR(subject.mean(Sample{0, 1}, alpha).upper, 0.5 + 1 + 14.0 / 3, 0x1p-40);
  EXPECT_NEAR(subject.mean(Sample{0, 0, 1, 0, 0}, alpha).lower, 0.2 - std::sqrt(0.16) - 14.0 / 12,
              0x1p-40);
  enumerated(8);
}
KILLS("only one side of Hoeffding's error counts",
      {.error = [](auto n, double alpha) { return hoeffding_error(n, 2 * alpha); }});
KILLS("one draw less than Hoeffding's",
      {.draws = [](double epsilon, double alpha) { return hoeffding_draws(epsilon, alpha) - 1; }});
KILLS("α is divided by two in place of four", {.mean = [](auto sample, double alpha) {
        return mean_interval(sample, std::min(2 * alpha, 0.75));
      }});

/// The empirical Bernstein interval with its two terms multiplied.
template <int variance_term, int range_term>
ConfidenceInterval weighted_terms(std::span<const double> sample, double alpha) {
  const auto n = static_cast<double>(sample.size());
  const ConfidenceInterval found = mean_interval(sample, alpha);
  const double range = 7 * std::log(4 / alpha) / (3 * (n - 1));
  const double half = variance_term * (found.upper - found.estimate - range) + range_term * range;
  return {found.estimate - half, found.estimate, found.estimate + half};
}

//! [IntervalsKeepTheirOdds: the empirical Bernstein interval]
STATEMENT(IntervalsKeepTheirOdds, MeansLieInsideTheEmpiricalBernsteinInterval) {
  Rational most = 0;
  for (const std::size_t n : {50U, 200U, 1000U})
    for (const int thousandths : {1, 10, 100, 500}) {
      // Numbers that are 1 with probability p and else 0.
      const Rational p(thousandths, 1000);
      const std::vector<Integer> weights = memoized<binomial_weights>(n, p);
      Integer weight_missed = 0;
      Sample sample(n, 0.0);
      for (std::size_t ones = 0; ones <= n; ++ones) {
        if (ones > 0) sample[ones - 1] = 1;
        if (!holds(subject.mean(sample, rates.alpha), p)) weight_missed += weights[ones];
      }
      const Rational missed(weight_missed, pow(denominator(p), static_cast<unsigned>(n)));
      EXPECT_EXACTLY(missed <= Rational(rates.alpha)) << "p = " << p << ", n = " << n;
      most = std::max(most, missed);
      enumerated(1);
    }
  record_value("most", format_significant(most.convert_to<double>(), 2));
  expect_refusal<std::domain_error>([&] { subject.mean(Sample{0.5, 1.5}, rates.alpha); });
  expect_refusal<std::invalid_argument>([&] { subject.mean(Sample{0.5}, rates.alpha); });
}
//! [IntervalsKeepTheirOdds: the empirical Bernstein interval]
KILLS("the term of the variance is left out", {.mean = weighted_terms<0, 1>});
KILLS("the term of the range is left out", {.mean = weighted_terms<1, 0>});

//! [IntervalsKeepTheirOdds: what an interval sees]
STATEMENT(IntervalsKeepTheirOdds, WhatDiffersByMoreThanTheLengthLiesOutside) {
  constexpr std::size_t n = 20;
  std::vector<Interval<Rational>> found;
  std::vector<Rational> seen;
  for (std::size_t x = 0; x <= n; ++x) {
    const ConfidenceInterval interval = subject.frequency({x, n}, rates.alpha);
    found.push_back({Rational(interval.lower), Rational(interval.upper)});
    seen.push_back(Rational(subject.sees(interval)));
  }
  for (int tenths = 1; tenths < 10; ++tenths) {
    const std::vector<Rational>& distribution =
        memoized<binomial_probabilities>(n, Rational(tenths, 10));
    for (int stated = 1; stated < 100; ++stated) {
      const Rational p(stated, 100);
      const Rational difference = abs(p - Rational(tenths, 10));
      Rational missed = 0;
      for (std::size_t x = 0; x <= n; ++x)
        if (found[x].lower <= p && p <= found[x].upper && difference > seen[x])
          missed += distribution[x];
      EXPECT_EXACTLY(missed <= Rational(rates.alpha))
          << stated << " % is stated, the truth is " << tenths;
      enumerated(1);
    }
  }
}
//! [IntervalsKeepTheirOdds: what an interval sees]
KILLS("half the length is said to be seen",
      {.sees = [](auto& found) { return (found.upper - found.lower) / 2; }});

ASIDE(IntervalsKeepTheirOdds, AnAlphaThatIsNoProbabilityIsRefused) {
  const Sample sample{0, 0.5, 1};
  for (const int alpha : {-1, 0, 1, 3}) {
    expect_refusal<std::domain_error>([&] { return subject.frequency({1, 3}, alpha); });
    expect_refusal<std::domain_error>([&] { return subject.median(sample, alpha); });
    expect_refusal<std::domain_error>([&] { return subject.error(3, alpha); });
    expect_refusal<std::domain_error>([&] { return subject.draws(0.5, alpha); });
    expect_refusal<std::domain_error>([&] { return subject.mean(sample, alpha); });
  }
}
KILLS("a median at an α above 1 has the interval of ½",
      {.median = [](std::vector<double> sample, auto& alpha) {
        return median_interval(std::move(sample), alpha > 1 ? Rational(1, 2) : alpha);
      }});

ASIDE(IntervalsKeepTheirOdds, CopiesOfOneTrialBreakTheOdds) {
  for (const std::size_t all : {0U, 20U})
    EXPECT_EXACTLY(!holds(subject.frequency({all, 20}, rates.alpha), Rational(1, 2)))
        << "has probability ½";
  enumerated(2);
  counterexample_without("independent");
}
KILLS("a frequency may be anything", {.frequency = [](auto& count, double) {
        return ConfidenceInterval{
            0, static_cast<double>(count.successes) / static_cast<double>(count.trials), 1};
      }});

ASIDE(IntervalsKeepTheirOdds, NumbersBeyondTheRangeBreakTheOdds) {
  // Eight fair numbers 0 or 8: the mean is off by 1 or more unless just four are 8.
  const std::vector<Rational> distribution = binomial_probabilities(8, Rational(1, 2));
  Rational missed = 0;
  for (std::size_t eights = 0; eights <= 8; ++eights)
    if (abs(Rational(eights) - 4) >= Rational(subject.error(8, rates.alpha)))
      missed += distribution[eights];
  EXPECT_EXACTLY(missed > Rational(rates.alpha));
  record_value("error", format_significant(subject.error(8, rates.alpha), 2));
  record_value("missed", format_significant(missed.convert_to<double>(), 3));
  enumerated(9);
  counterexample_without("from 0 to 1");
}
KILLS("the error of numbers from 0 to 8",
      {.error = [](auto n, double alpha) { return 8 * hoeffding_error(n, alpha); }});

}  // namespace sqrtdk::properties::IntervalsKeepTheirOdds
