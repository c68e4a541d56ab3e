// The printing of numbers.
#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/score/square.hpp>

#include <gtest/gtest.h>

namespace {

using namespace sqrtdk;

TEST(NumberText, RoundsToDigitsOrToPlaces) {
  EXPECT_EQ(format_significant(0.0125, 3), "0.0125");
  EXPECT_EQ(format_significant(1234.5, 2), "1.2e+03");
  EXPECT_EQ(format_fixed(3.1, 2), "3.10");
  EXPECT_EQ(format_fixed(-1e20, 0), "-100000000000000000000");
  EXPECT_EQ(format_shortest(0.1), "0.1");
  EXPECT_EQ(format_shortest(0x1p-1074), "5e-324");
}

TEST(NumberText, BoundsAreRoundedOutward) {
  EXPECT_EQ(rounded_down(0.60653, 3), "0.606");
  EXPECT_EQ(rounded_up(0.60653, 3), "0.607");
  EXPECT_EQ(rounded_down(-0.5, 0), "-1");
  EXPECT_EQ(rounded_up(0.25, 2), "0.25");
  // These two are not decimals, but next to them: the first above, the second below.
  EXPECT_EQ(rounded_up(1.1, 1), "1.2");
  EXPECT_EQ(rounded_down(0.3, 1), "0.2");
  EXPECT_EQ(format_fixed(1.1, 1), "1.1");
}

TEST(NumberText, MonomialsLeaveOutWhatHasNoPart) {
  EXPECT_EQ(to_text(Monomial{{2, 0, 1}, {0, 0, 3}}), "q1^2 q3 k3^3");
  EXPECT_EQ(to_text(Monomial{{0, 0}, {0, 1}}), "k2");
  EXPECT_EQ(to_text(Monomial{{0}, {0}}), "1");
  EXPECT_EQ(to_text(TermCounts{.squares = 3, .crosses = 6}), "3 squares and 6 cross terms");
}

}  // namespace
