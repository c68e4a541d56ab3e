// A distribution is a value: how it is built, compared and shown, and what it refuses.
#include <sqrtdk/moments.hpp>
#include <sqrtdk/numbers/require.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <utility>
#include <vector>

namespace {

using namespace sqrtdk;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

const RationalDistribution fair_bit({0, 1}, {Rational(1, 2), Rational(1, 2)});

TEST(FiniteDistribution, IsUsedAsItsPageShows) {
  //! [FiniteDistribution]
  const auto die = RationalDistribution::uniform({1, 2, 3, 4, 5, 6});
  const RationalDistribution loaded({1, 6}, {Rational(1, 3), Rational(2, 3)});
  const Rational spread = variance(die);                           // 35/12
  const RationalDistribution both = sum(die, loaded);              // of the two thrown together
  const Rational seven = both.expectation([](const Rational& x) {  // P(sum = 7)
    return Rational(x == 7 ? 1 : 0);
  });
  const auto parity = die.image([](const Rational& x) {  // {0: 1/2, 1: 1/2}
    return Rational(numerator(x) % 2);
  });
  //! [FiniteDistribution]
  EXPECT_EQ(spread, Rational(35, 12));
  EXPECT_EQ(seven, Rational(1, 6));
  EXPECT_EQ(parity, fair_bit);
}

template <class Result>
concept HasAnExpectation = requires(Result (*function)(const Rational&)) {
  fair_bit.expectation(function);
};

TEST(FiniteDistribution, TakesNoExpectationInATypeThatRoundsProbabilities) {
  static_assert(HasAnExpectation<Rational> && HasAnExpectation<double>);
  static_assert(!HasAnExpectation<int> && !HasAnExpectation<bool>);
}

TEST(FiniteDistribution, RefusesProbabilitiesThatDoNotSumToOne) {
  EXPECT_THAT(
      [] {
        RationalDistribution({0, 1}, {Rational(1, 2), Rational(1, 3)});
      },
      ThrowsMessage<std::invalid_argument>(
          HasSubstr("the probabilities sum to 5/6, but must sum to exactly 1")));
}

TEST(FiniteDistribution, RefusesANegativeProbability) {
  EXPECT_THAT(
      [] {
        RationalDistribution({0, 1}, {Rational(3, 2), Rational(-1, 2)});
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("a probability is -1/2")));
}

TEST(FiniteDistribution, RefusesListsOfDifferentLengths) {
  EXPECT_THAT(
      [] {
        RationalDistribution({0, 1}, {1});
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("2 outcomes but 1 probabilities")));
}

TEST(FiniteDistribution, RefusesToBeEmpty) {
  EXPECT_THROW(RationalDistribution({}, {}), std::invalid_argument);
  EXPECT_THROW(RationalDistribution::uniform({}), std::invalid_argument);
}

TEST(FiniteDistribution, MergesEqualOutcomesAndDropsImpossibleOnes) {
  EXPECT_EQ(RationalDistribution({1, 0, 1, 7}, {Rational(1, 4), Rational(1, 2), Rational(1, 4), 0}),
            fair_bit);
  EXPECT_EQ(RationalDistribution::uniform({1, 0, 1, 0}), fair_bit);
}

TEST(FiniteDistribution, ShowsItselfInOneLine) {
  EXPECT_EQ(to_text(fair_bit), "{0: 1/2, 1: 1/2}");
  EXPECT_EQ(to_text(independent(RationalDistribution::uniform({2}), fair_bit)),
            "{(2, 0): 1/2, (2, 1): 1/2}");
  EXPECT_EQ(to_text(FiniteDistribution<std::vector<Rational>>::uniform({{1, 2, 3}})),
            "{(1, 2, 3): 1}");
}

TEST(FiniteDistribution, AddsAndMultipliesIndependentVariables) {
  EXPECT_EQ(sum(fair_bit, fair_bit),
            RationalDistribution({0, 1, 2}, {Rational(1, 4), Rational(1, 2), Rational(1, 4)}));
  EXPECT_EQ(product(fair_bit, fair_bit),
            RationalDistribution({0, 1}, {Rational(3, 4), Rational(1, 4)}));
}

TEST(FiniteDistribution, SumsCopiesAsRepeatedAdditionDoes) {
  auto repeated = RationalDistribution::uniform({0});
  for (std::size_t count = 0; count < 12; ++count) {
    EXPECT_EQ(sum_of_copies(fair_bit, count), repeated) << count << " copies";
    repeated = sum(repeated, fair_bit);
  }
}

TEST(FiniteDistribution, WorksForFloatingPointOutcomes) {
  const auto distribution = FiniteDistribution<double>::uniform({1.0, 3.0});
  EXPECT_EQ(mean(distribution), 2.0);
  EXPECT_EQ(variance(distribution), 1.0);
}

TEST(Moments, RefuseANegativeVariance) {
  EXPECT_THAT([] { Moments(0, Rational(-1, 3)); },
              ThrowsMessage<std::domain_error>(HasSubstr("the variance is -1/3")));
}

TEST(Moments, OfADependentSumNeedVectorsOfOneLength) {
  const auto ragged = FiniteDistribution<std::vector<Rational>>::uniform({{1}, {1, 2}});
  EXPECT_THAT([&] { variance_of_dependent_sum(ragged); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("lengths 1 and 2")));
}

}  // namespace
