// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief What the checks of \ref ValuesAreNeverBlocked call, and wrong versions of it.
#pragma once

#include <sqrtdk/attention.hpp>
#include <sqrtdk/attention_pass.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/softmax.hpp>
#include <sqrtdk/testing/laws/attention_case.hpp>
#include <sqrtdk/testing/mutants.hpp>

#include "properties/attention/faults.hpp"
#include "properties/attention/fixture.hpp"

#include <Eigen/Core>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace sqrtdk::properties::ValuesAreNeverBlocked {

using namespace sqrtdk::testing;
using namespace attention_faults;

/// Weights that are given, whatever the scores are: row after row, as the backward pass asks for
/// them.
struct GivenWeights {
  const RationalMatrix& weights;  // P, a row for each query that sees a key
  mutable Index next = 0;         // which row is asked for next

  template <class Derived>
  auto operator()(const Eigen::MatrixBase<Derived>&) const {
    return sqrtdk::ColumnOf<Rational>(weights.row(next++).transpose());
  }
};

using RationalProjections = Projections<Rational>;

inline AttentionGradient<Rational> gradient_of_weights(const RationalCase& input,
                                                       const RationalMatrix& weights) {
  return attention_gradient(input.queries, input.keys, input.values, input.output_gradient,
                            input.options, GivenWeights{weights});
}

inline RationalMatrix residual_of_weights(const RationalMatrix& inputs,
                                          const RationalProjections& projections,
                                          const RationalMatrix& output_gradient,
                                          const RationalMatrix& weights) {
  AttentionOptions<Rational> options;
  options.scale = 1;
  return residual_gradient(inputs, projections, output_gradient, options, GivenWeights{weights});
}

/// How derivatives reach queries, keys, values and inputs.
struct Paths {
  AttentionGradient<Rational> (*gradient)(const RationalCase&,
                                          const RationalMatrix&) = gradient_of_weights;
  AttentionGradient<double> (*in_double)(const AttentionCase<double>&) =
      [](const AttentionCase<double>& x) {
        return attention_gradient(x.queries, x.keys, x.values, x.output_gradient, x.options);
      };
  Rational (*bound)(const RationalMatrix&, const RationalMatrix&) =
      [](const RationalMatrix& weights, const RationalMatrix& gains) {
        return score_gradient_bound(weights.row(0), gains.row(0));
      };
  RationalMatrix (*residual)(const RationalMatrix&, const RationalProjections&,
                             const RationalMatrix&, const RationalMatrix&) = residual_of_weights;
};

inline Rational largest_weight(const RationalMatrix& weights) {
  return weights.cols() == 0 ? Rational(0) : weights.row(0).maxCoeff();
}

inline Rational range_of(const RationalMatrix& gains) {
  if (gains.cols() == 0) return 0;
  return gains.row(0).maxCoeff() - gains.row(0).minCoeff();
}

/// The gradient by scores and values of a softmax whose Jacobian has lost its mean.
inline AttentionGradient<Rational> gradient_without_mean(const RationalCase& input,
                                                         const RationalMatrix& weights) {
  AttentionGradient<Rational> gradient = gradient_of_weights(input, weights);
  if (weights.rows() != input.queries.rows()) return gradient;  // some query sees nothing
  const RationalMatrix by_score =
      weights.cwiseProduct(input.output_gradient * input.values.transpose());
  gradient.queries = by_score * input.keys;
  return gradient;
}

inline const std::vector<Mutant<Paths>> values_are_never_blocked_mutants = {
    {"weights are not transposed",
     "TheValuesShareTheWholeGradient",
     {.gradient =
          [](const RationalCase& input, const RationalMatrix& weights) {
            auto gradient = gradient_of_weights(input, weights);
            if (weights.rows() == weights.cols()) gradient.values = weights * input.output_gradient;
            return gradient;
          }}},
    {"the values are divided by their number",
     "TheValuesShareTheWholeGradient",
     {.gradient =
          [](const RationalCase& input, const RationalMatrix& weights) {
            auto gradient = gradient_of_weights(input, weights);
            gradient.values /= Rational(static_cast<int>(weights.cols()));
            return gradient;
          }}},
    {"where weights are one-hot all gradients vanish",
     "AtOneHotWeightsTheValuesGetAGradient",
     {.gradient =
          [](const RationalCase& input, const RationalMatrix& weights) {
            auto gradient = gradient_of_weights(input, weights);
            if (largest_weight(weights) == 1) gradient.values.setConstant(Rational(0));
            return gradient;
          }}},
    {"the mean is not subtracted",
     "OneHotWeightsBlockQueriesAndKeysOnly",
     {.gradient = gradient_without_mean}},
    {"every value has its share",
     "OneHotWeightsBlockQueriesAndKeysOnly",
     {.gradient =
          [](const RationalCase& input, const RationalMatrix& weights) {
            auto gradient = gradient_of_weights(input, weights);
            const RationalMatrix whole = gradient.values.colwise().sum();
            gradient.values =
                whole.replicate(weights.cols(), 1) / Rational(static_cast<int>(weights.cols()));
            return gradient;
          }}},
    {"weights that underflow keep a trace of gradient",
     "WeightsThatUnderflowAreOneHot",
     {.in_double =
          [](const AttentionCase<double>& x) {
            auto gradient =
                attention_gradient(x.queries, x.keys, x.values, x.output_gradient, x.options);
            gradient.queries.array() += std::numeric_limits<double>::denorm_min();
            return gradient;
          }}},
    {"a value without weight gets a gradient",
     "WeightsThatUnderflowAreOneHot",
     {.in_double =
          [](const AttentionCase<double>& x) {
            auto gradient =
                attention_gradient(x.queries, x.keys, x.values, x.output_gradient, x.options);
            gradient.values.array() += std::numeric_limits<double>::denorm_min();
            return gradient;
          }}},
    {"p₁ without 1 − p₁",
     "TheGradientByTheScoresIsBounded",
     {.bound = [](const RationalMatrix& weights, const RationalMatrix& gains) -> Rational {
       return 2 * range_of(gains) * largest_weight(weights);
     }}},
    {"the factor 2 is forgotten",
     "TheGradientByTheScoresIsBounded",
     {.bound = [](const RationalMatrix& weights, const RationalMatrix& gains) -> Rational {
       return range_of(gains) * largest_weight(weights) * (1 - largest_weight(weights));
     }}},
    {"2p₁(1 − p₁) for a small p₁ as well",
     "TheGradientByTheScoresIsBounded",
     {.bound = [](const RationalMatrix& weights, const RationalMatrix& gains) -> Rational {
       return 2 * range_of(gains) * largest_weight(weights) * (1 - largest_weight(weights));
     }}},
    {"one half whatever the weights",
     "TheGradientByTheScoresIsBounded",
     {.bound = [](const RationalMatrix&, const RationalMatrix& gains) -> Rational {
       return range_of(gains) / 2;
     }}},
    {"the largest gain for the range",
     "TheGradientByTheScoresIsBounded",
     {.bound = [](const RationalMatrix& weights, const RationalMatrix& gains) -> Rational {
       const Rational range = range_of(gains);
       if (range == 0) return gains.cols() == 0 ? Rational(0) : gains.row(0).maxCoeff();
       return score_gradient_bound(weights.row(0), gains.row(0)) * gains.row(0).maxCoeff() / range;
     }}},
    {"the residual is omitted",
     "AResidualKeepsTheGradient",
     {.residual = [](const RationalMatrix& x, const RationalProjections& w, const RationalMatrix& g,
                     const RationalMatrix& p) -> RationalMatrix {
       return residual_of_weights(x, w, g, p) - g;
     }}},
    {"the values' projection is not transposed",
     "AResidualKeepsTheGradient",
     {.residual = [](const RationalMatrix& x, const RationalProjections& w, const RationalMatrix& g,
                     const RationalMatrix& p) -> RationalMatrix {
       const RationalMatrix by_values = p.transpose() * g;
       return residual_of_weights(x, w, g, p) - by_values * w.values.transpose() +
              by_values * w.values;
     }}},
    {"the keys do not come from the inputs",
     "AResidualKeepsTheGradient",
     {.residual =
          [](const RationalMatrix& x, RationalProjections const& w, const RationalMatrix& g,
             const RationalMatrix& p) {
            RationalProjections fixed_keys = w;
            fixed_keys.keys.setConstant(Rational(0));
            return residual_of_weights(x, fixed_keys, g, p);
          }}},
    {"one-hot weights block the residual too",
     "ANormBehindTheSumCanBlockIt",
     {.residual = [](const RationalMatrix& x, const RationalProjections& w, const RationalMatrix& g,
                     const RationalMatrix& p) -> RationalMatrix {
       return residual_of_weights(x, w, g, p) * Rational(largest_weight(p) == 1 ? 0 : 1);
     }}},
    {"what a blind query loses goes to the first value",
     "AQueryThatSeesNothingPassesNothing",
     {.gradient =
          [](const RationalCase& input, const RationalMatrix& weights) {
            auto gradient = gradient_of_weights(input, weights);
            for (Index i = 0; i < input.queries.rows(); ++i)
              if (sees_nothing(input, i)) gradient.values.row(0) += input.output_gradient.row(i);
            return gradient;
          }}},
    {"gains without weights are accepted",
     "RefusesGainsThatDoNotFit",
     {.bound =
          [](const RationalMatrix& weights, const RationalMatrix& gains) {
            return weights.size() == gains.size()
                       ? score_gradient_bound(weights.row(0), gains.row(0))
                       : Rational(0);
          }}},
};

}  // namespace sqrtdk::properties::ValuesAreNeverBlocked
