#include "properties/score/fixture.hpp"
#include "properties/support/rational_distributions.hpp"

namespace sqrtdk::properties::WithoutIndependence {

rc::Gen<PairDistribution> any_pair_distribution() {
  using Pair = std::pair<Rational, Rational>;
  return rc::gen::map(
      sqrtdk::testing::weighted_list<Pair>(rc::gen::pair(any_rational(), any_rational()), 3),
      sqrtdk::testing::weighted<Pair>);
}

rc::Gen<Rational> any_correlation() {
  return rc::gen::map(rc::gen::pair(any_rational(), rc::gen::inRange(0, 3)), [](const auto& draw) {
    const Rational& x = draw.first;
    return abs(x) <= 1 ? x : Rational(1 / x);
  });
}

/// E xᵐyⁿ by a second route: y = ρx + √(1 − ρ²) z with an independent z, multiplied out.
Rational normal_moment_by_expansion(const Rational& correlation, unsigned m, unsigned n) {
  const auto moment = [](unsigned power) {  // E xᵖ = (p − 1)(p − 3)⋯1 for even p
    Rational product = power % 2 == 0 ? 1 : 0;
    for (unsigned odd = 1; odd < power; odd += 2) product *= odd;
    return product;
  };
  Rational total = 0;
  for (unsigned j = 0; j <= n; j += 2) {  // the power of √(1 − ρ²) z; odd ones have mean 0
    Rational weight(choose(n, j));
    for (unsigned i = 0; i < n - j; ++i) weight *= correlation;
    for (unsigned i = 0; i < j / 2; ++i) weight *= 1 - correlation * correlation;
    total += weight * moment(m + n - j) * moment(j);
  }
  return total;
}

//! [WithoutIndependence]
STATEMENT(WithoutIndependence, HoldsForEveryDistributionOfAPair) {
  for_all([&] {
    const auto d = *small_dimension().as("d");
    const PairDistribution pair = *any_pair_distribution().as("joint distribution of q1 and k1");
    const RationalDistribution score = paired_dot_product_distribution(pair, d);
    EXPECT_EXACTLY(mean(score) == subject.paired_mean(d, pair));
    EXPECT_EXACTLY(variance(score) == subject.paired_variance(d, pair));
  });
}
//! [WithoutIndependence]
KILLS("the mean of independent factors", {.paired_mean = [](auto d, auto& pair) {
        return dot_product_mean(d, moments(pair.image([](auto& qk) { return qk.first; })),
                                moments(pair.image([](auto& qk) { return qk.second; })));
      }});
KILLS("the variance of independent factors", {.paired_variance = [](auto d, auto& pair) {
        return dot_product_variance(d, moments(pair.image([](auto& qk) { return qk.first; })),
                                    moments(pair.image([](auto& qk) { return qk.second; })));
      }});
KILLS("the squared mean is not subtracted", {.paired_variance = [](auto d, auto& pair) {
        return Rational(d) * raw_moment(paired_dot_product_distribution(pair, 1), 2);
      }});
KILLS("d is dropped",
      {.paired_variance = [](auto, auto& pair) { return paired_dot_product_variance(1, pair); }});

STATEMENT(WithoutIndependence, AQueryThatIsItsOwnKeyHasMeanDAndNeedsTheFourthMoment) {
  for_all([&] {
    const auto d = *small_dimension().as("d");
    const RationalDistribution x =
        *standardized_distribution().as("distribution of each entry of q = k");
    const PairDistribution pair = with_itself(x);
    EXPECT_EXACTLY(subject.paired_mean(d, pair) == d);
    EXPECT_EXACTLY(subject.self_variance(d, raw_moment(x, 4)) ==
                   variance(paired_dot_product_distribution(pair, d)));
  });
}
KILLS("μ₄ in place of μ₄ − 1",
      {.self_variance = [](auto d, auto& fourth) { return Rational(d) * fourth; }});

ASIDE(WithoutIndependence, AQueryOfSignsThatIsItsOwnKeyHasMeanDAndVarianceZero) {
  for (std::size_t d = 1; d <= 8; ++d) {
    EXPECT_EXACTLY(subject.paired_mean(d, with_itself(fair_sign)) == d);
    EXPECT_EXACTLY(subject.paired_variance(d, with_itself(fair_sign)) == 0);
  }
  enumerated(8);
  counterexample_without("independent");
}
KILLS("the mean of independent factors, for a query that is its own key",
      {.paired_mean = [](auto, auto&) { return Rational(0); }});

//! [WithoutIndependence: exact check]
STATEMENT(WithoutIndependence, InSixtyFourDimensionsHalfACorrelationMakesThirtyTwo) {
  EXPECT_EXACTLY(subject.correlated_mean(64, Rational(1, 2)) == 32);
  EXPECT_EXACTLY(subject.correlated_variance(64, Rational(1, 2)) == 80);
  // A query that is its own key: of signs, of normal entries, and of heavier ones.
  EXPECT_EXACTLY(subject.self_variance(64, 1) == 0);
  EXPECT_EXACTLY(subject.self_variance(64, 3) == 128);
  EXPECT_EXACTLY(subject.self_variance(64, 4) == 192);
}
//! [WithoutIndependence: exact check]
KILLS("every distribution is taken for normal",
      {.self_variance = [](auto d, auto&) { return Rational(2 * d); }});

STATEMENT(WithoutIndependence, CorrelatedNormalEntriesFollowFromTheirMoments) {
  for_all([&] {
    const auto d = *rc::gen::inRange<std::size_t>(1, 1000).as("d");
    const Rational r = *any_correlation().as("correlation");
    const Rational mean_of_term = normal_moment(r, 1, 1);
    const Rational mean_square_of_term = normal_moment(r, 2, 2);
    EXPECT_EXACTLY(subject.correlated_mean(d, r) == Rational(d) * mean_of_term);
    EXPECT_EXACTLY(subject.correlated_variance(d, r) ==
                   Rational(d) * variance_from_mean_square(mean_of_term, mean_square_of_term));
  });
}
KILLS("ρ² in place of ρ in the mean",
      {.correlated_mean = [](auto d, auto& r) { return Rational(d) * r * r; }});
KILLS("1 is dropped", {.correlated_variance = [](auto d, auto& r) { return Rational(d) * r * r; }});
KILLS("ρ² is dropped", {.correlated_variance = [](auto d, auto&) { return Rational(d); }});
KILLS("1 + 2ρ², the mean square",
      {.correlated_variance = [](auto d, auto& r) { return Rational(d) * (1 + 2 * r * r); }});

ASIDE(WithoutIndependence, NormalMomentsAgreeWithTheBinomialExpansion) {
  for_all(
      [&] {
        const Rational r = *any_correlation().as("correlation");
        for (unsigned m = 0; m <= 5; ++m)
          for (unsigned n = 0; n <= 5; ++n)
            EXPECT_EXACTLY(subject.normal_moment(r, m, n) == normal_moment_by_expansion(r, m, n));
      },
      50);
}
KILLS("one pairing is counted where there are n",
      {.normal_moment = [](auto& r, unsigned m, unsigned n) {
        return m == 2 && n == 2 ? Rational(1 + r * r) : normal_moment(r, m, n);
      }});
KILLS("the fourth moment of a sign", {.normal_moment = [](auto& r, unsigned m, unsigned n) {
        return m == 4 && n == 0 ? Rational(1) : normal_moment(r, m, n);
      }});

ASIDE(WithoutIndependence, SharedCoordinatesGiveDSquared) {
  for (std::size_t d = 1; d <= 6; ++d) {
    const JointDistribution terms =
        fair_sign.image([=](const Rational& s) { return Vector(d, s); });
    EXPECT_EXACTLY(subject.variance_of_dependent_sum(terms) == d * d);
  }
  enumerated(6);
  counterexample_without("independent coordinates");
}
KILLS("shared coordinates are taken for independent ones",
      {.variance_of_dependent_sum = [](auto& joint) -> Rational {
        return Rational(joint.atoms().front().outcome.size()) *
               variance(joint.image([](auto& x) { return x.front(); }));
      }});

ASIDE(WithoutIndependence, RefusesWhatNoScoreHas) {
  const PairDistribution pair = with_itself(fair_sign);
  expect_refusal<std::domain_error>([&] { subject.paired_mean(0, pair); }, refuses_zero);
  expect_refusal<std::domain_error>([&] { subject.paired_variance(0, pair); }, refuses_zero);
  expect_refusal<std::domain_error>([&] { subject.paired_distribution(pair, 0); }, refuses_zero);
  expect_refusal<std::domain_error>(
      [&] { subject.self_variance(1, Rational(1, 2)); },
      "the fourth moment is 1/2, but must be at least 1 for a distribution with mean square 1");
  expect_refusal<std::domain_error>([&] { subject.correlated_variance(1, 2); },
                                    "the correlation is 2, but must lie between -1 and 1");
}
KILLS("dimension zero has a paired mean", {.paired_mean = [](auto d, auto& pair) {
        return d == 0 ? Rational(0) : paired_dot_product_mean(d, pair);
      }});
KILLS("dimension zero has a paired variance", {.paired_variance = [](auto d, auto& pair) {
        return d == 0 ? Rational(0) : paired_dot_product_variance(d, pair);
      }});
KILLS("dimension zero has a paired distribution", {.paired_distribution = [](auto& pair, auto d) {
        return d == 0 ? RationalDistribution::uniform({0})
                      : paired_dot_product_distribution(pair, d);
      }});
KILLS("a fourth moment below one is accepted", {.self_variance = [](auto d, auto& fourth) {
        return fourth < 1 ? Rational(0) : self_dot_product_variance(d, fourth);
      }});
KILLS("a correlation of two is accepted", {.correlated_variance = [](auto d, auto& r) {
        return r > 1 ? Rational(0) : correlated_normal_variance(d, r);
      }});

}  // namespace sqrtdk::properties::WithoutIndependence
