// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/finite_distribution.hpp>
#include <sqrtdk/moments.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/score.hpp>
#include <sqrtdk/testing/generators/rational_distributions.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>
#include <sqrtdk/testing/reporting/expect_refusal.hpp>

#include "properties/score/fixture.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstddef>
#include <stdexcept>

namespace sqrtdk::properties::WithoutZeroMean {

using namespace sqrtdk::testing;

const Mutants without_zero_mean_mutants = {
    {"1 is dropped",
     "MeansOfOneLeaveThreeTimesTheVarianceAtTheRootOfD",
     {.variance_from_means = [](std::size_t d, const Rational& q, const Rational& k) -> Rational {
       return Rational(d) * (q * q + k * k);
     }}},
    {"μq² is dropped",
     "HoldsForEveryPairOfLawsWithVarianceOne",
     {.variance_from_means = [](std::size_t d, const Rational&, const Rational& k) -> Rational {
       return Rational(d) * (1 + k * k);
     }}},
    {"μk² is dropped",
     "HoldsForEveryPairOfLawsWithVarianceOne",
     {.variance_from_means = [](std::size_t d, const Rational& q, const Rational&) -> Rational {
       return Rational(d) * (1 + q * q);
     }}},
    {"the mean square for the variance",
     "HoldsForEveryPairOfLawsWithVarianceOne",
     {.variance_from_means = [](std::size_t d, const Rational& q, const Rational& k) -> Rational {
       return Rational(d) * (1 + q * q) * (1 + k * k);
     }}},
    {"the means can cancel",
     "IsDExactlyIfBothMeansAreZero",
     {.variance_from_means = [](std::size_t d, const Rational& q, const Rational& k) -> Rational {
       return Rational(d) * (1 + (q + k) * (q + k));
     }}},
    {"always d",
     "EntriesOfZeroAndTwoHaveVarianceThreeD",
     {.variance_from_means = [](std::size_t d, const Rational&,
                                const Rational&) { return Rational(d); }}},
    {"the mean grows like the root of d",
     "DivisionByTheRootOfDLeavesAMeanThatGrows",
     {.mean = [](std::size_t, const Moments& q, const Moments& k) { return product_mean(q, k); }}},
    {"dimension zero has variance zero",
     "RefusesDimensionZero",
     {.variance_from_means =
          [](std::size_t d, const Rational& q, const Rational& k) {
            return d == 0 ? Rational(0) : dot_product_variance_from_means(d, q, k);
          }}},
};

//! [WithoutZeroMean]
TEST(WithoutZeroMean, HoldsForEveryPairOfLawsWithVarianceOne) {
  check_statement(without_zero_mean_mutants, [](const Rules& rules) {
    for_all([&] {
      const auto d = *small_dimension().as("d");
      const Rational q_mean = *any_rational().as("mean of each entry of q");
      const Rational k_mean = *any_rational().as("mean of each entry of k");
      const RationalDistribution q =
          *standardized_distribution().as("distribution of each entry of q, less its mean");
      const RationalDistribution k =
          *standardized_distribution().as("distribution of each entry of k, less its mean");
      EXPECT_EXACTLY(
          variance(dot_product_distribution(shifted(q, q_mean), shifted(k, k_mean), d)) ==
          rules.variance_from_means(d, q_mean, k_mean));
    });
  });
}
//! [WithoutZeroMean]

TEST(WithoutZeroMean, IsDExactlyIfBothMeansAreZero) {
  check_statement(without_zero_mean_mutants, [](const Rules& rules) {
    const int largest = 5;
    for (int q = -largest; q <= largest; ++q)
      for (int k = -largest; k <= largest; ++k) {
        EXPECT_EXACTLY((rules.variance_from_means(64, q, k) == 64) == (q == 0 && k == 0))
            << "means " << q << " and " << k;
        enumerated(1);
      }
  });
}

//! [WithoutZeroMean: exact check]
TEST(WithoutZeroMean, EntriesOfZeroAndTwoHaveVarianceThreeD) {
  check_statement(without_zero_mean_mutants, [](const Rules& rules) {
    for (std::size_t d = 1; d <= 4; ++d) {
      const RationalDistribution score =
          dot_product_distribution_by_enumeration(zero_or_two, zero_or_two, d);
      EXPECT_EXACTLY(variance(score) == 3 * d);
      EXPECT_EXACTLY(rules.variance_from_means(d, 1, 1) == 3 * d);
    }
    enumerated(4);
  });
}
//! [WithoutZeroMean: exact check]

TEST(WithoutZeroMean, MeansOfOneLeaveThreeTimesTheVarianceAtTheRootOfD) {
  check_with_mutants(without_zero_mean_mutants, [](const Rules& rules) {
    for (std::size_t root = 1; root <= 32; root *= 2) {
      const std::size_t d = root * root;
      const Moments one_and_one = moments(zero_or_two);
      EXPECT_EXACTLY(rules.mean(d, one_and_one, one_and_one) / Rational(root) == root);
      EXPECT_EXACTLY(rules.variance_from_means(d, 1, 1) / Rational(d) == 3);
      enumerated(1);
    }
    counterexample_without("mean zero");
  });
}

TEST(WithoutZeroMean, DivisionByTheRootOfDLeavesAMeanThatGrows) {
  check_statement(without_zero_mean_mutants, [](const Rules& rules) {
    for (std::size_t d = 1; d <= 512; d *= 2) {
      const Rational mean = rules.mean(d, moments(zero_or_two), moments(zero_or_two));
      EXPECT_EXACTLY(mean * mean / Rational(d) == d) << "the squared mean of the scaled score";
    }
    enumerated(10);
  });
}

TEST(WithoutZeroMean, RefusesDimensionZero) {
  check_with_mutants(without_zero_mean_mutants, [](const Rules& rules) {
    expect_refusal<std::domain_error>([&] { rules.variance_from_means(0, 1, 1); }, refuses_zero);
  });
}

}  // namespace sqrtdk::properties::WithoutZeroMean
