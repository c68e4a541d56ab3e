// told: a weight of 300 beside 3 weights of 1 has the share 100/101
#pragma once
#include "exercises/softmax/chapter.hpp"

struct NinetyNinePercent {
  static Rational of_four() { return 100 * 3; }
  static Rational of_512() { return 100 * 511; }
};
