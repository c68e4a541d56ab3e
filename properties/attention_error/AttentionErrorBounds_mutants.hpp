// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Wrong bounds that the tests of \ref AttentionErrorBounds must reject.
#pragma once

#include <sqrtdk/attention.hpp>
#include <sqrtdk/attention_error.hpp>
#include <sqrtdk/attention_weight_error.hpp>
#include <sqrtdk/softmax_error.hpp>
#include <sqrtdk/testing/generators/floating_point.hpp>
#include <sqrtdk/testing/laws/attention_case.hpp>
#include <sqrtdk/testing/laws/wide.hpp>
#include <sqrtdk/testing/mutants.hpp>

#include "properties/attention_error/fixture.hpp"

#include <Eigen/Core>

#include <limits>
#include <vector>

namespace sqrtdk::properties::AttentionErrorBounds {

using namespace sqrtdk::testing;

/// What can be wrong with the bounds.
enum class Slip {
  none,
  halved,
  doubled,
  finer_roundings,
  exact_weights,
  no_underflow,
  no_storage,
  no_overflow,
  weights_are_stored,
  exact_scores,
  counts_exchanged,
  widths_exchanged,
  zero_times_infinity,
  not_finite_is_zero
};

/// The bounds of the library, or with a slip.
struct Bounds {
  Slip slip = Slip::none;

  SoftmaxArithmetic misread(SoftmaxArithmetic a) const {
    if (slip == Slip::finer_roundings) a.unit_roundoff *= 0.97;
    if (slip == Slip::no_underflow) a.smallest = 0;
    if (slip == Slip::no_storage) a.storage_roundoff = a.storage_smallest = 0;
    if (slip == Slip::weights_are_stored) a.storage_roundoff *= 2;
    if (slip == Slip::no_overflow)
      a.largest = a.storage_largest = std::numeric_limits<double>::infinity();
    return a;
  }
  AttentionWeightErrors misread(AttentionWeightErrors weights) const {
    if (slip == Slip::exact_weights) weights.relative *= 0x1p-30;
    return weights;
  }
  double factor() const { return slip == Slip::halved ? 0.5 : slip == Slip::doubled ? 2 : 1; }
  template <class Real>
  AttentionCase<Real> misread(AttentionCase<Real> input) const {
    if (slip != Slip::not_finite_is_zero) return input;
    const auto finite = [](const Real& x) { return Real(x - x) == Real(0) ? x : Real(0); };
    input.keys = input.keys.unaryExpr(finite).eval();
    input.values = input.values.unaryExpr(finite).eval();
    return input;
  }
  void misread(Eigen::MatrixXd& bound) const {
    bound *= factor();
    if (slip == Slip::zero_times_infinity) bound += 0.0 * bound;
  }

  AttentionErrorBound output(const AttentionWeightErrors& weights, const Eigen::MatrixXd& values,
                             const SoftmaxArithmetic& a) const {
    AttentionErrorBound bound = attention_error_bound(misread(weights), values, misread(a));
    misread(bound.output);
    return bound;
  }
  AttentionGradientErrorBound gradient(const AttentionWeightErrors& weights, double scale,
                                       const Eigen::MatrixXd& q, const Eigen::MatrixXd& k,
                                       const Eigen::MatrixXd& v, const Eigen::MatrixXd& g,
                                       const SoftmaxArithmetic& a) const {
    return multiplied(
        attention_gradient_error_bound(misread(weights), scale, q, k, v, g, misread(a)));
  }
  template <class Real>
  AttentionErrorBound output(const AttentionCase<Real>& given) const {
    const AttentionCase<Real> input = misread(given);
    if (slip == Slip::counts_exchanged)
      sqrtdk::detail::require_equal_counts(input.values, input.keys);
    if (slip == Slip::widths_exchanged)
      sqrtdk::detail::require_equal_widths(input.keys, input.queries);
    AttentionErrorBound bound = attention_error_bound<Wide>(
        input.queries, input.keys, input.values, input.options, misread(arithmetic_of<Real>()));
    misread(bound.output);
    return bound;
  }
  template <class Real>
  AttentionGradientErrorBound gradient(const AttentionCase<Real>& given) const {
    const AttentionCase<Real> input = misread(given);
    if (slip == Slip::counts_exchanged)
      sqrtdk::detail::require_equal_counts(input.values, input.keys);
    return multiplied(attention_gradient_error_bound<Wide>(input.queries, input.keys, input.values,
                                                           input.output_gradient, input.options,
                                                           misread(arithmetic_of<Real>())));
  }

 private:
  AttentionGradientErrorBound multiplied(AttentionGradientErrorBound bound) const {
    misread(bound.gradient.queries);
    misread(bound.gradient.keys);
    misread(bound.gradient.values);
    return bound;
  }
};

const std::vector<Mutant<Bounds>> attention_error_bounds_mutants = {
    {"roundings that are finer by a thirtieth",
     "NoRoundingGoesBeyondThem",
     {Slip::finer_roundings}},
    {"products do not underflow", "NoRoundingGoesBeyondThem", {Slip::no_underflow}},
    {"weights are exact", "NoRoundingGoesBeyondThem", {Slip::exact_weights}},
    {"twice the bounds, whatever the roundings",
     "WithOneRoundingFewerTheyWouldBeFalse",
     {Slip::doubled}},
    {"half of the bounds", "AreTheFormulasOfThePage", {Slip::halved}},
    {"twice the bounds", "AreTheFormulasOfThePage", {Slip::doubled}},
    {"results are not stored", "AreTheFormulasOfThePage", {Slip::no_storage}},
    {"weights are stored too", "AreTheFormulasOfThePage", {Slip::weights_are_stored}},
    {"results are not rounded when they are stored", "StorageRoundsOnceMore", {Slip::no_storage}},
    {"what is stored is exact", "ComputedAttentionStaysWithinThem", {Slip::no_storage}},
    {"half of the numbers of the page", "NumbersForTwoQueriesAndTwoKeys", {Slip::halved}},
    {"twice the bound of the sentence",
     "FiveKeysOfSixtyFourDimensionsInSinglePrecision",
     {Slip::doubled}},
    {"no number overflows", "AnOverflowIsNotPromised", {Slip::no_overflow}},
    {"weights may be stored", "WeightsThatAreStoredBreakThem", {Slip::weights_are_stored}},
    {"a storage that rounds by 0 is multiplied by an infinite bound",
     "ABoundThatPromisesNothingIsInfinite",
     {Slip::zero_times_infinity}},
    {"a key that is no number counts as 0",
     "RefuseWhatIsNotFiniteOnlyWhereItIsSeen",
     {Slip::not_finite_is_zero}},
    {"keys and values change places in the message",
     "RefuseShapesThatDoNotFit",
     {Slip::counts_exchanged}},
    {"queries and keys change places in the message",
     "RefuseShapesThatDoNotFit",
     {Slip::widths_exchanged}},
};

}  // namespace sqrtdk::properties::AttentionErrorBounds
