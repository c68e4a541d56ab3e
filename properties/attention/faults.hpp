// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief The library's attention, and what can be wrong with it.
#pragma once

#include <sqrtdk/attention.hpp>
#include <sqrtdk/attention_pass.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/softmax.hpp>
#include <sqrtdk/testing/generators/floating_point.hpp>
#include <sqrtdk/testing/laws/arrays.hpp>
#include <sqrtdk/testing/laws/attention_case.hpp>
#include <sqrtdk/testing/mutants.hpp>

#include "properties/attention/fixture.hpp"

#include <Eigen/Core>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace {

using namespace sqrtdk;
using namespace sqrtdk::testing;

/// Positive rational weights of any scores, s² + s + 1, in place of exponentials: whatever does not
/// depend on the exponential is then an identity of rational numbers.
struct RationalWeighting {
  template <class Derived>
  auto operator()(const Eigen::MatrixBase<Derived>& scores) const {
    return normalized_weights(
        scores.unaryExpr([](const Rational& s) -> Rational { return s * s + s + 1; }).eval());
  }
};

/// What softmax is without the subtraction of the maximum.
struct NaiveWeighting {
  template <class Derived>
  auto operator()(const Eigen::MatrixBase<Derived>& scores) const {
    return naive_softmax(scores);
  }
};

/// The weighting for a scalar.
template <class Real>
using Weighting =
    std::conditional_t<std::is_same_v<Real, Rational>, RationalWeighting, SoftmaxWeighting>;

/// What can be wrong with an implementation of attention.
enum class Fault {
  none,
  unscaled,
  divided_by_d,
  multiplied_by_root,
  one_key_too_few,
  one_query_for_all,
  keys_for_values,
  weights_over_queries,
  not_normalized,
  halved,
  no_maximum,
  coarse_weights,
  coarse_result,
  mask_ignored,
  bias_ignored,
  bias_before_scale,
  causal_ignored,
  causal_aligned_otherwise,
  causal_without_the_diagonal,
  mask_inverted,
  blind_query_averages,
  masked_by_a_large_number,
  weights_always,
  weights_transposed,
  shapes_cut,
  overflow_becomes_zero,
  no_mean,
  unscaled_queries,
  unscaled_keys,
  transposed_values,
  masked_key_is_looked_at,
  masked_value_gets_a_gradient,
  nan_becomes_zero,
  mask_of_the_first_query,
  mask_of_the_next_key,
  weights_in_half,
  overflow_unnoticed,
  counts_exchanged,
  shapes_exchanged
};

/// The scale that a case asks for.
template <class Real>
Compute<Real> scale_of(const AttentionCase<Real>& input) {
  if (input.options.scale) return *input.options.scale;
  return Compute<Real>(1) / sqrtdk::exact_sqrt<Compute<Real>>(input.queries.cols());
}

/// Whether query i sees key j: the masks once more, in other words.
template <class Real>
bool sees(const AttentionCase<Real>& input, Index i, Index j) {
  const auto& [scale, bias, allowed, causal, return_weights] = input.options;
  if (causal) {
    const Index last_key = input.keys.rows() - 1;
    const Index last_query = input.queries.rows() - 1;
    const Index later_keys = last_key - j;
    const Index later_queries = last_query - i;
    if (*causal == CausalAlignment::top_left && i < j) return false;
    if (*causal == CausalAlignment::bottom_right && later_keys < later_queries) return false;
  }
  if constexpr (!std::is_same_v<Real, Rational>)
    if (bias && std::isinf((*bias)(i, j))) return false;
  return !allowed || (*allowed)(i, j);
}

template <class Real>
bool sees_nothing(const AttentionCase<Real>& input, Index i) {
  for (Index j = 0; j < input.keys.rows(); ++j)
    if (sees(input, i, j)) return false;
  return true;
}

/// The functions that this chapter's checks call, one of which a mutant replaces: the library, or
/// the library with a fault.
struct Attention {
  Fault fault = Fault::none;

  template <class Real>
  Matrix<Real> output(const AttentionCase<Real>& input) const;
  template <class Real>
  Matrix<Real> weights(const AttentionCase<Real>& input) const;
  template <class Real>
  AttentionResult<Real> result(const AttentionCase<Real>& input) const;
  template <class Real>
  AttentionGradient<Real> gradient(const AttentionCase<Real>& input) const;
  template <class Real>
  auto scores(const Matrix<Real>& queries, const Matrix<Real>& keys,
              const std::optional<Compute<Real>>& scale) const;
};

/// The case as an implementation with a fault takes it in. One function, since it is a list: a
/// fault, and what it changes.
template <class Real>
AttentionCase<Real> misread(AttentionCase<Real> input, Fault fault) {
  auto& options = input.options;
  const Index n = input.queries.rows();
  const Index m = input.keys.rows();
  const bool mask_fits = !options.allowed || options.allowed->cols() == m;
  if (!mask_fits || input.values.rows() != m || input.keys.cols() == 0) return input;
  switch (fault) {
    case Fault::unscaled:
      options.scale = Compute<Real>(1);
      break;
    case Fault::divided_by_d:
      if (!options.scale) options.scale = scale_of(input) * scale_of(input);
      break;
    case Fault::multiplied_by_root:
      if (!options.scale) options.scale = Compute<Real>(1) / scale_of(input);
      break;
    case Fault::one_key_too_few:
      if (m > 1) {
        if (!options.allowed) options.allowed = Matrix<bool>::Constant(n, m, true);
        options.allowed->col(m - 1).setConstant(false);
      }
      break;
    case Fault::one_query_for_all:
      for (Index i = 1; i < n; ++i) input.queries.row(i) = input.queries.row(0);
      break;
    case Fault::keys_for_values:
      for (Index c = 0; c < input.values.cols(); ++c)
        input.values.col(c) = input.keys.col(c % input.keys.cols());
      break;
    case Fault::mask_ignored:
      options.allowed.reset();
      break;
    case Fault::bias_ignored:
      options.bias.reset();
      break;
    case Fault::bias_before_scale:
      if (options.bias) *options.bias *= scale_of(input);
      break;
    case Fault::causal_ignored:
      options.causal.reset();
      break;
    case Fault::causal_aligned_otherwise:
      if (options.causal)
        options.causal = options.causal == CausalAlignment::top_left ? CausalAlignment::bottom_right
                                                                     : CausalAlignment::top_left;
      break;
    case Fault::causal_without_the_diagonal:
      if (options.causal == CausalAlignment::top_left) {
        if (!options.allowed) options.allowed = Matrix<bool>::Constant(n, m, true);
        for (Index i = 0; i < std::min(n, m); ++i) (*options.allowed)(i, i) = false;
      }
      break;
    case Fault::mask_inverted:
      if (options.allowed) options.allowed = !options.allowed->array();
      break;
    case Fault::mask_of_the_first_query:
      if (options.allowed) *options.allowed = options.allowed->row(0).replicate(n, 1).eval();
      break;
    case Fault::mask_of_the_next_key:
      if (options.allowed && m > 1) {
        const Matrix<bool> allowed = *options.allowed;
        options.allowed->leftCols(m - 1) = allowed.rightCols(m - 1);
        options.allowed->col(m - 1) = allowed.col(0);
      }
      break;
    default:
      break;
  }
  return input;
}

/// As misread(), a list of faults; they differ in what is run, and in what is done to its result.
template <class Real>
AttentionResult<Real> Attention::result(const AttentionCase<Real>& original) const {
  AttentionCase<Real> input = misread(original, fault);
  const auto run = [&](const auto& weighting) {
    return scaled_dot_product_attention(input.queries, input.keys, input.values, input.options,
                                        weighting);
  };
  if constexpr (!std::is_same_v<Real, Rational>) {
    if (fault == Fault::no_maximum) return run(NaiveWeighting());
    if (fault == Fault::coarse_weights)
      return run([](const auto& scores) {
        return softmax(scores).template cast<float>().template cast<Compute<Real>>().eval();
      });
    if (fault == Fault::masked_by_a_large_number) {
      // Weights of e^−10000 = 0, times values that were meant not to be looked at.
      AttentionResult<Real> result = run(SoftmaxWeighting());
      for (Index i = 0; i < result.output.rows(); ++i)
        for (Index j = 0; j < input.keys.rows(); ++j)
          if (!sees(input, i, j)) result.output.row(i) += Real(0) * input.values.row(j);
      return result;
    }
    if constexpr (!std::is_same_v<Real, Compute<Real>>)
      if (fault == Fault::weights_in_half)
        return run([](const auto& scores) {
          return softmax(scores).template cast<Real>().template cast<Compute<Real>>().eval();
        });
    const bool fits = input.keys.rows() == input.values.rows();
    if (fault == Fault::overflow_unnoticed && !input.options.bias && fits) {
      Matrix<Compute<Real>> weights =
          attention_scores(input.queries, input.keys, input.options.scale);
      for (Index i = 0; i < weights.rows(); ++i)
        weights.row(i) = softmax(weights.row(i).transpose().eval()).transpose();
      const Matrix<Compute<Real>> values = input.values.template cast<Compute<Real>>();
      return {(weights * values).template cast<Real>(), {}};
    }
    if (fault == Fault::overflow_becomes_zero) {
      try {
        return run(SoftmaxWeighting());
      } catch (const std::domain_error&) {
        return {Matrix<Real>::Zero(input.queries.rows(), input.values.cols()), {}};
      }
    }
  }
  if (fault == Fault::shapes_exchanged) sqrtdk::require_equal_widths(input.keys, input.queries);
  if (fault == Fault::shapes_cut) {
    const Index m = std::min(input.keys.rows(), input.values.rows());
    const Index d = std::min(input.queries.cols(), input.keys.cols());
    return scaled_dot_product_attention(input.queries.leftCols(d), input.keys.topLeftCorner(m, d),
                                        input.values.topRows(m), input.options, Weighting<Real>());
  }
  if (fault == Fault::weights_always) input.options.return_weights = true;
  AttentionResult<Real> result = run(Weighting<Real>());
  if (fault == Fault::halved) result.output /= Real(2);
  if (fault == Fault::weights_transposed) result.weights.transposeInPlace();
  if (fault == Fault::nan_becomes_zero)
    for (Real& x : result.output.reshaped())
      if (x != x) x = Real(0);
  if constexpr (!std::is_same_v<Real, Rational>)
    if (fault == Fault::coarse_result)
      result.output = result.output.template cast<Eigen::bfloat16>().template cast<Real>().eval();
  if (fault == Fault::blind_query_averages)
    for (Index i = 0; i < result.output.rows(); ++i)
      if (sees_nothing(input, i) && input.values.rows() > 0)
        result.output.row(i) =
            input.values.colwise().sum() / Real(static_cast<double>(input.values.rows()));
  if (fault == Fault::weights_over_queries || fault == Fault::not_normalized) {
    const Matrix<Real> w = weights(original);
    result.output = w * input.values;
  }
  return result;
}

template <class Real>
Matrix<Real> Attention::output(const AttentionCase<Real>& input) const {
  return result(input).output;
}

template <class Real>
Matrix<Real> Attention::weights(const AttentionCase<Real>& original) const {
  const AttentionCase<Real> input = misread(original, fault);
  if (fault == Fault::weights_over_queries && input.queries.rows() == input.keys.rows()) {
    AttentionOptions<Compute<Real>> options = input.options;
    if (options.allowed) options.allowed->transposeInPlace();
    if (options.bias) options.bias->transposeInPlace();
    options.causal.reset();
    return attention_weights(input.keys, input.queries, options, Weighting<Real>())
        .transpose()
        .template cast<Real>();
  }
  Matrix<Real> weights =
      attention_weights(input.queries, input.keys, input.options, Weighting<Real>())
          .template cast<Real>();
  if (fault == Fault::not_normalized) weights *= Real(2);
  if (fault == Fault::blind_query_averages)
    for (Index i = 0; i < weights.rows(); ++i)
      if (sees_nothing(input, i))
        weights.row(i).setConstant(Real(1) / Real(static_cast<double>(weights.cols())));
  return weights;
}

template <class Real>
AttentionGradient<Real> Attention::gradient(const AttentionCase<Real>& original) const {
  const AttentionCase<Real> input = misread(original, fault);
  if (fault == Fault::counts_exchanged) sqrtdk::require_equal_counts(input.values, input.keys);
  AttentionGradient<Real> gradient =
      attention_gradient(input.queries, input.keys, input.values, input.output_gradient,
                         input.options, Weighting<Real>());
  const auto scale = static_cast<Real>(scale_of(input));
  if (fault == Fault::unscaled_queries) gradient.queries /= scale;
  if (fault == Fault::unscaled_keys) gradient.keys /= scale;
  if (fault == Fault::halved) gradient.values /= Real(2);
  if (fault == Fault::transposed_values && input.keys.rows() == input.queries.rows())
    gradient.values = weights(original) * input.output_gradient;
  if (fault == Fault::no_mean) {
    const Matrix<Real> p = weights(original);
    const Matrix<Real> by_weight = input.output_gradient * input.values.transpose();
    const Matrix<Real> by_score = p.cwiseProduct(by_weight) * scale;
    gradient.queries = by_score * input.keys;
  }
  if (fault == Fault::masked_key_is_looked_at || fault == Fault::masked_value_gets_a_gradient)
    for (Index j = 0; j < input.keys.rows(); ++j) {
      bool seen = false;
      for (Index i = 0; i < input.queries.rows(); ++i) seen = seen || sees(input, i, j);
      if (seen) continue;
      if (fault == Fault::masked_key_is_looked_at)
        gradient.keys.row(j) += Real(0) * input.keys.row(j);
      else
        gradient.values(j, 0) = std::numeric_limits<Real>::min();
    }
  return gradient;
}

template <class Real>
auto Attention::scores(const Matrix<Real>& queries, const Matrix<Real>& keys,
                       const std::optional<Compute<Real>>& scale) const {
  AttentionCase<Real> input{queries, keys, keys, keys, {}};
  input.options.scale = scale;
  input = misread(input, fault);
  auto scores = attention_scores(input.queries, input.keys, input.options.scale);
  if (fault == Fault::weights_over_queries) scores.transposeInPlace();
  return scores;
}

using Mutants = std::vector<Mutant<Attention>>;

}  // namespace
