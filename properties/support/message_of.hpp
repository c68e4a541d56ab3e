// The message with which a call refuses its arguments.
#pragma once

#include <string>

namespace sqrtdk::testing {

/// The message of the exception that a callable throws.
/// \tparam Error the exception that it must throw; any other goes on to the caller.
/// \param callable what is called, without arguments.
/// \return its `what()`; empty if nothing was thrown.
template <class Error, class Callable>
std::string message_of(Callable callable) {
  try {
    callable();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace sqrtdk::testing
