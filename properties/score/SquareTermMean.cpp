#include "properties/score/fixture.hpp"
#include "properties/support/rational_distributions.hpp"

namespace sqrtdk::properties::SquareTermMean {

//! [SquareTermMean]
STATEMENT(SquareTermMean, HoldsForEveryPairOfDistributions) {
  for_all([&] {
    const RationalDistribution q = *any_distribution().as("distribution of q1");
    const RationalDistribution k = *any_distribution().as("distribution of k1");
    EXPECT_EXACTLY(raw_moment(product(q, k), 2) ==
                   subject.square_term_mean(moments(q), moments(k)));
  });
}
//! [SquareTermMean]
KILLS("σq²σk² is dropped", {.square_term_mean = [](auto& q, auto& k) {
        return square_term_mean(q, k) - q.variance() * k.variance();
      }});
KILLS("μq²σk² is dropped", {.square_term_mean = [](auto& q, auto& k) {
        return square_term_mean(q, k) - q.mean() * q.mean() * k.variance();
      }});
KILLS("μk²σq² is dropped", {.square_term_mean = [](auto& q, auto& k) {
        return square_term_mean(q, k) - k.mean() * k.mean() * q.variance();
      }});

//! [SquareTermMean: exact check]
STATEMENT(SquareTermMean, EachTermHasACaseInWhichItStandsAlone) {
  const auto term_mean_of = [&](const RationalDistribution& q, const RationalDistribution& k) {
    const Rational by_formula = subject.square_term_mean(moments(q), moments(k));
    EXPECT_EXACTLY(by_formula == raw_moment(product(q, k), 2));
    return by_formula;
  };
  const auto three = RationalDistribution::uniform({3});
  EXPECT_EXACTLY(term_mean_of(fair_sign, fair_sign) == 1) << "σq²σk² alone";
  EXPECT_EXACTLY(term_mean_of(three, fair_sign) == 9) << "μq²σk² alone";
  EXPECT_EXACTLY(term_mean_of(fair_sign, three) == 9) << "μk²σq² alone";
  EXPECT_EXACTLY(term_mean_of(three, three) == 81) << "μq²μk² alone";
  EXPECT_EXACTLY(term_mean_of(fair_bit, fair_bit) == Rational(1, 4)) << "all four terms";
  enumerated(5);
}
//! [SquareTermMean: exact check]
KILLS("μq²μk² is dropped, which leaves the variance", {.square_term_mean = [](auto& q, auto& k) {
        return square_term_mean(q, k) - q.mean() * q.mean() * k.mean() * k.mean();
      }});

STATEMENT(SquareTermMean, IsTheMeanOfEverySquareOfTheExpansion) {
  for_all([&] {
    const auto d = *small_dimension().as("d");
    const RationalDistribution q = *any_distribution().as("distribution of each entry of q");
    const RationalDistribution k = *any_distribution().as("distribution of each entry of k");
    for (const Monomial& term : subject.expand_square(d)) {
      if (!term.is_square()) continue;
      EXPECT_EXACTLY(subject.term_mean(term, q, k) == square_term_mean(moments(q), moments(k)));
    }
  });
}
KILLS("the square of the mean for the mean of the square",
      {.term_mean = [](auto& term, auto& q, auto& k) {
        return term(Vector(term.q.size(), mean(q)), Vector(term.k.size(), mean(k)));
      }});
KILLS("the moments of the keys are forgotten",
      {.term_mean = [](auto& term, auto& q, auto&) { return term_mean(term, q, one); }});

STATEMENT(SquareTermMean, IsOneForEveryPairOfStandardizedDistributions) {
  for_all([&] {
    const RationalDistribution q = *standardized_distribution().as("distribution of q1");
    const RationalDistribution k = *standardized_distribution().as("distribution of k1");
    EXPECT_EXACTLY(subject.square_term_mean(moments(q), moments(k)) == 1);
  });
}
KILLS("doubled", {.square_term_mean = [](auto& q, auto& k) { return 2 * square_term_mean(q, k); }});

ASIDE(SquareTermMean, AQueryThatIsItsOwnKeyHasTheFourthMoment) {
  const RationalDistribution x({-2, 0, 2}, {Rational(1, 8), Rational(3, 4), Rational(1, 8)});
  EXPECT_EXACTLY(raw_moment(subject.paired_distribution(with_itself(x), 1), 2) == 4);
  EXPECT_EXACTLY(subject.square_term_mean(moments(x), moments(x)) == 1);
  counterexample_without("independent");
}
KILLS("the key is drawn anew although it is the query",
      {.paired_distribution = [](auto& pair, auto d) {
        return dot_product_distribution(pair.image([](auto& qk) { return qk.first; }),
                                        pair.image([](auto& qk) { return qk.second; }), d);
      }});
KILLS("equal moments are taken for the same draw of a heavy-tailed distribution",
      {.square_term_mean = [](auto& q, auto& k) {
        return q == k ? Rational(4) : square_term_mean(q, k);
      }});

ASIDE(SquareTermMean, AMeanOfOneDoublesIt) {
  EXPECT_EXACTLY(subject.square_term_mean(moments(zero_or_two), moments(fair_sign)) == 2);
  counterexample_without("mean zero");
}
KILLS("the means are ignored",
      {.square_term_mean = [](auto& q, auto& k) { return q.variance() * k.variance(); }});

ASIDE(SquareTermMean, AVarianceOfFourMultipliesItByFour) {
  EXPECT_EXACTLY(subject.square_term_mean(moments(fair_two), moments(fair_sign)) == 4);
  counterexample_without("unit variance");
}
KILLS("the variances are taken to be one", {.square_term_mean = [](auto& q, auto& k) {
        return square_term_mean({q.mean(), 1}, {k.mean(), 1});
      }});

}  // namespace sqrtdk::properties::SquareTermMean
