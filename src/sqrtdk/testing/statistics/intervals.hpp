// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Intervals that hold an unknown number but with probability α, whatever the distribution.
///
/// A check that rejects what lies outside has β = α for every effect above the interval's length.
/// The interval of a median is in sign_test.hpp.
/// \implements{IntervalsKeepTheirOdds}
#pragma once

#include <sqrtdk/testing/statistics/checks.hpp>
#include <sqrtdk/testing/statistics/confidence_interval.hpp>

#include <cstddef>
#include <span>

namespace sqrtdk::testing {

/// The interval of Clopper and Pearson: the p that CountCheck does not reject, and its two ends.
/// \param count successes among n ≥ 1 independent trials.
/// \param alpha in (0, 1); half to each side.
/// \throws std::invalid_argument if there are no trials, or fewer trials than successes.
/// \throws std::domain_error if α is out of range.
/// \relatesalso ConfidenceInterval
ConfidenceInterval frequency_interval(const Count& count, double alpha);

/// ε = √(ln(2/α)/2n): the mean of n independent draws from 0 to 1 is nearer than that to its
/// expectation, but with probability α. Source: Hoeffding, "Probability inequalities for sums of
/// bounded random variables" (1963).
/// \param n     how many draws, at least 1.
/// \param alpha in (0, 1).
/// \throws std::domain_error if n is 0, or α is out of range.
double hoeffding_error(std::size_t n, double alpha);

/// The number of draws for hoeffding_error() ≤ ε: ⌈ln(2/α)/2ε²⌉.
/// \param epsilon in (0, 1).
/// \param alpha   in (0, 1).
/// \throws std::domain_error if one of them is not, or ε so small that it takes more than 2⁵³ draws.
std::size_t hoeffding_draws(double epsilon, double alpha);

/// The mean ± √(2V ln(4/α)/n) + 7 ln(4/α)/(3(n − 1)), where V is the sample's variance: holds the
/// expectation of independent draws from 0 to 1. Source: Maurer and Pontil, "Empirical Bernstein
/// bounds and sample variance penalization" (2009), theorem 4, on both sides.
/// \param sample n ≥ 2 draws from 0 to 1.
/// \param alpha  in (0, 1).
/// \throws std::invalid_argument if there are fewer than two draws.
/// \throws std::domain_error if a draw or α is out of range.
/// \relatesalso ConfidenceInterval
ConfidenceInterval mean_interval(std::span<const double> sample, double alpha);

}  // namespace sqrtdk::testing
