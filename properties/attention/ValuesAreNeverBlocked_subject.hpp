// The functions under test of \ref ValuesAreNeverBlocked, which an exercise replaces, too.
#pragma once

#include <sqrtdk/attention.hpp>
#include <sqrtdk/attention/pass.hpp>

#include "properties/attention/faults.hpp"
#include "properties/attention/fixture.hpp"

namespace sqrtdk::properties::ValuesAreNeverBlocked {

using namespace attention_faults;

/// Weights that are given, whatever the scores are: a row for each query.
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

struct Subject {
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

}  // namespace sqrtdk::properties::ValuesAreNeverBlocked
