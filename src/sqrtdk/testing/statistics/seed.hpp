// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief The source of randomness: one master seed, and a seed of its own for each test.
#pragma once

#include <cstdint>
#include <string_view>

/// The kit that tests link to; include sqrtdk/testing/kit.hpp. Its functions are listed by topic in
/// \ref testing_reference "properties and mutants", \ref testing_laws_reference "laws",
/// \ref testing_generators_reference "generators",
/// \ref testing_statistics_reference "statistical checks" and
/// \ref testing_reporting_reference "evidence and reports".
namespace sqrtdk::testing {

/// The master seed unless the environment variable SQRTDK_SEED gives another. Never tuned: the day,
/// 12 June 2017, on which "Attention Is All You Need" was submitted.
inline constexpr std::uint64_t default_master_seed = 20170612;

/// A bijection of 64 bits that makes near seeds unlike: the finalizer of SplitMix64.
/// Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014).
constexpr std::uint64_t mix(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebU;
  return bits ^ (bits >> 31);
}

/// The 64-bit FNV-1a hash of a name.
constexpr std::uint64_t hash(std::string_view name) {
  std::uint64_t bits = 0xcbf29ce484222325U;
  for (const char letter : name)
    bits = (bits ^ static_cast<unsigned char>(letter)) * 0x100000001b3U;
  return bits;
}

/// The seed of a test: depends on the master seed and the test's full name alone, so that numbers
/// do not change when tests are added, reordered or split over processes.
/// \param master    the master seed.
/// \param test_name the full name, `Suite.Test`.
/// \param stream    which of the test's random streams, counted from 0.
/// \implements{SeedsIgnoreTheSplit}
//! [SeedsIgnoreTheSplit]
constexpr std::uint64_t seed_of(std::uint64_t master, std::string_view test_name,
                                std::uint64_t stream = 0) {
  return mix(mix(master) ^ hash(test_name)) + mix(stream + 1);
}
//! [SeedsIgnoreTheSplit]

/// Reads a master seed: a decimal number, or `fresh` for one from the operating system.
/// \param text     what is read.
/// \param variable where it stands, for the message.
/// \throws std::invalid_argument for anything else.
std::uint64_t parse_master_seed(std::string_view text, std::string_view variable = "SQRTDK_SEED");

namespace detail {

/// A master seed from the environment; default_master_seed if the variable is not set.
/// \throws std::invalid_argument if it is set to what parse_master_seed() refuses.
std::uint64_t seed_from_environment(const char* variable);

}  // namespace detail

/// The master seed of this process: `SQRTDK_SEED` from the environment, or default_master_seed.
/// \throws std::invalid_argument as parse_master_seed().
std::uint64_t master_seed();

}  // namespace sqrtdk::testing
