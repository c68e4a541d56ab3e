// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Boost.Math's derived functions for sqrtdk's distributions, whose headers end with this.
#pragma once

#include <boost/math/distributions/complement.hpp>
#include <boost/math/distributions/detail/derived_accessors.hpp>
#include <boost/math/policies/error_handling.hpp>
#include <boost/math/tools/precision.hpp>

namespace sqrtdk {

// Argument-dependent lookup finds these here; a distribution's own takes any argument, and wins.
using boost::math::chf;
using boost::math::coefficient_of_variation;
using boost::math::hazard;
using boost::math::standard_deviation;

}  // namespace sqrtdk
