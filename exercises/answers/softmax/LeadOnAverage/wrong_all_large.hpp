// told: a hypothesis that you keep does not hold
#pragma once
#include "exercises/softmax/chapter.hpp"

struct LeadOnAverage {
  static Vector scores(const Rational& lead) { return Vector(5, 5 * lead); }
};
