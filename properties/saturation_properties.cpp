// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/jacobian_error.hpp>
#include <sqrtdk/moments.hpp>
#include <sqrtdk/saturation.hpp>
#include <sqrtdk/softmax.hpp>
#include <sqrtdk/softmax_examples.hpp>
#include <sqrtdk/softmax_jacobian.hpp>
#include <sqrtdk/softmax_jacobian_means.hpp>
#include <sqrtdk/temperature.hpp>
#include <sqrtdk/testing/expect_draws.hpp>
#include <sqrtdk/testing/generators/rational_distributions.hpp>
#include <sqrtdk/testing/laws/wide.hpp>
#include <sqrtdk/testing/memoized.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/expect_near.hpp>
#include <sqrtdk/testing/reporting/figure_data.hpp>
#include <sqrtdk/testing/reporting/printed.hpp>
#include <sqrtdk/testing/statistics/number_text.hpp>

#include <boost/math/constants/constants.hpp>
#include <boost/math/differentiation/autodiff.hpp>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/special_functions/bessel.hpp>
#include <boost/random/normal_distribution.hpp>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace {

using namespace sqrtdk;
using namespace sqrtdk::testing;
namespace autodiff = boost::math::differentiation;
namespace constants = boost::math::constants;

template <class Scalar>
using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
using Index = Eigen::Index;
using Bounds = Interval<double>;

Vector<double> library_row(double d, Index n, Stream& stream) {
  return sample_score_row(d, n, stream);
}

Vector<double> library_weights(const Vector<double>& scores, double temperature) {
  return softmax(scores, temperature);
}

/// A law of the weights of a row, and one of two rows at once.
using Row = std::vector<Rational>;
using RowLaw = FiniteDistribution<Row>;
using TwoRowsLaw = FiniteDistribution<std::pair<Row, Row>>;

/// The enclosure with the usual number of cells.
Bounds shared_query(double n, double d, double temperature) {
  return shared_query_squared_weights(n, d, temperature);
}

/// What this chapter's laws judge.
struct Saturations {
  Vector<double> (*row)(double, Index, Stream&) = library_row;
  Vector<double> (*weights)(const Vector<double>&, double) = library_weights;
  double (*gap_tail)(std::size_t, double) = [](std::size_t n, double gap) {
    return remembered<top_gap_tail>(n, gap);
  };
  double (*small_gap)(std::size_t, double, double) = [](std::size_t n, double b, double gap) {
    return remembered<small_gap_bound>(n, b, gap);
  };
  Bounds (*dominance)(std::size_t, double, double) = [](std::size_t n, double b, double level) {
    return remembered<dominance_bounds>(n, b, level);
  };
  double (*two_key_dominance)(double, double) = sqrtdk::two_key_dominance;
  double (*squares)(double, double) = [](double n, double b) {
    return remembered<mean_squared_weights>(n, b);
  };
  double (*largest_weight)(std::size_t, double) = [](std::size_t n, double b) {
    return remembered<mean_largest_weight>(n, b);
  };
  double mean_bound = mean_error_bound;
  double (*log_sum)(double, double) = [](double n, double b) {
    return remembered<mean_log_sum>(n, b);
  };
  double (*entropy)(double, double) = [](double n, double b) {
    return remembered<mean_entropy>(n, b);
  };
  double (*positions)(double, double) = [](double n, double b) {
    return remembered<effective_positions>(n, b);
  };
  Bounds (*shared)(double, double, double) = [](double n, double d, double temperature) {
    return remembered<shared_query>(n, d, temperature);
  };
  Bounds (*squares_bounds)(std::size_t, double) = [](std::size_t n, double b) {
    return remembered<squared_weights_bounds>(n, b);
  };
  double (*entropy_at_least)(double, double) = sqrtdk::entropy_at_least;
  double (*entropy_constant)(std::size_t) = [](std::size_t n) {
    return remembered<sqrtdk::entropy_constant>(n);
  };
  Bounds (*entropy_bounds)(std::size_t, double) = [](std::size_t n, double b) {
    return remembered<sqrtdk::entropy_bounds>(n, b);
  };
  Interval<Wide> (*from_gaps)(const Vector<Wide>&) = [](const Vector<Wide>& s) {
    return entropy_from_gaps(s);
  };
  double (*pair_entropy)(double) = [](double gap) { return two_key_entropy(gap); };
  double (*raised_double)(std::size_t, double) = [](std::size_t n, double r) {
    return outlier_weight(n, r);
  };
  Rational (*raised)(std::size_t, const Rational&) = outlier_weight<Rational>;
  Rational (*derivative)(std::size_t, const Rational&,
                         unsigned) = outlier_weight_derivative<Rational>;
  Rational (*ratio)(std::size_t, const Rational&) = required_ratio;
  double (*critical_stddev)(double) = sqrtdk::critical_stddev;
  double (*critical_count)(double) = sqrtdk::critical_count;
  double (*condensed)(double, double) = condensed_fraction;
  double (*energy_limit)(double, double) = free_energy_limit;
  double (*energy_deficit)(double, double, double) = free_energy_deficit;
  Bounds (*condensation)(double, double, double) = condensation_bounds;
  double (*impact)(double, double, double) = [](double n, double d, double deviation) {
    return remembered<scaling_impact>(n, d, deviation);
  };
  double (*log_match)(double, double, double) = [](double n, double b, double match) {
    return remembered<mean_log_match>(n, b, match);
  };
  Bounds (*match_bounds)(double, double, double) = [](double n, double b, double match) {
    return remembered<log_match_bounds>(n, b, match);
  };
  Rational (*output_variance)(const RowLaw&) = sqrtdk::output_variance;
  Rational (*output_covariance)(const TwoRowsLaw&) = sqrtdk::output_covariance;
  double (*correlation)(double, double) = output_correlation;
  double (*variance_at_least)(double, double) = output_variance_at_least;
  Bounds (*fine_shared)(double, double, double) = [](double n, double d, double temperature) {
    return remembered<shared_query_squared_weights>(n, d, temperature, 512);
  };
  double (*scaled_price)(double) = sqrtdk::scaled_price;
  double (*shared_key_factor)(double) = sqrtdk::shared_key_factor;
  Rational (*causal)(std::size_t) = causal_output_variance;
};

using Mutants = std::vector<Mutant<Saturations>>;

constexpr std::size_t key_counts[] = {2, 3, 5, 64, 512, 4096};
constexpr double spreads[] = {0.5, 1, 2, 4, 8};
const Odds usual_odds{0x1p-30, 0x1p-30};

/// Expects that a number lies between two others, each known up to an error.
void expect_within(double value, const Bounds& bounds, double error, const std::string& where) {
  EXPECT_LE(bounds.lower, value + error) << where;
  EXPECT_LE(value, bounds.upper + error) << where;
}

std::string at(double n, double spread) {
  return digits(n, 4) + " keys, spread " + digits(spread, 4);
}

double largest(std::size_t n) { return remembered<expected_maximum>(n); }

// ------------------------------------------------------------------------------------- Simulations

/// The interval of Maurer and Pontil for the mean of independent numbers from 0 to 1, whatever
/// their law, at the α of the ledger.
ConfidenceInterval mean_interval(const std::vector<double>& sample) {
  return report_interval(
      sample.size(), [&](double alpha) { return sqrtdk::testing::mean_interval(sample, alpha); });
}

/// The interval of Clopper and Pearson for a probability, at the α of the ledger.
ConfidenceInterval count_interval(const Count& count) {
  return report_interval(count.trials,
                         [&](double alpha) { return frequency_interval(count, alpha); });
}

void publish_interval(const std::string& name, const ConfidenceInterval& interval, int places) {
  publish(name, fixed(interval.estimate, places));
  publish(name + "_low", rounded_down(interval.lower, places));
  publish(name + "_high", rounded_up(interval.upper, places));
}

/// What is seen of many rows of weights.
struct Seen {
  std::vector<double> largest;  ///< p_max
  std::vector<double> squares;  ///< Σp²
  std::vector<double> entropy;  ///< H/ln n
  std::vector<double> gap;      ///< between the two largest scores, before the division
};

/// How rows of scores are drawn: independent N(0, d), or with a query that they share.
using Drawing = Vector<double> (*)(double d, Index n, Stream& stream);

Vector<double> independent_row(double d, Index n, Stream& stream) {
  boost::random::normal_distribution<double> normal(0, std::sqrt(d));
  Vector<double> scores(n);
  for (double& score : scores) score = normal(stream);
  return scores;
}

Seen look(const Saturations& saturations, Drawing drawing, double d, Index n, double temperature,
          std::size_t rows) {
  Stream stream = next_stream();
  // What was seen depends on these alone: an implementation that differs elsewhere has seen it too.
  static std::map<std::tuple<std::uint64_t, Drawing, decltype(saturations.weights), double, Index,
                             double, std::size_t>,
                  Seen>
      known;
  Stream first = stream;
  Seen& seen = known[{first(), drawing, saturations.weights, d, n, temperature, rows}];
  if (!seen.largest.empty()) return seen;
  for (std::size_t i = 0; i < rows; ++i) {
    Vector<double> scores = drawing(d, n, stream);
    const Vector<double> p = saturations.weights(scores, temperature);
    Index top = 0;
    const double most = scores.maxCoeff(&top);
    // H = ln S + Σpᵢtᵢ with tᵢ = (max s − sᵢ)/τ and S = 1/p_max
    const double entropy =
        -std::log(p[top]) + p.dot((most - scores.array()).matrix()) / temperature;
    seen.largest.push_back(p.maxCoeff());
    seen.squares.push_back(p.squaredNorm());
    seen.entropy.push_back(entropy / std::log(static_cast<double>(n)));
    scores[top] = -std::numeric_limits<double>::infinity();
    seen.gap.push_back(most - scores.maxCoeff());
  }
  return seen;
}

Count count_above(const std::vector<double>& sample, double level) {
  return {static_cast<std::size_t>(
              std::count_if(sample.begin(), sample.end(), [&](double x) { return x > level; })),
          sample.size()};
}

/// As many rows as tell a probability of ½ from one that differs by 1/50, or by 1/20 for more keys,
/// which cost more.
std::size_t rows_for(Index n) {
  return sample_size(CountCheck(0.5), usual_odds, n < 100 ? 0.02 : 0.05);
}

/// Softmax at a wrong temperature.
template <int numerator, int denominator>
Vector<double> weights_at_wrong_temperature(const Vector<double>& s, double t) {
  return softmax(s, t * numerator / denominator);
}

// ------------------------------------------------------------------------------- OneScoreDominates

const Mutants dominates_mutants = {
    {"n keys are below the largest",
     "TheLawOfTheTopGapIsOneIntegral",
     {.gap_tail =
          [](std::size_t n, double g) {
            const double m = static_cast<double>(n);
            return remembered<top_gap_tail>(std::min<std::size_t>(n + 1, 4096), g) * m / (m + 1);
          }}},
    {"any key may be the largest, and is not counted",
     "TheLawOfTheTopGapIsOneIntegral",
     {.gap_tail =
          [](std::size_t n, double g) {
            return remembered<top_gap_tail>(n, g) / static_cast<double>(n);
          }}},
    {"half the gap",
     "TheLawOfTheTopGapIsOneIntegral",
     {.gap_tail = [](std::size_t n, double g) { return remembered<top_gap_tail>(n, g / 2); }}},
    {"the tail of half as many keys",
     "AtTheSizesOfRealHeadsItIsNotCertain",
     {.gap_tail =
          [](std::size_t n, double g) {
            return remembered<top_gap_tail>(std::max<std::size_t>(n / 2, 2), g);
          }}},
    {"the density of the largest is forgotten",
     "SmallGapsAreRareInProportion",
     {.small_gap = [](std::size_t, double b, double g) { return std::min(1.0, g / b / 2); }}},
    {"the spread is squared",
     "SmallGapsAreRareInProportion",
     {.small_gap = [](std::size_t n, double b,
                      double g) { return remembered<small_gap_bound>(n, b * b, g); }}},
    {"the bound is doubled",
     "SmallGapsAreRareInProportion",
     {.small_gap =
          [](std::size_t n, double b, double g) {
            return std::min(1.0, 2 * remembered<small_gap_bound>(n, b, g));
          }}},
    {"a probability above 1",
     "SmallGapsAreRareInProportion",
     {.small_gap = [](std::size_t n, double b, double g) { return g * largest(n) / b; }}},
    {"the gap has the variance of a score",
     "TwoKeysDominateByAnErrorFunction",
     {.two_key_dominance = [](double b,
                              double x) { return two_key_dominance(b / std::sqrt(2), x); }}},
    {"one tail only",
     "TwoKeysDominateByAnErrorFunction",
     {.two_key_dominance = [](double b, double x) { return two_key_dominance(b, x) / 2; }}},
    {"the temperature is doubled",
     "TwoKeysDominateByAnErrorFunction",
     {.weights = weights_at_wrong_temperature<2, 1>}},
    {"the other keys are forgotten",
     "ForFewKeysInALargeHeadItIsNearlyCertain",
     {.dominance =
          [](std::size_t n, double b, double x) {
            const Bounds right = remembered<dominance_bounds>(n, b, x);
            return Bounds{right.upper, right.upper};
          }}},
    {"the others are counted twice",
     "ForFewKeysInALargeHeadItIsNearlyCertain",
     {.dominance =
          [](std::size_t n, double b, double x) {
            const Bounds right = remembered<dominance_bounds>(n, b, x);
            const double gap = std::log(x / (1 - x)) + 2 * std::log(static_cast<double>(n - 1));
            return Bounds{remembered<top_gap_tail>(n, gap / b), right.upper};
          }}},
    {"the upper bound is certainty",
     "AmongManyKeysItIsUnlikely",
     {.dominance =
          [](std::size_t n, double b, double x) {
            return Bounds{remembered<dominance_bounds>(n, b, x).lower, 1};
          }}},
    {"the number of keys is ignored",
     "AmongManyKeysItIsUnlikely",
     {.dominance = [](std::size_t, double b,
                      double x) { return remembered<dominance_bounds>(std::size_t{2}, b, x); }}},
    {"all weight goes to the largest",
     "AtTheSizesOfRealHeadsItIsNotCertain",
     {.weights =
          [](const Vector<double>& s, double) {
            Index top = 0;
            s.maxCoeff(&top);
            return Vector<double>(Vector<double>::Unit(s.size(), top));
          }}},
    {"a negative gap is accepted",
     "RefusesWhatIsNoGapOrLevel",
     {.gap_tail = [](std::size_t n,
                     double g) { return g < 0 ? 1 : remembered<top_gap_tail>(n, g); }}},
    {"a level of one half is accepted",
     "RefusesWhatIsNoGapOrLevel",
     {.two_key_dominance = [](double b,
                              double x) { return x == 0.5 ? 1 : two_key_dominance(b, x); }}},
    {"a level of 1 is accepted",
     "RefusesWhatIsNoGapOrLevel",
     {.dominance =
          [](std::size_t n, double b, double x) {
            return x == 1 ? Bounds{0, 0} : remembered<dominance_bounds>(n, b, x);
          }}},
    {"a spread of 0 is accepted",
     "RefusesWhatIsNoGapOrLevel",
     {.small_gap = [](std::size_t n, double b,
                      double g) { return b == 0 ? 1 : remembered<small_gap_bound>(n, b, g); }}},
};

//! [OneScoreDominates: the top gap]
TEST(OneScoreDominates, TheLawOfTheTopGapIsOneIntegral) {
  judge(dominates_mutants, [](const Saturations& saturations) {
    evidence().weaken(Grade::bounded);
    of_the_statement();
    for (const double g : {0.0, 0.125, 1.0, 3.0})
      expect_near(saturations.gap_tail(2, g), std::erfc(g / 2), integral_error_bound,
                  "two keys, gap " + digits(g, 3));
    for (const std::size_t n : key_counts) {
      expect_near(saturations.gap_tail(n, 0), 1, integral_error_bound, std::to_string(n) + " keys");
      // The mean gap is n(E M − E M') with the largest of n and of n − 1; for the second largest of
      // n is the largest of n − 1 others unless the one that is left out is the largest. The tail
      // is convex, so that midpoints lie below and trapezoids above its integral.
      const double count = static_cast<double>(n);
      const double mean = count * (largest(n) - (n == 2 ? 0 : largest(n - 1)));
      constexpr double step = 0.5;
      double midpoints = 0, trapezoids = -step / 2 * saturations.gap_tail(n, 0);
      for (double g = 0; g < 10; g += step) {
        trapezoids += step * saturations.gap_tail(n, g);
        midpoints += step * saturations.gap_tail(n, g + step / 2);
      }
      const double error = 2 * (count + 10) * integral_error_bound;
      EXPECT_LE(midpoints, mean + error) << n << " keys";
      EXPECT_LE(mean, trapezoids + error) << n << " keys";
    }
    enumerated(4 + 2 * std::size(key_counts));
  });
}
//! [OneScoreDominates: the top gap]

TEST(OneScoreDominates, SmallGapsAreRareInProportion) {
  judge(dominates_mutants, [](const Saturations& saturations) {
    evidence().weaken(Grade::bounded);
    of_the_statement();
    for (const std::size_t n : key_counts)
      for (const double spread : {1.0, 8.0}) {
        for (const double gap : {0.03125, 0.5, 4.0, 32.0}) {
          const double bound = saturations.small_gap(n, spread, gap);
          const double probability = 1 - saturations.gap_tail(n, gap / spread);
          EXPECT_LE(probability, bound + 2 * integral_error_bound) << at(double(n), spread);
          EXPECT_LE(bound, 1) << at(double(n), spread);
        }
        // The density of the gap is at least E M − Kg − E M g²/4: nothing is given away at 0.
        const double g = 0x1p-20;
        const double m = static_cast<double>(n);
        const double K =
            m * (m - 1) * (m - 2) / (4 * constants::root_two<double>() * constants::pi<double>());
        if (n > 64) continue;  // K is too large for this gap
        EXPECT_GE(1 - saturations.gap_tail(n, g), saturations.small_gap(n, spread, g * spread) -
                                                      K * g * g / 2 - largest(n) * g * g * g / 12 -
                                                      2 * integral_error_bound)
            << at(m, spread);
      }
    enumerated(2 * 5 * std::size(key_counts));
  });
}

TEST(OneScoreDominates, TwoKeysDominateByAnErrorFunction) {
  judge(dominates_mutants, [](const Saturations& saturations) {
    for (const double spread : {1.0, 8.0, 32.0})
      for (const double level : {0.6, 0.9, 0.99}) {
        const double probability = saturations.two_key_dominance(spread, level);
        const Bounds bounds = saturations.dominance(2, spread, level);
        expect_near(bounds.lower, probability, 2 * integral_error_bound, at(2, spread));
        expect_near(bounds.upper, probability, 2 * integral_error_bound, at(2, spread));
      }
    expect_draws(CountCheck(saturations.two_key_dominance(8, 0.9)), {.effect = 0.05},
                 [&](Stream& stream) {
                   return saturations.weights(independent_row(64, 2, stream), 1).maxCoeff() > 0.9;
                 });
    publish("above_90", fixed(saturations.two_key_dominance(8, 0.9), 3));
    publish("above_99", fixed(saturations.two_key_dominance(8, 0.99), 3));
    publish("above_99_at_4096", fixed(saturations.two_key_dominance(64, 0.99), 3));
    enumerated(9);
  });
}

//! [OneScoreDominates]
TEST(OneScoreDominates, ForFewKeysInALargeHeadItIsNearlyCertain) {
  judge(dominates_mutants, [](const Saturations& saturations) {
    evidence().weaken(Grade::bounded);
    of_the_statement();
    for (const std::size_t n : {2U, 5U, 64U})
      for (const double level : {0.9, 0.99}) {
        double before = 0;
        for (const double d : {64.0, 4096.0, 262144.0, 16777216.0}) {
          const Bounds bounds = saturations.dominance(n, std::sqrt(d), level);
          const double others = static_cast<double>(n - 1);
          const double gap = std::log(others * level / (1 - level));
          EXPECT_GE(bounds.lower, before) << n << " keys, d = " << d;
          EXPECT_GE(bounds.lower + 2 * integral_error_bound,
                    1 - saturations.small_gap(n, std::sqrt(d), gap))
              << n << " keys, d = " << d;
          // A weight of x above n − 1 equal others takes this gap, and above a single one that.
          expect_near(bounds.lower, saturations.gap_tail(n, gap / std::sqrt(d)),
                      2 * integral_error_bound, "all others");
          expect_near(bounds.upper,
                      saturations.gap_tail(n, std::log(level / (1 - level)) / std::sqrt(d)),
                      2 * integral_error_bound, "one other");
          before = bounds.lower;
        }
        EXPECT_GT(before, 0.99) << n << " keys";
      }
    publish("least_of_5_at_4096", rounded_down(saturations.dominance(5, 64, 0.99).lower, 3));
    publish("least_of_5_at_million", rounded_down(saturations.dominance(5, 1024, 0.99).lower, 3));
    enumerated(24);
  });
}
//! [OneScoreDominates]

TEST(OneScoreDominates, AtTheSizesOfRealHeadsItIsNotCertain) {
  judge(dominates_mutants, [](const Saturations& saturations) {
    for (const Index n : {5, 512}) {
      const auto count = static_cast<std::size_t>(n);
      const Seen seen = look(saturations, independent_row, 64, n, 1, rows_for(n));
      // The gap ln 9 is what a weight of 90 % takes against a single rival.
      const double gap = std::log(9);
      expect_sample(CountCheck(saturations.gap_tail(count, gap / 8)), count_above(seen.gap, gap));
      for (const int percent : {90, 99}) {
        const ConfidenceInterval share = count_interval(count_above(seen.largest, percent / 100.0));
        const Bounds bounds = saturations.dominance(count, 8, percent / 100.0);
        const std::string which = std::to_string(percent) + "_of_" + std::to_string(n);
        EXPECT_LE(bounds.lower, share.upper) << which;
        EXPECT_LE(share.lower, bounds.upper) << which;
        publish_interval("above_" + which, share, 2);
        publish("least_" + which, rounded_down(bounds.lower, 2));
        publish("greatest_" + which, rounded_up(bounds.upper, 2));
        EXPECT_LT(bounds.upper, 0.8) << "almost certain? " << which;
      }
    }
  });
}

TEST(OneScoreDominates, AmongManyKeysItIsUnlikely) {
  judge(dominates_mutants, [](const Saturations& saturations) {
    evidence().weaken(Grade::bounded);
    of_the_statement();
    // d = 64: even the upper bound of the probability is below one half, and falls.
    double before = 1;
    for (const std::size_t n : {5U, 64U, 512U, 4096U}) {
      const double greatest = saturations.dominance(n, 8, 0.9).upper;
      EXPECT_LT(greatest, before - 2 * integral_error_bound) << n << " keys";
      before = greatest;
      publish("at_most_of_" + std::to_string(n), rounded_up(greatest, 2));
    }
    EXPECT_LT(saturations.dominance(512, 8, 0.9).upper, 0.5 - integral_error_bound);
    EXPECT_LT(saturations.dominance(512, 8, 0.99).upper, 0.2);
    enumerated(6);
    counterexample_without("head large for the number of keys");
    left_out_by("S1", "head large for the number of keys");
  });
}

TEST(OneScoreDominates, RefusesWhatIsNoGapOrLevel) {
  judge(dominates_mutants, [](const Saturations& saturations) {
    EXPECT_THROW(saturations.gap_tail(5, -0.5), std::domain_error);
    EXPECT_THROW(saturations.gap_tail(1, 1), std::domain_error);
    EXPECT_THROW(saturations.gap_tail(most_integrable_keys + 1, 1), std::domain_error);
    EXPECT_THROW(saturations.small_gap(5, 0, 1), std::domain_error);
    EXPECT_THROW(saturations.small_gap(5, 1, -1), std::domain_error);
    EXPECT_THROW(saturations.dominance(5, 1, 1), std::domain_error);
    EXPECT_THROW(saturations.dominance(5, 0, 0.9), std::domain_error);
    EXPECT_THROW(saturations.two_key_dominance(1, 0.5), std::domain_error);
    EXPECT_THROW(saturations.two_key_dominance(-1, 0.9), std::domain_error);
  });
}

// ------------------------------------------------------------------------------- UnscaledSaturates

/// The law of ¼Σsⱼ² for the two scores of one query in two dimensions: a product of two independent
/// exponential variables.
struct ProductOfExponentials {};

double cdf(const ProductOfExponentials&, double x) {
  if (x <= 0) return 0;
  const double root = 2 * std::sqrt(x);
  return 1 - root * boost::math::cyl_bessel_k(1, root);
}

/// How many random numbers were taken from a stream since it was at `begin`, if fewer than `most`.
std::size_t numbers_taken(Stream begin, Stream now, std::size_t most) {
  const auto next = now();
  for (std::size_t taken = 0; taken < most; ++taken)
    if (begin() == next) return taken;
  return most;
}

const Mutants saturates_mutants = {
    {"the largest of one key fewer",
     "TheMeanOfTheLargestWeightIsAnIntegral",
     {.largest_weight =
          [](std::size_t n, double b) {
            return remembered<mean_largest_weight>(std::max<std::size_t>(n - 1, 2), b);
          }}},
    {"the root of the mean of the squares",
     "TheMeanOfTheLargestWeightIsAnIntegral",
     {.largest_weight =
          [](std::size_t n, double b) {
            return std::sqrt(remembered<mean_squared_weights>(double(n), b));
          }}},
    {"the mean of the squares",
     "AtSixtyFourDimensionsFewKeysTakeTheWeight",
     {.largest_weight = [](std::size_t n,
                           double b) { return remembered<mean_squared_weights>(double(n), b); }}},
    {"a million keys are accepted",
     "RefusesWhatItCannotIntegrate",
     {.largest_weight =
          [](std::size_t n, double b) {
            return remembered<mean_largest_weight>(std::min(n, most_integrable_keys), b);
          }}},
    {"means may be off by twice as much",
     "TheErrorBoundIsThatOfThePage",
     {.mean_bound = 2 * mean_error_bound}},
    {"means may be off by half as much",
     "TheErrorBoundIsThatOfThePage",
     {.mean_bound = mean_error_bound / 2}},
    {"the sum of squares of one key more",
     "TheMeanOfTheSquaresIsTheOneOfTheGradient",
     {.squares = [](double n, double b) { return remembered<mean_squared_weights>(n + 1, b); }}},
    {"the sum of squares is not multiplied by n",
     "TheMeanOfTheSquaresIsTheOneOfTheGradient",
     {.squares = [](double n, double b) { return remembered<mean_squared_weights>(n, b) / n; }}},
    {"the spread is halved",
     "TheMeanOfTheSquaresIsTheOneOfTheGradient",
     {.squares =
          [](double n, double b) {
            return remembered<mean_squared_weights>(n, std::max(b / 2, 0.5));
          }}},
    {"the largest is taken for its square",
     "TheLargestWeightIsBracketed",
     {.squares_bounds =
          [](std::size_t n, double b) {
            const Bounds right = remembered<squared_weights_bounds>(n, b);
            return Bounds{std::sqrt(right.lower), right.upper};
          }}},
    {"ln n is forgotten",
     "TheLargestWeightIsBracketed",
     {.squares_bounds =
          [](std::size_t n, double b) {
            const Bounds right = remembered<squared_weights_bounds>(n, b);
            return Bounds{right.lower, right.lower};
          }}},
    {"1/n is forgotten",
     "TheLargestWeightIsBracketed",
     {.squares_bounds =
          [](std::size_t n, double b) {
            return Bounds{1 - largest(n) / b, remembered<squared_weights_bounds>(n, b).upper};
          }}},
    {"the entropy takes β for its square",
     "TheEntropyHasTwoRoutes",
     {.entropy =
          [](double n, double b) {
            return remembered<mean_log_sum>(n, b) -
                   b * (1 - remembered<mean_squared_weights>(n, b));
          }}},
    {"the entropy is the free energy",
     "TheEntropyHasTwoRoutes",
     {.entropy = [](double n, double b) { return remembered<mean_log_sum>(n, b); }}},
    {"the free energy misses a key",
     "TheEntropyHasTwoRoutes",
     {.log_sum = [](double n,
                    double b) { return remembered<mean_log_sum>(std::max(n - 1, 1.0), b); }}},
    {"every key has its own query",
     "ARowOfScoresFollowsItsLaw",
     {.row =
          [](double d, Index n, Stream& stream) {
            Vector<double> row(n);
            for (double& score : row) score = sample_score_row(d, 1, stream)[0];
            return row;
          }}},
    {"independent normal scores", "ARowOfScoresFollowsItsLaw", {.row = independent_row}},
    {"one degree of freedom more",
     "ARowOfScoresFollowsItsLaw",
     {.row = [](double d, Index n,
                Stream& stream) { return Vector<double>(sample_score_row(d + 1, n, stream)); }}},
    {"the scores are scaled already",
     "ARowOfScoresFollowsItsLaw",
     {.row = [](double d, Index n, Stream& stream) -> Vector<double> {
       return independent_row(d, n, stream) / std::sqrt(d);
     }}},
    {"the query's vector is drawn",
     "ARowCostsTheSameInEveryDimension",
     {.row =
          [](double d, Index n, Stream& stream) {
            for (double i = 0; i < std::min(d, 4096.0); ++i) uniform(stream);
            return library_row(d, n, stream);
          }}},
    {"the shared query is ignored",
     "SharingAQueryMattersLittle",
     {.shared =
          [](double n, double d, double t) {
            const double f = remembered<mean_squared_weights>(n, std::sqrt(d) / t);
            return Bounds{f, f};
          }}},
    {"what lies outside the cells is forgotten",
     "SharingAQueryMattersLittle",
     {.shared =
          [](double n, double d, double t) {
            const Bounds right = remembered<shared_query>(n, d, t);
            return Bounds{right.lower / 2, right.upper / 2};
          }}},
    {"the rounded root of 8 is out of range",
     "SharingAQueryMattersLittle",
     {.shared =
          [](double n, double d, double t) {
            if (t * t > d) throw std::domain_error("above the root of the dimension");
            return remembered<shared_query>(n, d, t);
          }}},
    {"a probability beyond 1",
     "SharingAQueryMattersLittle",
     {.shared =
          [](double n, double d, double t) {
            const Bounds right = remembered<shared_query>(n, d, t);
            return Bounds{right.lower, right.upper + mean_error_bound};
          }}},
    {"the temperature is ignored",
     "AtSixtyFourDimensionsFewKeysTakeTheWeight",
     {.weights = weights_at_wrong_temperature<8, 1>}},
    {"a spread of 65 is accepted",
     "RefusesWhatItCannotIntegrate",
     {.squares = [](double n,
                    double b) { return remembered<mean_squared_weights>(n, std::min(b, 64.0)); }}},
    {"no keys are accepted",
     "RefusesWhatItCannotIntegrate",
     {.entropy = [](double n, double b) { return remembered<mean_entropy>(std::max(n, 1.0), b); }}},
    {"a dimension of 0 is accepted",
     "RefusesWhatItCannotIntegrate",
     {.row = [](double d, Index n,
                Stream& stream) { return library_row(std::max(d, 1.0), n, stream); }}},
    {"a temperature above the root is accepted",
     "RefusesWhatItCannotIntegrate",
     {.shared =
          [](double n, double d, double t) {
            return remembered<shared_query>(n, d, std::min(t, std::sqrt(d)));
          }}},
};

//! [UnscaledSaturates: second route]
TEST(UnscaledSaturates, TheMeanOfTheSquaresIsTheOneOfTheGradient) {
  judge(saturates_mutants, [](const Saturations& saturations) {
    evidence().weaken(Grade::bounded);
    of_the_statement();
    for (const double spread : spreads) {
      expect_near(saturations.squares(1, spread), 1, mean_error_bound, at(1, spread));
      // E tr J = 1 − E Σp², from integrals that round elsewhere; for two keys also from the two-key
      // gradient, whose norm is the trace.
      for (const std::size_t n : key_counts)
        expect_near(saturations.squares(double(n), spread),
                    1 - remembered<mean_jacobian_trace>(n, spread),
                    mean_error_bound + integral_error_bound, at(double(n), spread));
      expect_near(saturations.squares(2, spread), 1 - two_key_mean_norm(spread * spread, 1.0),
                  mean_error_bound + two_key_error_bound<double>(), at(2, spread));
    }
    enumerated(std::size(spreads) * (2 + std::size(key_counts)));
  });
}
//! [UnscaledSaturates: second route]

/// The integral over a gap from 0 to 20, in 40 panels of a rule of 15 points: good to 2⁻³² for what
/// is integrated here, at spreads up to 8.
template <class Function>
double over_gaps(Function function) {
  double sum = 0;
  for (int i = 0; i < 40; ++i)
    sum += boost::math::quadrature::gauss<double, 15>::integrate(function, i / 2.0, (i + 1) / 2.0);
  return sum;
}

/// E max p of two keys, by the gap a below the largest and its density.
double largest_of_two(double spread) {
  return over_gaps([&](double a) {
    return std::exp(-a * a / 4) / constants::root_pi<double>() / (1 + std::exp(-spread * a));
  });
}

/// E max p of three keys, by the gaps a and b below the largest and their density.
double largest_of_three(double spread) {
  return over_gaps([&](double a) {
    return over_gaps([&](double b) {
      return constants::root_three<double>() / constants::two_pi<double>() *
             std::exp((a * b - a * a - b * b) / 3) /
             (1 + std::exp(-spread * a) + std::exp(-spread * b));
    });
  });
}

//! [UnscaledSaturates: second route to the largest]
TEST(UnscaledSaturates, TheMeanOfTheLargestWeightIsAnIntegral) {
  judge(saturates_mutants, [](const Saturations& saturations) {
    evidence().weaken(Grade::bounded);
    of_the_statement();
    for (const double spread : spreads) {
      expect_near(saturations.largest_weight(2, spread), remembered<largest_of_two>(spread),
                  2 * integral_error_bound, at(2, spread));
      expect_near(saturations.largest_weight(3, spread), remembered<largest_of_three>(spread),
                  2 * integral_error_bound, at(3, spread));
      for (const std::size_t n : key_counts) {
        // Between Σp² and its root.
        const double squares = saturations.squares(double(n), spread);
        const double largest = saturations.largest_weight(n, spread);
        EXPECT_LE(squares, largest + integral_error_bound + mean_error_bound)
            << at(double(n), spread);
        EXPECT_LE(largest, std::sqrt(squares) + 2 * integral_error_bound) << at(double(n), spread);
      }
    }
    enumerated(std::size(spreads) * (2 + std::size(key_counts)));
  });
}
//! [UnscaledSaturates: second route to the largest]

TEST(UnscaledSaturates, TheErrorBoundIsThatOfThePage) {
  judge(saturates_mutants, [](const Saturations& saturations) {
    // 64 u at each v, over the longest range of v, that of most keys and the largest spread: from
    // where Σe^(βZ + v) is below e^(−40) to v = 5.
    constexpr double u = std::numeric_limits<double>::epsilon() / 2;
    const double log_count = std::log(most_condensing_keys);
    const double range = 40 + (9 + std::sqrt(2 * log_count)) * 64 + log_count + 5;
    EXPECT_EQ(saturations.mean_bound, std::exp2(std::ceil(std::log2(64 * u * range))))
        << "the least power of two that is not below " << 64 * u * range;
    publish("range", rounded_up(range, 0));
    enumerated(1);
  });
}

TEST(UnscaledSaturates, TheLargestWeightIsBracketed) {
  judge(saturates_mutants, [](const Saturations& saturations) {
    evidence().weaken(Grade::bounded);
    of_the_statement();
    for (const std::size_t n : key_counts)
      for (const double spread : spreads) {
        const Bounds bounds = saturations.squares_bounds(n, spread);
        const double squares = saturations.squares(double(n), spread);
        expect_within(squares, bounds, 2 * (1 + 1 / spread) * integral_error_bound,
                      at(double(n), spread));
        EXPECT_GE(bounds.lower + 0x1p-52, 1 / double(n)) << at(double(n), spread);
      }
    // Per draw, Σp² ≤ p_max ≤ √Σp².
    for_all([&] {
      const auto s =
          *rc::gen::container<std::vector<int>>(6, rc::gen::inRange(-99, 99)).as("scores");
      Vector<Rational> w(6);
      for (Index i = 0; i < 6; ++i) w[i] = 1 + abs(s[static_cast<std::size_t>(i)]);
      const Vector<Rational> p = normalized_weights(w);
      RC_ASSERT(p.squaredNorm() <= p.maxCoeff());
      RC_ASSERT(p.maxCoeff() * p.maxCoeff() <= p.squaredNorm());
    });
  });
}

TEST(UnscaledSaturates, TheEntropyHasTwoRoutes) {
  judge(saturates_mutants, [](const Saturations& saturations) {
    evidence().weaken(Grade::bounded);
    of_the_statement();
    for (const std::size_t n : key_counts)
      for (const double spread : spreads) {
        // H = ln Σe^(βZ) − β ΣZp
        const double direct = saturations.log_sum(double(n), spread) -
                              spread * remembered<mean_attended_score>(n, spread);
        expect_near(saturations.entropy(double(n), spread), direct,
                    (2 + spread * spread) * mean_error_bound + spread * integral_error_bound,
                    at(double(n), spread));
      }
    enumerated(std::size(key_counts) * std::size(spreads));
  });
}

TEST(UnscaledSaturates, ARowCostsTheSameInEveryDimension) {
  judge(saturates_mutants, [](const Saturations& saturations) {
    evidence().weaken(Grade::empirical);
    constexpr std::size_t rows = 1000;
    for (const double d : {4.0, 64.0, 4096.0, 1e9}) {
      // The same stream in every run: how much a row takes is random, and would have no bound.
      const Stream begin = stream_of(1, digits(d, 4));
      Stream stream = begin;
      for (std::size_t i = 0; i < rows; ++i) saturations.row(d, 4, stream);
      // Fewer numbers for a query and four scores than a query of 64 coordinates alone would take.
      const std::size_t taken = numbers_taken(begin, stream, 64 * rows);
      EXPECT_LT(taken, 64 * rows) << "d = " << d;
      publish("numbers_at_" + digits(d, 4),
              fixed(static_cast<double>(taken) / static_cast<double>(rows), 1));
    }
    enumerated(4);
  });
}

//! [UnscaledSaturates: the sampler]
TEST(UnscaledSaturates, ARowOfScoresFollowsItsLaw) {
  judge(saturates_mutants, [](const Saturations& saturations) {
    const CdfCheck<ProductOfExponentials> check(
        {}, "the product of two exponential variables, for two scores in two dimensions");
    expect_draws(check, {.effect = 0.04},
                 [&](Stream& stream) { return saturations.row(2, 2, stream).squaredNorm() / 4; });
    // The same for the scores of drawn vectors.
    expect_draws(check, {.effect = 0.04}, [](Stream& stream) {
      Vector<double> numbers(6);
      for (double& number : numbers) number = draw(boost::math::normal(), stream);
      const auto query = numbers.head(2), one = numbers.segment(2, 2), other = numbers.tail(2);
      return (std::pow(query.dot(one), 2) + std::pow(query.dot(other), 2)) / 4;
    });
  });
}
//! [UnscaledSaturates: the sampler]

TEST(UnscaledSaturates, SharingAQueryMattersLittle) {
  judge(saturates_mutants, [](const Saturations& saturations) {
    evidence().weaken(Grade::bounded);
    of_the_statement();
    for (const double n : {5.0, 512.0}) {
      const Bounds shared = saturations.shared(n, 64, 1);
      const double independent = saturations.squares(n, 8);
      // A query that is longer or shorter than √d costs more than it gains, but less than 1/√d.
      EXPECT_LT(shared.lower, shared.upper) << n << " keys";
      EXPECT_LT(shared.upper, independent - mean_error_bound) << n << " keys";
      EXPECT_GT(shared.lower, independent - 0.125) << n << " keys";
      const std::string keys = "_for_" + digits(n, 4);
      publish("least" + keys, rounded_down(shared.lower, 4));
      publish("greatest" + keys, rounded_up(shared.upper, 4));
      publish("independent" + keys, fixed(independent, 4));
    }
    // To the edge of the domain: a single key has all of the weight, and statement 3 holds.
    for (const double n : {1.0, 2.0, most_condensing_keys})
      for (const double d : {8.0, 1024.0})
        for (const double temperature : {1.0, std::sqrt(d)}) {
          const Bounds shared = saturations.shared(n, d, temperature);
          const std::string where = at(n, std::sqrt(d) / temperature);
          const double independent = saturations.squares(n, std::sqrt(d) / temperature);
          EXPECT_TRUE(0 <= shared.lower && shared.lower <= shared.upper && shared.upper <= 1)
              << where;
          EXPECT_TRUE(n > 1 || shared.upper == 1) << where;
          EXPECT_LE(shared.lower, independent + 1 / std::sqrt(d)) << where;
          EXPECT_GE(shared.upper, independent - 1 / std::sqrt(d)) << where;
        }
    enumerated(14);
  });
}

//! [UnscaledSaturates]
/// Expects that what is seen of rows agrees with the integrals, and publishes it. Each interval
/// misses the expectation with probability α, and the expectation is known up to the error of the
/// integrals.
/// \return the mean of the largest weight of independent scores: an integral, and not simulated.
double expect_at_64(const Saturations& saturations, Index n, double temperature) {
  const double count = static_cast<double>(n);
  const double spread = 8 / temperature;
  const std::string keys = "_for_" + std::to_string(n);
  const auto expect_inside = [&](const Bounds& exact, double error,
                                 const ConfidenceInterval& interval) {
    EXPECT_LE(interval.lower, exact.upper + error) << n << " keys";
    EXPECT_LE(exact.lower, interval.upper + error) << n << " keys";
  };
  // Independent scores N(0, 64): means of Σp², H and p_max are integrals.
  const double squares = saturations.squares(count, spread);
  const double entropy = saturations.entropy(count, spread);
  const double largest = saturations.largest_weight(static_cast<std::size_t>(n), spread);
  const Seen seen = look(saturations, independent_row, 64, n, temperature, rows_for(n));
  const ConfidenceInterval top = mean_interval(seen.largest);
  expect_inside({squares, squares}, mean_error_bound, mean_interval(seen.squares));
  const double part = entropy / std::log(count);
  expect_inside({part, part}, (1 + spread * spread) * mean_error_bound,
                mean_interval(seen.entropy));
  expect_inside({largest, largest}, integral_error_bound, top);
  // The scores of one query: the mean of Σp² is enclosed, and that of p_max is between it and its
  // root.
  const Bounds bounds = saturations.shared(count, 64, temperature);
  const Seen shared = look(saturations, library_row, 64, n, temperature, rows_for(n));
  const ConfidenceInterval shared_top = mean_interval(shared.largest);
  expect_inside(bounds, 0, mean_interval(shared.squares));
  expect_inside({bounds.lower, std::sqrt(bounds.upper)}, 0, shared_top);
  publish("exact" + keys, fixed(largest, 4));
  publish_interval("largest" + keys, top, 3);
  publish_interval("shared" + keys, shared_top, 3);
  publish("squares" + keys, digits(squares, squares > 0.1 ? 3 : 2));
  publish("entropy" + keys, fixed(entropy, 3));
  publish("positions" + keys, digits(std::exp(entropy), 3));
  return largest;
}

TEST(UnscaledSaturates, AtSixtyFourDimensionsFewKeysTakeTheWeight) {
  judge(saturates_mutants, [](const Saturations& saturations) {
    EXPECT_GT(expect_at_64(saturations, 5, 1), 0.75);
    EXPECT_GT(expect_at_64(saturations, 512, 1), 0.6);
  });
}
//! [UnscaledSaturates]

TEST(UnscaledSaturates, RefusesWhatItCannotIntegrate) {
  judge(saturates_mutants, [](const Saturations& saturations) {
    Stream stream = next_stream();
    EXPECT_THROW(saturations.largest_weight(1, 8), std::domain_error);
    EXPECT_THROW(saturations.largest_weight(1000000, 8), std::domain_error);
    EXPECT_THROW(saturations.largest_weight(5, 65), std::domain_error);
    EXPECT_THROW(saturations.squares(5, 65), std::domain_error);
    EXPECT_THROW(saturations.squares(5, 0.25), std::domain_error);
    EXPECT_THROW(saturations.squares(1e31, 1), std::domain_error);
    EXPECT_THROW(saturations.log_sum(0.5, 1), std::domain_error);
    EXPECT_THROW(saturations.entropy(0, 1), std::domain_error);
    EXPECT_THROW(saturations.row(0, 5, stream), std::domain_error);
    EXPECT_THROW(saturations.row(std::numeric_limits<double>::infinity(), 5, stream),
                 std::domain_error);
    EXPECT_THROW(saturations.row(4, 0, stream), std::domain_error);
    EXPECT_THROW(saturations.shared(5, 4, 1), std::domain_error);
    EXPECT_THROW(saturations.shared(5, 64, 9), std::domain_error);
    EXPECT_THROW(saturations.squares_bounds(5, 0), std::domain_error);
  });
}

// ----------------------------------------------------------------------------------- ScaledSpreads

const Mutants spreads_mutants = {
    {"β² instead of its half",
     "AtLeastThreeFifthsOfTheKeysAreAttendedTo",
     {.entropy_at_least = [](double n, double b) { return std::log(n) - b * b * (1 - 1 / n); }}},
    {"a quarter of β²",
     "AtLeastThreeFifthsOfTheKeysAreAttendedTo",
     {.entropy_at_least = [](double n,
                             double b) { return std::log(n) - b * b * (1 - 1 / n) / 4; }}},
    {"1/n is forgotten",
     "AtLeastThreeFifthsOfTheKeysAreAttendedTo",
     {.entropy_at_least = [](double n, double b) { return std::log(n) - b * b / 2; }}},
    {"β for its square",
     "AtLeastThreeFifthsOfTheKeysAreAttendedTo",
     {.entropy_at_least = [](double n, double b) { return std::log(n) - b * (1 - 1 / n) / 2; }}},
    {"the entropy of twice the spread",
     "AtLeastThreeFifthsOfTheKeysAreAttendedTo",
     {.entropy = [](double n, double b) { return remembered<mean_entropy>(n, 2 * b); }}},
    {"the scores are not scaled",
     "AtSixtyFourDimensionsTheWeightIsSpread",
     {.weights = weights_at_wrong_temperature<1, 8>}},
    {"the scores are divided by d",
     "AtSixtyFourDimensionsTheWeightIsSpread",
     {.weights = weights_at_wrong_temperature<8, 1>}},
    {"the dimension is not undone",
     "TheDimensionIsGone",
     {.row = [](double d, Index n, Stream& stream) -> Vector<double> {
       return library_row(d, n, stream) * std::sqrt(std::sqrt(d));
     }}},
    {"the squares of the unscaled weights",
     "TheDimensionIsGone",
     {.squares = [](double n, double b) { return remembered<mean_squared_weights>(n, 8 * b); }}},
    {"β² overflows before a single key makes it 0",
     "AtLeastThreeFifthsOfTheKeysAreAttendedTo",
     {.entropy_at_least =
          [](double n, double b) {
            return b < 1 ? entropy_at_least(n, b) : std::log(n) - b * b * (1 - 1 / n) / 2;
          }}},
    {"an infinite spread is accepted",
     "RefusesWhatIsNoSpread",
     {.entropy_at_least =
          [](double n, double b) {
            return entropy_at_least(n, std::min(b, std::numeric_limits<double>::max()));
          }}},
    {"a negative spread is accepted",
     "RefusesWhatIsNoSpread",
     {.entropy_at_least = [](double n,
                             double b) { return n < 1 ? 0 : entropy_at_least(n, std::abs(b)); }}},
};

//! [ScaledSpreads]
TEST(ScaledSpreads, AtLeastThreeFifthsOfTheKeysAreAttendedTo) {
  judge(spreads_mutants, [](const Saturations& saturations) {
    evidence().weaken(Grade::bounded);
    of_the_statement();
    for (const double n : {1.0, 2.0, 5.0, 16.0, 512.0, 4096.0, 1e6, 1e12, 1e30})
      for (const double spread : {0.5, 1.0, 2.0}) {
        const double error = (1 + spread * spread) * mean_error_bound;
        const double least = saturations.entropy_at_least(n, spread);
        const double entropy = saturations.entropy(n, spread);
        EXPECT_LE(least, entropy + error) << at(n, spread);
        // Nor is it more than β²(E Σp² − 1/2n) above.
        const double slack = spread * spread * (saturations.squares(n, spread) - 1 / (2 * n));
        EXPECT_LE(entropy, least + slack + 2 * error) << at(n, spread);
      }
    // A single key has no entropy, whatever the spread.
    for (const double spread : {0.0, 0.5, 1.0, 2.0, 1e300})
      EXPECT_EQ(saturations.entropy_at_least(1, spread), 0) << "spread " << spread;
    bool well_distributed = true, more_evenly = true;
    for (const double n : {5.0, 512.0}) {
      well_distributed = well_distributed && std::exp(saturations.entropy(n, 1)) > 0.6 * n;
      more_evenly = more_evenly && saturations.entropy(n, 1) > saturations.entropy(n, 8);
    }
    expect_confirmed("S2", "produces well-distributed attention weights", well_distributed);
    expect_confirmed("S3", "distributed more evenly", more_evenly);
    publish("least_part", rounded_down(std::exp(-0.5), 3));
    publish("part_of_5", fixed(std::exp(saturations.entropy(5, 1)) / 5, 2));
    publish("part_of_512", fixed(std::exp(saturations.entropy(512, 1)) / 512, 3));
    publish("part_of_million", fixed(std::exp(saturations.entropy(1e6, 1)) / 1e6, 4));
    enumerated(27);
  });
}
//! [ScaledSpreads]

TEST(ScaledSpreads, AtSixtyFourDimensionsTheWeightIsSpread) {
  judge(spreads_mutants, [](const Saturations& saturations) {
    EXPECT_LT(expect_at_64(saturations, 5, 8), 0.5);
    EXPECT_LT(expect_at_64(saturations, 512, 8), 0.05);
  });
}

TEST(ScaledSpreads, TheDimensionIsGone) {
  judge(spreads_mutants, [](const Saturations& saturations) {
    // Rows of one query, divided by √d, in dimensions from 64 to a billion: E Σp² stays that of
    // spread 1, up to what the interval leaves open and the length of the query adds.
    const double squares = saturations.squares(5, 1);
    for (const double d : {64.0, 4096.0, 1e9}) {
      const ConfidenceInterval seen = mean_interval(
          look(saturations, saturations.row, d, 5, std::sqrt(d), rows_for(5)).squares);
      const double shift = 1 / std::sqrt(d);
      EXPECT_LE(seen.lower, squares + shift) << "d = " << d;
      EXPECT_LE(squares - shift, seen.upper) << "d = " << d;
      publish_interval("squares_at_" + digits(d, 4), seen, 3);
    }
    publish("squares", fixed(squares, 3));
  });
}

TEST(ScaledSpreads, RefusesWhatIsNoSpread) {
  judge(spreads_mutants, [](const Saturations& saturations) {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    EXPECT_THROW(saturations.entropy_at_least(5, -1), std::domain_error);
    EXPECT_THROW(saturations.entropy_at_least(0.5, 1), std::domain_error);
    EXPECT_THROW(saturations.entropy_at_least(5, infinite), std::domain_error);
    EXPECT_THROW(saturations.entropy_at_least(infinite, 1), std::domain_error);
  });
}

// --------------------------------------------------------------------------------- InformationLoss

const Mutants loss_mutants = {
    {"an infinite gap is no number",
     "AnInfiniteGapLeavesNothing",
     {.pair_entropy =
          [](double gap) {
            const double ratio = std::exp(-std::abs(gap));
            return std::log1p(ratio) + std::abs(gap) * ratio / (1 + ratio);
          }}},
    {"small ratios are rounded away",
     "AnInfiniteGapLeavesNothing",
     {.pair_entropy =
          [](double gap) {
            const double ratio = std::exp(-std::abs(gap));
            return std::log(1 + ratio) + (ratio == 0 ? 0 : std::abs(gap) * ratio / (1 + ratio));
          }}},
    {"the sum over pairs misses the product",
     "EveryRowLosesWhatItsGapsSay",
     {.from_gaps =
          [](const Vector<Wide>& s) {
            auto bounds = entropy_from_gaps(s);
            Wide sum = 0;
            for (Index i = 0; i < s.size(); ++i) sum += log(1 + exp(s[i] - s.maxCoeff()));
            bounds.upper = sum - log(Wide(2));
            return bounds;
          }}},
    {"the largest score is a pair with itself",
     "EveryRowLosesWhatItsGapsSay",
     {.from_gaps =
          [](const Vector<Wide>& s) {
            auto bounds = entropy_from_gaps(s);
            bounds.lower += log(Wide(2));
            return bounds;
          }}},
    {"the smallest pair is the upper bound",
     "EveryRowLosesWhatItsGapsSay",
     {.from_gaps =
          [](const Vector<Wide>& s) {
            auto bounds = entropy_from_gaps(s);
            bounds.upper = bounds.lower;
            return bounds;
          }}},
    {"the third key is forgotten",
     "TheMeanEntropyFallsLikeTheRoot",
     {.entropy_bounds =
          [](std::size_t n, double b) {
            const double leading = remembered<entropy_constant>(n) / b;
            return Bounds{leading - 0.001, leading};
          }}},
    {"π²/12",
     "TheMeanEntropyFallsLikeTheRoot",
     {.entropy_bounds =
          [](std::size_t n, double b) {
            const Bounds right = remembered<entropy_bounds>(n, b);
            const double half = remembered<entropy_constant>(n) / b / 2;
            return Bounds{right.lower - half, right.upper - half};
          }}},
    {"the curvature is forgotten",
     "TheMeanEntropyFallsLikeTheRoot",
     {.entropy_bounds =
          [](std::size_t n, double b) {
            const double leading = remembered<entropy_constant>(n) / b;
            return Bounds{n == 2 ? leading : remembered<entropy_bounds>(n, b).lower,
                          remembered<entropy_bounds>(n, b).upper};
          }}},
    {"ζ(3) in place of 9ζ(3)/4",
     "TheMeanEntropyFallsLikeTheRoot",
     {.entropy_bounds =
          [](std::size_t n, double b) {
            const Bounds right = remembered<entropy_bounds>(n, b);
            const double leading = remembered<entropy_constant>(n) / b;
            return Bounds{right.lower, leading + (right.upper - leading) / 2.25};
          }}},
    {"1/β in place of 1/β²",
     "TheMeanEntropyFallsLikeTheRoot",
     {.entropy_bounds =
          [](std::size_t n, double b) {
            const Bounds right = remembered<entropy_bounds>(n, b);
            return Bounds{right.lower, right.upper * b};
          }}},
    {"the positions are the entropy",
     "PositionsTendToOne",
     {.positions = [](double n, double b) { return remembered<mean_entropy>(n, b); }}},
    {"the positions never fall below two",
     "PositionsTendToOne",
     {.positions =
          [](double n, double b) {
            return n < 2 ? 1 : std::max(2.0, remembered<effective_positions>(n, b));
          }}},
    {"the constant is E M",
     "PositionsTendToOne",
     {.entropy_constant = [](std::size_t n) { return largest(n); }}},
    {"the positions of five keys, whatever n",
     "WithEverMoreKeysItIsNotLost",
     {.positions = [](double n,
                      double b) { return remembered<effective_positions>(std::min(n, 5.0), b); }}},
    {"a single score is accepted",
     "RefusesWhatHasNoGaps",
     {.from_gaps =
          [](const Vector<Wide>& s) {
            return s.size() < 2 ? Interval<Wide>{0, 0} : entropy_from_gaps(s);
          }}},
    {"a spread of 0 is accepted",
     "RefusesWhatHasNoGaps",
     {.entropy_bounds =
          [](std::size_t n, double b) {
            return b == 0 ? Bounds{0, 0} : remembered<entropy_bounds>(n, b);
          }}},
};

//! [InformationLoss]
TEST(InformationLoss, EveryRowLosesWhatItsGapsSay) {
  judge(loss_mutants, [](const Saturations& saturations) {
    evidence().weaken(Grade::bounded);
    of_the_statement();
    for_all(
        [&] {
          const auto tenths =
              *rc::gen::mapcat(rc::gen::inRange<std::size_t>(2, 8), [](std::size_t n) {
                 return rc::gen::container<std::vector<int>>(n, rc::gen::inRange(0, 200));
               }).as("10 × scores");
          Vector<Wide> scores(static_cast<Index>(tenths.size()));
          for (Index i = 0; i < scores.size(); ++i)
            scores[i] = Wide(tenths[static_cast<std::size_t>(i)]) / 10;
          const Wide entropy = softmax_entropy(scores, Wide(1));
          const auto [least, greatest] = saturations.from_gaps(scores);
          // Each h(δ) is a sum of two terms, each with at most four roundings and one more for the
          // sum.
          const Wide slack = Wide(entropy_error_bound(scores, Wide(1))) +
                             (8 + scores.size()) * greatest * std::numeric_limits<Wide>::epsilon();
          RC_ASSERT(least <= entropy + slack);
          RC_ASSERT(entropy <= greatest + slack);
          // Two scores have but one gap.
          const Vector<Wide> pair = scores.head(2);
          const auto both = saturations.from_gaps(pair);
          RC_ASSERT(abs(both.lower - softmax_entropy(pair, Wide(1))) <= 4 * slack);
          RC_ASSERT(both.lower == both.upper);
        },
        100);
  });
}

TEST(InformationLoss, PositionsTendToOne) {
  judge(loss_mutants, [](const Saturations& saturations) {
    evidence().weaken(Grade::bounded);
    of_the_statement();
    for (const std::size_t n : {2U, 5U, 16U}) {
      double before = static_cast<double>(n);
      for (const double d : {4.0, 16.0, 64.0, 256.0, 1024.0, 4096.0}) {
        const double spread = std::sqrt(d);
        const double positions = saturations.positions(double(n), spread);
        const double error = (1 + d) * mean_error_bound;
        EXPECT_LT(positions, before) << n << " keys, d = " << d;
        EXPECT_GE(positions, 1 - error) << n << " keys, d = " << d;
        // (positions − 1)√d tends to the constant: ln(1 + x) ≤ x, and E H is within its bounds.
        const Bounds bounds = saturations.entropy_bounds(n, spread);
        const double constant = saturations.entropy_constant(n);
        const double scaled = spread * std::log(positions);
        EXPECT_LE(scaled - constant, spread * (bounds.upper + 2 * error) - constant);
        EXPECT_LE(spread * (bounds.lower - 2 * error) - constant, scaled - constant);
        EXPECT_LE(bounds.lower, constant / spread) << n << " keys, d = " << d;
        EXPECT_LE(constant / spread, bounds.upper * (1 + 0x1p-50)) << n << " keys, d = " << d;
        before = positions;
      }
      publish("at_64_of_" + std::to_string(n), fixed(saturations.positions(double(n), 8), 3));
      publish("at_4096_of_" + std::to_string(n), fixed(saturations.positions(double(n), 64), 3));
    }
    // Two keys: π²/6 · 1/√π
    expect_near(saturations.entropy_constant(2),
                constants::pi_sqr_div_six<double>() / constants::root_pi<double>(),
                2 * integral_error_bound, "two keys");
    publish("constant_of_2", fixed(saturations.entropy_constant(2), 3));
    publish("constant_of_5", fixed(saturations.entropy_constant(5), 3));
    enumerated(18);
  });
}
//! [InformationLoss]

TEST(InformationLoss, TheMeanEntropyFallsLikeTheRoot) {
  judge(loss_mutants, [](const Saturations& saturations) {
    evidence().weaken(Grade::bounded);
    of_the_statement();
    for (const std::size_t n : {2U, 3U, 5U, 16U})
      for (const double spread : {8.0, 16.0, 32.0, 64.0}) {
        const Bounds bounds = saturations.entropy_bounds(n, spread);
        const double error =
            (1 + spread * spread) * mean_error_bound + 2 * integral_error_bound / spread;
        expect_within(saturations.entropy(double(n), spread), bounds, error, at(double(n), spread));
        // For two keys nothing is left open but the curvature, a term in 1/β³.
        if (n == 2) {
          EXPECT_LE(bounds.upper - bounds.lower, 1.07 / (spread * spread * spread))
              << at(2, spread);
        }
      }
    // The constants are 3η(3)K and 2η(4)E M with the alternating sums η, which lie between any two
    // of their partial sums in a row; K is 6/4√2π for three keys.
    const auto between_sums = [](int power, double factor, double value) {
      double sum = 0, before = 0;
      for (int k = 1; k <= 4000; ++k) {
        before = sum;
        sum += (k % 2 == 1 ? 1 : -1) / std::pow(k, power);
      }
      constexpr double rounding = 4000 * std::numeric_limits<double>::epsilon();
      EXPECT_GE(value, factor * (std::min(sum, before) - rounding)) << "power " << power;
      EXPECT_LE(value, factor * (std::max(sum, before) + rounding)) << "power " << power;
    };
    const double leading = saturations.entropy_constant(3);
    const Bounds three = saturations.entropy_bounds(3, 1);
    between_sums(3, 3 * 6 / (4 * constants::root_two<double>() * constants::pi<double>()),
                 three.upper - leading);
    between_sums(4, 2 * largest(3), (leading - three.lower) - (three.upper - leading));
    enumerated(18);
  });
}

TEST(InformationLoss, WithEverMoreKeysItIsNotLost) {
  judge(loss_mutants, [](const Saturations& saturations) {
    evidence().weaken(Grade::bounded);
    of_the_statement();
    // d = 64 without scaling. The bound of ScaledSpreads, ln n − d/2, is large once n exceeds e³².
    double before = 1;
    for (const double n : {5.0, 512.0, 4096.0, 1e6, 1e9, 1e12, 1e16, 1e20}) {
      const double positions = saturations.positions(n, 8);
      EXPECT_GT(positions, before) << n << " keys";
      EXPECT_GE(std::log(positions) + 65 * mean_error_bound, saturations.entropy_at_least(n, 8))
          << n << " keys";
      before = positions;
    }
    EXPECT_GT(before, 1e5);
    for (const double n : {5.0, 512.0, 4096.0, 1e6, 1e12})
      publish("of_" + digits(n, 4), digits(saturations.positions(n, 8), 3));
    enumerated(8);
    counterexample_without("fixed number of keys");
  });
}

TEST(InformationLoss, AnInfiniteGapLeavesNothing) {
  judge(loss_mutants, [](const Saturations& saturations) {
    evidence().weaken(Grade::bounded);
    constexpr double infinite = std::numeric_limits<double>::infinity();
    for (const double gap : {infinite, -infinite, 1e308, 750.0})
      EXPECT_EQ(saturations.pair_entropy(gap), 0) << "gap " << gap;
    // Saturated weights, as S3 has them: every other score is infinitely far below the largest.
    double positions = 1;
    for (int other = 0; other < 4; ++other)
      positions *= std::exp(saturations.pair_entropy(infinite));
    expect_confirmed("S3", "Only one position contributes", positions == 1);
    // Large gaps keep their digits: h(u) = (1 + u)e^(−u) up to e^(−2u).
    for (const double gap : {40.0, 100.0, 700.0}) {
      const double wanted = (1 + gap) * std::exp(-gap);
      expect_near(saturations.pair_entropy(gap), wanted,
                  8 * std::numeric_limits<double>::epsilon() * wanted, "gap " + digits(gap, 3));
    }
    enumerated(7);
  });
}

TEST(InformationLoss, RefusesWhatHasNoGaps) {
  judge(loss_mutants, [](const Saturations& saturations) {
    EXPECT_THROW(saturations.from_gaps(Vector<Wide>::Ones(1)), std::invalid_argument);
    EXPECT_THROW(saturations.entropy_bounds(5, 0), std::domain_error);
    EXPECT_THROW(saturations.entropy_constant(1), std::domain_error);
  });
}

// ----------------------------------------------------------------------------- SaturationThreshold

const Mutants threshold_mutants = {
    {"n others",
     "TheWeightIsThatOfSoftmax",
     {.raised = [](std::size_t n, const Rational& r) { return outlier_weight(n + 1, r); }}},
    {"the weight of one of the others",
     "TheWeightIsThatOfSoftmax",
     {.raised = [](std::size_t n, const Rational& r) -> Rational {
       return outlier_weight(n, r) / r;
     }}},
    {"the square of the weight for the product",
     "TheDerivativesAreExact",
     {.derivative = [](std::size_t n, const Rational& r, unsigned k) -> Rational {
       const Rational p = outlier_weight(n, r);
       return k == 1 ? Rational(p * p) : outlier_weight_derivative(n, r, k);
     }}},
    {"the second derivative has the other sign",
     "TheDerivativesAreExact",
     {.derivative = [](std::size_t n, const Rational& r, unsigned k) -> Rational {
       return outlier_weight_derivative(n, r, k) * (k == 2 ? -1 : 1);
     }}},
    {"the third derivative with 4u",
     "TheDerivativesAreExact",
     {.derivative = [](std::size_t n, const Rational& r, unsigned k) -> Rational {
       const Rational u = outlier_weight_derivative(n, r, 1);
       return k == 3 ? Rational(u * (1 - 4 * u)) : outlier_weight_derivative(n, r, k);
     }}},
    {"steepest where all are equal",
     "ItIsSteepestAtOneHalf",
     {.derivative = [](std::size_t n, const Rational& r, unsigned k) -> Rational {
       return outlier_weight_derivative(2, n == 2 ? Rational(2 * r) : r, k);
     }}},
    {"weights add up to ε",
     "TheThresholdsOfTheExercise",
     {.ratio = [](std::size_t n, const Rational& rest) { return required_ratio(n, 1 - rest); }}},
    {"every key is another",
     "TheThresholdsOfTheExercise",
     {.ratio = [](std::size_t n, const Rational& rest) { return required_ratio(n + 1, rest); }}},
    {"the bend is where the weight is three quarters",
     "ItBendsMostAtTwoPlusRootThree",
     {.derivative = [](std::size_t n, const Rational& r, unsigned k) -> Rational {
       const Rational u = outlier_weight_derivative(n, r, 1);
       return k == 3 ? Rational(u * (3 - 16 * u)) : outlier_weight_derivative(n, r, k);
     }}},
    {"an infinite ratio is no number",
     "AnInfiniteRatioHasAllTheWeight",
     {.raised_double = [](std::size_t n, double r) { return r / (r + double(n - 1)); }}},
    {"a tiny ratio has no weight",
     "AnInfiniteRatioHasAllTheWeight",
     {.raised_double = [](std::size_t n, double r) { return 1 / (1 + double(n - 1) / r); }}},
    {"a ratio of 0 is accepted",
     "RefusesWhatIsNoRatio",
     {.raised = [](std::size_t n,
                   const Rational& r) { return r == 0 ? Rational(0) : outlier_weight(n, r); }}},
    {"a fourth derivative is offered",
     "RefusesWhatIsNoRatio",
     {.derivative =
          [](std::size_t n, const Rational& r, unsigned k) {
            return k > 3 ? Rational(0) : outlier_weight_derivative(n, r, k);
          }}},
};

/// A number of scores and e to the height of the one that is raised.
std::pair<std::size_t, Rational> any_raise() {
  const auto n = *rc::gen::inRange<std::size_t>(2, 40).as("number of scores");
  const Rational r = abs(*nonzero_rational().as("e^x"));
  return {n, r};
}

TEST(SaturationThreshold, TheWeightIsThatOfSoftmax) {
  judge(threshold_mutants, [](const Saturations& saturations) {
    for_all([&] {
      const auto [n, r] = any_raise();
      Vector<Rational> exponentials = Vector<Rational>::Ones(static_cast<Index>(n));
      exponentials[0] = r;
      RC_ASSERT(saturations.raised(n, r) == normalized_weights(exponentials)[0]);
    });
  });
}

//! [SaturationThreshold: exact check]
TEST(SaturationThreshold, TheDerivativesAreExact) {
  judge(threshold_mutants, [](const Saturations& saturations) {
    for_all([&] {
      const auto [n, r] = any_raise();
      // With t = e^h, d/dh = t d/dt: at t = 1 the derivatives by h are D₁, D₂ + D₁, D₃ + 3D₂ + D₁.
      const auto t = autodiff::make_fvar<Rational, 3>(Rational(1));
      const auto weight = t * r / (t * r + Rational(n - 1));
      const Rational D1 = weight.at(1), D2 = 2 * weight.at(2), D3 = 6 * weight.at(3);
      RC_ASSERT(saturations.derivative(n, r, 1) == D1);
      RC_ASSERT(saturations.derivative(n, r, 2) == D2 + D1);
      RC_ASSERT(saturations.derivative(n, r, 3) == D3 + 3 * D2 + D1);
    });
  });
}
//! [SaturationThreshold: exact check]

TEST(SaturationThreshold, ItIsSteepestAtOneHalf) {
  judge(threshold_mutants, [](const Saturations& saturations) {
    for (std::size_t n = 2; n <= 16; ++n) {
      const Rational others(n - 1);
      EXPECT_EQ(saturations.raised(n, others), Rational(1, 2)) << n << " scores";
      EXPECT_EQ(saturations.derivative(n, others, 1), Rational(1, 4)) << n << " scores";
    }
    for_all([&] {
      const auto [n, r] = any_raise();
      const Rational others(n - 1);
      RC_ASSERT(saturations.derivative(n, r, 1) <= Rational(1, 4));
      // It steepens below ln(n − 1) and flattens above.
      const Rational second = saturations.derivative(n, r, 2);
      RC_ASSERT((second > 0) == (r < others));
      RC_ASSERT((second < 0) == (r > others));
    });
  });
}

//! [SaturationThreshold]
TEST(SaturationThreshold, TheThresholdsOfTheExercise) {
  judge(threshold_mutants, [](const Saturations& saturations) {
    // softmax([x, 0, 0, 0]): ln 27, ln 297, ln 2997
    EXPECT_EQ(saturations.ratio(4, Rational(1, 2)), 3);
    EXPECT_EQ(saturations.ratio(4, Rational(1, 10)), 27);
    EXPECT_EQ(saturations.ratio(4, Rational(1, 100)), 297);
    EXPECT_EQ(saturations.ratio(4, Rational(1, 1000)), 2997);
    for_all([&] {
      const auto n = *rc::gen::inRange<std::size_t>(2, 5000).as("number of scores");
      const Rational rest(*rc::gen::inRange(1, 1000).as("thousandths left to the others"), 1000);
      const Rational ratio = saturations.ratio(n, rest);
      RC_ASSERT(saturations.raised(n, ratio) == 1 - rest);
      RC_ASSERT(saturations.derivative(n, ratio, 1) == rest * (1 - rest));
    });
    const auto height = [&](std::size_t n, const Rational& rest) {
      return std::log(static_cast<double>(saturations.ratio(n, rest)));
    };
    publish("half", fixed(height(4, Rational(1, 2)), 3));
    publish("one_nine", fixed(height(4, Rational(1, 10)), 3));
    publish("two_nines", fixed(height(4, Rational(1, 100)), 3));
    publish("three_nines", fixed(height(4, Rational(1, 1000)), 3));
    publish("two_nines_of_512", fixed(height(512, Rational(1, 100)), 2));
    publish("half_of_512", fixed(height(512, Rational(1, 2)), 2));
    std::vector<std::vector<double>> rows;
    for (int tenth = 0; tenth <= 100; ++tenth) {
      const double x = tenth / 10.0;
      const double p = outlier_weight(4, std::exp(x));
      rows.push_back({x, p, (1 - p) / 3, outlier_weight_derivative(4, std::exp(x), 1),
                      outlier_weight(512, std::exp(x))});
    }
    write_figure_data("saturation_threshold", {"x", "raised", "other", "slope", "raised_of_512"},
                      rows);
  });
}
//! [SaturationThreshold]

TEST(SaturationThreshold, ItBendsMostAtTwoPlusRootThree) {
  judge(threshold_mutants, [](const Saturations& saturations) {
    for_all([&] {
      const auto [n, r] = any_raise();
      // With ρ = r/(n − 1), the third derivative has the sign of ρ² − 4ρ + 1 = 0 at 2 ± √3.
      const Rational rho = r / Rational(n - 1);
      const Rational sign = rho * rho - 4 * rho + 1;
      const Rational third = saturations.derivative(n, r, 3);
      RC_ASSERT((third > 0) == (sign > 0));
      RC_ASSERT((third < 0) == (sign < 0));
    });
    const double rho = 2 + std::sqrt(3.0);
    publish("bend", fixed(std::log(3 * rho), 2));
    publish("weight", fixed(100 * rho / (1 + rho), 0));
  });
}

TEST(SaturationThreshold, AnInfiniteRatioHasAllTheWeight) {
  judge(threshold_mutants, [](const Saturations& saturations) {
    evidence().weaken(Grade::bounded);
    for (const std::size_t n : {2U, 4U, 4096U})
      EXPECT_EQ(saturations.raised_double(n, std::numeric_limits<double>::infinity()), 1);
    EXPECT_EQ(saturations.raised_double(2, 0x1p-1074), 0x1p-1074);
    EXPECT_EQ(saturations.raised_double(3, 0x1p-1060), 0x1p-1061);
    enumerated(5);
  });
}

TEST(SaturationThreshold, RefusesWhatIsNoRatio) {
  judge(threshold_mutants, [](const Saturations& saturations) {
    EXPECT_THROW(saturations.raised(1, 1), std::domain_error);
    EXPECT_THROW(saturations.raised(4, 0), std::domain_error);
    EXPECT_THROW(saturations.derivative(4, 1, 4), std::domain_error);
    EXPECT_THROW(saturations.derivative(4, 1, 0), std::domain_error);
    EXPECT_THROW(saturations.derivative(4, -1, 1), std::domain_error);
  });
}

// --------------------------------------------------------------------------- CondensationThreshold

const Mutants condensation_mutants = {
    {"the free energy of half the spread",
     "TheAttendedScoreIsTheSlopeOfTheFreeEnergy",
     {.log_sum = [](double n,
                    double b) { return remembered<mean_log_sum>(n, std::max(b / 2, 0.5)); }}},
    {"the free energy counts no keys",
     "TheFreeEnergyIsWithinItsBounds",
     {.log_sum = [](double n, double b) { return remembered<mean_log_sum>(n, b) - std::log(n); }}},
    {"the sum of squares of one key more",
     "TheAttendedScoreIsTheSlopeOfTheFreeEnergy",
     {.squares = [](double n, double b) { return remembered<mean_squared_weights>(2 * n, b); }}},
    {"x² instead of 1 + x²",
     "TheFreeEnergyIsWithinItsBounds",
     {.energy_limit =
          [](double n, double b) {
            const double x = b / critical_stddev(n);
            return x <= 1 ? 1 + x * x / 2 : 2 * x;
          }}},
    {"annealed above the threshold too",
     "TheFreeEnergyIsWithinItsBounds",
     {.energy_limit =
          [](double n, double b) {
            const double x = b / critical_stddev(n);
            return 1 + x * x;
          }}},
    {"x instead of 2x",
     "TheFreeEnergyIsWithinItsBounds",
     {.energy_limit =
          [](double n, double b) {
            return b > critical_stddev(n) ? b / critical_stddev(n) : free_energy_limit(n, b);
          }}},
    {"the deficit is halved",
     "TheFreeEnergyIsWithinItsBounds",
     {.energy_deficit = [](double n, double b,
                           double m) { return free_energy_deficit(n, b, m) / 4; }}},
    {"the deficit below the threshold is doubled",
     "TheFreeEnergyIsWithinItsBounds",
     {.energy_deficit =
          [](double n, double b, double m) {
            return free_energy_deficit(n, b, m) * (b < critical_stddev(n) ? 2 : 1);
          }}},
    {"the deficit does not grow with the spread",
     "TheFreeEnergyIsWithinItsBounds",
     {.energy_deficit =
          [](double n, double b, double m) {
            return free_energy_deficit(n, std::min(b, critical_stddev(n)), m);
          }}},
    {"η/x is forgotten",
     "TheMeanSquareIsWithinItsBounds",
     {.condensation =
          [](double n, double b, double m) {
            const Bounds right = condensation_bounds(n, b, m);
            return Bounds{condensed_fraction(n, b), right.upper};
          }}},
    {"1 − x instead of 1 − x²",
     "TheMeanSquareIsWithinItsBounds",
     {.condensation =
          [](double n, double b, double m) {
            const Bounds right = condensation_bounds(n, b, m);
            const double x = b / critical_stddev(n);
            return Bounds{right.lower, x < 1 ? right.upper * (1 - x * x) / (1 - x) : right.upper};
          }}},
    {"η is forgotten below the threshold",
     "TheMeanSquareIsWithinItsBounds",
     {.condensation =
          [](double n, double b, double m) {
            const Bounds right = condensation_bounds(n, b, m);
            return Bounds{right.lower, b < critical_stddev(n) ? 0 : right.upper};
          }}},
    {"η is forgotten above the threshold",
     "TheMeanSquareIsWithinItsBounds",
     {.condensation =
          [](double n, double b, double m) {
            const Bounds right = condensation_bounds(n, b, m);
            return Bounds{right.lower,
                          b > critical_stddev(n) ? condensed_fraction(n, b) : right.upper};
          }}},
    {"the condensed part is squared",
     "HowCloseRealSizesAre",
     {.condensed = [](double n, double b) { return std::pow(condensed_fraction(n, b), 2); }}},
    {"√(ln n)",
     "HowCloseRealSizesAre",
     {.condensed = [](double n,
                      double b) { return std::max(0.0, 1 - std::sqrt(std::log(n)) / b); }}},
    {"nothing ever condenses",
     "PastTheThresholdItCondensesInTheLimit",
     {.squares = [](double n, double) { return 1 / n; }}},
    {"everything always condenses",
     "PastTheThresholdItCondensesInTheLimit",
     {.condensed = [](double n, double b) { return 1 - critical_stddev(n) / b / 2; }}},
    {"the upper bound above the threshold is halfway down to the limit",
     "PastTheThresholdItCondensesInTheLimit",
     {.condensation =
          [](double n, double b, double m) {
            const Bounds right = condensation_bounds(n, b, m);
            const double limit = condensed_fraction(n, b);
            return Bounds{right.lower,
                          b > critical_stddev(n) ? (right.upper + limit) / 2 : right.upper};
          }}},
    {"the bounds are those of few keys",
     "PastTheThresholdItCondensesInTheLimit",
     {.condensation = [](double, double b, double m) { return condensation_bounds(1e3, b, m); }}},
    {"√(ln n) is critical",
     "DividingByTheRootKeepsEveryHeadBelow",
     {.critical_stddev = [](double n) { return std::sqrt(std::log(n)); }}},
    {"e^d keys",
     "DividingByTheRootKeepsEveryHeadBelow",
     {.critical_count = [](double b) { return std::exp(b * b); }}},
    {"equal keys condense",
     "KeysThatAreAllAlikeNeverCondense",
     {.weights = [](const Vector<double>& s,
                    double) { return Vector<double>(Vector<double>::Unit(s.size(), 0)); }}},
    {"a single key is accepted",
     "RefusesWhatCannotCondense",
     {.critical_stddev = [](double n) { return n == 1 ? 0 : critical_stddev(n); }}},
    {"a spread of 0 is accepted",
     "RefusesWhatCannotCondense",
     {.condensed = [](double n, double b) { return b == 0 ? 0 : condensed_fraction(n, b); }}},
};

//! [CondensationThreshold: second route]
TEST(CondensationThreshold, TheAttendedScoreIsTheSlopeOfTheFreeEnergy) {
  judge(condensation_mutants, [](const Saturations& saturations) {
    evidence().weaken(Grade::bounded);
    of_the_statement();
    constexpr double step = 0.25;
    for (const double n : {1.0, 2.0, 5.0, 512.0, 1e12}) {
      const auto slope = [&](double b) { return b * (1 - saturations.squares(n, b)); };
      for (double b = 0.5; b < 8; b += step) {
        // F is convex with slope β(1 − E Σp²), so a step of F lies between two steps of its slope.
        const double rise = saturations.log_sum(n, b + step) - saturations.log_sum(n, b);
        const double error = 4 * mean_error_bound;
        EXPECT_LE(step * slope(b), rise + error) << at(n, b);
        EXPECT_LE(rise, step * slope(b + step) + error) << at(n, b);
      }
      // It begins at ln n, with slope 0.
      EXPECT_GE(saturations.log_sum(n, 0.5) + mean_error_bound, std::log(n)) << at(n, 0.5);
      EXPECT_LE(saturations.log_sum(n, 0.5) - mean_error_bound, std::log(n) + 0.125) << at(n, 0.5);
    }
    enumerated(5 * 32);
  });
}
//! [CondensationThreshold: second route]

TEST(CondensationThreshold, TheFreeEnergyIsWithinItsBounds) {
  judge(condensation_mutants, [](const Saturations& saturations) {
    evidence().weaken(Grade::bounded);
    of_the_statement();
    for (const std::size_t n : key_counts)
      for (const double spread : {0.5, 1.0, 2.0, 4.0, 8.0, 32.0}) {
        const double count = static_cast<double>(n);
        const double log_count = std::log(count);
        const double energy = saturations.log_sum(count, spread) / log_count;
        const double limit = saturations.energy_limit(count, spread);
        const double deficit = saturations.energy_deficit(count, spread, largest(n));
        const double error = (1 + spread) * integral_error_bound / log_count;
        EXPECT_LE(energy, limit + error) << at(count, spread);
        EXPECT_LE(limit - deficit, energy + error) << at(count, spread);
        // Above the threshold the deficit is that of β E M, a bound that every softmax keeps.
        if (spread > critical_stddev(count))
          expect_near((limit - deficit) * log_count, spread * largest(n), error * log_count,
                      at(count, spread));
        else
          expect_near(deficit, 2 * (1 - largest(n) / critical_stddev(count)), 0x1p-48,
                      at(count, spread));
      }
    enumerated(6 * std::size(key_counts));
  });
}

TEST(CondensationThreshold, TheMeanSquareIsWithinItsBounds) {
  judge(condensation_mutants, [](const Saturations& saturations) {
    evidence().weaken(Grade::bounded);
    of_the_statement();
    for (const std::size_t n : {5U, 16U, 64U, 512U, 4096U})
      for (const double spread : {0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 16.0, 32.0}) {
        const double count = static_cast<double>(n);
        const Bounds bounds = saturations.condensation(count, spread, largest(n));
        const double squares = saturations.squares(count, spread);
        const double x = spread / critical_stddev(count);
        const double error =
            mean_error_bound + integral_error_bound * (2 + 2 / std::abs(1 - x)) / std::min(x, 1.0);
        expect_within(squares, bounds, error, at(count, spread));
        const double eta = 1 - largest(n) / critical_stddev(count);
        // What is claimed: η/x to η/(x − 1) above the limit, and 2η/(1 − x²) at most below it.
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
  });
}

//! [CondensationThreshold]
TEST(CondensationThreshold, PastTheThresholdItCondensesInTheLimit) {
  judge(condensation_mutants, [](const Saturations& saturations) {
    evidence().weaken(Grade::bounded);
    of_the_statement();
    // Along β = x√(2 ln n) with x = ½, and with x = 2, for ever more keys.
    double below = 1, above = 1;
    for (const double n : {1e3, 1e6, 1e12, 1e18, 1e24, 1e30}) {
      const double critical = critical_stddev(n);
      // E M is at least any β(1 − E Σp²), the mean score that is attended to; at the largest spread
      // that can be integrated, and not at one of those that are judged below.
      constexpr double widest = 64;
      const double maximum = widest * (1 - saturations.squares(n, widest));
      for (const double x : {0.5, 2.0}) {
        const double squares = saturations.squares(n, x * critical);
        const Bounds bounds = saturations.condensation(n, x * critical, maximum);
        EXPECT_GE(squares + mean_error_bound, saturations.condensed(n, x * critical))
            << at(n, x * critical);
        EXPECT_LE(squares, bounds.upper + (1 + widest) * mean_error_bound) << at(n, x * critical);
        double& before = x < 1 ? below : above;
        EXPECT_LT(squares, before) << at(n, x * critical);
        before = squares;
        publish((x < 1 ? "below_" : "above_") + digits(n, 3), digits(squares, 3));
      }
    }
    EXPECT_LT(below, 0.01);
    EXPECT_GE(above, 0.5 - mean_error_bound);
    enumerated(12);
  });
}
//! [CondensationThreshold]

TEST(CondensationThreshold, HowCloseRealSizesAre) {
  judge(condensation_mutants, [](const Saturations& saturations) {
    evidence().weaken(Grade::bounded);
    of_the_statement();
    for (const std::size_t n : {512U, 4096U}) {
      const double count = static_cast<double>(n);
      const double limit = saturations.condensed(count, 8);
      const double squares = saturations.squares(count, 8);
      const double eta = 1 - largest(n) / critical_stddev(count);
      const double x = 8 / critical_stddev(count);
      EXPECT_GE(squares, limit + eta / x - 2 * integral_error_bound) << n << " keys";
      EXPECT_LE(squares, limit + eta / (x - 1) + 2 * integral_error_bound) << n << " keys";
      EXPECT_GT(limit, 0.48) << n << " keys";
      EXPECT_LT(limit, 0.56) << n << " keys";
      const std::string keys = "_" + std::to_string(n);
      publish("squares" + keys, fixed(squares, 3));
      publish("limit" + keys, fixed(limit, 3));
      publish("least" + keys, rounded_down(limit + eta / x, 3));
      publish("greatest" + keys, rounded_up(limit + eta / (x - 1), 3));
      publish("eta" + keys, fixed(eta, 3));
    }
    enumerated(2);
  });
}

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
double half_condensed_spread(const Saturations& saturations, double n) {
  double before = 1.5 * critical_stddev(n), now = 2 * critical_stddev(n);
  double value_before = saturations.squares(n, before);
  for (int i = 0; i < 4; ++i) {
    const double value = saturations.squares(n, now);
    const double next = now + (0.5 - value) * (now - before) / (value - value_before);
    before = std::exchange(now, next);
    value_before = value;
  }
  return now;
}

TEST(CondensationThreshold, DividingByTheRootKeepsEveryHeadBelow) {
  judge(condensation_mutants, [](const Saturations& saturations) {
    evidence().weaken(Grade::bounded);
    of_the_statement();
    // A spread of 1 is below √(2 ln n) for every n from 2 on, the real sizes without scaling above.
    EXPECT_LT(saturations.critical_count(1), 2);
    for (double n = 2; n <= 1e30; n *= 10) {
      EXPECT_GT(saturations.critical_stddev(n), 1) << n << " keys";
      expect_near(std::log(saturations.critical_count(saturations.critical_stddev(n))), std::log(n),
                  8 * std::numeric_limits<double>::epsilon() * std::log(n), digits(n, 3) + " keys");
    }
    for (const auto& [d, n] : models) {
      EXPECT_GT(std::sqrt(d), saturations.critical_stddev(n)) << "d = " << d << ", n = " << n;
      EXPECT_LT(n, saturations.critical_count(std::sqrt(d))) << "d = " << d << ", n = " << n;
    }
    publish("keys_of_8", fixed(saturations.critical_count(std::sqrt(8)), 0));
    publish("keys_of_64", digits(saturations.critical_count(8), 2));
    publish("keys_of_1", fixed(saturations.critical_count(1), 2));
    publish("d_of_512", fixed(std::pow(saturations.critical_stddev(512), 2), 1));
    publish("d_of_131072", fixed(std::pow(saturations.critical_stddev(131072), 1) *
                                     saturations.critical_stddev(131072),
                                 1));
    enumerated(30 + std::size(models));
    if (judging_a_mutant()) return;
    std::vector<std::vector<double>> rows;
    for (double log_count = std::log(2); log_count < std::log(2e7); log_count += 0.25)
      rows.push_back({2 * log_count, std::exp(log_count)});
    rows.push_back({});
    for (double n = 4; n <= 2e7; n *= 2)
      rows.push_back({std::pow(half_condensed_spread(saturations, n), 2), n});
    rows.push_back({});
    for (const auto& [d, n] : models) rows.push_back({d, n});
    rows.push_back({});
    for (const auto& [d, n] : models) rows.push_back({1, n});
    write_figure_data("saturation_phases", {"d", "n"}, rows);
  });
}

TEST(CondensationThreshold, KeysThatAreAllAlikeNeverCondense) {
  judge(condensation_mutants, [](const Saturations& saturations) {
    evidence().weaken(Grade::bounded);
    // One key, n times: its scores are equal, whatever the dimension and the number.
    for (const Index n : {2, 16, 512}) {
      const Vector<double> scores = Vector<double>::Constant(n, 1000);
      const double squares = saturations.weights(scores, 1).squaredNorm();
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
  });
}

TEST(CondensationThreshold, RefusesWhatCannotCondense) {
  judge(condensation_mutants, [](const Saturations& saturations) {
    EXPECT_THROW(saturations.critical_stddev(1), std::domain_error);
    EXPECT_THROW(saturations.critical_count(0), std::domain_error);
    EXPECT_THROW(saturations.condensed(2, 0), std::domain_error);
    EXPECT_THROW(saturations.energy_limit(2, -1), std::domain_error);
    EXPECT_THROW(saturations.energy_deficit(2, 0, 1), std::domain_error);
    EXPECT_THROW(saturations.condensation(1, 1, 1), std::domain_error);
  });
}

// -------------------------------------------------------------------------------- PriceOfTheRoot

/// The weights of a row of numbers 2^s, for integers s: a softmax of scores s·ln 2.
Row powers_of_two(const std::vector<int>& scores) {
  Row row;
  Rational sum = 0;
  for (const int s : scores) {
    row.push_back(s < 0 ? Rational(1, 1 << -s) : Rational(1 << s));
    sum += row.back();
  }
  for (Rational& weight : row) weight /= sum;
  return row;
}

/// The weights of two independent scores, each 0 or ln 2 like a fair coin.
RowLaw coin_rows() {
  return RowLaw::uniform(
      {powers_of_two({0, 0}), powers_of_two({0, 1}), powers_of_two({1, 0}), powers_of_two({1, 1})});
}

/// The law of Σpⱼvⱼ for independent weights and values.
RationalDistribution output_law(const RowLaw& weights, const RowLaw& values) {
  return independent(weights, values).image([](const std::pair<Row, Row>& draw) {
    return std::inner_product(draw.first.begin(), draw.first.end(), draw.second.begin(),
                              Rational(0));
  });
}

/// The joint law of the outputs of two rows, for values that depend on neither.
FiniteDistribution<std::pair<Rational, Rational>> two_outputs_law(const TwoRowsLaw& rows,
                                                                  const RowLaw& values) {
  return independent(rows, values).image([](const auto& draw) {
    const auto output = [&](const Row& p) {
      return std::inner_product(p.begin(), p.end(), draw.second.begin(), Rational(0));
    };
    return std::pair(output(draw.first.first), output(draw.first.second));
  });
}

/// Three values ±1 + μ of which each two, but not all three, are independent.
RowLaw pairwise_signs(const Rational& centre) {
  return RowLaw::uniform({{centre + 1, centre + 1, centre + 1},
                          {centre + 1, centre - 1, centre - 1},
                          {centre - 1, centre + 1, centre - 1},
                          {centre - 1, centre - 1, centre + 1}});
}

/// Two signs that are independent.
RowLaw two_signs() { return RowLaw::uniform({Row{1, 1}, Row{1, -1}, Row{-1, 1}, Row{-1, -1}}); }

/// A law of one to three rows of three weights.
RowLaw drawn_row_law() {
  const auto count =
      *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::size_t>(1, 4)).as("rows");
  const auto numbers = *rc::gen::container<std::vector<int>>(
                            3 * count, rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, 10)))
                            .as("weights, not normalized");
  std::vector<Row> rows;
  for (std::size_t i = 0; i < count; ++i) {
    const int* one = numbers.data() + 3 * i;
    const int sum = 1 + one[0] + one[1] + one[2];
    rows.push_back({Rational(1 + one[0], sum), Rational(one[1], sum), Rational(one[2], sum)});
  }
  return RowLaw::uniform(rows);
}

const Mutants price_mutants = {
    {"the square of the mean weights",
     "TheVarianceOfAnOutputIsTheMeanSumOfSquares",
     {.output_variance = [](const RowLaw& law) -> Rational {
       Rational sum = 0;
       for (std::size_t j = 0; j < law.atoms().front().outcome.size(); ++j) {
         const Rational mean = law.expectation([j](const Row& p) { return p[j]; });
         sum += mean * mean;
       }
       return sum;
     }}},
    {"the weights are not squared",
     "TheVarianceOfAnOutputIsTheMeanSumOfSquares",
     {.output_variance = [](const RowLaw&) -> Rational { return 1; }}},
    {"the sum of squares is squared",
     "TheVarianceOfAnOutputIsTheMeanSumOfSquares",
     {.output_variance = [](const RowLaw& law) -> Rational {
       const Rational squares = output_variance(law);
       return squares * squares;
     }}},
    {"all weights are 1/n",
     "TheWorkedCaseHasNineteenThirtySixths",
     {.output_variance = [](const RowLaw& law) -> Rational {
       return Rational(1, law.atoms().front().outcome.size());
     }}},
    {"every pair of rows has 1/n in common",
     "TwoOutputsShareTheMeanProduct",
     {.output_covariance = [](const TwoRowsLaw& law) -> Rational {
       return Rational(1, law.atoms().front().outcome.first.size());
     }}},
    {"two rows have 1/n² in common",
     "TwoOutputsShareTheMeanProduct",
     {.output_covariance = [](const TwoRowsLaw& law) -> Rational {
       return output_covariance(law) / law.atoms().front().outcome.first.size();
     }}},
    {"the squares of the first row",
     "TwoOutputsShareTheMeanProduct",
     {.output_covariance =
          [](const TwoRowsLaw& law) {
            return output_variance(
                law.image([](const std::pair<Row, Row>& rows) { return rows.first; }));
          }}},
    {"only the first key counts",
     "OtherValuesHaveAnotherVariance",
     {.output_variance = [](const RowLaw& law) -> Rational {
       return law.expectation([](const Row& p) -> Rational { return p[0] * p[0]; });
     }}},
    {"rows are independent whatever they share",
     "RowsThatShareMoreAreMoreAlike",
     {.output_covariance =
          [](const TwoRowsLaw& law) {
            const auto first =
                law.image([](const std::pair<Row, Row>& rows) { return rows.first; });
            const auto second =
                law.image([](const std::pair<Row, Row>& rows) { return rows.second; });
            return output_covariance(independent(first, second));
          }}},
    {"n is forgotten",
     "NormalScoresTendToAnExponential",
     {.correlation = [](double, double variance) { return 1 / variance; }}},
    {"half of the square of the spread",
     "NormalScoresTendToAnExponential",
     {.variance_at_least =
          [](double n, double b) {
            return output_variance_at_least(n, b) * std::exp(-b * b / 2);
          }}},
    {"the spread is doubled",
     "NormalScoresTendToAnExponential",
     {.variance_at_least =
          [](double n, double b) { return output_variance_at_least(n, b) * std::exp(b * b); }}},
    {"the largest term is left out of the bound",
     "NormalScoresTendToAnExponential",
     {.variance_at_least = [](double n, double b) { return std::exp(b * b) / n; }}},
    {"the temperature is ignored",
     "WhatTheRootTrades",
     {.fine_shared =
          [](double n, double d, double) {
            return remembered<shared_query_squared_weights>(n, d, 1.0, 512);
          }}},
    {"the query has twice the dimension",
     "WhatTheRootTrades",
     {.fine_shared =
          [](double n, double d, double t) {
            return remembered<shared_query_squared_weights>(n, 2 * d, t, 64);
          }}},
    {"the query's length is that of the root",
     "TheLimitsOfNormalQueriesAndKeys",
     {.scaled_price = [](double) { return std::exp(1.0); }}},
    {"1/d for 2/d",
     "TheLimitsOfNormalQueriesAndKeys",
     {.scaled_price = [](double d) { return std::pow(1 - 1 / d, -d / 2); }}},
    {"shared keys cost nothing",
     "TheLimitsOfNormalQueriesAndKeys",
     {.shared_key_factor = [](double) { return 1.0; }}},
    {"shared keys cost what shared queries do",
     "TheLimitsOfNormalQueriesAndKeys",
     {.shared_key_factor = sqrtdk::scaled_price}},
    {"1/d for 1/d²",
     "TheLimitsOfNormalQueriesAndKeys",
     {.shared_key_factor = [](double d) { return std::pow(1 - 1 / d, -d / 2); }}},
    {"the last position only",
     "ACausalHeadAveragesLessAtItsBeginning",
     {.causal = [](std::size_t n) { return Rational(1, n); }}},
    {"the first position is left out",
     "ACausalHeadAveragesLessAtItsBeginning",
     {.causal = [](std::size_t n) -> Rational {
       return causal_output_variance(n) - Rational(1, n);
     }}},
    {"the harmonic number is not divided",
     "ACausalHeadAveragesLessAtItsBeginning",
     {.causal = [](std::size_t n) -> Rational { return causal_output_variance(n) * n; }}},
    {"a head of four features is accepted",
     "RefusesWhatHasNoPrice",
     {.scaled_price = [](double d) { return d == 4 ? 4 : scaled_price(d); }}},
    {"rows of two lengths are cut",
     "RefusesWhatHasNoPrice",
     {.output_covariance = [](const TwoRowsLaw& law) -> Rational {
       return law.expectation([](const std::pair<Row, Row>& rows) -> Rational {
         return rows.first.size() == rows.second.size()
                    ? output_covariance(TwoRowsLaw::uniform({rows}))
                    : Rational(rows.first[0] * rows.second[0]);
       });
     }}},
    {"no keys are accepted",
     "RefusesWhatHasNoPrice",
     {.causal = [](std::size_t n) { return n == 0 ? Rational(0) : causal_output_variance(n); }}},
};

//! [PriceOfTheRoot]
TEST(PriceOfTheRoot, TheVarianceOfAnOutputIsTheMeanSumOfSquares) {
  judge(price_mutants, [](const Saturations& saturations) {
    const RowLaw fixed_law = RowLaw::uniform({powers_of_two({0, 1, 3}), powers_of_two({2, 0, 0})});
    for (const int centre : {0, 3}) {
      const RationalDistribution output = output_law(fixed_law, pairwise_signs(centre));
      EXPECT_EQ(variance(output), saturations.output_variance(fixed_law)) << "mean " << centre;
      EXPECT_EQ(mean(output), centre);
    }
    enumerated(2);
    for_all([&] {
      const RowLaw weights = drawn_row_law();
      const Rational centre = *any_rational().as("mean of the values");
      RC_ASSERT(variance(output_law(weights, pairwise_signs(centre))) ==
                saturations.output_variance(weights));
    });
  });
}

TEST(PriceOfTheRoot, TwoOutputsShareTheMeanProduct) {
  judge(price_mutants, [](const Saturations& saturations) {
    for_all([&] {
      const RowLaw first = drawn_row_law(), second = drawn_row_law();
      const TwoRowsLaw rows = independent(first, second);
      RC_ASSERT(covariance(two_outputs_law(rows, pairwise_signs(0))) ==
                saturations.output_covariance(rows));
      // A second row that prefers no key has 1/n in common with any that is independent of it.
      std::vector<Row> turned;
      for (const auto& atom : second.atoms())
        for (int turn = 0; turn < 3; ++turn) {
          Row row = atom.outcome;
          std::rotate(row.begin(), row.begin() + turn, row.end());
          turned.push_back(row);
        }
      RC_ASSERT(saturations.output_covariance(independent(first, RowLaw::uniform(turned))) ==
                Rational(1, 3));
    });
  });
}

TEST(PriceOfTheRoot, TheWorkedCaseHasNineteenThirtySixths) {
  judge(price_mutants, [](const Saturations& saturations) {
    const RowLaw weights = coin_rows();
    const TwoRowsLaw rows = independent(weights, weights);
    EXPECT_EQ(saturations.output_variance(weights), Rational(19, 36));
    EXPECT_EQ(saturations.output_covariance(rows), Rational(1, 2));
    // The same from all sixty-four draws of two rows and two signs.
    const auto outputs = two_outputs_law(rows, two_signs());
    EXPECT_EQ(variance(outputs.image([](const auto& pair) { return pair.first; })),
              Rational(19, 36));
    EXPECT_EQ(covariance(outputs), Rational(1, 2));
    enumerated(64);
  });
}
//! [PriceOfTheRoot]

TEST(PriceOfTheRoot, OtherValuesHaveAnotherVariance) {
  judge(price_mutants, [](const Saturations& saturations) {
    const RowLaw weights = coin_rows();
    const Rational price = saturations.output_variance(weights);
    // The same value under both keys: there is nothing to average.
    EXPECT_EQ(variance(output_law(weights, RowLaw::uniform({Row{1, 1}, Row{-1, -1}}))), 1);
    EXPECT_EQ(price, Rational(19, 36));
    counterexample_without("uncorrelated values");
    // Means 1 and −1: where the weights differ, so do the means of the outputs.
    const RowLaw apart = two_signs().image([](const Row& v) { return Row{v[0] + 1, v[1] - 1}; });
    EXPECT_EQ(variance(output_law(weights, apart)), price + Rational(1, 18));
    counterexample_without("common mean");
    // Values that are alike where the scores are, and opposite where they are not: uncorrelated,
    // but not independent of the weights.
    std::vector<Rational> outputs;
    Rational mean_product = 0;
    for (const auto& [p, probability] : weights.atoms())
      for (const int sign : {1, -1}) {
        const int other = p[0] == p[1] ? sign : -sign;
        for (int time = 0; time < 4 * probability; ++time) {
          outputs.push_back(p[0] * sign + p[1] * other);
          mean_product += Rational(sign * other, 8);
        }
      }
    EXPECT_EQ(outputs.size(), 8U);
    EXPECT_EQ(mean_product, 0);
    EXPECT_EQ(variance(RationalDistribution::uniform(outputs)), Rational(5, 9));
    counterexample_without("values independent of the weights");
    enumerated(8 + 16 + 8);
  });
}

TEST(PriceOfTheRoot, RowsThatShareMoreAreMoreAlike) {
  judge(price_mutants, [](const Saturations& saturations) {
    // One query twice: the outputs are one.
    const RowLaw weights = coin_rows();
    const TwoRowsLaw twice = weights.image([](const Row& p) { return std::pair(p, p); });
    EXPECT_EQ(saturations.output_covariance(twice), Rational(19, 36));
    // Two fair signs as queries, for three signs as keys that they share: scores ±ln 2.
    std::vector<std::pair<Row, Row>> rows;
    for (int keys = 0; keys < 8; ++keys)
      for (const int q : {1, -1})
        for (const int other : {1, -1}) {
          const auto of = [&](int query) {
            std::vector<int> scores;
            for (int j = 0; j < 3; ++j) scores.push_back(query * ((keys >> j & 1) == 1 ? 1 : -1));
            return powers_of_two(scores);
          };
          rows.emplace_back(of(q), of(other));
        }
    const Rational shared = saturations.output_covariance(TwoRowsLaw::uniform(rows));
    EXPECT_EQ(shared, Rational(97, 288));
    EXPECT_GT(shared, Rational(1, 3));
    counterexample_without("independent rows");
    // A key that all queries prefer, by ln 2.
    const RowLaw favourite = RowLaw::uniform({powers_of_two({1, 0})});
    EXPECT_EQ(saturations.output_covariance(independent(favourite, favourite)), Rational(5, 9));
    counterexample_without("no favourite key");
    enumerated(4 + 32 + 1);
  });
}

//! [PriceOfTheRoot: normal scores]
TEST(PriceOfTheRoot, NormalScoresTendToAnExponential) {
  judge(price_mutants, [](const Saturations& saturations) {
    evidence().weaken(Grade::bounded);
    of_the_statement();
    for (const double spread : {0.5, 1.0, 2.0}) {
      const double limit = std::exp(spread * spread);
      double before = 0;
      for (const double n : {1.0, 2.0, 5.0, 64.0, 512.0, 4096.0, 65536.0, 1e6}) {
        const double variance = saturations.squares(n, spread);
        EXPECT_GE(variance + mean_error_bound, saturations.variance_at_least(n, spread))
            << at(n, spread);
        // Below the limit, and nearer to it the more keys there are.
        EXPECT_LE(n * variance, limit + n * mean_error_bound) << at(n, spread);
        EXPECT_GT(n * variance, before) << at(n, spread);
        before = n * variance;
        const double correlation = saturations.correlation(n, variance);
        EXPECT_LE(1 / limit, correlation * (1 + 0x1p-16)) << at(n, spread);
        EXPECT_LE(correlation, 1 + n * mean_error_bound) << at(n, spread);
      }
      // At a million keys both are within a part of 1/100 of the limit, and the bound as well.
      EXPECT_GT(before, 0.99 * limit);
      EXPECT_GT(1e6 * saturations.variance_at_least(1e6, spread), 0.99 * limit);
      publish("limit_at_" + digits(spread, 2), fixed(100 / limit, 1));
    }
    // A single key leaves the bound no choice: it is e^(−3β²), for all of e^(2β²) is one term.
    for (const double spread : {0.0, 1.0, 2.0})
      expect_near(saturations.variance_at_least(1, spread), std::exp(-3 * spread * spread),
                  8 * std::numeric_limits<double>::epsilon(), at(1, spread));
    enumerated(3 * 8 + 3);
  });
}
//! [PriceOfTheRoot: normal scores]

TEST(PriceOfTheRoot, WhatTheRootTrades) {
  judge(price_mutants, [](const Saturations& saturations) {
    evidence().weaken(Grade::bounded);
    of_the_statement();
    // Normal queries and keys, d = 64, n = 512: raw, and divided by 8.
    constexpr double n = 512, d = 64;
    const Bounds raw = saturations.fine_shared(n, d, 1);
    const Bounds divided = saturations.fine_shared(n, d, 8);
    for (const auto& [temperature, fine] : {std::pair(1.0, raw), std::pair(8.0, divided)}) {
      const Bounds coarse = saturations.shared(n, d, temperature);
      EXPECT_LT(fine.lower, fine.upper) << "temperature " << temperature;
      EXPECT_LE(coarse.lower, fine.upper) << "temperature " << temperature;
      EXPECT_LE(fine.lower, coarse.upper) << "temperature " << temperature;
    }
    // A million keys: within a part of 1/100 of the limit.
    const Bounds many = saturations.fine_shared(1e6, d, 8);
    EXPECT_GT(1e6 * many.lower, 0.99 * saturations.scaled_price(d));
    EXPECT_LT(1e6 * many.upper, 1.01 * saturations.scaled_price(d));
    EXPECT_GT(raw.lower, 0.62);
    EXPECT_LT(divided.upper, 0.0054);
    publish("raw_least", rounded_down(raw.lower, 4));
    publish("raw_greatest", rounded_up(raw.upper, 4));
    publish("divided_least", rounded_down(divided.lower, 5));
    publish("divided_greatest", rounded_up(divided.upper, 5));
    const auto percent = [&](double variance) {
      return 100 * saturations.correlation(n, variance);
    };
    EXPECT_LT(percent(raw.lower), 0.32);
    EXPECT_GT(percent(divided.upper), 36);
    publish("raw_alike_least", rounded_down(percent(raw.upper), 3));
    publish("raw_alike_greatest", rounded_up(percent(raw.lower), 3));
    publish("divided_alike_least", rounded_down(percent(divided.upper), 1));
    publish("divided_alike_greatest", rounded_up(percent(divided.lower), 1));
    publish("factor_least", rounded_down(raw.lower / divided.upper, 0));
    enumerated(3);
    if (judging_a_mutant()) return;
    std::vector<std::vector<double>> rows;
    for (double keys = 2; keys <= 1.1e6; keys *= 2) {
      const double unscaled = saturations.squares(keys, 8), scaled = saturations.squares(keys, 1);
      rows.push_back({keys, unscaled, scaled, saturations.correlation(keys, unscaled),
                      saturations.correlation(keys, scaled)});
    }
    write_figure_data(
        "saturation_price",
        {"n", "variance_unscaled", "variance_scaled", "alike_unscaled", "alike_scaled"}, rows);
  });
}

/// E f(R) for R² ~ χ²_d, by the trapezoidal rule: R deviates from √d by about √½, and eleven of
/// its deviations leave nothing outside.
template <class Function>
double over_lengths(double d, Function function) {
  double sum = 0, mass = 0;
  for (int i = -256; i <= 256; ++i) {
    const double r = std::sqrt(d) + i / 32.0;
    if (r <= 0) continue;
    const double density = std::exp((d - 1) * std::log(r / std::sqrt(d)) - (r * r - d) / 2);
    sum += density * function(r);
    mass += density;
  }
  return sum / mass;
}

TEST(PriceOfTheRoot, TheLimitsOfNormalQueriesAndKeys) {
  judge(price_mutants, [](const Saturations& saturations) {
    evidence().weaken(Grade::measured);
    for (const double d : {64.0, 128.0, 256.0}) {
      // E e^(R²/d), and E e^(q·q′/d) = E e^(R²/2d²), where R is the length of a query.
      const double price = over_lengths(d, [d](double r) { return std::exp(r * r / d); });
      const double factor =
          over_lengths(d, [d](double r) { return std::exp(r * r / (2 * d * d)); });
      const std::string where = "d = " + digits(d, 3);
      expect_near(saturations.scaled_price(d), price, 0x1p-40 * price, where);
      expect_near(saturations.shared_key_factor(d), factor, 0x1p-40 * factor, where);
    }
    const double limit = saturations.scaled_price(64);
    publish("price_of_64", fixed(limit, 3));
    publish("alike_of_64", fixed(100 * saturations.shared_key_factor(64) / limit, 1));
    publish("factor_of_64", fixed(saturations.shared_key_factor(64), 4));
    enumerated(6);
  });
}

TEST(PriceOfTheRoot, ACausalHeadAveragesLessAtItsBeginning) {
  judge(price_mutants, [](const Saturations& saturations) {
    Rational sum = 0;
    for (std::size_t n = 1; n <= 64; ++n) {
      // Equal scores at position n: weights 1/n.
      sum += sqrtdk::output_variance(RowLaw::uniform({Row(n, Rational(1, n))}));
      EXPECT_EQ(saturations.causal(n), sum / n) << n << " positions";
    }
    publish("of_512", fixed(static_cast<double>(saturations.causal(512)), 4));
    publish("last_of_512", fixed(1.0 / 512, 4));
    enumerated(64);
  });
}

TEST(PriceOfTheRoot, RefusesWhatHasNoPrice) {
  judge(price_mutants, [](const Saturations& saturations) {
    EXPECT_THROW(saturations.output_covariance(TwoRowsLaw::uniform({std::pair(Row{1}, Row{1, 0})})),
                 std::invalid_argument);
    EXPECT_THROW(saturations.correlation(0.5, 1), std::domain_error);
    EXPECT_THROW(saturations.correlation(5, 0), std::domain_error);
    EXPECT_THROW(saturations.variance_at_least(0, 1), std::domain_error);
    EXPECT_THROW(saturations.variance_at_least(5, -1), std::domain_error);
    EXPECT_THROW(saturations.variance_at_least(5, 17), std::domain_error);
    EXPECT_THROW(saturations.scaled_price(4), std::domain_error);
    EXPECT_THROW(saturations.shared_key_factor(4), std::domain_error);
    EXPECT_THROW(saturations.causal(0), std::domain_error);
  });
}

// ------------------------------------------------------------------------------ WhenScalingMatters

const Mutants matters_mutants = {
    {"the spread is d",
     "TheImpactGrowsWithTheDimension",
     {.impact =
          [](double n, double d, double s) {
            return remembered<mean_squared_weights>(n, std::min(s * d, 64.0)) -
                   remembered<mean_squared_weights>(n, s);
          }}},
    {"the scaled part is not subtracted",
     "TheImpactGrowsWithTheDimension",
     {.impact = [](double n, double d,
                   double s) { return remembered<mean_squared_weights>(n, s * std::sqrt(d)); }}},
    {"the impact is the same for all dimensions",
     "TheImpactGrowsWithTheDimension",
     {.impact = [](double n, double, double s) { return remembered<scaling_impact>(n, 64, s); }}},
    {"the number of keys is ignored",
     "LargeIsMeasuredAgainstTheNumberOfKeys",
     {.impact = [](double, double d, double s) { return remembered<scaling_impact>(5, d, s); }}},
    {"ln n is critical",
     "LargeIsMeasuredAgainstTheNumberOfKeys",
     {.critical_stddev = [](double n) { return std::log(n); }}},
    {"the deviation is ignored",
     "SmallWeightsScaleThemselves",
     {.impact = [](double n, double d, double) { return remembered<scaling_impact>(n, d, 1); }}},
    {"the match is one of the keys",
     "AMatchingKeyMustOutweighTheOthers",
     {.log_match =
          [](double n, double b, double h) {
            return remembered<mean_log_match>(std::max(n - 1, 1.0), b, h);
          }}},
    {"the match has no weight of its own",
     "AMatchingKeyMustOutweighTheOthers",
     {.log_match = [](double n, double b,
                      double h) { return h - remembered<mean_log_sum>(n, b); }}},
    {"the others have no spread",
     "AMatchingKeyMustOutweighTheOthers",
     {.match_bounds =
          [](double n, double b, double h) {
            const Bounds right = remembered<log_match_bounds>(n, b, h);
            return Bounds{-std::log1p(n * std::exp(-h)), right.upper};
          }}},
    {"β² instead of its half, for a strong match",
     "AMatchingKeyMustOutweighTheOthers",
     {.match_bounds =
          [](double n, double b, double h) {
            const Bounds right = remembered<log_match_bounds>(n, b, h);
            return Bounds{-std::log1p(n * std::exp(b * b - h)), right.upper};
          }}},
    {"the bounds of a match forget the others' spread",
     "AMatchingKeyMustOutweighTheOthers",
     {.match_bounds =
          [](double n, double b, double h) {
            const Bounds right = remembered<log_match_bounds>(n, b, h);
            return Bounds{right.lower, right.lower};
          }}},
    {"the bounds of a match overflow",
     "TheBoundsOfAMatchHoldToTheEdgeOfTheirDomain",
     {.match_bounds =
          [](double n, double b, double h) {
            return Bounds{-std::log1p(n * std::exp(b * b / 2 - h)),
                          -std::log1p(std::exp(remembered<mean_log_sum>(n, b) - h))};
          }}},
    {"a match below all others has their weight",
     "TheBoundsOfAMatchHoldToTheEdgeOfTheirDomain",
     {.log_match = [](double n, double b,
                      double h) { return remembered<mean_log_match>(n, b, std::max(h, -9.0)); }}},
    {"every match scores the mean",
     "AMatchHasARandomScore",
     {.log_match = [](double n, double b,
                      double) { return remembered<mean_log_match>(n, b, b * b / 2); }}},
    {"the match is counted among the others",
     "AMatchHasARandomScore",
     {.log_match =
          [](double n, double b, double h) {
            return std::min(-std::log(2.0), remembered<mean_log_match>(n, b, h));
          }}},
    {"a dimension of 0 is accepted",
     "RefusesWhatDoesNotMatter",
     {.impact = [](double n, double d,
                   double s) { return remembered<scaling_impact>(n, std::max(d, 1.0), s); }}},
    {"a match below -512 is accepted",
     "RefusesWhatDoesNotMatter",
     {.log_match = [](double n, double b,
                      double h) { return remembered<mean_log_match>(n, b, std::max(h, -512.0)); }}},
};

//! [WhenScalingMatters]
TEST(WhenScalingMatters, TheImpactGrowsWithTheDimension) {
  judge(matters_mutants, [](const Saturations& saturations) {
    evidence().weaken(Grade::bounded);
    of_the_statement();
    for (const std::size_t n : {2U, 5U, 512U, 4096U}) {
      const double count = static_cast<double>(n);
      EXPECT_EQ(saturations.impact(count, 1, 1), 0) << n << " keys";
      double before = 0;
      for (const double d : {4.0, 16.0, 64.0, 256.0, 1024.0}) {
        const double impact = saturations.impact(count, d, 1);
        EXPECT_GT(impact, before + 2 * mean_error_bound) << n << " keys, d = " << d;
        // The unscaled part is at least 1 − E M/√d.
        EXPECT_GE(impact, 1 - largest(n) / std::sqrt(d) - saturations.squares(count, 1) -
                              2 * integral_error_bound)
            << n << " keys, d = " << d;
        before = impact;
        publish("of_" + std::to_string(n) + "_at_" + digits(d, 4), fixed(impact, 2));
      }
    }
    // A single key has all of the weight, scaled or not.
    for (const double d : {1.0, 64.0, 4096.0})
      EXPECT_LE(std::abs(saturations.impact(1, d, 1)), 2 * mean_error_bound) << "d = " << d;
    enumerated(27);
  });
}

TEST(WhenScalingMatters, LargeIsMeasuredAgainstTheNumberOfKeys) {
  judge(matters_mutants, [](const Saturations& saturations) {
    evidence().weaken(Grade::bounded);
    of_the_statement();
    // d = 8 is large for 5 keys and small for 4096: 2 ln n is 3.2 and 16.6.
    EXPECT_GT(std::sqrt(8), saturations.critical_stddev(5));
    EXPECT_LT(std::sqrt(8), saturations.critical_stddev(4096));
    EXPECT_GT(std::sqrt(9), saturations.critical_stddev(64));  // 2 ln 64 is 8.3
    EXPECT_GT(saturations.impact(5, 8, 1), 0.25);
    EXPECT_LT(saturations.impact(4096, 8, 1), 0.1);
    // And 64 is large for 4096 keys, but would not be for more than e³².
    EXPECT_GT(saturations.impact(4096, 64, 1), 0.5);
    EXPECT_LT(saturations.impact(1e24, 64, 1), 0.01);
    // At the threshold itself, d = 2 ln n, numbers of keys that occur are far from the limit 0, and
    // far from 1.
    for (const double n : {5.0, 512.0, 4096.0, 1e6}) {
      const double impact = saturations.impact(n, std::pow(critical_stddev(n), 2), 1);
      EXPECT_GT(impact, 0.1) << n << " keys";
      EXPECT_LT(impact, 0.3) << n << " keys";
      publish("at_threshold_of_" + digits(n, 4), fixed(impact, 2));
    }
    publish("of_5_at_8", fixed(saturations.impact(5, 8, 1), 2));
    publish("of_4096_at_8", fixed(saturations.impact(4096, 8, 1), 2));
    publish("critical_of_5", fixed(std::pow(saturations.critical_stddev(5), 2), 1));
    publish("critical_of_4096", fixed(std::pow(saturations.critical_stddev(4096), 2), 1));
    enumerated(7);
    counterexample_without("head large for the number of keys");
    sharpens("S3", "head large for the number of keys");
    if (judging_a_mutant()) return;
    std::vector<std::vector<double>> rows;
    for (double d = 1; d <= 257; d *= std::sqrt(2)) {
      std::vector<double> row = {d};
      for (const double n : {5.0, 512.0, 4096.0}) {
        row.push_back(std::exp(remembered<mean_entropy>(n, std::sqrt(d))));
        row.push_back(std::exp(remembered<mean_entropy>(n, 1.0)));
      }
      rows.push_back(row);
    }
    write_figure_data("saturation_positions",
                      {"d", "unscaled_of_5", "scaled_of_5", "unscaled_of_512", "scaled_of_512",
                       "unscaled_of_4096", "scaled_of_4096"},
                      rows);
  });
}
//! [WhenScalingMatters]

TEST(WhenScalingMatters, SmallWeightsScaleThemselves) {
  judge(matters_mutants, [](const Saturations& saturations) {
    evidence().weaken(Grade::bounded);
    of_the_statement();
    // Entries of q and k with standard deviation √½ each: at d = 64 the spread is 4 and not 8.
    const double impact = saturations.impact(512, 64, 0.5);
    expect_near(impact, saturations.squares(512, 4) - saturations.squares(512, 0.5),
                2 * mean_error_bound, "standard deviation one half");
    EXPECT_LT(impact, 0.5 * saturations.impact(512, 64, 1));
    // A projection of 768 standardized features by weights of standard deviation 0.02 leaves the
    // entries a variance of 768 · 0.02² = 0.3072, and unscaled scores a spread of 8 · 0.3072.
    const double spread = 8 * 768 * 0.02 * 0.02;
    EXPECT_LT(spread, saturations.critical_stddev(512));
    EXPECT_LT(saturations.squares(512, spread), 0.25 * saturations.squares(512, 8));
    publish("spread", fixed(spread, 2));
    publish("critical", fixed(saturations.critical_stddev(512), 2));
    publish("squares", fixed(saturations.squares(512, spread), 2));
    publish("squares_of_unit_variance", fixed(saturations.squares(512, 8), 2));
    publish("impact_of_half", fixed(impact, 2));
    enumerated(4);
    counterexample_without("unit variance");
  });
}

TEST(WhenScalingMatters, AMatchingKeyMustOutweighTheOthers) {
  judge(matters_mutants, [](const Saturations& saturations) {
    evidence().weaken(Grade::bounded);
    of_the_statement();
    for (const double n : {1.0, 5.0, 512.0, 1e6})
      for (const double spread : {1.0, 2.0, 8.0})
        for (const double match : {0.0, 1.0, 4.0, 16.0, 32.0}) {
          const Bounds bounds = saturations.match_bounds(n, spread, match);
          const std::string where = at(n, spread) + ", match " + digits(match, 3);
          const double log_weight = saturations.log_match(n, spread, match);
          expect_within(log_weight, bounds, 2 * mean_error_bound, where);
          const double energy = remembered<mean_log_sum>(n, spread);
          expect_near(bounds.upper, -std::log1p(std::exp(energy - match)), 2 * mean_error_bound,
                      where);
          // ln(1 + x) ≥ x − x²/2: for a strong match the lower bound gives away no more than half
          // the mean square of Σe^(βZ − h).
          const double square = spread * spread;
          const double half_mean_square =
              (n * std::exp(2 * square - 2 * match) + n * (n - 1) * std::exp(square - 2 * match)) /
              2;
          EXPECT_LE(log_weight, bounds.lower + half_mean_square + 2 * mean_error_bound) << where;
        }
    // Among 512 others at d = 64, a fixed score of 32: scaled, 4.
    const double unscaled = saturations.log_match(512, 8, 32);
    const double scaled = saturations.log_match(512, 1, 4);
    EXPECT_GT(unscaled, std::log(0.9));
    EXPECT_LT(scaled, std::log(0.1));
    publish("fixed_unscaled", fixed(std::exp(unscaled), 2));
    publish("fixed_scaled", fixed(std::exp(scaled), 2));
    publish("needed", fixed(std::log(512) + 0.5, 1));
    publish("noise", fixed(8 * largest(512), 0));
    enumerated(60);
  });
}

/// E ln p of a key whose entries have correlation ½ with those of a standard normal query, among
/// 512 random ones at d = 64, all scores divided by τ. Given the query's length R its score is
/// ½R² + √¾ RZ and that of the others RZᵢ, so that this is the mean of log_match() over R and Z, by
/// the trapezoidal rule.
double correlated_match(double (*log_match)(double, double, double), double temperature,
                        double step_of_z) {
  // R deviates from 8 by about √½, and its density is analytic; five deviations, and six of Z,
  // leave less than 10⁻⁶ outside.
  constexpr double d = 64, step_of_radius = 0.7;
  double sum = 0, mass = 0;
  for (int i = -5; i <= 5; ++i) {
    const double radius = std::sqrt(d) + step_of_radius * i;
    // but for a constant, which the mass divides out
    const double density =
        std::exp((d - 1) * std::log(radius / std::sqrt(d)) - (radius * radius - d) / 2);
    for (double z = -6; z <= 6; z += step_of_z) {
      const double match = (radius / 2 + std::sqrt(0.75) * z) * radius / temperature;
      const double weight = density * std::exp(-z * z / 2);
      sum += weight * log_match(512, radius / temperature, match);
      mass += weight;
    }
  }
  return sum / mass;
}

/// The same mean and its standard deviation, from vectors that are drawn, always the same ones: a
/// key is ½q + √¾ times a random one.
std::pair<double, double> drawn_match(double temperature) {
  Stream stream = stream_of(1, "match");
  boost::random::normal_distribution<double> normal;
  constexpr int draws = 4000;
  double sum = 0, squares = 0;
  for (int i = 0; i < draws; ++i) {
    Vector<double> query(64), key(64);
    for (double& entry : query) entry = normal(stream);
    for (Index j = 0; j < 64; ++j) key[j] = query[j] / 2 + std::sqrt(0.75) * normal(stream);
    const double match = query.dot(key);
    double others = 0;
    for (int j = 0; j < 512; ++j)
      others += std::exp((query.norm() * normal(stream) - match) / temperature);
    sum += std::log1p(others);
    squares += std::pow(std::log1p(others), 2);
  }
  const double mean = sum / draws;
  return {-mean, std::sqrt((squares / draws - mean * mean) / draws)};
}

TEST(WhenScalingMatters, AMatchHasARandomScore) {
  judge(matters_mutants, [](const Saturations& saturations) {
    evidence().weaken(Grade::measured);
    for (const double temperature : {1.0, 8.0}) {
      const double mean = correlated_match(saturations.log_match, temperature, 0.5);
      // How far off it is was measured: a grid that is half as fine agrees.
      const double coarse = correlated_match(saturations.log_match, temperature, 1);
      expect_near(mean, coarse, 0x1p-10, "steps of one half and of 1");
      const auto [seen, deviation] = remembered<drawn_match>(temperature);
      EXPECT_LE(std::abs(seen - mean), 4 * deviation) << "temperature " << temperature;
      publish(temperature == 1 ? "unscaled" : "scaled", fixed(std::exp(mean), 2));
    }
    EXPECT_LT(correlated_match(saturations.log_match, 1, 0.5),
              saturations.log_match(512, 8, 32) - 0.5);
    publish("deviation", fixed(std::sqrt(64 * (1 + 0.25)), 1));
    enumerated(2);
    counterexample_without("at random initialization");
  });
}

TEST(WhenScalingMatters, TheBoundsOfAMatchHoldToTheEdgeOfTheirDomain) {
  judge(matters_mutants, [](const Saturations& saturations) {
    evidence().weaken(Grade::bounded);
    for (const double n : {1.0, 2.0, most_condensing_keys})
      for (const double spread : {0.5, 64.0}) {
        for (const double match : {-512.0, 0.0, 512.0}) {
          const Bounds bounds = saturations.match_bounds(n, spread, match);
          const std::string where = at(n, spread) + ", match " + digits(match, 3);
          EXPECT_TRUE(std::isfinite(bounds.lower) && std::isfinite(bounds.upper)) << where;
          expect_within(saturations.log_match(n, spread, match), bounds, 2 * mean_error_bound,
                        where);
        }
        // So far below the others that it does not count among them.
        expect_near(saturations.log_match(n, spread, -512),
                    -512 - remembered<mean_log_sum>(n, spread), 2 * mean_error_bound,
                    at(n, spread));
        for (const double match : {-1e308, 1e308}) {
          const Bounds bounds = saturations.match_bounds(n, spread, match);
          EXPECT_EQ(bounds.lower, std::min(match, 0.0)) << at(n, spread);
          EXPECT_EQ(bounds.upper, std::min(match, 0.0)) << at(n, spread);
        }
      }
    enumerated(36);
  });
}

TEST(WhenScalingMatters, RefusesWhatDoesNotMatter) {
  judge(matters_mutants, [](const Saturations& saturations) {
    EXPECT_THROW(saturations.impact(5, 0, 1), std::domain_error);
    EXPECT_THROW(saturations.impact(5, 64, 0.25), std::domain_error);
    EXPECT_THROW(saturations.impact(5, 64, 9), std::domain_error);
    EXPECT_THROW(saturations.log_match(5, 1, -513), std::domain_error);
    EXPECT_THROW(saturations.log_match(5, 1, 513), std::domain_error);
    EXPECT_THROW(saturations.match_bounds(5, 0, 1), std::domain_error);
  });
}

}  // namespace
