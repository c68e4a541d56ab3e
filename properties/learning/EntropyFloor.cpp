#include <sqrtdk/numbers/powers.hpp>

#include "properties/learning/fixture.hpp"

namespace sqrtdk::properties::EntropyFloor {

Rational power(const Rational& base, unsigned exponent) { return integer_power(base, exponent); }

/// Scores k ln 2 have the exponentials 2^k.
RationalVector exponentials(const RationalVector& k) {
  return k.unaryExpr([](const Rational& e) { return power(2, static_cast<unsigned>(e)); });
}

/// e^(MH) = Π (M/w)^w for whole w with sum M, which is a fraction although H is none.
Rational entropy_power(const RationalVector& w) {
  Rational product = 1;
  for (const Rational& x : w) product *= power(w.sum() / x, static_cast<unsigned>(x));
  return product;
}

/// The least whole number whose square is at least x: r√(n/(n − 1)) in units of ln 2, rounded up.
unsigned root_rounded_up(const Rational& x) {
  unsigned root = 0;
  while (Rational(root * root) < x) ++root;
  return root;
}

//! [EntropyFloor]
STATEMENT(EntropyFloor, NoEntropyIsBelowTheFloor) {
  for_all([&] {
    RationalVector k(*rc::gen::inRange(2, 7));
    for (Rational& exponent : k) exponent = *rc::gen::inRange(0, 6);
    const RationalVector w = exponentials(k);
    const unsigned lead = root_rounded_up(subject.squared_lead(k));
    const Rational least = subject.least_perplexity(k.size(), 1 / power(2, lead));
    EXPECT_EXACTLY(entropy_power(w) >= power(least, static_cast<unsigned>(w.sum())));
    EXPECT_EXACTLY(w.sum() / w.maxCoeff() >= least);
  });
}
//! [EntropyFloor]
KILLS("√(n − 1)/n in place of √(n/(n − 1))", {.squared_lead = [](auto& s) {
        const Rational n = s.size();
        return Rational(sqrtdk::squared_lead(s) * (n - 1) * (n - 1) / (n * n * n));
      }});
KILLS("the mean square in place of the sum of squares",
      {.squared_lead = [](auto& s) { return Rational(sqrtdk::squared_lead(s) / s.size()); }});

//! [EntropyFloor: exact check]
STATEMENT(EntropyFloor, OneHighTheOthersEqual) {
  for (Eigen::Index n = 2; n <= 6; ++n)
    for (unsigned a = 0; a <= 6; ++a) {
      RationalVector k = RationalVector::Constant(n, 3);
      k[n / 2] += a;
      const RationalVector w = exponentials(k);
      EXPECT_EXACTLY(subject.squared_lead(k) == a * a);
      EXPECT_EXACTLY(subject.least_perplexity(n, 1 / power(2, a)) == w.sum() / w.maxCoeff());
    }
  enumerated(35);
}
//! [EntropyFloor: exact check]
KILLS("the scores are not centred", {.squared_lead = [](auto& s) {
        return Rational(Rational(s.size(), s.size() - 1) * s.squaredNorm());
      }});
KILLS("n in place of n − 1", {.least_perplexity = [](Eigen::Index n, auto& b) {
        return sqrtdk::least_perplexity(n + 1, b);
      }});

STATEMENT(EntropyFloor, UnequalOthersCount) {
  // 3/2 of (1 + 0 + 1); the largest alone is 3/2 above the mean of the others.
  EXPECT_EXACTLY(subject.squared_lead(vector_of({2, 1, 0})) == 3);
}
KILLS("the lead of the largest alone", {.squared_lead = [](auto& s) {
        const Rational lead = s.maxCoeff() - (s.sum() - s.maxCoeff()) / (s.size() - 1);
        return Rational(lead * lead);
      }});

STATEMENT(EntropyFloor, TwoKeys) {
  // b = 1/4, weights 4/5 and 1/5: e^(5H) = 5⁵/4⁴, and the floor is ln 5/4.
  const Rational least = subject.least_perplexity(2, Rational(1, 4));
  EXPECT_EXACTLY(least == Rational(5, 4));
  EXPECT_EXACTLY(entropy_power(vector_of({4, 1})) == Rational(3125, 256));
  EXPECT_EXACTLY(power(least, 5) == Rational(3125, 1024));
}
KILLS("the top key is forgotten", {.least_perplexity = [](Eigen::Index n, auto& b) {
        return Rational(sqrtdk::least_perplexity(n, b) - 1);
      }});

ASIDE(EntropyFloor, MaskedKeysDoNotCount) {
  // Of two keys one is masked: H = 0. For the one score that is left, r = 0 and b = 1.
  EXPECT_EXACTLY(entropy_power(vector_of({1})) == 1);
  EXPECT_EXACTLY(subject.least_perplexity(2, 1) == 2);
  counterexample_without("visible keys");
}
KILLS("masked keys get no floor", {.least_perplexity = [](Eigen::Index n, auto& b) {
        return b == 1 ? Rational(1) : sqrtdk::least_perplexity(n, b);
      }});

ASIDE(EntropyFloor, RefusesWhatHasNoFloor) {
  expect_refusal<std::invalid_argument>([&] { subject.squared_lead(vector_of({1})); });
  expect_refusal<std::domain_error>([&] { subject.least_perplexity(1, 1); });
  expect_refusal<std::domain_error>([&] { subject.least_perplexity(2, 0); });
  expect_refusal<std::domain_error>([&] { subject.least_perplexity(2, 2); });
}
KILLS("a single key is accepted", {.squared_lead = [](auto& s) {
        return s.size() < 2 ? Rational(0) : sqrtdk::squared_lead(s);
      }});

}  // namespace sqrtdk::properties::EntropyFloor
