#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/numbers/require.hpp>
#include <sqrtdk/testing/statistics/e_process.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace sqrtdk::testing {

double log2_growth_on_mean(double z, std::size_t n, double shift) {
  sqrtdk::detail::require_that(std::isfinite(shift), "the shift of a bet", shift, "be finite");
  const double draws = static_cast<double>(n);
  return (shift * std::sqrt(draws) * z - draws * shift * shift / 2) / std::log(2.0);
}

double log2_growth_on_variance(double t, std::size_t n, double ratio) {
  sqrtdk::detail::require_positive_finite("the variance ratio of a bet", ratio);
  return (1 - 1 / ratio) * t / (2 * std::log(2.0)) - static_cast<double>(n) / 2 * std::log2(ratio);
}

double log2_growth_on_count(const Count& count, double p, double wrong) {
  detail::require_probability(p, "the probability");
  detail::require_probability(wrong, "the probability of a bet");
  const double x = CountCheck(p).statistic(count);
  const double failures = static_cast<double>(count.trials) - x;
  return x * std::log2(wrong / p) + failures * std::log2((1 - wrong) / (1 - p));
}

Wealth::Wealth(int alpha_exponent, std::vector<std::string> bets)
    : alpha_exponent_(alpha_exponent), bets_(std::move(bets)), log2_of_bet_(bets_.size(), 0.0) {
  if (alpha_exponent < 1 || alpha_exponent > 1000)
    throw std::domain_error("alpha is 2^-" + std::to_string(alpha_exponent) +
                            ", but its exponent must lie between 1 and 1000");
  if (bets_.empty()) throw std::invalid_argument("there are no bets; at least one is needed");
  for (std::size_t i = 0; i < bets_.size(); ++i) {
    if (bets_[i].empty() || bets_[i].find_first_of("\r\n") != std::string::npos)
      throw std::invalid_argument("the name of bet " + std::to_string(i) +
                                  " is not one line of text");
    if (std::find(bets_.begin(), bets_.begin() + static_cast<std::ptrdiff_t>(i), bets_[i]) !=
        bets_.begin() + static_cast<std::ptrdiff_t>(i))
      throw std::invalid_argument("two bets are called '" + bets_[i] + "'");
  }
}

void Wealth::add(Round round) {
  for (const Round& earlier : rounds_)
    if (earlier.seed == round.seed)
      throw std::invalid_argument(
          "seed " + std::to_string(round.seed) +
          " was used in an earlier round, but each round needs fresh numbers");
  if (round.log2_growth.size() != bets_.size())
    throw std::invalid_argument("a round has " + std::to_string(round.log2_growth.size()) +
                                " numbers, but there are " + std::to_string(bets_.size()) +
                                " bets");
  for (std::size_t i = 0; i < bets_.size(); ++i) {
    const double growth = round.log2_growth[i];
    if (!std::isfinite(growth))
      throw std::domain_error("a bet grows by 2^" + format_shortest(growth) +
                              ", but the exponent must be finite");
    if (!std::isfinite(log2_of_bet_[i] + growth))
      throw std::domain_error("a bet of 2^" + format_shortest(log2_of_bet_[i]) + " grows by 2^" +
                              format_shortest(growth) + ", beyond what an exponent can say");
  }
  //! [VillesInequality]
  for (std::size_t i = 0; i < bets_.size(); ++i) log2_of_bet_[i] += round.log2_growth[i];
  rounds_.push_back(std::move(round));
  // W is the average of the bets, computed from the largest.
  const double largest = *std::max_element(log2_of_bet_.begin(), log2_of_bet_.end());
  double sum = 0;
  for (const double bet : log2_of_bet_) sum += std::exp2(bet - largest);
  log2_wealth_ = largest + std::log2(sum / static_cast<double>(bets_.size()));
  highest_ = std::max(highest_, log2_wealth_);
  //! [VillesInequality]
}

const std::string& Wealth::best_bet() const {
  const auto best = std::max_element(log2_of_bet_.begin(), log2_of_bet_.end());
  return bets_[static_cast<std::size_t>(best - log2_of_bet_.begin())];
}

}  // namespace sqrtdk::testing
