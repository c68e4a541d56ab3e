#include "properties/scale/fixture.hpp"
#include "properties/support/rational_distributions.hpp"

namespace sqrtdk::properties::UnitVarianceScaleIsUnique {

//! [UnitVarianceScaleIsUnique]
STATEMENT(UnitVarianceScaleIsUnique, TheDivisorLeavesVarianceOneAndNoOtherDoes) {
  for_all([&] {
    const Rational root = *positive_rational().as("√Var X");
    const Rational variance = root * root;
    const std::optional<Rational> c = subject.unit_variance_divisor(variance);
    EXPECT_EXACTLY(c.has_value());
    EXPECT_EXACTLY(*c > 0);
    EXPECT_EXACTLY(subject.variance_after_division(variance, *c) == 1);
    const Rational other = *positive_rational().as("another divisor");
    EXPECT_EXACTLY((subject.variance_after_division(variance, other) == 1) == (other == *c));
  });
}
//! [UnitVarianceScaleIsUnique]
KILLS("the variance itself",
      {.unit_variance_divisor = [](auto& variance) -> std::optional<Rational> {
        return unit_variance_divisor(variance) ? std::optional(variance) : std::nullopt;
      }});
KILLS("half of it", {.unit_variance_divisor = [](auto& variance) -> std::optional<Rational> {
        const std::optional<Rational> c = unit_variance_divisor(variance);
        return c ? std::optional<Rational>(*c / 2) : c;
      }});
KILLS("the negative root", {.unit_variance_divisor = [](auto& variance) -> std::optional<Rational> {
        const std::optional<Rational> c = unit_variance_divisor(variance);
        return c ? std::optional<Rational>(-*c) : c;
      }});
KILLS("the variance is divided by c, not c²",
      {.variance_after_division = [](auto& variance, auto& c) { return variance / c; }});
KILLS("no fraction serves",
      {.unit_variance_divisor = [](auto& variance) -> std::optional<Rational> {
        return denominator(variance) == 1 ? unit_variance_divisor(variance) : std::nullopt;
      }});

STATEMENT(UnitVarianceScaleIsUnique, WhereNoRationalNumberServesThereIsNoSquare) {
  for_all([&] {
    const Rational variance = *positive_rational().as("Var X");
    const std::optional<Rational> c = subject.unit_variance_divisor(variance);
    // A fraction n/m is (√(nm)/m)², so it is a square if nm is: else nm lies between two squares.
    const Integer product = numerator(variance) * denominator(variance);
    Integer low = 0, high = product + 1;
    while (high - low > 1) {
      const Integer middle = (low + high) / 2;
      (middle * middle <= product ? low : high) = middle;
    }
    EXPECT_EXACTLY(c.has_value() == (low * low == product));
    const Rational any = *positive_rational().as("a divisor");
    if (!c) EXPECT_EXACTLY(subject.variance_after_division(variance, any) != 1);
  });
}
KILLS("a root is a rational number if its numerator is a square",
      {.unit_variance_divisor = [](auto& variance) -> std::optional<Rational> {
        return unit_variance_divisor(Rational(numerator(variance)));
      }});

STATEMENT(UnitVarianceScaleIsUnique, AGreaterDivisorLeavesAStrictlySmallerVariance) {
  for_all([&] {
    const Rational variance = *positive_rational().as("Var X");
    const Rational c = *positive_rational().as("c");
    const Rational more = *positive_rational().as("how much greater");
    EXPECT_EXACTLY(subject.variance_after_division(variance, c + more) <
                   subject.variance_after_division(variance, c));
  });
}
KILLS("large divisors count as 1", {.variance_after_division = [](auto& variance, auto& c) {
        return c * c > variance ? Rational(variance / 2) : variance_after_division(variance, c);
      }});

//! [UnitVarianceScaleIsUnique: exact check]
STATEMENT(UnitVarianceScaleIsUnique, WholeDivisorsOfScores) {
  for (unsigned d = 1; d <= 1089; ++d) {
    const std::optional<Rational> c = subject.unit_variance_divisor(d);
    for (unsigned whole = 1; whole <= 33; ++whole)
      EXPECT_EXACTLY((subject.variance_after_division(d, whole) == 1) == (c == Rational(whole)));
  }
  EXPECT_EXACTLY(subject.unit_variance_divisor(64) == Rational(8));
  EXPECT_EXACTLY(!subject.unit_variance_divisor(128));
  enumerated(1089 * 33);
}
//! [UnitVarianceScaleIsUnique: exact check]
KILLS("the whole part of the root",
      {.unit_variance_divisor = [](auto& variance) -> std::optional<Rational> {
        return Rational(sqrt(Integer(numerator(variance) / denominator(variance))));
      }});

ASIDE(UnitVarianceScaleIsUnique, NoDivisorServesAVarianceOfZero) {
  expect_refusal<std::domain_error>([&] { subject.unit_variance_divisor(0); });
  EXPECT_EXACTLY(subject.variance_after_division(0, 5) == 0);
  counterexample_without("positive variance");
}
KILLS("a variance of 0 is accepted",
      {.unit_variance_divisor = [](auto& variance) -> std::optional<Rational> {
        return variance == 0 ? Rational(1) : unit_variance_divisor(variance);
      }});

ASIDE(UnitVarianceScaleIsUnique, TheNegativeRootServesAsWell) {
  EXPECT_EXACTLY(subject.variance_after_division(64, -8) == 1);
  counterexample_without("positive divisor");
}
KILLS("negative divisors are refused", {.variance_after_division = [](auto& variance, auto& c) {
        return c < 0 ? Rational(0) : variance_after_division(variance, c);
      }});

}  // namespace sqrtdk::properties::UnitVarianceScaleIsUnique
