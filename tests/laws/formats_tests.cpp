// The laws hold in every compiled format, and one more; a kernel off by a 64th breaks some in each.
#include <sqrtdk/attention.hpp>
#include <sqrtdk/softmax.hpp>
#include <sqrtdk/softmax_jacobian.hpp>
#include <sqrtdk/testing/laws/arrays.hpp>
#include <sqrtdk/testing/laws/attention_case.hpp>
#include <sqrtdk/testing/laws/attention_laws_definitions.hpp>
#include <sqrtdk/testing/laws/call_laws.hpp>
#include <sqrtdk/testing/laws/outcome.hpp>
#include <sqrtdk/testing/laws/softmax_backward_laws_definitions.hpp>
#include <sqrtdk/testing/laws/softmax_laws_definitions.hpp>

#include <Eigen/Core>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <gtest/gtest.h>

#include <vector>

namespace {

using namespace sqrtdk;
using namespace sqrtdk::testing;

template <class Real>
std::vector<Real> logits() {
  return {Real(1.0F), Real(-2.5F), Real(3.0F), Real(3.0F), Real(0.25F)};
}

template <class Real>
std::vector<Real> library_softmax(const std::vector<Real>& x, const Real& temperature) {
  const auto weights = softmax(sqrtdk::testing::detail::as_vector(x), Compute<Real>(temperature));
  return {weights.begin(), weights.end()};
}

template <class Real>
class Formats : public ::testing::Test {};

using Quad = boost::multiprecision::cpp_bin_float_quad;
using EveryFormat =
    ::testing::Types<float, double, long double, Eigen::half, Eigen::bfloat16, Quad>;
TYPED_TEST_SUITE(Formats, EveryFormat, );

TYPED_TEST(Formats, TheLibrarysSoftmaxKeepsTheLaws) {
  using Real = TypeParam;
  const std::vector<Real> x = logits<Real>();
  const SoftmaxFunction<Real> softmax = library_softmax<Real>;
  const auto expect_kept = [](const char* law, const Outcome& outcome) {
    EXPECT_TRUE(outcome.holds() && !outcome.vacuous) << law << ": " << outcome;
  };
  expect_kept("accuracy", accuracy_law<Real>(softmax, x));
  expect_kept("accuracy at 2", accuracy_law<Real>(softmax, x, Real(2.0F)));
  expect_kept("probability", probability_law<Real>(softmax, x));
  expect_kept("shift", shift_law<Real>(softmax, x, Real(0.5F)));
  expect_kept("permutation", permutation_law<Real>(softmax, x, {4, 3, 2, 1, 0}));
  expect_kept("order", order_law<Real>(softmax, x));
  expect_kept("Lipschitz", lipschitz_law<Real>(softmax, x, std::vector<Real>(5, Real(1.0F))));
  expect_kept("temperature", temperature_law<Real>(softmax, x, Real(1.0F), Real(2.0F)));
}

TYPED_TEST(Formats, AWeightThatIsOffBreaksTheLaws) {
  using Real = TypeParam;
  const std::vector<Real> x = logits<Real>();
  // By a 64th of a weight: bfloat16 has eight bits.
  const SoftmaxFunction<Real> off = [](const std::vector<Real>& z, const Real& temperature) {
    std::vector<Real> weights = library_softmax<Real>(z, temperature);
    weights[2] = Real(weights[2] * Real(1 + 0x1p-6F));
    return weights;
  };
  EXPECT_FALSE(accuracy_law<Real>(off, x).holds());
  EXPECT_FALSE(order_law<Real>(off, x).holds());
  EXPECT_FALSE(permutation_law<Real>(off, x, {1, 2, 3, 4, 0}).holds());
}

TYPED_TEST(Formats, TheBackwardPassKeepsItsLawsAndAWrongOneDoesNot) {
  using Real = TypeParam;
  using Vector = BackwardVector<Real>;
  const std::vector<Real> weights = library_softmax<Real>(logits<Real>(), Real(1.0F));
  const Vector p = sqrtdk::testing::detail::as_vector(weights);
  const Vector g = sqrtdk::testing::detail::as_vector(logits<Real>());
  Vector v = g.reverse();
  const BackwardFunction<Real> backward = [](const Vector& w, const Vector& cotangent) -> Vector {
    return vector_jacobian_product(w, cotangent);
  };
  const BackwardFunction<Real> without_mean =
      [](const Vector& w, const Vector& cotangent) -> Vector { return w.cwiseProduct(cotangent); };
  EXPECT_TRUE(backward_accuracy_law<Real>(backward, p, g).holds());
  EXPECT_TRUE(backward_shift_law<Real>(backward, p, g, Real(0.5F)).holds());
  EXPECT_TRUE(backward_symmetry_law<Real>(backward, p, g, v).holds());
  EXPECT_TRUE(backward_masking_law<Real>(backward, p, g).holds());
  EXPECT_FALSE(backward_accuracy_law<Real>(without_mean, p, g).holds());
  EXPECT_FALSE(backward_shift_law<Real>(without_mean, p, g, Real(0.5F)).holds());
}

TYPED_TEST(Formats, TheLibrarysAttentionKeepsItsLawsAndAWrongOneDoesNot) {
  using Real = TypeParam;
  using Case = AttentionCase<Real>;
  const auto numbers = [](int rows, int columns, int first) {
    Matrix<Real> x(rows, columns);
    for (int i = 0; i < x.size(); ++i) x(i) = Real(static_cast<float>((first + 5 * i) % 7 - 3) / 4);
    return x;
  };
  Case input{numbers(2, 4, 1), numbers(3, 4, 2), numbers(3, 2, 3), numbers(2, 2, 4), {}};
  input.options.allowed = Matrix<bool>::Constant(2, 3, true);
  input.options.allowed->col(2).setConstant(false);
  const AttentionFunction<Real> attention = [](const Case& x) {
    return scaled_dot_product_attention(x.queries, x.keys, x.values, x.options).output;
  };
  const AttentionGradientFunction<Real> gradient = [](const Case& x) {
    return attention_gradient(x.queries, x.keys, x.values, x.output_gradient, x.options);
  };
  const AttentionFunction<Real> unscaled = [&](Case x) {
    x.options.scale = Compute<Real>(1);
    return attention(x);
  };
  const AttentionGradientFunction<Real> gradient_of_unscaled = [&](Case x) {
    x.options.scale = Compute<Real>(1);
    return gradient(x);
  };
  const auto expect_kept = [](const char* law, const Outcome& outcome) {
    EXPECT_TRUE(outcome.holds() && !outcome.vacuous) << law << ": " << outcome;
  };
  expect_kept("output", output_law<Real>(attention, input));
  expect_kept("convexity", convexity_law<Real>(attention, input));
  expect_kept("gradient", gradient_law<Real>(gradient, input));
  expect_kept("queries", queries_law<Real>(attention, input));
  expect_kept("repeated calls", repeated_law<Real>(attention, input));
  const AttentionLogarithmFunction<Real> logarithms = [](const Case& x) -> Matrix<Compute<Real>> {
    const sqrtdk::detail::AttentionPass<Compute<Real>> pass(x.queries, x.keys, x.options);
    return Matrix<Compute<Real>>::NullaryExpr(
        2, 1, [&](Eigen::Index i) { return log_sum_exp(pass.scores(i, pass.visible(i))); });
  };
  expect_kept("logarithms", logarithms_law<Real>(logarithms, input));
  expect_kept("masked values", masked_values_law<Real>(attention, input));
  expect_kept("gradient of masked values", masked_values_gradient_law<Real>(gradient, input));
  EXPECT_FALSE(output_law<Real>(unscaled, input).holds());
  EXPECT_FALSE(gradient_law<Real>(gradient_of_unscaled, input).holds());
  // A zero of the other sign is another bit.
  input.values.setZero();
  const AttentionFunction<Real> turns_zeros = [&](const Case& x) {
    const Matrix<Real> output = attention(x);
    return x.values(2, 0) > Real(1) ? Matrix<Real>(-output) : output;
  };
  expect_kept("masked values, of zeros", masked_values_law<Real>(attention, input));
  EXPECT_FALSE(masked_values_law<Real>(turns_zeros, input).holds());
}

}  // namespace
