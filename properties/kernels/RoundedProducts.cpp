// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/softmax_arithmetic.hpp>
#include <sqrtdk/softmax_error.hpp>
#include <sqrtdk/testing/generators/emulated_kernel.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>

#include "properties/kernels/fixture.hpp"
#include "properties/support/outcomes.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <vector>

namespace sqrtdk::properties::RoundedProducts {

using namespace sqrtdk::testing;

const std::vector<Mutant<Declared>> rounded_products_mutants = {
    {"products are exact", "ExponentsOfProductsAreWithinTheBound",
     declared_with([](SoftmaxArithmetic& a) { a.score_products = 0; })},
    {"products are exact in the formula", "TheBoundIsTheFormulaOfThePage",
     declared_with([](SoftmaxArithmetic& a) { a.score_products = 0; })},
    {"one of two products is exact", "TheBoundIsTheFormulaOfThePage",
     declared_with(
         [](SoftmaxArithmetic& a) { a.score_products = std::min(a.score_products, 1U); })},
    {"nothing is added to exponents", "TheBoundIsTheFormulaOfThePage",
     declared_with([](SoftmaxArithmetic& a) { a.weight_offset = 0; })},
    {"maxima are never behind", "TheBoundIsTheFormulaOfThePage",
     declared_with([](SoftmaxArithmetic& a) { a.lag = 0; })},
};

/// A kernel with exponents of so many rounded products.
EmulatedKernel of_products(unsigned products, EmulatedArgument argument) {
  return {.arithmetic = arithmetic_of<float>().any_order().exp2_of_products(products).tiled(2),
          .argument = argument};
}

//! [RoundedProducts]
TEST(RoundedProducts, ExponentsOfProductsAreWithinTheBound) {
  check_statement(rounded_products_mutants, [](const Declared& declared) {
    evidence().rests_on(EvidenceLevel::bounded);
    expect_weights_within(declared, of_products(1, EmulatedArgument::fused), 3e4F, "fused_");
    expect_weights_within(declared, of_products(2, EmulatedArgument::scaled), 3e4F, "both_");
    expect_weights_within(declared, of_products(1, EmulatedArgument::difference_of_scaled), 3e4F,
                          "scores_");
  });
}
//! [RoundedProducts]

TEST(RoundedProducts, TheBoundIsTheFormulaOfThePage) {
  check_with_mutants(rounded_products_mutants, [](const Declared& declared) {
    evidence().rests_on(EvidenceLevel::bounded);
    for_all([&] {
      SoftmaxArithmetic a = arithmetic_of<float>().any_order();
      const unsigned products = *rc::gen::inRange(0U, 3U).as("k");
      if (products > 0) a = a.exp2_of_products(products);
      a = a.lazy_rescaling(*rc::gen::element(0U, 8U).as("lag"));
      a.weight_offset = *rc::gen::element(0U, 8U).as("offset");
      require_page(declared, a, 3000);
    });
  });
}

}  // namespace sqrtdk::properties::RoundedProducts
