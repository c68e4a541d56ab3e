#include <sqrtdk/numbers/powers.hpp>
#include <sqrtdk/score/dependence.hpp>

#include "properties/initialization/fixture.hpp"
#include "properties/support/documents.hpp"
#include "properties/support/rational_distributions.hpp"

namespace sqrtdk::properties::TrainedScores {

rc::Gen<Rational> any_correlation() {
  return rc::gen::map(any_rational(),
                      [](const Rational& x) { return abs(x) <= 1 ? x : Rational(1 / x); });
}

/// The joint distribution of two signs with correlation ρ.
PairDistribution correlated_signs(const Rational& correlation) {
  using Pair = std::pair<Rational, Rational>;
  const Rational same = (1 + correlation) / 4;
  const Rational other = (1 - correlation) / 4;
  return {{Pair(-1, -1), Pair(-1, 1), Pair(1, -1), Pair(1, 1)}, {same, other, other, same}};
}

//! [TrainedScores]
STATEMENT(TrainedScores, TheMeanSquareIsThatOfCorrelatedPairs) {
  for_all([&] {
    const std::size_t d = *dimension(100000).as("d");
    const Rational r = *any_correlation().as("correlation");
    const Rational c = *nonzero_rational().as("divisor");
    // (Σqᵢkᵢ)² has d squares and d(d − 1) cross terms of independent pairs.
    const Rational squares = Rational(d) * normal_moment(r, 2, 2);
    const Rational cross_term = normal_moment(r, 1, 1) * normal_moment(r, 1, 1);
    const Rational crosses = Rational(d) * Rational(d - 1) * cross_term;
    EXPECT_EXACTLY(subject.trained_mean_square_left(d, r, c * c) == (squares + crosses) / (c * c));
  });
}
//! [TrainedScores]
KILLS("ρ²d² is dropped", {.trained_mean_square_left = [](auto d, auto& r, auto& c2) {
        return trained_mean_square_left(d, r, c2) - r * r * Rational(d) * Rational(d) / c2;
      }});
KILLS("ρ²d is dropped", {.trained_mean_square_left = [](auto d, auto& r, auto& c2) -> Rational {
        return trained_mean_square_left(d, r, c2) - r * r * Rational(d) / c2;
      }});
KILLS("d is dropped", {.trained_mean_square_left = [](auto d, auto& r, auto& c2) -> Rational {
        return trained_mean_square_left(d, r, c2) - Rational(d) / c2;
      }});
KILLS("divided by c instead of its square",
      {.trained_mean_square_left = [](auto d, auto& r, auto& c2) {
        return trained_mean_square_left(d, r, 1 + (c2 - 1) / 2);
      }});

//! [TrainedScores: exact check]
STATEMENT(TrainedScores, DividedByDTheScoreTendsToTheCorrelation) {
  for_all([&] {
    const std::size_t d = *dimension(100000).as("d");
    const Rational r = *any_correlation().as("correlation");
    const Moments score = subject.trained_moments(d, r);
    const Moments divided(score.mean() / Rational(d),
                          variance_after_division(score.variance(), Rational(d)));
    EXPECT_EXACTLY(divided.mean() == r);
    EXPECT_EXACTLY(divided.variance() == (1 + r * r) / Rational(d));
  });
  const Moments score = subject.trained_moments(64, Rational(1, 2));
  EXPECT_EXACTLY(score.mean() == 32);
  EXPECT_EXACTLY(score.variance() == 80);
}
//! [TrainedScores: exact check]
KILLS("the sign of the correlation is lost",
      {.trained_moments = [](auto d, auto& r) { return trained_score_moments(d, abs(r)); }});
KILLS("the mean grows like the root", {.trained_moments = [](auto d, auto& r) {
        return Moments(r, trained_score_moments(d, r).variance());
      }});
KILLS("the correlation adds no variance",
      {.trained_moments = [](auto d, auto& r) { return Moments(Rational(d) * r, Rational(d)); }});

STATEMENT(TrainedScores, OfAllPowersOnlyTheFirstLeavesALimit) {
  for_all([&] {
    // The divisor is d^(n/2k), and d a power of 2ᵏ, so that its square is a whole number.
    const auto k = *rc::gen::inRange(1U, 5U).as("half the denominator of the power");
    const auto n = *rc::gen::inRange(0U, 4 * k + 1).as("numerator of the power");
    const auto j = *rc::gen::inRange(1U, 50 / k).as("logarithm of d, in units of k");
    const Rational r = *rc::gen::suchThat(any_correlation(), [](const Rational& x) {
                          return x != 0;
                        }).as("correlation");
    const auto two_to = [](unsigned power) { return integer_power(Rational(2), power); };
    const Rational left =
        subject.trained_mean_square_left(std::size_t{1} << k * j, r, two_to(n * j));
    // ρ² + (1 + ρ²)/d tends to ρ², and the rest to 0 or infinity with 2ʲ unless n = 2k.
    const Rational bounded = left * two_to(n * j) / two_to(2 * k * j);
    EXPECT_EXACTLY(bounded == r * r + (1 + r * r) / two_to(k * j));
    EXPECT_EXACTLY((n >= 2 * k || left >= two_to(j) * r * r));
    EXPECT_EXACTLY((n <= 2 * k || left <= (1 + 2 * r * r) / two_to(j)));
  });
}
KILLS("a divisor below d counts as d", {.trained_mean_square_left = [](auto d, auto& r, auto& c2) {
        const Rational square = Rational(d) * Rational(d);
        return trained_mean_square_left(d, r, c2 < square ? square : c2);
      }});

STATEMENT(TrainedScores, ACorrelationOfOneOverTheRootIsControlled) {
  for_all([&] {
    const std::size_t root = *dimension(1000).as("root of d");
    const Rational b = *any_correlation().as("correlation in units of 1/√d");
    const Rational d = Rational(root) * Rational(root);
    const Rational left = subject.trained_mean_square_left(root * root, b / Rational(root), d);
    EXPECT_EXACTLY(left == 1 + b * b * (1 + 1 / d));
  });
}
KILLS("the mean's square is counted four times",
      {.trained_mean_square_left = [](auto d, auto& r, auto& c2) {
        return trained_mean_square_left(d, 2 * r > 1 ? r : Rational(2 * r), c2);
      }});

ASIDE(TrainedScores, AFixedCorrelationOutgrowsTheRoot) {
  for (const std::size_t root : {2U, 8U, 16U, 64U}) {
    const std::size_t d = root * root;
    const Rational half(1, 2);
    const Rational mean = subject.trained_moments(d, half).mean() / Rational(root);
    EXPECT_EXACTLY(mean == Rational(root) / 2);
    EXPECT_EXACTLY(subject.trained_mean_square_left(d, half, d) == mean * mean + Rational(5, 4));
    if (root == 8) record_value("mean_at_64", mean.str());
    if (root == 64) record_value("mean_at_4096", mean.str());
  }
  enumerated(4);
  counterexample_without("nearly uncorrelated");
  // The words speak of trained models, and none was measured here.
  decides("S3", "Less critical", false);
}
KILLS("the root serves every correlation",
      {.trained_mean_square_left = [](auto d, auto& r, auto& c2) {
        return trained_mean_square_left(1, r, c2 / Rational(d));
      }});

ASIDE(TrainedScores, WithoutCorrelationDivisionByDLeavesNothing) {
  for (const std::size_t d : {1U, 64U, 4096U, 1000000U})
    EXPECT_EXACTLY(subject.trained_mean_square_left(d, 0, Rational(d) * Rational(d)) ==
                   1 / Rational(d));
  enumerated(4);
  counterexample_without("correlated");
}
KILLS("a correlation of 0 counts as 1", {.trained_mean_square_left = [](auto d, auto& r, auto& c2) {
        return trained_mean_square_left(d, r == 0 ? Rational(1) : r, c2);
      }});

ASIDE(TrainedScores, CorrelatedSignsHaveLessVarianceNotMore) {
  const Rational half(1, 2);
  for (std::size_t d = 1; d <= 6; ++d) {
    const RationalDistribution score = paired_dot_product_distribution(correlated_signs(half), d);
    EXPECT_EXACTLY(mean(score) == subject.trained_moments(d, half).mean());
    EXPECT_EXACTLY(variance(score) == Rational(d) * Rational(3, 4));
    EXPECT_EXACTLY(subject.trained_moments(d, half).variance() == Rational(d) * Rational(5, 4));
  }
  enumerated(6);
  counterexample_without("normal pairs");
}
KILLS("signs are taken for normal numbers", {.trained_moments = [](auto d, auto& r) {
        return Moments(Rational(d) * r, Rational(d) * (1 - r * r));
      }});

ASIDE(TrainedScores, ARepeatedPairNeverSettles) {
  const Rational half(1, 2);
  const PairDistribution pair = correlated_signs(half);
  for (const std::size_t d : {1U, 2U, 4U, 8U}) {
    // d copies of one pair: the whole distribution of the score divided by d is that of one pair.
    const RationalDistribution repeated = pair.image([&](const std::pair<Rational, Rational>& qk) {
      return Rational(dot_product(Vector(d, qk.first), Vector(d, qk.second)) / Rational(d));
    });
    EXPECT_EXACTLY(repeated == paired_dot_product_distribution(pair, 1));
    EXPECT_EXACTLY(variance(repeated) == Rational(3, 4));
    // d independent copies: the variance goes to 0.
    EXPECT_EXACTLY(variance(paired_dot_product_distribution(pair, d)) / Rational(d * d) ==
                   Rational(3, 4) / Rational(d));
  }
  // Normal pairs: the mean square of q₁k₁, beside that of d independent terms divided by d.
  EXPECT_EXACTLY(subject.trained_mean_square_left(1, half, 1) == normal_moment(half, 2, 2));
  EXPECT_EXACTLY(normal_moment(half, 2, 2) == Rational(3, 2));
  for (const std::size_t d : {1U, 64U, 4096U})
    EXPECT_EXACTLY(subject.trained_mean_square_left(d, half, Rational(d * d)) ==
                   Rational(1, 4) + Rational(5, 4) / Rational(d));
  enumerated(8);
  counterexample_without("independent pairs");
}
KILLS("a repeated pair counts as many", {.trained_mean_square_left = [](auto d, auto& r, auto& c2) {
        return d == 1 ? Rational(r * r / c2) : trained_mean_square_left(d, r, c2);
      }});

ASIDE(TrainedScores, RefusesWhatNoScoreHas) {
  expect_refusal<std::domain_error>([&] { subject.trained_moments(0, 0); },
                                    "the dimension is 0, but must be at least 1");
  expect_refusal<std::domain_error>([&] { subject.trained_moments(4, 2); },
                                    "the correlation is 2, but must lie between -1 and 1");
  expect_refusal<std::domain_error>([&] { subject.trained_mean_square_left(4, 1, 0); },
                                    "the squared divisor is 0, but must be greater than 0");
}
KILLS("a divisor of 0 is accepted", {.trained_mean_square_left = [](auto d, auto& r, auto& c2) {
        return c2 == 0 ? Rational(0) : trained_mean_square_left(d, r, c2);
      }});
KILLS("any correlation is accepted", {.trained_moments = [](auto d, auto& r) {
        return abs(r) > 1 ? Moments(0, 1) : trained_score_moments(d, r);
      }});

}  // namespace sqrtdk::properties::TrainedScores
