#include <sqrtdk/jacobian_error.hpp>
#include <sqrtdk/softmax_error.hpp>
#include <sqrtdk/testing/generators/backward_cases.hpp>
#include <sqrtdk/testing/statistics/checks.hpp>
#include <sqrtdk/testing/statistics/streams.hpp>

#include "properties/support/vectors.hpp"
#include "properties/temperature/fixture.hpp"

#include <boost/math/distributions/normal.hpp>

namespace sqrtdk::properties::TemperatureSweep {

/// The example of S3, d = 64 and five positions.
Vector<double> documents_scores() { return vector_of<double>({9.2, -3.1, 8.8, -5.4, 1.2}); }

/// Expects a weight to be within its bound of what encloses the exact one, which rounds like it.
/// \return the weight with three decimals.
std::string expect_weight(double weight, const SoftmaxErrorBound& bound, Index i,
                          const Interval<Rational>& exact) {
  const double allowed = bound(i, std::nextafter(static_cast<double>(exact.upper), 2.0));
  const Rational error =
      std::max<Rational>(exact.upper - Rational(weight), Rational(weight) - exact.lower);
  evidence().worst(static_cast<double>(error), allowed);
  EXPECT_LE(error, Rational(allowed)) << "position " << i;
  const std::string text = format_fixed(weight, 3);
  const Interval<Rational> number = parse_printed(text);
  EXPECT_TRUE(number.lower <= exact.lower && exact.upper <= number.upper) << text;
  return text;
}

STATEMENT(TemperatureSweep, OnTheDocumentsScores) {
  evidence().rests_on(EvidenceLevel::bounded);
  const Vector<double> s = documents_scores();
  for (const double t : subject.swept(64)) {
    const Vector<double> p = subject.weights(s, t);
    const auto exact = subject.heated({Rational(92, 10), Rational(-31, 10), Rational(88, 10),
                                       Rational(-54, 10), Rational(12, 10)},
                                      Rational(t));
    const SoftmaxErrorBound bound = softmax_error_bound(s, t);
    std::string row;
    for (Index i = 0; i < s.size(); ++i)
      row +=
          (i > 0 ? ", " : "") + expect_weight(p[i], bound, i, exact[static_cast<std::size_t>(i)]);
    record_value("weights_at_" + format_significant(t, 2), row);
    record_value("leaders_at_" + format_significant(t, 2), format_fixed(p[0] + p[2], 2));
    // The entropy's error, and the rounding of the exponential, change no decimal. 4 ε: an end,
    // below 2, is rounded by ε/2, the exponential is off by ε of itself, and twice that is left.
    const double entropy = softmax_entropy(s, t);
    const double error = entropy_error_bound(s, t) + 4 * std::numeric_limits<double>::epsilon();
    const std::string keys = format_fixed(std::exp(entropy), 2);
    for (const double end : {entropy - error, entropy + error})
      EXPECT_EQ(format_fixed(std::exp(end), 2), keys) << "τ = " << t;
    record_value("keys_at_" + format_significant(t, 2), keys);
  }
  std::vector<std::vector<double>> rows;
  for (int eighth = 0; eighth <= 48; ++eighth) {
    const double t = std::exp2(eighth / 8.0);
    const Vector<double> p = subject.weights(s, t);
    rows.push_back({t, p[0], p[1], p[2], p[3], p[4]});
  }
  write_figure_data("temperature_sweep", {"temperature", "1", "2", "3", "4", "5"}, rows);
  enumerated(3);
}
KILLS("the temperature is inverted",
      {.weights = [](auto& s, double t) { return Vector<double>(softmax(s, 1 / t)); }});
KILLS("the temperature is applied twice",
      {.weights = [](auto& s, double t) { return Vector<double>(softmax(s, t * t)); }});

STATEMENT(TemperatureSweep, GoesFromHalfTheRootToTwiceTheRoot) {
  for (unsigned root = 1; root <= 64; ++root) {
    const auto [half, one, two] = subject.swept(root * root);
    EXPECT_EXACTLY(2 * Rational(half) == root);
    EXPECT_EXACTLY(Rational(one) == root);
    EXPECT_EXACTLY(Rational(two) == 2 * root);
  }
  expect_refusal<std::domain_error>([&] { subject.swept(0); });
  enumerated(64);
}
KILLS("d instead of its root",
      {.swept = [](auto d) { return swept_temperatures(d == 64 ? 64 : d * d); }});
KILLS("a dimension of 0 is accepted",
      {.swept = [](auto d) { return swept_temperatures(d == 0 ? 1 : d); }});
KILLS("temperatures of one, two and four times the root", {.swept = [](auto d) {
        auto temperatures = swept_temperatures(d);
        for (double& temperature : temperatures) temperature *= 2;
        return temperatures;
      }});

//! [TemperatureSweep]
STATEMENT(TemperatureSweep, AnyScoresSpreadFromEachToTheNext) {
  for_all([&] {
    const unsigned root = *rc::gen::inRange(1U, 65U).as("√d");
    const Vector<Rational> w = any_exponentials(6);  // of the scores over 2√d
    std::vector<Vector<Rational>> p;
    for (const double t : subject.swept(std::size_t{root} * root)) {
      const Rational power = 2 * root / Rational(t);
      EXPECT_EXACTLY(denominator(power) == 1);
      p.push_back(subject.sharpened(w, static_cast<unsigned>(numerator(power))));
    }
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_EXACTLY(subject.majorizes(p[k], p[k + 1]));
      EXPECT_EXACTLY((p[k].maxCoeff() > p[k + 1].maxCoeff()) == (w.maxCoeff() > w.minCoeff()));
      // Ratios of weights are squared by half the temperature, and keep their order.
      for (Index i = 0; i < w.size(); ++i)
        EXPECT_EXACTLY(p[k][i] * p[k + 1][0] * p[k + 1][0] == p[k][0] * p[k + 1][i] * p[k + 1][i]);
    }
  });
}
//! [TemperatureSweep]
KILLS("twice the root is four times the root", {.swept = [](auto d) {
        auto temperatures = swept_temperatures(d);
        temperatures[2] *= 2;
        return temperatures;
      }});
KILLS("below the root the temperature has no effect", {.sharpened = [](auto& w, unsigned power) {
        return Vector<Rational>(sharpened_weights(w, std::min(power, 2U)));
      }});

//! [TemperatureSweep: random scores]
STATEMENT(TemperatureSweep, OverRandomScores) {
  evidence().rests_on(EvidenceLevel::bounded);
  // d = 64 and five keys: scores N(0, 64), so that the spread is 8/τ.
  double before = 1, fewer = 1;
  for (const double t : subject.swept(64)) {
    const double largest = memoized<mean_largest_weight>(std::size_t{5}, 8 / t);
    const double keys = memoized<effective_positions>(5.0, 8 / t);
    EXPECT_LT(largest, before - 2 * integral_error_bound) << "τ = " << t;
    EXPECT_GT(keys, fewer + 2 * integral_error_bound) << "τ = " << t;
    before = largest;
    fewer = keys;
    record_value("largest_at_" + format_significant(t, 2), format_fixed(largest, 3));
    record_value("keys_at_" + format_significant(t, 2), format_fixed(keys, 2));
  }
  enumerated(3);
}
//! [TemperatureSweep: random scores]
KILLS("temperatures from the largest to the smallest", {.swept = [](auto d) {
        auto temperatures = swept_temperatures(d);
        std::reverse(temperatures.begin(), temperatures.end());
        return temperatures;
      }});

ASIDE(TemperatureSweep, RandomScoresAgreeWithTheIntegrals) {
  // A number from 0 to 1 exceeds a uniform one with a probability that is its mean.
  const auto drawn_weights = [&](double t, Stream& stream) {
    Vector<double> s(5);
    for (double& score : s) score = draw(boost::math::normal(0, 8), stream);
    return subject.weights(s, t);
  };
  for (const double t : subject.swept(64)) {
    expect_draws(
        CountCheck(memoized<mean_largest_weight>(std::size_t{5}, 8 / t)), {.effect = 0.05},
        [&](Stream& stream) { return drawn_weights(t, stream).maxCoeff() > uniform(stream); });
    expect_draws(CountCheck(memoized<mean_entropy>(5.0, 8 / t) / std::log(5.0)), {.effect = 0.05},
                 [&](Stream& stream) {
                   double entropy = 0;
                   for (const double weight : drawn_weights(t, stream))
                     if (weight > 0) entropy -= weight * std::log(weight);
                   return entropy / std::log(5.0) > uniform(stream);
                 });
  }
}
KILLS("the temperature is ignored",
      {.weights = [](auto& s, double) { return Vector<double>(softmax(s)); }});
KILLS("all temperatures are near 8", {.weights = [](auto& s, double t) {
        return Vector<double>(softmax(s, 8 + std::log(t / 8) / 8));
      }});

}  // namespace sqrtdk::properties::TemperatureSweep
