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

const std::vector<Mutant<Experiment>> additive_versus_dot_product_mutants = {
    {"all layers are alike",
     "AtSmallHeadsTheyAreNotFoundAlike",
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
     "AdditiveGainsOnTheUnscaledDotProductAsHeadsGrow",
     {.run = []() -> const TrainingRun& {
       return altered_run(
           [](TrainingRun& run) { exchange(run, ScoreRule::additive, ScoreRule::unscaled); });
     }}},
    {"the head dimensions are exchanged",
     "AdditiveGainsOnTheUnscaledDotProductAsHeadsGrow",
     {.run = []() -> const TrainingRun& {
       return altered_run([](TrainingRun& run) {
         std::reverse(run.plan.dimensions.begin(), run.plan.dimensions.end());
       });
     }}},
    {"the slower layer wins",
     "WithTheRootTheDotProductIsFasterAtEveryDimension",
     {.learns_faster = [](const LearningCurve& a,
                          const LearningCurve& b) { return learns_faster(b, a); }}},
};

TEST(AdditiveVersusDotProduct, AtSmallHeadsTheyAreNotFoundAlike) {
  check_statement(additive_versus_dot_product_mutants, [](const Experiment& experiment) {
    const TrainingRun& run = experiment.run();
    const TrainingCell& additive = run.cell(ScoreRule::additive, smallest(run));
    const TrainingCell& unscaled = run.cell(ScoreRule::unscaled, smallest(run));
    const Decision alike =
        find("alike", seeds_that(additive, unscaled, experiment.learn_alike), run.plan.seeds);
    EXPECT_EQ(alike, Decision::undecided);
    decides("S1", "perform similarly", alike == Decision::yes);
    find("additive_faster", seeds_that(additive, unscaled, learns_faster), run.plan.seeds);
  });
}

//! [AdditiveVersusDotProduct]
TEST(AdditiveVersusDotProduct, AdditiveGainsOnTheUnscaledDotProductAsHeadsGrow) {
  check_statement(additive_versus_dot_product_mutants, [](const Experiment& experiment) {
    const TrainingRun& run = experiment.run();
    const auto lead = [&](Eigen::Index d, std::size_t s) {
      return mean_accuracy(run.cell(ScoreRule::additive, d).curves[s]) -
             mean_accuracy(run.cell(ScoreRule::unscaled, d).curves[s]);
    };
    std::size_t gains = 0;
    for (std::size_t s = 0; s < run.plan.seeds; ++s)
      gains += lead(largest(run), s) > lead(smallest(run), s) ? 1U : 0U;
    EXPECT_EQ(find("gains", gains, run.plan.seeds), Decision::yes);
    const Decision faster =
        find("additive_faster",
             seeds_that(run.cell(ScoreRule::additive, largest(run)),
                        run.cell(ScoreRule::unscaled, largest(run)), learns_faster),
             run.plan.seeds);
    EXPECT_NE(faster, Decision::no);
    decides("S1", "additive attention outperforms dot product attention without scaling",
            faster == Decision::yes);
    if (checking_a_mutant()) return;
    // No score of the additive rule is larger than this at the start.
    std::vector<double> largest_scores;
    for (std::size_t s = 0; s < run.plan.seeds; ++s)
      largest_scores.push_back(initial_weights(run.plan.task, largest(run), run.plan.first_seed + s)
                                   .direction.lpNorm<1>());
    record_value("largest_score", in_short(sample_quantile(largest_scores, 0.5)));
  });
}
//! [AdditiveVersusDotProduct]

TEST(AdditiveVersusDotProduct, WithTheRootTheDotProductIsFasterAtEveryDimension) {
  check_with_mutants(additive_versus_dot_product_mutants, [](const Experiment& experiment) {
    const TrainingRun& run = experiment.run();
    for (const Eigen::Index d : run.plan.dimensions)
      EXPECT_EQ(find("faster_at_" + std::to_string(d),
                     seeds_that(run.cell(ScoreRule::root, d), run.cell(ScoreRule::additive, d),
                                experiment.learns_faster),
                     run.plan.seeds),
                Decision::yes);
    counterexample_without("no scale");
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
