// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Laws of the backward pass of softmax, for any implementation of it.
///
/// A backward pass takes the weights p = softmax(x) and the derivative g of a loss with respect to
/// them, the cotangent, and returns the derivative of the loss with respect to x. An infinite bound
/// promises nothing, and the outcome is vacuous.
///
/// Compiled for formats.hpp; for other formats include softmax_backward_laws_definitions.hpp.
#pragma once

#include <sqrtdk/testing/laws/eigen_allocation.hpp>
#include <sqrtdk/testing/laws/outcome.hpp>

#include <Eigen/Core>

namespace sqrtdk::testing {

namespace detail {

template <class Real>
struct BackwardFunctions {
  using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
  using Backward = FunctionUnderTest<Vector(const Vector&, const Vector&)>;
};

}  // namespace detail

/// Weights, cotangents and derivatives.
template <class Real>
using BackwardVector = typename detail::BackwardFunctions<Real>::Vector;

/// Anything that computes gᵀJ: `backward(p, g)`.
template <class Real>
using BackwardFunction = typename detail::BackwardFunctions<Real>::Backward;

/// gᵀJ is p ⊙ (g − ⟨p, g⟩) within vector_jacobian_error_bound(), and sums to 0 within the sum of
/// those bounds and what the weights lack of 1.
/// \param backward the implementation.
/// \param p        n weights, n at least 1.
/// \param g        n numbers, so small that no product or sum overflows.
/// \throws std::invalid_argument as vector_jacobian_error_bound().
/// \throws std::domain_error as vector_jacobian_error_bound().
/// \relatesalso Outcome
template <class Real>
Outcome backward_accuracy_law(const BackwardFunction<Real>& backward, const BackwardVector<Real>& p,
                              const BackwardVector<Real>& g);

/// The gradient of a masked logit, whose weight is 0, is exactly 0.
/// \param backward, p, g as for backward_accuracy_law().
/// \relatesalso Outcome
template <class Real>
Outcome backward_masking_law(const BackwardFunction<Real>& backward, const BackwardVector<Real>& p,
                             const BackwardVector<Real>& g);

/// A constant added to g changes nothing beyond the bounds of both runs and the rounding of the
/// sums g + c.
/// \param backward, p, g as for backward_accuracy_law().
/// \param constant c.
/// \throws std::invalid_argument as vector_jacobian_error_bound().
/// \throws std::domain_error as vector_jacobian_error_bound().
/// \relatesalso Outcome
template <class Real>
Outcome backward_shift_law(const BackwardFunction<Real>& backward, const BackwardVector<Real>& p,
                           const BackwardVector<Real>& g, Real constant);

/// ⟨v, backward(p, g)⟩ = ⟨g, backward(p, v)⟩ within the bounds: the Jacobian is symmetric.
/// \param backward, p, g as for backward_accuracy_law().
/// \param v another cotangent.
/// \throws std::invalid_argument as vector_jacobian_error_bound().
/// \throws std::domain_error as vector_jacobian_error_bound().
/// \relatesalso Outcome
template <class Real>
Outcome backward_symmetry_law(const BackwardFunction<Real>& backward, const BackwardVector<Real>& p,
                              const BackwardVector<Real>& g, const BackwardVector<Real>& v);

}  // namespace sqrtdk::testing
