// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/testing/laws/softmax_laws.hpp>

#include <iostream>
#include <vector>

// No matrix goes over to the library, so that it does not matter with what options it was compiled.
int main() {
  const auto twice = [](const std::vector<double>& x, double) {
    return std::vector(2 * x.size(), 0.5);
  };
  const auto halves = [](const std::vector<double>& x, double) {
    return std::vector(x.size(), 0.5);
  };
  const sqrtdk::testing::Outcome right = sqrtdk::testing::accuracy_law<double>(halves, {7, 7});
  const sqrtdk::testing::Outcome wrong = sqrtdk::testing::accuracy_law<double>(twice, {7, 7});
  std::cout << right << '\n' << wrong << '\n';
  return right.holds() && !wrong.holds() ? 0 : 1;
}
