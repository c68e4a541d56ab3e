// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Definitions of matrices.hpp, for numbers of any type.
#pragma once

#include <sqrtdk/testing/generators/float_classes_definitions.hpp>
#include <sqrtdk/testing/generators/floating_point_definitions.hpp>
#include <sqrtdk/testing/generators/matrices.hpp>
#include <sqrtdk/testing/generators/random_source.hpp>
#include <sqrtdk/testing/generators/shrink_float_definitions.hpp>
#include <sqrtdk/testing/laws/formats.hpp>

#include <Eigen/Core>
#include <rapidcheck.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace sqrtdk::testing {

namespace detail {

template <class T>
std::vector<T> entries(const Matrix<T>& x) {
  return {x.data(), x.data() + x.size()};
}

template <class T>
Matrix<T> matrix_from(const std::vector<T>& entries, Eigen::Index rows, Eigen::Index columns) {
  return Eigen::Map<const Matrix<T>>(entries.data(), rows, columns);
}

template <class T>
Matrix<T> without_rows(const Matrix<T>& x, Eigen::Index start, Eigen::Index count) {
  Matrix<T> rest(x.rows() - count, x.cols());
  rest << x.topRows(start), x.bottomRows(x.rows() - start - count);
  return rest;
}

/// The matrices with fewer rows, the fewest first.
template <class T>
std::vector<Matrix<T>> with_fewer_rows(const Matrix<T>& x, int fewest) {
  std::vector<Matrix<T>> result;
  for (Eigen::Index removed = x.rows(); removed > 0; removed /= 2)
    for (Eigen::Index start = 0; start < x.rows(); start += removed) {
      const Eigen::Index count = std::min(removed, x.rows() - start);
      if (x.rows() - count >= fewest) result.push_back(without_rows(x, start, count));
    }
  return result;
}

template <BinaryFloat T>
Matrix<T> draw_matrix(RandomSource& source, const Matrices<T>& allowed) {
  const int rows = source.between(allowed.fewest_rows, allowed.most_rows);
  const int columns = source.between(allowed.fewest_columns, allowed.most_columns);
  const Vectors<T> vectors = {.entries = allowed.entries};
  VectorSource<T> list(source, vectors);
  const auto list_of = [&](int n) { return list.of_length(static_cast<std::size_t>(n)); };
  switch (source.between(0, 5)) {
    case 0:
      return matrix_from(list_of(columns), 1, columns).replicate(rows, 1);
    case 1:
      return matrix_from(list_of(rows), rows, 1).replicate(1, columns);
    case 2: {
      Matrix<T> x = Matrix<T>::Zero(rows, columns);
      const int length = std::min(rows, columns);
      x.diagonal() = matrix_from(list_of(length), length, 1).col(0);
      return x;
    }
    default:
      return matrix_from(list_of(rows * columns), rows, columns);
  }
}

}  // namespace detail

template <BinaryFloat T>
std::vector<Matrix<T>> shrinks(const Matrix<T>& x, const Matrices<T>& allowed) {
  std::vector<Matrix<T>> result = detail::with_fewer_rows(x, allowed.fewest_rows);
  for (const Matrix<T>& turned : detail::with_fewer_rows<T>(x.transpose(), allowed.fewest_columns))
    result.push_back(turned.transpose());
  if (const T twice = detail::doubled(detail::entries(x), allowed.entries.largest); twice != T(0))
    for (std::size_t i = 0, smaller = result.size(); i < smaller; ++i)
      result.push_back(Matrix<T>::Constant(result[i].rows(), result[i].cols(), twice));
  for (const std::vector<T>& list :
       detail::simpler_entries(detail::entries(x), allowed.entries.largest))
    result.push_back(detail::matrix_from(list, x.rows(), x.cols()));
  return result;
}

template <BinaryFloat T>
rc::Gen<Matrix<T>> matrices(Matrices<T> allowed) {
  detail::require_valid(allowed.entries);
  if (allowed.fewest_rows < 0 || allowed.most_rows < allowed.fewest_rows ||
      allowed.fewest_columns < 0 || allowed.most_columns < allowed.fewest_columns)
    throw std::invalid_argument("Matrices: the range of rows or columns is empty or below 0");
  return generator<Matrix<T>>(
      [=](RandomSource& source) { return detail::draw_matrix(source, allowed); },
      [=](const Matrix<T>& x) { return shrinks(x, allowed); });
}

namespace detail {

template <BinaryFloat T>
std::string_view shape_name(const Matrix<T>& x) {
  const Shape shape = shape_of(entries(x));
  if (shape <= Shape::one_hot) return name(shape);
  if (x.rows() > 1 && x == x.row(0).replicate(x.rows(), 1)) return "equal rows";
  if (x.cols() > 1 && x == x.col(0).replicate(1, x.cols())) return "equal columns";
  if (x.isDiagonal(T(0))) return "diagonal";
  return name(shape);
}

}  // namespace detail

#define SQRTDK_MATRICES(prefix, Real)                                                            \
  prefix template rc::Gen<Matrix<Real>> matrices(Matrices<Real>);                                \
  prefix template std::vector<Matrix<Real>> shrinks(const Matrix<Real>&, const Matrices<Real>&); \
  prefix template std::string_view detail::shape_name(const Matrix<Real>&);
SQRTDK_FOR_EACH_FORMAT(SQRTDK_MATRICES, extern)

}  // namespace sqrtdk::testing
