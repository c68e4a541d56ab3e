// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Random matrices that lie where programs break, and shrink to simple ones; their text.
#pragma once

#include <sqrtdk/testing/generators/float_text.hpp>
#include <sqrtdk/testing/generators/floating_point.hpp>

#include <Eigen/Core>
#include <rapidcheck.h>

#include <algorithm>
#include <cstddef>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sqrtdk::testing {

/// A matrix of any size.
template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;

/// Which matrices are generated. Fewest and most may be equal.
template <BinaryFloat T>
struct Matrices {
  int fewest_rows = 1;     ///< the smallest number of rows, 0 or more
  int most_rows = 9;       ///< the largest number of rows
  int fewest_columns = 1;  ///< the smallest number of columns, 0 or more
  int most_columns = 17;   ///< the largest number of columns
  Floats<T> entries = {};  ///< the entries
};

/// A matrix whose entries together have any Shape, or whose rows are equal, or whose columns are
/// equal, or that is diagonal.
///
/// It shrinks to fewer rows, fewer columns, equal entries, simple entries; every step has fewer
/// entries, or simpler ones as in simpler_entries(), so that shrinking ends.
/// \throws std::invalid_argument if a range is empty.
template <BinaryFloat T>
rc::Gen<Matrix<T>> matrices(Matrices<T> allowed = {});

/// What a matrix looks like: `equal rows`, `equal columns`, `diagonal`, or the name of the Shape of
/// its entries, column by column.
template <BinaryFloat T>
std::string_view shape_name(const Matrix<T>& x);

/// A matrix is read row by row: `[[1, 2], [3, 4]]`. One without rows is `[]`.
template <class T>
struct Text<Matrix<T>>;

// ------------------------------------------------------------------------------------------------

namespace detail {

template <class T>
std::vector<T> entries(const Matrix<T>& x) {
  return {x.data(), x.data() + x.size()};
}

template <class T>
Matrix<T> matrix_from(const std::vector<T>& entries, Eigen::Index rows, Eigen::Index columns) {
  return Eigen::Map<const Matrix<T>>(entries.data(), rows, columns);
}

/// The matrix without some of its rows.
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

/// Simpler matrices, the simplest first.
template <BinaryFloat T>
std::vector<Matrix<T>> simpler(const Matrix<T>& x, const Matrices<T>& allowed) {
  std::vector<Matrix<T>> result = with_fewer_rows(x, allowed.fewest_rows);
  for (const Matrix<T>& turned : with_fewer_rows<T>(x.transpose(), allowed.fewest_columns))
    result.push_back(turned.transpose());
  if (const T twice = doubled(entries(x), allowed.entries.largest); twice != T(0))
    for (std::size_t i = 0, smaller = result.size(); i < smaller; ++i)
      result.push_back(Matrix<T>::Constant(result[i].rows(), result[i].cols(), twice));
  for (const std::vector<T>& list : simpler_entries(entries(x), allowed.entries.largest))
    result.push_back(matrix_from(list, x.rows(), x.cols()));
  return result;
}

template <BinaryFloat T>
Matrix<T> draw_matrix(Dice& dice, const Matrices<T>& allowed) {
  const int rows = dice.between(allowed.fewest_rows, allowed.most_rows);
  const int columns = dice.between(allowed.fewest_columns, allowed.most_columns);
  const Vectors<T> vectors = {.entries = allowed.entries};
  VectorDice<T> list(dice, vectors);
  const auto list_of = [&](int n) { return list.of_length(static_cast<std::size_t>(n)); };
  switch (dice.between(0, 5)) {
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
rc::Gen<Matrix<T>> matrices(Matrices<T> allowed) {
  detail::require_valid(allowed.entries);
  if (allowed.fewest_rows < 0 || allowed.most_rows < allowed.fewest_rows ||
      allowed.fewest_columns < 0 || allowed.most_columns < allowed.fewest_columns)
    throw std::invalid_argument("Matrices: the range of rows or columns is empty or below 0");
  return generator([=](Dice& dice) { return detail::draw_matrix(dice, allowed); },
                   [=](const Matrix<T>& x) { return detail::simpler(x, allowed); });
}

template <BinaryFloat T>
std::string_view shape_name(const Matrix<T>& x) {
  const Shape shape = shape_of(detail::entries(x));
  if (shape <= Shape::one_hot) return name(shape);
  if (x.rows() > 1 && x == x.row(0).replicate(x.rows(), 1)) return "equal rows";
  if (x.cols() > 1 && x == x.col(0).replicate(1, x.cols())) return "equal columns";
  if (x.isDiagonal(T(0))) return "diagonal";
  return name(shape);
}

template <class T>
struct Text<Matrix<T>> {
  static Matrix<T> read(std::string_view text) {
    const auto rows = read_text<std::vector<std::vector<T>>>(text);
    const std::size_t columns = rows.empty() ? 0 : rows.front().size();
    Matrix<T> x(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(columns));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].size() != columns) detail::refuse(text, "has rows of different lengths");
      for (std::size_t j = 0; j < columns; ++j)
        x(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = rows[i][j];
    }
    return x;
  }
};

}  // namespace sqrtdk::testing

/// \cond  Doxygen does not know the namespaces of RapidCheck.
/// What RapidCheck calls to show a matrix.
template <class T>
struct rc::detail::ShowDefault<sqrtdk::testing::Matrix<T>, false, true> {
  static void show(const sqrtdk::testing::Matrix<T>& value, std::ostream& out) {
    std::vector<std::vector<T>> rows(static_cast<std::size_t>(value.rows()));
    for (Eigen::Index i = 0; i < value.rows(); ++i)
      for (Eigen::Index j = 0; j < value.cols(); ++j)
        rows[static_cast<std::size_t>(i)].push_back(value(i, j));
    rc::show(rows, out);
  }
};
/// \endcond
