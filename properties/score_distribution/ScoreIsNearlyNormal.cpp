// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/distributions/cosine_similarity_distribution.hpp>
#include <sqrtdk/distributions/rademacher_score_distribution.hpp>
#include <sqrtdk/distributions/score_distribution.hpp>
#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/score_dependence.hpp>
#include <sqrtdk/testing/laws/wide.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/exact_types.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>
#include <sqrtdk/testing/reporting/figure_data.hpp>

#include "properties/score_distribution/fixture.hpp"
#include "properties/score_distribution/reference.hpp"

#include <boost/math/constants/constants.hpp>
#include <boost/math/distributions/complement.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <string>
#include <vector>

namespace sqrtdk::properties::ScoreIsNearlyNormal {

using namespace sqrtdk::testing;
using namespace sqrtdk::reference;

/// λ = max z(3 − z²)φ(z)/4, at z² = 3 − √6: what d times the distance to N(0, d) tends to.
double distance_constant() {
  const double square = 3 - std::sqrt(6.0);
  return std::sqrt(square) * (3 - square) / 4 * pdf(boost::math::normal(), std::sqrt(square));
}

/// The lower bound of the page on ln P(X > x) for x ≥ 0: one gamma variable is above x + 1, the
/// other below 1.
double log_tail_floor(double d, double x) {
  return -std::lgamma(d / 2 + 1) - x - 3 - std::log(x + 2) - std::lgamma(d / 2);
}

/// ln P(N(0, d) > x); beyond 30 deviations, where doubles end, the bound φ(z)/z instead.
double normal_log_upper(double d, double x) {
  const double z = x / std::sqrt(d);
  if (z <= 30) return std::log(normal_upper(d, x));
  return -z * z / 2 - std::log(z * constants::root_two_pi<double>());
}

/// ln of the ratio of the two tails, P(X > x) / P(N(0, d) > x); not more than that far out.
double log_tail_ratio(const ScoreFunctions& functions, double d, double x) {
  return functions.log_upper(d, x) - normal_log_upper(d, x);
}

const Mutants score_is_nearly_normal_mutants = {
    {"the distance to the normal law of variance one",
     "TheDistanceIsTheLargestDifference",
     {.normal_distance =
          [](double d) {
            return grid_distance([](double e, double x) { return cdf(Score(e), x); }, d,
                                 [](double, double x) { return normal_lower(1, x); }, d);
          }}},
    {"the difference at one deviation",
     "TheDistanceIsTheLargestDifference",
     {.normal_distance =
          [](double d) { return cdf(Score(d), std::sqrt(d)) - normal_lower(d, std::sqrt(d)); }}},
    {"the distance falls like one over the root",
     "TheDistanceFallsLikeOneOverTheDimension",
     {.normal_distance = [](double d) { return distance_constant() / std::sqrt(d); }}},
    {"the distance of one dimension more",
     "TheDistanceIsTheLargestDifference",
     {.normal_distance = [](double d) { return normal_distance(Score(d + 1)); }}},
    {"one eighth over d",
     "TheDistanceFallsLikeOneOverTheDimension",
     {.normal_distance = [](double d) { return 1 / (8 * d); }}},
    {"the excess kurtosis of one product, whatever d is",
     "TheExcessKurtosisIsSixOverD",
     {.excess_kurtosis = [](double) { return 6.0; }}},
    {"the kurtosis, not its excess",
     "TheExcessKurtosisIsSixOverD",
     {.excess_kurtosis = [](double d) { return kurtosis(Score(d)); }}},
    {"the tail of N(0, d)",
     "BeyondSixDeviationsAScoreOfALargeHeadIsNotNormal",
     {.log_upper = normal_log_upper}},
    {"the tail of a normal law with twice the variance",
     "FarOutTheTailsAreNotNormalAtAnyDimension",
     {.log_upper = [](double d, double x) { return normal_log_upper(2 * d, x); }}},
    {"the hazard of N(0, d)",
     "TheHazardTendsToOne",
     {.hazard = [](double d,
                   double x) { return hazard(boost::math::normal(0, std::sqrt(d)), x); }}},
    {"the hazard is one from the start",
     "TheHazardTendsToOne",
     {.hazard = [](double, double) { return 1.0; }}},
    {"the tail of two dimensions more beside the density",
     "InEvenDimensionsTheHazardIsWithinABoundOfOne",
     {.even_tail = [](unsigned m, const Rational& x) { return reference::even_tail(m + 1, x); }}},
    {"the density of two dimensions less beside the tail",
     "InEvenDimensionsTheHazardIsWithinABoundOfOne",
     {.even_density = [](unsigned m) { return even_density_coefficients(m > 1 ? m - 1 : m); }}},
    {"the distance is halved between four and twenty-five dimensions",
     "TheDistanceIsTheLargestDifference",
     {.normal_distance =
          [](double d) { return normal_distance(Score(d)) / (d > 4 && d < 25 ? 2 : 1); }}},
    {"at 1024 dimensions the tails part by the exponential of the deviations only",
     "FarOutTheTailsAreNotNormalAtAnyDimension",
     {.log_upper =
          [](double d, double x) {
            return d == 1024 ? normal_log_upper(d, x) + x / std::sqrt(d)
                             : logcdf(complement(Score(d), x));
          }}},
    {"the largest of many is at the root of twice their logarithm",
     "TheLargestOfManyScoresIsWhereTheTailsPart",
     {.median_of_largest = [](double d, double n) { return std::sqrt(2 * std::log(n) * d); }}},
    {"the largest of many exceeds its median once in n times",
     "TheLargestOfManyScoresIsWhereTheTailsPart",
     {.median_of_largest = [](double d,
                              double n) { return quantile(complement(Score(d), 1 / n)); }}},
    {"the remainder is taken without its sign",
     "AtSevenDimensionsTheBoundIsNone",
     {.distance_remainder = [](double d) { return std::abs(distance_remainder(d)); }}},
    {"the bound begins at nine dimensions",
     "TheDistanceFallsLikeOneOverTheDimension",
     {.distance_remainder = [](double d) { return d < 9 ? 0 : distance_remainder(d); }}},
    {"normal from the first dimension on",
     "OneDimensionIsNotNear",
     {.normal_distance = [](double d) { return distance_remainder(16 + d); }}},
};

TEST(ScoreIsNearlyNormal, TheDistanceIsTheLargestDifference) {
  check_with_mutants(score_is_nearly_normal_mutants, [](const ScoreFunctions& functions) {
    evidence().rests_on(EvidenceLevel::measured);
    std::vector<double> dimensions{0.5, 1.5, 2.5, 5.75, 10.25, 17.9, 25.99, 64, 250.5, 1e4, 1e9};
    for (int d = 1; d <= 32; ++d) dimensions.push_back(d);
    for (const double d : dimensions) {
      const double distance = functions.normal_distance(d);
      const double root = std::sqrt(d);
      // It is reached where the two densities cross; there the difference has slope 0, so that a
      // rounding of the place does not matter.
      double low = 0;
      double high = 1.5;
      for (int step = 0; step < 60; ++step) {
        const double z = (low + high) / 2;
        (root * functions.pdf(d, z * root) > normal_density(1, z) ? low : high) = z;
      }
      const double x = low * root;
      const Wide z = Wide(x) / sqrt(Wide(2) * d);
      const Wide reached = point_at(d, x).central - erf(z) / 2;
      expect_within(static_cast<double>(abs(distance - reached)) / epsilon, 2,
                    "d = " + exact_text(d));
      // And nowhere is it more.
      for (double deviations = 0x1p-6; deviations < 8; deviations += 0x1p-6)
        EXPECT_LE(std::abs(functions.central(d, deviations * root) -
                           std::erf(deviations / constants::root_two<double>()) / 2),
                  distance + 4 * epsilon)
            << place(d, deviations * root);
    }
    enumerated(dimensions.size() * 511);
  });
}

//! [ScoreIsNearlyNormal]
TEST(ScoreIsNearlyNormal, TheDistanceFallsLikeOneOverTheDimension) {
  check_statement(score_is_nearly_normal_mutants, [](const ScoreFunctions& functions) {
    evidence().rests_on(EvidenceLevel::measured);
    const auto is_within = [&](double d) {
      const double error = std::abs(functions.normal_distance(d) - distance_constant() / d);
      // The distance has an error of 2 epsilons, which was measured; 2 more are for λ/d, which is
      // at most 1/30, and for the difference.
      const double bound = functions.distance_remainder(d) + 4 * epsilon;
      evidence().worst(error, bound);
      return error <= bound;
    };
    for (const double d : {std::nextafter(8.0, 9.0), 8.125, 8.5, 9.0}) {
      EXPECT_TRUE(is_within(d)) << "d = " << exact_text(d);
      enumerated(1);
    }
    for_all([&] { RC_ASSERT(is_within(8 + *any_dimension().as("d - 8"))); });
    const auto seven_places = [](double value) { return format_fixed(value, 7); };
    record_value("main_term_at_64", seven_places(distance_constant() / 64));
    record_value("third_term_at_64", seven_places(third_term_bound(64)));
    record_value("fourth_term_at_64", seven_places(distance_remainder(64) - third_term_bound(64)));
    record_value("error_at_64",
                 seven_places(std::abs(functions.normal_distance(64) - distance_constant() / 64)));
    record_value("constant", format_significant(distance_constant(), 5));
    record_value("at_64", format_significant(functions.normal_distance(64), 3));
    record_value("at_1", format_significant(functions.normal_distance(1), 4));
    std::vector<std::vector<double>> densities;  // in units of the deviation
    for (int i = -80; i <= 80; ++i) {
      const double z = i / 20.0;
      densities.push_back({z});
      for (const double d : {1.0, 2.0, 64.0})
        densities.back().push_back(
            d == 1 && i == 0 ? infinity : std::sqrt(d) * pdf(Score(d), z * std::sqrt(d)));
      densities.back().push_back(normal_density(1, z));
    }
    write_figure_data("score_distribution_shape", {"deviations", "d1", "d2", "d64", "normal"},
                      densities);
  });
}
//! [ScoreIsNearlyNormal]

//! [ScoreIsNearlyNormal: exact check]
TEST(ScoreIsNearlyNormal, TheExcessKurtosisIsSixOverD) {
  check_statement(score_is_nearly_normal_mutants, [](const ScoreFunctions& functions) {
    // Fourth cumulants of independent numbers add up, and that of one product is E q⁴ E k⁴ − 3.
    const Rational of_one = normal_moment(0, 4, 4) - 3;
    for (unsigned d = 1; d <= 4096; ++d) {
      const Rational excess = d * of_one / (Rational(d) * d);
      EXPECT_EXACTLY(bits_of(functions.excess_kurtosis(d)) == bits_of(excess.convert_to<double>()))
          << "d = " << d;
    }
    enumerated(4096);
  });
}
//! [ScoreIsNearlyNormal: exact check]

TEST(ScoreIsNearlyNormal, OneDimensionIsNotNear) {
  check_with_mutants(score_is_nearly_normal_mutants, [](const ScoreFunctions& functions) {
    evidence().rests_on(EvidenceLevel::measured);
    EXPECT_GT(functions.normal_distance(1), 0.1);
    EXPECT_LT(functions.normal_distance(64), 0.0022);
    EXPECT_EQ(functions.excess_kurtosis(1), 6);
    enumerated(2);
    counterexample_without("a large head, and typical scores");
  });
}

TEST(ScoreIsNearlyNormal, FarOutTheTailsAreNotNormalAtAnyDimension) {
  check_statement(score_is_nearly_normal_mutants, [](const ScoreFunctions& functions) {
    evidence().rests_on(EvidenceLevel::measured);  // the logarithm of the tail
    for (const double d : {1.0, 2.0, 4.0, 64.0, 1024.0}) {
      double before = 0;
      for (const double z : {4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0}) {
        const double x = z * std::sqrt(d);
        const double ratio = log_tail_ratio(functions, d, x);
        EXPECT_GT(ratio, before) << place(d, x);
        before = ratio;
        // The page's bound grows like x²/2d − x: without limit, at every d.
        const double floor = log_tail_floor(d, x) + x * x / (2 * d) + constants::ln_two<double>();
        EXPECT_GE(ratio, floor) << place(d, x);
      }
    }
    enumerated(5 * 8);
    const auto times = [&](double d, double z) {
      return format_significant(std::exp(log_tail_ratio(functions, d, z * std::sqrt(d))), 3);
    };
    record_value("times_at_two", times(64, 2));
    record_value("times_at_four", times(64, 4));
    record_value("times_at_six", times(64, 6));
    record_value("times_at_ten", times(64, 10));
    record_value("times_of_four_at_nine", times(4, 9));
    record_value("times_of_1024_at_ten", times(1024, 10));
    std::vector<std::vector<double>> ratios;
    for (int i = 0; i <= 200; ++i) {
      const double z = i / 20.0;
      ratios.push_back({z});
      for (const double d : {4.0, 64.0, 1024.0})
        ratios.back().push_back(std::exp(log_tail_ratio(functions, d, z * std::sqrt(d))));
    }
    write_figure_data("score_distribution_tails", {"deviations", "d4", "d64", "d1024"}, ratios);
  });
}

TEST(ScoreIsNearlyNormal, BeyondSixDeviationsAScoreOfALargeHeadIsNotNormal) {
  check_with_mutants(score_is_nearly_normal_mutants, [](const ScoreFunctions& functions) {
    evidence().rests_on(EvidenceLevel::measured);
    for (const double d : {64.0, 1024.0})
      EXPECT_GT(log_tail_ratio(functions, d, 6 * std::sqrt(d)), std::log(1.2)) << "d = " << d;
    enumerated(2);
    counterexample_without("a large head, and typical scores");
  });
}

TEST(ScoreIsNearlyNormal, TheLargestOfManyScoresIsWhereTheTailsPart) {
  check_with_mutants(score_is_nearly_normal_mutants, [](const ScoreFunctions& functions) {
    evidence().rests_on(EvidenceLevel::measured);
    const boost::math::normal normal;
    for (const double n : {512.0, 4096.0}) {
      const double x = functions.median_of_largest(64, n);
      // (1 − S)ⁿ = ½, up to the error of the quantile and two roundings of the probability.
      const Point at = point_at(64, x);
      const auto conditioning = static_cast<double>(1 + x * at.density / at.tail);
      expect_within(error_in_epsilons(-n * at.log_lower, constants::ln_two<Wide>()),
                    score_precision::quantile * conditioning + 2, "n = " + exact_text(n));
      const double root = std::sqrt(2 * std::log(n));
      EXPECT_LT(x / 8, root);
      const double share = -std::expm1(-constants::ln_two<double>() / n);
      const std::string of = "_of_" + std::to_string(static_cast<int>(n));
      record_value("median" + of, format_significant(x / 8, 3));
      record_value("normal_median" + of,
                   format_significant(quantile(complement(normal, share)), 3));
      record_value("root" + of, format_significant(root, 3));
      record_value("times" + of, format_significant(std::exp(log_tail_ratio(functions, 64, x)), 3));
      const double beyond = cdf(complement(normal, root));
      record_value("beyond_root" + of, format_significant(-std::expm1(n * std::log1p(-beyond)), 2));
    }
    enumerated(2);
  });
}

TEST(ScoreIsNearlyNormal, AtSevenDimensionsTheBoundIsNone) {
  check_with_mutants(score_is_nearly_normal_mutants, [](const ScoreFunctions& functions) {
    // d⁴/((d−2)(d−4)(d−6)(d−8)) is no moment of W below d = 8, and the formula's bound is negative.
    evidence().rests_on(EvidenceLevel::measured);
    EXPECT_LT(functions.distance_remainder(7), 0);
    EXPECT_EQ(functions.distance_remainder(8), infinity);
    EXPECT_GT(functions.distance_remainder(9), 1);
    // From here on it says more than that the distance is less than twice its limit.
    EXPECT_GT(functions.distance_remainder(25), distance_constant() / 25);
    EXPECT_LT(functions.distance_remainder(26), distance_constant() / 26);
    record_value("bound_at_nine", format_significant(functions.distance_remainder(9), 3));
    enumerated(5);
    counterexample_without("more than eight dimensions");
  });
}

TEST(ScoreIsNearlyNormal, InEvenDimensionsTheHazardIsWithinABoundOfOne) {
  check_statement(score_is_nearly_normal_mutants, [](const ScoreFunctions& functions) {
    // The tail is e^−x P with a polynomial P of degree m − 1 without negative coefficients, so
    // 1 − f/S = P′/P lies between 0 and (m − 1)/x.
    for (const unsigned m : {1U, 2U, 8U, 32U})
      for (const Rational& x : {Rational(1, 2), Rational(10), Rational(1000), Rational(100000)}) {
        const Rational short_of_one =
            1 - value_at(functions.even_density(m), x) / functions.even_tail(m, x);
        EXPECT_EXACTLY(short_of_one >= 0) << "d = " << 2 * m << ", x = " << x;
        EXPECT_EXACTLY(short_of_one <= (m - 1) / x) << "d = " << 2 * m << ", x = " << x;
      }
    enumerated(16);
  });
}

TEST(ScoreIsNearlyNormal, TheHazardTendsToOne) {
  check_with_mutants(score_is_nearly_normal_mutants, [](const ScoreFunctions& functions) {
    evidence().rests_on(EvidenceLevel::measured);
    // Even d: the tail is e^−x times a polynomial P of degree m − 1, the hazard 1 − P′/P, and
    // 0 ≤ P′/P ≤ (m − 1)/x since no coefficient is negative.
    for (const unsigned m : {1U, 2U, 8U, 32U, 512U})
      for (const double x : {1e1, 1e3, 1e5, 1e7}) {
        const double hazard = functions.hazard(2 * m, x);
        EXPECT_LE(hazard, 1 + score_precision::hazard * epsilon) << place(2 * m, x);
        expect_within(1 - hazard, (m - 1) / x + score_precision::hazard * epsilon, place(2 * m, x));
      }
    // At the mean it is 2 f(0): far below one, and near that of the normal distribution.
    EXPECT_LT(functions.hazard(64, 0), 0.2);
    enumerated(5 * 4);
  });
}

}  // namespace sqrtdk::properties::ScoreIsNearlyNormal
