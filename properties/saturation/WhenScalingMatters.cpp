#include <sqrtdk/moments.hpp>

#include "properties/saturation/fixture.hpp"

namespace sqrtdk::properties::WhenScalingMatters {

//! [WhenScalingMatters]
STATEMENT(WhenScalingMatters, TheImpactGrowsWithTheDimension) {
  evidence().rests_on(EvidenceLevel::bounded);
  for (const std::size_t n : {2U, 5U, 512U, 4096U}) {
    const double count = static_cast<double>(n);
    EXPECT_EQ(subject.impact(count, 1, 1), 0) << n << " keys";
    double before = 0;
    for (const double d : {4.0, 16.0, 64.0, 256.0, 1024.0}) {
      const double impact = subject.impact(count, d, 1);
      EXPECT_GT(impact, before + 2 * mean_error_bound) << n << " keys, d = " << d;
      // The unscaled part is at least 1 − E M/√d.
      EXPECT_GE(impact, 1 - largest(n) / std::sqrt(d) - subject.squares(count, 1) -
                            2 * integral_error_bound)
          << n << " keys, d = " << d;
      before = impact;
      record_value("of_" + std::to_string(n) + "_at_" + format_significant(d, 4),
                   format_fixed(impact, 2));
    }
  }
  // A single key has all of the weight, scaled or not.
  for (const double d : {1.0, 64.0, 4096.0})
    EXPECT_LE(std::abs(subject.impact(1, d, 1)), 2 * mean_error_bound) << "d = " << d;
  enumerated(27);
  for_all(
      [&] {
        const double n = *rc::gen::inRange(1, 4097).as("keys");
        const double deviation = *rc::gen::inRange(4, 17).as("8 σ") / 8.0;
        const double d = *rc::gen::inRange(1, 1000).as("d");
        const double impact = subject.impact(n, d, deviation);
        const double larger = subject.impact(n, d + 24, deviation);
        expect_near(impact,
                    subject.squares(n, deviation * std::sqrt(d)) - subject.squares(n, deviation),
                    2 * mean_error_bound, at(n, deviation * std::sqrt(d)));
        expect_at_most(impact, larger + 4 * mean_error_bound, at(n, deviation * std::sqrt(d)));
      },
      30);
}
KILLS("the spread is d", {.impact = [](double n, double d, double s) {
        return memoized<mean_squared_weights>(n, std::min(s * d, 64.0)) -
               memoized<mean_squared_weights>(n, s);
      }});
KILLS("the scaled part is not subtracted", {.impact = [](double n, double d, double s) {
        return memoized<mean_squared_weights>(n, s * std::sqrt(d));
      }});
KILLS("the impact is the same for all dimensions",
      {.impact = [](double n, double, double s) { return memoized<scaling_impact>(n, 64, s); }});

ASIDE(WhenScalingMatters, LargeIsMeasuredAgainstTheNumberOfKeys) {
  evidence().rests_on(EvidenceLevel::bounded);
  // d = 8 is large for 5 keys and small for 4096: 2 ln n is 3.2 and 16.6.
  EXPECT_GT(std::sqrt(8), subject.critical_stddev(5));
  EXPECT_LT(std::sqrt(8), subject.critical_stddev(4096));
  EXPECT_GT(std::sqrt(9), subject.critical_stddev(64));  // 2 ln 64 is 8.3
  EXPECT_GT(subject.impact(5, 8, 1), 0.25);
  EXPECT_LT(subject.impact(4096, 8, 1), 0.1);
  // And 64 is large for 4096 keys, but would not be for more than e³².
  EXPECT_GT(subject.impact(4096, 64, 1), 0.5);
  EXPECT_LT(subject.impact(1e24, 64, 1), 0.01);
  // At the threshold itself, d = 2 ln n, numbers of keys that occur are far from the limit 0, and
  // far from 1.
  for (const double n : {5.0, 512.0, 4096.0, 1e6}) {
    const double impact = subject.impact(n, std::pow(critical_stddev(n), 2), 1);
    EXPECT_GT(impact, 0.1) << n << " keys";
    EXPECT_LT(impact, 0.3) << n << " keys";
    record_value("at_threshold_of_" + format_significant(n, 4), format_fixed(impact, 2));
  }
  record_value("of_5_at_8", format_fixed(subject.impact(5, 8, 1), 2));
  record_value("of_4096_at_8", format_fixed(subject.impact(4096, 8, 1), 2));
  record_value("critical_of_5", format_fixed(std::pow(subject.critical_stddev(5), 2), 1));
  record_value("critical_of_4096", format_fixed(std::pow(subject.critical_stddev(4096), 2), 1));
  enumerated(7);
  counterexample_without("head large for the number of keys");
  if (checking_a_mutant()) return;
  std::vector<std::vector<double>> rows;
  for (double d = 1; d <= 257; d *= std::sqrt(2)) {
    std::vector<double> row = {d};
    for (const double n : {5.0, 512.0, 4096.0}) {
      row.push_back(std::exp(memoized<mean_entropy>(n, std::sqrt(d))));
      row.push_back(std::exp(memoized<mean_entropy>(n, 1.0)));
    }
    rows.push_back(row);
  }
  write_figure_data("saturation_positions",
                    {"d", "unscaled_of_5", "scaled_of_5", "unscaled_of_512", "scaled_of_512",
                     "unscaled_of_4096", "scaled_of_4096"},
                    rows);
}
//! [WhenScalingMatters]
KILLS("the number of keys is ignored",
      {.impact = [](double, double d, double s) { return memoized<scaling_impact>(5, d, s); }});
KILLS("ln n is critical", {.critical_stddev = [](double n) { return std::log(n); }});

STATEMENT(WhenScalingMatters, WithEverMoreKeysItTendsToTheCondensedPart) {
  evidence().rests_on(EvidenceLevel::bounded);
  // σ = 1 and d = x² · 2 ln n, below the threshold and above it: what is taken is within the
  // bounds of E Σp² before and after the division, which meet in the limit.
  for (const double x : {0.75, 2.0}) {
    double before = 1;
    for (const double n : {1e3, 1e6, 1e12, 1e18, 1e24, 1e30}) {
      const double spread = x * critical_stddev(n);
      // E M from below, and what that costs.
      constexpr double widest = 64;
      const double maximum = widest * (1 - subject.squares(n, widest));
      const double error = 2 * (1 + widest) * mean_error_bound / std::abs(1 - x);
      const Bounds raw = condensation_bounds(n, spread, maximum);
      const Bounds scaled = condensation_bounds(n, 1, maximum);
      const double impact = subject.impact(n, spread * spread, 1);
      EXPECT_LE(raw.lower - scaled.upper, impact + error) << at(n, spread);
      EXPECT_LE(impact, raw.upper + error) << at(n, spread);
      const double distance = std::abs(impact - condensed_fraction(n, spread));
      EXPECT_LT(distance, before) << at(n, spread);
      before = distance;
    }
    EXPECT_LT(before, 0.05) << "x = " << x;
  }
  enumerated(12);
}
KILLS("half of the impact", {.impact = [](double n, double d, double s) {
        return memoized<scaling_impact>(n, d, s) / 2;
      }});

ASIDE(WhenScalingMatters, SmallWeightsScaleThemselves) {
  evidence().rests_on(EvidenceLevel::bounded);
  // Entries of q and k with standard deviation √½ each: at d = 64 the spread is 4 and not 8.
  const double impact = subject.impact(512, 64, 0.5);
  expect_near(impact, subject.squares(512, 4) - subject.squares(512, 0.5), 2 * mean_error_bound,
              "standard deviation one half");
  EXPECT_LT(impact, 0.5 * subject.impact(512, 64, 1));
  // Weights of deviation 0.02, 768 standardized features: variance 0.3072, spread 8 · 0.3072.
  const double spread = 8 * 768 * 0.02 * 0.02;
  EXPECT_LT(spread, subject.critical_stddev(512));
  EXPECT_LT(subject.squares(512, spread), 0.25 * subject.squares(512, 8));
  record_value("spread", format_fixed(spread, 2));
  record_value("critical", format_fixed(subject.critical_stddev(512), 2));
  record_value("squares", format_fixed(subject.squares(512, spread), 2));
  record_value("squares_of_unit_variance", format_fixed(subject.squares(512, 8), 2));
  record_value("impact_of_half", format_fixed(impact, 2));
  enumerated(4);
  counterexample_without("unit variance");
}
KILLS("the deviation is ignored",
      {.impact = [](double n, double d, double) { return memoized<scaling_impact>(n, d, 1); }});

STATEMENT(WhenScalingMatters, AMatchingKeyMustOutweighTheOthers) {
  evidence().rests_on(EvidenceLevel::bounded);
  for (const double n : {1.0, 5.0, 512.0, 1e6})
    for (const double spread : {1.0, 2.0, 8.0})
      for (const double match : {0.0, 1.0, 4.0, 16.0, 32.0}) {
        const Bounds bounds = subject.match_bounds(n, spread, match);
        const std::string where = at(n, spread) + ", match " + format_significant(match, 3);
        const double log_weight = subject.log_match(n, spread, match);
        expect_between(log_weight, bounds, 2 * mean_error_bound, where);
        const double energy = memoized<mean_log_sum>(n, spread);
        expect_near(bounds.upper, -std::log1p(std::exp(energy - match)), 2 * mean_error_bound,
                    where);
        // ln(1 + x) ≥ x − x²/2: for a strong match the lower bound gives away no more than half
        // the mean square of Σe^(βZ − h).
        const double square = spread * spread;
        const double half_mean_square =
            (n * std::exp(2 * square - 2 * match) + n * (n - 1) * std::exp(square - 2 * match)) / 2;
        EXPECT_LE(log_weight, bounds.lower + half_mean_square + 2 * mean_error_bound) << where;
      }
  // Among 512 others at d = 64, a fixed score of 32: scaled, 4.
  const double unscaled = subject.log_match(512, 8, 32);
  const double scaled = subject.log_match(512, 1, 4);
  EXPECT_GT(unscaled, std::log(0.9));
  EXPECT_LT(scaled, std::log(0.1));
  record_value("fixed_unscaled", format_fixed(std::exp(unscaled), 2));
  record_value("fixed_scaled", format_fixed(std::exp(scaled), 2));
  record_value("needed", format_fixed(std::log(512) + 0.5, 1));
  record_value("noise", format_fixed(8 * largest(512), 0));
  enumerated(60);
}
KILLS("the match is one of the keys", {.log_match = [](double n, double b, double h) {
        return memoized<mean_log_match>(std::max(n - 1, 1.0), b, h);
      }});
KILLS("the match has no weight of its own",
      {.log_match = [](double n, double b, double h) { return h - memoized<mean_log_sum>(n, b); }});
KILLS("the others have no spread", {.match_bounds = [](double n, double b, double h) {
        const Bounds right = memoized<log_match_bounds>(n, b, h);
        return Bounds{-std::log1p(n * std::exp(-h)), right.upper};
      }});
KILLS("β² instead of its half, for a strong match",
      {.match_bounds = [](double n, double b, double h) {
        const Bounds right = memoized<log_match_bounds>(n, b, h);
        return Bounds{-std::log1p(n * std::exp(b * b - h)), right.upper};
      }});
KILLS("the bounds of a match forget the others' spread",
      {.match_bounds = [](double n, double b, double h) {
        const Bounds right = memoized<log_match_bounds>(n, b, h);
        return Bounds{right.lower, right.lower};
      }});

/// E ln p of a key whose entries have correlation ½ with those of a standard normal query, among
/// 512 random ones at d = 64, all scores divided by τ. Given the query's length R its score is
/// ½R² + √¾ RZ and that of the others RZᵢ, so that this is the mean of log_match() over R and Z, by
/// the trapezoidal rule.
double correlated_match(double (*log_match)(double, double, double), double temperature,
                        double step_of_z) {
  // Five deviations (√½) of R from 8, and six of Z, leave less than 10⁻⁶ outside.
  constexpr double d = 64, step_of_radius = 0.7;
  double sum = 0, mass = 0;
  for (int i = -5; i <= 5; ++i) {
    const double radius = std::sqrt(d) + step_of_radius * i;
    // but for a constant, which the mass divides out
    const double density =
        std::exp((d - 1) * std::log(radius / std::sqrt(d)) - (radius * radius - d) / 2);
    for (double z = -6; z <= 6; z += step_of_z) {
      const double match = (radius / 2 + std::sqrt(0.75) * z) * radius / temperature;
      const double weight = density * std::exp(-z * z / 2);
      sum += weight * log_match(512, radius / temperature, match);
      mass += weight;
    }
  }
  return sum / mass;
}

/// The same mean and its standard deviation, from vectors that are drawn, always the same ones: a
/// key is ½q + √¾ times a random one.
std::pair<double, double> drawn_match(double temperature) {
  Stream stream = stream_of(1, "match");
  boost::random::normal_distribution<double> normal;
  constexpr int draws = 4000;
  double sum = 0, squares = 0;
  for (int i = 0; i < draws; ++i) {
    Vector<double> query(64), key(64);
    for (double& entry : query) entry = normal(stream);
    for (Index j = 0; j < 64; ++j) key[j] = query[j] / 2 + std::sqrt(0.75) * normal(stream);
    const double match = query.dot(key);
    double others = 0;
    for (int j = 0; j < 512; ++j)
      others += std::exp((query.norm() * normal(stream) - match) / temperature);
    sum += std::log1p(others);
    squares += std::pow(std::log1p(others), 2);
  }
  const double mean = sum / draws;
  return {-mean, std::sqrt((squares / draws - mean * mean) / draws)};
}

ASIDE(WhenScalingMatters, AMatchHasARandomScore) {
  evidence().rests_on(EvidenceLevel::measured);
  for (const double temperature : {1.0, 8.0}) {
    const double mean = correlated_match(subject.log_match, temperature, 0.5);
    // Its error was measured: a grid that is half as fine agrees.
    const double coarse = correlated_match(subject.log_match, temperature, 1);
    expect_near(mean, coarse, 0x1p-10, "steps of one half and of 1");
    const auto [seen, deviation] = memoized<drawn_match>(temperature);
    EXPECT_LE(std::abs(seen - mean), 4 * deviation) << "temperature " << temperature;
    record_value(temperature == 1 ? "unscaled" : "scaled", format_fixed(std::exp(mean), 2));
  }
  EXPECT_LT(correlated_match(subject.log_match, 1, 0.5), subject.log_match(512, 8, 32) - 0.5);
  record_value("deviation", format_fixed(std::sqrt(64 * (1 + 0.25)), 1));
  enumerated(2);
  counterexample_without("at random initialization");
}
KILLS("every match scores the mean", {.log_match = [](double n, double b, double) {
        return memoized<mean_log_match>(n, b, b * b / 2);
      }});
KILLS("the match is counted among the others", {.log_match = [](double n, double b, double h) {
        return std::min(-std::log(2.0), memoized<mean_log_match>(n, b, h));
      }});

ASIDE(WhenScalingMatters, TheBoundsOfAMatchHoldToTheEdgeOfTheirDomain) {
  evidence().rests_on(EvidenceLevel::bounded);
  for (const double n : {1.0, 2.0, most_condensing_keys})
    for (const double spread : {0.5, 64.0}) {
      for (const double match : {-512.0, 0.0, 512.0}) {
        const Bounds bounds = subject.match_bounds(n, spread, match);
        const std::string where = at(n, spread) + ", match " + format_significant(match, 3);
        EXPECT_TRUE(std::isfinite(bounds.lower) && std::isfinite(bounds.upper)) << where;
        expect_between(subject.log_match(n, spread, match), bounds, 2 * mean_error_bound, where);
      }
      // So far below the others that it does not count among them.
      expect_near(subject.log_match(n, spread, -512), -512 - memoized<mean_log_sum>(n, spread),
                  2 * mean_error_bound, at(n, spread));
      for (const double match : {-1e308, 1e308}) {
        const Bounds bounds = subject.match_bounds(n, spread, match);
        EXPECT_EQ(bounds.lower, std::min(match, 0.0)) << at(n, spread);
        EXPECT_EQ(bounds.upper, std::min(match, 0.0)) << at(n, spread);
      }
    }
  enumerated(36);
}
KILLS("the bounds of a match overflow", {.match_bounds = [](double n, double b, double h) {
        return Bounds{-std::log1p(n * std::exp(b * b / 2 - h)),
                      -std::log1p(std::exp(memoized<mean_log_sum>(n, b) - h))};
      }});
KILLS("a match below all others has their weight", {.log_match = [](double n, double b, double h) {
        return memoized<mean_log_match>(n, b, std::max(h, -9.0));
      }});

ASIDE(WhenScalingMatters, RefusesWhatDoesNotMatter) {
  expect_refusal<std::domain_error>([&] { subject.impact(5, 0, 1); });
  expect_refusal<std::domain_error>([&] { subject.impact(5, 64, 0.25); });
  expect_refusal<std::domain_error>([&] { subject.impact(5, 64, 9); });
  expect_refusal<std::domain_error>([&] { subject.log_match(5, 1, -513); });
  expect_refusal<std::domain_error>([&] { subject.log_match(5, 1, 513); });
  expect_refusal<std::domain_error>([&] { subject.match_bounds(5, 0, 1); });
}
KILLS("a dimension of 0 is accepted", {.impact = [](double n, double d, double s) {
        return memoized<scaling_impact>(n, std::max(d, 1.0), s);
      }});
KILLS("a match below -512 is accepted", {.log_match = [](double n, double b, double h) {
        return memoized<mean_log_match>(n, b, std::max(h, -512.0));
      }});

}  // namespace sqrtdk::properties::WhenScalingMatters
