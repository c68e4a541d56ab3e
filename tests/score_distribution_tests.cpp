// Facts about the score's distribution and its relatives; score_accuracy measures the accuracy.
#include <sqrtdk/distributions/cosine_similarity_distribution.hpp>
#include <sqrtdk/distributions/rademacher_score_distribution.hpp>
#include <sqrtdk/distributions/score_distribution.hpp>
#include <sqrtdk/distributions/score_sampler.hpp>

#include <boost/math/concepts/distributions.hpp>
#include <boost/math/constants/constants.hpp>
#include <boost/math/distributions/beta.hpp>
#include <boost/math/quadrature/exp_sinh.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <random>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace {

using boost::math::complement;
using sqrtdk::score;
using big = boost::multiprecision::cpp_bin_float_50;

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

const std::vector<double> dimensions = {0.5, 1, 1.5, 2, 3, 7.25, 64, 65, 1000, 1e6, 1e9};

template <class Distribution>
void require_distribution() {
  boost::function_requires<boost::math::concepts::DistributionConcept<Distribution>>();
}

TEST(ScoreDistribution, ModelsTheDistributionConceptOfBoost) {
  require_distribution<sqrtdk::score_distribution<float>>();
  require_distribution<sqrtdk::score_distribution<double>>();
  require_distribution<sqrtdk::score_distribution<long double>>();
  require_distribution<sqrtdk::score_distribution<big>>();
  require_distribution<sqrtdk::cosine_similarity_distribution<double>>();
  require_distribution<sqrtdk::rademacher_score_distribution<double>>();
}

TEST(ScoreDistribution, HasWhatBoostDerivesFromTheRest) {
  EXPECT_EQ(standard_deviation(score(64)), 8);
  EXPECT_EQ(standard_deviation(sqrtdk::cosine_similarity(64)), 0.125);
  EXPECT_EQ(standard_deviation(sqrtdk::rademacher_score(64)), 8);
  EXPECT_THROW(coefficient_of_variation(score(64)), std::overflow_error);
  EXPECT_THROW(coefficient_of_variation(sqrtdk::cosine_similarity(64)), std::overflow_error);
  EXPECT_THROW(coefficient_of_variation(sqrtdk::rademacher_score(64)), std::overflow_error);
  // uniform: P(C > ½) = ¼
  EXPECT_NEAR(chf(sqrtdk::cosine_similarity(3), 0.5), std::log(4.0), 2 * epsilon);
  EXPECT_NEAR(hazard(sqrtdk::cosine_similarity(3), 0.5), 2, 4 * epsilon);
  EXPECT_THROW(hazard(sqrtdk::cosine_similarity(64), 1), std::overflow_error);
}

TEST(ScoreDistribution, DoesNotUnderflowWhereTheArgumentIsAnInteger) {
  EXPECT_EQ(chf(score(2), 2000), chf(score(2), 2000.0));
  EXPECT_NEAR(chf(score(2), 2000) / (2000 + std::log(2.0)), 1, 2 * epsilon);
  EXPECT_EQ(hazard(score(2), 2000), hazard(score(2), 2000.0));
  EXPECT_NEAR(hazard(score(2), 2000), 1, 2 * epsilon);
}

TEST(ScoreDistribution, HasTheValuesFoundByThreeOtherRoutes) {
  struct reference {
    double d, x, pdf, sf;
  };
  for (const auto& [d, x, f, s] : std::vector<reference>{
           {1, 10, 0.000005659569612200030798014783, 0.000005416099664708829178840706},
           {3, 0.25, 0.2981788528629825638433586, 0.4223700433968566217247392},
           {17, 30, 6.240058281064682282908632e-9, 7.88903765248117739173787e-9},
           {64, 8, 0.0299995100665759711829127, 0.156787999873901274877656},
           {65, 8, 0.03000878575204438793319933, 0.1586772629855876516161477},
           {1001, 400, 4.190378448382270683666615e-35, 1.186436494150756977119423e-34},
           {1e6, 8000, 5.056965173633338195210751e-18, 6.227126887541761524450197e-16}}) {
    EXPECT_NEAR(pdf(score(d), x) / f, 1, sqrtdk::score_precision::pdf * epsilon) << d << ' ' << x;
    EXPECT_NEAR(cdf(complement(score(d), x)) / s, 1, sqrtdk::score_precision::cdf * epsilon);
  }
}

TEST(ScoreDistribution, IsLaplaceAtTwoDimensions) {
  const score distribution(2);
  for (const double x : {0.0, 1e-9, 0.7, 3.0, 700.0}) {
    EXPECT_NEAR(pdf(distribution, x) / (std::exp(-x) / 2), 1, 3 * epsilon);
    EXPECT_NEAR(cdf(complement(distribution, x)) / (std::exp(-x) / 2), 1, 3 * epsilon);
  }
  EXPECT_NEAR(entropy(distribution), 1 + std::log(2.0), 8 * epsilon);
}

TEST(ScoreDistribution, IsSymmetricAndAddsUpToOne) {
  for (const double d : dimensions)
    for (const double z : {1e-12, 0.1, 1.0, 4.0, 30.0}) {
      const score distribution(d);
      const double x = z * std::sqrt(d);
      EXPECT_EQ(pdf(distribution, -x), pdf(distribution, x));
      EXPECT_EQ(cdf(distribution, -x), cdf(complement(distribution, x)));
      EXPECT_EQ(central_cdf(distribution, -x), -central_cdf(distribution, x));
      EXPECT_EQ(logcdf(distribution, -x), logcdf(complement(distribution, x)));
      EXPECT_NEAR(cdf(distribution, x) + cdf(complement(distribution, x)), 1, epsilon);
    }
}

TEST(ScoreDistribution, SatisfiesItsRecurrencesInTheDimension) {
  for (const double d : dimensions)
    for (const double z : {0.1, 1.0, 4.0, 12.0}) {
      const double x = z * std::sqrt(d);
      // S_{d+2} = S_d + (x/d) f_d
      const double next = cdf(complement(score(d), x)) + x / d * pdf(score(d), x);
      EXPECT_NEAR(next / cdf(complement(score(d + 2), x)), 1, 4 * epsilon);
      // f_{d+4} = x²/(d(d + 2)) f_d + ((d + 1)/(d + 2)) f_{d+2}
      const double density =
          x * x / (d * (d + 2)) * pdf(score(d), x) + (d + 1) / (d + 2) * pdf(score(d + 2), x);
      EXPECT_NEAR(density / pdf(score(d + 4), x), 1, 6 * epsilon);
    }
}

TEST(ScoreDistribution, IntegratesToItsMoments) {
  boost::math::quadrature::exp_sinh<double> integrator;
  for (const double d : {1.0, 3.0, 7.25, 64.0, 1000.0})
    for (const double s : {0.0, 0.5, 1.0, 2.0, 4.0}) {
      const score distribution(d);
      const double unit = std::sqrt(d);
      const double half = integrator.integrate([&](double z) {
        return z > 0 ? std::pow(z, s) * pdf(distribution, z * unit) * unit : 0;
      });
      EXPECT_NEAR(2 * half / (absolute_moment(distribution, s) / std::pow(d, s / 2)), 1, 1e-13)
          << d;
    }
}

TEST(ScoreDistribution, HasTheCumulantsOfItsMoments) {
  for (const double d : dimensions) {
    const score distribution(d);
    EXPECT_NEAR(cumulant(distribution, 2), d, 0);
    EXPECT_NEAR(cumulant(distribution, 4), 6 * d, 0);
    EXPECT_EQ(cumulant(distribution, 3), 0);
    EXPECT_NEAR(absolute_moment(distribution, 2) / d, 1, 4 * epsilon);
    EXPECT_NEAR(absolute_moment(distribution, 4) / (kurtosis(distribution) * d * d), 1,
                8 * epsilon);
    EXPECT_NEAR(characteristic_function(distribution, 1), std::exp2(-d / 2), 4 * epsilon);
  }
}

TEST(ScoreDistribution, IsAtDistanceOfOneOverTheDimensionFromTheNormal) {
  const double square = 3 - std::sqrt(6.0);
  const double limit = std::sqrt(square) * (3 - square) / 4 * std::exp(-square / 2) /
                       boost::math::constants::root_two_pi<double>();
  EXPECT_NEAR(normal_distance(score(1e5)) * 1e5 / limit, 1, 1e-5);
}

TEST(ScoreDistribution, IsAtDistanceOfHalfFromTheNormalAsTheDimensionVanishes) {
  EXPECT_NEAR(normal_distance(score(1e-3)), 0.4947436633471321, 2 * epsilon);
  for (const double d : {1e-17, 1e-300, std::numeric_limits<double>::denorm_min()})
    EXPECT_NEAR(normal_distance(score(d)), 0.5, 2e-16 + 100 * d) << "d = " << d;
}

TEST(ScoreDistribution, QuantilesComeBack) {
  for (const double d : dimensions)
    for (const double p : {1e-300, 1e-30, 0.01, 0.2, 0.3, 0.499, 0.5, 0.6, 0.9}) {
      const score distribution(d);
      const double x = quantile(distribution, p);
      EXPECT_EQ(quantile(complement(distribution, p)), -x);
      const double conditioning =
          1 + std::abs(x) * (x == 0 ? 0 : pdf(distribution, x)) / cdf(distribution, x);
      EXPECT_NEAR(cdf(distribution, x) / p, 1, 4 * epsilon * conditioning) << d << ' ' << p;
    }
  EXPECT_EQ(quantile(score(64), 0.5), 0);
}

TEST(ScoreDistribution, SpeaksOfErrorsAsBoostDoes) {
  EXPECT_THROW(score(0), std::domain_error);
  EXPECT_THROW(score(-1), std::domain_error);
  EXPECT_THROW(score{infinity}, std::domain_error);
  EXPECT_THROW(score{nan}, std::domain_error);
  EXPECT_THROW(cdf(score(3), nan), std::domain_error);
  EXPECT_THROW(quantile(score(3), 1.5), std::domain_error);
  EXPECT_THROW(quantile(score(3), 0), std::overflow_error);
  EXPECT_THROW(pdf(score(1), 0), std::overflow_error);
  EXPECT_THROW(absolute_moment(score(0.5), -0.5), std::domain_error);
  EXPECT_EQ(cdf(score(3), infinity), 1);
  EXPECT_EQ(cdf(score(3), -infinity), 0);
  EXPECT_EQ(pdf(score(3), infinity), 0);
}

TEST(ScoreSampler, DrawsFromTheDistribution) {
  constexpr std::size_t count = 20000;
  for (const double d : {0.5, 1.0, 2.0, 4.0, 64.0, 1e9}) {
    std::mt19937_64 engine(20262);
    sqrtdk::score_sampler<> sampler(d);
    std::vector<double> draws(count);
    for (double& draw : draws) draw = sampler(engine);
    std::sort(draws.begin(), draws.end());
    double distance = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const double p = cdf(score(d), draws[i]);
      const auto below = static_cast<double>(i) / count;
      distance = std::max({distance, p - below, below + 1.0 / count - p});
    }
    // Massart: P(distance > t) ≤ 2 exp(−2 n t²), here 1e-9
    EXPECT_LT(distance, std::sqrt(std::log(2e9) / (2 * count))) << d;
  }
}

TEST(ScoreSampler, IsARandomNumberDistribution) {
  sqrtdk::score_sampler<> one(0.1);
  sqrtdk::score_sampler<> other;
  EXPECT_NE(one, other);
  std::stringstream stream;
  stream << one;
  stream >> other;
  EXPECT_EQ(one, other);
  std::istringstream wrong("-1");
  EXPECT_TRUE((wrong >> other).fail());
  EXPECT_EQ(one, other);
  std::mt19937 engine(1);
  std::mt19937 again(1);
  EXPECT_EQ(one(engine, sqrtdk::score_sampler<>::param_type(7)), sqrtdk::score_sampler<>(7)(again));
  EXPECT_THROW(sqrtdk::score_sampler<>(0), std::domain_error);
}

TEST(CosineSimilarity, IsABetaDistributionOnTheInterval) {
  for (const double d : {1.5, 2.0, 3.0, 4.0, 64.0, 200.0}) {
    const sqrtdk::cosine_similarity distribution(d);
    const boost::math::beta_distribution<> beta((d - 1) / 2, (d - 1) / 2);
    for (const double c : {-0.9, -0.3, -0.01, 0.0, 0.2, 0.6, 0.95}) {
      EXPECT_NEAR(pdf(distribution, c) / (pdf(beta, (1 + c) / 2) / 2), 1, 1e-12) << d << ' ' << c;
      EXPECT_NEAR(cdf(distribution, c) / cdf(beta, (1 + c) / 2), 1, 1e-12);
      EXPECT_NEAR(0.5 + central_cdf(distribution, c), cdf(distribution, c), 2 * epsilon);
      // from the side of the smaller tail, where p has the digits that c needs
      const double back =
          c < 0 ? quantile(distribution, cdf(distribution, c))
                : quantile(complement(distribution, cdf(complement(distribution, c))));
      EXPECT_NEAR(back, c, 1e-14);
    }
  }
  EXPECT_THROW(sqrtdk::cosine_similarity(1), std::domain_error);
  EXPECT_THROW(pdf(sqrtdk::cosine_similarity(2), 1), std::overflow_error);
  EXPECT_THROW(cdf(sqrtdk::cosine_similarity(2), 1.1), std::domain_error);
  EXPECT_EQ(pdf(sqrtdk::cosine_similarity(3), 1), 0.5);
}

TEST(RademacherScore, CountsAllSignPatterns) {
  for (unsigned d = 1; d <= 10; ++d) {
    std::map<int, int> count;
    for (unsigned products = 0; products < (1U << d); ++products) {
      int x = 0;
      for (unsigned i = 0; i < d; ++i) x += (products >> i) & 1U ? 1 : -1;
      ++count[x];
    }
    const sqrtdk::rademacher_score distribution(d);
    double below = 0;
    for (int x = -static_cast<int>(d) - 1; x <= static_cast<int>(d) + 1; ++x) {
      const double probability = std::ldexp(count[x], -static_cast<int>(d));
      below += probability;
      EXPECT_NEAR(pdf(distribution, x), probability, 8 * epsilon);
      EXPECT_NEAR(cdf(distribution, x), below, 8 * epsilon);
      EXPECT_NEAR(cdf(complement(distribution, x)), 1 - below, 8 * epsilon);
      if (probability > 0) {
        EXPECT_EQ(quantile(distribution, below - probability / 2), x);
      }
    }
  }
  EXPECT_THROW(sqrtdk::rademacher_score(2.5), std::domain_error);
}

TEST(RademacherScore, HasAMedianAndAModeOnTheLattice) {
  for (unsigned d = 1; d <= 100; ++d) {
    const sqrtdk::rademacher_score distribution(d);
    EXPECT_EQ(median(distribution), d % 2 == 0 ? 0 : -1) << d;
    EXPECT_GE(cdf(distribution, median(distribution)), 0.5 - 8 * epsilon) << d;
    EXPECT_LT(cdf(distribution, median(distribution) - 2), 0.5 - 8 * epsilon) << d;
    EXPECT_EQ(mode(distribution), d % 2) << d;
    for (const double x : {-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0})
      EXPECT_LE(pdf(distribution, x), pdf(distribution, mode(distribution)) * (1 + 16 * epsilon))
          << d << ' ' << x;
  }
}

TEST(RademacherScore, HasTheHazardOfADiscreteDistribution) {
  // d = 4: −4, −2, 0, 2, 4 with probabilities 1, 4, 6, 4, 1 of 16
  const sqrtdk::rademacher_score distribution(4);
  EXPECT_NEAR(hazard(distribution, 0), 6.0 / 5, 8 * epsilon);
  EXPECT_NEAR(hazard(distribution, -4), 1.0 / 15, 8 * epsilon);
  EXPECT_EQ(hazard(distribution, 1), 0);
  EXPECT_THROW(hazard(distribution, 4), std::overflow_error);
  EXPECT_NEAR(chf(distribution, 0), std::log(16.0 / 5), 8 * epsilon);
  EXPECT_EQ(chf(distribution, -5), 0);
  EXPECT_EQ(chf(distribution, 4), infinity);
}

TEST(ScoreDistribution, IsCalledAsItsPageShows) {
  //! [score_distribution]
  using boost::math::complement;
  const sqrtdk::score_distribution<> x(64);           // X = q·k in 64 dimensions
  const double spread = standard_deviation(x);        // √d = 8
  const double tail = cdf(complement(x, 40.0));       // P(X > 40), about 1.4e-6
  const double far = logcdf(complement(x, 2000.0));   // log P(X > 2000), which underflows
  const double top = quantile(complement(x, 0.001));  // exceeded once in 1000 scores, about 25.3

  //! [score_distribution]
  //! [score_sampler]
  std::mt19937_64 engine(20170612);
  const sqrtdk::score_sampler<> draw(64);
  const double drawn = draw(engine);  // one X = q·k in 64 dimensions, without drawing q and k
  //! [score_sampler]
  EXPECT_EQ(spread, 8);
  EXPECT_NEAR(tail, 1.4e-6, 0.05e-6);
  EXPECT_LT(far, std::log(std::numeric_limits<double>::denorm_min()));
  EXPECT_NEAR(top, 25.3, 0.05);
  EXPECT_LT(std::abs(drawn), quantile(complement(x, 1e-9)));
}

TEST(CosineSimilarity, IsCalledAsItsPageShows) {
  //! [cosine_similarity_distribution]
  using boost::math::complement;
  const sqrtdk::cosine_similarity_distribution<> cosine(64);  // of directions in 64 dimensions
  const double spread = standard_deviation(cosine);           // 1/√d = 0.125
  const double tail = cdf(complement(cosine, 0.5));           // P(C > 0.5), about 1.1e-5
  const double top = quantile(complement(cosine, 0.001));     // exceeded once in 1000, about 0.38
  //! [cosine_similarity_distribution]
  EXPECT_EQ(spread, 0.125);
  EXPECT_NEAR(tail, 1.1e-5, 0.05e-5);
  EXPECT_NEAR(top, 0.38, 0.005);
}

TEST(RademacherScore, IsCalledAsItsPageShows) {
  //! [rademacher_score_distribution]
  using boost::math::complement;
  const sqrtdk::rademacher_score_distribution<> x(64);  // signs in 64 dimensions
  const double none = pdf(x, 0.0);                      // P(X = 0), about 0.099
  const double tail = cdf(complement(x, 40.0));         // P(X > 40), about 5.0e-8
  const double top = quantile(complement(x, 0.001));    // 24, the least with P(X > 24) ≤ 0.001
  //! [rademacher_score_distribution]
  EXPECT_NEAR(none, 0.099, 0.0005);
  EXPECT_NEAR(tail, 5.0e-8, 0.05e-8);
  EXPECT_EQ(top, 24);
}

}  // namespace
