// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief What the checks of \ref XavierKeepsUnitVariance call, and wrong versions of it.
#pragma once

#include <sqrtdk/finite_distribution.hpp>
#include <sqrtdk/initialization.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/testing/statistics/streams.hpp>

#include "properties/initialization/fixture.hpp"
#include "properties/support/rational_distributions.hpp"

#include <Eigen/Core>
#include <boost/math/distributions/uniform.hpp>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>

namespace sqrtdk::properties::XavierKeepsUnitVariance {

using namespace sqrtdk::testing;

inline const Mutants xavier_keeps_unit_variance_mutants = {
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
    {"the widths are added, not averaged",
     "HowTheWeightsAreStoredDecides",
     {.projected_variance = [](const Rational& mean_square, std::size_t fan_in, std::size_t fan_out)
          -> Rational { return projected_variance(mean_square, fan_in, fan_out) / 2; }}},
    {"the mean square is squared",
     "AScoreHasMeanZeroAndTheProductOfTheVariances",
     {.projected_variance =
          [](const Rational& mean_square, std::size_t fan_in, std::size_t fan_out) {
            return projected_variance(mean_square * mean_square, fan_in, fan_out);
          }}},
    {"every projection is taken to be square",
     "NoOtherShapeLeavesOne",
     {.projected_variance = [](const Rational& mean_square, std::size_t,
                               std::size_t) { return mean_square; }}},
    {"a square of two features halves the variance",
     "AStepOfTrainingMovesMeanAndVariance",
     {.projected_variance = [](const Rational& mean_square, std::size_t fan_in, std::size_t fan_out)
          -> Rational { return projected_variance(mean_square, fan_in, fan_out) / fan_in; }}},
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

}  // namespace sqrtdk::properties::XavierKeepsUnitVariance
