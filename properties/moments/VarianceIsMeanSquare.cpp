#include "properties/moments/fixture.hpp"
#include "properties/support/rational_distributions.hpp"

namespace sqrtdk::properties::VarianceIsMeanSquare {

//! [VarianceIsMeanSquare]
STATEMENT(VarianceIsMeanSquare, HoldsForEveryDistribution) {
  for_all([&] {
    const RationalDistribution x = *any_distribution().as("distribution of X");
    EXPECT_EXACTLY(subject.variance_from_mean_square(mean(x), subject.mean_square(x)) ==
                   subject.variance(x));
  });
}
//! [VarianceIsMeanSquare]
KILLS("the squared mean is not subtracted",
      {.variance_from_mean_square = [](auto&, auto& square) { return square; }});
KILLS("the squared mean is added",
      {.variance_from_mean_square = [](auto& mean, auto& square) { return square + mean * mean; }});

//! [VarianceIsMeanSquare: exact check]
STATEMENT(VarianceIsMeanSquare, GivesTheVarianceOfABitAndOfADie) {
  const auto variance_of = [&](const RationalDistribution& x) {
    const Rational by_formula = subject.variance_from_mean_square(mean(x), subject.mean_square(x));
    EXPECT_EXACTLY(by_formula == subject.variance(x));
    return by_formula;
  };
  EXPECT_EXACTLY(variance_of(fair_bit) == Rational(1, 4));
  EXPECT_EXACTLY(variance_of(RationalDistribution::uniform({1, 2, 3, 4, 5, 6})) ==
                 Rational(35, 12));
  enumerated(2);
}
//! [VarianceIsMeanSquare: exact check]
KILLS("the mean is not squared",
      {.variance_from_mean_square = [](auto& mean, auto& square) { return square - mean; }});

STATEMENT(VarianceIsMeanSquare, MeanZeroAndVarianceOneGiveMeanSquareOne) {
  for_all([&] {
    const RationalDistribution x = *standardized_distribution().as("distribution of X");
    EXPECT_EXACTLY(mean(x) == 0);
    EXPECT_EXACTLY(subject.variance(x) == 1);
    EXPECT_EXACTLY(subject.mean_square(x) == 1);
  });
}
KILLS("the mean square ignores the probabilities", {.mean_square = [](auto& x) -> Rational {
        Rational total = 0;
        for (const auto& atom : x.atoms()) total += atom.outcome * atom.outcome;
        return total / Rational(x.atoms().size());
      }});

ASIDE(VarianceIsMeanSquare, TheMeanSquareOfAFairBitIsNotItsVariance) {
  EXPECT_EXACTLY(subject.mean_square(fair_bit) == Rational(1, 2));
  EXPECT_EXACTLY(subject.variance(fair_bit) == Rational(1, 4));
  counterexample_without("mean zero");
}
KILLS("the variance is not taken about the mean",
      {.variance = [](auto& x) { return raw_moment(x, 2); }});

ASIDE(VarianceIsMeanSquare, RefusesAMeanSquareBelowTheSquaredMean) {
  expect_refusal<std::domain_error>([&] { subject.variance_from_mean_square(2, 3); });
}
KILLS("impossible moments are accepted",
      {.variance_from_mean_square = [](auto& mean, auto& square) { return square - mean * mean; }});

}  // namespace sqrtdk::properties::VarianceIsMeanSquare
