// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/accumulator.hpp>
#include <sqrtdk/attention_error.hpp>
#include <sqrtdk/attention_weight_error.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/softmax.hpp>
#include <sqrtdk/softmax_arithmetic.hpp>
#include <sqrtdk/testing/generators/emulated_kernel.hpp>
#include <sqrtdk/testing/laws/raised_bound.hpp>
#include <sqrtdk/testing/laws/wide.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>

#include "properties/kernels/fixture.hpp"
#include "properties/support/outcomes.hpp"

#include <Eigen/Core>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace sqrtdk::properties::RescaledOutputs {

using namespace sqrtdk::testing;

template <class Change>
Declared kernel_with(Change change) {
  return {.kernel = [change](EmulatedKernel k) {
    change(k);
    return k;
  }};
}

const Mutants rescaled_outputs_mutants = {
    {"nothing is rescaled", "RescaledOutputsAreWithinTheBound",
     declared_with([](SoftmaxArithmetic& a) { a.tile = 0; })},
    {"the output is not rescaled", "RescaledOutputsAreWithinTheBound",
     kernel_with([](EmulatedKernel& k) { k.bug = EmulatedBug::keeps_output; })},
    {"the sum is not rescaled", "RescaledOutputsAreWithinTheBound",
     kernel_with([](EmulatedKernel& k) { k.bug = EmulatedBug::keeps_sum; })},
    {"what is rescaled in half precision is rounded as the rest", "TheBoundIsTheFormulaOfThePage",
     declared_with([](SoftmaxArithmetic& a) { a.rescales_outputs = false; })},
    {"weights may be better than three roundings for each rescaling",
     "TheBoundIsTheFormulaOfThePage",
     declared_with([](SoftmaxArithmetic& a) { a.rescales_outputs = false; })},
    {"each key is a tile", "RescalingsOfSomeTiles",
     declared_with([](SoftmaxArithmetic& a) { a.tile = 1; })},
    {"masked keys are no part of a tile", "RescalingsOfSomeTiles",
     declared_with([](SoftmaxArithmetic& a) { a.keys = 0; })},
    {"an exponential of 1000 roundings is a library's", "OneStateIsAssumed",
     declared_with([](SoftmaxArithmetic& a) { a.exp_error = 2; })},
    {"an output in half precision may have any size", "AnOutputThatIsCarriedMayOverflow",
     kernel_with([](EmulatedKernel& k) {
       k.arithmetic.outputs.largest = std::numeric_limits<double>::infinity();
     })},
};

/// A kernel that takes some keys at once.
EmulatedKernel tiled(std::size_t keys, const Accumulator& outputs = {}) {
  return {
      .arithmetic = arithmetic_of<float>().any_order().fast_exp(8).tiled(keys).outputs_by(outputs),
      .exp = EmulatedExp::erring};
}

//! [RescaledOutputs]
TEST(RescaledOutputs, RescaledOutputsAreWithinTheBound) {
  check_statement(rescaled_outputs_mutants, [](const Declared& declared) {
    evidence().rests_on(EvidenceLevel::bounded);
    for (const std::size_t keys : {1U, 3U})
      expect_outputs_within(declared, tiled(keys), 4, "tiles_of_" + std::to_string(keys) + "_",
                            400);
    const auto half = Accumulator().in_format(half_limits);
    expect_outputs_within(declared, tiled(2, half), 4, "half_", 400);
    EmulatedKernel lazy = tiled(2);
    lazy.arithmetic = lazy.arithmetic.lazy_rescaling(8);
    expect_outputs_within(declared, lazy, 4, "lazy_", 400);
    // Scores that rise all the way.
    std::vector<float> rising, first(128, 0);
    for (int j = 0; j < 128; ++j) rising.push_back(static_cast<float>(j) * 0x1p-10F);
    first[0] = 1;
    expect(declared.output(tiled(1), with_scores(rising, first)));
    // Scores that rise by more than an exponential underflows, masked keys, and tiny values.
    for (const float step : {1.F, 30.F, 90.F})
      for (const float value : {1.F, 1e-37F, 1e-44F}) {
        AttentionCase<float> input = with_scores({0, step, 0, 2 * step, 3 * step},
                                                 {value, -value, 3 * value, value, value / 7});
        expect(declared.output(tiled(1), input));
        input.options.allowed = Matrix<bool>::Constant(1, 5, true);
        (*input.options.allowed)(1) = (*input.options.allowed)(4) = false;
        expect(declared.output(tiled(2), input));
        enumerated(2);
      }
  });
}
//! [RescaledOutputs]

TEST(RescaledOutputs, TheBoundIsTheFormulaOfThePage) {
  check_statement(rescaled_outputs_mutants, [](const Declared& declared) {
    evidence().rests_on(EvidenceLevel::bounded);
    // The least ρ where exponentials are good.
    for_all([&] {
      SoftmaxArithmetic a = arithmetic_of<float>().any_order().tiled(
          *rc::gen::inRange<std::size_t>(1, 4).as("keys of a tile"));
      a.exp_error = 1;
      require_page(declared, a, 200);
    });
    // Outputs of two equal weights, in half precision, with tiles of one key.
    const Accumulator half = Accumulator().in_format(half_limits);
    const SoftmaxArithmetic a = arithmetic_of<float>().tiled(1).outputs_by(half);
    const AttentionWeightErrors weights{Eigen::MatrixXd::Constant(1, 2, 0.5),
                                        Eigen::MatrixXd::Constant(1, 2, 0x1p-8)};
    const Eigen::MatrixXd values = Eigen::MatrixXd::Constant(2, 1, 1.0);
    const double bound = attention_error_bound(weights, values, declared.arithmetic(a)).output(0);
    const Wide w(0x1p-11), ku = (2 + 1) * w / (1 - w);
    const Wide F = (1 + Wide(0x1p-8)) * (1 + ku / (1 - ku)) - 1;
    EXPECT_TRUE(is_raised(bound, Wide(F * 2 * (Wide(0.5) + Wide(0x1p-14))), 2));
    enumerated(1);
  });
}

//! [RescaledOutputs: exact check]
TEST(RescaledOutputs, RescalingsOfSomeTiles) {
  check_statement(rescaled_outputs_mutants, [](const Declared& declared) {
    const auto rescalings = [&](std::size_t tile, std::size_t seen, std::size_t keys) {
      SoftmaxArithmetic a = arithmetic_of<float>().tiled(tile);
      a.keys = keys;
      return declared.arithmetic(a).most_rescalings(seen);
    };
    EXPECT_EXACTLY(rescalings(64, 1000, 1000) == 15U);
    EXPECT_EXACTLY(rescalings(64, 3, 1000) == 2U);
    EXPECT_EXACTLY(rescalings(64, 20, 1000) == 15U);
    EXPECT_EXACTLY(rescalings(64, 64, 64) == 0U);
    EXPECT_EXACTLY(rescalings(1, 5, 5) == 4U);
    enumerated(5);
  });
}
//! [RescaledOutputs: exact check]

TEST(RescaledOutputs, OneStateIsAssumed) {
  check_with_mutants(rescaled_outputs_mutants, [](const Declared& declared) {
    evidence().rests_on(EvidenceLevel::bounded);
    // A key that is rescaled by eight short steps, each by too much, and in another state 1024 keys
    // that are by eight longer ones, each by too little.
    constexpr double A = 1e4, error = A * 0x1p-24, step = 0x1p-30;
    std::vector<double> scores;
    double sum = 0;
    const auto takes = [&](int later, double length, double factor) {
      scores.push_back(-later * length);
      sum += std::exp(scores.back()) * std::pow(factor, later);
    };
    for (int later = 8; later >= 0; --later) takes(later, step, 1 + error);
    for (int later = 7; later >= 0; --later) takes(later, 2 * step, 1 - error);
    for (int key = 0; key < 1024; ++key) takes(8, 2 * step, 1 - error);
    const double weight = std::exp(scores[0]) * std::pow(1 + error, 8) / sum;
    const auto beyond = [&](std::size_t rescalings) {
      SoftmaxArithmetic a = declared.arithmetic(arithmetic_of<float>().any_order().fast_exp(A));
      a.rescalings = rescalings;
      const AttentionWeightErrors errors = weight_errors(Declared::column(scores), 0, a);
      const Wide off = weight - Eigen::Matrix<Wide, -1, 1>(softmax(Declared::column(scores)))(0);
      return off > Wide(errors.relative(0)) * errors.weights(0);
    };
    EXPECT_TRUE(beyond(8));
    EXPECT_FALSE(beyond(16));
    enumerated(2);
    counterexample_without("one state");
  });
}

TEST(RescaledOutputs, AnOutputThatIsCarriedMayOverflow) {
  check_with_mutants(rescaled_outputs_mutants, [](const Declared& declared) {
    const auto input = with_scores({0, 0, 0}, {60000, 60000, 60000});
    const EmulatedKernel kernel = tiled(1, Accumulator().in_format(half_limits));
    EXPECT_EXACTLY(bits_of(declared.kernel(kernel)(input)(0)) ==
                   bits_of(std::numeric_limits<float>::infinity()));
    EXPECT_EXACTLY(Declared().output(kernel, input).vacuous);
    enumerated(1);
    counterexample_without("room for the output");
  });
}

}  // namespace sqrtdk::properties::RescaledOutputs
