// The layer of chapter \ref training and its sequences, in doubles and fifty digits; compiled once.
#pragma once

#include <sqrtdk/testing/laws/wide.hpp>
#include <sqrtdk/training/recall_layer.hpp>
#include <sqrtdk/training/recall_task.hpp>

namespace sqrtdk {

extern template RecallBatch draw_recall(const RecallTask&, Eigen::Index, TrainingStream&);

#define RECALL_LAYER(prefix, Real)                                                               \
  prefix template RecallOutput<Real> recall_output(                                              \
      ScoreRule, const RecallEmbeddings<Real>&, const RecallWeights<Real>&, const RecallBatch&); \
  prefix template RecallWeights<Real> recall_gradient(                                           \
      ScoreRule, const RecallEmbeddings<Real>&, const RecallWeights<Real>&, const RecallBatch&,  \
      const RecallLinks<Real>&);                                                                 \
  prefix template RecallLinks<Real>::Matrix cross_entropy_vjp<Real>(                             \
      const RecallLinks<Real>::Matrix&, const RecallBatch&);                                     \
  prefix template RecallLinks<Real>::Matrix value_vjp<Real>(const RecallLinks<Real>::Matrix&,    \
                                                            const RecallLinks<Real>::Matrix&);   \
  prefix template RecallLinks<Real>::Vector softmax_vjp<Real>(const RecallLinks<Real>::Vector&,  \
                                                              const RecallLinks<Real>::Vector&); \
  prefix template ScoreGradients<Real> score_vjp(ScoreRule, const RecallWeights<Real>&,          \
                                                 const RecallPass<Real>&,                        \
                                                 const RecallLinks<Real>::Matrix&);
RECALL_LAYER(extern, double)
RECALL_LAYER(extern, testing::Wide)

}  // namespace sqrtdk
