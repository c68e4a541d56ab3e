// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief One call of attention, and by which conventions: what its laws take.
#pragma once

#include <sqrtdk/attention/pass.hpp>
#include <sqrtdk/numbers/columns.hpp>
#include <sqrtdk/testing/laws/arrays.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>

namespace sqrtdk::testing {

/// One call of attention, and the derivative of a loss with respect to its output.
template <class Real>
struct AttentionCase {
  Matrix<Real> queries;                     ///< Q, n × d
  Matrix<Real> keys;                        ///< K, m × d
  Matrix<Real> values;                      ///< V, m × d_v
  Matrix<Real> output_gradient;             ///< G, n × d_v
  AttentionOptions<Compute<Real>> options;  ///< scale, bias and masks, as attention takes them
  std::optional<Compute<Real>> sink = {};   ///< a sink's score: of a key of value 0, always seen
};

/// The same case in a format that holds its numbers.
/// \relatesalso AttentionCase
template <class To, class Real>
AttentionCase<To> widened(const AttentionCase<Real>& input) {
  const auto wide = [](const auto& matrix) -> Matrix<To> {
    using Scalar = typename std::decay_t<decltype(matrix)>::Scalar;
    return matrix.unaryExpr([](const Scalar& x) { return To(static_cast<Compute<Scalar>>(x)); });
  };
  const auto& [scale, bias, allowed, causal, return_weights] = input.options;
  AttentionCase<To> result{wide(input.queries),
                           wide(input.keys),
                           wide(input.values),
                           wide(input.output_gradient),
                           {{}, {}, allowed, causal, return_weights}};
  if (scale) result.options.scale = To(*scale);
  if (bias) result.options.bias = wide(*bias);
  if (input.sink) result.sink = To(*input.sink);
  return result;
}

/// The row of a query that sees no key: implementations differ.
enum class EmptyRows {
  zero,  ///< 0, as sqrtdk::scaled_dot_product_attention() has it
  nan,   ///< NaN, the quotient of two empty sums
  mean,  ///< the mean of all values, left by equal scores instead of −∞
  any    ///< 0, NaN, or numbers in the range of the values
};

/// The most queries, keys, features and values of the cases of a campaign. Up to 130 each size
/// occurs; larger ones are sampled around multiples of 64, and head dimensions that ship.
struct CaseSizes {
  int queries = 385;   ///< the most queries
  int keys = 1025;     ///< the most keys
  int features = 256;  ///< the most features
  int values = 256;    ///< the most columns of the values
};

/// The inputs of an implementation of attention, and its conventions where others differ.
struct AttentionConventions {
  bool masks = true;         ///< true if keys may be masked, in all of the ways that follow
  bool permissions = true;   ///< by a mask of true and false
  bool biases = true;        ///< by numbers that are added to scores, −∞ among them
  bool top_left = true;      ///< by a causal mask that lets the first query see the first key
  bool bottom_right = true;  ///< by one that lets the last query see all keys
  bool scales = true;        ///< true if a scale may be given; else it is 1/√d

  double least_scale = -std::numeric_limits<double>::infinity();    ///< the least scale to give
  double greatest_scale = std::numeric_limits<double>::infinity();  ///< the greatest scale to give

  EmptyRows empty_rows = EmptyRows::zero;  ///< the row of a query that sees no key
  /// A finite number that stands for −∞ among the biases: those at or below it mask.
  std::optional<double> mask_value = {};
  /// The log-sum-exp of a query that sees no key; anything if it is not said.
  std::optional<double> empty_log_sum_exp = -std::numeric_limits<double>::infinity();
  bool sinks = false;            ///< true if there may be a sink
  bool ignores_masked = false;   ///< unseen numbers may be anything, NaN included
  bool deterministic = false;    ///< the same call gives the same bits again
  bool batch_invariant = false;  ///< bits of a query depend neither on others nor on its place
  CaseSizes sizes = {};          ///< the most queries, keys, features and values
  std::uint64_t seed = 0;        ///< of sizes above 130, which are sampled
  unsigned seconds = 0;  ///< if above 0: each case first in a process of its own, at most so long
};

}  // namespace sqrtdk::testing
