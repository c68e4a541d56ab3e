// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Boost.Math's derived functions for sqrtdk's distributions, whose headers end with this.
#pragma once

#include <boost/math/distributions/uniform.hpp>  // detail/derived_accessors.hpp, and all that it needs

namespace sqrtdk {

// Argument-dependent lookup finds these here; a distribution's own takes any argument, and wins.
using boost::math::chf;
using boost::math::coefficient_of_variation;
using boost::math::hazard;
using boost::math::standard_deviation;

}  // namespace sqrtdk
