#include <sqrtdk/numbers/exp_interval.hpp>
#include <sqrtdk/testing/statistics/intervals.hpp>

#include "properties/trust/fixture.hpp"

#include <boost/math/distributions/poisson.hpp>

namespace sqrtdk::properties::DistributionCheckKeepsItsOdds {

constexpr double cdf_effect = 0.25;

struct Own {
  double (*cumulative)(double);
};
inline double cdf(const Own& distribution, double x) { return distribution.cumulative(x); }

double p_value_under(double (*cumulative)(double), const Sample& sample) {
  return run_test(CdfCheck(Own{cumulative}, "mine"), sample, rates).p_value;
}

struct Subject {
  double (*statistic)(const Sample&) = [](const Sample& sample) {
    return cdf_check.statistic(sample);
  };
  double (*p_value)(double distance, std::size_t n) = [](double distance, std::size_t n) {
    return cdf_check.p_value(distance, n);
  };
  double (*type_ii_error)(std::size_t n, double distance) = [](std::size_t n, double distance) {
    return cdf_check.type_ii_error(n, rates.alpha, distance);
  };
  std::size_t (*draws)(double distance) = [](double distance) {
    return sample_size(cdf_check, rates, distance);
  };
  /// The p-value of draws under a distribution function of one's own.
  double (*own)(double (*cumulative)(double), const Sample&) = p_value_under;

  bool rejects(const Sample& sample) const {
    return p_value(statistic(sample), sample.size()) <= rates.alpha;
  }
};

/// Pr(D_n < d), exactly: n!/nⁿ times the middle entry of the n-th power of a matrix.
/// Source: Marsaglia, Tsang and Wang, "Evaluating Kolmogorov's distribution" (2003).
template <class Number>
Number kolmogorov_cdf(int n, const Number& d) {
  const int k = whole(Number(n * d)) + 1;
  const Number h = k - n * d;
  const int m = 2 * k - 1;
  const auto size = static_cast<std::size_t>(m);
  std::vector<Number> powers{1};  // of h
  std::vector<Number> factorials{1};
  for (int i = 1; i <= m; ++i) {
    powers.push_back(powers.back() * h);
    factorials.push_back(factorials.back() * i);
  }
  const auto entry = [&](std::size_t i, std::size_t j) -> Number {
    if (i + 1 < j) return 0;
    Number value = 1;
    if (j == 0) value -= powers[i + 1];
    if (i + 1 == size) value -= powers[size - j];
    if (i + 1 == size && j == 0 && 2 * h > 1) {
      Number rest = 1;
      for (int power = 0; power < m; ++power) rest *= 2 * h - 1;
      value += rest;
    }
    return value / factorials[i + 1 - j];
  };
  std::vector<Number> matrix;
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j < size; ++j) matrix.push_back(entry(i, j));
  std::vector<Number> row(size, Number(0));
  row[static_cast<std::size_t>(k - 1)] = 1;
  for (int step = 1; step <= n; ++step) {
    std::vector<Number> next(size, Number(0));
    for (std::size_t i = 0; i < size; ++i)
      if (row[i] != 0)
        for (std::size_t j = 0; j < size; ++j) next[j] += row[i] * matrix[i * size + j] * step / n;
    row = next;
  }
  return row[static_cast<std::size_t>(k - 1)];
}

/// Pr(Dₙ < ε), exactly, if Dₙ is the distance from the uniform distribution of n draws of one on
/// (0, 1).
///
/// Dₙ < ε if the i-th smallest draw lies between i/n − ε and (i − 1)/n + ε, for each i. So the
/// number of draws up to x is followed from one of these points to the next, as a Poisson process
/// that has n events in the end.
/// \param cumulative the distribution function of the draws.
template <class Cumulative>
double pass_probability(std::size_t n, double epsilon, Cumulative cumulative) {
  const auto size = static_cast<double>(n);
  /// The limits of the number of draws up to a place.
  struct Point {
    double place;
    std::size_t least, most;
  };
  std::vector<Point> points{{1, n, n}};
  for (std::size_t i = 1; i <= n; ++i) {
    const auto rank = static_cast<double>(i);
    points.push_back({cumulative(std::max(0.0, rank / size - epsilon)), 0, i - 1});
    points.push_back({cumulative(std::min(1.0, (rank - 1) / size + epsilon)), i, n});
  }
  std::sort(points.begin(), points.end(),
            [](const Point& a, const Point& b) { return a.place < b.place; });
  std::vector<double> reached(n + 1, 0.0);  // with so many draws up to this place
  reached[0] = 1;
  double place = 0;
  for (const Point& point : points) {
    std::vector<double> next = reached;
    if (point.place > place) {
      const boost::math::poisson arrivals(size * (point.place - place));
      next.assign(n + 1, 0.0);
      for (std::size_t k = 0; k <= n; ++k) {
        const double weight = pdf(arrivals, static_cast<double>(k));
        for (std::size_t i = 0; i + k <= n; ++i) next[i + k] += weight * reached[i];
      }
      place = point.place;
    }
    for (std::size_t i = 0; i <= n; ++i)
      reached[i] = i < point.least || i > point.most ? 0 : next[i];
  }
  return reached[n] / pdf(boost::math::poisson(size), size);
}

double rejected_distance(std::size_t n) { return hoeffding_error(n, rates.alpha); }

/// A distribution on (0, 1) that is at a distance from the uniform one: its density is constant
/// before the place where they differ most, and after it.
struct BentDistribution {
  double place;
  double distance;

  double cumulative(double x) const {
    return x <= place ? x * (place + distance) / place
                      : 1 - (1 - x) * (1 - place - distance) / (1 - place);
  }
  double quantile(double u) const {
    return u <= place + distance ? u * place / (place + distance)
                                 : 1 - (1 - u) * (1 - place) / (1 - place - distance);
  }
};

double exact_miss(std::size_t n, const BentDistribution& distribution) {
  return pass_probability(n, rejected_distance(n),
                          [&](double x) { return distribution.cumulative(x); });
}

/// Density 2 up to ¼ and ⅔ after it: at ¼ the distance is ¼, and Fₙ varies as much as it can.
const BentDistribution quarter_distribution{0.25, cdf_effect};

double exact_miss_of_quarter_distribution(std::size_t n) {
  return exact_miss(n, quarter_distribution);
}

using UniformSamples = CdfCheck<boost::math::uniform>;

/// As the library, for a distance that is stretched, and with the bound multiplied.
template <int square_of_stretch, int square_of_shrink, int halves>
double stretched_distance(double distance, std::size_t n) {
  const double factor =
      std::sqrt(static_cast<double>(square_of_stretch) / static_cast<double>(square_of_shrink));
  return cdf_check.p_value(factor * distance, n) * halves / 2;
}

//! [DistributionCheckKeepsItsOdds: false alarms]
ASIDE(DistributionCheckKeepsItsOdds, RejectsATrueDistributionAsOftenAsItSays) {
  const std::size_t n = sample_size(cdf_check, rates, cdf_effect);
  const double distance = rejected_distance(n);
  const double exact = 1 - kolmogorov_cdf(static_cast<int>(n), distance);
  EXPECT_LE(exact, rates.alpha);
  EXPECT_NEAR(pass_probability(n, distance, [](double x) { return x; }), 1 - exact, 1e-10)
      << "two routes to one number";
  static auto samples = repetitions<UniformSamples>(runs_to_see(exact, exact), n, uniform);
  calibrate(subject, Counted::rejected, exact, samples,
            [](const Subject& by, const Sample& sample) { return by.rejects(sample); });
  record_value("draws", std::to_string(n));
}
//! [DistributionCheckKeepsItsOdds: false alarms]
KILLS("the threshold is √2 too large", {.p_value = stretched_distance<1, 2, 2>});

//! [DistributionCheckKeepsItsOdds: misses]
ASIDE(DistributionCheckKeepsItsOdds, MissesTheDeclaredEffectNoMoreOftenThanItSays) {
  const std::size_t n = subject.draws(cdf_effect);
  const double exact = memoized<exact_miss_of_quarter_distribution>(n);
  EXPECT_LE(exact, rates.beta) << n << " draws are too few";
  if (exact > rates.beta) return;
  auto samples = repetitions<UniformSamples>(
      runs_to_see(exact, rates.beta - exact), n,
      [](Stream& stream) { return quarter_distribution.quantile(uniform(stream)); });
  expect_count("missed",
               others(samples.rejected([&](const Sample& s) { return subject.rejects(s); })),
               exact);
  const std::size_t forgetful = hoeffding_draws(cdf_effect, rates.alpha);
  record_value("forgetful", std::to_string(forgetful));
  record_value("missed_by_forgetful",
               format_significant(memoized<exact_miss_of_quarter_distribution>(forgetful), 2));
}
//! [DistributionCheckKeepsItsOdds: misses]
KILLS("the threshold is twice too large", {.p_value = stretched_distance<1, 4, 2>});
KILLS("misses are forgotten, so that far fewer draws are called enough",
      {.draws = [](double distance) { return hoeffding_draws(distance, rates.alpha); }});

/// pass_probability() over the rationals, in whole multiples of a common probability.
template <class Cumulative>
Rational rational_pass_probability(std::size_t n, const Rational& epsilon, Cumulative cumulative) {
  struct Point {
    Rational place;
    std::size_t least, most;
  };
  std::vector<Point> points{{1, n, n}};
  for (std::size_t i = 1; i <= n; ++i) {
    points.push_back({cumulative(std::max<Rational>(0, Rational(i, n) - epsilon)), 0, i - 1});
    points.push_back({cumulative(std::min<Rational>(1, Rational(i - 1, n) + epsilon)), i, n});
  }
  std::sort(points.begin(), points.end(),
            [](const Point& a, const Point& b) { return a.place < b.place; });
  Integer unit = 1;
  for (const Point& point : points) unit = lcm(unit, denominator(point.place));
  std::vector<std::vector<Integer>> choose;
  for (std::size_t m = 0; m <= n; ++m) choose.push_back(binomial_coefficients(m));
  std::vector<Integer> reached(n + 1, 0);  // ways to have so many draws up to this place
  reached[0] = 1;
  Rational place = 0;
  for (const Point& point : points) {
    std::vector<Integer> next(n + 1, 0);
    const Integer step(numerator(Rational((point.place - place) * unit)));
    std::vector<Integer> powers{1};
    for (std::size_t k = 0; k < n; ++k) powers.push_back(powers.back() * step);
    for (std::size_t i = 0; i <= n; ++i)
      for (std::size_t k = 0; reached[i] != 0 && i + k <= point.most; ++k)
        if (i + k >= point.least) next[i + k] += reached[i] * choose[n - i][k] * powers[k];
    reached = next;
    place = point.place;
  }
  return Rational(reached[n], boost::multiprecision::pow(unit, static_cast<unsigned>(n)));
}

/// The misses of a check with n draws of a bent distribution if it passes distances below a threshold.
/// \param threshold in multiples of 2⁻¹⁰.
Rational rational_miss(std::size_t n, int threshold, const Rational& where,
                       const Rational& distance) {
  return rational_pass_probability(
      n, Rational(threshold, 1 << 10), [&](const Rational& x) -> Rational {
        return x <= where ? x * (where + distance) / where
                          : 1 - (1 - x) * (1 - where - distance) / (1 - where);
      });
}

//! [DistributionCheckKeepsItsOdds: the bound on misses]
STATEMENT(DistributionCheckKeepsItsOdds, TheBoundOnMissesIsAboveTheExactOnes) {
  for (const std::size_t n : {20U, 60U, 144U}) {
    // The least multiple of 2⁻¹⁰ that is rejected: what passes is below it.
    int threshold = 0;
    const auto passes = [&] {
      // exact: so the library decides, whatever it rounds
      return subject.p_value(std::ldexp(threshold, -10), n) > rates.alpha;
    };
    while (threshold < 1 << 10 && passes()) ++threshold;
    bool all_are_below = true;
    for (const Rational& place : {Rational(1, 8), Rational(1, 4), Rational(1, 2)})
      for (const Rational& distance : {Rational(1, 8), Rational(1, 4), Rational(3, 8)}) {
        const bool is_below = memoized<rational_miss>(n, threshold, place, distance) <=
                              Rational(subject.type_ii_error(n, static_cast<double>(distance)));
        EXPECT_EXACTLY(is_below) << n << " draws, " << distance;
        all_are_below = all_are_below && is_below;
        enumerated(1);
      }
    if (!all_are_below) return;  // more draws take longer
  }
}
//! [DistributionCheckKeepsItsOdds: the bound on misses]
KILLS("the check rejects from α² on", {.p_value = [](double distance, auto n) {
        return std::sqrt(cdf_check.p_value(distance, n));
      }});
KILLS("Hoeffding's exponent is doubled", {.type_ii_error = [](auto n, double distance) {
        const double once = cdf_check.type_ii_error(n, rates.alpha, distance);
        return once * once;
      }});
KILLS("the check's own threshold is left out of its misses",
      {.type_ii_error = [](auto n, double distance) {
        return std::exp(-2 * static_cast<double>(n) * distance * distance);
      }});

/// 2e^(−2nε²).
/// \param distance 256ε.
Interval<Rational> stated_bound(int n, int distance) {
  const Interval<Rational> half = exp_enclosure(Rational(-2 * n * distance * distance, 1 << 16));
  return {2 * half.lower, 2 * half.upper};
}

//! [DistributionCheckKeepsItsOdds: decisions]
STATEMENT(DistributionCheckKeepsItsOdds, RejectsIfTheBoundIsAtMostAlpha) {
  // None of these distances is as near to a threshold as a rounding.
  for (const int n : {1, 2, 5, 20, 60, 144, 1000})
    for (int distance = 0; distance <= 256; ++distance)
      for (const int halvings : {1, 6, 20}) {
        const Rational p(subject.p_value(distance / 256.0, static_cast<std::size_t>(n)));
        const Rational alpha(1, 1 << halvings);
        const Interval<Rational> bound = memoized<stated_bound>(n, distance);
        const auto where = std::to_string(n) + " draws, " + std::to_string(distance) + "/256";
        EXPECT_EXACTLY((p <= alpha) == (bound.upper <= alpha)) << where;
        EXPECT_EXACTLY((p <= alpha) == (bound.lower <= alpha)) << where;
        enumerated(1);
      }
}
//! [DistributionCheckKeepsItsOdds: decisions]
KILLS("nothing is rejected", {.p_value = [](double, auto) { return 1.0; }});
KILLS("the two sides are counted twice", {.p_value = stretched_distance<1, 1, 4>});

//! [DistributionCheckKeepsItsOdds: exact check]
STATEMENT(DistributionCheckKeepsItsOdds, TheBoundIsAboveTheExactDistribution) {
  std::vector<std::pair<std::pair<int, int>, Rational>> exact;
  for (int n = 1; n <= 6; ++n)
    for (int tenths = 1; tenths < 10; ++tenths)
      exact.push_back({{n, tenths}, 1 - kolmogorov_cdf<Rational>(n, Rational(tenths / 10.0))});
  const Rational published = kolmogorov_cdf<Rational>(10, Rational(274, 1000));
  EXPECT_EXACTLY(kolmogorov_cdf<Rational>(1, Rational(3, 4)) == Rational(1, 2));
  for (const auto& [place, tail] : exact) {
    const auto [n, tenths] = place;
    EXPECT_EXACTLY(tail <= Rational(subject.p_value(tenths / 10.0, static_cast<std::size_t>(n))))
        << "n = " << n << ", distance " << tenths << "/10";
    enumerated(1);
  }
  const Interval<Rational> printed = parse_printed("0.6284796154565");
  EXPECT_EXACTLY((printed.lower <= published && published <= printed.upper));
}
//! [DistributionCheckKeepsItsOdds: exact check]
KILLS("the threshold is √2 too small", {.p_value = stretched_distance<2, 1, 2>});
KILLS("the two sides are not both counted", {.p_value = stretched_distance<1, 1, 1>});

/// The largest gap between Fₙ and the uniform distribution, for draws in multiples of 1/m.
Rational largest_gap(const std::vector<int>& draws, int m) {
  const auto n = static_cast<int>(draws.size());
  int largest = 0;  // times n m
  for (int x = 0; x <= m; ++x) {
    const auto up_to = std::count_if(draws.begin(), draws.end(), [x](int y) { return y <= x; });
    const auto below = std::count_if(draws.begin(), draws.end(), [x](int y) { return y < x; });
    for (const auto count : {up_to, below})
      largest = std::max(largest, std::abs(static_cast<int>(count) * m - x * n));
  }
  return Rational(largest, n * m);
}

/// The largest gap on one side of the steps only.
template <bool after>
double one_sided(const Sample& sample) {
  Sample sorted = sample;
  std::sort(sorted.begin(), sorted.end());
  double distance = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const double step = static_cast<double>(after ? i + 1 : i) / static_cast<double>(sorted.size());
    distance = std::max(distance, after ? step - sorted[i] : sorted[i] - step);
  }
  return distance;
}

//! [DistributionCheckKeepsItsOdds]
STATEMENT(DistributionCheckKeepsItsOdds, TheDistanceIsTheLargestGap) {
  // The numbers of draws are powers of two, so that nothing is rounded.
  const auto check = [&](const std::vector<int>& draws, int m) {
    Sample sample;
    for (const int draw : draws) sample.push_back(static_cast<double>(draw) / m);
    EXPECT_EXACTLY(Rational(subject.statistic(sample)) == largest_gap(draws, m));
  };
  for (int code = 0; code < 6561; ++code) {
    std::vector<int> draws;
    for (int rest = code, i = 0; i < 4; ++i, rest /= 9) draws.push_back(rest % 9);
    check(draws, 8);
    enumerated(1);
  }
  for_all([&] {
    const auto n = std::size_t{1} << *rc::gen::inRange(0, 6).as("log₂ of the number of draws");
    check(*rc::gen::container<std::vector<int>>(n, rc::gen::inRange(0, 65)).as("64 times them"),
          64);
  });
}
//! [DistributionCheckKeepsItsOdds]
KILLS("only gaps after a step count", {.statistic = one_sided<true>});
KILLS("only gaps before a step count", {.statistic = one_sided<false>});

/// As the library once did: a gap that does not compare is passed over.
double p_value_over_what_compares(double (*cumulative)(double), const Sample& sample) {
  Sample sorted = sample;
  std::sort(sorted.begin(), sorted.end());
  double distance = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const double f = cumulative(sorted[i]);
    const double step = 1 / static_cast<double>(sorted.size());
    const auto before = static_cast<double>(i) * step;
    distance = std::max({distance, before + step - f, f - before});
  }
  return cdf_check.p_value(distance, sample.size());
}

ASIDE(DistributionCheckKeepsItsOdds, AValueThatIsNoProbabilityIsRefused) {
  const Sample sample = {0.75, 0.5, 0.25};
  const auto refuses = [&](double (*cumulative)(double), const char* message) {
    expect_refusal<std::domain_error>([&] { return subject.own(cumulative, sample); }, message);
  };
  refuses([](double) { return std::nan(""); },
          "the distribution function of mine is nan at 0.25, but must be from 0 to 1");
  refuses([](double x) { return x < 0.6 ? x : std::nan(""); },
          "the distribution function of mine is nan at 0.75, but must be from 0 to 1");
  refuses([](double x) { return 2 * x; },
          "the distribution function of mine is 1.5 at 0.75, but must be from 0 to 1");
  refuses([](double x) { return x - 0.5; },
          "the distribution function of mine is -0.25 at 0.25, but must be from 0 to 1");
}
KILLS("a value of F that is not a number is passed over", {.own = p_value_over_what_compares});

/// The distribution of a constant, 0.
struct Constant {};
inline double cdf(const Constant&, double x) { return x < 0 ? 0 : 1; }

ASIDE(DistributionCheckKeepsItsOdds, ADistributionWithAnAtomIsRejectedAlthoughItIsTrue) {
  const double distance = CdfCheck(Constant(), "0").statistic(Sample(4, 0.0));
  EXPECT_EXACTLY(Rational(subject.p_value(distance, 4)) <= Rational(rates.alpha));
  enumerated(1);
  counterexample_without("continuous");
}
KILLS("the largest distance is forgiven", {.p_value = [](double distance, auto n) {
        return distance == 1 ? 1 : cdf_check.p_value(distance, n);
      }});

ASIDE(DistributionCheckKeepsItsOdds, CopiesOfOneDrawBreakTheOdds) {
  for (int i = 0; i <= 64; ++i) {
    const Sample copies(4, i / 64.0);
    EXPECT_EXACTLY(Rational(subject.p_value(subject.statistic(copies), 4)) <= Rational(1, 2))
        << copies.front();
  }
  enumerated(65);
  counterexample_without("independent");
}
KILLS("distances below three quarters are forgiven", {.p_value = [](double distance, auto n) {
        return distance < 0.75 ? 1 : cdf_check.p_value(distance, n);
      }});

}  // namespace sqrtdk::properties::DistributionCheckKeepsItsOdds
