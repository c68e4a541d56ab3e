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
#include "properties/support/rational_distributions.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstddef>
#include <stdexcept>
#include <string>

namespace sqrtdk::properties::WithoutUnitVariance {

using namespace sqrtdk::testing;

const Mutants without_unit_variance_mutants = {
    {"σq² is dropped",
     "HoldsForEveryPairOfCentredLaws",
     {.variance_from_variances = [](std::size_t d, const Rational&, const Rational& k) -> Rational {
       return Rational(d) * k;
     }}},
    {"σk² is dropped",
     "HoldsForEveryPairOfCentredLaws",
     {.variance_from_variances = [](std::size_t d, const Rational& q, const Rational&) -> Rational {
       return Rational(d) * q;
     }}},
    {"d is dropped",
     "HoldsForEveryPairOfCentredLaws",
     {.variance_from_variances = [](std::size_t, const Rational& q, const Rational& k) -> Rational {
       return q * k;
     }}},
    {"the variances are squared",
     "OnlyTheProductOfTheVariancesCounts",
     {.variance_from_variances = [](std::size_t d, const Rational& q, const Rational& k)
          -> Rational { return Rational(d) * q * q * k * k; }}},
    {"the sign of the key is lost",
     "OnlyTheProductOfTheVariancesCounts",
     {.distribution =
          [](const RationalDistribution& q, const RationalDistribution& k, std::size_t d) {
            const auto size = k.image([](const Rational& x) { return Rational(abs(x)); });
            return dot_product_distribution(q, size, d);
          }}},
    {"the variances are averaged",
     "DividedByTheRootEntriesOfTwoKeepFour",
     {.variance_from_variances = [](std::size_t d, const Rational& q, const Rational& k)
          -> Rational { return Rational(d) * (q + k) / 2; }}},
    {"always d",
     "EntriesOfTwoHaveVarianceFourD",
     {.variance_from_variances = [](std::size_t d, const Rational&,
                                    const Rational&) { return Rational(d); }}},
    {"dimension zero has variance zero",
     "RefusesDimensionZeroAndNegativeVariances",
     {.variance_from_variances =
          [](std::size_t d, const Rational& q, const Rational& k) {
            return d == 0 ? Rational(0) : dot_product_variance_from_variances(d, q, k);
          }}},
    {"a negative variance of q is accepted",
     "RefusesDimensionZeroAndNegativeVariances",
     {.variance_from_variances =
          [](std::size_t d, const Rational& q, const Rational& k) {
            return q < 0 ? Rational(0) : dot_product_variance_from_variances(d, q, k);
          }}},
    {"a negative variance of k is accepted",
     "RefusesDimensionZeroAndNegativeVariances",
     {.variance_from_variances =
          [](std::size_t d, const Rational& q, const Rational& k) {
            return k < 0 ? Rational(0) : dot_product_variance_from_variances(d, q, k);
          }}},
};

//! [WithoutUnitVariance]
TEST(WithoutUnitVariance, HoldsForEveryPairOfCentredLaws) {
  check_statement(without_unit_variance_mutants, [](const Rules& rules) {
    for_all([&] {
      const auto d = *small_dimension().as("d");
      const RationalDistribution q =
          *small_centred_distribution().as("distribution of each entry of q");
      const RationalDistribution k =
          *small_centred_distribution().as("distribution of each entry of k");
      const Rational by_formula = rules.variance_from_variances(d, variance(q), variance(k));
      EXPECT_EXACTLY(variance(dot_product_distribution(q, k, d)) == by_formula);
      EXPECT_EXACTLY((by_formula == d) == (variance(q) * variance(k) == 1));
    });
  });
}
//! [WithoutUnitVariance]

TEST(WithoutUnitVariance, OnlyTheProductOfTheVariancesCounts) {
  check_statement(without_unit_variance_mutants, [](const Rules& rules) {
    const RationalDistribution skewed({-1, 2}, {Rational(2, 3), Rational(1, 3)});
    for_all([&] {
      const auto d = *small_dimension().as("d");
      const Rational c = *nonzero_rational().as("c, by which q is multiplied and k divided");
      const RationalDistribution q =
          *small_centred_distribution().as("distribution of each entry of q");
      const RationalDistribution k =
          *small_centred_distribution().as("distribution of each entry of k");
      const RationalDistribution cq = scaled(q, c);
      const RationalDistribution k_over_c = scaled(k, 1 / c);
      EXPECT_EXACTLY(rules.distribution(cq, k_over_c, d) == dot_product_distribution(q, k, d));
      EXPECT_EXACTLY(rules.variance_from_variances(d, variance(cq), variance(k_over_c)) ==
                     variance(dot_product_distribution(q, k, d)));
    });
    EXPECT_EXACTLY(rules.distribution(scaled(skewed, -3), scaled(skewed, Rational(-1, 3)), 2) ==
                   dot_product_distribution(skewed, skewed, 2));
  });
}

//! [WithoutUnitVariance: exact check]
TEST(WithoutUnitVariance, EntriesOfTwoHaveVarianceFourD) {
  check_statement(without_unit_variance_mutants, [](const Rules& rules) {
    for (std::size_t d = 1; d <= 4; ++d) {
      const RationalDistribution score =
          dot_product_distribution_by_enumeration(fair_two, fair_sign, d);
      EXPECT_EXACTLY(variance(score) == 4 * d);
      EXPECT_EXACTLY(rules.variance_from_variances(d, 4, 1) == 4 * d);
    }
    enumerated(4);
  });
}
//! [WithoutUnitVariance: exact check]

TEST(WithoutUnitVariance, DividedByTheRootEntriesOfTwoKeepFour) {
  check_with_mutants(without_unit_variance_mutants, [](const Rules& rules) {
    for (std::size_t d = 1; d <= 512; d *= 2) {
      EXPECT_EXACTLY(rules.variance_from_variances(d, 4, 1) / Rational(d) == 4);
      enumerated(1);
    }
    counterexample_without("unit variance");
  });
}

TEST(WithoutUnitVariance, RefusesDimensionZeroAndNegativeVariances) {
  check_with_mutants(without_unit_variance_mutants, [](const Rules& rules) {
    const auto is_refused = [&](std::size_t d, const Rational& q, const Rational& k,
                                const std::string& message) {
      expect_refusal<std::domain_error>([&] { rules.variance_from_variances(d, q, k); }, message);
    };
    is_refused(0, 1, 1, refuses_zero);
    is_refused(1, -1, 1, "the variance is -1, but must be at least 0");
    is_refused(1, 1, -1, "the variance is -1, but must be at least 0");
  });
}

}  // namespace sqrtdk::properties::WithoutUnitVariance
