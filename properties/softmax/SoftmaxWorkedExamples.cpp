// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/numbers/exp_interval.hpp>
#include <sqrtdk/numbers/interval.hpp>
#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/numbers/rational.hpp>
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

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace sqrtdk::properties::SoftmaxWorkedExamples {

using namespace sqrtdk::testing;

/// Expects that softmax weights, enclosed by rational numbers, round to what a document prints.
void expect_weights(const Softmaxes& softmaxes, const std::string& document, const Vector& logits,
                    const std::vector<std::string>& printed) {
  const std::vector<Interval<Rational>> exact = softmaxes.softmax_enclosure(logits);
  EXPECT_EXACTLY(exact.size() == printed.size());
  for (std::size_t j = 0; j < printed.size(); ++j) {
    expect_printed(document, printed[j], exact[j].lower);
    expect_rounds_to(printed[j], exact[j]);
  }
  enumerated(printed.size());
}

const Mutants softmax_worked_examples_mutants = {
    {"powers of 2 instead of e", "TheLibraryRoundsToTheSameNumbers",
     with_wide([](const Values<Wide>& x, Wide) {
       return wide_after(x, [](const Wide& logit) { return Wide(logit * log(Wide(2))); });
     })},
    {"the last logit is left out", "TheLibraryRoundsToTheSameNumbers",
     with_wide([](const Values<Wide>& x, Wide) {
       Values<Wide> y = library_softmax<Wide>(x, 1);
       y.back() = 0;
       return y;
     })},
    {"the logits are divided by their number", "TheLibraryRoundsToTheSameNumbers",
     with_wide([](const Values<Wide>& x, Wide) {
       return wide_after(x, [&](const Wide& logit) { return Wide(logit / x.size()); });
     })},
    {"logits are cut off at 8", "TheLibraryRoundsToTheSameNumbers",
     with_wide([](const Values<Wide>& x, Wide) {
       return wide_after(x, [](const Wide& logit) { return std::min(logit, Wide(8)); });
     })},
    {"the root is 7", "TheLibraryRoundsToTheSameNumbers",
     with_wide([](const Values<Wide>& x, Wide) {
       return wide_after(x, [](const Wide& logit) { return Wide(logit * 8 / 7); });
     })},
    {"the scores are scaled twice", "TheLibraryRoundsToTheSameNumbers",
     with_wide([](const Values<Wide>& x, Wide) {
       return wide_after(x, [](const Wide& logit) { return Wide(logit / 8); });
     })},
    {"negative logits are made positive", "TheLibraryRoundsToTheSameNumbers",
     with_wide([](const Values<Wide>& x, Wide) {
       return wide_after(x, [](const Wide& logit) { return Wide(3 * abs(logit)); });
     })},
    {"powers of 3 instead of e", "OneLargerLogitTakesMost",
     with_enclosures([](const Rational& logit, const Vector&) -> Rational {
       return logit * Rational(11, 10);
     })},
    {"the scores are divided by their number", "UnscaledScoresOfTheSecondDocument",
     with_enclosures([](const Rational& logit, const Vector& x) -> Rational {
       return logit / Rational(x.size());
     })},
    {"scores are cut off at 8", "UnscaledScoresOfTheSecondDocument",
     with_enclosures(
         [](const Rational& logit, const Vector&) { return std::min(logit, Rational(8)); })},
    {"the root of 64 is 7", "ScaledScoresOfTheSecondDocument",
     with_enclosures(
         [](const Rational& logit, const Vector&) -> Rational { return logit * 8 / 7; })},
    {"the scores are divided by 64", "ScaledScoresOfTheSecondDocument",
     with_enclosures([](const Rational& logit, const Vector&) -> Rational { return logit / 8; })},
    {"negative scores are made positive", "FivePositionsOfTheThirdDocument",
     with_enclosures(
         [](const Rational& logit, const Vector&) -> Rational { return 3 * abs(logit); })},
    {"the scores are divided by 8", "FivePositionsOfTheThirdDocument",
     with_enclosures([](const Rational& logit, const Vector&) -> Rational { return logit / 8; })},
    {"exponentials are rounded before they are added",
     "TheAddendsAreRoundedAndTheSumIsNot",
     {.exp_enclosure =
          [](const Rational& x) {
            const Rational tenths = exp_enclosure(x).lower * 10 + Rational(1, 2);
            const Rational rounded(numerator(tenths) / denominator(tenths));
            return Interval<Rational>{rounded / 10, rounded / 10};
          }}},
    {"the greatest sum goes with the greatest numerator",
     "OneLargerLogitTakesMost",
     {.softmax_enclosure =
          [](const Vector& x) {
            std::vector<Interval<Rational>> p = softmax_enclosure(x);
            for (Interval<Rational>& weight : p) weight = {weight.upper, weight.lower};
            return p;
          }}},
    {"scores below the first are raised to it", "TheWeightsOfAnyScoresAreEnclosed",
     with_enclosures([](const Rational& logit, const Vector& x) -> Rational {
       return logit < x[0] ? x[0] : logit;
     })},
    {"the weights sum to one half",
     "TheWeightsOfAnyScoresAreEnclosed",
     {.softmax_enclosure =
          [](const Vector& x) {
            std::vector<Interval<Rational>> p = softmax_enclosure(x);
            for (Interval<Rational>& weight : p) weight = {weight.lower / 2, weight.upper / 2};
            return p;
          }}},
    {"no scores have no weights",
     "RefusesNoScores",
     {.softmax_enclosure =
          [](const Vector& x) {
            return x.empty() ? std::vector<Interval<Rational>>() : softmax_enclosure(x);
          }}},
    {"a term of the sum is dropped",
     "SumsOfExponentials",
     {.exp_enclosure =
          [](const Rational& x) {
            return x == Rational(1, 2) || x == 10 || x == Rational(5, 4) ? Interval<Rational>{0, 0}
                                                                         : exp_enclosure(x);
          }}},
};

//! [SoftmaxWorkedExamples: exact check]
TEST(SoftmaxWorkedExamples, OneLargerLogitTakesMost) {
  check_statement(softmax_worked_examples_mutants, [](const Softmaxes& softmaxes) {
    expect_weights(softmaxes, "S1", {1, 1, 1, 5}, {"0.0174", "0.0174", "0.0174", "0.9479"});
  });
}
//! [SoftmaxWorkedExamples: exact check]

//! [SoftmaxWorkedExamples]
TEST(SoftmaxWorkedExamples, TheWeightsOfAnyScoresAreEnclosed) {
  check_statement(softmax_worked_examples_mutants, [](const Softmaxes& softmaxes) {
    for_all([&] {
      const auto tenths =
          *rc::gen::container<std::vector<int>>(5, rc::gen::inRange(-100, 101)).as("10 × scores");
      Vector scores;
      for (const int tenth : tenths) scores.emplace_back(tenth, 10);
      const std::vector<Interval<Rational>> p = softmaxes.softmax_enclosure(scores);
      Interval<Rational> sum{0, 0};
      for (std::size_t j = 0; j < 5; ++j) {
        sum = {sum.lower + p[j].lower, sum.upper + p[j].upper};
        EXPECT_EXACTLY((0 < p[j].lower && p[j].lower <= p[j].upper));
        // The ratio of two weights is the exponential of the difference of their scores.
        const Interval<Rational> ratio = softmaxes.exp_enclosure(scores[j] - scores[0]);
        EXPECT_EXACTLY(p[j].lower <= ratio.upper * p[0].upper);
        EXPECT_EXACTLY(ratio.lower * p[0].lower <= p[j].upper);
      }
      EXPECT_EXACTLY((sum.lower <= 1 && 1 <= sum.upper));
      EXPECT_EXACTLY(sum.upper - sum.lower < 1 / Rational(Integer(1) << 190));
    });
  });
}
//! [SoftmaxWorkedExamples]

TEST(SoftmaxWorkedExamples, UnscaledScoresOfTheSecondDocument) {
  check_statement(softmax_worked_examples_mutants, [](const Softmaxes& softmaxes) {
    expect_weights(softmaxes, "S2", {50, 10, 5}, {"1.0", "0.0", "0.0"});
    const Rational rest = 1 - softmaxes.softmax_enclosure({50, 10, 5})[0].lower;
    EXPECT_EXACTLY(rest < Rational(1, 1000000000));
    expect_confirmed("S2", "completely dominates", rest < Rational(1, 1000000000));
    expect_weights(softmaxes, "S2", decimals({"5", "1", "0.5"}), {"0.971", "0.018", "0.011"});
    expect_weights(softmaxes, "S2", {14, 10, 12}, {"0.867", "0.016", "0.117"});
  });
}

TEST(SoftmaxWorkedExamples, ScaledScoresOfTheSecondDocument) {
  check_statement(softmax_worked_examples_mutants, [](const Softmaxes& softmaxes) {
    const Vector scaled = decimals({"1.75", "1.25", "1.5"});
    EXPECT_EXACTLY(scaled == (Vector{Rational(14) / 8, Rational(10) / 8, Rational(12) / 8}));
    expect_weights(softmaxes, "S2", scaled, {"0.419", "0.254", "0.326"});
  });
}

TEST(SoftmaxWorkedExamples, FivePositionsOfTheThirdDocument) {
  check_statement(softmax_worked_examples_mutants, [](const Softmaxes& softmaxes) {
    expect_weights(softmaxes, "S3", raw_scores, {"0.599", "0.000", "0.401", "0.000", "0.000"});
    const std::vector<Interval<Rational>> exact = softmaxes.softmax_enclosure(raw_scores);
    const Rational two = exact[0].lower + exact[2].lower;
    EXPECT_EXACTLY(two > Rational(999, 1000));
    expect_confirmed("S3", "concentrated on just 2 positions", two > Rational(999, 1000));
  });
}

TEST(SoftmaxWorkedExamples, TheLibraryRoundsToTheSameNumbers) {
  check_with_mutants(softmax_worked_examples_mutants, [](const Softmaxes& softmaxes) {
    expect_computed(softmaxes, {1, 1, 1, 5}, {"0.0174", "0.0174", "0.0174", "0.9479"});
    expect_computed(softmaxes, {50, 10, 5}, {"1.0", "0.0", "0.0"});
    expect_computed(softmaxes, decimals({"5", "1", "0.5"}), {"0.971", "0.018", "0.011"});
    expect_computed(softmaxes, {14, 10, 12}, {"0.867", "0.016", "0.117"});
    expect_computed(softmaxes, decimals({"1.75", "1.25", "1.5"}), {"0.419", "0.254", "0.326"});
    expect_computed(softmaxes, raw_scores, {"0.599", "0.000", "0.401", "0.000", "0.000"});
  });
}

TEST(SoftmaxWorkedExamples, RefusesNoScores) {
  check_with_mutants(softmax_worked_examples_mutants, [](const Softmaxes& softmaxes) {
    expect_refusal<std::invalid_argument>([&] { softmaxes.softmax_enclosure({}); });
  });
}

TEST(SoftmaxWorkedExamples, SumsOfExponentials) {
  check_statement(softmax_worked_examples_mutants, [](const Softmaxes& softmaxes) {
    for (const auto& [logits, printed] : std::vector<std::pair<Vector, std::string>>{
             {decimals({"5", "1", "0.5"}), "152.780"},
             {{14, 10, 12}, "1,387,386"},
             {decimals({"1.75", "1.25", "1.5"}), "13.727"}}) {
      Interval<Rational> sum{0, 0};
      for (const Rational& logit : logits) {
        const Interval<Rational> e = softmaxes.exp_enclosure(logit);
        sum = {sum.lower + e.lower, sum.upper + e.upper};
      }
      expect_printed("S2", printed, sum.lower);
      expect_rounds_to(printed, sum);
    }
    enumerated(3);
  });
}

TEST(SoftmaxWorkedExamples, TheAddendsAreRoundedAndTheSumIsNot) {
  check_statement(softmax_worked_examples_mutants, [](const Softmaxes& softmaxes) {
    struct Sum {
      std::string name;
      Vector logits;
      std::vector<std::string> addends;
      std::string printed;
    };
    for (const Sum& sum :
         {Sum{"small", decimals({"5", "1", "0.5"}), {"148.4", "2.718", "1.649"}, "152.780"},
          Sum{"large", {14, 10, 12}, {"1,202,604", "22,026", "162,755"}, "1,387,386"}}) {
      // As printed the terms add up to another number, although each is rightly rounded,
      Rational of_printed = 0;
      Interval<Rational> exact{0, 0};
      for (std::size_t j = 0; j < 3; ++j) {
        const Interval<Rational> e = softmaxes.exp_enclosure(sum.logits[j]);
        expect_rounds_to(sum.addends[j], e);
        exact = {exact.lower + e.lower, exact.upper + e.upper};
        of_printed += decimal(sum.addends[j]);
      }
      EXPECT_EXACTLY(of_printed != decimal(sum.printed));
      // and the printed sum is that of the terms before they were rounded.
      expect_rounds_to(sum.printed, exact);
      std::string text = format_fixed(static_cast<double>(of_printed), sum.name == "small" ? 3 : 0);
      if (sum.name == "large") text.insert(4, ",").insert(1, ",");
      record_value(sum.name, text);
    }
    enumerated(2);
  });
}

}  // namespace sqrtdk::properties::SoftmaxWorkedExamples
