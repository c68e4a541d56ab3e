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

#include <stdexcept>

namespace sqrtdk::properties::UnitVarianceScaleIsUnique {

using namespace sqrtdk::testing;

const Mutants unit_variance_scale_is_unique_mutants = {
    {"the divisor itself instead of its square",
     "ADivisorServesExactlyIfItsSquareIsTheVariance",
     {.squared_unit_variance_divisor = [](const Rational& variance) -> Rational {
       return variance * variance;
     }}},
    {"doubled",
     "ADivisorServesExactlyIfItsSquareIsTheVariance",
     {.squared_unit_variance_divisor = [](const Rational& variance) -> Rational {
       return 2 * variance;
     }}},
    {"the variance is divided by c, not c²",
     "ADivisorServesExactlyIfItsSquareIsTheVariance",
     {.variance_after_division = [](const Rational& variance, const Rational& c) -> Rational {
       return variance / c;
     }}},
    {"large divisors count as 1",
     "AGreaterDivisorLeavesAStrictlySmallerVariance",
     {.variance_after_division = [](const Rational& variance, const Rational& c) -> Rational {
       return c * c > variance ? Rational(variance / 2) : variance_after_division(variance, c);
     }}},
    {"the whole part of the root serves",
     "BetweenPerfectSquaresNoWholeNumberServes",
     {.variance_after_division = [](const Rational& variance, const Rational& c) -> Rational {
       const bool near = c * c < variance && variance < (c + 1) * (c + 1);
       return near && variance > 1 ? Rational(1) : variance_after_division(variance, c);
     }}},
    {"a variance of 0 is accepted",
     "NoDivisorServesAVarianceOfZero",
     {.squared_unit_variance_divisor = [](const Rational& variance) -> Rational {
       return variance == 0 ? Rational(1) : squared_unit_variance_divisor(variance);
     }}},
    {"negative divisors are refused",
     "TheNegativeRootServesAsWell",
     {.variance_after_division = [](const Rational& variance, const Rational& c) -> Rational {
       return c < 0 ? Rational(0) : variance_after_division(variance, c);
     }}},
};

//! [UnitVarianceScaleIsUnique]
TEST(UnitVarianceScaleIsUnique, ADivisorServesExactlyIfItsSquareIsTheVariance) {
  check_statement(unit_variance_scale_is_unique_mutants, [](const Scales& scales) {
    for_all([&] {
      const Rational c = *positive_rational().as("c");
      const bool should_serve = *rc::gen::element(true, false).as("c² is the variance");
      const Rational variance = should_serve ? Rational(c * c) : *positive_rational().as("Var X");
      EXPECT_EXACTLY((scales.variance_after_division(variance, c) == 1) ==
                     (c * c == scales.squared_unit_variance_divisor(variance)));
    });
  });
}
//! [UnitVarianceScaleIsUnique]

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
TEST(UnitVarianceScaleIsUnique, BetweenPerfectSquaresNoWholeNumberServes) {
  check_statement(unit_variance_scale_is_unique_mutants, [](const Scales& scales) {
    for (unsigned root = 1; root <= 32; ++root)
      for (unsigned d = root * root + 1; d < (root + 1) * (root + 1); ++d) {
        EXPECT_EXACTLY(scales.variance_after_division(d, root) > 1);
        EXPECT_EXACTLY(scales.variance_after_division(d, root + 1) < 1);
      }
    enumerated(33 * 33 - 33);
  });
}
//! [UnitVarianceScaleIsUnique: exact check]

TEST(UnitVarianceScaleIsUnique, NoDivisorServesAVarianceOfZero) {
  check_with_mutants(unit_variance_scale_is_unique_mutants, [](const Scales& scales) {
    expect_refusal<std::domain_error>([&] { scales.squared_unit_variance_divisor(0); });
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
