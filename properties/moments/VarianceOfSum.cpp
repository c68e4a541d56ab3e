#include "properties/moments/fixture.hpp"
#include "properties/support/rational_distributions.hpp"

namespace sqrtdk::properties::VarianceOfSum {

//! [VarianceOfSum]
STATEMENT(VarianceOfSum, HoldsForIndependentVariables) {
  for_all([&] {
    const RationalDistribution x = *any_distribution().as("distribution of X");
    const RationalDistribution y = *any_distribution().as("distribution of Y");
    const RationalDistribution z = *any_distribution().as("distribution of Z");
    EXPECT_EXACTLY(variance(subject.sum(subject.sum(x, y), z)) ==
                   subject.variance_of_sum({variance(x), variance(y), variance(z)}));
  });
}
//! [VarianceOfSum]
KILLS("the first term is skipped", {.variance_of_sum = [](auto& variances) -> Rational {
        const auto skipped = std::min<std::ptrdiff_t>(1, std::ssize(variances));
        return variance_of_sum({variances.begin() + skipped, variances.end()});
      }});

//! [VarianceOfSum: exact check]
STATEMENT(VarianceOfSum, NineAndSixteenSignsMakeTwentyFive) {
  const RationalDistribution nine = subject.sum_of_copies(fair_sign, 9);
  const RationalDistribution sixteen = subject.sum_of_copies(fair_sign, 16);
  EXPECT_EXACTLY(variance(nine) == 9);
  EXPECT_EXACTLY(variance(sixteen) == 16);
  EXPECT_EXACTLY(variance(subject.sum(nine, sixteen)) == 25);
  EXPECT_EXACTLY(subject.variance_of_sum({9, 16}) == 25);
}
//! [VarianceOfSum: exact check]
KILLS("doubled",
      {.variance_of_sum = [](auto& variances) { return 2 * variance_of_sum(variances); }});

STATEMENT(VarianceOfSum, UncorrelatedIsEnough) {
  for_all([&] {
    const RationalDistribution x = *any_distribution().as("distribution of X");
    const auto x_and_its_random_sign = independent(x, fair_sign).image([](const auto& draw) {
      return std::pair<Rational, Rational>(draw.first, draw.first * draw.second);
    });
    EXPECT_EXACTLY(covariance(x_and_its_random_sign) == 0);
    const auto y = x_and_its_random_sign.image([](const auto& xy) { return xy.second; });
    const auto total =
        x_and_its_random_sign.image([](const auto& xy) { return Rational(xy.first + xy.second); });
    EXPECT_EXACTLY(variance(total) == subject.variance_of_sum({variance(x), variance(y)}));
  });
}
KILLS("divided by the number of terms, as for a mean", {.variance_of_sum = [](auto& variances) {
        return variance_of_sum(variances) / Rational(variances.size());
      }});

ASIDE(VarianceOfSum, ASignThatDependsOnTheVariableIsNotEnough) {
  // X is 0 or 2, and S = X − 1 is a fair sign; SX is X.
  const RationalDistribution x({0, 2}, {Rational(1, 2), Rational(1, 2)});
  EXPECT_EXACTLY(x.image([](const Rational& v) { return Rational(v - 1); }) == fair_sign);
  const JointDistribution with_its_sign = x.image([](const Rational& v) {
    return std::vector<Rational>{v, (v - 1) * v};
  });
  EXPECT_EXACTLY(subject.variance_of_dependent_sum(with_its_sign) == 4);
  EXPECT_EXACTLY(subject.variance_of_sum({1, 1}) == 2);
  enumerated(1);
  counterexample_without("uncorrelated");
}
KILLS("the covariances of two variables are left out",
      {.variance_of_dependent_sum = [](auto& joint) -> Rational {
        if (joint.atoms().front().outcome.size() != 2) return variance_of_dependent_sum(joint);
        return variance(joint.image([](auto& x) { return x[0]; })) +
               variance(joint.image([](auto& x) { return x[1]; }));
      }});

STATEMENT(VarianceOfSum, CountsEveryCovarianceForEveryJointDistribution) {
  for_all([&] {
    const JointDistribution joint = *any_joint_distribution().as("joint distribution");
    const auto total = joint.image([](const std::vector<Rational>& x) {
      Rational sum = 0;
      for (const Rational& entry : x) sum += entry;
      return sum;
    });
    EXPECT_EXACTLY(variance(total) == subject.variance_of_dependent_sum(joint));
  });
}
KILLS("the covariances are dropped", {.variance_of_dependent_sum = [](auto& joint) -> Rational {
        Rational total = 0;
        for (std::size_t i = 0; i < joint.atoms().front().outcome.size(); ++i)
          total += variance(joint.image([i](const auto& x) { return x[i]; }));
        return total;
      }});
KILLS("each covariance is counted once, not twice",
      {.variance_of_dependent_sum = [](auto& joint) -> Rational {
        Rational total = 0;
        for (std::size_t i = 0; i < joint.atoms().front().outcome.size(); ++i)
          for (std::size_t j = i; j < joint.atoms().front().outcome.size(); ++j)
            total += covariance(joint.image([=](const auto& x) { return std::pair(x[i], x[j]); }));
        return total;
      }});

STATEMENT(VarianceOfSum, TheVarianceOfCopiesIsTheirNumberTimesTheVariance) {
  for_all([&] {
    const RationalDistribution x = *any_distribution().as("distribution of X");
    const auto count = *rc::gen::inRange<std::size_t>(0, 6).as("number of copies");
    EXPECT_EXACTLY(variance(subject.sum_of_copies(x, count)) ==
                   subject.variance_of_sum(std::vector<Rational>(count, variance(x))));
  });
}
KILLS("one copy too many", {.sum_of_copies = [](RationalDistribution distribution, auto count) {
        return sum_of_copies(std::move(distribution), count + 1);
      }});
KILLS("one draw multiplied instead of independent copies",
      {.sum_of_copies = [](RationalDistribution distribution, auto count) {
        return distribution.image([=](const Rational& x) { return Rational(x * Rational(count)); });
      }});

ASIDE(VarianceOfSum, AVariablePlusItselfHasFourTimesTheVariance) {
  for_all([&] {
    const RationalDistribution x = *any_distribution().as("distribution of X");
    const JointDistribution twice = x.image([](const Rational& v) { return std::vector{v, v}; });
    EXPECT_EXACTLY(subject.variance_of_dependent_sum(twice) == 4 * variance(x));
  });
  counterexample_without("uncorrelated");
}
KILLS("independence is assumed of X + X",
      {.variance_of_dependent_sum = [](auto& joint) -> Rational {
        return 2 * variance(joint.image([](auto& x) { return x[0]; }));
      }});

}  // namespace sqrtdk::properties::VarianceOfSum
