// told: a weight of 297 beside 511 weights of 1 has the share 297/808
#pragma once
#include "exercises/softmax/chapter.hpp"

struct NinetyNinePercent {
  static Rational of_four() { return 297; }
  static Rational of_512() { return 297; }
};
