// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/accumulator.hpp>
#include <sqrtdk/attention_error.hpp>
#include <sqrtdk/attention_operations.hpp>
#include <sqrtdk/attention_weight_error.hpp>
#include <sqrtdk/numbers/rational.hpp>
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
#include <vector>

namespace sqrtdk::properties::NarrowStorage {

using namespace sqrtdk::testing;

const Mutants narrow_storage_mutants = {
    {"inputs are exact", "OutputsOfNarrowKernelsAreWithinTheBound",
     declared_with([](SoftmaxArithmetic& a) { a.input_format = {}; })},
    {"scores are not stored", "OutputsOfNarrowKernelsAreWithinTheBound",
     declared_with([](SoftmaxArithmetic& a) { a.score_roundings = 0; })},
    {"weights are not stored", "OutputsOfNarrowKernelsAreWithinTheBound",
     declared_with([](SoftmaxArithmetic& a) { a.weight_roundoff = a.weight_smallest = 0; })},
    {"small weights are stored as well as others", "OutputsOfNarrowKernelsAreWithinTheBound",
     declared_with([](SoftmaxArithmetic& a) { a.weight_smallest = 0; })},
    {"the sum is one of exact weights", "TheBoundIsTheFormulaOfThePage",
     declared_with([](SoftmaxArithmetic& a) { a.sums_stored = false; })},
    {"the offset is forgotten", "TheBoundIsTheFormulaOfThePage",
     declared_with([](SoftmaxArithmetic& a) { a.weight_offset = 0; })},
    {"the smallest weight is 0", "TheBoundIsTheFormulaOfThePage",
     declared_with([](SoftmaxArithmetic& a) { a.weight_smallest = 0; })},
    {"one rounding of a score is lost", "RoundedScoresAreWithinTheirError",
     declared_with(
         [](SoftmaxArithmetic& a) { a.score_roundings = std::max(a.score_roundings, 1U) - 1; })},
    {"stored scores do not underflow", "RoundedScoresAreWithinTheirError",
     declared_with([](SoftmaxArithmetic& a) { a.score_format.smallest = 0; })},
    {"scores are rounded half as well", "ChosenScoresAndWeights",
     declared_with([](SoftmaxArithmetic& a) { a.score_format.roundoff *= 2; })},
    {"derivatives are not stored", "StoredDerivativesAreWithinTheBound",
     declared_with([](SoftmaxArithmetic& a) { a.stores_derivatives = false; })},
    {"derivatives are stored as results are", "StoredDerivativesCountAsThePageSays",
     declared_with([](SoftmaxArithmetic& a) { a.weight_roundoff = a.storage_roundoff; })},
    {"a score of any size can be stored", "ScoresThatOverflowAreOutside",
     declared_with([](SoftmaxArithmetic& a) {
       a.score_format.largest = std::numeric_limits<double>::infinity();
     })},
    {"the greatest weight fits",
     "AWeightThatSaturatesBreaksIt",
     {.kernel =
          [](EmulatedKernel k) {
            k.arithmetic.weight_largest = std::numeric_limits<double>::infinity();
            return k;
          }}},
};

const SoftmaxArithmetic plain = arithmetic_of<float>().any_order();

//! [NarrowStorage]
TEST(NarrowStorage, OutputsOfNarrowKernelsAreWithinTheBound) {
  check_statement(narrow_storage_mutants, [](const Declared& declared) {
    evidence().rests_on(EvidenceLevel::bounded);
    const auto search = [&](const SoftmaxArithmetic& a, float most, const char* name) {
      EmulatedKernel kernel{.arithmetic = a};
      if (a.exp_argument_error > 0) kernel.argument = EmulatedArgument::fused;
      expect_outputs_within(declared, kernel, most, name, 400);
    };
    search(plain.rounded_inputs(half_limits), 2, "inputs_");
    search(plain.stored_scores(format_limits<Eigen::bfloat16>(), 2), 2, "scores_");
    search(plain.stored_weights(half_limits), 2, "weights_");
    const SoftmaxArithmetic powers = plain.exp2_of_products().tiled(2);
    search(powers.stored_weights(e4m3_limits, 8), 2, "e4m3_");
    search(powers.stored_weights(e4m3_limits, 8).sum_of_stored(), 2, "sum_");
    // Weights that are all rounded to 0 by E4M3 without the offset.
    std::vector<float> scores(9, -7.5F), values(9, 16);
    scores[0] = values[0] = 0;
    const EmulatedKernel no_offset{.arithmetic = plain.stored_weights(e4m3_limits)};
    expect(declared.output(no_offset, with_scores(scores, values)));
  });
}
//! [NarrowStorage]

TEST(NarrowStorage, TheBoundIsTheFormulaOfThePage) {
  check_statement(narrow_storage_mutants, [](const Declared& declared) {
    evidence().rests_on(EvidenceLevel::bounded);
    for_all([&] {
      const FormatLimits format =
          *rc::gen::element(half_limits, format_limits<Eigen::bfloat16>(), e4m3_limits)
               .as("format");
      const SoftmaxArithmetic a =
          plain.stored_weights(format, *rc::gen::element(0U, 8U).as("g")).sum_of_stored();
      require_page(declared, a, 30);
    });
  });
}

TEST(NarrowStorage, RoundedScoresAreWithinTheirError) {
  check_statement(narrow_storage_mutants, [](const Declared& declared) {
    for_all([&] {
      const auto number = [](const char* name) {
        return Rational(*rc::gen::inRange(-64, 65).as(name), 8);
      };
      const Rational dot = number("<q, k>"), f = number("f"), b = number("b"), us(0x1p-6);
      const Rational eta(0x1p-3), E(*rc::gen::inRange(0, 9).as("64 E"), 64);
      const auto times = *rc::gen::inRange(0U, 4U).as("roundings");
      const auto ways =
          *rc::gen::container<std::vector<int>>(4, rc::gen::element(-1, 1)).as("ways");
      const auto rounded = [&](const Rational& x, unsigned which) {
        return which < times ? Rational(x * (1 + ways[which] * us) + ways[which] * eta / 2) : x;
      };
      // What is off by E before is the scaled score; after the products, f times as much counts.
      Rational score = rounded(dot, 2) * f + ways[3] * E;
      score = rounded(rounded(score, 0) + b, 1);
      SoftmaxArithmetic a = plain;
      a.score_format = {.roundoff = 0x1p-6, .smallest = 0x1p-3};
      a.score_roundings = times;
      const double bound = stored_score_error(
          E.convert_to<double>(), Rational(abs(Rational(f * dot)) + abs(b)).convert_to<double>(),
          Rational(abs(f)).convert_to<double>(), declared.arithmetic(a));
      EXPECT_EXACTLY(abs(Rational(score - f * dot - b)) <= Rational(bound));
    });
  });
}

//! [NarrowStorage: exact check]
TEST(NarrowStorage, ChosenScoresAndWeights) {
  check_statement(narrow_storage_mutants, [](const Declared& declared) {
    // A score of 3 that is rounded once by ½ in two digits is off by its quarter, and by E = 1 grown.
    SoftmaxArithmetic a = plain;
    a.score_format = {.roundoff = 0.25, .smallest = 0.5};
    a.score_roundings = 1;
    const Rational off(stored_score_error(1, 3, 1, declared.arithmetic(a)));
    const Rational page = Rational(5, 4) * (1 + Rational(1, 4)) + Rational(3, 4);
    EXPECT_EXACTLY(off >= page);
    EXPECT_EXACTLY(off <= page * (1 + Rational(2 * bound_margin)));
    // 256/3 is between 80 and 88 in E4M3, and a third between 5/16 and 11/32.
    const EmulatedFormat e4m3{e4m3_limits};
    EXPECT_EXACTLY(Rational(e4m3(256.0 / 3)) == 88);
    EXPECT_EXACTLY(Rational(e4m3(1.0 / 3)) == Rational(11, 32));
    enumerated(3);
  });
}
//! [NarrowStorage: exact check]

/// Backward through one query: dQ for exact weights, with an output and derivatives that are stored.
double query_derivative(const AttentionCase<double>& x, const Eigen::RowVectorXd& p,
                        const EmulatedFormat& output, const EmulatedFormat& derivatives) {
  const Eigen::RowVectorXd gain = x.output_gradient.row(0) * x.values.transpose();
  const Eigen::RowVectorXd o = (p * x.values).unaryExpr(output);
  const double mean = o.dot(x.output_gradient.row(0));
  const Eigen::RowVectorXd by_score = (p.array() * (gain.array() - mean)).unaryExpr(derivatives);
  return by_score * x.keys.col(0);
}

TEST(NarrowStorage, StoredDerivativesAreWithinTheBound) {
  check_statement(narrow_storage_mutants, [](const Declared& declared) {
    evidence().rests_on(EvidenceLevel::bounded);
    const FormatLimits bfloat = format_limits<Eigen::bfloat16>();
    const SoftmaxArithmetic a = plain.stored_in(bfloat).stored_weights(bfloat).stored_derivatives();
    const InputSpace<float> space{
        .axes = {{'m', 2, 4}, {'v', 1, 2}, {'o', 1, 1}},
        .arrays = {
            {"K", "mo", -4, 4}, {"V", "mv", -4, 4}, {"G", "ov", -4, 4}, {"p", "m", 0x1p-4F, 1}}};
    const auto law = [&](const Arrays<float>& drawn) {
      const auto matrix = [&](const char* name) {
        return drawn.matrix(name).cast<double>().eval();
      };
      AttentionCase<double> x{
          Matrix<double>::Ones(1, 1), matrix("K"), matrix("V"), matrix("G"), {}};
      Eigen::RowVectorXd p(x.keys.rows());
      for (Eigen::Index j = 0; j < p.size(); ++j)
        p(j) = drawn.list("p")[static_cast<std::size_t>(j)];
      p /= p.sum();
      // Weights that are exact leave the storing of derivatives and outputs, and what counts as u.
      const AttentionWeightErrors weights{p, Matrix<double>::Zero(1, p.size()).array() + 0x1p-24};
      const auto bound = attention_gradient_error_bound(weights, 1, x.queries, x.keys, x.values,
                                                        x.output_gradient, declared.arithmetic(a));
      Outcome outcome;
      outcome.vacuous = bound.vacuous;
      outcome.bound = bound.gradient.queries(0);
      const EmulatedFormat exact, stored{bfloat};
      outcome.error = std::abs(stored(query_derivative(x, p, stored, stored)) -
                               query_derivative(x, p, exact, exact));
      return outcome;
    };
    expect_bound_holds(worst_case(space, searched(2000), law));
  });
}

TEST(NarrowStorage, StoredDerivativesCountAsThePageSays) {
  check_statement(narrow_storage_mutants, [](const Declared& declared) {
    evidence().rests_on(EvidenceLevel::bounded);
    // One query, one key, everything 1: D⁺ = 1 + (1 + ½) + ½ of the smallest numbers, two roundings.
    SoftmaxArithmetic a = plain.stored_derivatives();
    a.smallest = 0;
    a.storage_roundoff = 0x1p-6;
    a.storage_smallest = a.weight_smallest = 0x1p-6;
    a.weight_roundoff = 0x1p-5;
    const Eigen::MatrixXd one = Eigen::MatrixXd::Ones(1, 1);
    const AttentionWeightErrors weights{one, one * 0x1p-10};
    const double bound =
        attention_gradient_error_bound(weights, 1, one, one, one, one, declared.arithmetic(a))
            .gradient.queries(0);
    const Wide u(0x1p-24), rho(0x1p-10), uo(0x1p-6), uw(0x1p-5);
    const Wide ku = (1 + 2 + 4) * u + uo + uw;
    const Wide F = (1 + rho) * (1 + rho) * (1 + ku / (1 - ku)) - 1;
    const Wide size = 1 + (1 + Wide(0.5)) + Wide(0.25);
    EXPECT_TRUE(is_raised(bound, Wide(F * size + uo * (1 + F) * size + Wide(0x1p-7)), 2));
    enumerated(1);
  });
}

TEST(NarrowStorage, ScoresThatOverflowAreOutside) {
  check_with_mutants(narrow_storage_mutants, [](const Declared& declared) {
    // Of 70000 it is the product that is stored, and not 7.
    const EmulatedKernel kernel{.arithmetic = plain.stored_scores(half_limits, 2)};
    auto input = with_scores({70000, 0}, {1, 2});
    input.options.scale = 1e-4F;
    EXPECT_EXACTLY(!(kernel(input)(0) > 0));
    EXPECT_EXACTLY(declared.output(kernel, input).vacuous);
    enumerated(1);
    counterexample_without("room");
  });
}

TEST(NarrowStorage, AWeightThatSaturatesBreaksIt) {
  check_with_mutants(narrow_storage_mutants, [](const Declared& declared) {
    evidence().rests_on(EvidenceLevel::bounded);
    EmulatedKernel kernel{.arithmetic = plain.stored_weights(e4m3_limits, 9).tiled(8)};
    const auto input = with_scores({0}, {1});
    EXPECT_TRUE(declared.output(kernel, input).vacuous);
    SoftmaxArithmetic wider = kernel.arithmetic;
    wider.weight_largest = 1024;
    EXPECT_FALSE(output_law<float>(declared.kernel(kernel), input, wider).holds());
    enumerated(1);
    counterexample_without("no saturation");
  });
}

}  // namespace sqrtdk::properties::NarrowStorage
