// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief The generated inputs, counted by class, as evidence.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace sqrtdk::testing {

/// Counts classes of inputs; its destructor records them: key `classes`, lines `class<TAB>count`.
class ClassCounts {
 public:
  ClassCounts() = default;                              ///< no input is counted yet
  ClassCounts(const ClassCounts&) = delete;             ///< not to be copied
  ClassCounts& operator=(const ClassCounts&) = delete;  ///< not to be assigned

  /// Writes the counts into the evidence of the running test.
  ~ClassCounts();

  /// Counts one input; to be called inside the property, after its preconditions.
  void add(std::string_view name);

  /// The number of inputs of a class.
  std::uint64_t count(std::string_view name) const;

 private:
  std::map<std::string, std::uint64_t> counts_;
};

}  // namespace sqrtdk::testing
