#pragma once
#include "exercises/softmax/chapter.hpp"

struct LeadOnAverage {
  static Vector scores(const Rational& lead) { return {0, 0, 0, 0, -4 * lead}; }
};
