// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief What the checks of \ref SoftmaxError call, and wrong versions of it.
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

namespace sqrtdk::properties::SoftmaxError {

using namespace sqrtdk::testing;

template <class Function>
Softmaxes with_softmax(Function function) {
  return wrong_softmax<Softmaxes>(function);
}

/// A wrong error bound, from a change of each relative bound: `change(t, T)` units are taken off.
template <class Change>
Softmaxes with_terms(Change) {
  return with_bound([](const auto& x, auto temperature, const SoftmaxArithmetic& arithmetic) {
    SoftmaxErrorBound bound = library_bound(x, temperature, arithmetic);
    double S = 0;
    double T = 0;
    const auto m = greatest_of(x);
    for (const auto logit : x) {
      const double t = static_cast<double>((m - logit) / temperature);
      S += std::exp(-t);
      T += std::exp(-t) > 0 ? std::exp(-t) * t : 0;
    }
    for (std::size_t j = 0; j < x.size(); ++j) {
      double& relative = bound.relative[static_cast<Eigen::Index>(j)];
      if (relative > 0)
        relative -= arithmetic.unit_roundoff *
                    Change{}(static_cast<double>((m - x[j]) / temperature), T / S);
    }
    return bound;
  });
}

template <class Real>
Values<Real> without_subnormals(Values<Real> x) {
  for (Real& number : x)
    if (std::abs(number) < std::numeric_limits<Real>::min()) number = 0;
  return x;
}

/// The arithmetic of such hardware: four times the smallest normal number in the place of η.
template <class Real>
SoftmaxArithmetic flushing_arithmetic() {
  SoftmaxArithmetic by = arithmetic_of<Real>();
  by.smallest = 4 * static_cast<double>(std::numeric_limits<Real>::min());
  return by;
}

inline const Mutants softmax_error_mutants = {
    {"a difference that overflows is infinite, as in the formula", "AnAdversaryDoesNotBreakIt",
     with_softmax([](const auto& x, auto temperature) {
       return shifted_softmax(x, greatest_of(x), temperature);
     })},
    {"the first logit is left out of the sum", "ErrorsStayWithinTheBound",
     with_softmax([](const auto& x, auto temperature) {
       auto y = library_softmax(x, temperature);
       const auto rest = 1 - y.front();
       if (rest > 0)
         for (auto& weight : y) weight /= rest;
       return y;
     })},
    {"all weights are too small by 32 units", "ErrorsStayWithinTheBound",
     with_softmax([](const auto& x, auto temperature) {
       using Real = decltype(temperature);
       auto y = library_softmax(x, temperature);
       for (auto& weight : y) weight /= 1 + 32 * std::numeric_limits<Real>::epsilon();
       return y;
     })},
    {"the weights are rounded to bfloat16", "ErrorsStayWithinTheBound",
     with_softmax([](const auto& x, auto temperature) {
       auto y = library_softmax(x, temperature);
       for (auto& weight : y)
         weight = static_cast<decltype(temperature)>(Eigen::bfloat16(static_cast<float>(weight)));
       return y;
     })},
    {"a masked score has a little weight",
     "ErrorsStayWithinTheBound",
     {.in_long_double = {.softmax =
                             [](const Values<long double>& x, long double temperature) {
                               Values<long double> unmasked = x;
                               for (long double& score : unmasked)
                                 if (std::isinf(score)) score = greatest_of(x) - 30;
                               return library_softmax(unmasked, temperature);
                             }}}},
    {"the temperature multiplies", "ATemperatureKeepsTheBound",
     with_softmax([](const auto& x, auto temperature) {
       using T = decltype(temperature);
       return library_softmax(x, std::min(T(1) / temperature, std::numeric_limits<T>::max()));
     })},
    {"the temperature is applied twice", "ATemperatureKeepsTheBound",
     with_softmax([](const auto& x, auto temperature) {
       const auto twice = temperature * temperature;
       return library_softmax(x, twice > 0 && std::isfinite(twice) ? twice : temperature);
     })},
    {"differences may overflow", "DifferencesThatOverflowDoNoHarm",
     with_softmax([](const auto& x, auto temperature) {
       return shifted_softmax(x, greatest_of(x), temperature);
     })},
    {"halves are taken of the scores but not of the temperature", "DifferencesThatOverflowDoNoHarm",
     with_softmax([](const auto& x, auto temperature) {
       auto halves = x;
       for (auto& score : halves) score /= 2;
       return std::isfinite(x.front() - x.back()) ? library_softmax(x, temperature)
                                                  : library_softmax(halves, temperature);
     })},
    {"a quotient is not rounded", "RoundingsThatConspireComeNearTheBound",
     with_arithmetic([](SoftmaxArithmetic& by) { by.quotient_roundings = 0; })},
    {"the bound is a thousandth larger", "RoundingsThatConspireComeNearTheBound",
     with_bound([](const auto& x, auto temperature, const SoftmaxArithmetic& arithmetic) {
       SoftmaxErrorBound bound = library_bound(x, temperature, arithmetic);
       bound.relative *= 1.001;
       return bound;
     })},
    {"a long sum is added one after the other", "AMillionLogits",
     with_softmax([](const auto& x, auto temperature) {
       return shifted_softmax(x, greatest_of(x), temperature);
     })},
    {"subnormal weights are flushed to 0", "UnderflowIsGradual",
     with_softmax([](const auto& x, auto temperature) {
       return without_subnormals(library_softmax(x, temperature));
     })},
    {"a weight is never 0", "UnderflowIsGradual", with_softmax([](const auto& x, auto temperature) {
       auto y = library_softmax(x, temperature);
       for (auto& weight : y)
         weight = std::max(weight, std::numeric_limits<decltype(temperature)>::min());
       return y;
     })},
    {"the bound lacks t", "TheBoundIsTheFormulaOfThePage",
     with_terms([](double t, double) { return t; })},
    {"the bound lacks T", "TheBoundIsTheFormulaOfThePage",
     with_terms([](double, double T) { return T; })},
    {"the bound lacks A", "TheBoundIsTheFormulaOfThePage",
     with_arithmetic([](SoftmaxArithmetic& by) { by.exp_error = 0; })},
    {"the bound lacks the reduction of the argument", "TheBoundIsTheFormulaOfThePage",
     with_arithmetic([](SoftmaxArithmetic& by) { by.exp_argument_error = 0; })},
    {"the bound lacks the quotient", "TheBoundIsTheFormulaOfThePage",
     with_arithmetic([](SoftmaxArithmetic& by) { by.quotient_roundings = 0; })},
    {"the bound lacks the rescalings", "TheBoundIsTheFormulaOfThePage",
     with_arithmetic([](SoftmaxArithmetic& by) { by.rescalings = 0; })},
    {"the bound lacks the rounding of the storage", "TheBoundIsTheFormulaOfThePage",
     with_arithmetic([](SoftmaxArithmetic& by) { by.storage_roundoff = 0; })},
    {"the bound lacks the underflow of the storage", "TheBoundIsTheFormulaOfThePage",
     with_arithmetic([](SoftmaxArithmetic& by) { by.storage_smallest = 0; })},
    {"the bound lacks underflow", "TheBoundIsTheFormulaOfThePage",
     with_arithmetic([](SoftmaxArithmetic& by) { by.smallest /= 2; })},
    {"the bound takes every sum for a shallow one", "TheBoundIsTheFormulaOfThePage",
     with_arithmetic([](SoftmaxArithmetic& by) { by.summation = Summation::pairwise; })},
    {"the bound takes every block for one of eight", "TheBoundIsTheFormulaOfThePage",
     with_arithmetic([](SoftmaxArithmetic& by) { by.block = default_block; })},
    {"blocks of eight are said to be enough for longer ones", "LongBlocksHaveToBeDeclared",
     with_arithmetic([](SoftmaxArithmetic& by) { by.block = default_block; })},
    {"every block is taken for a long one", "LongBlocksHaveToBeDeclared",
     with_arithmetic([](SoftmaxArithmetic& by) { by.block = 1024; })},
    {"a sum by halves is said to be as deep as its logarithm",
     "NoTermGoesThroughMoreAdditionsThanDeclared",
     {.depth = [](Summation summation, std::size_t n,
                  std::size_t) { return summation_depth(summation, n, 1); }}},
    {"the length of a block is left out of the depth",
     "NoTermGoesThroughMoreAdditionsThanDeclared",
     {.depth = [](Summation summation, std::size_t n,
                  std::size_t) { return summation_depth(summation, n); }}},
    {"a sum by halves is said to be as deep as any",
     "NoTermGoesThroughMoreAdditionsThanDeclared",
     {.depth = [](Summation, std::size_t n,
                  std::size_t) { return summation_depth(Summation::any_order, n); }}},
    {"the bound forgets that a sum may overflow", "TheBoundIsTheFormulaOfThePage",
     with_arithmetic([](SoftmaxArithmetic& by) { by.largest = inf<double>; })},
    {"half precision is computed in half precision",
     "StoredInAShorterTypeItIsRoundedOnce",
     {.in_half = {.softmax =
                      [](const Values<float>& x, float temperature) {
                        Eigen::half sum(0);
                        Values<float> y;
                        for (const float logit : x) {
                          const float shifted = (logit - greatest_of(x)) / temperature;
                          y.push_back(static_cast<float>(Eigen::half(std::exp(shifted))));
                          sum += Eigen::half(y.back());
                        }
                        for (float& weight : y)
                          weight = static_cast<float>(Eigen::half(weight) / sum);
                        return y;
                      }}}},
    {"bfloat16 is cut off and not rounded",
     "StoredInAShorterTypeItIsRoundedOnce",
     {.in_bfloat16 = {.softmax =
                          [](const Values<float>& x, float temperature) {
                            Values<float> y = library_softmax(x, temperature);
                            for (float& weight : y)
                              weight = std::bit_cast<float>(std::bit_cast<std::uint32_t>(weight) &
                                                            0xffff0000U);
                            return y;
                          }}}},
    {"fifty digits are said to have the exp of a processor",
     "FiftyDigitsKeepTheirBound",
     {.of_fifty_digits = as_of_hardware<Wide>}},
    {"fifty digits are computed in a long double",
     "FiftyDigitsKeepTheirBound",
     {.in_fifty_digits = {.softmax =
                              [](const Values<Wide>& x, Wide temperature) {
                                Values<long double> shorter;
                                for (const Wide& score : x)
                                  shorter.push_back(static_cast<long double>(score));
                                const auto y =
                                    library_softmax(shorter, static_cast<long double>(temperature));
                                return Values<Wide>(y.begin(), y.end());
                              }}}},
    {"an exponential may be a million times worse", "ACrudeExponentialBreaksIt",
     with_arithmetic([](SoftmaxArithmetic& by) { by.exp_error = 1e6; })},
    {"the bound takes every sum for a deep one", "ADeepSumBreaksTheBoundOfAShallowOne",
     with_arithmetic([](SoftmaxArithmetic& by) { by.summation = Summation::any_order; })},
    {"underflow may cost the smallest normal number", "FlushingSubnormalsBreaksIt",
     with_bound([](const auto& x, auto temperature, const SoftmaxArithmetic&) {
       return library_bound(x, temperature, flushing_arithmetic<decltype(temperature)>());
     })},
    {"the bound of flushing hardware has no underflow", "FourTimesTheSmallestNormalNumberMendsIt",
     with_bound([](const auto& x, auto temperature, const SoftmaxArithmetic&) {
       return library_bound(x, temperature, arithmetic_of<decltype(temperature)>());
     })},
    {"no bound is vacuous", "AFlatRowOfLowPrecisionHasAVacuousBound",
     with_bound([](const auto& x, auto temperature, const SoftmaxArithmetic& arithmetic) {
       SoftmaxErrorBound bound = library_bound(x, temperature, arithmetic);
       for (double& relative : bound.relative) relative = std::min(relative, 0.5);
       return bound;
     })},
    {"a sum never overflows", "ASumThatOverflowsHasAVacuousBound",
     with_arithmetic([](SoftmaxArithmetic& by) { by.largest = inf<double>; })},
    {"the bound of two scores is half of it", "TheWorkedList",
     with_bound([](const auto& x, auto temperature, const SoftmaxArithmetic& arithmetic) {
       SoftmaxErrorBound bound = library_bound(x, temperature, arithmetic);
       bound.relative /= 2;
       return bound;
     })},
};

}  // namespace sqrtdk::properties::SoftmaxError
