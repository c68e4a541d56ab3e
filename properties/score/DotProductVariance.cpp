#include "properties/score/fixture.hpp"
#include "properties/support/rational_distributions.hpp"

namespace sqrtdk::properties::DotProductVariance {

const RationalDistribution three = RationalDistribution::uniform({3});

/// The mean square of q·k as the documents find it: the means of the multiplied out terms, added.
Rational sum_of_term_means(const Subject& subject, std::size_t d, const RationalDistribution& q,
                           const RationalDistribution& k) {
  Rational total = 0;
  for (const Monomial& term : subject.expand_square(d)) total += subject.term_mean(term, q, k);
  return total;
}

//! [DotProductVariance]
STATEMENT(DotProductVariance, HoldsForEveryPairOfDistributions) {
  for_all([&] {
    const auto d = *small_dimension().as("d");
    const RationalDistribution q = *small_distribution().as("distribution of each entry of q");
    const RationalDistribution k = *small_distribution().as("distribution of each entry of k");
    EXPECT_EXACTLY(variance(subject.distribution(q, k, d)) ==
                   subject.variance(d, moments(q), moments(k)));
  });
}
//! [DotProductVariance]
KILLS("d is dropped", {.variance = [](auto, auto& q, auto& k) { return product_variance(q, k); }});
KILLS("d squared",
      {.variance = [](auto d, auto& q, auto& k) { return dot_product_variance(d * d, q, k); }});
KILLS("doubled",
      {.variance = [](auto d, auto& q, auto& k) { return 2 * dot_product_variance(d, q, k); }});

//! [DotProductVariance: exact check]
STATEMENT(DotProductVariance, EachTermHasACaseInWhichItStandsAlone) {
  struct Case {
    std::string name;
    RationalDistribution q;
    RationalDistribution k;
    Rational variance_of_one_term;
  };
  for (const Case& is :
       {Case{"σq²σk² alone", fair_sign, fair_sign, 1}, Case{"μq²σk² alone", three, fair_sign, 9},
        Case{"μk²σq² alone", fair_sign, three, 9},
        Case{"all three terms", fair_bit, fair_bit, Rational(3, 16)}})
    for (std::size_t d = 1; d <= 4; ++d) {
      const Rational expected = Rational(d) * is.variance_of_one_term;
      EXPECT_EXACTLY(subject.variance(d, moments(is.q), moments(is.k)) == expected)
          << is.name << ", d = " << d;
      EXPECT_EXACTLY(variance(subject.distribution_by_enumeration(is.q, is.k, d)) == expected)
          << is.name << ", d = " << d;
      enumerated(1);
    }
}
//! [DotProductVariance: exact check]
KILLS("σq²σk² is dropped", {.variance = [](auto d, auto& q, auto& k) {
        return dot_product_variance(d, q, k) - Rational(d) * q.variance() * k.variance();
      }});
KILLS("μq²σk² is dropped", {.variance = [](auto d, auto& q, auto& k) {
        return dot_product_variance(d, q, k) - Rational(d) * q.mean() * q.mean() * k.variance();
      }});
KILLS("μk²σq² is dropped", {.variance = [](auto d, auto& q, auto& k) {
        return dot_product_variance(d, q, k) - Rational(d) * k.mean() * k.mean() * q.variance();
      }});
KILLS("every query meets itself as key",
      {.distribution_by_enumeration = [](auto& q, auto&, auto d) {
        return paired_dot_product_distribution(with_itself(q), d);
      }});

STATEMENT(DotProductVariance, IsTheMeanSquareOfTheExpansionLessTheSquaredMean) {
  for_all(
      [&] {
        const auto d = *rc::gen::inRange<std::size_t>(1, 5).as("d");
        const RationalDistribution q = *any_distribution().as("distribution of each entry of q");
        const RationalDistribution k = *any_distribution().as("distribution of each entry of k");
        const Rational mean = subject.mean(d, moments(q), moments(k));
        EXPECT_EXACTLY(sum_of_term_means(subject, d, q, k) - mean * mean ==
                       dot_product_variance(d, moments(q), moments(k)));
      },
      100);
}
KILLS("the squared mean is not subtracted",
      {.mean = [](auto, auto&, auto&) { return Rational(0); }});
KILLS("cross terms are taken to be zero", {.term_mean = [](auto& term, auto& q, auto& k) {
        return term.is_square() ? term_mean(term, q, k) : Rational(0);
      }});

STATEMENT(DotProductVariance, IsDForEveryPairOfStandardizedDistributions) {
  for_all(
      [&] {
        const auto d = *small_dimension().as("d");
        const RationalDistribution q =
            *standardized_distribution().as("distribution of each entry of q");
        const RationalDistribution k =
            *standardized_distribution().as("distribution of each entry of k");
        EXPECT_EXACTLY(variance(subject.distribution(q, k, d)) == d);
        EXPECT_EXACTLY(subject.variance(d, moments(q), moments(k)) == d);
      },
      100);
}
KILLS("one product taken d times", {.distribution = [](auto& q, auto& k, auto d) {
        return scaled(product(q, k), Rational(d));
      }});
KILLS("one degree of freedom is taken off", {.variance = [](auto d, auto& q, auto& k) {
        return dot_product_variance(d > 1 ? d - 1 : d, q, k);
      }});

STATEMENT(DotProductVariance, IsTheThreeAndTheSixtyFourOfTheDocuments) {
  const Rational of_three = sum_of_term_means(subject, 3, fair_sign, fair_sign);
  const Rational of_sixty_four = sum_of_term_means(subject, 64, fair_sign, fair_sign);
  for (const auto& [document, printed, value] :
       {std::tuple("S2", "3", of_three), std::tuple("S2", "64", of_sixty_four),
        std::tuple("S3", "64", of_sixty_four)})
    expect_printed(document, printed, value);
  enumerated(3 * 3 + 64 * 64);
}
KILLS("every term counts one", {.term_mean = [](auto&, auto&, auto&) { return Rational(1); }});

ASIDE(DotProductVariance, AQueryOfSignsThatIsItsOwnKeyHasVarianceZero) {
  for (std::size_t d = 1; d <= 8; ++d)
    EXPECT_EXACTLY(subject.paired_variance(d, with_itself(fair_sign)) == 0);
  enumerated(8);
  counterexample_without("independent");
}
KILLS("independence is assumed within the pair",
      {.paired_variance = [](auto d, auto&) { return Rational(d); }});

ASIDE(DotProductVariance, EntriesOfZeroAndTwoHaveVarianceThreeD) {
  for (std::size_t d = 1; d <= 8; ++d)
    EXPECT_EXACTLY(subject.variance(d, moments(zero_or_two), moments(zero_or_two)) == 3 * d);
  enumerated(8);
  counterexample_without("mean zero");
}
KILLS("the means are ignored", {.variance = [](auto d, auto& q, auto& k) {
        return Rational(d) * q.variance() * k.variance();
      }});

ASIDE(DotProductVariance, EntriesOfTwoHaveVarianceFourD) {
  for (std::size_t d = 1; d <= 8; ++d)
    EXPECT_EXACTLY(subject.variance(d, moments(fair_two), moments(fair_sign)) == 4 * d);
  enumerated(8);
  counterexample_without("unit variance");
}
KILLS("the variances are taken to be one", {.variance = [](auto d, auto& q, auto& k) {
        return dot_product_variance(d, {q.mean(), 1}, {k.mean(), 1});
      }});

ASIDE(DotProductVariance, CuttingAHeavyTailLaterGivesMoreVarianceWithoutEnd) {
  for (unsigned cutoff = 0; cutoff <= 6; ++cutoff)
    EXPECT_EXACTLY(variance(dot_product_distribution(subject.heavy_distribution(cutoff), fair_sign,
                                                     2)) == 6 * cutoff);
  enumerated(7);
  counterexample_without("finite variance");
}
KILLS("the tail is thin", {.heavy_distribution = [](unsigned cutoff) {
        return truncated_heavy_distribution(std::min(cutoff, 2U));
      }});

ASIDE(DotProductVariance, RefusesDimensionZero) {
  const auto call = [&] { subject.variance(0, moments(fair_sign), moments(fair_sign)); };
  expect_refusal<std::domain_error>(call, refuses_zero);
}
KILLS("dimension zero has variance zero", {.variance = [](auto d, auto& q, auto& k) {
        return d == 0 ? Rational(0) : dot_product_variance(d, q, k);
      }});

}  // namespace sqrtdk::properties::DotProductVariance
