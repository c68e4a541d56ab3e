#include <sqrtdk/testing/laws/raised_bound.hpp>
#include <sqrtdk/testing/laws/softmax_backward_laws.hpp>

#include "properties/jacobian_error/fixture.hpp"
#include "properties/support/backward_properties.hpp"
#include "properties/support/outcomes.hpp"

namespace sqrtdk::properties::BackwardPassError {

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

template <class Real>
using Chosen = std::pair<std::vector<Real>, std::vector<Real>>;

/// expect_accurate_backward() for chosen weights and cotangents.
template <class Real>
void expect_accurate_for_chosen(const BackwardFunction<Real>& backward) {
  for (const auto& [p, g] : {Chosen<Real>{{0.5, 0.5}, {1, -2}},
                             {{0.25, 0.75}, {3, 3}},
                             {{0, 1}, {7, 5}},
                             {{Real(0.1), Real(0.2), Real(0.7)}, {Real(0.3), -1, 100}}})
    expect(backward_accuracy_law<Real>(backward, vector_of(p), vector_of(g)));
}

//! [BackwardPassError]
STATEMENT(BackwardPassError, KeepsItsBoundInDouble) {
  expect_accurate_for_chosen<double>(subject.backward);
  expect_accurate_backward<double>(subject.backward);
}
KILLS("the last entry is 0", {.backward = [](auto& p, auto& g) {
        Vector<double> x = vector_jacobian_product(p, g);
        x[x.size() - 1] = 0;
        return x;
      }});
KILLS("the mean is taken in float",
      {.backward = [](const Vector<double>& p, const Vector<double>& g) -> Vector<double> {
        const float mean = p.cast<float>().dot(g.cast<float>());
        return p.cwiseProduct((g.array() - double(mean)).matrix());
      }});

STATEMENT(BackwardPassError, KeepsItsBoundInFloat) {
  expect_accurate_for_chosen<float>(subject.backward_in_float);
  expect_accurate_backward<float>(subject.backward_in_float);
}
//! [BackwardPassError]
KILLS("the mean is rounded down to a multiple of 2^-16",
      {.backward_in_float = [](auto& p, auto& g) -> Vector<float> {
        const float mean = std::floor(p.dot(g) * 65536) / 65536;
        return p.cwiseProduct((g.array() - mean).matrix());
      }});

STATEMENT(BackwardPassError, AnAdversaryDoesNotBreakIt) {
  expect_no_worst_case(
      {.axes = {{.name = 'n', .longest = 6}},
       .arrays = {{"logits", "n", -64, 64}, {"cotangent", "n", -0x1p20F, 0x1p20F}}},
      [&](const Arrays<float>& input) {
        const Vector<float> p = softmax(vector_of(input.list("logits")));
        const Vector<float> g = vector_of(input.list("cotangent"));
        const Vector<float> x = subject.backward_in_float(p, g);
        const Eigen::VectorXd bound = vector_jacobian_error_bound(p, g);
        const Vector<long double> weights = p.cast<long double>();
        const Vector<long double> exact_x =
            vector_jacobian_product(weights, Vector<long double>(g.cast<long double>()));
        Seen worst;
        for (Index i = 0; i < p.size(); ++i)
          worst = worse(worst, {static_cast<double>(std::abs(x[i] - exact_x[i])), bound[i]});
        return worst;
      });
}
KILLS("two weights that are almost equal are taken for equal",
      {.backward_in_float = [](auto& p, auto& g) -> Vector<float> {
        Vector<float> q = p;
        for (Index i = 1; i < q.size(); ++i)
          if (q[i] < q[i - 1] && q[i] > 0.999F * q[i - 1]) q[i] = q[i - 1];
        return vector_jacobian_product(q, g);
      }});

STATEMENT(BackwardPassError, KeepsItsBoundInHalf) {
  evidence().rests_on(EvidenceLevel::bounded);
  const auto expect_accurate = [&](const Vector<half>& p, const Vector<half>& g) {
    const Vector<half> x = subject.backward_in_half(p, g);
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
}
KILLS("the mean of halves is rounded down to a multiple of 1/16",
      {.backward_in_half = [](const Vector<half>& p, const Vector<half>& g) -> Vector<half> {
        const Vector<float> weights = p.cast<float>(), sizes = g.cast<float>();
        const float mean = std::floor(weights.dot(sizes) * 16) / 16;
        return halves(weights.cwiseProduct((sizes.array() - mean).matrix()));
      }});

/// Weights (1 − w, w) and a cotangent (⅓, c).
template <class Real>
std::pair<Vector<Real>, Vector<Real>> small_weight(const Real& w, const Real& c) {
  return {vector_of<Real>({Real(1) - w, w}), vector_of<Real>({Real(1) / 3, c})};
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

STATEMENT(BackwardPassError, KeepsItsBoundInLongerTypes) {
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
    expect_accurate(subject.backward_in_wide, subject.backward_bound_in_wide, p, g);
    expect_accurate(subject.backward_in_long_double, subject.backward_bound_in_long_double,
                    Vector<long double>(p.cast<long double>()),
                    Vector<long double>(g.cast<long double>()));
  };
  // Weights below the smallest double, and such as lose a third of themselves as doubles.
  for (const auto& [weight, size] : std::vector<std::pair<long double, long double>>{
           {-763, 0x1p1010L}, {-900, 0x1p1000L}, {-10000, 0x1p1020L}}) {
    const auto [p, g] = small_weight<long double>(std::exp(weight), size / 7);
    expect_accurate(subject.backward_in_long_double, subject.backward_bound_in_long_double, p, g);
    expect(backward_accuracy_law<long double>(subject.backward_in_long_double, p, g));
    expect(backward_shift_law<long double>(subject.backward_in_long_double, p, g, size));
    expect(backward_symmetry_law<long double>(subject.backward_in_long_double, p, g, p));
    const auto [q, c] = small_weight<Wide>(exp(Wide(weight)), Wide(size) / 7);
    expect_accurate(subject.backward_in_wide, subject.backward_bound_in_wide, q, c);
  }
  for (int i = 0; i < 64; ++i) {
    const auto [p, g] = small_weight<long double>((1 + i / 64.0L) * 0x1p-1074L,
                                                  (1 + (i * 37 % 64) / 64.0L) * 0x1.fp900L);
    expect_accurate(subject.backward_in_long_double, subject.backward_bound_in_long_double, p, g);
  }
  enumerated(3 + 3 + 64);
  for_all([&] {
    const auto logits =
        *vectors<float>({.shortest = 1, .longest = 17, .entries = {.largest = 2000}}).as("logits");
    const auto cotangent =
        *rc::gen::container<std::vector<float>>(logits.size(), floats<float>({.largest = 1024}))
             .as("cotangent");
    const Wide size = ldexp(Wide(1), *rc::gen::inRange(0, 1000).as("exponent"));
    expect_accurate_in_both(vector_of(logits).cast<Wide>(),
                            vector_of(cotangent).cast<Wide>() * Wide(size / 3));
  });
}
KILLS("the bound of long doubles is computed in double",
      {.backward_bound_in_long_double = bound_in_double<long double>});
KILLS("the bound of fifty digits is computed in double",
      {.backward_bound_in_wide = bound_in_double<Wide>});
KILLS("the mean of long doubles is taken in double",
      {.backward_in_long_double = [](const Vector<long double>& p,
                                     const Vector<long double>& g) -> Vector<long double> {
        const double mean = p.cast<double>().dot(g.cast<double>());
        return p.cwiseProduct((g.array() - mean).matrix());
      }});

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

ASIDE(BackwardPassError, TheBoundIsTheFormulaOfThePage) {
  evidence().rests_on(EvidenceLevel::bounded);
  for_all([&] {
    const auto logits = *vectors<float>({.longest = 33, .entries = {.largest = 16}}).as("logits");
    const auto cotangent =
        *rc::gen::container<std::vector<float>>(logits.size(), floats<float>({.largest = 1024}))
             .as("cotangent");
    const Vector<float> p = softmax(vector_of(logits)), g = vector_of(cotangent);
    expect_formula_of_backward_bound<float>(subject.backward_bound_in_float, p, g);
    expect_formula_of_backward_bound<double>(subject.backward_bound, p.cast<double>(),
                                             g.cast<double>());
    expect_formula_of_backward_bound<half>(subject.backward_bound_in_half, halves(p), halves(g));
    expect_formula_of_backward_bound<long double>(subject.backward_bound_in_long_double,
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
  expect_underflow(subject.backward_bound, 1.0);
  expect_underflow(subject.backward_bound_in_float, 1.0F);
}
KILLS("the roundings after the mean are left out of the bound",
      {.backward_bound = [](auto& p, auto& g) -> Eigen::VectorXd {
        constexpr double u = 0x1p-53;
        return vector_jacobian_error_bound(p, g) - 2 * u * p.cwiseProduct(g.cwiseAbs());
      }});
KILLS("the bound is doubled", {.backward_bound = [](auto& p, auto& g) -> Eigen::VectorXd {
        return 2 * vector_jacobian_error_bound(p, g);
      }});
KILLS("each term of the sum may underflow once more",
      {.backward_bound_in_float = [](const Vector<float>& p,
                                     const Vector<float>& g) -> Eigen::VectorXd {
        return vector_jacobian_error_bound(p, g) + 0x1p-149 * p.cast<double>();
      }});
KILLS("the roundoff of a half is taken for 2^-14, as its epsilon() in Eigen says",
      {.backward_bound_in_half = [](auto& p, auto& g) -> Eigen::VectorXd {
        return vector_jacobian_error_bound(p, g) / 8;
      }});

ASIDE(BackwardPassError, PromisesNothingWithoutItsHypotheses) {
  const auto even = [](Index n) {
    return halves(Vector<float>::Constant(n, 1.0F / static_cast<float>(n)));
  };
  const auto ones = [](Index n) { return halves(Vector<float>::Ones(n)); };
  EXPECT_EXACTLY(std::isfinite(subject.backward_bound_in_half(even(2047), ones(2047))[0]));
  for (const Index n : {2048, 4096, 32768})
    EXPECT_EXACTLY(std::isinf(subject.backward_bound_in_half(even(n), ones(n))[0]))
        << n << " terms";
  // The exact result is 0, but the sum of 4096 weights stops at a half.
  EXPECT_EXACTLY(Rational(static_cast<float>(subject.backward_in_half(
                     even(4096), ones(4096))[0])) == Rational(1, 2 * 4096));
  // exact: a bound below 0, which is none
  EXPECT_EXACTLY(std::signbit(formula_of_backward_bound<half>(even(4096), ones(4096))[0]));
  counterexample_without("fewer terms than 1/u");

  const Vector<double> p = vector_of<double>({0.1, 0.9});
  const Vector<double> g = vector_of<double>({1.7e308, -1.7e308});
  EXPECT_EXACTLY(std::isinf(subject.backward_bound(p, g)[0]));
  EXPECT_EXACTLY(std::isinf(subject.backward(p, g)[0]));
  EXPECT_EXACTLY(std::isfinite(formula_of_backward_bound<double>(p, g)[0]));
  counterexample_without("no overflow");
  enumerated(6);
}
KILLS("1 − nu may be negative", {.backward_bound_in_half = formula_of_backward_bound<half>});
KILLS("overflow is not looked for", {.backward_bound = formula_of_backward_bound<double>});

ASIDE(BackwardPassError, WithoutSubnormalNumbersItFails) {
  constexpr double least = std::numeric_limits<double>::min();
  const Vector<double> p = vector_of<double>({0.5, 0.5}), g = vector_of<double>({2 * least, 0});
  const double entry = subject.backward(p, g)[0];
  EXPECT_EXACTLY(bits_of(entry) == bits_of(least / 2));
  const Rational lost = Rational(entry) - Rational(flushed(entry));
  EXPECT_EXACTLY(lost > Rational(subject.backward_bound(p, g)[0]));
  enumerated(1);
  counterexample_without("rounding model");
}
KILLS("underflow may cost the smallest normal number",
      {.backward_bound = [](auto& p, auto& g) -> Eigen::VectorXd {
        return vector_jacobian_error_bound(p, g).array() + std::numeric_limits<double>::min();
      }});

/// Logarithms of weights, some of them −∞ or rounded above 0, and a cotangent.
inline std::pair<Vector<float>, Vector<float>> drawn_logarithms() {
  Vector<float> y = drawn_weights<float>().array().log();
  for (float& x : y) x *= *rc::gen::element(1.0F, 1.0F, 1.5F).as("factor");
  if (*rc::gen::inRange(0, 8).as("a weight above 1") == 0) y[0] = 0x1p-20F;
  return {y, drawn_cotangent<float>(y.size())};
}

/// g − e^y Σg in a hundred digits.
inline Vector<Exact> exact_log_backward(const Vector<float>& y, const Vector<float>& g) {
  Vector<Exact> x = exact(g);
  const Exact sum = x.sum();
  for (Index i = 0; i < y.size(); ++i)
    if (std::isfinite(y[i])) x[i] -= exp(Exact(y[i])) * sum;
  return x;
}

STATEMENT(BackwardPassError, LogarithmsKeepTheirBoundInFloat) {
  evidence().rests_on(EvidenceLevel::bounded);
  for_all([&] {
    const auto [y, g] = drawn_logarithms();
    const Vector<float> x = subject.log_backward(y, g);
    const Eigen::VectorXd bound = subject.log_backward_bound(y, g, arithmetic_of<float>());
    const Vector<Exact> wanted = exact_log_backward(y, g);
    for (Index i = 0; i < y.size(); ++i) expect_kept(Exact(x[i]) - wanted[i], bound[i]);
  });
}
KILLS("the sum lacks its last term", {.log_backward = [](auto& y, auto& g) -> Vector<float> {
        return g - y.array().exp().matrix() * g.head(g.size() - 1).sum();
      }});
KILLS("weights go through half precision", {.log_backward = [](auto& y, auto& g) -> Vector<float> {
        return g - halves(y.array().exp()).template cast<float>() * g.sum();
      }});
KILLS("the sum is taken for exact", {.log_backward_bound = [](auto& y, auto& g, auto& by) {
        return Eigen::VectorXd(log_softmax_backward_error_bound(y, g, by) -
                               0x1p-24 * double(g.size()) *
                                   g.cwiseAbs().template cast<double>().sum() *
                                   y.array().exp().matrix().template cast<double>());
      }});

ASIDE(BackwardPassError, TheBoundForLogarithmsHasEveryTermOfThePage) {
  evidence().rests_on(EvidenceLevel::bounded);
  const SoftmaxArithmetic plain = arithmetic_of<float>();
  const auto is_formula = [&](const Vector<float>& y, const Vector<float>& g,
                              const SoftmaxArithmetic& by) {
    const Wide u = by.unit_roundoff, eta = by.smallest, n = y.size();
    Wide size = 0, sum = 0;
    for (const float x : g) size += abs(wide(x)), sum += wide(x);
    const Wide of_sum = n * (u * size + eta) / (1 - n * u), reach = abs(sum) + of_sum;
    const Eigen::VectorXd bound = subject.log_backward_bound(y, g, by);
    for (Index i = 0; i < y.size(); ++i) {
      const bool is_zero = std::isinf(y[i]);
      const Wide weight = is_zero ? Wide(0) : Wide(exp(wide(y[i])));
      const Wide moved = exp(Wide(wide(y[i]) + by.exp_argument_error * u * abs(wide(y[i]))));
      Wide of_exp = (1 + by.exp_error * u) * moved - weight + by.exp_error * eta / 2;
      if (y[i] < -by.exp_cut) of_exp += weight;
      if (is_zero) of_exp = 0;
      const Wide page =
          (1 + u) * (weight * of_sum + of_exp * reach + u * (weight + of_exp) * reach + eta) +
          u * (abs(wide(g[i])) + weight * abs(sum));
      if (!is_raised(bound[i], page)) return false;
    }
    return true;
  };
  for_all([&] {
    const auto [y, g] = drawn_logarithms();
    for (const SoftmaxArithmetic& by :
         {plain, plain.exp2_folded(), plain.cut_off(3), plain.flushing(), plain.fast_exp(64)})
      RC_ASSERT(is_formula(y, g, by));
  });
  // Each term alone: a weight of 0, no cotangent, and cotangents whose sum is 0.
  for (const auto& [y, g] :
       {Chosen<float>{{-INFINITY, 0}, {1, 0}}, {{-1, -2}, {0, 0}}, {{-1, -2}, {1, -1}}})
    EXPECT_TRUE(is_formula(vector_of(y), vector_of(g), plain));
  enumerated(3);
}
KILLS("the exponential is taken for exact", {.log_backward_bound = [](auto& y, auto& g, auto& by) {
        return log_softmax_backward_error_bound(y, g, by.with(&SoftmaxArithmetic::exp_error, 0));
      }});
KILLS("its argument is taken for exact", {.log_backward_bound = [](auto& y, auto& g, auto& by) {
        return log_softmax_backward_error_bound(y, g,
                                                by.with(&SoftmaxArithmetic::exp_argument_error, 0));
      }});
KILLS("no exponential is cut off", {.log_backward_bound = [](auto& y, auto& g, auto& by) {
        return log_softmax_backward_error_bound(y, g,
                                                by.with(&SoftmaxArithmetic::exp_cut, INFINITY));
      }});
KILLS("nothing underflows", {.log_backward_bound = [](auto& y, auto& g, auto& by) {
        return log_softmax_backward_error_bound(y, g, by.with(&SoftmaxArithmetic::smallest, 0));
      }});

/// A backward pass on hardware without subnormal numbers, which may subtract product from product.
inline Vector<float> flushing_backward(Vector<float> p, Vector<float> g, bool products) {
  const auto flush = [](float x) { return flushed(x); };
  p = p.unaryExpr(flush), g = g.unaryExpr(flush);
  float mean = 0;
  for (Index i = 0; i < p.size(); ++i) mean = flushed(mean + flushed(p[i] * g[i]));
  for (Index i = 0; i < p.size(); ++i)
    g[i] = products ? flushed(flushed(p[i] * g[i]) - flushed(p[i] * mean))
                    : flushed(p[i] * flushed(g[i] - mean));
  return g;
}

ASIDE(BackwardPassError, DeclaredKernelsKeepTheirBounds) {
  evidence().rests_on(EvidenceLevel::bounded);
  const auto expect_accurate = [&](const Vector<float>& x, const Vector<float>& p,
                                   const Vector<float>& g, const SoftmaxArithmetic& by) {
    const Eigen::VectorXd bound = subject.declared_backward_bound(p, g, by);
    const Vector<Exact> weights = exact(p), cotangent = exact(g);
    const Exact mean = weights.dot(cotangent);
    for (Index i = 0; i < p.size(); ++i)
      expect_kept(Exact(x[i]) - weights[i] * (cotangent[i] - mean), bound[i]);
  };
  const SoftmaxArithmetic plain = arithmetic_of<float>();
  for_all([&] {
    const Vector<float> p = drawn_weights<float>();
    Vector<float> g = drawn_cotangent<float>(p.size());
    const float most = g.cwiseAbs().maxCoeff();
    const double size = *rc::gen::element(1e-38, 1.0, 1e30).as("size");
    if (most > 0) g = (g.cast<double>() * (size / most)).cast<float>();
    for (const bool products : {false, true})
      expect_accurate(flushing_backward(p, g, products), p, g, plain.flushing());
    // Products that are stored in half precision.
    const Vector<float> q = halves(p).cast<float>(),
                        c = halves(g.cwiseMin(9).cwiseMax(-9)).cast<float>();
    const Vector<float> stored = halves(q.cwiseProduct(c)).cast<float>();
    expect_accurate(stored - q * stored.sum(), q, c, plain.stored_weights<half>());
  });
}
KILLS(
    "nothing is magnified", {.declared_backward_bound = [](auto& p, auto& g, auto& by) {
      return vector_jacobian_error_bound(p, g, Rounding{by.unit_roundoff, by.smallest, by.largest});
    }});
KILLS("flushing costs nothing", {.declared_backward_bound = [](auto& p, auto& g, auto& by) {
        return vector_jacobian_error_bound(p, g, by.flushes ? arithmetic_of<float>() : by);
      }});
KILLS("storing is exact", {.declared_backward_bound = [](auto& p, auto& g, auto& by) {
        return vector_jacobian_error_bound(p, g, by.with(&SoftmaxArithmetic::weight_roundoff, 0));
      }});

}  // namespace sqrtdk::properties::BackwardPassError
