/// \file
/// \brief The arguments of `sqrtdk score`. CLI11 takes them apart; what is not a number is refused
/// here, never rounded, cut short or guessed at.
#pragma once

#include <sqrtdk/numbers/number_text.hpp>

#include <CLI/CLI.hpp>

#include <cmath>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace sqrtdk::command {

/// A function of the distribution, and where it is wanted.
struct Question {
  std::string function;  ///< `pdf`, `cdf`, `sf` or `quantile`, which are options and JSON too
  double at;             ///< a score or a probability
};

struct Request {
  double dimension = 0;
  std::vector<Question> questions;
  bool json = false;
};

/// \param name what the number is to be, as its reader knows it: `d` or an option.
inline double read_number(const std::string& name, const std::string& word) {
  std::string_view digits = word;
  if (digits.starts_with('+') && !digits.starts_with("+-")) digits.remove_prefix(1);
  double number = 0;
  const std::errc error = read_whole(digits, number);
  if (error == std::errc::invalid_argument || std::isnan(number))
    throw CLI::ValidationError(name, "'" + word + "' is not a number");
  if (error == std::errc::result_out_of_range)
    throw CLI::ValidationError(name, "'" + word + "' is out of range: a number is 0, or between " +
                                         "5e-324 and 1.7976931348623157e+308 in size");
  return number;
}

inline double read_dimension(const std::string& word) {
  const double d = read_number("d", word);
  if (d > 0 && std::isfinite(d)) return d;
  throw CLI::ValidationError("d", word + " is not a positive, finite number");
}

inline double read_probability(const std::string& name, const std::string& word) {
  const double p = read_number(name, word);
  if (p >= 0 && p <= 1) return p;
  throw CLI::ValidationError(name, word + " is no probability; give one between 0 and 1");
}

/// \throws CLI::ParseError with words for who wrote the arguments, or CLI::Success if they ask for
///         help or the version
inline Request read_request(int argc, const char* const* argv) {
  Request request;
  CLI::App app;
  app.set_version_flag("--version");
  app.require_subcommand(0, 1);
  CLI::App* const score = app.add_subcommand("score");
  const CLI::Option* const d = score->add_option("d");
  std::vector<const CLI::Option*> functions;
  for (const char* name : {"--pdf", "--cdf", "--sf", "--quantile"})
    functions.push_back(score->add_option(name)->expected(1, 1'000'000)->type_name("number"));
  score->add_flag("--json", request.json)->disable_flag_override();
  app.parse(argc, argv);
  // Not required of CLI11, which would miss them before it names what stands there instead.
  if (!score->parsed()) throw CLI::RequiredError("The command score");
  if (d->count() == 0) throw CLI::RequiredError("d");

  request.dimension = read_dimension(d->results().front());
  for (const CLI::Option* function : functions) {
    const std::string name = function->get_name();
    const auto read = name == "--quantile" ? read_probability : read_number;
    for (const std::string& word : function->results())
      request.questions.push_back({name.substr(2), read(name, word)});
  }
  return request;
}

}  // namespace sqrtdk::command
