// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/finite_distribution.hpp>
#include <sqrtdk/moments.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/scale.hpp>
#include <sqrtdk/testing/generators/rational_distributions.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>
#include <sqrtdk/testing/reporting/expect_refusal.hpp>
#include <sqrtdk/testing/reporting/printed.hpp>

#include "properties/scale/fixture.hpp"
#include "properties/support/rational_distributions.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstddef>
#include <stdexcept>

namespace sqrtdk::properties::ScaledScoreVariance {

using namespace sqrtdk::testing;

/// Cases of a property that convolves distributions with up to a thousand outcomes.
constexpr int convolved_cases = 30;

const Mutants scaled_score_variance_mutants = {
    {"no scale",
     "IsOneForStandardizedLawsInEveryDimension",
     {.scaled_score_variance = [](std::size_t d, const Moments& q,
                                  const Moments& k) { return dot_product_variance(d, q, k); }}},
    {"divided by d instead of its root",
     "IsOneForStandardizedLawsInEveryDimension",
     {.scaled_score_variance = [](std::size_t d, const Moments& q, const Moments& k) -> Rational {
       return dot_product_variance(d, q, k) / Rational(d * d);
     }}},
    {"divided by the root of d + 1",
     "IsOneForStandardizedLawsInEveryDimension",
     {.scaled_score_variance = [](std::size_t d, const Moments& q, const Moments& k) -> Rational {
       return dot_product_variance(d, q, k) / Rational(d + 1);
     }}},
    {"σq²σk² is dropped",
     "IsTheProductsVarianceForEveryPairOfLaws",
     {.scaled_score_variance = [](std::size_t d, const Moments& q, const Moments& k) -> Rational {
       return scaled_score_variance(d, q, k) - q.variance() * k.variance();
     }}},
    {"μq²σk² is dropped",
     "IsTheProductsVarianceForEveryPairOfLaws",
     {.scaled_score_variance = [](std::size_t d, const Moments& q, const Moments& k) -> Rational {
       return scaled_score_variance(d, q, k) - q.mean() * q.mean() * k.variance();
     }}},
    {"μk²σq² is dropped",
     "IsTheProductsVarianceForEveryPairOfLaws",
     {.scaled_score_variance = [](std::size_t d, const Moments& q, const Moments& k) -> Rational {
       return scaled_score_variance(d, q, k) - k.mean() * k.mean() * q.variance();
     }}},
    {"the variance is divided by c, not c²",
     "AtPerfectSquaresTheScaledLawItselfHasVarianceOne",
     {.variance_after_division = [](const Rational& variance, const Rational& c) -> Rational {
       return variance / c;
     }}},
    {"queries are used as keys",
     "AtPerfectSquaresTheScaledLawItselfHasVarianceOne",
     {.dot_product_distribution =
          [](const RationalDistribution& q, const RationalDistribution&, std::size_t d) {
            return sum_of_copies(q.image([](const Rational& x) { return Rational(x * x); }), d);
          }}},
    {"the means are moved to zero first",
     "AtPerfectSquaresTheMeanIsTheRootTimesThatOfOneProduct",
     {.dot_product_distribution =
          [](const RationalDistribution& q, const RationalDistribution& k, std::size_t d) {
            const Rational of_q = mean(q);
            return dot_product_distribution(
                q.image([&](const Rational& x) { return Rational(x - of_q); }), k, d);
          }}},
    {"one coordinate too many",
     "TheDocumentsCaseOfSixtyFour",
     {.dot_product_distribution =
          [](const RationalDistribution& q, const RationalDistribution& k, std::size_t d) {
            return dot_product_distribution(q, k, d + 1);
          }}},
    {"means are ignored",
     "MeansOfOneLeaveAMeanOfTheRootAndVarianceThree",
     {.scaled_score_variance = [](std::size_t, const Moments& q, const Moments& k) -> Rational {
       return q.variance() * k.variance();
     }}},
    {"variances are ignored",
     "CoordinatesOfVarianceFourLeaveSixteen",
     {.scaled_score_variance = [](std::size_t, const Moments&, const Moments&) -> Rational {
       return 1;
     }}},
    {"independence is lost",
     "EqualQueryAndKeyLeaveAMeanOfTheRoot",
     {.scaled_score_variance = [](std::size_t, const Moments&, const Moments&) -> Rational {
       return 0;
     }}},
    {"a dimension of 0 is accepted",
     "RefusesADimensionOfZero",
     {.scaled_score_variance =
          [](std::size_t d, const Moments& q, const Moments& k) {
            return d == 0 ? Rational(0) : scaled_score_variance(d, q, k);
          }}},
};

//! [ScaledScoreVariance]
TEST(ScaledScoreVariance, IsOneForStandardizedLawsInEveryDimension) {
  check_statement(scaled_score_variance_mutants, [](const Scales& scales) {
    for_all(
        [&] {
          const RationalDistribution q = *standardized_distribution().as("distribution of each q");
          const RationalDistribution k = *standardized_distribution().as("distribution of each k");
          const std::size_t d = *dimension(3).as("d");
          const RationalDistribution score = scales.dot_product_distribution(q, k, d);
          EXPECT_EXACTLY(mean(score) == 0);
          // Var(X / √d) = Var X / d, without a root.
          EXPECT_EXACTLY(variance(score) / Rational(d) == 1);
          EXPECT_EXACTLY(scales.scaled_score_variance(d, moments(q), moments(k)) == 1);
        },
        convolved_cases);
  });
}
//! [ScaledScoreVariance]

TEST(ScaledScoreVariance, IsTheProductsVarianceForEveryPairOfLaws) {
  check_statement(scaled_score_variance_mutants, [](const Scales& scales) {
    for_all([&] {
      const RationalDistribution q = *any_distribution().as("distribution of each q");
      const RationalDistribution k = *any_distribution().as("distribution of each k");
      const std::size_t d = *dimension(1000000).as("d");
      EXPECT_EXACTLY(scales.scaled_score_variance(d, moments(q), moments(k)) ==
                     variance(product(q, k)));
    });
  });
}

//! [ScaledScoreVariance: exact check]
TEST(ScaledScoreVariance, AtPerfectSquaresTheScaledLawItselfHasVarianceOne) {
  check_statement(scaled_score_variance_mutants, [](const Scales& scales) {
    for_all(
        [&] {
          const RationalDistribution q = *standardized_distribution().as("distribution of each q");
          const RationalDistribution k = *standardized_distribution().as("distribution of each k");
          const std::size_t root = *dimension(2).as("root of d");
          const RationalDistribution score = scales.dot_product_distribution(q, k, root * root);
          const RationalDistribution scaled =
              score.image([&](const Rational& x) { return Rational(x / Rational(root)); });
          EXPECT_EXACTLY(mean(scaled) == 0);
          EXPECT_EXACTLY(variance(scaled) == 1);
          EXPECT_EXACTLY(scales.variance_after_division(variance(score), Rational(root)) == 1);
        },
        convolved_cases);
  });
}

TEST(ScaledScoreVariance, TheDocumentsCaseOfSixtyFour) {
  check_statement(scaled_score_variance_mutants, [](const Scales& scales) {
    const RationalDistribution score = scales.dot_product_distribution(fair_sign, fair_sign, 64);
    expect_printed("S3", "64", variance(score));
    expect_printed("S3", "1", scales.variance_after_division(variance(score), 8));
    enumerated(1);
  });
}
//! [ScaledScoreVariance: exact check]

TEST(ScaledScoreVariance, AtPerfectSquaresTheMeanIsTheRootTimesThatOfOneProduct) {
  check_statement(scaled_score_variance_mutants, [](const Scales& scales) {
    for_all([&] {
      const Vector either = *rc::gen::container<Vector>(4, any_rational()).as("values of q and k");
      const auto q = RationalDistribution::uniform({either[0], either[1]});
      const auto k = RationalDistribution::uniform({either[2], either[3]});
      const std::size_t root = *dimension(2).as("root of d");
      const RationalDistribution score = scales.dot_product_distribution(q, k, root * root);
      EXPECT_EXACTLY(mean(score) / Rational(root) == Rational(root) * mean(q) * mean(k));
    });
  });
}

TEST(ScaledScoreVariance, MeansOfOneLeaveAMeanOfTheRootAndVarianceThree) {
  check_with_mutants(scaled_score_variance_mutants, [](const Scales& scales) {
    const RationalDistribution zero_or_two({0, 2}, {Rational(1, 2), Rational(1, 2)});
    for (const std::size_t root : {1U, 2U, 3U, 4U, 5U}) {
      const RationalDistribution score =
          scales.dot_product_distribution(zero_or_two, zero_or_two, root * root);
      EXPECT_EXACTLY(mean(score) / Rational(root) == Rational(root));
      EXPECT_EXACTLY(scales.scaled_score_variance(root * root, moments(zero_or_two),
                                                  moments(zero_or_two)) == 3);
    }
    enumerated(5);
    counterexample_without("mean zero");
  });
}

TEST(ScaledScoreVariance, CoordinatesOfVarianceFourLeaveSixteen) {
  check_with_mutants(scaled_score_variance_mutants, [](const Scales& scales) {
    EXPECT_EXACTLY(scales.scaled_score_variance(64, Moments(0, 4), Moments(0, 4)) == 16);
    counterexample_without("unit variance");
  });
}

TEST(ScaledScoreVariance, EqualQueryAndKeyLeaveAMeanOfTheRoot) {
  check_with_mutants(scaled_score_variance_mutants, [](const Scales& scales) {
    const auto square = fair_sign.image([](const Rational& x) { return Rational(x * x); });
    const RationalDistribution score = sum_of_copies(square, 64);
    EXPECT_EXACTLY(mean(score) / 8 == 8);
    EXPECT_EXACTLY(variance(score) == 0);
    EXPECT_EXACTLY(scales.scaled_score_variance(64, moments(fair_sign), moments(fair_sign)) == 1);
    counterexample_without("independent");
  });
}

TEST(ScaledScoreVariance, RefusesADimensionOfZero) {
  check_with_mutants(scaled_score_variance_mutants, [](const Scales& scales) {
    expect_refusal<std::domain_error>(
        [&] { scales.scaled_score_variance(0, Moments(0, 1), Moments(0, 1)); });
  });
}

}  // namespace sqrtdk::properties::ScaledScoreVariance
