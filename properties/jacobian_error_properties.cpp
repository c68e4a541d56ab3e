// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/jacobian_error.hpp>
#include <sqrtdk/softmax_jacobian_means.hpp>
#include <sqrtdk/softmax_jacobian_norms.hpp>
#include <sqrtdk/testing/generators/floating_point.hpp>
#include <sqrtdk/testing/generators/worst_case.hpp>
#include <sqrtdk/testing/laws/raised_bound.hpp>
#include <sqrtdk/testing/laws/softmax_backward_laws.hpp>
#include <sqrtdk/testing/laws/wide.hpp>
#include <sqrtdk/testing/memoized.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/expect_near.hpp>
#include <sqrtdk/testing/statistics/number_text.hpp>

#include "properties/softmax_jacobian/wrong_jacobian.hpp"
#include "properties/support/vectors.hpp"

#include <boost/math/constants/constants.hpp>
#include <boost/math/quadrature/gauss.hpp>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace sqrtdk;
using namespace sqrtdk::testing;
using Eigen::half;

/// A hundred digits, which count as exact; numerical derivatives are taken in fifty.
using Exact = Wider;
template <class Scalar>
using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
template <class Scalar>
using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
using Index = Eigen::Index;

/// What this chapter's laws judge.
struct Errors {
  Matrix<double> (*jacobian)(const Vector<double>&) = [](const Vector<double>& p) {
    return softmax_jacobian(p);
  };
  Matrix<float> (*jacobian_in_float)(const Vector<float>&) = [](const Vector<float>& p) {
    return softmax_jacobian(p);
  };
  Matrix<Wide> (*jacobian_in_wide)(const Vector<Wide>&) = [](const Vector<Wide>& p) {
    return softmax_jacobian(p);
  };
  double (*jacobian_bound)(const Eigen::VectorXd&, const SoftmaxErrorBound&, Index,
                           Index) = jacobian_error_bound<double>;

  Vector<double> (*backward)(const Vector<double>&, const Vector<double>&) =
      [](const Vector<double>& p, const Vector<double>& g) {
        return Vector<double>(vector_jacobian_product(p, g));
      };
  Vector<float> (*backward_in_float)(const Vector<float>&, const Vector<float>&) =
      [](const Vector<float>& p, const Vector<float>& g) {
        return Vector<float>(vector_jacobian_product(p, g));
      };
  Vector<half> (*backward_in_half)(const Vector<half>&, const Vector<half>&) =
      [](const Vector<half>& p, const Vector<half>& g) {
        return Vector<half>(vector_jacobian_product(p, g));
      };
  Eigen::VectorXd (*backward_bound)(const Vector<double>&, const Vector<double>&) =
      [](const Vector<double>& p, const Vector<double>& g) {
        return vector_jacobian_error_bound(p, g);
      };
  Eigen::VectorXd (*backward_bound_in_float)(const Vector<float>&, const Vector<float>&) =
      [](const Vector<float>& p, const Vector<float>& g) {
        return vector_jacobian_error_bound(p, g);
      };
  Eigen::VectorXd (*backward_bound_in_half)(const Vector<half>&, const Vector<half>&) =
      [](const Vector<half>& p, const Vector<half>& g) {
        return vector_jacobian_error_bound(p, g);
      };

  double (*entropy)(const Vector<double>&, double) = [](const Vector<double>& s, double t) {
    return softmax_entropy(s, t);
  };
  float (*entropy_in_float)(const Vector<float>&, float) = [](const Vector<float>& s, float t) {
    return softmax_entropy(s, t);
  };
  float (*entropy_of_halves)(const Vector<half>&, float) = [](const Vector<half>& s, float t) {
    return softmax_entropy(s, t);
  };
  double (*entropy_bound)(const Vector<double>&, double, const SoftmaxArithmetic&) =
      [](const Vector<double>& s, double t, const SoftmaxArithmetic& arithmetic) {
        return entropy_error_bound(s, t, arithmetic);
      };

  double (*mean_trace)(std::size_t, double) = [](std::size_t n, double spread) {
    return remembered<mean_jacobian_trace>(n, spread);
  };
  double (*mean_squared_norm)(std::size_t, double) = [](std::size_t n, double spread) {
    return remembered<mean_jacobian_squared_norm>(n, spread);
  };
  double integral_bound = integral_error_bound;
  double (*two_key_bound)() = two_key_error_bound<double>;

  double (*difference_bound)(double, double, double, double) = central_difference_error_bound;
  double (*complex_bound)(double, double, bool, std::size_t) = [](double p, double q, bool diagonal,
                                                                  std::size_t n) {
    return complex_step_error_bound(p, q, diagonal, n);
  };
};

using Mutants = std::vector<Mutant<Errors>>;

Vector<half> halves(const Vector<float>& x) { return x.cast<half>(); }

template <class Real>
Vector<Exact> exact(const Vector<Real>& x) {
  Vector<Exact> same(x.size());
  for (Index i = 0; i < x.size(); ++i) same[i] = Exact(static_cast<double>(x[i]));
  return same;
}

/// What hardware without subnormal numbers makes of a result.
template <class Real>
Real flushed(Real x) {
  return std::abs(x) < std::numeric_limits<Real>::min() ? Real(0) : x;
}

/// Expects that an error keeps a bound, which must promise something.
void expect_kept(const Exact& error, double bound) {
  const auto size = static_cast<double>(abs(error));
  RC_ASSERT(std::isfinite(bound));
  evidence().worst(size, bound);
  RC_ASSERT(size <= bound);
}

/// What a law says of one input to an adversary.
struct Seen {
  double error = 0;
  double bound = 1;
  bool vacuous = false;
};

/// The one that comes nearer to its bound.
Seen worse(const Seen& a, const Seen& b) { return ratio_of(b) > ratio_of(a) ? b : a; }

/// Lets an adversary look for an input that breaks a bound in single precision, from a fixed seed;
/// errors are measured in long double.
/// \param law a callable `Seen(const Arrays<float>&)`.
template <class Law>
void expect_no_worst_case(const InputSpace<float>& space, const Law& law) {
  evidence().weaken(Grade::bounded);
  const Search search{.seed = 1, .evaluations = judging_a_mutant() ? 2000U : 20000U};
  const Worst<float> worst = worst_case(space, search, law);
  EXPECT_LE(worst.ratio, 1) << worst;
  EXPECT_GE(worst.ratio, 0.1) << worst << "\nthe search has found nothing of interest";
  evidence().worst(worst.error, worst.bound);
  publish("ratio", fixed(worst.ratio, 2));
  publish("evaluations", std::to_string(worst.evaluations));
}

/// Logits whose exponentials neither overflow nor underflow, all multiples of 2⁻⁸⁰.
Vector<double> moderate_logits() {
  const auto x =
      *vectors<double>({.shortest = 1, .longest = 12, .entries = {.largest = 30}}).as("logits");
  return vector_of(x).unaryExpr([](double entry) { return std::round(entry * 0x1p80) * 0x1p-80; });
}

// ---------------------------------------------------------------------------------- JacobianError

/// The diagonal as it would be bounded if its two factors erred independently.
double independent_factors(const Eigen::VectorXd& p, const SoftmaxErrorBound& bound, Index i,
                           Index j) {
  return jacobian_error_bound(p, bound, i, j) + (i == j ? 2 * p[i] * bound(i, p[i]) : 0);
}

/// The Jacobian, but 0 where one weight is almost 1.
Matrix<float> jacobian_without_tiny_weights(const Vector<float>& p) {
  Matrix<float> jacobian = softmax_jacobian(p);
  if (p.maxCoeff() < 1 && p.maxCoeff() > 1 - 0x1p-12F) jacobian.setZero();
  return jacobian;
}

const Mutants jacobian_error_mutants = {
    {"the Jacobian is computed in float",
     "TheComputedJacobianKeepsItsBoundInDouble",
     {.jacobian = [](const Vector<double>& p) -> Matrix<double> {
       return softmax_jacobian(p.cast<float>()).cast<double>();
     }}},
    {"1 − p is rounded to a multiple of 2^-16",
     "TheComputedJacobianKeepsItsBoundInFloat",
     {.jacobian_in_float =
          [](const Vector<float>& p) {
            Matrix<float> jacobian = softmax_jacobian(p);
            for (Index i = 0; i < p.size(); ++i)
              jacobian(i, i) = p[i] * std::round((1 - p[i]) * 65536) / 65536;
            return jacobian;
          }}},
    {"a Jacobian of almost one-hot weights is 0",
     "AnAdversaryDoesNotBreakIt",
     {.jacobian_in_float = jacobian_without_tiny_weights}},
    {"the rounding of the diagonal is left out of its bound",
     "TheBoundIsTheFormulaOfThePage",
     {.jacobian_bound =
          [](const Eigen::VectorXd& p, const SoftmaxErrorBound& bound, Index i, Index j) {
            constexpr double u = 0x1p-53;
            const double e = bound(i, p[i]);
            const double rounding = i == j ? 2 * u * (p[i] + e) * (1 - p[i] + e) : 0;
            return jacobian_error_bound(p, bound, i, j) - rounding;
          }}},
    {"the factors of the diagonal err independently",
     "TheBoundIsTheFormulaOfThePage",
     {.jacobian_bound = independent_factors}},
    {"products that underflow in the bound's own computation are lost",
     "WhatUnderflowsInItsOwnComputationIsPaidFor",
     {.jacobian_bound =
          [](const Eigen::VectorXd& p, const SoftmaxErrorBound& bound, Index i, Index j) {
            return jacobian_error_bound(p, bound, i, j) -
                   4 * std::numeric_limits<double>::denorm_min();
          }}},
    {"the product of both errors is left out of the bound",
     "TheBoundIsTheFormulaOfThePage",
     {.jacobian_bound =
          [](const Eigen::VectorXd& p, const SoftmaxErrorBound& bound, Index i, Index j) {
            return jacobian_error_bound(p, bound, i, j) - bound(i, p[i]) * bound(j, p[j]);
          }}},
    {"a weight of 0 without a bound makes NaN",
     "TheBoundIsTheFormulaOfThePage",
     {.jacobian_bound =
          [](const Eigen::VectorXd& p, const SoftmaxErrorBound& bound, Index i, Index j) {
            return jacobian_error_bound(p, bound, i, j) + 0 * bound(i, p[i]);
          }}},
    {"underflow may cost the smallest normal number",
     "WithoutSubnormalNumbersItFails",
     {.jacobian_bound =
          [](const Eigen::VectorXd& p, const SoftmaxErrorBound& bound, Index i, Index j) {
            return jacobian_error_bound(p, bound, i, j) + std::numeric_limits<double>::min();
          }}},
};

template <class Real, class Jacobian>
void expect_accurate_jacobian(const Jacobian& jacobian_of) {
  evidence().weaken(Grade::bounded);
  for_all([&] {
    const Vector<Real> x = vector_of(*vectors<Real>({.longest = 9}).as("logits"));
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
  });
}

//! [JacobianError]
TEST(JacobianError, TheComputedJacobianKeepsItsBoundInDouble) {
  judge(jacobian_error_mutants,
        [](const Errors& errors) { expect_accurate_jacobian<double>(errors.jacobian); });
}

TEST(JacobianError, TheComputedJacobianKeepsItsBoundInFloat) {
  judge(jacobian_error_mutants,
        [](const Errors& errors) { expect_accurate_jacobian<float>(errors.jacobian_in_float); });
}
//! [JacobianError]

TEST(JacobianError, WhatUnderflowsInItsOwnComputationIsPaidFor) {
  judge(jacobian_error_mutants, [](const Errors& errors) {
    evidence().weaken(Grade::bounded);
    // pᵢeⱼ and pⱼeᵢ are a little less than half of the smallest double each: both are lost.
    const Eigen::VectorXd p = Eigen::VectorXd::Constant(2, 0x1p-515);
    const SoftmaxErrorBound of_weights{Eigen::VectorXd::Constant(2, 0x1.ffp-46), 0};
    const Wide e = Wide(0x1.ffp-46) * Wide(0x1p-515);
    const Wide page = 2 * Wide(0x1p-515) * e + Wide(std::numeric_limits<double>::denorm_min());
    EXPECT_GE(Wide(errors.jacobian_bound(p, of_weights, 0, 1)), page);
    enumerated(1);
  });
}

TEST(JacobianError, AnAdversaryDoesNotBreakIt) {
  judge(jacobian_error_mutants, [](const Errors& errors) {
    of_the_statement();
    expect_no_worst_case(
        {.axes = {{.name = 'n', .longest = 6}}, .arrays = {{"logits", "n"}}},
        [&](const Arrays<float>& input) {
          const Vector<float> x = vector_of(input.list("logits"));
          const Vector<long double> p = softmax(Vector<long double>(x.cast<long double>()));
          const SoftmaxErrorBound of_weights = softmax_error_bound(x);
          const Matrix<float> jacobian = errors.jacobian_in_float(softmax(x));
          Seen worst;
          for (Index i = 0; i < p.size(); ++i)
            for (Index j = 0; j < p.size(); ++j) {
              const long double entry = p[i] * ((i == j ? 1 : 0) - p[j]);
              const auto error = static_cast<double>(std::abs(jacobian(i, j) - entry));
              worst = worse(
                  worst, {error, jacobian_error_bound<float>(p.cast<double>(), of_weights, i, j)});
            }
          return worst;
        });
  });
}

TEST(JacobianError, TheBoundIsTheFormulaOfThePage) {
  judge(jacobian_error_mutants, [](const Errors& errors) {
    evidence().weaken(Grade::bounded);
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
      return is_raised(errors.jacobian_bound(p, of_weights, i, j), Wide(page + eta), 1, 8 * eta);
    };
    // Each part of the formula decides once: errors without rounding to speak of, rounding alone,
    // two large errors, and underflow alone.
    const Eigen::VectorXd thirds = Eigen::VectorXd::Constant(3, 1.0 / 3);
    for (const double relative : {0x1p-30, 0.0, 0.5})
      for (const Index j : {0, 1})
        EXPECT_TRUE(expect_formula(thirds, {Eigen::VectorXd::Constant(3, relative), 0}, 0, j));
    const SoftmaxErrorBound none{Eigen::VectorXd::Zero(2), 0};
    EXPECT_EQ(errors.jacobian_bound(Eigen::VectorXd::Zero(2), none, 0, 1), 5 * eta);
    // No bound of a weight, no bound of an entry: even where the weight is 0.
    const SoftmaxErrorBound lost{
        Eigen::VectorXd::Constant(2, std::numeric_limits<double>::infinity()), 0};
    for (const Index j : {0, 1})
      EXPECT_EQ(errors.jacobian_bound(Eigen::VectorXd::Zero(2), lost, 0, j),
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
  });
}

TEST(JacobianError, WithoutSubnormalNumbersItFails) {
  judge(jacobian_error_mutants, [](const Errors& errors) {
    const Vector<double> p = vector_of<double>({0x1p-520, 0x1p-520, 1});
    const SoftmaxErrorBound exact_weights{Eigen::VectorXd::Zero(3), 0};
    const double entry = errors.jacobian(p)(0, 1);
    EXPECT_EQ(entry, -0x1p-1040);
    EXPECT_GT(std::abs(flushed(entry) - entry), errors.jacobian_bound(p, exact_weights, 0, 1));
    enumerated(1);
    counterexample_without("rounding model");
  });
}

// ------------------------------------------------------------------------------ BackwardPassError

/// The formula of the page, whatever its hypotheses.
template <class Scalar>
Eigen::VectorXd formula_of_backward_bound(const Vector<Scalar>& p, const Vector<Scalar>& g) {
  using Long = long double;  // in which nothing overflows
  const Rounding rounding = rounding_of<Scalar>();
  const Long u = rounding.unit_roundoff, eta = rounding.smallest, n = static_cast<Long>(p.size());
  const auto weights = p.template cast<double>().template cast<Long>().array().eval();
  const auto sizes = g.template cast<double>().template cast<Long>().array().abs().eval();
  const Long mean = (weights * sizes).sum();
  const Long of_mean = n * (u * mean + eta) / (1 - n * u);
  const auto bound = weights * ((1 + u) * (1 + u) * of_mean + u * (2 + u) * (sizes + mean)) + eta;
  return (bound * Long(1 + bound_margin)).template cast<double>();
}

const Mutants backward_error_mutants = {
    {"the last entry is 0",
     "KeepsItsBoundInDouble",
     {.backward =
          [](const Vector<double>& p, const Vector<double>& g) {
            Vector<double> x = vector_jacobian_product(p, g);
            x[x.size() - 1] = 0;
            return x;
          }}},
    {"the mean is taken in float",
     "KeepsItsBoundInDouble",
     {.backward = [](const Vector<double>& p, const Vector<double>& g) -> Vector<double> {
       const float mean = p.cast<float>().dot(g.cast<float>());
       return p.cwiseProduct((g.array() - double(mean)).matrix());
     }}},
    {"the mean is rounded down to a multiple of 2^-16",
     "KeepsItsBoundInFloat",
     {.backward_in_float = [](const Vector<float>& p, const Vector<float>& g) -> Vector<float> {
       const float mean = std::floor(p.dot(g) * 65536) / 65536;
       return p.cwiseProduct((g.array() - mean).matrix());
     }}},
    {"two weights that are almost equal are taken for equal",
     "AnAdversaryDoesNotBreakIt",
     {.backward_in_float = [](const Vector<float>& p, const Vector<float>& g) -> Vector<float> {
       Vector<float> q = p;
       for (Index i = 1; i < q.size(); ++i)
         if (q[i] < q[i - 1] && q[i] > 0.999F * q[i - 1]) q[i] = q[i - 1];
       return vector_jacobian_product(q, g);
     }}},
    {"the mean of halves is rounded down to a multiple of 1/16",
     "KeepsItsBoundInHalf",
     {.backward_in_half = [](const Vector<half>& p, const Vector<half>& g) -> Vector<half> {
       const Vector<float> weights = p.cast<float>(), sizes = g.cast<float>();
       const float mean = std::floor(weights.dot(sizes) * 16) / 16;
       return halves(weights.cwiseProduct((sizes.array() - mean).matrix()));
     }}},
    {"the roundings after the mean are left out of the bound",
     "TheBoundIsTheFormulaOfThePage",
     {.backward_bound = [](const Vector<double>& p, const Vector<double>& g) -> Eigen::VectorXd {
       constexpr double u = 0x1p-53;
       return vector_jacobian_error_bound(p, g) - 2 * u * p.cwiseProduct(g.cwiseAbs());
     }}},
    {"the bound is doubled",
     "TheBoundIsTheFormulaOfThePage",
     {.backward_bound = [](const Vector<double>& p, const Vector<double>& g) -> Eigen::VectorXd {
       return 2 * vector_jacobian_error_bound(p, g);
     }}},
    {"each term of the sum may underflow once more",
     "TheBoundIsTheFormulaOfThePage",
     {.backward_bound_in_float = [](const Vector<float>& p,
                                    const Vector<float>& g) -> Eigen::VectorXd {
       return vector_jacobian_error_bound(p, g) + 0x1p-149 * p.cast<double>();
     }}},
    {"the roundoff of a half is taken for 2^-14, as its epsilon() in Eigen says",
     "TheBoundIsTheFormulaOfThePage",
     {.backward_bound_in_half = [](const Vector<half>& p, const Vector<half>& g)
          -> Eigen::VectorXd { return vector_jacobian_error_bound(p, g) / 8; }}},
    {"1 − nu may be negative",
     "PromisesNothingWithoutItsHypotheses",
     {.backward_bound_in_half = formula_of_backward_bound<half>}},
    {"overflow is not looked for",
     "PromisesNothingWithoutItsHypotheses",
     {.backward_bound = formula_of_backward_bound<double>}},
    {"underflow may cost the smallest normal number",
     "WithoutSubnormalNumbersItFails",
     {.backward_bound = [](const Vector<double>& p, const Vector<double>& g) -> Eigen::VectorXd {
       return vector_jacobian_error_bound(p, g).array() + std::numeric_limits<double>::min();
     }}},
};

//! [BackwardPassError]
TEST(BackwardPassError, KeepsItsBoundInDouble) {
  judge(backward_error_mutants,
        [](const Errors& errors) { expect_accurate_backward<double>(errors.backward); });
}

TEST(BackwardPassError, KeepsItsBoundInFloat) {
  judge(backward_error_mutants,
        [](const Errors& errors) { expect_accurate_backward<float>(errors.backward_in_float); });
}
//! [BackwardPassError]

TEST(BackwardPassError, AnAdversaryDoesNotBreakIt) {
  judge(backward_error_mutants, [](const Errors& errors) {
    of_the_statement();
    expect_no_worst_case(
        {.axes = {{.name = 'n', .longest = 6}},
         .arrays = {{"logits", "n", -64, 64}, {"cotangent", "n", -0x1p20F, 0x1p20F}}},
        [&](const Arrays<float>& input) {
          const Vector<float> p = softmax(vector_of(input.list("logits")));
          const Vector<float> g = vector_of(input.list("cotangent"));
          const Vector<float> x = errors.backward_in_float(p, g);
          const Eigen::VectorXd bound = vector_jacobian_error_bound(p, g);
          const Vector<long double> weights = p.cast<long double>();
          const Vector<long double> exact_x =
              vector_jacobian_product(weights, Vector<long double>(g.cast<long double>()));
          Seen worst;
          for (Index i = 0; i < p.size(); ++i)
            worst = worse(worst, {static_cast<double>(std::abs(x[i] - exact_x[i])), bound[i]});
          return worst;
        });
  });
}

TEST(BackwardPassError, KeepsItsBoundInHalf) {
  judge(backward_error_mutants, [](const Errors& errors) {
    of_the_statement();
    evidence().weaken(Grade::bounded);
    const auto expect_accurate = [&](const Vector<half>& p, const Vector<half>& g) {
      const Vector<half> x = errors.backward_in_half(p, g);
      const Eigen::VectorXd bound = vector_jacobian_error_bound(p, g);
      const Vector<Exact> weights = exact(p), cotangent = exact(g), computed = exact(x);
      Exact mean = 0;
      for (Index i = 0; i < p.size(); ++i) mean += weights[i] * cotangent[i];
      for (Index i = 0; i < p.size(); ++i)
        expect_kept(computed[i] - weights[i] * (cotangent[i] - mean), bound[i]);
    };
    for_all([&] {
      const auto logits = *vectors<float>({.longest = 33, .entries = {.largest = 16}}).as("logits");
      const auto cotangent =
          *rc::gen::container<std::vector<float>>(logits.size(), floats<float>({.largest = 1024}))
               .as("cotangent");
      expect_accurate(softmax(halves(vector_of(logits))), halves(vector_of(cotangent)));
    });
  });
}

/// Holds a bound of the backward pass to the page's formula.
template <class Real, class Bound>
void expect_formula_of_backward_bound(const Bound& bound_of, const Vector<Real>& p,
                                      const Vector<Real>& g) {
  const auto [roundoff, eta, largest] = rounding_of<Real>();
  const Wide u = roundoff, n = p.size();
  Wide mean = 0;
  for (Index j = 0; j < p.size(); ++j)
    mean += Wide(static_cast<double>(p[j])) * abs(Wide(static_cast<double>(g[j])));
  const Wide of_mean = n * (u * mean + eta) / (1 - n * u);
  const Eigen::VectorXd bound = bound_of(p, g);
  RC_ASSERT(bound.size() == p.size());
  for (Index i = 0; i < p.size(); ++i) {
    const Wide size = abs(Wide(static_cast<double>(g[i])));
    const Wide page = Wide(static_cast<double>(p[i])) *
                          ((1 + u) * (1 + u) * of_mean + u * (2 + u) * (size + mean)) +
                      eta;
    RC_ASSERT(is_raised(bound[i], page, 1, 2 * std::numeric_limits<double>::denorm_min()));
  }
}

TEST(BackwardPassError, TheBoundIsTheFormulaOfThePage) {
  judge(backward_error_mutants, [](const Errors& errors) {
    evidence().weaken(Grade::bounded);
    for_all([&] {
      const auto logits = *vectors<float>({.longest = 33, .entries = {.largest = 16}}).as("logits");
      const auto cotangent =
          *rc::gen::container<std::vector<float>>(logits.size(), floats<float>({.largest = 1024}))
               .as("cotangent");
      const Vector<float> p = softmax(vector_of(logits)), g = vector_of(cotangent);
      expect_formula_of_backward_bound<float>(errors.backward_bound_in_float, p, g);
      expect_formula_of_backward_bound<double>(errors.backward_bound, p.cast<double>(),
                                               g.cast<double>());
      expect_formula_of_backward_bound<half>(errors.backward_bound_in_half, halves(p), halves(g));
    });
    // Without a cotangent nothing is left but underflow, of n products in the mean and of one more.
    const auto expect_underflow = [](const auto& bound_of, auto one) {
      using Real = decltype(one);
      const Vector<Real> one_hot = Vector<Real>::Unit(3, 0);
      const Eigen::VectorXd bound = bound_of(one_hot, Vector<Real>::Zero(3));
      const double eta = rounding_of<Real>().smallest;
      EXPECT_TRUE(is_raised(bound[0], Wide(4 * eta))) << bound[0] / eta << "η instead of 4η";
      EXPECT_TRUE(is_raised(bound[1], Wide(eta))) << bound[1] / eta << "η instead of η";
    };
    expect_underflow(errors.backward_bound, 1.0);
    expect_underflow(errors.backward_bound_in_float, 1.0F);
  });
}

TEST(BackwardPassError, PromisesNothingWithoutItsHypotheses) {
  judge(backward_error_mutants, [](const Errors& errors) {
    const double infinity = std::numeric_limits<double>::infinity();
    const auto even = [](Index n) {
      return halves(Vector<float>::Constant(n, 1.0F / static_cast<float>(n)));
    };
    const auto ones = [](Index n) { return halves(Vector<float>::Ones(n)); };
    EXPECT_LT(errors.backward_bound_in_half(even(2047), ones(2047))[0], 1.1);
    for (const Index n : {2048, 4096, 32768})
      EXPECT_EQ(errors.backward_bound_in_half(even(n), ones(n))[0], infinity) << n << " terms";
    // The exact result is 0, but the sum of 4096 weights stops at a half.
    EXPECT_EQ(static_cast<float>(errors.backward_in_half(even(4096), ones(4096))[0]), 0.5F / 4096);
    EXPECT_LT(formula_of_backward_bound<half>(even(4096), ones(4096))[0], 0);
    counterexample_without("fewer terms than 1/u");

    const Vector<double> p = vector_of<double>({0.1, 0.9});
    const Vector<double> g = vector_of<double>({1.7e308, -1.7e308});
    EXPECT_EQ(errors.backward_bound(p, g)[0], infinity);
    EXPECT_EQ(errors.backward(p, g)[0], infinity);
    EXPECT_LT(formula_of_backward_bound<double>(p, g)[0], 1e293);
    counterexample_without("no overflow");
    enumerated(6);
  });
}

TEST(BackwardPassError, WithoutSubnormalNumbersItFails) {
  judge(backward_error_mutants, [](const Errors& errors) {
    constexpr double least = std::numeric_limits<double>::min();
    const Vector<double> p = vector_of<double>({0.5, 0.5}), g = vector_of<double>({2 * least, 0});
    const double entry = errors.backward(p, g)[0];
    EXPECT_EQ(entry, least / 2);
    EXPECT_GT(std::abs(flushed(entry) - entry), errors.backward_bound(p, g)[0]);
    enumerated(1);
    counterexample_without("rounding model");
  });
}

// ----------------------------------------------------------------------------------- EntropyError

/// The entropy with a hundred digits.
template <class Real>
Exact exact_entropy(const Vector<Real>& scores, double temperature) {
  const Vector<Exact> s = exact(scores);
  Exact greatest = s[0];
  for (const Exact& score : s) greatest = std::max(greatest, score);
  Exact sum = 0, products = 0;
  for (const Exact& score : s) {
    const Exact t = (greatest - score) / Exact(temperature), weight = exp(Exact(-t));
    sum += weight;
    products += weight * t;
  }
  return log(sum) + products / sum;
}

/// An entropy in double with an exponential and distances of one's own.
template <class Exponential, class Distance>
double entropy_by(const Vector<double>& s, double temperature, Exponential exponential,
                  Distance distance) {
  double sum = 0, products = 0;
  for (const double score : s) {
    const double t = distance(score, s.maxCoeff(), temperature), weight = exponential(-t);
    sum += weight;
    products += weight == 0 ? 0 : weight * t;
  }
  return std::log(sum) + products / sum;
}

double library_exp(double x) { return std::exp(x); }

double library_distance(double score, double greatest, double temperature) {
  return -sqrtdk::scaled_difference(score, greatest, temperature);
}

/// (1 + x/1024)^1024, which has four digits of e^x.
double four_digit_exp(double x) { return std::pow(1 + x / 1024, 1024); }

/// One that is never below the smallest positive number, of which it is off by less than one.
double exp_above_zero(double x) {
  return std::max(std::exp(x), std::numeric_limits<double>::denorm_min());
}

const Mutants entropy_error_mutants = {
    {"the product is taken before the quotient",
     "AtTheEdgesOfTheFormatItIsRight",
     {.entropy =
          [](const Vector<double>& s, double t) {
            const Vector<double> p = softmax(s, t);
            double mean = 0;
            for (Index i = 0; i < s.size(); ++i)
              if (p[i] > 0) mean += p[i] * (s.maxCoeff() - s[i]) / t;
            return log_sum_exp(Vector<double>(s.array() - s.maxCoeff()), t) + mean;
          }}},
    {"a weight of 0 is multiplied by an infinite distance",
     "AtTheEdgesOfTheFormatItIsRight",
     {.entropy =
          [](const Vector<double>& s, double t) {
            return softmax_entropy(s, t) + 0 * (s.maxCoeff() - s.minCoeff());
          }}},
    {"a difference may overflow",
     "AtTheEdgesOfTheFormatItIsRight",
     {.entropy =
          [](const Vector<double>& s, double t) {
            return entropy_by(s, t, library_exp, [](double score, double greatest, double tau) {
              return (greatest - score) / tau;
            });
          }}},
    {"the temperature is used in float",
     "KeepsItsBoundInDouble",
     {.entropy =
          [](const Vector<double>& s, double t) {
            const float single = static_cast<float>(t);
            return softmax_entropy(s, single > 0 && std::isfinite(single) ? double(single) : t);
          }}},
    {"the entropy is in bits",
     "KeepsItsBoundInDouble",
     {.entropy = [](const Vector<double>& s,
                    double t) { return softmax_entropy(s, t) / std::log(2); }}},
    {"a hundred thousandth is added",
     "KeepsItsBoundInFloat",
     {.entropy_in_float = [](const Vector<float>& s,
                             float t) { return softmax_entropy(s, t) + 1e-5F; }}},
    {"a difference of floats may overflow",
     "AnAdversaryDoesNotBreakIt",
     {.entropy_in_float =
          [](const Vector<float>& s, float t) {
            return s.maxCoeff() - s.minCoeff() < std::numeric_limits<float>::infinity()
                       ? softmax_entropy(s, t)
                       : 0;
          }}},
    {"the entropy of halves is rounded to a half",
     "KeepsItsBoundForHalves",
     {.entropy_of_halves =
          [](const Vector<half>& s, float t) {
            return static_cast<float>(half(softmax_entropy(s, t)));
          }}},
    {"the bound is that of the log-sum-exp alone",
     "TheBoundIsTheFormulaOfThePage",
     {.entropy_bound =
          [](const Vector<double>& s, double t, const SoftmaxArithmetic& arithmetic) {
            return log_sum_exp_error_bound(Vector<double>(s.array() - s.maxCoeff()), t, arithmetic);
          }}},
    {"a millionth of the entropy is added to its bound",
     "TheBoundIsTheFormulaOfThePage",
     {.entropy_bound =
          [](const Vector<double>& s, double t, const SoftmaxArithmetic& arithmetic) {
            return entropy_error_bound(s, t, arithmetic) + 1e-6 * softmax_entropy(s, t);
          }}},
    {"the rounding of the last sum is left out of the bound",
     "TheBoundIsTheFormulaOfThePage",
     {.entropy_bound =
          [](const Vector<double>& s, double t, const SoftmaxArithmetic& arithmetic) {
            return entropy_error_bound(s, t, arithmetic) -
                   arithmetic.unit_roundoff * softmax_entropy(s, t);
          }}},
    {"the bound has no part for underflow",
     "TheBoundIsTheFormulaOfThePage",
     {.entropy_bound =
          [](const Vector<double>& s, double t, const SoftmaxArithmetic& arithmetic) {
            SoftmaxArithmetic without_underflow = arithmetic;
            without_underflow.smallest = 0;
            return entropy_error_bound(s, t, without_underflow);
          }}},
    {"no bound is below a thousandth",
     "AFourDigitExponentialBreaksIt",
     {.entropy_bound =
          [](const Vector<double>& s, double t, const SoftmaxArithmetic& arithmetic) {
            return std::max(1e-3, entropy_error_bound(s, t, arithmetic));
          }}},
    {"no bound is below a billionth",
     "AnExponentialThatNeverVanishesBreaksIt",
     {.entropy_bound =
          [](const Vector<double>& s, double t, const SoftmaxArithmetic& arithmetic) {
            return std::max(1e-9, entropy_error_bound(s, t, arithmetic));
          }}},
};

/// Any positive number of a format, the ends of the format often.
template <class Real>
Real any_temperature() {
  using Limits = std::numeric_limits<Real>;
  const Real drawn =
      std::abs(*rc::gen::weightedOneOf<Real>(
                    {{1, rc::gen::element<Real>(1, Limits::denorm_min(), Limits::min(),
                                                Limits::max(), Limits::max() / 4)},
                     {2, floats<Real>()}})
                    .as("temperature"));
  return drawn == 0 ? Limits::denorm_min() : drawn;
}

/// Finite scores of any size, or, half of the time, of the size of the temperature.
template <class Real>
Vector<Real> any_scores(Real temperature) {
  constexpr Real largest = std::numeric_limits<Real>::max();
  if (*rc::gen::element(false, true).as("any size"))
    return vector_of(*vectors<Real>({.longest = 17}).as("scores"));
  const auto multiples = *vectors<Real>({.longest = 17, .entries = {.largest = 40}})
                              .as("scores, in units of the temperature");
  return (temperature * vector_of(multiples).array()).max(-largest).min(largest).matrix();
}

template <class Real, class Entropy>
void expect_accurate_entropy(const Entropy& entropy) {
  evidence().weaken(Grade::bounded);
  const auto expect_accurate = [&](const Vector<Real>& s, Real temperature) {
    const Real computed = entropy(s, temperature);
    expect_kept(Exact(computed) - exact_entropy(s, static_cast<double>(temperature)),
                entropy_error_bound(s, temperature));
  };
  for_all([&] { expect_accurate(vector_of<Real>({0, Real(-0.75), Real(-2)}), Real(0.7)); }, 1);
  for_all([&] {
    const Real temperature = any_temperature<Real>();
    expect_accurate(any_scores(temperature), temperature);
  });
}

//! [EntropyError]
TEST(EntropyError, KeepsItsBoundInDouble) {
  judge(entropy_error_mutants,
        [](const Errors& errors) { expect_accurate_entropy<double>(errors.entropy); });
}

TEST(EntropyError, KeepsItsBoundInFloat) {
  judge(entropy_error_mutants,
        [](const Errors& errors) { expect_accurate_entropy<float>(errors.entropy_in_float); });
}
//! [EntropyError]

TEST(EntropyError, AnAdversaryDoesNotBreakIt) {
  judge(entropy_error_mutants, [](const Errors& errors) {
    of_the_statement();
    expect_no_worst_case(scores_and_temperature<float>(6), [&](const Arrays<float>& input) {
      const Vector<float> s = vector_of(input.list("scores"));
      const float temperature = input.number("temperature");
      const long double exact_value = softmax_entropy(Vector<long double>(s.cast<long double>()),
                                                      static_cast<long double>(temperature));
      const float computed = errors.entropy_in_float(s, temperature);
      return Seen{static_cast<double>(std::abs(computed - exact_value)),
                  entropy_error_bound(s, temperature)};
    });
  });
}

TEST(EntropyError, KeepsItsBoundForHalves) {
  judge(entropy_error_mutants, [](const Errors& errors) {
    of_the_statement();
    evidence().weaken(Grade::bounded);
    for_all([&] {
      const Vector<half> s = halves(
          vector_of(*vectors<float>({.longest = 17, .entries = {.largest = 65504}}).as("scores")));
      const float temperature = any_temperature<float>();
      expect_kept(Exact(errors.entropy_of_halves(s, temperature)) -
                      exact_entropy(s, static_cast<double>(temperature)),
                  entropy_error_bound(s, temperature));
    });
  });
}

//! [EntropyError: edges of the format]
TEST(EntropyError, AtTheEdgesOfTheFormatItIsRight) {
  judge(entropy_error_mutants, [](const Errors& errors) {
    of_the_statement();
    evidence().weaken(Grade::bounded);
    constexpr double least = std::numeric_limits<double>::denorm_min();
    constexpr double most = std::numeric_limits<double>::max();
    const std::vector<std::pair<std::vector<double>, double>> edges = {
        {{0, -1e-320}, 1e-320},  // the smallest temperatures
        {{0, -least}, least},    //
        {{0, -3 * least, least}, 7e-324},
        {{-1.7e308, 1.7e308}, 1},      // the largest distances
        {{-1.7e308, 1.7e308}, 1e308},  //
        {{-most, most, 0}, most},      //
        {{-most, most}, least},        //
        {{most, most, most}, least},   // none
        {{-most}, 3}};                 // one score
    for (const auto& [scores, temperature] : edges) {
      const Vector<double> s = vector_of(scores);
      const double error = static_cast<double>(
          abs(Exact(errors.entropy(s, temperature)) - exact_entropy(s, temperature)));
      const double bound = entropy_error_bound(s, temperature);
      EXPECT_LE(error, bound) << "τ = " << temperature << ", first score " << scores[0];
      EXPECT_LT(bound, 4e-15) << "τ = " << temperature << ", first score " << scores[0];
      evidence().worst(error, bound);
    }
    const double infinity = std::numeric_limits<double>::infinity();
    EXPECT_EQ(errors.entropy(vector_of<double>({0, -infinity, 0}), 1), std::log(2.0));
    EXPECT_TRUE(std::isnan(errors.entropy(vector_of<double>({0, std::nan("")}), 1)));
    enumerated(edges.size() + 2);
  });
}
//! [EntropyError: edges of the format]

TEST(EntropyError, TheBoundIsTheFormulaOfThePage) {
  judge(entropy_error_mutants, [](const Errors& errors) {
    evidence().weaken(Grade::bounded);
    const SoftmaxArithmetic arithmetic = arithmetic_of<double>();
    const auto expect_formula = [&](const Vector<double>& s, double temperature) {
      const Wide u = arithmetic.unit_roundoff, eta = arithmetic.smallest;
      const Wide A = arithmetic.exp_error, log_error = arithmetic.log_error, n = s.size();
      const Wide h = summation_depth(Summation::pairwise, static_cast<std::size_t>(s.size()));
      const Wide R = temperature == 1 ? 1 : 2, r = R;  // κ = 0
      const Wide L = 1 + arithmetic.depth_of_underflow;
      const Wide theta = (A + r * (1 + L)) * u, omega = 4 * n * (A + 2) * eta;
      std::vector<Wide> t;
      Wide S = 0, T = 0;
      for (const double score : s) {
        t.push_back((Wide(s.maxCoeff()) - Wide(score)) / Wide(temperature));
        S += exp(Wide(-t.back()));
      }
      for (const Wide& distance : t) T += exp(Wide(-distance)) / S * distance;
      const Wide of_sum = ((r * T + h + A) * u + omega) / (1 - theta);
      Wide E = of_sum + log_error * u * (log(S) + of_sum) + 4 * n * (A + 2) * (L + 1) * eta;
      for (const Wide& distance : t) {
        const Wide rho = (r * (distance + T) + R + 2 * (A + h + 1)) * u + omega;
        if (distance <= L) E += exp(Wide(-distance)) / S * distance * rho / (1 - theta - rho);
      }
      const Wide page = (1 + u) * E + u * (log(S) + T);
      return is_raised(errors.entropy_bound(s, temperature, arithmetic), page, 1, 64 * 0x1p-1074);
    };
    EXPECT_TRUE(expect_formula(vector_of<double>({0, -3, -40}), 1));
    for_all([&] {
      const Vector<double> s = moderate_logits();
      RC_ASSERT(expect_formula(s, *rc::gen::inRange(1, 100).as("8τ") / 8.0));
    });
    // Underflow is seen where rounding is not: in an arithmetic that does not round.
    SoftmaxArithmetic without_rounding = arithmetic;
    without_rounding.unit_roundoff = 0;
    const double L = 1 + arithmetic.depth_of_underflow, omega = 4 * 2 * 4 * arithmetic.smallest;
    const Vector<double> equal = Vector<double>::Zero(2);
    EXPECT_NEAR(errors.entropy_bound(equal, 1, without_rounding) / omega, L + 2, 0.01);
  });
}

TEST(EntropyError, AFourDigitExponentialBreaksIt) {
  judge(entropy_error_mutants, [](const Errors& errors) {
    const Vector<double> s = vector_of<double>({0, -1});
    const double wrong = entropy_by(s, 1, four_digit_exp, library_distance);
    const double error = std::abs(wrong - static_cast<double>(exact_entropy(s, 1)));
    EXPECT_GT(error, errors.entropy_bound(s, 1, arithmetic_of<double>()));
    EXPECT_LE(std::abs(errors.entropy(s, 1) - static_cast<double>(exact_entropy(s, 1))),
              entropy_error_bound(s, 1.0) + 0x1p-53);
    publish("off", digits(error, 2));
    enumerated(1);
    counterexample_without("arithmetic of the softmax");
  });
}

TEST(EntropyError, AnExponentialThatNeverVanishesBreaksIt) {
  judge(entropy_error_mutants, [](const Errors& errors) {
    Vector<double> s = Vector<double>::Constant(101, -1.7e308);
    s[0] = 0;
    const double wrong = entropy_by(s, 1, exp_above_zero, library_distance);
    EXPECT_GT(wrong,
              errors.entropy_bound(
                  s, 1, arithmetic_of<double>()));  // the exact entropy is 0 up to e^(−10³⁰⁸)
    EXPECT_EQ(errors.entropy(s, 1), 0);
    publish("off", digits(wrong, 2));
    // What we compute with does vanish, far from where it must.
    const auto twice = [](auto arithmetic) { return -2 * (1 + arithmetic.depth_of_underflow); };
    EXPECT_EQ(std::exp(twice(arithmetic_of<double>())), 0);
    EXPECT_EQ(std::exp(static_cast<float>(twice(arithmetic_of<float>()))), 0);
    EXPECT_EQ(std::exp(static_cast<long double>(twice(arithmetic_of<long double>()))), 0);
    EXPECT_EQ(exp(Wide(twice(arithmetic_of<Wide>()))), 0);
    enumerated(5);
    counterexample_without("an exponential that vanishes");
  });
}

// ---------------------------------------------------------------------------- NumericalDerivatives

/// Im softmax(x + ike_j)ᵢ/k for all i.
Vector<double> complex_quotient(const Vector<double>& x, Index j, double step) {
  Vector<std::complex<double>> stepped = x.cast<std::complex<double>>();
  stepped[j] += std::complex<double>(0, step);
  return naive_softmax(stepped).imag() / step;
}

const Mutants numerical_mutants = {
    {"the sign is turned",
     "ComplexStepsKeepTheirBound",
     {.jacobian = wrong_jacobian<double, -1, -1>}},
    {"δ is forgotten", "ComplexStepsKeepTheirBound", {.jacobian = wrong_jacobian<double, 0, 1>}},
    {"pᵢ² is forgotten on the diagonal",
     "CentralDifferencesKeepTheirBound",
     {.jacobian_in_wide =
          [](const Vector<Wide>& p) {
            Matrix<Wide> jacobian = softmax_jacobian(p);
            jacobian.diagonal() = p;
            return jacobian;
          }}},
    {"the Jacobian of fifty digits is taken in double",
     "CentralDifferencesKeepTheirBound",
     {.jacobian_in_wide = [](const Vector<Wide>& p) -> Matrix<Wide> {
       return softmax_jacobian(Vector<double>(p.cast<double>())).cast<Wide>();
     }}},
    {"k²/24 for k²/48",
     "TheBoundsAreTheFormulasOfThePage",
     {.difference_bound =
          [](double k, double above, double below, double u) {
            return central_difference_error_bound(k, above, below, u) + k * k / 48;
          }}},
    {"the errors of the weights are divided by k",
     "TheBoundsAreTheFormulasOfThePage",
     {.difference_bound =
          [](double k, double above, double below, double u) {
            return central_difference_error_bound(k, 2 * above, 2 * below, u);
          }}},
    {"the sum is a third time in the bound",
     "TheBoundsAreTheFormulasOfThePage",
     {.complex_bound =
          [](double p, double q, bool diagonal, std::size_t n) {
            const double h = static_cast<double>(summation_depth(Summation::pairwise, n));
            return complex_step_error_bound(p, q, diagonal, n) +
                   h * 0x1p-53 * p * (q + (diagonal ? 1 : 0));
          }}},
    {"the bound of a difference is never below 1",
     "AStepThatIsRoundedAwayShowsNoSlope",
     {.difference_bound = [](double, double, double, double) { return 1.0; }}},
    {"the bound of a complex step is never below 1",
     "ALongComplexStepIsOff",
     {.complex_bound = [](double, double, bool, std::size_t) { return 1.0; }}},
};

//! [NumericalDerivatives]
TEST(NumericalDerivatives, ComplexStepsKeepTheirBound) {
  judge(numerical_mutants, [](const Errors& errors) {
    of_the_statement();
    evidence().weaken(Grade::bounded);
    for_all([&] {
      const Vector<double> x = moderate_logits();
      const Matrix<double> jacobian = errors.jacobian(softmax(x));
      const SoftmaxErrorBound of_weights = softmax_error_bound(x);
      const Vector<double> p = softmax(exact(x)).cast<double>();
      for (Index j = 0; j < x.size(); ++j) {
        const Vector<double> quotient = complex_quotient(x, j, 0x1p-300);
        for (Index i = 0; i < x.size(); ++i)
          expect_kept(
              Exact(quotient[i]) - Exact(jacobian(i, j)),
              jacobian_error_bound(p, of_weights, i, j) +
                  errors.complex_bound(p[i], p[j], i == j, static_cast<std::size_t>(x.size())));
      }
    });
  });
}

TEST(NumericalDerivatives, CentralDifferencesKeepTheirBound) {
  judge(numerical_mutants, [](const Errors& errors) {
    evidence().weaken(Grade::measured);  // exp of fifty digits
    constexpr double k = 0x1p-54;
    const double u = arithmetic_of<Wide>().unit_roundoff;
    for_all(
        [&] {
          const Vector<Wide> x = moderate_logits().cast<Wide>();
          const Matrix<Wide> jacobian = errors.jacobian_in_wide(softmax(x));
          const Vector<double> p = softmax(x).cast<double>();
          const SoftmaxErrorBound at = softmax_error_bound(x);
          for (Index j = 0; j < x.size(); ++j) {
            Vector<Wide> above = x, below = x;
            above[j] += k;
            below[j] -= k;
            RC_ASSERT(above[j] - x[j] == k && x[j] - below[j] == k);
            const Vector<Wide> quotient = (softmax(above) - softmax(below)) / Wide(2 * k);
            const SoftmaxErrorBound over = softmax_error_bound(above);
            const SoftmaxErrorBound under = softmax_error_bound(below);
            for (Index i = 0; i < x.size(); ++i)  // a step changes a weight by less than k
              expect_kept(Exact(quotient[i]) - Exact(jacobian(i, j)),
                          errors.difference_bound(k, over(i, p[i] + k), under(i, p[i] + k), u) +
                              jacobian_error_bound<Wide>(p, at, i, j));
          }
        },
        30);
  });
}
//! [NumericalDerivatives]

TEST(NumericalDerivatives, TheBoundsAreTheFormulasOfThePage) {
  judge(numerical_mutants, [](const Errors& errors) {
    evidence().weaken(Grade::bounded);
    for_all([&] {
      const double k = std::exp2(-*rc::gen::inRange(0, 60).as("−log₂ k"));
      const double above = std::exp2(-*rc::gen::inRange(0, 200).as("−log₂ e₊"));
      const double below = std::exp2(-*rc::gen::inRange(0, 200).as("−log₂ e₋"));
      const double u = std::exp2(-*rc::gen::inRange(1, 200).as("−log₂ u"));
      const Wide page = Wide(k) * k / 48 +
                        (1 + Wide(u)) * (1 + Wide(u)) * (Wide(above) + below) / (2 * Wide(k)) +
                        Wide(u) * (2 + Wide(u)) / 4;
      RC_ASSERT(is_raised(errors.difference_bound(k, above, below, u), page));
      const double p = std::exp2(-*rc::gen::inRange(0, 60).as("−log₂ pᵢ"));
      const double q = std::exp2(-*rc::gen::inRange(0, 60).as("−log₂ pⱼ"));
      const auto n = *rc::gen::inRange<std::size_t>(1, 2000).as("n");
      const std::size_t h = summation_depth(Summation::pairwise, n);
      for (const int diagonal : {0, 1}) {
        const Wide units = 4 * (2 + 1) + 2 * h + 5;  // A = 2
        RC_ASSERT(is_raised(errors.complex_bound(p, q, diagonal == 1, n),
                            Wide(units * Wide(0x1p-53) * p * (diagonal + Wide(q)))));
      }
    });
    // Each of the three parts decides once.
    EXPECT_TRUE(is_raised(errors.difference_bound(0.5, 0, 0, 0), Wide(1) / 192));
    EXPECT_TRUE(is_raised(errors.difference_bound(0x1p-100, 1, 1, 0), Wide(0x1p100)));
    EXPECT_TRUE(is_raised(errors.complex_bound(1, 1, false, 8), Wide(31) * Wide(0x1p-53)));
  });
}

TEST(NumericalDerivatives, AStepThatIsRoundedAwayShowsNoSlope) {
  judge(numerical_mutants, [](const Errors& errors) {
    constexpr double k = 0x1p-54;
    const Vector<double> x = Vector<double>::Constant(2, 30);
    Vector<double> above = x;
    above[0] += k;
    EXPECT_EQ(above, x);
    // The weights are exact, the difference is 0 and the derivative ¼.
    EXPECT_GT(0.25, errors.difference_bound(k, 0, 0, 0x1p-53));
    EXPECT_EQ(errors.jacobian(softmax(x))(0, 0), 0.25);
    enumerated(1);
    counterexample_without("exact places");
  });
}

TEST(NumericalDerivatives, ALongComplexStepIsOff) {
  judge(numerical_mutants, [](const Errors& errors) {
    const double quotient = complex_quotient(Vector<double>::Zero(2), 0, 0.125)[0];
    EXPECT_GT(std::abs(quotient - 0.25), errors.complex_bound(0.5, 0.5, true, 2));
    EXPECT_NEAR(quotient, std::tan(1.0 / 16) * 4, 0x1p-50);
    publish("off", digits(std::abs(quotient - 0.25), 2));
    enumerated(1);
    counterexample_without("a tiny step");
  });
}

// -------------------------------------------------------------------------- MeanGradientIntegrals

/// E Σpᵢ² and E‖J‖² for n scores of spread β by Gauss–Legendre rules in long double, with panels of
/// 15 points: nothing but the formulas is shared with the trapezoidal rules.
struct GaussMeans {
  double squares, squared_norm;
};

GaussMeans means_by_gauss(std::size_t n, double spread) {
  using Rule = boost::math::quadrature::gauss<long double, 15>;
  const auto panels = [](auto function, long double low, long double high, long double width) {
    long double sum = 0;
    for (long double at = low; at < high; at += width)
      sum += Rule::integrate(function, at, at + width);
    return sum;
  };
  const long double beta = spread, count = static_cast<long double>(n);
  const long double width = std::min(1.0L, 2 / beta);
  const long double root = std::sqrt(boost::math::constants::two_pi<long double>());
  const auto psi = [&](int k, long double v) {
    return panels(
        [&](long double z) {
          const long double y = v + beta * z;
          return std::exp(-z * z / 2 + static_cast<long double>(k) * y - std::exp(y)) / root;
        },
        -9.5L, 9.5L, width);
  };
  const auto outer = [&](auto integrand) {
    return count * panels(integrand, -9.5L * beta - 44, 9.5L * beta + 6, 2);
  };
  const auto moment = [&](int k) {
    return outer([&](long double v) { return psi(k, v) * std::pow(psi(0, v), count - 1); });
  };
  const long double squares = moment(2);
  const long double pairs = outer([&](long double v) {
    return (count - 1) * std::pow(psi(2, v), 2) * std::pow(psi(0, v), count - 2);
  });
  return {static_cast<double>(squares),
          static_cast<double>(squares - moment(3) + (moment(4) + pairs) / 6)};
}

double squares_by_gauss(std::size_t n, double spread) { return means_by_gauss(n, spread).squares; }

double squared_norm_by_gauss(std::size_t n, double spread) {
  return means_by_gauss(n, spread).squared_norm;
}

/// Counts through how many additions a term of a sum goes.
struct Additions {
  explicit Additions(int most_so_far = 0) : most(most_so_far) {}
  int most;
  Additions& operator+=(const Additions& other) {
    most = std::max(most, other.most) + 1;
    return *this;
  }
  friend Additions operator+(Additions a, const Additions& b) { return a += b; }
};

const Mutants integral_mutants = {
    {"integrals may be off by twice as much",
     "ErrorBoundsAreThoseOfThePage",
     {.integral_bound = 2 * integral_error_bound}},
    {"integrals may be off by half as much",
     "ErrorBoundsAreThoseOfThePage",
     {.integral_bound = integral_error_bound / 2}},
    {"means of two keys may be off by twice as much",
     "ErrorBoundsAreThoseOfThePage",
     {.two_key_bound = [] { return 2 * two_key_error_bound<double>(); }}},
    {"integrals are off by a billionth",
     "AnotherQuadratureAgrees",
     {.mean_trace = [](std::size_t n,
                       double b) { return remembered<mean_jacobian_trace>(n, b) + 1e-9; }}},
    {"(Σp²)² is forgotten",
     "AnotherQuadratureAgrees",
     {.mean_squared_norm =
          [](std::size_t n, double b) {
            const KeyIntegrals mean = key_integrals(n, b);
            return mean.squares - 2 * mean.cubes;
          }}},
};

//! [MeanGradientIntegrals]
TEST(MeanGradientIntegrals, AnotherQuadratureAgrees) {
  judge(integral_mutants, [](const Errors& errors) {
    of_the_statement();
    evidence().weaken(Grade::bounded);
    double worst = 0;
    for (const auto& [n, spread] : {std::pair{512U, 8.0}, {4096U, 1.0}, {5U, 0.5}}) {
      const double other = remembered<squares_by_gauss>(std::size_t{n}, spread);
      const double trace = errors.mean_trace(n, spread);
      expect_near(trace, 1 - other, integral_error_bound,
                  std::to_string(n) + " keys, spread " + digits(spread, 3));
      worst = std::max(worst, std::abs(trace / (1 - other) - 1));
    }
    publish("worst", digits(worst, 2));
    double worst_norm = 0;
    for (const auto& [n, spread] : {std::pair{64U, 2.0}, {5U, 1.0}}) {
      const double other = remembered<squared_norm_by_gauss>(std::size_t{n}, spread);
      const double norm = errors.mean_squared_norm(n, spread);
      expect_near(norm, other, integral_error_bound,
                  std::to_string(n) + " keys, spread " + digits(spread, 3) + ", Frobenius norm");
      worst_norm = std::max(worst_norm, std::abs(norm / other - 1));
    }
    publish("worst_norm", digits(worst_norm, 2));
    enumerated(5);
  });
}
//! [MeanGradientIntegrals]

TEST(MeanGradientIntegrals, ErrorBoundsAreThoseOfThePage) {
  judge(integral_mutants, [](const Errors& errors) {
    // The rounding of ψ₀ decides: 2nε E max abs(Zᵢ), at most 2nε √(2 ln 2n), for most keys. The
    // longest sum, at spread 64, has 2·9·64·8 + 1 terms.
    constexpr double u = std::numeric_limits<double>::epsilon() / 2;
    const std::vector<Additions> terms(9217);
    const int additions = pairwise_sum(std::span<const Additions>(terms)).most;
    EXPECT_LE(additions, 18);
    const double units = 2.5 + 2 + 4.5 + 2 / std::exp(1.0) + 2 + 1 + 18;
    EXPECT_LE(units, 32) << "the table of the page";
    const double n = static_cast<double>(most_integrable_keys);
    const double rounding = 2 * n * 32 * u * std::sqrt(2 * std::log(2 * n));
    EXPECT_EQ(errors.integral_bound, std::exp2(std::ceil(std::log2(rounding))))
        << "the least power of two that is not below " << rounding;
    EXPECT_LE(4 * n * 32 * u, errors.integral_bound) << "the four means of the Frobenius norm";
    const double L = 8 - std::log(2 * u);
    EXPECT_NEAR(errors.two_key_bound() / (2 * u), L * L / 9 + 64, 1e-9);
    enumerated(5);
  });
}

}  // namespace
