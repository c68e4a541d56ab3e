// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Generators of one's own, from two plain functions.
#pragma once

#include <sqrtdk/testing/generators/show_float.hpp>  // generators show what they draw

#include <rapidcheck.h>

#include <cstdint>
#include <iterator>
#include <utility>

namespace sqrtdk::testing {

/// A source of random choices, with the few questions that generators ask.
class RandomSource {
 public:
  /// \param random where the randomness comes from.
  explicit RandomSource(const rc::Random& random) : random_(random) {}

  std::uint64_t bits() { return random_.next(); }  ///< 64 random bits
  bool boolean() { return (bits() & 1U) != 0; }    ///< true every other time
  /// An integer from low to high, both included; low ≤ high.
  int between(int low, int high);
  /// An entry of a list that is not empty.
  template <class List>
  auto pick(const List& list);

 private:
  rc::Random random_;
};

/// A generator from two plain functions.
/// \param drawn   `T(RandomSource&)`: a value.
/// \param shrinks `std::vector<T>(const T&)`: simpler values, the simplest first.
template <class Drawn, class Shrinks>
auto generator(Drawn drawn, Shrinks shrinks);

// ------------------------------------------------------------------------------------------------

inline int RandomSource::between(int low, int high) {
  const auto count = static_cast<std::uint64_t>(high - low) + 1;
  return low + static_cast<int>(bits() % count);
}

template <class List>
auto RandomSource::pick(const List& list) {
  return *(std::begin(list) + between(0, static_cast<int>(std::size(list)) - 1));
}

template <class Drawn, class Shrinks>
auto generator(Drawn drawn, Shrinks shrinks) {
  using Value = decltype(drawn(std::declval<RandomSource&>()));
  return rc::Gen<Value>([=](const rc::Random& random, int) {
    RandomSource source(random);
    return rc::shrinkable::shrinkRecur(
        drawn(source), [=](const Value& x) { return rc::seq::fromContainer(shrinks(x)); });
  });
}

}  // namespace sqrtdk::testing
