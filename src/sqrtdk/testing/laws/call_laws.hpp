// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Laws of how a kernel is called: several heads at once, beside others, again, in place.
///
/// Parameters and exceptions are those of output_law() and accuracy_law(), unless more is said.
#pragma once

#include <sqrtdk/testing/laws/attention_laws_definitions.hpp>
#include <sqrtdk/testing/laws/softmax_laws_definitions.hpp>

#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace sqrtdk::testing {

namespace detail {

template <class Real>
struct Held {
  const SoftmaxArithmetic& arithmetic;
  const AttentionConventions& conventions;
  bool same_bits = false;  ///< true if other bits break the law, or are held to the exact result
  Nearest nearest = {};

  void operator()(const std::string& what, const AttentionCase<Real>& input,
                  const Matrix<Real>& output, const Matrix<Real>* other = nullptr) {
    const std::string difference = other ? difference_of(*other, output) : "";
    if (other && difference.empty()) return;
    const Outcome found = other && same_bits
                              ? broken("other bits, " + difference)
                              : quick_output_law<Real>([&](const auto&) { return output; }, input,
                                                       arithmetic, conventions);
    if (found.vacuous) nearest.vacuous();
    nearest.compare(found.error, found.bound, [&] { return what + ": " + found.where; });
  }
};

}  // namespace detail

/// Grouped heads, or the sequences of a batch: each output is that of the head alone.
/// \param kernel      what has `heads`.
/// \param cases       of one shape, with the same options.
/// \param group       g, of which their number is a multiple: heads that share the first one's keys and values.
/// \param arithmetic  what computes attention.
/// \param conventions what the implementation has agreed upon.
/// \throws std::invalid_argument if it is none.
/// \relatesalso Outcome
template <class Real>
Outcome grouped_heads_law(const AttentionKernel<Real>& kernel,
                          std::vector<AttentionCase<Real>> cases, std::size_t group,
                          const SoftmaxArithmetic& arithmetic = arithmetic_of<Real>(),
                          const AttentionConventions& conventions = {}) {
  if (group == 0 || cases.size() % group != 0)
    throw std::invalid_argument(std::to_string(cases.size()) +
                                " heads are no multiple of a group of " + std::to_string(group));
  std::vector<Matrix<Real>> outputs = kernel.heads(cases, group);
  outputs.resize(cases.size());  // one that is missing has a wrong shape
  detail::Held<Real> held{arithmetic, conventions};
  for (std::size_t h = 0; h < cases.size(); ++h) {
    cases[h].keys = cases[h - h % group].keys;
    cases[h].values = cases[h - h % group].values;
    held("head " + std::to_string(h), cases[h], outputs[h]);
  }
  return held.nearest.outcome();
}

/// The output of a query depends neither on other queries nor on its place among them: alone, in the
/// reverse order, and beside NaN it is the same; to the bit, if the conventions say so.
/// \relatesalso Outcome
template <class Real>
Outcome queries_law(const AttentionFunction<Real>& attention, AttentionCase<Real> input,
                    const SoftmaxArithmetic& arithmetic = arithmetic_of<Real>(),
                    const AttentionConventions& conventions = {}) {
  input.output_gradient.resize(0, 0);
  // A causal mask asks something else of a single query, and is spelt out.
  if (!(conventions.masks && conventions.permissions)) input.options.causal.reset();
  if (input.options.causal) input = detail::with_permissions(input);
  const auto of = [&](const auto& rows) {
    AttentionCase<Real> some = input;
    auto& [scale, bias, allowed, causal, return_weights] = some.options;
    some.queries = input.queries(rows, Eigen::all);
    if (bias) bias = (*input.options.bias)(rows, Eigen::all).eval();
    if (allowed) allowed = (*input.options.allowed)(rows, Eigen::all).eval();
    return some;
  };
  const auto row_of = [](const Matrix<Real>& output, Eigen::Index i) -> Matrix<Real> {
    return i < output.rows() ? Matrix<Real>(output.row(i)) : Matrix<Real>();  // of a wrong shape
  };
  const Eigen::Index n = input.queries.rows();
  const Matrix<Real> together = attention(input);
  const Matrix<Real> turned = attention(of(Eigen::seqN(n - 1, n, Eigen::fix<-1>)));
  detail::Held<Real> held{arithmetic, conventions, conventions.batch_invariant};
  for (Eigen::Index i = 0; i < n; ++i) {
    const AttentionCase<Real> alone = of(Eigen::seqN(i, 1));
    AttentionCase<Real> poisoned = input;
    poisoned.queries.setConstant(std::numeric_limits<Real>::quiet_NaN());
    poisoned.queries.row(i) = input.queries.row(i);
    const std::string query = "query " + std::to_string(i);
    const Matrix<Real> row = row_of(together, i);
    held(query, alone, row);
    held(query + " alone", alone, attention(alone), &row);
    held(query + " in the reverse order", alone, row_of(turned, n - 1 - i), &row);
    held(query + " beside NaN", alone, row_of(attention(poisoned), i), &row);
  }
  return held.nearest.outcome();
}

/// A call changes no later one: after one with another number of features, the output is right, and
/// so it is once more; to the same bits, if the conventions say so.
/// \relatesalso Outcome
template <class Real>
Outcome repeated_law(const AttentionFunction<Real>& attention, const AttentionCase<Real>& input,
                     const SoftmaxArithmetic& arithmetic = arithmetic_of<Real>(),
                     const AttentionConventions& conventions = {}) {
  AttentionCase<Real> other = input;
  other.options.scale.reset();
  const Eigen::Index d = input.queries.cols() > 1 ? input.queries.cols() - 1 : 2;
  other.queries = Matrix<Real>::Constant(input.queries.rows(), d, Real(0));
  other.keys = Matrix<Real>::Constant(input.keys.rows(), d, Real(1));
  (void)attention(other);
  const Matrix<Real> first = attention(input);
  detail::Held<Real> held{arithmetic, conventions, conventions.deterministic};
  held("a call after another", input, first);
  held("the same call again", input, attention(input), &first);
  return held.nearest.outcome();
}

/// The same call of a softmax gives the same bits again.
/// \relatesalso Outcome
template <class Real>
Outcome repeated_law(const SoftmaxFunction<Real>& softmax, const std::vector<Real>& x,
                     std::type_identity_t<Real> temperature = Real(1)) {
  const std::vector<Real> first = softmax(x, temperature), second = softmax(x, temperature);
  const std::string difference =
      detail::difference_of<Real>(detail::as_vector(first), detail::as_vector(second));
  return difference.empty() ? Outcome{} : broken("the same call again: other bits, " + difference);
}

/// An output that is written where the queries are is as right as elsewhere. Values are repeated or
/// left out until a row of them is as long as a query. The kernel has `into`.
/// \relatesalso Outcome
template <class Real>
Outcome in_place_law(const AttentionKernel<Real>& kernel, AttentionCase<Real> input,
                     const SoftmaxArithmetic& arithmetic = arithmetic_of<Real>(),
                     const AttentionConventions& conventions = {}) {
  const Matrix<Real> values = input.values;
  input.output_gradient.resize(0, 0);
  input.values.resize(values.rows(), input.queries.cols());
  for (Eigen::Index c = 0; c < input.values.cols(); ++c)
    input.values.col(c) = values.col(c % values.cols());
  const auto in_place = [&](AttentionCase<Real> buffers) {
    kernel.into(buffers, buffers.queries);
    return buffers.queries;
  };
  return detail::quick_output_law<Real>(in_place, input, arithmetic, conventions);
}

}  // namespace sqrtdk::testing
