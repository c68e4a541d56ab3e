// SPDX-License-Identifier: BSL-1.0
// The C interface: right kernels, the zoo of bugs behind a function pointer, buffers, and wrong arguments. That the header
// is C99 is seen by examples/own_buffers.c.
#include <sqrtdk/attention.hpp>
#include <sqrtdk/c/sqrtdk.h>
#include <sqrtdk/softmax.hpp>
#include <sqrtdk/softmax_jacobian.hpp>
#include <sqrtdk/testing/laws/attention_case.hpp>

#include <Eigen/Core>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tests/broken_kernels.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace sqrtdk;
using namespace sqrtdk::testing;
using namespace ::testing;
using Shape = std::vector<std::int64_t>;

/// That a call is refused with a status, and with the value and the rule.
#define EXPECT_REFUSED(status, text, call) \
  EXPECT_EQ(call, SQRTDK_##status);        \
  EXPECT_THAT(sqrtdk_last_error(), HasSubstr(text))

/// A kernel in terms of this language.
using Function = std::function<void(const sqrtdk_call&, const sqrtdk_array*)>;

int call_function(void* user, const sqrtdk_call* call, const sqrtdk_array* results) {
  (*static_cast<const Function*>(user))(*call, results);
  return 0;
}

/// An array without gaps, as it lies in memory; a single axis is a row.
template <class Real>
auto entries(const sqrtdk_array& array) {
  using Rows = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return Eigen::Map<Rows>(static_cast<Real*>(array.data), array.ndim == 1 ? 1 : array.shape[0],
                          array.shape[array.ndim - 1]);
}

template <class Real>
ColumnOf<Real> row(const sqrtdk_array* array) {
  return entries<Real>(*array).row(0);
}

template <class Real>
AttentionCase<Real> case_of(const sqrtdk_call& call) {
  AttentionCase<Real> input{
      entries<Real>(*call.queries), entries<Real>(*call.keys), entries<Real>(*call.values), {}, {}};
  if (call.output_gradient != nullptr) input.output_gradient = entries<Real>(*call.output_gradient);
  if (call.scale != nullptr) input.options.scale = static_cast<Compute<Real>>(*call.scale);
  if (call.mask != nullptr) input.options.allowed = entries<std::uint8_t>(*call.mask).cast<bool>();
  if (call.bias != nullptr) input.options.bias = entries<Compute<Real>>(*call.bias);
  if (call.causal == SQRTDK_TOP_LEFT) input.options.causal = CausalAlignment::top_left;
  if (call.causal == SQRTDK_BOTTOM_RIGHT) input.options.causal = CausalAlignment::bottom_right;
  return input;
}

/// What the book computes, in the format of the arguments.
template <class Real>
void right(const sqrtdk_call& call, const sqrtdk_array* results) {
  const auto tau = static_cast<Compute<Real>>(call.temperature != nullptr ? *call.temperature : 1);
  const auto put = [&](int k, const auto& numbers) { entries<Real>(results[k]) = numbers; };
  switch (call.operation) {
    case SQRTDK_SOFTMAX:
      return put(0, softmax(row<Real>(call.logits), tau).transpose());
    case SQRTDK_LOG_SOFTMAX:
      return put(0, log_softmax(row<Real>(call.logits), tau).transpose());
    case SQRTDK_LOG_SUM_EXP:
      return put(0, Matrix<Real>::Constant(1, 1, Real(log_sum_exp(row<Real>(call.logits), tau))));
    case SQRTDK_SOFTMAX_BACKWARD:
      return put(0,
                 vector_jacobian_product(row<Real>(call.weights), row<Real>(call.output_gradient))
                     .transpose());
    case SQRTDK_ATTENTION: {
      const auto [q, k, v, g, options] = case_of<Real>(call);
      return put(0, scaled_dot_product_attention(q, k, v, options).output);
    }
    default: {
      const auto [q, k, v, g, options] = case_of<Real>(call);
      const auto gradient = attention_gradient(q, k, v, g, options);
      put(0, gradient.queries), put(1, gradient.keys), put(2, gradient.values);
    }
  }
}

sqrtdk_arithmetic declared(std::uint32_t dtype, const char* profile = nullptr) {
  sqrtdk_arithmetic arithmetic{};
  arithmetic.struct_size = sizeof arithmetic;
  arithmetic.dtype = dtype;
  arithmetic.profile = profile;
  return arithmetic;
}

sqrtdk_options asked(std::uint32_t without = 0, std::int32_t empty_rows = SQRTDK_EMPTY_ZERO) {
  sqrtdk_options options{};
  options.struct_size = sizeof options;
  options.cases = 60;
  options.without = without;
  options.empty_rows = empty_rows;
  return options;
}

sqrtdk_report empty_report() {
  sqrtdk_report report{};
  report.struct_size = sizeof report;
  return report;
}

sqrtdk_call call_of(int operation) {
  sqrtdk_call call{};
  call.struct_size = sizeof call;
  call.operation = operation;
  return call;
}

sqrtdk_report held(int operation, const Function& function, std::uint32_t dtype = SQRTDK_FLOAT32,
                   const sqrtdk_options& options = asked()) {
  const sqrtdk_arithmetic arithmetic = declared(dtype, "any_order");
  sqrtdk_report report = empty_report();
  EXPECT_EQ(sqrtdk_hold(operation, call_function, const_cast<Function*>(&function), &arithmetic,
                        &options, &report),
            SQRTDK_OK)
      << sqrtdk_last_error();
  return report;
}

/// The right kernel with another call, or other results.
Function with(
    const std::function<void(sqrtdk_call&)>& before,
    const std::function<void(const sqrtdk_array*)>& after = [](auto*) {}) {
  return [=](sqrtdk_call call, const sqrtdk_array* results) {
    before(call);
    right<float>(call, results);
    after(results);
  };
}

TEST(CInterface, HoldsRightKernelsInEveryFormat) {
  for (int operation = SQRTDK_SOFTMAX; operation <= SQRTDK_ATTENTION_GRADIENT; ++operation)
    for (const auto& [dtype, kernel] :
         {std::pair<std::uint32_t, Function>{SQRTDK_FLOAT64, right<double>},
          {SQRTDK_FLOAT32, right<float>},
          {SQRTDK_FLOAT16, right<Eigen::half>},
          {SQRTDK_BFLOAT16, right<Eigen::bfloat16>}}) {
      const sqrtdk_report report = held(operation, kernel, dtype);
      EXPECT_EQ(report.verdict, SQRTDK_HOLDS) << operation << ": " << report.text;
      EXPECT_GT(report.tried, 60U);
      EXPECT_THAT(report.text, HasSubstr("all laws are kept"));
    }
}

TEST(CInterface, CatchesTheZooOfBugs) {
  for (const auto& [bug, kernel] : broken_softmax_kernels()) {
    const Function function = [&softmax = kernel](const auto& call, const auto* results) {
      const ColumnOf<float> x = row<float>(call.logits);
      const std::vector<float> y = softmax({x.begin(), x.end()}, float(*call.temperature));
      std::copy(y.begin(), y.end(), static_cast<float*>(results->data));
    };
    const sqrtdk_report report = held(SQRTDK_SOFTMAX, function);
    EXPECT_EQ(report.verdict, SQRTDK_BROKEN) << bug;
    EXPECT_FALSE(report.error <= report.bound) << bug;
  }
  for (const auto& [bug, kernel] : broken_attention_kernels())
    EXPECT_EQ(held(SQRTDK_ATTENTION,
                   [&attention = kernel](const auto& call, const auto* results) {
                     entries<float>(*results) = attention(case_of<float>(call));
                   })
                  .verdict,
              SQRTDK_BROKEN)
        << bug;
}

TEST(CInterface, CatchesBugsOfEveryOperation) {
  const auto nothing = [](auto&) {};
  const auto changed = [&](auto change) {
    return with(nothing, [=](const auto* results) { change(entries<float>(*results)); });
  };
  for (int operation = SQRTDK_SOFTMAX; operation <= SQRTDK_ATTENTION_GRADIENT; ++operation)
    for (const auto& [bug, function] :
         {std::pair<const char*, Function>{"unwritten", [](const auto&, const auto*) {}},
          {"off by 1e-5", changed([](auto x) { x *= 1 + 1e-5F; })},
          {"no first number", changed([](auto x) { x(0, 0) = 0; })},
          {"infinite", changed([](auto x) { x(0, 0) = INFINITY; })}})
      EXPECT_EQ(held(operation, function).verdict, SQRTDK_BROKEN) << operation << ": " << bug;
  static const double one = 1;
  const Function cold = with([](auto& call) { call.temperature = &one; });
  for (const int operation : {SQRTDK_LOG_SOFTMAX, SQRTDK_LOG_SUM_EXP})
    EXPECT_EQ(held(operation, cold).verdict, SQRTDK_BROKEN);
  const auto later = [&](int k, float factor) {
    return with(nothing, [=](const auto* results) { entries<float>(results[k]) *= factor; });
  };
  for (const Function& function :
       {later(1, 2), later(2, 2), with([](auto& call) { call.scale = &one; }),
        with([](auto& call) { call.mask = nullptr; }),
        with([](auto& call) { call.bias = nullptr; }), with([](auto& call) { call.causal = 0; })})
    EXPECT_EQ(held(SQRTDK_ATTENTION_GRADIENT, function).verdict, SQRTDK_BROKEN);
}

TEST(CInterface, SaysTheSimplestCaseInWordsAndTheSameWithTheSameSeed) {
  const Function none_first = with([](auto&) {},
                                   [](const auto* results) {
                                     entries<float> (*results)(0, 0) =
                                         std::numeric_limits<float>::quiet_NaN();
                                   });
  const std::string text = held(SQRTDK_SOFTMAX, none_first).text;
  EXPECT_THAT(text, HasSubstr("logits [0], temperature 1\naccuracy: error nan of a bound of "));
  EXPECT_EQ(text, held(SQRTDK_SOFTMAX, none_first).text);
  EXPECT_THAT(held(SQRTDK_SOFTMAX_BACKWARD, none_first).text,
              HasSubstr("weights [1], output gradient [0]\naccuracy: error nan"));
  const Function beside =
      with([](auto&) {},
           [](const auto* results) {
             static_cast<float*>(results->data)[results->shape[results->ndim - 1]] = 0;
           });
  EXPECT_THAT(held(SQRTDK_LOG_SUM_EXP, beside).text,
              HasSubstr("the kernel wrote beside its results"));
  sqrtdk_report report = empty_report();
  const sqrtdk_arithmetic by = declared(SQRTDK_FLOAT32);
  const sqrtdk_kernel refuses = [](void*, const sqrtdk_call*, const sqrtdk_array*) { return 3; };
  EXPECT_EQ(sqrtdk_hold(SQRTDK_SOFTMAX, refuses, nullptr, &by, nullptr, &report), SQRTDK_OK);
  EXPECT_THAT(report.text, HasSubstr("the call: error inf of a bound of 0: the kernel returned 3"));
  EXPECT_THAT(held(SQRTDK_ATTENTION, [](const auto&, const auto*) { throw 3; }).text,
              HasSubstr("the kernel threw"));
}

TEST(CInterface, AsksForNothingThatAKernelDoesNotTake) {
  const Function of_nan = [](const auto& call, const auto* results) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    entries<float>(*results) = attention_with({.empty = nan})(case_of<float>(call));
  };
  EXPECT_EQ(held(SQRTDK_ATTENTION, of_nan).verdict, SQRTDK_BROKEN);
  for (const int empty_rows : {SQRTDK_EMPTY_NAN, SQRTDK_EMPTY_ANY})
    EXPECT_EQ(held(SQRTDK_ATTENTION, of_nan, SQRTDK_FLOAT32, asked(0, empty_rows)).verdict,
              SQRTDK_HOLDS);
  const Function plain = [](const auto& call, const auto* results) {
    if (call.mask || call.bias || call.causal || call.scale ||
        (call.temperature && *call.temperature != 1) ||
        (call.logits && (call.logits->shape[0] > 8 || !row<float>(call.logits).allFinite())))
      throw std::invalid_argument("unsupported");
    right<float>(call, results);
  };
  sqrtdk_options options = asked(127);
  options.longest = 8;
  for (const auto& [operation, text] :
       {std::pair{SQRTDK_SOFTMAX, "not tried: scores of −∞\n  not tried: other temperatures"},
        std::pair{SQRTDK_ATTENTION_GRADIENT, "not tried: biases\n  not tried: causal masks"}}) {
    const sqrtdk_report report = held(operation, plain, SQRTDK_FLOAT32, options);
    EXPECT_EQ(report.verdict, SQRTDK_HOLDS) << report.text;
    EXPECT_THAT(report.text, HasSubstr(text));
  }
}

/// An array that lies in memory as a list does.
template <class T>
sqrtdk_array array_of(std::vector<T>& numbers, std::uint32_t dtype, const Shape& shape,
                      const Shape* strides = nullptr) {
  return {numbers.data(), 0,
          dtype,          static_cast<std::int32_t>(shape.size()),
          shape.data(),   strides != nullptr ? strides->data() : nullptr};
}

TEST(CInterface, ChecksRowsWhereverTheyLie) {
  const Shape shape{2, 3}, backwards{-3, -1}, one{2, 1};
  std::vector<float> x{1, 2, 3, -INFINITY, 0, 0}, y(6), sums(2);
  std::vector<double> exact(6), bound(6);
  sqrtdk_array logits = array_of(x, SQRTDK_FLOAT32, shape);
  sqrtdk_array weights = array_of(y, SQRTDK_FLOAT32, shape);
  sqrtdk_array to = array_of(exact, SQRTDK_FLOAT64, shape);
  sqrtdk_array bounds = array_of(bound, SQRTDK_FLOAT64, shape);
  sqrtdk_call call = call_of(SQRTDK_SOFTMAX);
  call.logits = &logits;
  sqrtdk_arithmetic by = declared(SQRTDK_FLOAT32);
  sqrtdk_report report = empty_report();
  ASSERT_EQ(sqrtdk_exact(&call, &to), SQRTDK_OK);
  EXPECT_THAT(exact,
              ElementsAre(_, _, DoubleEq(1 / (1 + std::exp(-1) + std::exp(-2))), 0, 0.5, 0.5));
  ASSERT_EQ(sqrtdk_bound(&call, &by, &bounds), SQRTDK_OK);
  EXPECT_THAT(bound, Each(AllOf(Gt(0), Lt(1e-6))));
  std::copy(exact.begin(), exact.end(), y.begin());
  ASSERT_EQ(sqrtdk_check(&call, &weights, &by, &report), SQRTDK_OK);
  EXPECT_EQ(report.verdict, SQRTDK_HOLDS);
  EXPECT_EQ(report.tried, 6U);

  // From the last entry to the first, as the strides have it; the offset is in bytes.
  logits.strides = weights.strides = to.strides = backwards.data();
  logits.byte_offset = weights.byte_offset = 5 * sizeof(float);
  to.byte_offset = 5 * sizeof(double);
  y[4] = 0.25F;
  ASSERT_EQ(sqrtdk_check(&call, &weights, &by, &report), SQRTDK_OK);
  EXPECT_EQ(report.verdict, SQRTDK_BROKEN);
  EXPECT_THAT((std::vector<double>{double(report.beyond), double(report.row), double(report.column),
                                   report.computed, report.exact, report.error}),
              ElementsAre(1, 0, 1, 0.25, 0.5, 0.25));
  EXPECT_THAT(report.text, HasSubstr("5 of 6 numbers are within their bounds; the farthest beyond, "
                                     "results[0] at row 0, column 1 is 0x1p-2"));
  ASSERT_EQ(sqrtdk_exact(&call, &to), SQRTDK_OK);
  EXPECT_THAT(exact, ElementsAre(_, _, _, 0, 0.5, 0.5));

  // Logarithms of sums, which are as exact as they are stored.
  call.operation = SQRTDK_LOG_SUM_EXP;
  const sqrtdk_array of_sums = array_of(sums, SQRTDK_FLOAT32, one);
  to = array_of(exact, SQRTDK_FLOAT64, one), bounds = array_of(bound, SQRTDK_FLOAT64, one);
  ASSERT_EQ(sqrtdk_exact(&call, &to), SQRTDK_OK);
  EXPECT_DOUBLE_EQ(exact[0], std::log(2));
  std::copy(exact.begin(), exact.begin() + 2, sums.begin());
  sums[1] += 1e-5F;
  ASSERT_EQ(sqrtdk_check(&call, &of_sums, &by, &report), SQRTDK_OK);
  EXPECT_EQ(report.beyond * 100 + static_cast<std::uint64_t>(report.row), 101U);
  by.stored_in = SQRTDK_BFLOAT16;
  ASSERT_EQ(sqrtdk_bound(&call, &by, &bounds), SQRTDK_OK);
  EXPECT_GT(bound[0], std::log(2) / 256);
}

TEST(CInterface, MakesNoPassOfNoPromise) {
  std::vector<Eigen::half> halves(4096, Eigen::half(0));
  const Shape many{4096};
  const sqrtdk_array flat = array_of(halves, SQRTDK_FLOAT16, many);
  sqrtdk_call call = call_of(SQRTDK_SOFTMAX);
  call.logits = &flat;
  sqrtdk_arithmetic by = declared(SQRTDK_FLOAT16, " any_order  flushing ");
  by.computed_in = SQRTDK_FLOAT16;
  sqrtdk_report report = empty_report();
  ASSERT_EQ(sqrtdk_check(&call, &flat, &by, &report), SQRTDK_OK);
  EXPECT_EQ(report.verdict, SQRTDK_VACUOUS);
  EXPECT_EQ(report.unbounded, 4096U);
  by.computed_in = 0;
  ASSERT_EQ(sqrtdk_check(&call, &flat, &by, &report), SQRTDK_OK);
  EXPECT_EQ(report.verdict, SQRTDK_BROKEN);
  halves[0] = Eigen::half(NAN);
  EXPECT_REFUSED(UNSUPPORTED, "a logit is nan, but must", sqrtdk_check(&call, &flat, &by, &report));
  EXPECT_EQ(report.verdict, SQRTDK_NOT_COVERED);
  EXPECT_EQ(report.tried, 0U);
}

TEST(CInterface, ChecksHeads) {
  std::vector<double> q{1, 0}, k{1, 2, 3, 4}, v{2, 6}, o{4, 4}, g{1, 1}, exact(6);
  std::vector<std::uint8_t> one_key{1, 0};
  const Shape two{2, 1}, every_other{2, 1}, four{2, 2}, shared{0, 1};
  const sqrtdk_array queries = array_of(q, SQRTDK_FLOAT64, two);
  sqrtdk_array keys = array_of(k, SQRTDK_FLOAT64, two, &every_other);
  sqrtdk_array values = array_of(v, SQRTDK_FLOAT64, two);
  const sqrtdk_array output = array_of(o, SQRTDK_FLOAT64, two);
  const sqrtdk_array gradient = array_of(g, SQRTDK_FLOAT64, two);
  const sqrtdk_array mask = array_of(one_key, SQRTDK_BOOL, four, &shared);  // both rows are one
  sqrtdk_array to[3];
  for (std::uint64_t i = 0; i < 3; ++i) {
    to[i] = array_of(exact, SQRTDK_FLOAT64, two);
    to[i].byte_offset = 16 * i;
  }
  double scale = 0;
  const sqrtdk_arithmetic by = declared(SQRTDK_FLOAT64);
  sqrtdk_call call = call_of(SQRTDK_ATTENTION);
  call.queries = &queries, call.keys = &keys, call.values = &values;
  const auto verdict = [&](const sqrtdk_array* results) {
    sqrtdk_report report = empty_report();
    EXPECT_EQ(sqrtdk_check(&call, results, &by, &report), SQRTDK_OK) << sqrtdk_last_error();
    return std::vector<std::int64_t>{report.verdict, report.result, report.row};
  };
  ASSERT_EQ(sqrtdk_exact(&call, to), SQRTDK_OK);
  EXPECT_THAT(exact,
              ElementsAre(DoubleEq((2 + 6 * std::exp(2)) / (1 + std::exp(2))), 4, 0, 0, 0, 0));
  EXPECT_THAT(verdict(&output), ElementsAre(SQRTDK_BROKEN, 0, 0));
  call.scale = &scale;
  EXPECT_EQ(verdict(&output)[0], SQRTDK_HOLDS);
  call.mask = &mask, v[1] = NAN, o = {2, 2};
  EXPECT_EQ(verdict(&output)[0], SQRTDK_HOLDS);
  call.mask = nullptr;
  EXPECT_REFUSED(UNSUPPORTED, "a value is nan, but", sqrtdk_exact(&call, to));
  call.mask = &mask, one_key[0] = 0, v[1] = 6, call.empty_rows = SQRTDK_EMPTY_MEAN;
  EXPECT_EQ(verdict(&output)[0], SQRTDK_BROKEN);
  o[0] = o[1] = 4;
  EXPECT_EQ(verdict(&output)[0], SQRTDK_HOLDS);

  // With a scale of 0 a gradient reaches the values alone, a half of each query's.
  call.operation = SQRTDK_ATTENTION_GRADIENT, call.output_gradient = &gradient, call.mask = nullptr;
  EXPECT_REFUSED(INVALID, "empty_rows is 3, but must", sqrtdk_exact(&call, to));
  call.empty_rows = SQRTDK_EMPTY_ZERO;
  ASSERT_EQ(sqrtdk_exact(&call, to), SQRTDK_OK);
  EXPECT_THAT(exact, ElementsAre(0, 0, 0, 0, 1, 1));
  EXPECT_EQ(verdict(to)[0], SQRTDK_HOLDS);
  exact[5] = 2;
  EXPECT_THAT(verdict(to), ElementsAre(SQRTDK_BROKEN, 2, 1));

  call.temperature = &scale;
  EXPECT_REFUSED(INVALID, "temperature is there, but must be NULL", sqrtdk_exact(&call, to));
  call.temperature = nullptr, scale = NAN;
  EXPECT_REFUSED(INVALID, "scale is nan, but must be finite", sqrtdk_exact(&call, to));
  call.scale = nullptr, values.dtype = SQRTDK_FLOAT32;
  EXPECT_REFUSED(INVALID, "values.dtype is 0x12002, but must be 0x14002", sqrtdk_exact(&call, to));
  values = array_of(k, SQRTDK_FLOAT64, four);
  EXPECT_REFUSED(INVALID, "exact[2].shape is [2][1], but must be [2][2]", sqrtdk_exact(&call, to));
  call.operation = SQRTDK_ATTENTION;
  EXPECT_REFUSED(INVALID, "output_gradient is there, but", sqrtdk_exact(&call, to));
  call.output_gradient = nullptr, values = array_of(v, SQRTDK_FLOAT64, two),
  keys.shape = four.data();
  EXPECT_REFUSED(INVALID, "the keys 2 x 2, but must have as many", sqrtdk_exact(&call, to));
  call.causal = 3;
  EXPECT_REFUSED(INVALID, "causal is 3, but must be", sqrtdk_exact(&call, to));
}

TEST(CInterface, RefusesWrongArguments) {
  std::vector<float> x(5);
  std::vector<double> exact(4);
  Shape shape{4}, step{1};
  sqrtdk_array a = array_of(x, SQRTDK_FLOAT32, shape, &step);
  const sqrtdk_array to = array_of(exact, SQRTDK_FLOAT64, shape, &step);
  sqrtdk_call call = call_of(SQRTDK_SOFTMAX);
  call.logits = &a;
  sqrtdk_arithmetic by = declared(SQRTDK_FLOAT32);
  sqrtdk_report report = empty_report();
  double temperature = 0;
  // Each is wrong alone, and is put right again.
  const auto refuses = [&](sqrtdk_status status, const char* text, auto& member, auto wrong) {
    const auto right = std::exchange(member, static_cast<std::decay_t<decltype(member)>>(wrong));
    EXPECT_EQ(sqrtdk_check(&call, &a, &by, &report), status) << text;
    EXPECT_THAT(sqrtdk_last_error(), HasSubstr(text));
    member = right;
  };
  const auto invalid = [&](const char* text, auto& member, auto wrong) {
    refuses(SQRTDK_INVALID, text, member, wrong);
  };
  EXPECT_EQ(sqrtdk_abi_version(), SQRTDK_ABI_VERSION);
  refuses(SQRTDK_UNSUPPORTED, "arithmetic.dtype is 0x7, but must be SQRTDK_FLOAT16", by.dtype, 7);
  EXPECT_EQ(report.verdict, SQRTDK_NOT_COVERED);
  EXPECT_EQ(report.row, -1);
  EXPECT_STREQ(report.text, "");
  refuses(SQRTDK_UNSUPPORTED, "logits.dtype is 0x12012, but must be", a.dtype, 0x12012);
  invalid("arithmetic.struct_size is 4, but must be from", by.struct_size, 4);
  invalid("arithmetic.dtype is 0x14002, but must be 0x12002", by.dtype, SQRTDK_FLOAT64);
  invalid("arithmetic.computed_in is 0x11002, but must hold", by.computed_in, SQRTDK_FLOAT16);
  invalid("results[0].dtype is 0x12002, but must be 0x11004", by.stored_in, SQRTDK_BFLOAT16);
  invalid("is exp3_folded, but must be of any_order by_rec", by.profile, "any_order exp3_folded");
  invalid("exp_ulps or log_ulps is nan, but must be finite", by.exp_ulps, NAN);
  invalid("call.struct_size is 8, but must be from", call.struct_size, 8);
  invalid("operation is 6, but must be", call.operation, 6);
  invalid("bias is there, but must be NULL, or 0, for operation 0", call.bias, &a);
  invalid("logits is NULL, but must point", call.logits, nullptr);
  invalid("temperature is 0, but must", call.temperature, &temperature);
  temperature = 0.1;
  invalid("temperature is 0.1", call.temperature, &temperature);
  invalid("report.struct_size is 8, but must be from", report.struct_size, 8);
  invalid("logits.ndim is 9, but must be from 1 to 8", a.ndim, 9);
  invalid("logits.shape is NULL, but must", a.shape, nullptr);
  invalid("logits.data is NULL, but must", a.data, nullptr);
  invalid("but must with its byte_offset be a multiple of 4", a.byte_offset, 2);
  invalid("logits.byte_offset is 18446744073709551612, but must", a.byte_offset, UINT64_MAX - 3);
  invalid("logits.shape[0] is -1, but must be at least 0", shape[0], -1);
  invalid("logits.shape[0] is 9223372036854775807, but must", shape[0], INT64_MAX);
  invalid("the number of logits is 0, but must", shape[0], 0);
  invalid("logits.strides[0] is -9223372036854775808, but must", step[0], INT64_MIN);
  step[0] = 0;
  EXPECT_REFUSED(INVALID, "exact[0].strides[0] is 0, but must", sqrtdk_exact(&call, &to));
  step[0] = 1;
  EXPECT_REFUSED(INVALID, "call is NULL, but must", sqrtdk_exact(nullptr, &to));
  EXPECT_REFUSED(INVALID, "exact is NULL, but must", sqrtdk_exact(&call, nullptr));
  EXPECT_REFUSED(INVALID, "exact[0].dtype is 0x12002, but must", sqrtdk_exact(&call, &a));
  EXPECT_REFUSED(INVALID, "arithmetic is NULL", sqrtdk_check(&call, &a, nullptr, &report));
  EXPECT_REFUSED(INVALID, "report is NULL", sqrtdk_check(&call, &a, &by, nullptr));
  EXPECT_REFUSED(INVALID, "kernel is NULL",
                 sqrtdk_hold(SQRTDK_SOFTMAX, nullptr, nullptr, &by, nullptr, &report));
  sqrtdk_options options = asked(128);
  EXPECT_REFUSED(INVALID, "options.without is 128",
                 sqrtdk_hold(SQRTDK_SOFTMAX, call_function, nullptr, &by, &options, &report));
  EXPECT_EQ(report.verdict, SQRTDK_NO_VERDICT);
  // A later version's struct is taken as long as it asks for nothing new.
  struct {
    sqrtdk_arithmetic known;
    std::uint64_t later;
  } grown{by, 0};
  grown.known.struct_size = sizeof grown;
  EXPECT_EQ(sqrtdk_check(&call, &a, &grown.known, &report), SQRTDK_OK);
  grown.later = 1;
  EXPECT_REFUSED(INVALID, "does not know", sqrtdk_check(&call, &a, &grown.known, &report));
}

}  // namespace
