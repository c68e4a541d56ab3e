// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief The worst input of a search, as a GoogleTest assertion and as evidence.
#pragma once

#include <sqrtdk/testing/generators/binary_float.hpp>
#include <sqrtdk/testing/generators/worst_case.hpp>
#include <sqrtdk/testing/reporting/source_location.hpp>

#include <string>

namespace sqrtdk::testing {

/// Expects that a search found inputs at which the bound says something, and none beyond it.
///
/// Notes both as evidence, and records `worst_ratio`, rounded up, and `worst_input`, prefixed.
/// \tparam Real float, double, long double, Eigen::half or Eigen::bfloat16; for another one include
///              generators/worst_case_definitions.hpp.
/// \param worst  what was found.
/// \param prefix of the recorded names.
/// \param place  the line that a failure points at.
/// \relatesalso Worst
template <BinaryFloat Real>
void expect_bound_holds(const Worst<Real>& worst, const std::string& prefix = "",
                        SourceLocation place = SourceLocation::current());

namespace detail {

/// expect_bound_holds() with the texts of the worst input.
void expect_bound_holds(double ratio, double error, double bound, const std::string& summary,
                        const std::string& input, const std::string& prefix,
                        const SourceLocation& place);

}  // namespace detail

template <BinaryFloat Real>
void expect_bound_holds(const Worst<Real>& worst, const std::string& prefix, SourceLocation place) {
  detail::expect_bound_holds(worst.ratio, worst.error, worst.bound, text(worst), worst.input.text(),
                             prefix, place);
}

}  // namespace sqrtdk::testing
