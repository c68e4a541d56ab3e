// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/initialization.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/testing/generators/rational_distributions.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>
#include <sqrtdk/testing/reporting/expect_refusal.hpp>

#include "properties/initialization/fixture.hpp"
#include "properties/support/documents.hpp"

#include <Eigen/Core>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <stdexcept>

namespace sqrtdk::properties::LayerNormStandardizes {

using namespace sqrtdk::testing;

/// A number at least 0.
rc::Gen<Rational> nonnegative_rational() {
  return rc::gen::map(any_rational(), [](const Rational& x) { return Rational(abs(x)); });
}

const Mutants layer_norm_standardizes_mutants = {
    {"the sign of the first feature is lost",
     "HasMeanZeroAndAMeanSquareShortOfOneByEpsilonsShare",
     {.standardize =
          [](const Vector& x, const Rational& epsilon) {
            StandardizedFeatures y = standardize(x, epsilon);
            y.centred.front() = abs(y.centred.front());
            return y;
          }}},
    {"epsilon is left out",
     "HasMeanZeroAndAMeanSquareShortOfOneByEpsilonsShare",
     {.standardize =
          [](const Vector& x, const Rational& epsilon) {
            StandardizedFeatures y = standardize(x, epsilon);
            if (y.squared_divisor > epsilon) y.squared_divisor -= epsilon;
            return y;
          }}},
    {"the variance is divided by n - 1",
     "HasMeanZeroAndAMeanSquareShortOfOneByEpsilonsShare",
     {.standardize =
          [](const Vector& x, const Rational& epsilon) {
            StandardizedFeatures y = standardize(x, epsilon);
            const Rational n(x.size());
            if (n > 1) y.squared_divisor = (y.squared_divisor - epsilon) * n / (n - 1) + epsilon;
            return y;
          }}},
    {"epsilon is squared in the formula",
     "HasMeanZeroAndAMeanSquareShortOfOneByEpsilonsShare",
     {.mean_square_after = [](const Rational& variance, const Rational& epsilon) -> Rational {
       return mean_square_after_layer_norm(variance, epsilon * epsilon);
     }}},
    {"the formula says 1 always",
     "AnEpsilonAsLargeAsTheVarianceHalvesTheMeanSquare",
     {.mean_square_after = [](const Rational&, const Rational&) -> Rational { return 1; }}},
    {"a little is added to every divisor",
     "WithoutEpsilonTheMeanSquareIsOne",
     {.standardize =
          [](const Vector& x, const Rational& epsilon) {
            return standardize(x, epsilon + Rational(1, 100000));
          }}},
    {"each feature is divided by itself",
     "AFeatureThatIsAlwaysTheGreatestHasNoMeanOfZeroOverInputs",
     {.standardize =
          [](const Vector& x, const Rational& epsilon) {
            StandardizedFeatures y = standardize(x, epsilon);
            y.centred.front() = 0;
            return y;
          }}},
    {"the divisor is the variance itself",
     "AGainAndABiasUndoIt",
     {.standardize =
          [](const Vector& x, const Rational& epsilon) {
            const StandardizedFeatures y = standardize(x, epsilon);
            return StandardizedFeatures{y.centred, y.squared_divisor * y.squared_divisor};
          }}},
    {"equal features are divided by 1",
     "EqualFeaturesStayWithoutSpread",
     {.standardize =
          [](const Vector& x, const Rational& epsilon) {
            return variance_of(x) + epsilon == 0 ? StandardizedFeatures{Vector(x.size(), 0), 1}
                                                 : standardize(x, epsilon);
          }}},
    {"equal features keep their size",
     "EqualFeaturesStayWithoutSpread",
     {.standardize =
          [](const Vector& x, const Rational& epsilon) {
            return variance_of(x) == 0 && epsilon > 0 ? StandardizedFeatures{x, epsilon}
                                                      : standardize(x, epsilon);
          }}},
    {"the mean square of no features is 0",
     "RefusesWhatCannotBeNormalized",
     {.feature_mean_square =
          [](const Vector& x) { return x.empty() ? Rational(0) : feature_mean_square(x); }}},
    {"a negative epsilon is accepted",
     "RefusesWhatCannotBeNormalized",
     {.standardize =
          [](const Vector& x, const Rational& epsilon) {
            return standardize(x, epsilon < 0 ? Rational(-epsilon) : epsilon);
          }}},
};

//! [LayerNormStandardizes]
TEST(LayerNormStandardizes, HasMeanZeroAndAMeanSquareShortOfOneByEpsilonsShare) {
  check_statement(layer_norm_standardizes_mutants, [](const Layers& layers) {
    for_all([&] {
      const Vector x = *any_features().as("features");
      const Rational epsilon = *nonnegative_rational().as("epsilon");
      RC_PRE(variance_of(x) + epsilon > 0);
      const StandardizedFeatures y = layers.standardize(x, epsilon);
      const Rational share = variance_of(x) / (variance_of(x) + epsilon);
      EXPECT_EXACTLY(feature_mean(y.centred) == 0);
      EXPECT_EXACTLY(feature_mean_square(y.centred) / y.squared_divisor == share);
      EXPECT_EXACTLY(layers.mean_square_after(variance_of(x), epsilon) == share);
    });
  });
}
//! [LayerNormStandardizes]

//! [LayerNormStandardizes: exact check]
TEST(LayerNormStandardizes, WithoutEpsilonTheMeanSquareIsOne) {
  check_statement(layer_norm_standardizes_mutants, [](const Layers& layers) {
    for_all([&] {
      const Vector x = *spread_features().as("features");
      const StandardizedFeatures y = layers.standardize(x, 0);
      EXPECT_EXACTLY(feature_mean_square(y.centred) == y.squared_divisor);
    });
    const StandardizedFeatures y = layers.standardize({3, 7}, 0);  // to -1 and 1
    EXPECT_EXACTLY(y.centred == Vector({-2, 2}));
    EXPECT_EXACTLY(y.squared_divisor == 4);
    // That is what it does. What it was put there for, no check can tell.
    decides("S1", "are used exactly for this reason", false);
  });
}
//! [LayerNormStandardizes: exact check]

TEST(LayerNormStandardizes, AnEpsilonAsLargeAsTheVarianceHalvesTheMeanSquare) {
  check_with_mutants(layer_norm_standardizes_mutants, [](const Layers& layers) {
    const StandardizedFeatures y = layers.standardize({1, 3}, 1);
    EXPECT_EXACTLY(feature_mean_square(y.centred) / y.squared_divisor == Rational(1, 2));
    EXPECT_EXACTLY(layers.mean_square_after(1, 1) == Rational(1, 2));
    enumerated(1);
    counterexample_without("no epsilon");
  });
}

TEST(LayerNormStandardizes, AFeatureThatIsAlwaysTheGreatestHasNoMeanOfZeroOverInputs) {
  check_with_mutants(layer_norm_standardizes_mutants, [](const Layers& layers) {
    for (int i = 1; i <= 10; ++i) {
      const StandardizedFeatures y = layers.standardize({i, 0, 0}, 0);
      EXPECT_EXACTLY(y.centred.front() > 0);
      EXPECT_EXACTLY(y.centred.front() * y.centred.front() / y.squared_divisor == 2)
          << "input " << i;
    }
    enumerated(10);
    counterexample_without("over features");
  });
}

TEST(LayerNormStandardizes, AGainAndABiasUndoIt) {
  check_with_mutants(layer_norm_standardizes_mutants, [](const Layers& layers) {
    const StandardizedFeatures y = layers.standardize({3, 7}, 0);
    EXPECT_EXACTLY(y.squared_divisor == 4);
    Vector z;
    for (const Rational& centred : y.centred) z.push_back(5 + 3 * centred / 2);
    EXPECT_EXACTLY(feature_mean(z) == 5);
    EXPECT_EXACTLY(variance_of(z) == 9);
    enumerated(1);
    counterexample_without("no gain and bias");
  });
}

TEST(LayerNormStandardizes, EqualFeaturesStayWithoutSpread) {
  check_with_mutants(layer_norm_standardizes_mutants, [](const Layers& layers) {
    const StandardizedFeatures y = layers.standardize({4, 4, 4}, Rational(1, 100000));
    EXPECT_EXACTLY(feature_mean_square(y.centred) == 0);
    expect_refusal<std::domain_error>(
        [&] {
          layers.standardize({4, 4, 4}, 0);
        },
        refuses_equal_features);
    enumerated(2);
    counterexample_without("features differ");
  });
}

TEST(LayerNormStandardizes, RefusesWhatCannotBeNormalized) {
  check_with_mutants(layer_norm_standardizes_mutants, [](const Layers& layers) {
    expect_refusal<std::invalid_argument>([&] { layers.standardize({}, 1); }, refuses_no_features);
    expect_refusal<std::invalid_argument>([&] { layers.feature_mean_square({}); },
                                          refuses_no_features);
    expect_refusal<std::domain_error>(
        [&] {
          layers.standardize({1, 2}, Rational(-1, 2));
        },
        "epsilon is -1/2, but must be at least 0");
    expect_refusal<std::domain_error>([&] { layers.mean_square_after(-1, 2); });
  });
}

}  // namespace sqrtdk::properties::LayerNormStandardizes
