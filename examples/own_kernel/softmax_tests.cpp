// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/softmax_error/arithmetic.hpp>
#include <sqrtdk/testing/hold_kernel.hpp>

#include "my_softmax.hpp"

#include <gtest/gtest.h>

TEST(MySoftmax, IsAsAccurateAsItsArithmeticAllows) {
  // It adds one term after the other.
  const auto arithmetic = sqrtdk::arithmetic_of<float>().any_order();
  sqrtdk::testing::hold_softmax<float>(my_softmax, arithmetic);
}
