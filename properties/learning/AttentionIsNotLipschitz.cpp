#include "properties/learning/fixture.hpp"

namespace sqrtdk::properties::AttentionIsNotLipschitz {

using Eigen::Index;

/// The point of differentiation; weights are positive fractions, not exponentials.
struct Place {
  RationalMatrix tokens;
  RationalVector exponentials;
  Rational scale;
  Index query, moved;
  RationalVector direction;

  RationalVector weights() const { return exponentials / exponentials.sum(); }
};

Place any_place() {
  const Index n = *rc::gen::inRange(1, 5);
  const Index entries = *rc::gen::inRange(1, 4);
  Place place{any_matrix(entries, n),
              any_matrix(n, 1).cwiseAbs(),
              Rational(1, *rc::gen::inRange(1, 9)),
              *rc::gen::inRange(Index(0), n),
              *rc::gen::inRange(Index(0), n),
              any_matrix(entries, 1)};
  place.exponentials.array() += Rational(1, 3);
  return place;
}

/// The derivative of (Σ e^s x)/(Σ e^s) by the quotient rule.
RationalVector by_the_quotient_rule(const Place& at) {
  RationalVector slopes = RationalVector::Zero(at.tokens.cols());
  for (Index k = 0; k < slopes.size(); ++k) {
    if (at.query == at.moved) slopes[k] += at.scale * at.tokens.col(k).dot(at.direction);
    if (k == at.moved) slopes[k] += at.scale * at.tokens.col(at.query).dot(at.direction);
  }
  const RationalVector changes = at.exponentials.cwiseProduct(slopes);
  const RationalVector above = at.tokens * at.exponentials;
  const RationalVector above_slope = at.tokens * changes + at.exponentials[at.moved] * at.direction;
  const Rational below = at.exponentials.sum();
  return (above_slope * below - above * changes.sum()) / (below * below);
}

RationalVector derivative(const Subject& subject, const Place& at) {
  return subject.attention_derivative(at.tokens, at.weights(), at.scale, at.query, at.moved,
                                      at.direction);
}

/// n − 1 tokens 0 and a last one, a; the first moves, and all its weights are 1/n.
Place zero_and(const Rational& a, Index n = 2) {
  RationalMatrix tokens = RationalMatrix::Zero(1, n);
  tokens(n - 1) = a;
  return {tokens, RationalVector::Ones(n), Rational(1, 8), 0, 0, vector_of({1})};
}

//! [AttentionIsNotLipschitz]
STATEMENT(AttentionIsNotLipschitz, TheDerivativeIsThatOfTheQuotient) {
  for_all([&] {
    const Place at = any_place();
    EXPECT_EXACTLY(derivative(subject, at) == by_the_quotient_rule(at));
  });
}
//! [AttentionIsNotLipschitz]
KILLS("the token moves as a key only, not as a value",
      {.attention_derivative = [](auto& x, auto& p, auto& c, auto i, auto j, auto& v) {
        return RationalVector(sqrtdk::attention_derivative(x, p, c, i, j, v) - p[j] * v);
      }});
KILLS("a token moves the scores of its own query only",
      {.attention_derivative = [](auto& x, auto& p, auto& c, auto i, auto j, auto& v) {
        return sqrtdk::attention_derivative(x, p, i == j ? c : Rational(0), i, j, v);
      }});

//! [AttentionIsNotLipschitz: exact check]
STATEMENT(AttentionIsNotLipschitz, TokensZeroAndA) {
  EXPECT_EXACTLY(derivative(subject, zero_and(4)) == vector_of({1}));
  EXPECT_EXACTLY(derivative(subject, zero_and(100)) == vector_of({313}));
  for (Index n = 2; n < 6; ++n)
    for (int a = 0; a < 50; ++a)
      EXPECT_EXACTLY(derivative(subject, zero_and(a, n)) ==
                     vector_of({Rational(1, n) + Rational(1, 8) * a * a * (n - 1) / (n * n)}));
  // Tokens 1 and 3 with weights 3/4 and 1/4, by hand: the first, which moves, has f = 3/2. Its
  // slope is p₁ + c p₁(x₁ − f)x₁ + c Σp(x − f)x = 3/4 − 3/64 + 6/64.
  const Place at{RationalMatrix(vector_of({1, 3}).transpose()),
                 vector_of({3, 1}),
                 Rational(1, 8),
                 0,
                 0,
                 vector_of({1})};
  EXPECT_EXACTLY(derivative(subject, at) == vector_of({Rational(51, 64)}));
  EXPECT_EXACTLY(subject.attention_slope_bound(Rational(1, 8), 4) == Rational(7, 4));
}
//! [AttentionIsNotLipschitz: exact check]
KILLS("c² in place of c",
      {.attention_derivative = [](auto& x, auto& p, auto& c, auto i, auto j, auto& v) {
        return sqrtdk::attention_derivative(x, p, c * c, i, j, v);
      }});
KILLS("the variance of a sample, over n − 1",
      {.attention_derivative = [](auto& x, auto& p, auto& c, auto i, auto j, auto& v) {
        return sqrtdk::attention_derivative(x, p, c * Rational(x.cols(), x.cols() - 1), i, j, v);
      }});
KILLS("twice the bound", {.attention_slope_bound = [](auto& c, auto& r) {
        return sqrtdk::attention_slope_bound(2 * c, r);
      }});

STATEMENT(AttentionIsNotLipschitz, BoundedTokensBoundTheDerivative) {
  for_all([&] {
    const Place at = any_place();
    const Rational r2 = at.tokens.colwise().squaredNorm().maxCoeff();
    const Rational bound = subject.attention_slope_bound(at.scale, r2);
    EXPECT_EXACTLY(derivative(subject, at).squaredNorm() <=
                   bound * bound * at.direction.squaredNorm());
  });
}
KILLS("the bound does not grow with the tokens",
      {.attention_slope_bound = [](auto&, auto&) { return Rational(1); }});

ASIDE(AttentionIsNotLipschitz, NoBoundHoldsForAllTokens) {
  for (Rational bound = 1; bound < 1'000'000; bound *= 4) {
    // a²/32 alone exceeds the bound if a = 6 bound.
    const RationalVector slope = derivative(subject, zero_and(6 * bound));
    EXPECT_EXACTLY(slope[0] > bound);
  }
  counterexample_without("bounded tokens");
}
KILLS("the tokens do not matter",
      {.attention_derivative = [](auto& x, auto& p, auto&, auto i, auto j, auto& v) {
        return sqrtdk::attention_derivative(x, p, 0, i, j, v);
      }});

ASIDE(AttentionIsNotLipschitz, LayerNormNeedsEpsilon) {
  // Features t and −t: (y/t)² = 1/(t² + ε).
  const auto squared_slope = [&](const Rational& t, const Rational& epsilon) {
    const StandardizedFeatures y = subject.standardize({t, -t}, epsilon);
    return Rational(y.centred[0] * y.centred[0] / y.squared_divisor / (t * t));
  };
  const Rational epsilon(1, 1000000);
  for (Rational t = 1; t > Rational(1, 1'000'000); t /= 10) {
    EXPECT_EXACTLY(squared_slope(t, epsilon) < 1 / epsilon);
    EXPECT_EXACTLY(squared_slope(t, 0) == 1 / (t * t));
  }
  EXPECT_EXACTLY(squared_slope(Rational(1, 1000), epsilon) == 1 / (2 * epsilon));
}
KILLS("ε is left out", {.standardize = [](auto& x, auto&) { return sqrtdk::standardize(x, 0); }});

ASIDE(AttentionIsNotLipschitz, RefusesWhatDoesNotFit) {
  const Place good = zero_and(1);
  const auto refused = [&](const auto& spoil) {
    Place bad = good;
    spoil(bad);
    expect_refusal<std::invalid_argument>([&] { derivative(subject, bad); });
  };
  refused([](Place& at) { at.exponentials = vector_of({1}); });
  refused([](Place& at) { at.direction = vector_of({1, 1}); });
  refused([](Place& at) { at.query = 2; });
  expect_refusal<std::domain_error>([&] { subject.attention_slope_bound(-1, 1); });
  expect_refusal<std::domain_error>([&] { subject.attention_slope_bound(1, -1); });
}
KILLS("a negative scale is accepted", {.attention_slope_bound = [](auto& c, auto& r) {
        return sqrtdk::attention_slope_bound(abs(c), r);
      }});

}  // namespace sqrtdk::properties::AttentionIsNotLipschitz
