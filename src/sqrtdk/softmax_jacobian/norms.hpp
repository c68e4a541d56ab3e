// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref softmax_jacobian : norms of softmax's derivative at rational logits.
#pragma once

#include <sqrtdk/numbers/interval.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/numbers/require.hpp>
#include <sqrtdk/softmax/enclosure.hpp>
#include <sqrtdk/softmax_jacobian.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace sqrtdk {

/// The three norms of J where weights are known to lie between rational numbers.
struct JacobianNorms {
  Interval<Rational> trace;              ///< tr J, the trace norm
  Interval<Rational> squared_frobenius;  ///< ΣJᵢⱼ², the square of the Frobenius norm
  Interval<Rational> spectral;           ///< the largest eigenvalue of J, its spectral norm
};

/// All three norms of J at softmax(x), x rational: those at rational weights p̃ with sum 1, widened
/// by 2Δ, 3Δ and 3Δ where Δ ≥ Σabs(pᵢ − p̃ᵢ).
/// \param logits x, n numbers, n at least 1.
/// \param width  how far apart the ends of the spectral norm at p̃ may lie, greater than 0.
/// \throws std::invalid_argument if there is no logit.
/// \throws std::domain_error if the width is not greater than 0.
/// \implements{WhichNorm}
/// \relatesalso JacobianNorms
JacobianNorms jacobian_norms(const std::vector<Rational>& logits, const Rational& width);

/// The three norms of ∂softmax(s/c)/∂s = J(softmax(s/c))/c: by the raw scores, not by s/c.
/// \param scores  s, n rational numbers, n at least 1.
/// \param divisor c, greater than 0.
/// \param width   as for jacobian_norms().
/// \throws std::invalid_argument as jacobian_norms().
/// \throws std::domain_error as jacobian_norms(), or if c is not greater than 0.
/// \implements{WhichNorm}
/// \relatesalso JacobianNorms
JacobianNorms raw_score_jacobian_norms(const std::vector<Rational>& scores, const Rational& divisor,
                                       const Rational& width);

/// True if p majorizes q for all weights in these intervals: for every k the k largest lower ends
/// of p sum to at least as much as the k largest upper ends of q; for k = n both sums are 1.
/// \param p, q enclosures of equally many weights.
/// \throws std::invalid_argument if the lengths differ.
/// \implements{BenignExampleIsSharper}
/// \relatesalso Interval
bool surely_majorizes(const std::vector<Interval<Rational>>& p,
                      const std::vector<Interval<Rational>>& q);

// Implementation

//! [WhichNorm]
inline JacobianNorms jacobian_norms(const std::vector<Rational>& logits, const Rational& width) {
  const std::vector<Interval<Rational>> exact = softmax_enclosure(logits);
  Eigen::Matrix<Rational, Eigen::Dynamic, 1> p(static_cast<Eigen::Index>(exact.size()));
  Rational error = 0, sum = 0;
  Eigen::Index top = 0;
  for (Eigen::Index i = 0; i < p.size(); ++i) {
    const Interval<Rational>& weight = exact[static_cast<std::size_t>(i)];
    p[i] = weight.lower;
    error += 2 * (weight.upper - weight.lower);  // Δ
    sum += p[i];
    if (p[i] > p[top]) top = i;
  }
  p[top] += 1 - sum;
  const auto widened = [&](const Interval<Rational>& norm, int factor) {
    return Interval<Rational>{norm.lower - factor * error, norm.upper + factor * error};
  };
  const Rational trace = jacobian_trace(p), square = jacobian_squared_norm(p);
  return {widened({trace, trace}, 2), widened({square, square}, 3),
          widened(jacobian_spectral_norm(p, width), 3)};
}

inline JacobianNorms raw_score_jacobian_norms(const std::vector<Rational>& scores,
                                              const Rational& divisor, const Rational& width) {
  detail::require_positive("the divisor", divisor);
  std::vector<Rational> logits = scores;
  for (Rational& logit : logits) logit /= divisor;
  JacobianNorms norms = jacobian_norms(logits, width);
  for (Interval<Rational>* norm : {&norms.trace, &norms.spectral})
    *norm = {norm->lower / divisor, norm->upper / divisor};
  const Rational square = divisor * divisor;
  norms.squared_frobenius = {norms.squared_frobenius.lower / square,
                             norms.squared_frobenius.upper / square};
  return norms;
}
//! [WhichNorm]

//! [BenignExampleIsSharper]
inline bool surely_majorizes(const std::vector<Interval<Rational>>& p,
                             const std::vector<Interval<Rational>>& q) {
  if (p.size() != q.size())
    throw std::invalid_argument("there are " + std::to_string(p.size()) + " and " +
                                std::to_string(q.size()) +
                                " weights, but must be equally many to be compared");
  std::vector<Rational> lower, upper;
  for (const Interval<Rational>& weight : p) lower.push_back(weight.lower);
  for (const Interval<Rational>& weight : q) upper.push_back(weight.upper);
  std::sort(lower.rbegin(), lower.rend());
  std::sort(upper.rbegin(), upper.rend());
  Rational of_p = 0, of_q = 0;
  for (std::size_t k = 0; k + 1 < p.size(); ++k) {
    of_p += lower[k];
    of_q += upper[k];
    if (of_p < of_q) return false;
  }
  return true;
}
//! [BenignExampleIsSharper]

}  // namespace sqrtdk
