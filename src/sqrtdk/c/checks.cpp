// SPDX-License-Identifier: BSL-1.0
// Exact results, bounds, and buffers that are held to them.
#include <sqrtdk/c/arguments.hpp>
#include <sqrtdk/numbers/float_text.hpp>
#include <sqrtdk/testing/laws/compare_arrays.hpp>
#include <sqrtdk/testing/laws/exact_attention.hpp>
#include <sqrtdk/testing/laws/exact_softmax.hpp>
#include <sqrtdk/testing/laws/wide.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

namespace sqrtdk::c {

namespace {

using testing::AttentionCase;

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

/// An array that float64 numbers are written to.
const sqrtdk_array& output_of(const sqrtdk_array* array, const std::string& name) {
  require_array(array, name, /*written=*/true);
  require_dtype(*array, name, SQRTDK_FLOAT64);
  return *array;
}

/// Calls `call` with the logits, widened.
template <class Call>
void with_logits(const sqrtdk_array* logits, double temperature, Call call) {
  require_array(logits, "logits");
  refuse_unless(temperature > 0, "temperature", temperature, "greater than 0");
  with_wide_format(logits->dtype, "logits.dtype", [&](auto zero) {
    require_number<decltype(zero)>(temperature, "temperature");
    call(widened<decltype(zero)>(*logits, "logits"));
  });
}

/// The arithmetic for logits at a temperature, which magnifies what flushing loses.
SoftmaxArithmetic arithmetic_at(const sqrtdk_arithmetic* given, const sqrtdk_array* logits,
                                double temperature) {
  const SoftmaxArithmetic declared = arithmetic_of(given);
  require_dtype(*logits, "logits", given->dtype);
  return declared.magnified(1 / std::min(1.0, temperature));
}

/// Calls `call` with a call of attention, widened; `result` is what it computes.
template <class Call>
void with_attention(const sqrtdk_attention* given, const sqrtdk_array* result,
                    const std::string& name, Call call) {
  const sqrtdk_attention& input = require_attention(given);
  require_array(result, name);
  require_matrix(*result, name, input.queries->shape[0], input.values->shape[1]);
  with_wide_format(input.queries->dtype, "queries.dtype",
                   [&](auto zero) { call(case_of<decltype(zero)>(input)); });
}

/// The arithmetic for a call of attention.
SoftmaxArithmetic arithmetic_for(const sqrtdk_arithmetic* given, const sqrtdk_attention& input) {
  const SoftmaxArithmetic declared = arithmetic_of(given);
  require_dtype(*input.queries, "queries", given->dtype);
  return declared;
}

}  // namespace

}  // namespace sqrtdk::c

using namespace sqrtdk::c;
using sqrtdk::SoftmaxArithmetic;
namespace kit = sqrtdk::testing;

sqrtdk_status sqrtdk_softmax_exact(const sqrtdk_array* logits, double temperature,
                                   const sqrtdk_array* exact) {
  return guarded(nullptr, [&] {
    with_logits(logits, temperature, [&]<class Wide>(const Matrix<Wide>& x) {
      require_same_shape(output_of(exact, "exact"), "exact", *logits, "the logits");
      Eigen::MatrixXd weights(x.rows(), x.cols());
      for (Eigen::Index i = 0; i < x.rows(); ++i) {
        const auto row = x.row(i);
        const kit::ExactSoftmax<Wide> of_row({row.begin(), row.end()},
                                             static_cast<Wide>(temperature));
        for (Eigen::Index j = 0; j < x.cols(); ++j)
          weights(i, j) = kit::to_double(of_row[static_cast<std::size_t>(j)]);
      }
      write_entries(weights, *exact);
    });
  });
}

sqrtdk_status sqrtdk_softmax_bound(const sqrtdk_array* logits, double temperature,
                                   const sqrtdk_arithmetic* arithmetic, const sqrtdk_array* bound) {
  return guarded(nullptr, [&] {
    with_logits(logits, temperature, [&](const auto& x) {
      require_same_shape(output_of(bound, "bound"), "bound", *logits, "the logits");
      const SoftmaxArithmetic declared = arithmetic_at(arithmetic, logits, temperature);
      write_entries(
          kit::softmax_numbers(x, temperature, declared, /*logarithm=*/false, /*bounds=*/true),
          *bound);
    });
  });
}

sqrtdk_status sqrtdk_check_softmax(const sqrtdk_array* weights, const sqrtdk_array* logits,
                                   double temperature, const sqrtdk_arithmetic* arithmetic,
                                   sqrtdk_report* report) {
  return guarded(report, [&] {
    at(report, "report");
    with_logits(logits, temperature, [&]<class Wide>(const Matrix<Wide>& x) {
      require_array(weights, "weights");
      require_same_shape(*weights, "weights", *logits, "the logits");
      const SoftmaxArithmetic declared = arithmetic_at(arithmetic, logits, temperature);
      require_dtype(*weights, "weights", stored_format(*arithmetic));
      const Matrix<Wide> computed = widened<Wide>(*weights, "weights");
      write_finding(kit::compare_softmax(computed, x, temperature, declared), "weights", *report);
    });
  });
}

sqrtdk_status sqrtdk_attention_exact(const sqrtdk_attention* input, const sqrtdk_array* exact) {
  return guarded(nullptr, [&] {
    with_attention(input, exact, "exact", [&](const auto& call) {
      output_of(exact, "exact");
      write_entries(kit::ExactAttention(call).output().unaryExpr(&kit::to_double), *exact);
    });
  });
}

sqrtdk_status sqrtdk_attention_bound(const sqrtdk_attention* input,
                                     const sqrtdk_arithmetic* arithmetic,
                                     const sqrtdk_array* bound) {
  return guarded(nullptr, [&] {
    with_attention(input, bound, "bound", [&](const auto& call) {
      output_of(bound, "bound");
      const SoftmaxArithmetic declared = arithmetic_for(arithmetic, *input);
      write_entries(kit::attention_numbers(call, declared, /*bounds=*/true), *bound);
    });
  });
}

sqrtdk_status sqrtdk_check_attention(const sqrtdk_array* output, const sqrtdk_attention* input,
                                     const sqrtdk_arithmetic* arithmetic, sqrtdk_report* report) {
  return guarded(report, [&] {
    at(report, "report");
    with_attention(input, output, "output", [&]<class Wide>(const AttentionCase<Wide>& call) {
      const SoftmaxArithmetic declared = arithmetic_for(arithmetic, *input);
      require_dtype(*output, "output", stored_format(*arithmetic));
      const Matrix<Wide> computed = widened<Wide>(*output, "output");
      write_finding(
          kit::compare_attention(call, computed, declared, empty_rows_of(input->empty_rows)),
          "output", *report);
    });
  });
}
