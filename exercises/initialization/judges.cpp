#include <sqrtdk/testing/substitute.hpp>

#include "exercises/exercise.hpp"
#include "properties/initialization/fixture.hpp"
#include "properties/support/rational_distributions.hpp"

namespace sqrtdk::exercises {

using namespace sqrtdk::properties;
using namespace sqrtdk::testing;

// ------------------------------------------------------------------------------ A body removed

MatrixXd student_layer_norm(const MatrixXd& rows, double epsilon) {
  MatrixXd normalized = rows;
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    std::vector<double> features;
    for (const double x : rows.row(i)) features.push_back(x);
    const auto y = ask<std::vector<double>>("layer_norm", features, epsilon);
    if (y.size() != features.size())
      throw std::runtime_error("layer_norm returned a list of length " + std::to_string(y.size()) +
                               " for features of length " + std::to_string(features.size()));
    for (std::size_t j = 0; j < y.size(); ++j) normalized(i, static_cast<Eigen::Index>(j)) = y[j];
  }
  return normalized;
}

const Judged layer_norm_that_holds(
    "LayerNormThatHolds",
    "LayerNormInFloatingPoint.RowsOfAMatrixAreNormalizedBitForBitWhereNoStepRounds:"
    "LayerNormInFloatingPoint.EqualFeaturesGiveExactZeros:"
    "LayerNormInFloatingPoint.EveryRowIsWithinTheBound",
    [] {
      Subject student;
      student.layer_norm = student_layer_norm;
      substitute<Subject>().implementation = student;
    });

// ----------------------------------------------------------------------------- Write the check

Rational half_of_xavier(std::size_t columns, std::size_t rows) {
  return xavier_variance(columns, rows) / 2;
}

Rational half_of_projected(const Rational& mean_square, std::size_t columns, std::size_t rows) {
  return projected_variance(mean_square, columns, rows) / 2;
}

RationalDistribution weights_of_one(const Vector& x, const RationalDistribution&) {
  return projection_distribution(x, RationalDistribution::uniform({1}));
}

Rational square_only(const Rational& mean_square, std::size_t columns, std::size_t rows) {
  return projected_variance(mean_square, columns, columns == rows ? rows : rows + 1);
}

const Judged xavier_law(
    "XavierLaw", "XavierKeepsUnitVariance.AProjectedCoordinateHasTheVarianceThatTheFormulaSays",
    [] {
      Substitute<Subject>& here = substitute<Subject>();
      here.check = [](const Subject& subject) {
        for_law(
            [&] {
              const Vector x = *any_features(3).as("the input");
              const std::size_t rows = *dimension(4096).as("the rows of W");
              const RationalDistribution weight =
                  *standardized_distribution().as("the distribution of a weight");
              const auto law = [&](const Subject& judged) {
                const std::function<std::vector<Vector>(const Vector&)> outcomes =
                    [&](const Vector& input) {
                      const auto coordinate = judged.projection_distribution(input, weight);
                      std::vector<Vector> pairs;
                      for (const auto& atom : coordinate.atoms())
                        pairs.push_back({atom.outcome, atom.probability});
                      return pairs;
                    };
                using Widths = std::size_t;
                const std::function<Rational(Widths, Widths)> weights = judged.xavier_variance;
                const std::function<Rational(const Rational&, Widths, Widths)> coordinates =
                    judged.projected_variance;
                return ask<bool>("keeps_xavier_law", outcomes, weights, coordinates, x, rows);
              };
              EXPECT_EXACTLY(says_yes(law, subject))
                  << "your law says no here, of functions that are right";
            },
            60);
      };
      const char* const aimed = "AProjectedCoordinateHasTheVarianceThatTheFormulaSays";
      here.more_mutants = {
          {"weights have the variance 1/(columns + rows)",
           aimed,
           {.xavier_variance = half_of_xavier, .projected_variance = half_of_projected}},
          {"all weights are 1", aimed, {.projection_distribution = weights_of_one}},
          {"right if the matrix is square", aimed, {.projected_variance = square_only}}};
    });

// -------------------------------------------------------------------------- Drop a hypothesis

const Judged feature_over_inputs("FeatureOverInputs", "FeatureOverInputs.*");

TEST(FeatureOverInputs, HasTheMeanSquareThatIsWanted) {
  for_all([&] {
    const int q = *rc::gen::inRange(1, 10).as("the denominator");
    const int p = *rc::gen::inRange(0, 2 * q + 1).as("the numerator");
    RC_PRE(p != q);
    const Rational target(p, q);
    const auto inputs = ask<std::vector<Vector>>("inputs_of_mean_square", target);
    EXPECT_EXACTLY(!inputs.empty()) << "there are no inputs, so there is no mean over them";
    Vector squares;
    std::string shown;
    for (const Vector& x : inputs) {
      const std::string which = "input " + std::to_string(squares.size() + 1);
      EXPECT_EXACTLY(x.size() == 3U) << which << " has " << x.size() << " features, not three";
      if (x.size() != 3) return;
      EXPECT_EXACTLY(variance_of(x) > 0)
          << "the features of " << which << " are all " << x[0] << ": they must differ";
      if (variance_of(x) == 0) return;
      const StandardizedFeatures y = standardize(x, 0);
      squares.push_back(y.centred[0] * y.centred[0] / y.squared_divisor);
      shown += (shown.empty() ? "" : ", ") + squares.back().str();
    }
    if (squares.empty()) return;
    EXPECT_EXACTLY(feature_mean(squares) == target)
        << "after the normalization the squares of the first feature are " << shown
        << ", and their mean is " << feature_mean(squares) << ", not the " << target
        << " that is wanted";
  });
}

// -------------------------------------------------------------------------------------- By hand

const Judged mean_overtakes_spread("MeanOvertakesSpread", "MeanOvertakesSpread.*");

TEST(MeanOvertakesSpread, SquaredMeanAndVarianceAreEqual) {
  const auto judge = [](std::size_t m) {
    const auto d = ask<long long>("dimension_of_balance", m);
    const bool is_dimension = d >= 1;
    EXPECT_EXACTLY(is_dimension) << "there is no dimension below 1";
    if (!is_dimension) return;
    const Rational correlation = 1 / Rational(m);
    const Moments score = trained_score_moments(static_cast<std::size_t>(d), correlation);
    const Rational square = score.mean() * score.mean();
    EXPECT_EXACTLY(square == score.variance())
        << "for the correlation " << correlation << " and the dimension " << d << " the mean is "
        << score.mean() << ", its square is " << square << ", and the variance is "
        << score.variance() << ": the squared mean is "
        << (square < score.variance() ? "below" : "above") << " the variance";
  };
  for (const std::size_t m : {2U, 1U, 3U, 8U, 100U, 4096U}) judge(m);
  for_all([&] { judge(*dimension(4096).as("m")); });
}

}  // namespace sqrtdk::exercises
