// SPDX-License-Identifier: BSL-1.0
/// \file
/// \brief The cases of softmax: the least inputs on which a bug cannot hide.
#include "cases.hpp"

#include <cstddef>
#include <functional>
#include <iterator>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

namespace sqrtdk::vectors {

namespace {

/// n scores by their places.
std::vector<double> scores(std::size_t n, const std::function<double(std::size_t)>& score) {
  std::vector<double> x;
  for (std::size_t j = 0; j < n; ++j) x.push_back(score(j));
  return x;
}

/// Equal scores but for one.
std::vector<double> all_but(std::size_t n, double score, std::size_t place, double other) {
  return scores(n, [=](std::size_t j) { return j == place ? other : score; });
}

constexpr double none = -std::numeric_limits<double>::infinity();

/// A case, with the names of bugs in one line.
Case<SoftmaxInput> test(const char* id, const char* comment, const char* claim, const char* bugs,
                        const std::vector<double>& x, double temperature) {
  std::istringstream names(bugs);
  return {id, comment, claim, {std::istream_iterator<std::string>(names), {}}, {x, temperature}};
}

}  // namespace

std::vector<Case<SoftmaxInput>> cases_of(const SoftmaxInput&) {
  return {
      test("one-score", "A single score has the weight 1.", "SoftmaxIsAProbability",
           "sum-without-tail sum-without-last epsilon-in-denominator", {3}, 1),
      test("two-equal", "Equal scores share the weight.", "SoftmaxIsAProbability",
           "wrong-axis not-divided-by-sum", {0, 0}, 1),
      test("two-apart", "A score that is 1 higher has e times the weight.", "SoftmaxError",
           "base-two not-divided-by-sum half-weights", {0, 1}, 1),
      test("large", "The exponentials of these scores overflow.", "SoftmaxShiftInvariance",
           "no-maximum", {800, 799}, 1),
      test("large-apart", "One exponential overflows, one is 1, one is 0.",
           "SoftmaxShiftInvariance", "no-maximum maximum-as-factor nan-made-plausible",
           {800, 0, -800}, 1),
      test("all-negative", "The greatest score is far below 0.", "SoftmaxShiftInvariance",
           "maximum-from-zero maximum-from-least-normal nan-made-plausible", {-800, -801}, 1),
      test("all-negative-even", "Every exponential without a shift is 0.", "SoftmaxShiftInvariance",
           "maximum-from-zero padding-counted", {-1024, -1024, -1024}, 1),
      test("first-greatest", "The greatest score stands first.", "SoftmaxShiftInvariance",
           "maximum-skips-first", {800, 0, 0}, 1),
      test("tail-greatest", "The greatest score is what eight lanes leave over.",
           "SoftmaxShiftInvariance", "maximum-without-tail maximum-of-first-block",
           all_but(9, 0, 8, 800), 1),
      test("second-block-greatest", "The greatest score is in the second block of eight.",
           "SoftmaxShiftInvariance", "maximum-of-first-block", all_but(16, 0, 12, 800), 1),
      test("tail-of-nine", "One score is left over by eight lanes.", "SoftmaxError",
           "sum-without-tail sum-without-last", all_but(9, 0, 8, 1), 1),
      test("shorter-than-eight", "All scores are left over by eight lanes.", "SoftmaxError",
           "sum-without-tail",
           scores(7, [](std::size_t j) { return 0.5 * static_cast<double>(j); }), 1),
      test("tail-of-33", "One score is left over by 32 lanes.", "SoftmaxError",
           "sum-without-tail-of-32 maximum-of-first-32", all_but(33, 0, 32, 800), 1),
      test("last-of-65", "One score is left over by blocks of 64.", "SoftmaxError",
           "last-lost-beyond-64 maximum-of-first-32 sum-without-tail-of-32",
           all_but(65, 0, 64, 800), 1),
      test("padding", "Zeros that fill up a vector would have nearly all weight.", "SoftmaxError",
           "padding-counted", all_but(9, -5, 0, -4), 1),
      test("small-add-up", "Eight weights are each less than the sum of a narrow format can take.",
           "SoftmaxError", "low-precision-sum", all_but(9, -6.25, 0, 0), 1),
      test("deep", "A weight of e^(-40) is small, and not 0.", "SoftmaxError",
           "exponent-clamped half-weights", {0, -40}, 1),
      test("deeper-than-single", "A weight of e^(-200) is 0 in single precision, and not e^(-87).",
           "SoftmaxError", "exponent-clamped-at-range exponent-clamped", {0, -200}, 1),
      test("moderate", "A fast exponential is wrong at -10.", "ExponentialAccuracy",
           "crude-exponential", {0, -10}, 1),
      test("subnormal", "One weight is subnormal in single precision, another in double.",
           "SoftmaxError", "subnormals-flushed", {0, -95, -720}, 1),
      test("wide-range", "The difference of the scores overflows single precision.", "SoftmaxError",
           "no-maximum maximum-as-factor", {0x1p127, -0x1p127}, 1),
      test("far-from-zero", "The scores differ only beyond half precision.",
           "SoftmaxShiftInvariance", "half-scores", {1000.0625, 1000, 999.9375}, 1),
      test("masked-key", "A score of minus infinity has the weight 0.", "SoftmaxError",
           "base-two wrong-axis", {1, none, 2}, 1),
      test("masked-block", "A whole block of two is masked.", "OnePassError", "masked-block-is-nan",
           {none, none, 0, 1}, 1),
      test("low-and-masked", "The scores are below what some take for minus infinity.",
           "SoftmaxError", "finite-sentinel", {-20480, none, -20480}, 1),
      test("ascending", "Each score is a new maximum.", "OnePassError",
           "sum-not-rescaled sum-rescaled-inversely", {0, 1, 2, 3}, 1),
      test("late-maximum", "The last score is far above the others.", "OnePassError",
           "sum-not-rescaled", {0, 0, 0, 0, 8}, 1),
      test("temperature-two", "Scores are divided by the temperature, once.", "TemperatureSharpens",
           "temperature-ignored temperature-twice temperature-multiplied", {1, 2, 3}, 2),
      test("temperature-three", "The temperature is no power of two.", "SoftmaxError",
           "temperature-ignored temperature-twice", {0, 1, -2}, 3),
      test("temperature-four-large", "The maximum is divided by the temperature, too.",
           "SoftmaxShiftInvariance", "maximum-not-divided", {3072, 3068}, 4),
      test("temperature-low", "The temperature is below a hundredth.", "TemperatureSharpens",
           "temperature-clamped", {0, 0x1p-10}, 0x1p-10),
      test("adversary",
           "Found by a search: here a right kernel in float32 comes nearest to its bound.",
           "SoftmaxError", "short-constant half-scores", {0x1.fff58ap+5, -0x1.4p-4}, 1),
      test("adversary-temperature", "Found by a search in the same way, at a temperature of 3.",
           "SoftmaxError", "short-constant temperature-twice", {0x1.119236p+8, 0x1.11923p+4}, 3),
      test("adversary-powers", "Found by a search in the same way, for powers of two.",
           "SoftmaxError", "short-constant base-two", {-0x1.c8ff5ep+6, -0x1.91f252p+5}, 1),
      test("temperature-high", "A high temperature makes weights nearly equal.",
           "TemperatureSharpens", "temperature-ignored temperature-multiplied", {0, 1024}, 1024)};
}
}  // namespace sqrtdk::vectors
