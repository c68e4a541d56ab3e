// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief Laws of the backward pass of softmax, for any implementation of it.
///
/// A backward pass takes the weights p = softmax(x) and the derivative g of a loss by them, and
/// returns the derivative of the loss by x: a callable `Vector(const Vector&, const Vector&)`,
/// where Vector is `Eigen::Matrix<Real, Eigen::Dynamic, 1>`. Each law must be called in a
/// GoogleTest body.
#pragma once

#include <sqrtdk/jacobian_error.hpp>
#include <sqrtdk/softmax.hpp>
#include <sqrtdk/testing/generators/floating_point.hpp>
#include <sqrtdk/testing/laws/wide.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>

#include <Eigen/Core>
#include <rapidcheck.h>

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace sqrtdk::testing {

/// The largest magnitude of a generated cotangent: no product or sum of these laws overflows.
inline constexpr double largest_cotangent = 0x1p20;

/// gᵀJ is p ⊙ (g − ⟨p, g⟩) within vector_jacobian_error_bound(), and sums to 0 within the sum of
/// those bounds and what the weights lack of 1.
/// \param backward the implementation.
template <class Real, class Backward>
void expect_accurate_backward(const Backward& backward);

/// The gradient of a masked logit, whose weight is 0, is exactly 0.
/// \param backward the implementation.
template <class Real, class Backward>
void expect_no_gradient_where_masked(const Backward& backward);

/// A constant added to g changes nothing beyond the bounds of both runs and the rounding of the
/// sums g + c.
/// \param backward the implementation.
template <class Real, class Backward>
void expect_backward_ignores_constants(const Backward& backward);

/// ⟨v, backward(p, g)⟩ = ⟨g, backward(p, v)⟩ within the bounds: the Jacobian is symmetric.
/// \param backward the implementation.
template <class Real, class Backward>
void expect_symmetric_backward(const Backward& backward);

// ------------------------------------------------------------------------------------------------

namespace detail {

template <class Real>
using RealVector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

template <class Real>
RealVector<Real> eigen(const std::vector<Real>& entries) {
  return Eigen::Map<const RealVector<Real>>(entries.data(),
                                            static_cast<Eigen::Index>(entries.size()));
}

/// Weights of generated logits, some of them masked.
template <class Real>
RealVector<Real> generated_weights() {
  const auto logits =
      *vectors<Real>({.longest = 33, .entries = {.largest = Real(64)}}).as("logits");
  RealVector<Real> x = eigen(logits);
  const auto mask = *rc::gen::container<std::vector<int>>(
                         logits.size(), rc::gen::weightedElement<int>({{3, 0}, {1, 1}}))
                         .as("masked");
  for (Eigen::Index i = 1; i < x.size(); ++i)
    if (mask[static_cast<std::size_t>(i)] == 1) x[i] = -std::numeric_limits<Real>::infinity();
  return softmax(x);
}

template <class Real>
RealVector<Real> generated_cotangent(Eigen::Index n, const char* name) {
  return eigen(*rc::gen::container<std::vector<Real>>(
                    static_cast<std::size_t>(n), floats<Real>({.largest = Real(largest_cotangent)}))
                    .as(name));
}

template <class Real>
Wide precise_mean(const RealVector<Real>& p, const RealVector<Real>& g) {
  Wide mean = 0;
  for (Eigen::Index i = 0; i < p.size(); ++i) mean += Wide(p[i]) * Wide(g[i]);
  return mean;
}

/// A bound that is infinite promises nothing, and is not counted as kept.
inline void expect_within(const Wide& error, double bound) {
  RC_ASSERT(std::isfinite(bound));
  evidence().worst(static_cast<double>(abs(error)), bound);
  RC_ASSERT(static_cast<double>(abs(error)) <= bound);
}

}  // namespace detail

template <class Real, class Backward>
void expect_accurate_backward(const Backward& backward) {
  using namespace detail;
  evidence().weaken(Grade::bounded);
  for_all([&] {
    const RealVector<Real> p = generated_weights<Real>();
    const RealVector<Real> g = generated_cotangent<Real>(p.size(), "cotangent");
    const RealVector<Real> x = backward(p, g);
    RC_ASSERT(x.size() == p.size());
    const Eigen::VectorXd bound = vector_jacobian_error_bound(p, g);
    const Wide mean = precise_mean(p, g);
    Wide sum = 0, lack = 1;
    for (Eigen::Index i = 0; i < p.size(); ++i) {
      RC_ASSERT(std::isfinite(x[i]));
      expect_within(Wide(x[i]) - Wide(p[i]) * (Wide(g[i]) - mean), bound[i]);
      sum += Wide(x[i]);
      lack -= Wide(p[i]);
    }
    const double of_lack = std::abs(static_cast<double>(lack * mean)) * (1 + bound_margin);
    expect_within(sum, bound.sum() * (1 + bound_margin) + of_lack);
  });
}

template <class Real, class Backward>
void expect_no_gradient_where_masked(const Backward& backward) {
  using namespace detail;
  for_all([&] {
    const RealVector<Real> p = generated_weights<Real>();
    const RealVector<Real> x = backward(p, generated_cotangent<Real>(p.size(), "cotangent"));
    RC_ASSERT(x.size() == p.size());
    for (Eigen::Index i = 0; i < p.size(); ++i)
      if (p[i] == 0) RC_ASSERT(x[i] == 0);
  });
}

template <class Real, class Backward>
void expect_backward_ignores_constants(const Backward& backward) {
  using namespace detail;
  evidence().weaken(Grade::bounded);
  const double u = rounding_of<Real>().unit_roundoff;
  for_all([&] {
    const RealVector<Real> p = generated_weights<Real>();
    const RealVector<Real> g = generated_cotangent<Real>(p.size(), "cotangent");
    const Real c = *floats<Real>({.largest = Real(largest_cotangent)}).as("constant");
    const RealVector<Real> shifted = (g.array() + c).matrix();
    const RealVector<Real> x = backward(p, g);
    const RealVector<Real> y = backward(p, shifted);
    const Eigen::VectorXd of_x = vector_jacobian_error_bound(p, g);
    const Eigen::VectorXd of_y = vector_jacobian_error_bound(p, shifted);
    // g + c is rounded, by at most u·abs(g + c); and ⟨p, c⟩ is c only as far as Σp is 1.
    const double rounding = 2 * u * shifted.template cast<double>().cwiseAbs().maxCoeff();
    Wide lack = 1;
    for (const Real weight : p) lack -= Wide(weight);
    const double of_lack = std::abs(static_cast<double>(lack * Wide(c)));
    for (Eigen::Index i = 0; i < p.size(); ++i)
      expect_within(Wide(x[i]) - Wide(y[i]),
                    (of_x[i] + of_y[i] + static_cast<double>(p[i]) * (rounding + of_lack)) *
                        (1 + bound_margin));
  });
}

template <class Real, class Backward>
void expect_symmetric_backward(const Backward& backward) {
  using namespace detail;
  evidence().weaken(Grade::bounded);
  for_all([&] {
    const RealVector<Real> p = generated_weights<Real>();
    const RealVector<Real> g = generated_cotangent<Real>(p.size(), "cotangent");
    const RealVector<Real> v = generated_cotangent<Real>(p.size(), "other cotangent");
    const Wide difference =
        precise_mean<Real>(v, backward(p, g)) - precise_mean<Real>(g, backward(p, v));
    const double bound =
        v.template cast<double>().cwiseAbs().dot(vector_jacobian_error_bound(p, g)) +
        g.template cast<double>().cwiseAbs().dot(vector_jacobian_error_bound(p, v));
    expect_within(difference, bound * (1 + bound_margin));
  });
}

}  // namespace sqrtdk::testing
