#include <sqrtdk/jacobian_error.hpp>
#include <sqrtdk/moments.hpp>
#include <sqrtdk/numbers/powers.hpp>
#include <sqrtdk/softmax_error.hpp>

#include "properties/support/vectors.hpp"
#include "properties/temperature/fixture.hpp"

namespace sqrtdk::properties::TemperatureSharpens {

Vector<double> moderate_scores(int longest) {
  return vector_of(*vectors<double>({.shortest = 1,
                                     .longest = static_cast<std::size_t>(longest),
                                     .entries = {.largest = 30}})
                        .as("scores"));
}

//! [TemperatureSharpens]
STATEMENT(TemperatureSharpens, SharperWeightsMajorize) {
  for_all([&] {
    const Vector<Rational> w = any_exponentials(6);
    // τ₁ = 1/a < τ₂ = 1/b; b = 0 is an infinite temperature.
    const unsigned b = *rc::gen::inRange(0U, 5U).as("1/τ₂");
    const unsigned a = b + *rc::gen::inRange(1U, 4U).as("1/τ₁ − 1/τ₂");
    const Vector<Rational> sharp = subject.sharpened(w, a);
    const Vector<Rational> soft = subject.sharpened(w, b);
    EXPECT_EXACTLY(sharp.sum() == 1);
    for (Index i = 0; i < w.size(); ++i)
      EXPECT_EXACTLY((w[i] < w.maxCoeff() || sharp[i] == sharp.maxCoeff()));
    EXPECT_EXACTLY(subject.majorizes(sharp, soft));
    const bool all_equal = w.maxCoeff() == w.minCoeff();
    EXPECT_EXACTLY((sharp.maxCoeff() > soft.maxCoeff()) == !all_equal);
    EXPECT_EXACTLY((sharp.squaredNorm() > soft.squaredNorm()) == !all_equal);
    EXPECT_EXACTLY((all_equal || !subject.majorizes(soft, sharp)));
  });
}
//! [TemperatureSharpens]
KILLS("the temperature is inverted", {.sharpened = [](auto& w, unsigned power) {
        return Vector<Rational>(sharpened_weights(Vector<Rational>(w.cwiseInverse()), power));
      }});
KILLS("weights are not normalized", {.sharpened = [](auto& w, unsigned power) {
        const Vector<Rational> p = sharpened_weights(w, power);
        return Vector<Rational>(p * Rational(power + 1));
      }});
KILLS("the temperature is not applied",
      {.sharpened = [](auto& w, unsigned) { return Vector<Rational>(sharpened_weights(w, 1)); }});

ASIDE(TemperatureSharpens, TemperaturesMultiply) {
  for_all([&] {
    const Vector<Rational> w = any_exponentials(5);
    const unsigned a = *rc::gen::inRange(0U, 4U).as("a");
    const unsigned b = *rc::gen::inRange(2U, 4U).as("b");
    const Vector<Rational> once = normalized_weights(w);
    EXPECT_EXACTLY(subject.sharpened(w, 1) == once);
    Vector<Rational> powers = w;
    for (Rational& x : powers) x = power(x, a * b);
    EXPECT_EXACTLY(sharpened_weights(subject.sharpened(w, a), b) == normalized_weights(powers));
  });
}
KILLS("the temperature is applied twice", {.sharpened = [](auto& w, unsigned power) {
        return Vector<Rational>(sharpened_weights(w, power * power));
      }});
KILLS("the exponent is one too large", {.sharpened = [](auto& w, unsigned power) {
        return Vector<Rational>(sharpened_weights(w, power + 1));
      }});

ASIDE(TemperatureSharpens, MajorizationIsAPartialOrder) {
  const Vector<Rational> p = integers({5, 3, 2}), q = integers({4, 5, 1});  // sorted: 5, 4, 1
  EXPECT_EXACTLY(subject.majorizes(q, p));
  EXPECT_EXACTLY(!subject.majorizes(p, q));
  // These two cannot be compared: 6 > 5, but 6 + 2 < 5 + 5.
  const Vector<Rational> wide = integers({6, 2, 2, 0}), flat = integers({5, 5, 0, 0});
  EXPECT_EXACTLY(!subject.majorizes(wide, flat));
  EXPECT_EXACTLY(!subject.majorizes(flat, wide));
  EXPECT_EXACTLY(!subject.majorizes(integers({3, 1}), integers({1, 1})));
  for_all([&] {
    const Vector<Rational> w = any_exponentials(5);
    const Rational share = Rational(*rc::gen::inRange(0, 101).as("percent"), 100);
    const Vector<Rational> mean = Vector<Rational>::Constant(w.size(), w.sum() / w.size());
    // Moving towards the mean is what majorization undoes.
    EXPECT_EXACTLY(subject.majorizes(w, Vector<Rational>(w + share * (mean - w))));
  });
}
KILLS("everything majorizes everything",
      {.majorizes = [](auto& p, auto& q) { return p.size() == q.size(); }});
KILLS("only the largest entries are compared", {.majorizes = [](auto& p, auto& q) {
        return sqrtdk::majorizes(p, q) || p.maxCoeff() >= q.maxCoeff();
      }});
KILLS("sums are not compared", {.majorizes = [](auto& p, auto& q) {
        return sqrtdk::majorizes(p, Vector<Rational>(q * (p.sum() / q.sum())));
      }});

/// Π pᵢ^(M pᵢ) for probabilities with the common denominator M: it is e^(−M H).
Rational exponential_of_entropy(const Vector<Rational>& p, const Integer& denominator) {
  Rational product = 1;
  for (const Rational& weight : p)
    product *= power(weight, static_cast<unsigned>(Integer(weight * denominator)));
  return product;
}

//! [TemperatureSharpens: exact check]
STATEMENT(TemperatureSharpens, TheEntropyRisesWithTheTemperature) {
  // All exponentials from 1 to 3 of three scores, at the temperatures ½, 1 and infinity.
  for (int code = 0; code < 27; ++code) {
    const Vector<Rational> w = integers({1 + code % 3, 1 + code / 3 % 3, 1 + code / 9});
    const bool all_equal = w.maxCoeff() == w.minCoeff();
    for (const unsigned a : {0U, 1U}) {
      const Vector<Rational> soft = subject.sharpened(w, a);
      const Vector<Rational> sharp = subject.sharpened(w, a + 1);
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
}
//! [TemperatureSharpens: exact check]
KILLS("half of a key counts in the sum", {.sharpened = [](auto& w, unsigned power) {
        Vector<Rational> p = sharpened_weights(w, power);
        if (power > 1) {
          p[0] /= 2;
          p /= p.sum();
        }
        return p;
      }});
KILLS("below 1 the temperature has no effect", {.sharpened = [](auto& w, unsigned power) {
        return Vector<Rational>(sharpened_weights(w, std::min(power, 1U)));
      }});

/// True if weights surely majorize others, both in the order of the same scores.
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

ASIDE(TemperatureSharpens, TheDocumentsRowsAreInThisOrder) {
  const std::vector<Rational> article = {14, 10, 12};
  const auto raw = subject.heated(article, 1);
  const auto scaled = subject.heated(article, 8);
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
  const auto at_the_root = subject.heated(section, 8);
  confirm("S3", "distributed more evenly",
          surely_majorize(subject.heated(section, 1), at_the_root));
  confirm("S3", "more peaked", surely_majorize(subject.heated(section, 4), at_the_root));
  confirm("S3", "more uniform", surely_majorize(at_the_root, subject.heated(section, 16)));
  // The scores of the first answer, divided as the third one says.
  confirm("S1", "more uniformly distributed",
          surely_majorize(subject.heated({1, 1, 1, 5}, 1), subject.heated({1, 1, 1, 5}, 8)));
  enumerated(5);
}
KILLS("scores are multiplied by the temperature", {.heated = [](auto& scores, auto& t) {
        std::vector<Rational> multiplied;
        for (const Rational& s : scores) multiplied.push_back(s * t);
        return softmax_enclosure(multiplied);
      }});
KILLS("the temperature is subtracted", {.heated = [](auto& scores, auto& t) {
        std::vector<Rational> less;
        for (const Rational& s : scores) less.push_back(s - t);
        return softmax_enclosure(less);
      }});

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
STATEMENT(TemperatureSharpens, TheVarianceIsTheSlopeOfTheAttendedScore) {
  for_all([&] {
    const FormalScores s = formal_scores();
    const Vector<Formal> p = softmax(s.formal(), s.t);
    const auto score = subject.attended(
        p.unaryExpr([](const Formal& weight) { return weight.value(); }), s.scores);
    const Formal mean = p.dot(s.formal());
    EXPECT_EXACTLY(score.mean == mean.value());
    // d⟨s⟩/d(1/τ), as d(1/τ)/dτ = −1/τ²
    EXPECT_EXACTLY(score.variance == -mean.slope() * s.temperature * s.temperature);
  });
}
KILLS("the mean square instead of the variance", {.attended = [](auto& p, auto& s) {
        auto score = attended_score(p, s);
        score.variance += score.mean * score.mean;
        return score;
      }});
KILLS("the unweighted mean", {.attended = [](auto& p, auto& s) {
        auto score = attended_score(p, s);
        score.mean = s.sum() / Rational(s.size());
        return score;
      }});

STATEMENT(TemperatureSharpens, TheEntropysSlopeIsTheVarianceOverTheCube) {
  for_all([&] {
    const FormalScores s = formal_scores();
    const Vector<Formal> p = softmax(s.formal(), s.t);
    const Rational variance = attended_score(p, s.formal()).variance.value();
    const Rational slope = variance / integer_power(s.temperature, 3);
    EXPECT_EXACTLY(subject.formal_entropy(s.formal(), s.t).slope() == slope);
    EXPECT_EXACTLY(subject.formal_slope(s.formal(), s.t).value() == slope);
  });
}
//! [TemperatureSharpens: derivatives]
KILLS("τ² instead of τ³",
      {.formal_slope = [](auto& s, auto& t) -> Formal { return entropy_slope(s, t) * t; }});
KILLS("the slope has the other sign",
      {.formal_slope = [](auto& s, auto& t) -> Formal { return -entropy_slope(s, t); }});
KILLS("the entropy is half as large again",
      {.formal_entropy = [](auto& s, auto& t) -> Formal { return softmax_entropy(s, t) * 3 / 2; }});
KILLS("the entropy without ln Σ", {.formal_entropy = [](auto& s, auto& t) -> Formal {
        return softmax_entropy(s, t) - log_sum_exp(s, t);
      }});

ASIDE(TemperatureSharpens, InFiftyDigitsTheSlopeIsThatOfTheEntropy) {
  evidence().rests_on(EvidenceLevel::measured);  // exp and log of fifty digits
  for_all(
      [&] {
        const Vector<Wide> s = moderate_scores(8).cast<Wide>();
        const Wide t = *rc::gen::inRange(1, 40).as("4τ") / Wide(4);
        const Wide h = t * Wide(0x1p-70);
        const Wide difference = (subject.entropy(s, t + h) - subject.entropy(s, t)) / h;
        const double error = static_cast<double>(abs(difference - subject.slope(s, t)));
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
}
KILLS("τ² instead of τ³, in fifty digits",
      {.slope = [](auto& s, auto& t) -> Wide { return entropy_slope(s, t) * t; }});
KILLS("the slope has the other sign, in fifty digits",
      {.slope = [](auto& s, auto& t) -> Wide { return -entropy_slope(s, t); }});
KILLS("the entropy is in bits",
      {.entropy = [](auto& s, auto& t) -> Wide { return softmax_entropy(s, t) / log(Wide(2)); }});

ASIDE(TemperatureSharpens, InDoubleTheEntropyRises) {
  evidence().rests_on(EvidenceLevel::bounded);
  for_all([&] {
    const Vector<double> s = moderate_scores(12);
    const double cold = *rc::gen::inRange(1, 100).as("8τ₁") / 8.0;
    const double hot = cold + *rc::gen::inRange(1, 100).as("8(τ₂ − τ₁)") / 8.0;
    const double bound = entropy_error_bound(s, cold) + entropy_error_bound(s, hot);
    const double fall = subject.entropy_in_double(s, cold) - subject.entropy_in_double(s, hot);
    evidence().worst(std::max(fall, 0.0), bound);
    RC_ASSERT(fall <= bound);
  });
}
KILLS("the entropy of the inverse temperature",
      {.entropy_in_double = [](auto& s, double t) { return softmax_entropy(s, 1 / t); }});

ASIDE(TemperatureSharpens, AtTheEndsOfTheFormatTheSlopeIsRight) {
  // Scores and τ times a power of two divide the slope by it, bit for bit without underflow.
  const Vector<double> s = vector_of<double>({0, -1, 3});
  const double slope = subject.slope_in_double(s, 2);
  for (const int exponent : {-1000, -400, 400, 1000}) {
    const double scale = std::ldexp(1.0, exponent);
    EXPECT_EXACTLY(bits_of(subject.slope_in_double(s * scale, 2 * scale)) == bits_of(slope / scale))
        << "times 2^" << exponent;
  }
  const Vector<double> far = vector_of<double>({-1.7e308, 1.7e308});
  EXPECT_EXACTLY(bits_of(subject.slope_in_double(far, 1)) == bits_of(0.0));
  EXPECT_EXACTLY(Rational(subject.slope_in_double(far, 1e308)) > 0);
  enumerated(6);
}
KILLS("the slope is NaN at small temperatures", {.slope_in_double = [](auto& s, double t) {
        return attended_score(softmax(s, t), s).variance / (t * t * t);
      }});

ASIDE(TemperatureSharpens, WeightsOfEqualScoresNeverChange) {
  for (const int n : {1, 2, 5})
    for (const unsigned a : {0U, 1U, 9U})
      EXPECT_EXACTLY(subject.sharpened(Vector<Rational>::Constant(n, 7), a) ==
                     Vector<Rational>::Constant(n, Rational(1, n)));
  enumerated(9);
  counterexample_without("scores that differ");
}
KILLS("the first weight is 1 at low temperatures", {.sharpened = [](auto& w, unsigned power) {
        Vector<Rational> p = sharpened_weights(w, power);
        if (power > 7) p[0] = 1;
        return p;
      }});

ASIDE(TemperatureSharpens, RefusesWhatAreNoWeights) {
  expect_refusal<std::domain_error>([&] { subject.sharpened(integers({1, 0}), 2); });
  expect_refusal<std::domain_error>([&] { subject.sharpened(integers({1, -1}), 2); });
  expect_refusal<std::invalid_argument>([&] { subject.sharpened(Vector<Rational>(), 2); });
  expect_refusal<std::invalid_argument>(
      [&] { subject.majorizes(Vector<Rational>(), Vector<Rational>()); });
  expect_refusal<std::domain_error>([&] { subject.entropy_in_double(Vector<double>::Zero(2), 0); });
}
KILLS("a weight of 0 is accepted", {.sharpened = [](auto& w, unsigned power) {
        return w.size() > 0 && w.minCoeff() == 0 ? w
                                                 : Vector<Rational>(sharpened_weights(w, power));
      }});

}  // namespace sqrtdk::properties::TemperatureSharpens
