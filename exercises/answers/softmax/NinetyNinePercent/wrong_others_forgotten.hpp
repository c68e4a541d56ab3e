// told: a weight of 99 beside 3 weights of 1 has the share 33/34
#pragma once
#include "exercises/softmax/chapter.hpp"

struct NinetyNinePercent {
  static Rational of_four() { return 99; }
  static Rational of_512() { return 99; }
};
