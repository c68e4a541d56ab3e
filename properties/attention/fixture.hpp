// Code shared by the claims of chapter \ref attention.
#pragma once

#include <sqrtdk/attention/pass.hpp>
#include <sqrtdk/softmax.hpp>
#include <sqrtdk/testing/generators/attention_cases.hpp>
#include <sqrtdk/testing/generators/worst_case.hpp>
#include <sqrtdk/testing/kit.hpp>
#include <sqrtdk/testing/laws/arrays.hpp>
#include <sqrtdk/testing/laws/attention_case.hpp>

#include <Eigen/Core>

namespace sqrtdk::properties {
inline namespace chapter_attention {

using namespace sqrtdk::testing;

using Eigen::Index;
using RationalMatrix = Matrix<Rational>;
using RationalCase = AttentionCase<Rational>;

/// Cases in which each argument has a part: without masks, with scores in the hundreds, and with
/// masks of every kind.
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

inline RationalMatrix drawn_rationals(Index rows, Index columns, const char* name) {
  const auto entries = rc::gen::container<std::vector<Rational>>(
      static_cast<std::size_t>(rows * columns), any_rational());
  return *rc::gen::map(entries, [=](const std::vector<Rational>& list) {
            return RationalMatrix(Eigen::Map<const RationalMatrix>(list.data(), rows, columns));
          }).as(name);
}

enum class Masks { none, without_order, all };

/// A case over the rationals; d is a square, so that its root is rational.
inline RationalCase drawn_rational_case(Masks masks) {
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

template <class Derived>
bool is_zero(const Eigen::DenseBase<Derived>& x) {
  return x.derived().unaryExpr([](double entry) { return Rational(entry); }).isZero(0);
}

inline Rational inner_product(const RationalMatrix& a, const RationalMatrix& b) {
  return a.cwiseProduct(b).sum();
}

inline constexpr int precise_cases = 60;

inline constexpr int rational_cases = 60;

}  // namespace chapter_attention
}  // namespace sqrtdk::properties
