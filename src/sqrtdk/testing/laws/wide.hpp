// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief The numbers that floating-point results are held to.
#pragma once

#include <sqrtdk/numbers/columns.hpp>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/eigen.hpp>  // before anything makes a matrix of Wide

namespace sqrtdk::testing {

/// Fifty decimal digits: rounding at 2⁻¹⁶⁸ is far below every bound that is checked with them.
using Wide = boost::multiprecision::cpp_bin_float_50;

/// A hundred digits, beside which fifty are measured.
using Wider = boost::multiprecision::cpp_bin_float_100;

/// A number in fifty digits, exactly.
/// \tparam Real a binary floating-point type of at most fifty digits, half or bfloat16.
template <class Real>
Wide wide(const Real& x) {
  return Wide(static_cast<Compute<Real>>(x));
}

/// The double that is nearest to a wide number.
inline double to_double(const Wide& x) { return x.convert_to<double>(); }

}  // namespace sqrtdk::testing
