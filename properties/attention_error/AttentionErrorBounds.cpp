#include <sqrtdk/attention.hpp>
#include <sqrtdk/attention_error.hpp>
#include <sqrtdk/testing/generators/attention_cases.hpp>
#include <sqrtdk/testing/laws/compare_entries.hpp>
#include <sqrtdk/testing/laws/exact_attention.hpp>
#include <sqrtdk/testing/laws/raised_bound.hpp>

#include "properties/attention_error/AttentionErrorBounds_comparisons.hpp"
#include "properties/attention_error/fixture.hpp"

namespace sqrtdk::properties::AttentionErrorBounds {

/// The first entry and weight are by far the largest: one large monomial has all roundings.
WeightedCase with_one_large_monomial(Index n, Index m, Index d_v, const Rational& u) {
  const Rational small(1, Integer(1) << 80);
  const auto matrix = [&](Index rows, Index columns, const Rational& first) {
    RationalMatrix x = RationalMatrix::Constant(rows, columns, small);
    x(0, 0) = first;
    return x;
  };
  WeightedCase x;
  x.q = matrix(n, 1, 1);
  x.k = matrix(m, 1, 1);
  x.v = matrix(m, d_v, 1);
  x.g = matrix(n, d_v, 1);
  x.weights = matrix(n, m, Rational(1 << 30));
  x.plus = x.weights;
  x.rho = RationalMatrix::Constant(n, m, u);
  return x;
}

//! [AttentionErrorBounds]
STATEMENT(AttentionErrorBounds, NoRoundingGoesBeyondThem) {
  const Rational fine(1, 1 << 20);
  let_err(fine, 0, upward, -1);
  EXPECT_LE(reached(subject, with_one_large_monomial(3, 2, 2, fine)).worst, 1);
  let_err(fine, Rational(4), upward, -1);
  WeightedCase tiny = with_one_large_monomial(1, 1, 1, fine);
  tiny.v *= Rational(1, 1 << 30);
  tiny.g *= Rational(1, 1 << 30);
  EXPECT_LE(reached(subject, tiny).worst, 1);
  enumerated(2);
  for_all(
      [&] {
        const Index n = drawn_size(3, "queries");
        const Index m = drawn_size(3, "keys");
        const Index root = drawn_size(2, "root of d");
        const Index d_v = drawn_size(2, "d_v");
        WeightedCase x;
        x.q = drawn_quarters(n, root * root, "Q");
        x.k = drawn_quarters(m, root * root, "K");
        x.v = drawn_quarters(m, d_v, "V");
        x.g = drawn_quarters(n, d_v, "G");
        x.weights = drawn_quarters(n, m, "weights").cwiseAbs();
        x.plus = x.weights.array() + Rational(1, 32);
        x.rho = drawn_quarters(n, m, "64ρ").cwiseAbs() / Rational(64);
        x.rho.array() += Rational(1, 64);
        let_err(Rational(1, 64), Rational(1, 4), drawn_directions(),
                *rc::gen::element(1, -1).as("which way the root errs"));
        RC_ASSERT(reached(subject, x).worst <= 1);
      },
      100);
  evidence().rests_on(EvidenceLevel::bounded);
}
//! [AttentionErrorBounds]
KILLS("roundings that are finer by a thirtieth", {Slip::finer_roundings});
KILLS("products do not underflow", {Slip::no_underflow});
KILLS("weights are exact", {Slip::exact_weights});

//! [AttentionErrorBounds: the worst case]
ASIDE(AttentionErrorBounds, WithOneRoundingFewerTheyWouldBeFalse) {
  const Rational u(1, 1 << 20);
  let_err(u, 0, upward, -1);
  double least = 1;
  for (const Index n : {1, 3})
    for (const Index m : {1, 2, 4})
      for (const Index d_v : {1, 2}) {
        const Reached at = reached(subject, with_one_large_monomial(n, m, d_v, u));
        // F is w + k times u; up to half a rounding it is attained.
        const auto expect_sharp = [&](double ratio, Index errors) {
          const auto all = static_cast<double>(errors);
          EXPECT_GT(ratio, (all - 0.5) / all) << n << ", " << m << ", " << d_v;
          least = std::min(least, ratio);
          enumerated(1);
        };
        expect_sharp(at.output, 1 + m);
        expect_sharp(at.by_value, 1 + n);
        expect_sharp(at.by_query, 2 + d_v + 2 * m + 4);
        expect_sharp(at.by_key, 2 + d_v + m + n + 4);
      }
  record_value("ratio", rounded_down(least, 4));
  evidence().rests_on(EvidenceLevel::bounded);
}
//! [AttentionErrorBounds: the worst case]
KILLS("twice the bounds, whatever the roundings", {Slip::doubled});

ASIDE(AttentionErrorBounds, AreTheFormulasOfThePage) {
  evidence().rests_on(EvidenceLevel::bounded);
  // A case in which a bound whose ρ is raised used to come out below the formula.
  AttentionCase<Eigen::half> falling;
  falling.queries = Matrix<Eigen::half>::Constant(1, 4, Eigen::half(4));
  falling.keys = Matrix<Eigen::half>::Zero(6, 4);
  falling.keys(3, 3) = Eigen::half(16);
  falling.values = Matrix<Eigen::half>::Zero(6, 1);
  falling.values(0, 0) = Eigen::half(2);
  falling.output_gradient = Matrix<Eigen::half>::Constant(1, 1, Eigen::half(16));
  falling.options.scale = 3;
  EXPECT_TRUE(are_those_of_the_page(subject, falling));
  enumerated(1);
  const auto at_the_edges = [&](auto zero) {
    for (const auto& input : attention_edge_cases<decltype(zero)>()) {
      EXPECT_TRUE(are_those_of_the_page(subject, input));
      enumerated(1);
    }
  };
  at_the_edges(0.0);
  at_the_edges(0.0F);
  at_the_edges(Eigen::half(0));
  const auto check = [&](auto zero) {
    using Real = decltype(zero);
    RC_ASSERT(are_those_of_the_page(subject, drawn_attention_case<Real>()));
  };
  for_all([&] { check(0.0); }, 60);
  for_all([&] { check(0.0F); }, 60);
  for_all([&] { check(Eigen::half(0)); }, 60);
}
KILLS("half of the bounds", {Slip::halved});
KILLS("twice the bounds", {Slip::doubled});
KILLS("results are not stored", {Slip::no_storage});
KILLS("weights are stored too", {Slip::weights_are_stored});

/// Two keys with equal scores and these values, in half precision.
AttentionCase<Eigen::half> equal_scores(std::initializer_list<float> values) {
  const auto m = static_cast<Index>(values.size());
  AttentionCase<Eigen::half> input;
  input.queries = Matrix<Eigen::half>::Zero(1, 1);
  input.keys = Matrix<Eigen::half>::Zero(m, 1);
  input.values = Eigen::Map<const Eigen::VectorXf>(values.begin(), m).cast<Eigen::half>();
  input.output_gradient = Matrix<Eigen::half>::Ones(1, 1);
  return input;
}

STATEMENT(AttentionErrorBounds, StorageRoundsOnceMore) {
  evidence().rests_on(EvidenceLevel::bounded);
  const auto input = equal_scores({1, 1 + 0x1p-10F});
  const auto result = scaled_dot_product_attention(input.queries, input.keys, input.values);
  const double error = std::abs(static_cast<double>(result.output(0)) - (1 + 0x1p-11));
  const double bound = subject.output(input).output(0);
  EXPECT_EQ(error, 0x1p-11);
  EXPECT_LE(error, bound);
  evidence().worst(error, bound);
  enumerated(1);
  record_value("error", format_significant(error, 2));
  Subject without{Slip::no_storage};
  record_value("without_storage", format_significant(without.output(input).output(0), 2));
}
KILLS("results are not rounded when they are stored", {Slip::no_storage});

STATEMENT(AttentionErrorBounds, ComputedAttentionStaysWithinThem) {
  evidence().rests_on(EvidenceLevel::bounded);
  const auto search = [&](auto zero, const std::string& prefix) {
    using Real = decltype(zero);
    const auto compare = [](auto& nearest, const Matrix<Real>& computed, const Matrix<Wide>& exact,
                            const Eigen::MatrixXd& bound) {
      sqrtdk::testing::compare_entries(nearest, "it", computed, exact, bound);
    };
    const auto of_output = [&](const Arrays<Real>& arrays) {
      const AttentionCase<Real> input = case_of(arrays);
      const AttentionErrorBound bound = subject.output(input);
      sqrtdk::testing::Nearest nearest;
      if (bound.vacuous) nearest.vacuous();
      compare(nearest, scaled_dot_product_attention(input.queries, input.keys, input.values).output,
              ExactAttention(input).output(), bound.output);
      return nearest.outcome();
    };
    const auto of_gradient = [&](const Arrays<Real>& arrays) {
      const AttentionCase<Real> input = case_of(arrays);
      const AttentionGradientErrorBound bound = subject.gradient(input);
      const ExactAttention exact(input);
      const auto computed =
          attention_gradient(input.queries, input.keys, input.values, input.output_gradient);
      sqrtdk::testing::Nearest nearest;
      if (bound.vacuous) nearest.vacuous();
      compare(nearest, computed.queries, exact.gradient().queries, bound.gradient.queries);
      compare(nearest, computed.keys, exact.gradient().keys, bound.gradient.keys);
      compare(nearest, computed.values, exact.gradient().values, bound.gradient.values);
      return nearest.outcome();
    };
    const auto space = attention_space<Real>();
    const Search budget = searched(6000);
    expect_bound_holds(worst_case(space, budget, of_output), prefix + "output_");
    expect_bound_holds(worst_case(space, budget, of_gradient), prefix + "gradient_");
  };
  search(0.0, "double_");
  search(0.0F, "float_");
  search(Eigen::half(0), "half_");
}
KILLS("what is stored is exact", {Slip::no_storage});

ASIDE(AttentionErrorBounds, NumbersForTwoQueriesAndTwoKeys) {
  evidence().rests_on(EvidenceLevel::bounded);
  AttentionCase<double> input;
  input.queries.resize(2, 4);
  input.queries << 1, 2, -1, 0.5, 0, 1, 1, -2;
  input.keys.resize(2, 4);
  input.keys << 1, 1, 0, 1, 2, 0, -1, 1;
  input.values.resize(2, 2);
  input.values << 1, 2, 3, 4;
  input.output_gradient.resize(2, 2);
  input.output_gradient << 1, 0, -1, 1;
  const double u = 0x1p-53;
  const auto scores = attention_score_errors<Wide>(input.queries, input.keys);
  const auto weights = attention_weight_errors<Wide>(input.queries, input.keys);
  const AttentionErrorBound output = subject.output(input);
  const AttentionGradientErrorBound gradient = subject.gradient(input);
  EXPECT_FALSE(output.vacuous || gradient.vacuous);
  const auto in_u = [&](double bound) { return rounded_up(bound / u, 1); };
  // E is 6u times half of Σ|q k|, which is 3.5; ρ is 2E and what softmax adds, 6u and 4Eu.
  EXPECT_EQ(in_u(scores.error(0, 0)), "10.6");
  record_value("score", in_u(scores.error.row(0).maxCoeff()));
  record_value("rho", in_u(weights.relative.row(0).maxCoeff()));
  record_value("first_output", in_u(output.output(0, 0)));
  record_value("second_output", in_u(output.output(0, 1)));
  record_value("by_query", in_u(gradient.gradient.queries.maxCoeff()));
  record_value("by_key", in_u(gradient.gradient.keys.maxCoeff()));
  record_value("by_value", in_u(gradient.gradient.values.maxCoeff()));
  // An average with weights of one half, so F = (1 + ρ)(1 + γ₂) − 1 times it.
  const Wide F = (1 + wide(weights.relative(0, 0))) * (1 + gamma_of(2, u)) - 1;
  EXPECT_TRUE(is_raised(output.output(0, 0), Wide(2 * F), bound_steps));
  EXPECT_TRUE(is_raised(output.output(0, 1), Wide(3 * F), bound_steps));

  const ExactAttention exact(input);
  const auto computed =
      attention_gradient(input.queries, input.keys, input.values, input.output_gradient);
  double worst = 0;
  const auto compare = [&](const Matrix<double>& x, const Matrix<Wide>& y,
                           const Eigen::MatrixXd& allowed) {
    for (Index i = 0; i < x.size(); ++i) {
      const double error = static_cast<double>(abs(Wide(Wide(x(i)) - y(i))));
      EXPECT_LE(error, allowed(i));
      worst = std::max(worst, error);
      enumerated(1);
    }
  };
  compare(scaled_dot_product_attention(input.queries, input.keys, input.values).output,
          exact.output(), output.output);
  compare(computed.queries, exact.gradient().queries, gradient.gradient.queries);
  compare(computed.keys, exact.gradient().keys, gradient.gradient.keys);
  compare(computed.values, exact.gradient().values, gradient.gradient.values);
  record_value("computed", in_u(worst));
}
KILLS("half of the numbers of the page", {Slip::halved});

ASIDE(AttentionErrorBounds, FiveKeysOfSixtyFourDimensionsInSinglePrecision) {
  evidence().rests_on(EvidenceLevel::bounded);
  AttentionCase<float> input;
  const auto bound = [&](const std::optional<float>& scale) {
    input.options.scale = scale;
    return subject.output(input).output.maxCoeff();
  };
  // A query of ones, some keys of ones, and some that have a −1 in so many places.
  input.queries = Matrix<float>::Ones(1, 64);
  input.values = Matrix<float>::Ones(5, 1);
  double most = 0;
  double most_raw = 0;
  for (Index others = 0; others < 5; ++others)
    for (Index places = 0; places <= 64; ++places) {
      input.keys = Matrix<float>::Ones(5, 64);
      input.keys.topLeftCorner(others, places).setConstant(-1);
      most = std::max(most, bound({}));
      most_raw = std::max(most_raw, bound(1.0F));
      enumerated(1);
    }
  EXPECT_LE(most, 1e-4);
  EXPECT_GE(most_raw / most, 7.5);
  EXPECT_LE(most_raw / most, 8.5);
  record_value("bound", rounded_up(most, 6));
  record_value("times", format_fixed(most_raw / most, 1));
  for_all(
      [&] {
        const auto drawn = [](Index rows, Index columns, const char* name) {
          return Matrix<float>(drawn_quarters(rows, columns, name).unaryExpr([](const auto& x) {
            return x.template convert_to<float>() / 2;
          }));
        };
        input.queries = drawn(1, 64, "Q");
        input.keys = drawn(5, 64, "K");
        input.values = drawn(5, 1, "V");
        RC_ASSERT(bound({}) <= 1e-4);
      },
      20);
}
KILLS("twice the bound of the sentence", {Slip::doubled});

ASIDE(AttentionErrorBounds, AnOverflowIsNotPromised) {
  AttentionCase<double> input;
  input.queries = Matrix<double>::Zero(1, 1);
  input.keys = Matrix<double>::Zero(2, 1);
  input.values = Matrix<double>::Constant(2, 1, std::numeric_limits<double>::max());
  input.output_gradient = Matrix<double>::Ones(1, 1);
  EXPECT_EXACTLY(subject.output(input).vacuous);
  EXPECT_EXACTLY(subject.gradient(input).vacuous);
  input.values /= 16;
  EXPECT_EXACTLY(!subject.output(input).vacuous);
  EXPECT_EXACTLY(!subject.gradient(input).vacuous);
  // The product of query and key overflows, the score does not.
  input.queries << 1e200;
  input.keys << 1e200, 0;
  input.options.scale = 1e-200;
  EXPECT_EXACTLY(subject.output(input).vacuous);
  EXPECT_EXACTLY(subject.gradient(input).vacuous);
  // In half precision the largest number can be stored: nothing is rounded beyond it.
  const auto largest = equal_scores({65504, 65504});
  EXPECT_EXACTLY(!subject.output(largest).vacuous);
  const auto result = scaled_dot_product_attention(largest.queries, largest.keys, largest.values);
  EXPECT_EXACTLY(Rational(static_cast<float>(result.output(0))) == 65504);
  AttentionCase<Eigen::half> steep = largest;
  steep.output_gradient *= Eigen::half(4);
  steep.queries.setConstant(Eigen::half(16));
  EXPECT_EXACTLY(subject.gradient(steep).vacuous);
  enumerated(5);
  counterexample_without("no overflow");
}
KILLS("no number overflows", {Slip::no_overflow});

ASIDE(AttentionErrorBounds, WeightsThatAreStoredBreakThem) {
  const auto input = equal_scores({3 + 0x1p-9F, 0, 0});
  const Rational exact = (3 + Rational(0x1p-9)) / 3;
  const double bound = subject.output(input).output(0);
  const auto stored_weights = [](const auto& scores) {
    return softmax(scores).template cast<Eigen::half>().template cast<float>().eval();
  };
  const auto output = [&](const auto& weighting) {
    return Rational(static_cast<double>(
        scaled_dot_product_attention(input.queries, input.keys, input.values, {}, weighting)
            .output(0)));
  };
  EXPECT_EXACTLY(output(stored_weights) == 1);
  EXPECT_EXACTLY(exact - 1 > Rational(bound));
  EXPECT_EXACTLY(Rational(abs(output(SoftmaxWeighting()) - exact)) <= Rational(bound));
  enumerated(1);
  record_value("error", format_significant(Rational(exact - 1).convert_to<double>(), 2));
  record_value("bound", format_significant(bound, 2));
  counterexample_without("weights as computed");
}
KILLS("weights may be stored", {Slip::weights_are_stored});

ASIDE(AttentionErrorBounds, ABoundThatPromisesNothingIsInfinite) {
  const auto check = [&](auto zero) {
    using Real = decltype(zero);
    // Scores of 10⁸ and −10⁸ may be off by much; the output is the first value all the same.
    AttentionCase<Real> far;
    far.queries = Matrix<Real>::Constant(1, 1, Real(1e4));
    far.keys = Matrix<Real>::Constant(2, 1, Real(1e4));
    far.keys(1) = Real(-1e4);
    far.values = Matrix<Real>::Constant(2, 1, Real(5));
    far.output_gradient = Matrix<Real>::Ones(1, 1);
    const auto all_infinite = [](const Eigen::MatrixXd& bound) {
      // exact: infinity is no rounded number
      return (bound.array() == std::numeric_limits<double>::infinity()).all();
    };
    const AttentionErrorBound output = subject.output(far);
    EXPECT_EXACTLY(output.vacuous);
    EXPECT_EXACTLY(all_infinite(output.output));
    const AttentionGradientErrorBound by = subject.gradient(far);
    EXPECT_EXACTLY(by.vacuous);
    EXPECT_EXACTLY(all_infinite(by.gradient.queries));
    EXPECT_EXACTLY(all_infinite(by.gradient.keys));
    EXPECT_EXACTLY(all_infinite(by.gradient.values));
    enumerated(2);
  };
  check(0.0F);
  check(Eigen::half(0));
  check(Eigen::bfloat16(0));
}
KILLS("a storage that rounds by 0 is multiplied by an infinite bound", {Slip::zero_times_infinity});

ASIDE(AttentionErrorBounds, RefuseWhatIsNotFiniteOnlyWhereItIsSeen) {
  for (const double wrong :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    const auto ones = [](Index rows) { return Matrix<double>(Matrix<double>::Ones(rows, 1)); };
    AttentionCase<double> input{ones(1), ones(2), ones(2), ones(1), {}};
    input.keys(1) = input.values(1) = wrong;
    expect_refusal<std::domain_error>([&] { return subject.output(input); });
    expect_refusal<std::domain_error>([&] { return subject.gradient(input); });
    input.options.allowed = Matrix<bool>::Constant(1, 2, true);
    (*input.options.allowed)(1) = false;
    EXPECT_EXACTLY(!subject.output(input).vacuous);
    EXPECT_EXACTLY(!subject.gradient(input).vacuous);
    enumerated(1);
  }
}
KILLS("a key that is no number counts as 0", {Slip::not_finite_is_zero});

ASIDE(AttentionErrorBounds, RefuseShapesThatDoNotFit) {
  const auto matrix = [](Index rows, Index columns) {
    return Matrix<double>(Matrix<double>::Ones(rows, columns));
  };
  const auto refuses = [&](const AttentionCase<double>& input, const std::string& message) {
    expect_refusal<std::invalid_argument>([&] { return subject.output(input); }, message);
  };
  const auto gradient_refuses = [&](const AttentionCase<double>& input,
                                    const std::string& message) {
    expect_refusal<std::invalid_argument>([&] { return subject.gradient(input); }, message);
  };
  AttentionCase<double> input{matrix(3, 4), matrix(5, 6), matrix(5, 2), matrix(3, 2), {}};
  const std::string columns =
      "the queries are 3 x 4 and the keys 5 x 6, but must have as many columns";
  refuses(input, columns);
  gradient_refuses(input, columns);
  input.keys = matrix(5, 4);
  input.values = matrix(6, 2);
  const std::string rows = "the keys are 5 x 4 and the values 6 x 2, but must have as many rows";
  refuses(input, rows);
  gradient_refuses(input, rows);
  input.values = matrix(5, 2);
  input.output_gradient = matrix(2, 3);
  gradient_refuses(input, "the gradient of the output is 2 x 3, but must be 3 x 2");
  input.options.bias = matrix(1, 5);
  refuses(input, "the bias is 1 x 5, but must be 3 x 5");
}
KILLS("keys and values change places in the message", {Slip::counts_exchanged});
KILLS("queries and keys change places in the message", {Slip::widths_exchanged});

}  // namespace sqrtdk::properties::AttentionErrorBounds
