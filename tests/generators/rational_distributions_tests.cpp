// Random rational numbers and distributions, and what they shrink to.
#include <sqrtdk/moments.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/testing/generators/rational_distributions.hpp>
#include <sqrtdk/testing/property.hpp>

#include "tests/fixed_draws.hpp"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>
#include <utility>
#include <vector>

namespace {

using namespace sqrtdk;
using namespace sqrtdk::testing;

TEST(Generators, StandardizedDistributionsHaveMeanZeroAndVarianceOne) {
  for_all([] {
    const RationalDistribution distribution = *standardized_distribution();
    RC_ASSERT(mean(distribution) == 0);
    RC_ASSERT(variance(distribution) == 1);
  });
}

TEST(Generators, DistributionsOfEveryKindOccur) {
  int degenerate = 0;
  int skewed = 0;
  int huge = 0;
  for (const RationalDistribution& distribution : fixed_draws(any_distribution(), default_cases)) {
    degenerate += variance(distribution) == 0 ? 1 : 0;
    skewed += central_moment(distribution, 3) != 0 ? 1 : 0;
    huge += abs(distribution.atoms().back().outcome) > sqrtdk::testing::ten_to_the_thirtieth() / 2
                ? 1
                : 0;
  }
  EXPECT_GT(degenerate, 0);
  EXPECT_GT(skewed, 0);
  EXPECT_GT(huge, 0);
}

/// The end of shrinking from x on, if everything from 7 on is a counterexample.
Rational shrunk_from(Rational x) {
  for (bool again = true; again;) {
    again = false;
    for (const Rational& candidate : sqrtdk::testing::shrinks(x)) {
      if (candidate < 7) continue;
      x = candidate;
      again = true;
      break;
    }
  }
  return x;
}

TEST(Generators, ShrinkTowardsTheSimplestCounterexampleFromWhereverTheyStart) {
  int starts = 0;
  for (const Rational& x : fixed_draws(any_rational(), 2000)) {
    if (x < 7) continue;
    EXPECT_EQ(shrunk_from(x), 7) << x;
    ++starts;
  }
  EXPECT_GT(starts, 20);
}

TEST(Generators, ShowTheSimplestCounterexample) {
  // The first case fails, whatever it is, so that nothing need be found.
  const auto from_22_thirds = [] {
    const rc::Gen<Rational> start = rc::gen::just(Rational(22, 3));
    const Rational x = *sqrtdk::testing::shrinking_to_simple(start).as("x");
    RC_ASSERT(x < 7);
  };
  EXPECT_NONFATAL_FAILURE(for_all(from_22_thirds), "x:\n7\n");
  const auto always = [] {
    const Rational x = *any_rational().as("x");
    RC_ASSERT(x != x);
  };
  EXPECT_NONFATAL_FAILURE(for_all(always), "x:\n0\n");
}

TEST(Generators, AFailureSaysHowToReplayIt) {
  EXPECT_NONFATAL_FAILURE(for_all([] { RC_FAIL("always"); }),
                          "--gtest_filter=Generators.AFailureSaysHowToReplayIt");
}

}  // namespace
