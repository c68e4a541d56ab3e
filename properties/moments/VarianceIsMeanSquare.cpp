// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/finite_distribution.hpp>
#include <sqrtdk/moments.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/testing/generators/rational_distributions.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>
#include <sqrtdk/testing/reporting/expect_refusal.hpp>

#include "properties/moments/fixture.hpp"
#include "properties/support/rational_distributions.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <stdexcept>

namespace sqrtdk::properties::VarianceIsMeanSquare {

using namespace sqrtdk::testing;

const Mutants variance_is_mean_square_mutants = {
    {"the squared mean is not subtracted",
     "HoldsForEveryLaw",
     {.variance_from_mean_square = [](const Rational&, const Rational& square) { return square; }}},
    {"the squared mean is added",
     "HoldsForEveryLaw",
     {.variance_from_mean_square = [](const Rational& mean, const Rational& square) -> Rational {
       return square + mean * mean;
     }}},
    {"the mean is not squared",
     "GivesTheVarianceOfABitAndOfADie",
     {.variance_from_mean_square = [](const Rational& mean, const Rational& square) -> Rational {
       return square - mean;
     }}},
    {"the mean square ignores the probabilities",
     "MeanZeroAndVarianceOneGiveMeanSquareOne",
     {.mean_square = [](const RationalDistribution& x) -> Rational {
       Rational total = 0;
       for (const auto& atom : x.atoms()) total += atom.outcome * atom.outcome;
       return total / Rational(x.atoms().size());
     }}},
    {"the variance is not taken about the mean",
     "TheMeanSquareOfAFairBitIsNotItsVariance",
     {.variance = [](const RationalDistribution& x) { return raw_moment(x, 2); }}},
    {"impossible moments are accepted",
     "RefusesAMeanSquareBelowTheSquaredMean",
     {.variance_from_mean_square = [](const Rational& mean, const Rational& square) -> Rational {
       return square - mean * mean;
     }}},
};

//! [VarianceIsMeanSquare]
TEST(VarianceIsMeanSquare, HoldsForEveryLaw) {
  check_statement(variance_is_mean_square_mutants, [](const Rules& rules) {
    for_all([&] {
      const RationalDistribution x = *any_distribution().as("distribution of X");
      EXPECT_EXACTLY(rules.variance_from_mean_square(mean(x), rules.mean_square(x)) ==
                     rules.variance(x));
    });
  });
}
//! [VarianceIsMeanSquare]

//! [VarianceIsMeanSquare: exact check]
TEST(VarianceIsMeanSquare, GivesTheVarianceOfABitAndOfADie) {
  check_statement(variance_is_mean_square_mutants, [](const Rules& rules) {
    const auto variance_of = [&](const RationalDistribution& x) {
      const Rational by_formula = rules.variance_from_mean_square(mean(x), rules.mean_square(x));
      EXPECT_EXACTLY(by_formula == rules.variance(x));
      return by_formula;
    };
    EXPECT_EXACTLY(variance_of(fair_bit) == Rational(1, 4));
    EXPECT_EXACTLY(variance_of(RationalDistribution::uniform({1, 2, 3, 4, 5, 6})) ==
                   Rational(35, 12));
    enumerated(2);
  });
}
//! [VarianceIsMeanSquare: exact check]

TEST(VarianceIsMeanSquare, MeanZeroAndVarianceOneGiveMeanSquareOne) {
  check_statement(variance_is_mean_square_mutants, [](const Rules& rules) {
    for_all([&] {
      const RationalDistribution x = *standardized_distribution().as("distribution of X");
      EXPECT_EXACTLY(mean(x) == 0);
      EXPECT_EXACTLY(rules.variance(x) == 1);
      EXPECT_EXACTLY(rules.mean_square(x) == 1);
    });
  });
}

TEST(VarianceIsMeanSquare, TheMeanSquareOfAFairBitIsNotItsVariance) {
  check_with_mutants(variance_is_mean_square_mutants, [](const Rules& rules) {
    EXPECT_EXACTLY(rules.mean_square(fair_bit) == Rational(1, 2));
    EXPECT_EXACTLY(rules.variance(fair_bit) == Rational(1, 4));
    counterexample_without("mean zero");
  });
}

TEST(VarianceIsMeanSquare, RefusesAMeanSquareBelowTheSquaredMean) {
  check_with_mutants(variance_is_mean_square_mutants, [](const Rules& rules) {
    expect_refusal<std::domain_error>([&] { rules.variance_from_mean_square(2, 3); });
  });
}

}  // namespace sqrtdk::properties::VarianceIsMeanSquare
