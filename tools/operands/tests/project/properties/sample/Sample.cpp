// Comparisons that an exact test may not make, each marked, and others that look like them.
#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/testing/claim_tests.hpp>
#include <sqrtdk/testing/laws/outcome.hpp>
#include <sqrtdk/testing/laws/wide.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>
#include <sqrtdk/testing/reporting/expect_near.hpp>
#include <sqrtdk/testing/reporting/printed.hpp>

#include "properties/sample/fixture.hpp"

#include <Eigen/Core>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace sqrtdk::properties::Sample {

using namespace sqrtdk::testing;

double root_of(double x) {
  if (x < 0) return 0;  // computes a number, which is compared elsewhere
  return std::sqrt(x);
}

struct Subject {
  bool (*is_small)(double) = [](double x) { return x < 2; };
};

STATEMENT(Sample, Exact) {
  const double x = root_of(2), y = root_of(3);
  const Wide wide = 2;
  const std::vector<double> list = {x, y};
  const Eigen::Vector2d vector(x, y);
  const Eigen::half half(1);
  const Outcome outcome;
  EXPECT_LT(x, y);                                    // found
  EXPECT_EQ(x, y);                                    // found
  EXPECT_EQ(x, 2);                                    // found
  EXPECT_DOUBLE_EQ(x, y);                             // found
  EXPECT_NEAR(x, y, 1e-9);                            // found
  EXPECT_EQ(list, list);                              // found
  EXPECT_EQ(vector, vector);                          // found
  EXPECT_TRUE(vector.isApprox(vector));               // found
  EXPECT_TRUE(std::equal(list.begin(), list.end(),    // found
                         list.begin(), list.end()));  // its second line
  EXPECT_TRUE(x < y);                                 // found
  EXPECT_TRUE(half == half);                          // found
  EXPECT_TRUE(wide * wide > 1);                       // found
  RC_ASSERT(std::abs(x - y) < 1e-9);                  // found
  RC_ASSERT(2 * wide >= wide);                        // found
  EXPECT_EXACTLY((x < y));                            // found
  EXPECT_EXACTLY(!(x < y || x > 7)) << "two in one";  // found
  expect_near(x, y, 1, "where");                      // found
  expect_confirmed("S1", "words", x < y);             // found
  const bool smaller = x < y;                         // found
  const auto are_near = [](auto a, auto b) {
    return a - b < 1;  // found
  };
  const auto wide_enough = [&] { return wide > 1; };         // found
  if (x != y) FAIL();                                        // found
  for (; x > y;) FAIL();                                     // found
  EXPECT_TRUE(std::less<double>()(x, y));                    // found
  EXPECT_TRUE(std::less<>()(x, y));                          // found
  EXPECT_TRUE(std::isless(x, y));                            // found
  EXPECT_TRUE(std::ranges::is_sorted(list));                 // found
  EXPECT_TRUE(vector.isConstant(x));                         // found
  EXPECT_TRUE(vector.isMuchSmallerThan(y));                  // found
  EXPECT_THAT(x, ::testing::DoubleNear(y, 1e-9));            // found
  EXPECT_EXACTLY(std::lround(x) == 1);                       // found
  EXPECT_EXACTLY(1 == static_cast<int>(y));                  // found
  EXPECT_EXACTLY(static_cast<bool>(x));                      // found
  EXPECT_EXACTLY(!std::signbit(x - y));                      // found
  EXPECT_EXACTLY(vector.cast<int>() == vector.cast<int>());  // found
  EXPECT_EXACTLY(format_significant(x, 3) == "1.41");        // found
  EXPECT_EXACTLY(outcome.holds());                           // found
  EXPECT_EXACTLY(outcome.holds_exactly());
  EXPECT_EXACTLY(bits_of(checked(x, y)) == bits_of(x));
  EXPECT_EXACTLY(smaller == are_near(x, y));
  EXPECT_EXACTLY(wide_enough());
  EXPECT_EXACTLY(agree(x, y));
  EXPECT_EXACTLY(agree_in(list));

  EXPECT_EXACTLY(bits_of(x) == bits_of(y));
  EXPECT_EXACTLY(bits_of(list) == bits_of(list));
  EXPECT_EXACTLY(Rational(x) == Rational(y));
  EXPECT_EQ(list.size(), 2U);
  EXPECT_TRUE(std::isfinite(x) && vector.size() == 2);
  for (double z = 0; z < 1; z += 0.25) EXPECT_TRUE(list.begin() != list.end());
  for (const double number : list) {
    const int case_number = static_cast<int>(number);
    EXPECT_EXACTLY(case_number == 0);
  }
  const int sign = x < 0 ? -1 : 1;  // exact: a sign
  // exact: the choice of a case, for a reason that needs
  // two lines
  const int size = x < 1 ? 0 : 1;
  EXPECT_EXACTLY(sign == size);
}

TEST(Sample, Bounded) {
  EXPECT_LT(root_of(2), 2);
  EXPECT_EXACTLY(not_reached(1));
}

}  // namespace sqrtdk::properties::Sample
