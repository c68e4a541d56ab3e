// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief What the checks of \ref ScorePrecision call, and wrong versions of it.
#pragma once

#include <sqrtdk/distributions/score_distribution.hpp>
#include <sqrtdk/testing/laws/wide.hpp>
#include <sqrtdk/testing/mutants.hpp>

#include "properties/score_distribution/reference.hpp"
#include "properties/score_numerics/fixture.hpp"

#include <boost/math/constants/constants.hpp>
#include <boost/math/distributions/complement.hpp>
#include <boost/math/distributions/normal.hpp>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <utility>
#include <vector>

namespace sqrtdk::properties::ScorePrecision {

using namespace sqrtdk::testing;
using namespace sqrtdk::reference;

using boost::math::complement;

/// P(X > x) with fifty digits, by the header's path for all types; computed once for each point.
inline Wide tail_in_fifty_digits(double d, double x) {
  static std::map<std::pair<double, double>, Wide> known;
  const auto [place, is_new] = known.try_emplace({d, x});
  if (is_new) place->second = cdf(complement(score_distribution<Wide>(d), Wide(x)));
  return place->second;
}

/// The functions of the distribution whose errors are measured.
struct ScoreFunctions {
  double (*pdf)(double, double) = [](double d, double x) { return sqrtdk::pdf(Score(d), x); };
  double (*logpdf)(double, double) = [](double d, double x) { return sqrtdk::logpdf(Score(d), x); };
  double (*lower)(double, double) = [](double d, double x) { return sqrtdk::cdf(Score(d), x); };
  double (*upper)(double, double) = [](double d, double x) {
    return sqrtdk::cdf(complement(Score(d), x));
  };
  double (*log_lower)(double, double) = [](double d, double x) {
    return sqrtdk::logcdf(Score(d), x);
  };
  double (*log_upper)(double, double) = [](double d, double x) {
    return sqrtdk::logcdf(complement(Score(d), x));
  };
  double (*central)(double, double) = [](double d, double x) {
    return sqrtdk::central_cdf(Score(d), x);
  };
  double (*quantile)(double, double) = [](double d, double p) {
    return sqrtdk::quantile(Score(d), p);
  };
  double (*upper_quantile)(double, double) = [](double d, double p) {
    return sqrtdk::quantile(complement(Score(d), p));
  };
  double (*hazard)(double, double) = [](double d, double x) { return sqrtdk::hazard(Score(d), x); };
  double (*cumulative_hazard)(double, double) = [](double d, double x) {
    return sqrtdk::chf(Score(d), x);
  };
  Wide (*wide_upper)(double, double) = tail_in_fifty_digits;
  long double (*wide_erfcx)(long double) = [](long double u) { return parts::fast_erfcx(u); };
  double (*erfcx)(double) = [](double u) { return parts::fast_erfcx(u); };
  Reference (*reference)(double, double) = reference_at;
};

/// Newton's method for the quantile near the middle, with a rule for when a step is small enough.
template <class Rule>
double central_newton(double d, double mass, Rule is_small) {
  double x = mass * std::sqrt(constants::two_pi<double>() * d);
  double previous = x;
  for (int i = 0; i < parts::quantile_iterations; ++i) {
    const double now = parts::central_mass(d, x);
    const double before = x;
    x *= std::exp(-std::log1p((now - mass) / mass) * now / (x * pdf(Score(d), x)));
    const double step = x - before;
    if (is_small(step, previous, x)) break;
    previous = step;
  }
  return x;
}

inline const std::vector<Mutant<ScoreFunctions>> score_precision_mutants = {
    {"the complement is one minus the cdf",
     "TheTailsAreRightToAFewEpsilons",
     {.upper = [](double d, double x) { return 1 - cdf(Score(d), x); }}},
    {"the tail is the exponential of its rounded logarithm",
     "TheTailsAreRightToAFewEpsilons",
     {.upper = [](double d, double x) { return std::exp(logcdf(complement(Score(d), x))); }}},
    {"the cdf passes through a float",
     "TheTailsAreRightToAFewEpsilons",
     {.lower = [](double d, double x) -> double { return static_cast<float>(cdf(Score(d), x)); }}},
    {"the density is the exponential of its rounded logarithm",
     "TheDensityIsRightToAFewEpsilons",
     {.pdf = [](double d, double x) { return std::exp(logpdf(Score(d), x)); }}},
    {"the hazard is divided by one minus the cdf",
     "TheDensityIsRightToAFewEpsilons",
     {.hazard = [](double d, double x) { return pdf(Score(d), x) / (1 - cdf(Score(d), x)); }}},
    {"the logarithm of a density that underflows",
     "LogarithmsAreRightFarBeyondUnderflow",
     {.logpdf = [](double d, double x) { return std::log(pdf(Score(d), x)); }}},
    {"the logarithm of a tail that underflows",
     "LogarithmsAreRightFarBeyondUnderflow",
     {.log_upper = [](double d, double x) { return std::log(cdf(complement(Score(d), x))); }}},
    {"the logarithm of a cdf that is nearly one",
     "LogarithmsAreRightFarBeyondUnderflow",
     {.log_lower = [](double d, double x) { return std::log(cdf(Score(d), x)); }}},
    {"the cumulative hazard of a tail that underflows",
     "LogarithmsAreRightFarBeyondUnderflow",
     {.cumulative_hazard = [](double d,
                              double x) { return -std::log(cdf(complement(Score(d), x))); }}},
    {"the cdf less one half",
     "NearTheCentreNothingCancels",
     {.central = [](double d, double x) { return cdf(Score(d), x) - 0.5; }}},
    {"the quantile of the normal law",
     "QuantilesComeBack",
     {.upper_quantile =
          [](double d, double p) {
            return quantile(complement(boost::math::normal(0, std::sqrt(d)), p));
          }}},
    {"the upper quantile of a small p is found from 1 - p",
     "QuantilesComeBack",
     {.upper_quantile =
          [](double d, double p) {
            return 1 - p < 1 ? quantile(Score(d), 1 - p) : 40 * std::sqrt(d);
          }}},
    {"lower and upper quantile are the same",
     "QuantilesComeBack",
     {.quantile = [](double d, double p) { return quantile(complement(Score(d), p)); }}},
    {"Newton's method stops at a step of 64 epsilon, however small x is",
     "QuantilesNearTheMiddleComeBack",
     {.upper_quantile =
          [](double d, double p) {
            return central_newton(d, 0.5 - p, [](double step, double previous, double) {
              return std::abs(step) < 64 * epsilon && 2 * std::abs(step) >= std::abs(previous);
            });
          }}},
    {"Newton's method takes one step",
     "QuantilesNearTheMiddleComeBack",
     {.upper_quantile =
          [](double d, double p) {
            return central_newton(d, 0.5 - p, [](double, double, double) { return true; });
          }}},
    {"the pole of the inversion formula is forgotten",
     "TheReferenceGivesTheValuesOfThreeOtherRoutes",
     {.reference =
          [](double d, double x) {
            return d < 200 ? around_the_cut(d, x) : along_the_line(d, x, false);
          }}},
    {"the density is that of d + 1",
     "TheReferenceGivesTheValuesOfThreeOtherRoutes",
     {.pdf = [](double d, double x) { return pdf(Score(d + 1), x); }}},
    {"the reference has twenty-five digits",
     "TheReferenceHasThirtyDigits",
     {.reference =
          [](double d, double x) {
            Reference at = reference_at(d, x);
            at.tail *= 1 + Wide(1e-25);
            return at;
          }}},
    {"the pole of the inversion formula is forgotten, seen in thirty digits",
     "TheReferenceHasThirtyDigits",
     {.reference =
          [](double d, double x) {
            return d < 200 ? around_the_cut(d, x) : along_the_line(d, x, false);
          }}},
    {"fifty digits are fifteen",
     "InFiftyDigitsTheErrorIsAsSmallAsPromised",
     {.wide_upper = [](double d, double x) -> Wide { return cdf(complement(Score(d), x)); }}},
    {"the scaled error function of double serves for long double",
     "TheScaledErrorFunctionIsRight",
     {.wide_erfcx = [](long double u) -> long double {
       return parts::fast_erfcx(static_cast<double>(u));
     }}},
    {"the scaled error function is exp(u²) erfc(u)",
     "TheScaledErrorFunctionIsRight",
     {.erfcx = [](double u) { return std::exp(u * u) * std::erfc(u); }}},
    {"at the worst points everything is four epsilons larger",
     "TheWorstThatASearchFound",
     {.upper = [](double d,
                  double x) { return cdf(complement(Score(d), x)) * (1 + 4 * epsilon); }}},
    {"a hazard four epsilons larger",
     "TheWorstThatASearchFound",
     {.hazard = [](double d, double x) { return hazard(Score(d), x) * (1 + 4 * epsilon); }}},
    {"a central cdf four epsilons larger",
     "TheWorstThatASearchFound",
     {.central = [](double d, double x) { return central_cdf(Score(d), x) * (1 + 4 * epsilon); }}},
    {"the smallest scores are taken to be zero",
     "TheSmallestScoresKeepTheirDigits",
     {.central = [](double d,
                    double x) { return std::abs(x) < 1e-290 ? 0 : central_cdf(Score(d), x); }}},
    {"the tail of a tiny score is one half",
     "TheSmallestScoresKeepTheirDigits",
     {.upper = [](double d, double x) { return x < 1e-290 ? 0.5 : cdf(complement(Score(d), x)); }}},
    {"a tail that is no number",
     "EveryDimensionHasAnAnswer",
     {.upper =
          [](double d, double x) {
            return d < 1e-300 ? std::numeric_limits<double>::quiet_NaN()
                              : cdf(complement(Score(d), x));
          }}},
    {"a quantile that is no number",
     "EveryDimensionHasAnAnswer",
     {.upper_quantile =
          [](double d, double p) {
            return d > 1e308 ? std::numeric_limits<double>::quiet_NaN()
                             : quantile(complement(Score(d), p));
          }}},
};

}  // namespace sqrtdk::properties::ScorePrecision
