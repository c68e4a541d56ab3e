// The five scores of S3, of which the third is moved, divided by 1, 2, 4 and 8: the weights,
// and their derivatives with respect to the divided score that is moved.
#include <sqrtdk/softmax.hpp>
#include <sqrtdk/softmax_jacobian.hpp>
#include <sqrtdk/testing/reporting/figure_data.hpp>

#include "docs/figures/figure.hpp"

#include <Eigen/Core>

#include <vector>

using namespace sqrtdk;

const sqrtdk::figures::Figure jacobian_column_figure("jacobian_column", [] {
  const Eigen::Index moved = 2;
  std::vector<std::vector<double>> rows;
  for (const double divisor : {1., 2., 4., 8.})
    for (int step = -15; step <= 50; ++step) {  // from −6 to 20, by way of 8.8
      Eigen::Vector<double, 5> scores(9.2, -3.1, 8.8, -5.4, 1.2);
      scores[moved] = 2 * step / 5.;
      const Eigen::Vector<double, 5> weights = softmax(scores, divisor);
      const Eigen::Matrix<double, 5, 5> jacobian = softmax_jacobian(weights);
      for (Eigen::Index i = 0; i < scores.size(); ++i)
        rows.push_back({divisor, scores[moved], static_cast<double>(i + 1), scores[i], weights[i],
                        jacobian(i, moved)});
    }
  sqrtdk::testing::write_figure_data(
      "jacobian_column", {"divisor", "moved", "key", "score", "weight", "derivative"}, rows);
});
