#include "properties/kernels/fixture.hpp"

namespace sqrtdk::properties::RoundedProducts {

EmulatedKernel of_products(unsigned products, EmulatedArgument argument) {
  return {.arithmetic = plain.exp2_of_products(products).tiled(2), .argument = argument};
}

//! [RoundedProducts]
STATEMENT(RoundedProducts, ExponentsOfProductsAreWithinTheBound) {
  const auto search = [&](unsigned products, EmulatedArgument argument, const std::string& name) {
    const EmulatedKernel kernel = of_products(products, argument);
    expect_weights_within(subject, kernel, 3e4F, name);
    expect_outputs_within(subject, kernel, 64, name + "output_", 200);
  };
  search(1, EmulatedArgument::fused, "fused_");
  search(2, EmulatedArgument::scaled, "both_");
  search(1, EmulatedArgument::difference_of_scaled, "scores_");
}
KILLS("products are exact", declares([](auto& a) { a.score_products = 0; }));
KILLS("one of two products is exact",
      declares([](auto& a) { a.score_products = std::min(a.score_products, 1U); }));

STATEMENT(RoundedProducts, OneOrTwoKeysOfAnySize) {
  const auto most = static_cast<float>(half_limits.largest);
  const InputSpace<float> space{
      .axes = {{'n', 1, 1}, {'m', 1, 2}, {'d', 1, 3}, {'v', 1, 1}},
      .arrays = {{"Q", "nd", -most, most}, {"K", "md", -most, most}, {"V", "mv", -16, 16}}};
  for (const bool stores : {false, true}) {
    EmulatedKernel kernel = of_products(1, EmulatedArgument::fused);
    if (stores) kernel.arithmetic = kernel.arithmetic.stored_weights(half_limits);
    expect_within(
        kernel, space, stores ? "few_stored_" : "few_", 400,
        [&](const auto& by, const Arrays<float>& x) {
          return subject.output(by, {x.matrix("Q"), x.matrix("K"), x.matrix("V"), {}, {}});
        });
    // A score near 10⁹: the product with the maximum is off by more than exponents of halves have room for.
    std::size_t lost = 0;
    for (int i = 0; i < 64; ++i) {
      const AttentionCase<float> one = with_scores({1e9F + 64 * static_cast<float>(i)}, {1});
      const float output = subject.kernel(kernel)(one)(0);
      lost += !(std::abs(output - 1) < 0.5F);
      EXPECT_TRUE(subject.output(kernel, one).vacuous);
      enumerated(1);
    }
    EXPECT_EQ(lost > 0, stores);
  }
}
KILLS("a single key has the weight 1", declares([](auto& a) { a.score_products = 0; }));

STATEMENT(RoundedProducts, TheBoundIsTheFormulaOfThePage) {
  expect_page(subject, 3000, [] {
    const unsigned k = *rc::gen::inRange(0U, 3U).as("k"), g = *rc::gen::element(0U, 8U).as("g");
    const SoftmaxArithmetic a = k == 0 ? plain : plain.exp2_of_products(k);
    const FormatLimits stored{.roundoff = 0x1p-4, .smallest = 0x1p-9};
    return a.lazy_rescaling(*rc::gen::element(0U, 8U).as("a")).stored_weights(stored, g);
  });
}
//! [RoundedProducts]
KILLS("nothing is added to exponents", declares([](auto& a) { a.weight_offset = 0; }));
KILLS("maxima are never behind", declares([](auto& a) { a.lag = 0; }));

//! [RoundedProducts: exact check]
STATEMENT(RoundedProducts, ErrorsOfChosenScores) {
  for (const unsigned k : {1U, 2U}) {
    SoftmaxArithmetic a = plain.exp2_of_products(k);
    a.unit_roundoff = 0x1p-12;
    const Rational u(a.unit_roundoff);
    const double by_products = sqrtdk::detail::error_of_products(5, subject.arithmetic(a));
    EXPECT_EXACTLY(Rational(by_products) == (1 + 4 * (1 + 2 + k) * u) * k * u * 5);
    // Logarithms of 2 and 6 roundings that are converted, each by two more.
    a = subject.arithmetic(a.fast_log(2, 6).log_in_bits());
    EXPECT_EXACTLY(Rational(a.log_error) == 2 * (1 + u) * (1 + u) + 2 + u);
    EXPECT_EXACTLY(Rational(a.log_floor) == 6 * (1 + u) * (1 + u));
    enumerated(3);
  }
}
//! [RoundedProducts: exact check]
KILLS("a product is rounded twice", declares([](auto& a) { a.score_products *= 2; }));
KILLS("the constant is exact", declares([](auto& a) { a.exp_argument_error -= 2; }));
KILLS("a logarithm is converted for nothing", declares([](auto& a) { a.log_error = 2; }));
KILLS("its absolute error is not converted", declares([](auto& a) { a.log_floor = 6; }));

STATEMENT(RoundedProducts, LogarithmsOfSumsAreWithinTheirBound) {
  const InputSpace<float> space{.axes = {{'n', 1, 8}}, .arrays = {{"scores", "n", -3e4F, 3e4F}}};
  const auto search = [&](const EmulatedKernel& by, const std::string& name) {
    expect_within(by, space, name, 400, [&](const auto& kernel, const Arrays<float>& x) {
      return log_sum_exp_law<float>(
          [&](const std::vector<float>& scores, float) { return kernel.log_sum_exp(scores); },
          x.list("scores"), 1, subject.arithmetic(kernel.arithmetic));
    });
  };
  search(of_products(1, EmulatedArgument::fused), "fused_");
  search(of_products(1, EmulatedArgument::difference_of_scaled), "scores_");
  EmulatedKernel in_bits = of_products(1, EmulatedArgument::fused);
  in_bits.log_in_bits = true;
  in_bits.arithmetic = in_bits.arithmetic.lazy_rescaling(8).log_in_bits();
  search(in_bits, "in_bits_");
}
KILLS("the logarithm of products is that of exact ones",
      declares([](auto& a) { a.score_products = 0; }));

ASIDE(RoundedProducts, ProductsThatAreNotCountedBreakIt) {
  evidence().rests_on(EvidenceLevel::bounded);
  const EmulatedKernel kernel = of_products(2, EmulatedArgument::scaled);
  const std::vector<float> scores = {1000.7F, 999.6F};
  expect(subject.weights(kernel, scores));
  const SoftmaxArithmetic uncounted = plain.exp2_folded().tiled(2);
  EXPECT_FALSE(accuracy_law<float>(subject.kernel(kernel), scores, 1, uncounted).holds());
  counterexample_without("counted products");
}
KILLS("the difference is taken first",
      emulates([](auto& k) { k.argument = EmulatedArgument::scaled_difference; }));

}  // namespace sqrtdk::properties::RoundedProducts
