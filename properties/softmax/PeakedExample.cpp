#include "properties/softmax/fixture.hpp"

namespace sqrtdk::properties::PeakedExample {

const Vector peaked_scores = decimals({"8.5", "-2.1", "7.9"});

//! [PeakedExample: exact check]
STATEMENT(PeakedExample, TheRatioOfTwoWeightsIsThatOfTheirExponentials) {
  const Interval<Rational> ratio = subject.weight_ratio(peaked_scores[0], peaked_scores[2]);
  // Weights that round to 0.99 and to 0.01 have a ratio of 65 at least.
  const Rational least = parse_printed("0.99").lower / parse_printed("0.01").upper;
  EXPECT_EXACTLY(least > 65);
  EXPECT_EXACTLY(ratio.upper < least);
  expect_rounds_to("1.822", ratio);
  record_value("gap_of_99", format_significant(std::log(99.0), 2));
  record_value("ratio", static_cast<Wide>(ratio.lower).str(5));
  record_value("least", static_cast<Wide>(least).str(4));
  enumerated(1);
}
//! [PeakedExample: exact check]
KILLS("a gap of 0.6 is a ratio of 99", {.weight_ratio = [](auto&, auto&) {
        return Interval<Rational>{98, 99};
      }});
KILLS("the ratio is that of the scores", {.weight_ratio = [](auto& a, auto& b) {
        return Interval<Rational>{a / b, a / b};
      }});
KILLS("the ratio is inverted",
      {.weight_ratio = [](auto& a, auto& b) { return weight_ratio(b, a); }});

//! [PeakedExample]
STATEMENT(PeakedExample, NoOtherScoresMakeThePrintedWeights) {
  Vector three;
  for (const Rational& score : peaked_scores) three.push_back(exp_enclosure(score).lower);
  const Rational alone = three[0] / total(three);
  for_all([&] {
    const Vector dots = *rc::gen::container<Vector>(positive_rational()).as("the dots, as e^x");
    Vector w = three;
    w.insert(w.end(), dots.begin(), dots.end());
    const Vector p = subject.normalized(w);
    EXPECT_EXACTLY(p[0] <= alone);
    EXPECT_EXACTLY(p[0] < parse_printed("0.99").lower);
    EXPECT_EXACTLY(p[0] * three[2] == p[2] * three[0]);
  });
  // We read the arrow as pointing to the first position, with 0.99; "almost all" is ⅔ at least.
  const Interval<Rational> most = subject.softmax_enclosure(peaked_scores)[0];
  const bool almost_all = most.upper >= Rational(2, 3);
  EXPECT_EXACTLY(!almost_all);
  expect_refuted(
      "S3", "Almost all attention on one position!", almost_all,
      rounded_up(static_cast<double>(100 * most.upper), 1) +
          " % at most on the first, to which the printed 0.99 refers, whatever the dots are");
}
//! [PeakedExample]
KILLS("a gap of 0.6 is one of 6", with_enclosures([](auto& logit, auto&) { return 10 * logit; }));
KILLS("another position adds to the first", with_normalized([](auto& w) {
        Vector p = library_normalized(w);
        for (std::size_t j = 3; j < w.size(); ++j) p[0] += p[j];
        return p;
      }));
KILLS("the third is left out of the sum", with_normalized([](auto& w) {
        Vector p = library_normalized(w);
        p[0] /= 1 - p[2];
        return p;
      }));

STATEMENT(PeakedExample, AloneTheThreeGiveOtherWeights) {
  const std::vector<Interval<Rational>> exact = subject.softmax_enclosure(peaked_scores);
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
}
KILLS("the scores are divided by 8", with_enclosures([](auto& logit, auto&) { return logit / 8; }));

ASIDE(PeakedExample, TheLibraryGivesTheseWeights) {
  expect_computed(subject, peaked_scores, {"0.6456", "0.0000161", "0.3543"});
}
KILLS("the scores are not exponentiated", with_wide([](auto& x, Wide) {
        Wide sum = 0;
        Values<Wide> y = x;
        for (const Wide& logit : x) sum += logit;
        for (Wide& weight : y) weight /= sum;
        return y;
      }));
KILLS("the scores are multiplied by 8", with_wide([](auto& x, Wide) {
        return wide_after(x, [](auto& logit) { return Wide(8 * logit); });
      }));

}  // namespace sqrtdk::properties::PeakedExample
