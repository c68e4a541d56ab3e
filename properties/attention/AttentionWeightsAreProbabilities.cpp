// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/attention_pass.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/testing/generators/attention_cases.hpp>
#include <sqrtdk/testing/generators/floating_point.hpp>
#include <sqrtdk/testing/laws/arrays.hpp>
#include <sqrtdk/testing/laws/attention_case.hpp>
#include <sqrtdk/testing/laws/attention_laws.hpp>
#include <sqrtdk/testing/laws/softmax_laws.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>

#include "properties/attention/faults.hpp"
#include "properties/attention/fixture.hpp"
#include "properties/support/outcomes.hpp"

#include <Eigen/Core>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace sqrtdk::properties::AttentionWeightsAreProbabilities {

using namespace sqrtdk::testing;
using namespace attention_faults;

/// A permutation of 0, …, n − 1.
std::vector<Index> drawn_order(Index n, const char* name) {
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[*rc::gen::inRange<std::size_t>(0, i).as(name)]);
  return order;
}

template <class T>
Matrix<T> rows_in_order(const Matrix<T>& x, const std::vector<Index>& order) {
  return x(order, Eigen::all);
}

template <class T>
Matrix<T> columns_in_order(const Matrix<T>& x, const std::vector<Index>& order) {
  return x(Eigen::all, order);
}

const Mutants attention_weights_are_probabilities_mutants = {
    {"weights are doubled", "RowsAreProbabilitiesOverTheRationals", {Fault::not_normalized}},
    {"masked keys keep a weight", "RowsAreProbabilitiesOverTheRationals", {Fault::mask_ignored}},
    {"softmax over the queries",
     "RowsAreProbabilitiesOverTheRationals",
     {Fault::weights_over_queries}},
    {"a doubled output", "OutputsLieBetweenTheValues", {Fault::not_normalized}},
    {"a halved output", "OutputsLieBetweenTheValues", {Fault::halved}},
    {"the first query for all",
     "QueriesInAnotherOrderHaveOutputsInThatOrder",
     {Fault::one_query_for_all}},
    {"the mask of the first query for all",
     "QueriesInAnotherOrderHaveOutputsInThatOrder",
     {Fault::mask_of_the_first_query}},
    {"the last key is left out",
     "KeysAndValuesInAnotherOrderChangeNothing",
     {Fault::one_key_too_few}},
    {"each key has the mask of the next one",
     "KeysAndValuesInAnotherOrderChangeNothing",
     {Fault::mask_of_the_next_key}},
    {"causal masks are ignored", "ACausalMaskKnowsTheOrder", {Fault::causal_ignored}},
    {"masks are ignored", "MasksThatStayChangeTheOutput", {Fault::mask_ignored}},
    {"keys are taken for values",
     "KeysAloneInAnotherOrderChangeTheOutput",
     {Fault::keys_for_values}},
    {"half of a convex combination", "OutputsLieBetweenTheValuesInFloatingPoint", {Fault::halved}},
    {"doubled weights in floating point", "RowsSumToOneInFloatingPoint", {Fault::not_normalized}},
    {"a query that sees nothing spreads its weight",
     "AQueryThatSeesNoKeyHasNoProbabilities",
     {Fault::blind_query_averages}},
    {"what is not a number becomes 0",
     "NumbersThatAreNotFiniteHaveNoAverage",
     {Fault::nan_becomes_zero}},
};

//! [AttentionWeightsAreProbabilities]
TEST(AttentionWeightsAreProbabilities, RowsAreProbabilitiesOverTheRationals) {
  check_statement(attention_weights_are_probabilities_mutants, [](const Attention& attention) {
    for_all(
        [&] {
          const RationalCase input = drawn_rational_case(Masks::all);
          const RationalMatrix weights = attention.weights(input);
          for (Index i = 0; i < weights.rows(); ++i) {
            if (sees_nothing(input, i)) continue;
            EXPECT_EXACTLY(weights.row(i).sum() == 1);
            for (Index j = 0; j < weights.cols(); ++j)
              EXPECT_EXACTLY((weights(i, j) > 0) == sees(input, i, j));
          }
        },
        rational_cases);
  });
}
//! [AttentionWeightsAreProbabilities]

TEST(AttentionWeightsAreProbabilities, OutputsLieBetweenTheValues) {
  check_statement(attention_weights_are_probabilities_mutants, [](const Attention& attention) {
    for_all(
        [&] {
          RationalCase input = drawn_rational_case(Masks::all);
          const RationalMatrix output = attention.output(input);
          for (Index i = 0; i < output.rows(); ++i) {
            std::vector<Index> seen;
            for (Index j = 0; j < input.keys.rows(); ++j)
              if (sees(input, i, j)) seen.push_back(j);
            if (seen.empty()) continue;
            for (Index c = 0; c < output.cols(); ++c) {
              const RationalMatrix values = input.values(seen, c);
              EXPECT_EXACTLY(values.minCoeff() <= output(i, c));
              EXPECT_EXACTLY(output(i, c) <= values.maxCoeff());
            }
          }
          input.values.setConstant(Rational(1));
          const RationalMatrix of_ones = attention.output(input);
          for (Index i = 0; i < output.rows(); ++i)
            EXPECT_EXACTLY(of_ones(i, 0) == Rational(sees_nothing(input, i) ? 0 : 1));
        },
        rational_cases);
  });
}

/// The case with its queries, and their rows of mask and biases, in another order.
RationalCase with_queries_in(const std::vector<Index>& order, RationalCase input) {
  input.queries = rows_in_order(input.queries, order);
  if (input.options.allowed) input.options.allowed = rows_in_order(*input.options.allowed, order);
  if (input.options.bias) input.options.bias = rows_in_order(*input.options.bias, order);
  return input;
}

/// The case with its keys and values, and their columns of mask and biases, in another order.
RationalCase with_keys_in(const std::vector<Index>& order, RationalCase input) {
  input.keys = rows_in_order(input.keys, order);
  input.values = rows_in_order(input.values, order);
  if (input.options.allowed)
    input.options.allowed = columns_in_order(*input.options.allowed, order);
  if (input.options.bias) input.options.bias = columns_in_order(*input.options.bias, order);
  return input;
}

TEST(AttentionWeightsAreProbabilities, QueriesInAnotherOrderHaveOutputsInThatOrder) {
  check_statement(attention_weights_are_probabilities_mutants, [](const Attention& attention) {
    const auto holds = [&](const RationalCase& input, const std::vector<Index>& order) {
      return attention.output(with_queries_in(order, input)) ==
             rows_in_order(attention.output(input), order);
    };
    EXPECT_EXACTLY(holds(ordinary_cases<Rational>()[0], {1, 0}));
    EXPECT_EXACTLY(holds(ordinary_cases<Rational>()[2], {1, 0}));
    enumerated(2);
    for_all(
        [&] {
          const RationalCase input = drawn_rational_case(Masks::without_order);
          EXPECT_EXACTLY(holds(input, drawn_order(input.queries.rows(), "swap of queries")));
        },
        rational_cases);
  });
}

//! [AttentionWeightsAreProbabilities: exact check]
TEST(AttentionWeightsAreProbabilities, KeysAndValuesInAnotherOrderChangeNothing) {
  check_statement(attention_weights_are_probabilities_mutants, [](const Attention& attention) {
    const auto holds = [&](const RationalCase& input, const std::vector<Index>& order) {
      return attention.output(with_keys_in(order, input)) == attention.output(input);
    };
    EXPECT_EXACTLY(holds(ordinary_cases<Rational>()[0], {2, 0, 1}));
    EXPECT_EXACTLY(holds(ordinary_cases<Rational>()[2], {2, 0, 1}));
    enumerated(2);
    for_all(
        [&] {
          const RationalCase input = drawn_rational_case(Masks::without_order);
          EXPECT_EXACTLY(holds(input, drawn_order(input.keys.rows(), "swap of keys")));
        },
        rational_cases);
  });
}
//! [AttentionWeightsAreProbabilities: exact check]

/// Two queries and two keys of one feature, with values 0 and 4.
RationalCase two_by_two(int first, int second) {
  RationalCase input;
  input.queries.resize(2, 1);
  input.queries << Rational(first), Rational(second);
  input.keys = input.queries;
  input.values.resize(2, 1);
  input.values << Rational(0), Rational(4);
  return input;
}

RationalMatrix column_of(int first, int second) {
  RationalMatrix column(2, 1);
  column << Rational(first), Rational(second);
  return column;
}

TEST(AttentionWeightsAreProbabilities, ACausalMaskKnowsTheOrder) {
  check_with_mutants(attention_weights_are_probabilities_mutants, [](const Attention& attention) {
    RationalCase input = two_by_two(0, 0);
    input.options.causal = CausalAlignment::top_left;
    EXPECT_EXACTLY(attention.output(input) == column_of(0, 2));
    EXPECT_EXACTLY(attention.output(with_keys_in({1, 0}, input)) == column_of(4, 2));
    input = two_by_two(0, 1);
    input.options.causal = CausalAlignment::top_left;
    EXPECT_EXACTLY(attention.output(input) == column_of(0, 3));  // weights 1 : 3
    EXPECT_EXACTLY(attention.output(with_queries_in({1, 0}, input)) == column_of(0, 2));
    enumerated(4);
    counterexample_without("no causal mask");
  });
}

TEST(AttentionWeightsAreProbabilities, MasksThatStayChangeTheOutput) {
  check_with_mutants(attention_weights_are_probabilities_mutants, [](const Attention& attention) {
    // The first query sees the first key, the second query both.
    RationalCase input = two_by_two(0, 0);
    input.options.allowed = Matrix<bool>::Constant(2, 2, true);
    (*input.options.allowed)(0, 1) = false;
    EXPECT_EXACTLY(attention.output(input) == column_of(0, 2));
    RationalCase other = with_keys_in({1, 0}, input);
    EXPECT_EXACTLY(attention.output(other) == column_of(0, 2));
    other.options.allowed = input.options.allowed;
    EXPECT_EXACTLY(attention.output(other) == column_of(4, 2));
    enumerated(3);
    counterexample_without("masks move along");
  });
}

TEST(AttentionWeightsAreProbabilities, KeysAloneInAnotherOrderChangeTheOutput) {
  check_with_mutants(attention_weights_are_probabilities_mutants, [](const Attention& attention) {
    RationalCase input;
    input.queries = RationalMatrix::Constant(1, 1, Rational(1));
    input.keys.resize(2, 1);
    input.keys << Rational(0), Rational(1);
    input.values.resize(2, 1);
    input.values << Rational(0), Rational(4);
    EXPECT_EXACTLY(attention.output(input)(0) == 3);  // weights 1 : 3
    input.keys << Rational(1), Rational(0);
    EXPECT_EXACTLY(attention.output(input)(0) == 1);
    enumerated(2);
    counterexample_without("keys and values together");
  });
}

TEST(AttentionWeightsAreProbabilities, OutputsLieBetweenTheValuesInFloatingPoint) {
  check_statement(attention_weights_are_probabilities_mutants, [](const Attention& attention) {
    const auto output = [&](const auto& input) { return attention.output(input); };
    for_all([&] { require_law(convexity_law<double>(output, drawn_attention_case<double>())); },
            precise_cases);
    for_all([&] { require_law(convexity_law<float>(output, drawn_attention_case<float>())); },
            precise_cases);
  });
}

TEST(AttentionWeightsAreProbabilities, RowsSumToOneInFloatingPoint) {
  check_statement(attention_weights_are_probabilities_mutants, [](const Attention& attention) {
    // One query 1 of one feature, and the numbers themselves as keys: the scores are the keys.
    const auto as_softmax = [&](const std::vector<double>& x, double) {
      AttentionCase<double> input;
      input.queries = Matrix<double>::Ones(1, 1);
      input.keys = Eigen::Map<const Matrix<double>>(x.data(), static_cast<Index>(x.size()), 1);
      const Matrix<double> weights = attention.weights(input);
      return std::vector<double>(weights.data(), weights.data() + weights.size());
    };
    for_all([&] {
      const auto x = *vectors<double>().as("scores");
      require_law(probability_law<double>(as_softmax, x));
    });
  });
}

TEST(AttentionWeightsAreProbabilities, AQueryThatSeesNoKeyHasNoProbabilities) {
  check_with_mutants(attention_weights_are_probabilities_mutants, [](const Attention& attention) {
    RationalCase input;
    input.queries = input.keys = input.values = RationalMatrix::Constant(2, 1, Rational(1));
    input.options.allowed = Matrix<bool>::Constant(2, 2, false);
    EXPECT_EXACTLY(attention.weights(input).sum() == 0);
    enumerated(1);
    counterexample_without("a key to see");
  });
}

TEST(AttentionWeightsAreProbabilities, NumbersThatAreNotFiniteHaveNoAverage) {
  check_with_mutants(attention_weights_are_probabilities_mutants, [](const Attention& attention) {
    AttentionCase<double> input;
    input.queries = Matrix<double>::Constant(1, 1, std::numeric_limits<double>::quiet_NaN());
    input.keys = Matrix<double>::Constant(2, 1, 1000);
    input.keys(1) = -1000;
    input.values = Matrix<double>::Ones(2, 1);
    EXPECT_EXACTLY(attention.weights(input).array().isNaN().all());
    EXPECT_EXACTLY(std::isnan(attention.output(input)(0)));
    // Weights of 1 and 0, which is e^(-2000) as a double.
    input.queries(0) = 1;
    EXPECT_EXACTLY(Rational(attention.output(input)(0)) == 1);
    input.values.setConstant(std::numeric_limits<double>::infinity());
    EXPECT_EXACTLY(std::isnan(attention.output(input)(0)));
    enumerated(3);
    counterexample_without("finite numbers");
  });
}

}  // namespace sqrtdk::properties::AttentionWeightsAreProbabilities
