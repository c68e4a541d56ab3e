// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref variants : scales for many keys, rotated queries, and scores as distances.
#pragma once

#include <sqrtdk/numbers/powers.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/numbers/require.hpp>
#include <sqrtdk/score.hpp>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace sqrtdk {

/// r/(r + n − 1), the weight of a key whose exponential is r times that of each other one, and the
/// largest weight among n keys if no exponential is more than r times another.
/// \param lead  r, greater than 0; e^R for scores in a range of length R.
/// \param count n, at least 1.
/// \throws std::domain_error if an argument is out of range.
/// \implements{LogNScaling}
Rational leading_weight(const Rational& lead, unsigned count);

/// n^k, the factor by which e^s of a key exceeds that of the others if its score was k/a ahead of
/// theirs and all scores are multiplied by a·ln n: the argument `lead` of leading_weight().
/// \param count    n, at least 1.
/// \param exponent k, at least 0: a times the score's lead before the multiplication.
/// \throws std::domain_error if n is 0.
/// \implements{LogNScaling}
Rational log_n_lead(unsigned count, unsigned exponent);

/// A rotation of the plane by an angle with a rational cosine and sine.
struct PlaneRotation {
  Rational cosine = 1;  ///< c, the cosine of the angle; 1 by default
  Rational sine = 0;    ///< s, the sine of the angle, with c² + s² = 1; 0 by default
};

/// The rotation with the tangent t of half its angle: c = (1 − t²)/(1 + t²), s = 2t/(1 + t²).
/// \param tangent t, any number; no t gives the half turn.
/// \relatesalso PlaneRotation
PlaneRotation rotation_of(const Rational& tangent);

/// Rx: each pair of entries rotated by its own angle, as rotary embeddings do.
/// \param x         d entries, d even: (x₁, x₂) is the first pair.
/// \param rotations d/2 rotations, c² + s² = 1 each; not checked.
/// \throws std::invalid_argument if there is not one rotation for two entries.
/// \implements{RotaryKeepsVariance}
/// \relatesalso PlaneRotation
std::vector<Rational> rotated(const std::vector<Rational>& x,
                              const std::vector<PlaneRotation>& rotations);

/// ρ·tr R = 2ρΣcᵢ, the mean of qᵀRk if E kqᵀ = ρI, where R rotates pair i by rotation i.
/// \param correlation ρ, any number.
/// \param rotations   d/2 rotations, c² + s² = 1 each; not checked.
/// \implements{RotaryKeepsVariance}
/// \relatesalso PlaneRotation
Rational rotary_mean(const Rational& correlation, const std::vector<PlaneRotation>& rotations);

/// ‖q − k‖²/(2h²), minus the logarithm of the Gaussian kernel e^(−‖q − k‖²/(2h²)) of bandwidth h.
/// \param q               the query, d entries.
/// \param k               the key, d entries.
/// \param square_of_width h², greater than 0; √d, if rational, for scores that are divided by √d.
/// \throws std::invalid_argument if q and k have not as many entries.
/// \throws std::domain_error if h² is not greater than 0.
/// \implements{KernelView}
Rational kernel_exponent(const std::vector<Rational>& q, const std::vector<Rational>& k,
                         const Rational& square_of_width);

/// ‖k‖²/(2h²): softmax weights are those of the kernel, each times e to this, normalized.
/// \param k               the key.
/// \param square_of_width h², greater than 0.
/// \throws std::domain_error if h² is not greater than 0.
/// \implements{KernelView}
Rational key_factor_exponent(const std::vector<Rational>& k, const Rational& square_of_width);

// Implementation

//! [LogNScaling]
inline Rational leading_weight(const Rational& lead, unsigned count) {
  detail::require_positive("the lead", lead);
  detail::require_at_least("the number of keys", count, 1U);
  return lead / (lead + count - 1);
}

inline Rational log_n_lead(unsigned count, unsigned exponent) {
  detail::require_at_least("the number of keys", count, 1U);
  return integer_power(Rational(count), exponent);
}
//! [LogNScaling]

inline PlaneRotation rotation_of(const Rational& tangent) {
  const Rational square = tangent * tangent;
  return {(1 - square) / (1 + square), 2 * tangent / (1 + square)};
}

//! [RotaryKeepsVariance]
inline std::vector<Rational> rotated(const std::vector<Rational>& x,
                                     const std::vector<PlaneRotation>& rotations) {
  if (x.size() != 2 * rotations.size())
    throw std::invalid_argument(std::to_string(x.size()) +
                                " entries need half as many rotations, not " +
                                std::to_string(rotations.size()));
  std::vector<Rational> result;
  for (std::size_t i = 0; i < rotations.size(); ++i) {
    const auto& [c, s] = rotations[i];
    result.push_back(c * x[2 * i] - s * x[2 * i + 1]);
    result.push_back(s * x[2 * i] + c * x[2 * i + 1]);
  }
  return result;
}

inline Rational rotary_mean(const Rational& correlation,
                            const std::vector<PlaneRotation>& rotations) {
  Rational trace = 0;
  for (const PlaneRotation& rotation : rotations) trace += 2 * rotation.cosine;
  return correlation * trace;
}
//! [RotaryKeepsVariance]

//! [KernelView]
inline Rational kernel_exponent(const std::vector<Rational>& q, const std::vector<Rational>& k,
                                const Rational& square_of_width) {
  detail::require_positive("the square of the bandwidth", square_of_width);
  const Rational squared_distance = dot_product(q, q) - 2 * dot_product(q, k) + dot_product(k, k);
  return squared_distance / (2 * square_of_width);
}

inline Rational key_factor_exponent(const std::vector<Rational>& k,
                                    const Rational& square_of_width) {
  detail::require_positive("the square of the bandwidth", square_of_width);
  return dot_product(k, k) / (2 * square_of_width);
}
//! [KernelView]

}  // namespace sqrtdk
