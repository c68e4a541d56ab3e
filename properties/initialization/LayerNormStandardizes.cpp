#include "properties/initialization/fixture.hpp"
#include "properties/support/documents.hpp"

namespace sqrtdk::properties::LayerNormStandardizes {

rc::Gen<Rational> nonnegative_rational() {
  return rc::gen::map(any_rational(), [](const Rational& x) { return Rational(abs(x)); });
}

//! [LayerNormStandardizes]
STATEMENT(LayerNormStandardizes, HasMeanZeroAndAMeanSquareShortOfOneByEpsilonsShare) {
  for_all([&] {
    const Vector x = *any_features().as("features");
    const Rational epsilon = *nonnegative_rational().as("epsilon");
    RC_PRE(variance_of(x) + epsilon > 0);
    const StandardizedFeatures y = subject.standardize(x, epsilon);
    const Rational share = variance_of(x) / (variance_of(x) + epsilon);
    EXPECT_EXACTLY(feature_mean(y.centred) == 0);
    EXPECT_EXACTLY(feature_mean_square(y.centred) / y.squared_divisor == share);
    EXPECT_EXACTLY(subject.mean_square_after(variance_of(x), epsilon) == share);
  });
}
//! [LayerNormStandardizes]
KILLS("the sign of the first feature is lost", {.standardize = [](auto& x, auto& epsilon) {
        StandardizedFeatures y = standardize(x, epsilon);
        y.centred.front() = abs(y.centred.front());
        return y;
      }});
KILLS("epsilon is left out", {.standardize = [](auto& x, auto& epsilon) {
        StandardizedFeatures y = standardize(x, epsilon);
        if (y.squared_divisor > epsilon) y.squared_divisor -= epsilon;
        return y;
      }});
KILLS("the variance is divided by n - 1", {.standardize = [](auto& x, auto& epsilon) {
        StandardizedFeatures y = standardize(x, epsilon);
        const Rational n(x.size());
        if (n > 1) y.squared_divisor = (y.squared_divisor - epsilon) * n / (n - 1) + epsilon;
        return y;
      }});
KILLS("epsilon is squared in the formula", {.mean_square_after = [](auto& variance, auto& epsilon) {
        return mean_square_after_layer_norm(variance, epsilon * epsilon);
      }});

//! [LayerNormStandardizes: exact check]
STATEMENT(LayerNormStandardizes, WithoutEpsilonTheMeanSquareIsOne) {
  for_all([&] {
    const Vector x = *spread_features().as("features");
    const StandardizedFeatures y = subject.standardize(x, 0);
    EXPECT_EXACTLY(feature_mean_square(y.centred) == y.squared_divisor);
  });
  const StandardizedFeatures y = subject.standardize({3, 7}, 0);  // to -1 and 1
  EXPECT_EXACTLY(y.centred == Vector({-2, 2}));
  EXPECT_EXACTLY(y.squared_divisor == 4);
  // That is what it does. What it was put there for, no check can tell.
  decides("S1", "are used exactly for this reason", false);
}
//! [LayerNormStandardizes: exact check]
KILLS("a little is added to every divisor", {.standardize = [](auto& x, auto& epsilon) {
        return standardize(x, epsilon + Rational(1, 100000));
      }});

ASIDE(LayerNormStandardizes, AnEpsilonAsLargeAsTheVarianceHalvesTheMeanSquare) {
  const StandardizedFeatures y = subject.standardize({1, 3}, 1);
  EXPECT_EXACTLY(feature_mean_square(y.centred) / y.squared_divisor == Rational(1, 2));
  EXPECT_EXACTLY(subject.mean_square_after(1, 1) == Rational(1, 2));
  enumerated(1);
  counterexample_without("no epsilon");
}
KILLS("the formula says 1 always",
      {.mean_square_after = [](const Rational&, const Rational&) -> Rational { return 1; }});

ASIDE(LayerNormStandardizes, AFeatureThatIsAlwaysTheGreatestHasNoMeanOfZeroOverInputs) {
  for (int i = 1; i <= 10; ++i) {
    const StandardizedFeatures y = subject.standardize({i, 0, 0}, 0);
    EXPECT_EXACTLY(y.centred.front() > 0);
    EXPECT_EXACTLY(y.centred.front() * y.centred.front() / y.squared_divisor == 2) << "input " << i;
  }
  enumerated(10);
  counterexample_without("over features");
}
KILLS("each feature is divided by itself", {.standardize = [](auto& x, auto& epsilon) {
        StandardizedFeatures y = standardize(x, epsilon);
        y.centred.front() = 0;
        return y;
      }});

ASIDE(LayerNormStandardizes, AGainAndABiasUndoIt) {
  const StandardizedFeatures y = subject.standardize({3, 7}, 0);
  EXPECT_EXACTLY(y.squared_divisor == 4);
  Vector z;
  for (const Rational& centred : y.centred) z.push_back(5 + 3 * centred / 2);
  EXPECT_EXACTLY(feature_mean(z) == 5);
  EXPECT_EXACTLY(variance_of(z) == 9);
  enumerated(1);
  counterexample_without("no gain and bias");
}
KILLS("the divisor is the variance itself", {.standardize = [](auto& x, auto& epsilon) {
        const StandardizedFeatures y = standardize(x, epsilon);
        return StandardizedFeatures{y.centred, y.squared_divisor * y.squared_divisor};
      }});

ASIDE(LayerNormStandardizes, EqualFeaturesStayWithoutSpread) {
  const StandardizedFeatures y = subject.standardize({4, 4, 4}, Rational(1, 100000));
  EXPECT_EXACTLY(feature_mean_square(y.centred) == 0);
  expect_refusal<std::domain_error>(
      [&] {
        subject.standardize({4, 4, 4}, 0);
      },
      refuses_equal_features);
  enumerated(2);
  counterexample_without("features differ");
}
KILLS("equal features are divided by 1", {.standardize = [](auto& x, auto& epsilon) {
        return variance_of(x) + epsilon == 0 ? StandardizedFeatures{Vector(x.size(), 0), 1}
                                             : standardize(x, epsilon);
      }});
KILLS("equal features keep their size", {.standardize = [](auto& x, auto& epsilon) {
        return variance_of(x) == 0 && epsilon > 0 ? StandardizedFeatures{x, epsilon}
                                                  : standardize(x, epsilon);
      }});

ASIDE(LayerNormStandardizes, RefusesWhatCannotBeNormalized) {
  expect_refusal<std::invalid_argument>([&] { subject.standardize({}, 1); }, refuses_no_features);
  expect_refusal<std::invalid_argument>([&] { subject.feature_mean_square({}); },
                                        refuses_no_features);
  expect_refusal<std::domain_error>(
      [&] {
        subject.standardize({1, 2}, Rational(-1, 2));
      },
      "epsilon is -1/2, but must be at least 0");
  expect_refusal<std::domain_error>([&] { subject.mean_square_after(-1, 2); });
}
KILLS("the mean square of no features is 0", {.feature_mean_square = [](auto& x) {
        return x.empty() ? Rational(0) : feature_mean_square(x);
      }});
KILLS("a negative epsilon is accepted", {.standardize = [](auto& x, auto& epsilon) {
        return standardize(x, epsilon < 0 ? Rational(-epsilon) : epsilon);
      }});

}  // namespace sqrtdk::properties::LayerNormStandardizes
