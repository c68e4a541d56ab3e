#include "properties/softmax/fixture.hpp"

namespace sqrtdk::properties::SoftmaxWorkedExamples {

/// Expects that softmax weights, enclosed by rational numbers, round to what a document prints.
void expect_weights(const Subject& subject, const std::string& document, const Vector& logits,
                    const std::vector<std::string>& printed) {
  const std::vector<Interval<Rational>> exact = subject.softmax_enclosure(logits);
  EXPECT_EXACTLY(exact.size() == printed.size());
  for (std::size_t j = 0; j < printed.size(); ++j) {
    expect_printed(document, printed[j], exact[j].lower);
    expect_rounds_to(printed[j], exact[j]);
  }
  enumerated(printed.size());
}

//! [SoftmaxWorkedExamples: exact check]
STATEMENT(SoftmaxWorkedExamples, OneLargerLogitTakesMost) {
  expect_weights(subject, "S1", {1, 1, 1, 5}, {"0.0174", "0.0174", "0.0174", "0.9479"});
}
//! [SoftmaxWorkedExamples: exact check]
KILLS("powers of 3 instead of e",
      with_enclosures([](auto& logit, auto&) { return logit * Rational(11, 10); }));
KILLS("the greatest sum goes with the greatest numerator", {.softmax_enclosure = [](auto& x) {
        std::vector<Interval<Rational>> p = softmax_enclosure(x);
        for (Interval<Rational>& weight : p) weight = {weight.upper, weight.lower};
        return p;
      }});

//! [SoftmaxWorkedExamples]
STATEMENT(SoftmaxWorkedExamples, TheWeightsOfAnyScoresAreEnclosed) {
  for_all([&] {
    const auto tenths =
        *rc::gen::container<std::vector<int>>(5, rc::gen::inRange(-100, 101)).as("10 × scores");
    Vector scores;
    for (const int tenth : tenths) scores.emplace_back(tenth, 10);
    const std::vector<Interval<Rational>> p = subject.softmax_enclosure(scores);
    Interval<Rational> sum{0, 0};
    for (std::size_t j = 0; j < 5; ++j) {
      sum = {sum.lower + p[j].lower, sum.upper + p[j].upper};
      EXPECT_EXACTLY((0 < p[j].lower && p[j].lower <= p[j].upper));
      // The ratio of two weights is the exponential of the difference of their scores.
      const Interval<Rational> ratio = subject.exp_enclosure(scores[j] - scores[0]);
      EXPECT_EXACTLY(p[j].lower <= ratio.upper * p[0].upper);
      EXPECT_EXACTLY(ratio.lower * p[0].lower <= p[j].upper);
    }
    EXPECT_EXACTLY((sum.lower <= 1 && 1 <= sum.upper));
    EXPECT_EXACTLY(sum.upper - sum.lower < 1 / Rational(Integer(1) << 190));
  });
}
//! [SoftmaxWorkedExamples]
KILLS("scores below the first are raised to it",
      with_enclosures([](auto& logit, auto& x) { return logit < x[0] ? x[0] : logit; }));
KILLS("the weights sum to one half", {.softmax_enclosure = [](auto& x) {
        std::vector<Interval<Rational>> p = softmax_enclosure(x);
        for (Interval<Rational>& weight : p) weight = {weight.lower / 2, weight.upper / 2};
        return p;
      }});

STATEMENT(SoftmaxWorkedExamples, UnscaledScoresOfTheSecondDocument) {
  expect_weights(subject, "S2", {50, 10, 5}, {"1.0", "0.0", "0.0"});
  const Rational rest = 1 - subject.softmax_enclosure({50, 10, 5})[0].lower;
  EXPECT_EXACTLY(rest < Rational(1, 1000000000));
  expect_confirmed("S2", "completely dominates", rest < Rational(1, 1000000000));
  expect_weights(subject, "S2", decimals({"5", "1", "0.5"}), {"0.971", "0.018", "0.011"});
  expect_weights(subject, "S2", {14, 10, 12}, {"0.867", "0.016", "0.117"});
}
KILLS("the scores are divided by their number",
      with_enclosures([](auto& logit, auto& x) { return logit / Rational(x.size()); }));
KILLS("scores are cut off at 8",
      with_enclosures([](auto& logit, auto&) { return std::min(logit, Rational(8)); }));

STATEMENT(SoftmaxWorkedExamples, ScaledScoresOfTheSecondDocument) {
  const Vector scaled = decimals({"1.75", "1.25", "1.5"});
  EXPECT_EXACTLY(scaled == (Vector{Rational(14) / 8, Rational(10) / 8, Rational(12) / 8}));
  expect_weights(subject, "S2", scaled, {"0.419", "0.254", "0.326"});
}
KILLS("the root of 64 is 7", with_enclosures([](auto& logit, auto&) { return logit * 8 / 7; }));
KILLS("the scores are divided by 64",
      with_enclosures([](auto& logit, auto&) { return logit / 8; }));

STATEMENT(SoftmaxWorkedExamples, FivePositionsOfTheThirdDocument) {
  expect_weights(subject, "S3", raw_scores, {"0.599", "0.000", "0.401", "0.000", "0.000"});
  const std::vector<Interval<Rational>> exact = subject.softmax_enclosure(raw_scores);
  const Rational two = exact[0].lower + exact[2].lower;
  EXPECT_EXACTLY(two > Rational(999, 1000));
  expect_confirmed("S3", "concentrated on just 2 positions", two > Rational(999, 1000));
}
KILLS("negative scores are made positive",
      with_enclosures([](auto& logit, auto&) { return 3 * abs(logit); }));
KILLS("the scores are divided by 8", with_enclosures([](auto& logit, auto&) { return logit / 8; }));

ASIDE(SoftmaxWorkedExamples, TheLibraryRoundsToTheSameNumbers) {
  expect_computed(subject, {1, 1, 1, 5}, {"0.0174", "0.0174", "0.0174", "0.9479"});
  expect_computed(subject, {50, 10, 5}, {"1.0", "0.0", "0.0"});
  expect_computed(subject, decimals({"5", "1", "0.5"}), {"0.971", "0.018", "0.011"});
  expect_computed(subject, {14, 10, 12}, {"0.867", "0.016", "0.117"});
  expect_computed(subject, decimals({"1.75", "1.25", "1.5"}), {"0.419", "0.254", "0.326"});
  expect_computed(subject, raw_scores, {"0.599", "0.000", "0.401", "0.000", "0.000"});
}
KILLS("powers of 2 instead of e", with_wide([](auto& x, Wide) {
        return wide_after(x, [](auto& logit) { return Wide(logit * log(Wide(2))); });
      }));
KILLS("the last logit is left out", with_wide([](auto& x, Wide) {
        Values<Wide> y = library_softmax<Wide>(x, 1);
        y.back() = 0;
        return y;
      }));
KILLS("the logits are divided by their number", with_wide([](auto& x, Wide) {
        return wide_after(x, [&](const Wide& logit) { return Wide(logit / x.size()); });
      }));
KILLS("logits are cut off at 8", with_wide([](auto& x, Wide) {
        return wide_after(x, [](auto& logit) { return std::min(logit, Wide(8)); });
      }));
KILLS("the root is 7", with_wide([](auto& x, Wide) {
        return wide_after(x, [](auto& logit) { return Wide(logit * 8 / 7); });
      }));
KILLS("the scores are scaled twice", with_wide([](auto& x, Wide) {
        return wide_after(x, [](auto& logit) { return Wide(logit / 8); });
      }));
KILLS("negative logits are made positive", with_wide([](auto& x, Wide) {
        return wide_after(x, [](auto& logit) { return Wide(3 * abs(logit)); });
      }));

ASIDE(SoftmaxWorkedExamples, RefusesNoScores) {
  expect_refusal<std::invalid_argument>([&] { subject.softmax_enclosure({}); });
}
KILLS("no scores have no weights", {.softmax_enclosure = [](auto& x) {
        return x.empty() ? std::vector<Interval<Rational>>() : softmax_enclosure(x);
      }});

STATEMENT(SoftmaxWorkedExamples, SumsOfExponentials) {
  for (const auto& [logits, printed] :
       std::vector<std::pair<Vector, std::string>>{{decimals({"5", "1", "0.5"}), "152.780"},
                                                   {{14, 10, 12}, "1,387,386"},
                                                   {decimals({"1.75", "1.25", "1.5"}), "13.727"}}) {
    Interval<Rational> sum{0, 0};
    for (const Rational& logit : logits) {
      const Interval<Rational> e = subject.exp_enclosure(logit);
      sum = {sum.lower + e.lower, sum.upper + e.upper};
    }
    expect_printed("S2", printed, sum.lower);
    expect_rounds_to(printed, sum);
  }
  enumerated(3);
}
KILLS("a term of the sum is dropped", {.exp_enclosure = [](auto& x) {
        return x == Rational(1, 2) || x == 10 || x == Rational(5, 4) ? Interval<Rational>{0, 0}
                                                                     : exp_enclosure(x);
      }});

STATEMENT(SoftmaxWorkedExamples, TheAddendsAreRoundedAndTheSumIsNot) {
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
      const Interval<Rational> e = subject.exp_enclosure(sum.logits[j]);
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
}
KILLS("exponentials are rounded before they are added", {.exp_enclosure = [](auto& x) {
        const Rational tenths = exp_enclosure(x).lower * 10 + Rational(1, 2);
        const Rational rounded(numerator(tenths) / denominator(tenths));
        return Interval<Rational>{rounded / 10, rounded / 10};
      }});

}  // namespace sqrtdk::properties::SoftmaxWorkedExamples
