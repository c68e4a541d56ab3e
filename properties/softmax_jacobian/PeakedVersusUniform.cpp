// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/numbers/interval.hpp>
#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/saturation.hpp>
#include <sqrtdk/softmax_jacobian.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>
#include <sqrtdk/testing/reporting/expect_refusal.hpp>
#include <sqrtdk/testing/reporting/printed.hpp>

#include "properties/softmax_jacobian/fixture.hpp"
#include "properties/softmax_jacobian/wrong_jacobian.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstddef>
#include <stdexcept>

namespace sqrtdk::properties::PeakedVersusUniform {

using namespace sqrtdk::testing;

Vector<Rational> uniform_weights(Index n) { return Vector<Rational>::Constant(n, Rational(1, n)); }

/// One weight 1 − ε, and how the others share ε.
Vector<Rational> peaked_weights(Index n, const Rational& rest, const Vector<Rational>& shares) {
  Vector<Rational> p(n);
  p << 1 - rest, rest * shares;
  return p;
}

/// One weight 1 − ε, the others equal.
Vector<Rational> peaked_weights(Index n, const Rational& rest) {
  return peaked_weights(n, rest, uniform_weights(n - 1));
}

/// The first logit raised and all others lowered alike, without a change of their sum.
Vector<Rational> against_all_others(Index n) {
  Vector<Rational> v = Vector<Rational>::Constant(n, Rational(-1, n - 1));
  v[0] = 1;
  return v;
}

const Mutants peaked_versus_uniform_mutants = {
    {"(n − 1)/n",
     "AtUniformWeightsItIsAProjectionOverN",
     {.uniform_norm = [](std::size_t n) -> Rational { return Rational(n - 1) / Rational(n); }}},
    {"1/(n − 1)",
     "AtUniformWeightsItIsAProjectionOverN",
     {.uniform_norm = [](std::size_t n) -> Rational { return Rational(1) / Rational(n - 1); }}},
    {"δ is forgotten",
     "AtUniformWeightsItIsAProjectionOverN",
     {.jacobian = wrong_jacobian<Rational, 0, 1>}},
    {"1/(4n)",
     "AmongFewKeysTheUniformGradientIsLarger",
     {.uniform_norm = [](std::size_t n) -> Rational { return Rational(1) / Rational(4 * n); }}},
    {"larger by a tenth",
     "NoSharingExceedsASingleRival",
     {.jacobian = [](const Vector<Rational>& p) -> Matrix<Rational> {
       return Rational(11, 10) * softmax_jacobian(p);
     }}},
    {"only the diagonal is filled", "NoSharingExceedsASingleRival", {.jacobian = diagonal_only}},
    {"ε(1 − ε)",
     "OverEqualRivalsThePeakIsAnEigenvector",
     {.peaked_norm = [](std::size_t, const Rational& rest) -> Rational {
       return rest * (1 - rest);
     }}},
    {"2ε(1 − ε), the norm for a single rival",
     "OverEqualRivalsThePeakIsAnEigenvector",
     {.peaked_norm = [](std::size_t, const Rational& rest) -> Rational {
       return 2 * rest * (1 - rest);
     }}},
    {"ε² more",
     "OverEqualRivalsTheyAreEqualAtOneOverEpsilon",
     {.peaked_norm = [](std::size_t n, const Rational& rest) -> Rational {
       return peaked_jacobian_norm(n, rest) + rest * rest;
     }}},
    {"the square of the peak",
     "OverEqualRivalsTheyAreEqualAtOneOverEpsilon",
     {.peaked_norm = [](std::size_t n, const Rational& rest) -> Rational {
       return peaked_jacobian_norm(n, rest) * (1 - rest);
     }}},
    {"any part may be left for the others",
     "RefusesWhatHasNoPeak",
     {.peaked_norm = [](std::size_t n, const Rational& rest) -> Rational {
       return rest * (1 - rest) * Rational(n) / Rational(n - 1);
     }}},
    {"(n + 1)/n in the place of n/(n − 1)",
     "AmongManyKeysAPeakedGradientIsLarger",
     {.peaked_norm = [](std::size_t n, const Rational& rest) -> Rational {
       return rest * (1 - rest) * Rational(n + 1) / Rational(n);
     }}},
    {"a constant",
     "AmongFiveHundredAPeakIsFiveTimesAsLarge",
     {.uniform_norm = [](std::size_t) { return Rational(1, 2); }}},
    {"no upper bound is below 1",
     "TheLargestNormIsAtTwoEqualHalves",
     {.norm_bounds =
          [](const Vector<Rational>& p) {
            return Interval<Rational>{p.maxCoeff(), Rational(1)};
          }}},
    {"the trace is the spectral norm of a peak over equal rivals",
     "InTheTraceNormNothingExceedsUniform",
     {.trace = [](const Vector<Rational>& p) -> Rational {
       return peaked_jacobian_norm(static_cast<std::size_t>(p.size()), 1 - p.maxCoeff());
     }}},
    {"a single key has a gradient",
     "RefusesWhatHasNoPeak",
     {.uniform_norm =
          [](std::size_t n) { return n < 2 ? Rational(1) : uniform_jacobian_norm(n); }}},
};

//! [PeakedVersusUniform: exact check]
TEST(PeakedVersusUniform, AtUniformWeightsItIsAProjectionOverN) {
  check_statement(peaked_versus_uniform_mutants, [](const Gradients& gradients) {
    for (Index n = 2; n <= 12; ++n) {
      const Matrix<Rational> jacobian = gradients.jacobian(uniform_weights(n));
      const Rational norm = gradients.uniform_norm(static_cast<std::size_t>(n));
      // P = J/norm is a projection other than 0, so that its norm is 1.
      EXPECT_EXACTLY(jacobian * jacobian == norm * jacobian) << "n = " << n;
      EXPECT_EXACTLY(jacobian.trace() == norm * Rational(n - 1)) << "n = " << n;
      EXPECT_EXACTLY(rank(jacobian) == n - 1) << "n = " << n;
    }
    enumerated(11);
  });
}
//! [PeakedVersusUniform: exact check]

//! [PeakedVersusUniform]
TEST(PeakedVersusUniform, AmongFewKeysTheUniformGradientIsLarger) {
  check_statement(peaked_versus_uniform_mutants, [](const Gradients& gradients) {
    for_all([&] {
      const int n = *rc::gen::inRange(2, 9).as("n");
      // The largest thousandth with n ≤ 1/(2ε(1 − ε)), or less.
      int most = 500;
      while (2 * n * most * (1000 - most) > 1000 * 1000) --most;
      const Rational rest(*rc::gen::inRange(1, most + 1).as("thousandths"), 1000);
      const Matrix<Rational> jacobian =
          gradients.jacobian(peaked_weights(n, rest, any_weights(n - 1, n - 1, true)));
      const Rational least = gradients.uniform_norm(static_cast<std::size_t>(n));
      EXPECT_EXACTLY(is_positive_semidefinite(scalar_matrix(n, least) - jacobian));
    });
  });
}
//! [PeakedVersusUniform]

TEST(PeakedVersusUniform, NoSharingExceedsASingleRival) {
  check_statement(peaked_versus_uniform_mutants, [](const Gradients& gradients) {
    for_all([&] {
      const int n = *rc::gen::inRange(2, 9).as("n");
      const Rational rest(*rc::gen::inRange(1, 501).as("thousandths"), 1000);
      const Rational norm = 2 * rest * (1 - rest);
      const auto shares = any_weights(n - 1, n - 1, true);
      EXPECT_EXACTLY(is_positive_semidefinite(scalar_matrix(n, norm) -
                                              gradients.jacobian(peaked_weights(n, rest, shares))));
      Vector<Rational> v = Vector<Rational>::Unit(n, 0);
      v[1] = -1;
      const Vector<Rational> alone = Vector<Rational>::Unit(n - 1, 0);
      EXPECT_EXACTLY(gradients.jacobian(peaked_weights(n, rest, alone)) * v == norm * v);
    });
  });
}

TEST(PeakedVersusUniform, OverEqualRivalsThePeakIsAnEigenvector) {
  check_statement(peaked_versus_uniform_mutants, [](const Gradients& gradients) {
    for_all([&] {
      const Index n = *rc::gen::inRange<Index>(2, 12).as("n");
      const Rational rest =
          (1 - Rational(1, n)) * Rational(*rc::gen::inRange(0, 101).as("percent"), 100);
      const Rational norm = gradients.peaked_norm(static_cast<std::size_t>(n), rest);
      const Matrix<Rational> jacobian = gradients.jacobian(peaked_weights(n, rest));
      const Vector<Rational> v = against_all_others(n);
      EXPECT_EXACTLY(jacobian * v == norm * v);
      // The other eigenvalues are 0, and n − 2 times ε/(n − 1): the trace is what all sum to.
      const Rational other = rest / Rational(n - 1);
      EXPECT_EXACTLY(jacobian.trace() == norm + Rational(n - 2) * other);
      EXPECT_EXACTLY(norm >= other);
    });
  });
}

TEST(PeakedVersusUniform, OverEqualRivalsTheyAreEqualAtOneOverEpsilon) {
  check_statement(peaked_versus_uniform_mutants, [](const Gradients& gradients) {
    for (int one_over_rest = 2; one_over_rest <= 40; ++one_over_rest)
      for (int n = 2; n <= 60; ++n) {
        const auto count = static_cast<std::size_t>(n);
        const Rational less = gradients.uniform_norm(count) -
                              gradients.peaked_norm(count, Rational(1, one_over_rest));
        EXPECT_EXACTLY(less.sign() == Rational(one_over_rest - n).sign())
            << n << " keys, one of them with all but 1/" << one_over_rest;
      }
    enumerated(39 * 59);
  });
}

TEST(PeakedVersusUniform, AmongManyKeysAPeakedGradientIsLarger) {
  check_statement(peaked_versus_uniform_mutants, [](const Gradients& gradients) {
    for_all([&] {
      const Rational rest(*rc::gen::inRange(50, 501).as("thousandths"), 1000);
      // The fewest keys with n > 1/ε, or some more, whose others share ε in any way.
      const Rational fewest = 1 / rest;
      const Index n = (numerator(fewest) / denominator(fewest)).convert_to<Index>() + 1 +
                      *rc::gen::inRange<Index>(0, 9).as("more keys");
      const auto others = static_cast<int>(n) - 1;
      const Vector<Rational> p = peaked_weights(n, rest, any_weights(others, others, true));
      const Vector<Rational> v = against_all_others(n);
      const Rational stretched = v.dot(softmax_jacobian(p) * v) / v.squaredNorm();
      EXPECT_EXACTLY(stretched == gradients.peaked_norm(static_cast<std::size_t>(n), rest));
      EXPECT_EXACTLY(stretched > gradients.uniform_norm(static_cast<std::size_t>(n)));
    });
  });
}

TEST(PeakedVersusUniform, AmongFiveHundredAPeakIsFiveTimesAsLarge) {
  check_with_mutants(peaked_versus_uniform_mutants, [](const Gradients& gradients) {
    const Rational times =
        gradients.peaked_norm(512, Rational(1, 100)) / gradients.uniform_norm(512);
    EXPECT_EXACTLY(times > 5);
    record_value("times", format_significant(static_cast<double>(times), 3));
    counterexample_without("few keys");
  });
}

TEST(PeakedVersusUniform, InTheTraceNormNothingExceedsUniform) {
  check_statement(peaked_versus_uniform_mutants, [](const Gradients& gradients) {
    const auto is_less = [&](const Vector<Rational>& p) {
      return gradients.trace(p) < gradients.trace(uniform_weights(p.size()));
    };
    for_all([&] {
      const Vector<Rational> p = any_weights(2, 6, true);
      EXPECT_EXACTLY(is_less(p) == (p.minCoeff() != p.maxCoeff()));
      EXPECT_EXACTLY(gradients.trace(uniform_weights(p.size())) == 1 - Rational(1, p.size()));
    });
    // One key of 512 with all but a hundredth: the example in which the spectral norm reverses.
    const bool holds = is_less(peaked_weights(512, Rational(1, 100)));
    EXPECT_EXACTLY(holds);
    expect_confirmed("S3", "moderate", holds);
    record_value(
        "peaked",
        format_significant(
            gradients.trace(peaked_weights(512, Rational(1, 100))).convert_to<double>(), 2));
    record_value("uniform",
                 format_significant(gradients.trace(uniform_weights(512)).convert_to<double>(), 3));
  });
}

TEST(PeakedVersusUniform, TheLargestNormIsAtTwoEqualHalves) {
  check_statement(peaked_versus_uniform_mutants, [](const Gradients& gradients) {
    for (Index n = 2; n <= 8; ++n) {
      Vector<Rational> halves = Vector<Rational>::Zero(n);
      halves[0] = halves[n - 1] = Rational(1, 2);
      EXPECT_EXACTLY(gradients.norm_bounds(halves).lower == Rational(1, 2));
      EXPECT_EXACTLY(gradients.norm_bounds(halves).upper == Rational(1, 2));
    }
    enumerated(7);
  });
}

TEST(PeakedVersusUniform, RefusesWhatHasNoPeak) {
  check_with_mutants(peaked_versus_uniform_mutants, [](const Gradients& gradients) {
    expect_refusal<std::domain_error>([&] { gradients.uniform_norm(1); });
    expect_refusal<std::domain_error>([&] { gradients.peaked_norm(1, 0); });
    expect_refusal<std::domain_error>([&] { gradients.peaked_norm(4, Rational(-1, 100)); });
    expect_refusal<std::domain_error>([&] { gradients.peaked_norm(4, Rational(76, 100)); });
  });
}

}  // namespace sqrtdk::properties::PeakedVersusUniform
