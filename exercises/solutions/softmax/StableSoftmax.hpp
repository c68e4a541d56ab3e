#pragma once
#include "exercises/softmax/chapter.hpp"

struct StableSoftmax {
  template <class Real>
  static std::vector<Real> softmax(const std::vector<Real>& logits, Real temperature) {
    const Real greatest = *std::max_element(logits.begin(), logits.end());
    std::vector<Real> weights;
    for (const Real logit : logits) {
      // Half of each, which is exact where the difference would overflow.
      const Real difference = logit - greatest;
      const bool fits = std::isfinite(difference) || !std::isfinite(logit);
      weights.push_back(
          std::exp(fits ? difference / temperature : (logit / 2 - greatest / 2) / temperature * 2));
    }
    const Real sum = std::accumulate(weights.begin(), weights.end(), Real(0));
    for (Real& weight : weights) weight /= sum;
    return weights;
  }
};
