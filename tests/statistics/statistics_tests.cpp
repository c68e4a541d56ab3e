#include <sqrtdk/testing/expect_draws.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/statistics/intervals.hpp>

#include "properties/support/false_alarms.hpp"
#include "properties/support/message_of.hpp"

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/complement.hpp>
#include <boost/math/distributions/exponential.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/uniform.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace sqrtdk::testing;
using boost::math::normal;

constexpr ErrorRates strict{0x1p-30, 0x1p-30};
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

/// The failures that a callable causes in the running test.
template <class Callable>
std::string failures_of(Callable callable) {
  ::testing::TestPartResultArray failures;
  {
    using Reporter = ::testing::ScopedFakeTestPartResultReporter;
    const Reporter reporter(Reporter::INTERCEPT_ONLY_CURRENT_THREAD, &failures);
    callable();
  }
  std::string text;
  for (int i = 0; i < failures.size(); ++i) text += failures.GetTestPartResult(i).message();
  return text;
}

/// Gives the running test evidence of its own, and a ledger with as many checks as it asks for.
class WithLedger : public ::testing::Test {
 protected:
  void SetUp() override { evidence() = Evidence(); }
  void TearDown() override { active_ledger() = before_; }

  void allow(std::uint64_t checks, unsigned exponent) {
    name_ = current_test_name();
    entry_ = {{name_, checks, exponent}};
    active_ledger() = entry_;
  }

 private:
  std::string name_;
  std::vector<LedgerEntry> entry_;
  std::span<const LedgerEntry> before_ = active_ledger();
};

// ----------------------------------------------------------------------------------------- Streams

TEST(Streams, TheGeneratorGivesThePublishedNumbers) {
  // Known answers for the zero counter and key, and for all bits set, from Random123's kat_vectors.
  const r123::Philox4x64 philox;
  const auto of_zero = philox({{0, 0, 0, 0}}, {{0, 0}});
  EXPECT_EQ(of_zero[0], 0x16554d9eca36314cU);
  EXPECT_EQ(of_zero[1], 0xdb20fe9d672d0fdcU);
  EXPECT_EQ(of_zero[2], 0xd7e772cee186176bU);
  EXPECT_EQ(of_zero[3], 0x7e68b68aec7ba23bU);
}

TEST(Streams, AStreamIsTheSameHoweverItsUseIsSplit) {
  Stream whole = stream_of(7, "Suite.Test", 3);
  std::vector<std::uint64_t> numbers(100);
  for (auto& number : numbers) number = whole();
  for (std::size_t start = 0; start < numbers.size(); ++start) {
    Stream part = stream_of(7, "Suite.Test", 3);
    part.discard(start);
    EXPECT_EQ(part(), numbers[start]) << "after skipping " << start;
  }
}

TEST(Streams, SeedsNamesAndNumbersGiveStreamsOfTheirOwn) {
  std::set<std::uint64_t> first;
  for (const std::uint64_t master : {0U, 1U, 2U})
    for (const char* name : {"A.B", "A.C", "B.B"})
      for (const std::uint64_t number : {0U, 1U, 2U})
        first.insert(stream_of(master, name, number)());
  EXPECT_EQ(first.size(), 27U);
}

TEST(Streams, UniformNumbersAreExactSymmetricAndNeverZeroOrOne) {
  constexpr std::uint64_t all = ~std::uint64_t{0};
  static_assert(open_uniform(0) == 0x1p-53);
  static_assert(open_uniform(all) == 1 - 0x1p-53);
  Stream stream = next_stream();
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t bits = stream();
    EXPECT_EQ(open_uniform(bits) + open_uniform(~bits), 1);
  }
}

TEST(Streams, DrawsAreQuantilesOfUniformNumbers) {
  const boost::math::exponential distribution(3);
  Stream uniforms = stream_of(1, "A.B");
  Stream numbers = stream_of(1, "A.B");
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(draw(distribution, numbers), quantile(distribution, uniform(uniforms)));
}

// -------------------------------------------------------------------------------------- SampleSize

TEST(SampleSize, OfTheMeanIsTheTextbookFormula) {
  // n = ((z_{α/2} + z_β)/δ)², where the far tail is negligible.
  for (const double shift : {0.01, 0.5, 3.0}) {
    const double z = quantile(complement(normal(), strict.alpha / 2)) +
                     quantile(complement(normal(), strict.beta));
    EXPECT_EQ(sample_size(MeanCheck(normal()), strict, shift),
              static_cast<std::size_t>(std::ceil(z * z / (shift * shift))));
  }
}

TEST(SampleSize, OfADistributionIsTheSolvedBound) {
  // n = ((√ln(2/α) + √ln(1/β)) / (√2 Δ))².
  for (const double distance : {0.01, 0.062, 0.5}) {
    const double roots =
        std::sqrt(std::log(2 / strict.alpha)) + std::sqrt(std::log(1 / strict.beta));
    EXPECT_EQ(sample_size(CdfCheck(normal(), "N(0, 1)"), strict, distance),
              static_cast<std::size_t>(std::ceil(roots * roots / (2 * distance * distance))));
  }
}

TEST(SampleSize, OfTheVarianceAgreesWithTheIntegratedDensity) {
  using boost::math::quadrature::gauss_kronrod;
  const VarianceCheck check{normal()};
  for (const double ratio : {1.5, 2.0, 8.0}) {
    const std::size_t n = sample_size(check, strict, ratio);
    const auto missed = [&](std::size_t draws) {
      const boost::math::chi_squared null(static_cast<double>(draws));
      const double low = quantile(null, strict.alpha / 2);
      const double high = quantile(complement(null, strict.alpha / 2));
      const auto density = [&](double t) { return pdf(null, t); };
      return std::max(gauss_kronrod<double, 31>::integrate(density, low / ratio, high / ratio, 15),
                      gauss_kronrod<double, 31>::integrate(density, low * ratio, high * ratio, 15));
    };
    EXPECT_LE(missed(n), strict.beta) << "n = " << n;
    EXPECT_GT(missed(n - 1), strict.beta) << "n = " << n;
  }
}

TEST(SampleSize, OfACountAgreesWithSummedProbabilities) {
  const double p = 0.3;
  const double difference = 0.2;
  const CountCheck check(p);
  const std::size_t n = sample_size(check, strict, difference);
  const auto size = static_cast<double>(n);
  for (const double truth : {p - difference, p + difference}) {
    double missed = 0;
    for (double x = 0; x <= size; ++x)
      if (check.p_value(x, n) > strict.alpha) missed += pdf(boost::math::binomial(size, truth), x);
    EXPECT_LE(missed, strict.beta);
  }
  double falsely = 0;
  for (double x = 0; x <= size; ++x)
    if (check.p_value(x, n) <= strict.alpha) falsely += pdf(boost::math::binomial(size, p), x);
  EXPECT_LE(falsely, strict.alpha);
  EXPECT_NEAR(falsely, check.size(n, strict.alpha), strict.alpha * 1e-9);
}

TEST(SampleSize, TheSmallestEffectIsSeenAndAnySmallerOneIsNot) {
  const auto expect_of = [](const auto& check) {
    for (const std::size_t n : {40U, 1000U, 100000U}) {
      const double effect = smallest_effect(check, strict, n);
      if (std::isinf(effect)) continue;
      const double less = effect - 0x1p-18 * (effect - check.no_effect());
      EXPECT_LE(check.type_ii_error(n, strict.alpha, effect), strict.beta)
          << check.method() << ", " << n;
      EXPECT_GT(check.type_ii_error(n, strict.alpha, less), strict.beta)
          << check.method() << ", " << n;
    }
  };
  expect_of(MeanCheck(normal(1, 2)));
  expect_of(VarianceCheck(normal(1, 2)));
  expect_of(CountCheck(0.1));
  expect_of(CdfCheck(normal(), "N(0, 1)"));
}

TEST(SampleSize, MissesFallWithTheEffectOnceTheyAreRarerThanATrueDistributionPasses) {
  const auto expect_of = [](const auto& check, std::size_t n, double alpha, double last) {
    double before = 1 - alpha;
    bool falling = false;
    for (int i = 1; i <= 400; ++i) {
      const double missed = check.type_ii_error(n, alpha, check.no_effect() + last * i / 400);
      EXPECT_TRUE(!falling || missed <= before * (1 + 1e-9)) << check.method() << ", step " << i;
      falling = falling || missed < 1 - alpha;
      before = missed;
    }
    EXPECT_TRUE(falling) << check.method();
  };
  for (const std::size_t n : {5U, 40U})
    for (const double alpha : {0.05, 0.25}) {
      expect_of(MeanCheck(normal()), n, alpha, 3);
      expect_of(VarianceCheck(normal()), n, alpha, 30);
      expect_of(CountCheck(0.25), n, alpha, 0.75);
      expect_of(CdfCheck(normal(), "N(0, 1)"), n, alpha, 1);
    }
  // Before that they may rise: this distribution is missed more often than the true one.
  const VarianceCheck variance{normal()};
  EXPECT_GT(variance.type_ii_error(5, 0.05, 1.05), 0.9527);
  EXPECT_GT(variance.type_ii_error(5, 0.05, 1.1), variance.type_ii_error(5, 0.05, 1.05));
}

TEST(SampleSize, TooFewDrawsSeeNothingAtAll) {
  EXPECT_EQ(smallest_effect(CountCheck(0.5), strict, 20), infinity);
  EXPECT_EQ(smallest_effect(CdfCheck(normal(), "N(0, 1)"), strict, 40), infinity);
  const std::vector<double> few(40, 0.1);
  EXPECT_EQ(run_test(CdfCheck(normal(), "N(0, 1)"), few, strict).effect_text,
            "nothing: too few draws");
}

TEST(SampleSize, RefusesOddsEffectsAndSizesThatMakeNoSense) {
  const MeanCheck mean{normal()};
  const VarianceCheck variance{normal()};
  const CountCheck count(0.3);
  for (const double bad : {0.0, 1.0, -0.5, 2.0, nan}) {
    EXPECT_THROW(sample_size(mean, {bad, 0.5}, 1), std::domain_error);
    EXPECT_THROW(sample_size(mean, {0.5, bad}, 1), std::domain_error);
    EXPECT_THROW(smallest_effect(mean, {bad, 0.5}, 10), std::domain_error);
    EXPECT_THROW(CountCheck{bad}, std::domain_error);
  }
  for (const double bad : {0.0, -1.0, nan, infinity})
    EXPECT_THROW(sample_size(mean, strict, bad), std::domain_error);
  EXPECT_THROW(sample_size(variance, strict, 1), std::domain_error);
  EXPECT_THROW(sample_size(count, strict, 0.71), std::domain_error);
  EXPECT_THROW(sample_size(mean, strict, 1e-9), std::domain_error);
  EXPECT_THROW(smallest_effect(mean, strict, 0), std::domain_error);
  const CdfCheck distribution(normal(), "N(0, 1)");
  const auto refuses = [](const auto& check, double effect, double too_large) {
    EXPECT_THROW(check.type_ii_error(0, 0.5, effect), std::domain_error) << check.method();
    for (const double bad : {0.0, 1.0, -0.5, 2.0, nan})
      EXPECT_THROW(check.type_ii_error(10, bad, effect), std::domain_error) << check.method();
    for (const double bad : {nan, too_large})
      EXPECT_THROW(check.type_ii_error(10, 0.5, bad), std::domain_error) << check.method();
  };
  refuses(mean, 1, infinity);
  refuses(variance, 2, infinity);
  refuses(variance, 2, 0.5);
  refuses(count, 0.5, 0.71);
  refuses(count, 0.5, -0.1);
  refuses(distribution, 0.5, 1.5);
  EXPECT_THROW(count.size(10, nan), std::domain_error);
  EXPECT_THROW(count.size(0, 0.5), std::domain_error);
  EXPECT_THROW(hoeffding_draws(1e-200, 0.5), std::domain_error);
  EXPECT_EQ(message_of<std::domain_error>([&] {
              sample_size(mean, {2, 0.5}, 1);
            }),
            "alpha is 2, but must lie strictly between 0 and 1");
  EXPECT_EQ(message_of<std::domain_error>([&] { sample_size(variance, strict, 0.5); }),
            "the effect is 0.5, but must be above 1, at most inf, and finite");
}

// ------------------------------------------------------------------------------------------ Checks

TEST(Checks, TheMeanOfKnownDrawsHasTheKnownPValue) {
  const std::vector<double> sample = {3, 5};  // of N(1, 4): z = (2 + 4)/(2√2) = 3/√2
  const MeanCheck check(normal(1, 2));
  EXPECT_DOUBLE_EQ(check.statistic(sample), 3 / std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(check.p_value(3 / std::sqrt(2.0), 2), std::erfc(1.5));
}

TEST(Checks, TheVarianceOfKnownDrawsHasTheKnownPValue) {
  const std::vector<double> sample = {3,
                                      5};  // of N(1, 4): T = 1 + 4 = 5, and χ²₂ has tail exp(−t/2)
  const VarianceCheck check(normal(1, 2));
  EXPECT_EQ(check.statistic(sample), 5);
  EXPECT_DOUBLE_EQ(check.p_value(5, 2), 2 * std::exp(-2.5));
}

TEST(Checks, ACountIsRejectedJustIfItsClopperPearsonIntervalExcludesTheProbability) {
  const double alpha = 0x1p-6;
  const std::size_t n = 60;
  for (const double p : {0.02, 0.3, 0.5, 0.97}) {
    const CountCheck check(p);
    for (std::size_t x = 0; x <= n; ++x) {
      using boost::math::binomial;
      const auto trials = static_cast<double>(n);
      const auto successes = static_cast<double>(x);
      const double low = binomial::find_lower_bound_on_p(trials, successes, alpha / 2);
      const double high = binomial::find_upper_bound_on_p(trials, successes, alpha / 2);
      EXPECT_EQ(check.p_value(successes, n) <= alpha, p <= low || p >= high) << x << ", p = " << p;
    }
  }
}

TEST(Checks, TheDistanceOfKnownDrawsFromTheUniformDistributionIsKnown) {
  const CdfCheck check(boost::math::uniform(0, 1), "uniform");
  EXPECT_EQ(check.statistic(std::vector<double>{0.5}), 0.5);
  EXPECT_EQ(check.statistic(std::vector<double>{0.75, 0.25}), 0.25);
  EXPECT_EQ(check.statistic(std::vector<double>{0.0, 0.0}), 1);
  EXPECT_EQ(check.p_value(0.5, 8), 2 * std::exp(-4.0));
}

TEST(Checks, ADrawOutsideTheSupportIsEvidenceAndNotAnError) {
  const CdfCheck check(boost::math::exponential(1), "exponential");
  EXPECT_EQ(check.statistic(std::vector<double>{-1, -2, -3}), 1);
}

TEST(Checks, RefuseSamplesThatAreEmptyOrNotFinite) {
  const MeanCheck mean{normal()};
  const VarianceCheck variance{normal()};
  const CdfCheck distribution(normal(), "N(0, 1)");
  const auto refused = [](const auto& check) {
    EXPECT_THROW(run_test(check, {}, strict), std::invalid_argument);
    EXPECT_THROW(run_test(check, {0.5, nan}, strict), std::domain_error);
    EXPECT_THROW(run_test(check, {-infinity}, strict), std::domain_error);
    EXPECT_THROW(run_test(check, {0.5}, ErrorRates{0, 0.5}), std::domain_error);
    EXPECT_THROW(run_test(check, {0.5}, ErrorRates{0.5, 1}), std::domain_error);
  };
  refused(mean);
  refused(variance);
  refused(distribution);
  EXPECT_THROW(run_test(CountCheck(0.5), {0, 0}, strict), std::invalid_argument);
  EXPECT_THROW(run_test(CountCheck(0.5), {3, 2}, strict), std::invalid_argument);
  EXPECT_EQ(message_of<std::domain_error>([&] {
              run_test(mean, {0.5, nan, 1}, strict);
            }),
            "draw 1 of 3 is nan, but every draw must be finite");
}

/// A distribution of one's own that goes wrong from a half on.
struct FromAHalfOn {
  double value;
};
double cdf(const FromAHalfOn& distribution, double x) { return x < 0.5 ? x : distribution.value; }

TEST(Checks, RefuseADistributionFunctionThatIsNoProbability) {
  const std::vector<double> draws = {0.75, 0.25};
  for (const double bad : {nan, infinity, -0.25, 1.5})
    EXPECT_THROW(run_test(CdfCheck(FromAHalfOn{bad}, "mine"), draws, strict), std::domain_error);
  EXPECT_EQ(message_of<std::domain_error>(
                [&] { run_test(CdfCheck(FromAHalfOn{nan}, "mine"), draws, strict); }),
            "the distribution function of mine is nan at 0.75, but must be from 0 to 1");
  // A jump down is a gap like any other.
  EXPECT_EQ(CdfCheck(FromAHalfOn{0.125}, "mine").statistic(draws), 0.875);
}

/// A check of one's own, of which nothing but its results matters here.
struct OwnCheck {
  using Observations = std::vector<double>;
  double p;
  double missed;

  double statistic(const Observations&) const { return 0; }
  double p_value(double, std::size_t) const { return p; }
  double type_ii_error(std::size_t, double, double) const { return missed; }
  double no_effect() const { return 0; }
  double largest_effect() const { return 1; }
  std::string distribution() const { return "any"; }
  std::string method() const { return "my own"; }
  std::string observed(double, std::size_t) const { return "nothing"; }
  std::string effect_text(double) const { return "some effect"; }
};

TEST(Checks, RefuseWhatACheckOfOnesOwnSaysThatIsNoProbability) {
  const std::vector<double> draws = {0.75, 0.25};
  EXPECT_FALSE(run_test(OwnCheck{0.5, 0}, draws, strict).rejected);
  for (const double bad : {nan, infinity, -0.25, 1.5})
    EXPECT_THROW(run_test(OwnCheck{bad, 0}, draws, strict), std::domain_error);
  EXPECT_EQ(message_of<std::domain_error>([&] {
              run_test(OwnCheck{nan, 0}, draws, strict);
            }),
            "the p-value of the check 'my own' is nan, but must be from 0 to 1");
  EXPECT_THROW(run_test(OwnCheck{0.5, nan}, draws, strict), std::domain_error);
  EXPECT_THROW(sample_size(OwnCheck{0.5, nan}, strict, 0.5), std::domain_error);
}

TEST(Checks, RejectDrawsThatAreTooLargeToBeAdded) {
  const double most = std::numeric_limits<double>::max();
  EXPECT_TRUE(run_test(MeanCheck(normal(0, 0.5)), {most, -most}, strict).rejected);
  EXPECT_TRUE(run_test(VarianceCheck(normal(0, 0.5)), {most, -most}, strict).rejected);
}

TEST(Checks, RefuseASampleThatIsTooSmallForTheDeclaredEffect) {
  const MeanCheck check{normal()};
  const std::vector<double> ten(10, 0.0);
  EXPECT_EQ(
      message_of<std::invalid_argument>([&] { run_test(check, ten, 0x1p-30, {.effect = 1}); }),
      "there are 10 draws, but 148 are needed to see a mean shifted by 1 standard deviations "
      "with alpha = 2^-30 and beta = 2^-30");
  EXPECT_FALSE(run_test(check, ten, 0x1p-30, {.effect = 4}).rejected);
  EXPECT_THROW(run_test(CountCheck(0.3), {0, 0}, 0.5, {.effect = 0.2}), std::invalid_argument);
  EXPECT_EQ(
      message_of<std::invalid_argument>([&] {
        run_test(CountCheck(0.3), {65, 217}, 0x1p-6, {.effect = 0.15, .beta = 0x1p-6});
      }),
      "there are 217 draws, which miss a probability wrong by 0.15 with alpha = 2^-6 and beta = "
      "2^-6 too often; 216 do not");
}

// ------------------------------------------------------------------------------- StatisticalChecks

/// The sources of draws that the checks below are about.
struct Samplers {
  double (*normal)(Stream&) = [](Stream& stream) {
    return draw(boost::math::normal(1, 2), stream);
  };
  bool (*event)(Stream&) = [](Stream& stream) { return uniform(stream) < 0.25; };
  double (*exponential)(Stream&) = [](Stream& stream) {
    return draw(boost::math::exponential(3), stream);
  };
};

const std::vector<Mutant<Samplers>> wrong_samplers = {
    {"the mean is shifted by a quarter of σ",
     "AcceptTheRightMean",
     {.normal = [](Stream& stream) { return draw(normal(1.5, 2), stream); }}},
    {"the variance is doubled",
     "AcceptTheRightVariance",
     {.normal = [](Stream& stream) { return draw(normal(1, std::sqrt(8.0)), stream); }}},
    {"the variance is halved",
     "AcceptTheRightVariance",
     {.normal = [](Stream& stream) { return draw(normal(1, std::sqrt(2.0)), stream); }}},
    {"the event is more frequent",
     "AcceptTheRightProbability",
     {.event = [](Stream& stream) { return uniform(stream) < 0.3; }}},
    {"rate and scale are swapped",
     "AcceptTheRightDistribution",
     {.exponential = [](Stream& s) { return draw(boost::math::exponential(1.0 / 3), s); }}},
    {"a normal distribution with the same mean and variance",
     "AcceptTheRightDistribution",
     {.exponential = [](Stream& stream) { return draw(normal(1.0 / 3, 1.0 / 3), stream); }}},
    {"not a number once in a while",
     "AcceptTheRightDistribution",
     {.exponential = [](Stream& stream) { return uniform(stream) < 0.01 ? nan : 1; }},
     Death::by_exception},
};

TEST(StatisticalChecks, AcceptTheRightMean) {
  check_with_mutants(wrong_samplers, [](const Samplers& from) {
    const TestResult found = expect_draws(MeanCheck(normal(1, 2)), {.effect = 0.25}, from.normal);
    EXPECT_EQ(found.n, sample_size(MeanCheck(normal(1, 2)), strict, 0.25));
  });
}

TEST(StatisticalChecks, AcceptTheRightVariance) {
  check_with_mutants(wrong_samplers, [](const Samplers& from) {
    expect_draws(VarianceCheck(normal(1, 2)), {.effect = 2}, from.normal);
  });
}

TEST(StatisticalChecks, AcceptTheRightProbability) {
  check_with_mutants(wrong_samplers, [](const Samplers& from) {
    expect_draws(CountCheck(0.25), {.effect = 0.05}, from.event);
  });
}

TEST(StatisticalChecks, AcceptTheRightDistribution) {
  const double distance =
      cdf(normal(1.0 / 3, 1.0 / 3), 0);  // where the exponential distribution has no mass
  check_with_mutants(wrong_samplers, [&](const Samplers& from) {
    expect_draws(CdfCheck(boost::math::exponential(3), "exponential of rate 3"),
                 {.effect = distance}, from.exponential);
  });
}

class AnInterval : public WithLedger {};

TEST_F(AnInterval, IsRefusedIfItHoldsNothing) {
  allow(3, 30);
  const auto report = [](double lower, double upper) {
    report_interval(5, [&](double) { return ConfidenceInterval{lower, 0.5, upper}; });
  };
  EXPECT_THROW(report(nan, 1), std::domain_error);
  EXPECT_THROW(report(0, nan), std::domain_error);
  EXPECT_EQ(message_of<std::domain_error>([&] { report(1, 0); }),
            "the interval is from 1 to 0, which holds nothing");
}

class AFailingCheck : public WithLedger {};

TEST_F(AFailingCheck, SaysWhatWasSeenWhatWasExpectedAndHowToReplay) {
  allow(1, 30);
  const std::string text = failures_of(
      [] { expect_draws(VarianceCheck(normal()), {.effect = 2}, [](Stream&) { return 2.0; }); });
  for (const std::string expected :
       {"the draws contradict the distribution", "expected  N(0, 1)", "chi-squared pivot (exact)",
        "observed  variance 4, 4 times the distribution's", "<= alpha = 2^-30", "n         619",
        "sees      variance multiplied or divided by 2 (missed with probability 2^-30)",
        "replay    SQRTDK_SEED=", "--gtest_filter=AFailingCheck.SaysWhat"})
    EXPECT_NE(text.find(expected), std::string::npos) << expected << " is not in:\n" << text;
}

TEST_F(AFailingCheck, GivesTheSameNumbersEveryTime) {
  allow(1, 30);
  const auto find = [] {
    evidence() = Evidence();
    double statistic = 0;
    // Draws of (5, 6), of which a check of N(0, 1) is never content.
    const std::string text = failures_of([&] {
      const auto sampler = [](Stream& stream) { return 5 + uniform(stream); };
      statistic = expect_draws(MeanCheck(normal()), {.effect = 1}, sampler).statistic;
    });
    EXPECT_NE(text, "");
    return std::pair(statistic, text);
  };
  EXPECT_EQ(find(), find());
}

TEST_F(AFailingCheck, OfAGivenSampleSaysWhichEffectItSees) {
  allow(2, 6);
  const std::string text = failures_of([] { expect_sample(CountCheck(0.5), {90, 100}, 0x1p-6); });
  for (const std::string expected :
       {"90 of 100, a frequency of 0.9", "probability 0.5 of the event", "alpha = 2^-6",
        "probability wrong by 0."})
    EXPECT_NE(text.find(expected), std::string::npos) << expected << " is not in:\n" << text;
  EXPECT_FALSE(expect_sample(CountCheck(0.5), {50, 100}, 0x1p-6).rejected);
}

// ------------------------------------------------------------------------------------------ Ledger

constexpr std::array<LedgerEntry, 2> modest = {{{"A.B", 3, 30}, {"A.C", 1, 22}}};
constexpr std::array<LedgerEntry, 2> exactly = {{{"A.B", 1, 21}, {"A.C", 1, 21}}};
constexpr std::array<LedgerEntry, 3> excessive = {{{"A.B", 1, 21}, {"A.C", 1, 21}, {"A.D", 1, 62}}};
constexpr std::array<LedgerEntry, 2> enormous = {{{"A.B", ~std::uint64_t{0}, 1}, {"A.C", 1, 1}}};

TEST(Ledger, AddsUpExactlyAndRefusesTheSmallestExcess) {
  static_assert(union_bound(modest) == (3ULL << 32) + (1ULL << 40));
  static_assert(spends_at_most(modest, 20) && !spends_at_most(modest, 22));
  static_assert(spends_at_most(exactly, 20));
  static_assert(!spends_at_most(excessive, 20));
  static_assert(!spends_at_most(enormous, 20));
  static_assert(spends_at_most(sqrtdk::ledger, 20));
}

TEST(Ledger, RefusesEntriesThatMakeNoSense) {
  const auto bound = [](const LedgerEntry& a, const LedgerEntry& b) {
    return union_bound(std::array<LedgerEntry, 2>{{a, b}});
  };
  const LedgerEntry good = {"A.B", 1, 30};
  EXPECT_NO_THROW(bound(good, {"A.C", 1, 62}));
  EXPECT_THROW(bound(good, good), std::invalid_argument);
  EXPECT_THROW(bound(good, {"", 1, 30}), std::invalid_argument);
  EXPECT_THROW(bound(good, {"A.C", 0, 30}), std::invalid_argument);
  EXPECT_THROW(bound(good, {"A.C", 1, 0}), std::invalid_argument);
  EXPECT_THROW(bound(good, {"A.C", 1, 63}), std::invalid_argument);
  EXPECT_THROW(spends_at_most(modest, 63), std::invalid_argument);
}

TEST(Ledger, SaysWhatItSpends) {
  EXPECT_EQ(summary(modest),
            "4 risks of chance; correct code fails by any of them with probability at most "
            "259/2^30 = 2.4e-07");
  EXPECT_EQ(summary({}), "nothing here can fail by chance");
}

class TheLedger : public WithLedger {};

TEST_F(TheLedger, GrantsAlphaByTheNameOfTheRunningTest) {
  allow(2, 5);
  EXPECT_EQ(alpha_of_next_check(), 0x1p-5);
  EXPECT_EQ(alpha_of_next_check(), 0x1p-5);
}

TEST_F(TheLedger, RefusesACheckWithoutAnEntry) {
  active_ledger() = modest;
  const std::string text = message_of<std::logic_error>([] { alpha_of_next_check(); });
  EXPECT_NE(text.find("the ledger has no entry for it"), std::string::npos) << text;
  EXPECT_NE(text.find("TheLedger.RefusesACheckWithoutAnEntry"), std::string::npos) << text;
}

TEST_F(TheLedger, RefusesMoreChecksThanAreEntered) {
  allow(1, 5);
  alpha_of_next_check();
  const std::string text = message_of<std::logic_error>([] { alpha_of_next_check(); });
  EXPECT_NE(text.find("takes more than the 1 risks"), std::string::npos) << text;
}

}  // namespace
