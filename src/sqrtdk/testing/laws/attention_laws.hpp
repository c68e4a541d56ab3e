// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief The laws of chapter \ref attention in floating point, for any implementation of it.
///
/// Compiled for the formats of formats.hpp; for others include attention_laws_definitions.hpp.
#pragma once

#include <sqrtdk/attention.hpp>
#include <sqrtdk/softmax_error.hpp>
#include <sqrtdk/testing/laws/arrays.hpp>
#include <sqrtdk/testing/laws/attention_case.hpp>
#include <sqrtdk/testing/laws/outcome.hpp>

#include <cstddef>
#include <vector>

namespace sqrtdk::testing {

namespace detail {

template <class Real>
struct AttentionFunctions {
  using Attention = FunctionUnderTest<Matrix<Real>(const AttentionCase<Real>&)>;
  using Gradient = FunctionUnderTest<AttentionGradient<Real>(const AttentionCase<Real>&)>;
  using Logarithm = FunctionUnderTest<Matrix<Compute<Real>>(const AttentionCase<Real>&)>;
};

}  // namespace detail

/// Anything that computes the output of attention: `attention(case)` is n × d_v.
template <class Real>
using AttentionFunction = typename detail::AttentionFunctions<Real>::Attention;

/// Anything that computes its backward pass: `gradient(case)`.
template <class Real>
using AttentionGradientFunction = typename detail::AttentionFunctions<Real>::Gradient;

/// Anything that computes log-sum-exp of each query's scores, a sink's too, in its own format:
/// `logarithms(case)` is n × 1, or n × (1 + m) with the logarithms of the weights behind.
template <class Real>
using AttentionLogarithmFunction = typename detail::AttentionFunctions<Real>::Logarithm;

/// An implementation of attention: a function for each way to call it; empty if it has none.
template <class Real>
struct AttentionKernel {
  AttentionFunction<Real> attention;                 ///< `attention(case)`: the output, n × d_v
  AttentionLogarithmFunction<Real> logarithms = {};  ///< `logarithms(case)`: n × 1 or n × (1 + m)
  /// `heads(cases, g)`: the outputs of cases of one shape, with the same options. Each g share the
  /// keys and values of their first; those of others are not to be looked at.
  FunctionUnderTest<std::vector<Matrix<Real>>(const std::vector<AttentionCase<Real>>&, std::size_t)>
      heads = {};
  /// `into(case, output)`: writes the output, n × d_v, which may lie where the queries are.
  FunctionUnderTest<void(const AttentionCase<Real>&, Matrix<Real>&)> into = {};
};

/// P8. Each scaled score is the exact one within score_error_bound().
/// \param scores     a callable `Matrix<Real>(case)` that leaves masks and biases alone.
/// \param input      queries, keys and scale.
/// \param arithmetic what computes the scores.
/// \throws std::invalid_argument as attention_weights().
/// \throws std::domain_error as attention_weights().
/// \relatesalso Outcome
template <class Real>
Outcome score_law(const AttentionFunction<Real>& scores, const AttentionCase<Real>& input,
                  const SoftmaxArithmetic& arithmetic = arithmetic_of<Real>());

/// P9. Each number of the output is the exact one within attention_error_bound(); where a query
/// sees no key it is what the conventions say.
/// \param attention   anything that computes the output, called as `attention(input)`.
/// \param input       queries, keys, values and options.
/// \param arithmetic  what computes attention.
/// \param conventions what the implementation has agreed upon.
/// \throws std::invalid_argument as attention_error_bound().
/// \throws std::domain_error as attention_error_bound().
/// \relatesalso Outcome
template <class Real>
Outcome output_law(const AttentionFunction<Real>& attention, const AttentionCase<Real>& input,
                   const SoftmaxArithmetic& arithmetic = arithmetic_of<Real>(),
                   const AttentionConventions& conventions = {});

/// P10. Each number of the output lies between the least and the greatest value that its query
/// sees, up to attention_error_bound().
/// \param attention   anything that computes the output, called as `attention(input)`.
/// \param input       queries, keys, values and options.
/// \param arithmetic  what computes attention.
/// \param conventions what the implementation has agreed upon.
/// \throws std::invalid_argument as attention_error_bound().
/// \throws std::domain_error as attention_error_bound().
/// \relatesalso Outcome
template <class Real>
Outcome convexity_law(const AttentionFunction<Real>& attention, const AttentionCase<Real>& input,
                      const SoftmaxArithmetic& arithmetic = arithmetic_of<Real>(),
                      const AttentionConventions& conventions = {});

/// P7. Log-sum-exp of each query, and the logarithms of its weights if given, are the exact ones
/// within attention_weight_errors(); where a query sees no key, log-sum-exp is what the conventions
/// say. Vacuous unless each bound is below half of 1 and the size of the logarithm.
/// \param logarithms  anything that computes them, called as `logarithms(input)`.
/// \param input       queries, keys, values and options.
/// \param arithmetic  what computes them.
/// \param conventions what the implementation has agreed upon.
/// \throws std::invalid_argument as attention_weight_errors().
/// \throws std::domain_error as attention_weight_errors().
/// \relatesalso Outcome
template <class Real>
Outcome logarithms_law(const AttentionLogarithmFunction<Real>& logarithms,
                       const AttentionCase<Real>& input,
                       const SoftmaxArithmetic& arithmetic = arithmetic_of<Real>(),
                       const AttentionConventions& conventions = {});

/// P12. Each derivative is the exact one within attention_gradient_error_bound(), and exactly 0 for
/// a key, and the value of a key, that no query sees, and for a query that sees no key.
/// \param gradient   anything that computes the derivatives, called as `gradient(input)`.
/// \param input      queries, keys, values and options.
/// \param arithmetic what computes attention.
/// \throws std::invalid_argument as attention_gradient_error_bound().
/// \throws std::domain_error as attention_gradient_error_bound().
/// \relatesalso Outcome
template <class Real>
Outcome gradient_law(const AttentionGradientFunction<Real>& gradient,
                     const AttentionCase<Real>& input,
                     const SoftmaxArithmetic& arithmetic = arithmetic_of<Real>());

/// P13. What is written into keys that no query sees, and their values, into queries that see no
/// key, and into biases that another mask hides, changes no bit of the output, be it ∞ or NaN.
/// \param attention anything that computes the output, called as `attention(input)`.
/// \param input     queries, keys, values and options.
/// \relatesalso Outcome
template <class Real>
Outcome masked_values_law(const AttentionFunction<Real>& attention,
                          const AttentionCase<Real>& input);

/// P13 for the backward pass: what is written into the same places, and into the cotangent of queries
/// that see no key, changes no bit of the derivatives.
/// \param gradient anything that computes the derivatives, called as `gradient(input)`.
/// \param input    queries, keys, values and options.
/// \relatesalso Outcome
template <class Real>
Outcome masked_values_gradient_law(const AttentionGradientFunction<Real>& gradient,
                                   const AttentionCase<Real>& input);

}  // namespace sqrtdk::testing
