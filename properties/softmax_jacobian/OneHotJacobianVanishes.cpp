#include "properties/softmax_jacobian/fixture.hpp"
#include "properties/softmax_jacobian/wrong_jacobian.hpp"

namespace sqrtdk::properties::OneHotJacobianVanishes {

//! [OneHotJacobianVanishes]
STATEMENT(OneHotJacobianVanishes, TheNormLiesBetweenTheRunnerUpAndTheRest) {
  for_all([&] {
    const Vector<Rational> p = any_weights(2, 6, true);
    const Matrix<Rational> jacobian = softmax_jacobian(p);
    const auto [least, greatest] = subject.norm_bounds(p);
    EXPECT_EXACTLY(is_positive_semidefinite(scalar_matrix(p.size(), greatest) - jacobian));
    // p_s e_f − p_f e_s, f the first key and s the second, is stretched by `least` or more.
    Index f = 0, s = 0;
    p.maxCoeff(&f);
    for (Index i = 0; i < p.size(); ++i)
      if (i != f && (s == f || p[i] > p[s])) s = i;
    Vector<Rational> v = Vector<Rational>::Zero(p.size());
    v[f] = p[s];
    v[s] = -p[f];
    EXPECT_EXACTLY(v.dot(jacobian * v) >= least * v.squaredNorm());
  });
}
//! [OneHotJacobianVanishes]
KILLS("the upper bound is 1 − p_max", {.norm_bounds = [](auto& p) {
        auto bounds = jacobian_norm_bounds(p);
        bounds.upper = std::min<Rational>(bounds.upper, 1 - p.maxCoeff());
        return bounds;
      }});
KILLS("the lower bound is the largest weight", {.norm_bounds = [](auto& p) {
        return Interval<Rational>{p.maxCoeff(), jacobian_norm_bounds(p).upper};
      }});

STATEMENT(OneHotJacobianVanishes, TheBoundsAreTheRunnerUpAndTheSmallerOfTheOtherTwo) {
  for_all([&] {
    const Vector<Rational> p = any_weights(1, 6, true);
    std::vector<Rational> sorted(p.begin(), p.end());
    std::sort(sorted.rbegin(), sorted.rend());
    const auto [least, greatest] = subject.norm_bounds(p);
    EXPECT_EXACTLY(least == (p.size() == 1 ? Rational(0) : sorted[1]));
    EXPECT_EXACTLY(greatest == std::min<Rational>(sorted[0], 2 * (1 - sorted[0])));
  });
}
KILLS("the runner-up is smaller by a millionth", {.norm_bounds = [](auto& p) {
        auto bounds = jacobian_norm_bounds(p);
        bounds.lower *= Rational(999999, 1000000);
        return bounds;
      }});
KILLS("the largest weight is no bound", {.norm_bounds = [](auto& p) {
        return Interval<Rational>{jacobian_norm_bounds(p).lower, 2 * (1 - p.maxCoeff())};
      }});

//! [OneHotJacobianVanishes: exact check]
STATEMENT(OneHotJacobianVanishes, IsZeroAtOneHotWeightsAndOnlyThere) {
  for_all([&] {
    const Vector<Rational> p = any_weights(1, 4, true);
    const bool one_hot = p.maxCoeff() == 1;
    EXPECT_EXACTLY((subject.jacobian(p).squaredNorm() == 0) == one_hot);
  });
  for (Index n = 1; n <= 8; ++n)
    for (Index hot = 0; hot < n; ++hot)
      EXPECT_EXACTLY(subject.jacobian(Vector<Rational>::Unit(n, hot)).squaredNorm() == 0);
  enumerated(36);
}
//! [OneHotJacobianVanishes: exact check]
KILLS("a one-hot gradient is not 0", {.jacobian = wrong_jacobian<Rational, 1, 0>});
KILLS("every gradient is 0", {.jacobian = [](auto& p) -> Matrix<Rational> {
        return Matrix<Rational>::Zero(p.size(), p.size());
      }});

STATEMENT(OneHotJacobianVanishes, NormAndTraceVanishWithTheRest) {
  for_all([&] {
    const Vector<Rational> p = any_weights(1, 6, true);
    const Rational trace = subject.trace(p);
    EXPECT_EXACTLY(subject.squared_norm(p) <= trace * trace);
    EXPECT_EXACTLY(trace <= 2 * (1 - p.maxCoeff()));
  });
}
KILLS("the trace is doubled", {.trace = [](auto& p) { return 2 * jacobian_trace(p); }});
KILLS("the squared norm is that of the trace, doubled",
      {.squared_norm = [](auto& p) { return 2 * jacobian_trace(p) * jacobian_trace(p); }});

STATEMENT(OneHotJacobianVanishes, TheDocumentsOneHotExample) {
  const Matrix<Rational> jacobian = subject.jacobian(tenths({10, 0, 0}));
  for (Index i = 0; i < 3; ++i)
    for (Index j = 0; j < 3; ++j) EXPECT_EXACTLY(jacobian(i, j) == 0);
  for (Index i = 0; i < 3; ++i) expect_printed("S3", "0", jacobian(i, i));
  enumerated(9);
}
KILLS("δ is forgotten", {.jacobian = wrong_jacobian<Rational, 0, 1>});

}  // namespace sqrtdk::properties::OneHotJacobianVanishes
