// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief The lists and matrices that laws take.
#pragma once

#include <sqrtdk/testing/laws/eigen_allocation.hpp>

#include <Eigen/Core>

#include <limits>
#include <vector>

namespace sqrtdk::testing {

/// A matrix of any size.
template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

namespace detail {

/// A list as a column, which stays where it is.
template <class Real>
Eigen::Map<const Eigen::Matrix<Real, Eigen::Dynamic, 1>> as_vector(const std::vector<Real>& x) {
  return {x.data(), static_cast<Eigen::Index>(x.size())};
}

/// True for a logit of −∞, whose weight is exactly 0: underflow makes no 0 nonzero.
template <class Real>
bool is_masked(Real logit) {
  return logit == -std::numeric_limits<Real>::infinity();
}

}  // namespace detail

}  // namespace sqrtdk::testing
