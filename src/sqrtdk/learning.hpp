// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref learning : what gradient descent and a bound on the scores make of attention.
#pragma once

#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/numbers/require.hpp>

#include <Eigen/Core>

#include <stdexcept>

namespace sqrtdk {

/// A list of rational numbers.
using RationalVector = Eigen::Matrix<Rational, Eigen::Dynamic, 1>;
/// A matrix of rational numbers.
using RationalMatrix = Eigen::Matrix<Rational, Eigen::Dynamic, Eigen::Dynamic>;

/// One query's row of scores and the two matrices that are learned: sᵢ = c·(W_Q x)·(W_K x′ᵢ).
struct LearnedRow {
  RationalMatrix query_weights;  ///< W_Q, d × entries of x
  RationalMatrix key_weights;    ///< W_K, d × entries of x′
  RationalVector query_token;    ///< x, the token of the query
  RationalMatrix key_tokens;     ///< x′ᵢ, one a column
  Rational scale;                ///< c, which dot products are multiplied by; any number
};

/// The rule of a step along a gradient.
enum class StepRule {
  descent,  ///< W − ηG: plain gradient descent
  sign      ///< W − η sgn G, entry by entry: Adam's first step if ε is 0 and no entry of G is
};

/// sᵢ = c·(W_Q x)·(W_K x′ᵢ).
/// \param row the matrices and the tokens.
/// \throws std::invalid_argument if the shapes do not fit.
/// \relatesalso LearnedRow
RationalVector learned_scores(const LearnedRow& row);

/// The same row after one step of both matrices at once, for a loss that depends on them through s.
/// \param row    the matrices and the tokens.
/// \param slopes gᵢ = ∂ℓ/∂sᵢ, one for each key.
/// \param rate   η.
/// \param rule   whether the step follows the gradient or its signs.
/// \throws std::invalid_argument if the shapes do not fit.
/// \implements{FirstStep}
/// \relatesalso LearnedRow
LearnedRow after_step(const LearnedRow& row, const RationalVector& slopes, const Rational& rate,
                      StepRule rule);

/// The changes of the scores by that step, without taking it. With K̄ = Σgⱼkⱼ and X̄ = Σgⱼx′ⱼ:
/// descent −ηc²(‖x‖² K̄·kᵢ + ‖q‖² X̄·x′ᵢ) + η²c³‖x‖²(K̄·q)(X̄·x′ᵢ), and
/// sign −ηc(‖x‖₁ sgn K̄·kᵢ + ‖q‖₁ sgn X̄·x′ᵢ) + η²c‖x‖₁(sgn K̄·sgn q)(sgn X̄·x′ᵢ).
/// \param row    the matrices and the tokens; for signs the scale must be at least 0.
/// \param slopes gᵢ = ∂ℓ/∂sᵢ, one for each key.
/// \param rate   η.
/// \param rule   whether the step follows the gradient or its signs.
/// \throws std::invalid_argument if the shapes do not fit.
/// \throws std::domain_error if the scale is below 0 and the rule is that of signs.
/// \implements{FirstStep}
/// \relatesalso LearnedRow
RationalVector score_changes(const LearnedRow& row, const RationalVector& slopes,
                             const Rational& rate, StepRule rule);

/// n/(n − 1) Σ(sᵢ − s̄)², the square of r√(n/(n − 1)) where r is the norm of the centred scores: how
/// far the largest score can be above the mean of the others, squared.
/// \param scores s, n visible keys, n at least 2.
/// \throws std::invalid_argument if there are fewer than two.
/// \implements{EntropyFloor}
Rational squared_lead(const RationalVector& scores);

/// 1 + (n − 1)b, which e^H and the inverse of every weight cannot fall below if b = e^(−r√(n/(n − 1))).
/// \param keys n, the number of visible keys, at least 2.
/// \param b    e^(−r√(n/(n − 1))) or less; greater than 0, at most 1.
/// \throws std::domain_error if there are fewer than two keys or b is out of range.
/// \implements{EntropyFloor}
Rational least_perplexity(Eigen::Index keys, const Rational& b);

/// The derivative of fᵢ = Σₖ pₖxₖ with p = softmaxₖ(c xᵢ·xₖ) as token xⱼ moves in a direction v:
/// pⱼv + c pⱼ(xⱼ − fᵢ)(xᵢ·v), and if i = j also c Σₖ pₖ(xₖ − fᵢ)(xₖ·v).
/// \param tokens    xₖ, one a column.
/// \param weights   p, as many as tokens, with sum 1; query i gives them.
/// \param scale     c.
/// \param query     i.
/// \param moved     j.
/// \param direction v, as long as a token.
/// \throws std::invalid_argument if the shapes do not fit or a token is not there.
/// \implements{AttentionIsNotLipschitz}
RationalVector attention_derivative(const RationalMatrix& tokens, const RationalVector& weights,
                                    const Rational& scale, Eigen::Index query, Eigen::Index moved,
                                    const RationalVector& direction);

/// 1 + 3cR²/2, which no derivative exceeds in norm while all tokens have norm at most R.
/// \param scale          c, at least 0.
/// \param squared_radius R², at least 0.
/// \throws std::domain_error if one is negative.
/// \implements{AttentionIsNotLipschitz}
Rational attention_slope_bound(const Rational& scale, const Rational& squared_radius);

/// The rank of a matrix, exactly.
/// \param matrix any matrix.
Eigen::Index exact_rank(const RationalMatrix& matrix);

/// Scores of the least rank for given weights: sᵢⱼ = ln pᵢⱼ − ln pᵢₙ.
/// \param logs ln pᵢⱼ, queries × keys; each row may be shifted, and all may share a factor: any scores
///             that give p will do, and so will log₂ p.
/// \throws std::invalid_argument if there are no keys.
/// \implements{LowRankScores}
RationalMatrix scores_of_least_rank(const RationalMatrix& logs);

/// The least head dimension whose scores give these weights, rank(ln P · D) where D takes the last
/// column from the others.
/// \param logs as for scores_of_least_rank().
/// \throws std::invalid_argument as there.
/// \implements{LowRankScores}
Eigen::Index least_head_dimension(const RationalMatrix& logs);

// Implementation

namespace detail {

inline RationalMatrix signs(const RationalMatrix& entries) {
  return entries.unaryExpr([](const Rational& entry) { return Rational(entry.sign()); });
}

inline void require_fitting(const LearnedRow& row) {
  if (row.query_weights.rows() != row.key_weights.rows() ||
      row.query_weights.cols() != row.query_token.size() ||
      row.key_weights.cols() != row.key_tokens.rows())
    throw std::invalid_argument("the matrices and the tokens must fit each other");
}

inline void require_fitting(const LearnedRow& row, const RationalVector& slopes) {
  require_fitting(row);
  if (slopes.size() != row.key_tokens.cols())
    throw std::invalid_argument("there must be a slope for each key");
}

}  // namespace detail

inline RationalVector learned_scores(const LearnedRow& row) {
  detail::require_fitting(row);
  const RationalVector query = row.query_weights * row.query_token;
  const RationalMatrix keys = row.key_weights * row.key_tokens;
  return row.scale * keys.transpose() * query;
}

inline LearnedRow after_step(const LearnedRow& row, const RationalVector& slopes,
                             const Rational& rate, StepRule rule) {
  detail::require_fitting(row, slopes);
  const RationalVector query = row.query_weights * row.query_token;
  const RationalMatrix keys = row.key_weights * row.key_tokens;
  RationalMatrix of_query = row.scale * (keys * slopes) * row.query_token.transpose();
  RationalMatrix of_keys = row.scale * query * (row.key_tokens * slopes).transpose();
  if (rule == StepRule::sign) {
    of_query = detail::signs(of_query);
    of_keys = detail::signs(of_keys);
  }
  LearnedRow stepped = row;
  stepped.query_weights -= rate * of_query;
  stepped.key_weights -= rate * of_keys;
  return stepped;
}

//! [FirstStep]
inline RationalVector score_changes(const LearnedRow& row, const RationalVector& slopes,
                                    const Rational& rate, StepRule rule) {
  detail::require_fitting(row, slopes);
  const RationalVector& x = row.query_token;
  const RationalVector q = row.query_weights * x;
  const RationalMatrix k = row.key_weights * row.key_tokens;
  const RationalVector pull = k * slopes;                 // K̄
  const RationalVector center = row.key_tokens * slopes;  // X̄
  const Rational& c = row.scale;
  if (rule == StepRule::descent) {
    const RationalVector along = row.key_tokens.transpose() * center;
    return -rate * c * c * (x.squaredNorm() * k.transpose() * pull + q.squaredNorm() * along) +
           rate * rate * c * c * c * x.squaredNorm() * pull.dot(q) * along;
  }
  detail::require_at_least("the scale", row.scale, 0);
  const RationalVector along = row.key_tokens.transpose() * detail::signs(center);
  const Rational agreement = detail::signs(pull).cwiseProduct(detail::signs(q)).sum();
  const Rational x1 = x.cwiseAbs().sum();
  return -rate * c * (x1 * k.transpose() * detail::signs(pull) + q.cwiseAbs().sum() * along) +
         rate * rate * c * x1 * agreement * along;
}
//! [FirstStep]

//! [EntropyFloor]
inline Rational squared_lead(const RationalVector& scores) {
  const Eigen::Index n = scores.size();
  detail::require_size("scores", n, 2);
  const Rational mean = scores.sum() / n;
  return Rational(n, n - 1) * (scores.array() - mean).matrix().squaredNorm();
}

inline Rational least_perplexity(Eigen::Index keys, const Rational& b) {
  detail::require_at_least("the number of keys", keys, 2);
  detail::require_that(b > 0 && b <= 1, "b", b, "be greater than 0 and at most 1");
  return 1 + (keys - 1) * b;
}
//! [EntropyFloor]

//! [AttentionIsNotLipschitz]
inline RationalVector attention_derivative(const RationalMatrix& tokens,
                                           const RationalVector& weights, const Rational& scale,
                                           Eigen::Index query, Eigen::Index moved,
                                           const RationalVector& direction) {
  if (weights.size() != tokens.cols() || direction.size() != tokens.rows() || query < 0 ||
      moved < 0 || query >= tokens.cols() || moved >= tokens.cols())
    throw std::invalid_argument("the weights, the direction and the tokens must fit each other");
  const RationalVector output = tokens * weights;
  const RationalMatrix deviations = tokens.colwise() - output;
  RationalVector slopes = RationalVector::Zero(tokens.cols());  // of the scores
  if (query == moved) slopes = scale * tokens.transpose() * direction;
  slopes[moved] += scale * tokens.col(query).dot(direction);
  return weights[moved] * direction + deviations * weights.cwiseProduct(slopes);
}
//! [AttentionIsNotLipschitz]

inline Rational attention_slope_bound(const Rational& scale, const Rational& squared_radius) {
  detail::require_at_least("the scale", scale, 0);
  detail::require_at_least("the squared radius", squared_radius, 0);
  return 1 + 3 * scale * squared_radius / 2;
}

inline Eigen::Index exact_rank(const RationalMatrix& matrix) {
  RationalMatrix rest = matrix;
  Eigen::Index rank = 0;
  for (Eigen::Index column = 0; column < rest.cols(); ++column) {
    Eigen::Index pivot = rank;
    while (pivot < rest.rows() && rest(pivot, column) == 0) ++pivot;
    if (pivot == rest.rows()) continue;
    rest.row(rank).swap(rest.row(pivot));
    for (Eigen::Index row = rank + 1; row < rest.rows(); ++row) {
      const Rational ratio = rest(row, column) / rest(rank, column);
      rest.row(row) -= ratio * rest.row(rank);
    }
    ++rank;
  }
  return rank;
}

//! [LowRankScores]
inline RationalMatrix scores_of_least_rank(const RationalMatrix& logs) {
  detail::require_size("keys", logs.cols(), 1);
  const RationalVector last = logs.rightCols(1);
  return logs.colwise() - last;
}

inline Eigen::Index least_head_dimension(const RationalMatrix& logs) {
  return exact_rank(scores_of_least_rank(logs));
}
//! [LowRankScores]

}  // namespace sqrtdk
