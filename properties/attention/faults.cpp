#include "properties/attention/faults.hpp"

#include <sqrtdk/attention.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/softmax.hpp>
#include <sqrtdk/testing/laws/arrays.hpp>
#include <sqrtdk/testing/laws/attention_case.hpp>

#include <Eigen/Core>
#include <boost/multiprecision/eigen.hpp>  // before anything makes a matrix of Rational

#include <algorithm>
#include <functional>
#include <limits>
#include <stdexcept>
#include <type_traits>

namespace attention_faults {

namespace {

struct NaiveWeighting {
  template <class Derived>
  auto operator()(const Eigen::MatrixBase<Derived>& scores) const {
    return naive_softmax(scores);
  }
};

// Entry by entry, since each expression of Eigen's is a type to compile for each format.

template <class To, class From>
Matrix<To> cast_to(const Matrix<From>& x) {
  Matrix<To> result(x.rows(), x.cols());
  for (Index i = 0; i < x.size(); ++i) result(i) = static_cast<To>(x(i));
  return result;
}

template <class Real>
Matrix<Real> transposed(const Matrix<Real>& x) {
  Matrix<Real> result(x.cols(), x.rows());
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = 0; j < x.cols(); ++j) result(j, i) = x(i, j);
  return result;
}

template <class Real>
Matrix<Real> product(const Matrix<Real>& a, const Matrix<Real>& b) {
  Matrix<Real> result(a.rows(), b.cols());
  for (Index i = 0; i < a.rows(); ++i)
    for (Index j = 0; j < b.cols(); ++j) {
      Real sum(0);
      for (Index l = 0; l < a.cols(); ++l) sum = Real(sum + Real(a(i, l) * b(l, j)));
      result(i, j) = sum;
    }
  return result;
}

template <class Real>
void multiply(Matrix<Real>& x, const Real& factor) {
  for (Index i = 0; i < x.size(); ++i) x(i) = Real(x(i) * factor);
}

template <class Real>
void divide(Matrix<Real>& x, const Real& divisor) {
  for (Index i = 0; i < x.size(); ++i) x(i) = Real(x(i) / divisor);
}

/// Weights that went through a coarser format.
template <class Coarse, class Scores>
Scores softmax_stored_as(const Scores& scores) {
  using Real = typename Scores::Scalar;
  Scores weights = softmax(scores);
  for (Index i = 0; i < weights.size(); ++i) weights[i] = Real(static_cast<Coarse>(weights[i]));
  return weights;
}

/// A weighting that is chosen at run time, so that attention is compiled once for all of them.
template <class Real>
using AnyWeighting = std::function<ColumnOf<Compute<Real>>(const ColumnOf<Compute<Real>>& scores)>;

/// The case as an implementation with a fault takes it in: a list of faults and what each changes.
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
      for (Index i = 1; i < n; ++i)
        for (Index l = 0; l < input.queries.cols(); ++l) input.queries(i, l) = input.queries(0, l);
      break;
    case Fault::keys_for_values:
      for (Index c = 0; c < input.values.cols(); ++c)
        for (Index j = 0; j < m; ++j) input.values(j, c) = input.keys(j, c % input.keys.cols());
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

}  // namespace

template <class Real>
AttentionResult<Real> Subject::result(const AttentionCase<Real>& original) const {
  AttentionCase<Real> input = misread(original, fault);
  const auto run = [&](const auto& weighting) {
    return scaled_dot_product_attention(input.queries, input.keys, input.values, input.options,
                                        weighting);
  };
  if constexpr (!std::is_same_v<Real, Rational>) {
    using Scores = ColumnOf<Compute<Real>>;
    const auto run_any = [&](const AnyWeighting<Real>& weighting) { return run(weighting); };
    if (fault == Fault::no_maximum) return run_any(NaiveWeighting());
    if (fault == Fault::coarse_weights) return run_any(softmax_stored_as<float, Scores>);
    if (fault == Fault::masked_by_a_large_number) {
      // Weights of e^−10000 = 0, times values that were meant not to be looked at.
      AttentionResult<Real> result = run(SoftmaxWeighting());
      for (Index i = 0; i < result.output.rows(); ++i)
        for (Index j = 0; j < input.keys.rows(); ++j)
          if (!sees(input, i, j))
            for (Index c = 0; c < result.output.cols(); ++c)
              result.output(i, c) = Real(result.output(i, c) + Real(Real(0) * input.values(j, c)));
      return result;
    }
    if (fault == Fault::masked_value_signs_a_zero) {
      AttentionResult<Real> result = run(SoftmaxWeighting());
      for (Index i = 0; i < result.output.rows(); ++i)
        for (Index j = 0; j < input.keys.rows(); ++j)
          if (!sees(input, i, j))
            for (Index c = 0; c < result.output.cols(); ++c)
              if (result.output(i, c) == Real(0) && input.values(j, c) > Real(1000))
                result.output(i, c) = -Real(0);
      return result;
    }
    if constexpr (!std::is_same_v<Real, Compute<Real>>)
      if (fault == Fault::weights_in_half) return run_any(softmax_stored_as<Real, Scores>);
    const bool fits = input.keys.rows() == input.values.rows();
    if (fault == Fault::overflow_unnoticed && !input.options.bias && fits) {
      Matrix<Compute<Real>> weights =
          attention_scores(input.queries, input.keys, input.options.scale);
      for (Index i = 0; i < weights.rows(); ++i) {
        Scores of_query(weights.cols());
        for (Index j = 0; j < weights.cols(); ++j) of_query[j] = weights(i, j);
        of_query = softmax(of_query);
        for (Index j = 0; j < weights.cols(); ++j) weights(i, j) = of_query[j];
      }
      return {cast_to<Real>(product(weights, cast_to<Compute<Real>>(input.values))), {}};
    }
    if (fault == Fault::overflow_becomes_zero) {
      try {
        return run(SoftmaxWeighting());
      } catch (const std::domain_error&) {
        return {Matrix<Real>::Zero(input.queries.rows(), input.values.cols()), {}};
      }
    }
  }
  if (fault == Fault::shapes_exchanged)
    sqrtdk::detail::require_equal_widths(input.keys, input.queries);
  if (fault == Fault::shapes_cut) {
    const Index m = std::min(input.keys.rows(), input.values.rows());
    const Index d = std::min(input.queries.cols(), input.keys.cols());
    input.queries.conservativeResize(Eigen::NoChange, d);
    input.keys.conservativeResize(m, d);
    input.values.conservativeResize(m, Eigen::NoChange);
    return run(Weighting<Real>());
  }
  if (fault == Fault::weights_always) input.options.return_weights = true;
  AttentionResult<Real> result = run(Weighting<Real>());
  if (fault == Fault::halved) divide(result.output, Real(2));
  if (fault == Fault::weights_transposed) result.weights = transposed(result.weights);
  if (fault == Fault::nan_becomes_zero)
    for (Index i = 0; i < result.output.size(); ++i)
      if (result.output(i) != result.output(i)) result.output(i) = Real(0);
  if constexpr (!std::is_same_v<Real, Rational>)
    if (fault == Fault::coarse_result)
      result.output = cast_to<Real>(cast_to<Eigen::bfloat16>(result.output));
  if (fault == Fault::blind_query_averages)
    for (Index i = 0; i < result.output.rows(); ++i)
      if (sees_nothing(input, i) && input.values.rows() > 0)
        for (Index c = 0; c < result.output.cols(); ++c) {
          Real sum(0);
          for (Index j = 0; j < input.values.rows(); ++j) sum = Real(sum + input.values(j, c));
          result.output(i, c) = Real(sum / Real(static_cast<double>(input.values.rows())));
        }
  if (fault == Fault::weights_over_queries || fault == Fault::not_normalized) {
    result.output = product(weights(original), input.values);
  }
  return result;
}

template <class Real>
Matrix<Real> Subject::output(const AttentionCase<Real>& input) const {
  return result(input).output;
}

template <class Real>
Matrix<Real> Subject::weights(const AttentionCase<Real>& original) const {
  const AttentionCase<Real> input = misread(original, fault);
  if (fault == Fault::weights_over_queries && input.queries.rows() == input.keys.rows()) {
    AttentionOptions<Compute<Real>> options = input.options;
    if (options.allowed) options.allowed->transposeInPlace();
    if (options.bias) options.bias = transposed(*options.bias);
    options.causal.reset();
    return cast_to<Real>(
        transposed(attention_weights(input.keys, input.queries, options, Weighting<Real>())));
  }
  Matrix<Real> weights =
      cast_to<Real>(attention_weights(input.queries, input.keys, input.options, Weighting<Real>()));
  if (fault == Fault::not_normalized) multiply(weights, Real(2));
  if (fault == Fault::blind_query_averages)
    for (Index i = 0; i < weights.rows(); ++i)
      if (sees_nothing(input, i))
        for (Index j = 0; j < weights.cols(); ++j)
          weights(i, j) = Real(Real(1) / Real(static_cast<double>(weights.cols())));
  return weights;
}

template <class Real>
AttentionGradient<Real> Subject::gradient(const AttentionCase<Real>& original) const {
  const AttentionCase<Real> input = misread(original, fault);
  if (fault == Fault::counts_exchanged)
    sqrtdk::detail::require_equal_counts(input.values, input.keys);
  AttentionGradient<Real> gradient =
      attention_gradient(input.queries, input.keys, input.values, input.output_gradient,
                         input.options, Weighting<Real>());
  const auto scale = static_cast<Real>(scale_of(input));
  if (fault == Fault::unscaled_queries) divide(gradient.queries, scale);
  if (fault == Fault::unscaled_keys) divide(gradient.keys, scale);
  if (fault == Fault::halved) divide(gradient.values, Real(2));
  if (fault == Fault::transposed_values && input.keys.rows() == input.queries.rows())
    gradient.values = product(weights(original), input.output_gradient);
  if (fault == Fault::no_mean) {
    const Matrix<Real> p = weights(original);
    Matrix<Real> by_score = product(input.output_gradient, transposed(input.values));
    for (Index i = 0; i < p.size(); ++i) by_score(i) = Real(Real(p(i) * by_score(i)) * scale);
    gradient.queries = product(by_score, input.keys);
  }
  if (fault == Fault::masked_key_is_looked_at || fault == Fault::masked_value_gets_a_gradient)
    for (Index j = 0; j < input.keys.rows(); ++j) {
      bool seen = false;
      for (Index i = 0; i < input.queries.rows(); ++i) seen = seen || sees(input, i, j);
      if (seen) continue;
      if (fault == Fault::masked_key_is_looked_at)
        for (Index l = 0; l < gradient.keys.cols(); ++l)
          gradient.keys(j, l) = Real(gradient.keys(j, l) + Real(Real(0) * input.keys(j, l)));
      else
        gradient.values(j, 0) = std::numeric_limits<Real>::min();
    }
  return gradient;
}

template <class Real>
Matrix<Compute<Real>> Subject::scores(const Matrix<Real>& queries, const Matrix<Real>& keys,
                                      const std::optional<Compute<Real>>& scale) const {
  AttentionCase<Real> input{queries, keys, keys, keys, {}};
  input.options.scale = scale;
  input = misread(input, fault);
  auto scores = attention_scores(input.queries, input.keys, input.options.scale);
  if (fault == Fault::weights_over_queries) scores = transposed(scores);
  return scores;
}

#define ATTENTION_WITH_FAULTS(Real)                                                        \
  template Matrix<Real> Subject::output(const AttentionCase<Real>&) const;                 \
  template Matrix<Real> Subject::weights(const AttentionCase<Real>&) const;                \
  template AttentionResult<Real> Subject::result(const AttentionCase<Real>&) const;        \
  template AttentionGradient<Real> Subject::gradient(const AttentionCase<Real>&) const;    \
  template Matrix<Compute<Real>> Subject::scores(const Matrix<Real>&, const Matrix<Real>&, \
                                                 const std::optional<Compute<Real>>&) const;
ATTENTION_WITH_FAULTS(double)
ATTENTION_WITH_FAULTS(float)
ATTENTION_WITH_FAULTS(Eigen::half)
ATTENTION_WITH_FAULTS(Rational)

}  // namespace attention_faults
