// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/finite_distribution.hpp>
#include <sqrtdk/moments.hpp>
#include <sqrtdk/numbers/interval.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/testing/generators/rational_distributions.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>
#include <sqrtdk/testing/reporting/expect_refusal.hpp>

#include "properties/moments/fixture.hpp"
#include "properties/support/rational_distributions.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <vector>

namespace sqrtdk::properties::RangeBoundsVariance {

using namespace sqrtdk::testing;

const Mutants range_bounds_variance_mutants = {
    {"the lower bound of a quarter",
     "HoldsForEveryListOfValues",
     {.variance_bounds =
          [](std::size_t n, const Rational& a, const Rational& b) {
            return Interval<Rational>{variance_bounds(n, a, b).upper,
                                      variance_bounds(n, a, b).upper};
          }}},
    {"the range is not squared",
     "HoldsForEveryListOfValues",
     {.variance_bounds =
          [](std::size_t n, const Rational& a, const Rational& b) {
            return Interval<Rational>{(b - a) / Rational(2 * n), (b - a) / 4};
          }}},
    {"an eighth of the squared range",
     "HoldsForEveryListOfValues",
     {.variance_bounds =
          [](std::size_t n, const Rational& a, const Rational& b) {
            return Interval<Rational>{variance_bounds(n, a, b).lower, (b - a) * (b - a) / 8};
          }}},
    {"one end counts, not both",
     "BothBoundsAreReached",
     {.variance_bounds =
          [](std::size_t n, const Rational& a, const Rational& b) {
            return Interval<Rational>{(b - a) * (b - a) / Rational(4 * n),
                                      variance_bounds(n, a, b).upper};
          }}},
    {"an odd number of values counts as one more",
     "BothBoundsAreReached",
     {.variance_bounds =
          [](std::size_t n, const Rational& a, const Rational& b) {
            return Interval<Rational>{variance_bounds(n + n % 2, a, b).lower,
                                      variance_bounds(n, a, b).upper};
          }}},
    {"the sample variance, divided by n − 1",
     "AmongManyStudentsTheWideClassCanVaryAsLittle",
     {.variance = [](const RationalDistribution& x) -> Rational {
       const Rational n(128);  // the number of students
       return variance(x) * n / (n - 1);
     }}},
    {"half of the squared range",
     "BothBoundsAreReached",
     {.variance_bounds =
          [](std::size_t n, const Rational& a, const Rational& b) {
            return Interval<Rational>{variance_bounds(n, a, b).lower, (b - a) * (b - a) / 2};
          }}},
    {"a wide range always means a high variance",
     "TheDocumentsTwoClasses",
     {.variance_bounds = [](std::size_t, const Rational& a,
                            const Rational& b) { return variance_bounds(2, a, b); }}},
    {"a single value is accepted",
     "RefusesARangeThatIsNone",
     {.variance_bounds =
          [](std::size_t n, const Rational& a, const Rational& b) {
            return variance_bounds(std::max<std::size_t>(n, 2), a, b);
          }}},
    {"the ends may be exchanged",
     "RefusesARangeThatIsNone",
     {.variance_bounds =
          [](std::size_t n, const Rational& a, const Rational& b) {
            return variance_bounds(n, std::min(a, b), std::max(a, b));
          }}},
};

//! [RangeBoundsVariance]
TEST(RangeBoundsVariance, HoldsForEveryListOfValues) {
  check_statement(range_bounds_variance_mutants, [](const Rules& rules) {
    for_all([&] {
      const auto count = *rc::gen::inRange<std::size_t>(2, 8).as("number of values");
      const auto values =
          *rc::gen::container<std::vector<Rational>>(count, any_rational()).as("values");
      const auto [a, b] = std::minmax_element(values.begin(), values.end());
      const Interval<Rational> bounds = rules.variance_bounds(count, *a, *b);
      const Rational v = variance(RationalDistribution::uniform(values));
      EXPECT_EXACTLY(bounds.lower <= v);
      EXPECT_EXACTLY(v <= bounds.upper);
    });
  });
}
//! [RangeBoundsVariance]

TEST(RangeBoundsVariance, BothBoundsAreReached) {
  check_statement(range_bounds_variance_mutants, [](const Rules& rules) {
    for_all([&] {
      const Rational a = *any_rational().as("the least value");
      const Rational b = a + *positive_rational().as("the range");
      const auto count = *rc::gen::inRange<std::size_t>(2, 10).as("number of values");
      const Interval<Rational> bounds = rules.variance_bounds(count, a, b);
      std::vector<Rational> middle(count, (a + b) / 2);
      middle.front() = a;
      middle.back() = b;
      EXPECT_EXACTLY(rules.variance(RationalDistribution::uniform(middle)) == bounds.lower);
      // Halves at both ends; with an odd number one value is left over, and the bound is not met.
      std::vector<Rational> ends(count / 2, a);
      ends.resize(count, b);
      const Rational greatest = rules.variance(RationalDistribution::uniform(ends));
      EXPECT_EXACTLY((greatest == bounds.upper) == (count % 2 == 0));
      EXPECT_EXACTLY(greatest <= bounds.upper);
    });
  });
}

//! [RangeBoundsVariance: exact check]
TEST(RangeBoundsVariance, TheDocumentsTwoClasses) {
  check_statement(range_bounds_variance_mutants, [](const Rules& rules) {
    const auto narrow = [&](std::size_t students) {
      return rules.variance_bounds(students, 5, Rational(11, 2)).upper;
    };
    const auto wide = [&](std::size_t students) {
      return rules.variance_bounds(students, 3, 7).lower;
    };
    EXPECT_EXACTLY(narrow(30) == Rational(1, 16));
    EXPECT_EXACTLY(wide(30) == Rational(4, 15));
    for (std::size_t students = 2; students < 128; ++students)
      EXPECT_EXACTLY(narrow(students) < wide(students)) << students << " students";
    EXPECT_EXACTLY(narrow(128) == wide(128));
    enumerated(127);
  });
}

TEST(RangeBoundsVariance, AmongManyStudentsTheWideClassCanVaryAsLittle) {
  check_with_mutants(range_bounds_variance_mutants, [](const Rules& rules) {
    std::vector<Rational> in_the_middle(128, 5);
    in_the_middle.front() = 3;
    in_the_middle.back() = 7;
    std::vector<Rational> in_halves(64, 5);
    in_halves.resize(128, Rational(11, 2));
    EXPECT_EXACTLY(rules.variance(RationalDistribution::uniform(in_the_middle)) == Rational(1, 16));
    EXPECT_EXACTLY(rules.variance(RationalDistribution::uniform(in_halves)) == Rational(1, 16));
    enumerated(2);
    counterexample_without("few values");
  });
}
//! [RangeBoundsVariance: exact check]

TEST(RangeBoundsVariance, RefusesARangeThatIsNone) {
  check_with_mutants(range_bounds_variance_mutants, [](const Rules& rules) {
    expect_refusal<std::domain_error>([&] { rules.variance_bounds(1, 0, 1); });
    expect_refusal<std::domain_error>([&] { rules.variance_bounds(3, 1, 0); });
  });
}

}  // namespace sqrtdk::properties::RangeBoundsVariance
