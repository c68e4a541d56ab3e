#include "properties/saturation/fixture.hpp"

namespace sqrtdk::properties::ScaledSpreads {

//! [ScaledSpreads]
STATEMENT(ScaledSpreads, AtLeastThreeFifthsOfTheKeysAreAttendedTo) {
  evidence().rests_on(EvidenceLevel::bounded);
  const auto expect_bounds = [&](double n, double spread) {
    const double error = (1 + spread * spread) * mean_error_bound;
    const double least = subject.entropy_at_least(n, spread);
    const double entropy = subject.entropy(n, spread);
    expect_at_most(least, entropy + error, at(n, spread));
    // Nor is it more than β²(E Σp² − 1/2n) above.
    const double slack = spread * spread * (subject.squares(n, spread) - 1 / (2 * n));
    expect_at_most(entropy, least + slack + 2 * error, at(n, spread));
  };
  for (const double n : {1.0, 2.0, 5.0, 16.0, 512.0, 4096.0, 1e6, 1e12, 1e30})
    for (const double spread : {0.5, 1.0, 2.0}) expect_bounds(n, spread);
  for_all([&] { expect_bounds(drawn_key_count(), drawn_spread()); }, 50);
  // A single key has no entropy, whatever the spread.
  for (const double spread : {0.0, 0.5, 1.0, 2.0, 1e300})
    EXPECT_EQ(subject.entropy_at_least(1, spread), 0) << "spread " << spread;
  bool well_distributed = true, more_evenly = true;
  for (const double n : {5.0, 512.0}) {
    well_distributed = well_distributed && std::exp(subject.entropy(n, 1)) > 0.6 * n;
    more_evenly = more_evenly && subject.entropy(n, 1) > subject.entropy(n, 8);
  }
  expect_confirmed("S2", "produces well-distributed attention weights", well_distributed);
  expect_confirmed("S3", "distributed more evenly", more_evenly);
  record_value("least_part", rounded_down(std::exp(-0.5), 3));
  record_value("part_of_5", format_fixed(std::exp(subject.entropy(5, 1)) / 5, 2));
  record_value("part_of_512", format_fixed(std::exp(subject.entropy(512, 1)) / 512, 3));
  record_value("part_of_million", format_fixed(std::exp(subject.entropy(1e6, 1)) / 1e6, 4));
  enumerated(27);
}
//! [ScaledSpreads]
KILLS("β² instead of its half",
      {.entropy_at_least = [](double n, double b) { return std::log(n) - b * b * (1 - 1 / n); }});
KILLS("a quarter of β²", {.entropy_at_least = [](double n, double b) {
        return std::log(n) - b * b * (1 - 1 / n) / 4;
      }});
KILLS("1/n is forgotten",
      {.entropy_at_least = [](double n, double b) { return std::log(n) - b * b / 2; }});
KILLS("β for its square",
      {.entropy_at_least = [](double n, double b) { return std::log(n) - b * (1 - 1 / n) / 2; }});
KILLS("the entropy of twice the spread",
      {.entropy = [](double n, double b) { return memoized<mean_entropy>(n, 2 * b); }});
KILLS("β² overflows before a single key makes it 0", {.entropy_at_least = [](double n, double b) {
        return b < 1 ? entropy_at_least(n, b) : std::log(n) - b * b * (1 - 1 / n) / 2;
      }});

ASIDE(ScaledSpreads, AtSixtyFourDimensionsTheWeightIsSpread) {
  EXPECT_LT(expect_at_64(subject, 5, 8), 0.5);
  EXPECT_LT(expect_at_64(subject, 512, 8), 0.05);
}
KILLS("the scores are not scaled", {.weights = weights_at_wrong_temperature<1, 8>});
KILLS("the scores are divided by d", {.weights = weights_at_wrong_temperature<8, 1>});

ASIDE(ScaledSpreads, TheDimensionIsGone) {
  // Rows of one query over √d: E Σp² stays that of spread 1, up to interval and length of q.
  const double squares = subject.squares(5, 1);
  for (const double d : {64.0, 4096.0, 1e9}) {
    const ConfidenceInterval seen =
        mean_interval(look(subject, subject.row, d, 5, std::sqrt(d), rows_for(5)).squares);
    const double shift = 1 / std::sqrt(d);
    EXPECT_LE(seen.lower, squares + shift) << "d = " << d;
    EXPECT_LE(squares - shift, seen.upper) << "d = " << d;
    record_interval("squares_at_" + format_significant(d, 4), seen, 3);
  }
  record_value("squares", format_fixed(squares, 3));
}
KILLS("the dimension is not undone",
      {.row = [](double d, auto n, Stream& stream) -> Vector<double> {
        return library_row(d, n, stream) * std::sqrt(std::sqrt(d));
      }});
KILLS("the squares of the unscaled weights",
      {.squares = [](double n, double b) { return memoized<mean_squared_weights>(n, 8 * b); }});

ASIDE(ScaledSpreads, RefusesWhatIsNoSpread) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  expect_refusal<std::domain_error>([&] { subject.entropy_at_least(5, -1); });
  expect_refusal<std::domain_error>([&] { subject.entropy_at_least(0.5, 1); });
  expect_refusal<std::domain_error>([&] { subject.entropy_at_least(5, infinite); });
  expect_refusal<std::domain_error>([&] { subject.entropy_at_least(infinite, 1); });
}
KILLS("an infinite spread is accepted", {.entropy_at_least = [](double n, double b) {
        return entropy_at_least(n, std::min(b, std::numeric_limits<double>::max()));
      }});
KILLS("a negative spread is accepted", {.entropy_at_least = [](double n, double b) {
        return n < 1 ? 0 : entropy_at_least(n, std::abs(b));
      }});

}  // namespace sqrtdk::properties::ScaledSpreads
