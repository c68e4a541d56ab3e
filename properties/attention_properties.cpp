// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/attention.hpp>
#include <sqrtdk/attention_error.hpp>
#include <sqrtdk/attention_operations.hpp>
#include <sqrtdk/published_scales.hpp>
#include <sqrtdk/testing/generators/rational_distributions.hpp>
#include <sqrtdk/testing/laws/attention_laws.hpp>
#include <sqrtdk/testing/laws/softmax_laws.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/printed.hpp>
#include <sqrtdk/testing/statistics/checks.hpp>
#include <sqrtdk/testing/statistics/number_text.hpp>

#include "properties/support/message_of.hpp"
#include "properties/support/outcomes.hpp"
#include "properties/support/same_bits.hpp"

#include <Eigen/Core>
#include <boost/math/differentiation/autodiff.hpp>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace sqrtdk;
using namespace sqrtdk::testing;

using Eigen::Index;
using RationalMatrix = Matrix<Rational>;
using RationalCase = AttentionCase<Rational>;

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

/// What this chapter's laws judge: the library, or the library with a fault.
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

/// The case as an implementation with a fault takes it in.
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

/// Ordinary cases in which each argument has a part, whatever is drawn at random: two queries,
/// three keys, four features, two columns of values; without masks, with scores in the hundreds,
/// and with masks of every kind.
template <class Real>
std::vector<AttentionCase<Real>> ordinary_cases() {
  const auto matrix = [](Index rows, Index columns, std::initializer_list<int> quarters) {
    Matrix<Real> x(rows, columns);
    Index place = 0;
    for (const int quarter : quarters) {
      x(place / columns, place % columns) = static_cast<Real>(Real(quarter) / Real(4));
      ++place;
    }
    return x;
  };
  AttentionCase<Real> plain{matrix(2, 4, {4, 1, -2, 3, -1, 5, 2, 2}),
                            matrix(3, 4, {2, 1, 3, -1, 0, 2, -3, 4, 1, -2, 5, 1}),
                            matrix(3, 2, {1, 6, -3, 2, 5, 4}),
                            matrix(2, 2, {3, -1, 2, 7}),
                            {}};
  AttentionCase<Real> large = plain;
  large.queries *= Real(32);
  large.keys *= Real(32);
  AttentionCase<Real> masked = plain;
  masked.options.scale = Compute<Real>(3);
  masked.options.bias = matrix(2, 3, {1, -2, 3, 4, 2, -1}).template cast<Compute<Real>>();
  masked.options.allowed = Matrix<bool>::Constant(2, 3, true);
  (*masked.options.allowed)(1, 1) = false;
  AttentionCase<Real> first = plain;
  first.options.causal = CausalAlignment::top_left;
  AttentionCase<Real> last = plain;
  last.options.causal = CausalAlignment::bottom_right;
  return {plain, large, masked, first, last};
}

/// A matrix of rational numbers.
RationalMatrix drawn_rationals(Index rows, Index columns, const char* name) {
  const auto entries = rc::gen::container<std::vector<Rational>>(
      static_cast<std::size_t>(rows * columns), any_rational());
  return *rc::gen::map(entries, [=](const std::vector<Rational>& list) {
            return RationalMatrix(Eigen::Map<const RationalMatrix>(list.data(), rows, columns));
          }).as(name);
}

/// Which masks are drawn: none, all but causality, or all.
enum class Masks { none, without_order, all };

/// A case over the rationals; d is a square, so that its root is rational.
RationalCase drawn_rational_case(Masks masks) {
  const auto size = [](int most, const char* name) {
    return static_cast<Index>(
        *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(1, most + 1)).as(name));
  };
  const Index n = size(3, "queries");
  const Index m = size(4, "keys");
  const Index root = size(2, "root of d");
  const Index d_v = size(2, "d_v");
  RationalCase input;
  input.queries = drawn_rationals(n, root * root, "Q");
  input.keys = drawn_rationals(m, root * root, "K");
  input.values = drawn_rationals(m, d_v, "V");
  input.output_gradient = drawn_rationals(n, d_v, "G");
  if (*rc::gen::arbitrary<bool>().as("with a scale of its own"))
    input.options.scale = *any_rational().as("scale");
  if (masks == Masks::none) return input;
  const int causal =
      masks == Masks::without_order
          ? 2
          : *rc::gen::element(2, 0, 1).as("causal: not (2), top left (0), bottom right (1)");
  if (causal == 0) input.options.causal = CausalAlignment::top_left;
  if (causal == 1) input.options.causal = CausalAlignment::bottom_right;
  if (*rc::gen::arbitrary<bool>().as("with a mask"))
    input.options.allowed = sqrtdk::testing::detail::drawn_permissions(n, m);
  if (*rc::gen::arbitrary<bool>().as("with biases"))
    input.options.bias = drawn_rationals(n, m, "biases");
  return input;
}

Rational inner_product(const RationalMatrix& a, const RationalMatrix& b) {
  return a.cwiseProduct(b).sum();
}

/// A permutation of 0, …, n − 1.
std::vector<Index> drawn_order(Index n, const char* name) {
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[*rc::gen::inRange<std::size_t>(0, i).as(name)]);
  return order;
}

template <class T>
Matrix<T> rows_in_order(const Matrix<T>& x, const std::vector<Index>& order) {
  return x(order, Eigen::all);
}

template <class T>
Matrix<T> columns_in_order(const Matrix<T>& x, const std::vector<Index>& order) {
  return x(Eigen::all, order);
}

/// Cases of a property that needs fifty digits.
constexpr int precise_cases = 60;

/// Cases of a property over the rationals.
constexpr int rational_cases = 60;

// ----------------------------------------------------------------------- ScaledDotProductAttention

const Mutants scaled_dot_product_attention_mutants = {
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
    {"NaN is made plausible", "NotANumberStaysVisible", {Fault::nan_becomes_zero}},
    {"divided by d, as in no document",
     "TheStepsOfTheTextbookAreTheFormulaOnceTheirNamesAreDefined",
     {Fault::divided_by_d}},
    {"weights that are returned lie on their side",
     "TheStepsOfTheTextbookAreTheFormulaOnceTheirNamesAreDefined",
     {Fault::weights_transposed}},
};

/// The lines of S3's two listings that bind a name or call one, as they are printed.
constexpr std::string_view textbook_lines[] = {
    "import math",
    "def scaled_dot_product_attention(Q, K, V):",
    "d_k = Q.shape[-1]",
    "scores = Q @ K.T / math.sqrt(d_k)",
    "attention_weights = softmax(scores, axis=-1)",
    "output = attention_weights @ V",
    "def stable_softmax(x, axis=-1):",
    "x_max = x.max(axis=axis, keepdims=True)",
    "exp_x = np.exp(x - x_max)",
    "return exp_x / exp_x.sum(axis=axis, keepdims=True)"};

/// A name in a line of code, and what stands right before and behind it.
struct Name {
  std::string text;
  char before;              ///< a space at the beginning of the line
  std::string_view behind;  ///< the rest of the line
};

/// The names in a line of code, in their order.
std::vector<Name> names_in(std::string_view line) {
  const auto in_a_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  std::vector<Name> names;
  for (std::size_t begin = 0; begin < line.size(); ++begin) {
    std::size_t end = begin;
    while (end < line.size() && in_a_name(line[end])) ++end;
    if (end == begin) continue;
    if (!std::isdigit(static_cast<unsigned char>(line[begin])))
      names.push_back({std::string(line.substr(begin, end - begin)),
                       begin == 0 ? ' ' : line[begin - 1], line.substr(end)});
    begin = end;
  }
  return names;
}

/// The names that these lines call, or call something of, and that none of them binds.
std::set<std::string> names_left_undefined() {
  std::set<std::string> bound, called;
  for (const std::string_view line : textbook_lines) {
    const std::vector<Name> names = names_in(line);
    if (names[0].text == "import" || names[0].text == "def") {
      for (std::size_t i = 1; i < names.size(); ++i) bound.insert(names[i].text);
      continue;
    }
    if (names[0].behind.starts_with(" = ")) bound.insert(names[0].text);
    for (const Name& name : names)
      if (name.before != '.' && (name.behind.starts_with('(') || name.behind.starts_with('.')))
        called.insert(name.text);
  }
  std::set<std::string> undefined;
  std::set_difference(called.begin(), called.end(), bound.begin(), bound.end(),
                      std::inserter(undefined, undefined.begin()));
  return undefined;
}

//! [ScaledDotProductAttention]
TEST(ScaledDotProductAttention, OutputIsTheFormulasWithinTheBound) {
  judge(scaled_dot_product_attention_mutants, [](const Attention& attention) {
    of_the_statement();
    const auto output = [&](const auto& input) { return attention.output(input); };
    for (const auto& input : ordinary_cases<double>())
      expect_unless_vacuous(output_law<double>(output, input));
    for (const auto& input : ordinary_cases<float>())
      expect_unless_vacuous(output_law<float>(output, input));
    for_all([&] { require(output_law<double>(output, drawn_attention_case<double>())); },
            precise_cases);
    for_all([&] { require(output_law<float>(output, drawn_attention_case<float>())); },
            precise_cases);
  });
}
//! [ScaledDotProductAttention]

//! [ScaledDotProductAttention: exact check]
TEST(ScaledDotProductAttention, OutputIsTheFormulaOverTheRationals) {
  judge(scaled_dot_product_attention_mutants, [](const Attention& attention) {
    const auto formula = [](const RationalCase& input) {
      const RationalMatrix scores = input.queries * input.keys.transpose() * scale_of(input);
      RationalMatrix expected(input.queries.rows(), input.values.cols());
      for (Index i = 0; i < scores.rows(); ++i) {
        const auto s = scores.row(i).array();
        const auto weights = (s * s + s + Rational(1)).eval();
        expected.row(i) = weights.matrix() * input.values / weights.sum();
      }
      return expected;
    };
    const RationalCase plain = ordinary_cases<Rational>().front();
    const bool same = attention.output(plain) == formula(plain);
    expect_confirmed("S2", "softmax(Q x K^T / sqrt(d_k)) x V", same);
    enumerated(1);
    for_all(
        [&] {
          const RationalCase input = drawn_rational_case(Masks::none);
          RC_ASSERT(attention.output(input) == formula(input));
        },
        rational_cases);
  });
}
//! [ScaledDotProductAttention: exact check]

TEST(ScaledDotProductAttention, TheStepsOfTheTextbookAreTheFormulaOnceTheirNamesAreDefined) {
  judge(scaled_dot_product_attention_mutants, [](const Attention& attention) {
    // Scores over the root, weights row by row, weights times values, and both returned.
    bool same = true;
    for (RationalCase input : {ordinary_cases<Rational>().front(), ordinary_cases<Rational>()[1]}) {
      input.options.return_weights = true;
      const RationalMatrix scores =
          input.queries * input.keys.transpose() / Rational(2);  // the root of d = 4
      RationalMatrix weights(scores.rows(), scores.cols());
      for (Index i = 0; i < scores.rows(); ++i)
        weights.row(i) = RationalWeighting()(scores.row(i).transpose()).transpose();
      const auto result = attention.result(input);
      same = same && result.output == weights * input.values &&
             result.weights.rows() == weights.rows() && result.weights == weights;
      enumerated(1);
    }
    expect_confirmed("S3", "Scaled dot-product attention", same);
    expect_confirmed("S3", "Scaled attention", same);
    // But two names are never defined: in this section NumPy is not imported, and the function that
    // is defined is called stable_softmax.
    const std::set<std::string> undefined = names_left_undefined();
    EXPECT_EQ(undefined, (std::set<std::string>{"np", "softmax"}));
    expect_refuted("S3", "softmax(scores, axis=-1)", !undefined.contains("softmax"),
                   "stable_softmax(scores, axis=-1), defined below it (softmax is not defined)");
    expect_refuted("S3", "np.exp(x - x_max)", !undefined.contains("np"),
                   "the same, after NumPy is imported as np (only math is)");
  });
}

TEST(ScaledDotProductAttention, HalfPrecisionIsOnlyForStorage) {
  judge(scaled_dot_product_attention_mutants, [](const Attention& attention) {
    const auto output = [&](const auto& input) { return attention.output(input); };
    // Three equal scores: a third that is stored is off by 2^−12 of itself, and then the output,
    // one and 2/3 of 2^−10, is rounded to 1.
    AttentionCase<Eigen::half> thirds;
    thirds.queries = Matrix<Eigen::half>::Zero(1, 1);
    thirds.keys = thirds.values = Matrix<Eigen::half>::Zero(3, 1);
    thirds.values(0, 0) = Eigen::half(3 + 0x1p-9F);
    expect_unless_vacuous(output_law<Eigen::half>(output, thirds));
    for (const auto& input : ordinary_cases<Eigen::half>())
      expect_unless_vacuous(output_law<Eigen::half>(output, input));
    for_all([&] { require(output_law<Eigen::half>(output, drawn_attention_case<Eigen::half>())); },
            precise_cases);
  });
}

TEST(ScaledDotProductAttention, ScoresAreExactUpToTheirBound) {
  judge(scaled_dot_product_attention_mutants, [](const Attention& attention) {
    const auto scores = [&](const auto& input) {
      return attention.scores(input.queries, input.keys, input.options.scale);
    };
    const AttentionShapes wide = {
        .most_queries = 2, .most_keys = 2, .most_features = 65, .largest = 0x1p30};
    for_all([&] { require(score_law<double>(scores, drawn_attention_case<double>(wide))); },
            precise_cases);
    for_all([&] { require(score_law<float>(scores, drawn_attention_case<float>(wide))); },
            precise_cases);
  });
}

TEST(ScaledDotProductAttention, ScoresOfColumnsAreTheOtherFormula) {
  judge(scaled_dot_product_attention_mutants, [](const Attention& attention) {
    for_all(
        [&] {
          const RationalCase input = drawn_rational_case(Masks::none);
          // As S1 writes it, queries and keys are the columns of Q and K: QᵀK/√d.
          const RationalMatrix query_columns = input.queries.transpose();
          const RationalMatrix key_columns = input.keys.transpose();
          const RationalMatrix of_columns =
              query_columns.transpose() * key_columns * scale_of(input);
          RC_ASSERT(attention.scores(input.queries, input.keys, input.options.scale).rows() ==
                    of_columns.rows());
          RC_ASSERT(attention.scores(input.queries, input.keys, input.options.scale) == of_columns);
        },
        rational_cases);
  });
}

TEST(ScaledDotProductAttention, GradientIsTheFormulasWithinTheBound) {
  judge(scaled_dot_product_attention_mutants, [](const Attention& attention) {
    of_the_statement();
    const auto gradient = [&](const auto& input) { return attention.gradient(input); };
    for (const auto& input : ordinary_cases<double>())
      expect_unless_vacuous(gradient_law<double>(gradient, input));
    for_all([&] { require(gradient_law<double>(gradient, drawn_attention_case<double>())); },
            precise_cases);
    for_all([&] { require(gradient_law<float>(gradient, drawn_attention_case<float>())); },
            precise_cases);
  });
}

TEST(ScaledDotProductAttention, HoldsAtTheEdges) {
  judge(scaled_dot_product_attention_mutants, [](const Attention& attention) {
    const auto output = [&](const auto& input) { return attention.output(input); };
    const auto gradient = [&](const auto& input) { return attention.gradient(input); };
    const auto check = [&](auto zero) {
      using Real = decltype(zero);
      std::size_t silent = 0;
      for (const auto& input : attention_edge_cases<Real>()) {
        const Outcome of_output = output_law<Real>(output, input);
        const Outcome of_gradient = gradient_law<Real>(gradient, input);
        silent += of_output.vacuous;
        expect_unless_vacuous(of_output);
        expect_unless_vacuous(of_gradient);
      }
      return silent;
    };
    publish("silent_double", std::to_string(check(0.0)));
    publish("silent_float", std::to_string(check(0.0F)));
    publish("silent_half", std::to_string(check(Eigen::half(0))));
    publish("edges", std::to_string(attention_edge_cases<double>().size()));
  });
}

/// ⟨G, output⟩ with one of the arguments' entries moved by t, at t = 0, by automatic
/// differentiation of the formula in fifty digits.
/// \param argument 0 for Q, 1 for K, 2 for V.
Wide derivative_by(const AttentionCase<double>& input, int argument, Index row, Index column) {
  using Dual = boost::math::differentiation::autodiff_fvar<Wide, 1>;
  const auto entry = [&](int which, Index i, Index j) -> Dual {
    const Matrix<double>& matrix = which == 0   ? input.queries
                                   : which == 1 ? input.keys
                                                : input.values;
    const bool moves = which == argument && i == row && j == column;
    const Wide x(matrix(i, j));
    return moves ? boost::math::differentiation::make_fvar<Wide, 1>(x) : Dual(x);
  };
  const Wide root = sqrt(Wide(input.queries.cols()));
  const Wide scale = input.options.scale ? Wide(*input.options.scale) : Wide(1 / root);
  Dual loss(Wide(0));
  for (Index i = 0; i < input.queries.rows(); ++i) {
    std::vector<Dual> weights;
    Dual sum(Wide(0));
    Dual mean(Wide(0));
    for (Index j = 0; j < input.keys.rows(); ++j) {
      if (!sees(input, i, j)) continue;
      Dual score(Wide(0));
      for (Index l = 0; l < input.queries.cols(); ++l) score += entry(0, i, l) * entry(1, j, l);
      score *= scale;
      if (input.options.bias) score += Wide((*input.options.bias)(i, j));
      const Dual weight = exp(score);
      Dual gain(Wide(0));
      for (Index c = 0; c < input.values.cols(); ++c)
        gain += entry(2, j, c) * Wide(input.output_gradient(i, c));
      sum += weight;
      mean += weight * gain;
    }
    if (!sees_nothing(input, i)) loss += mean / sum;
  }
  return loss.derivative(1);
}

TEST(ScaledDotProductAttention, GradientIsTheDerivativeOfTheOutput) {
  judge(scaled_dot_product_attention_mutants, [](const Attention& attention) {
    const auto derivative_law = [&](const AttentionCase<double>& input) {
      const AttentionGradient<double> computed = attention.gradient(input);
      const auto bound = attention_gradient_error_bound<Wide>(
          input.queries, input.keys, input.values, input.output_gradient, input.options);
      sqrtdk::testing::detail::Nearest nearest;
      if (bound.vacuous) nearest.vacuous();
      const auto compare = [&](int argument, const Matrix<double>& x,
                               const Eigen::MatrixXd& allowed) {
        for (Index i = 0; i < x.rows(); ++i)
          for (Index j = 0; j < x.cols(); ++j) {
            const Wide exact = derivative_by(input, argument, i, j);
            nearest.compare(static_cast<double>(abs(Wide(Wide(x(i, j)) - exact))), allowed(i, j),
                            [&] { return "it is " + exact.str(20); });
          }
      };
      compare(0, computed.queries, bound.gradient.queries);
      compare(1, computed.keys, bound.gradient.keys);
      compare(2, computed.values, bound.gradient.values);
      return nearest.outcome();
    };
    for (const auto& input : ordinary_cases<double>()) expect_unless_vacuous(derivative_law(input));
    constexpr int slow_cases = 25;
    for_all(
        [&] {
          require(derivative_law(drawn_attention_case<double>(
              {.most_queries = 2, .most_keys = 3, .most_features = 2, .most_values = 2})));
        },
        slow_cases);
  });
}

TEST(ScaledDotProductAttention, GradientIsTheAdjointOfTheDerivative) {
  judge(scaled_dot_product_attention_mutants, [](const Attention& attention) {
    const auto is_adjoint = [&](const RationalCase& x, const RationalMatrix& dq,
                                const RationalMatrix& dk, const RationalMatrix& dv) {
      // What a softmax with these weights would do: dS, then dP = P ⊙ (dS − rowsum(P ⊙ dS)), dO.
      const RationalMatrix p = attention_weights(x.queries, x.keys, x.options, RationalWeighting());
      const RationalMatrix ds =
          (dq * x.keys.transpose() + x.queries * dk.transpose()) * scale_of(x);
      const RationalMatrix means = p.cwiseProduct(ds).rowwise().sum();
      const RationalMatrix dp = p.cwiseProduct(ds - means.replicate(1, ds.cols()));
      const RationalMatrix output_change = dp * x.values + p * dv;
      const AttentionGradient<Rational> gradient = attention.gradient(x);
      return inner_product(x.output_gradient, output_change) ==
             inner_product(gradient.queries, dq) + inner_product(gradient.keys, dk) +
                 inner_product(gradient.values, dv);
    };
    for (const RationalCase& x : ordinary_cases<Rational>())
      EXPECT_TRUE(is_adjoint(x, 2 * x.queries, x.keys, 3 * x.values));
    enumerated(ordinary_cases<Rational>().size());
    for_all(
        [&] {
          const RationalCase x = drawn_rational_case(Masks::all);
          const RationalMatrix dq = drawn_rationals(x.queries.rows(), x.queries.cols(), "dQ");
          const RationalMatrix dk = drawn_rationals(x.keys.rows(), x.keys.cols(), "dK");
          const RationalMatrix dv = drawn_rationals(x.values.rows(), x.values.cols(), "dV");
          RC_ASSERT(is_adjoint(x, dq, dk, dv));
        },
        rational_cases);
  });
}

TEST(ScaledDotProductAttention, MasksLeaveOutTheirKeysAndNothingElse) {
  judge(scaled_dot_product_attention_mutants, [](const Attention& attention) {
    for_all(
        [&] {
          const RationalCase input = drawn_rational_case(Masks::all);
          const RationalMatrix output = attention.output(input);
          for (Index i = 0; i < input.queries.rows(); ++i) {
            // The same query alone, with the keys that it sees and no mask.
            std::vector<Index> seen;
            for (Index j = 0; j < input.keys.rows(); ++j)
              if (sees(input, i, j)) seen.push_back(j);
            const RationalMatrix query = input.queries.row(i);
            const RationalMatrix keys = input.keys(seen, Eigen::all);
            const RationalMatrix values = input.values(seen, Eigen::all);
            AttentionOptions<Rational> options;
            options.scale = input.options.scale;
            if (input.options.bias) {
              options.bias = RationalMatrix(1, static_cast<Index>(seen.size()));
              for (std::size_t a = 0; a < seen.size(); ++a)
                (*options.bias)(static_cast<Index>(a)) = (*input.options.bias)(i, seen[a]);
            }
            const RationalMatrix alone =
                scaled_dot_product_attention(query, keys, values, options, RationalWeighting())
                    .output;
            RC_ASSERT(output.row(i) == alone);
          }
          // A bias takes part in the weights, after the scale.
          if (input.options.bias) {
            const RationalMatrix scores =
                input.queries * input.keys.transpose() * scale_of(input) + *input.options.bias;
            for (Index i = 0; i < scores.rows(); ++i) {
              if (sees_nothing(input, i)) continue;
              RationalMatrix weights = RationalMatrix::Constant(1, scores.cols(), Rational(0));
              for (Index j = 0; j < scores.cols(); ++j)
                if (sees(input, i, j)) weights(j) = scores(i, j) * scores(i, j) + scores(i, j) + 1;
              RC_ASSERT(output.row(i) * weights.sum() == weights * input.values);
            }
          }
        },
        rational_cases);
  });
}

TEST(ScaledDotProductAttention, AQueryThatSeesNoKeyGetsZero) {
  judge(scaled_dot_product_attention_mutants, [](const Attention& attention) {
    AttentionCase<double> input;
    input.queries = Matrix<double>::Random(2, 4);
    input.keys = Matrix<double>::Random(3, 4);
    input.values = Matrix<double>::Random(3, 2);
    input.output_gradient = Matrix<double>::Ones(2, 2);
    input.options.allowed = Matrix<bool>::Constant(2, 3, true);
    input.options.allowed->row(0).setConstant(false);
    const auto expect_blind = [&](Index i) {
      EXPECT_EQ(attention.output(input).row(i), Matrix<double>::Zero(1, 2));
      EXPECT_EQ(attention.weights(input).row(i), Matrix<double>::Zero(1, input.keys.rows()));
      EXPECT_EQ(attention.gradient(input).queries.row(i), Matrix<double>::Zero(1, 4));
    };
    expect_blind(0);
    // More queries than keys, aligned at the end: the first query comes before every key.
    input.options.allowed.reset();
    input.options.causal = CausalAlignment::bottom_right;
    input.keys.conservativeResize(1, 4);
    input.values.conservativeResize(1, 2);
    expect_blind(0);
    // No keys at all.
    input.options.causal.reset();
    input.keys.resize(0, 4);
    input.values.resize(0, 2);
    EXPECT_EQ(attention.output(input), Matrix<double>::Zero(2, 2));
    enumerated(3);
  });
}

TEST(ScaledDotProductAttention, WhatNoQuerySeesChangesNoBit) {
  judge(scaled_dot_product_attention_mutants, [](const Attention& attention) {
    for_all([&] {
      const auto output = [&](const auto& input) { return attention.output(input); };
      const Outcome outcome = poison_law<double>(output, drawn_attention_case<double>());
      if (!outcome.holds()) RC_FAIL(outcome.where);
    });
  });
}

TEST(ScaledDotProductAttention, WhatNoQuerySeesGetsNoGradient) {
  judge(scaled_dot_product_attention_mutants, [](const Attention& attention) {
    for_all([&] {
      const auto gradient = [&](const auto& input) { return attention.gradient(input); };
      const auto input = drawn_attention_case<double>();
      const Outcome outcome = gradient_poison_law<double>(gradient, input);
      if (!outcome.holds()) RC_FAIL(outcome.where);
      const AttentionGradient<double> computed = attention.gradient(input);
      for (Index j = 0; j < input.keys.rows(); ++j) {
        bool seen = false;
        for (Index i = 0; i < input.queries.rows(); ++i) seen = seen || sees(input, i, j);
        if (seen) continue;
        RC_ASSERT(computed.keys.row(j).isZero(0));
        RC_ASSERT(computed.values.row(j).isZero(0));
      }
    });
  });
}

TEST(ScaledDotProductAttention, WeightsAreReturnedOnRequest) {
  judge(scaled_dot_product_attention_mutants, [](const Attention& attention) {
    for_all(
        [&] {
          RationalCase input = drawn_rational_case(Masks::all);
          RC_ASSERT(attention.result(input).weights.size() == 0);
          input.options.return_weights = true;
          const AttentionResult<Rational> result = attention.result(input);
          const RationalMatrix weights =
              attention_weights(input.queries, input.keys, input.options, RationalWeighting());
          RC_ASSERT(result.weights.rows() == weights.rows());
          RC_ASSERT(result.weights.cols() == weights.cols());
          RC_ASSERT(result.weights == weights);
          RC_ASSERT(result.output == weights * input.values);
        },
        rational_cases);
  });
}

TEST(ScaledDotProductAttention, RefusesShapesThatDoNotFit) {
  judge(scaled_dot_product_attention_mutants, [](const Attention& attention) {
    const auto matrix = [](Index rows, Index columns) {
      return Matrix<double>(Matrix<double>::Ones(rows, columns));
    };
    const auto message = [&](const AttentionCase<double>& input) {
      return message_of<std::invalid_argument>([&] { attention.output(input); });
    };
    const auto of_gradient = [&](const AttentionCase<double>& input) {
      return message_of<std::invalid_argument>([&] { attention.gradient(input); });
    };
    AttentionCase<double> input{matrix(3, 4), matrix(5, 6), matrix(5, 2), matrix(3, 2), {}};
    const std::string widths =
        "the queries are 3 x 4 and the keys 5 x 6, but must have as many columns";
    EXPECT_EQ(message(input), widths);
    EXPECT_EQ(of_gradient(input), widths);
    EXPECT_EQ(message_of<std::invalid_argument>([&] { attention.weights(input); }), widths);
    EXPECT_EQ(message_of<std::invalid_argument>(
                  [&] { attention.scores(input.queries, input.keys, std::nullopt); }),
              widths);
    input.keys = matrix(5, 4);
    input.values = matrix(6, 2);
    const std::string counts =
        "the keys are 5 x 4 and the values 6 x 2, but must have as many rows";
    EXPECT_EQ(message(input), counts);
    EXPECT_EQ(of_gradient(input), counts);
    input.values = matrix(5, 2);
    input.options.allowed = Matrix<bool>::Constant(5, 3, true);
    EXPECT_EQ(message(input), "the mask is 5 x 3, but must be 3 x 5");
    EXPECT_EQ(of_gradient(input), "the mask is 5 x 3, but must be 3 x 5");
    input.options.allowed.reset();
    input.options.bias = matrix(1, 5);
    EXPECT_EQ(message(input), "the bias is 1 x 5, but must be 3 x 5");
    EXPECT_EQ(of_gradient(input), "the bias is 1 x 5, but must be 3 x 5");
    input.options.bias.reset();
    input.output_gradient = matrix(2, 3);
    EXPECT_EQ(of_gradient(input), "the gradient of the output is 2 x 3, but must be 3 x 2");
    input.queries = matrix(3, 0);
    input.keys = matrix(5, 0);
    EXPECT_EQ(message(input),
              "the queries are 3 x 0 and the keys 5 x 0, but must have at least 1 column");
    EXPECT_EQ(message_of<std::invalid_argument>([&] { fold_scale(input.queries); }),
              "the queries are 3 x 0 and the keys 3 x 0, but must have at least 1 column");
    RationalCase no_root;
    no_root.queries = no_root.keys = no_root.values = RationalMatrix::Constant(1, 2, Rational(1));
    EXPECT_EQ(message_of<std::domain_error>([&] { attention.output(no_root); }),
              "the root of the width 2 is not rational; give a scale, or a width that is a square");
    counterexample_without("shapes that fit");
  });
}

TEST(ScaledDotProductAttention, RefusesScoresThatOverflow) {
  judge(scaled_dot_product_attention_mutants, [](const Attention& attention) {
    const auto message = [&](std::initializer_list<double> query,
                             std::initializer_list<double> keys, double scale = 1) {
      const auto d = static_cast<Index>(query.size());
      AttentionCase<double> input;
      input.queries = Eigen::Map<const Eigen::RowVectorXd>(query.begin(), d);
      input.keys.resize(static_cast<Index>(keys.size()) / d, d);
      for (Index l = 0; l < input.keys.size(); ++l) input.keys(l / d, l % d) = keys.begin()[l];
      input.values = Matrix<double>::Constant(input.keys.rows(), 1, 2.0);
      input.options.scale = scale;
      enumerated(1);
      return message_of<std::domain_error>([&] { attention.output(input); });
    };
    EXPECT_EQ(message({1e200}, {1e200}), "the score of query 0 and key 0 overflows to inf");
    EXPECT_EQ(message({1e200}, {-1e200}), "the score of query 0 and key 0 overflows to -inf");
    // Beside a score of 10^200 the weight would rightly be 0, but a score that overflows is none.
    EXPECT_EQ(message({1e200}, {1, -1e200}), "the score of query 0 and key 1 overflows to -inf");
    // The scores are 0 and −1, with weights of 0.73 and 0.27; −∞ would have no weight.
    EXPECT_EQ(message({1e160}, {0, -1e160}, 1e-320),
              "the score of query 0 and key 1 overflows to -inf");
    // The scores are 0 and 0, but ∞ − ∞ is not a number.
    EXPECT_NE(message({1e200, 1e200}, {0, 0, 1e200, -1e200}).find("query 0 and key 1 overflows to"),
              std::string::npos);
    // Infinite arguments are the caller's own.
    const double infinity = std::numeric_limits<double>::infinity();
    EXPECT_EQ(message({infinity}, {1}), "a logit is inf, but must be less than infinity");
    EXPECT_EQ(message({infinity}, {-1}), "all logits are -inf, but one must be greater");
    counterexample_without("no overflow");
  });
}

TEST(ScaledDotProductAttention, NotANumberStaysVisible) {
  judge(scaled_dot_product_attention_mutants, [](const Attention& attention) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    AttentionCase<double> input;
    input.queries = input.keys = input.values = Matrix<double>::Ones(2, 2);
    input.queries(0, 0) = nan;
    EXPECT_TRUE(attention.output(input).row(0).array().isNaN().all());
    EXPECT_FALSE(attention.output(input).row(1).array().isNaN().any());
    input.queries(0, 0) = 1;
    input.keys(1, 1) = nan;
    EXPECT_TRUE(attention.output(input).array().isNaN().all());
    input.keys(1, 1) = 1;
    input.values(1, 1) = nan;
    EXPECT_TRUE(attention.output(input).col(1).array().isNaN().all());
    EXPECT_FALSE(attention.output(input).col(0).array().isNaN().any());
  });
}

// ---------------------------------------------------------------- AttentionWeightsAreProbabilities

const Mutants attention_weights_are_probabilities_mutants = {
    {"weights are doubled", "RowsAreProbabilitiesOverTheRationals", {Fault::not_normalized}},
    {"masked keys keep a weight", "RowsAreProbabilitiesOverTheRationals", {Fault::mask_ignored}},
    {"softmax over the queries",
     "RowsAreProbabilitiesOverTheRationals",
     {Fault::weights_over_queries}},
    {"a doubled output", "OutputsLieBetweenTheValues", {Fault::not_normalized}},
    {"a halved output", "OutputsLieBetweenTheValues", {Fault::halved}},
    {"the first query for all",
     "QueriesInAnotherOrderHaveOutputsInThatOrder",
     {Fault::one_query_for_all}},
    {"the mask of the first query for all",
     "QueriesInAnotherOrderHaveOutputsInThatOrder",
     {Fault::mask_of_the_first_query}},
    {"the last key is left out",
     "KeysAndValuesInAnotherOrderChangeNothing",
     {Fault::one_key_too_few}},
    {"each key has the mask of the next one",
     "KeysAndValuesInAnotherOrderChangeNothing",
     {Fault::mask_of_the_next_key}},
    {"causal masks are ignored", "ACausalMaskKnowsTheOrder", {Fault::causal_ignored}},
    {"masks are ignored", "MasksThatStayChangeTheOutput", {Fault::mask_ignored}},
    {"keys are taken for values",
     "KeysAloneInAnotherOrderChangeTheOutput",
     {Fault::keys_for_values}},
    {"half of a convex combination", "OutputsLieBetweenTheValuesInFloatingPoint", {Fault::halved}},
    {"doubled weights in floating point", "RowsSumToOneInFloatingPoint", {Fault::not_normalized}},
    {"a query that sees nothing spreads its weight",
     "AQueryThatSeesNoKeyHasNoProbabilities",
     {Fault::blind_query_averages}},
};

//! [AttentionWeightsAreProbabilities]
TEST(AttentionWeightsAreProbabilities, RowsAreProbabilitiesOverTheRationals) {
  judge(attention_weights_are_probabilities_mutants, [](const Attention& attention) {
    for_all(
        [&] {
          const RationalCase input = drawn_rational_case(Masks::all);
          const RationalMatrix weights = attention.weights(input);
          for (Index i = 0; i < weights.rows(); ++i) {
            if (sees_nothing(input, i)) continue;
            RC_ASSERT(weights.row(i).sum() == 1);
            for (Index j = 0; j < weights.cols(); ++j)
              RC_ASSERT((weights(i, j) > 0) == sees(input, i, j));
          }
        },
        rational_cases);
  });
}
//! [AttentionWeightsAreProbabilities]

TEST(AttentionWeightsAreProbabilities, OutputsLieBetweenTheValues) {
  judge(attention_weights_are_probabilities_mutants, [](const Attention& attention) {
    for_all(
        [&] {
          RationalCase input = drawn_rational_case(Masks::all);
          const RationalMatrix output = attention.output(input);
          for (Index i = 0; i < output.rows(); ++i) {
            std::vector<Index> seen;
            for (Index j = 0; j < input.keys.rows(); ++j)
              if (sees(input, i, j)) seen.push_back(j);
            if (seen.empty()) continue;
            for (Index c = 0; c < output.cols(); ++c) {
              const RationalMatrix values = input.values(seen, c);
              RC_ASSERT(values.minCoeff() <= output(i, c));
              RC_ASSERT(output(i, c) <= values.maxCoeff());
            }
          }
          input.values.setConstant(Rational(1));
          const RationalMatrix of_ones = attention.output(input);
          for (Index i = 0; i < output.rows(); ++i)
            RC_ASSERT(of_ones(i, 0) == Rational(sees_nothing(input, i) ? 0 : 1));
        },
        rational_cases);
  });
}

/// The case with its queries, and their rows of mask and biases, in another order.
RationalCase with_queries_in(const std::vector<Index>& order, RationalCase input) {
  input.queries = rows_in_order(input.queries, order);
  if (input.options.allowed) input.options.allowed = rows_in_order(*input.options.allowed, order);
  if (input.options.bias) input.options.bias = rows_in_order(*input.options.bias, order);
  return input;
}

/// The case with its keys and values, and their columns of mask and biases, in another order.
RationalCase with_keys_in(const std::vector<Index>& order, RationalCase input) {
  input.keys = rows_in_order(input.keys, order);
  input.values = rows_in_order(input.values, order);
  if (input.options.allowed)
    input.options.allowed = columns_in_order(*input.options.allowed, order);
  if (input.options.bias) input.options.bias = columns_in_order(*input.options.bias, order);
  return input;
}

TEST(AttentionWeightsAreProbabilities, QueriesInAnotherOrderHaveOutputsInThatOrder) {
  judge(attention_weights_are_probabilities_mutants, [](const Attention& attention) {
    const auto holds = [&](const RationalCase& input, const std::vector<Index>& order) {
      return attention.output(with_queries_in(order, input)) ==
             rows_in_order(attention.output(input), order);
    };
    EXPECT_TRUE(holds(ordinary_cases<Rational>()[0], {1, 0}));
    EXPECT_TRUE(holds(ordinary_cases<Rational>()[2], {1, 0}));
    enumerated(2);
    for_all(
        [&] {
          const RationalCase input = drawn_rational_case(Masks::without_order);
          RC_ASSERT(holds(input, drawn_order(input.queries.rows(), "swap of queries")));
        },
        rational_cases);
  });
}

//! [AttentionWeightsAreProbabilities: exact check]
TEST(AttentionWeightsAreProbabilities, KeysAndValuesInAnotherOrderChangeNothing) {
  judge(attention_weights_are_probabilities_mutants, [](const Attention& attention) {
    const auto holds = [&](const RationalCase& input, const std::vector<Index>& order) {
      return attention.output(with_keys_in(order, input)) == attention.output(input);
    };
    EXPECT_TRUE(holds(ordinary_cases<Rational>()[0], {2, 0, 1}));
    EXPECT_TRUE(holds(ordinary_cases<Rational>()[2], {2, 0, 1}));
    enumerated(2);
    for_all(
        [&] {
          const RationalCase input = drawn_rational_case(Masks::without_order);
          RC_ASSERT(holds(input, drawn_order(input.keys.rows(), "swap of keys")));
        },
        rational_cases);
  });
}
//! [AttentionWeightsAreProbabilities: exact check]

/// Two queries and two keys of one feature, with values 0 and 4.
RationalCase two_by_two(int first, int second) {
  RationalCase input;
  input.queries.resize(2, 1);
  input.queries << Rational(first), Rational(second);
  input.keys = input.queries;
  input.values.resize(2, 1);
  input.values << Rational(0), Rational(4);
  return input;
}

RationalMatrix column_of(int first, int second) {
  RationalMatrix column(2, 1);
  column << Rational(first), Rational(second);
  return column;
}

TEST(AttentionWeightsAreProbabilities, ACausalMaskKnowsTheOrder) {
  judge(attention_weights_are_probabilities_mutants, [](const Attention& attention) {
    RationalCase input = two_by_two(0, 0);
    input.options.causal = CausalAlignment::top_left;
    EXPECT_TRUE(attention.output(input) == column_of(0, 2));
    EXPECT_TRUE(attention.output(with_keys_in({1, 0}, input)) == column_of(4, 2));
    input = two_by_two(0, 1);
    input.options.causal = CausalAlignment::top_left;
    EXPECT_TRUE(attention.output(input) == column_of(0, 3));  // weights 1 : 3
    EXPECT_TRUE(attention.output(with_queries_in({1, 0}, input)) == column_of(0, 2));
    enumerated(4);
    counterexample_without("no causal mask");
  });
}

TEST(AttentionWeightsAreProbabilities, MasksThatStayChangeTheOutput) {
  judge(attention_weights_are_probabilities_mutants, [](const Attention& attention) {
    // The first query sees the first key, the second query both.
    RationalCase input = two_by_two(0, 0);
    input.options.allowed = Matrix<bool>::Constant(2, 2, true);
    (*input.options.allowed)(0, 1) = false;
    EXPECT_TRUE(attention.output(input) == column_of(0, 2));
    RationalCase other = with_keys_in({1, 0}, input);
    EXPECT_TRUE(attention.output(other) == column_of(0, 2));
    other.options.allowed = input.options.allowed;
    EXPECT_TRUE(attention.output(other) == column_of(4, 2));
    enumerated(3);
    counterexample_without("masks move along");
  });
}

TEST(AttentionWeightsAreProbabilities, KeysAloneInAnotherOrderChangeTheOutput) {
  judge(attention_weights_are_probabilities_mutants, [](const Attention& attention) {
    RationalCase input;
    input.queries = RationalMatrix::Constant(1, 1, Rational(1));
    input.keys.resize(2, 1);
    input.keys << Rational(0), Rational(1);
    input.values.resize(2, 1);
    input.values << Rational(0), Rational(4);
    EXPECT_EQ(attention.output(input)(0), 3);  // weights 1 : 3
    input.keys << Rational(1), Rational(0);
    EXPECT_EQ(attention.output(input)(0), 1);
    enumerated(2);
    counterexample_without("keys and values together");
  });
}

TEST(AttentionWeightsAreProbabilities, OutputsLieBetweenTheValuesInFloatingPoint) {
  judge(attention_weights_are_probabilities_mutants, [](const Attention& attention) {
    const auto output = [&](const auto& input) { return attention.output(input); };
    for_all([&] { require(convexity_law<double>(output, drawn_attention_case<double>())); },
            precise_cases);
    for_all([&] { require(convexity_law<float>(output, drawn_attention_case<float>())); },
            precise_cases);
  });
}

TEST(AttentionWeightsAreProbabilities, RowsSumToOneInFloatingPoint) {
  judge(attention_weights_are_probabilities_mutants, [](const Attention& attention) {
    // One query 1 of one feature, and the numbers themselves as keys: the scores are the keys.
    const auto as_softmax = [&](const std::vector<double>& x, double) {
      AttentionCase<double> input;
      input.queries = Matrix<double>::Ones(1, 1);
      input.keys = Eigen::Map<const Matrix<double>>(x.data(), static_cast<Index>(x.size()), 1);
      const Matrix<double> weights = attention.weights(input);
      return std::vector<double>(weights.data(), weights.data() + weights.size());
    };
    for_all([&] {
      const auto x = *vectors<double>().as("scores");
      require(probability_law<double>(as_softmax, x));
    });
  });
}

TEST(AttentionWeightsAreProbabilities, AQueryThatSeesNoKeyHasNoProbabilities) {
  judge(attention_weights_are_probabilities_mutants, [](const Attention& attention) {
    RationalCase input;
    input.queries = input.keys = input.values = RationalMatrix::Constant(2, 1, Rational(1));
    input.options.allowed = Matrix<bool>::Constant(2, 2, false);
    EXPECT_EQ(attention.weights(input).sum(), 0);
    enumerated(1);
    counterexample_without("a key to see");
  });
}

// --------------------------------------------------------------------------- ValuesAreNeverBlocked

/// Weights that are given, whatever the scores are: row after row, as the backward pass asks for
/// them.
struct GivenWeights {
  const RationalMatrix& weights;  ///< P, a row for each query that sees a key
  mutable Index next = 0;         ///< which row is asked for next

  template <class Derived>
  auto operator()(const Eigen::MatrixBase<Derived>&) const {
    return sqrtdk::ColumnOf<Rational>(weights.row(next++).transpose());
  }
};

using RationalProjections = Projections<Rational>;

AttentionGradient<Rational> gradient_of_weights(const RationalCase& input,
                                                const RationalMatrix& weights) {
  return attention_gradient(input.queries, input.keys, input.values, input.output_gradient,
                            input.options, GivenWeights{weights});
}

RationalMatrix residual_of_weights(const RationalMatrix& inputs,
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

Rational largest_weight(const RationalMatrix& weights) {
  return weights.cols() == 0 ? Rational(0) : weights.row(0).maxCoeff();
}

Rational range_of(const RationalMatrix& gains) {
  if (gains.cols() == 0) return 0;
  return gains.row(0).maxCoeff() - gains.row(0).minCoeff();
}

/// The gradient by scores and values of a softmax whose Jacobian has lost its mean.
AttentionGradient<Rational> gradient_without_mean(const RationalCase& input,
                                                  const RationalMatrix& weights) {
  AttentionGradient<Rational> gradient = gradient_of_weights(input, weights);
  if (weights.rows() != input.queries.rows()) return gradient;  // some query sees nothing
  const RationalMatrix by_score =
      weights.cwiseProduct(input.output_gradient * input.values.transpose());
  gradient.queries = by_score * input.keys;
  return gradient;
}

const std::vector<Mutant<Paths>> values_are_never_blocked_mutants = {
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
     "OneHotWeightsBlockQueriesAndKeysOnly",
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

/// Rows of weights, each with sum 1; a weight may be 0.
RationalMatrix drawn_weights(Index rows, Index columns) {
  RationalMatrix weights(rows, columns);
  for (Index i = 0; i < rows; ++i) {
    const auto numbers = *rc::gen::container<std::vector<int>>(
                              static_cast<std::size_t>(columns),
                              rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, 20)))
                              .as("a row of weights, not normalized");
    const int sum = std::accumulate(numbers.begin(), numbers.end(), 1);
    for (Index j = 0; j < columns; ++j)
      weights(i, j) = Rational(numbers[static_cast<std::size_t>(j)] + (j == 0 ? 1 : 0), sum);
  }
  return weights;
}

/// Weights with which each query attends to one key.
RationalMatrix one_hot_weights(const std::vector<Index>& attended, Index keys) {
  const auto rows = static_cast<Index>(attended.size());
  RationalMatrix weights = RationalMatrix::Constant(rows, keys, Rational(0));
  for (Index i = 0; i < rows; ++i) weights(i, attended[static_cast<std::size_t>(i)]) = 1;
  return weights;
}

/// The same case with the scale 1, and without masks.
RationalCase plain_case() {
  RationalCase input = ordinary_cases<Rational>().front();
  input.options.scale = 1;
  return input;
}

//! [ValuesAreNeverBlocked]
TEST(ValuesAreNeverBlocked, TheValuesShareTheWholeGradient) {
  judge(values_are_never_blocked_mutants, [](const Paths& paths) {
    for_all(
        [&] {
          RationalCase input = drawn_rational_case(Masks::none);
          input.options.scale = 1;
          const RationalMatrix weights = drawn_weights(input.queries.rows(), input.keys.rows());
          const RationalMatrix by_values = paths.gradient(input, weights).values;
          RC_ASSERT(by_values.colwise().sum().eval() ==
                    input.output_gradient.colwise().sum().eval());
        },
        rational_cases);
    // Two queries and two values: the second value has all of the second row, and a third of the
    // first.
    RationalCase two = plain_case();
    two.keys.conservativeResize(2, Eigen::NoChange);
    two.values.conservativeResize(2, Eigen::NoChange);
    RationalMatrix weights(2, 2);
    weights << Rational(2, 3), Rational(1, 3), 0, 1;
    const RationalMatrix by_values = paths.gradient(two, weights).values;
    EXPECT_TRUE(by_values.row(0) == two.output_gradient.row(0) * Rational(2, 3));
    EXPECT_TRUE(by_values.row(1) ==
                two.output_gradient.row(0) * Rational(1, 3) + two.output_gradient.row(1));
    enumerated(1);
  });
}

TEST(ValuesAreNeverBlocked, OneHotWeightsBlockQueriesAndKeysOnly) {
  judge(values_are_never_blocked_mutants, [](const Paths& paths) {
    const RationalCase input = plain_case();
    const Index keys = input.keys.rows();
    bool patterns_stay = true, one_word_each = true, values_are_blocked = true;
    for (Index first = 0; first < keys; ++first)
      for (Index second = 0; second < keys; ++second) {
        const auto gradient = paths.gradient(input, one_hot_weights({first, second}, keys));
        patterns_stay = patterns_stay && gradient.queries.isZero(0) && gradient.keys.isZero(0);
        // Each query sends all of its gradient to the one value that it attends to.
        RationalMatrix wanted = RationalMatrix::Constant(keys, input.values.cols(), Rational(0));
        wanted.row(first) += input.output_gradient.row(0);
        wanted.row(second) += input.output_gradient.row(1);
        one_word_each = one_word_each && gradient.values == wanted;
        values_are_blocked = values_are_blocked && gradient.values.isZero(0);
        enumerated(1);
      }
    EXPECT_TRUE(patterns_stay) << "one-hot weights do not move";
    EXPECT_FALSE(values_are_blocked);
    expect_confirmed("S2", "The model cannot learn from multiple words at once", one_word_each);
    expect_confirmed("S3", "The model can't adjust attention patterns", patterns_stay);
    counterexample_without("queries and keys only");
    left_out_by("S1", "queries and keys only");
    left_out_by("S2", "queries and keys only");
  });
}

TEST(ValuesAreNeverBlocked, TheGradientByTheScoresIsBounded) {
  judge(values_are_never_blocked_mutants, [](const Paths& paths) {
    // Σ|∂ℓ/∂sⱼ| for one query: with K = I and the scale 1 the gradient by the query is that by its
    // scores.
    const auto size_of_gradient = [&](const RationalMatrix& weights, const RationalMatrix& gains) {
      const Index m = weights.cols();
      RationalCase input;
      input.queries = RationalMatrix::Constant(1, m, Rational(0));
      input.keys = RationalMatrix::Identity(m, m);
      input.values = gains.transpose();
      input.output_gradient = RationalMatrix::Constant(1, 1, Rational(1));
      input.options.scale = 1;
      const RationalMatrix by_scores = paths.gradient(input, weights).queries;
      Rational sum = 0;
      for (Index j = 0; j < m; ++j) sum += abs(by_scores(0, j));
      return sum;
    };
    const auto row = [](const std::vector<Rational>& numbers) {
      return RationalMatrix(Eigen::Map<const Eigen::Matrix<Rational, 1, Eigen::Dynamic>>(
          numbers.data(), static_cast<Index>(numbers.size())));
    };
    // All weights in tenths or sixths, of three or four keys, and all gains of 0, 1 and 2.
    const auto try_all = [&](int parts, Index keys) {
      std::uint64_t cases = 0;
      std::vector<Rational> weights(static_cast<std::size_t>(keys));
      const auto with_all_gains = [&] {
        const RationalMatrix p = row(weights);
        Rational most = 0;
        const auto choices = static_cast<int>(std::pow(3, keys));
        for (int code = 0; code < choices; ++code) {
          std::vector<Rational> gains;
          int rest = code, largest = 0;
          for (Index j = 0; j < keys; ++j, rest /= 3) {
            gains.emplace_back(rest % 3);
            largest = std::max(largest, rest % 3);
          }
          const Rational size = size_of_gradient(p, row(gains));
          EXPECT_LE(size, paths.bound(p, row(gains))) << p << " with gains " << row(gains);
          if (largest == 1) most = std::max(most, size);
          ++cases;
        }
        // For a largest weight of one half or more nothing is given away.
        if (2 * largest_weight(p) >= 1) {
          RationalMatrix gains = RationalMatrix::Constant(1, keys, Rational(0));
          gains(0, 0) = 1;
          EXPECT_EQ(most, paths.bound(p, gains)) << p;
        }
      };
      const std::function<void(std::size_t, int)> fill = [&](std::size_t j, int left) {
        if (j + 1 == weights.size()) {
          weights[j] = Rational(left, parts);
          with_all_gains();
          return;
        }
        for (int part = 0; part <= left; ++part) {
          weights[j] = Rational(part, parts);
          fill(j + 1, left - part);
        }
      };
      fill(0, parts);
      return cases;
    };
    enumerated(try_all(10, 3) + try_all(6, 4) + 2);
    const RationalMatrix peaked = row({Rational(9, 10), Rational(1, 20), Rational(1, 20)});
    const RationalMatrix top = row({1, 0, 0});
    EXPECT_EQ(size_of_gradient(peaked, top), Rational(9, 50));
    EXPECT_EQ(paths.bound(peaked, top), Rational(9, 50));
    // Only differences of gains count.
    EXPECT_EQ(paths.bound(peaked, row({3, 2, 2})), Rational(9, 50));
    EXPECT_EQ(paths.bound(peaked, row({0, -1, -1})), Rational(9, 50));
    const RationalMatrix nearly = row({Rational(99, 100), Rational(1, 100)});
    publish("at_99", fixed(static_cast<double>(paths.bound(nearly, row({1, 0}))), 4));
    // Four equal weights, two of them gaining: one half of the range.
    const RationalMatrix equal =
        row({Rational(1, 4), Rational(1, 4), Rational(1, 4), Rational(1, 4)});
    EXPECT_EQ(size_of_gradient(equal, row({1, 1, 0, 0})), Rational(1, 2));
    EXPECT_EQ(paths.bound(equal, row({1, 1, 0, 0})), Rational(1, 2));
    enumerated(2);
  });
}
//! [ValuesAreNeverBlocked]

TEST(ValuesAreNeverBlocked, WeightsThatUnderflowAreOneHot) {
  judge(values_are_never_blocked_mutants, [](const Paths& paths) {
    evidence().weaken(Grade::bounded);
    // Scores 0 and −800: e^(−800) is below half of the smallest double.
    AttentionCase<double> input;
    input.queries = Matrix<double>::Constant(1, 1, 1);
    input.keys = Matrix<double>::Zero(2, 1);
    input.keys(1, 0) = -800;
    input.values = Matrix<double>::Identity(2, 2);
    input.output_gradient = Matrix<double>::Constant(1, 2, 3);
    input.output_gradient(0, 1) = -1;
    const AttentionGradient<double> gradient = paths.in_double(input);
    EXPECT_EQ(gradient.queries(0, 0), 0);
    EXPECT_TRUE(gradient.keys.isZero(0));
    EXPECT_TRUE(gradient.values.row(0) == input.output_gradient.row(0));
    EXPECT_TRUE(gradient.values.row(1).isZero(0));
    // At −700 there is still something left.
    input.keys(1, 0) = -700;
    const AttentionGradient<double> before = paths.in_double(input);
    EXPECT_GT(before.values(1, 0), 0);
    EXPECT_LT(before.values(1, 0), 0x1p-1000);
    EXPECT_NE(before.queries(0, 0), 0);
    enumerated(2);
  });
}

TEST(ValuesAreNeverBlocked, AResidualKeepsTheGradient) {
  judge(values_are_never_blocked_mutants, [](const Paths& paths) {
    const auto is_adjoint = [&](const RationalMatrix& x, const RationalProjections& w,
                                const RationalMatrix& g, const RationalMatrix& p,
                                const RationalMatrix& dx) {
      // What Y = X + PV does when X moves, for a softmax with the weights P.
      const RationalMatrix ds =
          dx * w.queries * (x * w.keys).transpose() + x * w.queries * (dx * w.keys).transpose();
      const RationalMatrix means = p.cwiseProduct(ds).rowwise().sum();
      const RationalMatrix dp = p.cwiseProduct(ds - means.replicate(1, ds.cols()));
      const RationalMatrix dy = dx + dp * x * w.values + p * dx * w.values;
      return inner_product(g, dy) == inner_product(paths.residual(x, w, g, p), dx);
    };
    for_all(
        [&] {
          const auto n = static_cast<Index>(
              *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(1, 4)).as("tokens"));
          const RationalMatrix x = drawn_rationals(n, 2, "X");
          const RationalProjections w{drawn_rationals(2, 2, "W_Q"), drawn_rationals(2, 2, "W_K"),
                                      drawn_rationals(2, 2, "W_V")};
          RC_ASSERT(is_adjoint(x, w, drawn_rationals(n, 2, "G"), drawn_weights(n, n),
                               drawn_rationals(n, 2, "dX")));
        },
        rational_cases);
    // One-hot weights: G and, through the values, PᵀG W_Vᵀ; nothing else.
    const RationalCase numbers = plain_case();
    const RationalMatrix x = numbers.values;
    const RationalProjections w{numbers.keys.topLeftCorner(2, 2), numbers.keys.topRightCorner(2, 2),
                                numbers.queries.topLeftCorner(2, 2)};
    const RationalMatrix g = numbers.values.colwise().reverse();
    const RationalMatrix p = one_hot_weights({2, 0, 2}, 3);
    const RationalMatrix through_values = p.transpose() * g * w.values.transpose();
    EXPECT_TRUE(paths.residual(x, w, g, p) == g + through_values);
    RationalMatrix some_weights(3, 3);
    some_weights << Rational(1, 2), Rational(1, 3), Rational(1, 6), 0, Rational(1, 4),
        Rational(3, 4), Rational(2, 5), Rational(2, 5), Rational(1, 5);
    EXPECT_TRUE(is_adjoint(x, w, g, some_weights, 2 * x));
    enumerated(2);
  });
}

TEST(ValuesAreNeverBlocked, ANormBehindTheSumCanBlockIt) {
  judge(values_are_never_blocked_mutants, [](const Paths& paths) {
    // A token of two features, alone: its only weight is 1. Behind the sum x + xW_V, a layer
    // normalization of two features makes (1, −1) of every token whose first is the larger one.
    const auto normalized = [](const RationalMatrix& y) {
      const Rational mean = (y(0, 0) + y(0, 1)) / 2, deviation = abs(y(0, 0) - y(0, 1)) / 2;
      RationalMatrix z = y;
      for (Rational& entry : z.reshaped()) entry = (entry - mean) / deviation;
      return z;
    };
    RationalMatrix x(1, 2), g(1, 2), weight(1, 1);
    x << 5, 2;
    g << 3, -1;
    weight << 1;
    const RationalMatrix one = RationalMatrix::Identity(2, 2);
    const RationalProjections w{one, one, one};
    for (const Rational& step : {Rational(1, 2), Rational(1, 1000)})
      for (Index l = 0; l < 2; ++l) {
        RationalMatrix moved = x;
        moved(0, l) += step;
        EXPECT_TRUE(normalized(moved + moved * w.values) == normalized(x + x * w.values));
      }
    // In front of the sum there is no such wall: G from the residual, and G W_Vᵀ from the values.
    EXPECT_TRUE(paths.residual(x, w, g, weight) == 2 * g);
    enumerated(4);
    counterexample_without("no norm behind the sum");
  });
}

TEST(ValuesAreNeverBlocked, AQueryThatSeesNothingPassesNothing) {
  judge(values_are_never_blocked_mutants, [](const Paths& paths) {
    RationalCase input = plain_case();
    input.options.allowed = Matrix<bool>::Constant(2, 3, true);
    input.options.allowed->row(0).setConstant(false);
    const RationalMatrix weights = RationalMatrix::Constant(1, 3, Rational(1, 3));
    const RationalMatrix whole = paths.gradient(input, weights).values.colwise().sum();
    EXPECT_TRUE(whole == input.output_gradient.row(1));
    EXPECT_FALSE(whole == input.output_gradient.colwise().sum());
    enumerated(1);
    counterexample_without("rows that sum to 1");
  });
}

TEST(ValuesAreNeverBlocked, RefusesGainsThatDoNotFit) {
  judge(values_are_never_blocked_mutants, [](const Paths& paths) {
    const RationalMatrix two = RationalMatrix::Constant(1, 2, Rational(1, 2));
    EXPECT_EQ(message_of<std::invalid_argument>(
                  [&] { paths.bound(two, RationalMatrix::Constant(1, 3, Rational(1))); }),
              "there are 2 weights and 3 gains, but must be as many, and at least 1");
    EXPECT_EQ(message_of<std::invalid_argument>(
                  [&] { paths.bound(RationalMatrix(1, 0), RationalMatrix(1, 0)); }),
              "there are 0 weights and 0 gains, but must be as many, and at least 1");
  });
}

// --------------------------------------------------------------------------- ScaleFoldsIntoQueries

/// Where the scale is folded in.
struct Folding {
  RationalMatrix (*fold)(const RationalMatrix&, const std::optional<Rational>&) =
      [](const RationalMatrix& queries, const std::optional<Rational>& scale) {
        return sqrtdk::fold_scale(queries, scale);
      };
  Matrix<double> (*fold_double)(const Matrix<double>&) = [](const Matrix<double>& queries) {
    return sqrtdk::fold_scale(queries);
  };
  Matrix<float> (*fold_float)(const Matrix<float>&) = [](const Matrix<float>& queries) {
    return sqrtdk::fold_scale(queries);
  };
};

const std::vector<Mutant<Folding>> scale_folds_into_queries_mutants = {
    {"not scaled",
     "HoldsForAllScalesOverTheRationals",
     {.fold = [](const RationalMatrix& queries,
                 const std::optional<Rational>&) { return queries; }}},
    {"scaled twice",
     "HoldsForAllScalesOverTheRationals",
     {.fold =
          [](const RationalMatrix& queries, const std::optional<Rational>& scale) {
            return fold_scale(fold_scale(queries, scale), scale);
          }}},
    {"a scale of one's own is ignored",
     "HoldsForAllScalesOverTheRationals",
     {.fold = [](const RationalMatrix& queries,
                 const std::optional<Rational>&) { return fold_scale(queries); }}},
    {"only the first feature",
     "HoldsForAllScalesOverTheRationals",
     {.fold =
          [](const RationalMatrix& queries, const std::optional<Rational>& scale) {
            RationalMatrix folded = queries;
            folded.col(0) = fold_scale(queries, scale).col(0);
            return folded;
          }}},
    {"rounded to single precision",
     "HoldsBitForBitWhenTheRootIsAPowerOfTwo",
     {.fold_double = [](const Matrix<double>& queries) -> Matrix<double> {
       return fold_scale(queries).cast<float>().cast<double>();
     }}},
    {"divided by d in single precision",
     "HoldsBitForBitWhenTheRootIsAPowerOfTwo",
     {.fold_float =
          [](const Matrix<float>& queries) {
            return fold_scale(queries, 1.0F / static_cast<float>(queries.cols()));
          }}},
    {"zeros lose their sign",
     "HoldsBitForBitWhenTheRootIsAPowerOfTwo",
     {.fold_double =
          [](const Matrix<double>& queries) {
            return Matrix<double>(fold_scale(queries).array() + 0.0);
          }}},
    {"zeros lose their sign in single precision",
     "HoldsBitForBitWhenTheRootIsAPowerOfTwo",
     {.fold_float =
          [](const Matrix<float>& queries) {
            return Matrix<float>(fold_scale(queries).array() + 0.0F);
          }}},
    {"computed exactly, rounded once",
     "AtAWidthOfNineBitsDiffer",
     {.fold_double = [](const Matrix<double>& queries) { return Matrix<double>(queries / 4); }}},
    {"subnormal numbers are kept apart",
     "SubnormalQueriesLoseBits",
     {.fold_double = [](const Matrix<double>& queries) { return queries; }}},
    {"products are rounded as if there were no subnormal numbers",
     "AProductThatIsRoundedUpToANormalNumberIsOutside",
     {.fold_double = [](const Matrix<double>& queries) { return queries; }}},
    {"limited to half of the range",
     "ProductsThatOverflowDoNotWhenFolded",
     {.fold_double =
          [](const Matrix<double>& queries) {
            return Matrix<double>(fold_scale(queries).cwiseMin(1e300));
          }}},
};

//! [ScaleFoldsIntoQueries]
TEST(ScaleFoldsIntoQueries, HoldsForAllScalesOverTheRationals) {
  judge(scale_folds_into_queries_mutants, [](const Folding& folding) {
    for_all(
        [&] {
          const RationalCase input = drawn_rational_case(Masks::all);
          const auto& scale = input.options.scale;
          const RationalMatrix folded = folding.fold(input.queries, scale);
          RC_ASSERT(attention_scores(folded, input.keys, Rational(1)) ==
                    attention_scores(input.queries, input.keys, scale));
          AttentionOptions<Rational> options = input.options;
          options.scale = Rational(1);
          RC_ASSERT(scaled_dot_product_attention(folded, input.keys, input.values, options,
                                                 RationalWeighting())
                        .output == scaled_dot_product_attention(input.queries, input.keys,
                                                                input.values, input.options,
                                                                RationalWeighting())
                                       .output);
        },
        rational_cases);
  });
}
//! [ScaleFoldsIntoQueries]

/// Numbers with full mantissas between 2^−20 and 2^20 or so: no product or sum of theirs leaves the
/// normal numbers.
template <class Real>
Matrix<Real> drawn_full_mantissas(Index rows, Index columns, const char* name) {
  const int digits = std::numeric_limits<Real>::digits;
  const auto entry = rc::gen::map(
      rc::gen::pair(rc::gen::arbitrary<std::int64_t>(), rc::gen::inRange(-20, 21)),
      [=](const std::pair<std::int64_t, int>& draw) {
        const std::int64_t mantissa = draw.first % (std::int64_t{1} << digits);
        return static_cast<Real>(std::ldexp(static_cast<double>(mantissa), draw.second - digits));
      });
  const auto list =
      *rc::gen::container<std::vector<Real>>(static_cast<std::size_t>(rows * columns), entry)
           .as(name);
  return Eigen::Map<const Matrix<Real>>(list.data(), rows, columns);
}

//! [ScaleFoldsIntoQueries: bit for bit]
TEST(ScaleFoldsIntoQueries, HoldsBitForBitWhenTheRootIsAPowerOfTwo) {
  judge(scale_folds_into_queries_mutants, [](const Folding& folding) {
    const auto check = [](auto fold, auto zero) {
      using Real = decltype(zero);
      const int exponent = *rc::gen::inRange(0, 4).as("log2 of the root of d");
      const Index d = Index{1} << (2 * exponent);
      const Matrix<Real> q = drawn_full_mantissas<Real>(2, d, "Q");
      const Matrix<Real> k = drawn_full_mantissas<Real>(3, d, "K");
      RC_ASSERT(same_bits(attention_scores(fold(q), k, Real(1)), attention_scores(q, k)));
    };
    const auto check_zeros = [](auto fold, auto zero) {
      using Real = decltype(zero);
      const Matrix<Real> q{{-zero, -zero, -zero, -zero}, {zero, zero, -zero, zero}};
      const Matrix<Real> k{{1, 2, 3, 4}, {-1, -2, 3, -4}};
      const Matrix<Real> scores = attention_scores(q, k);
      EXPECT_TRUE(std::signbit(scores(0, 0)) && std::signbit(scores(1, 1)));
      EXPECT_TRUE(same_bits(attention_scores(fold(q), k, Real(1)), scores));
      enumerated(1);
    };
    check_zeros(folding.fold_double, 0.0);
    check_zeros(folding.fold_float, 0.0F);
    for_all([&] { check(folding.fold_double, 0.0); });
    for_all([&] { check(folding.fold_float, 0.0F); });
  });
}
//! [ScaleFoldsIntoQueries: bit for bit]

/// The scores of one query and one key of d features, of which only the first is not 0.
std::pair<double, double> folded_and_not(const Folding& folding, Index d, double q, double k) {
  Matrix<double> queries = Matrix<double>::Zero(1, d);
  Matrix<double> keys = Matrix<double>::Zero(1, d);
  queries(0) = q;
  keys(0) = k;
  return {attention_scores(folding.fold_double(queries), keys, 1.0)(0),
          attention_scores(queries, keys)(0)};
}

TEST(ScaleFoldsIntoQueries, AtAWidthOfNineBitsDiffer) {
  judge(scale_folds_into_queries_mutants, [](const Folding& folding) {
    const auto [folded, scaled] = folded_and_not(folding, 9, 1, 5);
    EXPECT_EQ(folded, 0x1.aaaaaaaaaaaaap+0);
    EXPECT_EQ(scaled, 0x1.aaaaaaaaaaaabp+0);
    enumerated(1);
    counterexample_without("power of two");
  });
}

TEST(ScaleFoldsIntoQueries, SubnormalQueriesLoseBits) {
  judge(scale_folds_into_queries_mutants, [](const Folding& folding) {
    const double least = std::numeric_limits<double>::denorm_min();
    const auto [folded, scaled] = folded_and_not(folding, 4, least, 2);
    EXPECT_EQ(folded, 0);
    EXPECT_EQ(scaled, least);
    enumerated(1);
    counterexample_without("no underflow");
  });
}

TEST(ScaleFoldsIntoQueries, AProductThatIsRoundedUpToANormalNumberIsOutside) {
  judge(scale_folds_into_queries_mutants, [](const Folding& folding) {
    // The first product is below twice the least normal number, 2^−1021, by 0.62 of the smallest
    // positive number. It is rounded down; half of it, 0.31 below 2^−1022, is rounded up, to a
    // normal number. Every number that is stored on the way is normal.
    Matrix<double> queries(1, 4);
    Matrix<double> keys(1, 4);
    queries << 0x1.0000060a61a1ep-1021, 0, 0x1.0000000000003p-1021, 0;
    keys << 0x1.fffff3eb3d053p-1, 0, 1, 0;
    EXPECT_EQ(attention_scores(folding.fold_double(queries), keys, 1.0)(0),
              0x1.0000000000002p-1021);
    EXPECT_EQ(attention_scores(queries, keys)(0), 0x1.0000000000001p-1021);
    enumerated(1);
    counterexample_without("no underflow");
  });
}

TEST(ScaleFoldsIntoQueries, ProductsThatOverflowDoNotWhenFolded) {
  judge(scale_folds_into_queries_mutants, [](const Folding& folding) {
    const double greatest = std::numeric_limits<double>::max();
    const auto [folded, scaled] = folded_and_not(folding, 4, greatest, 2);
    EXPECT_EQ(folded, greatest);
    EXPECT_EQ(scaled, std::numeric_limits<double>::infinity());
    enumerated(1);
    counterexample_without("no overflow");
  });
}

// ------------------------------------------------------------------------- ScalingCostIsNegligible

/// A number that counts what is done with it.
struct Counted {
  double value = 0;
  static inline OperationCounts counts;

  Counted() = default;
  Counted(double x) : value(x) {}  // NOLINT: a scalar is made of numbers

  Counted& operator+=(const Counted& x) {
    ++counts.additions;
    value += x.value;
    return *this;
  }
  friend Counted operator+(Counted x, const Counted& y) { return x += y; }
  friend Counted operator*(const Counted& x, const Counted& y) {
    ++counts.multiplications;
    return x.value * y.value;
  }
  friend Counted operator/(const Counted& x, const Counted& y) {
    ++counts.divisions;
    return x.value / y.value;
  }
  friend bool operator==(const Counted& x, const Counted& y) { return x.value == y.value; }
  friend Counted sqrt(const Counted& x) {
    ++counts.roots;
    return std::sqrt(x.value);
  }
};

}  // namespace

/// \cond  Doxygen does not know the namespaces of Eigen.
template <>
struct Eigen::NumTraits<Counted> : Eigen::NumTraits<double> {
  using Real = Counted;
  using NonInteger = Counted;
  using Nested = Counted;
  using Literal = Counted;
};
/// \endcond

namespace {

/// What the scores take, counted in the library's own code.
OperationCounts counted(std::size_t n, std::size_t m, std::size_t d, ScalePlace place,
                        ScaleKind kind) {
  const auto ones = [](std::size_t rows, std::size_t columns) {
    return Matrix<Counted>(Matrix<Counted>::Constant(static_cast<Index>(rows),
                                                     static_cast<Index>(columns), Counted(1)));
  };
  const Matrix<Counted> queries = ones(n, d);
  const Matrix<Counted> keys = ones(m, d);
  std::optional<Counted> scale;
  if (kind == ScaleKind::given) scale = Counted(3);
  Counted::counts = {};
  if (place == ScalePlace::scores)
    attention_scores(queries, keys, scale);
  else
    attention_scores(fold_scale(queries, scale), keys, Counted(1));
  return Counted::counts;
}

/// What is said about the cost.
struct Cost {
  OperationCounts (*operations)(std::uint64_t, std::uint64_t, std::uint64_t, ScalePlace,
                                ScaleKind) = sqrtdk::score_operations;
  Rational (*share)(std::uint64_t, std::uint64_t, ScalePlace) = sqrtdk::scaling_share;
};

template <class Change>
OperationCounts changed(std::uint64_t n, std::uint64_t m, std::uint64_t d, ScalePlace place,
                        ScaleKind kind, Change change) {
  OperationCounts counts = score_operations(n, m, d, place, kind);
  change(counts);
  return counts;
}

const std::vector<Mutant<Cost>> scaling_cost_is_negligible_mutants = {
    {"as many additions as multiplications",
     "TheCountsAreThoseOfTheCode",
     {.operations =
          [](std::uint64_t n, std::uint64_t m, std::uint64_t d, ScalePlace place, ScaleKind kind) {
            return changed(n, m, d, place, kind, [&](auto& c) { c.additions = n * m * d; });
          }}},
    {"queries and keys are multiplied once",
     "TheCountsAreThoseOfTheCode",
     {.operations =
          [](std::uint64_t n, std::uint64_t m, std::uint64_t d, ScalePlace place, ScaleKind kind) {
            return changed(n, m, d, place, kind, [&](auto& c) { c.multiplications = (n + m) * d; });
          }}},
    {"every product is divided",
     "TheCountsAreThoseOfTheCode",
     {.operations =
          [](std::uint64_t n, std::uint64_t m, std::uint64_t d, ScalePlace place, ScaleKind kind) {
            return changed(n, m, d, place, kind, [&](auto& c) { c.divisions = n * m * d; });
          }}},
    {"folding divides keys",
     "TheCountsAreThoseOfTheCode",
     {.operations =
          [](std::uint64_t n, std::uint64_t m, std::uint64_t d, ScalePlace place, ScaleKind kind) {
            return changed(n, m, d, place, kind, [&](auto& c) {
              if (place == ScalePlace::queries) c.divisions = m * d;
            });
          }}},
    {"a root for every score",
     "TheCountsAreThoseOfTheCode",
     {.operations =
          [](std::uint64_t n, std::uint64_t m, std::uint64_t d, ScalePlace place, ScaleKind kind) {
            return changed(n, m, d, place, kind, [&](auto& c) { c.roots *= n * m; });
          }}},
    {"a scale that is given takes a root too",
     "TheCountsAreThoseOfTheCode",
     {.operations =
          [](std::uint64_t n, std::uint64_t m, std::uint64_t d, ScalePlace place, ScaleKind kind) {
            return changed(n, m, d, place, kind, [&](auto& c) { c.roots = 1; });
          }}},
    {"a scale that is given is divided by",
     "TheCountsAreThoseOfTheCode",
     {.operations =
          [](std::uint64_t n, std::uint64_t m, std::uint64_t d, ScalePlace place, ScaleKind) {
            return changed(n, m, d, place, ScaleKind::root, [&](auto& c) { c.roots = 0; });
          }}},
    {"the share of the multiplications only",
     "TheShareIsOneInTwoDLessOne",
     {.share = [](std::uint64_t, std::uint64_t d, ScalePlace) -> Rational {
       return Rational(1) / Rational(d);
     }}},
    {"folding costs as much",
     "TheShareIsOneInTwoDLessOne",
     {.share = [](std::uint64_t m, std::uint64_t d,
                  ScalePlace) { return scaling_share(m, d, ScalePlace::scores); }}},
    {"folding always pays",
     "FoldingPaysForMoreKeysThanFeatures",
     {.operations =
          [](std::uint64_t n, std::uint64_t m, std::uint64_t d, ScalePlace place, ScaleKind kind) {
            return changed(n, m, d, place, kind, [&](auto& c) {
              if (place == ScalePlace::queries) c.divisions = n;
            });
          }}},
    {"the share never exceeds a tenth",
     "AtOneFeatureThereAreAsManyDivisionsAsProducts",
     {.share =
          [](std::uint64_t m, std::uint64_t d, ScalePlace place) {
            return std::min(scaling_share(m, d, place), Rational(1, 10));
          }}},
    {"a width of zero is free",
     "RefusesWhatHasNoScores",
     {.operations =
          [](std::uint64_t n, std::uint64_t m, std::uint64_t d, ScalePlace place, ScaleKind kind) {
            return d == 0 ? OperationCounts() : score_operations(n, m, d, place, kind);
          }}},
    {"counts begin anew at 2^64",
     "RefusesCountsBeyondSixtyFourBits",
     {.operations =
          [](std::uint64_t n, std::uint64_t m, std::uint64_t d, ScalePlace place, ScaleKind) {
            return OperationCounts{n * m * d, n * m * (d - 1),
                                   place == ScalePlace::scores ? n * m : n * d, 1};
          }}},
    {"only products are counted when it is asked whether they can be",
     "RefusesCountsBeyondSixtyFourBits",
     {.operations =
          [](std::uint64_t n, std::uint64_t m, std::uint64_t d, ScalePlace place, ScaleKind kind) {
            OperationCounts counts = score_operations(n, m, d, place);
            if (kind == ScaleKind::given) counts.multiplications += counts.divisions;
            return counts;
          }}},
    {"no keys cost nothing",
     "RefusesWhatHasNoScores",
     {.share = [](std::uint64_t m, std::uint64_t d,
                  ScalePlace place) { return m == 0 ? Rational(0) : scaling_share(m, d, place); }}},
};

//! [ScalingCostIsNegligible]
TEST(ScalingCostIsNegligible, TheCountsAreThoseOfTheCode) {
  judge(scaling_cost_is_negligible_mutants, [](const Cost& cost) {
    for (const ScaleKind kind : {ScaleKind::root, ScaleKind::given})
      for (const ScalePlace place : {ScalePlace::scores, ScalePlace::queries})
        for (std::size_t n = 1; n <= 4; ++n)
          for (std::size_t m = 1; m <= 4; ++m)
            for (std::size_t d = 1; d <= 9; ++d) {
              EXPECT_EQ(cost.operations(n, m, d, place, kind), counted(n, m, d, place, kind))
                  << n << " queries, " << m << " keys, d = " << d;
              enumerated(1);
            }
  });
}
//! [ScalingCostIsNegligible]

//! [ScalingCostIsNegligible: exact check]
TEST(ScalingCostIsNegligible, TheShareIsOneInTwoDLessOne) {
  judge(scaling_cost_is_negligible_mutants, [](const Cost& cost) {
    for_all([&] {
      const auto m = *rc::gen::inRange<std::uint64_t>(1, 100000).as("keys");
      const auto d = *rc::gen::inRange<std::uint64_t>(1, 10000).as("d");
      RC_ASSERT(cost.share(m, d, ScalePlace::scores) == Rational(1) / Rational(2 * d - 1));
      RC_ASSERT(cost.share(m, d, ScalePlace::queries) ==
                Rational(d) / (Rational(m) * Rational(2 * d - 1)));
    });
    // A part of less than one in a hundred, from heads of 64 features on.
    expect_confirmed("S3", "The cost is negligible",
                     cost.share(512, 64, ScalePlace::scores) < Rational(1, 100));
    const auto percent = [](const Rational& share) {
      return digits(100 * share.convert_to<double>(), 4);
    };
    publish("percent_at_64", percent(cost.share(512, 64, ScalePlace::scores)));
    publish("percent_at_128", percent(cost.share(512, 128, ScalePlace::scores)));
    publish("percent_folded_at_4096_keys", percent(cost.share(4096, 64, ScalePlace::queries)));
  });
}
//! [ScalingCostIsNegligible: exact check]

TEST(ScalingCostIsNegligible, FoldingPaysForMoreKeysThanFeatures) {
  judge(scaling_cost_is_negligible_mutants, [](const Cost& cost) {
    for (std::uint64_t m = 1; m <= 32; ++m)
      for (std::uint64_t d = 1; d <= 32; ++d) {
        const bool pays = cost.operations(7, m, d, ScalePlace::queries, ScaleKind::root).divisions <
                          cost.operations(7, m, d, ScalePlace::scores, ScaleKind::root).divisions;
        EXPECT_EQ(pays, d < m) << m << " keys, d = " << d;
        enumerated(1);
      }
    counterexample_without("more keys than features");
  });
}

TEST(ScalingCostIsNegligible, AtOneFeatureThereAreAsManyDivisionsAsProducts) {
  judge(scaling_cost_is_negligible_mutants, [](const Cost& cost) {
    EXPECT_EQ(cost.share(10, 1, ScalePlace::scores), 1);
    enumerated(1);
    counterexample_without("wide heads");
  });
}

TEST(ScalingCostIsNegligible, RefusesWhatHasNoScores) {
  judge(scaling_cost_is_negligible_mutants, [](const Cost& cost) {
    EXPECT_EQ(message_of<std::domain_error>(
                  [&] { cost.operations(1, 1, 0, ScalePlace::scores, ScaleKind::root); }),
              "the dimension is 0, but must be at least 1");
    EXPECT_EQ(message_of<std::domain_error>([&] { cost.share(0, 1, ScalePlace::scores); }),
              "the number of keys is 0, but must be at least 1");
    EXPECT_EQ(message_of<std::domain_error>([&] { cost.share(1, 0, ScalePlace::scores); }),
              "the dimension is 0, but must be at least 1");
  });
}

TEST(ScalingCostIsNegligible, RefusesCountsBeyondSixtyFourBits) {
  judge(scaling_cost_is_negligible_mutants, [](const Cost& cost) {
    constexpr std::uint64_t large = std::uint64_t{1} << 32U;
    constexpr ScaleKind root = ScaleKind::root;
    for (const ScalePlace place : {ScalePlace::scores, ScalePlace::queries}) {
      EXPECT_EQ(
          message_of<std::overflow_error>([&] { cost.operations(large, large, 1, place, root); }),
          "the number of operations is 18446744073709551616, but must be below 2^64");
      EXPECT_EQ(
          message_of<std::overflow_error>([&] { cost.operations(large, 0, large, place, root); }),
          "the number of operations is 18446744073709551616, but must be below 2^64");
      EXPECT_EQ(message_of<std::overflow_error>([&] { cost.share(large, large, place); }),
                "the number of operations is 18446744073709551616, but must be below 2^64");
      EXPECT_EQ(cost.operations(large, large - 1, 1, place, root).multiplications, -large);
      // Half as many products as would be too many, and as many multiplications by the scale.
      EXPECT_EQ(message_of<std::overflow_error>([&] {
                  cost.operations(large, 1, large / 2, place, ScaleKind::given);
                }).empty(),
                place == ScalePlace::scores);
      EXPECT_EQ(message_of<std::overflow_error>([&] {
                  cost.operations(large, large / 2, 1, place, ScaleKind::given);
                }).empty(),
                place == ScalePlace::queries);
    }
    enumerated(12);
  });
}

// ----------------------------------------------------------------------------- ScalingIsUniversal

/// What is said about published models.
struct Scales {
  std::vector<PublishedScale> (*models)() = sqrtdk::published_scales;
  Rational (*squared_divisor)(const PublishedScale&) = sqrtdk::squared_divisor;
  Rational (*variance)(const PublishedScale&) = sqrtdk::published_score_variance;
};

/// The table with one model changed.
template <class Change>
std::vector<PublishedScale> with_model(const std::string& name, Change change) {
  std::vector<PublishedScale> models = published_scales();
  for (PublishedScale& model : models)
    if (model.model == name) change(model);
  return models;
}

std::vector<PublishedScale> with_rule(const std::string& name, PublishedRule rule) {
  return with_model(name, [rule](PublishedScale& model) { model.rule = rule; });
}

bool divides_by_the_root(const PublishedScale& model, const Scales& scales) {
  return scales.squared_divisor(model) == Rational(model.head_dimension);
}

/// c as it is written: a number if c² is the square of one, else a root.
std::string divisor_text(const Rational& squared) {
  const Integer root = sqrt(Integer(numerator(squared)));
  return Rational(root * root) == squared ? root.str() : "√" + squared.str();
}

const std::vector<Mutant<Scales>> scaling_is_universal_mutants = {
    {"GPT-2 does not scale",
     "TheModelsThatTheDocumentNamesDivideByTheRoot",
     {.models = [] { return with_rule("GPT-2", PublishedRule::none); }}},
    {"LLaMA has twice the features",
     "TheModelsThatTheDocumentNamesDivideByTheRoot",
     {.models =
          [] { return with_model("LLaMA 7B", [](auto& model) { model.head_dimension *= 2; }); }}},
    {"BERT does not scale",
     "OthersDivideByOtherNumbersOrNotAtAll",
     {.models = [] { return with_rule("BERT, base", PublishedRule::none); }}},
    {"T5 divides by the root",
     "OthersDivideByOtherNumbersOrNotAtAll",
     {.models = [] { return with_rule("T5, base", PublishedRule::root); }}},
    {"GPT-Neo divides by the root",
     "OthersDivideByOtherNumbersOrNotAtAll",
     {.models = [] { return with_rule("GPT-Neo 1.3B", PublishedRule::root); }}},
    {"Gemma 2 divides by the root of its own dimension",
     "OthersDivideByOtherNumbersOrNotAtAll",
     {.models = [] { return with_rule("Gemma 2 27B", PublishedRule::root); }}},
    {"Granite multiplies by an eighth",
     "OthersDivideByOtherNumbersOrNotAtAll",
     {.models =
          [] {
            return with_model("Granite 3.2 2B", [](auto& model) { model.number = Rational(1, 8); });
          }}},
    {"all divide by the root",
     "OthersDivideByOtherNumbersOrNotAtAll",
     {.squared_divisor =
          [](const PublishedScale& model) { return Rational(model.head_dimension); }}},
    {"no model is wider than 128",
     "HeadsAreMostlyAsWideAsTheArticleSays",
     {.models =
          [] { return with_model("Gemma 7B", [](auto& model) { model.head_dimension = 128; }); }}},
    {"Swin's heads have 64 features",
     "HeadsAreMostlyAsWideAsTheArticleSays",
     {.models =
          [] { return with_model("Swin-T", [](auto& model) { model.head_dimension = 64; }); }}},
    {"T5's heads have 32 features",
     "HeadsAreMostlyAsWideAsTheArticleSays",
     {.models =
          [] { return with_model("T5, base", [](auto& model) { model.head_dimension = 32; }); }}},
    {"a multiplier divides",
     "EachRuleLeavesTheVarianceOfTheLaw",
     {.variance = [](const PublishedScale& model) -> Rational {
       return model.rule == PublishedRule::multiplier
                  ? Rational(Rational(model.head_dimension) / (model.number * model.number))
                  : published_score_variance(model);
     }}},
    {"the variance is divided by c, not by c²",
     "EachRuleLeavesTheVarianceOfTheLaw",
     {.variance = [](const PublishedScale& model) -> Rational {
       return model.rule == PublishedRule::multiplier
                  ? Rational(Rational(model.head_dimension) * model.number)
                  : published_score_variance(model);
     }}},
    {"a number whose root divides is squared",
     "EachRuleLeavesTheVarianceOfTheLaw",
     {.variance = [](const PublishedScale& model) -> Rational {
       return model.rule == PublishedRule::square
                  ? Rational(published_score_variance(model) / model.number)
                  : published_score_variance(model);
     }}},
    {"without a scale the variance is 1",
     "EachRuleLeavesTheVarianceOfTheLaw",
     {.variance = [](const PublishedScale& model) -> Rational {
       return model.rule == PublishedRule::none ? Rational(1) : published_score_variance(model);
     }}},
    {"the root leaves d",
     "EachRuleLeavesTheVarianceOfTheLaw",
     {.variance = [](const PublishedScale& model) -> Rational {
       return model.rule == PublishedRule::root ? Rational(model.head_dimension)
                                                : published_score_variance(model);
     }}},
    {"a multiplier of 0 is accepted",
     "RefusesWhatIsNoScale",
     {.squared_divisor =
          [](const PublishedScale& model) {
            return model.number == 0 ? Rational(1) : squared_divisor(model);
          }}},
    {"a head of no features is accepted",
     "RefusesWhatIsNoScale",
     {.variance =
          [](const PublishedScale& model) {
            return model.head_dimension == 0 ? Rational(0) : published_score_variance(model);
          }}},
};

TEST(ScalingIsUniversal, TheModelsThatTheDocumentNamesDivideByTheRoot) {
  judge(scaling_is_universal_mutants, [](const Scales& scales) {
    std::map<std::string, std::size_t> dimension;
    for (const PublishedScale& model : scales.models())
      if (divides_by_the_root(model, scales)) dimension[model.model] = model.head_dimension;
    expect_confirmed("S3", "GPT: Standard √d_k scaling", dimension["GPT-2"] == 64);
    expect_confirmed("S3", "LLaMA: Standard scaling", dimension["LLaMA 7B"] == 128);
    evidence().weaken(Grade::cited);
    of_the_statement();
    enumerated(2);
  });
}

//! [ScalingIsUniversal]
TEST(ScalingIsUniversal, OthersDivideByOtherNumbersOrNotAtAll) {
  judge(scaling_is_universal_mutants, [](const Scales& scales) {
    std::string others;
    std::set<std::string> undivided;
    std::size_t by_the_root = 0;
    for (const PublishedScale& model : scales.models()) {
      enumerated(1);
      if (scales.squared_divisor(model) == 1) undivided.insert(model.model);
      publish(model.reference + "_d", std::to_string(model.head_dimension));
      publish(model.reference + "_divisor", divisor_text(scales.squared_divisor(model)));
      publish(model.reference + "_variance", scales.variance(model).str());
      if (divides_by_the_root(model, scales))
        ++by_the_root;
      else
        others += (others.empty() ? "" : "; ") + model.model + " by " +
                  divisor_text(scales.squared_divisor(model));
    }
    EXPECT_EQ(others, "Gemma 2 27B by 12; T5, base by 1; GPT-Neo 1.3B by 1; Granite 3.2 2B by 64");
    EXPECT_EQ(by_the_root, 6U);

    evidence().weaken(Grade::cited);
    of_the_statement();
    expect_refuted("S3", "universally", by_the_root == scales.models().size(),
                   "usually; but " + others);
    // Whoever does not divide has the factor in the initialization, so the table shows no model
    // that does without.
    const std::set<std::string> in_the_initialization = {"T5, base", "GPT-Neo 1.3B"};
    const bool decided = undivided != in_the_initialization;
    decides("S2", "makes the entire attention mechanism work", decided);
    decides("S3", "necessary for stable training", decided);
    decides("S3", "essential for attention to work in practice", decided);
  });
}
//! [ScalingIsUniversal]

TEST(ScalingIsUniversal, HeadsAreMostlyAsWideAsTheArticleSays) {
  judge(scaling_is_universal_mutants, [](const Scales& scales) {
    std::set<std::size_t> widths;
    std::set<std::string> narrower;
    for (const PublishedScale& model : scales.models()) {
      widths.insert(model.head_dimension);
      if (model.head_dimension < 64) narrower.insert(model.model);
    }
    const std::set<std::string> for_images = {"Swin-T"};
    EXPECT_EQ(widths, (std::set<std::size_t>{32, 64, 128, 256}));
    evidence().weaken(Grade::cited);
    of_the_statement();
    expect_confirmed("S2", "64, 128, or even larger", narrower == for_images);
    enumerated(scales.models().size());
  });
}

//! [ScalingIsUniversal: exact check]
TEST(ScalingIsUniversal, EachRuleLeavesTheVarianceOfTheLaw) {
  judge(scaling_is_universal_mutants, [](const Scales& scales) {
    for_all(
        [&] {
          const RationalDistribution q =
              *standardized_distribution().as("law of an entry of the query");
          const RationalDistribution k =
              *standardized_distribution().as("law of an entry of the key");
          const auto d = *rc::gen::inRange<std::size_t>(1, 3).as("d");
          const Rational number = abs(*nonzero_rational().as("the number that is given"));
          const RationalDistribution score = dot_product_distribution(q, k, d);
          const auto left = [&](PublishedRule rule) {
            return scales.variance({"a model", d, rule, number, ""});
          };
          const auto times = [&](const Rational& factor) {
            return variance(score.image([&](const Rational& s) { return Rational(s * factor); }));
          };
          RC_ASSERT(left(PublishedRule::none) == times(1));
          RC_ASSERT(left(PublishedRule::multiplier) == times(number));
          // A root may be irrational, so that its square is brought to the other side.
          RC_ASSERT(left(PublishedRule::root) * Rational(d) == times(1));
          RC_ASSERT(left(PublishedRule::square) * number == times(1));
        },
        40);
  });
}
//! [ScalingIsUniversal: exact check]

TEST(ScalingIsUniversal, RefusesWhatIsNoScale) {
  judge(scaling_is_universal_mutants, [](const Scales& scales) {
    EXPECT_EQ(message_of<std::domain_error>([&] {
                scales.squared_divisor({"a model", 4, PublishedRule::multiplier, 0, ""});
              }),
              "the number published for a model is 0, but must be greater than 0");
    EXPECT_EQ(message_of<std::domain_error>([&] {
                scales.squared_divisor({"another", 4, PublishedRule::square, Rational(-1, 2), ""});
              }),
              "the number published for another is -1/2, but must be greater than 0");
    EXPECT_EQ(message_of<std::domain_error>([&] {
                scales.variance({"a model", 0, PublishedRule::root, 0, ""});
              }),
              "the dimension is 0, but must be at least 1");
    EXPECT_EQ(message_of<std::domain_error>([&] {
                scales.squared_divisor({"a model", 4, static_cast<PublishedRule>(4), 0, ""});
              }),
              "the rule of a model is none of the four");
  });
}

}  // namespace
