// Exercise StableSoftmax: level 3, 4 points, a body removed, claim StableSoftmax
#pragma once
#include "exercises/softmax/chapter.hpp"

struct StableSoftmax {
  /// Softmax: e^(x_j/τ) over the sum of these, for any finite logits, in `double` and `float`.
  /// \param logits      at least one number; some, but not all, may be −∞.
  /// \param temperature τ, positive and finite.
  /// \return the weights, from 0 to 1; that of the greatest logit is above 0.
  template <class Real>
  static std::vector<Real> softmax(const std::vector<Real>& logits, Real temperature) {
    throw Unsolved();
  }
};
