// Laws of a backward pass of softmax as properties, to be called in a GoogleTest body.
#pragma once

#include <sqrtdk/testing/generators/backward_cases.hpp>
#include <sqrtdk/testing/laws/softmax_backward_laws.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>

#include "properties/support/outcomes.hpp"

#include <rapidcheck.h>

namespace sqrtdk::testing {

/// backward_accuracy_law().
template <class Real>
void expect_accurate_backward(const BackwardFunction<Real>& backward) {
  evidence().rests_on(EvidenceLevel::bounded);
  for_all([&] {
    const BackwardVector<Real> p = drawn_weights<Real>();
    const BackwardVector<Real> g = drawn_cotangent<Real>(p.size());
    require_kept(backward_accuracy_law<Real>(backward, p, g));
  });
}

/// backward_masking_law().
template <class Real>
void expect_no_gradient_where_masked(const BackwardFunction<Real>& backward) {
  for_all([&] {
    const BackwardVector<Real> p = drawn_weights<Real>();
    const BackwardVector<Real> g = drawn_cotangent<Real>(p.size());
    const Outcome outcome = backward_masking_law<Real>(backward, p, g);
    EXPECT_EXACTLY(outcome.holds_exactly()) << outcome.where;
  });
}

/// backward_shift_law().
template <class Real>
void expect_backward_ignores_constants(const BackwardFunction<Real>& backward) {
  evidence().rests_on(EvidenceLevel::bounded);
  for_all([&] {
    const BackwardVector<Real> p = drawn_weights<Real>();
    const BackwardVector<Real> g = drawn_cotangent<Real>(p.size());
    const Real c = drawn_constant<Real>();
    require_kept(backward_shift_law<Real>(backward, p, g, c));
  });
}

/// backward_symmetry_law().
template <class Real>
void expect_symmetric_backward(const BackwardFunction<Real>& backward) {
  evidence().rests_on(EvidenceLevel::bounded);
  for_all([&] {
    const BackwardVector<Real> p = drawn_weights<Real>();
    const BackwardVector<Real> g = drawn_cotangent<Real>(p.size());
    const BackwardVector<Real> v = drawn_cotangent<Real>(p.size(), "other cotangent");
    require_kept(backward_symmetry_law<Real>(backward, p, g, v));
  });
}

}  // namespace sqrtdk::testing
