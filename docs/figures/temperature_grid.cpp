// Twelve queries and twelve keys of dimension 64: their scores, and the weights at many
// temperatures.
#include <sqrtdk/softmax.hpp>
#include <sqrtdk/temperature.hpp>
#include <sqrtdk/testing/reporting/figure_data.hpp>

#include "docs/figures/figure.hpp"
#include "docs/figures/normal_draws.hpp"

#include <cmath>
#include <vector>

using namespace sqrtdk;
using namespace sqrtdk::testing;

const sqrtdk::figures::Figure temperature_grid_figure("temperature_grid", [] {
  const Eigen::Index d = 64, count = 12;
  NormalDraws draw{"temperature_grid"};
  const Eigen::MatrixXd queries = draw(count, d);
  const Eigen::MatrixXd keys = draw(count, d);
  const Eigen::MatrixXd scores = queries * keys.transpose();

  std::vector<std::vector<double>> rows;
  for (int step = 0; step <= 24; ++step) {
    const double temperature = std::exp2(step / 4.0);  // from 1, which divides by nothing, to d
    for (Eigen::Index i = 0; i < count; ++i) {
      const Eigen::VectorXd row = scores.row(i);
      const Eigen::VectorXd weights = softmax(row, temperature);
      const double positions = std::exp(softmax_entropy(row, temperature));
      for (Eigen::Index j = 0; j < count; ++j)
        rows.push_back({temperature, static_cast<double>(i + 1), static_cast<double>(j + 1), row[j],
                        weights[j], positions});
    }
  }
  write_figure_data("temperature_grid",
                    {"temperature", "query", "key", "score", "weight", "positions"}, rows);
});
