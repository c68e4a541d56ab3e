#include <sqrtdk/testing/laws/raised_bound.hpp>

#include "properties/jacobian_error/fixture.hpp"

namespace sqrtdk::properties::JacobianError {

template <class Real, class Jacobian>
void expect_accurate_jacobian(const Jacobian& jacobian_of) {
  evidence().rests_on(EvidenceLevel::bounded);
  const auto expect_accurate = [&](const Vector<Real>& x) {
    const Vector<Exact> p = softmax(exact(x));
    const Eigen::VectorXd weights = p.cast<double>();
    const SoftmaxErrorBound of_weights = softmax_error_bound(x);
    const Matrix<Real> jacobian = jacobian_of(softmax(x));
    for (Index i = 0; i < p.size(); ++i)
      for (Index j = 0; j < p.size(); ++j) {
        const Exact entry = p[i] * ((i == j ? 1 : 0) - p[j]);
        expect_kept(Exact(jacobian(i, j)) - entry,
                    jacobian_error_bound<Real>(weights, of_weights, i, j));
      }
  };
  for (const std::vector<Real>& x : {std::vector<Real>{3}, {0, 0}, {0, -1, -2}, {0, -30}})
    expect_accurate(vector_of(x));
  for_all([&] { expect_accurate(vector_of(*vectors<Real>({.longest = 9}).as("logits"))); });
}

//! [JacobianError]
STATEMENT(JacobianError, TheComputedJacobianKeepsItsBoundInDouble) {
  expect_accurate_jacobian<double>(subject.jacobian);
}
KILLS("the Jacobian is computed in float",
      {.jacobian = [](const Vector<double>& p) -> Matrix<double> {
        return softmax_jacobian(p.cast<float>()).cast<double>();
      }});

STATEMENT(JacobianError, TheComputedJacobianKeepsItsBoundInFloat) {
  expect_accurate_jacobian<float>(subject.jacobian_in_float);
}
//! [JacobianError]
KILLS("1 − p is rounded to a multiple of 2^-16", {.jacobian_in_float = [](auto& p) {
        Matrix<float> jacobian = softmax_jacobian(p);
        for (Index i = 0; i < p.size(); ++i)
          jacobian(i, i) = p[i] * std::round((1 - p[i]) * 65536) / 65536;
        return jacobian;
      }});

ASIDE(JacobianError, WhatUnderflowsInItsOwnComputationIsPaidFor) {
  evidence().rests_on(EvidenceLevel::bounded);
  // pᵢeⱼ and pⱼeᵢ are a little less than half of the smallest double each: both are lost.
  const Eigen::VectorXd p = Eigen::VectorXd::Constant(2, 0x1p-515);
  const SoftmaxErrorBound of_weights{Eigen::VectorXd::Constant(2, 0x1.ffp-46), 0};
  const Wide e = Wide(0x1.ffp-46) * Wide(0x1p-515);
  const Wide page = 2 * Wide(0x1p-515) * e + Wide(std::numeric_limits<double>::denorm_min());
  EXPECT_GE(Wide(subject.jacobian_bound(p, of_weights, 0, 1)), page);
  enumerated(1);
}
KILLS("products that underflow in the bound's own computation are lost",
      {.jacobian_bound = [](auto& p, auto& bound, auto i, auto j) {
        return jacobian_error_bound(p, bound, i, j) - 4 * std::numeric_limits<double>::denorm_min();
      }});

/// The Jacobian, but 0 where one weight is almost 1.
Matrix<float> jacobian_without_tiny_weights(const Vector<float>& p) {
  Matrix<float> jacobian = softmax_jacobian(p);
  if (p.maxCoeff() < 1 && p.maxCoeff() > 1 - 0x1p-12F) jacobian.setZero();
  return jacobian;
}

STATEMENT(JacobianError, AnAdversaryDoesNotBreakIt) {
  expect_no_worst_case(
      {.axes = {{.name = 'n', .longest = 6}}, .arrays = {{"logits", "n"}}},
      [&](const Arrays<float>& input) {
        const Vector<float> x = vector_of(input.list("logits"));
        const Vector<long double> p = softmax(Vector<long double>(x.cast<long double>()));
        const SoftmaxErrorBound of_weights = softmax_error_bound(x);
        const Matrix<float> jacobian = subject.jacobian_in_float(softmax(x));
        Seen worst;
        for (Index i = 0; i < p.size(); ++i)
          for (Index j = 0; j < p.size(); ++j) {
            const long double entry = p[i] * ((i == j ? 1 : 0) - p[j]);
            const auto error = static_cast<double>(std::abs(jacobian(i, j) - entry));
            worst = worse(worst,
                          {error, jacobian_error_bound<float>(p.cast<double>(), of_weights, i, j)});
          }
        return worst;
      });
}
KILLS("a Jacobian of almost one-hot weights is 0",
      {.jacobian_in_float = jacobian_without_tiny_weights});

/// The diagonal as it would be bounded if its two factors erred independently.
double independent_factors(const Eigen::VectorXd& p, const SoftmaxErrorBound& bound, Index i,
                           Index j) {
  return jacobian_error_bound(p, bound, i, j) + (i == j ? 2 * p[i] * bound(i, p[i]) : 0);
}

ASIDE(JacobianError, TheBoundIsTheFormulaOfThePage) {
  evidence().rests_on(EvidenceLevel::bounded);
  constexpr double eta = std::numeric_limits<double>::denorm_min();
  const auto expect_formula = [&](const Eigen::VectorXd& p, const SoftmaxErrorBound& of_weights,
                                  Index i, Index j) {
    const auto error = [&](Index k) {
      return Wide(Wide(of_weights.relative[k]) * Wide(p[k]) + Wide(of_weights.absolute));
    };
    const Wide u = Wide(0x1p-53);
    const Wide pi = p[i], pj = p[j], ei = error(i), ej = error(j);
    const Wide page =
        i == j ? Wide(ei * (abs(1 - 2 * pi) + ei) + u * (2 + u) * (pi + ei) * (1 - pi + ei))
               : Wide(pi * ej + pj * ei + ei * ej + u * (pi + ei) * (pj + ej));
    return is_raised(subject.jacobian_bound(p, of_weights, i, j), Wide(page + eta), 1, 8 * eta);
  };
  // Each part of the formula decides once: errors, rounding, two large errors, and underflow.
  const Eigen::VectorXd thirds = Eigen::VectorXd::Constant(3, 1.0 / 3);
  for (const double relative : {0x1p-30, 0.0, 0.5})
    for (const Index j : {0, 1})
      EXPECT_TRUE(expect_formula(thirds, {Eigen::VectorXd::Constant(3, relative), 0}, 0, j));
  const SoftmaxErrorBound none{Eigen::VectorXd::Zero(2), 0};
  EXPECT_EQ(subject.jacobian_bound(Eigen::VectorXd::Zero(2), none, 0, 1), 5 * eta);
  // No bound of a weight, no bound of an entry: even where the weight is 0.
  const SoftmaxErrorBound lost{
      Eigen::VectorXd::Constant(2, std::numeric_limits<double>::infinity()), 0};
  for (const Index j : {0, 1})
    EXPECT_EQ(subject.jacobian_bound(Eigen::VectorXd::Zero(2), lost, 0, j),
              std::numeric_limits<double>::infinity());
  for_all([&] {
    const Eigen::VectorXd p = softmax(moderate_logits());
    SoftmaxErrorBound of_weights;
    of_weights.relative.resize(p.size());
    for (double& relative : of_weights.relative)
      relative = std::exp2(-*rc::gen::inRange(0, 60).as("−log₂ of a relative error"));
    of_weights.absolute = *rc::gen::element(0.0, eta, 0x1p-40).as("absolute error");
    const Index i = *rc::gen::inRange<Index>(0, p.size()).as("i");
    const Index j = *rc::gen::inRange<Index>(0, p.size()).as("j");
    RC_ASSERT(expect_formula(p, of_weights, i, j));
  });
}
KILLS("the rounding of the diagonal is left out of its bound",
      {.jacobian_bound = [](auto& p, auto& bound, auto i, auto j) {
        constexpr double u = 0x1p-53;
        const double e = bound(i, p[i]);
        const double rounding = i == j ? 2 * u * (p[i] + e) * (1 - p[i] + e) : 0;
        return jacobian_error_bound(p, bound, i, j) - rounding;
      }});
KILLS("the factors of the diagonal err independently", {.jacobian_bound = independent_factors});
KILLS("the product of both errors is left out of the bound",
      {.jacobian_bound = [](auto& p, auto& bound, auto i, auto j) {
        return jacobian_error_bound(p, bound, i, j) - bound(i, p[i]) * bound(j, p[j]);
      }});
KILLS("a weight of 0 without a bound makes NaN",
      {.jacobian_bound = [](auto& p, auto& bound, auto i, auto j) {
        return jacobian_error_bound(p, bound, i, j) + 0 * bound(i, p[i]);
      }});

ASIDE(JacobianError, RefusesWhatIsNoWeight) {
  const SoftmaxErrorBound exact_weights{Eigen::VectorXd::Zero(2), 0};
  for (const double number : {-0.5, 1.5, std::numeric_limits<double>::quiet_NaN()}) {
    const Eigen::VectorXd p = vector_of<double>({0.5, number});
    for (const auto& [i, j] : {std::pair<Index, Index>{0, 1}, {1, 0}, {1, 1}})
      expect_refusal<std::domain_error>([&, i = i, j = j] {  //
        subject.jacobian_bound(p, exact_weights, i, j);
      });
  }
}
KILLS("numbers that are no weights are accepted",
      {.jacobian_bound = [](auto& p, auto& bound, auto i, auto j) {
        return jacobian_error_bound(p.cwiseMax(0).cwiseMin(1), bound, i, j);
      }});

ASIDE(JacobianError, WithoutSubnormalNumbersItFails) {
  const Vector<double> p = vector_of<double>({0x1p-520, 0x1p-520, 1});
  const SoftmaxErrorBound exact_weights{Eigen::VectorXd::Zero(3), 0};
  const double entry = subject.jacobian(p)(0, 1);
  EXPECT_EXACTLY(bits_of(entry) == bits_of(-0x1p-1040));
  const Rational lost = Rational(flushed(entry)) - Rational(entry);
  EXPECT_EXACTLY(lost > Rational(subject.jacobian_bound(p, exact_weights, 0, 1)));
  enumerated(1);
  counterexample_without("rounding model");
}
KILLS("underflow may cost the smallest normal number",
      {.jacobian_bound = [](auto& p, auto& bound, auto i, auto j) {
        return jacobian_error_bound(p, bound, i, j) + std::numeric_limits<double>::min();
      }});

}  // namespace sqrtdk::properties::JacobianError
