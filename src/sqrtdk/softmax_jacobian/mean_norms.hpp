// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref softmax_jacobian : mean norms of softmax's derivative at random scores.
#pragma once

#include <sqrtdk/numbers/columns.hpp>
#include <sqrtdk/numbers/interval.hpp>
#include <sqrtdk/numbers/require.hpp>

#include <Eigen/Core>
#include <boost/math/constants/constants.hpp>
#include <boost/math/special_functions/erf.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace sqrtdk {

/// \name Two keys
/// For n = 2 all norms of the gradient ∂softmax(s/τ)/∂s are one number, ½ sech²(Δ/2τ)/τ, where Δ is
/// the gap between the scores. For independent scores N(0, v) the gap is N(0, 2v).
/// \{

/// ½ sech²(Δ/2τ)/τ, computed as 2e^(−x)/(1 + e^(−x))²/τ with x = abs(Δ)/τ.
/// \param gap         Δ, any number.
/// \param temperature τ, greater than 0.
/// \throws std::domain_error if τ is not greater than 0.
/// \implements{VanishingGradient}
template <class Real>
Real two_key_gradient_norm(const Real& gap, const Real& temperature);

/// E ½ sech²(Δ/2τ)/τ for Δ ~ N(0, 2v), by the trapezoidal rule; the relative error is at most
/// two_key_error_bound().
/// \param variance    v, the variance of a score, greater than 0.
/// \param temperature τ, greater than 0.
/// \throws std::domain_error if an argument is not greater than 0.
/// \implements{GradientInTheMean}
template <class Real>
Real two_key_mean_norm(const Real& variance, const Real& temperature);

/// Bounds the relative error of two_key_mean_norm(): (ℓ²/9 + 64)ε with ℓ = 8 + ln(1/ε), for the
/// ℓ²/π² additions of its sum and the functions in each term.
/// \implements{MeanGradientIntegrals}
template <class Real>
Real two_key_error_bound();

/// ½ sech²(m/2τ)/τ with m = √(2v) Φ⁻¹(¾), the median of abs(Δ): the median of the norm.
/// \param variance    v, the variance of a score, greater than 0.
/// \param temperature τ, greater than 0.
/// \throws std::domain_error if an argument is not greater than 0.
/// \implements{VanishingGradient}
template <class Real>
Real two_key_median_norm(const Real& variance, const Real& temperature);

/// (1 − π²τ²/12v)/√(πv) ≤ E norm ≤ 1/√(πv): bounds on two_key_mean_norm() for every v and τ.
/// \param variance    v, the variance of a score, greater than 0.
/// \param temperature τ, greater than 0.
/// \throws std::domain_error if an argument is not greater than 0.
/// \implements{GradientInTheMean}
template <class Real>
Interval<Real> two_key_mean_bounds(const Real& variance, const Real& temperature);
/// \}

/// \name Many keys
/// Scores s = β·Z with Z₁, …, Zₙ independent N(0, 1). Their standard deviation β is √d for unscaled
/// scores, 1 for scaled ones, and √d/τ in general. The integrals are taken by the trapezoidal rule;
/// each is off by at most integral_error_bound.
/// \{

/// The error bound of each integral over many keys: discretization, tails, rounding.
/// \implements{MeanGradientIntegrals}
inline constexpr double integral_error_bound = 0x1p-32;

/// The most keys for which that bound is derived.
inline constexpr std::size_t most_integrable_keys = 4096;

namespace detail {

/// Refuses numbers of keys outside 2 to most_integrable_keys, by a std::domain_error.
void require_integrable_keys(std::size_t count);

/// Refuses β outside ½ to 64, by a std::domain_error.
void require_integrable_stddev(double score_stddev);

}  // namespace detail

/// Means over the weights p = softmax(βZ).
struct KeyIntegrals {
  double squares = 0;         ///< E Σpᵢ², the mean sum of squared weights: from 1/n to 1
  double cubes = 0;           ///< E Σpᵢ³, the mean sum of cubed weights
  double squared_square = 0;  ///< E(Σpᵢ²)², the mean square of the sum of squared weights
  double attended = 0;        ///< E ΣZᵢpᵢ, the mean attended score, over β
};

/// All of these means at once, as integrals over v = ln t on a grid of step 1/8. score_means() has
/// E Σpᵢ² by another route on purpose, from 1 − ψ₀; checks compare the two.
/// \param count        n, from 2 to most_integrable_keys.
/// \param score_stddev β, from ½ to 64.
/// \throws std::domain_error if an argument is out of range.
/// \relatesalso KeyIntegrals
KeyIntegrals key_integrals(std::size_t count, double score_stddev);

/// E max(Z₁, …, Zₙ) = n(n − 1) ∫ φ²Φ^(n−2).
/// \param count n, from 2 to most_integrable_keys.
/// \throws std::domain_error if n is out of range.
/// \implements{GradientInTheMean}
double expected_maximum(std::size_t count);

/// E tr J(p) = 1 − E Σpᵢ² for p = softmax(βZ), from E Σp² = n ∫ ψ₂ψ₀^(n−1) dv, where
/// ψ_k(v) = E exp(ky − e^y) and y = v + βZ.
/// \param count        n, from 2 to most_integrable_keys.
/// \param score_stddev β, from ½ to 64.
/// \throws std::domain_error if an argument is out of range.
/// \implements{GradientInTheMean}
double mean_jacobian_trace(std::size_t count, double score_stddev);

/// E‖J‖_F² = E Σp² − 2E Σp³ + E(Σp²)² for p = softmax(βZ), the mean square of the Frobenius norm,
/// from n∫ψ₂ψ₀^(n−1), ½n∫ψ₃ψ₀^(n−1), ⅙n∫ψ₄ψ₀^(n−1) and ⅙n(n − 1)∫ψ₂²ψ₀^(n−2).
/// \param count        n, from 2 to most_integrable_keys.
/// \param score_stddev β, from ½ to 64.
/// \throws std::domain_error if an argument is out of range.
/// \implements{WhichNorm}
double mean_jacobian_squared_norm(std::size_t count, double score_stddev);

/// E ΣZᵢpᵢ for p = softmax(βZ), the mean score that is attended to: n ∫ E[Z exp(y − e^y)] ψ₀^(n−1)
/// dv, a route that shares only ψ₀ with mean_jacobian_trace().
/// \param count        n, from 2 to most_integrable_keys.
/// \param score_stddev β, from ½ to 64.
/// \throws std::domain_error if an argument is out of range.
/// \implements{GradientInTheMean}
double mean_attended_score(std::size_t count, double score_stddev);

/// E M/β − ln n/β² ≤ E tr J ≤ the smaller of 1 − 1/n and E M/β, where M is the maximum of the Zᵢ.
/// \param count        n, from 2 to most_integrable_keys.
/// \param score_stddev β, greater than 0.
/// \return never NaN; the lower one is −∞ where β is so small that a double cannot hold it.
/// \throws std::domain_error if an argument is out of range.
/// \implements{GradientInTheMean}
Interval<double> mean_trace_bounds(std::size_t count, double score_stddev);

/// −ln n − min(β²/2, β E M) ≤ E ln pⱼ ≤ −max(ln n, β E M): the logarithm of a typical weight.
/// \param count        n, from 2 to most_integrable_keys.
/// \param score_stddev β, greater than 0.
/// \throws std::domain_error if an argument is out of range.
/// \implements{TypicalKeyGetsNoGradient}
Interval<double> mean_log_weight_bounds(std::size_t count, double score_stddev);
/// \}

// Implementation

namespace detail {

/// ℓ = 8 + ln(1/ε): e^(−ℓ) is what the trapezoidal rules may lose.
template <class Real>
Real digits_kept() {
  using std::log;
  return 8 - log(std::numeric_limits<Real>::epsilon());
}

/// e^x by the C library's function, whose error is known; Eigen's own is off by more than a unit.
inline Eigen::ArrayXd exponentials(const Eigen::ArrayXd& x) {
  return x.unaryExpr([](double entry) { return std::exp(entry); });
}

inline void require_integrable_keys(std::size_t count) {
  require_in("the number of keys", count, 2U, most_integrable_keys);
}

inline void require_integrable_stddev(double score_stddev) {
  require_in("the standard deviation of a score", score_stddev, 0.5, 64);
}

}  // namespace detail

//! [MeanGradientIntegrals]
/// key_integrals() by other exponentials.
/// \param count        n.
/// \param score_stddev β.
/// \param exponentials a callable: the exponentials of an array.
template <class Exponentials>
KeyIntegrals key_integrals(std::size_t count, double score_stddev,
                           const Exponentials& exponentials) {
  detail::require_integrable_keys(count);
  detail::require_integrable_stddev(score_stddev);
  constexpr double h = 0.125;
  const auto reach = static_cast<Eigen::Index>(std::ceil(9 * score_stddev / h));  // ±9 deviations
  const Eigen::Index first = -reach - static_cast<Eigen::Index>(40 / h);
  const Eigen::Index last = reach + static_cast<Eigen::Index>(5 / h);

  const Eigen::ArrayXd z =
      Eigen::ArrayXd::LinSpaced(2 * reach + 1, -double(reach), double(reach)) * (h / score_stddev);
  const Eigen::ArrayXd density =
      exponentials(-0.5 * z.square()) *
      (h / score_stddev / std::sqrt(boost::math::constants::two_pi<double>()));

  const Eigen::Index low = first - reach;
  const Eigen::ArrayXd y =
      Eigen::ArrayXd::LinSpaced(last + reach - low + 1, double(low), double(last + reach)) * h;
  const Eigen::ArrayXd weight = exponentials(y.min(700));
  // Numbers below e^(−100) cannot be seen beside the largest, 1.
  const Eigen::ArrayXd psi0 = (weight > 100).select(0, exponentials(-weight));

  const double n = static_cast<double>(count);
  const Eigen::Index places = last - first + 1;
  Eigen::ArrayXd second(places), third(places), fourth(places), z_terms(places);
  Eigen::ArrayXd terms(z.size()), weighted(z.size());
  for (Eigen::Index v = 0; v < places; ++v) {
    const Eigen::Index at = first + v - reach - low;
    const auto e = weight.segment(at, z.size());
    terms = density * psi0.segment(at, z.size());
    const double none = pairwise_sum(terms);
    const double others = std::pow(none, n - 1);
    terms *= e;
    weighted = terms * z;
    z_terms[v] = pairwise_sum(weighted) * others;
    terms *= e;
    const double twice = pairwise_sum(terms);
    second[v] = twice * others;
    terms *= e;
    third[v] = pairwise_sum(terms) * others / 2;
    terms *= e;
    fourth[v] =
        (pairwise_sum(terms) * others + (n - 1) * twice * twice * std::pow(none, n - 2)) / 6;
  }

  return {n * h * pairwise_sum(second), n * h * pairwise_sum(third), n * h * pairwise_sum(fourth),
          n * h * pairwise_sum(z_terms)};
}
//! [MeanGradientIntegrals]

inline KeyIntegrals key_integrals(std::size_t count, double score_stddev) {
  return key_integrals(count, score_stddev, detail::exponentials);
}

//! [VanishingGradient]
template <class Real>
Real two_key_gradient_norm(const Real& gap, const Real& temperature) {
  using std::abs;
  using std::exp;
  detail::require_positive("the temperature", temperature);
  const Real ratio = exp(-abs(gap) / temperature);
  return 2 * ratio / ((1 + ratio) * (1 + ratio)) / temperature;
}

template <class Real>
Real two_key_median_norm(const Real& variance, const Real& temperature) {
  using std::sqrt;
  detail::require_positive("the variance", variance);
  // Φ⁻¹(¾) = √2 erf⁻¹(½)
  const Real median_gap = 2 * sqrt(variance) * boost::math::erf_inv(Real(1) / 2);
  return two_key_gradient_norm(median_gap, temperature);
}
//! [VanishingGradient]

//! [GradientInTheMean]
template <class Real>
Real two_key_mean_norm(const Real& variance, const Real& temperature) {
  using std::exp;
  using std::min;
  using std::sqrt;
  detail::require_positive("the variance", variance);
  detail::require_positive("the temperature", temperature);
  // (1/τσ) ∫ ½ sech²(u/2) φ(u/σ) du with σ = √(2v)/τ; analytic for abs(Im u) < π
  const Real sigma = sqrt(2 * variance) / temperature;
  const Real digits = detail::digits_kept<Real>();
  const Real strip = min<Real>(boost::math::constants::half_pi<Real>(), 2 * sigma);
  const Real step = boost::math::constants::two_pi<Real>() * strip / digits;
  const Real reach = min<Real>(digits, sigma * sqrt(2 * digits));
  Real sum = Real(1) / 4;  // half of the term at 0
  for (Real u = step; u < reach; u += step) {
    const Real z = u / sigma;
    sum += two_key_gradient_norm<Real>(u, 1) * exp(-z * z / 2);
  }
  return 2 * step * sum / (temperature * sigma * boost::math::constants::root_two_pi<Real>());
}

template <class Real>
Interval<Real> two_key_mean_bounds(const Real& variance, const Real& temperature) {
  using std::sqrt;
  detail::require_positive("the variance", variance);
  detail::require_positive("the temperature", temperature);
  const Real pi = boost::math::constants::pi<Real>();
  const Real upper = 1 / sqrt(pi * variance);
  return {(1 - pi * pi * temperature * temperature / (12 * variance)) * upper, upper};
}

inline double mean_jacobian_trace(std::size_t count, double score_stddev) {
  return 1 - key_integrals(count, score_stddev).squares;
}

inline double mean_attended_score(std::size_t count, double score_stddev) {
  return key_integrals(count, score_stddev).attended;
}

inline Interval<double> mean_trace_bounds(std::size_t count, double score_stddev) {
  detail::require_positive("the standard deviation of a score", score_stddev);
  const double n = static_cast<double>(count);
  const double maximum = expected_maximum(count);
  // (E M − ln n/β)/β: β² may be 0, and two infinite terms have no difference.
  return {(maximum - std::log(n) / score_stddev) / score_stddev,
          std::min(1 - 1 / n, maximum / score_stddev)};
}
//! [GradientInTheMean]

//! [WhichNorm]
inline double mean_jacobian_squared_norm(std::size_t count, double score_stddev) {
  const KeyIntegrals mean = key_integrals(count, score_stddev);
  return mean.squares - 2 * mean.cubes + mean.squared_square;
}
//! [WhichNorm]

//! [TypicalKeyGetsNoGradient]
inline Interval<double> mean_log_weight_bounds(std::size_t count, double score_stddev) {
  detail::require_positive("the standard deviation of a score", score_stddev);
  const double log_count = std::log(static_cast<double>(count));
  const double maximum = score_stddev * expected_maximum(count);
  return {-log_count - std::min(score_stddev * score_stddev / 2, maximum),
          -std::max(log_count, maximum)};
}
//! [TypicalKeyGetsNoGradient]

template <class Real>
Real two_key_error_bound() {
  const Real digits = detail::digits_kept<Real>();
  return (digits * digits / 9 + 64) * std::numeric_limits<Real>::epsilon();
}

inline double expected_maximum(std::size_t count) {
  detail::require_integrable_keys(count);
  constexpr Eigen::Index reach = 9 * 1024;
  Eigen::ArrayXd terms(2 * reach + 1);
  const double n = static_cast<double>(count);
  for (Eigen::Index i = -reach; i <= reach; ++i) {
    const double x = static_cast<double>(i) / 1024;
    const double below = std::erfc(-x / boost::math::constants::root_two<double>()) / 2;
    terms[i + reach] = std::exp(-x * x) * std::pow(below, n - 2);
  }
  return n * (n - 1) / boost::math::constants::two_pi<double>() * pairwise_sum(terms) / 1024;
}

}  // namespace sqrtdk
