#include <sqrtdk/moments.hpp>

#include "properties/saturation/fixture.hpp"

namespace sqrtdk::properties::PriceOfTheRoot {

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
RowDistribution coin_rows() {
  return RowDistribution::uniform(
      {powers_of_two({0, 0}), powers_of_two({0, 1}), powers_of_two({1, 0}), powers_of_two({1, 1})});
}

RationalDistribution output_distribution(const RowDistribution& weights,
                                         const RowDistribution& values) {
  return independent(weights, values).image([](const std::pair<Row, Row>& draw) {
    return std::inner_product(draw.first.begin(), draw.first.end(), draw.second.begin(),
                              Rational(0));
  });
}

/// The joint distribution of the outputs of two rows, for values that depend on neither.
FiniteDistribution<std::pair<Rational, Rational>> two_outputs_distribution(
    const TwoRowsDistribution& rows, const RowDistribution& values) {
  return independent(rows, values).image([](const auto& draw) {
    const auto output = [&](const Row& p) {
      return std::inner_product(p.begin(), p.end(), draw.second.begin(), Rational(0));
    };
    return std::pair(output(draw.first.first), output(draw.first.second));
  });
}

/// Three values ±1 + μ of which each two, but not all three, are independent.
RowDistribution pairwise_signs(const Rational& centre) {
  return RowDistribution::uniform({{centre + 1, centre + 1, centre + 1},
                                   {centre + 1, centre - 1, centre - 1},
                                   {centre - 1, centre + 1, centre - 1},
                                   {centre - 1, centre - 1, centre + 1}});
}

RowDistribution two_signs() {
  return RowDistribution::uniform({Row{1, 1}, Row{1, -1}, Row{-1, 1}, Row{-1, -1}});
}

RowDistribution drawn_row_distribution() {
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
  return RowDistribution::uniform(rows);
}

//! [PriceOfTheRoot]
STATEMENT(PriceOfTheRoot, TheVarianceOfAnOutputIsTheMeanSumOfSquares) {
  const RowDistribution fixed_distribution =
      RowDistribution::uniform({powers_of_two({0, 1, 3}), powers_of_two({2, 0, 0})});
  for (const int centre : {0, 3}) {
    const RationalDistribution output =
        output_distribution(fixed_distribution, pairwise_signs(centre));
    EXPECT_EXACTLY(variance(output) == subject.output_variance(fixed_distribution))
        << "mean " << centre;
    EXPECT_EXACTLY(mean(output) == centre);
  }
  enumerated(2);
  for_all([&] {
    const RowDistribution weights = drawn_row_distribution();
    const Rational centre = *any_rational().as("mean of the values");
    EXPECT_EXACTLY(variance(output_distribution(weights, pairwise_signs(centre))) ==
                   subject.output_variance(weights));
  });
}
KILLS("the square of the mean weights", {.output_variance = [](auto& distribution) -> Rational {
        Rational sum = 0;
        for (std::size_t j = 0; j < distribution.atoms().front().outcome.size(); ++j) {
          const Rational mean = distribution.expectation([j](const Row& p) { return p[j]; });
          sum += mean * mean;
        }
        return sum;
      }});
KILLS("the weights are not squared",
      {.output_variance = [](const RowDistribution&) -> Rational { return 1; }});
KILLS("the sum of squares is squared", {.output_variance = [](auto& distribution) -> Rational {
        const Rational squares = output_variance(distribution);
        return squares * squares;
      }});

STATEMENT(PriceOfTheRoot, TwoOutputsShareTheMeanProduct) {
  for_all([&] {
    const RowDistribution first = drawn_row_distribution(), second = drawn_row_distribution();
    const TwoRowsDistribution rows = independent(first, second);
    EXPECT_EXACTLY(covariance(two_outputs_distribution(rows, pairwise_signs(0))) ==
                   subject.output_covariance(rows));
    // A second row that prefers no key has 1/n in common with any that is independent of it.
    std::vector<Row> turned;
    for (const auto& atom : second.atoms())
      for (int turn = 0; turn < 3; ++turn) {
        Row row = atom.outcome;
        std::rotate(row.begin(), row.begin() + turn, row.end());
        turned.push_back(row);
      }
    EXPECT_EXACTLY(subject.output_covariance(
                       independent(first, RowDistribution::uniform(turned))) == Rational(1, 3));
  });
  // Two kinds of keys, each in three orders: given the keys, the two rows are independent, and
  // have the distribution that goes with that kind.
  for_all(
      [&] {
        const RowDistribution one = drawn_row_distribution(), other = drawn_row_distribution();
        const auto rows =
            independent(independent(independent(one, one), independent(other, other)),
                        FiniteDistribution<int>::uniform({0, 1, 2, 3, 4, 5}))
                .image([](const auto& draw) {
                  auto pair = draw.second < 3 ? draw.first.first : draw.first.second;
                  for (Row* row : {&pair.first, &pair.second})
                    std::rotate(row->begin(), row->begin() + draw.second % 3, row->end());
                  return pair;
                });
        Rational squares = 0;  // of the mean weights given the keys
        for (const RowDistribution& kind : {one, other})
          for (std::size_t j = 0; j < 3; ++j) {
            const Rational mean = kind.expectation([j](const Row& p) { return p[j]; });
            squares += mean * mean / 2;
          }
        const Rational shared = subject.output_covariance(rows);
        EXPECT_EXACTLY(shared == squares);
        EXPECT_EXACTLY(shared >= Rational(1, 3));
      },
      25);
}
KILLS("every pair of rows has 1/n in common", {.output_covariance = [](auto& distribution) {
        return Rational(1, distribution.atoms().front().outcome.first.size());
      }});
KILLS("two rows have 1/n² in common", {.output_covariance = [](auto& distribution) {
        return output_covariance(distribution) / distribution.atoms().front().outcome.first.size();
      }});
KILLS("the squares of the first row", {.output_covariance = [](auto& distribution) {
        return output_variance(
            distribution.image([](const std::pair<Row, Row>& rows) { return rows.first; }));
      }});
KILLS("rows are independent whatever they share", {.output_covariance = [](auto& distribution) {
        const auto first =
            distribution.image([](const std::pair<Row, Row>& rows) { return rows.first; });
        const auto second =
            distribution.image([](const std::pair<Row, Row>& rows) { return rows.second; });
        return output_covariance(independent(first, second));
      }});

STATEMENT(PriceOfTheRoot, TheWorkedCaseHasNineteenThirtySixths) {
  const RowDistribution weights = coin_rows();
  const TwoRowsDistribution rows = independent(weights, weights);
  EXPECT_EXACTLY(subject.output_variance(weights) == Rational(19, 36));
  EXPECT_EXACTLY(subject.output_covariance(rows) == Rational(1, 2));
  // The same from all sixty-four draws of two rows and two signs.
  const auto outputs = two_outputs_distribution(rows, two_signs());
  EXPECT_EXACTLY(variance(outputs.image([](const auto& pair) { return pair.first; })) ==
                 Rational(19, 36));
  EXPECT_EXACTLY(covariance(outputs) == Rational(1, 2));
  enumerated(64);
}
//! [PriceOfTheRoot]
KILLS("all weights are 1/n", {.output_variance = [](auto& distribution) {
        return Rational(1, distribution.atoms().front().outcome.size());
      }});

ASIDE(PriceOfTheRoot, OtherValuesHaveAnotherVariance) {
  const RowDistribution weights = coin_rows();
  const Rational price = subject.output_variance(weights);
  EXPECT_EXACTLY(variance(output_distribution(
                     weights, RowDistribution::uniform({Row{1, 1}, Row{-1, -1}}))) == 1);
  EXPECT_EXACTLY(price == Rational(19, 36));
  counterexample_without("uncorrelated values");
  // Means 1 and −1: where the weights differ, so do the means of the outputs.
  const RowDistribution apart = two_signs().image([](const Row& v) {
    return Row{v[0] + 1, v[1] - 1};
  });
  EXPECT_EXACTLY(variance(output_distribution(weights, apart)) == price + Rational(1, 18));
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
  EXPECT_EXACTLY(outputs.size() == 8U);
  EXPECT_EXACTLY(mean_product == 0);
  EXPECT_EXACTLY(variance(RationalDistribution::uniform(outputs)) == Rational(5, 9));
  counterexample_without("values independent of the weights");
  enumerated(8 + 16 + 8);
}
KILLS("only the first key counts", {.output_variance = [](auto& distribution) -> Rational {
        return distribution.expectation([](auto& p) { return p[0] * p[0]; });
      }});

ASIDE(PriceOfTheRoot, RowsThatShareMoreAreMoreAlike) {
  // One query twice: the outputs are one.
  const RowDistribution weights = coin_rows();
  const TwoRowsDistribution twice = weights.image([](const Row& p) { return std::pair(p, p); });
  EXPECT_EXACTLY(subject.output_covariance(twice) == Rational(19, 36));
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
  const Rational shared = subject.output_covariance(TwoRowsDistribution::uniform(rows));
  EXPECT_EXACTLY(shared == Rational(97, 288));
  EXPECT_EXACTLY(shared > Rational(1, 3));
  counterexample_without("independent rows");
  // A key that all queries prefer, by ln 2.
  const RowDistribution favourite = RowDistribution::uniform({powers_of_two({1, 0})});
  EXPECT_EXACTLY(subject.output_covariance(independent(favourite, favourite)) == Rational(5, 9));
  counterexample_without("no favourite key");
  enumerated(4 + 32 + 1);
}
KILLS("the squares of the mean weights, as if all rows were independent",
      {.output_covariance = [](auto& distribution) -> Rational {
        Rational sum = 0;
        for (std::size_t j = 0; j < distribution.atoms().front().outcome.first.size(); ++j) {
          const Rational mean = distribution.expectation(
              [j](const std::pair<Row, Row>& rows) { return rows.first[j]; });
          sum += mean * mean;
        }
        return sum;
      }});

//! [PriceOfTheRoot: normal scores]
STATEMENT(PriceOfTheRoot, NormalScoresTendToAnExponential) {
  evidence().rests_on(EvidenceLevel::bounded);
  for (const double spread : {0.5, 1.0, 2.0}) {
    const double limit = std::exp(spread * spread);
    double before = 0;
    for (const double n : {1.0, 2.0, 5.0, 64.0, 512.0, 4096.0, 65536.0, 1e6}) {
      const double variance = subject.squares(n, spread);
      EXPECT_GE(variance + mean_error_bound, subject.variance_at_least(n, spread)) << at(n, spread);
      // Below the limit, and nearer to it the more keys there are.
      EXPECT_LE(n * variance, limit + n * mean_error_bound) << at(n, spread);
      EXPECT_GT(n * variance, before) << at(n, spread);
      before = n * variance;
      const double correlation = subject.correlation(n, variance);
      // 2⁻¹⁶ is more than a million times the error of E Σp².
      EXPECT_LE(1 / limit, correlation * (1 + 0x1p-16)) << at(n, spread);
      EXPECT_LE(correlation, 1 + n * mean_error_bound) << at(n, spread);
    }
    // At a million keys both are within a part of 1/100 of the limit, and the bound as well.
    EXPECT_GT(before, 0.99 * limit);
    EXPECT_GT(1e6 * subject.variance_at_least(1e6, spread), 0.99 * limit);
    record_value("limit_at_" + format_significant(spread, 2), format_fixed(100 / limit, 1));
  }
  // A single key leaves the bound no choice: it is e^(−3β²), for all of e^(2β²) is one term. With
  // exp and expm1 off by a unit in the last place at most, both are off by seven epsilons.
  for (const double spread : {0.0, 1.0, 2.0})
    expect_near(subject.variance_at_least(1, spread), std::exp(-3 * spread * spread),
                8 * std::numeric_limits<double>::epsilon(), at(1, spread));
  enumerated(3 * 8 + 3);
}
//! [PriceOfTheRoot: normal scores]
KILLS("n is forgotten", {.correlation = [](double, double variance) { return 1 / variance; }});
KILLS("half of the square of the spread", {.variance_at_least = [](double n, double b) {
        return output_variance_at_least(n, b) * std::exp(-b * b / 2);
      }});
KILLS("the spread is doubled", {.variance_at_least = [](double n, double b) {
        return output_variance_at_least(n, b) * std::exp(b * b);
      }});
KILLS("the largest term is left out of the bound",
      {.variance_at_least = [](double n, double b) { return std::exp(b * b) / n; }});

ASIDE(PriceOfTheRoot, TheBoundHoldsWhereItsSquareWouldOverflow) {
  // With exp and expm1 off by a unit in the last place at most, the code is off by less than six
  // epsilons, the wanted number by half of one, and each by half of the smallest number.
  evidence().rests_on(EvidenceLevel::bounded);
  using Limits = std::numeric_limits<double>;
  for (const double spread : {13.0, 13.5, 14.0, 15.5, 16.0})
    for (const double n : {1.0, 2.0, 512.0, 1e6, 1e150, 0x1p737, Limits::max()}) {
      const Wide square = Wide(spread) * spread;
      const Wide sum = wide(n) - 1 + exp(Wide(2 * square));
      const double wanted = to_double(exp(square) * wide(n) / (sum * sum));
      expect_near(subject.variance_at_least(n, spread), wanted,
                  7 * Limits::epsilon() * wanted + Limits::denorm_min(), at(n, spread));
      enumerated(1);
    }
}
KILLS("the square of the sum overflows", {.variance_at_least = [](double n, double b) {
        return std::exp(b * b) * n / std::pow(n + std::expm1(2 * b * b), 2);
      }});

STATEMENT(PriceOfTheRoot, WhatTheRootTrades) {
  evidence().rests_on(EvidenceLevel::bounded);
  // Normal queries and keys, d = 64, n = 512: raw, and divided by 8.
  constexpr double n = 512, d = 64;
  const Bounds raw = subject.fine_shared(n, d, 1);
  const Bounds divided = subject.fine_shared(n, d, 8);
  for (const auto& [temperature, fine] : {std::pair(1.0, raw), std::pair(8.0, divided)}) {
    const Bounds coarse = subject.shared(n, d, temperature);
    EXPECT_LT(fine.lower, fine.upper) << "temperature " << temperature;
    EXPECT_LE(coarse.lower, fine.upper) << "temperature " << temperature;
    EXPECT_LE(fine.lower, coarse.upper) << "temperature " << temperature;
  }
  // A million keys: within a part of 1/100 of the limit.
  const Bounds many = subject.fine_shared(1e6, d, 8);
  EXPECT_GT(1e6 * many.lower, 0.99 * subject.scaled_price(d));
  EXPECT_LT(1e6 * many.upper, 1.01 * subject.scaled_price(d));
  EXPECT_GT(raw.lower, 0.62);
  EXPECT_LT(divided.upper, 0.0054);
  record_value("raw_least", rounded_down(raw.lower, 4));
  record_value("raw_greatest", rounded_up(raw.upper, 4));
  record_value("divided_least", rounded_down(divided.lower, 5));
  record_value("divided_greatest", rounded_up(divided.upper, 5));
  const auto percent = [&](double variance) { return 100 * subject.correlation(n, variance); };
  EXPECT_LT(percent(raw.lower), 0.32);
  EXPECT_GT(percent(divided.upper), 36);
  record_value("raw_alike_least", rounded_down(percent(raw.upper), 3));
  record_value("raw_alike_greatest", rounded_up(percent(raw.lower), 3));
  record_value("divided_alike_least", rounded_down(percent(divided.upper), 1));
  record_value("divided_alike_greatest", rounded_up(percent(divided.lower), 1));
  record_value("factor_least", rounded_down(raw.lower / divided.upper, 0));
  enumerated(3);
  if (checking_a_mutant()) return;
  std::vector<std::vector<double>> rows;
  for (double keys = 2; keys <= 1.1e6; keys *= 2) {
    const double unscaled = subject.squares(keys, 8), scaled = subject.squares(keys, 1);
    rows.push_back({keys, unscaled, scaled, subject.correlation(keys, unscaled),
                    subject.correlation(keys, scaled)});
  }
  write_figure_data("saturation_price",
                    {"n", "variance_unscaled", "variance_scaled", "alike_unscaled", "alike_scaled"},
                    rows);
}
KILLS("the temperature is ignored", {.fine_shared = [](double n, double d, double) {
        return memoized<shared_query_squared_weights>(n, d, 1.0, 512);
      }});
KILLS("the query has twice the dimension", {.fine_shared = [](double n, double d, double t) {
        return memoized<shared_query_squared_weights>(n, 2 * d, t, 64);
      }});

/// E e^(tR²) for R² ~ χ²_d, from the moments d(d + 2)⋯(d + 2m − 2) of R²: an enclosure whose ends
/// are less than 2⁻⁶⁰ apart.
Interval<Rational> mean_exponential(int d, const Rational& t) {
  Rational sum = 0, term = 1;
  for (int m = 0;; ++m) {
    // The ratio of terms falls with m: the rest is less than a geometric series.
    const Rational ratio = t * (d + 2 * m) / (m + 1);
    if (ratio < 1 && term / (1 - ratio) < Rational(0x1p-60)) return {sum, sum + term / (1 - ratio)};
    sum += term;
    term *= ratio;
  }
}

Rational power(const Rational& base, int exponent) {
  Rational result = 1;
  for (int i = 0; i < exponent; ++i) result *= base;
  return result;
}

STATEMENT(PriceOfTheRoot, TheLimitsOfNormalQueriesAndKeys) {
  // pow, here of an exact base, and the conversion are off by a unit at most.
  evidence().rests_on(EvidenceLevel::bounded);
  const auto expect_limit = [](double computed, const Rational& formula, int d, const Rational& t) {
    const Interval<Rational> mean = mean_exponential(d, t);
    EXPECT_EXACTLY(mean.lower <= formula) << "d = " << d;
    EXPECT_EXACTLY(formula <= mean.upper) << "d = " << d;
    const auto wanted = formula.convert_to<double>();
    expect_near(computed, wanted, 2 * std::numeric_limits<double>::epsilon() * wanted,
                "d = " + std::to_string(d));
  };
  for (const int d : {64, 128, 256}) {
    // E e^(R²/d), and E e^(q·q′/d) = E e^(R²/2d²), where R is the length of a query.
    const Rational square = Rational(d) * d;
    expect_limit(subject.scaled_price(d), power(Rational(d, d - 2), d / 2), d, Rational(1, d));
    expect_limit(subject.shared_key_factor(d), power(square / (square - 1), d / 2), d,
                 1 / (2 * square));
  }
  const double limit = subject.scaled_price(64);
  record_value("price_of_64", format_fixed(limit, 3));
  record_value("alike_of_64", format_fixed(100 * subject.shared_key_factor(64) / limit, 1));
  record_value("factor_of_64", format_fixed(subject.shared_key_factor(64), 4));
  enumerated(6);
}
KILLS("the query's length is that of the root",
      {.scaled_price = [](double) { return std::exp(1.0); }});
KILLS("1/d for 2/d", {.scaled_price = [](double d) { return std::pow(1 - 1 / d, -d / 2); }});
KILLS("shared keys cost nothing", {.shared_key_factor = [](double) { return 1.0; }});
KILLS("shared keys cost what shared queries do", {.shared_key_factor = sqrtdk::scaled_price});
KILLS("1/d for 1/d²", {.shared_key_factor = [](double d) { return std::pow(1 - 1 / d, -d / 2); }});

STATEMENT(PriceOfTheRoot, ACausalHeadAveragesLessAtItsBeginning) {
  Rational sum = 0;
  for (std::size_t n = 1; n <= 64; ++n) {
    // Equal scores at position n: weights 1/n.
    sum += sqrtdk::output_variance(RowDistribution::uniform({Row(n, Rational(1, n))}));
    EXPECT_EXACTLY(subject.causal(n) == sum / n) << n << " positions";
  }
  record_value("of_512", format_fixed(static_cast<double>(subject.causal(512)), 4));
  record_value("last_of_512", format_fixed(1.0 / 512, 4));
  enumerated(64);
}
KILLS("the last position only", {.causal = [](auto n) { return Rational(1, n); }});
KILLS("the first position is left out",
      {.causal = [](auto n) { return causal_output_variance(n) - Rational(1, n); }});
KILLS("the harmonic number is not divided",
      {.causal = [](auto n) { return causal_output_variance(n) * n; }});

ASIDE(PriceOfTheRoot, RefusesWhatHasNoPrice) {
  expect_refusal<std::invalid_argument>([&] {
    subject.output_covariance(TwoRowsDistribution::uniform({std::pair(Row{1}, Row{1, 0})}));
  });
  expect_refusal<std::domain_error>([&] { subject.correlation(0.5, 1); });
  expect_refusal<std::domain_error>([&] { subject.correlation(5, 0); });
  expect_refusal<std::domain_error>([&] { subject.variance_at_least(0, 1); });
  expect_refusal<std::domain_error>([&] { subject.variance_at_least(5, -1); });
  expect_refusal<std::domain_error>([&] { subject.variance_at_least(5, 17); });
  expect_refusal<std::domain_error>([&] { subject.scaled_price(4); });
  expect_refusal<std::domain_error>([&] { subject.shared_key_factor(4); });
  expect_refusal<std::domain_error>([&] { subject.causal(0); });
}
KILLS("a head of four features is accepted",
      {.scaled_price = [](double d) { return d == 4 ? 4 : scaled_price(d); }});
KILLS("rows of two lengths are cut", {.output_covariance = [](auto& distribution) -> Rational {
        return distribution.expectation([](const std::pair<Row, Row>& rows) -> Rational {
          return rows.first.size() == rows.second.size()
                     ? output_covariance(TwoRowsDistribution::uniform({rows}))
                     : Rational(rows.first[0] * rows.second[0]);
        });
      }});
KILLS("no keys are accepted",
      {.causal = [](auto n) { return n == 0 ? Rational(0) : causal_output_variance(n); }});

}  // namespace sqrtdk::properties::PriceOfTheRoot
