// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/scale.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>
#include <sqrtdk/testing/reporting/expect_refusal.hpp>

#include "properties/scale/fixture.hpp"
#include "properties/support/rational_distributions.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <optional>
#include <stdexcept>

namespace sqrtdk::properties::UnitVarianceScaleIsUnique {

using namespace sqrtdk::testing;

const Mutants unit_variance_scale_is_unique_mutants = {
    {"the variance itself",
     "TheDivisorLeavesVarianceOneAndNoOtherDoes",
     {.unit_variance_divisor = [](const Rational& variance) -> std::optional<Rational> {
       return unit_variance_divisor(variance) ? std::optional(variance) : std::nullopt;
     }}},
    {"half of it",
     "TheDivisorLeavesVarianceOneAndNoOtherDoes",
     {.unit_variance_divisor = [](const Rational& variance) -> std::optional<Rational> {
       const std::optional<Rational> c = unit_variance_divisor(variance);
       return c ? std::optional<Rational>(*c / 2) : c;
     }}},
    {"the negative root",
     "TheDivisorLeavesVarianceOneAndNoOtherDoes",
     {.unit_variance_divisor = [](const Rational& variance) -> std::optional<Rational> {
       const std::optional<Rational> c = unit_variance_divisor(variance);
       return c ? std::optional<Rational>(-*c) : c;
     }}},
    {"the variance is divided by c, not c²",
     "TheDivisorLeavesVarianceOneAndNoOtherDoes",
     {.variance_after_division = [](const Rational& variance, const Rational& c) -> Rational {
       return variance / c;
     }}},
    {"no fraction serves",
     "TheDivisorLeavesVarianceOneAndNoOtherDoes",
     {.unit_variance_divisor = [](const Rational& variance) -> std::optional<Rational> {
       return denominator(variance) == 1 ? unit_variance_divisor(variance) : std::nullopt;
     }}},
    {"a root is a rational number if its numerator is a square",
     "WhereNoRationalNumberServesThereIsNoSquare",
     {.unit_variance_divisor = [](const Rational& variance) -> std::optional<Rational> {
       return unit_variance_divisor(Rational(numerator(variance)));
     }}},
    {"the whole part of the root",
     "WholeDivisorsOfScores",
     {.unit_variance_divisor = [](const Rational& variance) -> std::optional<Rational> {
       return Rational(sqrt(Integer(numerator(variance) / denominator(variance))));
     }}},
    {"large divisors count as 1",
     "AGreaterDivisorLeavesAStrictlySmallerVariance",
     {.variance_after_division = [](const Rational& variance, const Rational& c) -> Rational {
       return c * c > variance ? Rational(variance / 2) : variance_after_division(variance, c);
     }}},
    {"a variance of 0 is accepted",
     "NoDivisorServesAVarianceOfZero",
     {.unit_variance_divisor = [](const Rational& variance) -> std::optional<Rational> {
       return variance == 0 ? Rational(1) : unit_variance_divisor(variance);
     }}},
    {"negative divisors are refused",
     "TheNegativeRootServesAsWell",
     {.variance_after_division = [](const Rational& variance, const Rational& c) -> Rational {
       return c < 0 ? Rational(0) : variance_after_division(variance, c);
     }}},
};

//! [UnitVarianceScaleIsUnique]
TEST(UnitVarianceScaleIsUnique, TheDivisorLeavesVarianceOneAndNoOtherDoes) {
  check_statement(unit_variance_scale_is_unique_mutants, [](const Scales& scales) {
    for_all([&] {
      const Rational root = *positive_rational().as("√Var X");
      const Rational variance = root * root;
      const std::optional<Rational> c = scales.unit_variance_divisor(variance);
      EXPECT_EXACTLY(c.has_value());
      EXPECT_EXACTLY(*c > 0);
      EXPECT_EXACTLY(scales.variance_after_division(variance, *c) == 1);
      const Rational other = *positive_rational().as("another divisor");
      EXPECT_EXACTLY((scales.variance_after_division(variance, other) == 1) == (other == *c));
    });
  });
}
//! [UnitVarianceScaleIsUnique]

TEST(UnitVarianceScaleIsUnique, WhereNoRationalNumberServesThereIsNoSquare) {
  check_statement(unit_variance_scale_is_unique_mutants, [](const Scales& scales) {
    for_all([&] {
      const Rational variance = *positive_rational().as("Var X");
      const std::optional<Rational> c = scales.unit_variance_divisor(variance);
      // A fraction n/m is (√(nm)/m)², so it is a square if nm is: else nm lies between two squares.
      const Integer product = numerator(variance) * denominator(variance);
      Integer low = 0, high = product + 1;
      while (high - low > 1) {
        const Integer middle = (low + high) / 2;
        (middle * middle <= product ? low : high) = middle;
      }
      EXPECT_EXACTLY(c.has_value() == (low * low == product));
      const Rational any = *positive_rational().as("a divisor");
      if (!c) EXPECT_EXACTLY(scales.variance_after_division(variance, any) != 1);
    });
  });
}

TEST(UnitVarianceScaleIsUnique, AGreaterDivisorLeavesAStrictlySmallerVariance) {
  check_statement(unit_variance_scale_is_unique_mutants, [](const Scales& scales) {
    for_all([&] {
      const Rational variance = *positive_rational().as("Var X");
      const Rational c = *positive_rational().as("c");
      const Rational more = *positive_rational().as("how much greater");
      EXPECT_EXACTLY(scales.variance_after_division(variance, c + more) <
                     scales.variance_after_division(variance, c));
    });
  });
}

//! [UnitVarianceScaleIsUnique: exact check]
TEST(UnitVarianceScaleIsUnique, WholeDivisorsOfScores) {
  check_statement(unit_variance_scale_is_unique_mutants, [](const Scales& scales) {
    for (unsigned d = 1; d <= 1089; ++d) {
      const std::optional<Rational> c = scales.unit_variance_divisor(d);
      for (unsigned whole = 1; whole <= 33; ++whole)
        EXPECT_EXACTLY((scales.variance_after_division(d, whole) == 1) == (c == Rational(whole)));
    }
    EXPECT_EXACTLY(scales.unit_variance_divisor(64) == Rational(8));
    EXPECT_EXACTLY(!scales.unit_variance_divisor(128));
    enumerated(1089 * 33);
  });
}
//! [UnitVarianceScaleIsUnique: exact check]

TEST(UnitVarianceScaleIsUnique, NoDivisorServesAVarianceOfZero) {
  check_with_mutants(unit_variance_scale_is_unique_mutants, [](const Scales& scales) {
    expect_refusal<std::domain_error>([&] { scales.unit_variance_divisor(0); });
    EXPECT_EXACTLY(scales.variance_after_division(0, 5) == 0);
    counterexample_without("positive variance");
  });
}

TEST(UnitVarianceScaleIsUnique, TheNegativeRootServesAsWell) {
  check_with_mutants(unit_variance_scale_is_unique_mutants, [](const Scales& scales) {
    EXPECT_EXACTLY(scales.variance_after_division(64, -8) == 1);
    counterexample_without("positive divisor");
  });
}

}  // namespace sqrtdk::properties::UnitVarianceScaleIsUnique
