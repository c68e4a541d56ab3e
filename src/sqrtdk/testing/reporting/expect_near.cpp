#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_at.hpp>
#include <sqrtdk/testing/reporting/expect_near.hpp>
#include <sqrtdk/testing/reporting/source_location.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace sqrtdk::testing {

void expect_near(double a, double b, double bound, const std::string& where, SourceLocation place) {
  const double distance = std::abs(a - b);
  evidence().add_value();
  evidence().worst(distance, bound);
  if (distance <= bound) return;
  expect_at(false,
            where + ": " + ::testing::PrintToString(a) + " and " + ::testing::PrintToString(b) +
                " differ by " + ::testing::PrintToString(distance) + ", but may by " +
                ::testing::PrintToString(bound),
            place);
}

}  // namespace sqrtdk::testing
