// Matrices as lists of rows, for the judges of chapter \ref attention.
#pragma once

#include <sqrtdk/numbers/rational.hpp>

#include "properties/attention/fixture.hpp"

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace sqrtdk::exercises {

using properties::Index;
using properties::RationalMatrix;

using Rows = std::vector<std::vector<Rational>>;

/// A number and a noun: "1 row", "2 rows".
inline std::string counted(const Rational& count, const std::string& what) {
  return count.str() + ' ' + what + (count == 1 ? "" : "s");
}

inline Rows rows_of(const RationalMatrix& matrix) {
  Rows rows;
  for (Index i = 0; i < matrix.rows(); ++i)
    rows.emplace_back(matrix.row(i).begin(), matrix.row(i).end());
  return rows;
}

/// \throws std::invalid_argument naming the matrix, if its rows are not equally long.
inline RationalMatrix matrix_of(const Rows& rows, const std::string& name) {
  const std::size_t columns = rows.empty() ? 0 : rows[0].size();
  RationalMatrix matrix(static_cast<Index>(rows.size()), static_cast<Index>(columns));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].size() != columns)
      throw std::invalid_argument(name + " are no matrix: row 0 has " + std::to_string(columns) +
                                  " entries, and row " + std::to_string(i) + " has " +
                                  std::to_string(rows[i].size()));
    for (std::size_t j = 0; j < columns; ++j)
      matrix(static_cast<Index>(i), static_cast<Index>(j)) = rows[i][j];
  }
  return matrix;
}

/// "2 rows of 1 number".
inline std::string shape_of(const RationalMatrix& matrix) {
  return counted(matrix.rows(), "row") + " of " + counted(matrix.cols(), "number");
}

}  // namespace sqrtdk::exercises
