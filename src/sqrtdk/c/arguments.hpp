// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Arguments of sqrtdk.h: checked, and made into what the laws take.
///
/// A std::invalid_argument breaks a rule; a std::domain_error is a number, or a format, of which no law speaks.
#pragma once

#include <sqrtdk/c/sqrtdk.h>
#include <sqrtdk/kernel_profiles.hpp>
#include <sqrtdk/numbers/columns.hpp>
#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/softmax_error/arithmetic.hpp>
#include <sqrtdk/testing/laws/attention_case.hpp>
#include <sqrtdk/testing/laws/compare_arrays.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
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
  refuse_unless(
      std::count(bytes + sizeof(Struct), bytes + size, 0) == std::ptrdiff_t(size - sizeof(Struct)),
      name, "of a later version", "say nothing that this version does not know");
  return *given;
}

/// A format as sqrtdk.h writes it.
inline std::string format_text(std::uint32_t dtype) {
  std::ostringstream text = plain_stream();
  text << "0x" << std::hex << dtype;
  return text.str();
}

inline std::size_t width_of(std::uint32_t dtype) { return (dtype >> 8U & 0xFFU) / 8; }

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

inline Shape shape_of(const sqrtdk_array& array) { return {array.shape, array.shape + array.ndim}; }

/// Refuses what is no array, and one whose entries share memory if it is to be written to.
/// \param dtype its format; 0 for that of any numbers.
/// \param shape its shape, −1 for any length; of any if there is none.
inline void require_array(const sqrtdk_array* array, const std::string& name, std::uint32_t dtype,
                          const Shape& shape = {}, bool written = false) {
  const sqrtdk_array& given = at(array, name);
  if (dtype == 0) with_format(given.dtype, name + ".dtype", [](auto) {});
  refuse_unless(dtype == 0 || given.dtype == dtype, name + ".dtype", format_text(given.dtype),
                "be " + format_text(dtype));
  refuse_unless(given.ndim >= 1 && given.ndim <= 8, name + ".ndim", given.ndim, "be from 1 to 8");
  at(given.shape, name + ".shape");
  // No entry is farther away than memory is large.
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 16;
  std::int64_t count = 1, reach = 0;
  std::vector<int> axes;
  for (int axis = 0; axis < given.ndim; ++axis) {
    const std::int64_t length = given.shape[axis];
    refuse_unless(length >= 1 && count <= most / length,
                  name + ".shape[" + std::to_string(axis) + "]", length,
                  "be at least 1, and all together fit in memory");
    count *= length;
    if (given.strides != nullptr && length > 1) axes.push_back(axis);
  }
  const auto step = [&](int axis) { return std::abs(std::max(given.strides[axis], -most - 1)); };
  std::sort(axes.begin(), axes.end(), [&](int one, int other) { return step(one) < step(other); });
  for (const int axis : axes) {
    const std::int64_t steps = given.shape[axis] - 1;
    refuse_unless(step(axis) <= (most - reach) / steps && (!written || step(axis) > reach),
                  name + ".strides[" + std::to_string(axis) + "]", given.strides[axis],
                  "stay in memory, and lead past other entries where they are written");
    reach += step(axis) * steps;
  }
  const auto text = [](const Shape& lengths) {
    std::string all;
    for (const std::int64_t x : lengths) all += x < 0 ? "[any]" : "[" + std::to_string(x) + "]";
    return all;
  };
  const Shape is = shape_of(given);
  refuse_unless(
      shape.empty() || std::equal(is.begin(), is.end(), shape.begin(), shape.end(),
                                  [](auto x, auto wanted) { return wanted < 0 || x == wanted; }),
      name + ".shape", text(is), "be " + text(shape));
  const auto* data = &at(static_cast<unsigned char*>(given.data), name + ".data");
  const std::size_t width = width_of(given.dtype);
  refuse_unless(given.byte_offset <= std::uint64_t{most} &&
                    (reinterpret_cast<std::uintptr_t>(data) + given.byte_offset) % width == 0,
                name + ".byte_offset", given.byte_offset,
                "stay in memory, and lead to a multiple of " + std::to_string(width));
}

/// Calls `visit` with the place of each entry, its row and its column; rows lie along the last axis.
template <class Visit>
void for_each_entry(const sqrtdk_array& array, Visit visit) {
  const Eigen::Index columns = array.shape[array.ndim - 1];
  const auto width = static_cast<std::int64_t>(width_of(array.dtype));
  std::int64_t count = 1;
  for (int axis = 0; axis < array.ndim; ++axis) count *= array.shape[axis];
  for (std::int64_t i = 0; i < count; ++i) {
    auto offset = static_cast<std::int64_t>(array.byte_offset);
    std::int64_t rest = i, gap = 1;
    for (int axis = array.ndim; axis-- > 0; rest /= array.shape[axis], gap *= array.shape[axis])
      offset += rest % array.shape[axis] * (array.strides ? array.strides[axis] : gap) * width;
    visit(static_cast<unsigned char*>(array.data) + offset, i / columns, i % columns);
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

// Operations as bits.
inline constexpr unsigned of_rows = 0b000'111, of_backward = 0b001'000, of_attention = 0b110'000,
                          of_gradient = 0b100'000;

/// The arrays of a call: by which operations they are taken, and whether they are needed.
inline constexpr struct {
  const char* name;
  const sqrtdk_array* sqrtdk_call::*array;
  unsigned by;
  bool needed = true;
} members[] = {{"logits", &sqrtdk_call::logits, of_rows},
               {"weights", &sqrtdk_call::weights, of_backward},
               {"queries", &sqrtdk_call::queries, of_attention},
               {"keys", &sqrtdk_call::keys, of_attention},
               {"values", &sqrtdk_call::values, of_attention},
               {"output_gradient", &sqrtdk_call::output_gradient, of_backward | of_gradient},
               {"mask", &sqrtdk_call::mask, of_attention, false},
               {"bias", &sqrtdk_call::bias, of_attention, false}};

inline std::uint32_t format_of(const sqrtdk_call& call) {
  return (call.logits ? call.logits : call.weights ? call.weights : call.queries)->dtype;
}

/// The row of a query that sees no key.
inline testing::EmptyRows empty_rows_of(std::int32_t given, int operation) {
  using enum testing::EmptyRows;
  constexpr testing::EmptyRows rows[] = {zero, any, nan, mean};
  constexpr int counts[] = {1, 1, 1, 1, 4, 2};
  refuse_unless(given >= 0 && given < counts[operation], "empty_rows", given,
                "be 0, of attention SQRTDK_EMPTY_ANY too, and of its output _NAN or _MEAN");
  return rows[given];
}

inline void require_operation(int operation) {
  refuse_unless(operation >= SQRTDK_SOFTMAX && operation <= SQRTDK_ATTENTION_GRADIENT, "operation",
                operation, "be SQRTDK_SOFTMAX or another");
}

/// The number of heads of an array of attention.
inline std::int64_t heads_of(const sqrtdk_array& array) {
  return array.ndim == 3 ? array.shape[0] : 1;
}

/// Refuses heads that do not fit together.
inline void require_heads(const sqrtdk_call& call) {
  const std::int64_t heads = heads_of(*call.queries);
  for (const auto& [name, array, by, needed] : members) {
    if (call.*array == nullptr || array == &sqrtdk_call::queries) continue;
    const bool is_mask = array == &sqrtdk_call::mask || array == &sqrtdk_call::bias;
    const sqrtdk_array& given = *(call.*array);
    refuse_unless(given.ndim == call.queries->ndim || (is_mask && given.ndim == 2),
                  name + std::string(".ndim"), given.ndim, "be that of the queries");
    const bool shared = call.operation == SQRTDK_ATTENTION &&
                        (array == &sqrtdk_call::keys || array == &sqrtdk_call::values);
    refuse_unless(
        heads_of(given) == heads || (shared && heads % heads_of(given) == 0) || given.ndim == 2,
        name + std::string(".shape[0]"), given.shape[0],
        shared ? "divide the number of heads of the queries"
               : "be the number of heads of the queries");
  }
  refuse_unless(heads_of(*call.keys) == heads_of(*call.values), "values.shape[0]",
                heads_of(*call.values), "be that of the keys");
}

/// Refuses what is no call of a kernel, as far as the laws do not.
inline sqrtdk_call require_call(const sqrtdk_call* given) {
  const sqrtdk_call call = known(given, "call");
  require_operation(call.operation);
  const auto takes = [&](unsigned by) { return (by >> call.operation & 1U) != 0; };
  const auto there = [&](const char* name, unsigned by, bool is_there) {
    refuse_unless(takes(by) || !is_there, name, "there",
                  "be NULL, or 0, for operation " + std::to_string(call.operation));
    return is_there;
  };
  std::uint32_t dtype = 0;
  for (const auto& [name, array, by, needed] : members) {
    if (!there(name, by, call.*array != nullptr) && !(needed && takes(by))) continue;
    std::uint32_t wanted = dtype;
    if (array == &sqrtdk_call::mask) wanted = SQRTDK_BOOL;
    if (array == &sqrtdk_call::bias && dtype != SQRTDK_FLOAT64) wanted = SQRTDK_FLOAT32;
    const bool of_heads = takes(of_attention) && at(call.*array, name).ndim == 3;
    const Shape shape = of_heads ? Shape{-1, -1, -1} : Shape{-1, -1};
    require_array(call.*array, name, wanted, takes(of_attention) ? shape : Shape{});
    if (dtype == 0) dtype = (call.*array)->dtype;
  }
  if (takes(of_attention)) require_heads(call);
  if (takes(of_backward))
    require_array(call.output_gradient, "output_gradient", dtype, shape_of(*call.weights));
  const auto require_number = [&](const char* name, const double* x, unsigned by) {
    if (!there(name, by, x != nullptr)) return;
    refuse_unless(std::isfinite(*x) && (*x > 0 || by != of_rows) &&
                      (dtype == SQRTDK_FLOAT64 || double{static_cast<float>(*x)} == *x),
                  name, *x,
                  "be finite, of float32 unless the arguments are float64, and if it is a "
                  "temperature greater than 0");
  };
  require_number("temperature", call.temperature, of_rows);
  require_number("scale", call.scale, of_attention);
  there("causal", of_attention, call.causal != SQRTDK_NOT_CAUSAL);
  refuse_unless(call.causal >= SQRTDK_NOT_CAUSAL && call.causal <= SQRTDK_BOTTOM_RIGHT, "causal",
                call.causal, "be SQRTDK_NOT_CAUSAL, _TOP_LEFT or _BOTTOM_RIGHT");
  empty_rows_of(call.empty_rows, call.operation);
  refuse_unless(call.reserved == 0, "call.reserved", call.reserved, "be 0");
  return call;
}

inline std::vector<Shape> result_shapes(const sqrtdk_call& call) {
  if (call.operation == SQRTDK_ATTENTION) {
    Shape shape = shape_of(*call.queries);
    shape.back() = call.values->shape[call.values->ndim - 1];
    return {shape};
  }
  if (call.operation == SQRTDK_ATTENTION_GRADIENT)
    return {shape_of(*call.queries), shape_of(*call.keys), shape_of(*call.values)};
  if (call.operation == SQRTDK_SOFTMAX_BACKWARD) return {shape_of(*call.weights)};
  Shape shape = shape_of(*call.logits);
  if (call.operation == SQRTDK_LOG_SUM_EXP) shape.back() = 1;
  return {shape};
}

/// One head of a call of attention, in a format that holds its numbers.
template <class Wide>
testing::AttentionCase<Wide> case_of(const sqrtdk_call& call, std::int64_t head) {
  const std::int64_t heads = heads_of(*call.queries);
  const auto of_head = [=](const sqrtdk_array* array) -> testing::Matrix<Wide> {
    if (array == nullptr) return {};
    const testing::Matrix<Wide> all = numbers_of<Wide>(*array);
    const Eigen::Index rows = all.rows() / heads_of(*array);
    return all.middleRows(head / (heads / heads_of(*array)) * rows, rows);
  };
  testing::AttentionCase<Wide> input{of_head(call.queries),
                                     of_head(call.keys),
                                     of_head(call.values),
                                     of_head(call.output_gradient),
                                     {}};
  auto& options = input.options;
  if (call.scale != nullptr) options.scale = static_cast<Wide>(*call.scale);
  if (call.mask != nullptr) options.allowed = (of_head(call.mask).array() != 0).matrix();
  if (call.bias != nullptr) options.bias = of_head(call.bias);
  if (call.causal == SQRTDK_TOP_LEFT) options.causal = CausalAlignment::top_left;
  if (call.causal == SQRTDK_BOTTOM_RIGHT) options.causal = CausalAlignment::bottom_right;
  return input;
}

/// The rows of several heads, one head after the other.
inline Target stacked(const std::vector<Target>& heads) {
  Target all = heads.front();
  const Eigen::Index n = all.rows;
  all.rows = n * static_cast<Eigen::Index>(heads.size());
  all.row = [=](Eigen::Index i) { return heads[static_cast<std::size_t>(i / n)].row(i % n); };
  all.open.clear();
  for (const Target& head : heads) {
    all.doubt = std::max(all.doubt, head.doubt);
    all.open.insert(all.open.end(), head.open.begin(), head.open.end());
  }
  return all;
}

/// The right results of a call, and their bounds.
inline std::vector<Target> targets_of(const sqrtdk_call& call, const SoftmaxArithmetic& by) {
  return with_format(format_of(call), "dtype", [&](auto zero) -> std::vector<Target> {
    using Wide = Compute<decltype(zero)>;
    const auto empty = empty_rows_of(call.empty_rows, call.operation);
    if (call.queries != nullptr) {
      std::vector<std::vector<Target>> results(call.operation == SQRTDK_ATTENTION ? 1 : 3);
      for (std::int64_t head = 0; head < heads_of(*call.queries); ++head) {
        const testing::AttentionCase<Wide> input = case_of<Wide>(call, head);
        const std::vector<Target> of_head = results.size() == 1
                                                ? std::vector{attention_target(input, by, empty)}
                                                : gradient_targets(input, by, empty);
        for (std::size_t k = 0; k < results.size(); ++k) results[k].push_back(of_head[k]);
      }
      std::vector<Target> all;
      for (const std::vector<Target>& heads : results) all.push_back(stacked(heads));
      return all;
    }
    if (call.operation == SQRTDK_SOFTMAX_BACKWARD)
      return {testing::backward_target<Wide>(numbers_of<Wide>(*call.weights),
                                             numbers_of<Wide>(*call.output_gradient), by)};
    const double temperature = call.temperature != nullptr ? *call.temperature : 1;
    using testing::OfLogits;
    constexpr OfLogits what[] = {OfLogits::weights, OfLogits::logarithms, OfLogits::log_sum_exp};
    const double magnified = by.flushes ? 1 / std::min(1.0, temperature) : 1;
    return {testing::softmax_target<Wide>(numbers_of<Wide>(*call.logits), temperature,
                                          by.magnified(magnified), what[call.operation])};
  });
}

/// The words of profiles but for the names of kernels, and what they declare; those with = are given a number.
inline constexpr struct {
  std::string_view name;
  void (*says)(SoftmaxArithmetic&, double);
  double least = 0;  ///< the least number after =
} words[] = {{"any_order", [](auto& a, double) { a = a.any_order(); }},
             {"blocks=", [](auto& a, double x) { a = a.blocks(static_cast<std::size_t>(x)); }, 1},
             {"one_pass=", [](auto& a, double x) { a = a.one_pass(static_cast<std::size_t>(x)); }},
             {"by_reciprocal", [](auto& a, double) { a = a.by_reciprocal(); }},
             {"exp2_folded", [](auto& a, double) { a = a.exp2_folded(); }},
             {"scale_folded", [](auto& a, double) { a = a.scale_folded(); }},
             {"flushing", [](auto& a, double) { a = a.flushes ? a : a.flushing(); }},
             {"exp_ulps=", [](auto& a, double x) { a.exp_error = 2 * x; }, 0.5},
             {"log_ulps=", [](auto& a, double x) { a.log_error = 2 * x; }, 0.5}};

/// Declares what a word of a profile says.
inline void declare(SoftmaxArithmetic& arithmetic, const std::string& word) {
  std::string all;
  const std::string what = "a word of arithmetic.profile";
  for (const auto& [name, says, least] : words) {
    all += " " + std::string(name);
    double x = -1;
    if (name.ends_with('=') && word.starts_with(name)) {
      refuse_unless(read_number(word.substr(name.size()), x) && x >= least && x <= 1e9 &&
                        (name.ends_with("ulps=") || x == std::floor(x)),
                    what, word,
                    "have a number from " + format_digits(least) +
                        " to 1e9 after =, a whole one unless of ulps");
      return says(arithmetic, x);
    }
    if (word == name) return says(arithmetic, x);
  }
  refuse_unless(false, what, word, "be of" + all + ", or first a kernel's name");
}

/// The declared arithmetic, with all its formats filled in, and whether its bound is a verdict.
struct Declared {
  SoftmaxArithmetic by;
  sqrtdk_arithmetic given;
  bool decides;
};

/// \param of the format that its arguments must have; 0 for any.
inline Declared declared(const sqrtdk_arithmetic* arithmetic, std::uint32_t of = 0) {
  sqrtdk_arithmetic given = known(arithmetic, "arithmetic");
  auto& [size, profile, dtype, in, stored, weights] = given;
  const auto limits = [](std::uint32_t format, const char* member) {
    return with_format(format, std::string("arithmetic.") + member,
                       [](auto zero) { return format_limits<decltype(zero)>(); });
  };
  const FormatLimits input = limits(dtype, "dtype");
  refuse_unless(of == 0 || dtype == of, "arithmetic.dtype", format_text(dtype),
                "be " + format_text(of) + ", as the arguments are");
  std::istringstream all(profile != nullptr ? profile : "");
  std::string word;
  all >> word;
  const auto kernels = kernel_profiles();
  const auto named = std::find_if(kernels.begin(), kernels.end(),
                                  [&](const KernelProfile& kernel) { return kernel.name == word; });
  const bool is_named = named != kernels.end();
  if (in == 0 && (is_named || width_of(dtype) < 4)) in = SQRTDK_FLOAT32;
  if (in == 0) in = dtype;
  if (stored == 0) stored = dtype;
  SoftmaxArithmetic a = with_format(in, "arithmetic.computed_in",
                                    [](auto zero) { return computed_in<decltype(zero)>(); });
  refuse_unless(in == dtype || width_of(in) > width_of(dtype), "arithmetic.computed_in",
                format_text(in), "hold all numbers of arithmetic.dtype");
  refuse_unless(!is_named || in == SQRTDK_FLOAT32, "arithmetic.computed_in", format_text(in),
                "be 0 beside the name of a kernel");
  const FormatLimits storage = limits(stored, "stored_in");
  if (is_named)
    a = named->storing(input, storage), all >> word;
  else if (stored != in && width_of(stored) <= width_of(in))
    a = a.stored_in(storage);
  for (; all; all >> word) declare(a, word);
  if (weights != 0 && weights != in) a = a.stored_weights(limits(weights, "stored_weights"));
  return {a, given, !is_named || named->decides()};
}

}  // namespace sqrtdk::c
