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
RationalVector linear_part(const LearnedRow& l, const RationalVector& g, const Rational& r,
                           StepRule rule) {
  return (sqrtdk::score_changes(l, g, r, rule) - sqrtdk::score_changes(l, g, -r, rule)) / 2;
}

const Mutants first_step_mutants = {
    {"the term in η² is dropped", "TheChangeIsThatOfTheStep", {.score_changes = linear_part}},
    {"the change of one matrix only",
     "WorkedSteps",
     {.after_step =
          [](const LearnedRow& l, const RationalVector& g, const Rational& rate, StepRule rule) {
            LearnedRow stepped = sqrtdk::after_step(l, g, rate, rule);
            stepped.key_weights = l.key_weights;
            return stepped;
          }}},
    {"c in place of c²",
     "TheDivisorDependsOnTheRule",
     {.score_changes =
          [](const LearnedRow& l, const RationalVector& g, const Rational& rate, StepRule rule) {
            const RationalVector changes = sqrtdk::score_changes(l, g, rate, rule);
            return rule == StepRule::descent ? RationalVector(changes / l.scale) : changes;
          }}},
    {"squared norms in the step of signs",
     "TheChangeIsThatOfTheStep",
     {.score_changes =
          [](const LearnedRow& l, const RationalVector& g, const Rational& rate, StepRule rule) {
            if (rule == StepRule::descent) return sqrtdk::score_changes(l, g, rate, rule);
            return sqrtdk::score_changes(l, sqrtdk::detail::signs(g) / l.scale, rate,
                                         StepRule::descent);
          }}},
    {"the keys follow the queries that have been stepped",
     "WorkedSteps",
     {.after_step =
          [](const LearnedRow& l, const RationalVector& g, const Rational& rate, StepRule rule) {
            LearnedRow stepped = l;
            stepped.query_weights = sqrtdk::after_step(l, g, rate, rule).query_weights;
            stepped.key_weights = sqrtdk::after_step(stepped, g, rate, rule).key_weights;
            return stepped;
          }}},
    {"a scale below 0 is taken for its size",
     "AScaleBelowZeroIsRefused",
     {.score_changes =
          [](const LearnedRow& l, const RationalVector& g, const Rational& rate, StepRule rule) {
            LearnedRow positive = l;
            if (l.scale < 0) positive.scale = -l.scale;
            return sqrtdk::score_changes(positive, g, rate, rule);
          }}},
    {"the size of the slope in place of the slope",
     "TwoQueriesAreNotSteppedLikeOne",
     {.after_step = [](const LearnedRow& l, const RationalVector& g, const Rational& rate,
                       StepRule rule) { return sqrtdk::after_step(l, g.cwiseAbs(), rate, rule); }}},
    {"signs of the factors without that of c",
     "AScaleBelowZeroTurnsTheSigns",
     {.after_step =
          [](const LearnedRow& l, const RationalVector& g, const Rational& rate, StepRule rule) {
            return sqrtdk::after_step(l, rule == StepRule::sign ? RationalVector(g / l.scale) : g,
                                      rate, rule);
          }}},
};

//! [FirstStep]
TEST(FirstStep, TheChangeIsThatOfTheStep) {
  check_statement(first_step_mutants, [](const Learning& learning) {
    for_all([&] {
      const Eigen::Index d = *rc::gen::inRange(1, 5);
      const Eigen::Index n = *rc::gen::inRange(1, 4);
      LearnedRow row{any_matrix(d, 2), any_matrix(d, 3), any_matrix(2, 1), any_matrix(3, n),
                     *any_rational().as("c")};
      const RationalVector slopes = any_matrix(n, 1);
      const Rational rate = *any_rational().as("η");
      for (const StepRule rule : {StepRule::descent, StepRule::sign}) {
        if (rule == StepRule::sign) row.scale = abs(row.scale);
        EXPECT_EXACTLY(learned_scores(learning.after_step(row, slopes, rate, rule)) ==
                       learned_scores(row) + learning.score_changes(row, slopes, rate, rule));
      }
    });
  });
}
//! [FirstStep]

//! [FirstStep: exact check]
TEST(FirstStep, WorkedSteps) {
  check_statement(first_step_mutants, [](const Learning& learning) {
    const auto expect_changes = [&](const LearnedRow& row, const RationalVector& slopes,
                                    StepRule rule, const RationalVector& changes) {
      const Rational rate(1, 8);
      EXPECT_EXACTLY(learning.score_changes(row, slopes, rate, rule) == changes);
      EXPECT_EXACTLY(learned_scores(learning.after_step(row, slopes, rate, rule)) ==
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
  });
}
//! [FirstStep: exact check]

TEST(FirstStep, TheDivisorDependsOnTheRule) {
  check_statement(first_step_mutants, [](const Learning& learning) {
    for (const int root : {2, 4, 8}) {
      const int d = root * root;
      const auto change = [&](int divisor, StepRule rule) {
        const LearnedRow row = two_opposite_keys(d, Rational(1, divisor));
        const RationalVector changes =
            learning.score_changes(row, vector_of({1, -1}), Rational(1, 8), rule);
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
  });
}

TEST(FirstStep, AScaleBelowZeroTurnsTheSigns) {
  check_with_mutants(first_step_mutants, [](const Learning& learning) {
    const LearnedRow row = signs_of_size_one(1, -1, false);
    const LearnedRow stepped =
        learning.after_step(row, vector_of({1}), Rational(1, 8), StepRule::sign);
    const RationalVector change = learned_scores(stepped) - learned_scores(row);
    const Rational formula = Rational(2, 8) - Rational(1, 64);  // with c = −1 put in
    EXPECT_EXACTLY(change[0] == Rational(-17, 64));
    EXPECT_EXACTLY(change[0] != formula);
    counterexample_without("scale at least 0");
  });
}

TEST(FirstStep, TwoQueriesAreNotSteppedLikeOne) {
  check_with_mutants(first_step_mutants, [](const Learning& learning) {
    const LearnedRow first = signs_of_size_one(1, 1, false);
    LearnedRow second = first;
    second.query_token *= Rational(2);
    // The gradients of W_Q and W_K, which a descent of rate 1 takes away.
    const auto gradient = [&](const LearnedRow& row, int slope) {
      const LearnedRow stepped = learning.after_step(row, vector_of({slope}), 1, StepRule::descent);
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
      const LearnedRow alone = learning.after_step(first, vector_of({1}), Rational(1, 8), rule);
      EXPECT_EXACTLY(learned_scores(alone)[0] < learned_scores(first)[0]);
    }
    counterexample_without("one query");
  });
}

TEST(FirstStep, AScaleBelowZeroIsRefused) {
  check_with_mutants(first_step_mutants, [](const Learning& learning) {
    const RationalVector slope = vector_of({1});
    expect_refusal<std::domain_error>(
        [&] { learning.score_changes(signs_of_size_one(1, -1, false), slope, 1, StepRule::sign); });
    LearnedRow unfit = signs_of_size_one(2, 1, false);
    const auto refused = [&](const RationalVector& slopes) {
      expect_refusal<std::invalid_argument>(
          [&] { learning.score_changes(unfit, slopes, 1, StepRule::sign); });
      expect_refusal<std::invalid_argument>(
          [&] { learning.after_step(unfit, slopes, 1, StepRule::descent); });
    };
    refused(vector_of({1, 1}));
    unfit.key_weights = RationalMatrix::Ones(3, 1);
    refused(slope);
  });
}

}  // namespace sqrtdk::properties::FirstStep
