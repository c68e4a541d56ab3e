// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief What attention_cases.hpp declares, for numbers of any type.
#pragma once

#include <sqrtdk/softmax_error.hpp>
#include <sqrtdk/testing/generators/attention_cases.hpp>
#include <sqrtdk/testing/generators/floating_point_definitions.hpp>
#include <sqrtdk/testing/generators/matrices_definitions.hpp>
#include <sqrtdk/testing/laws/arrays.hpp>
#include <sqrtdk/testing/laws/formats.hpp>

#include <Eigen/Core>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <limits>
#include <vector>

namespace sqrtdk::testing {

namespace detail {

template <class Real>
Matrix<Real> drawn_matrix(Eigen::Index rows, Eigen::Index columns, double largest,
                          const char* name) {
  const int r = static_cast<int>(rows);
  const int c = static_cast<int>(columns);
  return *matrices<Real>({.fewest_rows = r,
                          .most_rows = r,
                          .fewest_columns = c,
                          .most_columns = c,
                          .entries = {.largest = static_cast<Real>(largest)}})
              .as(name);
}

}  // namespace detail

template <BinaryFloat Real>
AttentionCase<Real> drawn_attention_case(AttentionShapes shapes) {
  const auto size = [](int most, const char* name) {
    // Of any size from the first case on.
    return static_cast<Eigen::Index>(
        *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(1, most + 1)).as(name));
  };
  const Eigen::Index n = size(shapes.most_queries, "queries");
  const Eigen::Index m = size(shapes.most_keys, "keys");
  const Eigen::Index d = size(shapes.most_features, "d");
  const Eigen::Index d_v = size(shapes.most_values, "d_v");
  AttentionCase<Real> input;
  input.queries = detail::drawn_matrix<Real>(n, d, shapes.largest, "Q");
  input.keys = detail::drawn_matrix<Real>(m, d, shapes.largest, "K");
  input.values = detail::drawn_matrix<Real>(m, d_v, shapes.largest, "V");
  input.output_gradient = detail::drawn_matrix<Real>(n, d_v, shapes.largest, "G");
  using Computed = Compute<Real>;
  const std::vector<Computed> scales = {Computed(1),   Computed(0.5),
                                        Computed(3),   Computed(-1),
                                        Computed(0),   std::numeric_limits<Computed>::denorm_min(),
                                        Computed(1000)};
  const std::size_t scale =
      *rc::gen::weightedElement<std::size_t>(
           {{7, 0}, {2, 2}, {2, 3}, {1, 1}, {1, 4}, {1, 5}, {1, 6}, {1, 7}})
           .as("scale: 1/√d (0), or one of 1, 1/2, 3, −1, 0, the smallest number, 1000");
  if (scale > 0) input.options.scale = scales[scale - 1];
  if (!shapes.masks) return input;

  const int causal =
      *rc::gen::element(2, 0, 1).as("causal: not (2), top left (0), bottom right (1)");
  if (causal == 0) input.options.causal = CausalAlignment::top_left;
  if (causal == 1) input.options.causal = CausalAlignment::bottom_right;
  const bool with_mask = *rc::gen::arbitrary<bool>().as("with a mask");
  const bool as_bias = *rc::gen::arbitrary<bool>().as("with biases");
  if (with_mask) input.options.allowed = drawn_permissions(n, m);
  if (as_bias) {
    input.options.bias = detail::drawn_matrix<Computed>(n, m, shapes.largest, "biases");
    const Matrix<bool> finite = drawn_permissions(n, m);
    for (Eigen::Index i = 0; i < finite.size(); ++i)
      if (!finite(i)) (*input.options.bias)(i) = -std::numeric_limits<Computed>::infinity();
  }
  return input;
}

template <BinaryFloat Real>
std::vector<AttentionCase<Real>> attention_edge_cases() {
  using Computed = Compute<Real>;
  using Limits = std::numeric_limits<Real>;
  const auto make = [](std::initializer_list<double> queries, std::initializer_list<double> keys,
                       std::initializer_list<double> values, Eigen::Index d) {
    const auto matrix = [](std::initializer_list<double> list, Eigen::Index columns) {
      Matrix<Real> x(static_cast<Eigen::Index>(list.size()) / columns, columns);
      Eigen::Index place = 0;
      for (const double entry : list) {
        x(place / columns, place % columns) = static_cast<Real>(entry);
        ++place;
      }
      return x;
    };
    AttentionCase<Real> input{matrix(queries, d), matrix(keys, d), matrix(values, 1), {}, {}};
    input.output_gradient = Matrix<Real>::Constant(input.queries.rows(), 1, Real(1));
    return input;
  };
  // What a bound computes with is a double.
  using Double = std::numeric_limits<double>;
  const auto scaled_by = [](AttentionCase<Real> input, double scale) {
    input.options.scale = static_cast<Computed>(scale);
    return input;
  };
  const double largest = std::min(static_cast<double>(Limits::max()), Double::max());
  const double least = std::max(static_cast<double>(Limits::denorm_min()), Double::denorm_min());
  const double least_computed = std::max(
      static_cast<double>(std::numeric_limits<Computed>::denorm_min()), Double::denorm_min());
  // Exact powers of two near the root of the range.
  const double root = std::exp2(std::floor(std::log2(largest) / 2));
  // How far a score is below 0 whose e^s is half of the smallest number.
  const double depth = arithmetic_of<Real>().depth_of_underflow;

  std::vector<AttentionCase<Real>> cases = {
      make({3}, {-2}, {5}, 1),                                        // one of everything
      make({0, 0, 0, 0}, {1, 2, 3, 4, 5, 6}, {1, 2, 4}, 2),           // equal scores
      make({1, 2, 3, 4}, {1, 2, 2, 1}, {0, 0}, 2),                    // values of 0
      make({1, 2}, {1, 2, 1, 2}, {largest, largest}, 2),              // the largest values
      make({1, 2}, {1, 2, 2, 1}, {largest, -largest}, 2),             // and their cancellation
      make({least, 3 * least}, {least, 1, 1, least}, {least, 3}, 2),  // subnormal entries
      scaled_by(make({1, 0}, {0, 0, -1 - depth, 0}, {1, largest / 16}, 2), 1),  // underflow
      scaled_by(make({1, 0}, {0, 0, 8 - depth, 0}, {1, largest / 16}, 2), 1),  // a subnormal weight
      make({root / 8}, {root / 8}, {3}, 1),                 // one key, a huge score
      make({root / 8}, {-root / 8, root / 16}, {3, 5}, 1),  // a huge gap
      make({1, 2, 3}, {1, 2, 3, 4, 5, 6}, {1, 2}, 3)};      // a root that is rounded
  const AttentionCase<Real> ordinary = make({1, 2, 3, 4}, {1, 2, 2, 1, -1, 1}, {1, 2, 4}, 2);
  for (const double scale : {0.0, -1.0, least_computed, 0x1p-60, 0x1p10})
    cases.push_back(scaled_by(ordinary, scale));
  // Entries so small that only a huge scale makes scores of them.
  cases.push_back(scaled_by(make({1 / root, 2 / root}, {1 / root, 2 / root}, {3, 5}, 1), root));
  AttentionCase<Real> one_key = ordinary;
  one_key.keys *= Real(root / 64);
  one_key.options.allowed = Matrix<bool>::Constant(2, 3, false);
  one_key.options.allowed->col(1).setConstant(true);
  cases.push_back(one_key);
  AttentionCase<Real> biased = ordinary;
  biased.options.bias = Matrix<Computed>::Constant(2, 3, Computed(1000));
  (*biased.options.bias)(0, 1) = -std::numeric_limits<Computed>::infinity();
  (*biased.options.bias)(1, 2) = Computed(-1000);
  cases.push_back(biased);
  return cases;
}

// These are compiled once, in the source file of the same name.
#define SQRTDK_ATTENTION_CASES(prefix, Real)                                 \
  prefix template AttentionCase<Real> drawn_attention_case(AttentionShapes); \
  prefix template std::vector<AttentionCase<Real>> attention_edge_cases();
SQRTDK_FOR_EACH_FORMAT(SQRTDK_ATTENTION_CASES, extern)

}  // namespace sqrtdk::testing
