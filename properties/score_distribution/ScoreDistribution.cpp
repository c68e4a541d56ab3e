#include <sqrtdk/moments.hpp>
#include <sqrtdk/moments/finite_distribution.hpp>
#include <sqrtdk/numbers/pi_fraction.hpp>
#include <sqrtdk/score.hpp>
#include <sqrtdk/score/dependence.hpp>
#include <sqrtdk/testing/statistics/checks.hpp>
#include <sqrtdk/testing/statistics/run_test.hpp>
#include <sqrtdk/testing/statistics/sample_size.hpp>

#include "properties/score_distribution/fixture.hpp"
#include "properties/support/rational_distributions.hpp"

#include <boost/math/constants/constants.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/policies/policy.hpp>
#include <boost/math/special_functions/gamma.hpp>

namespace sqrtdk::properties::ScoreDistribution {

using namespace sqrtdk::reference;

/// a (a + 1) … (a + n − 1).
Rational rising(const Rational& a, unsigned n) {
  Rational product = 1;
  for (unsigned i = 0; i < n; ++i) product *= a + i;
  return product;
}

//! [ScoreDistribution: exact check]
STATEMENT(ScoreDistribution, BothPicturesHaveTheSameMoments) {
  for_all(
      [&] {
        const Rational d = abs(*nonzero_rational().as("d"));
        Rational of_power = 1;  // n! times the coefficient of θⁿ in (1 − θ²)^−a
        for (unsigned n = 2; n <= 12; n += 2) {
          of_power *= (d + n - 2) * (n - 1);
          EXPECT_EXACTLY(subject.difference_moment(d / 2, n) == subject.mixture_moment(d, n));
          EXPECT_EXACTLY(subject.difference_moment(d / 2, n) == of_power);
          EXPECT_EXACTLY(subject.difference_moment(d / 2, n - 1) == 0);
        }
      },
      100);
}
//! [ScoreDistribution: exact check]
KILLS("the two gamma variables are added",
      {.difference_moment = [](auto& a, unsigned n) { return rising(2 * a, n); }});
KILLS("the gamma variables have the shape d",
      {.difference_moment = [](auto& a, unsigned n) { return difference_moment(2 * a, n); }});
KILLS("the key has one fixed length, the root of d", {.mixture_moment = [](auto& d, unsigned n) {
        Rational product = 1;
        for (unsigned j = 0; j < n; j += 2) product *= d * (j + 1);
        return product;
      }});

ASIDE(ScoreDistribution, TheCharacteristicFunctionIsThePowerItShouldBe) {
  // Nobody proved that the exponential and the logarithm are right to one of their roundings.
  evidence().rests_on(EvidenceLevel::measured);
  for_all([&] {
    const double d = *any_dimension().as("d");
    const double z = *any_deviation().as("t in units of 1/deviation");
    const double t = z / std::sqrt(d);
    const Wide want = exp(-Wide(d) / 2 * log(1 + Wide(t) * t));
    // Five roundings of the exponent, three after it, and the last one into a double.
    const double unit =
        static_cast<double>(
            std::numeric_limits<sqrtdk::score_numerics::Extended<double>>::epsilon()) /
        epsilon;
    const double bound = 0.5 + (3 - 5 * static_cast<double>(log(want))) * unit;
    const double error = error_in_epsilons(subject.characteristic_function(d, t), want);
    evidence().worst(error, bound);
    RC_ASSERT(error <= bound);
  });
}
KILLS("the characteristic function is not to the power 1/2",
      {.characteristic_function = [](double d, double t) {
        return characteristic_function(Score(2 * d), t);
      }});
KILLS("the characteristic function forgets the square",
      {.characteristic_function = [](double d, double t) {
        return std::pow(1 + std::abs(t), -d / 2);
      }});

STATEMENT(ScoreDistribution, TheCumulantsGiveTheMoments) {
  for (unsigned d = 1; d <= 12; ++d) {
    std::vector<Wide> moments{1};  // E Xⁿ = Σ C(n−1, k−1) κ_k E X^(n−k)
    Rational product = 1;          // (2n−1)!! d (d+2) … (d+2n−2)
    for (unsigned n = 1; n <= 10; ++n) {
      Wide moment = 0;
      for (unsigned k = 1; k <= n; ++k)
        moment += Wide(choose(n - 1, k - 1)) * subject.cumulant(d, k) * moments[n - k];
      moments.push_back(moment);
      // Integers of less than fifty digits, so that nothing is rounded.
      if (n % 2 == 1) {
        EXPECT_EXACTLY(Rational(moment) == 0) << "d = " << d << ", n = " << n;
        continue;
      }
      product *= (n - 1) * (d + n - 2);
      EXPECT_EXACTLY(Rational(moment) == product) << "d = " << d << ", n = " << n;
      // One coordinate: the moment of a product is the product of the moments.
      if (d == 1) {
        EXPECT_EXACTLY(product == normal_moment(0, n, n));
      }
    }
  }
  enumerated(12 * 10);
}
KILLS("the cumulants of N(0, d)",
      {.cumulant = [](unsigned d, unsigned n) { return n == 2 ? Wide(d) : Wide(0); }});
KILLS("the cumulants are d n!", {.cumulant = [](unsigned d, unsigned n) {
        return n * cumulant(score_distribution<Wide>(d), n);
      }});

STATEMENT(ScoreDistribution, AbsoluteMomentsOfEveryOrder) {
  evidence().rests_on(EvidenceLevel::measured);
  // A few of Boost's gamma functions and powers, multiplied; the worst of this run is recorded.
  const double bound = 64 * static_cast<double>(std::numeric_limits<Wide>::epsilon());
  const auto expect = [&](const Wide& got, const Wide& want, unsigned d) {
    expect_within(static_cast<double>(abs(got / want - 1)), bound, "d = " + std::to_string(d));
  };
  for (unsigned d = 1; d <= 12; ++d) {
    // The first moment is a fraction, or one over pi.
    const PiFraction size = normal_mean_absolute(d);
    const Wide pi = constants::pi<Wide>();
    expect(subject.absolute_moment(d, 1), Wide(size.coefficient) / (size.over_pi ? pi : Wide(1)),
           d);
    // Those of even order are integers.
    Rational product = 1;
    for (unsigned n = 2; n <= 10; n += 2) {
      product *= (n - 1) * (d + n - 2);
      expect(subject.absolute_moment(d, n), Wide(product), d);
    }
  }
  for (const double order : {-0.875, -0.5, 0.25, 0.5, 1.0, 2.5, 3.0, 7.0}) {
    const Wide r = order;
    // One coordinate: (E|Z|^r)². Two: Laplace's distribution, with Γ(r + 1). Then E|X|^r grows by
    // (d + r)/d.
    const Wide of_normal =
        pow(Wide(2), r / 2) * tgamma(Wide((r + 1) / 2)) / constants::root_pi<Wide>();
    Wide odd = of_normal * of_normal;
    Wide even = tgamma(Wide(r + 1));
    for (unsigned d = 1; d <= 11; d += 2) {
      expect(subject.absolute_moment(d, r), odd, d);
      expect(subject.absolute_moment(d + 1, r), even, d + 1);
      odd *= (d + r) / d;
      even *= (d + 1 + r) / (d + 1);
    }
  }
  expect_refusal<std::domain_error>([&] { absolute_moment(Score(3), -1); });
  expect_refusal<std::domain_error>([&] { absolute_moment(Score(0.5), -0.5); });
  enumerated(12 * (1 + 5 + 8));
}
KILLS("the moments of ‖k‖", {.absolute_moment = [](unsigned d, auto& r) {
        Wide product = 1;
        for (unsigned j = 0; j < r; j += 2) product *= d + j;
        return product;
      }});
KILLS("absolute moments are doubled at every order that is not even",
      {.absolute_moment = [](unsigned d, auto& r) -> Wide {
        const Wide moment = absolute_moment(score_distribution<Wide>(d), r);
        return floor(r / 2) == r / 2 ? moment : Wide(2 * moment);
      }});

ASIDE(ScoreDistribution, TheEntropyIsBelowThatOfTheNormalDistribution) {
  evidence().rests_on(EvidenceLevel::measured);
  const Wide of_laplace = 1 + constants::ln_two<Wide>();
  EXPECT_EQ(subject.entropy(2), static_cast<float>(of_laplace));
  for (float d = 0.5F; d < 100; d *= 2) {
    const Wide normal = log(constants::two_pi<Wide>() * constants::e<Wide>() * Wide(d)) / 2;
    EXPECT_LT(subject.entropy(d), static_cast<float>(normal)) << "d = " << d;
  }
  enumerated(9);
}
KILLS("the entropy of N(0, d)",
      {.entropy = [](float d) { return (std::log(d) + 2.8378771F) / 2; }});

ASIDE(ScoreDistribution, GivenTheKeyTheScoreIsNormal) {
  // One coordinate of four left out makes the variance 3/4.
  const VarianceCheck check{boost::math::normal()};
  const TestResult result = expect_draws(check, {.effect = 4.0 / 3}, [&](Stream& stream) {
    const std::vector<double> q = normal_vector(4, stream);
    const std::vector<double> k = normal_vector(4, stream);
    return subject.dot(q, k) / std::sqrt(dot(k, k));
  });
  record_value("observed", result.observed);
  record_value("draws", std::to_string(result.n));
}
KILLS("the last coordinate is left out",
      {.dot = [](auto q, auto k) { return dot(q.first(q.size() - 1), k.first(k.size() - 1)); }});
KILLS("the score is divided by the root of d",
      {.dot = [](auto q, auto k) { return dot(q, k) / std::sqrt(static_cast<double>(q.size())); }});

//! [ScoreDistribution]
ASIDE(ScoreDistribution, ScoresOfDrawnVectorsFollowTheDistribution) {
  const auto lower = [](double d, double x) { return cdf(Score(d), x); };
  for (const std::size_t d : {1U, 2U, 64U}) {
    const auto real = static_cast<double>(d);
    // As many draws as see the normal distribution and one dimension more; at 64 those would be
    // millions, and what is seen is a scale that is wrong by a factor of two.
    const double effect = d < 64 ? std::min(grid_distance(lower, real, normal_lower, real),
                                            grid_distance(lower, real, lower, real + 1))
                                 : grid_distance(lower, real, lower, 4 * real);
    const CdfCheck<DistributionAt> check({subject.lower, real},
                                         "the distribution of a score, d = " + exact_text(real));
    const TestResult result = expect_draws(check, {.effect = effect}, [&](Stream& stream) {
      const std::vector<double> q = normal_vector(d, stream);
      return subject.dot(q, normal_vector(d, stream));
    });
    record_value("draws_at_" + std::to_string(d), std::to_string(result.n));
    record_value("effect_at_" + std::to_string(d), format_significant(effect, 4));
    record_value("distance_at_" + std::to_string(d), format_significant(result.statistic, 4));
  }
  // Sizes that nobody should try: those at which a larger head would show the same mistakes.
  for (const double d : {8.0, 64.0}) {
    const CdfCheck<DistributionAt> check({lower, d}, "");
    const ErrorRates rates{0x1p-30, 0x1p-30};
    const std::string at = std::to_string(static_cast<int>(d));
    record_value("draws_to_see_normal_at_" + at,
                 std::to_string(sample_size(check, rates, normal_distance(Score(d)))));
    record_value("draws_to_see_one_more_at_" + at,
                 std::to_string(sample_size(check, rates, grid_distance(lower, d, lower, d + 1))));
  }
}
//! [ScoreDistribution]
KILLS("N(0, d)", {.lower = normal_lower});
KILLS("one dimension more", {.lower = [](double d, double x) { return cdf(Score(d + 1), x); }});
KILLS("one dimension less",
      {.lower = [](double d, double x) { return cdf(Score(d > 1 ? d - 1 : d), x); }});
KILLS("the distribution of the scaled score",
      {.lower = [](double d, double x) { return cdf(Score(d), x * std::sqrt(d)); }});
KILLS("shape and scale of the gamma distributions are swapped",
      {.lower = [](double d, double x) { return cdf(Score(2), x * 2 / d); }});

ASIDE(ScoreDistribution, TheSamplerFollowsTheDistribution) {
  const auto lower = [](double d, double x) { return cdf(Score(d), x); };
  for (const double d : {1.0, 64.0}) {
    const double effect = d < 64 ? std::min(grid_distance(lower, d, normal_lower, d),
                                            grid_distance(lower, d, lower, d + 1))
                                 : grid_distance(lower, d, lower, 4 * d);
    const CdfCheck<DistributionAt> check({lower, d},
                                         "the distribution of a score, d = " + exact_text(d));
    expect_draws(check, {.effect = effect},
                 [&](Stream& stream) { return subject.sample(d, stream); });
  }
}
KILLS("the radius has one dimension more",
      {.sample = [](double d, Stream& stream) { return score_sampler<>(d + 1)(stream); }});
KILLS("the radius is constant", {.sample = [](double d, Stream& stream) {
        return std::sqrt(d) * draw(boost::math::normal(), stream);
      }});
KILLS("the sampler draws scaled scores", {.sample = [](double d, Stream& stream) {
        return score_sampler<>(d)(stream) / std::sqrt(d);
      }});

ASIDE(ScoreDistribution, RefusesWhatIsNoDimensionOrNoScore) {
  for (const double d : {0.0, -1.0, infinity, nan})
    expect_refusal<std::domain_error>([&] { subject.pdf(d, 1); });
  expect_refusal<std::domain_error>(
      [&] { subject.pdf(-1, 1); },
      "Error in function sqrtdk::score_distribution<double>::score_distribution(double): The "
      "dimension d is -1, but must be positive and finite.");
  expect_refusal<std::domain_error>([&] { subject.lower(3, nan); });
  for (const double p : {-0.5, 1.5, nan})
    expect_refusal<std::domain_error>([&] { subject.quantile(3, p); });
  expect_refusal<std::overflow_error>([&] { subject.quantile(3, 0); });
  expect_refusal<std::overflow_error>([&] { subject.pdf(1, 0); });
}
KILLS("any dimension is taken",
      {.pdf = [](double d, double x) { return d > 0 && d < 1e9 ? pdf(Score(d), x) : 0; }});
KILLS("the density at zero is a large number",
      {.pdf = [](double d, double x) { return pdf(Score(d), x == 0 ? 1e-300 : x); }});
KILLS("what is no number has no tail",
      {.lower = [](double d, double x) { return std::isnan(x) ? 0 : cdf(Score(d), x); }});
KILLS("probabilities beyond one are taken to be one half", {.quantile = [](double d, double p) {
        return quantile(Score(d), p > 1 || p < 0 ? 0.5 : p);
      }});
KILLS("the quantile of zero is the least double", {.quantile = [](double d, double p) {
        return p == 0 ? std::numeric_limits<double>::lowest() : quantile(Score(d), p);
      }});

ASIDE(ScoreDistribution, WhatIsTakenAtTheEndsAndByPolicy) {
  EXPECT_EXACTLY(Rational(subject.pdf(1.5, 0)) > Rational(subject.pdf(1.5, 1e-3)));
  EXPECT_EXACTLY(Rational(subject.lower(3, infinity)) == 1);
  EXPECT_EXACTLY(Rational(subject.lower(3, -infinity)) == 0);

  // A policy may ask for quiet answers instead.
  using namespace boost::math::policies;
  using Quiet = policy<domain_error<errno_on_error>, overflow_error<ignore_error>>;
  errno = 0;
  EXPECT_EXACTLY(std::isnan(cdf(score_distribution<double, Quiet>(3), nan)));
  EXPECT_EXACTLY(errno == EDOM);
  EXPECT_EXACTLY(bits_of(pdf(score_distribution<double, Quiet>(1), 0)) == bits_of(infinity));
}
KILLS("nothing is below an infinite score",
      {.lower = [](double d, double x) { return std::isinf(x) ? 0 : cdf(Score(d), x); }});

ASIDE(ScoreDistribution, AQueryThatIsItsOwnKeyScoresItsSquaredLength) {
  for_all([&] {
    const std::vector<int> entries =
        *rc::gen::container<std::vector<int>>(5, rc::gen::inRange(-100, 100)).as("16 q");
    std::vector<double> q;
    int square = 0;
    for (const int entry : entries) {
      q.push_back(entry / 16.0);
      square += entry * entry;
    }
    EXPECT_EXACTLY(256 * Rational(subject.dot(q, q)) == square);
  });
  // So a score below 0 has probability 0; the distribution of q·k gives it one half.
  EXPECT_EXACTLY(Rational(subject.lower(5, 0)) == Rational(1, 2));
  EXPECT_EXACTLY(Rational(cdf(boost::math::chi_squared(5), 0)) == 0);
  counterexample_without("independent");
}
KILLS("half of the scores are negative, always",
      {.dot = [](auto q, auto k) { return q.data() == k.data() ? q[0] : dot(q, k); }});

ASIDE(ScoreDistribution, SignsHaveTheVarianceButNotTheDistribution) {
  const RationalDistribution signs = dot_product_distribution(fair_sign, fair_sign, 2);
  EXPECT_EXACTLY(variance(signs) == 2);
  EXPECT_EXACTLY(Rational(variance(Score(2))) == 2);
  // Half of the scores of two pairs of signs are 0, and none lies between 0 and 2.
  const Rational at_zero = signs.expectation([](const Rational& x) { return Rational(x == 0); });
  EXPECT_EXACTLY(at_zero == Rational(1, 2));
  const Rational between = Rational(subject.lower(2, 1)) - Rational(subject.lower(2, 0.5));
  EXPECT_EXACTLY(between < Rational(15, 100));
  EXPECT_EXACTLY(between > Rational(10, 100));
  counterexample_without("standard normal");
}
KILLS("the distribution of signs is taken for that of normal entries",
      {.lower = [](double d, double x) { return cdf(Signs(std::ceil(d)), x); }});

}  // namespace sqrtdk::properties::ScoreDistribution
