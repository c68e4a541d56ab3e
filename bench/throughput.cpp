// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief How many cases a second of one property: softmax does not change when its input is shifted.
/// bench/throughput_hypothesis.py checks the same property; bench/run_throughput compares them.
#include <sqrtdk/testing/generators/floating_point.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/run.hpp>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

namespace {

using namespace sqrtdk::testing;
using Vector = std::vector<double>;

/// exp(xᵢ − max x) / Σⱼ exp(xⱼ − max x).
Vector softmax(Vector x) {
  const double largest = *std::max_element(x.begin(), x.end());
  double sum = 0;
  for (double& entry : x) sum += entry = std::exp(entry - largest);
  for (double& entry : x) entry /= sum;
  return x;
}

/// By how much, relative to the larger one, an entry of softmax(x) and of softmax(x + c) may
/// differ.
///
/// With M = max|xᵢ| + |c| no logit less the largest exceeds 2M, so that the rounding of x + c and
/// of two differences moves an exponent by less than 8Mu; numerator and denominator each move by
/// that factor. exp, a sum of n terms and a division add n + 8 roundings on each side. Twice the
/// sum covers the terms of second order.
double tolerance(const Vector& x, double c) {
  const double u = std::numeric_limits<double>::epsilon() / 2;
  double largest = 0;
  for (const double entry : x) largest = std::max(largest, std::abs(entry));
  return 2 * u * (16 * (largest + std::abs(c)) + 2 * (static_cast<double>(x.size()) + 8));
}

TEST(Throughput, SoftmaxIsInvariantUnderShifts) {
  const char* text = std::getenv("CASES");
  const int cases = text == nullptr ? default_cases : std::stoi(text);
  std::size_t entries = 0;
  const std::clock_t start = std::clock();
  for_all(
      [&] {
        const Floats<double> entry = {.largest = 700};
        const Vector x = *vectors<double>({.longest = 33, .entries = entry}).as("x");
        const double c = *floats<double>(entry).as("c");
        entries += x.size();
        Vector shifted = x;
        for (double& xi : shifted) xi += c;

        const Vector p = softmax(x);
        const Vector q = softmax(shifted);
        const double relative = tolerance(x, c);
        for (std::size_t i = 0; i < x.size(); ++i)
          RC_ASSERT(std::abs(p[i] - q[i]) <= relative * std::max(p[i], q[i]) +
                                                 4 * std::numeric_limits<double>::denorm_min());
      },
      cases);
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  std::cout << "cases " << cases << " entries " << entries << " seconds " << seconds << '\n';
}

}  // namespace

int main(int argc, char** argv) { return run(argc, argv); }
