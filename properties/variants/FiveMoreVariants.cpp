#include <sqrtdk/moments.hpp>
#include <sqrtdk/moments/finite_distribution.hpp>
#include <sqrtdk/saturation/price.hpp>
#include <sqrtdk/variants/more.hpp>

#include "properties/support/rational_distributions.hpp"
#include "properties/support/vectors.hpp"
#include "properties/variants/fixture.hpp"

namespace sqrtdk::properties::FiveMoreVariants {

using Matrix = Eigen::Matrix<Rational, Eigen::Dynamic, Eigen::Dynamic>;
using Vector = Eigen::Matrix<Rational, Eigen::Dynamic, 1>;
using Pair = std::pair<Rational, Rational>;

struct Subject {
  Rational (*clip)(const Rational&, const Rational&) = sqrtdk::qk_clip_factor;
  Rational (*shared)(unsigned, const Rational&) = sqrtdk::shared_key_covariance;
  Rational (*yarn)(const Rational&) = sqrtdk::yarn_score_factor<Rational>;
  Matrix (*centred)(const Matrix&) = [](const Matrix& keys) { return sqrtdk::centred_keys(keys); };
  Rational (*difference)(const Rational&, unsigned,
                         const Rational&) = sqrtdk::differential_output_variance;
};

Rational score(const std::vector<Rational>& q, const std::vector<Rational>& k) {
  return vector_of(q).dot(vector_of(k));
}

/// Three values, of which most are 0: mean 0, variance 1, fourth moment 4.
const RationalDistribution three_values({-2, 0, 2},
                                        {Rational(1, 8), Rational(3, 4), Rational(1, 8)});

/// Cov(s₁², s₂²) of two independent queries of signs and a key, by all outcomes.
Rational covariance_of_squares(unsigned d, const RationalDistribution& entry) {
  FiniteDistribution<Pair> joint = FiniteDistribution<Pair>::uniform({{0, 0}});
  for (unsigned i = 0; i < d; ++i)
    joint = independent(joint, independent(entry, independent(fair_sign, fair_sign)))
                .image([](const auto& draw) {
                  const auto& [sums, factors] = draw;
                  const auto& [k, signs] = factors;
                  return Pair(sums.first + k * signs.first, sums.second + k * signs.second);
                });
  return covariance(
      joint.image([](const Pair& s) { return Pair(s.first * s.first, s.second * s.second); }));
}

//! [FiveMoreVariants]
STATEMENT(FiveMoreVariants, ClippingMakesTheLargestScoreTheCap) {
  for_all([&] {
    const Rational root = *positive_rational().as("root of the factor");
    const Matrix wq = any_vector(2, "W_Q"), wk = any_vector(2, "W_K");
    const Rational x = *nonzero_rational().as("x"), y = *nonzero_rational().as("y");
    const Rational before = (wq * x).col(0).dot((wk * y).col(0));
    RC_PRE(before != 0);
    const Rational cap = abs(before) * root * root;
    const Rational factor = subject.clip(before, cap);
    const Rational applied = before > cap ? root : Rational(1);
    const Rational after = (applied * wq * x).col(0).dot((applied * wk * y).col(0));
    EXPECT_EXACTLY(after == factor * before);
    EXPECT_EXACTLY(after == std::min(before, cap));
  });
}
KILLS("the factor at both matrices",
      {.clip = [](auto& s, auto& cap) { return qk_clip_factor(s, cap) * qk_clip_factor(s, cap); }});
KILLS("small scores are enlarged", {.clip = [](auto& s, auto& cap) { return cap / s; }});
KILLS("a negative score is clipped as well", {.clip = [](auto& s, auto& cap) {
        return s < 0 ? Rational(cap / s) : qk_clip_factor(s, cap);
      }});

STATEMENT(FiveMoreVariants, SquaresOfScoresShareTheFourthMoment) {
  for_all(
      [&] {
        const unsigned d = *rc::gen::inRange(1U, 3U).as("d");
        const RationalDistribution entry = *standardized_distribution().as("an entry of the key");
        EXPECT_EXACTLY(covariance_of_squares(d, entry) == subject.shared(d, raw_moment(entry, 4)));
      },
      40);
}
KILLS("the normal case for every distribution",
      {.shared = [](unsigned d, const Rational&) -> Rational { return 2 * d; }});
KILLS("the excess over a normal entry",
      {.shared = [](unsigned d, auto& kurtosis) { return d * (kurtosis - 3); }});

STATEMENT(FiveMoreVariants, TheFactorOfBothSidesIsSquared) {
  for_all([&] {
    const Rational log_extension = *any_rational().as("ln s");
    const Vector q = any_vector(3, "q"), k = any_vector(3, "k");
    const Rational side = 1 + std::max<Rational>(log_extension, 0) / 10;
    EXPECT_EXACTLY((side * q).eval().dot((side * k).eval()) ==
                   subject.yarn(log_extension) * q.dot(k));
  });
}
KILLS("the factor of one side", {.yarn = [](auto& x) { return x > 0 ? 1 + x / 10 : Rational(1); }});
KILLS("shorter contexts as well", {.yarn = [](auto& x) { return (1 + x / 10) * (1 + x / 10); }});

STATEMENT(FiveMoreVariants, CentredKeysMoveAllScoresAlike) {
  for_all([&] {
    Matrix keys(4, 2);
    keys << any_vector(4, "k1"), any_vector(4, "k2");
    const Vector q = any_vector(2, "q");
    const Vector shift = keys * q - subject.centred(keys) * q;
    EXPECT_EXACTLY(shift == Vector(Vector::Constant(4, (keys * q).sum() / 4)));
  });
}
KILLS("each key is centred by itself", {.centred = [](auto& k) -> Matrix {
        return k.colwise() - (k.rowwise().sum() / Rational(static_cast<int>(k.cols()))).eval();
      }});

STATEMENT(FiveMoreVariants, ADifferenceOfTwoMapsAddsTheirVariances) {
  for_all([&] {
    // A row and what becomes of it if keys move on in a circle, equally likely: none is preferred.
    const auto n = *rc::gen::inRange(2U, 5U).as("n");
    using Row = std::vector<Rational>;
    Row row;
    for (unsigned j = 0; j < n; ++j) row.push_back(*positive_rational().as("a power"));
    const Rational sum = std::accumulate(row.begin(), row.end(), Rational(0));
    for (Rational& weight : row) weight /= sum;
    std::vector<Row> moved;
    for (unsigned j = 0; j < n; ++j) {
      std::rotate(row.begin(), row.begin() + 1, row.end());
      moved.push_back(row);
    }
    const auto rows = FiniteDistribution<Row>::uniform(moved);
    const Rational lambda = *any_rational().as("lambda");
    const auto differences = independent(rows, rows).image([&](const std::pair<Row, Row>& maps) {
      Row difference = maps.first;
      for (unsigned j = 0; j < n; ++j) difference[j] -= lambda * maps.second[j];
      return difference;
    });
    for (const auto& [row_of_differences, probability] : differences.atoms()) {
      const Rational total =
          std::accumulate(row_of_differences.begin(), row_of_differences.end(), Rational(0));
      EXPECT_EXACTLY(total == 1 - lambda);
    }
    EXPECT_EXACTLY(output_variance(differences) ==
                   subject.difference(output_variance(rows), n, lambda));
  });
}
//! [FiveMoreVariants]
KILLS("λ for λ²", {.difference = [](auto& price, unsigned n, auto& lambda) {
        return (1 + lambda) * price - 2 * lambda / n;
      }});
KILLS("the common part is added", {.difference = [](auto& price, unsigned n, auto& lambda) {
        return (1 + lambda * lambda) * price + 2 * lambda / n;
      }});
KILLS("the common part is that of two keys",
      {.difference = [](auto& price, unsigned, auto& lambda) {
        return (1 + lambda * lambda) * price - lambda;
      }});

//! [FiveMoreVariants: exact check]
STATEMENT(FiveMoreVariants, TheFiveCases) {
  EXPECT_EXACTLY(subject.clip(400, 100) == Rational(1, 4));
  EXPECT_EXACTLY(subject.shared(2, raw_moment(three_values, 4)) == 6);
  EXPECT_EXACTLY(covariance_of_squares(2, three_values) == 6);
  EXPECT_EXACTLY(covariance_of_squares(2, fair_sign) == 0);
  EXPECT_EXACTLY(subject.shared(3, 4) == 9);
  EXPECT_EXACTLY(covariance_of_squares(3, three_values) == 9);
  EXPECT_EXACTLY(subject.yarn(10) == 4);
  EXPECT_EXACTLY(subject.centred(Matrix{{1, 2}, {3, 8}}) == Matrix{{-1, -3}, {1, 3}});
  EXPECT_EXACTLY(subject.difference(Rational(19, 36), 2, Rational(1, 2)) == Rational(23, 144));
  enumerated(9);
  const double factor = yarn_score_factor(std::log(32.));
  record_value("yarn_of_32", format_fixed(std::sqrt(factor), 3));
  record_value("yarn_square_of_32", format_fixed(factor, 3));
  record_value("divisor_of_32", format_fixed(8 / factor, 2));
}
KILLS("each entry doubles what there was",
      {.shared = [](unsigned d, auto& kurtosis) { return (1U << (d - 1)) * (kurtosis - 1); }});
KILLS("nothing is common to the maps", {.difference = [](auto& price, unsigned, auto& lambda) {
        return (1 + lambda * lambda) * price;
      }});

ASIDE(FiveMoreVariants, ASharedPartOfTheKeyIsLeftAsItIs) {
  // The content has the score 3·8 = 24, and what is rotated, with a key of all heads, 4·10 = 40.
  const Rational factor = subject.clip(64, 16), root(1, 2);
  const Rational content = (root * 3) * (root * 8), rotated = (factor * 4) * 10;
  EXPECT_EXACTLY(content + rotated == 16);
  enumerated(1);
}
//! [FiveMoreVariants: exact check]
KILLS("the factor is halved and not its root taken",
      {.clip = [](auto& s, auto& cap) { return (1 + qk_clip_factor(s, cap)) / 2; }});

ASIDE(FiveMoreVariants, ABiasIsNotScaled) {
  // q = 2x + 1 and k = 2y at x = 3, y = 5: the score is 70, and to be halved twice.
  const Rational factor = subject.clip(70, Rational(70, 4)), root(1, 2);
  EXPECT_EXACTLY(factor == root * root);
  EXPECT_EXACTLY((root * 2 * 3 + 1) * (root * 2 * 5) == 20);
  EXPECT_EXACTLY(factor * 70 != 20);
  counterexample_without("no bias");
}
KILLS("nothing is clipped", {.clip = [](auto&, auto&) { return Rational(1); }});

ASIDE(FiveMoreVariants, ASinkSeesThatKeysAreCentred) {
  const Matrix centred = subject.centred(Matrix{{2}, {4}});
  // Powers 2^s in the place of e^s, and a sink of power 1: 4 and 16 become ½ and 2.
  EXPECT_EXACTLY(centred == Matrix{{-1}, {1}});
  EXPECT_EXACTLY(Rational(20, 21) != Rational(5, 2) / (Rational(5, 2) + 1));
  counterexample_without("no sink");
}
KILLS("keys stay where they are", {.centred = [](auto& keys) { return keys; }});

ASIDE(FiveMoreVariants, RefusesWhatIsOutOfRange) {
  expect_refusal<std::domain_error>([&] { return subject.clip(-4, 0); });
  expect_refusal<std::domain_error>([&] { return subject.clip(1, 0); });
  expect_refusal<std::domain_error>([&] { return subject.shared(0, 1); });
  expect_refusal<std::domain_error>([&] { return subject.shared(1, Rational(1, 2)); });
  expect_refusal<std::domain_error>([&] { return subject.difference(1, 0, 1); });
  expect_refusal<std::invalid_argument>([&] { return subject.centred(Matrix(0, 2)); });
}
KILLS("no number is refused",
      {.shared = [](unsigned d, auto& kurtosis) { return d * (kurtosis - 1); }});

}  // namespace sqrtdk::properties::FiveMoreVariants
