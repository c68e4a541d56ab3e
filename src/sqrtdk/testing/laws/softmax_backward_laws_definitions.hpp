// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Definitions of softmax_backward_laws.hpp, for numbers of any type.
#pragma once

#include <sqrtdk/jacobian_error.hpp>
#include <sqrtdk/softmax_error.hpp>
#include <sqrtdk/testing/laws/formats.hpp>
#include <sqrtdk/testing/laws/outcome.hpp>
#include <sqrtdk/testing/laws/softmax_backward_laws.hpp>
#include <sqrtdk/testing/laws/wide.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <string>

namespace sqrtdk::testing {

namespace detail {

/// ⟨p, g⟩ to fifty digits.
template <class Real>
Wide wide_mean(const BackwardVector<Real>& p, const BackwardVector<Real>& g) {
  Wide mean = 0;
  for (Eigen::Index i = 0; i < p.size(); ++i) mean += wide(p[i]) * wide(g[i]);
  return mean;
}

/// The first derivative that is NaN; empty if none is.
template <class Real>
std::string not_a_number(const BackwardVector<Real>& x) {
  for (Eigen::Index i = 0; i < x.size(); ++i)
    if (x[i] != x[i]) return "the derivative " + std::to_string(i) + " is not a number";
  return {};
}

inline void compare_wide(Nearest& nearest, const Wide& error, double bound, const char* what,
                         Eigen::Index i) {
  if (!std::isfinite(bound)) nearest.vacuous();
  nearest.compare(static_cast<double>(abs(error)), bound, [&] {
    return i < 0 ? std::string(what) : std::string(what) + " " + std::to_string(i);
  });
}

/// The outcome of a result without as many numbers as there are weights.
inline Outcome wrong_number_of_derivatives(Eigen::Index given, Eigen::Index wanted) {
  return broken("there are " + std::to_string(given) + " derivatives for " +
                std::to_string(wanted) + " weights");
}

}  // namespace detail

template <class Real>
Outcome backward_accuracy_law(const BackwardFunction<Real>& backward, const BackwardVector<Real>& p,
                              const BackwardVector<Real>& g) {
  const DefaultFloatEnvironment environment;
  const BackwardVector<Real> x = backward(p, g);
  if (x.size() != p.size()) return detail::wrong_number_of_derivatives(x.size(), p.size());
  const Eigen::VectorXd bound = vector_jacobian_error_bound(p, g);
  const Wide mean = detail::wide_mean<Real>(p, g);
  if (const std::string wrong = detail::not_a_number<Real>(x); !wrong.empty()) return broken(wrong);
  Nearest nearest;
  Wide sum = 0, lack = 1;
  for (Eigen::Index i = 0; i < p.size(); ++i) {
    detail::compare_wide(nearest, wide(x[i]) - wide(p[i]) * (wide(g[i]) - mean), bound[i],
                         "the derivative", i);
    sum += wide(x[i]);
    lack -= wide(p[i]);
  }
  const double of_lack = sqrtdk::detail::double_above<Wide>(abs(lack * mean));
  if (bound.allFinite())  // else the sum may be ∞ − ∞
    detail::compare_wide(nearest, sum, (bound.sum() + of_lack) * (1 + bound_margin),
                         "the sum of the derivatives", -1);
  return nearest.outcome();
}

template <class Real>
Outcome backward_masking_law(const BackwardFunction<Real>& backward, const BackwardVector<Real>& p,
                             const BackwardVector<Real>& g) {
  const DefaultFloatEnvironment environment;
  const BackwardVector<Real> x = backward(p, g);
  if (x.size() != p.size()) return detail::wrong_number_of_derivatives(x.size(), p.size());
  for (Eigen::Index i = 0; i < p.size(); ++i)
    if (p[i] == 0 && !(x[i] == 0))
      return broken("the derivative " + std::to_string(i) + " is not 0, though its weight is");
  return {};
}

template <class Real>
Outcome backward_shift_law(const BackwardFunction<Real>& backward, const BackwardVector<Real>& p,
                           const BackwardVector<Real>& g, Real constant) {
  const DefaultFloatEnvironment environment;
  const double u = rounding_of<Real>().unit_roundoff;
  const BackwardVector<Real> shifted = (g.array() + constant).matrix();
  const BackwardVector<Real> x = backward(p, g);
  const BackwardVector<Real> y = backward(p, shifted);
  if (x.size() != p.size()) return detail::wrong_number_of_derivatives(x.size(), p.size());
  if (y.size() != p.size()) return detail::wrong_number_of_derivatives(y.size(), p.size());
  const Eigen::VectorXd of_x = vector_jacobian_error_bound(p, g);
  const Eigen::VectorXd of_y = vector_jacobian_error_bound(p, shifted);
  // g + c is rounded, by at most u·abs(g + c); and ⟨p, c⟩ is c only as far as Σp is 1.
  Wide rounding = 0;
  for (const Real& number : shifted) rounding = std::max(rounding, Wide(2 * u * abs(wide(number))));
  Wide lack = 1;
  for (const Real& weight : p) lack -= wide(weight);
  const Wide of_lack = abs(lack * wide(constant));
  Nearest nearest;
  for (Eigen::Index i = 0; i < p.size(); ++i) {
    const Wide moved = p[i] == 0 ? Wide(0) : Wide(wide(p[i]) * (rounding + of_lack));  // no 0·∞
    detail::compare_wide(
        nearest, distance(wide(x[i]), wide(y[i])),
        sqrtdk::detail::double_above<Wide>((Wide(of_x[i]) + of_y[i] + moved) * (1 + bound_margin)),
        "the derivative", i);
  }
  return nearest.outcome();
}

template <class Real>
Outcome backward_symmetry_law(const BackwardFunction<Real>& backward, const BackwardVector<Real>& p,
                              const BackwardVector<Real>& g, const BackwardVector<Real>& v) {
  const DefaultFloatEnvironment environment;
  const BackwardVector<Real> of_g = backward(p, g);
  const BackwardVector<Real> of_v = backward(p, v);
  if (of_g.size() != p.size()) return detail::wrong_number_of_derivatives(of_g.size(), p.size());
  if (of_v.size() != p.size()) return detail::wrong_number_of_derivatives(of_v.size(), p.size());
  for (const auto* x : {&of_g, &of_v})
    if (const std::string wrong = detail::not_a_number<Real>(*x); !wrong.empty())
      return broken(wrong);
  const Wide difference = detail::wide_mean<Real>(v, of_g) - detail::wide_mean<Real>(g, of_v);
  const Eigen::VectorXd of_x = vector_jacobian_error_bound(p, g);
  const Eigen::VectorXd of_y = vector_jacobian_error_bound(p, v);
  Wide bound = 0;
  for (Eigen::Index i = 0; i < p.size(); ++i)
    bound += abs(wide(v[i])) * of_x[i] + abs(wide(g[i])) * of_y[i];
  Nearest nearest;
  if (!of_x.allFinite() || !of_y.allFinite()) {  // then the difference may be 0·∞
    detail::compare_wide(nearest, 0, vacuous_bound, "the two products", -1);
    return nearest.outcome();
  }
  detail::compare_wide(nearest, difference,
                       sqrtdk::detail::double_above<Wide>(bound * (1 + bound_margin)),
                       "the two products", -1);
  return nearest.outcome();
}

#define SQRTDK_BACKWARD_LAWS(prefix, Real)                                                      \
  prefix template Outcome backward_accuracy_law<Real>(                                          \
      const BackwardFunction<Real>&, const BackwardVector<Real>&, const BackwardVector<Real>&); \
  prefix template Outcome backward_masking_law<Real>(                                           \
      const BackwardFunction<Real>&, const BackwardVector<Real>&, const BackwardVector<Real>&); \
  prefix template Outcome backward_shift_law<Real>(const BackwardFunction<Real>&,               \
                                                   const BackwardVector<Real>&,                 \
                                                   const BackwardVector<Real>&, Real);          \
  prefix template Outcome backward_symmetry_law<Real>(                                          \
      const BackwardFunction<Real>&, const BackwardVector<Real>&, const BackwardVector<Real>&,  \
      const BackwardVector<Real>&);
SQRTDK_FOR_EACH_FORMAT(SQRTDK_BACKWARD_LAWS, extern)

}  // namespace sqrtdk::testing
