// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Attention in right variants and with bugs that projects have shipped.
#include "kernels.hpp"
#include "operations.hpp"
#include "vectors.hpp"

#include <sqrtdk/attention_pass.hpp>
#include <sqrtdk/numbers/columns.hpp>

#include <Eigen/Core>

#include <functional>
#include <span>
#include <utility>

namespace sqrtdk::vectors {

namespace {

/// Scores, weights, outputs, right by default; a bug is another function in the place of one.
template <class Real>
struct Attention {
  using Computed = Real;
  using Numbers = List<Real>;
  using Table = List<Numbers>;

  /// What is made of the arguments before anything is computed.
  std::function<void(AttentionInput&)> read = [](AttentionInput&) {};
  std::function<Real(const Numbers&, const Numbers&)> dot = [](const Numbers& q, const Numbers& k) {
    Real sum = 0;
    for (std::size_t l = 0; l < q.size(); ++l) sum += q[l] * k[l];
    return sum;
  };
  /// A product, scaled and with its bias.
  std::function<Real(Real, Real, const AttentionInput&)> score = [](Real product, Real bias,
                                                                    const AttentionInput& input) {
    return scaled(product, input) + bias;
  };
  std::function<bool(const AttentionInput&, Eigen::Index, Eigen::Index)> sees =
      [](const AttentionInput& input, Eigen::Index i, Eigen::Index j) {
        return sqrtdk::detail::Visibility<double>(input.options, input.queries.rows(), input.keys.rows())(i, j);
      };
  /// The weights of a query, from the scores of all; −∞ where a key is masked.
  std::function<Numbers(const Table&, std::size_t)> weights = [](const Table& scores, std::size_t i) {
    Numbers e = exponentials(scores[i], greatest(scores[i]));
    const Real sum = pairwise_sum(std::span<const Real>(e));
    for (Real& weight : e) weight = weight / sum;
    return e;
  };
  /// One number of the output, from the weights and scores of a query, and one feature of the values.
  std::function<Real(const Numbers&, const Numbers&, const Numbers&)> output =
      [](const Numbers& p, const Numbers& scores, const Numbers& v) {
        Real sum = 0;
        for (std::size_t j = 0; j < p.size(); ++j)
          if (scores[j] != masked<Real>) sum += p[j] * v[j];
        return sum;
      };

  /// A product by the scale, or by 1/√d.
  static Real scaled(Real product, const AttentionInput& input) {
    return input.options.scale ? product * static_cast<Real>(*input.options.scale)
                               : product / std::sqrt(static_cast<Real>(input.queries.cols()));
  }

  /// e^(s − m), 0 where a key is masked.
  static Numbers exponentials(const Numbers& scores, Real m) {
    Numbers e;
    for (const Real s : scores) e.push_back(s == masked<Real> ? Real(0) : std::exp(s - m));
    return e;
  }

  static Numbers row_of(const Eigen::MatrixXd& matrix, Eigen::Index i) {
    Numbers row;
    for (const double x : matrix.row(i)) row.push_back(static_cast<Real>(x));
    return row;
  }

  Numbers run(AttentionInput input) const {
    read(input);
    Table scores;
    for (Eigen::Index i = 0; i < input.queries.rows(); ++i) {
      scores.emplace_back();
      for (Eigen::Index j = 0; j < input.keys.rows(); ++j) {
        const Real bias = input.options.bias ? static_cast<Real>((*input.options.bias)(i, j)) : Real(0);
        scores.back().push_back(
            sees(input, i, j) ? score(dot(row_of(input.queries, i), row_of(input.keys, j)), bias, input)
                              : masked<Real>);
      }
    }
    Numbers results;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const Numbers p = weights(scores, i);
      for (Eigen::Index c = 0; c < input.values.cols(); ++c)
        results.push_back(output(p, scores[i], row_of(input.values.transpose(), c)));
    }
    return results;
  }
};

template <class Steps>
using RealOf = typename std::decay_t<Steps>::Computed;

template <class Change>
Kernel<AttentionInput> right(const std::string& name, Freedom takes, Change change) {
  return kernel_of<Attention, AttentionInput>(name, "", takes, change);
}

template <class Change>
Kernel<AttentionInput> wrong(const std::string& name, const std::string& seen_in, Change change) {
  return kernel_of<Attention, AttentionInput>(name, seen_in, Freedom::none,
                                              [change](auto& steps, const Arithmetic&) { change(steps); });
}

/// A bug that reads the arguments as others.
template <class Read>
Kernel<AttentionInput> misread(const std::string& name, const std::string& seen_in, Read read) {
  return wrong(name, seen_in, [read](auto& s) { s.read = read; });
}

/// Blocks of keys whose sums and outputs are rescaled when the maximum grows, and divided at the end.
template <class Real, class Rescale>
Real output_in_blocks(const List<Real>& scores, const List<Real>& v, std::size_t block, Rescale rescale) {
  Real m = masked<Real>, sum = 0, out = 0;
  for (std::size_t start = 0; start < scores.size(); start += block) {
    const std::size_t end = std::min(start + block, scores.size());
    const Real next = std::max(m, greatest(scores, start, end));
    const std::pair<Real, Real> factors = rescale(m, next);
    sum *= factors.first;
    out *= factors.second;
    for (std::size_t j = start; j < end; ++j) {
      if (scores[j] == masked<Real>) continue;
      const Real e = std::exp(scores[j] - next);
      sum += e;
      out += e * v[j];
    }
    m = next;
  }
  return sum == 0 ? sum : out / sum;
}

/// e^(old − new), 0 before the first key.
template <class Real>
Real faded(Real m, Real next) {
  return m == masked<Real> ? Real(0) : std::exp(m - next);
}

template <class Steps>
void in_blocks(Steps& s, std::size_t block) {
  using Real = RealOf<Steps>;
  using Numbers = List<Real>;
  s.output = [block](const Numbers&, const Numbers& scores, const Numbers& v) {
    return output_in_blocks(scores, v, block,
                            [](Real m, Real next) { return std::pair(faded(m, next), faded(m, next)); });
  };
}

/// Queries and keys are each multiplied by the root of the scale.
template <class Steps>
void fold_scale(Steps& s) {
  using Real = RealOf<Steps>;
  s.read = [](AttentionInput& input) {
    const Real scale = input.options.scale
                           ? static_cast<Real>(*input.options.scale)
                           : Real(1) / std::sqrt(static_cast<Real>(input.queries.cols()));
    const Real root = std::sqrt(std::abs(scale));
    for (double& x : input.queries.reshaped())
      x = static_cast<double>(static_cast<Real>(x) * std::copysign(root, scale));
    for (double& x : input.keys.reshaped()) x = static_cast<double>(static_cast<Real>(x) * root);
    input.options.scale = 1;
  };
}

/// The last step of weights: what is done with the exponentials of a query.
template <class Steps, class Change>
void change_weights(Steps& s, Change change) {
  using Real = RealOf<Steps>;
  s.weights = [right = s.weights, change](const List<List<Real>>& scores, std::size_t i) {
    return change(right(scores, i), scores, i);
  };
}

/// Weights that are 0 where there is no key.
template <class Steps>
void allow_empty_rows(Steps& s) {
  change_weights(s, [](auto p, const auto& scores, std::size_t i) {
    for (std::size_t j = 0; j < p.size(); ++j)
      if (std::isinf(scores[i][j])) p[j] = 0;
    return p;
  });
}

std::vector<Kernel<AttentionInput>> right_kernels() {
  return {right("as the formula is written", Freedom::none,
                [](auto& s, const Arithmetic&) { allow_empty_rows(s); }),
          right("sums from the end", Freedom::none,
                [](auto& s, const Arithmetic&) {
                  using Real = RealOf<decltype(s)>;
                  using Numbers = List<Real>;
                  s.dot = [](const Numbers& q, const Numbers& k) {
                    Real sum = 0;
                    for (std::size_t l = q.size(); l-- > 0;) sum += q[l] * k[l];
                    return sum;
                  };
                }),
          right("blocks of two keys, divided at the end", Freedom::order,
                [](auto& s, const Arithmetic&) { in_blocks(s, 2); }),
          right("one key after the other, divided at the end", Freedom::order,
                [](auto& s, const Arithmetic&) { in_blocks(s, 1); }),
          right("the root of the scale in queries and keys", Freedom::flushing,
                [](auto& s, const Arithmetic&) { fold_scale(s); }),
          right("all of that, in blocks", Freedom::flushing,
                [](auto& s, const Arithmetic&) {
                  fold_scale(s);
                  in_blocks(s, 2);
                }),
          right("weights are stored", Freedom::storage, [](auto& s, const Arithmetic& arithmetic) {
            using Real = RealOf<decltype(s)>;
            change_weights(s, [stored = arithmetic.stored](auto p, const auto&, std::size_t) {
              for (Real& weight : p) weight = static_cast<Real>(stored(static_cast<double>(weight)));
              return p;
            });
          })};
}

/// Bugs that read the arguments as others.
std::vector<Kernel<AttentionInput>> misreading_kernels() {
  using Input = AttentionInput;
  const auto root = [](Eigen::Index d) { return std::sqrt(static_cast<double>(d)); };
  return {
      misread("scale-missing", "mlc-llm#3426",
              [](Input& in) { in.options.scale = in.options.scale.value_or(1); }),
      misread("scale-by-width", "ViT-CIFAR#12",
              [root](Input& in) { in.options.scale = in.options.scale.value_or(1 / (2 * root(in.queries.cols()))); }),
      misread("scale-by-values", "",
              [root](Input& in) { in.options.scale = in.options.scale.value_or(1 / root(in.values.cols())); }),
      misread("scale-without-root", "",
              [](Input& in) {
                in.options.scale = in.options.scale.value_or(1 / static_cast<double>(in.queries.cols()));
              }),
      misread("scale-inverted", "maxtext#1370",
              [root](Input& in) { in.options.scale = in.options.scale.value_or(root(in.queries.cols())); }),
      misread("scale-ignored", "", [](Input& in) { in.options.scale.reset(); }),
      misread("scale-zero-is-default", "",
              [](Input& in) {
                if (in.options.scale == 0.0) in.options.scale.reset();
              }),
      misread("scale-twice", "",
              [root](Input& in) {
                const double scale = in.options.scale.value_or(1 / root(in.queries.cols()));
                in.options.scale = scale * scale;
              }),
      misread("causal-ignored", "", [](Input& in) { in.options.causal.reset(); }),
      misread("causal-bottom-right", "mlx#2835",
              [](Input& in) {
                if (in.options.causal) in.options.causal = CausalAlignment::bottom_right;
              }),
      misread("causal-top-left", "onnx#8068",
              [](Input& in) {
                if (in.options.causal) in.options.causal = CausalAlignment::top_left;
              }),
      misread("mask-ignored", "", [](Input& in) { in.options.allowed.reset(); }),
      misread("mask-inverted", "",
              [](Input& in) {
                if (in.options.allowed) in.options.allowed = !in.options.allowed->array();
              }),
      misread("bias-ignored", "", [](Input& in) { in.options.bias.reset(); }),
      misread("keys-transposed", "",
              [](Input& in) {
                const Eigen::MatrixXd turned = in.keys.transpose();
                in.keys = turned.reshaped(in.keys.rows(), in.keys.cols());
              }),
      misread("values-transposed", "", [](Input& in) {
        const Eigen::MatrixXd turned = in.values.transpose();
        in.values = turned.reshaped(in.values.rows(), in.values.cols());
      })};
}

/// What is changed may be any step; the alias names are those of the steps.
#define SQRTDK_WRONG(name, seen_in, ...)                               \
  wrong(name, seen_in, [](auto& s) {                                   \
    using Real [[maybe_unused]] = RealOf<decltype(s)>;                 \
    using Numbers [[maybe_unused]] = List<Real>;                       \
    using Table [[maybe_unused]] = List<Numbers>;                      \
    using Steps [[maybe_unused]] = std::decay_t<decltype(s)>;          \
    __VA_ARGS__;                                                       \
  })

std::vector<Kernel<AttentionInput>> wrong_kernels() {
  std::vector<Kernel<AttentionInput>> kernels = {
      SQRTDK_WRONG("causal-off-by-one", "transformers#39408",
                   s.sees = [sees = s.sees](const AttentionInput& in, Eigen::Index i, Eigen::Index j) {
                     return sees(in, i, j) || (in.options.causal && j > 0 && sees(in, i, j - 1));
                   }),
      SQRTDK_WRONG("last-key-lost", "",
                   s.sees = [sees = s.sees](const AttentionInput& in, Eigen::Index i, Eigen::Index j) {
                     return sees(in, i, j) && (j == 0 || j + 1 < in.keys.rows());
                   }),
      SQRTDK_WRONG("bias-scaled", "",
                   s.score = [](Real product, Real bias, const AttentionInput& in) {
                     return Steps::scaled(product + bias, in);
                   }),
      SQRTDK_WRONG("scores-overflow-half", "metal-flash-attention#8, pytorch#119131",
                   s.score = [](Real product, Real bias, const AttentionInput& in) {
                     const Eigen::half narrow(static_cast<float>(product));
                     return Steps::scaled(static_cast<Real>(static_cast<float>(narrow)), in) + bias;
                   }),
      SQRTDK_WRONG("no-maximum", "dotnet/machinelearning#3648",
                   s.weights = [](const Table& scores, std::size_t i) {
                     Numbers e = Steps::exponentials(scores[i], 0);
                     const Real sum = sum_of(e);
                     for (Real& weight : e) weight /= sum;
                     return e;
                   }),
      SQRTDK_WRONG("wrong-axis", "labml#146",
                   s.weights = [](const Table& scores, std::size_t i) {
                     Numbers p;
                     for (std::size_t j = 0; j < scores[i].size(); ++j) {
                       Real sum = 0;
                       for (const Numbers& row : scores) sum += std::exp(row[j]);
                       p.push_back(std::exp(scores[i][j]) / sum);
                     }
                     return p;
                   }),
      SQRTDK_WRONG("sum-of-another-row", "flashinfer#3838",
                   s.weights = [](const Table& scores, std::size_t i) {
                     Numbers e = Steps::exponentials(scores[i], greatest(scores[i]));
                     const Real sum = sum_of(Steps::exponentials(scores[0], greatest(scores[0])));
                     for (Real& weight : e) weight /= sum;
                     return e;
                   }),
      SQRTDK_WRONG("mask-after-softmax", "",
                   s.weights = [weights = s.weights, sees = s.sees](const Table& scores, std::size_t i) {
                     Table seen = scores;
                     for (Real& score : seen[i]) score = std::max(score, Real(0));
                     return weights(seen, i);
                   }),
      SQRTDK_WRONG("finite-sentinel", "flashinfer#4401",
                   s.weights =
                       [weights = s.weights](const Table& scores, std::size_t i) {
                         Table seen = scores;
                         for (Real& score : seen[i]) score = std::max(score, Real(-50));
                         return weights(seen, i);
                       };
                   s.output = [](const Numbers& p, const Numbers&, const Numbers& v) {
                     Real sum = 0;
                     for (std::size_t j = 0; j < p.size(); ++j) sum += p[j] * v[j];
                     return sum;
                   }),
      SQRTDK_WRONG("sink-undeclared", "",
                   change_weights(s, [](Numbers p, const Table& scores, std::size_t i) {
                     const Real sum = sum_of(Steps::exponentials(scores[i], greatest(scores[i])));
                     for (Real& weight : p) weight *= sum / (sum + std::exp(-greatest(scores[i])));
                     return p;
                   })),
      SQRTDK_WRONG("padding-counted", "tt-metal#19781",
                   s.weights = [weights = s.weights](const Table& scores, std::size_t i) {
                     Table padded = scores;
                     padded[i].resize((scores[i].size() + 3) / 4 * 4, Real(0));
                     Numbers p = weights(padded, i);
                     p.resize(scores[i].size());
                     return p;
                   }),
      SQRTDK_WRONG("half-weights", "",
                   change_weights(s, [](Numbers p, const Table&, std::size_t) {
                     for (Real& weight : p)
                       weight = static_cast<Real>(static_cast<float>(Eigen::half(static_cast<float>(weight))));
                     return p;
                   })),
      SQRTDK_WRONG("weights-flushed", "modular#7102",
                   change_weights(s, [](Numbers p, const Table&, std::size_t) {
                     for (Real& weight : p) weight = weight < std::numeric_limits<float>::min() ? 0 : weight;
                     return p;
                   })),
      SQRTDK_WRONG("low-precision-output", "",
                   s.output = [](const Numbers& p, const Numbers&, const Numbers& v) {
                     Eigen::half sum(0.0F);
                     for (std::size_t j = 0; j < p.size(); ++j)
                       sum += Eigen::half(static_cast<float>(p[j] * v[j]));
                     return static_cast<Real>(static_cast<float>(sum));
                   }),
      SQRTDK_WRONG("empty-row-is-nan", "pytorch#103963, mlx#2608",
                   change_weights(s, [](Numbers p, const Table& scores, std::size_t i) {
                     for (Real& weight : p) weight /= Real(greatest(scores[i]) > masked<Real>);
                     return p;
                   });
                   s.output = [](const Numbers& p, const Numbers&, const Numbers& v) {
                     Real sum = 0;
                     for (std::size_t j = 0; j < p.size(); ++j) sum += p[j] * v[j];
                     return sum;
                   }),
      SQRTDK_WRONG("empty-row-is-mean", "",
                   s.output = [output = s.output](const Numbers& p, const Numbers& scores, const Numbers& v) {
                     if (greatest(scores) > masked<Real>) return output(p, scores, v);
                     return sum_of(v) / static_cast<Real>(v.size());
                   }),
      SQRTDK_WRONG("masked-value-contaminates", "pytorch#101967",
                   s.output = [](const Numbers& p, const Numbers&, const Numbers& v) {
                     Real sum = 0;
                     for (std::size_t j = 0; j < p.size(); ++j) sum += p[j] * v[j];
                     return sum;
                   }),
      SQRTDK_WRONG("output-not-rescaled", "",
                   s.output = [](const Numbers&, const Numbers& scores, const Numbers& v) {
                     return output_in_blocks(scores, v, 2, [](Real m, Real next) {
                       return std::pair(faded(m, next), Real(1));
                     });
                   }),
      SQRTDK_WRONG("masked-block-is-nan", "pytorch#130014, vllm#39148",
                   s.output = [](const Numbers&, const Numbers& scores, const Numbers& v) {
                     return output_in_blocks(scores, v, 2, [](Real m, Real next) {
                       return std::pair(std::exp(m - next), std::exp(m - next));
                     });
                   })};
  for (Kernel<AttentionInput>& kernel : misreading_kernels()) kernels.push_back(std::move(kernel));
  return kernels;
}

#undef SQRTDK_WRONG

}  // namespace

Kernels<AttentionInput> kernels_of(const AttentionInput&) { return {right_kernels(), wrong_kernels()}; }

}  // namespace sqrtdk::vectors
