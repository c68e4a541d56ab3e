// The sum of 9 fair signs, of 16 others, and of all 25: the distribution and the deviation
// of each.
#include <sqrtdk/moments.hpp>
#include <sqrtdk/testing/reporting/figure_data.hpp>

#include "docs/figures/figure.hpp"

#include <cmath>
#include <cstddef>
#include <vector>

using namespace sqrtdk;

const sqrtdk::figures::Figure moments_sum_figure("moments_sum", [] {
  const RationalDistribution sign = RationalDistribution::uniform({-1, 1});
  const RationalDistribution nine = sum_of_copies(sign, 9);
  const RationalDistribution sixteen = sum_of_copies(sign, 16);
  std::vector<std::vector<double>> rows;
  for (const RationalDistribution& distribution : {nine, sixteen, sum(nine, sixteen)}) {
    const double deviation = std::sqrt(static_cast<double>(variance(distribution)));
    for (const auto& [value, probability] : distribution.atoms())
      rows.push_back({static_cast<double>(value), static_cast<double>(probability), deviation});
    rows.insert(rows.end(), 2, {});  // ends a distribution
  }
  sqrtdk::testing::write_figure_data("moments_sum", {"value", "probability", "deviation"}, rows);
});
