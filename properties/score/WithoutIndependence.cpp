// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/finite_distribution.hpp>
#include <sqrtdk/moments.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/score.hpp>
#include <sqrtdk/score_dependence.hpp>
#include <sqrtdk/testing/generators/rational_distributions.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>
#include <sqrtdk/testing/reporting/expect_refusal.hpp>

#include "properties/score/fixture.hpp"
#include "properties/support/rational_distributions.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstddef>
#include <stdexcept>
#include <utility>

namespace sqrtdk::properties::WithoutIndependence {

using namespace sqrtdk::testing;

/// The joint distribution of a query entry and a key entry with any dependence.
rc::Gen<PairDistribution> any_pair_distribution() {
  using Pair = std::pair<Rational, Rational>;
  return rc::gen::map(
      sqrtdk::testing::weighted_list<Pair>(rc::gen::pair(any_rational(), any_rational()), 3),
      sqrtdk::testing::weighted<Pair>);
}

/// A number from −1 to 1.
rc::Gen<Rational> any_correlation() {
  return rc::gen::map(rc::gen::pair(any_rational(), rc::gen::inRange(0, 3)), [](const auto& draw) {
    const Rational& x = draw.first;
    return abs(x) <= 1 ? x : Rational(1 / x);
  });
}

const Mutants without_independence_mutants = {
    {"the mean of independent factors",
     "HoldsForEveryLawOfAPair",
     {.paired_mean =
          [](std::size_t d, const PairDistribution& pair) {
            return dot_product_mean(d, moments(pair.image([](const auto& qk) { return qk.first; })),
                                    moments(pair.image([](const auto& qk) { return qk.second; })));
          }}},
    {"the variance of independent factors",
     "HoldsForEveryLawOfAPair",
     {.paired_variance =
          [](std::size_t d, const PairDistribution& pair) {
            return dot_product_variance(
                d, moments(pair.image([](const auto& qk) { return qk.first; })),
                moments(pair.image([](const auto& qk) { return qk.second; })));
          }}},
    {"the squared mean is not subtracted",
     "HoldsForEveryLawOfAPair",
     {.paired_variance = [](std::size_t d, const PairDistribution& pair) -> Rational {
       return Rational(d) * raw_moment(paired_dot_product_distribution(pair, 1), 2);
     }}},
    {"d is dropped",
     "HoldsForEveryLawOfAPair",
     {.paired_variance =
          [](std::size_t, const PairDistribution& pair) {
            return paired_dot_product_variance(1, pair);
          }}},
    {"the mean of independent factors, for a query that is its own key",
     "AQueryOfSignsThatIsItsOwnKeyHasMeanDAndVarianceZero",
     {.paired_mean = [](std::size_t, const PairDistribution&) { return Rational(0); }}},
    {"μ₄ in place of μ₄ − 1",
     "AQueryThatIsItsOwnKeyHasMeanDAndNeedsTheFourthMoment",
     {.self_variance = [](std::size_t d, const Rational& fourth) -> Rational {
       return Rational(d) * fourth;
     }}},
    {"every law is taken for normal",
     "InSixtyFourDimensionsHalfACorrelationMakesThirtyTwo",
     {.self_variance = [](std::size_t d, const Rational&) { return Rational(2 * d); }}},
    {"ρ² in place of ρ in the mean",
     "CorrelatedNormalEntriesFollowFromTheirMoments",
     {.correlated_mean = [](std::size_t d, const Rational& r) -> Rational {
       return Rational(d) * r * r;
     }}},
    {"1 is dropped",
     "CorrelatedNormalEntriesFollowFromTheirMoments",
     {.correlated_variance = [](std::size_t d, const Rational& r) -> Rational {
       return Rational(d) * r * r;
     }}},
    {"ρ² is dropped",
     "CorrelatedNormalEntriesFollowFromTheirMoments",
     {.correlated_variance = [](std::size_t d, const Rational&) { return Rational(d); }}},
    {"1 + 2ρ², the mean square",
     "CorrelatedNormalEntriesFollowFromTheirMoments",
     {.correlated_variance = [](std::size_t d, const Rational& r) -> Rational {
       return Rational(d) * (1 + 2 * r * r);
     }}},
    {"one pairing is counted where there are n",
     "NormalMomentsAgreeWithTheBinomialExpansion",
     {.normal_moment = [](const Rational& r, unsigned m, unsigned n) -> Rational {
       return m == 2 && n == 2 ? Rational(1 + r * r) : normal_moment(r, m, n);
     }}},
    {"the fourth moment of a sign",
     "NormalMomentsAgreeWithTheBinomialExpansion",
     {.normal_moment = [](const Rational& r, unsigned m, unsigned n) -> Rational {
       return m == 4 && n == 0 ? Rational(1) : normal_moment(r, m, n);
     }}},
    {"shared coordinates are taken for independent ones",
     "SharedCoordinatesGiveDSquared",
     {.variance_of_dependent_sum = [](const JointDistribution& joint) -> Rational {
       return Rational(joint.atoms().front().outcome.size()) *
              variance(joint.image([](const auto& x) { return x.front(); }));
     }}},
    {"dimension zero has a paired mean",
     "RefusesWhatNoScoreHas",
     {.paired_mean =
          [](std::size_t d, const PairDistribution& pair) {
            return d == 0 ? Rational(0) : paired_dot_product_mean(d, pair);
          }}},
    {"dimension zero has a paired variance",
     "RefusesWhatNoScoreHas",
     {.paired_variance =
          [](std::size_t d, const PairDistribution& pair) {
            return d == 0 ? Rational(0) : paired_dot_product_variance(d, pair);
          }}},
    {"dimension zero has a paired law",
     "RefusesWhatNoScoreHas",
     {.paired_distribution =
          [](const PairDistribution& pair, std::size_t d) {
            return d == 0 ? RationalDistribution::uniform({0})
                          : paired_dot_product_distribution(pair, d);
          }}},
    {"a fourth moment below one is accepted",
     "RefusesWhatNoScoreHas",
     {.self_variance =
          [](std::size_t d, const Rational& fourth) {
            return fourth < 1 ? Rational(0) : self_dot_product_variance(d, fourth);
          }}},
    {"a correlation of two is accepted",
     "RefusesWhatNoScoreHas",
     {.correlated_variance =
          [](std::size_t d, const Rational& r) {
            return r > 1 ? Rational(0) : correlated_normal_variance(d, r);
          }}},
};

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
TEST(WithoutIndependence, HoldsForEveryLawOfAPair) {
  check_statement(without_independence_mutants, [](const Rules& rules) {
    for_all([&] {
      const auto d = *small_dimension().as("d");
      const PairDistribution pair = *any_pair_distribution().as("joint distribution of q1 and k1");
      const RationalDistribution score = paired_dot_product_distribution(pair, d);
      EXPECT_EXACTLY(mean(score) == rules.paired_mean(d, pair));
      EXPECT_EXACTLY(variance(score) == rules.paired_variance(d, pair));
    });
  });
}
//! [WithoutIndependence]

TEST(WithoutIndependence, AQueryThatIsItsOwnKeyHasMeanDAndNeedsTheFourthMoment) {
  check_statement(without_independence_mutants, [](const Rules& rules) {
    for_all([&] {
      const auto d = *small_dimension().as("d");
      const RationalDistribution x =
          *standardized_distribution().as("distribution of each entry of q = k");
      const PairDistribution pair = with_itself(x);
      EXPECT_EXACTLY(rules.paired_mean(d, pair) == d);
      EXPECT_EXACTLY(rules.self_variance(d, raw_moment(x, 4)) ==
                     variance(paired_dot_product_distribution(pair, d)));
    });
  });
}

TEST(WithoutIndependence, AQueryOfSignsThatIsItsOwnKeyHasMeanDAndVarianceZero) {
  check_with_mutants(without_independence_mutants, [](const Rules& rules) {
    for (std::size_t d = 1; d <= 8; ++d) {
      EXPECT_EXACTLY(rules.paired_mean(d, with_itself(fair_sign)) == d);
      EXPECT_EXACTLY(rules.paired_variance(d, with_itself(fair_sign)) == 0);
    }
    enumerated(8);
    counterexample_without("independent");
  });
}

//! [WithoutIndependence: exact check]
TEST(WithoutIndependence, InSixtyFourDimensionsHalfACorrelationMakesThirtyTwo) {
  check_statement(without_independence_mutants, [](const Rules& rules) {
    EXPECT_EXACTLY(rules.correlated_mean(64, Rational(1, 2)) == 32);
    EXPECT_EXACTLY(rules.correlated_variance(64, Rational(1, 2)) == 80);
    // A query that is its own key: of signs, of normal entries, and of heavier ones.
    EXPECT_EXACTLY(rules.self_variance(64, 1) == 0);
    EXPECT_EXACTLY(rules.self_variance(64, 3) == 128);
    EXPECT_EXACTLY(rules.self_variance(64, 4) == 192);
  });
}
//! [WithoutIndependence: exact check]

TEST(WithoutIndependence, CorrelatedNormalEntriesFollowFromTheirMoments) {
  check_statement(without_independence_mutants, [](const Rules& rules) {
    for_all([&] {
      const auto d = *rc::gen::inRange<std::size_t>(1, 1000).as("d");
      const Rational r = *any_correlation().as("correlation");
      const Rational mean_of_term = normal_moment(r, 1, 1);
      const Rational mean_square_of_term = normal_moment(r, 2, 2);
      EXPECT_EXACTLY(rules.correlated_mean(d, r) == Rational(d) * mean_of_term);
      EXPECT_EXACTLY(rules.correlated_variance(d, r) ==
                     Rational(d) * variance_from_mean_square(mean_of_term, mean_square_of_term));
    });
  });
}

TEST(WithoutIndependence, NormalMomentsAgreeWithTheBinomialExpansion) {
  check_with_mutants(without_independence_mutants, [](const Rules& rules) {
    for_all(
        [&] {
          const Rational r = *any_correlation().as("correlation");
          for (unsigned m = 0; m <= 5; ++m)
            for (unsigned n = 0; n <= 5; ++n)
              EXPECT_EXACTLY(rules.normal_moment(r, m, n) == normal_moment_by_expansion(r, m, n));
        },
        50);
  });
}

TEST(WithoutIndependence, SharedCoordinatesGiveDSquared) {
  check_with_mutants(without_independence_mutants, [](const Rules& rules) {
    for (std::size_t d = 1; d <= 6; ++d) {
      const JointDistribution terms =
          fair_sign.image([=](const Rational& s) { return Vector(d, s); });
      EXPECT_EXACTLY(rules.variance_of_dependent_sum(terms) == d * d);
    }
    enumerated(6);
    counterexample_without("independent coordinates");
  });
}

TEST(WithoutIndependence, RefusesWhatNoScoreHas) {
  check_with_mutants(without_independence_mutants, [](const Rules& rules) {
    const PairDistribution pair = with_itself(fair_sign);
    expect_refusal<std::domain_error>([&] { rules.paired_mean(0, pair); }, refuses_zero);
    expect_refusal<std::domain_error>([&] { rules.paired_variance(0, pair); }, refuses_zero);
    expect_refusal<std::domain_error>([&] { rules.paired_distribution(pair, 0); }, refuses_zero);
    expect_refusal<std::domain_error>(
        [&] { rules.self_variance(1, Rational(1, 2)); },
        "the fourth moment is 1/2, but must be at least 1 for a distribution with mean square 1");
    expect_refusal<std::domain_error>([&] { rules.correlated_variance(1, 2); },
                                      "the correlation is 2, but must lie between -1 and 1");
  });
}

}  // namespace sqrtdk::properties::WithoutIndependence
