#include "properties/softmax_jacobian/fixture.hpp"
#include "properties/softmax_jacobian/wrong_jacobian.hpp"

namespace sqrtdk::properties::PeakedVersusUniform {

Vector<Rational> uniform_weights(Index n) { return Vector<Rational>::Constant(n, Rational(1, n)); }

Vector<Rational> peaked_weights(Index n, const Rational& rest, const Vector<Rational>& shares) {
  Vector<Rational> p(n);
  p << 1 - rest, rest * shares;
  return p;
}

/// One weight 1 − ε, the others equal.
Vector<Rational> peaked_weights(Index n, const Rational& rest) {
  return peaked_weights(n, rest, uniform_weights(n - 1));
}

Vector<Rational> against_all_others(Index n) {
  Vector<Rational> v = Vector<Rational>::Constant(n, Rational(-1, n - 1));
  v[0] = 1;
  return v;
}

//! [PeakedVersusUniform: exact check]
STATEMENT(PeakedVersusUniform, AtUniformWeightsItIsAProjectionOverN) {
  for (Index n = 2; n <= 12; ++n) {
    const Matrix<Rational> jacobian = subject.jacobian(uniform_weights(n));
    const Rational norm = subject.uniform_norm(static_cast<std::size_t>(n));
    // P = J/norm is a projection other than 0, so that its norm is 1.
    EXPECT_EXACTLY(jacobian * jacobian == norm * jacobian) << "n = " << n;
    EXPECT_EXACTLY(jacobian.trace() == norm * Rational(n - 1)) << "n = " << n;
    EXPECT_EXACTLY(rank(jacobian) == n - 1) << "n = " << n;
  }
  enumerated(11);
}
//! [PeakedVersusUniform: exact check]
KILLS("(n − 1)/n", {.uniform_norm = [](auto n) { return Rational(n - 1) / Rational(n); }});
KILLS("1/(n − 1)", {.uniform_norm = [](auto n) { return Rational(1) / Rational(n - 1); }});
KILLS("δ is forgotten", {.jacobian = wrong_jacobian<Rational, 0, 1>});

//! [PeakedVersusUniform]
STATEMENT(PeakedVersusUniform, AmongFewKeysTheUniformGradientIsLarger) {
  for_all([&] {
    const int n = *rc::gen::inRange(2, 9).as("n");
    // The largest thousandth with n ≤ 1/(2ε(1 − ε)), or less.
    int most = 500;
    while (2 * n * most * (1000 - most) > 1000 * 1000) --most;
    const Rational rest(*rc::gen::inRange(1, most + 1).as("thousandths"), 1000);
    const Matrix<Rational> jacobian =
        subject.jacobian(peaked_weights(n, rest, any_weights(n - 1, n - 1, true)));
    const Rational least = subject.uniform_norm(static_cast<std::size_t>(n));
    EXPECT_EXACTLY(is_positive_semidefinite(scalar_matrix(n, least) - jacobian));
  });
}
//! [PeakedVersusUniform]
KILLS("1/(4n)", {.uniform_norm = [](auto n) { return Rational(1) / Rational(4 * n); }});

STATEMENT(PeakedVersusUniform, NoSharingExceedsASingleRival) {
  for_all([&] {
    const int n = *rc::gen::inRange(2, 9).as("n");
    const Rational rest(*rc::gen::inRange(1, 501).as("thousandths"), 1000);
    const Rational norm = 2 * rest * (1 - rest);
    const auto shares = any_weights(n - 1, n - 1, true);
    EXPECT_EXACTLY(is_positive_semidefinite(scalar_matrix(n, norm) -
                                            subject.jacobian(peaked_weights(n, rest, shares))));
    Vector<Rational> v = Vector<Rational>::Unit(n, 0);
    v[1] = -1;
    const Vector<Rational> alone = Vector<Rational>::Unit(n - 1, 0);
    EXPECT_EXACTLY(subject.jacobian(peaked_weights(n, rest, alone)) * v == norm * v);
  });
}
KILLS("larger by a tenth", {.jacobian = [](auto& p) -> Matrix<Rational> {
        return Rational(11, 10) * softmax_jacobian(p);
      }});
KILLS("only the diagonal is filled", {.jacobian = diagonal_only});

STATEMENT(PeakedVersusUniform, OverEqualRivalsThePeakIsAnEigenvector) {
  for_all([&] {
    const Index n = *rc::gen::inRange<Index>(2, 12).as("n");
    const Rational rest =
        (1 - Rational(1, n)) * Rational(*rc::gen::inRange(0, 101).as("percent"), 100);
    const Rational norm = subject.peaked_norm(static_cast<std::size_t>(n), rest);
    const Matrix<Rational> jacobian = subject.jacobian(peaked_weights(n, rest));
    const Vector<Rational> v = against_all_others(n);
    EXPECT_EXACTLY(jacobian * v == norm * v);
    // The other eigenvalues are 0, and n − 2 times ε/(n − 1): the trace is what all sum to.
    const Rational other = rest / Rational(n - 1);
    EXPECT_EXACTLY(jacobian.trace() == norm + Rational(n - 2) * other);
    EXPECT_EXACTLY(norm >= other);
  });
}
KILLS("ε(1 − ε)", {.peaked_norm = [](auto, auto& rest) { return rest * (1 - rest); }});
KILLS("2ε(1 − ε), the norm for a single rival",
      {.peaked_norm = [](auto, auto& rest) { return 2 * rest * (1 - rest); }});

STATEMENT(PeakedVersusUniform, OverEqualRivalsTheyAreEqualAtOneOverEpsilon) {
  for (int one_over_rest = 2; one_over_rest <= 40; ++one_over_rest)
    for (int n = 2; n <= 60; ++n) {
      const auto count = static_cast<std::size_t>(n);
      const Rational less =
          subject.uniform_norm(count) - subject.peaked_norm(count, Rational(1, one_over_rest));
      EXPECT_EXACTLY(less.sign() == Rational(one_over_rest - n).sign())
          << n << " keys, one of them with all but 1/" << one_over_rest;
    }
  enumerated(39 * 59);
}
KILLS("ε² more", {.peaked_norm = [](auto n, auto& rest) {
        return peaked_jacobian_norm(n, rest) + rest * rest;
      }});
KILLS("the square of the peak", {.peaked_norm = [](auto n, auto& rest) {
        return peaked_jacobian_norm(n, rest) * (1 - rest);
      }});

STATEMENT(PeakedVersusUniform, AmongManyKeysAPeakedGradientIsLarger) {
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
    EXPECT_EXACTLY(stretched == subject.peaked_norm(static_cast<std::size_t>(n), rest));
    EXPECT_EXACTLY(stretched > subject.uniform_norm(static_cast<std::size_t>(n)));
  });
}
KILLS("(n + 1)/n in the place of n/(n − 1)", {.peaked_norm = [](auto n, auto& rest) {
        return rest * (1 - rest) * Rational(n + 1) / Rational(n);
      }});

ASIDE(PeakedVersusUniform, AmongFiveHundredAPeakIsFiveTimesAsLarge) {
  const Rational times = subject.peaked_norm(512, Rational(1, 100)) / subject.uniform_norm(512);
  EXPECT_EXACTLY(times > 5);
  record_value("times", format_significant(static_cast<double>(times), 3));
  counterexample_without("few keys");
}
KILLS("a constant", {.uniform_norm = [](auto) { return Rational(1, 2); }});

STATEMENT(PeakedVersusUniform, InTheTraceNormNothingExceedsUniform) {
  const auto is_less = [&](const Vector<Rational>& p) {
    return subject.trace(p) < subject.trace(uniform_weights(p.size()));
  };
  for_all([&] {
    const Vector<Rational> p = any_weights(2, 6, true);
    EXPECT_EXACTLY(is_less(p) == (p.minCoeff() != p.maxCoeff()));
    EXPECT_EXACTLY(subject.trace(uniform_weights(p.size())) == 1 - Rational(1, p.size()));
  });
  // One key of 512 with all but a hundredth: the example in which the spectral norm reverses.
  const bool holds = is_less(peaked_weights(512, Rational(1, 100)));
  EXPECT_EXACTLY(holds);
  expect_confirmed("S3", "moderate", holds);
  record_value("peaked",
               format_significant(
                   subject.trace(peaked_weights(512, Rational(1, 100))).convert_to<double>(), 2));
  record_value("uniform",
               format_significant(subject.trace(uniform_weights(512)).convert_to<double>(), 3));
}
KILLS("the trace is the spectral norm of a peak over equal rivals", {.trace = [](auto& p) {
        return peaked_jacobian_norm(static_cast<std::size_t>(p.size()), 1 - p.maxCoeff());
      }});

STATEMENT(PeakedVersusUniform, TheLargestNormIsAtTwoEqualHalves) {
  for (Index n = 2; n <= 8; ++n) {
    Vector<Rational> halves = Vector<Rational>::Zero(n);
    halves[0] = halves[n - 1] = Rational(1, 2);
    EXPECT_EXACTLY(subject.norm_bounds(halves).lower == Rational(1, 2));
    EXPECT_EXACTLY(subject.norm_bounds(halves).upper == Rational(1, 2));
  }
  enumerated(7);
}
KILLS("no upper bound is below 1", {.norm_bounds = [](auto& p) {
        return Interval<Rational>{p.maxCoeff(), Rational(1)};
      }});

ASIDE(PeakedVersusUniform, RefusesWhatHasNoPeak) {
  expect_refusal<std::domain_error>([&] { subject.uniform_norm(1); });
  expect_refusal<std::domain_error>([&] { subject.peaked_norm(1, 0); });
  expect_refusal<std::domain_error>([&] { subject.peaked_norm(4, Rational(-1, 100)); });
  expect_refusal<std::domain_error>([&] { subject.peaked_norm(4, Rational(76, 100)); });
}
KILLS("any part may be left for the others", {.peaked_norm = [](auto n, auto& rest) {
        return rest * (1 - rest) * Rational(n) / Rational(n - 1);
      }});
KILLS("a single key has a gradient",
      {.uniform_norm = [](auto n) { return n < 2 ? Rational(1) : uniform_jacobian_norm(n); }});

}  // namespace sqrtdk::properties::PeakedVersusUniform
