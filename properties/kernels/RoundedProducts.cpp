// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/softmax_arithmetic.hpp>
#include <sqrtdk/softmax_error.hpp>
#include <sqrtdk/testing/generators/emulated_kernel.hpp>
#include <sqrtdk/testing/laws/softmax_laws.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>

#include "properties/kernels/fixture.hpp"
#include "properties/support/outcomes.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <string>
#include <vector>

namespace sqrtdk::properties::RoundedProducts {

using namespace sqrtdk::testing;

const Mutants rounded_products_mutants = {
    {"products are exact", "ExponentsOfProductsAreWithinTheBound",
     declared_with([](SoftmaxArithmetic& a) { a.score_products = 0; })},
    {"one of two products is exact", "ExponentsOfProductsAreWithinTheBound",
     declared_with(
         [](SoftmaxArithmetic& a) { a.score_products = std::min(a.score_products, 1U); })},
    {"exponents are made of exact products", "TheBoundIsTheFormulaOfThePage",
     declared_with([](SoftmaxArithmetic& a) { a.score_products = 0; })},
    {"nothing is added to exponents", "TheBoundIsTheFormulaOfThePage",
     declared_with([](SoftmaxArithmetic& a) { a.weight_offset = 0; })},
    {"maxima are never behind", "TheBoundIsTheFormulaOfThePage",
     declared_with([](SoftmaxArithmetic& a) { a.lag = 0; })},
    {"a product is rounded twice", "ErrorsOfChosenScores",
     declared_with([](SoftmaxArithmetic& a) { a.score_products *= 2; })},
    {"the constant is exact", "ErrorsOfChosenScores",
     declared_with([](SoftmaxArithmetic& a) { a.exp_argument_error -= 2; })},
    {"the logarithm of products is that of exact ones", "LogarithmsOfSumsAreWithinTheirBound",
     declared_with([](SoftmaxArithmetic& a) { a.score_products = 0; })},
    {"two roundings are declared as two",
     "ProductsThatAreNotCountedBreakIt",
     {.kernel =
          [](EmulatedKernel k) {
            k.argument = EmulatedArgument::scaled_difference;
            return k;
          }}},
};

/// A kernel whose exponents are of so many rounded products.
EmulatedKernel of_products(unsigned products, EmulatedArgument argument) {
  return {.arithmetic = arithmetic_of<float>().any_order().exp2_of_products(products).tiled(2),
          .argument = argument};
}

//! [RoundedProducts]
TEST(RoundedProducts, ExponentsOfProductsAreWithinTheBound) {
  check_statement(rounded_products_mutants, [](const Declared& declared) {
    evidence().rests_on(EvidenceLevel::bounded);
    const auto search = [&](unsigned products, EmulatedArgument argument, const std::string& name) {
      const EmulatedKernel kernel = of_products(products, argument);
      expect_weights_within(declared, kernel, 3e4F, name);
      expect_outputs_within(declared, kernel, 64, name + "output_", 300);
    };
    search(1, EmulatedArgument::fused, "fused_");
    search(2, EmulatedArgument::scaled, "both_");
    search(1, EmulatedArgument::difference_of_scaled, "scores_");
  });
}
//! [RoundedProducts]

TEST(RoundedProducts, TheBoundIsTheFormulaOfThePage) {
  check_statement(rounded_products_mutants, [](const Declared& declared) {
    evidence().rests_on(EvidenceLevel::bounded);
    for_all([&] {
      SoftmaxArithmetic a = arithmetic_of<float>().any_order();
      const unsigned products = *rc::gen::inRange(0U, 3U).as("k");
      if (products > 0) a = a.exp2_of_products(products);
      a = a.lazy_rescaling(*rc::gen::element(0U, 8U).as("a"));
      a.weight_offset = *rc::gen::element(0U, 8U).as("g");
      require_page(declared, a, 3000);
    });
  });
}

//! [RoundedProducts: exact check]
TEST(RoundedProducts, ErrorsOfChosenScores) {
  check_statement(rounded_products_mutants, [](const Declared& declared) {
    for (const unsigned k : {1U, 2U}) {
      SoftmaxArithmetic a = arithmetic_of<float>().exp2_of_products(k);
      a.unit_roundoff = 0x1p-12;
      const Rational u(a.unit_roundoff);
      const double by_products = sqrtdk::detail::error_of_products(5, declared.arithmetic(a));
      EXPECT_EXACTLY(Rational(by_products) == (1 + 4 * (1 + 2 + k) * u) * k * u * 5);
      enumerated(1);
    }
  });
}
//! [RoundedProducts: exact check]

TEST(RoundedProducts, LogarithmsOfSumsAreWithinTheirBound) {
  check_statement(rounded_products_mutants, [](const Declared& declared) {
    evidence().rests_on(EvidenceLevel::bounded);
    const InputSpace<float> space{.axes = {{'n', 1, 8}}, .arrays = {{"scores", "n", -3e4F, 3e4F}}};
    for (const auto argument : {EmulatedArgument::fused, EmulatedArgument::difference_of_scaled})
      expect_within(of_products(1, argument), space,
                    argument == EmulatedArgument::fused ? "fused_" : "scores_", 400,
                    [&](const EmulatedKernel& kernel, const Arrays<float>& x) {
                      return log_sum_exp_law<float>(
                          [&](const std::vector<float>& s, float) { return kernel.log_sum_exp(s); },
                          x.list("scores"), 1, declared.arithmetic(kernel.arithmetic));
                    });
  });
}

TEST(RoundedProducts, ProductsThatAreNotCountedBreakIt) {
  check_with_mutants(rounded_products_mutants, [](const Declared& declared) {
    evidence().rests_on(EvidenceLevel::bounded);
    EmulatedKernel kernel = of_products(2, EmulatedArgument::scaled);
    const std::vector<float> scores = {1000.25F, 1000.7F, 999.6F};
    expect(declared.weights(kernel, scores));
    const EmulatedKernel shown = declared.kernel(kernel);
    kernel.arithmetic = arithmetic_of<float>().any_order().exp2_folded().tiled(2);
    EXPECT_FALSE(accuracy_law<float>(shown, scores, 1, kernel.arithmetic).holds());
    counterexample_without("counted products");
  });
}

}  // namespace sqrtdk::properties::RoundedProducts
