// The functions that the chapters on softmax check: the library's, and wrong ones.
#pragma once

#include <sqrtdk/softmax/online.hpp>
#include <sqrtdk/softmax_error.hpp>
#include <sqrtdk/testing/kit.hpp>
#include <sqrtdk/testing/laws/softmax_laws.hpp>

namespace sqrtdk::testing {

template <class Real>
using Values = std::vector<Real>;
template <class Real>
using Column = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
using Cuts = std::vector<std::size_t>;
using Vector = std::vector<Rational>;

template <class Real>
const Real inf = std::numeric_limits<Real>::infinity();

// ------------------------------------------------------------------------------------- The library

template <class Real>
Eigen::Map<const Column<Real>> column(const Values<Real>& x) {
  return {x.data(), static_cast<Eigen::Index>(x.size())};
}

template <class Real>
Values<Real> values(const Column<Real>& x) {
  return {x.begin(), x.end()};
}

template <class Real>
Values<Real> library_softmax(const Values<Real>& x, Real temperature) {
  return values<Real>(sqrtdk::softmax(column(x), temperature));
}

template <class Real>
Values<Real> library_naive(const Values<Real>& x, Real) {
  return values<Real>(naive_softmax(column(x)));
}

template <class Real>
Values<Real> library_log_softmax(const Values<Real>& x, Real temperature) {
  return values<Real>(log_softmax(column(x), temperature));
}

template <class Real>
Real library_log_sum_exp(const Values<Real>& x, Real temperature) {
  return log_sum_exp(column(x), temperature);
}

template <class Real>
Values<Real> library_online(const Values<Real>& x, Real) {
  return values<Real>(online_softmax(column(x)));
}

template <class Real>
Values<Real> library_shares(const Values<Real>& weights) {
  return values<Real>(normalized_weights(column(weights)));
}

struct Parts {
  Cuts cuts;  ///< where parts end, in increasing order
  /// For each merge k: of s states, number k mod s takes in number ⌊k/s⌋ mod (s − 1) of the others;
  /// merges not listed have k = 0.
  std::vector<std::size_t> merges = {};
};

template <class Real>
struct PartState {
  PartialSoftmax<Real> state = {};
  std::size_t begin = 0;  ///< the place of its first score
};

/// The state that a list in parts leaves: one for each part, all merged.
/// \param x     the scores.
/// \param parts how it is cut and merged.
/// \param merge a callable `void(PartState<Real>& into, const PartState<Real>& other)`.
template <class Real, class Merge>
PartialSoftmax<Real> merged_by(const Values<Real>& x, const Parts& parts, const Merge& merge) {
  std::vector<PartState<Real>> states;
  Cuts ends = parts.cuts;
  ends.push_back(x.size());
  std::size_t place = 0;
  for (const std::size_t end : ends) {
    states.push_back({.begin = place});
    for (; place < end; ++place) states.back().state.add(x[place]);
  }
  for (std::size_t step = 0; states.size() > 1; ++step) {
    const std::size_t k = step < parts.merges.size() ? parts.merges[step] : 0;
    const std::size_t into = k % states.size();
    std::size_t other = k / states.size() % (states.size() - 1);
    other += other >= into ? 1 : 0;
    merge(states[into], states[other]);
    states.erase(states.begin() + static_cast<std::ptrdiff_t>(other));
  }
  return states[0].state;
}

template <class Real>
PartialSoftmax<Real> merged_state(const Values<Real>& x, const Parts& parts) {
  return merged_by(x, parts, [](PartState<Real>& into, const PartState<Real>& other) {
    into.state.merge(other.state);
  });
}

/// The softmax weights that a state leaves, and how often a weight was rescaled at most.
template <class Real>
std::pair<Values<Real>, std::size_t> weights_of(const PartialSoftmax<Real>& whole,
                                                const Values<Real>& x) {
  Values<Real> weights;
  for (const Real& logit : x) weights.push_back(whole.weight(logit));
  return {weights, whole.rescalings()};
}

/// Softmax by merged_state().
template <class Real>
std::pair<Values<Real>, std::size_t> library_split(const Values<Real>& x, const Parts& parts) {
  return weights_of(merged_state(x, parts), x);
}

/// ln Σe^x by merged_state(), and how often a weight was rescaled at most.
template <class Real>
std::pair<Real, std::size_t> library_split_log_sum(const Values<Real>& x, const Parts& parts) {
  const PartialSoftmax<Real> whole = merged_state(x, parts);
  return {whole.log_sum_exp(), whole.rescalings()};
}

template <class Real>
SoftmaxErrorBound library_bound(const Values<Real>& x, Real temperature,
                                const SoftmaxArithmetic& arithmetic) {
  return softmax_error_bound(column(x), temperature, arithmetic);
}

template <class Real>
double library_lse_bound(const Values<Real>& x, Real temperature,
                         const SoftmaxArithmetic& arithmetic) {
  return log_sum_exp_error_bound(column(x), temperature, arithmetic);
}

template <class Real>
Eigen::VectorXd library_log_bound(const Values<Real>& x, Real temperature,
                                  const SoftmaxArithmetic& arithmetic) {
  return log_softmax_error_bound(column(x), temperature, arithmetic);
}

/// Numbers of a storage type, which `float` holds exactly.
template <class Storage>
Column<Storage> stored(const Values<float>& x) {
  return column(x).template cast<Storage>();
}

template <class Storage>
Values<float> library_stored_softmax(const Values<float>& x, float temperature) {
  return values<float>(sqrtdk::softmax(stored<Storage>(x), temperature).template cast<float>());
}

template <class Storage>
Values<float> library_stored_log_softmax(const Values<float>& x, float temperature) {
  return values<float>(log_softmax(stored<Storage>(x), temperature).template cast<float>());
}

template <class Real>
struct Functions {
  Values<Real> (*softmax)(const Values<Real>&, Real) = library_softmax<Real>;
  Values<Real> (*naive)(const Values<Real>&, Real) = library_naive<Real>;
  Values<Real> (*log_softmax)(const Values<Real>&, Real) = library_log_softmax<Real>;
  Real (*log_sum_exp)(const Values<Real>&, Real) = library_log_sum_exp<Real>;
  Values<Real> (*online)(const Values<Real>&, Real) = library_online<Real>;
  std::pair<Values<Real>, std::size_t> (*split)(const Values<Real>&,
                                                const Parts&) = library_split<Real>;
  std::pair<Real, std::size_t> (*split_log_sum)(const Values<Real>&,
                                                const Parts&) = library_split_log_sum<Real>;
  Values<Real> (*shares)(const Values<Real>&) = library_shares<Real>;
  Real (*largest_move)(const Real&) = sqrtdk::largest_move<Real>;
  SoftmaxErrorBound (*bound)(const Values<Real>&, Real,
                             const SoftmaxArithmetic&) = library_bound<Real>;
  double (*lse_bound)(const Values<Real>&, Real,
                      const SoftmaxArithmetic&) = library_lse_bound<Real>;
  Eigen::VectorXd (*log_bound)(const Values<Real>&, Real,
                               const SoftmaxArithmetic&) = library_log_bound<Real>;
};

/// Of the tests of \ref softmax, not of the kit: its functions for a storage type, called with
/// `float`.
template <class Storage>
struct StoredFunctions {
  Values<float> (*softmax)(const Values<float>&, float) = library_stored_softmax<Storage>;
  Values<float> (*log_softmax)(const Values<float>&, float) = library_stored_log_softmax<Storage>;
};

// ------------------------------------------------------------------------- Wrong and other softmax

/// Functions for both types of numbers, from one generic callable without state. They are right for
/// no logits at all, so that mutants need not care.
template <class Subject, class Function>
Subject wrong_softmax(Function) {
  constexpr auto wrong = [](const auto& x, auto temperature) {
    return x.empty() ? library_softmax(x, temperature) : Function{}(x, temperature);
  };
  Subject result;
  result.in_double.softmax = wrong;
  result.in_float.softmax = wrong;
  return result;
}

template <class Subject, class Function>
Subject wrong_bound(Function) {
  constexpr auto wrong = [](const auto& x, auto temperature, const SoftmaxArithmetic& by) {
    return x.empty() ? library_bound(x, temperature, by) : Function{}(x, temperature, by);
  };
  Subject result;
  result.in_double.bound = wrong;
  result.in_float.bound = wrong;
  return result;
}

/// Runs a law for both types of numbers: `law(functions, Real())`.
template <class Subject, class Law>
void in_both(const Subject& subject, Law law) {
  law(subject.in_double, double());
  law(subject.in_float, float());
}

/// e^((x − shift)/τ) over its sum, added one after the other.
template <class Real>
Values<Real> shifted_softmax(const Values<Real>& x, const Real& shift,
                             const Real& temperature = 1) {
  using std::exp;
  Values<Real> weights;
  Real sum = 0;
  for (const Real& logit : x) {
    weights.push_back(exp(Real(Real(logit - shift) / temperature)));
    sum += weights.back();
  }
  for (Real& weight : weights) weight /= sum;
  return weights;
}

template <class Real>
Real greatest_of(const Values<Real>& x) {
  return x.empty() ? Real(0) : *std::max_element(x.begin(), x.end());
}

// ------------------------------------------------------------------------------------- Comparisons

/// Scores without masks, which may be moved.
template <class Real>
rc::Gen<Values<Real>> finite_scores(std::size_t longest) {
  return rc::gen::map(scores<Real>(longest), [](Values<Real> x) {
    for (Real& score : x)
      if (!std::isfinite(score)) score = std::numeric_limits<Real>::lowest();
    return x;
  });
}

}  // namespace sqrtdk::testing
