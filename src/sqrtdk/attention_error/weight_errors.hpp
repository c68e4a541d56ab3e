// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref attention_error : bounds for computed scores and weights of attention.
///
/// Computed in double precision, for arguments that are 0 or in its range, with bound_margin.
#pragma once

#include <sqrtdk/attention/pass.hpp>
#include <sqrtdk/numbers/columns.hpp>
#include <sqrtdk/numbers/require.hpp>
#include <sqrtdk/softmax.hpp>
#include <sqrtdk/softmax_error.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace sqrtdk {

namespace detail {

/// A bound, raised for the rounding of its own computation, and for products that underflow in it.
/// \param bound a number that is not negative.
double with_margin(double bound);

/// The limit of a score and of all on its way.
double largest_score(const SoftmaxArithmetic& arithmetic);

/// γ_k = ku/(1 − ku): what k roundings can do to a number, relative to it.
/// \param roundings k.
/// \param u         the unit roundoff.
/// \return at most 1; +∞ if ku is above ½, where nothing is promised.
double rounding_bound(double roundings, double u);

}  // namespace detail

/// λ = η/(2u), in the formats of IEEE 754 the smallest normal number: what underflow takes from a
/// product is no more than what a rounding takes from λ.
/// \relatesalso SoftmaxArithmetic
double underflow_threshold(const SoftmaxArithmetic& arithmetic);

/// Bounds the error of a computed score: with A = Σ|qₗkₗ| and f the factor,
/// E = γ_{d+2}(|f|(A + dλ) + λ), and with a bias b γ_{d+3}(|f|(A + dλ) + λ) + u|b|.
///
/// For a score that is computed in this order: the products are added, in any order; the sum is
/// divided by the rounded root of d, or multiplied by a given scale; the bias is added. For the order
/// and the format of SoftmaxArithmetic::scores, \ref BlockedAccumulation has k and λ′ for d and λ.
///
/// Never NaN: +∞ if a double cannot hold A, or (d + 3)u is above ½, whatever the other factor is.
///
/// \param d          the head dimension.
/// \param scale      |f|, 1/√d or the scale that is given.
/// \param magnitude  A.
/// \param bias       |b|, if one is added.
/// \param arithmetic what the score is computed with.
/// \throws std::domain_error if d, |f|, A or |b| is negative or NaN, or |f| or |b| is infinite.
/// \implements{ScoreRounding}
/// \relatesalso SoftmaxArithmetic
double score_error_bound(double d, double scale, double magnitude,
                         const std::optional<double>& bias, const SoftmaxArithmetic& arithmetic);

/// \ref NarrowStorage, 2: how far a score can be off if it is rounded as stored_scores() says.
///
/// \param error      E, at least 0, +∞ included.
/// \param size       |f⟨q, k⟩| + |b|, at least 0.
/// \param scale      |f|, at least 0.
/// \param arithmetic the format, and how often.
/// \throws std::domain_error if an argument is negative or NaN, or the scale infinite.
/// \implements{NarrowStorage}
/// \relatesalso SoftmaxArithmetic
double stored_score_error(double error, double size, double scale,
                          const SoftmaxArithmetic& arithmetic);

/// Exact scores, and how far computed ones can be from them.
template <class Wide>
struct AttentionScoreErrors {
  detail::Rows<Wide> scores;   ///< n × m with biases; 0 if masked
  detail::Rows<double> error;  ///< E, n × m; 0 if masked
  Eigen::VectorXd reach;       ///< n: no number on the way is larger, if E is right
};

/// score_error_bound(), and stored_score_error() of that, of every query and every key that it sees.
/// \tparam Wide the type that exact scores are computed in: its own rounding is not counted, so
///              give it 20 bits more than the arithmetic of the kernel.
/// \param queries    Q, n × d, d at least 1.
/// \param keys       K, m × d.
/// \param options    scale and masks.
/// \param arithmetic that of the kernel.
/// \throws std::invalid_argument as attention_weights().
/// \throws std::domain_error if the scale, or a query, a key or a bias where one sees the other, is
///                           no finite number.
/// \implements{ScoreRounding}
/// \relatesalso AttentionScoreErrors
template <class Wide, class Queries, class Keys>
AttentionScoreErrors<Wide> attention_score_errors(
    const Eigen::MatrixBase<Queries>& queries, const Eigen::MatrixBase<Keys>& keys,
    const AttentionOptions<Compute<typename Queries::Scalar>>& options = {},
    const SoftmaxArithmetic& arithmetic = arithmetic_of<typename Queries::Scalar>());

/// Error bounds of computed weights, abs(p̂ − p) ≤ ρp⁺, and of their logarithms.
struct AttentionWeightErrors {
  detail::Rows<double> weights;   ///< p⁺ = p + a/u, n × m; 0 for masked keys
  detail::Rows<double> relative;  ///< ρ, n × m; 0 for masked keys, +∞ if nothing is promised
  detail::Rows<double> log_weights = {};  ///< of ln p, n × m; likewise
  Eigen::VectorXd log_sum_exps = {};      ///< of ln Σe^s, n; 0 for a query that sees no key
};

/// The errors of softmax weights whose scores are off by E at most: with r and a those of
/// softmax_error_bound() for 2A raised by (1 + κ)(4E + (e^(2E) − 1) ln m) and ln(2/η) by 2E,
/// 1 + ρ = (1 + r)e^(2E), but ρ ≥ u, and p⁺ = p + a/u = p + 2(A + 2)λ. Weights that are stored have
/// (1 + ρ)(1 + u_w) − 1 in the place of ρ, and η_w/(2u_w) more in p⁺. For what kernels do otherwise see
/// \ref RoundedProducts, \ref FastExponentials, \ref WeightsFromLogSumExp, \ref RescaledOutputs and
/// \ref NarrowStorage.
///
/// Log-sum-exp is off by E₁ + β at most, and ln pⱼ by 2E + β + 2u(tⱼ + 2E + ln S′ + β)/(1 − θ), with
/// log_sum_exp_error_bound() as β, for R = 5 and with |max s| + E₁, T + 2E + (e^(2E) − 1) ln m and
/// ln S′ = ln S + 2E in the place of |m/τ|, T and ln S. E₁ is E, also for a single score.
///
/// \tparam Wide as in attention_score_errors().
/// \param scores      the exact scores, m at least 1.
/// \param score_error E₁; E is 0 if there is a single score, whose weight is 1 as a quotient, and else
///                    the same. Rounded products add to either (\ref RoundedProducts).
/// \param arithmetic  what computes the softmax; weights are not rounded to the storage of its results.
/// \return a row.
/// \throws std::invalid_argument as softmax_error_bound().
/// \throws std::domain_error as softmax_error_bound(), and if E is negative or NaN.
/// \implements{WeightsOfRoundedScores}
/// \relatesalso AttentionWeightErrors
template <class Wide>
AttentionWeightErrors weight_errors(const Eigen::Matrix<Wide, Eigen::Dynamic, 1>& scores,
                                    double score_error, const SoftmaxArithmetic& arithmetic);

/// weight_errors() of every query, with the largest score_error_bound() of the keys that it sees.
///
/// Parameters as in attention_score_errors().
///
/// \throws std::invalid_argument as attention_weights().
/// \throws std::domain_error as attention_score_errors().
/// \implements{WeightsOfRoundedScores}
/// \relatesalso AttentionWeightErrors
template <class Wide, class Queries, class Keys>
AttentionWeightErrors attention_weight_errors(
    const Eigen::MatrixBase<Queries>& queries, const Eigen::MatrixBase<Keys>& keys,
    const AttentionOptions<Compute<typename Queries::Scalar>>& options = {},
    const SoftmaxArithmetic& arithmetic = arithmetic_of<typename Queries::Scalar>());

// Implementation

namespace detail {

inline double with_margin(double bound) {
  return (1 + bound_margin) * bound + 4 * std::numeric_limits<double>::denorm_min();
}

inline double largest_score(const SoftmaxArithmetic& by) {
  const double stored = by.score_format.largest / (1 + by.score_format.roundoff);
  return std::min({by.largest, by.scores.largest, stored});
}

inline double rounding_bound(double roundings, double u) {
  const double part = roundings * u;
  return part <= 0.5 ? part / (1 - part) : std::numeric_limits<double>::infinity();
}

}  // namespace detail

inline double underflow_threshold(const SoftmaxArithmetic& arithmetic) {
  return arithmetic.smallest / (2 * arithmetic.unit_roundoff);
}

//! [ScoreRounding]
namespace detail {

/// score_error_bound() as a function of A and |b|.
class ScoreErrorBound {
 public:
  ScoreErrorBound(double d, double scale, bool biased, const SoftmaxArithmetic& arithmetic)
      : scale_(scale),
        u_(arithmetic.unit_roundoff),
        lambda_(arithmetic.product_threshold(arithmetic.scores)),
        lost_(d * lambda_),
        gamma_(rounding_bound(arithmetic.product_roundings(arithmetic.scores, d, 2) +
                                  arithmetic.scale_roundings + (biased ? 1 : 0),
                              u_)) {}

  double operator()(double magnitude, double bias) const {
    if (std::isinf(gamma_) || std::isinf(magnitude)) return vacuous_bound;  // also times 0
    return with_margin(gamma_ * (scale_ * (magnitude + lost_) + lambda_) + u_ * bias);
  }

 private:
  double scale_, u_, lambda_, lost_, gamma_;
};

}  // namespace detail

inline double score_error_bound(double d, double scale, double magnitude,
                                const std::optional<double>& bias,
                                const SoftmaxArithmetic& arithmetic) {
  detail::require_at_least("the head dimension", d, 0);
  detail::require_at_least_finite("the size of the scale", scale, 0);
  detail::require_at_least("the size of the products", magnitude, 0);
  if (bias) detail::require_at_least_finite("the size of the bias", *bias, 0);
  const detail::ScoreErrorBound bound(d, scale, bias.has_value(), arithmetic);
  return bound(magnitude, bias.value_or(0));
}
//! [ScoreRounding]

//! [NarrowStorage]
inline double stored_score_error(double error, double size, double scale,
                                 const SoftmaxArithmetic& arithmetic) {
  detail::require_at_least("the error of the score", error, 0);
  detail::require_at_least("the size of the score", size, 0);
  detail::require_at_least_finite("the size of the scale", scale, 0);
  const unsigned r = arithmetic.score_roundings;
  if (r == 0) return error;
  const FormatLimits& format = arithmetic.score_format;
  const double grown = r * std::log1p(format.roundoff);
  return detail::with_margin(std::exp(grown) *
                                 (error + r * format.smallest / 2 * std::max(1.0, scale)) +
                             std::expm1(grown) * size);
}
//! [NarrowStorage]

template <class Wide, class Queries, class Keys>
AttentionScoreErrors<Wide> attention_score_errors(
    const Eigen::MatrixBase<Queries>& queries, const Eigen::MatrixBase<Keys>& keys,
    const AttentionOptions<Compute<typename Queries::Scalar>>& options,
    const SoftmaxArithmetic& arithmetic) {
  using Real = Compute<typename Queries::Scalar>;
  const detail::AttentionPass<Real> pass(queries, keys, options);
  const Eigen::Index n = queries.rows();
  const auto d = static_cast<double>(queries.cols());
  std::optional<Wide> wide_scale;
  if (options.scale) wide_scale = Wide(*options.scale);
  const detail::Scaling<Wide> scaling(wide_scale, queries.cols());
  const double scale = scaling.magnitude();
  detail::require_at_least_finite("the size of the scale", scale, 0);
  const double lambda = arithmetic.product_threshold(arithmetic.scores);

  const detail::Rows<Wide> wide_queries = pass.queries().template cast<Wide>();
  const detail::Rows<Wide> wide_keys = pass.keys().template cast<Wide>();
  AttentionScoreErrors<Wide> result;
  result.scores = detail::product(wide_queries, wide_keys, true);
  detail::Rows<Wide> magnitudes =
      detail::product<Wide>(wide_queries.cwiseAbs(), wide_keys.cwiseAbs(), true);
  if constexpr (std::is_same_v<Wide, double>)
    result.error.swap(magnitudes);
  else
    result.error = magnitudes.template cast<double>();
  result.reach.setZero(n);
  const auto is_finite = [](const auto& row) {
    return (row.array() - row.array() == Real(0)).all();
  };
  const auto require_finite = [&](const char* name, const auto& row) {
    if (is_finite(row)) return;
    for (const Real& x : row) detail::require_that(Real(x - x) == Real(0), name, x, "be finite");
  };
  const bool finite_keys = is_finite(pass.keys());
  const detail::ScoreErrorBound bound(d, scale, options.bias.has_value(), arithmetic);
  for (Eigen::Index i = 0; i < n; ++i) {
    const std::vector<Eigen::Index> seen = pass.visible(i);
    if (!seen.empty()) require_finite("an entry of a query", pass.queries().row(i));
    const ColumnOf<Wide> sums = result.scores.row(i);
    const Eigen::VectorXd sizes = result.error.row(i);
    result.scores.row(i).setConstant(Wide(0));
    result.error.row(i).setZero();
    for (const Eigen::Index j : seen) {
      if (!finite_keys) require_finite("an entry of a key", pass.keys().row(j));
      double bias = 0;
      if (options.bias) bias = std::abs(static_cast<double>((*options.bias)(i, j)));
      if (options.bias) detail::require_at_least_finite("the size of the bias", bias, 0);
      Wide& score = result.scores(i, j);
      score = scaling(sums[j]);
      double& error = result.error(i, j);
      error = bound(sizes[j], bias);
      if (arithmetic.score_roundings > 0)
        error = stored_score_error(error, std::abs(static_cast<double>(score)) + bias, scale,
                                   arithmetic);
      if (options.bias) score += Wide((*options.bias)(i, j));
      const double dot = sizes[j] + d * lambda;
      result.reach(i) = std::max({result.reach(i), 2 * dot, 2 * (scale * dot + bias)});
    }
  }
  return result;
}

namespace detail {

//! [RescaledOutputs]
/// The least ρ: u, or 3(B + 1)u where outputs are rescaled with what underflow has taken from them.
inline double least_weight_error(std::size_t keys, const SoftmaxArithmetic& by) {
  const double passes = static_cast<double>(by.most_rescalings(keys)) + 1;
  return by.rescales_outputs ? 3 * passes * by.unit_roundoff : by.unit_roundoff;
}
//! [RescaledOutputs]

}  // namespace detail

//! [WeightsOfRoundedScores]
namespace detail {

/// A row of scores, and what its errors are made of.
template <class Wide>
struct RoundedScores {
  RoundedScores(const ColumnOf<Wide>& exact, double score_error,
                const SoftmaxArithmetic& arithmetic)
      : scores(exact),
        error(score_error),
        size(std::abs(static_cast<double>(exact.maxCoeff()))),
        moved(exact.size() == 1 && !arithmetic.by_lse ? 0 : score_error),
        products(error_of_products(size + score_error, arithmetic)),
        // Quotients need only distances from the greatest; a double may hold those, but not the scores.
        differences((exact.array() - exact.maxCoeff()).matrix().template cast<double>()) {
    require_at_least("the error of the scores", score_error, 0);
  }

  const ColumnOf<Wide>& scores;
  double error, size, moved,
      products;  // E₁, |max s|, E without and what rounded products add to it
  Eigen::VectorXd differences;
};

/// Sets p⁺ and ρ of a row.
/// \return p.
template <class Wide>
Eigen::VectorXd quotient_errors(const RoundedScores<Wide>& row, const SoftmaxArithmetic& arithmetic,
                                AttentionWeightErrors& errors) {
  const bool quotients = !arithmetic.by_lse;
  const double E = row.moved + row.products;
  const Eigen::Index m = row.scores.size();
  const SoftmaxArithmetic unstored = arithmetic.stored_in(FormatLimits());
  ErrorTerms terms = error_terms(row.differences, 1.0, unstored, E);
  terms.maximum = row.size;
  if (arithmetic.by_lse) terms.divided = 5;  // as for logarithms
  const double first_cut = cut_of_weights(terms, arithmetic);
  const SoftmaxErrorBound bound = weights_error_bound(terms, unstored);

  const double uw = arithmetic.weight_roundoff;
  const double offset = std::ldexp(1.0, -static_cast<int>(arithmetic.weight_offset));
  const double largest =
      std::ldexp(arithmetic.weight_largest * offset, -static_cast<int>(arithmetic.lag));
  const double least = least_weight_error(static_cast<std::size_t>(m), arithmetic);
  const double of_scores = std::expm1(quotients ? 2 * E : 0);
  // a is (A + 2)η, so a/u is this; in multiples of λ it is no subnormal number.
  // Where nothing is promised, ρ says so, and p⁺ stays finite: no infinity meets a value of 0.
  const double of_stored = uw > 0 ? arithmetic.weight_smallest * offset / (2 * uw) : 0;
  const double lost =
      terms.grown * (2 * (terms.exp_error + 2) * underflow_threshold(arithmetic) + of_stored);
  errors.weights.resize(1, m);
  errors.relative.resize(1, m);
  for (Eigen::Index j = 0; j < m; ++j) {
    const double r = bound.relative[j], p = terms.weights[j];
    // (1 + r)e^(2E) − 1, without cancellation; it is infinite if r is, also for E = 0.
    double rho =
        std::isinf(r) ? vacuous_bound : std::max(with_margin(r + (1 + r) * of_scores), least);
    // A weight that may be 0 without underflow is paid for by its own p⁺.
    const double cut = terms.each[j] >= first_cut ? p / rho : 0;
    if (uw > 0) rho = 1 + rho > largest ? vacuous_bound : with_margin(rho + uw * (1 + rho));
    errors.relative(j) = rho;
    errors.weights(j) = std::isinf(rho) ? 1 : with_margin(p + lost + cut);
  }
  return std::move(terms.weights);
}

/// The errors of logarithms of a row: of scores that are off, of five roundings at most; rounded
/// products as in softmax.
template <class Wide>
void logarithm_errors(const RoundedScores<Wide>& row, const SoftmaxArithmetic& arithmetic,
                      AttentionWeightErrors& errors) {
  const double u = arithmetic.unit_roundoff, moved = row.moved;
  const Eigen::Index m = row.scores.size();
  const double charged = std::isinf(arithmetic.exp_cut) ? row.products : row.error + row.products;
  ErrorTerms logs = error_terms(row.differences, 1.0, arithmetic, charged);
  const double more =
      logs.of_exponent * u * (2 * moved + std::expm1(2 * moved) * std::log(static_cast<double>(m)));
  logs.of_sum += more;
  logs.at_maximum += more;
  logs.valid = logs.valid && logs.at_maximum + logs.theta < 0.5;
  logs.moved = row.products;
  logs.maximum = row.size + row.error;
  logs.log_sum += 2 * moved;
  logs.divided = 5;
  const double beta = log_sum_exp_error_bound(logs, arithmetic);
  errors.log_sum_exps.setConstant(1, with_margin(row.error + beta));
  errors.log_weights.resize(1, m);
  for (Eigen::Index j = 0; j < m; ++j) {
    const double reach = logs.each[j] + 2 * moved + logs.log_sum + beta;
    const double error = 2 * moved + beta + 2 * u * reach / (1 - logs.theta) +
                         2 * log_error_of_products(logs.maximum + reach, logs, arithmetic);
    const bool fits = fits_in_range(reach + error, arithmetic.largest);
    errors.log_weights(j) = fits ? with_margin(error) : vacuous_bound;
  }
}

}  // namespace detail

template <class Wide>
AttentionWeightErrors weight_errors(const Eigen::Matrix<Wide, Eigen::Dynamic, 1>& scores,
                                    double score_error, const SoftmaxArithmetic& arithmetic) {
  const detail::RoundedScores<Wide> row(scores, score_error, arithmetic);
  AttentionWeightErrors errors;
  detail::quotient_errors(row, arithmetic, errors);
  detail::logarithm_errors(row, arithmetic, errors);
  return errors;
}
//! [WeightsOfRoundedScores]

namespace detail {

/// attention_weight_errors(), without what logarithms need if that is not wanted.
/// \param exact if given, gets the exact weights.
template <class Wide, class Queries, class Keys>
AttentionWeightErrors weight_errors_of(
    const Eigen::MatrixBase<Queries>& queries, const Eigen::MatrixBase<Keys>& keys,
    const AttentionOptions<Compute<typename Queries::Scalar>>& options,
    const SoftmaxArithmetic& arithmetic, bool logarithms, Rows<Wide>* exact = nullptr) {
  const auto scores = attention_score_errors<Wide>(queries, keys, options, arithmetic);
  const Visibility visibility(options, queries.rows(), keys.rows());
  const SoftmaxArithmetic by =
      arithmetic.with(&SoftmaxArithmetic::keys, static_cast<std::size_t>(keys.rows()));
  AttentionWeightErrors errors;
  errors.weights.setZero(queries.rows(), keys.rows());
  errors.relative = errors.weights;
  if (logarithms) errors.log_weights = errors.weights;
  if (exact != nullptr) exact->setConstant(queries.rows(), keys.rows(), Wide(0));
  errors.log_sum_exps.setZero(queries.rows());
  for (Eigen::Index i = 0; i < queries.rows(); ++i) {
    const std::vector<Eigen::Index> seen = visibility.of(i);
    if (seen.empty()) continue;
    const auto gathered = [&](const auto& of) {
      ColumnOf<Wide> row(static_cast<Eigen::Index>(seen.size()));
      for (Eigen::Index a = 0; a < row.size(); ++a) row[a] = of[seen[static_cast<std::size_t>(a)]];
      return row;
    };
    const auto scatter = [&](const auto& row, auto& to) {
      for (Eigen::Index a = 0; a < row.size(); ++a)
        to(i, seen[static_cast<std::size_t>(a)]) = row(a);
    };
    const ColumnOf<Wide> of_seen = gathered(scores.scores.row(i));
    AttentionWeightErrors row;
    if (!fits_in_range(scores.reach(i), largest_score(arithmetic))) {
      row.weights.setConstant(1, of_seen.size(), 1);
      row.relative.setConstant(1, of_seen.size(), vacuous_bound);
      row.log_weights = row.relative;
      row.log_sum_exps.setConstant(1, vacuous_bound);
      if (exact != nullptr) scatter(softmax(of_seen), *exact);
    } else {
      const RoundedScores<Wide> rounded(of_seen, scores.error.row(i).maxCoeff(), by);
      const Eigen::VectorXd weights = quotient_errors(rounded, by, row);
      if (logarithms) logarithm_errors(rounded, by, row);
      if constexpr (std::is_same_v<Wide, double>) {
        if (exact != nullptr) scatter(weights, *exact);
      } else {
        if (exact != nullptr) scatter(softmax(of_seen), *exact);
      }
    }
    scatter(row.weights, errors.weights);
    scatter(row.relative, errors.relative);
    if (!logarithms) continue;
    scatter(row.log_weights, errors.log_weights);
    errors.log_sum_exps(i) = row.log_sum_exps(0);
  }
  return errors;
}

}  // namespace detail

template <class Wide, class Queries, class Keys>
AttentionWeightErrors attention_weight_errors(
    const Eigen::MatrixBase<Queries>& queries, const Eigen::MatrixBase<Keys>& keys,
    const AttentionOptions<Compute<typename Queries::Scalar>>& options,
    const SoftmaxArithmetic& arithmetic) {
  return detail::weight_errors_of<Wide>(queries, keys, options, arithmetic, true);
}

}  // namespace sqrtdk
