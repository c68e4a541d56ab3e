// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/finite_distribution.hpp>
#include <sqrtdk/moments.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/score_dependence.hpp>
#include <sqrtdk/testing/generators/rational_distributions.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>

#include "properties/moments/fixture.hpp"
#include "properties/support/rational_distributions.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace sqrtdk::properties::IndependentProductVariance {

using namespace sqrtdk::testing;

const Mutants independent_product_variance_mutants = {
    {"doubled",
     "HoldsForEveryPairOfLaws",
     {.product_variance = [](const Moments& x, const Moments& y) -> Rational {
       return 2 * product_variance(x, y);
     }}},
    {"σx²σy² is dropped",
     "EachTermHasACaseInWhichItStandsAlone",
     {.product_variance = [](const Moments& x, const Moments& y) -> Rational {
       return product_variance(x, y) - x.variance() * y.variance();
     }}},
    {"μx²σy² is dropped",
     "EachTermHasACaseInWhichItStandsAlone",
     {.product_variance = [](const Moments& x, const Moments& y) -> Rational {
       return product_variance(x, y) - x.mean() * x.mean() * y.variance();
     }}},
    {"μy²σx² is dropped",
     "EachTermHasACaseInWhichItStandsAlone",
     {.product_variance = [](const Moments& x, const Moments& y) -> Rational {
       return product_variance(x, y) - y.mean() * y.mean() * x.variance();
     }}},
    {"the squared mean of the product is not subtracted",
     "HoldsForEveryPairOfLaws",
     {.product_variance = [](const Moments& x, const Moments& y) -> Rational {
       return product_variance(x, y) + x.mean() * x.mean() * y.mean() * y.mean();
     }}},
    {"standard deviations instead of variances",
     "IsOneForEveryPairOfStandardizedLaws",
     {.product_variance = [](const Moments& x, const Moments& y) -> Rational {
       return x.variance() + y.variance();
     }}},
    {"means are ignored if the first variance is 1",
     "IsOneForStandardNormalFactors",
     {.product_variance =
          [](const Moments& x, const Moments& y) {
            return x.variance() == 1 ? y.variance() : product_variance(x, y);
          }}},
    {"one plus the mean square, for normal laws",
     "IsOneForStandardNormalFactors",
     {.product_variance = [](const Moments& x, const Moments& y) -> Rational {
       return product_variance(x, y) + 1;
     }}},
    {"both factors are the same draw",
     "AVariableTimesItselfBreaksIt",
     {.product_variance = [](const Moments& x, const Moments& y) -> Rational {
       return x == y ? Rational(0) : product_variance(x, y);
     }}},
};

//! [IndependentProductVariance]
TEST(IndependentProductVariance, HoldsForEveryPairOfLaws) {
  check_statement(independent_product_variance_mutants, [](const Rules& rules) {
    for_all([&] {
      const RationalDistribution x = *any_distribution().as("distribution of X");
      const RationalDistribution y = *any_distribution().as("distribution of Y");
      EXPECT_EXACTLY(variance(rules.product(x, y)) ==
                     rules.product_variance(moments(x), moments(y)));
    });
  });
}
//! [IndependentProductVariance]

//! [IndependentProductVariance: exact check]
TEST(IndependentProductVariance, EachTermHasACaseInWhichItStandsAlone) {
  check_statement(independent_product_variance_mutants, [](const Rules& rules) {
    const auto product_variance_of = [&](const RationalDistribution& x,
                                         const RationalDistribution& y) {
      const Rational by_formula = rules.product_variance(moments(x), moments(y));
      EXPECT_EXACTLY(by_formula == variance(rules.product(x, y)));
      return by_formula;
    };
    const auto three = RationalDistribution::uniform({3});
    EXPECT_EXACTLY(product_variance_of(fair_sign, fair_sign) == 1) << "σx²σy² alone";
    EXPECT_EXACTLY(product_variance_of(three, fair_sign) == 9) << "μx²σy² alone";
    EXPECT_EXACTLY(product_variance_of(fair_sign, three) == 9) << "μy²σx² alone";
    EXPECT_EXACTLY(product_variance_of(fair_bit, fair_bit) == Rational(3, 16)) << "all three terms";
    enumerated(4);
  });
}
//! [IndependentProductVariance: exact check]

TEST(IndependentProductVariance, IsOneForEveryPairOfStandardizedLaws) {
  check_statement(independent_product_variance_mutants, [](const Rules& rules) {
    for_all([&] {
      const RationalDistribution x = *standardized_distribution().as("distribution of X");
      const RationalDistribution y = *standardized_distribution().as("distribution of Y");
      EXPECT_EXACTLY(variance(rules.product(x, y)) == 1);
      EXPECT_EXACTLY(rules.product_variance(moments(x), moments(y)) == 1);
    });
  });
}

TEST(IndependentProductVariance, IsOneForStandardNormalFactors) {
  check_statement(independent_product_variance_mutants, [](const Rules& rules) {
    // Isserlis' theorem pairs up the factors of E X²Y² and of E XY.
    const Rational mean_square = normal_moment(0, 2, 2);
    const Rational mean = normal_moment(0, 1, 1);
    EXPECT_EXACTLY(mean_square - mean * mean == 1);
    const Moments normal(normal_moment(0, 1, 0), normal_moment(0, 2, 0));
    EXPECT_EXACTLY(rules.product_variance(normal, normal) == mean_square - mean * mean);
    // And with means: (3 + X)(5 + 2Y) less its mean 15 is 5X + 6Y + 2XY, three terms without
    // covariances.
    const Rational shifted =
        25 * normal_moment(0, 2, 0) + 36 * normal_moment(0, 0, 2) + 4 * mean_square;
    EXPECT_EXACTLY(rules.product_variance(Moments(3, 1), Moments(5, 4)) == shifted);
    enumerated(2);
  });
}

TEST(IndependentProductVariance, AVariableTimesItselfBreaksIt) {
  check_with_mutants(independent_product_variance_mutants, [](const Rules& rules) {
    const auto square = fair_sign.image([](const Rational& x) { return Rational(x * x); });
    EXPECT_EXACTLY(variance(square) == 0);
    EXPECT_EXACTLY(rules.product_variance(moments(fair_sign), moments(fair_sign)) == 1);
    counterexample_without("independent");
  });
}

}  // namespace sqrtdk::properties::IndependentProductVariance
