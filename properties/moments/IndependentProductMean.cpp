// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/finite_distribution.hpp>
#include <sqrtdk/moments.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/testing/generators/rational_distributions.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>

#include "properties/moments/fixture.hpp"
#include "properties/support/rational_distributions.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace sqrtdk::properties::IndependentProductMean {

using namespace sqrtdk::testing;

const Mutants independent_product_mean_mutants = {
    {"the means are added",
     "HoldsForEveryPairOfLaws",
     {.product_mean = [](const Moments& x, const Moments& y) -> Rational {
       return x.mean() + y.mean();
     }}},
    {"doubled",
     "OfTwoDiceIsTheSquareOfTheirMean",
     {.product_mean = [](const Moments& x, const Moments& y) -> Rational {
       return 2 * x.mean() * y.mean();
     }}},
    {"one mean is dropped",
     "HoldsForEveryPairOfLaws",
     {.product_mean = [](const Moments& x, const Moments&) { return x.mean(); }}},
    {"the outcomes are added, not multiplied",
     "HoldsForEveryPairOfLaws",
     {.product = sqrtdk::sum<Rational>}},
    {"both factors are the same draw",
     "AVariableTimesItselfBreaksIt",
     {.product_mean = [](const Moments& x, const Moments& y) -> Rational {
       return x == y ? Rational(x.mean() * x.mean() + x.variance()) : Rational(x.mean() * y.mean());
     }}},
};

//! [IndependentProductMean]
TEST(IndependentProductMean, HoldsForEveryPairOfLaws) {
  check_statement(independent_product_mean_mutants, [](const Rules& rules) {
    for_all([&] {
      const RationalDistribution x = *any_distribution().as("distribution of X");
      const RationalDistribution y = *any_distribution().as("distribution of Y");
      EXPECT_EXACTLY(mean(rules.product(x, y)) == rules.product_mean(moments(x), moments(y)));
    });
  });
}
//! [IndependentProductMean]

//! [IndependentProductMean: exact check]
TEST(IndependentProductMean, OfTwoDiceIsTheSquareOfTheirMean) {
  check_statement(independent_product_mean_mutants, [](const Rules& rules) {
    const auto die = RationalDistribution::uniform({1, 2, 3, 4, 5, 6});
    EXPECT_EXACTLY(mean(rules.product(die, die)) == Rational(49, 4));  // (1 + … + 6)² / 36
    EXPECT_EXACTLY(rules.product_mean(moments(die), moments(die)) == Rational(49, 4));
    enumerated(36);
  });
}
//! [IndependentProductMean: exact check]

TEST(IndependentProductMean, AVariableTimesItselfBreaksIt) {
  check_with_mutants(independent_product_mean_mutants, [](const Rules& rules) {
    const Rational same = fair_sign.expectation([](const Rational& x) { return Rational(x * x); });
    EXPECT_EXACTLY(same == 1);
    EXPECT_EXACTLY(rules.product_mean(moments(fair_sign), moments(fair_sign)) == 0);
    counterexample_without("independent");
  });
}

}  // namespace sqrtdk::properties::IndependentProductMean
