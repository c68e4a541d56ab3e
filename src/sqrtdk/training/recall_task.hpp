// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref training : a task that needs attention, and the random numbers of a run.
#pragma once

#include <sqrtdk/numbers/float_environment.hpp>
#include <sqrtdk/numbers/require.hpp>

#include <Eigen/Core>
#include <Random123/conventional/Engine.hpp>
#include <Random123/philox.h>
#include <boost/random/normal_distribution.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace sqrtdk {

/// Associative recall: a sequence of pairs (key, value), then one of its keys; answer its value.
/// Values are drawn anew for each sequence, so that only looking them up helps: knowing all values,
/// but not whose they are, is right once in `pairs` times.
struct RecallTask {
  Eigen::Index symbols = 16;  ///< the number of keys to choose from
  Eigen::Index values = 16;   ///< the number of values to choose from: the classes
  Eigen::Index pairs = 8;     ///< pairs in a sequence, with distinct keys and distinct values
  Eigen::Index width = 16;    ///< numbers in the embedding of a key or of a value
};

namespace detail {

/// Refuses, by a std::domain_error, fewer symbols or values than pairs, and sizes below 1.
void require_task(const RecallTask& task);

}  // namespace detail

/// Some sequences of the task, one in each column.
struct RecallBatch {
  Eigen::ArrayXXi keys;        ///< pairs × batch; key symbols, distinct in each column
  Eigen::ArrayXXi values;      ///< pairs × batch; value symbols, distinct in each column
  Eigen::ArrayXi query_index;  ///< batch; the row of the pair whose key is the query

  /// The number of sequences.
  Eigen::Index size() const { return query_index.size(); }
  /// The query of sequence b, a key symbol.
  int query(Eigen::Index b) const { return keys(query_index[b], b); }
  /// The correct answer to sequence b, a value symbol.
  int answer(Eigen::Index b) const { return values(query_index[b], b); }
};

/// Random numbers that depend on a seed and a purpose alone (Philox4x64-10), so that layers of
/// different rules see the same sequences and start from the same weights.
using TrainingStream = r123::Engine<r123::Philox4x64>;

/// The purpose of random numbers; each has its own stream.
enum class Purpose : std::uint64_t { embeddings, weights, direction, training, held_out };

/// The stream of a seed for a purpose.
TrainingStream training_stream(std::uint64_t seed, Purpose purpose);

/// Draws sequences.
/// \param task   its sizes.
/// \param count  how many sequences, at least 1.
/// \param stream any uniform random bit generator.
/// \throws std::domain_error if the count or a size is below 1, or if there are fewer symbols or
///                           values than pairs.
/// \relatesalso RecallBatch
template <class Generator>
RecallBatch draw_recall(const RecallTask& task, Eigen::Index count, Generator& stream);

/// The embeddings of the symbols: fixed vectors, one in each column, with mean square 1.
template <class Scalar>
struct RecallEmbeddings {
  Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic> keys;  ///< E, width × symbols, by columns
  Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic> values;  ///< U, width × values, by columns
};

namespace detail {

/// A matrix of independent standard normal numbers, drawn column by column.
/// \param rows, columns the shape.
/// \param stream        any uniform random bit generator.
template <class Generator>
Eigen::MatrixXd draw_normal(Eigen::Index rows, Eigen::Index columns, Generator& stream);

}  // namespace detail

/// Normal vectors, divided by the root of their mean square.
/// \param task the sizes.
/// \param seed where the numbers come from.
/// \throws std::domain_error if a size is below 1, or there are fewer symbols or values than pairs.
/// \relatesalso RecallEmbeddings
RecallEmbeddings<double> draw_embeddings(const RecallTask& task, std::uint64_t seed);

// Implementation

namespace detail {

inline void require_task(const RecallTask& task) {
  require_at_least("the number of pairs", task.pairs, 1);
  require_at_least("the number of key symbols", task.symbols, task.pairs);
  require_at_least("the number of value symbols", task.values, task.pairs);
  require_at_least("the width", task.width, 1);
}

/// An integer below n, from 1 to 2³¹, each with probability 1/n up to 2⁻³².
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

template <class Generator>
void shuffle_first(std::size_t count, std::vector<int>& symbols, Generator& stream) {
  for (std::size_t i = 0; i < count; ++i)
    std::swap(symbols[i], symbols[i + draw_below(symbols.size() - i, stream)]);
}

template <class Generator>
Eigen::MatrixXd draw_normal(Eigen::Index rows, Eigen::Index columns, Generator& stream) {
  boost::random::normal_distribution<double> normal;
  Eigen::MatrixXd result(rows, columns);
  for (double& entry : result.reshaped()) entry = normal(stream);
  return result;
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
    batch.query_index[b] = static_cast<int>(detail::draw_below(pairs, stream));
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

}  // namespace sqrtdk
