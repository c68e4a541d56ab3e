// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/finite_distribution.hpp>
#include <sqrtdk/moments.hpp>
#include <sqrtdk/numbers/interval.hpp>
#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>
#include <sqrtdk/testing/reporting/expect_refusal.hpp>
#include <sqrtdk/variants_weights.hpp>

#include "properties/support/rational_distributions.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <stdexcept>
#include <vector>

namespace sqrtdk::properties::SigmoidAttention {

using namespace sqrtdk::testing;

/// Weights that are no shares.
struct Sigmoids {
  Rational (*weight)(const Rational&, const Rational&) = sqrtdk::sigmoid_weight<Rational>;
  Rational (*slope)(const Rational&) = sqrtdk::sigmoid_slope<Rational>;
  Interval<Rational> (*bounds)(const RationalDistribution&,
                               unsigned) = sqrtdk::sigmoid_total_bounds;
};

const std::vector<Mutant<Sigmoids>> sigmoid_attention_mutants = {
    {"no bias",
     "EqualScoresAddUpToNearlyOne",
     {.weight = [](const Rational& z, const Rational&) { return sigmoid_weight<Rational>(z, 1); }}},
    {"the bias is that of n − 1 keys",
     "EqualScoresAddUpToNearlyOne",
     {.weight = [](const Rational& z, const Rational& f) -> Rational {
       return f == 1 ? sigmoid_weight<Rational>(z, 1)
                     : sigmoid_weight<Rational>(z, 1 / (1 / f - 1));
     }}},
    {"the exponential alone",
     "TheDerivativeIsThatOfTheOwnWeight",
     {.weight = [](const Rational& z, const Rational& f) -> Rational { return z * f; }}},
    {"the weight is its slope",
     "TheDerivativeIsThatOfTheOwnWeight",
     {.slope = [](const Rational& w) { return w; }}},
    {"the square is not subtracted",
     "TheMeanTotalTendsToTheMeanPower",
     {.bounds = [](const RationalDistribution& z, unsigned) -> Interval<Rational> {
       return {mean(z), mean(z)};
     }}},
    {"the variance in place of the mean square",
     "TheMeanTotalTendsToTheMeanPower",
     {.bounds = [](const RationalDistribution& z, unsigned n) -> Interval<Rational> {
       return {mean(z) - variance(z) / n, mean(z)};
     }}},
    {"a softmax of three",
     "ThreeKeysOfPowerTwoHaveMoreThanOne",
     {.weight = [](const Rational& z, const Rational&) -> Rational { return z / (3 * z); }}},
    {"any number is a weight",
     "RefusesWhatIsOutOfRange",
     {.slope = [](const Rational& w) -> Rational { return w * (1 - w); }}},
};

unsigned drawn_count() {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(1U, 2000U)).as("n");
}

//! [SigmoidAttention]
TEST(SigmoidAttention, EqualScoresAddUpToNearlyOne) {
  check_statement(sigmoid_attention_mutants, [](const Sigmoids& sigmoids) {
    for_all([&] {
      const unsigned n = drawn_count();
      const Rational z = *positive_rational().as("z"), share(1, n);
      EXPECT_EXACTLY(n * sigmoids.weight(1, share) == Rational(n, n + 1));
      EXPECT_EXACTLY(n * sigmoids.weight(z, share) == n * z / (n + z));
    });
  });
}

TEST(SigmoidAttention, TheDerivativeIsThatOfTheOwnWeight) {
  check_statement(sigmoid_attention_mutants, [](const Sigmoids& sigmoids) {
    for_all([&] {
      const Rational z = *positive_rational().as("z"), f = *positive_rational().as("f");
      const Rational w = sigmoids.weight(z, f);
      // A score that is raised by ln r: the odds w/(1 − w) = zf become r times as large.
      const Rational r = 1 + *positive_rational().as("r - 1");
      const Rational raised = sigmoids.weight(r * z, f);
      EXPECT_EXACTLY(raised == r * w / (1 + w * (r - 1)));
      EXPECT_EXACTLY((raised - w) / (r - 1) == sigmoids.slope(w) / (1 + w * (r - 1)));
    });
  });
}

TEST(SigmoidAttention, TheMeanTotalTendsToTheMeanPower) {
  check_statement(sigmoid_attention_mutants, [](const Sigmoids& sigmoids) {
    for_all([&] {
      const unsigned n = drawn_count();
      const RationalDistribution z =
          (*any_distribution().as("roots of the powers")).image([](const Rational& x) -> Rational {
            return x * x;
          });
      const Rational total = z.expectation([&](const Rational& power) -> Rational {
        return n * sigmoids.weight(power, Rational(1, n));
      });
      const Interval<Rational> bounds = sigmoids.bounds(z, n);
      EXPECT_EXACTLY(bounds.lower <= total);
      EXPECT_EXACTLY(total <= bounds.upper);
      // The bounds are n/(n + z) from both sides, and what they leave out is of the order of 1/n².
      EXPECT_EXACTLY(total - bounds.lower <= raw_moment(z, 3) / n / n);
      // A weight is at least ½ where the power is n or more.
      EXPECT_EXACTLY(2 * total >= z.expectation([&](const Rational& power) -> Rational {
        return power >= n ? n : 0;
      }));
    });
  });
}
//! [SigmoidAttention]

//! [SigmoidAttention: exact check]
TEST(SigmoidAttention, ThreeKeysOfPowerTwoHaveMoreThanOne) {
  check_statement(sigmoid_attention_mutants, [](const Sigmoids& sigmoids) {
    const Rational third(1, 3);
    EXPECT_EXACTLY(3 * sigmoids.weight(1, third) == Rational(3, 4));
    EXPECT_EXACTLY(3 * sigmoids.weight(2, third) == Rational(6, 5));
    EXPECT_EXACTLY(sigmoids.slope(Rational(2, 5)) == Rational(6, 25));
    const Interval<Rational> bounds = sigmoids.bounds(RationalDistribution::uniform({1, 2}), 3);
    EXPECT_EXACTLY((bounds.lower == Rational(2, 3) && bounds.upper == Rational(3, 2)));
    enumerated(4);
    record_value("limit", format_fixed(std::exp(0.5), 4));
    record_value("raw_at_least",
                 rounded_down(128 * std::erfc(std::log(512.) / 8 / std::sqrt(2.)), 0));
  });
}
//! [SigmoidAttention: exact check]

TEST(SigmoidAttention, RefusesWhatIsOutOfRange) {
  check_with_mutants(sigmoid_attention_mutants, [](const Sigmoids& sigmoids) {
    expect_refusal<std::domain_error>([&] { return sigmoids.weight(-1, 1); });
    expect_refusal<std::domain_error>([&] { return sigmoids.weight(1, 0); });
    expect_refusal<std::domain_error>([&] { return sigmoids.slope(Rational(3, 2)); });
    expect_refusal<std::domain_error>([&] { return sigmoids.bounds(fair_sign, 1); });
    expect_refusal<std::domain_error>([&] { return sigmoids.bounds(fair_bit, 0); });
  });
}

}  // namespace sqrtdk::properties::SigmoidAttention
