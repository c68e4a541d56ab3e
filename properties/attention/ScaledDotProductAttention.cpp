#include <sqrtdk/attention.hpp>
#include <sqrtdk/attention_error.hpp>
#include <sqrtdk/testing/laws/attention_laws.hpp>
#include <sqrtdk/testing/laws/exact_attention.hpp>
#include <sqrtdk/testing/laws/outcome.hpp>

#include "properties/attention/faults.hpp"
#include "properties/attention/fixture.hpp"
#include "properties/support/message_of.hpp"
#include "properties/support/outcomes.hpp"

#include <boost/math/differentiation/autodiff.hpp>

namespace sqrtdk::properties::ScaledDotProductAttention {

using namespace attention_faults;

/// The lines of S3's two listings that bind a name or call one, as they are printed.
constexpr std::string_view textbook_lines[] = {
    "import math",
    "def scaled_dot_product_attention(Q, K, V):",
    "d_k = Q.shape[-1]",
    "scores = Q @ K.T / math.sqrt(d_k)",
    "attention_weights = softmax(scores, axis=-1)",
    "output = attention_weights @ V",
    "def stable_softmax(x, axis=-1):",
    "x_max = x.max(axis=axis, keepdims=True)",
    "exp_x = np.exp(x - x_max)",
    "return exp_x / exp_x.sum(axis=axis, keepdims=True)"};

/// A name in a line of code, and what stands right before and behind it.
struct Name {
  std::string text;
  char before;              // a space at the beginning of the line
  std::string_view behind;  // the rest of the line
};

std::vector<Name> names_in(std::string_view line) {
  const auto in_a_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  std::vector<Name> names;
  for (std::size_t begin = 0; begin < line.size(); ++begin) {
    std::size_t end = begin;
    while (end < line.size() && in_a_name(line[end])) ++end;
    if (end == begin) continue;
    if (!std::isdigit(static_cast<unsigned char>(line[begin])))
      names.push_back({std::string(line.substr(begin, end - begin)),
                       begin == 0 ? ' ' : line[begin - 1], line.substr(end)});
    begin = end;
  }
  return names;
}

/// Names that these lines call, or call something of, and that none of them binds.
std::set<std::string> names_left_undefined() {
  std::set<std::string> bound, called;
  for (const std::string_view line : textbook_lines) {
    const std::vector<Name> names = names_in(line);
    if (names[0].text == "import" || names[0].text == "def") {
      for (std::size_t i = 1; i < names.size(); ++i) bound.insert(names[i].text);
      continue;
    }
    if (names[0].behind.starts_with(" = ")) bound.insert(names[0].text);
    for (const Name& name : names)
      if (name.before != '.' && (name.behind.starts_with('(') || name.behind.starts_with('.')))
        called.insert(name.text);
  }
  std::set<std::string> undefined;
  std::set_difference(called.begin(), called.end(), bound.begin(), bound.end(),
                      std::inserter(undefined, undefined.begin()));
  return undefined;
}

//! [ScaledDotProductAttention]
STATEMENT(ScaledDotProductAttention, OutputIsTheFormulasWithinTheBound) {
  const auto output = [&](const auto& input) { return subject.output(input); };
  for (const auto& input : ordinary_cases<double>()) expect_law(output_law<double>(output, input));
  for (const auto& input : ordinary_cases<float>()) expect_law(output_law<float>(output, input));
  for_all([&] { require_law(output_law<double>(output, drawn_attention_case<double>())); },
          precise_cases);
  for_all([&] { require_law(output_law<float>(output, drawn_attention_case<float>())); },
          precise_cases);
}
//! [ScaledDotProductAttention]
KILLS("not scaled", {Fault::unscaled});
KILLS("divided by d", {Fault::divided_by_d});
KILLS("multiplied by the root", {Fault::multiplied_by_root});
KILLS("the last key is left out", {Fault::one_key_too_few});
KILLS("a halved output", {Fault::halved});
KILLS("the maximum is not subtracted", {Fault::no_maximum});
KILLS("weights in single precision", {Fault::coarse_weights});

//! [ScaledDotProductAttention: exact check]
STATEMENT(ScaledDotProductAttention, OutputIsTheFormulaOverTheRationals) {
  const auto formula = [](const RationalCase& input) {
    const RationalMatrix scores = input.queries * input.keys.transpose() * scale_of(input);
    RationalMatrix expected(input.queries.rows(), input.values.cols());
    for (Index i = 0; i < scores.rows(); ++i) {
      const auto s = scores.row(i).array();
      const auto weights = (s * s + s + Rational(1)).eval();
      expected.row(i) = weights.matrix() * input.values / weights.sum();
    }
    return expected;
  };
  const RationalCase plain = ordinary_cases<Rational>().front();
  const bool same = subject.output(plain) == formula(plain);
  expect_confirmed("S2", "softmax(Q x K^T / sqrt(d_k)) x V", same);
  enumerated(1);
  for_all(
      [&] {
        const RationalCase input = drawn_rational_case(Masks::none);
        EXPECT_EXACTLY(subject.output(input) == formula(input));
      },
      rational_cases);
}
//! [ScaledDotProductAttention: exact check]
KILLS("softmax over the queries", {Fault::weights_over_queries});
KILLS("keys are taken for values", {Fault::keys_for_values});
KILLS("the first query for all", {Fault::one_query_for_all});

STATEMENT(ScaledDotProductAttention, TheStepsOfTheTextbookAreTheFormulaOnceTheirNamesAreDefined) {
  bool same = true;
  for (RationalCase input : {ordinary_cases<Rational>().front(), ordinary_cases<Rational>()[1]}) {
    input.options.return_weights = true;
    const RationalMatrix scores =
        input.queries * input.keys.transpose() / Rational(2);  // the root of d = 4
    RationalMatrix weights(scores.rows(), scores.cols());
    for (Index i = 0; i < scores.rows(); ++i)
      weights.row(i) = RationalWeighting()(scores.row(i).transpose()).transpose();
    const auto result = subject.result(input);
    same = same && result.output == weights * input.values &&
           result.weights.rows() == weights.rows() && result.weights == weights;
    enumerated(1);
  }
  expect_confirmed("S3", "Scaled dot-product attention", same);
  expect_confirmed("S3", "Scaled attention", same);
  // Undefined in this section: NumPy, not imported, and softmax, defined as stable_softmax.
  EXPECT_EXACTLY(names_left_undefined() == (std::set<std::string>{"np", "softmax"}));
}
KILLS("divided by d, as in no document", {Fault::divided_by_d});
KILLS("weights that are returned lie on their side", {Fault::weights_transposed});

STATEMENT(ScaledDotProductAttention, HalfPrecisionIsOnlyForStorage) {
  const auto output = [&](const auto& input) { return subject.output(input); };
  // A stored third is off by 2^−12 of itself; the output, one and 2/3 of 2^−10, is rounded to 1.
  AttentionCase<Eigen::half> thirds;
  thirds.queries = Matrix<Eigen::half>::Zero(1, 1);
  thirds.keys = thirds.values = Matrix<Eigen::half>::Zero(3, 1);
  thirds.values(0, 0) = Eigen::half(3 + 0x1p-9F);
  expect_law(output_law<Eigen::half>(output, thirds));
  for (const auto& input : ordinary_cases<Eigen::half>())
    expect_law(output_law<Eigen::half>(output, input));
  for_all(
      [&] { require_law(output_law<Eigen::half>(output, drawn_attention_case<Eigen::half>())); },
      precise_cases);
}
KILLS("rounded to bfloat16", {Fault::coarse_result});
KILLS("weights are rounded to half precision too", {Fault::weights_in_half});

ASIDE(ScaledDotProductAttention, ScoresAreExactUpToTheirBound) {
  const auto scores = [&](const auto& input) {
    return subject.scores(input.queries, input.keys, input.options.scale);
  };
  const AttentionShapes wide = {
      .most_queries = 2, .most_keys = 2, .most_features = 65, .largest = 0x1p30};
  for_all([&] { require_law(score_law<double>(scores, drawn_attention_case<double>(wide))); },
          precise_cases);
  for_all([&] { require_law(score_law<float>(scores, drawn_attention_case<float>(wide))); },
          precise_cases);
}
KILLS("scores are not scaled", {Fault::unscaled});

STATEMENT(ScaledDotProductAttention, ScoresOfColumnsAreTheOtherFormula) {
  for_all(
      [&] {
        const RationalCase input = drawn_rational_case(Masks::none);
        // As S1 writes it, queries and keys are the columns of Q and K: QᵀK/√d.
        const RationalMatrix query_columns = input.queries.transpose();
        const RationalMatrix key_columns = input.keys.transpose();
        const RationalMatrix of_columns = query_columns.transpose() * key_columns * scale_of(input);
        EXPECT_EXACTLY(subject.scores(input.queries, input.keys, input.options.scale).rows() ==
                       of_columns.rows());
        EXPECT_EXACTLY(subject.scores(input.queries, input.keys, input.options.scale) ==
                       of_columns);
      },
      rational_cases);
}
KILLS("scores are transposed", {Fault::weights_over_queries});
KILLS("scores are divided by d", {Fault::divided_by_d});

STATEMENT(ScaledDotProductAttention, GradientIsTheFormulasWithinTheBound) {
  const auto gradient = [&](const auto& input) { return subject.gradient(input); };
  for (const auto& input : ordinary_cases<double>())
    expect_law(gradient_law<double>(gradient, input));
  for_all([&] { require_law(gradient_law<double>(gradient, drawn_attention_case<double>())); },
          precise_cases);
  for_all([&] { require_law(gradient_law<float>(gradient, drawn_attention_case<float>())); },
          precise_cases);
}
KILLS("the mean is not subtracted", {Fault::no_mean});
KILLS("dQ is not scaled", {Fault::unscaled_queries});

STATEMENT(ScaledDotProductAttention, HoldsAtTheEdges) {
  const auto output = [&](const auto& input) { return subject.output(input); };
  const auto gradient = [&](const auto& input) { return subject.gradient(input); };
  const auto check = [&](auto zero) {
    using Real = decltype(zero);
    std::size_t silent = 0;
    const std::vector<AttentionCase<Real>> cases = edge_cases<Real>(subject.fault);
    // A weight that is 0 in floating point, and a subnormal one, both before a huge value.
    const auto small_weight = [&](std::size_t place) {
      EXPECT_FALSE(output_law<Real>(output, cases[place]).vacuous);
      return Wide(ExactAttention(cases[place]).weights()(0, 1));
    };
    using Limits = std::numeric_limits<Compute<Real>>;
    EXPECT_TRUE(0 < small_weight(6) && 2 * small_weight(6) < wide(Limits::denorm_min()));
    EXPECT_TRUE(small_weight(7) > wide(Limits::denorm_min()) &&
                small_weight(7) < wide(Limits::min()));
    for (const auto& input : cases) {
      const Outcome of_output = output_law<Real>(output, input);
      const Outcome of_gradient = gradient_law<Real>(gradient, input);
      silent += of_output.vacuous;
      expect_law(of_output);
      expect_law(of_gradient);
    }
    return silent;
  };
  record_value("silent_double", std::to_string(check(0.0)));
  record_value("silent_float", std::to_string(check(0.0F)));
  record_value("silent_half", std::to_string(check(Eigen::half(0))));
  record_value("edges", std::to_string(attention_edge_cases<double>().size()));
}
KILLS("the last of the keys is left out, at the edges too", {Fault::one_key_too_few});
KILLS("half of the output, at the edges too", {Fault::halved});
KILLS("a key of −∞ in the place of a small weight", {Fault::endless_depth}, Death::by_exception);
KILLS("what should make a weight subnormal is divided by the root", {Fault::depth_over_the_root});

/// ⟨G, output⟩ with one of the arguments' entries moved by t, at t = 0, by automatic
/// differentiation of the formula in fifty digits.
/// \param argument 0 for Q, 1 for K, 2 for V.
Wide derivative_by(const AttentionCase<double>& input, int argument, Index row, Index column) {
  using Dual = boost::math::differentiation::autodiff_fvar<Wide, 1>;
  const auto entry = [&](int which, Index i, Index j) -> Dual {
    const Matrix<double>& matrix = which == 0   ? input.queries
                                   : which == 1 ? input.keys
                                                : input.values;
    const bool moves = which == argument && i == row && j == column;
    const Wide x(matrix(i, j));
    return moves ? boost::math::differentiation::make_fvar<Wide, 1>(x) : Dual(x);
  };
  const Wide root = sqrt(Wide(input.queries.cols()));
  const Wide scale = input.options.scale ? Wide(*input.options.scale) : Wide(1 / root);
  Dual loss(Wide(0));
  for (Index i = 0; i < input.queries.rows(); ++i) {
    std::vector<Dual> weights;
    Dual sum(Wide(0));
    Dual mean(Wide(0));
    for (Index j = 0; j < input.keys.rows(); ++j) {
      if (!sees(input, i, j)) continue;
      Dual score(Wide(0));
      for (Index l = 0; l < input.queries.cols(); ++l) score += entry(0, i, l) * entry(1, j, l);
      score *= scale;
      if (input.options.bias) score += Wide((*input.options.bias)(i, j));
      const Dual weight = exp(score);
      Dual gain(Wide(0));
      for (Index c = 0; c < input.values.cols(); ++c)
        gain += entry(2, j, c) * Wide(input.output_gradient(i, c));
      sum += weight;
      mean += weight * gain;
    }
    if (!sees_nothing(input, i)) loss += mean / sum;
  }
  return loss.derivative(1);
}

STATEMENT(ScaledDotProductAttention, GradientIsTheDerivativeOfTheOutput) {
  const auto derivative_law = [&](const AttentionCase<double>& input) {
    const AttentionGradient<double> computed = subject.gradient(input);
    const auto bound = attention_gradient_error_bound<Wide>(input.queries, input.keys, input.values,
                                                            input.output_gradient, input.options);
    sqrtdk::testing::Nearest nearest;
    if (bound.vacuous) nearest.vacuous();
    const auto compare = [&](int argument, const Matrix<double>& x,
                             const Eigen::MatrixXd& allowed) {
      for (Index i = 0; i < x.rows(); ++i)
        for (Index j = 0; j < x.cols(); ++j) {
          const Wide exact = derivative_by(input, argument, i, j);
          nearest.compare(static_cast<double>(abs(Wide(Wide(x(i, j)) - exact))), allowed(i, j),
                          [&] { return "it is " + exact.str(20); });
        }
    };
    compare(0, computed.queries, bound.gradient.queries);
    compare(1, computed.keys, bound.gradient.keys);
    compare(2, computed.values, bound.gradient.values);
    return nearest.outcome();
  };
  for (const auto& input : ordinary_cases<double>()) expect_law(derivative_law(input));
  constexpr int slow_cases = 25;
  for_all(
      [&] {
        require_law(derivative_law(drawn_attention_case<double>(
            {.most_queries = 2, .most_keys = 3, .most_features = 2, .most_values = 2})));
      },
      slow_cases);
}
KILLS("dK is not scaled", {Fault::unscaled_keys});
KILLS("half of dV", {Fault::halved});

STATEMENT(ScaledDotProductAttention, GradientIsTheAdjointOfTheDerivative) {
  const auto is_adjoint = [&](const RationalCase& x, const RationalMatrix& dq,
                              const RationalMatrix& dk, const RationalMatrix& dv) {
    // The changes by a softmax with these weights: dS, then dP = P ⊙ (dS − rowsum(P ⊙ dS)), dO.
    const RationalMatrix p = attention_weights(x.queries, x.keys, x.options, RationalWeighting());
    const RationalMatrix ds = (dq * x.keys.transpose() + x.queries * dk.transpose()) * scale_of(x);
    const RationalMatrix means = p.cwiseProduct(ds).rowwise().sum();
    const RationalMatrix dp = p.cwiseProduct(ds - means.replicate(1, ds.cols()));
    const RationalMatrix output_change = dp * x.values + p * dv;
    const AttentionGradient<Rational> gradient = subject.gradient(x);
    return inner_product(x.output_gradient, output_change) ==
           inner_product(gradient.queries, dq) + inner_product(gradient.keys, dk) +
               inner_product(gradient.values, dv);
  };
  for (const RationalCase& x : ordinary_cases<Rational>())
    EXPECT_EXACTLY(is_adjoint(x, 2 * x.queries, x.keys, 3 * x.values));
  enumerated(ordinary_cases<Rational>().size());
  for_all(
      [&] {
        const RationalCase x = drawn_rational_case(Masks::all);
        const RationalMatrix dq = drawn_rationals(x.queries.rows(), x.queries.cols(), "dQ");
        const RationalMatrix dk = drawn_rationals(x.keys.rows(), x.keys.cols(), "dK");
        const RationalMatrix dv = drawn_rationals(x.values.rows(), x.values.cols(), "dV");
        EXPECT_EXACTLY(is_adjoint(x, dq, dk, dv));
      },
      rational_cases);
}
KILLS("dV by the weights, not transposed", {Fault::transposed_values});
KILLS("dQ without the scale", {Fault::unscaled_queries});

STATEMENT(ScaledDotProductAttention, MasksLeaveOutTheirKeysAndNothingElse) {
  for_all(
      [&] {
        const RationalCase input = drawn_rational_case(Masks::all);
        const RationalMatrix output = subject.output(input);
        for (Index i = 0; i < input.queries.rows(); ++i) {
          // The same query alone, with the keys that it sees and no mask.
          std::vector<Index> seen;
          for (Index j = 0; j < input.keys.rows(); ++j)
            if (sees(input, i, j)) seen.push_back(j);
          const RationalMatrix query = input.queries.row(i);
          const RationalMatrix keys = input.keys(seen, Eigen::all);
          const RationalMatrix values = input.values(seen, Eigen::all);
          AttentionOptions<Rational> options;
          options.scale = input.options.scale;
          if (input.options.bias) {
            options.bias = RationalMatrix(1, static_cast<Index>(seen.size()));
            for (std::size_t a = 0; a < seen.size(); ++a)
              (*options.bias)(static_cast<Index>(a)) = (*input.options.bias)(i, seen[a]);
          }
          const RationalMatrix alone =
              scaled_dot_product_attention(query, keys, values, options, RationalWeighting())
                  .output;
          EXPECT_EXACTLY(output.row(i) == alone);
        }
        // A bias takes part in the weights, after the scale.
        if (input.options.bias) {
          const RationalMatrix scores =
              input.queries * input.keys.transpose() * scale_of(input) + *input.options.bias;
          for (Index i = 0; i < scores.rows(); ++i) {
            if (sees_nothing(input, i)) continue;
            RationalMatrix weights = RationalMatrix::Constant(1, scores.cols(), Rational(0));
            for (Index j = 0; j < scores.cols(); ++j)
              if (sees(input, i, j)) weights(j) = scores(i, j) * scores(i, j) + scores(i, j) + 1;
            EXPECT_EXACTLY(output.row(i) * weights.sum() == weights * input.values);
          }
        }
      },
      rational_cases);
}
KILLS("the mask is ignored", {Fault::mask_ignored});
KILLS("the mask is inverted", {Fault::mask_inverted});
KILLS("the bias is ignored", {Fault::bias_ignored});
KILLS("the bias is scaled too", {Fault::bias_before_scale});
KILLS("causal is ignored", {Fault::causal_ignored});
KILLS("causal is aligned at the other corner", {Fault::causal_aligned_otherwise});
KILLS("a query does not see its own position", {Fault::causal_without_the_diagonal});

STATEMENT(ScaledDotProductAttention, AQueryThatSeesNoKeyGetsZero) {
  AttentionCase<double> input;
  input.queries = Matrix<double>::Random(2, 4);
  input.keys = Matrix<double>::Random(3, 4);
  input.values = Matrix<double>::Random(3, 2);
  input.output_gradient = Matrix<double>::Ones(2, 2);
  input.options.allowed = Matrix<bool>::Constant(2, 3, true);
  input.options.allowed->row(0).setConstant(false);
  const auto expect_blind = [&](Index i) {
    EXPECT_EXACTLY(is_zero(subject.output(input).row(i)));
    EXPECT_EXACTLY(is_zero(subject.weights(input).row(i)));
    EXPECT_EXACTLY(is_zero(subject.gradient(input).queries.row(i)));
  };
  expect_blind(0);
  // More queries than keys, aligned at the end: the first query comes before every key.
  input.options.allowed.reset();
  input.options.causal = CausalAlignment::bottom_right;
  input.keys.conservativeResize(1, 4);
  input.values.conservativeResize(1, 2);
  expect_blind(0);
  input.options.causal.reset();
  input.keys.resize(0, 4);
  input.values.resize(0, 2);
  EXPECT_EXACTLY(bits_of(subject.output(input)) == bits_of(Matrix<double>::Zero(2, 2)));
  enumerated(3);
}
KILLS("a query that sees nothing gets the mean of the values", {Fault::blind_query_averages});

ASIDE(ScaledDotProductAttention, WhatNoQuerySeesChangesNoBit) {
  const auto output = [&](const auto& input) { return subject.output(input); };
  // The output is 0, whose sign is a bit, too.
  AttentionCase<double> zero;
  zero.queries = Matrix<double>::Ones(1, 2);
  zero.keys = Matrix<double>::Ones(2, 2);
  zero.values = Matrix<double>::Zero(2, 1);
  zero.options.allowed = Matrix<bool>{{true, false}};
  EXPECT_EXACTLY(masked_values_law<double>(output, zero).holds_exactly());
  enumerated(1);
  for_all([&] {
    const Outcome outcome = masked_values_law<double>(output, drawn_attention_case<double>());
    EXPECT_EXACTLY(outcome.holds_exactly()) << outcome.where;
  });
}
KILLS("masked keys have weight 0, not no weight", {Fault::masked_by_a_large_number});
KILLS("what is masked turns the sign of a zero", {Fault::masked_value_signs_a_zero});

ASIDE(ScaledDotProductAttention, WhatNoQuerySeesGetsNoGradient) {
  for_all([&] {
    const auto gradient = [&](const auto& input) { return subject.gradient(input); };
    const auto input = drawn_attention_case<double>();
    const Outcome outcome = masked_values_gradient_law<double>(gradient, input);
    EXPECT_EXACTLY(outcome.holds_exactly()) << outcome.where;
    const AttentionGradient<double> computed = subject.gradient(input);
    for (Index j = 0; j < input.keys.rows(); ++j) {
      bool seen = false;
      for (Index i = 0; i < input.queries.rows(); ++i) seen = seen || sees(input, i, j);
      if (seen) continue;
      EXPECT_EXACTLY(is_zero(computed.keys.row(j)));
      EXPECT_EXACTLY(is_zero(computed.values.row(j)));
    }
  });
}
KILLS("the gradient looks at masked keys", {Fault::masked_key_is_looked_at});
KILLS("a masked value gets a gradient", {Fault::masked_value_gets_a_gradient});

ASIDE(ScaledDotProductAttention, WeightsAreReturnedOnRequest) {
  for_all(
      [&] {
        RationalCase input = drawn_rational_case(Masks::all);
        EXPECT_EXACTLY(subject.result(input).weights.size() == 0);
        input.options.return_weights = true;
        const AttentionResult<Rational> result = subject.result(input);
        const RationalMatrix weights =
            attention_weights(input.queries, input.keys, input.options, RationalWeighting());
        EXPECT_EXACTLY(result.weights.rows() == weights.rows());
        EXPECT_EXACTLY(result.weights.cols() == weights.cols());
        EXPECT_EXACTLY(result.weights == weights);
        EXPECT_EXACTLY(result.output == weights * input.values);
      },
      rational_cases);
}
KILLS("weights are returned unasked", {Fault::weights_always});
KILLS("weights are returned transposed", {Fault::weights_transposed});

ASIDE(ScaledDotProductAttention, RefusesShapesThatDoNotFit) {
  const auto matrix = [](Index rows, Index columns) {
    return Matrix<double>(Matrix<double>::Ones(rows, columns));
  };
  const auto message = [&](const AttentionCase<double>& input) {
    return message_of<std::invalid_argument>([&] { subject.output(input); });
  };
  const auto of_gradient = [&](const AttentionCase<double>& input) {
    return message_of<std::invalid_argument>([&] { subject.gradient(input); });
  };
  AttentionCase<double> input{matrix(3, 4), matrix(5, 6), matrix(5, 2), matrix(3, 2), {}};
  const std::string widths =
      "the queries are 3 x 4 and the keys 5 x 6, but must have as many columns";
  EXPECT_EXACTLY(message(input) == widths);
  EXPECT_EXACTLY(of_gradient(input) == widths);
  expect_refusal<std::invalid_argument>([&] { subject.weights(input); }, widths);
  expect_refusal<std::invalid_argument>(
      [&] { subject.scores(input.queries, input.keys, std::nullopt); }, widths);
  input.keys = matrix(5, 4);
  input.values = matrix(6, 2);
  const std::string counts = "the keys are 5 x 4 and the values 6 x 2, but must have as many rows";
  EXPECT_EXACTLY(message(input) == counts);
  EXPECT_EXACTLY(of_gradient(input) == counts);
  input.values = matrix(5, 2);
  input.options.allowed = Matrix<bool>::Constant(5, 3, true);
  EXPECT_EXACTLY(message(input) == "the mask is 5 x 3, but must be 3 x 5");
  EXPECT_EXACTLY(of_gradient(input) == "the mask is 5 x 3, but must be 3 x 5");
  input.options.allowed.reset();
  input.options.bias = matrix(1, 5);
  EXPECT_EXACTLY(message(input) == "the bias is 1 x 5, but must be 3 x 5");
  EXPECT_EXACTLY(of_gradient(input) == "the bias is 1 x 5, but must be 3 x 5");
  input.options.bias.reset();
  input.output_gradient = matrix(2, 3);
  EXPECT_EXACTLY(of_gradient(input) == "the gradient of the output is 2 x 3, but must be 3 x 2");
  input.queries = matrix(3, 0);
  input.keys = matrix(5, 0);
  EXPECT_EXACTLY(message(input) ==
                 "the queries are 3 x 0 and the keys 5 x 0, but must have at least 1 column");
  expect_refusal<std::invalid_argument>(
      [&] { fold_scale(input.queries); },
      "the queries are 3 x 0 and the keys 3 x 0, but must have at least 1 column");
  RationalCase no_root;
  no_root.queries = no_root.keys = no_root.values = RationalMatrix::Constant(1, 2, Rational(1));
  expect_refusal<std::domain_error>(
      [&] { subject.output(no_root); },
      "the root of the width 2 is not rational; give a scale, or a width that is a square");
  counterexample_without("shapes that fit");
}
KILLS("what does not fit is cut off", {Fault::shapes_cut});
KILLS("keys and values change places in the message", {Fault::counts_exchanged});
KILLS("queries and keys change places in the message", {Fault::shapes_exchanged});

ASIDE(ScaledDotProductAttention, RefusesScoresThatOverflow) {
  const auto message = [&](std::initializer_list<double> query, std::initializer_list<double> keys,
                           double scale = 1) {
    const auto d = static_cast<Index>(query.size());
    AttentionCase<double> input;
    input.queries = Eigen::Map<const Eigen::RowVectorXd>(query.begin(), d);
    input.keys.resize(static_cast<Index>(keys.size()) / d, d);
    for (Index l = 0; l < input.keys.size(); ++l) input.keys(l / d, l % d) = keys.begin()[l];
    input.values = Matrix<double>::Constant(input.keys.rows(), 1, 2.0);
    input.options.scale = scale;
    enumerated(1);
    return message_of<std::domain_error>([&] { subject.output(input); });
  };
  EXPECT_EXACTLY(message({1e200}, {1e200}) == "the score of query 0 and key 0 overflows to inf");
  EXPECT_EXACTLY(message({1e200}, {-1e200}) == "the score of query 0 and key 0 overflows to -inf");
  // Beside a score of 10^200 the weight would rightly be 0, but a score that overflows is none.
  EXPECT_EXACTLY(message({1e200}, {1, -1e200}) ==
                 "the score of query 0 and key 1 overflows to -inf");
  // The scores are 0 and −1, with weights of 0.73 and 0.27; −∞ would have no weight.
  EXPECT_EXACTLY(message({1e160}, {0, -1e160}, 1e-320) ==
                 "the score of query 0 and key 1 overflows to -inf");
  // The scores are 0 and 0, but ∞ − ∞ is not a number.
  EXPECT_EXACTLY(
      message({1e200, 1e200}, {0, 0, 1e200, -1e200}).find("query 0 and key 1 overflows to") !=
      std::string::npos);
  // Infinite arguments are the caller's own.
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EXACTLY(message({infinity}, {1}) == "a logit is inf, but must be less than infinity");
  EXPECT_EXACTLY(message({infinity}, {-1}) == "all logits are -inf, but one must be greater");
  counterexample_without("no overflow");
}
KILLS("a score that overflows counts as nothing", {Fault::overflow_becomes_zero});
KILLS("a score that overflows is used", {Fault::overflow_unnoticed});

ASIDE(ScaledDotProductAttention, NotANumberStaysVisible) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  AttentionCase<double> input;
  input.queries = input.keys = input.values = Matrix<double>::Ones(2, 2);
  input.queries(0, 0) = nan;
  EXPECT_EXACTLY(subject.output(input).row(0).array().isNaN().all());
  EXPECT_EXACTLY(!subject.output(input).row(1).array().isNaN().any());
  input.queries(0, 0) = 1;
  input.keys(1, 1) = nan;
  EXPECT_EXACTLY(subject.output(input).array().isNaN().all());
  input.keys(1, 1) = 1;
  input.values(1, 1) = nan;
  EXPECT_EXACTLY(subject.output(input).col(1).array().isNaN().all());
  EXPECT_EXACTLY(!subject.output(input).col(0).array().isNaN().any());
}
KILLS("NaN is made plausible", {Fault::nan_becomes_zero});

}  // namespace sqrtdk::properties::ScaledDotProductAttention
