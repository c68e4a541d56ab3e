// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief The finding of a law: the error of an implementation, and its bound.
#pragma once

#include <sqrtdk/numbers/float_environment.hpp>

#include <cmath>
#include <functional>
#include <iosfwd>
#include <string>
#include <utility>

namespace sqrtdk::testing {

/// The finding of a law for one input.
///
/// \snippet examples/own_attention.cpp own softmax
struct Outcome {
  double error = 0;  ///< the implementation's distance from what the law asks; NaN if it gave NaN
  double bound = 0;  ///< of that; +∞ where nothing is promised
  bool vacuous = false;  ///< true if a bound is so wide that keeping it means nothing
  std::string where;     ///< the comparison that comes nearest to the bound, in words

  /// True if the law is kept: every number keeps an infinite bound, and NaN keeps none. Of a
  /// vacuous outcome it says whether each result is a number and within what is promised.
  bool holds() const { return error <= bound; }

  /// True if a law that leaves no room is kept, as an exact test asks; one with a bound is none.
  bool holds_exactly() const { return error == 0 && bound == 0; }
};

/// A std::function that is called in the default floating-point environment; the caller's is
/// restored.
template <class Signature>
class FunctionUnderTest;

template <class Result, class... Arguments>
class FunctionUnderTest<Result(Arguments...)> : public std::function<Result(Arguments...)> {
  using Function = std::function<Result(Arguments...)>;

 public:
  using Function::function;
  FunctionUnderTest() = default;  ///< empty, as std::function is without a target
  /// \param other the implementation; may be empty.
  FunctionUnderTest(Function other)  // NOLINT(google-explicit-constructor): it is one
      : Function(std::move(other)) {}

  /// Calls it in the default floating-point environment, which is then restored.
  /// \param arguments as the signature has them.
  /// \throws std::bad_function_call if it is empty, and whatever the implementation throws.
  Result operator()(Arguments... arguments) const {
    const DefaultFloatEnvironment environment;
    return Function::operator()(std::forward<Arguments>(arguments)...);
  }
};

/// Writes `error … of a bound of …: where`.
/// \relatesalso Outcome
std::ostream& operator<<(std::ostream& out, const Outcome& outcome);

/// abs(computed − wanted): 0 between infinities of the same sign, NaN only if one is NaN.
template <class Wide>
Wide distance(const Wide& computed, const Wide& wanted);

/// True if other constants of an arithmetic could explain an error: it is finite, the bound not 0.
inline bool is_of_degree(double error, double bound) {
  return std::isfinite(error) && std::isfinite(bound) && bound > 0;
}

/// A failure that is no matter of degree: the error is infinite.
/// \param where what is wrong.
/// \relatesalso Outcome
Outcome broken(std::string where);

/// Keeps the comparison that comes nearest to its bound, or is farthest beyond it.
class Nearest {
 public:
  /// \param error how far something is off.
  /// \param bound how far it may be.
  /// \param where a callable that says what was compared; called only if it is kept.
  template <class Where>
  void compare(double error, double bound, Where where);

  /// Notes that a bound says nothing.
  void vacuous() { outcome_.vacuous = true; }

  /// The comparison that was kept.
  const Outcome& outcome() const { return outcome_; }

 private:
  bool keeps(double error, double bound);

  bool first_ = true;
  double ratio_ = 0;
  Outcome outcome_;
};

template <class Wide>
Wide distance(const Wide& computed, const Wide& wanted) {
  using std::abs;
  return computed == wanted ? Wide(0) : Wide(abs(Wide(computed - wanted)));
}

template <class Where>
void Nearest::compare(double error, double bound, Where where) {
  if (keeps(error, bound)) outcome_.where = where();
}

}  // namespace sqrtdk::testing
