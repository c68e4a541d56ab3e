#include <sqrtdk/numbers/exp_interval.hpp>
#include <sqrtdk/score.hpp>
#include <sqrtdk/variants/norm.hpp>

#include "properties/support/rational_distributions.hpp"
#include "properties/variants/fixture.hpp"

#include <boost/multiprecision/cpp_bin_float.hpp>

namespace sqrtdk::properties::QueryKeyNorm {

using Vector = std::vector<Rational>;

struct Subject {
  Rational (*score)(const Vector&, const Vector&, const Vector&,
                    unsigned) = sqrtdk::squared_normed_score;
  Rational (*limit)(const Vector&, unsigned) = sqrtdk::squared_score_limit;
  Integer (*keys)(const Rational&) = sqrtdk::most_keys_for_half;
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
STATEMENT(QueryKeyNorm, NoScoreIsBeyondTheLimit) {
  for_all([&] {
    const auto d = *rc::gen::inRange<std::size_t>(1, 5).as("d");
    const auto heads = *rc::gen::inRange(1U, 4U).as("heads");
    const Vector gains = drawn_direction(d, "a gain");
    const Vector q = drawn_direction(heads * d, "q"), k = drawn_direction(heads * d, "k");
    EXPECT_EXACTLY(subject.score(q, k, gains, heads) <= subject.limit(gains, heads));
    // It is reached by what is all in the entry of the largest gain.
    Vector reached(heads * d, 0);
    const auto largest = std::max_element(
        gains.begin(), gains.end(), [](const auto& a, const auto& b) { return abs(a) < abs(b); });
    reached[static_cast<std::size_t>(largest - gains.begin())] = q.back();
    EXPECT_EXACTLY(subject.score(reached, reached, gains, heads) == subject.limit(gains, heads));
  });
}
KILLS("gains do not count", {.limit = [](auto& gains, unsigned heads) {
        return squared_score_limit(Vector(gains.size(), 1), heads);
      }});
KILLS("the limit of one head for all",
      {.limit = [](auto& gains, unsigned) { return squared_score_limit(gains, 1); }});
KILLS("the limit is that of vectors of length 1", {.limit = [](auto& gains, unsigned heads) {
        return squared_score_limit(gains, heads) / (gains.size() * gains.size());
      }});

STATEMENT(QueryKeyNorm, IndependentDirectionsHaveTheMeanSquareOne) {
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
          corners += subject.score(q, k, none, 1) / (std::size_t{1} << d);
          sum += dot_product(q, k);
        }
        for (std::size_t i = 0; i < d; ++i)
          for (const int sign : {1, -1}) {
            Vector k(d, 0);
            k[i] = sign;
            axes += subject.score(q, k, none, 1) / (2 * d);
            sum += dot_product(q, k);
          }
        EXPECT_EXACTLY((corners == 1 && axes == 1));
        EXPECT_EXACTLY(sum == 0);  // the directions have the mean 0, so that 1 is the variance
      },
      60);
}
//! [QueryKeyNorm]
KILLS("vectors of length 1 are divided by the root",
      {.score = [](auto& q, auto& k, auto& gains, unsigned heads) -> Rational {
        const std::size_t d = gains.size();
        return squared_normed_score(q, k, gains, heads) / (d * d);
      }});
KILLS("vectors of length 1 are not multiplied",
      {.score = [](auto& q, auto& k, auto& gains, unsigned heads) -> Rational {
        return squared_normed_score(q, k, gains, heads) / gains.size();
      }});

//! [QueryKeyNorm: exact check]
STATEMENT(QueryKeyNorm, TheWorkedCases) {
  const Vector ones(4, 1), opposite(4, -1);
  EXPECT_EXACTLY(subject.score(ones, ones, ones, 1) == 4);  // s = ±2
  EXPECT_EXACTLY(subject.score(ones, opposite, ones, 1) == subject.limit(ones, 1));
  EXPECT_EXACTLY(subject.keys(8) == 8886111);  // 64 features
  EXPECT_EXACTLY(subject.keys(1) == 8);  // unit vectors that nobody multiplies: among seven others
  EXPECT_EXACTLY(subject.keys(0) == 2);
  // 40 heads of 128 features that are normalized together: the root of 128 becomes 40 of it.
  EXPECT_EXACTLY(subject.limit(Vector(128, 1), 40) == 204800);
  enumerated(6);
  const double bound = 1 / (1 + std::exp(-4.0));
  record_value("largest_weight_of_two", format_fixed(bound, 3));
  record_value("of_forty_heads", format_fixed(std::sqrt(204800.0), 1));
  record_value("of_one_head", format_fixed(std::sqrt(128.0), 1));
}
KILLS("the range is R and not 2R",
      {.keys = [](auto& limit) { return most_keys_for_half(limit / 2); }});
KILLS("the key itself is not counted",
      {.keys = [](auto& limit) -> Integer { return most_keys_for_half(limit) - 1; }});
KILLS("without a factor no key has a lead", {.keys = [](auto& limit) -> Integer {
        return limit <= 1 ? Integer(2) : most_keys_for_half(limit);
      }});

ASIDE(QueryKeyNorm, AMeanSquareIsNoVariance) {
  // Each axis with its positive sign: the second moments of a sphere, and not its mean.
  for (std::size_t i = 0; i < 4; ++i) {
    Vector k(4, 0);
    k[i] = 2;
    EXPECT_EXACTLY(subject.score({1, 1, 1, 1}, k, {1, 1, 1, 1}, 1) == 1);
    EXPECT_EXACTLY(dot_product({1, 1, 1, 1}, k) / 2 == 1);  // s itself, and its mean
  }
  enumerated(8);
}
//! [QueryKeyNorm: exact check]
KILLS("the variance in place of the mean square",
      {.score = [](auto& q, auto& k, auto& gains, unsigned heads) -> Rational {
        return squared_normed_score(q, k, gains, heads) - 1;
      }});

ASIDE(QueryKeyNorm, AlignedDirectionsHaveMore) {
  counterexample_without("independent directions");
  const Vector q = {1, 2, 2, 0};
  EXPECT_EXACTLY(subject.score(q, q, Vector(4, 1), 1) == 4);
  enumerated(1);
}
KILLS("a query is taken for its direction",
      {.score = [](auto& q, auto& k, auto& gains, unsigned heads) {
        return q == k ? Rational(1) : squared_normed_score(q, k, gains, heads);
      }});

ASIDE(QueryKeyNorm, RefusesWhatHasNoDirection) {
  counterexample_without("nonzero vectors");
  expect_refusal<std::domain_error>([&] { return subject.score({0, 0}, {1, 0}, {1, 1}, 1); });
  expect_refusal<std::domain_error>([&] { return subject.score({1, 0}, {0, 0}, {1, 1}, 1); });
  expect_refusal<std::domain_error>([&] { return subject.score({1}, {1}, {1}, 0); });
  expect_refusal<std::invalid_argument>(
      [&] {
        return subject.score({1, 2, 3}, {1, 2, 3}, {1}, 2);
      },
      "2 heads of 1 features have neither 3 nor 3 entries");
  expect_refusal<std::domain_error>([&] { return subject.limit({}, 1); });
  expect_refusal<std::domain_error>([&] { return subject.keys(-1); });
  expect_refusal<std::domain_error>([&] { return subject.keys(51); });
  using Digits = boost::multiprecision::cpp_bin_float_100;
  const Rational seven_others(log(Digits(7)) / 2);  // e^2R is 7 to a hundred digits
  expect_refusal<std::domain_error>([&] { return subject.keys(seven_others); });
}
KILLS("the lower end of an enclosure is taken for the number", {.keys = [](auto& limit) -> Integer {
        if (limit < 0 || limit > 50) return most_keys_for_half(limit);
        const Rational lower = exp_enclosure(2 * limit).lower;
        return Integer(numerator(lower) / denominator(lower)) + 1;
      }});
KILLS("a query of zeros has the score 0",
      {.score = [](auto& q, auto& k, auto& gains, unsigned heads) {
        return q == Vector(q.size(), 0) ? Rational(0) : squared_normed_score(q, k, gains, heads);
      }});

}  // namespace sqrtdk::properties::QueryKeyNorm
