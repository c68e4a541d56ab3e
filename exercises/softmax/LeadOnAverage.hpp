// Exercise LeadOnAverage: level 2, 3 points, drop a hypothesis, claim SoftmaxDominance
#pragma once
#include "exercises/softmax/chapter.hpp"

struct LeadOnAverage {
  /// Five scores, the greatest of which is ahead of the mean of the other four by `lead` or more,
  /// and whose other four share more than a thousandth of the weight all the same.
  /// \param lead from 10 to 80.
  static Vector scores(const Rational& lead) { throw Unsolved(); }
};
