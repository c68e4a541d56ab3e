#include <sqrtdk/testing/laws/attention_laws.hpp>
#include <sqrtdk/testing/laws/softmax_laws.hpp>

#include "properties/attention/faults.hpp"
#include "properties/attention/fixture.hpp"
#include "properties/support/outcomes.hpp"

namespace sqrtdk::properties::AttentionWeightsAreProbabilities {

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

//! [AttentionWeightsAreProbabilities]
STATEMENT(AttentionWeightsAreProbabilities, RowsAreProbabilitiesOverTheRationals) {
  for_all(
      [&] {
        const RationalCase input = drawn_rational_case(Masks::all);
        const RationalMatrix weights = subject.weights(input);
        for (Index i = 0; i < weights.rows(); ++i) {
          if (sees_nothing(input, i)) continue;
          EXPECT_EXACTLY(weights.row(i).sum() == 1);
          for (Index j = 0; j < weights.cols(); ++j)
            EXPECT_EXACTLY((weights(i, j) > 0) == sees(input, i, j));
        }
      },
      rational_cases);
}
//! [AttentionWeightsAreProbabilities]
KILLS("weights are doubled", {Fault::not_normalized});
KILLS("masked keys keep a weight", {Fault::mask_ignored});
KILLS("softmax over the queries", {Fault::weights_over_queries});

STATEMENT(AttentionWeightsAreProbabilities, OutputsLieBetweenTheValues) {
  for_all(
      [&] {
        RationalCase input = drawn_rational_case(Masks::all);
        const RationalMatrix output = subject.output(input);
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
        const RationalMatrix of_ones = subject.output(input);
        for (Index i = 0; i < output.rows(); ++i)
          EXPECT_EXACTLY(of_ones(i, 0) == Rational(sees_nothing(input, i) ? 0 : 1));
      },
      rational_cases);
}
KILLS("a doubled output", {Fault::not_normalized});
KILLS("a halved output", {Fault::halved});

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

STATEMENT(AttentionWeightsAreProbabilities, QueriesInAnotherOrderHaveOutputsInThatOrder) {
  const auto holds = [&](const RationalCase& input, const std::vector<Index>& order) {
    return subject.output(with_queries_in(order, input)) ==
           rows_in_order(subject.output(input), order);
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
}
KILLS("the first query for all", {Fault::one_query_for_all});
KILLS("the mask of the first query for all", {Fault::mask_of_the_first_query});

//! [AttentionWeightsAreProbabilities: exact check]
STATEMENT(AttentionWeightsAreProbabilities, KeysAndValuesInAnotherOrderChangeNothing) {
  const auto holds = [&](const RationalCase& input, const std::vector<Index>& order) {
    return subject.output(with_keys_in(order, input)) == subject.output(input);
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
}
//! [AttentionWeightsAreProbabilities: exact check]
KILLS("the last key is left out", {Fault::one_key_too_few});
KILLS("each key has the mask of the next one", {Fault::mask_of_the_next_key});

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

ASIDE(AttentionWeightsAreProbabilities, ACausalMaskKnowsTheOrder) {
  RationalCase input = two_by_two(0, 0);
  input.options.causal = CausalAlignment::top_left;
  EXPECT_EXACTLY(subject.output(input) == column_of(0, 2));
  EXPECT_EXACTLY(subject.output(with_keys_in({1, 0}, input)) == column_of(4, 2));
  input = two_by_two(0, 1);
  input.options.causal = CausalAlignment::top_left;
  EXPECT_EXACTLY(subject.output(input) == column_of(0, 3));  // weights 1 : 3
  EXPECT_EXACTLY(subject.output(with_queries_in({1, 0}, input)) == column_of(0, 2));
  enumerated(4);
  counterexample_without("no causal mask");
}
KILLS("causal masks are ignored", {Fault::causal_ignored});

ASIDE(AttentionWeightsAreProbabilities, MasksThatStayChangeTheOutput) {
  // The first query sees the first key, the second query both.
  RationalCase input = two_by_two(0, 0);
  input.options.allowed = Matrix<bool>::Constant(2, 2, true);
  (*input.options.allowed)(0, 1) = false;
  EXPECT_EXACTLY(subject.output(input) == column_of(0, 2));
  RationalCase other = with_keys_in({1, 0}, input);
  EXPECT_EXACTLY(subject.output(other) == column_of(0, 2));
  other.options.allowed = input.options.allowed;
  EXPECT_EXACTLY(subject.output(other) == column_of(4, 2));
  enumerated(3);
  counterexample_without("masks move along");
}
KILLS("masks are ignored", {Fault::mask_ignored});

ASIDE(AttentionWeightsAreProbabilities, KeysAloneInAnotherOrderChangeTheOutput) {
  RationalCase input;
  input.queries = RationalMatrix::Constant(1, 1, Rational(1));
  input.keys.resize(2, 1);
  input.keys << Rational(0), Rational(1);
  input.values.resize(2, 1);
  input.values << Rational(0), Rational(4);
  EXPECT_EXACTLY(subject.output(input)(0) == 3);  // weights 1 : 3
  input.keys << Rational(1), Rational(0);
  EXPECT_EXACTLY(subject.output(input)(0) == 1);
  enumerated(2);
  counterexample_without("keys and values together");
}
KILLS("keys are taken for values", {Fault::keys_for_values});

STATEMENT(AttentionWeightsAreProbabilities, OutputsLieBetweenTheValuesInFloatingPoint) {
  const auto output = [&](const auto& input) { return subject.output(input); };
  for_all([&] { require_law(convexity_law<double>(output, drawn_attention_case<double>())); },
          precise_cases);
  for_all([&] { require_law(convexity_law<float>(output, drawn_attention_case<float>())); },
          precise_cases);
}
KILLS("half of a convex combination", {Fault::halved});

STATEMENT(AttentionWeightsAreProbabilities, RowsSumToOneInFloatingPoint) {
  // One query 1 of one feature, and the numbers themselves as keys: the scores are the keys.
  const auto as_softmax = [&](const std::vector<double>& x, double) {
    AttentionCase<double> input;
    input.queries = Matrix<double>::Ones(1, 1);
    input.keys = Eigen::Map<const Matrix<double>>(x.data(), static_cast<Index>(x.size()), 1);
    const Matrix<double> weights = subject.weights(input);
    return std::vector<double>(weights.data(), weights.data() + weights.size());
  };
  for_all([&] {
    const auto x = *vectors<double>().as("scores");
    require_law(probability_law<double>(as_softmax, x));
  });
}
KILLS("doubled weights in floating point", {Fault::not_normalized});

ASIDE(AttentionWeightsAreProbabilities, AQueryThatSeesNoKeyHasNoProbabilities) {
  RationalCase input;
  input.queries = input.keys = input.values = RationalMatrix::Constant(2, 1, Rational(1));
  input.options.allowed = Matrix<bool>::Constant(2, 2, false);
  EXPECT_EXACTLY(subject.weights(input).sum() == 0);
  enumerated(1);
  counterexample_without("a key to see");
}
KILLS("a query that sees nothing spreads its weight", {Fault::blind_query_averages});

ASIDE(AttentionWeightsAreProbabilities, NumbersThatAreNotFiniteHaveNoAverage) {
  AttentionCase<double> input;
  input.queries = Matrix<double>::Constant(1, 1, std::numeric_limits<double>::quiet_NaN());
  input.keys = Matrix<double>::Constant(2, 1, 1000);
  input.keys(1) = -1000;
  input.values = Matrix<double>::Ones(2, 1);
  EXPECT_EXACTLY(subject.weights(input).array().isNaN().all());
  EXPECT_EXACTLY(std::isnan(subject.output(input)(0)));
  input.queries(0) = 1;
  EXPECT_EXACTLY(Rational(subject.output(input)(0)) == 1);
  input.values.setConstant(std::numeric_limits<double>::infinity());
  EXPECT_EXACTLY(std::isnan(subject.output(input)(0)));
  enumerated(3);
  counterexample_without("finite numbers");
}
KILLS("what is not a number becomes 0", {Fault::nan_becomes_zero});

}  // namespace sqrtdk::properties::AttentionWeightsAreProbabilities
