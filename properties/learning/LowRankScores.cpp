// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/learning.hpp>
#include <sqrtdk/numbers/powers.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>
#include <sqrtdk/testing/reporting/expect_refusal.hpp>

#include "properties/learning/fixture.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <vector>

namespace sqrtdk::properties::LowRankScores {

using namespace sqrtdk::testing;
using Eigen::Index;

Rational power_of_two(const Rational& exponent) {
  const int n = static_cast<int>(exponent);
  const Rational power = integer_power(Rational(2), static_cast<unsigned>(n < 0 ? -n : n));
  return n < 0 ? Rational(1 / power) : power;
}

/// The weights of whole scores times ln 2.
RationalMatrix weights_of(const RationalMatrix& scores) {
  RationalMatrix p = scores.unaryExpr(&power_of_two);
  for (Index i = 0; i < p.rows(); ++i) p.row(i) /= Rational(p.row(i).sum());
  return p;
}

/// Whole numbers from −2 to 2, drawn at once.
RationalMatrix any_whole_matrix(Index rows, Index columns) {
  const auto entries = *rc::gen::container<std::vector<int>>(
                            static_cast<std::size_t>(rows * columns), rc::gen::inRange(-2, 3))
                            .as("entries, column by column");
  RationalMatrix m(rows, columns);
  std::copy(entries.begin(), entries.end(), m.reshaped().begin());
  return m;
}

/// log₂ P where P has 1/2 on the diagonal and 1/(2(n − 1)) elsewhere; n − 1 is a power of 2.
RationalMatrix half_on_the_diagonal(Index n, int elsewhere) {
  RationalMatrix logs = RationalMatrix::Constant(n, n, elsewhere);
  logs.diagonal().setConstant(-1);
  return logs;
}

const Mutants low_rank_scores_mutants = {
    {"the rank of ln P, without the differences",
     "AHalfOnTheDiagonal",
     {.least_head_dimension = sqrtdk::exact_rank}},
    {"the rank of P in place of that of ln P",
     "AHeadNeedsNoMoreThanItHas",
     {.least_head_dimension =
          [](const RationalMatrix& logs) { return sqrtdk::exact_rank(weights_of(logs)); }}},
    {"as many dimensions as keys",
     "AHeadNeedsNoMoreThanItHas",
     {.least_head_dimension = [](const RationalMatrix& logs) { return logs.cols(); }}},
    {"no row is exchanged where a pivot is 0",
     "AHalfOnTheDiagonal",
     {.least_head_dimension =
          [](const RationalMatrix& logs) {
            RationalMatrix rest = sqrtdk::scores_of_least_rank(logs);
            Index rank = 0;
            for (Index column = 0; column < rest.cols() && rank < rest.rows(); ++column) {
              if (rest(rank, column) == 0) continue;
              for (Index row = rank + 1; row < rest.rows(); ++row)
                rest.row(row) -= rest.row(rank) * Rational(rest(row, column) / rest(rank, column));
              ++rank;
            }
            return rank;
          }}},
    {"one dimension is always enough",
     "AHalfOnTheDiagonal",
     {.least_head_dimension =
          [](const RationalMatrix& logs) {
            return std::min<Index>(1, sqrtdk::least_head_dimension(logs));
          }}},
    {"the last key is taken from the last query only",
     "TheScoresGiveTheWeights",
     {.scores_of_least_rank =
          [](const RationalMatrix& logs) {
            RationalMatrix scores = logs;
            scores.bottomRows(1) = sqrtdk::scores_of_least_rank(logs.bottomRows(1));
            return scores;
          }}},
    {"the first query is taken from the others",
     "TheScoresGiveTheWeights",
     {.scores_of_least_rank =
          [](const RationalMatrix& logs) { return RationalMatrix(logs.rowwise() - logs.row(0)); }}},
    {"one dimension more than needed",
     "TwoDimensionsPointAtAnyKey",
     {.least_head_dimension =
          [](const RationalMatrix& logs) { return sqrtdk::least_head_dimension(logs) + 1; }}},
    {"masked scores count for nothing",
     "AMaskSavesDimensions",
     {.least_head_dimension =
          [](const RationalMatrix& logs) {
            return sqrtdk::least_head_dimension(logs.triangularView<Eigen::Lower>());
          }}},
    {"no keys need no dimension",
     "RefusesNoKeys",
     {.least_head_dimension =
          [](const RationalMatrix& logs) {
            return logs.cols() == 0 ? 0 : sqrtdk::least_head_dimension(logs);
          }}},
};

//! [LowRankScores]
TEST(LowRankScores, AHeadNeedsNoMoreThanItHas) {
  check_statement(low_rank_scores_mutants, [](const Learning& learning) {
    for_all([&] {
      const Index d = *rc::gen::inRange(1, 4).as("d");
      const Index keys = *rc::gen::inRange(1, 6).as("keys");
      const RationalMatrix q = any_whole_matrix(5, d);
      const RationalMatrix scores = q * any_whole_matrix(d, keys);
      const RationalMatrix shifts = any_whole_matrix(5, 1) * RationalMatrix::Ones(1, keys);
      EXPECT_EXACTLY(learning.least_head_dimension(scores) <= d);
      EXPECT_EXACTLY(learning.least_head_dimension(scores + shifts) ==
                     learning.least_head_dimension(scores));
    });
  });
}
//! [LowRankScores]

TEST(LowRankScores, TheScoresGiveTheWeights) {
  check_statement(low_rank_scores_mutants, [](const Learning& learning) {
    for_all([&] {
      const RationalMatrix logs = any_whole_matrix(*rc::gen::inRange(1, 5).as("queries"),
                                                   *rc::gen::inRange(1, 6).as("keys"));
      const RationalMatrix scores = learning.scores_of_least_rank(logs);
      EXPECT_EXACTLY(weights_of(scores) == weights_of(logs));
      EXPECT_EXACTLY(exact_rank(scores) == learning.least_head_dimension(logs));
    });
  });
}

//! [LowRankScores: exact check]
TEST(LowRankScores, AHalfOnTheDiagonal) {
  check_statement(low_rank_scores_mutants, [](const Learning& learning) {
    EXPECT_EXACTLY(weights_of(half_on_the_diagonal(5, -3))(0, 1) == Rational(1, 8));
    EXPECT_EXACTLY(learning.least_head_dimension(half_on_the_diagonal(5, -3)) == 4);
    EXPECT_EXACTLY(weights_of(half_on_the_diagonal(3, -2))(0, 0) == Rational(1, 2));
    EXPECT_EXACTLY(learning.least_head_dimension(half_on_the_diagonal(3, -2)) == 2);
    RationalMatrix exchanged = RationalMatrix::Zero(2, 3);
    exchanged(0, 1) = exchanged(1, 0) = 1;
    EXPECT_EXACTLY(learning.least_head_dimension(exchanged) == 2);
  });
}
//! [LowRankScores: exact check]

TEST(LowRankScores, TwoDimensionsPointAtAnyKey) {
  check_statement(low_rank_scores_mutants, [](const Learning& learning) {
    // Points of the unit circle with rational coordinates, as queries and as keys.
    for (Index n = 3; n <= 9; ++n) {
      RationalMatrix points(n, 2);
      for (Index i = 0; i < n; ++i) {
        const Rational t(i, 2);
        points.row(i) << (1 - t * t) / (1 + t * t), 2 * t / (1 + t * t);
      }
      const RationalMatrix scores = points * points.transpose();
      EXPECT_EXACTLY(learning.least_head_dimension(scores) == 2);
      for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < n; ++j) EXPECT_EXACTLY((scores(i, j) < scores(i, i)) == (i != j));
    }
    enumerated(7);
  });
}

TEST(LowRankScores, AMaskSavesDimensions) {
  check_with_mutants(low_rank_scores_mutants, [](const Learning& learning) {
    // Where a mask hides the second key from the first query, 1 and 0 give the same weights.
    const RationalMatrix equal = RationalMatrix::Zero(2, 2);
    RationalMatrix masked = equal;
    masked(0, 1) = 1;
    EXPECT_EXACTLY(weights_of(equal.topLeftCorner(1, 1)) == weights_of(masked.topLeftCorner(1, 1)));
    EXPECT_EXACTLY(weights_of(equal.bottomRows(1)) == weights_of(masked.bottomRows(1)));
    EXPECT_EXACTLY(learning.least_head_dimension(equal) == 0);
    EXPECT_EXACTLY(learning.least_head_dimension(masked) == 1);
    counterexample_without("no mask");
  });
}

TEST(LowRankScores, RefusesNoKeys) {
  check_with_mutants(low_rank_scores_mutants, [](const Learning& learning) {
    expect_refusal<std::invalid_argument>(
        [&] { learning.least_head_dimension(RationalMatrix(2, 0)); });
  });
}

}  // namespace sqrtdk::properties::LowRankScores
