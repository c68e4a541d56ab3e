#include "properties/scale/fixture.hpp"
#include "properties/support/rational_distributions.hpp"

namespace sqrtdk::properties::ScaledScoreVariance {

/// Cases of a property that convolves distributions with up to a thousand outcomes.
constexpr int convolved_cases = 30;

//! [ScaledScoreVariance]
STATEMENT(ScaledScoreVariance, IsOneForStandardizedDistributionsInEveryDimension) {
  for_all(
      [&] {
        const RationalDistribution q = *standardized_distribution().as("distribution of each q");
        const RationalDistribution k = *standardized_distribution().as("distribution of each k");
        const std::size_t d = *dimension(3).as("d");
        const RationalDistribution score = subject.dot_product_distribution(q, k, d);
        EXPECT_EXACTLY(mean(score) == 0);
        // Var(X / √d) = Var X / d, without a root.
        EXPECT_EXACTLY(variance(score) / Rational(d) == 1);
        EXPECT_EXACTLY(subject.scaled_score_variance(d, moments(q), moments(k)) == 1);
      },
      convolved_cases);
}
//! [ScaledScoreVariance]
KILLS("no scale", {.scaled_score_variance = [](auto d, auto& q, auto& k) {
        return dot_product_variance(d, q, k);
      }});
KILLS("divided by d instead of its root", {.scaled_score_variance = [](auto d, auto& q, auto& k) {
        return dot_product_variance(d, q, k) / Rational(d * d);
      }});
KILLS("divided by the root of d + 1", {.scaled_score_variance = [](auto d, auto& q, auto& k) {
        return dot_product_variance(d, q, k) / Rational(d + 1);
      }});

STATEMENT(ScaledScoreVariance, IsTheProductsVarianceForEveryPairOfDistributions) {
  for_all([&] {
    const RationalDistribution q = *any_distribution().as("distribution of each q");
    const RationalDistribution k = *any_distribution().as("distribution of each k");
    const std::size_t d = *dimension(1000000).as("d");
    EXPECT_EXACTLY(subject.scaled_score_variance(d, moments(q), moments(k)) ==
                   variance(product(q, k)));
  });
}
KILLS("σq²σk² is dropped", {.scaled_score_variance = [](auto d, auto& q, auto& k) {
        return scaled_score_variance(d, q, k) - q.variance() * k.variance();
      }});
KILLS("μq²σk² is dropped", {.scaled_score_variance = [](auto d, auto& q, auto& k) {
        return scaled_score_variance(d, q, k) - q.mean() * q.mean() * k.variance();
      }});
KILLS("μk²σq² is dropped", {.scaled_score_variance = [](auto d, auto& q, auto& k) {
        return scaled_score_variance(d, q, k) - k.mean() * k.mean() * q.variance();
      }});

//! [ScaledScoreVariance: exact check]
STATEMENT(ScaledScoreVariance, AtPerfectSquaresTheScaledDistributionItselfHasVarianceOne) {
  for_all(
      [&] {
        const RationalDistribution q = *standardized_distribution().as("distribution of each q");
        const RationalDistribution k = *standardized_distribution().as("distribution of each k");
        const std::size_t root = *dimension(2).as("root of d");
        const RationalDistribution score = subject.dot_product_distribution(q, k, root * root);
        const RationalDistribution scaled =
            score.image([&](const Rational& x) { return Rational(x / Rational(root)); });
        EXPECT_EXACTLY(mean(scaled) == 0);
        EXPECT_EXACTLY(variance(scaled) == 1);
        EXPECT_EXACTLY(subject.variance_after_division(variance(score), Rational(root)) == 1);
      },
      convolved_cases);
}
KILLS("the variance is divided by c, not c²",
      {.variance_after_division = [](auto& variance, auto& c) { return variance / c; }});
KILLS("queries are used as keys", {.dot_product_distribution = [](auto& q, auto&, auto d) {
        return sum_of_copies(q.image([](auto& x) { return Rational(x * x); }), d);
      }});

STATEMENT(ScaledScoreVariance, TheDocumentsCaseOfSixtyFour) {
  const RationalDistribution score = subject.dot_product_distribution(fair_sign, fair_sign, 64);
  expect_printed("S3", "64", variance(score));
  expect_printed("S3", "1", subject.variance_after_division(variance(score), 8));
  enumerated(1);
}
//! [ScaledScoreVariance: exact check]
KILLS("one coordinate too many", {.dot_product_distribution = [](auto& q, auto& k, auto d) {
        return dot_product_distribution(q, k, d + 1);
      }});

STATEMENT(ScaledScoreVariance, AtPerfectSquaresTheMeanIsTheRootTimesThatOfOneProduct) {
  for_all([&] {
    const Vector either = *rc::gen::container<Vector>(4, any_rational()).as("values of q and k");
    const auto q = RationalDistribution::uniform({either[0], either[1]});
    const auto k = RationalDistribution::uniform({either[2], either[3]});
    const std::size_t root = *dimension(2).as("root of d");
    const RationalDistribution score = subject.dot_product_distribution(q, k, root * root);
    EXPECT_EXACTLY(mean(score) / Rational(root) == Rational(root) * mean(q) * mean(k));
  });
}
KILLS("the means are moved to zero first",
      {.dot_product_distribution = [](auto& q, auto& k, auto d) {
        const Rational of_q = mean(q);
        return dot_product_distribution(
            q.image([&](const Rational& x) { return Rational(x - of_q); }), k, d);
      }});

ASIDE(ScaledScoreVariance, MeansOfOneLeaveAMeanOfTheRootAndVarianceThree) {
  const RationalDistribution zero_or_two({0, 2}, {Rational(1, 2), Rational(1, 2)});
  for (const std::size_t root : {1U, 2U, 3U, 4U, 5U}) {
    const RationalDistribution score =
        subject.dot_product_distribution(zero_or_two, zero_or_two, root * root);
    EXPECT_EXACTLY(mean(score) / Rational(root) == Rational(root));
    EXPECT_EXACTLY(subject.scaled_score_variance(root * root, moments(zero_or_two),
                                                 moments(zero_or_two)) == 3);
  }
  enumerated(5);
  counterexample_without("mean zero");
}
KILLS("means are ignored", {.scaled_score_variance = [](auto, auto& q, auto& k) {
        return q.variance() * k.variance();
      }});

ASIDE(ScaledScoreVariance, CoordinatesOfVarianceFourLeaveSixteen) {
  EXPECT_EXACTLY(subject.scaled_score_variance(64, Moments(0, 4), Moments(0, 4)) == 16);
  counterexample_without("unit variance");
}
KILLS("variances are ignored",
      {.scaled_score_variance = [](std::size_t, const Moments&, const Moments&) -> Rational {
        return 1;
      }});

ASIDE(ScaledScoreVariance, EqualQueryAndKeyLeaveAMeanOfTheRoot) {
  const auto square = fair_sign.image([](const Rational& x) { return Rational(x * x); });
  const RationalDistribution score = sum_of_copies(square, 64);
  EXPECT_EXACTLY(mean(score) / 8 == 8);
  EXPECT_EXACTLY(variance(score) == 0);
  EXPECT_EXACTLY(subject.scaled_score_variance(64, moments(fair_sign), moments(fair_sign)) == 1);
  counterexample_without("independent");
}
KILLS("independence is lost",
      {.scaled_score_variance = [](std::size_t, const Moments&, const Moments&) -> Rational {
        return 0;
      }});

ASIDE(ScaledScoreVariance, RefusesADimensionOfZero) {
  expect_refusal<std::domain_error>(
      [&] { subject.scaled_score_variance(0, Moments(0, 1), Moments(0, 1)); });
}
KILLS("a dimension of 0 is accepted", {.scaled_score_variance = [](auto d, auto& q, auto& k) {
        return d == 0 ? Rational(0) : scaled_score_variance(d, q, k);
      }});

}  // namespace sqrtdk::properties::ScaledScoreVariance
