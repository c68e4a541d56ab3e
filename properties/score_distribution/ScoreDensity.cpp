#include "properties/score_distribution/fixture.hpp"
#include "properties/support/rational_distributions.hpp"

#include <boost/math/constants/constants.hpp>
#include <boost/math/special_functions/gamma.hpp>

namespace sqrtdk::properties::ScoreDensity {

using namespace sqrtdk::reference;

//! [ScoreDensity]
STATEMENT(ScoreDensity, TheMixingIntegralIsTheDensity) {
  evidence().rests_on(EvidenceLevel::measured);
  // As a mixture of normal densities and by inverting the characteristic function, to 30 digits.
  static std::map<std::pair<double, double>, Wide> library;  // K of Boost.Math
  for (const double d : {0.5, 1.0, 3.7, 11.0, 64.0})
    for (const double x : {0.125, 1.0, 7.5, 40.0}) {
      const Wide nu = (Wide(d) - 1) / 2;
      const Wide bessel = subject.bessel(nu, x);
      const Wide density =
          pow(Wide(x) / 2, nu) * bessel / (constants::root_pi<Wide>() * tgamma(Wide(d) / 2));
      expect_within(static_cast<double>(abs(density / point_at(d, x).density - 1)), 1e-28,
                    place(d, x));
      // And it is the function that libraries call by this name.
      const auto [want, is_new] = library.try_emplace({d, x});
      if (is_new) want->second = boost::math::cyl_bessel_k(Wide(abs(nu)), Wide(x));
      expect_within(static_cast<double>(abs(bessel / want->second - 1)), 1e-28, place(d, x));
    }
  enumerated(20);
}
//! [ScoreDensity]
KILLS("K falls like its limit from the start", {.bessel = [](auto&, auto& x) -> Wide {
        return sqrt(constants::half_pi<Wide>() / x) * exp(-x);
      }});
KILLS("the order is d/2",
      {.bessel = [](auto& nu, auto& x) { return bessel_by_mixing(nu + Wide(0.5), x); }});

//! [ScoreDensity: the recurrences]
STATEMENT(ScoreDensity, TheRecurrencesHoldInThirtyDigits) {
  evidence().rests_on(EvidenceLevel::measured);
  // Along the line through the saddle point no recurrence is used.
  for (const double d : {102.0, 117.5, 301.25, 1000.0})
    for (const double z : {0.5, 1.0, 3.0}) {
      const double x = z * std::sqrt(d);
      static std::map<std::pair<double, double>, Reference> known;
      const auto at = [&](double dimension) {
        const auto [values, is_new] = known.try_emplace({dimension, x});
        if (is_new) {
          values->second = along_the_line(dimension, x);
          values->second.tail *= exp(values->second.log_scale);
          values->second.density *= exp(values->second.log_scale);
        }
        return values->second;
      };
      const Reference here = at(d);
      const Reference above = at(d + 2);
      const Wide tail = subject.next_tail(d, x, here.tail, here.density);
      const Wide density = subject.next_density(d, x, at(d - 2).density, here.density);
      for (const Wide& error : {Wide(tail / above.tail - 1), Wide(density / above.density - 1)})
        expect_within(static_cast<double>(abs(error)), 1e-28, place(d, x));
    }
  enumerated(12);
}
//! [ScoreDensity: the recurrences]
KILLS("the tail grows by x f/(d + 1)",
      {.next_tail = [](auto& d, auto& x, auto& tail, auto& density) {
        return next_tail(d + 1, x, tail, density);
      }});
KILLS("the weights of the two densities add up to one",
      {.next_density = [](auto& d, auto&, auto& before, auto& density) -> Wide {
        return before / d + (d - 1) / d * density;
      }});

//! [ScoreDensity: tail and centre]
ASIDE(ScoreDensity, TheDistributionIsSymmetricAndTailAndCentreMakeOneHalf) {
  evidence().rests_on(EvidenceLevel::measured);
  for_all([&] {
    const double d = *any_dimension().as("d");
    const double z = *any_deviation().as("deviations from the mean");
    const double x = z * std::sqrt(d);
    RC_ASSERT(subject.lower(d, -x) == subject.upper(d, x));
    RC_ASSERT(subject.pdf(d, -x) == subject.pdf(d, x));
    RC_ASSERT(subject.central(d, -x) == -subject.central(d, x));
    // P(X > x) and P(0 < X ≤ x) are computed in different ways up to one deviation.
    const Wide tail = subject.upper(d, x);
    const Wide centre = subject.central(d, x);
    const Wide lower = subject.lower(d, x);
    const auto check = [](const Wide& error, const Wide& bound) {
      evidence().worst(static_cast<double>(abs(error)) / epsilon, static_cast<double>(bound));
      RC_ASSERT(abs(error) <= bound * epsilon);
    };
    check(tail + centre - 0.5, score_precision::cdf * tail + score_precision::central_cdf * centre);
    check(lower - centre - 0.5,
          score_precision::cdf * lower + score_precision::central_cdf * centre);
  });
}
//! [ScoreDensity: tail and centre]
KILLS("the cdf of a negative score is one minus that of a positive one",
      {.lower = [](double d, double x) {
        return x < 0 ? 1 - cdf(Score(d), -x) : cdf(Score(d), x);
      }});
KILLS("a negative score has no density",
      {.pdf = [](double d, double x) { return x < 0 ? 0 : pdf(Score(d), x); }});
KILLS("the central cdf ignores the sign",
      {.central = [](double d, double x) { return central_cdf(Score(d), std::abs(x)); }});
KILLS("the complement is the cdf",
      {.lower = [](double d, double x) { return cdf(complement(Score(d), x)); },
       .upper = [](double d, double x) { return cdf(Score(d), x); }});
KILLS("the distribution of d + 1, on both sides",
      {.lower = [](double d, double x) { return cdf(Score(d + 1), x); },
       .upper = [](double d, double x) { return cdf(complement(Score(d + 1), x)); }});

ASIDE(ScoreDensity, TheTailFallsAsFastAsTheDensitySays) {
  evidence().rests_on(EvidenceLevel::measured);
  // The density falls on x > 0, so between x and y the tail falls by (y − x) f(y) at least and by
  // (y − x) f(x) at most, and each of the four numbers may be wrong by its bound.
  const auto holds = [&](double d, double z) {
    const double x = z * std::sqrt(d);
    const double y = x * (1 + 0x1p-6);
    const Wide at_x = subject.upper(d, x);
    const Wide at_y = subject.upper(d, y);
    const Wide effect_text = score_precision::cdf * epsilon * (at_x + at_y);
    const Wide least = (Wide(y) - x) * subject.pdf(d, y) * (1 - score_precision::pdf * epsilon);
    const Wide most = (Wide(y) - x) * subject.pdf(d, x) * (1 + score_precision::pdf * epsilon);
    return at_x - at_y >= least - effect_text && at_x - at_y <= most + effect_text;
  };
  for (const double d : {1.0, 2.0, 5.0})
    for (const double z : {0.25, 1.0, 2.0}) EXPECT_TRUE(holds(d, z)) << place(d, z);
  enumerated(9);
  for_all([&] {
    const double d = *any_dimension().as("d");
    RC_ASSERT(holds(d, *any_deviation().as("deviations from the mean")));
  });
}
KILLS("the tails of d + 1, beside the density of d",
      {.lower = [](double d, double x) { return cdf(Score(d + 1), x); },
       .upper = [](double d, double x) { return cdf(complement(Score(d + 1), x)); },
       .central = [](double d, double x) { return central_cdf(Score(d + 1), x); }});

ASIDE(ScoreDensity, TheTailNeverRises) {
  evidence().rests_on(EvidenceLevel::measured);
  for_all([&] {
    const double d = *any_dimension().as("d");
    const double z = *any_deviation().as("one deviation");
    const double w = *any_deviation().as("another");
    const double near = std::min(z, w) * std::sqrt(d);
    const double far = std::max(z, w) * std::sqrt(d);
    // Each side may be wrong by its bound.
    const double slack = 2 * score_precision::cdf * epsilon * (1 + 8 * epsilon);
    RC_ASSERT(subject.upper(d, far) <= subject.upper(d, near) * (1 + slack));
    RC_ASSERT(subject.lower(d, near) <= subject.lower(d, far) * (1 + slack));
  });
}
KILLS("in every other octave of x the tail is one per cent too large",
      {.upper = [](double d, double x) {
        return cdf(complement(Score(d), x)) * (std::ilogb(x) % 2 == 0 ? 1.01 : 1);
      }});
KILLS("in every other octave of x the cdf is one per cent too large",
      {.lower = [](double d, double x) {
        return cdf(Score(d), x) * (x > 0 && std::ilogb(x) % 2 == 0 ? 1.01 : 1);
      }});

ASIDE(ScoreDensity, TwoMoreDimensionsAddTheRightTail) {
  evidence().rests_on(EvidenceLevel::measured);
  const double bound =
      (score_precision::cdf + std::max(score_precision::cdf, score_precision::pdf)) *
      (1 + 8 * epsilon);
  for_all([&] {
    const double d = *any_dimension().as("d");
    const double z = *any_deviation().as("deviations from the mean");
    const double x = z * std::sqrt(d);
    const Wide sum = Wide(subject.upper(d, x)) + Wide(x) / d * subject.pdf(d, x);
    const double error = error_in_epsilons(subject.upper(d + 2, x), sum);
    evidence().worst(error, bound);
    RC_ASSERT(error <= bound);
  });
}
KILLS("the tail of N(0, d)", {.upper = normal_upper});

ASIDE(ScoreDensity, TwoMoreDimensionsGiveTheRightDensity) {
  evidence().rests_on(EvidenceLevel::measured);
  const double bound = 2 * score_precision::pdf * (1 + 8 * epsilon);
  for_all([&] {
    const double d = 2 + *any_dimension().as("d - 2");
    const double z = *any_deviation().as("deviations from the mean");
    const double x = z * std::sqrt(d);
    const Wide sum = Wide(x) * x / (Wide(d) * (d - 2)) * subject.pdf(d - 2, x) +
                     (Wide(d) - 1) / d * subject.pdf(d, x);
    const double error = error_in_epsilons(subject.pdf(d + 2, x), sum);
    evidence().worst(error, bound);
    RC_ASSERT(error <= bound);
  });
}
KILLS("the density of N(0, d)", {.pdf = normal_density});

}  // namespace sqrtdk::properties::ScoreDensity
