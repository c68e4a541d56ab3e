// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/finite_distribution.hpp>
#include <sqrtdk/moments.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/score_dependence.hpp>
#include <sqrtdk/score_square.hpp>
#include <sqrtdk/testing/generators/rational_distributions.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>

#include "properties/score/fixture.hpp"
#include "properties/support/rational_distributions.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstddef>

namespace sqrtdk::properties::CrossTermMean {

using namespace sqrtdk::testing;

const Mutants cross_term_mean_mutants = {
    {"the means are not squared",
     "HoldsForEveryPairOfLaws",
     {.cross_term_mean = [](const Moments& q, const Moments& k) -> Rational {
       return q.mean() * k.mean();
     }}},
    {"the mean squares instead of the squared means",
     "HoldsForEveryPairOfLaws",
     {.cross_term_mean = square_term_mean}},
    {"doubled",
     "OfConstantsAndBitsIsFoundByHand",
     {.cross_term_mean = [](const Moments& q, const Moments& k) -> Rational {
       return 2 * cross_term_mean(q, k);
     }}},
    {"an exponent of one is skipped",
     "IsTheMeanOfEveryCrossTermOfTheExpansion",
     {.term_mean =
          [](const Monomial& term, const RationalDistribution& q, const RationalDistribution& k) {
            return term.is_square() ? term_mean(term, q, k) : Rational(1);
          }}},
    {"the query's means are left out",
     "IsZeroIfOneOfTheMeansIsZero",
     {.cross_term_mean = [](const Moments&, const Moments& k) -> Rational {
       return k.mean() * k.mean();
     }}},
    {"the key's means are left out",
     "IsZeroIfOneOfTheMeansIsZero",
     {.cross_term_mean = [](const Moments& q, const Moments&) -> Rational {
       return q.mean() * q.mean();
     }}},
    {"always zero",
     "FairBitsLeaveASixteenth",
     {.cross_term_mean = [](const Moments&, const Moments&) { return Rational(0); }}},
    {"independence is assumed within the pair",
     "SharedSignsMakeEveryCrossTermOne",
     {.paired_distribution =
          [](const PairDistribution& pair, std::size_t d) {
            return dot_product_distribution(pair.image([](const auto& qk) { return qk.first; }),
                                            pair.image([](const auto& qk) { return qk.second; }),
                                            d);
          }}},
};

//! [CrossTermMean]
TEST(CrossTermMean, HoldsForEveryPairOfLaws) {
  check_statement(cross_term_mean_mutants, [](const Rules& rules) {
    for_all([&] {
      const RationalDistribution q = *small_distribution().as("distribution of q1 and q2");
      const RationalDistribution k = *small_distribution().as("distribution of k1 and k2");
      const RationalDistribution q1k1 = product(q, k);
      const RationalDistribution q1k1q2k2 = product(q1k1, q1k1);
      EXPECT_EXACTLY(mean(q1k1q2k2) == rules.cross_term_mean(moments(q), moments(k)));
    });
  });
}
//! [CrossTermMean]

//! [CrossTermMean: exact check]
TEST(CrossTermMean, OfConstantsAndBitsIsFoundByHand) {
  check_statement(cross_term_mean_mutants, [](const Rules& rules) {
    const auto mean_of = [&](const RationalDistribution& q, const RationalDistribution& k) {
      return rules.cross_term_mean(moments(q), moments(k));
    };
    const auto three = RationalDistribution::uniform({3});
    EXPECT_EXACTLY(mean_of(three, three) == 81);
    EXPECT_EXACTLY(mean_of(three, fair_bit) == Rational(9, 4));
    EXPECT_EXACTLY(mean_of(fair_bit, three) == Rational(9, 4));
    EXPECT_EXACTLY(mean_of(fair_sign, three) == 0);
    EXPECT_EXACTLY(mean_of(three, fair_sign) == 0);
    enumerated(5);
  });
}
//! [CrossTermMean: exact check]

TEST(CrossTermMean, IsTheMeanOfEveryCrossTermOfTheExpansion) {
  check_statement(cross_term_mean_mutants, [](const Rules& rules) {
    for_all([&] {
      const auto d = *small_dimension().as("d");
      const RationalDistribution q = *any_distribution().as("distribution of each entry of q");
      const RationalDistribution k = *any_distribution().as("distribution of each entry of k");
      for (const Monomial& term : rules.expand_square(d)) {
        if (term.is_square()) continue;
        EXPECT_EXACTLY(rules.term_mean(term, q, k) == cross_term_mean(moments(q), moments(k)));
      }
    });
  });
}

TEST(CrossTermMean, IsZeroIfOneOfTheMeansIsZero) {
  check_statement(cross_term_mean_mutants, [](const Rules& rules) {
    for_all([&] {
      const Moments centred = moments(*centred_distribution().as("a distribution with mean zero"));
      const Moments any = moments(*any_distribution().as("any distribution"));
      EXPECT_EXACTLY(rules.cross_term_mean(centred, any) == 0);
      EXPECT_EXACTLY(rules.cross_term_mean(any, centred) == 0);
    });
  });
}

TEST(CrossTermMean, SharedSignsMakeEveryCrossTermOne) {
  check_with_mutants(cross_term_mean_mutants, [](const Rules& rules) {
    const RationalDistribution q1k1 = rules.paired_distribution(with_itself(fair_sign), 1);
    EXPECT_EXACTLY(product(q1k1, q1k1) == one);  // q₁k₁q₂k₂, with a second pair like the first
    EXPECT_EXACTLY(rules.cross_term_mean(moments(fair_sign), moments(fair_sign)) == 0);
    counterexample_without("independent");
  });
}

TEST(CrossTermMean, FairBitsLeaveASixteenth) {
  check_with_mutants(cross_term_mean_mutants, [](const Rules& rules) {
    EXPECT_EXACTLY(rules.cross_term_mean(moments(fair_bit), moments(fair_bit)) == Rational(1, 16));
    counterexample_without("mean zero");
  });
}

}  // namespace sqrtdk::properties::CrossTermMean
