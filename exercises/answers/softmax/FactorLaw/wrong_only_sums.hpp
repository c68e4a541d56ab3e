// told: the mutant 'one is added to every weight' survives
#pragma once
#include "exercises/softmax/chapter.hpp"

struct FactorLaw {
  static bool law(const std::function<Vector(const Vector&)>& normalize, const Vector& weights,
                  const Rational& factor) {
    Vector scaled = weights;
    for (Rational& weight : scaled) weight *= factor;
    const Vector p = normalize(scaled);
    return std::accumulate(p.begin(), p.end(), Rational(0)) > 0;
  }
};
