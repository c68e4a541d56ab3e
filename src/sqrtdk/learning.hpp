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

/// One score and the two matrices that are learned: s = c·(W_Q x)·(W_K x′).
struct LearnedScore {
  RationalMatrix query_weights;  ///< W_Q, d × entries of x
  RationalMatrix key_weights;    ///< W_K, d × entries of x′
  RationalVector query_token;    ///< x
  RationalVector key_token;      ///< x′
  Rational scale;                ///< c
};

/// How a step follows a gradient.
enum class StepRule {
  descent,  ///< W − ηG: plain gradient descent
  sign      ///< W − η sgn G, entry by entry: Adam's first step if its ε is 0
};

/// s = c·(W_Q x)·(W_K x′).
/// \param layer the matrices and the tokens.
/// \throws std::invalid_argument if the shapes do not fit.
/// \relatesalso LearnedScore
Rational learned_score(const LearnedScore& layer);

/// The same layer after one step of both matrices at once, for a loss that depends on them through s.
///
/// \param layer the matrices and the tokens.
/// \param slope δ = ∂ℓ/∂s.
/// \param rate  η.
/// \param rule  whether the step follows the gradient or its signs.
/// \throws std::invalid_argument if the shapes do not fit.
/// \implements{FirstStep}
/// \relatesalso LearnedScore
LearnedScore after_step(const LearnedScore& layer, const Rational& slope, const Rational& rate,
                        StepRule rule);

/// What that step adds to the score, without taking it:
/// descent −ηc²δ(‖x‖²‖k‖² + ‖x′‖²‖q‖²) + η²c³δ²‖x‖²‖x′‖² q·k, and
/// sign −ηc sgn δ(‖x‖₁‖k‖₁ + ‖x′‖₁‖q‖₁) + η²c sgn² δ ‖x‖₁‖x′‖₁ sgn k·sgn q.
///
/// \param layer the matrices and the tokens.
/// \param slope δ = ∂ℓ/∂s.
/// \param rate  η.
/// \param rule  whether the step follows the gradient or its signs.
/// \throws std::invalid_argument if the shapes do not fit.
/// \throws std::domain_error if the scale is not greater than 0.
/// \implements{FirstStep}
/// \relatesalso LearnedScore
Rational score_change(const LearnedScore& layer, const Rational& slope, const Rational& rate,
                      StepRule rule);

/// n/(n − 1) Σ(sᵢ − s̄)², the square of r√(n/(n − 1)) where r is the norm of the centred scores: how
/// far the largest score can be above the mean of the others, squared.
///
/// \param scores s, n visible keys, n at least 2.
/// \throws std::invalid_argument if there are fewer than two.
/// \implements{EntropyFloor}
Rational squared_lead(const RationalVector& scores);

/// 1 + (n − 1)b, which e^H and the inverse of every weight cannot fall below if b = e^(−r√(n/(n − 1))).
///
/// \param keys n, the number of visible keys, at least 2.
/// \param b    e^(−r√(n/(n − 1))) or less; greater than 0, at most 1.
/// \throws std::domain_error if there are fewer than two keys or b is out of range.
/// \implements{EntropyFloor}
Rational least_perplexity(Eigen::Index keys, const Rational& b);

/// The derivative of fᵢ = Σₖ pₖxₖ with p = softmaxₖ(c xᵢ·xₖ) as token xⱼ moves in a direction v:
/// pⱼv + c pⱼ(xⱼ − fᵢ)(xᵢ·v), and if i = j also c Σₖ pₖ(xₖ − fᵢ)(xₖ·v).
///
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

/// 1 + 3cR², which no derivative exceeds in norm while all tokens have norm at most R.
///
/// \param scale          c, at least 0.
/// \param squared_radius R², at least 0.
/// \throws std::domain_error if one is negative.
/// \implements{AttentionIsNotLipschitz}
Rational attention_slope_bound(const Rational& scale, const Rational& squared_radius);

/// The rank of a matrix, exactly.
/// \param matrix any matrix.
Eigen::Index exact_rank(const RationalMatrix& matrix);

/// Scores of the least rank for given weights: sᵢⱼ = ln pᵢⱼ − ln pᵢₙ.
///
/// \param logs ln pᵢⱼ, queries × keys; each row may be shifted, and all may share a factor: any scores
///             that give p will do, and so will log₂ p.
/// \throws std::invalid_argument if there are no keys.
/// \implements{LowRankScores}
RationalMatrix scores_of_least_rank(const RationalMatrix& logs);

/// The least head dimension whose scores give these weights, rank(ln P · D) where D takes the last
/// column from the others.
///
/// \param logs as for scores_of_least_rank().
/// \throws std::invalid_argument as there.
/// \implements{LowRankScores}
Eigen::Index least_head_dimension(const RationalMatrix& logs);

// ---- Implementation -----------------------------------------------------------------------------

namespace detail {

/// −1, 0 or 1, entry by entry.
inline RationalMatrix signs(const RationalMatrix& entries) {
  return entries.unaryExpr([](const Rational& entry) { return Rational(entry.sign()); });
}

inline void require_fitting(const LearnedScore& layer) {
  if (layer.query_weights.rows() != layer.key_weights.rows() ||
      layer.query_weights.cols() != layer.query_token.size() ||
      layer.key_weights.cols() != layer.key_token.size())
    throw std::invalid_argument("the matrices and the tokens must fit each other");
}

}  // namespace detail

inline Rational learned_score(const LearnedScore& layer) {
  detail::require_fitting(layer);
  const RationalVector query = layer.query_weights * layer.query_token;
  const RationalVector key = layer.key_weights * layer.key_token;
  return layer.scale * query.dot(key);
}

inline LearnedScore after_step(const LearnedScore& layer, const Rational& slope,
                               const Rational& rate, StepRule rule) {
  detail::require_fitting(layer);
  const Rational factor = layer.scale * slope;
  RationalMatrix of_query =
      factor * (layer.key_weights * layer.key_token) * layer.query_token.transpose();
  RationalMatrix of_key =
      factor * (layer.query_weights * layer.query_token) * layer.key_token.transpose();
  if (rule == StepRule::sign) {
    of_query = detail::signs(of_query);
    of_key = detail::signs(of_key);
  }
  LearnedScore stepped = layer;
  stepped.query_weights -= rate * of_query;
  stepped.key_weights -= rate * of_key;
  return stepped;
}

//! [FirstStep]
inline Rational score_change(const LearnedScore& layer, const Rational& slope, const Rational& rate,
                             StepRule rule) {
  detail::require_fitting(layer);
  detail::require_positive("the scale", layer.scale);
  const RationalVector& x = layer.query_token;
  const RationalVector& y = layer.key_token;
  const RationalVector q = layer.query_weights * x;
  const RationalVector k = layer.key_weights * y;
  const Rational& c = layer.scale;
  if (rule == StepRule::descent)
    return -rate * c * c * slope *
               (x.squaredNorm() * k.squaredNorm() + y.squaredNorm() * q.squaredNorm()) +
           rate * rate * c * c * c * slope * slope * x.squaredNorm() * y.squaredNorm() * q.dot(k);
  const auto norm = [](const RationalVector& v) { return v.cwiseAbs().sum(); };
  const Rational sign = slope.sign();
  return -rate * c * sign * (norm(x) * norm(k) + norm(y) * norm(q)) +
         rate * rate * c * sign * sign * norm(x) * norm(y) *
             detail::signs(k).cwiseProduct(detail::signs(q)).sum();
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
  return 1 + 3 * scale * squared_radius;
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
