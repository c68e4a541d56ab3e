// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief A computed matrix beside the exact one.
#pragma once

#include <sqrtdk/numbers/columns.hpp>
#include <sqrtdk/numbers/float_text.hpp>
#include <sqrtdk/testing/laws/arrays.hpp>
#include <sqrtdk/testing/laws/outcome.hpp>
#include <sqrtdk/testing/laws/wide.hpp>

#include <Eigen/Core>

#include <concepts>
#include <limits>
#include <string>

namespace sqrtdk::testing {

namespace detail {

/// A number that an implementation returned, in hex and in decimal: `0x1.99999ap-4 = 0.1`.
template <class Real>
std::string computed_text(Real x);

/// The exact number beside one of a format: three digits more than identify that one.
template <class Real>
std::string wanted_text(const Wide& exact);

std::string place_in_matrix(const char* what, Eigen::Index i, Eigen::Index j);

/// `the output (0, 2) is 0x1p+0 = 1 instead of 1.5`.
template <class Real>
std::string entry_text(const char* what, Eigen::Index i, Eigen::Index j, Real computed,
                       const Wide& exact);

/// True if the bound of a logarithm says nothing: not below half of 1 and the logarithm's size.
inline bool is_vacuous(double bound, const Wide& size) { return !(2 * Wide(bound) < 1 + size); }

template <class Real>
void compare_row(Nearest& nearest, const char* what, Eigen::Index i, const Matrix<Real>& computed,
                 const Matrix<Wide>& exact, const Eigen::MatrixXd& bound);

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

namespace detail {

template <class Real>
std::string computed_text(Real x) {
  if constexpr (std::floating_point<Compute<Real>>)
    return format_hex_and_decimal(static_cast<Compute<Real>>(x));
  else
    return x.str(std::numeric_limits<Real>::max_digits10);
}

template <class Real>
std::string wanted_text(const Wide& exact) {
  return exact.str(std::numeric_limits<Real>::max_digits10 + 3);
}

inline std::string place_in_matrix(const char* what, Eigen::Index i, Eigen::Index j) {
  return std::string(what) + " (" + std::to_string(i) + ", " + std::to_string(j) + ")";
}

template <class Real>
std::string entry_text(const char* what, Eigen::Index i, Eigen::Index j, Real computed,
                       const Wide& exact) {
  return place_in_matrix(what, i, j) + " is " + computed_text(computed) + " instead of " +
         wanted_text<Real>(exact);
}

template <class Real>
void compare_row(Nearest& nearest, const char* what, Eigen::Index i, const Matrix<Real>& computed,
                 const Matrix<Wide>& exact, const Eigen::MatrixXd& bound) {
  for (Eigen::Index j = 0; j < exact.cols(); ++j) {
    const Wide entry = wide(computed(i, j));
    nearest.compare(to_double(abs(Wide(entry - exact(i, j)))), bound(i, j),
                    [&] { return entry_text(what, i, j, computed(i, j), exact(i, j)); });
  }
}

}  // namespace detail

template <class Real>
void compare_entries(Nearest& nearest, const char* what, const Matrix<Real>& computed,
                     const Matrix<Wide>& exact, const Eigen::MatrixXd& bound) {
  for (Eigen::Index i = 0; i < exact.rows(); ++i)
    detail::compare_row(nearest, what, i, computed, exact, bound);
}

}  // namespace sqrtdk::testing
