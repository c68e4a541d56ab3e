// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief A claim of the book, checked for a function that is wrong on purpose: what its owner
/// reads.
///
/// Fails unless the check does. The book shows what it prints.
#include <sqrtdk/moments.hpp>
#include <sqrtdk/moments/finite_distribution.hpp>
#include <sqrtdk/score.hpp>
#include <sqrtdk/testing/generators/rational_distributions.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>
#include <sqrtdk/testing/run.hpp>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstddef>

using namespace sqrtdk;
using namespace sqrtdk::testing;

//! [broken claim]
/// The variance of a score, wrong: it forgets one dimension.
Rational score_variance(std::size_t d, const Rational& query_variance,
                        const Rational& key_variance) {
  return Rational(d - 1) * query_variance * key_variance;
}

TEST(DotProductVariance, HoldsForMyFunction) {
  for_all([] {
    const auto d = *rc::gen::inRange<std::size_t>(1, 5).as("d");
    const RationalDistribution q = *centred_distribution().as("distribution of each entry of q");
    const RationalDistribution k = *centred_distribution().as("distribution of each entry of k");
    EXPECT_EXACTLY(variance(dot_product_distribution(q, k, d)) ==
                   score_variance(d, variance(q), variance(k)));
  });
}
//! [broken claim]

int main(int argc, char** argv) { return run(argc, argv) == 1 ? 0 : 1; }
