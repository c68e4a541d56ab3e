#include <sqrtdk/moments.hpp>
#include <sqrtdk/moments/finite_distribution.hpp>
#include <sqrtdk/score.hpp>
#include <sqrtdk/score/dependence.hpp>

#include "properties/score_distribution/fixture.hpp"
#include "properties/support/rational_distributions.hpp"

#include <boost/math/special_functions/next.hpp>

namespace sqrtdk::properties::RademacherScore {

using namespace sqrtdk::reference;

using WideSigns = rademacher_score_distribution<Wide>;

struct Subject {
  Wide (*pdf)(unsigned, const Wide&) = [](unsigned d, const Wide& x) -> Wide {
    return sqrtdk::pdf(WideSigns(d), x);
  };
  Wide (*lower)(unsigned, const Wide&) = [](unsigned d, const Wide& x) -> Wide {
    return sqrtdk::cdf(WideSigns(d), x);
  };
  Wide (*upper)(unsigned, const Wide&) = [](unsigned d, const Wide& x) -> Wide {
    return sqrtdk::cdf(complement(WideSigns(d), x));
  };
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

//! [RademacherScore]
STATEMENT(RademacherScore, TheNumberOfEqualPairsIsBinomial) {
  for (unsigned d = 1; d <= 20; ++d)
    EXPECT_EXACTLY(dot_product_distribution(fair_sign, fair_sign, d) ==
                   subject.binomial(d, Rational(1, 2)))
        << "d = " << d;
  for (unsigned d = 1; d <= 5; ++d)
    EXPECT_EXACTLY(dot_product_distribution_by_enumeration(fair_sign, fair_sign, d) ==
                   subject.binomial(d, Rational(1, 2)))
        << "d = " << d;
  enumerated(25);
  // One side need be fair only, whatever the other side's probabilities are.
  for_all(
      [&] {
        const auto d = *rc::gen::inRange(1U, 7U).as("d");
        const auto weights = normalized({*weight().as("weight of -1"), *weight().as("of 1")});
        EXPECT_EXACTLY(dot_product_distribution(fair_sign, RationalDistribution({-1, 1}, weights),
                                                d) == subject.binomial(d, Rational(1, 2)));
      },
      50);
}
//! [RademacherScore]
KILLS("equal pairs are counted from one", {.binomial = [](unsigned d, auto& p) {
        return Subject{}.binomial(d, p).image([](auto& x) { return Rational(x + 2); });
      }});
KILLS("the binomial distribution is not stretched", {.binomial = [](unsigned d, auto& p) {
        return Subject{}.binomial(d, p).image(
            [=](const Rational& x) { return Rational((x + d) / 2); });
      }});

//! [RademacherScore: against fractions]
ASIDE(RademacherScore, TheFiftyDigitsAreThoseOfTheFraction) {
  evidence().rests_on(
      EvidenceLevel::measured);  // fifty digits, compared after rounding to a double
  for (unsigned d = 1; d <= 12; ++d) {
    Rational before = 0;
    const RationalDistribution exact = dot_product_distribution(fair_sign, fair_sign, d);
    for (int x = -static_cast<int>(d) - 1; x <= static_cast<int>(d) + 1; ++x) {
      const Rational here = exact.expectation([&](const Rational& y) { return Rational(y == x); });
      before += here;
      // Multiples of 2^−d, which a double holds: fifty digits must round to just that double.
      EXPECT_EQ(static_cast<double>(subject.pdf(d, x)), here.convert_to<double>())
          << "d = " << d << ", x = " << x;
      EXPECT_EQ(static_cast<double>(subject.lower(d, x)), before.convert_to<double>())
          << "d = " << d << ", x = " << x;
      EXPECT_EQ(static_cast<double>(subject.upper(d, x)), Rational(1 - before).convert_to<double>())
          << "d = " << d << ", x = " << x;
      enumerated(1);
    }
  }
}
//! [RademacherScore: against fractions]
KILLS("the probability is that of the count, not of the score",
      {.pdf = [](unsigned d, auto& x) -> Wide { return sqrtdk::pdf(WideSigns(d), 2 * x - d); }});
KILLS("odd scores have the probability of even ones", {.pdf = [](unsigned d, auto& x) -> Wide {
        return sqrtdk::pdf(WideSigns(d), 2 * floor((x + d) / 2) - d);
      }});
KILLS("less, not at most",
      {.lower = [](unsigned d, auto& x) -> Wide { return cdf(WideSigns(d), x - 1); }});
KILLS("the complement is at least, not more",
      {.upper = [](unsigned d, auto& x) -> Wide { return cdf(complement(WideSigns(d), x - 1)); }});

ASIDE(RademacherScore, BesideAScoreThereIsNone) {
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
        EXPECT_EXACTLY(Rational(subject.pdf(d, x)) == 0) << "d = " << d << ", x = " << x;
        EXPECT_EXACTLY(Rational(subject.lower(d, x)) == Rational(subject.lower(d, same)))
            << "d = " << d << ", x = " << x;
        EXPECT_EXACTLY(Rational(subject.upper(d, x)) == Rational(subject.upper(d, same)))
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
    EXPECT_EXACTLY(bits_of(subject.short_pdf(d, x)) == bits_of(0.0F)) << x;
    EXPECT_EXACTLY(bits_of(subject.short_lower(d, x)) == bits_of(subject.short_lower(d, x - 1)))
        << x;
    enumerated(1);
  }
}
KILLS("x + d is rounded before it is floored", {.lower = [](unsigned d, auto& x) -> Wide {
        return cdf(WideSigns(d), Wide(2 * floor(Wide((x + d) / 2)) - d));
      }});
KILLS("x + d is rounded before the complement floors it",
      {.upper = [](unsigned d, auto& x) -> Wide {
        return cdf(complement(WideSigns(d), Wide(2 * floor(Wide((x + d) / 2)) - d)));
      }});
KILLS("what x + d rounds to has a probability", {.pdf = [](unsigned d, auto& x) -> Wide {
        return pdf(WideSigns(d), Wide(Wide(x + d) - d));
      }});
KILLS("where x + d is even, x is a score", {.short_pdf = [](float d, float x) {
        return Subject{}.short_pdf(d, 2 * std::floor((x + d) / 2) - d);
      }});
KILLS("whole numbers are added and rounded", {.short_lower = [](float d, float x) {
        return Subject{}.short_lower(d, 2 * std::floor((std::floor(x) + d) / 2) - d);
      }});

ASIDE(RademacherScore, QuantilesAreTheLeastScoresThatReach) {
  for (unsigned d = 1; d <= 24; ++d) {
    Rational before = 0;
    const RationalDistribution exact = dot_product_distribution(fair_sign, fair_sign, d);
    for (const auto& [score, probability] : exact.atoms()) {
      // Half-way up the step at this score, so that no rounding decides.
      const Rational middle = before + probability / 2;
      EXPECT_EXACTLY(Rational(subject.quantile(d, middle.convert_to<double>())) == score)
          << "d = " << d << ", p = " << middle;
      EXPECT_EXACTLY(
          Rational(subject.upper_quantile(d, Rational(1 - middle).convert_to<double>())) == score)
          << "d = " << d << ", q = 1 - " << middle;
      before += probability;
      enumerated(2);
    }
  }
  // No score in between, and none beyond.
  EXPECT_EXACTLY(Rational(pdf(Signs(4), 1)) == 0);
  EXPECT_EXACTLY(Rational(cdf(Signs(4), infinity)) == 1);
  EXPECT_EXACTLY(Rational(cdf(Signs(4), -infinity)) == 0);
}
KILLS("the quantile is one step too high",
      {.quantile = [](double d, double p) { return quantile(Signs(d), p) + 2; }});
KILLS("the quantile is the greatest score that does not reach",
      {.quantile = [](double d, double p) { return quantile(Signs(d), p) - 2; }});
KILLS("the complement's quantile is that of the count",
      {.upper_quantile = [](double d, double q) { return quantile(complement(Signs(d), q)) + d; }});
KILLS("the complement is forgotten",
      {.upper_quantile = [](double d, double q) { return quantile(Signs(d), q); }});

STATEMENT(RademacherScore, ItHasTheVarianceOfTheNormalScoreAndAnotherShape) {
  for (unsigned d = 1; d <= 20; ++d) {
    const RationalDistribution exact = dot_product_distribution(fair_sign, fair_sign, d);
    const Rational square = variance(exact);
    EXPECT_EXACTLY(square == d);
    EXPECT_EXACTLY(Rational(variance(Score(d))) == d);
    EXPECT_EXACTLY(Rational(subject.variance(d)) == square);
    const Rational fourth = raw_moment(exact, 4);
    EXPECT_EXACTLY(fourth == 3 * d * d - 2 * d);
    const Rational excess = fourth / (square * square) - 3;
    EXPECT_EXACTLY(excess == Rational(-2, d));
    // The code's is that number, rounded once.
    EXPECT_EXACTLY(bits_of(subject.excess_kurtosis(d)) == bits_of(excess.convert_to<double>()));
  }
  enumerated(20);
}
KILLS("the variance of the count", {.variance = [](double d) { return d / 4; }});
KILLS("the excess kurtosis of normal entries", {.excess_kurtosis = [](double d) { return 6 / d; }});

ASIDE(RademacherScore, AQueryThatIsItsOwnKeyScoresD) {
  const PairDistribution same = fair_sign.image([](const Rational& x) { return std::pair(x, x); });
  for (std::size_t d = 1; d <= 8; ++d)
    EXPECT_EXACTLY(subject.paired(same, d) == RationalDistribution::uniform({Rational(d)}))
        << "d = " << d;
  enumerated(8);
  counterexample_without("independent");
}
KILLS("a query that is its own key is taken for independent",
      {.paired = [](auto&, auto d) { return dot_product_distribution(fair_sign, fair_sign, d); }});

ASIDE(RademacherScore, TwoBiasedSignsAgreeMoreThanHalfOfTheTime) {
  const RationalDistribution biased({-1, 1}, {Rational(1, 4), Rational(3, 4)});
  for (unsigned d = 1; d <= 8; ++d) {
    EXPECT_EXACTLY(dot_product_distribution(biased, biased, d) ==
                   subject.binomial(d, Rational(5, 8)))
        << "d = " << d;
    // One fair side is enough.
    EXPECT_EXACTLY(dot_product_distribution(biased, fair_sign, d) ==
                   dot_product_distribution(fair_sign, fair_sign, d));
  }
  enumerated(16);
  counterexample_without("a fair side");
}
KILLS("two biased signs agree half of the time",
      {.binomial = [](unsigned d, auto&) { return Subject{}.binomial(d, Rational(1, 2)); }});

ASIDE(RademacherScore, RefusesDimensionsThatAreNotWhole) {
  for (const double d : {0.0, -2.0, 2.5, infinity, nan})
    expect_refusal<std::domain_error>([&] { subject.variance(d); });
  expect_refusal<std::domain_error>([&] { cdf(Signs(4), nan); });
  expect_refusal<std::domain_error>([&] { quantile(Signs(4), 1.5); });
}
KILLS("half a dimension is taken",
      {.variance = [](double d) { return d > 0 ? std::round(d) : d; }});

}  // namespace sqrtdk::properties::RademacherScore
