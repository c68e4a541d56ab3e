// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/finite_distribution.hpp>
#include <sqrtdk/moments.hpp>
#include <sqrtdk/numbers/pi_fraction.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/score.hpp>
#include <sqrtdk/score_heavy_tails.hpp>
#include <sqrtdk/testing/generators/rational_distributions.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>
#include <sqrtdk/testing/reporting/expect_refusal.hpp>

#include "properties/score/fixture.hpp"
#include "properties/support/rational_distributions.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>

namespace sqrtdk::properties::WithoutFiniteVariance {

using namespace sqrtdk::testing;

const Mutants without_finite_variance_mutants = {
    {"the tail is thin: 8⁻ʲ in place of 4⁻ʲ",
     "EachDoublingOfTheCutoffAddsThreeToTheMeanSquare",
     {.heavy_distribution =
          [](unsigned cutoff) {
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
          }}},
    {"only positive outcomes",
     "EachDoublingOfTheCutoffAddsThreeToTheMeanSquare",
     {.heavy_distribution =
          [](unsigned cutoff) {
            return truncated_heavy_distribution(cutoff).image(
                [](const Rational& x) { return Rational(abs(x)); });
          }}},
    {"the cut-off never comes",
     "TheVarianceOfTheScoreHasNoLimit",
     {.heavy_distribution =
          [](unsigned cutoff) { return truncated_heavy_distribution(std::min(cutoff, 3U)); }}},
    {"the entries are standardized",
     "EachLaterCutoffLeavesMoreThanTheDimension",
     {.heavy_distribution =
          [](unsigned cutoff) {
            return cutoff == 0 ? truncated_heavy_distribution(0) : fair_sign;
          }}},
    {"the sign of the slope",
     "PartialFractionsSplitTheIntegrand",
     {.partial_fractions =
          [](const Rational& a, const Rational& b, const Rational& x) {
            const PartialFractions parts = cauchy_partial_fractions(a, b, x);
            return PartialFractions{-parts.slope, parts.at_zero, parts.at_x};
          }}},
    {"the constants are exchanged",
     "PartialFractionsSplitTheIntegrand",
     {.partial_fractions =
          [](const Rational& a, const Rational& b, const Rational& x) {
            const PartialFractions parts = cauchy_partial_fractions(a, b, x);
            return PartialFractions{parts.slope, parts.at_x, parts.at_zero};
          }}},
    {"squared scales add, as variances would",
     "TheSumOfTwoCauchyVariablesIsCauchy",
     {.cauchy_sum_density =
          [](const Rational& a, const Rational& b, const Rational& x) {
            return PiFraction{(a + b) / (a * a + b * b + x * x), true};
          }}},
    {"the larger scale wins",
     "TheSumOfTwoCauchyVariablesIsCauchy",
     {.cauchy_sum_density = [](const Rational& a, const Rational& b,
                               const Rational& x) { return cauchy_density(std::max(a, b), x); }}},
    {"signs are kept",
     "TheScaleOfAScoreIsTheSumOfTheAbsoluteEntries",
     {.cauchy_score_scale =
          [](const Vector& k) {
            Rational total = 0;
            for (const Rational& entry : k) total += entry;
            return total;
          }}},
    {"the squared Euclidean norm",
     "TheScaleOfAScoreIsTheSumOfTheAbsoluteEntries",
     {.cauchy_score_scale = [](const Vector& k) { return dot_product(k, k); }}},
    {"the largest entry",
     "DivisionByTheRootOfDLeavesTheScaleRootOfD",
     {.cauchy_score_scale =
          [](const Vector& k) {
            Rational largest = 0;
            for (const Rational& entry : k) largest = std::max<Rational>(largest, abs(entry));
            return largest;
          }}},
    {"a key of zeros has scale zero",
     "RefusesWhatIsNotCauchy",
     {.cauchy_score_scale = [](const Vector& k) -> Rational {
       return dot_product(k, k) == 0 ? Rational(0) : cauchy_score_scale(k);
     }}},
    {"a scale of zero is accepted",
     "RefusesWhatIsNotCauchy",
     {.partial_fractions =
          [](const Rational& a, const Rational& b, const Rational& x) {
            return a == 0 ? PartialFractions() : cauchy_partial_fractions(a, b, x);
          }}},
    {"a double pole is split",
     "RefusesWhatIsNotCauchy",
     {.cauchy_sum_density = [](const Rational& a, const Rational& b,
                               const Rational& x) { return cauchy_density(a + b, x); }}},
};

//! [WithoutFiniteVariance: exact check]
TEST(WithoutFiniteVariance, EachDoublingOfTheCutoffAddsThreeToTheMeanSquare) {
  check_statement(without_finite_variance_mutants, [](const Rules& rules) {
    const unsigned largest = 32;
    for (unsigned cutoff = 0; cutoff <= largest; ++cutoff) {
      EXPECT_EXACTLY(mean(rules.heavy_distribution(cutoff)) == 0);
      EXPECT_EXACTLY(raw_moment(rules.heavy_distribution(cutoff), 2) == 3 * cutoff);
    }
    enumerated(largest + 1);
  });
}
//! [WithoutFiniteVariance: exact check]

/// The variance of a score of which all entries are cut off.
Rational variance_of_score(const Rules& rules, unsigned cutoff, std::size_t d) {
  const RationalDistribution entry = rules.heavy_distribution(cutoff);
  return variance(dot_product_distribution(entry, entry, d));
}

TEST(WithoutFiniteVariance, TheVarianceOfTheScoreHasNoLimit) {
  check_statement(without_finite_variance_mutants, [](const Rules& rules) {
    for (unsigned cutoff = 0; cutoff <= 5; ++cutoff)
      for (std::size_t d = 1; d <= 2; ++d) {
        EXPECT_EXACTLY(variance_of_score(rules, cutoff, d) == d * 9 * cutoff * cutoff);
        enumerated(1);
      }
  });
}

TEST(WithoutFiniteVariance, EachLaterCutoffLeavesMoreThanTheDimension) {
  check_with_mutants(without_finite_variance_mutants, [](const Rules& rules) {
    Rational before = 1;  // d
    for (unsigned cutoff = 1; cutoff <= 5; ++cutoff) {
      const Rational now = variance_of_score(rules, cutoff, 1);
      EXPECT_EXACTLY(now > before);
      before = now;
      enumerated(1);
    }
    counterexample_without("finite variance");
  });
}

TEST(WithoutFiniteVariance, PartialFractionsSplitTheIntegrand) {
  check_with_mutants(without_finite_variance_mutants, [](const Rules& rules) {
    for_all([&] {
      const Rational a = *positive_rational().as("a");
      const Rational b = *positive_rational().as("b");
      const Rational x = *nonzero_rational().as("x");
      const Rational y = *any_rational().as("y");
      const PartialFractions parts = rules.partial_fractions(a, b, x);
      const Rational at_zero = a * a + y * y;
      const Rational at_x = b * b + (y - x) * (y - x);
      EXPECT_EXACTLY(1 / (at_zero * at_x) == (parts.slope * y + parts.at_zero) / at_zero +
                                                 (-parts.slope * (y - x) + parts.at_x) / at_x);
    });
  });
}

//! [WithoutFiniteVariance]
TEST(WithoutFiniteVariance, TheSumOfTwoCauchyVariablesIsCauchy) {
  check_statement(without_finite_variance_mutants, [](const Rules& rules) {
    for_all([&] {
      const Rational a = *positive_rational().as("a");
      const Rational b = *positive_rational().as("b");
      const Rational x = *nonzero_rational().as("x");
      EXPECT_EXACTLY(rules.cauchy_sum_density(a, b, x) == cauchy_density(a + b, x));
    });
  });
}
//! [WithoutFiniteVariance]

TEST(WithoutFiniteVariance, TheScaleOfAScoreIsTheSumOfTheAbsoluteEntries) {
  check_statement(without_finite_variance_mutants, [](const Rules& rules) {
    for_all([&] {
      const auto d = *rc::gen::inRange<std::size_t>(1, 9).as("d");
      const Vector k = *rc::gen::container<Vector>(d, nonzero_rational()).as("key");
      const Rational x = *nonzero_rational().as("x");
      Rational scale = abs(k.front());
      for (std::size_t i = 1; i < d; ++i) {
        const PiFraction density = cauchy_sum_density(scale, abs(k[i]), x);
        scale =
            rules.cauchy_score_scale({k.begin(), k.begin() + static_cast<std::ptrdiff_t>(i) + 1});
        EXPECT_EXACTLY(scale > 0);
        EXPECT_EXACTLY(density == cauchy_density(scale, x));
      }
    });
  });
}

TEST(WithoutFiniteVariance, DivisionByTheRootOfDLeavesTheScaleRootOfD) {
  check_statement(without_finite_variance_mutants, [](const Rules& rules) {
    for (std::size_t d = 1; d <= 6; ++d)
      for (std::size_t signs = 0; signs < std::size_t{1} << d; ++signs) {
        Vector k;
        for (std::size_t i = 0; i < d; ++i) k.push_back((signs >> i) % 2 == 0 ? 1 : -1);
        const Rational scale = rules.cauchy_score_scale(k);
        EXPECT_EXACTLY(scale * scale / Rational(d) == d)
            << "the squared scale after division by root d";
        enumerated(1);
      }
  });
}

TEST(WithoutFiniteVariance, RefusesWhatIsNotCauchy) {
  check_with_mutants(without_finite_variance_mutants, [](const Rules& rules) {
    const auto no_key = [&] { rules.cauchy_score_scale(Vector(2, 0)); };
    expect_refusal<std::domain_error>(no_key,
                                      "every entry of the key is 0, but at least one must not be");
    expect_refusal<std::domain_error>([&] { rules.partial_fractions(0, 1, 1); },
                                      "the scale is 0, but must be greater than 0");
    expect_refusal<std::domain_error>(
        [&] { rules.cauchy_sum_density(2, 2, 0); },
        "both scales are 2 and x is 0, but x must not be 0 for equal scales");
  });
}

}  // namespace sqrtdk::properties::WithoutFiniteVariance
