// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/numbers/exp_interval.hpp>
#include <sqrtdk/numbers/interval.hpp>
#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/softmax_examples.hpp>
#include <sqrtdk/softmax_interval.hpp>
#include <sqrtdk/softmax_online.hpp>
#include <sqrtdk/testing/generators/rational_distributions.hpp>
#include <sqrtdk/testing/laws/wide.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>
#include <sqrtdk/testing/reporting/expect_refusal.hpp>
#include <sqrtdk/testing/reporting/printed.hpp>

#include "properties/softmax/fixture.hpp"
#include "properties/softmax/functions.hpp"
#include "properties/support/rational_distributions.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace sqrtdk::properties::SpreadExample {

using namespace sqrtdk::testing;

const Vector spread_scores = decimals({"1.15", "-0.39", "1.10", "-0.68", "0.15"});
const std::vector<std::string> spread_weights = {"0.31", "0.07", "0.30", "0.05", "0.12"};

const Mutants spread_example_mutants = {
    {"a sixth position takes the rest", "TheLibraryGivesTheseWeights",
     with_wide([](const Values<Wide>& x, Wide) {
       Values<Wide> y = library_softmax<Wide>(x, 1);
       for (Wide& weight : y) weight *= Wide(0.85);
       return y;
     })},
    {"the scores are not scaled", "TheLibraryGivesTheseWeights",
     with_wide([](const Values<Wide>& x, Wide) {
       return wide_after(x, [](const Wide& logit) { return Wide(8 * logit); });
     })},
    {"the scores are not divided by 8", "TheRightWeights",
     with_enclosures([](const Rational& logit, const Vector&) -> Rational { return 8 * logit; })},
    {"the sum is 10.05",
     "TheRightWeights",
     {.softmax_enclosure =
          [](const Vector& x) {
            std::vector<Interval<Rational>> p;
            for (const Rational& logit : x) {
              const Interval<Rational> e = exp_enclosure(logit);
              p.push_back({e.lower * 20 / 201, e.upper * 20 / 201});
            }
            return p;
          }}},
    {"the first weight decides alone",
     "OneSumFitsAllPrintedWeights",
     {.sums_that_fit =
          [](const Vector& x, const std::vector<Interval<Rational>>& p) {
            return x.empty() ? sums_that_fit(x, p) : sums_that_fit({x[0]}, {p[0]});
          }}},
    {"a sum has to fit one weight only",
     "OneSumFitsAllPrintedWeights",
     {.sums_that_fit =
          [](const Vector& x, const std::vector<Interval<Rational>>& p) {
            Interval<Rational> all = sums_that_fit(x, p);
            for (std::size_t i = 0; i < x.size(); ++i) {
              const Interval<Rational> one = sums_that_fit({x[i]}, {p[i]});
              all = {std::min(all.lower, one.lower), std::max(all.upper, one.upper)};
            }
            return all;
          }}},
    {"a rounding takes nothing",
     "OneSumFitsAllPrintedWeights",
     {.sums_that_fit =
          [](const Vector& x, const std::vector<Interval<Rational>>& p) {
            std::vector<Interval<Rational>> middles = p;
            for (Interval<Rational>& one : middles)
              one.lower = one.upper = (one.lower + one.upper) / 2;
            return sums_that_fit(x, middles);
          }}},
    {"an interval may begin at 0",
     "RefusesWhatIsNoRounding",
     {.sums_that_fit =
          [](const Vector& x, const std::vector<Interval<Rational>>& p) {
            return p.size() == 1 && p[0].lower <= 0 ? Interval<Rational>{0, 1}
                                                    : sums_that_fit(x, p);
          }}},
    {"weights may sum to 0.85", "NoProbabilitiesArePrintedLikeThis",
     with_normalized([](const Vector& w) {
       Vector p = library_normalized(w);
       for (Rational& x : p) x *= Rational(85, 100);
       return p;
     })},
    {"each rounding takes the whole unit",
     "NoProbabilitiesArePrintedLikeThis",
     {.least_sum_of_rounded =
          [](std::size_t n, const Rational& unit) { return least_sum_of_rounded(n, 2 * unit); }}},
    {"one rounding is left out",
     "NoProbabilitiesArePrintedLikeThis",
     {.least_sum_of_rounded =
          [](std::size_t n, const Rational& unit) { return least_sum_of_rounded(n - 1, unit); }}},
    {"no probabilities are accepted",
     "RefusesWhatIsNoRounding",
     {.least_sum_of_rounded =
          [](std::size_t n, const Rational& unit) {
            return n == 0 ? Rational(1) : least_sum_of_rounded(n, unit);
          }}},
    {"a unit of 0 is accepted",
     "RefusesWhatIsNoRounding",
     {.least_sum_of_rounded =
          [](std::size_t n, const Rational& unit) {
            return unit == 0 ? Rational(1) : least_sum_of_rounded(n, unit);
          }}},
    {"the scores are divided by 7",
     "TheScoresAreRounded",
     {.softmax_enclosure =
          [](const Vector& x) {
            Vector scaled = x;
            for (Rational& logit : scaled) logit *= Rational(8, 7);
            return softmax_enclosure(scaled);
          }}},
};

//! [SpreadExample: exact check]
TEST(SpreadExample, NoProbabilitiesArePrintedLikeThis) {
  check_statement(spread_example_mutants, [](const Softmaxes& softmaxes) {
    const Rational printed = total(decimals(spread_weights));
    EXPECT_EXACTLY(printed == Rational(85, 100));
    const auto to_two_decimals = [](const Rational& p) {
      const Rational hundredths = p * 100 + Rational(1, 2);
      return Rational(Integer(numerator(hundredths) / denominator(hundredths))) / 100;
    };
    for_all([&] {
      const Vector w = *rc::gen::container<Vector>(5, positive_rational()).as("the weights e^x");
      Rational sum = 0;
      for (const Rational& p : softmaxes.normalized(w)) sum += to_two_decimals(p);
      EXPECT_EXACTLY(sum >= softmaxes.least_sum_of_rounded(5, Rational(1, 100)));
    });
    const Rational least = softmaxes.least_sum_of_rounded(5, Rational(1, 100));
    EXPECT_EXACTLY(least == Rational(975, 1000));
    EXPECT_EXACTLY(printed < least);
    record_value("printed", format_shortest(static_cast<double>(printed)));
    record_value("least", format_shortest(static_cast<double>(least)));
  });
}
//! [SpreadExample: exact check]

/// What the printed weights of S3 were before they were rounded, each between two numbers.
std::vector<Interval<Rational>> before_rounding() {
  std::vector<Interval<Rational>> intervals;
  for (const std::string& weight : spread_weights) intervals.push_back(parse_printed(weight));
  return intervals;
}

/// The sum of exponentials.
Interval<Rational> sum_of_exponentials(const Vector& logits) {
  Interval<Rational> sum{0, 0};
  for (const Rational& logit : logits) {
    const Interval<Rational> e = exp_enclosure(logit);
    sum = {sum.lower + e.lower, sum.upper + e.upper};
  }
  return sum;
}

//! [SpreadExample]
TEST(SpreadExample, TheRightWeights) {
  check_statement(spread_example_mutants, [](const Softmaxes& softmaxes) {
    const std::vector<Interval<Rational>> exact = softmaxes.softmax_enclosure(spread_scores);
    const std::vector<Interval<Rational>> printed = before_rounding();
    const std::vector<std::string> right = {"0.371", "0.080", "0.353", "0.060", "0.137"};
    bool one_is_right = false;
    std::string all_right;
    for (std::size_t j = 0; j < 5; ++j) {
      expect_rounds_to(right[j], exact[j]);
      one_is_right |= printed[j].lower <= exact[j].upper && exact[j].lower <= printed[j].upper;
      all_right += (j == 0 ? "" : ", ") + right[j];
    }
    EXPECT_EXACTLY(!one_is_right);
    const Interval<Rational> fit = softmaxes.sums_that_fit(spread_scores, printed);
    expect_refuted(
        "S3", "[0.31, 0.07, 0.30, 0.05, 0.12]", one_is_right,
        all_right + "; the printed ones are these up to one common factor, as of a sum from " +
            rounded_up(static_cast<double>(fit.lower), 2) + " to " +
            rounded_down(static_cast<double>(fit.upper), 2) + " in place of " +
            format_fixed(static_cast<double>(sum_of_exponentials(spread_scores).lower), 2));
    record_value("weights", all_right);
    enumerated(5);
  });
}
//! [SpreadExample]

TEST(SpreadExample, OneSumFitsAllPrintedWeights) {
  check_statement(spread_example_mutants, [](const Softmaxes& softmaxes) {
    const std::vector<Interval<Rational>> printed = before_rounding();
    const auto fits = [&](const Rational& sum) {
      bool all = true;
      for (std::size_t j = 0; j < 5; ++j) {
        const Interval<Rational> e = exp_enclosure(spread_scores[j]);
        all &= printed[j].lower * sum <= e.lower && e.upper <= printed[j].upper * sum;
      }
      return all;
    };
    const Interval<Rational> fit = softmaxes.sums_that_fit(spread_scores, printed);
    const Rational little(1, 1000000);
    EXPECT_EXACTLY((fit.lower < fit.upper && fits(fit.lower) && fits(fit.upper)));
    EXPECT_EXACTLY(!(fits(fit.lower - little) || fits(fit.upper + little)));
    // The right sum is not among them.
    const Interval<Rational> sum = sum_of_exponentials(spread_scores);
    EXPECT_EXACTLY(!(fits(sum.lower) || fits(sum.upper)));
    record_value("least", rounded_up(static_cast<double>(fit.lower), 2));
    record_value("most", rounded_down(static_cast<double>(fit.upper), 2));
    record_value("right", format_fixed(static_cast<double>(sum.lower), 2));
    // It would be with a sixth score between these two, and its weight missing from the list.
    const std::string least =
        rounded_up(std::log(static_cast<double>(Rational(fit.lower - sum.lower))), 2);
    const std::string most =
        rounded_down(std::log(static_cast<double>(Rational(fit.upper - sum.upper))), 2);
    for (const std::string& sixth : {least, most}) {
      const Interval<Rational> e = exp_enclosure(decimal(sixth));
      EXPECT_EXACTLY((fits(sum.lower + e.lower) && fits(sum.upper + e.upper))) << sixth;
    }
    record_value("sixth_least", least);
    record_value("sixth_most", most);
    enumerated(5);
  });
}

TEST(SpreadExample, TheLibraryGivesTheseWeights) {
  check_with_mutants(spread_example_mutants, [](const Softmaxes& softmaxes) {
    expect_computed(softmaxes, spread_scores, {"0.371", "0.080", "0.353", "0.060", "0.137"});
  });
}

TEST(SpreadExample, RefusesWhatIsNoRounding) {
  check_with_mutants(spread_example_mutants, [](const Softmaxes& softmaxes) {
    expect_refusal<std::domain_error>([&] { softmaxes.least_sum_of_rounded(0, 1); });
    expect_refusal<std::domain_error>([&] { softmaxes.least_sum_of_rounded(5, 0); });
    expect_refusal<std::domain_error>([&] { softmaxes.least_sum_of_rounded(5, -1); });
    expect_refusal<std::invalid_argument>([&] { softmaxes.sums_that_fit({}, {}); });
    expect_refusal<std::invalid_argument>([&] { softmaxes.sums_that_fit({1, 2}, {{1, 2}}); });
    expect_refusal<std::domain_error>([&] { softmaxes.sums_that_fit({1}, {{0, 1}}); });
  });
}

TEST(SpreadExample, TheScoresAreRounded) {
  check_with_mutants(spread_example_mutants, [](const Softmaxes& softmaxes) {
    const std::vector<std::string> printed = {"1.15", "-0.39", "1.10", "-0.68", "0.15"};
    Vector scaled;
    for (std::size_t j = 0; j < 5; ++j) {
      scaled.push_back(raw_scores[j] / 8);
      expect_printed("S3", printed[j], scaled[j]);
    }
    // The scores before rounding have the same weights to two decimals.
    const std::vector<Interval<Rational>> exact = softmaxes.softmax_enclosure(scaled);
    const std::vector<std::string> right = {"0.37", "0.08", "0.35", "0.06", "0.14"};
    for (std::size_t j = 0; j < 5; ++j) expect_rounds_to(right[j], exact[j]);
    enumerated(5);
  });
}

}  // namespace sqrtdk::properties::SpreadExample
