// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief What the checks of \ref PriceOfTheRoot call, and wrong versions of it.
#pragma once

#include <sqrtdk/moments.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/saturation.hpp>
#include <sqrtdk/testing/memoized.hpp>

#include "properties/saturation/fixture.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <utility>

namespace sqrtdk::properties::PriceOfTheRoot {

using namespace sqrtdk::testing;

inline const Mutants price_of_the_root_mutants = {
    {"the square of the mean weights",
     "TheVarianceOfAnOutputIsTheMeanSumOfSquares",
     {.output_variance = [](const RowDistribution& distribution) -> Rational {
       Rational sum = 0;
       for (std::size_t j = 0; j < distribution.atoms().front().outcome.size(); ++j) {
         const Rational mean = distribution.expectation([j](const Row& p) { return p[j]; });
         sum += mean * mean;
       }
       return sum;
     }}},
    {"the weights are not squared",
     "TheVarianceOfAnOutputIsTheMeanSumOfSquares",
     {.output_variance = [](const RowDistribution&) -> Rational { return 1; }}},
    {"the sum of squares is squared",
     "TheVarianceOfAnOutputIsTheMeanSumOfSquares",
     {.output_variance = [](const RowDistribution& distribution) -> Rational {
       const Rational squares = output_variance(distribution);
       return squares * squares;
     }}},
    {"all weights are 1/n",
     "TheWorkedCaseHasNineteenThirtySixths",
     {.output_variance = [](const RowDistribution& distribution) -> Rational {
       return Rational(1, distribution.atoms().front().outcome.size());
     }}},
    {"every pair of rows has 1/n in common",
     "TwoOutputsShareTheMeanProduct",
     {.output_covariance = [](const TwoRowsDistribution& distribution) -> Rational {
       return Rational(1, distribution.atoms().front().outcome.first.size());
     }}},
    {"two rows have 1/n² in common",
     "TwoOutputsShareTheMeanProduct",
     {.output_covariance = [](const TwoRowsDistribution& distribution) -> Rational {
       return output_covariance(distribution) / distribution.atoms().front().outcome.first.size();
     }}},
    {"the squares of the first row",
     "TwoOutputsShareTheMeanProduct",
     {.output_covariance =
          [](const TwoRowsDistribution& distribution) {
            return output_variance(
                distribution.image([](const std::pair<Row, Row>& rows) { return rows.first; }));
          }}},
    {"only the first key counts",
     "OtherValuesHaveAnotherVariance",
     {.output_variance = [](const RowDistribution& distribution) -> Rational {
       return distribution.expectation([](const Row& p) -> Rational { return p[0] * p[0]; });
     }}},
    {"the squares of the mean weights, as if all rows were independent",
     "RowsThatShareMoreAreMoreAlike",
     {.output_covariance = [](const TwoRowsDistribution& distribution) -> Rational {
       Rational sum = 0;
       for (std::size_t j = 0; j < distribution.atoms().front().outcome.first.size(); ++j) {
         const Rational mean = distribution.expectation(
             [j](const std::pair<Row, Row>& rows) { return rows.first[j]; });
         sum += mean * mean;
       }
       return sum;
     }}},
    {"rows are independent whatever they share",
     "TwoOutputsShareTheMeanProduct",
     {.output_covariance =
          [](const TwoRowsDistribution& distribution) {
            const auto first =
                distribution.image([](const std::pair<Row, Row>& rows) { return rows.first; });
            const auto second =
                distribution.image([](const std::pair<Row, Row>& rows) { return rows.second; });
            return output_covariance(independent(first, second));
          }}},
    {"n is forgotten",
     "NormalScoresTendToAnExponential",
     {.correlation = [](double, double variance) { return 1 / variance; }}},
    {"half of the square of the spread",
     "NormalScoresTendToAnExponential",
     {.variance_at_least =
          [](double n, double b) {
            return output_variance_at_least(n, b) * std::exp(-b * b / 2);
          }}},
    {"the spread is doubled",
     "NormalScoresTendToAnExponential",
     {.variance_at_least =
          [](double n, double b) { return output_variance_at_least(n, b) * std::exp(b * b); }}},
    {"the largest term is left out of the bound",
     "NormalScoresTendToAnExponential",
     {.variance_at_least = [](double n, double b) { return std::exp(b * b) / n; }}},
    {"the square of the sum overflows",
     "TheBoundHoldsWhereItsSquareWouldOverflow",
     {.variance_at_least =
          [](double n, double b) {
            return std::exp(b * b) * n / std::pow(n + std::expm1(2 * b * b), 2);
          }}},
    {"the temperature is ignored",
     "WhatTheRootTrades",
     {.fine_shared =
          [](double n, double d, double) {
            return memoized<shared_query_squared_weights>(n, d, 1.0, 512);
          }}},
    {"the query has twice the dimension",
     "WhatTheRootTrades",
     {.fine_shared =
          [](double n, double d, double t) {
            return memoized<shared_query_squared_weights>(n, 2 * d, t, 64);
          }}},
    {"the query's length is that of the root",
     "TheLimitsOfNormalQueriesAndKeys",
     {.scaled_price = [](double) { return std::exp(1.0); }}},
    {"1/d for 2/d",
     "TheLimitsOfNormalQueriesAndKeys",
     {.scaled_price = [](double d) { return std::pow(1 - 1 / d, -d / 2); }}},
    {"shared keys cost nothing",
     "TheLimitsOfNormalQueriesAndKeys",
     {.shared_key_factor = [](double) { return 1.0; }}},
    {"shared keys cost what shared queries do",
     "TheLimitsOfNormalQueriesAndKeys",
     {.shared_key_factor = sqrtdk::scaled_price}},
    {"1/d for 1/d²",
     "TheLimitsOfNormalQueriesAndKeys",
     {.shared_key_factor = [](double d) { return std::pow(1 - 1 / d, -d / 2); }}},
    {"the last position only",
     "ACausalHeadAveragesLessAtItsBeginning",
     {.causal = [](std::size_t n) { return Rational(1, n); }}},
    {"the first position is left out",
     "ACausalHeadAveragesLessAtItsBeginning",
     {.causal = [](std::size_t n) -> Rational {
       return causal_output_variance(n) - Rational(1, n);
     }}},
    {"the harmonic number is not divided",
     "ACausalHeadAveragesLessAtItsBeginning",
     {.causal = [](std::size_t n) -> Rational { return causal_output_variance(n) * n; }}},
    {"a head of four features is accepted",
     "RefusesWhatHasNoPrice",
     {.scaled_price = [](double d) { return d == 4 ? 4 : scaled_price(d); }}},
    {"rows of two lengths are cut",
     "RefusesWhatHasNoPrice",
     {.output_covariance = [](const TwoRowsDistribution& distribution) -> Rational {
       return distribution.expectation([](const std::pair<Row, Row>& rows) -> Rational {
         return rows.first.size() == rows.second.size()
                    ? output_covariance(TwoRowsDistribution::uniform({rows}))
                    : Rational(rows.first[0] * rows.second[0]);
       });
     }}},
    {"no keys are accepted",
     "RefusesWhatHasNoPrice",
     {.causal = [](std::size_t n) { return n == 0 ? Rational(0) : causal_output_variance(n); }}},
};

}  // namespace sqrtdk::properties::PriceOfTheRoot
