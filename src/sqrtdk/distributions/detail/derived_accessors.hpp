// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief The functions that Boost.Math derives from a distribution's own, for those of sqrtdk:
/// included at the end of their headers, as Boost's own do.
#pragma once

#include <boost/math/distributions/complement.hpp>
#include <boost/math/policies/error_handling.hpp>
#include <boost/math/tools/precision.hpp>

// after what it rests on
#include <boost/math/distributions/detail/derived_accessors.hpp>

namespace sqrtdk {

// Argument-dependent lookup finds them here. A distribution that has one of these itself takes any
// type of argument there, so that no conversion makes Boost's the better match.
using boost::math::chf;
using boost::math::coefficient_of_variation;
using boost::math::hazard;
using boost::math::standard_deviation;

}  // namespace sqrtdk
