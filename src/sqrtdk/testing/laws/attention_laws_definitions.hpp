// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief What attention_laws.hpp and exact_attention.hpp declare, for numbers of any type.
#pragma once

#include <sqrtdk/attention_error.hpp>
#include <sqrtdk/numbers/float_text.hpp>
#include <sqrtdk/testing/laws/attention_laws.hpp>
#include <sqrtdk/testing/laws/compare_entries.hpp>
#include <sqrtdk/testing/laws/exact_attention.hpp>
#include <sqrtdk/testing/laws/formats.hpp>
#include <sqrtdk/testing/laws/outcome.hpp>
#include <sqrtdk/testing/laws/wide.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sqrtdk::testing {

namespace detail {

template <class Derived>
std::string shape_of_matrix(const Eigen::DenseBase<Derived>& matrix) {
  return std::to_string(matrix.rows()) + " x " + std::to_string(matrix.cols());
}

template <class A, class B>
bool same_shape(const A& a, const B& b) {
  return a.rows() == b.rows() && a.cols() == b.cols();
}

template <class A, class B>
Outcome wrong_shape(const A& given, const B& wanted) {
  return broken("the result is " + shape_of_matrix(given) + " instead of " +
                shape_of_matrix(wanted));
}

/// Whether two matrices agree in every bit that matters: equal numbers, NaN where the other is NaN.
template <class Real>
bool same_numbers(const Matrix<Real>& a, const Matrix<Real>& b) {
  if (!same_shape(a, b)) return false;
  for (Eigen::Index i = 0; i < a.size(); ++i)
    if (!(a(i) == b(i) || (a(i) != a(i) && b(i) != b(i)))) return false;
  return true;
}

/// The same case with something else in the keys that no query sees, and in their values.
template <class Real>
AttentionCase<Real> with_masked_values(AttentionCase<Real> input, const ExactAttention& exact,
                                       Real filler) {
  for (Eigen::Index j = 0; j < input.keys.rows(); ++j)
    if (!exact.seen(j)) {
      input.keys.row(j).setConstant(filler);
      input.values.row(j).setConstant(filler);
    }
  return input;
}

template <class Real>
std::vector<Real> masked_values() {
  return {Real(1e4), std::numeric_limits<Real>::infinity(), std::numeric_limits<Real>::quiet_NaN()};
}

/// Compares an output with the exact one, by a callable that is given both and the bound.
template <class Real, class Compare>
Outcome compare_output(const AttentionFunction<Real>& attention, const AttentionCase<Real>& input,
                       const SoftmaxArithmetic& arithmetic, const Compare& compare) {
  const ExactAttention exact(input);
  const Matrix<Real> computed = attention(input);
  if (!same_shape(computed, exact.output())) return wrong_shape(computed, exact.output());
  const AttentionErrorBound bound = attention_error_bound<Wide>(
      input.queries, input.keys, input.values, input.options, arithmetic);
  Nearest nearest;
  if (bound.vacuous) nearest.vacuous();
  compare(nearest, exact, computed, bound.output);
  return nearest.outcome();
}

}  // namespace detail

template <class Real>
ExactAttention::ExactAttention(const AttentionCase<Real>& input) {
  const auto n = input.queries.rows();
  const auto m = input.keys.rows();
  const auto d = input.queries.cols();
  const auto d_v = input.values.cols();
  const auto wide = [](const auto& x) { return Wide(static_cast<long double>(x)); };
  const Wide scale = input.options.scale ? wide(*input.options.scale) : Wide(1 / sqrt(Wide(d)));
  const auto is_allowed = [&](Eigen::Index i, Eigen::Index j) {
    const auto& options = input.options;
    const bool by_mask = !options.allowed || (*options.allowed)(i, j);
    const bool by_bias =
        !options.bias || (*options.bias)(i, j) != -std::numeric_limits<Compute<Real>>::infinity();
    const bool by_order =
        !options.causal ||
        j - i <= (*options.causal == CausalAlignment::bottom_right ? m - n : Eigen::Index{0});
    return by_mask && by_bias && by_order;
  };
  const auto cotangent = [&](Eigen::Index i, Eigen::Index c) {
    return input.output_gradient.size() == 0 ? Wide(0) : wide(input.output_gradient(i, c));
  };
  sees_.resize(n, m);
  scores_ = weights_ = Matrix<Wide>::Constant(n, m, Wide(0));
  output_ = Matrix<Wide>::Constant(n, d_v, Wide(0));
  gradient_.queries = Matrix<Wide>::Constant(n, d, Wide(0));
  gradient_.keys = Matrix<Wide>::Constant(m, d, Wide(0));
  gradient_.values = Matrix<Wide>::Constant(m, d_v, Wide(0));
  for (Eigen::Index i = 0; i < n; ++i) {
    std::vector<Wide> logits(static_cast<std::size_t>(m));
    std::optional<Wide> greatest;
    for (Eigen::Index j = 0; j < m; ++j) {
      sees_(i, j) = is_allowed(i, j);
      if (!sees_(i, j)) continue;
      for (Eigen::Index l = 0; l < d; ++l)
        scores_(i, j) += wide(input.queries(i, l)) * wide(input.keys(j, l));
      scores_(i, j) *= scale;
      Wide& logit = logits[static_cast<std::size_t>(j)];
      logit = scores_(i, j);
      if (input.options.bias) logit += wide((*input.options.bias)(i, j));
      greatest = greatest ? std::max(*greatest, logit) : logit;
    }
    Wide sum = 0;
    for (Eigen::Index j = 0; j < m; ++j)
      if (sees_(i, j)) {
        weights_(i, j) = exp(Wide(logits[static_cast<std::size_t>(j)] - *greatest));
        sum += weights_(i, j);
      }
    Wide mean = 0;
    std::vector<Wide> by_weight(static_cast<std::size_t>(m));
    for (Eigen::Index j = 0; j < m; ++j) {
      if (!sees_(i, j)) continue;
      weights_(i, j) /= sum;
      for (Eigen::Index c = 0; c < d_v; ++c) {
        output_(i, c) += weights_(i, j) * wide(input.values(j, c));
        gradient_.values(j, c) += weights_(i, j) * cotangent(i, c);
        by_weight[static_cast<std::size_t>(j)] += cotangent(i, c) * wide(input.values(j, c));
      }
      mean += weights_(i, j) * by_weight[static_cast<std::size_t>(j)];
    }
    for (Eigen::Index j = 0; j < m; ++j) {
      if (!sees_(i, j)) continue;
      const Wide by_score =
          scale * weights_(i, j) * (by_weight[static_cast<std::size_t>(j)] - mean);
      for (Eigen::Index l = 0; l < d; ++l) {
        gradient_.queries(i, l) += by_score * wide(input.keys(j, l));
        gradient_.keys(j, l) += by_score * wide(input.queries(i, l));
      }
    }
  }
}

template <class Real>
Outcome score_law(const AttentionFunction<Real>& scores, const AttentionCase<Real>& input,
                  const SoftmaxArithmetic& arithmetic) {
  AttentionCase<Real> unmasked = input;
  unmasked.options = {};
  unmasked.options.scale = input.options.scale;
  const ExactAttention exact(unmasked);
  const Matrix<Real> computed = scores(unmasked);
  if (!detail::same_shape(computed, exact.scores()))
    return detail::wrong_shape(computed, exact.scores());
  const auto errors =
      attention_score_errors<Wide>(input.queries, input.keys, unmasked.options, arithmetic);
  Nearest nearest;
  if (!(errors.reach <= arithmetic.largest) || !errors.error.allFinite()) nearest.vacuous();
  compare_entries(nearest, "the score", computed, exact.scores(), errors.error);
  return nearest.outcome();
}

template <class Real>
Outcome output_law(const AttentionFunction<Real>& attention, const AttentionCase<Real>& input,
                   const SoftmaxArithmetic& arithmetic) {
  return detail::compare_output<Real>(
      attention, input, arithmetic,
      [&](Nearest& nearest, const ExactAttention& exact, const Matrix<Real>& computed,
          const Eigen::MatrixXd& bound) {
        compare_entries(nearest, "the output", computed, exact.output(), bound);
      });
}

template <class Real>
Outcome convexity_law(const AttentionFunction<Real>& attention, const AttentionCase<Real>& input,
                      const SoftmaxArithmetic& arithmetic) {
  return detail::compare_output<Real>(
      attention, input, arithmetic,
      [&](Nearest& nearest, const ExactAttention& exact, const Matrix<Real>& computed,
          const Eigen::MatrixXd& bound) {
        for (Eigen::Index i = 0; i < computed.rows(); ++i)
          for (Eigen::Index c = 0; c < computed.cols(); ++c) {
            std::optional<std::pair<Real, Real>> hull;
            for (Eigen::Index j = 0; j < input.keys.rows(); ++j) {
              if (!exact.sees(i, j)) continue;
              const Real value = input.values(j, c);
              hull = hull ? std::pair(std::min(hull->first, value), std::max(hull->second, value))
                          : std::pair(value, value);
            }
            if (!hull) continue;
            const Wide o(static_cast<long double>(computed(i, c)));
            const Wide low(static_cast<long double>(hull->first));
            const Wide high(static_cast<long double>(hull->second));
            const Wide beyond = std::max({Wide(low - o), Wide(o - high), Wide(0)});
            nearest.compare(o == o ? to_double(beyond) : to_double(o), bound(i, c), [&] {
              return entry_text("the output", i, c, computed(i, c), o < low ? low : high);
            });
          }
      });
}

template <class Real>
Outcome gradient_law(const AttentionGradientFunction<Real>& gradient,
                     const AttentionCase<Real>& input, const SoftmaxArithmetic& arithmetic) {
  const ExactAttention exact(input);
  const AttentionGradient<Real> computed = gradient(input);
  const auto bound = attention_gradient_error_bound<Wide>(
      input.queries, input.keys, input.values, input.output_gradient, input.options, arithmetic);
  Nearest nearest;
  if (bound.vacuous) nearest.vacuous();
  const auto compare = [&](const char* what, const Matrix<Real>& x, const Matrix<Wide>& y,
                           const Eigen::MatrixXd& allowed) {
    if (!detail::same_shape(x, y)) return false;
    compare_entries(nearest, what, x, y, allowed);
    return true;
  };
  const auto& wanted = exact.gradient();
  if (!compare("the derivative with respect to Q", computed.queries, wanted.queries,
               bound.gradient.queries))
    return detail::wrong_shape(computed.queries, wanted.queries);
  if (!compare("the derivative with respect to K", computed.keys, wanted.keys, bound.gradient.keys))
    return detail::wrong_shape(computed.keys, wanted.keys);
  if (!compare("the derivative with respect to V", computed.values, wanted.values,
               bound.gradient.values))
    return detail::wrong_shape(computed.values, wanted.values);
  return nearest.outcome();
}

template <class Real>
Outcome masked_values_law(const AttentionFunction<Real>& attention,
                          const AttentionCase<Real>& input) {
  const ExactAttention exact(input);
  const Matrix<Real> clean = attention(input);
  for (const Real filler : detail::masked_values<Real>())
    if (!detail::same_numbers<Real>(clean,
                                    attention(detail::with_masked_values(input, exact, filler))))
      return broken("the output changes with " +
                    format_hex_and_decimal(static_cast<long double>(filler)) +
                    " in what no query sees");
  return {};
}

template <class Real>
Outcome masked_values_gradient_law(const AttentionGradientFunction<Real>& gradient,
                                   const AttentionCase<Real>& input) {
  const ExactAttention exact(input);
  const AttentionGradient<Real> clean = gradient(input);
  for (const Real filler : detail::masked_values<Real>()) {
    const AttentionGradient<Real> other =
        gradient(detail::with_masked_values(input, exact, filler));
    if (!detail::same_numbers<Real>(clean.queries, other.queries) ||
        !detail::same_numbers<Real>(clean.keys, other.keys) ||
        !detail::same_numbers<Real>(clean.values, other.values))
      return broken("the gradient changes with " +
                    format_hex_and_decimal(static_cast<long double>(filler)) +
                    " in what no query sees");
  }
  return {};
}

// These are compiled once, in the source file of the same name.
#define SQRTDK_ATTENTION_LAWS(prefix, Real)                                                        \
  prefix template ExactAttention::ExactAttention(const AttentionCase<Real>&);                      \
  prefix template Outcome score_law<Real>(const AttentionFunction<Real>&,                          \
                                          const AttentionCase<Real>&, const SoftmaxArithmetic&);   \
  prefix template Outcome output_law<Real>(const AttentionFunction<Real>&,                         \
                                           const AttentionCase<Real>&, const SoftmaxArithmetic&);  \
  prefix template Outcome convexity_law<Real>(                                                     \
      const AttentionFunction<Real>&, const AttentionCase<Real>&, const SoftmaxArithmetic&);       \
  prefix template Outcome gradient_law<Real>(const AttentionGradientFunction<Real>&,               \
                                             const AttentionCase<Real>&,                           \
                                             const SoftmaxArithmetic&);                            \
  prefix template Outcome masked_values_law<Real>(const AttentionFunction<Real>&,                  \
                                                  const AttentionCase<Real>&);                     \
  prefix template Outcome masked_values_gradient_law<Real>(const AttentionGradientFunction<Real>&, \
                                                           const AttentionCase<Real>&);
SQRTDK_FOR_EACH_FORMAT(SQRTDK_ATTENTION_LAWS, extern)

}  // namespace sqrtdk::testing
