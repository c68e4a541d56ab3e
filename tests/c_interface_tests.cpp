// The C interface: kernels behind a function pointer, buffers, and wrong arguments. The header is
// C99 by examples/own_buffers.c; hold_kernel_tests sees which bugs a campaign catches.
#include <sqrtdk/c/sqrtdk.h>

#include <Eigen/Core>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <locale>
#include <numeric>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#pragma GCC diagnostic ignored "-Wmissing-field-initializers"  // which are 0

namespace {

using namespace ::testing;
using Shape = std::vector<std::int64_t>;
using Call = const sqrtdk_call&;
using Arrays = const sqrtdk_array*;
using Function = std::function<int(Call, Arrays)>;

/// That a call is refused with a status, and with the value and the rule.
#define EXPECT_REFUSED(status, text, call) \
  EXPECT_EQ(call, SQRTDK_##status);        \
  EXPECT_THAT(sqrtdk_last_error(), HasSubstr(text))

constexpr sqrtdk_report nothing{.struct_size = sizeof(sqrtdk_report)};

sqrtdk_arithmetic by(std::uint32_t dtype, const char* profile = "any_order") {
  return {.struct_size = sizeof(sqrtdk_arithmetic), .profile = profile, .dtype = dtype};
}

sqrtdk_options asked(std::uint32_t without = 0, std::int32_t empty_rows = SQRTDK_EMPTY_ZERO) {
  return {.struct_size = sizeof(sqrtdk_options),
          .cases = 60,
          .without = without,
          .longest = 33,
          .empty_rows = empty_rows,
          .widest = 9};
}

template <class T>
sqrtdk_array array_of(std::vector<T>& x, const Shape& shape, std::uint64_t offset = 0,
                      const Shape* strides = nullptr) {
  const auto code = std::is_same_v<T, std::uint8_t>      ? SQRTDK_BOOL & 0xFF
                    : std::is_same_v<T, Eigen::bfloat16> ? SQRTDK_BFLOAT16 & 0xFF
                                                         : SQRTDK_FLOAT32 & 0xFF;
  return {x.data(),
          offset,
          static_cast<std::uint32_t>(code | sizeof(T) << 11U | 0x10000U),
          static_cast<std::int32_t>(shape.size()),
          shape.data(),
          strides ? strides->data() : nullptr};
}

/// The place of each entry of an array, in its rows' order.
std::vector<std::int64_t> places_of(const sqrtdk_array& array) {
  std::vector<std::int64_t> places{0};
  std::int64_t gap =
      std::accumulate(array.shape, array.shape + array.ndim, std::int64_t{1}, std::multiplies<>());
  for (int axis = 0; axis < array.ndim; ++axis) {
    gap /= array.shape[axis];
    std::vector<std::int64_t> all;
    for (const std::int64_t place : places)
      for (std::int64_t i = 0; i < array.shape[axis]; ++i)
        all.push_back(place + i * (array.strides ? array.strides[axis] : gap));
    places = all;
  }
  return places;
}

/// The exact results, rounded once to the format of the arguments.
template <class Real>
int right(Call call, Arrays results) {
  const std::size_t count = call.operation == SQRTDK_ATTENTION_GRADIENT ? 3 : 1;
  std::vector<std::vector<double>> exact;
  std::vector<sqrtdk_array> to(results, results + count);
  for (sqrtdk_array& array : to) {
    exact.emplace_back(places_of(array).size());
    array.data = exact.back().data();
    array.dtype = SQRTDK_FLOAT64;
    array.byte_offset = 0;
    array.strides = nullptr;
  }
  const int status = sqrtdk_exact(&call, to.data());
  for (std::size_t k = 0; k < count; ++k) {
    auto* const first =
        reinterpret_cast<Real*>(static_cast<char*>(results[k].data) + results[k].byte_offset);
    const std::vector<std::int64_t> places = places_of(results[k]);
    for (std::size_t i = 0; i < places.size(); ++i)
      first[places[i]] = static_cast<Real>(exact[k][i]);
  }
  return status;
}

/// The right kernel, but for the first number of a result.
Function changed(float (*change)(float), int k = 0) {
  return [=](Call call, Arrays results) {
    right<float>(call, results);
    auto* first = static_cast<float*>(results[k].data);
    *first = change(*first);
    return 0;
  };
}

/// The right kernel, which is asked something else.
Function misled(void (*change)(sqrtdk_call&)) {
  return [=](sqrtdk_call call, Arrays results) {
    change(call);
    return right<float>(call, results);
  };
}

sqrtdk_report held(int operation, const Function& function, std::uint32_t dtype = SQRTDK_FLOAT32,
                   const sqrtdk_options& options = asked()) {
  const sqrtdk_kernel kernel = [](void* user, auto* call, auto* results) {
    return (*static_cast<const Function*>(user))(*call, results);
  };
  sqrtdk_report report = nothing;
  const sqrtdk_arithmetic arithmetic = by(dtype);
  EXPECT_EQ(sqrtdk_hold(operation, kernel, const_cast<Function*>(&function), &arithmetic, &options,
                        &report),
            SQRTDK_OK)
      << sqrtdk_last_error();
  return report;
}

TEST(CInterface, HoldsRightKernelsInEveryFormat) {
  const std::pair<std::uint32_t, Function> kernels[] = {{SQRTDK_FLOAT64, right<double>},
                                                        {SQRTDK_FLOAT32, right<float>},
                                                        {SQRTDK_FLOAT16, right<Eigen::half>},
                                                        {SQRTDK_BFLOAT16, right<Eigen::bfloat16>}};
  for (int operation = SQRTDK_SOFTMAX; operation <= SQRTDK_ATTENTION_GRADIENT; ++operation)
    for (const auto& [dtype, kernel] : kernels) {
      const sqrtdk_report report = held(operation, kernel, dtype);
      EXPECT_EQ(report.verdict, SQRTDK_HOLDS) << operation << ": " << report.text;
      EXPECT_THAT(report.text, HasSubstr("all laws are kept"));
    }
}

TEST(CInterface, CatchesBugsOfEveryOperation) {
  const auto caught = [](int operation, const Function& bug) {
    const sqrtdk_report report = held(operation, bug);
    return report.verdict == SQRTDK_BROKEN && !(report.error <= report.bound);
  };
  static const double one = 1;
  for (int operation = SQRTDK_SOFTMAX; operation <= SQRTDK_ATTENTION_GRADIENT; ++operation)
    for (const Function& bug :
         {Function([](Call, Arrays) { return 0; }),
          changed([](float x) { return x * (1 + 1e-4F); }), changed([](float) { return 0.F; }),
          changed([](float x) { return x + INFINITY; })})
      EXPECT_TRUE(caught(operation, bug)) << operation;
  for (const int operation : {SQRTDK_SOFTMAX, SQRTDK_LOG_SOFTMAX, SQRTDK_LOG_SUM_EXP})
    EXPECT_TRUE(caught(operation, misled([](auto& call) { call.temperature = &one; })));
  for (const int operation : {SQRTDK_ATTENTION, SQRTDK_ATTENTION_GRADIENT})
    for (const Function& bug : {misled([](auto& call) { call.scale = &one; }),
                                misled([](auto& call) { call.causal = SQRTDK_NOT_CAUSAL; }),
                                misled([](auto& call) { call.causal = (3 - call.causal) % 3; }),
                                misled([](auto& call) { call.mask = nullptr; }),
                                misled([](auto& call) { call.bias = nullptr; })})
      EXPECT_TRUE(caught(operation, bug));
  for (const int k : {1, 2})
    EXPECT_TRUE(caught(SQRTDK_ATTENTION_GRADIENT, changed([](float x) { return 2 * x; }, k)));
}

TEST(CInterface, SaysTheSimplestCaseInWordsAndTheSameWithTheSameSeed) {
  const Function no_number = changed([](float) { return NAN; });
  const std::string text = held(SQRTDK_SOFTMAX, no_number).text;
  EXPECT_THAT(text, HasSubstr("logits [0] temperature 1\naccuracy: error nan of a bound of "));
  EXPECT_EQ(text, held(SQRTDK_SOFTMAX, no_number).text);
  EXPECT_THAT(held(SQRTDK_SOFTMAX_BACKWARD, no_number).text,
              HasSubstr("weights [1] output_gradient [0] \naccuracy: error nan"));
}

TEST(CInterface, SeesWhatIsNoMatterOfNumbers) {
  // An exception of a kernel is its failure, and no status.
  const auto set = [](const sqrtdk_array& array, int i) {
    static_cast<float*>(array.data)[i] = 0.5F;
    return 0;
  };
  for (const auto& [kernel, text] : std::initializer_list<std::pair<Function, const char*>>{
           {[](Call, Arrays) { return 7; }, "returned 7"},
           {[](Call, Arrays) -> int { throw std::domain_error("me"); }, "threw me"},
           {[](Call, Arrays) -> int { throw 7; }, "threw what is no std::exception"},
           {[=](Call, Arrays y) { return set(*y, -1); }, "wrote beside its results"},
           {[=](Call x, Arrays) { return set(*x.logits, 0); }, "wrote to its arguments"}})
    EXPECT_THAT(held(SQRTDK_LOG_SUM_EXP, kernel).text,
                HasSubstr("the call: error inf of a bound of 0: the kernel " + std::string(text)));
}

/// The right kernel, with the arguments of one head replaced by those of another.
Function of_other_heads(const sqrtdk_array* sqrtdk_call::*member, std::int64_t step) {
  return [=](sqrtdk_call call, Arrays results) {
    sqrtdk_array array = *(call.*member);
    const Shape strides{step * array.shape[1] * array.shape[2], array.shape[2], 1};
    array.strides = strides.data();
    call.*member = &array;
    return right<float>(call, results);
  };
}

TEST(CInterface, HoldsSeveralHeads) {
  sqrtdk_options options = asked();
  options.longest = 17, options.cases = 9;
  for (const int operation : {SQRTDK_ATTENTION, SQRTDK_ATTENTION_GRADIENT}) {
    options.heads = 3;
    EXPECT_EQ(held(operation, right<float>, SQRTDK_FLOAT32, options).verdict, SQRTDK_HOLDS);
    for (const auto member : {&sqrtdk_call::queries, &sqrtdk_call::keys, &sqrtdk_call::values}) {
      const sqrtdk_report report =
          held(operation, of_other_heads(member, 0), SQRTDK_FLOAT32, options);
      EXPECT_EQ(report.verdict, SQRTDK_BROKEN) << report.text;
      EXPECT_THAT(report.text, HasSubstr("of 3 heads the first is shown"));
    }
  }
  options.heads = 4, options.kv_heads = 2;
  EXPECT_EQ(held(SQRTDK_ATTENTION, right<float>, SQRTDK_FLOAT32, options).verdict, SQRTDK_HOLDS);
  const Function tiled = [](sqrtdk_call call, Arrays results) {
    // Head h of the queries with head h % 2 of the keys and values: as if the middle heads changed places.
    sqrtdk_array q = *call.queries, o = *results;
    const Shape strides{q.shape[1] * q.shape[2], q.shape[2], 1};
    std::vector<float> turned(static_cast<const float*>(q.data),
                              static_cast<const float*>(q.data) + 4 * strides[0]);
    std::swap_ranges(turned.begin() + strides[0], turned.begin() + 2 * strides[0],
                     turned.begin() + 2 * strides[0]);
    q.data = turned.data();
    call.queries = &q;
    const int status = right<float>(call, results);
    auto* const out = static_cast<float*>(o.data);
    const std::int64_t size = o.shape[1] * o.shape[2];
    std::swap_ranges(out + size, out + 2 * size, out + 2 * size);
    return status;
  };
  EXPECT_EQ(held(SQRTDK_ATTENTION, tiled, SQRTDK_FLOAT32, options).verdict, SQRTDK_BROKEN);
}

TEST(CInterface, HoldsArraysWithStridesIfThatIsSaid) {
  const Function without = [](sqrtdk_call call, Arrays results) {
    sqrtdk_array x = *call.logits;
    x.strides = nullptr;
    call.logits = &x;
    return right<float>(call, results);
  };
  const Function keys_without = [](sqrtdk_call call, Arrays results) {
    sqrtdk_array k = *call.keys;
    k.strides = nullptr;
    call.keys = &k;
    return right<float>(call, results);
  };
  const Function without_gaps = [&](sqrtdk_call call, Arrays results) {
    const sqrtdk_array& k = *call.keys;
    const bool has_gap = k.strides != nullptr && k.strides[0] > k.shape[1];
    return has_gap ? keys_without(call, results) : right<float>(call, results);
  };
  const Function results_without = [](Call call, Arrays results) {
    sqrtdk_array y = *results;
    y.strides = nullptr;
    return right<float>(call, &y);
  };
  sqrtdk_options options = asked();
  options.also = SQRTDK_ALSO_STRIDES, options.longest = 17, options.cases = 9;
  for (int operation = SQRTDK_SOFTMAX; operation <= SQRTDK_ATTENTION_GRADIENT; ++operation)
    EXPECT_EQ(held(operation, right<float>, SQRTDK_FLOAT32, options).verdict, SQRTDK_HOLDS);
  const auto verdict = [&](const Function& kernel) {
    return held(SQRTDK_ATTENTION, kernel, SQRTDK_FLOAT32, options).verdict;
  };
  EXPECT_EQ(verdict(without_gaps), SQRTDK_BROKEN);
  options.heads = 2;
  EXPECT_EQ(verdict(right<float>), SQRTDK_HOLDS);
  EXPECT_EQ(verdict(keys_without), SQRTDK_BROKEN);
  EXPECT_EQ(verdict(results_without), SQRTDK_BROKEN);
  options.also = 0;
  EXPECT_EQ(verdict(keys_without), SQRTDK_HOLDS);
  EXPECT_EQ(held(SQRTDK_SOFTMAX, without).verdict, SQRTDK_HOLDS);
}

TEST(CInterface, KnowsTheCaseInWhichAKernelCrashesHangsOrEndsItsThread) {
#if __has_include(<sys/wait.h>) && !defined(__SANITIZE_THREAD__)
  sqrtdk_options options = asked();
  options.seconds = 1;
  EXPECT_EQ(held(SQRTDK_SOFTMAX, right<float>, SQRTDK_FLOAT32, options).verdict, SQRTDK_HOLDS);
  for (const auto& [end, text] : std::initializer_list<std::pair<void (*)(), const char*>>{
           {[] { std::abort(); }, "the kernel ended: Aborted"},
           {[] { std::_Exit(3); }, "the kernel ended: exit status 3"},
           {[] {
              for (volatile bool on = true; on;) continue;
            },
            "the kernel ended: no end after 1 s"}}) {
    const sqrtdk_report report = held(
        SQRTDK_SOFTMAX,
        [end = end](Call call, Arrays y) {
          if (call.logits->shape[1] > 30) end();
          return right<float>(call, y);
        },
        SQRTDK_FLOAT32, options);
    EXPECT_THAT(report.text, HasSubstr(text));
    EXPECT_THAT(report.text, HasSubstr("logits [31 × 0]"));
  }
#endif
}

TEST(CInterface, SaysThatAKernelRemembersOrDraws) {
  const Function draws = [turn = 0](Call call, Arrays y) mutable {
    right<float>(call, y);
    if (++turn % 97 == 0) *static_cast<float*>(y->data) += 1;
    return 0;
  };
  for (const int operation : {SQRTDK_SOFTMAX, SQRTDK_ATTENTION})
    EXPECT_THAT(held(operation, draws).text, HasSubstr("the kernel remembers, or draws"));
}

TEST(CInterface, TheLocaleOfAProgramChangesNoText) {
  struct Grouped : std::numpunct<char> {
    char do_thousands_sep() const override { return '.'; }
    char do_decimal_point() const override { return ','; }
    std::string do_grouping() const override { return "\3"; }
  };
  const std::locale before = std::locale::global(std::locale(std::locale(), new Grouped));
  std::vector<float> x = {1, 2};
  const Shape row = {1, 2};
  sqrtdk_array logits = array_of(x, row);
  logits.dtype = 0x12345678;
  sqrtdk_call call{.struct_size = sizeof(sqrtdk_call), .operation = SQRTDK_SOFTMAX};
  call.logits = &logits;
  const sqrtdk_status status = sqrtdk_exact(&call, &logits);
  std::locale::global(before);
  EXPECT_NE(status, SQRTDK_OK);
  EXPECT_THAT(sqrtdk_last_error(), HasSubstr("0x12345678"));
}

TEST(CInterface, TheProcessorsModeChangesNoNumber) {
  std::vector<float> one = {1}, two = {1, 1}, values = {1e-39F, 1e-39F};
  const Shape row = {1, 1}, column = {2, 1};
  const sqrtdk_array q = array_of(one, row), k = array_of(two, column),
                     v = array_of(values, column);
  sqrtdk_call call{.struct_size = sizeof(sqrtdk_call), .operation = SQRTDK_ATTENTION};
  call.queries = &q, call.keys = &k, call.values = &v;
  double exact = 0;
  const sqrtdk_array result{&exact, 0, SQRTDK_FLOAT64, 2, row.data(), nullptr};
  std::fenv_t before;
  std::fegetenv(&before);
  std::fesetround(FE_UPWARD);
#if defined(__SSE2__)
  _mm_setcsr(_mm_getcsr() | 0x8040U);
#endif
  const sqrtdk_status status = sqrtdk_exact(&call, &result);
  const int rounding = std::fegetround();
  std::fesetenv(&before);
  EXPECT_EQ(status, SQRTDK_OK) << sqrtdk_last_error();
  EXPECT_EQ(exact, static_cast<double>(1e-39F));
  EXPECT_EQ(rounding, FE_UPWARD);
}

TEST(CInterface, BoundsOfSampledConstantsDecideNothing) {
  const sqrtdk_kernel zeros = [](void* fails, auto* call, auto* results) {
    std::fill_n(static_cast<float*>(results->data), call->logits->shape[1], 0.0F);
    return fails == nullptr ? 0 : 1;
  };
  const auto verdict = [&](const char* profile, void* fails) {
    sqrtdk_report report = nothing;
    const sqrtdk_arithmetic arithmetic = by(SQRTDK_FLOAT32, profile);
    EXPECT_EQ(sqrtdk_hold(SQRTDK_SOFTMAX, zeros, fails, &arithmetic, nullptr, &report), SQRTDK_OK);
    return report.verdict;
  };
  int some = 0;
  EXPECT_EQ(verdict("mlas", nullptr), SQRTDK_NOT_DECIDED);
  EXPECT_EQ(verdict("mlas", &some), SQRTDK_BROKEN);
  EXPECT_EQ(verdict("plain", nullptr), SQRTDK_BROKEN);
}

TEST(CInterface, NoSampledConstantExplainsWhatIsNoMatterOfDegree) {
  // NaN, and another number where there is no bound, are wrong under any profile; so they are where an
  // error that is not decided comes before them, in another case or by another law.
  std::uint32_t also = 0;
  const auto verdict = [&](const Function& change) {
    sqrtdk_report report = nothing;
    const sqrtdk_arithmetic arithmetic = by(SQRTDK_FLOAT32, "xla-cpu");
    sqrtdk_options options = asked();
    options.also = also;
    const sqrtdk_kernel kernel = [](void* user, auto* call, auto* results) {
      right<float>(*call, results);
      return (*static_cast<const Function*>(user))(*call, results);
    };
    EXPECT_EQ(sqrtdk_hold(SQRTDK_ATTENTION, kernel, const_cast<Function*>(&change), &arithmetic,
                          &options, &report),
              SQRTDK_OK);
    return std::pair(report.verdict, std::string(report.text));
  };
  const auto first = [](Arrays y) -> float& { return *static_cast<float*>(y->data); };
  const auto a_bit_more = [=](Call, Arrays y) {
    first(y) += std::abs(first(y)) * 0x1p-10F;
    return 0;
  };
  const auto [undecided, text] = verdict(a_bit_more);
  EXPECT_EQ(undecided, SQRTDK_NOT_DECIDED);
  EXPECT_THAT(text, HasSubstr("attention: beyond a bound that does not decide in case"));
  EXPECT_EQ(verdict([=](Call, Arrays y) {
              first(y) = NAN;
              return 0;
            }).first,
            SQRTDK_BROKEN);
  EXPECT_EQ(verdict([=](Call call, Arrays y) {
              return call.keys->shape[0] > 30 ? 9 : a_bit_more(call, y);
            }).first,
            SQRTDK_BROKEN);
  also = SQRTDK_ALSO_REPEATED;
  const auto alternating = [=, turn = 0](Call, Arrays y) mutable {
    first(y) += ++turn % 2 == 0 ? 0.25F : 0.5F;
    return 0;
  };
  EXPECT_THAT(verdict(alternating).second,
              ContainsRegex("broken in case 1,(.|\n)*repeated calls: error"));
  also = 0;
  // A query that sees no key gets 0, and nothing else.
  const auto [broken, why] = verdict([=](Call call, Arrays y) {
    const bool sees = call.mask == nullptr || static_cast<const bool*>(call.mask->data)[0];
    if (!sees && call.mask->shape[1] == 1) first(y) = 0.25F;
    return 0;
  });
  EXPECT_EQ(broken, SQRTDK_BROKEN) << why;
  EXPECT_THAT(why, HasSubstr("error 0.25 of a bound of 0"));
}

TEST(CInterface, SaysWhereNothingIsPromised) {
  // A sum in half precision is promised nothing, with an exponential as bad as that.
  sqrtdk_arithmetic arithmetic = by(SQRTDK_FLOAT16, "exp_ulps=1e6");
  arithmetic.computed_in = SQRTDK_FLOAT16;
  sqrtdk_report report = nothing;
  EXPECT_EQ(sqrtdk_hold(
                SQRTDK_LOG_SUM_EXP,
                [](void*, auto* call, auto* results) { return right<Eigen::half>(*call, results); },
                nullptr, &arithmetic, nullptr, &report),
            SQRTDK_OK);
  EXPECT_EQ(report.verdict, SQRTDK_VACUOUS);
  EXPECT_THAT(report.text,
              HasSubstr("log-sum-exp: nothing is promised in any case of accuracy in"));
}

TEST(CInterface, StoresResultsOfNamedKernelsAsTheyAre) {
  std::vector<Eigen::bfloat16> x(4, Eigen::bfloat16(0));
  std::vector<double> bound(4), wide(4);
  const Shape shape{4};
  const sqrtdk_array logits = array_of(x, shape), narrow = array_of(bound, shape);
  const sqrtdk_array wider = array_of(wide, shape);
  sqrtdk_call call{.struct_size = sizeof call, .logits = &logits};
  sqrtdk_arithmetic arithmetic = by(SQRTDK_BFLOAT16, "mlas");
  ASSERT_EQ(sqrtdk_bound(&call, &arithmetic, &narrow), SQRTDK_OK) << sqrtdk_last_error();
  arithmetic.stored_in = SQRTDK_FLOAT32;
  ASSERT_EQ(sqrtdk_bound(&call, &arithmetic, &wider), SQRTDK_OK);
  EXPECT_GT(bound[0], 1000 * wide[0]);
}

TEST(CInterface, AsksForNothingThatAKernelDoesNotTake) {
  const Function plain = [](Call call, Arrays results) {
    const bool plainly = !call.mask && !call.bias && !call.causal && !call.scale &&
                         (!call.temperature || *call.temperature == 1);
    return plainly ? right<float>(call, results) : 77;
  };
  for (const auto& [operation, text] :
       {std::pair{SQRTDK_SOFTMAX, "not tried: scores of −∞\n"},
        std::pair{SQRTDK_ATTENTION_GRADIENT, "not tried: biases\n  not tried: causal masks"}}) {
    EXPECT_THAT(held(operation, plain).text, HasSubstr("the kernel returned 77"));
    const sqrtdk_report report = held(operation, plain, SQRTDK_FLOAT32, asked(127));
    EXPECT_EQ(report.verdict, SQRTDK_HOLDS) << report.text;
    EXPECT_THAT(report.text, HasSubstr(text));
  }
  const Function zero = misled([](auto& call) { call.empty_rows = SQRTDK_EMPTY_ZERO; });
  for (const std::int32_t rows : {SQRTDK_EMPTY_NAN, SQRTDK_EMPTY_MEAN})
    for (const auto& [kernel, verdict] :
         {std::pair<Function, int>{right<float>, SQRTDK_HOLDS}, {zero, SQRTDK_BROKEN}})
      EXPECT_EQ(held(SQRTDK_ATTENTION, kernel, SQRTDK_FLOAT32, asked(0, rows)).verdict, verdict);
  EXPECT_EQ(held(SQRTDK_ATTENTION, zero, SQRTDK_FLOAT32, asked(0, SQRTDK_EMPTY_ANY)).verdict,
            SQRTDK_HOLDS);
}

TEST(CInterface, AsksForLawsOfCallsThatAKernelPromises) {
  // A bit less in every other call.
  const Function alternating = [turn = 0](Call call, Arrays y) mutable {
    right<float>(call, y);
    auto* const first = static_cast<float*>(y->data);
    const std::int64_t count = y->shape[0] * y->shape[1] * (turn++ % 2);
    for (std::int64_t i = 0; i < count; ++i) first[i] *= 1 - 0x1p-24F;
    return 0;
  };
  const Function touchy = [](Call call, Arrays y) {
    const auto* const x = static_cast<const float*>(call.values->data);
    const std::int64_t count = call.values->shape[0] * call.values->shape[1];
    return std::any_of(x, x + count, [](float v) { return std::isnan(v); }) ? 8
                                                                            : right<float>(call, y);
  };
  sqrtdk_options options = asked();
  for (const auto& [operation, kernel, also, text] :
       {std::tuple{SQRTDK_SOFTMAX, alternating, SQRTDK_ALSO_REPEATED, "repeated calls: error"},
        {SQRTDK_ATTENTION, alternating, SQRTDK_ALSO_REPEATED, "repeated calls: error"},
        {SQRTDK_ATTENTION, touchy, SQRTDK_ALSO_POISON, "the kernel returned 8"},
        {SQRTDK_ATTENTION, Function(right<float>), SQRTDK_ALSO_QUERIES, "the kernel returned 2"}}) {
    options.also = 0;
    EXPECT_EQ(held(operation, kernel, SQRTDK_FLOAT32, options).verdict, SQRTDK_HOLDS) << text;
    options.also = also;
    EXPECT_THAT(held(operation, kernel, SQRTDK_FLOAT32, options).text, HasSubstr(text));
  }
  options.also = SQRTDK_ALSO_REPEATED | SQRTDK_ALSO_POISON;
  EXPECT_EQ(held(SQRTDK_ATTENTION, right<float>, SQRTDK_FLOAT32, options).verdict, SQRTDK_HOLDS);
}

sqrtdk_report found(Call call, Arrays results, const sqrtdk_arithmetic& arithmetic) {
  sqrtdk_report report = nothing;
  EXPECT_EQ(sqrtdk_check(&call, results, &arithmetic, &report), SQRTDK_OK) << sqrtdk_last_error();
  return report;
}

TEST(CInterface, ChecksRowsWhereverTheyLie) {
  const Shape shape{2, 3}, backwards{-3, -1}, one{2, 1};
  std::vector<float> x{1, 2, 3, -INFINITY, 0, 0}, y(6);
  std::vector<double> exact(6), bound(6);
  sqrtdk_array logits = array_of(x, shape), to = array_of(exact, shape);
  sqrtdk_array bounds = array_of(bound, shape);
  sqrtdk_call call{.struct_size = sizeof call, .logits = &logits};
  sqrtdk_arithmetic arithmetic = by(SQRTDK_FLOAT32);
  ASSERT_EQ(sqrtdk_exact(&call, &to), SQRTDK_OK);
  const double last = 1 / (1 + std::exp(-1.) + std::exp(-2.));
  EXPECT_THAT(exact, ElementsAre(_, _, DoubleEq(last), 0, 0.5, 0.5));
  ASSERT_EQ(sqrtdk_bound(&call, &arithmetic, &bounds), SQRTDK_OK);
  const auto small = AllOf(Gt(0), Lt(1e-6));
  EXPECT_THAT(bound, ElementsAre(small, small, small, 0, small, small));  // what is masked is 0
  // A kernel with a name, and what it is said to do.
  std::vector<double> named(6);
  const sqrtdk_array of_named = array_of(named, shape);
  arithmetic.profile = "mlas";
  ASSERT_EQ(sqrtdk_bound(&call, &arithmetic, &of_named), SQRTDK_OK);
  EXPECT_NE(named, bound);
  arithmetic.profile = "any_order exp_ulps=1.5 by_reciprocal";
  ASSERT_EQ(sqrtdk_bound(&call, &arithmetic, &bounds), SQRTDK_OK);
  EXPECT_EQ(named, bound);
  to = array_of(exact, shape, 0, &one);  // an entry of a result that is one of the next row
  EXPECT_REFUSED(INVALID, "exact[0].strides[0] is 2, but must", sqrtdk_exact(&call, &to));
  // From the last entry to the first, as the strides have it; the offset is in bytes.
  logits = array_of(x, shape, 20, &backwards), to = array_of(exact, shape, 40, &backwards);
  ASSERT_EQ(sqrtdk_exact(&call, &to), SQRTDK_OK);
  EXPECT_THAT(exact, ElementsAre(_, _, DoubleEq(last), 0, 0.5, 0.5));
  std::copy(exact.begin(), exact.end(), y.begin());
  const sqrtdk_array weights = array_of(y, shape, 20, &backwards);
  EXPECT_EQ(found(call, &weights, arithmetic).verdict, SQRTDK_HOLDS);
  y[4] = 0.25F;
  const sqrtdk_report report = found(call, &weights, arithmetic);
  EXPECT_EQ(report.verdict, SQRTDK_BROKEN);
  EXPECT_EQ(report.row * 10 + report.column, 1);
  EXPECT_THAT((std::vector{report.computed, report.exact, report.error}),
              ElementsAre(0.25, 0.5, 0.25));
  EXPECT_THAT(report.text,
              HasSubstr("5 of 6 numbers are within their bounds; the farthest beyond "
                        "its own, results[0] at row 0, column 1 is 0x1p-2 = 0.25 instead of"));
  // Logarithms of sums, which are as exact as they are stored.
  call.operation = SQRTDK_LOG_SUM_EXP, to = array_of(exact, one), bounds = array_of(bound, one);
  ASSERT_EQ(sqrtdk_exact(&call, &to), SQRTDK_OK);
  EXPECT_DOUBLE_EQ(exact[1], 3 - std::log(last));
  arithmetic.stored_in = SQRTDK_BFLOAT16;
  ASSERT_EQ(sqrtdk_bound(&call, &arithmetic, &bounds), SQRTDK_OK);
  EXPECT_GT(bound[1], 3. / 256);
  arithmetic.stored_in = SQRTDK_FLOAT64;
  EXPECT_EQ(found(call, &to, arithmetic).verdict, SQRTDK_HOLDS);
  exact[1] += 1e-5;
  EXPECT_EQ(found(call, &to, arithmetic).beyond, 1U);
}

TEST(CInterface, MakesNoPassOfNoPromise) {
  std::vector<Eigen::half> halves(4096, Eigen::half(0));
  const Shape many{4096};
  const sqrtdk_array flat = array_of(halves, many);
  const sqrtdk_call call{.struct_size = sizeof call, .logits = &flat};
  sqrtdk_arithmetic arithmetic = by(SQRTDK_FLOAT16, " flushing  any_order ");
  EXPECT_EQ(found(call, &flat, arithmetic).verdict, SQRTDK_BROKEN);
  arithmetic.computed_in = SQRTDK_FLOAT16;
  sqrtdk_report report = found(call, &flat, arithmetic);
  EXPECT_EQ(report.verdict, SQRTDK_VACUOUS);
  EXPECT_EQ(report.unbounded, 4096U);
  halves[0] = Eigen::half(NAN);
  EXPECT_REFUSED(UNSUPPORTED, "a logit is nan, but must",
                 sqrtdk_check(&call, &flat, &arithmetic, &report));
  EXPECT_EQ(report.verdict, SQRTDK_NOT_COVERED);
}

TEST(CInterface, ChecksHeads) {
  std::vector<double> q{1, 0}, k{1, 2, 3, 4}, v{2, 6}, o{4, 4}, g{1, 1}, exact(6);
  std::vector<std::uint8_t> one_key{1, 0};
  const Shape two{2, 1}, four{2, 2}, shared{0, 1};
  const sqrtdk_array queries = array_of(q, two), output = array_of(o, two);
  const sqrtdk_array gradient = array_of(g, two), mask = array_of(one_key, four, 0, &shared);
  sqrtdk_array keys = array_of(k, two, 0, &two), values = array_of(v, two), to[3];
  for (std::uint64_t i = 0; i < 3; ++i) to[i] = array_of(exact, two, 16 * i);
  double scale = 0;
  const sqrtdk_arithmetic arithmetic = by(SQRTDK_FLOAT64);
  sqrtdk_call call{.struct_size = sizeof call, .operation = SQRTDK_ATTENTION};
  call.queries = &queries, call.keys = &keys, call.values = &values;
  ASSERT_EQ(sqrtdk_exact(&call, to), SQRTDK_OK);
  EXPECT_DOUBLE_EQ(exact[0], (2 + 6 * std::exp(2.)) / (1 + std::exp(2.)));
  EXPECT_EQ(exact[1], 4);
  EXPECT_EQ(found(call, &output, arithmetic).beyond, 1U);
  call.scale = &scale;
  EXPECT_EQ(found(call, &output, arithmetic).verdict, SQRTDK_HOLDS);
  call.mask = &mask, v[1] = NAN, o = {2, 2};  // both rows of the mask are one
  EXPECT_EQ(found(call, &output, arithmetic).verdict, SQRTDK_HOLDS);
  call.mask = nullptr;
  EXPECT_REFUSED(UNSUPPORTED, "a value is nan, but must", sqrtdk_exact(&call, to));
  // With a scale of 0 a gradient reaches the values alone, half of it each.
  call.operation = SQRTDK_ATTENTION_GRADIENT, call.output_gradient = &gradient, v[1] = 6;
  ASSERT_EQ(sqrtdk_exact(&call, to), SQRTDK_OK);
  EXPECT_THAT(exact, ElementsAre(0, 0, 0, 0, 1, 1));
  EXPECT_EQ(found(call, to, arithmetic).verdict, SQRTDK_HOLDS);
  exact[5] = 2;
  EXPECT_EQ(found(call, to, arithmetic).result, 2);
  // Arguments that do not fit.
  const sqrtdk_arithmetic single = by(SQRTDK_FLOAT64, "pytorch-cuda-math");
  EXPECT_REFUSED(INVALID, "computed_in is 0x12002, but must hold",
                 sqrtdk_bound(&call, &single, to));
  call.empty_rows = SQRTDK_EMPTY_NAN, scale = NAN;
  EXPECT_REFUSED(INVALID, "scale is nan, but must be finite", sqrtdk_exact(&call, to));
  call.scale = nullptr;
  EXPECT_REFUSED(INVALID, "empty_rows is 2, but must", sqrtdk_exact(&call, to));
  call.empty_rows = SQRTDK_EMPTY_ZERO, values.dtype = SQRTDK_FLOAT32;
  EXPECT_REFUSED(INVALID, "values.dtype is 0x12002, but must be 0x14002", sqrtdk_exact(&call, to));
  values = array_of(k, four);
  EXPECT_REFUSED(INVALID, "exact[2].shape is [2][1], but must be [2][2]", sqrtdk_exact(&call, to));
  values = array_of(v, two), call.operation = SQRTDK_ATTENTION;
  EXPECT_REFUSED(INVALID, "output_gradient is there, but", sqrtdk_exact(&call, to));
  call.output_gradient = nullptr, keys.shape = four.data();
  EXPECT_REFUSED(INVALID, "the keys 2 x 2, but must have as many", sqrtdk_exact(&call, to));
}

TEST(CInterface, RefusesWrongArguments) {
  std::vector<float> x(5);
  std::vector<double> exact(4);
  Shape shape{4}, step{1};
  sqrtdk_array a = array_of(x, shape, 0, &step);
  const sqrtdk_array to = array_of(exact, shape, 0, &step);
  sqrtdk_call call{.struct_size = sizeof call, .logits = &a};
  sqrtdk_arithmetic arithmetic = by(SQRTDK_FLOAT32);
  sqrtdk_report report = nothing;
  double temperature = 0;
  EXPECT_EQ(sqrtdk_abi_version(), SQRTDK_ABI_VERSION);
  // Each is wrong alone, and is put right again.
  const auto refuses = [&](sqrtdk_status status, auto& member, auto wrong, const char* text) {
    const auto right = std::exchange(member, static_cast<std::decay_t<decltype(member)>>(wrong));
    EXPECT_EQ(sqrtdk_check(&call, &a, &arithmetic, &report), status) << text;
    EXPECT_THAT(sqrtdk_last_error(), HasSubstr(text));
    member = right;
  };
  const auto invalid = [&](auto& member, auto wrong, const char* text) {
    refuses(SQRTDK_INVALID, member, wrong, text);
  };
  refuses(SQRTDK_UNSUPPORTED, arithmetic.dtype, 7, "arithmetic.dtype is 0x7, but must be SQRTDK_");
  EXPECT_STREQ(report.text, "");
  refuses(SQRTDK_UNSUPPORTED, a.dtype, 0x12012, "logits.dtype is 0x12012, but must be");
  invalid(arithmetic.struct_size, 4, "arithmetic.struct_size is 4, but must be from");
  invalid(arithmetic.dtype, SQRTDK_FLOAT64, "arithmetic.dtype is 0x14002, but must be 0x12002");
  invalid(arithmetic.computed_in, SQRTDK_FLOAT16, "computed_in is 0x11002, but must hold");
  invalid(arithmetic.stored_in, SQRTDK_FLOAT16, "results[0].dtype is 0x12002, but must be 0x11002");
  invalid(arithmetic.profile, "any_order exp3", "exp3, but must be of any_order blocks=");
  invalid(arithmetic.profile, "exp_ulps=nan", "exp_ulps=nan, but must have a number from 0.5");
  invalid(arithmetic.profile, "exp_ulps=0.4", "exp_ulps=0.4, but must have a number from 0.5");
  invalid(arithmetic.profile, "blocks=2.5", "blocks=2.5, but must have a number from 1 to 1e9");
  invalid(arithmetic.profile, "blocks=0", "blocks=0, but must have a number from 1 to 1e9 after =");
  invalid(arithmetic.profile, "flushing mlas", "mlas, but must be of any_order blocks=");
  refuses(SQRTDK_UNSUPPORTED, arithmetic.stored_in, 0x18002, "arithmetic.stored_in is 0x18002");
  invalid(call.empty_rows, SQRTDK_EMPTY_ANY, "empty_rows is 1, but must be 0");
  invalid(arithmetic.profile, "blocks= flushing", "blocks=, but must have a number from 1");
  invalid(call.operation, 6, "operation is 6, but must be");
  invalid(call.bias, &a, "bias is there, but must be NULL, or 0, for operation 0");
  invalid(call.logits, nullptr, "logits is NULL, but must point");
  invalid(call.temperature, &temperature, "temperature is 0, but must");
  temperature = 0.1;
  invalid(call.temperature, &temperature, "temperature is 0.1");
  invalid(report.struct_size, 8, "report.struct_size is 8, but must be from");
  invalid(a.ndim, 9, "logits.ndim is 9, but must be from 1 to 8");
  invalid(a.data, nullptr, "logits.data is NULL, but must");
  invalid(a.byte_offset, 2,
          "logits.byte_offset is 2, but must stay in memory, and lead to a multiple of 4");
  invalid(a.byte_offset, UINT64_MAX - 3, "logits.byte_offset is 18446744073709551612, but must");
  invalid(shape[0], -1, "logits.shape[0] is -1, but must be at least 1");
  invalid(shape[0], INT64_MAX, "logits.shape[0] is 9223372036854775807, but must");
  invalid(shape[0], 0, "logits.shape[0] is 0, but must be at least 1");
  invalid(step[0], INT64_MIN, "logits.strides[0] is -9223372036854775808, but must");
  EXPECT_EQ(found(call, &a, arithmetic).verdict, SQRTDK_BROKEN);
  step[0] = 0;
  EXPECT_REFUSED(INVALID, "exact[0].strides[0] is 0, but must", sqrtdk_exact(&call, &to));
  EXPECT_REFUSED(INVALID, "call is NULL", sqrtdk_exact(nullptr, &to));
  EXPECT_REFUSED(INVALID, "report is NULL", sqrtdk_check(&call, &a, &arithmetic, nullptr));
  sqrtdk_options options = asked(128);
  const sqrtdk_kernel kernel = [](auto*, auto*, auto*) { return 0; };
  EXPECT_REFUSED(INVALID, "kernel is NULL",
                 sqrtdk_hold(SQRTDK_SOFTMAX, nullptr, nullptr, &arithmetic, nullptr, &report));
  EXPECT_REFUSED(INVALID, "options.without is 128",
                 sqrtdk_hold(SQRTDK_SOFTMAX, kernel, nullptr, &arithmetic, &options, &report));
  EXPECT_EQ(report.verdict, SQRTDK_NO_VERDICT);
  options.without = 0, options.also = SQRTDK_ALSO_POISON;
  EXPECT_REFUSED(INVALID, "options.also is 2",
                 sqrtdk_hold(SQRTDK_SOFTMAX, kernel, nullptr, &arithmetic, &options, &report));
  // A later version's struct is taken as long as it asks for nothing new.
  std::pair<sqrtdk_arithmetic, std::uint64_t> grown{arithmetic, 0};
  grown.first.struct_size = sizeof grown;
  EXPECT_EQ(found(call, &a, grown.first).verdict, SQRTDK_BROKEN);
  EXPECT_EQ(found(call, &a, by(SQRTDK_FLOAT32, "mlas")).verdict, SQRTDK_NOT_DECIDED);
  grown.second = 1;
  EXPECT_REFUSED(INVALID, "arithmetic is of a later version, but must say nothing",
                 sqrtdk_check(&call, &a, &grown.first, &report));
}

}  // namespace
