#include <sqrtdk/numbers/powers.hpp>

#include "properties/learning/fixture.hpp"

namespace sqrtdk::properties::LowRankScores {

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

//! [LowRankScores]
STATEMENT(LowRankScores, AHeadNeedsNoMoreThanItHas) {
  for_all([&] {
    const Index d = *rc::gen::inRange(1, 4).as("d");
    const Index keys = *rc::gen::inRange(1, 6).as("keys");
    const RationalMatrix q = any_whole_matrix(5, d);
    const RationalMatrix scores = q * any_whole_matrix(d, keys);
    const RationalMatrix shifts = any_whole_matrix(5, 1) * RationalMatrix::Ones(1, keys);
    EXPECT_EXACTLY(subject.least_head_dimension(scores) <= d);
    EXPECT_EXACTLY(subject.least_head_dimension(scores + shifts) ==
                   subject.least_head_dimension(scores));
  });
}
//! [LowRankScores]
KILLS("the rank of P in place of that of ln P",
      {.least_head_dimension = [](auto& logs) { return sqrtdk::exact_rank(weights_of(logs)); }});
KILLS("as many dimensions as keys",
      {.least_head_dimension = [](auto& logs) { return logs.cols(); }});

STATEMENT(LowRankScores, TheScoresGiveTheWeights) {
  for_all([&] {
    const RationalMatrix logs =
        any_whole_matrix(*rc::gen::inRange(1, 5).as("queries"), *rc::gen::inRange(1, 6).as("keys"));
    const RationalMatrix scores = subject.scores_of_least_rank(logs);
    EXPECT_EXACTLY(weights_of(scores) == weights_of(logs));
    EXPECT_EXACTLY(exact_rank(scores) == subject.least_head_dimension(logs));
  });
}
KILLS("the last key is taken from the last query only", {.scores_of_least_rank = [](auto& logs) {
        RationalMatrix scores = logs;
        scores.bottomRows(1) = sqrtdk::scores_of_least_rank(logs.bottomRows(1));
        return scores;
      }});
KILLS("the first query is taken from the others", {.scores_of_least_rank = [](auto& logs) {
        return RationalMatrix(logs.rowwise() - logs.row(0));
      }});

//! [LowRankScores: exact check]
STATEMENT(LowRankScores, AHalfOnTheDiagonal) {
  EXPECT_EXACTLY(weights_of(half_on_the_diagonal(5, -3))(0, 1) == Rational(1, 8));
  EXPECT_EXACTLY(subject.least_head_dimension(half_on_the_diagonal(5, -3)) == 4);
  EXPECT_EXACTLY(weights_of(half_on_the_diagonal(3, -2))(0, 0) == Rational(1, 2));
  EXPECT_EXACTLY(subject.least_head_dimension(half_on_the_diagonal(3, -2)) == 2);
  RationalMatrix exchanged = RationalMatrix::Zero(2, 3);
  exchanged(0, 1) = exchanged(1, 0) = 1;
  EXPECT_EXACTLY(subject.least_head_dimension(exchanged) == 2);
}
//! [LowRankScores: exact check]
KILLS("the rank of ln P, without the differences", {.least_head_dimension = sqrtdk::exact_rank});
KILLS("no row is exchanged where a pivot is 0", {.least_head_dimension = [](auto& logs) {
        RationalMatrix rest = sqrtdk::scores_of_least_rank(logs);
        Index rank = 0;
        for (Index column = 0; column < rest.cols() && rank < rest.rows(); ++column) {
          if (rest(rank, column) == 0) continue;
          for (Index row = rank + 1; row < rest.rows(); ++row)
            rest.row(row) -= rest.row(rank) * Rational(rest(row, column) / rest(rank, column));
          ++rank;
        }
        return rank;
      }});
KILLS("one dimension is always enough", {.least_head_dimension = [](auto& logs) {
        return std::min<Index>(1, sqrtdk::least_head_dimension(logs));
      }});

STATEMENT(LowRankScores, TwoDimensionsPointAtAnyKey) {
  // Points of the unit circle with rational coordinates, as queries and as keys.
  for (Index n = 3; n <= 9; ++n) {
    RationalMatrix points(n, 2);
    for (Index i = 0; i < n; ++i) {
      const Rational t(i, 2);
      points.row(i) << (1 - t * t) / (1 + t * t), 2 * t / (1 + t * t);
    }
    const RationalMatrix scores = points * points.transpose();
    EXPECT_EXACTLY(subject.least_head_dimension(scores) == 2);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) EXPECT_EXACTLY((scores(i, j) < scores(i, i)) == (i != j));
  }
  enumerated(7);
}
KILLS("one dimension more than needed",
      {.least_head_dimension = [](auto& logs) { return sqrtdk::least_head_dimension(logs) + 1; }});

ASIDE(LowRankScores, AMaskSavesDimensions) {
  // If a mask hides the second key from the first query, 1 and 0 give the same weights.
  const RationalMatrix equal = RationalMatrix::Zero(2, 2);
  RationalMatrix masked = equal;
  masked(0, 1) = 1;
  EXPECT_EXACTLY(weights_of(equal.topLeftCorner(1, 1)) == weights_of(masked.topLeftCorner(1, 1)));
  EXPECT_EXACTLY(weights_of(equal.bottomRows(1)) == weights_of(masked.bottomRows(1)));
  EXPECT_EXACTLY(subject.least_head_dimension(equal) == 0);
  EXPECT_EXACTLY(subject.least_head_dimension(masked) == 1);
  counterexample_without("no mask");
}
KILLS("masked scores count for nothing", {.least_head_dimension = [](const RationalMatrix& logs) {
        return sqrtdk::least_head_dimension(logs.triangularView<Eigen::Lower>());
      }});

ASIDE(LowRankScores, RefusesNoKeys) {
  expect_refusal<std::invalid_argument>(
      [&] { subject.least_head_dimension(RationalMatrix(2, 0)); });
}
KILLS("no keys need no dimension", {.least_head_dimension = [](auto& logs) {
        return logs.cols() == 0 ? 0 : sqrtdk::least_head_dimension(logs);
      }});

}  // namespace sqrtdk::properties::LowRankScores
