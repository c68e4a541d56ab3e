// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/jacobian_error.hpp>
#include <sqrtdk/moments.hpp>
#include <sqrtdk/numbers/interval.hpp>
#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/numbers/powers.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/saturation.hpp>
#include <sqrtdk/softmax.hpp>
#include <sqrtdk/softmax_error.hpp>
#include <sqrtdk/temperature.hpp>
#include <sqrtdk/testing/generators/floating_point.hpp>
#include <sqrtdk/testing/generators/rational_distributions.hpp>
#include <sqrtdk/testing/laws/wide.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/exact_types.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>
#include <sqrtdk/testing/reporting/expect_refusal.hpp>
#include <sqrtdk/testing/reporting/printed.hpp>

#include "properties/support/vectors.hpp"
#include "properties/temperature/TemperatureSharpens_mutants.hpp"
#include "properties/temperature/fixture.hpp"
#include "properties/temperature/formal.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <vector>

namespace sqrtdk::properties::TemperatureSharpens {

using namespace sqrtdk::testing;

Vector<double> moderate_scores(int longest) {
  return vector_of(*vectors<double>({.shortest = 1,
                                     .longest = static_cast<std::size_t>(longest),
                                     .entries = {.largest = 30}})
                        .as("scores"));
}

//! [TemperatureSharpens]
TEST(TemperatureSharpens, SharperWeightsMajorize) {
  check_statement(temperature_sharpens_mutants, [](const Temperatures& temperatures) {
    for_all([&] {
      const Vector<Rational> w = any_exponentials(6);
      // τ₁ = 1/a < τ₂ = 1/b; b = 0 is an infinite temperature.
      const unsigned b = *rc::gen::inRange(0U, 5U).as("1/τ₂");
      const unsigned a = b + *rc::gen::inRange(1U, 4U).as("1/τ₁ − 1/τ₂");
      const Vector<Rational> sharp = temperatures.sharpened(w, a);
      const Vector<Rational> soft = temperatures.sharpened(w, b);
      EXPECT_EXACTLY(sharp.sum() == 1);
      for (Index i = 0; i < w.size(); ++i)
        EXPECT_EXACTLY((w[i] < w.maxCoeff() || sharp[i] == sharp.maxCoeff()));
      EXPECT_EXACTLY(temperatures.majorizes(sharp, soft));
      const bool all_equal = w.maxCoeff() == w.minCoeff();
      EXPECT_EXACTLY((sharp.maxCoeff() > soft.maxCoeff()) == !all_equal);
      EXPECT_EXACTLY((sharp.squaredNorm() > soft.squaredNorm()) == !all_equal);
      EXPECT_EXACTLY((all_equal || !temperatures.majorizes(soft, sharp)));
    });
  });
}
//! [TemperatureSharpens]

TEST(TemperatureSharpens, TemperaturesMultiply) {
  check_with_mutants(temperature_sharpens_mutants, [](const Temperatures& temperatures) {
    for_all([&] {
      const Vector<Rational> w = any_exponentials(5);
      const unsigned a = *rc::gen::inRange(0U, 4U).as("a");
      const unsigned b = *rc::gen::inRange(2U, 4U).as("b");
      const Vector<Rational> once = normalized_weights(w);
      EXPECT_EXACTLY(temperatures.sharpened(w, 1) == once);
      Vector<Rational> powers = w;
      for (Rational& x : powers) x = power(x, a * b);
      EXPECT_EXACTLY(sharpened_weights(temperatures.sharpened(w, a), b) ==
                     normalized_weights(powers));
    });
  });
}

TEST(TemperatureSharpens, MajorizationIsAPartialOrder) {
  check_with_mutants(temperature_sharpens_mutants, [](const Temperatures& temperatures) {
    const Vector<Rational> p = integers({5, 3, 2}), q = integers({4, 5, 1});  // sorted: 5, 4, 1
    EXPECT_EXACTLY(temperatures.majorizes(q, p));
    EXPECT_EXACTLY(!temperatures.majorizes(p, q));
    // These two cannot be compared: 6 > 5, but 6 + 2 < 5 + 5.
    const Vector<Rational> wide = integers({6, 2, 2, 0}), flat = integers({5, 5, 0, 0});
    EXPECT_EXACTLY(!temperatures.majorizes(wide, flat));
    EXPECT_EXACTLY(!temperatures.majorizes(flat, wide));
    EXPECT_EXACTLY(!temperatures.majorizes(integers({3, 1}), integers({1, 1})));
    for_all([&] {
      const Vector<Rational> w = any_exponentials(5);
      const Rational share = Rational(*rc::gen::inRange(0, 101).as("percent"), 100);
      const Vector<Rational> mean = Vector<Rational>::Constant(w.size(), w.sum() / w.size());
      // Moving towards the mean is what majorization undoes.
      EXPECT_EXACTLY(temperatures.majorizes(w, Vector<Rational>(w + share * (mean - w))));
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

//! [TemperatureSharpens: exact check]
TEST(TemperatureSharpens, TheEntropyRisesWithTheTemperature) {
  check_statement(temperature_sharpens_mutants, [](const Temperatures& temperatures) {
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
        EXPECT_EXACTLY((of_sharp > of_soft) == !all_equal) << code << ", 1/τ = " << a;
        EXPECT_EXACTLY((of_sharp == of_soft) == all_equal) << code << ", 1/τ = " << a;
      }
    }
    enumerated(54);
  });
}
//! [TemperatureSharpens: exact check]

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

/// p(1 - p), the derivative of a weight with respect to its own score.
Interval<Rational> slope(const Interval<Rational>& p) {
  return {p.lower * (1 - p.upper), p.upper * (1 - p.lower)};
}

TEST(TemperatureSharpens, TheDocumentsRowsAreInThisOrder) {
  check_with_mutants(temperature_sharpens_mutants, [](const Temperatures& temperatures) {
    const std::vector<Rational> article = {14, 10, 12};
    const auto raw = temperatures.heated(article, 1);
    const auto scaled = temperatures.heated(article, 8);
    const auto confirm = [](const char* document, const char* words, bool hold) {
      EXPECT_EXACTLY(hold) << words;
      expect_confirmed(document, words, hold);
    };
    // "More evenly" is majorization; "much" that the keys that count are more than twice as many.
    confirm("S2", "much more evenly",
            surely_majorize(raw, scaled) && equal_keys(scaled).lower > 2 * equal_keys(raw).upper);
    record_value("keys_raw", format_fixed(static_cast<double>(equal_keys(raw).lower), 2));
    record_value("keys_scaled", format_fixed(static_cast<double>(equal_keys(scaled).lower), 2));
    for (std::size_t i = 0; i < article.size(); ++i) {
      const Interval<Rational> before = slope(raw[i]), after = slope(scaled[i]);
      EXPECT_EXACTLY(after.lower > before.upper) << "its own slope, word " << i + 1;
      const bool rises = after.lower / 8 > before.upper, falls = after.upper / 8 < before.lower;
      EXPECT_EXACTLY((i == 1 ? rises : falls)) << "with respect to the raw score, word " << i + 1;
    }

    const std::vector<Rational> section = {Rational(92, 10), Rational(-31, 10), Rational(88, 10),
                                           Rational(-54, 10), Rational(12, 10)};
    const auto at_the_root = temperatures.heated(section, 8);
    confirm("S3", "distributed more evenly",
            surely_majorize(temperatures.heated(section, 1), at_the_root));
    confirm("S3", "more peaked", surely_majorize(temperatures.heated(section, 4), at_the_root));
    confirm("S3", "more uniform", surely_majorize(at_the_root, temperatures.heated(section, 16)));
    // The scores of the first answer, divided as the third one says.
    confirm("S1", "more uniformly distributed",
            surely_majorize(temperatures.heated({1, 1, 1, 5}, 1),
                            temperatures.heated({1, 1, 1, 5}, 8)));
    enumerated(5);
  });
}

/// Whole scores, and a temperature at a place where the derivatives of what is made of them are
/// rational.
struct FormalScores {
  Vector<Rational> scores;
  Rational temperature;
  Formal t = Formal::at(temperature, abs(*nonzero_rational().as("e^(1/τ)")));

  Vector<Formal> formal() const {
    return scores.unaryExpr([](const Rational& s) { return Formal(s); });
  }
};

FormalScores formal_scores() {
  return {integers(*small_scores().as("scores")), abs(*nonzero_rational().as("τ"))};
}

//! [TemperatureSharpens: derivatives]
TEST(TemperatureSharpens, TheVarianceIsTheSlopeOfTheAttendedScore) {
  check_statement(temperature_sharpens_mutants, [](const Temperatures& temperatures) {
    for_all([&] {
      const FormalScores s = formal_scores();
      const Vector<Formal> p = softmax(s.formal(), s.t);
      const auto score = temperatures.attended(
          p.unaryExpr([](const Formal& weight) { return weight.value(); }), s.scores);
      const Formal mean = p.dot(s.formal());
      EXPECT_EXACTLY(score.mean == mean.value());
      // d⟨s⟩/d(1/τ), as d(1/τ)/dτ = −1/τ²
      EXPECT_EXACTLY(score.variance == -mean.slope() * s.temperature * s.temperature);
    });
  });
}

TEST(TemperatureSharpens, TheEntropysSlopeIsTheVarianceOverTheCube) {
  check_statement(temperature_sharpens_mutants, [](const Temperatures& temperatures) {
    for_all([&] {
      const FormalScores s = formal_scores();
      const Vector<Formal> p = softmax(s.formal(), s.t);
      const Rational variance = attended_score(p, s.formal()).variance.value();
      const Rational slope = variance / integer_power(s.temperature, 3);
      EXPECT_EXACTLY(temperatures.formal_entropy(s.formal(), s.t).slope() == slope);
      EXPECT_EXACTLY(temperatures.formal_slope(s.formal(), s.t).value() == slope);
    });
  });
}
//! [TemperatureSharpens: derivatives]

TEST(TemperatureSharpens, InFiftyDigitsTheSlopeIsThatOfTheEntropy) {
  check_with_mutants(temperature_sharpens_mutants, [](const Temperatures& temperatures) {
    evidence().rests_on(EvidenceLevel::measured);  // exp and log of fifty digits
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
  check_with_mutants(temperature_sharpens_mutants, [](const Temperatures& temperatures) {
    evidence().rests_on(EvidenceLevel::bounded);
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
  check_with_mutants(temperature_sharpens_mutants, [](const Temperatures& temperatures) {
    // Scores and temperature multiplied by a power of two divide the slope by it, bit for bit where
    // nothing underflows.
    const Vector<double> s = vector_of<double>({0, -1, 3});
    const double slope = temperatures.slope_in_double(s, 2);
    for (const int exponent : {-1000, -400, 400, 1000}) {
      const double scale = std::ldexp(1.0, exponent);
      EXPECT_EXACTLY(bits_of(temperatures.slope_in_double(s * scale, 2 * scale)) ==
                     bits_of(slope / scale))
          << "times 2^" << exponent;
    }
    const Vector<double> far = vector_of<double>({-1.7e308, 1.7e308});
    EXPECT_EXACTLY(bits_of(temperatures.slope_in_double(far, 1)) == bits_of(0.0));
    EXPECT_EXACTLY(Rational(temperatures.slope_in_double(far, 1e308)) > 0);
    enumerated(6);
  });
}

TEST(TemperatureSharpens, WeightsOfEqualScoresNeverChange) {
  check_with_mutants(temperature_sharpens_mutants, [](const Temperatures& temperatures) {
    for (const int n : {1, 2, 5})
      for (const unsigned a : {0U, 1U, 9U})
        EXPECT_EXACTLY(temperatures.sharpened(Vector<Rational>::Constant(n, 7), a) ==
                       Vector<Rational>::Constant(n, Rational(1, n)));
    enumerated(9);
    counterexample_without("scores that differ");
  });
}

TEST(TemperatureSharpens, RefusesWhatAreNoWeights) {
  check_with_mutants(temperature_sharpens_mutants, [](const Temperatures& temperatures) {
    expect_refusal<std::domain_error>([&] { temperatures.sharpened(integers({1, 0}), 2); });
    expect_refusal<std::domain_error>([&] { temperatures.sharpened(integers({1, -1}), 2); });
    expect_refusal<std::invalid_argument>([&] { temperatures.sharpened(Vector<Rational>(), 2); });
    expect_refusal<std::invalid_argument>(
        [&] { temperatures.majorizes(Vector<Rational>(), Vector<Rational>()); });
    expect_refusal<std::domain_error>(
        [&] { temperatures.entropy_in_double(Vector<double>::Zero(2), 0); });
  });
}

}  // namespace sqrtdk::properties::TemperatureSharpens
