// The gradient that comes back to the inputs of self-attention along each of its four
// paths.
#include <sqrtdk/attention.hpp>
#include <sqrtdk/testing/reporting/figure_data.hpp>
#include <sqrtdk/testing/statistics/streams.hpp>

#include "docs/figures/figure.hpp"

#include <Eigen/Core>
#include <boost/random/normal_distribution.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

using namespace sqrtdk;
using namespace sqrtdk::testing;

/// Independent normal numbers with mean 0.
Eigen::MatrixXd normal_matrix(Eigen::Index rows, Eigen::Index columns, double deviation,
                              Stream& stream) {
  boost::random::normal_distribution<double> entry(0, deviation);
  return Eigen::MatrixXd::NullaryExpr(rows, columns, [&] { return entry(stream); });
}

/// The norms of the four summands of ∂ℓ/∂X for the layer Y = X + O(X) of residual_gradient(), where
/// the loss looks at the last of five positions, by a gradient of length 1: what comes through the
/// residual, the values, the queries and the keys.
std::array<double, 4> paths(Eigen::Index d, bool scaled, Stream& stream) {
  constexpr Eigen::Index positions = 5, width = 16;
  const double deviation = 1 / std::sqrt(static_cast<double>(width));  // queries have variance 1
  const Eigen::MatrixXd inputs = normal_matrix(positions, width, 1, stream);
  const Eigen::MatrixXd to_query = normal_matrix(width, d, deviation, stream);
  const Eigen::MatrixXd to_key = normal_matrix(width, d, deviation, stream);
  const Eigen::MatrixXd to_value = normal_matrix(width, width, deviation, stream);
  Eigen::MatrixXd gradient = Eigen::MatrixXd::Zero(positions, width);
  gradient.row(positions - 1) = normal_matrix(1, width, 1, stream).normalized();
  AttentionOptions<double> options;
  if (!scaled) options.scale = 1;
  const AttentionGradient<double> by =
      attention_gradient(Eigen::MatrixXd(inputs * to_query), Eigen::MatrixXd(inputs * to_key),
                         Eigen::MatrixXd(inputs * to_value), gradient, options);
  return {gradient.norm(), (by.values * to_value.transpose()).norm(),
          (by.queries * to_query.transpose()).norm(), (by.keys * to_key.transpose()).norm()};
}

const sqrtdk::figures::Figure blocked_paths_figure("blocked_paths", [] {
  std::vector<std::vector<double>> rows;
  for (const bool scaled : {false, true}) {
    for (Eigen::Index d = 1; d <= 1024; d *= 2) {
      Stream stream = stream_of(1, "figure blocked_paths", static_cast<std::uint64_t>(d));
      std::array<std::vector<double>, 4> norms;
      for (int draw = 0; draw < 401; ++draw) {
        const std::array<double, 4> each = paths(d, scaled, stream);
        for (std::size_t path = 0; path < 4; ++path) norms[path].push_back(each[path]);
      }
      rows.push_back({static_cast<double>(d)});
      for (std::vector<double>& list : norms) {
        const auto middle = list.begin() + 200;  // the median of 401
        std::nth_element(list.begin(), middle, list.end());
        rows.back().push_back(*middle);
      }
    }
    rows.insert(rows.end(), 2, {});
  }
  write_figure_data("blocked_paths", {"d", "residual", "values", "queries", "keys"}, rows);
});
