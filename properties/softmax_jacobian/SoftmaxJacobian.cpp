#include "properties/softmax_jacobian/fixture.hpp"
#include "properties/softmax_jacobian/wrong_jacobian.hpp"
#include "properties/support/backward_properties.hpp"
#include "properties/support/vectors.hpp"

#include <boost/math/differentiation/autodiff.hpp>

namespace sqrtdk::properties::SoftmaxJacobian {

namespace autodiff = boost::math::differentiation;

//! [SoftmaxJacobian]
STATEMENT(SoftmaxJacobian, AFiniteStepIsAMultipleOfAColumnExactly) {
  for_all([&] {
    const Vector<Rational> p = any_weights(1, 6, true);
    const Index j = *rc::gen::inRange<Index>(0, p.size()).as("raised logit");
    const Rational r = abs(*nonzero_rational().as("ratio"));
    // x_j grows by h = ln r; the step of the weights, over (r − 1)/(1 + p_j(r − 1)) instead of h
    const Vector<Rational> step = subject.weights_after_raise(p, j, r) - p;
    const Rational length = (r - 1) / (1 + p[j] * (r - 1));
    EXPECT_EXACTLY(step == length * subject.jacobian(p).col(j));
  });
}
//! [SoftmaxJacobian]
KILLS("δ is forgotten", {.jacobian = wrong_jacobian<Rational, 0, 1>});
KILLS("a raised logit leaves the sum as it was",
      {.weights_after_raise = [](auto& p, auto j, auto& r) {
        const Vector<Rational> raised = weights_after_raise(p, j, r);
        return Vector<Rational>(raised * (1 + p[j] * (r - 1)));
      }});

STATEMENT(SoftmaxJacobian, AFiniteStepIsTheSoftmaxOfTheRaisedLogits) {
  for_all([&] {
    const Vector<Rational> p = any_weights(1, 6);
    const Index j = *rc::gen::inRange<Index>(0, p.size()).as("raised logit");
    const Rational r = abs(*nonzero_rational().as("ratio"));
    Vector<Rational> exponentials = p;
    exponentials[j] *= r;  // e^(x + ln r) = r e^x
    EXPECT_EXACTLY(subject.weights_after_raise(p, j, r) == normalized_weights(exponentials));
  });
}
KILLS("the wrong logit is raised", {.weights_after_raise = [](auto& p, auto j, auto& r) {
        return Vector<Rational>(weights_after_raise(p, (j + 1) % p.size(), r));
      }});

//! [SoftmaxJacobian: exact check]
STATEMENT(SoftmaxJacobian, AutomaticDifferentiationOverTheRationalsAgrees) {
  for_all([&] {
    const Vector<Rational> p = any_weights(1, 6);
    const Matrix<Rational> jacobian = subject.jacobian(p);
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
  EXPECT_EXACTLY(subject.jacobian(tenths({3, 7})) == of_three_and_seven_tenths / 100);
}
//! [SoftmaxJacobian: exact check]
KILLS("pᵢpⱼ is added", {.jacobian = wrong_jacobian<Rational, 1, -1>});
KILLS("only the diagonal is filled", {.jacobian = diagonal_only});

STATEMENT(SoftmaxJacobian, ProductsNeedNoMatrix) {
  for_all([&] {
    const Vector<Rational> p = any_weights(1, 6, true);
    const Vector<Rational> v = any_vector(p.size(), "tangent");
    EXPECT_EXACTLY(subject.forward(p, v) == subject.jacobian(p) * v);
    EXPECT_EXACTLY(subject.backward(p, v) == subject.jacobian(p).transpose() * v);
  });
}
KILLS("the mean is not subtracted", {.forward = [](auto& p, auto& v) -> Vector<Rational> {
        const Vector<Rational> right = jacobian_vector_product(p, v);
        return right + p * p.dot(v);
      }});
KILLS("an unweighted mean is subtracted", {.backward = [](auto& p, auto& g) -> Vector<Rational> {
        const Vector<Rational> right = vector_jacobian_product(p, g);
        return right + p * Rational(p.dot(g) - g.sum() / Rational(g.size()));
      }});

ASIDE(SoftmaxJacobian, MaskedLogitsGetNoGradient) {
  expect_no_gradient_where_masked<double>(subject.backward_in_double);
  expect_no_gradient_where_masked<float>(subject.backward_in_float);
}
KILLS("masked logits get a gradient",
      {.backward_in_double = [](auto& p, auto& g) -> Vector<double> {
        return vector_jacobian_product(p, g).array() + std::numeric_limits<double>::denorm_min();
      }});
KILLS("masked logits get a gradient, in float",
      {.backward_in_float = [](auto& p, auto& g) -> Vector<float> {
        return vector_jacobian_product(p, g).array() + std::numeric_limits<float>::denorm_min();
      }});

ASIDE(SoftmaxJacobian, AConstantCotangentChangesNothing) {
  expect_backward_ignores_constants<double>(subject.backward_in_double);
  expect_backward_ignores_constants<float>(subject.backward_in_float);
}
KILLS("a constant leaks through, in float",
      {.backward_in_float = [](auto& p, auto& g) -> Vector<float> {
        return vector_jacobian_product(p, g) + 1e-3F * g[0] * p;
      }});
KILLS("a constant leaks through", {.backward_in_double = [](auto& p, auto& g) -> Vector<double> {
        return vector_jacobian_product(p, g) + 1e-9 * g[0] * p;
      }});

ASIDE(SoftmaxJacobian, TheBackwardPassIsSymmetric) {
  expect_symmetric_backward<double>(subject.backward_in_double);
  expect_symmetric_backward<float>(subject.backward_in_float);
}
KILLS("the first entry is taken twice, in float",
      {.backward_in_float = [](auto& p, auto& g) -> Vector<float> {
        Vector<float> x = vector_jacobian_product(p, g);
        x[0] *= 2;
        return x;
      }});
KILLS("the first entry is taken twice",
      {.backward_in_double = [](auto& p, auto& g) -> Vector<double> {
        Vector<double> x = vector_jacobian_product(p, g);
        x[0] *= 2;
        return x;
      }});

ASIDE(SoftmaxJacobian, RefusesWhatAreNoWeights) {
  const Vector<Rational> halves = tenths({5, 5});
  expect_refusal<std::invalid_argument>([&] { subject.jacobian(Vector<Rational>()); });
  expect_refusal<std::domain_error>([&] { subject.jacobian(tenths({-1, 11})); });
  expect_refusal<std::domain_error>([&] { subject.jacobian(tenths({11})); });
  expect_refusal<std::invalid_argument>([&] { subject.backward(halves, tenths({1})); });
  expect_refusal<std::invalid_argument>([&] { subject.forward(halves, tenths({1})); });
  expect_refusal<std::invalid_argument>([&] { subject.weights_after_raise(halves, 2, 1); });
  expect_refusal<std::domain_error>([&] { subject.weights_after_raise(halves, 0, 0); });
}
KILLS("lengths are not compared", {.backward = [](auto& p, auto& g) {
        return p.size() == g.size() ? Vector<Rational>(vector_jacobian_product(p, g)) : p;
      }});
KILLS("negative weights are accepted", {.jacobian = [](auto& p) {
        return p.size() > 0 && p.minCoeff() < 0 ? Matrix<Rational>(1, 1) : softmax_jacobian(p);
      }});
KILLS("a ratio of 0 is accepted", {.weights_after_raise = [](auto& p, auto j, auto& r) {
        return r == 0 ? p : Vector<Rational>(weights_after_raise(p, j, r));
      }});

}  // namespace sqrtdk::properties::SoftmaxJacobian
