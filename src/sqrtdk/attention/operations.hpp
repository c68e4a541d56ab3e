// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref attention : the arithmetic operations that scores take, counted.
#pragma once

#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/numbers/require.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>

namespace sqrtdk {

/// Arithmetic operations, counted.
struct OperationCounts {
  std::uint64_t multiplications = 0;  ///< the number of products
  std::uint64_t additions = 0;        ///< the number of sums and differences
  std::uint64_t divisions = 0;        ///< the number of quotients
  std::uint64_t roots = 0;            ///< the number of square roots

  /// True if all four counts are equal.
  friend bool operator==(const OperationCounts&, const OperationCounts&) = default;
};

/// The place of the scaling.
enum class ScalePlace {
  scores,  ///< n·m times
  queries  ///< n·d times, by fold_scale()
};

/// The scale of the scores.
enum class ScaleKind {
  root,  ///< divided by √d, which takes a root
  given  ///< multiplied by a number other than 1
};

/// The operations of n × m scores: nmd multiplications, nm(d − 1) additions, nm or nd divisions,
/// and a root; a given scale has multiplications instead of divisions, and no root.
/// \param n     the number of queries.
/// \param m     the number of keys.
/// \param d     the head dimension, at least 1.
/// \param place where it is scaled.
/// \param kind  by what.
/// \throws std::domain_error if d is 0.
/// \throws std::overflow_error if nmd, with the scaling if that multiplies, is 2⁶⁴ or more.
/// \implements{ScalingCostIsNegligible}
/// \relatesalso OperationCounts
OperationCounts score_operations(std::uint64_t n, std::uint64_t m, std::uint64_t d,
                                 ScalePlace place, ScaleKind kind = ScaleKind::root);

/// The divisions per operation of the products: 1/(2d − 1), or d/(m(2d − 1)) when folded.
/// \param m     the number of keys, at least 1.
/// \param d     the head dimension, at least 1.
/// \param place where the division by √d is done.
/// \throws std::domain_error if m or d is 0.
/// \throws std::overflow_error if md is 2⁶⁴ or more.
/// \implements{ScalingCostIsNegligible}
Rational scaling_share(std::uint64_t m, std::uint64_t d, ScalePlace place);

// Implementation

namespace detail {

/// \param per_query the multiplications by a scale, for each query.
inline void require_countable(std::uint64_t n, std::uint64_t m, std::uint64_t d,
                              std::uint64_t per_query) {
  const Integer total = Integer(n) * (Integer(std::max<std::uint64_t>(m, 1)) * d + per_query);
  if (total > std::numeric_limits<std::uint64_t>::max())
    throw std::overflow_error("the number of operations is " + total.str() +
                              ", but must be below 2^64");
}

}  // namespace detail

//! [ScalingCostIsNegligible]
inline OperationCounts score_operations(std::uint64_t n, std::uint64_t m, std::uint64_t d,
                                        ScalePlace place, ScaleKind kind) {
  detail::require_at_least("the dimension", d, 1U);
  const std::uint64_t per_query = place == ScalePlace::scores ? m : d;
  const bool given = kind == ScaleKind::given;
  detail::require_countable(n, m, d, given ? per_query : 0);
  OperationCounts counts{.multiplications = n * m * d, .additions = n * m * (d - 1)};
  (given ? counts.multiplications : counts.divisions) += n * per_query;
  if (!given) counts.roots = 1;
  return counts;
}

inline Rational scaling_share(std::uint64_t m, std::uint64_t d, ScalePlace place) {
  detail::require_at_least("the number of keys", m, 1U);
  const OperationCounts one_query = score_operations(1, m, d, place);
  return Rational(one_query.divisions) /
         (Rational(one_query.multiplications) + Rational(one_query.additions));
}
//! [ScalingCostIsNegligible]

}  // namespace sqrtdk
