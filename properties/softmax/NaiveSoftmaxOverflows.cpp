#include <sqrtdk/numbers/float_text.hpp>

#include "properties/softmax/fixture.hpp"

namespace sqrtdk::properties::NaiveSoftmaxOverflows {

/// The least number that rounds to infinity: 2^E (1 − 2^−(p+1)).
template <class Real>
Wide rounds_to_infinity(int digits, int max_exponent) {
  return ldexp(1 - ldexp(Wide(1), -(digits + 1)), max_exponent);
}

/// Expects that the exponential of a number is finite once rounded, and that of the next is not.
void expect_threshold(const Wide& threshold, const Wide& next, int digits, int max_exponent) {
  const Wide limit = rounds_to_infinity<Wide>(digits, max_exponent);
  // Enclosed by rational numbers, so that no rounding enters.
  const Rational least_infinite = static_cast<Rational>(limit);
  EXPECT_EXACTLY(exp_enclosure(static_cast<Rational>(threshold)).upper < least_infinite)
      << threshold.str(20);
  EXPECT_EXACTLY(exp_enclosure(static_cast<Rational>(next)).lower > least_infinite) << next.str(20);
}

//! [NaiveSoftmaxOverflows: exact check]
STATEMENT(NaiveSoftmaxOverflows, TheThresholdIsExact) {
  const auto expect_exact = [](auto x) {
    using Real = decltype(x);
    using Limits = std::numeric_limits<Real>;
    const Real next = std::nextafter(x, inf<Real>);
    expect_threshold(Wide(x), Wide(next), Limits::digits, Limits::max_exponent);
    EXPECT_EXACTLY(std::isfinite(std::exp(x)));
    EXPECT_EXACTLY(std::isinf(std::exp(next)));
  };
  expect_exact(subject.double_threshold());
  expect_exact(subject.float_threshold());
  const auto expect_small = [](auto x) {
    using Small = decltype(x);
    using Limits = std::numeric_limits<Small>;
    const auto next = Eigen::numext::bit_cast<Small>(
        static_cast<std::uint16_t>(Eigen::numext::bit_cast<std::uint16_t>(x) + 1));
    expect_threshold(Wide(static_cast<float>(x)), Wide(static_cast<float>(next)), Limits::digits,
                     Limits::max_exponent);
  };
  expect_small(subject.half_threshold());
  expect_small(subject.bfloat16_threshold());
  record_value("double", format_hex_and_decimal(subject.double_threshold()));
  record_value("float", format_hex_and_decimal(subject.float_threshold()));
  record_value("half", format_hex_and_decimal(static_cast<float>(subject.half_threshold())));
  record_value("bfloat16",
               format_hex_and_decimal(static_cast<float>(subject.bfloat16_threshold())));
  enumerated(4);
}
//! [NaiveSoftmaxOverflows: exact check]
KILLS("the threshold is one unit in the last place too low",
      {.double_threshold = [] { return std::nextafter(overflow_threshold<double>(), 0.0); },
       .float_threshold = [] { return std::nextafter(overflow_threshold<float>(), 0.0F); }});
KILLS("the threshold is one unit in the last place too high",
      {.double_threshold = [] { return std::nextafter(overflow_threshold<double>(), 1000.0); },
       .float_threshold = [] { return std::nextafter(overflow_threshold<float>(), 1000.0F); }});
KILLS("the threshold of half precision is one unit in the last place too low",
      {.half_threshold = [] { return Eigen::half(0x1.628p+3F); }});
KILLS("bfloat16 has the threshold of single precision, rounded up",
      {.bfloat16_threshold = [] { return Eigen::bfloat16(0x1.64p+6F); }});

template <class Function>
Subject with_naive(Function) {
  constexpr auto wrong = [](const auto& x, auto temperature) {
    return x.empty() ? library_naive(x, temperature) : Function{}(x, temperature);
  };
  return {.in_double = {.naive = wrong}, .in_float = {.naive = wrong}};
}

//! [NaiveSoftmaxOverflows]
STATEMENT(NaiveSoftmaxOverflows, BeyondTheThresholdAWeightIsNaN) {
  in_both(subject, [](const auto& functions, auto real) {
    using Real = decltype(real);
    for_all([&] {
      const Real x = *floats<Real>().as("x");
      const Values<Real> y = functions.naive({x, Real(0)}, 1);
      // exact: the statement is about which of two given numbers is greater
      EXPECT_EXACTLY(std::isnan(y[0]) == (x > overflow_threshold<Real>()));
    });
  });
  expect_confirmed("S3", "Softmax can overflow with large inputs",
                   std::isnan(subject.in_double.naive({1000, 0}, 1)[0]));
}
//! [NaiveSoftmaxOverflows]
KILLS("the maximum is subtracted",
      with_naive([](auto& x, auto temperature) { return library_softmax(x, temperature); }));
KILLS("exponents are cut off at the threshold", with_naive([](auto& x, auto temperature) {
        auto cut = x;
        for (auto& logit : cut)
          logit = std::min(logit, overflow_threshold<decltype(temperature)>());
        return library_naive(cut, temperature);
      }));

ASIDE(NaiveSoftmaxOverflows, TheSumOverflowsSooner) {
  in_both(subject, [](const auto& functions, auto real) {
    using Real = decltype(real);
    using Limits = std::numeric_limits<Real>;
    const Rational largest(Limits::max());
    // e^x is rounded, and goes through at most log₂ 1024 + 8 additions that are: fewer than 32
    // roundings of half an epsilon each.
    const Rational rounded = 1 + 16 * Rational(Limits::epsilon());
    for (const std::size_t n : {2U, 16U, 1024U}) {
      // The multiples of ⅛ on both sides of ln(largest) − ln n.
      const Real limit = overflow_threshold<Real>() - std::log(static_cast<Real>(n));
      const Real above = std::ceil(limit * 8) / 8, below = std::floor(limit * 8) / 8;
      EXPECT_EXACTLY(exp_enclosure(Rational(above)).upper * rounded < largest) << n;
      EXPECT_EXACTLY(n * exp_enclosure(Rational(above)).lower > largest * rounded) << n;
      EXPECT_EXACTLY(n * exp_enclosure(Rational(below)).upper * rounded < largest) << n;
      EXPECT_EXACTLY(bits_of(functions.naive(Values<Real>(n, above), 1)) ==
                     bits_of(Values<Real>(n, 0)))
          << n;
      for (const Real weight : functions.naive(Values<Real>(n, below), 1))
        EXPECT_EXACTLY(Rational(weight) > 0) << n;
    }
  });
  enumerated(6);
}
KILLS("the sum is taken in a wider type", with_naive([](auto& x, auto temperature) {
        auto y = x;
        long double sum = 0;
        for (auto& logit : y) sum += static_cast<long double>(logit = std::exp(logit));
        for (auto& weight : y)
          weight = static_cast<decltype(temperature)>(static_cast<long double>(weight) / sum);
        return y;
      }));

ASIDE(NaiveSoftmaxOverflows, FarBelowZeroItIsNaNToo) {
  in_both(subject, [](const auto& functions, auto real) {
    using Real = decltype(real);
    const Values<Real> y = functions.naive({Real(-800), Real(-801)}, 1);
    EXPECT_EXACTLY((std::isnan(y[0]) && std::isnan(y[1])));
    EXPECT_EXACTLY(bits_of(library_softmax<Real>({-800, -801}, 1)) ==
                   bits_of(library_softmax<Real>({1, 0}, 1)));
    // Up to half the smallest number an exponential rounds to 0; the whole numbers on both sides.
    const Real least = std::numeric_limits<Real>::denorm_min();
    const Real edge = std::log(least) - std::log(Real(2));
    EXPECT_EXACTLY(2 * exp_enclosure(Rational(std::floor(edge))).upper < Rational(least));
    EXPECT_EXACTLY(2 * exp_enclosure(Rational(std::ceil(edge))).lower > Rational(least));
    EXPECT_EXACTLY(std::isnan(functions.naive({std::floor(edge)}, 1)[0]));
    EXPECT_EXACTLY(bits_of(functions.naive({std::ceil(edge)}, 1)[0]) == bits_of(Real(1)));
    record_value(std::is_same_v<Real, float> ? "float" : "double",
                 format_fixed(static_cast<double>(edge), 0));
  });
  enumerated(2);
}
KILLS("an exponential is at least the smallest normal number",
      with_naive([](auto& x, auto temperature) {
        auto raised = x;
        for (auto& logit : raised) logit = std::max(logit, decltype(temperature)(-80));
        return library_naive(raised, temperature);
      }));

}  // namespace sqrtdk::properties::NaiveSoftmaxOverflows
