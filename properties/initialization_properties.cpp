// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/initialization.hpp>
#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/numbers/powers.hpp>
#include <sqrtdk/score_dependence.hpp>
#include <sqrtdk/testing/expect_draws.hpp>
#include <sqrtdk/testing/generators/floating_point.hpp>
#include <sqrtdk/testing/generators/rational_distributions.hpp>
#include <sqrtdk/testing/laws/wide.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/printed.hpp>

#include "properties/support/message_of.hpp"
#include "properties/support/rational_distributions.hpp"

#include <Eigen/Core>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/uniform.hpp>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace sqrtdk;
using namespace sqrtdk::testing;

using Vector = std::vector<Rational>;
using Eigen::half;
using Eigen::MatrixXd;
using Uniform = std::function<double()>;

/// A matrix of any size.
template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

/// What this chapter's laws judge.
struct Layers {
  StandardizedFeatures (*standardize)(const Vector&, const Rational&) = sqrtdk::standardize;
  Rational (*mean_square_after)(const Rational&,
                                const Rational&) = sqrtdk::mean_square_after_layer_norm;
  MatrixXd (*layer_norm)(const MatrixXd&, double) = [](const MatrixXd& rows, double epsilon) {
    return sqrtdk::layer_norm(rows, epsilon);
  };
  double (*layer_norm_error)(std::size_t) = sqrtdk::layer_norm_error<double>;
  Matrix<float> (*layer_norm_in_single)(const Matrix<float>&, float) =
      [](const Matrix<float>& rows, float epsilon) { return sqrtdk::layer_norm(rows, epsilon); };
  Matrix<half> (*layer_norm_in_half)(const Matrix<half>&, half) =
      [](const Matrix<half>& rows, half epsilon) { return sqrtdk::layer_norm(rows, epsilon); };
  Rational (*xavier_variance)(std::size_t, std::size_t) = sqrtdk::xavier_variance;
  Rational (*squared_xavier_limit)(std::size_t, std::size_t) = sqrtdk::squared_xavier_limit;
  Rational (*projected_variance)(const Rational&, std::size_t,
                                 std::size_t) = sqrtdk::projected_variance;
  RationalDistribution (*projection_distribution)(const Vector&, const RationalDistribution&) =
      sqrtdk::projection_distribution;
  MatrixXd (*xavier_uniform)(std::size_t, std::size_t,
                             const Uniform&) = sqrtdk::xavier_uniform<const Uniform&>;
  MatrixXd (*xavier_normal)(std::size_t, std::size_t,
                            const Uniform&) = sqrtdk::xavier_normal<const Uniform&>;
  Moments (*trained_moments)(std::size_t, const Rational&) = sqrtdk::trained_score_moments;
  Rational (*trained_mean_square_left)(std::size_t, const Rational&,
                                       const Rational&) = sqrtdk::trained_mean_square_left;
};

using Mutants = std::vector<Mutant<Layers>>;

/// Features of one position, one to seven numbers.
rc::Gen<Vector> any_features(std::size_t most = 7) {
  return rc::gen::mapcat(rc::gen::inRange<std::size_t>(1, most + 1), [](std::size_t n) {
    return rc::gen::container<Vector>(n, any_rational());
  });
}

/// Features that are not all equal.
rc::Gen<Vector> spread_features(std::size_t most = 7) {
  const auto at_least_two =
      rc::gen::mapcat(rc::gen::inRange<std::size_t>(2, most + 1),
                      [](std::size_t n) { return rc::gen::container<Vector>(n, any_rational()); });
  return rc::gen::suchThat(at_least_two, [](const Vector& x) {
    return std::adjacent_find(x.begin(), x.end(), std::not_equal_to<>()) != x.end();
  });
}

/// A number at least 0.
rc::Gen<Rational> nonnegative_rational() {
  return rc::gen::map(any_rational(), [](const Rational& x) { return Rational(abs(x)); });
}

/// A number from −1 to 1.
rc::Gen<Rational> any_correlation() {
  return rc::gen::map(any_rational(),
                      [](const Rational& x) { return abs(x) <= 1 ? x : Rational(1 / x); });
}

/// The variance over the features, by the chapter on moments.
Rational variance_of(const Vector& features) {
  return variance(RationalDistribution::uniform(features));
}

// --------------------------------------------------------------------------- LayerNormStandardizes

const std::string refuses_no_features = "there are 0 features, but at least 1 is needed";
const std::string refuses_equal_features =
    "all features are equal and epsilon is 0, but one of the two must not be so";

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
    {"a negative epsilon is accepted",
     "RefusesWhatCannotBeNormalized",
     {.standardize =
          [](const Vector& x, const Rational& epsilon) {
            return standardize(x, epsilon < 0 ? Rational(-epsilon) : epsilon);
          }}},
};

//! [LayerNormStandardizes]
TEST(LayerNormStandardizes, HasMeanZeroAndAMeanSquareShortOfOneByEpsilonsShare) {
  judge(layer_norm_standardizes_mutants, [](const Layers& layers) {
    for_all([&] {
      const Vector x = *any_features().as("features");
      const Rational epsilon = *nonnegative_rational().as("epsilon");
      RC_PRE(variance_of(x) + epsilon > 0);
      const StandardizedFeatures y = layers.standardize(x, epsilon);
      const Rational share = variance_of(x) / (variance_of(x) + epsilon);
      RC_ASSERT(feature_mean(y.centred) == 0);
      RC_ASSERT(feature_mean_square(y.centred) / y.squared_divisor == share);
      RC_ASSERT(layers.mean_square_after(variance_of(x), epsilon) == share);
    });
  });
}
//! [LayerNormStandardizes]

//! [LayerNormStandardizes: exact check]
TEST(LayerNormStandardizes, WithoutEpsilonTheMeanSquareIsOne) {
  judge(layer_norm_standardizes_mutants, [](const Layers& layers) {
    for_all([&] {
      const Vector x = *spread_features().as("features");
      const StandardizedFeatures y = layers.standardize(x, 0);
      RC_ASSERT(feature_mean_square(y.centred) == y.squared_divisor);
    });
  });
}
//! [LayerNormStandardizes: exact check]

TEST(LayerNormStandardizes, AnEpsilonAsLargeAsTheVarianceHalvesTheMeanSquare) {
  judge(layer_norm_standardizes_mutants, [](const Layers& layers) {
    const StandardizedFeatures y = layers.standardize({1, 3}, 1);
    EXPECT_EQ(feature_mean_square(y.centred) / y.squared_divisor, Rational(1, 2));
    EXPECT_EQ(layers.mean_square_after(1, 1), Rational(1, 2));
    enumerated(1);
    counterexample_without("no epsilon");
  });
}

TEST(LayerNormStandardizes, AFeatureThatIsAlwaysTheGreatestHasNoMeanOfZeroOverInputs) {
  judge(layer_norm_standardizes_mutants, [](const Layers& layers) {
    for (int i = 1; i <= 10; ++i) {
      const StandardizedFeatures y = layers.standardize({i, 0, 0}, 0);
      EXPECT_GT(y.centred.front(), 0);
      EXPECT_EQ(y.centred.front() * y.centred.front() / y.squared_divisor, 2) << "input " << i;
    }
    enumerated(10);
    counterexample_without("over features");
    sharpens("S2", "over features");
  });
}

TEST(LayerNormStandardizes, AGainAndABiasUndoIt) {
  judge(layer_norm_standardizes_mutants, [](const Layers& layers) {
    const StandardizedFeatures y = layers.standardize({3, 7}, 0);
    ASSERT_EQ(y.squared_divisor, 4);
    Vector z;
    for (const Rational& centred : y.centred) z.push_back(5 + 3 * centred / 2);
    EXPECT_EQ(feature_mean(z), 5);
    EXPECT_EQ(variance_of(z), 9);
    enumerated(1);
    counterexample_without("no gain and bias");
  });
}

TEST(LayerNormStandardizes, EqualFeaturesStayWithoutSpread) {
  judge(layer_norm_standardizes_mutants, [](const Layers& layers) {
    const StandardizedFeatures y = layers.standardize({4, 4, 4}, Rational(1, 100000));
    EXPECT_EQ(feature_mean_square(y.centred), 0);
    EXPECT_EQ(message_of<std::domain_error>([&] {
                layers.standardize({4, 4, 4}, 0);
              }),
              refuses_equal_features);
    enumerated(2);
    counterexample_without("features differ");
  });
}

TEST(LayerNormStandardizes, RefusesWhatCannotBeNormalized) {
  judge(layer_norm_standardizes_mutants, [](const Layers& layers) {
    EXPECT_EQ(message_of<std::invalid_argument>([&] { layers.standardize({}, 1); }),
              refuses_no_features);
    EXPECT_EQ(message_of<std::domain_error>([&] {
                layers.standardize({1, 2}, Rational(-1, 2));
              }),
              "epsilon is -1/2, but must be at least 0");
    EXPECT_THROW(layers.mean_square_after(-1, 2), std::domain_error);
  });
}

// ------------------------------------------------------------------------ LayerNormInFloatingPoint

/// Layer normalization as the formula reads, without care for rounding, overflow or underflow.
template <class Real>
Matrix<Real> plain_layer_norm(const Matrix<Real>& rows, Real epsilon) {
  Matrix<Real> y = rows.colwise() - rows.rowwise().mean();
  for (Eigen::Index i = 0; i < y.rows(); ++i)
    y.row(i) /= std::sqrt(y.row(i).squaredNorm() / static_cast<Real>(y.cols()) + epsilon);
  return y;
}

/// Whether a matrix has no two different entries.
bool all_equal(const MatrixXd& rows) {
  return rows.size() == 0 || rows.minCoeff() == rows.maxCoeff();
}

/// One row as a matrix.
template <class Real>
Matrix<Real> as_row(const std::vector<Real>& x) {
  return Eigen::Map<const Eigen::Matrix<Real, 1, Eigen::Dynamic>>(
      x.data(), static_cast<Eigen::Index>(x.size()));
}

/// A row of features and an epsilon.
template <class Real>
struct LayerNormCase {
  std::vector<Real> x;
  Real epsilon;
};

/// Rows that a normalization is likely to break.
/// \param large a number whose square overflows, and that of its inverse vanishes.
/// \param most_features how long a row may be.
template <class Real>
std::vector<LayerNormCase<Real>> edge_cases(Real large, std::size_t most_features) {
  using Limits = std::numeric_limits<Real>;
  const Real most = (Limits::max)();
  const Real least = Limits::denorm_min();
  const auto real = [](double x) { return static_cast<Real>(x); };
  const Real tenth = real(0.1);
  const auto near =
      static_cast<Real>(tenth + real(std::ldexp(1.0, -3 - Limits::digits)));  // the next number
  const auto three = [&](const Real& x) { return static_cast<Real>(real(3) * x); };
  const auto small = static_cast<Real>(real(1) / large);
  std::vector<Real> outlier(std::min<std::size_t>(9, most_features));
  for (std::size_t i = 1; i < outlier.size(); ++i) outlier[i] = real(static_cast<double>(i) - 1);
  outlier[0] = real(std::ldexp(1.0, Limits::digits - 1));
  const std::vector<Real> spread{large, static_cast<Real>(-large),
                                 static_cast<Real>(large / real(3))};
  return {
      {{tenth, tenth, near}, real(0)},  // they hardly differ
      {{tenth, tenth, near}, least},
      {outlier, real(1)},  // an outlier first
      {spread, real(0)},   // squares overflow
      {spread, most},
      {{most, static_cast<Real>(-most), static_cast<Real>(most / real(2))},
       real(0)},  // so do differences
      {{most, most}, least},
      {{small, three(small), real(0)}, real(0)},  // squares vanish
      {{least, three(least), real(0)}, real(0)},
      {{least, three(least), real(0)}, most},
      {{small, three(small)}, large},  // the result is tiny
      {{real(-5)}, real(1e-5)},        // one feature
  };
}

const Mutants layer_norm_in_floating_point_mutants = {
    {"the formula as it reads: 0.1, 0.1, 0.1 becomes -1, -1, -1",
     "EqualFeaturesInARowAreRefusedOrZero",
     {.layer_norm = plain_layer_norm<double>}},
    {"equal features become NaN",
     "EqualFeaturesInARowAreRefusedOrZero",
     {.layer_norm =
          [](const MatrixXd& rows, double epsilon) {
            return rows.size() > 0 && all_equal(rows) && epsilon == 0
                       ? MatrixXd(rows * std::numeric_limits<double>::quiet_NaN())
                       : layer_norm(rows, epsilon);
          }}},
    {"only rows of equal features are treated with care",
     "EveryRowIsWithinTheBound",
     {.layer_norm =
          [](const MatrixXd& rows, double epsilon) {
            return all_equal(rows) ? layer_norm(rows, epsilon) : plain_layer_norm(rows, epsilon);
          }}},
    {"squares overflow and vanish",
     "EveryRowIsWithinTheBound",
     {.layer_norm =
          [](const MatrixXd& rows, double epsilon) {
            return all_equal(rows)
                       ? layer_norm(rows, epsilon)
                       : plain_layer_norm(MatrixXd(rows.colwise() - rows.col(0)), epsilon);
          }}},
    {"the formula as it reads, in single precision",
     "EveryRowIsWithinTheBound",
     {.layer_norm_in_single =
          [](const Matrix<float>& rows, float epsilon) {
            return all_equal(rows.cast<double>()) ? layer_norm(rows, epsilon)
                                                  : Matrix<float>(plain_layer_norm(rows, epsilon));
          }}},
    {"half precision has no subnormal numbers",
     "EveryRowIsWithinTheBound",
     {.layer_norm_in_half =
          [](const Matrix<half>& rows, half epsilon) {
            return layer_norm(Matrix<half>(rows.unaryExpr([](half x) {
                                return abs(x) < (std::numeric_limits<half>::min)() ? half(0) : x;
                              })),
                              epsilon);
          }}},
    {"a row is scaled and its epsilon is not",
     "EveryRowIsWithinTheBound",
     {.layer_norm =
          [](const MatrixXd& rows, double epsilon) {
            const double size = rows.size() == 0 ? 0 : rows.cwiseAbs().maxCoeff();
            return size > 1e150 ? layer_norm(MatrixXd(rows / 0x1p300), epsilon)
                                : layer_norm(rows, epsilon);
          }}},
    {"the bound ends a feature early",
     "TheBoundEndsAtAnEighth",
     {.layer_norm_error = [](std::size_t n) { return layer_norm_error<double>(n + 1); }}},
    {"the bound is one rounding",
     "EveryRowIsWithinTheBound",
     {.layer_norm_error = [](std::size_t) { return std::numeric_limits<double>::epsilon(); }}},
    {"infinities are taken for zeros",
     "ARowThatIsNotFiniteBecomesNaN",
     {.layer_norm =
          [](const MatrixXd& rows, double epsilon) {
            return layer_norm(
                MatrixXd(rows.unaryExpr([](double x) { return std::isinf(x) ? 0 : x; })), epsilon);
          }}},
    {"an infinity spoils every row",
     "ARowThatIsNotFiniteBecomesNaN",
     {.layer_norm =
          [](const MatrixXd& rows, double epsilon) {
            return rows.allFinite() ? layer_norm(rows, epsilon)
                                    : MatrixXd(rows * std::numeric_limits<double>::quiet_NaN());
          }}},
    {"normalized over positions instead of features",
     "RowsOfAMatrixAreNormalizedBitForBitWhereNoStepRounds",
     {.layer_norm =
          [](const MatrixXd& rows, double epsilon) {
            return MatrixXd(layer_norm(MatrixXd(rows.transpose()), epsilon).transpose());
          }}},
    {"epsilon is added outside the root",
     "RowsOfAMatrixAreNormalizedBitForBitWhereNoStepRounds",
     {.layer_norm =
          [](const MatrixXd& rows, double epsilon) {
            MatrixXd y = rows.colwise() - rows.rowwise().mean();
            for (Eigen::Index i = 0; i < y.rows(); ++i)
              y.row(i) /=
                  std::sqrt(y.row(i).squaredNorm() / static_cast<double>(y.cols())) + epsilon;
            return y;
          }}},
    {"the mean is not subtracted",
     "RowsOfAMatrixAreNormalizedBitForBitWhereNoStepRounds",
     {.layer_norm =
          [](const MatrixXd& rows, double epsilon) {
            MatrixXd y = rows;
            for (Eigen::Index i = 0; i < y.rows(); ++i)
              y.row(i) /=
                  std::sqrt(y.row(i).squaredNorm() / static_cast<double>(y.cols()) + epsilon);
            return y;
          }}},
    {"a matrix without features is accepted",
     "RefusesWhatItCannotNormalize",
     {.layer_norm =
          [](const MatrixXd& rows, double epsilon) {
            return rows.cols() == 0 ? rows : layer_norm(rows, epsilon);
          }}},
    {"an epsilon that is no number is accepted",
     "RefusesWhatItCannotNormalize",
     {.layer_norm =
          [](const MatrixXd& rows, double epsilon) {
            return std::isnan(epsilon) ? rows : layer_norm(rows, epsilon);
          }}},
    {"an infinite epsilon is accepted",
     "RefusesWhatItCannotNormalize",
     {.layer_norm =
          [](const MatrixXd& rows, double epsilon) {
            return std::isinf(epsilon) ? MatrixXd(0 * rows) : layer_norm(rows, epsilon);
          }}},
    {"the bound has no end",
     "TheBoundEndsAtAnEighth",
     {.layer_norm_error =
          [](std::size_t n) {
            return layer_norm_error<double>(std::min(n, std::size_t{1} << 20));
          }}},
};

//! [LayerNormInFloatingPoint]
TEST(LayerNormInFloatingPoint, EveryRowIsWithinTheBound) {
  judge(layer_norm_in_floating_point_mutants, [](const Layers& layers) {
    of_the_statement();
    double share = 0;
    const auto is_within = [&](auto layer_norm, auto error_bound, const auto& row) {
      Vector x;
      for (const auto& feature : row.x) x.emplace_back(static_cast<double>(feature));
      const StandardizedFeatures y = standardize(x, Rational(static_cast<double>(row.epsilon)));
      const Wide divisor = sqrt(static_cast<Wide>(y.squared_divisor));
      const auto computed = layer_norm(as_row(row.x), row.epsilon);
      const auto bound = static_cast<double>(error_bound(x.size()));
      evidence().weaken(Grade::bounded);
      bool within = true;
      for (std::size_t i = 0; i < x.size(); ++i) {
        const auto found = static_cast<double>(computed(static_cast<Eigen::Index>(i)));
        const double error =
            Wide(abs(found - static_cast<Wide>(y.centred[i]) / divisor)).convert_to<double>();
        within = within && error <= bound;
        evidence().worst(error, bound);
        share = std::max(share, error / bound);
      }
      return within;
    };
    const auto check = [&](auto layer_norm, auto error_bound, auto large, std::size_t longest) {
      using Real = decltype(large);
      for (const auto& row : edge_cases<Real>(large, longest)) {
        EXPECT_TRUE(is_within(layer_norm, error_bound, row))
            << as_row(row.x) << ", " << row.epsilon;
        enumerated(1);
      }
      for_all([&] {
        const auto x = *vectors<Real>({.longest = longest}).as("features");
        const Real epsilon =
            *rc::gen::oneOf(
                 rc::gen::element(Real(0), Real(1e-5)),
                 rc::gen::map(floats<Real>(), [](Real e) { return e < Real(0) ? Real(-e) : e; }))
                 .as("epsilon");
        RC_PRE(epsilon > Real(0) ||
               std::adjacent_find(x.begin(), x.end(), std::not_equal_to<>()) != x.end());
        RC_ASSERT(is_within(layer_norm, error_bound, LayerNormCase<Real>{x, epsilon}));
      });
    };
    check(layers.layer_norm, layers.layer_norm_error, 1e200, 65);
    check(layers.layer_norm_in_single, layer_norm_error<float>, 1e25F, 65);
    check(layers.layer_norm_in_half, layer_norm_error<half>, half(3e4F), 7);
    publish("share", format_significant(100 * share, 2) + " %");
  });
}
//! [LayerNormInFloatingPoint]

TEST(LayerNormInFloatingPoint, RowsOfAMatrixAreNormalizedBitForBitWhereNoStepRounds) {
  judge(layer_norm_in_floating_point_mutants, [](const Layers& layers) {
    for_all([&] {
      // As many features above the mean as below it by the same integer: the mean, the variance
      // c², and c² + 3c² = (2c)² are integers below 2⁵³, so that nothing rounds.
      const auto pairs = *rc::gen::inRange<Eigen::Index>(1, 5).as("pairs of features");
      const auto positions = *rc::gen::inRange<Eigen::Index>(1, 4).as("positions");
      const bool with_epsilon = *rc::gen::arbitrary<bool>().as("epsilon is three variances");
      const int c = *rc::gen::inRange(1, 1000).as("deviation");
      MatrixXd x(positions, 2 * pairs);
      MatrixXd expected(positions, 2 * pairs);
      for (Eigen::Index i = 0; i < positions; ++i) {
        const int mean = *rc::gen::inRange(-1000, 1000).as("mean");
        const int first = *rc::gen::element(-1, 1).as("sign of the first feature");
        for (Eigen::Index j = 0; j < 2 * pairs; ++j) {
          const int sign = j % 2 == 0 ? first : -first;
          x(i, j) = mean + sign * c;
          expected(i, j) = with_epsilon ? sign * 0.5 : sign;
        }
      }
      RC_ASSERT(layers.layer_norm(x, with_epsilon ? 3.0 * c * c : 0.0) == expected);
    });
  });
}

TEST(LayerNormInFloatingPoint, EqualFeaturesInARowAreRefusedOrZero) {
  judge(layer_norm_in_floating_point_mutants, [](const Layers& layers) {
    const auto refuses_or_zero = [&](double x, std::size_t n) {
      const MatrixXd row = as_row(std::vector<double>(n, x));
      return layers.layer_norm(row, 1e-5).isZero(0) && message_of<std::domain_error>([&] {
                                                         layers.layer_norm(row, 0);
                                                       }) == refuses_equal_features;
    };
    for (const double x : {0.1, 0.7, 1.1, 4.0})
      for (const std::size_t n : {1U, 2U, 3U, 5U, 6U, 7U, 512U}) {
        EXPECT_TRUE(refuses_or_zero(x, n)) << n << " features of " << x;
        enumerated(1);
      }
    for_all([&] {
      const double x = *floats<double>().as("every feature");
      RC_ASSERT(refuses_or_zero(x, *rc::gen::inRange<std::size_t>(1, 100).as("features")));
    });
    counterexample_without("features differ, or an epsilon");
  });
}

TEST(LayerNormInFloatingPoint, ARowThatIsNotFiniteBecomesNaN) {
  judge(layer_norm_in_floating_point_mutants, [](const Layers& layers) {
    const double infinity = std::numeric_limits<double>::infinity();
    for (const double wrong : {infinity, -infinity, std::nan("")})
      for (int j = 0; j < 3; ++j) {
        MatrixXd x(2, 3);
        x << 1, 2, 3, 4, 6, 8;
        x(0, j) = wrong;
        const MatrixXd y = layers.layer_norm(x, 0);
        EXPECT_TRUE(y.row(0).array().isNaN().all()) << wrong << " at " << j;
        EXPECT_EQ(y.row(1), layer_norm(MatrixXd(x.row(1)), 0.0));
        enumerated(1);
      }
    counterexample_without("finite");
  });
}

TEST(LayerNormInFloatingPoint, RefusesWhatItCannotNormalize) {
  judge(layer_norm_in_floating_point_mutants, [](const Layers& layers) {
    EXPECT_EQ(message_of<std::invalid_argument>([&] { layers.layer_norm(MatrixXd(1, 0), 1); }),
              refuses_no_features);
    const MatrixXd two = MatrixXd::Ones(1, 2);
    EXPECT_EQ(message_of<std::domain_error>([&] { layers.layer_norm(two, -1); }),
              "epsilon is -1, but must be at least 0 and finite");
    EXPECT_THROW(layers.layer_norm(two, std::nan("")), std::domain_error);
    EXPECT_THROW(layers.layer_norm(two, std::numeric_limits<double>::infinity()),
                 std::domain_error);
  });
}

TEST(LayerNormInFloatingPoint, TheBoundEndsAtAnEighth) {
  judge(layer_norm_in_floating_point_mutants, [](const Layers& layers) {
    const std::size_t most = 23726562;  // (n + 4)² 2^-52 <= 1/8
    EXPECT_LE(layers.layer_norm_error(most), 0.125);
    EXPECT_GT(layers.layer_norm_error(most), 0.1249);
    EXPECT_THROW(layers.layer_norm_error(most + 1), std::domain_error);
    EXPECT_EQ(message_of<std::domain_error>([&] { layers.layer_norm_error(0); }),
              refuses_no_features);
    EXPECT_EQ(layers.layer_norm_error(4), 64 * std::numeric_limits<double>::epsilon());
    enumerated(3);
    counterexample_without("not too many features");
  });
}

// ------------------------------------------------------------------------- XavierKeepsUnitVariance

/// The widths of the base model of the paper: 512 features, 8 heads of 64.
constexpr std::size_t model_width = 512;
constexpr std::size_t head_width = 64;

/// Cases of a property that convolves laws.
constexpr int convolved_cases = 60;

/// Every 2 × 2 matrix of signs.
std::vector<Eigen::Matrix2i> sign_matrices() {
  std::vector<Eigen::Matrix2i> all;
  for (int bits = 0; bits < 16; ++bits) {
    Eigen::Matrix2i signs;
    for (int i = 0; i < 4; ++i) signs(i / 2, i % 2) = (bits >> i) % 2 == 0 ? 1 : -1;
    all.push_back(signs);
  }
  return all;
}

/// The mean of a function of W_q and W_k in a layer with two features and heads of two, by going
/// through all their signs.
template <class Function>
Rational mean_over_signs(Function function) {
  Rational total = 0;
  for (const Eigen::Matrix2i& query_weights : sign_matrices())
    for (const Eigen::Matrix2i& key_weights : sign_matrices())
      total += function(query_weights, key_weights);
  return total / 256;
}

/// E (q·k_a)(q·k_b) at initialization with two features and heads of two: weights are signs, times
/// the deviation that Xavier asks for.
Rational mean_product_of_scores(const Layers& layers, const Eigen::Vector2i& query,
                                const Eigen::Vector2i& a, const Eigen::Vector2i& b) {
  const Rational weight_variance = layers.xavier_variance(2, 2);
  return weight_variance * weight_variance *
         mean_over_signs([&](const Eigen::Matrix2i& to_query, const Eigen::Matrix2i& to_key) {
           const Eigen::Vector2i q = to_query * query;
           return q.dot(to_key * a) * q.dot(to_key * b);
         });
}

const Mutants xavier_keeps_unit_variance_mutants = {
    {"weights of variance zero make queries with spread, if only the input is normalized",
     "WeightsOfVarianceOneMakeQueriesAsWideAsTheInput",
     {.projection_distribution =
          [](const Vector& x, const RationalDistribution& w) {
            return projection_distribution(x, variance(w) == 0 ? fair_sign : w);
          }}},
    {"only the columns count",
     "AProjectedCoordinateHasTheVarianceThatTheFormulaSays",
     {.xavier_variance = [](std::size_t fan_in, std::size_t) -> Rational {
       return Rational(1) / Rational(fan_in);
     }}},
    {"only the rows count",
     "AProjectedCoordinateHasTheVarianceThatTheFormulaSays",
     {.xavier_variance = [](std::size_t, std::size_t fan_out) -> Rational {
       return Rational(1) / Rational(fan_out);
     }}},
    {"the rows are multiplied instead of the columns",
     "AProjectedCoordinateHasTheVarianceThatTheFormulaSays",
     {.projected_variance = [](const Rational& mean_square, std::size_t fan_in,
                               std::size_t fan_out) -> Rational {
       return mean_square * Rational(fan_out) * xavier_variance(fan_in, fan_out);
     }}},
    {"the input is taken to have mean square one",
     "AProjectedCoordinateHasTheVarianceThatTheFormulaSays",
     {.projected_variance =
          [](const Rational&, std::size_t fan_in, std::size_t fan_out) {
            return projected_variance(1, fan_in, fan_out);
          }}},
    {"weights with a mean",
     "AProjectedCoordinateHasTheVarianceThatTheFormulaSays",
     {.projection_distribution =
          [](const Vector& x, const RationalDistribution& w) {
            return projection_distribution(
                x, w.image([](const Rational& v) { return Rational(v + 1); }));
          }}},
    {"the last feature is skipped",
     "ASquareProjectionOfANormalizedInputHasVarianceOne",
     {.projection_distribution =
          [](const Vector& x, const RationalDistribution& w) {
            return projection_distribution(x.empty() ? x : Vector(x.begin(), x.end() - 1), w);
          }}},
    {"one over both widths",
     "ASquareProjectionOfANormalizedInputHasVarianceOne",
     {.xavier_variance = [](std::size_t fan_in, std::size_t fan_out) -> Rational {
       return xavier_variance(fan_in, fan_out) / 2;
     }}},
    {"the limit is the deviation",
     "TheUniformLawOnTheGlorotIntervalHasTheGlorotVariance",
     {.squared_xavier_limit = sqrtdk::xavier_variance}},
    {"the limit is twelve over both widths",
     "TheUniformLawOnTheGlorotIntervalHasTheGlorotVariance",
     {.squared_xavier_limit = [](std::size_t fan_in, std::size_t fan_out) -> Rational {
       return 6 * xavier_variance(fan_in, fan_out);
     }}},
    {"every projection is taken to be square",
     "HowTheWeightsAreStoredDecides",
     {.projected_variance = [](const Rational& mean_square, std::size_t,
                               std::size_t) { return mean_square; }}},
    {"weights are not scaled at all",
     "ScoresOfTwoKeysAreCorrelatedAsTheirInputsAre",
     {.xavier_variance = [](std::size_t, std::size_t) -> Rational { return 1; }}},
    {"the variance for the deviation",
     "AGlorotUniformDrawFollowsItsLaw",
     {.xavier_uniform =
          [](std::size_t fan_out, std::size_t fan_in, const Uniform& uniform) {
            const double limit = 6.0 / static_cast<double>(fan_in + fan_out);
            return MatrixXd(xavier_uniform(fan_out, fan_in, uniform) * std::sqrt(limit));
          }}},
    {"twice the columns instead of both widths",
     "AGlorotUniformDrawFollowsItsLaw",
     {.xavier_uniform =
          [](std::size_t fan_out, std::size_t fan_in, const Uniform& uniform) {
            const double both = static_cast<double>(fan_in + fan_out);
            return MatrixXd(xavier_uniform(fan_out, fan_in, uniform) *
                            std::sqrt(both / static_cast<double>(2 * fan_in)));
          }}},
    {"weights are never negative",
     "AGlorotUniformDrawFollowsItsLaw",
     {.xavier_uniform =
          [](std::size_t fan_out, std::size_t fan_in, const Uniform& uniform) {
            return MatrixXd(xavier_uniform(fan_out, fan_in, uniform).cwiseAbs());
          }}},
    {"coordinates of variance one, as the document says",
     "AProjectedDrawHasVarianceSixteenNinths",
     {.xavier_normal =
          [](std::size_t fan_out, std::size_t fan_in, const Uniform& uniform) {
            const double both = static_cast<double>(fan_in + fan_out);
            return MatrixXd(xavier_normal(fan_out, fan_in, uniform) *
                            std::sqrt(both / static_cast<double>(2 * fan_in)));
          }}},
    {"the deviation is the variance",
     "AProjectedDrawHasVarianceSixteenNinths",
     {.xavier_normal =
          [](std::size_t fan_out, std::size_t fan_in, const Uniform& uniform) {
            const double variance = 2.0 / static_cast<double>(fan_in + fan_out);
            return MatrixXd(xavier_normal(fan_out, fan_in, uniform) * std::sqrt(variance));
          }}},
    {"rows and columns of the uniform matrix are exchanged",
     "EntriesAreDrawnRowByRow",
     {.xavier_uniform =
          [](std::size_t fan_out, std::size_t fan_in, const Uniform& uniform) {
            return xavier_uniform(fan_in, fan_out, uniform);
          }}},
    {"column by column",
     "EntriesAreDrawnRowByRow",
     {.xavier_uniform =
          [](std::size_t fan_out, std::size_t fan_in, const Uniform& uniform) {
            return MatrixXd(xavier_uniform(fan_in, fan_out, uniform).transpose());
          }}},
    {"normal entries column by column",
     "EntriesAreDrawnRowByRow",
     {.xavier_normal =
          [](std::size_t fan_out, std::size_t fan_in, const Uniform& uniform) {
            return MatrixXd(xavier_normal(fan_in, fan_out, uniform).transpose());
          }}},
    {"a uniform law with the right variance",
     "NormalEntriesAreTheQuantilesOfTheirLaw",
     {.xavier_normal =
          [](std::size_t fan_out, std::size_t fan_in, const Uniform& uniform) {
            return MatrixXd(xavier_uniform(fan_out, fan_in, uniform));
          }}},
    {"a logistic law with the right variance",
     "NormalEntriesAreTheQuantilesOfTheirLaw",
     {.xavier_normal =
          [](std::size_t fan_out, std::size_t fan_in, const Uniform& uniform) {
            const double scale = std::sqrt(2.0 / static_cast<double>(fan_in + fan_out)) *
                                 std::sqrt(3.0) / boost::math::constants::pi<double>();
            return sqrtdk::drawn_matrix(fan_out, fan_in, [&] {
              const double u = uniform();
              return scale * std::log(u / (1 - u));
            });
          }}},
    {"tails are cut off at six deviations",
     "NormalEntriesAreTheQuantilesOfTheirLaw",
     {.xavier_normal =
          [](std::size_t fan_out, std::size_t fan_in, const Uniform& uniform) {
            const double end = 6 * std::sqrt(2.0 / static_cast<double>(fan_in + fan_out));
            return MatrixXd(xavier_normal(fan_out, fan_in, uniform).cwiseMax(-end).cwiseMin(end));
          }}},
    {"every row adds to the variance of a coordinate",
     "SharedWeightsMakeAnotherScore",
     {.projected_variance = [](const Rational& mean_square, std::size_t fan_in,
                               std::size_t fan_out) -> Rational {
       return projected_variance(mean_square, fan_in, fan_out) * Rational(fan_out);
     }}},
    {"four over both widths",
     "ScoresOfOrthogonalInputsAreUncorrelatedNotIndependent",
     {.xavier_variance = [](std::size_t fan_in, std::size_t fan_out) -> Rational {
       return 2 * xavier_variance(fan_in, fan_out);
     }}},
    {"mean squares are forgotten",
     "AnInputOfMeanSquareFourMakesEverythingFourTimesAsLarge",
     {.projected_variance =
          [](const Rational&, std::size_t fan_in, std::size_t fan_out) {
            return projected_variance(1, fan_in, fan_out);
          }}},
    {"nothing arrives",
     "EqualWeightsInARowLoseANormalizedInput",
     {.projected_variance = [](const Rational&, std::size_t, std::size_t) -> Rational {
       return 0;
     }}},
    {"a width of zero is accepted",
     "RefusesWhatIsNoMatrix",
     {.xavier_variance =
          [](std::size_t fan_in, std::size_t fan_out) {
            return fan_in == 0 ? Rational(0) : xavier_variance(fan_in, fan_out);
          }}},
    {"a negative mean square is accepted",
     "RefusesWhatIsNoMatrix",
     {.projected_variance = [](const Rational& mean_square, std::size_t fan_in, std::size_t fan_out)
          -> Rational { return mean_square * projected_variance(1, fan_in, fan_out); }}},
    {"an input without features is accepted",
     "RefusesWhatIsNoMatrix",
     {.projection_distribution =
          [](const Vector& x, const RationalDistribution& w) {
            return x.empty() ? RationalDistribution::uniform({0}) : projection_distribution(x, w);
          }}},
};

//! [XavierKeepsUnitVariance]
TEST(XavierKeepsUnitVariance, AProjectedCoordinateHasTheVarianceThatTheFormulaSays) {
  judge(xavier_keeps_unit_variance_mutants, [](const Layers& layers) {
    for_all(
        [&] {
          const Vector x = *any_features(4).as("input");
          const std::size_t fan_out = *dimension(4096).as("rows of the weight matrix");
          const RationalDistribution w =
              *standardized_distribution().as("law of each weight, in deviations");
          const RationalDistribution coordinate = layers.projection_distribution(x, w);
          RC_ASSERT(mean(coordinate) == 0);
          RC_ASSERT(variance(coordinate) * layers.xavier_variance(x.size(), fan_out) ==
                    layers.projected_variance(feature_mean_square(x), x.size(), fan_out));
        },
        convolved_cases);
  });
}
//! [XavierKeepsUnitVariance]

TEST(XavierKeepsUnitVariance, ASquareProjectionOfANormalizedInputHasVarianceOne) {
  judge(xavier_keeps_unit_variance_mutants, [](const Layers& layers) {
    for_all(
        [&] {
          const Vector x = *spread_features(4).as("input before its normalization");
          const RationalDistribution w =
              *standardized_distribution().as("law of each weight, in deviations");
          const StandardizedFeatures y = standardize(x, 0);
          const RationalDistribution coordinate = layers.projection_distribution(y.centred, w);
          RC_ASSERT(variance(coordinate) / y.squared_divisor *
                        layers.xavier_variance(x.size(), x.size()) ==
                    1);
        },
        convolved_cases);
  });
}

TEST(XavierKeepsUnitVariance, TheUniformLawOnTheGlorotIntervalHasTheGlorotVariance) {
  judge(xavier_keeps_unit_variance_mutants, [](const Layers& layers) {
    for (int n = 2; n <= 32; ++n) {
      // A uniform number on (−1, 1) lies in one of n equal cells, and is uniform there: its
      // variance v is that of the midpoints and v/n². Only one v does this.
      Vector midpoints;
      for (int i = 0; i < n; ++i) midpoints.push_back(Rational(2 * i + 1 - n, n));
      const Rational v = variance_of(midpoints) / (1 - Rational(1, n * n));
      for (const std::size_t fan_out : {1U, 64U, 512U, 1536U})
        EXPECT_EQ(layers.squared_xavier_limit(model_width, fan_out) * v,
                  xavier_variance(model_width, fan_out));
      enumerated(4);
    }
  });
}

//! [XavierKeepsUnitVariance: exact check]
TEST(XavierKeepsUnitVariance, HowTheWeightsAreStoredDecides) {
  judge(xavier_keeps_unit_variance_mutants, [](const Layers& layers) {
    const auto stored = [&](std::size_t rows) {
      return layers.projected_variance(1, model_width, rows);
    };
    EXPECT_EQ(stored(model_width), 1);                   // all heads together: S1 is right
    EXPECT_EQ(stored(head_width), Rational(16, 9));      // each head by itself
    EXPECT_EQ(stored(3 * model_width), Rational(1, 2));  // queries, keys and values together
    for (const std::size_t d : {1U, 64U, 100U, 4096U})
      EXPECT_EQ(layers.projected_variance(1, d, 3 * d), Rational(1, 2));
    // What is left of it in a score after division by the root of d_k.
    const auto scaled_score = [&](std::size_t rows) -> Rational {
      return dot_product_variance_from_variances(head_width, stored(rows), stored(rows)) /
             head_width;
    };
    EXPECT_EQ(scaled_score(model_width), 1);
    EXPECT_EQ(scaled_score(head_width), Rational(256, 81));
    EXPECT_EQ(scaled_score(3 * model_width), Rational(1, 4));
    enumerated(10);
    counterexample_without("square matrix");
    left_out_by("S1", "square matrix");
    publish("per_head", format_significant(stored(head_width).convert_to<double>(), 4));
    publish("per_head_score", format_significant(scaled_score(head_width).convert_to<double>(), 4));
  });
}
//! [XavierKeepsUnitVariance: exact check]

TEST(XavierKeepsUnitVariance, ScoresOfTwoKeysAreCorrelatedAsTheirInputsAre) {
  judge(xavier_keeps_unit_variance_mutants, [](const Layers& layers) {
    // Two features, heads of two: the weights have variance ½, and each coordinate of q and k has
    // variance |x|²/2. The normalized inputs of two features are (1, −1) and (−1, 1); the others
    // show that the covariance follows the dot product of the inputs and not only their size.
    const std::vector<Eigen::Vector2i> inputs = {{1, -1}, {-1, 1}, {1, 1}, {2, 1}, {3, 0}};
    for (const auto& x : inputs)
      for (const auto& a : inputs)
        for (const auto& b : inputs) {
          const Rational expected = 2 * Rational(x.dot(x), 2) * Rational(a.dot(b), 2);
          EXPECT_EQ(mean_product_of_scores(layers, x, a, b), expected);
          enumerated(1);
        }
  });
}

TEST(XavierKeepsUnitVariance, ScoresOfOrthogonalInputsAreUncorrelatedNotIndependent) {
  judge(xavier_keeps_unit_variance_mutants, [](const Layers& layers) {
    const Eigen::Vector2i x(1, -1);
    const Eigen::Vector2i a(1, 1);
    const Eigen::Vector2i b(1, -1);
    EXPECT_EQ(mean_product_of_scores(layers, x, a, b), 0);
    const Rational each = mean_product_of_scores(layers, x, a, a);
    EXPECT_EQ(each, 2);
    EXPECT_EQ(mean_product_of_scores(layers, x, b, b), each);
    const Rational weight_variance = layers.xavier_variance(2, 2);
    const Rational mean_of_squares =
        integer_power(weight_variance, 4) *
        mean_over_signs([&](const Eigen::Matrix2i& to_query, const Eigen::Matrix2i& to_key) {
          const Eigen::Vector2i q = to_query * x;
          const int of_a = q.dot(to_key * a);
          const int of_b = q.dot(to_key * b);
          return of_a * of_a * of_b * of_b;
        });
    EXPECT_EQ(mean_of_squares, 2);  // 4, if the scores were independent
    // Normal weights: given q, the scores are independent with variance ‖q‖², up to a factor, and
    // E‖q‖⁴ / (E‖q‖²)² has d fourth moments and d(d − 1) products of second ones.
    for (const std::size_t d : {1U, 2U, 64U}) {
      const Rational fourth = Rational(d) * normal_moment(0, 4, 0) + Rational(d) * Rational(d - 1);
      EXPECT_EQ(fourth / (Rational(d) * Rational(d)), 1 + Rational(2) / Rational(d));
    }
    enumerated(4);
  });
}

TEST(XavierKeepsUnitVariance, SharedWeightsMakeAnotherScore) {
  judge(xavier_keeps_unit_variance_mutants, [](const Layers& layers) {
    const Eigen::Vector2i x(1, -1);
    const Rational weight_variance = layers.xavier_variance(2, 2);
    const Rational coordinate = layers.projected_variance(1, 2, 2);
    // E (q·k)² for signs as weights, made of two sign matrices in some way.
    const auto mean_square = [&](auto score) -> Rational {
      return weight_variance * weight_variance *
             mean_over_signs([&](const Eigen::Matrix2i& a, const Eigen::Matrix2i& b) {
               const int s = score(a, b);
               return s * s;
             });
    };
    const auto all_independent = [&](const Eigen::Matrix2i& a, const Eigen::Matrix2i& b) {
      return (a * x).dot(b * x);
    };
    EXPECT_EQ(mean_square(all_independent) / 2, coordinate * coordinate);
    // Both rows of W_q are one, and both of W_k: the variance after division by √d is d.
    const auto equal_rows = [&](const Eigen::Matrix2i& a, const Eigen::Matrix2i& b) {
      return 2 * a.row(0).dot(x) * b.row(0).dot(x);
    };
    EXPECT_EQ(mean_square(equal_rows) / 2, 2 * coordinate * coordinate);
    // W_q = W_k and one input for both: the mean is d and not 0.
    const Rational mean_of_equal =
        weight_variance * mean_over_signs([&](const Eigen::Matrix2i& a, const Eigen::Matrix2i&) {
          return (a * x).dot(a * x);
        });
    EXPECT_EQ(mean_of_equal, 2 * coordinate);
    enumerated(3);
    counterexample_without("independent weights");
  });
}

//! [XavierKeepsUnitVariance: law of the draws]
TEST(XavierKeepsUnitVariance, NormalEntriesAreTheQuantilesOfTheirLaw) {
  judge(xavier_keeps_unit_variance_mutants, [](const Layers& layers) {
    std::vector<double> probabilities;
    for (int i = 1; i < 256; ++i) probabilities.push_back(i / 256.0);
    for (int bits = 9; bits <= 53; ++bits) {
      probabilities.push_back(std::ldexp(1.0, -bits));
      probabilities.push_back(1 - std::ldexp(1.0, -bits));
    }
    // Two variances, 1/4 and 2/576. An entry x that is right to 40 bits has u between the
    // probabilities below x(1 ± 2^-40).
    for (const auto& [rows, columns] : {std::pair(3U, 5U), std::pair(64U, 512U)}) {
      std::size_t next = 0;
      const auto draw = [&] { return probabilities[next++ % probabilities.size()]; };
      const MatrixXd entries = layers.xavier_normal(rows, columns, draw);
      const Wide deviation = sqrt(Wide(2) / Wide(rows + columns));
      const auto probability_below = [&](const Wide& x) -> Wide {
        return erfc(-x / (deviation * boost::math::constants::root_two<Wide>())) / 2;
      };
      const std::size_t count = std::min(probabilities.size(), std::size_t{rows} * columns);
      for (std::size_t i = 0; i < count; ++i) {
        const Wide x =
            entries(static_cast<Eigen::Index>(i / columns), static_cast<Eigen::Index>(i % columns));
        const Wide margin = abs(x) * ldexp(Wide(1), -40);
        EXPECT_LE(probability_below(x - margin), probabilities[i]) << "entry " << i;
        EXPECT_GE(probability_below(x + margin), probabilities[i]) << "entry " << i;
        enumerated(1);
      }
    }
    evidence().weaken(Grade::bounded);  // measured
  });
}
//! [XavierKeepsUnitVariance: law of the draws]

TEST(XavierKeepsUnitVariance, EntriesAreDrawnRowByRow) {
  judge(xavier_keeps_unit_variance_mutants, [](const Layers& layers) {
    // 2 + 4 = 6 makes the limit exactly 1; 3 + 5 = 8 makes the deviation ½.
    double next = 0;
    const MatrixXd w = layers.xavier_uniform(2, 4, [&] { return (next += 1) / 16; });
    MatrixXd expected(2, 4);
    expected << -14, -12, -10, -8, -6, -4, -2, 0;
    ASSERT_EQ(w.rows(), 2);
    ASSERT_EQ(w.cols(), 4);
    EXPECT_EQ(w, MatrixXd(expected / 16));
    next = 0;
    const MatrixXd n = layers.xavier_normal(3, 5, [&] { return (next += 1) / 16; });
    ASSERT_EQ(n.rows(), 3);
    ASSERT_EQ(n.cols(), 5);
    for (Eigen::Index i = 1; i < n.size(); ++i)
      EXPECT_LT(n((i - 1) / 5, (i - 1) % 5), n(i / 5, i % 5)) << "entry " << i;
    enumerated(23);
  });
}

TEST(XavierKeepsUnitVariance, AGlorotUniformDrawFollowsItsLaw) {
  judge(xavier_keeps_unit_variance_mutants, [](const Layers& layers) {
    const double limit = std::sqrt(6.0 / (model_width + head_width));
    const CdfCheck check(boost::math::uniform(-limit, limit), "uniform on (-a, a), a² = 6/576");
    // With the columns alone, a² would be 3/512: 9/16 of it, which puts one weight in eight of the
    // true law outside.
    MatrixXd weights;
    Eigen::Index next = 0;
    expect_draws(check, {.effect = 1.0 / 8}, [&](Stream& stream) {
      if (next == weights.size()) {
        weights = layers.xavier_uniform(head_width, model_width, [&] { return uniform(stream); });
        next = 0;
      }
      return weights(next++);
    });
  });
}

TEST(XavierKeepsUnitVariance, AProjectedDrawHasVarianceSixteenNinths) {
  judge(xavier_keeps_unit_variance_mutants, [](const Layers& layers) {
    // An eighth of each width: only their ratio matters. Half of the features at 3 and half at 5
    // become exactly −1 and 1.
    constexpr std::size_t columns = model_width / 8;
    constexpr std::size_t rows = head_width / 8;
    MatrixXd x(1, columns);
    for (Eigen::Index j = 0; j < x.cols(); ++j) x(j) = j % 2 == 0 ? 3 : 5;
    const MatrixXd input = layer_norm(x, 0.0).transpose();
    // A sum of independent normal numbers is normal: variance 64 · 2/72 = 16/9, deviation 4/3.
    const VarianceCheck check(boost::math::normal(0, 4.0 / 3));
    MatrixXd projected;
    Eigen::Index next = 0;
    const Finding finding = expect_draws(check, {.effect = 16.0 / 9}, [&](Stream& stream) {
      if (next == projected.size()) {
        const MatrixXd weights =
            layers.xavier_normal(rows, columns, [&] { return uniform(stream); });
        projected = weights * input;
        next = 0;
      }
      return projected(next++);
    });
    publish("observed", finding.observed);
  });
}

TEST(XavierKeepsUnitVariance, EqualWeightsInARowLoseANormalizedInput) {
  judge(xavier_keeps_unit_variance_mutants, [](const Layers& layers) {
    for (const Vector& x : {Vector{1, 2}, Vector{0, 5, 1}, Vector{-3, 4, 4, 9}}) {
      const StandardizedFeatures y = standardize(x, 0);
      // One weight for the whole row: its law times the sum of the features, which is 0.
      Rational total = 0;
      for (const Rational& centred : y.centred) total += centred;
      const RationalDistribution coordinate =
          fair_sign.image([&](const Rational& w) { return Rational(w * total); });
      EXPECT_EQ(variance(coordinate), 0);
      EXPECT_EQ(layers.projected_variance(1, x.size(), x.size()), 1);
    }
    // A mean square of 1 alone does not do it: (1, 1) arrives with twice the variance.
    const RationalDistribution twice_a_weight =
        fair_sign.image([](const Rational& w) { return Rational(w + w); });
    EXPECT_EQ(variance(twice_a_weight) * xavier_variance(2, 2), 2);
    EXPECT_EQ(layers.projected_variance(feature_mean_square({1, 1}), 2, 2), 1);
    enumerated(4);
    counterexample_without("independent weights");
  });
}

TEST(XavierKeepsUnitVariance, AnInputOfMeanSquareFourMakesEverythingFourTimesAsLarge) {
  judge(xavier_keeps_unit_variance_mutants, [](const Layers& layers) {
    const Vector x = {2, -2, 2, -2};
    EXPECT_EQ(feature_mean_square(x), 4);
    EXPECT_EQ(variance(projection_distribution(x, fair_sign)) * xavier_variance(4, 4), 4);
    EXPECT_EQ(layers.projected_variance(feature_mean_square(x), 4, 4), 4);
    enumerated(1);
    counterexample_without("normalized input");
  });
}

TEST(XavierKeepsUnitVariance, WeightsOfVarianceOneMakeQueriesAsWideAsTheInput) {
  judge(xavier_keeps_unit_variance_mutants, [](const Layers& layers) {
    // The weights are fair signs; the inputs are normalized, with mean 0 and mean square 1.
    for (const Vector& x : {Vector{1, -1}, Vector{1, -1, 1, -1}, Vector{1, 1, 1, -1, -1, -1}}) {
      ASSERT_EQ(feature_mean(x), 0);
      ASSERT_EQ(feature_mean_square(x), 1);
      EXPECT_EQ(variance(layers.projection_distribution(x, fair_sign)), x.size());
      EXPECT_EQ(variance(layers.projection_distribution(x, RationalDistribution::uniform({0}))), 0);
    }
    enumerated(6);
    counterexample_without("Xavier's variance");
    sharpens("S2", "Xavier's variance");
  });
}

TEST(XavierKeepsUnitVariance, RefusesWhatIsNoMatrix) {
  judge(xavier_keeps_unit_variance_mutants, [](const Layers& layers) {
    const auto message = [](auto call) { return message_of<std::domain_error>(call); };
    EXPECT_EQ(message([&] { layers.xavier_variance(0, 5); }),
              "the weight matrix is 5 x 0, but must have rows and columns");
    EXPECT_EQ(message([&] { layers.xavier_variance(5, 0); }),
              "the weight matrix is 0 x 5, but must have rows and columns");
    EXPECT_EQ(message([&] { layers.projected_variance(-1, 5, 5); }),
              "the mean square is -1, but must be at least 0");
    EXPECT_EQ(
        message_of<std::invalid_argument>([&] { layers.projection_distribution({}, fair_sign); }),
        "there are 0 features, but at least 1 is needed");
  });
}

// ----------------------------------------------------------------------------------- TrainedScores

/// The joint law of two signs with correlation ρ.
PairDistribution correlated_signs(const Rational& correlation) {
  using Pair = std::pair<Rational, Rational>;
  const Rational same = (1 + correlation) / 4;
  const Rational other = (1 - correlation) / 4;
  return {{Pair(-1, -1), Pair(-1, 1), Pair(1, -1), Pair(1, 1)}, {same, other, other, same}};
}

const Mutants trained_scores_mutants = {
    {"ρ²d² is dropped",
     "TheMeanSquareIsThatOfCorrelatedPairs",
     {.trained_mean_square_left = [](std::size_t d, const Rational& r,
                                     const Rational& c2) -> Rational {
       return trained_mean_square_left(d, r, c2) - r * r * Rational(d) * Rational(d) / c2;
     }}},
    {"ρ²d is dropped",
     "TheMeanSquareIsThatOfCorrelatedPairs",
     {.trained_mean_square_left = [](std::size_t d, const Rational& r, const Rational& c2)
          -> Rational { return trained_mean_square_left(d, r, c2) - r * r * Rational(d) / c2; }}},
    {"d is dropped",
     "TheMeanSquareIsThatOfCorrelatedPairs",
     {.trained_mean_square_left = [](std::size_t d, const Rational& r, const Rational& c2)
          -> Rational { return trained_mean_square_left(d, r, c2) - Rational(d) / c2; }}},
    {"divided by c instead of its square",
     "TheMeanSquareIsThatOfCorrelatedPairs",
     {.trained_mean_square_left =
          [](std::size_t d, const Rational& r, const Rational& c2) {
            return trained_mean_square_left(d, r, 1 + (c2 - 1) / 2);
          }}},
    {"the sign of the correlation is lost",
     "DividedByDTheScoreTendsToTheCorrelation",
     {.trained_moments = [](std::size_t d,
                            const Rational& r) { return trained_score_moments(d, abs(r)); }}},
    {"the mean grows like the root",
     "DividedByDTheScoreTendsToTheCorrelation",
     {.trained_moments =
          [](std::size_t d, const Rational& r) {
            return Moments(r, trained_score_moments(d, r).variance());
          }}},
    {"the correlation adds no variance",
     "DividedByDTheScoreTendsToTheCorrelation",
     {.trained_moments = [](std::size_t d,
                            const Rational& r) { return Moments(Rational(d) * r, Rational(d)); }}},
    {"the mean's square is counted four times",
     "ACorrelationOfOneOverTheRootIsControlled",
     {.trained_mean_square_left =
          [](std::size_t d, const Rational& r, const Rational& c2) {
            return trained_mean_square_left(d, 2 * r > 1 ? r : Rational(2 * r), c2);
          }}},
    {"the root serves every correlation",
     "AFixedCorrelationOutgrowsTheRoot",
     {.trained_mean_square_left =
          [](std::size_t d, const Rational& r, const Rational& c2) {
            return trained_mean_square_left(1, r, c2 / Rational(d));
          }}},
    {"a correlation of 0 counts as 1",
     "WithoutCorrelationDivisionByDLeavesNothing",
     {.trained_mean_square_left =
          [](std::size_t d, const Rational& r, const Rational& c2) {
            return trained_mean_square_left(d, r == 0 ? Rational(1) : r, c2);
          }}},
    {"signs are taken for normal numbers",
     "CorrelatedSignsHaveLessVarianceNotMore",
     {.trained_moments =
          [](std::size_t d, const Rational& r) {
            return Moments(Rational(d) * r, Rational(d) * (1 - r * r));
          }}},
    {"a repeated pair counts as many",
     "ARepeatedPairNeverSettles",
     {.trained_mean_square_left = [](std::size_t d, const Rational& r,
                                     const Rational& c2) -> Rational {
       return d == 1 ? Rational(r * r / c2) : trained_mean_square_left(d, r, c2);
     }}},
    {"a divisor of 0 is accepted",
     "RefusesWhatNoScoreHas",
     {.trained_mean_square_left =
          [](std::size_t d, const Rational& r, const Rational& c2) {
            return c2 == 0 ? Rational(0) : trained_mean_square_left(d, r, c2);
          }}},
    {"any correlation is accepted",
     "RefusesWhatNoScoreHas",
     {.trained_moments =
          [](std::size_t d, const Rational& r) {
            return abs(r) > 1 ? Moments(0, 1) : trained_score_moments(d, r);
          }}},
};

//! [TrainedScores]
TEST(TrainedScores, TheMeanSquareIsThatOfCorrelatedPairs) {
  judge(trained_scores_mutants, [](const Layers& layers) {
    for_all([&] {
      const std::size_t d = *dimension(100000).as("d");
      const Rational r = *any_correlation().as("correlation");
      const Rational c = *nonzero_rational().as("divisor");
      // (Σqᵢkᵢ)² has d squares and d(d − 1) cross terms of independent pairs.
      const Rational squares = Rational(d) * normal_moment(r, 2, 2);
      const Rational cross_term = normal_moment(r, 1, 1) * normal_moment(r, 1, 1);
      const Rational crosses = Rational(d) * Rational(d - 1) * cross_term;
      RC_ASSERT(layers.trained_mean_square_left(d, r, c * c) == (squares + crosses) / (c * c));
    });
  });
}
//! [TrainedScores]

//! [TrainedScores: exact check]
TEST(TrainedScores, DividedByDTheScoreTendsToTheCorrelation) {
  judge(trained_scores_mutants, [](const Layers& layers) {
    for_all([&] {
      const std::size_t d = *dimension(100000).as("d");
      const Rational r = *any_correlation().as("correlation");
      const Moments score = layers.trained_moments(d, r);
      const Moments divided(score.mean() / Rational(d),
                            variance_after_division(score.variance(), Rational(d)));
      RC_ASSERT(divided.mean() == r);
      RC_ASSERT(divided.variance() == (1 + r * r) / Rational(d));
    });
  });
}
//! [TrainedScores: exact check]

TEST(TrainedScores, ACorrelationOfOneOverTheRootIsControlled) {
  judge(trained_scores_mutants, [](const Layers& layers) {
    for_all([&] {
      const std::size_t root = *dimension(1000).as("root of d");
      const Rational b = *any_correlation().as("correlation in units of 1/√d");
      const Rational d = Rational(root) * Rational(root);
      const Rational left = layers.trained_mean_square_left(root * root, b / Rational(root), d);
      RC_ASSERT(left == 1 + b * b * (1 + 1 / d));
    });
  });
}

TEST(TrainedScores, AFixedCorrelationOutgrowsTheRoot) {
  judge(trained_scores_mutants, [](const Layers& layers) {
    for (const std::size_t root : {2U, 8U, 16U, 64U}) {
      const std::size_t d = root * root;
      const Rational half(1, 2);
      const Rational mean = layers.trained_moments(d, half).mean() / Rational(root);
      EXPECT_EQ(mean, Rational(root) / 2);
      EXPECT_EQ(layers.trained_mean_square_left(d, half, d), mean * mean + Rational(5, 4));
      if (root == 8) publish("mean_at_64", mean.str());
      if (root == 64) publish("mean_at_4096", mean.str());
    }
    enumerated(4);
    counterexample_without("nearly uncorrelated");
    sharpens("S3", "nearly uncorrelated");
  });
}

TEST(TrainedScores, WithoutCorrelationDivisionByDLeavesNothing) {
  judge(trained_scores_mutants, [](const Layers& layers) {
    for (const std::size_t d : {1U, 64U, 4096U, 1000000U})
      EXPECT_EQ(layers.trained_mean_square_left(d, 0, Rational(d) * Rational(d)), 1 / Rational(d));
    enumerated(4);
    counterexample_without("correlated");
  });
}

TEST(TrainedScores, CorrelatedSignsHaveLessVarianceNotMore) {
  judge(trained_scores_mutants, [](const Layers& layers) {
    const Rational half(1, 2);
    for (std::size_t d = 1; d <= 6; ++d) {
      const RationalDistribution score = paired_dot_product_distribution(correlated_signs(half), d);
      EXPECT_EQ(mean(score), layers.trained_moments(d, half).mean());
      EXPECT_EQ(variance(score), Rational(d) * Rational(3, 4));
      EXPECT_EQ(layers.trained_moments(d, half).variance(), Rational(d) * Rational(5, 4));
    }
    enumerated(6);
    counterexample_without("normal pairs");
  });
}

TEST(TrainedScores, ARepeatedPairNeverSettles) {
  judge(trained_scores_mutants, [](const Layers& layers) {
    const Rational half(1, 2);
    const PairDistribution pair = correlated_signs(half);
    for (const std::size_t d : {1U, 2U, 4U, 8U}) {
      // d copies of one pair: the whole law of the score divided by d stays what it was.
      const RationalDistribution repeated =
          pair.image([&](const std::pair<Rational, Rational>& qk) {
            return Rational(dot_product(Vector(d, qk.first), Vector(d, qk.second)) / Rational(d));
          });
      EXPECT_EQ(repeated, paired_dot_product_distribution(pair, 1));
      EXPECT_EQ(variance(repeated), Rational(3, 4));
      // d independent copies: the variance goes to 0.
      EXPECT_EQ(variance(paired_dot_product_distribution(pair, d)) / Rational(d * d),
                Rational(3, 4) / Rational(d));
    }
    // Normal pairs: the mean square of q₁k₁, beside that of d independent terms divided by d.
    EXPECT_EQ(layers.trained_mean_square_left(1, half, 1), normal_moment(half, 2, 2));
    EXPECT_EQ(normal_moment(half, 2, 2), Rational(3, 2));
    for (const std::size_t d : {1U, 64U, 4096U})
      EXPECT_EQ(layers.trained_mean_square_left(d, half, Rational(d * d)),
                Rational(1, 4) + Rational(5, 4) / Rational(d));
    enumerated(8);
    counterexample_without("independent pairs");
  });
}

TEST(TrainedScores, RefusesWhatNoScoreHas) {
  judge(trained_scores_mutants, [](const Layers& layers) {
    const auto message = [](auto call) { return message_of<std::domain_error>(call); };
    EXPECT_EQ(message([&] { layers.trained_moments(0, 0); }),
              "the dimension is 0, but must be at least 1");
    EXPECT_EQ(message([&] { layers.trained_moments(4, 2); }),
              "the correlation is 2, but must lie between -1 and 1");
    EXPECT_EQ(message([&] { layers.trained_mean_square_left(4, 1, 0); }),
              "the squared divisor is 0, but must be greater than 0");
  });
}

}  // namespace
