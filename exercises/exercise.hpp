// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief What the exercises of all chapters share.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace sqrtdk::exercises {

/// Thrown where an answer still has a hole.
class Unsolved : public std::logic_error {
 public:
  Unsolved() : std::logic_error("there is no answer yet: a line still says `throw Unsolved()`") {}
};

/// An answer that a program can judge.
struct HandedIn {
  std::string name;               ///< of the exercise; after a stroke, whose answer it is
  std::string tests;              ///< which tests judge it, as a filter of GoogleTest
  std::function<void()> hand_in;  ///< puts it where these tests find it
};

/// The answers of this program.
std::vector<HandedIn>& handed_in();

/// Judges an answer, and says what is still wrong with it or that it is right.
/// \param name the answer, as in HandedIn; the only one if empty.
/// \return 0 if it is right, 1 if it is not, 2 if there is no such answer.
int judge(const std::string& name);

}  // namespace sqrtdk::exercises
