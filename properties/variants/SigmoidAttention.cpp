#include <sqrtdk/moments.hpp>
#include <sqrtdk/moments/finite_distribution.hpp>

#include "properties/support/rational_distributions.hpp"
#include "properties/variants/fixture.hpp"

namespace sqrtdk::properties::SigmoidAttention {

struct Subject {
  Rational (*weight)(const Rational&, const Rational&) = sqrtdk::sigmoid_weight<Rational>;
  Rational (*slope)(const Rational&) = sqrtdk::sigmoid_slope<Rational>;
  Interval<Rational> (*bounds)(const RationalDistribution&,
                               unsigned) = sqrtdk::sigmoid_total_bounds;
};

unsigned drawn_count() {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(1U, 2000U)).as("n");
}

//! [SigmoidAttention]
STATEMENT(SigmoidAttention, EqualScoresAddUpToNearlyOne) {
  for_all([&] {
    const unsigned n = drawn_count();
    const Rational z = *positive_rational().as("z"), share(1, n);
    EXPECT_EXACTLY(n * subject.weight(1, share) == Rational(n, n + 1));
    EXPECT_EXACTLY(n * subject.weight(z, share) == n * z / (n + z));
  });
}
KILLS("no bias", {.weight = [](auto& z, auto&) { return sigmoid_weight<Rational>(z, 1); }});
KILLS("the bias is that of n − 1 keys", {.weight = [](auto& z, auto& f) {
        return f == 1 ? sigmoid_weight<Rational>(z, 1)
                      : sigmoid_weight<Rational>(z, 1 / (1 / f - 1));
      }});

STATEMENT(SigmoidAttention, TheDerivativeIsThatOfTheOwnWeight) {
  for_all([&] {
    const Rational z = *positive_rational().as("z"), f = *positive_rational().as("f");
    const Rational w = subject.weight(z, f);
    // A score that is raised by ln r: the odds w/(1 − w) = zf become r times as large.
    const Rational r = 1 + *positive_rational().as("r - 1");
    const Rational raised = subject.weight(r * z, f);
    EXPECT_EXACTLY(raised == r * w / (1 + w * (r - 1)));
    EXPECT_EXACTLY((raised - w) / (r - 1) == subject.slope(w) / (1 + w * (r - 1)));
  });
}
KILLS("the exponential alone", {.weight = [](auto& z, auto& f) { return z * f; }});
KILLS("the weight is its slope", {.slope = [](auto& w) { return w; }});

STATEMENT(SigmoidAttention, TheMeanTotalTendsToTheMeanPower) {
  for_all([&] {
    const unsigned n = drawn_count();
    const RationalDistribution z =
        (*any_distribution().as("roots of the powers")).image([](const Rational& x) -> Rational {
          return x * x;
        });
    const Rational total = z.expectation([&](const Rational& power) -> Rational {
      return n * subject.weight(power, Rational(1, n));
    });
    const Interval<Rational> bounds = subject.bounds(z, n);
    EXPECT_EXACTLY(bounds.lower <= total);
    EXPECT_EXACTLY(total <= bounds.upper);
    // The bounds are n/(n + z) from both sides, and what they leave out is of the order of 1/n².
    EXPECT_EXACTLY(total - bounds.lower <= raw_moment(z, 3) / n / n);
    // A weight is at least ½ where the power is n or more.
    EXPECT_EXACTLY(2 * total >= z.expectation([&](const Rational& power) -> Rational {
      return power >= n ? n : 0;
    }));
  });
}
//! [SigmoidAttention]
KILLS("the square is not subtracted", {.bounds = [](auto& z, unsigned) -> Interval<Rational> {
        return {mean(z), mean(z)};
      }});
KILLS("the variance in place of the mean square",
      {.bounds = [](auto& z, unsigned n) -> Interval<Rational> {
        return {mean(z) - variance(z) / n, mean(z)};
      }});

//! [SigmoidAttention: exact check]
STATEMENT(SigmoidAttention, ThreeKeysOfPowerTwoHaveMoreThanOne) {
  const Rational third(1, 3);
  EXPECT_EXACTLY(3 * subject.weight(1, third) == Rational(3, 4));
  EXPECT_EXACTLY(3 * subject.weight(2, third) == Rational(6, 5));
  EXPECT_EXACTLY(subject.slope(Rational(2, 5)) == Rational(6, 25));
  const Interval<Rational> bounds = subject.bounds(RationalDistribution::uniform({1, 2}), 3);
  EXPECT_EXACTLY((bounds.lower == Rational(2, 3) && bounds.upper == Rational(3, 2)));
  enumerated(4);
  record_value("limit", format_fixed(std::exp(0.5), 4));
  record_value("raw_at_least",
               rounded_down(128 * std::erfc(std::log(512.) / 8 / std::sqrt(2.)), 0));
}
//! [SigmoidAttention: exact check]
KILLS("a softmax of three", {.weight = [](auto& z, auto&) { return z / (3 * z); }});

ASIDE(SigmoidAttention, RefusesWhatIsOutOfRange) {
  expect_refusal<std::domain_error>([&] { return subject.weight(-1, 1); });
  expect_refusal<std::domain_error>([&] { return subject.weight(1, 0); });
  expect_refusal<std::domain_error>([&] { return subject.slope(Rational(3, 2)); });
  expect_refusal<std::domain_error>([&] { return subject.bounds(fair_sign, 1); });
  expect_refusal<std::domain_error>([&] { return subject.bounds(fair_bit, 0); });
}
KILLS("any number is a weight", {.slope = [](auto& w) { return w * (1 - w); }});

}  // namespace sqrtdk::properties::SigmoidAttention
