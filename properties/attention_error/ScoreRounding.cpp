#include <sqrtdk/attention.hpp>
#include <sqrtdk/attention/pass.hpp>
#include <sqrtdk/attention_error/weight_errors.hpp>
#include <sqrtdk/testing/laws/outcome.hpp>
#include <sqrtdk/testing/laws/raised_bound.hpp>

#include "properties/attention_error/fixture.hpp"
#include "properties/support/outcomes.hpp"

namespace sqrtdk::properties::ScoreRounding {

struct Subject {
  std::function<double(double, double, double, const std::optional<double>&,
                       const SoftmaxArithmetic&)>
      bound = sqrtdk::score_error_bound;
  /// The largest number that can occur on the way to a score.
  std::function<double(const Matrix<double>&, const Matrix<double>&)> reach =
      [](const Matrix<double>& queries, const Matrix<double>& keys) {
        return attention_score_errors<Wide>(queries, keys).reach.maxCoeff();
      };
};

/// The error of the score of Erring numbers, and its bound.
Outcome score_of_erring(const Subject& subject, const RationalMatrix& q, const RationalMatrix& k,
                        const std::optional<Rational>& scale, const std::optional<Rational>& bias) {
  const Index d = q.cols();
  AttentionOptions<Erring> options;
  if (scale) options.scale = Erring(*scale);
  if (bias) options.bias = Matrix<Erring>::Constant(1, 1, Erring(*bias));
  // With scores for weights, what comes out are the scores.
  const auto as_they_are = [](const auto& x) { return x; };
  const Rational computed = attention_weights(erring(q), erring(k), options, as_they_are)(0).value;
  const Rational c = scale ? *scale : 1 / Rational(sqrt(Integer(d)));
  const Rational exact = q.cwiseProduct(k).sum() * c + (bias ? *bias : Rational(0));
  const Rational magnitude = q.cwiseProduct(k).cwiseAbs().sum();
  std::optional<double> size_of_bias;
  if (bias) size_of_bias = Rational(abs(*bias)).convert_to<double>();
  Outcome outcome;
  outcome.error = Rational(abs(computed - exact)).convert_to<double>();
  outcome.bound = subject.bound(static_cast<double>(d), Rational(abs(c)).convert_to<double>(),
                                magnitude.convert_to<double>(), size_of_bias, erring_arithmetic());
  outcome.where = "the score is " + computed.str() + " instead of " + exact.str();
  return outcome;
}

//! [ScoreRounding]
STATEMENT(ScoreRounding, NoRoundingGoesBeyondTheBound) {
  const RationalMatrix one = RationalMatrix::Constant(1, 1, Rational(1));
  const RationalMatrix none = RationalMatrix::Constant(1, 1, Rational(1, Integer(1) << 30));
  for (const int down : {1, -1}) {
    let_err(
        Rational(1, 64), 4, [down] { return down; }, -down);
    expect_law(score_of_erring(subject, one, one, std::nullopt, std::nullopt));
    expect_law(score_of_erring(subject, none, one, std::nullopt, std::nullopt));
    let_err(
        Rational(1, 64), 0, [down] { return down; }, -down);
    expect_law(score_of_erring(subject, one, one, std::nullopt, std::nullopt));
    expect_law(score_of_erring(subject, one, one, std::nullopt, Rational(3)));
  }
  for_all([&] {
    const Index root = drawn_size(3, "root of d");
    const RationalMatrix q = drawn_quarters(1, root * root, "q");
    const RationalMatrix k = drawn_quarters(1, root * root, "k");
    const auto with_scale = *rc::gen::arbitrary<bool>().as("with a scale");
    const auto with_bias = *rc::gen::arbitrary<bool>().as("with a bias");
    let_err(Rational(1, 64), Rational(1, 4), drawn_directions(),
            *rc::gen::element(1, -1).as("which way the root errs"));
    const auto number = [](bool there, const char* name) {
      return there ? std::optional(drawn_quarters(1, 1, name)(0)) : std::nullopt;
    };
    require_law(
        score_of_erring(subject, q, k, number(with_scale, "scale"), number(with_bias, "bias")));
  });
  evidence().rests_on(EvidenceLevel::bounded);
}
//! [ScoreRounding]
KILLS("the root is not rounded",
      {.bound = [](double d, double scale, double magnitude, auto& bias, auto& a) {
        return score_error_bound(d - 1, scale, magnitude, bias, a);
      }});
KILLS("the sum with the bias is not rounded",
      {.bound = [](double d, double scale, double magnitude, auto&, auto& a) {
        return score_error_bound(d, scale, magnitude, std::nullopt, a);
      }});
KILLS("products do not underflow",
      {.bound = [](double d, double scale, double magnitude, auto& bias, SoftmaxArithmetic a) {
        a.smallest = 0;
        return score_error_bound(d, scale, magnitude, bias, a);
      }});

//! [ScoreRounding: the worst case]
STATEMENT(ScoreRounding, WithOneRoundingFewerItWouldBeFalse) {
  let_err(Rational(1, 1 << 20), 0, upward, -1);
  double least = 1;
  for (const Index d : {1, 4, 9})
    for (const std::optional<Rational>& bias :
         {std::optional<Rational>(), std::optional<Rational>(Rational(1, Integer(1) << 40))}) {
      const Outcome outcome =
          score_of_erring(subject, first_of(d), first_of(d), std::nullopt, bias);
      expect_law(outcome);
      const double roundings = static_cast<double>(d) + (bias ? 3 : 2);
      const double ratio = outcome.error / outcome.bound;
      EXPECT_GT(ratio, (roundings - 0.5) / roundings) << "d = " << d;
      least = std::min(least, ratio);
    }
  record_value("ratio", rounded_down(least, 4));
  evidence().rests_on(EvidenceLevel::bounded);
}
//! [ScoreRounding: the worst case]
KILLS("each addition rounds twice",
      {.bound = [](double d, double scale, double magnitude, auto& bias, auto& a) {
        return score_error_bound(2 * d - 1, scale, magnitude, bias, a);
      }});

STATEMENT(ScoreRounding, ComputedScoresAreWithinTheBound) {
  evidence().rests_on(EvidenceLevel::bounded);
  const auto search = [&](auto zero, const std::string& prefix) {
    using Real = decltype(zero);
    InputSpace<Real> space = {
        .axes = {{'d', 1, 5}},
        .arrays = {{"q", "d"}, {"k", "d"}, {"scale", ""}, {"bias", "", Real(0), Real(0)}}};
    const auto law = [&](const Arrays<Real>& input) {
      const auto d = static_cast<Index>(input.list("q").size());
      AttentionCase<Real> one;
      one.queries = Eigen::Map<const Matrix<Real>>(input.list("q").data(), 1, d);
      one.keys = Eigen::Map<const Matrix<Real>>(input.list("k").data(), 1, d);
      one.options.scale = input.number("scale");
      one.options.bias = Matrix<Real>::Constant(1, 1, input.number("bias"));
      const auto errors = attention_score_errors<Wide>(one.queries, one.keys, one.options);
      const double magnitude =
          static_cast<double>(Wide(one.queries.template cast<Wide>()
                                       .cwiseProduct(one.keys.template cast<Wide>())
                                       .cwiseAbs()
                                       .sum()));
      Outcome outcome;
      outcome.vacuous = !(errors.reach.maxCoeff() <= arithmetic_of<Real>().largest);
      if (outcome.vacuous) return outcome;
      const auto as_they_are = [](const auto& x) { return x; };
      const Real computed = attention_weights(one.queries, one.keys, one.options, as_they_are)(0);
      outcome.error = static_cast<double>(abs(Wide(Wide(computed) - errors.scores(0))));
      outcome.bound = subject.bound(
          static_cast<double>(d), std::abs(static_cast<double>(input.number("scale"))), magnitude,
          std::abs(static_cast<double>(input.number("bias"))), arithmetic_of<Real>());
      return outcome;
    };
    expect_bound_holds(worst_case(space, searched(15000), law), prefix);
    space.arrays.back() = {"bias"};
    expect_bound_holds(worst_case(space, searched(15000), law), prefix + "biased_");
  };
  search(0.0, "double_");
  search(0.0F, "float_");
}
KILLS("the exact product of large numbers is taken for small",
      {.bound = [](double d, double scale, double magnitude, auto& bias, auto& a) {
        return score_error_bound(d, scale, std::min(magnitude, 1.0), bias, a);
      }});

ASIDE(ScoreRounding, NothingIsPromisedOfInfiniteProducts) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const SoftmaxArithmetic a = arithmetic_of<double>();
  // Products beyond double times a scale of 0, and a product of 0 that is rounded too often.
  EXPECT_EXACTLY(bits_of(subject.bound(1, 0, infinity, std::nullopt, a)) == bits_of(infinity));
  EXPECT_EXACTLY(bits_of(subject.bound(0x1p60, 0, 0, std::nullopt, a)) == bits_of(infinity));
  enumerated(2);
}
KILLS("0 times an infinite product",
      {.bound = [](double d, double scale, double magnitude, auto&, auto& a) {
        return sqrtdk::detail::with_margin(sqrtdk::detail::rounding_bound(d + 2, a.unit_roundoff) *
                                           (scale * magnitude));
      }});

ASIDE(ScoreRounding, TheBoundIsTheFormulaOfThePage) {
  evidence().rests_on(EvidenceLevel::bounded);
  for_all([&] {
    const SoftmaxArithmetic a =
        arithmetic_number(*rc::gen::inRange(0, 3).as("double (0), float (1), coarse (2)"));
    const Index d = *rc::gen::inRange<Index>(1, 2000).as("d");
    const auto positive = [](const char* name) {
      return std::abs(*floats<double>({.largest = 0x1p300}).as(name));
    };
    const double scale = positive("scale");
    const double magnitude = positive("magnitude");
    std::optional<double> bias;
    if (*rc::gen::arbitrary<bool>().as("with a bias")) bias = positive("bias");
    const Wide u = a.unit_roundoff;
    const Wide lambda = a.smallest / (2 * u);
    const Wide plus = wide(scale) * (magnitude + d * lambda) + lambda;
    const Wide page =
        bias ? Wide(gamma_of(d + 3, u) * plus + u * *bias) : Wide(gamma_of(d + 2, u) * plus);
    const double computed = subject.bound(static_cast<double>(d), scale, magnitude, bias, a);
    if ((static_cast<double>(d) + (bias ? 3 : 2)) * a.unit_roundoff <= 0.5)
      RC_ASSERT(is_raised(computed, page, 1, lost_in_double));
    else
      RC_ASSERT(std::isinf(computed));
  });
}
KILLS("half of the bound",
      {.bound = [](double d, double scale, double magnitude, auto& bias, auto& a) {
        return score_error_bound(d, scale, magnitude, bias, a) / 2;
      }});
KILLS("the scale of underflow is left out",
      {.bound = [](double d, double scale, double magnitude, auto& bias, auto& a) {
        return score_error_bound(d, 1, scale * magnitude, bias, a);
      }});

ASIDE(ScoreRounding, AnOverflowOnTheWayIsOutside) {
  Matrix<double> query(1, 2);
  Matrix<double> key(1, 2);
  query << 1e200, 1e200;
  key << 1e200, -1e200;
  EXPECT_EXACTLY(std::isnan(attention_scores(query, key)(0)));
  EXPECT_EXACTLY(std::isinf(subject.reach(query, key)));
  key << 1e100, -1e100;
  EXPECT_EXACTLY(std::isfinite(subject.reach(query, key)));
  enumerated(2);
  counterexample_without("no overflow");
}
KILLS("no number on the way overflows", {.reach = [](auto&, auto&) { return 0.0; }});

ASIDE(ScoreRounding, FlushedProductsAreOutside) {
  const double least = std::numeric_limits<double>::min();
  const double bound = subject.bound(1, 1, 0.75 * least, std::nullopt, arithmetic_of<double>());
  // The error of a machine that flushes.
  EXPECT_EXACTLY(Rational(3, 4) * Rational(least) > Rational(bound));
  EXPECT_EXACTLY(Rational(underflow_threshold(arithmetic_of<double>())) == Rational(least));
  EXPECT_EXACTLY(Rational(underflow_threshold(arithmetic_of<float>())) ==
                 Rational(std::numeric_limits<float>::min()));
  enumerated(1);
  counterexample_without("subnormal numbers");
}
KILLS("a product may be flushed to zero",
      {.bound = [](double d, double scale, double magnitude, auto& bias, auto& a) {
        return score_error_bound(d, scale, magnitude, bias, a) + underflow_threshold(a);
      }});

}  // namespace sqrtdk::properties::ScoreRounding
