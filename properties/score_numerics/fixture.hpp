// Code shared by the claims of chapter \ref score_numerics.
#pragma once

#include <sqrtdk/distributions/score_distribution.hpp>
#include <sqrtdk/testing/kit.hpp>

#include "properties/score_distribution/reference.hpp"
#include "properties/support/expect_within.hpp"

#include <boost/math/constants/constants.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>

namespace sqrtdk::properties {
inline namespace chapter_score_numerics {

/// One of the functions that are integrated, as a function of y = e^{−t/2}.
enum class Integrand { root, scaled_error_function };

using namespace sqrtdk::testing;
using namespace sqrtdk::reference;

using Score = sqrtdk::score_distribution<double>;

namespace constants = boost::math::constants;
namespace parts = sqrtdk::score_numerics;

/// Enough digits to see an error of 1e-17 exactly.
using Quad = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<34>,
                                           boost::multiprecision::et_off>;

}  // namespace chapter_score_numerics
}  // namespace sqrtdk::properties
