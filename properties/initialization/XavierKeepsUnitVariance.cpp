#include <sqrtdk/numbers/powers.hpp>
#include <sqrtdk/score/dependence.hpp>
#include <sqrtdk/testing/statistics/checks.hpp>
#include <sqrtdk/testing/statistics/run_test.hpp>
#include <sqrtdk/testing/statistics/streams.hpp>

#include "properties/initialization/fixture.hpp"
#include "properties/support/rational_distributions.hpp"

#include <boost/math/distributions/normal.hpp>

namespace sqrtdk::properties::XavierKeepsUnitVariance {

/// The widths of the base model of the paper: 512 features, 8 heads of 64.
constexpr std::size_t model_width = 512;
constexpr std::size_t head_width = 64;

constexpr int convolved_cases = 60;

std::vector<Eigen::Matrix2i> sign_matrices() {
  std::vector<Eigen::Matrix2i> all;
  for (int bits = 0; bits < 16; ++bits) {
    Eigen::Matrix2i signs;
    for (int i = 0; i < 4; ++i) signs(i / 2, i % 2) = (bits >> i) % 2 == 0 ? 1 : -1;
    all.push_back(signs);
  }
  return all;
}

/// The mean over all signs of W_q and W_k, with two features and heads of two.
template <class Function>
Rational mean_over_signs(Function function) {
  Rational total = 0;
  for (const Eigen::Matrix2i& query_weights : sign_matrices())
    for (const Eigen::Matrix2i& key_weights : sign_matrices())
      total += function(query_weights, key_weights);
  return total / 256;
}

/// E (q·k_a)(q·k_b) at initialization, for weights that are signs times Xavier's deviation.
Rational mean_product_of_scores(const Subject& subject, const Eigen::Vector2i& query,
                                const Eigen::Vector2i& a, const Eigen::Vector2i& b) {
  const Rational weight_variance = subject.xavier_variance(2, 2);
  return weight_variance * weight_variance *
         mean_over_signs([&](const Eigen::Matrix2i& to_query, const Eigen::Matrix2i& to_key) {
           const Eigen::Vector2i q = to_query * query;
           return q.dot(to_key * a) * q.dot(to_key * b);
         });
}

//! [XavierKeepsUnitVariance]
STATEMENT(XavierKeepsUnitVariance, AProjectedCoordinateHasTheVarianceThatTheFormulaSays) {
  for_all(
      [&] {
        const Vector x = *any_features(4).as("input");
        const std::size_t fan_out = *dimension(4096).as("rows of the weight matrix");
        const RationalDistribution w =
            *standardized_distribution().as("distribution of each weight, in deviations");
        const RationalDistribution coordinate = subject.projection_distribution(x, w);
        EXPECT_EXACTLY(mean(coordinate) == 0);
        EXPECT_EXACTLY(variance(coordinate) * subject.xavier_variance(x.size(), fan_out) ==
                       subject.projected_variance(feature_mean_square(x), x.size(), fan_out));
      },
      convolved_cases);
}
//! [XavierKeepsUnitVariance]
KILLS("only the columns count",
      {.xavier_variance = [](auto fan_in, auto) { return Rational(1) / Rational(fan_in); }});
KILLS("only the rows count",
      {.xavier_variance = [](auto, auto fan_out) { return Rational(1) / Rational(fan_out); }});
KILLS("the rows are multiplied instead of the columns",
      {.projected_variance = [](auto& mean_square, auto fan_in, auto fan_out) {
        return mean_square * Rational(fan_out) * xavier_variance(fan_in, fan_out);
      }});
KILLS("the input is taken to have mean square one",
      {.projected_variance = [](auto&, auto fan_in, auto fan_out) {
        return projected_variance(1, fan_in, fan_out);
      }});
KILLS("weights with a mean", {.projection_distribution = [](auto& x, auto& w) {
        return projection_distribution(x, w.image([](auto& v) { return Rational(v + 1); }));
      }});

STATEMENT(XavierKeepsUnitVariance, ASquareProjectionOfANormalizedInputHasVarianceOne) {
  for_all(
      [&] {
        const Vector x = *spread_features(4).as("input before its normalization");
        const RationalDistribution w =
            *standardized_distribution().as("distribution of each weight, in deviations");
        const StandardizedFeatures y = standardize(x, 0);
        const RationalDistribution coordinate = subject.projection_distribution(y.centred, w);
        EXPECT_EXACTLY(variance(coordinate) / y.squared_divisor *
                           subject.xavier_variance(x.size(), x.size()) ==
                       1);
      },
      convolved_cases);
}
KILLS("the last feature is skipped", {.projection_distribution = [](auto& x, auto& w) {
        return projection_distribution(x.empty() ? x : Vector(x.begin(), x.end() - 1), w);
      }});
KILLS("one over both widths", {.xavier_variance = [](auto fan_in, auto fan_out) {
        return xavier_variance(fan_in, fan_out) / 2;
      }});

STATEMENT(XavierKeepsUnitVariance, TheUniformDistributionOnTheGlorotIntervalHasTheGlorotVariance) {
  for (int n = 2; n <= 32; ++n) {
    // A uniform number on (−1, 1) lies in one of n equal cells, and is uniform there: its
    // variance v is that of the midpoints and v/n². Only one v does this.
    Vector midpoints;
    for (int i = 0; i < n; ++i) midpoints.push_back(Rational(2 * i + 1 - n, n));
    const Rational v = variance_of(midpoints) / (1 - Rational(1, n * n));
    for (const std::size_t fan_out : {1U, 64U, 512U, 1536U})
      EXPECT_EXACTLY(subject.squared_xavier_limit(model_width, fan_out) * v ==
                     xavier_variance(model_width, fan_out));
    enumerated(4);
  }
}
KILLS("the limit is the deviation", {.squared_xavier_limit = sqrtdk::xavier_variance});
KILLS("the limit is twelve over both widths",
      {.squared_xavier_limit = [](auto fan_in, auto fan_out) {
        return 6 * xavier_variance(fan_in, fan_out);
      }});

//! [XavierKeepsUnitVariance: exact check]
STATEMENT(XavierKeepsUnitVariance, HowTheWeightsAreStoredDecides) {
  const auto stored = [&](std::size_t rows) {
    return subject.projected_variance(1, model_width, rows);
  };
  EXPECT_EXACTLY(stored(model_width) == 1);                   // all heads together: S1 is right
  EXPECT_EXACTLY(stored(head_width) == Rational(16, 9));      // each head by itself
  EXPECT_EXACTLY(stored(3 * model_width) == Rational(1, 2));  // queries, keys and values together
  // The variance of a score after division by the root of d_k.
  const auto scaled_score = [&](std::size_t rows) -> Rational {
    return dot_product_variance_from_variances(head_width, stored(rows), stored(rows)) / head_width;
  };
  EXPECT_EXACTLY(scaled_score(model_width) == 1);
  EXPECT_EXACTLY(scaled_score(head_width) == Rational(256, 81));
  EXPECT_EXACTLY(scaled_score(3 * model_width) == Rational(1, 4));
  enumerated(6);
  record_value("per_head", format_significant(stored(head_width).convert_to<double>(), 4));
  record_value("per_head_score",
               format_significant(scaled_score(head_width).convert_to<double>(), 4));
}
//! [XavierKeepsUnitVariance: exact check]
KILLS("the widths are added, not averaged",
      {.projected_variance = [](auto& mean_square, auto fan_in, auto fan_out) -> Rational {
        return projected_variance(mean_square, fan_in, fan_out) / 2;
      }});

ASIDE(XavierKeepsUnitVariance, NoOtherShapeLeavesOne) {
  for (const std::size_t d : {1U, 64U, 100U, 4096U}) {
    EXPECT_EXACTLY(subject.projected_variance(1, 8 * d, d) == Rational(16, 9));  // narrow
    EXPECT_EXACTLY(subject.projected_variance(1, d, 3 * d) == Rational(1, 2));   // fused
    enumerated(2);
  }
  counterexample_without("square matrix");
}
KILLS("every projection is taken to be square",
      {.projected_variance = [](auto& mean_square, auto, auto) { return mean_square; }});

STATEMENT(XavierKeepsUnitVariance, AScoreHasMeanZeroAndTheProductOfTheVariances) {
  // All weights of a layer with two features and heads of two; x and a may be one input.
  const std::vector<Eigen::Vector2i> inputs = {{1, -1}, {-1, 1}, {1, 1}, {2, 1}, {3, 0}};
  for (const auto& x : inputs)
    for (const auto& a : inputs) {
      const Rational total =
          mean_over_signs([&](const Eigen::Matrix2i& to_query, const Eigen::Matrix2i& to_key) {
            return (to_query * x).dot(to_key * a);
          });
      EXPECT_EXACTLY(total == 0);
      EXPECT_EXACTLY(mean_product_of_scores(subject, x, a, a) / 2 ==
                     subject.projected_variance(Rational(x.dot(x), 2), 2, 2) *
                         subject.projected_variance(Rational(a.dot(a), 2), 2, 2));
      enumerated(1);
    }
}
KILLS("the mean square is squared",
      {.projected_variance = [](auto& mean_square, auto fan_in, auto fan_out) {
        return projected_variance(mean_square * mean_square, fan_in, fan_out);
      }});

ASIDE(XavierKeepsUnitVariance, ScoresOfTwoKeysAreCorrelatedAsTheirInputsAre) {
  // Two features, heads of two: the weights have variance ½, and each coordinate of q and k has
  // variance |x|²/2. The normalized inputs of two features are (1, −1) and (−1, 1); the others
  // show that the covariance follows the dot product of the inputs and not only their size.
  const std::vector<Eigen::Vector2i> inputs = {{1, -1}, {-1, 1}, {1, 1}, {2, 1}, {3, 0}};
  for (const auto& x : inputs)
    for (const auto& a : inputs)
      for (const auto& b : inputs) {
        const Rational expected = 2 * Rational(x.dot(x), 2) * Rational(a.dot(b), 2);
        EXPECT_EXACTLY(mean_product_of_scores(subject, x, a, b) == expected);
        enumerated(1);
      }
}
KILLS("weights are not scaled at all",
      {.xavier_variance = [](std::size_t, std::size_t) -> Rational { return 1; }});

ASIDE(XavierKeepsUnitVariance, ScoresOfOrthogonalInputsAreUncorrelatedNotIndependent) {
  const Eigen::Vector2i x(1, -1);
  const Eigen::Vector2i a(1, 1);
  const Eigen::Vector2i b(1, -1);
  EXPECT_EXACTLY(mean_product_of_scores(subject, x, a, b) == 0);
  const Rational each = mean_product_of_scores(subject, x, a, a);
  EXPECT_EXACTLY(each == 2);
  EXPECT_EXACTLY(mean_product_of_scores(subject, x, b, b) == each);
  const Rational weight_variance = subject.xavier_variance(2, 2);
  const Rational mean_of_squares =
      integer_power(weight_variance, 4) *
      mean_over_signs([&](const Eigen::Matrix2i& to_query, const Eigen::Matrix2i& to_key) {
        const Eigen::Vector2i q = to_query * x;
        const int of_a = q.dot(to_key * a);
        const int of_b = q.dot(to_key * b);
        return of_a * of_a * of_b * of_b;
      });
  EXPECT_EXACTLY(mean_of_squares == 2);  // 4, if the scores were independent
  // Normal weights: given q, the scores are independent with variance ‖q‖², up to a factor, and
  // E‖q‖⁴ / (E‖q‖²)² has d fourth moments and d(d − 1) products of second ones.
  for (const std::size_t d : {1U, 2U, 64U}) {
    const Rational fourth = Rational(d) * normal_moment(0, 4, 0) + Rational(d) * Rational(d - 1);
    EXPECT_EXACTLY(fourth / (Rational(d) * Rational(d)) == 1 + Rational(2) / Rational(d));
  }
  enumerated(4);
}
KILLS("four over both widths", {.xavier_variance = [](auto fan_in, auto fan_out) {
        return 2 * xavier_variance(fan_in, fan_out);
      }});

ASIDE(XavierKeepsUnitVariance, SharedWeightsMakeAnotherScore) {
  const Eigen::Vector2i x(1, -1);
  const Rational weight_variance = subject.xavier_variance(2, 2);
  const Rational coordinate = subject.projected_variance(1, 2, 2);
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
  EXPECT_EXACTLY(mean_square(all_independent) / 2 == coordinate * coordinate);
  // Both rows of W_q are one, and both of W_k: the variance after division by √d is d.
  const auto equal_rows = [&](const Eigen::Matrix2i& a, const Eigen::Matrix2i& b) {
    return 2 * a.row(0).dot(x) * b.row(0).dot(x);
  };
  EXPECT_EXACTLY(mean_square(equal_rows) / 2 == 2 * coordinate * coordinate);
  // W_q = W_k and one input for both: the mean is d and not 0.
  const Rational mean_of_equal =
      weight_variance * mean_over_signs([&](const Eigen::Matrix2i& a, const Eigen::Matrix2i&) {
        return (a * x).dot(a * x);
      });
  EXPECT_EXACTLY(mean_of_equal == 2 * coordinate);
  enumerated(3);
  counterexample_without("independent weights");
}
KILLS("every row adds to the variance of a coordinate",
      {.projected_variance = [](auto& mean_square, auto fan_in, auto fan_out) {
        return projected_variance(mean_square, fan_in, fan_out) * Rational(fan_out);
      }});

//! [XavierKeepsUnitVariance: distribution of the draws]
ASIDE(XavierKeepsUnitVariance, NormalEntriesAreTheQuantilesOfTheirDistribution) {
  evidence().rests_on(EvidenceLevel::measured);  // how many bits are right
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
    const MatrixXd entries = subject.xavier_normal(rows, columns, draw);
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
}
//! [XavierKeepsUnitVariance: distribution of the draws]
KILLS("a uniform distribution with the right variance",
      {.xavier_normal = [](auto fan_out, auto fan_in, auto& uniform) {
        return MatrixXd(xavier_uniform(fan_out, fan_in, uniform));
      }});
KILLS("a logistic distribution with the right variance",
      {.xavier_normal = [](auto fan_out, auto fan_in, auto& uniform) {
        const double scale = std::sqrt(2.0 / static_cast<double>(fan_in + fan_out)) *
                             std::sqrt(3.0) / boost::math::constants::pi<double>();
        return sqrtdk::drawn_matrix(fan_out, fan_in, [&] {
          const double u = uniform();
          return scale * std::log(u / (1 - u));
        });
      }});
KILLS("tails are cut off at six deviations",
      {.xavier_normal = [](auto fan_out, auto fan_in, auto& uniform) {
        const double end = 6 * std::sqrt(2.0 / static_cast<double>(fan_in + fan_out));
        return MatrixXd(xavier_normal(fan_out, fan_in, uniform).cwiseMax(-end).cwiseMin(end));
      }});

ASIDE(XavierKeepsUnitVariance, EntriesAreDrawnRowByRow) {
  // 2 + 4 = 6 makes the limit exactly 1; 3 + 5 = 8 makes the deviation ½.
  double next = 0;
  const MatrixXd w = subject.xavier_uniform(2, 4, [&] { return (next += 1) / 16; });
  MatrixXd expected(2, 4);
  expected << -14, -12, -10, -8, -6, -4, -2, 0;
  EXPECT_EXACTLY(bits_of(w) == bits_of(expected / 16));
  next = 0;
  const MatrixXd n = subject.xavier_normal(3, 5, [&] { return (next += 1) / 16; });
  ASSERT_EQ(n.rows(), 3);
  ASSERT_EQ(n.cols(), 5);
  for (Eigen::Index i = 1; i < n.size(); ++i)
    EXPECT_EXACTLY(Rational(n((i - 1) / 5, (i - 1) % 5)) < Rational(n(i / 5, i % 5)))
        << "entry " << i;
  enumerated(23);
}
KILLS("rows and columns of the uniform matrix are exchanged",
      {.xavier_uniform = [](auto fan_out, auto fan_in, auto& uniform) {
        return xavier_uniform(fan_in, fan_out, uniform);
      }});
KILLS("column by column", {.xavier_uniform = [](auto fan_out, auto fan_in, auto& uniform) {
        return MatrixXd(xavier_uniform(fan_in, fan_out, uniform).transpose());
      }});
KILLS("normal entries column by column",
      {.xavier_normal = [](auto fan_out, auto fan_in, auto& uniform) {
        return MatrixXd(xavier_normal(fan_in, fan_out, uniform).transpose());
      }});

ASIDE(XavierKeepsUnitVariance, AGlorotUniformDrawFollowsItsDistribution) {
  const double limit = std::sqrt(6.0 / (model_width + head_width));
  const CdfCheck check(boost::math::uniform(-limit, limit), "uniform on (-a, a), a² = 6/576");
  // With the columns alone a² = 3/512, 9/16 of it: an eighth of the weights is beyond each end.
  MatrixXd weights;
  Eigen::Index next = 0;
  expect_draws(check, {.effect = 1.0 / 8}, [&](Stream& stream) {
    if (next == weights.size()) {
      weights = subject.xavier_uniform(head_width, model_width, [&] { return uniform(stream); });
      next = 0;
    }
    return weights(next++);
  });
}
KILLS("the variance for the deviation",
      {.xavier_uniform = [](auto fan_out, auto fan_in, auto& uniform) {
        const double limit = 6.0 / static_cast<double>(fan_in + fan_out);
        return MatrixXd(xavier_uniform(fan_out, fan_in, uniform) * std::sqrt(limit));
      }});
KILLS("twice the columns instead of both widths",
      {.xavier_uniform = [](auto fan_out, auto fan_in, auto& uniform) {
        const double both = static_cast<double>(fan_in + fan_out);
        return MatrixXd(xavier_uniform(fan_out, fan_in, uniform) *
                        std::sqrt(both / static_cast<double>(2 * fan_in)));
      }});
KILLS("weights are never negative",
      {.xavier_uniform = [](auto fan_out, auto fan_in, auto& uniform) {
        return MatrixXd(xavier_uniform(fan_out, fan_in, uniform).cwiseAbs());
      }});

ASIDE(XavierKeepsUnitVariance, AProjectedDrawHasVarianceSixteenNinths) {
  // Only the ratio of the widths matters. Features of 3 and 5 become exactly −1 and 1.
  constexpr std::size_t columns = model_width / 8;
  constexpr std::size_t rows = head_width / 8;
  MatrixXd x(1, columns);
  for (Eigen::Index j = 0; j < x.cols(); ++j) x(j) = j % 2 == 0 ? 3 : 5;
  const MatrixXd input = layer_norm(x, 0.0).transpose();
  // A sum of independent normal numbers is normal: variance 64 · 2/72 = 16/9, deviation 4/3.
  const VarianceCheck check(boost::math::normal(0, 4.0 / 3));
  MatrixXd projected;
  Eigen::Index next = 0;
  const TestResult result = expect_draws(check, {.effect = 16.0 / 9}, [&](Stream& stream) {
    if (next == projected.size()) {
      const MatrixXd weights =
          subject.xavier_normal(rows, columns, [&] { return uniform(stream); });
      projected = weights * input;
      next = 0;
    }
    return projected(next++);
  });
  record_value("observed", result.observed);
}
KILLS("coordinates of variance one, as the document says",
      {.xavier_normal = [](auto fan_out, auto fan_in, auto& uniform) {
        const double both = static_cast<double>(fan_in + fan_out);
        return MatrixXd(xavier_normal(fan_out, fan_in, uniform) *
                        std::sqrt(both / static_cast<double>(2 * fan_in)));
      }});
KILLS("the deviation is the variance",
      {.xavier_normal = [](auto fan_out, auto fan_in, auto& uniform) {
        const double variance = 2.0 / static_cast<double>(fan_in + fan_out);
        return MatrixXd(xavier_normal(fan_out, fan_in, uniform) * std::sqrt(variance));
      }});

ASIDE(XavierKeepsUnitVariance, EqualWeightsInARowLoseANormalizedInput) {
  for (const Vector& x : {Vector{1, 2}, Vector{0, 5, 1}, Vector{-3, 4, 4, 9}}) {
    const StandardizedFeatures y = standardize(x, 0);
    // One weight for the whole row: its distribution times the sum of the features, which is 0.
    Rational total = 0;
    for (const Rational& centred : y.centred) total += centred;
    const RationalDistribution coordinate =
        fair_sign.image([&](const Rational& w) { return Rational(w * total); });
    EXPECT_EXACTLY(variance(coordinate) == 0);
    EXPECT_EXACTLY(subject.projected_variance(1, x.size(), x.size()) == 1);
  }
  // A mean square of 1 alone does not do it: (1, 1) arrives with twice the variance.
  const RationalDistribution twice_a_weight =
      fair_sign.image([](const Rational& w) { return Rational(w + w); });
  EXPECT_EXACTLY(variance(twice_a_weight) * xavier_variance(2, 2) == 2);
  EXPECT_EXACTLY(subject.projected_variance(feature_mean_square({1, 1}), 2, 2) == 1);
  enumerated(4);
  counterexample_without("independent weights");
}
KILLS("nothing arrives", {.projected_variance = [](const Rational&, std::size_t,
                                                   std::size_t) -> Rational { return 0; }});

ASIDE(XavierKeepsUnitVariance, AnInputOfMeanSquareFourMakesEverythingFourTimesAsLarge) {
  const Vector x = {2, -2, 2, -2};
  EXPECT_EXACTLY(feature_mean_square(x) == 4);
  EXPECT_EXACTLY(variance(projection_distribution(x, fair_sign)) * xavier_variance(4, 4) == 4);
  EXPECT_EXACTLY(subject.projected_variance(feature_mean_square(x), 4, 4) == 4);
  enumerated(1);
  counterexample_without("normalized input");
}
KILLS("mean squares are forgotten", {.projected_variance = [](auto&, auto fan_in, auto fan_out) {
        return projected_variance(1, fan_in, fan_out);
      }});

ASIDE(XavierKeepsUnitVariance, WeightsOfVarianceOneMakeQueriesAsWideAsTheInput) {
  // The weights are fair signs; the inputs are normalized, with mean 0 and mean square 1.
  for (const Vector& x : {Vector{1, -1}, Vector{1, -1, 1, -1}, Vector{1, 1, 1, -1, -1, -1}}) {
    EXPECT_EXACTLY(feature_mean(x) == 0);
    EXPECT_EXACTLY(feature_mean_square(x) == 1);
    EXPECT_EXACTLY(variance(subject.projection_distribution(x, fair_sign)) == x.size());
    EXPECT_EXACTLY(
        variance(subject.projection_distribution(x, RationalDistribution::uniform({0}))) == 0);
  }
  enumerated(6);
  counterexample_without("Xavier's variance");
}
KILLS("weights of variance zero make queries with spread, if only the input is normalized",
      {.projection_distribution = [](auto& x, auto& w) {
        return projection_distribution(x, variance(w) == 0 ? fair_sign : w);
      }});

ASIDE(XavierKeepsUnitVariance, AStepOfTrainingMovesMeanAndVariance) {
  // A coordinate q = w·x of a normalized input, for the sixteen equally likely rows w of two weights
  // that have these values; and after a step with the rate ¼ that takes ½(q − 1)² down.
  const Vector x = {1, -1}, weights = {-1, 0, 0, 1};
  EXPECT_EXACTLY(variance_of(weights) == subject.xavier_variance(2, 2));
  Vector before, after;
  for (const Rational& first : weights)
    for (const Rational& second : weights) {
      const Rational q = first * x[0] + second * x[1];
      const Rational step = (q - 1) / 4;
      before.push_back(q);
      after.push_back((first - step * x[0]) * x[0] + (second - step * x[1]) * x[1]);
    }
  EXPECT_EXACTLY(feature_mean(before) == 0);
  EXPECT_EXACTLY(variance_of(before) == subject.projected_variance(1, 2, 2));
  EXPECT_EXACTLY(feature_mean(after) == Rational(1, 2));
  EXPECT_EXACTLY(variance_of(after) == Rational(1, 4));
  enumerated(16);
  counterexample_without("before training");
}
KILLS("a square of two features halves the variance",
      {.projected_variance = [](auto& mean_square, auto fan_in, auto fan_out) -> Rational {
        return projected_variance(mean_square, fan_in, fan_out) / fan_in;
      }});

ASIDE(XavierKeepsUnitVariance, RefusesWhatIsNoMatrix) {
  expect_refusal<std::domain_error>([&] { subject.xavier_variance(0, 5); },
                                    "the weight matrix is 5 x 0, but must have rows and columns");
  expect_refusal<std::domain_error>([&] { subject.xavier_variance(5, 0); },
                                    "the weight matrix is 0 x 5, but must have rows and columns");
  expect_refusal<std::domain_error>([&] { subject.projected_variance(-1, 5, 5); },
                                    "the mean square is -1, but must be at least 0");
  expect_refusal<std::invalid_argument>([&] { subject.projection_distribution({}, fair_sign); },
                                        "there are 0 features, but at least 1 is needed");
}
KILLS("a width of zero is accepted", {.xavier_variance = [](auto fan_in, auto fan_out) {
        return fan_in == 0 ? Rational(0) : xavier_variance(fan_in, fan_out);
      }});
KILLS("a negative mean square is accepted",
      {.projected_variance = [](auto& mean_square, auto fan_in, auto fan_out) -> Rational {
        return mean_square * projected_variance(1, fan_in, fan_out);
      }});
KILLS("an input without features is accepted", {.projection_distribution = [](auto& x, auto& w) {
        return x.empty() ? RationalDistribution::uniform({0}) : projection_distribution(x, w);
      }});

}  // namespace sqrtdk::properties::XavierKeepsUnitVariance
