#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/numbers/require.hpp>
#include <sqrtdk/testing/statistics/sample_quantile.hpp>
#include <sqrtdk/testing/statistics/sign_test.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace sqrtdk::testing {

//! [SignsDecideSafely]
Rational coin_tail(std::size_t heads, std::size_t n) {
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

Decision sign_test(std::size_t yes, std::size_t n, const Rational& alpha) {
  sqrtdk::detail::require_between("alpha", alpha, 0, 1);
  if (coin_tail(yes, n) <= alpha / 2) return Decision::yes;
  if (coin_tail(n - yes, n) <= alpha / 2) return Decision::no;
  return Decision::undecided;
}

ConfidenceInterval median_interval(std::vector<double> sample, const Rational& alpha) {
  sqrtdk::detail::require_between("alpha", alpha, 0, 1);
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

std::ostream& operator<<(std::ostream& out, Decision decision) {
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
