// SPDX-License-Identifier: BSL-1.0
// Exact results, bounds, and buffers that are held to them.
#include <sqrtdk/c/arguments.hpp>
#include <sqrtdk/numbers/float_text.hpp>
#include <sqrtdk/testing/laws/compare_arrays.hpp>
#include <sqrtdk/testing/laws/exact_attention.hpp>
#include <sqrtdk/testing/laws/exact_softmax.hpp>
#include <sqrtdk/testing/laws/wide.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace sqrtdk::c {

namespace {

/// What was found of some numbers, in words.
std::string text_of(const testing::Finding& found, const std::string& name) {
  if (found.entries == 0) return "there is nothing to compare";
  const std::string kept =
      std::to_string(found.entries - found.beyond) + " of " + std::to_string(found.entries) +
      " numbers are within their bounds" +
      (found.unbounded > 0 ? "; nothing is promised for " + std::to_string(found.unbounded) : "");
  return kept +
         (found.holds() ? "; the nearest to its own, at row " : "; the farthest beyond, at row ") +
         std::to_string(found.row) + ", column " + std::to_string(found.column) + " of the " +
         name + ", is " + format_hex_and_decimal(found.computed) + " instead of " +
         format_hex_and_decimal(found.exact) + ": error " + format_digits(found.error) +
         " of a bound of " + format_digits(found.bound);
}

void write_finding(const testing::Finding& found, const std::string& name, sqrtdk_report& report) {
  sqrtdk_report said = nothing_found();
  said.verdict = SQRTDK_HOLDS;
  if (found.unbounded > 0 || found.entries == 0) said.verdict = SQRTDK_VACUOUS;
  if (!found.holds()) said.verdict = SQRTDK_BROKEN;
  said.row = found.row;
  said.column = found.column;
  said.computed = found.computed;
  said.exact = found.exact;
  said.error = found.error;
  said.bound = found.bound;
  said.tried = found.entries;
  said.beyond = found.beyond;
  said.unbounded = found.unbounded;
  write(said, text_of(found, name), report);
}

/// Refuses logits or a temperature of which no softmax speaks.
void require_logits(const sqrtdk_array* logits, double temperature) {
  require_array(logits, "logits");
  if (!(temperature > 0))
    throw std::invalid_argument("temperature is " + std::to_string(temperature) +
                                ", but must be greater than 0");
  with_wide_format(logits->dtype, "logits.dtype",
                   [&](auto zero) { require_number<decltype(zero)>(temperature, "temperature"); });
}

/// An array that float64 numbers are written to.
void require_output(const sqrtdk_array* array, const std::string& name) {
  require_array(array, name, /*written=*/true);
  require_dtype(*array, name, SQRTDK_FLOAT64);
}

/// The arithmetic for a temperature, which magnifies what flushing loses.
SoftmaxArithmetic arithmetic_at(const sqrtdk_arithmetic* given, double temperature) {
  return arithmetic_of(given).magnified(1 / std::min(1.0, temperature));
}

}  // namespace

}  // namespace sqrtdk::c

using namespace sqrtdk::c;
using sqrtdk::SoftmaxArithmetic;

sqrtdk_status sqrtdk_softmax_exact(const sqrtdk_array* logits, double temperature,
                                   const sqrtdk_array* exact) {
  return guarded(nullptr, [&] {
    require_logits(logits, temperature);
    require_output(exact, "exact");
    require_same_shape(*exact, "exact", *logits, "the logits");
    with_wide_format(logits->dtype, "logits.dtype", [&](auto zero) {
      using Wide = decltype(zero);
      const Matrix<Wide> x = widened<Wide>(*logits, "logits");
      Eigen::MatrixXd weights(x.rows(), x.cols());
      for (Eigen::Index i = 0; i < x.rows(); ++i) {
        std::vector<Wide> row;
        for (Eigen::Index j = 0; j < x.cols(); ++j) row.push_back(x(i, j));
        const sqrtdk::testing::ExactSoftmax<Wide> of_row(row, static_cast<Wide>(temperature));
        for (std::size_t j = 0; j < row.size(); ++j)
          weights(i, static_cast<Eigen::Index>(j)) = sqrtdk::testing::to_double(of_row[j]);
      }
      write_entries(weights, *exact);
    });
  });
}

sqrtdk_status sqrtdk_softmax_bound(const sqrtdk_array* logits, double temperature,
                                   const sqrtdk_arithmetic* arithmetic, const sqrtdk_array* bound) {
  return guarded(nullptr, [&] {
    require_logits(logits, temperature);
    require_output(bound, "bound");
    require_same_shape(*bound, "bound", *logits, "the logits");
    const SoftmaxArithmetic declared = arithmetic_at(arithmetic, temperature);
    require_dtype(*logits, "logits", arithmetic->dtype);
    with_wide_format(logits->dtype, "logits.dtype", [&](auto zero) {
      write_entries(sqrtdk::testing::softmax_numbers(widened<decltype(zero)>(*logits, "logits"),
                                                     temperature, declared, /*logarithm=*/false,
                                                     /*bounds=*/true),
                    *bound);
    });
  });
}

sqrtdk_status sqrtdk_check_softmax(const sqrtdk_array* weights, const sqrtdk_array* logits,
                                   double temperature, const sqrtdk_arithmetic* arithmetic,
                                   sqrtdk_report* report) {
  return guarded(report, [&] {
    at(report, "report");
    require_logits(logits, temperature);
    require_array(weights, "weights");
    require_same_shape(*weights, "weights", *logits, "the logits");
    const SoftmaxArithmetic declared = arithmetic_at(arithmetic, temperature);
    require_dtype(*logits, "logits", arithmetic->dtype);
    require_dtype(*weights, "weights", stored_format(*arithmetic));
    with_wide_format(logits->dtype, "logits.dtype", [&](auto zero) {
      using Wide = decltype(zero);
      write_finding(
          sqrtdk::testing::compare_softmax(widened<Wide>(*weights, "weights"),
                                           widened<Wide>(*logits, "logits"), temperature, declared),
          "weights", *report);
    });
  });
}

sqrtdk_status sqrtdk_attention_exact(const sqrtdk_attention* input, const sqrtdk_array* exact) {
  return guarded(nullptr, [&] {
    const sqrtdk_attention& given = require_attention(input);
    require_output(exact, "exact");
    require_matrix(*exact, "exact", given.queries->shape[0], given.values->shape[1]);
    with_wide_format(given.queries->dtype, "queries.dtype", [&](auto zero) {
      const sqrtdk::testing::ExactAttention of_input(case_of<decltype(zero)>(given));
      write_entries(of_input.output().unaryExpr(&sqrtdk::testing::to_double), *exact);
    });
  });
}

sqrtdk_status sqrtdk_attention_bound(const sqrtdk_attention* input,
                                     const sqrtdk_arithmetic* arithmetic,
                                     const sqrtdk_array* bound) {
  return guarded(nullptr, [&] {
    const sqrtdk_attention& given = require_attention(input);
    require_output(bound, "bound");
    require_matrix(*bound, "bound", given.queries->shape[0], given.values->shape[1]);
    const SoftmaxArithmetic declared = arithmetic_of(arithmetic);
    require_dtype(*given.queries, "queries", arithmetic->dtype);
    with_wide_format(given.queries->dtype, "queries.dtype", [&](auto zero) {
      write_entries(sqrtdk::testing::attention_numbers(case_of<decltype(zero)>(given), declared,
                                                       /*bounds=*/true),
                    *bound);
    });
  });
}

sqrtdk_status sqrtdk_check_attention(const sqrtdk_array* output, const sqrtdk_attention* input,
                                     const sqrtdk_arithmetic* arithmetic, sqrtdk_report* report) {
  return guarded(report, [&] {
    at(report, "report");
    const sqrtdk_attention& given = require_attention(input);
    require_array(output, "output");
    require_matrix(*output, "output", given.queries->shape[0], given.values->shape[1]);
    const SoftmaxArithmetic declared = arithmetic_of(arithmetic);
    require_dtype(*given.queries, "queries", arithmetic->dtype);
    require_dtype(*output, "output", stored_format(*arithmetic));
    with_wide_format(given.queries->dtype, "queries.dtype", [&](auto zero) {
      using Wide = decltype(zero);
      write_finding(
          sqrtdk::testing::compare_attention(case_of<Wide>(given), widened<Wide>(*output, "output"),
                                             declared, empty_rows_of(given.empty_rows)),
          "output", *report);
    });
  });
}
