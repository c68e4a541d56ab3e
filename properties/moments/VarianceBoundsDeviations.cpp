#include "properties/moments/fixture.hpp"
#include "properties/support/rational_distributions.hpp"

namespace sqrtdk::properties::VarianceBoundsDeviations {

Rational deviation_probability(const RationalDistribution& x, const Rational& t) {
  const Rational centre = mean(x);
  return x.expectation(
      [&](const Rational& v) { return Rational(abs(Rational(v - centre)) >= t ? 1 : 0); });
}

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

//! [VarianceBoundsDeviations]
STATEMENT(VarianceBoundsDeviations, FewValuesAreFarOutWhateverTheDistribution) {
  for_all([&] {
    const RationalDistribution x = *any_distribution().as("distribution of X");
    const Rational t = *positive_rational().as("t");
    const Rational bound = subject.chebyshev_bound(variance(x), t);
    EXPECT_EXACTLY(deviation_probability(x, t) <= bound);
    EXPECT_EXACTLY(bound <= 1);
    EXPECT_EXACTLY(bound * t * t <= variance(x));
  });
}
//! [VarianceBoundsDeviations]
KILLS("the distance is not squared", {.chebyshev_bound = [](auto& variance, auto& t) {
        return std::min(Rational(1), Rational(variance / t));
      }});
KILLS("a probability above 1",
      {.chebyshev_bound = [](auto& variance, auto& t) { return variance / (t * t); }});

//! [VarianceBoundsDeviations: exact check]
STATEMENT(VarianceBoundsDeviations, AThreePointDistributionReachesTheBound) {
  for_all([&] {
    const Rational t = *positive_rational().as("t");
    const int percent = *rc::gen::inRange(0, 101).as("percent of values that deviate");
    const RationalDistribution x = at_three_points(t * t * percent / 100, t);
    EXPECT_EXACTLY(deviation_probability(x, t) == subject.chebyshev_bound(variance(x), t));
  });
  EXPECT_EXACTLY(subject.chebyshev_bound(1, 2) == Rational(1, 4));  // two standard deviations out
  // With the variance 1/100 at most one value in a hundred is farther than 1 away.
  expect_confirmed("S2", "A low variance means the values stay close to the average",
                   subject.chebyshev_bound(Rational(1, 100), 1) <= Rational(1, 100));
}
//! [VarianceBoundsDeviations: exact check]
KILLS("half as much, as if one side were forgotten",
      {.chebyshev_bound = [](auto& variance, auto& t) {
        return chebyshev_bound(variance, t) / 2;
      }});
KILLS("twice as much", {.chebyshev_bound = [](auto& variance, auto& t) {
        return std::min(Rational(1), Rational(2 * chebyshev_bound(variance, t)));
      }});

//! [VarianceBoundsDeviations: within a reach]
STATEMENT(VarianceBoundsDeviations, WithinAReachAVarianceNeedsDeviations) {
  for_all([&] {
    // At full size, where distributions of a single value are few.
    const RationalDistribution x =
        *rc::gen::resize(rc::kNominalSize, any_distribution()).as("distribution of X");
    const Rational reach = reach_of(x);
    RC_PRE(reach > 0);
    const Rational t = reach * *rc::gen::inRange(1, 100).as("t in percent of the reach") / 100;
    const Rational least = subject.min_deviation_probability(variance(x), t, reach);
    EXPECT_EXACTLY(0 <= least);
    EXPECT_EXACTLY(least <= deviation_probability(x, t));
    // No better bound: a share at the reach and the rest just inside t has this in the limit.
    const RationalDistribution near = RationalDistribution::uniform({-t, t});
    const RationalDistribution far = RationalDistribution::uniform({-reach, reach});
    const Rational share = Rational(*rc::gen::inRange(0, 101).as("percent far"), 100);
    const Rational v = share * variance(far) + (1 - share) * variance(near);
    EXPECT_EXACTLY(subject.min_deviation_probability(v, t, reach) == share);
  });
}
//! [VarianceBoundsDeviations: within a reach]
KILLS("the near values count for nothing",
      {.min_deviation_probability = [](auto& variance, auto&, auto& r) -> Rational {
        return variance / (r * r);
      }});
KILLS("the far values count as near",
      {.min_deviation_probability = [](auto& variance, auto& t, auto& r) {
        return std::max(Rational(0), Rational((variance - t * t) / (r * r)));
      }});
KILLS("a negative probability", {.min_deviation_probability = [](auto& variance, auto& t, auto& r) {
        return (variance - t * t) / (r * r - t * t);
      }});

ASIDE(VarianceBoundsDeviations, WithoutAReachAlmostAllValuesCanBeTheAverage) {
  const Rational million = 1000000;
  for (Rational reach = 10000; reach < million * million; reach *= 10) {
    const RationalDistribution x = at_three_points(million, reach);  // a high variance
    const Rational far = deviation_probability(x, 1);
    EXPECT_EXACTLY(variance(x) == million);
    EXPECT_EXACTLY(far == million / (reach * reach));
    EXPECT_EXACTLY(subject.min_deviation_probability(million, 1, reach) <= far);
    enumerated(1);
  }
  counterexample_without("bounded deviations");
}
KILLS("a high variance means that values are far from the average",
      {.min_deviation_probability = [](auto& variance, auto& t, auto&) -> Rational {
        return variance > t * t ? Rational(1, 2) : Rational(0);
      }});

ASIDE(VarianceBoundsDeviations, RefusesWhatIsNoDistance) {
  expect_refusal<std::domain_error>([&] { subject.chebyshev_bound(1, 0); });
  expect_refusal<std::domain_error>([&] { subject.chebyshev_bound(-1, 1); });
  expect_refusal<std::domain_error>([&] { subject.min_deviation_probability(1, 0, 1); });
  expect_refusal<std::domain_error>([&] { subject.min_deviation_probability(1, 2, 2); });
  expect_refusal<std::domain_error>([&] { subject.min_deviation_probability(5, 1, 2); });
  expect_refusal<std::domain_error>([&] { subject.min_deviation_probability(-1, 1, 2); });
}
KILLS("a distance of 0 is accepted", {.chebyshev_bound = [](auto& variance, auto& t) {
        return t == 0 ? Rational(1) : chebyshev_bound(variance, t);
      }});
KILLS("a reach below the distance is accepted",
      {.min_deviation_probability = [](auto& variance, auto& t, auto& r) {
        return r <= t ? Rational(0) : min_deviation_probability(variance, t, r);
      }});
KILLS("a variance beyond the reach is accepted",
      {.min_deviation_probability = [](auto& variance, auto& t, auto& r) {
        return min_deviation_probability(std::min(variance, Rational(r * r)), t, r);
      }});

}  // namespace sqrtdk::properties::VarianceBoundsDeviations
