#include <sqrtdk/softmax_jacobian.hpp>

#include "properties/variants/fixture.hpp"

namespace sqrtdk::properties::SoftCapGradient {

using Bounds = Interval<Rational>;
using Vector = Eigen::Matrix<Rational, Eigen::Dynamic, 1>;
using Matrix = JacobianOf<Vector>;

struct Subject {
  Bounds (*slope)(const Rational&, const Rational&) = sqrtdk::soft_cap_slope;
  Matrix (*jacobian)(const Vector&, const Vector&) = [](const Vector& p, const Vector& slopes) {
    return sqrtdk::capped_jacobian(p, slopes);
  };
};

/// A whole number, of any size in a range from the first case on.
rc::Gen<int> drawn(int from, int below) {
  return rc::gen::resize(rc::kNominalSize, rc::gen::inRange(from, below));
}

//! [SoftCapGradient]
STATEMENT(SoftCapGradient, TheSlopeIsTheDerivative) {
  for_all([&] {
    const Rational t = Rational(*drawn(1, 17).as("2t"), 2);
    const Rational a = Rational(*drawn(0, 97).as("8a"), 8);
    const Rational b = a + Rational(*drawn(1, 9).as("8(b - a)"), 8);
    const Bounds at_a = soft_cap(a, t), at_b = soft_cap(b, t);
    // The slope falls, so that a difference quotient lies between those at both ends.
    EXPECT_EXACTLY(subject.slope(b, t).upper < (at_b.lower - at_a.upper) / (b - a));
    EXPECT_EXACTLY((at_b.upper - at_a.lower) / (b - a) < subject.slope(-a, t).lower);
    // An irrational number lies strictly between the ends.
    EXPECT_EXACTLY(at_b.lower < at_b.upper);
    EXPECT_EXACTLY(subject.slope(b, t).lower < subject.slope(b, t).upper);
  });
}
KILLS("the slope is 1 up to the cap", {.slope = [](auto& s, auto& t) -> Bounds {
        const Rational slope = abs(s) < t ? 1 : 0;
        return {slope, slope};
      }});

STATEMENT(SoftCapGradient, TheJacobianHasAFactorForEachColumn) {
  for_all([&] {
    Vector z(3), slopes(3);
    for (Rational& power : z) power = *drawn(1, 20).as("a power z");
    for (Rational& slope : slopes) slope = Rational(*drawn(1, 20).as("7c'"), 7);
    const Rational sum = z.sum();
    const Matrix jacobian = subject.jacobian(z / sum, slopes);
    // z = e^c moves by z·c′, and a quotient by the rule for quotients.
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        const Rational moved = z(j) * slopes(j);
        EXPECT_EXACTLY(jacobian(i, j) ==
                       ((i == j ? moved * sum : Rational(0)) - z(i) * moved) / (sum * sum));
      }
  });
}
//! [SoftCapGradient]
KILLS("factors on the wrong side", {.jacobian = [](auto& p, auto& slopes) -> Matrix {
        return capped_jacobian(p, slopes).transpose();
      }});
KILLS("no second factor", {.jacobian = [](auto& p, auto&) { return softmax_jacobian(p); }});

//! [SoftCapGradient: exact check]
STATEMENT(SoftCapGradient, AtACapOfFifty) {
  const auto rounds_to = [&](int score, int printed, int unit) {
    const Bounds slope = subject.slope(score, 50);
    EXPECT_EXACTLY(Rational(2 * printed - 1, 2 * unit) < slope.lower);
    EXPECT_EXACTLY(slope.upper < Rational(2 * printed + 1, 2 * unit));
  };
  rounds_to(50, 41997, 100000);
  rounds_to(150, 9866, 1000000);
  rounds_to(200, 1341, 1000000);
  const Rational half(1, 2), at_0 = subject.slope(0, 50).lower;
  EXPECT_EXACTLY(at_0 == 1);
  EXPECT_EXACTLY(subject.jacobian(Vector{{half, half}}, Vector{{at_0, 0}})(0, 0) == half * half);
  enumerated(8);
  record_value("at_50", format_fixed(subject.slope(50, 50).lower.convert_to<double>(), 2));
}
//! [SoftCapGradient: exact check]
KILLS("the square is missing", {.slope = [](auto& s, auto& t) -> Bounds {
        return {1 - soft_cap(s, t).upper / t, 1 - soft_cap(s, t).lower / t};
      }});

ASIDE(SoftCapGradient, RefusesCapsOf0AndSlopesThatDoNotFit) {
  expect_refusal<std::domain_error>([&] { return subject.slope(1, 0); });
  expect_refusal<std::domain_error>([&] { return subject.slope(1, -1); });
  expect_refusal<std::invalid_argument>([&] { return subject.jacobian(Vector(1), Vector(2)); });
}
KILLS("slopes that are left over are ignored",
      {.jacobian = [](auto& p, auto&) -> Matrix { return softmax_jacobian(p); }});

}  // namespace sqrtdk::properties::SoftCapGradient
