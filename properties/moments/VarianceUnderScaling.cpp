// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/finite_distribution.hpp>
#include <sqrtdk/moments.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/testing/generators/rational_distributions.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>
#include <sqrtdk/testing/reporting/expect_refusal.hpp>
#include <sqrtdk/testing/reporting/printed.hpp>

#include "properties/moments/fixture.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <stdexcept>

namespace sqrtdk::properties::VarianceUnderScaling {

using namespace sqrtdk::testing;

const Mutants variance_under_scaling_mutants = {
    {"divided by c",
     "HoldsForEveryLawAndDivisor",
     {.variance_after_division = [](const Rational& variance, const Rational& c) -> Rational {
       return variance / c;
     }}},
    {"c² is dropped",
     "HoldsForEveryLawAndDivisor",
     {.variance_after_division = [](const Rational& variance,
                                    const Rational&) { return variance; }}},
    {"multiplied by c²",
     "TheDocumentsThreeValuesHalved",
     {.variance_after_division = [](const Rational& variance, const Rational& c) -> Rational {
       return variance * c * c;
     }}},
    {"the sample variance, divided by n − 1",
     "TheDocumentsThreeValuesHalved",
     {.variance = [](const RationalDistribution& x) -> Rational {
       const Rational n(x.atoms().size());
       return n == 1 ? Rational(0) : Rational(variance(x) * n / (n - 1));
     }}},
    {"a divisor of zero is accepted",
     "RefusesADivisorOfZero",
     {.variance_after_division = [](const Rational& variance, const Rational& c) -> Rational {
       return c == 0 ? Rational(0) : variance_after_division(variance, c);
     }}},
    {"a negative variance is accepted",
     "RefusesANegativeVariance",
     {.variance_after_division = [](const Rational& variance, const Rational& c) -> Rational {
       return variance < 0 ? Rational(0) : variance_after_division(variance, c);
     }}},
};

//! [VarianceUnderScaling]
TEST(VarianceUnderScaling, HoldsForEveryLawAndDivisor) {
  check_statement(variance_under_scaling_mutants, [](const Rules& rules) {
    for_all([&] {
      const RationalDistribution x = *any_distribution().as("distribution of X");
      const Rational c = *nonzero_rational().as("c");
      const auto scaled = x.image([&](const Rational& v) { return Rational(v / c); });
      EXPECT_EXACTLY(rules.variance(scaled) == rules.variance_after_division(rules.variance(x), c));
    });
  });
}
//! [VarianceUnderScaling]

//! [VarianceUnderScaling: exact check]
TEST(VarianceUnderScaling, TheDocumentsThreeValuesHalved) {
  check_statement(variance_under_scaling_mutants, [](const Rules& rules) {
    const Rational before = rules.variance(RationalDistribution::uniform({2, 4, 6}));
    const Rational after = rules.variance(RationalDistribution::uniform({1, 2, 3}));
    EXPECT_EXACTLY(before == Rational(8, 3));
    EXPECT_EXACTLY(after == Rational(2, 3));
    EXPECT_EXACTLY(after == rules.variance_after_division(before, 2));
    expect_printed("S2", "2.67", before);
    expect_printed("S2", "0.67", after);
    enumerated(2);
  });
}
//! [VarianceUnderScaling: exact check]

TEST(VarianceUnderScaling, RefusesADivisorOfZero) {
  check_with_mutants(variance_under_scaling_mutants, [](const Rules& rules) {
    expect_refusal<std::domain_error>([&] { rules.variance_after_division(1, 0); });
    counterexample_without("nonzero divisor");
  });
}

TEST(VarianceUnderScaling, RefusesANegativeVariance) {
  check_with_mutants(variance_under_scaling_mutants, [](const Rules& rules) {
    expect_refusal<std::domain_error>([&] { rules.variance_after_division(-1, 2); });
  });
}

}  // namespace sqrtdk::properties::VarianceUnderScaling
