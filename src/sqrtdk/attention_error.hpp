// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref attention_error : how far computed attention can be from the formula.
///
/// The bounds are computed in double precision: arguments are 0 or within its range. What that
/// rounds, bound_margin makes up for.
#pragma once

#include <sqrtdk/attention.hpp>
#include <sqrtdk/softmax_error.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace sqrtdk {

/// γ_k = ku/(1 − ku): what k roundings can do to a number, relative to it.
/// \param roundings k.
/// \param u         the unit roundoff.
/// \return at most 1; +∞ if ku is above ½, where nothing is promised.
double rounding_bound(double roundings, double u);

/// λ = η/(2u), in the formats of IEEE 754 the smallest normal number: what underflow takes from a
/// product is no more than what a rounding takes from λ.
double underflow_threshold(const SoftmaxArithmetic& arithmetic);

/// How far a computed score can be from the exact one: with A = Σ|qₗkₗ| and f the factor,
/// E = γ_{d+2}(|f|(A + dλ) + λ), and with a bias b γ_{d+3}(|f|(A + dλ) + λ) + u|b|.
///
/// For a score that is computed in this order: the products are added, in any order; the sum is
/// divided by the rounded root of d, or multiplied by a given scale; the bias is added.
/// Implements \ref ScoreRounding.
/// \param d          the head dimension.
/// \param scale      |f|, 1/√d or the scale that is given.
/// \param magnitude  A.
/// \param bias       |b|, if one is added.
/// \param arithmetic what the score is computed with.
double score_error_bound(double d, double scale, double magnitude,
                         const std::optional<double>& bias, const SoftmaxArithmetic& arithmetic);

/// Exact scores, and how far computed ones can be from them.
template <class Wide>
struct AttentionScoreErrors {
  Eigen::Matrix<Wide, Eigen::Dynamic, Eigen::Dynamic> scores;  ///< n × m with biases; 0 if masked
  Eigen::MatrixXd error;                                       ///< E, n × m; 0 if masked
  double reach = 0;  ///< no number on the way is larger, if E is right
};

/// score_error_bound() of every query and every key that it sees.
///
/// Implements \ref ScoreRounding.
/// \tparam Wide the type that exact scores are computed in: its own rounding is not counted, so
///              give it 20 bits more than the arithmetic that is judged.
/// \param queries    Q, n × d, d at least 1.
/// \param keys       K, m × d.
/// \param options    scale and masks.
/// \param arithmetic what is judged.
/// \throws as attention_weights().
template <class Wide, class Queries, class Keys>
AttentionScoreErrors<Wide> attention_score_errors(
    const Eigen::MatrixBase<Queries>& queries, const Eigen::MatrixBase<Keys>& keys,
    const AttentionOptions<Compute<typename Queries::Scalar>>& options = {},
    const SoftmaxArithmetic& arithmetic = arithmetic_of<typename Queries::Scalar>());

/// How far computed weights can be from the exact ones: abs(p̂ − p) ≤ ρp⁺.
struct AttentionWeightErrors {
  Eigen::MatrixXd weights;   ///< p⁺ = p + a/u, n × m; 0 for masked keys
  Eigen::MatrixXd relative;  ///< ρ, n × m; 0 for masked keys, +∞ if a score may overflow
};

/// The errors of softmax weights whose scores are off by E at most: with r and a those of
/// softmax_error_bound() for 2A raised by (1 + κ)(4E + (e^(2E) − 1) ln m) and ln(2/η) by 2E,
/// 1 + ρ = (1 + r)e^(2E), but ρ ≥ u, and p⁺ = p + a/u = p + 2(A + 2)λ.
///
/// Implements \ref WeightsOfRoundedScores.
/// \tparam Wide as in attention_score_errors().
/// \param scores     the exact scores, m at least 1.
/// \param off        E; not looked at if there is a single score, whose weight is 1.
/// \param arithmetic what computes the softmax; weights are not rounded to its storage.
/// \return a row.
template <class Wide>
AttentionWeightErrors weight_errors(const Eigen::Matrix<Wide, Eigen::Dynamic, 1>& scores,
                                    double off, const SoftmaxArithmetic& arithmetic);

/// weight_errors() of every query, with the largest score_error_bound() of the keys that it sees.
///
/// Implements \ref WeightsOfRoundedScores. Parameters as in attention_score_errors().
template <class Wide, class Queries, class Keys>
AttentionWeightErrors attention_weight_errors(
    const Eigen::MatrixBase<Queries>& queries, const Eigen::MatrixBase<Keys>& keys,
    const AttentionOptions<Compute<typename Queries::Scalar>>& options = {},
    const SoftmaxArithmetic& arithmetic = arithmetic_of<typename Queries::Scalar>());

/// How far a sum of monomials can be from the exact one, relative to the sum of their magnitudes:
/// (1 + ρ)^w (1 + γ_k) − 1.
///
/// Implements \ref RoundedMonomials.
/// \param rho       ρ, how far a weight can be off relative to p⁺.
/// \param weights   w, the most weights in a monomial.
/// \param roundings k, the most roundings that one goes through.
/// \param u         the unit roundoff.
double monomial_error(double rho, double weights, double roundings, double u);

/// How far a computed output can be from the exact one.
struct AttentionErrorBound {
  Eigen::MatrixXd output;  ///< n × d_v; 0 where a query sees no key
  bool vacuous = false;    ///< whether it allows 100 % of error, or cannot exclude an overflow
};

/// Bounds abs(Ô − O): Σⱼ ((1 + ρⱼ)(1 + γₘ) − 1)(p⁺ⱼ|vⱼ| + λ), and the rounding to the storage.
///
/// Implements \ref AttentionErrorBounds.
/// \param weights    the errors of the weights, n × m.
/// \param values     V, m × d_v.
/// \param arithmetic what is judged.
template <class Values>
AttentionErrorBound attention_error_bound(const AttentionWeightErrors& weights,
                                          const Eigen::MatrixBase<Values>& values,
                                          const SoftmaxArithmetic& arithmetic);

/// The same with attention_weight_errors(), for sqrtdk::scaled_dot_product_attention().
/// \tparam Wide as in attention_score_errors().
/// \param queries    Q, as in scaled_dot_product_attention(); finite numbers.
/// \param keys       K.
/// \param values     V.
/// \param options    scale and masks.
/// \param arithmetic what is judged.
template <class Wide, class Queries, class Keys, class Values>
AttentionErrorBound attention_error_bound(
    const Eigen::MatrixBase<Queries>& queries, const Eigen::MatrixBase<Keys>& keys,
    const Eigen::MatrixBase<Values>& values,
    const AttentionOptions<Compute<typename Queries::Scalar>>& options = {},
    const SoftmaxArithmetic& arithmetic = arithmetic_of<typename Queries::Scalar>());

/// How far computed derivatives can be from the exact ones.
struct AttentionGradientErrorBound {
  AttentionGradient<double> gradient;  ///< a bound for each number; 0 where nothing is seen
  bool vacuous = false;  ///< whether it allows 100 % of error, or cannot exclude an overflow
};

/// Bounds the error of attention_gradient(): (1 + ρ)^w (1 + γ_k) − 1 times the formula with
/// magnitudes, p⁺ for every weight and λ more in every product, and the rounding to the storage;
/// for dV w = 1 and k = n, for dQ w = 2 and k = d_v + 2m + 4, for dK w = 2 and k = d_v + m + n + 4.
///
/// Implements \ref AttentionErrorBounds.
/// \param weights    the errors of the weights, n × m.
/// \param scale      |f|, 1/√d or the scale that is given.
/// \param queries    Q, n × d.
/// \param keys       K, m × d.
/// \param values     V, m × d_v.
/// \param output_gradient G, n × d_v.
/// \param arithmetic what is judged.
template <class Queries, class Keys, class Values, class Outputs>
AttentionGradientErrorBound attention_gradient_error_bound(
    const AttentionWeightErrors& weights, double scale, const Eigen::MatrixBase<Queries>& queries,
    const Eigen::MatrixBase<Keys>& keys, const Eigen::MatrixBase<Values>& values,
    const Eigen::MatrixBase<Outputs>& output_gradient, const SoftmaxArithmetic& arithmetic);

/// The same with attention_weight_errors(), for sqrtdk::attention_gradient().
/// \tparam Wide as in attention_score_errors().
template <class Wide, class Queries, class Keys, class Values, class Outputs>
AttentionGradientErrorBound attention_gradient_error_bound(
    const Eigen::MatrixBase<Queries>& queries, const Eigen::MatrixBase<Keys>& keys,
    const Eigen::MatrixBase<Values>& values, const Eigen::MatrixBase<Outputs>& output_gradient,
    const AttentionOptions<Compute<typename Queries::Scalar>>& options = {},
    const SoftmaxArithmetic& arithmetic = arithmetic_of<typename Queries::Scalar>());

// ------------------------------------------------------------------------------------------------

namespace detail {

/// A bound, raised for the rounding of its own computation, and for products that underflow in it.
inline double raised(double bound) {
  return (1 + bound_margin) * bound + 4 * std::numeric_limits<double>::denorm_min();
}

template <class Derived>
Eigen::MatrixXd magnitudes_of(const Eigen::MatrixBase<Derived>& matrix) {
  return matrix.template cast<double>().cwiseAbs();
}

/// The bound of a result that is rounded once more, to the type in which it is stored.
inline double stored(double bound, double magnitude, const SoftmaxArithmetic& arithmetic) {
  return raised(bound + arithmetic.storage_roundoff * (magnitude + bound) +
                arithmetic.storage_smallest / 2);
}

/// Whether a result of this magnitude, off by that much, can be stored without overflow: a number
/// that exceeds the largest one by less than half a unit in the last place is rounded to it.
inline bool can_be_stored(double magnitude, double error, const SoftmaxArithmetic& arithmetic) {
  const double largest = (1 + arithmetic.storage_roundoff / 2) * arithmetic.storage_largest;
  return magnitude + error <= std::min(arithmetic.largest, largest);
}

}  // namespace detail

inline double rounding_bound(double roundings, double u) {
  const double part = roundings * u;
  return part <= 0.5 ? part / (1 - part) : std::numeric_limits<double>::infinity();
}

inline double underflow_threshold(const SoftmaxArithmetic& arithmetic) {
  return arithmetic.smallest / (2 * arithmetic.unit_roundoff);
}

//! [ScoreRounding]
inline double score_error_bound(double d, double scale, double magnitude,
                                const std::optional<double>& bias,
                                const SoftmaxArithmetic& arithmetic) {
  const double u = arithmetic.unit_roundoff;
  const double lambda = underflow_threshold(arithmetic);
  const double product = scale * (magnitude + d * lambda) + lambda;
  return detail::raised(bias ? rounding_bound(d + 3, u) * product + u * *bias
                             : rounding_bound(d + 2, u) * product);
}
//! [ScoreRounding]

template <class Wide, class Queries, class Keys>
AttentionScoreErrors<Wide> attention_score_errors(
    const Eigen::MatrixBase<Queries>& queries, const Eigen::MatrixBase<Keys>& keys,
    const AttentionOptions<Compute<typename Queries::Scalar>>& options,
    const SoftmaxArithmetic& arithmetic) {
  using std::abs;
  using Real = Compute<typename Queries::Scalar>;
  const detail::AttentionPass<Real> pass(queries, keys, options);
  const Eigen::Index n = queries.rows();
  const Eigen::Index m = keys.rows();
  const auto d = static_cast<double>(queries.cols());
  std::optional<Wide> wide_scale;
  if (options.scale) wide_scale = Wide(*options.scale);
  const detail::Scaling<Wide> scaling(wide_scale, queries.cols());
  const double scale = scaling.magnitude();
  const double lambda = underflow_threshold(arithmetic);

  AttentionScoreErrors<Wide> result;
  result.scores.setConstant(n, m, Wide(0));
  result.error.setZero(n, m);
  for (Eigen::Index i = 0; i < n; ++i)
    for (const Eigen::Index j : pass.visible(i)) {
      Wide sum = 0;
      Wide magnitude = 0;
      for (Eigen::Index l = 0; l < queries.cols(); ++l) {
        const Wide product = Wide(pass.queries()(i, l)) * Wide(pass.keys()(j, l));
        sum += product;
        magnitude += abs(product);
      }
      const auto size = static_cast<double>(magnitude);
      std::optional<double> bias;
      if (options.bias) bias = std::abs(static_cast<double>((*options.bias)(i, j)));
      result.scores(i, j) = scaling(sum);
      if (options.bias) result.scores(i, j) += Wide((*options.bias)(i, j));
      result.error(i, j) = score_error_bound(d, scale, size, bias, arithmetic);
      const double dot = size + d * lambda;
      result.reach = std::max({result.reach, 2 * dot, 2 * (scale * dot + bias.value_or(0))});
    }
  return result;
}

//! [WeightsOfRoundedScores]
template <class Wide>
AttentionWeightErrors weight_errors(const Eigen::Matrix<Wide, Eigen::Dynamic, 1>& scores,
                                    double off, const SoftmaxArithmetic& arithmetic) {
  const Eigen::Index m = scores.size();
  const double E = m == 1 ? 0 : off;
  SoftmaxArithmetic moved = arithmetic;
  moved.exp_error += (1 + arithmetic.exp_argument_error) *
                     (4 * E + std::expm1(2 * E) * std::log(static_cast<double>(m))) / 2;
  moved.depth_of_underflow += 2 * E;
  moved.storage_roundoff = 0;
  moved.storage_smallest = 0;
  const SoftmaxErrorBound bound =
      softmax_error_bound(scores.template cast<double>().eval(), 1.0, moved);
  const detail::Column<Wide> weights = softmax(scores);

  AttentionWeightErrors errors;
  errors.weights.resize(1, m);
  errors.relative.resize(1, m);
  for (Eigen::Index j = 0; j < m; ++j) {
    const double r = bound.relative[j];
    // (1 + r)e^(2E) − 1, without cancellation.
    errors.relative(j) =
        std::max(detail::raised(r + (1 + r) * std::expm1(2 * E)), arithmetic.unit_roundoff);
    // a is (A + 2)η, so a/u is this; in multiples of λ it is no subnormal number.
    // Where nothing is promised, ρ says so, and p⁺ stays finite: no infinity meets a value of 0.
    errors.weights(j) =
        std::isinf(errors.relative(j))
            ? 1
            : detail::raised(static_cast<double>(weights[j]) +
                             2 * (moved.exp_error + 2) * underflow_threshold(arithmetic));
  }
  return errors;
}
//! [WeightsOfRoundedScores]

template <class Wide, class Queries, class Keys>
AttentionWeightErrors attention_weight_errors(
    const Eigen::MatrixBase<Queries>& queries, const Eigen::MatrixBase<Keys>& keys,
    const AttentionOptions<Compute<typename Queries::Scalar>>& options,
    const SoftmaxArithmetic& arithmetic) {
  const auto scores = attention_score_errors<Wide>(queries, keys, options, arithmetic);
  const detail::Visibility visibility(options, queries.rows(), keys.rows());
  AttentionWeightErrors errors;
  errors.weights.setZero(queries.rows(), keys.rows());
  errors.relative.setZero(queries.rows(), keys.rows());
  const bool overflows = !detail::fits(scores.reach, arithmetic.largest);
  for (Eigen::Index i = 0; i < queries.rows(); ++i) {
    const std::vector<Eigen::Index> seen = visibility.of(i);
    if (seen.empty()) continue;
    if (overflows) {
      for (const Eigen::Index j : seen) errors.weights(i, j) = 1;
      for (const Eigen::Index j : seen) errors.relative(i, j) = detail::infinity<double>();
      continue;
    }
    const detail::Column<Wide> of_seen = scores.scores(i, seen).transpose();
    const AttentionWeightErrors row =
        weight_errors(of_seen, scores.error.row(i).maxCoeff(), arithmetic);
    errors.weights(i, seen) = row.weights;
    errors.relative(i, seen) = row.relative;
  }
  return errors;
}

//! [RoundedMonomials]
inline double monomial_error(double rho, double weights, double roundings, double u) {
  return std::expm1(weights * std::log1p(rho) + std::log1p(rounding_bound(roundings, u)));
}
//! [RoundedMonomials]

//! [AttentionErrorBounds]
template <class Values>
AttentionErrorBound attention_error_bound(const AttentionWeightErrors& weights,
                                          const Eigen::MatrixBase<Values>& values,
                                          const SoftmaxArithmetic& arithmetic) {
  const Eigen::MatrixXd& p = weights.weights;
  const Eigen::MatrixXd v = detail::magnitudes_of(values);
  const auto m = static_cast<double>(v.rows());
  const double lambda = underflow_threshold(arithmetic);
  AttentionErrorBound bound;
  bound.output.setZero(p.rows(), v.cols());
  for (Eigen::Index i = 0; i < p.rows(); ++i)
    for (Eigen::Index c = 0; c < v.cols(); ++c) {
      double error = 0;
      double magnitude = 0;
      for (Eigen::Index j = 0; j < p.cols(); ++j) {
        if (p(i, j) == 0) continue;  // masked: nothing is known of its value
        const double product = p(i, j) * v(j, c) + lambda;
        const double relative =
            monomial_error(weights.relative(i, j), 1, m, arithmetic.unit_roundoff);
        error += relative * product;
        magnitude += product;
        bound.vacuous = bound.vacuous || !(relative < 1);
      }
      if (magnitude > 0) bound.output(i, c) = detail::stored(error, magnitude, arithmetic);
      bound.vacuous = bound.vacuous || !detail::can_be_stored(magnitude, error, arithmetic);
    }
  return bound;
}

template <class Queries, class Keys, class Values, class Outputs>
AttentionGradientErrorBound attention_gradient_error_bound(
    const AttentionWeightErrors& weights, double scale, const Eigen::MatrixBase<Queries>& queries,
    const Eigen::MatrixBase<Keys>& keys, const Eigen::MatrixBase<Values>& values,
    const Eigen::MatrixBase<Outputs>& output_gradient, const SoftmaxArithmetic& arithmetic) {
  const Eigen::MatrixXd& p = weights.weights;
  const Eigen::MatrixXd q = detail::magnitudes_of(queries);
  const Eigen::MatrixXd k = detail::magnitudes_of(keys);
  const Eigen::MatrixXd v = detail::magnitudes_of(values);
  const Eigen::MatrixXd g = detail::magnitudes_of(output_gradient);
  const Eigen::Index n = q.rows();
  const Eigen::Index m = k.rows();
  const double lambda = underflow_threshold(arithmetic);

  // The formulas with magnitudes, and the largest ρ that has a part in each row of the results.
  Eigen::MatrixXd of_queries = Eigen::MatrixXd::Zero(n, q.cols());
  Eigen::MatrixXd of_keys = Eigen::MatrixXd::Zero(m, k.cols());
  Eigen::MatrixXd of_values = Eigen::MatrixXd::Zero(m, v.cols());
  Eigen::VectorXd rho_of_query = Eigen::VectorXd::Zero(n);
  Eigen::VectorXd rho_of_key = Eigen::VectorXd::Zero(m);
  Eigen::VectorXd rho_of_value = Eigen::VectorXd::Zero(m);
  double reach = 0;
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto by_weight = [&](Eigen::Index j) {
      double sum = 0;
      for (Eigen::Index c = 0; c < v.cols(); ++c) sum += g(i, c) * v(j, c) + lambda;
      return sum;
    };
    double mean = 0;
    for (Eigen::Index j = 0; j < m; ++j) {
      if (p(i, j) == 0) continue;
      mean += p(i, j) * by_weight(j) + lambda;
      rho_of_query(i) = std::max(rho_of_query(i), weights.relative(i, j));
    }
    for (Eigen::Index j = 0; j < m; ++j) {
      if (p(i, j) == 0) continue;
      const double difference = by_weight(j) + mean;
      const double by_score = p(i, j) * difference + lambda;
      for (Eigen::Index c = 0; c < v.cols(); ++c) of_values(j, c) += p(i, j) * g(i, c) + lambda;
      for (Eigen::Index l = 0; l < q.cols(); ++l) {
        of_queries(i, l) += by_score * k(j, l) + lambda;
        of_keys(j, l) += by_score * q(i, l) + lambda;
      }
      rho_of_key(j) = std::max(rho_of_key(j), rho_of_query(i));
      rho_of_value(j) = std::max(rho_of_value(j), weights.relative(i, j));
      reach = std::max({reach, difference, by_score});
    }
  }

  AttentionGradientErrorBound bound;
  const auto scaled = [&](Eigen::MatrixXd magnitudes) {
    for (double& x : magnitudes.reshaped()) {
      reach = std::max(reach, x);
      x = scale * x + lambda;
    }
    return magnitudes;
  };
  const auto errors = [&](Eigen::MatrixXd magnitudes, const Eigen::VectorXd& rho, int w,
                          Eigen::Index roundings) {
    for (Eigen::Index i = 0; i < magnitudes.rows(); ++i) {
      if (rho(i) == 0) {
        magnitudes.row(i).setZero();  // without a key, or seen by no query
        continue;
      }
      const double relative =
          monomial_error(rho(i), w, static_cast<double>(roundings), arithmetic.unit_roundoff);
      bound.vacuous = bound.vacuous || !(relative < 1);
      for (double& x : magnitudes.row(i)) {
        bound.vacuous = bound.vacuous || !detail::can_be_stored(x, relative * x, arithmetic);
        x = detail::stored(relative * x, x, arithmetic);
      }
    }
    return magnitudes;
  };
  bound.gradient.queries =
      errors(scaled(std::move(of_queries)), rho_of_query, 2, v.cols() + 2 * m + 4);
  bound.gradient.keys = errors(scaled(std::move(of_keys)), rho_of_key, 2, v.cols() + m + n + 4);
  bound.gradient.values = errors(std::move(of_values), rho_of_value, 1, n);
  // What is not vacuous is off by its magnitude at most.
  bound.vacuous = bound.vacuous || !detail::fits(2 * reach, arithmetic.largest);
  return bound;
}
//! [AttentionErrorBounds]

template <class Wide, class Queries, class Keys, class Values>
AttentionErrorBound attention_error_bound(
    const Eigen::MatrixBase<Queries>& queries, const Eigen::MatrixBase<Keys>& keys,
    const Eigen::MatrixBase<Values>& values,
    const AttentionOptions<Compute<typename Queries::Scalar>>& options,
    const SoftmaxArithmetic& arithmetic) {
  detail::require_equal_counts(keys, values);
  return attention_error_bound(attention_weight_errors<Wide>(queries, keys, options, arithmetic),
                               values, arithmetic);
}

template <class Wide, class Queries, class Keys, class Values, class Outputs>
AttentionGradientErrorBound attention_gradient_error_bound(
    const Eigen::MatrixBase<Queries>& queries, const Eigen::MatrixBase<Keys>& keys,
    const Eigen::MatrixBase<Values>& values, const Eigen::MatrixBase<Outputs>& output_gradient,
    const AttentionOptions<Compute<typename Queries::Scalar>>& options,
    const SoftmaxArithmetic& arithmetic) {
  using Real = Compute<typename Queries::Scalar>;
  detail::require_equal_counts(keys, values);
  const AttentionWeightErrors weights =
      attention_weight_errors<Wide>(queries, keys, options, arithmetic);
  detail::require_shape("the gradient of the output", output_gradient, queries.rows(),
                        values.cols());
  const double scale = detail::Scaling<Real>(options.scale, queries.cols()).magnitude();
  return attention_gradient_error_bound(weights, scale, queries, keys, values, output_gradient,
                                        arithmetic);
}

}  // namespace sqrtdk
