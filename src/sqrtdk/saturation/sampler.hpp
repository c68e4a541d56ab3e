// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Chapter \ref saturation : the scores of random queries and keys, drawn.
#pragma once

#include <sqrtdk/numbers/float_environment.hpp>
#include <sqrtdk/numbers/require.hpp>

#include <Eigen/Core>
#include <boost/random/gamma_distribution.hpp>
#include <boost/random/normal_distribution.hpp>

#include <cmath>

namespace sqrtdk {

/// The n raw scores q·k₁, …, q·kₙ of one query, q, k₁, …, kₙ ~ N(0, I_d), without drawing a vector:
/// R·Z with R² ~ χ²_d, the squared length of q, and Z ~ N(0, I_n). One gamma and n normal variates.
/// \param dimension d, greater than 0 and finite.
/// \param count     n, at least 1.
/// \param engine    a uniform random bit generator.
/// \throws std::domain_error if an argument is out of range.
/// \implements{UnscaledSaturates}
template <class Engine>
Eigen::VectorXd sample_score_row(double dimension, Eigen::Index count, Engine& engine);

// Implementation

//! [UnscaledSaturates]
template <class Engine>
Eigen::VectorXd sample_score_row(double dimension, Eigen::Index count, Engine& engine) {
  detail::require_positive_finite("the dimension", dimension);
  detail::require_at_least("the number of keys", count, 1);
  // R²/2 ~ Gamma(d/2), and q·kⱼ = R·Zⱼ given the length R of q
  boost::random::gamma_distribution<double> half_square(dimension / 2);
  boost::random::normal_distribution<double> normal;
  const double radius = std::sqrt(2 * half_square(engine));
  Eigen::VectorXd scores(count);
  for (double& score : scores) score = radius * normal(engine);
  return scores;
}
//! [UnscaledSaturates]

}  // namespace sqrtdk
