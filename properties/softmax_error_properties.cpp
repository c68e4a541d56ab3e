// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/softmax_error.hpp>
#include <sqrtdk/testing/generators/floating_point.hpp>
#include <sqrtdk/testing/generators/worst_case.hpp>
#include <sqrtdk/testing/laws/exact_softmax.hpp>
#include <sqrtdk/testing/laws/raised_bound.hpp>
#include <sqrtdk/testing/laws/softmax_laws.hpp>
#include <sqrtdk/testing/laws/wide.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/expect_worst.hpp>
#include <sqrtdk/testing/statistics/seed.hpp>

#include "properties/softmax/functions.hpp"
#include "properties/support/outcomes.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using namespace sqrtdk;
using namespace sqrtdk::testing;

// ----------------------------------------------------------------------------- ExponentialAccuracy

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

/// What the claim is about: two functions for four types of numbers, and what is said of them.
struct Libraries {
  ExpAndLog<float> in_float = {};
  ExpAndLog<double> in_double = {};
  ExpAndLog<long double> in_long_double = {};
  ExpAndLog<Wide> in_fifty_digits = {};
};

/// In which type another one is measured, and which of its numbers are: in a window every one for
/// `float`, spread over the exponents for the others.
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

/// The A that the exponential of a number needs, if its argument may err by κu.
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
  // Fifty digits have exponents enough for what is measured.
  const Reference eta(std::is_floating_point_v<Real> ? by.smallest : 0);
  return static_cast<double>(Reference(rest / (u * exact + eta / 2)));
}

/// The Λ that the logarithm of a number needs.
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

/// Every number of an interval of negative floats, or one of each `step`.
template <class Visit>
void visit_floats(float from, float to, int step, Visit visit) {
  const float unit = std::ldexp(1.0F, std::ilogb(to) - 23);
  for (float x = from; x >= to; x -= unit * static_cast<float>(step)) visit(x);
}

/// 2^low to 2^(high + 1), so many numbers for each exponent.
template <class Real, class Visit>
void visit_exponents(int low, int high, std::uint64_t each, Visit visit) {
  using std::ldexp;
  std::uint64_t i = 0;
  for (int e = low; e <= high; ++e)
    for (std::uint64_t k = 0; k < each; ++k) visit(Real(ldexp(mantissa<Real>(i++), e)));
}

/// The fewest numbers for a mutant, which is far off everywhere or does not matter.
std::uint64_t per_exponent(std::uint64_t of_the_library) {
  return judging_a_mutant() ? 20 : of_the_library;
}

/// The largest A that exp needs: from 2^−40 below 0 to where it vanishes, or to −2¹¹.
template <class Real>
double worst_exp_error(const ExpAndLog<Real>& library, std::uint64_t each) {
  const SoftmaxArithmetic by = library.arithmetic();
  const int deepest = std::min(10, static_cast<int>(std::ilogb(by.depth_of_underflow)));
  double worst = 0;
  visit_exponents<Real>(-40, deepest, per_exponent(each), [&](const Real& x) {
    const Real computed = library.exp(-x);
    EXPECT_GE(computed, 0) << "exp(-" << x << ")";
    worst = std::max(worst, exp_error_at<Real>(-x, computed, by));
  });
  return worst;
}

/// The largest Λ that log needs, from 1 + 2^−20 to 2²⁰.
template <class Real>
double worst_log_error(const ExpAndLog<Real>& library, std::uint64_t each) {
  double worst = 0;
  const auto at = [&](const Real& x) {
    worst = std::max(worst, log_error_at<Real>(x, library.log(x), library.arithmetic()));
  };
  visit_exponents<Real>(-20, 0, per_exponent(each), [&](const Real& x) { at(Real(1 + x)); });
  visit_exponents<Real>(1, 20, per_exponent(each), at);
  return worst;
}

/// Mutants of the same name, one for each type that a test goes through.
template <class Real>
SoftmaxArithmetic as_of_hardware() {
  SoftmaxArithmetic by = arithmetic_of<Real>();
  by.exp_error = 2;
  by.exp_argument_error = 0;
  by.log_error = 2;
  return by;
}

const std::vector<Mutant<Libraries>> exponential_accuracy_mutants = {
    {"exp of a float is the next number but one",
     "ExpOfFloatsIsWithinAUnit",
     {.in_float = {.exp =
                       [](float x) {
                         const float y = std::exp(x);
                         return std::nextafter(std::nextafter(y, 2.0F), 2.0F);
                       }}}},
    {"exp of a float is flushed to 0 if it is subnormal",
     "ExpOfFloatsIsWithinAUnit",
     {.in_float = {.exp =
                       [](float x) {
                         const float y = std::exp(x);
                         return y < std::numeric_limits<float>::min() ? 0.0F : y;
                       }}}},
    {"exp of a float is below 0 where it vanishes",
     "ExpOfFloatsIsWithinAUnit",
     {.in_float = {.exp =
                       [](float x) {
                         const float y = std::exp(x);
                         return y == 0 ? -std::numeric_limits<float>::denorm_min() : y;
                       }}}},
    {"exp of a double is computed in float",
     "ExpOfWiderNumbersIsAsGoodAsSaid",
     {.in_double = {.exp = [](double x) -> double { return std::exp(static_cast<float>(x)); }}}},
    {"exp of a long double is off by three units",
     "ExpOfWiderNumbersIsAsGoodAsSaid",
     {.in_long_double = {.exp =
                             [](long double x) {
                               return std::exp(x) *
                                      (1 + 3 * std::numeric_limits<long double>::epsilon());
                             }}}},
    {"fifty digits are said to have the exp of a processor",
     "ExpOfWiderNumbersIsAsGoodAsSaid",
     {.in_fifty_digits = {.arithmetic = as_of_hardware<Wide>}}},
    {"log is off by two units",
     "LogIsAsGoodAsSaid",
     {.in_float = {.log =
                       [](float x) {
                         return std::log(x) * (1 + 2 * std::numeric_limits<float>::epsilon());
                       }}}},
    {"log of a double is computed in float",
     "LogIsAsGoodAsSaid",
     {.in_double = {.log = [](double x) -> double { return std::log(static_cast<float>(x)); }}}},
    {"fifty digits are said to have the log of a processor",
     "LogIsAsGoodAsSaid",
     {.in_fifty_digits = {.arithmetic = as_of_hardware<Wide>}}},
    {"fifty digits are computed in a hundred",
     "FiftyDigitsNeedMoreThanAProcessor",
     {.in_fifty_digits = {.exp = [](Wide x) { return Wide(exp(Wider(x))); },
                          .log = [](Wide x) { return Wide(log(Wider(x))); }}}},
};

//! [ExponentialAccuracy]
TEST(ExponentialAccuracy, ExpOfFloatsIsWithinAUnit) {
  judge(exponential_accuracy_mutants, [](const Libraries& libraries) {
    const ExpAndLog<float>& library = libraries.in_float;
    const SoftmaxArithmetic by = library.arithmetic();
    const int step = judging_a_mutant() ? 1001 : 1;
    double worst = 0;
    bool negative = false;
    std::uint64_t count = 0;
    const auto measure = [&](float x) {
      const float computed = library.exp(x);
      negative = negative || computed < 0;
      worst = std::max(worst, exp_error_at(x, computed, by));
      ++count;
    };
    visit_floats(-0.5F, -1.0F, step, measure);     // every float, 2²³ of them
    visit_floats(-86.0F, -105.0F, step, measure);  // and every one about where exp vanishes
    for (int e = -40; e < 7; ++e)                  // one in about a thousand of the others
      visit_floats(-std::ldexp(1.0F, e), -std::ldexp(1.0F, e + 1), 1009 * step, measure);
    EXPECT_FALSE(negative);
    EXPECT_EQ(library.exp(0), 1);
    EXPECT_EQ(library.exp(-inf<float>), 0);
    EXPECT_LE(worst, by.exp_error);
    evidence().weaken(Grade::measured);
    evidence().worst(worst, by.exp_error);
    enumerated(count);
    publish("worst", format_significant(worst, 3));
    publish("count", std::to_string(count / 1000000));
  });
}
//! [ExponentialAccuracy]

TEST(ExponentialAccuracy, ExpOfWiderNumbersIsAsGoodAsSaid) {
  judge(exponential_accuracy_mutants, [](const Libraries& libraries) {
    const auto measure = [](const auto& library, const char* name, std::uint64_t each) {
      const double worst = worst_exp_error(library, each);
      EXPECT_LE(worst, library.arithmetic().exp_error) << name;
      EXPECT_EQ(library.exp(0), 1) << name;
      evidence().worst(worst, library.arithmetic().exp_error);
      publish(name, format_significant(worst, 3));
    };
    measure(libraries.in_double, "double", 300);
    measure(libraries.in_long_double, "long_double", 300);
    measure(libraries.in_fifty_digits, "fifty_digits", 60);
    evidence().weaken(Grade::measured);
  });
}

TEST(ExponentialAccuracy, LogIsAsGoodAsSaid) {
  judge(exponential_accuracy_mutants, [](const Libraries& libraries) {
    const auto measure = [](const auto& library, const char* name, std::uint64_t each) {
      const double worst = worst_log_error(library, each);
      EXPECT_LE(worst, library.arithmetic().log_error) << name;
      EXPECT_EQ(library.log(1), 0) << name;
      evidence().worst(worst, library.arithmetic().log_error);
      publish(name, format_significant(worst, 3));
    };
    measure(libraries.in_float, "float", 20000);
    measure(libraries.in_double, "double", 200);
    measure(libraries.in_long_double, "long_double", 200);
    measure(libraries.in_fifty_digits, "fifty_digits", 60);
    evidence().weaken(Grade::measured);
  });
}

TEST(ExponentialAccuracy, FiftyDigitsNeedMoreThanAProcessor) {
  judge(exponential_accuracy_mutants, [](const Libraries& libraries) {
    // Two units in the last place are refuted by one number, for exp and for log.
    const ExpAndLog<Wide>& library = libraries.in_fifty_digits;
    SoftmaxArithmetic by = library.arithmetic();
    by.exp_argument_error = 0;
    const Wide far = -2040.5;
    const double of_exp = exp_error_at<Wide>(far, library.exp(far), by);
    const Wide near = 1.25;
    double of_log = 0;
    for (int i = 0; i < 64; ++i) {
      const Wide x = near + Wide(i) / 256;
      of_log = std::max(of_log, log_error_at<Wide>(x, library.log(x), by));
    }
    EXPECT_GT(of_exp, 1000);
    EXPECT_GT(of_log, 2);
    // The part κu of the argument accounts for all of it.
    EXPECT_LT(of_exp, library.arithmetic().exp_argument_error * 2040.5);
    evidence().weaken(Grade::measured);
    counterexample_without("the library that was measured");
    publish("exp", format_significant(of_exp, 4));
    publish("log", format_significant(of_log, 3));
  });
}

// ------------------------------------------------------------------------------------ SoftmaxError

/// What the bounds are judged on, in all the types that they are stated for.
struct Softmaxes {
  Functions<double> in_double = {};
  Functions<float> in_float = {};
  Functions<long double> in_long_double = {};
  StoredFunctions<Eigen::half> in_half = {};
  StoredFunctions<Eigen::bfloat16> in_bfloat16 = {};
  Functions<Wide> in_fifty_digits = {};
  SoftmaxArithmetic (*of_fifty_digits)() = arithmetic_of<Wide>;
};

using Mutants = std::vector<Mutant<Softmaxes>>;

template <class Function>
Softmaxes with_softmax(Function function) {
  return wrong_softmax<Softmaxes>(function);
}

template <class Function>
Softmaxes with_bound(Function function) {
  return wrong_bound<Softmaxes>(function);
}

/// Runs a law for every type of hardware numbers: `law(functions, Real())`.
template <class Law>
void in_each(const Softmaxes& softmaxes, Law law) {
  in_both(softmaxes, law);
  law(softmaxes.in_long_double, 0.0L);
}

/// Runs a law for every storage type: `law(functions, Storage())`.
template <class Law>
void in_storage(const Softmaxes& softmaxes, Law law) {
  law(softmaxes.in_half, Eigen::half());
  law(softmaxes.in_bfloat16, Eigen::bfloat16());
}

/// Searches lists of scores, with a temperature, for the greatest ratio of error to bound, by a law
/// `law(scores, temperature)`; what is found is published as that of the type.
template <class Real, class Law>
void expect_no_worse(const std::string& type, Law law) {
  const Search search = {.seed = 5, .evaluations = judging_a_mutant() ? 1200U : 6000U};
  expect_bound_holds(worst_case(scores_and_temperature<Real>(), search,
                                [&](const Arrays<Real>& input) {
                                  return law(input.list("scores"), input.number("temperature"));
                                }),
                     type);
}

/// Scores and a temperature at which differences overflow, or nearly so.
template <class Real>
std::vector<std::pair<Values<Real>, Real>> overflowing_differences() {
  const Real max = std::numeric_limits<Real>::max();
  const Real least = std::numeric_limits<Real>::denorm_min();
  const Real depth = Real(arithmetic_of<Real>().depth_of_underflow);
  std::vector<std::pair<Values<Real>, Real>> cases;
  for (const Values<Real>& x :
       {Values<Real>{-max, max}, {max, -max / 2, 0}, {max / 2, -max * Real(0.75)}})
    for (const Real temperature :
         {max, max / 2, max / 4, max / depth * 2, max / depth, max / (2 * depth), std::sqrt(max),
          Real(2), Real(1), Real(0.5), least})
      cases.emplace_back(x, temperature);
  return cases;
}

/// The error bounds as the page and the header state them, to fifty digits.
struct PageBounds {
  Wide relative;
  Wide absolute;
  Wide of_log_sum_exp;
  Wide of_log_softmax;
};

template <class Real>
PageBounds page_bounds(const Values<Real>& x, std::size_t j, Real temperature,
                       const SoftmaxArithmetic& by) {
  const Wide tau = Wide(temperature);
  const Wide m = Wide(greatest_of(x));
  Wide S = 0;
  Wide T = 0;
  for (const Real& logit : x) {
    const Wide t = (m - Wide(logit)) / tau;
    const Wide weight = exp(-t);
    S += weight;
    if (weight > 0) T += weight * t;
  }
  T /= S;
  const Wide n = x.size();
  const Wide u = by.unit_roundoff;
  const Wide us = by.storage_roundoff;
  const Wide eta = by.smallest;
  const Wide A = by.exp_error;
  const Wide B = by.rescalings;
  const Wide D = by.quotient_roundings;
  const Wide R = temperature == 1 ? 1 : 2;
  const Wide r = R + by.exp_argument_error;
  const Wide L = 1 + log(2 / Wide(std::numeric_limits<Real>::denorm_min()));
  const Wide theta = (A + r * (1 + L)) * u;
  const Wide h = by.summation == Summation::any_order
                     ? Wide(n - 1)
                     : std::min(Wide(ceil(log2(n)) + 8), Wide(n - 1));
  const Wide t = (m - Wide(x[j])) / tau;
  const Wide omega = 4 * n * (B + 1) * (A + 2) * eta;
  const Wide at_maximum = (r * T + h + 2 * A + B * (A + 1) + D) * u + omega;
  const Wide absolute = (1 + us) * (A + 2) * eta + Wide(by.storage_smallest) / 2;
  if (at_maximum + theta >= Wide(0.5) || 2 * n > Wide(by.largest))
    return {inf<Wide>, absolute, inf<Wide>, inf<Wide>};
  const Wide a = at_maximum + r * t * u;
  const Wide gamma = a / (1 - a - theta);
  const Wide s = ((r * T + h + A + B * (A + 1)) * u + omega) / (1 - theta);
  const Wide e = s + by.log_error * u * (log(S) + s);
  const Wide of_sum = (e + R * u * (abs(m / tau) + log(S) + e) + 2 * eta) / (1 - theta);
  const Wide f = (e + R * u * t + u * (t + log(S) + e) + 2 * eta) / (1 - theta);
  const Wide of_log = f + us * (t + log(S) + f) + Wide(by.storage_smallest) / 2;
  const bool in_range =
      t + log(S) + f <= Wide(by.largest) && t + log(S) + of_log <= Wide(by.storage_largest);
  return {t > L ? Wide(0) : Wide(gamma + us * (1 + gamma)), absolute,
          abs(m / tau) + log(S) + of_sum <= Wide(by.largest) ? of_sum : inf<Wide>,
          in_range ? of_log : inf<Wide>};
}

template <class Change>
SoftmaxArithmetic changed(SoftmaxArithmetic by) {
  Change{}(by);
  return by;
}

/// A wrong error bound, from a change of the arithmetic.
template <class Change>
Softmaxes with_arithmetic(Change) {
  return with_bound([](const auto& x, auto temperature, const SoftmaxArithmetic& arithmetic) {
    return library_bound(x, temperature, changed<Change>(arithmetic));
  });
}

/// A wrong error bound, from a change of each relative bound: `change(t, T)` units are taken off.
template <class Change>
Softmaxes with_terms(Change) {
  return with_bound([](const auto& x, auto temperature, const SoftmaxArithmetic& arithmetic) {
    SoftmaxErrorBound bound = library_bound(x, temperature, arithmetic);
    double S = 0;
    double T = 0;
    const auto m = greatest_of(x);
    for (const auto logit : x) {
      const double t = static_cast<double>((m - logit) / temperature);
      S += std::exp(-t);
      T += std::exp(-t) > 0 ? std::exp(-t) * t : 0;
    }
    for (std::size_t j = 0; j < x.size(); ++j) {
      double& relative = bound.relative[static_cast<Eigen::Index>(j)];
      if (relative > 0)
        relative -= arithmetic.unit_roundoff *
                    Change{}(static_cast<double>((m - x[j]) / temperature), T / S);
    }
    return bound;
  });
}

/// Wrong bounds of the logarithms, from a change of the arithmetic.
template <class Change>
Softmaxes with_logarithms_of(Change) {
  Softmaxes result;
  result.in_double.lse_bound = [](const Values<double>& x, double temperature,
                                  const SoftmaxArithmetic& by) {
    return library_lse_bound(x, temperature, changed<Change>(by));
  };
  result.in_float.log_bound = [](const Values<float>& x, float temperature,
                                 const SoftmaxArithmetic& by) {
    return library_log_bound(x, temperature, changed<Change>(by));
  };
  return result;
}

/// Any arithmetic of a type's range.
template <class Real>
SoftmaxArithmetic any_arithmetic() {
  SoftmaxArithmetic by = arithmetic_of<Real>();
  by.unit_roundoff = *rc::gen::element(by.unit_roundoff, 0x1p-11).as("u");
  by.largest = *rc::gen::element(by.largest, 0x1.ffcp15).as("largest");
  by.exp_error = *rc::gen::inRange(1, 9).as("A");
  by.exp_argument_error = *rc::gen::inRange(0, 4).as("kappa");
  by.log_error = *rc::gen::inRange(1, 65).as("Lambda");
  by.summation = *rc::gen::element(Summation::pairwise, Summation::any_order).as("order");
  by.rescalings = *rc::gen::inRange<std::size_t>(0, 9).as("B");
  by.quotient_roundings = *rc::gen::inRange(1U, 3U).as("D");
  by.storage_roundoff = *rc::gen::element(0.0, 0x1p-8, 0x1p-11).as("storage");
  by.storage_smallest = *rc::gen::element(0.0, 0x1p-24).as("smallest stored");
  by.storage_largest = *rc::gen::element(inf<double>, 0x1.ffcp15).as("largest stored");
  return by;
}

/// Arithmetics in which every term of the bounds counts, for a list of 33 scores.
template <class Real>
std::vector<SoftmaxArithmetic> telling_arithmetics() {
  SoftmaxArithmetic by = arithmetic_of<Real>();
  by.unit_roundoff = 0x1p-14;
  by.exp_error = 3;
  by.exp_argument_error = 2;
  by.log_error = 5;
  by.summation = Summation::any_order;
  by.rescalings = 2;
  by.quotient_roundings = 2;
  by.storage_roundoff = 0x1p-11;
  by.storage_smallest = 0x1p-24;
  SoftmaxArithmetic shallow = by;
  shallow.summation = Summation::pairwise;
  SoftmaxArithmetic coarse = by;
  coarse.smallest = 0x1p-17;
  SoftmaxArithmetic small = by;
  small.largest = 65;  // one less than twice 33
  return {by, shallow, coarse, small};
}

/// 33 scores from 0 to −8.
template <class Real>
Values<Real> telling_scores() {
  Values<Real> x;
  for (int j = 0; j <= 32; ++j) x.push_back(static_cast<Real>(-j) / 4);
  return x;
}

template <class Real>
Values<Real> without_subnormals(Values<Real> x) {
  for (Real& number : x)
    if (std::abs(number) < std::numeric_limits<Real>::min()) number = 0;
  return x;
}

/// Softmax on hardware that reads and writes 0 for every subnormal number.
template <class Real>
Values<Real> flushing_softmax(const Values<Real>& scores, Real temperature) {
  const Values<Real> x = without_subnormals(scores);
  const Real m = greatest_of(x);
  Values<Real> weights;
  Real sum = 0;
  for (const Real logit : x) {
    const Values<Real> difference = without_subnormals<Real>({Real(logit - m)});
    const Values<Real> quotient = without_subnormals<Real>({Real(difference[0] / temperature)});
    weights.push_back(without_subnormals<Real>({std::exp(quotient[0])})[0]);
    sum += weights.back();
  }
  for (Real& weight : weights) weight /= sum;
  return without_subnormals(weights);
}

/// The arithmetic of such hardware: four times the smallest normal number in the place of η.
template <class Real>
SoftmaxArithmetic flushing_arithmetic() {
  SoftmaxArithmetic by = arithmetic_of<Real>();
  by.smallest = 4 * static_cast<double>(std::numeric_limits<Real>::min());
  return by;
}

/// Softmax of equal scores in binary16 throughout, the sum by halves.
float weight_in_binary16(std::size_t n) {
  const Values<Eigen::half> ones(n, Eigen::half(1.0F));
  return static_cast<float>(Eigen::half(1.0F) / pairwise_sum(std::span<const Eigen::half>(ones)));
}

/// The arithmetic of binary16 throughout.
SoftmaxArithmetic binary16_arithmetic() {
  SoftmaxArithmetic by;
  by.unit_roundoff = 0x1p-11;
  by.smallest = 0x1p-24;
  by.largest = 65504;
  by.depth_of_underflow = 25 * std::log(2.0);
  return by;
}

const Mutants softmax_error_mutants = {
    {"a difference that overflows is infinite, as in the formula", "AnAdversaryDoesNotBreakIt",
     with_softmax([](const auto& x, auto temperature) {
       return shifted_softmax(x, greatest_of(x), temperature);
     })},
    {"the first logit is left out of the sum", "ErrorsStayWithinTheBound",
     with_softmax([](const auto& x, auto temperature) {
       auto y = library_softmax(x, temperature);
       const auto rest = 1 - y.front();
       if (rest > 0)
         for (auto& weight : y) weight /= rest;
       return y;
     })},
    {"all weights are too small by 32 units", "ErrorsStayWithinTheBound",
     with_softmax([](const auto& x, auto temperature) {
       using Real = decltype(temperature);
       auto y = library_softmax(x, temperature);
       for (auto& weight : y) weight /= 1 + 32 * std::numeric_limits<Real>::epsilon();
       return y;
     })},
    {"the weights are rounded to bfloat16", "ErrorsStayWithinTheBound",
     with_softmax([](const auto& x, auto temperature) {
       auto y = library_softmax(x, temperature);
       for (auto& weight : y)
         weight = static_cast<decltype(temperature)>(Eigen::bfloat16(static_cast<float>(weight)));
       return y;
     })},
    {"a masked score has a little weight",
     "ErrorsStayWithinTheBound",
     {.in_long_double = {.softmax =
                             [](const Values<long double>& x, long double temperature) {
                               Values<long double> unmasked = x;
                               for (long double& score : unmasked)
                                 if (std::isinf(score)) score = greatest_of(x) - 30;
                               return library_softmax(unmasked, temperature);
                             }}}},
    {"the temperature multiplies", "ATemperatureKeepsTheBound",
     with_softmax(
         [](const auto& x, auto temperature) { return library_softmax(x, 1 / temperature); })},
    {"the temperature is applied twice", "ATemperatureKeepsTheBound",
     with_softmax([](const auto& x, auto temperature) {
       const auto twice = temperature * temperature;
       return library_softmax(x, twice > 0 && std::isfinite(twice) ? twice : temperature);
     })},
    {"differences may overflow", "DifferencesThatOverflowDoNoHarm",
     with_softmax([](const auto& x, auto temperature) {
       return shifted_softmax(x, greatest_of(x), temperature);
     })},
    {"halves are taken of the scores but not of the temperature", "DifferencesThatOverflowDoNoHarm",
     with_softmax([](const auto& x, auto temperature) {
       auto halves = x;
       for (auto& score : halves) score /= 2;
       return std::isfinite(x.front() - x.back()) ? library_softmax(x, temperature)
                                                  : library_softmax(halves, temperature);
     })},
    {"a long sum is added one after the other", "AMillionLogits",
     with_softmax([](const auto& x, auto temperature) {
       return shifted_softmax(x, greatest_of(x), temperature);
     })},
    {"subnormal weights are flushed to 0", "UnderflowIsGradual",
     with_softmax([](const auto& x, auto temperature) {
       return without_subnormals(library_softmax(x, temperature));
     })},
    {"a weight is never 0", "UnderflowIsGradual", with_softmax([](const auto& x, auto temperature) {
       auto y = library_softmax(x, temperature);
       for (auto& weight : y)
         weight = std::max(weight, std::numeric_limits<decltype(temperature)>::min());
       return y;
     })},
    {"the bound lacks t", "TheBoundIsTheFormulaOfThePage",
     with_terms([](double t, double) { return t; })},
    {"the bound lacks T", "TheBoundIsTheFormulaOfThePage",
     with_terms([](double, double T) { return T; })},
    {"the bound lacks A", "TheBoundIsTheFormulaOfThePage",
     with_arithmetic([](SoftmaxArithmetic& by) { by.exp_error = 0; })},
    {"the bound lacks the reduction of the argument", "TheBoundIsTheFormulaOfThePage",
     with_arithmetic([](SoftmaxArithmetic& by) { by.exp_argument_error = 0; })},
    {"the bound lacks the quotient", "TheBoundIsTheFormulaOfThePage",
     with_arithmetic([](SoftmaxArithmetic& by) { by.quotient_roundings = 0; })},
    {"the bound lacks the rescalings", "TheBoundIsTheFormulaOfThePage",
     with_arithmetic([](SoftmaxArithmetic& by) { by.rescalings = 0; })},
    {"the bound lacks the rounding of the storage", "TheBoundIsTheFormulaOfThePage",
     with_arithmetic([](SoftmaxArithmetic& by) { by.storage_roundoff = 0; })},
    {"the bound lacks the underflow of the storage", "TheBoundIsTheFormulaOfThePage",
     with_arithmetic([](SoftmaxArithmetic& by) { by.storage_smallest = 0; })},
    {"the bound lacks underflow", "TheBoundIsTheFormulaOfThePage",
     with_arithmetic([](SoftmaxArithmetic& by) { by.smallest /= 2; })},
    {"the bound takes every sum for a shallow one", "TheBoundIsTheFormulaOfThePage",
     with_arithmetic([](SoftmaxArithmetic& by) { by.summation = Summation::pairwise; })},
    {"the bound forgets that a sum may overflow", "TheBoundIsTheFormulaOfThePage",
     with_arithmetic([](SoftmaxArithmetic& by) { by.largest = inf<double>; })},
    {"half precision is computed in half precision",
     "StoredInAShorterTypeItIsRoundedOnce",
     {.in_half = {.softmax =
                      [](const Values<float>& x, float temperature) {
                        Eigen::half sum(0);
                        Values<float> y;
                        for (const float logit : x) {
                          const float shifted = (logit - greatest_of(x)) / temperature;
                          y.push_back(static_cast<float>(Eigen::half(std::exp(shifted))));
                          sum += Eigen::half(y.back());
                        }
                        for (float& weight : y)
                          weight = static_cast<float>(Eigen::half(weight) / sum);
                        return y;
                      }}}},
    {"bfloat16 is cut off and not rounded",
     "StoredInAShorterTypeItIsRoundedOnce",
     {.in_bfloat16 = {.softmax =
                          [](const Values<float>& x, float temperature) {
                            Values<float> y = library_softmax(x, temperature);
                            for (float& weight : y)
                              weight = std::bit_cast<float>(std::bit_cast<std::uint32_t>(weight) &
                                                            0xffff0000U);
                            return y;
                          }}}},
    {"fifty digits are said to have the exp of a processor",
     "FiftyDigitsKeepTheirBound",
     {.of_fifty_digits = as_of_hardware<Wide>}},
    {"fifty digits are computed in a long double",
     "FiftyDigitsKeepTheirBound",
     {.in_fifty_digits = {.softmax =
                              [](const Values<Wide>& x, Wide temperature) {
                                Values<long double> shorter;
                                for (const Wide& score : x)
                                  shorter.push_back(static_cast<long double>(score));
                                const auto y =
                                    library_softmax(shorter, static_cast<long double>(temperature));
                                return Values<Wide>(y.begin(), y.end());
                              }}}},
    {"an exponential may be a million times worse", "ACrudeExponentialBreaksIt",
     with_arithmetic([](SoftmaxArithmetic& by) { by.exp_error = 1e6; })},
    {"the bound takes every sum for a deep one", "ADeepSumBreaksTheBoundOfAShallowOne",
     with_arithmetic([](SoftmaxArithmetic& by) { by.summation = Summation::any_order; })},
    {"underflow may cost the smallest normal number", "FlushingSubnormalsBreaksIt",
     with_bound([](const auto& x, auto temperature, const SoftmaxArithmetic&) {
       return library_bound(x, temperature, flushing_arithmetic<decltype(temperature)>());
     })},
    {"the bound of flushing hardware has no underflow", "FourTimesTheSmallestNormalNumberMendsIt",
     with_bound([](const auto& x, auto temperature, const SoftmaxArithmetic&) {
       return library_bound(x, temperature, arithmetic_of<decltype(temperature)>());
     })},
    {"no bound is vacuous", "AFlatRowOfLowPrecisionHasAVacuousBound",
     with_bound([](const auto& x, auto temperature, const SoftmaxArithmetic& arithmetic) {
       SoftmaxErrorBound bound = library_bound(x, temperature, arithmetic);
       for (double& relative : bound.relative) relative = std::min(relative, 0.5);
       return bound;
     })},
    {"a sum never overflows", "ASumThatOverflowsHasAVacuousBound",
     with_arithmetic([](SoftmaxArithmetic& by) { by.largest = inf<double>; })},
    {"the bound of two scores is half of it", "TheWorkedList",
     with_bound([](const auto& x, auto temperature, const SoftmaxArithmetic& arithmetic) {
       SoftmaxErrorBound bound = library_bound(x, temperature, arithmetic);
       bound.relative /= 2;
       return bound;
     })},
};

//! [SoftmaxError]
TEST(SoftmaxError, ErrorsStayWithinTheBound) {
  judge(softmax_error_mutants, [](const Softmaxes& softmaxes) {
    of_the_statement();
    in_each(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      // Masks, one score alone, ties at the end of the range, and weights that are subnormal.
      const Real max = std::numeric_limits<Real>::max();
      for (const Values<Real>& x : {Values<Real>{0, -inf<Real>, -1},
                                    {max},
                                    {-max, -max},
                                    {max, -inf<Real>},
                                    {0, -88, -100},
                                    {0, -708, -740},
                                    {-inf<Real>, -inf<Real>, Real(1)},
                                    {-1, -2, -3, -4}})
        expect(accuracy_law<Real>(functions.softmax, x));
      for_all([&] {
        const Values<Real> x = *scores<Real>().as("x");
        require(accuracy_law<Real>(functions.softmax, x));
      });
    });
  });
}
//! [SoftmaxError]

TEST(SoftmaxError, ATemperatureKeepsTheBound) {
  judge(softmax_error_mutants, [](const Softmaxes& softmaxes) {
    of_the_statement();
    in_each(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      using Limits = std::numeric_limits<Real>;
      for (const Real temperature : {Limits::denorm_min(), Limits::min(), Real(0.5), Limits::max()})
        for (const Values<Real>& x :
             {Values<Real>{0, -temperature}, {temperature, 0, 0}, {0, -1, -2}, {0, Limits::max()}})
          expect(accuracy_law<Real>(functions.softmax, x, temperature));
      for_all(
          [&] {
            const Values<Real> x = *scores<Real>(9).as("x");
            const Real temperature = *temperatures<Real>().as("temperature");
            require(accuracy_law<Real>(functions.softmax, x, temperature));
          },
          100);
    });
  });
}

TEST(SoftmaxError, DifferencesThatOverflowDoNoHarm) {
  judge(softmax_error_mutants, [](const Softmaxes& softmaxes) {
    of_the_statement();
    in_each(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      const auto cases = overflowing_differences<Real>();
      for (const auto& [x, temperature] : cases)
        expect(accuracy_law<Real>(functions.softmax, x, temperature));
      enumerated(cases.size());
    });
    // e^(−3.4)/(1 + e^(−3.4)), where the difference of the scores overflows.
    const double y = softmaxes.in_double.softmax({-1.7e308, 1.7e308}, 1e308)[0];
    EXPECT_NEAR(y, 0.032295464698450513, 1e-16);
  });
}

TEST(SoftmaxError, AnAdversaryDoesNotBreakIt) {
  judge(softmax_error_mutants, [](const Softmaxes& softmaxes) {
    of_the_statement();
    evidence().weaken(Grade::bounded);
    const auto search = [](const auto& functions, auto real, const std::string& type) {
      using Real = decltype(real);
      expect_no_worse<Real>(type, [&](const Values<Real>& x, Real temperature) {
        return accuracy_law<Real>(functions.softmax, x, temperature);
      });
    };
    search(softmaxes.in_float, 0.0F, "float_");
    search(softmaxes.in_double, 0.0, "double_");
    search(softmaxes.in_long_double, 0.0L, "long_double_");
  });
}

//! [SoftmaxError: a million logits]
TEST(SoftmaxError, AMillionLogits) {
  judge(softmax_error_mutants, [](const Softmaxes& softmaxes) {
    of_the_statement();
    in_both(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      // Mutants are judged by a shorter list, which suffices to reject them.
      const std::size_t n = judging_a_mutant() ? 65536 : 1000000;
      const Values<Real> x = long_list<Real>(n, 16, 1);
      expect(accuracy_law<Real>(functions.softmax, x));
    });
    enumerated(2);
  });
}
//! [SoftmaxError: a million logits]

TEST(SoftmaxError, TheWorkedList) {
  judge(softmax_error_mutants, [](const Softmaxes& softmaxes) {
    of_the_statement();
    // 0 and −8 in single precision, the second weight: bound and error in units of u·p.
    const Values<float> x = {0, -8};
    const SoftmaxArithmetic by = arithmetic_of<float>();
    const SoftmaxErrorBound bound = softmaxes.in_float.bound(x, 1, by);
    const ExactSoftmax<float> exact(x);
    const Wide unit = Wide(by.unit_roundoff) * exact[1];
    const Wide error = abs(Wide(softmaxes.in_float.softmax(x, 1)[1]) - exact[1]) / unit;
    const double T = 8 * exact[1].convert_to<double>();
    const double units = 8 + T + 1 + 2 * by.exp_error + 1;
    EXPECT_GE(bound.relative[1], units * by.unit_roundoff);
    EXPECT_LE(bound.relative[1], units * by.unit_roundoff * (1 + 0x1p-15));
    EXPECT_LE(error, units);
    publish("weight", format_significant(exact[1].convert_to<double>(), 5));
    publish("mean", format_significant(T, 2));
    publish("bound", format_significant(units, 6));
    publish("error", format_significant(error.convert_to<double>(), 2));
    enumerated(1);
    evidence().weaken(Grade::bounded);
  });
}

TEST(SoftmaxError, TheBoundIsTheFormulaOfThePage) {
  judge(softmax_error_mutants, [](const Softmaxes& softmaxes) {
    in_both(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      const auto agrees = [&](const Values<Real>& x, std::size_t j, Real temperature,
                              const SoftmaxArithmetic& by) {
        const PageBounds page = page_bounds(x, j, temperature, by);
        const SoftmaxErrorBound bound = functions.bound(x, temperature, by);
        return is_raised(bound.relative[static_cast<Eigen::Index>(j)], page.relative) &&
               is_raised(bound.absolute, page.absolute, 1, 0x1p-1074);
      };
      for (const SoftmaxArithmetic& by : telling_arithmetics<Real>())
        for (const Real temperature : {Real(1), Real(2)})
          for (const std::size_t j : {0U, 7U, 32U})
            EXPECT_TRUE(agrees(telling_scores<Real>(), j, temperature, by))
                << temperature << " " << j;
      for_all(
          [&] {
            const Values<Real> x = *scores<Real>(33).as("x");
            const std::size_t j = *rc::gen::inRange<std::size_t>(0, x.size()).as("j");
            const Real temperature = *temperatures<Real>().as("temperature");
            RC_ASSERT(agrees(x, j, temperature, any_arithmetic<Real>()));
          },
          50);
    });
  });
}

TEST(SoftmaxError, UnderflowIsGradual) {
  judge(softmax_error_mutants, [](const Softmaxes& softmaxes) {
    of_the_statement();
    in_both(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      const SoftmaxArithmetic by = arithmetic_of<Real>();
      // From where weights are normal numbers to where they are 0.
      const Real last = Real(by.depth_of_underflow) + 4;
      const Real first = -std::log(std::numeric_limits<Real>::min()) - 2;
      for (Real t = first; t <= last; t += Real(0.5)) {
        const Values<Real> x = {Real(0), -t};
        expect(accuracy_law<Real>(functions.softmax, x));
        const double exact = ExactSoftmax<Real>(x)[1].template convert_to<double>();
        // A weight of 0 is only given where the bound lets the exact one be lost.
        if (functions.softmax(x, 1)[1] == 0) {
          EXPECT_LE(exact, 4 * by.smallest);
        }
      }
      EXPECT_EQ(functions.softmax({Real(0), -Real(by.depth_of_underflow) - 1}, 1)[1], 0);
    });
  });
}

TEST(SoftmaxError, StoredInAShorterTypeItIsRoundedOnce) {
  judge(softmax_error_mutants, [](const Softmaxes& softmaxes) {
    of_the_statement();
    in_storage(softmaxes, [](const auto& functions, auto storage) {
      using Storage = decltype(storage);
      const SoftmaxArithmetic by = arithmetic_of<Storage>();
      // 1/3, and weights that are subnormal in binary16.
      for (const Values<float>& x :
           {Values<float>{0, 0, 0}, {0, -8, -10, -12, -16}, {0.5, -0.25, 0.75, -1, 3}, {1}})
        expect(accuracy_law<float>(functions.softmax, x, 1, by));
      for_all([&] {
        const auto stored_scores = *scores<Storage>(17).as("x");
        const float temperature =
            *rc::gen::oneOf(rc::gen::just(1.0F), temperatures<float>()).as("temperature");
        const Values<float> x(stored_scores.begin(), stored_scores.end());
        require(accuracy_law<float>(functions.softmax, x, temperature, by));
      });
    });
  });
}

TEST(SoftmaxError, FiftyDigitsKeepTheirBound) {
  judge(softmax_error_mutants, [](const Softmaxes& softmaxes) {
    of_the_statement();
    // A list that an exponential with A = 2 and κ = 0 would not allow to be so far off, then
    // others.
    for (const Values<Wide>& x :
         {Values<Wide>{0, -525}, {0, Wide(-281) / 8}, {1, 1, 1}, {3, -40, 2}}) {
      const SoftmaxErrorBound bound =
          softmaxes.in_fifty_digits.bound(x, 1, softmaxes.of_fifty_digits());
      const Values<Wide> computed = softmaxes.in_fifty_digits.softmax(x, 1);
      const Values<Wider> exact = library_softmax<Wider>(Values<Wider>(x.begin(), x.end()), 1);
      for (std::size_t j = 0; j < x.size(); ++j) {
        const Wider error = abs(Wider(computed[j]) - exact[j]);
        const auto i = static_cast<Eigen::Index>(j);
        const Wider allowed = Wider(bound.relative[i]) * exact[j] + Wider(bound.absolute);
        EXPECT_LE(error, allowed) << x[j];
        EXPECT_FALSE(bound.vacuous(i));
        if (error <= allowed && allowed > 0)
          evidence().worst(static_cast<double>(Wider(error / allowed)), 1);
      }
    }
    evidence().weaken(Grade::bounded);
    enumerated(4);
  });
}

/// e^x for x ≤ 0 by (1 + x/2ᵏ + …)^(2ᵏ): right to four digits or so.
template <class Real>
Values<Real> crude_softmax(const Values<Real>& x, Real) {
  Values<Real> y;
  for (const Real logit : x) {
    const Real z = std::max(Real(logit - greatest_of(x)), Real(-100)) / 1024;
    y.push_back(std::pow(1 + z + z * z / 2, Real(1024)));
  }
  const Real sum = std::accumulate(y.begin(), y.end(), Real(0));
  for (Real& weight : y) weight /= sum;
  return y;
}

TEST(SoftmaxError, ACrudeExponentialBreaksIt) {
  judge(softmax_error_mutants, [](const Softmaxes& softmaxes) {
    in_both(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      const Values<Real> x = {0, -8};
      const auto bound = functions.bound(x, 1, arithmetic_of<Real>());
      EXPECT_FALSE(accuracy_law<Real>(crude_softmax<Real>, x, 1, bound).holds());
    });
    counterexample_without("accurate exponential");
  });
}

TEST(SoftmaxError, ADeepSumBreaksTheBoundOfAShallowOne) {
  judge(softmax_error_mutants, [](const Softmaxes& softmaxes) {
    const Values<float> x = long_list<float>(100000, 16, 1);
    const auto one_after_the_other = [](const Values<float>& logits, float) {
      return shifted_softmax(logits, greatest_of(logits));
    };
    SoftmaxArithmetic by = arithmetic_of<float>();
    const auto shallow = softmaxes.in_float.bound(x, 1, by);
    EXPECT_FALSE(accuracy_law<float>(one_after_the_other, x, 1, shallow).holds());
    by.summation = Summation::any_order;
    expect(accuracy_law<float>(one_after_the_other, x, 1, by));
    counterexample_without("depth of the sum");
  });
}

TEST(SoftmaxError, FlushingSubnormalsBreaksIt) {
  judge(softmax_error_mutants, [](const Softmaxes& softmaxes) {
    in_both(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      const Values<Real> x = {0, std::log(std::numeric_limits<Real>::min()) - 1};
      const auto bound = functions.bound(x, 1, arithmetic_of<Real>());
      EXPECT_FALSE(accuracy_law<Real>(flushing_softmax<Real>, x, 1, bound).holds());
      // At a temperature that small, even with more room for underflow: (½, ½) for (.62, .38).
      const Real min = std::numeric_limits<Real>::min();
      const Values<Real> close = {Real(1.5) * min, min};
      const auto wider = library_bound(close, min, flushing_arithmetic<Real>());
      const Outcome outcome = accuracy_law<Real>(flushing_softmax<Real>, close, min, wider);
      EXPECT_FALSE(outcome.holds());
      EXPECT_GT(outcome.error, 0.12);
      publish("first", format_fixed(1 / (1 + std::exp(-0.5)), 2));
      publish("second", format_fixed(1 / (1 + std::exp(0.5)), 2));
    });
    counterexample_without("rounding model");
  });
}

TEST(SoftmaxError, FourTimesTheSmallestNormalNumberMendsIt) {
  judge(softmax_error_mutants, [](const Softmaxes& softmaxes) {
    of_the_statement();
    in_both(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      const Real min = std::numeric_limits<Real>::min();
      const auto keeps = [&](const Values<Real>& x, Real temperature) {
        const auto bound = functions.bound(x, temperature, flushing_arithmetic<Real>());
        return accuracy_law<Real>(flushing_softmax<Real>, x, temperature, bound);
      };
      for (const Values<Real>& x : {Values<Real>{0, std::log(min) - 1},
                                    {Real(1.5) * min, min},
                                    {min / 2, -min / 2},
                                    {min, -min / 4, 0}})
        expect(keeps(x, 1));
      for_all([&] {
        const Values<Real> x = *scores<Real>(9).as("x");
        const Real temperature = *temperatures<Real>().as("temperature");
        const Real m = greatest_of(x);
        RC_PRE(temperature >= 1);
        for (const Real score : x) RC_PRE(score == -inf<Real> || std::isfinite(m - score));
        require(keeps(x, temperature));
      });
    });
  });
}

TEST(SoftmaxError, AFlatRowOfLowPrecisionHasAVacuousBound) {
  judge(softmax_error_mutants, [](const Softmaxes& softmaxes) {
    // 4096 equal weights, added one after the other in binary16: the sum stays at 2048.
    Eigen::half sum(0.0F);
    for (int j = 0; j < 4096; ++j) sum += Eigen::half(1.0F);
    EXPECT_EQ(static_cast<float>(sum), 2048.0F);
    SoftmaxArithmetic by = arithmetic_of<float>();
    by.unit_roundoff = 0x1p-11;
    by.summation = Summation::any_order;
    const Values<float> flat(4096, 0.0F);
    EXPECT_TRUE(softmaxes.in_float.bound(flat, 1, by).vacuous());
    by.summation = Summation::pairwise;
    EXPECT_FALSE(softmaxes.in_float.bound(flat, 1, by).vacuous());
  });
}

TEST(SoftmaxError, ASumThatOverflowsHasAVacuousBound) {
  judge(softmax_error_mutants, [](const Softmaxes& softmaxes) {
    const SoftmaxArithmetic by = binary16_arithmetic();
    const auto in_binary16 = [](const Values<float>& x, float) {
      return Values<float>(x.size(), weight_in_binary16(x.size()));
    };
    // As many as have room keep the bound.
    const Values<float> many(32752, 0.0F);
    const auto bound = softmaxes.in_float.bound(many, 1, by);
    expect(accuracy_law<float>(in_binary16, many, 1, bound));
    // 70000 ones sum to infinity: every weight is 0, and should be 240 times the smallest number.
    const Values<float> too_many(70000, 0.0F);
    EXPECT_EQ(weight_in_binary16(too_many.size()), 0);
    EXPECT_TRUE(softmaxes.in_float.bound(too_many, 1, by).vacuous());
    counterexample_without("room for the sum");
  });
}

// ------------------------------------------------------------------------------------ OnePassError

/// Cuts of a list into parts, some of them empty.
rc::Gen<Cuts> cuts_of(std::size_t n) {
  return rc::gen::map(rc::gen::container<Cuts>(rc::gen::inRange<std::size_t>(0, n + 1)),
                      [](Cuts cuts) {
                        std::sort(cuts.begin(), cuts.end());
                        return cuts;
                      });
}

/// Lists that rise, fall, jump, and have masks, with cuts.
template <class Real>
std::vector<std::pair<Values<Real>, Cuts>> telling_parts() {
  const Real max = std::numeric_limits<Real>::max();
  const Real great = static_cast<Real>(std::min<long double>(max, 0x1p1023L) / 2);
  return {{{0, 1, 2, 3, 4}, {}},
          {{4, 3, 2, 1, 0}, {2, 2}},
          {{0, -1, 5, 5, 2, 7}, {1, 3, 3}},
          {{-inf<Real>, 0, -inf<Real>, 2}, {1, 2}},
          {{-max, 0, great, great}, {2}},
          {{-100, -50, 0, -103}, {1, 1, 3}}};
}

template <class Function>
Softmaxes with_split(Function wrong) {
  Softmaxes result;
  result.in_double.split = wrong;
  result.in_float.split = wrong;
  return result;
}

const Mutants one_pass_error_mutants = {
    {"the sum is not rescaled when the maximum rises", "PartsMayBeMergedInAnyWay",
     with_split([](const auto& x, const Cuts&) {
       auto maximum = x.front();
       auto sum = 0 * maximum;
       for (const auto logit : x) {
         maximum = std::max(maximum, logit);
         sum += std::exp(logit - maximum);
       }
       auto y = x;
       for (auto& logit : y) logit = std::exp(logit - maximum) / sum;
       return std::pair(y, x.size());
     })},
    {"weights are halved if a part is empty", "PartsMayBeMergedInAnyWay",
     with_split([](const auto& x, const Cuts& cuts) {
       auto result = library_split(x, cuts);
       if (std::adjacent_find(cuts.begin(), cuts.end()) != cuts.end())
         for (auto& weight : result.first) weight /= 2;
       return result;
     })},
    {"rescalings are not counted", "RescalingsAreCounted",
     with_split([](const auto& x, const Cuts& cuts) {
       return std::pair(library_split(x, cuts).first, std::size_t{0});
     })},
    {"every logit counts as a rescaling", "RescalingsAreCounted",
     with_split([](const auto& x, const Cuts& cuts) {
       return std::pair(library_split(x, cuts).first, x.size());
     })},
    {"one pass knows the first maximum only",
     "OnePassStaysWithinTheBound",
     {.in_float = {.online = [](const Values<float>& x,
                                float) { return shifted_softmax(x, x.front()); }}}},
    {"the bound counts a rescaling for each logit", "UncountedRescalingsBreakTheBound",
     with_arithmetic([](SoftmaxArithmetic& by) { by.rescalings = 63; })},
    {"the logarithm of the sum is left out",
     "TheLogarithmOfPartsStaysWithinItsBound",
     {.in_double = {.split_log_sum =
                        [](const Values<double>& x, const Cuts& cuts) {
                          const auto state = merged_state(x, cuts);
                          return std::pair(state.maximum(), state.rescalings());
                        }}}},
    {"the maximum is left out of the logarithm",
     "TheLogarithmOfPartsStaysWithinItsBound",
     {.in_float = {.split_log_sum =
                       [](const Values<float>& x, const Cuts& cuts) {
                         const auto state = merged_state(x, cuts);
                         return std::pair(std::log(state.sum()), state.rescalings());
                       }}}},
};

//! [OnePassError]
TEST(OnePassError, PartsMayBeMergedInAnyWay) {
  judge(one_pass_error_mutants, [](const Softmaxes& softmaxes) {
    of_the_statement();
    in_each(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      for (const auto& [x, cuts] : telling_parts<Real>())
        expect(split_law<Real>(functions.split, x, cuts));
      for_all([&] {
        const Values<Real> x = *scores<Real>(17).as("x");
        const Cuts cuts = *cuts_of(x.size()).as("cuts");
        require(split_law<Real>(functions.split, x, cuts));
      });
    });
  });
}
//! [OnePassError]

//! [OnePassError: exact check]
TEST(OnePassError, RescalingsAreCounted) {
  judge(one_pass_error_mutants, [](const Softmaxes& softmaxes) {
    in_both(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      // Each logit raises the maximum: one rescaling fewer than logits.
      const Values<Real> rising = {0, 1, 2, 3, 4};
      EXPECT_EQ(functions.split(rising, {}).second, 4U);
      EXPECT_EQ(functions.split(rising, {2, 2}).second, 2U);
      EXPECT_EQ(functions.split({4, 3, 2, 1, 0}, {}).second, 1U);
      // What counts is the weight that was rescaled most, on whichever side of a merge.
      EXPECT_EQ(functions.split({10, 0, 1, 2, 11}, {1}).second, 3U);
      EXPECT_EQ(functions.split({11, 0, 1, 2, 10}, {1}).second, 4U);
    });
    enumerated(10);
  });
}
//! [OnePassError: exact check]

TEST(OnePassError, OnePassStaysWithinTheBound) {
  judge(one_pass_error_mutants, [](const Softmaxes& softmaxes) {
    of_the_statement();
    in_each(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      const auto outcome_of = [&](const Values<Real>& x) {
        SoftmaxArithmetic by = arithmetic_of<Real>();
        by.summation = Summation::any_order;
        by.rescalings = merged_state(x, {}).rescalings();
        return accuracy_law<Real>(functions.online, x, 1, by);
      };
      for (const auto& [x, cuts] : telling_parts<Real>()) expect(outcome_of(x));
      for_all([&] { require(outcome_of(*scores<Real>(17).as("x"))); });
    });
  });
}

/// One pass with exponentials that are too large by 7u, unless they are 1.
Values<double> biased_one_pass(const Values<double>& x, double) {
  const auto exp = [](double d) { return d < 0 ? std::exp(d) * (1 + 7 * 0x1p-53) : 1.0; };
  double m = x[0];
  double sum = 0;
  for (const double logit : x) {
    if (logit > m) sum *= exp(std::exchange(m, logit) - logit);
    sum += exp(logit - m);
  }
  Values<double> weights;
  for (const double logit : x) weights.push_back(exp(logit - m) / sum);
  return weights;
}

TEST(OnePassError, UncountedRescalingsBreakTheBound) {
  judge(one_pass_error_mutants, [](const Softmaxes& softmaxes) {
    of_the_statement();
    Values<double> rising;
    for (int j = 0; j < 64; ++j) rising.push_back(j * 0x1p-10);
    SoftmaxArithmetic by = arithmetic_of<double>();
    by.exp_error = 8;
    by.summation = Summation::any_order;
    const auto uncounted = softmaxes.in_double.bound(rising, 1, by);
    EXPECT_FALSE(accuracy_law<double>(biased_one_pass, rising, 1, uncounted).holds());
    by.rescalings = 63;
    expect(accuracy_law<double>(biased_one_pass, rising, 1, by));
    counterexample_without("counted rescalings");
  });
}

TEST(OnePassError, TheLogarithmOfPartsStaysWithinItsBound) {
  judge(one_pass_error_mutants, [](const Softmaxes& softmaxes) {
    of_the_statement();
    in_each(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      const auto outcome_of = [&](const Values<Real>& x, const Cuts& cuts) {
        const std::pair<Real, std::size_t> merged = functions.split_log_sum(x, cuts);
        SoftmaxArithmetic by = arithmetic_of<Real>();
        by.summation = Summation::any_order;
        by.rescalings = merged.second;
        const auto computed = [&](const Values<Real>&, Real) { return merged.first; };
        return log_sum_exp_law<Real>(computed, x, 1, by);
      };
      for (const auto& [x, cuts] : telling_parts<Real>()) expect(outcome_of(x, cuts));
      for_all(
          [&] {
            const Values<Real> x = *scores<Real>(17).as("x");
            const Cuts cuts = *cuts_of(x.size()).as("cuts");
            require(outcome_of(x, cuts));
          },
          100);
    });
  });
}

// --------------------------------------------------------------------------------- LogarithmErrors

const Mutants logarithm_errors_mutants = {
    {"the logarithm of the sum loses two units",
     "AnAdversaryDoesNotBreakThem",
     {.in_float = {.log_sum_exp =
                       [](const Values<float>& x, float temperature) {
                         return library_log_sum_exp(x, temperature) *
                                (1 - 2 * std::numeric_limits<float>::epsilon());
                       }}}},
    {"the logarithm of a weight loses two units",
     "AnAdversaryDoesNotBreakThem",
     {.in_double = {.log_softmax =
                        [](const Values<double>& x, double temperature) {
                          Values<double> y = library_log_softmax(x, temperature);
                          for (double& entry : y)
                            entry *= 1 - 2 * std::numeric_limits<double>::epsilon();
                          return y;
                        }}}},
    {"the logarithm is to base 2",
     "LogarithmsStayWithinTheirBounds",
     {.in_double = {.log_sum_exp =
                        [](const Values<double>& x, double temperature) {
                          return library_log_sum_exp(x, temperature) / std::log(2.0);
                        }}}},
    {"the maximum is not added again",
     "LogarithmsStayWithinTheirBounds",
     {.in_double = {.log_sum_exp =
                        [](const Values<double>& x, double temperature) {
                          return library_log_sum_exp(x, temperature) - greatest_of(x) / temperature;
                        }}}},
    {"the logarithm is that of the weight",
     "LogarithmsStayWithinTheirBounds",
     {.in_float = {.log_softmax =
                       [](const Values<float>& x, float temperature) {
                         Values<float> y = library_softmax(x, temperature);
                         for (float& weight : y) weight = std::log(weight);
                         return y;
                       }}}},
    {"differences may overflow",
     "DifferencesThatOverflowDoNoHarm",
     {.in_float = {.log_softmax =
                       [](const Values<float>& x, float temperature) {
                         Values<float> y = x;
                         const float m = greatest_of(x);
                         const float log_sum =
                             library_log_sum_exp(x, temperature) - m / temperature;
                         for (float& score : y) score = (score - m) / temperature - log_sum;
                         return y;
                       }}}},
    {"the sum takes differences that overflow",
     "DifferencesThatOverflowDoNoHarm",
     {.in_double = {.log_sum_exp =
                        [](const Values<double>& x, double temperature) {
                          const double m = greatest_of(x);
                          double sum = 0;
                          for (const double score : x) sum += std::exp((score - m) / temperature);
                          return m / temperature + std::log(sum);
                        }}}},
    {"half precision takes the logarithm of a rounded weight",
     "StoredInAShorterTypeTheyAreRoundedOnce",
     {.in_half = {.log_softmax =
                      [](const Values<float>& x, float temperature) {
                        Values<float> y = library_stored_softmax<Eigen::half>(x, temperature);
                        for (float& weight : y) weight = std::log(weight);
                        return y;
                      }}}},
    {"bfloat16 is cut off and not rounded",
     "StoredInAShorterTypeTheyAreRoundedOnce",
     {.in_bfloat16 = {.log_softmax =
                          [](const Values<float>& x, float temperature) {
                            Values<float> y = library_log_softmax(x, temperature);
                            for (float& number : y)
                              number = std::bit_cast<float>(std::bit_cast<std::uint32_t>(number) &
                                                            0xffff0000U);
                            return y;
                          }}}},
    {"the bound of log-sum-exp lacks the logarithm",
     "TheirBoundsAreTheFormulasOfThePage",
     {.in_double = {.lse_bound =
                        [](const Values<double>& x, double temperature,
                           const SoftmaxArithmetic& by) {
                          SoftmaxArithmetic changed = by;
                          changed.log_error = 0;
                          return library_lse_bound(x, temperature, changed);
                        }}}},
    {"the bound of log-softmax lacks the rounding of t",
     "TheirBoundsAreTheFormulasOfThePage",
     {.in_float = {.log_bound =
                       [](const Values<float>& x, float temperature, const SoftmaxArithmetic& by) {
                         Eigen::VectorXd bound = library_log_bound(x, temperature, by);
                         for (Eigen::Index j = 0; j < bound.size(); ++j)
                           bound[j] -=
                               by.unit_roundoff *
                               static_cast<double>(
                                   (greatest_of(x) - x[static_cast<std::size_t>(j)]) / temperature);
                         return bound;
                       }}}},
    {"the bounds lack the depth of the sum", "TheirBoundsAreTheFormulasOfThePage",
     with_logarithms_of([](SoftmaxArithmetic& by) { by.summation = Summation::pairwise; })},
    {"the bounds lack the rescalings", "TheirBoundsAreTheFormulasOfThePage",
     with_logarithms_of([](SoftmaxArithmetic& by) { by.rescalings = 0; })},
    {"the bounds lack underflow", "TheirBoundsAreTheFormulasOfThePage",
     with_logarithms_of([](SoftmaxArithmetic& by) { by.smallest = 0; })},
    {"the bounds lack the reduction of the argument", "TheirBoundsAreTheFormulasOfThePage",
     with_logarithms_of([](SoftmaxArithmetic& by) { by.exp_argument_error = 0; })},
    {"the bound of log-softmax lacks the storage",
     "TheirBoundsAreTheFormulasOfThePage",
     {.in_float = {.log_bound =
                       [](const Values<float>& x, float temperature, const SoftmaxArithmetic& by) {
                         SoftmaxArithmetic changed = by;
                         changed.storage_roundoff = 0;
                         return library_log_bound(x, temperature, changed);
                       }}}},
    {"ln S loses half a unit of 1 where it is small",
     "TheirBoundsAreTheFormulasOfThePage",
     {.in_double = {.log_bound =
                        [](const Values<double>& x, double temperature,
                           const SoftmaxArithmetic& by) {
                          Eigen::VectorXd bound = library_log_bound(x, temperature, by);
                          // At worst the sum 1 + e^(-32) loses half a unit of 1.
                          if (x.size() == 2 && x[0] - x[1] == 32)
                            for (double& each : bound) each -= by.storage_roundoff * 0x1p-53;
                          return bound;
                        }}}},
    {"a result is never out of range", "NoBoundIsNaNAndNoneIsKeptByChance",
     with_logarithms_of([](SoftmaxArithmetic& by) {
       by.largest = inf<double>;
       by.storage_largest = inf<double>;
     })},
    {"the rounding of the storage is 0 times infinity",
     "NoBoundIsNaNAndNoneIsKeptByChance",
     {.in_double = {.log_bound =
                        [](const Values<double>& x, double temperature,
                           const SoftmaxArithmetic& by) {
                          Eigen::VectorXd bound = library_log_bound(x, temperature, by);
                          for (Eigen::Index j = 0; j < bound.size(); ++j)
                            bound[j] += 0 * ((greatest_of(x) - x[static_cast<std::size_t>(j)]) /
                                             temperature);
                          return bound;
                        }}}},
    {"fifty digits are said to have the log of a processor",
     "FiftyDigitsKeepTheirBounds",
     {.of_fifty_digits = as_of_hardware<Wide>}},
    {"coarse arithmetic has a bound of 1",
     "ABoundThatSaysNothingIsCalledVacuous",
     {.in_double = {.lse_bound =
                        [](const Values<double>& x, double temperature,
                           const SoftmaxArithmetic& by) {
                          return std::min(library_lse_bound(x, temperature, by), 1.0);
                        }}}},
};

//! [LogarithmErrors]
TEST(LogarithmErrors, LogarithmsStayWithinTheirBounds) {
  judge(logarithm_errors_mutants, [](const Softmaxes& softmaxes) {
    of_the_statement();
    in_each(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      // A weight that underflows has a logarithm.
      for (const Values<Real>& x :
           {Values<Real>{0, -20000}, {3}, {1, 1, -inf<Real>}, {-5, -6, -7}, {1000, 999}}) {
        expect(log_sum_exp_law<Real>(functions.log_sum_exp, x, 1));
        expect(log_softmax_law<Real>(functions.log_softmax, x, 1));
      }
      for_all(
          [&] {
            const Values<Real> x = *scores<Real>(17).as("x");
            const Real temperature = *temperatures<Real>().as("temperature");
            require(log_sum_exp_law<Real>(functions.log_sum_exp, x, temperature));
          },
          100);
      for_all(
          [&] {
            const Values<Real> x = *scores<Real>(17).as("x");
            const Real temperature = *temperatures<Real>().as("temperature");
            require(log_softmax_law<Real>(functions.log_softmax, x, temperature));
          },
          100);
    });
  });
}
//! [LogarithmErrors]

TEST(LogarithmErrors, DifferencesThatOverflowDoNoHarm) {
  judge(logarithm_errors_mutants, [](const Softmaxes& softmaxes) {
    of_the_statement();
    in_each(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      for (const auto& [x, temperature] : overflowing_differences<Real>()) {
        // Where the results themselves are out of range nothing is promised.
        if (2 * (std::numeric_limits<Real>::max() / temperature) > Real(1e37)) continue;
        expect(log_sum_exp_law<Real>(functions.log_sum_exp, x, temperature));
        expect(log_softmax_law<Real>(functions.log_softmax, x, temperature));
      }
    });
  });
}

TEST(LogarithmErrors, AnAdversaryDoesNotBreakThem) {
  judge(logarithm_errors_mutants, [](const Softmaxes& softmaxes) {
    of_the_statement();
    evidence().weaken(Grade::bounded);
    const auto search = [](const auto& functions, auto real, const std::string& type) {
      using Real = decltype(real);
      expect_no_worse<Real>(type + "sum_", [&](const Values<Real>& x, Real temperature) {
        return log_sum_exp_law<Real>(functions.log_sum_exp, x, temperature);
      });
      expect_no_worse<Real>(type + "softmax_", [&](const Values<Real>& x, Real temperature) {
        return log_softmax_law<Real>(functions.log_softmax, x, temperature);
      });
    };
    search(softmaxes.in_float, 0.0F, "float_");
    search(softmaxes.in_double, 0.0, "double_");
  });
}

TEST(LogarithmErrors, StoredInAShorterTypeTheyAreRoundedOnce) {
  judge(logarithm_errors_mutants, [](const Softmaxes& softmaxes) {
    of_the_statement();
    in_storage(softmaxes, [](const auto& functions, auto storage) {
      using Storage = decltype(storage);
      const SoftmaxArithmetic by = arithmetic_of<Storage>();
      for (const Values<float>& x : {Values<float>{0, 0, 0}, {0, -8, -20}, {0.5, -0.25, 0.75}, {1}})
        expect(log_softmax_law<float>(functions.log_softmax, x, 1, by));
      for_all(
          [&] {
            const auto stored_scores = *scores<Storage>(17).as("x");
            const float temperature = *temperatures<float>().as("temperature");
            const Values<float> x(stored_scores.begin(), stored_scores.end());
            require(log_softmax_law<float>(functions.log_softmax, x, temperature, by));
          },
          100);
    });
    // The exact logarithm is −131008, beyond what binary16 can store: no bound is promised.
    const Values<float> apart = {-65504, 65504};
    EXPECT_EQ(softmaxes.in_half.log_softmax(apart, 1)[0], -inf<float>);
    EXPECT_EQ(softmaxes.in_float.log_bound(apart, 1, arithmetic_of<Eigen::half>())[0], inf<double>);
    counterexample_without("results in range");
  });
}

TEST(LogarithmErrors, TheirBoundsAreTheFormulasOfThePage) {
  judge(logarithm_errors_mutants, [](const Softmaxes& softmaxes) {
    in_both(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      const auto agrees = [&](const Values<Real>& x, std::size_t j, Real temperature,
                              const SoftmaxArithmetic& by) {
        const PageBounds page = page_bounds(x, j, temperature, by);
        const Eigen::VectorXd bound = functions.log_bound(x, temperature, by);
        const bool masked = x[j] == -inf<Real>;
        return is_raised(functions.lse_bound(x, temperature, by), page.of_log_sum_exp) &&
               (masked ? bound[static_cast<Eigen::Index>(j)] == 0
                       : is_raised(bound[static_cast<Eigen::Index>(j)], page.of_log_softmax));
      };
      for (const SoftmaxArithmetic& by : telling_arithmetics<Real>())
        for (const Real temperature : {Real(1), Real(2)})
          for (const std::size_t j : {0U, 7U, 32U})
            EXPECT_TRUE(agrees(telling_scores<Real>(), j, temperature, by))
                << temperature << " " << j;
      // ln S is near 0, and what the storage rounds is that alone.
      SoftmaxArithmetic stored = arithmetic_of<Real>();
      stored.storage_roundoff = 0x1p-11;
      EXPECT_TRUE(agrees({32, 0}, 0, 1, stored));
      for_all(
          [&] {
            const Values<Real> x = *scores<Real>(33).as("x");
            const std::size_t j = *rc::gen::inRange<std::size_t>(0, x.size()).as("j");
            const Real temperature = *temperatures<Real>().as("temperature");
            RC_ASSERT(agrees(x, j, temperature, any_arithmetic<Real>()));
          },
          50);
    });
  });
}

TEST(LogarithmErrors, NoBoundIsNaNAndNoneIsKeptByChance) {
  judge(logarithm_errors_mutants, [](const Softmaxes& softmaxes) {
    in_both(softmaxes, [](const auto& functions, auto real) {
      using Real = decltype(real);
      using Limits = std::numeric_limits<Real>;
      std::uint64_t count = 0;
      for (const Real greatest :
           {Limits::max(), Real(1), Real(0), Limits::denorm_min(), -Limits::max()})
        for (const Real least : {-inf<Real>, -Limits::max(), Real(-1), greatest})
          for (const Real temperature :
               {Limits::denorm_min(), Limits::min(), Real(1), Limits::max()}) {
            if (least > greatest) continue;
            const Values<Real> x = {greatest, least};
            const SoftmaxArithmetic by = arithmetic_of<Real>();
            const double of_sum = functions.lse_bound(x, temperature, by);
            const Eigen::VectorXd of_logs = functions.log_bound(x, temperature, by);
            EXPECT_FALSE(std::isnan(of_sum) || of_logs.hasNaN());
            // A result that overflowed is not covered by a finite bound, nor by luck.
            const bool sum_is_finite = std::isfinite(library_log_sum_exp(x, temperature));
            EXPECT_TRUE(sum_is_finite || std::isinf(of_sum)) << greatest << " " << temperature;
            const Values<Real> logs = library_log_softmax(x, temperature);
            EXPECT_TRUE(std::isfinite(logs[1]) || least == -inf<Real> || std::isinf(of_logs[1]))
                << greatest << " " << least << " " << temperature;
            ++count;
          }
      enumerated(count);
    });
  });
}

TEST(LogarithmErrors, ABoundThatSaysNothingIsCalledVacuous) {
  judge(logarithm_errors_mutants, [](const Softmaxes& softmaxes) {
    // Six bits: nothing is promised, so that an implementation that returns 12345 is not accepted.
    SoftmaxArithmetic coarse = arithmetic_of<double>();
    coarse.unit_roundoff = 0x1p-6;
    const Values<double> x = {0, -1};
    const auto wrong = [](const Values<double>&, double) { return 12345.0; };
    const auto wrong_logs = [](const Values<double>& scores, double) {
      return Values<double>(scores.size(), 12345.0);
    };
    EXPECT_EQ(softmaxes.in_double.lse_bound(x, 1, coarse), inf<double>);
    EXPECT_EQ(softmaxes.in_double.log_bound(x, 1, coarse)[0], inf<double>);
    EXPECT_TRUE(log_sum_exp_law<double>(wrong, x, 1, coarse).vacuous);
    EXPECT_TRUE(log_softmax_law<double>(wrong_logs, x, 1, coarse).vacuous);
    // A bound that is finite but wide is none either.
    coarse.unit_roundoff = 0x1p-52;
    coarse.summation = Summation::any_order;
    coarse.log_error = 0x1p54;
    EXPECT_TRUE(log_sum_exp_law<double>(wrong, x, 1, coarse).vacuous);
    // In the right arithmetic neither is vacuous, and both are refused.
    const Outcome sum = log_sum_exp_law<double>(wrong, x, 1);
    const Outcome logs = log_softmax_law<double>(wrong_logs, x, 1);
    EXPECT_FALSE(sum.vacuous || sum.holds() || logs.vacuous || logs.holds());
    counterexample_without("the sum");
  });
}

TEST(LogarithmErrors, FiftyDigitsKeepTheirBounds) {
  judge(logarithm_errors_mutants, [](const Softmaxes& softmaxes) {
    of_the_statement();
    int beyond_a_processor = 0;
    for (int i = 0; i < 64; ++i) {
      const Values<Wide> x = {0, -(Wide(256 + i) / 1024)};
      const Values<Wider> wider(x.begin(), x.end());
      const SoftmaxArithmetic by = softmaxes.of_fifty_digits();
      const Wider error = abs(Wider(softmaxes.in_fifty_digits.log_sum_exp(x, 1)) -
                              library_log_sum_exp<Wider>(wider, 1));
      const Wider allowed(softmaxes.in_fifty_digits.lse_bound(x, 1, by));
      const SoftmaxArithmetic hardware = as_of_hardware<Wide>();
      beyond_a_processor += error > Wider(library_lse_bound<Wide>(x, 1, hardware));
      EXPECT_LE(error, allowed) << x[1];
      const Values<Wide> logs = softmaxes.in_fifty_digits.log_softmax(x, 1);
      const Values<Wider> exact = library_log_softmax<Wider>(wider, 1);
      const Eigen::VectorXd bound = softmaxes.in_fifty_digits.log_bound(x, 1, by);
      for (std::size_t j = 0; j < 2; ++j)
        EXPECT_LE(abs(Wider(logs[j]) - exact[j]), bound[static_cast<Eigen::Index>(j)]) << x[1];
      if (error <= allowed) evidence().worst(static_cast<double>(Wider(error / allowed)), 1);
    }
    // With Λ = 2 the bound would be broken.
    EXPECT_GT(beyond_a_processor, 0);
    counterexample_without("accurate logarithm");
    evidence().weaken(Grade::bounded);
    enumerated(64);
  });
}

}  // namespace
