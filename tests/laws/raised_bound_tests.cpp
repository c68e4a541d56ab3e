// Tests that a bound is as tight as its formula.
#include <sqrtdk/testing/laws/raised_bound.hpp>

#include <gtest/gtest.h>

#include <limits>

namespace {

using namespace sqrtdk;
using namespace sqrtdk::testing;

TEST(RaisedBound, IsNotLessThanTheFormulaAndNotMuchMore) {
  const long double formula = 3;
  EXPECT_TRUE(is_raised(3 * (1 + bound_margin), formula));
  EXPECT_FALSE(is_raised(3 * (1 - bound_margin), formula));
  EXPECT_FALSE(is_raised(3 * (1 + 3 * bound_margin), formula));
  EXPECT_TRUE(is_raised(3 * (1 + 3 * bound_margin), formula, 2));
  EXPECT_TRUE(is_raised(2.5, formula, 1, 0.5));
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(is_raised(infinity, static_cast<long double>(infinity)));
  EXPECT_FALSE(is_raised(infinity, formula));
  EXPECT_FALSE(is_raised(std::numeric_limits<double>::quiet_NaN(), formula));
}

}  // namespace
