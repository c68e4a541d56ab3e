// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Functions that are slow enough to be computed once.
#pragma once

#include <map>
#include <tuple>

namespace sqrtdk::testing {

/// The value of a function, computed once a run for each list of arguments.
/// \tparam function  a function without state.
/// \param  arguments what it takes; numbers or whatever else can be ordered.
template <auto function, class... Arguments>
auto memoized(Arguments... arguments);

template <auto function, class... Arguments>
auto memoized(Arguments... arguments) {
  static std::map<std::tuple<Arguments...>, decltype(function(arguments...))> known;
  const auto place = known.find({arguments...});
  if (place != known.end()) return place->second;
  return known.emplace(std::tuple(arguments...), function(arguments...)).first->second;
}

}  // namespace sqrtdk::testing
