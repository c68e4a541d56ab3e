// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Quantiles of a sample.
#pragma once

#include <sqrtdk/numbers/require.hpp>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <vector>

namespace sqrtdk::testing {

/// The q-quantile of a sample, by linear interpolation between order statistics.
/// \param sample not empty; infinite numbers are allowed, NaN is not.
/// \param q      from 0 to 1.
/// \throws std::invalid_argument if the sample is empty.
/// \throws std::domain_error if q is out of range.
double sample_quantile(std::vector<double> sample, double q);

// ------------------------------------------------------------------------------------------------

inline double sample_quantile(std::vector<double> sample, double q) {
  if (sample.empty()) throw std::invalid_argument("the sample is empty, but needs a number");
  require_in("the quantile", q, 0, 1);
  std::sort(sample.begin(), sample.end());
  const double place = q * static_cast<double>(sample.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const double share = place - static_cast<double>(below);
  if (share == 0) return sample[below];  // so that an infinite neighbour does not matter
  return (1 - share) * sample[below] + share * sample[below + 1];
}

}  // namespace sqrtdk::testing
