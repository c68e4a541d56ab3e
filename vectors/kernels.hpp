// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Kernels that test vectors must accept, and those that they must catch.
#pragma once

#include "arithmetics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace sqrtdk::vectors {

/// A kernel: right where as much is free as it takes, or with a bug.
template <class Input>
struct Kernel {
  std::string name;
  std::string seen_in;  ///< where a bug was shipped, if that is known
  Freedom takes = Freedom::none;
  /// The results that are stored, row by row.
  std::function<std::vector<double>(const Input&, const Arithmetic&)> run;
};

/// The kernels of an operation.
template <class Input>
struct Kernels {
  std::vector<Kernel<Input>> right, wrong;
};

/// Makes a kernel of steps in which something is changed.
/// \tparam Steps     a template whose objects have a member run(), and right steps by default.
/// \param change     a callable of the steps and the arithmetic.
template <template <class> class Steps, class Input, class Change>
Kernel<Input> kernel_of(const std::string& name, const std::string& seen_in, Freedom takes, Change change) {
  const auto run = [change](auto steps, const Input& input, const Arithmetic& arithmetic) {
    change(steps, arithmetic);
    std::vector<double> results;
    for (const auto result : steps.run(input)) results.push_back(arithmetic.stored(static_cast<double>(result)));
    return results;
  };
  return {name, seen_in, takes, [run](const Input& input, const Arithmetic& arithmetic) {
            return arithmetic.in_double ? run(Steps<double>(), input, arithmetic)
                                        : run(Steps<float>(), input, arithmetic);
          }};
}

/// Numbers that are computed with.
template <class Real>
using List = std::vector<Real>;

/// −∞.
template <class Real>
inline constexpr Real masked = -std::numeric_limits<Real>::infinity();

/// The greatest of numbers from one on; −∞ if there are none.
template <class Real>
Real greatest(const List<Real>& x, std::size_t begin = 0, std::size_t end = std::size_t(-1)) {
  Real most = masked<Real>;
  for (std::size_t j = begin; j < std::min(end, x.size()); ++j) most = std::max(most, x[j]);
  return most;
}

/// The sum of the first numbers, one after the other.
template <class Real>
Real sum_of(const List<Real>& x, std::size_t end = std::size_t(-1)) {
  Real sum = 0;
  for (std::size_t j = 0; j < std::min(end, x.size()); ++j) sum += x[j];
  return sum;
}

/// A number, 0 in the place of a subnormal one.
template <class Real>
Real flushed(Real x) {
  return std::abs(x) < std::numeric_limits<Real>::min() ? Real(0) : x;
}

/// The maximum and the sum of one pass over blocks, which rescales the sum.
/// \param rescale a callable of the old and the new maximum.
template <class Real, class Rescale>
std::pair<Real, Real> one_pass(const List<Real>& x, std::size_t block, Real temperature, Rescale rescale) {
  Real m = masked<Real>, sum = 0;
  for (std::size_t start = 0; start < x.size(); start += block) {
    const std::size_t end = std::min(start + block, x.size());
    const Real next = std::max(m, greatest(x, start, end));
    sum *= rescale(m, next);
    for (std::size_t j = start; j < end; ++j)
      sum += x[j] == masked<Real> ? Real(0) : std::exp((x[j] - next) / temperature);
    m = next;
  }
  return {m, sum};
}

}  // namespace sqrtdk::vectors
