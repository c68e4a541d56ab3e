#include <sqrtdk/testing/generators/shrink_float_definitions.hpp>

#include <Eigen/Core>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sqrtdk::testing {

namespace {

/// x = odd · 2^power, for x > 0.
struct OddAndPower {
  std::uint64_t odd;
  int power;
};

OddAndPower odd_and_power(long double x) {
  int exponent = 0;
  const long double fraction = std::frexp(x, &exponent);
  const auto mantissa = static_cast<std::uint64_t>(std::ldexp(fraction, 64));
  const int zeros = std::countr_zero(mantissa);
  return {mantissa >> zeros, exponent - 64 + zeros};
}

int length_in_bits(std::uint64_t n) { return 64 - std::countl_zero(n); }

}  // namespace

std::vector<long double> detail::magnitudes_near(long double x) {
  const auto [odd, power] = odd_and_power(x);
  const int bits = length_in_bits(odd);
  const int exponent = std::ilogb(x);
  std::vector<long double> candidates = {0, 1, std::trunc(x), std::ceil(x)};
  for (int dropped = bits - 1; dropped > 0; --dropped) {  // to fewer mantissa bits, down and up
    const long double unit = std::ldexp(1.0L, power + dropped);
    const auto kept = static_cast<long double>(odd >> dropped);
    candidates.push_back(kept * unit);
    candidates.push_back((kept + 1) * unit);
  }
  for (int step = exponent; step != 0; step /= 2)  // to an exponent nearer to 0
    candidates.push_back(std::ldexp(x, -step));
  for (int bit = 1; bit < bits - 1; ++bit)  // to a smaller mantissa of the same length
    if (((odd >> bit) & 1U) != 0) candidates.push_back(x - std::ldexp(1.0L, power + bit));
  return candidates;
}

namespace detail {

Complexity complexity_of(long double x) {
  const bool negative = std::signbit(x);
  const long double size = std::abs(x);
  if (std::isnan(x)) return {4, 0, 0, 0, false};
  if (std::isinf(x)) return {3, 0, 0, 0, negative};
  if (size == 0) return {0, 0, 0, 0, negative};
  const std::uint64_t odd = odd_and_power(size).odd;
  return {size == std::trunc(size) ? 1 : 2, length_in_bits(odd), std::abs(std::ilogb(size)), odd,
          negative};
}

}  // namespace detail

SQRTDK_FOR_EACH_FORMAT(SQRTDK_SHRINKS, )

}  // namespace sqrtdk::testing
