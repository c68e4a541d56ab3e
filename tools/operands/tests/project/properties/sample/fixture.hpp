/// \file
/// \brief Code shared by tests of the sample.
#pragma once

#include <gtest/gtest.h>

#include <vector>

namespace sqrtdk::properties {

/// A comparison in a template.
template <class Real>
bool agree(Real a, Real b) {
  return a == b;  // found
}

/// A comparison in a helper that returns a number.
inline double checked(double a, double b) {
  EXPECT_LE(a - b, 1e-9);     // found
  EXPECT_TRUE(b - a < 1e-9);  // found
  return a < b ? a : b;       // computes a number
}

/// A comparison in what a helper calls.
inline bool agree_in(const std::vector<double>& list) { return agree(list[0], list[1]); }

/// A helper of another test.
inline bool not_reached(double x) { return x < 1; }

}  // namespace sqrtdk::properties
