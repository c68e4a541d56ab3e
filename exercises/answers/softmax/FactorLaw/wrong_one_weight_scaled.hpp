// told: the weights e.x:.*the factor e.b:.*your law says no
#pragma once
#include "exercises/softmax/chapter.hpp"

struct FactorLaw {
  static bool law(const std::function<Vector(const Vector&)>& normalize, const Vector& weights,
                  const Rational& factor) {
    Vector scaled = weights;
    scaled[0] *= factor;
    return normalize(scaled) == normalize(weights);
  }
};
