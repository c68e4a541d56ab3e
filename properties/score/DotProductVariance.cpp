// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/finite_distribution.hpp>
#include <sqrtdk/moments.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/score.hpp>
#include <sqrtdk/score_dependence.hpp>
#include <sqrtdk/score_heavy_tails.hpp>
#include <sqrtdk/score_square.hpp>
#include <sqrtdk/testing/generators/rational_distributions.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>
#include <sqrtdk/testing/reporting/expect_refusal.hpp>
#include <sqrtdk/testing/reporting/printed.hpp>

#include "properties/score/fixture.hpp"
#include "properties/support/rational_distributions.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <tuple>

namespace sqrtdk::properties::DotProductVariance {

using namespace sqrtdk::testing;

const RationalDistribution three = RationalDistribution::uniform({3});

/// The mean square of q·k as the documents find it: the means of the multiplied out terms, added.
Rational sum_of_term_means(const Rules& rules, std::size_t d, const RationalDistribution& q,
                           const RationalDistribution& k) {
  Rational total = 0;
  for (const Monomial& term : rules.expand_square(d)) total += rules.term_mean(term, q, k);
  return total;
}

const Mutants dot_product_variance_mutants = {
    {"d is dropped",
     "HoldsForEveryPairOfLaws",
     {.variance = [](std::size_t, const Moments& q,
                     const Moments& k) { return product_variance(q, k); }}},
    {"d squared",
     "HoldsForEveryPairOfLaws",
     {.variance = [](std::size_t d, const Moments& q,
                     const Moments& k) { return dot_product_variance(d * d, q, k); }}},
    {"doubled",
     "HoldsForEveryPairOfLaws",
     {.variance = [](std::size_t d, const Moments& q, const Moments& k) -> Rational {
       return 2 * dot_product_variance(d, q, k);
     }}},
    {"σq²σk² is dropped",
     "EachTermHasACaseInWhichItStandsAlone",
     {.variance = [](std::size_t d, const Moments& q, const Moments& k) -> Rational {
       return dot_product_variance(d, q, k) - Rational(d) * q.variance() * k.variance();
     }}},
    {"μq²σk² is dropped",
     "EachTermHasACaseInWhichItStandsAlone",
     {.variance = [](std::size_t d, const Moments& q, const Moments& k) -> Rational {
       return dot_product_variance(d, q, k) - Rational(d) * q.mean() * q.mean() * k.variance();
     }}},
    {"μk²σq² is dropped",
     "EachTermHasACaseInWhichItStandsAlone",
     {.variance = [](std::size_t d, const Moments& q, const Moments& k) -> Rational {
       return dot_product_variance(d, q, k) - Rational(d) * k.mean() * k.mean() * q.variance();
     }}},
    {"every query meets itself as key",
     "EachTermHasACaseInWhichItStandsAlone",
     {.distribution_by_enumeration =
          [](const RationalDistribution& q, const RationalDistribution&, std::size_t d) {
            return paired_dot_product_distribution(with_itself(q), d);
          }}},
    {"the squared mean is not subtracted",
     "IsTheMeanSquareOfTheExpansionLessTheSquaredMean",
     {.mean = [](std::size_t, const Moments&, const Moments&) { return Rational(0); }}},
    {"cross terms are taken to be zero",
     "IsTheMeanSquareOfTheExpansionLessTheSquaredMean",
     {.term_mean =
          [](const Monomial& term, const RationalDistribution& q, const RationalDistribution& k) {
            return term.is_square() ? term_mean(term, q, k) : Rational(0);
          }}},
    {"one product taken d times",
     "IsDForEveryPairOfStandardizedLaws",
     {.distribution = [](const RationalDistribution& q, const RationalDistribution& k,
                         std::size_t d) { return scaled(product(q, k), Rational(d)); }}},
    {"one degree of freedom is taken off",
     "IsDForEveryPairOfStandardizedLaws",
     {.variance = [](std::size_t d, const Moments& q,
                     const Moments& k) { return dot_product_variance(d > 1 ? d - 1 : d, q, k); }}},
    {"every term counts one",
     "IsTheThreeAndTheSixtyFourOfTheDocuments",
     {.term_mean = [](const Monomial&, const RationalDistribution&,
                      const RationalDistribution&) { return Rational(1); }}},
    {"independence is assumed within the pair",
     "AQueryOfSignsThatIsItsOwnKeyHasVarianceZero",
     {.paired_variance = [](std::size_t d, const PairDistribution&) { return Rational(d); }}},
    {"the means are ignored",
     "FairBitsHaveThreeSixteenthsOfD",
     {.variance = [](std::size_t d, const Moments& q, const Moments& k) -> Rational {
       return Rational(d) * q.variance() * k.variance();
     }}},
    {"the variances are taken to be one",
     "EntriesOfTwoHaveVarianceFourD",
     {.variance =
          [](std::size_t d, const Moments& q, const Moments& k) {
            return dot_product_variance(d, {q.mean(), 1}, {k.mean(), 1});
          }}},
    {"the tail is thin",
     "CuttingAHeavyTailLaterGivesMoreVarianceWithoutEnd",
     {.heavy_distribution =
          [](unsigned cutoff) { return truncated_heavy_distribution(std::min(cutoff, 2U)); }}},
    {"dimension zero has variance zero",
     "RefusesDimensionZero",
     {.variance =
          [](std::size_t d, const Moments& q, const Moments& k) {
            return d == 0 ? Rational(0) : dot_product_variance(d, q, k);
          }}},
};

//! [DotProductVariance]
TEST(DotProductVariance, HoldsForEveryPairOfLaws) {
  check_statement(dot_product_variance_mutants, [](const Rules& rules) {
    for_all([&] {
      const auto d = *small_dimension().as("d");
      const RationalDistribution q = *small_distribution().as("distribution of each entry of q");
      const RationalDistribution k = *small_distribution().as("distribution of each entry of k");
      EXPECT_EXACTLY(variance(rules.distribution(q, k, d)) ==
                     rules.variance(d, moments(q), moments(k)));
    });
  });
}
//! [DotProductVariance]

//! [DotProductVariance: exact check]
TEST(DotProductVariance, EachTermHasACaseInWhichItStandsAlone) {
  check_statement(dot_product_variance_mutants, [](const Rules& rules) {
    struct Case {
      std::string name;
      RationalDistribution q;
      RationalDistribution k;
      Rational variance_of_one_term;
    };
    for (const Case& is :
         {Case{"σq²σk² alone", fair_sign, fair_sign, 1}, Case{"μq²σk² alone", three, fair_sign, 9},
          Case{"μk²σq² alone", fair_sign, three, 9},
          Case{"all three terms", fair_bit, fair_bit, Rational(3, 16)}})
      for (std::size_t d = 1; d <= 4; ++d) {
        const Rational expected = Rational(d) * is.variance_of_one_term;
        EXPECT_EXACTLY(rules.variance(d, moments(is.q), moments(is.k)) == expected)
            << is.name << ", d = " << d;
        EXPECT_EXACTLY(variance(rules.distribution_by_enumeration(is.q, is.k, d)) == expected)
            << is.name << ", d = " << d;
        enumerated(1);
      }
  });
}
//! [DotProductVariance: exact check]

TEST(DotProductVariance, IsTheMeanSquareOfTheExpansionLessTheSquaredMean) {
  check_statement(dot_product_variance_mutants, [](const Rules& rules) {
    for_all(
        [&] {
          const auto d = *rc::gen::inRange<std::size_t>(1, 5).as("d");
          const RationalDistribution q = *any_distribution().as("distribution of each entry of q");
          const RationalDistribution k = *any_distribution().as("distribution of each entry of k");
          const Rational mean = rules.mean(d, moments(q), moments(k));
          EXPECT_EXACTLY(sum_of_term_means(rules, d, q, k) - mean * mean ==
                         dot_product_variance(d, moments(q), moments(k)));
        },
        100);
  });
}

TEST(DotProductVariance, IsDForEveryPairOfStandardizedLaws) {
  check_statement(dot_product_variance_mutants, [](const Rules& rules) {
    for_all(
        [&] {
          const auto d = *small_dimension().as("d");
          const RationalDistribution q =
              *standardized_distribution().as("distribution of each entry of q");
          const RationalDistribution k =
              *standardized_distribution().as("distribution of each entry of k");
          EXPECT_EXACTLY(variance(rules.distribution(q, k, d)) == d);
          EXPECT_EXACTLY(rules.variance(d, moments(q), moments(k)) == d);
        },
        100);
  });
}

TEST(DotProductVariance, IsTheThreeAndTheSixtyFourOfTheDocuments) {
  check_statement(dot_product_variance_mutants, [](const Rules& rules) {
    const Rational of_three = sum_of_term_means(rules, 3, fair_sign, fair_sign);
    const Rational of_sixty_four = sum_of_term_means(rules, 64, fair_sign, fair_sign);
    for (const auto& [document, printed, value] :
         {std::tuple("S2", "3", of_three), std::tuple("S2", "64", of_sixty_four),
          std::tuple("S3", "64", of_sixty_four)})
      expect_printed(document, printed, value);
    enumerated(3 * 3 + 64 * 64);
  });
}

TEST(DotProductVariance, AQueryOfSignsThatIsItsOwnKeyHasVarianceZero) {
  check_with_mutants(dot_product_variance_mutants, [](const Rules& rules) {
    for (std::size_t d = 1; d <= 8; ++d)
      EXPECT_EXACTLY(rules.paired_variance(d, with_itself(fair_sign)) == 0);
    enumerated(8);
    counterexample_without("independent");
  });
}

TEST(DotProductVariance, FairBitsHaveThreeSixteenthsOfD) {
  check_with_mutants(dot_product_variance_mutants, [](const Rules& rules) {
    for (std::size_t d = 1; d <= 8; ++d)
      EXPECT_EXACTLY(rules.variance(d, moments(fair_bit), moments(fair_bit)) ==
                     Rational(3 * d, 16));
    enumerated(8);
    counterexample_without("mean zero");
  });
}

TEST(DotProductVariance, EntriesOfTwoHaveVarianceFourD) {
  check_with_mutants(dot_product_variance_mutants, [](const Rules& rules) {
    for (std::size_t d = 1; d <= 8; ++d)
      EXPECT_EXACTLY(rules.variance(d, moments(fair_two), moments(fair_sign)) == 4 * d);
    enumerated(8);
    counterexample_without("unit variance");
  });
}

TEST(DotProductVariance, CuttingAHeavyTailLaterGivesMoreVarianceWithoutEnd) {
  check_with_mutants(dot_product_variance_mutants, [](const Rules& rules) {
    for (unsigned cutoff = 0; cutoff <= 6; ++cutoff)
      EXPECT_EXACTLY(variance(dot_product_distribution(rules.heavy_distribution(cutoff), fair_sign,
                                                       2)) == 6 * cutoff);
    enumerated(7);
    counterexample_without("finite variance");
  });
}

TEST(DotProductVariance, RefusesDimensionZero) {
  check_with_mutants(dot_product_variance_mutants, [](const Rules& rules) {
    const auto call = [&] { rules.variance(0, moments(fair_sign), moments(fair_sign)); };
    expect_refusal<std::domain_error>(call, refuses_zero);
  });
}

}  // namespace sqrtdk::properties::DotProductVariance
