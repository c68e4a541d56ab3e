// The lead that a key needs among n keys, and how far the largest of n normal scores leads.
#include <sqrtdk/saturation/thresholds.hpp>
#include <sqrtdk/testing/reporting/figure_data.hpp>

#include "docs/figures/figure.hpp"

#include <cmath>
#include <vector>

const sqrtdk::figures::Figure variants_many_keys_figure("variants_many_keys", [] {
  const auto row_of = [](double n) -> std::vector<double> {
    return {n, std::log(n), sqrtdk::critical_stddev(n)};
  };
  std::vector<std::vector<double>> rows;
  for (int step = 20; step <= 120; ++step) rows.push_back(row_of(std::pow(10, step / 20.0)));
  rows.insert(rows.end(), 2, {});  // ends the lines
  // The border of undivided scores in 16 dimensions, whose standard deviation is 4.
  rows.push_back(row_of(sqrtdk::critical_count(std::sqrt(16.0))));
  sqrtdk::testing::write_figure_data("variants_many_keys", {"n", "planted", "largest"}, rows);
});
