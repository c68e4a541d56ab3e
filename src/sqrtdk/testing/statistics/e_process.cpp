// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/numbers/require.hpp>
#include <sqrtdk/testing/statistics/e_process.hpp>
#include <sqrtdk/testing/statistics/seed.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace sqrtdk::testing {

namespace {

constexpr std::string_view wealth_title = "sqrtdk wealth, format 1";

/// The line that follows the nights.
std::string closing_line(const Wealth& wealth) {
  return "after " + std::to_string(wealth.rounds().size()) + " nights log2 wealth " +
         format_shortest(wealth.log2_wealth());
}

/// The last line of a wealth file, from all lines before it.
std::string checksum_line(std::string_view lines) {
  return "checksum " + format_digits(hash(lines), 16);
}

}  // namespace

double log2_growth_on_mean(double z, std::size_t n, double shift) {
  require_that(std::isfinite(shift), "the shift of a bet", shift, "be finite");
  const double draws = static_cast<double>(n);
  return (shift * std::sqrt(draws) * z - draws * shift * shift / 2) / std::log(2.0);
}

double log2_growth_on_variance(double t, std::size_t n, double ratio) {
  require_positive_finite("the variance ratio of a bet", ratio);
  return (1 - 1 / ratio) * t / (2 * std::log(2.0)) - static_cast<double>(n) / 2 * std::log2(ratio);
}

double log2_growth_on_count(const Count& count, double p, double wrong) {
  require_probability(p, "the probability");
  require_probability(wrong, "the probability of a bet");
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
          " was used on an earlier night, but each night needs fresh numbers");
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
  // Each bet is multiplied by its factor …
  for (std::size_t i = 0; i < bets_.size(); ++i) log2_of_bet_[i] += round.log2_growth[i];
  rounds_.push_back(std::move(round));
  // … and W is their average, computed from the largest.
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

std::string Wealth::text() const {
  std::string text(wealth_title);
  text += "\nalpha 2^-" + std::to_string(alpha_exponent_) + '\n';
  for (const std::string& bet : bets_) text += "bet " + bet + '\n';
  for (const Round& round : rounds_) {
    text += "night " + std::to_string(round.seed);
    for (const double growth : round.log2_growth) text += ' ' + format_shortest(growth);
    text += '\n';
  }
  text += closing_line(*this) + '\n';
  return text + checksum_line(text) + '\n';
}

Wealth Wealth::parse(const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  int number = 0;
  const auto refuse = [&](const std::string& rule) {
    throw std::runtime_error("line " + std::to_string(number) + ": " + rule);
  };
  const auto next = [&] {
    ++number;
    if (!std::getline(lines, line)) refuse("the file ends here, but is not complete");
  };
  next();
  if (line != wealth_title)
    refuse("not a wealth file: it must begin with '" + std::string(wealth_title) + "'");
  next();
  int exponent = 0;
  if (!line.starts_with("alpha 2^-") || !read_number(std::string_view(line).substr(9), exponent))
    refuse("'" + line + "' should be like 'alpha 2^-20'");
  std::vector<std::string> bets;
  for (next(); line.starts_with("bet "); next()) bets.push_back(line.substr(4));
  try {
    Wealth wealth(exponent, std::move(bets));
    for (; line.starts_with("night "); next()) {
      std::istringstream words(line.substr(6));
      std::string word;
      Round round{};
      words >> word;
      if (!read_number(word, round.seed)) refuse("'" + word + "' is not a seed");
      while (words >> word) {
        double growth = 0;
        if (!read_number(word, growth)) refuse("'" + word + "' is not a number");
        round.log2_growth.push_back(growth);
      }
      wealth.add(std::move(round));
    }
    const std::string nights = "after " + std::to_string(wealth.rounds().size()) + " nights ";
    if (!line.starts_with(nights)) refuse("'" + line + "' should begin with '" + nights + "'");
    const std::size_t summed = text.find('\n', text.find("\nafter ") + 1);
    next();
    const std::string expected = checksum_line(std::string_view(text).substr(0, summed + 1));
    if (line != expected)
      refuse("'" + line + "' should be '" + expected + "': the file was changed or damaged");
    ++number;
    if (std::getline(lines, line)) refuse("there is more after the last line");
    return wealth;
  } catch (const std::logic_error& error) {  // of the constructor and of add()
    refuse(error.what());
    throw;  // not reached
  }
}

Wealth read_wealth(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (!in) throw std::runtime_error("cannot read " + file.string());
  try {
    return Wealth::parse(text);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(file.string() + ", " + error.what());
  }
}

void write_wealth(const std::filesystem::path& file, const Wealth& wealth) {
  std::filesystem::path temporary = file;
  temporary += ".new";
  std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
  out << wealth.text() << std::flush;
  out.close();
  std::error_code failed;
  if (out) std::filesystem::rename(temporary, file, failed);
  if (!out || failed) {
    const std::string reason = failed ? ": " + failed.message() : "";
    std::filesystem::remove(temporary, failed);
    throw std::runtime_error("cannot write " + file.string() + reason);
  }
}

}  // namespace sqrtdk::testing
