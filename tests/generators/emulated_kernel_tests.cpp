// The emulator computes what processors do, bit for bit.
#include <sqrtdk/testing/generators/attention_cases.hpp>
#include <sqrtdk/testing/generators/emulated_kernel.hpp>
#include <sqrtdk/testing/generators/floating_point.hpp>

#include <Eigen/Core>
#include <gtest/gtest.h>
#include <tests/broken_kernels.hpp>
#include <tests/fixed_draws.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

namespace {

using namespace sqrtdk;
using namespace sqrtdk::testing;

TEST(EmulatedFormat, RoundsAsProcessorsDo) {
  const EmulatedFormat single{format_limits<float>()}, half{half_limits};
  const EmulatedFormat bfloat{format_limits<Eigen::bfloat16>()};
  for (const double x : fixed_draws(floats<double>(), 4000))
    EXPECT_EQ(single(x), static_cast<double>(static_cast<float>(x)));
  for (const float x : fixed_draws(floats<float>(), 4000)) {
    EXPECT_EQ(half(x), static_cast<double>(through<Eigen::half>(x)));
    EXPECT_EQ(bfloat(x), static_cast<double>(through<Eigen::bfloat16>(x)));
  }
}

TEST(EmulatedFormat, FlushesAndSaturates) {
  const EmulatedFormat flushing{half_limits, true}, saturating{e4m3_limits, false, true};
  EXPECT_EQ(flushing(0x1.8p-15), 0);
  EXPECT_EQ(flushing(-0x1p-14), -0x1p-14);
  EXPECT_EQ(saturating(-1000), -448);
  EXPECT_EQ(EmulatedFormat{half_limits}(65520), std::numeric_limits<double>::infinity());
}

const AttentionSteps plain{
    .scaled = [](float s, const auto& options, float d,
                 float) { return s * options.scale.value_or(1 / std::sqrt(d)); },
    .weights =
        [](const auto& scores) {
          return softmax_with({.power = [](float t) {
            return static_cast<float>(std::exp(double{t}));
          }})(scores, 1);
        }};

TEST(EmulatedKernel, OfPlainArithmeticIsPlainCode) {
  const FloatAttention native = attention_with(plain);
  const EmulatedKernel emulated;
  for (const auto& x : fixed_draws(attention_cases<float>({.cotangent = false}), 2000))
    EXPECT_EQ(emulated(x), native(x)) << sqrtdk::testing::detail::case_text(x);
}

TEST(EmulatedKernel, TakesKeysInLikeFlashAttention) {
  // Exponentials of 0 and of what underflows are the same in any library.
  const FloatAttention native = flash_attention({.block = 3});
  EmulatedKernel emulated;
  emulated.arithmetic = emulated.arithmetic.tiled(3);
  for (auto x : fixed_draws(attention_cases<float>({.most_keys = 12, .cotangent = false}), 2000)) {
    x.options.bias = {};
    x.options.scale = 1;
    for (float& q : x.queries.reshaped()) q = 128;
    x.keys = x.keys.unaryExpr([](float k) { return std::round(k); });
    EXPECT_EQ(emulated(x), native(x)) << sqrtdk::testing::detail::case_text(x);
  }
}

TEST(EmulatedKernel, RefusesWhatItDoesNotEmulate) {
  const auto weights_of = [](const SoftmaxArithmetic& arithmetic) {
    return EmulatedKernel{.arithmetic = arithmetic}(std::vector<float>{0, 1}, 1);
  };
  EXPECT_THROW(weights_of(arithmetic_of<float>()), std::invalid_argument);
  EXPECT_THROW(weights_of(arithmetic_of<double>().any_order()), std::invalid_argument);
}

}  // namespace
