#include "properties/softmax/fixture.hpp"

namespace sqrtdk::properties::AlmostAllWeightNeedsAGap {

//! [AlmostAllWeightNeedsAGap]
STATEMENT(AlmostAllWeightNeedsAGap, ExactlyThisRatioGivesTheShare) {
  for_all([&] {
    const std::size_t n = *rc::gen::inRange<std::size_t>(2, 10).as("n");
    const Rational x = *positive_rational().as("odds of the rest");
    const Rational share_of_rest = x / (1 + x);
    Vector w(n, 1);
    w[0] = subject.required_ratio(n, share_of_rest);
    EXPECT_EXACTLY(subject.normalized(w)[0] == 1 - share_of_rest);
  });
}
//! [AlmostAllWeightNeedsAGap]
KILLS("the others are one more",
      {.required_ratio = [](auto n, auto& e) { return required_ratio(n + 1, e); }});
KILLS("the share of the rest is not taken off",
      {.required_ratio = [](auto n, auto& e) { return Rational(n - 1) / e; }});
KILLS("inverted", {.required_ratio = [](auto n, auto& e) { return 1 / required_ratio(n, e); }});

//! [AlmostAllWeightNeedsAGap: exact check]
STATEMENT(AlmostAllWeightNeedsAGap, NinetyNinePercentNeedsAGapOfMoreThanFive) {
  const Rational rest(1, 100);
  for (const auto& [n, name] : {std::pair(4U, "gap"), std::pair(512U, "gap_of_512")}) {
    const std::string printed = subject.min_logit_margin(n, rest).str(4);
    // Its logarithm rounds to this.
    const Rational ratio = subject.required_ratio(n, rest);
    EXPECT_EXACTLY(ratio == 99 * (n - 1));
    EXPECT_EXACTLY(exp_enclosure(parse_printed(printed).lower).upper < ratio) << printed;
    EXPECT_EXACTLY(exp_enclosure(parse_printed(printed).upper).lower > ratio) << printed;
    record_value(name, printed);
  }
}
//! [AlmostAllWeightNeedsAGap: exact check]
KILLS("common logarithms", {.min_logit_margin = [](auto n, auto& e) -> Wide {
        return min_logit_margin<Wide>(n, e) / log(Wide(10));
      }});
KILLS("the others are forgotten",
      {.min_logit_margin = [](auto, auto& e) { return min_logit_margin<Wide>(2, e); }});

ASIDE(AlmostAllWeightNeedsAGap, ASlightlyBiggerScoreTakesLittleMoreThanItsShare) {
  // Four scores, one of them bigger by 0.1: the quarter becomes 26.9 %.
  const Interval<Rational> slight = subject.softmax_enclosure(decimals({"0.1", "0", "0", "0"}))[0];
  expect_rounds_to("0.269", slight);
  EXPECT_EXACTLY(slight.upper < Rational(1, 2));
  // Half a deviation of 8 is 4; among 512 keys that is not enough either.
  Vector many(512, 0);
  many[0] = 4;
  const Interval<Rational> one_of_many = subject.softmax_enclosure(many)[0];
  EXPECT_EXACTLY(one_of_many.upper < Rational(1, 10));
  counterexample_without("a gap");
  record_value("slight", static_cast<Wide>(100 * slight.lower).str(3));
  record_value("of_512", static_cast<Wide>(100 * one_of_many.lower).str(2));
  enumerated(2);
}
KILLS("a tenth more takes almost all", {.softmax_enclosure = [](auto& x) {
        Vector bigger = x;
        if (x[0] < 1) bigger[0] = 6;
        return softmax_enclosure(bigger);
      }});

STATEMENT(AlmostAllWeightNeedsAGap, APartOfADeviationIsEnoughInALargeHead) {
  // √d lies between two multiples of 2⁻⁶⁴.
  const auto root = [](std::size_t d) {
    const Rational unit(1, Integer(1) << 64);
    const Integer below = sqrt(Integer(d) << 128);
    return Interval<Rational>{below * unit, (below + 1) * unit};
  };
  for (const std::size_t n : {2U, 4U, 512U})
    for (const unsigned percent : {10U, 1U})
      for (const Rational& part : {Rational(1, 2), Rational(1, 8)}) {
        const Rational rest(percent, 100);
        const std::size_t d = subject.required_dimension(n, rest, part);
        const Rational ratio = required_ratio(n, rest);
        EXPECT_EXACTLY(d >= 2U);
        EXPECT_EXACTLY(exp_enclosure(part * root(d).lower).lower >= ratio)
            << n << " keys, d = " << d;
        EXPECT_EXACTLY(exp_enclosure(part * root(d - 1).upper).upper < ratio) << n << ", d = " << d;
        if (2 * part == 1)
          record_value("of_" + std::to_string(n) + "_but_" + std::to_string(percent),
                       std::to_string(d));
      }
  // The example of the document: in a head of 64 its gap of 4 is half a deviation.
  EXPECT_EXACTLY(subject.required_dimension(4, Rational(1, 10), Rational(1, 2)) <= 64U);
  EXPECT_EXACTLY(subject.required_dimension(4, Rational(9, 10), Rational(1, 2)) == 1U);
  const Interval<Rational> example = subject.softmax_enclosure({1, 1, 1, 5})[3];
  EXPECT_EXACTLY(example.lower >= Rational(9, 10));
  expect_confirmed("S1", "almost all of the weight", example.lower >= Rational(9, 10));
  record_value("example", static_cast<Wide>(100 * example.lower).str(3));
  enumerated(12);
}
KILLS("the deviation is d", {.required_dimension = [](auto n, auto& e, auto& part) {
        return static_cast<std::size_t>(ceil(Wide(min_logit_margin<Wide>(n, e) / Wide(part))));
      }});
KILLS("the part is not squared", {.required_dimension = [](auto n, auto& e, auto& part) {
        const Wide gap = min_logit_margin<Wide>(n, e);
        return static_cast<std::size_t>(ceil(Wide(gap * gap / Wide(part))));
      }});
KILLS("the dimension is rounded down", {.required_dimension = [](auto n, auto& e, auto& part) {
        const std::size_t d = required_dimension<Wide>(n, e, part);
        return d > 1 ? d - 1 : d;
      }});

ASIDE(AlmostAllWeightNeedsAGap, TwiceTheGapSquaresEachRatio) {
  for_all([&] {
    const std::size_t n = *rc::gen::inRange<std::size_t>(2, 10).as("n");
    const Rational ratio = 1 + *positive_rational().as("the ratio e^gap, less 1");
    Vector w(n, 1);
    w[0] = ratio;
    const Vector once = subject.normalized(w);
    w[0] = ratio * ratio;
    const Vector twice = subject.normalized(w);
    EXPECT_EXACTLY(twice[1] * once[0] * once[0] == once[1] * once[1] * twice[0]);
    // The odds of the rest are squared for two only; for more they shrink by less. Its share
    // is not squared for two either.
    const auto rates = [](const Vector& p) { return Rational((1 - p[0]) / p[0]); };
    EXPECT_EXACTLY((rates(twice) == rates(once) * rates(once)) == (n == 2));
    EXPECT_EXACTLY((n != 2 || 1 - twice[0] > (1 - once[0]) * (1 - once[0])));
  });
  const Interval<Rational> once = subject.softmax_enclosure({4, 0, 0, 0})[0];
  const Interval<Rational> twice = subject.softmax_enclosure({8, 0, 0, 0})[0];
  const Rational left = 1 - once.upper;
  EXPECT_EXACTLY((1 - twice.lower < left / 50 && 1 - twice.upper < left * left));
  record_value("once", static_cast<Wide>(left).str(4));
  record_value("twice", static_cast<Wide>(Rational(1 - twice.upper)).str(4));
  record_value("square", static_cast<Wide>(Rational(left * left)).str(4));
}
KILLS("weights are the squares of their shares", with_normalized([](auto& w) {
        Vector p = library_normalized(w);
        for (std::size_t j = 1; j < p.size(); ++j) p[j] *= p[j];
        return p;
      }));
KILLS("twice the gap leaves the same", {.softmax_enclosure = [](auto& x) {
        Vector less = x;
        if (x[0] == 8) less[0] = 4;
        return softmax_enclosure(less);
      }});

ASIDE(AlmostAllWeightNeedsAGap, RefusesWhatIsNoShare) {
  expect_refusal<std::domain_error>([&] { subject.required_ratio(1, Rational(1, 2)); });
  expect_refusal<std::domain_error>([&] { subject.required_ratio(4, 0); });
  expect_refusal<std::domain_error>([&] { subject.required_ratio(4, 1); });
  expect_refusal<std::domain_error>([&] { subject.required_ratio(4, 2); });
  expect_refusal<std::domain_error>([&] { subject.required_dimension(4, Rational(1, 2), 0); });
  expect_refusal<std::domain_error>([&] { subject.required_dimension(4, Rational(1, 2), -1); });
}
KILLS("no part of a deviation is accepted", {.required_dimension = [](auto n, auto& e, auto& part) {
        return part <= 0 ? std::size_t{1} : required_dimension<Wide>(n, e, part);
      }});
KILLS("a share of all is accepted", {.required_ratio = [](auto n, auto& e) {
        return e <= 0 || e >= 1 ? Rational(1) : required_ratio(n, e);
      }});
KILLS("a single score is accepted", {.required_ratio = [](auto n, auto& e) {
        return n < 2 ? Rational(0) : required_ratio(n, e);
      }});

}  // namespace sqrtdk::properties::AlmostAllWeightNeedsAGap
