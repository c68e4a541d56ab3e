// Exercise NinetyNinePercent: level 1, 2 points, by hand, claim AlmostAllWeightNeedsAGap
#pragma once
#include "exercises/softmax/chapter.hpp"

struct NinetyNinePercent {
  /// How many times each other weight the greatest must be, among four, for a share of 99 %.
  static Rational of_four() { throw Unsolved(); }

  /// The same among 512.
  static Rational of_512() { throw Unsolved(); }
};
