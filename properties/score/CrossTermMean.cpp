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

#include "properties/score/fixture.hpp"
#include "properties/support/rational_distributions.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstddef>

namespace {

using namespace sqrtdk;
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
     "HoldsForEveryPairOfLaws",
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
     {.paired_mean = [](std::size_t d, const PairDistribution& pair) -> Rational {
       return Rational(d) * pair.expectation([](const auto& qk) { return qk.first; }) *
              pair.expectation([](const auto& qk) { return qk.second; });
     }}},
};

//! [CrossTermMean]
TEST(CrossTermMean, HoldsForEveryPairOfLaws) {
  check_with_mutants(cross_term_mean_mutants, [](const Rules& rules) {
    for_all([&] {
      const RationalDistribution q = *small_distribution().as("law of q1 and q2");
      const RationalDistribution k = *small_distribution().as("law of k1 and k2");
      const RationalDistribution q1k1 = product(q, k);
      const RationalDistribution q1k1q2k2 = product(q1k1, q1k1);
      RC_ASSERT(mean(q1k1q2k2) == rules.cross_term_mean(moments(q), moments(k)));
    });
  });
}
//! [CrossTermMean]

TEST(CrossTermMean, IsTheMeanOfEveryCrossTermOfTheExpansion) {
  check_with_mutants(cross_term_mean_mutants, [](const Rules& rules) {
    for_all([&] {
      const auto d = *small_dimension().as("d");
      const RationalDistribution q = *any_distribution().as("law of each entry of q");
      const RationalDistribution k = *any_distribution().as("law of each entry of k");
      for (const Monomial& term : rules.expand_square(d))
        if (!term.is_square())
          RC_ASSERT(rules.term_mean(term, q, k) == cross_term_mean(moments(q), moments(k)));
    });
  });
}

TEST(CrossTermMean, IsZeroIfOneOfTheMeansIsZero) {
  check_with_mutants(cross_term_mean_mutants, [](const Rules& rules) {
    for_all([&] {
      const Moments centred = moments(*centred_distribution().as("a law with mean zero"));
      const Moments any = moments(*any_distribution().as("any law"));
      RC_ASSERT(rules.cross_term_mean(centred, any) == 0);
      RC_ASSERT(rules.cross_term_mean(any, centred) == 0);
    });
  });
}

TEST(CrossTermMean, SharedSignsMakeEveryCrossTermOne) {
  check_with_mutants(cross_term_mean_mutants, [](const Rules& rules) {
    const Rational mean_of_one_term = rules.paired_mean(1, with_itself(fair_sign));
    EXPECT_EQ(mean_of_one_term * mean_of_one_term, 1);
    counterexample_without("independent");
  });
}

TEST(CrossTermMean, FairBitsLeaveASixteenth) {
  check_with_mutants(cross_term_mean_mutants, [](const Rules& rules) {
    EXPECT_EQ(rules.cross_term_mean(moments(fair_bit), moments(fair_bit)), Rational(1, 16));
    counterexample_without("mean zero");
  });
}

}  // namespace
