// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/finite_distribution.hpp>
#include <sqrtdk/moments.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/testing/generators/rational_distributions.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>

#include "properties/moments/fixture.hpp"
#include "properties/support/rational_distributions.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

namespace sqrtdk::properties::VarianceOfSum {

using namespace sqrtdk::testing;

const Mutants variance_of_sum_mutants = {
    {"doubled",
     "NineAndSixteenSignsMakeTwentyFive",
     {.variance_of_sum = [](const std::vector<Rational>& variances) -> Rational {
       return 2 * variance_of_sum(variances);
     }}},
    {"the first term is skipped",
     "HoldsForIndependentLaws",
     {.variance_of_sum = [](const std::vector<Rational>& variances) -> Rational {
       const auto skipped = std::min<std::ptrdiff_t>(1, std::ssize(variances));
       return variance_of_sum({variances.begin() + skipped, variances.end()});
     }}},
    {"divided by the number of terms, as for a mean",
     "UncorrelatedIsEnough",
     {.variance_of_sum = [](const std::vector<Rational>& variances) -> Rational {
       return variance_of_sum(variances) / Rational(variances.size());
     }}},
    {"the covariances are dropped",
     "CountsEveryCovarianceForEveryJointLaw",
     {.variance_of_dependent_sum = [](const JointDistribution& joint) -> Rational {
       Rational total = 0;
       for (std::size_t i = 0; i < joint.atoms().front().outcome.size(); ++i)
         total += variance(joint.image([i](const auto& x) { return x[i]; }));
       return total;
     }}},
    {"each covariance is counted once, not twice",
     "CountsEveryCovarianceForEveryJointLaw",
     {.variance_of_dependent_sum = [](const JointDistribution& joint) -> Rational {
       Rational total = 0;
       for (std::size_t i = 0; i < joint.atoms().front().outcome.size(); ++i)
         for (std::size_t j = i; j < joint.atoms().front().outcome.size(); ++j)
           total += covariance(joint.image([=](const auto& x) { return std::pair(x[i], x[j]); }));
       return total;
     }}},
    {"one copy too many",
     "TheVarianceOfCopiesIsTheirNumberTimesTheVariance",
     {.sum_of_copies =
          [](RationalDistribution distribution, std::size_t count) {
            return sum_of_copies(std::move(distribution), count + 1);
          }}},
    {"one draw multiplied instead of independent copies",
     "TheVarianceOfCopiesIsTheirNumberTimesTheVariance",
     {.sum_of_copies =
          [](RationalDistribution distribution, std::size_t count) {
            return distribution.image(
                [=](const Rational& x) { return Rational(x * Rational(count)); });
          }}},
    {"the covariances of two variables are left out",
     "ASignThatDependsOnTheVariableIsNotEnough",
     {.variance_of_dependent_sum = [](const JointDistribution& joint) -> Rational {
       if (joint.atoms().front().outcome.size() != 2) return variance_of_dependent_sum(joint);
       return variance(joint.image([](const auto& x) { return x[0]; })) +
              variance(joint.image([](const auto& x) { return x[1]; }));
     }}},
    {"independence is assumed of X + X",
     "AVariablePlusItselfHasFourTimesTheVariance",
     {.variance_of_dependent_sum = [](const JointDistribution& joint) -> Rational {
       return 2 * variance(joint.image([](const auto& x) { return x[0]; }));
     }}},
};

//! [VarianceOfSum]
TEST(VarianceOfSum, HoldsForIndependentLaws) {
  check_statement(variance_of_sum_mutants, [](const Rules& rules) {
    for_all([&] {
      const RationalDistribution x = *any_distribution().as("distribution of X");
      const RationalDistribution y = *any_distribution().as("distribution of Y");
      const RationalDistribution z = *any_distribution().as("distribution of Z");
      EXPECT_EXACTLY(variance(rules.sum(rules.sum(x, y), z)) ==
                     rules.variance_of_sum({variance(x), variance(y), variance(z)}));
    });
  });
}
//! [VarianceOfSum]

//! [VarianceOfSum: exact check]
TEST(VarianceOfSum, NineAndSixteenSignsMakeTwentyFive) {
  check_statement(variance_of_sum_mutants, [](const Rules& rules) {
    const RationalDistribution nine = rules.sum_of_copies(fair_sign, 9);
    const RationalDistribution sixteen = rules.sum_of_copies(fair_sign, 16);
    EXPECT_EXACTLY(variance(nine) == 9);
    EXPECT_EXACTLY(variance(sixteen) == 16);
    EXPECT_EXACTLY(variance(rules.sum(nine, sixteen)) == 25);
    EXPECT_EXACTLY(rules.variance_of_sum({9, 16}) == 25);
  });
}
//! [VarianceOfSum: exact check]

TEST(VarianceOfSum, UncorrelatedIsEnough) {
  check_statement(variance_of_sum_mutants, [](const Rules& rules) {
    for_all([&] {
      const RationalDistribution x = *any_distribution().as("distribution of X");
      const auto x_and_its_random_sign = independent(x, fair_sign).image([](const auto& draw) {
        return std::pair<Rational, Rational>(draw.first, draw.first * draw.second);
      });
      EXPECT_EXACTLY(covariance(x_and_its_random_sign) == 0);
      const auto y = x_and_its_random_sign.image([](const auto& xy) { return xy.second; });
      const auto total = x_and_its_random_sign.image(
          [](const auto& xy) { return Rational(xy.first + xy.second); });
      EXPECT_EXACTLY(variance(total) == rules.variance_of_sum({variance(x), variance(y)}));
    });
  });
}

TEST(VarianceOfSum, ASignThatDependsOnTheVariableIsNotEnough) {
  check_with_mutants(variance_of_sum_mutants, [](const Rules& rules) {
    // X is 0 or 2, and S = X − 1 is a fair sign; SX is X.
    const RationalDistribution x({0, 2}, {Rational(1, 2), Rational(1, 2)});
    EXPECT_EXACTLY(x.image([](const Rational& v) { return Rational(v - 1); }) == fair_sign);
    const JointDistribution with_its_sign = x.image([](const Rational& v) {
      return std::vector<Rational>{v, (v - 1) * v};
    });
    EXPECT_EXACTLY(rules.variance_of_dependent_sum(with_its_sign) == 4);
    EXPECT_EXACTLY(rules.variance_of_sum({1, 1}) == 2);
    enumerated(1);
    counterexample_without("uncorrelated");
  });
}

TEST(VarianceOfSum, CountsEveryCovarianceForEveryJointLaw) {
  check_statement(variance_of_sum_mutants, [](const Rules& rules) {
    for_all([&] {
      const JointDistribution joint = *any_joint_distribution().as("joint distribution");
      const auto total = joint.image([](const std::vector<Rational>& x) {
        Rational sum = 0;
        for (const Rational& entry : x) sum += entry;
        return sum;
      });
      EXPECT_EXACTLY(variance(total) == rules.variance_of_dependent_sum(joint));
    });
  });
}

TEST(VarianceOfSum, TheVarianceOfCopiesIsTheirNumberTimesTheVariance) {
  check_statement(variance_of_sum_mutants, [](const Rules& rules) {
    for_all([&] {
      const RationalDistribution x = *any_distribution().as("distribution of X");
      const auto count = *rc::gen::inRange<std::size_t>(0, 6).as("number of copies");
      EXPECT_EXACTLY(variance(rules.sum_of_copies(x, count)) ==
                     rules.variance_of_sum(std::vector<Rational>(count, variance(x))));
    });
  });
}

TEST(VarianceOfSum, AVariablePlusItselfHasFourTimesTheVariance) {
  check_with_mutants(variance_of_sum_mutants, [](const Rules& rules) {
    for_all([&] {
      const RationalDistribution x = *any_distribution().as("distribution of X");
      const JointDistribution twice = x.image([](const Rational& v) { return std::vector{v, v}; });
      EXPECT_EXACTLY(rules.variance_of_dependent_sum(twice) == 4 * variance(x));
    });
    counterexample_without("uncorrelated");
  });
}

}  // namespace sqrtdk::properties::VarianceOfSum
