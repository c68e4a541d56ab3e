// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief What the checks of \ref LogarithmErrors call, and wrong versions of it.
#pragma once

#include <sqrtdk/softmax_error.hpp>
#include <sqrtdk/testing/laws/wide.hpp>

#include "properties/softmax/functions.hpp"
#include "properties/softmax_error/fixture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace sqrtdk::properties::LogarithmErrors {

using namespace sqrtdk::testing;

/// Wrong bounds of the logarithms, from a change of the arithmetic.
template <class Change>
Softmaxes with_logarithms_of(Change) {
  Softmaxes result;
  result.in_double.lse_bound = [](const Values<double>& x, double temperature,
                                  const SoftmaxArithmetic& by) {
    return library_lse_bound(x, temperature, changed<Change>(by));
  };
  result.in_float.log_bound = [](const Values<float>& x, float temperature,
                                 const SoftmaxArithmetic& by) {
    return library_log_bound(x, temperature, changed<Change>(by));
  };
  return result;
}

inline const Mutants logarithm_errors_mutants = {
    {"the logarithm of the sum loses two units",
     "AnAdversaryDoesNotBreakThem",
     {.in_float = {.log_sum_exp =
                       [](const Values<float>& x, float temperature) {
                         return library_log_sum_exp(x, temperature) *
                                (1 - 2 * std::numeric_limits<float>::epsilon());
                       }}}},
    {"the logarithm of a weight loses two units",
     "AnAdversaryDoesNotBreakThem",
     {.in_double = {.log_softmax =
                        [](const Values<double>& x, double temperature) {
                          Values<double> y = library_log_softmax(x, temperature);
                          for (double& entry : y)
                            entry *= 1 - 2 * std::numeric_limits<double>::epsilon();
                          return y;
                        }}}},
    {"the logarithm is to base 2",
     "LogarithmsStayWithinTheirBounds",
     {.in_double = {.log_sum_exp =
                        [](const Values<double>& x, double temperature) {
                          return library_log_sum_exp(x, temperature) / std::log(2.0);
                        }}}},
    {"the maximum is not added again",
     "LogarithmsStayWithinTheirBounds",
     {.in_double = {.log_sum_exp =
                        [](const Values<double>& x, double temperature) {
                          return library_log_sum_exp(x, temperature) - greatest_of(x) / temperature;
                        }}}},
    {"the logarithm is that of the weight",
     "LogarithmsStayWithinTheirBounds",
     {.in_float = {.log_softmax =
                       [](const Values<float>& x, float temperature) {
                         Values<float> y = library_softmax(x, temperature);
                         for (float& weight : y) weight = std::log(weight);
                         return y;
                       }}}},
    {"differences may overflow",
     "DifferencesThatOverflowDoNoHarm",
     {.in_float = {.log_softmax =
                       [](const Values<float>& x, float temperature) {
                         Values<float> y = x;
                         const float m = greatest_of(x);
                         const float log_sum =
                             library_log_sum_exp(x, temperature) - m / temperature;
                         for (float& score : y) score = (score - m) / temperature - log_sum;
                         return y;
                       }}}},
    {"the sum takes differences that overflow",
     "DifferencesThatOverflowDoNoHarm",
     {.in_double = {.log_sum_exp =
                        [](const Values<double>& x, double temperature) {
                          const double m = greatest_of(x);
                          double sum = 0;
                          for (const double score : x) sum += std::exp((score - m) / temperature);
                          return m / temperature + std::log(sum);
                        }}}},
    {"half precision takes the logarithm of a rounded weight",
     "StoredInAShorterTypeTheyAreRoundedOnce",
     {.in_half = {.log_softmax =
                      [](const Values<float>& x, float temperature) {
                        Values<float> y = library_stored_softmax<Eigen::half>(x, temperature);
                        for (float& weight : y) weight = std::log(weight);
                        return y;
                      }}}},
    {"bfloat16 is cut off and not rounded",
     "StoredInAShorterTypeTheyAreRoundedOnce",
     {.in_bfloat16 = {.log_softmax =
                          [](const Values<float>& x, float temperature) {
                            Values<float> y = library_log_softmax(x, temperature);
                            for (float& number : y)
                              number = std::bit_cast<float>(std::bit_cast<std::uint32_t>(number) &
                                                            0xffff0000U);
                            return y;
                          }}}},
    {"the bound of log-sum-exp lacks the logarithm",
     "TheirBoundsAreTheFormulasOfThePage",
     {.in_double = {.lse_bound =
                        [](const Values<double>& x, double temperature,
                           const SoftmaxArithmetic& by) {
                          SoftmaxArithmetic changed = by;
                          changed.log_error = 0;
                          return library_lse_bound(x, temperature, changed);
                        }}}},
    {"the bound of log-softmax lacks the rounding of t",
     "TheirBoundsAreTheFormulasOfThePage",
     {.in_float = {.log_bound =
                       [](const Values<float>& x, float temperature, const SoftmaxArithmetic& by) {
                         Eigen::VectorXd bound = library_log_bound(x, temperature, by);
                         for (Eigen::Index j = 0; j < bound.size(); ++j)
                           bound[j] -=
                               by.unit_roundoff *
                               static_cast<double>(
                                   (greatest_of(x) - x[static_cast<std::size_t>(j)]) / temperature);
                         return bound;
                       }}}},
    {"the bounds lack the depth of the sum", "TheirBoundsAreTheFormulasOfThePage",
     with_logarithms_of([](SoftmaxArithmetic& by) { by.summation = Summation::pairwise; })},
    {"the bounds lack the rescalings", "TheirBoundsAreTheFormulasOfThePage",
     with_logarithms_of([](SoftmaxArithmetic& by) { by.rescalings = 0; })},
    {"the bounds lack underflow", "TheirBoundsAreTheFormulasOfThePage",
     with_logarithms_of([](SoftmaxArithmetic& by) { by.smallest = 0; })},
    {"the bounds lack the reduction of the argument", "TheirBoundsAreTheFormulasOfThePage",
     with_logarithms_of([](SoftmaxArithmetic& by) { by.exp_argument_error = 0; })},
    {"the bound of log-softmax lacks the storage",
     "TheirBoundsAreTheFormulasOfThePage",
     {.in_float = {.log_bound =
                       [](const Values<float>& x, float temperature, const SoftmaxArithmetic& by) {
                         SoftmaxArithmetic changed = by;
                         changed.storage_roundoff = 0;
                         return library_log_bound(x, temperature, changed);
                       }}}},
    {"ln S loses half a unit of 1 where it is small",
     "TheirBoundsAreTheFormulasOfThePage",
     {.in_double = {.log_bound =
                        [](const Values<double>& x, double temperature,
                           const SoftmaxArithmetic& by) {
                          Eigen::VectorXd bound = library_log_bound(x, temperature, by);
                          // At worst the sum 1 + e^(-32) loses half a unit of 1.
                          if (x.size() == 2 && x[0] - x[1] == 32)
                            for (double& each : bound) each -= by.storage_roundoff * 0x1p-53;
                          return bound;
                        }}}},
    {"a result is never out of range", "NoBoundIsNaNAndNoneIsKeptByChance",
     with_logarithms_of([](SoftmaxArithmetic& by) {
       by.largest = inf<double>;
       by.storage_largest = inf<double>;
     })},
    {"the rounding of the storage is 0 times infinity",
     "NoBoundIsNaNAndNoneIsKeptByChance",
     {.in_double = {.log_bound =
                        [](const Values<double>& x, double temperature,
                           const SoftmaxArithmetic& by) {
                          Eigen::VectorXd bound = library_log_bound(x, temperature, by);
                          for (Eigen::Index j = 0; j < bound.size(); ++j)
                            bound[j] += 0 * ((greatest_of(x) - x[static_cast<std::size_t>(j)]) /
                                             temperature);
                          return bound;
                        }}}},
    {"fifty digits are said to have the log of a processor",
     "FiftyDigitsKeepTheirBounds",
     {.of_fifty_digits = as_of_hardware<Wide>}},
    {"fifty digits are computed in a hundred",
     "TwoUnitsAreTooFewForFiftyDigits",
     {.in_fifty_digits = {.log_sum_exp =
                              [](const Values<Wide>& x, Wide temperature) {
                                return Wide(library_log_sum_exp<Wider>(
                                    Values<Wider>(x.begin(), x.end()), Wider(temperature)));
                              }}}},
    {"any logarithm can be stored",
     "WhatCannotBeStoredIsOutside",
     {.in_float = {.log_bound =
                       [](const Values<float>& x, float temperature, const SoftmaxArithmetic& by) {
                         SoftmaxArithmetic changed = by;
                         changed.storage_largest = inf<double>;
                         return library_log_bound(x, temperature, changed);
                       }}}},
    {"coarse arithmetic has a bound of 1",
     "ABoundThatSaysNothingIsCalledVacuous",
     {.in_double = {.lse_bound =
                        [](const Values<double>& x, double temperature,
                           const SoftmaxArithmetic& by) {
                          return std::min(library_lse_bound(x, temperature, by), 1.0);
                        }}}},
};

}  // namespace sqrtdk::properties::LogarithmErrors
