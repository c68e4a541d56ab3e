// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Products of matrices, which a faster library may compute.
#pragma once

#include <Eigen/Core>

#include <atomic>
#include <type_traits>

namespace sqrtdk::detail {

/// Rows lie in one piece, since all that attention does is done with rows.
template <class Real>
using Rows = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Sets c to ab, or to abᵀ if b is transposed, with sums in any order.
using MatrixProduct = void (*)(const Rows<double>& a, const Rows<double>& b, bool transposed,
                               Rows<double>& c);

/// Computes products of matrices of double in the place of Eigen, if it is set.
inline std::atomic<MatrixProduct> matrix_product{nullptr};

/// ab, or abᵀ if b is transposed.
template <class Real>
Rows<Real> product(const Rows<Real>& a, const Rows<Real>& b, bool transposed) {
  Rows<Real> c(a.rows(), transposed ? b.rows() : b.cols());
  if constexpr (std::is_same_v<Real, double>)
    if (const MatrixProduct other = matrix_product; other != nullptr && c.size() * a.cols() > 0) {
      other(a, b, transposed, c);
      return c;
    }
  if (transposed)
    c.noalias() = a * b.transpose();
  else
    c.noalias() = a * b;
  return c;
}

}  // namespace sqrtdk::detail
