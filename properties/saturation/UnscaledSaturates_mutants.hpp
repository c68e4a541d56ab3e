// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief What the checks of \ref UnscaledSaturates call, and wrong versions of it.
#pragma once

#include <sqrtdk/saturation.hpp>
#include <sqrtdk/softmax_jacobian_means.hpp>
#include <sqrtdk/testing/memoized.hpp>
#include <sqrtdk/testing/statistics/streams.hpp>

#include "properties/saturation/fixture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>

namespace sqrtdk::properties::UnscaledSaturates {

using namespace sqrtdk::testing;

inline const Mutants unscaled_saturates_mutants = {
    {"the largest of one key fewer",
     "TheMeanOfTheLargestWeightIsAnIntegral",
     {.largest_weight =
          [](std::size_t n, double b) {
            return memoized<mean_largest_weight>(std::max<std::size_t>(n - 1, 2), b);
          }}},
    {"the root of the mean of the squares",
     "TheMeanOfTheLargestWeightIsAnIntegral",
     {.largest_weight =
          [](std::size_t n, double b) {
            return std::sqrt(memoized<mean_squared_weights>(double(n), b));
          }}},
    {"the mean of the squares",
     "AtSixtyFourDimensionsFewKeysTakeTheWeight",
     {.largest_weight = [](std::size_t n,
                           double b) { return memoized<mean_squared_weights>(double(n), b); }}},
    {"a million keys are accepted",
     "RefusesWhatItCannotIntegrate",
     {.largest_weight =
          [](std::size_t n, double b) {
            return memoized<mean_largest_weight>(std::min(n, most_integrable_keys), b);
          }}},
    {"means may be off by twice as much",
     "TheErrorBoundIsThatOfThePage",
     {.mean_bound = 2 * mean_error_bound}},
    {"means may be off by half as much",
     "TheErrorBoundIsThatOfThePage",
     {.mean_bound = mean_error_bound / 2}},
    {"the sum of squares of one key more",
     "TheMeanOfTheSquaresIsTheOneOfTheGradient",
     {.squares = [](double n, double b) { return memoized<mean_squared_weights>(n + 1, b); }}},
    {"the sum of squares is not multiplied by n",
     "TheMeanOfTheSquaresIsTheOneOfTheGradient",
     {.squares = [](double n, double b) { return memoized<mean_squared_weights>(n, b) / n; }}},
    {"the spread is halved",
     "TheMeanOfTheSquaresIsTheOneOfTheGradient",
     {.squares = [](double n,
                    double b) { return memoized<mean_squared_weights>(n, std::max(b / 2, 0.5)); }}},
    {"the largest is taken for its square",
     "TheLargestWeightIsBracketed",
     {.squares_bounds =
          [](std::size_t n, double b) {
            const Bounds right = memoized<squared_weights_bounds>(n, b);
            return Bounds{std::sqrt(right.lower), right.upper};
          }}},
    {"ln n is forgotten",
     "TheLargestWeightIsBracketed",
     {.squares_bounds =
          [](std::size_t n, double b) {
            const Bounds right = memoized<squared_weights_bounds>(n, b);
            return Bounds{right.lower, right.lower};
          }}},
    {"1/n is forgotten",
     "TheLargestWeightIsBracketed",
     {.squares_bounds =
          [](std::size_t n, double b) {
            return Bounds{1 - largest(n) / b, memoized<squared_weights_bounds>(n, b).upper};
          }}},
    {"the entropy takes β for its square",
     "TheEntropyHasTwoRoutes",
     {.entropy =
          [](double n, double b) {
            return memoized<mean_log_sum>(n, b) - b * (1 - memoized<mean_squared_weights>(n, b));
          }}},
    {"the entropy is the free energy",
     "TheEntropyHasTwoRoutes",
     {.entropy = [](double n, double b) { return memoized<mean_log_sum>(n, b); }}},
    {"the free energy misses a key",
     "TheEntropyHasTwoRoutes",
     {.log_sum = [](double n,
                    double b) { return memoized<mean_log_sum>(std::max(n - 1, 1.0), b); }}},
    {"every key has its own query",
     "ARowOfScoresFollowsItsLaw",
     {.row =
          [](double d, Index n, Stream& stream) {
            Vector<double> row(n);
            for (double& score : row) score = sample_score_row(d, 1, stream)[0];
            return row;
          }}},
    {"independent normal scores", "ARowOfScoresFollowsItsLaw", {.row = independent_row}},
    {"one degree of freedom more",
     "ARowOfScoresFollowsItsLaw",
     {.row = [](double d, Index n,
                Stream& stream) { return Vector<double>(sample_score_row(d + 1, n, stream)); }}},
    {"the scores are scaled already",
     "ARowOfScoresFollowsItsLaw",
     {.row = [](double d, Index n, Stream& stream) -> Vector<double> {
       return independent_row(d, n, stream) / std::sqrt(d);
     }}},
    {"the query's vector is drawn",
     "ARowCostsTheSameInEveryDimension",
     {.row =
          [](double d, Index n, Stream& stream) {
            for (double i = 0; i < std::min(d, 4096.0); ++i) uniform(stream);
            return library_row(d, n, stream);
          }}},
    {"the shared query is ignored",
     "SharingAQueryMattersLittle",
     {.shared =
          [](double n, double d, double t) {
            const double f = memoized<mean_squared_weights>(n, std::sqrt(d) / t);
            return Bounds{f, f};
          }}},
    {"what lies outside the cells is forgotten",
     "SharingAQueryMattersLittle",
     {.shared =
          [](double n, double d, double t) {
            const Bounds right = memoized<shared_query>(n, d, t);
            return Bounds{right.lower / 2, right.upper / 2};
          }}},
    {"the rounded root of 8 is out of range",
     "SharingAQueryMattersLittle",
     {.shared =
          [](double n, double d, double t) {
            if (t * t > d) throw std::domain_error("above the root of the dimension");
            return memoized<shared_query>(n, d, t);
          }},
     Death::by_exception},
    {"a probability beyond 1",
     "SharingAQueryMattersLittle",
     {.shared =
          [](double n, double d, double t) {
            const Bounds right = memoized<shared_query>(n, d, t);
            return Bounds{right.lower, right.upper + mean_error_bound};
          }}},
    {"the temperature is ignored",
     "AtSixtyFourDimensionsFewKeysTakeTheWeight",
     {.weights = weights_at_wrong_temperature<8, 1>}},
    {"a spread of 65 is accepted",
     "RefusesWhatItCannotIntegrate",
     {.squares = [](double n,
                    double b) { return memoized<mean_squared_weights>(n, std::min(b, 64.0)); }}},
    {"no keys are accepted",
     "RefusesWhatItCannotIntegrate",
     {.entropy = [](double n, double b) { return memoized<mean_entropy>(std::max(n, 1.0), b); }}},
    {"a dimension of 0 is accepted",
     "RefusesWhatItCannotIntegrate",
     {.row = [](double d, Index n,
                Stream& stream) { return library_row(std::max(d, 1.0), n, stream); }}},
    {"a temperature above the root is accepted",
     "RefusesWhatItCannotIntegrate",
     {.shared = [](double n, double d,
                   double t) { return memoized<shared_query>(n, d, std::min(t, std::sqrt(d))); }}},
};

}  // namespace sqrtdk::properties::UnscaledSaturates
