// SPDX-License-Identifier: BSL-1.0
// Kernels that return what no softmax returns must not keep a law.
#include <sqrtdk/testing/laws/softmax_laws.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace {

using namespace sqrtdk;
using namespace sqrtdk::testing;

using Kernel = std::function<std::vector<double>(const std::vector<double>&, double)>;

/// What a kernel returns whatever it is given.
Kernel always(std::vector<double> weights) {
  return [weights](const std::vector<double>&, double) { return weights; };
}

const std::vector<double> logits = {1, 2, 2};

/// The laws of weights, each for the logits above.
std::map<std::string, std::function<Outcome(const Kernel&)>> laws() {
  return {{"accuracy", [](const Kernel& f) { return accuracy_law<double>(f, logits); }},
          {"probability", [](const Kernel& f) { return probability_law<double>(f, logits); }},
          {"shift", [](const Kernel& f) { return shift_law<double>(f, logits, 1.0); }},
          {"permutation",
           [](const Kernel& f) {
             return permutation_law<double>(f, logits, {2, 1, 0});
           }},
          {"order", [](const Kernel& f) { return order_law<double>(f, logits); }},
          {"Lipschitz", [](const Kernel& f) { return lipschitz_law<double>(f, logits, logits); }},
          {"temperature",
           [](const Kernel& f) { return temperature_law<double>(f, logits, 1.0, 2.0); }}};
}

TEST(SoftmaxLaws, RefuseListsOfAnotherLength) {
  for (const auto& [name, law] : laws())
    for (const std::vector<double>& weights : {std::vector<double>{}, {1}, {0.1, 0.2, 0.3, 0.4}})
      EXPECT_FALSE(law(always(weights)).holds())
          << "the law of " << name << " takes " << weights.size() << " weights for 3 logits";
}

TEST(SoftmaxLaws, AccuracyRefusesTheSameWrongNumberEverywhere) {
  for (const double wrong : {-1.0, 0.0, 2.0, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_FALSE(accuracy_law<double>(always({wrong, wrong, wrong}), logits).holds()) << wrong;
}

TEST(SoftmaxLaws, AccuracyLooksAtEqualLogitsWithOtherWeights) {
  const double low = 1 / (1 + 2 * 2.718281828459045);
  const double high = (1 - low) / 2;
  EXPECT_TRUE(accuracy_law<double>(always({low, high, high}), logits).holds());
  EXPECT_FALSE(accuracy_law<double>(always({low, high, -1}), logits).holds());
}

}  // namespace
