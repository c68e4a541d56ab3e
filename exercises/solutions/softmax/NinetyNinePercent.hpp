#pragma once
#include "exercises/softmax/chapter.hpp"

struct NinetyNinePercent {
  static Rational of_four() { return 99 * 3; }
  static Rational of_512() { return 99 * 511; }
};
