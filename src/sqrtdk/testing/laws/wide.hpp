// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Fifty decimal digits: what implementations are held to.
#pragma once

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/eigen.hpp>  // before anything makes a matrix of Wide

namespace sqrtdk::testing {

/// Fifty decimal digits, the precision of the exact results that implementations are held to: its
/// rounding, 2^−168, is far below the margin of every bound.
using Wide = boost::multiprecision::cpp_bin_float_50;

/// The double that is nearest to a wide number.
inline double to_double(const Wide& x) { return x.convert_to<double>(); }

}  // namespace sqrtdk::testing
