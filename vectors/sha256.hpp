// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief The checksum of a file of test vectors.
#pragma once

#include <sqrtdk/numbers/rational.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

namespace sqrtdk::vectors {

namespace detail {

/// The first 32 bits behind the point of the k-th root of a prime: the greatest r with rᵏ ≤ p·2^(32k),
/// without its whole part.
inline std::uint32_t root_bits(std::uint32_t prime, unsigned k) {
  const Integer power = Integer(prime) << (32 * k);
  std::uint64_t low = 0, high = std::uint64_t{1} << 40;
  while (high - low > 1) {
    const std::uint64_t middle = (low + high) / 2;
    (pow(Integer(middle), k) <= power ? low : high) = middle;
  }
  return static_cast<std::uint32_t>(low);
}

}  // namespace detail

/// SHA-256 of a text, in 64 hexadecimal digits (FIPS 180-4).
inline std::string sha256(std::string text) {
  std::array<std::uint32_t, 64> rounds{};
  std::array<std::uint32_t, 8> hash{};
  for (std::uint32_t found = 0, candidate = 2; found < 64; ++candidate) {
    bool prime = true;
    for (std::uint32_t p = 2; p * p <= candidate; ++p) prime = prime && candidate % p != 0;
    if (!prime) continue;
    if (found < 8) hash[found] = detail::root_bits(candidate, 2);
    rounds[found++] = detail::root_bits(candidate, 3);
  }

  // Pad to whole blocks of 64 bytes, with the length in bits at the end.
  const std::uint64_t bits = 8 * static_cast<std::uint64_t>(text.size());
  text += '\x80';
  while (text.size() % 64 != 56) text += '\0';
  for (int shift = 56; shift >= 0; shift -= 8) text += static_cast<char>(bits >> shift & 0xFF);

  for (std::size_t start = 0; start < text.size(); start += 64) {
    std::array<std::uint32_t, 64> w{};
    for (std::size_t i = 0; i < 64; ++i)
      w[i / 4] = w[i / 4] << 8 | static_cast<unsigned char>(text[start + i]);
    for (std::size_t i = 16; i < 64; ++i) {
      const std::uint32_t a = w[i - 15], b = w[i - 2];
      w[i] = w[i - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) + w[i - 7] +
             (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10);
    }
    std::array<std::uint32_t, 8> s = hash;
    for (std::size_t i = 0; i < 64; ++i) {
      const std::uint32_t a = s[0], e = s[4];
      const std::uint32_t first = s[7] + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                                  ((e & s[5]) ^ (~e & s[6])) + rounds[i] + w[i];
      const std::uint32_t second = (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) +
                                   ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
      s = {first + second, a, s[1], s[2], s[3] + first, e, s[5], s[6]};
    }
    for (std::size_t i = 0; i < 8; ++i) hash[i] += s[i];
  }

  std::string digits;
  for (const std::uint32_t word : hash)
    for (int shift = 28; shift >= 0; shift -= 4) digits += "0123456789abcdef"[word >> shift & 0xF];
  return digits;
}

}  // namespace sqrtdk::vectors
