// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref training : what is seen of a layer while it learns, and what is asked of it.
#pragma once

#include <sqrtdk/numbers/float_environment.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace sqrtdk {

/// A layer's measurements at one evaluation.
struct Evaluation {
  Eigen::Index step = 0;     ///< the number of steps learned
  double accuracy = 0;       ///< share of held-out sequences answered correctly
  double loss = 0;           ///< cross-entropy on them; infinite once numbers overflow
  double peak = 0;           ///< mean of the largest attention weight
  double target_weight = 0;  ///< mean attention weight of the pair that is asked for
  double attention_gradient =
      0;  ///< Euclidean norm of the gradient with respect to W_Q and W_K, on the batch
  double other_gradient = 0;  ///< the same with respect to W_V and W_O
};

/// A layer from its first evaluation to its last.
using LearningCurve = std::vector<Evaluation>;

/// The accuracy from which a layer counts as having learned the task.
inline constexpr double learned_accuracy = 0.9;

/// True if a layer has learned the task at the end: its last accuracy is at least learned_accuracy.
bool has_learned(const LearningCurve& curve);

/// The weight above which attention attends to its target: more than all other pairs together get.
inline constexpr double attending_weight = 0.5;

/// True if, at the end, the pair asked for gets more than attending_weight on average.
bool attends_to_target(const LearningCurve& curve);

/// The first evaluated step with an accuracy of at least learned_accuracy; infinite if none has it.
double steps_to_learn(const LearningCurve& curve);

/// Mean accuracy over all evaluations: the area below the learning curve, from 0 to 1.
double mean_accuracy(const LearningCurve& curve);

/// True if one layer learns faster than another: its mean accuracy is greater.
bool learns_faster(const LearningCurve& curve, const LearningCurve& other);

/// Two layers learn alike if neither takes this many times the steps of the other.
inline constexpr double alike_factor = 2;

/// True if both layers learn, with a ratio of steps strictly from 1/alike_factor to alike_factor.
bool learn_alike(const LearningCurve& curve, const LearningCurve& other);

/// A gradient counts as almost zero if it is less than this share of the scaled layer's.
inline constexpr double almost_zero_share = 0.1;

/// True if the first gradient that a layer's attention gets is almost zero.
/// \param curve  of the layer.
/// \param scaled of a layer with the root scale that starts from the same weights.
bool starts_with_almost_no_gradient(const LearningCurve& curve, const LearningCurve& scaled);

/// The share of correct answers below which a layer has not learned the task yet.
inline constexpr double half_learned_accuracy = 0.5;

/// True if the gradient that a layer's attention gets becomes almost zero while less than half of
/// its answers are correct: at some evaluation they are so few, and the norm is less than
/// almost_zero_share of the scaled layer's first. A run that has failed has no gradient, and does
/// not count.
///
/// \param curve  of the layer.
/// \param scaled of a layer with the root scale that starts from the same weights.
bool loses_its_gradient(const LearningCurve& curve, const LearningCurve& scaled);

// Implementation

inline bool has_learned(const LearningCurve& curve) {
  return curve.back().accuracy >= learned_accuracy;
}

inline bool attends_to_target(const LearningCurve& curve) {
  return curve.back().target_weight > attending_weight;
}

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

}  // namespace sqrtdk
