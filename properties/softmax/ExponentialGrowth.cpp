#include "properties/softmax/fixture.hpp"

namespace sqrtdk::properties::ExponentialGrowth {

/// e^−x for 0 ≤ x ≤ 1, between two sums Σ(−x)ᵏ/k! that follow each other.
Interval<Rational> alternating_series(const Rational& x) {
  Rational sum = 0;
  Rational term = 1;
  for (unsigned k = 0; k < 61; ++k) {
    sum += term;
    term *= -x / (k + 1);
  }
  return {sum + term, sum};
}

//! [ExponentialGrowth: exact check]
STATEMENT(ExponentialGrowth, GrowsAsPrinted) {
  for (const auto& [power, printed] :
       {std::pair("1", "2.718"), std::pair("5", "148.4"), std::pair("5", "148"),
        std::pair("10", "22,026"), std::pair("20", "485,165,195"), std::pair("0.5", "1.649"),
        std::pair("14", "1,202,604"), std::pair("12", "162,755"), std::pair("1.75", "5.755"),
        std::pair("1.25", "3.490"), std::pair("1.5", "4.482")}) {
    const Interval<Rational> exact = subject.exp_enclosure(decimal(power));
    expect_printed("S2", printed, exact.lower);
    expect_rounds_to(printed, exact);
  }
  enumerated(11);
}
KILLS("the constant term is dropped", {.exp_enclosure = [](auto& x) {
        const Interval<Rational> e = exp_enclosure(x);
        return Interval<Rational>{e.lower - 1, e.upper - 1};
      }});
KILLS("the square of e to half the power is rounded", {.exp_enclosure = [](auto& x) {
        const Interval<Rational> e = exp_enclosure(x / 2);
        const Rational root(numerator(e.lower) / denominator(e.lower));
        return Interval<Rational>{root * root, root * root};
      }});

STATEMENT(ExponentialGrowth, TheFiftiethPowerIsMisprinted) {
  const Interval<Rational> exact = subject.exp_enclosure(50);
  const std::string right = "5,184,705,528,587,072,464,087";
  const std::string text = "5,184,705,528,587,072,045";
  const Interval<Rational> as_printed = parse_printed(text);
  expect_refuted("S2", text, as_printed.lower <= exact.upper && exact.lower <= as_printed.upper,
                 right + " (it is printed three times)");
  expect_rounds_to(right, exact);
  // A thousand times too small; no power of ten makes it right: the digits differ.
  const Rational printed = decimal(text);
  EXPECT_EXACTLY((exact.lower / printed > 999 && exact.upper / printed < 1001));
  EXPECT_EXACTLY(!(exact.lower - printed * 1000 < 500 && printed * 1000 - exact.lower < 500));
  const Rational least = decimal("1,000,000,000,000,000,000,000");
  const bool is_large = exact.lower - subject.exp_enclosure(10).upper > least;
  EXPECT_EXACTLY(is_large);
  expect_confirmed("S2", "astronomically large", is_large);
  record_value("value", static_cast<Wide>(exact.lower).str(24));
  record_value("in_double", format_significant(std::exp(50.0) / 1e21, 16));
  enumerated(1);
}
//! [ExponentialGrowth: exact check]
KILLS("the exponential is computed in double precision", {.exp_enclosure = [](const Rational& x) {
        const Rational e(std::floor(std::exp(x.convert_to<double>())));
        return Interval<Rational>{e, e};
      }});

//! [ExponentialGrowth]
STATEMENT(ExponentialGrowth, LiesBetweenItsSeriesAndTheRemainder) {
  for_all([&] {
    const Rational x(*rc::gen::inRange(0, 81).as("8 x"), 8);
    const unsigned terms = *rc::gen::inRange(10U, 41U).as("N, above x − 1");
    Rational sum = 0;
    Rational term = 1;  // x^N/N! in the end
    for (unsigned k = 0; k < terms; ++k) {
      sum += term;
      term *= x / (k + 1);
    }
    const Interval<Rational> e = subject.exp_enclosure(x);
    EXPECT_EXACTLY(sum <= e.upper);
    EXPECT_EXACTLY(e.lower <= sum + term / (1 - x / (terms + 1)));
  });
}
//! [ExponentialGrowth]
KILLS("a power of e is one of 2.72",
      {.exp_enclosure = [](auto& x) { return exp_enclosure(x * decimal("1.0006")); }});
KILLS("the exponential of the next smaller integer", {.exp_enclosure = [](auto& x) {
        return exp_enclosure(Rational(Integer(numerator(x) / denominator(x))));
      }});

STATEMENT(ExponentialGrowth, EnclosesTheExponential) {
  const Rational narrow = 1 / Rational(Integer(1) << 200);
  // This is the exponential: 1/e and e^(−1/8) lie between the sums of an alternating series.
  for (const Rational& x : {Rational(1), Rational(1, 8)}) {
    const Interval<Rational> inverse = alternating_series(x);
    EXPECT_EXACTLY(inverse.upper - inverse.lower < narrow);
    const Interval<Rational> below = subject.exp_enclosure(-x);
    const Interval<Rational> above = subject.exp_enclosure(x);
    EXPECT_EXACTLY((below.lower <= inverse.upper && inverse.lower <= below.upper));
    EXPECT_EXACTLY((above.lower * inverse.lower <= 1 && 1 <= above.upper * inverse.upper));
  }
  for_all(
      [&] {
        const Rational x(*rc::gen::inRange(-300, 301).as("8 x"), 8);
        const Rational y(*rc::gen::inRange(-300, 301).as("8 y"), 8);
        const Interval<Rational> ex = subject.exp_enclosure(x);
        const Interval<Rational> ey = subject.exp_enclosure(y);
        const Interval<Rational> both = subject.exp_enclosure(x + y);
        EXPECT_EXACTLY((ex.lower > 0 && ex.upper - ex.lower < narrow * ex.lower));
        // e^x is irrational unless x is 0, and at least 1 + x.
        EXPECT_EXACTLY((ex.lower < ex.upper) == (x != 0));
        EXPECT_EXACTLY((ex.lower >= 1 + x && (x >= 1 || ex.upper <= 1 / (1 - x) * (1 + narrow))));
        // e^x e^y and e^(x + y) are one number.
        EXPECT_EXACTLY((ex.lower * ey.lower <= both.upper && both.lower <= ex.upper * ey.upper));
      },
      50);
}
KILLS("the remainder is dropped", {.exp_enclosure = [](auto& x) {
        const Interval<Rational> e = exp_enclosure(x);
        return Interval<Rational>{e.lower, e.lower};
      }});
KILLS("e is raised by the part 10^-30", {.exp_enclosure = [](auto& x) {
        const Rational part(1, Integer("1000000000000000000000000000000"));
        return exp_enclosure(x * (1 + part));
      }});
KILLS("the series ends after 24 terms", {.exp_enclosure = [](auto& x) {
        Rational sum = 0;
        Rational term = 1;
        for (unsigned k = 0; k < 24; ++k) {
          sum += term;
          term *= x / (k + 1);
        }
        return Interval<Rational>{sum, sum * (1 + 1 / Rational(Integer(1) << 201))};
      }});
KILLS("negative powers are not inverted",
      {.exp_enclosure = [](auto& x) { return exp_enclosure(abs(x)); }});
KILLS("the upper end is raised by a millionth", {.exp_enclosure = [](auto& x) {
        const Interval<Rational> e = exp_enclosure(x);
        return Interval<Rational>{e.lower, e.upper * (1 + Rational(1, 1000000))};
      }});

}  // namespace sqrtdk::properties::ExponentialGrowth
