// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/numbers/exp_interval.hpp>
#include <sqrtdk/numbers/interval.hpp>
#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>
#include <sqrtdk/testing/reporting/expect_refusal.hpp>
#include <sqrtdk/variants_formats.hpp>

#include "properties/variants/fixture.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <vector>

namespace sqrtdk::properties::Fp8WeightsVanish {

using namespace sqrtdk::testing;

constexpr BinaryFormat e5m2{.digits = 3, .fraction = 16, .largest = 57344};

const std::vector<Mutant<Fp8>> fp8_weights_vanish_mutants = {
    {"the other eight-bit format",
     "AShareOfOneInAThousandAndTwentyFourIs0",
     {.sum = [](unsigned n, const BinaryFormat&) { return sum_of_rounded_shares(n, e5m2); }}},
    {"half of the least number counts",
     "AWeightIs0FromTenLogarithmsOfTwoOn",
     {.vanishes = [](const Rational& g, unsigned k) { return exp_enclosure(g).lower > 512 << k; }}},
    {"the scale is forgotten",
     "AWeightIs0FromTenLogarithmsOfTwoOn",
     {.vanishes = [](const Rational& g, unsigned) { return fp8_weight_vanishes(g); }}},
    {"scaled by 448",
     "TheThresholdsOfThePage",
     {.vanishes =
          [](const Rational& g, unsigned k) {
            return exp_enclosure(g).lower > 1024 * (k == 8 ? 448 : 1 << k);
          }}},
    {"1024 weights are kept",
     "TheThresholdsOfThePage",
     {.sum =
          [](unsigned n, const BinaryFormat& f) {
            return n == 1024 ? Rational(2) : sum_of_rounded_shares(n, f);
          }}},
    {"ties go up",
     "RoundingFindsTheNearestOfAllNumbers",
     {.rounded = [](const Rational& x,
                    const BinaryFormat& f) { return rounded_to(x + Rational(1, 1 << 30), f); }}},
    {"the other format's subnormal numbers",
     "WithoutSubnormalNumbersLessIsLeft",
     {.sum = [](unsigned n, const BinaryFormat&) { return sum_of_rounded_shares(n, e5m2); }}},
    {"flushed before it is rounded",
     "WithoutSubnormalNumbersLessIsLeft",
     {.rounded =
          [](const Rational& x, const BinaryFormat& f) {
            return 64 * x < 1 ? Rational(0) : rounded_to(x, f);
          }}},
    {"rounded down",
     "TiesThatGoUpKeepOneMore",
     {.rounded = [](const Rational& x, const BinaryFormat&) { return x < 1 ? Rational(0) : x; }}},
    {"any exponent is taken",
     "RefusesWhatIsOutOfRange",
     {.vanishes = [](const Rational& g, unsigned) { return fp8_weight_vanishes(g); }}},
};

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

//! [Fp8WeightsVanish]
TEST(Fp8WeightsVanish, AShareOfOneInAThousandAndTwentyFourIs0) {
  check_statement(fp8_weights_vanish_mutants, [](const Fp8& fp8) {
    const auto check = [&](unsigned n) {
      const Rational sum = fp8.sum(n, e4m3_format);
      EXPECT_EXACTLY((sum == 0) == (n >= 1024)) << n << " weights";
      if (n >= 342 && n < 1024) EXPECT_EXACTLY(sum == Rational(n, 512)) << n << " weights";
    };
    for (unsigned n = 1; n <= 2048; ++n) check(n);
    enumerated(2048);
    for_all(
        [&] { check(*rc::gen::resize(rc::kNominalSize, rc::gen::inRange(1U, 1U << 20)).as("n")); });
  });
}

TEST(Fp8WeightsVanish, AWeightIs0FromTenLogarithmsOfTwoOn) {
  check_statement(fp8_weights_vanish_mutants, [](const Fp8& fp8) {
    for_all([&] {
      const int most = 20000;  // beyond every threshold
      const Rational gap(*rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, most)).as("1000 g"),
                         1000);
      const unsigned k = *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0U, 9U)).as("k");
      const Interval<Rational> growth = exp_enclosure(gap);
      for (const Rational& end : {growth.lower, growth.upper})
        EXPECT_EXACTLY(fp8.vanishes(gap, k) == (rounded_to((1U << k) / end, e4m3_format) == 0));
    });
  });
}
//! [Fp8WeightsVanish]

//! [Fp8WeightsVanish: exact check]
TEST(Fp8WeightsVanish, TheThresholdsOfThePage) {
  check_statement(fp8_weights_vanish_mutants, [](const Fp8& fp8) {
    EXPECT_EXACTLY(fp8.sum(1023, e4m3_format) == Rational(1023, 512));
    EXPECT_EXACTLY(fp8.sum(1024, e4m3_format) == 0);
    EXPECT_EXACTLY(!fp8.vanishes(Rational(6931, 1000), 0));
    EXPECT_EXACTLY(fp8.vanishes(Rational(6932, 1000), 0));
    EXPECT_EXACTLY(!fp8.vanishes(Rational(12476, 1000), 8));
    EXPECT_EXACTLY(fp8.vanishes(Rational(12477, 1000), 8));
    enumerated(6);
    record_value("plain", format_fixed(10 * std::log(2.), 3));
    record_value("scaled", format_fixed(18 * std::log(2.), 3));
  });
}
//! [Fp8WeightsVanish: exact check]

//! [Fp8WeightsVanish: second route]
TEST(Fp8WeightsVanish, RoundingFindsTheNearestOfAllNumbers) {
  check_with_mutants(fp8_weights_vanish_mutants, [](const Fp8& fp8) {
    const std::vector<Rational> numbers = all_numbers();
    for (std::size_t i = 0; i + 1 < numbers.size(); ++i) {
      const Rational& low = numbers[i];
      const Rational& high = numbers[i + 1];
      const Rational step = high - low, even = i % 2 == 0 ? low : high;
      EXPECT_EXACTLY(fp8.rounded(low, e4m3_format) == low);
      EXPECT_EXACTLY(fp8.rounded(low + step / 2, e4m3_format) == even);
      EXPECT_EXACTLY(fp8.rounded(low + step * Rational(49, 100), e4m3_format) == low);
      EXPECT_EXACTLY(fp8.rounded(low + step * Rational(51, 100), e4m3_format) == high);
    }
    EXPECT_EXACTLY(numbers.back() == e4m3_format.largest);
    enumerated(4 * numbers.size() - 3);
  });
}
//! [Fp8WeightsVanish: second route]

TEST(Fp8WeightsVanish, WithoutSubnormalNumbersLessIsLeft) {
  check_with_mutants(fp8_weights_vanish_mutants, [](const Fp8& fp8) {
    const Rational share(1, 300), least_normal(1, 64);
    EXPECT_EXACTLY(share < least_normal);  // so that 0 is left of it without subnormal numbers
    EXPECT_EXACTLY(fp8.sum(300, e4m3_format) == Rational(75, 64));
    // Rounded first, and then flushed, 1/68 is the last that is kept.
    EXPECT_EXACTLY(fp8.rounded(Rational(1, 68), e4m3_format) == least_normal);
    EXPECT_EXACTLY(fp8.rounded(Rational(1, 69), e4m3_format) == Rational(7, 512));
    EXPECT_EXACTLY((Rational(1, 65) < least_normal && Rational(7, 512) < least_normal));
    counterexample_without("subnormal numbers");
  });
}

TEST(Fp8WeightsVanish, TiesThatGoUpKeepOneMore) {
  check_with_mutants(fp8_weights_vanish_mutants, [](const Fp8& fp8) {
    const Rational tie(1, 1024), above = tie + Rational(1, 1 << 20);
    EXPECT_EXACTLY(fp8.rounded(tie, e4m3_format) == 0);
    EXPECT_EXACTLY(fp8.rounded(above, e4m3_format) == 2 * tie);  // what ties that go up make of it
    counterexample_without("ties to even");
  });
}

TEST(Fp8WeightsVanish, RefusesWhatIsOutOfRange) {
  check_with_mutants(fp8_weights_vanish_mutants, [](const Fp8& fp8) {
    expect_refusal<std::domain_error>([&] { return fp8.sum(0, e4m3_format); });
    expect_refusal<std::domain_error>([&] { return fp8.vanishes(-1, 0); });
    expect_refusal<std::domain_error>([&] { return fp8.vanishes(20, 9); });
    EXPECT_EXACTLY(fp8.vanishes(20, 8));
  });
}

}  // namespace sqrtdk::properties::Fp8WeightsVanish
