// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief What was generated, counted by class, as evidence.
#pragma once

#include <sqrtdk/testing/reporting/evidence.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace sqrtdk::testing {

/// Counts the classes of a property's inputs, and writes them into the evidence of the running test
/// when it goes out of scope: key `classes`, a line `class<TAB>count` for each class.
class Tally {
 public:
  Tally() = default;
  Tally(const Tally&) = delete;
  Tally& operator=(const Tally&) = delete;

  ~Tally() {
    for (const auto& [name, count] : counts_)
      evidence().add_line("classes", name + "\t" + std::to_string(count));
  }

  /// Counts one input; to be called inside the property, after its preconditions.
  void add(std::string_view name) { ++counts_[std::string(name)]; }

  /// How many inputs of a class there were.
  std::uint64_t count(std::string_view name) const {
    const auto found = counts_.find(std::string(name));
    return found == counts_.end() ? 0 : found->second;
  }

 private:
  std::map<std::string, std::uint64_t> counts_;
};

}  // namespace sqrtdk::testing
