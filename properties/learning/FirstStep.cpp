#include "properties/learning/fixture.hpp"

namespace sqrtdk::properties::FirstStep {

/// The change without its term in η², from the changes at two rates.
RationalVector linear_part(const LearnedRow& l, const RationalVector& g, const Rational& r,
                           StepRule rule) {
  return (sqrtdk::score_changes(l, g, r, rule) - sqrtdk::score_changes(l, g, -r, rule)) / 2;
}

//! [FirstStep]
STATEMENT(FirstStep, TheChangeIsThatOfTheStep) {
  for_all([&] {
    const Eigen::Index d = *rc::gen::inRange(1, 5);
    const Eigen::Index n = *rc::gen::inRange(1, 4);
    LearnedRow row{any_matrix(d, 2), any_matrix(d, 3), any_matrix(2, 1), any_matrix(3, n),
                   *any_rational().as("c")};
    const RationalVector slopes = any_matrix(n, 1);
    const Rational rate = *any_rational().as("η");
    for (const StepRule rule : {StepRule::descent, StepRule::sign}) {
      if (rule == StepRule::sign) row.scale = abs(row.scale);
      EXPECT_EXACTLY(learned_scores(subject.after_step(row, slopes, rate, rule)) ==
                     learned_scores(row) + subject.score_changes(row, slopes, rate, rule));
    }
  });
}
//! [FirstStep]
KILLS("the term in η² is dropped", {.score_changes = linear_part});
KILLS("squared norms in the step of signs",
      {.score_changes = [](auto& l, auto& g, auto& rate, StepRule rule) {
        if (rule == StepRule::descent) return sqrtdk::score_changes(l, g, rate, rule);
        return sqrtdk::score_changes(l, sqrtdk::detail::signs(g) / l.scale, rate,
                                     StepRule::descent);
      }});

//! [FirstStep: exact check]
STATEMENT(FirstStep, WorkedSteps) {
  const auto expect_changes = [&](const LearnedRow& row, const RationalVector& slopes,
                                  StepRule rule, const RationalVector& changes) {
    const Rational rate(1, 8);
    EXPECT_EXACTLY(subject.score_changes(row, slopes, rate, rule) == changes);
    EXPECT_EXACTLY(learned_scores(subject.after_step(row, slopes, rate, rule)) ==
                   learned_scores(row) + changes);
  };
  const LearnedRow one = signs_of_size_one(4, Rational(1, 2), false);
  expect_changes(one, vector_of({1}), StepRule::descent, vector_of({Rational(-31, 128)}));
  expect_changes(one, vector_of({1}), StepRule::sign, vector_of({Rational(-15, 32)}));
  // q = (1, 2) and keys (1, 1), (3, 3): K̄ = (−1, −1), X̄ = −1.
  const LearnedRow two{vector_of({1, 2}), vector_of({1, 1}), vector_of({1}),
                       vector_of({1, 3}).transpose(), Rational(1, 2)};
  expect_changes(two, vector_of({2, -1}), StepRule::descent,
                 vector_of({Rational(115, 512), Rational(345, 512)}));
  expect_changes(two, vector_of({2, -1}), StepRule::sign,
                 vector_of({Rational(21, 64), Rational(63, 64)}));
}
//! [FirstStep: exact check]
KILLS("the change of one matrix only",
      {.after_step = [](auto& l, auto& g, auto& rate, StepRule rule) {
        LearnedRow stepped = sqrtdk::after_step(l, g, rate, rule);
        stepped.key_weights = l.key_weights;
        return stepped;
      }});
KILLS("the keys follow the queries that have been stepped",
      {.after_step = [](auto& l, auto& g, auto& rate, StepRule rule) {
        LearnedRow stepped = l;
        stepped.query_weights = sqrtdk::after_step(l, g, rate, rule).query_weights;
        stepped.key_weights = sqrtdk::after_step(stepped, g, rate, rule).key_weights;
        return stepped;
      }});

STATEMENT(FirstStep, TheDivisorDependsOnTheRule) {
  for (const int root : {2, 4, 8}) {
    const int d = root * root;
    const auto change = [&](int divisor, StepRule rule) {
      const LearnedRow row = two_opposite_keys(d, Rational(1, divisor));
      const RationalVector changes =
          subject.score_changes(row, vector_of({1, -1}), Rational(1, 8), rule);
      EXPECT_EXACTLY(changes[1] == -changes[0]);
      const Rational value = changes[0];
      const std::string name = rule == StepRule::sign ? "sign" : "descent";
      record_value(name + (divisor == d ? "_by_d_at_" : "_by_root_at_") + std::to_string(d),
                   to_text(value));
      return value;
    };
    EXPECT_EXACTLY(change(root, StepRule::descent) == Rational(-1, 2));
    EXPECT_EXACTLY(change(root, StepRule::sign) == Rational(-root, 4));
    EXPECT_EXACTLY(change(d, StepRule::descent) == Rational(-1, 2 * d));
    EXPECT_EXACTLY(change(d, StepRule::sign) == Rational(-1, 4));
  }
  enumerated(12);
}
KILLS("c in place of c²", {.score_changes = [](auto& l, auto& g, auto& rate, StepRule rule) {
        const RationalVector changes = sqrtdk::score_changes(l, g, rate, rule);
        return rule == StepRule::descent ? RationalVector(changes / l.scale) : changes;
      }});

ASIDE(FirstStep, AScaleBelowZeroTurnsTheSigns) {
  const LearnedRow row = signs_of_size_one(1, -1, false);
  const LearnedRow stepped =
      subject.after_step(row, vector_of({1}), Rational(1, 8), StepRule::sign);
  const RationalVector change = learned_scores(stepped) - learned_scores(row);
  const Rational formula = Rational(2, 8) - Rational(1, 64);  // with c = −1 put in
  EXPECT_EXACTLY(change[0] == Rational(-17, 64));
  EXPECT_EXACTLY(change[0] != formula);
  counterexample_without("scale at least 0");
}
KILLS("signs of the factors without that of c",
      {.after_step = [](auto& l, auto& g, auto& rate, StepRule rule) {
        return sqrtdk::after_step(l, rule == StepRule::sign ? RationalVector(g / l.scale) : g, rate,
                                  rule);
      }});

ASIDE(FirstStep, TwoQueriesAreNotSteppedLikeOne) {
  const LearnedRow first = signs_of_size_one(1, 1, false);
  LearnedRow second = first;
  second.query_token *= Rational(2);
  // The gradients of W_Q and W_K, which a descent of rate 1 takes away.
  const auto gradient = [&](const LearnedRow& row, int slope) {
    const LearnedRow stepped = subject.after_step(row, vector_of({slope}), 1, StepRule::descent);
    return vector_of({row.query_weights(0) - stepped.query_weights(0),
                      row.key_weights(0) - stepped.key_weights(0)});
  };
  // The loss s₁ − s₂ of two queries that share both matrices and a key.
  EXPECT_EXACTLY(gradient(first, 1) == vector_of({1, 1}));
  EXPECT_EXACTLY(gradient(second, -1) == vector_of({-2, -2}));
  const RationalVector both = gradient(first, 1) + gradient(second, -1);
  for (const StepRule rule : {StepRule::descent, StepRule::sign}) {
    const RationalVector step =
        rule == StepRule::sign ? RationalVector(sqrtdk::detail::signs(both)) : both;
    LearnedRow stepped = first;
    stepped.query_weights(0) -= step[0] / 8;
    stepped.key_weights(0) -= step[1] / 8;
    EXPECT_EXACTLY(learned_scores(stepped)[0] > learned_scores(first)[0]);
    const LearnedRow alone = subject.after_step(first, vector_of({1}), Rational(1, 8), rule);
    EXPECT_EXACTLY(learned_scores(alone)[0] < learned_scores(first)[0]);
  }
  counterexample_without("one query");
}
KILLS("the size of the slope in place of the slope",
      {.after_step = [](auto& l, auto& g, auto& rate, StepRule rule) {
        return sqrtdk::after_step(l, g.cwiseAbs(), rate, rule);
      }});

ASIDE(FirstStep, AScaleBelowZeroIsRefused) {
  const RationalVector slope = vector_of({1});
  expect_refusal<std::domain_error>(
      [&] { subject.score_changes(signs_of_size_one(1, -1, false), slope, 1, StepRule::sign); });
  LearnedRow unfit = signs_of_size_one(2, 1, false);
  const auto refused = [&](const RationalVector& slopes) {
    expect_refusal<std::invalid_argument>(
        [&] { subject.score_changes(unfit, slopes, 1, StepRule::sign); });
    expect_refusal<std::invalid_argument>(
        [&] { subject.after_step(unfit, slopes, 1, StepRule::descent); });
  };
  refused(vector_of({1, 1}));
  unfit.key_weights = RationalMatrix::Ones(3, 1);
  refused(slope);
}
KILLS("a scale below 0 is taken for its size",
      {.score_changes = [](auto& l, auto& g, auto& rate, StepRule rule) {
        LearnedRow positive = l;
        if (l.scale < 0) positive.scale = -l.scale;
        return sqrtdk::score_changes(positive, g, rate, rule);
      }});

}  // namespace sqrtdk::properties::FirstStep
