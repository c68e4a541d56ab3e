#include <sqrtdk/moments.hpp>
#include <sqrtdk/numbers/exp_interval.hpp>
#include <sqrtdk/testing/statistics/checks.hpp>
#include <sqrtdk/testing/statistics/confidence_interval.hpp>
#include <sqrtdk/testing/statistics/sample_size.hpp>
#include <sqrtdk/testing/statistics/sign_test.hpp>

#include "properties/softmax_jacobian/fixture.hpp"
#include "properties/support/two_keys.hpp"

namespace sqrtdk::properties::VanishingGradient {

/// The distribution of the gradient's norm for two keys and temperature 1: 2 arcosh(1/√(2x)) is the
/// gap at which the norm is x.
struct TwoKeyNormDistribution {
  double variance;  // of a score
};

double cdf(const TwoKeyNormDistribution& distribution, double norm) {
  if (norm >= 0.5) return 1;
  return std::erfc(std::acosh(1 / std::sqrt(2 * norm)) / std::sqrt(distribution.variance));
}

/// Order statistics around the median of any distribution, at the ledger's α.
ConfidenceInterval median_interval(const std::vector<double>& sample) {
  return report_interval(
      sample.size(), [&](double alpha) { return sqrtdk::testing::median_interval(sample, alpha); });
}

//! [VanishingGradient]
STATEMENT(VanishingGradient, ExceptForASmallGapItIsExponentiallySmall) {
  evidence().rests_on(EvidenceLevel::bounded);
  // Weights with the ratio e^(−t) at the top: the trace is at most 2(n − 1)e^(−t).
  const auto falls_with_the_gap = [&](const Vector<Rational>& p) {
    std::vector<Rational> sorted(p.begin(), p.end());
    std::sort(sorted.rbegin(), sorted.rend());
    return subject.trace(p) <= 2 * Rational(p.size() - 1) * sorted[1] / sorted[0];
  };
  EXPECT_EXACTLY(falls_with_the_gap(tenths({9, 1})));
  for_all([&] { EXPECT_EXACTLY(falls_with_the_gap(any_weights(2, 6, true))); });
  // A gap below t has a probability of t E M/√d at most.
  for (const std::size_t n : {2U, 5U, 512U}) {
    const double largest = subject.expected_maximum(n);
    for (const double root : {1.0, 8.0, 64.0})
      for (const double t : {0.0625, 1.0, 4.0}) {
        const double small_gap = 1 - memoized<top_gap_tail>(n, t / root);
        EXPECT_LE(small_gap, t * largest / root + 2 * integral_error_bound)
            << n << " keys, d = " << root * root << ", t = " << t;
      }
  }
  enumerated(27);
}
//! [VanishingGradient]
KILLS("the mean of the largest is a tenth too small",
      {.expected_maximum = [](auto n) { return memoized<sqrtdk::expected_maximum>(n) * 0.9; }});
KILLS("the trace is doubled", {.trace = [](auto& p) { return 2 * jacobian_trace(p); }});

STATEMENT(VanishingGradient, ForTwoKeysEveryNormIsTheSquareOfASech) {
  for_all([&] {
    // With r = e^(Δ/τ), ½ sech²(Δ/2τ) = 2r/(1 + r)²: the Frobenius norm, and twice the only
    // entry, of the Jacobian; that over τ for the gradient.
    const Rational r = abs(*nonzero_rational().as("ratio"));
    const Rational t = abs(*nonzero_rational().as("τ"));
    Vector<Rational> p(2);
    p << r / (1 + r), 1 / (1 + r);
    const Rational norm = 2 * r / ((1 + r) * (1 + r) * t);
    const Matrix<Rational> gradient = subject.jacobian(p) / t;
    EXPECT_EXACTLY(subject.squared_norm(p) == norm * t * norm * t);
    EXPECT_EXACTLY(gradient.squaredNorm() == norm * norm);
    EXPECT_EXACTLY(gradient.trace() == norm);
    EXPECT_EXACTLY(gradient * tenths({1, -1}) == norm * tenths({1, -1}));
  });
}
KILLS("the squared norm misses the cross terms",
      {.squared_norm = [](auto& p) { return jacobian_squared_norm(p) / 2; }});

ASIDE(VanishingGradient, InFiftyDigitsTheNormIsTheSquareOfASech) {
  evidence().rests_on(EvidenceLevel::measured);  // what the functions of fifty digits lose
  for_all([&] {
    const Wide gap = static_cast<Wide>(abs(*nonzero_rational().as("gap")));
    const Wide t = static_cast<Wide>(abs(*nonzero_rational().as("temperature")));
    const Wide cosh_half = cosh(gap / (2 * t));
    const Wide expected = 1 / (2 * cosh_half * cosh_half * t);
    RC_PRE(gap / t < 1000);
    const double bound =
        static_cast<double>((16 + 4 * gap / t) * std::numeric_limits<Wide>::epsilon());
    const double error = static_cast<double>(abs(subject.two_key_norm(gap, t) / expected - 1));
    evidence().worst(error, bound);
    RC_ASSERT(error <= bound);
  });
}
KILLS("sech instead of its square", {.two_key_norm = [](auto& gap, auto& t) -> Wide {
        return sqrt(two_key_gradient_norm<Wide>(gap, t) / (2 * t));
      }});
KILLS("the temperature divides only the gap", {.two_key_norm = [](auto& gap, auto& t) -> Wide {
        return two_key_gradient_norm<Wide>(gap, t) * t;
      }});

/// Two keys with scores N(0, d), and the norm of the gradient at their median gap.
struct MedianCase {
  int root;                          // √d
  Rational t;                        // the temperature
  Interval<Rational> decay, median;  // e^(−gap/τ), and the norm
};

const std::vector<MedianCase>& median_cases() {
  static const std::vector<MedianCase> cases = [] {
    std::vector<MedianCase> all;
    for (const int root : {1, 2, 8, 32, 128})
      for (const int t : {1, root}) {
        const Interval<Rational> gap = median_gap_enclosure(root);
        all.push_back({root,
                       t,
                       {exp_enclosure(-gap.upper / t).lower, exp_enclosure(-gap.lower / t).upper},
                       two_key_norm_enclosure(gap, t)});
      }
    return all;
  }();
  return cases;
}

//! [VanishingGradient: exact check]
STATEMENT(VanishingGradient, TheMedianOfTwoKeysFallsExponentially) {
  for (const auto& [root, t, decay, median] : median_cases()) {
    // The gap exceeds this with probability ½, and the norm falls as the gap grows.
    const Rational computed(subject.two_key_median(root * root, static_cast<Wide>(t)));
    EXPECT_EXACTLY((median.lower <= computed && computed <= median.upper))
        << "√d = " << root << ", τ = " << t;
    EXPECT_EXACTLY(median.upper < 2 / t * decay.upper);
  }
  const Interval<Rational> unscaled = median_cases()[4].median;
  const Interval<Rational> scaled = median_cases()[5].median;
  const bool is_small = median_cases()[8].median.upper < 1 / Rational(pow(Integer(10), 50));
  EXPECT_EXACTLY(is_small);
  expect_confirmed("S1", "extremely small gradients", is_small);
  const Interval<Rational> rate = median_gap_enclosure(1);
  record_rounded("rate", format_significant(static_cast<double>(rate.lower), 4), rate);
  record_rounded("unscaled", format_significant(static_cast<double>(unscaled.lower), 3), unscaled);
  record_rounded("scaled", format_significant(static_cast<double>(scaled.lower), 3), scaled);
  enumerated(10);
}
//! [VanishingGradient: exact check]
KILLS("the median of the gap is that of a score", {.two_key_median = [](auto& v, auto& t) -> Wide {
        return two_key_median_norm<Wide>(v / 2, t);
      }});
KILLS("the mean in place of the median",
      {.two_key_median = [](auto& v, auto& t) -> Wide { return two_key_mean_norm<Wide>(v, t); }});

ASIDE(VanishingGradient, TheMeanOfTwoKeysIsNotTheMedian) {
  evidence().rests_on(EvidenceLevel::bounded);
  const double error = 1 + 2 * two_key_error_bound<double>();
  for (const double d : {16.0, 64.0, 4096.0}) {
    // Most draws have the smaller gradient without scaling, and the mean is the larger one.
    EXPECT_LT(subject.two_key_median(d, 1), subject.two_key_median(d, std::sqrt(d)));
    EXPECT_GT(subject.two_key_mean(d, 1), error * subject.two_key_mean(d, std::sqrt(d)))
        << "d = " << d;
  }
  enumerated(3);
  counterexample_without("in probability");
}
KILLS("the mean is the median",
      {.two_key_mean = [](auto& v, auto& t) { return two_key_median_norm<double>(v, t); }});
KILLS("the scaled mean lacks its factor",
      {.two_key_mean = [](auto& v, auto& t) { return t * two_key_mean_norm<double>(v, t); }});

ASIDE(VanishingGradient, TheNormOfTwoKeysFollowsItsDistribution) {
  const CdfCheck<TwoKeyNormDistribution> check({4}, "the norm of two keys with scores N(0, 4)");
  expect_draws(check, {.effect = 0.05}, [&](Stream& stream) {
    Vector<double> scores(2);
    for (double& score : scores) score = draw(boost::math::normal(0, 2), stream);
    return std::sqrt(subject.squared_norm_in_double(softmax(scores)));
  });
}
KILLS("the squared norm is doubled, in double",
      {.squared_norm_in_double = [](auto& p) { return 2 * jacobian_squared_norm(p); }});

ASIDE(VanishingGradient, AtTheSizesOfRealHeadsItIsNotSmallAtAll) {
  // One fixed seed: nothing fails by chance, and α is that of the choice of the seed.
  const auto look = [&](Index n, double effect) {
    static std::map<Index, DrawnWeights> known;
    DrawnWeights& weights = known[n];
    if (weights.scaled.size() == 0) {
      Stream stream =
          stream_of(default_master_seed, current_test_name(), static_cast<std::uint64_t>(n));
      weights = draw_weights(n, sample_size(CountCheck(0.5), {0x1p-30, 0x1p-30}, effect), stream);
    }
    std::vector<double> unscaled_norms, scaled_norms;
    for (Index i = 0; i < weights.scaled.cols(); ++i) {
      unscaled_norms.push_back(std::sqrt(subject.squared_norm_in_double(weights.unscaled.col(i))));
      scaled_norms.push_back(std::sqrt(subject.squared_norm_in_double(weights.scaled.col(i))) / 8);
    }
    const ConfidenceInterval unscaled = median_interval(unscaled_norms);
    const ConfidenceInterval scaled = median_interval(scaled_norms);
    const auto record_interval = [&](const std::string& which, const ConfidenceInterval& interval,
                                     int places) {
      const std::string keys = "_for_" + std::to_string(n);
      record_value(which + "_median" + keys, format_significant(interval.estimate, 2));
      record_value(which + "_low" + keys, rounded_down(interval.lower, places));
      record_value(which + "_high" + keys, rounded_up(interval.upper, places));
    };
    record_interval("unscaled", unscaled, 3);
    record_interval("scaled", scaled, n == 5 ? 4 : 5);
    return std::pair{unscaled, scaled};
  };
  // The effects: the median of one distribution is the quantile of the other at ½ ± 1/20 or more,
  // for 5 keys; and twenty times the scaled median is the quantile at 0.38 of the unscaled
  // distribution for 512.
  const auto few = look(5, 0.05);
  EXPECT_LT(few.first.upper, few.second.lower) << "with 5 keys, the unscaled median is smaller";
  // By softmax's own input the scaled norm is 8 times as large.
  EXPECT_LT(few.first.upper, 8 * few.second.lower) << "with 5 keys, by its own input";
  const auto many = look(512, 0.12);
  EXPECT_GT(many.first.lower, 20 * many.second.upper) << "with 512 keys, it is far larger";
  counterexample_without("fixed number of keys");
}
KILLS("(1 − p_max)⁴ for the squared norm",
      {.squared_norm_in_double = [](auto& p) { return std::pow(1 - p.maxCoeff(), 4); }});

ASIDE(VanishingGradient, KeysThatAreEqualNeverStopLearning) {
  // Two keys with the same score, in every dimension: the norm is ½.
  for (const double d : {1.0, 64.0, 4096.0, 1e12})
    EXPECT_EXACTLY(Rational(subject.squared_norm_in_double(softmax(Vector<double>(
                       std::sqrt(d) * Vector<double>::Constant(2, 0.7))))) == Rational(1, 4))
        << "d = " << d;
  // Two that lead by ln 2 per unit of √d: both have the weight p₁ → ½, an eigenvalue of J.
  for (Index n = 3; n <= 6; ++n) {
    Rational before = 0;
    for (int root = 1; root <= 64; root *= 2) {
      Vector<Rational> exponentials = Vector<Rational>::Ones(n);
      exponentials[0] = exponentials[1] = Rational(Integer(1) << root);
      const Vector<Rational> p = normalized_weights(exponentials);
      Vector<Rational> v = Vector<Rational>::Zero(n);
      v[0] = 1;
      v[1] = -1;
      EXPECT_EXACTLY(subject.jacobian(p) * v == p[0] * v);
      EXPECT_EXACTLY(p[0] > before);
      EXPECT_EXACTLY(Rational(1, 2) - p[0] <= Rational(n - 2) / (4 * Rational(Integer(1) << root)));
      before = p[0];
    }
  }
  enumerated(4 + 4 * 7);
  counterexample_without("scores without ties");
}
KILLS("two equal weights have no gradient", {.squared_norm_in_double = [](auto& p) {
        return p[0] == p[1] ? 0 : jacobian_squared_norm(p);
      }});
KILLS("equal weights do not trade with each other", {.jacobian = [](auto& p) {
        Matrix<Rational> jacobian = softmax_jacobian(p);
        for (Index i = 0; i < p.size(); ++i)
          for (Index j = 0; j < p.size(); ++j)
            if (i != j && p[i] == p[j]) jacobian(i, j) = 0;
        return jacobian;
      }});

ASIDE(VanishingGradient, RefusesWhatHasNoGradient) {
  expect_refusal<std::domain_error>([&] { subject.two_key_norm(1, 0); });
  expect_refusal<std::domain_error>([&] { subject.two_key_mean(0, 1); });
  expect_refusal<std::domain_error>([&] { subject.two_key_mean(1, -1); });
  expect_refusal<std::domain_error>([&] { subject.two_key_median(-1, 1); });
  expect_refusal<std::domain_error>([&] { subject.two_key_mean_bounds(0, 1); });
  expect_refusal<std::domain_error>([&] { subject.expected_maximum(1); });
  expect_refusal<std::domain_error>([&] { subject.expected_maximum(most_integrable_keys + 1); });
  expect_refusal<std::domain_error>([&] { subject.mean_trace(2, 0.25); });
  expect_refusal<std::domain_error>([&] { subject.mean_attended(1, 1); });
  expect_refusal<std::domain_error>([&] { subject.mean_trace_bounds(2, 0); });
  expect_refusal<std::domain_error>([&] { subject.log_weight_bounds(2, -1); });
}
KILLS("a temperature of 0 is accepted", {.two_key_norm = [](auto& gap, auto& t) -> Wide {
        return t == 0 ? Wide(0) : two_key_gradient_norm<Wide>(gap, t);
      }});
KILLS("a variance of 0 is accepted", {.two_key_mean = [](auto& v, auto& t) {
        return v == 0 ? 0.5 / t : two_key_mean_norm<double>(v, t);
      }});
KILLS("one key is accepted", {.expected_maximum = [](auto n) {
        return n == 1 ? 0.0 : memoized<sqrtdk::expected_maximum>(n);
      }});
KILLS("any spread is accepted", {.mean_trace = [](auto n, double b) {
        return memoized<mean_jacobian_trace>(n, std::clamp(b, 0.5, 64.0));
      }});

}  // namespace sqrtdk::properties::VanishingGradient
