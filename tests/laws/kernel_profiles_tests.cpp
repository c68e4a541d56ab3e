// Gradients of kernels have the counts of chapter kernels; kernels have names.
#include <sqrtdk/attention_error.hpp>
#include <sqrtdk/kernel_profiles.hpp>
#include <sqrtdk/softmax_error/accumulator.hpp>
#include <sqrtdk/softmax_error/arithmetic.hpp>

#include <Eigen/Core>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace {

using namespace sqrtdk;

using Matrix = Eigen::MatrixXd;

constexpr double u = 0x1p-24, rho = 0x1p-12;
/// Eleven digits, and numbers of any size.
constexpr FormatLimits coarse{.roundoff = 0x1p-11};
const AttentionWeightErrors weights{Matrix::Constant(2, 5, 0.25), Matrix::Constant(2, 5, rho)};

/// The bound of the first derivative by Q, by K and by V: 2 queries, 5 keys, 3 and 4 features.
Eigen::Vector3d bounds(const SoftmaxArithmetic& by, double values = 1) {
  const auto bound =
      attention_gradient_error_bound(weights, 0.5, Matrix::Ones(2, 3), Matrix::Ones(5, 3),
                                     Matrix::Constant(5, 4, values), Matrix::Ones(2, 4), by);
  return {bound.gradient.queries(0, 0), bound.gradient.keys(0, 0), bound.gradient.values(0, 0)};
}

void expect_counts(const SoftmaxArithmetic& by, double queries, double keys, double values) {
  const SoftmaxArithmetic plain = arithmetic_of<float>();
  const Eigen::Vector3d sizes = bounds(plain).cwiseQuotient(Eigen::Vector3d(
      monomial_error(rho, 2, 18, u), monomial_error(rho, 2, 15, u), monomial_error(rho, 1, 2, u)));
  const Eigen::Vector3d F(monomial_error(rho, 2, queries, u), monomial_error(rho, 2, keys, u),
                          monomial_error(rho, 1, values, u));
  const double us = by.storage_roundoff;
  const Eigen::Vector3d expected = sizes.cwiseProduct(F + us * (Eigen::Vector3d::Ones() + F));
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(bounds(by)(i) / expected(i), 1, 0x1p-19) << i;
}

TEST(GradientsOfKernels, HaveTheCountsOfThePage) {
  const SoftmaxArithmetic plain = arithmetic_of<float>();
  const Accumulator lanes = Accumulator::in_lanes(2), wide = Accumulator::in_lanes(4);
  const double rounded = 0x1p-11 / (1 - 0x1p-11) / u;
  expect_counts(plain, 18, 15, 2);
  expect_counts(plain.scores_by(lanes), 18, 15, 2);  // a kernel may take ⟨O, G⟩
  expect_counts(plain.scores_by(lanes).outputs_by(wide), 8 + 4 + 4, 8 + 2 + 4, 2);
  expect_counts(plain.outputs_by(Accumulator().in_format(coarse)), 10 * rounded + 8,
                7 * rounded + 8, 2 * rounded);
  expect_counts(plain.rounded_inputs(coarse), 18 + 3 * rounded, 15 + 3 * rounded, 2 + rounded);
  const SoftmaxArithmetic stored =
      plain.stored_weights(coarse).stored_in({.roundoff = 0x1p-8, .smallest = 0});
  expect_counts(stored, 18, 15, 2);
  expect_counts(stored.stored_derivatives(), 18 + (0x1p-8 + 0x1p-11) / u,
                15 + (0x1p-8 + 0x1p-11) / u, 2);
}

TEST(GradientsOfKernels, LoseWhatUnderflowsInStoredNumbers) {
  const FormatLimits output{.roundoff = 0x1p-8, .smallest = 0x1p-30};
  const SoftmaxArithmetic by =
      arithmetic_of<float>().stored_weights(half_limits).stored_in(output).stored_derivatives();
  // Of values that are 0 only the losses are left: 2⁻¹⁴ of dS, and 4 entries of G times 2⁻²³.
  const double size = 0.5 * 5 * (0x1p-14 + 0.25 * 4 * 0x1p-23);
  const double F = monomial_error(rho, 2, 18 + (0x1p-8 + 0x1p-11) / u, u);
  EXPECT_NEAR(bounds(by, 0)(0) / (F * size + 0x1p-8 * (1 + F) * size + 0x1p-31), 1, 0x1p-18);
}

TEST(KernelProfiles, PromiseSomethingInEveryFormat) {
  const Eigen::MatrixXf q = Eigen::MatrixXf::Identity(4, 8), v = Eigen::MatrixXf::Ones(4, 2);
  for (const KernelProfile& profile : kernel_profiles())
    for (const FormatLimits& input :
         {half_limits, format_limits<Eigen::bfloat16>(), FormatLimits{u}})
      EXPECT_FALSE(attention_error_bound<double>(q, q, v, {}, profile.arithmetic(input)).vacuous)
          << profile.name;
}

TEST(KernelProfiles, DecideIfEachConstantIsMoreThanSampled) {
  EXPECT_TRUE(kernel_profile("pytorch-cpu-flash").decides());
  EXPECT_FALSE(kernel_profile("flash-attention-2").decides());
  EXPECT_FALSE(kernel_profile("pytorch-cuda-math").decides());  // its maker guarantees nothing
  EXPECT_EQ(kernel_profile("pytorch-cuda-flash").arithmetic(half_limits).score_products, 2U);
  EXPECT_GT(kernel_profile("flash-attention-4").arithmetic(half_limits).log_error, 7);
  EXPECT_THROW(arithmetic_of<float>().log_in_bits(), std::domain_error);
  // A wider result is not rounded to the format of the inputs, unless it is so whatever they are.
  const auto stored = [](const char* name, const FormatLimits& input, const FormatLimits& result) {
    return kernel_profile(name).storing(input, result).storage_roundoff;
  };
  const FormatLimits single = format_limits<float>(), brain = format_limits<Eigen::bfloat16>();
  EXPECT_EQ(stored("flash-attention-2", brain, brain), 0x1p-8);
  EXPECT_EQ(stored("flash-attention-2", half_limits, brain), 0x1p-8);
  EXPECT_EQ(stored("flash-attention-2", half_limits, single), 0x1p-11);
  EXPECT_EQ(stored("plain", brain, half_limits), 0x1p-11);
  EXPECT_EQ(stored("plain", brain, single), 0);
  EXPECT_EQ(stored("flash-attention-3-fp8", brain, single), 0x1p-8);
  EXPECT_EQ(stored("flash-attention-3-fp8", brain, half_limits), 0x1p-8);
  EXPECT_EQ(stored("xnnpack-f16", half_limits, half_limits), 0);
  EXPECT_THAT([] { kernel_profile("flash"); },
              testing::ThrowsMessage<std::invalid_argument>(testing::AllOf(
                  testing::HasSubstr("'flash', but must be one of plain, pytorch-cpu-flash"),
                  testing::HasSubstr("ggml-cpu-f16"))));
}

}  // namespace
