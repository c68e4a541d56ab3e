// For a grid of head dimensions and numbers of keys: on how many keys the weights of random
// scores lie. Rows of n = 0 are points of the border between spread and condensed.
#include <sqrtdk/saturation.hpp>
#include <sqrtdk/testing/reporting/figure_data.hpp>

#include "docs/figures/figure.hpp"

#include <cmath>
#include <vector>

using namespace sqrtdk;
using namespace sqrtdk::testing;

const sqrtdk::figures::Figure saturation_dot_figure("saturation_dot", [] {
  std::vector<std::vector<double>> rows;
  for (const int d : {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512})
    for (int power = 1; power <= 24; ++power) {
      const double n = std::ldexp(1, power), spread = std::sqrt(d);
      rows.push_back({static_cast<double>(d), n, critical_count(spread),
                      mean_squared_weights(n, spread), effective_positions(n, spread),
                      mean_squared_weights(n, 1), effective_positions(n, 1)});
    }
  const double last = 2 * std::log(std::ldexp(1, 24));  // where critical_count() is 2²⁴
  for (int step = 0; step <= 100; ++step) {
    const double d = std::pow(last, step / 100.);
    rows.push_back({d, 0, critical_count(std::sqrt(d)), 0, 0, 0, 0});
  }
  write_figure_data(
      "saturation_dot",
      {"d", "n", "threshold", "same_key", "positions", "same_key_divided", "positions_divided"},
      rows);
});
