// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief One query and eight keys: their scores after the first d coordinates, and the weights,
/// raw and divided by √d.
#include <sqrtdk/softmax.hpp>
#include <sqrtdk/testing/reporting/figure_data.hpp>

#include "normal_draws.hpp"

#include <cmath>
#include <vector>

using namespace sqrtdk;
using namespace sqrtdk::testing;

int main() {
  const Eigen::Index keys = 8, dimensions = 512;
  NormalDraws draw{"one_query"};
  const Eigen::VectorXd query = draw(dimensions, 1);
  const Eigen::MatrixXd key = draw(keys, dimensions);

  std::vector<std::vector<double>> rows;
  for (const Eigen::Index d :
       {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512}) {
    const Eigen::VectorXd scores = key.leftCols(d) * query.head(d);
    const Eigen::VectorXd raw = softmax(scores);
    const Eigen::VectorXd divided = softmax(scores, std::sqrt(static_cast<double>(d)));
    for (Eigen::Index j = 0; j < keys; ++j)
      rows.push_back(
          {static_cast<double>(d), static_cast<double>(j + 1), scores[j], raw[j], divided[j]});
  }
  write_figure_data("one_query", {"d", "key", "score", "weight", "weight_divided"}, rows);
}
