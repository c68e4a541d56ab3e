// One query and eight keys, drawn many times: the scores after the first d coordinates, the
// highest first, and the weights, raw and divided by √d. The first draws are written one by one;
// the rows of draw 0 are the means of all.
#include <sqrtdk/softmax.hpp>
#include <sqrtdk/testing/reporting/figure_data.hpp>

#include "docs/figures/figure.hpp"
#include "docs/figures/normal_draws.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

using namespace sqrtdk;
using namespace sqrtdk::testing;

const sqrtdk::figures::Figure one_query_figure("one_query", [] {
  const Eigen::Index keys = 8;
  const int draws = 2000, shown = 32;
  const std::vector<Eigen::Index> dimensions = {1,  2,  3,  4,  6,   8,   12,  16,  24,
                                                32, 48, 64, 96, 128, 192, 256, 384, 512};
  NormalDraws draw{"one_query"};
  std::vector<Eigen::MatrixXd> sums(dimensions.size(), Eigen::MatrixXd::Zero(keys, 3));

  std::vector<std::vector<double>> rows;
  const auto append = [&rows](int number, int of, Eigen::Index d, const Eigen::MatrixXd& columns) {
    for (Eigen::Index j = 0; j < columns.rows(); ++j)
      rows.push_back({static_cast<double>(number), static_cast<double>(of), static_cast<double>(d),
                      static_cast<double>(j + 1), columns(j, 0), columns(j, 1), columns(j, 2)});
  };
  for (int number = 1; number <= draws; ++number) {
    const Eigen::VectorXd query = draw(dimensions.back(), 1);
    const Eigen::MatrixXd key = draw(keys, dimensions.back());
    for (std::size_t i = 0; i < dimensions.size(); ++i) {
      const Eigen::Index d = dimensions[i];
      // In 64ths, so that the page, which has them all, stays small.
      Eigen::VectorXd scores = (64 * (key.leftCols(d) * query.head(d))).array().round() / 64;
      std::sort(scores.begin(), scores.end(), std::greater<>{});
      Eigen::MatrixXd columns(keys, 3);
      columns << scores, softmax(scores), softmax(scores, std::sqrt(static_cast<double>(d)));
      sums[i] += columns;
      if (number <= shown) append(number, 1, d, columns);
    }
  }
  for (std::size_t i = 0; i < dimensions.size(); ++i)
    append(0, draws, dimensions[i], sums[i] / draws);
  write_figure_data("one_query", {"draw", "of", "d", "rank", "score", "weight", "weight_divided"},
                    rows);
});
