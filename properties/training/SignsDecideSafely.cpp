#include <sqrtdk/testing/statistics/confidence_interval.hpp>
#include <sqrtdk/testing/statistics/sample_quantile.hpp>
#include <sqrtdk/testing/statistics/sign_test.hpp>

#include "properties/training/fixture.hpp"

namespace sqrtdk::properties::SignsDecideSafely {

struct Subject {
  Rational (*coin_tail)(std::size_t, std::size_t) = sqrtdk::testing::coin_tail;
  Decision (*sign_test)(std::size_t, std::size_t, const Rational&) = sqrtdk::testing::sign_test;
  ConfidenceInterval (*median_interval)(std::vector<double>,
                                        const Rational&) = sqrtdk::testing::median_interval;
  double (*sample_quantile)(std::vector<double>, double) = sqrtdk::testing::sample_quantile;
};

constexpr std::size_t most_seeds = 11;

const std::vector<Rational> levels = {Rational(1, 2), Rational(1, 5), Rational(1, 20),
                                      Rational(1, 1000), Rational(1, 1024)};

std::size_t ones(std::size_t bits) { return static_cast<std::size_t>(std::popcount(bits)); }

STATEMENT(SignsDecideSafely, TheTailOfACoinIsTheShareOfAllSequences) {
  for (std::size_t n = 0; n <= most_seeds; ++n)
    for (std::size_t heads = 0; heads <= n; ++heads) {
      std::size_t sequences = 0;
      for (std::size_t tosses = 0; tosses < std::size_t{1} << n; ++tosses)
        sequences += ones(tosses) >= heads ? 1U : 0U;
      EXPECT_EXACTLY(subject.coin_tail(heads, n) == Rational(sequences, std::size_t{1} << n));
      enumerated(std::size_t{1} << n);
    }
}
KILLS("more heads than, in place of at least", {.coin_tail = [](auto heads, auto n) {
        return heads == n ? Rational(0) : coin_tail(heads + 1, n);
      }});
KILLS("the number of ways is not divided", {.coin_tail = [](auto heads, auto n) {
        return Rational(coin_tail(heads, n) * (Integer(1) << static_cast<unsigned>(n)));
      }});

/// Twice a level, but still one.
Rational doubled(const Rational& alpha) {
  return std::min<Rational>(2 * alpha, Rational(999, 1000));
}

//! [SignsDecideSafely]
STATEMENT(SignsDecideSafely, ADecisionByChanceIsAsRareAsItSays) {
  for (std::size_t n = 1; n <= most_seeds; ++n)
    for (const Rational& alpha : levels) {
      std::vector<std::size_t> ways(n + 1);  // to say yes so often
      for (std::size_t answers = 0; answers < std::size_t{1} << n; ++answers) ++ways[ones(answers)];
      std::size_t decided = 0;
      for (std::size_t yes = 0; yes <= n; ++yes) {
        // As many answers as these, or more, on either side: decided if that is rare enough.
        const std::size_t most = std::max(yes, n - yes);
        std::size_t as_one_sided = 0;
        for (std::size_t other = 0; other <= n; ++other)
          if (std::max(other, n - other) >= most) as_one_sided += ways[other];
        const Decision wanted = Rational(as_one_sided, std::size_t{1} << n) > alpha
                                    ? Decision::undecided
                                : 2 * yes > n ? Decision::yes
                                              : Decision::no;
        EXPECT_EXACTLY(subject.sign_test(yes, n, alpha) == wanted)
            << yes << " of " << n << " seeds";
        if (wanted != Decision::undecided) decided += ways[yes];
      }
      EXPECT_EXACTLY(Rational(decided, std::size_t{1} << n) <= alpha) << n << " seeds";
      enumerated(std::size_t{1} << n);
    }
  // More seeds than can be gone through: the Statement's tail, by rows of Pascal's triangle.
  for_all([&] {
    const auto n = *rc::gen::inRange<std::size_t>(1, 100).as("seeds");
    const auto yes = *rc::gen::inRange<std::size_t>(0, n + 1).as("yes");
    const Rational alpha(1, Integer(1) << *rc::gen::inRange(1U, 100U).as("-log2 α"));
    std::vector<Integer> ways = {1};
    while (ways.size() <= n) {
      ways.push_back(0);
      for (std::size_t j = ways.size() - 1; j > 0; --j) ways[j] += ways[j - 1];
    }
    const std::size_t most = std::max(yes, n - yes);
    const Integer tail =
        std::accumulate(ways.begin() + static_cast<std::ptrdiff_t>(most), ways.end(), Integer(0));
    const bool rare = Rational(2 * tail, Integer(1) << static_cast<unsigned>(n)) <= alpha;
    const Decision majority = 2 * yes > n ? Decision::yes : Decision::no;
    EXPECT_EXACTLY(subject.sign_test(yes, n, alpha) == (rare ? majority : Decision::undecided));
  });
}
//! [SignsDecideSafely]
KILLS("α for each side", {.sign_test = [](auto yes, auto n, auto& alpha) {
        return sign_test(yes, n, doubled(alpha));
      }});
KILLS("most of the seeds decide", {.sign_test = [](auto yes, auto n, auto&) {
        return 2 * yes > n ? Decision::yes : 2 * yes < n ? Decision::no : Decision::undecided;
      }});
KILLS("no seed ever decides", {.sign_test = [](auto, auto, auto&) { return Decision::undecided; }});
KILLS("no needs more seeds than yes", {.sign_test = [](auto yes, auto n, auto& alpha) {
        return sign_test(yes, n, 2 * yes > n ? alpha : Rational(2 * alpha / 3));
      }});
KILLS("yes and no are exchanged",
      {.sign_test = [](auto yes, auto n, auto& alpha) { return sign_test(n - yes, n, alpha); }});

//! [SignsDecideSafely: exact check]
STATEMENT(SignsDecideSafely, TheIntervalMissesTheMedianAsRarelyAsItSays) {
  for (std::size_t n = 1; n <= most_seeds; ++n)
    for (const Rational& alpha : levels) {
      // Observations ±1, ±2, …, all signs equally likely: the median is 0.
      std::size_t misses = 0;
      for (std::size_t negative = 0; negative < std::size_t{1} << n; ++negative) {
        std::vector<double> sample;
        for (std::size_t i = 0; i < n; ++i)
          sample.push_back(((negative >> i) % 2 == 1 ? -1.0 : 1.0) * static_cast<double>(i + 1));
        const ConfidenceInterval interval = subject.median_interval(sample, alpha);
        // exact: all of these are whole numbers, halves or infinite
        misses += interval.lower > 0 || interval.upper < 0 ? 1U : 0U;
        const bool in_order =
            // exact: as above
            interval.lower <= interval.estimate && interval.estimate <= interval.upper;
        EXPECT_EXACTLY(in_order);
      }
      const Rational missed(misses, std::size_t{1} << n);
      EXPECT_EXACTLY(missed <= alpha) << n << " observations";
      // The next order statistics would miss more often than α, so the interval is the shortest.
      Rational allowed = 0;
      for (std::size_t l = 1; 2 * l <= n + 1 && 2 * coin_tail(n - l + 1, n) <= alpha; ++l)
        allowed = 2 * coin_tail(n - l + 1, n);
      EXPECT_EXACTLY(missed == allowed) << n << " observations";
      enumerated(std::size_t{1} << n);
    }
}
//! [SignsDecideSafely: exact check]
KILLS("one step too narrow", {.median_interval = [](std::vector<double> sample, auto& alpha) {
        ConfidenceInterval interval = median_interval(sample, alpha);
        std::sort(sample.begin(), sample.end());
        if (interval.lower == -infinity) return interval;
        const auto inside = std::upper_bound(sample.begin(), sample.end(), interval.lower);
        if (inside != sample.end()) interval.lower = *inside;
        return interval;
      }});
KILLS("from the least to the greatest",
      {.median_interval = [](std::vector<double> sample, auto& alpha) {
        const ConfidenceInterval interval = median_interval(sample, alpha);
        if (interval.lower == -infinity) return interval;
        return ConfidenceInterval{*std::min_element(sample.begin(), sample.end()),
                                  interval.estimate,
                                  *std::max_element(sample.begin(), sample.end())};
      }});
KILLS("too few observations still give an interval",
      {.median_interval = [](std::vector<double> sample, auto&) {
        return median_interval(std::move(sample), Rational(999, 1000));
      }});

STATEMENT(SignsDecideSafely, TooFewSeedsLeaveTheWholeLine) {
  // l = 0: with n seeds no interval misses more rarely than in 2 of 2^n cases.
  for (std::size_t n = 1; n <= most_seeds; ++n) {
    const std::vector<double> sample(n, 1);
    const Rational rarest(2, Integer(1) << static_cast<unsigned>(n));
    for (const Rational& alpha : levels) {
      const ConfidenceInterval interval = subject.median_interval(sample, alpha);
      const bool whole_line = bits_of(interval.lower) == bits_of(-infinity) &&
                              bits_of(interval.upper) == bits_of(infinity);
      const bool the_point =
          bits_of(interval.lower) == bits_of(1.0) && bits_of(interval.upper) == bits_of(1.0);
      EXPECT_EXACTLY(whole_line == (alpha < rarest)) << n << " seeds";
      EXPECT_EXACTLY(the_point == (alpha >= rarest)) << n << " seeds";
    }
    enumerated(std::size(levels));
  }
}
KILLS("one seed fewer than it takes gives an interval",
      {.median_interval = [](std::vector<double> sample, auto& alpha) {
        return median_interval(std::move(sample), doubled(alpha));
      }});

ASIDE(SignsDecideSafely, QuantilesOfASampleAreWhatTheyShouldBe) {
  const auto quantile = [&](const std::vector<double>& sample, double q) {
    return bits_of(subject.sample_quantile(sample, q));
  };
  EXPECT_EXACTLY(quantile({3, 1, 2}, 0.5) == bits_of(2.0));
  EXPECT_EXACTLY(quantile({4, 1, 3, 2}, 0.5) == bits_of(2.5));
  EXPECT_EXACTLY(quantile({5, 4, 3, 2, 1}, 0.25) == bits_of(2.0));
  EXPECT_EXACTLY(quantile({5, 4, 3, 2, 1}, 1) == bits_of(5.0));
  EXPECT_EXACTLY(quantile({infinity, 1, 2}, 0.5) == bits_of(2.0));
  EXPECT_EXACTLY(quantile({infinity, infinity, 1}, 0.5) == bits_of(infinity));
  EXPECT_EXACTLY(quantile({7}, 0.25) == bits_of(7.0));
  enumerated(7);
}
KILLS("the upper of two middle numbers",
      {.sample_quantile = [](std::vector<double> sample, double q) {
        if (sample.empty() || !(q >= 0 && q <= 1)) return sample_quantile(sample, q);
        std::sort(sample.begin(), sample.end());
        return sample[static_cast<std::size_t>(
            std::ceil(q * static_cast<double>(sample.size() - 1)))];
      }});
KILLS("the sample is not sorted", {.sample_quantile = [](std::vector<double> sample, double q) {
        if (sample.empty() || !(q >= 0 && q <= 1)) return sample_quantile(sample, q);
        return sample[static_cast<std::size_t>(q * static_cast<double>(sample.size() - 1))];
      }});
KILLS("infinite numbers are averaged in",
      {.sample_quantile = [](std::vector<double> sample, double q) {
        return std::count(sample.begin(), sample.end(), infinity) > 0
                   ? std::numeric_limits<double>::quiet_NaN()
                   : sample_quantile(sample, q);
      }});

ASIDE(SignsDecideSafely, CopiesOfOneSeedDecideByChance) {
  // Ten copies of one toss: yes ten times or no ten times, never anything in between.
  record_value("most_seeds", std::to_string(most_seeds));
  EXPECT_EXACTLY(subject.sign_test(10, 10, Rational(1, 100)) == Decision::yes);
  EXPECT_EXACTLY(subject.sign_test(0, 10, Rational(1, 100)) == Decision::no);
  enumerated(2);
  counterexample_without("independent seeds");
}
KILLS("chance never decides", {.sign_test = [](auto, auto, auto&) { return Decision::undecided; }});

ASIDE(SignsDecideSafely, RefusesWhatMakesNoSense) {
  expect_refusal<std::invalid_argument>([&] { subject.coin_tail(3, 2); },
                                        "there are 3 heads in 2 tosses, but there cannot be more");
  expect_refusal<std::invalid_argument>([&] { subject.sample_quantile({}, 0.5); },
                                        "the sample is empty, but needs a number");
  expect_refusal<std::domain_error>(
      [&] {
        subject.sample_quantile({1, 2}, 1.5);
      },
      "the quantile is 1.5, but must be from 0 to 1");
  expect_refusal<std::invalid_argument>([&] { subject.sign_test(3, 2, Rational(1, 2)); },
                                        "there are 3 heads in 2 tosses, but there cannot be more");
  for (const int alpha : {-1, 0, 1, 3}) {
    const std::string message =
        "alpha is " + std::to_string(alpha) + ", but must be between 0 and 1";
    expect_refusal<std::domain_error>([&] { subject.sign_test(10, 10, alpha); }, message);
    expect_refusal<std::domain_error>([&] { subject.median_interval({1, 2, 3}, alpha); }, message);
  }
  const double nan = std::numeric_limits<double>::quiet_NaN();
  expect_refusal<std::domain_error>(
      [&] {
        subject.sample_quantile({1, nan}, 0.5);
      },
      "entry 1 of the sample is nan, but must be a number");
  expect_refusal<std::domain_error>([&] { subject.median_interval({nan, 1, 2}, Rational(1, 2)); });
}
KILLS("more heads than tosses have probability 0", {.coin_tail = [](auto heads, auto n) {
        return heads > n ? Rational(0) : coin_tail(heads, n);
      }});
KILLS("a level of 1 or more decides by the majority",
      {.sign_test = [](auto yes, auto n, auto& alpha) {
        return sign_test(yes, n, doubled(alpha / 2));
      }});
KILLS("any level above 0 has an interval",
      {.median_interval = [](std::vector<double> sample, auto& alpha) {
        return median_interval(std::move(sample), doubled(alpha / 2));
      }});
KILLS("what is not a number is left out of a quantile",
      {.sample_quantile = [](std::vector<double> sample, double q) {
        std::erase_if(sample, [](double x) { return std::isnan(x); });
        return sample_quantile(std::move(sample), q);
      }});
KILLS("a quantile beyond the largest is the largest",
      {.sample_quantile = [](std::vector<double> sample, double q) {
        return sample_quantile(sample, std::min(q, 1.0));
      }});
KILLS("the median of nothing is 0", {.sample_quantile = [](std::vector<double> sample, double q) {
        return sample.empty() ? 0 : sample_quantile(sample, q);
      }});

}  // namespace sqrtdk::properties::SignsDecideSafely
