#include <sqrtdk/attention_error.hpp>

#include "properties/kernels/fixture.hpp"

namespace sqrtdk::properties::RescaledOutputs {

const Accumulator in_half = Accumulator().in_format(half_limits);

EmulatedKernel tiled(std::size_t keys, const Accumulator& outputs = {}) {
  return {.arithmetic = plain.fast_exp(8).tiled(keys).outputs_by(outputs),
          .exp = EmulatedExp::erring};
}

//! [RescaledOutputs]
STATEMENT(RescaledOutputs, RescaledOutputsAreWithinTheBound) {
  expect_outputs_within(subject, tiled(1), 4, "tiles_of_1_");
  expect_outputs_within(subject, tiled(3), 4, "tiles_of_3_");
  expect_outputs_within(subject, tiled(2, in_half), 4, "half_");
  EmulatedKernel lazy = tiled(2);
  lazy.arithmetic = lazy.arithmetic.lazy_rescaling(8);
  expect_outputs_within(subject, lazy, 4, "lazy_");
  std::vector<float> rising, first(128, 0);
  for (int j = 0; j < 128; ++j) rising.push_back(static_cast<float>(j) * 0x1p-10F);
  first[0] = 1;
  expect(subject.output(tiled(1), with_scores(rising, first)));
  // Scores that rise by more than an exponential underflows, masked keys, and tiny values.
  for (const float step : {1.F, 30.F, 90.F})
    for (const float v : {1.F, 1e-37F, 1e-44F}) {
      auto input = with_scores({0, step, 0, 2 * step, 3 * step}, {v, -v, 3 * v, v, v / 7});
      expect(subject.output(tiled(1), input));
      input.options.allowed = Matrix<bool>::Constant(1, 5, true);
      (*input.options.allowed)(1) = (*input.options.allowed)(4) = false;
      expect(subject.output(tiled(2), input));
      enumerated(2);
    }
}
KILLS("nothing is rescaled", declares([](auto& a) { a.tile = 0; }));
KILLS("the output is not rescaled", emulates([](auto& k) { k.bug = EmulatedBug::keeps_output; }));
KILLS("the sum is not rescaled", emulates([](auto& k) { k.bug = EmulatedBug::keeps_sum; }));

STATEMENT(RescaledOutputs, TheBoundIsTheFormulaOfThePage) {
  // With an exponential so good that the least ρ counts.
  expect_page(subject, 200, [] {
    SoftmaxArithmetic a = plain.tiled(*rc::gen::inRange<std::size_t>(1, 4).as("keys of a tile"));
    a.exp_error = 1;
    return a;
  });
  // Two equal weights that are off by 1/256, two roundings for the sum and one for a rescaling.
  const AttentionWeightErrors weights{Eigen::MatrixXd::Constant(1, 2, 0.5),
                                      Eigen::MatrixXd::Constant(1, 2, 0x1p-8)};
  const SoftmaxArithmetic a = subject.arithmetic(plain.tiled(1).outputs_by(in_half));
  const double bound = attention_error_bound(weights, Eigen::MatrixXd::Ones(2, 1), a).output(0);
  const Wide w(0x1p-11), ku = 3 * w / (1 - w);
  const Wide F = (1 + Wide(0x1p-8)) * (1 + ku / (1 - ku)) - 1;
  EXPECT_TRUE(is_raised(bound, Wide(F * (1 + Wide(0x1p-13))), 2));
  enumerated(1);
}
//! [RescaledOutputs]
KILLS("outputs are not rescaled", declares([](auto& a) { a.rescales_outputs = false; }));
KILLS("the sum is that of one tile", declares([](auto& a) { a.tile = 1000; }));

//! [RescaledOutputs: exact check]
STATEMENT(RescaledOutputs, RescalingsOfSomeTiles) {
  const auto rescalings = [&](std::size_t tile, std::size_t seen, std::size_t keys) {
    SoftmaxArithmetic a = plain.tiled(tile);
    a.keys = keys;
    return subject.arithmetic(a).most_rescalings(seen);
  };
  EXPECT_EXACTLY(rescalings(64, 1000, 1000) == 15U);
  EXPECT_EXACTLY(rescalings(64, 3, 1000) == 2U);
  EXPECT_EXACTLY(rescalings(64, 20, 1000) == 15U);
  EXPECT_EXACTLY(rescalings(64, 64, 64) == 0U);
  EXPECT_EXACTLY(rescalings(1, 5, 5) == 4U);
  enumerated(5);
}
//! [RescaledOutputs: exact check]
KILLS("each key is a tile", declares([](auto& a) { a.tile = 1; }));
KILLS("masked keys are no part of a tile", declares([](auto& a) { a.keys = 0; }));

ASIDE(RescaledOutputs, AnOutputThatIsCarriedMayOverflow) {
  const auto input = with_scores({0, 0, 0}, {60000, 60000, 60000});
  EXPECT_EXACTLY(bits_of(subject.kernel(tiled(1, in_half))(input)(0)) ==
                 bits_of(std::numeric_limits<float>::infinity()));
  EXPECT_EXACTLY(Subject().output(tiled(1, in_half), input).vacuous);
  enumerated(1);
  counterexample_without("room for the output");
}
KILLS("an output in half precision may have any size", emulates([](auto& k) {
        k.arithmetic.outputs.largest = std::numeric_limits<double>::infinity();
      }));

}  // namespace sqrtdk::properties::RescaledOutputs
