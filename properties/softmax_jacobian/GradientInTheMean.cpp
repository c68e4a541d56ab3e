#include <sqrtdk/moments.hpp>
#include <sqrtdk/numbers/larger_or_nan.hpp>

#include "properties/softmax_jacobian/fixture.hpp"

#include <boost/math/constants/constants.hpp>

namespace sqrtdk::properties::GradientInTheMean {

double two_key_mean_in_wide(double variance, double temperature) {
  return static_cast<double>(two_key_mean_norm<Wide>(variance, temperature));
}

ASIDE(GradientInTheMean, TheMeanOfTwoKeysIsThatOfFiftyDigits) {
  evidence().rests_on(EvidenceLevel::bounded);  // fifty digits are the reference
  for (const double temperature : {0.25, 1.0, 8.0})
    for (const double d : {1.0, 4.0, 64.0, 4096.0, 1e12})
      expect_near(
          subject.two_key_mean(d, temperature) / memoized<two_key_mean_in_wide>(d, temperature), 1,
          two_key_error_bound<double>(), "d = " + format_significant(d, 3));
  enumerated(15);
}
KILLS("the mean is greater by a millionth of a millionth", {.two_key_mean = [](auto& v, auto& t) {
        return two_key_mean_norm<double>(v, t) * (1 + 1e-12);
      }});

STATEMENT(GradientInTheMean, TheMeanOfTwoKeysFallsLikeTheRoot) {
  evidence().rests_on(EvidenceLevel::bounded);
  const double of_integral = two_key_error_bound<double>();
  for (const double temperature : {0.25, 1.0, 8.0})
    for (const double d : {1.0, 4.0, 64.0, 4096.0, 1e12}) {
      const double mean = subject.two_key_mean(d, temperature);
      const auto [least, greatest] = subject.two_key_mean_bounds(d, temperature);
      EXPECT_LE(least * (1 - of_integral), mean) << "d = " << d << ", τ = " << temperature;
      EXPECT_LE(mean * (1 - of_integral), greatest) << "d = " << d << ", τ = " << temperature;
      // The bounds are those of the statement, up to a dozen roundings on either side.
      constexpr double pi = boost::math::constants::pi<double>();
      constexpr double epsilon = std::numeric_limits<double>::epsilon();
      const double share = pi * pi * temperature * temperature / (12 * d);
      EXPECT_LE(greatest, 1 / std::sqrt(pi * d) * (1 + 12 * epsilon));
      EXPECT_GE(least, greatest * (1 - share) - 12 * epsilon * greatest * (1 + share));
    }
  expect_near(subject.two_key_mean(64, 1), subject.mean_trace(2, 8), integral_error_bound,
              "the integral over many keys");
  record_value("unscaled", format_significant(subject.two_key_mean(64, 1), 3));
  record_value("scaled", format_significant(subject.two_key_mean(64, 8), 3));
  std::vector<std::vector<double>> rows;
  for (double d = 1; d <= 1024; d *= 1.25)
    rows.push_back({d, subject.two_key_mean(d, 1), two_key_median_norm(d, 1.0),
                    subject.two_key_mean(d, std::sqrt(d)), two_key_median_norm(d, std::sqrt(d))});
  write_figure_data("jacobian_two_keys",
                    {"d", "unscaled_mean", "unscaled_median", "scaled_mean", "scaled_median"},
                    rows);
  record_value("constant", format_significant(subject.two_key_mean(1, 1), 4));
  record_value(
      "limit_of_the_ratio",
      format_significant(
          1 / std::sqrt(boost::math::constants::pi<double>()) / subject.two_key_mean(1, 1), 4));
  record_value("ratio",
               format_significant(subject.two_key_mean(64, 1) / subject.two_key_mean(64, 8), 4));
  enumerated(15);
}
KILLS("the gap has the variance of a score",
      {.two_key_mean = [](auto& v, auto& t) { return two_key_mean_norm<double>(v / 2, t); }});
KILLS("temperature squared in the mean",
      {.two_key_mean = [](auto& v, auto& t) { return two_key_mean_norm<double>(v, t) / t; }});
KILLS("the lower bound forgets the temperature", {.two_key_mean_bounds = [](auto& v, auto& t) {
        return Interval<double>{two_key_mean_bounds(v, 1.0).lower, two_key_mean_bounds(v, t).upper};
      }});
KILLS(
    "the upper bound is halved", {.two_key_mean_bounds = [](auto& v, auto& t) {
      return Interval<double>{two_key_mean_bounds(v, t).lower, two_key_mean_bounds(v, t).upper / 2};
    }});

//! [GradientInTheMean]
STATEMENT(GradientInTheMean, ForRandomKeysAndSpreadsTwoIntegralsAgree) {
  evidence().rests_on(EvidenceLevel::bounded);
  for_all(
      [&] {
        const std::size_t n = *rc::gen::inRange<std::size_t>(2, 600).as("keys");
        const double spread = std::exp2(*rc::gen::inRange(-8, 17).as("8 log₂ β") / 8.0);
        const double trace = subject.mean_trace(n, spread);
        const double doubled = subject.mean_trace(n, 2 * spread);
        constexpr double error = integral_error_bound;
        // Statement 1, which says that it rises with β as well, and statement 3.
        RC_ASSERT(std::abs(spread * trace - subject.mean_attended(n, spread)) <=
                  (spread + 1) * error);
        RC_ASSERT(2 * spread * doubled > spread * trace + 3 * spread * error);
        RC_ASSERT(doubled < trace - 2 * error);
        // Statement 2
        const auto [least, greatest] = subject.mean_trace_bounds(n, spread);
        RC_ASSERT(least <= trace + error * (1 + 1 / spread));
        RC_ASSERT(trace <= greatest + error * (1 + 1 / spread));
      },
      25);
}
//! [GradientInTheMean]
KILLS("the trace is that of a tenth more spread",
      {.mean_trace = [](auto n, double b) { return memoized<mean_jacobian_trace>(n, 1.1 * b); }});
KILLS("the attended score is that of one key more",
      {.mean_attended = [](auto n, double b) { return memoized<mean_attended_score>(n + 1, b); }});

ASIDE(GradientInTheMean, AnyPositiveSpreadHasBounds) {
  evidence().rests_on(EvidenceLevel::bounded);
  for (const std::size_t n : {2U, 5U, 512U})
    for (const double spread : {std::numeric_limits<double>::denorm_min(), 1e-309, 1e-170, 1e300,
                                std::numeric_limits<double>::max()}) {
      const auto [least, greatest] = subject.mean_trace_bounds(n, spread);
      EXPECT_LE(least, greatest);  // so neither is NaN
      EXPECT_LE(greatest, 1);
    }
  enumerated(15);
}
KILLS("infinite terms are subtracted where the spread is tiny",
      {.mean_trace_bounds = [](auto n, double b) {
        const double upper = memoized<sqrtdk::expected_maximum>(n) / b;
        const double ln_n = std::log(static_cast<double>(n));
        return Interval<double>{upper - ln_n / (b * b), std::min(1.0, upper)};
      }});

//! [GradientInTheMean: second route]
STATEMENT(GradientInTheMean, TheMeanTraceTimesTheSpreadIsTheMeanAttendedScore) {
  evidence().rests_on(EvidenceLevel::bounded);
  double worst = 0;
  for (const std::size_t n : key_counts)
    for (const double spread : spreads) {
      const double trace = spread * subject.mean_trace(n, spread);
      const double attended = subject.mean_attended(n, spread);
      expect_near(trace, attended, (spread + 1) * integral_error_bound,
                  std::to_string(n) + " keys, spread " + format_significant(spread, 3));
      worst = sqrtdk::detail::larger_or_nan(worst, std::abs(trace / attended - 1));
    }
  record_value("worst", format_significant(worst, 2));
  enumerated(std::size(key_counts) * std::size(spreads));
}
//! [GradientInTheMean: second route]
KILLS("the trace of one key too many", {.mean_trace = [](auto n, double b) {
        return memoized<mean_jacobian_trace>(std::min<std::size_t>(n + 1, 4096), b);
      }});
KILLS("the attended score of twice the spread",
      {.mean_attended = [](auto n, double b) { return memoized<mean_attended_score>(n, 2 * b); }});

STATEMENT(GradientInTheMean, InTheMeanScalingMakesTheGradientSmaller) {
  evidence().rests_on(EvidenceLevel::bounded);
  for (const std::size_t n : key_counts) {
    // d = 64: the spread β belongs to the temperature 8/β, and the gradient's mean trace is
    // tr/τ = β tr/8. It rises from the flattest softmax to the unscaled one.
    double before = 0;
    for (const double spread : spreads) {
      const double now = spread * subject.mean_trace(n, spread) / 8;
      EXPECT_GT(now, before + 2 * integral_error_bound) << n << " keys, spread " << spread;
      before = now;
    }
  }
  const auto ratio = [&](std::size_t n) {
    return format_significant(8 * subject.mean_trace(n, 8) / subject.mean_trace(n, 1), 3);
  };
  record_value("times_for_5", ratio(5));
  record_value("times_for_512", ratio(512));
  record_value("trace_for_512", format_significant(subject.mean_trace(512, 8), 4));
  record_value("scaled_trace_for_512", format_significant(subject.mean_trace(512, 1) / 8, 4));
  enumerated(std::size(key_counts) * std::size(spreads));
}
KILLS("the trace is that of a spread of 1",
      {.mean_trace = [](auto n, double b) { return memoized<mean_jacobian_trace>(n, 1.0) / b; }});

STATEMENT(GradientInTheMean, BySoftmaxsOwnInputScalingMakesItLarger) {
  evidence().rests_on(EvidenceLevel::bounded);
  for (const std::size_t n : key_counts) {
    double before = 1 - 1 / static_cast<double>(n);  // at spread 0
    for (const double spread : spreads) {
      const double now = subject.mean_trace(n, spread);
      EXPECT_LT(now, before - 2 * integral_error_bound) << n << " keys, spread " << spread;
      before = now;
    }
  }
  for (const std::size_t n : {std::size_t{2}, std::size_t{512}}) {
    const std::string keys = "_for_" + std::to_string(n);
    record_value("unscaled" + keys, format_significant(subject.mean_trace(n, 8), 3));
    record_value("scaled" + keys, format_significant(subject.mean_trace(n, 1), 3));
  }
  enumerated(std::size(key_counts) * std::size(spreads));
  EXPECT_GT(subject.mean_trace(5, 1), subject.mean_trace(5, 8) + integral_error_bound);
}
KILLS("the mean trace does not depend on the spread",
      {.mean_trace = [](auto n, double) { return memoized<mean_jacobian_trace>(n, 1.0); }});
KILLS("the mean trace is that of the reciprocal spread", {.mean_trace = [](auto n, double spread) {
        return memoized<mean_jacobian_trace>(n, std::min(64.0, std::max(0.5, 1 / spread)));
      }});

ASIDE(GradientInTheMean, TheVariableAndTheNormDecide) {
  evidence().rests_on(EvidenceLevel::bounded);
  for (const std::size_t n : key_counts) {
    const double unscaled = subject.mean_trace(n, 8), scaled = subject.mean_trace(n, 1);
    EXPECT_GT(scaled, unscaled + 2 * integral_error_bound) << n << " keys";
    EXPECT_LT(scaled / 8, unscaled - 2 * integral_error_bound) << n << " keys";
  }
  counterexample_without("raw scores");
  counterexample_without("own input");
  // Among many keys the mean squared Frobenius norm falls, by softmax's own input.
  EXPECT_GT(subject.mean_squared_norm(512, 8),
            subject.mean_squared_norm(512, 1) + 4 * integral_error_bound);
  counterexample_without("trace norm");
  enumerated(std::size(key_counts) + 1);
}
KILLS("the mean square is that of the reciprocal spread",
      {.mean_squared_norm = [](auto n, double b) {
        return memoized<mean_jacobian_squared_norm>(n, std::max(0.5, 8 / b));
      }});
KILLS("the mean trace is that of the reciprocal of the spread",
      {.mean_trace = [](auto n, double b) { return memoized<mean_jacobian_trace>(n, 8 / b); }});

STATEMENT(GradientInTheMean, TheMeanTraceLiesBetweenItsBounds) {
  evidence().rests_on(EvidenceLevel::bounded);
  // E max of two and of three normal numbers is 1/√π and 3/(2√π).
  const double root_pi = std::sqrt(3.14159265358979324);
  expect_near(subject.expected_maximum(2), 1 / root_pi, integral_error_bound, "two keys");
  expect_near(subject.expected_maximum(3), 1.5 / root_pi, integral_error_bound, "three keys");
  for (const std::size_t n : key_counts) {
    EXPECT_LE(subject.expected_maximum(n),
              std::sqrt(2 * std::log(static_cast<double>(n))) + integral_error_bound)
        << n << " keys";
    for (const double spread : spreads) {
      const double trace = subject.mean_trace(n, spread);
      const auto [least, greatest] = subject.mean_trace_bounds(n, spread);
      const std::string where =
          std::to_string(n) + " keys, spread " + format_significant(spread, 3);
      EXPECT_LE(least, trace + integral_error_bound * (1 + 1 / spread)) << where;
      EXPECT_LE(trace, greatest + integral_error_bound * (1 + 1 / spread)) << where;
      EXPECT_LE(greatest, 1 - 1 / static_cast<double>(n)) << where;
      EXPECT_GE(least, subject.expected_maximum(n) / spread -
                           std::log(static_cast<double>(n)) / (spread * spread) -
                           integral_error_bound)
          << where;
    }
  }
  std::vector<std::vector<double>> rows;
  for (int quarter = -4; quarter <= 12; ++quarter) {
    const double spread = std::exp2(quarter / 4.0);
    const auto trace = [&](std::size_t n) { return spread * subject.mean_trace(n, spread) / 8; };
    rows.push_back({8 / spread, trace(2), trace(5), trace(512)});
  }
  write_figure_data("jacobian_mean_trace", {"temperature", "2_keys", "5_keys", "512_keys"}, rows);
  record_value("maximum_of_512", format_significant(subject.expected_maximum(512), 4));
  record_value("least_for_512", rounded_down(subject.mean_trace_bounds(512, 8).lower, 3));
  record_value("greatest_for_512", rounded_up(subject.mean_trace_bounds(512, 8).upper, 3));
  enumerated(std::size(key_counts) * std::size(spreads) + 2);
}
KILLS("the mean of the largest is halved",
      {.expected_maximum = [](auto n) { return memoized<sqrtdk::expected_maximum>(n) / 2; }});
KILLS("ln n over the spread, not its square", {.mean_trace_bounds = [](auto n, double b) {
        auto bounds = memoized<sqrtdk::mean_trace_bounds>(n, b);
        bounds.lower += std::log(static_cast<double>(n)) * (1 / (b * b) - 1 / (b * b * b * b));
        return bounds;
      }});
KILLS("the upper bound forgets 1 − 1/n", {.mean_trace_bounds = [](auto n, double b) {
        return Interval<double>{memoized<sqrtdk::mean_trace_bounds>(n, b).lower,
                                memoized<sqrtdk::expected_maximum>(n) / b};
      }});

ASIDE(GradientInTheMean, WithEverMoreKeysTheGradientDoesNotVanish) {
  evidence().rests_on(EvidenceLevel::bounded);
  // d = 8 ln n, so that √(2 ln n / d) is ½ and stays there.
  double before = 0.25;
  for (const std::size_t n : {16U, 64U, 256U, 1024U, 4096U}) {
    const double spread = std::sqrt(8 * std::log(static_cast<double>(n)));
    const double trace = subject.mean_trace(n, spread);
    EXPECT_GT(trace, before + integral_error_bound) << n << " keys";
    before = trace;
    record_value("trace_for_" + std::to_string(n), format_significant(trace, 3));
    record_value("d_for_" + std::to_string(n), format_significant(spread * spread, 3));
  }
  // With the number of keys fixed it does.
  EXPECT_LT(subject.mean_trace(16, 32), 1.8 / 32);
  enumerated(6);
  counterexample_without("fixed number of keys");
}
KILLS("more than sixteen keys count as sixteen", {.mean_trace = [](auto n, double b) {
        return memoized<mean_jacobian_trace>(std::min<std::size_t>(n, 16), b);
      }});
KILLS("the mean trace is always 3/8", {.mean_trace = [](auto, double) { return 0.375; }});

}  // namespace sqrtdk::properties::GradientInTheMean
