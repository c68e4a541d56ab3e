#include "properties/saturation/fixture.hpp"

#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/special_functions/bessel.hpp>

namespace sqrtdk::properties::UnscaledSaturates {

constexpr double spreads[] = {0.5, 1, 2, 4, 8};

/// The distribution of ¼Σsⱼ² for the two scores of one query in two dimensions: a product of two
/// independent exponential variables.
struct ProductOfExponentials {};

double cdf(const ProductOfExponentials&, double x) {
  if (x <= 0) return 0;
  const double root = 2 * std::sqrt(x);
  return 1 - root * boost::math::cyl_bessel_k(1, root);
}

/// The number of random numbers taken from a stream since `begin`, if fewer than `most`.
std::size_t numbers_taken(Stream begin, Stream now, std::size_t most) {
  const auto next = now();
  for (std::size_t taken = 0; taken < most; ++taken)
    if (begin() == next) return taken;
  return most;
}

//! [UnscaledSaturates: second route]
STATEMENT(UnscaledSaturates, TheMeanOfTheSquaresIsTheOneOfTheGradient) {
  evidence().rests_on(EvidenceLevel::bounded);
  for (const double spread : spreads) {
    expect_near(subject.squares(1, spread), 1, mean_error_bound, at(1, spread));
    // E tr J = 1 − E Σp², from integrals that round elsewhere; for two keys also from the two-key
    // gradient, whose norm is the trace.
    for (const std::size_t n : key_counts)
      expect_near(subject.squares(double(n), spread), 1 - memoized<mean_jacobian_trace>(n, spread),
                  mean_error_bound + integral_error_bound, at(double(n), spread));
    expect_near(subject.squares(2, spread), 1 - two_key_mean_norm(spread * spread, 1.0),
                mean_error_bound + two_key_error_bound<double>(), at(2, spread));
  }
  enumerated(std::size(spreads) * (2 + std::size(key_counts)));
}
//! [UnscaledSaturates: second route]
KILLS("the sum of squares of one key more",
      {.squares = [](double n, double b) { return memoized<mean_squared_weights>(n + 1, b); }});
KILLS("the sum of squares is not multiplied by n",
      {.squares = [](double n, double b) { return memoized<mean_squared_weights>(n, b) / n; }});
KILLS("the spread is halved", {.squares = [](double n, double b) {
        return memoized<mean_squared_weights>(n, std::max(b / 2, 0.5));
      }});

/// The integral over gaps from 0 to 20, good to 2⁻³² for what is here, at spreads up to 8.
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
STATEMENT(UnscaledSaturates, TheMeanOfTheLargestWeightIsAnIntegral) {
  evidence().rests_on(EvidenceLevel::bounded);
  for (const double spread : spreads) {
    expect_near(subject.largest_weight(2, spread), memoized<largest_of_two>(spread),
                2 * integral_error_bound, at(2, spread));
    expect_near(subject.largest_weight(3, spread), memoized<largest_of_three>(spread),
                2 * integral_error_bound, at(3, spread));
    for (const std::size_t n : key_counts) {
      // Between Σp² and its root.
      const double squares = subject.squares(double(n), spread);
      const double largest = subject.largest_weight(n, spread);
      EXPECT_LE(squares, largest + integral_error_bound + mean_error_bound)
          << at(double(n), spread);
      EXPECT_LE(largest, std::sqrt(squares) + 2 * integral_error_bound) << at(double(n), spread);
    }
  }
  enumerated(std::size(spreads) * (2 + std::size(key_counts)));
}
//! [UnscaledSaturates: second route to the largest]
KILLS("the largest of one key fewer", {.largest_weight = [](auto n, double b) {
        return memoized<mean_largest_weight>(std::max<std::size_t>(n - 1, 2), b);
      }});
KILLS("the root of the mean of the squares", {.largest_weight = [](auto n, double b) {
        return std::sqrt(memoized<mean_squared_weights>(double(n), b));
      }});

ASIDE(UnscaledSaturates, TheErrorBoundIsThatOfThePage) {
  // 64 u at each v, over the longest range of v, that of most keys and the largest spread: from
  // where Σe^(βZ + v) is below e^(−40) to v = 5.
  constexpr double u = std::numeric_limits<double>::epsilon() / 2;
  const double log_count = std::log(most_condensing_keys);
  const double range = 40 + (9 + std::sqrt(2 * log_count)) * 64 + log_count + 5;
  // It is the least power of two that is not below 64 u times the range, by more than rounding.
  evidence().rests_on(EvidenceLevel::bounded);
  EXPECT_GT(subject.mean_bound, 64 * u * range * (1 + 0x1p-40));
  EXPECT_LT(subject.mean_bound / 2, 64 * u * range * (1 - 0x1p-40));
  record_value("range", rounded_up(range, 0));
  enumerated(1);
}
KILLS("means may be off by twice as much", {.mean_bound = 2 * mean_error_bound});
KILLS("means may be off by half as much", {.mean_bound = mean_error_bound / 2});

//! [UnscaledSaturates: every draw]
STATEMENT(UnscaledSaturates, TheLargestWeightIsBracketed) {
  evidence().rests_on(EvidenceLevel::bounded);
  for (const std::size_t n : key_counts)
    for (const double spread : spreads) {
      const Bounds bounds = subject.squares_bounds(n, spread);
      const double squares = subject.squares(double(n), spread);
      expect_between(squares, bounds, 2 * (1 + 1 / spread) * integral_error_bound,
                     at(double(n), spread));
      // The lower bound is 1 − (1 − 1/n) or more: one rounding, of 2^−54; the other is exact.
      EXPECT_GE(bounds.lower + 0x1p-52, 1 / double(n)) << at(double(n), spread);
    }
  // Per draw, Σp² ≤ p_max ≤ √Σp².
  for_all([&] {
    const auto s = *rc::gen::container<std::vector<int>>(6, rc::gen::inRange(-99, 99)).as("scores");
    Vector<Rational> w(6);
    for (Index i = 0; i < 6; ++i) w[i] = 1 + abs(s[static_cast<std::size_t>(i)]);
    const Vector<Rational> p = normalized_weights(w);
    EXPECT_EXACTLY(p.squaredNorm() <= p.maxCoeff());
    EXPECT_EXACTLY(Rational(p.maxCoeff() * p.maxCoeff()) <= p.squaredNorm());
  });
}
//! [UnscaledSaturates: every draw]
KILLS("the largest is taken for its square", {.squares_bounds = [](auto n, double b) {
        const Bounds right = memoized<squared_weights_bounds>(n, b);
        return Bounds{std::sqrt(right.lower), right.upper};
      }});
KILLS("ln n is forgotten", {.squares_bounds = [](auto n, double b) {
        const Bounds right = memoized<squared_weights_bounds>(n, b);
        return Bounds{right.lower, right.lower};
      }});
KILLS("1/n is forgotten", {.squares_bounds = [](auto n, double b) {
        return Bounds{1 - largest(n) / b, memoized<squared_weights_bounds>(n, b).upper};
      }});

STATEMENT(UnscaledSaturates, TheEntropyHasTwoRoutes) {
  evidence().rests_on(EvidenceLevel::bounded);
  for (const std::size_t n : key_counts)
    for (const double spread : spreads) {
      // H = ln Σe^(βZ) − β ΣZp
      const double direct =
          subject.log_sum(double(n), spread) - spread * memoized<mean_attended_score>(n, spread);
      expect_near(subject.entropy(double(n), spread), direct,
                  (2 + spread * spread) * mean_error_bound + spread * integral_error_bound,
                  at(double(n), spread));
    }
  enumerated(std::size(key_counts) * std::size(spreads));
}
KILLS("the entropy takes β for its square", {.entropy = [](double n, double b) {
        return memoized<mean_log_sum>(n, b) - b * (1 - memoized<mean_squared_weights>(n, b));
      }});
KILLS("the entropy is the free energy",
      {.entropy = [](double n, double b) { return memoized<mean_log_sum>(n, b); }});
KILLS("the free energy misses a key", {.log_sum = [](double n, double b) {
        return memoized<mean_log_sum>(std::max(n - 1, 1.0), b);
      }});

ASIDE(UnscaledSaturates, ARowCostsTheSameInEveryDimension) {
  evidence().rests_on(EvidenceLevel::empirical);
  constexpr std::size_t rows = 1000;
  for (const double d : {4.0, 64.0, 4096.0, 1e9}) {
    // The same stream in every run: how much a row takes is random, and would have no bound.
    const Stream begin = stream_of(1, format_significant(d, 4));
    Stream stream = begin;
    for (std::size_t i = 0; i < rows; ++i) subject.row(d, 4, stream);
    const std::size_t taken = numbers_taken(begin, stream, 64 * rows);
    EXPECT_LT(taken, 64 * rows) << "d = " << d;
    record_value("numbers_at_" + format_significant(d, 4),
                 format_fixed(static_cast<double>(taken) / static_cast<double>(rows), 1));
  }
  enumerated(4);
}
KILLS("the query's vector is drawn", {.row = [](double d, auto n, Stream& stream) {
        for (double i = 0; i < std::min(d, 4096.0); ++i) uniform(stream);
        return library_row(d, n, stream);
      }});

//! [UnscaledSaturates: the sampler]
ASIDE(UnscaledSaturates, ARowOfScoresFollowsItsDistribution) {
  const CdfCheck<ProductOfExponentials> check(
      {}, "the product of two exponential variables, for two scores in two dimensions");
  expect_draws(check, {.effect = 0.04},
               [&](Stream& stream) { return subject.row(2, 2, stream).squaredNorm() / 4; });
  // The same for the scores of drawn vectors.
  expect_draws(check, {.effect = 0.04}, [](Stream& stream) {
    Vector<double> numbers(6);
    for (double& number : numbers) number = draw(boost::math::normal(), stream);
    const auto query = numbers.head(2), one = numbers.segment(2, 2), other = numbers.tail(2);
    return (std::pow(query.dot(one), 2) + std::pow(query.dot(other), 2)) / 4;
  });
}
//! [UnscaledSaturates: the sampler]
KILLS("every key has its own query", {.row = [](double d, auto n, Stream& stream) {
        Vector<double> row(n);
        for (double& score : row) score = sample_score_row(d, 1, stream)[0];
        return row;
      }});
KILLS("independent normal scores", {.row = independent_row});
KILLS("one degree of freedom more", {.row = [](double d, auto n, Stream& stream) {
        return Vector<double>(sample_score_row(d + 1, n, stream));
      }});
KILLS("the scores are scaled already",
      {.row = [](double d, auto n, Stream& stream) -> Vector<double> {
        return independent_row(d, n, stream) / std::sqrt(d);
      }});

/// E Z⁰ to E Z⁸ of a standard normal Z.
const std::vector<Rational> normal_moments = {1, 0, 1, 0, 3, 0, 15, 0, 105};

/// The moments of a sum of two independent numbers, from their moments.
std::vector<Rational> moments_of_sum(const std::vector<Rational>& x,
                                     const std::vector<Rational>& y) {
  std::vector<Rational> sum;
  for (std::size_t k = 0; k < x.size(); ++k) {
    sum.emplace_back(0);
    Rational ways = 1;  // to choose i of k
    for (std::size_t i = 0; i <= k; ++i) {
      sum[k] += ways * x[i] * y[k - i];
      ways *= Rational(k - i) / Rational(i + 1);
    }
  }
  return sum;
}

STATEMENT(UnscaledSaturates, SharingAQueryMattersLittle) {
  evidence().rests_on(EvidenceLevel::bounded);
  for (const double n : {5.0, 512.0}) {
    const Bounds shared = subject.shared(n, 64, 1);
    const double independent = subject.squares(n, 8);
    // A query that is longer or shorter than √d costs more than it gains, but less than 1/√d.
    EXPECT_LT(shared.lower, shared.upper) << n << " keys";
    EXPECT_LT(shared.upper, independent - mean_error_bound) << n << " keys";
    EXPECT_GT(shared.lower, independent - 0.125) << n << " keys";
    const std::string keys = "_for_" + format_significant(n, 4);
    record_value("least" + keys, rounded_down(shared.lower, 4));
    record_value("greatest" + keys, rounded_up(shared.upper, 4));
    record_value("independent" + keys, format_fixed(independent, 4));
  }
  // To the edge of the domain: a single key has all of the weight, and statement 3 holds.
  for (const double n : {1.0, 2.0, most_condensing_keys})
    for (const double d : {8.0, 1024.0})
      for (const double temperature : {1.0, std::sqrt(d)}) {
        const Bounds shared = subject.shared(n, d, temperature);
        const std::string where = at(n, std::sqrt(d) / temperature);
        const double independent = subject.squares(n, std::sqrt(d) / temperature);
        EXPECT_TRUE(0 <= shared.lower && shared.lower <= shared.upper && shared.upper <= 1)
            << where;
        EXPECT_TRUE(n > 1 || shared.upper == 1) << where;
        EXPECT_LE(shared.lower, independent + 1 / std::sqrt(d)) << where;
        EXPECT_GE(shared.upper, independent - 1 / std::sqrt(d)) << where;
      }
  enumerated(14);
  // Given the query, a score has the moments of ‖q‖Z: as many as are listed.
  for_all([&] {
    const auto query = *rc::gen::container<std::vector<Rational>>(4, any_rational()).as("query");
    std::vector<Rational> score(normal_moments.size());
    score[0] = 1;
    Rational square = 0;
    for (const Rational& entry : query) {
      std::vector<Rational> term = normal_moments;
      Rational power = 1;
      for (Rational& moment : term) moment *= std::exchange(power, Rational(power * entry));
      score = moments_of_sum(score, term);
      square += entry * entry;
    }
    Rational power = 1;  // of ‖q‖²
    for (std::size_t k = 0; k < score.size(); k += 2, power *= square)
      EXPECT_EXACTLY(score[k] == normal_moments[k] * power);
    for (std::size_t k = 1; k < score.size(); k += 2) EXPECT_EXACTLY(score[k] == 0);
  });
}
KILLS("the shared query is ignored", {.shared = [](double n, double d, double t) {
        const double f = memoized<mean_squared_weights>(n, std::sqrt(d) / t);
        return Bounds{f, f};
      }});
KILLS("what lies outside the cells is forgotten", {.shared = [](double n, double d, double t) {
        const Bounds right = memoized<shared_query>(n, d, t);
        return Bounds{right.lower / 2, right.upper / 2};
      }});
KILLS("the rounded root of 8 is out of range",
      {.shared =
           [](double n, double d, double t) {
             if (t * t > d) throw std::domain_error("above the root of the dimension");
             return memoized<shared_query>(n, d, t);
           }},
      Death::by_exception);
KILLS("a probability beyond 1", {.shared = [](double n, double d, double t) {
        const Bounds right = memoized<shared_query>(n, d, t);
        return Bounds{right.lower, right.upper + mean_error_bound};
      }});

//! [UnscaledSaturates]
ASIDE(UnscaledSaturates, AtSixtyFourDimensionsFewKeysTakeTheWeight) {
  EXPECT_GT(expect_at_64(subject, 5, 1), 0.75);
  EXPECT_GT(expect_at_64(subject, 512, 1), 0.6);
}
//! [UnscaledSaturates]
KILLS("the mean of the squares", {.largest_weight = [](auto n, double b) {
        return memoized<mean_squared_weights>(double(n), b);
      }});
KILLS("the temperature is ignored", {.weights = weights_at_wrong_temperature<8, 1>});

ASIDE(UnscaledSaturates, RefusesWhatItCannotIntegrate) {
  Stream stream = next_stream();
  expect_refusal<std::domain_error>([&] { subject.largest_weight(1, 8); });
  expect_refusal<std::domain_error>([&] { subject.largest_weight(1000000, 8); });
  expect_refusal<std::domain_error>([&] { subject.largest_weight(5, 65); });
  expect_refusal<std::domain_error>([&] { subject.squares(5, 65); });
  expect_refusal<std::domain_error>([&] { subject.squares(5, 0.25); });
  expect_refusal<std::domain_error>([&] { subject.squares(1e31, 1); });
  expect_refusal<std::domain_error>([&] { subject.log_sum(0.5, 1); });
  expect_refusal<std::domain_error>([&] { subject.entropy(0, 1); });
  expect_refusal<std::domain_error>([&] { subject.row(0, 5, stream); });
  expect_refusal<std::domain_error>(
      [&] { subject.row(std::numeric_limits<double>::infinity(), 5, stream); });
  expect_refusal<std::domain_error>([&] { subject.row(4, 0, stream); });
  expect_refusal<std::domain_error>([&] { subject.shared(5, 4, 1); });
  expect_refusal<std::domain_error>([&] { subject.shared(5, 64, 9); });
  expect_refusal<std::domain_error>([&] { shared_query_squared_weights(5, 64, 1, 0); });
  expect_refusal<std::domain_error>([&] { subject.squares_bounds(5, 0); });
}
KILLS("a million keys are accepted", {.largest_weight = [](auto n, double b) {
        return memoized<mean_largest_weight>(std::min(n, most_integrable_keys), b);
      }});
KILLS("a spread of 65 is accepted", {.squares = [](double n, double b) {
        return memoized<mean_squared_weights>(n, std::min(b, 64.0));
      }});
KILLS("no keys are accepted",
      {.entropy = [](double n, double b) { return memoized<mean_entropy>(std::max(n, 1.0), b); }});
KILLS("a dimension of 0 is accepted", {.row = [](double d, auto n, Stream& stream) {
        return library_row(std::max(d, 1.0), n, stream);
      }});
KILLS("a temperature above the root is accepted", {.shared = [](double n, double d, double t) {
        return memoized<shared_query>(n, d, std::min(t, std::sqrt(d)));
      }});

}  // namespace sqrtdk::properties::UnscaledSaturates
