// told: the mutant 'right on the weights of the page' survives
#pragma once
#include "exercises/softmax/chapter.hpp"

struct FactorLaw {
  static bool law(const std::function<Vector(const Vector&)>& normalize, const Vector& weights,
                  const Rational& factor) {
    const Vector known{Rational(6, 10), Rational(3, 10), Rational(1, 10)};
    return normalize({6, 3, 1}) == known && normalize({12, 6, 2}) == known && factor > 0 &&
           !weights.empty();
  }
};
