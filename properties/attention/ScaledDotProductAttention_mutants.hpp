// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief What the checks of \ref ScaledDotProductAttention call, and wrong versions of it.
#pragma once

#include "properties/attention/faults.hpp"
#include "properties/attention/fixture.hpp"

#include <gtest/gtest.h>

namespace sqrtdk::properties::ScaledDotProductAttention {

using namespace sqrtdk::testing;
using namespace attention_faults;

inline const Mutants scaled_dot_product_attention_mutants = {
    {"not scaled", "OutputIsTheFormulasWithinTheBound", {Fault::unscaled}},
    {"divided by d", "OutputIsTheFormulasWithinTheBound", {Fault::divided_by_d}},
    {"multiplied by the root", "OutputIsTheFormulasWithinTheBound", {Fault::multiplied_by_root}},
    {"the last key is left out", "OutputIsTheFormulasWithinTheBound", {Fault::one_key_too_few}},
    {"a halved output", "OutputIsTheFormulasWithinTheBound", {Fault::halved}},
    {"the maximum is not subtracted", "OutputIsTheFormulasWithinTheBound", {Fault::no_maximum}},
    {"weights in single precision", "OutputIsTheFormulasWithinTheBound", {Fault::coarse_weights}},
    {"softmax over the queries",
     "OutputIsTheFormulaOverTheRationals",
     {Fault::weights_over_queries}},
    {"keys are taken for values", "OutputIsTheFormulaOverTheRationals", {Fault::keys_for_values}},
    {"the first query for all", "OutputIsTheFormulaOverTheRationals", {Fault::one_query_for_all}},
    {"rounded to bfloat16", "HalfPrecisionIsOnlyForStorage", {Fault::coarse_result}},
    {"weights are rounded to half precision too",
     "HalfPrecisionIsOnlyForStorage",
     {Fault::weights_in_half}},
    {"scores are not scaled", "ScoresAreExactUpToTheirBound", {Fault::unscaled}},
    {"scores are transposed", "ScoresOfColumnsAreTheOtherFormula", {Fault::weights_over_queries}},
    {"scores are divided by d", "ScoresOfColumnsAreTheOtherFormula", {Fault::divided_by_d}},
    {"the mean is not subtracted", "GradientIsTheFormulasWithinTheBound", {Fault::no_mean}},
    {"dQ is not scaled", "GradientIsTheFormulasWithinTheBound", {Fault::unscaled_queries}},
    {"dK is not scaled", "GradientIsTheDerivativeOfTheOutput", {Fault::unscaled_keys}},
    {"half of dV", "GradientIsTheDerivativeOfTheOutput", {Fault::halved}},
    {"dV by the weights, not transposed",
     "GradientIsTheAdjointOfTheDerivative",
     {Fault::transposed_values}},
    {"dQ without the scale", "GradientIsTheAdjointOfTheDerivative", {Fault::unscaled_queries}},
    {"the mask is ignored", "MasksLeaveOutTheirKeysAndNothingElse", {Fault::mask_ignored}},
    {"the mask is inverted", "MasksLeaveOutTheirKeysAndNothingElse", {Fault::mask_inverted}},
    {"the bias is ignored", "MasksLeaveOutTheirKeysAndNothingElse", {Fault::bias_ignored}},
    {"the bias is scaled too", "MasksLeaveOutTheirKeysAndNothingElse", {Fault::bias_before_scale}},
    {"causal is ignored", "MasksLeaveOutTheirKeysAndNothingElse", {Fault::causal_ignored}},
    {"causal is aligned at the other corner",
     "MasksLeaveOutTheirKeysAndNothingElse",
     {Fault::causal_aligned_otherwise}},
    {"a query does not see its own position",
     "MasksLeaveOutTheirKeysAndNothingElse",
     {Fault::causal_without_the_diagonal}},
    {"a query that sees nothing gets the mean of the values",
     "AQueryThatSeesNoKeyGetsZero",
     {Fault::blind_query_averages}},
    {"masked keys have weight 0, not no weight",
     "WhatNoQuerySeesChangesNoBit",
     {Fault::masked_by_a_large_number}},
    {"the gradient looks at masked keys",
     "WhatNoQuerySeesGetsNoGradient",
     {Fault::masked_key_is_looked_at}},
    {"a masked value gets a gradient",
     "WhatNoQuerySeesGetsNoGradient",
     {Fault::masked_value_gets_a_gradient}},
    {"weights are returned unasked", "WeightsAreReturnedOnRequest", {Fault::weights_always}},
    {"weights are returned transposed", "WeightsAreReturnedOnRequest", {Fault::weights_transposed}},
    {"what does not fit is cut off", "RefusesShapesThatDoNotFit", {Fault::shapes_cut}},
    {"keys and values change places in the message",
     "RefusesShapesThatDoNotFit",
     {Fault::counts_exchanged}},
    {"queries and keys change places in the message",
     "RefusesShapesThatDoNotFit",
     {Fault::shapes_exchanged}},
    {"a score that overflows counts as nothing",
     "RefusesScoresThatOverflow",
     {Fault::overflow_becomes_zero}},
    {"a score that overflows is used", "RefusesScoresThatOverflow", {Fault::overflow_unnoticed}},
    {"the last of the keys is left out, at the edges too",
     "HoldsAtTheEdges",
     {Fault::one_key_too_few}},
    {"half of the output, at the edges too", "HoldsAtTheEdges", {Fault::halved}},
    {"a key of −∞ in the place of a small weight", "HoldsAtTheEdges", {Fault::endless_depth}},
    {"what should make a weight subnormal is divided by the root",
     "HoldsAtTheEdges",
     {Fault::depth_over_the_root}},
    {"NaN is made plausible", "NotANumberStaysVisible", {Fault::nan_becomes_zero}},
    {"divided by d, as in no document",
     "TheStepsOfTheTextbookAreTheFormulaOnceTheirNamesAreDefined",
     {Fault::divided_by_d}},
    {"weights that are returned lie on their side",
     "TheStepsOfTheTextbookAreTheFormulaOnceTheirNamesAreDefined",
     {Fault::weights_transposed}},
};

}  // namespace sqrtdk::properties::ScaledDotProductAttention
