// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref training : attention is trained with five score rules, and compared.
#pragma once

#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/recall_layer.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <ostream>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace sqrtdk {

/// How far each weight moves against its gradient.
struct LearningRates {
  double attention;  ///< for W_Q, W_K, w and λ
  double others;     ///< for W_V and W_O
};

/// A step of plain gradient descent: each weight less rate times gradient.
///
/// Implements \ref ScalingIsStartAndRate.
/// \param weights  changed in place.
/// \param gradient of the same shape.
/// \param rates    any numbers.
template <class Scalar>
void descend(RecallWeights<Scalar>& weights, const RecallWeights<Scalar>& gradient,
             LearningRates rates);

/// The start at which an unscaled layer does what a layer with the root scale does: W_Q and W_K
/// divided by d^(1/4).
///
/// Implements \ref ScalingIsStartAndRate.
template <class Scalar>
RecallWeights<Scalar> start_without_scale(RecallWeights<Scalar> weights);

/// The rates at which it also learns what that layer learns: the rate of the attention divided by
/// √d.
///
/// Implements \ref ScalingIsStartAndRate.
/// \param rates those of the layer with the root scale.
/// \param d     the head dimension, at least 1.
LearningRates rates_without_scale(LearningRates rates, Eigen::Index d);

/// What an experiment trains, and for how long. Nothing in it depends on the score rule.
struct TrainingPlan {
  RecallTask task;                       ///< sizes of the task
  std::vector<Eigen::Index> dimensions;  ///< head dimensions d
  std::vector<int> rate_exponents;       ///< rates to try are 2^exponent
  Eigen::Index steps = 0;                ///< the budget of each run
  Eigen::Index batch = 32;               ///< fresh sequences in each step
  Eigen::Index every = 4;                ///< steps from one evaluation to the next
  Eigen::Index held_out = 128;           ///< sequences in an evaluation
  std::size_t tuning_seeds = 0;          ///< runs for each rate that is tried
  std::size_t seeds = 0;                 ///< runs with the rate that was chosen
  std::uint64_t first_seed = 0;          ///< runs have seeds from this one on
};

/// The seed of the first run of the experiment in the book. It is fixed, whatever the master seed
/// of the properties: the experiment is one and the same in every run.
inline constexpr std::uint64_t default_training_seed = 20170612;

/// What the properties train, in a few seconds: d = 4 and 64.
TrainingPlan quick_plan(std::uint64_t first_seed = default_training_seed);

/// Some minutes: twice as many symbols, values and pairs, and d = 4, 16, 64, 256.
TrainingPlan full_plan(std::uint64_t first_seed = default_training_seed);

/// What is seen of a layer at one evaluation.
struct Evaluation {
  Eigen::Index step = 0;          ///< how many steps it has learned
  double accuracy = 0;            ///< share of held-out sequences answered rightly
  double loss = 0;                ///< cross-entropy on them; infinite once numbers overflow
  double peak = 0;                ///< mean of the largest attention weight
  double aim = 0;                 ///< mean attention weight of the pair that is asked for
  double attention_gradient = 0;  ///< Euclidean norm of the gradient by W_Q and W_K, on the batch
  double other_gradient = 0;      ///< the same by W_V and W_O
};

/// A layer from its first evaluation to its last.
using LearningCurve = std::vector<Evaluation>;

/// Trains one layer by stochastic gradient descent, a fresh batch in each step.
///
/// Once the loss on held-out data is not finite the run has failed: its accuracy counts as 0 from
/// there on. Implements \ref ScalingAblation.
/// \param plan  sizes and budget.
/// \param rule  how queries and keys make scores.
/// \param d     the head dimension, at least 1.
/// \param rates of the descent.
/// \param seed  of embeddings, start, batches and held-out sequences; the rule does not enter.
/// \throws std::invalid_argument if the plan has no step, sequence or evaluation, or d is below 1.
LearningCurve train(const TrainingPlan& plan, ScoreRule rule, Eigen::Index d, LearningRates rates,
                    std::uint64_t seed);

/// The accuracy from which a layer counts as having learned the task.
inline constexpr double learned_accuracy = 0.9;

/// Whether a layer has learned the task at the end: its last accuracy is at least learned_accuracy.
bool has_learned(const LearningCurve& curve);

/// The weight from which attention counts as aimed: more than all other pairs together get.
inline constexpr double aimed_weight = 0.5;

/// Whether a layer has learned where to look: at the end, the pair that is asked for gets more than
/// aimed_weight on average.
bool aims(const LearningCurve& curve);

/// The first evaluated step with an accuracy of at least learned_accuracy; infinite if none has it.
double steps_to_learn(const LearningCurve& curve);

/// Mean accuracy over all evaluations: the area below the learning curve, from 0 to 1.
double mean_accuracy(const LearningCurve& curve);

/// Whether one layer learns faster than another: its mean accuracy is greater.
bool learns_faster(const LearningCurve& curve, const LearningCurve& other);

/// Two layers learn alike if neither takes this many times the steps of the other.
inline constexpr double alike_factor = 2;

/// Whether two layers learn alike: both learn, and the ratio of their steps lies strictly between
/// 1/alike_factor and alike_factor.
bool learn_alike(const LearningCurve& curve, const LearningCurve& other);

/// A gradient counts as almost zero if it is less than this share of the scaled layer's.
inline constexpr double almost_zero_share = 0.1;

/// Whether the first gradient that a layer's attention gets is almost zero.
/// \param curve  of the layer.
/// \param scaled of a layer with the root scale that starts from the same weights.
bool starts_with_almost_no_gradient(const LearningCurve& curve, const LearningCurve& scaled);

/// The share of right answers below which a layer has not learned the task yet.
inline constexpr double half_learned_accuracy = 0.5;

/// Whether the gradient that a layer's attention gets becomes almost zero before the layer has
/// learned: at some evaluation less than half of its answers are right, and the norm is less than
/// almost_zero_share of the scaled layer's first.
///
/// A run that has failed has no gradient, and does not count.
/// \param curve  of the layer.
/// \param scaled of a layer with the root scale that starts from the same weights.
bool loses_its_gradient(const LearningCurve& curve, const LearningCurve& scaled);

/// All runs of one rule at one head dimension.
struct TrainingCell {
  ScoreRule rule = ScoreRule::unscaled;  ///< the rule
  Eigen::Index d = 0;                    ///< the head dimension
  std::vector<double> sweep;             ///< mean accuracy for each rate that was tried
  int rate_exponent = 0;                 ///< the rate that was chosen is 2^rate_exponent
  std::vector<LearningCurve> curves;     ///< one for each seed, with that rate
};

/// How many seeds answer a question with yes.
/// \param cell     curves, one for each seed.
/// \param question a predicate on a curve.
template <class Question>
std::size_t seeds_that(const TrainingCell& cell, Question question);

/// How many seeds answer a question about two cells with yes.
/// \param cell     curves, one for each seed.
/// \param other    curves with the same seeds.
/// \param question a predicate on two curves of one seed.
/// \throws std::invalid_argument if the numbers of curves differ.
template <class Question>
std::size_t seeds_that(const TrainingCell& cell, const TrainingCell& other, Question question);

/// All runs of an experiment.
struct TrainingRun {
  TrainingPlan plan;                   ///< what was asked for
  std::vector<TrainingCell> cells;     ///< every rule at every d, each with the rate that suits it
  std::vector<TrainingCell> borrowed;  ///< the unscaled rule at every d, with the root rule's rate

  /// The cell of a rule at a dimension.
  /// \throws std::invalid_argument if there is none.
  const TrainingCell& cell(ScoreRule rule, Eigen::Index d) const;
  /// The cell of the unscaled rule with a borrowed rate.
  /// \throws std::invalid_argument if there is none.
  const TrainingCell& borrowed_cell(Eigen::Index d) const;
};

/// The place of the largest mean accuracy of a sweep; of the smaller rate if two are equal.
///
/// This is how every rule gets its rate, on seeds that are not used again.
/// \param sweep not empty, from the smallest rate to the largest.
std::size_t best_rate(std::span<const double> sweep);

/// Runs a whole experiment.
///
/// Implements \ref ScalingAblation, \ref AdditiveVersusDotProduct.
/// \param plan     what to train.
/// \param progress called before each cell with the number of cells done, of all, and its name.
/// \throws std::invalid_argument if the plan has no dimension, rate, seed or step.
TrainingRun run_training(
    const TrainingPlan& plan,
    const std::function<void(std::size_t, std::size_t, const std::string&)>& progress = {});

/// All runs of one rule at one head dimension with every rate of a plan, from the first to the
/// last: what does not depend on how a rate is chosen can be seen here.
///
/// Implements \ref ScalingAblation.
/// \return a cell for each rate, without a sweep.
/// \throws std::invalid_argument as run_training().
std::vector<TrainingCell> train_at_every_rate(const TrainingPlan& plan, ScoreRule rule,
                                              Eigen::Index d);

/// −log₂ of the probability, over the choice of the seeds, of a false decision that each sign test
/// of this chapter is allowed.
inline constexpr unsigned decision_exponent = 26;

/// The probability that a fair coin shows at least this many heads: Σ_{k≥heads} C(n, k) / 2ⁿ.
/// \param heads from 0 to n.
/// \param n     the number of tosses.
/// \throws std::invalid_argument if there are more heads than tosses.
Rational coin_tail(std::size_t heads, std::size_t n);

/// What an experiment says about a yes-or-no question that each seed answers.
enum class Decision {
  yes,       ///< more yes than chance explains
  no,        ///< more no than chance explains
  undecided  ///< neither
};

/// Writes `yes`, `no` or `undecided`.
std::ostream& operator<<(std::ostream& out, Decision decision);

/// The sign test: is the answer of a seed more often yes than no, or the reverse?
///
/// If both are equally likely, it is called undecided with probability 1 − α at least. Implements
/// \ref SignsDecideSafely.
/// \param yes   seeds that say yes.
/// \param n     all seeds; each of them that does not say yes counts as a no.
/// \param alpha the probability of deciding although both are equally likely, in (0, 1); half to
/// each
///              side.
/// \throws std::invalid_argument if more say yes than there are.
Decision sign_test(std::size_t yes, std::size_t n, const Rational& alpha);

/// A median and two order statistics that enclose the median of the law.
struct MedianInterval {
  double low;     ///< x₍ₗ₎
  double median;  ///< of the sample; the mean of the middle two if n is even
  double high;    ///< x₍ₙ₊₁₋ₗ₎
};

/// An interval that covers the median of any law with probability at least 1 − α: from the l-th
/// smallest to the l-th largest, for the largest l with 2 Pr(Bin(n, ½) < l) ≤ α.
///
/// Observations may be infinite: a run that never learns is a run that takes forever. Implements
/// \ref SignsDecideSafely.
/// \param sample n observations, not NaN.
/// \param alpha  in (0, 1); if n is too small for it, the ends are −∞ and ∞.
/// \throws std::invalid_argument if the sample is empty.
MedianInterval median_interval(std::vector<double> sample, const Rational& alpha);

/// The q-quantile of a sample, by linear interpolation between order statistics.
/// \param sample not empty.
/// \param q      from 0 to 1.
/// \throws std::invalid_argument if the sample is empty, std::domain_error if q is out of range.
double sample_quantile(std::vector<double> sample, double q);

// ------------------------------------------------------------------------------------------------

//! [ScalingIsStartAndRate]
template <class Scalar>
void descend(RecallWeights<Scalar>& weights, const RecallWeights<Scalar>& gradient,
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

inline TrainingPlan quick_plan(std::uint64_t first_seed) {
  TrainingPlan plan;
  plan.dimensions = {4, 64};
  plan.rate_exponents = {-5, -4, -3, -2, -1, 0, 1, 2};
  plan.steps = 100;
  plan.tuning_seeds = 6;
  plan.seeds = 48;
  plan.first_seed = first_seed;
  return plan;
}

inline TrainingPlan full_plan(std::uint64_t first_seed) {
  TrainingPlan plan = quick_plan(first_seed);
  plan.task = {.symbols = 32, .values = 32, .pairs = 16, .width = 32};
  plan.dimensions = {4, 16, 64, 256};
  plan.rate_exponents.insert(plan.rate_exponents.begin(), {-8, -7, -6});
  plan.steps = 400;
  plan.every = 5;
  plan.held_out = 256;
  return plan;
}

namespace detail {

/// Mean attention weight of the pair that is asked for.
inline double mean_aim(const RecallBatch& batch, const Eigen::MatrixXd& attention) {
  double sum = 0;
  for (Eigen::Index b = 0; b < batch.size(); ++b) sum += attention(batch.asked[b], b);
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
inline LearningCurve train(const TrainingPlan& plan, ScoreRule rule, Eigen::Index d,
                           LearningRates rates, std::uint64_t seed) {
  detail::require_training(plan);
  const RecallEmbeddings<double> embeddings = draw_embeddings(plan.task, seed);
  RecallWeights<double> weights = initial_weights(plan.task, d, seed);
  TrainingStream stream = training_stream(seed, Purpose::training);
  TrainingStream aside = training_stream(seed, Purpose::held_out);
  const RecallBatch held_out = draw_recall(plan.task, plan.held_out, aside);

  LearningCurve curve;
  bool failed = false;
  for (Eigen::Index step = 0; step <= plan.steps; ++step) {
    const bool evaluated = step % plan.every == 0;
    if (failed && evaluated) curve.push_back({.step = step, .loss = curve.back().loss});
    if (failed) continue;
    const RecallBatch batch = draw_recall(plan.task, plan.batch, stream);
    const RecallWeights<double> gradient = recall_gradient(rule, embeddings, weights, batch);
    if (evaluated) {
      const RecallOutput<double> output = recall_output(rule, embeddings, weights, held_out);
      failed = !std::isfinite(output.loss);
      if (failed)
        curve.push_back({.step = step, .loss = std::numeric_limits<double>::infinity()});
      else
        curve.push_back({step,
                         static_cast<double>(output.right) / static_cast<double>(plan.held_out),
                         output.loss, output.attention.colwise().maxCoeff().mean(),
                         detail::mean_aim(held_out, output.attention),
                         std::hypot(gradient.query.norm(), gradient.key.norm()),
                         std::hypot(gradient.value.norm(), gradient.readout.norm())});
    }
    descend(weights, gradient, rates);
  }
  return curve;
}
//! [ScalingAblation]

inline bool has_learned(const LearningCurve& curve) {
  return curve.back().accuracy >= learned_accuracy;
}

inline bool aims(const LearningCurve& curve) { return curve.back().aim > aimed_weight; }

inline double steps_to_learn(const LearningCurve& curve) {
  for (const Evaluation& evaluation : curve)
    if (evaluation.accuracy >= learned_accuracy) return static_cast<double>(evaluation.step);
  return std::numeric_limits<double>::infinity();
}

inline double mean_accuracy(const LearningCurve& curve) {
  double sum = 0;
  for (const Evaluation& evaluation : curve) sum += evaluation.accuracy;
  return sum / static_cast<double>(curve.size());
}

inline bool learns_faster(const LearningCurve& curve, const LearningCurve& other) {
  return mean_accuracy(curve) > mean_accuracy(other);
}

inline bool learn_alike(const LearningCurve& curve, const LearningCurve& other) {
  const double a = steps_to_learn(curve);
  const double b = steps_to_learn(other);
  return a < alike_factor * b && b < alike_factor * a;
}

inline bool starts_with_almost_no_gradient(const LearningCurve& curve,
                                           const LearningCurve& scaled) {
  return curve.front().attention_gradient < almost_zero_share * scaled.front().attention_gradient;
}

inline bool loses_its_gradient(const LearningCurve& curve, const LearningCurve& scaled) {
  const double almost_zero = almost_zero_share * scaled.front().attention_gradient;
  return std::any_of(curve.begin(), curve.end(), [&](const Evaluation& evaluation) {
    return std::isfinite(evaluation.loss) && evaluation.accuracy < half_learned_accuracy &&
           evaluation.attention_gradient < almost_zero;
  });
}

template <class Question>
std::size_t seeds_that(const TrainingCell& cell, Question question) {
  return static_cast<std::size_t>(std::count_if(cell.curves.begin(), cell.curves.end(), question));
}

template <class Question>
std::size_t seeds_that(const TrainingCell& cell, const TrainingCell& other, Question question) {
  if (cell.curves.size() != other.curves.size())
    throw std::invalid_argument("one cell has " + std::to_string(cell.curves.size()) +
                                " curves and the other " + std::to_string(other.curves.size()) +
                                ", but they are compared seed by seed");
  std::size_t yes = 0;
  for (std::size_t s = 0; s < cell.curves.size(); ++s)
    yes += question(cell.curves[s], other.curves[s]) ? 1U : 0U;
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

/// One rate for all weights.
inline LearningRates same_rate(int exponent) {
  const double rate = std::exp2(exponent);
  return {rate, rate};
}

inline void require_plan(const TrainingPlan& plan) {
  require_training(plan);
  const auto require_some = [](const char* what, std::size_t count) {
    if (count == 0)
      throw std::invalid_argument("the plan has no " + std::string(what) +
                                  ", but needs at least 1");
  };
  require_some("head dimension", plan.dimensions.size());
  require_some("learning rate", plan.rate_exponents.size());
  require_some("seed for tuning", plan.tuning_seeds);
  require_some("seed", plan.seeds);
  for (const Eigen::Index d : plan.dimensions) require_at_least("the head dimension", d, 1);
}

/// Runs a cell with the rate that it already has.
inline void train_all_seeds(const TrainingPlan& plan, TrainingCell& cell) {
  for (std::size_t s = 0; s < plan.seeds; ++s)
    cell.curves.push_back(
        train(plan, cell.rule, cell.d, same_rate(cell.rate_exponent), plan.first_seed + s));
}

}  // namespace detail

inline const TrainingCell& TrainingRun::cell(ScoreRule rule, Eigen::Index d) const {
  return detail::find_cell(cells, rule, d);
}

inline const TrainingCell& TrainingRun::borrowed_cell(Eigen::Index d) const {
  return detail::find_cell(borrowed, ScoreRule::unscaled, d);
}

//! [AdditiveVersusDotProduct]
inline std::size_t best_rate(std::span<const double> sweep) {
  return static_cast<std::size_t>(std::max_element(sweep.begin(), sweep.end()) - sweep.begin());
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
      TrainingCell cell{rule, d, {}, 0, {}};
      for (const int exponent : plan.rate_exponents) {
        double sum = 0;
        for (std::size_t s = 0; s < plan.tuning_seeds; ++s)
          sum += mean_accuracy(
              train(plan, rule, d, detail::same_rate(exponent), plan.first_seed + plan.seeds + s));
        cell.sweep.push_back(sum / static_cast<double>(plan.tuning_seeds));
      }
      cell.rate_exponent = plan.rate_exponents[best_rate(cell.sweep)];
      detail::train_all_seeds(plan, cell);
      run.cells.push_back(std::move(cell));
    }
    announce("unscaled with the rate of root", d);
    TrainingCell cell{ScoreRule::unscaled, d, {}, run.cell(ScoreRule::root, d).rate_exponent, {}};
    detail::train_all_seeds(plan, cell);
    run.borrowed.push_back(std::move(cell));
  }
  return run;
}
//! [AdditiveVersusDotProduct]

inline std::vector<TrainingCell> train_at_every_rate(const TrainingPlan& plan, ScoreRule rule,
                                                     Eigen::Index d) {
  detail::require_plan(plan);
  std::vector<TrainingCell> cells;
  for (const int exponent : plan.rate_exponents) {
    cells.push_back({rule, d, {}, exponent, {}});
    detail::train_all_seeds(plan, cells.back());
  }
  return cells;
}

//! [SignsDecideSafely]
inline Rational coin_tail(std::size_t heads, std::size_t n) {
  if (heads > n)
    throw std::invalid_argument("there are " + std::to_string(heads) + " heads in " +
                                std::to_string(n) + " tosses, but there cannot be more");
  Integer ways = 1;  // C(n, k), from k = n down
  Integer sum = 0;
  for (std::size_t k = n;; --k) {
    sum += ways;
    if (k == heads) break;
    ways = ways * k / (n - k + 1);
  }
  return Rational(sum, Integer(1) << static_cast<unsigned>(n));
}

inline Decision sign_test(std::size_t yes, std::size_t n, const Rational& alpha) {
  if (coin_tail(yes, n) <= alpha / 2) return Decision::yes;
  if (coin_tail(n - yes, n) <= alpha / 2) return Decision::no;
  return Decision::undecided;
}

inline MedianInterval median_interval(std::vector<double> sample, const Rational& alpha) {
  const double median = sample_quantile(sample, 0.5);
  std::sort(sample.begin(), sample.end());
  const std::size_t n = sample.size();
  // Pr(Bin(n, ½) < l) is coin_tail(n − l + 1, n), by symmetry.
  std::size_t l = 0;
  while (2 * (l + 1) <= n + 1 && 2 * coin_tail(n - l, n) <= alpha) ++l;
  if (l == 0)
    return {-std::numeric_limits<double>::infinity(), median,
            std::numeric_limits<double>::infinity()};
  return {sample[l - 1], median, sample[n - l]};
}
//! [SignsDecideSafely]

inline std::ostream& operator<<(std::ostream& out, Decision decision) {
  switch (decision) {
    case Decision::yes:
      return out << "yes";
    case Decision::no:
      return out << "no";
    case Decision::undecided:
      return out << "undecided";
  }
  return out;
}

inline double sample_quantile(std::vector<double> sample, double q) {
  if (sample.empty()) throw std::invalid_argument("the sample is empty, but needs a number");
  if (!(q >= 0 && q <= 1))
    throw std::domain_error("the quantile is " + detail::shown(q) + ", but must be from 0 to 1");
  std::sort(sample.begin(), sample.end());
  const double place = q * static_cast<double>(sample.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const double share = place - static_cast<double>(below);
  if (share == 0) return sample[below];  // so that an infinite neighbour does not matter
  return (1 - share) * sample[below] + share * sample[below + 1];
}

}  // namespace sqrtdk
