// told: the sentence is about five scores
#pragma once
#include "exercises/softmax/chapter.hpp"

struct LeadOnAverage {
  static Vector scores(const Rational& lead) { return {lead, lead, -lead}; }
};
