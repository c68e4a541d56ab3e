// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Definitions of softmax_laws.hpp, for numbers of any type.
#pragma once

#include <sqrtdk/softmax_error.hpp>
#include <sqrtdk/testing/laws/arrays.hpp>
#include <sqrtdk/testing/laws/compare_entries.hpp>
#include <sqrtdk/testing/laws/exact_softmax_definitions.hpp>
#include <sqrtdk/testing/laws/formats.hpp>
#include <sqrtdk/testing/laws/outcome.hpp>
#include <sqrtdk/testing/laws/softmax_laws.hpp>
#include <sqrtdk/testing/laws/wide.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace sqrtdk::testing {

namespace detail {

inline Outcome wrong_number_of_results(std::size_t given, std::size_t wanted) {
  return broken("there are " + std::to_string(given) + " results for " + std::to_string(wanted) +
                " logits");
}

template <class Real>
std::string place_text(std::size_t j, Real computed, const Wide& exact) {
  return "at " + std::to_string(j) + " there is " + detail::computed_text(computed) +
         " instead of " + detail::wanted_text<Real>(exact);
}

/// The distance of computed weights from what they should be, beside a bound.
template <class Real, class Exact, class Bound>
Outcome compared(const std::vector<Real>& computed, std::size_t size, const Exact& exact,
                 const Bound& bound, bool vacuous) {
  if (computed.size() != size) return wrong_number_of_results(computed.size(), size);
  Nearest nearest;
  if (vacuous) nearest.vacuous();
  for (std::size_t j = 0; j < size; ++j) {
    const Wide wanted = exact(j);
    nearest.compare(to_double(distance(wide(computed[j]), wanted)), bound(j),
                    [&] { return place_text(j, computed[j], wanted); });
  }
  return nearest.outcome();
}

/// The most growth, at most 1, of a weight that may change by a factor's part of itself. In the
/// wide type: a weight too small for a double may grow to one that is not, and 0 to anything.
inline double grown(const Wide& weight, const Wide& factor) {
  const Wide change = weight * factor;
  if (!(change < 1)) return 1;  // also 0·∞
  return std::nextafter(to_double(change), std::numeric_limits<double>::infinity());
}

}  // namespace detail

template <class Real>
Outcome accuracy_law(const SoftmaxFunction<Real>& softmax, const std::vector<Real>& x,
                     std::type_identity_t<Real> temperature, const SoftmaxArithmetic& arithmetic) {
  const DefaultFloatEnvironment environment;
  return accuracy_law<Real>(softmax, x, temperature,
                            softmax_error_bound(detail::as_vector(x), temperature, arithmetic));
}

template <class Real>
Outcome accuracy_law(const SoftmaxFunction<Real>& softmax, const std::vector<Real>& x,
                     std::type_identity_t<Real> temperature, const SoftmaxErrorBound& bound) {
  const DefaultFloatEnvironment environment;
  const ExactSoftmax<Real> exact(x, temperature);
  const std::vector<Real> computed = softmax(x, temperature);
  if (computed.size() != x.size())
    return detail::wrong_number_of_results(computed.size(), x.size());
  Nearest nearest;
  if (bound.vacuous()) nearest.vacuous();
  // In a long list, equal logits with equal weights need be compared once only; NaN is equal to nothing.
  std::vector<Real> seen(x.size(), std::numeric_limits<Real>::quiet_NaN());
  for (std::size_t j = 0; j < x.size(); ++j) {
    Real& before = seen[exact.place(j)];
    if (before == computed[j]) continue;
    before = computed[j];
    const Wide& wanted = exact[j];
    const double allowed =
        detail::is_masked(x[j]) ? 0 : bound(static_cast<Eigen::Index>(j), to_double(wanted));
    nearest.compare(to_double(abs(wide(computed[j]) - wanted)), allowed,
                    [&] { return detail::place_text(j, computed[j], wanted); });
  }
  return nearest.outcome();
}

template <class Real>
Outcome probability_law(const SoftmaxFunction<Real>& softmax, const std::vector<Real>& x,
                        std::type_identity_t<Real> temperature,
                        const SoftmaxArithmetic& arithmetic) {
  const DefaultFloatEnvironment environment;
  detail::require_softmax_exists(x, static_cast<Real>(temperature));
  const std::vector<Real> computed = softmax(x, temperature);
  if (computed.size() != x.size())
    return detail::wrong_number_of_results(computed.size(), x.size());
  Wide sum = 0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    if (!(computed[j] >= Real(0) && computed[j] <= Real(1)))
      return broken("the weight at " + std::to_string(j) + " is " +
                    detail::computed_text(computed[j]));
    sum += wide(computed[j]);
  }
  const double n = static_cast<double>(x.size());
  double bound = 0;
  if (arithmetic.most_rescalings(x.size()) == 0 && sqrtdk::detail::by_whole_sums(arithmetic)) {
    const double a =
        (arithmetic.sum_depth(x.size()) + arithmetic.quotient_roundings) * arithmetic.unit_roundoff;
    bound = a < 0.5 ? a / (1 - 2 * a) : std::numeric_limits<double>::infinity();
    bound = (1 + bound_margin) * (bound + arithmetic.storage_roundoff * (1 + bound) +
                                  n * (arithmetic.smallest + arithmetic.storage_smallest));
  } else {
    const auto each = softmax_error_bound(detail::as_vector(x), temperature, arithmetic);
    bound = each.relative.maxCoeff() + n * each.absolute;
  }
  Nearest nearest;
  if (!(bound < 1)) nearest.vacuous();
  nearest.compare(to_double(abs(sum - 1)), bound,
                  [&] { return "the weights sum to " + sum.str(20); });
  return nearest.outcome();
}

template <class Real>
Outcome shift_law(const SoftmaxFunction<Real>& softmax, const std::vector<Real>& x,
                  std::type_identity_t<Real> shift, const SoftmaxArithmetic& arithmetic) {
  const DefaultFloatEnvironment environment;
  const ExactSoftmax<Real> exact(x);
  std::vector<Real> shifted = x;
  Wide delta = 0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    shifted[j] = static_cast<Real>(x[j] + shift);
    delta = std::max(delta, distance(wide(shifted[j]), Wide(wide(x[j]) + wide(shift))));
  }
  const auto bound = softmax_error_bound(detail::as_vector(x), Real(1), arithmetic);
  const auto bound_of_shifted =
      softmax_error_bound(detail::as_vector(shifted), Real(1), arithmetic);
  const std::vector<Real> before = softmax(x, Real(1));
  const std::vector<Real> after = softmax(shifted, Real(1));
  if (before.size() != x.size()) return detail::wrong_number_of_results(before.size(), x.size());
  const Wide factor = expm1(Wide(2 * delta));
  return detail::compared(
      after, x.size(), [&](std::size_t j) { return wide(before[j]); },
      [&](std::size_t j) {
        const auto i = static_cast<Eigen::Index>(j);
        const double y = to_double(exact[j]);
        const double change = detail::grown(exact[j], factor);
        return (1 + bound_margin) *
               (bound(i, y) + bound_of_shifted(i, std::min(1.0, y + change)) + change);
      },
      bound.vacuous() || bound_of_shifted.vacuous());
}

template <class Real>
Outcome permutation_law(const SoftmaxFunction<Real>& softmax, const std::vector<Real>& x,
                        const std::vector<std::size_t>& order,
                        const SoftmaxArithmetic& arithmetic) {
  const DefaultFloatEnvironment environment;
  std::vector<std::size_t> places = order;
  std::sort(places.begin(), places.end());
  for (std::size_t j = 0; j < places.size(); ++j)
    if (places[j] != j || places.size() != x.size())
      throw std::invalid_argument("the order is no permutation of the " + std::to_string(x.size()) +
                                  " logits");
  std::vector<Real> permuted;
  for (const std::size_t j : order) permuted.push_back(x[j]);
  const ExactSoftmax<Real> exact(permuted);
  const auto bound = softmax_error_bound(detail::as_vector(permuted), Real(1), arithmetic);
  const std::vector<Real> plain = softmax(x, Real(1));
  if (plain.size() != x.size()) return detail::wrong_number_of_results(plain.size(), x.size());
  return detail::compared(
      std::vector<Real>(softmax(permuted, Real(1))), x.size(),
      [&](std::size_t j) { return wide(plain[order[j]]); },
      [&](std::size_t j) { return 2 * bound(static_cast<Eigen::Index>(j), to_double(exact[j])); },
      bound.vacuous());
}

template <class Real>
Outcome order_law(const SoftmaxFunction<Real>& softmax, const std::vector<Real>& x,
                  std::type_identity_t<Real> temperature) {
  const DefaultFloatEnvironment environment;
  detail::require_softmax_exists(x, static_cast<Real>(temperature));
  const std::vector<Real> y = softmax(x, temperature);
  if (y.size() != x.size()) return detail::wrong_number_of_results(y.size(), x.size());
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto i, auto j) { return x[i] < x[j]; });
  Nearest nearest;
  for (std::size_t k = 1; k < order.size(); ++k) {
    const std::size_t i = order[k - 1];
    const std::size_t j = order[k];
    const bool kept = x[i] == x[j] ? y[i] == y[j] : y[i] <= y[j];
    if (!kept)
      return broken("the logits at " + std::to_string(i) + " and " + std::to_string(j) +
                    " have the weights " + detail::computed_text(y[i]) + " and " +
                    detail::computed_text(y[j]));
  }
  return nearest.outcome();
}

template <class Real>
Outcome lipschitz_law(const SoftmaxFunction<Real>& softmax, const std::vector<Real>& a,
                      const std::vector<Real>& b, const SoftmaxArithmetic& arithmetic) {
  const DefaultFloatEnvironment environment;
  if (a.size() != b.size())
    throw std::invalid_argument("the lists have " + std::to_string(a.size()) + " and " +
                                std::to_string(b.size()) + " logits, but must have as many");
  const ExactSoftmax<Real> exact_a(a);
  const ExactSoftmax<Real> exact_b(b);
  Wide farthest = 0;
  for (std::size_t j = 0; j < a.size(); ++j)
    farthest = std::max(farthest, distance(wide(a[j]), wide(b[j])));
  const double h = to_double(farthest);
  const Wide factor = expm1(Wide(2 * farthest));
  const auto bound_a = softmax_error_bound(detail::as_vector(a), Real(1), arithmetic);
  const auto bound_b = softmax_error_bound(detail::as_vector(b), Real(1), arithmetic);
  const std::vector<Real> of_a = softmax(a, Real(1));
  if (of_a.size() != a.size()) return detail::wrong_number_of_results(of_a.size(), a.size());
  return detail::compared(
      std::vector<Real>(softmax(b, Real(1))), a.size(),
      [&](std::size_t j) { return wide(of_a[j]); },
      [&](std::size_t j) {
        const auto i = static_cast<Eigen::Index>(j);
        const double ya = to_double(exact_a[j]);
        const double yb = to_double(exact_b[j]);
        const Wide smaller = std::min(Wide(exact_a[j]), Wide(exact_b[j]));
        const double moved = std::min(h / 2, detail::grown(smaller, factor));
        return (1 + bound_margin) * (bound_a(i, ya) + bound_b(i, yb) + moved);
      },
      bound_a.vacuous() || bound_b.vacuous());
}

template <class Real>
Outcome temperature_law(const SoftmaxFunction<Real>& softmax, const std::vector<Real>& x,
                        std::type_identity_t<Real> low, std::type_identity_t<Real> high,
                        const SoftmaxArithmetic& arithmetic) {
  const DefaultFloatEnvironment environment;
  struct Spread {
    Wide greatest = 0;  // max y
    Wide squares = 0;   // Σy²
    Wide entropy = 0;   // −Σy ln y
    double error = 0;   // max of the bounds of y
    double squares_error = 0;
    double entropy_error = 0;
  };
  const std::vector<Real> of_low = softmax(x, low);
  const std::vector<Real> of_high = softmax(x, high);
  for (const auto* y : {&of_low, &of_high})
    if (y->size() != x.size()) return detail::wrong_number_of_results(y->size(), x.size());
  bool vacuous = false;
  const auto spread_at = [&](Real temperature, const std::vector<Real>& y) {
    Spread spread;
    const ExactSoftmax<Real> exact(x, temperature);
    const auto bound = softmax_error_bound(detail::as_vector(x), temperature, arithmetic);
    vacuous = vacuous || bound.vacuous();
    for (std::size_t j = 0; j < y.size(); ++j) {
      const Wide weight = wide(y[j]);
      spread.greatest = std::max(spread.greatest, weight);
      spread.squares += weight * weight;
      if (weight > 0) spread.entropy -= weight * log(weight);
      const double exact_y = to_double(exact[j]);
      const double e = bound(static_cast<Eigen::Index>(j), exact_y);
      spread.error = std::max(spread.error, e);
      // abs(a² − b²) ≤ e(2b + e), and abs(a ln a − b ln b) ≤ e(1 + ln(1/e)) for a, b in [0, 1].
      spread.squares_error += e * (2 * exact_y + e);
      spread.entropy_error += e > 0 ? e * (1 - std::log(std::min(e, 1.0))) : 0;
    }
    return spread;
  };
  const Spread cold = spread_at(low, of_low);
  const Spread warm = spread_at(high, of_high);
  Nearest nearest;
  if (vacuous) nearest.vacuous();
  const auto must_not_exceed = [&](const Wide& less, const Wide& more, double bound,
                                   const char* what) {
    const double excess = less <= more ? 0 : to_double(distance(less, more));
    nearest.compare(excess, (1 + bound_margin) * bound, [&] {
      return std::string(what) + ": " + less.str(20) + " and " + more.str(20);
    });
  };
  must_not_exceed(warm.greatest, cold.greatest, warm.error + cold.error,
                  "the greatest weight when warm and when cold");
  must_not_exceed(warm.squares, cold.squares, warm.squares_error + cold.squares_error,
                  "the sum of squares when warm and when cold");
  must_not_exceed(cold.entropy, warm.entropy, warm.entropy_error + cold.entropy_error,
                  "the entropy when cold and when warm");
  return nearest.outcome();
}

template <class Real>
Outcome log_sum_exp_law(const LogSumExpFunction<Real>& log_sum_exp, const std::vector<Real>& x,
                        std::type_identity_t<Real> temperature,
                        const SoftmaxArithmetic& arithmetic) {
  const DefaultFloatEnvironment environment;
  const ExactSoftmax<Real> exact(x, temperature);
  const double bound = log_sum_exp_error_bound(detail::as_vector(x), temperature, arithmetic);
  const Wide computed = wide(log_sum_exp(x, temperature));
  const Wide least = wide(*std::max_element(x.begin(), x.end())) / wide(temperature);
  const Wide most = least + log(Wide(x.size()));
  const Wide size = abs(least) + (exact.log_sum_exp() - least);
  Nearest nearest;
  if (detail::is_vacuous(bound, size)) nearest.vacuous();
  const auto beyond = [&](const Wide& excess, const std::string& where) {
    const double error = excess < 0 ? 0 : to_double(excess);
    nearest.compare(error, bound, [&] { return where + ": it is " + computed.str(20); });
  };
  beyond(least - computed, "log-sum-exp and the maximum " + least.str(20));
  beyond(computed - most, "log-sum-exp and the maximum with ln n, " + most.str(20));
  beyond(abs(computed - exact.log_sum_exp()), "log-sum-exp " + exact.log_sum_exp().str(20));
  return nearest.outcome();
}

template <class Real>
Outcome log_softmax_law(const SoftmaxFunction<Real>& log_softmax, const std::vector<Real>& x,
                        std::type_identity_t<Real> temperature,
                        const SoftmaxArithmetic& arithmetic) {
  const DefaultFloatEnvironment environment;
  const ExactSoftmax<Real> exact(x, temperature);
  const auto bound = log_softmax_error_bound(detail::as_vector(x), temperature, arithmetic);
  bool vacuous = false;
  for (std::size_t j = 0; j < x.size(); ++j)
    vacuous =
        vacuous || detail::is_vacuous(bound[static_cast<Eigen::Index>(j)], abs(exact.logarithm(j)));
  return detail::compared(
      std::vector<Real>(log_softmax(x, temperature)), x.size(),
      [&](std::size_t j) { return exact.logarithm(j); },
      [&](std::size_t j) { return bound[static_cast<Eigen::Index>(j)]; }, vacuous);
}

template <class Real>
Outcome split_law(const SplitFunction<Real>& split, const std::vector<Real>& x,
                  const std::vector<std::size_t>& cuts, SoftmaxArithmetic arithmetic) {
  const DefaultFloatEnvironment environment;
  const std::pair<std::vector<Real>, std::size_t> merged = split(x, cuts);
  arithmetic.summation = Summation::any_order;
  arithmetic.rescalings = merged.second;
  return accuracy_law<Real>([&](const std::vector<Real>&, Real) { return merged.first; }, x,
                            Real(1), arithmetic);
}

#define SQRTDK_SOFTMAX_LAWS(prefix, Real)                                                          \
  prefix template class ExactSoftmax<Real>;                                                        \
  prefix template Outcome accuracy_law(const SoftmaxFunction<Real>&, const std::vector<Real>&,     \
                                       Real, const SoftmaxArithmetic&);                            \
  prefix template Outcome accuracy_law(const SoftmaxFunction<Real>&, const std::vector<Real>&,     \
                                       Real, const SoftmaxErrorBound&);                            \
  prefix template Outcome probability_law(const SoftmaxFunction<Real>&, const std::vector<Real>&,  \
                                          Real, const SoftmaxArithmetic&);                         \
  prefix template Outcome shift_law(const SoftmaxFunction<Real>&, const std::vector<Real>&, Real,  \
                                    const SoftmaxArithmetic&);                                     \
  prefix template Outcome permutation_law(const SoftmaxFunction<Real>&, const std::vector<Real>&,  \
                                          const std::vector<std::size_t>&,                         \
                                          const SoftmaxArithmetic&);                               \
  prefix template Outcome order_law(const SoftmaxFunction<Real>&, const std::vector<Real>&, Real); \
  prefix template Outcome lipschitz_law(const SoftmaxFunction<Real>&, const std::vector<Real>&,    \
                                        const std::vector<Real>&, const SoftmaxArithmetic&);       \
  prefix template Outcome temperature_law(const SoftmaxFunction<Real>&, const std::vector<Real>&,  \
                                          Real, Real, const SoftmaxArithmetic&);                   \
  prefix template Outcome log_sum_exp_law(                                                         \
      const LogSumExpFunction<Real>&, const std::vector<Real>&, Real, const SoftmaxArithmetic&);   \
  prefix template Outcome log_softmax_law(const SoftmaxFunction<Real>&, const std::vector<Real>&,  \
                                          Real, const SoftmaxArithmetic&);                         \
  prefix template Outcome split_law(const SplitFunction<Real>&, const std::vector<Real>&,          \
                                    const std::vector<std::size_t>&, SoftmaxArithmetic);
SQRTDK_FOR_EACH_FORMAT(SQRTDK_SOFTMAX_LAWS, extern)

}  // namespace sqrtdk::testing
