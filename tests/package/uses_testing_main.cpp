#include <sqrtdk/moments.hpp>
#include <sqrtdk/testing/generators/rational_distributions.hpp>
#include <sqrtdk/testing/property.hpp>

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

TEST(OutsideProject, ShiftsDoNotChangeAVariance) {
  sqrtdk::testing::for_all([] {
    const auto distribution = *sqrtdk::testing::any_distribution().as("distribution");
    const auto shift = *sqrtdk::testing::any_rational().as("shift");
    const auto shifted =
        distribution.image([&](const auto& x) { return sqrtdk::Rational(x + shift); });
    RC_ASSERT(sqrtdk::variance(shifted) == sqrtdk::variance(distribution));
  });
}

TEST(OutsideProject, APropertyThatDoesNotHoldFails) {
  EXPECT_NONFATAL_FAILURE(sqrtdk::testing::for_all([] {
                            const auto drawn = *sqrtdk::testing::any_distribution().as("drawn");
                            RC_ASSERT(sqrtdk::variance(drawn) == 0);
                          }),
                          "drawn");
}
