#include <sqrtdk/scale.hpp>

#include "properties/temperature/fixture.hpp"

namespace sqrtdk::properties::TemperatureLimits {

//! [TemperatureLimits]
STATEMENT(TemperatureLimits, TheLargestScoresShareWhatIsLeft) {
  for_all([&] {
    const Vector<Rational> w = any_exponentials(7);
    const unsigned a = *rc::gen::inRange(0U, 20U).as("1/τ");
    const auto [ties, ratio] = ties_and_ratio(w);
    const std::size_t n = static_cast<std::size_t>(w.size());
    const Vector<Rational> p = subject.sharpened(w, a);
    const Rational rest = 1 - Rational(ties) * p.maxCoeff();
    const Rational bound = subject.share_below_the_ties(n, ties, power(ratio, a));
    EXPECT_EXACTLY(rest <= bound);
    EXPECT_EXACTLY(bound <= Rational(n - ties) / Rational(ties) * power(ratio, a));
  });
}
//! [TemperatureLimits]
KILLS("one tie too many is counted", {.share_below_the_ties = [](auto n, auto k, auto& r) {
        return sqrtdk::share_below_the_ties(n, std::min<std::size_t>(n, k + 1), r);
      }});
KILLS("the ratio counts once for all", {.share_below_the_ties = [](auto n, auto k, auto& r) {
        return sqrtdk::share_below_the_ties(std::min(n, k + 1), k, r);
      }});

//! [TemperatureLimits: exact check]
STATEMENT(TemperatureLimits, TheBoundIsReached) {
  for (std::size_t n = 1; n <= 6; ++n)
    for (std::size_t k = 1; k <= n; ++k)
      for (const unsigned a : {1U, 2U, 5U}) {
        Vector<Rational> w = Vector<Rational>::Constant(static_cast<Index>(n), 2);
        w.head(static_cast<Index>(k)).setConstant(3);
        EXPECT_EXACTLY(subject.share_below_the_ties(n, k, power(Rational(2, 3), a)) ==
                       1 - Rational(k) * subject.sharpened(w, a)[0]);
      }
  enumerated(63);
}
//! [TemperatureLimits: exact check]
KILLS("the bound is doubled", {.share_below_the_ties = [](auto n, auto k, auto& r) {
        return 2 * sqrtdk::share_below_the_ties(n, k, r);
      }});

STATEMENT(TemperatureLimits, EachStepDividesWhatIsLeft) {
  // With gap ln 2 and a = 1/τ: of three scores, two of them tied, 2^(−a)/2 at most is left.
  for (unsigned a = 1; a <= 64; ++a) {
    const Vector<Rational> p = subject.sharpened(integers({2, 1, 2}), a);
    EXPECT_EXACTLY(p[0] == p[2]);
    EXPECT_EXACTLY(p[1] / p[0] == 1 / power(2, a)) << "a = " << a;
    EXPECT_EXACTLY(Rational(1, 2) - p[0] < 1 / power(2, a + 1)) << "a = " << a;
  }
  enumerated(64);
}
KILLS("below a third the temperature has no effect", {.sharpened = [](auto& w, unsigned power) {
        return Vector<Rational>(sharpened_weights(w, std::min(power, 3U)));
      }});

STATEMENT(TemperatureLimits, HotWeightsAreNearlyUniform) {
  for_all([&] {
    // Scores t·ln v at temperature t have the weights v, and v is near 1 when t is large.
    const Vector<Rational> v =
        any_exponentials(6).unaryExpr([](const Rational& x) { return Rational(1 + x / 100000); });
    const Rational ratio = v.maxCoeff() / v.minCoeff();
    const Vector<Rational> p = subject.sharpened(v, 1);
    const Interval<Rational> bounds =
        softmax_weight_bounds(static_cast<std::size_t>(v.size()), ratio);
    for (const Rational& weight : p) {
      EXPECT_EXACTLY(bounds.lower <= weight);
      EXPECT_EXACTLY(weight <= bounds.upper);
      EXPECT_EXACTLY(abs(Rational(v.size() * weight - 1)) <= ratio - 1);
    }
    EXPECT_EXACTLY(subject.sharpened(v, 0) ==
                   Vector<Rational>::Constant(v.size(), Rational(1, v.size())));
  });
}
KILLS("a heated softmax forgets a key", {.sharpened = [](auto& w, unsigned power) {
        Vector<Rational> p = sharpened_weights(w, power);
        if (power <= 1 && p.size() > 1) {
          p[1] += p[0];
          p[0] = 0;
        }
        return p;
      }});

ASIDE(TemperatureLimits, RefusesWhatIsNoShare) {
  expect_refusal<std::domain_error>([&] { subject.share_below_the_ties(3, 0, 1); });
  expect_refusal<std::domain_error>([&] { subject.share_below_the_ties(3, 4, 1); });
  expect_refusal<std::domain_error>([&] { subject.share_below_the_ties(3, 1, 2); });
  expect_refusal<std::domain_error>([&] { subject.share_below_the_ties(3, 1, -1); });
}
KILLS("no ties at all are accepted", {.share_below_the_ties = [](auto n, auto k, auto& r) {
        return k == 0 ? Rational(1) : sqrtdk::share_below_the_ties(n, k, r);
      }});
KILLS("a ratio above 1 is accepted", {.share_below_the_ties = [](auto n, auto k, auto& r) {
        return r > 1 ? Rational(1) : sqrtdk::share_below_the_ties(n, k, r);
      }});

}  // namespace sqrtdk::properties::TemperatureLimits
