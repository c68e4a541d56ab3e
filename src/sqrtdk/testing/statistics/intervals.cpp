#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/numbers/require.hpp>
#include <sqrtdk/testing/statistics/intervals.hpp>

#include <boost/math/distributions/binomial.hpp>

#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>

namespace sqrtdk::testing {

//! [IntervalsKeepTheirOdds]
ConfidenceInterval frequency_interval(const Count& count, double alpha) {
  detail::require_probability(alpha, "alpha");
  using boost::math::binomial;
  const double k = CountCheck(0.5).statistic(count);
  const auto n = static_cast<double>(count.trials);
  return {binomial::find_lower_bound_on_p(n, k, alpha / 2), k / n,
          binomial::find_upper_bound_on_p(n, k, alpha / 2)};
}

double hoeffding_error(std::size_t n, double alpha) {
  detail::require_probability(alpha, "alpha");
  sqrtdk::detail::require_at_least("the number of draws", n, 1U);
  return std::sqrt(std::log(2 / alpha) / (2 * static_cast<double>(n)));
}

std::size_t hoeffding_draws(double epsilon, double alpha) {
  detail::require_probability(epsilon, "epsilon");
  detail::require_probability(alpha, "alpha");
  const double draws = std::ceil(std::log(2 / alpha) / (2 * epsilon * epsilon));
  sqrtdk::detail::require_in("the number of draws for that epsilon", draws, 1, 0x1p53);
  return static_cast<std::size_t>(draws);
}

ConfidenceInterval mean_interval(std::span<const double> sample, double alpha) {
  detail::require_probability(alpha, "alpha");
  if (sample.size() < 2)
    throw std::invalid_argument("there are " + std::to_string(sample.size()) +
                                " draws, but an interval of the mean needs at least 2");
  for (const double x : sample)
    if (!(x >= 0 && x <= 1))
      throw std::domain_error("a draw is " + exact_text(x) + ", but must lie between 0 and 1");
  const auto n = static_cast<double>(sample.size());
  const double mean = std::accumulate(sample.begin(), sample.end(), 0.0) / n;
  double variance = 0;
  for (const double x : sample) variance += (x - mean) * (x - mean) / (n - 1);
  const double logarithm = std::log(4 / alpha);
  const double half = std::sqrt(2 * variance * logarithm / n) + 7 * logarithm / (3 * (n - 1));
  return {mean - half, mean, mean + half};
}
//! [IntervalsKeepTheirOdds]

}  // namespace sqrtdk::testing
