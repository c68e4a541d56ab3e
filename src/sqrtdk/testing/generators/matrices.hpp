// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Random matrices that lie where programs break, and shrink to simple ones; their text.
///
/// Compiled for the formats of formats.hpp; for others include matrices_definitions.hpp.
#pragma once

#include <sqrtdk/testing/generators/binary_float.hpp>
#include <sqrtdk/testing/generators/floating_point.hpp>
#include <sqrtdk/testing/generators/rapidcheck_internals.hpp>
#include <sqrtdk/testing/laws/arrays.hpp>

#include <Eigen/Core>
#include <rapidcheck.h>

#include <cstddef>
#include <ostream>
#include <string_view>
#include <vector>

namespace sqrtdk::testing {

/// The matrices to generate. Fewest and most may be equal.
template <BinaryFloat T>
struct Matrices {
  int fewest_rows = 1;     ///< the smallest number of rows, 0 or more
  int most_rows = 9;       ///< the largest number of rows
  int fewest_columns = 1;  ///< the smallest number of columns, 0 or more
  int most_columns = 17;   ///< the largest number of columns
  Floats<T> entries = {};  ///< the numbers that may be entries
};

/// A matrix whose entries have any Shape, that has equal rows or columns, or that is diagonal.
///
/// It shrinks to fewer rows, fewer columns, and fewer different or simpler entries.
/// \throws std::invalid_argument if a range is empty or goes below 0.
/// \throws std::domain_error as floats().
/// \relatesalso Matrices
template <BinaryFloat T>
rc::Gen<Matrix<T>> matrices(Matrices<T> allowed = {});

/// Matrices simpler than a given one, the simplest first: what a matrix shrinks to.
template <BinaryFloat T>
std::vector<Matrix<T>> shrinks(const Matrix<T>& x, const Matrices<T>& allowed);

namespace detail {

/// `equal rows`, `equal columns`, `diagonal`, or the name of the Shape of the entries by columns.
template <BinaryFloat T>
std::string_view shape_name(const Matrix<T>& x);

}  // namespace detail

/// RapidCheck shows a matrix row by row.
template <class T>
struct detail::Shown<Matrix<T>> {
  static void show(const Matrix<T>& value, std::ostream& out) {
    std::vector<std::vector<T>> rows(static_cast<std::size_t>(value.rows()));
    for (Eigen::Index i = 0; i < value.rows(); ++i)
      for (Eigen::Index j = 0; j < value.cols(); ++j)
        rows[static_cast<std::size_t>(i)].push_back(value(i, j));
    rc::show(rows, out);
  }
};

}  // namespace sqrtdk::testing
