// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Arguments of sqrtdk.h: checked, and made into what the laws take.
///
/// A std::invalid_argument breaks a rule; a std::domain_error is a number, or a format, of which no law speaks.
#pragma once

#include <sqrtdk/c/sqrtdk.h>
#include <sqrtdk/numbers/columns.hpp>
#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/softmax_arithmetic.hpp>
#include <sqrtdk/testing/laws/attention_case.hpp>
#include <sqrtdk/testing/laws/compare_arrays.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace sqrtdk::c {

using Shape = std::vector<std::int64_t>;
using testing::Target;

/// Refuses a value by its name and the rule that it breaks.
template <class Value>
void refuse_unless(bool keeps, const std::string& name, const Value& value,
                   const std::string& rule) {
  if (!keeps) throw std::invalid_argument(name + " is " + to_text(value) + ", but must " + rule);
}

/// What a pointer points at.
template <class T>
T& at(T* pointer, const std::string& name) {
  refuse_unless(pointer != nullptr, name, "NULL", "point at something");
  return *pointer;
}

/// A struct that may grow, of which only what this version knows may be other than 0.
template <class Struct>
Struct known(const Struct* given, const std::string& name) {
  const std::uint64_t size = at(given, name).struct_size;
  refuse_unless(size >= sizeof(Struct) && size <= 4096, name + ".struct_size", size,
                "be from " + std::to_string(sizeof(Struct)) + " to 4096");
  const auto* bytes = reinterpret_cast<const unsigned char*>(given);
  for (std::size_t i = sizeof(Struct); i < size; ++i)
    refuse_unless(bytes[i] == 0, name + ", byte " + std::to_string(i), int{bytes[i]},
                  "be 0: this version does not know what it says");
  return *given;
}

/// A format as sqrtdk.h writes it.
inline std::string format_text(std::uint32_t dtype) {
  std::ostringstream text;
  text << "0x" << std::hex << dtype;
  return text.str();
}

/// How many bytes an entry has.
inline std::size_t width_of(std::uint32_t dtype) { return (dtype >> 8U & 0xFFU) / 8; }

/// Calls `call` with a zero of a format of numbers.
/// \throws std::domain_error if there is none.
template <class Call>
decltype(auto) with_format(std::uint32_t dtype, const std::string& name, Call&& call) {
  if (dtype == SQRTDK_FLOAT16) return call(Eigen::half{});
  if (dtype == SQRTDK_BFLOAT16) return call(Eigen::bfloat16{});
  if (dtype == SQRTDK_FLOAT32) return call(float{});
  if (dtype == SQRTDK_FLOAT64) return call(double{});
  throw std::domain_error(name + " is " + format_text(dtype) +
                          ", but must be SQRTDK_FLOAT16, _BFLOAT16, _FLOAT32 or _FLOAT64");
}

/// Refuses what is no array, and one whose entries share memory if it is to be written to.
/// \param dtype its format; 0 for that of any numbers.
inline void require_array(const sqrtdk_array* array, const std::string& name, std::uint32_t dtype,
                          bool written = false) {
  const sqrtdk_array& given = at(array, name);
  if (dtype == 0) with_format(given.dtype, name + ".dtype", [](auto) {});
  refuse_unless(dtype == 0 || given.dtype == dtype, name + ".dtype", format_text(given.dtype),
                "be " + format_text(dtype));
  refuse_unless(given.ndim >= 1 && given.ndim <= 8, name + ".ndim", given.ndim, "be from 1 to 8");
  at(given.shape, name + ".shape");
  // No entry is farther away than memory is large.
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 16;
  std::int64_t count = 1, reach = 0;
  for (int axis = 0; axis < given.ndim; ++axis) {
    const std::string place = "[" + std::to_string(axis) + "]";
    const std::int64_t length = given.shape[axis];
    refuse_unless(length >= 0 && (length == 0 || count <= most / length), name + ".shape" + place,
                  length, "be at least 0, and all together fit in memory");
    count *= length;
    if (given.strides == nullptr || length < 2) continue;
    const std::int64_t stride = given.strides[axis], steps = length - 1;
    refuse_unless(stride >= -most / steps && stride <= most / steps &&
                      std::abs(stride) * steps <= most - reach && (!written || stride != 0),
                  name + ".strides" + place, stride,
                  "stay in memory, and be other than 0 where entries are written");
    reach += std::abs(stride) * steps;
  }
  if (count == 0) return;
  at(static_cast<unsigned char*>(given.data), name + ".data");
  refuse_unless(given.byte_offset <= std::uint64_t{most}, name + ".byte_offset", given.byte_offset,
                "stay in memory");
  const std::size_t width = width_of(given.dtype);
  refuse_unless((reinterpret_cast<std::uintptr_t>(given.data) + given.byte_offset) % width == 0,
                name + ".data", given.data,
                "with its byte_offset be a multiple of " + std::to_string(width));
}

inline Shape shape_of(const sqrtdk_array& array) { return {array.shape, array.shape + array.ndim}; }

/// Refuses an array of another shape; −1 stands for any length.
inline void require_shape(const sqrtdk_array& array, const std::string& name, const Shape& shape) {
  std::string given, wanted;
  for (const std::int64_t length : shape_of(array)) given += "[" + std::to_string(length) + "]";
  for (const std::int64_t length : shape)
    wanted += length < 0 ? "[any]" : "[" + std::to_string(length) + "]";
  const auto fits = [](std::int64_t a, std::int64_t b) { return b < 0 || a == b; };
  refuse_unless(std::equal(array.shape, array.shape + array.ndim, shape.begin(), shape.end(), fits),
                name + ".shape", given, "be " + wanted);
}

/// Calls `visit` with the place of each entry, its row and its column; rows lie along the last axis.
template <class Visit>
void for_each_entry(const sqrtdk_array& array, Visit visit) {
  const auto axes = static_cast<std::size_t>(array.ndim);
  const Eigen::Index columns = array.shape[axes - 1];
  Shape strides(axes), place(axes);
  std::int64_t count = 1;
  for (std::size_t axis = axes; axis-- > 0; count *= array.shape[axis])
    strides[axis] = array.strides != nullptr ? array.strides[axis] : count;
  const auto width = static_cast<std::int64_t>(width_of(array.dtype));
  for (std::int64_t i = 0; i < count; ++i) {
    auto offset = static_cast<std::int64_t>(array.byte_offset);
    for (std::size_t axis = 0; axis < axes; ++axis) offset += place[axis] * strides[axis] * width;
    visit(static_cast<unsigned char*>(array.data) + offset, i / columns, i % columns);
    for (std::size_t axis = axes; axis-- > 0 && ++place[axis] == array.shape[axis];)
      place[axis] = 0;
  }
}

/// The entries of an array as a matrix, exactly.
template <class Wide = double>
testing::Matrix<Wide> numbers_of(const sqrtdk_array& array) {
  Eigen::Index rows = 1;
  for (int axis = 0; axis + 1 < array.ndim; ++axis) rows *= array.shape[axis];
  testing::Matrix<Wide> numbers(rows, array.shape[array.ndim - 1]);
  const auto read = [&](auto entry) {
    using Stored = decltype(entry);
    for_each_entry(array, [&](const unsigned char* from, Eigen::Index i, Eigen::Index j) {
      std::memcpy(&entry, from, sizeof entry);
      numbers(i, j) = static_cast<Wide>(static_cast<Compute<Stored>>(entry));
    });
  };
  if (array.dtype == SQRTDK_BOOL)
    read(std::uint8_t{});
  else
    with_format(array.dtype, "dtype", read);
  return numbers;
}

/// Operations as a set.
constexpr unsigned set_of(std::initializer_list<int> operations) {
  unsigned set = 0;
  for (const int operation : operations) set |= 1U << static_cast<unsigned>(operation);
  return set;
}
inline constexpr unsigned of_rows =
    set_of({SQRTDK_SOFTMAX, SQRTDK_LOG_SOFTMAX, SQRTDK_LOG_SUM_EXP});
inline constexpr unsigned of_attention = set_of({SQRTDK_ATTENTION, SQRTDK_ATTENTION_GRADIENT});
inline constexpr unsigned of_backward = set_of({SQRTDK_SOFTMAX_BACKWARD});
inline constexpr unsigned of_gradient = set_of({SQRTDK_ATTENTION_GRADIENT});

/// The arrays of a call: which operations take them, and whether they need them.
inline constexpr struct {
  const char* name;
  const sqrtdk_array* sqrtdk_call::*array;
  unsigned takes;
  bool needs = true;
} members[] = {{"logits", &sqrtdk_call::logits, of_rows},
               {"weights", &sqrtdk_call::weights, of_backward},
               {"queries", &sqrtdk_call::queries, of_attention},
               {"keys", &sqrtdk_call::keys, of_attention},
               {"values", &sqrtdk_call::values, of_attention},
               {"output_gradient", &sqrtdk_call::output_gradient, of_backward | of_gradient},
               {"mask", &sqrtdk_call::mask, of_attention, false},
               {"bias", &sqrtdk_call::bias, of_attention, false}};

/// The format of a call's arguments: that of the first.
inline std::uint32_t format_of(const sqrtdk_call& call) {
  for (const auto& member : members)
    if (call.*member.array != nullptr) return (call.*member.array)->dtype;
  return 0;
}

/// Refuses what is no operation.
inline void require_operation(int operation) {
  refuse_unless(operation >= SQRTDK_SOFTMAX && operation <= SQRTDK_ATTENTION_GRADIENT, "operation",
                operation, "be SQRTDK_SOFTMAX or another");
}

/// What a query gets that sees no key.
inline testing::EmptyRows empty_rows_of(std::int32_t given, int operation) {
  using testing::EmptyRows;
  constexpr EmptyRows rows[] = {EmptyRows::zero, EmptyRows::any, EmptyRows::nan, EmptyRows::mean};
  const int known_ones = operation == SQRTDK_ATTENTION_GRADIENT ? 2 : 4;
  refuse_unless(given >= 0 && given < known_ones, "empty_rows", given,
                "be SQRTDK_EMPTY_ZERO or _ANY, or for the output of attention _NAN or _MEAN");
  return rows[given];
}

/// Refuses what is no call of a kernel, as far as the laws do not.
inline sqrtdk_call require_call(const sqrtdk_call* given) {
  const sqrtdk_call call = known(given, "call");
  require_operation(call.operation);
  const unsigned op = set_of({call.operation});
  const auto taken = [&](const char* name, unsigned by, bool is_there) {
    refuse_unless((op & by) != 0 || !is_there, name, "there",
                  "be NULL, or 0, for operation " + std::to_string(call.operation));
    return is_there;
  };
  std::uint32_t dtype = 0;
  for (const auto& [name, array, takes, needs] : members) {
    if (!taken(name, takes, call.*array != nullptr) && ((op & takes) == 0 || !needs)) continue;
    std::uint32_t wanted = dtype;
    if (array == &sqrtdk_call::mask) wanted = SQRTDK_BOOL;
    if (array == &sqrtdk_call::bias && dtype != SQRTDK_FLOAT64) wanted = SQRTDK_FLOAT32;
    require_array(call.*array, name, wanted);
    if ((op & of_attention) != 0) require_shape(*(call.*array), name, {-1, -1});
    if (dtype == 0) dtype = (call.*array)->dtype;
  }
  if (op == of_backward)
    require_shape(*call.output_gradient, "output_gradient", shape_of(*call.weights));
  for (const auto& [name, by, x] : {std::tuple{"temperature", of_rows, call.temperature},
                                    std::tuple{"scale", of_attention, call.scale}})
    if (taken(name, by, x != nullptr))
      refuse_unless(
          std::isfinite(*x) && (by == of_attention || *x > 0) &&
              (dtype == SQRTDK_FLOAT64 || double{float(*x)} == *x),
          name, *x,
          "be finite, a temperature greater than 0, and a number of float32, or of float64 "
          "as the arguments are");
  taken("causal", of_attention, call.causal != SQRTDK_NOT_CAUSAL);
  refuse_unless(call.causal >= SQRTDK_NOT_CAUSAL && call.causal <= SQRTDK_BOTTOM_RIGHT, "causal",
                call.causal, "be SQRTDK_NOT_CAUSAL, _TOP_LEFT or _BOTTOM_RIGHT");
  taken("empty_rows", of_attention, call.empty_rows != SQRTDK_EMPTY_ZERO);
  refuse_unless(call.reserved == 0, "call.reserved", call.reserved, "be 0");
  return call;
}

/// The shapes of a call's results.
inline std::vector<Shape> result_shapes(const sqrtdk_call& call) {
  if (call.operation == SQRTDK_ATTENTION) return {{call.queries->shape[0], call.values->shape[1]}};
  if (call.operation == SQRTDK_ATTENTION_GRADIENT)
    return {shape_of(*call.queries), shape_of(*call.keys), shape_of(*call.values)};
  if (call.operation == SQRTDK_SOFTMAX_BACKWARD) return {shape_of(*call.weights)};
  Shape shape = shape_of(*call.logits);
  if (call.operation == SQRTDK_LOG_SUM_EXP) shape.back() = 1;
  return {shape};
}

/// A call of attention, in a format that holds its numbers.
template <class Wide>
testing::AttentionCase<Wide> case_of(const sqrtdk_call& call) {
  testing::AttentionCase<Wide> input{numbers_of<Wide>(*call.queries),
                                     numbers_of<Wide>(*call.keys),
                                     numbers_of<Wide>(*call.values),
                                     {},
                                     {}};
  auto& options = input.options;
  if (call.output_gradient != nullptr)
    input.output_gradient = numbers_of<Wide>(*call.output_gradient);
  if (call.scale != nullptr) options.scale = static_cast<Wide>(*call.scale);
  if (call.mask != nullptr) options.allowed = (numbers_of<>(*call.mask).array() != 0).matrix();
  if (call.bias != nullptr) options.bias = numbers_of<Wide>(*call.bias);
  if (call.causal == SQRTDK_TOP_LEFT) options.causal = CausalAlignment::top_left;
  if (call.causal == SQRTDK_BOTTOM_RIGHT) options.causal = CausalAlignment::bottom_right;
  return input;
}

/// What a call's results have to be, and how nearly.
inline std::vector<Target> targets_of(const sqrtdk_call& call, const SoftmaxArithmetic& by) {
  return with_format(format_of(call), "dtype", [&](auto zero) -> std::vector<Target> {
    using Wide = Compute<decltype(zero)>;
    const auto empty = empty_rows_of(call.empty_rows, call.operation);
    if (call.operation == SQRTDK_ATTENTION)
      return {attention_target(case_of<Wide>(call), by, empty)};
    if (call.operation == SQRTDK_ATTENTION_GRADIENT)
      return gradient_targets(case_of<Wide>(call), by, empty);
    if (call.operation == SQRTDK_SOFTMAX_BACKWARD)
      return {testing::backward_target<Wide>(numbers_of<Wide>(*call.weights),
                                             numbers_of<Wide>(*call.output_gradient), by)};
    const double temperature = call.temperature != nullptr ? *call.temperature : 1;
    using testing::OfLogits;
    constexpr OfLogits what[] = {OfLogits::weights, OfLogits::logarithms, OfLogits::log_sum_exp};
    return {testing::softmax_target<Wide>(numbers_of<Wide>(*call.logits), temperature,
                                          by.magnified(1 / std::min(1.0, temperature)),
                                          what[call.operation])};
  });
}

/// The words of profiles, and what they declare. A profile with a name of its own is one more line.
inline constexpr std::pair<const char*, SoftmaxArithmetic (*)(const SoftmaxArithmetic&)> words[] = {
    {"any_order", [](const SoftmaxArithmetic& a) { return a.any_order(); }},
    {"by_reciprocal", [](const SoftmaxArithmetic& a) { return a.by_reciprocal(); }},
    {"exp2_folded", [](const SoftmaxArithmetic& a) { return a.exp2_folded(); }},
    {"scale_folded", [](const SoftmaxArithmetic& a) { return a.scale_folded(); }},
    {"flushing", [](const SoftmaxArithmetic& a) { return a.flushing(); }}};

/// What a profile makes of an arithmetic.
inline SoftmaxArithmetic by_profile(SoftmaxArithmetic arithmetic, const char* profile) {
  std::istringstream given(profile != nullptr ? profile : "");
  for (std::string name; given >> name;) {
    std::string all;
    const auto* word = std::begin(words);
    for (; word != std::end(words) && word->first != name; ++word)
      all += " " + std::string(word->first);
    refuse_unless(word != std::end(words), "a word of arithmetic.profile", name, "be of" + all);
    arithmetic = word->second(arithmetic);
  }
  return arithmetic;
}

/// What is declared.
/// \param given its formats are filled in.
inline SoftmaxArithmetic arithmetic_of(sqrtdk_arithmetic& given) {
  const auto in = [](std::uint32_t dtype, const char* name, auto call) {
    return with_format(dtype, std::string("arithmetic.") + name, call);
  };
  in(given.dtype, "dtype", [](auto) {});
  const std::size_t width = width_of(given.dtype);
  if (given.stored_in == 0) given.stored_in = given.dtype;
  if (given.computed_in == 0 && width < 4) given.computed_in = SQRTDK_FLOAT32;
  if (given.computed_in == 0) given.computed_in = given.dtype;
  SoftmaxArithmetic arithmetic =
      in(given.computed_in, "computed_in", [](auto zero) { return computed_in<decltype(zero)>(); });
  const std::size_t computed = width_of(given.computed_in);
  refuse_unless(given.computed_in == given.dtype || computed > width, "arithmetic.computed_in",
                format_text(given.computed_in), "hold all numbers of arithmetic.dtype");
  arithmetic = by_profile(arithmetic, given.profile);
  for (const double x : {given.exp_ulps, given.log_ulps})
    refuse_unless(x >= 0 && std::isfinite(x), "arithmetic.exp_ulps or log_ulps", x,
                  "be finite and at least 0");
  if (given.block > 0) arithmetic = arithmetic.blocks(given.block);
  if (given.one_pass > 0) arithmetic = arithmetic.one_pass(given.one_pass);
  if (given.exp_ulps > 0) arithmetic.exp_error = 2 * given.exp_ulps;
  if (given.log_ulps > 0) arithmetic.log_error = 2 * given.log_ulps;
  const auto rounds = [&](std::uint32_t dtype) {
    return dtype != 0 && dtype != given.computed_in && width_of(dtype) <= computed;
  };
  if (rounds(given.stored_in))
    arithmetic = in(given.stored_in, "stored_in",
                    [&](auto zero) { return arithmetic.stored_in<decltype(zero)>(); });
  if (rounds(given.stored_weights))
    arithmetic = in(given.stored_weights, "stored_weights",
                    [&](auto zero) { return arithmetic.stored_weights<decltype(zero)>(); });
  return arithmetic;
}

}  // namespace sqrtdk::c
