// Every public error bound, at the extremes of every format: never NaN, negative, or below the
// error of the library; outside of the domain it refuses. And no law is kept by NaN.
#include <sqrtdk/attention.hpp>
#include <sqrtdk/attention_error.hpp>
#include <sqrtdk/initialization.hpp>
#include <sqrtdk/jacobian_error.hpp>
#include <sqrtdk/saturation/top_gap.hpp>
#include <sqrtdk/scale.hpp>
#include <sqrtdk/softmax.hpp>
#include <sqrtdk/softmax/online.hpp>
#include <sqrtdk/softmax_error.hpp>
#include <sqrtdk/softmax_jacobian/mean_norms.hpp>
#include <sqrtdk/temperature.hpp>
#include <sqrtdk/testing/generators/attention_cases.hpp>
#include <sqrtdk/testing/laws/attention_laws.hpp>
#include <sqrtdk/testing/laws/compare_arrays.hpp>
#include <sqrtdk/testing/laws/exact_attention.hpp>
#include <sqrtdk/testing/laws/exact_softmax.hpp>
#include <sqrtdk/testing/laws/softmax_backward_laws.hpp>
#include <sqrtdk/testing/laws/softmax_laws.hpp>
#include <sqrtdk/testing/laws/wide.hpp>

#include <Eigen/Core>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using namespace sqrtdk;
using namespace sqrtdk::testing;

/// The next number of a format above one that is positive and finite, or below it.
template <class Real>
Real neighbour(const Real& x, int step) {
  if constexpr (std::is_floating_point_v<Real>)
    return std::nextafter(x, step > 0 ? std::numeric_limits<Real>::infinity() : Real(0));
  else
    return Eigen::numext::bit_cast<Real>(
        static_cast<std::uint16_t>(Eigen::numext::bit_cast<std::uint16_t>(x) + step));
}

/// 0, the least, the least normal, 1, 10⁴ and the largest number with their neighbours, both signs.
template <class Real>
std::vector<Real> finite_extremes() {
  using Limits = std::numeric_limits<Real>;
  std::vector<Real> sizes = {Real(0)};
  for (const Real& x :
       {Limits::denorm_min(), (Limits::min)(), Real(1), Real(1e4F), (Limits::max)()})
    for (const int step : {-1, 0, 1}) {
      const Real size = step == 0 ? x : neighbour(x, step);
      if (size > Real(0) && size <= (Limits::max)()) sizes.push_back(size);
    }
  std::vector<Real> both;
  for (const Real& size : sizes)
    for (const Real& x : {size, Real(-size)}) both.push_back(x);
  return both;
}

/// The same, both infinities, and NaN.
template <class Real>
std::vector<Real> extremes() {
  std::vector<Real> numbers = finite_extremes<Real>();
  const Real infinity = std::numeric_limits<Real>::infinity();
  for (const Real& x : {infinity, Real(-infinity), std::numeric_limits<Real>::quiet_NaN()})
    numbers.push_back(x);
  return numbers;
}

bool is_a_bound(double bound) { return bound >= 0; }

template <class... Real>
std::string text(const Real&... x) {
  std::ostringstream out;
  ((out << static_cast<long double>(static_cast<Compute<Real>>(x)) << ' '), ...);
  return out.str();
}

/// A bound beside what it bounds. Where nothing is promised the result may be anything.
template <class Computed>
void expect_bounds(double bound, const Computed& computed, const Wide& exact, const char* what) {
  ASSERT_TRUE(is_a_bound(bound)) << what << ": " << bound;
  if (bound == vacuous_bound) return;
  const double error = to_double(distance(wide(computed), exact));
  ASSERT_LE(error, bound) << what << " is " << wide(computed).str(20) << ", not " << exact.str(20);
}

template <class Real>
class Bounds : public ::testing::Test {};
using EveryFormat = ::testing::Types<float, double, long double, Eigen::half, Eigen::bfloat16>;
TYPED_TEST_SUITE(Bounds, EveryFormat, );

template <class Real>
void check_softmax(const std::vector<Real>& list, const Real& tau) {
  const auto x = sqrtdk::testing::detail::as_vector(list);
  const auto temperature = static_cast<Compute<Real>>(tau);
  const ExactSoftmax<Real> exact(list, tau);
  const SoftmaxErrorBound bound = softmax_error_bound(x, temperature);
  const Eigen::VectorXd of_logs = log_softmax_error_bound(x, temperature);
  const auto weights = softmax(x, temperature).eval();
  const auto logs = log_softmax(x, temperature).eval();
  SoftmaxArithmetic one_pass = arithmetic_of<Real>();
  PartialSoftmax<Compute<Real>> state;
  for (const Real& logit : list) state.add(static_cast<Compute<Real>>(logit));
  one_pass.summation = Summation::any_order;
  one_pass.rescalings = state.rescalings();
  const SoftmaxErrorBound of_one_pass = softmax_error_bound(x, temperature, one_pass);
  const auto online = online_softmax(x).eval();
  Wide entropy = 0;
  Eigen::VectorXd p(x.size());
  for (Eigen::Index j = 0; j < x.size(); ++j) {
    const auto place = static_cast<std::size_t>(j);
    p[j] = to_double(exact[place]);
    expect_bounds(bound(j, p[j]), weights[j], exact[place], "a weight");
    if (temperature == 1)
      expect_bounds(of_one_pass(j, p[j]), online[j], exact[place], "a weight of one pass");
    expect_bounds(of_logs[j], logs[j], exact.logarithm(place), "a logarithm");
    if (exact[place] > 0) entropy -= exact[place] * exact.logarithm(place);
  }
  expect_bounds(log_sum_exp_error_bound(x, temperature), log_sum_exp(x, temperature),
                exact.log_sum_exp(), "log-sum-exp");
  expect_bounds(entropy_error_bound(x, temperature), softmax_entropy(x, temperature), entropy,
                "the entropy");
  if constexpr (std::is_floating_point_v<Real>) {
    const auto jacobian = softmax_jacobian(weights);
    for (Eigen::Index i = 0; i < 2; ++i)
      for (Eigen::Index j = 0; j < 2; ++j) {
        const Wide& of_row = exact[static_cast<std::size_t>(i)];
        const Wide& of_column = exact[static_cast<std::size_t>(j)];
        expect_bounds(jacobian_error_bound<Real>(p, bound, i, j), jacobian(i, j),
                      of_row * ((i == j ? 1 : 0) - of_column), "an entry of the Jacobian");
      }
  }
  const SoftmaxFunction<Real> nan = [](const std::vector<Real>& logits, const Real&) {
    return std::vector<Real>(logits.size(), std::numeric_limits<Real>::quiet_NaN());
  };
  ASSERT_FALSE(accuracy_law<Real>(nan, list, tau).holds());
  ASSERT_FALSE(temperature_law<Real>(nan, list, tau, tau).holds());
  ASSERT_FALSE(log_softmax_law<Real>(nan, list, tau).holds());
}

TYPED_TEST(Bounds, OfSoftmaxItsLogarithmsEntropyAndJacobian) {
  using Real = TypeParam;
  using Computed = Compute<Real>;
  std::vector<Real> temperatures = {Real(1), Real(1e4F), std::numeric_limits<Real>::denorm_min(),
                                    (std::numeric_limits<Real>::max)()};
  for (const Real& a : extremes<Real>())
    for (const Real& b : extremes<Real>()) {
      const std::vector<Real> list = {a, b};
      const auto x = sqrtdk::testing::detail::as_vector(list);
      const Real infinity = std::numeric_limits<Real>::infinity();
      if ((a < infinity && b < infinity) && (a > -infinity || b > -infinity)) {
        for (const Real& temperature : temperatures) {
          SCOPED_TRACE(text(a, b, temperature));
          check_softmax<Real>(list, temperature);
          if (this->HasFatalFailure()) return;
        }
        continue;
      }
      EXPECT_THROW(softmax_error_bound(x), std::domain_error);
      EXPECT_THROW(log_sum_exp_error_bound(x), std::domain_error);
      EXPECT_THROW(log_softmax_error_bound(x), std::domain_error);
      EXPECT_THROW(entropy_error_bound(x, Computed(1)), std::domain_error);
      EXPECT_THROW(ExactSoftmax<Real>{list}, std::domain_error);
    }
}

TYPED_TEST(Bounds, OfTheBackwardPass) {
  using Real = TypeParam;
  using Vector = BackwardVector<Real>;
  const BackwardFunction<Real> backward = [](const Vector& p, const Vector& g) -> Vector {
    return vector_jacobian_product(p, g);
  };
  const BackwardFunction<Real> nan = [](const Vector& p, const Vector&) -> Vector {
    return Vector::Constant(p.size(), std::numeric_limits<Real>::quiet_NaN());
  };
  for (const Real& a : finite_extremes<Real>())
    for (const Real& b : finite_extremes<Real>())
      for (const Real& weight :
           {Real(0), Real(0.5F), Real(1), std::numeric_limits<Real>::denorm_min()}) {
        const Vector p{{weight, Real(Real(1) - weight)}};
        const Vector g{{a, b}};
        const Eigen::VectorXd bound = vector_jacobian_error_bound(p, g);
        const Vector x = backward(p, g);
        const Wide mean = wide(p[0]) * wide(a) + wide(p[1]) * wide(b);
        for (Eigen::Index i = 0; i < 2; ++i)
          expect_bounds(bound[i], x[i], wide(p[i]) * (wide(g[i]) - mean), "a derivative");
        if (this->HasFatalFailure()) return;
        EXPECT_FALSE(backward_accuracy_law<Real>(nan, p, g).holds());
        EXPECT_FALSE(backward_shift_law<Real>(nan, p, g, Real(1)).holds());
        EXPECT_FALSE(backward_symmetry_law<Real>(nan, p, g, g).holds());
      }
}

TYPED_TEST(Bounds, OfTheBackwardPassFromLogarithms) {
  using Real = TypeParam;
  using Vector = BackwardVector<Real>;
  using Computed = Compute<Real>;
  std::vector<Real> logarithms = finite_extremes<Real>();
  logarithms.push_back(-std::numeric_limits<Real>::infinity());
  for (const Real& y : logarithms)
    for (const Real& a : finite_extremes<Real>())
      for (const Real& b : finite_extremes<Real>()) {
        const Vector logs{{y, Real(-1)}}, g{{a, b}};
        const Eigen::VectorXd bound = log_softmax_backward_error_bound(logs, g);
        for (Eigen::Index i = 0; i < 2; ++i) {
          const auto log = static_cast<Computed>(logs[i]), c = static_cast<Computed>(g[i]);
          const Computed sum = static_cast<Computed>(a) + static_cast<Computed>(b);
          const Wide weight = std::isinf(log) || log < -20000 ? Wide(0) : Wide(exp(wide(log)));
          const Wide exact = wide(c) - weight * (wide(a) + wide(b));
          expect_bounds(bound[i], Computed(c - std::exp(log) * sum), exact, "a derivative");
        }
        if (this->HasFatalFailure()) return;
      }
  const Vector nan{{std::numeric_limits<Real>::quiet_NaN()}}, two{{Real(1), Real(1)}};
  EXPECT_THROW(log_softmax_backward_error_bound(nan, nan), std::domain_error);
  EXPECT_THROW(log_softmax_backward_error_bound(nan, two), std::invalid_argument);
}

TEST(Targets, AreTheSameToFiftyDigits) {
  const auto expect_same = [](const Target& target) {
    const Eigen::MatrixXd exact = target.numbers(TargetNumbers::exact);
    EXPECT_LE((exact - target.numbers(TargetNumbers::nearly_right)).cwiseAbs().maxCoeff(), 1e-14);
  };
  const Matrix<float> y{{-0.5F, -1, -INFINITY}}, g{{3, -2, 0.125F}};
  expect_same(log_softmax_backward_target(y, g, arithmetic_of<float>()));
  AttentionCase<float> input{y.leftCols(2), g.leftCols(2).replicate(3, 1), g.transpose(), {}, {}};
  input.options.bias = Matrix<float>{{-INFINITY, 2.5F, -1}};
  expect_same(attention_log_sum_exp_target(input, arithmetic_of<float>()));
}

/// A kernel that rounds what is exact, and one that gives NaN.
template <class Real>
Matrix<Real> rounded(const Matrix<Wide>& exact) {
  Matrix<Real> result(exact.rows(), exact.cols());
  for (Eigen::Index i = 0; i < exact.size(); ++i)
    result(i) = static_cast<Real>(exact(i).template convert_to<Compute<Real>>());
  return result;
}

template <class Real>
void check_attention(const AttentionCase<Real>& input) {
  using Case = AttentionCase<Real>;
  const ExactAttention exact(input);
  const auto all_nan = [](const auto& like) -> Matrix<Real> {
    return Matrix<Real>::Constant(like.rows(), like.cols(), std::numeric_limits<Real>::quiet_NaN());
  };
  const auto is_exact_kept = [](const Outcome& outcome) {
    ASSERT_TRUE(is_a_bound(outcome.bound) && outcome.holds()) << outcome;
  };
  is_exact_kept(
      output_law<Real>([&](const Case&) { return rounded<Real>(exact.output()); }, input));
  is_exact_kept(gradient_law<Real>(
      [&](const Case&) {
        const AttentionGradient<Wide>& g = exact.gradient();
        return AttentionGradient<Real>{rounded<Real>(g.queries), rounded<Real>(g.keys),
                                       rounded<Real>(g.values)};
      },
      input));
  ASSERT_FALSE(
      output_law<Real>([&](const Case&) { return all_nan(exact.output()); }, input).holds());
  ASSERT_FALSE(
      score_law<Real>([&](const Case&) { return all_nan(exact.scores()); }, input).holds());
  ASSERT_FALSE(
      gradient_law<Real>(
          [&](const Case& x) {
            return AttentionGradient<Real>{all_nan(x.queries), all_nan(x.keys), all_nan(x.values)};
          },
          input)
          .holds());
  // The library refuses scores that overflow; and where nothing is promised a gradient may be NaN.
  try {
    is_exact_kept(output_law<Real>(
        [](const Case& x) {
          return scaled_dot_product_attention(x.queries, x.keys, x.values, x.options).output;
        },
        input));
    const Outcome of_gradient = gradient_law<Real>(
        [](const Case& x) {
          return attention_gradient(x.queries, x.keys, x.values, x.output_gradient, x.options);
        },
        input);
    ASSERT_TRUE(is_a_bound(of_gradient.bound)) << of_gradient;
    ASSERT_TRUE(of_gradient.vacuous || of_gradient.holds()) << of_gradient;
  } catch (const std::domain_error& refusal) {
    ASSERT_NE(std::string(refusal.what()).find("overflows to"), std::string::npos);
  }
}

TYPED_TEST(Bounds, OfAttentionAndItsGradient) {
  using Real = TypeParam;
  using Computed = Compute<Real>;
  for (const AttentionCase<Real>& input : attention_edge_cases<Real>()) {
    check_attention<Real>(input);
    if (this->HasFatalFailure()) return;
  }
  const auto row = [](const Real& x) { return Matrix<Real>(Matrix<Real>::Constant(1, 1, x)); };
  const std::vector<std::optional<Computed>> scales = {std::nullopt, Computed(0), Computed(1e4F)};
  int which = 0;
  for (const Real& a : extremes<Real>())
    for (const Real& b : extremes<Real>()) {
      AttentionCase<Real> input{
          row(a), Matrix<Real>{{b}, {Real(1)}}, Matrix<Real>{{a}, {b}}, row(b), {}};
      input.options.scale = scales[static_cast<std::size_t>(which++ % 3)];
      SCOPED_TRACE(text(a, b));
      // The bounds compute with doubles.
      if (std::isfinite(static_cast<double>(a)) && std::isfinite(static_cast<double>(b))) {
        check_attention<Real>(input);
        if (this->HasFatalFailure()) return;
        continue;
      }
      EXPECT_THROW(attention_error_bound<Wide>(input.queries, input.keys, input.values),
                   std::domain_error);
      EXPECT_THROW(attention_gradient_error_bound<Wide>(input.queries, input.keys, input.values,
                                                        input.output_gradient),
                   std::domain_error);
    }
}

TYPED_TEST(Bounds, OfLayerNormalization) {
  using Real = TypeParam;
  if (std::numeric_limits<Real>::digits < 11) {
    EXPECT_THROW(layer_norm_error<Real>(2), std::domain_error);
    return;
  }
  const double bound = static_cast<double>(layer_norm_error<Real>(2));
  for (const Real& a : finite_extremes<Real>())
    for (const Real& b : finite_extremes<Real>()) {
      const Real epsilon(1);
      const Matrix<Real> y = layer_norm(Matrix<Real>{{a, b}}, epsilon);
      const Wide half = (wide(a) - wide(b)) / 2;
      expect_bounds(bound, y(0), half / sqrt(Wide(half * half + wide(epsilon))), "a feature");
      if (this->HasFatalFailure()) return;
    }
}

TEST(BoundsInDouble, AreNeverNaNAndNeverNegative) {
  const SoftmaxArithmetic a = arithmetic_of<double>();
  const ScalingRule rules[] = {unscaled, root_scale, fifth_power_scale, logarithmic_scale,
                               exponential_scale};
  const auto expect_bound_or_refusal = [](const auto& bound, const char* what) {
    try {
      EXPECT_TRUE(is_a_bound(static_cast<double>(bound()))) << what << ": " << bound();
    } catch (const std::domain_error&) {
    }
  };
  for (const double x : extremes<double>()) {
    for (const ScalingRule& rule : rules)
      expect_bound_or_refusal([&] { return log_variance_left_error(rule, x); }, "ln d");
    for (const double y : extremes<double>()) {
      for (const double z : extremes<double>()) {
        expect_bound_or_refusal([&] { return score_error_bound(2, x, y, z, a); }, "score");
        expect_bound_or_refusal([&] { return score_error_bound(x, y, z, std::nullopt, a); }, "d");
      }
      expect_bound_or_refusal([&] { return monomial_error(x, y, 3, a.unit_roundoff); }, "monomial");
      expect_bound_or_refusal([&] { return small_gap_bound(2, x, y); }, "gap");
      expect_bound_or_refusal(
          [&] { return score_gradient_bound(Eigen::Vector2d(1, 0), Eigen::Vector2d(y, x)); },
          "range of one weight");
    }
  }
  EXPECT_TRUE(is_a_bound(two_key_error_bound<double>()));
}

}  // namespace
