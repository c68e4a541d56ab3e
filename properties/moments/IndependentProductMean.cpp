#include "properties/moments/fixture.hpp"
#include "properties/support/rational_distributions.hpp"

namespace sqrtdk::properties::IndependentProductMean {

//! [IndependentProductMean]
STATEMENT(IndependentProductMean, HoldsForEveryPairOfDistributions) {
  for_all([&] {
    const RationalDistribution x = *any_distribution().as("distribution of X");
    const RationalDistribution y = *any_distribution().as("distribution of Y");
    EXPECT_EXACTLY(mean(subject.product(x, y)) == subject.product_mean(moments(x), moments(y)));
  });
}
//! [IndependentProductMean]
KILLS("the means are added",
      {.product_mean = [](auto& x, auto& y) { return x.mean() + y.mean(); }});
KILLS("one mean is dropped", {.product_mean = [](auto& x, auto&) { return x.mean(); }});
KILLS("the outcomes are added, not multiplied", {.product = sqrtdk::sum<Rational>});

//! [IndependentProductMean: exact check]
STATEMENT(IndependentProductMean, OfTwoDiceIsTheSquareOfTheirMean) {
  const auto die = RationalDistribution::uniform({1, 2, 3, 4, 5, 6});
  EXPECT_EXACTLY(mean(subject.product(die, die)) == Rational(49, 4));  // (1 + … + 6)² / 36
  EXPECT_EXACTLY(subject.product_mean(moments(die), moments(die)) == Rational(49, 4));
  enumerated(36);
}
//! [IndependentProductMean: exact check]
KILLS("doubled", {.product_mean = [](auto& x, auto& y) { return 2 * x.mean() * y.mean(); }});

ASIDE(IndependentProductMean, AVariableTimesItselfBreaksIt) {
  const Rational same = fair_sign.expectation([](const Rational& x) { return Rational(x * x); });
  EXPECT_EXACTLY(same == 1);
  EXPECT_EXACTLY(subject.product_mean(moments(fair_sign), moments(fair_sign)) == 0);
  counterexample_without("independent");
}
KILLS("both factors are the same draw", {.product_mean = [](auto& x, auto& y) {
        return x == y ? Rational(x.mean() * x.mean() + x.variance())
                      : Rational(x.mean() * y.mean());
      }});

}  // namespace sqrtdk::properties::IndependentProductMean
