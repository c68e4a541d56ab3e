// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief The laws of chapter \ref softmax in floating point, for any implementation of a softmax.
///
/// A law is a function of an implementation and an input: how far the one is from what is asked,
/// and how far it may be.
///
/// Compiled for the formats of formats.hpp; for others include softmax_laws_definitions.hpp.
#pragma once

#include <sqrtdk/softmax_error.hpp>
#include <sqrtdk/testing/laws/eigen_allocation.hpp>
#include <sqrtdk/testing/laws/outcome.hpp>

#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

namespace sqrtdk::testing {

namespace detail {

template <class Real>
struct SoftmaxFunctions {
  using Softmax = FunctionUnderTest<std::vector<Real>(const std::vector<Real>&, Real)>;
  using LogSumExp = FunctionUnderTest<Real(const std::vector<Real>&, Real)>;
  using Split = FunctionUnderTest<std::pair<std::vector<Real>, std::size_t>(
      const std::vector<Real>&, const std::vector<std::size_t>&)>;
};

}  // namespace detail

/// Anything that computes softmax weights: `softmax(x, temperature)` gives one number a logit.
template <class Real>
using SoftmaxFunction = typename detail::SoftmaxFunctions<Real>::Softmax;

/// Anything that computes ln Σe^(xᵢ/τ): `log_sum_exp(x, temperature)`.
template <class Real>
using LogSumExpFunction = typename detail::SoftmaxFunctions<Real>::LogSumExp;

/// `split(x, cuts)` gives weights merged from parts, and how often one was rescaled at most.
template <class Real>
using SplitFunction = typename detail::SoftmaxFunctions<Real>::Split;

/// The inputs to a softmax.
struct SoftmaxShapes {
  std::size_t longest = 1025;                                ///< the most scores in a list
  double largest = std::numeric_limits<double>::infinity();  ///< the largest magnitude of a score
  bool masked = true;                                        ///< true if some of them are −∞
  double least_temperature = 0x1p-10;                        ///< the least temperature τ
  double greatest_temperature = 0x1p10;                      ///< the greatest temperature τ
  bool deterministic = false;  ///< true if the same call gives the same bits again
  unsigned seconds = 0;  ///< if above 0: each case first in a process of its own, at most so long
};

/// The componentwise bound: abs(p̂ⱼ − pⱼ) ≤ relative[j]·pⱼ + absolute, and p̂ⱼ = 0 where x is −∞.
/// \param softmax     anything that computes softmax weights, called as `softmax(x, temperature)`.
/// \param x           n logits, n at least 1; finite or −∞, not all −∞.
/// \param temperature τ, greater than 0 and finite.
/// \param arithmetic  what computes the softmax.
/// \throws std::invalid_argument as softmax_error_bound().
/// \throws std::domain_error as softmax_error_bound().
/// \relatesalso Outcome
template <class Real>
Outcome accuracy_law(const SoftmaxFunction<Real>& softmax, const std::vector<Real>& x,
                     std::type_identity_t<Real> temperature = Real(1),
                     const SoftmaxArithmetic& arithmetic = arithmetic_of<Real>());

/// The same for a bound that was computed elsewhere.
/// \param softmax     anything that computes softmax weights, called as `softmax(x, temperature)`.
/// \param x           n logits, n at least 1; finite or −∞, not all −∞.
/// \param temperature τ, greater than 0 and finite.
/// \param bound       as softmax_error_bound() would give it.
/// \relatesalso Outcome
template <class Real>
Outcome accuracy_law(const SoftmaxFunction<Real>& softmax, const std::vector<Real>& x,
                     std::type_identity_t<Real> temperature, const SoftmaxErrorBound& bound);

/// P1. Weights lie in [0, 1], and their sum is as near to 1 as the two steps after the exponential
/// allow: abs(Σŷ − 1) ≤ γ + nη with γ = a/(1 − 2a), a = (σ + D)u; with rescalings, whose sum is
/// not of the same exponentials, by the sum of the componentwise bounds.
/// \param softmax     anything that computes softmax weights, called as `softmax(x, temperature)`.
/// \param x           n logits, n at least 1; finite or −∞, not all −∞.
/// \param temperature τ, greater than 0 and finite.
/// \param arithmetic  what computes the softmax.
/// \throws std::invalid_argument as softmax_error_bound().
/// \throws std::domain_error as softmax_error_bound().
/// \relatesalso Outcome
template <class Real>
Outcome probability_law(const SoftmaxFunction<Real>& softmax, const std::vector<Real>& x,
                        std::type_identity_t<Real> temperature = Real(1),
                        const SoftmaxArithmetic& arithmetic = arithmetic_of<Real>());

/// P2. A constant that is added to every logit changes weights by no more than the two
/// componentwise bounds and the part e^(2δ) − 1, where δ is the greatest rounding of a sum x + b: 0
/// if all of them are representable.
/// \param softmax    anything that computes softmax weights, called as `softmax(x, temperature)`.
/// \param x          n logits, n at least 1; finite or −∞, not all −∞.
/// \param shift      b, the constant.
/// \param arithmetic what computes the softmax.
/// \throws std::invalid_argument as softmax_error_bound().
/// \throws std::domain_error as softmax_error_bound().
/// \relatesalso Outcome
template <class Real>
Outcome shift_law(const SoftmaxFunction<Real>& softmax, const std::vector<Real>& x,
                  std::type_identity_t<Real> shift,
                  const SoftmaxArithmetic& arithmetic = arithmetic_of<Real>());

/// P3. Logits in another order have their weights in that order, to twice the componentwise bound.
/// \param softmax    a callable `std::vector<Real>(x, temperature)`.
/// \param x          n logits.
/// \param order      a permutation of 0, …, n − 1.
/// \param arithmetic what computes the softmax.
/// \throws std::invalid_argument as softmax_error_bound().
/// \throws std::domain_error as softmax_error_bound().
/// \relatesalso Outcome
template <class Real>
Outcome permutation_law(const SoftmaxFunction<Real>& softmax, const std::vector<Real>& x,
                        const std::vector<std::size_t>& order,
                        const SoftmaxArithmetic& arithmetic = arithmetic_of<Real>());

/// P4. A greater logit has no lesser weight, and equal logits have equal weights: without a
/// tolerance, since subtraction and division are monotone, and exp is if it is any good.
/// \param softmax     anything that computes softmax weights, called as `softmax(x, temperature)`.
/// \param x           n logits, n at least 1; finite or −∞, not all −∞.
/// \param temperature τ, greater than 0 and finite.
/// \relatesalso Outcome
template <class Real>
Outcome order_law(const SoftmaxFunction<Real>& softmax, const std::vector<Real>& x,
                  std::type_identity_t<Real> temperature = Real(1));

/// P5. Two lists of logits that differ by h at most have weights that differ by h/2 at most, and by
/// the factor e^(2h) at most, both up to the two componentwise bounds.
/// \param softmax    anything that computes softmax weights, called as `softmax(x, temperature)`.
/// \param a          n logits.
/// \param b          n logits.
/// \param arithmetic what computes the softmax.
/// \throws std::invalid_argument as softmax_error_bound().
/// \throws std::domain_error as softmax_error_bound().
/// \relatesalso Outcome
template <class Real>
Outcome lipschitz_law(const SoftmaxFunction<Real>& softmax, const std::vector<Real>& a,
                      const std::vector<Real>& b,
                      const SoftmaxArithmetic& arithmetic = arithmetic_of<Real>());

/// P6. At a higher temperature the greatest weight and Σy² are no greater and the entropy is no
/// less, up to what the two componentwise bounds allow.
/// \param softmax    a callable `std::vector<Real>(x, temperature)`.
/// \param x          n logits.
/// \param low        a temperature.
/// \param high       a temperature, at least `low`.
/// \param arithmetic what computes the softmax.
/// \throws std::invalid_argument as softmax_error_bound().
/// \throws std::domain_error as softmax_error_bound().
/// \relatesalso Outcome
template <class Real>
Outcome temperature_law(const SoftmaxFunction<Real>& softmax, const std::vector<Real>& x,
                        std::type_identity_t<Real> low, std::type_identity_t<Real> high,
                        const SoftmaxArithmetic& arithmetic = arithmetic_of<Real>());

/// P7. m/τ ≤ lse ≤ m/τ + ln n, to base e, and lse is the exact one within
/// log_sum_exp_error_bound(); vacuous unless that is below (1 + abs(m/τ) + ln S)/2.
/// \param log_sum_exp a callable `Real(x, temperature)`.
/// \param x           n logits.
/// \param temperature τ, greater than 0.
/// \param arithmetic  what computes it.
/// \throws std::invalid_argument as log_sum_exp_error_bound().
/// \throws std::domain_error as log_sum_exp_error_bound().
/// \relatesalso Outcome
template <class Real>
Outcome log_sum_exp_law(const LogSumExpFunction<Real>& log_sum_exp, const std::vector<Real>& x,
                        std::type_identity_t<Real> temperature = Real(1),
                        const SoftmaxArithmetic& arithmetic = arithmetic_of<Real>());

/// P7. The logarithm ln pⱼ of each weight is the exact one within log_softmax_error_bound();
/// vacuous unless that is below (1 + abs(ln pⱼ))/2 for each that is finite.
/// \param log_softmax anything that computes the logarithms, called as `log_softmax(x, temperature)`.
/// \param x           n logits, n at least 1; finite or −∞, not all −∞.
/// \param temperature τ, greater than 0 and finite.
/// \param arithmetic  what computes the softmax.
/// \throws std::invalid_argument as log_softmax_error_bound().
/// \throws std::domain_error as log_softmax_error_bound().
/// \relatesalso Outcome
template <class Real>
Outcome log_softmax_law(const SoftmaxFunction<Real>& log_softmax, const std::vector<Real>& x,
                        std::type_identity_t<Real> temperature = Real(1),
                        const SoftmaxArithmetic& arithmetic = arithmetic_of<Real>());

/// P11. A softmax that is merged from parts is the softmax of the whole within the componentwise
/// bound for sums in any order and as many rescalings as it reports.
/// \param split      a callable `std::pair<std::vector<Real>, std::size_t>(x, cuts)`: the weights,
///                   and how often a weight was rescaled at most.
/// \param x          n logits.
/// \param cuts       where parts end, in increasing order, each at most n; parts may be empty.
/// \param arithmetic what computes the softmax.
/// \throws std::invalid_argument as softmax_error_bound().
/// \throws std::domain_error as softmax_error_bound().
/// \relatesalso Outcome
template <class Real>
Outcome split_law(const SplitFunction<Real>& split, const std::vector<Real>& x,
                  const std::vector<std::size_t>& cuts,
                  SoftmaxArithmetic arithmetic = arithmetic_of<Real>());

}  // namespace sqrtdk::testing
