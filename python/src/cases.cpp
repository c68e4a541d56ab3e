// The cases that no campaign leaves to chance, as arrays of Python.
#include <sqrtdk/testing/laws/fixed_cases.hpp>

#include "formats.hpp"
#include "module.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace sqrtdk::python {

namespace {

using testing::AttentionCase;
using Cases = std::vector<AttentionCase<double>>;

nb::ndarray<nb::numpy, double> rows_of(const testing::Matrix<double>& matrix) {
  auto array =
      doubles(static_cast<std::size_t>(matrix.rows()), static_cast<std::size_t>(matrix.cols()));
  Eigen::Map<sqrtdk::detail::Rows<double>>(array.data(), matrix.rows(), matrix.cols()) = matrix;
  return array;
}

/// Queries, keys, values, cotangent; mask and bias, or None; 0, 1 or 2 for a causal mask; scale and sink, or None.
nb::tuple given(const AttentionCase<double>& input) {
  const auto& [scale, bias, allowed, causal, return_weights] = input.options;
  const auto optional = [](const auto& value) { return value ? nb::cast(*value) : nb::none(); };
  return nb::make_tuple(rows_of(input.queries), rows_of(input.keys), rows_of(input.values),
                        rows_of(input.output_gradient),
                        allowed ? nb::cast(rows_of(allowed->cast<double>())) : nb::none(),
                        bias ? nb::cast(rows_of(*bias)) : nb::none(),
                        causal ? 1 + static_cast<int>(*causal == CausalAlignment::bottom_right) : 0,
                        optional(scale), optional(input.sink));
}

}  // namespace

void add_cases(nb::module_& m) {
  m.def(
      "fixed_rows",
      [](const std::string& format, int longest) {
        std::vector<std::vector<double>> rows;
        const testing::CaseNumbers numbers =
            with_format(format, [](auto zero) { return testing::case_numbers<decltype(zero)>(); });
        for (auto& row : testing::fixed_rows(numbers, longest))
          rows.push_back(std::move(row.scores));
        return rows;
      },
      nb::arg("format"), nb::arg("longest"), "Scores of the rows, as lists.");
  m.def(
      "fixed_attention_cases",
      [](const std::string& format, int queries, int keys, int features, int values,
         std::uint64_t seed) {
        const testing::CaseNumbers numbers =
            with_format(format, [](auto zero) { return testing::case_numbers<decltype(zero)>(); });
        nb::list all;
        for (const auto& input :
             testing::fixed_attention_cases(numbers, {queries, keys, features, values}, seed))
          all.append(given(input));
        return all;
      },
      nb::arg("format"), nb::arg("queries"), nb::arg("keys"), nb::arg("features"),
      nb::arg("values"), nb::arg("seed"),
      "q, k, v, g, mask, bias, causal, scale, sink of each case; seed is of the large sizes.");
}

}  // namespace sqrtdk::python
