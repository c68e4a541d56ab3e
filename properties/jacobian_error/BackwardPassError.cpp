// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/jacobian_error.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/testing/generators/floating_point.hpp>
#include <sqrtdk/testing/generators/worst_case.hpp>
#include <sqrtdk/testing/laws/raised_bound.hpp>
#include <sqrtdk/testing/laws/softmax_backward_laws.hpp>
#include <sqrtdk/testing/laws/wide.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>

#include "properties/jacobian_error/fixture.hpp"
#include "properties/support/backward_properties.hpp"
#include "properties/support/outcomes.hpp"
#include "properties/support/vectors.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace sqrtdk::properties::BackwardPassError {

using namespace sqrtdk::testing;

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

/// The formula of the page in double precision, whatever the type of the numbers.
template <class Real>
Eigen::VectorXd bound_in_double(const Vector<Real>& p, const Vector<Real>& g) {
  const auto [u, eta, largest] = rounding_of<Real>();
  const double n = static_cast<double>(p.size());
  const Eigen::ArrayXd weights = p.template cast<double>();
  const Eigen::ArrayXd sizes = g.template cast<double>().cwiseAbs();
  const double mean = (weights * sizes).sum();
  const double of_mean = n * (u * mean + eta) / (1 - n * u);
  return (1 + bound_margin) *
         (weights * ((1 + u) * (1 + u) * of_mean + u * (2 + u) * (sizes + mean)) + eta);
}

const Mutants backward_pass_error_mutants = {
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
    {"the bound of long doubles is computed in double",
     "KeepsItsBoundInLongerTypes",
     {.backward_bound_in_long_double = bound_in_double<long double>}},
    {"the bound of fifty digits is computed in double",
     "KeepsItsBoundInLongerTypes",
     {.backward_bound_in_wide = bound_in_double<Wide>}},
    {"the mean of long doubles is taken in double",
     "KeepsItsBoundInLongerTypes",
     {.backward_in_long_double = [](const Vector<long double>& p,
                                    const Vector<long double>& g) -> Vector<long double> {
       const double mean = p.cast<double>().dot(g.cast<double>());
       return p.cwiseProduct((g.array() - mean).matrix());
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

/// Weights and a cotangent.
template <class Real>
using Chosen = std::pair<std::vector<Real>, std::vector<Real>>;

/// The law of expect_accurate_backward() for chosen weights and cotangents, with a gradient and
/// without.
template <class Real>
void expect_accurate_for_chosen(const BackwardFunction<Real>& backward) {
  for (const auto& [p, g] : {Chosen<Real>{{0.5, 0.5}, {1, -2}},
                             {{0.25, 0.75}, {3, 3}},
                             {{0, 1}, {7, 5}},
                             {{Real(0.1), Real(0.2), Real(0.7)}, {Real(0.3), -1, 100}}})
    expect(backward_accuracy_law<Real>(backward, vector_of(p), vector_of(g)));
}

//! [BackwardPassError]
TEST(BackwardPassError, KeepsItsBoundInDouble) {
  check_statement(backward_pass_error_mutants, [](const Errors& errors) {
    expect_accurate_for_chosen<double>(errors.backward);
    expect_accurate_backward<double>(errors.backward);
  });
}

TEST(BackwardPassError, KeepsItsBoundInFloat) {
  check_statement(backward_pass_error_mutants, [](const Errors& errors) {
    expect_accurate_for_chosen<float>(errors.backward_in_float);
    expect_accurate_backward<float>(errors.backward_in_float);
  });
}
//! [BackwardPassError]

TEST(BackwardPassError, AnAdversaryDoesNotBreakIt) {
  check_statement(backward_pass_error_mutants, [](const Errors& errors) {
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
  check_statement(backward_pass_error_mutants, [](const Errors& errors) {
    evidence().rests_on(EvidenceLevel::bounded);
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

/// Weights (1 − w, w) and a cotangent (⅓, c).
template <class Real>
std::pair<Vector<Real>, Vector<Real>> small_weight(const Real& w, const Real& c) {
  return {vector_of<Real>({Real(1) - w, w}), vector_of<Real>({Real(1) / 3, c})};
}

TEST(BackwardPassError, KeepsItsBoundInLongerTypes) {
  check_statement(backward_pass_error_mutants, [](const Errors& errors) {
    evidence().rests_on(EvidenceLevel::bounded);
    const auto expect_accurate = [](const auto& backward, const auto& bound_of, const auto& p,
                                    const auto& g) {
      const auto x = backward(p, g);
      const Eigen::VectorXd bound = bound_of(p, g);
      const Vector<Exact> weights = exact(p), cotangent = exact(g), computed = exact(x);
      Exact mean = 0;
      for (Index i = 0; i < p.size(); ++i) mean += weights[i] * cotangent[i];
      for (Index i = 0; i < p.size(); ++i)
        expect_kept(computed[i] - weights[i] * (cotangent[i] - mean), bound[i]);
    };
    const auto expect_accurate_in_both = [&](const Vector<Wide>& logits, const Vector<Wide>& g) {
      const Vector<Wide> p = softmax(logits);
      expect_accurate(errors.backward_in_wide, errors.backward_bound_in_wide, p, g);
      expect_accurate(errors.backward_in_long_double, errors.backward_bound_in_long_double,
                      Vector<long double>(p.cast<long double>()),
                      Vector<long double>(g.cast<long double>()));
    };
    // Weights below the smallest double, and such as lose a third of themselves as doubles.
    for (const auto& [weight, size] : std::vector<std::pair<long double, long double>>{
             {-763, 0x1p1010L}, {-900, 0x1p1000L}, {-10000, 0x1p1020L}}) {
      const auto [p, g] = small_weight<long double>(std::exp(weight), size / 7);
      expect_accurate(errors.backward_in_long_double, errors.backward_bound_in_long_double, p, g);
      expect(backward_accuracy_law<long double>(errors.backward_in_long_double, p, g));
      expect(backward_shift_law<long double>(errors.backward_in_long_double, p, g, size));
      expect(backward_symmetry_law<long double>(errors.backward_in_long_double, p, g, p));
      const auto [q, c] = small_weight<Wide>(exp(Wide(weight)), Wide(size) / 7);
      expect_accurate(errors.backward_in_wide, errors.backward_bound_in_wide, q, c);
    }
    for (int i = 0; i < 64; ++i) {
      const auto [p, g] = small_weight<long double>((1 + i / 64.0L) * 0x1p-1074L,
                                                    (1 + (i * 37 % 64) / 64.0L) * 0x1.fp900L);
      expect_accurate(errors.backward_in_long_double, errors.backward_bound_in_long_double, p, g);
    }
    enumerated(3 + 3 + 64);
    for_all([&] {
      const auto logits =
          *vectors<float>({.shortest = 1, .longest = 17, .entries = {.largest = 2000}})
               .as("logits");
      const auto cotangent =
          *rc::gen::container<std::vector<float>>(logits.size(), floats<float>({.largest = 1024}))
               .as("cotangent");
      const Wide size = ldexp(Wide(1), *rc::gen::inRange(0, 1000).as("exponent"));
      expect_accurate_in_both(vector_of(logits).cast<Wide>(),
                              vector_of(cotangent).cast<Wide>() * Wide(size / 3));
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
  for (Index j = 0; j < p.size(); ++j) mean += wide(p[j]) * abs(wide(g[j]));
  const Wide of_mean = n * (u * mean + eta) / (1 - n * u);
  const Eigen::VectorXd bound = bound_of(p, g);
  RC_ASSERT(bound.size() == p.size());
  for (Index i = 0; i < p.size(); ++i) {
    const Wide size = abs(wide(g[i]));
    const Wide page =
        wide(p[i]) * ((1 + u) * (1 + u) * of_mean + u * (2 + u) * (size + mean)) + eta;
    RC_ASSERT(is_raised(bound[i], page, 1, 2 * std::numeric_limits<double>::denorm_min()));
  }
}

TEST(BackwardPassError, TheBoundIsTheFormulaOfThePage) {
  check_with_mutants(backward_pass_error_mutants, [](const Errors& errors) {
    evidence().rests_on(EvidenceLevel::bounded);
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
      expect_formula_of_backward_bound<long double>(errors.backward_bound_in_long_double,
                                                    p.cast<long double>(), g.cast<long double>());
    });
    // Without a cotangent nothing is left but underflow, of n products in the mean and of one more.
    const auto expect_underflow = [](const auto& bound_of, auto one) {
      using Real = decltype(one);
      const Vector<Real> one_hot = Vector<Real>::Unit(3, 0);
      const Eigen::VectorXd bound = bound_of(one_hot, Vector<Real>::Zero(3));
      const double eta = rounding_of<Real>().smallest;
      evidence().add_value();
      evidence().add_value();
      EXPECT_TRUE(is_raised(bound[0], Wide(4 * eta))) << bound[0] / eta << "η instead of 4η";
      EXPECT_TRUE(is_raised(bound[1], Wide(eta))) << bound[1] / eta << "η instead of η";
    };
    expect_underflow(errors.backward_bound, 1.0);
    expect_underflow(errors.backward_bound_in_float, 1.0F);
  });
}

TEST(BackwardPassError, PromisesNothingWithoutItsHypotheses) {
  check_with_mutants(backward_pass_error_mutants, [](const Errors& errors) {
    const auto even = [](Index n) {
      return halves(Vector<float>::Constant(n, 1.0F / static_cast<float>(n)));
    };
    const auto ones = [](Index n) { return halves(Vector<float>::Ones(n)); };
    EXPECT_EXACTLY(std::isfinite(errors.backward_bound_in_half(even(2047), ones(2047))[0]));
    for (const Index n : {2048, 4096, 32768})
      EXPECT_EXACTLY(std::isinf(errors.backward_bound_in_half(even(n), ones(n))[0]))
          << n << " terms";
    // The exact result is 0, but the sum of 4096 weights stops at a half.
    EXPECT_EXACTLY(Rational(static_cast<float>(errors.backward_in_half(
                       even(4096), ones(4096))[0])) == Rational(1, 2 * 4096));
    // exact: a bound below 0, which is none
    EXPECT_EXACTLY(std::signbit(formula_of_backward_bound<half>(even(4096), ones(4096))[0]));
    counterexample_without("fewer terms than 1/u");

    const Vector<double> p = vector_of<double>({0.1, 0.9});
    const Vector<double> g = vector_of<double>({1.7e308, -1.7e308});
    EXPECT_EXACTLY(std::isinf(errors.backward_bound(p, g)[0]));
    EXPECT_EXACTLY(std::isinf(errors.backward(p, g)[0]));
    EXPECT_EXACTLY(std::isfinite(formula_of_backward_bound<double>(p, g)[0]));
    counterexample_without("no overflow");
    enumerated(6);
  });
}

TEST(BackwardPassError, WithoutSubnormalNumbersItFails) {
  check_with_mutants(backward_pass_error_mutants, [](const Errors& errors) {
    constexpr double least = std::numeric_limits<double>::min();
    const Vector<double> p = vector_of<double>({0.5, 0.5}), g = vector_of<double>({2 * least, 0});
    const double entry = errors.backward(p, g)[0];
    EXPECT_EXACTLY(bits_of(entry) == bits_of(least / 2));
    const Rational lost = Rational(entry) - Rational(flushed(entry));
    EXPECT_EXACTLY(lost > Rational(errors.backward_bound(p, g)[0]));
    enumerated(1);
    counterexample_without("rounding model");
  });
}

}  // namespace sqrtdk::properties::BackwardPassError
