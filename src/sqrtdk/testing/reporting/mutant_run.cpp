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
  static const std::uint64_t seed = detail::seed_from_environment("SQRTDK_MUTANT_SEED");
  return seed;
}

MutantsMet mutants_met() {
  static const MutantsMet met = [] {
    const char* text = std::getenv("SQRTDK_MUTANTS");
    if (text == nullptr) return MutantsMet::aimed;
    if (std::string_view(text) == "skip") return MutantsMet::none;
    if (std::string_view(text) == "every") return MutantsMet::every;
    throw std::invalid_argument("SQRTDK_MUTANTS is '" + std::string(text) +
                                "', but must be `skip`, `every` or not be set");
  }();
  return met;
}

}  // namespace sqrtdk::testing
