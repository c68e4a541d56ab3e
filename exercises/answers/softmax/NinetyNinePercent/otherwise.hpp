#pragma once
#include "exercises/softmax/chapter.hpp"

struct NinetyNinePercent {
  static Rational of_four() { return Rational(297, 100) / Rational(1, 100); }
  static Rational of_512() { return 51100 - 511; }
};
