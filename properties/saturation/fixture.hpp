// Code shared by the claims of chapter \ref saturation.
#pragma once

#include <sqrtdk/moments/finite_distribution.hpp>
#include <sqrtdk/saturation.hpp>
#include <sqrtdk/softmax.hpp>
#include <sqrtdk/softmax/examples.hpp>
#include <sqrtdk/softmax_jacobian/mean_norms.hpp>
#include <sqrtdk/testing/kit.hpp>
#include <sqrtdk/testing/reporting/source_location.hpp>
#include <sqrtdk/testing/statistics/checks.hpp>
#include <sqrtdk/testing/statistics/confidence_interval.hpp>
#include <sqrtdk/testing/statistics/intervals.hpp>
#include <sqrtdk/testing/statistics/sample_size.hpp>
#include <sqrtdk/testing/statistics/streams.hpp>

#include <boost/math/constants/constants.hpp>
#include <boost/random/normal_distribution.hpp>

namespace sqrtdk::properties {
inline namespace chapter_saturation {

using namespace sqrtdk::testing;

namespace constants = boost::math::constants;

template <class Scalar>
using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
using Index = Eigen::Index;
using Bounds = Interval<double>;

inline Vector<double> library_row(double d, Index n, Stream& stream) {
  return sample_score_row(d, n, stream);
}

inline Vector<double> library_weights(const Vector<double>& scores, double temperature) {
  return softmax(scores, temperature);
}

using Row = std::vector<Rational>;
using RowDistribution = FiniteDistribution<Row>;
using TwoRowsDistribution = FiniteDistribution<std::pair<Row, Row>>;

inline Bounds shared_query(double n, double d, double temperature) {
  return shared_query_squared_weights(n, d, temperature);
}

/// The functions that this chapter's checks call, one of which a mutant replaces.
struct Subject {
  Vector<double> (*row)(double, Index, Stream&) = library_row;
  Vector<double> (*weights)(const Vector<double>&, double) = library_weights;
  double (*gap_tail)(std::size_t, double) = [](std::size_t n, double gap) {
    return memoized<top_gap_tail>(n, gap);
  };
  double (*small_gap)(std::size_t, double, double) = [](std::size_t n, double b, double gap) {
    return memoized<small_gap_bound>(n, b, gap);
  };
  Bounds (*dominance)(std::size_t, double, double) = [](std::size_t n, double b, double level) {
    return memoized<dominance_bounds>(n, b, level);
  };
  double (*two_key_dominance)(double, double) = sqrtdk::two_key_dominance;
  double (*squares)(double, double) = [](double n, double b) {
    return memoized<mean_squared_weights>(n, b);
  };
  double (*largest_weight)(std::size_t, double) = [](std::size_t n, double b) {
    return memoized<mean_largest_weight>(n, b);
  };
  double mean_bound = mean_error_bound;
  double (*log_sum)(double, double) = [](double n, double b) {
    return memoized<mean_log_sum>(n, b);
  };
  double (*entropy)(double, double) = [](double n, double b) {
    return memoized<mean_entropy>(n, b);
  };
  double (*positions)(double, double) = [](double n, double b) {
    return memoized<effective_positions>(n, b);
  };
  Bounds (*shared)(double, double, double) = [](double n, double d, double temperature) {
    return memoized<shared_query>(n, d, temperature);
  };
  Bounds (*squares_bounds)(std::size_t, double) = [](std::size_t n, double b) {
    return memoized<squared_weights_bounds>(n, b);
  };
  double (*entropy_at_least)(double, double) = sqrtdk::entropy_at_least;
  double (*entropy_constant)(std::size_t) = [](std::size_t n) {
    return memoized<sqrtdk::entropy_constant>(n);
  };
  Bounds (*entropy_bounds)(std::size_t, double) = [](std::size_t n, double b) {
    return memoized<sqrtdk::entropy_bounds>(n, b);
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
    return memoized<scaling_impact>(n, d, deviation);
  };
  double (*log_match)(double, double, double) = [](double n, double b, double match) {
    return memoized<mean_log_match>(n, b, match);
  };
  Bounds (*match_bounds)(double, double, double) = [](double n, double b, double match) {
    return memoized<log_match_bounds>(n, b, match);
  };
  Rational (*output_variance)(const RowDistribution&) = sqrtdk::output_variance;
  Rational (*output_covariance)(const TwoRowsDistribution&) = sqrtdk::output_covariance;
  double (*correlation)(double, double) = output_correlation;
  double (*variance_at_least)(double, double) = output_variance_at_least;
  Bounds (*fine_shared)(double, double, double) = [](double n, double d, double temperature) {
    return memoized<shared_query_squared_weights>(n, d, temperature, 512);
  };
  double (*scaled_price)(double) = sqrtdk::scaled_price;
  double (*shared_key_factor)(double) = sqrtdk::shared_key_factor;
  Rational (*causal)(std::size_t) = causal_output_variance;
};

inline constexpr std::size_t key_counts[] = {2, 3, 5, 64, 512, 4096};

inline const ErrorRates usual_rates{0x1p-30, 0x1p-30};

inline void expect_between(double value, const Bounds& bounds, double error,
                           const std::string& where) {
  EXPECT_LE(bounds.lower, value + error) << where;
  EXPECT_LE(value, bounds.upper + error) << where;
}

/// Expects `value` at most `bound`; inside for_all() the case ends if it is not.
inline void expect_at_most(double value, double bound, const std::string& where,
                           SourceLocation place = SourceLocation::current()) {
  expect_at(value <= bound,
            format_shortest(value) + " exceeds " + format_shortest(bound) + ": " + where, place);
}

/// From 1 to 10³⁰, each order of magnitude as likely as another.
inline double drawn_key_count() {
  return std::round(std::pow(10, *rc::gen::inRange(0, 301).as("10 log₁₀ n") / 10.0));
}

inline double drawn_spread() { return *rc::gen::inRange(8, 1025).as("16 β") / 16.0; }

inline std::string at(double n, double spread) {
  return format_significant(n, 4) + " keys, spread " + format_significant(spread, 4);
}

inline double largest(std::size_t n) { return memoized<expected_maximum>(n); }

/// Maurer and Pontil's interval for the mean of independent numbers in [0, 1], at the ledger's α.
inline ConfidenceInterval mean_interval(const std::vector<double>& sample) {
  return report_interval(
      sample.size(), [&](double alpha) { return sqrtdk::testing::mean_interval(sample, alpha); });
}

inline void record_interval(const std::string& name, const ConfidenceInterval& interval,
                            int places) {
  record_value(name, format_fixed(interval.estimate, places));
  record_value(name + "_low", rounded_down(interval.lower, places));
  record_value(name + "_high", rounded_up(interval.upper, places));
}

struct Seen {
  std::vector<double> largest;  // p_max
  std::vector<double> squares;  // Σp²
  std::vector<double> entropy;  // H/ln n
  std::vector<double> gap;      // between the two largest scores, before the division
};

/// A way to draw rows of scores: independent N(0, d), or with a query that they share.
using Drawing = Vector<double> (*)(double d, Index n, Stream& stream);

inline Vector<double> independent_row(double d, Index n, Stream& stream) {
  boost::random::normal_distribution<double> normal(0, std::sqrt(d));
  Vector<double> scores(n);
  for (double& score : scores) score = normal(stream);
  return scores;
}

inline Seen look(const Subject& subject, Drawing drawing, double d, Index n, double temperature,
                 std::size_t rows) {
  Stream stream = next_stream();
  static std::map<std::tuple<std::uint64_t, Drawing, decltype(subject.weights), double, Index,
                             double, std::size_t>,
                  Seen>
      known;
  Stream first = stream;
  Seen& seen = known[{first(), drawing, subject.weights, d, n, temperature, rows}];
  if (!seen.largest.empty()) return seen;
  for (std::size_t i = 0; i < rows; ++i) {
    Vector<double> scores = drawing(d, n, stream);
    const Vector<double> p = subject.weights(scores, temperature);
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

/// Enough rows to tell ½ from a probability 1/50 away, or 1/20 for more keys, which cost more.
inline std::size_t rows_for(Index n) {
  return sample_size(CountCheck(0.5), usual_rates, n < 100 ? 0.02 : 0.05);
}

template <int numerator, int denominator>
Vector<double> weights_at_wrong_temperature(const Vector<double>& s, double t) {
  return softmax(s, t * numerator / denominator);
}

/// Expects that what is seen of rows agrees with the integrals, and records it. Each interval
/// misses the expectation with probability α, and the expectation is known up to the error of the
/// integrals.
/// \return the mean of the largest weight of independent scores: an integral, and not simulated.
inline double expect_at_64(const Subject& subject, Index n, double temperature) {
  const double count = static_cast<double>(n);
  const double spread = 8 / temperature;
  const std::string keys = "_for_" + std::to_string(n);
  const auto expect_inside = [&](const Bounds& exact, double error,
                                 const ConfidenceInterval& interval) {
    EXPECT_LE(interval.lower, exact.upper + error) << n << " keys";
    EXPECT_LE(exact.lower, interval.upper + error) << n << " keys";
  };
  // Independent scores N(0, 64): means of Σp², H and p_max are integrals.
  const double squares = subject.squares(count, spread);
  const double entropy = subject.entropy(count, spread);
  const double largest = subject.largest_weight(static_cast<std::size_t>(n), spread);
  const Seen seen = look(subject, independent_row, 64, n, temperature, rows_for(n));
  const ConfidenceInterval top = mean_interval(seen.largest);
  expect_inside({squares, squares}, mean_error_bound, mean_interval(seen.squares));
  const double part = entropy / std::log(count);
  expect_inside({part, part}, (1 + spread * spread) * mean_error_bound,
                mean_interval(seen.entropy));
  expect_inside({largest, largest}, integral_error_bound, top);
  // One query's scores: the mean of Σp² is enclosed, that of p_max lies between it and its root.
  const Bounds bounds = subject.shared(count, 64, temperature);
  const Seen shared = look(subject, library_row, 64, n, temperature, rows_for(n));
  const ConfidenceInterval shared_top = mean_interval(shared.largest);
  expect_inside(bounds, 0, mean_interval(shared.squares));
  expect_inside({bounds.lower, std::sqrt(bounds.upper)}, 0, shared_top);
  record_value("exact" + keys, format_fixed(largest, 4));
  record_interval("largest" + keys, top, 3);
  record_interval("shared" + keys, shared_top, 3);
  record_value("squares" + keys, format_significant(squares, squares > 0.1 ? 3 : 2));
  record_value("entropy" + keys, format_fixed(entropy, 3));
  record_value("positions" + keys, format_significant(std::exp(entropy), 3));
  return largest;
}

}  // namespace chapter_saturation
}  // namespace sqrtdk::properties
