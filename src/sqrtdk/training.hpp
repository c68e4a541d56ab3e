// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref training : attention is trained with five score rules, and compared.
#pragma once

#include <sqrtdk/numbers/float_environment.hpp>
#include <sqrtdk/numbers/require.hpp>
#include <sqrtdk/training/learning_curve.hpp>
#include <sqrtdk/training/recall_layer.hpp>
#include <sqrtdk/training/recall_task.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace sqrtdk {

/// The rate of each weight against its gradient.
struct LearningRates {
  double attention;  ///< for W_Q, W_K, w and λ
  double others;     ///< for W_V and W_O
};

/// A step of plain gradient descent: each weight less rate times gradient.
/// \param weights  changed in place.
/// \param gradient of the same shape.
/// \param rates    any numbers.
/// \implements{ScalingIsStartAndRate}
/// \relatesalso LearningRates
template <class Scalar>
void sgd_step(RecallWeights<Scalar>& weights, const RecallWeights<Scalar>& gradient,
              LearningRates rates);

/// The start with which an unscaled layer acts like a root-scaled one: W_Q and W_K over d^(1/4).
/// \implements{ScalingIsStartAndRate}
/// \relatesalso RecallWeights
template <class Scalar>
RecallWeights<Scalar> start_without_scale(RecallWeights<Scalar> weights);

/// The rates at which it also learns what that layer learns: the attention's rate over √d.
/// \param rates those of the layer with the root scale.
/// \param d     the head dimension, at least 1.
/// \throws std::domain_error if d is below 1.
/// \implements{ScalingIsStartAndRate}
/// \relatesalso LearningRates
LearningRates rates_without_scale(LearningRates rates, Eigen::Index d);

/// The plan of an experiment: its layers, budget and repetitions.
struct TrainingPlan {
  RecallTask task;                       ///< sizes of the task
  std::vector<Eigen::Index> dimensions;  ///< the head dimensions d to train, each at least 1
  /// Rates to try are 2^exponent, for each rule; where there is one only, nothing is tuned.
  std::map<ScoreRule, std::vector<int>> rate_exponents;
  Eigen::Index steps = 0;        ///< the budget of each run
  Eigen::Index batch = 32;       ///< fresh sequences in each step
  Eigen::Index every = 4;        ///< steps from one evaluation to the next
  Eigen::Index held_out = 128;   ///< sequences in an evaluation
  std::size_t repetitions = 1;   ///< of the whole protocol, tuning included
  std::size_t tuning_seeds = 0;  ///< runs for each rate that is tried, in each repetition
  std::size_t seeds = 0;         ///< runs with the rate that was chosen, in each repetition
  std::uint64_t first_seed = 0;  ///< runs have seeds from this one on, each its own

  /// The number of runs of a rule that are compared: `seeds` in each repetition.
  std::size_t runs() const { return repetitions * seeds; }
  /// The seed of a run that is compared.
  /// \param run below runs().
  std::uint64_t seed(std::size_t run) const;
  /// The seed of a run that tunes.
  /// \param run below repetitions · tuning_seeds.
  std::uint64_t tuning_seed(std::size_t run) const;
};

/// The book's first seed: the first eight digits of the commit that wrote the protocol down, before
/// it was run. It is fixed, whatever the properties' master seed.
inline constexpr std::uint64_t default_training_seed = 0x2664f816;

/// The plan of the properties, half a minute: d = 4 and 64, and the whole protocol again and again.
///
/// Each repetition tunes every rule on seeds of its own and compares on another.
/// \relatesalso TrainingPlan
TrainingPlan quick_plan(std::uint64_t first_seed = default_training_seed);

/// Some minutes: twice as many symbols, values and pairs, and d = 4, 16, 64, 256; tuned once.
/// \relatesalso TrainingPlan
TrainingPlan full_plan(std::uint64_t first_seed = default_training_seed);

/// Trains one layer by stochastic gradient descent, a fresh batch in each step.
///
/// Once the loss on held-out data is not finite the run has failed: its accuracy counts as 0 from
/// there on.
///
/// \param plan  sizes and budget.
/// \param rule  how queries and keys make scores.
/// \param d     the head dimension, at least 1.
/// \param rates of the descent.
/// \param seed  of embeddings, start, batches and held-out sequences; the rule does not enter.
/// \throws std::domain_error if the plan has no step, sequence or evaluation, or d is below 1.
/// \implements{ScalingAblation}
LearningCurve train(const TrainingPlan& plan, ScoreRule rule, Eigen::Index d, LearningRates rates,
                    std::uint64_t seed);

/// Trains one layer in the same way by steps of another kind.
/// \param plan sizes and budget.
/// \param rule how queries and keys make scores.
/// \param d    the head dimension, at least 1.
/// \param step called with the weights, which it changes, and the gradient.
/// \param seed of embeddings, start, batches and held-out sequences.
/// \throws std::domain_error as train().
template <class Step>
LearningCurve train_by(const TrainingPlan& plan, ScoreRule rule, Eigen::Index d, Step step,
                       std::uint64_t seed);

/// All runs of one rule at one head dimension.
struct TrainingCell {
  ScoreRule rule = ScoreRule::unscaled;  ///< how its layers score
  Eigen::Index d = 0;                    ///< the head dimension d of its layers
  /// For each rate that was tried, the curves that tuned, repetition by repetition.
  std::vector<std::vector<LearningCurve>> tuning;
  std::vector<int> rate_exponents;    ///< of each run below: its rate is 2^exponent
  std::vector<LearningCurve> curves;  ///< of the runs that are compared
};

/// Mean accuracy for each rate that was tried, over all runs that tuned; empty if none did.
/// \relatesalso TrainingCell
std::vector<double> sweep(const TrainingCell& cell);

/// The rate that was chosen most often, as an exponent of 2; the smaller one if two were.
/// \param cell with at least one run.
/// \relatesalso TrainingCell
int usual_rate_exponent(const TrainingCell& cell);

/// The number of runs that answer a question with yes.
/// \param curves   of the runs.
/// \param question a predicate on a curve.
template <class Question>
std::size_t runs_that(const std::vector<LearningCurve>& curves, Question question);

/// The number of runs that answer a question about themselves and others with yes.
/// \param curves   of the runs.
/// \param others   as many, one for each.
/// \param question a predicate on two curves.
/// \throws std::invalid_argument if the numbers of curves differ.
template <class Question>
std::size_t runs_that(const std::vector<LearningCurve>& curves,
                      const std::vector<LearningCurve>& others, Question question);

/// All runs of an experiment.
struct TrainingRun {
  TrainingPlan plan;                   ///< the plan that was carried out
  std::vector<TrainingCell> cells;     ///< every rule at every d, with the rates that suit it
  std::vector<TrainingCell> borrowed;  ///< the unscaled rule at every d, with the root rule's rates

  /// The cell of a rule at a dimension.
  /// \throws std::invalid_argument if there is none.
  const TrainingCell& cell(ScoreRule rule, Eigen::Index d) const;
  /// The cell of the unscaled rule with a borrowed rate.
  /// \throws std::invalid_argument if there is none.
  const TrainingCell& borrowed_cell(Eigen::Index d) const;
};

/// The place of the largest mean accuracy, the smaller rate's if two are equal: every rule gets its
/// rate so, on seeds that are not used again.
/// \param mean_accuracies not empty, from the smallest rate to the largest.
std::size_t best_rate(std::span<const double> mean_accuracies);

/// Runs a whole experiment: in each repetition, every rule is tuned at every head dimension and
/// then trained with the rate that did best.
/// \param plan     what to train.
/// \param progress called before each cell with the number of cells done, of all, and its name.
/// \throws std::invalid_argument if the plan has no dimension, repetition or seed, or a rule no rate.
/// \throws std::domain_error as train().
/// \implements{ScalingAblation,AdditiveVersusDotProduct}
/// \relatesalso TrainingRun
TrainingRun run_training(
    const TrainingPlan& plan,
    const std::function<void(std::size_t, std::size_t, const std::string&)>& progress = {});

/// −log₂ of the probability, over the choice of the seeds, of a false decision that each sign test
/// of this chapter is allowed.
inline constexpr unsigned decision_exponent = 26;

// Implementation

//! [ScalingIsStartAndRate]
template <class Scalar>
void sgd_step(RecallWeights<Scalar>& weights, const RecallWeights<Scalar>& gradient,
              LearningRates rates) {
  weights.query -= Scalar(rates.attention) * gradient.query;
  weights.key -= Scalar(rates.attention) * gradient.key;
  weights.direction -= Scalar(rates.attention) * gradient.direction;
  weights.log_scale -= Scalar(rates.attention) * gradient.log_scale;
  weights.value -= Scalar(rates.others) * gradient.value;
  weights.readout -= Scalar(rates.others) * gradient.readout;
}

template <class Scalar>
RecallWeights<Scalar> start_without_scale(RecallWeights<Scalar> weights) {
  using std::sqrt;
  const Scalar root = sqrt(Scalar(static_cast<double>(weights.query.rows())));
  const Scalar fourth_root = sqrt(root);
  weights.query /= fourth_root;
  weights.key /= fourth_root;
  return weights;
}

inline LearningRates rates_without_scale(LearningRates rates, Eigen::Index d) {
  detail::require_at_least("the head dimension", d, 1);
  return {rates.attention / std::sqrt(static_cast<double>(d)), rates.others};
}
//! [ScalingIsStartAndRate]

inline std::uint64_t TrainingPlan::seed(std::size_t run) const {
  return first_seed + run / seeds * (seeds + tuning_seeds) + run % seeds;
}

inline std::uint64_t TrainingPlan::tuning_seed(std::size_t run) const {
  return first_seed + run / tuning_seeds * (seeds + tuning_seeds) + seeds + run % tuning_seeds;
}

inline TrainingPlan quick_plan(std::uint64_t first_seed) {
  TrainingPlan plan;
  plan.dimensions = {4, 64};
  for (const ScoreRule rule : {ScoreRule::unscaled, ScoreRule::root, ScoreRule::additive})
    plan.rate_exponents[rule] = {-2, -1, 0, 1};
  plan.rate_exponents[ScoreRule::linear] = {0, 1};
  plan.rate_exponents[ScoreRule::learned] = {1};
  plan.steps = 100;
  plan.repetitions = 48;
  plan.tuning_seeds = 2;
  plan.seeds = 1;
  plan.first_seed = first_seed;
  return plan;
}

inline TrainingPlan full_plan(std::uint64_t first_seed) {
  TrainingPlan plan = quick_plan(first_seed);
  plan.task = {.symbols = 32, .values = 32, .pairs = 16, .width = 32};
  plan.dimensions = {4, 16, 64, 256};
  for (const ScoreRule rule : score_rules)
    plan.rate_exponents[rule] = {-8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2};
  plan.repetitions = 1;
  plan.tuning_seeds = 6;
  plan.seeds = 48;
  plan.steps = 400;
  plan.every = 5;
  plan.held_out = 256;
  return plan;
}

namespace detail {

inline double mean_target_weight(const RecallBatch& batch, const Eigen::MatrixXd& attention) {
  double sum = 0;
  for (Eigen::Index b = 0; b < batch.size(); ++b) sum += attention(batch.query_index[b], b);
  return sum / static_cast<double>(batch.size());
}

inline void require_training(const TrainingPlan& plan) {
  require_task(plan.task);
  require_at_least("the number of steps", plan.steps, 1);
  require_at_least("the number of sequences in a batch", plan.batch, 1);
  require_at_least("the number of held-out sequences", plan.held_out, 1);
  require_at_least("the number of steps between evaluations", plan.every, 1);
}

}  // namespace detail

//! [ScalingAblation]
template <class Step>
LearningCurve train_by(const TrainingPlan& plan, ScoreRule rule, Eigen::Index d, Step step,
                       std::uint64_t seed) {
  detail::require_training(plan);
  const RecallEmbeddings<double> embeddings = draw_embeddings(plan.task, seed);
  RecallWeights<double> weights = initial_weights(plan.task, d, seed);
  TrainingStream stream = training_stream(seed, Purpose::training);
  TrainingStream aside = training_stream(seed, Purpose::held_out);
  const RecallBatch held_out = draw_recall(plan.task, plan.held_out, aside);

  LearningCurve curve;
  bool failed = false;
  for (Eigen::Index done = 0; done <= plan.steps; ++done) {
    const bool evaluated = done % plan.every == 0;
    if (failed && evaluated) curve.push_back({.step = done, .loss = curve.back().loss});
    if (failed) continue;
    const RecallBatch batch = draw_recall(plan.task, plan.batch, stream);
    const RecallWeights<double> gradient = recall_gradient(rule, embeddings, weights, batch);
    if (evaluated) {
      const RecallOutput<double> output = recall_output(rule, embeddings, weights, held_out);
      failed = !std::isfinite(output.loss);
      if (failed)
        curve.push_back({.step = done, .loss = std::numeric_limits<double>::infinity()});
      else
        curve.push_back({done,
                         static_cast<double>(output.correct) / static_cast<double>(plan.held_out),
                         output.loss, output.attention.colwise().maxCoeff().mean(),
                         detail::mean_target_weight(held_out, output.attention),
                         std::hypot(gradient.query.norm(), gradient.key.norm()),
                         std::hypot(gradient.value.norm(), gradient.readout.norm())});
    }
    step(weights, gradient);
  }
  return curve;
}

inline LearningCurve train(const TrainingPlan& plan, ScoreRule rule, Eigen::Index d,
                           LearningRates rates, std::uint64_t seed) {
  return train_by(
      plan, rule, d,
      [&](RecallWeights<double>& weights, const RecallWeights<double>& gradient) {
        sgd_step(weights, gradient, rates);
      },
      seed);
}
//! [ScalingAblation]

template <class Question>
std::size_t runs_that(const std::vector<LearningCurve>& curves, Question question) {
  return static_cast<std::size_t>(std::count_if(curves.begin(), curves.end(), question));
}

template <class Question>
std::size_t runs_that(const std::vector<LearningCurve>& curves,
                      const std::vector<LearningCurve>& others, Question question) {
  if (curves.size() != others.size())
    throw std::invalid_argument("there are " + std::to_string(curves.size()) +
                                " curves on one side and " + std::to_string(others.size()) +
                                " on the other, but they are compared one by one");
  std::size_t yes = 0;
  for (std::size_t r = 0; r < curves.size(); ++r) yes += question(curves[r], others[r]) ? 1U : 0U;
  return yes;
}

namespace detail {

inline const TrainingCell& find_cell(const std::vector<TrainingCell>& cells, ScoreRule rule,
                                     Eigen::Index d) {
  for (const TrainingCell& cell : cells)
    if (cell.rule == rule && cell.d == d) return cell;
  throw std::invalid_argument("no layer with the score rule " + std::string(name(rule)) +
                              " and head dimension " + std::to_string(d) + " was trained");
}

inline LearningRates same_rate(int exponent) {
  const double rate = std::exp2(exponent);
  return {rate, rate};
}

inline void require_plan(const TrainingPlan& plan) {
  require_training(plan);
  const auto require_some = [](const std::string& what, std::size_t count) {
    if (count == 0)
      throw std::invalid_argument("the plan has no " + what + ", but needs at least 1");
  };
  require_some("head dimension", plan.dimensions.size());
  for (const ScoreRule rule : score_rules) {
    const auto rates = plan.rate_exponents.find(rule);
    require_some(std::string("learning rate for the score rule ") + name(rule),
                 rates == plan.rate_exponents.end() ? 0 : rates->second.size());
  }
  require_some("repetition", plan.repetitions);
  require_some("seed for tuning", plan.tuning_seeds);
  require_some("seed", plan.seeds);
  for (const Eigen::Index d : plan.dimensions) require_at_least("the head dimension", d, 1);
}

inline void choose_rates(const TrainingPlan& plan, TrainingCell& cell) {
  const std::vector<int>& exponents = plan.rate_exponents.at(cell.rule);
  cell.tuning.resize(exponents.size());
  for (std::size_t r = 0; r < plan.repetitions; ++r) {
    std::vector<double> sums(exponents.size(), 0);
    for (std::size_t i = 0; i < exponents.size() && exponents.size() > 1; ++i)
      for (std::size_t t = 0; t < plan.tuning_seeds; ++t) {
        const std::uint64_t seed = plan.tuning_seed(r * plan.tuning_seeds + t);
        cell.tuning[i].push_back(train(plan, cell.rule, cell.d, same_rate(exponents[i]), seed));
        sums[i] += mean_accuracy(cell.tuning[i].back());
      }
    cell.rate_exponents.insert(cell.rate_exponents.end(), plan.seeds, exponents[best_rate(sums)]);
  }
}

inline void train_all(const TrainingPlan& plan, TrainingCell& cell) {
  for (std::size_t run = 0; run < plan.runs(); ++run)
    cell.curves.push_back(
        train(plan, cell.rule, cell.d, same_rate(cell.rate_exponents[run]), plan.seed(run)));
}

}  // namespace detail

inline const TrainingCell& TrainingRun::cell(ScoreRule rule, Eigen::Index d) const {
  return detail::find_cell(cells, rule, d);
}

inline const TrainingCell& TrainingRun::borrowed_cell(Eigen::Index d) const {
  return detail::find_cell(borrowed, ScoreRule::unscaled, d);
}

inline std::vector<double> sweep(const TrainingCell& cell) {
  std::vector<double> means;
  for (const std::vector<LearningCurve>& curves : cell.tuning) {
    double sum = 0;
    for (const LearningCurve& curve : curves) sum += mean_accuracy(curve);
    if (!curves.empty()) means.push_back(sum / static_cast<double>(curves.size()));
  }
  return means;
}

inline int usual_rate_exponent(const TrainingCell& cell) {
  std::map<int, std::size_t> times;
  for (const int exponent : cell.rate_exponents) ++times[exponent];
  return std::max_element(times.begin(), times.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

//! [AdditiveVersusDotProduct]
inline std::size_t best_rate(std::span<const double> mean_accuracies) {
  return static_cast<std::size_t>(std::max_element(mean_accuracies.begin(), mean_accuracies.end()) -
                                  mean_accuracies.begin());
}

inline TrainingRun run_training(
    const TrainingPlan& plan,
    const std::function<void(std::size_t, std::size_t, const std::string&)>& progress) {
  detail::require_plan(plan);
  const std::size_t all = plan.dimensions.size() * (std::size(score_rules) + 1);
  TrainingRun run{plan, {}, {}};
  const auto announce = [&](const std::string& what, Eigen::Index d) {
    if (progress)
      progress(run.cells.size() + run.borrowed.size(), all, what + ", d = " + std::to_string(d));
  };
  for (const Eigen::Index d : plan.dimensions) {
    for (const ScoreRule rule : score_rules) {
      announce(name(rule), d);
      TrainingCell cell{rule, d, {}, {}, {}};
      detail::choose_rates(plan, cell);
      detail::train_all(plan, cell);
      run.cells.push_back(std::move(cell));
    }
    announce("unscaled with the rate of root", d);
    TrainingCell cell{ScoreRule::unscaled, d, {}, run.cell(ScoreRule::root, d).rate_exponents, {}};
    detail::train_all(plan, cell);
    run.borrowed.push_back(std::move(cell));
  }
  return run;
}
//! [AdditiveVersusDotProduct]

}  // namespace sqrtdk
