// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/testing/reporting/mutant_run.hpp>
#include <sqrtdk/testing/statistics/seed.hpp>

#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

namespace sqrtdk::testing {

bool& checking_a_mutant() {
  static bool checking = false;
  return checking;
}

std::uint64_t mutant_seed() {
  static const std::uint64_t seed = seed_from_environment("SQRTDK_MUTANT_SEED");
  return seed;
}

bool mutants_are_skipped() {
  static const bool skipped = [] {
    const char* text = std::getenv("SQRTDK_MUTANTS");
    if (text != nullptr && std::string_view(text) != "skip")
      throw std::invalid_argument("SQRTDK_MUTANTS is '" + std::string(text) +
                                  "', but must be `skip` or not be set");
    return text != nullptr;
  }();
  return skipped;
}

}  // namespace sqrtdk::testing
