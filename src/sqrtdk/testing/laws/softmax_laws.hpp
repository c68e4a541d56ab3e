// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief The laws of chapter \ref softmax in floating point, for any implementation of a softmax.
///
/// A law is a function of an implementation and an input. It says how far the implementation is
/// from what the law asks for, and how far it may be; it knows of no test framework, so that a
/// property can shrink what breaks it.
#pragma once

#include <sqrtdk/softmax_error.hpp>
#include <sqrtdk/testing/generators/float_text.hpp>
#include <sqrtdk/testing/laws/wide.hpp>

#include <boost/multiprecision/eigen.hpp>  // before anything makes a matrix of Wide

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <numeric>
#include <ostream>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace sqrtdk::testing {

/// Anything that computes softmax weights: `softmax(x, temperature)` gives as many numbers as x
/// has.
template <class Softmax, class Real>
concept SoftmaxOf = requires(const Softmax& softmax, const std::vector<Real>& x, Real temperature) {
  { softmax(x, temperature) } -> std::convertible_to<std::vector<Real>>;
};

/// What a law found for one input.
struct Outcome {
  double error = 0;  ///< how far the implementation is from what the law asks; NaN if it gave NaN
  double bound = 0;  ///< how far it may be
  bool vacuous = false;  ///< whether the bound is so wide that keeping it means nothing
  std::string where;     ///< what was compared, at the place that comes nearest to the bound

  /// Whether the law is kept; not if the error is NaN.
  bool holds() const { return error <= bound; }
};

/// Writes `error … of a bound of …: where`.
std::ostream& operator<<(std::ostream& out, const Outcome& outcome);

/// The softmax of x/τ to fifty digits, each different logit computed once.
template <class Real>
class ExactSoftmax {
 public:
  /// \param x           n logits, n at least 1; finite or −∞, not all −∞.
  /// \param temperature τ, greater than 0.
  explicit ExactSoftmax(const std::vector<Real>& x, Real temperature = 1);

  std::size_t size() const { return place_.size(); }  ///< n
  /// The weight of logit j.
  const Wide& operator[](std::size_t j) const { return weights_[place_[j]]; }
  /// The logarithm of the weight of logit j; −∞ for a logit of −∞.
  const Wide& logarithm(std::size_t j) const { return logarithms_[place_[j]]; }
  const Wide& log_sum_exp() const { return log_sum_exp_; }  ///< ln Σe^(xᵢ/τ)
  /// Which of the different logits the logit j is, counted from the least.
  std::size_t place(std::size_t j) const { return place_[j]; }

 private:
  std::vector<std::size_t> place_;
  std::vector<Wide> weights_;
  std::vector<Wide> logarithms_;
  Wide log_sum_exp_;
};

/// The componentwise bound of softmax_error_bound(): abs(p̂ⱼ − pⱼ) ≤ relative[j]·pⱼ + absolute.
template <class Real, SoftmaxOf<Real> Softmax>
Outcome accuracy_law(const Softmax& softmax, const std::vector<Real>& x, Real temperature = 1,
                     const SoftmaxArithmetic& arithmetic = arithmetic_of<Real>());

/// The same for a bound that was computed elsewhere.
template <class Real, SoftmaxOf<Real> Softmax>
Outcome accuracy_law(const Softmax& softmax, const std::vector<Real>& x, Real temperature,
                     const SoftmaxErrorBound& bound);

/// P1. Weights lie in [0, 1], and their sum is as near to 1 as the two steps after the exponential
/// allow: abs(Σŷ − 1) ≤ γ + nη with γ = a/(1 − 2a), a = (σ + D)u; with rescalings, whose sum is
/// not of the same exponentials, by the sum of the componentwise bounds.
template <class Real, SoftmaxOf<Real> Softmax>
Outcome probability_law(const Softmax& softmax, const std::vector<Real>& x, Real temperature = 1,
                        const SoftmaxArithmetic& arithmetic = arithmetic_of<Real>());

/// P2. A constant that is added to every logit changes weights by no more than the two
/// componentwise bounds and the part e^(2δ) − 1, where δ is the greatest rounding of a sum x + b: 0
/// if all of them are representable.
template <class Real, SoftmaxOf<Real> Softmax>
Outcome shift_law(const Softmax& softmax, const std::vector<Real>& x, Real shift,
                  const SoftmaxArithmetic& arithmetic = arithmetic_of<Real>());

/// P3. Logits in another order have their weights in that order, to twice the componentwise bound.
/// \param softmax    a callable `std::vector<Real>(x, temperature)`.
/// \param x          n logits.
/// \param order      a permutation of 0, …, n − 1.
/// \param arithmetic what computes the softmax.
template <class Real, SoftmaxOf<Real> Softmax>
Outcome permutation_law(const Softmax& softmax, const std::vector<Real>& x,
                        const std::vector<std::size_t>& order,
                        const SoftmaxArithmetic& arithmetic = arithmetic_of<Real>());

/// P4. A greater logit has no lesser weight, and equal logits have equal weights: without a
/// tolerance, since subtraction and division are monotone, and exp is if it is any good.
template <class Real, SoftmaxOf<Real> Softmax>
Outcome order_law(const Softmax& softmax, const std::vector<Real>& x, Real temperature = 1);

/// P5. Two lists of logits that differ by h at most have weights that differ by h/2 at most, and by
/// the factor e^(2h) at most, both up to the two componentwise bounds.
template <class Real, SoftmaxOf<Real> Softmax>
Outcome lipschitz_law(const Softmax& softmax, const std::vector<Real>& a,
                      const std::vector<Real>& b,
                      const SoftmaxArithmetic& arithmetic = arithmetic_of<Real>());

/// P6. At a higher temperature the greatest weight and Σy² are no greater and the entropy is no
/// less, up to what the two componentwise bounds allow.
/// \param softmax    a callable `std::vector<Real>(x, temperature)`.
/// \param x          n logits.
/// \param low        a temperature.
/// \param high       a temperature, at least `low`.
/// \param arithmetic what computes the softmax.
template <class Real, SoftmaxOf<Real> Softmax>
Outcome temperature_law(const Softmax& softmax, const std::vector<Real>& x, Real low, Real high,
                        const SoftmaxArithmetic& arithmetic = arithmetic_of<Real>());

/// P7. m/τ ≤ lse ≤ m/τ + ln n, to base e, and lse is the exact one within
/// log_sum_exp_error_bound(); vacuous unless that is below (1 + abs(m/τ) + ln S)/2.
/// \param log_sum_exp a callable `Real(x, temperature)`.
/// \param x           n logits.
/// \param temperature τ, greater than 0.
/// \param arithmetic  what computes it.
template <class Real, class LogSumExp>
Outcome log_sum_exp_law(const LogSumExp& log_sum_exp, const std::vector<Real>& x,
                        Real temperature = 1,
                        const SoftmaxArithmetic& arithmetic = arithmetic_of<Real>());

/// P7. The logarithm ln pⱼ of each weight is the exact one within log_softmax_error_bound();
/// vacuous unless that is below (1 + abs(ln pⱼ))/2 for each that is finite.
template <class Real, SoftmaxOf<Real> LogSoftmax>
Outcome log_softmax_law(const LogSoftmax& log_softmax, const std::vector<Real>& x,
                        Real temperature = 1,
                        const SoftmaxArithmetic& arithmetic = arithmetic_of<Real>());

/// P11. A softmax that is merged from parts is the softmax of the whole within the componentwise
/// bound for sums in any order and as many rescalings as it reports.
/// \param split      a callable `std::pair<std::vector<Real>, std::size_t>(x, cuts)`: the weights,
///                   and how often a weight was rescaled at most.
/// \param x          n logits.
/// \param cuts       where parts end, in increasing order, each at most n; parts may be empty.
/// \param arithmetic what computes the softmax.
template <class Real, class Split>
Outcome split_law(const Split& split, const std::vector<Real>& x,
                  const std::vector<std::size_t>& cuts,
                  SoftmaxArithmetic arithmetic = arithmetic_of<Real>());

// ------------------------------------------------------------------------------------------------

inline std::ostream& operator<<(std::ostream& out, const Outcome& outcome) {
  return out << "error " << outcome.error << " of a bound of " << outcome.bound
             << (outcome.vacuous ? " (vacuous)" : "") << ": " << outcome.where;
}

namespace detail {

template <class Real>
Eigen::Map<const Eigen::Matrix<Real, Eigen::Dynamic, 1>> as_vector(const std::vector<Real>& x) {
  return {x.data(), static_cast<Eigen::Index>(x.size())};
}

inline double to_double(const Wide& x) { return x.convert_to<double>(); }

/// Keeps the comparison that comes nearest to its bound, or is farthest beyond it.
class Nearest {
 public:
  /// \param error how far something is off.
  /// \param bound how far it may be.
  /// \param where a callable that says what was compared; called only if it is kept.
  template <class Where>
  void compare(double error, double bound, Where where) {
    const bool is_nan = !(error == error && bound == bound);
    const double ratio = is_nan       ? std::numeric_limits<double>::infinity()
                         : error == 0 ? 0
                                      : error / bound;
    if (!first_ && !(ratio > ratio_)) return;
    first_ = false;
    ratio_ = ratio;
    outcome_.error = error;
    outcome_.bound = bound;
    outcome_.where = where();
  }

  /// Notes that a bound says nothing.
  void vacuous() { outcome_.vacuous = true; }

  Outcome outcome() const { return outcome_; }

 private:
  bool first_ = true;
  double ratio_ = 0;
  Outcome outcome_;
};

/// A failure that is no matter of degree.
inline Outcome broken(std::string where) {
  Outcome outcome;
  outcome.error = std::numeric_limits<double>::infinity();
  outcome.where = std::move(where);
  return outcome;
}

template <class Real>
Outcome wrong_length(std::size_t given, std::size_t wanted) {
  return broken("there are " + std::to_string(given) + " results for " + std::to_string(wanted) +
                " logits");
}

/// A place in a list, with the exact and the computed number there.
template <class Real>
std::string place_text(std::size_t j, Real computed, const Wide& exact) {
  return "at " + std::to_string(j) + " there is " + exact_pair(static_cast<long double>(computed)) +
         " instead of " + exact.str(20);
}

/// The distance of computed weights from what they should be, beside a bound.
template <class Real, class Exact, class Bound>
Outcome compared(const std::vector<Real>& computed, std::size_t size, const Exact& exact,
                 const Bound& bound, bool vacuous) {
  if (computed.size() != size) return wrong_length<Real>(computed.size(), size);
  Nearest nearest;
  if (vacuous) nearest.vacuous();
  for (std::size_t j = 0; j < size; ++j) {
    const Wide wanted = exact(j);
    const bool same = Wide(computed[j]) == wanted;  // also −∞ and −∞
    const double error = same ? 0 : to_double(abs(Wide(computed[j]) - wanted));
    nearest.compare(error, bound(j), [&] { return place_text(j, computed[j], wanted); });
  }
  return nearest.outcome();
}

/// Whether the bound of a logarithm says nothing: not below half of 1 and the logarithm's size.
inline bool is_vacuous(double bound, const Wide& size) { return !(2 * Wide(bound) < 1 + size); }

}  // namespace detail

template <class Real>
ExactSoftmax<Real>::ExactSoftmax(const std::vector<Real>& x, Real temperature) : place_(x.size()) {
  std::vector<Real> different = x;
  std::sort(different.begin(), different.end());
  different.erase(std::unique(different.begin(), different.end()), different.end());
  std::vector<std::size_t> counts(different.size());
  for (std::size_t j = 0; j < x.size(); ++j) {
    const auto found = std::lower_bound(different.begin(), different.end(), x[j]);
    place_[j] = static_cast<std::size_t>(found - different.begin());
    ++counts[place_[j]];
  }
  const Wide maximum = Wide(different.back());
  Wide sum = 0;
  for (std::size_t k = 0; k < different.size(); ++k) {
    logarithms_.push_back((Wide(different[k]) - maximum) / Wide(temperature));
    weights_.push_back(exp(logarithms_.back()));
    sum += counts[k] * weights_.back();
  }
  const Wide log_sum = log(sum);
  for (Wide& weight : weights_) weight /= sum;
  for (Wide& logarithm : logarithms_) logarithm -= log_sum;
  log_sum_exp_ = maximum / Wide(temperature) + log_sum;
}

template <class Real, SoftmaxOf<Real> Softmax>
Outcome accuracy_law(const Softmax& softmax, const std::vector<Real>& x, Real temperature,
                     const SoftmaxArithmetic& arithmetic) {
  return accuracy_law(softmax, x, temperature,
                      softmax_error_bound(detail::as_vector(x), temperature, arithmetic));
}

template <class Real, SoftmaxOf<Real> Softmax>
Outcome accuracy_law(const Softmax& softmax, const std::vector<Real>& x, Real temperature,
                     const SoftmaxErrorBound& bound) {
  const ExactSoftmax<Real> exact(x, temperature);
  const std::vector<Real> computed = softmax(x, temperature);
  if (computed.size() != x.size()) return detail::wrong_length<Real>(computed.size(), x.size());
  detail::Nearest nearest;
  if (bound.vacuous()) nearest.vacuous();
  // In a long list, equal logits with equal weights need be compared once only.
  std::vector<Real> seen(x.size(), Real(-1));
  for (std::size_t j = 0; j < x.size(); ++j) {
    Real& before = seen[exact.place(j)];
    if (before == computed[j]) continue;
    before = computed[j];
    const Wide& wanted = exact[j];
    nearest.compare(detail::to_double(abs(Wide(computed[j]) - wanted)),
                    bound(static_cast<Eigen::Index>(j), detail::to_double(wanted)),
                    [&] { return detail::place_text(j, computed[j], wanted); });
  }
  return nearest.outcome();
}

template <class Real, SoftmaxOf<Real> Softmax>
Outcome probability_law(const Softmax& softmax, const std::vector<Real>& x, Real temperature,
                        const SoftmaxArithmetic& arithmetic) {
  const std::vector<Real> computed = softmax(x, temperature);
  if (computed.size() != x.size()) return detail::wrong_length<Real>(computed.size(), x.size());
  Wide sum = 0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    if (!(computed[j] >= 0 && computed[j] <= 1))
      return detail::broken("the weight at " + std::to_string(j) + " is " +
                            exact_pair(static_cast<long double>(computed[j])));
    sum += Wide(computed[j]);
  }
  const double n = static_cast<double>(x.size());
  double bound = 0;
  if (arithmetic.rescalings == 0) {
    const double depth = static_cast<double>(summation_depth(arithmetic.summation, x.size()));
    const double a = (depth + arithmetic.quotient_roundings) * arithmetic.unit_roundoff;
    bound = a < 0.5 ? a / (1 - 2 * a) : std::numeric_limits<double>::infinity();
    bound = (1 + bound_margin) * (bound + arithmetic.storage_roundoff * (1 + bound) +
                                  n * (arithmetic.smallest + arithmetic.storage_smallest));
  } else {
    const auto each = softmax_error_bound(detail::as_vector(x), temperature, arithmetic);
    bound = each.relative.maxCoeff() + n * each.absolute;
  }
  detail::Nearest nearest;
  if (!(bound < 1)) nearest.vacuous();
  nearest.compare(detail::to_double(abs(sum - 1)), bound,
                  [&] { return "the weights sum to " + sum.str(20); });
  return nearest.outcome();
}

template <class Real, SoftmaxOf<Real> Softmax>
Outcome shift_law(const Softmax& softmax, const std::vector<Real>& x, Real shift,
                  const SoftmaxArithmetic& arithmetic) {
  std::vector<Real> shifted = x;
  double delta = 0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    shifted[j] = static_cast<Real>(x[j] + shift);
    const Wide rounding = abs(Wide(shifted[j]) - (Wide(x[j]) + Wide(shift)));
    delta = std::max(delta, detail::to_double(rounding));
  }
  const ExactSoftmax<Real> exact(x);
  const auto bound = softmax_error_bound(detail::as_vector(x), Real(1), arithmetic);
  const auto bound_of_shifted =
      softmax_error_bound(detail::as_vector(shifted), Real(1), arithmetic);
  const std::vector<Real> before = softmax(x, Real(1));
  const std::vector<Real> after = softmax(shifted, Real(1));
  if (before.size() != x.size()) return detail::wrong_length<Real>(before.size(), x.size());
  const double factor = std::expm1(2 * delta);
  return detail::compared(
      after, x.size(), [&](std::size_t j) { return Wide(before[j]); },
      [&](std::size_t j) {
        const auto i = static_cast<Eigen::Index>(j);
        const double y = detail::to_double(exact[j]);
        const double change = std::min(1.0, factor * y);
        return (1 + bound_margin) *
               (bound(i, y) + bound_of_shifted(i, std::min(1.0, y + change)) + change);
      },
      bound.vacuous() || bound_of_shifted.vacuous());
}

template <class Real, SoftmaxOf<Real> Softmax>
Outcome permutation_law(const Softmax& softmax, const std::vector<Real>& x,
                        const std::vector<std::size_t>& order,
                        const SoftmaxArithmetic& arithmetic) {
  std::vector<Real> permuted;
  for (const std::size_t j : order) permuted.push_back(x[j]);
  const ExactSoftmax<Real> exact(permuted);
  const auto bound = softmax_error_bound(detail::as_vector(permuted), Real(1), arithmetic);
  const std::vector<Real> plain = softmax(x, Real(1));
  if (plain.size() != x.size()) return detail::wrong_length<Real>(plain.size(), x.size());
  return detail::compared(
      std::vector<Real>(softmax(permuted, Real(1))), x.size(),
      [&](std::size_t j) { return Wide(plain[order[j]]); },
      [&](std::size_t j) {
        return 2 * bound(static_cast<Eigen::Index>(j), detail::to_double(exact[j]));
      },
      bound.vacuous());
}

template <class Real, SoftmaxOf<Real> Softmax>
Outcome order_law(const Softmax& softmax, const std::vector<Real>& x, Real temperature) {
  const std::vector<Real> y = softmax(x, temperature);
  if (y.size() != x.size()) return detail::wrong_length<Real>(y.size(), x.size());
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto i, auto j) { return x[i] < x[j]; });
  detail::Nearest nearest;
  for (std::size_t k = 1; k < order.size(); ++k) {
    const std::size_t i = order[k - 1];
    const std::size_t j = order[k];
    const bool kept = x[i] == x[j] ? y[i] == y[j] : y[i] <= y[j];
    if (!kept)
      return detail::broken("the logits at " + std::to_string(i) + " and " + std::to_string(j) +
                            " have the weights " + exact_pair(static_cast<long double>(y[i])) +
                            " and " + exact_pair(static_cast<long double>(y[j])));
  }
  return nearest.outcome();
}

template <class Real, SoftmaxOf<Real> Softmax>
Outcome lipschitz_law(const Softmax& softmax, const std::vector<Real>& a,
                      const std::vector<Real>& b, const SoftmaxArithmetic& arithmetic) {
  Wide distance = 0;
  for (std::size_t j = 0; j < a.size(); ++j)
    distance = std::max(distance, Wide(abs(Wide(a[j]) - Wide(b[j]))));
  const double h = detail::to_double(distance);
  const ExactSoftmax<Real> exact_a(a);
  const ExactSoftmax<Real> exact_b(b);
  const auto bound_a = softmax_error_bound(detail::as_vector(a), Real(1), arithmetic);
  const auto bound_b = softmax_error_bound(detail::as_vector(b), Real(1), arithmetic);
  const std::vector<Real> of_a = softmax(a, Real(1));
  if (of_a.size() != a.size()) return detail::wrong_length<Real>(of_a.size(), a.size());
  return detail::compared(
      std::vector<Real>(softmax(b, Real(1))), a.size(),
      [&](std::size_t j) { return Wide(of_a[j]); },
      [&](std::size_t j) {
        const auto i = static_cast<Eigen::Index>(j);
        const double ya = detail::to_double(exact_a[j]);
        const double yb = detail::to_double(exact_b[j]);
        // In the wide type, since a weight too small for a double may grow to one that is not.
        const Wide smaller = std::min(Wide(exact_a[j]), Wide(exact_b[j]));
        const double grown = detail::to_double(Wide(smaller * expm1(Wide(2 * distance))));
        const double moved =
            std::min(h / 2, std::nextafter(grown, std::numeric_limits<double>::infinity()));
        return (1 + bound_margin) * (bound_a(i, ya) + bound_b(i, yb) + moved);
      },
      bound_a.vacuous() || bound_b.vacuous());
}

template <class Real, SoftmaxOf<Real> Softmax>
Outcome temperature_law(const Softmax& softmax, const std::vector<Real>& x, Real low, Real high,
                        const SoftmaxArithmetic& arithmetic) {
  struct Spread {
    Wide greatest = 0;  // max y
    Wide squares = 0;   // Σy²
    Wide entropy = 0;   // −Σy ln y
    double error = 0;   // max of the bounds of y
    double squares_error = 0;
    double entropy_error = 0;
  };
  bool vacuous = false;
  const auto spread_at = [&](Real temperature) {
    Spread spread;
    const ExactSoftmax<Real> exact(x, temperature);
    const auto bound = softmax_error_bound(detail::as_vector(x), temperature, arithmetic);
    vacuous = vacuous || bound.vacuous();
    const std::vector<Real> y = softmax(x, temperature);
    for (std::size_t j = 0; j < y.size(); ++j) {
      const Wide weight = Wide(y[j]);
      spread.greatest = std::max(spread.greatest, weight);
      spread.squares += weight * weight;
      if (weight > 0) spread.entropy -= weight * log(weight);
      const double exact_y = detail::to_double(exact[j]);
      const double e = bound(static_cast<Eigen::Index>(j), exact_y);
      spread.error = std::max(spread.error, e);
      // abs(a² − b²) ≤ e(2b + e), and abs(a ln a − b ln b) ≤ e(1 + ln(1/e)) for a, b in [0, 1].
      spread.squares_error += e * (2 * exact_y + e);
      spread.entropy_error += e > 0 ? e * (1 - std::log(std::min(e, 1.0))) : 0;
    }
    return spread;
  };
  const Spread cold = spread_at(low);
  const Spread warm = spread_at(high);
  detail::Nearest nearest;
  if (vacuous) nearest.vacuous();
  const auto must_not_exceed = [&](const Wide& less, const Wide& more, double bound,
                                   const char* what) {
    const double excess = std::max(0.0, detail::to_double(less - more));
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

template <class Real, class LogSumExp>
Outcome log_sum_exp_law(const LogSumExp& log_sum_exp, const std::vector<Real>& x, Real temperature,
                        const SoftmaxArithmetic& arithmetic) {
  const ExactSoftmax<Real> exact(x, temperature);
  const double bound = log_sum_exp_error_bound(detail::as_vector(x), temperature, arithmetic);
  const Wide computed = Wide(log_sum_exp(x, temperature));
  const Wide least = Wide(*std::max_element(x.begin(), x.end())) / Wide(temperature);
  const Wide most = least + log(Wide(x.size()));
  const Wide size = abs(least) + (exact.log_sum_exp() - least);
  detail::Nearest nearest;
  if (detail::is_vacuous(bound, size)) nearest.vacuous();
  const auto beyond = [&](const Wide& excess, const std::string& where) {
    const double error = excess < 0 ? 0 : detail::to_double(excess);
    nearest.compare(error, bound, [&] { return where + ": it is " + computed.str(20); });
  };
  beyond(least - computed, "log-sum-exp and the maximum " + least.str(20));
  beyond(computed - most, "log-sum-exp and the maximum with ln n, " + most.str(20));
  beyond(abs(computed - exact.log_sum_exp()), "log-sum-exp " + exact.log_sum_exp().str(20));
  return nearest.outcome();
}

template <class Real, SoftmaxOf<Real> LogSoftmax>
Outcome log_softmax_law(const LogSoftmax& log_softmax, const std::vector<Real>& x, Real temperature,
                        const SoftmaxArithmetic& arithmetic) {
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

template <class Real, class Split>
Outcome split_law(const Split& split, const std::vector<Real>& x,
                  const std::vector<std::size_t>& cuts, SoftmaxArithmetic arithmetic) {
  const std::pair<std::vector<Real>, std::size_t> merged = split(x, cuts);
  arithmetic.summation = Summation::any_order;
  arithmetic.rescalings = merged.second;
  return accuracy_law<Real>([&](const std::vector<Real>&, Real) { return merged.first; }, x,
                            Real(1), arithmetic);
}

}  // namespace sqrtdk::testing
