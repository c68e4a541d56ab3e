// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/finite_distribution.hpp>
#include <sqrtdk/moments.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/saturation.hpp>
#include <sqrtdk/score.hpp>
#include <sqrtdk/softmax.hpp>
#include <sqrtdk/temperature.hpp>
#include <sqrtdk/testing/generators/floating_point.hpp>
#include <sqrtdk/testing/generators/rational_distributions.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/exact_types.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>
#include <sqrtdk/testing/reporting/expect_refusal.hpp>

#include "properties/support/vectors.hpp"
#include "properties/temperature/fixture.hpp"

#include <boost/math/differentiation/autodiff.hpp>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <utility>
#include <vector>

namespace sqrtdk::properties::QueryDependentScale {

using namespace sqrtdk::testing;

/// Scores of a few queries, with a temperature for each.
std::pair<Matrix<double>, Vector<double>> any_rows() {
  const Index queries = *rc::gen::inRange<Index>(1, 5).as("queries");
  const Index keys = *rc::gen::inRange<Index>(1, 6).as("keys");
  const auto entries = *rc::gen::container<std::vector<int>>(
                            static_cast<std::size_t>(queries * keys), rc::gen::inRange(-800, 800))
                            .as("100 × scores");
  const auto powers = *rc::gen::container<std::vector<int>>(static_cast<std::size_t>(queries),
                                                            rc::gen::inRange(-2, 5))
                           .as("log₂ of the temperatures");
  Matrix<double> scores(queries, keys);
  Vector<double> temperatures(queries);
  for (Index i = 0; i < queries; ++i) {
    temperatures[i] = std::ldexp(1, powers[static_cast<std::size_t>(i)]);
    for (Index j = 0; j < keys; ++j)
      scores(i, j) = entries[static_cast<std::size_t>(i * keys + j)] / 100.0;
  }
  return {scores, temperatures};
}

Matrix<double> each_row(const Matrix<double>& scores, const Vector<double>& t) {
  return softmax_rows(scores, t);
}

const Mutants query_dependent_scale_mutants = {
    {"the first temperature serves all",
     "EachRowUsesItsOwnTemperature",
     {.rows =
          [](const Matrix<double>& s, const Vector<double>& t) {
            return each_row(s, t.size() == s.rows() ? Vector<double>::Constant(s.rows(), t[0]) : t);
          }}},
    {"temperatures in reversed order",
     "EachRowUsesItsOwnTemperature",
     {.rows = [](const Matrix<double>& s,
                 const Vector<double>& t) { return each_row(s, t.reverse()); }}},
    {"multiplied instead of divided",
     "ATemperatureFoldsIntoItsQuery",
     {.rows = [](const Matrix<double>& s,
                 const Vector<double>& t) { return each_row(s, t.cwiseInverse()); }}},
    {"the temperature is applied twice",
     "ATemperatureFoldsIntoItsQuery",
     {.rows = [](const Matrix<double>& s,
                 const Vector<double>& t) { return each_row(s, t.cwiseAbs2()); }}},
    {"τ instead of τ²",
     "TheDerivativeByTheTemperatureIsExact",
     {.derivative = [](const Vector<Rational>& p, const Vector<Rational>& s, const Rational& t)
          -> Vector<Rational> { return temperature_derivative(p, s, t) * t; }}},
    {"the sign is lost",
     "TheDerivativeByTheTemperatureIsExact",
     {.derivative = [](const Vector<Rational>& p, const Vector<Rational>& s, const Rational& t)
          -> Vector<Rational> { return -temperature_derivative(p, s, t); }}},
    {"the mean is not subtracted",
     "TheGradientOfALearnedTemperatureIsMinusACovariance",
     {.gradient = [](const Vector<Rational>& p, const Vector<Rational>& s,
                     const Vector<Rational>& g, const Rational& t) -> Rational {
       const Rational right = temperature_gradient(p, s, g, t);
       return right - p.dot(g) * p.dot(s) / (t * t);
     }}},
    {"the temperature's square is dropped",
     "TheGradientOfALearnedTemperatureIsMinusACovariance",
     {.gradient = [](const Vector<Rational>& p, const Vector<Rational>& s,
                     const Vector<Rational>& g, const Rational& t) -> Rational {
       return temperature_gradient(p, s, g, t) * t;
     }}},
    {"missing temperatures are 1",
     "RefusesRowsWithoutATemperature",
     {.rows =
          [](const Matrix<double>& s, const Vector<double>& t) {
            return each_row(s, t.size() == s.rows() ? t : Vector<double>::Ones(s.rows()));
          }}},
    {"a temperature of 0 is accepted",
     "RefusesRowsWithoutATemperature",
     {.derivative =
          [](const Vector<Rational>& p, const Vector<Rational>& s, const Rational& t) {
            return t == 0 ? p : Vector<Rational>(temperature_derivative(p, s, t));
          }}},
};

//! [QueryDependentScale]
TEST(QueryDependentScale, EachRowUsesItsOwnTemperature) {
  check_statement(query_dependent_scale_mutants, [](const Temperatures& temperatures) {
    for_all([&] {
      const auto [scores, t] = any_rows();
      const Matrix<double> weights = temperatures.rows(scores, t);
      const Index row = *rc::gen::inRange<Index>(0, scores.rows()).as("row");
      EXPECT_EXACTLY(bits_of(weights.row(row)) == bits_of(softmax(scores.row(row), t[row])));
      Vector<double> others = Vector<double>(t * 3);
      others[row] = t[row];
      EXPECT_EXACTLY(bits_of(temperatures.rows(scores, others).row(row)) ==
                     bits_of(weights.row(row)));
    });
  });
}
//! [QueryDependentScale]

TEST(QueryDependentScale, ATemperatureFoldsIntoItsQuery) {
  check_statement(query_dependent_scale_mutants, [](const Temperatures& temperatures) {
    for_all([&] {
      // (q/τ)·k = (q·k)/τ, and no bit changes if τ is a power of two.
      const auto [scores, t] = any_rows();
      const Matrix<double> folded = t.cwiseInverse().asDiagonal() * scores;
      EXPECT_EXACTLY(bits_of(temperatures.rows(scores, t)) ==
                     bits_of(each_row(folded, Vector<double>::Ones(t.size()))));
      const auto q = *rc::gen::container<std::vector<Rational>>(3, any_rational()).as("query");
      const auto k = *rc::gen::container<std::vector<Rational>>(3, any_rational()).as("key");
      const Rational tau = *nonzero_rational().as("temperature");
      std::vector<Rational> scaled;
      for (const Rational& x : q) scaled.push_back(x / tau);
      EXPECT_EXACTLY(dot_product(scaled, k) == dot_product(q, k) / tau);
    });
  });
}

//! [QueryDependentScale: exact check]
TEST(QueryDependentScale, TheDerivativeByTheTemperatureIsExact) {
  check_statement(query_dependent_scale_mutants, [](const Temperatures& temperatures) {
    for_all([&] {
      // As above: weights t^s with t = e^(1/τ), so ∂p/∂τ = −(1/τ²) t dp/dt.
      const auto scores = *small_scores().as("scores");
      const Rational at(*rc::gen::inRange(1, 60).as("12e^(1/τ)"), 12);
      const Rational tau = abs(*nonzero_rational().as("temperature"));
      const auto t = autodiff::make_fvar<Rational, 1>(at);
      auto sum = t * Rational(0);
      std::vector<decltype(sum)> terms;
      Vector<Rational> exponentials(static_cast<Index>(scores.size()));
      for (const int score : scores) {
        auto term = t * Rational(0) + Rational(1);
        for (int s = 0; s < score; ++s) term = term * t;
        exponentials[static_cast<Index>(terms.size())] = term.at(0);
        terms.push_back(term);
        sum += term;
      }
      const Vector<Rational> derivative =
          temperatures.derivative(normalized_weights(exponentials), integers(scores), tau);
      for (std::size_t i = 0; i < terms.size(); ++i) {
        const auto weight = terms[i] / sum;
        EXPECT_EXACTLY(derivative[static_cast<Index>(i)] == -at * weight.at(1) / (tau * tau));
      }
    });
  });
}

TEST(QueryDependentScale, TheGradientOfALearnedTemperatureIsMinusACovariance) {
  check_statement(query_dependent_scale_mutants, [](const Temperatures& temperatures) {
    for_all([&] {
      const Vector<Rational> p = normalized_weights(any_exponentials(6));
      const Vector<Rational> s = any_vector(p.size(), "scores");
      const Vector<Rational> g = any_vector(p.size(), "cotangent");
      const Rational tau = abs(*nonzero_rational().as("temperature"));
      std::vector<std::pair<Rational, Rational>> pairs;
      for (Index i = 0; i < p.size(); ++i) pairs.emplace_back(g[i], s[i]);
      const FiniteDistribution<std::pair<Rational, Rational>> joint(
          pairs, std::vector<Rational>(p.begin(), p.end()));
      EXPECT_EXACTLY(temperatures.gradient(p, s, g, tau) == -covariance(joint) / (tau * tau));
    });
    // Two keys with three quarters and one quarter: Cov = 3/16 · (5 − 1)(2 − 0), and τ² = 4.
    Vector<Rational> p(2);
    p << Rational(3, 4), Rational(1, 4);
    EXPECT_EXACTLY(temperatures.gradient(p, integers({2, 0}), integers({5, 1}), 2) ==
                   Rational(-3, 8));
  });
}
//! [QueryDependentScale: exact check]

TEST(QueryDependentScale, RefusesRowsWithoutATemperature) {
  check_with_mutants(query_dependent_scale_mutants, [](const Temperatures& temperatures) {
    const Vector<Rational> halves = Vector<Rational>::Constant(2, Rational(1, 2));
    expect_refusal<std::invalid_argument>(
        [&] { temperatures.rows(Matrix<double>::Zero(3, 2), Vector<double>::Ones(2)); });
    expect_refusal<std::domain_error>(
        [&] { temperatures.rows(Matrix<double>::Zero(1, 2), Vector<double>::Zero(1)); });
    expect_refusal<std::domain_error>([&] { temperatures.derivative(halves, halves, 0); });
    expect_refusal<std::invalid_argument>(
        [&] { temperatures.derivative(halves, integers({1}), 1); });
    expect_refusal<std::invalid_argument>(
        [&] { temperatures.gradient(halves, halves, integers({1}), 1); });
  });
}

}  // namespace sqrtdk::properties::QueryDependentScale
