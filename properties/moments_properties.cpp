// SPDX-License-Identifier: BSL-1.0
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <boost/math/distributions/normal.hpp>
#include <string>
#include <utility>
#include <vector>

#include "sqrtdk/moments.hpp"
#include "sqrtdk/testing/generators.hpp"
#include "sqrtdk/testing/mutants.hpp"
#include "sqrtdk/testing/printed.hpp"
#include "sqrtdk/testing/property.hpp"

namespace {

using namespace sqrtdk;
using namespace sqrtdk::testing;

using JointLaw = FiniteDistribution<std::vector<Rational>>;

/// What this chapter's laws judge.
struct Rules {
  Rational (*mean_square)(const RationalLaw&) = [](const RationalLaw& x) {
    return raw_moment(x, 2);
  };
  Rational (*variance)(const RationalLaw&) = sqrtdk::variance<Rational>;
  Rational (*variance_from_mean_square)(const Rational&,
                                        const Rational&) = sqrtdk::variance_from_mean_square;
  RationalLaw (*product)(const RationalLaw&, const RationalLaw&) = sqrtdk::product<Rational>;
  RationalLaw (*sum)(const RationalLaw&, const RationalLaw&) = sqrtdk::sum<Rational>;
  RationalLaw (*sum_of_copies)(RationalLaw, std::size_t) = sqrtdk::sum_of_copies<Rational>;
  Rational (*product_mean)(const Moments&, const Moments&) = sqrtdk::product_mean;
  Rational (*product_variance)(const Moments&, const Moments&) = sqrtdk::product_variance;
  Rational (*variance_of_sum)(const std::vector<Rational>&) = sqrtdk::variance_of_sum;
  Rational (*variance_of_dependent_sum)(const JointLaw&) = sqrtdk::variance_of_dependent_sum;
  Rational (*variance_after_division)(const Rational&,
                                      const Rational&) = sqrtdk::variance_after_division;
};

using Mutants = std::vector<Mutant<Rules>>;

const RationalLaw fair_sign({-1, 1}, {Rational(1, 2), Rational(1, 2)});
const RationalLaw fair_bit({0, 1}, {Rational(1, 2), Rational(1, 2)});

// ---------------------------------------------------------------------------- VarianceIsMeanSquare

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
     "HoldsForEveryLaw",
     {.variance_from_mean_square = [](const Rational& mean, const Rational& square) -> Rational {
       return square - mean;
     }}},
    {"the mean square ignores the probabilities",
     "MeanZeroAndVarianceOneGiveMeanSquareOne",
     {.mean_square = [](const RationalLaw& x) -> Rational {
       Rational total = 0;
       for (const auto& atom : x.atoms()) total += atom.outcome * atom.outcome;
       return total / Rational(x.atoms().size());
     }}},
    {"the variance is not taken about the mean",
     "TheMeanSquareOfAFairBitIsNotItsVariance",
     {.variance = [](const RationalLaw& x) { return raw_moment(x, 2); }}},
    {"impossible moments are accepted",
     "RefusesAMeanSquareBelowTheSquaredMean",
     {.variance_from_mean_square = [](const Rational& mean, const Rational& square) -> Rational {
       return square - mean * mean;
     }}},
};

//! [VarianceIsMeanSquare]
TEST(VarianceIsMeanSquare, HoldsForEveryLaw) {
  judge(variance_is_mean_square_mutants, [](const Rules& rules) {
    for_all([&] {
      const RationalLaw x = *any_law().as("law of X");
      RC_ASSERT(rules.variance_from_mean_square(mean(x), rules.mean_square(x)) ==
                rules.variance(x));
    });
  });
}
//! [VarianceIsMeanSquare]

TEST(VarianceIsMeanSquare, MeanZeroAndVarianceOneGiveMeanSquareOne) {
  judge(variance_is_mean_square_mutants, [](const Rules& rules) {
    for_all([&] {
      const RationalLaw x = *standardized_law().as("law of X");
      RC_ASSERT(mean(x) == 0);
      RC_ASSERT(rules.variance(x) == 1);
      RC_ASSERT(rules.mean_square(x) == 1);
    });
  });
}

TEST(VarianceIsMeanSquare, TheMeanSquareOfAFairBitIsNotItsVariance) {
  judge(variance_is_mean_square_mutants, [](const Rules& rules) {
    EXPECT_EQ(rules.mean_square(fair_bit), Rational(1, 2));
    EXPECT_EQ(rules.variance(fair_bit), Rational(1, 4));
    counterexample_without("mean zero");
  });
}

TEST(VarianceIsMeanSquare, RefusesAMeanSquareBelowTheSquaredMean) {
  judge(variance_is_mean_square_mutants, [](const Rules& rules) {
    EXPECT_THROW(rules.variance_from_mean_square(2, 3), std::domain_error);
  });
}

// -------------------------------------------------------------------------- IndependentProductMean

const Mutants independent_product_mean_mutants = {
    {"the means are added",
     "HoldsForEveryPairOfLaws",
     {.product_mean = [](const Moments& x, const Moments& y) -> Rational {
       return x.mean() + y.mean();
     }}},
    {"doubled",
     "HoldsForEveryPairOfLaws",
     {.product_mean = [](const Moments& x, const Moments& y) -> Rational {
       return 2 * x.mean() * y.mean();
     }}},
    {"one mean is dropped",
     "HoldsForEveryPairOfLaws",
     {.product_mean = [](const Moments& x, const Moments&) { return x.mean(); }}},
    {"the outcomes are added, not multiplied",
     "HoldsForEveryPairOfLaws",
     {.product = sqrtdk::sum<Rational>}},
    {"both factors are the same draw",
     "AVariableTimesItselfBreaksIt",
     {.product_mean = [](const Moments& x, const Moments& y) -> Rational {
       return x == y ? Rational(x.mean() * x.mean() + x.variance()) : Rational(x.mean() * y.mean());
     }}},
};

//! [IndependentProductMean]
TEST(IndependentProductMean, HoldsForEveryPairOfLaws) {
  judge(independent_product_mean_mutants, [](const Rules& rules) {
    for_all([&] {
      const RationalLaw x = *any_law().as("law of X");
      const RationalLaw y = *any_law().as("law of Y");
      RC_ASSERT(mean(rules.product(x, y)) == rules.product_mean(moments(x), moments(y)));
    });
  });
}
//! [IndependentProductMean]

TEST(IndependentProductMean, AVariableTimesItselfBreaksIt) {
  judge(independent_product_mean_mutants, [](const Rules& rules) {
    const Rational same = fair_sign.expectation([](const Rational& x) { return Rational(x * x); });
    EXPECT_EQ(same, 1);
    EXPECT_EQ(rules.product_mean(moments(fair_sign), moments(fair_sign)), 0);
    counterexample_without("independent");
  });
}

// ---------------------------------------------------------------------- IndependentProductVariance

const Mutants independent_product_variance_mutants = {
    {"doubled",
     "HoldsForEveryPairOfLaws",
     {.product_variance = [](const Moments& x, const Moments& y) -> Rational {
       return 2 * product_variance(x, y);
     }}},
    {"σx²σy² is dropped",
     "EachTermHasACaseInWhichItStandsAlone",
     {.product_variance = [](const Moments& x, const Moments& y) -> Rational {
       return product_variance(x, y) - x.variance() * y.variance();
     }}},
    {"μx²σy² is dropped",
     "EachTermHasACaseInWhichItStandsAlone",
     {.product_variance = [](const Moments& x, const Moments& y) -> Rational {
       return product_variance(x, y) - x.mean() * x.mean() * y.variance();
     }}},
    {"μy²σx² is dropped",
     "EachTermHasACaseInWhichItStandsAlone",
     {.product_variance = [](const Moments& x, const Moments& y) -> Rational {
       return product_variance(x, y) - y.mean() * y.mean() * x.variance();
     }}},
    {"the squared mean of the product is not subtracted",
     "HoldsForEveryPairOfLaws",
     {.product_variance = [](const Moments& x, const Moments& y) -> Rational {
       return product_variance(x, y) + x.mean() * x.mean() * y.mean() * y.mean();
     }}},
    {"standard deviations instead of variances",
     "IsOneForEveryPairOfStandardizedLaws",
     {.product_variance = [](const Moments& x, const Moments& y) -> Rational {
       return x.variance() + y.variance();
     }}},
    {"one plus the mean square, for normal laws",
     "IsOneForStandardNormalFactors",
     {.product_variance = [](const Moments& x, const Moments& y) -> Rational {
       return product_variance(x, y) + 1;
     }}},
    {"both factors are the same draw",
     "AVariableTimesItselfBreaksIt",
     {.product_variance = [](const Moments& x, const Moments& y) -> Rational {
       return x == y ? Rational(0) : product_variance(x, y);
     }}},
};

//! [IndependentProductVariance]
TEST(IndependentProductVariance, HoldsForEveryPairOfLaws) {
  judge(independent_product_variance_mutants, [](const Rules& rules) {
    for_all([&] {
      const RationalLaw x = *any_law().as("law of X");
      const RationalLaw y = *any_law().as("law of Y");
      RC_ASSERT(variance(rules.product(x, y)) == rules.product_variance(moments(x), moments(y)));
    });
  });
}
//! [IndependentProductVariance]

//! [IndependentProductVariance: exact check]
TEST(IndependentProductVariance, EachTermHasACaseInWhichItStandsAlone) {
  judge(independent_product_variance_mutants, [](const Rules& rules) {
    const auto product_variance_of = [&](const RationalLaw& x, const RationalLaw& y) {
      const Rational by_formula = rules.product_variance(moments(x), moments(y));
      EXPECT_EQ(by_formula, variance(rules.product(x, y)));
      return by_formula;
    };
    const auto three = RationalLaw::uniform({3});
    EXPECT_EQ(product_variance_of(fair_sign, fair_sign), 1) << "σx²σy² alone";
    EXPECT_EQ(product_variance_of(three, fair_sign), 9) << "μx²σy² alone";
    EXPECT_EQ(product_variance_of(fair_sign, three), 9) << "μy²σx² alone";
    EXPECT_EQ(product_variance_of(fair_bit, fair_bit), Rational(3, 16)) << "all three terms";
    enumerated(4);
  });
}
//! [IndependentProductVariance: exact check]

TEST(IndependentProductVariance, IsOneForEveryPairOfStandardizedLaws) {
  judge(independent_product_variance_mutants, [](const Rules& rules) {
    for_all([&] {
      const RationalLaw x = *standardized_law().as("law of X");
      const RationalLaw y = *standardized_law().as("law of Y");
      RC_ASSERT(variance(rules.product(x, y)) == 1);
      RC_ASSERT(rules.product_variance(moments(x), moments(y)) == 1);
    });
  });
}

TEST(IndependentProductVariance, IsOneForStandardNormalFactors) {
  judge(independent_product_variance_mutants, [](const Rules& rules) {
    const boost::math::normal standard_normal;
    const Moments normal(Rational(boost::math::mean(standard_normal)),
                         Rational(boost::math::variance(standard_normal)));
    EXPECT_EQ(rules.product_variance(normal, normal), 1);
    enumerated(1);
  });
}

TEST(IndependentProductVariance, AVariableTimesItselfBreaksIt) {
  judge(independent_product_variance_mutants, [](const Rules& rules) {
    const auto square = fair_sign.image([](const Rational& x) { return Rational(x * x); });
    EXPECT_EQ(variance(square), 0);
    EXPECT_EQ(rules.product_variance(moments(fair_sign), moments(fair_sign)), 1);
    counterexample_without("independent");
  });
}

// ------------------------------------------------------------------------------------
// VarianceOfSum

const Mutants variance_of_sum_mutants = {
    {"doubled",
     "HoldsForIndependentLaws",
     {.variance_of_sum = [](const std::vector<Rational>& variances) -> Rational {
       return 2 * variance_of_sum(variances);
     }}},
    {"the first term is skipped",
     "HoldsForIndependentLaws",
     {.variance_of_sum = [](const std::vector<Rational>& variances) -> Rational {
       return variance_of_sum({variances.begin() + 1, variances.end()});
     }}},
    {"divided by the number of terms, as for a mean",
     "UncorrelatedIsEnough",
     {.variance_of_sum = [](const std::vector<Rational>& variances) -> Rational {
       return variance_of_sum(variances) / Rational(variances.size());
     }}},
    {"the covariances are dropped",
     "CountsEveryCovarianceForEveryJointLaw",
     {.variance_of_dependent_sum = [](const JointLaw& joint) -> Rational {
       Rational total = 0;
       for (std::size_t i = 0; i < joint.atoms().front().outcome.size(); ++i)
         total += variance(joint.image([i](const auto& x) { return x[i]; }));
       return total;
     }}},
    {"each covariance is counted once, not twice",
     "CountsEveryCovarianceForEveryJointLaw",
     {.variance_of_dependent_sum = [](const JointLaw& joint) -> Rational {
       Rational total = 0;
       for (std::size_t i = 0; i < joint.atoms().front().outcome.size(); ++i)
         for (std::size_t j = i; j < joint.atoms().front().outcome.size(); ++j)
           total += covariance(joint.image([=](const auto& x) { return std::pair(x[i], x[j]); }));
       return total;
     }}},
    {"one copy too many",
     "TheVarianceOfCopiesIsTheirNumberTimesTheVariance",
     {.sum_of_copies = [](RationalLaw law,
                          std::size_t count) { return sum_of_copies(std::move(law), count + 1); }}},
    {"one draw multiplied instead of independent copies",
     "TheVarianceOfCopiesIsTheirNumberTimesTheVariance",
     {.sum_of_copies =
          [](RationalLaw law, std::size_t count) {
            return law.image([=](const Rational& x) { return Rational(x * Rational(count)); });
          }}},
    {"independence is assumed of X + X",
     "AVariablePlusItselfHasFourTimesTheVariance",
     {.variance_of_dependent_sum = [](const JointLaw& joint) -> Rational {
       return 2 * variance(joint.image([](const auto& x) { return x[0]; }));
     }}},
};

//! [VarianceOfSum]
TEST(VarianceOfSum, HoldsForIndependentLaws) {
  judge(variance_of_sum_mutants, [](const Rules& rules) {
    for_all([&] {
      const RationalLaw x = *any_law().as("law of X");
      const RationalLaw y = *any_law().as("law of Y");
      const RationalLaw z = *any_law().as("law of Z");
      RC_ASSERT(variance(rules.sum(rules.sum(x, y), z)) ==
                rules.variance_of_sum({variance(x), variance(y), variance(z)}));
    });
  });
}
//! [VarianceOfSum]

TEST(VarianceOfSum, UncorrelatedIsEnough) {
  judge(variance_of_sum_mutants, [](const Rules& rules) {
    for_all([&] {
      const RationalLaw x = *any_law().as("law of X");
      const auto x_and_its_random_sign = independent(x, fair_sign).image([](const auto& draw) {
        return std::pair<Rational, Rational>(draw.first, draw.first * draw.second);
      });
      RC_ASSERT(covariance(x_and_its_random_sign) == 0);
      const auto y = x_and_its_random_sign.image([](const auto& xy) { return xy.second; });
      const auto total = x_and_its_random_sign.image(
          [](const auto& xy) { return Rational(xy.first + xy.second); });
      RC_ASSERT(variance(total) == rules.variance_of_sum({variance(x), variance(y)}));
    });
  });
}

TEST(VarianceOfSum, CountsEveryCovarianceForEveryJointLaw) {
  judge(variance_of_sum_mutants, [](const Rules& rules) {
    for_all([&] {
      const JointLaw joint = *any_joint_law().as("joint law");
      const auto total = joint.image([](const std::vector<Rational>& x) {
        Rational sum = 0;
        for (const Rational& entry : x) sum += entry;
        return sum;
      });
      RC_ASSERT(variance(total) == rules.variance_of_dependent_sum(joint));
    });
  });
}

TEST(VarianceOfSum, TheVarianceOfCopiesIsTheirNumberTimesTheVariance) {
  judge(variance_of_sum_mutants, [](const Rules& rules) {
    for_all([&] {
      const RationalLaw x = *any_law().as("law of X");
      const auto count = *rc::gen::inRange<std::size_t>(0, 6).as("number of copies");
      RC_ASSERT(variance(rules.sum_of_copies(x, count)) ==
                rules.variance_of_sum(std::vector<Rational>(count, variance(x))));
    });
  });
}

TEST(VarianceOfSum, AVariablePlusItselfHasFourTimesTheVariance) {
  judge(variance_of_sum_mutants, [](const Rules& rules) {
    for_all([&] {
      const RationalLaw x = *any_law().as("law of X");
      const JointLaw twice = x.image([](const Rational& v) { return std::vector{v, v}; });
      RC_ASSERT(rules.variance_of_dependent_sum(twice) == 4 * variance(x));
    });
    counterexample_without("uncorrelated");
    left_out_by("S1", "uncorrelated");
  });
}

// -----------------------------------------------------------------------------
// VarianceUnderScaling

const Mutants variance_under_scaling_mutants = {
    {"divided by c",
     "HoldsForEveryLawAndDivisor",
     {.variance_after_division = [](const Rational& variance, const Rational& c) -> Rational {
       return variance / c;
     }}},
    {"c² is dropped",
     "HoldsForEveryLawAndDivisor",
     {.variance_after_division = [](const Rational& variance,
                                    const Rational&) { return variance; }}},
    {"multiplied by c²",
     "TheDocumentsThreeValuesHalved",
     {.variance_after_division = [](const Rational& variance, const Rational& c) -> Rational {
       return variance * c * c;
     }}},
    {"the sample variance, divided by n − 1",
     "TheDocumentsThreeValuesHalved",
     {.variance = [](const RationalLaw& x) -> Rational {
       const Rational n(x.atoms().size());
       return n == 1 ? Rational(0) : Rational(variance(x) * n / (n - 1));
     }}},
    {"a divisor of zero is accepted",
     "RefusesADivisorOfZero",
     {.variance_after_division = [](const Rational& variance, const Rational& c) -> Rational {
       return c == 0 ? Rational(0) : variance_after_division(variance, c);
     }}},
    {"a negative variance is accepted",
     "RefusesANegativeVariance",
     {.variance_after_division = [](const Rational& variance, const Rational& c) -> Rational {
       return variance < 0 ? Rational(0) : variance_after_division(variance, c);
     }}},
};

//! [VarianceUnderScaling]
TEST(VarianceUnderScaling, HoldsForEveryLawAndDivisor) {
  judge(variance_under_scaling_mutants, [](const Rules& rules) {
    for_all([&] {
      const RationalLaw x = *any_law().as("law of X");
      const Rational c = *nonzero_rational().as("c");
      const auto scaled = x.image([&](const Rational& v) { return Rational(v / c); });
      RC_ASSERT(rules.variance(scaled) == rules.variance_after_division(rules.variance(x), c));
    });
  });
}
//! [VarianceUnderScaling]

//! [VarianceUnderScaling: exact check]
TEST(VarianceUnderScaling, TheDocumentsThreeValuesHalved) {
  judge(variance_under_scaling_mutants, [](const Rules& rules) {
    const Rational before = rules.variance(RationalLaw::uniform({2, 4, 6}));
    const Rational after = rules.variance(RationalLaw::uniform({1, 2, 3}));
    EXPECT_EQ(before, Rational(8, 3));
    EXPECT_EQ(after, Rational(2, 3));
    EXPECT_EQ(after, rules.variance_after_division(before, 2));
    expect_printed("S2", "2.67", before);
    expect_printed("S2", "0.67", after);
    enumerated(2);
  });
}
//! [VarianceUnderScaling: exact check]

TEST(VarianceUnderScaling, RefusesADivisorOfZero) {
  judge(variance_under_scaling_mutants, [](const Rules& rules) {
    EXPECT_THROW(rules.variance_after_division(1, 0), std::domain_error);
    counterexample_without("nonzero divisor");
  });
}

TEST(VarianceUnderScaling, RefusesANegativeVariance) {
  judge(variance_under_scaling_mutants, [](const Rules& rules) {
    EXPECT_THROW(rules.variance_after_division(-1, 2), std::domain_error);
  });
}

}  // namespace
