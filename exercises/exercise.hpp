// Code shared by all chapters' judges: the list of exercises, and questions to a student.
#pragma once

#include "exercises/words.hpp"

#include <functional>
#include <string>

namespace sqrtdk::exercises {

struct Exercise {
  std::string name;
  std::string tests;              ///< as a filter of GoogleTest
  std::function<void()> hand_in;  ///< puts the answer where these tests find it
};

struct Judged {
  Judged(
      std::string name, std::string tests, std::function<void()> hand_in = [] {});
};

/// Sends a call to the program that has the student's functions, and gives the words of its answer.
/// \throws std::runtime_error with what Python says, if the function raises.
std::string answer_to(const std::string& call, const Callbacks& callbacks);

/// \tparam Result what it has to return: bool, a number, or lists of such.
/// \param function its name in Python.
/// \param arguments what it is given; a std::function can be called from Python.
/// \throws std::runtime_error if the function raises, or returns something else.
template <class Result, class... Arguments>
Result ask(const std::string& function, const Arguments&... arguments) {
  Callbacks callbacks;
  std::string call = function + '(';
  ((call += in_python(arguments, callbacks) + ','), ...);
  return from_words<Result>(function, answer_to(call + ')', callbacks));
}

}  // namespace sqrtdk::exercises
