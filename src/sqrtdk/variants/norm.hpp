// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref variants : scores of normalized queries and keys.
#pragma once

#include <sqrtdk/numbers/exp_interval.hpp>
#include <sqrtdk/numbers/interval.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/numbers/require.hpp>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace sqrtdk {

/// H²d(Σᵢ γᵢqᵢkᵢ)²/(‖q‖²‖k‖²), the square of a score whose query and key are divided by the root of
/// their mean square, multiplied by gains, and divided by √d; the sum is over the first head.
/// \param q     H·d entries, not all 0: the queries of all heads that are normalized together.
/// \param k     as many.
/// \param gains γ, d numbers: the products of the gains of query and key.
/// \param heads H, at least 1; 1 if each head is normalized by itself.
/// \throws std::invalid_argument if there are not as many numbers.
/// \throws std::domain_error if H is 0, or q or k has no entry but 0.
/// \implements{QueryKeyNorm}
Rational squared_normed_score(const std::vector<Rational>& q, const std::vector<Rational>& k,
                              const std::vector<Rational>& gains, unsigned heads = 1);

/// H²d·max γ², which squared_normed_score() does not exceed.
/// \param gains γ, d numbers, at least one.
/// \param heads H, at least 1.
/// \throws std::domain_error if H is 0 or there is no number.
/// \implements{QueryKeyNorm}
Rational squared_score_limit(const std::vector<Rational>& gains, unsigned heads = 1);

/// The most keys of which one can have half of the weight or more, for scores from −R to R:
/// ⌊e^2R⌋ + 1.
/// \param limit R, at least 0 and at most 50.
/// \throws std::domain_error if R is out of range, or e^2R so near to a whole number, to about 60
///         digits, that exp_enclosure() cannot tell on which side it is.
/// \implements{QueryKeyNorm}
Integer most_keys_for_half(const Rational& limit);

// Implementation

//! [QueryKeyNorm]
inline Rational squared_normed_score(const std::vector<Rational>& q, const std::vector<Rational>& k,
                                     const std::vector<Rational>& gains, unsigned heads) {
  detail::require_at_least("the number of heads", heads, 1U);
  if (q.size() != heads * gains.size() || k.size() != q.size())
    throw std::invalid_argument(std::to_string(heads) + " heads of " +
                                std::to_string(gains.size()) + " features have neither " +
                                std::to_string(q.size()) + " nor " + std::to_string(k.size()) +
                                " entries");
  Rational of_query = 0, of_key = 0, sum = 0;
  for (std::size_t i = 0; i < q.size(); ++i) {
    of_query += q[i] * q[i];
    of_key += k[i] * k[i];
    if (i < gains.size()) sum += gains[i] * q[i] * k[i];
  }
  detail::require_positive("the squared length of the query", of_query);
  detail::require_positive("the squared length of the key", of_key);
  return Rational(heads) * heads * gains.size() * sum * sum / (of_query * of_key);
}

inline Rational squared_score_limit(const std::vector<Rational>& gains, unsigned heads) {
  detail::require_at_least("the number of heads", heads, 1U);
  detail::require_at_least("the number of features", gains.size(), 1U);
  Rational largest = 0;
  for (const Rational& gain : gains) largest = std::max(largest, Rational(gain * gain));
  return Rational(heads) * heads * gains.size() * largest;
}

inline Integer most_keys_for_half(const Rational& limit) {
  detail::require_in("the limit", limit, 0, 50);
  const Interval<Rational> others = exp_enclosure(2 * limit);
  const Integer least(numerator(others.lower) / denominator(others.lower));
  const Integer most(numerator(others.upper) / denominator(others.upper));
  detail::require_that(least == most, "the limit", limit,
                       "leave no whole number in the enclosure of e^2R");
  return least + 1;
}
//! [QueryKeyNorm]

}  // namespace sqrtdk
