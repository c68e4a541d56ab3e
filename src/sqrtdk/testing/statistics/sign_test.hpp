// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief The sign test, and the interval for a median that it leaves, with exact probabilities.
#pragma once

#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/numbers/require.hpp>
#include <sqrtdk/testing/statistics/confidence_interval.hpp>
#include <sqrtdk/testing/statistics/sample_quantile.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace sqrtdk::testing {

/// The probability that a fair coin shows at least this many heads: Σ_{k≥heads} C(n, k) / 2ⁿ.
/// \param heads from 0 to n.
/// \param n     the number of tosses.
/// \throws std::invalid_argument if there are more heads than tosses.
Rational coin_tail(std::size_t heads, std::size_t n);

/// What an experiment says about a yes-or-no question that each seed answers.
enum class Decision {
  yes,       ///< more yes than chance explains
  no,        ///< more no than chance explains
  undecided  ///< neither
};

/// Writes `yes`, `no` or `undecided`.
std::ostream& operator<<(std::ostream& out, Decision decision);

/// The sign test: is the answer of a seed more often yes than no, or the reverse?
///
/// If both are equally likely, it is called undecided with probability 1 − α at least. Implements
/// \ref SignsDecideSafely.
/// \param yes   seeds that say yes.
/// \param n     all seeds; each of them that does not say yes counts as a no.
/// \param alpha the probability of deciding although both are equally likely, in (0, 1); half to
///              each side.
/// \throws std::invalid_argument if more say yes than there are.
Decision sign_test(std::size_t yes, std::size_t n, const Rational& alpha);

/// The median of a sample, and an interval that covers the median of any distribution with
/// probability at least 1 − α: from the l-th smallest to the l-th largest observation, for the
/// largest l with 2 Pr(Bin(n, ½) < l) ≤ α.
///
/// Observations may be infinite: a run that never learns is a run that takes forever.
/// Implements \ref SignsDecideSafely, \ref IntervalsKeepTheirOdds.
/// \param sample n independent observations, not NaN.
/// \param alpha  in (0, 1); if n is too small for it, the ends are −∞ and ∞.
/// \return the estimate is the mean of the middle two if n is even.
/// \throws std::invalid_argument if the sample is empty.
ConfidenceInterval median_interval(std::vector<double> sample, const Rational& alpha);

// ------------------------------------------------------------------------------------------------

//! [SignsDecideSafely]
inline Rational coin_tail(std::size_t heads, std::size_t n) {
  if (heads > n)
    throw std::invalid_argument("there are " + std::to_string(heads) + " heads in " +
                                std::to_string(n) + " tosses, but there cannot be more");
  Integer ways = 1;  // C(n, k), from k = n down
  Integer sum = 0;
  for (std::size_t k = n;; --k) {
    sum += ways;
    if (k == heads) break;
    ways = ways * k / (n - k + 1);
  }
  return Rational(sum, Integer(1) << static_cast<unsigned>(n));
}

inline Decision sign_test(std::size_t yes, std::size_t n, const Rational& alpha) {
  if (coin_tail(yes, n) <= alpha / 2) return Decision::yes;
  if (coin_tail(n - yes, n) <= alpha / 2) return Decision::no;
  return Decision::undecided;
}

inline ConfidenceInterval median_interval(std::vector<double> sample, const Rational& alpha) {
  const double median = sample_quantile(sample, 0.5);
  std::sort(sample.begin(), sample.end());
  const std::size_t n = sample.size();
  const Integer rare =  // ⌊2ⁿα/2⌋
      (numerator(alpha) << static_cast<unsigned>(n)) / (2 * denominator(alpha));
  Integer ways = 1;   // C(n, l)
  Integer below = 1;  // 2ⁿ Pr(Bin(n, ½) < l + 1)
  std::size_t l = 0;
  while (2 * (l + 1) <= n + 1 && below <= rare) {
    ++l;
    ways = ways * (n - l + 1) / l;
    below += ways;
  }
  if (l == 0)
    return {-std::numeric_limits<double>::infinity(), median,
            std::numeric_limits<double>::infinity()};
  return {sample[l - 1], median, sample[n - l]};
}
//! [SignsDecideSafely]

inline std::ostream& operator<<(std::ostream& out, Decision decision) {
  switch (decision) {
    case Decision::yes:
      return out << "yes";
    case Decision::no:
      return out << "no";
    case Decision::undecided:
      return out << "undecided";
  }
  return out;
}

}  // namespace sqrtdk::testing
