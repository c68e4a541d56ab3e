#include "properties/moments/fixture.hpp"

namespace sqrtdk::properties::VarianceUnderScaling {

//! [VarianceUnderScaling]
STATEMENT(VarianceUnderScaling, HoldsForEveryDistributionAndDivisor) {
  for_all([&] {
    const RationalDistribution x = *any_distribution().as("distribution of X");
    const Rational c = *nonzero_rational().as("c");
    const auto scaled = x.image([&](const Rational& v) { return Rational(v / c); });
    EXPECT_EXACTLY(subject.variance(scaled) ==
                   subject.variance_after_division(subject.variance(x), c));
  });
}
//! [VarianceUnderScaling]
KILLS("divided by c",
      {.variance_after_division = [](auto& variance, auto& c) { return variance / c; }});
KILLS("c² is dropped", {.variance_after_division = [](auto& variance, auto&) { return variance; }});

//! [VarianceUnderScaling: exact check]
STATEMENT(VarianceUnderScaling, TheDocumentsThreeValuesHalved) {
  const Rational before = subject.variance(RationalDistribution::uniform({2, 4, 6}));
  const Rational after = subject.variance(RationalDistribution::uniform({1, 2, 3}));
  EXPECT_EXACTLY(before == Rational(8, 3));
  EXPECT_EXACTLY(after == Rational(2, 3));
  EXPECT_EXACTLY(after == subject.variance_after_division(before, 2));
  expect_printed("S2", "2.67", before);
  expect_printed("S2", "0.67", after);
  enumerated(2);
}
//! [VarianceUnderScaling: exact check]
KILLS("multiplied by c²",
      {.variance_after_division = [](auto& variance, auto& c) { return variance * c * c; }});
KILLS("the sample variance, divided by n − 1", {.variance = [](auto& x) -> Rational {
        const Rational n(x.atoms().size());
        return n == 1 ? Rational(0) : Rational(variance(x) * n / (n - 1));
      }});

ASIDE(VarianceUnderScaling, RefusesADivisorOfZero) {
  expect_refusal<std::domain_error>([&] { subject.variance_after_division(1, 0); });
  counterexample_without("nonzero divisor");
}
KILLS("a divisor of zero is accepted", {.variance_after_division = [](auto& variance, auto& c) {
        return c == 0 ? Rational(0) : variance_after_division(variance, c);
      }});

ASIDE(VarianceUnderScaling, RefusesANegativeVariance) {
  expect_refusal<std::domain_error>([&] { subject.variance_after_division(-1, 2); });
}
KILLS("a negative variance is accepted", {.variance_after_division = [](auto& variance, auto& c) {
        return variance < 0 ? Rational(0) : variance_after_division(variance, c);
      }});

}  // namespace sqrtdk::properties::VarianceUnderScaling
