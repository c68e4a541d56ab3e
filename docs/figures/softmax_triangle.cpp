// Five hundred rows of three attention weights, for d = 1, 4, 64 and for 64 with the root.
#include <sqrtdk/attention.hpp>
#include <sqrtdk/testing/reporting/figure_data.hpp>
#include <sqrtdk/testing/statistics/streams.hpp>

#include "docs/figures/figure.hpp"

#include <Eigen/Core>
#include <boost/random/normal_distribution.hpp>

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

using namespace sqrtdk;
using namespace sqrtdk::testing;

const sqrtdk::figures::Figure softmax_triangle_figure("softmax_triangle", [] {
  std::vector<std::vector<double>> rows;
  for (const auto& [d, scaled] : {std::pair(1, false), {4, false}, {64, false}, {64, true}}) {
    Stream stream = stream_of(1, "figure softmax_triangle", static_cast<std::uint64_t>(d));
    boost::random::normal_distribution<double> entry;
    AttentionOptions<double> options;
    if (!scaled) options.scale = 1;
    for (int row = 0; row < 500; ++row) {
      const Eigen::RowVectorXd query =
          Eigen::RowVectorXd::NullaryExpr(d, [&] { return entry(stream); });
      const Eigen::MatrixXd keys =
          Eigen::MatrixXd::NullaryExpr(3, d, [&] { return entry(stream); });
      const Eigen::MatrixXd weights = attention_weights(query, keys, options);
      rows.push_back({weights(0, 0), weights(0, 1), weights(0, 2)});
    }
    rows.insert(rows.end(), 2, {});  // ends a triangle
  }
  write_figure_data("softmax_triangle", {"first", "second", "third"}, rows);
});
