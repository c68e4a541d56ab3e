// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/distributions/cosine_similarity_distribution.hpp>
#include <sqrtdk/distributions/rademacher_score_distribution.hpp>
#include <sqrtdk/distributions/score_distribution.hpp>
#include <sqrtdk/distributions/score_sampler.hpp>
#include <sqrtdk/moments.hpp>
#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/numbers/pi_fraction.hpp>
#include <sqrtdk/scale.hpp>
#include <sqrtdk/score.hpp>
#include <sqrtdk/score_dependence.hpp>
#include <sqrtdk/testing/expect_draws.hpp>
#include <sqrtdk/testing/generators/rational_distributions.hpp>
#include <sqrtdk/testing/laws/wide.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/figure_data.hpp>

#include "properties/score_distribution/reference.hpp"
#include "properties/support/message_of.hpp"
#include "properties/support/rational_distributions.hpp"

#include <boost/math/constants/constants.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/complement.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/policies/policy.hpp>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace sqrtdk;
using namespace sqrtdk::testing;
using namespace sqrtdk::reference;

using boost::math::complement;
using Score = sqrtdk::score_distribution<double>;
using Signs = sqrtdk::rademacher_score_distribution<double>;
using Cosine = sqrtdk::cosine_similarity_distribution<double>;

namespace constants = boost::math::constants;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Expects an error to be within a bound, and notes both. A derived bound unless the caller says
/// that it was measured.
void expect_within(double error, double bound, const std::string& where,
                   Grade grade = Grade::bounded) {
  evidence().weaken(grade);
  evidence().worst(error, bound);
  EXPECT_LE(error, bound) << where;
}

/// A dimension from 1/2 to 10⁹, such that d + 2 is exact too. Shrinks to 1/2.
rc::Gen<double> any_dimension() {
  return rc::gen::map(
      rc::gen::pair(rc::gen::inRange(-1, 30), rc::gen::inRange(0, 1 << 20)), [](const auto& draw) {
        return std::min(1e9, std::ldexp(1 + std::ldexp(draw.second, -20), draw.first));
      });
}

/// A score in deviations, from 2⁻²⁰ to 32. Shrinks to 2⁻²⁰.
rc::Gen<double> any_deviation() {
  return rc::gen::map(
      rc::gen::pair(rc::gen::inRange(-20, 5), rc::gen::inRange(0, 1 << 20)),
      [](const auto& draw) { return std::ldexp(1 + std::ldexp(draw.second, -20), draw.first); });
}

// ------------------------------------------------------------------------------- What is judged

/// q·k.
double dot(std::span<const double> q, std::span<const double> k) {
  double sum = 0;
  for (std::size_t i = 0; i < q.size(); ++i) sum += q[i] * k[i];
  return sum;
}

/// λ = max z(3 − z²)φ(z)/4, at z² = 3 − √6: what d times the distance to N(0, d) tends to.
double distance_constant() {
  const double square = 3 - std::sqrt(6.0);
  return std::sqrt(square) * (3 - square) / 4 * pdf(boost::math::normal(), std::sqrt(square));
}

/// E (G₁ − G₂)ⁿ for two independent Gamma(a, 1) variables: E Gⁱ = a (a + 1) … (a + i − 1).
Rational difference_moment(const Rational& a, unsigned n) {
  std::vector<Rational> of_gamma{1};
  for (unsigned i = 0; i < n; ++i) of_gamma.push_back(of_gamma.back() * (a + i));
  Rational sum = 0;
  for (unsigned i = 0; i <= n; ++i) {
    const Rational term = Rational(choose(n, i)) * of_gamma[i] * of_gamma[n - i];
    if (i % 2 == 0)
      sum += term;
    else
      sum -= term;
  }
  return sum;
}

/// E ‖k‖ⁿ E Zⁿ for even n: d (d + 2) … (d + n − 2) times 1·3···(n − 1).
Rational mixture_moment(const Rational& d, unsigned n) {
  Rational product = 1;
  for (unsigned j = 0; j < n; j += 2) product *= (d + j) * (j + 1);
  return product;
}

/// K_ν(x) = ½ ∫ exp(νs − x cosh s) ds, by the trapezoidal rule in fifty digits.
Wide bessel_by_mixing(const Wide& nu, const Wide& x) {
  const Wide step = Wide(1) / 16;
  Wide sum = exp(-x) / 2;
  for (const int direction : {-1, 1})
    for (int j = 1;; ++j) {
      const Wide s = direction * j * step;
      const Wide term = exp(nu * s - x * cosh(s)) / 2;
      sum += term;
      if (x * sinh(abs(s)) > abs(nu) && term < Wide(1e-45) * sum) break;
    }
  return sum * step;
}

/// S_{d+2}(x) from S_d(x) and f_d(x).
Wide next_tail(const Wide& d, const Wide& x, const Wide& tail, const Wide& density) {
  return tail + x / d * density;
}

/// f_{d+2}(x) from f_{d−2}(x) and f_d(x).
Wide next_density(const Wide& d, const Wide& x, const Wide& before, const Wide& density) {
  return x * x / (d * (d - 2)) * before + (d - 1) / d * density;
}

/// What the third term of Taylor's series may contribute to the distance: 4/(3πd²).
double third_term_bound(double d) { return 4 / (3 * constants::pi<double>() * d * d); }

/// How far the distance may be from λ/d, for d > 8; the page derives it:
/// 4/(3πd²) + (E(W − 1)⁴ + E(1 − 1/W)⁴)/(8π), W = ‖k‖²/d.
double distance_remainder(double d) {
  const Wide n = d;
  Wide inverse = 1;  // E W^−j = d^j / ((d−2)(d−4)…(d−2j))
  Wide of_inverse = 1;
  const int signed_binomials[] = {-4, 6, -4, 1};
  for (int j = 1; j <= 4; ++j) {
    inverse *= n / (n - 2 * j);
    of_inverse += signed_binomials[j - 1] * inverse;
  }
  const Wide of_square = 12 / (n * n) + 48 / (n * n * n);
  const Wide pi = constants::pi<Wide>();
  return third_term_bound(d) + static_cast<double>(Wide((of_square + of_inverse) / (8 * pi)));
}

/// Σ c_j xʲ.
Rational value_at(const std::vector<Rational>& coefficients, const Rational& x) {
  Rational sum = 0;
  for (std::size_t j = coefficients.size(); j-- > 0;) sum = sum * x + coefficients[j];
  return sum;
}

/// The median of the largest of n independent scores: the x with P(X ≤ x)ⁿ = ½.
double median_of_largest(double d, double n) {
  return quantile(complement(Score(d), -std::expm1(-constants::ln_two<double>() / n)));
}

/// The functions of a law that this chapter's checks judge.
struct Laws {
  double (*pdf)(double, double) = [](double d, double x) { return sqrtdk::pdf(Score(d), x); };
  double (*lower)(double, double) = [](double d, double x) { return sqrtdk::cdf(Score(d), x); };
  double (*upper)(double, double) = [](double d, double x) {
    return sqrtdk::cdf(complement(Score(d), x));
  };
  double (*log_upper)(double, double) = [](double d, double x) {
    return sqrtdk::logcdf(complement(Score(d), x));
  };
  double (*central)(double, double) = [](double d, double x) {
    return sqrtdk::central_cdf(Score(d), x);
  };
  double (*quantile)(double, double) = [](double d, double p) {
    return sqrtdk::quantile(Score(d), p);
  };
  double (*hazard)(double, double) = [](double d, double x) { return sqrtdk::hazard(Score(d), x); };
  double (*characteristic_function)(double, double) = [](double d, double t) {
    return sqrtdk::characteristic_function(Score(d), t);
  };
  Wide (*cumulant)(unsigned, unsigned) = [](unsigned d, unsigned n) {
    return sqrtdk::cumulant(score_distribution<Wide>(d), n);
  };
  Wide (*absolute_moment)(unsigned, const Wide&) = [](unsigned d, const Wide& r) {
    return sqrtdk::absolute_moment(score_distribution<Wide>(d), r);
  };
  float (*entropy)(float) = [](float d) { return sqrtdk::entropy(score_distribution<float>(d)); };
  double (*distance_remainder)(double) = ::distance_remainder;
  double (*normal_distance)(double) = [](double d) { return sqrtdk::normal_distance(Score(d)); };
  double (*excess_kurtosis)(double) = [](double d) { return sqrtdk::kurtosis_excess(Score(d)); };
  Rational (*even_tail)(unsigned, const Rational&) = reference::even_tail;
  std::vector<Rational> (*even_density)(unsigned) = even_density_coefficients;
  Wide (*bessel)(const Wide&, const Wide&) = ::bessel_by_mixing;
  Wide (*next_tail)(const Wide&, const Wide&, const Wide&, const Wide&) = ::next_tail;
  Wide (*next_density)(const Wide&, const Wide&, const Wide&, const Wide&) = ::next_density;
  Rational (*difference_moment)(const Rational&, unsigned) = ::difference_moment;
  Rational (*mixture_moment)(const Rational&, unsigned) = ::mixture_moment;
  double (*median_of_largest)(double, double) = ::median_of_largest;
  double (*sample)(double, Stream&) = [](double d, Stream& stream) {
    return score_sampler<>(d)(stream);
  };
  double (*dot)(std::span<const double>, std::span<const double>) = ::dot;
};

using Mutants = std::vector<Mutant<Laws>>;

/// One of the laws at one d, in the form that CdfCheck wants.
struct LawAt {
  double (*lower)(double, double);
  double d;
  friend double cdf(const LawAt& law, double x) { return law.lower(law.d, x); }
};

double normal_lower(double d, double x) { return cdf(boost::math::normal(0, std::sqrt(d)), x); }

double normal_upper(double d, double x) { return normal_lower(d, -x); }

double normal_density(double d, double x) { return pdf(boost::math::normal(0, std::sqrt(d)), x); }

/// sup |F − G| over a grid of 256 points up to four deviations: at most the distance of the laws.
double grid_distance(double (*f)(double, double), double d_of_f, double (*g)(double, double),
                     double d_of_g) {
  double distance = 0;
  for (int i = 1; i <= 256; ++i) {
    const double x = std::sqrt(d_of_f) * i / 64;
    distance = std::max(distance, std::abs(f(d_of_f, x) - g(d_of_g, x)));
  }
  return distance;
}

/// So many draws of a standard normal number.
std::vector<double> normal_vector(std::size_t d, Stream& stream) {
  return draws(
      d, [](Stream& s) { return draw(boost::math::normal(), s); }, stream);
}

// ------------------------------------------------------------------------------- ScoreDistribution

/// a (a + 1) … (a + n − 1).
Rational rising(const Rational& a, unsigned n) {
  Rational product = 1;
  for (unsigned i = 0; i < n; ++i) product *= a + i;
  return product;
}

const Mutants value_mutants = {
    {"the characteristic function is not to the power 1/2",
     "TheCharacteristicFunctionIsThePowerItShouldBe",
     {.characteristic_function =
          [](double d, double t) { return characteristic_function(Score(2 * d), t); }}},
    {"the characteristic function forgets the square",
     "TheCharacteristicFunctionIsThePowerItShouldBe",
     {.characteristic_function = [](double d,
                                    double t) { return std::pow(1 + std::abs(t), -d / 2); }}},
    {"the cumulants of N(0, d)",
     "TheCumulantsGiveTheMoments",
     {.cumulant = [](unsigned d, unsigned n) { return n == 2 ? Wide(d) : Wide(0); }}},
    {"the cumulants are d n!",
     "TheCumulantsGiveTheMoments",
     {.cumulant = [](unsigned d,
                     unsigned n) { return n * cumulant(score_distribution<Wide>(d), n); }}},
    {"the moments of ‖k‖",
     "TheCumulantsGiveTheMoments",
     {.absolute_moment =
          [](unsigned d, const Wide& r) {
            Wide product = 1;
            for (unsigned j = 0; j < r; j += 2) product *= d + j;
            return product;
          }}},
    {"absolute moments are doubled at every order that is not even",
     "AbsoluteMomentsOfEveryOrder",
     {.absolute_moment = [](unsigned d, const Wide& r) -> Wide {
       const Wide moment = absolute_moment(score_distribution<Wide>(d), r);
       return floor(r / 2) == r / 2 ? moment : Wide(2 * moment);
     }}},
    {"the entropy of N(0, d)",
     "TheEntropyIsBelowThatOfTheNormalLaw",
     {.entropy = [](float d) { return (std::log(d) + 2.8378771F) / 2; }}},
    {"any dimension is taken",
     "RefusesWhatIsNoDimensionOrNoScore",
     {.pdf = [](double d, double x) { return d > 0 && d < 1e9 ? pdf(Score(d), x) : 0; }}},
    {"the density at zero is a large number",
     "RefusesWhatIsNoDimensionOrNoScore",
     {.pdf = [](double d, double x) { return pdf(Score(d), x == 0 ? 1e-300 : x); }}},
    {"what is no number has no tail",
     "RefusesWhatIsNoDimensionOrNoScore",
     {.lower = [](double d, double x) { return std::isnan(x) ? 0 : cdf(Score(d), x); }}},
    {"probabilities beyond one are taken to be one half",
     "RefusesWhatIsNoDimensionOrNoScore",
     {.quantile = [](double d, double p) { return quantile(Score(d), p > 1 || p < 0 ? 0.5 : p); }}},
    {"the quantile of zero is the least double",
     "RefusesWhatIsNoDimensionOrNoScore",
     {.quantile =
          [](double d, double p) {
            return p == 0 ? std::numeric_limits<double>::lowest() : quantile(Score(d), p);
          }}},
    {"half of the scores are negative, always",
     "AQueryThatIsItsOwnKeyScoresItsSquaredLength",
     {.dot = [](std::span<const double> q,
                std::span<const double> k) { return q.data() == k.data() ? q[0] : dot(q, k); }}},
    {"the law of signs is taken for that of normal entries",
     "SignsHaveTheVarianceButNotTheLaw",
     {.lower = [](double d, double x) { return cdf(Signs(std::ceil(d)), x); }}},
    {"the two gamma variables are added",
     "BothPicturesHaveTheSameMoments",
     {.difference_moment = [](const Rational& a, unsigned n) { return rising(2 * a, n); }}},
    {"the gamma variables have the shape d",
     "BothPicturesHaveTheSameMoments",
     {.difference_moment = [](const Rational& a,
                              unsigned n) { return difference_moment(2 * a, n); }}},
    {"the key has one fixed length, the root of d",
     "BothPicturesHaveTheSameMoments",
     {.mixture_moment =
          [](const Rational& d, unsigned n) {
            Rational product = 1;
            for (unsigned j = 0; j < n; j += 2) product *= d * (j + 1);
            return product;
          }}},
};

const Mutants draw_mutants = {
    {"N(0, d)", "ScoresOfDrawnVectorsFollowTheLaw", {.lower = normal_lower}},
    {"one dimension more",
     "ScoresOfDrawnVectorsFollowTheLaw",
     {.lower = [](double d, double x) { return cdf(Score(d + 1), x); }}},
    {"one dimension less",
     "ScoresOfDrawnVectorsFollowTheLaw",
     {.lower = [](double d, double x) { return cdf(Score(d > 1 ? d - 1 : d), x); }}},
    {"the law of the scaled score",
     "ScoresOfDrawnVectorsFollowTheLaw",
     {.lower = [](double d, double x) { return cdf(Score(d), x * std::sqrt(d)); }}},
    {"shape and scale of the gamma laws are swapped",
     "ScoresOfDrawnVectorsFollowTheLaw",
     {.lower = [](double d, double x) { return cdf(Score(2), x * 2 / d); }}},
    {"the last coordinate is left out",
     "GivenTheKeyTheScoreIsNormal",
     {.dot =
          [](std::span<const double> q, std::span<const double> k) {
            return dot(q.first(q.size() - 1), k.first(k.size() - 1));
          }}},
    {"the score is divided by the root of d",
     "GivenTheKeyTheScoreIsNormal",
     {.dot =
          [](std::span<const double> q, std::span<const double> k) {
            return dot(q, k) / std::sqrt(static_cast<double>(q.size()));
          }}},
    {"the radius has one dimension more",
     "TheSamplerFollowsTheLaw",
     {.sample = [](double d, Stream& stream) { return score_sampler<>(d + 1)(stream); }}},
    {"the radius is constant",
     "TheSamplerFollowsTheLaw",
     {.sample = [](double d,
                   Stream& stream) { return std::sqrt(d) * draw(boost::math::normal(), stream); }}},
    {"the sampler draws scaled scores",
     "TheSamplerFollowsTheLaw",
     {.sample = [](double d,
                   Stream& stream) { return score_sampler<>(d)(stream) / std::sqrt(d); }}},
};

//! [ScoreDistribution: exact check]
TEST(ScoreDistribution, BothPicturesHaveTheSameMoments) {
  judge(value_mutants, [](const Laws& law) {
    for_all(
        [&] {
          const Rational d = abs(*nonzero_rational().as("d"));
          Rational of_power = 1;  // n! times the coefficient of θⁿ in (1 − θ²)^−a
          for (unsigned n = 2; n <= 12; n += 2) {
            of_power *= (d + n - 2) * (n - 1);
            RC_ASSERT(law.difference_moment(d / 2, n) == law.mixture_moment(d, n));
            RC_ASSERT(law.difference_moment(d / 2, n) == of_power);
            RC_ASSERT(law.difference_moment(d / 2, n - 1) == 0);
          }
        },
        100);
  });
}
//! [ScoreDistribution: exact check]

TEST(ScoreDistribution, TheCharacteristicFunctionIsThePowerItShouldBe) {
  judge(value_mutants, [](const Laws& law) {
    evidence().weaken(Grade::bounded);
    for_all([&] {
      const double d = *any_dimension().as("d");
      const double z = *any_deviation().as("t in units of 1/deviation");
      const double t = z / std::sqrt(d);
      const Wide want = exp(-Wide(d) / 2 * log(1 + Wide(t) * t));
      // Five roundings of the exponent and three after it, and the last one into a double.
      const double unit =
          static_cast<double>(
              std::numeric_limits<sqrtdk::score_numerics::Extended<double>>::epsilon()) /
          epsilon;
      const double bound = 0.5 + (3 - 5 * static_cast<double>(log(want))) * unit;
      const double error = error_in_epsilons(law.characteristic_function(d, t), want);
      evidence().worst(error, bound);
      RC_ASSERT(error <= bound);
    });
  });
}

TEST(ScoreDistribution, TheCumulantsGiveTheMoments) {
  judge(value_mutants, [](const Laws& law) {
    for (unsigned d = 1; d <= 12; ++d) {
      std::vector<Wide> moments{1};  // E Xⁿ = Σ C(n−1, k−1) κ_k E X^(n−k)
      Rational product = 1;          // (2n−1)!! d (d+2) … (d+2n−2)
      for (unsigned n = 1; n <= 10; ++n) {
        Wide moment = 0;
        for (unsigned k = 1; k <= n; ++k)
          moment += Wide(choose(n - 1, k - 1)) * law.cumulant(d, k) * moments[n - k];
        moments.push_back(moment);
        if (n % 2 == 1) {
          EXPECT_EQ(moment, 0);
          continue;
        }
        product *= (n - 1) * (d + n - 2);
        EXPECT_EQ(moment, Wide(product)) << "d = " << d << ", n = " << n;
        EXPECT_EQ(static_cast<double>(law.absolute_moment(d, n)), product.convert_to<double>())
            << "d = " << d << ", n = " << n;
        // One coordinate: the moment of a product is the product of the moments.
        if (d == 1) {
          EXPECT_EQ(product, normal_moment(0, n, n));
        }
      }
    }
    enumerated(12 * 10);
  });
}

TEST(ScoreDistribution, AbsoluteMomentsOfEveryOrder) {
  judge(value_mutants, [](const Laws& law) {
    of_the_statement();
    const double bound = 64 * static_cast<double>(std::numeric_limits<Wide>::epsilon());
    const auto expect = [&](const Wide& got, const Wide& want, unsigned d) {
      expect_within(static_cast<double>(abs(got / want - 1)), bound, "d = " + std::to_string(d),
                    Grade::measured);
    };
    for (unsigned d = 1; d <= 12; ++d) {
      // The first moment is a fraction, or one over pi.
      const PiFraction size = normal_mean_absolute(d);
      const Wide pi = constants::pi<Wide>();
      expect(law.absolute_moment(d, 1), Wide(size.coefficient) / (size.over_pi ? pi : Wide(1)), d);
    }
    for (const double order : {-0.875, -0.5, 0.25, 0.5, 1.0, 2.5, 3.0, 7.0}) {
      const Wide r = order;
      // One coordinate: (E|Z|^r)². Two: Laplace's law, with Γ(r + 1). Then E|X|^r grows by (d +
      // r)/d.
      const Wide of_normal =
          pow(Wide(2), r / 2) * tgamma(Wide((r + 1) / 2)) / constants::root_pi<Wide>();
      Wide odd = of_normal * of_normal;
      Wide even = tgamma(Wide(r + 1));
      for (unsigned d = 1; d <= 11; d += 2) {
        expect(law.absolute_moment(d, r), odd, d);
        expect(law.absolute_moment(d + 1, r), even, d + 1);
        odd *= (d + r) / d;
        even *= (d + 1 + r) / (d + 1);
      }
    }
    EXPECT_THROW(absolute_moment(Score(3), -1), std::domain_error);
    EXPECT_THROW(absolute_moment(Score(0.5), -0.5), std::domain_error);
    enumerated(12 + 8 * 12);
  });
}

TEST(ScoreDistribution, TheEntropyIsBelowThatOfTheNormalLaw) {
  judge(value_mutants, [](const Laws& law) {
    evidence().weaken(Grade::measured);
    const Wide of_laplace = 1 + constants::ln_two<Wide>();
    EXPECT_EQ(law.entropy(2), static_cast<float>(of_laplace));
    for (float d = 0.5F; d < 100; d *= 2) {
      const Wide normal = log(constants::two_pi<Wide>() * constants::e<Wide>() * Wide(d)) / 2;
      EXPECT_LT(law.entropy(d), static_cast<float>(normal)) << "d = " << d;
    }
    enumerated(9);
  });
}

TEST(ScoreDistribution, GivenTheKeyTheScoreIsNormal) {
  judge(draw_mutants, [](const Laws& law) {
    // One coordinate of four left out makes the variance 3/4.
    const VarianceCheck check{boost::math::normal()};
    const Finding finding = expect_draws(check, {.effect = 4.0 / 3}, [&](Stream& stream) {
      const std::vector<double> q = normal_vector(4, stream);
      const std::vector<double> k = normal_vector(4, stream);
      return law.dot(q, k) / std::sqrt(dot(k, k));
    });
    publish("observed", finding.observed);
    publish("draws", std::to_string(finding.n));
  });
}

//! [ScoreDistribution]
TEST(ScoreDistribution, ScoresOfDrawnVectorsFollowTheLaw) {
  judge(draw_mutants, [](const Laws& law) {
    const auto lower = [](double d, double x) { return cdf(Score(d), x); };
    for (const std::size_t d : {1U, 2U, 64U}) {
      const auto real = static_cast<double>(d);
      // As many draws as see the normal law and one dimension more; at 64 those would be millions,
      // and what is seen is a scale that is wrong by a factor of two.
      const double effect = d < 64 ? std::min(grid_distance(lower, real, normal_lower, real),
                                              grid_distance(lower, real, lower, real + 1))
                                   : grid_distance(lower, real, lower, 4 * real);
      const CdfCheck<LawAt> check({law.lower, real}, "the law of a score, d = " + exact_text(real));
      const Finding finding = expect_draws(check, {.effect = effect}, [&](Stream& stream) {
        const std::vector<double> q = normal_vector(d, stream);
        return law.dot(q, normal_vector(d, stream));
      });
      publish("draws_at_" + std::to_string(d), std::to_string(finding.n));
      publish("effect_at_" + std::to_string(d), format_significant(effect, 4));
      publish("distance_at_" + std::to_string(d), format_significant(finding.statistic, 4));
    }
    // What nobody should try: the sizes at which a larger head would show the same mistakes.
    for (const double d : {8.0, 64.0}) {
      const CdfCheck<LawAt> check({lower, d}, "");
      const Odds odds{0x1p-30, 0x1p-30};
      const std::string at = std::to_string(static_cast<int>(d));
      publish("draws_to_see_normal_at_" + at,
              std::to_string(sample_size(check, odds, normal_distance(Score(d)))));
      publish("draws_to_see_one_more_at_" + at,
              std::to_string(sample_size(check, odds, grid_distance(lower, d, lower, d + 1))));
    }
  });
}
//! [ScoreDistribution]

TEST(ScoreDistribution, TheSamplerFollowsTheLaw) {
  judge(draw_mutants, [](const Laws& law) {
    const auto lower = [](double d, double x) { return cdf(Score(d), x); };
    for (const double d : {1.0, 64.0}) {
      const double effect = d < 64 ? std::min(grid_distance(lower, d, normal_lower, d),
                                              grid_distance(lower, d, lower, d + 1))
                                   : grid_distance(lower, d, lower, 4 * d);
      const CdfCheck<LawAt> check({lower, d}, "the law of a score, d = " + exact_text(d));
      expect_draws(check, {.effect = effect},
                   [&](Stream& stream) { return law.sample(d, stream); });
    }
  });
}

TEST(ScoreDistribution, RefusesWhatIsNoDimensionOrNoScore) {
  judge(value_mutants, [](const Laws& law) {
    for (const double d : {0.0, -1.0, infinity, nan})
      EXPECT_THROW(law.pdf(d, 1), std::domain_error) << "d = " << d;
    const std::string message = message_of<std::domain_error>([&] { law.pdf(-1, 1); });
    EXPECT_NE(message.find("The dimension d is -1, but must be positive and finite"),
              std::string::npos)
        << message;
    EXPECT_THROW(law.lower(3, nan), std::domain_error);
    for (const double p : {-0.5, 1.5, nan})
      EXPECT_THROW(law.quantile(3, p), std::domain_error) << "p = " << p;
    EXPECT_THROW(law.quantile(3, 0), std::overflow_error);
    EXPECT_THROW(law.pdf(1, 0), std::overflow_error);
    EXPECT_GT(law.pdf(1.5, 0), law.pdf(1.5, 1e-3));
    EXPECT_EQ(law.lower(3, infinity), 1);
    EXPECT_EQ(law.lower(3, -infinity), 0);

    // A policy may ask for quiet answers instead.
    using namespace boost::math::policies;
    using Quiet = policy<domain_error<errno_on_error>, overflow_error<ignore_error>>;
    errno = 0;
    EXPECT_TRUE(std::isnan(cdf(score_distribution<double, Quiet>(3), nan)));
    EXPECT_EQ(errno, EDOM);
    EXPECT_EQ(pdf(score_distribution<double, Quiet>(1), 0), infinity);
  });
}

TEST(ScoreDistribution, AQueryThatIsItsOwnKeyScoresItsSquaredLength) {
  judge(value_mutants, [](const Laws& law) {
    for_all([&] {
      const std::vector<int> entries =
          *rc::gen::container<std::vector<int>>(5, rc::gen::inRange(-100, 100)).as("16 q");
      std::vector<double> q;
      int square = 0;
      for (const int entry : entries) {
        q.push_back(entry / 16.0);
        square += entry * entry;
      }
      RC_ASSERT(256 * law.dot(q, q) == square);
    });
    // So a score below 0 has probability 0; the law of q·k gives it one half.
    EXPECT_EQ(law.lower(5, 0), 0.5);
    EXPECT_EQ(cdf(boost::math::chi_squared(5), 0), 0);
    counterexample_without("independent");
  });
}

TEST(ScoreDistribution, SignsHaveTheVarianceButNotTheLaw) {
  judge(value_mutants, [](const Laws& law) {
    const RationalDistribution signs = dot_product_distribution(fair_sign, fair_sign, 2);
    EXPECT_EQ(variance(signs), 2);
    EXPECT_EQ(variance(Score(2)), 2);
    // Half of the scores of two pairs of signs are 0, and none lies between 0 and 2.
    const Rational at_zero = signs.expectation([](const Rational& x) { return Rational(x == 0); });
    EXPECT_EQ(at_zero, Rational(1, 2));
    EXPECT_LT(law.lower(2, 1) - law.lower(2, 0.5), 0.15);
    EXPECT_GT(law.lower(2, 1) - law.lower(2, 0.5), 0.1);
    counterexample_without("standard normal");
  });
}

// -------------------------------------------------------------------------- ScoreInEvenDimensions

const Mutants even_mutants = {
    {"even dimensions lose the last term of their sum",
     "TheFiniteSumOfEvenDimensionsIsTheTail",
     {.upper =
          [](double d, double x) {
            return std::fmod(d, 2) == 0 && d > 2 ? cdf(complement(Score(d - 2), x))
                                                 : cdf(complement(Score(d), x));
          }}},
    {"the binomials of the finite sum are C(m, k)",
     "TheFiniteSumSatisfiesTheRecurrence",
     {.even_tail = [](unsigned m, const Rational& x) -> Rational {
       return m < 2 ? reference::even_tail(m, x)
                    : Rational(reference::even_tail(m, x) + Rational(1, Integer(1) << (2 * m)));
     }}},
    {"the density of even dimensions is halved",
     "TheFiniteSumSatisfiesTheRecurrence",
     {.even_density =
          [](unsigned m) {
            std::vector<Rational> halves = even_density_coefficients(m);
            for (Rational& c : halves) c /= 2;
            return halves;
          }}},
    {"the powers of x in the density are in reverse order",
     "EvenDimensionsHaveThisCharacteristicFunction",
     {.even_density =
          [](unsigned m) {
            std::vector<Rational> reversed = even_density_coefficients(m);
            std::reverse(reversed.begin(), reversed.end());
            return reversed;
          }}},
    {"the density of even dimensions is that of two dimensions less",
     "EvenDimensionsHaveThisCharacteristicFunction",
     {.even_density = [](unsigned m) { return even_density_coefficients(m > 1 ? m - 1 : m); }}},
    {"in four dimensions the two clocks need one tick each",
     "TwoAndFourDimensionsAreWrittenOut",
     {.even_tail = [](unsigned m,
                      const Rational& x) { return reference::even_tail(m < 3 ? 1 : m, x); }}},
    {"the density of four dimensions is that of two",
     "TwoAndFourDimensionsAreWrittenOut",
     {.even_density = [](unsigned m) { return even_density_coefficients(m == 2 ? 1 : m); }}},
    {"at forty dimensions x has the coefficient one half, too",
     "EachCoefficientIsAChanceOfTosses",
     {.even_tail = [](unsigned m, const Rational& x) -> Rational {
       return reference::even_tail(m, x) + (m == 20 ? x * even_density_coefficients(m)[0] : 0);
     }}},
    {"the density is the tail: the derivative of the polynomial is forgotten",
     "EachCoefficientIsAChanceOfTosses",
     {.even_density =
          [](unsigned m) {
            std::vector<Rational> c = even_density_coefficients(m);
            Rational above = 0;
            for (std::size_t j = c.size(); j-- > 0;) {
              c[j] += (j + 1) * above;
              above = c[j];
            }
            return c;
          }}},
    {"odd dimensions have the law of the next even one",
     "OddDimensionsHaveNoSuchSum",
     {.pdf = [](double d, double x) { return pdf(Score(2 * std::ceil(d / 2)), x); }}},
};

//! [ScoreInEvenDimensions]
TEST(ScoreInEvenDimensions, TheFiniteSumSatisfiesTheRecurrence) {
  judge(even_mutants, [](const Laws& law) {
    for_all(
        [&] {
          const auto m = *rc::gen::inRange(1U, 9U).as("d/2");
          const Rational x = abs(*any_rational().as("x"));
          const Rational added = x / (2 * m) * value_at(law.even_density(m), x);
          RC_ASSERT(law.even_tail(m + 1, x) == law.even_tail(m, x) + added);
          RC_ASSERT(law.even_tail(m, 0) == Rational(1, 2));
          if (m < 2) return;
          const Rational before = value_at(law.even_density(m - 1), x);
          RC_ASSERT(value_at(law.even_density(m + 1), x) ==
                    x * x / (4 * m * (m - 1)) * before +
                        Rational(2 * m - 1, 2 * m) * value_at(law.even_density(m), x));
        },
        100);
  });
}
//! [ScoreInEvenDimensions]

//! [ScoreInEvenDimensions: the characteristic function]
TEST(ScoreInEvenDimensions, EvenDimensionsHaveThisCharacteristicFunction) {
  judge(even_mutants, [](const Laws& law) {
    // f(x) = e^−|x| Σ c_j |x|^j, and ∫ xʲ e^−x e^itx dx = j!/(1 − it)^(j+1) over x > 0.
    for_all(
        [&] {
          const auto m = *rc::gen::inRange(1U, 9U).as("d/2");
          const Rational t = *any_rational().as("t");
          const Rational unit = 1 / (1 + t * t);
          Rational real = unit;  // of j!/(1 − it)^(j+1)
          Rational imaginary = t * unit;
          Rational integral = 0;
          unsigned j = 0;
          for (const Rational& c : law.even_density(m)) {
            integral += 2 * c * real;
            ++j;
            const Rational before = real;
            real = j * unit * (before - t * imaginary);
            imaginary = j * unit * (imaginary + t * before);
          }
          Rational power = 1;
          for (unsigned i = 0; i < m; ++i) power *= unit;
          RC_ASSERT(integral == power);
        },
        100);
  });
}
//! [ScoreInEvenDimensions: the characteristic function]

//! [ScoreInEvenDimensions: two and four]
TEST(ScoreInEvenDimensions, TwoAndFourDimensionsAreWrittenOut) {
  judge(even_mutants, [](const Laws& law) {
    for (const Rational& x :
         {Rational(0), Rational(1, 3), Rational(1), Rational(7, 2), Rational(40)}) {
      EXPECT_EQ(law.even_tail(1, x), Rational(1, 2));
      EXPECT_EQ(value_at(law.even_density(1), x), Rational(1, 2));
      EXPECT_EQ(law.even_tail(2, x), (2 + x) / 4);
      EXPECT_EQ(value_at(law.even_density(2), x), (1 + x) / 4);
    }
    enumerated(5);
  });
}
//! [ScoreInEvenDimensions: two and four]

//! [ScoreInEvenDimensions: the coin]
TEST(ScoreInEvenDimensions, EachCoefficientIsAChanceOfTosses) {
  judge(even_mutants, [](const Laws& law) {
    for (unsigned m = 1; m <= 40; ++m) {
      // That of xʲ/j! is the chance of m heads or more in 2m − 1 − j tosses.
      std::vector<Rational> tail;
      Rational factorial = 1;
      for (unsigned j = 0; j < m; ++j) {
        const unsigned tosses = 2 * m - 1 - j;
        Integer ways = 0;
        for (unsigned heads = m; heads <= tosses; ++heads) ways += choose(tosses, heads);
        tail.push_back(Rational(ways, Integer(1) << tosses) / factorial);
        factorial *= j + 1;
      }
      for (const Rational& x : {Rational(1, 3), Rational(5)})
        EXPECT_EQ(law.even_tail(m, x), value_at(tail, x)) << "d = " << 2 * m;
      // And the density is minus the derivative of e^−x times that polynomial.
      tail.push_back(0);
      const std::vector<Rational> density = law.even_density(m);
      ASSERT_EQ(density.size(), m) << "d = " << 2 * m;
      for (unsigned j = 0; j < m; ++j)
        EXPECT_EQ(density[j], tail[j] - (j + 1) * tail[j + 1]) << "d = " << 2 * m << ", j = " << j;
    }
    enumerated(40 * 2 + 820);
  });
}
//! [ScoreInEvenDimensions: the coin]

TEST(ScoreInEvenDimensions, OddDimensionsHaveNoSuchSum) {
  judge(even_mutants, [](const Laws& law) {
    // Rational coefficients would make the density at 0 rational; it is infinite, or a fraction
    // over π.
    EXPECT_THROW(law.pdf(1, 0), std::overflow_error);
    const Wide pi = constants::pi<Wide>();
    expect_within(error_in_epsilons(law.pdf(3, 0), 1 / pi), score_precision::pdf, "d = 3",
                  Grade::measured);
    expect_within(error_in_epsilons(law.pdf(5, 0), 2 / (3 * pi)), score_precision::pdf, "d = 5",
                  Grade::measured);
    enumerated(3);
    counterexample_without("even dimension");
  });
}

TEST(ScoreInEvenDimensions, TheFiniteSumOfEvenDimensionsIsTheTail) {
  judge(even_mutants, [](const Laws& law) {
    const double scores[] = {0.25, 1, 2.5, 10, 40, 200};
    for (const unsigned m : {1U, 2U, 3U, 5U, 10U, 34U, 50U})
      for (const double x : scores) {
        const Wide decay = exp(-Wide(x));
        const Rational at = x;
        expect_within(error_in_epsilons(law.upper(2 * m, x), Wide(law.even_tail(m, at)) * decay),
                      score_precision::cdf, place(2 * m, x), Grade::measured);
        expect_within(
            error_in_epsilons(law.pdf(2 * m, x), Wide(value_at(law.even_density(m), at)) * decay),
            score_precision::pdf, place(2 * m, x), Grade::measured);
      }
    enumerated(7 * std::size(scores));
  });
}

// ----------------------------------------------------------------------------------- ScoreDensity

const Mutants density_mutants = {
    {"the cdf of a negative score is one minus that of a positive one",
     "TheLawIsSymmetricAndTailAndCentreMakeOneHalf",
     {.lower = [](double d,
                  double x) { return x < 0 ? 1 - cdf(Score(d), -x) : cdf(Score(d), x); }}},
    {"a negative score has no density",
     "TheLawIsSymmetricAndTailAndCentreMakeOneHalf",
     {.pdf = [](double d, double x) { return x < 0 ? 0 : pdf(Score(d), x); }}},
    {"the central cdf ignores the sign",
     "TheLawIsSymmetricAndTailAndCentreMakeOneHalf",
     {.central = [](double d, double x) { return central_cdf(Score(d), std::abs(x)); }}},
    {"the complement is the cdf",
     "TheLawIsSymmetricAndTailAndCentreMakeOneHalf",
     {.lower = [](double d, double x) { return cdf(complement(Score(d), x)); },
      .upper = [](double d, double x) { return cdf(Score(d), x); }}},
    {"the law of d + 1, on both sides",
     "TheLawIsSymmetricAndTailAndCentreMakeOneHalf",
     {.lower = [](double d, double x) { return cdf(Score(d + 1), x); },
      .upper = [](double d, double x) { return cdf(complement(Score(d + 1), x)); }}},
    {"the tails of d + 1, beside the density of d",
     "TheTailFallsAsFastAsTheDensitySays",
     {.lower = [](double d, double x) { return cdf(Score(d + 1), x); },
      .upper = [](double d, double x) { return cdf(complement(Score(d + 1), x)); },
      .central = [](double d, double x) { return central_cdf(Score(d + 1), x); }}},
    {"in every other octave of x the tail is one per cent too large",
     "TheTailNeverRises",
     {.upper =
          [](double d, double x) {
            return cdf(complement(Score(d), x)) * (std::ilogb(x) % 2 == 0 ? 1.01 : 1);
          }}},
    {"in every other octave of x the cdf is one per cent too large",
     "TheTailNeverRises",
     {.lower =
          [](double d, double x) {
            return cdf(Score(d), x) * (x > 0 && std::ilogb(x) % 2 == 0 ? 1.01 : 1);
          }}},
    {"the tail of N(0, d)", "TwoMoreDimensionsAddTheRightTail", {.upper = normal_upper}},
    {"the density of N(0, d)", "TwoMoreDimensionsGiveTheRightDensity", {.pdf = normal_density}},
    {"K falls like its limit from the start",
     "TheMixingIntegralIsTheDensity",
     {.bessel = [](const Wide&, const Wide& x) -> Wide {
       return sqrt(constants::half_pi<Wide>() / x) * exp(-x);
     }}},
    {"the order is d/2",
     "TheMixingIntegralIsTheDensity",
     {.bessel = [](const Wide& nu, const Wide& x) { return bessel_by_mixing(nu + Wide(0.5), x); }}},
    {"the tail grows by x f/(d + 1)",
     "TheRecurrencesHoldInThirtyDigits",
     {.next_tail = [](const Wide& d, const Wide& x, const Wide& tail,
                      const Wide& density) { return next_tail(d + 1, x, tail, density); }}},
    {"the weights of the two densities add up to one",
     "TheRecurrencesHoldInThirtyDigits",
     {.next_density = [](const Wide& d, const Wide&, const Wide& before, const Wide& density)
          -> Wide { return before / d + (d - 1) / d * density; }}},
};

//! [ScoreDensity]
TEST(ScoreDensity, TheMixingIntegralIsTheDensity) {
  judge(density_mutants, [](const Laws& law) {
    of_the_statement();
    // What the mixture of normal laws makes of it, and the inversion of the characteristic
    // function, to thirty digits.
    static std::map<std::pair<double, double>, Wide> library;  // K of Boost.Math
    for (const double d : {0.5, 1.0, 3.7, 11.0, 64.0})
      for (const double x : {0.125, 1.0, 7.5, 40.0}) {
        const Wide nu = (Wide(d) - 1) / 2;
        const Wide bessel = law.bessel(nu, x);
        const Wide density =
            pow(Wide(x) / 2, nu) * bessel / (constants::root_pi<Wide>() * tgamma(Wide(d) / 2));
        expect_within(static_cast<double>(abs(density / point_at(d, x).density - 1)), 1e-28,
                      place(d, x), Grade::measured);
        // And it is the function that libraries call by this name.
        const auto [want, is_new] = library.try_emplace({d, x});
        if (is_new) want->second = boost::math::cyl_bessel_k(Wide(abs(nu)), Wide(x));
        expect_within(static_cast<double>(abs(bessel / want->second - 1)), 1e-28, place(d, x),
                      Grade::measured);
      }
    enumerated(20);
  });
}
//! [ScoreDensity]

//! [ScoreDensity: the recurrences]
TEST(ScoreDensity, TheRecurrencesHoldInThirtyDigits) {
  judge(density_mutants, [](const Laws& law) {
    of_the_statement();
    // Along the line through the saddle point no recurrence is used.
    for (const double d : {102.0, 117.5, 301.25, 1000.0})
      for (const double z : {0.5, 1.0, 3.0}) {
        const double x = z * std::sqrt(d);
        static std::map<std::pair<double, double>, Reference> known;
        const auto at = [&](double dimension) {
          const auto [values, is_new] = known.try_emplace({dimension, x});
          if (is_new) {
            values->second = along_the_line(dimension, x);
            values->second.tail *= exp(values->second.log_scale);
            values->second.density *= exp(values->second.log_scale);
          }
          return values->second;
        };
        const Reference here = at(d);
        const Reference above = at(d + 2);
        const Wide tail = law.next_tail(d, x, here.tail, here.density);
        const Wide density = law.next_density(d, x, at(d - 2).density, here.density);
        for (const Wide& error : {Wide(tail / above.tail - 1), Wide(density / above.density - 1)})
          expect_within(static_cast<double>(abs(error)), 1e-28, place(d, x), Grade::measured);
      }
    enumerated(12);
  });
}
//! [ScoreDensity: the recurrences]

TEST(ScoreDensity, TheLawIsSymmetricAndTailAndCentreMakeOneHalf) {
  judge(density_mutants, [](const Laws& law) {
    evidence().weaken(Grade::measured);
    for_all([&] {
      const double d = *any_dimension().as("d");
      const double z = *any_deviation().as("deviations from the mean");
      const double x = z * std::sqrt(d);
      RC_ASSERT(law.lower(d, -x) == law.upper(d, x));
      RC_ASSERT(law.pdf(d, -x) == law.pdf(d, x));
      RC_ASSERT(law.central(d, -x) == -law.central(d, x));
      // P(X > x) and P(0 < X ≤ x) are computed in different ways up to one deviation.
      const Wide tail = law.upper(d, x);
      const Wide centre = law.central(d, x);
      const Wide lower = law.lower(d, x);
      const auto check = [](const Wide& error, const Wide& bound) {
        evidence().worst(static_cast<double>(abs(error)) / epsilon, static_cast<double>(bound));
        RC_ASSERT(abs(error) <= bound * epsilon);
      };
      check(tail + centre - 0.5,
            score_precision::cdf * tail + score_precision::central_cdf * centre);
      check(lower - centre - 0.5,
            score_precision::cdf * lower + score_precision::central_cdf * centre);
    });
  });
}

TEST(ScoreDensity, TheTailFallsAsFastAsTheDensitySays) {
  judge(density_mutants, [](const Laws& law) {
    evidence().weaken(Grade::measured);
    // The density falls on x > 0, so between x and y the tail falls by (y − x) f(y) at least and by
    // (y − x) f(x) at most, and each of the four numbers may be wrong by its bound.
    const auto holds = [&](double d, double z) {
      const double x = z * std::sqrt(d);
      const double y = x * (1 + 0x1p-6);
      const Wide at_x = law.upper(d, x);
      const Wide at_y = law.upper(d, y);
      const Wide wrong_by = score_precision::cdf * epsilon * (at_x + at_y);
      const Wide least = (Wide(y) - x) * law.pdf(d, y) * (1 - score_precision::pdf * epsilon);
      const Wide most = (Wide(y) - x) * law.pdf(d, x) * (1 + score_precision::pdf * epsilon);
      return at_x - at_y >= least - wrong_by && at_x - at_y <= most + wrong_by;
    };
    for (const double d : {1.0, 2.0, 5.0})
      for (const double z : {0.25, 1.0, 2.0}) EXPECT_TRUE(holds(d, z)) << place(d, z);
    enumerated(9);
    for_all([&] {
      const double d = *any_dimension().as("d");
      RC_ASSERT(holds(d, *any_deviation().as("deviations from the mean")));
    });
  });
}

TEST(ScoreDensity, TheTailNeverRises) {
  judge(density_mutants, [](const Laws& law) {
    evidence().weaken(Grade::measured);
    for_all([&] {
      const double d = *any_dimension().as("d");
      const double z = *any_deviation().as("one deviation");
      const double w = *any_deviation().as("another");
      const double near = std::min(z, w) * std::sqrt(d);
      const double far = std::max(z, w) * std::sqrt(d);
      // Each side may be wrong by its bound.
      const double slack = 2 * score_precision::cdf * epsilon * (1 + 8 * epsilon);
      RC_ASSERT(law.upper(d, far) <= law.upper(d, near) * (1 + slack));
      RC_ASSERT(law.lower(d, near) <= law.lower(d, far) * (1 + slack));
    });
  });
}

TEST(ScoreDensity, TwoMoreDimensionsAddTheRightTail) {
  judge(density_mutants, [](const Laws& law) {
    evidence().weaken(Grade::measured);
    const double bound =
        (score_precision::cdf + std::max(score_precision::cdf, score_precision::pdf)) *
        (1 + 8 * epsilon);
    for_all([&] {
      const double d = *any_dimension().as("d");
      const double z = *any_deviation().as("deviations from the mean");
      const double x = z * std::sqrt(d);
      const Wide sum = Wide(law.upper(d, x)) + Wide(x) / d * law.pdf(d, x);
      const double error = error_in_epsilons(law.upper(d + 2, x), sum);
      evidence().worst(error, bound);
      RC_ASSERT(error <= bound);
    });
  });
}

TEST(ScoreDensity, TwoMoreDimensionsGiveTheRightDensity) {
  judge(density_mutants, [](const Laws& law) {
    evidence().weaken(Grade::measured);
    const double bound = 2 * score_precision::pdf * (1 + 8 * epsilon);
    for_all([&] {
      const double d = 2 + *any_dimension().as("d - 2");
      const double z = *any_deviation().as("deviations from the mean");
      const double x = z * std::sqrt(d);
      const Wide sum =
          Wide(x) * x / (Wide(d) * (d - 2)) * law.pdf(d - 2, x) + (Wide(d) - 1) / d * law.pdf(d, x);
      const double error = error_in_epsilons(law.pdf(d + 2, x), sum);
      evidence().worst(error, bound);
      RC_ASSERT(error <= bound);
    });
  });
}

// ----------------------------------------------------------------------------- ScoreIsNearlyNormal

/// The lower bound of the page on ln P(X > x) for x ≥ 0: one gamma variable is above x + 1, the
/// other below 1.
double log_tail_floor(double d, double x) {
  return -std::lgamma(d / 2 + 1) - x - 3 - std::log(x + 2) - std::lgamma(d / 2);
}

/// ln P(N(0, d) > x); beyond 30 deviations, where doubles end, the bound φ(z)/z instead.
double normal_log_upper(double d, double x) {
  const double z = x / std::sqrt(d);
  if (z <= 30) return std::log(normal_upper(d, x));
  return -z * z / 2 - std::log(z * constants::root_two_pi<double>());
}

/// ln of the ratio of the two tails, P(X > x) / P(N(0, d) > x); not more than that far out.
double log_tail_ratio(const Laws& law, double d, double x) {
  return law.log_upper(d, x) - normal_log_upper(d, x);
}

const Mutants nearly_normal_mutants = {
    {"the distance to the normal law of variance one",
     "TheDistanceIsTheLargestDifference",
     {.normal_distance =
          [](double d) {
            return grid_distance([](double e, double x) { return cdf(Score(e), x); }, d,
                                 [](double, double x) { return normal_lower(1, x); }, d);
          }}},
    {"the difference at one deviation",
     "TheDistanceIsTheLargestDifference",
     {.normal_distance =
          [](double d) { return cdf(Score(d), std::sqrt(d)) - normal_lower(d, std::sqrt(d)); }}},
    {"the distance falls like one over the root",
     "TheDistanceFallsLikeOneOverTheDimension",
     {.normal_distance = [](double d) { return distance_constant() / std::sqrt(d); }}},
    {"the distance of one dimension more",
     "TheDistanceIsTheLargestDifference",
     {.normal_distance = [](double d) { return normal_distance(Score(d + 1)); }}},
    {"one eighth over d",
     "TheDistanceFallsLikeOneOverTheDimension",
     {.normal_distance = [](double d) { return 1 / (8 * d); }}},
    {"the excess kurtosis of one product, whatever d is",
     "TheExcessKurtosisIsSixOverD",
     {.excess_kurtosis = [](double) { return 6.0; }}},
    {"the kurtosis, not its excess",
     "TheExcessKurtosisIsSixOverD",
     {.excess_kurtosis = [](double d) { return kurtosis(Score(d)); }}},
    {"the tail of N(0, d)",
     "FarOutTheTailsAreNotNormalAtAnyDimension",
     {.log_upper = normal_log_upper}},
    {"the tail of a normal law with twice the variance",
     "FarOutTheTailsAreNotNormalAtAnyDimension",
     {.log_upper = [](double d, double x) { return normal_log_upper(2 * d, x); }}},
    {"the hazard of N(0, d)",
     "TheHazardTendsToOne",
     {.hazard = [](double d,
                   double x) { return hazard(boost::math::normal(0, std::sqrt(d)), x); }}},
    {"the hazard is one from the start",
     "TheHazardTendsToOne",
     {.hazard = [](double, double) { return 1.0; }}},
    {"the tail of two dimensions more beside the density",
     "InEvenDimensionsTheHazardIsWithinABoundOfOne",
     {.even_tail = [](unsigned m, const Rational& x) { return reference::even_tail(m + 1, x); }}},
    {"the density of two dimensions less beside the tail",
     "InEvenDimensionsTheHazardIsWithinABoundOfOne",
     {.even_density = [](unsigned m) { return even_density_coefficients(m > 1 ? m - 1 : m); }}},
    {"the distance is halved between four and twenty-five dimensions",
     "TheDistanceIsTheLargestDifference",
     {.normal_distance =
          [](double d) { return normal_distance(Score(d)) / (d > 4 && d < 25 ? 2 : 1); }}},
    {"at 1024 dimensions the tails part by the exponential of the deviations only",
     "FarOutTheTailsAreNotNormalAtAnyDimension",
     {.log_upper =
          [](double d, double x) {
            return d == 1024 ? normal_log_upper(d, x) + x / std::sqrt(d)
                             : logcdf(complement(Score(d), x));
          }}},
    {"the largest of many is at the root of twice their logarithm",
     "TheLargestOfManyScoresIsWhereTheTailsPart",
     {.median_of_largest = [](double d, double n) { return std::sqrt(2 * std::log(n) * d); }}},
    {"the largest of many exceeds its median once in n times",
     "TheLargestOfManyScoresIsWhereTheTailsPart",
     {.median_of_largest = [](double d,
                              double n) { return quantile(complement(Score(d), 1 / n)); }}},
    {"the remainder is taken without its sign",
     "AtSevenDimensionsTheBoundIsNone",
     {.distance_remainder = [](double d) { return std::abs(distance_remainder(d)); }}},
    {"the bound begins at nine dimensions",
     "TheDistanceFallsLikeOneOverTheDimension",
     {.distance_remainder = [](double d) { return d < 9 ? 0 : distance_remainder(d); }}},
    {"normal from the first dimension on",
     "OneDimensionIsNotNear",
     {.normal_distance = [](double d) { return distance_remainder(16 + d); }}},
};

TEST(ScoreIsNearlyNormal, TheDistanceIsTheLargestDifference) {
  judge(nearly_normal_mutants, [](const Laws& law) {
    std::vector<double> dimensions{0.5, 1.5, 2.5, 5.75, 10.25, 17.9, 25.99, 64, 250.5, 1e4, 1e9};
    for (int d = 1; d <= 32; ++d) dimensions.push_back(d);
    for (const double d : dimensions) {
      const double distance = law.normal_distance(d);
      const double root = std::sqrt(d);
      // It is reached where the two densities cross; there the difference has slope 0, so that a
      // rounding of the place does not matter.
      double low = 0;
      double high = 1.5;
      for (int step = 0; step < 60; ++step) {
        const double z = (low + high) / 2;
        (root * law.pdf(d, z * root) > normal_density(1, z) ? low : high) = z;
      }
      const double x = low * root;
      const Wide z = Wide(x) / sqrt(Wide(2) * d);
      const Wide reached = point_at(d, x).central - erf(z) / 2;
      expect_within(static_cast<double>(abs(distance - reached)) / epsilon, 2,
                    "d = " + exact_text(d), Grade::measured);
      // And nowhere is it more.
      for (double deviations = 0x1p-6; deviations < 8; deviations += 0x1p-6)
        EXPECT_LE(std::abs(law.central(d, deviations * root) -
                           std::erf(deviations / constants::root_two<double>()) / 2),
                  distance + 4 * epsilon)
            << place(d, deviations * root);
    }
    enumerated(dimensions.size() * 511);
  });
}

//! [ScoreIsNearlyNormal]
TEST(ScoreIsNearlyNormal, TheDistanceFallsLikeOneOverTheDimension) {
  judge(nearly_normal_mutants, [](const Laws& law) {
    evidence().weaken(Grade::bounded);
    const auto is_within = [&](double d) {
      const double error = std::abs(law.normal_distance(d) - distance_constant() / d);
      const double bound = law.distance_remainder(d) + 4 * epsilon;  // and a few roundings
      evidence().worst(error, bound);
      return error <= bound;
    };
    for (const double d : {std::nextafter(8.0, 9.0), 8.125, 8.5, 9.0}) {
      EXPECT_TRUE(is_within(d)) << "d = " << exact_text(d);
      enumerated(1);
    }
    for_all([&] { RC_ASSERT(is_within(8 + *any_dimension().as("d - 8"))); });
    of_the_statement();
    const auto seven_places = [](double value) { return format_fixed(value, 7); };
    publish("main_term_at_64", seven_places(distance_constant() / 64));
    publish("third_term_at_64", seven_places(third_term_bound(64)));
    publish("fourth_term_at_64", seven_places(distance_remainder(64) - third_term_bound(64)));
    publish("error_at_64",
            seven_places(std::abs(law.normal_distance(64) - distance_constant() / 64)));
    publish("constant", format_significant(distance_constant(), 5));
    publish("at_64", format_significant(law.normal_distance(64), 3));
    publish("at_1", format_significant(law.normal_distance(1), 4));
    std::vector<std::vector<double>> densities;  // in units of the deviation
    for (int i = -80; i <= 80; ++i) {
      const double z = i / 20.0;
      densities.push_back({z});
      for (const double d : {1.0, 2.0, 64.0})
        densities.back().push_back(
            d == 1 && i == 0 ? infinity : std::sqrt(d) * pdf(Score(d), z * std::sqrt(d)));
      densities.back().push_back(normal_density(1, z));
    }
    write_figure_data("score_distribution_shape", {"deviations", "d1", "d2", "d64", "normal"},
                      densities);
  });
}
//! [ScoreIsNearlyNormal]

//! [ScoreIsNearlyNormal: exact check]
TEST(ScoreIsNearlyNormal, TheExcessKurtosisIsSixOverD) {
  judge(nearly_normal_mutants, [](const Laws& law) {
    // Fourth cumulants of independent numbers add up, and that of one product is E q⁴ E k⁴ − 3.
    const Rational of_one = normal_moment(0, 4, 4) - 3;
    EXPECT_EQ(of_one, 6);
    for (unsigned d = 1; d <= 4096; ++d) {
      const Rational excess = d * of_one / (Rational(d) * d);
      EXPECT_EQ(law.excess_kurtosis(d), excess.convert_to<double>()) << "d = " << d;
    }
    enumerated(4096);
  });
}
//! [ScoreIsNearlyNormal: exact check]

TEST(ScoreIsNearlyNormal, OneDimensionIsNotNear) {
  judge(nearly_normal_mutants, [](const Laws& law) {
    evidence().weaken(Grade::bounded);
    EXPECT_GT(law.normal_distance(1), 0.1);
    EXPECT_LT(law.normal_distance(64), 0.0022);
    EXPECT_EQ(law.excess_kurtosis(1), 6);
    enumerated(2);
    counterexample_without("a large head, and typical scores");
  });
}

TEST(ScoreIsNearlyNormal, FarOutTheTailsAreNotNormalAtAnyDimension) {
  judge(nearly_normal_mutants, [](const Laws& law) {
    evidence().weaken(Grade::bounded);
    of_the_statement();
    for (const double d : {1.0, 2.0, 4.0, 64.0, 1024.0}) {
      double before = 0;
      for (const double z : {4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0}) {
        const double x = z * std::sqrt(d);
        const double ratio = log_tail_ratio(law, d, x);
        EXPECT_GT(ratio, before) << place(d, x);
        before = ratio;
        // The page's bound grows like x²/2d − x: without limit, at every d.
        const double floor = log_tail_floor(d, x) + x * x / (2 * d) + constants::ln_two<double>();
        EXPECT_GE(ratio, floor) << place(d, x);
      }
    }
    enumerated(5 * 8);
    const auto times = [&](double d, double z) {
      return format_significant(std::exp(log_tail_ratio(law, d, z * std::sqrt(d))), 3);
    };
    publish("times_at_two", times(64, 2));
    publish("times_at_four", times(64, 4));
    publish("times_at_six", times(64, 6));
    publish("times_at_ten", times(64, 10));
    publish("times_of_four_at_nine", times(4, 9));
    publish("times_of_1024_at_ten", times(1024, 10));
    std::vector<std::vector<double>> ratios;
    for (int i = 0; i <= 200; ++i) {
      const double z = i / 20.0;
      ratios.push_back({z});
      for (const double d : {4.0, 64.0, 1024.0})
        ratios.back().push_back(std::exp(log_tail_ratio(law, d, z * std::sqrt(d))));
    }
    write_figure_data("score_distribution_tails", {"deviations", "d4", "d64", "d1024"}, ratios);
    counterexample_without("a large head, and typical scores");
    sharpens("S3", "a large head, and typical scores");
  });
}

TEST(ScoreIsNearlyNormal, TheLargestOfManyScoresIsWhereTheTailsPart) {
  judge(nearly_normal_mutants, [](const Laws& law) {
    const boost::math::normal normal;
    for (const double n : {512.0, 4096.0}) {
      const double x = law.median_of_largest(64, n);
      // (1 − S)ⁿ = ½, up to the error of the quantile and two roundings of the probability.
      const Point at = point_at(64, x);
      const auto conditioning = static_cast<double>(1 + x * at.density / at.tail);
      expect_within(error_in_epsilons(-n * at.log_lower, constants::ln_two<Wide>()),
                    score_precision::quantile * conditioning + 2, "n = " + exact_text(n),
                    Grade::measured);
      const double root = std::sqrt(2 * std::log(n));
      EXPECT_LT(x / 8, root);
      const double share = -std::expm1(-constants::ln_two<double>() / n);
      const std::string of = "_of_" + std::to_string(static_cast<int>(n));
      publish("median" + of, format_significant(x / 8, 3));
      publish("normal_median" + of, format_significant(quantile(complement(normal, share)), 3));
      publish("root" + of, format_significant(root, 3));
      publish("times" + of, format_significant(std::exp(log_tail_ratio(law, 64, x)), 3));
      const double beyond = cdf(complement(normal, root));
      publish("beyond_root" + of, format_significant(-std::expm1(n * std::log1p(-beyond)), 2));
    }
    enumerated(2);
  });
}

TEST(ScoreIsNearlyNormal, AtSevenDimensionsTheBoundIsNone) {
  judge(nearly_normal_mutants, [](const Laws& law) {
    // d⁴/((d−2)(d−4)(d−6)(d−8)) is no moment of W below d = 8, and the formula's bound is negative.
    evidence().weaken(Grade::bounded);
    EXPECT_LT(law.distance_remainder(7), 0);
    EXPECT_EQ(law.distance_remainder(8), infinity);
    EXPECT_GT(law.distance_remainder(9), 1);
    // From here on it says more than that the distance is less than twice its limit.
    EXPECT_GT(law.distance_remainder(25), distance_constant() / 25);
    EXPECT_LT(law.distance_remainder(26), distance_constant() / 26);
    publish("bound_at_nine", format_significant(law.distance_remainder(9), 3));
    enumerated(5);
    counterexample_without("more than eight dimensions");
  });
}

TEST(ScoreIsNearlyNormal, InEvenDimensionsTheHazardIsWithinABoundOfOne) {
  judge(nearly_normal_mutants, [](const Laws& law) {
    // The tail is e^−x P with a polynomial P of degree m − 1 without negative coefficients, so
    // 1 − f/S = P′/P lies between 0 and (m − 1)/x.
    for (const unsigned m : {1U, 2U, 8U, 32U})
      for (const Rational& x : {Rational(1, 2), Rational(10), Rational(1000), Rational(100000)}) {
        const Rational short_of_one = 1 - value_at(law.even_density(m), x) / law.even_tail(m, x);
        EXPECT_GE(short_of_one, 0) << "d = " << 2 * m << ", x = " << x;
        EXPECT_LE(short_of_one, (m - 1) / x) << "d = " << 2 * m << ", x = " << x;
      }
    enumerated(16);
  });
}

TEST(ScoreIsNearlyNormal, TheHazardTendsToOne) {
  judge(nearly_normal_mutants, [](const Laws& law) {
    evidence().weaken(Grade::measured);
    // Even d: the tail is e^−x times a polynomial P of degree m − 1, the hazard 1 − P′/P, and
    // 0 ≤ P′/P ≤ (m − 1)/x since no coefficient is negative.
    for (const unsigned m : {1U, 2U, 8U, 32U, 512U})
      for (const double x : {1e1, 1e3, 1e5, 1e7}) {
        const double hazard = law.hazard(2 * m, x);
        EXPECT_LE(hazard, 1 + score_precision::hazard * epsilon) << place(2 * m, x);
        expect_within(1 - hazard, (m - 1) / x + score_precision::hazard * epsilon, place(2 * m, x));
      }
    // At the mean it is 2 f(0): far below one, and near that of the normal law.
    EXPECT_LT(law.hazard(64, 0), 0.2);
    enumerated(5 * 4);
  });
}

// --------------------------------------------------------------------------------- RademacherScore

using WideSigns = rademacher_score_distribution<Wide>;

/// The functions of the law of q·k for signs.
struct SignLaws {
  Wide (*pdf)(unsigned, const Wide&) = [](unsigned d, const Wide& x) -> Wide {
    return sqrtdk::pdf(WideSigns(d), x);
  };
  Wide (*lower)(unsigned, const Wide&) = [](unsigned d, const Wide& x) -> Wide {
    return sqrtdk::cdf(WideSigns(d), x);
  };
  Wide (*upper)(unsigned, const Wide&) = [](unsigned d, const Wide& x) -> Wide {
    return sqrtdk::cdf(complement(WideSigns(d), x));
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
    Rational odds = all_fail;
    for (unsigned equal = 0; equal <= d; ++equal) {
      scores.push_back(2 * Rational(equal) - d);
      probabilities.push_back(odds);
      if (equal < d) odds *= Rational(d - equal, equal + 1) * p / (1 - p);
    }
    return RationalDistribution(scores, probabilities);
  };
  RationalDistribution (*paired)(const PairDistribution&,
                                 std::size_t) = paired_dot_product_distribution;
};

const std::vector<Mutant<SignLaws>> rademacher_mutants = {
    {"equal pairs are counted from one",
     "TheNumberOfEqualPairsIsBinomial",
     {.binomial =
          [](unsigned d, const Rational& p) {
            return SignLaws{}.binomial(d, p).image(
                [](const Rational& x) { return Rational(x + 2); });
          }}},
    {"the binomial law is not stretched",
     "TheNumberOfEqualPairsIsBinomial",
     {.binomial =
          [](unsigned d, const Rational& p) {
            return SignLaws{}.binomial(d, p).image(
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
     {.binomial = [](unsigned d,
                     const Rational&) { return SignLaws{}.binomial(d, Rational(1, 2)); }}},
    {"half a dimension is taken",
     "RefusesDimensionsThatAreNotWhole",
     {.variance = [](double d) { return d > 0 ? std::round(d) : d; }}},
};

//! [RademacherScore]
TEST(RademacherScore, TheNumberOfEqualPairsIsBinomial) {
  judge(rademacher_mutants, [](const SignLaws& law) {
    for (unsigned d = 1; d <= 20; ++d)
      EXPECT_EQ(dot_product_distribution(fair_sign, fair_sign, d), law.binomial(d, Rational(1, 2)))
          << "d = " << d;
    for (unsigned d = 1; d <= 5; ++d)
      EXPECT_EQ(dot_product_distribution_by_enumeration(fair_sign, fair_sign, d),
                law.binomial(d, Rational(1, 2)))
          << "d = " << d;
    enumerated(25);
  });
}
//! [RademacherScore]

//! [RademacherScore: against fractions]
TEST(RademacherScore, TheFiftyDigitsAreThoseOfTheFraction) {
  judge(rademacher_mutants, [](const SignLaws& law) {
    evidence().weaken(Grade::measured);  // fifty digits, compared after rounding to a double
    for (unsigned d = 1; d <= 12; ++d) {
      Rational before = 0;
      const RationalDistribution exact = dot_product_distribution(fair_sign, fair_sign, d);
      for (int x = -static_cast<int>(d) - 1; x <= static_cast<int>(d) + 1; ++x) {
        const Rational here =
            exact.expectation([&](const Rational& y) { return Rational(y == x); });
        before += here;
        // Multiples of 2^−d, which a double holds: fifty digits must round to just that double.
        EXPECT_EQ(static_cast<double>(law.pdf(d, x)), here.convert_to<double>())
            << "d = " << d << ", x = " << x;
        EXPECT_EQ(static_cast<double>(law.lower(d, x)), before.convert_to<double>())
            << "d = " << d << ", x = " << x;
        EXPECT_EQ(static_cast<double>(law.upper(d, x)), Rational(1 - before).convert_to<double>())
            << "d = " << d << ", x = " << x;
        enumerated(1);
      }
    }
  });
}
//! [RademacherScore: against fractions]

TEST(RademacherScore, QuantilesAreTheLeastScoresThatReach) {
  judge(rademacher_mutants, [](const SignLaws& law) {
    for (unsigned d = 1; d <= 24; ++d) {
      Rational before = 0;
      const RationalDistribution exact = dot_product_distribution(fair_sign, fair_sign, d);
      for (const auto& [score, probability] : exact.atoms()) {
        // Half-way up the step at this score, so that no rounding decides.
        const Rational middle = before + probability / 2;
        EXPECT_EQ(law.quantile(d, middle.convert_to<double>()), score.convert_to<double>())
            << "d = " << d << ", p = " << middle;
        EXPECT_EQ(law.upper_quantile(d, Rational(1 - middle).convert_to<double>()),
                  score.convert_to<double>())
            << "d = " << d << ", q = 1 - " << middle;
        before += probability;
        enumerated(2);
      }
    }
  });
}

TEST(RademacherScore, ItHasTheVarianceOfTheNormalScoreAndAnotherShape) {
  judge(rademacher_mutants, [](const SignLaws& law) {
    for (unsigned d = 1; d <= 20; ++d) {
      const RationalDistribution exact = dot_product_distribution(fair_sign, fair_sign, d);
      const Rational square = variance(exact);
      EXPECT_EQ(square, d);
      EXPECT_EQ(law.variance(d), variance(Score(d)));
      EXPECT_EQ(law.variance(d), square.convert_to<double>());
      const Rational fourth = raw_moment(exact, 4);
      EXPECT_EQ(fourth, 3 * d * d - 2 * d);
      EXPECT_EQ(law.excess_kurtosis(d),
                Rational(fourth / (square * square) - 3).convert_to<double>());
    }
    enumerated(20);
  });
}

TEST(RademacherScore, AQueryThatIsItsOwnKeyScoresD) {
  judge(rademacher_mutants, [](const SignLaws& law) {
    const PairDistribution same =
        fair_sign.image([](const Rational& x) { return std::pair(x, x); });
    for (std::size_t d = 1; d <= 8; ++d)
      EXPECT_EQ(law.paired(same, d), RationalDistribution::uniform({Rational(d)})) << "d = " << d;
    enumerated(8);
    counterexample_without("independent");
  });
}

TEST(RademacherScore, TwoBiasedSignsAgreeMoreThanHalfOfTheTime) {
  judge(rademacher_mutants, [](const SignLaws& law) {
    const RationalDistribution biased({-1, 1}, {Rational(1, 4), Rational(3, 4)});
    for (unsigned d = 1; d <= 8; ++d) {
      EXPECT_EQ(dot_product_distribution(biased, biased, d), law.binomial(d, Rational(5, 8)))
          << "d = " << d;
      // One fair side is enough.
      EXPECT_EQ(dot_product_distribution(biased, fair_sign, d),
                dot_product_distribution(fair_sign, fair_sign, d));
    }
    enumerated(16);
    counterexample_without("a fair side");
  });
}

TEST(RademacherScore, RefusesDimensionsThatAreNotWhole) {
  judge(rademacher_mutants, [](const SignLaws& law) {
    for (const double d : {0.0, -2.0, 2.5, infinity, nan})
      EXPECT_THROW(law.variance(d), std::domain_error) << "d = " << d;
    EXPECT_THROW(cdf(Signs(4), nan), std::domain_error);
    EXPECT_THROW(quantile(Signs(4), 1.5), std::domain_error);
    EXPECT_EQ(pdf(Signs(4), 1), 0);
    EXPECT_EQ(cdf(Signs(4), infinity), 1);
    EXPECT_EQ(cdf(Signs(4), -infinity), 0);
  });
}

// ----------------------------------------------------------------------------- CosineSimilarityLaw

using WideCosine = cosine_similarity_distribution<Wide>;

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

/// The functions of the law of the cosine.
struct CosineLaws {
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
        return std::clamp(::dot(q, k) / std::sqrt(::dot(q, q) * ::dot(k, k)), -1.0, 1.0);
      };
};

const std::vector<Mutant<CosineLaws>> cosine_mutants = {
    {"the Beta law of d/2",
     "OddDimensionsHavePolynomials",
     {.wide_lower = [](const Wide& d, const Wide& c) -> Wide {
       return cdf(WideCosine(d + 1), c);
     }}},
    {"the Beta law of the cosine itself, not of (1 + C)/2",
     "OddDimensionsHavePolynomials",
     {.wide_lower = [](const Wide& d, const Wide& c) -> Wide {
       return cdf(WideCosine(d), 2 * c - 1);
     }}},
    {"the complement is the cdf",
     "OddDimensionsHavePolynomials",
     {.wide_upper = [](const Wide& d, const Wide& c) -> Wide { return cdf(WideCosine(d), c); }}},
    {"the density is that of (1 + C)/2",
     "OddDimensionsHavePolynomials",
     {.wide_pdf = [](const Wide& d, const Wide& c) -> Wide { return 2 * pdf(WideCosine(d), c); }}},
    {"uniform in the plane",
     "TwoAndFourDimensionsHaveAnArc",
     {.wide_lower = [](const Wide& d, const Wide& c) -> Wide {
       return d == 2 ? Wide((1 + c) / 2) : cdf(WideCosine(d), c);
     }}},
    {"the semicircle is forgotten",
     "TwoAndFourDimensionsHaveAnArc",
     {.wide_lower = [](const Wide& d, const Wide& c) -> Wide {
       return d == 4 ? cdf(WideCosine(Wide(2)), c) : cdf(WideCosine(d), c);
     }}},
    {"the complement loses what is small",
     "TheLawIsSymmetricAndTailAndCentreMakeOneHalf",
     {.upper = [](double d, double c) { return 1 - cdf(Cosine(d), c); }}},
    {"the quantile of d + 1",
     "QuantilesComeBack",
     {.quantile = [](const Wide& d, const Wide& p) -> Wide {
       return quantile(WideCosine(d + 1), p);
     }}},
    {"the quantile of a double",
     "QuantilesComeBack",
     {.quantile = [](const Wide& d, const Wide& p) -> Wide {
       return quantile(cosine_similarity_distribution<float>(static_cast<float>(d)),
                       static_cast<float>(p));
     }}},
    {"the law of d + 1, on both sides",
     "TheLawIsSymmetricAndTailAndCentreMakeOneHalf",
     {.lower = [](double d, double c) { return cdf(Cosine(d + 1), c); },
      .upper = [](double d, double c) { return cdf(complement(Cosine(d + 1), c)); }}},
    {"the central cdf is that of c², which vanishes",
     "TheLawIsSymmetricAndTailAndCentreMakeOneHalf",
     {.central = [](double d, double c) { return c * c == 0 ? 0 : central_cdf(Cosine(d), c); }}},
    {"quantiles are always found from 1 - 2q",
     "QuantilesOfTinyTailsComeBack",
     {.upper_quantile =
          [](double d, double q) {
            return std::sqrt(boost::math::ibeta_inv(0.5, (d - 1) / 2, 1 - 2 * q));
          }}},
    {"the lower quantile is positive",
     "QuantilesOfTinyTailsComeBack",
     {.lower_quantile = [](double d, double p) { return quantile(complement(Cosine(d), p)); }}},
    {"the density is that of d + 1",
     "TheDensityHasTheMomentsOfTheDirections",
     {.wide_pdf = [](const Wide& d, const Wide& c) -> Wide { return pdf(WideCosine(d + 1), c); }}},
    {"the density is one half, whatever d is",
     "TheDensityHasTheMomentsOfTheDirections",
     {.wide_pdf = [](const Wide&, const Wide&) { return Wide(0.5); }}},
    {"the sign of the cosine is forgotten",
     "TheNormNeedNotBeIndependentOfTheCosine",
     {.cosine = [](std::span<const double> q,
                   std::span<const double> k) { return std::abs(CosineLaws{}.cosine(q, k)); }}},
    {"the variance of (1 + C)/2",
     "ItsMomentsAreThoseOfTheDirections",
     {.variance = [](const Wide& d) -> Wide { return 1 / (4 * d); }}},
    {"the kurtosis of a normal number",
     "ItsMomentsAreThoseOfTheDirections",
     {.kurtosis = [](const Wide&) { return Wide(3); }}},
    {"one dimension more",
     "CosinesOfDrawnVectorsFollowTheLaw",
     {.lower = [](double d, double c) { return cdf(Cosine(d + 1), c); }}},
    {"the score is divided by d, not by the norms",
     "CosinesOfDrawnVectorsFollowTheLaw",
     {.cosine =
          [](std::span<const double> q, std::span<const double> k) {
            return std::clamp(dot(q, k) / static_cast<double>(q.size()), -1.0, 1.0);
          }}},
    {"the directions are those of the corners",
     "CosinesOfDrawnVectorsFollowTheLaw",
     {.cosine =
          [](std::span<const double> q, std::span<const double> k) {
            double sum = 0;
            for (std::size_t i = 0; i < q.size(); ++i) sum += q[i] * k[i] > 0 ? 1 : -1;
            return sum / static_cast<double>(q.size());
          }}},
    {"a vector is nearly orthogonal to itself",
     "AQueryThatIsItsOwnKeyHasCosineOne",
     {.cosine =
          [](std::span<const double> q, std::span<const double> k) {
            return q.data() == k.data() ? 0.0 : CosineLaws{}.cosine(q, k);
          }}},
    {"the plane has four directions",
     "DirectionsAlongTheAxesHaveAnotherLaw",
     {.wide_upper = [](const Wide& d, const Wide& c) -> Wide {
       return d == 2 ? Wide(c < 0 ? 3 : c < 1 ? 1 : 0) / 4 : cdf(complement(WideCosine(d), c));
     }}},
    {"one dimension has a law too",
     "RefusesWhatHasNoDirectionOrIsNoCosine",
     {.lower = [](double d, double c) { return d == 1 ? 0.5 : cdf(Cosine(d), c); }}},
    {"what is no cosine is clamped",
     "RefusesWhatHasNoDirectionOrIsNoCosine",
     {.lower = [](double d, double c) { return cdf(Cosine(d), std::clamp(c, -1.0, 1.0)); }}},
};

//! [CosineSimilarityLaw]
TEST(CosineSimilarityLaw, CosinesOfDrawnVectorsFollowTheLaw) {
  judge(cosine_mutants, [](const CosineLaws& law) {
    const auto lower = [](double d, double c) { return cdf(Cosine(d), std::min(c, 1.0)); };
    for (const std::size_t d : {2U, 3U}) {
      const auto real = static_cast<double>(d);
      // The grid of grid_distance() reaches 4√d; from 1 on both laws are at 1.
      const double effect = grid_distance(lower, real, lower, real + 1);
      const CdfCheck<LawAt> check({law.lower, real},
                                  "the law of a cosine, d = " + exact_text(real));
      const Finding finding = expect_draws(check, {.effect = effect}, [&](Stream& stream) {
        const std::vector<double> q = normal_vector(d, stream);
        return law.cosine(q, normal_vector(d, stream));
      });
      publish("draws_at_" + std::to_string(d), std::to_string(finding.n));
    }
  });
}
//! [CosineSimilarityLaw]

//! [CosineSimilarityLaw: against polynomials]
TEST(CosineSimilarityLaw, OddDimensionsHavePolynomials) {
  judge(cosine_mutants, [](const CosineLaws& law) {
    evidence().weaken(Grade::measured);  // fifty digits, compared after rounding to a double
    of_the_statement();
    const Rational step(1, 8);
    for (const unsigned d : {3U, 5U, 7U, 15U, 65U})
      for (int i = -8; i <= 8; i += 2) {
        const Rational c(i, 8);
        const Rational below = odd_cosine_cdf(d, c);
        const Wide wide = Wide(c);
        // Rounded to a double, fifty digits and the fraction are the same.
        EXPECT_EQ(static_cast<double>(law.wide_lower(d, wide)), below.convert_to<double>())
            << "d = " << d << ", c = " << c;
        EXPECT_EQ(static_cast<double>(law.wide_upper(d, wide)),
                  Rational(1 - below).convert_to<double>())
            << "d = " << d << ", c = " << c;
        // The density: (1 − c²)ⁿ over its integral.
        Rational density = Rational(1);
        Rational integral = 2;
        for (unsigned n = 1; n <= (d - 3) / 2; ++n) {
          density *= 1 - c * c;
          integral *= Rational(2 * n, 2 * n + 1);
        }
        EXPECT_EQ(static_cast<double>(law.wide_pdf(d, wide)),
                  Rational(density / integral).convert_to<double>())
            << "d = " << d << ", c = " << c;
        enumerated(1);
      }
  });
}
//! [CosineSimilarityLaw: against polynomials]

TEST(CosineSimilarityLaw, TwoAndFourDimensionsHaveAnArc) {
  judge(cosine_mutants, [](const CosineLaws& law) {
    evidence().weaken(Grade::measured);  // fifty digits, compared after rounding to a double
    of_the_statement();
    const Wide pi = constants::pi<Wide>();
    for (const double c : {-0.875, -0.5, -0x1p-20, 0.25, 0.75}) {
      const Wide wide = c;
      const Wide arc = 1 - acos(wide) / pi;
      EXPECT_EQ(static_cast<double>(law.wide_lower(2, wide)), static_cast<double>(arc)) << c;
      const Wide semicircle = arc + wide * sqrt(1 - wide * wide) / pi;
      EXPECT_EQ(static_cast<double>(law.wide_lower(4, wide)), static_cast<double>(semicircle)) << c;
    }
    enumerated(10);
  });
}

TEST(CosineSimilarityLaw, TheLawIsSymmetricAndTailAndCentreMakeOneHalf) {
  judge(cosine_mutants, [](const CosineLaws& law) {
    evidence().weaken(Grade::measured);
    const auto error = [&](double d, double c) {
      return error_in_epsilons(2 * (Wide(law.upper(d, c)) + Wide(law.central(d, c))), 1) / 2;
    };
    for_all([&] {
      const double d = 1 + *any_dimension().as("d - 1");
      const double c = std::min(1.0, *any_deviation().as("c, at most 1") / std::sqrt(d));
      RC_ASSERT(law.lower(d, -c) == law.upper(d, c));
      RC_ASSERT(law.central(d, -c) == -law.central(d, c));
      evidence().worst(error(d, c), 1);
      RC_ASSERT(error(d, c) <= 1);
    });
    // Where c² is no number any more, the mass is c f(0).
    for (const double d : {2.0, 3.0, 64.0}) {
      const Wide want = Wide(1e-200) * pdf(WideCosine(Wide(d)), Wide(0));
      expect_within(error_in_epsilons(law.central(d, 1e-200), want), 4, place(d, 1e-200),
                    Grade::measured);
    }
  });
}

TEST(CosineSimilarityLaw, TheDensityHasTheMomentsOfTheDirections) {
  judge(cosine_mutants, [](const CosineLaws& law) {
    evidence().weaken(Grade::measured);
    of_the_statement();
    const double bound = 256 * static_cast<double>(std::numeric_limits<Wide>::epsilon());
    const auto expect = [&](const Wide& got, const Rational& want, unsigned d) {
      expect_within(static_cast<double>(abs(got / Wide(want) - 1)), bound,
                    "d = " + std::to_string(d));
    };
    for (const unsigned order : {0U, 2U, 4U}) {
      const auto integrand = [&](unsigned d, const Wide& c) -> Wide {
        return pow(c, static_cast<int>(order)) * law.wide_pdf(d, c);
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
  });
}

TEST(CosineSimilarityLaw, ItsMomentsAreThoseOfTheDirections) {
  judge(cosine_mutants, [](const CosineLaws& law) {
    evidence().weaken(Grade::measured);  // fifty digits, compared after rounding to a double
    of_the_statement();
    for (unsigned d = 2; d <= 64; ++d) {
      const Rational square = cosine_moment(d, 2);
      EXPECT_EQ(static_cast<double>(law.variance(d)), square.convert_to<double>()) << "d = " << d;
      const Rational kurtosis = cosine_moment(d, 4) / (square * square);
      EXPECT_EQ(static_cast<double>(law.kurtosis(d)), kurtosis.convert_to<double>()) << "d = " << d;
    }
    enumerated(63);
  });
}

TEST(CosineSimilarityLaw, QuantilesComeBack) {
  judge(cosine_mutants, [](const CosineLaws& law) {
    evidence().weaken(Grade::measured);  // fifty digits, compared after rounding to a double
    for (const unsigned d : {2U, 3U, 8U, 64U})
      for (const double p : {0x1p-20, 0.25, 0.875}) {
        const Wide root = law.quantile(d, p);
        EXPECT_EQ(static_cast<double>(cdf(WideCosine(Wide(d)), root)), p)
            << "d = " << d << ", p = " << p;
      }
    enumerated(12);
    publish("percentile_at_64", format_significant(quantile(Cosine(64), 0.99), 3));
  });
}

TEST(CosineSimilarityLaw, QuantilesOfTinyTailsComeBack) {
  judge(cosine_mutants, [](const CosineLaws& law) {
    for (const double d : {2.0, 3.0, 64.0, 1000.5})
      for (const double q : {0.2, 1e-3, 1e-12, 1e-40, 1e-200}) {
        const double c = law.upper_quantile(d, q);
        EXPECT_EQ(law.lower_quantile(d, q), -c) << place(d, q);
        if (c == 1) {
          // The largest double below 1 must be too small.
          const double below = 1 - epsilon / 2;
          EXPECT_GT(cdf(complement(WideCosine(Wide(d)), Wide(below))), Wide(q)) << place(d, q);
          continue;
        }
        const Wide reached = cdf(complement(WideCosine(Wide(d)), Wide(c)));
        const Wide conditioning = 1 + c * pdf(WideCosine(Wide(d)), Wide(c)) / reached;
        expect_within(error_in_epsilons(reached, q) / static_cast<double>(conditioning), 2,
                      place(d, q), Grade::measured);
      }
    enumerated(20);
  });
}

TEST(CosineSimilarityLaw, TheNormNeedNotBeIndependentOfTheCosine) {
  judge(cosine_mutants, [](const CosineLaws& law) {
    // Eight directions that are spread evenly over the quadrants, and a query that is three times
    // as long where it points to the right: ‖q‖ = 3 exactly if C > 0.
    const std::vector<double> k{1, 0};
    int right = 0;
    int long_and_right = 0;
    for (const double a : {-4.0, -3.0, 3.0, 4.0})
      for (const double sign : {-1.0, 1.0}) {
        const double length = a > 0 ? 3 : 1;
        const std::vector<double> q{length * a / 5, length * sign * (7 - std::abs(a)) / 5};
        const bool is_right = law.cosine(q, k) > 0;
        right += is_right ? 1 : 0;
        long_and_right += is_right && dot(q, q) > 2 ? 1 : 0;
      }
    EXPECT_EQ(right, 4);
    // Independent would mean 8·½·½ = 2.
    EXPECT_EQ(long_and_right, 4);
    enumerated(8);
  });
}

TEST(CosineSimilarityLaw, AQueryThatIsItsOwnKeyHasCosineOne) {
  judge(cosine_mutants, [](const CosineLaws& law) {
    const std::vector<double> q{3, -4, 12};
    EXPECT_EQ(law.cosine(q, q), 1);
    EXPECT_EQ(law.lower(3, 0), 0.5);
    counterexample_without("independent");
  });
}

TEST(CosineSimilarityLaw, DirectionsAlongTheAxesHaveAnotherLaw) {
  judge(cosine_mutants, [](const CosineLaws& law) {
    // Both directions are one of (±1, 0), (0, ±1): the cosine is 0 half of the time.
    RationalDistribution axes({-1, 0, 1}, {Rational(1, 4), Rational(1, 2), Rational(1, 4)});
    const Rational above =
        axes.expectation([](const Rational& c) { return Rational(c > Rational(1, 2)); });
    EXPECT_EQ(above, Rational(1, 4));
    // For a uniform direction it is one third: an angle below 60 degrees.
    EXPECT_EQ(static_cast<double>(law.wide_upper(2, Wide(0.5))), 1.0 / 3);
    counterexample_without("uniform direction");
  });
}

TEST(CosineSimilarityLaw, RefusesWhatHasNoDirectionOrIsNoCosine) {
  judge(cosine_mutants, [](const CosineLaws& law) {
    for (const double d : {1.0, 0.0, -3.0, infinity, nan})
      EXPECT_THROW(law.lower(d, 0), std::domain_error) << "d = " << d;
    for (const double c : {-1.5, 1.5, nan})
      EXPECT_THROW(law.lower(3, c), std::domain_error) << "c = " << c;
    EXPECT_THROW(quantile(Cosine(3), 2), std::domain_error);
    EXPECT_THROW(pdf(Cosine(2), 1), std::overflow_error);
    EXPECT_EQ(law.lower(3, -1), 0);
    EXPECT_EQ(law.lower(3, 1), 1);
  });
}

}  // namespace
