// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Definitions of backward_cases.hpp, for numbers of any type.
#pragma once

#include <sqrtdk/softmax.hpp>
#include <sqrtdk/testing/generators/backward_cases.hpp>
#include <sqrtdk/testing/generators/floating_point_definitions.hpp>
#include <sqrtdk/testing/laws/arrays.hpp>
#include <sqrtdk/testing/laws/formats.hpp>

#include <Eigen/Core>
#include <rapidcheck.h>

#include <cstddef>
#include <limits>
#include <vector>

namespace sqrtdk::testing {

template <BinaryFloat Real>
BackwardVector<Real> drawn_weights() {
  const auto logits =
      *vectors<Real>({.longest = 33, .entries = {.largest = Real(64)}}).as("logits");
  BackwardVector<Real> x = detail::as_vector(logits);
  const auto mask = *rc::gen::container<std::vector<int>>(
                         logits.size(), rc::gen::weightedElement<int>({{3, 0}, {1, 1}}))
                         .as("masked");
  for (Eigen::Index i = 1; i < x.size(); ++i)
    if (mask[static_cast<std::size_t>(i)] == 1) x[i] = -std::numeric_limits<Real>::infinity();
  return softmax(x);
}

template <BinaryFloat Real>
BackwardVector<Real> drawn_cotangent(Eigen::Index n, const char* name) {
  const auto entries =
      *rc::gen::container<std::vector<Real>>(
           static_cast<std::size_t>(n), floats<Real>({.largest = Real(detail::largest_cotangent)}))
           .as(name);
  return detail::as_vector(entries);
}

template <BinaryFloat Real>
Real drawn_constant(const char* name) {
  return *floats<Real>({.largest = Real(detail::largest_cotangent)}).as(name);
}

#define SQRTDK_BACKWARD_CASES(prefix, Real)                                              \
  prefix template BackwardVector<Real> drawn_weights<Real>();                            \
  prefix template BackwardVector<Real> drawn_cotangent<Real>(Eigen::Index, const char*); \
  prefix template Real drawn_constant(const char*);
SQRTDK_FOR_EACH_FORMAT(SQRTDK_BACKWARD_CASES, extern)

}  // namespace sqrtdk::testing
