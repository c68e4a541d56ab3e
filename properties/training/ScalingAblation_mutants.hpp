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

using Progress = std::function<void(std::size_t, std::size_t, const std::string&)>;

/// Looks up a rule in the place of another, and the other way round.
template <ScoreRule one, ScoreRule other>
const TrainingCell& exchanged(const TrainingRun& run, ScoreRule rule, Eigen::Index d) {
  return run.cell(rule == one ? other : rule == other ? one : rule, d);
}

inline const std::vector<Mutant<Experiment>> scaling_ablation_mutants = {
    {"errors are counted, not right answers",
     "HowManyLayersLearn",
     {.has_learned = [](const LearningCurve& curve) { return !has_learned(curve); }}},
    {"a layer must never err",
     "HowManyLayersLearn",
     {.has_learned = [](const LearningCurve& curve) { return curve.back().accuracy > 1; }}},
    {"the head dimensions are exchanged",
     "HowManyLayersLearn",
     {.cell = [](const TrainingRun& run, ScoreRule rule, Eigen::Index d) -> const TrainingCell& {
       return run.cell(rule, d == 4 ? 64 : 4);
     }}},
    {"the slower layer wins",
     "RootAgainstUnscaled",
     {.learns_faster = [](const LearningCurve& a,
                          const LearningCurve& b) { return learns_faster(b, a); }}},
    {"a draw is a win for the root",
     "RootAgainstUnscaled",
     {.learns_faster = [](const LearningCurve& a,
                          const LearningCurve& b) { return !learns_faster(b, a); }}},
    {"unscaled and root are exchanged",
     "FirstGradients",
     {.cell = exchanged<ScoreRule::unscaled, ScoreRule::root>}},
    {"every gradient is almost zero",
     "FirstGradients",
     {.almost_no_gradient = [](const LearningCurve&, const LearningCurve&) { return true; }}},
    {"unscaled and linear are exchanged",
     "DividingByD",
     {.cell = exchanged<ScoreRule::unscaled, ScoreRule::linear>}},
    {"no gradient is ever small",
     "DividingByD",
     {.almost_no_gradient = [](const LearningCurve&, const LearningCurve&) { return false; }}},
    {"the borrowed rate is its own",
     "UnscaledAtTheRateOfTheRoot",
     {.borrowed_cell = [](const TrainingRun& run, Eigen::Index d) -> const TrainingCell& {
       return run.cell(ScoreRule::unscaled, d);
     }}},
    {"the gradient along the way is that of its own rate",
     "GradientsOnTheWay",
     {.borrowed_cell = [](const TrainingRun& run, Eigen::Index d) -> const TrainingCell& {
       return run.cell(ScoreRule::unscaled, d);
     }}},
    {"every gradient is lost on the way",
     "GradientsOnTheWay",
     {.loses_its_gradient = [](const LearningCurve&, const LearningCurve&) { return true; }}},
    {"no gradient is lost on the way",
     "GradientsOnTheWay",
     {.loses_its_gradient = starts_with_almost_no_gradient}},
    {"root and unscaled are exchanged at every rate",
     "AtEveryRate",
     {.cell = exchanged<ScoreRule::unscaled, ScoreRule::root>}},
    {"at every rate a draw is a win",
     "AtEveryRate",
     {.learns_faster = [](const LearningCurve& a,
                          const LearningCurve& b) { return !learns_faster(b, a); }}},
    {"a gradient that is small because all is learned counts as lost",
     "MeasuresOfACurveAreWhatTheySay",
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
    {"all entries of a query are one number",
     "StartsAsTheDocumentsAssume",
     {.initial_weights =
          [](const RecallTask& task, Eigen::Index d, std::uint64_t seed) {
            RecallWeights<double> weights = initial_weights(task, d, seed);
            weights.query.rowwise() = weights.query.row(0).eval();
            return weights;
          }}},
    {"one tuning serves all repetitions",
     "EachRepetitionTunesAndComparesOnSeedsOfItsOwn",
     {.run_training =
          [](const TrainingPlan& plan, const Progress& progress) {
            TrainingRun run = run_training(plan, progress);
            for (TrainingCell& cell : run.cells)
              std::fill(cell.rate_exponents.begin(), cell.rate_exponents.end(),
                        cell.rate_exponents.front());
            return run;
          }}},
    {"what tuned is compared",
     "EachRepetitionTunesAndComparesOnSeedsOfItsOwn",
     {.run_training =
          [](const TrainingPlan& plan, const Progress& progress) {
            TrainingPlan later = plan;
            later.first_seed += plan.seeds;
            return run_training(later, progress);
          }}},
    {"the borrowed rate is that of another rule",
     "EachRepetitionTunesAndComparesOnSeedsOfItsOwn",
     {.run_training =
          [](const TrainingPlan& plan, const Progress& progress) {
            TrainingRun run = run_training(plan, progress);
            for (TrainingCell& cell : run.borrowed) {
              cell.curves = run.cell(ScoreRule::unscaled, cell.d).curves;
              for (std::size_t r = 0; r < cell.curves.size(); ++r)
                if (cell.rate_exponents[r] ==
                    run.cell(ScoreRule::unscaled, cell.d).rate_exponents[r])
                  cell.curves[r].pop_back();
            }
            return run;
          }}},
    {"the worst rate is chosen",
     "TheBestRateIsTheSmallestOfThoseThatDoBest",
     {.best_rate =
          [](std::span<const double> means) {
            return static_cast<std::size_t>(std::min_element(means.begin(), means.end()) -
                                            means.begin());
          }}},
    {"of equal rates the greatest",
     "TheBestRateIsTheSmallestOfThoseThatDoBest",
     {.best_rate =
          [](std::span<const double> means) {
            return means.size() - 1 -
                   static_cast<std::size_t>(std::max_element(means.rbegin(), means.rend()) -
                                            means.rbegin());
          }}},
    {"a sweep adds up",
     "TheBestRateIsTheSmallestOfThoseThatDoBest",
     {.sweep =
          [](const TrainingCell& cell) {
            std::vector<double> sums = sweep(cell);
            for (std::size_t i = 0; i < sums.size(); ++i)
              sums[i] *= static_cast<double>(cell.tuning[i].size());
            return sums;
          }}},
    {"the usual rate is the greatest",
     "TheBestRateIsTheSmallestOfThoseThatDoBest",
     {.usual_rate_exponent =
          [](const TrainingCell& cell) {
            return *std::max_element(cell.rate_exponents.begin(), cell.rate_exponents.end());
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
          [](const TrainingPlan& plan, const Progress& progress) {
            return plan.rate_exponents.size() < std::size(score_rules)
                       ? TrainingRun{}
                       : run_training(plan, progress);
          }}},
};

}  // namespace sqrtdk::properties::ScalingAblation
