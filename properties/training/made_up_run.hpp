// An experiment of chapter \ref training that nobody ran: its answers can be counted by hand.
#pragma once

#include <sqrtdk/training.hpp>
#include <sqrtdk/training/learning_curve.hpp>
#include <sqrtdk/training/recall_layer.hpp>

#include <cstddef>
#include <vector>

namespace sqrtdk::properties {
inline namespace chapter_training {

/// A curve of three evaluations; none of its answers is right at the start.
inline LearningCurve made_up_curve(double first_gradient, double accuracy, double gradient,
                                   double last_accuracy, double last_target_weight = 0) {
  return {{.step = 0, .accuracy = 0, .attention_gradient = first_gradient},
          {.step = 4, .accuracy = accuracy, .attention_gradient = gradient},
          {.step = 8,
           .accuracy = last_accuracy,
           .target_weight = last_target_weight,
           .attention_gradient = 1}};
}

/// Runs at d = 4, by their number s from 0 to 47.
inline LearningCurve made_up_curve_at_4(ScoreRule rule, std::size_t s) {
  switch (rule) {
    case ScoreRule::root:
      return made_up_curve(1, 1, 1, s < 47 ? 1 : 0.25);
    case ScoreRule::unscaled:
      return made_up_curve(1, s < 10 ? 1 : 0.25, 1, 1);
    case ScoreRule::additive:
      return made_up_curve(1, s == 0 ? 1 : s == 19 ? 0.5 : 0.25, 1, s < 20 ? 1 : 0.25);
    default:
      return made_up_curve(1, 0.25, 1, 0.5);
  }
}

inline LearningCurve made_up_curve_at_64(ScoreRule rule, std::size_t s) {
  switch (rule) {
    case ScoreRule::root:
      return made_up_curve(1, s < 2 ? 0.25 : 1, s < 2 ? 0.05 : 1, s < 46 ? 1 : 0.5);
    case ScoreRule::unscaled:
      return made_up_curve(s < 45    ? 3
                           : s == 45 ? 2
                           : s == 46 ? 0.5
                                     : 0.05,
                           s < 44 ? 0.25 : 1, s < 5 ? 0.05 : 1, s < 7 || s >= 44 ? 1 : 0.5,
                           s < 30 ? 0.75 : 0.25);
    case ScoreRule::linear:
      return made_up_curve(s < 43 ? 0.02 : s == 43 ? 0.35 : 1.5, 1, 1, s < 47 ? 1 : 0.5);
    case ScoreRule::additive:
      return made_up_curve(1, s < 40 ? 0.5 : 0.25, 1, s < 40 ? 1 : 0.5);
    default:
      return made_up_curve(1, 0.25, 1, 0.5);
  }
}

/// The unscaled rule at d = 64 with the rate of the root rule.
inline LearningCurve made_up_borrowed_curve(std::size_t s) {
  return made_up_curve(3, 0.25, s < 45 ? 0.05 : 1, s == 47 ? 1 : 0.5, s < 20 ? 0.75 : 0.25);
}

/// Runs number k, from 0 to 95, that tune the root or the unscaled rule at d = 64 with rate i.
inline LearningCurve made_up_tuning_curve(ScoreRule rule, std::size_t i, std::size_t k) {
  if (rule == ScoreRule::root)
    return made_up_curve(1, k < 3 + i ? 0.25 : 1, k < 3 + i ? 0.05 : 1, k < 4 ? 0.5 : 1);
  const bool learns = k >= 96 - 10 * i;
  return made_up_curve(3, learns ? 1 : 0.25, k < 20 + i ? 0.05 : 1, learns ? 1 : 0.5);
}

inline const TrainingRun& made_up_run() {
  static const TrainingRun run = [] {
    TrainingRun made{quick_plan(), {}, {}};
    for (const Eigen::Index d : made.plan.dimensions) {
      for (const ScoreRule rule : score_rules) {
        TrainingCell cell{rule, d, {}, {}, {}};
        for (std::size_t s = 0; s < made.plan.runs(); ++s) {
          cell.curves.push_back(d == 4 ? made_up_curve_at_4(rule, s)
                                       : made_up_curve_at_64(rule, s));
          cell.rate_exponents.push_back(rule == ScoreRule::unscaled && s < 30 ? -1 : 1);
        }
        cell.tuning.resize(made.plan.rate_exponents.at(rule).size());
        for (std::size_t i = 0; i < cell.tuning.size(); ++i)
          for (std::size_t k = 0; k < made.plan.repetitions * made.plan.tuning_seeds; ++k)
            cell.tuning[i].push_back(made_up_tuning_curve(rule, i, k));
        made.cells.push_back(cell);
      }
      TrainingCell cell{
          ScoreRule::unscaled, d, {}, made.cell(ScoreRule::root, d).rate_exponents, {}};
      for (std::size_t s = 0; s < made.plan.runs(); ++s)
        cell.curves.push_back(made_up_borrowed_curve(s));
      made.borrowed.push_back(cell);
    }
    return made;
  }();
  return run;
}

}  // namespace chapter_training
}  // namespace sqrtdk::properties
