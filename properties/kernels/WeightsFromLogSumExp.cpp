#include "properties/kernels/fixture.hpp"

namespace sqrtdk::properties::WeightsFromLogSumExp {

const EmulatedKernel of_differences{.arithmetic = plain.by_log_sum_exp()};

/// e^(b + vt′) − 1 for each score, and 0 for those that are far below the greatest.
std::vector<Wide> parts_of_the_page(const List& scores, const SoftmaxArithmetic& a) {
  const auto [u, k, r, v, m, E, A, L, H, sum, mean] = PageTerms(scores, 0, a);
  const Wide delta = log_sum_exp_error_bound(Subject::column(scores), Wide(1), a);
  const Wide size = k > 0 ? Wide(abs(m) + log(sum) + delta) : Wide(0);
  const Wide of_products = (1 + 4 * r * u) * (1 + r) * u * size;
  const Wide b = (E + delta + of_products) * (1 + v) + A * u / (1 - A * u);
  std::vector<Wide> parts;
  for (const double s : scores) {
    const Wide t = m - s, part = exp(b + v * (t + log(sum))) - 1;
    parts.push_back(b > 0.5 ? Wide(vacuous_bound) : t > L ? Wide(0) : part);
  }
  return parts;
}

//! [WeightsFromLogSumExp]
STATEMENT(WeightsFromLogSumExp, WeightsByTheLogarithmAreWithinTheBound) {
  expect_weights_within(subject, of_differences, 100, "");
  expect_outputs_within(subject, of_differences, 8, "output_");
  const EmulatedKernel fused{.arithmetic = plain.exp2_of_products().by_log_sum_exp(),
                             .argument = EmulatedArgument::fused};
  expect_weights_within(subject, fused, 1000, "fused_");
}
KILLS("weights are quotients", declares([](auto& a) { a.by_lse = false; }));
KILLS("the logarithm is that in base 2",
      emulates([](auto& k) { k.bug = EmulatedBug::log_sum_exp_in_bits; }));

STATEMENT(WeightsFromLogSumExp, TheBoundIsTheFormulaOfThePage) {
  evidence().rests_on(EvidenceLevel::bounded);
  for_all([&] {
    const double floor = *rc::gen::element(0.0, 6.03).as("absolute error of the logarithm");
    SoftmaxArithmetic a = plain.by_log_sum_exp().fast_log(6, floor);
    if (*rc::gen::arbitrary<bool>().as("products")) a = a.exp2_of_products(2);
    const List scores = *vectors<double>({.longest = 9, .entries = {.largest = 80}}).as("scores");
    const SoftmaxErrorBound bound =
        softmax_error_bound(Subject::column(scores), Wide(1), subject.arithmetic(a));
    const std::vector<Wide> parts = parts_of_the_page(scores, a);
    for (std::size_t j = 0; j < parts.size(); ++j)
      RC_ASSERT(is_raised(bound.relative(static_cast<Eigen::Index>(j)), parts[j], 3));
  });
}
//! [WeightsFromLogSumExp]
KILLS("products with the logarithm are exact", declares([](auto& a) { a.score_products = 0; }));
KILLS("the logarithm has no error near 1", declares([](auto& a) { a.log_floor = 0; }));

//! [WeightsFromLogSumExp: exact check]
STATEMENT(WeightsFromLogSumExp, ASingleScoreHasAnErrorNow) {
  // The weight is 1, but it is off by E twice: by the score and by the logarithm.
  EXPECT_EXACTLY(bits_of(of_differences(std::vector<float>{1000}, 1)[0]) == bits_of(1.F));
  const double off = 0x1p-9;
  const double rho = subject.errors({1000}, off, of_differences.arithmetic).relative(0);
  EXPECT_EXACTLY(Rational(rho) > Rational(off) * 2);
  EXPECT_EXACTLY(Rational(rho) < Rational(off) * 3);
  enumerated(1);
}
//! [WeightsFromLogSumExp: exact check]
KILLS("a single score cannot be off", declares([](auto& a) { a.by_lse = false; }));

ASIDE(WeightsFromLogSumExp, ALogarithmInAnotherBaseBreaksIt) {
  evidence().rests_on(EvidenceLevel::bounded);
  expect(Subject().weights(of_differences, {1, 0}));
  EmulatedKernel wrong = of_differences;
  wrong.bug = EmulatedBug::log_sum_exp_in_bits;
  EXPECT_FALSE(subject.weights(wrong, {1, 0}).holds());
  counterexample_without("the log-sum-exp");
}
KILLS("the logarithm in base 2 is the natural one",
      emulates([](auto& k) { k.bug = EmulatedBug::none; }));

}  // namespace sqrtdk::properties::WeightsFromLogSumExp
