// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/softmax_arithmetic.hpp>
#include <sqrtdk/softmax_error.hpp>
#include <sqrtdk/testing/generators/emulated_kernel.hpp>
#include <sqrtdk/testing/generators/floating_point.hpp>
#include <sqrtdk/testing/laws/raised_bound.hpp>
#include <sqrtdk/testing/laws/wide.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>

#include "properties/kernels/fixture.hpp"
#include "properties/support/outcomes.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <vector>

namespace sqrtdk::properties::WeightsFromLogSumExp {

using namespace sqrtdk::testing;

const Mutants weights_from_log_sum_exp_mutants = {
    {"weights are quotients", "WeightsByTheLogarithmAreWithinTheBound",
     declared_with([](SoftmaxArithmetic& a) { a.by_lse = false; })},
    {"the logarithm is that in base 2",
     "WeightsByTheLogarithmAreWithinTheBound",
     {.kernel =
          [](EmulatedKernel k) {
            k.bug = EmulatedBug::log_sum_exp_in_bits;
            return k;
          }}},
    {"products with the logarithm are exact", "TheBoundIsTheFormulaOfThePage",
     declared_with([](SoftmaxArithmetic& a) { a.score_products = 0; })},
    {"the bound is that of quotients", "TheBoundIsTheFormulaOfThePage",
     declared_with([](SoftmaxArithmetic& a) { a.by_lse = false; })},
    {"the logarithm has no error near 1", "TheBoundIsTheFormulaOfThePage",
     declared_with([](SoftmaxArithmetic& a) { a.log_floor = 0; })},
    {"the score itself is exact", "ASingleScoreHasAnErrorNow",
     declared_with([](SoftmaxArithmetic& a) { a.by_lse = false; })},
    {"the logarithm in base 2 is the natural one",
     "ALogarithmInAnotherBaseBreaksIt",
     {.kernel =
          [](EmulatedKernel k) {
            k.bug = EmulatedBug::none;
            return k;
          }}},
};

/// Weights that are not divided, of differences or of fused products.
EmulatedKernel by_log_sum_exp(EmulatedArgument argument) {
  const SoftmaxArithmetic plain = arithmetic_of<float>().any_order();
  return {
      .arithmetic =
          (argument == EmulatedArgument::fused ? plain.exp2_of_products() : plain).by_log_sum_exp(),
      .argument = argument};
}

//! [WeightsFromLogSumExp]
TEST(WeightsFromLogSumExp, WeightsByTheLogarithmAreWithinTheBound) {
  check_statement(weights_from_log_sum_exp_mutants, [](const Declared& declared) {
    evidence().rests_on(EvidenceLevel::bounded);
    const EmulatedKernel kernel = by_log_sum_exp(EmulatedArgument::difference);
    expect_weights_within(declared, kernel, 100, "");
    expect_outputs_within(declared, kernel, 8, "output_");
    expect_weights_within(declared, by_log_sum_exp(EmulatedArgument::fused), 1000, "fused_");
  });
}
//! [WeightsFromLogSumExp]

/// e^(b + vt′) − 1 for each score, from Δ and E′.
std::vector<Wide> parts_of_the_page(const std::vector<double>& scores, const SoftmaxArithmetic& a) {
  const Wide u = a.unit_roundoff, k = a.score_products, n = scores.size();
  const Wide kappa = a.exp_argument_error + k, r = 1 + kappa, v = r * u / (1 - r * u);
  const double m = *std::max_element(scores.begin(), scores.end());
  Wide sum = 0;
  for (const double s : scores) sum += exp(Wide(s) - m);
  const Wide E = (1 + 4 * r * u) * k * u * abs(Wide(m));
  const Wide A = a.exp_error + r * (4 * E + (exp(Wide(2 * E)) - 1) * log(n)) / 2;
  const Wide delta = log_sum_exp_error_bound(Declared::column(scores), Wide(1), a);
  const Wide of_products =
      k > 0 ? (1 + 4 * r * u) * (2 + kappa) * u * (abs(Wide(m)) + log(sum) + delta) : Wide(0);
  const Wide b = (E + delta + of_products) * (1 + v) + A * u / (1 - A * u);
  std::vector<Wide> parts;
  const Wide L = 1 + a.depth_of_underflow + 2 * E;
  for (const double s : scores) {
    const Wide t = m - Wide(s), part = exp(b + v * (t + log(sum))) - 1;
    parts.push_back(b > 0.5 ? Wide(vacuous_bound) : t > L ? Wide(0) : part);
  }
  return parts;
}

TEST(WeightsFromLogSumExp, TheBoundIsTheFormulaOfThePage) {
  check_statement(weights_from_log_sum_exp_mutants, [](const Declared& declared) {
    evidence().rests_on(EvidenceLevel::bounded);
    for_all([&] {
      SoftmaxArithmetic a = arithmetic_of<float>().any_order().by_log_sum_exp().fast_log(
          6, *rc::gen::element(0.0, 6.02).as("absolute error of the logarithm"));
      if (*rc::gen::arbitrary<bool>().as("products")) a = a.exp2_of_products(2);
      const auto scores = *vectors<double>({.longest = 9, .entries = {.largest = 80}}).as("scores");
      const SoftmaxErrorBound bound =
          softmax_error_bound(Declared::column(scores), Wide(1), declared.arithmetic(a));
      const std::vector<Wide> parts = parts_of_the_page(scores, a);
      for (std::size_t j = 0; j < parts.size(); ++j)
        RC_ASSERT(is_raised(bound.relative(static_cast<Eigen::Index>(j)), parts[j], 3));
    });
  });
}

//! [WeightsFromLogSumExp: exact check]
TEST(WeightsFromLogSumExp, ASingleScoreHasAnErrorNow) {
  check_statement(weights_from_log_sum_exp_mutants, [](const Declared& declared) {
    // 1000 and the logarithm of 1 give 1000: the weight is 1, but a score that is off by E moves it.
    const EmulatedKernel kernel = by_log_sum_exp(EmulatedArgument::difference);
    EXPECT_EXACTLY(bits_of(kernel(std::vector<float>{1000}, 1.F)[0]) == bits_of(1.F));
    const double off = 0x1p-9;
    const double rho = declared.errors({1000}, off, kernel.arithmetic).relative(0);
    EXPECT_EXACTLY(Rational(rho) > Rational(off));
    EXPECT_EXACTLY(Rational(rho) < Rational(off) * 3);
    enumerated(1);
  });
}
//! [WeightsFromLogSumExp: exact check]

TEST(WeightsFromLogSumExp, ALogarithmInAnotherBaseBreaksIt) {
  check_with_mutants(weights_from_log_sum_exp_mutants, [](const Declared& declared) {
    evidence().rests_on(EvidenceLevel::bounded);
    EmulatedKernel kernel = by_log_sum_exp(EmulatedArgument::difference);
    expect(Declared().weights(kernel, {1, 0}));
    kernel.bug = EmulatedBug::log_sum_exp_in_bits;
    EXPECT_FALSE(declared.weights(kernel, {1, 0}).holds());
    counterexample_without("the log-sum-exp");
  });
}

}  // namespace sqrtdk::properties::WeightsFromLogSumExp
