// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief The sign test, and the interval for a median that it leaves, with exact probabilities.
#pragma once

#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/testing/statistics/confidence_interval.hpp>

#include <cstddef>
#include <iosfwd>
#include <vector>

namespace sqrtdk::testing {

/// The probability that a fair coin shows at least this many heads: Σ_{k≥heads} C(n, k) / 2ⁿ.
/// \param heads from 0 to n.
/// \param n     the number of tosses.
/// \throws std::invalid_argument if there are more heads than tosses.
Rational coin_tail(std::size_t heads, std::size_t n);

/// An experiment's answer to a yes-or-no question that each seed answers.
enum class Decision {
  yes,       ///< more yes than chance explains
  no,        ///< more no than chance explains
  undecided  ///< neither
};

/// Writes `yes`, `no` or `undecided`.
std::ostream& operator<<(std::ostream& out, Decision decision);

/// The sign test: is the answer of a seed more often yes than no, or the reverse?
/// \implements{SignsDecideSafely}
/// \param yes   seeds that say yes.
/// \param n     all seeds; each of them that does not say yes counts as a no.
/// \param alpha the probability of deciding although both are equally likely, in (0, 1); half to
///              each side.
/// \throws std::invalid_argument if more say yes than there are.
/// \throws std::domain_error if α is out of range.
Decision sign_test(std::size_t yes, std::size_t n, const Rational& alpha);

/// The median of a sample, and an interval that covers the median of any distribution with
/// probability at least 1 − α: from the l-th smallest to the l-th largest observation, for the
/// largest l with 2 Pr(Bin(n, ½) < l) ≤ α. Observations may be infinite, for a run that never ends.
/// \implements{SignsDecideSafely,IntervalsKeepTheirOdds}
/// \param sample n independent observations, not NaN.
/// \param alpha  in (0, 1); if n is too small for it, the ends are −∞ and ∞.
/// \return the estimate is the mean of the middle two if n is even.
/// \throws std::invalid_argument if the sample is empty.
/// \throws std::domain_error if α is out of range, or an observation is NaN.
//! [IntervalsKeepTheirOdds]
ConfidenceInterval median_interval(std::vector<double> sample, const Rational& alpha);
//! [IntervalsKeepTheirOdds]

}  // namespace sqrtdk::testing
