#include <sqrtdk/score/dependence.hpp>

#include "properties/moments/fixture.hpp"
#include "properties/support/rational_distributions.hpp"

namespace sqrtdk::properties::IndependentProductVariance {

//! [IndependentProductVariance]
STATEMENT(IndependentProductVariance, HoldsForEveryPairOfDistributions) {
  for_all([&] {
    const RationalDistribution x = *any_distribution().as("distribution of X");
    const RationalDistribution y = *any_distribution().as("distribution of Y");
    EXPECT_EXACTLY(variance(subject.product(x, y)) ==
                   subject.product_variance(moments(x), moments(y)));
  });
}
//! [IndependentProductVariance]
KILLS("doubled", {.product_variance = [](auto& x, auto& y) { return 2 * product_variance(x, y); }});
KILLS("the squared mean of the product is not subtracted",
      {.product_variance = [](auto& x, auto& y) {
        return product_variance(x, y) + x.mean() * x.mean() * y.mean() * y.mean();
      }});

//! [IndependentProductVariance: exact check]
STATEMENT(IndependentProductVariance, EachTermHasACaseInWhichItStandsAlone) {
  const auto product_variance_of = [&](const RationalDistribution& x,
                                       const RationalDistribution& y) {
    const Rational by_formula = subject.product_variance(moments(x), moments(y));
    EXPECT_EXACTLY(by_formula == variance(subject.product(x, y)));
    return by_formula;
  };
  const auto three = RationalDistribution::uniform({3});
  EXPECT_EXACTLY(product_variance_of(fair_sign, fair_sign) == 1) << "σx²σy² alone";
  EXPECT_EXACTLY(product_variance_of(three, fair_sign) == 9) << "μx²σy² alone";
  EXPECT_EXACTLY(product_variance_of(fair_sign, three) == 9) << "μy²σx² alone";
  EXPECT_EXACTLY(product_variance_of(fair_bit, fair_bit) == Rational(3, 16)) << "all three terms";
  enumerated(4);
}
//! [IndependentProductVariance: exact check]
KILLS("σx²σy² is dropped", {.product_variance = [](auto& x, auto& y) {
        return product_variance(x, y) - x.variance() * y.variance();
      }});
KILLS("μx²σy² is dropped", {.product_variance = [](auto& x, auto& y) {
        return product_variance(x, y) - x.mean() * x.mean() * y.variance();
      }});
KILLS("μy²σx² is dropped", {.product_variance = [](auto& x, auto& y) {
        return product_variance(x, y) - y.mean() * y.mean() * x.variance();
      }});

STATEMENT(IndependentProductVariance, IsOneForEveryPairOfStandardizedDistributions) {
  for_all([&] {
    const RationalDistribution x = *standardized_distribution().as("distribution of X");
    const RationalDistribution y = *standardized_distribution().as("distribution of Y");
    EXPECT_EXACTLY(variance(subject.product(x, y)) == 1);
    EXPECT_EXACTLY(subject.product_variance(moments(x), moments(y)) == 1);
  });
}
KILLS("standard deviations instead of variances",
      {.product_variance = [](auto& x, auto& y) { return x.variance() + y.variance(); }});

STATEMENT(IndependentProductVariance, IsOneForStandardNormalFactors) {
  // Isserlis' theorem pairs up the factors of E X²Y² and of E XY.
  const Rational mean_square = normal_moment(0, 2, 2);
  const Rational mean = normal_moment(0, 1, 1);
  EXPECT_EXACTLY(mean_square - mean * mean == 1);
  const Moments normal(normal_moment(0, 1, 0), normal_moment(0, 2, 0));
  EXPECT_EXACTLY(subject.product_variance(normal, normal) == mean_square - mean * mean);
  // (3 + X)(5 + 2Y) less its mean 15 is 5X + 6Y + 2XY, three terms without covariances.
  const Rational shifted =
      25 * normal_moment(0, 2, 0) + 36 * normal_moment(0, 0, 2) + 4 * mean_square;
  EXPECT_EXACTLY(subject.product_variance(Moments(3, 1), Moments(5, 4)) == shifted);
  enumerated(2);
}
KILLS("means are ignored if the first variance is 1", {.product_variance = [](auto& x, auto& y) {
        return x.variance() == 1 ? y.variance() : product_variance(x, y);
      }});
KILLS("one plus the mean square, for normal distributions",
      {.product_variance = [](auto& x, auto& y) { return product_variance(x, y) + 1; }});

ASIDE(IndependentProductVariance, AVariableTimesItselfBreaksIt) {
  const auto square = fair_sign.image([](const Rational& x) { return Rational(x * x); });
  EXPECT_EXACTLY(variance(square) == 0);
  EXPECT_EXACTLY(subject.product_variance(moments(fair_sign), moments(fair_sign)) == 1);
  counterexample_without("independent");
}
KILLS("both factors are the same draw", {.product_variance = [](auto& x, auto& y) {
        return x == y ? Rational(0) : product_variance(x, y);
      }});

}  // namespace sqrtdk::properties::IndependentProductVariance
