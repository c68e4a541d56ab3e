// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/finite_distribution.hpp>
#include <sqrtdk/moments.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/score.hpp>
#include <sqrtdk/testing/generators/rational_distributions.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>
#include <sqrtdk/testing/reporting/expect_refusal.hpp>
#include <sqrtdk/testing/reporting/printed.hpp>

#include "properties/score/fixture.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <utility>

namespace sqrtdk::properties::WorkedDotProduct {

using namespace sqrtdk::testing;

const Mutants worked_dot_product_mutants = {
    {"two zeros are a match, as two ones are",
     "ItsEntriesHaveNeitherMeanZeroNorVarianceOne",
     {.dot_product = [](const Vector& q, const Vector& k) -> Rational {
       Rational sum = dot_product(q, k);
       for (std::size_t i = 0; i < q.size(); ++i) sum += q[i] == 0 && k[i] == 0 ? 1 : 0;
       return sum;
     }}},
    {"the first entry is skipped",
     "IsLinearInTheQuery",
     {.dot_product = [](const Vector& q, const Vector& k) -> Rational {
       return dot_product(q, k) - (q.empty() ? Rational(0) : Rational((q[0] - 1) * k[0]));
     }}},
    {"the absolute value",
     "IsLinearInTheQuery",
     {.dot_product = [](const Vector& q, const Vector& k) -> Rational {
       return abs(dot_product(q, k));
     }}},
    {"the key is squared",
     "IsSymmetric",
     {.dot_product = [](const Vector& q,
                        const Vector& k) { return dot_product(q, k) * dot_product(k, k); }}},
    {"the entries are counted",
     "GivesTheDocumentsScore",
     {.dot_product = [](const Vector& q, const Vector&) { return Rational(q.size()); }}},
    {"the last entry is skipped",
     "OfAnEntryAloneIsTheProduct",
     {.dot_product = [](const Vector& q, const Vector& k) -> Rational {
       return q.empty() ? Rational(0) : Rational(dot_product(q, k) - q.back() * k.back());
     }}},
    {"the shorter vector decides",
     "RefusesVectorsOfDifferentLengths",
     {.dot_product =
          [](const Vector& q, const Vector& k) {
            const auto n = static_cast<std::ptrdiff_t>(std::min(q.size(), k.size()));
            return dot_product({q.begin(), q.begin() + n}, {k.begin(), k.begin() + n});
          }}},
};

//! [WorkedDotProduct: exact check]
TEST(WorkedDotProduct, GivesTheDocumentsScore) {
  check_statement(worked_dot_product_mutants, [](const Rules& rules) {
    const Vector q = {1, 0, 1, 0};
    const Vector k = {0, 1, 1, 1};
    const Rational score = rules.dot_product(q, k);
    const Rational root(dot_product_standard_deviation(q.size()));
    for (const auto& [printed, value] :
         {std::pair("1", score), std::pair("2", root), std::pair("0.5", Rational(score / root))})
      expect_printed("S2", printed, value);
    enumerated(1);
  });
}
//! [WorkedDotProduct: exact check]

TEST(WorkedDotProduct, ItsEntriesHaveNeitherMeanZeroNorVarianceOne) {
  check_statement(worked_dot_product_mutants, [](const Rules& rules) {
    const Vector q = {1, 0, 1, 0};
    const Vector k = {0, 1, 1, 1};
    EXPECT_EXACTLY(mean(RationalDistribution::uniform(q)) == Rational(1, 2));
    EXPECT_EXACTLY(variance(RationalDistribution::uniform(q)) == Rational(1, 4));
    EXPECT_EXACTLY(mean(RationalDistribution::uniform(k)) == Rational(3, 4));
    EXPECT_EXACTLY(variance(RationalDistribution::uniform(k)) == Rational(3, 16));
    // The average over all queries and keys of zeros and ones is the score of the example.
    Rational total = 0;
    for (unsigned pair = 0; pair < 256; ++pair) {
      Vector bits;
      for (unsigned i = 0; i < 8; ++i) bits.emplace_back(pair >> i & 1U);
      total += rules.dot_product({bits.begin(), bits.begin() + 4}, {bits.begin() + 4, bits.end()});
    }
    EXPECT_EXACTLY(total / 256 == rules.dot_product(q, k));
    enumerated(256);
  });
}

TEST(WorkedDotProduct, OfAnEntryAloneIsTheProduct) {
  check_statement(worked_dot_product_mutants, [](const Rules& rules) {
    for_all([&] {
      const auto d = *rc::gen::inRange<std::size_t>(1, 9).as("d");
      const auto i = *rc::gen::inRange<std::size_t>(0, d).as("i, counted from 0");
      const Vector k = *any_vector(d).as("k");
      Vector q(d, 0);
      q[i] = *any_rational().as("the one entry of q that is not 0");
      EXPECT_EXACTLY(rules.dot_product(q, k) == q[i] * k[i]);
    });
  });
}

//! [WorkedDotProduct]
TEST(WorkedDotProduct, IsLinearInTheQuery) {
  check_statement(worked_dot_product_mutants, [](const Rules& rules) {
    for_all([&] {
      const auto d = *rc::gen::inRange<std::size_t>(0, 9).as("d");
      const Rational c = *any_rational().as("c");
      const Vector p = *any_vector(d).as("p");
      const Vector q = *any_vector(d).as("q");
      const Vector k = *any_vector(d).as("k");
      Vector combined;
      for (std::size_t i = 0; i < d; ++i) combined.push_back(p[i] + c * q[i]);
      EXPECT_EXACTLY(rules.dot_product(combined, k) ==
                     rules.dot_product(p, k) + c * rules.dot_product(q, k));
    });
  });
}
//! [WorkedDotProduct]

TEST(WorkedDotProduct, IsSymmetric) {
  check_statement(worked_dot_product_mutants, [](const Rules& rules) {
    for_all([&] {
      const auto d = *rc::gen::inRange<std::size_t>(1, 9).as("d");
      const Vector q = *any_vector(d).as("q");
      const Vector k = *any_vector(d).as("k");
      EXPECT_EXACTLY(rules.dot_product(q, k) == rules.dot_product(k, q));
    });
  });
}

TEST(WorkedDotProduct, RefusesVectorsOfDifferentLengths) {
  check_with_mutants(worked_dot_product_mutants, [](const Rules& rules) {
    expect_refusal<std::invalid_argument>(
        [&] {
          rules.dot_product({1, 2, 3}, {1, 2});
        },
        "the query has 3 entries and the key 2, but a dot product needs as many of each");
    counterexample_without("equal lengths");
  });
}

}  // namespace sqrtdk::properties::WorkedDotProduct
