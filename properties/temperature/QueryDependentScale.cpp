#include <sqrtdk/moments.hpp>
#include <sqrtdk/moments/finite_distribution.hpp>
#include <sqrtdk/score.hpp>

#include "properties/support/vectors.hpp"
#include "properties/temperature/fixture.hpp"

namespace sqrtdk::properties::QueryDependentScale {

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

//! [QueryDependentScale]
STATEMENT(QueryDependentScale, EachRowUsesItsOwnTemperature) {
  for_all([&] {
    const auto [scores, t] = any_rows();
    const Matrix<double> weights = subject.rows(scores, t);
    const Index row = *rc::gen::inRange<Index>(0, scores.rows()).as("row");
    EXPECT_EXACTLY(bits_of(weights.row(row)) == bits_of(softmax(scores.row(row), t[row])));
    Vector<double> others = Vector<double>(t * 3);
    others[row] = t[row];
    EXPECT_EXACTLY(bits_of(subject.rows(scores, others).row(row)) == bits_of(weights.row(row)));
  });
}
//! [QueryDependentScale]
KILLS("the first temperature serves all", {.rows = [](auto& s, auto& t) {
        return each_row(s, t.size() == s.rows() ? Vector<double>::Constant(s.rows(), t[0]) : t);
      }});
KILLS("temperatures in reversed order",
      {.rows = [](auto& s, auto& t) { return each_row(s, t.reverse()); }});

STATEMENT(QueryDependentScale, ATemperatureFoldsIntoItsQuery) {
  for_all([&] {
    // (q/τ)·k = (q·k)/τ, and no bit changes if τ is a power of two.
    const auto [scores, t] = any_rows();
    const Matrix<double> folded = t.cwiseInverse().asDiagonal() * scores;
    EXPECT_EXACTLY(bits_of(subject.rows(scores, t)) ==
                   bits_of(each_row(folded, Vector<double>::Ones(t.size()))));
    const auto q = *rc::gen::container<std::vector<Rational>>(3, any_rational()).as("query");
    const auto k = *rc::gen::container<std::vector<Rational>>(3, any_rational()).as("key");
    const Rational tau = *nonzero_rational().as("temperature");
    std::vector<Rational> scaled;
    for (const Rational& x : q) scaled.push_back(x / tau);
    EXPECT_EXACTLY(dot_product(scaled, k) == dot_product(q, k) / tau);
  });
}
KILLS("multiplied instead of divided",
      {.rows = [](auto& s, auto& t) { return each_row(s, t.cwiseInverse()); }});
KILLS("the temperature is applied twice",
      {.rows = [](auto& s, auto& t) { return each_row(s, t.cwiseAbs2()); }});

//! [QueryDependentScale: exact check]
STATEMENT(QueryDependentScale, TheDerivativeByTheTemperatureIsExact) {
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
        subject.derivative(normalized_weights(exponentials), integers(scores), tau);
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const auto weight = terms[i] / sum;
      EXPECT_EXACTLY(derivative[static_cast<Index>(i)] == -at * weight.at(1) / (tau * tau));
    }
  });
}
KILLS("τ instead of τ²", {.derivative = [](auto& p, auto& s, auto& t) -> Vector<Rational> {
        return temperature_derivative(p, s, t) * t;
      }});
KILLS("the sign is lost", {.derivative = [](auto& p, auto& s, auto& t) -> Vector<Rational> {
        return -temperature_derivative(p, s, t);
      }});

STATEMENT(QueryDependentScale, TheGradientOfALearnedTemperatureIsMinusACovariance) {
  for_all([&] {
    const Vector<Rational> p = normalized_weights(any_exponentials(6));
    const Vector<Rational> s = any_vector(p.size(), "scores");
    const Vector<Rational> g = any_vector(p.size(), "cotangent");
    const Rational tau = abs(*nonzero_rational().as("temperature"));
    std::vector<std::pair<Rational, Rational>> pairs;
    for (Index i = 0; i < p.size(); ++i) pairs.emplace_back(g[i], s[i]);
    const FiniteDistribution<std::pair<Rational, Rational>> joint(
        pairs, std::vector<Rational>(p.begin(), p.end()));
    EXPECT_EXACTLY(subject.gradient(p, s, g, tau) == -covariance(joint) / (tau * tau));
  });
  // Two keys with three quarters and one quarter: Cov = 3/16 · (5 − 1)(2 − 0), and τ² = 4.
  Vector<Rational> p(2);
  p << Rational(3, 4), Rational(1, 4);
  EXPECT_EXACTLY(subject.gradient(p, integers({2, 0}), integers({5, 1}), 2) == Rational(-3, 8));
}
//! [QueryDependentScale: exact check]
KILLS("the mean is not subtracted",
      {.gradient = [](auto& p, auto& s, auto& g, auto& t) -> Rational {
        const Rational right = temperature_gradient(p, s, g, t);
        return right - p.dot(g) * p.dot(s) / (t * t);
      }});
KILLS("the temperature's square is dropped", {.gradient = [](auto& p, auto& s, auto& g, auto& t) {
        return temperature_gradient(p, s, g, t) * t;
      }});

ASIDE(QueryDependentScale, RefusesRowsWithoutATemperature) {
  const Vector<Rational> halves = Vector<Rational>::Constant(2, Rational(1, 2));
  expect_refusal<std::invalid_argument>(
      [&] { subject.rows(Matrix<double>::Zero(3, 2), Vector<double>::Ones(2)); });
  expect_refusal<std::domain_error>(
      [&] { subject.rows(Matrix<double>::Zero(1, 2), Vector<double>::Zero(1)); });
  expect_refusal<std::domain_error>([&] { subject.derivative(halves, halves, 0); });
  expect_refusal<std::invalid_argument>([&] { subject.derivative(halves, integers({1}), 1); });
  expect_refusal<std::invalid_argument>(
      [&] { subject.gradient(halves, halves, integers({1}), 1); });
}
KILLS("missing temperatures are 1", {.rows = [](auto& s, auto& t) {
        return each_row(s, t.size() == s.rows() ? t : Vector<double>::Ones(s.rows()));
      }});
KILLS("a temperature of 0 is accepted", {.derivative = [](auto& p, auto& s, auto& t) {
        return t == 0 ? p : Vector<Rational>(temperature_derivative(p, s, t));
      }});

}  // namespace sqrtdk::properties::QueryDependentScale
