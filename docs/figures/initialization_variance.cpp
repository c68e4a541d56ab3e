// The variance of a coordinate of Wx under Xavier initialization, against the shape of W.
#include <sqrtdk/initialization.hpp>
#include <sqrtdk/testing/reporting/figure_data.hpp>
#include <sqrtdk/testing/statistics/streams.hpp>

#include "docs/figures/figure.hpp"

#include <Eigen/Core>
#include <boost/random/normal_distribution.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

using namespace sqrtdk;
using namespace sqrtdk::testing;

const sqrtdk::figures::Figure initialization_variance_figure("initialization_variance", [] {
  constexpr std::size_t fan_in = 512;
  std::vector<std::vector<double>> rows;
  for (double power = 5; power <= 12; power += 0.125) {
    const double fan_out = std::round(std::exp2(power));
    rows.push_back(
        {fan_out,
         static_cast<double>(projected_variance(1, fan_in, static_cast<std::size_t>(fan_out))), 0});
  }
  rows.insert(rows.end(), 2, {});
  // The paper's ways to store what makes queries, measured: the mean square of all coordinates of
  // Wx for eight matrices and one layer-normalized input.
  for (const std::size_t fan_out : {64U, 512U, 1536U}) {
    Stream stream = stream_of(1, "figure initialization_variance", fan_out);
    boost::random::normal_distribution<double> entry;
    const Eigen::RowVectorXd features =
        Eigen::RowVectorXd::NullaryExpr(fan_in, [&] { return entry(stream); });
    const Eigen::VectorXd input = layer_norm(features, 0.0).transpose();
    double mean_square = 0;
    for (int matrix = 0; matrix < 8; ++matrix) {
      const Eigen::MatrixXd weights =
          xavier_uniform(fan_out, fan_in, [&] { return uniform(stream); });
      mean_square += (weights * input).squaredNorm() / (8 * static_cast<double>(fan_out));
    }
    rows.push_back({static_cast<double>(fan_out),
                    static_cast<double>(projected_variance(1, fan_in, fan_out)), mean_square});
  }
  write_figure_data("initialization_variance", {"rows", "variance", "measured"}, rows);
});
