// told: no counterexample
#pragma once
#include "exercises/softmax/chapter.hpp"

struct LeadOnAverage {
  static Vector scores(const Rational& lead) { return {lead, 0, 0, 0, 0}; }
};
