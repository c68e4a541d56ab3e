// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref saturation : how much weight random scores give to few, on average.
#pragma once

#include <sqrtdk/numbers/columns.hpp>
#include <sqrtdk/numbers/interval.hpp>
#include <sqrtdk/numbers/require.hpp>
#include <sqrtdk/softmax_jacobian/mean_norms.hpp>

#include <Eigen/Core>
#include <boost/math/constants/constants.hpp>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/special_functions/gamma.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace sqrtdk {

/// \name Means over random scores
/// For p = softmax(βZ), by one-dimensional integrals. The number of keys is a double, for there may
/// be as many as most_condensing_keys.
/// \{

/// The error bound of mean_squared_weights(), mean_log_sum(), mean_log_match() and
/// mean_entropy()/(1 + β²): discretization, tails, rounding.
inline constexpr double mean_error_bound = 0x1p-36;

/// The most keys for which that bound is derived.
inline constexpr double most_condensing_keys = 1e30;

/// The two means that all others are made of.
struct ScoreMeans {
  double squares = 0;  ///< E Σpᵢ², without the match
  double log_sum = 0;  ///< E ln(e^h + Σe^(βZᵢ)) with a match of score h, or without that term
};

/// Both as integrals over v = ln t, on a grid of step 1/8 in v and in βz.
/// \param count        n, from 1 to most_condensing_keys.
/// \param score_stddev β, from ½ to 64.
/// \param match        h; −∞ if there is none.
/// \throws std::domain_error if n or β is out of range.
/// \relatesalso ScoreMeans
ScoreMeans score_means(double count, double score_stddev,
                       double match = -std::numeric_limits<double>::infinity());

/// E Σpᵢ² = n ∫ ψ₂ψ₀^(n−1) dv with ψ_k(v) = E exp(ky − e^y), y = v + βZ.
/// \param count        n, from 1 to most_condensing_keys.
/// \param score_stddev β, from ½ to 64.
/// \throws std::domain_error if an argument is out of range.
/// \implements{UnscaledSaturates}
double mean_squared_weights(double count, double score_stddev);

/// E ln Σe^(βZᵢ) = ∫ (exp(−e^v) − ψ₀(v)ⁿ) dv, the free energy.
/// \param count        n, from 1 to most_condensing_keys.
/// \param score_stddev β, from ½ to 64.
/// \throws std::domain_error if an argument is out of range.
/// \implements{CondensationThreshold}
double mean_log_sum(double count, double score_stddev);

/// E H = E ln Σe^(βZᵢ) − β²(1 − E Σpᵢ²), the mean entropy of the weights.
/// \param count        n, from 1 to most_condensing_keys.
/// \param score_stddev β, from ½ to 64.
/// \throws std::domain_error if an argument is out of range.
/// \implements{UnscaledSaturates}
double mean_entropy(double count, double score_stddev);

/// E Σpᵢ² for the scores of one query in dimension d, divided by τ: the mean of
/// mean_squared_weights() at the standard deviation R/τ, R² ~ χ²_d, enclosed by sums over cells of
/// R that rise with the integrand.
/// \param count       n, from 1 to most_condensing_keys.
/// \param dimension   d, from 8 to 1024.
/// \param temperature τ, from 1 to √d.
/// \param cells       how many cells, at least 1; ten times as many are ten times as tight.
/// \return both sums, moved outwards by mean_error_bound, within [0, 1].
/// \throws std::domain_error if an argument is out of range.
/// \implements{UnscaledSaturates}
Interval<double> shared_query_squared_weights(double count, double dimension, double temperature,
                                              int cells = 64);

/// E max pᵢ = n ∬ φ(z) e^(y − e^y) χ(z, v)^(n−1) dz dv with y = v + βz and
/// χ(z, v) = ∫_{w<z} φ(w) exp(−e^(v + βw)) dw: the mean weight of the key with the largest score.
/// \param count        n, from 2 to most_integrable_keys.
/// \param score_stddev β, from ½ to 64.
/// \throws std::domain_error if an argument is out of range.
/// \maxerror{integral_error_bound}
/// \implements{UnscaledSaturates}
double mean_largest_weight(std::size_t count, double score_stddev);

/// Bounds of E Σpᵢ² for few keys and a large standard deviation:
/// 1 − E M/β ≤ E Σpᵢ² ≤ 1 − E M/β + ln n/β², M the maximum of the Zᵢ.
/// \param count        n, from 2 to most_integrable_keys.
/// \param score_stddev β, greater than 0.
/// \throws std::domain_error if an argument is out of range.
/// \implements{UnscaledSaturates}
Interval<double> squared_weights_bounds(std::size_t count, double score_stddev);

/// \}

// Implementation

namespace detail {

struct NormalGrid {
  Eigen::ArrayXd density;  ///< φ(z) times the step of z
  Eigen::ArrayXd beyond;   ///< one place more: the sum of the densities from here to the end
};

inline NormalGrid normal_grid(Eigen::Index below, Eigen::Index above, double step) {
  const Eigen::Index size = below + above + 1;

  const Eigen::ArrayXd z = Eigen::ArrayXd::LinSpaced(size, -double(below), double(above)) * step;
  NormalGrid grid{
      exponentials(-0.5 * z.square()) * (step / boost::math::constants::root_two_pi<double>()),
      Eigen::ArrayXd::Zero(size + 1)};

  // Accumulate its tail sums, with what rounding took from the sum so far (Kahan).
  double lost = 0;
  for (Eigen::Index i = size; i-- > 0;) {
    const double term = grid.density[i] - lost;
    grid.beyond[i] = grid.beyond[i + 1] + term;
    lost = (grid.beyond[i] - grid.beyond[i + 1]) - term;
  }
  return grid;
}

/// The factors of φ at y = low·h, …, high·h; beyond that they are 0 or 1 to all digits.
struct Kernels {
  Eigen::ArrayXd hit;     ///< 1 − exp(−e^y), whose mean is 1 − ψ₀
  Eigen::ArrayXd square;  ///< exp(2y − e^y), whose mean is ψ₂
};

inline Kernels kernels(Eigen::Index low, Eigen::Index high, double h) {
  const Eigen::ArrayXd e =
      exponentials(Eigen::ArrayXd::LinSpaced(high - low + 1, double(low), double(high)) * h);
  return {e.unaryExpr([](double x) { return -std::expm1(-x); }), e.square() * exponentials(-e)};
}

}  // namespace detail

inline ScoreMeans score_means(double count, double score_stddev, double match) {
  detail::require_in("the number of keys", count, 1, most_condensing_keys);
  detail::require_integrable_stddev(score_stddev);
  constexpr double h = 0.125;
  const auto steps = [](double length) { return static_cast<Eigen::Index>(std::ceil(length / h)); };

  // Scores from 9 deviations below 0 to 9 above the largest of n; t from where Σe^(βZ) cannot be
  // seen to where nothing else can; y where the kernels change.
  const double log_count = std::log(count);
  const double highest = 9 + std::sqrt(2 * log_count);
  const Eigen::Index below = steps(9 * score_stddev), above = steps(highest * score_stddev);
  const double reach = std::max(highest * score_stddev + log_count, match);
  const Eigen::Index first = -steps(40 + reach);
  const Eigen::Index last = steps(5) + (count < 64 ? below : 0);
  const Eigen::Index low = -steps(40 + log_count), high = steps(6);
  const detail::NormalGrid grid = detail::normal_grid(below, above, h / score_stddev);
  const detail::Kernels kernels = detail::kernels(low, high, h);

  const Eigen::Index size = grid.density.size();
  Eigen::ArrayXd square_terms(last - first + 1);
  Eigen::ArrayXd log_terms(last - first + 1);
  Eigen::ArrayXd terms(high - low + 1);
  for (Eigen::Index v = first; v <= last; ++v) {
    // Scores βz with y = v + βz from low to high; `begin` is the first one's place without ends.
    const Eigen::Index begin = low - v + below;
    const Eigen::Index from = std::clamp<Eigen::Index>(begin, 0, size);
    const Eigen::Index to = std::clamp<Eigen::Index>(high - v + below + 1, from, size);
    const Eigen::Index seen = to - from;
    const Eigen::Index at = seen > 0 ? from - begin : 0;
    const auto mean_of = [&](const Eigen::ArrayXd& kernel) {
      terms.head(seen) = grid.density.segment(from, seen) * kernel.segment(at, seen);
      return pairwise_sum(std::span<const double>(terms.data(), static_cast<std::size_t>(seen)));
    };
    const double hit = grid.beyond[to] + mean_of(kernels.hit);
    const double log_none = std::log1p(-std::min(hit, 1.0));  // ln ψ₀
    const double square = mean_of(kernels.square);
    square_terms[v - first] = count == 1 ? square : square * std::exp((count - 1) * log_none);
    const double t = std::exp(static_cast<double>(v) * h);
    log_terms[v - first] = std::expm1(-t) - std::expm1(count * log_none - t * std::exp(match));
  }

  return {count * h * pairwise_sum(square_terms), h * pairwise_sum(log_terms)};
}

//! [CondensationThreshold]
inline double mean_log_sum(double count, double score_stddev) {
  return score_means(count, score_stddev).log_sum;
}
//! [CondensationThreshold]

//! [UnscaledSaturates]
inline double mean_squared_weights(double count, double score_stddev) {
  return score_means(count, score_stddev).squares;
}

inline double mean_entropy(double count, double score_stddev) {
  const ScoreMeans means = score_means(count, score_stddev);
  return means.log_sum - score_stddev * score_stddev * (1 - means.squares);
}

inline double mean_largest_weight(std::size_t count, double score_stddev) {
  using namespace boost::math::constants;
  detail::require_integrable_keys(count);
  detail::require_integrable_stddev(score_stddev);
  const auto density = [](double z) { return std::exp(-z * z / 2) / root_two_pi<double>(); };

  // Choose the grids: z from −9 to 9, and y from where exp(−e^y) is 1 to where nothing is left.
  constexpr double step_of_v = 0.125, reach = 9, low = -45, high = 4;
  const auto n = static_cast<double>(count);
  const double longest =
      std::min({0.125, 0.5 / score_stddev, two_pi<double>() / std::sqrt(80 * n)});
  const double h = std::exp2(std::floor(std::log2(longest)));
  const auto first =
      static_cast<Eigen::Index>(std::floor((low - score_stddev * reach) / step_of_v));
  const auto last = static_cast<Eigen::Index>(std::ceil((high + score_stddev * reach) / step_of_v));

  Eigen::ArrayXd outer(last - first + 1);
  std::vector<double> inner;
  for (Eigen::Index place = first; place <= last; ++place) {
    const double v = static_cast<double>(place) * step_of_v;
    const double begin = std::max(-reach, std::floor((low - v) / score_stddev / h) * h);
    const double end = std::min(reach, (high - v) / score_stddev);
    double below = std::erfc(-begin / root_two<double>()) / 2;  // χ(z, v)
    double lost = 0;                                            // the part lost to rounding so far
    inner.clear();
    for (double z = begin; z <= end; z += h) {
      const double y = v + score_stddev * z;
      inner.push_back(density(z) * std::exp(y - std::exp(y)) * std::pow(below, n - 1));
      const double panel = boost::math::quadrature::gauss<double, 7>::integrate(
          [&](double w) { return density(w) * std::exp(-std::exp(v + score_stddev * w)); }, z,
          z + h);
      const double term = panel - lost, sum = below + term;
      lost = (sum - below) - term;
      below = sum;
    }
    outer[place - first] = pairwise_sum(std::span<const double>(inner));
  }

  return n * h * step_of_v * pairwise_sum(outer);
}
//! [UnscaledSaturates]

inline Interval<double> shared_query_squared_weights(double count, double dimension,
                                                     double temperature, int cells) {
  detail::require_in("the dimension", dimension, 8, 1024);
  detail::require_that(
      temperature >= 1 && temperature <= std::sqrt(dimension),  // √d itself is in range
      "the temperature", temperature, "be from 1 to the root of the dimension");
  detail::require_at_least("the number of cells", cells, 1);
  // Cells of R up to six deviations (about √½) from √d, 0 or 1 outside; E Σp² rises with R.
  const double half_width = 6 / boost::math::constants::root_two<double>();
  const auto radius = [&](int i) {
    return std::max(temperature / 2, std::sqrt(dimension) + half_width * (2.0 * i / cells - 1));
  };
  const auto below = [&](int i) {
    return boost::math::gamma_p(dimension / 2, radius(i) * radius(i) / 2);
  };
  double lower = 0;
  double upper = below(0) + 1 - below(cells);
  double left = mean_squared_weights(count, radius(0) / temperature);
  for (int i = 0; i < cells; ++i) {
    const double right = mean_squared_weights(count, radius(i + 1) / temperature);
    const double probability = below(i + 1) - below(i);
    lower += probability * left;
    upper += probability * right;
    left = right;
  }
  return {std::max(0.0, lower - mean_error_bound), std::min(1.0, upper + mean_error_bound)};
}

inline Interval<double> squared_weights_bounds(std::size_t count, double score_stddev) {
  const Interval<double> trace = mean_trace_bounds(count, score_stddev);
  return {1 - trace.upper, 1 - trace.lower};
}

}  // namespace sqrtdk
