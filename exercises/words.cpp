#include "exercises/words.hpp"

#include <cstdlib>

namespace sqrtdk::exercises {

namespace {

std::string word(std::istream& words) {
  std::string result;
  words >> result;
  return result.empty() ? "nothing" : result == "[" ? "a list" : result;
}

std::string number(std::istream& words) {
  const std::string text = word(words);
  return text == "True" ? "1" : text == "False" ? "0" : text;
}

bool is_fraction(const std::string& text) {
  return text.find_first_not_of("-0123456789/") == std::string::npos;
}

}  // namespace

std::string in_python(const std::string& text) {
  std::string quoted = "'";
  for (const char character : text) {
    if (character == '\'' || character == '\\') quoted += '\\';
    quoted += character == '\n' ? ' ' : character;
  }
  return quoted + '\'';
}

std::string in_python(double x, Callbacks&) {
  std::ostringstream text;
  text << std::hexfloat << "float.fromhex('" << x << "')";
  return text.str();
}

std::string in_python(const Rational& x, Callbacks&) { return "Fraction('" + x.str() + "')"; }

std::string in_python(bool x, Callbacks&) { return x ? "True" : "False"; }

void read(std::istream& words, double& x) {
  const std::string text = number(words);
  char* end = nullptr;
  x = is_fraction(text) ? Rational(text).convert_to<double>() : std::strtod(text.c_str(), &end);
  if (end != nullptr && *end != '\0')
    throw std::invalid_argument("a number is wanted, not " + text);
}

void read(std::istream& words, Rational& x) {
  const std::string text = number(words);
  if (!is_fraction(text))
    throw std::invalid_argument(
        "an exact number is wanted, an int or a Fraction such as Fraction(1, 3), not " +
        (text.find("0x") == std::string::npos ? text : "a float"));
  x = Rational(text);
}

void read(std::istream& words, bool& x) {
  const std::string text = word(words);
  if (text != "True" && text != "False") throw std::invalid_argument("True or False is wanted");
  x = text == "True";
}

void read_opening(std::istream& words) {
  if (word(words) != "a list") throw std::invalid_argument("a list is wanted");
}

bool list_ends(std::istream& words) {
  words >> std::ws;
  if (words.eof()) throw std::invalid_argument("a list is wanted");
  if (words.peek() != ']') return false;
  words.get();
  return true;
}

}  // namespace sqrtdk::exercises
