#include <sqrtdk/numbers/exp_interval.hpp>

#include "properties/saturation/fixture.hpp"

#include <boost/math/differentiation/autodiff.hpp>

namespace sqrtdk::properties::SaturationThreshold {

namespace autodiff = boost::math::differentiation;

/// A number of scores and e to the height of the one that is raised.
std::pair<std::size_t, Rational> any_raise() {
  const auto n = *rc::gen::inRange<std::size_t>(2, 40).as("number of scores");
  const Rational r = abs(*nonzero_rational().as("e^x"));
  return {n, r};
}

STATEMENT(SaturationThreshold, TheWeightIsThatOfSoftmax) {
  for_all([&] {
    const auto [n, r] = any_raise();
    Vector<Rational> exponentials = Vector<Rational>::Ones(static_cast<Index>(n));
    exponentials[0] = r;
    EXPECT_EXACTLY(subject.raised(n, r) == normalized_weights(exponentials)[0]);
  });
}
KILLS("n others", {.raised = [](auto n, auto& r) { return outlier_weight(n + 1, r); }});
KILLS("the weight of one of the others",
      {.raised = [](auto n, auto& r) { return outlier_weight(n, r) / r; }});

//! [SaturationThreshold: exact check]
STATEMENT(SaturationThreshold, TheDerivativesAreExact) {
  for_all([&] {
    const auto [n, r] = any_raise();
    // With t = e^h, d/dh = t d/dt: at t = 1 the derivatives by h are D₁, D₂ + D₁, D₃ + 3D₂ + D₁.
    const auto t = autodiff::make_fvar<Rational, 3>(Rational(1));
    const auto weight = t * r / (t * r + Rational(n - 1));
    const Rational D1 = weight.at(1), D2 = 2 * weight.at(2), D3 = 6 * weight.at(3);
    EXPECT_EXACTLY(subject.derivative(n, r, 1) == D1) << "the first derivative by x";
    EXPECT_EXACTLY(subject.derivative(n, r, 2) == D2 + D1) << "the second derivative by x";
    EXPECT_EXACTLY(subject.derivative(n, r, 3) == D3 + 3 * D2 + D1) << "the third derivative by x";
  });
}
//! [SaturationThreshold: exact check]
KILLS("the square of the weight for the product",
      {.derivative = [](auto n, auto& r, unsigned k) -> Rational {
        const Rational p = outlier_weight(n, r);
        return k == 1 ? Rational(p * p) : outlier_weight_derivative(n, r, k);
      }});
KILLS("the second derivative has the other sign", {.derivative = [](auto n, auto& r, unsigned k) {
        return outlier_weight_derivative(n, r, k) * (k == 2 ? -1 : 1);
      }});
KILLS("the third derivative with 4u", {.derivative = [](auto n, auto& r, unsigned k) -> Rational {
        const Rational u = outlier_weight_derivative(n, r, 1);
        return k == 3 ? Rational(u * (1 - 4 * u)) : outlier_weight_derivative(n, r, k);
      }});

STATEMENT(SaturationThreshold, ItIsSteepestAtOneHalf) {
  for (std::size_t n = 2; n <= 16; ++n) {
    const Rational others(n - 1);
    EXPECT_EXACTLY(subject.raised(n, others) == Rational(1, 2)) << n << " scores";
    EXPECT_EXACTLY(subject.derivative(n, others, 1) == Rational(1, 4)) << n << " scores";
  }
  for_all([&] {
    const auto [n, r] = any_raise();
    const Rational others(n - 1);
    EXPECT_EXACTLY(subject.derivative(n, r, 1) <= Rational(1, 4));
    // It steepens below ln(n − 1) and flattens above.
    const Rational second = subject.derivative(n, r, 2);
    EXPECT_EXACTLY((second > 0) == (r < others));
    EXPECT_EXACTLY((second < 0) == (r > others));
  });
}
KILLS("steepest where all are equal", {.derivative = [](auto n, auto& r, unsigned k) {
        return outlier_weight_derivative(2, n == 2 ? Rational(2 * r) : r, k);
      }});

//! [SaturationThreshold]
STATEMENT(SaturationThreshold, TheThresholdsOfTheExercise) {
  // softmax([x, 0, 0, 0]): ln 27, ln 297, ln 2997
  EXPECT_EXACTLY(subject.ratio(4, Rational(1, 2)) == 3);
  EXPECT_EXACTLY(subject.ratio(4, Rational(1, 10)) == 27);
  EXPECT_EXACTLY(subject.ratio(4, Rational(1, 100)) == 297);
  EXPECT_EXACTLY(subject.ratio(4, Rational(1, 1000)) == 2997);
  for_all([&] {
    const auto n = *rc::gen::inRange<std::size_t>(2, 5000).as("number of scores");
    const Rational rest(*rc::gen::inRange(1, 1000).as("thousandths left to the others"), 1000);
    const Rational ratio = subject.ratio(n, rest);
    EXPECT_EXACTLY(subject.raised(n, ratio) == 1 - rest);
    EXPECT_EXACTLY(subject.derivative(n, ratio, 1) == rest * (1 - rest));
  });
  const auto record_height = [&](const char* name, std::size_t n, const Rational& rest,
                                 int digits) {
    const Rational ratio = subject.ratio(n, rest);
    const std::string printed = format_fixed(std::log(static_cast<double>(ratio)), digits);
    // Its logarithm rounds to this.
    EXPECT_EXACTLY(exp_enclosure(parse_printed(printed).lower).upper < ratio) << printed;
    EXPECT_EXACTLY(exp_enclosure(parse_printed(printed).upper).lower > ratio) << printed;
    record_value(name, printed);
  };
  record_height("half", 4, Rational(1, 2), 3);
  record_height("one_nine", 4, Rational(1, 10), 3);
  record_height("two_nines", 4, Rational(1, 100), 3);
  record_height("three_nines", 4, Rational(1, 1000), 3);
  record_height("two_nines_of_512", 512, Rational(1, 100), 2);
  record_height("half_of_512", 512, Rational(1, 2), 2);
  std::vector<std::vector<double>> rows;
  for (int tenth = 0; tenth <= 100; ++tenth) {
    const double x = tenth / 10.0;
    const double p = outlier_weight(4, std::exp(x));
    rows.push_back({x, p, (1 - p) / 3, outlier_weight_derivative(4, std::exp(x), 1),
                    outlier_weight(512, std::exp(x))});
  }
  write_figure_data("saturation_threshold", {"x", "raised", "other", "slope", "raised_of_512"},
                    rows);
}
//! [SaturationThreshold]
KILLS("weights add up to ε",
      {.ratio = [](auto n, auto& rest) { return required_ratio(n, 1 - rest); }});
KILLS("every key is another",
      {.ratio = [](auto n, auto& rest) { return required_ratio(n + 1, rest); }});

STATEMENT(SaturationThreshold, ItsSlopeFallsFastestAtTwoPlusRootThree) {
  for_all([&] {
    const auto [n, r] = any_raise();
    // With ρ = r/(n − 1), the third derivative has the sign of ρ² − 4ρ + 1 = 0 at 2 ± √3.
    const Rational rho = r / Rational(n - 1);
    const Rational sign = rho * rho - 4 * rho + 1;
    const Rational third = subject.derivative(n, r, 3);
    EXPECT_EXACTLY((third > 0) == (sign > 0));
    EXPECT_EXACTLY((third < 0) == (sign < 0));
  });
  const double rho = 2 + std::sqrt(3.0);
  const std::string place = format_fixed(std::log(3 * rho), 2);
  const std::string weight = format_fixed(100 * rho / (1 + rho), 0);
  // The root lies between the numbers that round to these.
  const auto sign = [](const Rational& x) { return Rational(x * x - 4 * x + 1); };
  const auto odds = [](const Rational& percent) { return Rational(percent / (100 - percent)); };
  EXPECT_EXACTLY(sign(exp_enclosure(parse_printed(place).lower).upper / 3) < 0) << place;
  EXPECT_EXACTLY(sign(exp_enclosure(parse_printed(place).upper).lower / 3) > 0) << place;
  EXPECT_EXACTLY(sign(odds(parse_printed(weight).lower)) < 0) << weight;
  EXPECT_EXACTLY(sign(odds(parse_printed(weight).upper)) > 0) << weight;
  record_value("place", place);
  record_value("weight", weight);
}
KILLS("the slope falls fastest where the weight is three quarters",
      {.derivative = [](auto n, auto& r, unsigned k) -> Rational {
        const Rational u = outlier_weight_derivative(n, r, 1);
        return k == 3 ? Rational(u * (3 - 16 * u)) : outlier_weight_derivative(n, r, k);
      }});

ASIDE(SaturationThreshold, AnInfiniteRatioHasAllTheWeight) {
  const auto expect_weight = [&](std::size_t n, double r, double wanted) {
    const double weight = subject.raised_double(n, r);
    const bool has_its_bits = bits_of(weight) == bits_of(wanted);
    EXPECT_EXACTLY(has_its_bits) << "1 of " << n << " scores with e^x = " << format_shortest(r)
                                 << " has the weight " << format_shortest(wanted) << ", not "
                                 << format_shortest(weight);
  };
  for (const std::size_t n : {2U, 4U, 4096U})
    expect_weight(n, std::numeric_limits<double>::infinity(), 1);
  expect_weight(2, 0x1p-1074, 0x1p-1074);
  expect_weight(3, 0x1p-1060, 0x1p-1061);
  enumerated(5);
}
KILLS("an infinite ratio is no number",
      {.raised_double = [](auto n, double r) { return r / (r + double(n - 1)); }});
KILLS("a tiny ratio has no weight",
      {.raised_double = [](auto n, double r) { return 1 / (1 + double(n - 1) / r); }});

ASIDE(SaturationThreshold, RefusesWhatIsNoRatio) {
  expect_refusal<std::domain_error>([&] { subject.raised(1, 1); });
  expect_refusal<std::domain_error>([&] { subject.raised(4, 0); });
  expect_refusal<std::domain_error>([&] { subject.derivative(4, 1, 4); });
  expect_refusal<std::domain_error>([&] { subject.derivative(4, 1, 0); });
  expect_refusal<std::domain_error>([&] { subject.derivative(4, -1, 1); });
}
KILLS("a ratio of 0 is accepted",
      {.raised = [](auto n, auto& r) { return r == 0 ? Rational(0) : outlier_weight(n, r); }});
KILLS("a fourth derivative is offered", {.derivative = [](auto n, auto& r, unsigned k) {
        return k > 3 ? Rational(0) : outlier_weight_derivative(n, r, k);
      }});

}  // namespace sqrtdk::properties::SaturationThreshold
