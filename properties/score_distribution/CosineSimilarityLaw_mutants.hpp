// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief What the checks of \ref CosineSimilarityLaw call, and wrong versions of it.
#pragma once

#include <sqrtdk/distributions/cosine_similarity_distribution.hpp>
#include <sqrtdk/distributions/rademacher_score_distribution.hpp>
#include <sqrtdk/distributions/score_distribution.hpp>
#include <sqrtdk/moments.hpp>
#include <sqrtdk/testing/laws/wide.hpp>
#include <sqrtdk/testing/mutants.hpp>

#include "properties/score_distribution/fixture.hpp"
#include "properties/score_distribution/reference.hpp"

#include <boost/math/distributions/complement.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace sqrtdk::properties::CosineSimilarityLaw {

using namespace sqrtdk::testing;
using namespace sqrtdk::reference;

using Cosine = sqrtdk::cosine_similarity_distribution<double>;

using WideCosine = cosine_similarity_distribution<Wide>;

/// The functions of the distribution of the cosine.
struct CosineFunctions {
  Wide (*wide_lower)(const Wide&, const Wide&) = [](const Wide& d, const Wide& c) -> Wide {
    return sqrtdk::cdf(WideCosine(d), c);
  };
  Wide (*wide_upper)(const Wide&, const Wide&) = [](const Wide& d, const Wide& c) -> Wide {
    return sqrtdk::cdf(complement(WideCosine(d), c));
  };
  Wide (*wide_pdf)(const Wide&, const Wide&) = [](const Wide& d, const Wide& c) -> Wide {
    return sqrtdk::pdf(WideCosine(d), c);
  };
  double (*lower)(double, double) = [](double d, double c) { return sqrtdk::cdf(Cosine(d), c); };
  double (*upper)(double, double) = [](double d, double c) {
    return sqrtdk::cdf(complement(Cosine(d), c));
  };
  double (*central)(double, double) = [](double d, double c) {
    return sqrtdk::central_cdf(Cosine(d), c);
  };
  double (*upper_quantile)(double, double) = [](double d, double q) {
    return sqrtdk::quantile(complement(Cosine(d), q));
  };
  double (*lower_quantile)(double, double) = [](double d, double p) {
    return sqrtdk::quantile(Cosine(d), p);
  };
  Wide (*quantile)(const Wide&, const Wide&) = [](const Wide& d, const Wide& p) -> Wide {
    return sqrtdk::quantile(WideCosine(d), p);
  };
  Wide (*variance)(const Wide&) = [](const Wide& d) -> Wide {
    return sqrtdk::variance(WideCosine(d));
  };
  Wide (*kurtosis)(const Wide&) = [](const Wide& d) -> Wide {
    return sqrtdk::kurtosis(WideCosine(d));
  };
  double (*cosine)(std::span<const double>, std::span<const double>) =
      [](std::span<const double> q, std::span<const double> k) {
        return std::clamp(
            properties::dot(q, k) / std::sqrt(properties::dot(q, q) * properties::dot(k, k)), -1.0,
            1.0);
      };
};

inline const std::vector<Mutant<CosineFunctions>> cosine_similarity_law_mutants = {
    {"the Beta law of d/2",
     "OddDimensionsHavePolynomials",
     {.wide_lower = [](const Wide& d, const Wide& c) -> Wide {
       return cdf(WideCosine(d + 1), c);
     }}},
    {"the Beta law of the cosine itself, not of (1 + C)/2",
     "OddDimensionsHavePolynomials",
     {.wide_lower = [](const Wide& d, const Wide& c) -> Wide {
       return c < 0 ? Wide(0) : cdf(WideCosine(d), 2 * c - 1);
     }}},
    {"the complement is the cdf",
     "OddDimensionsHavePolynomials",
     {.wide_upper = [](const Wide& d, const Wide& c) -> Wide { return cdf(WideCosine(d), c); }}},
    {"the density is that of (1 + C)/2",
     "OddDimensionsHavePolynomials",
     {.wide_pdf = [](const Wide& d, const Wide& c) -> Wide { return 2 * pdf(WideCosine(d), c); }}},
    {"uniform in the plane",
     "TwoAndFourDimensionsHaveAnArc",
     {.wide_lower = [](const Wide& d, const Wide& c) -> Wide {
       return d == 2 ? Wide((1 + c) / 2) : cdf(WideCosine(d), c);
     }}},
    {"the semicircle is forgotten",
     "TwoAndFourDimensionsHaveAnArc",
     {.wide_lower = [](const Wide& d, const Wide& c) -> Wide {
       return d == 4 ? cdf(WideCosine(Wide(2)), c) : cdf(WideCosine(d), c);
     }}},
    {"the complement loses what is small",
     "TheLawIsSymmetricAndTailAndCentreMakeOneHalf",
     {.upper = [](double d, double c) { return 1 - cdf(Cosine(d), c); }}},
    {"the quantile of d + 1",
     "QuantilesComeBack",
     {.quantile = [](const Wide& d, const Wide& p) -> Wide {
       return quantile(WideCosine(d + 1), p);
     }}},
    {"the quantile of a double",
     "QuantilesComeBack",
     {.quantile = [](const Wide& d, const Wide& p) -> Wide {
       return quantile(cosine_similarity_distribution<float>(static_cast<float>(d)),
                       static_cast<float>(p));
     }}},
    {"the law of d + 1, on both sides",
     "TheLawIsSymmetricAndTailAndCentreMakeOneHalf",
     {.lower = [](double d, double c) { return cdf(Cosine(d + 1), c); },
      .upper = [](double d, double c) { return cdf(complement(Cosine(d + 1), c)); }}},
    {"the central cdf is that of c², which vanishes",
     "TheLawIsSymmetricAndTailAndCentreMakeOneHalf",
     {.central = [](double d, double c) { return c * c == 0 ? 0 : central_cdf(Cosine(d), c); }}},
    {"quantiles are always found from 1 - 2q",
     "QuantilesOfTinyTailsComeBack",
     {.upper_quantile =
          [](double d, double q) {
            return std::sqrt(boost::math::ibeta_inv(0.5, (d - 1) / 2, 1 - 2 * q));
          }}},
    {"the lower quantile is positive",
     "QuantilesOfTinyTailsComeBack",
     {.lower_quantile = [](double d, double p) { return quantile(complement(Cosine(d), p)); }}},
    {"the density is that of d + 1",
     "TheDensityHasTheMomentsOfTheDirections",
     {.wide_pdf = [](const Wide& d, const Wide& c) -> Wide { return pdf(WideCosine(d + 1), c); }}},
    {"the density is one half, whatever d is",
     "TheDensityHasTheMomentsOfTheDirections",
     {.wide_pdf = [](const Wide&, const Wide&) { return Wide(0.5); }}},
    {"the sign of the cosine is forgotten",
     "TheNormNeedNotBeIndependentOfTheCosine",
     {.cosine =
          [](std::span<const double> q, std::span<const double> k) {
            return std::abs(CosineFunctions{}.cosine(q, k));
          }}},
    {"the variance of (1 + C)/2",
     "ItsMomentsAreThoseOfTheDirections",
     {.variance = [](const Wide& d) -> Wide { return 1 / (4 * d); }}},
    {"the kurtosis of a normal number",
     "ItsMomentsAreThoseOfTheDirections",
     {.kurtosis = [](const Wide&) { return Wide(3); }}},
    {"one dimension more",
     "CosinesOfDrawnVectorsFollowTheLaw",
     {.lower = [](double d, double c) { return cdf(Cosine(d + 1), c); }}},
    {"the score is divided by d, not by the norms",
     "CosinesOfDrawnVectorsFollowTheLaw",
     {.cosine =
          [](std::span<const double> q, std::span<const double> k) {
            return std::clamp(dot(q, k) / static_cast<double>(q.size()), -1.0, 1.0);
          }}},
    {"the directions are those of the corners",
     "CosinesOfDrawnVectorsFollowTheLaw",
     {.cosine =
          [](std::span<const double> q, std::span<const double> k) {
            double sum = 0;
            for (std::size_t i = 0; i < q.size(); ++i) sum += q[i] * k[i] > 0 ? 1 : -1;
            return sum / static_cast<double>(q.size());
          }}},
    {"a vector is nearly orthogonal to itself",
     "AQueryThatIsItsOwnKeyHasCosineOne",
     {.cosine =
          [](std::span<const double> q, std::span<const double> k) {
            return q.data() == k.data() ? 0.0 : CosineFunctions{}.cosine(q, k);
          }}},
    {"the plane has four directions",
     "DirectionsAlongTheAxesHaveAnotherLaw",
     {.wide_upper = [](const Wide& d, const Wide& c) -> Wide {
       return d == 2 ? Wide(c < 0 ? 3 : c < 1 ? 1 : 0) / 4 : cdf(complement(WideCosine(d), c));
     }}},
    {"one dimension has a law too",
     "RefusesWhatHasNoDirectionOrIsNoCosine",
     {.lower = [](double d, double c) { return d == 1 ? 0.5 : cdf(Cosine(d), c); }}},
    {"what is no cosine is clamped",
     "RefusesWhatHasNoDirectionOrIsNoCosine",
     {.lower = [](double d, double c) { return cdf(Cosine(d), std::clamp(c, -1.0, 1.0)); }}},
};

}  // namespace sqrtdk::properties::CosineSimilarityLaw
