#pragma once
#include "exercises/softmax/chapter.hpp"

struct FactorLaw {
  static bool law(const std::function<Vector(const Vector&)>& normalize, const Vector& weights,
                  const Rational& factor) {
    Vector scaled;
    for (const Rational& weight : weights) scaled.push_back(weight / factor);
    const Vector before = normalize(scaled);
    const Vector after = normalize(weights);
    for (std::size_t j = 0; j < weights.size(); ++j)
      if (before[j] != after[j]) return false;
    return before.size() == after.size();
  }
};
