#include <sqrtdk/testing/expect_draws.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/statistics/e_process.hpp>
#include <sqrtdk/testing/statistics/seed.hpp>

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

namespace {

using namespace sqrtdk::testing;
using boost::math::normal;

/// A process that bets on variances that are twice or half of the right one.
Wealth two_bets(int alpha_exponent) { return {alpha_exponent, {"twice", "half"}}; }

Round night_of(std::uint64_t seed, std::size_t n, double variance) {
  Stream stream = stream_of(seed, current_test_name());
  const normal truth(0, std::sqrt(variance));
  const double t = VarianceCheck(normal()).statistic(draws(
      n, [&](Stream& source) { return draw(truth, source); }, stream));
  return {seed, {log2_growth_on_variance(t, n, 2), log2_growth_on_variance(t, n, 0.5)}};
}

TEST(EProcess, GrowthIsTheLogarithmOfTheRatioOfDensities) {
  const std::vector<double> x = {0.5, -1.25, 2};
  const auto log2_ratio = [&](const normal& wrong) {
    double ratio = 1;
    for (const double value : x) ratio *= pdf(wrong, value) / pdf(normal(), value);
    return std::log2(ratio);
  };
  EXPECT_NEAR(log2_growth_on_mean(MeanCheck(normal()).statistic(x), 3, 0.75),
              log2_ratio(normal(0.75, 1)), 1e-14);
  EXPECT_NEAR(log2_growth_on_variance(VarianceCheck(normal()).statistic(x), 3, 2.25),
              log2_ratio(normal(0, 1.5)), 1e-14);
  EXPECT_EQ(log2_growth_on_count({3, 5}, 0.5, 0.25), -3 + 2 * std::log2(1.5));
}

TEST(EProcess, ABetIsWorthOneOnAverageIfTheDistributionIsTrue) {
  // E 2^growth over Bin(n, p), summed; and over χ²ₙ, integrated.
  double mean = 0;
  for (std::size_t x = 0; x <= 20; ++x)
    mean += pdf(boost::math::binomial(20, 0.3), static_cast<double>(x)) *
            std::exp2(log2_growth_on_count({x, 20}, 0.3, 0.6));
  EXPECT_NEAR(mean, 1, 1e-13);
  for (const double ratio : {0.5, 2.0}) {
    const boost::math::chi_squared distribution(5);
    const auto integrand = [&](double t) {
      return pdf(distribution, t) * std::exp2(log2_growth_on_variance(t, 5, ratio));
    };
    // Beyond 400 the integrand is below exp(-100).
    using boost::math::quadrature::gauss_kronrod;
    EXPECT_NEAR((gauss_kronrod<double, 61>::integrate(integrand, 0, 400, 15)), 1, 1e-9);
  }
}

TEST(EProcess, WealthIsTheAverageOfTheBetsAndIsMultipliedNightByNight) {
  Wealth wealth = two_bets(20);
  EXPECT_EQ(wealth.log2_wealth(), 0);
  wealth.add({1, {1, -1}});
  EXPECT_DOUBLE_EQ(wealth.log2_wealth(), std::log2((2 + 0.5) / 2));
  wealth.add({2, {2, 3}});
  EXPECT_DOUBLE_EQ(wealth.log2_wealth(), std::log2((8 + 4) / 2.0));
  EXPECT_EQ(wealth.best_bet(), "twice");
  wealth.add({3, {-5000, -5000}});
  EXPECT_DOUBLE_EQ(wealth.log2_wealth(), std::log2(6) - 5000);
  EXPECT_DOUBLE_EQ(wealth.highest(), std::log2(6));
  EXPECT_FALSE(wealth.rejected());
}

TEST(EProcess, ARejectionIsNotForgotten) {
  Wealth wealth = two_bets(20);
  wealth.add({1, {21, -9}});
  EXPECT_TRUE(wealth.rejected()) << wealth.log2_wealth();
  wealth.add({2, {-40, -40}});
  EXPECT_LT(wealth.log2_wealth(), 0);
  EXPECT_TRUE(wealth.rejected()) << wealth.log2_wealth();
}

TEST(EProcess, RarelyRejectsATrueDistribution) {
  // Seeds and sizes are fixed. The exact rate: VillesInequality.TheExactRateOfAlarmsIsBelowAlpha.
  const std::size_t processes = 2000;
  std::size_t rejected = 0;
  for (std::uint64_t process = 0; process < processes; ++process) {
    Wealth wealth = two_bets(4);
    for (std::uint64_t night = 0; night < 20; ++night)
      wealth.add(night_of(mix(process) + night, 10, 1));
    rejected += wealth.rejected() ? 1 : 0;
  }
  EXPECT_GT(rejected, 0U) << "a process that never rejects shows nothing here";
  EXPECT_LE(rejected, processes / 16) << "reject a true law at alpha = 2^-4";
  RecordProperty("rejected", std::to_string(rejected) + " of " + std::to_string(processes));
}

TEST(EProcess, FindsAWrongDistribution) {
  // W ≥ 2^growth/2, and growth is linear in T = 2·χ²ₙ, so the miss is a χ² probability.
  const int exponent = 20;
  const std::size_t draws_a_night = 20;
  std::size_t nights = 1;
  const auto missed = [&] {
    const std::size_t n = nights * draws_a_night;
    const double at_zero = log2_growth_on_variance(0, n, 2);
    const double slope = log2_growth_on_variance(1, n, 2) - at_zero;
    const double needed = (exponent + 1 - at_zero) / slope;
    return cdf(boost::math::chi_squared(static_cast<double>(n)), needed / 2);
  };
  while (missed() > 0x1p-30) ++nights;
  Wealth wealth = two_bets(exponent);
  for (std::uint64_t night = 0; night < nights; ++night)
    wealth.add(night_of(mix(1) + night, draws_a_night, 2));  // fixed seeds
  EXPECT_TRUE(wealth.rejected()) << wealth.log2_wealth();
  EXPECT_EQ(wealth.best_bet(), "twice");
}

TEST(EProcess, RefusesASeedThatWasUsedBefore) {
  Wealth wealth = two_bets(20);
  wealth.add({7, {0, 0}});
  EXPECT_THROW(wealth.add({7, {0, 0}}), std::invalid_argument);
}

TEST(EProcess, RefusesNumbersThatMakeNoSense) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(two_bets(0), std::domain_error);
  EXPECT_THROW(two_bets(1001), std::domain_error);
  EXPECT_THROW(Wealth(20, {}), std::invalid_argument);
  EXPECT_THROW(Wealth(20, {"a", "a"}), std::invalid_argument);
  EXPECT_THROW(Wealth(20, {"two\nlines"}), std::invalid_argument);
  Wealth wealth = two_bets(20);
  EXPECT_THROW(wealth.add({1, {0}}), std::invalid_argument);
  EXPECT_THROW(wealth.add({1, {0, nan}}), std::domain_error);
  // Twice 2^(10^308): the wealth would be no number, and below every level.
  wealth.add({2, {1e308, 0}});
  EXPECT_THROW(wealth.add({3, {1e308, 0}}), std::domain_error);
  EXPECT_EQ(wealth.rounds().size(), 1U);
  EXPECT_TRUE(wealth.rejected()) << wealth.log2_wealth();
  EXPECT_THROW(log2_growth_on_variance(1, 1, 0), std::domain_error);
  EXPECT_THROW(log2_growth_on_mean(1, 1, nan), std::domain_error);
  EXPECT_THROW(log2_growth_on_variance(1, 1, nan), std::domain_error);
  EXPECT_THROW(log2_growth_on_count({1, 2}, 0.5, 1), std::domain_error);
  EXPECT_THROW(log2_growth_on_count({1, 0}, 0.5, 0.25), std::invalid_argument);
}

}  // namespace
