// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref learning : Adam, and whether a rate that suits a small head suits a large one.
#pragma once

#include <sqrtdk/numbers/require.hpp>
#include <sqrtdk/training.hpp>
#include <sqrtdk/training/recall_layer.hpp>

#include <Eigen/Core>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace sqrtdk {

/// The constants of Adam, as its authors give them.
struct AdamConstants {
  double mean_decay = 0.9;      ///< β₁, from 0 to below 1
  double square_decay = 0.999;  ///< β₂, from 0 to below 1
  double epsilon = 1e-8;        ///< ε, at least 0
};

/// Running means of Adam for a matrix: Σ(1 − β)β^(t−s) g_s over the gradients so far, that of their
/// squares, and 1 − β^t, the sum of the factors, by which a division corrects the bias.
template <class Scalar>
struct AdamMoments {
  using Matrix = typename RecallWeights<Scalar>::Matrix;  ///< dynamic-size matrix of Scalar

  Matrix mean;             ///< of gradients; without entries before the first
  Matrix square;           ///< of their squares, entry by entry
  Scalar mean_share{0};    ///< 1 − β₁^t after t gradients; 0 before the first
  Scalar square_share{0};  ///< 1 − β₂^t after t gradients; 0 before the first
};

/// Adds a gradient to the running means.
/// \param moments   changed in place.
/// \param gradient  finite, of the same shape in each step.
/// \param constants β₁ and β₂.
/// \implements{RatesTransfer}
/// \relatesalso AdamMoments
template <class Scalar>
void update_moments(AdamMoments<Scalar>& moments,
                    const typename AdamMoments<Scalar>::Matrix& gradient,
                    const AdamConstants& constants = {});

/// The amount that a step of Adam takes from a matrix per unit of the rate: m̂/(√v̂ + ε), entry by
/// entry, where m̂ and v̂ are the corrected means.
/// \param moments   after at least one gradient.
/// \param constants ε.
/// \implements{RatesTransfer}
/// \relatesalso AdamMoments
template <class Scalar>
typename AdamMoments<Scalar>::Matrix adam_direction(const AdamMoments<Scalar>& moments,
                                                    const AdamConstants& constants = {});

/// The method that moves weights.
enum class Optimizer {
  descent,  ///< sgd_step()
  adam      ///< adam_direction()
};

/// The factor of the attention's rate from one head dimension to another, if the
/// first step is to move scores as far: (to/from)^p, where p is 0 for descent and the root, 1 for
/// descent and d, −1/2 for Adam and the root, 0 for Adam and d.
/// \param optimizer descent or Adam.
/// \param rule      root or linear.
/// \param from      the head dimension that the rate suits, at least 1.
/// \param to        the head dimension that a rate is wanted for, at least 1.
/// \throws std::domain_error if a dimension is below 1 or the rule is another.
/// \implements{RatesTransfer}
/// \relatesalso LearningRates
double rate_factor(Optimizer optimizer, ScoreRule rule, Eigen::Index from, Eigen::Index to);

/// A way to train whose rates are tuned in small heads.
struct TransferArm {
  Optimizer optimizer = Optimizer::descent;  ///< what moves the weights: descent or Adam
  ScoreRule rule = ScoreRule::root;          ///< how layers score: root or linear
  int other_exponent = 0;  ///< W_V and W_O have the rate 2^this, which is not tuned
  /// Exponents e, at least one for run_transfer(), ascending: W_Q and W_K are tried with each rate
  /// 2^e, and of equally good rates the first is taken.
  std::vector<int> rate_exponents;
};

/// An experiment's plan. The dimensions and rates in `training` are not used.
struct TransferPlan {
  TrainingPlan training;          ///< sizes, budget, repetitions and seeds
  Eigen::Index from = 4;          ///< the head dimension in which rates are tuned
  Eigen::Index to = 64;           ///< the head dimension in which they are used
  std::vector<TransferArm> arms;  ///< the ways to train that are compared
};

/// The plan of the book.
/// \param first_seed of the first repetition.
/// \relatesalso TransferPlan
TransferPlan transfer_plan(std::uint64_t first_seed);

/// A predicted rate is compared with this many times it, and with this part of it.
inline constexpr double far_off = 4;

/// All runs of an arm in the large head.
struct TransferCell {
  TransferArm arm;                       ///< the way to train that these are runs of
  std::vector<int> chosen;               ///< the exponent that did best in the small head
  std::vector<LearningCurve> same;       ///< in the large head, with that rate as it is
  std::vector<LearningCurve> predicted;  ///< with that rate times rate_factor()
  std::vector<LearningCurve> higher;     ///< with far_off times the predicted rate
  std::vector<LearningCurve> lower;      ///< with the predicted rate over far_off
};

/// Trains a layer with an arm.
/// \param plan     sizes and budget.
/// \param arm      optimizer, rule, and the rate of W_V and W_O.
/// \param d        the head dimension, at least 1.
/// \param rate     of W_Q and W_K.
/// \param seed     of everything that is drawn.
/// \throws std::domain_error as train().
/// \relatesalso TransferArm
LearningCurve train_arm(const TrainingPlan& plan, const TransferArm& arm, Eigen::Index d,
                        double rate, std::uint64_t seed);

/// Runs the whole experiment. Each repetition tunes each arm in the small head, on seeds of its own,
/// and trains large heads from one seed more: with the same rate, the predicted one, and two others.
/// \param plan what to train.
/// \throws std::invalid_argument if an arm has no rate to try.
/// \throws std::domain_error as train() and rate_factor().
/// \return a cell for each arm.
/// \implements{RatesTransfer}
/// \relatesalso TransferPlan
std::vector<TransferCell> run_transfer(const TransferPlan& plan);

// Implementation

//! [RatesTransfer]
template <class Scalar>
void update_moments(AdamMoments<Scalar>& moments,
                    const typename AdamMoments<Scalar>::Matrix& gradient,
                    const AdamConstants& constants) {
  const Scalar mean_decay(constants.mean_decay);
  const Scalar square_decay(constants.square_decay);
  if (moments.mean.size() == 0) moments.mean = moments.square = 0 * gradient;
  moments.mean = mean_decay * moments.mean + (1 - mean_decay) * gradient;
  moments.square =
      square_decay * moments.square + (1 - square_decay) * gradient.cwiseProduct(gradient);
  moments.mean_share = mean_decay * moments.mean_share + (1 - mean_decay);
  moments.square_share = square_decay * moments.square_share + (1 - square_decay);
}

template <class Scalar>
typename AdamMoments<Scalar>::Matrix adam_direction(const AdamMoments<Scalar>& moments,
                                                    const AdamConstants& constants) {
  const auto root = (moments.square / moments.square_share).array().sqrt();
  return (moments.mean / moments.mean_share).array() / (root + Scalar(constants.epsilon));
}

inline double rate_factor(Optimizer optimizer, ScoreRule rule, Eigen::Index from, Eigen::Index to) {
  detail::require_at_least("the head dimension to come from", from, 1);
  detail::require_at_least("the head dimension to go to", to, 1);
  if (rule != ScoreRule::root && rule != ScoreRule::linear)
    throw std::domain_error(std::string("the score rule is ") + name(rule) +
                            ", but must be root or linear");
  const double ratio = static_cast<double>(to) / static_cast<double>(from);
  if (optimizer == Optimizer::descent) return rule == ScoreRule::root ? 1 : ratio;
  return rule == ScoreRule::root ? 1 / std::sqrt(ratio) : 1;
}
//! [RatesTransfer]

inline TransferPlan transfer_plan(std::uint64_t first_seed) {
  TransferPlan plan;
  plan.training = quick_plan(first_seed);
  plan.training.every = 10;
  plan.training.repetitions = 40;
  plan.arms = {{Optimizer::descent, ScoreRule::root, 0, {-2, -1, 0, 1, 2}},
               {Optimizer::descent, ScoreRule::linear, 0, {-2, -1, 0, 1, 2}},
               {Optimizer::adam, ScoreRule::root, -4, {-6, -5, -4, -3, -2}},
               {Optimizer::adam, ScoreRule::linear, -4, {-5, -4, -3, -2, -1}}};
  return plan;
}

inline LearningCurve train_arm(const TrainingPlan& plan, const TransferArm& arm, Eigen::Index d,
                               double rate, std::uint64_t seed) {
  const LearningRates rates = {rate, std::exp2(arm.other_exponent)};
  if (arm.optimizer == Optimizer::descent) return train(plan, arm.rule, d, rates, seed);
  AdamMoments<double> query, key, value, readout;
  const auto move = [](Eigen::MatrixXd& weights, AdamMoments<double>& moments,
                       const Eigen::MatrixXd& gradient, double of_this) {
    update_moments(moments, gradient);
    weights -= of_this * adam_direction(moments);
  };
  return train_by(
      plan, arm.rule, d,
      [&](RecallWeights<double>& weights, const RecallWeights<double>& gradient) {
        move(weights.query, query, gradient.query, rates.attention);
        move(weights.key, key, gradient.key, rates.attention);
        move(weights.value, value, gradient.value, rates.others);
        move(weights.readout, readout, gradient.readout, rates.others);
      },
      seed);
}

inline std::vector<TransferCell> run_transfer(const TransferPlan& plan) {
  const TrainingPlan& training = plan.training;
  std::vector<TransferCell> cells;
  for (const TransferArm& arm : plan.arms) {
    if (arm.rate_exponents.empty())
      throw std::invalid_argument("an arm has no rate exponent, but needs at least 1");
    TransferCell cell{arm, {}, {}, {}, {}, {}};
    const double factor = rate_factor(arm.optimizer, arm.rule, plan.from, plan.to);
    for (std::size_t r = 0; r < training.repetitions; ++r) {
      std::vector<double> sums(arm.rate_exponents.size(), 0);
      for (std::size_t i = 0; i < sums.size(); ++i)
        for (std::size_t t = 0; t < training.tuning_seeds; ++t)
          sums[i] +=
              mean_accuracy(train_arm(training, arm, plan.from, std::exp2(arm.rate_exponents[i]),
                                      training.tuning_seed(r * training.tuning_seeds + t)));
      cell.chosen.push_back(arm.rate_exponents[best_rate(sums)]);
      const double rate = std::exp2(cell.chosen.back());
      const auto in_large_head = [&](double of_attention) {
        return train_arm(training, arm, plan.to, of_attention, training.seed(r));
      };
      cell.predicted.push_back(in_large_head(rate * factor));
      cell.same.push_back(factor == 1 ? cell.predicted.back() : in_large_head(rate));
      cell.higher.push_back(in_large_head(rate * factor * far_off));
      cell.lower.push_back(in_large_head(rate * factor / far_off));
    }
    cells.push_back(cell);
  }
  return cells;
}

}  // namespace sqrtdk
