// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Generators of one's own, from two plain functions.
#pragma once

#include <sqrtdk/testing/generators/rapidcheck_internals.hpp>  // generators show what they draw

#include <rapidcheck.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

namespace sqrtdk::testing {

/// A source of random choices, with the few questions that generators ask.
class RandomSource {
 public:
  /// \param random where the randomness comes from.
  explicit RandomSource(const rc::Random& random) : random_(random) {}

  std::uint64_t bits() { return random_.next(); }  ///< 64 random bits, any of 2⁶⁴ equally often
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
/// \param drawn   a value.
/// \param shrinks simpler values, the simplest first.
/// \relatesalso RandomSource
template <class T>
rc::Gen<T> generator(std::function<T(RandomSource&)> drawn,
                     std::function<std::vector<T>(const T&)> shrinks);

inline int RandomSource::between(int low, int high) {
  const auto count = static_cast<std::uint64_t>(high - low) + 1;
  return low + static_cast<int>(bits() % count);
}

template <class List>
auto RandomSource::pick(const List& list) {
  return *(std::begin(list) + between(0, static_cast<int>(std::size(list)) - 1));
}

namespace detail {

/// A value that knows simpler ones: one type, as RapidCheck has a dozen templates for each.
template <class T>
class ShrinkTree {
 public:
  using Shrinks = std::shared_ptr<const std::function<std::vector<T>(const T&)>>;

  ShrinkTree(T value, Shrinks shrinks) : value_(std::move(value)), shrinks_(std::move(shrinks)) {}
  T value() const { return value_; }
  rc::Seq<rc::Shrinkable<T>> shrinks() const {
    return rc::makeSeq<Simpler>((*shrinks_)(value_), shrinks_);
  }

 private:
  class Simpler {
   public:
    Simpler(std::vector<T> values, Shrinks shrinks)
        : values_(std::move(values)), shrinks_(std::move(shrinks)) {}
    rc::Maybe<rc::Shrinkable<T>> operator()() {
      if (next_ == values_.size()) return rc::Nothing;
      return rc::makeShrinkable<ShrinkTree>(values_[next_++], shrinks_);
    }

   private:
    std::vector<T> values_;
    std::size_t next_ = 0;
    Shrinks shrinks_;
  };

  T value_;
  Shrinks shrinks_;
};

}  // namespace detail

template <class T>
rc::Gen<T> generator(std::function<T(RandomSource&)> drawn,
                     std::function<std::vector<T>(const T&)> shrinks) {
  using Tree = detail::ShrinkTree<T>;
  return [drawn = std::move(drawn),
          shrinks = std::make_shared<const std::function<std::vector<T>(const T&)>>(
              std::move(shrinks))](const rc::Random& random, int) {
    RandomSource source(random);
    return rc::makeShrinkable<Tree>(drawn(source), shrinks);
  };
}

}  // namespace sqrtdk::testing
