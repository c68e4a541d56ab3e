// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief The line from which a function is called.
#pragma once

namespace sqrtdk::testing {

/// As `std::source_location`, which clang++ 14 does not have with GCC's library: a last parameter
/// `SourceLocation place = SourceLocation::current()` is the place of the call.
class SourceLocation {
 public:
  /// The place that calls this, or the function of whose parameter it is the default.
  static constexpr SourceLocation current(const char* file = __builtin_FILE(),
                                          int line = __builtin_LINE()) {
    return SourceLocation(file, line);
  }

  constexpr const char* file_name() const { return file_; }  ///< as the compiler was given it
  constexpr int line() const { return line_; }  ///< the line of the call, counted from 1

 private:
  constexpr SourceLocation(const char* file, int line) : file_(file), line_(line) {}

  const char* file_;
  int line_;
};

}  // namespace sqrtdk::testing
