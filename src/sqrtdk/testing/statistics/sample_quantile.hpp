// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Quantiles of a sample.
#pragma once

#include <vector>

namespace sqrtdk::testing {

/// The q-quantile of a sample, by linear interpolation between order statistics.
/// \param sample not empty; infinite numbers are allowed, NaN is not.
/// \param q      from 0 to 1.
/// \throws std::invalid_argument if the sample is empty.
/// \throws std::domain_error if q is out of range, or an entry of the sample is NaN.
double sample_quantile(std::vector<double> sample, double q);

}  // namespace sqrtdk::testing
