// `figures [NAME…]` computes these figures, or all.
#include "docs/figures/figure.hpp"

#include <iostream>
#include <map>
#include <string>

namespace sqrtdk::figures {

namespace {

std::map<std::string, void (*)()>& figures() {
  static std::map<std::string, void (*)()> all;
  return all;
}

}  // namespace

Figure::Figure(const char* name, void (*compute)()) { figures().emplace(name, compute); }

int compute(int count, char** names) {
  for (int i = 0; i < count; ++i) {
    if (figures().contains(names[i])) continue;
    std::cerr << "there is no figure '" << names[i] << "' in this program\n";
    return 2;
  }
  for (const auto& [name, compute] : figures()) {
    bool wanted = count == 0;
    for (int i = 0; i < count; ++i) wanted = wanted || name == names[i];
    if (wanted) compute();
  }
  return 0;
}

}  // namespace sqrtdk::figures

int main(int argc, char** argv) { return sqrtdk::figures::compute(argc - 1, argv + 1); }
