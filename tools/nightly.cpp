// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief `nightly`: bets against the law of the score, with fresh numbers every night.
///
/// Exit status: 0 if the wealth is below 1/α, 1 if it has ever reached it, 2 if nothing could be
/// done.
#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/score.hpp>
#include <sqrtdk/testing/statistics/e_process.hpp>
#include <sqrtdk/testing/statistics/streams.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace sqrtdk;
using namespace sqrtdk::testing;

constexpr const char* usage =
    "usage: nightly --wealth FILE [--alpha 2^-20] [--draws 1000]\n"
    "\n"
    "Draws fresh queries and keys, lets bets against the law of their score q.k/sqrt(d) win or "
    "lose,\n"
    "and keeps the wealth in FILE. If the law holds, the wealth reaches 1/alpha on any night, "
    "ever,\n"
    "with probability at most alpha. A new FILE is begun if there is none; never begin one anew "
    "to\n"
    "get rid of wealth.\n"
    "\n"
    "  --wealth FILE  the file that is kept between nights\n"
    "  --alpha 2^-K   false alarm of all nights together, when FILE is begun (default 2^-20)\n"
    "  --draws N      scores a night for each head dimension, from 1 to 1000000 (default 1000)\n"
    "\n"
    "SQRTDK_SEED sets the night's seed (a number); otherwise the operating system gives one.\n"
    "Exit status: 0 no alarm, 1 the law is rejected, 2 an error.\n";

/// What the command line asks for.
struct Options {
  std::filesystem::path wealth;
  int alpha_exponent = 20;
  bool alpha_given = false;
  std::size_t draws = 1000;
};

/// A mistake on the command line.
struct UsageError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

Options parse(const std::vector<std::string>& arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); i += 2) {
    const std::string& name = arguments[i];
    if (name != "--wealth" && name != "--alpha" && name != "--draws")
      throw UsageError("unknown option '" + name + "'");
    if (i + 1 == arguments.size()) throw UsageError(name + " needs a value");
    const std::string& value = arguments[i + 1];
    if (name == "--wealth") {
      options.wealth = value;
    } else if (name == "--alpha") {
      options.alpha_given = true;
      if (!value.starts_with("2^-") ||
          !sqrtdk::read_number(std::string_view(value).substr(3), options.alpha_exponent) ||
          options.alpha_exponent < 1 || options.alpha_exponent > 1000)
        throw UsageError("--alpha is '" + value + "', but must be 2^-1 to 2^-1000");
    } else if (!sqrtdk::read_number(value, options.draws) || options.draws < 1 ||
               options.draws > 1000000) {
      throw UsageError("--draws is '" + value + "', but must be a number from 1 to 1000000");
    }
  }
  if (options.wealth.empty()) throw UsageError("--wealth FILE is missing");
  return options;
}

/// The score of a random query and key of d standard normal entries, over its deviation given the
/// key: q·k/|k| ~ N(0, 1), whatever the key. The product is exact.
double standardized_score(std::size_t d, Stream& stream) {
  const boost::math::normal standard;
  std::vector<Rational> query;
  std::vector<Rational> key;
  double squared_norm = 0;
  for (std::size_t i = 0; i < d; ++i) {
    query.emplace_back(draw(standard, stream));
    const double entry = draw(standard, stream);
    key.emplace_back(entry);
    squared_norm += entry * entry;
  }
  return dot_product(query, key).convert_to<double>() / std::sqrt(squared_norm);
}

constexpr std::array<std::size_t, 3> dimensions = {2, 8, 64};

/// Wrong variances of the score, as multiples of the right one.
std::vector<double> wrong_ratios(std::size_t dimension) {
  const auto d = static_cast<double>(dimension);
  return {d, 1 / d, d / (d - 1), (d - 1) / d};
}

/// Names all bets: no scale, 1/d instead of 1/√d, 1/√(d − 1), an entry skipped, a score that is too
/// often positive or negative.
std::vector<std::string> bets() {
  std::vector<std::string> names;
  for (const std::size_t d : dimensions) {
    for (const char* wrong : {"variance times d", "variance over d", "variance times d/(d - 1)",
                              "variance times (d - 1)/d", "55 % positive", "45 % positive"})
      names.push_back("d = " + std::to_string(d) + ", " + wrong);
  }
  return names;
}

/// Draws a night's scores and lets them multiply the bets.
Night live_through(std::uint64_t seed, std::size_t n) {
  Night night{seed, {}};
  for (const std::size_t d : dimensions) {
    Stream stream = stream_of(seed, "nightly", d);
    const auto scores = draws(
        n, [&](Stream& source) { return standardized_score(d, source); }, stream);
    const double squares = VarianceCheck(boost::math::normal()).statistic(scores);
    Count positive{0, n};
    for (const double score : scores) positive.successes += score > 0 ? 1 : 0;
    for (const double ratio : wrong_ratios(d))
      night.log2_growth.push_back(log2_growth_on_variance(squares, n, ratio));
    for (const double wrong : {0.55, 0.45})
      night.log2_growth.push_back(log2_growth_on_count(positive, 0.5, wrong));
  }
  return night;
}

/// The process so far: what the file holds, or a new one if there is no file.
Wealth opened(const Options& options) {
  if (!std::filesystem::exists(options.wealth)) {
    std::cout << "begins " << options.wealth.string() << " with alpha = 2^-"
              << options.alpha_exponent << " for all nights to come\n";
    return {options.alpha_exponent, bets()};
  }
  Wealth wealth = read_wealth(options.wealth);
  if (options.alpha_given && wealth.alpha_exponent() != options.alpha_exponent)
    throw std::runtime_error(options.wealth.string() + " was begun with alpha = 2^-" +
                             std::to_string(wealth.alpha_exponent()) +
                             ", which cannot be changed: leave --alpha out");
  if (wealth.bets() != bets())
    throw std::runtime_error(
        options.wealth.string() +
        " has other bets than this program: begin a new file, with an alpha of "
        "its own, or run the program that began it");
  return wealth;
}

int run(const Options& options) {
  Wealth wealth = opened(options);
  const char* seed = std::getenv("SQRTDK_SEED");
  wealth.add(live_through(parse_master_seed(seed == nullptr ? "fresh" : seed), options.draws));
  write_wealth(options.wealth, wealth);
  std::cout << "night " << wealth.nights().size() << ", seed " << wealth.nights().back().seed
            << ", " << options.draws << " scores for each of " << dimensions.size()
            << " head dimensions\nwealth 2^" << format_significant(wealth.log2_wealth(), 4)
            << ", highest 2^" << format_significant(wealth.highest(), 4) << ", alarm at 2^"
            << wealth.alpha_exponent() << '\n';
  if (!wealth.rejected()) return 0;
  std::cout << "The law is rejected. If it held, this would happen with probability at most 2^-"
            << wealth.alpha_exponent() << " in all nights together. Best bet: " << wealth.best_bet()
            << "\nreplay this night: SQRTDK_SEED=" << wealth.nights().back().seed
            << " nightly --draws " << options.draws << " --wealth ANOTHER_FILE\n";
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments == std::vector<std::string>{"--help"}) {
    std::cout << usage;
    return 0;
  }
  try {
    return run(parse(arguments));
  } catch (const UsageError& error) {
    std::cerr << "nightly: " << error.what() << "\n\n" << usage;
  } catch (const std::exception& error) {
    std::cerr << "nightly: " << error.what() << '\n';
  }
  return 2;
}
