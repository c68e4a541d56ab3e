#include "properties/trust/fixture.hpp"

#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/negative_binomial.hpp>
#include <boost/math/distributions/poisson.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <boost/math/tools/minima.hpp>

namespace sqrtdk::properties::SmallEffectsNeedManyDraws {

/// The numbers of draws that three checks need; two of them at the strict error rates.
struct Subject {
  std::size_t (*mean)(ErrorRates, double) = [](ErrorRates wanted, double shift) {
    return sample_size(mean_check, wanted, shift);
  };
  std::size_t (*variance)(double) = [](double ratio) {
    return sample_size(variance_check, strict, ratio);
  };
  std::size_t (*distribution)(double) = [](double distance) {
    return sample_size(cdf_check, strict, distance);
  };
};

/// The probability of missing a variance ratio, by integrating the density of χ²ₙ.
double integrated_miss(std::size_t n, double ratio) {
  const auto degrees = static_cast<double>(n);
  const boost::math::chi_squared null(degrees);
  const double a = quantile(null, strict.alpha / 2);
  const double b = quantile(complement(null, strict.alpha / 2));
  const auto density = [&](double x) { return pdf(null, x); };
  using Quadrature = boost::math::quadrature::gauss_kronrod<double, 61>;
  return std::max(Quadrature::integrate(density, a / ratio, b / ratio, 10, 1e-12),
                  Quadrature::integrate(density, a * ratio, b * ratio, 10, 1e-12));
}

/// The smallest number of draws at which the integral is at most β, found by going through all.
std::size_t first_size_that_suffices(double ratio) {
  std::size_t n = 1;
  while (integrated_miss(n, ratio) > strict.beta) ++n;
  return n;
}

constexpr ErrorRates one_sided_rates{2 * strict.alpha, strict.beta};

//! [SmallEffectsNeedManyDraws]
STATEMENT(SmallEffectsNeedManyDraws, TheIntegralOfTheDensityGivesTheSameSizes) {
  std::map<int, std::size_t> first;
  for (const int d : {2, 8, 64}) first[d] = first_size_that_suffices(d);
  for (const auto& [d, n] : first) {
    EXPECT_EQ(subject.variance(d), n) << "d = " << d;
    record_value("no_root_" + std::to_string(d), std::to_string(subject.variance(d)));
    enumerated(n);
  }
  evidence().rests_on(EvidenceLevel::measured);  // the quadrature, and Boost's quantiles
}
//! [SmallEffectsNeedManyDraws]
KILLS("α is not divided between the two sides of the variance", {.variance = [](double ratio) {
        return sample_size(variance_check, one_sided_rates, ratio);
      }});
KILLS("one draw more for the variance",
      {.variance = [](double ratio) { return Subject().variance(ratio) + 1; }});
KILLS("the effect is a ratio of deviations",
      {.variance = [](double ratio) { return Subject().variance(ratio * ratio); }});

/// Pr(q·k > x) for x ≥ 0, standard normal entries and even d: the difference of two Gamma(d/2, 1),
/// which wait for the m-th events, m = d/2, of two streams of events.
double score_tail(int d, double x) {
  const int m = d / 2;
  // i events of the first stream before x; then m of the second before m − i of the first.
  const boost::math::negative_binomial race(m, 0.5);
  if (x == 0) return cdf(race, m - 1);
  double tail = 0;
  for (int i = 0; i < m; ++i) tail += pdf(boost::math::poisson(x), i) * cdf(race, m - 1 - i);
  return tail;
}

/// The Kolmogorov distance between the distribution of a score and N(0, d), for even d.
double distance_from_normal(int d) {
  const auto negative_gap = [d](double z) {
    return -std::abs(score_tail(d, z * std::sqrt(d)) - cdf(standard, -z));
  };
  constexpr int steps = 400;
  int best = 1;
  for (int i = 1; i < steps; ++i)
    if (negative_gap(4.0 * i / steps) < negative_gap(4.0 * best / steps)) best = i;
  return -boost::math::tools::brent_find_minima(negative_gap, 4.0 * (best - 1) / steps,
                                                4.0 * (best + 1) / steps, 40)
              .second;
}

constexpr ErrorRates coin_toss_rates{strict.alpha, 0.5};

STATEMENT(SmallEffectsNeedManyDraws, HeadsOfManyDimensionsHideTheirErrors) {
  const double sum = std::sqrt(std::log(2 / strict.alpha)) + std::sqrt(std::log(1 / strict.beta));
  for (const int d : {2, 8, 64}) {
    const std::string at = "_" + std::to_string(d);
    const double distance = distance_from_normal(d);
    const double needed = sum * sum / (2 * distance * distance);
    const std::size_t n = subject.distribution(distance);
    EXPECT_LE(needed, static_cast<double>(n)) << "d = " << d;
    EXPECT_GT(needed, static_cast<double>(n - 1)) << "d = " << d;
    record_value("distance" + at, format_significant(distance, 4));
    record_value("normal" + at, std::to_string(n));
    record_value("one_less" + at,
                 std::to_string(subject.variance(static_cast<double>(d) / (d - 1))));
    enumerated(1);
  }
  evidence().rests_on(EvidenceLevel::measured);  // the logarithms of the formula
}
KILLS("misses are forgotten", {.distribution = [](double distance) {
        return sample_size(cdf_check, coin_toss_rates, distance);
      }});
KILLS("the draws grow like the inverse distance", {.distribution = [](double distance) {
        return static_cast<std::size_t>(static_cast<double>(Subject().distribution(0.25)) * 0.25 /
                                        distance);
      }});

//! [SmallEffectsNeedManyDraws: half the effect]
STATEMENT(SmallEffectsNeedManyDraws, HalfTheEffectNeedsFourTimesTheDraws) {
  const auto expect_four_times = [](std::size_t half, std::size_t whole, double effect) {
    EXPECT_EXACTLY(half <= 4 * whole) << effect;
    EXPECT_EXACTLY(half + 3 >= 4 * whole) << effect;
  };
  const auto check = [&](ErrorRates wanted, double effect) {
    expect_four_times(subject.mean(wanted, effect / 2), subject.mean(wanted, effect), effect);
    expect_four_times(subject.distribution(effect / 2), subject.distribution(effect), effect);
  };
  for (int i = 1; i <= 8; ++i) {
    check(strict, std::ldexp(1.0, -i));
    enumerated(2);
  }
  for_all([&] {
    const double alpha = std::exp2(-*rc::gen::inRange(2, 31).as("−log₂ α"));
    const double beta = std::exp2(-*rc::gen::inRange(2, 31).as("−log₂ β"));
    check({alpha, beta}, *rc::gen::inRange(1, 65).as("64 times the effect") / 64.0);
  });
  record_value("quarter", std::to_string(subject.mean(strict, 0.25)));
}
//! [SmallEffectsNeedManyDraws: half the effect]
KILLS("one draw less for the mean",
      {.mean = [](ErrorRates wanted, double shift) { return Subject().mean(wanted, shift) - 1; }});
KILLS("twenty draws more for a distribution",
      {.distribution = [](double distance) { return Subject().distribution(distance) + 20; }});

STATEMENT(SmallEffectsNeedManyDraws, ADrawLessMissesTheShiftTooOften) {
  evidence().rests_on(EvidenceLevel::measured);  // the distribution function of N(0, 1)
  for (int i = 1; i <= 8; ++i) {
    const double shift = std::ldexp(1.0, -i);
    const std::size_t n = subject.mean(strict, shift);
    EXPECT_LE(mean_check.type_ii_error(n, strict.alpha, shift), strict.beta) << shift;
    EXPECT_GT(mean_check.type_ii_error(n - 1, strict.alpha, shift), strict.beta) << shift;
    enumerated(1);
  }
}
KILLS("α is not divided between the two sides of the mean", {.mean = [](ErrorRates, double shift) {
        return sample_size(mean_check, one_sided_rates, shift);
      }});

/// The formula of the textbooks, ⌈((z_{α/2} + z_β)/δ)²⌉.
std::size_t textbook_size(ErrorRates wanted, double shift) {
  const double root = (quantile(complement(standard, wanted.alpha / 2)) +
                       quantile(complement(standard, wanted.beta))) /
                      shift;
  return static_cast<std::size_t>(std::ceil(root * root));
}

ASIDE(SmallEffectsNeedManyDraws, OddsThatASingleDrawKeepsNeedNoMore) {
  for (int i = 1; i <= 8; ++i) {
    EXPECT_EXACTLY(subject.mean({0.75, 0.5}, std::ldexp(1.0, -i)) == 1U) << "shift 2^-" << i;
    enumerated(1);
  }
  counterexample_without("odds that ask for something");
}
KILLS("the formula of the textbooks, whatever the odds", {.mean = textbook_size});

}  // namespace sqrtdk::properties::SmallEffectsNeedManyDraws
