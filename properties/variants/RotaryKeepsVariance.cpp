#include <sqrtdk/moments.hpp>
#include <sqrtdk/moments/finite_distribution.hpp>
#include <sqrtdk/score.hpp>
#include <sqrtdk/variants/scores.hpp>

#include "properties/support/rational_distributions.hpp"
#include "properties/variants/fixture.hpp"

namespace sqrtdk::properties::RotaryKeepsVariance {

using Vector = std::vector<Rational>;
using Rotations = std::vector<PlaneRotation>;

struct Subject {
  Vector (*rotated)(const Vector&, const Rotations&) = sqrtdk::rotated;
  Rational (*mean)(const Rational&, const Rotations&) = sqrtdk::rotary_mean;
};

PlaneRotation drawn_rotation(const char* name) { return rotation_of(*any_rational().as(name)); }

RationalDistribution rotated_scores(const RationalDistribution& q, const RationalDistribution& k,
                                    const Rotations& rotations, const Subject& subject) {
  const auto d = static_cast<unsigned>(2 * rotations.size());
  return independent(sqrtdk::detail::draws(q, d), sqrtdk::detail::draws(k, d))
      .image([&](const auto& draw) {
        return dot_product(draw.first, subject.rotated(draw.second, rotations));
      });
}

Vector sheared(const Vector& x, const Rotations& rotations) {
  Vector result = x;
  for (std::size_t i = 0; i < rotations.size(); ++i)
    result[2 * i] += rotations[i].sine * x[2 * i + 1];
  return result;
}

//! [RotaryKeepsVariance]
STATEMENT(RotaryKeepsVariance, TheVarianceIsStillTheDimension) {
  for_all(
      [&] {
        const RationalDistribution q = *standardized_distribution().as("an entry of q");
        const RationalDistribution k = *standardized_distribution().as("an entry of k");
        const RationalDistribution score =
            rotated_scores(q, k, {drawn_rotation("half an angle")}, subject);
        EXPECT_EXACTLY(mean(score) == 0);
        EXPECT_EXACTLY(variance(score) == 2);
      },
      60);
}
KILLS("a shear", {.rotated = sheared});
KILLS("a factor for long contexts inside of the rotation",
      {.rotated = [](auto& x, auto& rotations) {
        Vector result = rotated(x, rotations);
        for (Rational& entry : result) entry *= Rational(3, 2);
        return result;
      }});

STATEMENT(RotaryKeepsVariance, EachPairTurnsByItsOwnAngle) {
  for_all(
      [&] {
        const Rational spread = 1 + *positive_rational().as("c - 1");  // −c, 0 or c
        const Rational each = 1 / (2 * spread * spread);
        const RationalDistribution k({-spread, 0, spread}, {each, 1 - 2 * each, each});
        const Rotations angles = {drawn_rotation("half an angle"), drawn_rotation("another")};
        const RationalDistribution score = rotated_scores(fair_sign, k, angles, subject);
        EXPECT_EXACTLY(mean(score) == 0);
        EXPECT_EXACTLY(variance(score) == 4);
      },
      20);
}
KILLS("all pairs have the first cosine", {.rotated = [](auto& x, auto& given) {
        Rotations rotations = given;
        for (auto& [c, s] : rotations) c = given.front().cosine;
        return rotated(x, rotations);
      }});

STATEMENT(RotaryKeepsVariance, OnlyTheDifferenceOfAnglesCounts) {
  for_all([&] {
    Vector q, k;
    for (int i = 0; i < 4; ++i) {
      q.push_back(*any_rational().as("q"));
      k.push_back(*any_rational().as("k"));
    }
    const Rotations one = {drawn_rotation("a"), drawn_rotation("b")};
    const Rotations other = {drawn_rotation("c"), drawn_rotation("d")};
    Rotations difference;  // the second rotation after the first, taken back
    for (std::size_t i = 0; i < 2; ++i) {
      const auto& [c, s] = one[i];
      const auto& [C, S] = other[i];
      difference.push_back({C * c + S * s, S * c - C * s});
    }
    EXPECT_EXACTLY(dot_product(subject.rotated(q, one), subject.rotated(k, other)) ==
                   dot_product(q, rotated(k, difference)));
    EXPECT_EXACTLY(dot_product(subject.rotated(q, one), subject.rotated(q, one)) ==
                   dot_product(q, q));
  });
}
KILLS("the second entry of a pair is reflected", {.rotated = [](auto& x, auto& rotations) {
        Vector result = rotated(x, rotations);
        for (std::size_t i = 1; i < result.size(); i += 2) result[i] = -result[i];
        return rotated(result, rotations);
      }});
KILLS("all pairs have the first angle", {.rotated = [](auto& x, auto& rotations) {
        return rotated(x, Rotations(rotations.size(), rotations.front()));
      }});

STATEMENT(RotaryKeepsVariance, ACorrelationShowsInTheMean) {
  for_all(
      [&] {
        const RationalDistribution q = *standardized_distribution().as("an entry of q");
        const Rational rho = *any_rational().as("rho");
        const PlaneRotation rotation = drawn_rotation("half an angle");
        const Rational mean_score =
            sqrtdk::detail::draws(q, 2).expectation([&](const Vector& query) {
              return Rational(rho * dot_product(query, subject.rotated(query, {rotation})));
            });
        EXPECT_EXACTLY(mean_score == subject.mean(rho, {rotation}));
      },
      60);
}
//! [RotaryKeepsVariance]
KILLS("the trace counts each angle once",
      {.mean = [](auto& rho, auto& rotations) { return rotary_mean(rho, rotations) / 2; }});
KILLS("the mean is that without a rotation", {.mean = [](auto& rho, auto& rotations) {
        return 2 * rho * static_cast<unsigned>(rotations.size());
      }});

//! [RotaryKeepsVariance: exact check]
STATEMENT(RotaryKeepsVariance, SignsChangeTheirDistributionAndNotTheVariance) {
  const PlaneRotation rotation = {Rational(3, 5), Rational(4, 5)};
  const auto fourth = [](const RationalDistribution& score) {
    return score.expectation([](const Rational& s) { return Rational(s * s * s * s); });
  };
  const RationalDistribution turned = rotated_scores(fair_sign, fair_sign, {rotation}, subject);
  EXPECT_EXACTLY(turned == RationalDistribution::uniform(
                               {Rational(-8, 5), Rational(-6, 5), Rational(6, 5), Rational(8, 5)}));
  EXPECT_EXACTLY(variance(turned) == 2);
  EXPECT_EXACTLY(fourth(turned) == Rational(2696, 625));
  EXPECT_EXACTLY(fourth(dot_product_distribution(fair_sign, fair_sign, 2)) == 8);
  EXPECT_EXACTLY(subject.mean(Rational(1, 2), {rotation, {}}) == Rational(8, 5));
  enumerated(5);
}
//! [RotaryKeepsVariance: exact check]
// RᵀR still has the trace d, and the variance is d
KILLS("both sines have one sign", {.rotated = [](auto& x, auto& rotations) {
        Vector result;
        for (std::size_t i = 0; i < rotations.size(); ++i) {
          const auto& [c, s] = rotations[i];
          result.push_back(c * x[2 * i] + s * x[2 * i + 1]);
          result.push_back(s * x[2 * i] + c * x[2 * i + 1]);
        }
        return result;
      }});

ASIDE(RotaryKeepsVariance, AScaledRotationScalesTheVariance) {
  counterexample_without("orthogonal");
  const PlaneRotation longer = {Rational(6, 5), Rational(8, 5)};
  const RationalDistribution score = rotated_scores(fair_sign, fair_sign, {longer}, subject);
  EXPECT_EXACTLY(variance(score) == 8);
  enumerated(1);
}
KILLS("each pair is divided by the square of its factor", {.rotated = [](auto& x, auto& given) {
        Rotations rotations = given;
        for (auto& [c, s] : rotations) {
          const Rational square = c * c + s * s;
          c /= square;
          s /= square;
        }
        return rotated(x, rotations);
      }});

ASIDE(RotaryKeepsVariance, CorrelatedEntriesShowTheAngle) {
  counterexample_without("uncorrelated");
  // q is (1, 1) or (−1, −1): unit variances, and correlated entries. So is k.
  const PlaneRotation rotation = {Rational(3, 5), Rational(4, 5)};
  const auto one = FiniteDistribution<Vector>::uniform({{1, 1}, {-1, -1}});
  const RationalDistribution score = independent(one, one).image([&](const auto& draw) {
    return dot_product(draw.first, subject.rotated(draw.second, {rotation}));
  });
  EXPECT_EXACTLY(variance(score) == Rational(36, 25));
  enumerated(1);
}
KILLS("nothing is rotated", {.rotated = [](auto& x, auto&) { return x; }});

ASIDE(RotaryKeepsVariance, RefusesAnEntryWithoutAPartner) {
  expect_refusal<std::invalid_argument>(
      [&] {
        return subject.rotated({1, 2, 3}, {{}});
      },
      "3 entries need half as many rotations, not 1");
}
KILLS("an odd entry is left as it is", {.rotated = [](auto& x, auto& rotations) {
        return x.size() % 2 == 0 ? rotated(x, rotations) : x;
      }});

}  // namespace sqrtdk::properties::RotaryKeepsVariance
