// The five scores of S3, and their softmax weights: raw, and divided by 8.
#include <sqrtdk/softmax.hpp>
#include <sqrtdk/testing/reporting/figure_data.hpp>

#include "docs/figures/figure.hpp"

#include <Eigen/Core>

#include <vector>

using namespace sqrtdk;

const sqrtdk::figures::Figure softmax_bars_figure("softmax_bars", [] {
  const Eigen::Vector<double, 5> scores(9.2, -3.1, 8.8, -5.4, 1.2);
  const Eigen::Vector<double, 5> raw = softmax(scores), divided = softmax(scores, 8);
  std::vector<std::vector<double>> rows;
  for (Eigen::Index i = 0; i < scores.size(); ++i)
    rows.push_back({static_cast<double>(i + 1), scores[i], raw[i], divided[i]});
  sqrtdk::testing::write_figure_data("softmax_bars", {"position", "score", "raw", "divided"}, rows);
});
