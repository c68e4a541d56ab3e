// Code shared by all chapters' judges: the list of exercises, and questions to a student.
#pragma once

#include <sqrtdk/testing/property.hpp>

#include "exercises/words.hpp"

#include <rapidcheck.h>

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
/// A case that fails shows the call as `shown` has it.
/// \throws std::runtime_error with what Python says, if the function raises.
std::string answer_to(const std::string& call, const std::string& shown,
                      const Callbacks& callbacks);

/// Shows a line below the call, if this case fails.
void remark(const std::string& line);

/// \tparam Result what it has to return: bool, a number, or lists of such.
/// \param function its name in Python.
/// \param arguments what it is given; a std::function can be called from Python.
/// \throws std::runtime_error if the function raises, or returns something else.
template <class Result, class... Arguments>
Result ask(const std::string& function, const Arguments&... arguments) {
  Callbacks callbacks;
  std::string call = function + '(', shown;
  ((call += in_python(arguments, callbacks) + ','), ...);
  ((shown += (shown.empty() ? "" : ", ") + in_words(arguments)), ...);
  return from_words<Result>(function,
                            answer_to(call + ')', function + '(' + shown + ')', callbacks));
}

/// Fractions n/parts, with n from `from` to below `to`.
rc::Gen<Rational> in_parts(int from, int to, int parts);
/// Fractions 1/n, with n from `from` to below `to`.
rc::Gen<Rational> one_over(int from, int to);

/// How often a law has said no of the mutant that it judges.
int& rejections();

/// Whether a law says yes of what is judged. With a mutant it is asked about the right functions in
/// the same case, in an order that nobody can foresee, and after a no about both again and again, also
/// in processes that know of no call before: whoever only guesses passes with probability 2⁻⁴ a mutant.
/// If it says no of the right ones, or contradicts itself, all ends.
bool approves(const std::function<bool()>& of_judged, const std::function<bool()>& of_right);

/// The same for a law of a struct of functions whose default value is right.
template <class Subject, class Law>
bool says_yes(const Law& law, const Subject& judged) {
  return approves([&] { return law(judged); }, [&] { return law(Subject{}); });
}

/// for_all() of cases in which a law is asked, says_yes().
void for_law(const std::function<void()>& property, int cases = testing::default_cases);

}  // namespace sqrtdk::exercises
