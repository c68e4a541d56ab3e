#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/numbers/require.hpp>
#include <sqrtdk/testing/statistics/checks.hpp>

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/complement.hpp>
#include <boost/math/distributions/normal.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

namespace sqrtdk::testing {

namespace detail {

void require_probability(double probability, const char* name) {
  if (!(probability > 0 && probability < 1))
    throw std::domain_error(std::string(name) + " is " + exact_text(probability) +
                            ", but must lie strictly between 0 and 1");
}

void require_size_and_alpha(std::size_t n, double alpha) {
  sqrtdk::detail::require_at_least("the number of draws", n, 1U);
  require_probability(alpha, "alpha");
}

}  // namespace detail

void detail::require_cdf_value(double value, double x, const std::string& name) {
  if (!(value >= 0 && value <= 1))
    throw std::domain_error("the distribution function of " + name + " is " + exact_text(value) +
                            " at " + exact_text(x) + ", but must be from 0 to 1");
}

namespace detail {

void require_sample(std::span<const double> sample) {
  if (sample.empty()) throw std::invalid_argument("the sample is empty, but needs at least 1 draw");
  for (std::size_t i = 0; i < sample.size(); ++i)
    if (!std::isfinite(sample[i]))
      throw std::domain_error("draw " + std::to_string(i) + " of " + std::to_string(sample.size()) +
                              " is " + exact_text(sample[i]) + ", but every draw must be finite");
}

}  // namespace detail

namespace {

std::string normal_text(const boost::math::normal& distribution) {
  return "N(" + exact_text(distribution.mean()) + ", " +
         exact_text(distribution.standard_deviation() * distribution.standard_deviation()) + ")";
}

/// Pr(a < X ≤ b), from the smaller tail, so that small results keep their digits.
template <class Distribution>
double between(const Distribution& distribution, double a, double b) {
  using boost::math::complement;
  return cdf(distribution, a) < 0.5
             ? cdf(distribution, b) - cdf(distribution, a)
             : cdf(complement(distribution, a)) - cdf(complement(distribution, b));
}

}  // namespace

//! [MeanCheckKeepsItsOdds]
double MeanCheck::statistic(std::span<const double> sample) const {
  detail::require_sample(sample);
  double sum = 0;
  for (const double x : sample)
    sum += (x - distribution_.mean()) / distribution_.standard_deviation();
  return sum / std::sqrt(static_cast<double>(sample.size()));
}

double MeanCheck::p_value(double z, std::size_t) const {
  if (!std::isfinite(z)) return 0;
  return 2 * cdf(boost::math::normal(), -std::abs(z));
}

double MeanCheck::type_ii_error(std::size_t n, double alpha, double shift) const {
  detail::require_size_and_alpha(n, alpha);
  sqrtdk::detail::require_that(std::isfinite(shift), "the shift", shift, "be finite");
  const boost::math::normal standard;
  const double c = -quantile(standard, alpha / 2);
  const double centre = std::sqrt(static_cast<double>(n)) * shift;
  return between(standard, -c - centre, c - centre);
}
//! [MeanCheckKeepsItsOdds]

std::string MeanCheck::distribution() const { return normal_text(distribution_); }

std::string MeanCheck::method() const { return "mean, normal pivot (exact)"; }

std::string MeanCheck::observed(double z, std::size_t n) const {
  const double mean = distribution_.mean() +
                      z * distribution_.standard_deviation() / std::sqrt(static_cast<double>(n));
  return "mean " + format_significant(mean, 4) + " (z = " + format_significant(z, 4) + ")";
}

std::string MeanCheck::effect_text(double shift) const {
  return "mean shifted by " + format_significant(shift, 4) + " standard deviations";
}

//! [VarianceCheckKeepsItsOdds]
double VarianceCheck::statistic(std::span<const double> sample) const {
  detail::require_sample(sample);
  double sum = 0;
  for (const double x : sample) {
    const double z = (x - distribution_.mean()) / distribution_.standard_deviation();
    sum += z * z;
  }
  return sum;
}

double VarianceCheck::p_value(double t, std::size_t n) const {
  const boost::math::chi_squared null(static_cast<double>(n));
  if (!std::isfinite(t)) return 0;
  return std::min(1.0, 2 * std::min(cdf(null, t), cdf(complement(null, t))));
}

double VarianceCheck::type_ii_error(std::size_t n, double alpha, double ratio) const {
  detail::require_size_and_alpha(n, alpha);
  sqrtdk::detail::require_at_least_finite("the ratio", ratio, 1);
  const boost::math::chi_squared null(static_cast<double>(n));
  const double a = quantile(null, alpha / 2);
  const double b = quantile(complement(null, alpha / 2));
  const auto missed = [&](double r) { return between(null, a / r, b / r); };
  return std::max(missed(ratio), missed(1 / ratio));
}
//! [VarianceCheckKeepsItsOdds]

std::string VarianceCheck::distribution() const { return normal_text(distribution_); }

std::string VarianceCheck::method() const {
  return "variance about the known mean, chi-squared pivot (exact)";
}

std::string VarianceCheck::observed(double t, std::size_t n) const {
  const double ratio = t / static_cast<double>(n);
  return "variance " +
         format_significant(
             ratio * distribution_.standard_deviation() * distribution_.standard_deviation(), 4) +
         ", " + format_significant(ratio, 4) + " times the distribution's";
}

std::string VarianceCheck::effect_text(double ratio) const {
  return "variance multiplied or divided by " + format_significant(ratio, 4);
}

CountCheck::CountCheck(double probability) : probability_(probability) {
  detail::require_probability(probability, "the probability of the event");
}

double CountCheck::statistic(const Count& count) const {
  if (count.trials == 0)
    throw std::invalid_argument("there are 0 trials, but at least 1 is needed");
  if (count.successes > count.trials)
    throw std::invalid_argument("there are " + std::to_string(count.successes) + " successes in " +
                                std::to_string(count.trials) + " trials, but there cannot be more");
  return static_cast<double>(count.successes);
}

//! [CountCheckKeepsItsOdds]
double CountCheck::p_value(double successes, std::size_t n) const {
  const boost::math::binomial null(static_cast<double>(n), probability_);
  const double at_most = cdf(null, successes);
  const double at_least = successes == 0 ? 1 : cdf(complement(null, successes - 1));
  return std::min(1.0, 2 * std::min(at_most, at_least));
}
//! [CountCheckKeepsItsOdds]

/// The counts that are not rejected lie strictly between the two results.
std::pair<double, double> CountCheck::accepted(std::size_t n, double alpha) const {
  const boost::math::binomial null(static_cast<double>(n), probability_);
  const double mode = std::floor(static_cast<double>(n) * probability_);
  // The largest count that is rejected as too small, −1 if there is none …
  double low = -1;
  for (double above = mode + 1; above - low > 1;) {
    const double middle = std::floor((low + above) / 2);
    (2 * cdf(null, middle) <= alpha ? low : above) = middle;
  }
  // … and the smallest that is rejected as too large, n + 1 if there is none.
  double high = static_cast<double>(n) + 1;
  for (double below = std::max(mode - 1, -1.0); high - below > 1;) {
    const double middle = std::floor((high + below) / 2);
    const double at_least = middle == 0 ? 1 : cdf(complement(null, middle - 1));
    (2 * at_least <= alpha ? high : below) = middle;
  }
  return {low, high};
}

double CountCheck::type_ii_error(std::size_t n, double alpha, double difference) const {
  detail::require_size_and_alpha(n, alpha);
  sqrtdk::detail::require_in("the difference", difference, 0, largest_effect());
  const auto [low, high] = accepted(n, alpha);
  const auto missed = [&, low = low, high = high](double p) {
    const boost::math::binomial truth(static_cast<double>(n), p);
    const double last = high - 1;
    if (low < 0) return cdf(truth, last);
    return between(truth, low, last);
  };
  double worst = 0;
  if (probability_ - difference >= 0) worst = std::max(worst, missed(probability_ - difference));
  if (probability_ + difference <= 1) worst = std::max(worst, missed(probability_ + difference));
  return worst;
}

double CountCheck::size(std::size_t n, double alpha) const {
  detail::require_size_and_alpha(n, alpha);
  const auto [low, high] = accepted(n, alpha);
  const boost::math::binomial null(static_cast<double>(n), probability_);
  return (low < 0 ? 0 : cdf(null, low)) +
         (high > static_cast<double>(n) ? 0 : cdf(complement(null, high - 1)));
}

std::string CountCheck::distribution() const {
  return "probability " + exact_text(probability_) + " of the event";
}

std::string CountCheck::method() const { return "binomial count (exact)"; }

std::string CountCheck::observed(double successes, std::size_t n) const {
  return std::to_string(static_cast<std::uint64_t>(successes)) + " of " + std::to_string(n) +
         ", a frequency of " + format_significant(successes / static_cast<double>(n), 4);
}

std::string CountCheck::effect_text(double difference) const {
  return "probability wrong by " + format_significant(difference, 4);
}

}  // namespace sqrtdk::testing
