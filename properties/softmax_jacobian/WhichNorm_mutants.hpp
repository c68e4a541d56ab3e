// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief What the checks of \ref WhichNorm call, and wrong versions of it.
#pragma once

#include <sqrtdk/numbers/interval.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/saturation.hpp>
#include <sqrtdk/softmax_interval.hpp>
#include <sqrtdk/softmax_jacobian.hpp>
#include <sqrtdk/softmax_jacobian_means.hpp>
#include <sqrtdk/softmax_jacobian_norms.hpp>
#include <sqrtdk/testing/generators/rational_distributions.hpp>
#include <sqrtdk/testing/memoized.hpp>

#include "properties/softmax_jacobian/fixture.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <vector>

namespace sqrtdk::properties::WhichNorm {

using namespace sqrtdk::testing;

inline double mean_cubes(std::size_t n, double spread) { return key_integrals(n, spread).cubes; }

inline const Mutants which_norm_mutants = {
    {"the trace is that of equal weights",
     "BySoftmaxsOwnInputItIsLargerForAnyScores",
     {.trace = [](const Vector<Rational>& p) -> Rational { return 1 - Rational(1, p.size()); }}},
    {"the largest diagonal entry is the spectral norm",
     "TheSpectralNormIsTheLargestEigenvalue",
     {.spectral_norm = [](const Vector<Rational>& p, const Rational&) -> Interval<Rational> {
       const Rational top = p.maxCoeff() * (1 - p.maxCoeff());
       return {top, top};
     }}},
    {"the runner-up's weight is the spectral norm",
     "TheSpectralNormIsTheLargestEigenvalue",
     {.spectral_norm = [](const Vector<Rational>& p, const Rational&) -> Interval<Rational> {
       const Rational second = jacobian_norm_bounds(p).lower;
       return {second, second};
     }}},
    {"the spectral norm is halved",
     "FrobeniusAndSpectralNormGoEitherWay",
     {.spectral_norm =
          [](const Vector<Rational>& p, const Rational& width) {
            const auto right = jacobian_spectral_norm(p, width);
            return Interval<Rational>{right.lower / 2, right.upper / 2};
          }}},
    {"2Σp³ is added",
     "TheNormsHoldEachOther",
     {.squared_norm = [](const Vector<Rational>& p) -> Rational {
       return jacobian_squared_norm(p) + 4 * p.array().cube().sum();
     }}},
    {"Σp² alone",
     "TheNormsHoldEachOther",
     {.squared_norm = [](const Vector<Rational>& p) -> Rational { return p.squaredNorm(); }}},
    {"Σp³ in the place of (Σp²)², for given scores",
     "TheFiveScoresInThreeNorms",
     {.norms =
          [](const std::vector<Rational>& x, const Rational& width) {
            JacobianNorms norms = jacobian_norms(x, width);
            Rational square = 0, cube = 0;
            for (const Interval<Rational>& weight : softmax_enclosure(x)) {
              square += weight.lower * weight.lower;
              cube += weight.lower * weight.lower * weight.lower;
            }
            norms.squared_frobenius = {square - cube, square - cube};
            return norms;
          }}},
    {"the spectral norm is p₁(1 − p₁), for given scores",
     "TheFiveScoresInThreeNorms",
     {.norms =
          [](const std::vector<Rational>& x, const Rational& width) {
            JacobianNorms norms = jacobian_norms(x, width);
            const Rational first = softmax_enclosure(x)[0].lower;
            norms.spectral = {first * (1 - first), first * (1 - first)};
            return norms;
          }}},
    {"by the raw scores, without the factor of the chain rule",
     "TheNormAndTheVariableDecide",
     {.norms_by_raw_scores =
          [](const std::vector<Rational>& s, const Rational& c, const Rational& width) {
            std::vector<Rational> x = s;
            for (Rational& logit : x) logit /= c;
            return jacobian_norms(x, width);
          }}},
    {"by the raw scores, the factor of the chain rule in the square too, once",
     "TheNormAndTheVariableDecide",
     {.norms_by_raw_scores =
          [](const std::vector<Rational>& s, const Rational& c, const Rational& width) {
            JacobianNorms norms = raw_score_jacobian_norms(s, c, width);
            norms.squared_frobenius.lower *= c;
            norms.squared_frobenius.upper *= c;
            return norms;
          }}},
    {"2E Σp³ is added",
     "TheMeanSquareIsThatOfAnIntegralOverScores",
     {.mean_squared_norm =
          [](std::size_t n, double b) {
            return memoized<mean_jacobian_squared_norm>(n, b) + 4 * memoized<mean_cubes>(n, b);
          }}},
    {"E Σp³ in the place of E(Σp²)²",
     "TheMeanSquareIsThatOfAnIntegralOverScores",
     {.mean_squared_norm =
          [](std::size_t n, double b) {
            return 1 - memoized<mean_jacobian_trace>(n, b) - memoized<mean_cubes>(n, b);
          }}},
    {"the mean of a square is the square of the mean",
     "TheMeanSquareIsThatOfAnIntegralOverScores",
     {.mean_squared_norm =
          [](std::size_t n, double b) {
            const double squares = 1 - memoized<mean_jacobian_trace>(n, b);
            return squares - 2 * memoized<mean_cubes>(n, b) + squares * squares;
          }}},
    {"the trace norm, squared",
     "InTheMeanTheNormsPartWithManyKeys",
     {.mean_squared_norm =
          [](std::size_t n, double b) {
            const double trace = memoized<mean_jacobian_trace>(n, b);
            return trace * trace;
          }}},
    {"the mean trace is the root mean square of the Frobenius norm",
     "InTheMeanTheNormsPartWithManyKeys",
     {.mean_trace =
          [](std::size_t n, double b) {
            return std::sqrt(memoized<mean_jacobian_squared_norm>(n, b));
          }}},
    {"a width of 0 is accepted",
     "RefusesWhatHasNoNorm",
     {.spectral_norm =
          [](const Vector<Rational>& p, const Rational& width) {
            return width == 0 ? jacobian_norm_bounds(p) : jacobian_spectral_norm(p, width);
          }}},
    {"a divisor of 0 is accepted",
     "RefusesWhatHasNoNorm",
     {.norms_by_raw_scores =
          [](const std::vector<Rational>& s, const Rational& c, const Rational& width) {
            return c == 0 ? jacobian_norms(s, width) : raw_score_jacobian_norms(s, c, width);
          }}},
};

}  // namespace sqrtdk::properties::WhichNorm
