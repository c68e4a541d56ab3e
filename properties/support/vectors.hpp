// Column vectors of lists and of random rational numbers.
#pragma once

#include <sqrtdk/moments.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/testing/generators/rational_distributions.hpp>

#include <Eigen/Core>
#include <rapidcheck.h>

#include <cstddef>
#include <vector>

namespace sqrtdk::testing {

template <class Scalar>
Eigen::Matrix<Scalar, Eigen::Dynamic, 1> vector_of(const std::vector<Scalar>& entries) {
  return Eigen::Map<const Eigen::Matrix<Scalar, Eigen::Dynamic, 1>>(
      entries.data(), static_cast<Eigen::Index>(entries.size()));
}

/// Draws a vector, inside of a property.
/// \param n    how many entries.
/// \param name what a failure calls it.
inline Eigen::Matrix<Rational, Eigen::Dynamic, 1> any_vector(Eigen::Index n, const char* name) {
  return vector_of(
      *rc::gen::container<std::vector<Rational>>(static_cast<std::size_t>(n), any_rational())
           .as(name));
}

}  // namespace sqrtdk::testing
