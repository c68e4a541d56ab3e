#pragma once
#include "exercises/softmax/chapter.hpp"

struct StableSoftmax {
  template <class Real>
  static std::vector<Real> softmax(const std::vector<Real>& logits, Real temperature) {
    // One over the sum of e^((x_k − x_j)/τ), each difference taken between scaled mantissas.
    std::vector<Real> weights;
    for (const Real own : logits) {
      Real sum = 0;
      for (const Real other : logits) {
        const Real half = (other / 2 - own / 2) / temperature;
        sum += other == own ? Real(1) : std::exp(2 * half);
      }
      weights.push_back(1 / sum);
    }
    return weights;
  }
};
