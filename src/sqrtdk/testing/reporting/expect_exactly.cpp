#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_at.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>

#include <gtest/gtest.h>

#include <string>

namespace sqrtdk::testing::detail {

void note_exact_comparison() { evidence().add_exact_comparison(); }

void FailExactly::operator=(const ::testing::Message& message) const {
  const std::string said = message.GetString();
  expect_at(false,
            "expected exactly: " + std::string(expression_) +
                (outcome_.operands.empty() ? "" : "\n  which is " + outcome_.operands) +
                (said.empty() ? "" : "\n" + said),
            place_);
}

}  // namespace sqrtdk::testing::detail
