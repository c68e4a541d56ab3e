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
#include <sqrtdk/testing/reporting/printed.hpp>

#include "properties/softmax/fixture.hpp"
#include "properties/softmax/functions.hpp"
#include "properties/support/rational_distributions.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <cstddef>
#include <vector>

namespace sqrtdk::properties::PeakedExample {

using namespace sqrtdk::testing;

const Vector peaked_scores = decimals({"8.5", "-2.1", "7.9"});

const Mutants peaked_example_mutants = {
    {"the scores are not exponentiated", "TheLibraryGivesTheseWeights",
     with_wide([](const Values<Wide>& x, Wide) {
       Wide sum = 0;
       Values<Wide> y = x;
       for (const Wide& logit : x) sum += logit;
       for (Wide& weight : y) weight /= sum;
       return y;
     })},
    {"the scores are multiplied by 8", "TheLibraryGivesTheseWeights",
     with_wide([](const Values<Wide>& x, Wide) {
       return wide_after(x, [](const Wide& logit) { return Wide(8 * logit); });
     })},
    {"the scores are divided by 8", "AloneTheThreeGiveOtherWeights",
     with_enclosures([](const Rational& logit, const Vector&) -> Rational { return logit / 8; })},
    {"a gap of 0.6 is one of 6", "NoOtherScoresMakeThePrintedWeights",
     with_enclosures([](const Rational& logit, const Vector&) -> Rational { return 10 * logit; })},
    {"another position adds to the first", "NoOtherScoresMakeThePrintedWeights",
     with_normalized([](const Vector& w) {
       Vector p = library_normalized(w);
       for (std::size_t j = 3; j < w.size(); ++j) p[0] += p[j];
       return p;
     })},
    {"the third is left out of the sum", "NoOtherScoresMakeThePrintedWeights",
     with_normalized([](const Vector& w) {
       Vector p = library_normalized(w);
       p[0] /= 1 - p[2];
       return p;
     })},
    {"a gap of 0.6 is a ratio of 99",
     "TheRatioOfTwoWeightsIsThatOfTheirExponentials",
     {.weight_ratio =
          [](const Rational&, const Rational&) {
            return Interval<Rational>{98, 99};
          }}},
    {"the ratio is that of the scores",
     "TheRatioOfTwoWeightsIsThatOfTheirExponentials",
     {.weight_ratio =
          [](const Rational& a, const Rational& b) {
            return Interval<Rational>{a / b, a / b};
          }}},
    {"the ratio is inverted",
     "TheRatioOfTwoWeightsIsThatOfTheirExponentials",
     {.weight_ratio = [](const Rational& a, const Rational& b) { return weight_ratio(b, a); }}},
};

//! [PeakedExample: exact check]
TEST(PeakedExample, TheRatioOfTwoWeightsIsThatOfTheirExponentials) {
  check_statement(peaked_example_mutants, [](const Softmaxes& softmaxes) {
    const Interval<Rational> ratio = softmaxes.weight_ratio(peaked_scores[0], peaked_scores[2]);
    // Weights that round to 0.99 and to 0.01 have a ratio of 65 at least.
    const Rational least = parse_printed("0.99").lower / parse_printed("0.01").upper;
    EXPECT_EXACTLY(least > 65);
    EXPECT_EXACTLY(ratio.upper < least);
    expect_rounds_to("1.822", ratio);
    record_value("gap_of_99", format_significant(std::log(99.0), 2));
    record_value("ratio", static_cast<Wide>(ratio.lower).str(5));
    record_value("least", static_cast<Wide>(least).str(4));
    enumerated(1);
  });
}
//! [PeakedExample: exact check]

//! [PeakedExample]
TEST(PeakedExample, NoOtherScoresMakeThePrintedWeights) {
  check_statement(peaked_example_mutants, [](const Softmaxes& softmaxes) {
    Vector three;
    for (const Rational& score : peaked_scores) three.push_back(exp_enclosure(score).lower);
    const Rational alone = three[0] / total(three);
    for_all([&] {
      const Vector dots = *rc::gen::container<Vector>(positive_rational()).as("the dots, as e^x");
      Vector w = three;
      w.insert(w.end(), dots.begin(), dots.end());
      const Vector p = softmaxes.normalized(w);
      EXPECT_EXACTLY(p[0] <= alone);
      EXPECT_EXACTLY(p[0] < parse_printed("0.99").lower);
      EXPECT_EXACTLY(p[0] * three[2] == p[2] * three[0]);
    });
    // We read the arrow under these words as pointing to the first position, which has the 0.99.
    // Whatever "almost all" means, it is two thirds at least.
    const Interval<Rational> most = softmaxes.softmax_enclosure(peaked_scores)[0];
    const bool almost_all = most.upper >= Rational(2, 3);
    EXPECT_EXACTLY(!almost_all);
    expect_refuted(
        "S3", "Almost all attention on one position!", almost_all,
        rounded_up(static_cast<double>(100 * most.upper), 1) +
            " % at most on the first, to which the printed 0.99 refers, whatever the dots are");
  });
}
//! [PeakedExample]

TEST(PeakedExample, AloneTheThreeGiveOtherWeights) {
  check_statement(peaked_example_mutants, [](const Softmaxes& softmaxes) {
    const std::vector<Interval<Rational>> exact = softmaxes.softmax_enclosure(peaked_scores);
    expect_misprinted("S3", "0.99", exact[0].lower, "0.6456");
    expect_printed("S3", "0.00", exact[1].lower);
    expect_misprinted("S3", "0.01", exact[2].lower, "0.3543");
    expect_rounds_to("0.6456", exact[0]);
    expect_rounds_to("0.0000161", exact[1]);
    expect_rounds_to("0.3543", exact[2]);
    record_value("first", format_fixed(static_cast<double>(exact[0].lower), 4));
    record_value("second", format_fixed(static_cast<double>(exact[1].lower), 7));
    record_value("third", format_fixed(static_cast<double>(exact[2].lower), 4));
    record_value("at_most", rounded_up(static_cast<double>(exact[0].upper), 3));
    enumerated(3);
  });
}

TEST(PeakedExample, TheLibraryGivesTheseWeights) {
  check_with_mutants(peaked_example_mutants, [](const Softmaxes& softmaxes) {
    expect_computed(softmaxes, peaked_scores, {"0.6456", "0.0000161", "0.3543"});
  });
}

}  // namespace sqrtdk::properties::PeakedExample
