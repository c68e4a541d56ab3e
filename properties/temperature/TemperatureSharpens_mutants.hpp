// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief What the checks of \ref TemperatureSharpens call, and wrong versions of it.
#pragma once

#include <sqrtdk/moments.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/saturation.hpp>
#include <sqrtdk/softmax.hpp>
#include <sqrtdk/softmax_interval.hpp>
#include <sqrtdk/temperature.hpp>
#include <sqrtdk/testing/generators/floating_point.hpp>
#include <sqrtdk/testing/laws/wide.hpp>

#include "properties/temperature/fixture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace sqrtdk::properties::TemperatureSharpens {

using namespace sqrtdk::testing;

inline const Mutants temperature_sharpens_mutants = {
    {"the temperature is inverted",
     "SharperWeightsMajorize",
     {.sharpened =
          [](const Vector<Rational>& w, unsigned power) {
            return Vector<Rational>(sharpened_weights(Vector<Rational>(w.cwiseInverse()), power));
          }}},
    {"weights are not normalized",
     "SharperWeightsMajorize",
     {.sharpened =
          [](const Vector<Rational>& w, unsigned power) {
            const Vector<Rational> p = sharpened_weights(w, power);
            return Vector<Rational>(p * Rational(power + 1));
          }}},
    {"the temperature is not applied",
     "SharperWeightsMajorize",
     {.sharpened = [](const Vector<Rational>& w,
                      unsigned) { return Vector<Rational>(sharpened_weights(w, 1)); }}},
    {"the temperature is applied twice",
     "TemperaturesMultiply",
     {.sharpened =
          [](const Vector<Rational>& w, unsigned power) {
            return Vector<Rational>(sharpened_weights(w, power * power));
          }}},
    {"the exponent is one too large",
     "TemperaturesMultiply",
     {.sharpened =
          [](const Vector<Rational>& w, unsigned power) {
            return Vector<Rational>(sharpened_weights(w, power + 1));
          }}},
    {"everything majorizes everything",
     "MajorizationIsAPartialOrder",
     {.majorizes = [](const Vector<Rational>& p,
                      const Vector<Rational>& q) { return p.size() == q.size(); }}},
    {"only the largest entries are compared",
     "MajorizationIsAPartialOrder",
     {.majorizes =
          [](const Vector<Rational>& p, const Vector<Rational>& q) {
            return sqrtdk::majorizes(p, q) || p.maxCoeff() >= q.maxCoeff();
          }}},
    {"sums are not compared",
     "MajorizationIsAPartialOrder",
     {.majorizes =
          [](const Vector<Rational>& p, const Vector<Rational>& q) {
            return sqrtdk::majorizes(p, Vector<Rational>(q * (p.sum() / q.sum())));
          }}},
    {"half of a key counts in the sum",
     "TheEntropyRisesWithTheTemperature",
     {.sharpened =
          [](const Vector<Rational>& w, unsigned power) {
            Vector<Rational> p = sharpened_weights(w, power);
            if (power > 1) {
              p[0] /= 2;
              p /= p.sum();
            }
            return p;
          }}},
    {"below 1 the temperature has no effect",
     "TheEntropyRisesWithTheTemperature",
     {.sharpened =
          [](const Vector<Rational>& w, unsigned power) {
            return Vector<Rational>(sharpened_weights(w, std::min(power, 1U)));
          }}},
    {"scores are multiplied by the temperature",
     "TheDocumentsRowsAreInThisOrder",
     {.heated =
          [](const std::vector<Rational>& scores, const Rational& t) {
            std::vector<Rational> multiplied;
            for (const Rational& s : scores) multiplied.push_back(s * t);
            return softmax_enclosure(multiplied);
          }}},
    {"the temperature is subtracted",
     "TheDocumentsRowsAreInThisOrder",
     {.heated =
          [](const std::vector<Rational>& scores, const Rational& t) {
            std::vector<Rational> less;
            for (const Rational& s : scores) less.push_back(s - t);
            return softmax_enclosure(less);
          }}},
    {"the mean square instead of the variance",
     "TheVarianceIsTheSlopeOfTheAttendedScore",
     {.attended =
          [](const Vector<Rational>& p, const Vector<Rational>& s) {
            auto score = attended_score(p, s);
            score.variance += score.mean * score.mean;
            return score;
          }}},
    {"the unweighted mean",
     "TheVarianceIsTheSlopeOfTheAttendedScore",
     {.attended =
          [](const Vector<Rational>& p, const Vector<Rational>& s) {
            auto score = attended_score(p, s);
            score.mean = s.sum() / Rational(s.size());
            return score;
          }}},
    {"τ² instead of τ³",
     "TheEntropysSlopeIsTheVarianceOverTheCube",
     {.formal_slope = [](const Vector<Formal>& s, const Formal& t) -> Formal {
       return entropy_slope(s, t) * t;
     }}},
    {"the slope has the other sign",
     "TheEntropysSlopeIsTheVarianceOverTheCube",
     {.formal_slope = [](const Vector<Formal>& s, const Formal& t) -> Formal {
       return -entropy_slope(s, t);
     }}},
    {"the entropy is half as large again",
     "TheEntropysSlopeIsTheVarianceOverTheCube",
     {.formal_entropy = [](const Vector<Formal>& s, const Formal& t) -> Formal {
       return softmax_entropy(s, t) * 3 / 2;
     }}},
    {"the entropy without ln Σ",
     "TheEntropysSlopeIsTheVarianceOverTheCube",
     {.formal_entropy = [](const Vector<Formal>& s, const Formal& t) -> Formal {
       return softmax_entropy(s, t) - log_sum_exp(s, t);
     }}},
    {"τ² instead of τ³, in fifty digits",
     "InFiftyDigitsTheSlopeIsThatOfTheEntropy",
     {.slope = [](const Vector<Wide>& s, const Wide& t) -> Wide {
       return entropy_slope(s, t) * t;
     }}},
    {"the slope has the other sign, in fifty digits",
     "InFiftyDigitsTheSlopeIsThatOfTheEntropy",
     {.slope = [](const Vector<Wide>& s, const Wide& t) -> Wide { return -entropy_slope(s, t); }}},
    {"the entropy is in bits",
     "InFiftyDigitsTheSlopeIsThatOfTheEntropy",
     {.entropy = [](const Vector<Wide>& s, const Wide& t) -> Wide {
       return softmax_entropy(s, t) / log(Wide(2));
     }}},
    {"the slope is NaN at small temperatures",
     "AtTheEndsOfTheFormatTheSlopeIsRight",
     {.slope_in_double =
          [](const Vector<double>& s, double t) {
            return attended_score(softmax(s, t), s).variance / (t * t * t);
          }}},
    {"the entropy of the inverse temperature",
     "InDoubleTheEntropyRises",
     {.entropy_in_double = [](const Vector<double>& s,
                              double t) { return softmax_entropy(s, 1 / t); }}},
    {"the first weight is 1 at low temperatures",
     "WeightsOfEqualScoresNeverChange",
     {.sharpened =
          [](const Vector<Rational>& w, unsigned power) {
            Vector<Rational> p = sharpened_weights(w, power);
            if (power > 7) p[0] = 1;
            return p;
          }}},
    {"a weight of 0 is accepted",
     "RefusesWhatAreNoWeights",
     {.sharpened =
          [](const Vector<Rational>& w, unsigned power) {
            return w.size() > 0 && w.minCoeff() == 0
                       ? w
                       : Vector<Rational>(sharpened_weights(w, power));
          }}},
};

}  // namespace sqrtdk::properties::TemperatureSharpens
