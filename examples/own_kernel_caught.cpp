// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief The test of examples/own_kernel, with a kernel that breaks the law: what a failure looks
/// like.
///
/// Fails unless the test does. The book shows what it prints.
#include <sqrtdk/testing/run.hpp>

#include "own_kernel/my_softmax.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

//! [fast kernel]
/// e^x as (1 + x/1024)^1024, ten squarings instead of a call of std::exp.
inline float fast_exp(float x) {
  float power = 1 + x / 1024;
  for (int squaring = 0; squaring < 10; ++squaring) power *= power;
  return power;
}

inline std::vector<float> softmax(const std::vector<float>& scores, float temperature) {
  const float largest = *std::max_element(scores.begin(), scores.end());
  std::vector<float> weights;
  float sum = 0;
  for (const float s : scores) {
    weights.push_back(fast_exp((s - largest) / temperature));
    sum += weights.back();
  }
  for (float& weight : weights) weight /= sum;
  return weights;
}
//! [fast kernel]

//! [usual test]
TEST(FastSoftmax, AgreesWithTheOtherOneAsFarAsPeopleOftenAsk) {
  const std::vector<float> scores = {0, 0.25F, 0.5F, 0.75F, 1};
  const std::vector<float> fast = softmax(scores, 1);
  const std::vector<float> usual = my_softmax(scores, 1);
  for (std::size_t j = 0; j < scores.size(); ++j) EXPECT_NEAR(fast[j], usual[j], 1e-3F);
}
//! [usual test]

// The same file of tests, to the letter, with this kernel in the place of the other; any name will do.
#define my_softmax softmax
#include "own_kernel/softmax_tests.cpp"
#undef my_softmax

int main(int argc, char** argv) { return sqrtdk::testing::run(argc, argv) == 1 ? 0 : 1; }
