// Mutants of the Jacobian of softmax, for its own chapter and that of its rounding errors.
#pragma once

#include <Eigen/Core>

namespace sqrtdk::testing {

/// The Jacobian pᵢ(δᵢⱼ − pⱼ) in any arithmetic, with other coefficients.
/// \tparam Scalar the type of numbers.
/// \tparam delta  what stands in the place of δᵢᵢ = 1.
/// \tparam sign   what pⱼ is multiplied by.
/// \param p the softmax weights.
template <class Scalar, int delta, int sign>
Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic> wrong_jacobian(
    const Eigen::Matrix<Scalar, Eigen::Dynamic, 1>& p) {
  Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic> jacobian(p.size(), p.size());
  for (Eigen::Index i = 0; i < p.size(); ++i)
    for (Eigen::Index j = 0; j < p.size(); ++j)
      jacobian(i, j) = p[i] * (Scalar((i == j) * delta) - Scalar(sign) * p[j]);
  return jacobian;
}

}  // namespace sqrtdk::testing
