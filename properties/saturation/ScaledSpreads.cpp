// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/saturation.hpp>
#include <sqrtdk/testing/memoized.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_refusal.hpp>
#include <sqrtdk/testing/reporting/printed.hpp>
#include <sqrtdk/testing/statistics/confidence_interval.hpp>
#include <sqrtdk/testing/statistics/intervals.hpp>
#include <sqrtdk/testing/statistics/streams.hpp>

#include "properties/saturation/fixture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace sqrtdk::properties::ScaledSpreads {

using namespace sqrtdk::testing;

const Mutants scaled_spreads_mutants = {
    {"β² instead of its half",
     "AtLeastThreeFifthsOfTheKeysAreAttendedTo",
     {.entropy_at_least = [](double n, double b) { return std::log(n) - b * b * (1 - 1 / n); }}},
    {"a quarter of β²",
     "AtLeastThreeFifthsOfTheKeysAreAttendedTo",
     {.entropy_at_least = [](double n,
                             double b) { return std::log(n) - b * b * (1 - 1 / n) / 4; }}},
    {"1/n is forgotten",
     "AtLeastThreeFifthsOfTheKeysAreAttendedTo",
     {.entropy_at_least = [](double n, double b) { return std::log(n) - b * b / 2; }}},
    {"β for its square",
     "AtLeastThreeFifthsOfTheKeysAreAttendedTo",
     {.entropy_at_least = [](double n, double b) { return std::log(n) - b * (1 - 1 / n) / 2; }}},
    {"the entropy of twice the spread",
     "AtLeastThreeFifthsOfTheKeysAreAttendedTo",
     {.entropy = [](double n, double b) { return memoized<mean_entropy>(n, 2 * b); }}},
    {"the scores are not scaled",
     "AtSixtyFourDimensionsTheWeightIsSpread",
     {.weights = weights_at_wrong_temperature<1, 8>}},
    {"the scores are divided by d",
     "AtSixtyFourDimensionsTheWeightIsSpread",
     {.weights = weights_at_wrong_temperature<8, 1>}},
    {"the dimension is not undone",
     "TheDimensionIsGone",
     {.row = [](double d, Index n, Stream& stream) -> Vector<double> {
       return library_row(d, n, stream) * std::sqrt(std::sqrt(d));
     }}},
    {"the squares of the unscaled weights",
     "TheDimensionIsGone",
     {.squares = [](double n, double b) { return memoized<mean_squared_weights>(n, 8 * b); }}},
    {"β² overflows before a single key makes it 0",
     "AtLeastThreeFifthsOfTheKeysAreAttendedTo",
     {.entropy_at_least =
          [](double n, double b) {
            return b < 1 ? entropy_at_least(n, b) : std::log(n) - b * b * (1 - 1 / n) / 2;
          }}},
    {"an infinite spread is accepted",
     "RefusesWhatIsNoSpread",
     {.entropy_at_least =
          [](double n, double b) {
            return entropy_at_least(n, std::min(b, std::numeric_limits<double>::max()));
          }}},
    {"a negative spread is accepted",
     "RefusesWhatIsNoSpread",
     {.entropy_at_least = [](double n,
                             double b) { return n < 1 ? 0 : entropy_at_least(n, std::abs(b)); }}},
};

//! [ScaledSpreads]
TEST(ScaledSpreads, AtLeastThreeFifthsOfTheKeysAreAttendedTo) {
  check_statement(scaled_spreads_mutants, [](const Saturations& saturations) {
    evidence().rests_on(EvidenceLevel::bounded);
    const auto expect_bounds = [&](double n, double spread) {
      const double error = (1 + spread * spread) * mean_error_bound;
      const double least = saturations.entropy_at_least(n, spread);
      const double entropy = saturations.entropy(n, spread);
      expect_at_most(least, entropy + error, at(n, spread));
      // Nor is it more than β²(E Σp² − 1/2n) above.
      const double slack = spread * spread * (saturations.squares(n, spread) - 1 / (2 * n));
      expect_at_most(entropy, least + slack + 2 * error, at(n, spread));
    };
    for (const double n : {1.0, 2.0, 5.0, 16.0, 512.0, 4096.0, 1e6, 1e12, 1e30})
      for (const double spread : {0.5, 1.0, 2.0}) expect_bounds(n, spread);
    for_all([&] { expect_bounds(drawn_key_count(), drawn_spread()); }, 50);
    // A single key has no entropy, whatever the spread.
    for (const double spread : {0.0, 0.5, 1.0, 2.0, 1e300})
      EXPECT_EQ(saturations.entropy_at_least(1, spread), 0) << "spread " << spread;
    bool well_distributed = true, more_evenly = true;
    for (const double n : {5.0, 512.0}) {
      well_distributed = well_distributed && std::exp(saturations.entropy(n, 1)) > 0.6 * n;
      more_evenly = more_evenly && saturations.entropy(n, 1) > saturations.entropy(n, 8);
    }
    expect_confirmed("S2", "produces well-distributed attention weights", well_distributed);
    expect_confirmed("S3", "distributed more evenly", more_evenly);
    record_value("least_part", rounded_down(std::exp(-0.5), 3));
    record_value("part_of_5", format_fixed(std::exp(saturations.entropy(5, 1)) / 5, 2));
    record_value("part_of_512", format_fixed(std::exp(saturations.entropy(512, 1)) / 512, 3));
    record_value("part_of_million", format_fixed(std::exp(saturations.entropy(1e6, 1)) / 1e6, 4));
    enumerated(27);
  });
}
//! [ScaledSpreads]

TEST(ScaledSpreads, AtSixtyFourDimensionsTheWeightIsSpread) {
  check_with_mutants(scaled_spreads_mutants, [](const Saturations& saturations) {
    EXPECT_LT(expect_at_64(saturations, 5, 8), 0.5);
    EXPECT_LT(expect_at_64(saturations, 512, 8), 0.05);
  });
}

TEST(ScaledSpreads, TheDimensionIsGone) {
  check_with_mutants(scaled_spreads_mutants, [](const Saturations& saturations) {
    // Rows of one query, divided by √d, in dimensions from 64 to a billion: E Σp² stays that of
    // spread 1, up to what the interval leaves open and the length of the query adds.
    const double squares = saturations.squares(5, 1);
    for (const double d : {64.0, 4096.0, 1e9}) {
      const ConfidenceInterval seen = mean_interval(
          look(saturations, saturations.row, d, 5, std::sqrt(d), rows_for(5)).squares);
      const double shift = 1 / std::sqrt(d);
      EXPECT_LE(seen.lower, squares + shift) << "d = " << d;
      EXPECT_LE(squares - shift, seen.upper) << "d = " << d;
      record_interval("squares_at_" + format_significant(d, 4), seen, 3);
    }
    record_value("squares", format_fixed(squares, 3));
  });
}

TEST(ScaledSpreads, RefusesWhatIsNoSpread) {
  check_with_mutants(scaled_spreads_mutants, [](const Saturations& saturations) {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    expect_refusal<std::domain_error>([&] { saturations.entropy_at_least(5, -1); });
    expect_refusal<std::domain_error>([&] { saturations.entropy_at_least(0.5, 1); });
    expect_refusal<std::domain_error>([&] { saturations.entropy_at_least(5, infinite); });
    expect_refusal<std::domain_error>([&] { saturations.entropy_at_least(infinite, 1); });
  });
}

}  // namespace sqrtdk::properties::ScaledSpreads
