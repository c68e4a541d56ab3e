// told: the mutant 'only the last weight is wrong' survives
#pragma once
#include "exercises/softmax/chapter.hpp"

struct FactorLaw {
  static bool law(const std::function<Vector(const Vector&)>& normalize, const Vector& weights,
                  const Rational& factor) {
    Vector scaled = weights;
    for (Rational& weight : scaled) weight *= factor;
    return normalize(scaled)[0] == normalize(weights)[0];
  }
};
