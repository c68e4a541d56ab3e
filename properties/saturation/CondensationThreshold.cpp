#include <sqrtdk/softmax_error.hpp>

#include "properties/saturation/fixture.hpp"

namespace sqrtdk::properties::CondensationThreshold {

//! [CondensationThreshold: second route]
ASIDE(CondensationThreshold, TheAttendedScoreIsTheSlopeOfTheFreeEnergy) {
  evidence().rests_on(EvidenceLevel::bounded);
  constexpr double step = 0.25;
  for (const double n : {1.0, 2.0, 5.0, 512.0, 1e12}) {
    const auto slope = [&](double b) { return b * (1 - subject.squares(n, b)); };
    for (double b = 0.5; b < 8; b += step) {
      // F is convex with slope β(1 − E Σp²), so a step of F lies between two steps of its slope.
      const double rise = subject.log_sum(n, b + step) - subject.log_sum(n, b);
      const double error = 4 * mean_error_bound;
      EXPECT_LE(step * slope(b), rise + error) << at(n, b);
      EXPECT_LE(rise, step * slope(b + step) + error) << at(n, b);
    }
    // It begins at ln n, with slope 0.
    EXPECT_GE(subject.log_sum(n, 0.5) + mean_error_bound, std::log(n)) << at(n, 0.5);
    EXPECT_LE(subject.log_sum(n, 0.5) - mean_error_bound, std::log(n) + 0.125) << at(n, 0.5);
  }
  enumerated(5 * 32);
}
//! [CondensationThreshold: second route]
KILLS("the free energy of half the spread", {.log_sum = [](double n, double b) {
        return memoized<mean_log_sum>(n, std::max(b / 2, 0.5));
      }});
KILLS("the sum of squares of one key more",
      {.squares = [](double n, double b) { return memoized<mean_squared_weights>(2 * n, b); }});

STATEMENT(CondensationThreshold, TheFreeEnergyIsWithinItsBounds) {
  evidence().rests_on(EvidenceLevel::bounded);
  for (const std::size_t n : key_counts)
    for (const double spread : {0.5, 1.0, 2.0, 4.0, 8.0, 32.0}) {
      const double count = static_cast<double>(n);
      const double log_count = std::log(count);
      const double energy = subject.log_sum(count, spread) / log_count;
      const double limit = subject.energy_limit(count, spread);
      const double deficit = subject.energy_deficit(count, spread, largest(n));
      const double error = (1 + spread) * integral_error_bound / log_count;
      EXPECT_LE(energy, limit + error) << at(count, spread);
      EXPECT_LE(limit - deficit, energy + error) << at(count, spread);
      // Above the threshold the deficit is that of β E M, a bound that every softmax keeps.
      if (spread > critical_stddev(count))
        expect_near((limit - deficit) * log_count, spread * largest(n), error * log_count,
                    at(count, spread));
      else  // fewer than ten roundings of numbers below 2, of 2^−53 each
        expect_near(deficit, 2 * (1 - largest(n) / critical_stddev(count)), 0x1p-48,
                    at(count, spread));
    }
  enumerated(6 * std::size(key_counts));
}
KILLS("the free energy counts no keys",
      {.log_sum = [](double n, double b) { return memoized<mean_log_sum>(n, b) - std::log(n); }});
KILLS("x² instead of 1 + x²", {.energy_limit = [](double n, double b) {
        const double x = b / critical_stddev(n);
        return x <= 1 ? 1 + x * x / 2 : 2 * x;
      }});
KILLS("annealed above the threshold too", {.energy_limit = [](double n, double b) {
        const double x = b / critical_stddev(n);
        return 1 + x * x;
      }});
KILLS("x instead of 2x", {.energy_limit = [](double n, double b) {
        return b > critical_stddev(n) ? b / critical_stddev(n) : free_energy_limit(n, b);
      }});
KILLS("the deficit is halved", {.energy_deficit = [](double n, double b, double m) {
        return free_energy_deficit(n, b, m) / 4;
      }});
KILLS("the deficit below the threshold is doubled",
      {.energy_deficit = [](double n, double b, double m) {
        return free_energy_deficit(n, b, m) * (b < critical_stddev(n) ? 2 : 1);
      }});
KILLS("the deficit does not grow with the spread",
      {.energy_deficit = [](double n, double b, double m) {
        return free_energy_deficit(n, std::min(b, critical_stddev(n)), m);
      }});

STATEMENT(CondensationThreshold, TheMeanSquareIsWithinItsBounds) {
  evidence().rests_on(EvidenceLevel::bounded);
  for (const std::size_t n : {5U, 16U, 64U, 512U, 4096U})
    for (const double spread : {0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 16.0, 32.0}) {
      const double count = static_cast<double>(n);
      const Bounds bounds = subject.condensation(count, spread, largest(n));
      const double squares = subject.squares(count, spread);
      const double x = spread / critical_stddev(count);
      const double error =
          mean_error_bound + integral_error_bound * (2 + 2 / std::abs(1 - x)) / std::min(x, 1.0);
      expect_between(squares, bounds, error, at(count, spread));
      const double eta = 1 - largest(n) / critical_stddev(count);
      // The claim: η/x to η/(x − 1) above the limit, and 2η/(1 − x²) at most below it. Both
      // sides are computed from the same η and x, and differ by fewer than ten roundings of numbers
      // below 2, of 2^−53 each; what exceeds 1 is cut off.
      if (x > 1) {
        expect_near(bounds.lower - condensed_fraction(count, spread), eta / x, 0x1p-48,
                    at(count, spread));
        EXPECT_LE(bounds.upper - condensed_fraction(count, spread), eta / (x - 1) + 0x1p-48)
            << at(count, spread);
      } else {
        EXPECT_LE(bounds.upper, 2 * eta / (1 - x * x) + 0x1p-48) << at(count, spread);
      }
    }
  enumerated(5 * 9);
}
KILLS("η/x is forgotten", {.condensation = [](double n, double b, double m) {
        const Bounds right = condensation_bounds(n, b, m);
        return Bounds{condensed_fraction(n, b), right.upper};
      }});
KILLS("1 − x instead of 1 − x²", {.condensation = [](double n, double b, double m) {
        const Bounds right = condensation_bounds(n, b, m);
        const double x = b / critical_stddev(n);
        return Bounds{right.lower, x < 1 ? right.upper * (1 - x * x) / (1 - x) : right.upper};
      }});
KILLS("η is forgotten below the threshold", {.condensation = [](double n, double b, double m) {
        const Bounds right = condensation_bounds(n, b, m);
        return Bounds{right.lower, b < critical_stddev(n) ? 0 : right.upper};
      }});
KILLS("η is forgotten above the threshold", {.condensation = [](double n, double b, double m) {
        const Bounds right = condensation_bounds(n, b, m);
        return Bounds{right.lower, b > critical_stddev(n) ? condensed_fraction(n, b) : right.upper};
      }});

//! [CondensationThreshold]
STATEMENT(CondensationThreshold, PastTheThresholdItCondensesInTheLimit) {
  evidence().rests_on(EvidenceLevel::bounded);
  // Along β = x√(2 ln n) with x = ½, and with x = 2, for ever more keys.
  double below = 1, above = 1;
  for (const double n : {1e3, 1e6, 1e12, 1e18, 1e24, 1e30}) {
    const double critical = critical_stddev(n);
    // E M is at least any β(1 − E Σp²), the mean score that is attended to; at the largest spread
    // that can be integrated, and not at one of those that are checked below.
    constexpr double widest = 64;
    const double maximum = widest * (1 - subject.squares(n, widest));
    for (const double x : {0.5, 2.0}) {
      const double squares = subject.squares(n, x * critical);
      const Bounds bounds = subject.condensation(n, x * critical, maximum);
      EXPECT_GE(squares + mean_error_bound, subject.condensed(n, x * critical))
          << at(n, x * critical);
      EXPECT_LE(squares, bounds.upper + (1 + widest) * mean_error_bound) << at(n, x * critical);
      double& before = x < 1 ? below : above;
      EXPECT_LT(squares, before) << at(n, x * critical);
      before = squares;
      record_value((x < 1 ? "below_" : "above_") + format_significant(n, 3),
                   format_significant(squares, 3));
    }
  }
  EXPECT_LT(below, 0.01);
  EXPECT_GE(above, 0.5 - mean_error_bound);
  enumerated(12);
  for_all(
      [&] {
        const double n = drawn_key_count(), spread = drawn_spread();
        if (n == 1) return;
        constexpr double widest = 64;
        const double maximum = widest * (1 - subject.squares(n, widest));
        const double squares = subject.squares(n, spread);
        const Bounds bounds = subject.condensation(n, spread, maximum);
        // E M is known up to 64 times the integral's error, and the bound divides by |1 − x|.
        const double x = spread / critical_stddev(n);
        const double error =
            (1 + widest / (critical_stddev(n) * std::abs(1 - x))) * 2 * mean_error_bound;
        expect_at_most(subject.condensed(n, spread), squares + mean_error_bound, at(n, spread));
        expect_at_most(squares, bounds.upper + error, at(n, spread));
      },
      30);
}
//! [CondensationThreshold]
KILLS("nothing ever condenses", {.squares = [](double n, double) { return 1 / n; }});
KILLS("everything always condenses",
      {.condensed = [](double n, double b) { return 1 - critical_stddev(n) / b / 2; }});
KILLS(
    "the upper bound above the threshold is halfway down to the limit",
    {.condensation = [](double n, double b, double m) {
      const Bounds right = condensation_bounds(n, b, m);
      const double limit = condensed_fraction(n, b);
      return Bounds{right.lower, b > critical_stddev(n) ? (right.upper + limit) / 2 : right.upper};
    }});
KILLS("the bounds are those of few keys",
      {.condensation = [](double, double b, double m) { return condensation_bounds(1e3, b, m); }});

ASIDE(CondensationThreshold, HowCloseRealSizesAre) {
  evidence().rests_on(EvidenceLevel::bounded);
  for (const std::size_t n : {512U, 4096U}) {
    const double count = static_cast<double>(n);
    const double limit = subject.condensed(count, 8);
    const double squares = subject.squares(count, 8);
    const double eta = 1 - largest(n) / critical_stddev(count);
    const double x = 8 / critical_stddev(count);
    EXPECT_GE(squares, limit + eta / x - 2 * integral_error_bound) << n << " keys";
    EXPECT_LE(squares, limit + eta / (x - 1) + 2 * integral_error_bound) << n << " keys";
    EXPECT_GT(limit, 0.48) << n << " keys";
    EXPECT_LT(limit, 0.56) << n << " keys";
    const std::string keys = "_" + std::to_string(n);
    record_value("squares" + keys, format_fixed(squares, 3));
    record_value("limit" + keys, format_fixed(limit, 3));
    record_value("least" + keys, rounded_down(limit + eta / x, 3));
    record_value("greatest" + keys, rounded_up(limit + eta / (x - 1), 3));
    record_value("eta" + keys, format_fixed(eta, 3));
  }
  enumerated(2);
}
KILLS("the condensed part is squared",
      {.condensed = [](double n, double b) { return std::pow(condensed_fraction(n, b), 2); }});
KILLS("√(ln n)", {.condensed = [](double n, double b) {
        return std::max(0.0, 1 - std::sqrt(std::log(n)) / b);
      }});

/// Head dimension and context length of some models, from the papers that the page cites.
constexpr std::pair<double, double> models[] = {
    {64, 512},      // GPT, BERT
    {64, 1024},     // GPT-2
    {128, 2048},    // the largest GPT-3, LLaMA
    {128, 4096},    // Llama 2
    {128, 131072},  // Llama 3
    {256, 2048},    // PaLM
};

/// The spread at which E Σp² is ½, by four steps of the secant method.
double half_condensed_spread(const Subject& subject, double n) {
  double before = 1.5 * critical_stddev(n), now = 2 * critical_stddev(n);
  double value_before = subject.squares(n, before);
  for (int i = 0; i < 4; ++i) {
    const double value = subject.squares(n, now);
    const double next = now + (0.5 - value) * (now - before) / (value - value_before);
    before = std::exchange(now, next);
    value_before = value;
  }
  return now;
}

STATEMENT(CondensationThreshold, DividingByTheRootKeepsEveryHeadBelow) {
  evidence().rests_on(EvidenceLevel::bounded);
  // A spread of 1 is below √(2 ln n) for every n from 2 on, the real sizes without scaling above.
  EXPECT_LT(subject.critical_count(1), 2);
  for (double n = 2; n <= 1e30; n *= 10) {
    EXPECT_GT(subject.critical_stddev(n), 1) << n << " keys";
    // In units of ε/2: the logarithm, the root and the square put 5 into the exponent, e^x is
    // off by 2 and the last logarithms by 2 each; 9 ln n + 2 is less than 16 ln n.
    expect_near(std::log(subject.critical_count(subject.critical_stddev(n))), std::log(n),
                8 * std::numeric_limits<double>::epsilon() * std::log(n),
                format_significant(n, 3) + " keys");
  }
  for (const auto& [d, n] : models) {
    EXPECT_GT(std::sqrt(d), subject.critical_stddev(n)) << "d = " << d << ", n = " << n;
    EXPECT_LT(n, subject.critical_count(std::sqrt(d))) << "d = " << d << ", n = " << n;
  }
  record_value("keys_of_8", format_fixed(subject.critical_count(std::sqrt(8)), 0));
  record_value("keys_of_64", format_significant(subject.critical_count(8), 2));
  record_value("keys_of_1", format_fixed(subject.critical_count(1), 2));
  record_value("d_of_512", format_fixed(std::pow(subject.critical_stddev(512), 2), 1));
  record_value("d_of_131072", format_fixed(std::pow(subject.critical_stddev(131072), 1) *
                                               subject.critical_stddev(131072),
                                           1));
  enumerated(30 + std::size(models));
  if (checking_a_mutant()) return;
  std::vector<std::vector<double>> rows;
  for (double log_count = std::log(2); log_count < std::log(2e7); log_count += 0.25)
    rows.push_back({2 * log_count, std::exp(log_count)});
  rows.push_back({});
  for (double n = 4; n <= 2e7; n *= 2)
    rows.push_back({std::pow(half_condensed_spread(subject, n), 2), n});
  rows.push_back({});
  for (const auto& [d, n] : models) rows.push_back({d, n});
  rows.push_back({});
  for (const auto& [d, n] : models) rows.push_back({1, n});
  write_figure_data("saturation_phases", {"d", "n"}, rows);
}
KILLS("√(ln n) is critical", {.critical_stddev = [](double n) { return std::sqrt(std::log(n)); }});
KILLS("e^d keys", {.critical_count = [](double b) { return std::exp(b * b); }});

ASIDE(CondensationThreshold, KeysThatAreAllAlikeNeverCondense) {
  evidence().rests_on(EvidenceLevel::bounded);
  // One key, n times: its scores are equal, whatever the dimension and the number.
  for (const Index n : {2, 16, 512}) {
    const Vector<double> scores = Vector<double>::Constant(n, 1000);
    const double squares = subject.weights(scores, 1).squaredNorm();
    const SoftmaxErrorBound bound = softmax_error_bound(scores);
    const double weight = 1 / static_cast<double>(n);
    const double error = bound(0, weight);
    // n squares of weights that are off by the error, added with n + 1 roundings
    expect_near(squares, weight,
                static_cast<double>(n) * (2 * weight + error) * error +
                    static_cast<double>(n + 1) * std::numeric_limits<double>::epsilon() * weight,
                std::to_string(n) + " equal keys");
  }
  enumerated(3);
  counterexample_without("independent keys");
}
KILLS("equal keys condense", {.weights = [](auto& s, double) {
        return Vector<double>(Vector<double>::Unit(s.size(), 0));
      }});

ASIDE(CondensationThreshold, RefusesWhatCannotCondense) {
  expect_refusal<std::domain_error>([&] { subject.critical_stddev(1); });
  expect_refusal<std::domain_error>([&] { subject.critical_count(0); });
  expect_refusal<std::domain_error>([&] { subject.condensed(2, 0); });
  expect_refusal<std::domain_error>([&] { subject.energy_limit(2, -1); });
  expect_refusal<std::domain_error>([&] { subject.energy_deficit(2, 0, 1); });
  expect_refusal<std::domain_error>([&] { subject.condensation(1, 1, 1); });
}
KILLS("a single key is accepted",
      {.critical_stddev = [](double n) { return n == 1 ? 0 : critical_stddev(n); }});
KILLS("a spread of 0 is accepted",
      {.condensed = [](double n, double b) { return b == 0 ? 0 : condensed_fraction(n, b); }});

}  // namespace sqrtdk::properties::CondensationThreshold
