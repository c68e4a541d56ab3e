// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref training : a task that needs attention, a layer that can solve it, and the
/// gradient of its loss.
#pragma once

#include <sqrtdk/softmax_jacobian.hpp>

#include <Eigen/Core>
#include <Random123/conventional/Engine.hpp>
#include <Random123/philox.h>
#include <boost/random/normal_distribution.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <ostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace sqrtdk {

/// How a layer turns a query q and a key k of d numbers each into a score.
enum class ScoreRule {
  unscaled,  ///< q·k
  root,      ///< q·k / √d
  linear,    ///< q·k / d
  learned,   ///< e^λ q·k, with λ learned from 0 on: it starts without a scale
  additive   ///< w·tanh(q + k), with w learned: the attention of Bahdanau, Cho and Bengio (2015)
};

/// The five rules.
inline constexpr ScoreRule score_rules[] = {ScoreRule::unscaled, ScoreRule::root, ScoreRule::linear,
                                            ScoreRule::learned, ScoreRule::additive};

/// The name of a rule, as it stands in data files.
constexpr const char* name(ScoreRule rule);

/// Writes the name of a rule.
std::ostream& operator<<(std::ostream& out, ScoreRule rule);

/// Associative recall: a sequence of pairs (key, value), then one of its keys again; answer the
/// value that stood beside it.
///
/// Which value belongs to which key is drawn anew for each sequence, so that nothing but looking it
/// up helps: whoever knows all the values of a sequence and not which is whose is right once in
/// `pairs` times.
struct RecallTask {
  Eigen::Index symbols = 16;  ///< how many keys there are to choose from
  Eigen::Index values = 16;   ///< how many values there are to choose from: the classes
  Eigen::Index pairs = 8;     ///< pairs in a sequence, with distinct keys and distinct values
  Eigen::Index width = 16;    ///< numbers in the embedding of a key or of a value
};

/// Some sequences of the task, one in each column.
struct RecallBatch {
  Eigen::ArrayXXi keys;    ///< pairs × batch; key symbols, distinct in each column
  Eigen::ArrayXXi values;  ///< pairs × batch; value symbols, distinct in each column
  Eigen::ArrayXi asked;    ///< batch; the row of the pair whose key is the query

  /// How many sequences there are.
  Eigen::Index size() const { return asked.size(); }
  /// The query of sequence b, a key symbol.
  int query(Eigen::Index b) const { return keys(asked[b], b); }
  /// The right answer to sequence b, a value symbol.
  int answer(Eigen::Index b) const { return values(asked[b], b); }
};

/// Random numbers that depend on a seed and a purpose alone (Philox4x64-10), so that layers of
/// different rules see the same sequences and start from the same weights.
using TrainingStream = r123::Engine<r123::Philox4x64>;

/// What random numbers are for; each purpose has its own stream.
enum class Purpose : std::uint64_t { embeddings, weights, direction, training, held_out };

/// The stream of a seed for a purpose.
TrainingStream training_stream(std::uint64_t seed, Purpose purpose);

/// Draws sequences.
/// \param task   its sizes.
/// \param count  how many sequences, at least 1.
/// \param stream any uniform random bit generator.
/// \throws std::invalid_argument if the task has fewer symbols or values than pairs, or a size is
///         below 1.
template <class Generator>
RecallBatch draw_recall(const RecallTask& task, Eigen::Index count, Generator& stream);

/// The embeddings of the symbols: fixed vectors, one in each column, with mean square 1.
template <class Scalar>
struct RecallEmbeddings {
  Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic> keys;    ///< width × symbols
  Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic> values;  ///< width × values
};

/// What a layer learns. A gradient has the same shape.
template <class Scalar>
struct RecallWeights {
  using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;  ///< any matrix
  using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;               ///< any column

  Matrix query;         ///< W_Q, d × width
  Matrix key;           ///< W_K, d × width
  Vector direction;     ///< w of the additive rule, d
  Scalar log_scale{0};  ///< λ of the learned rule
  Matrix value;         ///< W_V, width × width
  Matrix readout;       ///< W_O, values × width
};

/// The layer before training: entries of W_Q, W_K, W_V and W_O are normal with mean 0 and variance
/// 1/width, those of w have variance 1/d, and λ = 0.
///
/// Embeddings have mean square 1, so that the entries of queries and keys are N(0, 1), and those of
/// a query are independent of those of a key: all that the documents assume of them.
/// \param task the sizes.
/// \param d    the head dimension, at least 1.
/// \param seed where the numbers come from.
/// \throws std::domain_error if d is below 1.
RecallWeights<double> initial_weights(const RecallTask& task, Eigen::Index d, std::uint64_t seed);

/// Normal vectors, divided by the root of their mean square.
RecallEmbeddings<double> draw_embeddings(const RecallTask& task, std::uint64_t seed);

/// Everything that the forward pass computes and the backward pass needs.
template <class Scalar>
struct RecallPass {
  using Matrix = typename RecallWeights<Scalar>::Matrix;

  Matrix queries;          ///< Q = W_Q E, d × symbols
  Matrix keys;             ///< K = W_K E, d × symbols
  Matrix bends;            ///< tanh(q + k) of the additive rule, d × symbols²
  Matrix attention;        ///< p, pairs × batch
  Matrix values;           ///< V = W_V U, width × values
  Matrix mass;             ///< the weight that each value gets, values × batch
  Matrix outputs;          ///< o = V mass, width × batch
  Matrix answers;          ///< softmax(W_O o), values × batch
  Scalar loss{0};          ///< mean cross-entropy
  Eigen::Index right = 0;  ///< how many sequences are answered rightly
};

/// Derivatives of the loss by all that scores are made from.
template <class Scalar>
struct ByScoreInputs {
  typename RecallWeights<Scalar>::Matrix queries;    ///< d × symbols
  typename RecallWeights<Scalar>::Matrix keys;       ///< d × symbols
  typename RecallWeights<Scalar>::Vector direction;  ///< d
  Scalar log_scale{0};                               ///< a number
};

/// (answers − truth) / batch size: the derivative of the mean cross-entropy by the logits.
template <class Scalar>
typename RecallWeights<Scalar>::Matrix cross_entropy_link(
    const typename RecallWeights<Scalar>::Matrix& answers, const RecallBatch& batch);

/// Σ g pᵀ over the batch: the derivative by the values V = W_V U, from the derivatives g by the
/// outputs and the weights p that each value gets.
template <class Scalar>
typename RecallWeights<Scalar>::Matrix value_link(
    const typename RecallWeights<Scalar>::Matrix& by_outputs,
    const typename RecallWeights<Scalar>::Matrix& mass);

/// p ⊙ (g − ⟨p, g⟩): the derivative by the scores of a sequence, from its attention weights p and
/// the derivative g by them; vector_jacobian_product().
template <class Scalar>
typename RecallWeights<Scalar>::Vector softmax_link(
    const typename RecallWeights<Scalar>::Vector& weights,
    const typename RecallWeights<Scalar>::Vector& by_weights);

/// The derivatives by queries, keys, w and λ, from those by the scores.
template <class Scalar>
ByScoreInputs<Scalar> score_link(ScoreRule rule, const RecallWeights<Scalar>& weights,
                                 const RecallPass<Scalar>& pass,
                                 const typename RecallWeights<Scalar>::Matrix& by_scores);

/// What a layer makes of a batch.
template <class Scalar>
struct RecallOutput {
  Scalar loss{0};          ///< mean of −ln(probability of the right answer)
  Eigen::Index right = 0;  ///< how many sequences it answers rightly
  typename RecallWeights<Scalar>::Matrix attention;  ///< pairs × batch; columns sum to 1
};

/// The loss of a layer, its answers and where it looks.
/// \param rule       how queries and keys make scores.
/// \param embeddings the fixed vectors of all symbols.
/// \param weights    what is learned, of fitting sizes.
/// \param batch      sequences.
template <class Scalar>
RecallOutput<Scalar> recall_output(ScoreRule rule, const RecallEmbeddings<Scalar>& embeddings,
                                   const RecallWeights<Scalar>& weights, const RecallBatch& batch);

/// The links of the chain rule from the loss back to values, queries and keys that a rule or a
/// layer can get wrong; everything between them is a product with a matrix.
template <class Scalar>
struct RecallLinks {
  using Matrix = typename RecallWeights<Scalar>::Matrix;  ///< any matrix
  using Vector = typename RecallWeights<Scalar>::Vector;  ///< any column

  /// cross_entropy_link()
  Matrix (*cross_entropy)(const Matrix& answers, const RecallBatch& batch) =
      [](const Matrix& answers, const RecallBatch& batch) {
        return cross_entropy_link<Scalar>(answers, batch);
      };
  /// value_link()
  Matrix (*values)(const Matrix& by_outputs, const Matrix& mass) = [](const Matrix& by_outputs,
                                                                      const Matrix& mass) {
    return value_link<Scalar>(by_outputs, mass);
  };
  /// softmax_link()
  Vector (*softmax)(const Vector& weights, const Vector& by_weights) =
      [](const Vector& weights, const Vector& by_weights) {
        return softmax_link<Scalar>(weights, by_weights);
      };
  /// score_link()
  ByScoreInputs<Scalar> (*scores)(ScoreRule rule, const RecallWeights<Scalar>& weights,
                                  const RecallPass<Scalar>& pass, const Matrix& by_scores) =
      [](ScoreRule rule, const RecallWeights<Scalar>& weights, const RecallPass<Scalar>& pass,
         const Matrix& by_scores) { return score_link<Scalar>(rule, weights, pass, by_scores); };
};

/// The gradient of the loss by all that is learned, by backpropagation.
///
/// Exact but for rounding, which the page bounds for small layers.
/// Implements \ref RecallGradient.
/// \param rule       how queries and keys make scores.
/// \param embeddings the fixed vectors of all symbols.
/// \param weights    what is learned, of fitting sizes.
/// \param batch      sequences.
/// \param links      the chain rule; anything but the default is a mistake.
/// \return derivatives of the mean loss of the batch, in the shape of the weights.
template <class Scalar>
RecallWeights<Scalar> recall_gradient(ScoreRule rule, const RecallEmbeddings<Scalar>& embeddings,
                                      const RecallWeights<Scalar>& weights,
                                      const RecallBatch& batch,
                                      const RecallLinks<Scalar>& links = {});

// ------------------------------------------------------------------------------------------------

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

inline void require_at_least(const char* what, Eigen::Index size, Eigen::Index least) {
  if (size < least)
    throw std::invalid_argument(std::string(what) + " is " + std::to_string(size) +
                                ", but must be at least " + std::to_string(least));
}

inline void require_task(const RecallTask& task) {
  require_at_least("the number of pairs", task.pairs, 1);
  require_at_least("the number of key symbols", task.symbols, task.pairs);
  require_at_least("the number of value symbols", task.values, task.pairs);
  require_at_least("the width", task.width, 1);
}

/// A whole number below n, each with probability 1/n up to 2⁻³².
/// \param n from 1 to 2³¹.
template <class Generator>
std::size_t draw_below(std::size_t n, Generator& stream) {
  return static_cast<std::size_t>(((stream() >> 32) * n) >> 32);
}

/// Symbols in some order; any order that does not depend on the stream will do to begin with.
inline std::vector<int> all_symbols(Eigen::Index count) {
  std::vector<int> symbols(static_cast<std::size_t>(count));
  std::iota(symbols.begin(), symbols.end(), 0);
  return symbols;
}

/// Puts distinct symbols, drawn without replacement, first.
template <class Generator>
void shuffle_first(std::size_t count, std::vector<int>& symbols, Generator& stream) {
  for (std::size_t i = 0; i < count; ++i)
    std::swap(symbols[i], symbols[i + draw_below(symbols.size() - i, stream)]);
}

template <class Generator>
Eigen::MatrixXd draw_normal(Eigen::Index rows, Eigen::Index columns, Generator& stream) {
  boost::random::normal_distribution<double> law;
  Eigen::MatrixXd result(rows, columns);
  for (double& entry : result.reshaped()) entry = law(stream);
  return result;
}

/// Replaces each column by its softmax(), without the checks: where numbers overflow, results are
/// NaN and training notices.
/// \return ln Σe^x of each column.
template <class Scalar>
typename RecallWeights<Scalar>::Vector softmax_columns(
    typename RecallWeights<Scalar>::Matrix& scores) {
  using std::log;
  using Row = Eigen::Matrix<Scalar, 1, Eigen::Dynamic>;
  const Row most = scores.colwise().maxCoeff();
  scores.rowwise() -= most;
  scores = scores.array().exp().matrix();
  const Row sums = scores.colwise().sum();
  for (Eigen::Index b = 0; b < scores.cols(); ++b) scores.col(b) /= sums[b];
  typename RecallWeights<Scalar>::Vector log_sums = most.transpose();
  for (Eigen::Index b = 0; b < scores.cols(); ++b) log_sums[b] += log(sums[b]);
  return log_sums;
}

/// 1/c of the score q·k/c, which a dot product is multiplied by: c is 1, √d, d or e^−λ.
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

}  // namespace detail

inline TrainingStream training_stream(std::uint64_t seed, Purpose purpose) {
  const TrainingStream::ukey_type key = {{seed, static_cast<std::uint64_t>(purpose)}};
  return TrainingStream(key);
}

template <class Generator>
RecallBatch draw_recall(const RecallTask& task, Eigen::Index count, Generator& stream) {
  detail::require_task(task);
  detail::require_at_least("the number of sequences", count, 1);
  RecallBatch batch{Eigen::ArrayXXi(task.pairs, count), Eigen::ArrayXXi(task.pairs, count),
                    Eigen::ArrayXi(count)};
  const auto pairs = static_cast<std::size_t>(task.pairs);
  std::vector<int> keys = detail::all_symbols(task.symbols);
  std::vector<int> values = detail::all_symbols(task.values);
  for (Eigen::Index b = 0; b < count; ++b) {
    detail::shuffle_first(pairs, keys, stream);
    detail::shuffle_first(pairs, values, stream);
    batch.keys.col(b) = Eigen::Map<const Eigen::ArrayXi>(keys.data(), task.pairs);
    batch.values.col(b) = Eigen::Map<const Eigen::ArrayXi>(values.data(), task.pairs);
    batch.asked[b] = static_cast<int>(detail::draw_below(pairs, stream));
  }
  return batch;
}

inline RecallEmbeddings<double> draw_embeddings(const RecallTask& task, std::uint64_t seed) {
  detail::require_task(task);
  TrainingStream stream = training_stream(seed, Purpose::embeddings);
  RecallEmbeddings<double> embeddings{detail::draw_normal(task.width, task.symbols, stream),
                                      detail::draw_normal(task.width, task.values, stream)};
  const double length = std::sqrt(static_cast<double>(task.width));
  for (auto* matrix : {&embeddings.keys, &embeddings.values})
    for (auto column : matrix->colwise()) column *= length / column.norm();
  return embeddings;
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
  pass.bends.resize(pass.queries.rows(), n * n);
  Matrix table(n, n);
  for (Eigen::Index x = 0; x < n; ++x) {
    auto bends = pass.bends.middleCols(x * n, n);
    bends = tanh_of(pass.keys.colwise() + pass.queries.col(x));
    table.row(x) = weights.direction.transpose() * bends;
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
  // The scores of each sequence are looked up in a table of all pairs of symbols.
  const Matrix table = score_table(rule, weights, pass);
  pass.attention.resize(batch.keys.rows(), batch.size());
  for (Eigen::Index b = 0; b < batch.size(); ++b)
    for (Eigen::Index i = 0; i < batch.keys.rows(); ++i)
      pass.attention(i, b) = table(batch.query(b), batch.keys(i, b));
  softmax_columns<Scalar>(pass.attention);
  // A value gets the weight of the key beside which it stands.
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
    pass.right += answer == batch.answer(b) ? 1 : 0;
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
  return {pass.loss, pass.right, std::move(pass.attention)};
}

//! [RecallGradient]
template <class Scalar>
typename RecallWeights<Scalar>::Matrix cross_entropy_link(
    const typename RecallWeights<Scalar>::Matrix& answers, const RecallBatch& batch) {
  typename RecallWeights<Scalar>::Matrix by_logits = answers;
  for (Eigen::Index b = 0; b < batch.size(); ++b) by_logits(batch.answer(b), b) -= Scalar(1);
  return by_logits / Scalar(static_cast<double>(batch.size()));
}

template <class Scalar>
typename RecallWeights<Scalar>::Matrix value_link(
    const typename RecallWeights<Scalar>::Matrix& by_outputs,
    const typename RecallWeights<Scalar>::Matrix& mass) {
  return by_outputs * mass.transpose();
}

template <class Scalar>
typename RecallWeights<Scalar>::Vector softmax_link(
    const typename RecallWeights<Scalar>::Vector& weights,
    const typename RecallWeights<Scalar>::Vector& by_weights) {
  return vector_jacobian_product(weights, by_weights);
}

template <class Scalar>
ByScoreInputs<Scalar> score_link(ScoreRule rule, const RecallWeights<Scalar>& weights,
                                 const RecallPass<Scalar>& pass,
                                 const typename RecallWeights<Scalar>::Matrix& by_scores) {
  using Matrix = typename RecallWeights<Scalar>::Matrix;
  ByScoreInputs<Scalar> by;
  by.direction = RecallWeights<Scalar>::Vector::Zero(weights.direction.size());
  if (rule != ScoreRule::additive) {
    // s = q·k/c
    const Scalar scale = detail::dot_product_scale(rule, weights);
    by.queries = scale * pass.keys * by_scores.transpose();
    by.keys = scale * pass.queries * by_scores;
    if (rule == ScoreRule::learned) by.log_scale = pass.queries.cwiseProduct(by.queries).sum();
    return by;
  }
  // s = w·h with h = tanh(q + k), whose derivative is 1 − h².
  const Eigen::Index n = pass.queries.cols();
  by.queries = Matrix::Zero(pass.queries.rows(), n);
  by.keys = by.queries;
  for (Eigen::Index x = 0; x < n; ++x) {
    const auto bends = pass.bends.middleCols(x * n, n);
    by.direction += bends * by_scores.row(x).transpose();
    const Matrix by_sums = (weights.direction * by_scores.row(x))
                               .cwiseProduct((Scalar(1) - bends.array().square()).matrix());
    by.queries.col(x) = by_sums.rowwise().sum();
    by.keys += by_sums;
  }
  return by;
}

template <class Scalar>
RecallWeights<Scalar> recall_gradient(ScoreRule rule, const RecallEmbeddings<Scalar>& embeddings,
                                      const RecallWeights<Scalar>& weights,
                                      const RecallBatch& batch, const RecallLinks<Scalar>& links) {
  using Matrix = typename RecallWeights<Scalar>::Matrix;
  using Vector = typename RecallWeights<Scalar>::Vector;
  const auto pass = detail::recall_forward(rule, embeddings, weights, batch);
  RecallWeights<Scalar> gradient;

  // Loss to logits, logits W_O o to W_O and o.
  const Matrix by_logits = links.cross_entropy(pass.answers, batch);
  gradient.readout = by_logits * pass.outputs.transpose();
  const Matrix by_outputs = weights.readout.transpose() * by_logits;

  // o = W_V U mass to W_V and mass, and mass to attention weights.
  gradient.value = links.values(by_outputs, pass.mass) * embeddings.values.transpose();
  const Matrix by_mass = pass.values.transpose() * by_outputs;

  // Attention weights to scores, one sequence at a time; a pair of symbols may occur in several.
  Matrix by_scores = Matrix::Zero(embeddings.keys.cols(), embeddings.keys.cols());
  Vector by_weights(batch.keys.rows());
  for (Eigen::Index b = 0; b < batch.size(); ++b) {
    for (Eigen::Index i = 0; i < by_weights.size(); ++i)
      by_weights[i] = by_mass(batch.values(i, b), b);
    const Vector by_sequence = links.softmax(pass.attention.col(b), by_weights);
    for (Eigen::Index i = 0; i < by_weights.size(); ++i)
      by_scores(batch.query(b), batch.keys(i, b)) += by_sequence[i];
  }

  // Scores to queries W_Q E and keys W_K E.
  auto by = links.scores(rule, weights, pass, by_scores);
  gradient.query = by.queries * embeddings.keys.transpose();
  gradient.key = by.keys * embeddings.keys.transpose();
  gradient.direction = std::move(by.direction);
  gradient.log_scale = by.log_scale;
  return gradient;
}
//! [RecallGradient]

}  // namespace sqrtdk
