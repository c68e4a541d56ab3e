// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/c/arguments.hpp>

#include <array>
#include <cmath>
#include <exception>
#include <limits>
#include <utility>

namespace sqrtdk::c {

namespace {

thread_local std::string last_error;
thread_local std::string last_text;

/// Refuses a number that is negative, infinite or none.
void require_finite(double value, const std::string& name) {
  if (!(value >= 0) || std::isinf(value))
    throw std::invalid_argument(name + " is " + std::to_string(value) +
                                ", but must be finite and at least 0");
}

std::string axis_name(const std::string& name, const char* member, int axis) {
  return name + "." + member + "[" + std::to_string(axis) + "]";
}

std::string shape_text(const sqrtdk_array& array) {
  std::string text;
  for (int axis = 0; axis < array.ndim; ++axis)
    text += (axis > 0 ? " x " : "") + std::to_string(array.shape[axis]);
  return text;
}

}  // namespace

sqrtdk_report nothing_found() {
  sqrtdk_report found{};
  found.row = found.column = -1;
  return found;
}

sqrtdk_status guarded(sqrtdk_report* report, const std::function<void()>& call) noexcept {
  const auto failed = [&](sqrtdk_status status, const char* what) {
    try {
      last_error = what;
    } catch (...) {
      last_error.clear();
    }
    if (status == SQRTDK_UNSUPPORTED && report != nullptr) report->verdict = SQRTDK_NOT_COVERED;
    return status;
  };
  try {
    if (report != nullptr) {
      size_of(report, "report");
      write(nothing_found(), "", *report);
    }
  } catch (const std::exception& error) {
    report = nullptr;
    return failed(SQRTDK_INVALID, error.what());
  }
  try {
    call();
    return SQRTDK_OK;
  } catch (const Unsupported& error) {
    return failed(SQRTDK_UNSUPPORTED, error.what());
  } catch (const std::invalid_argument& error) {
    return failed(SQRTDK_INVALID, error.what());
  } catch (const std::domain_error& error) {
    return failed(SQRTDK_UNSUPPORTED, error.what());
  } catch (const std::exception& error) {
    return failed(SQRTDK_FAILED, error.what());
  } catch (...) {
    return failed(SQRTDK_FAILED, "something was thrown that is no std::exception");
  }
}

void write(const sqrtdk_report& found, std::string text, sqrtdk_report& report) {
  const std::uint64_t size = report.struct_size;
  last_text = std::move(text);
  report = found;
  report.struct_size = size;
  report.text = last_text.c_str();
}

std::int64_t require_array(const sqrtdk_array* array, const std::string& name, bool written) {
  const sqrtdk_array& given = at(array, name);
  refuse_unless(given.ndim >= 1 && given.ndim <= 8, name + ".ndim", given.ndim, "from 1 to 8");
  at(given.shape, name + ".shape");
  // No entry is farther away than memory is large.
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 16;
  std::int64_t count = 1;
  std::int64_t reach = 0;
  for (int axis = 0; axis < given.ndim; ++axis) {
    const std::int64_t length = given.shape[axis];
    refuse_unless(length >= 0 && (length == 0 || count <= most / length),
                  axis_name(name, "shape", axis), length,
                  "at least 0, and all together fit in memory");
    count *= length;
    if (given.strides == nullptr || length < 2) continue;
    const std::int64_t stride = given.strides[axis];
    const std::int64_t steps = length - 1;
    const bool reaches = stride >= -most / steps && stride <= most / steps &&
                         std::abs(stride) * steps <= most - reach;
    refuse_unless(reaches, axis_name(name, "strides", axis), stride, "one that stays in memory");
    refuse_unless(!written || stride != 0, axis_name(name, "strides", axis), stride,
                  "other than 0 where entries are written");
    reach += std::abs(stride) * steps;
  }
  if (count > 0) at(static_cast<unsigned char*>(given.data), name + ".data");
  return count;
}

void for_each_entry(const sqrtdk_array& array, std::size_t width,
                    const std::function<void(unsigned char*)>& visit) {
  std::array<std::int64_t, 8> strides{};
  std::array<std::int64_t, 8> place{};
  std::int64_t count = 1;
  for (int axis = array.ndim - 1; axis >= 0; --axis) {
    const auto a = static_cast<std::size_t>(axis);
    strides[a] = array.strides != nullptr ? array.strides[axis] : count;
    count *= array.shape[axis];
  }
  auto* from = static_cast<unsigned char*>(array.data) + array.byte_offset;
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t offset = 0;
    for (std::size_t axis = 0; axis < 8; ++axis) offset += place[axis] * strides[axis];
    visit(from + offset * static_cast<std::int64_t>(width));
    for (int axis = array.ndim - 1; axis >= 0; --axis) {
      std::int64_t& step = place[static_cast<std::size_t>(axis)];
      if (++step < array.shape[axis]) break;
      step = 0;
    }
  }
}

void require_same_shape(const sqrtdk_array& a, const std::string& name, const sqrtdk_array& b,
                        const std::string& other) {
  if (a.ndim != b.ndim || !std::equal(a.shape, a.shape + a.ndim, b.shape))
    throw std::invalid_argument(name + ".shape is " + shape_text(a) + ", but must be " +
                                shape_text(b) + ", that of " + other);
}

void require_matrix(const sqrtdk_array& array, const std::string& name, std::int64_t rows,
                    std::int64_t columns) {
  const auto side = [](std::int64_t length) { return length < 0 ? "any" : std::to_string(length); };
  if (array.ndim != 2 || (rows >= 0 && array.shape[0] != rows) ||
      (columns >= 0 && array.shape[1] != columns))
    throw std::invalid_argument(name + ".shape is " + shape_text(array) + ", but must be " +
                                side(rows) + " x " + side(columns));
}

void require_dtype(const sqrtdk_array& array, const std::string& name, std::uint32_t dtype) {
  refuse_unless(array.dtype == dtype, name + ".dtype", array.dtype, std::to_string(dtype));
}

void write_entries(const Eigen::MatrixXd& numbers, const sqrtdk_array& array) {
  Eigen::Index place = 0;
  for_each_entry(array, sizeof(double), [&](unsigned char* to) {
    const double entry = numbers(place / numbers.cols(), place % numbers.cols());
    std::memcpy(to, &entry, sizeof entry);
    ++place;
  });
}

SoftmaxArithmetic arithmetic_of(const sqrtdk_arithmetic* given) {
  const sqrtdk_arithmetic& a = sized(given, "arithmetic");
  constexpr std::uint32_t known = 2 * SQRTDK_COMPUTED_IN - 1;
  refuse_unless((a.flags & ~known) == 0, "arithmetic.flags", a.flags,
                "a sum of flags of this version");
  refuse_unless(a.block >= 1, "arithmetic.block", a.block, "at least 1");
  require_finite(a.exp_error, "arithmetic.exp_error");
  require_finite(a.exp_argument_error, "arithmetic.exp_argument_error");
  const auto has = [&](std::uint32_t flag) { return (a.flags & flag) != 0; };
  SoftmaxArithmetic arithmetic = with_format(a.dtype, "arithmetic.dtype", [&](auto zero) {
    using Real = decltype(zero);
    return has(SQRTDK_COMPUTED_IN) ? computed_in<Real>() : sqrtdk::arithmetic_of<Real>();
  });
  arithmetic.exp_error = a.exp_error;
  arithmetic.exp_argument_error = a.exp_argument_error;
  arithmetic = has(SQRTDK_ANY_ORDER) ? arithmetic.any_order() : arithmetic.blocks(a.block);
  arithmetic = arithmetic.one_pass(a.one_pass);
  if (has(SQRTDK_BY_RECIPROCAL)) arithmetic = arithmetic.by_reciprocal();
  if (has(SQRTDK_EXP2_FOLDED)) arithmetic = arithmetic.exp2_folded();
  if (has(SQRTDK_SCALE_FOLDED)) arithmetic = arithmetic.scale_folded();
  if (has(SQRTDK_FLUSHING)) arithmetic = arithmetic.flushing();
  if (a.stored_in != 0) {
    refuse_unless(a.stored_in != SQRTDK_FLOAT64 || a.dtype == SQRTDK_FLOAT64,
                  "arithmetic.stored_in", a.stored_in, "no wider than what is computed in");
    arithmetic = with_format(a.stored_in, "arithmetic.stored_in",
                             [&](auto zero) { return arithmetic.stored_in<decltype(zero)>(); });
  }
  if (a.stored_weights != 0)
    arithmetic = with_format(a.stored_weights, "arithmetic.stored_weights", [&](auto zero) {
      return arithmetic.stored_weights<decltype(zero)>();
    });
  return arithmetic;
}

std::uint32_t stored_format(const sqrtdk_arithmetic& given) {
  return given.stored_in != 0 ? given.stored_in : given.dtype;
}

testing::EmptyRows empty_rows_of(std::int32_t given) {
  refuse_unless(given >= SQRTDK_EMPTY_ZERO && given <= SQRTDK_EMPTY_ANY, "empty_rows", given,
                "SQRTDK_EMPTY_ZERO, _NAN, _MEAN or _ANY");
  using testing::EmptyRows;
  constexpr EmptyRows rows[] = {EmptyRows::zero, EmptyRows::nan, EmptyRows::mean, EmptyRows::any};
  return rows[given];
}

const sqrtdk_attention& require_attention(const sqrtdk_attention* given) {
  const sqrtdk_attention& input = sized(given, "input");
  require_array(input.queries, "queries");
  require_array(input.keys, "keys");
  require_array(input.values, "values");
  require_matrix(*input.queries, "queries", -1, -1);
  const std::int64_t n = input.queries->shape[0];
  const std::int64_t d = input.queries->shape[1];
  refuse_unless(n >= 1, "queries.shape[0]", n, "at least 1");
  refuse_unless(d >= 1, "queries.shape[1]", d, "at least 1");
  require_matrix(*input.keys, "keys", -1, d);
  const std::int64_t m = input.keys->shape[0];
  refuse_unless(m >= 1, "keys.shape[0]", m, "at least 1");
  require_matrix(*input.values, "values", m, -1);
  require_dtype(*input.keys, "keys", input.queries->dtype);
  require_dtype(*input.values, "values", input.queries->dtype);
  if (input.mask != nullptr) {
    require_array(input.mask, "mask");
    require_matrix(*input.mask, "mask", n, m);
    require_dtype(*input.mask, "mask", SQRTDK_BOOL);
  }
  if (input.bias != nullptr) {
    require_array(input.bias, "bias");
    require_matrix(*input.bias, "bias", n, m);
    const bool wide = input.queries->dtype == SQRTDK_FLOAT64;
    require_dtype(*input.bias, "bias", wide ? SQRTDK_FLOAT64 : SQRTDK_FLOAT32);
  }
  refuse_unless(input.causal >= SQRTDK_NOT_CAUSAL && input.causal <= SQRTDK_BOTTOM_RIGHT,
                "input.causal", input.causal, "SQRTDK_NOT_CAUSAL, _TOP_LEFT or _BOTTOM_RIGHT");
  empty_rows_of(input.empty_rows);
  return input;
}

}  // namespace sqrtdk::c

using namespace sqrtdk::c;

uint32_t sqrtdk_abi_version(void) { return SQRTDK_ABI_VERSION; }

const char* sqrtdk_last_error(void) { return last_error.c_str(); }

sqrtdk_status sqrtdk_arithmetic_init(sqrtdk_arithmetic* arithmetic, uint32_t dtype) {
  return guarded(nullptr, [&] {
    const std::uint64_t size = size_of(arithmetic, "arithmetic");
    const sqrtdk::SoftmaxArithmetic good = with_format(
        dtype, "dtype", [](auto zero) { return sqrtdk::arithmetic_of<decltype(zero)>(); });
    std::memset(arithmetic, 0, size);
    arithmetic->struct_size = size;
    arithmetic->dtype = dtype;
    arithmetic->block = good.block;
    arithmetic->exp_error = good.exp_error;
    arithmetic->exp_argument_error = good.exp_argument_error;
  });
}
