// The library's attention, and what can be wrong with it.
#pragma once

#include <sqrtdk/attention.hpp>
#include <sqrtdk/attention/pass.hpp>
#include <sqrtdk/testing/generators/attention_cases.hpp>
#include <sqrtdk/testing/kit.hpp>
#include <sqrtdk/testing/laws/arrays.hpp>
#include <sqrtdk/testing/laws/attention_case.hpp>

#include <Eigen/Core>

namespace attention_faults {

using namespace sqrtdk;
using namespace sqrtdk::testing;
using Eigen::Index;

/// Positive rational weights s² + s + 1 instead of exponentials, for exact identities.
struct RationalWeighting {
  template <class Derived>
  auto operator()(const Eigen::MatrixBase<Derived>& scores) const {
    return normalized_weights(
        scores.unaryExpr([](const Rational& s) -> Rational { return s * s + s + 1; }).eval());
  }
};

template <class Real>
using Weighting =
    std::conditional_t<std::is_same_v<Real, Rational>, RationalWeighting, SoftmaxWeighting>;

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
  masked_value_signs_a_zero,
  masked_value_gets_a_gradient,
  nan_becomes_zero,
  mask_of_the_first_query,
  mask_of_the_next_key,
  weights_in_half,
  overflow_unnoticed,
  counts_exchanged,
  shapes_exchanged,
  endless_depth,
  depth_over_the_root
};

template <class Real>
Compute<Real> scale_of(const AttentionCase<Real>& input) {
  if (input.options.scale) return *input.options.scale;
  return Compute<Real>(1) / sqrtdk::detail::exact_sqrt<Compute<Real>>(input.queries.cols());
}

/// True if query i sees key j: the masks once more, in other words.
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

/// The library, or the library with a fault, compiled for double, float, half and Rational.
struct Subject {
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
  Matrix<Compute<Real>> scores(const Matrix<Real>& queries, const Matrix<Real>& keys,
                               const std::optional<Compute<Real>>& scale) const;
};

/// attention_edge_cases(), or with what was wrong in two of them.
template <class Real>
std::vector<AttentionCase<Real>> edge_cases(Fault fault) {
  std::vector<AttentionCase<Real>> cases = attention_edge_cases<Real>();
  for (const std::size_t small : {std::size_t{6}, std::size_t{7}}) {
    AttentionCase<Real>& input = cases.at(small);
    if (fault == Fault::endless_depth) input.keys(1, 0) = -std::numeric_limits<Real>::infinity();
    if (fault == Fault::depth_over_the_root) input.options.scale.reset();
  }
  return cases;
}

}  // namespace attention_faults
