#include <sqrtdk/testing/reporting/class_counts.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace sqrtdk::testing {

ClassCounts::~ClassCounts() {
  for (const auto& [name, count] : counts_)
    evidence().add_line("classes", name + "\t" + std::to_string(count));
}

void ClassCounts::add(std::string_view name) { ++counts_[std::string(name)]; }

std::uint64_t ClassCounts::count(std::string_view name) const {
  const auto found = counts_.find(std::string(name));
  return found == counts_.end() ? 0 : found->second;
}

}  // namespace sqrtdk::testing
