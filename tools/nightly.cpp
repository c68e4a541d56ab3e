// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief `nightly`: bets against the distribution of the score, with fresh numbers every night.
///
/// Exit status: 0 if the wealth is below 1/α, 1 if it has ever reached it, 2 if nothing could be
/// done.
#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/score.hpp>
#include <sqrtdk/testing/statistics/e_process.hpp>
#include <sqrtdk/testing/statistics/streams.hpp>

#include "new_file.hpp"

#include <CLI/CLI.hpp>
#include <boost/math/distributions/normal.hpp>

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace {

using namespace sqrtdk;
using namespace sqrtdk::testing;

constexpr const char* help =
    R"(usage: nightly --wealth FILE [--alpha 2^-20] [--draws 1000]

Draws fresh queries and keys, lets bets against the distribution of their score q.k/sqrt(d) win
or lose, and keeps the wealth in FILE. If the distribution is right, the wealth reaches 1/alpha
on any night, ever, with probability at most alpha. A new FILE is begun if there is none; never
begin one anew to get rid of wealth.

  --wealth FILE  the file that is kept between nights
  --alpha 2^-K   false alarm of all nights together, when FILE is begun (default 2^-20)
  --draws N      scores a night for each head dimension, from 1 to 1000000 (default 1000)
  -h, --help     this text

SQRTDK_SEED has to say which numbers are drawn: `fresh` for those of a new night, or a seed.
Exit status: 0 no alarm, 1 the distribution is rejected, 2 an error.
)";

constexpr int default_alpha_exponent = 20;

/// What the command line asks for.
struct Options {
  std::filesystem::path wealth;
  std::optional<int> alpha_exponent;
  int draws = 1000;
};

/// The integer that a whole word is, in decimal digits; nothing if it is none from 1 to upper.
std::optional<int> read_integer(std::string_view word, int upper) {
  int number = 0;
  const char* const end = word.data() + word.size();
  const auto [rest, error] = std::from_chars(word.data(), end, number);
  if (error != std::errc() || rest != end || number < 1 || number > upper) return std::nullopt;
  return number;
}

int read_alpha_exponent(const std::string& word) {
  if (word.starts_with("2^-"))
    if (const auto exponent = read_integer(std::string_view(word).substr(3), 1000))
      return *exponent;
  throw CLI::ValidationError("--alpha", "it is '" + word + "', but must be 2^-1 to 2^-1000");
}

int read_draws(const std::string& word) {
  if (const auto draws = read_integer(word, 1000000)) return *draws;
  throw CLI::ValidationError("--draws",
                             "it is '" + word + "', but must be a number from 1 to 1000000");
}

/// \throws CLI::ParseError with words for who wrote the arguments, or CLI::Success if they ask for
/// help
Options read_options(int argc, const char* const* argv) {
  CLI::App app;
  const CLI::Option* const wealth = app.add_option("--wealth")->type_name("FILE");
  const CLI::Option* const alpha = app.add_option("--alpha")->type_name("2^-K");
  const CLI::Option* const draws = app.add_option("--draws")->type_name("number");
  app.parse(argc, argv);
  // Not required of CLI11, which would miss it before it names what stands there instead.
  if (wealth->count() == 0) throw CLI::RequiredError("--wealth FILE");

  Options options;
  options.wealth = wealth->results().front();
  if (options.wealth.empty()) throw CLI::ValidationError("--wealth", "the file has no name");
  if (alpha->count() > 0) options.alpha_exponent = read_alpha_exponent(alpha->results().front());
  if (draws->count() > 0) options.draws = read_draws(draws->results().front());
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
Round play_night(std::uint64_t seed, std::size_t n) {
  Round night{seed, {}};
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
    const int exponent = options.alpha_exponent.value_or(default_alpha_exponent);
    std::cout << "begins " << options.wealth.string() << " with alpha = 2^-" << exponent
              << " for all nights to come\n";
    return {exponent, bets()};
  }
  Wealth wealth = read_wealth(options.wealth);
  if (options.alpha_exponent && wealth.alpha_exponent() != options.alpha_exponent)
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

/// Keeps the process, or leaves the old file as it was.
void keep(const std::filesystem::path& file, const Wealth& wealth) {
  try {
    command::replace_file(file, wealth.text());
  } catch (const command::CannotWrite& error) {
    throw std::runtime_error("cannot write " + file.string() + ": " + error.what());
  }
}

/// The night's seed, for which there is no default: a fixed one would serve a single night, and a
/// fresh one would let a test fail by chance.
std::uint64_t night_seed() {
  const char* const seed = std::getenv("SQRTDK_SEED");
  if (seed == nullptr)
    throw std::runtime_error("SQRTDK_SEED is not set: set it to `fresh`, or to a night's number");
  return parse_master_seed(seed);
}

int run(const Options& options) {
  const std::uint64_t seed = night_seed();
  Wealth wealth = opened(options);
  wealth.add(play_night(seed, static_cast<std::size_t>(options.draws)));
  keep(options.wealth, wealth);
  std::cout << "night " << wealth.rounds().size() << ", seed " << wealth.rounds().back().seed
            << ", " << options.draws << " scores for each of " << dimensions.size()
            << " head dimensions\nwealth 2^" << format_significant(wealth.log2_wealth(), 4)
            << ", highest 2^" << format_significant(wealth.highest(), 4) << ", alarm at 2^"
            << wealth.alpha_exponent() << '\n';
  if (!wealth.rejected()) return 0;
  std::cout << "The distribution is rejected. If it were right, this would happen with probability "
               "at most 2^-"
            << wealth.alpha_exponent() << " in all nights together. Best bet: " << wealth.best_bet()
            << "\nreplay this night: SQRTDK_SEED=" << wealth.rounds().back().seed
            << " nightly --draws " << options.draws << " --wealth ANOTHER_FILE\n";
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(read_options(argc, argv));
  } catch (const CLI::CallForHelp&) {
    std::cout << help;
    return 0;
  } catch (const CLI::ParseError& error) {
    std::cerr << "nightly: " << error.what() << "\n\n" << help;
  } catch (const std::exception& error) {
    std::cerr << "nightly: " << error.what() << '\n';
  }
  return 2;
}
