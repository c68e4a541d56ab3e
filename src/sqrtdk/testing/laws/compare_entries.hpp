// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief A computed matrix beside the exact one.
#pragma once

#include <sqrtdk/numbers/float_text.hpp>
#include <sqrtdk/testing/laws/arrays.hpp>
#include <sqrtdk/testing/laws/outcome.hpp>
#include <sqrtdk/testing/laws/wide.hpp>

#include <Eigen/Core>

#include <string>

namespace sqrtdk::testing {

namespace detail {

/// A place in a matrix, with the exact and the computed number there:
/// `the output (0, 2) is 0x1p+0 = 1 instead of 1.5`.
template <class Real>
std::string entry_text(const char* what, Eigen::Index i, Eigen::Index j, Real computed,
                       const Wide& exact);

}  // namespace detail

/// Compares a computed matrix with the exact one, entry by entry.
/// \param nearest  keeps the entry that comes nearest to its bound.
/// \param what     what an entry is, for the message.
/// \param computed any numbers that a long double holds.
/// \param exact    as many.
/// \param bound    as many: how far each may be off.
/// \relatesalso Nearest
template <class Real>
void compare_entries(Nearest& nearest, const char* what, const Matrix<Real>& computed,
                     const Matrix<Wide>& exact, const Eigen::MatrixXd& bound);

// ------------------------------------------------------------------------------------------------

namespace detail {

template <class Real>
std::string entry_text(const char* what, Eigen::Index i, Eigen::Index j, Real computed,
                       const Wide& exact) {
  return std::string(what) + " (" + std::to_string(i) + ", " + std::to_string(j) + ") is " +
         format_hex_and_decimal(static_cast<long double>(computed)) + " instead of " +
         exact.str(20);
}

}  // namespace detail

template <class Real>
void compare_entries(Nearest& nearest, const char* what, const Matrix<Real>& computed,
                     const Matrix<Wide>& exact, const Eigen::MatrixXd& bound) {
  for (Eigen::Index i = 0; i < exact.rows(); ++i)
    for (Eigen::Index j = 0; j < exact.cols(); ++j) {
      const Wide entry = wide(computed(i, j));
      nearest.compare(to_double(abs(Wide(entry - exact(i, j)))), bound(i, j),
                      [&] { return detail::entry_text(what, i, j, computed(i, j), exact(i, j)); });
    }
}

}  // namespace sqrtdk::testing
