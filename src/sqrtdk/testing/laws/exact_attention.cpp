#include <sqrtdk/attention/pass.hpp>
#include <sqrtdk/testing/laws/exact_attention.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <stdexcept>
#include <vector>

namespace sqrtdk::testing {

ExactAttention::ExactAttention(const AttentionCase<Wide>& input) {
  const auto n = input.queries.rows();
  const auto m = input.keys.rows();
  const auto d = input.queries.cols();
  const auto d_v = input.values.cols();
  if (input.sink) throw std::invalid_argument("there is a sink, which must be given as a key");
  sqrtdk::detail::require_equal_widths(input.queries, input.keys);
  sqrtdk::detail::require_equal_counts(input.keys, input.values);
  if (input.options.bias) sqrtdk::detail::require_shape("the bias", *input.options.bias, n, m);
  if (input.options.allowed)
    sqrtdk::detail::require_shape("the mask", *input.options.allowed, n, m);
  if (input.output_gradient.size() > 0)
    sqrtdk::detail::require_shape("the gradient of the output", input.output_gradient, n, d_v);
  const auto zeros = [](Eigen::Index rows, Eigen::Index columns) -> Matrix<Wide> {
    return Matrix<Wide>::Constant(rows, columns, Wide(0));
  };
  sees_.resize(n, m);
  scores_ = weights_ = zeros(n, m);
  output_ = zeros(n, d_v);
  gradient_ = {zeros(n, d), zeros(m, d), zeros(m, d_v)};
  const Wide scale = input.options.scale ? *input.options.scale : Wide(1 / sqrt(Wide(d)));
  for (Eigen::Index i = 0; i < n; ++i) {
    attend(input, scale, i);
    differentiate(input, scale, i);
  }
}

bool ExactAttention::is_allowed(const AttentionCase<Wide>& input, Eigen::Index i, Eigen::Index j) {
  const auto& options = input.options;
  const Eigen::Index offset = options.causal == CausalAlignment::bottom_right
                                  ? input.keys.rows() - input.queries.rows()
                                  : 0;
  const bool by_mask = !options.allowed || (*options.allowed)(i, j);
  const bool by_bias =
      !options.bias || (*options.bias)(i, j) != -std::numeric_limits<Wide>::infinity();
  const bool by_order = !options.causal || j - i <= offset;
  return by_mask && by_bias && by_order;
}

void ExactAttention::attend(const AttentionCase<Wide>& input, const Wide& scale, Eigen::Index i) {
  // Scores of the keys that the query sees, and the greatest logit among them.
  const auto m = input.keys.rows();
  std::vector<Wide> logits(static_cast<std::size_t>(m));
  std::optional<Wide> greatest;
  for (Eigen::Index j = 0; j < m; ++j) {
    sees_(i, j) = is_allowed(input, i, j);
    if (!sees_(i, j)) continue;
    for (Eigen::Index l = 0; l < input.queries.cols(); ++l)
      scores_(i, j) += input.queries(i, l) * input.keys(j, l);
    scores_(i, j) *= scale;
    Wide& logit = logits[static_cast<std::size_t>(j)];
    logit = scores_(i, j);
    if (input.options.bias) logit += (*input.options.bias)(i, j);
    greatest = greatest ? std::max(*greatest, logit) : logit;
  }

  Wide sum = 0;
  for (Eigen::Index j = 0; j < m; ++j)
    if (sees_(i, j)) {
      weights_(i, j) = exp(Wide(logits[static_cast<std::size_t>(j)] - *greatest));
      sum += weights_(i, j);
    }
  for (Eigen::Index j = 0; j < m; ++j)
    if (sees_(i, j)) weights_(i, j) /= sum;
}

void ExactAttention::differentiate(const AttentionCase<Wide>& input, const Wide& scale,
                                   Eigen::Index i) {
  const auto m = input.keys.rows();
  const auto d_v = input.values.cols();
  const bool has_cotangent = input.output_gradient.size() > 0;
  std::vector<Wide> by_weight(static_cast<std::size_t>(m));
  Wide mean = 0;
  for (Eigen::Index j = 0; j < m; ++j) {
    if (!sees_(i, j)) continue;
    const Wide& weight = weights_(i, j);
    Wide& of_weight = by_weight[static_cast<std::size_t>(j)];
    for (Eigen::Index c = 0; c < d_v; ++c) {
      const Wide cotangent = has_cotangent ? input.output_gradient(i, c) : Wide(0);
      output_(i, c) += weight * input.values(j, c);
      gradient_.values(j, c) += weight * cotangent;
      of_weight += cotangent * input.values(j, c);
    }
    mean += weight * of_weight;
  }

  for (Eigen::Index j = 0; j < m; ++j) {
    if (!sees_(i, j)) continue;
    const Wide by_score = scale * weights_(i, j) * (by_weight[static_cast<std::size_t>(j)] - mean);
    for (Eigen::Index l = 0; l < input.queries.cols(); ++l) {
      gradient_.queries(i, l) += by_score * input.keys(j, l);
      gradient_.keys(j, l) += by_score * input.queries(i, l);
    }
  }
}

}  // namespace sqrtdk::testing
