// told: a weight of 396 beside 3 weights of 1 has the share 132/133
#pragma once
#include "exercises/softmax/chapter.hpp"

struct NinetyNinePercent {
  static Rational of_four() { return 99 * 4; }
  static Rational of_512() { return 99 * 512; }
};
