// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief The tightness of an error bound by its formula: a law misses one that is too generous.
#pragma once

#include <sqrtdk/softmax_error.hpp>

namespace sqrtdk::testing {

/// True if a bound is the value of its formula, raised for the rounding of its own computation: not
/// less, and not more than by the part `margins` × bound_margin; both up to what underflows.
/// \tparam Wide     a type whose own rounding is far below bound_margin.
/// \param bound     as computed; +∞ agrees with +∞.
/// \param formula   the value of the formula, exactly.
/// \param margins   in how many steps it was computed that raise their result; at least 1.
/// \param underflow the most that products which underflow can add or take.
template <class Wide>
bool is_raised(double bound, const Wide& formula, int margins = 1, double underflow = 0) {
  // Each step raises its result by one margin, and errs by less than another.
  const Wide greatest = formula * (1 + 2 * margins * Wide(bound_margin)) + Wide(underflow);
  return formula <= Wide(bound) + Wide(underflow) && Wide(bound) <= greatest;
}

}  // namespace sqrtdk::testing
