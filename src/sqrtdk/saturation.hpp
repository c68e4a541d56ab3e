// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref saturation : how much of its weight a softmax of random scores gives to few.
#pragma once

#include <sqrtdk/moments.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/softmax.hpp>
#include <sqrtdk/softmax_jacobian.hpp>

#include <Eigen/Core>
#include <boost/math/constants/constants.hpp>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <boost/random/gamma_distribution.hpp>
#include <boost/random/normal_distribution.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace sqrtdk {

/// The n raw scores of one query, q·k₁, …, q·kₙ for q, k₁, …, kₙ ~ N(0, I_d), drawn without drawing
/// a vector: R·Z with R² ~ χ²_d, the squared length of q, and Z ~ N(0, I_n).
///
/// Costs one gamma and n normal variates whatever d is. Implements \ref UnscaledSaturates.
/// \param dimension d, greater than 0 and finite.
/// \param count     n, at least 1.
/// \param engine    a uniform random bit generator.
/// \throws std::domain_error if the dimension is out of range, std::invalid_argument if n is 0.
template <class Engine>
Eigen::VectorXd sample_score_row(double dimension, Eigen::Index count, Engine& engine);

/// \name The top gap
/// Scores s = βZ with Z₁, …, Zₙ independent N(0, 1), of spread β: √d unscaled, 1 scaled.
/// \{

/// P(γ > g) = n ∫ φ(x) Φ(x − g)^(n−1) dx, where γ is the gap between the largest Zᵢ and the next.
///
/// Off by at most integral_error_bound. Implements \ref OneScoreDominates.
/// \param count n, from 2 to most_integrable_keys.
/// \param gap   g, at least 0.
/// \throws std::domain_error if an argument is out of range.
double top_gap_tail(std::size_t count, double gap);

/// min(1, t·E max(Z₁, …, Zₙ)/β) ≥ P(the gap at the top of n scores < t).
///
/// Implements \ref OneScoreDominates.
/// \param count  n, from 2 to most_integrable_keys.
/// \param spread β, greater than 0.
/// \param gap    t, at least 0.
/// \throws std::domain_error if an argument is out of range.
double small_gap_bound(std::size_t count, double spread, double gap);

/// P(gap ≥ ln((n − 1)x/(1 − x))) ≤ P(p_max ≥ x) ≤ P(gap ≥ ln(x/(1 − x))): both ends are integrals.
///
/// Implements \ref OneScoreDominates.
/// \param count  n, from 2 to most_integrable_keys.
/// \param spread β, greater than 0.
/// \param level  x, from ½ to 1, both excluded.
/// \throws std::domain_error if an argument is out of range.
NormBounds<double> dominance_bounds(std::size_t count, double spread, double level);

/// P(p_max > x) = erfc(ln(x/(1 − x))/2β) for two keys.
///
/// Implements \ref OneScoreDominates.
/// \param spread β, greater than 0.
/// \param level  x, from ½ to 1, both excluded.
/// \throws std::domain_error if an argument is out of range.
double two_key_dominance(double spread, double level);
/// \}

/// \name Means over random scores
/// For p = softmax(βZ), by one-dimensional integrals. The number of keys is a double, for there may
/// be as many as most_condensing_keys.
/// \{

/// How far mean_squared_weights(), mean_log_sum(), and mean_entropy()/(1 + β²) can be from their
/// values: discretization, tails, rounding.
inline constexpr double mean_error_bound = 0x1p-36;

/// The most keys for which that bound is derived.
inline constexpr double most_condensing_keys = 1e30;

/// E Σpᵢ² = n ∫ ψ₂ψ₀^(n−1) dv with ψ_k(v) = E exp(ky − e^y), y = v + βZ.
///
/// Implements \ref UnscaledSaturates.
/// \param count  n, from 1 to most_condensing_keys.
/// \param spread β, from ½ to 64.
/// \throws std::domain_error if an argument is out of range.
double mean_squared_weights(double count, double spread);

/// E ln Σe^(βZᵢ) = ∫ (exp(−e^v) − ψ₀(v)ⁿ) dv, the free energy.
///
/// Implements \ref CondensationThreshold.
/// \param count  n, from 1 to most_condensing_keys.
/// \param spread β, from ½ to 64.
/// \throws std::domain_error if an argument is out of range.
double mean_log_sum(double count, double spread);

/// E H = E ln Σe^(βZᵢ) − β²(1 − E Σpᵢ²), the mean entropy of the weights.
///
/// Implements \ref UnscaledSaturates.
/// \param count  n, from 1 to most_condensing_keys.
/// \param spread β, from ½ to 64.
/// \throws std::domain_error if an argument is out of range.
double mean_entropy(double count, double spread);

/// e^(E H), the effective number of positions that are attended to.
///
/// Implements \ref InformationLoss.
/// \param count  n, from 1 to most_condensing_keys.
/// \param spread β, from ½ to 64.
/// \throws std::domain_error if an argument is out of range.
double effective_positions(double count, double spread);

/// E Σpᵢ² for the scores of one query in dimension d, divided by τ: the mean of
/// mean_squared_weights() at the spread R/τ, R² ~ χ²_d, enclosed by sums over cells of R that rise
/// with the integrand.
///
/// Implements \ref UnscaledSaturates.
/// \param count       n, from 1 to most_condensing_keys.
/// \param dimension   d, from 8 to 1024.
/// \param temperature τ, from 1 to √d.
/// \param cells       how many cells; ten times as many are ten times as tight.
/// \return both sums, moved outwards by mean_error_bound, within [0, 1].
/// \throws std::domain_error if an argument is out of range.
NormBounds<double> shared_query_squared_weights(double count, double dimension, double temperature,
                                                int cells = 64);
/// \}

/// E max pᵢ = n ∬ φ(z) e^(y − e^y) χ(z, v)^(n−1) dz dv with y = v + βz and
/// χ(z, v) = ∫_{w<z} φ(w) exp(−e^(v + βw)) dw: the mean weight of the key with the largest score.
///
/// Off by at most integral_error_bound. Implements \ref UnscaledSaturates.
/// \param count  n, from 2 to most_integrable_keys.
/// \param spread β, from ½ to 64.
/// \throws std::domain_error if an argument is out of range.
double mean_largest_weight(std::size_t count, double spread);

/// Bounds of E Σpᵢ² for few keys and a large spread: 1 − E M/β ≤ E Σpᵢ² ≤ 1 − E M/β + ln n/β².
///
/// Implements \ref UnscaledSaturates.
/// \param count  n, from 2 to most_integrable_keys.
/// \param spread β, greater than 0.
/// \throws std::domain_error if an argument is out of range.
NormBounds<double> squared_weights_bounds(std::size_t count, double spread);

/// ln n − β²(1 − 1/n)/2, which the mean entropy reaches at least: at β = 1, more than n/√e
/// positions.
///
/// Implements \ref ScaledSpreads.
/// \param count  n, at least 1 and finite.
/// \param spread β, at least 0 and finite.
/// \return −∞ where the number is below all that a double can hold.
/// \throws std::domain_error if an argument is out of range.
double entropy_at_least(double count, double spread);

/// h(u) = ln(1 + e^(−u)) + u/(1 + e^u): the entropy of two weights whose scores differ by u.
///
/// Implements \ref InformationLoss.
/// \param gap u, any number, infinite ones too: there h is 0.
template <class Real>
Real two_key_entropy(const Real& gap);

/// h(γ) ≤ H ≤ Σh(δᵢ): the entropy of n weights between that of the two largest alone and the sum
/// over all pairs with the largest, δᵢ being how far score i is below the largest and γ the
/// smallest such gap.
///
/// Implements \ref InformationLoss.
/// \param scores s, n finite numbers, n at least 2.
/// \throws std::invalid_argument if there are fewer than two scores.
template <class S>
NormBounds<typename S::Scalar> entropy_from_gaps(const Eigen::MatrixBase<S>& scores);

/// (π²/6)·E M: the limit of β·E H as β → ∞, where M is the largest of n independent N(0, 1).
///
/// Implements \ref InformationLoss.
/// \param count n, from 2 to most_integrable_keys.
/// \throws std::domain_error if n is out of range.
double entropy_constant(std::size_t count);

/// Bounds of E H: (π²/6)E M/β within −(9ζ(3)/4)K/β² − (7π⁴/360)E M/β³ and (9ζ(3)/4)K/β²,
/// K = n(n − 1)(n − 2)/(4√2π).
///
/// Implements \ref InformationLoss.
/// \param count  n, from 2 to most_integrable_keys.
/// \param spread β, greater than 0.
/// \throws std::domain_error if an argument is out of range.
NormBounds<double> entropy_bounds(std::size_t count, double spread);

/// r/(r + n − 1): the weight of a score x above n − 1 equal ones, r = e^x.
///
/// Implements \ref SaturationThreshold.
/// \param count n, at least 2.
/// \param ratio r, greater than 0; infinite, as e^x is from x = 710 on in a double, it has
/// weight 1.
///
/// \throws std::domain_error if an argument is out of range.
template <class Real>
Real raised_weight(std::size_t count, const Real& ratio);

/// The k-th derivative of raised_weight() by x = ln r, for k = 1, 2, 3: with p the weight and
/// u = p(1 − p), they are u, u(1 − 2p), u(1 − 6u).
///
/// Implements \ref SaturationThreshold.
/// \param count n, at least 2.
/// \param ratio r, greater than 0.
/// \param order k, from 1 to 3.
/// \throws std::domain_error if an argument is out of range.
template <class Real>
Real raised_weight_derivative(std::size_t count, const Real& ratio, unsigned order);

/// \name The price of the root
/// For values that do not depend on the weights: with a common mean, variance 1, and uncorrelated
/// over keys. An output is one coordinate of Σpⱼvⱼ.
/// \{

/// E Σpⱼ², the variance of an output.
///
/// Implements \ref PriceOfTheRoot.
/// \param weights a law of rows p, each with sum 1.
Rational output_variance(const FiniteDistribution<std::vector<Rational>>& weights);

/// E Σpⱼp′ⱼ, the covariance of the outputs of two queries with the same keys and values.
///
/// Implements \ref PriceOfTheRoot.
/// \param rows a joint law of two rows p and p′, each with sum 1.
/// \throws std::invalid_argument if two rows differ in length.
Rational output_covariance(
    const FiniteDistribution<std::pair<std::vector<Rational>, std::vector<Rational>>>& rows);

/// 1/(n·E Σp²), the correlation of the outputs of two queries whose rows are independent and prefer
/// no key.
///
/// Implements \ref PriceOfTheRoot.
/// \param count    n, at least 1.
/// \param variance E Σp², greater than 0.
/// \throws std::domain_error if an argument is out of range.
double output_correlation(double count, double variance);

/// e^(β²) n/(n − 1 + e^(2β²))² ≤ E Σp² for independent normal scores of spread β.
///
/// Implements \ref PriceOfTheRoot.
/// \param count  n, at least 1.
/// \param spread β, from 0 to 16.
/// \throws std::domain_error if an argument is out of range.
double output_variance_at_least(double count, double spread);

/// (1 − 2/d)^(−d/2), the limit of n·E Σp² as n → ∞ for normal queries and keys, divided by √d.
///
/// Implements \ref PriceOfTheRoot.
/// \param dimension d, greater than 4.
/// \throws std::domain_error if d is not greater than 4.
double scaled_price(double dimension);

/// (1 − 1/d²)^(−d/2), the limit of n·E Σpp′ as n → ∞ for two normal queries that share their normal
/// keys, divided by √d.
///
/// Implements \ref PriceOfTheRoot.
/// \param dimension d, greater than 4.
/// \throws std::domain_error if d is not greater than 4.
double shared_key_factor(double dimension);

/// (1 + 1/2 + … + 1/n)/n: the variance of an output at equal scores, averaged over the n positions
/// of a causal head.
///
/// Implements \ref PriceOfTheRoot.
/// \param count n, at least 1.
/// \throws std::domain_error if n is 0.
Rational causal_output_variance(std::size_t count);
/// \}

/// \name Condensation
/// The scores of n keys condense on a few when their spread exceeds √(2 ln n).
/// \{

/// √(2 ln n), the spread at which scores begin to condense.
///
/// Implements \ref CondensationThreshold.
/// \param count n, greater than 1.
/// \throws std::domain_error if n is not greater than 1.
double critical_spread(double count);

/// e^(β²/2), the number of keys with that critical spread; e^(d/2) for β = √d.
///
/// Implements \ref CondensationThreshold.
/// \param spread β, greater than 0.
/// \return ∞ from β = 37.7 on, where the number is beyond all that a double can hold.
/// \throws std::domain_error if β is not greater than 0.
double critical_count(double spread);

/// max(0, 1 − √(2 ln n)/β): what E Σpᵢ² tends to as n → ∞ with β/√(2 ln n) fixed.
///
/// Implements \ref CondensationThreshold.
/// \param count  n, greater than 1.
/// \param spread β, greater than 0.
/// \throws std::domain_error if an argument is out of range.
double condensed_part(double count, double spread);

/// The limit of E ln Σe^(βZᵢ) / ln n: 1 + x² for x ≤ 1 and 2x above, x = β/√(2 ln n).
///
/// Implements \ref CondensationThreshold.
/// \param count  n, greater than 1.
/// \param spread β, greater than 0.
/// \throws std::domain_error if an argument is out of range.
double free_energy_limit(double count, double spread);

/// How far the free energy of n keys can be below its limit, in units of ln n: with
/// ω = 1 − E M/√(2 ln n), 2ω for x ≤ 1 and 2xω above. It is never above.
///
/// Implements \ref CondensationThreshold.
/// \param count   n, greater than 1.
/// \param spread  β, greater than 0.
/// \param maximum E M, the mean of the largest of n independent N(0, 1), or less.
/// \throws std::domain_error if an argument is out of range.
double free_energy_deficit(double count, double spread, double maximum);

/// Bounds of E Σpᵢ² for every n and β: with x and ω as above, from 1 − (1 − ω)/x, or 0, to
/// 2ω/(1 − x²) for x < 1 and 1 − 1/x + ω/(x − 1) for x > 1, or 1.
///
/// Implements \ref CondensationThreshold.
/// \param count   n, greater than 1.
/// \param spread  β, greater than 0.
/// \param maximum E M, exactly; or too small by δ, and then the lower bound is by δ/β.
/// \throws std::domain_error if an argument is out of range.
NormBounds<double> condensation_bounds(double count, double spread, double maximum);
/// \}

/// E Σpᵢ² without scaling less E Σpᵢ² with it, at spreads σ√d and σ: how much of the weight
/// scaling takes from the few.
///
/// Implements \ref WhenScalingMatters.
/// \param count     n, from 1 to most_condensing_keys.
/// \param dimension d, at least 1.
/// \param deviation σ, the product of the standard deviations of an entry of q and one of k; σ is
/// at
///                  least ½ and σ√d at most 64.
/// \throws std::domain_error if an argument is out of range.
double scaling_impact(double count, double dimension, double deviation);

/// E ln p of a key with the fixed score h among n others βZ₁, …, βZₙ: the logarithm of the weight
/// that a match gets, on average.
///
/// Off by at most mean_error_bound. Implements \ref WhenScalingMatters.
/// \param count  n, from 1 to most_condensing_keys.
/// \param spread β, from ½ to 64.
/// \param match  h, from −512 to 512.
/// \throws std::domain_error if an argument is out of range.
double mean_log_match(double count, double spread, double match);

/// −ln(1 + n e^(β²/2 − h)) ≤ E ln p ≤ −ln(1 + e^(F − h)) for the match of mean_log_match(), with F
/// for mean_log_sum().
///
/// Implements \ref WhenScalingMatters.
/// \param count  n, from 1 to most_condensing_keys.
/// \param spread β, from ½ to 64.
/// \param match  h, any number.
/// \throws std::domain_error if an argument is out of range.
NormBounds<double> log_match_bounds(double count, double spread, double match);

// ------------------------------------------------------------------------------------------------

namespace detail {

inline void require_count(double count, double least) {
  if (!(count >= least && count <= most_condensing_keys))
    throw std::domain_error("the number of keys is " + shown(count) + ", but must be from " +
                            shown(least) + " to " + shown(most_condensing_keys));
}

inline void require_more_than_one(double count) {
  if (!(count > 1))
    throw std::domain_error("the number of keys is " + shown(count) +
                            ", but must be greater than 1");
}

inline void require_level(double level) {
  if (!(level > 0.5 && level < 1))
    throw std::domain_error("the level is " + shown(level) +
                            ", but must be between one half and 1");
}

inline void require_integrable_price(double dimension) {
  if (!(dimension > 4))
    throw std::domain_error("the dimension is " + shown(dimension) +
                            ", but must be greater than 4");
}

/// Both integrals over v = ln t for n scores βZ, on a grid of step 1/8 in v and in βz.
struct ScoreMeans {
  double squares = 0;  ///< E Σpᵢ², without the match
  double log_sum = 0;  ///< E ln(e^h + Σe^(βZᵢ)) with a match of score h, or without that term

  ScoreMeans(double count, double spread, double match = -std::numeric_limits<double>::infinity()) {
    require_count(count, 1);
    require_spread(spread);
    constexpr double h = 0.125;
    const auto steps = [](double length) {
      return static_cast<Eigen::Index>(std::ceil(length / h));
    };
    // The scores from 9 deviations below 0 to 9 above what the largest of n will reach; t so small
    // that Σe^(βZ) cannot be seen, to t so large that nothing else can.
    const double log_count = std::log(count);
    const double highest = 9 + std::sqrt(2 * log_count);
    const Eigen::Index below = steps(9 * spread), above = steps(highest * spread);
    const double reach = std::max(highest * spread + log_count, match);
    const Eigen::Index first = -steps(40 + reach);
    const Eigen::Index last = steps(5) + (count < 64 ? below : 0);

    // Pass 1: the normal density on the grid, its sums from each place to the end, and the kernels
    // where they change: above y = 6 they are 1 and 0, and what is below cannot be seen.
    const Eigen::Index size = below + above + 1;
    const Eigen::ArrayXd z =
        Eigen::ArrayXd::LinSpaced(size, -double(below), double(above)) * (h / spread);
    const Eigen::ArrayXd density =
        (-0.5 * z.square()).exp() * (h / spread / boost::math::constants::root_two_pi<double>());
    Eigen::ArrayXd beyond = Eigen::ArrayXd::Zero(size + 1);
    double lost = 0;  // what rounding took from the sum so far (Kahan)
    for (Eigen::Index i = size; i-- > 0;) {
      const double term = density[i] - lost;
      beyond[i] = beyond[i + 1] + term;
      lost = (beyond[i] - beyond[i + 1]) - term;
    }
    const Eigen::Index low = -steps(40 + log_count), high = steps(6);
    const Eigen::ArrayXd e =
        (Eigen::ArrayXd::LinSpaced(high - low + 1, double(low), double(high)) * h).exp();
    const Eigen::ArrayXd hit = e.unaryExpr([](double x) { return -std::expm1(-x); });
    const Eigen::ArrayXd square = e.square() * (-e).exp();

    // Pass 2: 1 − ψ₀ and ψ₂ at each v, then the integrals. 1 − ψ₀ keeps its digits if it is tiny.
    Eigen::ArrayXd square_terms(last - first + 1);
    Eigen::ArrayXd log_terms(last - first + 1);
    Eigen::ArrayXd terms(high - low + 1);
    for (Eigen::Index v = first; v <= last; ++v) {
      // Which scores βz have y = v + βz from low to high; the place of the first of those would be
      // `begin` if there were scores without end.
      const Eigen::Index begin = low - v + below;
      const Eigen::Index from = std::clamp<Eigen::Index>(begin, 0, size);
      const Eigen::Index to = std::clamp<Eigen::Index>(high - v + below + 1, from, size);
      const Eigen::Index many = to - from;
      const Eigen::Index at = many > 0 ? from - begin : 0;
      const auto sum = [&] {
        return pairwise_sum(std::span<const double>(terms.data(), static_cast<std::size_t>(many)));
      };
      terms.head(many) = density.segment(from, many) * hit.segment(at, many);
      const double log_none = std::log1p(-std::min(beyond[to] + sum(), 1.0));  // ln ψ₀
      terms.head(many) = density.segment(from, many) * square.segment(at, many);
      square_terms[v - first] = count == 1 ? sum() : sum() * std::exp((count - 1) * log_none);
      const double t = std::exp(static_cast<double>(v) * h);
      log_terms[v - first] = std::expm1(-t) - std::expm1(count * log_none - t * std::exp(match));
    }
    squares = count * h * sum_of(square_terms);
    log_sum = h * sum_of(log_terms);
  }
};

}  // namespace detail

//! [UnscaledSaturates]
template <class Engine>
Eigen::VectorXd sample_score_row(double dimension, Eigen::Index count, Engine& engine) {
  if (!(dimension > 0 && std::isfinite(dimension)))
    throw std::domain_error("the dimension is " + detail::shown(dimension) +
                            ", but must be greater than 0 and finite");
  if (count < 1) throw std::invalid_argument("the number of keys is 0, but must be at least 1");
  // R²/2 ~ Gamma(d/2), and q·kⱼ = R·Zⱼ given the length R of q
  boost::random::gamma_distribution<double> half_square(dimension / 2);
  boost::random::normal_distribution<double> normal;
  const double radius = std::sqrt(2 * half_square(engine));
  Eigen::VectorXd scores(count);
  for (double& score : scores) score = radius * normal(engine);
  return scores;
}

inline double mean_squared_weights(double count, double spread) {
  return detail::ScoreMeans(count, spread).squares;
}

inline double mean_entropy(double count, double spread) {
  const detail::ScoreMeans means(count, spread);
  return means.log_sum - spread * spread * (1 - means.squares);
}

inline double mean_largest_weight(std::size_t count, double spread) {
  using namespace boost::math::constants;
  detail::require_keys(count);
  detail::require_spread(spread);
  const auto density = [](double z) { return std::exp(-z * z / 2) / root_two_pi<double>(); };
  // z from −9 to 9, and y from where exp(−e^y) is 1 to where nothing is left of it.
  constexpr double step_of_v = 0.125, reach = 9, low = -45, high = 4;
  const auto n = static_cast<double>(count);
  const double longest = std::min({0.125, 0.5 / spread, two_pi<double>() / std::sqrt(80 * n)});
  const double h = std::exp2(std::floor(std::log2(longest)));
  const auto first = static_cast<Eigen::Index>(std::floor((low - spread * reach) / step_of_v));
  const auto last = static_cast<Eigen::Index>(std::ceil((high + spread * reach) / step_of_v));
  Eigen::ArrayXd outer(last - first + 1);
  std::vector<double> inner;
  for (Eigen::Index place = first; place <= last; ++place) {
    const double v = static_cast<double>(place) * step_of_v;
    const double begin = std::max(-reach, std::floor((low - v) / spread / h) * h);
    const double end = std::min(reach, (high - v) / spread);
    double below = std::erfc(-begin / root_two<double>()) / 2;  // χ(z, v)
    double lost = 0;  // what rounding took from it so far (Kahan)
    inner.clear();
    for (double z = begin; z <= end; z += h) {
      const double y = v + spread * z;
      inner.push_back(density(z) * std::exp(y - std::exp(y)) * std::pow(below, n - 1));
      const double panel = boost::math::quadrature::gauss<double, 7>::integrate(
          [&](double w) { return density(w) * std::exp(-std::exp(v + spread * w)); }, z, z + h);
      const double term = panel - lost, sum = below + term;
      lost = (sum - below) - term;
      below = sum;
    }
    outer[place - first] = pairwise_sum(std::span<const double>(inner));
  }
  return n * h * step_of_v * detail::sum_of(outer);
}
//! [UnscaledSaturates]

//! [OneScoreDominates]
inline double top_gap_tail(std::size_t count, double gap) {
  detail::require_keys(count);
  if (!(gap >= 0))
    throw std::domain_error("the gap is " + detail::shown(gap) + ", but must be at least 0");
  // n ∫ φ(x) Φ(x − g)^(n−1) dx; beyond 9 deviations nothing is left
  constexpr Eigen::Index reach = 9 * 512;
  const double n = static_cast<double>(count);
  Eigen::ArrayXd terms(2 * reach + 1);
  for (Eigen::Index i = -reach; i <= reach; ++i) {
    const double x = static_cast<double>(i) / 512;
    const double below = std::erfc((gap - x) / boost::math::constants::root_two<double>()) / 2;
    terms[i + reach] = std::exp(-x * x / 2) * std::pow(below, n - 1);
  }
  return n / boost::math::constants::root_two_pi<double>() * detail::sum_of(terms) / 512;
}

inline NormBounds<double> dominance_bounds(std::size_t count, double spread, double level) {
  detail::require_positive(spread, "the spread");
  detail::require_level(level);
  const double two = std::log(level / (1 - level));
  const double all = two + std::log(static_cast<double>(count - 1));
  return {top_gap_tail(count, all / spread), top_gap_tail(count, two / spread)};
}

inline double two_key_dominance(double spread, double level) {
  detail::require_positive(spread, "the spread");
  detail::require_level(level);
  return std::erfc(std::log(level / (1 - level)) / (2 * spread));
}

inline double small_gap_bound(std::size_t count, double spread, double gap) {
  detail::require_positive(spread, "the spread");
  if (!(gap >= 0))
    throw std::domain_error("the gap is " + detail::shown(gap) + ", but must be at least 0");
  return std::min(1.0, gap * expected_maximum(count) / spread);
}
//! [OneScoreDominates]

inline NormBounds<double> shared_query_squared_weights(double count, double dimension,
                                                       double temperature, int cells) {
  if (!(dimension >= 8 && dimension <= 1024))
    throw std::domain_error("the dimension is " + detail::shown(dimension) +
                            ", but must be from 8 to 1024");
  if (!(temperature >= 1 && temperature <= std::sqrt(dimension)))  // so that √d itself is in range
    throw std::domain_error("the temperature is " + detail::shown(temperature) +
                            ", but must be from 1 to the root of the dimension");
  // Cells of R of equal width, six deviations (of about √½) to each side of √d; what lies outside
  // is at most 0 or 1. E Σp² rises with the spread.
  const double half_width = 6 / boost::math::constants::root_two<double>();
  const auto radius = [&](int i) {
    return std::max(temperature / 2, std::sqrt(dimension) + half_width * (2.0 * i / cells - 1));
  };
  const auto below = [&](int i) {
    return boost::math::gamma_p(dimension / 2, radius(i) * radius(i) / 2);
  };
  double least = 0;
  double greatest = below(0) + 1 - below(cells);
  double left = mean_squared_weights(count, radius(0) / temperature);
  for (int i = 0; i < cells; ++i) {
    const double right = mean_squared_weights(count, radius(i + 1) / temperature);
    const double probability = below(i + 1) - below(i);
    least += probability * left;
    greatest += probability * right;
    left = right;
  }
  return {std::max(0.0, least - mean_error_bound), std::min(1.0, greatest + mean_error_bound)};
}

inline NormBounds<double> squared_weights_bounds(std::size_t count, double spread) {
  const NormBounds<double> trace = mean_trace_bounds(count, spread);
  return {1 - trace.greatest, 1 - trace.least};
}

//! [ScaledSpreads]
inline double entropy_at_least(double count, double spread) {
  if (!(count >= 1 && std::isfinite(count)))
    throw std::domain_error("the number of keys is " + detail::shown(count) +
                            ", but must be at least 1 and finite");
  if (!(spread >= 0 && std::isfinite(spread)))
    throw std::domain_error("the spread is " + detail::shown(spread) +
                            ", but must be at least 0 and finite");
  // In this order 0 of a single key stays 0 where β² overflows.
  return std::log(count) - (1 - 1 / count) / 2 * spread * spread;
}
//! [ScaledSpreads]

//! [InformationLoss]
inline double effective_positions(double count, double spread) {
  return std::exp(mean_entropy(count, spread));
}

template <class Real>
Real two_key_entropy(const Real& gap) {
  using std::abs;
  using std::exp;
  using std::log1p;
  const Real u = abs(gap);
  const Real ratio = exp(-u);
  if (ratio == 0) return Real(0);  // also for an infinite u, which times 0 is no number
  return log1p(ratio) + u * ratio / (1 + ratio);
}

template <class S>
NormBounds<typename S::Scalar> entropy_from_gaps(const Eigen::MatrixBase<S>& scores) {
  using Scalar = typename S::Scalar;
  if (scores.size() < 2)
    throw std::invalid_argument("the number of scores is " + std::to_string(scores.size()) +
                                ", but must be at least 2");
  Eigen::Index top = 0;
  const Scalar greatest = scores.maxCoeff(&top);
  Scalar most(0), sum(0);
  for (Eigen::Index i = 0; i < scores.size(); ++i) {
    if (i == top) continue;
    const Scalar entropy = two_key_entropy<Scalar>(greatest - scores[i]);
    if (entropy > most) most = entropy;
    sum += entropy;
  }
  return {most, sum};
}

inline double entropy_constant(std::size_t count) {
  return boost::math::constants::pi_sqr_div_six<double>() * expected_maximum(count);
}

inline NormBounds<double> entropy_bounds(std::size_t count, double spread) {
  detail::require_positive(spread, "the spread");
  using namespace boost::math::constants;
  const double maximum = expected_maximum(count);
  const double n = static_cast<double>(count);
  const double K = n * (n - 1) * (n - 2) / (4 * root_two<double>() * pi<double>());
  const double third_key = 2.25 * zeta_three<double>() * K / (spread * spread);
  const double curvature =
      7 * std::pow(pi<double>(), 4) / 360 * maximum / (spread * spread * spread);
  const double leading = entropy_constant(count) / spread;
  return {leading - third_key - curvature, leading + third_key};
}
//! [InformationLoss]

//! [SaturationThreshold]
template <class Real>
Real raised_weight(std::size_t count, const Real& ratio) {
  if (count < 2)
    throw std::domain_error("the number of scores is " + std::to_string(count) +
                            ", but must be at least 2");
  detail::require_positive(ratio, "the ratio");
  const Real others = Real(count - 1);
  return ratio > others ? Real(1 / (1 + others / ratio)) : Real(ratio / (ratio + others));
}

template <class Real>
Real raised_weight_derivative(std::size_t count, const Real& ratio, unsigned order) {
  const Real p = raised_weight(count, ratio);
  const Real u = p * (1 - p);
  if (order == 1) return u;
  if (order == 2) return u * (1 - 2 * p);
  if (order == 3) return u * (1 - 6 * u);
  throw std::domain_error("the order is " + std::to_string(order) + ", but must be from 1 to 3");
}
//! [SaturationThreshold]

//! [CondensationThreshold]
inline double mean_log_sum(double count, double spread) {
  return detail::ScoreMeans(count, spread).log_sum;
}

inline double critical_spread(double count) {
  detail::require_more_than_one(count);
  return std::sqrt(2 * std::log(count));
}

inline double critical_count(double spread) {
  detail::require_positive(spread, "the spread");
  return std::exp(spread * spread / 2);
}

inline double condensed_part(double count, double spread) {
  detail::require_positive(spread, "the spread");
  return std::max(0.0, 1 - critical_spread(count) / spread);
}

inline double free_energy_limit(double count, double spread) {
  detail::require_positive(spread, "the spread");
  const double x = spread / critical_spread(count);
  return x <= 1 ? 1 + x * x : 2 * x;
}

inline double free_energy_deficit(double count, double spread, double maximum) {
  detail::require_positive(spread, "the spread");
  const double x = spread / critical_spread(count);
  return 2 * std::max(x, 1.0) * (1 - maximum / critical_spread(count));
}

inline NormBounds<double> condensation_bounds(double count, double spread, double maximum) {
  detail::require_positive(spread, "the spread");
  const double x = spread / critical_spread(count);
  const double eta = 1 - maximum / critical_spread(count);
  const double least = std::max(0.0, 1 - (1 - eta) / x);
  if (x < 1) return {least, std::min(1.0, 2 * eta / (1 - x * x))};
  return {least, x > 1 ? std::min(1.0, 1 - 1 / x + eta / (x - 1)) : 1};
}
//! [CondensationThreshold]

//! [PriceOfTheRoot]
inline Rational output_variance(const FiniteDistribution<std::vector<Rational>>& weights) {
  return weights.expectation([](const std::vector<Rational>& p) {
    Rational sum = 0;
    for (const Rational& weight : p) sum += weight * weight;
    return sum;
  });
}

inline Rational output_covariance(
    const FiniteDistribution<std::pair<std::vector<Rational>, std::vector<Rational>>>& rows) {
  return rows.expectation([](const auto& pair) {
    const auto& [p, other] = pair;
    if (p.size() != other.size())
      throw std::invalid_argument("two rows have " + std::to_string(p.size()) + " and " +
                                  std::to_string(other.size()) + " weights, but must have as many");
    Rational sum = 0;
    for (std::size_t j = 0; j < p.size(); ++j) sum += p[j] * other[j];
    return sum;
  });
}

inline double output_correlation(double count, double variance) {
  if (!(count >= 1))
    throw std::domain_error("the number of keys is " + detail::shown(count) +
                            ", but must be at least 1");
  detail::require_positive(variance, "the variance of an output");
  return 1 / (count * variance);
}

inline double output_variance_at_least(double count, double spread) {
  if (!(count >= 1))
    throw std::domain_error("the number of keys is " + detail::shown(count) +
                            ", but must be at least 1");
  if (!(spread >= 0 && spread <= 16))
    throw std::domain_error("the spread is " + detail::shown(spread) +
                            ", but must be from 0 to 16");
  const double square = spread * spread;
  return std::exp(square) * count / std::pow(count + std::expm1(2 * square), 2);
}

inline double scaled_price(double dimension) {
  detail::require_integrable_price(dimension);
  return std::pow(1 - 2 / dimension, -dimension / 2);
}

inline double shared_key_factor(double dimension) {
  detail::require_integrable_price(dimension);
  return std::pow(1 - 1 / (dimension * dimension), -dimension / 2);
}

inline Rational causal_output_variance(std::size_t count) {
  if (count == 0) throw std::domain_error("the number of keys is 0, but must be at least 1");
  Rational harmonic = 0;
  for (std::size_t i = 1; i <= count; ++i) harmonic += Rational(1, i);
  return harmonic / count;
}
//! [PriceOfTheRoot]

//! [WhenScalingMatters]
inline double scaling_impact(double count, double dimension, double deviation) {
  if (!(dimension >= 1))
    throw std::domain_error("the dimension is " + detail::shown(dimension) +
                            ", but must be at least 1");
  return mean_squared_weights(count, deviation * std::sqrt(dimension)) -
         mean_squared_weights(count, deviation);
}

inline double mean_log_match(double count, double spread, double match) {
  if (!(match >= -512 && match <= 512))
    throw std::domain_error("the score of the match is " + detail::shown(match) +
                            ", but must be from -512 to 512");
  // ln p = h − ln(e^h + Σe^(βZ))
  return match - detail::ScoreMeans(count, spread, match).log_sum;
}

inline NormBounds<double> log_match_bounds(double count, double spread, double match) {
  // ln(1 + eˣ) where eˣ may overflow
  const auto log_one_plus_exp = [](double x) {
    return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
  };
  return {-log_one_plus_exp(std::log(count) + spread * spread / 2 - match),
          -log_one_plus_exp(mean_log_sum(count, spread) - match)};
}
//! [WhenScalingMatters]

}  // namespace sqrtdk
