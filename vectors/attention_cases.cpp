// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief The cases of attention: the least inputs on which a bug cannot hide.
#include <sqrtdk/attention_pass.hpp>

#include "cases.hpp"

#include <Eigen/Core>

#include <initializer_list>
#include <iterator>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

namespace sqrtdk::vectors {

namespace {

constexpr double none = -std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

using Rows = std::initializer_list<std::initializer_list<double>>;
using Options = AttentionOptions<double>;

Eigen::MatrixXd matrix(Rows rows) { return Eigen::MatrixXd(rows); }

/// 1 where a query sees a key.
Options::Permissions seen(Rows rows) { return matrix(rows).array() > 0; }

AttentionInput asked(Rows queries, Rows keys, Rows values, const Options& options = {}) {
  return {matrix(queries), matrix(keys), matrix(values), options};
}

/// Key j has the score j/8 and the value j.
AttentionInput of_65_keys() {
  AttentionInput input = asked({{1}}, {}, {});
  input.values = Eigen::VectorXd::LinSpaced(65, 0, 64);
  input.keys = input.values / 8;
  return input;
}

/// A case, with the names of bugs in one line.
Case<AttentionInput> test(const char* id, const char* comment, const char* claim, const char* bugs,
                          const AttentionInput& input) {
  std::istringstream names(bugs);
  return {id, comment, claim, {std::istream_iterator<std::string>(names), {}}, input};
}

}  // namespace

std::vector<Case<AttentionInput>> cases_of(const AttentionInput&) {
  return {
      test("scale-of-four", "Scores are divided by the root of the width, 2.", "ScoreRounding",
           "scale-missing scale-without-root scale-inverted scale-twice scale-by-width",
           asked({{1, 1, 1, 1}}, {{1, 1, 1, 1}, {0, 0, 0, 0}}, {{1}, {0}})),
      test("scale-of-two", "The root of the width is not rational, and is not that of the values.",
           "ScoreRounding", "scale-missing scale-by-values scale-by-width",
           asked({{1, 2}}, {{2, 1}, {1, -1}}, {{1, 0, 2}, {0, 1, -1}})),
      test("scale-given", "A scale that is given takes the place of the root.", "ScoreRounding",
           "scale-ignored scale-twice",
           asked({{1, 1}}, {{2, 2}, {0, 0}}, {{1}, {0}}, {.scale = 0.5})),
      test("scale-negative", "A negative scale turns the order of the scores.", "ScoreRounding",
           "scale-ignored scale-twice half-weights",
           asked({{2}}, {{1}, {0}}, {{3}, {1}}, {.scale = -1})),
      test("scale-zero", "A scale of 0 is given: all scores are equal.", "ScoreRounding",
           "scale-zero-is-default", asked({{2}}, {{1}, {0}}, {{3}, {1}}, {.scale = 0})),
      test("small-weight-huge-value",
           "A weight is subnormal in single precision, and its value huge.", "AttentionErrorBounds",
           "weights-flushed half-weights", asked({{1}}, {{0}, {-95}}, {{0}, {0x1p120}})),
      test("two-queries", "Each query has its own sum, over keys.", "AttentionErrorBounds",
           "wrong-axis sum-of-another-row", asked({{1}, {3}}, {{1}, {0}, {-1}}, {{1}, {2}, {4}})),
      test("skewed-keys", "Keys are not a symmetric matrix.", "AttentionErrorBounds",
           "keys-transposed", asked({{1, 0}}, {{1, 3}, {2, 0}}, {{1}, {0}}, {.scale = 1})),
      test("skewed-values", "Values are not a symmetric matrix.", "AttentionErrorBounds",
           "values-transposed", asked({{1}}, {{1}, {0}}, {{1, 2}, {4, 8}})),
      test("last-key", "The last of five keys has nearly all weight.", "AttentionErrorBounds",
           "last-key-lost", asked({{1}}, {{0}, {0}, {0}, {0}, {8}}, {{1}, {1}, {1}, {1}, {2}})),
      test("negative-scores", "Three keys have scores far below 0.", "AttentionErrorBounds",
           "padding-counted sink-undeclared", asked({{1}}, {{-9}, {-8}, {-9}}, {{1}, {2}, {3}})),
      test("one-key", "The only key has the weight 1.", "AttentionWeightsAreProbabilities",
           "sink-undeclared", asked({{2}}, {{1}}, {{5, -3}})),
      test("fine-weights", "Weights have more digits than half precision.", "AttentionErrorBounds",
           "half-weights low-precision-output", asked({{1}}, {{1}, {0}, {0}}, {{1}, {0}, {3}})),
      test("large-scores", "The exponentials of these scores overflow.", "SoftmaxShiftInvariance",
           "no-maximum", asked({{30}}, {{30}, {29.5}}, {{1}, {2}})),
      test("beyond-half", "A product is beyond half precision before it is scaled.",
           "ScoreRounding", "scores-overflow-half",
           asked({{300}}, {{300}, {299}}, {{1}, {2}}, {.scale = 0x1p-10})),
      test("causal-square", "Query i sees the keys up to i.", "ScaledDotProductAttention",
           "causal-off-by-one causal-ignored",
           asked({{1}, {1}, {1}}, {{0}, {1}, {2}}, {{1}, {2}, {4}},
                 {.causal = CausalAlignment::top_left})),
      test("causal-top-left", "Two queries, four keys: the first query sees the first key.",
           "ScaledDotProductAttention", "causal-bottom-right causal-ignored",
           asked({{1}, {1}}, {{0}, {1}, {2}, {3}}, {{1}, {2}, {4}, {8}},
                 {.causal = CausalAlignment::top_left})),
      test("causal-bottom-right", "Two queries, four keys: the last query sees all keys.",
           "ScaledDotProductAttention", "causal-top-left causal-off-by-one",
           asked({{1}, {1}}, {{0}, {1}, {2}, {3}}, {{1}, {2}, {4}, {8}},
                 {.causal = CausalAlignment::bottom_right})),
      test("mask", "The second key is masked.", "ScaledDotProductAttention",
           "mask-inverted mask-ignored mask-after-softmax",
           asked({{1}}, {{0}, {3}, {1}}, {{1}, {2}, {4}}, {.allowed = seen({{1, 0, 1}})})),
      test("low-scores-masked", "Scores are below what some take for minus infinity.",
           "ScaledDotProductAttention", "finite-sentinel mask-ignored",
           asked({{1}}, {{-100}, {0}, {-101}}, {{1}, {64}, {2}}, {.allowed = seen({{1, 0, 1}})})),
      test("bias", "A bias is added after the scale.", "ScoreRounding", "bias-scaled bias-ignored",
           asked({{1, 1, 1, 1}}, {{1, 0, 0, 0}, {0, 0, 0, 0}}, {{1}, {0}},
                 {.bias = matrix({{0, 2}})})),
      test("bias-masks", "A bias of minus infinity masks a key.", "ScaledDotProductAttention",
           "bias-ignored mask-after-softmax",
           asked({{1}}, {{0}, {3}, {1}}, {{1}, {2}, {4}}, {.bias = matrix({{0, none, 1}})})),
      test("first-block-masked", "The first block of two keys is masked.", "OnePassError",
           "masked-block-is-nan",
           asked({{1}}, {{5}, {5}, {0}, {1}}, {{8}, {8}, {1}, {2}},
                 {.allowed = seen({{0, 0, 1, 1}})})),
      test("greater-block", "The second block of two keys has the greater scores.", "OnePassError",
           "output-not-rescaled last-key-lost",
           asked({{1}}, {{0}, {1}, {2}, {3}}, {{8}, {4}, {2}, {1}})),
      test("keys-of-65", "65 keys with rising scores, of which the last counts most.",
           "OnePassError", "last-lost-beyond-64 not-rescaled-in-blocks-of-32 last-key-lost",
           of_65_keys()),
      test("convention-no-key", "By convention, a query that sees no key has the output 0.",
           "ScaledDotProductAttention", "empty-row-is-nan empty-row-is-mean",
           asked({{1}, {1}}, {{0}, {1}}, {{1}, {2}}, {.allowed = seen({{0, 0}, {1, 1}})})),
      test("convention-masked-nan", "By convention, what no query sees is not looked at, even NaN.",
           "ScaledDotProductAttention", "masked-value-contaminates",
           asked({{1}}, {{0}, {nan}, {1}}, {{1}, {nan}, {4}}, {.allowed = seen({{1, 0, 1}})}))};
}
}  // namespace sqrtdk::vectors
