// One head of attention, or its gradient, beside the exact one.
#include <sqrtdk/attention.hpp>
#include <sqrtdk/attention_error.hpp>
#include <sqrtdk/softmax_error/arithmetic.hpp>
#include <sqrtdk/testing/laws/attention_case.hpp>
#include <sqrtdk/testing/laws/compare_arrays.hpp>

#include "attention_input.hpp"
#include "formats.hpp"
#include "module.hpp"

#include <optional>
#include <string>
#include <vector>

namespace sqrtdk::python {

namespace {

using testing::AttentionCase;
using testing::EmptyRows;
using testing::Reference;

/// The result for a query that sees no key, by its name.
EmptyRows empty_rows_of(const std::string& name) {
  if (name == "zero") return EmptyRows::zero;
  if (name == "nan") return EmptyRows::nan;
  return name == "mean" ? EmptyRows::mean : EmptyRows::any;
}

/// The errors that scores, weights with their sum over values, and storage may cause in one number.
template <class Real>
nb::dict bound_parts(const AttentionCase<Real>& input, const SoftmaxArithmetic& declared,
                     Eigen::Index c) {
  using Fast = Reference<Real>;
  const std::vector<Eigen::Index> seen =
      sqrtdk::detail::Visibility<Compute<Real>>(input.options, 1, input.keys.rows()).of(0);
  nb::dict parts;
  if (seen.empty()) return parts;
  const SoftmaxArithmetic arithmetic = sqrtdk::detail::magnified_by(
      input.queries, input.keys, input.values, Eigen::MatrixXd(), input.options, declared);
  const auto scores =
      attention_score_errors<Fast>(input.queries, input.keys, input.options, arithmetic);
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
      "attention_target",
      [](const std::string& format, const AttentionShape& shape, const Bytes& q, const Bytes& k,
         const Bytes& v, const std::optional<Bytes>& mask, const std::optional<Bytes>& bias,
         const SoftmaxArithmetic& arithmetic, const std::string& empty_rows) {
        nb::gil_scoped_release released;
        return with_wide_format(format, [&](auto zero) {
          return attention_target(attention_case<decltype(zero)>(shape, q, k, v, {}, mask, bias),
                                  arithmetic, empty_rows_of(empty_rows));
        });
      },
      nb::arg("format"), nb::arg("shape"), nb::arg("q"), nb::arg("k"), nb::arg("v"),
      nb::arg("mask").none(), nb::arg("bias").none(), nb::arg("arithmetic"), nb::arg("empty_rows"),
      "What the output of one head has to be.");
  m.def(
      "attention_log_sum_exp_target",
      [](const std::string& format, const AttentionShape& shape, const Bytes& q, const Bytes& k,
         const Bytes& v, const std::optional<Bytes>& mask, const std::optional<Bytes>& bias,
         const SoftmaxArithmetic& arithmetic) {
        nb::gil_scoped_release released;
        return with_wide_format(format, [&](auto zero) {
          return attention_log_sum_exp_target(
              attention_case<decltype(zero)>(shape, q, k, v, {}, mask, bias), arithmetic);
        });
      },
      nb::arg("format"), nb::arg("shape"), nb::arg("q"), nb::arg("k"), nb::arg("v"),
      nb::arg("mask").none(), nb::arg("bias").none(), nb::arg("arithmetic"),
      "What log-sum-exp of the scores of each query of one head has to be.");
  m.def(
      "gradient_targets",
      [](const std::string& format, const AttentionShape& shape, const Bytes& q, const Bytes& k,
         const Bytes& v, const Bytes& g, const std::optional<Bytes>& mask,
         const std::optional<Bytes>& bias, const SoftmaxArithmetic& arithmetic,
         const std::string& empty_rows, unsigned heads, bool sink) {
        nb::gil_scoped_release released;
        return with_wide_format(format, [&](auto zero) {
          auto targets =
              gradient_targets(attention_case<decltype(zero)>(shape, q, k, v, g, mask, bias),
                               arithmetic, empty_rows_of(empty_rows), heads);
          for (auto* of_keys : {&targets[1], &targets[2]}) of_keys->rows -= sink ? 1 : 0;
          return targets;
        });
      },
      nb::arg("format"), nb::arg("shape"), nb::arg("q"), nb::arg("k"), nb::arg("v"), nb::arg("g"),
      nb::arg("mask").none(), nb::arg("bias").none(), nb::arg("arithmetic"), nb::arg("empty_rows"),
      nb::arg("heads") = 1, nb::arg("sink") = false,
      "What the three derivatives of one head, or of several that share keys, have to be; the last "
      "key "
      "may be a sink, of which there are none.");
  m.def(
      "attention_bound_parts",
      [](const std::string& format, const AttentionShape& shape, const Bytes& q, const Bytes& k,
         const Bytes& v, const std::optional<Bytes>& mask, const std::optional<Bytes>& bias,
         const SoftmaxArithmetic& arithmetic, std::size_t row, std::size_t column) {
        return with_wide_format(format, [&](auto zero) {
          using Real = decltype(zero);
          const AttentionCase<Real> input = testing::of_query(
              attention_case<Real>(shape, q, k, v, {}, mask, bias), static_cast<Eigen::Index>(row));
          return bound_parts(input, arithmetic, static_cast<Eigen::Index>(column));
        });
      },
      nb::arg("format"), nb::arg("shape"), nb::arg("q"), nb::arg("k"), nb::arg("v"),
      nb::arg("mask").none(), nb::arg("bias").none(), nb::arg("arithmetic"), nb::arg("row"),
      nb::arg("column"), "What each step may do to one number of the output.");
}

}  // namespace sqrtdk::python
