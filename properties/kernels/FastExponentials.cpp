#include "properties/kernels/fixture.hpp"

namespace sqrtdk::properties::FastExponentials {

//! [FastExponentials]
STATEMENT(FastExponentials, AFastExponentialIsAGoodOneElsewhere) {
  evidence().rests_on(EvidenceLevel::bounded);
  for_all([&] {
    const double K0 = *rc::gen::element(1, 40, 1472).as("K0");
    const double K1 = *rc::gen::element(0.0, 0.0461, 2.35, 5e4).as("K1");
    const SoftmaxArithmetic a = subject.arithmetic(plain.fast_exp(K0, K1));
    const Wide x = *rc::gen::inRange(-1100, 1050).as("10 x") / Wide(10), size = abs(x);
    const Wide u = a.unit_roundoff, A = a.exp_error, lost = a.smallest / Wide(2);
    // Without a slope both sides are the same: of the error as much is left out as fifty digits need.
    const Wide error = (1 - Wide(0x1p-60)) * ((K0 + K1 * size) * u * exp(x) + K0 * lost);
    const Wide moved = a.exp_argument_error * u * size;
    RC_ASSERT(exp(x) + error <= (1 + A * u) * exp(Wide(x + moved)) + A * lost);
    const Wide least = std::max<Wide>(exp(x) - error, 0);
    RC_ASSERT(least >= (1 - A * u) * exp(Wide(x - moved)) - A * lost);
  });
}
//! [FastExponentials]
KILLS("the error does not grow with the argument",
      declares([](auto& a) { a.exp_argument_error = 0; }));
KILLS("the error of the argument is the slope",
      declares([](auto& a) { a.exp_argument_error = std::min(a.exp_argument_error, 5e4); }));
KILLS("the error at 0 is that of a library", declares([](auto& a) { a.exp_error = 2; }));

/// Powers of two of a difference, by a cubic polynomial.
EmulatedKernel cubic() {
  return {.arithmetic = plain.exp2_folded().fast_exp(1472),
          .argument = EmulatedArgument::scaled_difference,
          .exp = EmulatedExp::cubic};
}

STATEMENT(FastExponentials, OutputsOfFastKernelsAreWithinTheBound) {
  EmulatedKernel kernel{.arithmetic = plain.fast_exp(40, 2.35), .exp = EmulatedExp::erring};
  kernel.pivot = -1;
  expect_weights_within(subject, kernel, 60, "erring_");
  kernel = {.arithmetic = plain.fast_exp(8, 0.0461), .exp = EmulatedExp::series};
  expect_weights_within(subject, kernel, 60, "series_");
  expect_outputs_within(subject, cubic(), 4, "cubic_");
  expect_outputs_within(subject, {.arithmetic = plain.cut_off(6)}, 3, "cut_");
}
KILLS("a fast exponential is a library's",
      declares([](auto& a) { a.exp_error = a.exp_argument_error = 2; }));
KILLS("what is cut off is not missed", declares([](auto& a) { a.exp_cut = 1e9; }));

STATEMENT(FastExponentials, TheBoundIsTheFormulaOfThePage) {
  expect_page(subject, 30, [] {
    const double K0 = *rc::gen::element(2, 40, 1472).as("K0");
    const double K1 = *rc::gen::element(0.0, 2.35).as("K1");
    return plain.fast_exp(K0, K1).cut_off(*rc::gen::element(5.0, 9.7, 87.3).as("c"));
  });
}
KILLS("the cut is deeper", declares([](auto& a) { a.exp_cut *= 1.5; }));

STATEMENT(FastExponentials, ACutAndALagAddUp) {
  evidence().rests_on(EvidenceLevel::bounded);
  // e^5.5 of the second score is still relative to the first; the third takes all of it away.
  const EmulatedKernel kernel{.arithmetic = plain.tiled(1).cut_off(20).lazy_rescaling(8)};
  const AttentionCase<float> input = with_scores({0, 5.5F, 20.01F}, {0, 1, 0});
  EXPECT_EQ(kernel(input)(0), 0);
  expect(subject.output(kernel, input));
  enumerated(1);
}
KILLS("maxima are never behind", declares([](auto& a) { a.lag = 0; }));

STATEMENT(FastExponentials, ALogarithmMissesWhatIsCutOff) {
  evidence().rests_on(EvidenceLevel::bounded);
  // A score 3 below the greatest may be lost at c = 3.003 since scores and products are off by 0.001 each,
  // a difference by twice that, and not if only one of the two were off.
  const double u = plain.unit_roundoff, size = 0x1p-10 / u;
  const SoftmaxArithmetic a = plain.exp2_of_products(1).cut_off(3 + 3 * 0x1p-10);
  const double lost = std::log1p(std::exp(-3.0));
  EXPECT_GT(subject.errors({size, size - 3}, 0x1p-10, a).log_sum_exps(0), lost);
  for (const double score : {0.0, size})
    EXPECT_LT(subject.errors({score, score - 3}, score == 0 ? 0x1p-10 : 0, a).log_sum_exps(0),
              lost);
  enumerated(3);
}
KILLS("logarithms miss nothing", declares([](auto& a) { a.exp_cut = 1e9; }));

//! [FastExponentials: exact check]
STATEMENT(FastExponentials, ConstantsOfSomeExponentials) {
  const auto with = [&](double K0, double K1) {
    return subject.arithmetic(plain.fast_exp(K0, K1));
  };
  EXPECT_EXACTLY(Rational(with(40, 0).exp_error) == 40);
  EXPECT_EXACTLY(Rational(with(40, 0).exp_argument_error) == 0);
  EXPECT_EXACTLY(Rational(with(8, 0.0461).exp_argument_error) == 1);
  enumerated(3);
}
//! [FastExponentials: exact check]
KILLS("an exponential without a slope has one",
      declares([](auto& a) { a.exp_argument_error += 1; }));

ASIDE(FastExponentials, ACubicIsNoLibrarysExponential) {
  evidence().rests_on(EvidenceLevel::bounded);
  const std::vector<float> scores = {0, -0.4F};
  expect(subject.weights(cubic(), scores));
  const SoftmaxArithmetic library = plain.exp2_folded();
  EXPECT_FALSE(accuracy_law<float>(subject.kernel(cubic()), scores, 1, library).holds());
  counterexample_without("within its bound");
}
KILLS("the cubic is the nearest number", emulates([](auto& k) { k.exp = EmulatedExp::nearest; }));

}  // namespace sqrtdk::properties::FastExponentials
