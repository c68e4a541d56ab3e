#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/testing/statistics/seed.hpp>

#include <cstdint>
#include <cstdlib>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>

namespace sqrtdk::testing {

std::uint64_t parse_master_seed(std::string_view text, std::string_view variable) {
  if (text == "fresh") {
    std::random_device device;
    return (std::uint64_t{device()} << 32) | device();
  }
  std::uint64_t seed = 0;
  if (!read_number(text, seed))
    throw std::invalid_argument(std::string(variable) + " is '" + std::string(text) +
                                "', but must be `fresh` or a number from 0 to 2^64 - 1");
  return seed;
}

std::uint64_t detail::seed_from_environment(const char* variable) {
  const char* text = std::getenv(variable);
  return text == nullptr ? default_master_seed : parse_master_seed(text, variable);
}

std::uint64_t master_seed() {
  static const std::uint64_t seed = detail::seed_from_environment("SQRTDK_SEED");
  return seed;
}

}  // namespace sqrtdk::testing
