#include "properties/score/fixture.hpp"

namespace sqrtdk::properties::WithoutZeroMean {

//! [WithoutZeroMean]
STATEMENT(WithoutZeroMean, HoldsForEveryPairOfDistributionsWithVarianceOne) {
  for_all([&] {
    const auto d = *small_dimension().as("d");
    const Rational q_mean = *any_rational().as("mean of each entry of q");
    const Rational k_mean = *any_rational().as("mean of each entry of k");
    const RationalDistribution q =
        *standardized_distribution().as("distribution of each entry of q, less its mean");
    const RationalDistribution k =
        *standardized_distribution().as("distribution of each entry of k, less its mean");
    EXPECT_EXACTLY(variance(dot_product_distribution(shifted(q, q_mean), shifted(k, k_mean), d)) ==
                   subject.variance_from_means(d, q_mean, k_mean));
  });
}
//! [WithoutZeroMean]
KILLS("μq² is dropped",
      {.variance_from_means = [](auto d, auto&, auto& k) { return Rational(d) * (1 + k * k); }});
KILLS("μk² is dropped",
      {.variance_from_means = [](auto d, auto& q, auto&) { return Rational(d) * (1 + q * q); }});
KILLS("the mean square for the variance", {.variance_from_means = [](auto d, auto& q, auto& k) {
        return Rational(d) * (1 + q * q) * (1 + k * k);
      }});

STATEMENT(WithoutZeroMean, IsDExactlyIfBothMeansAreZero) {
  const int largest = 5;
  for (int q = -largest; q <= largest; ++q)
    for (int k = -largest; k <= largest; ++k) {
      EXPECT_EXACTLY((subject.variance_from_means(64, q, k) == 64) == (q == 0 && k == 0))
          << "means " << q << " and " << k;
      enumerated(1);
    }
}
KILLS("the means can cancel", {.variance_from_means = [](auto d, auto& q, auto& k) {
        return Rational(d) * (1 + (q + k) * (q + k));
      }});

//! [WithoutZeroMean: exact check]
STATEMENT(WithoutZeroMean, EntriesOfZeroAndTwoHaveVarianceThreeD) {
  for (std::size_t d = 1; d <= 4; ++d) {
    const RationalDistribution score =
        dot_product_distribution_by_enumeration(zero_or_two, zero_or_two, d);
    EXPECT_EXACTLY(variance(score) == 3 * d);
    EXPECT_EXACTLY(subject.variance_from_means(d, 1, 1) == 3 * d);
  }
  enumerated(4);
}
//! [WithoutZeroMean: exact check]
KILLS("always d", {.variance_from_means = [](auto d, auto&, auto&) { return Rational(d); }});

ASIDE(WithoutZeroMean, MeansOfOneLeaveThreeTimesTheVarianceAtTheRootOfD) {
  for (std::size_t root = 1; root <= 32; root *= 2) {
    const std::size_t d = root * root;
    const Moments one_and_one = moments(zero_or_two);
    EXPECT_EXACTLY(subject.mean(d, one_and_one, one_and_one) / Rational(root) == root);
    EXPECT_EXACTLY(subject.variance_from_means(d, 1, 1) / Rational(d) == 3);
    enumerated(1);
  }
  counterexample_without("mean zero");
}
KILLS("1 is dropped", {.variance_from_means = [](auto d, auto& q, auto& k) {
        return Rational(d) * (q * q + k * k);
      }});

STATEMENT(WithoutZeroMean, DivisionByTheRootOfDLeavesAMeanThatGrows) {
  for (std::size_t d = 1; d <= 512; d *= 2) {
    const Rational mean = subject.mean(d, moments(zero_or_two), moments(zero_or_two));
    EXPECT_EXACTLY(mean * mean / Rational(d) == d) << "the squared mean of the scaled score";
  }
  enumerated(10);
}
KILLS("the mean grows like the root of d",
      {.mean = [](auto, auto& q, auto& k) { return product_mean(q, k); }});

ASIDE(WithoutZeroMean, RefusesDimensionZero) {
  expect_refusal<std::domain_error>([&] { subject.variance_from_means(0, 1, 1); }, refuses_zero);
}
KILLS("dimension zero has variance zero", {.variance_from_means = [](auto d, auto& q, auto& k) {
        return d == 0 ? Rational(0) : dot_product_variance_from_means(d, q, k);
      }});

}  // namespace sqrtdk::properties::WithoutZeroMean
