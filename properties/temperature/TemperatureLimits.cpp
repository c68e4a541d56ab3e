// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/numbers/interval.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/saturation.hpp>
#include <sqrtdk/scale.hpp>
#include <sqrtdk/temperature.hpp>
#include <sqrtdk/testing/generators/floating_point.hpp>
#include <sqrtdk/testing/generators/rational_distributions.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>
#include <sqrtdk/testing/reporting/expect_refusal.hpp>

#include "properties/temperature/fixture.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>

namespace sqrtdk::properties::TemperatureLimits {

using namespace sqrtdk::testing;

const Mutants temperature_limits_mutants = {
    {"one tie too many is counted",
     "TheLargestScoresShareWhatIsLeft",
     {.share_below_the_ties =
          [](std::size_t n, std::size_t k, const Rational& r) {
            return sqrtdk::share_below_the_ties(n, std::min<std::size_t>(n, k + 1), r);
          }}},
    {"the ratio counts once for all",
     "TheLargestScoresShareWhatIsLeft",
     {.share_below_the_ties =
          [](std::size_t n, std::size_t k, const Rational& r) {
            return sqrtdk::share_below_the_ties(std::min(n, k + 1), k, r);
          }}},
    {"the bound is doubled",
     "TheBoundIsReached",
     {.share_below_the_ties =
          [](std::size_t n, std::size_t k, const Rational& r) {
            return 2 * sqrtdk::share_below_the_ties(n, k, r);
          }}},
    {"below a third the temperature has no effect",
     "EachStepDividesWhatIsLeft",
     {.sharpened =
          [](const Vector<Rational>& w, unsigned power) {
            return Vector<Rational>(sharpened_weights(w, std::min(power, 3U)));
          }}},
    {"a heated softmax forgets a key",
     "HotWeightsAreNearlyUniform",
     {.sharpened =
          [](const Vector<Rational>& w, unsigned power) {
            Vector<Rational> p = sharpened_weights(w, power);
            if (power <= 1 && p.size() > 1) {
              p[1] += p[0];
              p[0] = 0;
            }
            return p;
          }}},
    {"no ties at all are accepted",
     "RefusesWhatIsNoShare",
     {.share_below_the_ties =
          [](std::size_t n, std::size_t k, const Rational& r) {
            return k == 0 ? Rational(1) : sqrtdk::share_below_the_ties(n, k, r);
          }}},
    {"a ratio above 1 is accepted",
     "RefusesWhatIsNoShare",
     {.share_below_the_ties =
          [](std::size_t n, std::size_t k, const Rational& r) {
            return r > 1 ? Rational(1) : sqrtdk::share_below_the_ties(n, k, r);
          }}},
};

//! [TemperatureLimits]
TEST(TemperatureLimits, TheLargestScoresShareWhatIsLeft) {
  check_statement(temperature_limits_mutants, [](const Temperatures& temperatures) {
    for_all([&] {
      const Vector<Rational> w = any_exponentials(7);
      const unsigned a = *rc::gen::inRange(0U, 20U).as("1/τ");
      const auto [ties, ratio] = ties_and_ratio(w);
      const std::size_t n = static_cast<std::size_t>(w.size());
      const Vector<Rational> p = temperatures.sharpened(w, a);
      const Rational rest = 1 - Rational(ties) * p.maxCoeff();
      const Rational bound = temperatures.share_below_the_ties(n, ties, power(ratio, a));
      EXPECT_EXACTLY(rest <= bound);
      EXPECT_EXACTLY(bound <= Rational(n - ties) / Rational(ties) * power(ratio, a));
    });
  });
}
//! [TemperatureLimits]

//! [TemperatureLimits: exact check]
TEST(TemperatureLimits, TheBoundIsReached) {
  check_statement(temperature_limits_mutants, [](const Temperatures& temperatures) {
    for (std::size_t n = 1; n <= 6; ++n)
      for (std::size_t k = 1; k <= n; ++k)
        for (const unsigned a : {1U, 2U, 5U}) {
          Vector<Rational> w = Vector<Rational>::Constant(static_cast<Index>(n), 2);
          w.head(static_cast<Index>(k)).setConstant(3);
          EXPECT_EXACTLY(temperatures.share_below_the_ties(n, k, power(Rational(2, 3), a)) ==
                         1 - Rational(k) * temperatures.sharpened(w, a)[0]);
        }
    enumerated(63);
  });
}
//! [TemperatureLimits: exact check]

TEST(TemperatureLimits, EachStepDividesWhatIsLeft) {
  check_statement(temperature_limits_mutants, [](const Temperatures& temperatures) {
    // With gap ln 2 and a = 1/τ: of three scores, two of them tied, 2^(−a)/2 at most is left.
    for (unsigned a = 1; a <= 64; ++a) {
      const Vector<Rational> p = temperatures.sharpened(integers({2, 1, 2}), a);
      EXPECT_EXACTLY(p[0] == p[2]);
      EXPECT_EXACTLY(p[1] / p[0] == 1 / power(2, a)) << "a = " << a;
      EXPECT_EXACTLY(Rational(1, 2) - p[0] < 1 / power(2, a + 1)) << "a = " << a;
    }
    enumerated(64);
  });
}

TEST(TemperatureLimits, HotWeightsAreNearlyUniform) {
  check_statement(temperature_limits_mutants, [](const Temperatures& temperatures) {
    for_all([&] {
      // Scores t·ln v at temperature t have the weights v, and v is near 1 when t is large.
      const Vector<Rational> v =
          any_exponentials(6).unaryExpr([](const Rational& x) { return Rational(1 + x / 100000); });
      const Rational ratio = v.maxCoeff() / v.minCoeff();
      const Vector<Rational> p = temperatures.sharpened(v, 1);
      const Interval<Rational> bounds =
          softmax_weight_bounds(static_cast<std::size_t>(v.size()), ratio);
      for (const Rational& weight : p) {
        EXPECT_EXACTLY(bounds.lower <= weight);
        EXPECT_EXACTLY(weight <= bounds.upper);
        EXPECT_EXACTLY(abs(Rational(v.size() * weight - 1)) <= ratio - 1);
      }
      EXPECT_EXACTLY(temperatures.sharpened(v, 0) ==
                     Vector<Rational>::Constant(v.size(), Rational(1, v.size())));
    });
  });
}

TEST(TemperatureLimits, RefusesWhatIsNoShare) {
  check_with_mutants(temperature_limits_mutants, [](const Temperatures& temperatures) {
    expect_refusal<std::domain_error>([&] { temperatures.share_below_the_ties(3, 0, 1); });
    expect_refusal<std::domain_error>([&] { temperatures.share_below_the_ties(3, 4, 1); });
    expect_refusal<std::domain_error>([&] { temperatures.share_below_the_ties(3, 1, 2); });
    expect_refusal<std::domain_error>([&] { temperatures.share_below_the_ties(3, 1, -1); });
  });
}

}  // namespace sqrtdk::properties::TemperatureLimits
