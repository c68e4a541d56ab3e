// Exact numbers and checks of arguments, tested: what is refused, by which exception, in which words.
#include <sqrtdk/numbers/exp_interval.hpp>
#include <sqrtdk/numbers/pi_fraction.hpp>
#include <sqrtdk/numbers/powers.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/numbers/require.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

namespace {

using namespace sqrtdk;
using ::testing::StrEq;
using ::testing::Throws;
using ::testing::ThrowsMessage;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(Require, SaysWhatANumberIsAndWhatItMustBe) {
  const auto says = [](const char* text) { return ThrowsMessage<std::domain_error>(StrEq(text)); };
  EXPECT_THAT([] { sqrtdk::detail::require_positive("the scale", Rational(-1, 2)); },
              says("the scale is -1/2, but must be greater than 0"));
  EXPECT_THAT([] { sqrtdk::detail::require_greater("the number of keys", 1.0, 1); },
              says("the number of keys is 1, but must be greater than 1"));
  EXPECT_THAT([] { sqrtdk::detail::require_at_least("the dimension", 0U, 1U); },
              says("the dimension is 0, but must be at least 1"));
  EXPECT_THAT([] { sqrtdk::detail::require_at_least_finite("epsilon", infinity, 0); },
              says("epsilon is inf, but must be at least 0 and finite"));
  EXPECT_THAT([] { sqrtdk::detail::require_positive_finite("the temperature", infinity); },
              says("the temperature is inf, but must be greater than 0 and finite"));
  EXPECT_THAT([] { sqrtdk::detail::require_in("the quantile", 1.5, 0, 1); },
              says("the quantile is 1.5, but must be from 0 to 1"));
  EXPECT_THAT([] { sqrtdk::detail::require_between("the level", 1.0, 0.5, 1); },
              says("the level is 1, but must be between 0.5 and 1"));
  EXPECT_THAT([] { sqrtdk::detail::require_that(false, "the divisor", 0, "not be 0"); },
              says("the divisor is 0, but must not be 0"));
}

TEST(Require, CallsAListThatIsTooShortMalformed) {
  EXPECT_THAT([] { sqrtdk::detail::require_size("logits", 0, 1); },
              ThrowsMessage<std::invalid_argument>(
                  StrEq("the number of logits is 0, but must be at least 1")));
  EXPECT_NO_THROW(sqrtdk::detail::require_size("logits", 1, 1));
}

TEST(Require, RefusesNaNEverywhere) {
  EXPECT_THAT([] { sqrtdk::detail::require_positive("x", nan); }, Throws<std::domain_error>());
  EXPECT_THAT([] { sqrtdk::detail::require_positive_finite("x", nan); },
              Throws<std::domain_error>());
  EXPECT_THAT([] { sqrtdk::detail::require_at_least("x", nan, 0); }, Throws<std::domain_error>());
  EXPECT_THAT([] { sqrtdk::detail::require_at_least_finite("x", nan, 0); },
              Throws<std::domain_error>());
  EXPECT_THAT([] { sqrtdk::detail::require_in("x", nan, 0, 1); }, Throws<std::domain_error>());
  EXPECT_THAT([] { sqrtdk::detail::require_between("x", nan, 0, 1); }, Throws<std::domain_error>());
}

TEST(Require, AcceptsTheEndsThatBelongToARange) {
  EXPECT_NO_THROW(sqrtdk::detail::require_at_least("x", 0, 0));
  EXPECT_NO_THROW(sqrtdk::detail::require_in("x", 0, 0, 1));
  EXPECT_NO_THROW(sqrtdk::detail::require_in("x", 1, 0, 1));
  EXPECT_NO_THROW(sqrtdk::detail::require_between("x", 0.5, 0, 1));
  EXPECT_THAT([] { sqrtdk::detail::require_between("x", 0, 0, 1); }, Throws<std::domain_error>());
  EXPECT_THAT([] { sqrtdk::detail::require_positive("x", 0); }, Throws<std::domain_error>());
}

TEST(Text, IsExact) {
  EXPECT_EQ(to_text(Rational(-1, 3)), "-1/3");
  EXPECT_EQ(to_text(0.1), "0.10000000000000001");
}

TEST(Powers, AreExact) {
  EXPECT_EQ(integer_power(Rational(-2, 3), 0), 1);
  EXPECT_EQ(integer_power(Rational(-2, 3), 5), Rational(-32, 243));
  EXPECT_EQ(factorial(0), 1);
  EXPECT_EQ(factorial(20), Integer("2432902008176640000"));
}

TEST(Enclosures, HoldTheNumberBetweenTheirEnds) {
  const Rational pi(Integer("31415926535897932"), Integer("10000000000000000"));  // rounded down
  const Rational e(Integer("27182818284590452"), Integer("10000000000000000"));   // rounded down
  const Rational unit(1, Integer("10000000000000000"));
  EXPECT_LT(pi_bounds().lower, pi + unit);
  EXPECT_GT(pi_bounds().upper, pi);
  EXPECT_LT(exp_enclosure(1).lower, e + unit);
  EXPECT_GT(exp_enclosure(1).upper, e);
  EXPECT_EQ(bounds(PiFraction{3, false}).lower, 3);
  EXPECT_EQ(bounds(PiFraction{3, false}).upper, 3);
}

}  // namespace
