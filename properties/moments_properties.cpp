// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/moments.hpp>
#include <sqrtdk/score.hpp>
#include <sqrtdk/score_dependence.hpp>
#include <sqrtdk/testing/generators/rational_distributions.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/printed.hpp>

#include "properties/support/rational_distributions.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace sqrtdk;
using namespace sqrtdk::testing;

using JointLaw = FiniteDistribution<std::vector<Rational>>;

/// What this chapter's laws judge.
struct Rules {
  Rational (*mean_square)(const RationalDistribution&) = [](const RationalDistribution& x) {
    return raw_moment(x, 2);
  };
  Rational (*variance)(const RationalDistribution&) = sqrtdk::variance<Rational>;
  Rational (*variance_from_mean_square)(const Rational&,
                                        const Rational&) = sqrtdk::variance_from_mean_square;
  RationalDistribution (*product)(const RationalDistribution&,
                                  const RationalDistribution&) = sqrtdk::product<Rational>;
  RationalDistribution (*sum)(const RationalDistribution&,
                              const RationalDistribution&) = sqrtdk::sum<Rational>;
  RationalDistribution (*sum_of_copies)(RationalDistribution,
                                        std::size_t) = sqrtdk::sum_of_copies<Rational>;
  Rational (*product_mean)(const Moments&, const Moments&) = sqrtdk::product_mean;
  Rational (*product_variance)(const Moments&, const Moments&) = sqrtdk::product_variance;
  Rational (*variance_of_sum)(const std::vector<Rational>&) = sqrtdk::variance_of_sum;
  Rational (*variance_of_dependent_sum)(const JointLaw&) = sqrtdk::variance_of_dependent_sum;
  Rational (*variance_after_division)(const Rational&,
                                      const Rational&) = sqrtdk::variance_after_division;
  Rational (*chebyshev_bound)(const Rational&, const Rational&) = sqrtdk::chebyshev_bound;
  Rational (*min_deviation_probability)(const Rational&, const Rational&,
                                        const Rational&) = sqrtdk::min_deviation_probability;
  Interval<Rational> (*variance_bounds)(std::size_t, const Rational&,
                                        const Rational&) = sqrtdk::variance_bounds;
};

using Mutants = std::vector<Mutant<Rules>>;

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
  judge(variance_is_mean_square_mutants, [](const Rules& rules) {
    for_all([&] {
      const RationalDistribution x = *any_distribution().as("law of X");
      RC_ASSERT(rules.variance_from_mean_square(mean(x), rules.mean_square(x)) ==
                rules.variance(x));
    });
  });
}
//! [VarianceIsMeanSquare]

TEST(VarianceIsMeanSquare, MeanZeroAndVarianceOneGiveMeanSquareOne) {
  judge(variance_is_mean_square_mutants, [](const Rules& rules) {
    for_all([&] {
      const RationalDistribution x = *standardized_distribution().as("law of X");
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
      const RationalDistribution x = *any_distribution().as("law of X");
      const RationalDistribution y = *any_distribution().as("law of Y");
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
    {"means are ignored if the first variance is 1",
     "IsOneForStandardNormalFactors",
     {.product_variance =
          [](const Moments& x, const Moments& y) {
            return x.variance() == 1 ? y.variance() : product_variance(x, y);
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
      const RationalDistribution x = *any_distribution().as("law of X");
      const RationalDistribution y = *any_distribution().as("law of Y");
      RC_ASSERT(variance(rules.product(x, y)) == rules.product_variance(moments(x), moments(y)));
    });
  });
}
//! [IndependentProductVariance]

//! [IndependentProductVariance: exact check]
TEST(IndependentProductVariance, EachTermHasACaseInWhichItStandsAlone) {
  judge(independent_product_variance_mutants, [](const Rules& rules) {
    const auto product_variance_of = [&](const RationalDistribution& x,
                                         const RationalDistribution& y) {
      const Rational by_formula = rules.product_variance(moments(x), moments(y));
      EXPECT_EQ(by_formula, variance(rules.product(x, y)));
      return by_formula;
    };
    const auto three = RationalDistribution::uniform({3});
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
      const RationalDistribution x = *standardized_distribution().as("law of X");
      const RationalDistribution y = *standardized_distribution().as("law of Y");
      RC_ASSERT(variance(rules.product(x, y)) == 1);
      RC_ASSERT(rules.product_variance(moments(x), moments(y)) == 1);
    });
  });
}

TEST(IndependentProductVariance, IsOneForStandardNormalFactors) {
  judge(independent_product_variance_mutants, [](const Rules& rules) {
    // Isserlis' theorem pairs up the factors of E X²Y² and of E XY.
    const Rational mean_square = normal_moment(0, 2, 2);
    const Rational mean = normal_moment(0, 1, 1);
    EXPECT_EQ(mean_square - mean * mean, 1);
    const Moments normal(normal_moment(0, 1, 0), normal_moment(0, 2, 0));
    EXPECT_EQ(rules.product_variance(normal, normal), mean_square - mean * mean);
    // And with means: (3 + X)(5 + 2Y) less its mean 15 is 5X + 6Y + 2XY, three terms without
    // covariances.
    const Rational shifted =
        25 * normal_moment(0, 2, 0) + 36 * normal_moment(0, 0, 2) + 4 * mean_square;
    EXPECT_EQ(rules.product_variance(Moments(3, 1), Moments(5, 4)), shifted);
    enumerated(2);
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

// ----------------------------------------------------------------------------------- VarianceOfSum

const Mutants variance_of_sum_mutants = {
    {"doubled",
     "HoldsForIndependentLaws",
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
     {.sum_of_copies = [](RationalDistribution law,
                          std::size_t count) { return sum_of_copies(std::move(law), count + 1); }}},
    {"one draw multiplied instead of independent copies",
     "TheVarianceOfCopiesIsTheirNumberTimesTheVariance",
     {.sum_of_copies =
          [](RationalDistribution law, std::size_t count) {
            return law.image([=](const Rational& x) { return Rational(x * Rational(count)); });
          }}},
    {"the covariances of two variables are left out",
     "ASignThatDependsOnTheVariableIsNotEnough",
     {.variance_of_dependent_sum = [](const JointLaw& joint) -> Rational {
       if (joint.atoms().front().outcome.size() != 2) return variance_of_dependent_sum(joint);
       return variance(joint.image([](const auto& x) { return x[0]; })) +
              variance(joint.image([](const auto& x) { return x[1]; }));
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
      const RationalDistribution x = *any_distribution().as("law of X");
      const RationalDistribution y = *any_distribution().as("law of Y");
      const RationalDistribution z = *any_distribution().as("law of Z");
      RC_ASSERT(variance(rules.sum(rules.sum(x, y), z)) ==
                rules.variance_of_sum({variance(x), variance(y), variance(z)}));
    });
  });
}
//! [VarianceOfSum]

TEST(VarianceOfSum, UncorrelatedIsEnough) {
  judge(variance_of_sum_mutants, [](const Rules& rules) {
    for_all([&] {
      const RationalDistribution x = *any_distribution().as("law of X");
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

TEST(VarianceOfSum, ASignThatDependsOnTheVariableIsNotEnough) {
  judge(variance_of_sum_mutants, [](const Rules& rules) {
    // X is 0 or 2, and S = X − 1 is a fair sign; SX is X.
    const RationalDistribution x({0, 2}, {Rational(1, 2), Rational(1, 2)});
    EXPECT_EQ(x.image([](const Rational& v) { return Rational(v - 1); }), fair_sign);
    const JointLaw with_its_sign = x.image([](const Rational& v) {
      return std::vector<Rational>{v, (v - 1) * v};
    });
    EXPECT_EQ(rules.variance_of_dependent_sum(with_its_sign), 4);
    EXPECT_EQ(rules.variance_of_sum({1, 1}), 2);
    enumerated(1);
    counterexample_without("uncorrelated");
  });
}

TEST(VarianceOfSum, CountsEveryCovarianceForEveryJointLaw) {
  judge(variance_of_sum_mutants, [](const Rules& rules) {
    for_all([&] {
      const JointLaw joint = *any_joint_distribution().as("joint law");
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
      const RationalDistribution x = *any_distribution().as("law of X");
      const auto count = *rc::gen::inRange<std::size_t>(0, 6).as("number of copies");
      RC_ASSERT(variance(rules.sum_of_copies(x, count)) ==
                rules.variance_of_sum(std::vector<Rational>(count, variance(x))));
    });
  });
}

TEST(VarianceOfSum, AVariablePlusItselfHasFourTimesTheVariance) {
  judge(variance_of_sum_mutants, [](const Rules& rules) {
    for_all([&] {
      const RationalDistribution x = *any_distribution().as("law of X");
      const JointLaw twice = x.image([](const Rational& v) { return std::vector{v, v}; });
      RC_ASSERT(rules.variance_of_dependent_sum(twice) == 4 * variance(x));
    });
    counterexample_without("uncorrelated");
    left_out_by("S1", "uncorrelated");
  });
}

// ---------------------------------------------------------------------------- VarianceUnderScaling

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
     {.variance = [](const RationalDistribution& x) -> Rational {
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
      const RationalDistribution x = *any_distribution().as("law of X");
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
    const Rational before = rules.variance(RationalDistribution::uniform({2, 4, 6}));
    const Rational after = rules.variance(RationalDistribution::uniform({1, 2, 3}));
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

// ------------------------------------------------------------------------ VarianceBoundsDeviations

/// P(|X − E X| ≥ t).
Rational deviation_probability(const RationalDistribution& x, const Rational& t) {
  const Rational centre = mean(x);
  return x.expectation(
      [&](const Rational& v) { return Rational(abs(Rational(v - centre)) >= t ? 1 : 0); });
}

/// The greatest deviation from the mean that a law has.
Rational reach_of(const RationalDistribution& x) {
  const Rational centre = mean(x);
  Rational reach = 0;
  for (const auto& atom : x.atoms())
    reach = std::max(reach, Rational(abs(Rational(atom.outcome - centre))));
  return reach;
}

/// The law on {−t, 0, t} that has a given variance, at most t².
RationalDistribution at_three_points(const Rational& variance, const Rational& t) {
  const Rational p = variance / (t * t);
  return {{-t, 0, t}, {p / 2, 1 - p, p / 2}};
}

const Mutants variance_bounds_deviations_mutants = {
    {"the distance is not squared",
     "FewValuesAreFarOutWhateverTheLaw",
     {.chebyshev_bound = [](const Rational& variance, const Rational& t) -> Rational {
       return std::min(Rational(1), Rational(variance / t));
     }}},
    {"half as much, as if one side were forgotten",
     "AThreePointLawReachesTheBound",
     {.chebyshev_bound = [](const Rational& variance, const Rational& t) -> Rational {
       return chebyshev_bound(variance, t) / 2;
     }}},
    {"twice as much",
     "AThreePointLawReachesTheBound",
     {.chebyshev_bound = [](const Rational& variance, const Rational& t) -> Rational {
       return std::min(Rational(1), Rational(2 * chebyshev_bound(variance, t)));
     }}},
    {"a probability above 1",
     "FewValuesAreFarOutWhateverTheLaw",
     {.chebyshev_bound = [](const Rational& variance, const Rational& t) -> Rational {
       return variance / (t * t);
     }}},
    {"the near values count for nothing",
     "WithinAReachAVarianceNeedsDeviations",
     {.min_deviation_probability = [](const Rational& variance, const Rational&, const Rational& r)
          -> Rational { return variance / (r * r); }}},
    {"the far values count as near",
     "WithinAReachAVarianceNeedsDeviations",
     {.min_deviation_probability = [](const Rational& variance, const Rational& t,
                                      const Rational& r) -> Rational {
       return std::max(Rational(0), Rational((variance - t * t) / (r * r)));
     }}},
    {"a negative probability",
     "WithinAReachAVarianceNeedsDeviations",
     {.min_deviation_probability = [](const Rational& variance, const Rational& t,
                                      const Rational& r) -> Rational {
       return (variance - t * t) / (r * r - t * t);
     }}},
    {"a high variance means that values are far from the average",
     "WithoutAReachAlmostAllValuesCanBeTheAverage",
     {.min_deviation_probability = [](const Rational& variance, const Rational& t, const Rational&)
          -> Rational { return variance > t * t ? Rational(1, 2) : Rational(0); }}},
    {"a distance of 0 is accepted",
     "RefusesWhatIsNoDistance",
     {.chebyshev_bound =
          [](const Rational& variance, const Rational& t) {
            return t == 0 ? Rational(1) : chebyshev_bound(variance, t);
          }}},
    {"a reach below the distance is accepted",
     "RefusesWhatIsNoDistance",
     {.min_deviation_probability =
          [](const Rational& variance, const Rational& t, const Rational& r) {
            return r <= t ? Rational(0) : min_deviation_probability(variance, t, r);
          }}},
    {"a variance beyond the reach is accepted",
     "RefusesWhatIsNoDistance",
     {.min_deviation_probability =
          [](const Rational& variance, const Rational& t, const Rational& r) {
            return min_deviation_probability(std::min(variance, Rational(r * r)), t, r);
          }}},
};

//! [VarianceBoundsDeviations]
TEST(VarianceBoundsDeviations, FewValuesAreFarOutWhateverTheLaw) {
  judge(variance_bounds_deviations_mutants, [](const Rules& rules) {
    for_all([&] {
      const RationalDistribution x = *any_distribution().as("law of X");
      const Rational t = *positive_rational().as("t");
      const Rational bound = rules.chebyshev_bound(variance(x), t);
      RC_ASSERT(deviation_probability(x, t) <= bound);
      RC_ASSERT(bound <= 1);
      RC_ASSERT(bound * t * t <= variance(x));
    });
  });
}
//! [VarianceBoundsDeviations]

TEST(VarianceBoundsDeviations, AThreePointLawReachesTheBound) {
  judge(variance_bounds_deviations_mutants, [](const Rules& rules) {
    for_all([&] {
      const Rational t = *positive_rational().as("t");
      const int percent = *rc::gen::inRange(0, 101).as("percent of values that deviate");
      const RationalDistribution x = at_three_points(t * t * percent / 100, t);
      RC_ASSERT(deviation_probability(x, t) == rules.chebyshev_bound(variance(x), t));
    });
    // With the variance 1/100 at most one value in a hundred is farther than 1 away.
    expect_confirmed("S2", "A low variance means the values stay close to the average",
                     rules.chebyshev_bound(Rational(1, 100), 1) <= Rational(1, 100));
  });
}

//! [VarianceBoundsDeviations: within a reach]
TEST(VarianceBoundsDeviations, WithinAReachAVarianceNeedsDeviations) {
  judge(variance_bounds_deviations_mutants, [](const Rules& rules) {
    for_all([&] {
      // At full size, where laws of a single value are few.
      const RationalDistribution x =
          *rc::gen::resize(rc::kNominalSize, any_distribution()).as("law of X");
      const Rational reach = reach_of(x);
      RC_PRE(reach > 0);
      const Rational t = reach * *rc::gen::inRange(1, 100).as("t in percent of the reach") / 100;
      const Rational least = rules.min_deviation_probability(variance(x), t, reach);
      RC_ASSERT(0 <= least);
      RC_ASSERT(least <= deviation_probability(x, t));
      // No better bound: a share at the reach and the rest just inside t has this in the limit.
      const RationalDistribution near = RationalDistribution::uniform({-t, t});
      const RationalDistribution far = RationalDistribution::uniform({-reach, reach});
      const Rational share = Rational(*rc::gen::inRange(0, 101).as("percent far"), 100);
      const Rational v = share * variance(far) + (1 - share) * variance(near);
      RC_ASSERT(rules.min_deviation_probability(v, t, reach) == share);
    });
  });
}
//! [VarianceBoundsDeviations: within a reach]

TEST(VarianceBoundsDeviations, WithoutAReachAlmostAllValuesCanBeTheAverage) {
  judge(variance_bounds_deviations_mutants, [](const Rules& rules) {
    const Rational million = 1000000;
    for (Rational reach = 10000; reach < million * million; reach *= 10) {
      const RationalDistribution x = at_three_points(million, reach);  // a high variance
      const Rational far = deviation_probability(x, 1);
      EXPECT_EQ(variance(x), million);
      EXPECT_EQ(far, million / (reach * reach));
      EXPECT_LE(rules.min_deviation_probability(million, 1, reach), far);
      enumerated(1);
    }
    counterexample_without("bounded deviations");
    sharpens("S2", "bounded deviations");
  });
}

TEST(VarianceBoundsDeviations, RefusesWhatIsNoDistance) {
  judge(variance_bounds_deviations_mutants, [](const Rules& rules) {
    EXPECT_THROW(rules.chebyshev_bound(1, 0), std::domain_error);
    EXPECT_THROW(rules.chebyshev_bound(-1, 1), std::domain_error);
    EXPECT_THROW(rules.min_deviation_probability(1, 0, 1), std::domain_error);
    EXPECT_THROW(rules.min_deviation_probability(1, 2, 2), std::domain_error);
    EXPECT_THROW(rules.min_deviation_probability(5, 1, 2), std::domain_error);
    EXPECT_THROW(rules.min_deviation_probability(-1, 1, 2), std::domain_error);
  });
}

// ----------------------------------------------------------------------------- RangeBoundsVariance

const Mutants range_bounds_variance_mutants = {
    {"the lower bound of a quarter",
     "HoldsForEveryListOfValues",
     {.variance_bounds =
          [](std::size_t n, const Rational& a, const Rational& b) {
            return Interval<Rational>{variance_bounds(n, a, b).upper,
                                      variance_bounds(n, a, b).upper};
          }}},
    {"the range is not squared",
     "HoldsForEveryListOfValues",
     {.variance_bounds =
          [](std::size_t n, const Rational& a, const Rational& b) {
            return Interval<Rational>{(b - a) / Rational(2 * n), (b - a) / 4};
          }}},
    {"an eighth of the squared range",
     "HoldsForEveryListOfValues",
     {.variance_bounds =
          [](std::size_t n, const Rational& a, const Rational& b) {
            return Interval<Rational>{variance_bounds(n, a, b).lower, (b - a) * (b - a) / 8};
          }}},
    {"one end counts, not both",
     "BothBoundsAreReached",
     {.variance_bounds =
          [](std::size_t n, const Rational& a, const Rational& b) {
            return Interval<Rational>{(b - a) * (b - a) / Rational(4 * n),
                                      variance_bounds(n, a, b).upper};
          }}},
    {"an odd number of values counts as one more",
     "BothBoundsAreReached",
     {.variance_bounds =
          [](std::size_t n, const Rational& a, const Rational& b) {
            return Interval<Rational>{variance_bounds(n + n % 2, a, b).lower,
                                      variance_bounds(n, a, b).upper};
          }}},
    {"the sample variance, divided by n − 1",
     "TheDocumentsTwoClasses",
     {.variance = [](const RationalDistribution& x) -> Rational {
       const Rational n(128);  // the number of students
       return variance(x) * n / (n - 1);
     }}},
    {"half of the squared range",
     "BothBoundsAreReached",
     {.variance_bounds =
          [](std::size_t n, const Rational& a, const Rational& b) {
            return Interval<Rational>{variance_bounds(n, a, b).lower, (b - a) * (b - a) / 2};
          }}},
    {"a wide range always means a high variance",
     "TheDocumentsTwoClasses",
     {.variance_bounds = [](std::size_t, const Rational& a,
                            const Rational& b) { return variance_bounds(2, a, b); }}},
    {"a single value is accepted",
     "RefusesARangeThatIsNone",
     {.variance_bounds =
          [](std::size_t n, const Rational& a, const Rational& b) {
            return variance_bounds(std::max<std::size_t>(n, 2), a, b);
          }}},
    {"the ends may be exchanged",
     "RefusesARangeThatIsNone",
     {.variance_bounds =
          [](std::size_t n, const Rational& a, const Rational& b) {
            return variance_bounds(n, std::min(a, b), std::max(a, b));
          }}},
};

//! [RangeBoundsVariance]
TEST(RangeBoundsVariance, HoldsForEveryListOfValues) {
  judge(range_bounds_variance_mutants, [](const Rules& rules) {
    for_all([&] {
      const auto count = *rc::gen::inRange<std::size_t>(2, 8).as("number of values");
      const auto values =
          *rc::gen::container<std::vector<Rational>>(count, any_rational()).as("values");
      const auto [a, b] = std::minmax_element(values.begin(), values.end());
      const Interval<Rational> bounds = rules.variance_bounds(count, *a, *b);
      const Rational v = variance(RationalDistribution::uniform(values));
      RC_ASSERT(bounds.lower <= v);
      RC_ASSERT(v <= bounds.upper);
    });
  });
}
//! [RangeBoundsVariance]

TEST(RangeBoundsVariance, BothBoundsAreReached) {
  judge(range_bounds_variance_mutants, [](const Rules& rules) {
    for_all([&] {
      const Rational a = *any_rational().as("the least value");
      const Rational b = a + *positive_rational().as("the range");
      const auto count = *rc::gen::inRange<std::size_t>(2, 10).as("number of values");
      const Interval<Rational> bounds = rules.variance_bounds(count, a, b);
      std::vector<Rational> middle(count, (a + b) / 2);
      middle.front() = a;
      middle.back() = b;
      RC_ASSERT(rules.variance(RationalDistribution::uniform(middle)) == bounds.lower);
      // Halves at both ends; with an odd number one value is left over, and the bound is not met.
      std::vector<Rational> ends(count / 2, a);
      ends.resize(count, b);
      const Rational greatest = rules.variance(RationalDistribution::uniform(ends));
      RC_ASSERT((greatest == bounds.upper) == (count % 2 == 0));
      RC_ASSERT(greatest <= bounds.upper);
    });
  });
}

//! [RangeBoundsVariance: exact check]
TEST(RangeBoundsVariance, TheDocumentsTwoClasses) {
  judge(range_bounds_variance_mutants, [](const Rules& rules) {
    const auto narrow = [&](std::size_t students) {
      return rules.variance_bounds(students, 5, Rational(11, 2)).upper;
    };
    const auto wide = [&](std::size_t students) {
      return rules.variance_bounds(students, 3, 7).lower;
    };
    EXPECT_EQ(narrow(30), Rational(1, 16));
    EXPECT_EQ(wide(30), Rational(4, 15));
    for (std::size_t students = 2; students < 128; ++students)
      EXPECT_LT(narrow(students), wide(students)) << students << " students";
    EXPECT_EQ(narrow(128), wide(128));
    std::vector<Rational> in_the_middle(128, 5);
    in_the_middle.front() = 3;
    in_the_middle.back() = 7;
    std::vector<Rational> in_halves(64, 5);
    in_halves.resize(128, Rational(11, 2));
    EXPECT_EQ(rules.variance(RationalDistribution::uniform(in_the_middle)), Rational(1, 16));
    EXPECT_EQ(rules.variance(RationalDistribution::uniform(in_halves)), Rational(1, 16));
    enumerated(129);
    counterexample_without("few values");
  });
}
//! [RangeBoundsVariance: exact check]

TEST(RangeBoundsVariance, RefusesARangeThatIsNone) {
  judge(range_bounds_variance_mutants, [](const Rules& rules) {
    EXPECT_THROW(rules.variance_bounds(1, 0, 1), std::domain_error);
    EXPECT_THROW(rules.variance_bounds(3, 1, 0), std::domain_error);
  });
}

}  // namespace
