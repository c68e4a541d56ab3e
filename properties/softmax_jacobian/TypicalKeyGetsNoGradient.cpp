#include <sqrtdk/moments.hpp>

#include "properties/softmax_jacobian/fixture.hpp"

namespace sqrtdk::properties::TypicalKeyGetsNoGradient {

STATEMENT(TypicalKeyGetsNoGradient, TheMeanLogarithmLiesBetweenItsBounds) {
  evidence().rests_on(EvidenceLevel::bounded);
  for (const std::size_t n : key_counts) {
    double before = -std::log(static_cast<double>(n));  // at spread 0
    for (const double spread : spreads) {
      const double mean = subject.mean_log_weight(n, spread);
      const auto [least, greatest] = subject.log_weight_bounds(n, spread);
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
}
KILLS("the largest score is at the root of 2 ln n", {.log_weight_bounds = [](auto n, double b) {
        auto bounds = memoized<mean_log_weight_bounds>(n, b);
        bounds.upper -= b * (std::sqrt(2 * std::log(static_cast<double>(n))) -
                             memoized<sqrtdk::expected_maximum>(n));
        return bounds;
      }});
KILLS("a quarter of β² instead of its half", {.log_weight_bounds = [](auto n, double b) {
        auto bounds = memoized<mean_log_weight_bounds>(n, b);
        bounds.lower = std::max(bounds.lower, -std::log(static_cast<double>(n)) - b * b / 4);
        return bounds;
      }});
KILLS("the mean of the logarithm is that of an even share",
      {.mean_log_weight = [](auto n, double) { return -std::log(static_cast<double>(n)); }});

//! [TypicalKeyGetsNoGradient]
STATEMENT(TypicalKeyGetsNoGradient, BetweenItsBoundsForRandomKeysAndSpreads) {
  evidence().rests_on(EvidenceLevel::bounded);
  for_all(
      [&] {
        const std::size_t n = *rc::gen::inRange<std::size_t>(2, 600).as("keys");
        const double spread = std::exp2(*rc::gen::inRange(-8, 25).as("8 log₂ β") / 8.0);
        const double mean = subject.mean_log_weight(n, spread);
        const auto [least, greatest] = subject.log_weight_bounds(n, spread);
        const double error = mean_error_bound + spread * integral_error_bound;  // and that of E M
        RC_ASSERT(least - error <= mean);
        RC_ASSERT(mean <= greatest + error);
        RC_ASSERT(subject.mean_log_weight(n, 2 * spread) < mean - 2 * mean_error_bound);
      },
      25);
}
//! [TypicalKeyGetsNoGradient]
KILLS("only an even share is a bound", {.log_weight_bounds = [](auto n, double b) {
        auto bounds = memoized<mean_log_weight_bounds>(n, b);
        bounds.lower = -std::log(static_cast<double>(n));
        return bounds;
      }});
KILLS("the mean of the logarithm is that of half the spread",
      {.mean_log_weight = [](auto n, double b) {
        return -memoized<mean_log_sum>(static_cast<double>(n), std::max(b / 2, 0.5));
      }});

//! [TypicalKeyGetsNoGradient: second route]
STATEMENT(TypicalKeyGetsNoGradient, TheWeightOfATypicalKeyStarves) {
  evidence().rests_on(EvidenceLevel::bounded);
  for (const std::size_t n : {5U, 512U}) {
    // −E ln p = E LSE(βZ), whose derivative by β is the mean attended score; that rises with β,
    // so sums over steps of ½ lie below and above the integral.
    const double log_count = std::log(static_cast<double>(n));
    double low = log_count;
    double high = log_count + subject.mean_attended(n, 0.5) / 2;
    for (double spread = 0.5; spread <= 4; spread += 0.5) {
      const auto [least, greatest] = subject.log_weight_bounds(n, spread);
      EXPECT_LE(low, -least + integral_error_bound) << n << " keys, spread " << spread;
      EXPECT_LE(-greatest, high + 8 * integral_error_bound) << n << " keys, spread " << spread;
      EXPECT_LE(-least, log_count + spread * spread / 2 + integral_error_bound);
      EXPECT_GT(subject.mean_attended(n, spread + 0.5), integral_error_bound)
          << "the mean logarithm of a weight does not fall";
      low += subject.mean_attended(n, spread) / 2;
      high += subject.mean_attended(n, spread + 0.5) / 2;
    }
  }
  record_value("unscaled_at_most",
               format_significant(
                   std::ceil(1e12 * std::exp(subject.log_weight_bounds(512, 8).upper)) / 1e12, 2));
  record_value("scaled_at_least",
               rounded_down(std::exp(subject.log_weight_bounds(512, 1).lower), 5));
  record_value("scaled_at_most", rounded_up(std::exp(subject.log_weight_bounds(512, 1).upper), 5));
  EXPECT_LT(subject.log_weight_bounds(512, 8).upper, subject.log_weight_bounds(512, 1).lower - 17);
  enumerated(16);
}
//! [TypicalKeyGetsNoGradient: second route]
KILLS("ln n is forgotten", {.log_weight_bounds = [](auto n, double b) {
        auto bounds = memoized<mean_log_weight_bounds>(n, b);
        bounds.lower += std::log(static_cast<double>(n));
        return bounds;
      }});
KILLS("the largest score is taken twice", {.log_weight_bounds = [](auto n, double b) {
        auto bounds = memoized<mean_log_weight_bounds>(n, b);
        bounds.upper -= b * memoized<sqrtdk::expected_maximum>(n);
        return bounds;
      }});
KILLS("β² instead of its half", {.log_weight_bounds = [](auto n, double b) {
        auto bounds = memoized<mean_log_weight_bounds>(n, b);
        bounds.lower -= std::min(b * b / 2, 100.0);
        return bounds;
      }});

}  // namespace sqrtdk::properties::TypicalKeyGetsNoGradient
