#include <sqrtdk/numbers/require.hpp>
#include <sqrtdk/testing/statistics/sample_quantile.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace sqrtdk::testing {

double sample_quantile(std::vector<double> sample, double q) {
  if (sample.empty()) throw std::invalid_argument("the sample is empty, but needs a number");
  sqrtdk::detail::require_in("the quantile", q, 0, 1);
  for (std::size_t i = 0; i < sample.size(); ++i)
    sqrtdk::detail::require_that(!std::isnan(sample[i]),
                                 "entry " + std::to_string(i) + " of the sample", sample[i],
                                 "be a number");
  std::sort(sample.begin(), sample.end());
  const double place = q * static_cast<double>(sample.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const double share = place - static_cast<double>(below);
  if (share == 0) return sample[below];  // so that an infinite neighbour does not matter
  return (1 - share) * sample[below] + share * sample[below + 1];
}

}  // namespace sqrtdk::testing
