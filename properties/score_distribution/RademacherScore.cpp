// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/distributions/cosine_similarity_distribution.hpp>
#include <sqrtdk/distributions/rademacher_score_distribution.hpp>
#include <sqrtdk/distributions/score_distribution.hpp>
#include <sqrtdk/finite_distribution.hpp>
#include <sqrtdk/moments.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/score.hpp>
#include <sqrtdk/score_dependence.hpp>
#include <sqrtdk/testing/generators/rational_distributions.hpp>
#include <sqrtdk/testing/laws/wide.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/exact_types.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>
#include <sqrtdk/testing/reporting/expect_refusal.hpp>

#include "properties/score_distribution/fixture.hpp"
#include "properties/score_distribution/reference.hpp"
#include "properties/support/rational_distributions.hpp"

#include <boost/math/distributions/complement.hpp>
#include <boost/math/special_functions/next.hpp>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <utility>
#include <vector>

namespace sqrtdk::properties::RademacherScore {

using namespace sqrtdk::testing;
using namespace sqrtdk::reference;

using WideSigns = rademacher_score_distribution<Wide>;

/// The functions of the distribution of q·k for signs.
struct RademacherFunctions {
  Wide (*pdf)(unsigned, const Wide&) = [](unsigned d, const Wide& x) -> Wide {
    return sqrtdk::pdf(WideSigns(d), x);
  };
  Wide (*lower)(unsigned, const Wide&) = [](unsigned d, const Wide& x) -> Wide {
    return sqrtdk::cdf(WideSigns(d), x);
  };
  Wide (*upper)(unsigned, const Wide&) = [](unsigned d, const Wide& x) -> Wide {
    return sqrtdk::cdf(complement(WideSigns(d), x));
  };
  /// P(X = x) and P(X ≤ x) in single precision.
  float (*short_pdf)(float, float) = [](float d, float x) {
    return sqrtdk::pdf(rademacher_score_distribution<float>(d), x);
  };
  float (*short_lower)(float, float) = [](float d, float x) {
    return sqrtdk::cdf(rademacher_score_distribution<float>(d), x);
  };
  double (*quantile)(double, double) = [](double d, double p) {
    return sqrtdk::quantile(Signs(d), p);
  };
  double (*upper_quantile)(double, double) = [](double d, double q) {
    return sqrtdk::quantile(complement(Signs(d), q));
  };
  double (*variance)(double) = [](double d) { return sqrtdk::variance(Signs(d)); };
  double (*excess_kurtosis)(double) = [](double d) { return kurtosis_excess(Signs(d)); };
  RationalDistribution (*binomial)(unsigned, const Rational&) = [](unsigned d, const Rational& p) {
    std::vector<Rational> scores;
    std::vector<Rational> probabilities;
    Rational all_fail = 1;
    for (unsigned i = 0; i < d; ++i) all_fail *= 1 - p;
    Rational rates = all_fail;
    for (unsigned equal = 0; equal <= d; ++equal) {
      scores.push_back(2 * Rational(equal) - d);
      probabilities.push_back(rates);
      if (equal < d) rates *= Rational(d - equal, equal + 1) * p / (1 - p);
    }
    return RationalDistribution(scores, probabilities);
  };
  RationalDistribution (*paired)(const PairDistribution&,
                                 std::size_t) = paired_dot_product_distribution;
};

const std::vector<Mutant<RademacherFunctions>> rademacher_score_mutants = {
    {"equal pairs are counted from one",
     "TheNumberOfEqualPairsIsBinomial",
     {.binomial =
          [](unsigned d, const Rational& p) {
            return RademacherFunctions{}.binomial(d, p).image(
                [](const Rational& x) { return Rational(x + 2); });
          }}},
    {"the binomial law is not stretched",
     "TheNumberOfEqualPairsIsBinomial",
     {.binomial =
          [](unsigned d, const Rational& p) {
            return RademacherFunctions{}.binomial(d, p).image(
                [=](const Rational& x) { return Rational((x + d) / 2); });
          }}},
    {"the probability is that of the count, not of the score",
     "TheFiftyDigitsAreThoseOfTheFraction",
     {.pdf = [](unsigned d, const Wide& x) -> Wide {
       return sqrtdk::pdf(WideSigns(d), 2 * x - d);
     }}},
    {"odd scores have the probability of even ones",
     "TheFiftyDigitsAreThoseOfTheFraction",
     {.pdf = [](unsigned d, const Wide& x) -> Wide {
       return sqrtdk::pdf(WideSigns(d), 2 * floor((x + d) / 2) - d);
     }}},
    {"less, not at most",
     "TheFiftyDigitsAreThoseOfTheFraction",
     {.lower = [](unsigned d, const Wide& x) -> Wide { return cdf(WideSigns(d), x - 1); }}},
    {"the complement is at least, not more",
     "TheFiftyDigitsAreThoseOfTheFraction",
     {.upper = [](unsigned d, const Wide& x) -> Wide {
       return cdf(complement(WideSigns(d), x - 1));
     }}},
    {"x + d is rounded before it is floored",
     "BesideAScoreThereIsNone",
     {.lower = [](unsigned d, const Wide& x) -> Wide {
       return cdf(WideSigns(d), Wide(2 * floor(Wide((x + d) / 2)) - d));
     }}},
    {"x + d is rounded before the complement floors it",
     "BesideAScoreThereIsNone",
     {.upper = [](unsigned d, const Wide& x) -> Wide {
       return cdf(complement(WideSigns(d), Wide(2 * floor(Wide((x + d) / 2)) - d)));
     }}},
    {"what x + d rounds to has a probability",
     "BesideAScoreThereIsNone",
     {.pdf = [](unsigned d, const Wide& x) -> Wide {
       return pdf(WideSigns(d), Wide(Wide(x + d) - d));
     }}},
    {"where x + d is even, x is a score",
     "BesideAScoreThereIsNone",
     {.short_pdf =
          [](float d, float x) {
            return RademacherFunctions{}.short_pdf(d, 2 * std::floor((x + d) / 2) - d);
          }}},
    {"whole numbers are added and rounded",
     "BesideAScoreThereIsNone",
     {.short_lower =
          [](float d, float x) {
            return RademacherFunctions{}.short_lower(d,
                                                     2 * std::floor((std::floor(x) + d) / 2) - d);
          }}},
    {"the quantile is one step too high",
     "QuantilesAreTheLeastScoresThatReach",
     {.quantile = [](double d, double p) { return quantile(Signs(d), p) + 2; }}},
    {"the quantile is the greatest score that does not reach",
     "QuantilesAreTheLeastScoresThatReach",
     {.quantile = [](double d, double p) { return quantile(Signs(d), p) - 2; }}},
    {"the complement's quantile is that of the count",
     "QuantilesAreTheLeastScoresThatReach",
     {.upper_quantile = [](double d, double q) { return quantile(complement(Signs(d), q)) + d; }}},
    {"the complement is forgotten",
     "QuantilesAreTheLeastScoresThatReach",
     {.upper_quantile = [](double d, double q) { return quantile(Signs(d), q); }}},
    {"the variance of the count",
     "ItHasTheVarianceOfTheNormalScoreAndAnotherShape",
     {.variance = [](double d) { return d / 4; }}},
    {"the excess kurtosis of normal entries",
     "ItHasTheVarianceOfTheNormalScoreAndAnotherShape",
     {.excess_kurtosis = [](double d) { return 6 / d; }}},
    {"a query that is its own key is taken for independent",
     "AQueryThatIsItsOwnKeyScoresD",
     {.paired = [](const PairDistribution&,
                   std::size_t d) { return dot_product_distribution(fair_sign, fair_sign, d); }}},
    {"two biased signs agree half of the time",
     "TwoBiasedSignsAgreeMoreThanHalfOfTheTime",
     {.binomial =
          [](unsigned d, const Rational&) {
            return RademacherFunctions{}.binomial(d, Rational(1, 2));
          }}},
    {"half a dimension is taken",
     "RefusesDimensionsThatAreNotWhole",
     {.variance = [](double d) { return d > 0 ? std::round(d) : d; }}},
};

//! [RademacherScore]
TEST(RademacherScore, TheNumberOfEqualPairsIsBinomial) {
  check_statement(rademacher_score_mutants, [](const RademacherFunctions& functions) {
    for (unsigned d = 1; d <= 20; ++d)
      EXPECT_EXACTLY(dot_product_distribution(fair_sign, fair_sign, d) ==
                     functions.binomial(d, Rational(1, 2)))
          << "d = " << d;
    for (unsigned d = 1; d <= 5; ++d)
      EXPECT_EXACTLY(dot_product_distribution_by_enumeration(fair_sign, fair_sign, d) ==
                     functions.binomial(d, Rational(1, 2)))
          << "d = " << d;
    enumerated(25);
    // One side need be fair only, whatever the other side's probabilities are.
    for_all(
        [&] {
          const auto d = *rc::gen::inRange(1U, 7U).as("d");
          const auto weights = normalized({*weight().as("weight of -1"), *weight().as("of 1")});
          EXPECT_EXACTLY(dot_product_distribution(fair_sign, RationalDistribution({-1, 1}, weights),
                                                  d) == functions.binomial(d, Rational(1, 2)));
        },
        50);
  });
}
//! [RademacherScore]

//! [RademacherScore: against fractions]
TEST(RademacherScore, TheFiftyDigitsAreThoseOfTheFraction) {
  check_with_mutants(rademacher_score_mutants, [](const RademacherFunctions& functions) {
    evidence().rests_on(
        EvidenceLevel::measured);  // fifty digits, compared after rounding to a double
    for (unsigned d = 1; d <= 12; ++d) {
      Rational before = 0;
      const RationalDistribution exact = dot_product_distribution(fair_sign, fair_sign, d);
      for (int x = -static_cast<int>(d) - 1; x <= static_cast<int>(d) + 1; ++x) {
        const Rational here =
            exact.expectation([&](const Rational& y) { return Rational(y == x); });
        before += here;
        // Multiples of 2^−d, which a double holds: fifty digits must round to just that double.
        EXPECT_EQ(static_cast<double>(functions.pdf(d, x)), here.convert_to<double>())
            << "d = " << d << ", x = " << x;
        EXPECT_EQ(static_cast<double>(functions.lower(d, x)), before.convert_to<double>())
            << "d = " << d << ", x = " << x;
        EXPECT_EQ(static_cast<double>(functions.upper(d, x)),
                  Rational(1 - before).convert_to<double>())
            << "d = " << d << ", x = " << x;
        enumerated(1);
      }
    }
  });
}
//! [RademacherScore: against fractions]

TEST(RademacherScore, BesideAScoreThereIsNone) {
  check_with_mutants(rademacher_score_mutants, [](const RademacherFunctions& functions) {
    for (unsigned d = 1; d <= 12; ++d) {
      const int most = static_cast<int>(d);
      for (int score = -most; score <= most; ++score) {
        // The next numbers of fifty digits and of double precision; beside 0 also far smaller ones.
        std::vector<Wide> above = {boost::math::float_next(Wide(score)),
                                   wide(std::nextafter(score, infinity))};
        std::vector<Wide> below = {boost::math::float_prior(Wide(score)),
                                   wide(std::nextafter(score, -infinity))};
        if (score == 0) {
          above.push_back(wide(1e-300));
          below.push_back(wide(-1e-300));
        }
        const auto expect_as_at = [&](int same, const Wide& x) {
          EXPECT_EXACTLY(Rational(functions.pdf(d, x)) == 0) << "d = " << d << ", x = " << x;
          EXPECT_EXACTLY(Rational(functions.lower(d, x)) == Rational(functions.lower(d, same)))
              << "d = " << d << ", x = " << x;
          EXPECT_EXACTLY(Rational(functions.upper(d, x)) == Rational(functions.upper(d, same)))
              << "d = " << d << ", x = " << x;
          enumerated(1);
        };
        for (const Wide& x : above) expect_as_at(score, x);
        for (const Wide& x : below) expect_as_at(score - 1, x);
      }
    }
    // Single precision has no odd number beyond 2^24, such as 2^24 + 1 and 2^24 + 3.
    constexpr float d = 0x1p24F;
    for (const float x : {1.0F, 3.0F}) {
      EXPECT_EXACTLY(bits_of(functions.short_pdf(d, x)) == bits_of(0.0F)) << x;
      EXPECT_EXACTLY(bits_of(functions.short_lower(d, x)) ==
                     bits_of(functions.short_lower(d, x - 1)))
          << x;
      enumerated(1);
    }
  });
}

TEST(RademacherScore, QuantilesAreTheLeastScoresThatReach) {
  check_with_mutants(rademacher_score_mutants, [](const RademacherFunctions& functions) {
    for (unsigned d = 1; d <= 24; ++d) {
      Rational before = 0;
      const RationalDistribution exact = dot_product_distribution(fair_sign, fair_sign, d);
      for (const auto& [score, probability] : exact.atoms()) {
        // Half-way up the step at this score, so that no rounding decides.
        const Rational middle = before + probability / 2;
        EXPECT_EXACTLY(Rational(functions.quantile(d, middle.convert_to<double>())) == score)
            << "d = " << d << ", p = " << middle;
        EXPECT_EXACTLY(Rational(functions.upper_quantile(
                           d, Rational(1 - middle).convert_to<double>())) == score)
            << "d = " << d << ", q = 1 - " << middle;
        before += probability;
        enumerated(2);
      }
    }
    // No score in between, and none beyond.
    EXPECT_EXACTLY(Rational(pdf(Signs(4), 1)) == 0);
    EXPECT_EXACTLY(Rational(cdf(Signs(4), infinity)) == 1);
    EXPECT_EXACTLY(Rational(cdf(Signs(4), -infinity)) == 0);
  });
}

TEST(RademacherScore, ItHasTheVarianceOfTheNormalScoreAndAnotherShape) {
  check_statement(rademacher_score_mutants, [](const RademacherFunctions& functions) {
    for (unsigned d = 1; d <= 20; ++d) {
      const RationalDistribution exact = dot_product_distribution(fair_sign, fair_sign, d);
      const Rational square = variance(exact);
      EXPECT_EXACTLY(square == d);
      EXPECT_EXACTLY(Rational(variance(Score(d))) == d);
      EXPECT_EXACTLY(Rational(functions.variance(d)) == square);
      const Rational fourth = raw_moment(exact, 4);
      EXPECT_EXACTLY(fourth == 3 * d * d - 2 * d);
      const Rational excess = fourth / (square * square) - 3;
      EXPECT_EXACTLY(excess == Rational(-2, d));
      // The code's is that number, rounded once.
      EXPECT_EXACTLY(bits_of(functions.excess_kurtosis(d)) == bits_of(excess.convert_to<double>()));
    }
    enumerated(20);
  });
}

TEST(RademacherScore, AQueryThatIsItsOwnKeyScoresD) {
  check_with_mutants(rademacher_score_mutants, [](const RademacherFunctions& functions) {
    const PairDistribution same =
        fair_sign.image([](const Rational& x) { return std::pair(x, x); });
    for (std::size_t d = 1; d <= 8; ++d)
      EXPECT_EXACTLY(functions.paired(same, d) == RationalDistribution::uniform({Rational(d)}))
          << "d = " << d;
    enumerated(8);
    counterexample_without("independent");
  });
}

TEST(RademacherScore, TwoBiasedSignsAgreeMoreThanHalfOfTheTime) {
  check_with_mutants(rademacher_score_mutants, [](const RademacherFunctions& functions) {
    const RationalDistribution biased({-1, 1}, {Rational(1, 4), Rational(3, 4)});
    for (unsigned d = 1; d <= 8; ++d) {
      EXPECT_EXACTLY(dot_product_distribution(biased, biased, d) ==
                     functions.binomial(d, Rational(5, 8)))
          << "d = " << d;
      // One fair side is enough.
      EXPECT_EXACTLY(dot_product_distribution(biased, fair_sign, d) ==
                     dot_product_distribution(fair_sign, fair_sign, d));
    }
    enumerated(16);
    counterexample_without("a fair side");
  });
}

TEST(RademacherScore, RefusesDimensionsThatAreNotWhole) {
  check_with_mutants(rademacher_score_mutants, [](const RademacherFunctions& functions) {
    for (const double d : {0.0, -2.0, 2.5, infinity, nan})
      expect_refusal<std::domain_error>([&] { functions.variance(d); });
    expect_refusal<std::domain_error>([&] { cdf(Signs(4), nan); });
    expect_refusal<std::domain_error>([&] { quantile(Signs(4), 1.5); });
  });
}

}  // namespace sqrtdk::properties::RademacherScore
