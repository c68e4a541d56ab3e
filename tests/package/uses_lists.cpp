#include <sqrtdk/softmax.hpp>
#include <sqrtdk/testing/laws/softmax_laws.hpp>

#include <iostream>
#include <span>
#include <vector>

// No matrix goes over to the library, but it has functions of Eigen's types in common with sqrtdk::softmax().
int main() {
  const auto softmax = [](const std::vector<double>& x, double temperature) {
    const auto weights = sqrtdk::softmax(std::span(x), temperature);
    return std::vector<double>(weights.begin(), weights.end());
  };
  const sqrtdk::testing::Outcome outcome = sqrtdk::testing::accuracy_law<double>(softmax, {7, 8});
  std::cout << outcome << '\n';
  return outcome.holds() ? 0 : 1;
}
