// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/moments.hpp>
#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/saturation.hpp>
#include <sqrtdk/softmax_jacobian_means.hpp>
#include <sqrtdk/testing/memoized.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>

#include "properties/softmax_jacobian/fixture.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

namespace sqrtdk::properties::TypicalKeyGetsNoGradient {

using namespace sqrtdk::testing;

const Mutants typical_key_gets_no_gradient_mutants = {
    {"the largest score is at the root of 2 ln n",
     "TheMeanLogarithmLiesBetweenItsBounds",
     {.log_weight_bounds =
          [](std::size_t n, double b) {
            auto bounds = memoized<mean_log_weight_bounds>(n, b);
            bounds.upper -= b * (std::sqrt(2 * std::log(static_cast<double>(n))) -
                                 memoized<sqrtdk::expected_maximum>(n));
            return bounds;
          }}},
    {"a quarter of β² instead of its half",
     "TheMeanLogarithmLiesBetweenItsBounds",
     {.log_weight_bounds =
          [](std::size_t n, double b) {
            auto bounds = memoized<mean_log_weight_bounds>(n, b);
            bounds.lower = std::max(bounds.lower, -std::log(static_cast<double>(n)) - b * b / 4);
            return bounds;
          }}},
    {"the mean of the logarithm is that of an even share",
     "TheMeanLogarithmLiesBetweenItsBounds",
     {.mean_log_weight = [](std::size_t n, double) { return -std::log(static_cast<double>(n)); }}},
    {"only an even share is a bound",
     "BetweenItsBoundsForRandomKeysAndSpreads",
     {.log_weight_bounds =
          [](std::size_t n, double b) {
            auto bounds = memoized<mean_log_weight_bounds>(n, b);
            bounds.lower = -std::log(static_cast<double>(n));
            return bounds;
          }}},
    {"the mean of the logarithm is that of half the spread",
     "BetweenItsBoundsForRandomKeysAndSpreads",
     {.mean_log_weight =
          [](std::size_t n, double b) {
            return -memoized<mean_log_sum>(static_cast<double>(n), std::max(b / 2, 0.5));
          }}},
    {"ln n is forgotten",
     "TheWeightOfATypicalKeyStarves",
     {.log_weight_bounds =
          [](std::size_t n, double b) {
            auto bounds = memoized<mean_log_weight_bounds>(n, b);
            bounds.lower += std::log(static_cast<double>(n));
            return bounds;
          }}},
    {"the largest score is taken twice",
     "TheWeightOfATypicalKeyStarves",
     {.log_weight_bounds =
          [](std::size_t n, double b) {
            auto bounds = memoized<mean_log_weight_bounds>(n, b);
            bounds.upper -= b * memoized<sqrtdk::expected_maximum>(n);
            return bounds;
          }}},
    {"β² instead of its half",
     "TheWeightOfATypicalKeyStarves",
     {.log_weight_bounds =
          [](std::size_t n, double b) {
            auto bounds = memoized<mean_log_weight_bounds>(n, b);
            bounds.lower -= std::min(b * b / 2, 100.0);
            return bounds;
          }}},
};

TEST(TypicalKeyGetsNoGradient, TheMeanLogarithmLiesBetweenItsBounds) {
  check_statement(typical_key_gets_no_gradient_mutants, [](const Gradients& gradients) {
    evidence().rests_on(EvidenceLevel::bounded);
    for (const std::size_t n : key_counts) {
      double before = -std::log(static_cast<double>(n));  // at spread 0
      for (const double spread : spreads) {
        const double mean = gradients.mean_log_weight(n, spread);
        const auto [least, greatest] = gradients.log_weight_bounds(n, spread);
        const double error = mean_error_bound + spread * integral_error_bound;  // and that of E M
        const std::string where =
            std::to_string(n) + " keys, spread " + format_significant(spread, 3);
        EXPECT_LE(least - error, mean) << where;
        EXPECT_LE(mean, greatest + error) << where;
        EXPECT_LT(mean, before - 2 * mean_error_bound) << where;
        before = mean;
      }
    }
    enumerated(std::size(key_counts) * std::size(spreads));
  });
}

//! [TypicalKeyGetsNoGradient]
TEST(TypicalKeyGetsNoGradient, BetweenItsBoundsForRandomKeysAndSpreads) {
  check_statement(typical_key_gets_no_gradient_mutants, [](const Gradients& gradients) {
    evidence().rests_on(EvidenceLevel::bounded);
    for_all(
        [&] {
          const std::size_t n = *rc::gen::inRange<std::size_t>(2, 600).as("keys");
          const double spread = std::exp2(*rc::gen::inRange(-8, 25).as("8 log₂ β") / 8.0);
          const double mean = gradients.mean_log_weight(n, spread);
          const auto [least, greatest] = gradients.log_weight_bounds(n, spread);
          const double error = mean_error_bound + spread * integral_error_bound;  // and that of E M
          RC_ASSERT(least - error <= mean);
          RC_ASSERT(mean <= greatest + error);
          RC_ASSERT(gradients.mean_log_weight(n, 2 * spread) < mean - 2 * mean_error_bound);
        },
        25);
  });
}
//! [TypicalKeyGetsNoGradient]

//! [TypicalKeyGetsNoGradient: second route]
TEST(TypicalKeyGetsNoGradient, TheWeightOfATypicalKeyStarves) {
  check_statement(typical_key_gets_no_gradient_mutants, [](const Gradients& gradients) {
    evidence().rests_on(EvidenceLevel::bounded);
    for (const std::size_t n : {5U, 512U}) {
      // −E ln p = E LSE(βZ), whose derivative by β is the mean attended score; that rises with β,
      // so sums over steps of ½ lie below and above the integral.
      const double log_count = std::log(static_cast<double>(n));
      double low = log_count;
      double high = log_count + gradients.mean_attended(n, 0.5) / 2;
      for (double spread = 0.5; spread <= 4; spread += 0.5) {
        const auto [least, greatest] = gradients.log_weight_bounds(n, spread);
        EXPECT_LE(low, -least + integral_error_bound) << n << " keys, spread " << spread;
        EXPECT_LE(-greatest, high + 8 * integral_error_bound) << n << " keys, spread " << spread;
        EXPECT_LE(-least, log_count + spread * spread / 2 + integral_error_bound);
        EXPECT_GT(gradients.mean_attended(n, spread + 0.5), integral_error_bound)
            << "the mean logarithm of a weight does not fall";
        low += gradients.mean_attended(n, spread) / 2;
        high += gradients.mean_attended(n, spread + 0.5) / 2;
      }
    }
    record_value(
        "unscaled_at_most",
        format_significant(
            std::ceil(1e12 * std::exp(gradients.log_weight_bounds(512, 8).upper)) / 1e12, 2));
    record_value("scaled_at_least",
                 rounded_down(std::exp(gradients.log_weight_bounds(512, 1).lower), 5));
    record_value("scaled_at_most",
                 rounded_up(std::exp(gradients.log_weight_bounds(512, 1).upper), 5));
    EXPECT_LT(gradients.log_weight_bounds(512, 8).upper,
              gradients.log_weight_bounds(512, 1).lower - 17);
    enumerated(16);
  });
}
//! [TypicalKeyGetsNoGradient: second route]

}  // namespace sqrtdk::properties::TypicalKeyGetsNoGradient
