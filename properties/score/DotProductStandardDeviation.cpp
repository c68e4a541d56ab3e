// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/finite_distribution.hpp>
#include <sqrtdk/moments.hpp>
#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/score.hpp>
#include <sqrtdk/testing/generators/rational_distributions.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/exact_types.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>
#include <sqrtdk/testing/reporting/expect_refusal.hpp>
#include <sqrtdk/testing/reporting/printed.hpp>

#include "properties/score/fixture.hpp"
#include "properties/support/rational_distributions.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace sqrtdk::properties::DotProductStandardDeviation {

using namespace sqrtdk::testing;

const Mutants dot_product_standard_deviation_mutants = {
    {"the root of a float",
     "IsTheDoubleNearestToTheRoot",
     {.standard_deviation = [](std::uint64_t d) -> double {
       return std::sqrt(static_cast<float>(d));
     }}},
    {"the next double",
     "IsTheDoubleNearestToTheRoot",
     {.standard_deviation =
          [](std::uint64_t d) {
            return std::nextafter(std::sqrt(static_cast<double>(d)),
                                  std::numeric_limits<double>::infinity());
          }}},
    {"the double before",
     "IsTheDoubleNearestToTheRoot",
     {.standard_deviation =
          [](std::uint64_t d) { return std::nextafter(std::sqrt(static_cast<double>(d)), 0.0); }}},
    {"by exponential and logarithm",
     "IsTheIntegerRootOfEveryPerfectSquare",
     {.standard_deviation =
          [](std::uint64_t d) { return std::exp(std::log(static_cast<double>(d)) / 2); }}},
    {"the root of d/2, except in the exercise",
     "EightAtSixtyFourAndTheAnswerToTheFirstExercise",
     {.standard_deviation =
          [](std::uint64_t d) { return std::sqrt(static_cast<double>(d) / (d == 512 ? 1 : 2)); }}},
    {"six digits only",
     "EightAtSixtyFourAndTheAnswerToTheFirstExercise",
     {.standard_deviation =
          [](std::uint64_t d) {
            return std::stod(std::to_string(std::sqrt(static_cast<double>(d))));
          }}},
    {"the variance",
     "ItsSquareIsTheVarianceOfTheLaw",
     {.standard_deviation = [](std::uint64_t d) { return static_cast<double>(d); }}},
    {"right for one and for four dimensions",
     "ItsSquareIsTheVarianceOfTheLaw",
     {.standard_deviation = [](std::uint64_t d) { return (static_cast<double>(d) + 2) / 3; }}},
    {"the variances are taken to be one",
     "EntriesOfTwoHaveTwiceTheDeviation",
     {.distribution =
          [](const RationalDistribution&, const RationalDistribution&, std::size_t d) {
            return dot_product_distribution(fair_sign, fair_sign, d);
          }}},
    {"dimension zero has deviation zero",
     "RefusesDimensionsWhoseRootItCannotPromise",
     {.standard_deviation =
          [](std::uint64_t d) { return d == 0 ? 0.0 : dot_product_standard_deviation(d); }}},
    {"dimensions that are no doubles are rounded first",
     "RefusesDimensionsWhoseRootItCannotPromise",
     {.standard_deviation =
          [](std::uint64_t d) {
            return d > largest_exact_dimension ? std::sqrt(static_cast<double>(d))
                                               : dot_product_standard_deviation(d);
          }}},
};

/// A dimension with any number of bits up to the largest.
rc::Gen<std::uint64_t> any_dimension() {
  return rc::gen::map(
      rc::gen::pair(rc::gen::inRange(0, 54), rc::gen::inRange<std::uint64_t>(0, ~std::uint64_t{0})),
      [](const std::pair<int, std::uint64_t>& draw) {
        return draw.second % (std::uint64_t{1} << draw.first) + 1;
      });
}

/// Whether no double is nearer to the root of d.
bool is_nearest_to_the_root(double s, std::uint64_t d) {
  const Rational low = (Rational(std::nextafter(s, 0.0)) + Rational(s)) / 2;
  const Rational high =
      (Rational(s) + Rational(std::nextafter(s, std::numeric_limits<double>::infinity()))) / 2;
  return low * low < d && high * high > d;
}

//! [DotProductStandardDeviation: in floating point]
TEST(DotProductStandardDeviation, IsTheDoubleNearestToTheRoot) {
  check_with_mutants(dot_product_standard_deviation_mutants, [](const Rules& rules) {
    for_all(
        [&] {
          const std::uint64_t d = *any_dimension().as("d");
          EXPECT_EXACTLY(is_nearest_to_the_root(rules.standard_deviation(d), d));
        },
        1000);
  });
}
//! [DotProductStandardDeviation: in floating point]

TEST(DotProductStandardDeviation, IsTheIntegerRootOfEveryPerfectSquare) {
  check_with_mutants(dot_product_standard_deviation_mutants, [](const Rules& rules) {
    const std::uint64_t largest = 1000;
    for (std::uint64_t root = 1; root <= largest; ++root)
      EXPECT_EXACTLY(Rational(rules.standard_deviation(root * root)) == root);
    enumerated(largest);
  });
}

//! [DotProductStandardDeviation]
TEST(DotProductStandardDeviation, EightAtSixtyFourAndTheAnswerToTheFirstExercise) {
  check_statement(dot_product_standard_deviation_mutants, [](const Rules& rules) {
    expect_printed("S3", "8", Rational(rules.standard_deviation(64)));
    EXPECT_EXACTLY(is_nearest_to_the_root(rules.standard_deviation(512), 512));
    enumerated(2);
    record_value("at_512", format_shortest(rules.standard_deviation(512)));
    record_value("at_512_rounded", format_fixed(rules.standard_deviation(512), 1));
    record_value("ratio_of_weights_at_8", format_fixed(std::exp(rules.standard_deviation(8)), 0));
    record_value("ratio_of_weights_at_64", format_fixed(std::exp(rules.standard_deviation(64)), 0));
    record_value("billions_of_the_ratio_at_512",
                 format_fixed(std::exp(rules.standard_deviation(512)) / 1e9, 0));
  });
}
//! [DotProductStandardDeviation]

TEST(DotProductStandardDeviation, ItsSquareIsTheVarianceOfTheLaw) {
  check_statement(dot_product_standard_deviation_mutants, [](const Rules& rules) {
    for_all([&] {
      // Any perfect square up to 2⁵²: its root is a double.
      const std::uint64_t root = (*any_dimension().as("√d") - 1) % (std::uint64_t{1} << 26) + 1;
      const std::uint64_t d = root * root;
      const auto q = moments(*standardized_distribution().as("distribution of each entry of q"));
      const auto k = moments(*standardized_distribution().as("distribution of each entry of k"));
      const Rational s(rules.standard_deviation(d));
      EXPECT_EXACTLY(s * s == rules.variance(d, q, k));
    });
    // The same from whole laws, one score after the other.
    for (const std::size_t d : {1U, 4U, 9U}) {
      const Rational s(rules.standard_deviation(d));
      EXPECT_EXACTLY(s * s == variance(rules.distribution(fair_sign, fair_sign, d)));
      enumerated(1);
    }
  });
}

TEST(DotProductStandardDeviation, EntriesOfTwoHaveTwiceTheDeviation) {
  check_with_mutants(dot_product_standard_deviation_mutants, [](const Rules& rules) {
    const Rational s(dot_product_standard_deviation(4));
    EXPECT_EXACTLY(variance(rules.distribution(fair_two, fair_sign, 4)) == (2 * s) * (2 * s));
    counterexample_without("variance d");
  });
}

TEST(DotProductStandardDeviation, RefusesDimensionsWhoseRootItCannotPromise) {
  check_with_mutants(dot_product_standard_deviation_mutants, [](const Rules& rules) {
    expect_refusal<std::domain_error>([&] { rules.standard_deviation(0); },
                                      "the dimension is 0, but must lie between 1 and 2^53");
    expect_refusal<std::domain_error>(
        [&] { rules.standard_deviation(largest_exact_dimension + 1); },
        "the dimension is 9007199254740993, but must lie between 1 and 2^53");
  });
}

}  // namespace sqrtdk::properties::DotProductStandardDeviation
