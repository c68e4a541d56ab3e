// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/saturation.hpp>
#include <sqrtdk/softmax.hpp>
#include <sqrtdk/softmax_jacobian.hpp>
#include <sqrtdk/testing/generators/rational_distributions.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>
#include <sqrtdk/testing/reporting/expect_refusal.hpp>

#include "properties/softmax_jacobian/fixture.hpp"
#include "properties/softmax_jacobian/wrong_jacobian.hpp"
#include "properties/support/backward_properties.hpp"
#include "properties/support/vectors.hpp"

#include <boost/math/differentiation/autodiff.hpp>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <limits>
#include <stdexcept>

namespace sqrtdk::properties::SoftmaxJacobian {

using namespace sqrtdk::testing;

namespace autodiff = boost::math::differentiation;

const Mutants softmax_jacobian_mutants = {
    {"δ is forgotten",
     "AFiniteStepIsAMultipleOfAColumnExactly",
     {.jacobian = wrong_jacobian<Rational, 0, 1>}},
    {"a raised logit leaves the sum as it was",
     "AFiniteStepIsAMultipleOfAColumnExactly",
     {.weights_after_raise =
          [](const Vector<Rational>& p, Index j, const Rational& r) {
            const Vector<Rational> raised = weights_after_raise(p, j, r);
            return Vector<Rational>(raised * (1 + p[j] * (r - 1)));
          }}},
    {"the wrong logit is raised",
     "AFiniteStepIsTheSoftmaxOfTheRaisedLogits",
     {.weights_after_raise =
          [](const Vector<Rational>& p, Index j, const Rational& r) {
            return Vector<Rational>(weights_after_raise(p, (j + 1) % p.size(), r));
          }}},
    {"pᵢpⱼ is added",
     "AutomaticDifferentiationOverTheRationalsAgrees",
     {.jacobian = wrong_jacobian<Rational, 1, -1>}},
    {"only the diagonal is filled",
     "AutomaticDifferentiationOverTheRationalsAgrees",
     {.jacobian = diagonal_only}},
    {"the mean is not subtracted",
     "ProductsNeedNoMatrix",
     {.forward = [](const Vector<Rational>& p, const Vector<Rational>& v) -> Vector<Rational> {
       const Vector<Rational> right = jacobian_vector_product(p, v);
       return right + p * p.dot(v);
     }}},
    {"an unweighted mean is subtracted",
     "ProductsNeedNoMatrix",
     {.backward = [](const Vector<Rational>& p, const Vector<Rational>& g) -> Vector<Rational> {
       const Vector<Rational> right = vector_jacobian_product(p, g);
       return right + p * Rational(p.dot(g) - g.sum() / Rational(g.size()));
     }}},
    {"masked logits get a gradient",
     "MaskedLogitsGetNoGradient",
     {.backward_in_double = [](const Vector<double>& p, const Vector<double>& g) -> Vector<double> {
       return vector_jacobian_product(p, g).array() + std::numeric_limits<double>::denorm_min();
     }}},
    {"masked logits get a gradient, in float",
     "MaskedLogitsGetNoGradient",
     {.backward_in_float = [](const Vector<float>& p, const Vector<float>& g) -> Vector<float> {
       return vector_jacobian_product(p, g).array() + std::numeric_limits<float>::denorm_min();
     }}},
    {"a constant leaks through, in float",
     "AConstantCotangentChangesNothing",
     {.backward_in_float = [](const Vector<float>& p, const Vector<float>& g) -> Vector<float> {
       return vector_jacobian_product(p, g) + 1e-3F * g[0] * p;
     }}},
    {"the first entry is taken twice, in float",
     "TheBackwardPassIsSymmetric",
     {.backward_in_float = [](const Vector<float>& p, const Vector<float>& g) -> Vector<float> {
       Vector<float> x = vector_jacobian_product(p, g);
       x[0] *= 2;
       return x;
     }}},
    {"a constant leaks through",
     "AConstantCotangentChangesNothing",
     {.backward_in_double = [](const Vector<double>& p, const Vector<double>& g) -> Vector<double> {
       return vector_jacobian_product(p, g) + 1e-9 * g[0] * p;
     }}},
    {"the first entry is taken twice",
     "TheBackwardPassIsSymmetric",
     {.backward_in_double = [](const Vector<double>& p, const Vector<double>& g) -> Vector<double> {
       Vector<double> x = vector_jacobian_product(p, g);
       x[0] *= 2;
       return x;
     }}},
    {"lengths are not compared",
     "RefusesWhatAreNoWeights",
     {.backward =
          [](const Vector<Rational>& p, const Vector<Rational>& g) {
            return p.size() == g.size() ? Vector<Rational>(vector_jacobian_product(p, g)) : p;
          }}},
    {"negative weights are accepted",
     "RefusesWhatAreNoWeights",
     {.jacobian =
          [](const Vector<Rational>& p) {
            return p.size() > 0 && p.minCoeff() < 0 ? Matrix<Rational>(1, 1) : softmax_jacobian(p);
          }}},
    {"a ratio of 0 is accepted",
     "RefusesWhatAreNoWeights",
     {.weights_after_raise =
          [](const Vector<Rational>& p, Index j, const Rational& r) {
            return r == 0 ? p : Vector<Rational>(weights_after_raise(p, j, r));
          }}},
};

//! [SoftmaxJacobian]
TEST(SoftmaxJacobian, AFiniteStepIsAMultipleOfAColumnExactly) {
  check_statement(softmax_jacobian_mutants, [](const Gradients& gradients) {
    for_all([&] {
      const Vector<Rational> p = any_weights(1, 6, true);
      const Index j = *rc::gen::inRange<Index>(0, p.size()).as("raised logit");
      const Rational r = abs(*nonzero_rational().as("ratio"));
      // x_j grows by h = ln r; the step of the weights, over (r − 1)/(1 + p_j(r − 1)) instead of h
      const Vector<Rational> step = gradients.weights_after_raise(p, j, r) - p;
      const Rational length = (r - 1) / (1 + p[j] * (r - 1));
      EXPECT_EXACTLY(step == length * gradients.jacobian(p).col(j));
    });
  });
}
//! [SoftmaxJacobian]

TEST(SoftmaxJacobian, AFiniteStepIsTheSoftmaxOfTheRaisedLogits) {
  check_statement(softmax_jacobian_mutants, [](const Gradients& gradients) {
    for_all([&] {
      const Vector<Rational> p = any_weights(1, 6);
      const Index j = *rc::gen::inRange<Index>(0, p.size()).as("raised logit");
      const Rational r = abs(*nonzero_rational().as("ratio"));
      Vector<Rational> exponentials = p;
      exponentials[j] *= r;  // e^(x + ln r) = r e^x
      EXPECT_EXACTLY(gradients.weights_after_raise(p, j, r) == normalized_weights(exponentials));
    });
  });
}

//! [SoftmaxJacobian: exact check]
TEST(SoftmaxJacobian, AutomaticDifferentiationOverTheRationalsAgrees) {
  check_statement(softmax_jacobian_mutants, [](const Gradients& gradients) {
    for_all([&] {
      const Vector<Rational> p = any_weights(1, 6);
      const Matrix<Rational> jacobian = gradients.jacobian(p);
      for (Index j = 0; j < p.size(); ++j) {
        // e^(x + h) = t e^x with t = e^h, and d/dh = d/dt at h = 0, t = 1
        const auto t = autodiff::make_fvar<Rational, 1>(Rational(1));
        auto sum = t * p[j];
        for (Index i = 0; i < p.size(); ++i)
          if (i != j) sum += p[i];
        for (Index i = 0; i < p.size(); ++i) {
          const auto weight = i == j ? t * p[i] / sum : p[i] / sum;
          EXPECT_EXACTLY(jacobian(i, j) == weight.at(1));
        }
      }
    });
    Matrix<Rational> of_three_and_seven_tenths(2, 2);
    of_three_and_seven_tenths << 21, -21, -21, 21;
    EXPECT_EXACTLY(gradients.jacobian(tenths({3, 7})) == of_three_and_seven_tenths / 100);
  });
}
//! [SoftmaxJacobian: exact check]

TEST(SoftmaxJacobian, ProductsNeedNoMatrix) {
  check_statement(softmax_jacobian_mutants, [](const Gradients& gradients) {
    for_all([&] {
      const Vector<Rational> p = any_weights(1, 6, true);
      const Vector<Rational> v = any_vector(p.size(), "tangent");
      EXPECT_EXACTLY(gradients.forward(p, v) == gradients.jacobian(p) * v);
      EXPECT_EXACTLY(gradients.backward(p, v) == gradients.jacobian(p).transpose() * v);
    });
  });
}

TEST(SoftmaxJacobian, MaskedLogitsGetNoGradient) {
  check_with_mutants(softmax_jacobian_mutants, [](const Gradients& gradients) {
    expect_no_gradient_where_masked<double>(gradients.backward_in_double);
    expect_no_gradient_where_masked<float>(gradients.backward_in_float);
  });
}

TEST(SoftmaxJacobian, AConstantCotangentChangesNothing) {
  check_with_mutants(softmax_jacobian_mutants, [](const Gradients& gradients) {
    expect_backward_ignores_constants<double>(gradients.backward_in_double);
    expect_backward_ignores_constants<float>(gradients.backward_in_float);
  });
}

TEST(SoftmaxJacobian, TheBackwardPassIsSymmetric) {
  check_with_mutants(softmax_jacobian_mutants, [](const Gradients& gradients) {
    expect_symmetric_backward<double>(gradients.backward_in_double);
    expect_symmetric_backward<float>(gradients.backward_in_float);
  });
}

TEST(SoftmaxJacobian, RefusesWhatAreNoWeights) {
  check_with_mutants(softmax_jacobian_mutants, [](const Gradients& gradients) {
    const Vector<Rational> halves = tenths({5, 5});
    expect_refusal<std::invalid_argument>([&] { gradients.jacobian(Vector<Rational>()); });
    expect_refusal<std::domain_error>([&] { gradients.jacobian(tenths({-1, 11})); });
    expect_refusal<std::domain_error>([&] { gradients.jacobian(tenths({11})); });
    expect_refusal<std::invalid_argument>([&] { gradients.backward(halves, tenths({1})); });
    expect_refusal<std::invalid_argument>([&] { gradients.forward(halves, tenths({1})); });
    expect_refusal<std::invalid_argument>([&] { gradients.weights_after_raise(halves, 2, 1); });
    expect_refusal<std::domain_error>([&] { gradients.weights_after_raise(halves, 0, 0); });
  });
}

}  // namespace sqrtdk::properties::SoftmaxJacobian
