// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/finite_distribution.hpp>
#include <sqrtdk/moments.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/score.hpp>
#include <sqrtdk/score_dependence.hpp>
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

namespace sqrtdk::properties::DotProductMean {

using namespace sqrtdk::testing;

const Mutants dot_product_mean_mutants = {
    {"d is dropped",
     "HoldsForEveryPairOfLaws",
     {.mean = [](std::size_t, const Moments& q, const Moments& k) { return product_mean(q, k); }}},
    {"d squared",
     "HoldsForEveryPairOfLaws",
     {.mean = [](std::size_t d, const Moments& q,
                 const Moments& k) { return dot_product_mean(d * d, q, k); }}},
    {"μq is dropped",
     "HoldsForEveryPairOfLaws",
     {.mean = [](std::size_t d, const Moments&, const Moments& k) -> Rational {
       return Rational(d) * k.mean();
     }}},
    {"μk is dropped",
     "HoldsForEveryPairOfLaws",
     {.mean = [](std::size_t d, const Moments& q, const Moments&) -> Rational {
       return Rational(d) * q.mean();
     }}},
    {"doubled",
     "OfConstantsAndBitsIsFoundByHand",
     {.mean = [](std::size_t d, const Moments& q, const Moments& k) -> Rational {
       return 2 * dot_product_mean(d, q, k);
     }}},
    {"the variance is added",
     "IsZeroForEveryPairOfStandardizedLaws",
     {.mean = [](std::size_t d, const Moments& q, const Moments& k) -> Rational {
       return dot_product_mean(d, q, k) + q.variance() * k.variance();
     }}},
    {"one product taken d times",
     "TheLawIsThatOfAllQueriesAndKeysEnumerated",
     {.distribution = [](const RationalDistribution& q, const RationalDistribution& k,
                         std::size_t d) { return scaled(product(q, k), Rational(d)); }}},
    {"after the second entry the first one comes again",
     "TheLawIsThatOfAllQueriesAndKeysEnumerated",
     {.distribution =
          [](const RationalDistribution& q, const RationalDistribution& k, std::size_t d) {
            if (d < 3) return dot_product_distribution(q, k, d);
            const RationalDistribution first = product(q, k).image(
                [&](const Rational& x) { return Rational(x * Rational(d - 1)); });
            return sum(first, product(q, k));
          }}},
    {"the key has one entry, repeated",
     "TheLawIsThatOfAllQueriesAndKeysEnumerated",
     {.distribution_by_enumeration =
          [](const RationalDistribution& q, const RationalDistribution& k, std::size_t d) {
            return product(sum_of_copies(q, d), k);
          }}},
    {"independence is assumed within the pair",
     "AQueryThatIsItsOwnKeyHasMeanD",
     {.paired_mean = [](std::size_t d, const PairDistribution& pair) -> Rational {
       return Rational(d) * pair.expectation([](const auto& qk) { return qk.first; }) *
              pair.expectation([](const auto& qk) { return qk.second; });
     }}},
    {"equal moments are taken for the same draw",
     "AQueryThatIsItsOwnKeyHasMeanD",
     {.mean = [](std::size_t d, const Moments& q,
                 const Moments& k) { return q == k ? Rational(d) : dot_product_mean(d, q, k); }}},
    {"always zero",
     "FairBitsHaveMeanDOverFour",
     {.mean = [](std::size_t, const Moments&, const Moments&) { return Rational(0); }}},
    {"dimension zero has mean zero",
     "RefusesDimensionZero",
     {.mean = [](std::size_t d, const Moments& q,
                 const Moments& k) { return d == 0 ? Rational(0) : dot_product_mean(d, q, k); }}},
    {"dimension zero has a law",
     "RefusesDimensionZero",
     {.distribution = [](const RationalDistribution& q, const RationalDistribution& k,
                         std::size_t d) { return sum_of_copies(product(q, k), d); }}},
    {"dimension zero is enumerated",
     "RefusesDimensionZero",
     {.distribution_by_enumeration =
          [](const RationalDistribution& q, const RationalDistribution& k, std::size_t d) {
            return d == 0 ? RationalDistribution::uniform({0})
                          : dot_product_distribution_by_enumeration(q, k, d);
          }}},
};

//! [DotProductMean]
TEST(DotProductMean, HoldsForEveryPairOfLaws) {
  check_statement(dot_product_mean_mutants, [](const Rules& rules) {
    for_all([&] {
      const auto d = *small_dimension().as("d");
      const RationalDistribution q = *small_distribution().as("distribution of each entry of q");
      const RationalDistribution k = *small_distribution().as("distribution of each entry of k");
      EXPECT_EXACTLY(mean(rules.distribution(q, k, d)) == rules.mean(d, moments(q), moments(k)));
    });
  });
}
//! [DotProductMean]

//! [DotProductMean: exact check]
TEST(DotProductMean, OfConstantsAndBitsIsFoundByHand) {
  check_statement(dot_product_mean_mutants, [](const Rules& rules) {
    const auto three = RationalDistribution::uniform({3});
    for (std::size_t d = 1; d <= 4; ++d) {
      const Rational expected = Rational(3 * d, 2);
      EXPECT_EXACTLY(rules.mean(d, moments(fair_bit), moments(three)) == expected);
      EXPECT_EXACTLY(mean(rules.distribution_by_enumeration(fair_bit, three, d)) == expected);
      EXPECT_EXACTLY(rules.mean(d, moments(fair_sign), moments(three)) == 0);
      enumerated(1);
    }
  });
}
//! [DotProductMean: exact check]

TEST(DotProductMean, TheLawIsThatOfAllQueriesAndKeysEnumerated) {
  check_with_mutants(dot_product_mean_mutants, [](const Rules& rules) {
    for_all(
        [&] {
          const auto d = *rc::gen::inRange<std::size_t>(1, 3).as("d");
          const RationalDistribution q =
              *small_distribution().as("distribution of each entry of q");
          const RationalDistribution k =
              *small_distribution().as("distribution of each entry of k");
          EXPECT_EXACTLY(rules.distribution(q, k, d) == rules.distribution_by_enumeration(q, k, d));
        },
        100);
    // Two outcomes each are few enough for d = 3 and 4.
    for (const std::size_t d : {3U, 4U}) {
      EXPECT_EXACTLY(rules.distribution(fair_bit, fair_two, d) ==
                     rules.distribution_by_enumeration(fair_bit, fair_two, d));
      enumerated(1);
    }
  });
}

TEST(DotProductMean, IsZeroForEveryPairOfStandardizedLaws) {
  check_statement(dot_product_mean_mutants, [](const Rules& rules) {
    for_all([&] {
      const auto d = *rc::gen::inRange<std::size_t>(1, 1000).as("d");
      const RationalDistribution q =
          *standardized_distribution().as("distribution of each entry of q");
      const RationalDistribution k =
          *standardized_distribution().as("distribution of each entry of k");
      EXPECT_EXACTLY(rules.mean(d, moments(q), moments(k)) == 0);
    });
  });
}

TEST(DotProductMean, AQueryThatIsItsOwnKeyHasMeanD) {
  check_with_mutants(dot_product_mean_mutants, [](const Rules& rules) {
    for (std::size_t d = 1; d <= 8; ++d) {
      EXPECT_EXACTLY(rules.paired_mean(d, with_itself(fair_sign)) == d);
      EXPECT_EXACTLY(rules.mean(d, moments(fair_sign), moments(fair_sign)) == 0);
    }
    enumerated(8);
    counterexample_without("independent");
  });
}

TEST(DotProductMean, FairBitsHaveMeanDOverFour) {
  check_with_mutants(dot_product_mean_mutants, [](const Rules& rules) {
    for (std::size_t d = 1; d <= 8; ++d)
      EXPECT_EXACTLY(rules.mean(d, moments(fair_bit), moments(fair_bit)) == Rational(d) / 4);
    enumerated(8);
    counterexample_without("mean zero");
  });
}

TEST(DotProductMean, RefusesDimensionZero) {
  check_with_mutants(dot_product_mean_mutants, [](const Rules& rules) {
    const Moments sign = moments(fair_sign);
    const auto by_formula = [&] { rules.mean(0, sign, sign); };
    const auto by_distribution = [&] { rules.distribution(fair_sign, fair_sign, 0); };
    const auto by_enumeration = [&] { rules.distribution_by_enumeration(fair_sign, fair_sign, 0); };
    expect_refusal<std::domain_error>(by_formula, refuses_zero);
    expect_refusal<std::domain_error>(by_distribution, refuses_zero);
    expect_refusal<std::domain_error>(by_enumeration, refuses_zero);
  });
}

}  // namespace sqrtdk::properties::DotProductMean
