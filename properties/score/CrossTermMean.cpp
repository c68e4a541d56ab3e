#include "properties/score/fixture.hpp"
#include "properties/support/rational_distributions.hpp"

namespace sqrtdk::properties::CrossTermMean {

//! [CrossTermMean]
STATEMENT(CrossTermMean, HoldsForEveryPairOfDistributions) {
  for_all([&] {
    const RationalDistribution q = *small_distribution().as("distribution of q1 and q2");
    const RationalDistribution k = *small_distribution().as("distribution of k1 and k2");
    const RationalDistribution q1k1 = product(q, k);
    const RationalDistribution q1k1q2k2 = product(q1k1, q1k1);
    EXPECT_EXACTLY(mean(q1k1q2k2) == subject.cross_term_mean(moments(q), moments(k)));
  });
}
//! [CrossTermMean]
KILLS("the means are not squared",
      {.cross_term_mean = [](auto& q, auto& k) { return q.mean() * k.mean(); }});
KILLS("the mean squares instead of the squared means", {.cross_term_mean = square_term_mean});

//! [CrossTermMean: exact check]
STATEMENT(CrossTermMean, OfConstantsAndBitsIsFoundByHand) {
  const auto mean_of = [&](const RationalDistribution& q, const RationalDistribution& k) {
    return subject.cross_term_mean(moments(q), moments(k));
  };
  const auto three = RationalDistribution::uniform({3});
  EXPECT_EXACTLY(mean_of(three, three) == 81);
  EXPECT_EXACTLY(mean_of(three, fair_bit) == Rational(9, 4));
  EXPECT_EXACTLY(mean_of(fair_bit, three) == Rational(9, 4));
  EXPECT_EXACTLY(mean_of(fair_sign, three) == 0);
  EXPECT_EXACTLY(mean_of(three, fair_sign) == 0);
  enumerated(5);
}
//! [CrossTermMean: exact check]
KILLS("doubled", {.cross_term_mean = [](auto& q, auto& k) { return 2 * cross_term_mean(q, k); }});

STATEMENT(CrossTermMean, IsTheMeanOfEveryCrossTermOfTheExpansion) {
  for_all([&] {
    const auto d = *small_dimension().as("d");
    const RationalDistribution q = *any_distribution().as("distribution of each entry of q");
    const RationalDistribution k = *any_distribution().as("distribution of each entry of k");
    for (const Monomial& term : subject.expand_square(d)) {
      if (term.is_square()) continue;
      EXPECT_EXACTLY(subject.term_mean(term, q, k) == cross_term_mean(moments(q), moments(k)));
    }
  });
}
KILLS("an exponent of one is skipped", {.term_mean = [](auto& term, auto& q, auto& k) {
        return term.is_square() ? term_mean(term, q, k) : Rational(1);
      }});

STATEMENT(CrossTermMean, IsZeroIfOneOfTheMeansIsZero) {
  for_all([&] {
    const Moments centred = moments(*centred_distribution().as("a distribution with mean zero"));
    const Moments any = moments(*any_distribution().as("any distribution"));
    EXPECT_EXACTLY(subject.cross_term_mean(centred, any) == 0);
    EXPECT_EXACTLY(subject.cross_term_mean(any, centred) == 0);
  });
}
KILLS("the query's means are left out",
      {.cross_term_mean = [](auto&, auto& k) { return k.mean() * k.mean(); }});
KILLS("the key's means are left out",
      {.cross_term_mean = [](auto& q, auto&) { return q.mean() * q.mean(); }});

ASIDE(CrossTermMean, SharedSignsMakeEveryCrossTermOne) {
  const RationalDistribution q1k1 = subject.paired_distribution(with_itself(fair_sign), 1);
  EXPECT_EXACTLY(product(q1k1, q1k1) == one);  // q₁k₁q₂k₂, with a second pair like the first
  EXPECT_EXACTLY(subject.cross_term_mean(moments(fair_sign), moments(fair_sign)) == 0);
  counterexample_without("independent");
}
KILLS("independence is assumed within the pair", {.paired_distribution = [](auto& pair, auto d) {
        return dot_product_distribution(pair.image([](auto& qk) { return qk.first; }),
                                        pair.image([](auto& qk) { return qk.second; }), d);
      }});

ASIDE(CrossTermMean, FairBitsLeaveASixteenth) {
  EXPECT_EXACTLY(subject.cross_term_mean(moments(fair_bit), moments(fair_bit)) == Rational(1, 16));
  counterexample_without("mean zero");
}
KILLS("always zero", {.cross_term_mean = [](auto&, auto&) { return Rational(0); }});

}  // namespace sqrtdk::properties::CrossTermMean
