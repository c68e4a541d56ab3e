#include "properties/moments/fixture.hpp"
#include "properties/support/rational_distributions.hpp"

namespace sqrtdk::properties::RangeBoundsVariance {

//! [RangeBoundsVariance]
STATEMENT(RangeBoundsVariance, HoldsForEveryListOfValues) {
  for_all([&] {
    const auto count = *rc::gen::inRange<std::size_t>(2, 8).as("number of values");
    const auto values =
        *rc::gen::container<std::vector<Rational>>(count, any_rational()).as("values");
    const auto [a, b] = std::minmax_element(values.begin(), values.end());
    const Interval<Rational> bounds = subject.variance_bounds(count, *a, *b);
    const Rational v = variance(RationalDistribution::uniform(values));
    EXPECT_EXACTLY(bounds.lower <= v);
    EXPECT_EXACTLY(v <= bounds.upper);
  });
}
//! [RangeBoundsVariance]
KILLS("the lower bound of a quarter", {.variance_bounds = [](auto n, auto& a, auto& b) {
        return Interval<Rational>{variance_bounds(n, a, b).upper, variance_bounds(n, a, b).upper};
      }});
KILLS("the range is not squared", {.variance_bounds = [](auto n, auto& a, auto& b) {
        return Interval<Rational>{(b - a) / Rational(2 * n), (b - a) / 4};
      }});
KILLS("an eighth of the squared range", {.variance_bounds = [](auto n, auto& a, auto& b) {
        return Interval<Rational>{variance_bounds(n, a, b).lower, (b - a) * (b - a) / 8};
      }});

STATEMENT(RangeBoundsVariance, BothBoundsAreReached) {
  for_all([&] {
    const Rational a = *any_rational().as("the least value");
    const Rational b = a + *positive_rational().as("the range");
    const auto count = *rc::gen::inRange<std::size_t>(2, 10).as("number of values");
    const Interval<Rational> bounds = subject.variance_bounds(count, a, b);
    std::vector<Rational> middle(count, (a + b) / 2);
    middle.front() = a;
    middle.back() = b;
    EXPECT_EXACTLY(subject.variance(RationalDistribution::uniform(middle)) == bounds.lower);
    // Halves at both ends; with an odd number one value is left over, and the bound is not met.
    std::vector<Rational> ends(count / 2, a);
    ends.resize(count, b);
    const Rational greatest = subject.variance(RationalDistribution::uniform(ends));
    EXPECT_EXACTLY((greatest == bounds.upper) == (count % 2 == 0));
    EXPECT_EXACTLY(greatest <= bounds.upper);
  });
}
KILLS("one end counts, not both", {.variance_bounds = [](auto n, auto& a, auto& b) {
        return Interval<Rational>{(b - a) * (b - a) / Rational(4 * n),
                                  variance_bounds(n, a, b).upper};
      }});
KILLS("an odd number of values counts as one more",
      {.variance_bounds = [](auto n, auto& a, auto& b) {
        return Interval<Rational>{variance_bounds(n + n % 2, a, b).lower,
                                  variance_bounds(n, a, b).upper};
      }});
KILLS("half of the squared range", {.variance_bounds = [](auto n, auto& a, auto& b) {
        return Interval<Rational>{variance_bounds(n, a, b).lower, (b - a) * (b - a) / 2};
      }});

//! [RangeBoundsVariance: exact check]
STATEMENT(RangeBoundsVariance, TheDocumentsTwoClasses) {
  const auto narrow = [&](std::size_t students) {
    return subject.variance_bounds(students, 5, Rational(11, 2)).upper;
  };
  const auto wide = [&](std::size_t students) {
    return subject.variance_bounds(students, 3, 7).lower;
  };
  EXPECT_EXACTLY(narrow(30) == Rational(1, 16));
  EXPECT_EXACTLY(wide(30) == Rational(4, 15));
  for (std::size_t students = 2; students < 128; ++students)
    EXPECT_EXACTLY(narrow(students) < wide(students)) << students << " students";
  EXPECT_EXACTLY(narrow(128) == wide(128));
  enumerated(127);
}
KILLS("a wide range always means a high variance",
      {.variance_bounds = [](auto, auto& a, auto& b) { return variance_bounds(2, a, b); }});

ASIDE(RangeBoundsVariance, AmongManyStudentsTheWideClassCanVaryAsLittle) {
  std::vector<Rational> in_the_middle(128, 5);
  in_the_middle.front() = 3;
  in_the_middle.back() = 7;
  std::vector<Rational> in_halves(64, 5);
  in_halves.resize(128, Rational(11, 2));
  EXPECT_EXACTLY(subject.variance(RationalDistribution::uniform(in_the_middle)) == Rational(1, 16));
  EXPECT_EXACTLY(subject.variance(RationalDistribution::uniform(in_halves)) == Rational(1, 16));
  enumerated(2);
  counterexample_without("few values");
}
//! [RangeBoundsVariance: exact check]
KILLS("the sample variance, divided by n − 1", {.variance = [](auto& x) -> Rational {
        const Rational n(128);  // the number of students
        return variance(x) * n / (n - 1);
      }});

ASIDE(RangeBoundsVariance, RefusesARangeThatIsNone) {
  expect_refusal<std::domain_error>([&] { subject.variance_bounds(1, 0, 1); });
  expect_refusal<std::domain_error>([&] { subject.variance_bounds(3, 1, 0); });
}
KILLS("a single value is accepted", {.variance_bounds = [](auto n, auto& a, auto& b) {
        return variance_bounds(std::max<std::size_t>(n, 2), a, b);
      }});
KILLS("the ends may be exchanged", {.variance_bounds = [](auto n, auto& a, auto& b) {
        return variance_bounds(n, std::min(a, b), std::max(a, b));
      }});

}  // namespace sqrtdk::properties::RangeBoundsVariance
