// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Code that may crash or hang, in a process of its own.
#pragma once

#include <functional>
#include <string>

namespace sqrtdk::testing {

/// The end of a process.
struct Ending {
  int value;          ///< the value of the function; -1 if the process ended before it
  std::string cause;  ///< why there is no value, such as "Segmentation fault"; else empty
};

/// Calls a function in a copy of this process, so that it can neither crash nor hang the program.
/// Nothing but its value comes back. Without fork(), it is called in this process.
/// \param function returns 0 to 63, and starts no thread that outlives it.
/// \param seconds  the time after which the copy is ended, at least 1.
/// \throws std::system_error if no process can be made.
Ending run_apart(const std::function<int()>& function, unsigned seconds = 600);

}  // namespace sqrtdk::testing
