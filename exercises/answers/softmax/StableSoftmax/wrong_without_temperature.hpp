// told: at 0 there is [^ ]+ = 0 instead of 0.1192
#pragma once
#include "exercises/softmax/chapter.hpp"

struct StableSoftmax {
  template <class Real>
  static std::vector<Real> softmax(const std::vector<Real>& logits, Real temperature) {
    const Real greatest = *std::max_element(logits.begin(), logits.end());
    std::vector<Real> weights;
    for (const Real logit : logits) weights.push_back(std::exp(logit - greatest));
    const Real sum = std::accumulate(weights.begin(), weights.end(), Real(0));
    for (Real& weight : weights) weight /= sum;
    return weights;
  }
};
