// Ten thousand scores each for three head dimensions, counted in bins: raw, and divided by
// √d.
#include <sqrtdk/distributions/score_sampler.hpp>
#include <sqrtdk/score.hpp>
#include <sqrtdk/testing/reporting/figure_data.hpp>
#include <sqrtdk/testing/statistics/streams.hpp>

#include "docs/figures/figure.hpp"

#include <cmath>
#include <cstddef>
#include <vector>

using namespace sqrtdk;
using namespace sqrtdk::testing;

/// Appends the share of the numbers in each bin [low + i·width, low + (i + 1)·width), of which
/// there are 64; numbers outside are in none.
void append_histogram(const std::vector<double>& numbers, double low, double width,
                      double deviation, std::vector<std::vector<double>>& rows) {
  std::vector<double> share(64, 0);
  for (const double number : numbers) {
    const double bin = std::floor((number - low) / width);
    if (bin >= 0 && bin < 64)
      share[static_cast<std::size_t>(bin)] += 1 / static_cast<double>(numbers.size());
  }
  for (std::size_t i = 0; i < share.size(); ++i)
    rows.push_back({low + (static_cast<double>(i) + 0.5) * width, share[i], deviation});
  rows.insert(rows.end(), 2, {});  // ends a histogram
}

const sqrtdk::figures::Figure score_histograms_figure("score_histograms", [] {
  std::vector<std::vector<double>> rows;
  for (const unsigned d : {4U, 64U, 512U}) {
    Stream stream = stream_of(1, "figure score_histograms", d);
    const double deviation = dot_product_standard_deviation(d);
    std::vector<double> scores = draws(10000, score_sampler<>(d), stream);
    append_histogram(scores, -64, 2, deviation, rows);
    for (double& score : scores) score /= deviation;
    append_histogram(scores, -4, 0.125, 1, rows);
  }
  write_figure_data("score_histograms", {"score", "share", "deviation"}, rows);
});
