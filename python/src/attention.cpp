// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief One head of attention, or its gradient, beside the exact one.
#include <sqrtdk/attention.hpp>
#include <sqrtdk/attention_error.hpp>
#include <sqrtdk/attention_odds.hpp>
#include <sqrtdk/softmax_arithmetic.hpp>
#include <sqrtdk/testing/laws/attention_case.hpp>
#include <sqrtdk/testing/laws/exact_attention.hpp>
#include <sqrtdk/testing/laws/outcome.hpp>
#include <sqrtdk/testing/laws/wide.hpp>

#include "attention_input.hpp"
#include "finding.hpp"
#include "formats.hpp"
#include "module.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <vector>

namespace sqrtdk::python {

namespace {

using testing::AttentionCase;
using testing::Matrix;

/// A case in the format of the reference, exactly.
template <class Real>
AttentionCase<Reference<Real>> in_fast(const AttentionCase<Real>& input) {
  using Fast = Reference<Real>;
  const auto cast = [](const auto& matrix) -> Matrix<Fast> {
    using Scalar = typename std::decay_t<decltype(matrix)>::Scalar;
    return matrix.template cast<Compute<Scalar>>().template cast<Fast>();
  };
  AttentionCase<Fast> result{
      cast(input.queries), cast(input.keys), cast(input.values), cast(input.output_gradient), {}};
  if (input.options.scale) result.options.scale = Fast(*input.options.scale);
  if (input.options.bias) result.options.bias = cast(*input.options.bias);
  result.options.allowed = input.options.allowed;
  result.options.causal = input.options.causal;
  return result;
}

/// What query i alone is asked.
template <class Real>
AttentionCase<Real> of_query(const AttentionCase<Real>& input, Eigen::Index i) {
  AttentionCase<Real> one{input.queries.row(i), input.keys, input.values, {}, {}};
  one.options.scale = input.options.scale;
  const sqrtdk::detail::Visibility<Compute<Real>> sees(input.options, input.queries.rows(),
                                                       input.keys.rows());
  one.options.allowed = Matrix<bool>(1, input.keys.rows());
  for (Eigen::Index j = 0; j < input.keys.rows(); ++j) (*one.options.allowed)(0, j) = sees(i, j);
  if (input.options.bias) one.options.bias = input.options.bias->row(i);
  return one;
}

/// A query that sees no key, by a convention: its output is zero, nan, mean, or any of these.
template <class Real>
Finding empty_row(const AttentionCase<Real>& input, const Matrix<Real>& computed, Eigen::Index i,
                  const SoftmaxArithmetic& arithmetic, const std::string& convention) {
  const auto held_to = [&](const auto& right, const auto& may) {
    Finding finding;
    for (Eigen::Index c = 0; c < computed.cols(); ++c) {
      const double is = as_double(computed(i, c));
      const double wanted = right(c);
      const double off = std::isnan(wanted)
                             ? (std::isnan(is) ? 0 : std::numeric_limits<double>::infinity())
                             : testing::distance(is, wanted);
      finding.add(i, c, is, wanted, off, may(c));
    }
    return finding;
  };
  const auto nothing = [](Eigen::Index) { return 0.0; };
  const Finding zero = held_to(nothing, nothing);
  if (convention == "zero" || (convention == "any" && zero.holds())) return zero;
  const Finding nan =
      held_to([](Eigen::Index) { return std::numeric_limits<double>::quiet_NaN(); }, nothing);
  if (convention == "nan" || (convention == "any" && nan.holds())) return nan;
  using Fast = Reference<Real>;
  // Equal scores of all keys, as a finite number in the place of −∞ leaves them.
  AttentionCase<Real> equal{Matrix<Real>::Constant(1, input.queries.cols(), Real(0)),
                            Matrix<Real>::Constant(input.keys.rows(), input.keys.cols(), Real(0)),
                            input.values,
                            {},
                            {}};
  const AttentionErrorBound bound = attention_error_bound<Fast>(
      equal.queries, equal.keys, equal.values, equal.options, arithmetic);
  const testing::ExactAttention exact(equal);
  const Finding mean =
      held_to([&](Eigen::Index c) { return testing::to_double(exact.output()(0, c)); },
              [&](Eigen::Index c) { return bound.output(0, c); });
  return convention == "mean" || mean.holds() ? mean : zero;
}

/// The bounds of the output: certain ones for 0 deviations, else with odds.
template <class Real>
Eigen::MatrixXd bounds_of(const AttentionCase<Real>& input, const SoftmaxArithmetic& arithmetic,
                          double deviations) {
  using Fast = Reference<Real>;
  if (deviations == 0)
    return attention_error_bound<Fast>(input.queries, input.keys, input.values, input.options,
                                       arithmetic)
        .output;
  const OddsBound bound =
      attention_odds_bound<Fast>(input.queries, input.keys, input.values, input.options, arithmetic,
                                 {.deviations = deviations});
  if (!bound.no_odds.empty()) throw std::invalid_argument("no odds: " + bound.no_odds);
  return bound.bound;
}

template <class Real>
Finding compared(const AttentionCase<Real>& input, const Matrix<Real>& computed,
                 const SoftmaxArithmetic& arithmetic, const std::string& empty_rows,
                 double deviations) {
  using Fast = Reference<Real>;
  // A bound with odds is a smaller multiple of what the reference may be off by.
  const double part = (deviations == 0 ? 1 : 64) * doubt<Real>(arithmetic.unit_roundoff);
  const Eigen::MatrixXd bound = bounds_of(input, arithmetic, deviations);
  const AttentionCase<Fast> fast = in_fast(input);
  const Matrix<Fast> reference =
      scaled_dot_product_attention(fast.queries, fast.keys, fast.values, fast.options).output;
  const sqrtdk::detail::Visibility<Compute<Real>> sees(input.options, input.queries.rows(),
                                                       input.keys.rows());
  Finding all;
  for (Eigen::Index i = 0; i < computed.rows(); ++i) {
    if (sees.of(i).empty()) {
      all.add(empty_row(input, computed, i, arithmetic, empty_rows));
      continue;
    }
    std::optional<testing::ExactAttention> exact;
    for (Eigen::Index c = 0; c < computed.cols(); ++c) {
      const double is = as_double(computed(i, c));
      const double may = bound(i, c);
      auto right = static_cast<double>(reference(i, c));
      auto off = static_cast<double>(testing::distance(Fast(is), reference(i, c)));
      const double ratio = Finding::ratio(off, may);
      if (std::abs(ratio - 1) <= part) {
        if (!exact) exact.emplace(of_query(input, i));
        right = testing::to_double(exact->output()(0, c));
        off = testing::to_double(testing::distance(testing::Wide(is), exact->output()(0, c)));
      }
      all.add(i, c, is, right, off, may);
    }
  }
  return all;
}

template <class Real>
std::vector<Finding> compared_gradients(const AttentionCase<Real>& input,
                                        const AttentionGradient<Real>& computed,
                                        const SoftmaxArithmetic& arithmetic,
                                        const std::string& empty_rows) {
  using Fast = Reference<Real>;
  // A query that sees no key has a part in all derivatives by keys and values, and in its own.
  const sqrtdk::detail::Visibility<Compute<Real>> sees(input.options, input.queries.rows(),
                                                       input.keys.rows());
  std::vector<bool> is_empty;
  for (Eigen::Index i = 0; i < input.queries.rows(); ++i)
    is_empty.push_back(empty_rows == "any" && sees.of(i).empty());
  const bool any_empty = std::find(is_empty.begin(), is_empty.end(), true) != is_empty.end();
  const double part = doubt<Real>(arithmetic.unit_roundoff);
  const auto bound = attention_gradient_error_bound<Fast>(
      input.queries, input.keys, input.values, input.output_gradient, input.options, arithmetic);
  const AttentionCase<Fast> fast = in_fast(input);
  const AttentionGradient<Fast> reference =
      attention_gradient(fast.queries, fast.keys, fast.values, fast.output_gradient, fast.options);
  std::optional<testing::ExactAttention> exact;
  const auto one = [&](auto member) {
    Finding finding;
    const auto& is = computed.*member.of_computed;
    for (Eigen::Index i = 0; i < is.rows(); ++i)
      for (Eigen::Index j = 0; j < is.cols(); ++j) {
        const double number = as_double(is(i, j));
        const double may = (bound.gradient.*member.of_bound)(i, j);
        const Fast near = (reference.*member.of_reference)(i, j);
        auto right = static_cast<double>(near);
        auto off = static_cast<double>(testing::distance(Fast(number), near));
        const double ratio = Finding::ratio(off, may);
        if (std::abs(ratio - 1) <= part) {
          if (!exact) exact.emplace(input);
          const testing::Wide& wanted = (exact->gradient().*member.of_exact)(i, j);
          right = testing::to_double(wanted);
          off = testing::to_double(testing::distance(testing::Wide(number), wanted));
        }
        const bool agreed = member.of_query ? !is_empty[static_cast<std::size_t>(i)] : !any_empty;
        const bool promised = agreed || off <= may;
        finding.add(i, j, number, right, off,
                    promised ? may : std::numeric_limits<double>::infinity());
      }
    return finding;
  };
  struct Member {
    bool of_query;
    Matrix<Real> AttentionGradient<Real>::*of_computed;
    Eigen::MatrixXd AttentionGradient<double>::*of_bound;
    Matrix<Fast> AttentionGradient<Fast>::*of_reference;
    Matrix<testing::Wide> AttentionGradient<testing::Wide>::*of_exact;
  };
  return {
      one(Member{true, &AttentionGradient<Real>::queries, &AttentionGradient<double>::queries,
                 &AttentionGradient<Fast>::queries, &AttentionGradient<testing::Wide>::queries}),
      one(Member{false, &AttentionGradient<Real>::keys, &AttentionGradient<double>::keys,
                 &AttentionGradient<Fast>::keys, &AttentionGradient<testing::Wide>::keys}),
      one(Member{false, &AttentionGradient<Real>::values, &AttentionGradient<double>::values,
                 &AttentionGradient<Fast>::values, &AttentionGradient<testing::Wide>::values})};
}

/// What the scores, the weights with their sum over values, and the storage may do to one number of a
/// single query's output.
template <class Real>
nb::dict bound_parts(const AttentionCase<Real>& input, const SoftmaxArithmetic& declared,
                     Eigen::Index c) {
  using Fast = Reference<Real>;
  const SoftmaxArithmetic arithmetic = sqrtdk::detail::magnified_by(
      input.queries, input.keys, input.values, Eigen::MatrixXd(), input.options, declared);
  const auto scores =
      attention_score_errors<Fast>(input.queries, input.keys, input.options, arithmetic);
  const std::vector<Eigen::Index> seen =
      sqrtdk::detail::Visibility<Compute<Real>>(input.options, 1, input.keys.rows()).of(0);
  nb::dict parts;
  if (seen.empty()) return parts;
  const Eigen::Matrix<Fast, Eigen::Dynamic, 1> of_seen = scores.scores(0, seen).transpose();
  const auto bound = [&](double error, const SoftmaxArithmetic& a) {
    AttentionWeightErrors weights;
    weights.weights.setZero(1, input.keys.rows());
    weights.relative.setZero(1, input.keys.rows());
    const AttentionWeightErrors row = weight_errors(of_seen, error, a);
    weights.weights(0, seen) = row.weights;
    weights.relative(0, seen) = row.relative;
    return attention_error_bound(weights, input.values, a).output(0, c);
  };
  SoftmaxArithmetic unstored = arithmetic;
  unstored.storage_roundoff = unstored.storage_smallest = 0;
  const double whole = bound(scores.error.maxCoeff(), arithmetic);
  const double without_storage = bound(scores.error.maxCoeff(), unstored);
  const double exact_scores = bound(0, unstored);
  parts["the scores"] = without_storage - exact_scores;
  parts["the weights and the sum over values"] = exact_scores;
  parts["the storage"] = whole - without_storage;
  return parts;
}

void copy_rows(const Eigen::MatrixXd& from, double* to) {
  for (Eigen::Index i = 0; i < from.rows(); ++i)
    for (Eigen::Index c = 0; c < from.cols(); ++c) *to++ = from(i, c);
}

}  // namespace

void add_attention(nb::module_& m) {
  nb::class_<AttentionShape>(m, "AttentionShape", "The sizes and options of one head.")
      .def(nb::init<std::size_t, std::size_t, std::size_t, std::size_t, std::optional<double>,
                    int>(),
           nb::arg("queries"), nb::arg("keys"), nb::arg("features"), nb::arg("values"),
           nb::arg("scale").none(), nb::arg("causal"))
      .def_ro("scale", &AttentionShape::scale)
      .def_ro("causal", &AttentionShape::causal);
  m.def(
      "compare_attention",
      [](const std::string& format, const AttentionShape& shape, const Bytes& out, const Bytes& q,
         const Bytes& k, const Bytes& v, const std::optional<Bytes>& mask,
         const std::optional<Bytes>& bias, const SoftmaxArithmetic& arithmetic,
         const std::string& empty_rows, double deviations) {
        nb::gil_scoped_release released;
        return with_wide_format(format, [&](auto zero) {
          using Real = decltype(zero);
          return compared<Real>(attention_case<Real>(shape, q, k, v, {}, mask, bias),
                                matrix_of<Real>(out, shape.queries, shape.values), arithmetic,
                                empty_rows, deviations);
        });
      },
      nb::arg("format"), nb::arg("shape"), nb::arg("out"), nb::arg("q"), nb::arg("k"), nb::arg("v"),
      nb::arg("mask").none(), nb::arg("bias").none(), nb::arg("arithmetic"), nb::arg("empty_rows"),
      nb::arg("deviations"), "Holds the output of one head to its bound, with odds if not 0.");
  m.def(
      "compare_attention_gradients",
      [](const std::string& format, const AttentionShape& shape, const Bytes& dq, const Bytes& dk,
         const Bytes& dv, const Bytes& q, const Bytes& k, const Bytes& v, const Bytes& g,
         const std::optional<Bytes>& mask, const std::optional<Bytes>& bias,
         const SoftmaxArithmetic& arithmetic, const std::string& empty_rows) {
        nb::gil_scoped_release released;
        return with_wide_format(format, [&](auto zero) {
          using Real = decltype(zero);
          const AttentionGradient<Real> computed{matrix_of<Real>(dq, shape.queries, shape.features),
                                                 matrix_of<Real>(dk, shape.keys, shape.features),
                                                 matrix_of<Real>(dv, shape.keys, shape.values)};
          return compared_gradients<Real>(attention_case<Real>(shape, q, k, v, g, mask, bias),
                                          computed, arithmetic, empty_rows);
        });
      },
      nb::arg("format"), nb::arg("shape"), nb::arg("dq"), nb::arg("dk"), nb::arg("dv"),
      nb::arg("q"), nb::arg("k"), nb::arg("v"), nb::arg("g"), nb::arg("mask").none(),
      nb::arg("bias").none(), nb::arg("arithmetic"), nb::arg("empty_rows"),
      "Holds the three derivatives of one head to their bounds.");
  m.def(
      "attention_numbers",
      [](const std::string& format, const AttentionShape& shape, const Bytes& q, const Bytes& k,
         const Bytes& v, const std::optional<Bytes>& mask, const std::optional<Bytes>& bias,
         const SoftmaxArithmetic& arithmetic, std::optional<double> deviations) {
        auto result = doubles(shape.queries, shape.values);
        double* out = result.data();
        nb::gil_scoped_release released;
        with_wide_format(format, [&](auto zero) {
          using Real = decltype(zero);
          using Fast = Reference<Real>;
          const AttentionCase<Real> input = attention_case<Real>(shape, q, k, v, {}, mask, bias);
          if (deviations) {
            copy_rows(bounds_of(input, arithmetic, *deviations), out);
          } else {
            const AttentionCase<Fast> fast = in_fast(input);
            copy_rows(
                scaled_dot_product_attention(fast.queries, fast.keys, fast.values, fast.options)
                    .output.template cast<double>(),
                out);
          }
        });
        return result;
      },
      nb::arg("format"), nb::arg("shape"), nb::arg("q"), nb::arg("k"), nb::arg("v"),
      nb::arg("mask").none(), nb::arg("bias").none(), nb::arg("arithmetic"),
      nb::arg("deviations").none(), "The bounds of the output of one head, or what it is.");
  m.def(
      "attention_bound_parts",
      [](const std::string& format, const AttentionShape& shape, const Bytes& q, const Bytes& k,
         const Bytes& v, const std::optional<Bytes>& mask, const std::optional<Bytes>& bias,
         const SoftmaxArithmetic& arithmetic, std::size_t row, std::size_t column) {
        return with_wide_format(format, [&](auto zero) {
          using Real = decltype(zero);
          const AttentionCase<Real> input = of_query(
              attention_case<Real>(shape, q, k, v, {}, mask, bias), static_cast<Eigen::Index>(row));
          return bound_parts(input, arithmetic, static_cast<Eigen::Index>(column));
        });
      },
      nb::arg("format"), nb::arg("shape"), nb::arg("q"), nb::arg("k"), nb::arg("v"),
      nb::arg("mask").none(), nb::arg("bias").none(), nb::arg("arithmetic"), nb::arg("row"),
      nb::arg("column"), "What each step may do to one number of the output.");
}

}  // namespace sqrtdk::python
