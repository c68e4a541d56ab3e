// Numbers and words as documents have them.
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/testing/reporting/printed.hpp>

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <stdexcept>

namespace {

using namespace sqrtdk;
using namespace sqrtdk::testing;

TEST(Printed, ANumberStandsForEverythingThatRoundsToIt) {
  const Interval<Rational> number = parse_printed("2.67");
  EXPECT_EQ(number.lower, Rational(2665, 1000));
  EXPECT_EQ(number.upper, Rational(2675, 1000));
}

TEST(Printed, SignsThousandsAndLeadingZerosAreRead) {
  EXPECT_EQ(parse_printed("1,387,386").lower, Rational(2774771, 2));
  EXPECT_EQ(parse_printed("-0.39").upper, Rational(-385, 1000));
  EXPECT_EQ(parse_printed("0.080").lower, Rational(795, 10000));
  EXPECT_EQ(parse_printed("0").upper, Rational(1, 2));
}

TEST(Printed, AnythingElseIsRefused) {
  for (const char* bad : {"", "-", "1e5", "1.2.3", "two", "0x10"})
    EXPECT_THROW(parse_printed(bad), std::invalid_argument) << bad;
}

TEST(Printed, AWrongNumberFails) {
  EXPECT_NONFATAL_FAILURE(expect_printed("S2", "2.67", 3), "S2 prints 2.67");
  EXPECT_NONFATAL_FAILURE(expect_misprinted("S2", "2.67", Rational(8, 3), "2.67"),
                          "which is right");
  EXPECT_NONFATAL_FAILURE(expect_misprinted("S2", "2.67", 3, "4"), "is wrong as well");
}

TEST(Printed, WordsThatHoldAreNotRefuted) {
  EXPECT_NONFATAL_FAILURE(expect_refuted("S2", "always", true, "sometimes"),
                          "S2 says 'always', which is right");
  expect_refuted("S2", "always", false, "sometimes");
}

}  // namespace
