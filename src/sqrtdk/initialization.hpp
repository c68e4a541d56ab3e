// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref initialization : do queries and keys really have unit variance?
#pragma once

#include <sqrtdk/moments.hpp>
#include <sqrtdk/moments/finite_distribution.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/numbers/require.hpp>
#include <sqrtdk/score.hpp>
#include <sqrtdk/score/dependence.hpp>

#include <Eigen/Core>
#include <boost/math/distributions/normal.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace sqrtdk {

/// y = centred / √squared_divisor, a layer normalization before its root: both parts are rational.
struct StandardizedFeatures {
  std::vector<Rational> centred;  ///< xᵢ − m, where m is the mean over the features
  Rational squared_divisor;       ///< s² + ε, where s² is the variance over the features
};

/// Layer normalization of one input, exactly: yᵢ = (xᵢ − m) / √(s² + ε).
/// \param features x, at least one number.
/// \param epsilon  ε, at least 0; greater than 0 if all features are equal.
/// \throws std::invalid_argument if there are no features.
/// \throws std::domain_error if ε is negative, or if s² + ε is 0.
/// \implements{LayerNormStandardizes}
/// \source{ba2016}.
/// \relatesalso StandardizedFeatures
StandardizedFeatures standardize(const std::vector<Rational>& features, const Rational& epsilon);

/// The mean over features, (1/n) Σxᵢ.
/// \param features x, at least one number.
/// \throws std::invalid_argument if there are no features.
Rational feature_mean(const std::vector<Rational>& features);

/// The mean square over features, (1/n) Σxᵢ².
/// \param features x, at least one number.
/// \throws std::invalid_argument if there are no features.
Rational feature_mean_square(const std::vector<Rational>& features);

/// The mean square of a layer-normalized input, s² / (s² + ε).
/// \param variance s², the variance over the features before, at least 0.
/// \param epsilon  ε, at least 0; greater than 0 if s² is 0.
/// \throws std::domain_error if one is negative, or both are 0.
/// \implements{LayerNormStandardizes}
Rational mean_square_after_layer_norm(const Rational& variance, const Rational& epsilon);

/// Layer normalization of each row of a matrix, as models compute it: yᵢ = (xᵢ − m) / √(s² + ε).
///
/// No square overflows or vanishes, however large or small the features are, and rows of features
/// that hardly differ keep the bound. A row that holds an infinity or NaN becomes NaN.
///
/// \param rows    positions × features, at least one feature; binary floating-point numbers.
/// \param epsilon ε, at least 0 and finite; greater than 0 if all features of a row are equal.
/// \return positions × features, each off by layer_norm_error() at most; gain and bias, where a
///         model has them, are the caller's to apply.
/// \throws std::invalid_argument if there are no features.
/// \throws std::domain_error if ε is negative, infinite or NaN, or if it is 0 and all features of a
///                           row are equal.
/// \implements{LayerNormInFloatingPoint}
template <class Derived>
typename Derived::PlainObject layer_norm(const Eigen::MatrixBase<Derived>& rows,
                                         const typename Derived::Scalar& epsilon);

/// Bounds the error of an entry of layer_norm() against yᵢ: (n + 4)² machine epsilons.
/// \param features n, at least 1 and so few that (n + 4)² machine epsilons are at most ⅛.
/// \throws std::domain_error if there are no features, or too many for the bound.
/// \implements{LayerNormInFloatingPoint}
template <class Scalar>
Scalar layer_norm_error(std::size_t features);

/// The variance 2 / (fan_in + fan_out) of each weight under Xavier (Glorot) initialization.
/// \param fan_in  columns of the weight matrix: the width of the input.
/// \param fan_out rows of the weight matrix: the width of the output.
/// \throws std::domain_error if a width is 0.
/// \implements{XavierKeepsUnitVariance}
/// \source{glorot2010}, equation 12.
Rational xavier_variance(std::size_t fan_in, std::size_t fan_out);

/// The square 6 / (fan_in + fan_out) of the limit a of the uniform form, weights on (−a, a).
/// \param fan_in  the width of the input.
/// \param fan_out the width of the output.
/// \throws std::domain_error if a width is 0.
/// \implements{XavierKeepsUnitVariance}
/// \source{glorot2010}, equation 16.
Rational squared_xavier_limit(std::size_t fan_in, std::size_t fan_out);

/// The variance over the weights of a coordinate of Wx, for a fixed x:
/// (mean square of x) · 2 fan_in / (fan_in + fan_out).
/// \param input_mean_square (1/fan_in) Σxᵢ², at least 0; 1 after layer normalization.
/// \param fan_in            the width of the input.
/// \param fan_out           the width of the output, as the weights are initialized: of all heads,
///                          or of queries, keys and values, if they are stored as one matrix.
/// \throws std::domain_error if a width is 0 or the mean square negative.
/// \implements{XavierKeepsUnitVariance}
Rational projected_variance(const Rational& input_mean_square, std::size_t fan_in,
                            std::size_t fan_out);

/// The distribution of one coordinate Σwᵢxᵢ of Wx for independent weights and a fixed input.
/// \param input  x, at least one number.
/// \param weight the distribution of each weight.
/// \throws std::invalid_argument if the input is empty.
RationalDistribution projection_distribution(const std::vector<Rational>& input,
                                             const RationalDistribution& weight);

/// A matrix of entries drawn row by row.
/// \param rows, columns the shape.
/// \param draw          a callable without arguments that draws an entry.
template <class Draw>
Eigen::MatrixXd drawn_matrix(std::size_t rows, std::size_t columns, Draw&& draw);

/// Weights under Xavier's uniform distribution, each entry (2u − 1)√(6 / (fan_in + fan_out)).
/// \param fan_out rows.
/// \param fan_in  columns.
/// \param uniform a callable without arguments that draws from (0, 1), once an entry, row by row.
/// \throws std::domain_error if a width is 0.
/// \implements{XavierKeepsUnitVariance}
template <class Uniform>
Eigen::MatrixXd xavier_uniform(std::size_t fan_out, std::size_t fan_in, Uniform&& uniform);

/// A weight matrix under Xavier's normal distribution, each entry Φ⁻¹(u)√(2 / (fan_in + fan_out)).
/// \param fan_out rows.
/// \param fan_in  columns.
/// \param uniform a callable without arguments that draws from (0, 1), once an entry, row by row.
/// \throws std::domain_error if a width is 0.
/// \implements{XavierKeepsUnitVariance}
template <class Uniform>
Eigen::MatrixXd xavier_normal(std::size_t fan_out, std::size_t fan_in, Uniform&& uniform);

/// Mean ρd and variance d(1 + ρ²) of the score of standard normal entries with correlation ρ
/// between qᵢ and kᵢ.
/// \param d           the head dimension, at least 1.
/// \param correlation ρ, from −1 to 1.
/// \throws std::domain_error if d is 0 or the correlation is outside its range.
/// \implements{TrainedScores}
/// \relatesalso Moments
Moments trained_score_moments(std::size_t d, const Rational& correlation);

/// The mean square (ρ²d² + (1 + ρ²)d) / c² of such a score after division by c.
/// \param d               the head dimension, at least 1.
/// \param correlation     ρ, from −1 to 1.
/// \param squared_divisor c², greater than 0: d for the usual scale, d² for 1/d.
/// \throws std::domain_error if an argument is outside its range.
/// \implements{TrainedScores}
Rational trained_mean_square_left(std::size_t d, const Rational& correlation,
                                  const Rational& squared_divisor);

// Implementation

namespace detail {

inline void require_features(std::size_t count) {
  if (count == 0) throw std::invalid_argument("there are 0 features, but at least 1 is needed");
}

inline void require_divisible(const Rational& variance, const Rational& epsilon) {
  require_at_least("the variance", variance, 0);
  require_at_least("epsilon", epsilon, 0);
  if (variance + epsilon == 0)
    throw std::domain_error(
        "all features are equal and epsilon is 0, but one of the two must not be so");
}

//! [LayerNormInFloatingPoint]
template <class Row, class Scalar>
void normalize_features(Row&& row, const Scalar& epsilon) {
  using std::frexp;
  using std::ldexp;
  using std::sqrt;
  using Limits = std::numeric_limits<Scalar>;
  if (!row.allFinite()) {
    row.setConstant(Limits::quiet_NaN());
    return;
  }
  Scalar shrunk_epsilon = epsilon;
  if (row.cwiseAbs().maxCoeff() > (Limits::max)() / Scalar(4)) {  // so that no difference overflows
    row /= Scalar(4);
    shrunk_epsilon /= Scalar(16);
  }
  // Less the first feature, equal features are exact zeros; less their rounded mean, they are not.
  const Scalar first = row(0);
  row.array() -= first;
  const Scalar reach = row.cwiseAbs().maxCoeff();
  if (reach == Scalar(0)) {
    if (epsilon == Scalar(0))
      throw std::domain_error(
          "all features are equal and epsilon is 0, but one of the two must not be so");
    return;
  }
  // A power of two that brings the greater of |x| and √ε to between ½ and 1.
  int exponent = 0;
  frexp(std::max<Scalar>(reach, Scalar(sqrt(shrunk_epsilon))), &exponent);
  for (Scalar& x : row) x = Scalar(ldexp(x, -exponent));
  const auto n = static_cast<Scalar>(static_cast<double>(row.size()));
  const Scalar mean = row.sum() / n;
  row.array() -= mean;
  const Scalar variance = row.squaredNorm() / n;
  row /= Scalar(sqrt(Scalar(variance + Scalar(ldexp(shrunk_epsilon, -2 * exponent)))));
}
//! [LayerNormInFloatingPoint]

inline void require_widths(std::size_t fan_in, std::size_t fan_out) {
  if (fan_in == 0 || fan_out == 0)
    throw std::domain_error("the weight matrix is " + std::to_string(fan_out) + " x " +
                            std::to_string(fan_in) + ", but must have rows and columns");
}

}  // namespace detail

template <class Draw>
Eigen::MatrixXd drawn_matrix(std::size_t rows, std::size_t columns, Draw&& draw) {
  Eigen::MatrixXd matrix(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(columns));
  for (Eigen::Index i = 0; i < matrix.rows(); ++i)
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) matrix(i, j) = draw();
  return matrix;
}

inline Rational feature_mean(const std::vector<Rational>& features) {
  detail::require_features(features.size());
  Rational total = 0;
  for (const Rational& x : features) total += x;
  return total / Rational(features.size());
}

inline Rational feature_mean_square(const std::vector<Rational>& features) {
  detail::require_features(features.size());
  return dot_product(features, features) / Rational(features.size());
}

//! [LayerNormStandardizes]
inline StandardizedFeatures standardize(const std::vector<Rational>& features,
                                        const Rational& epsilon) {
  const Rational mean = feature_mean(features);
  std::vector<Rational> centred;
  for (const Rational& x : features) centred.push_back(x - mean);
  const Rational variance = feature_mean_square(centred);  // s², over n and not n − 1
  detail::require_divisible(variance, epsilon);
  return {centred, variance + epsilon};
}

inline Rational mean_square_after_layer_norm(const Rational& variance, const Rational& epsilon) {
  detail::require_divisible(variance, epsilon);
  return variance / (variance + epsilon);
}
//! [LayerNormStandardizes]

template <class Derived>
typename Derived::PlainObject layer_norm(const Eigen::MatrixBase<Derived>& rows,
                                         const typename Derived::Scalar& epsilon) {
  using Scalar = typename Derived::Scalar;
  detail::require_features(static_cast<std::size_t>(rows.cols()));
  detail::require_at_least_finite("epsilon", epsilon, Scalar(0));
  typename Derived::PlainObject normalized = rows;
  for (Eigen::Index i = 0; i < normalized.rows(); ++i)
    detail::normalize_features(normalized.row(i), epsilon);
  return normalized;
}

template <class Scalar>
Scalar layer_norm_error(std::size_t features) {
  if (features == 0) throw std::domain_error("there are 0 features, but at least 1 is needed");
  const auto n_plus_4 = static_cast<Scalar>(static_cast<double>(features) + 4);
  // Of the digits, since the epsilon of Eigen 3.4 for half precision is an eighth of what it is.
  using std::ldexp;
  const auto bound =
      static_cast<Scalar>(ldexp(n_plus_4 * n_plus_4, 1 - std::numeric_limits<Scalar>::digits));
  if (!(bound <= Scalar(0.125)))
    throw std::domain_error("there are " + std::to_string(features) +
                            " features, but the bound is for fewer in this format");
  return bound;
}

//! [XavierKeepsUnitVariance]
inline Rational xavier_variance(std::size_t fan_in, std::size_t fan_out) {
  detail::require_widths(fan_in, fan_out);
  return Rational(2) / (Rational(fan_in) + Rational(fan_out));
}

inline Rational squared_xavier_limit(std::size_t fan_in, std::size_t fan_out) {
  return 3 * xavier_variance(fan_in, fan_out);  // the variance on (−a, a) is a²/3
}

inline Rational projected_variance(const Rational& input_mean_square, std::size_t fan_in,
                                   std::size_t fan_out) {
  detail::require_at_least("the mean square", input_mean_square, 0);
  return input_mean_square * Rational(fan_in) * xavier_variance(fan_in, fan_out);
}
//! [XavierKeepsUnitVariance]

inline RationalDistribution projection_distribution(const std::vector<Rational>& input,
                                                    const RationalDistribution& weight) {
  detail::require_features(input.size());
  RationalDistribution total = RationalDistribution::uniform({0});
  for (const Rational& x : input)
    total = sum(total, weight.image([&](const Rational& w) { return Rational(w * x); }));
  return total;
}

template <class Uniform>
Eigen::MatrixXd xavier_uniform(std::size_t fan_out, std::size_t fan_in, Uniform&& uniform) {
  const double limit = std::sqrt(squared_xavier_limit(fan_in, fan_out).convert_to<double>());
  return drawn_matrix(fan_out, fan_in, [&] { return (2 * uniform() - 1) * limit; });
}

template <class Uniform>
Eigen::MatrixXd xavier_normal(std::size_t fan_out, std::size_t fan_in, Uniform&& uniform) {
  const double deviation = std::sqrt(xavier_variance(fan_in, fan_out).convert_to<double>());
  const boost::math::normal distribution(0, deviation);
  return drawn_matrix(fan_out, fan_in, [&] { return quantile(distribution, uniform()); });
}

//! [TrainedScores]
inline Moments trained_score_moments(std::size_t d, const Rational& correlation) {
  return {correlated_normal_mean(d, correlation), correlated_normal_variance(d, correlation)};
}

inline Rational trained_mean_square_left(std::size_t d, const Rational& correlation,
                                         const Rational& squared_divisor) {
  detail::require_positive("the squared divisor", squared_divisor);
  const Moments score = trained_score_moments(d, correlation);
  return (score.variance() + score.mean() * score.mean()) / squared_divisor;
}
//! [TrainedScores]

}  // namespace sqrtdk
