#include <sqrtdk/attention/operations.hpp>
#include <sqrtdk/testing/substitute.hpp>

#include "exercises/attention/matrices.hpp"
#include "exercises/exercise.hpp"
#include "properties/attention/ValuesAreNeverBlocked_subject.hpp"
#include "properties/attention/faults.hpp"
#include "properties/attention/fixture.hpp"

namespace sqrtdk::exercises {

using namespace sqrtdk::properties;
using namespace sqrtdk::testing;

// ------------------------------------------------------------------------------ A body removed

const Judged gradient_of_a_layer(
    "GradientOfALayer",
    "ValuesAreNeverBlocked.AResidualKeepsTheGradient:"
    "ValuesAreNeverBlocked.ANormBehindTheSumCanBlockIt",
    [] {
      ValuesAreNeverBlocked::Subject student;
      student.residual = [](const RationalMatrix& inputs, const Projections<Rational>& projections,
                            const RationalMatrix& gradient, const RationalMatrix& weights) {
        const Rows answer =
            ask<Rows>("input_gradient", rows_of(inputs), rows_of(projections.queries),
                      rows_of(projections.keys), rows_of(projections.values), rows_of(weights),
                      rows_of(gradient));
        const RationalMatrix matrix = matrix_of(answer, "the rows that input_gradient returned");
        if (matrix.rows() != inputs.rows() || matrix.cols() != inputs.cols())
          throw std::runtime_error("input_gradient returned " + shape_of(matrix) + ", but X has " +
                                   shape_of(inputs));
        return matrix;
      };
      substitute<ValuesAreNeverBlocked::Subject>().implementation = student;
    });

// ----------------------------------------------------------------------------- Write the check

/// The case that a student's law asks for, with scores that are not scaled.
RationalCase case_of(const Rows& queries, const Rows& keys, const Rows& values, const Rows& sees) {
  RationalCase input{matrix_of(queries, "the queries"),
                     matrix_of(keys, "the keys"),
                     matrix_of(values, "the values"),
                     {},
                     {}};
  const RationalMatrix seen = matrix_of(sees, "the rows of sees");
  input.options.scale = 1;
  input.options.allowed = seen.unaryExpr([](const Rational& x) { return x != 0; });
  return input;
}

std::vector<int> drawn_order(int n, const char* name) {
  const auto ranks =
      rc::gen::container<std::vector<int>>(static_cast<std::size_t>(n), rc::gen::inRange(0, 1000));
  return *rc::gen::map(ranks, [](const std::vector<int>& rank) {
            std::vector<int> order(rank.size());
            std::iota(order.begin(), order.end(), 0);
            std::stable_sort(order.begin(), order.end(), [&](int i, int j) {
              return rank[std::size_t(i)] < rank[std::size_t(j)];
            });
            return order;
          }).as(name);
}

const Judged keys_in_any_order(
    "KeysInAnyOrder", "AttentionWeightsAreProbabilities.KeysAndValuesInAnotherOrderChangeNothing",
    [] {
      substitute<attention_faults::Subject>().check = [](const attention_faults::Subject& by) {
        for_law([&] {
          const int n = *rc::gen::inRange(1, 3).as("the number of queries");
          const int m = *rc::gen::inRange(2, 5).as("the number of keys");
          const Rows queries = rows_of(drawn_rationals(n, 1, "queries"));
          const Rows keys = rows_of(drawn_rationals(m, 1, "keys"));
          const Rows values = rows_of(drawn_rationals(m, 1, "values"));
          std::vector<std::vector<int>> sees(static_cast<std::size_t>(n));
          for (auto& row : sees)
            row = *rc::gen::container<std::vector<int>>(keys.size(), rc::gen::inRange(0, 2))
                       .as("which keys a query sees");
          const std::vector<int> order = drawn_order(m, "order of the keys");
          const auto law = [&](const attention_faults::Subject& judged) {
            const std::function<Rows(const Rows&, const Rows&, const Rows&, const Rows&)> attend =
                [&](const Rows& q, const Rows& k, const Rows& v, const Rows& s) {
                  return rows_of(judged.output(case_of(q, k, v, s)));
                };
            return ask<bool>("keeps_key_order_law", attend, queries, keys, values, sees, order);
          };
          EXPECT_EXACTLY(says_yes(law, by)) << "your law says no here, of a function that is right";
        });
      };
    });

// --------------------------------------------------------------------------- Drop a hypothesis

const Judged bits_of_a_fold("BitsOfAFold", "BitsOfAFold.*");

TEST(BitsOfAFold, DifferIfTheRootIsNoPowerOfTwo) {
  for_all([&] {
    const auto is_kept = [](int d) { return d != 4 && d != 16 && d != 64; };
    const int d = *rc::gen::suchThat(rc::gen::inRange(2, 201), is_kept).as("the dimension");
    const auto answer = ask<std::vector<double>>("query_and_key", d);
    EXPECT_EXACTLY(answer.size() == 2U) << "two numbers are wanted, not " << answer.size();
    for (const double x : answer) {
      const bool is_moderate = std::abs(x) >= 1e-100 && std::abs(x) <= 1e100;
      EXPECT_EXACTLY(is_moderate) << "a hypothesis that you keep does not hold: the size of "
                                  << format_shortest(x) << " is not from 1e-100 to 1e100";
    }
    Matrix<double> query = Matrix<double>::Zero(1, d), key = Matrix<double>::Zero(1, d);
    query(0) = answer[0];
    key(0) = answer[1];
    const double folded = attention_scores(fold_scale(query), key, 1.0)(0);
    const bool is_counterexample = bits_of(folded) != bits_of(attention_scores(query, key)(0));
    const std::string q = format_shortest(answer[0]), k = format_shortest(answer[1]);
    EXPECT_EXACTLY(is_counterexample)
        << "this is no counterexample: (" << q << " / √" << d << ") · " << k << " and (" << q
        << " · " << k << ") / √" << d << " are the same, " << format_shortest(folded);
  });
}

// -------------------------------------------------------------------------------------- By hand

const Judged where_to_divide("WhereToDivide", "WhereToDivide.*");

TEST(WhereToDivide, IsTheLeastPart) {
  for_all([&] {
    const auto m = *rc::gen::inRange<std::uint64_t>(1, 5000).as("the keys");
    const auto d = *rc::gen::inRange<std::uint64_t>(1, 300).as("the features");
    const auto part = ask<Rational>("part_of_the_root", m, d);
    const OperationCounts at_scores = score_operations(1, m, d, ScalePlace::scores);
    const OperationCounts folded = score_operations(1, m, d, ScalePlace::queries);
    const Rational divisions = part * (Rational(at_scores.multiplications) + at_scores.additions);
    const bool fold = folded.divisions < at_scores.divisions;
    const std::uint64_t least = std::min(folded.divisions, at_scores.divisions);
    const bool is_least = part == std::min(scaling_share(m, d, ScalePlace::scores),
                                           scaling_share(m, d, ScalePlace::queries));
    EXPECT_EXACTLY(is_least) << "the scores of one query take "
                             << counted(at_scores.multiplications, "multiplication") << " and "
                             << counted(at_scores.additions, "addition") << ". Your part of these, "
                             << part << ", means " << counted(divisions, "division")
                             << ". The fewest that do are " << least << ": one for each of its "
                             << (fold ? "features" : "scores");
  });
}

}  // namespace sqrtdk::exercises
