// The test that people copy kills each bug of the zoo, whatever the seed, and no right kernel.
#include <sqrtdk/softmax_error/arithmetic.hpp>
#include <sqrtdk/testing/generators/attention_cases.hpp>
#include <sqrtdk/testing/hold_kernel.hpp>
#include <sqrtdk/testing/laws/call_laws.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/mutant_run.hpp>

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <tests/broken_kernels.hpp>

#include <cfenv>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace {

using namespace sqrtdk;
using namespace sqrtdk::testing;

const SoftmaxArithmetic in_order = arithmetic_of<float>().any_order();

std::string failure_of(const std::function<void()>& test) {
  ::testing::TestPartResultArray failures;
  {
    using Reporter = ::testing::ScopedFakeTestPartResultReporter;
    const Reporter reporter(Reporter::INTERCEPT_ONLY_CURRENT_THREAD, &failures);
    test();
  }
  return failures.size() == 0 ? "" : failures.GetTestPartResult(0).message();
}

/// True if a test fails; the case is not made simpler, which would take most of the time.
bool fails(const std::function<void()>& test) {
  checking_a_mutant() = true;
  const bool failed = !failure_of(test).empty();
  checking_a_mutant() = false;
  return failed;
}

std::string output_of(const std::function<void()>& test) {
  ::testing::internal::CaptureStdout();
  test();
  return ::testing::internal::GetCapturedStdout();
}

TEST(HoldSoftmax, KillsEachBug) {
  for (const auto& [bug, kernel] : broken_softmax_kernels())
    EXPECT_TRUE(fails([&softmax = kernel] { hold_softmax<float>(softmax, in_order); })) << bug;
}

TEST(HoldAttention, KillsEachBug) {
  for (const auto& [bug, kernel] : broken_attention_kernels())
    EXPECT_TRUE(fails([&attention = kernel] { hold_attention<float>(attention, in_order); }))
        << bug;
}

TEST(HoldSoftmax, SaysHowNearARightKernelComesAndWhatWouldHaveBeenSeen) {
  const std::string said = output_of([] { hold_softmax<float>(softmax_with({}), in_order); });
  for (const char* part :
       {"softmax: all laws are kept in ", "accuracy: 0.", "of the bound at most, at",
        "probability: ", "order: without any error", "shift by 1: ", "permutation, the reverse: ",
        "temperature, doubled: ", "power: broken on purpose and seen: zeros 60/60"})
    EXPECT_NE(said.find(part), std::string::npos) << part << " is not in\n" << said;
  EXPECT_EQ(said.find("no power"), std::string::npos) << said;
}

TEST(HoldSoftmax, AsksForNothingThatAKernelDoesNotTake) {
  const FloatSoftmax picky = [](const std::vector<float>& x, float tau) {
    if (tau != 1 || x.size() > 16) throw std::invalid_argument("unsupported");
    for (const float score : x)
      if (!(std::abs(score) <= 50)) throw std::domain_error("a score is too large");
    return softmax_with({})(x, tau);
  };
  const SoftmaxShapes shapes = {.longest = 16,
                                .largest = 50,
                                .masked = false,
                                .least_temperature = 1,
                                .greatest_temperature = 1};
  const std::string said = output_of([&] { hold_softmax<float>(picky, in_order, shapes); });
  EXPECT_NE(said.find("not tried: scores of −∞"), std::string::npos) << said;
  EXPECT_NE(said.find("not tried: other temperatures"), std::string::npos) << said;
  EXPECT_TRUE(fails([&] { hold_softmax<float>(picky, in_order); }));
}

/// Modes of the processor that a library may have left: rounding upward, traps, subnormal numbers as 0.
std::vector<std::pair<const char*, std::function<void()>>> modes() {
  std::vector<std::pair<const char*, std::function<void()>>> all = {
      {"upward", [] { std::fesetround(FE_UPWARD); }}};
#if defined(__GLIBC__)
  all.emplace_back("traps", [] { feenableexcept(FE_DIVBYZERO | FE_OVERFLOW | FE_INVALID); });
#endif
#if defined(__SSE2__)
  all.emplace_back("flushed", [] { _mm_setcsr(_mm_getcsr() | 0x8040U); });
#endif
  return all;
}

TEST(FloatEnvironmentOfKernels, ChangesNoVerdict) {
  const auto tiny = [](float value) {
    AttentionCase<float> input{Matrix<float>::Ones(1, 1),
                               Matrix<float>::Ones(2, 1),
                               Matrix<float>::Constant(2, 1, value),
                               {},
                               {}};
    return input;
  };
  for (const auto& mode : modes()) {
    const char* const name = mode.first;
    const std::function<void()>& set = mode.second;
    const DefaultFloatEnvironment restored;
    set();
    const AttentionCase<float> input = tiny(1e-39F);
    EXPECT_TRUE(output_law<float>([&](const auto& x) -> Matrix<float> { return x.values.row(0); },
                                  input, in_order)
                    .holds())
        << name;
    EXPECT_FALSE(
        output_law<float>([&](const auto&) { return Matrix<float>::Constant(1, 1, 7e-39F); }, input,
                          in_order)
            .holds())
        << name;
    hold_softmax<float>(softmax_with({}), in_order, {.longest = 65});
    // Settings that a kernel leaves behind are undone, and set again for the next call.
    const FloatSoftmax careless = [&](const std::vector<float>& x, float tau) {
      EXPECT_EQ(std::fegetround(), FE_TONEAREST) << name;
      std::vector<float> y = softmax_with({})(x, tau);
      set();
      return y;
    };
    hold_softmax<float>(careless, in_order, {.longest = 65});
  }
}

TEST(HoldAttention, TakesRightKernelsAndSaysWhatItHasNotTried) {
  hold_attention<float>(flash_attention({}), in_order.one_pass(5));
  const std::string said = output_of([] {
    hold_attention<float>(attention_with({}), in_order, {.masks = false, .scales = false});
  });
  for (const char* part : {"attention: all laws are kept in ", "output: 0.", "not tried: biases",
                           "not tried: scales other than"})
    EXPECT_NE(said.find(part), std::string::npos) << part << " is not in\n" << said;
  EXPECT_EQ(said.find("no power"), std::string::npos) << said;
}

using Case = AttentionCase<float>;
using Heads = std::vector<Case>;
using Kernel = AttentionKernel<float>;
const FloatAttention right = attention_with({});
/// The same with sums in another order.
const FloatSoftmax backwards = softmax_with({.sum = [](const auto& powers) {
  return std::accumulate(powers.rbegin(), powers.rend(), 0.F);
}});
const FloatAttention other =
    attention_with({.weights = [](const auto& scores) { return backwards(scores, 1); }});

/// Logarithms that are taken in base 2, and multiplied by a factor in the end.
Matrix<float> logarithms_of(const Case& input, float factor = 0.69314718F) {
  const Eigen::Index n = input.queries.rows(), m = input.keys.rows();
  const sqrtdk::detail::Visibility<float> sees(input.options, n, m);
  Matrix<float> logs = Matrix<float>::Constant(n, 1 + m, -INFINITY);
  Eigen::Index i = 0;
  attention_with({.weights = [&](const std::vector<float>& scores) {
    while (sees.of(i).empty() && !input.sink) ++i;
    float sum = 0;
    for (const float s : scores) sum += std::exp2((s - greatest(scores)) * 1.44269504F);
    logs(i, 0) = (greatest(scores) * 1.44269504F + std::log2(sum)) * factor;
    for (Eigen::Index j = 0; j < m; ++j)
      logs(i, 1 + j) = scores[static_cast<std::size_t>(j)] - logs(i, 0);
    ++i;
    return std::vector<float>(scores.size());
  }})(input);
  return logs;
}

/// Each head by itself, with the keys and values of the first of its group; or tiled.
std::vector<Matrix<float>> each_head(const Heads& heads, std::size_t g, bool tiled = false) {
  std::vector<Matrix<float>> outputs;
  for (std::size_t h = 0; h < heads.size(); ++h) {
    Case one = heads[tiled ? h * g % heads.size() : h - h % g];
    one.queries = heads[h].queries;
    outputs.push_back(right(one));
  }
  return outputs;
}

TEST(HoldAttention, AsksForEveryCallAndOneLawAloneSeesItsBug) {
  const AttentionConventions all = {.sinks = true,
                                    .ignores_masked = true,
                                    .deterministic = true,
                                    .batch_invariant = true,
                                    .sizes = {9, 65, 33, 9}};
  const Kernel every_call = {right, [](const Case& x) { return logarithms_of(x); },
                             [](const Heads& x, std::size_t g) { return each_head(x, g); },
                             [](const Case& x, Matrix<float>& output) { output = right(x); }};
  EXPECT_EQ(output_of([&] { hold_attention(every_call, in_order, all, 9); }).find("not tried"),
            std::string::npos);

  Case sunk = attention_edge_cases<float>()[1];
  sunk.sink = 20.F;
  EXPECT_TRUE(convexity_law<float>(right, sunk, in_order).holds());
  EXPECT_THROW(ExactAttention{sunk}, std::invalid_argument);
  const auto kills = [&](const char* bug, const std::string& law, const Kernel& kernel) {
    checking_a_mutant() = true;  // no case is made simpler
    const std::string found = failure_of([&] { hold_attention(kernel, in_order, all, 1); });
    checking_a_mutant() = false;
    EXPECT_NE(found.find(law + ": error"), std::string::npos) << bug << ": " << found;
  };
  kills("base 2 (sglang 40903)", "logarithms",
        {.attention = right, .logarithms = [](const Case& x) { return logarithms_of(x, 1); }});
  kills("weights that underflow", "logarithms",
        {right, [](const Case& x) {
           Matrix<float> logs = logarithms_of(x);
           logs.rightCols(x.keys.rows()) = logs.rightCols(x.keys.rows()).array().exp().log();
           return logs;
         }});
  kills("tiled (onnx 7274)", "grouped heads",
        {.attention = right,
         .heads = [](const Heads& x, std::size_t g) { return each_head(x, g, true); }});
  kills("aliasing (llama.cpp 27096)", "calls in place",
        {.attention = right, .into = [](const Case& x, Matrix<float>& output) {
           for (Eigen::Index c = 0; c < output.cols(); ++c) output.col(c) = right(x).col(c);
         }});

  const auto of = [&](const char* bug, const std::string& law, const FloatAttention& broken) {
    kills(bug, law, {broken});
    AttentionConventions may = all;  // without the law
    may.sinks = law != "output";
    may.deterministic = law != "repeated calls";
    may.batch_invariant = may.ignores_masked = law == "output";
    EXPECT_EQ(failure_of([&] { hold_attention<float>(broken, in_order, may, 1); }), "") << bug;
  };
  of("sink scaled", "output", attention_with({.before = [](Case& x) {
       if (x.sink) *x.sink *= x.options.scale.value_or(1 / std::sqrt(float(x.queries.cols())));
     }}));
  of("orders by turns", "repeated calls",
     [turn = 0](const Case& x) mutable { return (++turn % 2 ? right : other)(x); });
  const std::string in_batch = "other queries in the batch";
  of("batch variance (FlashMLA 212)", in_batch,
     [](const Case& x) { return (x.queries.rows() > 1 ? right : other)(x); });
  of("the first query in another order", in_batch, [](const Case& x) {
    Matrix<float> output = right(x);
    output.row(0) = other(x).row(0);
    return output;
  });
  of("a neighbour is read (flashinfer 3838)", in_batch, [](const Case& x) -> Matrix<float> {
    return right(x).array() + 0 * x.queries(x.queries.rows() - 1, 0);
  });
  const std::string poison = "poison in what is masked";
  of("0 times NaN (pytorch 101967)", poison, [](const Case& x) -> Matrix<float> {
    return right(x) + Matrix<float>::Zero(x.queries.rows(), x.keys.rows()) * x.values;
  });
  of("padding is read", poison, [](const Case& x) -> Matrix<float> {
    const Matrix<float> output = right(x), last = output.bottomRows(1);
    return output.array() + (last.isZero(0) ? 0 * x.queries(x.queries.rows() - 1, 0) : 0);
  });
  of("a mask that is added", poison, attention_with({.before = [](Case& x) {
       if (!x.options.allowed || !x.options.bias) return;
       for (Eigen::Index i = 0; i < x.options.bias->size(); ++i)
         (*x.options.bias)(i) += (*x.options.allowed)(i) ? 0.F : -INFINITY;
       x.options.allowed.reset();
     }}));
}

TEST(RepeatedLaw, SeesWhatIsLeftOfACall) {
  float scale = 0;  // flashinfer 4014
  const auto cached = [&](Case x) {
    if (scale == 0) scale = 1 / std::sqrt(float(x.queries.cols()));
    x.options.scale = x.options.scale.value_or(scale);
    return right(x);
  };
  const Case input = attention_edge_cases<float>().back();
  EXPECT_TRUE(output_law<float>(cached, input, in_order).holds());
  scale = 0;
  EXPECT_FALSE(repeated_law<float>(cached, input, in_order).holds());
}

TEST(HoldSoftmax, ShowsTheCaseOfAKernelThatCrashesOrRemembers) {
  const auto crashes = [](const std::vector<float>& x, float tau) {
    if (x.size() > 64) std::abort();
    return softmax_with({})(x, tau);
  };
  const std::string found = failure_of(
      [&] { hold_softmax<float>(crashes, in_order, {.longest = 70, .seconds = 10}, 1); });
#if __has_include(<sys/wait.h>)
  EXPECT_NE(found.find("the kernel ended: Aborted"), std::string::npos) << found;
  EXPECT_NE(found.find("[65 × 0]"), std::string::npos) << found;
#endif
  const auto draws = [turn = 0](const std::vector<float>& x, float tau) mutable {
    std::vector<float> y = softmax_with({})(x, tau);
    if ((++turn + 500) % 997 < 9) y[0] += 1;  // all calls of a case
    return y;
  };
  const std::string drawn = failure_of([&] { hold_softmax<float>(draws, in_order); });
  EXPECT_NE(drawn.find("the kernel remembers, or draws"), std::string::npos) << drawn;
}

TEST(HoldSoftmax, AsksForTheSameBitsAgainIfThatIsSaid) {
  const auto turns = [turn = 0](const std::vector<float>& x, float tau) mutable {
    return (++turn % 2 ? backwards : softmax_with({}))(x, tau);
  };
  EXPECT_TRUE(fails([&] { hold_softmax<float>(turns, in_order, {.deterministic = true}, 1); }));
  hold_softmax<float>(turns, in_order, {.longest = 65}, 1);
  hold_softmax<float>(backwards, in_order, {.longest = 65, .deterministic = true}, 1);
}

TEST(HoldAttention, HasNoPowerWhereNothingIsPromised) {
  SoftmaxArithmetic coarse = in_order;
  coarse.unit_roundoff = 0.25;
  const std::string said =
      output_of([&] { hold_attention<float>(attention_with({}), coarse, {.masks = false}, 20); });
  EXPECT_NE(said.find("no power against zeros"), std::string::npos) << said;
  EXPECT_NE(said.find("said nothing"), std::string::npos) << said;
  const auto without_a_number = [](const AttentionCase<float>& input) -> Matrix<float> {
    return Matrix<float>::Constant(input.queries.rows(), input.values.cols(), NAN);
  };
  const std::string nan =
      failure_of([&] { hold_attention<float>(without_a_number, coarse, {.masks = false}, 1); });
  EXPECT_NE(nan.find("is NaN instead of a number"), std::string::npos) << nan;
}

TEST(HoldAttention, NamesTheCausalMaskThatItLooksLike) {
  const auto top_left = [](AttentionCase<float> input) {
    if (input.options.causal) input.options.causal = CausalAlignment::top_left;
    return attention_with({})(input);
  };
  const std::string said = failure_of([&] { hold_attention<float>(top_left, in_order, {}, 1); });
  EXPECT_NE(said.find("this is attention with a causal mask aligned top left"), std::string::npos)
      << said;
}

TEST(HoldAttention, TakesEachConvention) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto of_nothing = [](float empty) { return attention_with({.empty = empty}); };
  hold_attention<float>(of_nothing(nan), in_order, {.empty_rows = EmptyRows::nan}, 50);
  hold_attention<float>(of_nothing(nan), in_order, {.empty_rows = EmptyRows::any}, 50);
  hold_attention<float>(of_nothing(0), in_order, {.empty_rows = EmptyRows::any}, 50);
  const FloatAttention mean = [&](const AttentionCase<float>& input) {
    Matrix<float> output = of_nothing(nan)(input);
    for (Eigen::Index i = 0; i < output.rows(); ++i)
      if (std::isnan(output(i, 0))) output.row(i) = input.values.colwise().mean();
    return output;
  };
  hold_attention<float>(mean, in_order, {.empty_rows = EmptyRows::mean}, 50);
  EXPECT_NE(
      failure_of([&] { hold_attention<float>(mean, in_order); }).find("the query sees no key"),
      std::string::npos);
  EXPECT_NE(failure_of([&] {
              hold_attention<float>(of_nothing(2), in_order, {.empty_rows = EmptyRows::mean});
            }),
            "");
  // A finite number is added in the place of −∞.
  const FloatAttention adding = [&](AttentionCase<float> input) {
    if (input.options.bias) {
      EXPECT_TRUE(input.options.bias->allFinite());
    }
    return attention_with({})(input);
  };
  hold_attention<float>(adding, in_order, {.empty_rows = EmptyRows::any, .mask_value = -1e9}, 100);
}

TEST(HoldAttention, AsksForNothingThatAKernelDoesNotTake) {
  const FloatAttention picky = [](const AttentionCase<float>& input) {
    const auto& options = input.options;
    if (options.scale && !(*options.scale > 0)) throw std::domain_error("scale <= 0");
    if (options.bias || options.causal == CausalAlignment::bottom_right)
      throw std::invalid_argument("unsupported");
    return attention_with({})(input);
  };
  hold_attention<float>(picky, in_order,
                        {.biases = false, .bottom_right = false, .least_scale = 1e-30}, 100);
  EXPECT_NE(failure_of([&] { hold_attention<float>(picky, in_order); }), "");
}

TEST(HoldAttention, ShowsWhatWasPassedTheSameWhateverTheSeed) {
  std::set<std::string> simplest;
  for (int seed = 0; seed < 10; ++seed) {
    const std::string said = failure_of([] {
      for_all(
          [] {
            const auto input = drawn_attention_case<float>({.most_keys = 12, .cotangent = false});
            RC_ASSERT(output_law<float>(flash_attention({.block = 4, .rescales_sum = false}), input,
                                        in_order.one_pass(4))
                          .holds());
          },
          2000);
    });
    const std::size_t shown = said.find("Q [");
    simplest.insert(said.substr(shown, said.find("\n\n", shown) - shown));
  }
  EXPECT_EQ(simplest.size(), 1U);
  for (const std::string& one : simplest)
    EXPECT_EQ(one, "Q [[1]]\nK [4 × [0], [1]]\nV [5 × [1]]\nscale 1/√1 = 1");
}

}  // namespace
