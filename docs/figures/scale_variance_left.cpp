// The variance that each divisor leaves to a score of variance d, from 1 dimension to 4096.
#include <sqrtdk/scale.hpp>
#include <sqrtdk/testing/reporting/figure_data.hpp>

#include "docs/figures/figure.hpp"

#include <cmath>
#include <limits>
#include <vector>

using namespace sqrtdk;

const sqrtdk::figures::Figure scale_variance_left_figure("scale_variance_left", [] {
  std::vector<std::vector<double>> rows;
  for (double power = 0; power <= 12; power += 0.125) {
    const double log_dimension = power * std::log(2.0);
    rows.push_back({std::exp2(power)});
    for (const ScalingRule& rule : {unscaled, constant_scale(10), logarithmic_scale, root_scale,
                                    linear_scale, fifth_power_scale, exponential_scale})
      // ln 1 is 0, and divides nothing.
      rows.back().push_back(rule.log_power != 0 && power == 0
                                ? std::numeric_limits<double>::quiet_NaN()
                                : std::exp(log_variance_left(rule, log_dimension)));
  }
  sqrtdk::testing::write_figure_data(
      "scale_variance_left", {"d", "one", "ten", "logarithm", "root", "d", "fifth", "exponential"},
      rows);
});
