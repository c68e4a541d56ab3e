// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief What the checks of \ref ScalingAblation call, and wrong versions of it.
#pragma once

#include <sqrtdk/learning_curve.hpp>
#include <sqrtdk/recall_layer.hpp>
#include <sqrtdk/recall_task.hpp>
#include <sqrtdk/testing/laws/wide.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/statistics/streams.hpp>
#include <sqrtdk/training.hpp>

#include "properties/training/experiment.hpp"
#include "properties/training/fixture.hpp"

#include <boost/multiprecision/eigen.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace sqrtdk::properties::ScalingAblation {

using namespace sqrtdk::testing;

inline void for_each_evaluation(TrainingRun& run, void (*change)(Evaluation&)) {
  for (auto* cells : {&run.cells, &run.borrowed})
    for (TrainingCell& cell : *cells)
      for (LearningCurve& curve : cell.curves)
        for (Evaluation& evaluation : curve) change(evaluation);
}

inline const std::vector<Mutant<Experiment>> scaling_ablation_mutants = {
    {"errors are counted, not right answers",
     "TheLayerWithTheRootLearnsAtEveryDimension",
     {.run = []() -> const TrainingRun& {
       return altered_run([](TrainingRun& run) {
         for_each_evaluation(run, [](Evaluation& e) { e.accuracy = 1 - e.accuracy; });
       });
     }}},
    {"a layer must never err",
     "TheLayerWithTheRootLearnsAtEveryDimension",
     {.has_learned = [](const LearningCurve& curve) { return curve.back().accuracy > 1; }}},
    {"unscaled and root are exchanged",
     "WithoutScaleTheFirstGradientIsLargerNotAlmostZero",
     {.run = []() -> const TrainingRun& {
       return altered_run(
           [](TrainingRun& run) { exchange(run, ScoreRule::unscaled, ScoreRule::root); });
     }}},
    {"every gradient is almost zero",
     "WithoutScaleTheFirstGradientIsLargerNotAlmostZero",
     {.almost_no_gradient = [](const LearningCurve&, const LearningCurve&) { return true; }}},
    {"unscaled and linear are exchanged",
     "DividingByDStartsWithTheSmallestGradientAndLearns",
     {.run = []() -> const TrainingRun& {
       return altered_run(
           [](TrainingRun& run) { exchange(run, ScoreRule::unscaled, ScoreRule::linear); });
     }}},
    {"no gradient is ever small",
     "DividingByDStartsWithTheSmallestGradientAndLearns",
     {.almost_no_gradient = [](const LearningCurve&, const LearningCurve&) { return false; }}},
    {"the slower layer wins",
     "TheLayerWithTheRootLearnsFasterThanTheUnscaledOne",
     {.learns_faster = [](const LearningCurve& a,
                          const LearningCurve& b) { return learns_faster(b, a); }}},
    {"the borrowed rate is its own",
     "WithTheRateOfTheRootTheUnscaledLayerDoesNotLearn",
     {.run = []() -> const TrainingRun& {
       return altered_run([](TrainingRun& run) {
         for (TrainingCell& cell : run.borrowed) cell = run.cell(ScoreRule::unscaled, cell.d);
       });
     }}},
    {"there is no difference between the two rates",
     "WithAnotherRateItLearnsOtherwise",
     {.run = []() -> const TrainingRun& {
       return altered_run([](TrainingRun& run) {
         for (TrainingCell& cell : run.borrowed) cell = run.cell(ScoreRule::unscaled, cell.d);
       });
     }}},
    {"every gradient is lost on the way",
     "AtItsOwnRateItsGradientStays",
     {.loses_its_gradient = [](const LearningCurve&, const LearningCurve&) { return true; }}},
    {"the gradient along the way is that of its own rate",
     "WithTheRateOfTheRootItsGradientVanishesOnTheWay",
     {.run = []() -> const TrainingRun& {
       return altered_run([](TrainingRun& run) {
         for (TrainingCell& cell : run.borrowed) cell = run.cell(ScoreRule::unscaled, cell.d);
       });
     }}},
    {"no gradient is lost on the way",
     "WithTheRateOfTheRootItsGradientVanishesOnTheWay",
     {.loses_its_gradient = starts_with_almost_no_gradient}},
    {"a gradient that is small because all is learned counts as lost",
     "WithTheRateOfTheRootItsGradientVanishesOnTheWay",
     {.loses_its_gradient =
          [](const LearningCurve& curve, const LearningCurve& scaled) {
            return std::any_of(curve.begin(), curve.end(), [&](const Evaluation& evaluation) {
              return evaluation.attention_gradient < almost_zero_share * first_gradient(scaled);
            });
          }}},
    {"a run that failed has lost its gradient",
     "MeasuresOfACurveAreWhatTheySay",
     {.loses_its_gradient =
          [](const LearningCurve& curve, const LearningCurve& scaled) {
            return curve.back().loss == infinity || loses_its_gradient(curve, scaled);
          }}},
    {"half of the answers right is too few",
     "MeasuresOfACurveAreWhatTheySay",
     {.loses_its_gradient =
          [](const LearningCurve& right, const LearningCurve& scaled) {
            LearningCurve curve = right;
            for (Evaluation& evaluation : curve)
              if (evaluation.accuracy == half_learned_accuracy) evaluation.accuracy = 0;
            return loses_its_gradient(curve, scaled);
          }}},
    {"every rate is the best one",
     "AtNoRateDoesTheUnscaledLayerCatchUp",
     {.at_every_rate = [](ScoreRule rule) -> const std::vector<TrainingCell>& {
       static const TrainingRun& run = recorded_run();
       static std::map<ScoreRule, std::vector<TrainingCell>> cells;
       cells[rule].assign(run.plan.rate_exponents.size(),
                          run.cell(rule, run.plan.dimensions.back()));
       return cells[rule];
     }}},
    {"root and unscaled are exchanged at every rate",
     "AtNoRateDoesTheUnscaledLayerCatchUp",
     {.at_every_rate = [](ScoreRule rule) -> const std::vector<TrainingCell>& {
       return at_every_rate(rule == ScoreRule::root ? ScoreRule::unscaled : ScoreRule::root);
     }}},
    {"the loss counts bits",
     "TheLossIsTheMeanCrossEntropy",
     {.loss = [](const Scene& scene) -> Wide {
       using std::log;
       return recall_output(scene.rule, scene.embeddings, scene.weights, scene.batch).loss /
              log(Wide(2));
     }}},
    {"the loss of a batch is a sum",
     "TheLossIsTheMeanCrossEntropy",
     {.loss = [](const Scene& scene) -> Wide {
       return recall_output(scene.rule, scene.embeddings, scene.weights, scene.batch).loss *
              Wide(scene.batch.size());
     }}},
    {"the loss is the share of wrong answers",
     "TheLossIsTheMeanCrossEntropy",
     {.loss = [](const Scene& scene) -> Wide {
       const auto output = recall_output(scene.rule, scene.embeddings, scene.weights, scene.batch);
       return 1 - Wide(output.correct) / Wide(scene.batch.size());
     }}},
    {"the rate of another seed's tuning",
     "EveryRuleGetsTheRateThatDidBestInTuning",
     {.run = []() -> const TrainingRun& {
       return altered_run([](TrainingRun& run) { run.plan.first_seed += 1; });
     }}},
    {"all entries of a query are one number",
     "StartsAsTheDocumentsAssume",
     {.initial_weights =
          [](const RecallTask& task, Eigen::Index d, std::uint64_t seed) {
            RecallWeights<double> weights = initial_weights(task, d, seed);
            weights.query.rowwise() = weights.query.row(0).eval();
            return weights;
          }}},
    {"the borrowed rate is that of another rule",
     "EveryRuleGetsTheRateThatDidBestInTuning",
     {.run = []() -> const TrainingRun& {
       return altered_run([](TrainingRun& run) {
         for (TrainingCell& cell : run.borrowed) --cell.rate_exponent;
       });
     }}},
    {"the worst rate is chosen",
     "EveryRuleGetsTheRateThatDidBestInTuning",
     {.best_rate =
          [](std::span<const double> sweep) {
            return static_cast<std::size_t>(std::min_element(sweep.begin(), sweep.end()) -
                                            sweep.begin());
          }}},
    {"of equal rates the greatest",
     "EveryRuleGetsTheRateThatDidBestInTuning",
     {.best_rate =
          [](std::span<const double> sweep) {
            return sweep.size() - 1 -
                   static_cast<std::size_t>(std::max_element(sweep.rbegin(), sweep.rend()) -
                                            sweep.rbegin());
          }}},
    {"a sweep tries the first rate only",
     "EveryRuleGetsTheRateThatDidBestInTuning",
     {.run = []() -> const TrainingRun& {
       return altered_run([](TrainingRun& run) {
         for (TrainingCell& cell : run.cells) cell.sweep.resize(1);
       });
     }}},
    {"learning is noticed one evaluation late",
     "MeasuresOfACurveAreWhatTheySay",
     {.steps_to_learn =
          [](const LearningCurve& curve) {
            return curve.front().accuracy >= learned_accuracy
                       ? 4
                       : steps_to_learn({curve.begin() + 1, curve.end()}) + 4;
          }}},
    {"the best accuracy counts, not the last",
     "MeasuresOfACurveAreWhatTheySay",
     {.has_learned = [](const LearningCurve& curve) { return steps_to_learn(curve) < infinity; }}},
    {"attention that looks elsewhere aims",
     "MeasuresOfACurveAreWhatTheySay",
     {.aims =
          [](const LearningCurve& curve) {
            return curve.back().target_weight < attending_weight;
          }}},
    {"a draw is a win",
     "MeasuresOfACurveAreWhatTheySay",
     {.learns_faster = [](const LearningCurve& a,
                          const LearningCurve& b) { return !learns_faster(b, a); }}},
    {"the reference is not reduced",
     "MeasuresOfACurveAreWhatTheySay",
     {.almost_no_gradient =
          [](const LearningCurve& curve, const LearningCurve& scaled) {
            return first_gradient(curve) < first_gradient(scaled);
          }}},
    {"the seed is not used",
     "DependsOnTheSeedAloneBitForBit",
     {.train = [](const TrainingPlan& plan, ScoreRule rule, Eigen::Index d, LearningRates rates,
                  std::uint64_t) { return train(plan, rule, d, rates, 0); }}},
    {"each run continues the stream of the last",
     "DependsOnTheSeedAloneBitForBit",
     {.train =
          [](const TrainingPlan& plan, ScoreRule rule, Eigen::Index d, LearningRates rates,
             std::uint64_t seed) {
            static std::uint64_t runs = 0;
            return train(plan, rule, d, rates, seed + 1000 * runs++);
          }}},
    {"rules start from different weights",
     "DependsOnTheSeedAloneBitForBit",
     {.train =
          [](const TrainingPlan& plan, ScoreRule rule, Eigen::Index d, LearningRates rates,
             std::uint64_t seed) {
            return train(plan, rule, d, rates, seed + static_cast<std::uint64_t>(rule));
          }}},
    {"a run that overflows goes on",
     "ARunThatOverflowsCountsAsWrongFromThereOn",
     {.train =
          [](const TrainingPlan& plan, ScoreRule rule, Eigen::Index d, LearningRates rates,
             std::uint64_t seed) {
            LearningCurve curve = train(plan, rule, d, rates, seed);
            for (Evaluation& evaluation : curve)
              if (evaluation.loss == infinity) evaluation.accuracy = 1.0 / 16;
            return curve;
          }}},
    {"weights have variance 1",
     "StartsAsTheDocumentsAssume",
     {.initial_weights =
          [](const RecallTask& task, Eigen::Index d, std::uint64_t seed) {
            RecallWeights<double> weights = initial_weights(task, d, seed);
            weights.query *= 2;  // √width
            return weights;
          }}},
    {"keys are made like queries",
     "StartsAsTheDocumentsAssume",
     {.initial_weights =
          [](const RecallTask& task, Eigen::Index d, std::uint64_t seed) {
            RecallWeights<double> weights = initial_weights(task, d, seed);
            weights.key = weights.query;
            return weights;
          }}},
    {"embeddings have length 1",
     "StartsAsTheDocumentsAssume",
     {.draw_embeddings =
          [](const RecallTask& task, std::uint64_t seed) {
            RecallEmbeddings<double> embeddings = draw_embeddings(task, seed);
            embeddings.keys /= std::sqrt(static_cast<double>(task.width));
            return embeddings;
          }}},
    {"the first pair is asked for",
     "SequencesAreDrawnFairly",
     {.draw_recall =
          [](const RecallTask& task, Eigen::Index count, Stream& stream) {
            RecallBatch batch = draw_recall(task, count, stream);
            batch.query_index.setZero();
            return batch;
          }}},
    {"keys come in order",
     "SequencesAreDrawnFairly",
     {.draw_recall =
          [](const RecallTask& task, Eigen::Index count, Stream& stream) {
            RecallBatch batch = draw_recall(task, count, stream);
            for (Eigen::Index i = 0; i < task.pairs; ++i) batch.keys.row(i) = static_cast<int>(i);
            return batch;
          }}},
    {"values belong to their keys",
     "SequencesAreDrawnFairly",
     {.draw_recall =
          [](const RecallTask& task, Eigen::Index count, Stream& stream) {
            RecallBatch batch = draw_recall(task, count, stream);
            batch.values = batch.keys;
            return batch;
          }}},
    {"a key may come twice",
     "SequencesHaveDistinctKeysAndDistinctValues",
     {.draw_recall =
          [](const RecallTask& task, Eigen::Index count, Stream& stream) {
            RecallBatch batch = draw_recall(task, count, stream);
            batch.keys.row(0) = batch.keys.row(task.pairs - 1);
            return batch;
          }}},
    {"a value may come twice",
     "SequencesHaveDistinctKeysAndDistinctValues",
     {.draw_recall =
          [](const RecallTask& task, Eigen::Index count, Stream& stream) {
            RecallBatch batch = draw_recall(task, count, stream);
            batch.values.row(0) = batch.values.row(task.pairs - 1);
            return batch;
          }}},
    {"one symbol too many",
     "SequencesHaveDistinctKeysAndDistinctValues",
     {.draw_recall =
          [](const RecallTask& task, Eigen::Index count, Stream& stream) {
            RecallTask larger = task;
            ++larger.symbols;
            ++larger.values;
            return draw_recall(larger, count, stream);
          }}},
    {"a plan that is never evaluated is trained",
     "RefusesAPlanThatTrainsNothing",
     {.train =
          [](const TrainingPlan& plan, ScoreRule rule, Eigen::Index d, LearningRates rates,
             std::uint64_t seed) {
            TrainingPlan evaluated = plan;
            evaluated.every = std::max<Eigen::Index>(plan.every, 1);
            return train(evaluated, rule, d, rates, seed);
          }}},
    {"a plan without rates is accepted",
     "RefusesAPlanThatTrainsNothing",
     {.run_training =
          [](const TrainingPlan& plan,
             const std::function<void(std::size_t, std::size_t, const std::string&)>& progress) {
            return plan.rate_exponents.empty() ? TrainingRun{} : run_training(plan, progress);
          }}},
};

}  // namespace sqrtdk::properties::ScalingAblation
