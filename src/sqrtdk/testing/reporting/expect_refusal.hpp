// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Calls that must refuse their arguments.
#pragma once

#include <sqrtdk/testing/reporting/source_location.hpp>

#include <concepts>
#include <optional>
#include <string>

namespace sqrtdk::testing {

/// Expects that a call throws, and notes a refusal, which is never evidence for a statement.
/// \tparam Error   what it must throw, or a base of that; any other exception goes on to the caller.
/// \param call     a callable without arguments, whose result does not matter.
/// \param message  the `what()` that the error must have; any if left out.
/// \param place    the line that a failure points at.
template <class Error, std::invocable Call>
void expect_refusal(Call&& call, const std::optional<std::string>& message = std::nullopt,
                    SourceLocation place = SourceLocation::current());

namespace detail {

/// expect_refusal() of a call that threw an error with these words, or nothing.
void expect_refusal(const std::optional<std::string>& thrown,
                    const std::optional<std::string>& wanted, const SourceLocation& place);

}  // namespace detail

template <class Error, std::invocable Call>
void expect_refusal(Call&& call, const std::optional<std::string>& message, SourceLocation place) {
  std::optional<std::string> thrown;
  try {
    static_cast<void>(call());
  } catch (const Error& error) {
    thrown = error.what();
  }
  detail::expect_refusal(thrown, message, place);
}

}  // namespace sqrtdk::testing
