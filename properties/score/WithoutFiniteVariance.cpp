#include "properties/score/fixture.hpp"
#include "properties/support/rational_distributions.hpp"

namespace sqrtdk::properties::WithoutFiniteVariance {

//! [WithoutFiniteVariance: exact check]
STATEMENT(WithoutFiniteVariance, EachDoublingOfTheCutoffAddsThreeToTheMeanSquare) {
  const unsigned largest = 32;
  for (unsigned cutoff = 0; cutoff <= largest; ++cutoff) {
    EXPECT_EXACTLY(mean(subject.heavy_distribution(cutoff)) == 0);
    EXPECT_EXACTLY(raw_moment(subject.heavy_distribution(cutoff), 2) == 3 * cutoff);
  }
  enumerated(largest + 1);
}
//! [WithoutFiniteVariance: exact check]
KILLS("the tail is thin: 8⁻ʲ in place of 4⁻ʲ", {.heavy_distribution = [](unsigned cutoff) {
        Vector outcomes;
        Vector probabilities;
        Rational rest = 1;
        for (unsigned j = 1; j <= cutoff; ++j)
          for (const int sign : {-1, 1}) {
            outcomes.push_back(sign * two_to_the(j));
            probabilities.push_back(Rational(3, 2) / two_to_the(3 * j));
            rest -= probabilities.back();
          }
        outcomes.push_back(0);
        probabilities.push_back(rest);
        return RationalDistribution(outcomes, probabilities);
      }});
KILLS("only positive outcomes", {.heavy_distribution = [](unsigned cutoff) {
        return truncated_heavy_distribution(cutoff).image([](auto& x) { return Rational(abs(x)); });
      }});

Rational variance_of_score(const Subject& subject, unsigned cutoff, std::size_t d) {
  const RationalDistribution entry = subject.heavy_distribution(cutoff);
  return variance(dot_product_distribution(entry, entry, d));
}

STATEMENT(WithoutFiniteVariance, TheVarianceOfTheScoreHasNoLimit) {
  for (unsigned cutoff = 0; cutoff <= 5; ++cutoff)
    for (std::size_t d = 1; d <= 2; ++d) {
      EXPECT_EXACTLY(variance_of_score(subject, cutoff, d) == d * 9 * cutoff * cutoff);
      enumerated(1);
    }
}
KILLS("the cut-off never comes", {.heavy_distribution = [](unsigned cutoff) {
        return truncated_heavy_distribution(std::min(cutoff, 3U));
      }});

ASIDE(WithoutFiniteVariance, EachLaterCutoffLeavesMoreThanTheDimension) {
  Rational before = 1;  // d
  for (unsigned cutoff = 1; cutoff <= 5; ++cutoff) {
    const Rational now = variance_of_score(subject, cutoff, 1);
    EXPECT_EXACTLY(now > before);
    before = now;
    enumerated(1);
  }
  counterexample_without("finite variance");
}
KILLS("the entries are standardized", {.heavy_distribution = [](unsigned cutoff) {
        return cutoff == 0 ? truncated_heavy_distribution(0) : fair_sign;
      }});

ASIDE(WithoutFiniteVariance, PartialFractionsSplitTheIntegrand) {
  for_all([&] {
    const Rational a = *positive_rational().as("a");
    const Rational b = *positive_rational().as("b");
    const Rational x = *nonzero_rational().as("x");
    const Rational y = *any_rational().as("y");
    const PartialFractions parts = subject.partial_fractions(a, b, x);
    const Rational at_zero = a * a + y * y;
    const Rational at_x = b * b + (y - x) * (y - x);
    EXPECT_EXACTLY(1 / (at_zero * at_x) == (parts.slope * y + parts.at_zero) / at_zero +
                                               (-parts.slope * (y - x) + parts.at_x) / at_x);
  });
}
KILLS("the sign of the slope", {.partial_fractions = [](auto& a, auto& b, auto& x) {
        const PartialFractions parts = cauchy_partial_fractions(a, b, x);
        return PartialFractions{-parts.slope, parts.at_zero, parts.at_x};
      }});
KILLS("the constants are exchanged", {.partial_fractions = [](auto& a, auto& b, auto& x) {
        const PartialFractions parts = cauchy_partial_fractions(a, b, x);
        return PartialFractions{parts.slope, parts.at_x, parts.at_zero};
      }});

//! [WithoutFiniteVariance]
STATEMENT(WithoutFiniteVariance, TheSumOfTwoCauchyVariablesIsCauchy) {
  for_all([&] {
    const Rational a = *positive_rational().as("a");
    const Rational b = *positive_rational().as("b");
    const Rational x = *nonzero_rational().as("x");
    EXPECT_EXACTLY(subject.cauchy_sum_density(a, b, x) == cauchy_density(a + b, x));
  });
}
//! [WithoutFiniteVariance]
KILLS("squared scales add, as variances would",
      {.cauchy_sum_density = [](auto& a, auto& b, auto& x) {
        return PiFraction{(a + b) / (a * a + b * b + x * x), true};
      }});
KILLS("the larger scale wins", {.cauchy_sum_density = [](auto& a, auto& b, auto& x) {
        return cauchy_density(std::max(a, b), x);
      }});

STATEMENT(WithoutFiniteVariance, TheScaleOfAScoreIsTheSumOfTheAbsoluteEntries) {
  for_all([&] {
    const auto d = *rc::gen::inRange<std::size_t>(1, 9).as("d");
    const Vector k = *rc::gen::container<Vector>(d, nonzero_rational()).as("key");
    const Rational x = *nonzero_rational().as("x");
    Rational scale = abs(k.front());
    for (std::size_t i = 1; i < d; ++i) {
      const PiFraction density = cauchy_sum_density(scale, abs(k[i]), x);
      scale =
          subject.cauchy_score_scale({k.begin(), k.begin() + static_cast<std::ptrdiff_t>(i) + 1});
      EXPECT_EXACTLY(scale > 0);
      EXPECT_EXACTLY(density == cauchy_density(scale, x));
    }
  });
}
KILLS("signs are kept", {.cauchy_score_scale = [](auto& k) {
        Rational total = 0;
        for (const Rational& entry : k) total += entry;
        return total;
      }});
KILLS("the squared Euclidean norm",
      {.cauchy_score_scale = [](auto& k) { return dot_product(k, k); }});

STATEMENT(WithoutFiniteVariance, DivisionByTheRootOfDLeavesTheScaleRootOfD) {
  for (std::size_t d = 1; d <= 6; ++d)
    for (std::size_t signs = 0; signs < std::size_t{1} << d; ++signs) {
      Vector k;
      for (std::size_t i = 0; i < d; ++i) k.push_back((signs >> i) % 2 == 0 ? 1 : -1);
      const Rational scale = subject.cauchy_score_scale(k);
      EXPECT_EXACTLY(scale * scale / Rational(d) == d)
          << "the squared scale after division by root d";
      enumerated(1);
    }
}
KILLS("the largest entry", {.cauchy_score_scale = [](auto& k) {
        Rational largest = 0;
        for (const Rational& entry : k) largest = std::max<Rational>(largest, abs(entry));
        return largest;
      }});

ASIDE(WithoutFiniteVariance, RefusesWhatIsNotCauchy) {
  const auto no_key = [&] { subject.cauchy_score_scale(Vector(2, 0)); };
  expect_refusal<std::domain_error>(no_key,
                                    "every entry of the key is 0, but at least one must not be");
  expect_refusal<std::domain_error>([&] { subject.partial_fractions(0, 1, 1); },
                                    "the scale is 0, but must be greater than 0");
  expect_refusal<std::domain_error>(
      [&] { subject.cauchy_sum_density(2, 2, 0); },
      "both scales are 2 and x is 0, but x must not be 0 for equal scales");
}
KILLS("a key of zeros has scale zero", {.cauchy_score_scale = [](auto& k) {
        return dot_product(k, k) == 0 ? Rational(0) : cauchy_score_scale(k);
      }});
KILLS("a scale of zero is accepted", {.partial_fractions = [](auto& a, auto& b, auto& x) {
        return a == 0 ? PartialFractions() : cauchy_partial_fractions(a, b, x);
      }});
KILLS("a double pole is split",
      {.cauchy_sum_density = [](auto& a, auto& b, auto& x) { return cauchy_density(a + b, x); }});

}  // namespace sqrtdk::properties::WithoutFiniteVariance
