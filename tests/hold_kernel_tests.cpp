// SPDX-License-Identifier: BSL-1.0
// The test that people copy kills each bug of the zoo, whatever the seed, and no right kernel.
#include <sqrtdk/softmax_arithmetic.hpp>
#include <sqrtdk/testing/generators/attention_cases.hpp>
#include <sqrtdk/testing/hold_kernel.hpp>
#include <sqrtdk/testing/laws/attention_laws.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/mutant_run.hpp>

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <tests/broken_kernels.hpp>

#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace sqrtdk;
using namespace sqrtdk::testing;

const SoftmaxArithmetic in_order = arithmetic_of<float>().any_order();

/// What a test says that fails; nothing if it does not.
std::string failure_of(const std::function<void()>& test) {
  ::testing::TestPartResultArray failures;
  {
    using Reporter = ::testing::ScopedFakeTestPartResultReporter;
    const Reporter reporter(Reporter::INTERCEPT_ONLY_CURRENT_THREAD, &failures);
    test();
  }
  return failures.size() == 0 ? "" : failures.GetTestPartResult(0).message();
}

/// Whether a test fails; the case is not made simpler, which would take most of the time.
bool fails(const std::function<void()>& test) {
  checking_a_mutant() = true;
  const bool failed = !failure_of(test).empty();
  checking_a_mutant() = false;
  return failed;
}

/// What a test prints.
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
       {"softmax: all laws are kept in 2", "accuracy: 0.", "of the bound at most, at",
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

TEST(HoldAttention, HasNoPowerWhereNothingIsPromised) {
  SoftmaxArithmetic coarse = in_order;
  coarse.unit_roundoff = 0.25;
  const std::string said =
      output_of([&] { hold_attention<float>(attention_with({}), coarse, {.masks = false}, 20); });
  EXPECT_NE(said.find("no power against zeros"), std::string::npos) << said;
  EXPECT_NE(said.find("said nothing"), std::string::npos) << said;
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
  EXPECT_NE(failure_of([&] {
              hold_attention<float>(mean, in_order);
            }).find("see AttentionConventions::empty_rows"),
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
