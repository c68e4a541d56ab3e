// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Random streams that depend on their key alone, and exact recipes for draws from them.
#pragma once

#include <sqrtdk/testing/statistics/seed.hpp>

#include <Random123/conventional/Engine.hpp>
#include <Random123/philox.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

namespace sqrtdk::testing {

/// A stream of random 64-bit numbers: the blocks 1, 2, 3, … of a counter, each scrambled under the
/// stream's key by Philox4x64-10. It costs no memory and jumps to any place in constant time
/// (`discard`), so that a sample is the same however its computation is split. Draw from it by the
/// functions below or by Boost.Random, never by `std::*_distribution`, whose results differ from
/// one standard library to the next. Source: Salmon, Moraes, Dror and Shaw, "Parallel random
/// numbers: as easy as 1, 2, 3" (2011).
using Stream = r123::Engine<r123::Philox4x64>;

/// Stream number `number` of a test: the same numbers in every process that asks for it.
/// \param master    the master seed.
/// \param test_name the full name, `Suite.Test`.
/// \param number    which of the test's streams, counted from 0.
Stream stream_of(std::uint64_t master, std::string_view test_name, std::uint64_t number = 0);

/// The number in (0, 1) that stands for 64 random bits: (2m + 1)·2⁻⁵³ with m their upper 52 bits.
/// Every result is exact, and the set of results is symmetric about ½. The distribution on this
/// grid differs from the continuous one by 2⁻⁵³ in Kolmogorov distance.
constexpr double open_uniform(std::uint64_t bits);

/// A uniform number in (0, 1).
double uniform(Stream& stream);

/// A draw from a distribution by its inverse distribution function, quantile(distribution, U).
/// \param distribution anything that models a Boost.Math distribution.
/// \param stream       where U comes from; one number is taken.
template <class Distribution>
double draw(const Distribution& distribution, Stream& stream);

/// A list of draws.
/// \param n       how many.
/// \param sampler a callable `Value(Stream&)`.
/// \param stream  where the numbers come from.
template <std::invocable<Stream&> Sampler>
auto draws(std::size_t n, Sampler&& sampler, Stream& stream);

inline Stream stream_of(std::uint64_t master, std::string_view test_name, std::uint64_t number) {
  const Stream::ukey_type key = {{seed_of(master, test_name), number}};
  return Stream(key);
}

constexpr double open_uniform(std::uint64_t bits) {
  return static_cast<double>(2 * (bits >> 12) + 1) * 0x1p-53;
}

inline double uniform(Stream& stream) { return open_uniform(stream()); }

template <class Distribution>
double draw(const Distribution& distribution, Stream& stream) {
  return static_cast<double>(quantile(distribution, uniform(stream)));
}

template <std::invocable<Stream&> Sampler>
auto draws(std::size_t n, Sampler&& sampler, Stream& stream) {
  std::vector<std::decay_t<std::invoke_result_t<Sampler&, Stream&>>> values;
  values.reserve(n);
  for (std::size_t i = 0; i < n; ++i) values.push_back(sampler(stream));
  return values;
}

}  // namespace sqrtdk::testing
