// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief The arguments of `sqrtdk law`, read strictly: what is not a number is refused, never
/// rounded, cut short or guessed at.
#pragma once

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace sqrtdk::command {

using Words = std::span<const std::string_view>;

/// Arguments that make no sense; the message is for who wrote them.
struct BadArguments : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

/// A function of the law, and where it is wanted.
struct Question {
  std::string_view function;  ///< `pdf`, `cdf`, `sf` or `quantile`, which are options and JSON too
  double at;                  ///< a score or a probability
};

/// What was asked for, in the order in which it was.
struct Request {
  double dimension = 0;
  std::vector<Question> questions;
  std::optional<std::string> picture;
  bool json = false;
};

/// The shortest decimal that reads back to the same number.
std::string shortest(double x);

/// \param words the arguments after `law`.
/// \throws BadArguments
Request read_request(Words words);

// ------------------------------------------------------------------------------------------------

inline std::string shortest(double x) {
  std::array<char, 32> digits{};
  return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), x).ptr};
}

inline std::string in_quotes(std::string_view word) { return '\'' + std::string(word) + '\''; }

inline BadArguments unknown_option(std::string_view word, std::string_view help) {
  return BadArguments(in_quotes(word) + " is no option (try " + std::string(help) + ")");
}

/// A decimal number, `inf` and `nan` included; the error if it is none or has no double.
inline std::errc parse_number(std::string_view text, double& number) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  return rest == end ? error : std::errc::invalid_argument;
}

/// \param name what the number is to be, as its reader knows it: `d` or an option.
inline double read_number(std::string_view name, std::string_view text) {
  using limits = std::numeric_limits<double>;
  double number = 0;
  const std::errc error = parse_number(text, number);
  if (error == std::errc::result_out_of_range)
    throw BadArguments(std::string(name) + ": " + in_quotes(text) +
                       " is out of range: a number is 0, or between " +
                       shortest(limits::denorm_min()) + " and " + shortest((limits::max)()) +
                       " in size");
  if (error != std::errc() || std::isnan(number))
    throw BadArguments(std::string(name) + ": " + in_quotes(text) + " is not a number");
  return number;
}

inline double read_dimension(std::string_view text) {
  const double d = read_number("d", text);
  if (d > 0 && std::isfinite(d)) return d;
  throw BadArguments("d is " + shortest(d) + ", but must be a positive, finite number");
}

inline double read_probability(std::string_view name, std::string_view text) {
  const double p = read_number(name, text);
  if (p >= 0 && p <= 1) return p;
  throw BadArguments(std::string(name) + ": " + shortest(p) +
                     " is no probability; give one between 0 and 1");
}

/// `-3` and `-inf` are values, and so is `-8x`, a mistyped one; `-x` and `--x` are options.
inline bool is_option(std::string_view word) {
  if (word.starts_with("--")) return true;
  double number = 0;
  return word.size() > 1 && word[0] == '-' && std::isalpha(static_cast<unsigned char>(word[1])) &&
         parse_number(word, number) == std::errc::invalid_argument;
}

/// Takes the words after an option that are its values; one that is attached stands alone.
inline std::vector<std::string_view> take_numbers(std::string_view name,
                                                  std::optional<std::string_view> attached,
                                                  Words& words) {
  if (attached) return {*attached};
  const auto end = std::find_if(words.begin(), words.end(), is_option);
  if (end == words.begin()) throw BadArguments(std::string(name) + ": a number must follow");
  const std::vector<std::string_view> values(words.begin(), end);
  words = words.subspan(values.size());
  return values;
}

inline std::string take_file(std::optional<std::string_view> attached, Words& words) {
  if (!attached && words.empty()) throw BadArguments("--plot: a file name must follow");
  const std::string file(attached ? *attached : words.front());
  if (!attached) words = words.subspan(1);
  if (file.empty()) throw BadArguments("--plot: '' is no file name");
  if (file.starts_with('-'))
    throw BadArguments("--plot: a file name must follow, not " + in_quotes(file) +
                       " (for a file of that name: ./" + file + ")");
  return file;
}

inline Request read_request(Words words) {
  constexpr std::array<std::string_view, 4> functions = {"pdf", "cdf", "sf", "quantile"};
  Request request;
  std::optional<double> dimension;
  bool only_values = false;
  while (!words.empty()) {
    const std::string_view word = words.front();
    words = words.subspan(1);
    if (only_values || !is_option(word)) {
      if (dimension)
        throw BadArguments(in_quotes(word) + " is one argument too many: d is " +
                           shortest(*dimension) + " already");
      dimension = read_dimension(word);
      continue;
    }
    if (word == "--") {
      only_values = true;
      continue;
    }
    const std::size_t sign = word.find('=');
    const std::string_view name = word.substr(0, sign);
    std::optional<std::string_view> attached;
    if (sign != word.npos) attached = word.substr(sign + 1);
    if (name == "--json") {
      if (attached) throw BadArguments("--json: takes no value");
      request.json = true;
    } else if (name == "--plot") {
      if (request.picture) throw BadArguments("--plot: one file is enough");
      request.picture = take_file(attached, words);
    } else {
      const auto* const function = std::find(functions.begin(), functions.end(), name.substr(2));
      if (!name.starts_with("--") || function == functions.end())
        throw unknown_option(word, "sqrtdk law --help");
      for (const std::string_view value : take_numbers(name, attached, words))
        request.questions.push_back({*function, *function == "quantile"
                                                    ? read_probability(name, value)
                                                    : read_number(name, value)});
    }
  }
  if (!dimension) throw BadArguments("d is missing; it comes first, as in sqrtdk law 64");
  request.dimension = *dimension;
  return request;
}

}  // namespace sqrtdk::command
