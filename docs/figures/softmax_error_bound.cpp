// The error of each of 512 softmax weights in single precision, beside its bound.
#include <sqrtdk/softmax_error.hpp>
#include <sqrtdk/testing/reporting/figure_data.hpp>
#include <sqrtdk/testing/statistics/streams.hpp>

#include "docs/figures/figure.hpp"

#include <Eigen/Core>
#include <boost/random/normal_distribution.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

using namespace sqrtdk;
using namespace sqrtdk::testing;

const sqrtdk::figures::Figure softmax_error_bound_figure("softmax_error_bound", [] {
  Stream stream = stream_of(1, "figure softmax_error_bound");
  boost::random::normal_distribution<float> score(0, 8);  // raw scores for d = 64
  Eigen::VectorXf scores = Eigen::VectorXf::NullaryExpr(512, [&] { return score(stream); });
  std::ranges::sort(scores, std::ranges::greater());
  const Eigen::VectorXd computed = softmax(scores).cast<double>();
  const Eigen::VectorXd exact = softmax(scores.cast<double>());  // its errors are 2²⁹ times smaller
  const SoftmaxErrorBound bound = softmax_error_bound(scores);
  const double u = arithmetic_of<float>().unit_roundoff;
  std::vector<std::vector<double>> rows;
  for (Eigen::Index i = 0; i < scores.size(); ++i)
    rows.push_back({static_cast<double>(scores[0]) - static_cast<double>(scores[i]),
                    std::abs(computed[i] - exact[i]) / exact[i] / u, bound.relative[i] / u});
  write_figure_data("softmax_error_bound", {"below", "error", "bound"}, rows);
});
