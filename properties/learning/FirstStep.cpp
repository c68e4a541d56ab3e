// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/learning.hpp>
#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/testing/generators/rational_distributions.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>
#include <sqrtdk/testing/reporting/expect_refusal.hpp>

#include "properties/learning/fixture.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <stdexcept>
#include <string>

namespace sqrtdk::properties::FirstStep {

using namespace sqrtdk::testing;

/// The change without its term in η², from the changes at two rates.
Rational linear_part(const LearnedScore& l, const Rational& slope, const Rational& r,
                     StepRule rule) {
  return (sqrtdk::score_change(l, slope, r, rule) - sqrtdk::score_change(l, slope, -r, rule)) / 2;
}

/// Tokens of one entry 1, and W_Q = q, W_K = k: d entries of size 1, with q·k = 0 or d.
LearnedScore signs_of_size_one(Eigen::Index d, const Rational& scale, bool orthogonal) {
  const RationalMatrix ones = RationalMatrix::Ones(d, 1);
  RationalMatrix key = ones;
  if (orthogonal) key.topRows(d / 2) *= Rational(-1);
  return {ones, key, vector_of({1}), vector_of({1}), scale};
}

const Mutants first_step_mutants = {
    {"the term in η² is dropped", "TheChangeIsThatOfTheStep", {.score_change = linear_part}},
    {"the change of one matrix only",
     "WorkedSteps",
     {.after_step =
          [](const LearnedScore& l, const Rational& slope, const Rational& rate, StepRule rule) {
            LearnedScore stepped = sqrtdk::after_step(l, slope, rate, rule);
            stepped.key_weights = l.key_weights;
            return stepped;
          }}},
    {"c in place of c²",
     "TheDivisorDependsOnTheRule",
     {.score_change =
          [](const LearnedScore& l, const Rational& slope, const Rational& rate, StepRule rule) {
            const Rational change = sqrtdk::score_change(l, slope, rate, rule);
            return rule == StepRule::descent ? Rational(change / l.scale) : change;
          }}},
    {"squared norms in the step of signs",
     "TheChangeIsThatOfTheStep",
     {.score_change =
          [](const LearnedScore& l, const Rational& slope, const Rational& rate, StepRule rule) {
            if (rule == StepRule::descent) return sqrtdk::score_change(l, slope, rate, rule);
            return sqrtdk::score_change(l, Rational(slope.sign()) / l.scale, rate,
                                        StepRule::descent);
          }}},
    {"the keys follow the queries that have been stepped",
     "WorkedSteps",
     {.after_step =
          [](const LearnedScore& l, const Rational& slope, const Rational& rate, StepRule rule) {
            LearnedScore stepped = l;
            stepped.query_weights = sqrtdk::after_step(l, slope, rate, rule).query_weights;
            stepped.key_weights = sqrtdk::after_step(stepped, slope, rate, rule).key_weights;
            return stepped;
          }}},
    {"a scale below 0 is taken for its size",
     "AScaleBelowZeroIsRefused",
     {.score_change =
          [](const LearnedScore& l, const Rational& slope, const Rational& rate, StepRule rule) {
            LearnedScore positive = l;
            if (l.scale < 0) positive.scale = -l.scale;
            return sqrtdk::score_change(positive, slope, rate, rule);
          }}},
    {"the size of the slope in place of the slope",
     "TwoScoresAreNotSteppedLikeOne",
     {.after_step = [](const LearnedScore& l, const Rational& slope, const Rational& rate,
                       StepRule rule) { return sqrtdk::after_step(l, abs(slope), rate, rule); }}},
    {"signs of the factors without that of c",
     "AScaleBelowZeroTurnsTheSigns",
     {.after_step =
          [](const LearnedScore& l, const Rational& slope, const Rational& rate, StepRule rule) {
            return sqrtdk::after_step(l, rule == StepRule::sign ? slope / l.scale : slope, rate,
                                      rule);
          }}},
};

//! [FirstStep]
TEST(FirstStep, TheChangeIsThatOfTheStep) {
  check_statement(first_step_mutants, [](const Learning& learning) {
    for_all([&] {
      const Eigen::Index d = *rc::gen::inRange(1, 5);
      const LearnedScore layer{any_matrix(d, 2), any_matrix(d, 3), any_matrix(2, 1),
                               any_matrix(3, 1), Rational(1, *rc::gen::inRange(1, 9))};
      const Rational slope = *any_rational().as("δ");
      const Rational rate = *any_rational().as("η");
      for (const StepRule rule : {StepRule::descent, StepRule::sign})
        EXPECT_EXACTLY(learned_score(learning.after_step(layer, slope, rate, rule)) ==
                       learned_score(layer) + learning.score_change(layer, slope, rate, rule));
    });
  });
}
//! [FirstStep]

//! [FirstStep: exact check]
TEST(FirstStep, WorkedSteps) {
  check_statement(first_step_mutants, [](const Learning& learning) {
    const LearnedScore equal = signs_of_size_one(4, Rational(1, 2), false);
    const Rational rate(1, 8);
    const auto change = [&](StepRule rule) {
      return learned_score(learning.after_step(equal, 1, rate, rule)) - learned_score(equal);
    };
    EXPECT_EXACTLY(change(StepRule::descent) == Rational(-1, 4) + Rational(1, 128));
    EXPECT_EXACTLY(change(StepRule::sign) == Rational(-1, 2) + Rational(1, 32));
    EXPECT_EXACTLY(learning.score_change(equal, 1, rate, StepRule::descent) == Rational(-31, 128));
    EXPECT_EXACTLY(learning.score_change(equal, 1, rate, StepRule::sign) == Rational(-15, 32));
  });
}
//! [FirstStep: exact check]

TEST(FirstStep, TheDivisorDependsOnTheRule) {
  check_statement(first_step_mutants, [](const Learning& learning) {
    for (const int root : {2, 4, 8}) {
      const int d = root * root;
      const auto change = [&](int divisor, StepRule rule) {
        const LearnedScore layer = signs_of_size_one(d, Rational(1, divisor), true);
        const Rational value = learning.score_change(layer, 1, Rational(1, 8), rule);
        const std::string name = rule == StepRule::sign ? "sign" : "descent";
        record_value(name + (divisor == d ? "_by_d_at_" : "_by_root_at_") + std::to_string(d),
                     to_text(value));
        return value;
      };
      EXPECT_EXACTLY(change(root, StepRule::descent) == Rational(-1, 4));
      EXPECT_EXACTLY(change(root, StepRule::sign) == Rational(-root, 4));
      EXPECT_EXACTLY(change(d, StepRule::descent) == Rational(-1, 4 * d));
      EXPECT_EXACTLY(change(d, StepRule::sign) == Rational(-1, 4));
    }
    enumerated(12);
  });
}

TEST(FirstStep, AScaleBelowZeroTurnsTheSigns) {
  check_with_mutants(first_step_mutants, [](const Learning& learning) {
    const LearnedScore layer = signs_of_size_one(1, -1, false);
    const Rational after =
        learned_score(learning.after_step(layer, 1, Rational(1, 8), StepRule::sign));
    EXPECT_EXACTLY(after - learned_score(layer) == Rational(-17, 64));
    const Rational formula = Rational(2, 8) - Rational(1, 64);  // with c = −1 put in
    EXPECT_EXACTLY(after - learned_score(layer) != formula);
    counterexample_without("positive scale");
  });
}

TEST(FirstStep, TwoScoresAreNotSteppedLikeOne) {
  check_with_mutants(first_step_mutants, [](const Learning& learning) {
    LearnedScore first = signs_of_size_one(1, 1, false);
    LearnedScore second = first;
    second.query_token *= Rational(2);
    const auto gradient = [&](const LearnedScore& layer, int slope) {
      const LearnedScore stepped = learning.after_step(layer, slope, 1, StepRule::descent);
      return Rational(layer.query_weights(0) - stepped.query_weights(0));
    };
    // The loss s₁ − s₂ of two queries that share W_Q and a key: its step raises W_Q, that for s₁ alone lowers it.
    EXPECT_EXACTLY(gradient(first, 1) == 1);
    EXPECT_EXACTLY(gradient(second, -1) == -2);
    EXPECT_EXACTLY(gradient(first, 1) + gradient(second, -1) < 0);
    counterexample_without("one score");
  });
}

TEST(FirstStep, AScaleBelowZeroIsRefused) {
  check_with_mutants(first_step_mutants, [](const Learning& learning) {
    expect_refusal<std::domain_error>(
        [&] { learning.score_change(signs_of_size_one(1, -1, false), 1, 1, StepRule::sign); });
    LearnedScore unfit = signs_of_size_one(2, 1, false);
    unfit.key_weights = RationalMatrix::Ones(3, 1);
    expect_refusal<std::invalid_argument>(
        [&] { learning.score_change(unfit, 1, 1, StepRule::sign); });
    expect_refusal<std::invalid_argument>(
        [&] { learning.after_step(unfit, 1, 1, StepRule::descent); });
  });
}

}  // namespace sqrtdk::properties::FirstStep
