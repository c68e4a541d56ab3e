#include <sqrtdk/testing/statistics/sample_quantile.hpp>
#include <sqrtdk/testing/statistics/sign_test.hpp>
#include <sqrtdk/training.hpp>
#include <sqrtdk/training/learning_curve.hpp>

#include "properties/training/experiment.hpp"
#include "properties/training/fixture.hpp"

namespace sqrtdk::properties::AdditiveVersusDotProduct {

constexpr Eigen::Index small_d = 4, large_d = 64;

auto faster(const Subject& subject, ScoreRule rule, ScoreRule other, Eigen::Index d) {
  return [&subject, rule, other, d](const TrainingRun& run) {
    return runs_that(subject.cell(run, rule, d).curves, subject.cell(run, other, d).curves,
                     subject.learns_faster);
  };
}

STATEMENT(AdditiveVersusDotProduct, AlikeAtSmallHeads) {
  const auto decisions = ask(
      {{"alike",
        [&](const TrainingRun& run) {
          return runs_that(subject.cell(run, ScoreRule::additive, small_d).curves,
                           subject.cell(run, ScoreRule::unscaled, small_d).curves,
                           subject.learn_alike);
        },
        11},
       {"additive_faster", faster(subject, ScoreRule::additive, ScoreRule::unscaled, small_d), 1}});
  if (checking_a_mutant()) return;
  judge("S1", "perform similarly", decisions.at("alike"), "they need different numbers of steps");
}
KILLS("all layers are alike", {.learn_alike = [](auto&, auto&) { return true; }});

//! [AdditiveVersusDotProduct]
STATEMENT(AdditiveVersusDotProduct, AdditiveAgainstUnscaled) {
  const auto gains = [&](const TrainingRun& run) {
    const auto lead = [&](Eigen::Index d, std::size_t r) {
      return mean_accuracy(subject.cell(run, ScoreRule::additive, d).curves[r]) -
             mean_accuracy(subject.cell(run, ScoreRule::unscaled, d).curves[r]);
    };
    std::size_t yes = 0;
    for (std::size_t r = 0; r < run.plan.runs(); ++r)
      yes += lead(large_d, r) > lead(small_d, r) ? 1U : 0U;
    return yes;
  };
  const auto decisions =
      ask({{"gains", gains, 44},
           {"additive_faster", faster(subject, ScoreRule::additive, ScoreRule::unscaled, large_d),
            40}});
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
}
//! [AdditiveVersusDotProduct]
KILLS("additive and unscaled are exchanged",
      {.cell = [](const TrainingRun& run, ScoreRule rule, Eigen::Index d) -> const TrainingCell& {
        return run.cell(rule == ScoreRule::additive   ? ScoreRule::unscaled
                        : rule == ScoreRule::unscaled ? ScoreRule::additive
                                                      : rule,
                        d);
      }});
KILLS("the head dimensions are exchanged",
      {.cell = [](const TrainingRun& run, ScoreRule rule, Eigen::Index d) -> const TrainingCell& {
        return run.cell(rule, d == small_d ? large_d : small_d);
      }});

STATEMENT(AdditiveVersusDotProduct, RootAgainstAdditive) {
  ask({{"faster_at_4", faster(subject, ScoreRule::root, ScoreRule::additive, small_d), 47},
       {"faster_at_64", faster(subject, ScoreRule::root, ScoreRule::additive, large_d), 46}});
}
KILLS("the slower layer wins",
      {.learns_faster = [](auto& a, auto& b) { return learns_faster(b, a); }});

//! [AdditiveVersusDotProduct: exact check]
ASIDE(AdditiveVersusDotProduct, AlikeMeansWithinAFactorOfTwo) {
  const auto learned_at = [](Eigen::Index step) {
    return LearningCurve{{.step = 0, .accuracy = 0}, {.step = step, .accuracy = 1}};
  };
  const LearningCurve never = {{.step = 0, .accuracy = 0}};
  EXPECT_EXACTLY(subject.learn_alike(learned_at(4), learned_at(7)));
  EXPECT_EXACTLY(subject.learn_alike(learned_at(7), learned_at(4)));
  EXPECT_EXACTLY(!subject.learn_alike(learned_at(4), learned_at(8)));
  EXPECT_EXACTLY(!subject.learn_alike(learned_at(9), learned_at(4)));
  EXPECT_EXACTLY(!subject.learn_alike(learned_at(4), learned_at(9)));
  EXPECT_EXACTLY(!subject.learn_alike(never, learned_at(4)));
  EXPECT_EXACTLY(!subject.learn_alike(never, never));
  enumerated(7);
  for_all([&] {
    const auto one = *rc::gen::inRange<Eigen::Index>(1, 50).as("steps of one");
    const auto other = *rc::gen::inRange<Eigen::Index>(1, 50).as("steps of the other");
    EXPECT_EXACTLY(subject.learn_alike(learned_at(one), learned_at(other)) ==
                   (one < 2 * other && other < 2 * one));
  });
}
//! [AdditiveVersusDotProduct: exact check]
KILLS("two layers that never learn are alike", {.learn_alike = [](auto& a, auto& b) {
        return steps_to_learn(a) == steps_to_learn(b) || learn_alike(a, b);
      }});
KILLS("one side is enough", {.learn_alike = [](auto& a, auto& b) {
        return steps_to_learn(a) < alike_factor * steps_to_learn(b);
      }});
KILLS("a factor of two is still alike", {.learn_alike = [](auto& a, auto& b) {
        return steps_to_learn(a) < infinity && steps_to_learn(b) < infinity &&
               steps_to_learn(a) <= alike_factor * steps_to_learn(b) &&
               steps_to_learn(b) <= alike_factor * steps_to_learn(a);
      }});

}  // namespace sqrtdk::properties::AdditiveVersusDotProduct
