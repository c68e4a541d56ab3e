// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/numbers/exp_interval.hpp>
#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/score.hpp>
#include <sqrtdk/testing/generators/rational_distributions.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>
#include <sqrtdk/testing/reporting/expect_refusal.hpp>
#include <sqrtdk/variants_norm.hpp>

#include "properties/support/rational_distributions.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <vector>

namespace sqrtdk::properties::QueryKeyNorm {

using namespace sqrtdk::testing;

using Vector = std::vector<Rational>;

/// Scores of normalized queries and keys, and how far they reach.
struct Normed {
  Rational (*score)(const Vector&, const Vector&, const Vector&,
                    unsigned) = sqrtdk::squared_normed_score;
  Rational (*limit)(const Vector&, unsigned) = sqrtdk::squared_score_limit;
  Integer (*keys)(const Rational&) = sqrtdk::most_keys_for_half;
};

const std::vector<Mutant<Normed>> query_key_norm_mutants = {
    {"gains do not count",
     "NoScoreIsBeyondTheLimit",
     {.limit = [](const Vector& gains,
                  unsigned heads) { return squared_score_limit(Vector(gains.size(), 1), heads); }}},
    {"the limit of one head for all",
     "NoScoreIsBeyondTheLimit",
     {.limit = [](const Vector& gains, unsigned) { return squared_score_limit(gains, 1); }}},
    {"the limit is that of vectors of length 1",
     "NoScoreIsBeyondTheLimit",
     {.limit = [](const Vector& gains, unsigned heads) -> Rational {
       return squared_score_limit(gains, heads) / (gains.size() * gains.size());
     }}},
    {"vectors of length 1 are divided by the root",
     "IndependentDirectionsHaveTheMeanSquareOne",
     {.score = [](const Vector& q, const Vector& k, const Vector& gains,
                  unsigned heads) -> Rational {
       const std::size_t d = gains.size();
       return squared_normed_score(q, k, gains, heads) / (d * d);
     }}},
    {"vectors of length 1 are not multiplied",
     "IndependentDirectionsHaveTheMeanSquareOne",
     {.score = [](const Vector& q, const Vector& k, const Vector& gains, unsigned heads)
          -> Rational { return squared_normed_score(q, k, gains, heads) / gains.size(); }}},
    {"the range is R and not 2R",
     "TheWorkedCases",
     {.keys = [](const Rational& limit) { return most_keys_for_half(limit / 2); }}},
    {"the key itself is not counted",
     "TheWorkedCases",
     {.keys = [](const Rational& limit) -> Integer { return most_keys_for_half(limit) - 1; }}},
    {"without a factor no key has a lead",
     "TheWorkedCases",
     {.keys = [](const Rational& limit) -> Integer {
       return limit <= 1 ? Integer(2) : most_keys_for_half(limit);
     }}},
    {"the variance in place of the mean square",
     "AMeanSquareIsNoVariance",
     {.score = [](const Vector& q, const Vector& k, const Vector& gains, unsigned heads)
          -> Rational { return squared_normed_score(q, k, gains, heads) - 1; }}},
    {"a query is taken for its direction",
     "AlignedDirectionsHaveMore",
     {.score =
          [](const Vector& q, const Vector& k, const Vector& gains, unsigned heads) {
            return q == k ? Rational(1) : squared_normed_score(q, k, gains, heads);
          }}},
    {"a query of zeros has the score 0",
     "RefusesWhatHasNoDirection",
     {.score =
          [](const Vector& q, const Vector& k, const Vector& gains, unsigned heads) {
            return q == Vector(q.size(), 0) ? Rational(0)
                                            : squared_normed_score(q, k, gains, heads);
          }}},
};

Vector drawn_vector(std::size_t size, const char* name) {
  Vector x;
  for (std::size_t i = 0; i < size; ++i) x.push_back(*any_rational().as(name));
  return x;
}

Vector drawn_direction(std::size_t size, const char* name) {
  Vector x = drawn_vector(size - 1, name);
  x.push_back(*nonzero_rational().as(name));
  return x;
}

//! [QueryKeyNorm]
TEST(QueryKeyNorm, NoScoreIsBeyondTheLimit) {
  check_statement(query_key_norm_mutants, [](const Normed& normed) {
    for_all([&] {
      const auto d = *rc::gen::inRange<std::size_t>(1, 5).as("d");
      const auto heads = *rc::gen::inRange(1U, 4U).as("heads");
      const Vector gains = drawn_direction(d, "a gain");
      const Vector q = drawn_direction(heads * d, "q"), k = drawn_direction(heads * d, "k");
      EXPECT_EXACTLY(normed.score(q, k, gains, heads) <= normed.limit(gains, heads));
      // It is reached by what is all in the entry of the largest gain.
      Vector reached(heads * d, 0);
      const auto largest = std::max_element(
          gains.begin(), gains.end(), [](const auto& a, const auto& b) { return abs(a) < abs(b); });
      reached[static_cast<std::size_t>(largest - gains.begin())] = q.back();
      EXPECT_EXACTLY(normed.score(reached, reached, gains, heads) == normed.limit(gains, heads));
    });
  });
}

TEST(QueryKeyNorm, IndependentDirectionsHaveTheMeanSquareOne) {
  check_statement(query_key_norm_mutants, [](const Normed& normed) {
    for_all(
        [&] {
          const auto d = *rc::gen::inRange<std::size_t>(2, 6).as("d");
          const Vector q = drawn_direction(d, "q");
          const Vector none(d, 1);
          // Over the corners of a cube, and over the axes: both have the second moments of a sphere.
          Rational corners = 0, axes = 0, sum = 0;
          for (std::size_t signs = 0; signs < std::size_t{1} << d; ++signs) {
            Vector k;
            for (std::size_t i = 0; i < d; ++i) k.push_back(((signs >> i) & 1U) != 0U ? 1 : -1);
            corners += normed.score(q, k, none, 1) / (std::size_t{1} << d);
            sum += dot_product(q, k);
          }
          for (std::size_t i = 0; i < d; ++i)
            for (const int sign : {1, -1}) {
              Vector k(d, 0);
              k[i] = sign;
              axes += normed.score(q, k, none, 1) / (2 * d);
              sum += dot_product(q, k);
            }
          EXPECT_EXACTLY((corners == 1 && axes == 1));
          EXPECT_EXACTLY(sum == 0);  // the directions have the mean 0, so that 1 is the variance
        },
        60);
  });
}
//! [QueryKeyNorm]

//! [QueryKeyNorm: exact check]
TEST(QueryKeyNorm, TheWorkedCases) {
  check_statement(query_key_norm_mutants, [](const Normed& normed) {
    const Vector ones(4, 1), opposite(4, -1);
    EXPECT_EXACTLY(normed.score(ones, ones, ones, 1) == 4);  // s = ±2
    EXPECT_EXACTLY(normed.score(ones, opposite, ones, 1) == normed.limit(ones, 1));
    EXPECT_EXACTLY(normed.keys(8) == 8886111);  // 64 features
    EXPECT_EXACTLY(normed.keys(1) == 8);  // unit vectors that nobody multiplies: among seven others
    EXPECT_EXACTLY(normed.keys(0) == 2);
    // 40 heads of 128 features that are normalized together: the root of 128 becomes 40 of it.
    EXPECT_EXACTLY(normed.limit(Vector(128, 1), 40) == 204800);
    enumerated(6);
    const double bound = 1 / (1 + std::exp(-4.0));
    record_value("largest_weight_of_two", format_fixed(bound, 3));
    record_value("of_forty_heads", format_fixed(std::sqrt(204800.0), 1));
    record_value("of_one_head", format_fixed(std::sqrt(128.0), 1));
  });
}

TEST(QueryKeyNorm, AMeanSquareIsNoVariance) {
  check_with_mutants(query_key_norm_mutants, [](const Normed& normed) {
    // Each axis with its positive sign: the second moments of a sphere, and not its mean.
    for (std::size_t i = 0; i < 4; ++i) {
      Vector k(4, 0);
      k[i] = 2;
      EXPECT_EXACTLY(normed.score({1, 1, 1, 1}, k, {1, 1, 1, 1}, 1) == 1);
      EXPECT_EXACTLY(dot_product({1, 1, 1, 1}, k) / 2 == 1);  // s itself, and its mean
    }
    enumerated(8);
  });
}
//! [QueryKeyNorm: exact check]

TEST(QueryKeyNorm, AlignedDirectionsHaveMore) {
  check_with_mutants(query_key_norm_mutants, [](const Normed& normed) {
    counterexample_without("independent directions");
    const Vector q = {1, 2, 2, 0};
    EXPECT_EXACTLY(normed.score(q, q, Vector(4, 1), 1) == 4);
    enumerated(1);
  });
}

TEST(QueryKeyNorm, RefusesWhatHasNoDirection) {
  check_with_mutants(query_key_norm_mutants, [](const Normed& normed) {
    counterexample_without("nonzero vectors");
    expect_refusal<std::domain_error>([&] { return normed.score({0, 0}, {1, 0}, {1, 1}, 1); });
    expect_refusal<std::domain_error>([&] { return normed.score({1, 0}, {0, 0}, {1, 1}, 1); });
    expect_refusal<std::domain_error>([&] { return normed.score({1}, {1}, {1}, 0); });
    expect_refusal<std::invalid_argument>(
        [&] {
          return normed.score({1, 2, 3}, {1, 2, 3}, {1}, 2);
        },
        "2 heads of 1 features have neither 3 nor 3 entries");
    expect_refusal<std::domain_error>([&] { return normed.limit({}, 1); });
    expect_refusal<std::domain_error>([&] { return normed.keys(-1); });
    expect_refusal<std::domain_error>([&] { return normed.keys(51); });
  });
}

}  // namespace sqrtdk::properties::QueryKeyNorm
