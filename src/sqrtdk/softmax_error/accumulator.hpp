// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref softmax_error : formats by their limits, and the order in which kernels add.
#pragma once

#include <sqrtdk/numbers/columns.hpp>
#include <sqrtdk/numbers/require.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>

namespace sqrtdk {

/// The three numbers of a binary format on which rounding errors depend.
struct FormatLimits {
  /// u: a rounding changes a normal number by at most this part; 0: no rounding
  double roundoff = 0;
  /// η: the smallest positive number, subnormal if there are such; 0: no underflow
  double smallest = 0;
  double largest = std::numeric_limits<double>::infinity();  ///< Ω: the largest finite number
};

/// The limits of a type.
/// \tparam Scalar half, bfloat16, float or double.
/// \relatesalso FormatLimits
template <class Scalar>
FormatLimits format_limits();

inline constexpr FormatLimits half_limits{0x1p-11, 0x1p-24, 65504};  ///< IEEE 754's binary16 (half)
inline constexpr FormatLimits e4m3_limits{0x1p-4, 0x1p-9, 448};     ///< FP8, three bits of mantissa
inline constexpr FormatLimits e5m2_limits{0x1p-3, 0x1p-16, 57344};  ///< FP8, two bits of mantissa

/// A way to add terms, or products: the error of a sum is at most γ_k times the sum of the sizes,
/// with k = roundings().
/// \implements{BlockedAccumulation}
struct Accumulator {
  std::size_t lanes = 1;  ///< L: terms that one step takes in
  unsigned halvings = 0;  ///< additions that join the lanes at the end
  double step = 0;        ///< w: the part that a step may lose of the sum of sizes; 0 for u
  double smallest = 0;    ///< η of the accumulator's format; 0 for that of the arithmetic
  double largest = std::numeric_limits<double>::infinity();  ///< Ω of that format
  double least_factor = 0;   ///< N of a tensor core: smaller factors have the exponent of this one
  std::size_t promoted = 0;  ///< N: sums of N terms go to an accumulator of unit u; 0 if none do
  bool known_order = false;  ///< true if there are steps of lanes; else any order is allowed

  /// Lanes that take turns, as in vector instructions, whose sums are added by halves; 1 for one term
  /// after the other.
  /// \throws std::domain_error if there is none.
  static Accumulator in_lanes(std::size_t count);

  /// A tensor core, which adds b exact products to what it holds: all are cut off below 2^−F of the
  /// greatest one's power of two, added, and cut off: w = (b + 1)2^−F + 2^−F′.
  /// \param terms    b, at least 1.
  /// \param fraction F, at least 1.
  /// \param output   F′: bits of the result after the leading one, at least 1.
  /// \param factors  the format of the factors.
  /// \throws std::domain_error if one of the numbers is 0.
  /// \implements{TruncatingAccumulators}
  static Accumulator tensor_core(std::size_t terms, unsigned fraction, unsigned output = 23,
                                 const FormatLimits& factors = half_limits);

  /// Partial sums of N terms that are added up in the format that is computed in.
  /// \throws std::domain_error if N is 0.
  Accumulator promoted_every(std::size_t count) const;

  /// Additions in another format.
  Accumulator in_format(const FormatLimits& format) const;

  /// k, in units of u. Steps are n in any order, ⌈n/L⌉ + halvings in lanes, each of w/(1 − w) if that
  /// is not u. With a promotion they are those of N terms, and ⌈n/N⌉ roundings more; 1 more, too, if
  /// the accumulator has more digits, for the rounding at the end.
  /// \param terms n, at least 0; those that are 0 count.
  /// \param u     the unit roundoff, greater than 0.
  double roundings(double terms, double u) const;

  /// λ′, given that of the arithmetic: at least η/(2w), and N/L in a tensor core.
  double underflow_threshold(double of_arithmetic) const;
};

// Implementation

namespace detail {

template <class Scalar>
double as_double(Scalar x) {
  return static_cast<double>(static_cast<Compute<Scalar>>(x));
}

}  // namespace detail

template <class Scalar>
FormatLimits format_limits() {
  using Limits = std::numeric_limits<Scalar>;
  return {std::ldexp(1.0, -Limits::digits), detail::as_double(Limits::denorm_min()),
          detail::as_double(Limits::max())};
}

//! [BlockedAccumulation]
inline Accumulator Accumulator::in_lanes(std::size_t count) {
  detail::require_at_least("the number of lanes", count, 1U);
  const auto halvings = static_cast<unsigned>(std::bit_width(count - 1));
  return {.lanes = count, .halvings = halvings, .known_order = true};
}

inline Accumulator Accumulator::promoted_every(std::size_t count) const {
  detail::require_at_least("the length of a partial sum", count, 1U);
  Accumulator accumulator = *this;
  accumulator.promoted = count;
  return accumulator;
}

inline Accumulator Accumulator::in_format(const FormatLimits& format) const {
  Accumulator accumulator = *this;
  accumulator.step = format.roundoff;
  accumulator.smallest = format.smallest;
  accumulator.largest = format.largest;
  return accumulator;
}

inline double Accumulator::roundings(double n, double u) const {
  const double inner = promoted > 0 ? std::min(static_cast<double>(promoted), n) : n;
  // A sum with 0 is not rounded, so no term is rounded more often than there are terms.
  const double in_turns = std::ceil(inner / static_cast<double>(lanes)) + halvings;
  const double steps = known_order ? std::min(in_turns, inner) : inner;
  // A format, or a cut, of no digits promises nothing.
  if (step >= 1) return std::numeric_limits<double>::infinity();
  const double unit = step > 0 && step != u ? step / (1 - step) / u : 1;
  return steps * unit + (inner < n ? std::ceil(n / inner) : 0) + (unit < 1 ? 1 : 0);
}

inline double Accumulator::underflow_threshold(double of_arithmetic) const {
  const double of_format = step > 0 ? smallest / (2 * step) : 0;
  return std::max({of_arithmetic, of_format, least_factor / static_cast<double>(lanes)});
}
//! [BlockedAccumulation]

//! [TruncatingAccumulators]
inline Accumulator Accumulator::tensor_core(std::size_t terms, unsigned fraction, unsigned output,
                                            const FormatLimits& factors) {
  detail::require_at_least("the number of products", terms, 1U);
  detail::require_at_least("the number of bits", std::min(fraction, output), 1U);
  const double cut = std::ldexp(static_cast<double>(terms + 1), -static_cast<int>(fraction));
  return {.lanes = terms,
          .step = cut + std::ldexp(1.0, -static_cast<int>(output)),
          .least_factor = factors.smallest / (2 * factors.roundoff),
          .known_order = true};
}
//! [TruncatingAccumulators]

}  // namespace sqrtdk
