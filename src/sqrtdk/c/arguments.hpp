// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Arguments of sqrtdk.h: checked, and made into what the laws take.
#pragma once

#include <sqrtdk/attention_pass.hpp>
#include <sqrtdk/c/sqrtdk.h>
#include <sqrtdk/numbers/columns.hpp>
#include <sqrtdk/softmax_arithmetic.hpp>
#include <sqrtdk/testing/laws/arrays.hpp>
#include <sqrtdk/testing/laws/attention_case.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>

namespace sqrtdk::c {

using testing::Matrix;

/// What is not among the formats, or no law speaks of.
struct Unsupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The status of a call: what it throws becomes a status and the text of sqrtdk_last_error().
/// \param report gets no verdict unless the call gives it one; may be null.
sqrtdk_status guarded(sqrtdk_report* report, const std::function<void()>& call) noexcept;

/// A report that says nothing yet.
sqrtdk_report nothing_found();

/// Writes what was found: as much of it as the caller's struct has.
void write(const sqrtdk_report& found, std::string text, sqrtdk_report& report);

/// Refuses a value by its name and the rule that it breaks.
template <class Value>
void refuse_unless(bool keeps, const std::string& name, Value value, const std::string& rule) {
  if (!keeps)
    throw std::invalid_argument(name + " is " + std::to_string(value) + ", but must be " + rule);
}

/// What a pointer points at.
template <class T>
T& at(T* pointer, const std::string& name) {
  if (pointer == nullptr)
    throw std::invalid_argument(name + " is NULL, but must point at something");
  return *pointer;
}

/// The size of a struct, which is not smaller than its first version.
template <class Struct>
std::uint64_t size_of(const Struct* given, const std::string& name) {
  const std::uint64_t size = at(given, name).struct_size;
  refuse_unless(size >= sizeof(Struct) && size <= 4096, name + ".struct_size", size,
                "from " + std::to_string(sizeof(Struct)) + " to 4096");
  return size;
}

/// Refuses a struct that is too small, or that says what this version does not know.
template <class Struct>
const Struct& sized(const Struct* given, const std::string& name) {
  const std::uint64_t size = size_of(given, name);
  const auto* bytes = reinterpret_cast<const unsigned char*>(given);
  if (std::any_of(bytes + sizeof(Struct), bytes + size,
                  [](unsigned char byte) { return byte != 0; }))
    throw std::invalid_argument(
        name + " has members that this version does not know, but these must be 0");
  return *given;
}

/// Calls `call` with a zero of a format.
/// \throws Unsupported if there is no such format of numbers.
template <class Call>
decltype(auto) with_format(std::uint32_t dtype, const std::string& name, Call&& call) {
  switch (dtype) {
    case SQRTDK_FLOAT16:
      return call(Eigen::half{});
    case SQRTDK_BFLOAT16:
      return call(Eigen::bfloat16{});
    case SQRTDK_FLOAT32:
      return call(float{});
    case SQRTDK_FLOAT64:
      return call(double{});
    default:
      throw Unsupported(name + " is " + std::to_string(dtype) +
                        ", but must be SQRTDK_FLOAT16, _BFLOAT16, _FLOAT32 or _FLOAT64");
  }
}

/// Calls `call` with a zero of the format that numbers of another are widened to.
template <class Call>
decltype(auto) with_wide_format(std::uint32_t dtype, const std::string& name, Call&& call) {
  return with_format(dtype, name, [&](auto zero) { return call(Compute<decltype(zero)>{}); });
}

/// Refuses what is no array, and one that may be written to whose entries share memory.
/// \return how many entries it has.
std::int64_t require_array(const sqrtdk_array* array, const std::string& name,
                           bool written = false);

/// Calls `visit` with the place of each entry, the last axis fastest.
void for_each_entry(const sqrtdk_array& array, std::size_t width,
                    const std::function<void(unsigned char*)>& visit);

/// Refuses two shapes that differ.
void require_same_shape(const sqrtdk_array& a, const std::string& name, const sqrtdk_array& b,
                        const std::string& other);

/// Refuses an array that is no rows × columns matrix; −1 for any number.
void require_matrix(const sqrtdk_array& array, const std::string& name, std::int64_t rows,
                    std::int64_t columns);

/// Refuses an array of another format.
void require_dtype(const sqrtdk_array& array, const std::string& name, std::uint32_t dtype);

/// The entries of an array, in order, as a matrix whose rows lie along its last axis.
template <class Stored, class Wide = Stored>
Matrix<Wide> entries_of(const sqrtdk_array& array) {
  const std::int64_t columns = array.shape[array.ndim - 1];
  std::int64_t rows = 1;
  for (int axis = 0; axis + 1 < array.ndim; ++axis) rows *= array.shape[axis];
  Matrix<Wide> matrix(rows, columns);
  Eigen::Index place = 0;
  for_each_entry(array, sizeof(Stored), [&](const unsigned char* from) {
    Stored entry;
    std::memcpy(&entry, from, sizeof entry);
    matrix(place / columns, place % columns) =
        static_cast<Wide>(static_cast<Compute<Stored>>(entry));
    ++place;
  });
  return matrix;
}

/// The same for an array of any format that is no wider.
template <class Wide>
Matrix<Wide> widened(const sqrtdk_array& array, const std::string& name) {
  return with_format(array.dtype, name + ".dtype",
                     [&](auto zero) { return entries_of<decltype(zero), Wide>(array); });
}

/// Writes numbers to an array of float64.
void write_entries(const Eigen::MatrixXd& numbers, const sqrtdk_array& array);

/// The declared arithmetic.
SoftmaxArithmetic arithmetic_of(const sqrtdk_arithmetic* given);

/// The format in which results are.
std::uint32_t stored_format(const sqrtdk_arithmetic& given);

/// What a query gets that sees no key.
testing::EmptyRows empty_rows_of(std::int32_t given);

/// Refuses a scale or a temperature that the format which is computed in does not have.
template <class Wide>
void require_number(double number, const std::string& name) {
  if (!std::isfinite(number) || static_cast<double>(static_cast<Wide>(number)) != number)
    throw std::invalid_argument(
        name + " is " + std::to_string(number) +
        ", but must be finite and a number of the format that is computed in");
}

/// Refuses what is no call of attention.
const sqrtdk_attention& require_attention(const sqrtdk_attention* given);

/// One call of attention, in a wider format or its own.
template <class Wide>
testing::AttentionCase<Wide> case_of(const sqrtdk_attention& given) {
  testing::AttentionCase<Wide> input;
  input.queries = widened<Wide>(*given.queries, "queries");
  input.keys = widened<Wide>(*given.keys, "keys");
  input.values = widened<Wide>(*given.values, "values");
  if (given.scale != nullptr) {
    require_number<Wide>(*given.scale, "scale");
    input.options.scale = static_cast<Wide>(*given.scale);
  }
  if (given.mask != nullptr)
    input.options.allowed =
        (entries_of<std::uint8_t>(*given.mask).array() != std::uint8_t{0}).matrix();
  if (given.bias != nullptr) input.options.bias = widened<Wide>(*given.bias, "bias");
  if (given.causal == SQRTDK_TOP_LEFT) input.options.causal = CausalAlignment::top_left;
  if (given.causal == SQRTDK_BOTTOM_RIGHT) input.options.causal = CausalAlignment::bottom_right;
  const sqrtdk::detail::Visibility<Wide> sees(input.options, input.queries.rows(),
                                              input.keys.rows());
  for (Eigen::Index i = 0; i < input.queries.rows(); ++i)
    for (const Eigen::Index j : sees.of(i))
      if (!input.queries.row(i).allFinite() || !input.keys.row(j).allFinite() ||
          !input.values.row(j).allFinite() ||
          (input.options.bias && !std::isfinite((*input.options.bias)(i, j))))
        throw Unsupported("query " + std::to_string(i) + " sees key " + std::to_string(j) +
                          ", and a number there is not finite, but each must be");
  return input;
}

}  // namespace sqrtdk::c
