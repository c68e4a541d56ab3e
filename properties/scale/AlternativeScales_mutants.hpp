// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief What the checks of \ref AlternativeScales call, and wrong versions of it.
#pragma once

#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/scale.hpp>
#include <sqrtdk/testing/laws/wide.hpp>

#include "properties/scale/fixture.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>

namespace sqrtdk::properties::AlternativeScales {

using namespace sqrtdk::testing;

/// The largest ln d, and size of a number of a rule, that log_variance_left() takes in doubles.
inline const double largest_log_dimension = std::ldexp(1.0, 508);

inline const Mutants alternative_scales_mutants = {
    {"the divisor is not squared",
     "EachScaleOfTheDocumentsLeavesItsVariance",
     {.variance_left = [](const ScalingRule& rule, std::size_t d) -> Rational {
       const ScalingRule root{.factor = rule.factor, .power = rule.power / 2};
       return variance_left(root, d) * rule.factor;
     }}},
    {"the constant is ignored",
     "AMultipleOfTheRootLeavesOneOverItsSquare",
     {.variance_left = [](const ScalingRule& rule, std::size_t d) -> Rational {
       return variance_left(ScalingRule{.power = rule.power}, d);
     }}},
    {"the score is taken to have variance 1",
     "EachScaleOfTheDocumentsLeavesItsVariance",
     {.variance_left = [](const ScalingRule& rule, std::size_t d) -> Rational {
       return variance_left(rule, d) / Rational(d);
     }}},
    {"the logarithm's power is ignored",
     "OnlyMultiplesOfTheRootHaveAPositiveLimit",
     {.limit_of_variance_left =
          [](const ScalingRule& rule) {
            return limit_of_variance_left({.power = rule.power, .pi_rate = rule.pi_rate});
          }}},
    {"the exponential's rate is ignored",
     "OnlyMultiplesOfTheRootHaveAPositiveLimit",
     {.limit_of_variance_left =
          [](const ScalingRule& rule) {
            return limit_of_variance_left({.power = rule.power, .log_power = rule.log_power});
          }}},
    {"the variance is compared with d² instead of d",
     "OnlyMultiplesOfTheRootHaveAPositiveLimit",
     {.limit_of_variance_left =
          [](const ScalingRule& rule) {
            ScalingRule halved = rule;
            halved.power -= Rational(1, 2);
            return limit_of_variance_left(halved);
          }}},
    {"a power beats the exponential",
     "TheVarianceGoesToItsLimitBeyondEveryBound",
     {.limit_of_variance_left =
          [](const ScalingRule& rule) {
            if (rule.power > Rational(1, 2)) return Limit::zero;
            if (rule.power < Rational(1, 2)) return Limit::infinite;
            return limit_of_variance_left(rule);
          }}},
    {"zero and infinity are exchanged",
     "TheVarianceGoesToItsLimitBeyondEveryBound",
     {.limit_of_variance_left =
          [](const ScalingRule& rule) {
            const Limit limit = limit_of_variance_left(rule);
            if (limit == Limit::positive) return limit;
            return limit == Limit::zero ? Limit::infinite : Limit::zero;
          }}},
    {"the constant's logarithm is not doubled",
     "BothFormsOfTheVarianceAgree",
     {.log_variance_left = [](const ScalingRule& rule, const double& log_d) -> double {
       return log_variance_left(rule, log_d) + std::log(rule.factor.convert_to<double>());
     }}},
    {"the power is not doubled",
     "BothFormsOfTheVarianceAgree",
     {.log_variance_left = [](const ScalingRule& rule, const double& log_d) -> double {
       return log_variance_left(rule, log_d) + rule.power.convert_to<double>() * log_d;
     }}},
    {"the exponential's π is forgotten",
     "TheExponentialLeavesDTimesItsSquaredInverse",
     {.log_variance_left = [](const ScalingRule& rule, const double& log_d) -> double {
       return log_variance_left(ScalingRule{.power = rule.power}, log_d) -
              2 * rule.pi_rate.convert_to<double>() * std::exp(log_d);
     }}},
    {"ln d is not squared",
     "TheLogarithmLeavesLeastAtTheSquareOfE",
     {.log_variance_left = [](const ScalingRule& rule, const double& log_d) -> double {
       return log_variance_left(rule, log_d) +
              rule.log_power.convert_to<double>() * std::log(log_d);
     }}},
    {"e^L overflows before a small rate is multiplied to it",
     "IsWithinItsBoundAtEveryDimension",
     {.log_variance_left = [](const ScalingRule& rule, const double& log_d) -> double {
       const ScalingRule rest{
           .factor = rule.factor, .power = rule.power, .log_power = rule.log_power};
       return log_variance_left(rest, log_d) -
              (rule.pi_rate == 0 ? 0
                                 : 2 * rule.pi_rate.convert_to<double>() *
                                       boost::math::constants::pi<double>() * std::exp(log_d));
     }}},
    {"the power is rounded before 1 − 2·power is computed",
     "IsWithinItsBoundAtEveryDimension",
     {.log_variance_left = [](const ScalingRule& rule, const double& log_d) -> double {
       ScalingRule rounded = rule;
       rounded.power = Rational(rule.power.convert_to<double>());
       return log_variance_left(rounded, log_d);
     }}},
    {"the logarithm of ln d is computed in single precision",
     "IsWithinItsBoundAtEveryDimension",
     {.log_variance_left = [](const ScalingRule& rule, const double& log_d) -> double {
       const ScalingRule rest{.factor = rule.factor, .power = rule.power, .pi_rate = rule.pi_rate};
       return log_variance_left(rest, log_d) -
              (rule.log_power == 0 ? 0
                                   : 2 * rule.log_power.convert_to<double>() *
                                         static_cast<double>(std::log(static_cast<float>(log_d))));
     }}},
    {"the bound forgets the term with e^L",
     "IsWithinItsBoundAtEveryDimension",
     {.log_variance_left_error = [](const ScalingRule& rule, const double& log_d) -> double {
       return log_variance_left_error(
           {.factor = rule.factor, .power = rule.power, .log_power = rule.log_power}, log_d);
     }}},
    {"the bound forgets that the factor is rounded",
     "IsWithinItsBoundAtEveryDimension",
     {.log_variance_left_error = [](const ScalingRule& rule, const double& log_d) -> double {
       return log_variance_left_error(rule, log_d) - 7 * std::numeric_limits<double>::epsilon();
     }}},
    {"the bound is that of fifty digits",
     "ALooseLogarithmOrExponentialBreaksTheBound",
     {.log_variance_left_error = [](const ScalingRule& rule, const double& log_d) -> double {
       return log_variance_left_error<Wide>(rule, log_d).convert_to<double>();
     }}},
    {"c(1) = 0 is taken for 1",
     "TheLogarithmOfOneIsNoDivisor",
     {.log_variance_left =
          [](const ScalingRule& rule, const double& log_d) {
            return log_d == 0 ? 0 : log_variance_left(rule, log_d);
          }}},
    {"a divisor of 0 is accepted",
     "RefusesWhatIsNoScale",
     {.constant_scale = [](const Rational& divisor) { return ScalingRule{.factor = divisor}; }}},
    {"a dimension of 0 is accepted",
     "RefusesWhatIsNoScale",
     {.variance_left =
          [](const ScalingRule& rule, std::size_t d) {
            return d == 0 ? Rational(0) : variance_left(rule, d);
          }}},
    {"a negative ln d is accepted",
     "RefusesWhatIsNoScale",
     {.log_variance_left =
          [](const ScalingRule& rule, const double& log_d) {
            return log_d < 0 ? 0 : log_variance_left(rule, log_d);
          }}},
    {"a ln d without limit is accepted",
     "RefusesWhatIsNoScale",
     {.log_variance_left =
          [](const ScalingRule& rule, const double& log_d) {
            return log_variance_left(rule, log_d > largest_log_dimension ? 1 : log_d);
          }}},
    {"a factor below zero is accepted",
     "RefusesWhatIsNoScale",
     {.variance_left =
          [](const ScalingRule& rule, std::size_t d) {
            ScalingRule positive = rule;
            if (rule.factor < 0) positive.factor = -rule.factor;
            return variance_left(positive, d);
          }}},
    {"a power whose double is no integer is rounded",
     "RefusesWhatIsNoScale",
     {.variance_left =
          [](const ScalingRule& rule, std::size_t d) {
            ScalingRule rounded = rule;
            rounded.power = Rational((2 * rule.power).convert_to<int>(), 2);
            return variance_left(rounded, d);
          }}},
    {"a logarithm is left out of the rational form",
     "RefusesWhatIsNoScale",
     {.variance_left =
          [](const ScalingRule& rule, std::size_t d) {
            return variance_left({.factor = rule.factor, .power = rule.power}, d);
          }}},
};

}  // namespace sqrtdk::properties::AlternativeScales
