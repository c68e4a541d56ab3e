// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/numbers/exp_interval.hpp>
#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/saturation.hpp>
#include <sqrtdk/softmax.hpp>
#include <sqrtdk/softmax_examples.hpp>
#include <sqrtdk/testing/generators/rational_distributions.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/exact_types.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>
#include <sqrtdk/testing/reporting/expect_refusal.hpp>
#include <sqrtdk/testing/reporting/figure_data.hpp>
#include <sqrtdk/testing/reporting/printed.hpp>

#include "properties/saturation/fixture.hpp"

#include <boost/math/differentiation/autodiff.hpp>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace sqrtdk::properties::SaturationThreshold {

using namespace sqrtdk::testing;

namespace autodiff = boost::math::differentiation;

const Mutants saturation_threshold_mutants = {
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
    {"the slope falls fastest where the weight is three quarters",
     "ItsSlopeFallsFastestAtTwoPlusRootThree",
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
  check_statement(saturation_threshold_mutants, [](const Saturations& saturations) {
    for_all([&] {
      const auto [n, r] = any_raise();
      Vector<Rational> exponentials = Vector<Rational>::Ones(static_cast<Index>(n));
      exponentials[0] = r;
      EXPECT_EXACTLY(saturations.raised(n, r) == normalized_weights(exponentials)[0]);
    });
  });
}

//! [SaturationThreshold: exact check]
TEST(SaturationThreshold, TheDerivativesAreExact) {
  check_statement(saturation_threshold_mutants, [](const Saturations& saturations) {
    for_all([&] {
      const auto [n, r] = any_raise();
      // With t = e^h, d/dh = t d/dt: at t = 1 the derivatives by h are D₁, D₂ + D₁, D₃ + 3D₂ + D₁.
      const auto t = autodiff::make_fvar<Rational, 3>(Rational(1));
      const auto weight = t * r / (t * r + Rational(n - 1));
      const Rational D1 = weight.at(1), D2 = 2 * weight.at(2), D3 = 6 * weight.at(3);
      EXPECT_EXACTLY(saturations.derivative(n, r, 1) == D1) << "the first derivative by x";
      EXPECT_EXACTLY(saturations.derivative(n, r, 2) == D2 + D1) << "the second derivative by x";
      EXPECT_EXACTLY(saturations.derivative(n, r, 3) == D3 + 3 * D2 + D1)
          << "the third derivative by x";
    });
  });
}
//! [SaturationThreshold: exact check]

TEST(SaturationThreshold, ItIsSteepestAtOneHalf) {
  check_statement(saturation_threshold_mutants, [](const Saturations& saturations) {
    for (std::size_t n = 2; n <= 16; ++n) {
      const Rational others(n - 1);
      EXPECT_EXACTLY(saturations.raised(n, others) == Rational(1, 2)) << n << " scores";
      EXPECT_EXACTLY(saturations.derivative(n, others, 1) == Rational(1, 4)) << n << " scores";
    }
    for_all([&] {
      const auto [n, r] = any_raise();
      const Rational others(n - 1);
      EXPECT_EXACTLY(saturations.derivative(n, r, 1) <= Rational(1, 4));
      // It steepens below ln(n − 1) and flattens above.
      const Rational second = saturations.derivative(n, r, 2);
      EXPECT_EXACTLY((second > 0) == (r < others));
      EXPECT_EXACTLY((second < 0) == (r > others));
    });
  });
}

//! [SaturationThreshold]
TEST(SaturationThreshold, TheThresholdsOfTheExercise) {
  check_statement(saturation_threshold_mutants, [](const Saturations& saturations) {
    // softmax([x, 0, 0, 0]): ln 27, ln 297, ln 2997
    EXPECT_EXACTLY(saturations.ratio(4, Rational(1, 2)) == 3);
    EXPECT_EXACTLY(saturations.ratio(4, Rational(1, 10)) == 27);
    EXPECT_EXACTLY(saturations.ratio(4, Rational(1, 100)) == 297);
    EXPECT_EXACTLY(saturations.ratio(4, Rational(1, 1000)) == 2997);
    for_all([&] {
      const auto n = *rc::gen::inRange<std::size_t>(2, 5000).as("number of scores");
      const Rational rest(*rc::gen::inRange(1, 1000).as("thousandths left to the others"), 1000);
      const Rational ratio = saturations.ratio(n, rest);
      EXPECT_EXACTLY(saturations.raised(n, ratio) == 1 - rest);
      EXPECT_EXACTLY(saturations.derivative(n, ratio, 1) == rest * (1 - rest));
    });
    const auto record_height = [&](const char* name, std::size_t n, const Rational& rest,
                                   int digits) {
      const Rational ratio = saturations.ratio(n, rest);
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
  });
}
//! [SaturationThreshold]

TEST(SaturationThreshold, ItsSlopeFallsFastestAtTwoPlusRootThree) {
  check_statement(saturation_threshold_mutants, [](const Saturations& saturations) {
    for_all([&] {
      const auto [n, r] = any_raise();
      // With ρ = r/(n − 1), the third derivative has the sign of ρ² − 4ρ + 1 = 0 at 2 ± √3.
      const Rational rho = r / Rational(n - 1);
      const Rational sign = rho * rho - 4 * rho + 1;
      const Rational third = saturations.derivative(n, r, 3);
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
  });
}

TEST(SaturationThreshold, AnInfiniteRatioHasAllTheWeight) {
  check_with_mutants(saturation_threshold_mutants, [](const Saturations& saturations) {
    const auto expect_weight = [&](std::size_t n, double r, double wanted) {
      const double weight = saturations.raised_double(n, r);
      const bool has_its_bits = bits_of(weight) == bits_of(wanted);
      EXPECT_EXACTLY(has_its_bits)
          << "1 of " << n << " scores with e^x = " << format_shortest(r) << " has the weight "
          << format_shortest(wanted) << ", not " << format_shortest(weight);
    };
    for (const std::size_t n : {2U, 4U, 4096U})
      expect_weight(n, std::numeric_limits<double>::infinity(), 1);
    expect_weight(2, 0x1p-1074, 0x1p-1074);
    expect_weight(3, 0x1p-1060, 0x1p-1061);
    enumerated(5);
  });
}

TEST(SaturationThreshold, RefusesWhatIsNoRatio) {
  check_with_mutants(saturation_threshold_mutants, [](const Saturations& saturations) {
    expect_refusal<std::domain_error>([&] { saturations.raised(1, 1); });
    expect_refusal<std::domain_error>([&] { saturations.raised(4, 0); });
    expect_refusal<std::domain_error>([&] { saturations.derivative(4, 1, 4); });
    expect_refusal<std::domain_error>([&] { saturations.derivative(4, 1, 0); });
    expect_refusal<std::domain_error>([&] { saturations.derivative(4, -1, 1); });
  });
}

}  // namespace sqrtdk::properties::SaturationThreshold
