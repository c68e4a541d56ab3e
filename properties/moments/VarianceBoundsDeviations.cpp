// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/finite_distribution.hpp>
#include <sqrtdk/moments.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/testing/generators/rational_distributions.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>
#include <sqrtdk/testing/reporting/expect_refusal.hpp>
#include <sqrtdk/testing/reporting/printed.hpp>

#include "properties/moments/fixture.hpp"
#include "properties/support/rational_distributions.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <stdexcept>

namespace sqrtdk::properties::VarianceBoundsDeviations {

using namespace sqrtdk::testing;

/// P(|X − E X| ≥ t).
Rational deviation_probability(const RationalDistribution& x, const Rational& t) {
  const Rational centre = mean(x);
  return x.expectation(
      [&](const Rational& v) { return Rational(abs(Rational(v - centre)) >= t ? 1 : 0); });
}

/// The greatest deviation from the mean that a distribution has.
Rational reach_of(const RationalDistribution& x) {
  const Rational centre = mean(x);
  Rational reach = 0;
  for (const auto& atom : x.atoms())
    reach = std::max(reach, Rational(abs(Rational(atom.outcome - centre))));
  return reach;
}

/// The distribution on {−t, 0, t} that has a given variance, at most t².
RationalDistribution at_three_points(const Rational& variance, const Rational& t) {
  const Rational p = variance / (t * t);
  return {{-t, 0, t}, {p / 2, 1 - p, p / 2}};
}

const Mutants variance_bounds_deviations_mutants = {
    {"the distance is not squared",
     "FewValuesAreFarOutWhateverTheLaw",
     {.chebyshev_bound = [](const Rational& variance, const Rational& t) -> Rational {
       return std::min(Rational(1), Rational(variance / t));
     }}},
    {"half as much, as if one side were forgotten",
     "AThreePointLawReachesTheBound",
     {.chebyshev_bound = [](const Rational& variance, const Rational& t) -> Rational {
       return chebyshev_bound(variance, t) / 2;
     }}},
    {"twice as much",
     "AThreePointLawReachesTheBound",
     {.chebyshev_bound = [](const Rational& variance, const Rational& t) -> Rational {
       return std::min(Rational(1), Rational(2 * chebyshev_bound(variance, t)));
     }}},
    {"a probability above 1",
     "FewValuesAreFarOutWhateverTheLaw",
     {.chebyshev_bound = [](const Rational& variance, const Rational& t) -> Rational {
       return variance / (t * t);
     }}},
    {"the near values count for nothing",
     "WithinAReachAVarianceNeedsDeviations",
     {.min_deviation_probability = [](const Rational& variance, const Rational&, const Rational& r)
          -> Rational { return variance / (r * r); }}},
    {"the far values count as near",
     "WithinAReachAVarianceNeedsDeviations",
     {.min_deviation_probability = [](const Rational& variance, const Rational& t,
                                      const Rational& r) -> Rational {
       return std::max(Rational(0), Rational((variance - t * t) / (r * r)));
     }}},
    {"a negative probability",
     "WithinAReachAVarianceNeedsDeviations",
     {.min_deviation_probability = [](const Rational& variance, const Rational& t,
                                      const Rational& r) -> Rational {
       return (variance - t * t) / (r * r - t * t);
     }}},
    {"a high variance means that values are far from the average",
     "WithoutAReachAlmostAllValuesCanBeTheAverage",
     {.min_deviation_probability = [](const Rational& variance, const Rational& t, const Rational&)
          -> Rational { return variance > t * t ? Rational(1, 2) : Rational(0); }}},
    {"a distance of 0 is accepted",
     "RefusesWhatIsNoDistance",
     {.chebyshev_bound =
          [](const Rational& variance, const Rational& t) {
            return t == 0 ? Rational(1) : chebyshev_bound(variance, t);
          }}},
    {"a reach below the distance is accepted",
     "RefusesWhatIsNoDistance",
     {.min_deviation_probability =
          [](const Rational& variance, const Rational& t, const Rational& r) {
            return r <= t ? Rational(0) : min_deviation_probability(variance, t, r);
          }}},
    {"a variance beyond the reach is accepted",
     "RefusesWhatIsNoDistance",
     {.min_deviation_probability =
          [](const Rational& variance, const Rational& t, const Rational& r) {
            return min_deviation_probability(std::min(variance, Rational(r * r)), t, r);
          }}},
};

//! [VarianceBoundsDeviations]
TEST(VarianceBoundsDeviations, FewValuesAreFarOutWhateverTheLaw) {
  check_statement(variance_bounds_deviations_mutants, [](const Rules& rules) {
    for_all([&] {
      const RationalDistribution x = *any_distribution().as("distribution of X");
      const Rational t = *positive_rational().as("t");
      const Rational bound = rules.chebyshev_bound(variance(x), t);
      EXPECT_EXACTLY(deviation_probability(x, t) <= bound);
      EXPECT_EXACTLY(bound <= 1);
      EXPECT_EXACTLY(bound * t * t <= variance(x));
    });
  });
}
//! [VarianceBoundsDeviations]

//! [VarianceBoundsDeviations: exact check]
TEST(VarianceBoundsDeviations, AThreePointLawReachesTheBound) {
  check_statement(variance_bounds_deviations_mutants, [](const Rules& rules) {
    for_all([&] {
      const Rational t = *positive_rational().as("t");
      const int percent = *rc::gen::inRange(0, 101).as("percent of values that deviate");
      const RationalDistribution x = at_three_points(t * t * percent / 100, t);
      EXPECT_EXACTLY(deviation_probability(x, t) == rules.chebyshev_bound(variance(x), t));
    });
    EXPECT_EXACTLY(rules.chebyshev_bound(1, 2) == Rational(1, 4));  // two standard deviations out
    // With the variance 1/100 at most one value in a hundred is farther than 1 away.
    expect_confirmed("S2", "A low variance means the values stay close to the average",
                     rules.chebyshev_bound(Rational(1, 100), 1) <= Rational(1, 100));
  });
}
//! [VarianceBoundsDeviations: exact check]

//! [VarianceBoundsDeviations: within a reach]
TEST(VarianceBoundsDeviations, WithinAReachAVarianceNeedsDeviations) {
  check_statement(variance_bounds_deviations_mutants, [](const Rules& rules) {
    for_all([&] {
      // At full size, where distributions of a single value are few.
      const RationalDistribution x =
          *rc::gen::resize(rc::kNominalSize, any_distribution()).as("distribution of X");
      const Rational reach = reach_of(x);
      RC_PRE(reach > 0);
      const Rational t = reach * *rc::gen::inRange(1, 100).as("t in percent of the reach") / 100;
      const Rational least = rules.min_deviation_probability(variance(x), t, reach);
      EXPECT_EXACTLY(0 <= least);
      EXPECT_EXACTLY(least <= deviation_probability(x, t));
      // No better bound: a share at the reach and the rest just inside t has this in the limit.
      const RationalDistribution near = RationalDistribution::uniform({-t, t});
      const RationalDistribution far = RationalDistribution::uniform({-reach, reach});
      const Rational share = Rational(*rc::gen::inRange(0, 101).as("percent far"), 100);
      const Rational v = share * variance(far) + (1 - share) * variance(near);
      EXPECT_EXACTLY(rules.min_deviation_probability(v, t, reach) == share);
    });
  });
}
//! [VarianceBoundsDeviations: within a reach]

TEST(VarianceBoundsDeviations, WithoutAReachAlmostAllValuesCanBeTheAverage) {
  check_with_mutants(variance_bounds_deviations_mutants, [](const Rules& rules) {
    const Rational million = 1000000;
    for (Rational reach = 10000; reach < million * million; reach *= 10) {
      const RationalDistribution x = at_three_points(million, reach);  // a high variance
      const Rational far = deviation_probability(x, 1);
      EXPECT_EXACTLY(variance(x) == million);
      EXPECT_EXACTLY(far == million / (reach * reach));
      EXPECT_EXACTLY(rules.min_deviation_probability(million, 1, reach) <= far);
      enumerated(1);
    }
    counterexample_without("bounded deviations");
  });
}

TEST(VarianceBoundsDeviations, RefusesWhatIsNoDistance) {
  check_with_mutants(variance_bounds_deviations_mutants, [](const Rules& rules) {
    expect_refusal<std::domain_error>([&] { rules.chebyshev_bound(1, 0); });
    expect_refusal<std::domain_error>([&] { rules.chebyshev_bound(-1, 1); });
    expect_refusal<std::domain_error>([&] { rules.min_deviation_probability(1, 0, 1); });
    expect_refusal<std::domain_error>([&] { rules.min_deviation_probability(1, 2, 2); });
    expect_refusal<std::domain_error>([&] { rules.min_deviation_probability(5, 1, 2); });
    expect_refusal<std::domain_error>([&] { rules.min_deviation_probability(-1, 1, 2); });
  });
}

}  // namespace sqrtdk::properties::VarianceBoundsDeviations
