// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief An expectation that points at the line of its caller.
#pragma once

#include <sqrtdk/testing/reporting/source_location.hpp>

#include <string>

namespace sqrtdk::testing {

/// Fails the running test unless a condition holds, as if by an assertion of GoogleTest on the line
/// `place`: without stopping it, but inside of for_all(), where the case ends here, and shrinks.
/// \param holds   the condition.
/// \param message what to say if it does not.
/// \param place   the line that a failure points at: the caller of the assertion this is part of.
void expect_at(bool holds, const std::string& message, const SourceLocation& place);

namespace detail {

/// True while for_all() tries a case.
bool& trying_a_case();

/// The exception of expect_at() in such a case; no std::exception, so that no property catches it.
struct FailedCase {};

/// The message of the case's first failed expectation, with its place; empty if none failed.
std::string& failure_of_case();

}  // namespace detail

}  // namespace sqrtdk::testing
