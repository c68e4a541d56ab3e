// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref variants : five more changes to attention, one formula each.
#pragma once

#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/numbers/require.hpp>

#include <Eigen/Core>

namespace sqrtdk {

/// τ/S if S > τ, otherwise 1: QK-clip's factor of a head's scores, its root at W_Q and at W_K.
/// \param largest S, the largest score of the head; nothing is clipped if it is 0 or less.
/// \param cap     τ, greater than 0.
/// \throws std::domain_error if the cap is not greater than 0.
/// \implements{FiveMoreVariants}
Rational qk_clip_factor(const Rational& largest, const Rational& cap);

/// d(κ − 1), the covariance of (q·k)² and (q′·k)² for two queries and one key of d independent
/// entries each with mean 0 and variance 1.
/// \param dimension     d, at least 1.
/// \param fourth_moment κ = E k⁴ of an entry of the key, at least 1.
/// \throws std::domain_error if an argument is out of range.
/// \implements{FiveMoreVariants}
Rational shared_key_covariance(unsigned dimension, const Rational& fourth_moment);

/// (1 + ln(s)/10)², what YaRN multiplies scores by where s > 1.
/// \param log_extension ln s, of the factor by which the context is longer; 1 is returned below 0.
/// \implements{FiveMoreVariants}
template <class Real>
Real yarn_score_factor(const Real& log_extension);

/// k − k̄: the keys less their mean.
/// \param keys K, m × d, m at least 1; a row is a key.
/// \return m × d numbers.
/// \throws std::invalid_argument if there is no key.
/// \implements{FiveMoreVariants}
template <class Keys>
typename Keys::PlainObject centred_keys(const Eigen::MatrixBase<Keys>& keys);

/// (1 + λ²)·E Σp² − 2λ/n, the variance of an output of differential attention, Σ(pⱼ − λp′ⱼ)vⱼ, for
/// independent maps of one distribution that prefer no key, and values as for output_variance().
/// \param price  E Σp² of each of the two maps, from 1/n to 1; not checked.
/// \param count  n, the number of keys, at least 1.
/// \param lambda λ, what the second map is multiplied by; any number.
/// \throws std::domain_error if n is 0.
/// \implements{FiveMoreVariants}
Rational differential_output_variance(const Rational& price, unsigned count,
                                      const Rational& lambda);

// Implementation

//! [FiveMoreVariants]
inline Rational qk_clip_factor(const Rational& largest, const Rational& cap) {
  detail::require_positive("the cap", cap);
  if (largest <= cap) return 1;
  return cap / largest;
}

inline Rational shared_key_covariance(unsigned dimension, const Rational& fourth_moment) {
  detail::require_at_least("the dimension", dimension, 1U);
  detail::require_at_least("the fourth moment", fourth_moment, 1);
  return dimension * (fourth_moment - 1);
}

template <class Real>
Real yarn_score_factor(const Real& log_extension) {
  if (log_extension <= 0) return Real(1);
  const Real factor = 1 + log_extension / 10;
  return factor * factor;  // the cosines and sines of queries, and those of keys
}

template <class Keys>
typename Keys::PlainObject centred_keys(const Eigen::MatrixBase<Keys>& keys) {
  detail::require_size("keys", keys.rows(), 1);
  const typename Keys::Scalar count(static_cast<int>(keys.rows()));
  return keys.rowwise() - (keys.colwise().sum() / count).eval();
}

inline Rational differential_output_variance(const Rational& price, unsigned count,
                                             const Rational& lambda) {
  detail::require_at_least("the number of keys", count, 1U);
  return (1 + lambda * lambda) * price - 2 * lambda / count;
}
//! [FiveMoreVariants]

}  // namespace sqrtdk
