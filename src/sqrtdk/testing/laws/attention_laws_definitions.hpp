// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Definitions of attention_laws.hpp and exact_attention.hpp, for numbers of any type.
#pragma once

#include <sqrtdk/attention/pass.hpp>
#include <sqrtdk/attention_error.hpp>
#include <sqrtdk/testing/laws/attention_laws.hpp>
#include <sqrtdk/testing/laws/compare_arrays.hpp>
#include <sqrtdk/testing/laws/compare_entries.hpp>
#include <sqrtdk/testing/laws/exact_attention.hpp>
#include <sqrtdk/testing/laws/formats.hpp>
#include <sqrtdk/testing/laws/outcome.hpp>
#include <sqrtdk/testing/laws/wide.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace sqrtdk::testing {

namespace detail {

template <class A, class B>
bool same_shape(const A& a, const B& b) {
  return a.rows() == b.rows() && a.cols() == b.cols();
}

template <class A, class B>
Outcome wrong_shape(const A& given, const B& wanted) {
  return broken("the result is " + sqrtdk::detail::shape_text(given) + " instead of " +
                sqrtdk::detail::shape_text(wanted));
}

/// The place where two matrices differ in a bit that matters, all NaNs being alike; empty if none.
template <class Real>
std::string difference_of(const Matrix<Real>& a, const Matrix<Real>& b) {
  if (!same_shape(a, b)) return wrong_shape(b, a).where;
  const auto same = [](const Real& x, const Real& y) {
    if (x != x) return y != y;
    return x == y &&
           std::signbit(static_cast<long double>(x)) == std::signbit(static_cast<long double>(y));
  };
  for (Eigen::Index i = 0; i < a.size(); ++i)
    if (!same(a(i), b(i)))
      return place_in_matrix("the output", i % a.rows(), i / a.rows()) + " is " +
             computed_text(a(i)) + " and " + computed_text(b(i));
  return "";
}

template <class Real>
AttentionCase<Real> with_permissions(AttentionCase<Real> input) {
  const auto n = input.queries.rows(), m = input.keys.rows();
  const sqrtdk::detail::Visibility<Compute<Real>> sees(input.options, n, m);
  Matrix<bool> allowed(n, m);
  for (Eigen::Index i = 0; i < allowed.size(); ++i) allowed(i) = sees(i % n, i / n);
  input.options.allowed = allowed;
  input.options.causal.reset();
  return input;
}

/// The same case with the sink, if there is one, as the last key: its score is a bias.
template <class Real>
AttentionCase<Real> with_sink_as_key(const AttentionCase<Real>& given) {
  if (!given.sink) return given;
  AttentionCase<Real> input = with_permissions(given);
  auto& [scale, bias, allowed, causal, return_weights] = input.options;
  const Eigen::Index n = input.queries.rows(), m = input.keys.rows();
  if (!bias) bias = Matrix<Compute<Real>>::Constant(n, m, Compute<Real>(0));
  for (auto* rows : {&input.keys, &input.values}) rows->conservativeResize(m + 1, Eigen::NoChange);
  bias->conservativeResize(Eigen::NoChange, m + 1);
  allowed->conservativeResize(Eigen::NoChange, m + 1);
  input.keys.row(m).setConstant(Real(0));
  input.values.row(m).setConstant(Real(0));
  bias->col(m).setConstant(*input.sink);
  allowed->col(m).setConstant(true);
  input.sink.reset();
  return input;
}

/// Which query sees which key, the sink included.
template <class Real>
Matrix<bool> seen_in(const AttentionCase<Real>& input) {
  const AttentionCase<Real> with_sink = with_sink_as_key(input);
  return *with_permissions(with_sink).options.allowed;
}

/// The same case with something else in what has no part in any result.
template <class Real>
AttentionCase<Real> with_masked_values(AttentionCase<Real> input, const Matrix<bool>& sees,
                                       Real filler) {
  for (Eigen::Index i = 0; i < input.queries.rows(); ++i) {
    if (!sees.row(i).any()) {
      input.queries.row(i).setConstant(filler);
      if (input.output_gradient.size() > 0) input.output_gradient.row(i).setConstant(filler);
    }
    for (Eigen::Index j = 0; input.options.bias && j < input.keys.rows(); ++j)
      if (auto& bias = (*input.options.bias)(i, j);
          !sees(i, j) && bias != -std::numeric_limits<Compute<Real>>::infinity())
        bias = static_cast<Compute<Real>>(filler);
  }
  for (Eigen::Index j = 0; j < input.keys.rows(); ++j)
    if (!sees.col(j).any()) {
      input.keys.row(j).setConstant(filler);
      input.values.row(j).setConstant(filler);
    }
  return input;
}

template <class Real>
std::vector<Real> masked_values() {
  return {Real(1e4F), std::numeric_limits<Real>::infinity(),
          std::numeric_limits<Real>::quiet_NaN()};
}

/// The case that is meant: with −∞ for what stands for it, and a sink as a key.
template <class Real>
AttentionCase<Real> meant_by(AttentionCase<Real> input, const AttentionConventions& conventions) {
  input = with_sink_as_key(input);
  if (!conventions.mask_value || !input.options.bias) return input;
  for (auto& bias : input.options.bias->reshaped())
    if (static_cast<double>(bias) <= *conventions.mask_value)
      bias = -std::numeric_limits<Compute<Real>>::infinity();
  return input;
}

/// Compares an output with the exact one, by a callable of both and the bound.
template <class Real, class Compare>
Outcome compare_output(const AttentionFunction<Real>& attention, const AttentionCase<Real>& given,
                       const SoftmaxArithmetic& arithmetic, const AttentionConventions& conventions,
                       const Compare& compare) {
  const AttentionCase<Real> input = meant_by(given, conventions);
  const AttentionErrorBound bound = attention_error_bound<Wide>(
      input.queries, input.keys, input.values, input.options, arithmetic);
  const ExactAttention exact(input);
  const Matrix<Real> computed = attention(given);
  if (!same_shape(computed, exact.output())) return wrong_shape(computed, exact.output());
  Nearest nearest;
  if (bound.vacuous) nearest.vacuous();
  compare(nearest, exact, computed, bound.output);
  return nearest.outcome();
}

/// Calls `use` with a case in the narrower of float and double that has its numbers, and those of
/// the arithmetic.
template <class Real, class Use>
auto with_reference(const AttentionCase<Real>& input, const SoftmaxArithmetic& arithmetic,
                    const Use& use) {
  if constexpr (std::numeric_limits<Compute<Real>>::digits <= 24)
    if (arithmetic.unit_roundoff >= 0x1p-24) return use(widened<float>(input));
  return use(widened<double>(input));
}

/// The causal alignment that explains an output; empty if none does.
template <class Real>
std::string other_alignment(AttentionCase<Real> input, const Eigen::MatrixXd& computed,
                            const SoftmaxArithmetic& arithmetic, EmptyRows empty_rows) {
  using enum CausalAlignment;
  const std::pair<std::optional<CausalAlignment>, const char*> all[] = {
      {top_left, "a causal mask aligned top left"},
      {bottom_right, "a causal mask aligned bottom right"},
      {std::nullopt, "no causal mask"}};
  for (const auto& [causal, name] : all) {
    if (causal == input.options.causal || !input.options.causal) continue;
    AttentionCase<Real> other = input;
    other.options.causal = causal;
    if (attention_target(other, arithmetic, empty_rows).compare(computed).holds())
      return std::string("; this is attention with ") + name;
  }
  return "";
}

/// output_law() for results of any size: fifty digits only where fewer leave a doubt. A format that is
/// longer than double is always compared to fifty.
template <class Real>
Outcome quick_output_law(const AttentionFunction<Real>& attention, const AttentionCase<Real>& given,
                         const SoftmaxArithmetic& arithmetic,
                         const AttentionConventions& conventions) {
  if constexpr (std::numeric_limits<Compute<Real>>::digits > 53)
    return output_law<Real>(attention, given, arithmetic, conventions);
  else {
    const DefaultFloatEnvironment environment;
    const Matrix<Real> computed = attention(given);
    const auto n = given.queries.rows(), d_v = given.values.cols();
    if (computed.rows() != n || computed.cols() != d_v)
      return wrong_shape(computed, Matrix<bool>(n, d_v));
    const Eigen::MatrixXd numbers = computed.template cast<Compute<Real>>().template cast<double>();
    return with_reference(
        meant_by(given, conventions), arithmetic, [&](const auto& input) -> Outcome {
          Finding found =
              attention_target(input, arithmetic, conventions.empty_rows).compare(numbers);
          const sqrtdk::detail::Visibility sees(input.options, n, input.keys.rows());
          // Where nothing is promised, NaN is wrong nevertheless: the exact result is a number.
          for (Eigen::Index i = 0; found.holds() && found.unbounded > 0 && i < n; ++i)
            for (Eigen::Index c = 0; c < d_v; ++c)
              if (std::isnan(numbers(i, c)) && !sees.of(i).empty())
                return {numbers(i, c), vacuous_bound, true,
                        place_in_matrix("the output", i, c) + " is NaN instead of a number"};
          const auto place = [&] {
            return entry_text("the output", found.row, found.column,
                              computed(found.row, found.column), Wide(found.exact)) +
                   (sees.of(found.row).empty() ? ": the query sees no key" : "") +
                   (found.holds()
                        ? ""
                        : other_alignment(input, numbers, arithmetic, conventions.empty_rows));
          };
          return {found.error, found.bound, found.unbounded > 0, found.row < 0 ? "" : place()};
        });
  }
}

/// Compares what a query that sees no key gets with what it may get.
template <class Real>
void compare_empty_row(Nearest& nearest, const AttentionCase<Real>& input,
                       const Matrix<Real>& computed, Eigen::Index i,
                       const SoftmaxArithmetic& arithmetic, EmptyRows empty_rows) {
  // Equal scores of all keys leave the mean of the values.
  const AttentionCase<Real> equal{Matrix<Real>::Constant(1, 1, Real(0)),
                                  Matrix<Real>::Constant(input.keys.rows(), 1, Real(0)),
                                  input.values,
                                  {},
                                  {}};
  const auto note = [&](Eigen::Index c, double error, double bound, const std::string& wanted) {
    nearest.compare(error, bound, [&] {
      return detail::place_in_matrix("the output", i, c) + " is " +
             detail::computed_text(computed(i, c)) + " instead of " + wanted +
             ": the query sees no key, see AttentionConventions::empty_rows";
    });
  };
  for (Eigen::Index c = 0; c < computed.cols(); ++c) {
    const Wide is = wide(computed(i, c));
    const bool is_nan = is != is;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (empty_rows == EmptyRows::nan) {
      note(c, is_nan ? 0 : infinity, 0, "NaN");
    } else if (empty_rows == EmptyRows::zero ||
               (empty_rows == EmptyRows::any && (is == 0 || is_nan))) {
      note(c, empty_rows == EmptyRows::any ? 0 : to_double(abs(is)), 0, "0");
    } else {
      const double bound = attention_error_bound<Wide>(equal.queries, equal.keys, equal.values,
                                                       equal.options, arithmetic)
                               .output(0, c);
      const Wide mean = ExactAttention(equal).output()(0, c);
      const Wide beyond =
          std::max({Wide(wide(Real(input.values.col(c).minCoeff())) - is),
                    Wide(is - wide(Real(input.values.col(c).maxCoeff()))), Wide(0)});
      if (empty_rows == EmptyRows::mean)
        note(c, to_double(abs(Wide(is - mean))), bound, detail::wanted_text<Real>(mean));
      else
        note(c, to_double(beyond), bound, "0, NaN or a number in the range of the values");
    }
  }
}

}  // namespace detail

template <class Real>
Outcome score_law(const AttentionFunction<Real>& scores, const AttentionCase<Real>& input,
                  const SoftmaxArithmetic& arithmetic) {
  const DefaultFloatEnvironment environment;
  AttentionCase<Real> unmasked = input;
  unmasked.options = {};
  unmasked.options.scale = input.options.scale;
  auto errors = attention_score_errors<Wide>(
      input.queries, input.keys, unmasked.options,
      sqrtdk::detail::magnified_by(input.queries, input.keys, input.keys, Eigen::MatrixXd(),
                                   unmasked.options, arithmetic));
  const ExactAttention exact(unmasked);
  const Matrix<Real> computed = scores(unmasked);
  if (!detail::same_shape(computed, exact.scores()))
    return detail::wrong_shape(computed, exact.scores());
  for (Eigen::Index i = 0; i < errors.reach.size(); ++i)
    if (!sqrtdk::detail::fits_in_range(errors.reach(i), sqrtdk::detail::largest_score(arithmetic)))
      errors.error.row(i).setConstant(vacuous_bound);
  Nearest nearest;
  if (!errors.error.allFinite()) nearest.vacuous();
  compare_entries(nearest, "the score", computed, exact.scores(), errors.error);
  return nearest.outcome();
}

template <class Real>
Outcome output_law(const AttentionFunction<Real>& attention, const AttentionCase<Real>& input,
                   const SoftmaxArithmetic& arithmetic, const AttentionConventions& conventions) {
  const DefaultFloatEnvironment environment;
  return detail::compare_output<Real>(
      attention, input, arithmetic, conventions,
      [&](Nearest& nearest, const ExactAttention& exact, const Matrix<Real>& computed,
          const Eigen::MatrixXd& bound) {
        for (Eigen::Index i = 0; i < computed.rows(); ++i) {
          if (exact.sees_any(i))
            detail::compare_row(nearest, "the output", i, computed, exact.output(), bound);
          else
            detail::compare_empty_row(nearest, input, computed, i, arithmetic,
                                      conventions.empty_rows);
        }
      });
}

template <class Real>
Outcome convexity_law(const AttentionFunction<Real>& attention, const AttentionCase<Real>& input,
                      const SoftmaxArithmetic& arithmetic,
                      const AttentionConventions& conventions) {
  const DefaultFloatEnvironment environment;
  const AttentionCase<Real> meant = detail::meant_by(input, conventions);
  // Of a bound twenty digits are enough.
  using Reference =
      std::conditional_t<(std::numeric_limits<Compute<Real>>::digits > 53), Wide, long double>;
  const AttentionErrorBound bound = attention_error_bound<Reference>(
      meant.queries, meant.keys, meant.values, meant.options, arithmetic);
  const sqrtdk::detail::Visibility sees(meant.options, meant.queries.rows(), meant.keys.rows());
  const Matrix<Real> computed = attention(input);
  if (!detail::same_shape(computed, bound.output))
    return detail::wrong_shape(computed, bound.output);
  Nearest nearest;
  if (bound.vacuous) nearest.vacuous();
  for (Eigen::Index i = 0; i < computed.rows(); ++i) {
    const auto seen = sees.of(i);
    for (Eigen::Index c = 0; !seen.empty() && c < computed.cols(); ++c) {
      const Matrix<Real> values = meant.values(seen, c);
      const Wide o = wide(computed(i, c)), lower = wide(Real(values.minCoeff())),
                 upper = wide(Real(values.maxCoeff()));
      const Wide beyond = std::max({Wide(lower - o), Wide(o - upper), Wide(0)});
      nearest.compare(o == o ? to_double(beyond) : to_double(o), bound.output(i, c), [&] {
        return detail::entry_text("the output", i, c, computed(i, c), o < lower ? lower : upper);
      });
    }
  }
  return nearest.outcome();
}

template <class Real>
Outcome logarithms_law(const AttentionLogarithmFunction<Real>& logarithms,
                       const AttentionCase<Real>& given, const SoftmaxArithmetic& arithmetic,
                       const AttentionConventions& conventions) {
  const DefaultFloatEnvironment environment;
  const AttentionCase<Real> input = detail::meant_by(given, conventions);
  const Matrix<Real>&q = input.queries, &k = input.keys;
  const auto& options = input.options;
  const AttentionWeightErrors bound = attention_weight_errors<Wide>(
      q, k, options, sqrtdk::detail::magnified_by(q, k, k, Eigen::MatrixXd(), options, arithmetic));
  const ExactAttention exact(input);
  const Matrix<Compute<Real>> computed = logarithms(given);
  const Eigen::Index n = q.rows(), m = given.keys.rows();
  if (computed.rows() != n || (computed.cols() != 1 && computed.cols() != 1 + m))
    return detail::wrong_shape(computed, Matrix<Wide>(n, 1 + m));
  Nearest nearest;
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto compare = [&](Eigen::Index j, const Wide& wanted, double allowed) {
      if (detail::is_vacuous(allowed, abs(wanted))) nearest.vacuous();
      nearest.compare(to_double(distance(wide(computed(i, j)), wanted)), allowed, [&] {
        return detail::entry_text(j == 0 ? "log-sum-exp" : "the logarithm", i, j, computed(i, j),
                                  wanted);
      });
    };
    if (!exact.sees_any(i)) {
      if (const auto& of_none = conventions.empty_log_sum_exp) compare(0, Wide(*of_none), 0);
      continue;
    }
    Eigen::Index top = 0;
    exact.weights().row(i).maxCoeff(&top);
    const auto logit = [&](Eigen::Index j) -> Wide {
      return exact.scores()(i, j) + (options.bias ? wide((*options.bias)(i, j)) : Wide(0));
    };
    const Wide log_sum_exp = logit(top) - log(exact.weights()(i, top));
    compare(0, log_sum_exp, bound.log_sum_exps(i));
    for (Eigen::Index j = 0; j < computed.cols() - 1; ++j)
      compare(1 + j, Wide(exact.sees(i, j) ? logit(j) : wide(-INFINITY)) - log_sum_exp,
              bound.log_weights(i, j));
  }
  return nearest.outcome();
}

template <class Real>
Outcome gradient_law(const AttentionGradientFunction<Real>& gradient,
                     const AttentionCase<Real>& input, const SoftmaxArithmetic& arithmetic) {
  const DefaultFloatEnvironment environment;
  const auto bound = attention_gradient_error_bound<Wide>(
      input.queries, input.keys, input.values, input.output_gradient, input.options, arithmetic);
  const ExactAttention exact(input);
  const AttentionGradient<Real> computed = gradient(input);
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
  const DefaultFloatEnvironment environment;
  const Matrix<bool> sees = detail::seen_in(input);
  const Matrix<Real> clean = attention(input);
  for (const Real& filler : detail::masked_values<Real>()) {
    const Matrix<Real> other = attention(detail::with_masked_values(input, sees, filler));
    if (const std::string difference = detail::difference_of(clean, other); !difference.empty())
      return broken("with " + detail::computed_text(filler) + " in what no query sees, " +
                    difference);
  }
  return {};
}

template <class Real>
Outcome masked_values_gradient_law(const AttentionGradientFunction<Real>& gradient,
                                   const AttentionCase<Real>& input) {
  const DefaultFloatEnvironment environment;
  const Matrix<bool> sees = detail::seen_in(input);
  const AttentionGradient<Real> clean = gradient(input);
  for (const Real& filler : detail::masked_values<Real>()) {
    const AttentionGradient<Real> other = gradient(detail::with_masked_values(input, sees, filler));
    if (!detail::difference_of<Real>(clean.queries, other.queries).empty() ||
        !detail::difference_of<Real>(clean.keys, other.keys).empty() ||
        !detail::difference_of<Real>(clean.values, other.values).empty())
      return broken("the gradient changes with " + detail::computed_text(filler) +
                    " in what no query sees");
  }
  return {};
}

#define SQRTDK_ATTENTION_LAWS(prefix, Real)                                                        \
  prefix template Outcome score_law<Real>(const AttentionFunction<Real>&,                          \
                                          const AttentionCase<Real>&, const SoftmaxArithmetic&);   \
  prefix template Outcome output_law<Real>(const AttentionFunction<Real>&,                         \
                                           const AttentionCase<Real>&, const SoftmaxArithmetic&,   \
                                           const AttentionConventions&);                           \
  prefix template Outcome convexity_law<Real>(                                                     \
      const AttentionFunction<Real>&, const AttentionCase<Real>&, const SoftmaxArithmetic&,        \
      const AttentionConventions&);                                                                \
  prefix template Outcome logarithms_law<Real>(                                                    \
      const AttentionLogarithmFunction<Real>&, const AttentionCase<Real>&,                         \
      const SoftmaxArithmetic&, const AttentionConventions&);                                      \
  prefix template Outcome gradient_law<Real>(const AttentionGradientFunction<Real>&,               \
                                             const AttentionCase<Real>&,                           \
                                             const SoftmaxArithmetic&);                            \
  prefix template Outcome masked_values_law<Real>(const AttentionFunction<Real>&,                  \
                                                  const AttentionCase<Real>&);                     \
  prefix template Outcome masked_values_gradient_law<Real>(const AttentionGradientFunction<Real>&, \
                                                           const AttentionCase<Real>&);
SQRTDK_FOR_EACH_FORMAT(SQRTDK_ATTENTION_LAWS, extern)

}  // namespace sqrtdk::testing
