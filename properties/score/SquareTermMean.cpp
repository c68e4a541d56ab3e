// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/finite_distribution.hpp>
#include <sqrtdk/moments.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/score.hpp>
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

namespace sqrtdk::properties::SquareTermMean {

using namespace sqrtdk::testing;

const Mutants square_term_mean_mutants = {
    {"σq²σk² is dropped",
     "HoldsForEveryPairOfLaws",
     {.square_term_mean = [](const Moments& q, const Moments& k) -> Rational {
       return square_term_mean(q, k) - q.variance() * k.variance();
     }}},
    {"μq²σk² is dropped",
     "HoldsForEveryPairOfLaws",
     {.square_term_mean = [](const Moments& q, const Moments& k) -> Rational {
       return square_term_mean(q, k) - q.mean() * q.mean() * k.variance();
     }}},
    {"μk²σq² is dropped",
     "HoldsForEveryPairOfLaws",
     {.square_term_mean = [](const Moments& q, const Moments& k) -> Rational {
       return square_term_mean(q, k) - k.mean() * k.mean() * q.variance();
     }}},
    {"μq²μk² is dropped, which leaves the variance",
     "EachTermHasACaseInWhichItStandsAlone",
     {.square_term_mean = [](const Moments& q, const Moments& k) -> Rational {
       return square_term_mean(q, k) - q.mean() * q.mean() * k.mean() * k.mean();
     }}},
    {"doubled",
     "IsOneForEveryPairOfStandardizedLaws",
     {.square_term_mean = [](const Moments& q, const Moments& k) -> Rational {
       return 2 * square_term_mean(q, k);
     }}},
    {"the square of the mean for the mean of the square",
     "IsTheMeanOfEverySquareOfTheExpansion",
     {.term_mean =
          [](const Monomial& term, const RationalDistribution& q, const RationalDistribution& k) {
            return term(Vector(term.q.size(), mean(q)), Vector(term.k.size(), mean(k)));
          }}},
    {"the moments of the keys are forgotten",
     "IsTheMeanOfEverySquareOfTheExpansion",
     {.term_mean = [](const Monomial& term, const RationalDistribution& q,
                      const RationalDistribution&) { return term_mean(term, q, one); }}},
    {"the key is drawn anew although it is the query",
     "AQueryThatIsItsOwnKeyHasTheFourthMoment",
     {.paired_distribution =
          [](const PairDistribution& pair, std::size_t d) {
            return dot_product_distribution(pair.image([](const auto& qk) { return qk.first; }),
                                            pair.image([](const auto& qk) { return qk.second; }),
                                            d);
          }}},
    {"equal moments are taken for the same draw of a heavy law",
     "AQueryThatIsItsOwnKeyHasTheFourthMoment",
     {.square_term_mean =
          [](const Moments& q, const Moments& k) {
            return q == k ? Rational(4) : square_term_mean(q, k);
          }}},
    {"the means are ignored",
     "AMeanOfOneDoublesIt",
     {.square_term_mean = [](const Moments& q, const Moments& k) -> Rational {
       return q.variance() * k.variance();
     }}},
    {"the variances are taken to be one",
     "AVarianceOfFourMultipliesItByFour",
     {.square_term_mean =
          [](const Moments& q, const Moments& k) {
            return square_term_mean({q.mean(), 1}, {k.mean(), 1});
          }}},
};

//! [SquareTermMean]
TEST(SquareTermMean, HoldsForEveryPairOfLaws) {
  check_statement(square_term_mean_mutants, [](const Rules& rules) {
    for_all([&] {
      const RationalDistribution q = *any_distribution().as("distribution of q1");
      const RationalDistribution k = *any_distribution().as("distribution of k1");
      EXPECT_EXACTLY(raw_moment(product(q, k), 2) ==
                     rules.square_term_mean(moments(q), moments(k)));
    });
  });
}
//! [SquareTermMean]

//! [SquareTermMean: exact check]
TEST(SquareTermMean, EachTermHasACaseInWhichItStandsAlone) {
  check_statement(square_term_mean_mutants, [](const Rules& rules) {
    const auto term_mean_of = [&](const RationalDistribution& q, const RationalDistribution& k) {
      const Rational by_formula = rules.square_term_mean(moments(q), moments(k));
      EXPECT_EXACTLY(by_formula == raw_moment(product(q, k), 2));
      return by_formula;
    };
    const auto three = RationalDistribution::uniform({3});
    EXPECT_EXACTLY(term_mean_of(fair_sign, fair_sign) == 1) << "σq²σk² alone";
    EXPECT_EXACTLY(term_mean_of(three, fair_sign) == 9) << "μq²σk² alone";
    EXPECT_EXACTLY(term_mean_of(fair_sign, three) == 9) << "μk²σq² alone";
    EXPECT_EXACTLY(term_mean_of(three, three) == 81) << "μq²μk² alone";
    EXPECT_EXACTLY(term_mean_of(fair_bit, fair_bit) == Rational(1, 4)) << "all four terms";
    enumerated(5);
  });
}
//! [SquareTermMean: exact check]

TEST(SquareTermMean, IsTheMeanOfEverySquareOfTheExpansion) {
  check_statement(square_term_mean_mutants, [](const Rules& rules) {
    for_all([&] {
      const auto d = *small_dimension().as("d");
      const RationalDistribution q = *any_distribution().as("distribution of each entry of q");
      const RationalDistribution k = *any_distribution().as("distribution of each entry of k");
      for (const Monomial& term : rules.expand_square(d)) {
        if (!term.is_square()) continue;
        EXPECT_EXACTLY(rules.term_mean(term, q, k) == square_term_mean(moments(q), moments(k)));
      }
    });
  });
}

TEST(SquareTermMean, IsOneForEveryPairOfStandardizedLaws) {
  check_statement(square_term_mean_mutants, [](const Rules& rules) {
    for_all([&] {
      const RationalDistribution q = *standardized_distribution().as("distribution of q1");
      const RationalDistribution k = *standardized_distribution().as("distribution of k1");
      EXPECT_EXACTLY(rules.square_term_mean(moments(q), moments(k)) == 1);
    });
  });
}

TEST(SquareTermMean, AQueryThatIsItsOwnKeyHasTheFourthMoment) {
  check_with_mutants(square_term_mean_mutants, [](const Rules& rules) {
    const RationalDistribution x({-2, 0, 2}, {Rational(1, 8), Rational(3, 4), Rational(1, 8)});
    EXPECT_EXACTLY(raw_moment(rules.paired_distribution(with_itself(x), 1), 2) == 4);
    EXPECT_EXACTLY(rules.square_term_mean(moments(x), moments(x)) == 1);
    counterexample_without("independent");
  });
}

TEST(SquareTermMean, AMeanOfOneDoublesIt) {
  check_with_mutants(square_term_mean_mutants, [](const Rules& rules) {
    EXPECT_EXACTLY(rules.square_term_mean(moments(zero_or_two), moments(fair_sign)) == 2);
    counterexample_without("mean zero");
  });
}

TEST(SquareTermMean, AVarianceOfFourMultipliesItByFour) {
  check_with_mutants(square_term_mean_mutants, [](const Rules& rules) {
    EXPECT_EXACTLY(rules.square_term_mean(moments(fair_two), moments(fair_sign)) == 4);
    counterexample_without("unit variance");
  });
}

}  // namespace sqrtdk::properties::SquareTermMean
