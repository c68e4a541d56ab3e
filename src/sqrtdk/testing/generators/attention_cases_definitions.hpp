// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Definitions of attention_cases.hpp, for numbers of any type.
#pragma once

#include <sqrtdk/numbers/columns.hpp>
#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/softmax_error.hpp>
#include <sqrtdk/testing/generators/attention_cases.hpp>
#include <sqrtdk/testing/generators/floating_point_definitions.hpp>
#include <sqrtdk/testing/generators/matrices_definitions.hpp>
#include <sqrtdk/testing/generators/random_source.hpp>
#include <sqrtdk/testing/generators/shrink_float_definitions.hpp>
#include <sqrtdk/testing/laws/arrays.hpp>
#include <sqrtdk/testing/laws/fixed_cases.hpp>
#include <sqrtdk/testing/laws/formats.hpp>

#include <Eigen/Core>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace sqrtdk::testing {

namespace detail {

Matrix<bool> permissions_from(RandomSource& source, Eigen::Index n, Eigen::Index m);

/// Permissions simpler than given ones: all, or one more.
std::vector<Matrix<bool>> simpler_permissions(const Matrix<bool>& allowed);

/// Texts with commas between them; of four or more equal ones in a row, their number and one.
std::string list_text(const std::vector<std::string>& entries);

/// A count of something: any number, or around a power of two if there may be many.
int any_count(RandomSource& source, int most);

template <BinaryFloat Real>
Matrix<Real> matrix_of(RandomSource& source, Eigen::Index rows, Eigen::Index columns,
                       double largest) {
  const int r = static_cast<int>(rows);
  const int c = static_cast<int>(columns);
  const Matrices<Real> allowed{.fewest_rows = r,
                               .most_rows = r,
                               .fewest_columns = c,
                               .most_columns = c,
                               .entries = {.largest = static_cast<Real>(largest)}};
  return draw_matrix(source, allowed);
}

/// Values of any kind: often all 1, of one sign, or 0 but for one key.
template <BinaryFloat Real>
Matrix<Real> values_of(RandomSource& source, Eigen::Index m, Eigen::Index d_v, double largest) {
  const Matrix<Real> any = matrix_of<Real>(source, m, d_v, largest);
  switch (source.between(0, 9)) {
    case 0:
      return Matrix<Real>::Constant(m, d_v, Real(1));
    case 1:
      return any.unaryExpr([](const Real& x) { return x < Real(0) ? Real(-x) : x; });
    case 2: {
      Matrix<Real> of_one = Matrix<Real>::Constant(m, d_v, Real(0));
      of_one.row(source.boolean() ? m - 1 : source.between(0, static_cast<int>(m) - 1))
          .setConstant(Real(1));
      return of_one;
    }
    default:
      return any;
  }
}

/// Lets the first query look at one key, the last one of a block more often than not.
template <BinaryFloat Real>
void look_at_one_key(RandomSource& source, AttentionCase<Real>& input, double largest) {
  const int m = static_cast<int>(input.keys.rows());
  const int ends[] = {m - 1, m - 1, (m - 1) / 32 * 32, source.between(0, m - 1)};
  const Real size(static_cast<Compute<Real>>(std::min(4.0, largest)));
  input.keys.row(source.pick(ends)) = input.queries.row(0).unaryExpr([&](const Real& x) {
    return x < Real(0) ? Real(-size) : x > Real(0) ? size : Real(0);
  });
}

template <BinaryFloat Real>
void add_options(RandomSource& source, AttentionCase<Real>& input, const AttentionShapes& shapes) {
  const AttentionConventions& may = shapes.conventions;
  using Computed = Compute<Real>;
  const Eigen::Index n = input.queries.rows();
  const Eigen::Index m = input.keys.rows();
  const Computed scales[] = {
      1, 1, 0.5, 0.5, 3, -1, 0, std::numeric_limits<Computed>::denorm_min(), 1000};
  const Computed scale = source.pick(scales);
  if (may.scales && source.boolean() && static_cast<double>(scale) >= may.least_scale &&
      static_cast<double>(scale) <= may.greatest_scale)
    input.options.scale = scale;
  if (may.sinks && source.boolean()) input.sink = static_cast<Computed>(4 * source.between(-8, 8));
  if (!may.masks) return;
  const int causal = source.between(0, 2);
  if (causal == 1 && may.top_left) input.options.causal = CausalAlignment::top_left;
  if (causal == 2 && may.bottom_right) input.options.causal = CausalAlignment::bottom_right;
  if (may.permissions && source.boolean()) input.options.allowed = permissions_from(source, n, m);
  if (!may.biases || source.boolean()) return;
  input.options.bias = matrix_of<Computed>(source, n, m, shapes.largest);
  const Matrix<bool> finite = permissions_from(source, n, m);
  const Computed masked =
      static_cast<Computed>(may.mask_value.value_or(-std::numeric_limits<double>::infinity()));
  for (Eigen::Index i = 0; i < finite.size(); ++i)
    if (!finite(i)) (*input.options.bias)(i) = masked;
}

template <BinaryFloat Real>
AttentionCase<Real> any_attention_case(RandomSource& source, const AttentionShapes& shapes) {
  const Eigen::Index n = any_count(source, shapes.most_queries);
  const Eigen::Index m = any_count(source, shapes.most_keys);
  const Eigen::Index d = any_count(source, shapes.most_features);
  const Eigen::Index d_v = any_count(source, shapes.most_values);
  AttentionCase<Real> input;
  input.queries = matrix_of<Real>(source, n, d, shapes.largest);
  input.keys = matrix_of<Real>(source, m, d, shapes.largest);
  input.values = values_of<Real>(source, m, d_v, shapes.largest);
  if (shapes.cotangent) input.output_gradient = matrix_of<Real>(source, n, d_v, shapes.largest);
  if (source.between(0, 3) == 0) look_at_one_key(source, input, shapes.largest);
  add_options(source, input, shapes);
  return input;
}

/// A case without some of its queries, keys, features or values.
template <BinaryFloat Real>
AttentionCase<Real> without(AttentionCase<Real> input, int what, Eigen::Index start,
                            Eigen::Index count) {
  const auto rows = [&](auto& x) {
    if (x.size() > 0) x = without_rows(std::decay_t<decltype(x)>(x), start, count);
  };
  const auto columns = [&](auto& x) {
    using Type = std::decay_t<decltype(x)>;
    if (x.size() > 0) x = without_rows(Type(x.transpose()), start, count).transpose().eval();
  };
  auto& [scale, bias, allowed, causal, return_weights] = input.options;
  if (what == 0) {
    rows(input.queries), rows(input.output_gradient);
    if (bias) rows(*bias);
    if (allowed) rows(*allowed);
  } else if (what == 1) {
    rows(input.keys), rows(input.values);
    if (bias) columns(*bias);
    if (allowed) columns(*allowed);
  } else if (what == 2) {
    columns(input.queries), columns(input.keys);
  } else {
    columns(input.values), columns(input.output_gradient);
  }
  return input;
}

/// Cases simpler than a given one, the simplest first.
template <BinaryFloat Real>
std::vector<AttentionCase<Real>> simpler_cases(const AttentionCase<Real>& input, double largest) {
  std::vector<AttentionCase<Real>> result;
  const Eigen::Index sizes[] = {input.queries.rows(), input.keys.rows(), input.queries.cols(),
                                input.values.cols()};
  // Of a large case there are as many simpler ones as it has numbers: large parts go first.
  const bool is_large = input.queries.size() + input.keys.size() + input.values.size() > 2000;
  for (int what = 0; what < 4; ++what)
    for (Eigen::Index removed = sizes[what] / 2 + sizes[what] % 2;
         removed > (is_large ? sizes[what] / 32 : 0); removed /= 2)
      for (Eigen::Index start = 0; start < sizes[what]; start += removed) {
        const Eigen::Index count = std::min(removed, sizes[what] - start);
        if (count < sizes[what]) result.push_back(without(input, what, start, count));
      }

  const auto with = [&](auto change) {
    result.push_back(input);
    change(result.back());
  };
  if (input.sink) with([](auto& x) { x.sink.reset(); });
  if (input.sink && *input.sink != 0) with([](auto& x) { x.sink = 0; });
  if (input.options.scale) with([](auto& x) { x.options.scale.reset(); });
  if (input.options.causal) with([](auto& x) { x.options.causal.reset(); });
  if (input.options.allowed) with([](auto& x) { x.options.allowed.reset(); });
  if (input.options.bias) with([](auto& x) { x.options.bias.reset(); });
  // One query's biases as keys.
  if (input.options.bias && input.queries.rows() == 1 && input.options.bias->allFinite())
    with([](auto& x) {
      x.queries = Matrix<Real>::Constant(1, 1, Real(1));
      x.keys = x.options.bias->row(0).transpose().template cast<Real>();
      x.options.bias.reset();
    });
  if (input.options.scale && *input.options.scale != 1) with([](auto& x) { x.options.scale = 1; });
  if (input.options.allowed)
    for (const Matrix<bool>& simpler : simpler_permissions(*input.options.allowed))
      with([&](auto& x) { x.options.allowed = simpler; });

  // Each of these is taken once at most, so that shrinking ends.
  if (input.options.scale && *input.options.scale < 0)
    with([](auto& x) {
      x.options.scale = -*x.options.scale;
      x.keys = -x.keys;
    });
  if ((input.queries.array() <= Real(0)).all() && (input.queries.array() < Real(0)).any())
    with([](auto& x) {
      x.queries = -x.queries;
      x.keys = -x.keys;
    });
  const Real least = input.keys.minCoeff();
  const Real raised = static_cast<Real>(input.keys.maxCoeff() - least);
  if (least < Real(0) && raised <= static_cast<Real>(largest))
    with([&](auto& x) { x.keys.array() -= least; });

  const auto simpler = [&](const auto& matrix, auto put) {
    using Entry = typename std::decay_t<decltype(matrix)>::Scalar;
    if (is_large) {
      if ((matrix.array() != Entry(0)).any())
        with([&](auto& x) {
          put(x, Matrix<Entry>::Constant(matrix.rows(), matrix.cols(), Entry(0)));
        });
      return;
    }
    for (const auto& list :
         testing::detail::simpler_entries(entries(matrix), static_cast<Entry>(largest)))
      with([&](auto& x) { put(x, matrix_from(list, matrix.rows(), matrix.cols())); });
  };
  simpler(input.queries, [](auto& x, const auto& to) { x.queries = to; });
  simpler(input.keys, [](auto& x, const auto& to) { x.keys = to; });
  simpler(input.values, [](auto& x, const auto& to) { x.values = to; });
  if (input.output_gradient.size() > 0)
    simpler(input.output_gradient, [](auto& x, const auto& to) { x.output_gradient = to; });
  if (input.options.bias)
    simpler(Matrix<Compute<Real>>(*input.options.bias),
            [](auto& x, const auto& to) { x.options.bias = to; });
  return result;
}

}  // namespace detail

template <BinaryFloat Real>
rc::Gen<AttentionCase<Real>> attention_cases(AttentionShapes shapes) {
  detail::require_valid(Floats<Real>{.largest = static_cast<Real>(shapes.largest)});
  return generator<AttentionCase<Real>>(
      [=](RandomSource& source) { return detail::any_attention_case<Real>(source, shapes); },
      [=](const AttentionCase<Real>& input) {
        return detail::simpler_cases(input, shapes.largest);
      });
}

template <BinaryFloat Real>
AttentionCase<Real> drawn_attention_case(AttentionShapes shapes) {
  return *attention_cases<Real>(shapes).as("the case");
}

namespace detail {

template <BinaryFloat Real>
std::string case_text(const AttentionCase<Real>& input) {
  std::string text;
  const auto add = [&](const char* name, const auto& matrix) {
    std::vector<std::string> rows;
    for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
      std::vector<std::string> row;
      for (Eigen::Index j = 0; j < matrix.cols(); ++j)
        row.push_back(format_digits(
            static_cast<Compute<std::decay_t<decltype(matrix(i, j))>>>(matrix(i, j))));
      rows.push_back("[" + detail::list_text(row) + "]");
    }
    text += (text.empty() ? "" : "\n") + std::string(name) + " [" + detail::list_text(rows) + "]";
  };
  add("Q", input.queries);
  add("K", input.keys);
  add("V", input.values);
  if (input.output_gradient.size() > 0) add("G", input.output_gradient);
  const auto& options = input.options;
  const auto d = std::to_string(input.queries.cols());
  text +=
      "\nscale " +
      (options.scale
           ? format_digits(*options.scale)
           : "1/√" + d + " = " +
                 format_digits(Compute<Real>(1 / std::sqrt(Compute<Real>(input.queries.cols())))));
  if (options.causal)
    text += *options.causal == CausalAlignment::top_left ? "\ncausal, aligned top left"
                                                         : "\ncausal, aligned bottom right";
  if (options.allowed) add("which keys a query may see", options.allowed->template cast<int>());
  if (options.bias) add("biases", *options.bias);
  if (input.sink) text += "\nsink " + format_digits(*input.sink);
  return text;
}

}  // namespace detail

template <BinaryFloat Real>
std::vector<AttentionCase<Real>> attention_edge_cases() {
  std::vector<AttentionCase<Real>> cases;
  for (const AttentionCase<double>& input : edge_attention_cases(case_numbers<Real>()))
    cases.push_back(rounded_to<Real>(input));
  return cases;
}

#define SQRTDK_ATTENTION_CASES(prefix, Real)                                     \
  prefix template rc::Gen<AttentionCase<Real>> attention_cases(AttentionShapes); \
  prefix template AttentionCase<Real> drawn_attention_case(AttentionShapes);
#define SQRTDK_ATTENTION_TEXTS(prefix, Real)                                 \
  prefix template std::string detail::case_text(const AttentionCase<Real>&); \
  prefix template std::vector<AttentionCase<Real>> attention_edge_cases();
SQRTDK_FOR_EACH_FORMAT(SQRTDK_ATTENTION_CASES, extern)
SQRTDK_FOR_EACH_FORMAT(SQRTDK_ATTENTION_TEXTS, extern)

}  // namespace sqrtdk::testing
