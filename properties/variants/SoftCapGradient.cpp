// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/numbers/interval.hpp>
#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/softmax_jacobian.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>
#include <sqrtdk/testing/reporting/expect_refusal.hpp>
#include <sqrtdk/variants_weights.hpp>

#include <Eigen/Core>
#include <boost/multiprecision/eigen.hpp>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <stdexcept>
#include <vector>

namespace sqrtdk::properties::SoftCapGradient {

using namespace sqrtdk::testing;

using Bounds = Interval<Rational>;
using Vector = Eigen::Matrix<Rational, Eigen::Dynamic, 1>;
using Matrix = JacobianOf<Vector>;

/// The derivatives of a cap, and of softmax behind it.
struct Derivatives {
  Bounds (*slope)(const Rational&, const Rational&) = sqrtdk::soft_cap_slope;
  Matrix (*jacobian)(const Vector&, const Vector&) = [](const Vector& p, const Vector& slopes) {
    return sqrtdk::capped_jacobian(p, slopes);
  };
};

const std::vector<Mutant<Derivatives>> soft_cap_gradient_mutants = {
    {"the slope is 1 up to the cap",
     "TheSlopeIsTheDerivative",
     {.slope = [](const Rational& s, const Rational& t) -> Bounds {
       const Rational slope = abs(s) < t ? 1 : 0;
       return {slope, slope};
     }}},
    {"factors on the wrong side",
     "TheJacobianHasAFactorForEachColumn",
     {.jacobian = [](const Vector& p, const Vector& slopes) -> Matrix {
       return capped_jacobian(p, slopes).transpose();
     }}},
    {"no second factor",
     "TheJacobianHasAFactorForEachColumn",
     {.jacobian = [](const Vector& p, const Vector&) { return softmax_jacobian(p); }}},
    {"the square is missing",
     "AtACapOfFifty",
     {.slope = [](const Rational& s, const Rational& t) -> Bounds {
       return {1 - soft_cap(s, t).upper / t, 1 - soft_cap(s, t).lower / t};
     }}},
    {"slopes that are left over are ignored",
     "RefusesCapsOf0AndSlopesThatDoNotFit",
     {.jacobian = [](const Vector& p, const Vector&) -> Matrix { return softmax_jacobian(p); }}},
};

/// A whole number, of any size in a range from the first case on.
rc::Gen<int> drawn(int from, int below) {
  return rc::gen::resize(rc::kNominalSize, rc::gen::inRange(from, below));
}

//! [SoftCapGradient]
TEST(SoftCapGradient, TheSlopeIsTheDerivative) {
  check_statement(soft_cap_gradient_mutants, [](const Derivatives& caps) {
    for_all([&] {
      const Rational t = Rational(*drawn(1, 17).as("2t"), 2);
      const Rational a = Rational(*drawn(0, 97).as("8a"), 8);
      const Rational b = a + Rational(*drawn(1, 9).as("8(b - a)"), 8);
      const Bounds at_a = soft_cap(a, t), at_b = soft_cap(b, t);
      // The slope falls, so that a difference quotient lies between those at both ends.
      EXPECT_EXACTLY(caps.slope(b, t).upper < (at_b.lower - at_a.upper) / (b - a));
      EXPECT_EXACTLY((at_b.upper - at_a.lower) / (b - a) < caps.slope(-a, t).lower);
      // What is irrational lies strictly between the ends.
      EXPECT_EXACTLY(at_b.lower < at_b.upper);
      EXPECT_EXACTLY(caps.slope(b, t).lower < caps.slope(b, t).upper);
    });
  });
}

TEST(SoftCapGradient, TheJacobianHasAFactorForEachColumn) {
  check_statement(soft_cap_gradient_mutants, [](const Derivatives& caps) {
    for_all([&] {
      Vector z(3), slopes(3);
      for (Rational& power : z) power = *drawn(1, 20).as("a power z");
      for (Rational& slope : slopes) slope = Rational(*drawn(1, 20).as("7c'"), 7);
      const Rational sum = z.sum();
      const Matrix jacobian = caps.jacobian(z / sum, slopes);
      // z = e^c moves by z·c′, and a quotient by the rule for quotients.
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
          const Rational moved = z(j) * slopes(j);
          EXPECT_EXACTLY(jacobian(i, j) ==
                         ((i == j ? moved * sum : Rational(0)) - z(i) * moved) / (sum * sum));
        }
    });
  });
}
//! [SoftCapGradient]

//! [SoftCapGradient: exact check]
TEST(SoftCapGradient, AtACapOfFifty) {
  check_statement(soft_cap_gradient_mutants, [](const Derivatives& caps) {
    const auto rounds_to = [&](int score, int printed, int unit) {
      const Bounds slope = caps.slope(score, 50);
      EXPECT_EXACTLY(Rational(2 * printed - 1, 2 * unit) < slope.lower);
      EXPECT_EXACTLY(slope.upper < Rational(2 * printed + 1, 2 * unit));
    };
    rounds_to(50, 41997, 100000);
    rounds_to(150, 9866, 1000000);
    rounds_to(200, 1341, 1000000);
    const Rational half(1, 2), at_0 = caps.slope(0, 50).lower;
    EXPECT_EXACTLY(at_0 == 1);
    EXPECT_EXACTLY(caps.jacobian(Vector{{half, half}}, Vector{{at_0, 0}})(0, 0) == half * half);
    enumerated(8);
    record_value("at_50", format_fixed(caps.slope(50, 50).lower.convert_to<double>(), 2));
  });
}
//! [SoftCapGradient: exact check]

TEST(SoftCapGradient, RefusesCapsOf0AndSlopesThatDoNotFit) {
  check_with_mutants(soft_cap_gradient_mutants, [](const Derivatives& caps) {
    expect_refusal<std::domain_error>([&] { return caps.slope(1, 0); });
    expect_refusal<std::domain_error>([&] { return caps.slope(1, -1); });
    expect_refusal<std::invalid_argument>([&] { return caps.jacobian(Vector(1), Vector(2)); });
  });
}

}  // namespace sqrtdk::properties::SoftCapGradient
