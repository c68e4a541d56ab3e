// Exercise FactorLaw: level 2, 3 points, write the check, claim SoftmaxShiftInvariance
#pragma once
#include "exercises/softmax/chapter.hpp"

struct FactorLaw {
  /// Whether a function keeps the law "a factor of all weights cancels" in this case.
  /// \param normalize what is judged: takes weights, should return each over their sum, exactly.
  /// \param weights   at least one, all positive.
  /// \param factor    positive.
  static bool law(const std::function<Vector(const Vector&)>& normalize, const Vector& weights,
                  const Rational& factor) {
    throw Unsolved();
  }
};
