// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Attention in right variants and with bugs that projects have shipped.
#include <sqrtdk/attention_pass.hpp>

#include "kernels.hpp"

#include <Eigen/Core>

#include <string_view>

namespace sqrtdk::vectors {

std::vector<Bug> bugs_of(const AttentionInput&) {
  return bugs_from(
      "scale-missing=mlc-llm#3426 scale-by-width=ViT-CIFAR#12 scale-by-values "
      "scale-without-root scale-inverted=maxtext#1370 scale-ignored scale-zero-is-default "
      "scale-twice scores-overflow-half=metal-flash-attention#8,pytorch#119131 bias-scaled "
      "bias-ignored keys-transposed values-transposed last-key-lost last-lost-beyond-64 "
      "causal-ignored "
      "causal-off-by-one=transformers#39408 causal-bottom-right=mlx#2835 "
      "causal-top-left=onnx#8068 mask-ignored mask-inverted mask-after-softmax "
      "finite-sentinel=flashinfer#4401 masked-value-contaminates=pytorch#101967 "
      "masked-block-is-nan=pytorch#130014,vllm#39148 empty-row-is-nan=pytorch#103963,mlx#2608 "
      "empty-row-is-mean no-maximum=machinelearning#3648 wrong-axis=labml#146 "
      "sum-of-another-row=flashinfer#3838 sink-undeclared padding-counted=tt-metal#19781 "
      "half-weights weights-flushed=modular#7102 low-precision-output output-not-rescaled "
      "not-rescaled-in-blocks-of-32");
}

std::vector<Variant> variants_of(const AttentionInput&) {
  return {{"as the formula is written", Freedom::none},
          {"sums from the end", Freedom::none},
          {"blocks of one key, divided at the end", Freedom::order},
          {"blocks of two keys, divided at the end", Freedom::order},
          {"the root of the scale in queries and keys", Freedom::flushing},
          {"weights are stored", Freedom::storage}};
}

namespace {

/// What bugs make of the arguments before anything is computed.
void misread(AttentionInput& input, std::string_view name) {
  const auto is = [name](std::string_view other) { return name == other; };
  auto& [scale, bias, allowed, causal, with_weights] = input.options;
  const auto d = static_cast<double>(input.queries.cols());
  if (is("scale-missing")) scale = scale.value_or(1);
  if (is("scale-by-width")) scale = scale.value_or(1 / std::sqrt(4 * d));
  if (is("scale-by-values"))
    scale = scale.value_or(1 / std::sqrt(static_cast<double>(input.values.cols())));
  if (is("scale-without-root")) scale = scale.value_or(1 / d);
  if (is("scale-inverted")) scale = scale.value_or(std::sqrt(d));
  if (is("scale-ignored") || (is("scale-zero-is-default") && scale == 0.0)) scale.reset();
  if (is("scale-twice")) scale = std::pow(scale.value_or(1 / std::sqrt(d)), 2);
  if (is("bias-ignored")) bias.reset();
  if (is("causal-ignored")) causal.reset();
  if (is("causal-bottom-right") && causal) causal = CausalAlignment::bottom_right;
  if (is("causal-top-left") && causal) causal = CausalAlignment::top_left;
  if (is("mask-ignored")) allowed.reset();
  if (is("mask-inverted") && allowed) allowed = !allowed->array();
  for (Eigen::MatrixXd* matrix : {&input.keys, &input.values}) {
    if (!is(matrix == &input.keys ? "keys-transposed" : "values-transposed")) continue;
    const Eigen::MatrixXd turned = matrix->transpose();
    *matrix = turned.reshaped(matrix->rows(), matrix->cols());
  }
}

/// The scores, −∞ where a key is masked.
template <class Real>
List<List<Real>> scores_of(const AttentionInput& input, std::string_view name) {
  const auto is = [name](std::string_view other) { return name == other; };
  const auto as_real = [](double x) { return static_cast<Real>(x); };
  const Eigen::Index m = input.keys.rows(), d = input.queries.cols();
  const Real root = std::sqrt(static_cast<Real>(d));
  const Real scale = input.options.scale ? as_real(*input.options.scale) : 1 / root;
  const Real part = std::sqrt(std::abs(scale));
  const sqrtdk::detail::Visibility<double> sees(input.options, input.queries.rows(), m);
  List<List<Real>> scores;
  for (Eigen::Index i = 0; i < input.queries.rows(); ++i) {
    scores.emplace_back();
    for (Eigen::Index j = 0; j < m; ++j) {
      bool seen = sees(i, j);
      if (is("causal-off-by-one") && input.options.causal && j > 0) seen = seen || sees(i, j - 1);
      if (is("last-lost-beyond-64") && j >= 64) seen = seen && j + 1 < m;
      if (is("last-key-lost") && j > 0) seen = seen && j + 1 < m;
      const Real bias = input.options.bias ? as_real((*input.options.bias)(i, j)) : 0;

      Real dot = 0;
      for (Eigen::Index step = 0; step < d; ++step) {
        const Eigen::Index l = is("sums from the end") ? d - 1 - step : step;
        Real q = as_real(input.queries(i, l)), k = as_real(input.keys(j, l));
        if (is("the root of the scale in queries and keys")) {
          q *= std::copysign(part, scale);
          k *= part;
        }
        dot += q * k;
      }
      if (is("scores-overflow-half")) dot = through<Eigen::half>(dot);
      if (is("bias-scaled")) dot += bias;
      Real score = input.options.scale ? dot * scale : dot / root;
      if (is("the root of the scale in queries and keys")) score = dot;
      if (!is("bias-scaled")) score += bias;
      scores.back().push_back(seen ? score : masked<Real>);
    }
  }
  return scores;
}

/// e^(s − m), 0 where a key is masked.
template <class Real>
List<Real> exponentials(const List<Real>& scores, Real m) {
  List<Real> e;
  for (const Real s : scores) e.push_back(s == masked<Real> ? Real(0) : std::exp(s - m));
  return e;
}

/// The weights of query i.
template <class Real>
List<Real> weights_of(const List<List<Real>>& all, std::size_t i, std::string_view name,
                      const Arithmetic& arithmetic) {
  const auto is = [name](std::string_view other) { return name == other; };
  List<Real> scores = all[i];
  for (Real& score : scores) {
    if (is("mask-after-softmax")) score = std::max(score, Real(0));
    if (is("finite-sentinel")) score = std::max(score, Real(-50));
  }
  const Real m = is("no-maximum") ? Real(0) : greatest(scores);
  List<Real> p = exponentials(scores, m);
  Real sum = sum_of(p);
  if (is("sum-of-another-row")) sum = sum_of(exponentials(all[0], greatest(all[0])));
  if (is("sink-undeclared")) sum += std::exp(-m);
  if (is("padding-counted")) sum += static_cast<Real>((4 - p.size() % 4) % 4) * std::exp(-m);
  for (std::size_t j = 0; j < p.size(); ++j) {
    if (is("wrong-axis")) {
      sum = 0;
      for (const List<Real>& row : all) sum += std::exp(row[j] - m);
    }
    p[j] = sum == 0 && !is("empty-row-is-nan") ? Real(0) : p[j] / sum;
    if (is("half-weights")) p[j] = through<Eigen::half>(p[j]);
    if (is("weights-flushed") && p[j] < std::numeric_limits<float>::min()) p[j] = 0;
    if (is("weights are stored"))
      p[j] = static_cast<Real>(arithmetic.stored(static_cast<double>(p[j])));
  }
  return p;
}

/// An output in blocks of keys, whose sum is rescaled when the maximum grows, and divided at the end.
template <class Real>
Real output_in_blocks(const List<Real>& scores, const List<Real>& v, std::string_view name) {
  const std::size_t block = name == "blocks of one key, divided at the end" ? 1
                            : name == "not-rescaled-in-blocks-of-32"        ? 32
                                                                            : 2;
  Real m = masked<Real>, sum = 0, out = 0;
  for (std::size_t start = 0; start < scores.size(); start += block) {
    const Real next = std::max(m, greatest(scores, start, start + block));
    const Real faded =
        m == masked<Real> && name != "masked-block-is-nan" ? Real(0) : std::exp(m - next);
    sum *= faded;
    if (name != "output-not-rescaled" && name != "not-rescaled-in-blocks-of-32") out *= faded;
    for (std::size_t j = start; j < std::min(start + block, scores.size()); ++j) {
      if (scores[j] == masked<Real>) continue;
      sum += std::exp(scores[j] - next);
      out += std::exp(scores[j] - next) * v[j];
    }
    m = next;
  }
  return sum == 0 ? sum : out / sum;
}

/// One number of the output, from the weights and scores of a query, and one feature of the values.
template <class Real>
Real output_of(const List<Real>& p, const List<Real>& scores, const List<Real>& v,
               std::string_view name) {
  const auto is = [name](std::string_view other) { return name == other; };
  if (is("blocks of one key, divided at the end") || is("blocks of two keys, divided at the end") ||
      is("output-not-rescaled") || is("not-rescaled-in-blocks-of-32") || is("masked-block-is-nan"))
    return output_in_blocks(scores, v, name);
  if (is("empty-row-is-mean") && greatest(scores) == masked<Real>)
    return sum_of(v) / static_cast<Real>(v.size());
  const bool all =
      is("masked-value-contaminates") || is("finite-sentinel") || is("empty-row-is-nan");
  Real out = 0;
  for (std::size_t j = 0; j < p.size(); ++j) {
    if (all || scores[j] != masked<Real>) out += p[j] * v[j];
    if (is("low-precision-output")) out = through<Eigen::half>(out);
  }
  return out;
}

template <class Real>
std::vector<double> results(const std::string& name, AttentionInput input,
                            const Arithmetic& arithmetic) {
  misread(input, name);
  const List<List<Real>> scores = scores_of<Real>(input, name);
  List<Real> outputs;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const List<Real> p = weights_of(scores, i, name, arithmetic);
    for (const auto& values : input.values.colwise()) {
      List<Real> v;
      for (const double value : values) v.push_back(static_cast<Real>(value));
      outputs.push_back(output_of(p, scores[i], v, name));
    }
  }
  return stored(outputs, arithmetic);
}

}  // namespace

std::vector<double> results_of(const std::string& name, const AttentionInput& input,
                               const Arithmetic& arithmetic) {
  return arithmetic.in_double ? results<double>(name, input, arithmetic)
                              : results<float>(name, input, arithmetic);
}

}  // namespace sqrtdk::vectors
