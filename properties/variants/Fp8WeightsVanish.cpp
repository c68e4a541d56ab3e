#include <sqrtdk/numbers/exp_interval.hpp>

#include "properties/variants/fixture.hpp"

namespace sqrtdk::properties::Fp8WeightsVanish {

using Subject = Fp8;

/// All numbers of E4M3 from 0 to 448, from their bits.
std::vector<Rational> all_numbers() {
  std::vector<Rational> numbers;
  for (int bits = 0; bits < 127; ++bits) {
    const int exponent = bits >> 3, mantissa = bits & 7;
    const Rational power = exponent == 0 ? Rational(1, 64) : Rational(1 << exponent, 128);
    numbers.push_back(power * Rational((exponent == 0 ? 0 : 8) + mantissa, 8));
  }
  return numbers;
}

constexpr BinaryFormat e5m2{.digits = 3, .fraction = 16, .largest = 57344};

//! [Fp8WeightsVanish]
STATEMENT(Fp8WeightsVanish, AShareOfOneInAThousandAndTwentyFourIs0) {
  const auto check = [&](unsigned n) {
    const Rational sum = subject.sum(n, e4m3_format);
    EXPECT_EXACTLY((sum == 0) == (n >= 1024)) << n << " weights";
    if (n >= 342 && n < 1024) EXPECT_EXACTLY(sum == Rational(n, 512)) << n << " weights";
  };
  for (unsigned n = 1; n <= 2048; ++n) check(n);
  enumerated(2048);
  for_all(
      [&] { check(*rc::gen::resize(rc::kNominalSize, rc::gen::inRange(1U, 1U << 20)).as("n")); });
}
KILLS("the other eight-bit format",
      {.sum = [](unsigned n, auto&) { return sum_of_rounded_shares(n, e5m2); }});

STATEMENT(Fp8WeightsVanish, AWeightIs0FromTenLogarithmsOfTwoOn) {
  for_all([&] {
    const int most = 20000;  // beyond every threshold
    const Rational gap(*rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, most)).as("1000 g"),
                       1000);
    const unsigned k = *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0U, 9U)).as("k");
    const Interval<Rational> growth = exp_enclosure(gap);
    for (const Rational& end : {growth.lower, growth.upper})
      EXPECT_EXACTLY(subject.vanishes(gap, k) == (rounded_to((1U << k) / end, e4m3_format) == 0));
  });
}
//! [Fp8WeightsVanish]
KILLS("half of the least number counts",
      {.vanishes = [](auto& g, unsigned k) { return exp_enclosure(g).lower > 512 << k; }});
KILLS("the scale is forgotten",
      {.vanishes = [](auto& g, unsigned) { return fp8_weight_vanishes(g); }});

//! [Fp8WeightsVanish: exact check]
STATEMENT(Fp8WeightsVanish, TheThresholdsOfThePage) {
  EXPECT_EXACTLY(subject.sum(1023, e4m3_format) == Rational(1023, 512));
  EXPECT_EXACTLY(subject.sum(1024, e4m3_format) == 0);
  EXPECT_EXACTLY(!subject.vanishes(Rational(6931, 1000), 0));
  EXPECT_EXACTLY(subject.vanishes(Rational(6932, 1000), 0));
  EXPECT_EXACTLY(!subject.vanishes(Rational(12476, 1000), 8));
  EXPECT_EXACTLY(subject.vanishes(Rational(12477, 1000), 8));
  enumerated(6);
  record_value("plain", format_fixed(10 * std::log(2.), 3));
  record_value("scaled", format_fixed(18 * std::log(2.), 3));
}
//! [Fp8WeightsVanish: exact check]
KILLS("scaled by 448", {.vanishes = [](auto& g, unsigned k) {
        return exp_enclosure(g).lower > 1024 * (k == 8 ? 448 : 1 << k);
      }});
KILLS("1024 weights are kept", {.sum = [](unsigned n, auto& f) {
        return n == 1024 ? Rational(2) : sum_of_rounded_shares(n, f);
      }});

//! [Fp8WeightsVanish: second route]
ASIDE(Fp8WeightsVanish, RoundingFindsTheNearestOfAllNumbers) {
  const std::vector<Rational> numbers = all_numbers();
  for (std::size_t i = 0; i + 1 < numbers.size(); ++i) {
    const Rational& low = numbers[i];
    const Rational& high = numbers[i + 1];
    const Rational step = high - low, even = i % 2 == 0 ? low : high;
    EXPECT_EXACTLY(subject.rounded(low, e4m3_format) == low);
    EXPECT_EXACTLY(subject.rounded(low + step / 2, e4m3_format) == even);
    EXPECT_EXACTLY(subject.rounded(low + step * Rational(49, 100), e4m3_format) == low);
    EXPECT_EXACTLY(subject.rounded(low + step * Rational(51, 100), e4m3_format) == high);
  }
  EXPECT_EXACTLY(numbers.back() == e4m3_format.largest);
  enumerated(4 * numbers.size() - 3);
}
//! [Fp8WeightsVanish: second route]
KILLS("ties go up",
      {.rounded = [](auto& x, auto& f) { return rounded_to(x + Rational(1, 1 << 30), f); }});

ASIDE(Fp8WeightsVanish, WithoutSubnormalNumbersLessIsLeft) {
  const Rational share(1, 300), least_normal(1, 64);
  EXPECT_EXACTLY(share < least_normal);  // so that 0 is left of it without subnormal numbers
  EXPECT_EXACTLY(subject.sum(300, e4m3_format) == Rational(75, 64));
  // Rounded first, and then flushed, 1/68 is the last that is kept.
  EXPECT_EXACTLY(subject.rounded(Rational(1, 68), e4m3_format) == least_normal);
  EXPECT_EXACTLY(subject.rounded(Rational(1, 69), e4m3_format) == Rational(7, 512));
  EXPECT_EXACTLY((Rational(1, 65) < least_normal && Rational(7, 512) < least_normal));
  counterexample_without("subnormal numbers");
}
KILLS("the other format's subnormal numbers",
      {.sum = [](unsigned n, auto&) { return sum_of_rounded_shares(n, e5m2); }});
KILLS("flushed before it is rounded",
      {.rounded = [](auto& x, auto& f) { return 64 * x < 1 ? Rational(0) : rounded_to(x, f); }});

ASIDE(Fp8WeightsVanish, TiesThatGoUpKeepOneMore) {
  const Rational tie(1, 1024), above = tie + Rational(1, 1 << 20);
  EXPECT_EXACTLY(subject.rounded(tie, e4m3_format) == 0);
  EXPECT_EXACTLY(subject.rounded(above, e4m3_format) ==
                 2 * tie);  // what ties that go up make of it
  counterexample_without("ties to even");
}
KILLS("rounded down", {.rounded = [](auto& x, auto&) { return x < 1 ? Rational(0) : x; }});

ASIDE(Fp8WeightsVanish, RefusesWhatIsOutOfRange) {
  expect_refusal<std::domain_error>([&] { return subject.sum(0, e4m3_format); });
  expect_refusal<std::domain_error>([&] { return subject.vanishes(-1, 0); });
  expect_refusal<std::domain_error>([&] { return subject.vanishes(20, 9); });
  EXPECT_EXACTLY(subject.vanishes(20, 8));
}
KILLS("any exponent is taken",
      {.vanishes = [](auto& g, unsigned) { return fp8_weight_vanishes(g); }});

}  // namespace sqrtdk::properties::Fp8WeightsVanish
