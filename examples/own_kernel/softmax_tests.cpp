// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/declared_arithmetic.hpp>
#include <sqrtdk/testing/hold_kernel.hpp>

#include "my_softmax.hpp"

#include <gtest/gtest.h>

TEST(MySoftmax, IsAsAccurateAsItsArithmeticAllows) {
  // It adds one term after the other.
  const auto arithmetic = sqrtdk::any_order(sqrtdk::arithmetic_of<float>());
  sqrtdk::testing::hold_softmax<float>(my_softmax, arithmetic);
}
