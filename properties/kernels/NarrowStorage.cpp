#include <sqrtdk/attention_error.hpp>

#include "properties/kernels/fixture.hpp"

namespace sqrtdk::properties::NarrowStorage {

//! [NarrowStorage]
STATEMENT(NarrowStorage, OutputsOfNarrowKernelsAreWithinTheBound) {
  const auto search = [&](const SoftmaxArithmetic& a, const char* name) {
    const bool products = a.score_products > 0;
    expect_outputs_within(
        subject,
        {.arithmetic = a,
         .argument = products ? EmulatedArgument::fused : EmulatedArgument::difference},
        2, name, 300);
  };
  search(plain.rounded_inputs(half_limits), "inputs_");
  search(plain.stored_scores(bfloat16_limits, 2), "scores_");
  search(plain.stored_weights(half_limits), "weights_");
  const SoftmaxArithmetic flash = plain.exp2_of_products().tiled(2);
  search(flash.stored_weights(e4m3_limits, 8), "e4m3_");
  search(flash.stored_weights(e4m3_limits, 8).sum_of_stored(), "sum_");
  // Weights that are all rounded to 0 by E4M3 without the offset.
  std::vector<float> scores(9, -7.5F), values(9, 16);
  scores[0] = values[0] = 0;
  expect(subject.output({.arithmetic = plain.stored_weights(e4m3_limits)},
                        with_scores(scores, values)));
}
KILLS("inputs are exact", declares([](auto& a) { a.input_format = {}; }));
KILLS("scores are not stored", declares([](auto& a) { a.score_roundings = 0; }));
KILLS("weights are not stored", declares([](auto& a) { a.weight_roundoff = 0; }));
KILLS("small weights are stored as well as others",
      declares([](auto& a) { a.weight_smallest = 0; }));

STATEMENT(NarrowStorage, TheBoundIsTheFormulaOfThePage) {
  expect_page(subject, 30, [] {
    const auto format = *rc::gen::element(half_limits, bfloat16_limits, e4m3_limits).as("format");
    return plain.stored_weights(format, *rc::gen::element(0U, 8U).as("g")).sum_of_stored();
  });
}
//! [NarrowStorage]
KILLS("the sum is one of exact weights", declares([](auto& a) { a.sums_stored = false; }));
KILLS("the offset is forgotten", declares([](auto& a) { a.weight_offset = 0; }));

constexpr double infinity = std::numeric_limits<double>::infinity();

STATEMENT(NarrowStorage, ThereIsRoomForScoresUpToTheLargest) {
  // Twice 64 products, and what a rounding may add, are at most 65504.
  const SoftmaxArithmetic a = subject.arithmetic(plain.stored_scores(half_limits));
  const auto is_promised = [&](double product) {
    const auto errors = attention_weight_errors<double>(Matrix<double>::Ones(1, 64),
                                                        Matrix<double>::Constant(2, 64, product),
                                                        {.scale = 1.0 / 64}, a);
    return std::isfinite(errors.log_weights(0, 0));
  };
  EXPECT_EXACTLY(is_promised(511.4));  // 65459 of 65472
  EXPECT_EXACTLY(!is_promised(511.6));
  enumerated(2);
}
KILLS("a digit less", declares([](auto& a) { a.score_format.roundoff *= 64; }));
KILLS("scores of any size have room", declares([](auto& a) { a.score_format.largest = infinity; }));

STATEMENT(NarrowStorage, RoundedScoresAreWithinTheirError) {
  for_all([&] {
    const auto number = [](const char* name) {
      return Rational(*rc::gen::inRange(-64, 65).as(name), 8);
    };
    const Rational dot = number("<q, k>"), f = number("f"), b = number("b"), us(0x1p-6),
                   eta(0x1p-3);
    const Rational off(*rc::gen::inRange(0, 9).as("64 E"), 64);
    SoftmaxArithmetic a = plain;
    a.score_format = {.roundoff = 0x1p-6, .smallest = 0x1p-3};
    a.score_roundings = *rc::gen::inRange(0U, 4U).as("r");
    const auto ways = *rc::gen::container<std::vector<int>>(4, rc::gen::element(-1, 1)).as("ways");
    const auto rounded = [&](const Rational& x, unsigned which) {
      const int way = which < a.score_roundings ? ways[which] : 0;
      return Rational(x * (1 + way * us) + way * eta / 2);
    };
    // The scaled score is already off by E.
    const Rational scaled = rounded(dot, 2) * f + ways[3] * off, exact = f * dot;
    const Rational error = abs(Rational(rounded(rounded(scaled, 0) + b, 1) - exact - b));
    const double bound = stored_score_error(
        off.convert_to<double>(), Rational(abs(exact) + abs(b)).convert_to<double>(),
        Rational(abs(f)).convert_to<double>(), subject.arithmetic(a));
    EXPECT_EXACTLY(error <= Rational(bound));
  });
}
KILLS("one rounding of a score is lost",
      declares([](auto& a) { a.score_roundings -= a.score_roundings > 0 ? 1 : 0; }));
KILLS("stored scores do not underflow", declares([](auto& a) { a.score_format.smallest = 0; }));

//! [NarrowStorage: exact check]
STATEMENT(NarrowStorage, ChosenScoresAndWeights) {
  // A score of 3 that is off by 1, and rounded once to two digits: by a quarter of it, and of that.
  SoftmaxArithmetic a = plain;
  a.score_format = {.roundoff = 0.25, .smallest = 0.5};
  a.score_roundings = 1;
  const Rational off(stored_score_error(1, 3, 1, subject.arithmetic(a)));
  const Rational page = Rational(5, 4) * (1 + Rational(1, 4)) + Rational(3, 4);
  EXPECT_EXACTLY(off >= page);
  EXPECT_EXACTLY(off <= page * (1 + Rational(2 * bound_margin)));
  // 256/3 is between 80 and 88 in E4M3, and ⅓ between 5/16 and 11/32.
  const EmulatedFormat e4m3{e4m3_limits};
  EXPECT_EXACTLY(Rational(e4m3(256.0 / 3)) == 88);
  EXPECT_EXACTLY(Rational(e4m3(1.0 / 3)) == Rational(11, 32));
  enumerated(3);
}
//! [NarrowStorage: exact check]
KILLS("scores have a digit less", declares([](auto& a) { a.score_format.roundoff *= 2; }));

/// dQ of one query and one feature for given weights, with stored output and derivatives.
double query_derivative(const Matrix<double>& k, const Matrix<double>& v, const Matrix<double>& g,
                        const Eigen::RowVectorXd& p, const EmulatedFormat& stored) {
  const Eigen::RowVectorXd gain = g * v.transpose(), o = (p * v).unaryExpr(stored);
  const Eigen::RowVectorXd by_score = p.array() * (gain.array() - o.dot(g.row(0)));
  return by_score.unaryExpr(stored) * k.col(0);
}

STATEMENT(NarrowStorage, StoredDerivativesAreWithinTheBound) {
  evidence().rests_on(EvidenceLevel::bounded);
  const SoftmaxArithmetic a =
      plain.stored_in(bfloat16_limits).stored_weights(bfloat16_limits).stored_derivatives();
  const InputSpace<float> space{
      .axes = {{'m', 2, 4}, {'v', 1, 2}, {'o', 1, 1}},
      .arrays = {{"K", "mo", -4, 4}, {"V", "mv", -4, 4}, {"G", "ov", -4, 4}, {"p", "mo", 0.1F, 1}}};
  const auto law = [&](const Arrays<float>& x) {
    const Matrix<double> k = x.matrix("K").cast<double>(), v = x.matrix("V").cast<double>(),
                         g = x.matrix("G").cast<double>(), one = Matrix<double>::Ones(1, 1);
    Eigen::RowVectorXd p = x.matrix("p").cast<double>().transpose();
    p /= p.sum();
    // Weights that are nearly exact leave what is stored.
    const AttentionWeightErrors weights{p, Matrix<double>::Constant(1, p.size(), 0x1p-24)};
    const auto bound =
        attention_gradient_error_bound(weights, 1, one, k, v, g, subject.arithmetic(a));
    const EmulatedFormat stored{bfloat16_limits};
    const double computed = stored(query_derivative(k, v, g, p, stored));
    return Outcome{.error = std::abs(computed - query_derivative(k, v, g, p, {})),
                   .bound = bound.gradient.queries(0),
                   .vacuous = bound.vacuous,
                   .where = {}};
  };
  expect_bound_holds(worst_case(space, searched(2000), law));
}
KILLS("derivatives are not stored", declares([](auto& a) { a.stores_derivatives = false; }));

ASIDE(NarrowStorage, WhatIsTooLargeIsOutside) {
  evidence().rests_on(EvidenceLevel::bounded);
  // Of 70000 it is the product that is stored, and not 7.
  const EmulatedKernel kernel{.arithmetic = plain.stored_scores(half_limits, 2)};
  auto input = with_scores({70000, 0}, {1, 2});
  input.options.scale = 1e-4F;
  EXPECT_EXACTLY(!(kernel(input)(0) > 0));
  EXPECT_EXACTLY(subject.output(kernel, input).vacuous);
  counterexample_without("room");

  const EmulatedKernel shifted{.arithmetic = plain.stored_weights(e4m3_limits, 9).tiled(8)};
  const auto one = with_scores({0}, {1});
  EXPECT_TRUE(subject.output(shifted, one).vacuous);
  SoftmaxArithmetic wider = shifted.arithmetic;
  wider.weight_largest = 1024;
  EXPECT_FALSE(output_law<float>(subject.kernel(shifted), one, wider).holds());
  counterexample_without("no saturation");
  enumerated(2);
}
KILLS("a score of any size can be stored",
      declares([](auto& a) { a.score_format.largest = infinity; }));
KILLS("the greatest weight fits",
      emulates([](auto& k) { k.arithmetic.weight_largest = infinity; }));

}  // namespace sqrtdk::properties::NarrowStorage
