// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Laws of how a kernel is called: several heads at once, beside others, again, in place.
///
/// Parameters and exceptions are those of output_law() and accuracy_law(), unless more is said.
#pragma once

#include <sqrtdk/testing/laws/attention_laws_definitions.hpp>
#include <sqrtdk/testing/laws/softmax_laws_definitions.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace sqrtdk::testing {

/// Attention in the ways in which it can be called; what is empty cannot.
template <class Real>
struct AttentionKernel {
  AttentionFunction<Real> attention;                 ///< `attention(case)`: the output
  AttentionLogarithmFunction<Real> logarithms = {};  ///< `logarithms(case)`
  /// `heads(cases, g)`: the outputs of cases of one shape, with the same options. Each g of them share
  /// the keys and values of their first; the sequences of a batch have g = 1.
  std::function<std::vector<Matrix<Real>>(const std::vector<AttentionCase<Real>>&, std::size_t)>
      heads = {};
  /// `into(case, output)`: writes the output, n × d_v, which may lie where the queries are.
  std::function<void(const AttentionCase<Real>&, Matrix<Real>&)> into = {};
};

namespace detail {

/// Holds results to the exact ones, or to the bits of one that was held to it.
template <class Real>
struct Held {
  const SoftmaxArithmetic& arithmetic;
  const AttentionConventions& conventions;
  bool same_bits = false;  ///< whether other bits break the law, or are held to the exact result
  Nearest nearest = {};

  void operator()(const std::string& what, const AttentionCase<Real>& input,
                  const Matrix<Real>& output, const Matrix<Real>* other = nullptr) {
    const std::string difference = other ? difference_of(*other, output) : "";
    if (other && difference.empty()) return;
    const Outcome found = other && same_bits ? broken("other bits, " + difference)
                                             : output_law<Real>([&](const auto&) { return output; },
                                                                input, arithmetic, conventions);
    if (found.vacuous) nearest.vacuous();
    nearest.compare(found.error, found.bound, [&] { return what + ": " + found.where; });
  }
};

template <class Real>
void poison(Matrix<Real>& x) {
  x.setConstant(std::numeric_limits<Real>::quiet_NaN());
}

}  // namespace detail

/// Heads that share keys and values, or sequences of a batch: each output is that of the case alone.
/// A group of them alone, in another place, and beside NaN has the same output; to the bit, if the
/// conventions say so.
/// \param kernel what has `heads`.
/// \param cases  of one shape, with the same options.
/// \param group  g, of which their number is a multiple.
/// \throws std::invalid_argument if it is none.
/// \relatesalso Outcome
template <class Real>
Outcome heads_law(const AttentionKernel<Real>& kernel, std::vector<AttentionCase<Real>> cases,
                  std::size_t group, const SoftmaxArithmetic& arithmetic = arithmetic_of<Real>(),
                  const AttentionConventions& conventions = {}) {
  using Cases = std::vector<AttentionCase<Real>>;
  const std::size_t count = cases.size();
  if (group == 0 || count % group != 0)
    throw std::invalid_argument("there are " + std::to_string(count) + " heads, but must be " +
                                "a multiple of the group, " + std::to_string(group));
  for (std::size_t h = 0; h < count; ++h) {
    cases[h].keys = cases[h - h % group].keys;
    cases[h].values = cases[h - h % group].values;
  }
  const auto run = [&](const Cases& some) {
    std::vector<Matrix<Real>> outputs = kernel.heads(some, group);
    outputs.resize(some.size());  // one that is missing has a wrong shape
    return outputs;
  };
  const auto together = run(cases);
  detail::Held<Real> held{arithmetic, conventions, conventions.batch_invariant};
  for (std::size_t first = 0; first < count; first += group) {
    Cases alone, turned = cases, poisoned = cases;
    for (std::size_t h = 0; h < count; ++h) {
      turned[h] = cases[(h + group) % count];
      if (h / group == first / group)
        alone.push_back(cases[h]);
      else
        for (auto* x : {&poisoned[h].queries, &poisoned[h].keys, &poisoned[h].values})
          detail::poison(*x);
    }
    const auto of_alone = run(alone), of_turned = run(turned), of_poisoned = run(poisoned);
    for (std::size_t h = first; h < first + group; ++h) {
      const std::string head = "head " + std::to_string(h);
      held(head, cases[h], together[h]);
      held(head + " alone", cases[h], of_alone[h - first], &together[h]);
      held(head + " in another place", cases[h], of_turned[(h + count - group) % count],
           &together[h]);
      held(head + " beside NaN", cases[h], of_poisoned[h], &together[h]);
    }
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
  // A causal mask asks something else of a single query, and is spelt out.
  if (!(conventions.masks && conventions.permissions)) input.options.causal.reset();
  if (input.options.causal) input = detail::with_permissions(input);
  const auto of = [&](const std::vector<Eigen::Index>& rows) {
    AttentionCase<Real> some = input;
    auto& [scale, bias, allowed, causal, return_weights] = some.options;
    some.queries = input.queries(rows, Eigen::all);
    if (bias) bias = (*input.options.bias)(rows, Eigen::all).eval();
    if (allowed) allowed = (*input.options.allowed)(rows, Eigen::all).eval();
    return some;
  };
  const Eigen::Index n = input.queries.rows();
  std::vector<Eigen::Index> backwards;
  for (Eigen::Index i = n; i > 0; --i) backwards.push_back(i - 1);
  const Matrix<Real> together = attention(input), turned = attention(of(backwards));
  detail::Held<Real> held{arithmetic, conventions, conventions.batch_invariant};
  for (Eigen::Index i = 0; i < n; ++i) {
    const AttentionCase<Real> alone = of({i});
    AttentionCase<Real> poisoned = input;
    detail::poison(poisoned.queries);
    poisoned.queries.row(i) = input.queries.row(i);
    const std::string query = "query " + std::to_string(i);
    const Matrix<Real> row = together.row(i);
    held(query, alone, row);
    held(query + " alone", alone, attention(alone), &row);
    held(query + " in the reverse order", alone, turned.row(n - 1 - i), &row);
    held(query + " beside NaN", alone, attention(poisoned).row(i), &row);
  }
  return held.nearest.outcome();
}

/// Nothing that a kernel keeps of a call reaches another: after one with another number of features,
/// the output is right, and so it is once more; to the same bits, if the conventions say so.
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

/// The same for a softmax, to the bit.
/// \relatesalso Outcome
template <class Real>
Outcome repeated_law(const SoftmaxFunction<Real>& softmax, const std::vector<Real>& x,
                     std::type_identity_t<Real> temperature = Real(1),
                     const SoftmaxArithmetic& arithmetic = arithmetic_of<Real>()) {
  (void)softmax({Real(1), Real(0)}, temperature);
  const std::vector<Real> first = softmax(x, temperature), second = softmax(x, temperature);
  const std::string difference =
      detail::difference_of<Real>(detail::as_vector(first), detail::as_vector(second));
  if (!difference.empty()) return broken("the same call again: other bits, " + difference);
  return accuracy_law<Real>([&](const auto&, Real) { return first; }, x, temperature, arithmetic);
}

/// An output that is written where the queries are is as right as elsewhere. Values are repeated, or
/// left out, until a row of them is as long as a query.
/// \param kernel what has `into`.
/// \relatesalso Outcome
template <class Real>
Outcome in_place_law(const AttentionKernel<Real>& kernel, AttentionCase<Real> input,
                     const SoftmaxArithmetic& arithmetic = arithmetic_of<Real>(),
                     const AttentionConventions& conventions = {}) {
  const Matrix<Real> values = input.values;
  input.values.resize(values.rows(), input.queries.cols());
  for (Eigen::Index c = 0; c < input.values.cols(); ++c)
    input.values.col(c) = values.col(c % values.cols());
  const auto in_place = [&](AttentionCase<Real> buffers) {
    kernel.into(buffers, buffers.queries);
    return buffers.queries;
  };
  return output_law<Real>(in_place, input, arithmetic, conventions);
}

}  // namespace sqrtdk::testing
