// A directory for one test, also while other processes run the same test.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>

namespace sqrtdk::testing {

/// Makes a directory that nobody else has.
/// \param like where, and how its name begins; a number follows.
/// \throws std::runtime_error if it cannot be made.
inline std::filesystem::path make_own_directory(const std::filesystem::path& like) {
  for (int number = 0; number < 10000; ++number) {
    std::filesystem::path own = like;
    own += " " + std::to_string(number);
    std::error_code taken;
    if (std::filesystem::create_directory(own, taken)) return own;
  }
  throw std::runtime_error("cannot make a directory like " + like.string());
}

}  // namespace sqrtdk::testing
