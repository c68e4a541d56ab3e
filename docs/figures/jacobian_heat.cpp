// The Jacobian of softmax at the five scores of S3: raw, and divided by 8.
#include <sqrtdk/softmax.hpp>
#include <sqrtdk/softmax_jacobian.hpp>
#include <sqrtdk/testing/reporting/figure_data.hpp>

#include "docs/figures/figure.hpp"

#include <Eigen/Core>

#include <vector>

using namespace sqrtdk;

const sqrtdk::figures::Figure jacobian_heat_figure("jacobian_heat", [] {
  const Eigen::Vector<double, 5> scores(9.2, -3.1, 8.8, -5.4, 1.2);
  std::vector<std::vector<double>> rows;
  for (const double divisor : {1.0, 8.0}) {
    const Eigen::MatrixXd jacobian = softmax_jacobian(softmax(scores, divisor));
    for (Eigen::Index i = 0; i < jacobian.rows(); ++i)
      for (Eigen::Index j = 0; j < jacobian.cols(); ++j)
        rows.push_back({static_cast<double>(i + 1), static_cast<double>(j + 1), jacobian(i, j)});
    rows.insert(rows.end(), 2, {});  // ends a matrix
  }
  sqrtdk::testing::write_figure_data("jacobian_heat", {"weight", "score", "derivative"}, rows);
});
