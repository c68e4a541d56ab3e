// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Columns of numbers: in which type they are computed with, their greatest, their sum.
#pragma once

#include <sqrtdk/numbers/float_environment.hpp>

#include <Eigen/Core>

#include <cstddef>
#include <span>
#include <type_traits>

namespace sqrtdk {

/// \name The type in which numbers are computed with
/// Numbers stored in half precision are computed with in `float` and rounded once, at the end.
/// \{
template <class Scalar>
struct ComputeType {
  using type = Scalar;  ///< the scalar itself, unless a specialization says otherwise
};
template <>
struct ComputeType<Eigen::half> {
  using type = float;  ///< binary16 is for storage
};
template <>
struct ComputeType<Eigen::bfloat16> {
  using type = float;  ///< bfloat16 is for storage
};
/// The type that a scalar is computed in: float for the two storage types, else its own.
template <class Scalar>
using Compute = typename ComputeType<std::remove_cv_t<Scalar>>::type;
/// \}

/// A column of any length.
template <class Real>
using ColumnOf = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

namespace detail {

/// Numbers that were computed with, in the type and shape of an argument, a row or a column.
template <class Derived, class Real>
typename Derived::PlainObject in_shape_of(const Eigen::MatrixBase<Derived>& argument,
                                          const ColumnOf<Real>& numbers);

/// The greatest of n ≥ 1 numbers, or NaN if one of them is NaN.
template <class Real>
Real max_or_nan(const ColumnOf<Real>& x);

}  // namespace detail

/// The sum of n numbers by halves, down to blocks of eight that are added one after the other.
///
/// No number goes through more than ⌈log₂ n⌉ + 8 additions.
///
/// \param numbers n numbers, n at least 0; any scalar with addition.
template <class Scalar>
Scalar pairwise_sum(std::span<const Scalar> numbers);

/// pairwise_sum() of a matrix or an array.
template <class Derived>
typename Derived::Scalar pairwise_sum(const Eigen::PlainObjectBase<Derived>& numbers);

// Implementation

namespace detail {

template <class Derived, class Real>
typename Derived::PlainObject in_shape_of(const Eigen::MatrixBase<Derived>& argument,
                                          const ColumnOf<Real>& numbers) {
  using Scalar = typename Derived::Scalar;
  typename Derived::PlainObject result(argument.rows(), argument.cols());
  for (Eigen::Index i = 0; i < numbers.size(); ++i) result.coeffRef(i) = Scalar(numbers[i]);
  return result;
}

template <class Real>
Real max_or_nan(const ColumnOf<Real>& x) {
  Real largest = x[0];
  for (const Real& number : x) {
    if (number != number) return number;
    if (number > largest) largest = number;
  }
  return largest;
}

}  // namespace detail

template <class Scalar>
Scalar pairwise_sum(std::span<const Scalar> numbers) {
  constexpr std::size_t block = 8;
  if (numbers.size() > block) {
    const std::size_t half = numbers.size() / 2;
    return pairwise_sum(numbers.first(half)) + pairwise_sum(numbers.subspan(half));
  }
  Scalar sum = numbers.empty() ? Scalar(0) : numbers[0];
  for (std::size_t i = 1; i < numbers.size(); ++i) sum += numbers[i];
  return sum;
}

template <class Derived>
typename Derived::Scalar pairwise_sum(const Eigen::PlainObjectBase<Derived>& numbers) {
  return pairwise_sum(std::span<const typename Derived::Scalar>(
      numbers.data(), static_cast<std::size_t>(numbers.size())));
}

}  // namespace sqrtdk
