// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/testing/generators/floating_point.hpp>
#include <sqrtdk/testing/laws/softmax_laws.hpp>
#include <sqrtdk/testing/property.hpp>

#include "my_softmax.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

using namespace sqrtdk;
using namespace sqrtdk::testing;

TEST(MySoftmax, IsAsAccurateAsItsArithmeticAllows) {
  SoftmaxArithmetic arithmetic = arithmetic_of<float>();
  arithmetic.summation = Summation::any_order;  // it adds one term after the other
  for_all([&] {
    const auto scores = *vectors<float>({.longest = 33, .entries = {.largest = 100}}).as("scores");
    const Outcome outcome = accuracy_law<float>(my_softmax, scores, 1, arithmetic);
    RC_LOG() << outcome << '\n';
    RC_ASSERT(outcome.holds());
  });
}
