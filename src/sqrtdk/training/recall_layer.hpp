// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref training : a layer that can solve recall_task.hpp, and its loss's gradient.
#pragma once

#include <sqrtdk/numbers/float_environment.hpp>
#include <sqrtdk/numbers/require.hpp>
#include <sqrtdk/softmax_jacobian.hpp>
#include <sqrtdk/training/recall_task.hpp>

#include <Eigen/Core>

#include <cmath>
#include <cstdint>
#include <ostream>
#include <utility>

namespace sqrtdk {

/// The score that a layer gives to a query q and a key k of d numbers each.
enum class ScoreRule {
  unscaled,  ///< q·k
  root,      ///< q·k / √d
  linear,    ///< q·k / d
  learned,   ///< e^λ q·k, with λ learned from 0 on: it starts without a scale
  additive   ///< w·tanh(q + k), with w learned: the attention of Bahdanau, Cho and Bengio (2015)
};

/// All five rules, in the order of ScoreRule.
inline constexpr ScoreRule score_rules[] = {ScoreRule::unscaled, ScoreRule::root, ScoreRule::linear,
                                            ScoreRule::learned, ScoreRule::additive};

/// The name of a rule, as it stands in data files.
constexpr const char* name(ScoreRule rule);

/// Writes the name of a rule.
std::ostream& operator<<(std::ostream& out, ScoreRule rule);

/// The weights that a layer learns. A gradient has the same shape.
template <class Scalar>
struct RecallWeights {
  using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;  ///< any matrix of Scalar
  using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;               ///< any column of Scalar

  Matrix query;         ///< W_Q, d × width
  Matrix key;           ///< W_K, d × width
  Vector direction;     ///< w of the additive rule, d
  Scalar log_scale{0};  ///< λ of the learned rule
  Matrix value;         ///< W_V, width × width
  Matrix readout;       ///< W_O, values × width
};

/// The layer before training: entries of W_Q, W_K, W_V and W_O are normal with mean 0 and variance
/// 1/width, those of w have variance 1/d, and λ = 0. Embeddings have mean square 1, so entries of
/// queries and keys are independent N(0, 1): all that the documents assume of them.
/// \param task the sizes.
/// \param d    the head dimension, at least 1.
/// \param seed where the numbers come from.
/// \throws std::domain_error if d is below 1.
/// \relatesalso RecallWeights
RecallWeights<double> initial_weights(const RecallTask& task, Eigen::Index d, std::uint64_t seed);

/// 1/c of the score q·k/c, which a dot product is multiplied by: c is 1, √d, d or e^−λ.
/// \param rule    any but the additive one.
/// \param weights what is learned, λ among it.
/// \relatesalso RecallWeights
template <class Scalar>
Scalar dot_product_scale(ScoreRule rule, const RecallWeights<Scalar>& weights);

/// Everything that the forward pass computes and the backward pass needs.
template <class Scalar>
struct RecallPass {
  using Matrix = typename RecallWeights<Scalar>::Matrix;  ///< dynamic-size matrix of Scalar

  Matrix queries;            ///< Q = W_Q E, d × symbols
  Matrix keys;               ///< K = W_K E, d × symbols
  Matrix activations;        ///< tanh(q + k) of the additive rule, d × symbols²
  Matrix attention;          ///< p, pairs × batch
  Matrix values;             ///< V = W_V U, width × values
  Matrix mass;               ///< the weight that each value gets, values × batch
  Matrix outputs;            ///< o = V mass, width × batch
  Matrix answers;            ///< softmax(W_O o), values × batch
  Scalar loss{0};            ///< the mean cross-entropy of the answers, in nats
  Eigen::Index correct = 0;  ///< sequences that are answered correctly
};

/// Derivatives of the loss with respect to all that scores are made from.
template <class Scalar>
struct ScoreGradients {
  typename RecallWeights<Scalar>::Matrix queries;    ///< the derivative by Q, d × symbols
  typename RecallWeights<Scalar>::Matrix keys;       ///< the derivative by K, d × symbols
  typename RecallWeights<Scalar>::Vector direction;  ///< the derivative by w; 0 if there is no w
  Scalar log_scale{0};                               ///< the derivative by λ; 0 if there is no λ
};

/// (answers − truth) / batch size: the mean cross-entropy's derivative with respect to the logits.
/// \param answers the probabilities that the layer gives, values × batch.
/// \param batch   the sequences, whose true answers are subtracted.
/// \return values × batch.
/// \relatesalso RecallWeights
template <class Scalar>
typename RecallWeights<Scalar>::Matrix cross_entropy_vjp(
    const typename RecallWeights<Scalar>::Matrix& answers, const RecallBatch& batch);

/// Σ g pᵀ over the batch: the derivative with respect to the values V = W_V U, from the derivatives
/// g with respect to the outputs and the weights p that each value gets.
/// \param d_outputs g, width × batch.
/// \param mass      p, values × batch: the attention weight that falls on each value.
/// \return width × values.
/// \relatesalso RecallWeights
template <class Scalar>
typename RecallWeights<Scalar>::Matrix value_vjp(
    const typename RecallWeights<Scalar>::Matrix& d_outputs,
    const typename RecallWeights<Scalar>::Matrix& mass);

/// p ⊙ (g − ⟨p, g⟩): the derivative with respect to the scores of a sequence, from its attention
/// weights p and the derivative g with respect to them, by vector_jacobian_product().
/// \param weights   p, a number for each pair.
/// \param d_weights g, as many.
/// \throws std::invalid_argument as vector_jacobian_product().
/// \throws std::domain_error as vector_jacobian_product().
/// \relatesalso RecallWeights
template <class Scalar>
typename RecallWeights<Scalar>::Vector softmax_vjp(
    const typename RecallWeights<Scalar>::Vector& weights,
    const typename RecallWeights<Scalar>::Vector& d_weights);

/// The derivatives with respect to queries, keys, w and λ, from those with respect to the scores.
/// \relatesalso ScoreGradients
template <class Scalar>
ScoreGradients<Scalar> score_vjp(ScoreRule rule, const RecallWeights<Scalar>& weights,
                                 const RecallPass<Scalar>& pass,
                                 const typename RecallWeights<Scalar>::Matrix& d_scores);

/// A layer's results for a batch.
template <class Scalar>
struct RecallOutput {
  Scalar loss{0};            ///< mean of −ln(probability of the correct answer)
  Eigen::Index correct = 0;  ///< sequences that it answers correctly
  typename RecallWeights<Scalar>::Matrix attention;  ///< pairs × batch; columns sum to 1
};

/// The loss of a layer, its answers and where it looks.
/// \param rule       how queries and keys make scores.
/// \param embeddings the fixed vectors of all symbols.
/// \param weights    what is learned, of fitting sizes.
/// \param batch      sequences.
/// \relatesalso RecallOutput
template <class Scalar>
RecallOutput<Scalar> recall_output(ScoreRule rule, const RecallEmbeddings<Scalar>& embeddings,
                                   const RecallWeights<Scalar>& weights, const RecallBatch& batch);

/// The links of the chain rule from the loss back to values, queries and keys that a rule or a
/// layer can get wrong; everything between them is a product with a matrix.
template <class Scalar>
struct RecallLinks {
  using Matrix = typename RecallWeights<Scalar>::Matrix;  ///< dynamic-size matrix of Scalar
  using Vector = typename RecallWeights<Scalar>::Vector;  ///< dynamic-size column of Scalar

  /// The derivative by the logits, from the answers: cross_entropy_vjp() by default.
  Matrix (*cross_entropy)(const Matrix& answers, const RecallBatch& batch) =
      [](const Matrix& answers, const RecallBatch& batch) {
        return cross_entropy_vjp<Scalar>(answers, batch);
      };
  /// The derivative by the values V, from that by the outputs: value_vjp() by default.
  Matrix (*values)(const Matrix& d_outputs, const Matrix& mass) = [](const Matrix& d_outputs,
                                                                     const Matrix& mass) {
    return value_vjp<Scalar>(d_outputs, mass);
  };
  /// The derivative by the scores, from that by the weights: softmax_vjp() by default.
  Vector (*softmax)(const Vector& weights, const Vector& d_weights) = [](const Vector& weights,
                                                                         const Vector& d_weights) {
    return softmax_vjp<Scalar>(weights, d_weights);
  };
  /// The derivatives by Q, K, w and λ, from that by the scores: score_vjp() by default.
  ScoreGradients<Scalar> (*scores)(ScoreRule rule, const RecallWeights<Scalar>& weights,
                                   const RecallPass<Scalar>& pass, const Matrix& d_scores) =
      [](ScoreRule rule, const RecallWeights<Scalar>& weights, const RecallPass<Scalar>& pass,
         const Matrix& d_scores) { return score_vjp<Scalar>(rule, weights, pass, d_scores); };
};

/// The gradient of the loss with respect to all that is learned, by backpropagation; exact but for
/// rounding, which the page bounds for small layers.
/// \param rule       how queries and keys make scores.
/// \param embeddings the fixed vectors of all symbols.
/// \param weights    what is learned, of fitting sizes.
/// \param batch      sequences.
/// \param links      the chain rule; anything but the default is a mistake.
/// \return derivatives of the mean loss of the batch, in the shape of the weights.
/// \implements{RecallGradient}
/// \relatesalso RecallLinks
template <class Scalar>
RecallWeights<Scalar> recall_gradient(ScoreRule rule, const RecallEmbeddings<Scalar>& embeddings,
                                      const RecallWeights<Scalar>& weights,
                                      const RecallBatch& batch,
                                      const RecallLinks<Scalar>& links = {});

// Implementation

constexpr const char* name(ScoreRule rule) {
  switch (rule) {
    case ScoreRule::unscaled:
      return "unscaled";
    case ScoreRule::root:
      return "root";
    case ScoreRule::linear:
      return "linear";
    case ScoreRule::learned:
      return "learned";
    case ScoreRule::additive:
      return "additive";
  }
  return "";
}

inline std::ostream& operator<<(std::ostream& out, ScoreRule rule) { return out << name(rule); }

namespace detail {

/// Replaces each column by its softmax, without checks: overflow gives NaN, which training notices.
/// \return ln Σe^x of each column.
template <class Scalar>
typename RecallWeights<Scalar>::Vector softmax_columns(
    typename RecallWeights<Scalar>::Matrix& scores) {
  using std::log;
  using Row = Eigen::Matrix<Scalar, 1, Eigen::Dynamic>;
  const Row maxima = scores.colwise().maxCoeff();
  scores.rowwise() -= maxima;
  scores = scores.array().exp().matrix();
  const Row sums = scores.colwise().sum();
  for (Eigen::Index b = 0; b < scores.cols(); ++b) scores.col(b) /= sums[b];
  typename RecallWeights<Scalar>::Vector log_sums = maxima.transpose();
  for (Eigen::Index b = 0; b < scores.cols(); ++b) log_sums[b] += log(sums[b]);
  return log_sums;
}

}  // namespace detail

template <class Scalar>
Scalar dot_product_scale(ScoreRule rule, const RecallWeights<Scalar>& weights) {
  using std::exp;
  using std::sqrt;
  const Scalar d(static_cast<double>(weights.query.rows()));
  switch (rule) {
    case ScoreRule::root:
      return 1 / sqrt(d);
    case ScoreRule::linear:
      return 1 / d;
    case ScoreRule::learned:
      return exp(weights.log_scale);
    default:
      return Scalar(1);
  }
}

inline RecallWeights<double> initial_weights(const RecallTask& task, Eigen::Index d,
                                             std::uint64_t seed) {
  detail::require_task(task);
  detail::require_at_least("the head dimension", d, 1);
  TrainingStream stream = training_stream(seed, Purpose::weights);
  TrainingStream other = training_stream(seed, Purpose::direction);
  const double deviation = 1 / std::sqrt(static_cast<double>(task.width));
  RecallWeights<double> weights;
  weights.value = deviation * detail::draw_normal(task.width, task.width, stream);
  weights.readout = deviation * detail::draw_normal(task.values, task.width, stream);
  weights.query = deviation * detail::draw_normal(d, task.width, stream);
  weights.key = deviation * detail::draw_normal(d, task.width, stream);
  weights.direction = detail::draw_normal(d, 1, other) / std::sqrt(static_cast<double>(d));
  return weights;
}

namespace detail {

/// tanh of each entry, as 1 − 2/(e^{2x} + 1), which Eigen computes several at a time.
template <class Derived>
auto tanh_of(const Eigen::MatrixBase<Derived>& x) {
  using Scalar = typename Derived::Scalar;
  return (Scalar(1) - Scalar(2) / ((Scalar(2) * x.array()).exp() + Scalar(1))).matrix();
}

/// The scores of every key symbol (columns) for every query symbol (rows).
template <class Scalar>
typename RecallWeights<Scalar>::Matrix score_table(ScoreRule rule,
                                                   const RecallWeights<Scalar>& weights,
                                                   RecallPass<Scalar>& pass) {
  using Matrix = typename RecallWeights<Scalar>::Matrix;
  if (rule != ScoreRule::additive)
    return dot_product_scale(rule, weights) * pass.queries.transpose() * pass.keys;
  const Eigen::Index n = pass.queries.cols();
  pass.activations.resize(pass.queries.rows(), n * n);
  Matrix table(n, n);
  for (Eigen::Index x = 0; x < n; ++x) {
    auto activations = pass.activations.middleCols(x * n, n);
    activations = tanh_of(pass.keys.colwise() + pass.queries.col(x));
    table.row(x) = weights.direction.transpose() * activations;
  }
  return table;
}

template <class Scalar>
RecallPass<Scalar> recall_forward(ScoreRule rule, const RecallEmbeddings<Scalar>& embeddings,
                                  const RecallWeights<Scalar>& weights, const RecallBatch& batch) {
  using Matrix = typename RecallWeights<Scalar>::Matrix;
  using std::log;
  RecallPass<Scalar> pass;

  pass.queries = weights.query * embeddings.keys;
  pass.keys = weights.key * embeddings.keys;
  const Matrix table = score_table(rule, weights, pass);
  pass.attention.resize(batch.keys.rows(), batch.size());
  for (Eigen::Index b = 0; b < batch.size(); ++b)
    for (Eigen::Index i = 0; i < batch.keys.rows(); ++i)
      pass.attention(i, b) = table(batch.query(b), batch.keys(i, b));
  softmax_columns<Scalar>(pass.attention);

  pass.values = weights.value * embeddings.values;
  pass.mass = Matrix::Zero(embeddings.values.cols(), batch.size());
  for (Eigen::Index b = 0; b < batch.size(); ++b)
    for (Eigen::Index i = 0; i < batch.keys.rows(); ++i)
      pass.mass(batch.values(i, b), b) = pass.attention(i, b);
  pass.outputs = pass.values * pass.mass;

  pass.answers = weights.readout * pass.outputs;
  for (Eigen::Index b = 0; b < batch.size(); ++b) {
    Eigen::Index answer = 0;
    pass.answers.col(b).maxCoeff(&answer);
    pass.correct += answer == batch.answer(b) ? 1 : 0;
    pass.loss -= pass.answers(batch.answer(b), b);
  }
  pass.loss += softmax_columns<Scalar>(pass.answers).sum();
  pass.loss /= Scalar(static_cast<double>(batch.size()));
  return pass;
}

}  // namespace detail

template <class Scalar>
RecallOutput<Scalar> recall_output(ScoreRule rule, const RecallEmbeddings<Scalar>& embeddings,
                                   const RecallWeights<Scalar>& weights, const RecallBatch& batch) {
  auto pass = detail::recall_forward(rule, embeddings, weights, batch);
  return {pass.loss, pass.correct, std::move(pass.attention)};
}

//! [RecallGradient]
template <class Scalar>
typename RecallWeights<Scalar>::Matrix cross_entropy_vjp(
    const typename RecallWeights<Scalar>::Matrix& answers, const RecallBatch& batch) {
  typename RecallWeights<Scalar>::Matrix d_logits = answers;
  for (Eigen::Index b = 0; b < batch.size(); ++b) d_logits(batch.answer(b), b) -= Scalar(1);
  return d_logits / Scalar(static_cast<double>(batch.size()));
}

template <class Scalar>
typename RecallWeights<Scalar>::Matrix value_vjp(
    const typename RecallWeights<Scalar>::Matrix& d_outputs,
    const typename RecallWeights<Scalar>::Matrix& mass) {
  return d_outputs * mass.transpose();
}

template <class Scalar>
typename RecallWeights<Scalar>::Vector softmax_vjp(
    const typename RecallWeights<Scalar>::Vector& weights,
    const typename RecallWeights<Scalar>::Vector& d_weights) {
  return vector_jacobian_product(weights, d_weights);
}

template <class Scalar>
ScoreGradients<Scalar> score_vjp(ScoreRule rule, const RecallWeights<Scalar>& weights,
                                 const RecallPass<Scalar>& pass,
                                 const typename RecallWeights<Scalar>::Matrix& d_scores) {
  using Matrix = typename RecallWeights<Scalar>::Matrix;
  ScoreGradients<Scalar> gradient;
  gradient.direction = RecallWeights<Scalar>::Vector::Zero(weights.direction.size());
  if (rule != ScoreRule::additive) {
    const Scalar scale = dot_product_scale(rule, weights);
    gradient.queries = scale * pass.keys * d_scores.transpose();
    gradient.keys = scale * pass.queries * d_scores;
    if (rule == ScoreRule::learned)
      gradient.log_scale = pass.queries.cwiseProduct(gradient.queries).sum();
    return gradient;
  }
  // s = w·h with h = tanh(q + k), whose derivative is 1 − h².
  const Eigen::Index n = pass.queries.cols();
  gradient.queries = Matrix::Zero(pass.queries.rows(), n);
  gradient.keys = gradient.queries;
  for (Eigen::Index x = 0; x < n; ++x) {
    const auto activations = pass.activations.middleCols(x * n, n);
    gradient.direction += activations * d_scores.row(x).transpose();
    const Matrix d_sums = (weights.direction * d_scores.row(x))
                              .cwiseProduct((Scalar(1) - activations.array().square()).matrix());
    gradient.queries.col(x) = d_sums.rowwise().sum();
    gradient.keys += d_sums;
  }
  return gradient;
}

template <class Scalar>
RecallWeights<Scalar> recall_gradient(ScoreRule rule, const RecallEmbeddings<Scalar>& embeddings,
                                      const RecallWeights<Scalar>& weights,
                                      const RecallBatch& batch, const RecallLinks<Scalar>& links) {
  using Matrix = typename RecallWeights<Scalar>::Matrix;
  using Vector = typename RecallWeights<Scalar>::Vector;
  const auto pass = detail::recall_forward(rule, embeddings, weights, batch);
  RecallWeights<Scalar> gradient;

  const Matrix d_logits = links.cross_entropy(pass.answers, batch);
  gradient.readout = d_logits * pass.outputs.transpose();
  const Matrix d_outputs = weights.readout.transpose() * d_logits;

  // o = W_V U mass to W_V and mass, and mass to attention weights.
  gradient.value = links.values(d_outputs, pass.mass) * embeddings.values.transpose();
  const Matrix d_mass = pass.values.transpose() * d_outputs;

  // Attention weights to scores, one sequence at a time; a pair of symbols may occur in several.
  Matrix d_scores = Matrix::Zero(embeddings.keys.cols(), embeddings.keys.cols());
  Vector d_weights(batch.keys.rows());
  for (Eigen::Index b = 0; b < batch.size(); ++b) {
    for (Eigen::Index i = 0; i < d_weights.size(); ++i)
      d_weights[i] = d_mass(batch.values(i, b), b);
    const Vector d_sequence = links.softmax(pass.attention.col(b), d_weights);
    for (Eigen::Index i = 0; i < d_weights.size(); ++i)
      d_scores(batch.query(b), batch.keys(i, b)) += d_sequence[i];
  }

  auto inputs = links.scores(rule, weights, pass, d_scores);
  gradient.query = inputs.queries * embeddings.keys.transpose();
  gradient.key = inputs.keys * embeddings.keys.transpose();
  gradient.direction = std::move(inputs.direction);
  gradient.log_scale = inputs.log_scale;
  return gradient;
}
//! [RecallGradient]

}  // namespace sqrtdk
