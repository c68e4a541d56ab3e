#include <sqrtdk/numbers/exp_interval.hpp>

#include "properties/variants/fixture.hpp"

namespace sqrtdk::properties::SoftCap {

using Bounds = Interval<Rational>;

struct Subject {
  Bounds (*capped)(const Rational&, const Rational&) = sqrtdk::soft_cap;
  Bounds (*weight_bound)(const Rational&, unsigned) = sqrtdk::capped_weight_bound;
};

Rational drawn_score(const char* name) {
  return Rational(*rc::gen::resize(rc::kNominalSize, rc::gen::inRange(-96, 97)).as(name), 8);
}

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
Rational first_weight(const Subject& subject, const std::vector<Rational>& scores,
                      const Rational& t) {
  const Rational own = growth(subject.capped(scores[0], t)).upper;
  Rational others = 0;
  for (std::size_t j = 1; j < scores.size(); ++j)
    others += growth(subject.capped(scores[j], t)).lower;
  return own / (own + others);
}

//! [SoftCap]
STATEMENT(SoftCap, CappedScoresStayBelowTheScoreAndTheCap) {
  for_all([&] {
    const Rational s = drawn_score("s"), t = drawn_cap();
    const Bounds capped = subject.capped(s, t);
    if (s == 0) {
      EXPECT_EXACTLY((capped.lower == 0 && capped.upper == 0));
    } else {
      EXPECT_EXACTLY((s > 0 ? capped.lower : -capped.upper) > 0);
      EXPECT_EXACTLY((s > 0 ? capped.upper : -capped.lower) < std::min<Rational>(abs(s), t));
    }
  });
  // For a large cap scores are nearly what they were: t·tanh(s/t) > s − s³/3t².
  EXPECT_EXACTLY(subject.capped(3, 30).lower > 3 - Rational(27, 3 * 900));
}
KILLS("a hard cap", {.capped = [](auto& s, auto& t) -> Bounds {
        const Rational hard = std::clamp<Rational>(s, -t, t);
        return {hard, hard};
      }});
KILLS("the sign is lost", {.capped = [](auto& s, auto& t) { return soft_cap(abs(s), t); }});

STATEMENT(SoftCap, NoWeightReachesTheBoundOfTheRange) {
  const auto check = [&](const std::vector<Rational>& scores, const Rational& t) {
    const auto n = static_cast<unsigned>(scores.size());
    EXPECT_EXACTLY(first_weight(subject, scores, t) < subject.weight_bound(t, n).lower);
  };
  for_all(
      [&] {
        const Rational t = drawn_cap();
        check({drawn_score("s1"), drawn_score("s2"), drawn_score("s3")}, t);
      },
      40);
  check({20, -20, -20}, 2);  // 1 − tanh 10 < 10^−8
  enumerated(1);
}
KILLS("the range is t",
      {.weight_bound = [](auto& t, unsigned n) { return capped_weight_bound(t / 2, n); }});
KILLS("one key too many",
      {.weight_bound = [](auto& t, unsigned n) { return capped_weight_bound(t, n + 1); }});

//! [SoftCap]

//! [SoftCap: exact check]
STATEMENT(SoftCap, AtACapOfFifty) {
  const Bounds capped = subject.capped(50, 50);  // 50 tanh 1 = 38.0797…
  EXPECT_EXACTLY(Rational(380797, 10000) < capped.lower);
  EXPECT_EXACTLY(capped.upper < Rational(380798, 10000));
  // Even among 10^9 keys one weight may be nearly all.
  const Rational rest = 1 - subject.weight_bound(50, 1'000'000'000).lower;
  EXPECT_EXACTLY(rest * Rational(Integer("1" + std::string(34, '0'))) < 1);
  enumerated(3);
}
//! [SoftCap: exact check]
KILLS("capped by t·s/(t + s)", {.capped = [](auto& s, auto& t) -> Bounds {
        const Rational capped = t * s / (t + abs(s));
        return {capped, capped};
      }});

ASIDE(SoftCap, RefusesCapsOf0AndScoresThatAreTooFarAway) {
  expect_refusal<std::domain_error>([&] { return subject.capped(1, 0); });
  expect_refusal<std::domain_error>([&] { return subject.capped(1001, 1); });
  expect_refusal<std::domain_error>([&] { return subject.weight_bound(0, 1); });
  expect_refusal<std::domain_error>([&] { return subject.weight_bound(1001, 1); });
  expect_refusal<std::domain_error>([&] { return subject.weight_bound(1, 0); });
}
KILLS("any cap is taken",
      {.capped = [](auto& s, auto& t) { return soft_cap(s / 2000, abs(t) + 1); }});

}  // namespace sqrtdk::properties::SoftCap
