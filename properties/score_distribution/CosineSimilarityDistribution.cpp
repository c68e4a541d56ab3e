#include <sqrtdk/moments.hpp>
#include <sqrtdk/moments/finite_distribution.hpp>
#include <sqrtdk/scale.hpp>
#include <sqrtdk/testing/statistics/checks.hpp>
#include <sqrtdk/testing/statistics/run_test.hpp>

#include "properties/score_distribution/fixture.hpp"

#include <boost/math/constants/constants.hpp>
#include <boost/math/quadrature/gauss.hpp>

namespace sqrtdk::properties::CosineSimilarityDistribution {

using namespace sqrtdk::reference;

using Cosine = sqrtdk::cosine_similarity_distribution<double>;

using WideCosine = cosine_similarity_distribution<Wide>;

struct Subject {
  Wide (*wide_lower)(const Wide&, const Wide&) = [](const Wide& d, const Wide& c) -> Wide {
    return sqrtdk::cdf(WideCosine(d), c);
  };
  Wide (*wide_upper)(const Wide&, const Wide&) = [](const Wide& d, const Wide& c) -> Wide {
    return sqrtdk::cdf(complement(WideCosine(d), c));
  };
  Wide (*wide_pdf)(const Wide&, const Wide&) = [](const Wide& d, const Wide& c) -> Wide {
    return sqrtdk::pdf(WideCosine(d), c);
  };
  double (*lower)(double, double) = [](double d, double c) { return sqrtdk::cdf(Cosine(d), c); };
  double (*upper)(double, double) = [](double d, double c) {
    return sqrtdk::cdf(complement(Cosine(d), c));
  };
  double (*central)(double, double) = [](double d, double c) {
    return sqrtdk::central_cdf(Cosine(d), c);
  };
  double (*upper_quantile)(double, double) = [](double d, double q) {
    return sqrtdk::quantile(complement(Cosine(d), q));
  };
  double (*lower_quantile)(double, double) = [](double d, double p) {
    return sqrtdk::quantile(Cosine(d), p);
  };
  Wide (*quantile)(const Wide&, const Wide&) = [](const Wide& d, const Wide& p) -> Wide {
    return sqrtdk::quantile(WideCosine(d), p);
  };
  Wide (*variance)(const Wide&) = [](const Wide& d) -> Wide {
    return sqrtdk::variance(WideCosine(d));
  };
  Wide (*kurtosis)(const Wide&) = [](const Wide& d) -> Wide {
    return sqrtdk::kurtosis(WideCosine(d));
  };
  double (*cosine)(std::span<const double>, std::span<const double>) =
      [](std::span<const double> q, std::span<const double> k) {
        return std::clamp(
            properties::dot(q, k) / std::sqrt(properties::dot(q, q) * properties::dot(k, k)), -1.0,
            1.0);
      };
};

/// P(C ≤ c) for odd d = 2n + 3, exactly: the integral of (1 − t²)^n from −1 to c, over that to 1.
Rational odd_cosine_cdf(unsigned d, const Rational& c) {
  const unsigned n = (d - 3) / 2;
  const auto primitive = [&](const Rational& t) {
    Rational sum = 0;
    Rational power = t;
    for (unsigned j = 0; j <= n; ++j) {
      const Rational term = Rational(choose(n, j)) * power / (2 * j + 1);
      if (j % 2 == 0)
        sum += term;
      else
        sum -= term;
      power *= t * t;
    }
    return sum;
  };
  return (primitive(c) - primitive(-1)) / (primitive(1) - primitive(-1));
}

//! [CosineSimilarityDistribution]
ASIDE(CosineSimilarityDistribution, CosinesOfDrawnVectorsFollowTheDistribution) {
  const auto lower = [](double d, double c) { return cdf(Cosine(d), std::min(c, 1.0)); };
  for (const std::size_t d : {2U, 3U}) {
    const auto real = static_cast<double>(d);
    // The grid of grid_distance() reaches 4√d; from 1 on both distribution functions are at 1.
    const double effect = grid_distance(lower, real, lower, real + 1);
    const CdfCheck<DistributionAt> check({subject.lower, real},
                                         "the distribution of a cosine, d = " + exact_text(real));
    const TestResult result = expect_draws(check, {.effect = effect}, [&](Stream& stream) {
      const std::vector<double> q = normal_vector(d, stream);
      return subject.cosine(q, normal_vector(d, stream));
    });
    record_value("draws_at_" + std::to_string(d), std::to_string(result.n));
  }
}
//! [CosineSimilarityDistribution]
KILLS("one dimension more", {.lower = [](double d, double c) { return cdf(Cosine(d + 1), c); }});
KILLS("the score is divided by d, not by the norms", {.cosine = [](auto q, auto k) {
        return std::clamp(dot(q, k) / static_cast<double>(q.size()), -1.0, 1.0);
      }});
KILLS("the directions are those of the corners", {.cosine = [](auto q, auto k) {
        double sum = 0;
        for (std::size_t i = 0; i < q.size(); ++i) sum += q[i] * k[i] > 0 ? 1 : -1;
        return sum / static_cast<double>(q.size());
      }});

//! [CosineSimilarityDistribution: against polynomials]
STATEMENT(CosineSimilarityDistribution, OddDimensionsHavePolynomials) {
  evidence().rests_on(
      EvidenceLevel::measured);  // fifty digits, compared after rounding to a double
  const Rational step(1, 8);
  for (const unsigned d : {3U, 5U, 7U, 15U, 65U})
    for (int i = -8; i <= 8; i += 2) {
      const Rational c(i, 8);
      const Rational below = odd_cosine_cdf(d, c);
      const Wide wide = Wide(c);
      // Rounded to a double, fifty digits and the fraction are the same.
      EXPECT_EQ(static_cast<double>(subject.wide_lower(d, wide)), below.convert_to<double>())
          << "d = " << d << ", c = " << c;
      EXPECT_EQ(static_cast<double>(subject.wide_upper(d, wide)),
                Rational(1 - below).convert_to<double>())
          << "d = " << d << ", c = " << c;
      // The density: (1 − c²)ⁿ over its integral.
      Rational density = Rational(1);
      Rational integral = 2;
      for (unsigned n = 1; n <= (d - 3) / 2; ++n) {
        density *= 1 - c * c;
        integral *= Rational(2 * n, 2 * n + 1);
      }
      EXPECT_EQ(static_cast<double>(subject.wide_pdf(d, wide)),
                Rational(density / integral).convert_to<double>())
          << "d = " << d << ", c = " << c;
      enumerated(1);
    }
}
//! [CosineSimilarityDistribution: against polynomials]
KILLS("the Beta distribution of d/2",
      {.wide_lower = [](auto& d, auto& c) -> Wide { return cdf(WideCosine(d + 1), c); }});
KILLS("the Beta distribution of the cosine itself, not of (1 + C)/2",
      {.wide_lower = [](auto& d, auto& c) -> Wide {
        return c < 0 ? Wide(0) : cdf(WideCosine(d), 2 * c - 1);
      }});
KILLS("the complement is the cdf",
      {.wide_upper = [](auto& d, auto& c) -> Wide { return cdf(WideCosine(d), c); }});
KILLS("the density is that of (1 + C)/2",
      {.wide_pdf = [](auto& d, auto& c) -> Wide { return 2 * pdf(WideCosine(d), c); }});

STATEMENT(CosineSimilarityDistribution, TwoAndFourDimensionsHaveAnArc) {
  evidence().rests_on(
      EvidenceLevel::measured);  // fifty digits, compared after rounding to a double
  const Wide pi = constants::pi<Wide>();
  for (const double c : {-0.875, -0.5, -0x1p-20, 0.25, 0.75}) {
    const Wide wide = c;
    const Wide arc = 1 - acos(wide) / pi;
    EXPECT_EQ(static_cast<double>(subject.wide_lower(2, wide)), static_cast<double>(arc)) << c;
    const Wide semicircle = arc + wide * sqrt(1 - wide * wide) / pi;
    EXPECT_EQ(static_cast<double>(subject.wide_lower(4, wide)), static_cast<double>(semicircle))
        << c;
  }
  enumerated(10);
}
KILLS("uniform in the plane", {.wide_lower = [](auto& d, auto& c) -> Wide {
        return d == 2 ? Wide((1 + c) / 2) : cdf(WideCosine(d), c);
      }});
KILLS("the semicircle is forgotten", {.wide_lower = [](auto& d, auto& c) -> Wide {
        return d == 4 ? cdf(WideCosine(Wide(2)), c) : cdf(WideCosine(d), c);
      }});

//! [CosineSimilarityDistribution: tail and centre]
ASIDE(CosineSimilarityDistribution, TheDistributionIsSymmetricAndTailAndCentreMakeOneHalf) {
  evidence().rests_on(EvidenceLevel::measured);
  const auto error = [&](double d, double c) {
    return error_in_epsilons(2 * (Wide(subject.upper(d, c)) + Wide(subject.central(d, c))), 1) / 2;
  };
  for_all([&] {
    const double d = 1 + *any_dimension().as("d - 1");
    const double c = std::min(1.0, *any_deviation().as("c, at most 1") / std::sqrt(d));
    RC_ASSERT(subject.lower(d, -c) == subject.upper(d, c));
    RC_ASSERT(subject.central(d, -c) == -subject.central(d, c));
    evidence().worst(error(d, c), 1);
    RC_ASSERT(error(d, c) <= 1);
  });
  EXPECT_EXACTLY(Rational(subject.lower(3, -1)) == 0);
  EXPECT_EXACTLY(Rational(subject.lower(3, 1)) == 1);
  // If c² underflows, the mass is c f(0).
  for (const double d : {2.0, 3.0, 64.0}) {
    const Wide want = Wide(1e-200) * pdf(WideCosine(Wide(d)), Wide(0));
    expect_within(error_in_epsilons(subject.central(d, 1e-200), want), 4, place(d, 1e-200));
  }
}
//! [CosineSimilarityDistribution: tail and centre]
KILLS("the complement loses what is small",
      {.upper = [](double d, double c) { return 1 - cdf(Cosine(d), c); }});
KILLS("the distribution of d + 1, on both sides",
      {.lower = [](double d, double c) { return cdf(Cosine(d + 1), c); },
       .upper = [](double d, double c) { return cdf(complement(Cosine(d + 1), c)); }});
KILLS("the central cdf is that of c², which vanishes",
      {.central = [](double d, double c) { return c * c == 0 ? 0 : central_cdf(Cosine(d), c); }});

STATEMENT(CosineSimilarityDistribution, TheDensityHasTheMomentsOfTheDirections) {
  evidence().rests_on(EvidenceLevel::measured);
  const double bound = 256 * static_cast<double>(std::numeric_limits<Wide>::epsilon());
  const auto expect = [&](const Wide& got, const Rational& want, unsigned d) {
    expect_within(static_cast<double>(abs(got / Wide(want) - 1)), bound,
                  "d = " + std::to_string(d));
  };
  for (const unsigned order : {0U, 2U, 4U}) {
    const auto integrand = [&](unsigned d, const Wide& c) -> Wide {
      return pow(c, static_cast<int>(order)) * subject.wide_pdf(d, c);
    };
    // Odd d: a polynomial of degree d − 3 + order, for which 20 points of Gauss are exact.
    for (const unsigned d : {3U, 7U, 33U})
      expect(boost::math::quadrature::gauss<Wide, 20>::integrate(
                 [&](const Wide& c) { return integrand(d, c); }, Wide(-1), Wide(1)),
             cosine_moment(d, order), d);
    // Even d: with c = sin t a trigonometric polynomial of degree d − 2 + order, for which the
    // midpoints of 32 equal arcs are exact.
    for (const unsigned d : {2U, 4U, 34U}) {
      Wide sum = 0;
      for (int i = 0; i < 32; ++i) {
        const Wide t = constants::pi<Wide>() * (2 * i + 1) / 64;
        sum += integrand(d, sin(t)) * abs(cos(t));
      }
      expect(sum * constants::pi<Wide>() / 32, cosine_moment(d, order), d);
    }
  }
  enumerated(3 * 6);
}
KILLS("the density is that of d + 1",
      {.wide_pdf = [](auto& d, auto& c) -> Wide { return pdf(WideCosine(d + 1), c); }});
KILLS("the density is one half, whatever d is",
      {.wide_pdf = [](auto&, auto&) { return Wide(0.5); }});

STATEMENT(CosineSimilarityDistribution, ItsMomentsAreThoseOfTheDirections) {
  evidence().rests_on(
      EvidenceLevel::measured);  // fifty digits, compared after rounding to a double
  for (unsigned d = 2; d <= 64; ++d) {
    const Rational square = cosine_moment(d, 2);
    EXPECT_EQ(static_cast<double>(subject.variance(d)), square.convert_to<double>()) << "d = " << d;
    const Rational kurtosis = cosine_moment(d, 4) / (square * square);
    EXPECT_EQ(static_cast<double>(subject.kurtosis(d)), kurtosis.convert_to<double>())
        << "d = " << d;
  }
  enumerated(63);
}
KILLS("the variance of (1 + C)/2", {.variance = [](auto& d) -> Wide { return 1 / (4 * d); }});
KILLS("the kurtosis of a normal number", {.kurtosis = [](auto&) { return Wide(3); }});

ASIDE(CosineSimilarityDistribution, QuantilesComeBack) {
  evidence().rests_on(
      EvidenceLevel::measured);  // fifty digits, compared after rounding to a double
  for (const unsigned d : {2U, 3U, 8U, 64U})
    for (const double p : {0x1p-20, 0.25, 0.875}) {
      const Wide root = subject.quantile(d, p);
      EXPECT_EQ(static_cast<double>(cdf(WideCosine(Wide(d)), root)), p)
          << "d = " << d << ", p = " << p;
    }
  enumerated(12);
  record_value("percentile_at_64", format_significant(quantile(Cosine(64), 0.99), 3));
}
KILLS("the quantile of d + 1",
      {.quantile = [](auto& d, auto& p) -> Wide { return quantile(WideCosine(d + 1), p); }});
KILLS("the quantile of a double", {.quantile = [](auto& d, auto& p) -> Wide {
        return quantile(cosine_similarity_distribution<float>(static_cast<float>(d)),
                        static_cast<float>(p));
      }});

ASIDE(CosineSimilarityDistribution, QuantilesOfTinyTailsComeBack) {
  evidence().rests_on(EvidenceLevel::measured);
  for (const double d : {2.0, 3.0, 64.0, 1000.5})
    for (const double q : {0.2, 1e-3, 1e-12, 1e-40, 1e-200}) {
      const double c = subject.upper_quantile(d, q);
      EXPECT_EQ(subject.lower_quantile(d, q), -c) << place(d, q);
      if (c == 1) {
        // The largest double below 1 must be too small.
        const double below = 1 - epsilon / 2;
        EXPECT_GT(cdf(complement(WideCosine(Wide(d)), Wide(below))), Wide(q)) << place(d, q);
        continue;
      }
      const Wide reached = cdf(complement(WideCosine(Wide(d)), Wide(c)));
      const Wide conditioning = 1 + c * pdf(WideCosine(Wide(d)), Wide(c)) / reached;
      expect_within(error_in_epsilons(reached, q) / static_cast<double>(conditioning), 2,
                    place(d, q));
    }
  enumerated(20);
}
KILLS("quantiles are always found from 1 - 2q", {.upper_quantile = [](double d, double q) {
        return std::sqrt(boost::math::ibeta_inv(0.5, (d - 1) / 2, 1 - 2 * q));
      }});
KILLS("the lower quantile is positive",
      {.lower_quantile = [](double d, double p) { return quantile(complement(Cosine(d), p)); }});

ASIDE(CosineSimilarityDistribution, TheNormNeedNotBeIndependentOfTheCosine) {
  // Eight evenly spread directions; the query is three times as long, 15, exactly if C > 0.
  const std::vector<double> k{1, 0};
  int right = 0;
  int long_and_right = 0;
  for (const double a : {-4.0, -3.0, 3.0, 4.0})
    for (const double sign : {-1.0, 1.0}) {
      // exact: the sign of a whole number
      const int length = a > 0 ? 15 : 5;  // of 3-4-5 triangles
      const std::vector<double> q{length / 5 * a, length / 5 * sign * (7 - std::abs(a))};
      // exact: the sign of a cosine that is at least 3/5 in size
      const bool is_right = subject.cosine(q, k) > 0;
      right += is_right ? 1 : 0;
      EXPECT_EXACTLY(Rational(dot(q, q)) == length * length);
      long_and_right += is_right && length == 15 ? 1 : 0;
    }
  EXPECT_EXACTLY(right == 4);
  // Independent would mean 8·½·½ = 2.
  EXPECT_EXACTLY(long_and_right == 4);
  enumerated(8);
}
KILLS("the sign of the cosine is forgotten",
      {.cosine = [](auto q, auto k) { return std::abs(Subject{}.cosine(q, k)); }});

ASIDE(CosineSimilarityDistribution, AQueryThatIsItsOwnKeyHasCosineOne) {
  const std::vector<double> q{3, -4, 12};
  EXPECT_EXACTLY(Rational(subject.cosine(q, q)) == 1);
  EXPECT_EXACTLY(Rational(subject.lower(3, 0)) == Rational(1, 2));
  counterexample_without("independent");
}
KILLS("a vector is nearly orthogonal to itself", {.cosine = [](auto q, auto k) {
        return q.data() == k.data() ? 0.0 : Subject{}.cosine(q, k);
      }});

ASIDE(CosineSimilarityDistribution, DirectionsAlongTheAxesHaveAnotherDistribution) {
  evidence().rests_on(
      EvidenceLevel::measured);  // fifty digits, compared after rounding to a double
  // Both directions are one of (±1, 0), (0, ±1): the cosine is 0 half of the time.
  RationalDistribution axes({-1, 0, 1}, {Rational(1, 4), Rational(1, 2), Rational(1, 4)});
  const Rational above =
      axes.expectation([](const Rational& c) { return Rational(c > Rational(1, 2)); });
  EXPECT_EXACTLY(above == Rational(1, 4));
  // For a uniform direction it is one third: an angle below 60 degrees.
  EXPECT_EQ(static_cast<double>(subject.wide_upper(2, Wide(0.5))), 1.0 / 3);
  counterexample_without("uniform direction");
}
KILLS("the plane has four directions", {.wide_upper = [](auto& d, auto& c) -> Wide {
        return d == 2 ? Wide(c < 0 ? 3 : c < 1 ? 1 : 0) / 4 : cdf(complement(WideCosine(d), c));
      }});

ASIDE(CosineSimilarityDistribution, RefusesWhatHasNoDirectionOrIsNoCosine) {
  for (const double d : {1.0, 0.0, -3.0, infinity, nan})
    expect_refusal<std::domain_error>([&] { subject.lower(d, 0); });
  for (const double c : {-1.5, 1.5, nan})
    expect_refusal<std::domain_error>([&] { subject.lower(3, c); });
  expect_refusal<std::domain_error>([&] { quantile(Cosine(3), 2); });
  expect_refusal<std::overflow_error>([&] { pdf(Cosine(2), 1); });
}
KILLS("one dimension has a distribution too",
      {.lower = [](double d, double c) { return d == 1 ? 0.5 : cdf(Cosine(d), c); }});
KILLS("what is no cosine is clamped",
      {.lower = [](double d, double c) { return cdf(Cosine(d), std::clamp(c, -1.0, 1.0)); }});

}  // namespace sqrtdk::properties::CosineSimilarityDistribution
