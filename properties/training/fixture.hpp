// Code shared by the claims of chapter \ref training.
#pragma once

#include <sqrtdk/testing/generators/worst_case.hpp>
#include <sqrtdk/testing/kit.hpp>
#include <sqrtdk/testing/statistics/streams.hpp>
#include <sqrtdk/training/recall_layer.hpp>
#include <sqrtdk/training/recall_task.hpp>

#include "properties/support/compiled_layer.hpp"

#include <boost/multiprecision/eigen.hpp>

namespace sqrtdk::properties {
inline namespace chapter_training {

using namespace sqrtdk::testing;

inline constexpr double infinity = std::numeric_limits<double>::infinity();

using Links = RecallLinks<Wide>;
using WideMatrix = Links::Matrix;

/// As the page derives it: rounding in either route cannot reach this.
inline const Wide gradient_error_bound = ldexp(Wide(1), -80);

struct Scene {
  RecallTask task;
  ScoreRule rule;
  RecallEmbeddings<Wide> embeddings;
  RecallWeights<Wide> weights;
  RecallBatch batch;
};

inline WideMatrix small_numbers(Eigen::Index rows, Eigen::Index columns, Stream& stream) {
  WideMatrix result(rows, columns);
  for (Wide& entry : result.reshaped()) entry = std::round((uniform(stream) - 0.5) * 1024) / 1024;
  return result;
}

inline RecallWeights<Wide> small_weights(const RecallTask& task, Eigen::Index d, Stream& stream) {
  RecallWeights<Wide> weights;
  weights.query = small_numbers(d, task.width, stream);
  weights.key = small_numbers(d, task.width, stream);
  weights.direction = small_numbers(d, 1, stream);
  weights.log_scale = small_numbers(1, 1, stream)(0, 0);
  weights.value = small_numbers(task.width, task.width, stream);
  weights.readout = small_numbers(task.values, task.width, stream);
  return weights;
}

/// At most 4 pairs of 5 symbols, vectors of at most 3 numbers, 3 sequences, d at most 4.
inline Scene any_scene() {
  const auto from_to = [](Eigen::Index least, Eigen::Index most) {
    return rc::gen::inRange<Eigen::Index>(least, most + 1);
  };
  Scene scene;
  scene.rule =
      *rc::gen::elementOf(std::vector<ScoreRule>(std::begin(score_rules), std::end(score_rules)))
           .as("score rule");
  scene.task.pairs = *from_to(1, 4).as("pairs");
  scene.task.symbols = *from_to(scene.task.pairs, 5).as("key symbols");
  scene.task.values = *from_to(scene.task.pairs, 5).as("value symbols");
  scene.task.width = *from_to(1, 3).as("width");
  const Eigen::Index d = *from_to(1, 4).as("head dimension");
  const Eigen::Index sequences = *from_to(1, 3).as("sequences");
  const auto seed = *rc::gen::arbitrary<std::uint64_t>().as("seed of the numbers");
  Stream stream = stream_of(seed, "scene");
  scene.embeddings = {small_numbers(scene.task.width, scene.task.symbols, stream),
                      small_numbers(scene.task.width, scene.task.values, stream)};
  scene.weights = small_weights(scene.task, d, stream);
  scene.batch = draw_recall(scene.task, sequences, stream);
  return scene;
}

/// The loss once more, from its definition: no matrix products, no table of scores, no shifts.
/// \tparam Real a number that knows its own derivative.
template <class Real>
Real loss_by_definition(const Scene& scene, const RecallWeights<Real>& at) {
  using std::exp;
  using std::log;
  using std::sqrt;
  using std::tanh;
  const Eigen::Index width = scene.task.width;
  const Eigen::Index d = scene.weights.query.rows();
  const auto embedded = [&](const auto& matrix, const WideMatrix& embedding, Eigen::Index row,
                            Eigen::Index symbol) {
    Real sum(0);
    for (Eigen::Index j = 0; j < width; ++j) sum += matrix(row, j) * embedding(j, symbol);
    return sum;
  };
  Real loss(0);
  for (Eigen::Index b = 0; b < scene.batch.size(); ++b) {
    std::vector<Real> powers;
    Real total(0);
    for (Eigen::Index i = 0; i < scene.task.pairs; ++i) {
      Real score(0);
      for (Eigen::Index r = 0; r < d; ++r) {
        const Real q = embedded(at.query, scene.embeddings.keys, r, scene.batch.query(b));
        const Real k = embedded(at.key, scene.embeddings.keys, r, scene.batch.keys(i, b));
        score +=
            scene.rule == ScoreRule::additive ? Real(at.direction[r] * tanh(q + k)) : Real(q * k);
      }
      if (scene.rule == ScoreRule::root) score /= sqrt(Wide(d));
      if (scene.rule == ScoreRule::linear) score /= Wide(d);
      if (scene.rule == ScoreRule::learned) score *= exp(at.log_scale);
      powers.push_back(exp(score));
      total += powers.back();
    }
    std::vector<Real> outputs(static_cast<std::size_t>(width), Real(0));
    for (Eigen::Index i = 0; i < scene.task.pairs; ++i)
      for (Eigen::Index r = 0; r < width; ++r)
        outputs[static_cast<std::size_t>(r)] +=
            powers[static_cast<std::size_t>(i)] / total *
            embedded(at.value, scene.embeddings.values, r, scene.batch.values(i, b));
    Real sum(0);
    Real right(0);
    for (Eigen::Index c = 0; c < scene.task.values; ++c) {
      Real logit(0);
      for (Eigen::Index r = 0; r < width; ++r)
        logit += at.readout(c, r) * outputs[static_cast<std::size_t>(r)];
      sum += exp(logit);
      if (c == scene.batch.answer(b)) right = logit;
    }
    loss += log(sum) - right;
  }
  return loss / Wide(scene.batch.size());
}

}  // namespace chapter_training
}  // namespace sqrtdk::properties
