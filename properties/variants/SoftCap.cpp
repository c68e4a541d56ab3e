// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/numbers/exp_interval.hpp>
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

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace sqrtdk::properties::SoftCap {

using namespace sqrtdk::testing;

using Bounds = Interval<Rational>;
using Vector = Eigen::Matrix<Rational, Eigen::Dynamic, 1>;
using Matrix = JacobianOf<Vector>;

/// A cap and what it does.
struct Caps {
  Bounds (*capped)(const Rational&, const Rational&) = sqrtdk::soft_cap;
  Bounds (*slope)(const Rational&, const Rational&) = sqrtdk::soft_cap_slope;
  Bounds (*weight_bound)(const Rational&, unsigned) = sqrtdk::capped_weight_bound;
  Matrix (*jacobian)(const Vector&, const Vector&) = [](const Vector& p, const Vector& slopes) {
    return sqrtdk::capped_jacobian(p, slopes);
  };
};

const std::vector<Mutant<Caps>> soft_cap_mutants = {
    {"a hard cap",
     "CappedScoresStayBelowTheScoreAndTheCap",
     {.capped = [](const Rational& s, const Rational& t) -> Bounds {
       const Rational hard = std::clamp<Rational>(s, -t, t);
       return {hard, hard};
     }}},
    {"the sign is lost",
     "CappedScoresStayBelowTheScoreAndTheCap",
     {.capped = [](const Rational& s, const Rational& t) { return soft_cap(abs(s), t); }}},
    {"the slope is 1 up to the cap",
     "TheSlopeIsTheDerivative",
     {.slope = [](const Rational& s, const Rational& t) -> Bounds {
       const Rational slope = abs(s) < t ? 1 : 0;
       return {slope, slope};
     }}},
    {"the range is t",
     "NoWeightReachesTheBoundOfTheRange",
     {.weight_bound = [](const Rational& t, unsigned n) { return capped_weight_bound(t / 2, n); }}},
    {"one key too many",
     "NoWeightReachesTheBoundOfTheRange",
     {.weight_bound = [](const Rational& t, unsigned n) { return capped_weight_bound(t, n + 1); }}},
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
    {"any cap is taken",
     "RefusesCapsOf0AndScoresThatAreTooFarAway",
     {.capped = [](const Rational& s,
                   const Rational& t) { return soft_cap(s / 2000, abs(t) + 1); }}},
};

/// A score from −12 to 12.
Rational drawn_score(const char* name) {
  return Rational(*rc::gen::resize(rc::kNominalSize, rc::gen::inRange(-96, 97)).as(name), 8);
}

/// A cap from ½ to 8.
Rational drawn_cap() {
  return Rational(*rc::gen::resize(rc::kNominalSize, rc::gen::inRange(1, 17)).as("2t"), 2);
}

/// e^x between numbers with few digits, for x between two numbers.
Bounds growth(const Bounds& x) {
  const Integer unit = Integer(1) << 60;
  const auto rounded_down = [&](const Rational& y) -> Rational {
    const Rational scaled = y * unit + (unit << 20);  // positive
    return Rational(Integer(numerator(scaled) / denominator(scaled)) - (unit << 20), unit);
  };
  return {exp_enclosure(rounded_down(x.lower)).lower,
          exp_enclosure(rounded_down(x.upper) + Rational(1, unit)).upper};
}

/// At least the first softmax weight of capped scores.
Rational first_weight(const Caps& caps, const std::vector<Rational>& scores, const Rational& t) {
  const Rational own = growth(caps.capped(scores[0], t)).upper;
  Rational others = 0;
  for (std::size_t j = 1; j < scores.size(); ++j) others += growth(caps.capped(scores[j], t)).lower;
  return own / (own + others);
}

//! [SoftCap]
TEST(SoftCap, CappedScoresStayBelowTheScoreAndTheCap) {
  check_statement(soft_cap_mutants, [](const Caps& caps) {
    for_all([&] {
      const Rational s = drawn_score("s"), t = drawn_cap();
      const Bounds capped = caps.capped(s, t);
      if (s == 0) {
        EXPECT_EXACTLY((capped.lower == 0 && capped.upper == 0));
      } else {
        EXPECT_EXACTLY((s > 0 ? capped.lower : -capped.upper) > 0);
        EXPECT_EXACTLY((s > 0 ? capped.upper : -capped.lower) < std::min<Rational>(abs(s), t));
      }
    });
    // For a large cap scores are nearly what they were: t·tanh(s/t) > s − s³/3t².
    EXPECT_EXACTLY(caps.capped(3, 30).lower > 3 - Rational(27, 3 * 900));
  });
}

TEST(SoftCap, TheSlopeIsTheDerivative) {
  check_statement(soft_cap_mutants, [](const Caps& caps) {
    for_all([&] {
      const Rational t = drawn_cap();
      const Rational a = abs(drawn_score("a"));
      const Rational b = a + Rational(*rc::gen::inRange(1, 9).as("8(b - a)"), 8);
      const Bounds at_a = caps.capped(a, t), at_b = caps.capped(b, t);
      // The slope falls, so that a difference quotient lies between those at both ends.
      EXPECT_EXACTLY(caps.slope(b, t).upper < (at_b.lower - at_a.upper) / (b - a));
      EXPECT_EXACTLY((at_b.upper - at_a.lower) / (b - a) < caps.slope(-a, t).lower);
      // What is irrational lies strictly between the ends.
      EXPECT_EXACTLY(at_b.lower < at_b.upper);
      EXPECT_EXACTLY(caps.slope(b, t).lower < caps.slope(b, t).upper);
    });
  });
}

TEST(SoftCap, NoWeightReachesTheBoundOfTheRange) {
  check_statement(soft_cap_mutants, [](const Caps& caps) {
    const auto check = [&](const std::vector<Rational>& scores, const Rational& t) {
      const auto n = static_cast<unsigned>(scores.size());
      EXPECT_EXACTLY(first_weight(caps, scores, t) < caps.weight_bound(t, n).lower);
    };
    for_all(
        [&] {
          const Rational t = drawn_cap();
          check({drawn_score("s1"), drawn_score("s2"), drawn_score("s3")}, t);
        },
        40);
    check({20, -20, -20}, 2);  // 1 − tanh 10 < 10^−8
    enumerated(1);
  });
}

TEST(SoftCap, TheJacobianHasAFactorForEachColumn) {
  check_statement(soft_cap_mutants, [](const Caps& caps) {
    for_all([&] {
      const auto drawn = [](const char* name) -> Rational {
        return Rational(*rc::gen::inRange(1, 20).as(name), 7);
      };
      Vector z(3), slopes(3);
      z << drawn("z1"), drawn("z2"), drawn("z3");
      slopes << drawn("c1"), drawn("c2"), drawn("c3");
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
//! [SoftCap]

//! [SoftCap: exact check]
TEST(SoftCap, AtACapOfFifty) {
  check_statement(soft_cap_mutants, [](const Caps& caps) {
    const auto rounds_to = [&](int score, const Rational& printed, const Rational& unit) {
      const Bounds slope = caps.slope(score, 50);
      EXPECT_EXACTLY((printed - unit / 2 < slope.lower && slope.upper < printed + unit / 2));
    };
    rounds_to(50, Rational(41997, 100000), Rational(1, 100000));
    rounds_to(150, Rational(9866, 1000000), Rational(1, 1000000));
    rounds_to(200, Rational(1341, 1000000), Rational(1, 1000000));
    EXPECT_EXACTLY(caps.slope(0, 50).lower == 1);
    // Even among 10^9 keys one weight may be nearly all.
    EXPECT_EXACTLY(1 - caps.weight_bound(50, 1000000000).lower <
                   Rational(1, Integer("1" + std::string(34, '0'))));
    enumerated(5);
    record_value("at_50", format_fixed(caps.slope(50, 50).lower.convert_to<double>(), 2));
  });
}
//! [SoftCap: exact check]

TEST(SoftCap, RefusesCapsOf0AndScoresThatAreTooFarAway) {
  check_with_mutants(soft_cap_mutants, [](const Caps& caps) {
    expect_refusal<std::domain_error>([&] { return caps.capped(1, 0); });
    expect_refusal<std::domain_error>([&] { return caps.capped(1001, 1); });
    expect_refusal<std::domain_error>([&] { return caps.slope(1, -1); });
    expect_refusal<std::domain_error>([&] { return caps.weight_bound(0, 1); });
    expect_refusal<std::domain_error>([&] { return caps.weight_bound(1001, 1); });
    expect_refusal<std::domain_error>([&] { return caps.weight_bound(1, 0); });
    expect_refusal<std::invalid_argument>([&] { return caps.jacobian(Vector(1), Vector(2)); });
  });
}

}  // namespace sqrtdk::properties::SoftCap
