// Values as Python reads them, and as it answers: words with blanks between them.
#pragma once

#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/numbers/rational.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace sqrtdk::exercises {

/// Functions that the student's may call, by number: words of the arguments to an expression.
using Callbacks = std::vector<std::function<std::string(std::istream&)>>;

/// A text as Python writes it.
std::string in_python(const std::string& text);
/// A double as Python's float.fromhex() reads it.
std::string in_python(double x, Callbacks&);
std::string in_python(const Rational& x, Callbacks&);
std::string in_python(bool x, Callbacks&);
template <std::integral Integer>
std::string in_python(Integer x, Callbacks&) {
  return std::to_string(x);
}
template <class Value>
std::string in_python(const std::vector<Value>& list, Callbacks& callbacks) {
  std::string text = "[";
  for (const Value& value : list) text += in_python(value, callbacks) + ',';
  return text + ']';
}

/// A value as a message shows it.
template <class Value>
std::string in_words(const Value& value) {
  if constexpr (std::is_same_v<Value, double>) return format_shortest(value);
  if constexpr (std::is_same_v<Value, Rational>) return value.str();
  Callbacks none;
  if constexpr (std::is_same_v<Value, bool> || std::integral<Value>) return in_python(value, none);
  return "a function";
}
template <class Value>
std::string in_words(const std::vector<Value>& list) {
  std::string text;
  for (const Value& value : list) text += (text.empty() ? "" : ", ") + in_words(value);
  return '[' + text + ']';
}

/// Reads the words of one value. \throws std::invalid_argument naming the word and what is wanted.
void read(std::istream& words, double& x);
void read(std::istream& words, Rational& x);
void read(std::istream& words, bool& x);
template <std::integral Integer>
void read(std::istream& words, Integer& x) {
  Rational exact;
  read(words, exact);
  if (exact >= std::numeric_limits<Integer>::min() && exact <= std::numeric_limits<Integer>::max())
    x = static_cast<Integer>(exact);
  if (exact != x)
    throw std::invalid_argument(
        "a whole number from " + std::to_string(std::numeric_limits<Integer>::min()) + " to " +
        std::to_string(std::numeric_limits<Integer>::max()) + " is wanted, not " + exact.str());
}
/// Reads the word that opens a list. \throws std::invalid_argument if there is another.
void read_opening(std::istream& words);
/// True if the list that was opened ends here; the word that closes it is read.
bool list_ends(std::istream& words);
template <class Value>
void read(std::istream& words, std::vector<Value>& list) {
  read_opening(words);
  while (!list_ends(words)) read(words, list.emplace_back());
}

template <class Result, class... Arguments>
std::string in_python(const std::function<Result(Arguments...)>& function, Callbacks& callbacks) {
  callbacks.push_back([function](std::istream& words) {
    std::tuple<std::decay_t<Arguments>...> arguments;
    const auto ends = [&] { return (words >> std::ws).eof(); };
    const auto wanted = [](bool is_right) {
      if (!is_right)
        throw std::invalid_argument("it takes " + std::to_string(sizeof...(Arguments)) +
                                    (sizeof...(Arguments) == 1 ? " argument" : " arguments"));
    };
    std::apply([&](auto&... each) { ((wanted(!ends()), read(words, each)), ...); }, arguments);
    wanted(ends());
    Callbacks none;
    return in_python(std::apply(function, arguments), none);
  });
  return "callback(" + std::to_string(callbacks.size() - 1) + ')';
}

/// The value that a function returned. `words` has after a tab how Python shows it.
/// \throws std::runtime_error naming the function, what it returned, and what is wanted.
template <class Result>
Result from_words(const std::string& function, const std::string& words) {
  const std::size_t tab = words.find('\t');
  std::istringstream stream(words.substr(0, tab));
  Result result{};
  try {
    read(stream, result);
    if (!(stream >> std::ws).eof()) throw std::invalid_argument("too many values");
  } catch (const std::invalid_argument& error) {
    throw std::runtime_error(function + " returned " + words.substr(tab + 1) + ": " + error.what());
  }
  return result;
}

}  // namespace sqrtdk::exercises
