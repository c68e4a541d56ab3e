// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Generators of one's own, from two plain functions.
#pragma once

#include <rapidcheck.h>

#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

namespace sqrtdk::testing {

/// A source of random choices, with the few questions that generators ask.
class Dice {
 public:
  /// \param random where the randomness comes from.
  explicit Dice(const rc::Random& random) : random_(random) {}

  std::uint64_t bits() { return random_.next(); }  ///< 64 random bits
  bool heads() { return (bits() & 1U) != 0; }      ///< true every other time
  /// A whole number from low to high, both included; low ≤ high.
  int between(int low, int high);
  /// An entry of a list that is not empty.
  template <class List>
  auto pick(const List& list);

 private:
  rc::Random random_;
};

/// A generator from two plain functions.
/// \param drawn   `T(Dice&)`: a value.
/// \param simpler `std::vector<T>(const T&)`: simpler values, the simplest first.
template <class Drawn, class Simpler>
auto generator(Drawn drawn, Simpler simpler);

// ------------------------------------------------------------------------------------------------

inline int Dice::between(int low, int high) {
  const auto count = static_cast<std::uint64_t>(high - low) + 1;
  return low + static_cast<int>(bits() % count);
}

template <class List>
auto Dice::pick(const List& list) {
  return *(std::begin(list) + between(0, static_cast<int>(std::size(list)) - 1));
}

template <class Drawn, class Simpler>
auto generator(Drawn drawn, Simpler simpler) {
  using Value = decltype(drawn(std::declval<Dice&>()));
  return rc::Gen<Value>([=](const rc::Random& random, int) {
    Dice dice(random);
    return rc::shrinkable::shrinkRecur(
        drawn(dice), [=](const Value& x) { return rc::seq::fromContainer(simpler(x)); });
  });
}

}  // namespace sqrtdk::testing
