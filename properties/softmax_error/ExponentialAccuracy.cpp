#include <sqrtdk/numbers/larger_or_nan.hpp>
#include <sqrtdk/testing/statistics/seed.hpp>

#include "properties/softmax_error/fixture.hpp"

namespace sqrtdk::properties::ExponentialAccuracy {

template <class Real>
Real library_exp(Real x) {
  using std::exp;
  return exp(x);
}

template <class Real>
Real library_log(Real x) {
  using std::log;
  return log(x);
}

template <class Real>
struct ExpAndLog {
  Real (*exp)(Real) = library_exp<Real>;
  Real (*log)(Real) = library_log<Real>;
  SoftmaxArithmetic (*arithmetic)() = arithmetic_of<Real>;
};

struct Subject {
  ExpAndLog<float> in_float = {};
  ExpAndLog<double> in_double = {};
  ExpAndLog<long double> in_long_double = {};
  ExpAndLog<Wide> in_fifty_digits = {};
};

/// In which type another one is measured.
template <class Real>
struct Measurement {
  using Reference = Wide;
};
template <>
struct Measurement<float> {
  using Reference = double;
};
template <>
struct Measurement<Wide> {
  using Reference = Wider;
};

/// The A that the exponential of a number needs, if its argument may err by κu; η is the type's.
template <class Real>
double exp_error_at(Real x, Real computed, const SoftmaxArithmetic& by) {
  using Reference = typename Measurement<Real>::Reference;
  using std::abs;
  using std::exp;
  const Reference exact = exp(Reference(x));
  const Reference u(by.unit_roundoff);
  // The greatest that the part κu of the argument can account for, to first order.
  const Reference shifted = Reference(by.exp_argument_error) * u * abs(Reference(x)) * exact;
  const Reference rest = abs(Reference(computed) - exact) - shifted;
  const Reference eta(std::numeric_limits<Real>::denorm_min());
  return static_cast<double>(Reference(rest / (u * exact + eta / 2)));
}

template <class Real>
double log_error_at(Real x, Real computed, const SoftmaxArithmetic& by) {
  using Reference = typename Measurement<Real>::Reference;
  using std::abs;
  using std::log;
  const Reference exact = log(Reference(x));
  return static_cast<double>(
      Reference(abs(Reference(computed) - exact) / (Reference(by.unit_roundoff) * exact)));
}

/// The i-th of some numbers between 1 and 2 whose digits look random.
template <class Real>
Real mantissa(std::uint64_t i) {
  Real x = 1;
  for (std::uint64_t k = 0; k < 4; ++k)
    x += static_cast<Real>(static_cast<double>(mix(4 * i + k) >> 11)) *
         static_cast<Real>(std::ldexp(1.0, -53 - 53 * static_cast<int>(k)));
  return x < 2 ? x : Real(1.5);
}

/// Every float from one to another, neither negative, or one of each `step`: by consecutive bits.
template <class Visit>
void visit_floats(float from, float to, std::uint32_t step, Visit visit) {
  const auto last = std::bit_cast<std::uint32_t>(to);
  for (auto bits = std::bit_cast<std::uint32_t>(from); bits <= last; bits += step)
    visit(std::bit_cast<float>(bits));
}

/// 2^low to 2^(high + 1), so many numbers for each exponent.
template <class Real, class Visit>
void visit_exponents(int low, int high, std::uint64_t each, Visit visit) {
  using std::ldexp;
  std::uint64_t i = 0;
  for (int e = low; e <= high; ++e)
    for (std::uint64_t k = 0; k < each; ++k) visit(Real(ldexp(mantissa<Real>(i++), e)));
}

std::uint64_t per_exponent(std::uint64_t of_the_library) {
  return checking_a_mutant() ? 20 : of_the_library;
}

/// The largest A that exp needs: from 2^−40 to where it overflows, below 0 to where it vanishes; of
/// fifty digits to 2¹⁴.
template <class Real>
double worst_exp_error(const ExpAndLog<Real>& library, std::uint64_t each) {
  const SoftmaxArithmetic by = library.arithmetic();
  const int deepest = std::min(13, static_cast<int>(std::ilogb(by.depth_of_underflow)));
  const double overflow =
      std::log(2.0) * static_cast<double>(std::numeric_limits<Real>::max_exponent);
  double worst = 0;
  visit_exponents<Real>(-40, deepest, per_exponent(each), [&](const Real& x) {
    const Real computed = library.exp(-x);
    EXPECT_GE(computed, 0) << "exp(-" << x << ")";
    worst = sqrtdk::detail::larger_or_nan(worst, exp_error_at<Real>(-x, computed, by));
    if (x < overflow - 1)
      worst = sqrtdk::detail::larger_or_nan(worst, exp_error_at<Real>(x, library.exp(x), by));
  });
  return worst;
}

/// The largest Λ that log needs, from the least number above 1 to 2²¹.
template <class Real>
double worst_log_error(const ExpAndLog<Real>& library, std::uint64_t each) {
  constexpr int last_digit = 1 - std::numeric_limits<Real>::digits;
  double worst = 0;
  const auto at = [&](const Real& x) {
    worst = sqrtdk::detail::larger_or_nan(
        worst, log_error_at<Real>(x, library.log(x), library.arithmetic()));
  };
  visit_exponents<Real>(last_digit, 0, per_exponent(each), [&](const Real& x) { at(Real(1 + x)); });
  visit_exponents<Real>(1, 20, per_exponent(each), at);
  return worst;
}

//! [ExponentialAccuracy]
STATEMENT(ExponentialAccuracy, ExpOfFloatsIsWithinAUnit) {
  evidence().rests_on(EvidenceLevel::measured);
  const ExpAndLog<float>& library = subject.in_float;
  const SoftmaxArithmetic by = library.arithmetic();
  const std::uint32_t step = checking_a_mutant() ? 1001 : 1;  // odd, to meet odd last digits
  double worst = 0;
  bool negative = false;
  std::uint32_t count = 0;
  const auto measure = [&](float x) {
    const float computed = library.exp(x);
    negative = negative || computed < 0;
    worst = sqrtdk::detail::larger_or_nan(worst, exp_error_at(x, computed, by));
    ++count;
  };
  const auto below = [&](float x) { measure(-x); };
  visit_floats(0.5F, 1.0F, step, below);     // every float: they are 2^-24 apart
  visit_floats(86.0F, 105.0F, step, below);  // and every one about where exp vanishes
  const std::uint32_t all = count;
  visit_floats(0x1p-40F, 128.0F, 1009 * step, below);  // one in about a thousand of the others
  visit_floats(0x1p-40F, 88.0F, 1009 * step, measure);
  if (!checking_a_mutant()) {
    EXPECT_EQ(all, (1U << 23) + 1 + 19 * (1U << 17) + 1);
  }
  EXPECT_FALSE(negative);
  EXPECT_EQ(library.exp(0), 1);
  EXPECT_EQ(library.exp(-inf<float>), 0);
  EXPECT_LE(worst, by.exp_error);
  evidence().worst(worst, by.exp_error);
  enumerated(count);
  for_all([&] {
    const float x = std::min(*floats<float>({.largest = 105}).as("x"), 88.0F);
    RC_ASSERT(library.exp(x) >= 0);
    RC_ASSERT(exp_error_at(x, library.exp(x), by) <= by.exp_error);
  });
  record_value("worst", rounded_up(worst, 2));
  record_value("count", format_fixed(count * 1e-6, 2));
}
//! [ExponentialAccuracy]
KILLS("exp of a float is the next number but one", {.in_float = {.exp = [](float x) {
                                                      const float y = std::exp(x);
                                                      return std::nextafter(std::nextafter(y, 2.0F),
                                                                            2.0F);
                                                    }}});
KILLS("exp of a float is wrong where the last digit is odd",
      {.in_float = {.exp = [](float x) {
         const bool is_odd = std::bit_cast<std::uint32_t>(x) % 2 == 1;
         return std::exp(x) * (is_odd && x > -86 ? 1.0001F : 1);
       }}});
KILLS("exp of a float is not a number where the last digit is odd",
      {.in_float = {.exp = [](float x) {
         const bool is_odd = std::bit_cast<std::uint32_t>(x) % 2 == 1;
         return is_odd ? std::numeric_limits<float>::quiet_NaN() : std::exp(x);
       }}});
KILLS("exp of a float is wrong above 1",
      {.in_float = {.exp = [](float x) { return std::exp(x) * (x > 0 ? 1.0001F : 1); }}});
KILLS("exp of a float is flushed to 0 if it is subnormal",
      {.in_float = {.exp = [](float x) {
         const float y = std::exp(x);
         return y < std::numeric_limits<float>::min() ? 0.0F : y;
       }}});
KILLS("exp of a float is below 0 where it vanishes",
      {.in_float = {.exp = [](float x) {
         const float y = std::exp(x);
         return y == 0 ? -std::numeric_limits<float>::denorm_min() : y;
       }}});

STATEMENT(ExponentialAccuracy, ExpOfWiderNumbersIsAsGoodAsSaid) {
  const auto measure = [](const auto& library, const char* name, std::uint64_t each) {
    const double worst = worst_exp_error(library, each);
    EXPECT_LE(worst, library.arithmetic().exp_error) << name;
    EXPECT_EQ(library.exp(0), 1) << name;
    evidence().worst(worst, library.arithmetic().exp_error);
    record_value(name, rounded_up(worst, 2));
  };
  record_value("varies_with", "the processor, in long double");
  measure(subject.in_double, "double", 150);
  measure(subject.in_long_double, "long_double", 150);
  measure(subject.in_fifty_digits, "fifty_digits", 30);
  evidence().rests_on(EvidenceLevel::measured);
}
KILLS("exp of a long double is that of a double below -700",
      {.in_long_double = {.exp = [](long double x) {
         return x < -700 ? std::exp(static_cast<double>(x)) : std::exp(x);
       }}});
KILLS("exp of a double is computed in float",
      {.in_double = {.exp = [](double x) -> double { return std::exp(static_cast<float>(x)); }}});
KILLS("exp of a long double is off by three units",
      {.in_long_double = {.exp = [](long double x) {
         return std::exp(x) * (1 + 3 * std::numeric_limits<long double>::epsilon());
       }}});
KILLS("fifty digits are said to have the exp of a processor",
      {.in_fifty_digits = {.arithmetic = as_of_hardware<Wide>}});

STATEMENT(ExponentialAccuracy, LogIsAsGoodAsSaid) {
  const auto measure = [](const auto& library, const char* name, std::uint64_t each) {
    const double worst = worst_log_error(library, each);
    EXPECT_LE(worst, library.arithmetic().log_error) << name;
    EXPECT_EQ(library.log(1), 0) << name;
    evidence().worst(worst, library.arithmetic().log_error);
    record_value(name, rounded_up(worst, 2));
  };
  record_value("varies_with", "the processor, in long double");
  measure(subject.in_float, "float", 20000);
  measure(subject.in_double, "double", 120);
  measure(subject.in_long_double, "long_double", 120);
  measure(subject.in_fifty_digits, "fifty_digits", 20);
  evidence().rests_on(EvidenceLevel::measured);
}
KILLS("log is off by two units", {.in_float = {.log = [](float x) {
                                    return std::log(x) *
                                           (1 + 2 * std::numeric_limits<float>::epsilon());
                                  }}});
KILLS("log of a double takes what is within 2^-20 of 1 for a float",
      {.in_double = {.log = [](double x) {
         return x - 1 < 0x1p-20 ? std::log1p(static_cast<float>(x - 1)) : std::log(x);
       }}});
KILLS("log of a double is computed in float",
      {.in_double = {.log = [](double x) -> double { return std::log(static_cast<float>(x)); }}});
KILLS("fifty digits are said to have the log of a processor",
      {.in_fifty_digits = {.arithmetic = as_of_hardware<Wide>}});

ASIDE(ExponentialAccuracy, FiftyDigitsNeedMoreThanAProcessor) {
  // Two units in the last place are refuted by one number, for exp and for log.
  const ExpAndLog<Wide>& library = subject.in_fifty_digits;
  SoftmaxArithmetic by = library.arithmetic();
  by.exp_argument_error = 0;
  const Wide far = -2040.5;
  const double of_exp = exp_error_at<Wide>(far, library.exp(far), by);
  const Wide near = 1.25;
  double of_log = 0;
  for (int i = 0; i < 64; ++i) {
    const Wide x = near + Wide(i) / 256;
    of_log = sqrtdk::detail::larger_or_nan(of_log, log_error_at<Wide>(x, library.log(x), by));
  }
  EXPECT_GT(of_exp, 1000);
  EXPECT_GT(of_log, 2);
  // The part κu of the argument accounts for all of it.
  EXPECT_LT(of_exp, library.arithmetic().exp_argument_error * 2040.5);
  evidence().rests_on(EvidenceLevel::measured);
  enumerated(1 + 64);
  counterexample_without("the library that was measured");
  record_value("exp", format_significant(of_exp, 4));
  record_value("log", format_significant(of_log, 3));
}
KILLS("fifty digits are computed in a hundred",
      {.in_fifty_digits = {.exp = [](Wide x) { return Wide(exp(Wider(x))); },
                           .log = [](Wide x) { return Wide(log(Wider(x))); }}});

}  // namespace sqrtdk::properties::ExponentialAccuracy
