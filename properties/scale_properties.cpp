// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/numbers/powers.hpp>
#include <sqrtdk/scale.hpp>
#include <sqrtdk/testing/generators/rational_distributions.hpp>
#include <sqrtdk/testing/laws/wide.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/printed.hpp>

#include "properties/support/rational_distributions.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace sqrtdk;
using namespace sqrtdk::testing;

using Vector = std::vector<Rational>;

/// What this chapter's laws judge.
struct Scales {
  RationalDistribution (*dot_product_distribution)(const RationalDistribution&,
                                                   const RationalDistribution&,
                                                   std::size_t) = sqrtdk::dot_product_distribution;
  Rational (*scaled_score_variance)(std::size_t, const Moments&,
                                    const Moments&) = sqrtdk::scaled_score_variance;
  Rational (*variance_after_division)(const Rational&,
                                      const Rational&) = sqrtdk::variance_after_division;
  Rational (*squared_unit_variance_divisor)(const Rational&) =
      sqrtdk::squared_unit_variance_divisor;
  ScalingRule (*constant_scale)(const Rational&) = sqrtdk::constant_scale;
  Rational (*variance_left)(const ScalingRule&, std::size_t) = sqrtdk::variance_left;
  double (*log_variance_left)(const ScalingRule&,
                              const double&) = sqrtdk::log_variance_left<double>;
  double (*log_variance_left_error)(const ScalingRule&,
                                    const double&) = sqrtdk::log_variance_left_error<double>;
  Wide (*far_log_variance_left)(const ScalingRule&, const Wide&) = sqrtdk::log_variance_left<Wide>;
  Limit (*limit_of_variance_left)(const ScalingRule&) = sqrtdk::limit_of_variance_left;
  Rational (*squared_cosine)(const Vector&, const Vector&) = sqrtdk::squared_cosine;
  Rational (*cosine_moment)(std::size_t, unsigned) = sqrtdk::cosine_moment;
  Interval<Rational> (*softmax_weight_bounds)(std::size_t,
                                              const Rational&) = sqrtdk::softmax_weight_bounds;
};

using Mutants = std::vector<Mutant<Scales>>;

// ----------------------------------------------------------------------------- ScaledScoreVariance

/// Cases of a property that convolves laws with up to a thousand outcomes.
constexpr int convolved_cases = 30;

const Mutants scaled_score_variance_mutants = {
    {"no scale",
     "IsOneForStandardizedLawsInEveryDimension",
     {.scaled_score_variance = [](std::size_t d, const Moments& q,
                                  const Moments& k) { return dot_product_variance(d, q, k); }}},
    {"divided by d instead of its root",
     "IsOneForStandardizedLawsInEveryDimension",
     {.scaled_score_variance = [](std::size_t d, const Moments& q, const Moments& k) -> Rational {
       return dot_product_variance(d, q, k) / Rational(d * d);
     }}},
    {"divided by the root of d + 1",
     "IsOneForStandardizedLawsInEveryDimension",
     {.scaled_score_variance = [](std::size_t d, const Moments& q, const Moments& k) -> Rational {
       return dot_product_variance(d, q, k) / Rational(d + 1);
     }}},
    {"σq²σk² is dropped",
     "IsTheProductsVarianceForEveryPairOfLaws",
     {.scaled_score_variance = [](std::size_t d, const Moments& q, const Moments& k) -> Rational {
       return scaled_score_variance(d, q, k) - q.variance() * k.variance();
     }}},
    {"μq²σk² is dropped",
     "IsTheProductsVarianceForEveryPairOfLaws",
     {.scaled_score_variance = [](std::size_t d, const Moments& q, const Moments& k) -> Rational {
       return scaled_score_variance(d, q, k) - q.mean() * q.mean() * k.variance();
     }}},
    {"μk²σq² is dropped",
     "IsTheProductsVarianceForEveryPairOfLaws",
     {.scaled_score_variance = [](std::size_t d, const Moments& q, const Moments& k) -> Rational {
       return scaled_score_variance(d, q, k) - k.mean() * k.mean() * q.variance();
     }}},
    {"the variance is divided by c, not c²",
     "AtPerfectSquaresTheScaledLawItselfHasVarianceOne",
     {.variance_after_division = [](const Rational& variance, const Rational& c) -> Rational {
       return variance / c;
     }}},
    {"queries are used as keys",
     "AtPerfectSquaresTheScaledLawItselfHasVarianceOne",
     {.dot_product_distribution =
          [](const RationalDistribution& q, const RationalDistribution&, std::size_t d) {
            return sum_of_copies(q.image([](const Rational& x) { return Rational(x * x); }), d);
          }}},
    {"one coordinate too many",
     "TheDocumentsCaseOfSixtyFour",
     {.dot_product_distribution =
          [](const RationalDistribution& q, const RationalDistribution& k, std::size_t d) {
            return dot_product_distribution(q, k, d + 1);
          }}},
    {"means are ignored",
     "MeansOfOneLeaveAMeanOfTheRootAndVarianceThree",
     {.scaled_score_variance = [](std::size_t, const Moments& q, const Moments& k) -> Rational {
       return q.variance() * k.variance();
     }}},
    {"variances are ignored",
     "CoordinatesOfVarianceFourLeaveSixteen",
     {.scaled_score_variance = [](std::size_t, const Moments&, const Moments&) -> Rational {
       return 1;
     }}},
    {"independence is lost",
     "EqualQueryAndKeyLeaveAMeanOfTheRoot",
     {.scaled_score_variance = [](std::size_t, const Moments&, const Moments&) -> Rational {
       return 0;
     }}},
    {"a dimension of 0 is accepted",
     "RefusesADimensionOfZero",
     {.scaled_score_variance =
          [](std::size_t d, const Moments& q, const Moments& k) {
            return d == 0 ? Rational(0) : scaled_score_variance(d, q, k);
          }}},
};

//! [ScaledScoreVariance]
TEST(ScaledScoreVariance, IsOneForStandardizedLawsInEveryDimension) {
  judge(scaled_score_variance_mutants, [](const Scales& scales) {
    for_all(
        [&] {
          const RationalDistribution q = *standardized_distribution().as("law of each q");
          const RationalDistribution k = *standardized_distribution().as("law of each k");
          const std::size_t d = *dimension(3).as("d");
          const RationalDistribution score = scales.dot_product_distribution(q, k, d);
          RC_ASSERT(mean(score) == 0);
          // Var(X / √d) = Var X / d, without a root.
          RC_ASSERT(variance(score) / Rational(d) == 1);
          RC_ASSERT(scales.scaled_score_variance(d, moments(q), moments(k)) == 1);
        },
        convolved_cases);
  });
}
//! [ScaledScoreVariance]

TEST(ScaledScoreVariance, IsTheProductsVarianceForEveryPairOfLaws) {
  judge(scaled_score_variance_mutants, [](const Scales& scales) {
    for_all([&] {
      const RationalDistribution q = *any_distribution().as("law of each q");
      const RationalDistribution k = *any_distribution().as("law of each k");
      const std::size_t d = *dimension(1000000).as("d");
      RC_ASSERT(scales.scaled_score_variance(d, moments(q), moments(k)) == variance(product(q, k)));
    });
  });
}

//! [ScaledScoreVariance: exact check]
TEST(ScaledScoreVariance, AtPerfectSquaresTheScaledLawItselfHasVarianceOne) {
  judge(scaled_score_variance_mutants, [](const Scales& scales) {
    for_all(
        [&] {
          const RationalDistribution q = *standardized_distribution().as("law of each q");
          const RationalDistribution k = *standardized_distribution().as("law of each k");
          const std::size_t root = *dimension(2).as("root of d");
          const RationalDistribution score = scales.dot_product_distribution(q, k, root * root);
          const RationalDistribution scaled =
              score.image([&](const Rational& x) { return Rational(x / Rational(root)); });
          RC_ASSERT(mean(scaled) == 0);
          RC_ASSERT(variance(scaled) == 1);
          RC_ASSERT(scales.variance_after_division(variance(score), Rational(root)) == 1);
        },
        convolved_cases);
  });
}
//! [ScaledScoreVariance: exact check]

TEST(ScaledScoreVariance, TheDocumentsCaseOfSixtyFour) {
  judge(scaled_score_variance_mutants, [](const Scales& scales) {
    const RationalDistribution score = scales.dot_product_distribution(fair_sign, fair_sign, 64);
    expect_printed("S3", "64", variance(score));
    expect_printed("S3", "1", scales.variance_after_division(variance(score), 8));
    enumerated(1);
  });
}

TEST(ScaledScoreVariance, MeansOfOneLeaveAMeanOfTheRootAndVarianceThree) {
  judge(scaled_score_variance_mutants, [](const Scales& scales) {
    const RationalDistribution zero_or_two({0, 2}, {Rational(1, 2), Rational(1, 2)});
    for (const std::size_t root : {1U, 2U, 3U, 4U, 5U}) {
      const RationalDistribution score =
          scales.dot_product_distribution(zero_or_two, zero_or_two, root * root);
      EXPECT_EQ(mean(score) / Rational(root), Rational(root));
      EXPECT_EQ(
          scales.scaled_score_variance(root * root, moments(zero_or_two), moments(zero_or_two)), 3);
    }
    enumerated(5);
    counterexample_without("mean zero");
  });
}

TEST(ScaledScoreVariance, CoordinatesOfVarianceFourLeaveSixteen) {
  judge(scaled_score_variance_mutants, [](const Scales& scales) {
    EXPECT_EQ(scales.scaled_score_variance(64, Moments(0, 4), Moments(0, 4)), 16);
    counterexample_without("unit variance");
  });
}

TEST(ScaledScoreVariance, EqualQueryAndKeyLeaveAMeanOfTheRoot) {
  judge(scaled_score_variance_mutants, [](const Scales& scales) {
    const auto square = fair_sign.image([](const Rational& x) { return Rational(x * x); });
    const RationalDistribution score = sum_of_copies(square, 64);
    EXPECT_EQ(mean(score) / 8, 8);
    EXPECT_EQ(variance(score), 0);
    EXPECT_EQ(scales.scaled_score_variance(64, moments(fair_sign), moments(fair_sign)), 1);
    counterexample_without("independent");
  });
}

TEST(ScaledScoreVariance, RefusesADimensionOfZero) {
  judge(scaled_score_variance_mutants, [](const Scales& scales) {
    EXPECT_THROW(scales.scaled_score_variance(0, Moments(0, 1), Moments(0, 1)), std::domain_error);
  });
}

// ----------------------------------------------------------------------- UnitVarianceScaleIsUnique

const Mutants unit_variance_scale_is_unique_mutants = {
    {"the divisor itself instead of its square",
     "ADivisorServesExactlyIfItsSquareIsTheVariance",
     {.squared_unit_variance_divisor = [](const Rational& variance) -> Rational {
       return variance * variance;
     }}},
    {"doubled",
     "ADivisorServesExactlyIfItsSquareIsTheVariance",
     {.squared_unit_variance_divisor = [](const Rational& variance) -> Rational {
       return 2 * variance;
     }}},
    {"the variance is divided by c, not c²",
     "ADivisorServesExactlyIfItsSquareIsTheVariance",
     {.variance_after_division = [](const Rational& variance, const Rational& c) -> Rational {
       return variance / c;
     }}},
    {"large divisors count as 1",
     "AGreaterDivisorLeavesAStrictlySmallerVariance",
     {.variance_after_division = [](const Rational& variance, const Rational& c) -> Rational {
       return c * c > variance ? Rational(variance / 2) : variance_after_division(variance, c);
     }}},
    {"the whole part of the root serves",
     "BetweenPerfectSquaresNoWholeNumberServes",
     {.variance_after_division = [](const Rational& variance, const Rational& c) -> Rational {
       const bool near = c * c < variance && variance < (c + 1) * (c + 1);
       return near && variance > 1 ? Rational(1) : variance_after_division(variance, c);
     }}},
    {"a variance of 0 is accepted",
     "NoDivisorServesAVarianceOfZero",
     {.squared_unit_variance_divisor = [](const Rational& variance) -> Rational {
       return variance == 0 ? Rational(1) : squared_unit_variance_divisor(variance);
     }}},
    {"negative divisors are refused",
     "TheNegativeRootServesAsWell",
     {.variance_after_division = [](const Rational& variance, const Rational& c) -> Rational {
       return c < 0 ? Rational(0) : variance_after_division(variance, c);
     }}},
};

//! [UnitVarianceScaleIsUnique]
TEST(UnitVarianceScaleIsUnique, ADivisorServesExactlyIfItsSquareIsTheVariance) {
  judge(unit_variance_scale_is_unique_mutants, [](const Scales& scales) {
    for_all([&] {
      const Rational c = *positive_rational().as("c");
      const bool should_serve = *rc::gen::element(true, false).as("c² is the variance");
      const Rational variance = should_serve ? Rational(c * c) : *positive_rational().as("Var X");
      RC_ASSERT((scales.variance_after_division(variance, c) == 1) ==
                (c * c == scales.squared_unit_variance_divisor(variance)));
    });
  });
}
//! [UnitVarianceScaleIsUnique]

TEST(UnitVarianceScaleIsUnique, AGreaterDivisorLeavesAStrictlySmallerVariance) {
  judge(unit_variance_scale_is_unique_mutants, [](const Scales& scales) {
    for_all([&] {
      const Rational variance = *positive_rational().as("Var X");
      const Rational c = *positive_rational().as("c");
      const Rational more = *positive_rational().as("how much greater");
      RC_ASSERT(scales.variance_after_division(variance, c + more) <
                scales.variance_after_division(variance, c));
    });
  });
}

TEST(UnitVarianceScaleIsUnique, BetweenPerfectSquaresNoWholeNumberServes) {
  judge(unit_variance_scale_is_unique_mutants, [](const Scales& scales) {
    for (unsigned root = 1; root <= 32; ++root)
      for (unsigned d = root * root + 1; d < (root + 1) * (root + 1); ++d) {
        EXPECT_GT(scales.variance_after_division(d, root), 1);
        EXPECT_LT(scales.variance_after_division(d, root + 1), 1);
      }
    enumerated(33 * 33 - 33);
  });
}

TEST(UnitVarianceScaleIsUnique, NoDivisorServesAVarianceOfZero) {
  judge(unit_variance_scale_is_unique_mutants, [](const Scales& scales) {
    EXPECT_THROW(scales.squared_unit_variance_divisor(0), std::domain_error);
    EXPECT_EQ(scales.variance_after_division(0, 5), 0);
    counterexample_without("positive variance");
  });
}

TEST(UnitVarianceScaleIsUnique, TheNegativeRootServesAsWell) {
  judge(unit_variance_scale_is_unique_mutants, [](const Scales& scales) {
    EXPECT_EQ(scales.variance_after_division(64, -8), 1);
    counterexample_without("positive divisor");
  });
}

// ------------------------------------------------------------------------------- AlternativeScales

rc::Gen<Rational> half_integer(int least, int most) {
  return rc::gen::map(rc::gen::inRange(2 * least, 2 * most + 1),
                      [](int twice) { return Rational(twice, 2); });
}

/// Exponents that are multiples of ½, at most 5 in absolute value, and factors from 1/100 to 100.
rc::Gen<ScalingRule> any_rule() {
  const auto often_zero = [](const Rational& usual) {
    return rc::gen::weightedOneOf<Rational>({{1, rc::gen::just(usual)}, {1, half_integer(-5, 5)}});
  };
  const auto factor =
      rc::gen::map(rc::gen::pair(rc::gen::inRange(1, 101), rc::gen::inRange(1, 101)),
                   [](const std::pair<int, int>& f) { return Rational(f.first, f.second); });
  return rc::gen::build<ScalingRule>(rc::gen::set(&ScalingRule::factor, factor),
                                     rc::gen::set(&ScalingRule::power, often_zero(Rational(1, 2))),
                                     rc::gen::set(&ScalingRule::log_power, often_zero(0)),
                                     rc::gen::set(&ScalingRule::pi_rate, often_zero(0)));
}

/// ln(d/c(d)²) at ln d, to fifty digits.
Wide exact_log_variance_left(const ScalingRule& rule, const Wide& log_d) {
  Wide result = static_cast<Wide>(1 - 2 * rule.power) * log_d;
  if (rule.log_power != 0) result -= static_cast<Wide>(2 * rule.log_power) * log(log_d);
  if (rule.pi_rate != 0)
    result -= static_cast<Wide>(2 * rule.pi_rate) * boost::math::constants::pi<Wide>() * exp(log_d);
  return result - 2 * log(static_cast<Wide>(rule.factor));
}

/// Whether a double is within a bound of what it stands for; notes how near it comes.
bool within(double computed, const Wide& exact, double bound) {
  const double error = Wide(abs(computed - exact)).convert_to<double>();
  evidence().weaken(Grade::bounded);
  evidence().worst(error, bound);
  return error <= bound;
}

/// Whether the logarithm at the double nearest to ln d is within the bound of the page.
bool within_at_dimension(const Scales& scales, const ScalingRule& rule, std::size_t d,
                         const Wide& exact) {
  const double log_d = std::log(static_cast<double>(d));
  // What becomes of the rounding of ln d itself.
  const double slope = std::abs((1 - 2 * rule.power).convert_to<double>()) * log_d +
                       2 * std::abs(rule.log_power.convert_to<double>()) +
                       2 * boost::math::constants::pi<double>() *
                           std::abs(rule.pi_rate.convert_to<double>()) * static_cast<double>(d) *
                           log_d;
  return within(
      scales.log_variance_left(rule, log_d), exact,
      scales.log_variance_left_error(rule, log_d) + std::numeric_limits<double>::epsilon() * slope);
}

/// Rules with numbers from 10^-30 to 10^30, many of which leave a term out.
rc::Gen<ScalingRule> any_rule_in_range() {
  const auto often = [](const Rational& usual) {
    return rc::gen::weightedOneOf<Rational>({{1, rc::gen::just(usual)}, {1, any_rational()}});
  };
  return rc::gen::build<ScalingRule>(rc::gen::set(&ScalingRule::factor, positive_rational()),
                                     rc::gen::set(&ScalingRule::power, often(Rational(1, 2))),
                                     rc::gen::set(&ScalingRule::log_power, often(0)),
                                     rc::gen::set(&ScalingRule::pi_rate, often(0)));
}

/// The largest ln d, and size of a number of a rule, that log_variance_left() takes in doubles.
const double largest_log_dimension = std::ldexp(1.0, 508);

/// Logarithms of dimensions: ordinary, near 1, at the ends of what is allowed, and about where e^L
/// overflows.
rc::Gen<double> any_log_dimension() {
  const auto ordinary = rc::gen::map(rc::gen::inRange(1, 40000), [](int x) { return x / 997.0; });
  const auto near_overflow =
      rc::gen::map(rc::gen::inRange(6000, 8000), [](int x) { return x / 10.0; });
  const auto edge = rc::gen::element(
      std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::min(), 1.0,
      std::nextafter(1., 0.), std::nextafter(1., 2.), 1e100, largest_log_dimension);
  return rc::gen::oneOf(ordinary, near_overflow, edge);
}

const Mutants alternative_scales_mutants = {
    {"the divisor is not squared",
     "EachScaleOfTheDocumentsLeavesItsVariance",
     {.variance_left = [](const ScalingRule& rule, std::size_t d) -> Rational {
       const ScalingRule root{.factor = rule.factor, .power = rule.power / 2};
       return variance_left(root, d) * rule.factor;
     }}},
    {"the constant is ignored",
     "EachScaleOfTheDocumentsLeavesItsVariance",
     {.variance_left = [](const ScalingRule& rule, std::size_t d) -> Rational {
       return variance_left(ScalingRule{.power = rule.power}, d);
     }}},
    {"the score is taken to have variance 1",
     "EachScaleOfTheDocumentsLeavesItsVariance",
     {.variance_left = [](const ScalingRule& rule, std::size_t d) -> Rational {
       return variance_left(rule, d) / Rational(d);
     }}},
    {"the logarithm's power is ignored",
     "OnlyMultiplesOfTheRootHaveAPositiveLimit",
     {.limit_of_variance_left =
          [](const ScalingRule& rule) {
            return limit_of_variance_left({.power = rule.power, .pi_rate = rule.pi_rate});
          }}},
    {"the exponential's rate is ignored",
     "OnlyMultiplesOfTheRootHaveAPositiveLimit",
     {.limit_of_variance_left =
          [](const ScalingRule& rule) {
            return limit_of_variance_left({.power = rule.power, .log_power = rule.log_power});
          }}},
    {"the variance is compared with d² instead of d",
     "OnlyMultiplesOfTheRootHaveAPositiveLimit",
     {.limit_of_variance_left =
          [](const ScalingRule& rule) {
            ScalingRule halved = rule;
            halved.power -= Rational(1, 2);
            return limit_of_variance_left(halved);
          }}},
    {"a power beats the exponential",
     "TheVarianceGoesToItsLimitBeyondEveryBound",
     {.limit_of_variance_left =
          [](const ScalingRule& rule) {
            if (rule.power > Rational(1, 2)) return Limit::zero;
            if (rule.power < Rational(1, 2)) return Limit::infinite;
            return limit_of_variance_left(rule);
          }}},
    {"zero and infinity are exchanged",
     "TheVarianceGoesToItsLimitBeyondEveryBound",
     {.limit_of_variance_left =
          [](const ScalingRule& rule) {
            const Limit limit = limit_of_variance_left(rule);
            if (limit == Limit::positive) return limit;
            return limit == Limit::zero ? Limit::infinite : Limit::zero;
          }}},
    {"the constant's logarithm is not doubled",
     "AMultipleOfTheRootLeavesOneOverItsSquare",
     {.log_variance_left = [](const ScalingRule& rule, const double& log_d) -> double {
       return log_variance_left(rule, log_d) + std::log(rule.factor.convert_to<double>());
     }}},
    {"the power is not doubled",
     "BothFormsOfTheVarianceAgree",
     {.log_variance_left = [](const ScalingRule& rule, const double& log_d) -> double {
       return log_variance_left(rule, log_d) + rule.power.convert_to<double>() * log_d;
     }}},
    {"the exponential's π is forgotten",
     "TheExponentialLeavesDTimesItsSquaredInverse",
     {.log_variance_left = [](const ScalingRule& rule, const double& log_d) -> double {
       return log_variance_left(ScalingRule{.power = rule.power}, log_d) -
              2 * rule.pi_rate.convert_to<double>() * std::exp(log_d);
     }}},
    {"ln d is not squared",
     "TheLogarithmLeavesLeastAtTheSquareOfE",
     {.log_variance_left = [](const ScalingRule& rule, const double& log_d) -> double {
       return log_variance_left(rule, log_d) +
              rule.log_power.convert_to<double>() * std::log(log_d);
     }}},
    {"e^L overflows before a small rate is multiplied to it",
     "IsWithinItsBoundAtEveryDimension",
     {.log_variance_left = [](const ScalingRule& rule, const double& log_d) -> double {
       const ScalingRule rest{
           .factor = rule.factor, .power = rule.power, .log_power = rule.log_power};
       return log_variance_left(rest, log_d) -
              (rule.pi_rate == 0 ? 0
                                 : 2 * rule.pi_rate.convert_to<double>() *
                                       boost::math::constants::pi<double>() * std::exp(log_d));
     }}},
    {"the logarithm of ln d is computed in single precision",
     "IsWithinItsBoundAtEveryDimension",
     {.log_variance_left = [](const ScalingRule& rule, const double& log_d) -> double {
       const ScalingRule rest{.factor = rule.factor, .power = rule.power, .pi_rate = rule.pi_rate};
       return log_variance_left(rest, log_d) -
              (rule.log_power == 0 ? 0
                                   : 2 * rule.log_power.convert_to<double>() *
                                         static_cast<double>(std::log(static_cast<float>(log_d))));
     }}},
    {"the bound forgets the term with e^L",
     "IsWithinItsBoundAtEveryDimension",
     {.log_variance_left_error = [](const ScalingRule& rule, const double& log_d) -> double {
       return log_variance_left_error(
           {.factor = rule.factor, .power = rule.power, .log_power = rule.log_power}, log_d);
     }}},
    {"the bound forgets that the factor is rounded",
     "IsWithinItsBoundAtEveryDimension",
     {.log_variance_left_error = [](const ScalingRule& rule, const double& log_d) -> double {
       return log_variance_left_error(rule, log_d) - 7 * std::numeric_limits<double>::epsilon();
     }}},
    {"the bound is that of fifty digits",
     "ALooseLogarithmOrExponentialBreaksTheBound",
     {.log_variance_left_error = [](const ScalingRule& rule, const double& log_d) -> double {
       return log_variance_left_error<Wide>(rule, log_d).convert_to<double>();
     }}},
    {"c(1) = 0 is taken for 1",
     "TheLogarithmOfOneIsNoDivisor",
     {.log_variance_left =
          [](const ScalingRule& rule, const double& log_d) {
            return log_d == 0 ? 0 : log_variance_left(rule, log_d);
          }}},
    {"a divisor of 0 is accepted",
     "RefusesWhatIsNoScale",
     {.constant_scale = [](const Rational& divisor) { return ScalingRule{.factor = divisor}; }}},
    {"a dimension of 0 is accepted",
     "RefusesWhatIsNoScale",
     {.variance_left =
          [](const ScalingRule& rule, std::size_t d) {
            return d == 0 ? Rational(0) : variance_left(rule, d);
          }}},
    {"a negative ln d is accepted",
     "RefusesWhatIsNoScale",
     {.log_variance_left =
          [](const ScalingRule& rule, const double& log_d) {
            return log_d < 0 ? 0 : log_variance_left(rule, log_d);
          }}},
    {"a ln d without limit is accepted",
     "RefusesWhatIsNoScale",
     {.log_variance_left =
          [](const ScalingRule& rule, const double& log_d) {
            return log_variance_left(rule, log_d > largest_log_dimension ? 1 : log_d);
          }}},
    {"a factor below zero is accepted",
     "RefusesWhatIsNoScale",
     {.variance_left =
          [](const ScalingRule& rule, std::size_t d) {
            ScalingRule positive = rule;
            if (rule.factor < 0) positive.factor = -rule.factor;
            return variance_left(positive, d);
          }}},
    {"a logarithm is left out of the rational form",
     "RefusesWhatIsNoScale",
     {.variance_left =
          [](const ScalingRule& rule, std::size_t d) {
            return variance_left({.factor = rule.factor, .power = rule.power}, d);
          }}},
};

//! [AlternativeScales]
TEST(AlternativeScales, EachScaleOfTheDocumentsLeavesItsVariance) {
  judge(alternative_scales_mutants, [](const Scales& scales) {
    for (std::size_t i = 1; i <= 512; ++i) {
      const Rational d(i);
      EXPECT_EQ(scales.variance_left(unscaled, i), d);
      EXPECT_EQ(scales.variance_left(scales.constant_scale(2), i), d / 4);
      EXPECT_EQ(scales.variance_left(scales.constant_scale(10), i), d / 100);
      EXPECT_EQ(scales.variance_left(root_scale, i), 1);
      EXPECT_EQ(scales.variance_left(linear_scale, i), 1 / d);
      EXPECT_EQ(scales.variance_left(fifth_power_scale, i) * d * d * d * d * d * d * d * d * d, 1);
    }
    enumerated(6 * 512);
  });
}
//! [AlternativeScales]

TEST(AlternativeScales, OnlyMultiplesOfTheRootHaveAPositiveLimit) {
  judge(alternative_scales_mutants, [](const Scales& scales) {
    for_all([&] {
      const ScalingRule rule = *any_rule().as("rule");
      const int m = *rc::gen::inRange(100, 100000).as("ln ln d");
      const bool is_multiple_of_the_root =
          rule.power == Rational(1, 2) && rule.log_power == 0 && rule.pi_rate == 0;
      // What the exponents say, what the computed variance does, and what the function says of it.
      const bool stays = abs(scales.far_log_variance_left(rule, exp(Wide(m)))) < 10;
      RC_ASSERT(stays == is_multiple_of_the_root);
      RC_ASSERT((scales.limit_of_variance_left(rule) == Limit::positive) == stays);
    });
  });
}

TEST(AlternativeScales, TheVarianceGoesToItsLimitBeyondEveryBound) {
  judge(alternative_scales_mutants, [](const Scales& scales) {
    const auto goes_to_its_limit = [&](const ScalingRule& rule, int m) {
      // The page shows that ln(variance) is more than m − 10 away from 0 at ln d = eᵐ.
      const Wide bound = m - 10;
      const Wide log_variance = scales.far_log_variance_left(rule, exp(Wide(m)));
      switch (scales.limit_of_variance_left(rule)) {
        case Limit::zero:
          return log_variance <= -bound;
        case Limit::infinite:
          return log_variance >= bound;
        case Limit::positive:
          return abs(log_variance) < bound;
      }
      return false;
    };
    // The slowest of all: the root of the logarithm, with the factor that works against it.
    const ScalingRule slowest_to_zero{
        .factor = Rational(1, 100), .power = Rational(1, 2), .log_power = Rational(1, 2)};
    const ScalingRule slowest_to_infinity{
        .factor = 100, .power = Rational(1, 2), .log_power = Rational(-1, 2)};
    for (const int m : {100, 101, 1000, 99999}) {
      EXPECT_TRUE(goes_to_its_limit(slowest_to_zero, m)) << "ln ln d = " << m;
      EXPECT_TRUE(goes_to_its_limit(slowest_to_infinity, m)) << "ln ln d = " << m;
    }
    enumerated(8);
    for_all([&] {
      const ScalingRule rule = *any_rule().as("rule");
      RC_ASSERT(goes_to_its_limit(rule, *rc::gen::inRange(100, 100000).as("ln ln d")));
    });
  });
}

TEST(AlternativeScales, AMultipleOfTheRootLeavesOneOverItsSquare) {
  judge(alternative_scales_mutants, [](const Scales& scales) {
    for_all([&] {
      const Rational factor = (*any_rule().as("rule")).factor;
      const std::size_t d = *dimension(1000000).as("d");
      const ScalingRule rule{.factor = factor, .power = Rational(1, 2)};
      RC_ASSERT(scales.variance_left(rule, d) * factor * factor == 1);
      RC_ASSERT(
          within_at_dimension(scales, rule, d, -log(static_cast<Wide>(Rational(factor * factor)))));
    });
  });
}

TEST(AlternativeScales, BothFormsOfTheVarianceAgree) {
  judge(alternative_scales_mutants, [](const Scales& scales) {
    const auto agree = [&](const ScalingRule& rule, std::size_t d) {
      return within_at_dimension(scales, rule, d,
                                 log(static_cast<Wide>(scales.variance_left(rule, d))));
    };
    EXPECT_TRUE(agree({.power = -5}, 3276));
    for_all([&] {
      const ScalingRule any = *any_rule().as("rule");
      RC_ASSERT(agree({.factor = any.factor, .power = any.power}, *dimension(1000000).as("d")));
    });
  });
}

//! [AlternativeScales: bound]
TEST(AlternativeScales, IsWithinItsBoundAtEveryDimension) {
  judge(alternative_scales_mutants, [](const Scales& scales) {
    const auto is_within = [&](const ScalingRule& rule, double log_d) {
      const Wide exact = exact_log_variance_left(rule, log_d);
      const double computed = scales.log_variance_left(rule, log_d);
      if (std::isinf(computed))  // only if the true value is about as large as a double can be
        return abs(exact) > std::numeric_limits<double>::max() / 2 && (exact > 0) == (computed > 0);
      const double bound = scales.log_variance_left_error(rule, log_d);
      return std::isfinite(bound) && within(computed, exact, bound);
    };
    const Rational tiny = 1 / sqrtdk::testing::ten_to_the_thirtieth();
    const Rational half(1, 2);
    EXPECT_TRUE(is_within({.factor = 1 + tiny, .power = half}, 1));  // rounds to factor 1
    EXPECT_TRUE(is_within({.power = -5, .pi_rate = 1}, largest_log_dimension));
    EXPECT_TRUE(is_within({.power = half, .pi_rate = tiny}, 715));  // e^715 is no double
    EXPECT_TRUE(is_within({.power = half, .pi_rate = 1}, 6));
    EXPECT_TRUE(is_within({.power = half, .log_power = 1}, std::nextafter(1.0, 2.0)));
    enumerated(5);
    for_all([&] {
      const ScalingRule rule = *any_rule_in_range().as("rule");
      RC_ASSERT(is_within(rule, *any_log_dimension().as("ln d")));
    });
  });
}
//! [AlternativeScales: bound]

TEST(AlternativeScales, ALooseLogarithmOrExponentialBreaksTheBound) {
  judge(alternative_scales_mutants, [](const Scales& scales) {
    // The exponential of fifty digits is off by more than a unit in the last place, as its error
    // against a hundred digits shows.
    const Wider epsilon(std::numeric_limits<Wide>::epsilon());
    Wider worst = 0;
    bool broken = false;
    for (int log_d = 1; log_d <= 400; ++log_d) {
      const Wider truth = exp(Wider(log_d));
      worst = std::max<Wider>(worst, abs(Wider(exp(Wide(log_d))) - truth) / (epsilon * truth));
      const Wider computed(scales.far_log_variance_left(exponential_scale, Wide(log_d)));
      const Wider exact = log_d - 2 * boost::math::constants::pi<Wider>() * truth;
      const Wider bound(log_variance_left_error<Wide>(exponential_scale, Wide(log_d)));
      broken = broken || abs(computed - exact) > bound;
      EXPECT_TRUE(within(scales.log_variance_left(exponential_scale, log_d), Wide(exact),
                         scales.log_variance_left_error(exponential_scale, log_d)));
    }
    EXPECT_GT(worst, 1);
    EXPECT_TRUE(broken);
    publish("exponential", worst.str(3));
    enumerated(400);
    counterexample_without("accurate functions");
  });
}

TEST(AlternativeScales, TheExponentialLeavesDTimesItsSquaredInverse) {
  judge(alternative_scales_mutants, [](const Scales& scales) {
    for (unsigned d = 1; d <= 512; ++d) {
      const Wide exponent = 2 * boost::math::constants::pi<Wide>() * d;
      EXPECT_TRUE(within_at_dimension(scales, exponential_scale, d, log(d * exp(-exponent))))
          << "d = " << d;
    }
    enumerated(512);
  });
}

TEST(AlternativeScales, TheLogarithmLeavesLeastAtTheSquareOfE) {
  judge(alternative_scales_mutants, [](const Scales& scales) {
    const Wide least = exp(Wide(2)) / 4;
    EXPECT_TRUE(within(scales.log_variance_left(logarithmic_scale, 2), log(least),
                       scales.log_variance_left_error(logarithmic_scale, 2)));
    double before = scales.log_variance_left(logarithmic_scale, std::log(2.0));
    for (unsigned d = 3; d <= 4096; ++d) {
      const double now = scales.log_variance_left(logarithmic_scale, std::log(d));
      EXPECT_EQ(now < before, d <= 7) << "d = " << d;
      EXPECT_GT(now, log(least)) << "d = " << d;
      before = now;
    }
    publish("least", least.str(5));
    enumerated(4095);
  });
}

TEST(AlternativeScales, TheLogarithmOfOneIsNoDivisor) {
  judge(alternative_scales_mutants, [](const Scales& scales) {
    EXPECT_THROW(scales.log_variance_left(logarithmic_scale, std::log(1.0)), std::domain_error);
    enumerated(1);
    counterexample_without("positive divisor");
  });
}

TEST(AlternativeScales, RefusesWhatIsNoScale) {
  judge(alternative_scales_mutants, [](const Scales& scales) {
    EXPECT_THROW(scales.constant_scale(0), std::domain_error);
    EXPECT_THROW(scales.constant_scale(-2), std::domain_error);
    EXPECT_THROW(scales.variance_left(root_scale, 0), std::domain_error);
    EXPECT_THROW(scales.variance_left(logarithmic_scale, 8), std::domain_error);
    EXPECT_THROW(scales.variance_left({.factor = -1}, 8), std::domain_error);
    EXPECT_THROW(scales.limit_of_variance_left({.factor = 0}), std::domain_error);
    EXPECT_THROW(scales.log_variance_left(root_scale, -1), std::domain_error);
    const double beyond = std::nextafter(largest_log_dimension, 2 * largest_log_dimension);
    EXPECT_THROW(scales.log_variance_left(root_scale, beyond), std::domain_error);
    EXPECT_THROW(scales.log_variance_left(root_scale, std::nan("")), std::domain_error);
    EXPECT_THROW(scales.log_variance_left({.factor = Rational(Integer(1) << 509)}, 1),
                 std::domain_error);
    EXPECT_THROW(scales.log_variance_left(
                     {.power = Rational(1, Integer(1) << 2000) / 2 + Rational(1, 2)}, 1),
                 std::domain_error);
  });
}

// -------------------------------------------------------------------------------- CosineSimilarity

rc::Gen<Vector> nonzero_vector(std::size_t dimension) {
  return rc::gen::suchThat(rc::gen::container<Vector>(dimension, any_rational()),
                           [](const Vector& v) {
                             return std::any_of(v.begin(), v.end(), [](auto& x) { return x != 0; });
                           });
}

/// The mean of cosⁿ over a finite set of directions, for even n.
Rational mean_even_power_of_cosine(const Scales& scales, const std::vector<Vector>& directions,
                                   const Vector& key, unsigned order) {
  Rational total = 0;
  for (const Vector& direction : directions) {
    const Rational square = scales.squared_cosine(direction, key);
    Rational power = 1;
    for (unsigned j = 0; j < order; j += 2) power *= square;
    total += power;
  }
  return total / Rational(directions.size());
}

/// A vector with its coordinates in every order and with every choice of signs.
std::vector<Vector> signed_permutations(const Vector& vector) {
  std::vector<std::size_t> order(vector.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<Vector> result;
  do {
    for (unsigned signs = 0; signs < (1U << vector.size()); ++signs) {
      Vector image;
      for (std::size_t i = 0; i < order.size(); ++i)
        image.push_back((signs >> i & 1U) != 0 ? Rational(-vector[order[i]]) : vector[order[i]]);
      result.push_back(image);
    }
  } while (std::next_permutation(order.begin(), order.end()));
  return result;
}

/// The 240 roots of E8: ±eᵢ ± eⱼ, and (±½, …, ±½) with an even number of minus signs. They are a
/// spherical 7-design: Delsarte, Goethals and Seidel, "Spherical codes and designs" (1977).
std::vector<Vector> roots_of_e8() {
  std::vector<Vector> roots;
  for (unsigned signs = 0; signs < 256; ++signs) {
    if (std::popcount(signs) % 2 == 1) continue;
    Vector root;
    for (unsigned i = 0; i < 8; ++i) root.push_back(Rational((signs >> i & 1U) != 0 ? -1 : 1, 2));
    roots.push_back(root);
  }
  for (std::size_t i = 0; i < 8; ++i)
    for (std::size_t j = i + 1; j < 8; ++j)
      for (const int a : {-1, 1})
        for (const int b : {-1, 1}) {
          Vector root(8, 0);
          root[i] = a;
          root[j] = b;
          roots.push_back(root);
        }
  return roots;
}

/// E (2B − 1)ⁿ for B ~ Beta(a, a), from E Bʲ = Π_{i<j} (a + i) / (2a + i) and the binomial theorem.
Rational symmetric_beta_moment(const Rational& a, unsigned order) {
  Rational total = 0;
  Rational binomial = 1;
  Rational beta_moment = 1;
  for (unsigned j = 0; j <= order; ++j) {
    const Rational sign = (order - j) % 2 == 0 ? 1 : -1;
    total += sign * binomial * Rational(Integer(1) << j) * beta_moment;
    binomial = binomial * Rational(order - j) / Rational(j + 1);
    beta_moment = beta_moment * (a + j) / (2 * a + j);
  }
  return total;
}

const Mutants cosine_similarity_mutants = {
    {"the key's norm is forgotten",
     "IsAtMostOneAndThatOnlyForParallelVectors",
     {.squared_cosine = [](const Vector& q, const Vector& k) -> Rational {
       return dot_product(q, k) * dot_product(q, k) / dot_product(q, q);
     }}},
    {"the query's norm is forgotten",
     "IsAtMostOneAndThatOnlyForParallelVectors",
     {.squared_cosine = [](const Vector& q, const Vector& k) -> Rational {
       return dot_product(q, k) * dot_product(q, k) / dot_product(k, k);
     }}},
    {"halved",
     "IsAtMostOneAndThatOnlyForParallelVectors",
     {.squared_cosine = [](const Vector& q, const Vector& k) -> Rational {
       return squared_cosine(q, k) / 2;
     }}},
    {"the query's norm is that of two coordinates",
     "IsAtMostOneAndThatOnlyForParallelVectors",
     {.squared_cosine = [](const Vector& q, const Vector& k) -> Rational {
       const Vector first(
           q.begin(), q.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(q.size(), 2)));
       return squared_cosine(q, k) * dot_product(q, q) / dot_product(first, first);
     }}},
    {"every vector is parallel",
     "IsAtMostOneAndThatOnlyForParallelVectors",
     {.squared_cosine = [](const Vector&, const Vector&) { return Rational(1); }}},
    {"variance 1/√d at d = 4",
     "AveragesToOneOverTheDimensionOverSignedPermutations",
     {.cosine_moment =
          [](std::size_t d, unsigned n) {
            return d == 4 && n == 2 ? Rational(1, 2) : cosine_moment(d, n);
          }}},
    {"one dimension is lost to the normalization",
     "AveragesToOneOverTheDimensionOverSignedPermutations",
     {.cosine_moment = [](std::size_t d, unsigned n) { return cosine_moment(d - 1, n); }}},
    {"the moments of a normal law of variance 1/d",
     "TheRootsOfE8GiveTheFirstSevenMoments",
     {.cosine_moment =
          [](std::size_t d, unsigned n) {
            if (n % 2 == 1) return Rational(0);
            Rational moment = 1;
            for (unsigned j = 0; j < n; j += 2) moment *= Rational(j + 1) / Rational(d);
            return moment;
          }}},
    {"the seventh moment is the eighth",
     "TheRootsOfE8GiveTheFirstSevenMoments",
     {.cosine_moment = [](std::size_t d, unsigned n) { return cosine_moment(d, n == 7 ? 8 : n); }}},
    {"odd moments are those of the absolute value",
     "AreTheMomentsOfASymmetricBetaLaw",
     {.cosine_moment = [](std::size_t d, unsigned n) { return cosine_moment(d, n + n % 2); }}},
    {"high moments are cut off",
     "AreTheMomentsOfASymmetricBetaLaw",
     {.cosine_moment = [](std::size_t d,
                          unsigned n) { return n > 10 ? Rational(0) : cosine_moment(d, n); }}},
    {"the greatest weight counts one score too many",
     "BoundsEveryWeightAndBothBoundsAreReached",
     {.softmax_weight_bounds =
          [](std::size_t n, const Rational& r) {
            return Interval<Rational>{softmax_weight_bounds(n, r).lower, r / (r + Rational(n))};
          }}},
    {"the least weight counts one score too many",
     "BoundsEveryWeightAndBothBoundsAreReached",
     {.softmax_weight_bounds =
          [](std::size_t n, const Rational& r) {
            return Interval<Rational>{1 / (1 + Rational(n) * r), softmax_weight_bounds(n, r).upper};
          }}},
    {"scores are taken to differ by 1 at most",
     "ForCosinesTheBoundsAreNarrow",
     {.softmax_weight_bounds =
          [](std::size_t n, const Rational& r) {
            return softmax_weight_bounds(n, 1 + (r - 1) / 2);
          }}},
    {"equal vectors are treated as independent",
     "EqualVectorsHaveCosineOne",
     {.squared_cosine =
          [](const Vector& q, const Vector& k) {
            return q == k ? Rational(1) / Rational(q.size()) : squared_cosine(q, k);
          }}},
    {"every pair of directions averages to 1/d",
     "TwoDirectionsOnOneAxisHaveSquaredCosineOne",
     {.squared_cosine =
          [](const Vector& q, const Vector& k) {
            return q.size() > 1 && q[1] == 0 && k[1] == 0 ? Rational(1, 2) : squared_cosine(q, k);
          }}},
    {"a zero vector has cosine 0",
     "RefusesAVectorWithoutDirection",
     {.squared_cosine =
          [](const Vector& q, const Vector& k) {
            return dot_product(q, q) == 0 || dot_product(k, k) == 0 ? Rational(0)
                                                                    : squared_cosine(q, k);
          }}},
    {"no scores at all are accepted",
     "RefusesBoundsWithoutScoresOrRatio",
     {.softmax_weight_bounds =
          [](std::size_t n, const Rational& r) {
            return n == 0 ? Interval<Rational>{0, 1} : softmax_weight_bounds(n, r);
          }}},
    {"a ratio below 1 is accepted",
     "RefusesBoundsWithoutScoresOrRatio",
     {.softmax_weight_bounds =
          [](std::size_t n, const Rational& r) {
            return r < 1 ? Interval<Rational>{0, 1} : softmax_weight_bounds(n, r);
          }}},
    {"a dimension of 0 is accepted",
     "RefusesADimensionOfZero",
     {.cosine_moment = [](std::size_t d,
                          unsigned n) { return d == 0 ? Rational(0) : cosine_moment(d, n); }}},
};

//! [CosineSimilarity]
TEST(CosineSimilarity, IsAtMostOneAndThatOnlyForParallelVectors) {
  judge(cosine_similarity_mutants, [](const Scales& scales) {
    const Vector unit = {1, 0}, value = {Rational(1, 2), 0};
    const Rational squared_by_the_value = 1 / (dot_product(unit, unit) * dot_product(value, value));
    expect_refuted("S1", "|V|", squared_by_the_value <= 1,
                   "|K|: divided by the length of a value, the score of two equal queries and "
                   "keys can be 2");
    for_all([&] {
      const auto d = *rc::gen::inRange<std::size_t>(1, 7).as("d");
      const Vector q = *nonzero_vector(d).as("q");
      const Vector k = *nonzero_vector(d).as("k");
      const Rational square = scales.squared_cosine(q, k);
      bool parallel = true;
      for (std::size_t i = 0; i < d; ++i)
        for (std::size_t j = 0; j < i; ++j) parallel = parallel && q[i] * k[j] == q[j] * k[i];
      RC_ASSERT(square >= 0);
      RC_ASSERT(square <= 1);
      RC_ASSERT((square == 1) == parallel);
      const Rational factor = *nonzero_rational().as("factor");
      Vector multiple;
      for (const Rational& x : q) multiple.push_back(factor * x);
      RC_ASSERT(scales.squared_cosine(q, multiple) == 1);
    });
  });
}

TEST(CosineSimilarity, AveragesToOneOverTheDimensionOverSignedPermutations) {
  judge(cosine_similarity_mutants, [](const Scales& scales) {
    for_all(
        [&] {
          const std::size_t d = *rc::gen::inRange<std::size_t>(2, 5).as("d");
          const Vector q = *nonzero_vector(d).as("q");
          const Vector k = *nonzero_vector(d).as("k");
          RC_ASSERT(mean_even_power_of_cosine(scales, signed_permutations(q), k, 2) ==
                    scales.cosine_moment(d, 2));
          RC_ASSERT(scales.cosine_moment(d, 2) == Rational(1) / Rational(d));
        },
        50);
  });
}
//! [CosineSimilarity]

//! [CosineSimilarity: exact check]
TEST(CosineSimilarity, TheRootsOfE8GiveTheFirstSevenMoments) {
  judge(cosine_similarity_mutants, [](const Scales& scales) {
    const std::vector<Vector> roots = roots_of_e8();
    EXPECT_EQ(roots.size(), 240U);
    for_all(
        [&] {
          const Vector k = *nonzero_vector(8).as("k");
          for (const unsigned order : {2U, 4U, 6U})
            RC_ASSERT(mean_even_power_of_cosine(scales, roots, k, order) ==
                      scales.cosine_moment(8, order));
          // All roots have the norm √2, so that an odd moment is a multiple of Σ(root·k)ⁿ.
          for (const unsigned order : {1U, 3U, 5U, 7U}) {
            Rational total = 0;
            for (const Vector& root : roots) total += integer_power(dot_product(root, k), order);
            RC_ASSERT(total == 0);
            RC_ASSERT(scales.cosine_moment(8, order) == 0);
          }
        },
        20);
    // The eighth moment is beyond what 240 directions can give.
    EXPECT_NE(mean_even_power_of_cosine(scales, roots, roots.front(), 8),
              scales.cosine_moment(8, 8));
  });
}

TEST(CosineSimilarity, AreTheMomentsOfASymmetricBetaLaw) {
  judge(cosine_similarity_mutants, [](const Scales& scales) {
    for (unsigned d = 2; d <= 64; ++d)
      for (unsigned order = 0; order <= 16; ++order)
        EXPECT_EQ(scales.cosine_moment(d, order), symmetric_beta_moment(Rational(d - 1, 2), order))
            << "d = " << d << ", order " << order;
    enumerated(63 * 17);
  });
}
//! [CosineSimilarity: exact check]

TEST(CosineSimilarity, BoundsEveryWeightAndBothBoundsAreReached) {
  judge(cosine_similarity_mutants, [](const Scales& scales) {
    for_all([&] {
      const Rational ratio = 1 + *positive_rational().as("ratio − 1");
      const Vector between = *rc::gen::container<Vector>(positive_rational()).as("others");
      Vector weights = {1, ratio};
      for (const Rational& x : between) weights.push_back((1 + x * ratio) / (1 + x));
      const Rational total = std::accumulate(weights.begin(), weights.end(), Rational(0));
      const Interval<Rational> bounds = scales.softmax_weight_bounds(weights.size(), ratio);
      for (const Rational& weight : weights) {
        RC_ASSERT(bounds.lower <= weight / total);
        RC_ASSERT(weight / total <= bounds.upper);
      }
      // One at an end of the range and all others at the other end.
      const auto share_of_the_first = [&](const Rational& first, const Rational& other) {
        Vector extreme(weights.size(), other);
        extreme.front() = first;
        return Rational(first / std::accumulate(extreme.begin(), extreme.end(), Rational(0)));
      };
      RC_ASSERT(bounds.lower == share_of_the_first(1, ratio));
      RC_ASSERT(bounds.upper == share_of_the_first(ratio, 1));
    });
  });
}

TEST(CosineSimilarity, ForCosinesTheBoundsAreNarrow) {
  judge(cosine_similarity_mutants, [](const Scales& scales) {
    // e² lies between these two: their difference is far below what is printed.
    const Rational e_squared_low = Rational(Integer("738905609893065"), Integer("100000000000000"));
    const Rational e_squared_high =
        Rational(Integer("738905609893066"), Integer("100000000000000"));
    EXPECT_LT(static_cast<Wide>(e_squared_low), exp(Wide(2)));
    EXPECT_LT(exp(Wide(2)), static_cast<Wide>(e_squared_high));
    const Interval<Rational> low = scales.softmax_weight_bounds(512, e_squared_low);
    const Interval<Rational> high = scales.softmax_weight_bounds(512, e_squared_high);
    const Wide greatest = exp(Wide(2)) / (exp(Wide(2)) + 511);
    const Wide least = 1 / (1 + 511 * exp(Wide(2)));
    EXPECT_LE(static_cast<Wide>(low.upper), greatest);
    EXPECT_LE(greatest, static_cast<Wide>(high.upper));
    EXPECT_LE(static_cast<Wide>(high.lower), least);
    EXPECT_LE(least, static_cast<Wide>(low.lower));
    publish("greatest_of_512", greatest.str(3));
    publish("least_of_512", least.str(3));
    enumerated(1);
  });
}

TEST(CosineSimilarity, EqualVectorsHaveCosineOne) {
  judge(cosine_similarity_mutants, [](const Scales& scales) {
    EXPECT_EQ(scales.squared_cosine({1, 2, 3}, {1, 2, 3}), 1);
    EXPECT_EQ(scales.cosine_moment(3, 2), Rational(1, 3));
    counterexample_without("independent");
  });
}

TEST(CosineSimilarity, TwoDirectionsOnOneAxisHaveSquaredCosineOne) {
  judge(cosine_similarity_mutants, [](const Scales& scales) {
    for (const int a : {-1, 1})
      for (const int b : {-1, 1}) EXPECT_EQ(scales.squared_cosine({a, 0}, {b, 0}), 1);
    enumerated(4);
    counterexample_without("uniform direction");
  });
}

TEST(CosineSimilarity, RefusesAVectorWithoutDirection) {
  judge(cosine_similarity_mutants, [](const Scales& scales) {
    EXPECT_THROW(scales.squared_cosine({0, 0}, {1, 0}), std::domain_error);
    EXPECT_THROW(scales.squared_cosine({1, 0}, {0, 0}), std::domain_error);
    counterexample_without("nonzero vectors");
  });
}

TEST(CosineSimilarity, RefusesBoundsWithoutScoresOrRatio) {
  judge(cosine_similarity_mutants, [](const Scales& scales) {
    EXPECT_THROW(scales.softmax_weight_bounds(0, 2), std::domain_error);
    EXPECT_THROW(scales.softmax_weight_bounds(3, Rational(1, 2)), std::domain_error);
  });
}

TEST(CosineSimilarity, RefusesADimensionOfZero) {
  judge(cosine_similarity_mutants,
        [](const Scales& scales) { EXPECT_THROW(scales.cosine_moment(0, 2), std::domain_error); });
}

}  // namespace
