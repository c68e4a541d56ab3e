#include "properties/score/fixture.hpp"
#include "properties/support/rational_distributions.hpp"

namespace sqrtdk::properties::WithoutUnitVariance {

//! [WithoutUnitVariance]
STATEMENT(WithoutUnitVariance, HoldsForEveryPairOfCentredDistributions) {
  for_all([&] {
    const auto d = *small_dimension().as("d");
    const RationalDistribution q =
        *small_centred_distribution().as("distribution of each entry of q");
    const RationalDistribution k =
        *small_centred_distribution().as("distribution of each entry of k");
    const Rational by_formula = subject.variance_from_variances(d, variance(q), variance(k));
    EXPECT_EXACTLY(variance(dot_product_distribution(q, k, d)) == by_formula);
    EXPECT_EXACTLY((by_formula == d) == (variance(q) * variance(k) == 1));
  });
}
//! [WithoutUnitVariance]
KILLS("σq² is dropped",
      {.variance_from_variances = [](auto d, auto&, auto& k) { return Rational(d) * k; }});
KILLS("σk² is dropped",
      {.variance_from_variances = [](auto d, auto& q, auto&) { return Rational(d) * q; }});
KILLS("d is dropped", {.variance_from_variances = [](auto, auto& q, auto& k) { return q * k; }});

STATEMENT(WithoutUnitVariance, OnlyTheProductOfTheVariancesCounts) {
  const RationalDistribution skewed({-1, 2}, {Rational(2, 3), Rational(1, 3)});
  for_all([&] {
    const auto d = *small_dimension().as("d");
    const Rational c = *nonzero_rational().as("c, by which q is multiplied and k divided");
    const RationalDistribution q =
        *small_centred_distribution().as("distribution of each entry of q");
    const RationalDistribution k =
        *small_centred_distribution().as("distribution of each entry of k");
    const RationalDistribution cq = scaled(q, c);
    const RationalDistribution k_over_c = scaled(k, 1 / c);
    EXPECT_EXACTLY(subject.distribution(cq, k_over_c, d) == dot_product_distribution(q, k, d));
    EXPECT_EXACTLY(subject.variance_from_variances(d, variance(cq), variance(k_over_c)) ==
                   variance(dot_product_distribution(q, k, d)));
  });
  EXPECT_EXACTLY(subject.distribution(scaled(skewed, -3), scaled(skewed, Rational(-1, 3)), 2) ==
                 dot_product_distribution(skewed, skewed, 2));
}
KILLS("the variances are squared",
      {.variance_from_variances = [](auto d, auto& q, auto& k) -> Rational {
        return Rational(d) * q * q * k * k;
      }});
KILLS("the sign of the key is lost", {.distribution = [](auto& q, auto& k, auto d) {
        const auto size = k.image([](auto& x) { return Rational(abs(x)); });
        return dot_product_distribution(q, size, d);
      }});

//! [WithoutUnitVariance: exact check]
STATEMENT(WithoutUnitVariance, EntriesOfTwoHaveVarianceFourD) {
  for (std::size_t d = 1; d <= 4; ++d) {
    const RationalDistribution score =
        dot_product_distribution_by_enumeration(fair_two, fair_sign, d);
    EXPECT_EXACTLY(variance(score) == 4 * d);
    EXPECT_EXACTLY(subject.variance_from_variances(d, 4, 1) == 4 * d);
  }
  enumerated(4);
}
//! [WithoutUnitVariance: exact check]
KILLS("always d", {.variance_from_variances = [](auto d, auto&, auto&) { return Rational(d); }});

ASIDE(WithoutUnitVariance, DividedByTheRootEntriesOfTwoKeepFour) {
  for (std::size_t d = 1; d <= 512; d *= 2) {
    EXPECT_EXACTLY(subject.variance_from_variances(d, 4, 1) / Rational(d) == 4);
    enumerated(1);
  }
  counterexample_without("unit variance");
}
KILLS("the variances are averaged",
      {.variance_from_variances = [](auto d, auto& q, auto& k) -> Rational {
        return Rational(d) * (q + k) / 2;
      }});

ASIDE(WithoutUnitVariance, RefusesDimensionZeroAndNegativeVariances) {
  const auto is_refused = [&](std::size_t d, const Rational& q, const Rational& k,
                              const std::string& message) {
    expect_refusal<std::domain_error>([&] { subject.variance_from_variances(d, q, k); }, message);
  };
  is_refused(0, 1, 1, refuses_zero);
  is_refused(1, -1, 1, "the variance is -1, but must be at least 0");
  is_refused(1, 1, -1, "the variance is -1, but must be at least 0");
}
KILLS("dimension zero has variance zero", {.variance_from_variances = [](auto d, auto& q, auto& k) {
        return d == 0 ? Rational(0) : dot_product_variance_from_variances(d, q, k);
      }});
KILLS("a negative variance of q is accepted",
      {.variance_from_variances = [](auto d, auto& q, auto& k) {
        return q < 0 ? Rational(0) : dot_product_variance_from_variances(d, q, k);
      }});
KILLS("a negative variance of k is accepted",
      {.variance_from_variances = [](auto d, auto& q, auto& k) {
        return k < 0 ? Rational(0) : dot_product_variance_from_variances(d, q, k);
      }});

}  // namespace sqrtdk::properties::WithoutUnitVariance
