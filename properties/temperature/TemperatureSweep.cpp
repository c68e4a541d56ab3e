// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/saturation.hpp>
#include <sqrtdk/softmax.hpp>
#include <sqrtdk/softmax_error.hpp>
#include <sqrtdk/softmax_jacobian_means.hpp>
#include <sqrtdk/temperature.hpp>
#include <sqrtdk/testing/expect_draws.hpp>
#include <sqrtdk/testing/generators/backward_cases.hpp>
#include <sqrtdk/testing/generators/floating_point.hpp>
#include <sqrtdk/testing/generators/rational_distributions.hpp>
#include <sqrtdk/testing/laws/wide.hpp>
#include <sqrtdk/testing/memoized.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>
#include <sqrtdk/testing/reporting/expect_refusal.hpp>
#include <sqrtdk/testing/reporting/figure_data.hpp>
#include <sqrtdk/testing/statistics/checks.hpp>
#include <sqrtdk/testing/statistics/streams.hpp>

#include "properties/support/vectors.hpp"
#include "properties/temperature/fixture.hpp"

#include <boost/math/distributions/normal.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace sqrtdk::properties::TemperatureSweep {

using namespace sqrtdk::testing;

/// The example of S3, d = 64 and five positions.
Vector<double> documents_scores() { return vector_of<double>({9.2, -3.1, 8.8, -5.4, 1.2}); }

const Mutants temperature_sweep_mutants = {
    {"d instead of its root",
     "GoesFromHalfTheRootToTwiceTheRoot",
     {.swept = [](std::size_t d) { return swept_temperatures(d == 64 ? 64 : d * d); }}},
    {"a dimension of 0 is accepted",
     "GoesFromHalfTheRootToTwiceTheRoot",
     {.swept = [](std::size_t d) { return swept_temperatures(d == 0 ? 1 : d); }}},
    {"the temperature is inverted",
     "OnTheDocumentsScores",
     {.weights = [](const Vector<double>& s,
                    double t) { return Vector<double>(softmax(s, 1 / t)); }}},
    {"the temperature is applied twice",
     "OnTheDocumentsScores",
     {.weights = [](const Vector<double>& s,
                    double t) { return Vector<double>(softmax(s, t * t)); }}},
    {"temperatures of one, two and four times the root",
     "OverRandomScores",
     {.swept =
          [](std::size_t d) {
            auto temperatures = swept_temperatures(d);
            for (double& temperature : temperatures) temperature *= 2;
            return temperatures;
          }}},
    {"temperatures from the largest to the smallest",
     "OverRandomScores",
     {.swept =
          [](std::size_t d) {
            auto temperatures = swept_temperatures(d);
            std::reverse(temperatures.begin(), temperatures.end());
            return temperatures;
          }}},
    {"the temperature is ignored",
     "RandomScoresAgreeWithTheIntegrals",
     {.weights = [](const Vector<double>& s, double) { return Vector<double>(softmax(s)); }}},
    {"all temperatures are near 8",
     "RandomScoresAgreeWithTheIntegrals",
     {.weights = [](const Vector<double>& s,
                    double t) { return Vector<double>(softmax(s, 8 + std::log(t / 8) / 8)); }}},
};

TEST(TemperatureSweep, OnTheDocumentsScores) {
  check_statement(temperature_sweep_mutants, [](const Temperatures& temperatures) {
    evidence().rests_on(EvidenceLevel::bounded);
    const Vector<double> s = documents_scores();
    for (const double t : temperatures.swept(64)) {
      const Vector<double> p = temperatures.weights(s, t);
      const Vector<double> exact = softmax(Vector<Wide>(s.cast<Wide>()), Wide(t)).cast<double>();
      const SoftmaxErrorBound bound = softmax_error_bound(s, t);
      std::string row;
      for (Index i = 0; i < s.size(); ++i) {
        // The exact weight is rounded to a double as well.
        const double allowed =
            bound(i, exact[i]) + std::numeric_limits<double>::epsilon() * exact[i];
        evidence().worst(std::abs(p[i] - exact[i]), allowed);
        EXPECT_LE(std::abs(p[i] - exact[i]), allowed) << "τ = " << t << ", position " << i;
        row += (i > 0 ? ", " : "") + format_fixed(p[i], 3);
      }
      record_value("weights_at_" + format_significant(t, 2), row);
      record_value("leaders_at_" + format_significant(t, 2), format_fixed(p[0] + p[2], 2));
      record_value("keys_at_" + format_significant(t, 2),
                   format_fixed(std::exp(softmax_entropy(s, t)), 2));
    }
    std::vector<std::vector<double>> rows;
    for (int eighth = 0; eighth <= 48; ++eighth) {
      const double t = std::exp2(eighth / 8.0);
      const Vector<double> p = temperatures.weights(s, t);
      rows.push_back({t, p[0], p[1], p[2], p[3], p[4]});
    }
    write_figure_data("temperature_sweep", {"temperature", "1", "2", "3", "4", "5"}, rows);
    enumerated(3);
  });
}

TEST(TemperatureSweep, GoesFromHalfTheRootToTwiceTheRoot) {
  check_statement(temperature_sweep_mutants, [](const Temperatures& temperatures) {
    for (unsigned root = 1; root <= 64; ++root) {
      const auto [half, one, two] = temperatures.swept(root * root);
      EXPECT_EXACTLY(2 * half == root);
      EXPECT_EXACTLY(one == root);
      EXPECT_EXACTLY(two == 2 * root);
    }
    expect_refusal<std::domain_error>([&] { temperatures.swept(0); });
    enumerated(64);
  });
}

//! [TemperatureSweep]
TEST(TemperatureSweep, OverRandomScores) {
  check_statement(temperature_sweep_mutants, [](const Temperatures& temperatures) {
    evidence().rests_on(EvidenceLevel::bounded);
    // d = 64 and five keys: scores N(0, 64), so that the spread is 8/τ.
    double before = 1, fewer = 1;
    for (const double t : temperatures.swept(64)) {
      const double largest = memoized<mean_largest_weight>(std::size_t{5}, 8 / t);
      const double keys = memoized<effective_positions>(5.0, 8 / t);
      EXPECT_LT(largest, before - 2 * integral_error_bound) << "τ = " << t;
      EXPECT_GT(keys, fewer + 2 * integral_error_bound) << "τ = " << t;
      before = largest;
      fewer = keys;
      record_value("largest_at_" + format_significant(t, 2), format_fixed(largest, 3));
      record_value("keys_at_" + format_significant(t, 2), format_fixed(keys, 2));
    }
    enumerated(3);
  });
}
//! [TemperatureSweep]

TEST(TemperatureSweep, RandomScoresAgreeWithTheIntegrals) {
  check_with_mutants(temperature_sweep_mutants, [](const Temperatures& temperatures) {
    // A number from 0 to 1 exceeds a uniform one with a probability that is its mean.
    const auto drawn_weights = [&](double t, Stream& stream) {
      Vector<double> s(5);
      for (double& score : s) score = draw(boost::math::normal(0, 8), stream);
      return temperatures.weights(s, t);
    };
    for (const double t : temperatures.swept(64)) {
      expect_draws(
          CountCheck(memoized<mean_largest_weight>(std::size_t{5}, 8 / t)), {.effect = 0.05},
          [&](Stream& stream) { return drawn_weights(t, stream).maxCoeff() > uniform(stream); });
      expect_draws(CountCheck(memoized<mean_entropy>(5.0, 8 / t) / std::log(5.0)), {.effect = 0.05},
                   [&](Stream& stream) {
                     double entropy = 0;
                     for (const double weight : drawn_weights(t, stream))
                       if (weight > 0) entropy -= weight * std::log(weight);
                     return entropy / std::log(5.0) > uniform(stream);
                   });
    }
  });
}

}  // namespace sqrtdk::properties::TemperatureSweep
