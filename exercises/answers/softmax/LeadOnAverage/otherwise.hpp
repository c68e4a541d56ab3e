#pragma once
#include "exercises/softmax/chapter.hpp"

struct LeadOnAverage {
  static Vector scores(const Rational& lead) {
    const Rational second = lead - Rational(1, 7);
    const Rational third = second - 3 * lead - 5;
    return {third, lead, third, second, third};
  }
};
