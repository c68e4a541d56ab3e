// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref attention_error : error bounds of computed attention and its gradient.
///
/// Computed in double precision, for arguments that are 0 or in its range, with bound_margin.
#pragma once

#include <sqrtdk/attention.hpp>
#include <sqrtdk/attention/pass.hpp>
#include <sqrtdk/attention_error/weight_errors.hpp>
#include <sqrtdk/numbers/columns.hpp>
#include <sqrtdk/numbers/larger_or_nan.hpp>
#include <sqrtdk/numbers/require.hpp>
#include <sqrtdk/softmax_error.hpp>
#include <sqrtdk/softmax_error/arithmetic.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

namespace sqrtdk {

/// Bounds the error of a sum of monomials, relative to the sum of their magnitudes:
/// (1 + ρ)^w (1 + γ_k) − 1.
/// \param rho       ρ, how far a weight can be off relative to p⁺.
/// \param weights   w, the most weights in a monomial.
/// \param roundings k, the most roundings that one goes through.
/// \param u         the unit roundoff.
/// \return at least 0; +∞ if ρ is, even for w = 0, or if ku is above ½.
/// \throws std::domain_error if ρ or w is negative or NaN, or w infinite.
/// \implements{RoundedMonomials}
double monomial_error(double rho, double weights, double roundings, double u);

/// The error bounds of a computed output.
struct AttentionErrorBound {
  Eigen::MatrixXd output;  ///< n × d_v; 0 where a query sees no key, +∞ where nothing is promised
  bool vacuous = false;    ///< true if one of them is infinite
};

/// Bounds abs(Ô − O): Σⱼ ((1 + ρⱼ)(1 + γₘ) − 1)(p⁺ⱼ|vⱼ| + λ), and the rounding to the storage. For the
/// order and the format of SoftmaxArithmetic::outputs, \ref BlockedAccumulation has k and λ′ for m and
/// λ, and \ref RescaledOutputs what an output that is carried along costs.
///
/// Never NaN: +∞ where that allows 100 % of error, or an overflow cannot be excluded.
///
/// \param weights    the errors of the weights, n × m.
/// \param values     V, m × d_v.
/// \param arithmetic that of the kernel.
/// \throws std::domain_error if a value that a query sees is no finite double.
/// \implements{AttentionErrorBounds}
/// \implements{RescaledOutputs}
/// \relatesalso AttentionErrorBound
template <class Values>
AttentionErrorBound attention_error_bound(const AttentionWeightErrors& weights,
                                          const Eigen::MatrixBase<Values>& values,
                                          const SoftmaxArithmetic& arithmetic);

/// The same with attention_weight_errors(), for sqrtdk::scaled_dot_product_attention(). Where
/// subnormal numbers are flushed, what these arguments magnify is counted.
/// \tparam Wide as in attention_score_errors().
/// \param queries    Q, as in scaled_dot_product_attention(); finite numbers.
/// \param keys       K.
/// \param values     V.
/// \param options    scale and masks.
/// \param arithmetic that of the kernel.
/// \throws std::invalid_argument as scaled_dot_product_attention().
/// \throws std::domain_error as attention_score_errors(), and as above.
/// \relatesalso AttentionErrorBound
template <class Wide, class Queries, class Keys, class Values>
AttentionErrorBound attention_error_bound(
    const Eigen::MatrixBase<Queries>& queries, const Eigen::MatrixBase<Keys>& keys,
    const Eigen::MatrixBase<Values>& values,
    const AttentionOptions<Compute<typename Queries::Scalar>>& options = {},
    const SoftmaxArithmetic& arithmetic = arithmetic_of<typename Queries::Scalar>());

/// The error bounds of computed derivatives.
struct AttentionGradientErrorBound {
  /// A bound for each number; 0 where nothing is seen, +∞ where nothing is promised.
  AttentionGradient<double> gradient;
  bool vacuous = false;  ///< true if one of them is infinite
};

/// Bounds the error of attention_gradient(): (1 + ρ)^w (1 + γ_k) − 1 times the formula with
/// magnitudes, p⁺ for every weight and λ more in every product, and the rounding to the storage;
/// for dV w = 1 and k = n, for dQ w = 2 and k = d_v + 2m + 4, for dK w = 2 and k = d_v + m + n + 4, or
/// the numbers of \ref BlockedAccumulation and \ref NarrowStorage, 5, instead.
///
/// Never NaN: +∞ where that allows 100 % of error, or cannot be stored without overflow, and
/// everywhere if a number on the way may overflow.
///
/// \param weights         the errors of the weights, n × m.
/// \param scale           |f|, 1/√d or the scale that is given.
/// \param queries         Q, n × d.
/// \param keys            K, m × d.
/// \param values          V, m × d_v.
/// \param output_gradient G, n × d_v.
/// \param arithmetic      that of the kernel.
/// \throws std::domain_error if |f|, or a number that takes part in a result, is no finite double.
/// \implements{AttentionErrorBounds}
/// \relatesalso AttentionGradientErrorBound
template <class Queries, class Keys, class Values, class Outputs>
AttentionGradientErrorBound attention_gradient_error_bound(
    const AttentionWeightErrors& weights, double scale, const Eigen::MatrixBase<Queries>& queries,
    const Eigen::MatrixBase<Keys>& keys, const Eigen::MatrixBase<Values>& values,
    const Eigen::MatrixBase<Outputs>& output_gradient, const SoftmaxArithmetic& arithmetic);

/// The same with attention_weight_errors(), for sqrtdk::attention_gradient(). Where subnormal
/// numbers are flushed, what these arguments magnify is counted. With gradients_by_log_sum_exp() the
/// greater one of the two errors of each weight counts.
/// \tparam Wide as in attention_score_errors().
/// \throws std::invalid_argument as attention_gradient().
/// \throws std::domain_error as attention_score_errors(), and as above.
/// \relatesalso AttentionGradientErrorBound
template <class Wide, class Queries, class Keys, class Values, class Outputs>
AttentionGradientErrorBound attention_gradient_error_bound(
    const Eigen::MatrixBase<Queries>& queries, const Eigen::MatrixBase<Keys>& keys,
    const Eigen::MatrixBase<Values>& values, const Eigen::MatrixBase<Outputs>& output_gradient,
    const AttentionOptions<Compute<typename Queries::Scalar>>& options = {},
    const SoftmaxArithmetic& arithmetic = arithmetic_of<typename Queries::Scalar>());

// Implementation

namespace detail {

/// Magnitudes of a matrix; 0 in rows without a part in a result, which may hold anything; else a
/// std::domain_error for a number that is no finite double.
template <class Derived, class Predicate>
Rows<double> magnitudes_of(const char* name, const Eigen::MatrixBase<Derived>& matrix,
                           const Predicate& has_a_part) {
  Rows<double> sizes = Rows<double>::Zero(matrix.rows(), matrix.cols());
  for (Eigen::Index i = 0; i < sizes.rows(); ++i) {
    if (!has_a_part(i)) continue;
    sizes.row(i) = matrix.row(i).template cast<double>().cwiseAbs();
    for (const double size : sizes.row(i)) require_at_least_finite(name, size, 0);
  }
  return sizes;
}

/// The keys that have a part in any row, by their weights.
inline std::vector<bool> keys_with_a_part(const Rows<double>& weights) {
  std::vector<char> has(static_cast<std::size_t>(weights.cols()), 0);
  for (Eigen::Index i = 0; i < weights.rows(); ++i)
    for (Eigen::Index j = 0; j < weights.cols(); ++j)
      has[static_cast<std::size_t>(j)] |= static_cast<char>(weights(i, j) > 0);
  return {has.begin(), has.end()};
}

/// The bound of a result that is rounded once more, to be stored; an infinite one stays so.
inline double stored(double bound, double magnitude, const SoftmaxArithmetic& arithmetic) {
  if (std::isinf(bound)) return vacuous_bound;
  return with_margin(bound + arithmetic.storage_roundoff * (magnitude + bound) +
                     arithmetic.storage_smallest / 2);
}

/// True if a result of this magnitude, off by that much, can be stored without overflow: a number
/// that exceeds the largest one by less than half a unit in the last place is rounded to it.
inline bool can_be_stored(double magnitude, double error, const SoftmaxArithmetic& arithmetic) {
  const double largest = (1 + arithmetic.storage_roundoff / 2) * arithmetic.storage_largest;
  return magnitude + error <= std::min(arithmetic.largest, largest);
}

//! [RescaledOutputs]
/// k of an output: that of a sum over keys, and what a format that it is carried in rounds more.
inline double output_roundings(std::size_t keys, const SoftmaxArithmetic& arithmetic) {
  const Accumulator& by = arithmetic.outputs;
  const double u = arithmetic.unit_roundoff;
  const double sum = arithmetic.product_roundings(by, static_cast<double>(keys), 1);
  if (!arithmetic.rescales_outputs || by.step <= u) return sum;
  return sum + static_cast<double>(arithmetic.most_rescalings(keys)) * by.step / (1 - by.step) / u;
}

/// The largest ratio of a carried output to the result: it is not yet divided by the sum.
inline double size_of_carried(std::size_t seen, const SoftmaxArithmetic& arithmetic) {
  const unsigned bits = arithmetic.weight_offset + arithmetic.lag;
  return arithmetic.rescales_outputs ? std::ldexp(static_cast<double>(seen), static_cast<int>(bits))
                                     : 1;
}
//! [RescaledOutputs]

}  // namespace detail

//! [RoundedMonomials]
inline double monomial_error(double rho, double weights, double roundings, double u) {
  detail::require_at_least("the relative error", rho, 0);
  detail::require_at_least_finite("the number of weights", weights, 0);
  if (std::isinf(rho)) return vacuous_bound;
  return std::expm1(weights * std::log1p(rho) + std::log1p(detail::rounding_bound(roundings, u)));
}
//! [RoundedMonomials]

//! [AttentionErrorBounds]
template <class Values>
AttentionErrorBound attention_error_bound(const AttentionWeightErrors& weights,
                                          const Eigen::MatrixBase<Values>& values,
                                          const SoftmaxArithmetic& arithmetic) {
  const detail::Rows<double>& p = weights.weights;
  const std::vector<bool> has_a_part = detail::keys_with_a_part(p);
  const detail::Rows<double> v = detail::magnitudes_of(
      "the size of a value", values,
      [&](Eigen::Index j) { return has_a_part[static_cast<std::size_t>(j)]; });
  const Accumulator& by = arithmetic.outputs;
  const double lambda = arithmetic.product_threshold(by);
  const double m = detail::output_roundings(static_cast<std::size_t>(v.rows()), arithmetic);
  const double gamma = detail::rounding_bound(m, arithmetic.unit_roundoff);
  // p⁺ times (1 + ρ)(1 + γ) − 1, beyond which nothing is promised from 1 on.
  detail::Rows<double> off = p;
  Eigen::VectorXd sums = Eigen::VectorXd::Zero(p.rows()), most = sums, counts = sums;
  for (Eigen::Index i = 0; i < p.rows(); ++i)
    for (Eigen::Index j = 0; j < p.cols(); ++j) {
      if (!(p(i, j) > 0)) continue;
      const double relative = std::min(weights.relative(i, j) * (1 + gamma) + gamma, 1.0);
      off(i, j) *= relative;
      sums[i] += relative;
      most[i] = std::max(most[i], relative);
      ++counts[i];
    }
  const detail::Rows<double> errors = detail::product(off, v, false);
  // Unless results are stored, magnitudes only show that nothing overflows, which their limit may show as well.
  const double limit = p.size() > 0 && v.size() > 0 ? p.rowwise().sum().maxCoeff() * v.maxCoeff() +
                                                          lambda * static_cast<double>(p.cols())
                                                    : 0;
  const bool fits =
      arithmetic.storage_roundoff == 0 && detail::can_be_stored(limit, limit, arithmetic) &&
      2 * limit * detail::size_of_carried(static_cast<std::size_t>(p.cols()), arithmetic) <=
          std::min(by.largest, arithmetic.largest);
  const detail::Rows<double> magnitudes =
      fits ? detail::Rows<double>::Zero(p.rows(), v.cols()) : detail::product(p, v, false);
  AttentionErrorBound bound;
  bound.output.setZero(p.rows(), v.cols());
  for (Eigen::Index i = 0; i < p.rows(); ++i) {
    if (counts[i] == 0) continue;
    const double carried = detail::size_of_carried(static_cast<std::size_t>(counts[i]), arithmetic);
    for (Eigen::Index c = 0; c < v.cols(); ++c) {
      const double error = errors(i, c) + lambda * sums[i];
      const double magnitude = magnitudes(i, c) + lambda * counts[i];
      const bool kept = most[i] < 1 && detail::can_be_stored(magnitude, error, arithmetic) &&
                        carried * (magnitude + error) <= std::min(by.largest, arithmetic.largest);
      bound.output(i, c) = kept ? detail::stored(error, magnitude, arithmetic) : vacuous_bound;
      bound.vacuous = bound.vacuous || !kept;
    }
  }
  return bound;
}

namespace detail {

/// The formulas of the gradient with magnitudes, before the scale, and the largest ρ that has a
/// part in each row of the results.
struct GradientMagnitudes {
  Eigen::MatrixXd queries, keys, values;
  Eigen::VectorXd rho_of_query, rho_of_key, rho_of_value;
  double reach = 0;  ///< no number on the way is larger
};

/// Takes magnitudes q, k, v, g, and what underflow takes from a product, a stored output, and a
/// stored derivative by a score.
inline GradientMagnitudes gradient_magnitudes(const AttentionWeightErrors& weights,
                                              const Eigen::MatrixXd& q, const Eigen::MatrixXd& k,
                                              const Eigen::MatrixXd& v, const Eigen::MatrixXd& g,
                                              double lambda, double of_output, double of_stored) {
  const Rows<double>& p = weights.weights;
  const Eigen::Index n = q.rows();
  const Eigen::Index m = k.rows();
  GradientMagnitudes sums{Eigen::MatrixXd::Zero(n, q.cols()), Eigen::MatrixXd::Zero(m, k.cols()),
                          Eigen::MatrixXd::Zero(m, v.cols()), Eigen::VectorXd::Zero(n),
                          Eigen::VectorXd::Zero(m),           Eigen::VectorXd::Zero(m)};
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto of_weight = [&](Eigen::Index j) {
      double sum = 0;
      for (Eigen::Index c = 0; c < v.cols(); ++c) sum += g(i, c) * v(j, c) + lambda;
      return sum;
    };

    double mean = of_output > 0 ? of_output * g.row(i).sum() : 0;
    for (Eigen::Index j = 0; j < m; ++j) {
      if (p(i, j) == 0) continue;
      mean += p(i, j) * of_weight(j) + lambda;
      sums.rho_of_query(i) = std::max(sums.rho_of_query(i), weights.relative(i, j));
    }

    for (Eigen::Index j = 0; j < m; ++j) {
      if (p(i, j) == 0) continue;
      const double difference = of_weight(j) + mean;
      const double of_score = p(i, j) * difference + lambda + of_stored;
      for (Eigen::Index c = 0; c < v.cols(); ++c) sums.values(j, c) += p(i, j) * g(i, c) + lambda;
      for (Eigen::Index l = 0; l < q.cols(); ++l) {
        sums.queries(i, l) += of_score * k(j, l) + lambda;
        sums.keys(j, l) += of_score * q(i, l) + lambda;
      }
      sums.rho_of_key(j) = std::max(sums.rho_of_key(j), sums.rho_of_query(i));
      sums.rho_of_value(j) = std::max(sums.rho_of_value(j), weights.relative(i, j));
      sums.reach = larger_or_nan(larger_or_nan(sums.reach, difference), of_score);
    }
  }
  return sums;
}

}  // namespace detail

template <class Queries, class Keys, class Values, class Outputs>
AttentionGradientErrorBound attention_gradient_error_bound(
    const AttentionWeightErrors& weights, double scale, const Eigen::MatrixBase<Queries>& queries,
    const Eigen::MatrixBase<Keys>& keys, const Eigen::MatrixBase<Values>& values,
    const Eigen::MatrixBase<Outputs>& output_gradient, const SoftmaxArithmetic& arithmetic) {
  detail::require_at_least_finite("the size of the scale", scale, 0);
  const double u = arithmetic.unit_roundoff, us = arithmetic.storage_roundoff;
  const Accumulator& of_scores = arithmetic.scores;
  const Accumulator& by = arithmetic.outputs;
  const double lambda =
      std::max(arithmetic.product_threshold(of_scores), arithmetic.product_threshold(by));
  // The output and dS are rounded to a narrow format on the way, if anything is.
  const bool stores = arithmetic.stores_derivatives;
  const double uw = stores ? arithmetic.weight_roundoff : 0;
  const double of_output = stores && us > 0 ? arithmetic.storage_smallest / (2 * us) : 0;
  const double of_stored = uw > 0 ? arithmetic.weight_smallest / (2 * uw) : 0;
  const auto sees = [&](Eigen::Index i) { return (weights.weights.row(i).array() > 0).any(); };
  const auto is_seen = [&](Eigen::Index j) { return (weights.weights.col(j).array() > 0).any(); };
  detail::GradientMagnitudes sums = detail::gradient_magnitudes(
      weights, detail::magnitudes_of("the size of a query's entry", queries, sees),
      detail::magnitudes_of("the size of a key's entry", keys, is_seen),
      detail::magnitudes_of("the size of a value", values, is_seen),
      detail::magnitudes_of("the size of an output's derivative", output_gradient, sees), lambda,
      of_output, of_stored);
  const auto n = static_cast<double>(queries.rows()), m = static_cast<double>(keys.rows()),
             width = static_cast<double>(values.cols());

  AttentionGradientErrorBound bound;
  for (const Eigen::MatrixXd* magnitudes : {&sums.queries, &sums.keys})
    for (const double x : magnitudes->reshaped()) sums.reach = detail::larger_or_nan(sums.reach, x);
  SoftmaxArithmetic stored = arithmetic;
  stored.largest = std::min({arithmetic.largest, of_scores.largest, by.largest});
  const bool no_overflow = detail::fits_in_range(
      2 * sums.reach,
      stores ? std::min(stored.largest, arithmetic.weight_largest) : stored.largest);
  const auto scaled = [&](Eigen::MatrixXd magnitudes) {
    for (double& x : magnitudes.reshaped()) x = scale * x + lambda;
    return magnitudes;
  };
  const auto errors = [&](Eigen::MatrixXd magnitudes, const Eigen::VectorXd& rho, int w,
                          double roundings) {
    for (Eigen::Index i = 0; i < magnitudes.rows(); ++i) {
      if (rho(i) == 0) {
        magnitudes.row(i).setZero();  // without a key, or seen by no query
        continue;
      }
      const double relative = monomial_error(rho(i), w, roundings, u);
      for (double& x : magnitudes.row(i)) {
        const bool promised =
            no_overflow && relative < 1 && detail::can_be_stored(x, relative * x, stored);
        x = promised ? detail::stored(relative * x, x, arithmetic) : vacuous_bound;
        bound.vacuous = bound.vacuous || !promised;
      }
    }
    return magnitudes;
  };
  // ⟨p, dP⟩ is a sum over keys of sums over coordinates, or ⟨O, G⟩ the other way round.
  const double of_output_sum =
      detail::output_roundings(static_cast<std::size_t>(keys.rows()), arithmetic);
  const double of_mean = std::max(arithmetic.product_roundings(of_scores, width, 2) + m,
                                  arithmetic.product_roundings({}, width, 1) + of_output_sum);
  const double rest = 2 + arithmetic.scale_roundings + (stores ? (us + uw) / u : 0);
  bound.gradient.queries = errors(scaled(std::move(sums.queries)), sums.rho_of_query, 2,
                                  of_mean + arithmetic.product_roundings(by, m, 1) + rest);
  bound.gradient.keys = errors(scaled(std::move(sums.keys)), sums.rho_of_key, 2,
                               of_mean + arithmetic.product_roundings(by, n, 1) + rest);
  bound.gradient.values =
      errors(std::move(sums.values), sums.rho_of_value, 1, arithmetic.product_roundings(by, n, 1));
  return bound;
}
//! [AttentionErrorBounds]

namespace detail {

/// The largest size of a number in each row, 0 in one without any.
template <class Derived>
Eigen::VectorXd largest_sizes(const Eigen::MatrixBase<Derived>& rows) {
  Eigen::VectorXd largest = Eigen::VectorXd::Zero(rows.rows());
  for (Eigen::Index j = 0; j < rows.cols(); ++j)
    for (Eigen::Index i = 0; i < rows.rows(); ++i)
      largest[i] = std::max(largest[i], std::abs(as_double(rows(i, j))));
  return largest;
}

/// magnified() by what flushing() asks of attention: all that has a part in a result.
/// \param output_gradient G, n × d_v, or no row if nothing is derived.
template <class Queries, class Keys, class Values, class Outputs>
SoftmaxArithmetic magnified_by(const Eigen::MatrixBase<Queries>& queries,
                               const Eigen::MatrixBase<Keys>& keys,
                               const Eigen::MatrixBase<Values>& values,
                               const Eigen::MatrixBase<Outputs>& output_gradient,
                               const AttentionOptions<Compute<typename Queries::Scalar>>& options,
                               const SoftmaxArithmetic& arithmetic) {
  using Real = Compute<typename Queries::Scalar>;
  if (!arithmetic.magnifies()) return arithmetic;
  const Visibility<Real> sees(options, queries.rows(), keys.rows());
  const Eigen::VectorXd of_queries = largest_sizes(queries), of_keys = largest_sizes(keys),
                        of_values = largest_sizes(values),
                        of_outputs = largest_sizes(output_gradient);
  double q = 0, k = 0, v = 0, g = 0;
  std::vector<char> has_a_part(static_cast<std::size_t>(keys.rows()), 0);
  for (Eigen::Index i = 0; i < queries.rows(); ++i) {
    const std::vector<Eigen::Index> seen = sees.of(i);
    if (seen.empty()) continue;
    q = std::max(q, of_queries[i]);
    if (output_gradient.rows() > 0) g = std::max(g, of_outputs[i]);
    for (const Eigen::Index j : seen) has_a_part[static_cast<std::size_t>(j)] = 1;
  }
  for (Eigen::Index j = 0; j < keys.rows(); ++j) {
    if (has_a_part[static_cast<std::size_t>(j)] == 0) continue;
    k = std::max(k, of_keys[j]);
    v = std::max(v, of_values[j]);
  }
  const double scale = Scaling<Real>(options.scale, queries.cols()).magnitude();
  SoftmaxArithmetic by = arithmetic;
  if (std::max({q, k, v, g}) > arithmetic.input_format.largest) by.largest = 0;  // no promise
  double largest = std::max({scale, q, k, v, g, 2 * static_cast<double>(values.cols()) * v * g});
  // A scale that is lost itself.
  if (scale < arithmetic.smallest / 4)
    largest = std::max(largest, static_cast<double>(queries.cols()) * q * k);
  return by.magnified(std::min(largest, std::numeric_limits<double>::max()));
}

/// Exact outputs, 0 of a query that sees no key, and how far computed ones may be from them.
template <class Wide>
struct ExactOutputs {
  Rows<Wide> outputs;
  AttentionErrorBound bound;
};

/// The exact outputs with attention_error_bound(), whose arguments these are.
template <class Wide, class Queries, class Keys, class Values>
ExactOutputs<Wide> exact_outputs(const Eigen::MatrixBase<Queries>& queries,
                                 const Eigen::MatrixBase<Keys>& keys,
                                 const Eigen::MatrixBase<Values>& values,
                                 const AttentionOptions<Compute<typename Queries::Scalar>>& options,
                                 const SoftmaxArithmetic& arithmetic) {
  using Real = Compute<typename Values::Scalar>;
  require_equal_counts(keys, values);
  const SoftmaxArithmetic by =
      magnified_by(queries, keys, values, Eigen::MatrixXd(), options, arithmetic);
  Rows<Wide> weights;
  const AttentionWeightErrors errors =
      weight_errors_of<Wide>(queries, keys, options, by, false, &weights);
  const Rows<Real> by_rows = values.template cast<Real>();
  AttentionErrorBound bound = attention_error_bound(errors, by_rows, by);
  // Values that no query sees may be anything.
  const std::vector<bool> has_a_part = keys_with_a_part(errors.weights);
  Rows<Wide> wide = by_rows.template cast<Wide>();
  for (Eigen::Index j = 0; j < wide.rows(); ++j)
    if (!has_a_part[static_cast<std::size_t>(j)]) wide.row(j).setConstant(Wide(0));
  return {product(weights, wide, false), std::move(bound)};
}

}  // namespace detail

template <class Wide, class Queries, class Keys, class Values>
AttentionErrorBound attention_error_bound(
    const Eigen::MatrixBase<Queries>& queries, const Eigen::MatrixBase<Keys>& keys,
    const Eigen::MatrixBase<Values>& values,
    const AttentionOptions<Compute<typename Queries::Scalar>>& options,
    const SoftmaxArithmetic& arithmetic) {
  return detail::exact_outputs<Wide>(queries, keys, values, options, arithmetic).bound;
}

template <class Wide, class Queries, class Keys, class Values, class Outputs>
AttentionGradientErrorBound attention_gradient_error_bound(
    const Eigen::MatrixBase<Queries>& queries, const Eigen::MatrixBase<Keys>& keys,
    const Eigen::MatrixBase<Values>& values, const Eigen::MatrixBase<Outputs>& output_gradient,
    const AttentionOptions<Compute<typename Queries::Scalar>>& options,
    const SoftmaxArithmetic& arithmetic) {
  using Real = Compute<typename Queries::Scalar>;
  detail::require_equal_counts(keys, values);
  detail::require_shape("the gradient of the output", output_gradient, queries.rows(),
                        values.cols());
  const SoftmaxArithmetic by =
      detail::magnified_by(queries, keys, values, output_gradient, options, arithmetic);
  AttentionWeightErrors weights = attention_weight_errors<Wide>(queries, keys, options, by);
  if (by.gradients_by_lse && !by.by_lse) {
    const AttentionWeightErrors again =
        attention_weight_errors<Wide>(queries, keys, options, by.by_log_sum_exp());
    weights.weights = weights.weights.cwiseMax(again.weights).eval();
    weights.relative = weights.relative.cwiseMax(again.relative).eval();
  }
  const double scale = detail::Scaling<Real>(options.scale, queries.cols()).magnitude();
  return attention_gradient_error_bound(weights, scale, queries, keys, values, output_gradient, by);
}

}  // namespace sqrtdk
