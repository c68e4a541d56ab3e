// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/attention.hpp>
#include <sqrtdk/attention_error.hpp>
#include <sqrtdk/attention_pass.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/testing/generators/attention_cases.hpp>
#include <sqrtdk/testing/generators/floating_point.hpp>
#include <sqrtdk/testing/generators/rational_distributions.hpp>
#include <sqrtdk/testing/generators/worst_case.hpp>
#include <sqrtdk/testing/laws/arrays.hpp>
#include <sqrtdk/testing/laws/attention_case.hpp>
#include <sqrtdk/testing/laws/attention_laws.hpp>
#include <sqrtdk/testing/laws/exact_attention.hpp>
#include <sqrtdk/testing/laws/outcome.hpp>
#include <sqrtdk/testing/laws/wide.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/exact_types.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>
#include <sqrtdk/testing/reporting/expect_refusal.hpp>
#include <sqrtdk/testing/reporting/printed.hpp>

#include "properties/attention/ScaledDotProductAttention_mutants.hpp"
#include "properties/attention/faults.hpp"
#include "properties/attention/fixture.hpp"
#include "properties/support/message_of.hpp"
#include "properties/support/outcomes.hpp"

#include <Eigen/Core>
#include <boost/math/differentiation/autodiff.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace sqrtdk::properties::ScaledDotProductAttention {

using namespace sqrtdk::testing;
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

/// The names in a line of code, in their order.
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

/// The names that these lines call, or call something of, and that none of them binds.
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
TEST(ScaledDotProductAttention, OutputIsTheFormulasWithinTheBound) {
  check_statement(scaled_dot_product_attention_mutants, [](const Attention& attention) {
    const auto output = [&](const auto& input) { return attention.output(input); };
    for (const auto& input : ordinary_cases<double>())
      expect_law(output_law<double>(output, input));
    for (const auto& input : ordinary_cases<float>()) expect_law(output_law<float>(output, input));
    for_all([&] { require_law(output_law<double>(output, drawn_attention_case<double>())); },
            precise_cases);
    for_all([&] { require_law(output_law<float>(output, drawn_attention_case<float>())); },
            precise_cases);
  });
}
//! [ScaledDotProductAttention]

//! [ScaledDotProductAttention: exact check]
TEST(ScaledDotProductAttention, OutputIsTheFormulaOverTheRationals) {
  check_statement(scaled_dot_product_attention_mutants, [](const Attention& attention) {
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
    const bool same = attention.output(plain) == formula(plain);
    expect_confirmed("S2", "softmax(Q x K^T / sqrt(d_k)) x V", same);
    enumerated(1);
    for_all(
        [&] {
          const RationalCase input = drawn_rational_case(Masks::none);
          EXPECT_EXACTLY(attention.output(input) == formula(input));
        },
        rational_cases);
  });
}
//! [ScaledDotProductAttention: exact check]

TEST(ScaledDotProductAttention, TheStepsOfTheTextbookAreTheFormulaOnceTheirNamesAreDefined) {
  check_statement(scaled_dot_product_attention_mutants, [](const Attention& attention) {
    // Scores over the root, weights row by row, weights times values, and both returned.
    bool same = true;
    for (RationalCase input : {ordinary_cases<Rational>().front(), ordinary_cases<Rational>()[1]}) {
      input.options.return_weights = true;
      const RationalMatrix scores =
          input.queries * input.keys.transpose() / Rational(2);  // the root of d = 4
      RationalMatrix weights(scores.rows(), scores.cols());
      for (Index i = 0; i < scores.rows(); ++i)
        weights.row(i) = RationalWeighting()(scores.row(i).transpose()).transpose();
      const auto result = attention.result(input);
      same = same && result.output == weights * input.values &&
             result.weights.rows() == weights.rows() && result.weights == weights;
      enumerated(1);
    }
    expect_confirmed("S3", "Scaled dot-product attention", same);
    expect_confirmed("S3", "Scaled attention", same);
    // Two names are not defined in this section: NumPy is not imported, and the function that is
    // defined is called stable_softmax. An earlier section may have both.
    EXPECT_EXACTLY(names_left_undefined() == (std::set<std::string>{"np", "softmax"}));
  });
}

TEST(ScaledDotProductAttention, HalfPrecisionIsOnlyForStorage) {
  check_statement(scaled_dot_product_attention_mutants, [](const Attention& attention) {
    const auto output = [&](const auto& input) { return attention.output(input); };
    // Three equal scores: a third that is stored is off by 2^−12 of itself, and then the output,
    // one and 2/3 of 2^−10, is rounded to 1.
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
  });
}

TEST(ScaledDotProductAttention, ScoresAreExactUpToTheirBound) {
  check_with_mutants(scaled_dot_product_attention_mutants, [](const Attention& attention) {
    const auto scores = [&](const auto& input) {
      return attention.scores(input.queries, input.keys, input.options.scale);
    };
    const AttentionShapes wide = {
        .most_queries = 2, .most_keys = 2, .most_features = 65, .largest = 0x1p30};
    for_all([&] { require_law(score_law<double>(scores, drawn_attention_case<double>(wide))); },
            precise_cases);
    for_all([&] { require_law(score_law<float>(scores, drawn_attention_case<float>(wide))); },
            precise_cases);
  });
}

TEST(ScaledDotProductAttention, ScoresOfColumnsAreTheOtherFormula) {
  check_statement(scaled_dot_product_attention_mutants, [](const Attention& attention) {
    for_all(
        [&] {
          const RationalCase input = drawn_rational_case(Masks::none);
          // As S1 writes it, queries and keys are the columns of Q and K: QᵀK/√d.
          const RationalMatrix query_columns = input.queries.transpose();
          const RationalMatrix key_columns = input.keys.transpose();
          const RationalMatrix of_columns =
              query_columns.transpose() * key_columns * scale_of(input);
          EXPECT_EXACTLY(attention.scores(input.queries, input.keys, input.options.scale).rows() ==
                         of_columns.rows());
          EXPECT_EXACTLY(attention.scores(input.queries, input.keys, input.options.scale) ==
                         of_columns);
        },
        rational_cases);
  });
}

TEST(ScaledDotProductAttention, GradientIsTheFormulasWithinTheBound) {
  check_statement(scaled_dot_product_attention_mutants, [](const Attention& attention) {
    const auto gradient = [&](const auto& input) { return attention.gradient(input); };
    for (const auto& input : ordinary_cases<double>())
      expect_law(gradient_law<double>(gradient, input));
    for_all([&] { require_law(gradient_law<double>(gradient, drawn_attention_case<double>())); },
            precise_cases);
    for_all([&] { require_law(gradient_law<float>(gradient, drawn_attention_case<float>())); },
            precise_cases);
  });
}

TEST(ScaledDotProductAttention, HoldsAtTheEdges) {
  check_statement(scaled_dot_product_attention_mutants, [](const Attention& attention) {
    const auto output = [&](const auto& input) { return attention.output(input); };
    const auto gradient = [&](const auto& input) { return attention.gradient(input); };
    const auto check = [&](auto zero) {
      using Real = decltype(zero);
      std::size_t silent = 0;
      const std::vector<AttentionCase<Real>> cases = edge_cases<Real>(attention.fault);
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
  });
}

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

TEST(ScaledDotProductAttention, GradientIsTheDerivativeOfTheOutput) {
  check_statement(scaled_dot_product_attention_mutants, [](const Attention& attention) {
    const auto derivative_law = [&](const AttentionCase<double>& input) {
      const AttentionGradient<double> computed = attention.gradient(input);
      const auto bound = attention_gradient_error_bound<Wide>(
          input.queries, input.keys, input.values, input.output_gradient, input.options);
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
  });
}

TEST(ScaledDotProductAttention, GradientIsTheAdjointOfTheDerivative) {
  check_statement(scaled_dot_product_attention_mutants, [](const Attention& attention) {
    const auto is_adjoint = [&](const RationalCase& x, const RationalMatrix& dq,
                                const RationalMatrix& dk, const RationalMatrix& dv) {
      // What a softmax with these weights would do: dS, then dP = P ⊙ (dS − rowsum(P ⊙ dS)), dO.
      const RationalMatrix p = attention_weights(x.queries, x.keys, x.options, RationalWeighting());
      const RationalMatrix ds =
          (dq * x.keys.transpose() + x.queries * dk.transpose()) * scale_of(x);
      const RationalMatrix means = p.cwiseProduct(ds).rowwise().sum();
      const RationalMatrix dp = p.cwiseProduct(ds - means.replicate(1, ds.cols()));
      const RationalMatrix output_change = dp * x.values + p * dv;
      const AttentionGradient<Rational> gradient = attention.gradient(x);
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
  });
}

TEST(ScaledDotProductAttention, MasksLeaveOutTheirKeysAndNothingElse) {
  check_statement(scaled_dot_product_attention_mutants, [](const Attention& attention) {
    for_all(
        [&] {
          const RationalCase input = drawn_rational_case(Masks::all);
          const RationalMatrix output = attention.output(input);
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
  });
}

TEST(ScaledDotProductAttention, AQueryThatSeesNoKeyGetsZero) {
  check_statement(scaled_dot_product_attention_mutants, [](const Attention& attention) {
    AttentionCase<double> input;
    input.queries = Matrix<double>::Random(2, 4);
    input.keys = Matrix<double>::Random(3, 4);
    input.values = Matrix<double>::Random(3, 2);
    input.output_gradient = Matrix<double>::Ones(2, 2);
    input.options.allowed = Matrix<bool>::Constant(2, 3, true);
    input.options.allowed->row(0).setConstant(false);
    const auto expect_blind = [&](Index i) {
      EXPECT_EXACTLY(is_zero(attention.output(input).row(i)));
      EXPECT_EXACTLY(is_zero(attention.weights(input).row(i)));
      EXPECT_EXACTLY(is_zero(attention.gradient(input).queries.row(i)));
    };
    expect_blind(0);
    // More queries than keys, aligned at the end: the first query comes before every key.
    input.options.allowed.reset();
    input.options.causal = CausalAlignment::bottom_right;
    input.keys.conservativeResize(1, 4);
    input.values.conservativeResize(1, 2);
    expect_blind(0);
    // No keys at all.
    input.options.causal.reset();
    input.keys.resize(0, 4);
    input.values.resize(0, 2);
    EXPECT_EXACTLY(bits_of(attention.output(input)) == bits_of(Matrix<double>::Zero(2, 2)));
    enumerated(3);
  });
}

TEST(ScaledDotProductAttention, WhatNoQuerySeesChangesNoBit) {
  check_with_mutants(scaled_dot_product_attention_mutants, [](const Attention& attention) {
    const auto output = [&](const auto& input) { return attention.output(input); };
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
  });
}

TEST(ScaledDotProductAttention, WhatNoQuerySeesGetsNoGradient) {
  check_with_mutants(scaled_dot_product_attention_mutants, [](const Attention& attention) {
    for_all([&] {
      const auto gradient = [&](const auto& input) { return attention.gradient(input); };
      const auto input = drawn_attention_case<double>();
      const Outcome outcome = masked_values_gradient_law<double>(gradient, input);
      EXPECT_EXACTLY(outcome.holds_exactly()) << outcome.where;
      const AttentionGradient<double> computed = attention.gradient(input);
      for (Index j = 0; j < input.keys.rows(); ++j) {
        bool seen = false;
        for (Index i = 0; i < input.queries.rows(); ++i) seen = seen || sees(input, i, j);
        if (seen) continue;
        EXPECT_EXACTLY(is_zero(computed.keys.row(j)));
        EXPECT_EXACTLY(is_zero(computed.values.row(j)));
      }
    });
  });
}

TEST(ScaledDotProductAttention, WeightsAreReturnedOnRequest) {
  check_with_mutants(scaled_dot_product_attention_mutants, [](const Attention& attention) {
    for_all(
        [&] {
          RationalCase input = drawn_rational_case(Masks::all);
          EXPECT_EXACTLY(attention.result(input).weights.size() == 0);
          input.options.return_weights = true;
          const AttentionResult<Rational> result = attention.result(input);
          const RationalMatrix weights =
              attention_weights(input.queries, input.keys, input.options, RationalWeighting());
          EXPECT_EXACTLY(result.weights.rows() == weights.rows());
          EXPECT_EXACTLY(result.weights.cols() == weights.cols());
          EXPECT_EXACTLY(result.weights == weights);
          EXPECT_EXACTLY(result.output == weights * input.values);
        },
        rational_cases);
  });
}

TEST(ScaledDotProductAttention, RefusesShapesThatDoNotFit) {
  check_with_mutants(scaled_dot_product_attention_mutants, [](const Attention& attention) {
    const auto matrix = [](Index rows, Index columns) {
      return Matrix<double>(Matrix<double>::Ones(rows, columns));
    };
    const auto message = [&](const AttentionCase<double>& input) {
      return message_of<std::invalid_argument>([&] { attention.output(input); });
    };
    const auto of_gradient = [&](const AttentionCase<double>& input) {
      return message_of<std::invalid_argument>([&] { attention.gradient(input); });
    };
    AttentionCase<double> input{matrix(3, 4), matrix(5, 6), matrix(5, 2), matrix(3, 2), {}};
    const std::string widths =
        "the queries are 3 x 4 and the keys 5 x 6, but must have as many columns";
    EXPECT_EXACTLY(message(input) == widths);
    EXPECT_EXACTLY(of_gradient(input) == widths);
    expect_refusal<std::invalid_argument>([&] { attention.weights(input); }, widths);
    expect_refusal<std::invalid_argument>(
        [&] { attention.scores(input.queries, input.keys, std::nullopt); }, widths);
    input.keys = matrix(5, 4);
    input.values = matrix(6, 2);
    const std::string counts =
        "the keys are 5 x 4 and the values 6 x 2, but must have as many rows";
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
        [&] { attention.output(no_root); },
        "the root of the width 2 is not rational; give a scale, or a width that is a square");
    counterexample_without("shapes that fit");
  });
}

TEST(ScaledDotProductAttention, RefusesScoresThatOverflow) {
  check_with_mutants(scaled_dot_product_attention_mutants, [](const Attention& attention) {
    const auto message = [&](std::initializer_list<double> query,
                             std::initializer_list<double> keys, double scale = 1) {
      const auto d = static_cast<Index>(query.size());
      AttentionCase<double> input;
      input.queries = Eigen::Map<const Eigen::RowVectorXd>(query.begin(), d);
      input.keys.resize(static_cast<Index>(keys.size()) / d, d);
      for (Index l = 0; l < input.keys.size(); ++l) input.keys(l / d, l % d) = keys.begin()[l];
      input.values = Matrix<double>::Constant(input.keys.rows(), 1, 2.0);
      input.options.scale = scale;
      enumerated(1);
      return message_of<std::domain_error>([&] { attention.output(input); });
    };
    EXPECT_EXACTLY(message({1e200}, {1e200}) == "the score of query 0 and key 0 overflows to inf");
    EXPECT_EXACTLY(message({1e200}, {-1e200}) ==
                   "the score of query 0 and key 0 overflows to -inf");
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
  });
}

TEST(ScaledDotProductAttention, NotANumberStaysVisible) {
  check_with_mutants(scaled_dot_product_attention_mutants, [](const Attention& attention) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    AttentionCase<double> input;
    input.queries = input.keys = input.values = Matrix<double>::Ones(2, 2);
    input.queries(0, 0) = nan;
    EXPECT_EXACTLY(attention.output(input).row(0).array().isNaN().all());
    EXPECT_EXACTLY(!attention.output(input).row(1).array().isNaN().any());
    input.queries(0, 0) = 1;
    input.keys(1, 1) = nan;
    EXPECT_EXACTLY(attention.output(input).array().isNaN().all());
    input.keys(1, 1) = 1;
    input.values(1, 1) = nan;
    EXPECT_EXACTLY(attention.output(input).col(1).array().isNaN().all());
    EXPECT_EXACTLY(!attention.output(input).col(0).array().isNaN().any());
  });
}

}  // namespace sqrtdk::properties::ScaledDotProductAttention
