// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief An expectation that points at the line of its caller.
#pragma once

#include <sqrtdk/testing/reporting/source_location.hpp>

#include <string>

namespace sqrtdk::testing {

/// Fails the running test unless a condition holds, without stopping it, as if by an assertion of
/// GoogleTest on the line `place`.
/// \param holds   the condition.
/// \param message what to say if it does not.
/// \param place   the line that a failure points at: the caller of the assertion that this is part
///                of.
void expect_at(bool holds, const std::string& message, const SourceLocation& place);

}  // namespace sqrtdk::testing
