// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/jacobian_error.hpp>
#include <sqrtdk/moments.hpp>
#include <sqrtdk/numbers/exp_interval.hpp>
#include <sqrtdk/saturation.hpp>
#include <sqrtdk/scale.hpp>
#include <sqrtdk/score.hpp>
#include <sqrtdk/softmax.hpp>
#include <sqrtdk/softmax_interval.hpp>
#include <sqrtdk/softmax_jacobian.hpp>
#include <sqrtdk/softmax_jacobian_means.hpp>
#include <sqrtdk/temperature.hpp>
#include <sqrtdk/testing/expect_draws.hpp>
#include <sqrtdk/testing/generators/floating_point.hpp>
#include <sqrtdk/testing/generators/rational_distributions.hpp>
#include <sqrtdk/testing/laws/wide.hpp>
#include <sqrtdk/testing/memoized.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/figure_data.hpp>
#include <sqrtdk/testing/reporting/printed.hpp>
#include <sqrtdk/testing/statistics/number_text.hpp>

#include "properties/support/vectors.hpp"

#include <boost/math/differentiation/autodiff.hpp>
#include <boost/math/distributions/normal.hpp>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace {

using namespace sqrtdk;
using namespace sqrtdk::testing;
namespace autodiff = boost::math::differentiation;

template <class Scalar>
using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
template <class Scalar>
using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
using Index = Eigen::Index;

/// What this chapter's laws judge.
struct Temperatures {
  Vector<Rational> (*sharpened)(const Vector<Rational>&, unsigned) = [](const Vector<Rational>& w,
                                                                        unsigned power) {
    return Vector<Rational>(sharpened_weights(w, power));
  };
  std::vector<Interval<Rational>> (*heated)(const std::vector<Rational>&, const Rational&) =
      [](const std::vector<Rational>& scores, const Rational& t) {
        std::vector<Rational> divided;
        for (const Rational& s : scores) divided.push_back(s / t);
        return softmax_enclosure(divided);
      };
  bool (*majorizes)(const Vector<Rational>&, const Vector<Rational>&) =
      [](const Vector<Rational>& p, const Vector<Rational>& q) { return sqrtdk::majorizes(p, q); };
  AttendedScore<Rational> (*attended)(const Vector<Rational>&, const Vector<Rational>&) =
      [](const Vector<Rational>& p, const Vector<Rational>& s) { return attended_score(p, s); };
  Wide (*entropy)(const Vector<Wide>&, const Wide&) = [](const Vector<Wide>& s, const Wide& t) {
    return softmax_entropy(s, t);
  };
  Wide (*slope)(const Vector<Wide>&, const Wide&) = [](const Vector<Wide>& s, const Wide& t) {
    return entropy_slope(s, t);
  };
  double (*slope_in_double)(const Vector<double>&, double) = [](const Vector<double>& s, double t) {
    return entropy_slope(s, t);
  };
  double (*entropy_in_double)(const Vector<double>&, double) =
      [](const Vector<double>& s, double t) { return softmax_entropy(s, t); };
  Rational (*share_below_the_ties)(std::size_t, std::size_t,
                                   const Rational&) = sqrtdk::share_below_the_ties;
  Vector<double> (*weights)(const Vector<double>&, double) = [](const Vector<double>& s, double t) {
    return Vector<double>(softmax(s, t));
  };
  std::array<double, 3> (*swept)(std::size_t) = swept_temperatures;
  Matrix<double> (*rows)(const Matrix<double>&, const Vector<double>&) =
      [](const Matrix<double>& s, const Vector<double>& t) {
        return Matrix<double>(softmax_rows(s, t));
      };
  Vector<Rational> (*derivative)(const Vector<Rational>&, const Vector<Rational>&,
                                 const Rational&) =
      [](const Vector<Rational>& p, const Vector<Rational>& s, const Rational& t) {
        return Vector<Rational>(temperature_derivative(p, s, t));
      };
  Rational (*gradient)(const Vector<Rational>&, const Vector<Rational>&, const Vector<Rational>&,
                       const Rational&) = [](const Vector<Rational>& p, const Vector<Rational>& s,
                                             const Vector<Rational>& g, const Rational& t) {
    return temperature_gradient(p, s, g, t);
  };
  Rational (*gradient_trace)(const Vector<Rational>&, unsigned) =
      [](const Vector<Rational>& w, unsigned power) { return sqrtdk::gradient_trace(w, power); };
  Rational saturated = saturated_weight;
  Wide (*best_two_key_temperature)() = sqrtdk::best_two_key_temperature<Wide>;
  double (*mean_trace)(std::size_t, double) = [](std::size_t n, double spread) {
    return remembered<mean_jacobian_trace>(n, spread);
  };
};

using Mutants = std::vector<Mutant<Temperatures>>;

Vector<Rational> integers(const std::vector<int>& entries) {
  Vector<Rational> w(static_cast<Index>(entries.size()));
  for (Index i = 0; i < w.size(); ++i) w[i] = entries[static_cast<std::size_t>(i)];
  return w;
}

/// Exponentials of scores: `fewest` to `most` positive integers, with ties.
Vector<Rational> any_exponentials(int most, int fewest = 1) {
  return integers(*rc::gen::mapcat(rc::gen::inRange(fewest, most + 1), [](int n) {
                     return rc::gen::container<std::vector<int>>(
                         static_cast<std::size_t>(n),
                         rc::gen::weightedOneOf<int>(
                             {{4, rc::gen::inRange(1, 10)}, {1, rc::gen::inRange(1, 1000)}}));
                   }).as("exponentials of the scores"));
}

Rational power(const Rational& base, unsigned exponent) {
  Rational result = 1;
  for (unsigned i = 0; i < exponent; ++i) result *= base;
  return result;
}

/// One to five scores from 0 to 6.
rc::Gen<std::vector<int>> small_scores() {
  return rc::gen::mapcat(rc::gen::inRange(1, 6), [](int n) {
    return rc::gen::container<std::vector<int>>(static_cast<std::size_t>(n),
                                                rc::gen::inRange(0, 7));
  });
}

Vector<double> moderate_scores(int longest) {
  return vector_of(*vectors<double>({.shortest = 1,
                                     .longest = static_cast<std::size_t>(longest),
                                     .entries = {.largest = 30}})
                        .as("scores"));
}

/// The median gap between two independent N(0, 1) scores, √2 Φ⁻¹(¾).
Wide two_key_median_gap() {
  return sqrt(Wide(2)) * quantile(boost::math::normal_distribution<Wide>(), Wide(3) / 4);
}

// ----------------------------------------------------------------------------- TemperatureSharpens

const Mutants sharpens_mutants = {
    {"the temperature is inverted",
     "SharperWeightsMajorize",
     {.sharpened =
          [](const Vector<Rational>& w, unsigned power) {
            return Vector<Rational>(sharpened_weights(Vector<Rational>(w.cwiseInverse()), power));
          }}},
    {"weights are not normalized",
     "SharperWeightsMajorize",
     {.sharpened =
          [](const Vector<Rational>& w, unsigned power) {
            const Vector<Rational> p = sharpened_weights(w, power);
            return Vector<Rational>(p * Rational(power + 1));
          }}},
    {"the temperature is not applied",
     "SharperWeightsMajorize",
     {.sharpened = [](const Vector<Rational>& w,
                      unsigned) { return Vector<Rational>(sharpened_weights(w, 1)); }}},
    {"the temperature is applied twice",
     "TemperaturesMultiply",
     {.sharpened =
          [](const Vector<Rational>& w, unsigned power) {
            return Vector<Rational>(sharpened_weights(w, power * power));
          }}},
    {"the exponent is one too large",
     "TemperaturesMultiply",
     {.sharpened =
          [](const Vector<Rational>& w, unsigned power) {
            return Vector<Rational>(sharpened_weights(w, power + 1));
          }}},
    {"everything majorizes everything",
     "MajorizationIsAPartialOrder",
     {.majorizes = [](const Vector<Rational>& p,
                      const Vector<Rational>& q) { return p.size() == q.size(); }}},
    {"only the largest entries are compared",
     "MajorizationIsAPartialOrder",
     {.majorizes =
          [](const Vector<Rational>& p, const Vector<Rational>& q) {
            return sqrtdk::majorizes(p, q) || p.maxCoeff() >= q.maxCoeff();
          }}},
    {"sums are not compared",
     "MajorizationIsAPartialOrder",
     {.majorizes =
          [](const Vector<Rational>& p, const Vector<Rational>& q) {
            return sqrtdk::majorizes(p, Vector<Rational>(q * (p.sum() / q.sum())));
          }}},
    {"half of a key counts in the sum",
     "TheEntropyRisesWithTheTemperature",
     {.sharpened =
          [](const Vector<Rational>& w, unsigned power) {
            Vector<Rational> p = sharpened_weights(w, power);
            if (power > 1) {
              p[0] /= 2;
              p /= p.sum();
            }
            return p;
          }}},
    {"below 1 the temperature has no effect",
     "TheEntropyRisesWithTheTemperature",
     {.sharpened =
          [](const Vector<Rational>& w, unsigned power) {
            return Vector<Rational>(sharpened_weights(w, std::min(power, 1U)));
          }}},
    {"scores are multiplied by the temperature",
     "TheDocumentsRowsAreInThisOrder",
     {.heated =
          [](const std::vector<Rational>& scores, const Rational& t) {
            std::vector<Rational> multiplied;
            for (const Rational& s : scores) multiplied.push_back(s * t);
            return softmax_enclosure(multiplied);
          }}},
    {"the temperature is subtracted",
     "TheDocumentsRowsAreInThisOrder",
     {.heated =
          [](const std::vector<Rational>& scores, const Rational& t) {
            std::vector<Rational> less;
            for (const Rational& s : scores) less.push_back(s - t);
            return softmax_enclosure(less);
          }}},
    {"the mean square instead of the variance",
     "TheVarianceIsTheSlopeOfTheAttendedScore",
     {.attended =
          [](const Vector<Rational>& p, const Vector<Rational>& s) {
            auto score = attended_score(p, s);
            score.variance += score.mean * score.mean;
            return score;
          }}},
    {"the unweighted mean",
     "TheVarianceIsTheSlopeOfTheAttendedScore",
     {.attended =
          [](const Vector<Rational>& p, const Vector<Rational>& s) {
            auto score = attended_score(p, s);
            score.mean = s.sum() / Rational(s.size());
            return score;
          }}},
    {"τ² instead of τ³",
     "TheEntropysSlopeIsTheVarianceOverTheCube",
     {.slope = [](const Vector<Wide>& s, const Wide& t) -> Wide {
       return entropy_slope(s, t) * t;
     }}},
    {"the slope has the other sign",
     "TheEntropysSlopeIsTheVarianceOverTheCube",
     {.slope = [](const Vector<Wide>& s, const Wide& t) -> Wide { return -entropy_slope(s, t); }}},
    {"the entropy is in bits",
     "TheEntropysSlopeIsTheVarianceOverTheCube",
     {.entropy = [](const Vector<Wide>& s, const Wide& t) -> Wide {
       return softmax_entropy(s, t) / log(Wide(2));
     }}},
    {"the slope is NaN at small temperatures",
     "AtTheEndsOfTheFormatTheSlopeIsRight",
     {.slope_in_double =
          [](const Vector<double>& s, double t) {
            return attended_score(softmax(s, t), s).variance / (t * t * t);
          }}},
    {"the entropy of the inverse temperature",
     "InDoubleTheEntropyRises",
     {.entropy_in_double = [](const Vector<double>& s,
                              double t) { return softmax_entropy(s, 1 / t); }}},
    {"the first weight is 1 at low temperatures",
     "WeightsOfEqualScoresNeverChange",
     {.sharpened =
          [](const Vector<Rational>& w, unsigned power) {
            Vector<Rational> p = sharpened_weights(w, power);
            if (power > 7) p[0] = 1;
            return p;
          }}},
    {"a weight of 0 is accepted",
     "RefusesWhatAreNoWeights",
     {.sharpened =
          [](const Vector<Rational>& w, unsigned power) {
            return w.size() > 0 && w.minCoeff() == 0
                       ? w
                       : Vector<Rational>(sharpened_weights(w, power));
          }}},
};

//! [TemperatureSharpens]
TEST(TemperatureSharpens, SharperWeightsMajorize) {
  judge(sharpens_mutants, [](const Temperatures& temperatures) {
    for_all([&] {
      const Vector<Rational> w = any_exponentials(6);
      // τ₁ = 1/a < τ₂ = 1/b; b = 0 is an infinite temperature.
      const unsigned b = *rc::gen::inRange(0U, 5U).as("1/τ₂");
      const unsigned a = b + *rc::gen::inRange(1U, 4U).as("1/τ₁ − 1/τ₂");
      const Vector<Rational> sharp = temperatures.sharpened(w, a);
      const Vector<Rational> soft = temperatures.sharpened(w, b);
      RC_ASSERT(sharp.sum() == 1);
      for (Index i = 0; i < w.size(); ++i)
        if (w[i] == w.maxCoeff()) RC_ASSERT(sharp[i] == sharp.maxCoeff());
      RC_ASSERT(temperatures.majorizes(sharp, soft));
      const bool all_equal = w.maxCoeff() == w.minCoeff();
      RC_ASSERT((sharp.maxCoeff() > soft.maxCoeff()) == !all_equal);
      RC_ASSERT((sharp.squaredNorm() > soft.squaredNorm()) == !all_equal);
      RC_ASSERT(all_equal || !temperatures.majorizes(soft, sharp));
    });
  });
}
//! [TemperatureSharpens]

TEST(TemperatureSharpens, TemperaturesMultiply) {
  judge(sharpens_mutants, [](const Temperatures& temperatures) {
    for_all([&] {
      const Vector<Rational> w = any_exponentials(5);
      const unsigned a = *rc::gen::inRange(0U, 4U).as("a");
      const unsigned b = *rc::gen::inRange(2U, 4U).as("b");
      const Vector<Rational> once = normalized_weights(w);
      RC_ASSERT(temperatures.sharpened(w, 1) == once);
      Vector<Rational> powers = w;
      for (Rational& x : powers) x = power(x, a * b);
      RC_ASSERT(sharpened_weights(temperatures.sharpened(w, a), b) == normalized_weights(powers));
    });
  });
}

TEST(TemperatureSharpens, MajorizationIsAPartialOrder) {
  judge(sharpens_mutants, [](const Temperatures& temperatures) {
    const Vector<Rational> p = integers({5, 3, 2}), q = integers({4, 5, 1});  // sorted: 5, 4, 1
    EXPECT_TRUE(temperatures.majorizes(q, p));
    EXPECT_FALSE(temperatures.majorizes(p, q));
    // These two cannot be compared: 6 > 5, but 6 + 2 < 5 + 5.
    const Vector<Rational> wide = integers({6, 2, 2, 0}), flat = integers({5, 5, 0, 0});
    EXPECT_FALSE(temperatures.majorizes(wide, flat));
    EXPECT_FALSE(temperatures.majorizes(flat, wide));
    EXPECT_FALSE(temperatures.majorizes(integers({3, 1}), integers({1, 1})));
    for_all([&] {
      const Vector<Rational> w = any_exponentials(5);
      const Rational share = Rational(*rc::gen::inRange(0, 101).as("percent"), 100);
      const Vector<Rational> mean = Vector<Rational>::Constant(w.size(), w.sum() / w.size());
      // Moving towards the mean is what majorization undoes.
      RC_ASSERT(temperatures.majorizes(w, Vector<Rational>(w + share * (mean - w))));
    });
  });
}

/// Π pᵢ^(M pᵢ) for probabilities with the common denominator M: it is e^(−M H).
Rational exponential_of_entropy(const Vector<Rational>& p, const Integer& denominator) {
  Rational product = 1;
  for (const Rational& weight : p)
    product *= power(weight, static_cast<unsigned>(Integer(weight * denominator)));
  return product;
}

TEST(TemperatureSharpens, TheEntropyRisesWithTheTemperature) {
  judge(sharpens_mutants, [](const Temperatures& temperatures) {
    // All exponentials from 1 to 3 of three scores, at the temperatures ½, 1 and infinity.
    for (int code = 0; code < 27; ++code) {
      const Vector<Rational> w = integers({1 + code % 3, 1 + code / 3 % 3, 1 + code / 9});
      const bool all_equal = w.maxCoeff() == w.minCoeff();
      for (const unsigned a : {0U, 1U}) {
        const Vector<Rational> soft = temperatures.sharpened(w, a);
        const Vector<Rational> sharp = temperatures.sharpened(w, a + 1);
        Integer common = 1;
        for (Index i = 0; i < 3; ++i)
          common = lcm(common, lcm(denominator(soft[i]), denominator(sharp[i])));
        const Rational of_soft = exponential_of_entropy(soft, common);
        const Rational of_sharp = exponential_of_entropy(sharp, common);
        EXPECT_EQ(of_sharp > of_soft, !all_equal) << code << ", 1/τ = " << a;
        EXPECT_EQ(of_sharp == of_soft, all_equal) << code << ", 1/τ = " << a;
      }
    }
    enumerated(54);
  });
}

/// Whether weights majorize others for certain: sums of the largest ones, with least against
/// greatest. Both are in the order of the same scores.
bool surely_majorize(std::vector<Interval<Rational>> sharp, std::vector<Interval<Rational>> soft) {
  const auto falling = [](const Interval<Rational>& a, const Interval<Rational>& b) {
    return a.lower > b.lower;
  };
  std::sort(sharp.begin(), sharp.end(), falling);
  std::sort(soft.begin(), soft.end(), falling);
  Rational more = 0, less = 0;
  bool all = true;
  for (std::size_t k = 0; k + 1 < sharp.size(); ++k) {
    more += sharp[k].lower;
    less += soft[k].upper;
    all = all && more > less;
  }
  return all;
}

/// 1/Σp², the number of keys that would give equal weights this sum of squares.
Interval<Rational> equal_keys(const std::vector<Interval<Rational>>& weights) {
  Interval<Rational> squares{0, 0};
  for (const Interval<Rational>& p : weights)
    squares = {squares.lower + p.lower * p.lower, squares.upper + p.upper * p.upper};
  return {1 / squares.upper, 1 / squares.lower};
}

TEST(TemperatureSharpens, TheDocumentsRowsAreInThisOrder) {
  judge(sharpens_mutants, [](const Temperatures& temperatures) {
    const std::vector<Rational> article = {14, 10, 12};
    const auto raw = temperatures.heated(article, 1);
    const auto scaled = temperatures.heated(article, 8);
    // "More evenly" is majorization; "much" that the keys that count are more than twice as many.
    expect_confirmed(
        "S2", "much more evenly",
        surely_majorize(raw, scaled) && equal_keys(scaled).lower > 2 * equal_keys(raw).upper);
    publish("keys_raw", fixed(static_cast<double>(equal_keys(raw).lower), 2));
    publish("keys_scaled", fixed(static_cast<double>(equal_keys(scaled).lower), 2));

    const std::vector<Rational> section = {Rational(92, 10), Rational(-31, 10), Rational(88, 10),
                                           Rational(-54, 10), Rational(12, 10)};
    const auto at_the_root = temperatures.heated(section, 8);
    expect_confirmed("S3", "distributed more evenly",
                     surely_majorize(temperatures.heated(section, 1), at_the_root));
    expect_confirmed("S3", "more peaked",
                     surely_majorize(temperatures.heated(section, 4), at_the_root));
    expect_confirmed("S3", "more uniform",
                     surely_majorize(at_the_root, temperatures.heated(section, 16)));
    // The scores of the first answer, divided as the third one says.
    expect_confirmed("S1", "more uniformly distributed",
                     surely_majorize(temperatures.heated({1, 1, 1, 5}, 1),
                                     temperatures.heated({1, 1, 1, 5}, 8)));
    enumerated(5);
  });
}

//! [TemperatureSharpens: exact check]
TEST(TemperatureSharpens, TheVarianceIsTheSlopeOfTheAttendedScore) {
  judge(sharpens_mutants, [](const Temperatures& temperatures) {
    for_all([&] {
      // Integer scores s and t = e^β with β = 1/τ: e^(βs) = t^s, and d/dβ = t d/dt, over ℚ.
      const auto scores = *small_scores().as("scores");
      const Rational at = abs(*nonzero_rational().as("e^(1/τ)"));
      RC_PRE(at < 1000);
      const auto t = autodiff::make_fvar<Rational, 1>(at);
      auto sum = t * Rational(0);
      auto weighted = sum;
      Vector<Rational> exponentials(static_cast<Index>(scores.size()));
      for (std::size_t i = 0; i < scores.size(); ++i) {
        auto term = t * Rational(0) + Rational(1);
        for (int s = 0; s < scores[i]; ++s) term = term * t;
        exponentials[static_cast<Index>(i)] = term.at(0);
        sum += term;
        weighted += term * Rational(scores[i]);
      }
      const auto mean = weighted / sum;
      const auto score = temperatures.attended(normalized_weights(exponentials), integers(scores));
      RC_ASSERT(score.mean == mean.at(0));
      RC_ASSERT(score.mean == at * sum.at(1) / sum.at(0));  // d ln Z/dβ
      RC_ASSERT(score.variance == at * mean.at(1));         // d⟨s⟩/dβ
    });
  });
}
//! [TemperatureSharpens: exact check]

TEST(TemperatureSharpens, TheEntropysSlopeIsTheVarianceOverTheCube) {
  judge(sharpens_mutants, [](const Temperatures& temperatures) {
    evidence().weaken(Grade::measured);  // exp and log of fifty digits
    for_all(
        [&] {
          const Vector<Wide> s = moderate_scores(8).cast<Wide>();
          const Wide t = *rc::gen::inRange(1, 40).as("4τ") / Wide(4);
          const Wide h = t * Wide(0x1p-70);
          const Wide difference = (temperatures.entropy(s, t + h) - temperatures.entropy(s, t)) / h;
          const double error = static_cast<double>(abs(difference - temperatures.slope(s, t)));
          // h/2 · max abs(H″) with abs(H″) ≤ R³/τ⁵ + 3R²/4τ⁴, and the errors of the entropies over
          // h; that of the slope is far below them, as it is not divided by h = 2^−70 τ: weights
          // that are off by e change the variance by R²Σe at most, and their mean, squared, by as
          // much once more; each term is rounded n + 8 times at most.
          const double range = static_cast<double>(Wide(s.maxCoeff() - s.minCoeff()));
          const double tau = static_cast<double>(t);
          const double curvature =
              std::pow(range, 3) / std::pow(tau, 5) + 0.75 * range * range / std::pow(tau, 4);
          const double of_entropy = entropy_error_bound(s, t) + entropy_error_bound(s, Wide(t + h));
          const SoftmaxErrorBound of_weights = softmax_error_bound(s, t);
          const Vector<double> p = softmax(s, t).cast<double>();
          double of_slope = static_cast<double>(s.size() + 8) * arithmetic_of<Wide>().unit_roundoff;
          for (Index i = 0; i < s.size(); ++i) of_slope += 2 * of_weights(i, p[i]);
          const double bound =
              (static_cast<double>(h) * curvature / 2 + of_entropy / static_cast<double>(h) +
               of_slope * range * range / std::pow(tau, 3)) *
              (1 + bound_margin);
          evidence().worst(error, bound);
          RC_ASSERT(error <= bound);
        },
        60);
  });
}

TEST(TemperatureSharpens, InDoubleTheEntropyRises) {
  judge(sharpens_mutants, [](const Temperatures& temperatures) {
    evidence().weaken(Grade::bounded);
    for_all([&] {
      const Vector<double> s = moderate_scores(12);
      const double cold = *rc::gen::inRange(1, 100).as("8τ₁") / 8.0;
      const double hot = cold + *rc::gen::inRange(1, 100).as("8(τ₂ − τ₁)") / 8.0;
      const double bound = entropy_error_bound(s, cold) + entropy_error_bound(s, hot);
      const double fall =
          temperatures.entropy_in_double(s, cold) - temperatures.entropy_in_double(s, hot);
      evidence().worst(std::max(fall, 0.0), bound);
      RC_ASSERT(fall <= bound);
    });
  });
}

TEST(TemperatureSharpens, AtTheEndsOfTheFormatTheSlopeIsRight) {
  judge(sharpens_mutants, [](const Temperatures& temperatures) {
    evidence().weaken(Grade::bounded);
    // Scores and temperature multiplied by a power of two divide the slope by it, bit for bit where
    // nothing underflows.
    const Vector<double> s = vector_of<double>({0, -1, 3});
    const double slope = temperatures.slope_in_double(s, 2);
    for (const int exponent : {-1000, -400, 400, 1000}) {
      const double scale = std::ldexp(1.0, exponent);
      EXPECT_EQ(temperatures.slope_in_double(s * scale, 2 * scale), slope / scale)
          << "times 2^" << exponent;
    }
    EXPECT_EQ(temperatures.slope_in_double(vector_of<double>({-1.7e308, 1.7e308}), 1), 0);
    EXPECT_GT(temperatures.slope_in_double(vector_of<double>({-1.7e308, 1.7e308}), 1e308), 0);
    enumerated(6);
  });
}

TEST(TemperatureSharpens, WeightsOfEqualScoresNeverChange) {
  judge(sharpens_mutants, [](const Temperatures& temperatures) {
    for (const int n : {1, 2, 5})
      for (const unsigned a : {0U, 1U, 9U})
        EXPECT_EQ(temperatures.sharpened(Vector<Rational>::Constant(n, 7), a),
                  Vector<Rational>::Constant(n, Rational(1, n)));
    enumerated(9);
    counterexample_without("scores that differ");
  });
}

TEST(TemperatureSharpens, RefusesWhatAreNoWeights) {
  judge(sharpens_mutants, [](const Temperatures& temperatures) {
    EXPECT_THROW(temperatures.sharpened(integers({1, 0}), 2), std::domain_error);
    EXPECT_THROW(temperatures.sharpened(integers({1, -1}), 2), std::domain_error);
    EXPECT_THROW(temperatures.sharpened(Vector<Rational>(), 2), std::invalid_argument);
    EXPECT_THROW(temperatures.majorizes(Vector<Rational>(), Vector<Rational>()),
                 std::invalid_argument);
    EXPECT_THROW(temperatures.entropy_in_double(Vector<double>::Zero(2), 0), std::domain_error);
  });
}

// ------------------------------------------------------------------------------- TemperatureLimits

const Mutants limits_mutants = {
    {"one tie too many is counted",
     "TheLargestScoresShareWhatIsLeft",
     {.share_below_the_ties =
          [](std::size_t n, std::size_t k, const Rational& r) {
            return sqrtdk::share_below_the_ties(n, std::min<std::size_t>(n, k + 1), r);
          }}},
    {"the ratio counts once for all",
     "TheLargestScoresShareWhatIsLeft",
     {.share_below_the_ties =
          [](std::size_t n, std::size_t k, const Rational& r) {
            return sqrtdk::share_below_the_ties(std::min(n, k + 1), k, r);
          }}},
    {"the bound is doubled",
     "TheBoundIsReached",
     {.share_below_the_ties =
          [](std::size_t n, std::size_t k, const Rational& r) {
            return 2 * sqrtdk::share_below_the_ties(n, k, r);
          }}},
    {"below a third the temperature has no effect",
     "EachStepDividesWhatIsLeft",
     {.sharpened =
          [](const Vector<Rational>& w, unsigned power) {
            return Vector<Rational>(sharpened_weights(w, std::min(power, 3U)));
          }}},
    {"a heated softmax forgets a key",
     "HotWeightsAreNearlyUniform",
     {.sharpened =
          [](const Vector<Rational>& w, unsigned power) {
            Vector<Rational> p = sharpened_weights(w, power);
            if (power <= 1 && p.size() > 1) {
              p[1] += p[0];
              p[0] = 0;
            }
            return p;
          }}},
    {"no ties at all are accepted",
     "RefusesWhatIsNoShare",
     {.share_below_the_ties =
          [](std::size_t n, std::size_t k, const Rational& r) {
            return k == 0 ? Rational(1) : sqrtdk::share_below_the_ties(n, k, r);
          }}},
    {"a ratio above 1 is accepted",
     "RefusesWhatIsNoShare",
     {.share_below_the_ties =
          [](std::size_t n, std::size_t k, const Rational& r) {
            return r > 1 ? Rational(1) : sqrtdk::share_below_the_ties(n, k, r);
          }}},
};

/// How many entries are the largest one, and the next largest as a part of it (0 if there is none).
std::pair<std::size_t, Rational> ties_and_ratio(const Vector<Rational>& w) {
  const Rational largest = w.maxCoeff();
  std::size_t ties = 0;
  Rational next = 0;
  for (const Rational& x : w)
    if (x == largest)
      ++ties;
    else
      next = std::max(next, x);
  return {ties, next / largest};
}

//! [TemperatureLimits]
TEST(TemperatureLimits, TheLargestScoresShareWhatIsLeft) {
  judge(limits_mutants, [](const Temperatures& temperatures) {
    for_all([&] {
      const Vector<Rational> w = any_exponentials(7);
      const unsigned a = *rc::gen::inRange(0U, 20U).as("1/τ");
      const auto [ties, ratio] = ties_and_ratio(w);
      const std::size_t n = static_cast<std::size_t>(w.size());
      const Vector<Rational> p = temperatures.sharpened(w, a);
      const Rational rest = 1 - Rational(ties) * p.maxCoeff();
      const Rational bound = temperatures.share_below_the_ties(n, ties, power(ratio, a));
      RC_ASSERT(rest <= bound);
      RC_ASSERT(bound <= Rational(n - ties) / Rational(ties) * power(ratio, a));
    });
  });
}
//! [TemperatureLimits]

TEST(TemperatureLimits, TheBoundIsReached) {
  judge(limits_mutants, [](const Temperatures& temperatures) {
    for (std::size_t n = 1; n <= 6; ++n)
      for (std::size_t k = 1; k <= n; ++k)
        for (const unsigned a : {1U, 2U, 5U}) {
          Vector<Rational> w = Vector<Rational>::Constant(static_cast<Index>(n), 2);
          w.head(static_cast<Index>(k)).setConstant(3);
          EXPECT_EQ(temperatures.share_below_the_ties(n, k, power(Rational(2, 3), a)),
                    1 - Rational(k) * temperatures.sharpened(w, a)[0]);
        }
    enumerated(63);
  });
}

TEST(TemperatureLimits, EachStepDividesWhatIsLeft) {
  judge(limits_mutants, [](const Temperatures& temperatures) {
    // With gap ln 2 and a = 1/τ: of three scores, two of them tied, 2^(−a)/2 at most is left.
    for (unsigned a = 1; a <= 64; ++a) {
      const Vector<Rational> p = temperatures.sharpened(integers({2, 1, 2}), a);
      EXPECT_EQ(p[0], p[2]);
      EXPECT_EQ(p[1] / p[0], 1 / power(2, a)) << "a = " << a;
      EXPECT_LT(Rational(1, 2) - p[0], 1 / power(2, a + 1)) << "a = " << a;
    }
    enumerated(64);
  });
}

TEST(TemperatureLimits, HotWeightsAreNearlyUniform) {
  judge(limits_mutants, [](const Temperatures& temperatures) {
    for_all([&] {
      // Scores t·ln v at temperature t have the weights v, and v is near 1 when t is large.
      const Vector<Rational> v =
          any_exponentials(6).unaryExpr([](const Rational& x) { return Rational(1 + x / 100000); });
      const Rational ratio = v.maxCoeff() / v.minCoeff();
      const Vector<Rational> p = temperatures.sharpened(v, 1);
      const Interval<Rational> bounds =
          softmax_weight_bounds(static_cast<std::size_t>(v.size()), ratio);
      for (const Rational& weight : p) {
        RC_ASSERT(bounds.lower <= weight);
        RC_ASSERT(weight <= bounds.upper);
        RC_ASSERT(abs(Rational(v.size() * weight - 1)) <= ratio - 1);
      }
      RC_ASSERT(temperatures.sharpened(v, 0) ==
                Vector<Rational>::Constant(v.size(), Rational(1, v.size())));
    });
  });
}

TEST(TemperatureLimits, RefusesWhatIsNoShare) {
  judge(limits_mutants, [](const Temperatures& temperatures) {
    EXPECT_THROW(temperatures.share_below_the_ties(3, 0, 1), std::domain_error);
    EXPECT_THROW(temperatures.share_below_the_ties(3, 4, 1), std::domain_error);
    EXPECT_THROW(temperatures.share_below_the_ties(3, 1, 2), std::domain_error);
    EXPECT_THROW(temperatures.share_below_the_ties(3, 1, -1), std::domain_error);
  });
}

// -------------------------------------------------------------------------------- TemperatureSweep

/// The example of S3, d = 64 and five positions.
Vector<double> documents_scores() { return vector_of<double>({9.2, -3.1, 8.8, -5.4, 1.2}); }

const Mutants sweep_mutants = {
    {"d instead of its root",
     "GoesFromHalfTheRootToTwiceTheRoot",
     {.swept = [](std::size_t d) { return swept_temperatures(d == 64 ? 64 : d * d); }}},
    {"a dimension of 0 is accepted",
     "GoesFromHalfTheRootToTwiceTheRoot",
     {.swept = [](std::size_t d) { return swept_temperatures(d == 0 ? 1 : d); }}},
    {"the temperature is inverted",
     "OnTheDocumentsScores",
     {.weights = [](const Vector<double>& s,
                    double t) { return Vector<double>(softmax(s, 1 / t)); }}},
    {"the temperature is applied twice",
     "OnTheDocumentsScores",
     {.weights = [](const Vector<double>& s,
                    double t) { return Vector<double>(softmax(s, t * t)); }}},
    {"temperatures of one, two and four times the root",
     "OverRandomScores",
     {.swept =
          [](std::size_t d) {
            auto temperatures = swept_temperatures(d);
            for (double& temperature : temperatures) temperature *= 2;
            return temperatures;
          }}},
    {"temperatures from the largest to the smallest",
     "OverRandomScores",
     {.swept =
          [](std::size_t d) {
            auto temperatures = swept_temperatures(d);
            std::reverse(temperatures.begin(), temperatures.end());
            return temperatures;
          }}},
    {"the temperature is ignored",
     "RandomScoresAgreeWithTheIntegrals",
     {.weights = [](const Vector<double>& s, double) { return Vector<double>(softmax(s)); }}},
    {"all temperatures are near 8",
     "RandomScoresAgreeWithTheIntegrals",
     {.weights = [](const Vector<double>& s,
                    double t) { return Vector<double>(softmax(s, 8 + std::log(t / 8) / 8)); }}},
};

TEST(TemperatureSweep, OnTheDocumentsScores) {
  judge(sweep_mutants, [](const Temperatures& temperatures) {
    evidence().weaken(Grade::bounded);
    of_the_statement();
    const Vector<double> s = documents_scores();
    for (const double t : temperatures.swept(64)) {
      const Vector<double> p = temperatures.weights(s, t);
      const Vector<double> exact = softmax(Vector<Wide>(s.cast<Wide>()), Wide(t)).cast<double>();
      const SoftmaxErrorBound bound = softmax_error_bound(s, t);
      std::string row;
      for (Index i = 0; i < s.size(); ++i) {
        // The exact weight is rounded to a double as well.
        const double allowed =
            bound(i, exact[i]) + std::numeric_limits<double>::epsilon() * exact[i];
        evidence().worst(std::abs(p[i] - exact[i]), allowed);
        EXPECT_LE(std::abs(p[i] - exact[i]), allowed) << "τ = " << t << ", position " << i;
        row += (i > 0 ? ", " : "") + fixed(p[i], 3);
      }
      publish("weights_at_" + digits(t, 2), row);
      publish("leaders_at_" + digits(t, 2), fixed(p[0] + p[2], 2));
      publish("keys_at_" + digits(t, 2), fixed(std::exp(softmax_entropy(s, t)), 2));
    }
    std::vector<std::vector<double>> rows;
    for (int eighth = 0; eighth <= 48; ++eighth) {
      const double t = std::exp2(eighth / 8.0);
      const Vector<double> p = temperatures.weights(s, t);
      rows.push_back({t, p[0], p[1], p[2], p[3], p[4]});
    }
    write_figure_data("temperature_sweep", {"temperature", "1", "2", "3", "4", "5"}, rows);
    enumerated(3);
  });
}

TEST(TemperatureSweep, GoesFromHalfTheRootToTwiceTheRoot) {
  judge(sweep_mutants, [](const Temperatures& temperatures) {
    for (unsigned root = 1; root <= 64; ++root) {
      const auto [half, one, two] = temperatures.swept(root * root);
      EXPECT_EQ(2 * half, root);
      EXPECT_EQ(one, root);
      EXPECT_EQ(two, 2 * root);
    }
    EXPECT_THROW(temperatures.swept(0), std::domain_error);
    enumerated(64);
  });
}

//! [TemperatureSweep]
TEST(TemperatureSweep, OverRandomScores) {
  judge(sweep_mutants, [](const Temperatures& temperatures) {
    evidence().weaken(Grade::bounded);
    of_the_statement();
    // d = 64 and five keys: scores N(0, 64), so that the spread is 8/τ.
    double before = 1, fewer = 1;
    for (const double t : temperatures.swept(64)) {
      const double largest = remembered<mean_largest_weight>(std::size_t{5}, 8 / t);
      const double keys = remembered<effective_positions>(5.0, 8 / t);
      EXPECT_LT(largest, before - 2 * integral_error_bound) << "τ = " << t;
      EXPECT_GT(keys, fewer + 2 * integral_error_bound) << "τ = " << t;
      before = largest;
      fewer = keys;
      publish("largest_at_" + digits(t, 2), fixed(largest, 3));
      publish("keys_at_" + digits(t, 2), fixed(keys, 2));
    }
    enumerated(3);
  });
}
//! [TemperatureSweep]

TEST(TemperatureSweep, RandomScoresAgreeWithTheIntegrals) {
  judge(sweep_mutants, [](const Temperatures& temperatures) {
    // A number from 0 to 1 exceeds a uniform one with a probability that is its mean.
    const auto drawn_weights = [&](double t, Stream& stream) {
      Vector<double> s(5);
      for (double& score : s) score = draw(boost::math::normal(0, 8), stream);
      return temperatures.weights(s, t);
    };
    for (const double t : temperatures.swept(64)) {
      expect_draws(
          CountCheck(remembered<mean_largest_weight>(std::size_t{5}, 8 / t)), {.effect = 0.05},
          [&](Stream& stream) { return drawn_weights(t, stream).maxCoeff() > uniform(stream); });
      expect_draws(CountCheck(remembered<mean_entropy>(5.0, 8 / t) / std::log(5.0)),
                   {.effect = 0.05}, [&](Stream& stream) {
                     double entropy = 0;
                     for (const double weight : drawn_weights(t, stream))
                       if (weight > 0) entropy -= weight * std::log(weight);
                     return entropy / std::log(5.0) > uniform(stream);
                   });
    }
  });
}

// ----------------------------------------------------------------------------- QueryDependentScale

/// Scores of a few queries, with a temperature for each.
std::pair<Matrix<double>, Vector<double>> any_rows() {
  const Index queries = *rc::gen::inRange<Index>(1, 5).as("queries");
  const Index keys = *rc::gen::inRange<Index>(1, 6).as("keys");
  const auto entries = *rc::gen::container<std::vector<int>>(
                            static_cast<std::size_t>(queries * keys), rc::gen::inRange(-800, 800))
                            .as("100 × scores");
  const auto powers = *rc::gen::container<std::vector<int>>(static_cast<std::size_t>(queries),
                                                            rc::gen::inRange(-2, 5))
                           .as("log₂ of the temperatures");
  Matrix<double> scores(queries, keys);
  Vector<double> temperatures(queries);
  for (Index i = 0; i < queries; ++i) {
    temperatures[i] = std::ldexp(1, powers[static_cast<std::size_t>(i)]);
    for (Index j = 0; j < keys; ++j)
      scores(i, j) = entries[static_cast<std::size_t>(i * keys + j)] / 100.0;
  }
  return {scores, temperatures};
}

Matrix<double> each_row(const Matrix<double>& scores, const Vector<double>& t) {
  return softmax_rows(scores, t);
}

const Mutants query_mutants = {
    {"the first temperature serves all",
     "EachRowUsesItsOwnTemperature",
     {.rows =
          [](const Matrix<double>& s, const Vector<double>& t) {
            return each_row(s, t.size() == s.rows() ? Vector<double>::Constant(s.rows(), t[0]) : t);
          }}},
    {"temperatures in reversed order",
     "EachRowUsesItsOwnTemperature",
     {.rows = [](const Matrix<double>& s,
                 const Vector<double>& t) { return each_row(s, t.reverse()); }}},
    {"multiplied instead of divided",
     "ATemperatureFoldsIntoItsQuery",
     {.rows = [](const Matrix<double>& s,
                 const Vector<double>& t) { return each_row(s, t.cwiseInverse()); }}},
    {"the temperature is applied twice",
     "ATemperatureFoldsIntoItsQuery",
     {.rows = [](const Matrix<double>& s,
                 const Vector<double>& t) { return each_row(s, t.cwiseAbs2()); }}},
    {"τ instead of τ²",
     "TheDerivativeByTheTemperatureIsExact",
     {.derivative = [](const Vector<Rational>& p, const Vector<Rational>& s, const Rational& t)
          -> Vector<Rational> { return temperature_derivative(p, s, t) * t; }}},
    {"the sign is lost",
     "TheDerivativeByTheTemperatureIsExact",
     {.derivative = [](const Vector<Rational>& p, const Vector<Rational>& s, const Rational& t)
          -> Vector<Rational> { return -temperature_derivative(p, s, t); }}},
    {"the mean is not subtracted",
     "TheGradientOfALearnedTemperatureIsMinusACovariance",
     {.gradient = [](const Vector<Rational>& p, const Vector<Rational>& s,
                     const Vector<Rational>& g, const Rational& t) -> Rational {
       const Rational right = temperature_gradient(p, s, g, t);
       return right - p.dot(g) * p.dot(s) / (t * t);
     }}},
    {"the temperature's square is dropped",
     "TheGradientOfALearnedTemperatureIsMinusACovariance",
     {.gradient = [](const Vector<Rational>& p, const Vector<Rational>& s,
                     const Vector<Rational>& g, const Rational& t) -> Rational {
       return temperature_gradient(p, s, g, t) * t;
     }}},
    {"missing temperatures are 1",
     "RefusesRowsWithoutATemperature",
     {.rows =
          [](const Matrix<double>& s, const Vector<double>& t) {
            return each_row(s, t.size() == s.rows() ? t : Vector<double>::Ones(s.rows()));
          }}},
    {"a temperature of 0 is accepted",
     "RefusesRowsWithoutATemperature",
     {.derivative =
          [](const Vector<Rational>& p, const Vector<Rational>& s, const Rational& t) {
            return t == 0 ? p : Vector<Rational>(temperature_derivative(p, s, t));
          }}},
};

//! [QueryDependentScale]
TEST(QueryDependentScale, EachRowUsesItsOwnTemperature) {
  judge(query_mutants, [](const Temperatures& temperatures) {
    for_all([&] {
      const auto [scores, t] = any_rows();
      const Matrix<double> weights = temperatures.rows(scores, t);
      const Index row = *rc::gen::inRange<Index>(0, scores.rows()).as("row");
      RC_ASSERT(weights.row(row) == softmax(scores.row(row), t[row]));  // bit for bit
      Vector<double> others = Vector<double>(t * 3);
      others[row] = t[row];
      RC_ASSERT(temperatures.rows(scores, others).row(row) == weights.row(row));
    });
  });
}
//! [QueryDependentScale]

TEST(QueryDependentScale, ATemperatureFoldsIntoItsQuery) {
  judge(query_mutants, [](const Temperatures& temperatures) {
    for_all([&] {
      // (q/τ)·k = (q·k)/τ, and no bit changes if τ is a power of two.
      const auto [scores, t] = any_rows();
      const Matrix<double> folded = t.cwiseInverse().asDiagonal() * scores;
      RC_ASSERT(temperatures.rows(scores, t) == each_row(folded, Vector<double>::Ones(t.size())));
      const auto q = *rc::gen::container<std::vector<Rational>>(3, any_rational()).as("query");
      const auto k = *rc::gen::container<std::vector<Rational>>(3, any_rational()).as("key");
      const Rational tau = *nonzero_rational().as("temperature");
      std::vector<Rational> scaled;
      for (const Rational& x : q) scaled.push_back(x / tau);
      RC_ASSERT(dot_product(scaled, k) == dot_product(q, k) / tau);
    });
  });
}

//! [QueryDependentScale: exact check]
TEST(QueryDependentScale, TheDerivativeByTheTemperatureIsExact) {
  judge(query_mutants, [](const Temperatures& temperatures) {
    for_all([&] {
      // As above: weights t^s with t = e^(1/τ), so ∂p/∂τ = −(1/τ²) t dp/dt.
      const auto scores = *small_scores().as("scores");
      const Rational at(*rc::gen::inRange(1, 60).as("12e^(1/τ)"), 12);
      const Rational tau = abs(*nonzero_rational().as("temperature"));
      const auto t = autodiff::make_fvar<Rational, 1>(at);
      auto sum = t * Rational(0);
      std::vector<decltype(sum)> terms;
      Vector<Rational> exponentials(static_cast<Index>(scores.size()));
      for (const int score : scores) {
        auto term = t * Rational(0) + Rational(1);
        for (int s = 0; s < score; ++s) term = term * t;
        exponentials[static_cast<Index>(terms.size())] = term.at(0);
        terms.push_back(term);
        sum += term;
      }
      const Vector<Rational> derivative =
          temperatures.derivative(normalized_weights(exponentials), integers(scores), tau);
      for (std::size_t i = 0; i < terms.size(); ++i) {
        const auto weight = terms[i] / sum;
        RC_ASSERT(derivative[static_cast<Index>(i)] == -at * weight.at(1) / (tau * tau));
      }
    });
  });
}

TEST(QueryDependentScale, TheGradientOfALearnedTemperatureIsMinusACovariance) {
  judge(query_mutants, [](const Temperatures& temperatures) {
    for_all([&] {
      const Vector<Rational> p = normalized_weights(any_exponentials(6));
      const Vector<Rational> s = any_vector(p.size(), "scores");
      const Vector<Rational> g = any_vector(p.size(), "cotangent");
      const Rational tau = abs(*nonzero_rational().as("temperature"));
      std::vector<std::pair<Rational, Rational>> pairs;
      for (Index i = 0; i < p.size(); ++i) pairs.emplace_back(g[i], s[i]);
      const FiniteDistribution<std::pair<Rational, Rational>> joint(
          pairs, std::vector<Rational>(p.begin(), p.end()));
      RC_ASSERT(temperatures.gradient(p, s, g, tau) == -covariance(joint) / (tau * tau));
    });
  });
}
//! [QueryDependentScale: exact check]

TEST(QueryDependentScale, RefusesRowsWithoutATemperature) {
  judge(query_mutants, [](const Temperatures& temperatures) {
    const Vector<Rational> halves = Vector<Rational>::Constant(2, Rational(1, 2));
    EXPECT_THROW(temperatures.rows(Matrix<double>::Zero(3, 2), Vector<double>::Ones(2)),
                 std::invalid_argument);
    EXPECT_THROW(temperatures.rows(Matrix<double>::Zero(1, 2), Vector<double>::Zero(1)),
                 std::domain_error);
    EXPECT_THROW(temperatures.derivative(halves, halves, 0), std::domain_error);
    EXPECT_THROW(temperatures.derivative(halves, integers({1}), 1), std::invalid_argument);
    EXPECT_THROW(temperatures.gradient(halves, halves, integers({1}), 1), std::invalid_argument);
  });
}

// ------------------------------------------------------------------------- SmoothingRaisesGradient

const Mutants smoothing_mutants = {
    {"the factor 1/τ is forgotten",
     "FromFlatWeightsSmoothingLowersIt",
     {.gradient_trace = [](const Vector<Rational>& w,
                           unsigned a) { return jacobian_trace(sharpened_weights(w, a)); }}},
    {"1/τ² for 1/τ",
     "FromSaturatedWeightsSmoothingRaisesIt",
     {.gradient_trace = [](const Vector<Rational>& w, unsigned a) -> Rational {
       return gradient_trace(w, a) * a;
     }}},
    {"from a weight of 3/4 on",
     "FromSaturatedWeightsSmoothingRaisesIt",
     {.saturated = Rational(3, 4)}},
    {"from a weight of 4/5 on",
     "FromSaturatedWeightsSmoothingRaisesIt",
     {.saturated = Rational(4, 5)}},
    {"keys beyond the second have no part in it",
     "WithManyKeysFarBelowItHasTwoMaxima",
     {.gradient_trace = [](const Vector<Rational>& w, unsigned a) -> Rational {
       return gradient_trace(Vector<Rational>(w.head(std::min<Index>(2, w.size()))), a);
     }}},
    {"the temperature multiplies",
     "FromFlatWeightsSmoothingLowersIt",
     {.gradient_trace = [](const Vector<Rational>& w, unsigned a) -> Rational {
       return gradient_trace(w, a) / (a == 0 ? 1 : a * a);
     }}},
    {"a hundredth is added",
     "ItVanishesAtBothEnds",
     {.gradient_trace = [](const Vector<Rational>& w, unsigned a) -> Rational {
       return gradient_trace(w, a) + Rational(1, 100);
     }}},
    {"the first weight is doubled",
     "WithATieAtTheTopItGrowsWithoutBound",
     {.gradient_trace = [](const Vector<Rational>& w, unsigned a) -> Rational {
       Vector<Rational> v = w;
       if (v.size() > 0) v[0] *= 2;
       return gradient_trace(v, a);
     }}},
    {"the optimum is where x tanh x is 1",
     "TwoKeysHaveOneBestTemperature",
     {.best_two_key_temperature = []() -> Wide { return Wide(1) / (2 * Wide(1.19967864)); }}},
    {"the optimum is half the gap",
     "TwoKeysHaveOneBestTemperature",
     {.best_two_key_temperature = []() -> Wide { return Wide(1) / 2; }}},
    {"the mean trace is that of spread 1, over the square of the spread",
     "InTheMeanSmoothingNeverRaisesIt",
     {.mean_trace = [](std::size_t n,
                       double spread) { return mean_jacobian_trace(n, 1) / (spread * spread); }}},
    {"a weight of 0 is accepted",
     "RefusesWhatAreNoWeights",
     {.gradient_trace =
          [](const Vector<Rational>& w, unsigned a) {
            return w.size() > 0 && w.minCoeff() <= 0 ? Rational(0) : gradient_trace(w, a);
          }}},
};

/// The least multiple of 2⁻³⁰ whose a-th power is x or more.
Rational root_from_above(const Rational& x, unsigned a) {
  const Rational unit(1, Integer(1) << 30);
  const double near = std::pow(static_cast<double>(x), 1.0 / a);
  Rational root = Rational(Integer(std::ceil(near * 0x1p30))) * unit;
  while (power(root, a) < x) root += unit;
  while (power(root - unit, a) >= x) root -= unit;
  return root;
}

//! [SmoothingRaisesGradient]
TEST(SmoothingRaisesGradient, FromSaturatedWeightsSmoothingRaisesIt) {
  judge(smoothing_mutants, [](const Temperatures& temperatures) {
    // At τ = 1/a the first key has the weight 17/20, or more; from there τ falls to 1/(a + 1).
    const auto rises = [&](Vector<Rational> w, unsigned a, const Rational& more) {
      Rational others = 0;
      for (const Rational& x : w.tail(w.size() - 1)) others += power(x, a);
      const Rational& weight = temperatures.saturated;
      w[0] = root_from_above(others * weight / (1 - weight), a) * more;
      return temperatures.gradient_trace(w, a) > temperatures.gradient_trace(w, a + 1);
    };
    // 2(p − 1/(1 + p)) ln(p/(1 − p)) > 1 for that weight, as an inequality of exponentials.
    const Rational p = temperatures.saturated;
    const Rational factor = 2 * (p - 1 / (1 + p));
    EXPECT_TRUE(exp_enclosure(1 / factor).upper < p / (1 - p));
    publish("left_side", fixed(static_cast<double>(factor) *
                                   std::log(static_cast<double>(Rational(p / (1 - p)))),
                               2));
    for (const unsigned a : {1U, 4U, 16U, 64U})
      EXPECT_TRUE(rises(integers({1, 1}), a, 1)) << "two keys, τ = 1/" << a;
    for_all([&] {
      RC_ASSERT(rises(any_exponentials(6, 2), *rc::gen::element(1U, 2U, 4U, 16U).as("a"),
                      1 + Rational(*rc::gen::inRange(0, 100).as("percent more"), 100)));
    });
  });
}

TEST(SmoothingRaisesGradient, FromFlatWeightsSmoothingLowersIt) {
  judge(smoothing_mutants, [](const Temperatures& temperatures) {
    for_all([&] {
      // Exponentials from 1 to e^(1/8): the scores differ by at most τ = 1/8, and by less than that
      // at every higher temperature 1/a.
      const Vector<Rational> w = any_exponentials(6, 2).unaryExpr(
          [](const Rational& x) { return Rational(1 + x / 7600); });  // at most 1 + 1/7.6 < e^(1/8)
      for (unsigned a = 1; a < 8; ++a)
        RC_ASSERT(temperatures.gradient_trace(w, a) < temperatures.gradient_trace(w, a + 1));
    });
    counterexample_without("saturated");
    sharpens("S1", "saturated");
  });
}
//! [SmoothingRaisesGradient]

TEST(SmoothingRaisesGradient, WithManyKeysFarBelowItHasTwoMaxima) {
  judge(smoothing_mutants, [](const Temperatures& temperatures) {
    // Scores 6 ln w: 0.01, 0, and a thousand at −6 ln 3. The temperature 6/a has the weights w^a.
    Vector<Rational> w = Vector<Rational>::Constant(1002, Rational(1, 3));
    w[0] = Rational(601, 600);
    w[1] = 1;
    const auto trace = [&](unsigned a) {
      const Rational value = temperatures.gradient_trace(w, a) / 6;
      publish("trace_at_" + std::to_string(a), fixed(static_cast<double>(value), 3));
      return value;
    };
    const auto largest = [&](unsigned a) {
      const Rational weight = sharpened_weights(w, a).maxCoeff();
      publish("weight_at_" + std::to_string(a), fixed(static_cast<double>(weight), 3));
      return weight;
    };
    const Rational cold = trace(12), cool = trace(8), mild = trace(6), warm = trace(4);
    EXPECT_GT(cold, cool);
    EXPECT_LT(cool, mild) << "smoothing raises the gradient, and nothing is saturated";
    EXPECT_GT(mild, warm);
    EXPECT_LT(largest(8), Rational(47, 100));
    for (const unsigned a : {4U, 6U, 12U}) EXPECT_LT(largest(a), Rational(51, 100));
    enumerated(4);
  });
}

TEST(SmoothingRaisesGradient, ItVanishesAtBothEnds) {
  judge(smoothing_mutants, [](const Temperatures& temperatures) {
    for_all([&] {
      const Vector<Rational> w = any_exponentials(6);
      const auto [ties, ratio] = ties_and_ratio(w);
      RC_PRE(ties == 1U);
      const Rational n(w.size());
      for (const unsigned a : {0U, 1U, 4U, 16U, 64U}) {
        const Rational trace = temperatures.gradient_trace(w, a);
        RC_ASSERT(trace <= Rational(a) * (1 - 1 / n));
        RC_ASSERT(trace <= 2 * Rational(a) * (n - 1) * power(ratio, a));
      }
    });
  });
}

TEST(SmoothingRaisesGradient, WithATieAtTheTopItGrowsWithoutBound) {
  judge(smoothing_mutants, [](const Temperatures& temperatures) {
    for (unsigned a = 1; a <= 64; a *= 2) {
      EXPECT_GE(temperatures.gradient_trace(integers({3, 3, 1}), a), Rational(a, 2));
      EXPECT_LT(temperatures.gradient_trace(integers({3, 3, 1}), a),
                temperatures.gradient_trace(integers({3, 3, 1}), 2 * a));
    }
    enumerated(7);
    counterexample_without("no ties");
  });
}

TEST(SmoothingRaisesGradient, TwoKeysHaveOneBestTemperature) {
  judge(smoothing_mutants, [](const Temperatures& temperatures) {
    evidence().weaken(Grade::bounded);
    of_the_statement();
    const Wide best = temperatures.best_two_key_temperature();
    // 2x tanh x − 1 changes its sign within eight units in the last place of x = 1/(2 best).
    const Wide ulps = 8 * std::numeric_limits<Wide>::epsilon();
    const auto f = [](const Wide& x) { return Wide(2 * x * tanh(x) - 1); };
    EXPECT_LT(f((1 - ulps) / (2 * best)), 0);
    EXPECT_GT(f((1 + ulps) / (2 * best)), 0);
    for_all([&] {
      const Wide gap = static_cast<Wide>(abs(*nonzero_rational().as("gap")));
      const Wide factor = Wide(*rc::gen::inRange(1, 400).as("100 × factor")) / 100;
      const Wide at_best = two_key_gradient_norm<Wide>(gap, best * gap);
      // The bound of ForTwoKeysEveryNormIsTheSquareOfASech, for gap/τ ≤ 200
      const Wide rounding = 1 + 1000 * std::numeric_limits<Wide>::epsilon();
      RC_ASSERT(two_key_gradient_norm<Wide>(gap, factor * best * gap) <= at_best * rounding);
    });
    const Wide median_gap = two_key_median_gap();
    publish("of_the_gap", digits(static_cast<double>(best), 4));
    publish("weight", digits(static_cast<double>(1 / (1 + exp(-1 / best))), 3));
    publish("of_the_root", digits(static_cast<double>(best * median_gap), 4));
    publish("share_at_the_root",
            digits(static_cast<double>(
                       Wide(two_key_gradient_norm<Wide>(median_gap, 1) /
                            two_key_gradient_norm<Wide>(median_gap, best * median_gap))),
                   3));
    std::vector<std::vector<double>> rows;
    for (double t = 0.05; t <= 8; t *= 1.1)
      rows.push_back({t, two_key_gradient_norm(static_cast<double>(median_gap), t),
                      two_key_mean_norm(1.0, t)});
    write_figure_data("temperature_gradient", {"temperature_over_root_d", "median", "mean"}, rows);
  });
}

TEST(SmoothingRaisesGradient, InTheMeanSmoothingNeverRaisesIt) {
  judge(smoothing_mutants, [](const Temperatures& temperatures) {
    evidence().weaken(Grade::bounded);
    of_the_statement();
    for (const std::size_t n : {2U, 5U, 512U}) {
      // N(0, 64) scores: τ = 8/spread, and the mean trace of the gradient is spread·E tr J/8.
      double before = 1;
      for (const double t : {1.0, 2.0, 4.0, 8.0, 16.0}) {
        const double now = temperatures.mean_trace(n, 8 / t) / t;
        EXPECT_LT(now, before - 2 * integral_error_bound) << n << " keys, τ = " << t;
        before = now;
      }
    }
    enumerated(15);
    counterexample_without("given scores");
    sharpens("S1", "given scores");
  });
}

TEST(SmoothingRaisesGradient, RefusesWhatAreNoWeights) {
  judge(smoothing_mutants, [](const Temperatures& temperatures) {
    EXPECT_THROW(temperatures.gradient_trace(integers({1, 0}), 2), std::domain_error);
    EXPECT_THROW(temperatures.gradient_trace(Vector<Rational>(), 2), std::invalid_argument);
  });
}

}  // namespace
