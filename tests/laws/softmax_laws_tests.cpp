// Kernels that return what no softmax returns must not keep a law.
#include <sqrtdk/softmax.hpp>
#include <sqrtdk/testing/laws/outcome.hpp>
#include <sqrtdk/testing/laws/softmax_laws.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace sqrtdk;
using namespace sqrtdk::testing;

using Kernel = std::function<std::vector<double>(const std::vector<double>&, double)>;

/// A kernel that returns the same weights whatever it is given.
Kernel always(std::vector<double> weights) {
  return [weights](const std::vector<double>&, double) { return weights; };
}

std::vector<double> library(const std::vector<double>& x) {
  const auto weights = softmax(std::span<const double>(x), 1.0);
  return {weights.begin(), weights.end()};
}

const std::vector<double> logits = {1, 2, 2};

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

TEST(SoftmaxLaws, AreNotKeptByWhatIsNotANumber) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto& [name, law] : laws()) {
    EXPECT_FALSE(law(always({nan, nan, nan})).holds()) << name;
    EXPECT_FALSE(law(always({0.2, nan, 0.4})).holds()) << name;
    // In the second of two runs only.
    int runs = 0;
    const Kernel later = [&](const std::vector<double>& x, double) {
      return runs++ == 0 ? library(x) : std::vector<double>(x.size(), nan);
    };
    const bool kept = law(later).holds();
    EXPECT_TRUE(runs == 1 || !kept) << name;
  }
}

TEST(SoftmaxLaws, RefuseWhatHasNoSoftmax) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const Kernel none = always({});
  for (const std::vector<double>& x :
       {std::vector<double>{nan, 0}, {0, nan}, {infinity, 0}, {-infinity, -infinity}}) {
    EXPECT_THROW(accuracy_law<double>(none, x), std::domain_error);
    EXPECT_THROW(probability_law<double>(none, x), std::domain_error);
    EXPECT_THROW(shift_law<double>(none, x, 1.0), std::domain_error);
    EXPECT_THROW(permutation_law<double>(none, x, {1, 0}), std::domain_error);
    EXPECT_THROW(order_law<double>(none, x), std::domain_error);
    EXPECT_THROW(lipschitz_law<double>(none, x, {0, 0}), std::domain_error);
    EXPECT_THROW(temperature_law<double>(always({0.5, 0.5}), x, 1.0, 2.0), std::domain_error);
  }
  EXPECT_THROW(order_law<double>(none, {}), std::invalid_argument);
  EXPECT_THROW(probability_law<double>(none, {}), std::invalid_argument);
  EXPECT_THROW(lipschitz_law<double>(none, {1, 2}, {1}), std::invalid_argument);
  EXPECT_THROW(permutation_law<double>(none, {1, 2}, {0, 2}), std::invalid_argument);
  EXPECT_THROW(permutation_law<double>(none, {1, 2}, {0}), std::invalid_argument);
}

TEST(SoftmaxLaws, AWeightTooSmallForADoubleMayGrowByARoundedShift) {
  // e^(−760) is no double. 2⁶² − 760 is rounded to 2⁶² − 512, and e^(−512) is one.
  const Kernel right = [](const std::vector<double>& x, double) { return library(x); };
  const Outcome outcome = shift_law<double>(right, {0, -760}, 0x1p62);
  EXPECT_TRUE(outcome.holds()) << outcome;
}

TEST(SoftmaxLaws, AMaskedLogitMayBecomeAnyOther) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Kernel right = [](const std::vector<double>& x, double) { return library(x); };
  const Outcome outcome = lipschitz_law<double>(right, {0, -infinity}, {0, 0});
  EXPECT_TRUE(outcome.holds()) << outcome;
  EXPECT_TRUE(lipschitz_law<double>(right, {0, -infinity}, {0, -infinity}).holds());
}

TEST(Nearest, WhatBreaksALawIsNotHiddenByAnInfiniteBound) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto holds = [](const std::vector<std::pair<double, double>>& comparisons) {
    Nearest nearest;
    for (const auto& [error, bound] : comparisons) nearest.compare(error, bound, [] { return ""; });
    return nearest.outcome().holds();
  };
  EXPECT_TRUE(holds({{0, infinity}, {infinity, infinity}, {1, 2}}));
  EXPECT_FALSE(holds({{infinity, infinity}, {2, 1}}));
  EXPECT_FALSE(holds({{2, 1}, {infinity, infinity}, {1, 1}}));
  EXPECT_FALSE(holds({{1, 2}, {nan, infinity}}));
  EXPECT_FALSE(holds({{nan, infinity}, {infinity, infinity}, {2, 2}}));
  EXPECT_FALSE(holds({{0, 0}, {0, nan}}));
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
