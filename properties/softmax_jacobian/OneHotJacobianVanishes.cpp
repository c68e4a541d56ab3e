// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/numbers/interval.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/saturation.hpp>
#include <sqrtdk/softmax_jacobian.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>
#include <sqrtdk/testing/reporting/printed.hpp>

#include "properties/softmax_jacobian/fixture.hpp"
#include "properties/softmax_jacobian/wrong_jacobian.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace sqrtdk::properties::OneHotJacobianVanishes {

using namespace sqrtdk::testing;

const Mutants one_hot_jacobian_vanishes_mutants = {
    {"the upper bound is 1 − p_max",
     "TheNormLiesBetweenTheRunnerUpAndTheRest",
     {.norm_bounds =
          [](const Vector<Rational>& p) {
            auto bounds = jacobian_norm_bounds(p);
            bounds.upper = std::min<Rational>(bounds.upper, 1 - p.maxCoeff());
            return bounds;
          }}},
    {"the lower bound is the largest weight",
     "TheNormLiesBetweenTheRunnerUpAndTheRest",
     {.norm_bounds =
          [](const Vector<Rational>& p) {
            return Interval<Rational>{p.maxCoeff(), jacobian_norm_bounds(p).upper};
          }}},
    {"the runner-up is smaller by a millionth",
     "TheBoundsAreTheRunnerUpAndTheSmallerOfTheOtherTwo",
     {.norm_bounds =
          [](const Vector<Rational>& p) {
            auto bounds = jacobian_norm_bounds(p);
            bounds.lower *= Rational(999999, 1000000);
            return bounds;
          }}},
    {"the largest weight is no bound",
     "TheBoundsAreTheRunnerUpAndTheSmallerOfTheOtherTwo",
     {.norm_bounds =
          [](const Vector<Rational>& p) {
            return Interval<Rational>{jacobian_norm_bounds(p).lower, 2 * (1 - p.maxCoeff())};
          }}},
    {"a one-hot gradient is not 0",
     "IsZeroAtOneHotWeightsAndOnlyThere",
     {.jacobian = wrong_jacobian<Rational, 1, 0>}},
    {"every gradient is 0",
     "IsZeroAtOneHotWeightsAndOnlyThere",
     {.jacobian = [](const Vector<Rational>& p) -> Matrix<Rational> {
       return Matrix<Rational>::Zero(p.size(), p.size());
     }}},
    {"the trace is doubled",
     "NormAndTraceVanishWithTheRest",
     {.trace = [](const Vector<Rational>& p) -> Rational { return 2 * jacobian_trace(p); }}},
    {"the squared norm is that of the trace, doubled",
     "NormAndTraceVanishWithTheRest",
     {.squared_norm = [](const Vector<Rational>& p) -> Rational {
       return 2 * jacobian_trace(p) * jacobian_trace(p);
     }}},
    {"δ is forgotten", "TheDocumentsOneHotExample", {.jacobian = wrong_jacobian<Rational, 0, 1>}},
};

//! [OneHotJacobianVanishes]
TEST(OneHotJacobianVanishes, TheNormLiesBetweenTheRunnerUpAndTheRest) {
  check_statement(one_hot_jacobian_vanishes_mutants, [](const Gradients& gradients) {
    for_all([&] {
      const Vector<Rational> p = any_weights(2, 6, true);
      const Matrix<Rational> jacobian = softmax_jacobian(p);
      const auto [least, greatest] = gradients.norm_bounds(p);
      EXPECT_EXACTLY(is_positive_semidefinite(scalar_matrix(p.size(), greatest) - jacobian));
      // Stretched along p_s e_f − p_f e_s, where f is the first key and s the second, by `least`
      // or more.
      Index f = 0, s = 0;
      p.maxCoeff(&f);
      for (Index i = 0; i < p.size(); ++i)
        if (i != f && (s == f || p[i] > p[s])) s = i;
      Vector<Rational> v = Vector<Rational>::Zero(p.size());
      v[f] = p[s];
      v[s] = -p[f];
      EXPECT_EXACTLY(v.dot(jacobian * v) >= least * v.squaredNorm());
    });
  });
}
//! [OneHotJacobianVanishes]

TEST(OneHotJacobianVanishes, TheBoundsAreTheRunnerUpAndTheSmallerOfTheOtherTwo) {
  check_statement(one_hot_jacobian_vanishes_mutants, [](const Gradients& gradients) {
    for_all([&] {
      const Vector<Rational> p = any_weights(1, 6, true);
      std::vector<Rational> sorted(p.begin(), p.end());
      std::sort(sorted.rbegin(), sorted.rend());
      const auto [least, greatest] = gradients.norm_bounds(p);
      EXPECT_EXACTLY(least == (p.size() == 1 ? Rational(0) : sorted[1]));
      EXPECT_EXACTLY(greatest == std::min<Rational>(sorted[0], 2 * (1 - sorted[0])));
    });
  });
}

//! [OneHotJacobianVanishes: exact check]
TEST(OneHotJacobianVanishes, IsZeroAtOneHotWeightsAndOnlyThere) {
  check_statement(one_hot_jacobian_vanishes_mutants, [](const Gradients& gradients) {
    for_all([&] {
      const Vector<Rational> p = any_weights(1, 4, true);
      const bool one_hot = p.maxCoeff() == 1;
      EXPECT_EXACTLY((gradients.jacobian(p).squaredNorm() == 0) == one_hot);
    });
    for (Index n = 1; n <= 8; ++n)
      for (Index hot = 0; hot < n; ++hot)
        EXPECT_EXACTLY(gradients.jacobian(Vector<Rational>::Unit(n, hot)).squaredNorm() == 0);
    enumerated(36);
  });
}
//! [OneHotJacobianVanishes: exact check]

TEST(OneHotJacobianVanishes, NormAndTraceVanishWithTheRest) {
  check_statement(one_hot_jacobian_vanishes_mutants, [](const Gradients& gradients) {
    for_all([&] {
      const Vector<Rational> p = any_weights(1, 6, true);
      const Rational trace = gradients.trace(p);
      EXPECT_EXACTLY(gradients.squared_norm(p) <= trace * trace);
      EXPECT_EXACTLY(trace <= 2 * (1 - p.maxCoeff()));
    });
  });
}

TEST(OneHotJacobianVanishes, TheDocumentsOneHotExample) {
  check_statement(one_hot_jacobian_vanishes_mutants, [](const Gradients& gradients) {
    const Matrix<Rational> jacobian = gradients.jacobian(tenths({10, 0, 0}));
    for (Index i = 0; i < 3; ++i)
      for (Index j = 0; j < 3; ++j) EXPECT_EXACTLY(jacobian(i, j) == 0);
    for (Index i = 0; i < 3; ++i) expect_printed("S3", "0", jacobian(i, i));
    enumerated(9);
  });
}

}  // namespace sqrtdk::properties::OneHotJacobianVanishes
