#include "properties/score/fixture.hpp"
#include "properties/support/rational_distributions.hpp"

namespace sqrtdk::properties::DotProductMean {

//! [DotProductMean]
STATEMENT(DotProductMean, HoldsForEveryPairOfDistributions) {
  for_all([&] {
    const auto d = *small_dimension().as("d");
    const RationalDistribution q = *small_distribution().as("distribution of each entry of q");
    const RationalDistribution k = *small_distribution().as("distribution of each entry of k");
    EXPECT_EXACTLY(mean(subject.distribution(q, k, d)) == subject.mean(d, moments(q), moments(k)));
  });
}
//! [DotProductMean]
KILLS("d is dropped", {.mean = [](auto, auto& q, auto& k) { return product_mean(q, k); }});
KILLS("d squared",
      {.mean = [](auto d, auto& q, auto& k) { return dot_product_mean(d * d, q, k); }});
KILLS("μq is dropped", {.mean = [](auto d, auto&, auto& k) { return Rational(d) * k.mean(); }});
KILLS("μk is dropped", {.mean = [](auto d, auto& q, auto&) { return Rational(d) * q.mean(); }});

//! [DotProductMean: exact check]
STATEMENT(DotProductMean, OfConstantsAndBitsIsFoundByHand) {
  const auto three = RationalDistribution::uniform({3});
  for (std::size_t d = 1; d <= 4; ++d) {
    const Rational expected = Rational(3 * d, 2);
    EXPECT_EXACTLY(subject.mean(d, moments(fair_bit), moments(three)) == expected);
    EXPECT_EXACTLY(mean(subject.distribution_by_enumeration(fair_bit, three, d)) == expected);
    EXPECT_EXACTLY(subject.mean(d, moments(fair_sign), moments(three)) == 0);
    enumerated(1);
  }
}
//! [DotProductMean: exact check]
KILLS("doubled", {.mean = [](auto d, auto& q, auto& k) { return 2 * dot_product_mean(d, q, k); }});

ASIDE(DotProductMean, TheDistributionIsThatOfAllQueriesAndKeysEnumerated) {
  for_all(
      [&] {
        const auto d = *rc::gen::inRange<std::size_t>(1, 3).as("d");
        const RationalDistribution q = *small_distribution().as("distribution of each entry of q");
        const RationalDistribution k = *small_distribution().as("distribution of each entry of k");
        EXPECT_EXACTLY(subject.distribution(q, k, d) ==
                       subject.distribution_by_enumeration(q, k, d));
      },
      100);
  // Two outcomes each are few enough for d = 3 and 4.
  for (const std::size_t d : {3U, 4U}) {
    EXPECT_EXACTLY(subject.distribution(fair_bit, fair_two, d) ==
                   subject.distribution_by_enumeration(fair_bit, fair_two, d));
    enumerated(1);
  }
}
KILLS("one product taken d times", {.distribution = [](auto& q, auto& k, auto d) {
        return scaled(product(q, k), Rational(d));
      }});
KILLS("after the second entry the first one comes again",
      {.distribution = [](auto& q, auto& k, auto d) {
        if (d < 3) return dot_product_distribution(q, k, d);
        const RationalDistribution first =
            product(q, k).image([&](const Rational& x) { return Rational(x * Rational(d - 1)); });
        return sum(first, product(q, k));
      }});
KILLS("the key has one entry, repeated",
      {.distribution_by_enumeration = [](auto& q, auto& k, auto d) {
        return product(sum_of_copies(q, d), k);
      }});

STATEMENT(DotProductMean, IsZeroForEveryPairOfStandardizedDistributions) {
  for_all([&] {
    const auto d = *rc::gen::inRange<std::size_t>(1, 1000).as("d");
    const RationalDistribution q =
        *standardized_distribution().as("distribution of each entry of q");
    const RationalDistribution k =
        *standardized_distribution().as("distribution of each entry of k");
    EXPECT_EXACTLY(subject.mean(d, moments(q), moments(k)) == 0);
  });
}
KILLS("the variance is added", {.mean = [](auto d, auto& q, auto& k) {
        return dot_product_mean(d, q, k) + q.variance() * k.variance();
      }});

ASIDE(DotProductMean, AQueryThatIsItsOwnKeyHasMeanD) {
  for (std::size_t d = 1; d <= 8; ++d) {
    EXPECT_EXACTLY(subject.paired_mean(d, with_itself(fair_sign)) == d);
    EXPECT_EXACTLY(subject.mean(d, moments(fair_sign), moments(fair_sign)) == 0);
  }
  enumerated(8);
  counterexample_without("independent");
}
KILLS("independence is assumed within the pair",
      {.paired_mean = [](auto d, auto& pair) -> Rational {
        return Rational(d) * pair.expectation([](auto& qk) { return qk.first; }) *
               pair.expectation([](auto& qk) { return qk.second; });
      }});
KILLS("equal moments are taken for the same draw", {.mean = [](auto d, auto& q, auto& k) {
        return q == k ? Rational(d) : dot_product_mean(d, q, k);
      }});

ASIDE(DotProductMean, FairBitsHaveMeanDOverFour) {
  for (std::size_t d = 1; d <= 8; ++d)
    EXPECT_EXACTLY(subject.mean(d, moments(fair_bit), moments(fair_bit)) == Rational(d) / 4);
  enumerated(8);
  counterexample_without("mean zero");
}
KILLS("always zero", {.mean = [](auto, auto&, auto&) { return Rational(0); }});

ASIDE(DotProductMean, RefusesDimensionZero) {
  const Moments sign = moments(fair_sign);
  const auto by_formula = [&] { subject.mean(0, sign, sign); };
  const auto by_distribution = [&] { subject.distribution(fair_sign, fair_sign, 0); };
  const auto by_enumeration = [&] { subject.distribution_by_enumeration(fair_sign, fair_sign, 0); };
  expect_refusal<std::domain_error>(by_formula, refuses_zero);
  expect_refusal<std::domain_error>(by_distribution, refuses_zero);
  expect_refusal<std::domain_error>(by_enumeration, refuses_zero);
}
KILLS("dimension zero has mean zero", {.mean = [](auto d, auto& q, auto& k) {
        return d == 0 ? Rational(0) : dot_product_mean(d, q, k);
      }});
KILLS("dimension zero has a distribution",
      {.distribution = [](auto& q, auto& k, auto d) { return sum_of_copies(product(q, k), d); }});
KILLS("dimension zero is enumerated", {.distribution_by_enumeration = [](auto& q, auto& k, auto d) {
        return d == 0 ? RationalDistribution::uniform({0})
                      : dot_product_distribution_by_enumeration(q, k, d);
      }});

}  // namespace sqrtdk::properties::DotProductMean
