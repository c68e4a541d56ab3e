// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/learning_curve.hpp>
#include <sqrtdk/recall_layer.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>
#include <sqrtdk/testing/reporting/mutant_run.hpp>
#include <sqrtdk/testing/statistics/sample_quantile.hpp>
#include <sqrtdk/testing/statistics/sign_test.hpp>
#include <sqrtdk/training.hpp>

#include "properties/training/experiment.hpp"
#include "properties/training/fixture.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace sqrtdk::properties::AdditiveVersusDotProduct {

using namespace sqrtdk::testing;

constexpr Eigen::Index small_d = 4, large_d = 64;

const std::vector<Mutant<Experiment>> additive_versus_dot_product_mutants = {
    {"all layers are alike",
     "AlikeAtSmallHeads",
     {.learn_alike = [](const LearningCurve&, const LearningCurve&) { return true; }}},
    {"two layers that never learn are alike",
     "AlikeMeansWithinAFactorOfTwo",
     {.learn_alike =
          [](const LearningCurve& a, const LearningCurve& b) {
            return steps_to_learn(a) == steps_to_learn(b) || learn_alike(a, b);
          }}},
    {"one side is enough",
     "AlikeMeansWithinAFactorOfTwo",
     {.learn_alike =
          [](const LearningCurve& a, const LearningCurve& b) {
            return steps_to_learn(a) < alike_factor * steps_to_learn(b);
          }}},
    {"a factor of two is still alike",
     "AlikeMeansWithinAFactorOfTwo",
     {.learn_alike =
          [](const LearningCurve& a, const LearningCurve& b) {
            return steps_to_learn(a) < infinity && steps_to_learn(b) < infinity &&
                   steps_to_learn(a) <= alike_factor * steps_to_learn(b) &&
                   steps_to_learn(b) <= alike_factor * steps_to_learn(a);
          }}},
    {"additive and unscaled are exchanged",
     "AdditiveAgainstUnscaled",
     {.cell = [](const TrainingRun& run, ScoreRule rule, Eigen::Index d) -> const TrainingCell& {
       return run.cell(rule == ScoreRule::additive   ? ScoreRule::unscaled
                       : rule == ScoreRule::unscaled ? ScoreRule::additive
                                                     : rule,
                       d);
     }}},
    {"the head dimensions are exchanged",
     "AdditiveAgainstUnscaled",
     {.cell = [](const TrainingRun& run, ScoreRule rule, Eigen::Index d) -> const TrainingCell& {
       return run.cell(rule, d == small_d ? large_d : small_d);
     }}},
    {"the slower layer wins",
     "RootAgainstAdditive",
     {.learns_faster = [](const LearningCurve& a,
                          const LearningCurve& b) { return learns_faster(b, a); }}},
};

/// How many runs of a rule learn faster than those of another.
auto faster(const Experiment& experiment, ScoreRule rule, ScoreRule other, Eigen::Index d) {
  return [&experiment, rule, other, d](const TrainingRun& run) {
    return runs_that(experiment.cell(run, rule, d).curves, experiment.cell(run, other, d).curves,
                     experiment.learns_faster);
  };
}

TEST(AdditiveVersusDotProduct, AlikeAtSmallHeads) {
  check_statement(additive_versus_dot_product_mutants, [](const Experiment& experiment) {
    const auto decisions =
        ask({{"alike",
              [&](const TrainingRun& run) {
                return runs_that(experiment.cell(run, ScoreRule::additive, small_d).curves,
                                 experiment.cell(run, ScoreRule::unscaled, small_d).curves,
                                 experiment.learn_alike);
              },
              11},
             {"additive_faster",
              faster(experiment, ScoreRule::additive, ScoreRule::unscaled, small_d), 1}});
    if (checking_a_mutant()) return;
    judge("S1", "perform similarly", decisions.at("alike"), "they need different numbers of steps");
  });
}

//! [AdditiveVersusDotProduct]
TEST(AdditiveVersusDotProduct, AdditiveAgainstUnscaled) {
  check_statement(additive_versus_dot_product_mutants, [](const Experiment& experiment) {
    const auto gains = [&](const TrainingRun& run) {
      const auto lead = [&](Eigen::Index d, std::size_t r) {
        return mean_accuracy(experiment.cell(run, ScoreRule::additive, d).curves[r]) -
               mean_accuracy(experiment.cell(run, ScoreRule::unscaled, d).curves[r]);
      };
      std::size_t yes = 0;
      for (std::size_t r = 0; r < run.plan.runs(); ++r)
        yes += lead(large_d, r) > lead(small_d, r) ? 1U : 0U;
      return yes;
    };
    const auto decisions =
        ask({{"gains", gains, 44},
             {"additive_faster",
              faster(experiment, ScoreRule::additive, ScoreRule::unscaled, large_d), 40}});
    if (checking_a_mutant()) return;
    judge("S1", "additive attention outperforms dot product attention without scaling",
          decisions.at("additive_faster"), "the unscaled dot product learns faster");
    // No score of the additive rule is larger than this at the start.
    const TrainingPlan& plan = recorded_run().plan;
    std::vector<double> largest_scores;
    for (std::size_t r = 0; r < plan.runs(); ++r)
      largest_scores.push_back(
          initial_weights(plan.task, large_d, plan.seed(r)).direction.lpNorm<1>());
    record_value("largest_score", in_short(sample_quantile(largest_scores, 0.5)));
  });
}
//! [AdditiveVersusDotProduct]

TEST(AdditiveVersusDotProduct, RootAgainstAdditive) {
  check_statement(additive_versus_dot_product_mutants, [](const Experiment& experiment) {
    ask({{"faster_at_4", faster(experiment, ScoreRule::root, ScoreRule::additive, small_d), 47},
         {"faster_at_64", faster(experiment, ScoreRule::root, ScoreRule::additive, large_d), 46}});
  });
}

//! [AdditiveVersusDotProduct: exact check]
TEST(AdditiveVersusDotProduct, AlikeMeansWithinAFactorOfTwo) {
  check_with_mutants(additive_versus_dot_product_mutants, [](const Experiment& experiment) {
    const auto learned_at = [](Eigen::Index step) {
      return LearningCurve{{.step = 0, .accuracy = 0}, {.step = step, .accuracy = 1}};
    };
    const LearningCurve never = {{.step = 0, .accuracy = 0}};
    EXPECT_EXACTLY(experiment.learn_alike(learned_at(4), learned_at(7)));
    EXPECT_EXACTLY(experiment.learn_alike(learned_at(7), learned_at(4)));
    EXPECT_EXACTLY(!experiment.learn_alike(learned_at(4), learned_at(8)));
    EXPECT_EXACTLY(!experiment.learn_alike(learned_at(9), learned_at(4)));
    EXPECT_EXACTLY(!experiment.learn_alike(learned_at(4), learned_at(9)));
    EXPECT_EXACTLY(!experiment.learn_alike(never, learned_at(4)));
    EXPECT_EXACTLY(!experiment.learn_alike(never, never));
    enumerated(7);
    for_all([&] {
      const auto one = *rc::gen::inRange<Eigen::Index>(1, 50).as("steps of one");
      const auto other = *rc::gen::inRange<Eigen::Index>(1, 50).as("steps of the other");
      EXPECT_EXACTLY(experiment.learn_alike(learned_at(one), learned_at(other)) ==
                     (one < 2 * other && other < 2 * one));
    });
  });
}
//! [AdditiveVersusDotProduct: exact check]

}  // namespace sqrtdk::properties::AdditiveVersusDotProduct
