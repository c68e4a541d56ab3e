// Kernels of attention that carry their output along, for \ref OnePassError.
#pragma once

#include <sqrtdk/numbers/columns.hpp>

#include "properties/softmax/functions.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

namespace sqrtdk::properties {
inline namespace chapter_softmax_error {

using namespace sqrtdk::testing;

/// The state of a kernel of attention that carries its output along, after the keys seen so far:
/// the maximum m, S = Σe^(x − m), and Σe^(x − m)v with the unit vectors for v, so that the output
/// is the weights.
template <class Real>
struct Outputs {
  Real maximum = -inf<Real>;
  Real sum = 0;
  Values<Real> outputs;
  std::size_t rescalings = 0;

  template <class Exp>
  void rescale(Real greater, const Exp& exp) {
    if (greater > maximum && sum > 0) ++rescalings;
    const Real factor = exp(Real(maximum - greater));
    sum *= factor;
    for (Real& output : outputs) output *= factor;
    maximum = greater;
  }

  /// Takes a block of keys in, as FlashAttention-2 does.
  template <class Exp>
  void take(std::span<const Real> block, const Exp& exp) {
    rescale(std::max(maximum, *std::max_element(block.begin(), block.end())), exp);
    Values<Real> weights;
    for (const Real logit : block) weights.push_back(exp(Real(logit - maximum)));
    sum += pairwise_sum(std::span<const Real>(weights));
    outputs.insert(outputs.end(), weights.begin(), weights.end());
  }

  /// Takes in what another state has seen, of later keys.
  template <class Exp>
  void merge(Outputs other, const Exp& exp) {
    const Real greater = std::max(maximum, other.maximum);
    rescale(greater, exp);
    other.rescale(greater, exp);
    sum += other.sum;
    outputs.insert(outputs.end(), other.outputs.begin(), other.outputs.end());
    rescalings = std::max(rescalings, other.rescalings);
  }

  Values<Real> divided() const {
    Values<Real> result = outputs;
    for (Real& output : result) output /= sum;
    return result;
  }
};

template <class Real>
Real exp_of(Real x) {
  return std::exp(x);
}

/// The state that has taken in a list block by block.
template <class Real>
Outputs<Real> blockwise(std::span<const Real> x, std::size_t block) {
  Outputs<Real> state;
  for (std::size_t i = 0; i < x.size(); i += block)
    state.take(x.subspan(i, std::min(block, x.size() - i)), exp_of<Real>);
  return state;
}

/// The same of two parts of a list, merged.
template <class Real>
Outputs<Real> in_two_parts(std::span<const Real> x, std::size_t block) {
  Outputs<Real> state = blockwise(x.first(x.size() / 2), block);
  state.merge(blockwise(x.subspan(x.size() / 2), block), exp_of<Real>);
  return state;
}

/// blockwise(), in_two_parts(), or wrong ones.
template <class Real>
using OutputsOf = Outputs<Real> (*)(std::span<const Real>, std::size_t);

}  // namespace chapter_softmax_error
}  // namespace sqrtdk::properties
