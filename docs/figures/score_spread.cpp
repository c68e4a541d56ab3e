// The distribution of a score in bins, for many head dimensions: raw, and divided by √d.
#include <sqrtdk/distributions/score_distribution.hpp>
#include <sqrtdk/score.hpp>
#include <sqrtdk/testing/reporting/figure_data.hpp>

#include "docs/figures/figure.hpp"

#include <vector>

using namespace sqrtdk;
using namespace sqrtdk::testing;

const sqrtdk::figures::Figure score_spread_figure("score_spread", [] {
  const double width = 4, width_divided = 0.25;
  std::vector<std::vector<double>> rows;
  for (const unsigned d :
       {1U, 2U, 3U, 4U, 6U, 8U, 12U, 16U, 24U, 32U, 48U, 64U, 96U, 128U, 192U, 256U, 384U, 512U}) {
    const score_distribution<double> scores(d);
    const double deviation = dot_product_standard_deviation(d);
    const auto share = [&scores](double low, double high) {
      return central_cdf(scores, high) - central_cdf(scores, low);
    };
    for (int bin = -16; bin <= 16; ++bin)
      rows.push_back(
          {static_cast<double>(d), bin * width, share((bin - 0.5) * width, (bin + 0.5) * width),
           bin * width_divided,
           share((bin - 0.5) * width_divided * deviation, (bin + 0.5) * width_divided * deviation),
           deviation, share(-deviation, deviation)});
  }
  write_figure_data(
      "score_spread",
      {"d", "score", "share", "score_divided", "share_divided", "deviation", "within_deviation"},
      rows);
});
