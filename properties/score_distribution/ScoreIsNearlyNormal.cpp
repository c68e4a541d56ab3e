#include <sqrtdk/score/dependence.hpp>

#include "properties/score_distribution/fixture.hpp"

#include <boost/math/constants/constants.hpp>
#include <boost/math/special_functions/gamma.hpp>

namespace sqrtdk::properties::ScoreIsNearlyNormal {

using namespace sqrtdk::reference;

/// λ = max z(3 − z²)φ(z)/4, at z² = 3 − √6: what d times the distance to N(0, d) tends to.
double distance_constant() {
  const double square = 3 - std::sqrt(6.0);
  return std::sqrt(square) * (3 - square) / 4 * pdf(boost::math::normal(), std::sqrt(square));
}

/// The page's lower bound on ln P(X > x), x ≥ 0: one gamma variable above x + 1, the other below 1.
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
double log_tail_ratio(const Subject& subject, double d, double x) {
  return subject.log_upper(d, x) - normal_log_upper(d, x);
}

ASIDE(ScoreIsNearlyNormal, TheDistanceIsTheLargestDifference) {
  evidence().rests_on(EvidenceLevel::measured);
  std::vector<double> dimensions{0.5, 1.5, 2.5, 5.75, 10.25, 17.9, 25.99, 64, 250.5, 1e4, 1e9};
  for (int d = 1; d <= 32; ++d) dimensions.push_back(d);
  for (const double d : dimensions) {
    const double distance = subject.normal_distance(d);
    const double root = std::sqrt(d);
    // Reached where the densities cross, with slope 0: a rounding of the place is harmless.
    double low = 0;
    double high = 1.5;
    for (int step = 0; step < 60; ++step) {
      const double z = (low + high) / 2;
      (root * subject.pdf(d, z * root) > normal_density(1, z) ? low : high) = z;
    }
    const double x = low * root;
    const Wide z = Wide(x) / sqrt(Wide(2) * d);
    const Wide reached = point_at(d, x).central - erf(z) / 2;
    expect_within(static_cast<double>(abs(distance - reached)) / epsilon, 2,
                  "d = " + exact_text(d));
    for (double deviations = 0x1p-6; deviations < 8; deviations += 0x1p-6)
      EXPECT_LE(std::abs(subject.central(d, deviations * root) -
                         std::erf(deviations / constants::root_two<double>()) / 2),
                distance + 4 * epsilon)
          << place(d, deviations * root);
  }
  enumerated(dimensions.size() * 511);
}
KILLS("the distance to the normal distribution of variance one", {.normal_distance = [](double d) {
        return grid_distance([](double e, double x) { return cdf(Score(e), x); }, d,
                             [](double, double x) { return normal_lower(1, x); }, d);
      }});
KILLS("the difference at one deviation", {.normal_distance = [](double d) {
        return cdf(Score(d), std::sqrt(d)) - normal_lower(d, std::sqrt(d));
      }});
KILLS("the distance of one dimension more",
      {.normal_distance = [](double d) { return normal_distance(Score(d + 1)); }});
KILLS("the distance is halved between four and twenty-five dimensions",
      {.normal_distance = [](double d) {
        return normal_distance(Score(d)) / (d > 4 && d < 25 ? 2 : 1);
      }});

//! [ScoreIsNearlyNormal]
STATEMENT(ScoreIsNearlyNormal, TheDistanceFallsLikeOneOverTheDimension) {
  evidence().rests_on(EvidenceLevel::measured);
  const auto is_within = [&](double d) {
    const double error = std::abs(subject.normal_distance(d) - distance_constant() / d);
    // The distance has an error of 2 epsilons, which was measured; 2 more are for λ/d, which is
    // at most 1/30, and for the difference.
    const double bound = subject.distance_remainder(d) + 4 * epsilon;
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
               seven_places(std::abs(subject.normal_distance(64) - distance_constant() / 64)));
  record_value("constant", format_significant(distance_constant(), 5));
  record_value("at_64", format_significant(subject.normal_distance(64), 3));
  record_value("at_1", format_significant(subject.normal_distance(1), 4));
  std::vector<std::vector<double>> densities;  // in units of the deviation
  for (int i = -80; i <= 80; ++i) {
    const double z = i / 20.0;
    densities.push_back({z});
    for (const double d : {1.0, 2.0, 64.0})
      densities.back().push_back(d == 1 && i == 0 ? infinity
                                                  : std::sqrt(d) * pdf(Score(d), z * std::sqrt(d)));
    densities.back().push_back(normal_density(1, z));
  }
  write_figure_data("score_distribution_shape", {"deviations", "d1", "d2", "d64", "normal"},
                    densities);
}
//! [ScoreIsNearlyNormal]
KILLS("the distance falls like one over the root",
      {.normal_distance = [](double d) { return distance_constant() / std::sqrt(d); }});
KILLS("one eighth over d", {.normal_distance = [](double d) { return 1 / (8 * d); }});
KILLS("the bound begins at nine dimensions",
      {.distance_remainder = [](double d) { return d < 9 ? 0 : distance_remainder(d); }});

//! [ScoreIsNearlyNormal: exact check]
STATEMENT(ScoreIsNearlyNormal, TheExcessKurtosisIsSixOverD) {
  // Fourth cumulants of independent numbers add up, and that of one product is E q⁴ E k⁴ − 3.
  const Rational of_one = normal_moment(0, 4, 4) - 3;
  for (unsigned d = 1; d <= 4096; ++d) {
    const Rational excess = d * of_one / (Rational(d) * d);
    EXPECT_EXACTLY(bits_of(subject.excess_kurtosis(d)) == bits_of(excess.convert_to<double>()))
        << "d = " << d;
  }
  enumerated(4096);
}
//! [ScoreIsNearlyNormal: exact check]
KILLS("the excess kurtosis of one product, whatever d is",
      {.excess_kurtosis = [](double) { return 6.0; }});
KILLS("the kurtosis, not its excess",
      {.excess_kurtosis = [](double d) { return kurtosis(Score(d)); }});

ASIDE(ScoreIsNearlyNormal, OneDimensionIsNotNear) {
  evidence().rests_on(EvidenceLevel::measured);
  EXPECT_GT(subject.normal_distance(1), 0.1);
  EXPECT_LT(subject.normal_distance(64), 0.0022);
  EXPECT_EQ(subject.excess_kurtosis(1), 6);
  enumerated(2);
  counterexample_without("a large head, and typical scores");
}
KILLS("normal from the first dimension on",
      {.normal_distance = [](double d) { return distance_remainder(16 + d); }});

STATEMENT(ScoreIsNearlyNormal, FarOutTheTailsAreNotNormalAtAnyDimension) {
  evidence().rests_on(EvidenceLevel::measured);  // the logarithm of the tail
  for (const double d : {1.0, 2.0, 4.0, 64.0, 1024.0}) {
    double before = 0;
    for (const double z : {4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0}) {
      const double x = z * std::sqrt(d);
      const double ratio = log_tail_ratio(subject, d, x);
      EXPECT_GT(ratio, before) << place(d, x);
      before = ratio;
      // The page's bound grows like x²/2d − x: without limit, at every d.
      const double floor = log_tail_floor(d, x) + x * x / (2 * d) + constants::ln_two<double>();
      EXPECT_GE(ratio, floor) << place(d, x);
    }
  }
  enumerated(5 * 8);
  const auto times = [&](double d, double z) {
    return format_significant(std::exp(log_tail_ratio(subject, d, z * std::sqrt(d))), 3);
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
      ratios.back().push_back(std::exp(log_tail_ratio(subject, d, z * std::sqrt(d))));
  }
  write_figure_data("score_distribution_tails", {"deviations", "d4", "d64", "d1024"}, ratios);
}
KILLS("the tail of a normal distribution with twice the variance",
      {.log_upper = [](double d, double x) { return normal_log_upper(2 * d, x); }});
KILLS("at 1024 dimensions the tails part by the exponential of the deviations only",
      {.log_upper = [](double d, double x) {
        return d == 1024 ? normal_log_upper(d, x) + x / std::sqrt(d)
                         : logcdf(complement(Score(d), x));
      }});

ASIDE(ScoreIsNearlyNormal, BeyondSixDeviationsAScoreOfALargeHeadIsNotNormal) {
  evidence().rests_on(EvidenceLevel::measured);
  for (const double d : {64.0, 1024.0})
    EXPECT_GT(log_tail_ratio(subject, d, 6 * std::sqrt(d)), std::log(1.2)) << "d = " << d;
  enumerated(2);
  counterexample_without("a large head, and typical scores");
}
KILLS("the tail of N(0, d)", {.log_upper = normal_log_upper});

ASIDE(ScoreIsNearlyNormal, TheLargestOfManyScoresIsWhereTheTailsPart) {
  evidence().rests_on(EvidenceLevel::measured);
  const boost::math::normal normal;
  for (const double n : {512.0, 4096.0}) {
    const double x = subject.median_of_largest(64, n);
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
    record_value("normal_median" + of, format_significant(quantile(complement(normal, share)), 3));
    record_value("root" + of, format_significant(root, 3));
    record_value("times" + of, format_significant(std::exp(log_tail_ratio(subject, 64, x)), 3));
    const double beyond = cdf(complement(normal, root));
    record_value("beyond_root" + of, format_significant(-std::expm1(n * std::log1p(-beyond)), 2));
  }
  enumerated(2);
}
KILLS("the largest of many is at the root of twice their logarithm",
      {.median_of_largest = [](double d, double n) { return std::sqrt(2 * std::log(n) * d); }});
KILLS("the largest of many exceeds its median once in n times",
      {.median_of_largest = [](double d, double n) {
        return quantile(complement(Score(d), 1 / n));
      }});

ASIDE(ScoreIsNearlyNormal, AtSevenDimensionsTheBoundIsNone) {
  // d⁴/((d−2)(d−4)(d−6)(d−8)) is no moment of W below d = 8, and the formula's bound is negative.
  evidence().rests_on(EvidenceLevel::measured);
  EXPECT_LT(subject.distance_remainder(7), 0);
  EXPECT_EQ(subject.distance_remainder(8), infinity);
  EXPECT_GT(subject.distance_remainder(9), 1);
  // From here on it says more than that the distance is less than twice its limit.
  EXPECT_GT(subject.distance_remainder(25), distance_constant() / 25);
  EXPECT_LT(subject.distance_remainder(26), distance_constant() / 26);
  record_value("bound_at_nine", format_significant(subject.distance_remainder(9), 3));
  enumerated(5);
  counterexample_without("more than eight dimensions");
}
KILLS("the remainder is taken without its sign",
      {.distance_remainder = [](double d) { return std::abs(distance_remainder(d)); }});

STATEMENT(ScoreIsNearlyNormal, InEvenDimensionsTheHazardIsWithinABoundOfOne) {
  // The tail is e^−x P, P of degree m − 1 without negative coefficients: 0 ≤ P′/P ≤ (m − 1)/x.
  for (const unsigned m : {1U, 2U, 8U, 32U})
    for (const Rational& x : {Rational(1, 2), Rational(10), Rational(1000), Rational(100000)}) {
      const Rational short_of_one =
          1 - value_at(subject.even_density(m), x) / subject.even_tail(m, x);
      EXPECT_EXACTLY(short_of_one >= 0) << "d = " << 2 * m << ", x = " << x;
      EXPECT_EXACTLY(short_of_one <= (m - 1) / x) << "d = " << 2 * m << ", x = " << x;
    }
  enumerated(16);
}
KILLS("the tail of two dimensions more beside the density",
      {.even_tail = [](unsigned m, auto& x) { return reference::even_tail(m + 1, x); }});
KILLS("the density of two dimensions less beside the tail",
      {.even_density = [](unsigned m) { return even_density_coefficients(m > 1 ? m - 1 : m); }});

ASIDE(ScoreIsNearlyNormal, TheHazardTendsToOne) {
  evidence().rests_on(EvidenceLevel::measured);
  // Even d: the hazard is 1 − P′/P with 0 ≤ P′/P ≤ (m − 1)/x, as no coefficient is negative.
  for (const unsigned m : {1U, 2U, 8U, 32U, 512U})
    for (const double x : {1e1, 1e3, 1e5, 1e7}) {
      const double hazard = subject.hazard(2 * m, x);
      EXPECT_LE(hazard, 1 + score_precision::hazard * epsilon) << place(2 * m, x);
      expect_within(1 - hazard, (m - 1) / x + score_precision::hazard * epsilon, place(2 * m, x));
    }
  // At the mean it is 2 f(0): far below one, and near that of the normal distribution.
  EXPECT_LT(subject.hazard(64, 0), 0.2);
  enumerated(5 * 4);
}
KILLS("the hazard of N(0, d)", {.hazard = [](double d, double x) {
        return hazard(boost::math::normal(0, std::sqrt(d)), x);
      }});
KILLS("the hazard is one from the start", {.hazard = [](double, double) { return 1.0; }});

}  // namespace sqrtdk::properties::ScoreIsNearlyNormal
