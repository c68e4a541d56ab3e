// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/distributions/score_distribution.hpp>
#include <sqrtdk/moments.hpp>
#include <sqrtdk/testing/expect_draws.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/expect_near.hpp>
#include <sqrtdk/testing/statistics/number_text.hpp>

#include "properties/score_distribution/reference.hpp"

#include <boost/math/constants/constants.hpp>
#include <boost/math/distributions/complement.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace sqrtdk;
using namespace sqrtdk::testing;
using namespace sqrtdk::reference;

using boost::math::complement;
using Score = sqrtdk::score_distribution<double>;

namespace constants = boost::math::constants;
namespace parts = sqrtdk::score_numerics;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Expects an error to be within a bound, and notes both.
void expect_within(double error, double bound, const std::string& where) {
  evidence().worst(error, bound);
  EXPECT_LE(error, bound) << where;
}

/// A dimension, log-uniform from 1/2 to 10⁹; rounded in two cases of five.
double drawn_dimension(Stream& stream) {
  const double d = std::min(0.5 * std::pow(2e9, uniform(stream)), 1e9);
  return uniform(stream) < 0.4 ? std::max(1.0, std::round(d)) : d;
}

/// Half of them within four deviations, on a logarithmic scale; the others with √(−ln P) about
/// uniform up to √690.
double drawn_score(double d, Stream& stream) {
  const double u = uniform(stream);
  if (uniform(stream) < 0.5) return std::sqrt(d) * std::exp2(-20 + 22 * u);
  const double exponent = 690 * u * u;
  return std::sqrt(2 * d * exponent + exponent * exponent);
}

// ----------------------------------------------------------------------------- ScoreSaddleIntegral

/// How the two formulas are put together; the values here are those of the page.
struct SaddleForm {
  Wide power_of_ratio = 0.5;  ///< of r, before the integral
  Wide stirling = 1;          ///< what δ is multiplied by
  Wide twice = 2;             ///< the 2 of E = 2B − a log(1 + η)
  int sign = 1;               ///< of t in e^{−t/2}
};

/// P(X > x) and f(x) by the positive integral, in fifty digits.
Reference saddle_form(double d, double x, const SaddleForm& form) {
  const Wide a = Wide(d) / 2;
  const auto at = parts::make_saddle<Wide>(a, x);
  const Wide exponent = form.twice * at.shift - a * log1p(at.shift / a);
  const auto mean = [&](const Wide& u, auto h) { return parts::trapezoid_mean<Wide>(at, u, h); };
  const Wide u = sqrt(at.shift);
  const Wide of_tail =
      form.sign > 0 ? mean(u, [](const Wide& uy) { return parts::erfcx(uy); })
                    : mean(Wide(1), [&](const Wide& y) { return parts::erfcx(Wide(u / y)); });
  const Wide of_density = form.sign > 0 ? mean(Wide(1), [](const Wide& y) { return y; })
                                        : mean(Wide(1), [](const Wide& y) { return Wide(1 / y); });
  const Wide before = pow(at.ratio, form.power_of_ratio);
  const Wide normal = sqrt(constants::two_pi<Wide>() * at.spread);
  return {-exponent - form.stirling * parts::stirling_remainder(a), before * of_tail / 2,
          before * of_density / normal};
}

/// What the claim about the integral judges.
struct SaddleLaws {
  Reference (*form)(double, double) = [](double d, double x) { return saddle_form(d, x, {}); };
  double (*pdf)(double, double) = [](double d, double x) { return sqrtdk::pdf(Score(d), x); };
};

const std::vector<Mutant<SaddleLaws>> saddle_mutants = {
    {"the remainder of Stirling's series is left out",
     "TheIntegralIsTailAndDensity",
     {.form = [](double d, double x) { return saddle_form(d, x, {.stirling = 0}); }}},
    {"the root of a/N is left out",
     "TheIntegralIsTailAndDensity",
     {.form = [](double d, double x) { return saddle_form(d, x, {.power_of_ratio = 0}); }}},
    {"the exponent is B − a log(1 + η)",
     "TheIntegralIsTailAndDensity",
     {.form = [](double d, double x) { return saddle_form(d, x, {.twice = 1}); }}},
    {"larger keys give smaller scores",
     "TheIntegralIsTailAndDensity",
     {.form = [](double d, double x) { return saddle_form(d, x, {.sign = -1}); }}},
    {"the density at zero is that at a small score",
     "AtZeroTheDensityOfOneDimensionHasNoIntegral",
     {.pdf = [](double d, double x) { return pdf(Score(d), x == 0 ? 1e-300 : x); }}},
};

//! [ScoreSaddleIntegral]
TEST(ScoreSaddleIntegral, TheIntegralIsTailAndDensity) {
  judge(saddle_mutants, [](const SaddleLaws& law) {
    evidence().weaken(Grade::measured);
    of_the_statement();
    for_all(
        [&] {
          const auto exponent = *rc::gen::inRange(-16, 177).as("16 log2 d");
          const auto deviation = *rc::gen::inRange(-160, 80).as("16 log2 of the deviations");
          const double d = std::exp2(exponent / 16.0);
          const double x = std::sqrt(d) * std::exp2(deviation / 16.0);
          const Reference form = law.form(d, x);
          const Reference want = reference_at(d, x);
          const Wide factor = exp(form.log_scale - want.log_scale);
          for (const Wide& error : {Wide(form.tail * factor / want.tail - 1),
                                    Wide(form.density * factor / want.density - 1)}) {
            const auto size = static_cast<double>(abs(error));
            evidence().worst(size, 1e-30);
            RC_ASSERT(size <= 1e-30);
          }
        },
        40);
  });
}
//! [ScoreSaddleIntegral]

TEST(ScoreSaddleIntegral, AtZeroTheDensityOfOneDimensionHasNoIntegral) {
  judge(saddle_mutants, [](const SaddleLaws& law) {
    // a = N = ½, r = 1: the integrand is exp(½ − eᵗ/2), which tends to √e as t → −∞.
    EXPECT_THROW(law.pdf(1, 0), std::overflow_error);
    EXPECT_THROW(law.pdf(0.5, 0), std::overflow_error);
    EXPECT_LT(law.pdf(1.5, 0), 1);
    enumerated(3);
    counterexample_without("positive score");
  });
}

// ------------------------------------------------------------------------- TrapezoidalStepSuffices

/// Enough digits to see an error of 1e-17 exactly.
using Quad = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<34>,
                                           boost::multiprecision::et_off>;

/// One of the functions that are integrated, as a function of y = e^{−t/2}.
enum class Integrand { root, scaled_error_function };

Quad value_of(Integrand what, const parts::SaddlePoint<Quad>& at, const Quad& y) {
  return what == Integrand::root ? y : parts::erfcx(Quad(sqrt(at.shift) * y));
}

/// ∫ exp(−N (b cosh t − 1 + r (b sinh t − t))) g(t) dt by the trapezoidal rule, b = 1 for M[g].
Quad trapezoidal_sum(const parts::SaddlePoint<Quad>& at, Integrand what, const Quad& step,
                     const Quad& b = 1) {
  Quad sum = 0;
  for (const int direction : {-1, 1})
    for (int j = direction < 0 ? -1 : 0;; j += direction) {
      const Quad t = j * step;
      const Quad up = exp(t);
      const Quad sinh_t = (up - 1 / up) / 2;
      const Quad cosh_t = (up + 1 / up) / 2;
      const Quad exponent = at.total * (b * cosh_t - 1 + at.ratio * (b * sinh_t - t));
      const Quad term = exp(-exponent) * value_of(what, at, exp(-t / 2));
      sum += term;
      if (j != 0 && exponent > 0 && term < Quad(1e-30) * sum) break;
    }
  return sum * step;
}

/// 2 (cos θ)^{−N−2} / (e^{2πθ/ℓ} − 1), with the tangent of θ, which is more accurate than its
/// cosine near a right angle.
double trapezoid_bound(double total, double step, double tangent) {
  return 2 * std::exp((total / 2 + 1) * std::log1p(tangent * tangent)) /
         std::expm1(constants::two_pi<double>() * std::atan(tangent) / step);
}

/// The tangent of the θ of the page.
double tangent_of_the_code(double total, double type_epsilon) {
  return std::sqrt(2 * (2 - std::log(type_epsilon)) / total);
}

/// A step of the rule for a saddle's N.
struct StepLaws {
  float (*single_step)(float) = [](float total) { return parts::trapezoid_step(total); };
  double (*double_step)(double) = [](double total) { return parts::trapezoid_step(total); };
  double (*growth)(double) = [](double total) { return total + 1.5; };
  double (*bound)(double, double, double) = trapezoid_bound;
};

double step_without_growth(double total) {
  const double precision = 2 - std::log(epsilon);
  return constants::two_pi<double>() * std::atan(std::sqrt(2 * precision / total)) / precision;
}

const std::vector<Mutant<StepLaws>> step_mutants = {
    {"the step is a quarter too large",
     "TheErrorIsWithinItsBound",
     {.double_step = [](double total) { return parts::trapezoid_step(total) * 1.25; }}},
    {"the growth of the integrand in the strip is forgotten",
     "TheErrorIsWithinItsBound",
     {.double_step = step_without_growth}},
    {"the step of single precision serves for double",
     "TheErrorIsWithinItsBound",
     {.double_step = [](double total) -> double {
       return parts::trapezoid_step(static_cast<float>(total));
     }}},
    {"the integral grows by (cos θ)^−N only",
     "TheIntegralGrowsByAPowerOfTheCosine",
     {.growth = [](double total) { return total; }}},
    {"the integrand does not grow in the strip",
     "TheErrorIsWithinTheBoundOfEveryStrip",
     {.bound = [](double, double step,
                  double tangent) { return trapezoid_bound(0, step, tangent); }}},
    {"the strip is as wide above and below as both together",
     "TheErrorIsWithinTheBoundOfEveryStrip",
     {.bound = [](double total, double step,
                  double tangent) { return trapezoid_bound(total, step / 2, tangent); }}},
    {"the smallest N has no step",
     "EveryPositiveSizeHasAStep",
     {.double_step =
          [](double total) { return total < 1e-306 ? 0 : parts::trapezoid_step(total); }}},
    {"the step is one, whatever N is",
     "AFunctionThatTurnsWithTheGridIsNotSeen",
     {.double_step = [](double) { return 1.0; }}},
};

/// The cases of the claim: a = d/2 and x with N below 35, where the code takes this rule.
struct StepCase {
  double a, x;
};
constexpr std::array<StepCase, 7> step_cases = {
    {{0.25, 0.01}, {0.25, 1}, {0.5, 20}, {3, 0.1}, {4, 12}, {17, 2}, {17, 30}}};

//! [TrapezoidalStepSuffices]
TEST(TrapezoidalStepSuffices, TheErrorIsWithinItsBound) {
  judge(step_mutants, [](const StepLaws& law) {
    evidence().weaken(Grade::bounded);
    of_the_statement();
    static std::map<std::pair<std::size_t, Integrand>, Quad> known;  // the integrals themselves
    for (std::size_t i = 0; i < step_cases.size(); ++i)
      for (const Integrand what : {Integrand::root, Integrand::scaled_error_function}) {
        const auto at = parts::make_saddle<Quad>(step_cases[i].a, step_cases[i].x);
        const auto total = static_cast<double>(at.total);
        const auto entry = known.try_emplace({i, what});
        Quad& integral = entry.first->second;
        if (entry.second)
          integral = trapezoidal_sum(at, what, Quad(parts::trapezoid_step<double>(total)) / 2);
        // The page's promise: 2 e⁻² ε (1 + 2L/N), with a little for e^{…} − 1 in its place.
        const auto expect = [&](const Quad& step, double type_epsilon) {
          const Quad error = trapezoidal_sum(at, what, step) / integral - 1;
          const double promised =
              0.271 * type_epsilon * (1 + 2 * (2 - std::log(type_epsilon)) / total);
          expect_within(static_cast<double>(abs(error)), promised,
                        place(2 * step_cases[i].a, step_cases[i].x));
          EXPECT_LE(
              law.bound(total, static_cast<double>(step), tangent_of_the_code(total, type_epsilon)),
              promised);
        };
        expect(law.single_step(static_cast<float>(total)), 0x1p-23);
        expect(law.double_step(total), epsilon);
      }
    enumerated(step_cases.size() * 4);
  });
}
//! [TrapezoidalStepSuffices]

//! [TrapezoidalStepSuffices: every strip]
TEST(TrapezoidalStepSuffices, TheErrorIsWithinTheBoundOfEveryStrip) {
  judge(step_mutants, [](const StepLaws& law) {
    evidence().weaken(Grade::bounded);
    of_the_statement();
    const auto is_within = [&](const StepCase& c, Integrand what, double times, double tangent) {
      const auto at = parts::make_saddle<Quad>(c.a, c.x);
      const auto total = static_cast<double>(at.total);
      const double fine = parts::trapezoid_step(total);
      const Quad integral = trapezoidal_sum(at, what, Quad(fine) / 2);
      const Quad error = trapezoidal_sum(at, what, Quad(times * fine)) / integral - 1;
      const auto size = static_cast<double>(abs(error));
      const double bound = law.bound(total, times * fine, tangent);
      evidence().worst(size, bound);
      return size <= bound;
    };
    // A coarse grid and the strip that says most of it, for the code's largest N.
    EXPECT_TRUE(is_within({17, 30}, Integrand::root, 4, 0.5));
    EXPECT_TRUE(is_within({17, 30}, Integrand::root, 8, 0.25));
    enumerated(2);
    for_all(
        [&] {
          const double a = std::exp2(*rc::gen::inRange(-16, 33).as("8 log2 of d/2") / 8.0);
          const double x = std::exp2(*rc::gen::inRange(-56, 40).as("8 log2 of x") / 8.0);
          const Integrand what = *rc::gen::arbitrary<bool>().as("for the density")
                                     ? Integrand::root
                                     : Integrand::scaled_error_function;
          const double times =
              1 + *rc::gen::inRange(0, 113).as("16ths of the code's steps in one step, less one") /
                      16.0;
          const double theta = *rc::gen::inRange(1, 256).as("256ths of a right angle") *
                               constants::half_pi<double>() / 256;
          RC_ASSERT(is_within({a, x}, what, times, std::tan(theta)));
        },
        60);
  });
}
//! [TrapezoidalStepSuffices: every strip]

TEST(TrapezoidalStepSuffices, TheIntegralGrowsByAPowerOfTheCosine) {
  judge(step_mutants, [](const StepLaws& law) {
    evidence().weaken(Grade::bounded);
    of_the_statement();
    for (const auto& [a, x] : {StepCase{0.05, 1}, {0.25, 1}, {3, 0.1}, {4, 12}})
      for (const Integrand what : {Integrand::root, Integrand::scaled_error_function})
        for (const double b : {0.9, 0.5, 0.2}) {
          const auto at = parts::make_saddle<Quad>(a, x);
          const Quad growth =
              trapezoidal_sum(at, what, Quad(0.2), b) / trapezoidal_sum(at, what, Quad(0.2));
          expect_within(static_cast<double>(log(growth)),
                        law.growth(static_cast<double>(at.total)) * -std::log(b),
                        place(2 * a, x) + ", b = " + exact_text(b));
        }
    enumerated(24);
  });
}

TEST(TrapezoidalStepSuffices, EveryPositiveSizeHasAStep) {
  judge(step_mutants, [](const StepLaws& law) {
    for (double total = std::numeric_limits<double>::denorm_min(); total < infinity; total *= 1e4) {
      EXPECT_GT(law.double_step(total), 0) << exact_text(total);
      EXPECT_LT(law.double_step(total), 1.0 / 3) << exact_text(total);
    }
    enumerated(158);
  });
}

TEST(TrapezoidalStepSuffices, AFunctionThatTurnsWithTheGridIsNotSeen) {
  judge(step_mutants, [](const StepLaws& law) {
    // g(t) = 1 + cos(2πt/ℓ) is 2 at every point of the grid, and its mean is nearly 1.
    evidence().weaken(Grade::bounded);
    const double step = law.double_step(17);
    const auto sum = [&](double unit) {
      double total = 0;
      for (double t = -64 * step; t <= 64 * step; t += unit)
        total += std::exp(-17 * (std::cosh(t) - 1)) * unit *
                 (1 + std::cos(constants::two_pi<double>() * t / step));
      return total;
    };
    expect_within(std::abs(sum(step) / sum(step / 8) - 2), 0x1p-40, "2, where 1 is right");
    enumerated(1);
    counterexample_without("slow");
  });
}

// ----------------------------------------------------------------------------- SaddleMapReachesTwo

/// The coefficients of w/ζ in powers of ζ at one r, exactly: ζ as a series in t, its inverse, and
/// 2 sinh(t/2) of that.
std::vector<Rational> exact_saddle_series(const Rational& r, std::size_t order) {
  using Series = std::vector<Rational>;
  const auto product = [&](const Series& f, const Series& g) {
    Series sum(order);
    for (std::size_t i = 0; i < order; ++i)
      for (std::size_t j = 0; i + j < order; ++j) sum[i + j] += f[i] * g[j];
    return sum;
  };
  // 2(cosh t − 1 + r (sinh t − t))/t² = Σ 2 (1 or r) tⁱ/(i + 2)!
  Series square(order);
  Rational factorial = 1;
  for (std::size_t i = 0; i < order; ++i) {
    factorial *= Rational(i + 2);
    square[i] = (i % 2 == 0 ? Rational(2) : 2 * r) / factorial;
  }
  Series root(order);  // ζ/t, the root of that
  root[0] = 1;
  for (std::size_t i = 1; i < order; ++i) {
    Rational rest = square[i];
    for (std::size_t j = 1; j < i; ++j) rest -= root[j] * root[i - j];
    root[i] = rest / 2;
  }
  // Lagrange: the coefficient of ζⁿ in W(t(ζ)) is 1/n of that of tⁿ⁻¹ in W′(t) (t/ζ)ⁿ.
  Series inverse(order);  // t/ζ
  inverse[0] = 1;
  for (std::size_t i = 1; i < order; ++i)
    for (std::size_t j = 1; j <= i; ++j) inverse[i] -= root[j] * inverse[i - j];
  Series slope(order);  // W′ = cosh(t/2)
  Rational term = 1;
  for (std::size_t i = 0; i < order; i += 2) {
    slope[i] = term;
    term /= 4 * Rational((i + 1) * (i + 2));
  }
  Series power = slope;
  Series result;
  for (std::size_t n = 1; n <= order; ++n) {
    power = product(power, inverse);
    result.push_back(power[n - 1] / Rational(n));
  }
  return result;
}

constexpr std::size_t saddle_order = parts::saddle_order;

/// What the claim about the map judges.
struct MapLaws {
  double (*term)(std::size_t, std::size_t) = [](std::size_t k, std::size_t m) {
    static const auto series = parts::make_saddle_series<saddle_order>();
    return series.term[k][m];
  };
  /// ζ²/2 at the nearest singularity.
  std::complex<double> (*singularity)(double) = [](double r) {
    return std::complex<double>(-2 + 2 * r * std::atanh(r), constants::pi<double>() * r);
  };
  double (*from)(std::size_t) = [](std::size_t half) { return parts::hermite_from[half - 1]; };
  /// M[h] of y (below 0) or of erfcx(uy).
  long double (*mean)(const parts::SaddlePoint<long double>&,
                      Integrand) = [](const parts::SaddlePoint<long double>& at, Integrand what) {
    if (what == Integrand::root)
      return parts::hermite_mean(at, 1.0L, [](long double y) { return y; });
    return parts::hermite_mean(at, std::sqrt(at.shift),
                               [](long double uy) { return parts::fast_erfcx(uy); });
  };
};

/// E zᵏ by the rule of n = 2·half points, less the true moment of a standard normal number.
template <std::size_t half>
long double moment_error(unsigned k) {
  constexpr auto& rule = parts::gauss_hermite_rule<half>;
  long double sum = 0;
  long double moment = 1;
  for (unsigned j = 1; j < k; j += 2) moment *= j;
  for (std::size_t i = half; i-- > 0;)
    sum += 2 * rule.weight[i] * std::pow(rule.node[i], static_cast<long double>(k));
  return moment - sum;
}

const std::vector<Mutant<MapLaws>> map_mutants = {
    {"the terms of even order in r are left out",
     "TheSeriesIsTheExactOne",
     {.term =
          [](std::size_t k, std::size_t m) {
            return (k - 2 * m) % 2 == 0 && k > 0 ? 0.0 : MapLaws{}.term(k, m);
          }}},
    {"the last term of every order is left out",
     "TheSeriesIsTheExactOne",
     {.term = [](std::size_t k,
                 std::size_t m) { return k > 0 && m == k / 2 ? 0.0 : MapLaws{}.term(k, m); }}},
    {"the terms are rounded to single precision",
     "TheSeriesIsTheExactOne",
     {.term = [](std::size_t k, std::size_t m) -> double {
       return static_cast<float>(MapLaws{}.term(k, m));
     }}},
    {"the singularity has no imaginary part",
     "NoSingularityIsNearerThanTwo",
     {.singularity = [](double r) { return std::complex<double>(-2 + 2 * r * std::atanh(r), 0); }}},
    {"the singularity is on the imaginary axis, whatever r is",
     "NoSingularityIsNearerThanTwo",
     {.singularity =
          [](double r) { return std::complex<double>(-2, constants::pi<double>() * r); }}},
    {"twelve points serve from N = 30 on",
     "FromTheirSizesOnTheRulesSuffice",
     {.from = [](std::size_t half) { return half == 6 ? 30.0 : MapLaws{}.from(half); }}},
    {"six points serve where eight are needed",
     "FromTheirSizesOnTheRulesSuffice",
     {.from = [](std::size_t half) { return half == 3 ? 126.0 : MapLaws{}.from(half); }}},
    {"two points serve everywhere",
     "TheRulesAgreeWithTheTrapezoidalRule",
     {.mean =
          [](const parts::SaddlePoint<long double>& at, Integrand what) {
            if (what == Integrand::root)
              return parts::hermite_mean<1, 4>(at, 1.0L, [](long double y) { return y; });
            return MapLaws{}.mean(at, what);
          }}},
    {"the slope dt/dζ is left out",
     "TheRulesAgreeWithTheTrapezoidalRule",
     {.mean =
          [](const parts::SaddlePoint<long double>& at, Integrand what) {
            return what == Integrand::root ? 1.0L : MapLaws{}.mean(at, what);
          }}},
    {"eight points in place of twelve",
     "TheRulesAgreeWithTheTrapezoidalRule",
     {.mean =
          [](const parts::SaddlePoint<long double>& at, Integrand what) {
            if (what == Integrand::root)
              return parts::hermite_mean<4, 18>(at, 1.0L, [](long double y) { return y; });
            return MapLaws{}.mean(at, what);
          }}},
    {"each rule begins at a quarter of its N",
     "TheFirstPowerThatARuleMissesIsTwiceItsPoints",
     {.from = [](std::size_t half) { return MapLaws{}.from(half) / 4; }}},
};

//! [SaddleMapReachesTwo: the series]
TEST(SaddleMapReachesTwo, TheSeriesIsTheExactOne) {
  judge(map_mutants, [](const MapLaws& law) {
    evidence().weaken(Grade::measured);
    static std::map<Rational, std::vector<Rational>> known;
    for (const Rational& r : {Rational(1), Rational(1, 2), Rational(1, 16)}) {
      const auto [exact, is_new] = known.try_emplace(r);
      if (is_new) exact->second = exact_saddle_series(r, saddle_order);
      for (std::size_t k = 0; k < saddle_order; ++k) {
        Wide sum = 0;
        Wide sizes = 0;  // of the terms: what an error of one epsilon in each amounts to
        for (std::size_t m = 0; 2 * m <= k; ++m) {
          const Wide term = law.term(k, m) * pow(Wide(r), static_cast<int>(k - 2 * m));
          sum += term;
          sizes += abs(term);
        }
        const Wide error = abs(sum - Wide(exact->second[k]));
        expect_within(static_cast<double>(error), epsilon * static_cast<double>(sizes + 0x1p-200),
                      "k = " + std::to_string(k));
      }
    }
    enumerated(3 * saddle_order);
  });
}
//! [SaddleMapReachesTwo: the series]

TEST(SaddleMapReachesTwo, NoSingularityIsNearerThanTwo) {
  judge(map_mutants, [](const MapLaws& law) {
    evidence().weaken(Grade::bounded);
    const double pi = constants::pi<double>();
    for (int i = 0; i < 256; ++i) {
      const double r = i / 256.0;
      const std::complex<double> t(-2 * std::atanh(r), pi);
      const std::complex<double> slope = std::sinh(t) + r * (std::cosh(t) - 1.0);
      const std::complex<double> value = std::cosh(t) - 1.0 + r * (std::sinh(t) - t);
      // Conditioned like cosh t, which is below 512: a hundred roundings are more than there are.
      const double rounding = 100 * epsilon * std::cosh(t.real());
      EXPECT_LE(std::abs(slope), rounding) << "r = " << r;
      EXPECT_LE(std::abs(value - std::conj(law.singularity(r))), rounding) << "r = " << r;
      EXPECT_GE(2 * std::abs(law.singularity(r)), 4) << "r = " << r;
    }
    // The proof's step A² ≥ 2(A − r²), A = r artanh r, coefficient by coefficient of r^(2n+2).
    Rational odd = 0;
    for (unsigned n = 1; n <= 256; ++n) {
      odd += Rational(1, 2 * n - 1);
      EXPECT_GE(odd / n, Rational(2, 2 * n + 1)) << "n = " << n;
    }
    enumerated(512);
  });
}

TEST(SaddleMapReachesTwo, TheFirstPowerThatARuleMissesIsTwiceItsPoints) {
  judge(map_mutants, [](const MapLaws& law) {
    evidence().weaken(Grade::measured);
    const auto check = [&]<std::size_t half>() {
      const unsigned n = 2 * half;
      long double factorial = 1;
      for (unsigned j = 1; j <= n; ++j) factorial *= j;
      const long double size = moment_error<half>(2 * n) / factorial;  // 1, by the page
      expect_within(static_cast<double>(std::abs(size - 1)), 64 * epsilon,
                    std::to_string(n) + " points");
      for (unsigned k = 0; k < 2 * n; k += 2)
        EXPECT_LE(std::abs(moment_error<half>(k)), factorial * epsilon) << n << " points, " << k;
      // At the smallest N of the rule, the first term that is missed is n! (4N)^−n of the sum.
      EXPECT_LE(static_cast<double>(size * factorial) *
                    std::pow(4 * law.from(half), -static_cast<double>(n)),
                1e-17);
    };
    check.operator()<1>();
    check.operator()<2>();
    check.operator()<3>();
    check.operator()<4>();
    check.operator()<5>();
    check.operator()<6>();
    enumerated(6);
  });
}

TEST(SaddleMapReachesTwo, FromTheirSizesOnTheRulesSuffice) {
  judge(map_mutants, [](const MapLaws& law) {
    const Integer target = boost::multiprecision::pow(Integer(10), 17);
    for (std::size_t half = 1; half <= 6; ++half) {
      const auto n = static_cast<unsigned>(2 * half);
      Integer factorial = 1;
      for (unsigned j = 1; j <= n; ++j) factorial *= j;
      const auto enough = [&](const Rational& total) {
        Rational power = 1;
        for (unsigned j = 0; j < n; ++j) power *= 4 * total;
        return Rational(factorial * target) <= power;
      };
      EXPECT_TRUE(enough(Rational(law.from(half)))) << n << " points";
      EXPECT_FALSE(enough(Rational(law.from(half)) * Rational(9, 10))) << n << " points";
    }
    enumerated(6);
  });
}

//! [SaddleMapReachesTwo]
TEST(SaddleMapReachesTwo, TheRulesAgreeWithTheTrapezoidalRule) {
  judge(map_mutants, [](const MapLaws& law) {
    evidence().weaken(Grade::measured);
    of_the_statement();
    // Just where each rule begins, at three ratios a/N.
    static std::map<std::pair<double, double>, std::array<Quad, 2>> known;
    for (const double total : parts::hermite_from)
      for (const double ratio : {0x1p-6, 0.75, 1 - 0x1p-30}) {
        const double a = ratio * total * (1 + 0x1p-20);
        const double x = std::sqrt((1 - ratio) * (1 + ratio)) * total * (1 + 0x1p-20);
        const auto wide = parts::make_saddle<Quad>(a, x);
        const auto at = parts::make_saddle<long double>(a, x);
        const auto [want, is_new] = known.try_emplace({a, x});
        if (is_new)
          want->second = {
              parts::trapezoid_mean<Quad>(wide, Quad(1), [](const Quad& y) { return y; }),
              parts::trapezoid_mean<Quad>(wide, Quad(sqrt(wide.shift)),
                                          [](const Quad& uy) { return parts::erfcx(uy); })};
        for (const Integrand what : {Integrand::root, Integrand::scaled_error_function}) {
          const Quad& mean = want->second[what == Integrand::root ? 0 : 1];
          const Quad error = abs(Quad(law.mean(at, what)) / mean - 1);
          expect_within(static_cast<double>(error) / epsilon, 0.25, place(2 * a, x));
        }
      }
    enumerated(36);
  });
}
//! [SaddleMapReachesTwo]

// ----------------------------------------------------------------------------- ScoreNearTheMiddle

/// What the claim about the middle judges.
struct MiddleLaws {
  Wide (*struve_form)(const Wide&, const Wide&) = reference::struve_form;
  Wide (*series)(double, double) = [](double d, double x) -> Wide {
    return parts::central_mass_by_struve<Wide>(d, x);
  };
  double (*central)(double, double) = [](double d, double x) { return central_cdf(Score(d), x); };
};

const std::vector<Mutant<MiddleLaws>> middle_mutants = {
    {"the Struve form is what the code computes",
     "TheStruveFormIsTheCentralCdf",
     {.struve_form = [](const Wide& d, const Wide& x) -> Wide {
       return central_cdf(Score(static_cast<double>(d)), static_cast<double>(x));
     }}},
    {"the Struve form loses a cube",
     "TheStruveFormIsTheCentralCdf",
     {.struve_form = [](const Wide& d, const Wide& x) -> Wide {
       return reference::struve_form(d, x) - x * x * x / 1000;
     }}},
    {"the middle of N(0, d)",
     "TheStruveFormIsTheCentralCdf",
     {.central = [](double d, double x) { return std::erf(x / std::sqrt(2 * d)) / 2; }}},
    {"the series is that of two dimensions more",
     "TheSeriesIsTheStruveForm",
     {.series = [](double d, double x) -> Wide {
       return parts::central_mass_by_struve<Wide>(d + 2, x);
     }}},
    {"the first term is all",
     "TheSeriesIsTheStruveForm",
     {.series = [](double d, double x) -> Wide {
       return x * pdf(score_distribution<Wide>(d), Wide(x));
     }}},
};

//! [ScoreNearTheMiddle]
TEST(ScoreNearTheMiddle, TheStruveFormIsTheCentralCdf) {
  judge(middle_mutants, [](const MiddleLaws& law) {
    evidence().weaken(Grade::measured);
    of_the_statement();
    // The code takes this form at these points, so the reference has to judge both.
    const double dimensions[] = {0.5, 1.25, 2, 3.7, 11, 60};
    for (const double d : dimensions)
      for (const double z : {0x1p-10, 0.3, 1.0}) {
        const double x = z * std::sqrt(d);
        const Wide form = law.struve_form(d, x);
        const Wide central = point_at(d, x).central;
        expect_within(static_cast<double>(abs(form / central - 1)), 1e-26, place(d, x));
        expect_within(error_in_epsilons(law.central(d, x), central), score_precision::central_cdf,
                      place(d, x));
      }
    enumerated(3 * std::size(dimensions));
  });
}
//! [ScoreNearTheMiddle]

TEST(ScoreNearTheMiddle, TheSeriesIsTheStruveForm) {
  judge(middle_mutants, [](const MiddleLaws& law) {
    evidence().weaken(Grade::measured);
    of_the_statement();
    for (const double d : {0.5, 1.0, 3.7, 11.0, 60.0})
      for (const double z : {0x1p-10, 0.3, 1.0, 2.0}) {
        const double x = z * std::sqrt(d);
        const Wide want = struve_form_at(d, x);
        expect_within(static_cast<double>(abs(law.series(d, x) / want - 1)), 1e-40, place(d, x));
      }
    enumerated(20);
  });
}

// ---------------------------------------------------------------------------------- ScorePrecision

/// Points of the active seed, the same for all tests; no tail is below 10⁻³⁰⁰.
const std::vector<Point>& points() {
  static std::map<std::uint64_t, std::vector<Point>> known;
  std::vector<Point>& list = known[active_seed()];
  if (list.empty()) {
    Stream stream = stream_of(active_seed(), "ScorePrecision.points");
    while (list.size() < 480) {
      const double d = drawn_dimension(stream);
      const Point point = point_at(d, drawn_score(d, stream));
      if (point.tail >= Wide(1e-300)) list.push_back(point);
    }
  }
  evidence().next_stream();
  return list;
}

/// Points at x = 50 d, where density and tail underflow as soon as d is 15.
const std::vector<Point>& far_points() {
  static std::map<std::uint64_t, std::vector<Point>> known;
  std::vector<Point>& list = known[active_seed()];
  if (list.empty()) {
    Stream stream = stream_of(active_seed(), "ScorePrecision.far points");
    while (list.size() < 60) {
      const double d = drawn_dimension(stream);
      list.push_back(point_at(d, 50 * d));
    }
  }
  evidence().next_stream();
  return list;
}

/// Worst and root mean square errors by region, for the page's table.
class Regions {
 public:
  void add(const Point& point, double error) {
    const int dimension = point.d < 2 ? 0 : point.d < 100 ? 1 : point.d < 1e6 ? 2 : 3;
    const int tail = point.tail > 0.1 ? 0 : point.tail > Wide(1e-20) ? 1 : 2;
    Summary& summary = regions_["d" + std::to_string(dimension) + "_t" + std::to_string(tail)];
    summary.worst = std::max(summary.worst, error);
    summary.squares += error * error;
    ++summary.count;
  }

  void publish_all(bool with_counts = false) const {
    for (const auto& [name, summary] : regions_) {
      const double root_mean_square =
          std::sqrt(summary.squares / static_cast<double>(summary.count));
      publish(name, digits(summary.worst, 2) + " (" + digits(root_mean_square, 2) + ")");
      if (with_counts) publish(name + "_points", std::to_string(summary.count));
    }
  }

 private:
  struct Summary {
    double worst = 0;
    double squares = 0;
    int count = 0;
  };
  std::map<std::string, Summary> regions_;
};

/// P(X > x) with fifty digits, by the header's path for all types; computed once for each point.
Wide tail_in_fifty_digits(double d, double x) {
  static std::map<std::pair<double, double>, Wide> known;
  const auto [place, is_new] = known.try_emplace({d, x});
  if (is_new) place->second = cdf(complement(score_distribution<Wide>(d), Wide(x)));
  return place->second;
}

/// The functions of the law whose errors are measured.
struct Laws {
  double (*pdf)(double, double) = [](double d, double x) { return sqrtdk::pdf(Score(d), x); };
  double (*logpdf)(double, double) = [](double d, double x) { return sqrtdk::logpdf(Score(d), x); };
  double (*lower)(double, double) = [](double d, double x) { return sqrtdk::cdf(Score(d), x); };
  double (*upper)(double, double) = [](double d, double x) {
    return sqrtdk::cdf(complement(Score(d), x));
  };
  double (*log_lower)(double, double) = [](double d, double x) {
    return sqrtdk::logcdf(Score(d), x);
  };
  double (*log_upper)(double, double) = [](double d, double x) {
    return sqrtdk::logcdf(complement(Score(d), x));
  };
  double (*central)(double, double) = [](double d, double x) {
    return sqrtdk::central_cdf(Score(d), x);
  };
  double (*quantile)(double, double) = [](double d, double p) {
    return sqrtdk::quantile(Score(d), p);
  };
  double (*upper_quantile)(double, double) = [](double d, double p) {
    return sqrtdk::quantile(complement(Score(d), p));
  };
  double (*hazard)(double, double) = [](double d, double x) { return sqrtdk::hazard(Score(d), x); };
  double (*cumulative_hazard)(double, double) = [](double d, double x) {
    return sqrtdk::chf(Score(d), x);
  };
  Wide (*wide_upper)(double, double) = tail_in_fifty_digits;
  long double (*wide_erfcx)(long double) = [](long double u) { return parts::fast_erfcx(u); };
  double (*erfcx)(double) = [](double u) { return parts::fast_erfcx(u); };
  Reference (*reference)(double, double) = reference_at;
};

/// Newton's method for the quantile near the middle, with a rule for when a step is small enough.
template <class Rule>
double central_newton(double d, double mass, Rule is_small) {
  double x = mass * std::sqrt(constants::two_pi<double>() * d);
  double previous = x;
  for (int i = 0; i < parts::quantile_iterations; ++i) {
    const double now = parts::central_mass(d, x);
    const double before = x;
    x *= std::exp(-std::log1p((now - mass) / mass) * now / (x * pdf(Score(d), x)));
    const double step = x - before;
    if (is_small(step, previous, x)) break;
    previous = step;
  }
  return x;
}

const std::vector<Mutant<Laws>> precision_mutants = {
    {"the complement is one minus the cdf",
     "TheTailsAreRightToAFewEpsilons",
     {.upper = [](double d, double x) { return 1 - cdf(Score(d), x); }}},
    {"the tail is the exponential of its rounded logarithm",
     "TheTailsAreRightToAFewEpsilons",
     {.upper = [](double d, double x) { return std::exp(logcdf(complement(Score(d), x))); }}},
    {"the cdf passes through a float",
     "TheTailsAreRightToAFewEpsilons",
     {.lower = [](double d, double x) -> double { return static_cast<float>(cdf(Score(d), x)); }}},
    {"the density is the exponential of its rounded logarithm",
     "TheDensityIsRightToAFewEpsilons",
     {.pdf = [](double d, double x) { return std::exp(logpdf(Score(d), x)); }}},
    {"the hazard is divided by one minus the cdf",
     "TheDensityIsRightToAFewEpsilons",
     {.hazard = [](double d, double x) { return pdf(Score(d), x) / (1 - cdf(Score(d), x)); }}},
    {"the logarithm of a density that underflows",
     "LogarithmsAreRightFarBeyondUnderflow",
     {.logpdf = [](double d, double x) { return std::log(pdf(Score(d), x)); }}},
    {"the logarithm of a tail that underflows",
     "LogarithmsAreRightFarBeyondUnderflow",
     {.log_upper = [](double d, double x) { return std::log(cdf(complement(Score(d), x))); }}},
    {"the logarithm of a cdf that is nearly one",
     "LogarithmsAreRightFarBeyondUnderflow",
     {.log_lower = [](double d, double x) { return std::log(cdf(Score(d), x)); }}},
    {"the cumulative hazard of a tail that underflows",
     "LogarithmsAreRightFarBeyondUnderflow",
     {.cumulative_hazard = [](double d,
                              double x) { return -std::log(cdf(complement(Score(d), x))); }}},
    {"the cdf less one half",
     "NearTheCentreNothingCancels",
     {.central = [](double d, double x) { return cdf(Score(d), x) - 0.5; }}},
    {"the quantile of the normal law",
     "QuantilesComeBack",
     {.upper_quantile =
          [](double d, double p) {
            return quantile(complement(boost::math::normal(0, std::sqrt(d)), p));
          }}},
    {"the upper quantile of a small p is found from 1 - p",
     "QuantilesComeBack",
     {.upper_quantile =
          [](double d, double p) {
            return 1 - p < 1 ? quantile(Score(d), 1 - p) : 40 * std::sqrt(d);
          }}},
    {"lower and upper quantile are the same",
     "QuantilesComeBack",
     {.quantile = [](double d, double p) { return quantile(complement(Score(d), p)); }}},
    {"Newton's method stops at a step of 64 epsilon, however small x is",
     "QuantilesNearTheMiddleComeBack",
     {.upper_quantile =
          [](double d, double p) {
            return central_newton(d, 0.5 - p, [](double step, double previous, double) {
              return std::abs(step) < 64 * epsilon && 2 * std::abs(step) >= std::abs(previous);
            });
          }}},
    {"Newton's method takes one step",
     "QuantilesNearTheMiddleComeBack",
     {.upper_quantile =
          [](double d, double p) {
            return central_newton(d, 0.5 - p, [](double, double, double) { return true; });
          }}},
    {"the pole of the inversion formula is forgotten",
     "TheReferenceGivesTheValuesOfThreeOtherRoutes",
     {.reference =
          [](double d, double x) {
            return d < 200 ? around_the_cut(d, x) : along_the_line(d, x, false);
          }}},
    {"the density is that of d + 1",
     "TheReferenceGivesTheValuesOfThreeOtherRoutes",
     {.pdf = [](double d, double x) { return pdf(Score(d + 1), x); }}},
    {"the reference has twenty-five digits",
     "TheReferenceHasThirtyDigits",
     {.reference =
          [](double d, double x) {
            Reference at = reference_at(d, x);
            at.tail *= 1 + Wide(1e-25);
            return at;
          }}},
    {"the pole of the inversion formula is forgotten, seen in thirty digits",
     "TheReferenceHasThirtyDigits",
     {.reference =
          [](double d, double x) {
            return d < 200 ? around_the_cut(d, x) : along_the_line(d, x, false);
          }}},
    {"fifty digits are fifteen",
     "InFiftyDigitsTheErrorIsAsSmallAsPromised",
     {.wide_upper = [](double d, double x) -> Wide { return cdf(complement(Score(d), x)); }}},
    {"the scaled error function of double serves for long double",
     "TheScaledErrorFunctionIsRight",
     {.wide_erfcx = [](long double u) -> long double {
       return parts::fast_erfcx(static_cast<double>(u));
     }}},
    {"the scaled error function is exp(u²) erfc(u)",
     "TheScaledErrorFunctionIsRight",
     {.erfcx = [](double u) { return std::exp(u * u) * std::erfc(u); }}},
    {"at the worst points everything is four epsilons larger",
     "TheWorstThatASearchFound",
     {.upper = [](double d,
                  double x) { return cdf(complement(Score(d), x)) * (1 + 4 * epsilon); }}},
    {"a hazard four epsilons larger",
     "TheWorstThatASearchFound",
     {.hazard = [](double d, double x) { return hazard(Score(d), x) * (1 + 4 * epsilon); }}},
    {"a central cdf four epsilons larger",
     "TheWorstThatASearchFound",
     {.central = [](double d, double x) { return central_cdf(Score(d), x) * (1 + 4 * epsilon); }}},
    {"the smallest scores are taken to be zero",
     "TheSmallestScoresKeepTheirDigits",
     {.central = [](double d,
                    double x) { return std::abs(x) < 1e-290 ? 0 : central_cdf(Score(d), x); }}},
    {"the tail of a tiny score is one half",
     "TheSmallestScoresKeepTheirDigits",
     {.upper = [](double d, double x) { return x < 1e-290 ? 0.5 : cdf(complement(Score(d), x)); }}},
    {"a tail that is no number",
     "EveryDimensionHasAnAnswer",
     {.upper =
          [](double d, double x) {
            return d < 1e-300 ? std::numeric_limits<double>::quiet_NaN()
                              : cdf(complement(Score(d), x));
          }}},
    {"a quantile that is no number",
     "EveryDimensionHasAnAnswer",
     {.upper_quantile =
          [](double d, double p) {
            return d > 1e308 ? std::numeric_limits<double>::quiet_NaN()
                             : quantile(complement(Score(d), p));
          }}},
};

//! [ScorePrecision]
TEST(ScorePrecision, TheTailsAreRightToAFewEpsilons) {
  judge(precision_mutants, [](const Laws& law) {
    evidence().weaken(Grade::measured);
    of_the_statement();
    Regions regions;
    for (const Point& at : points()) {
      const double upper = error_in_epsilons(law.upper(at.d, at.x), at.tail);
      const double lower = error_in_epsilons(law.lower(at.d, at.x), at.lower);
      expect_within(std::max(upper, lower), score_precision::cdf, place(at.d, at.x));
      regions.add(at, upper);
    }
    evidence().add_cases(points().size(), 0);
    regions.publish_all(true);
  });
}
//! [ScorePrecision]

TEST(ScorePrecision, TheDensityIsRightToAFewEpsilons) {
  judge(precision_mutants, [](const Laws& law) {
    evidence().weaken(Grade::measured);
    of_the_statement();
    Regions regions;
    for (const Point& at : points()) {
      const double density = error_in_epsilons(law.pdf(at.d, at.x), at.density);
      const double hazard = error_in_epsilons(law.hazard(at.d, at.x), at.density / at.tail);
      expect_within(density, score_precision::pdf, place(at.d, at.x));
      expect_within(hazard, score_precision::hazard, "hazard, " + place(at.d, at.x));
      regions.add(at, density);
    }
    evidence().add_cases(points().size(), 0);
    regions.publish_all();
  });
}

TEST(ScorePrecision, LogarithmsAreRightFarBeyondUnderflow) {
  judge(precision_mutants, [](const Laws& law) {
    evidence().weaken(Grade::measured);
    of_the_statement();
    const auto expect = [](double got, const Wide& want, const char* what, const Point& at) {
      expect_within(error_in_epsilons(got, want), score_precision::logarithms,
                    what + (", " + place(at.d, at.x)));
    };
    for (const Point& at : far_points()) {
      expect(law.log_upper(at.d, at.x), at.log_tail, "logcdf of the complement", at);
      expect(law.logpdf(at.d, at.x), at.log_density, "logpdf", at);
      expect(law.cumulative_hazard(at.d, at.x), -at.log_tail, "chf", at);
    }
    for (const Point& at : points())
      if (at.log_tail < -40) {
        expect(law.log_upper(at.d, at.x), at.log_tail, "logcdf of the complement", at);
        expect(law.logpdf(at.d, at.x), at.log_density, "logpdf", at);
        expect(law.log_lower(at.d, at.x), at.log_lower, "logcdf", at);
      }
    evidence().add_cases(far_points().size() + points().size(), 0);
  });
}

TEST(ScorePrecision, NearTheCentreNothingCancels) {
  judge(precision_mutants, [](const Laws& law) {
    evidence().weaken(Grade::measured);
    of_the_statement();
    Regions regions;
    for (const Point& at : points()) {
      const double error = error_in_epsilons(law.central(at.d, at.x), at.central);
      expect_within(error, score_precision::central_cdf, place(at.d, at.x));
      regions.add(at, error);
    }
    evidence().add_cases(points().size(), 0);
    regions.publish_all();
  });
}

/// How far the tail at the quantile of p is from p, relative to 1 + x f(x)/P(X > x), where x is the
/// point whose tail rounds to p: near it the tail is a line, to errors of the size of their square.
double quantile_error(const Laws& law, const Point& at) {
  const auto p = static_cast<double>(at.tail);
  const Wide reached = at.tail - at.density * (Wide(law.upper_quantile(at.d, p)) - Wide(at.x));
  return error_in_epsilons(reached, p) / static_cast<double>(1 + at.x * at.density / at.tail);
}

TEST(ScorePrecision, QuantilesComeBack) {
  judge(precision_mutants, [](const Laws& law) {
    evidence().weaken(Grade::measured);
    of_the_statement();
    Regions regions;
    for (const Point& at : points()) {
      const auto p = static_cast<double>(at.tail);
      const double error = quantile_error(law, at);
      expect_within(error, score_precision::quantile,
                    "p = " + exact_text(p) + ", " + place(at.d, at.x));
      EXPECT_EQ(law.quantile(at.d, p), -law.upper_quantile(at.d, p));
      regions.add(at, error);
    }
    evidence().add_cases(points().size(), 0);
    regions.publish_all();
  });
}

TEST(ScorePrecision, QuantilesNearTheMiddleComeBack) {
  judge(precision_mutants, [](const Laws& law) {
    evidence().weaken(Grade::measured);
    of_the_statement();
    // Below d = 1 the mass is like x^d near 0: these x go down to 1e-33.
    const double dimensions[] = {0.5, 0.75, 0.97, 1, 1.25, 2, 3, 64, 71, 1000};
    for (const double d : dimensions)
      for (const int exponent : {-54, -50, -40, -20, -8}) {
        const double mass = std::ldexp(1.0, exponent);
        const double x = law.upper_quantile(d, 0.5 - mass);
        // The mass at x is off by the error of central_cdf, and by x's own: x f(x) is at most mass.
        expect_within(error_in_epsilons(struve_form_at(d, x), mass),
                      score_precision::central_cdf + 1, place(d, x));
      }
    enumerated(5 * std::size(dimensions));
  });
}

TEST(ScorePrecision, TheReferenceGivesTheValuesOfThreeOtherRoutes) {
  judge(precision_mutants, [](const Laws& law) {
    evidence().weaken(Grade::measured);
    // Rounded to 25 digits; found beforehand by three routes that agreed.
    struct Row {
      double d, x;
      const char *density, *tail;
    };
    const Row rows[] = {
        {1, 0x1p-30, "6.655970152133891416043171", "0.4999999935046955586246382"},
        {1, 0.5, "0.2942517293486038023931481", "0.2048941020817005296736619"},
        {1, 10, "5.659569612200030798014783e-6", "5.416099664708829178840706e-6"},
        {2, 1, "0.1839397205857211607977619", "0.1839397205857211607977619"},
        {3, 0.25, "0.2981788528629825638433586", "0.4223700433968566217247392"},
        {3, 2, "0.08904138584402554217936924", "0.1034215360816663729733935"},
        {4, 3, "0.04978706836786394297934242", "0.06223383545982992872417802"},
        {5, 1, "0.172400761630519710821363", "0.3023774131650812477801229"},
        {8, 2.75, "0.08152258993400941278052397", "0.1515685472327651711517412"},
        {16, 4, "0.05830017024899171137253689", "0.1515031423156535665194179"},
        {17, 30, "6.240058281064682282908632e-9", "7.88903765248117739173787e-9"},
        {64, 8, "0.0299995100665759711829127", "0.156787999873901274877656"},
        {64, 80, "2.229119471202758568803059e-17", "3.227400982535127942229682e-17"},
        {65, 8, "0.03000878575204438793319933", "0.1586772629855876516161477"},
        {128, 11.25, "0.02142379997524276648493393", "0.1590767167395928831218655"},
        {1000, 31.5, "0.00767770204136307538682884", "0.1594751752593512793983967"},
        {1001, 400, "4.190378448382270683666615e-35", "1.186436494150756977119423e-34"},
        {4096, 64, "0.003780330719539200497039018", "0.158625721901852647238349"},
        {65536, 640, "0.00006847111547676335348323389", "0.006210208582908092578172752"},
        {999999, 500, "0.0003520655963143176153788896", "0.3085373296869114436034451"},
        {1000000, 1000, "0.0002419706035334282166813925", "0.1586551329461855311319628"},
        {1000000, 8000, "5.056965173633338195210751e-18", "6.227126887541761524450197e-16"},
    };
    for (const Row& row : rows) {
      const Reference at = law.reference(row.d, row.x);
      const Wide scale = exp(at.log_scale);
      // Half a unit of the 25th digit is at most 5e-25 of the number.
      const double half_a_unit = 5e-25 / epsilon;
      EXPECT_LE(error_in_epsilons(at.tail * scale, Wide(row.tail)), half_a_unit)
          << "reference, tail, " << place(row.d, row.x);
      EXPECT_LE(error_in_epsilons(at.density * scale, Wide(row.density)), half_a_unit)
          << "reference, density, " << place(row.d, row.x);
      expect_within(error_in_epsilons(law.upper(row.d, row.x), Wide(row.tail)),
                    score_precision::cdf, place(row.d, row.x));
      expect_within(error_in_epsilons(law.pdf(row.d, row.x), Wide(row.density)),
                    score_precision::pdf, place(row.d, row.x));
    }
    enumerated(std::size(rows));
  });
}

TEST(ScorePrecision, TheReferenceHasThirtyDigits) {
  judge(precision_mutants, [](const Laws& law) {
    evidence().weaken(Grade::measured);
    double worst = 0;
    const auto expect = [&](const Wider& got, const Wider& want, double d, double x) {
      const auto error = static_cast<double>(Wider(abs(got / want - 1)));
      worst = std::max(worst, error);
      expect_within(error, 1e-30, place(d, x));
    };
    // Even d: the finite sums, exactly.
    static std::map<std::pair<unsigned, double>, std::pair<Wider, Wider>> known;
    for (const unsigned m : {1U, 5U, 32U, 99U, 100U, 200U})
      for (const double z : {0.0625, 1.0, 4.0, 16.0}) {
        const double d = 2 * m;
        const double x = std::round(16 * z * std::sqrt(d)) / 16;
        const auto [exact, is_new] = known.try_emplace({m, x});
        if (is_new)
          exact->second = {Wider(even_tail(m, Rational(x))), Wider(even_density(m, Rational(x)))};
        const Reference at = law.reference(d, x);
        const Wider scale = exp(Wider(at.log_scale) + Wider(x));
        expect(Wider(at.tail) * scale, exact->second.first, d, x);
        expect(Wider(at.density) * scale, exact->second.second, d, x);
      }
    // Other d: the same inversion on a grid twice as fine, and near 200 the other one as well.
    static std::map<std::pair<double, double>, std::vector<Reference>> others;
    for (const double d : {0.5, 1.5, 1.53, 7.7, 190.3, 201.7, 1e3, 1e9})
      for (const double z : {0x1p-20, 0.0625, 1.0, 16.0}) {
        const double x = z * std::sqrt(d);
        const auto [finer, is_new] = others.try_emplace({d, x});
        if (is_new) {
          if (d < 250) finer->second.push_back(around_the_cut(d, x, 0x1p-5));
          if (d > 150) finer->second.push_back(along_the_line(d, x, true, 0.15625));
        }
        const Reference at = law.reference(d, x);
        for (const Reference& other : finer->second) {
          const Wider common = exp(Wider(other.log_scale) - Wider(at.log_scale));
          expect(Wider(at.tail), Wider(other.tail) * common, d, x);
          expect(Wider(at.density), Wider(other.density) * common, d, x);
        }
      }
    enumerated(24 + 8 * 4);
    publish("worst", digits(worst, 2));
  });
}

TEST(ScorePrecision, InFiftyDigitsTheErrorIsAsSmallAsPromised) {
  judge(precision_mutants, [](const Laws& law) {
    evidence().weaken(Grade::measured);
    for (const auto& [m, x] : {std::pair(1U, 1.5), std::pair(3U, 40.0), std::pair(32U, 8.0)}) {
      const Wider exact = Wider(even_tail(m, Rational(x))) * exp(-Wider(x));
      const Wider error = abs(Wider(law.wide_upper(2 * m, x)) / exact - 1);
      expect_within(static_cast<double>(error / Wider(std::numeric_limits<Wide>::epsilon())),
                    128 - 2 * static_cast<double>(log(exact)), place(2 * m, x));
    }
    enumerated(3);
  });
}

TEST(ScorePrecision, TheScaledErrorFunctionIsRight) {
  judge(precision_mutants, [](const Laws& law) {
    evidence().weaken(Grade::measured);
    static const std::vector<Wide> known = [] {
      std::vector<Wide> values{1};
      for (int i = -192; i <= 192; ++i) values.push_back(parts::erfcx(Wide(std::exp2(i / 16.0))));
      return values;
    }();
    for (std::size_t i = 0; i < known.size(); ++i) {
      const double u = i == 0 ? 0 : std::exp2((static_cast<double>(i) - 193) / 16.0);
      const std::string where = "u = " + exact_text(u);
      expect_within(error_in_epsilons(Wide(law.wide_erfcx(u)), known[i]), 0.25, where);
      expect_within(error_in_epsilons(law.erfcx(u), known[i]), 2.5, where);
    }
    enumerated(known.size());
  });
}

/// Where `score_accuracy climb` found the largest errors, function by function.
struct Find {
  const char* what;
  double d, x;
};
const Find worst_finds[] = {
    {"tail", 0x1.d00010c62ff67p+5, 0x1.ee8424ad0a1fdp-6},
    {"tail", 0x1.102d1b509c99ap+5, 0x1.014b077a3e444p-12},
    {"tail", 0x1.e27f6ada83598p+5, 0x1.14dd8fbb61ec5p-6},
    {"cdf", 0x1.98p+5, 0x1.2b645535f2f78p-12},
    {"density", 0x1.b0a28p+18, 0x1.798be3c0f130bp+14},
    {"hazard", 0x1.e344c5bfcf40fp+5, 0x1.3eb2c2c0ee57p-11},
    {"hazard", 0x1.10cd7ba45a0bep+0, 0x1.07a6409e31d6p+4},
    {"central", 0x1.8985e14cb765ep+5, 0x1.3bea0784b45ddp+0},
    {"log_tail", 0x1.41435befb6e36p+3, 0x1.11e03cfdef5bp+8},
    {"log_density", 0x1.e76e0a340c6d2p+12, 0x1.e0473e7d5ef4bp+9},
    {"quantile", 0x1p+0, 0x1.4f073bf9ad031p-1},
};

TEST(ScorePrecision, TheWorstThatASearchFound) {
  judge(precision_mutants, [](const Laws& law) {
    evidence().weaken(Grade::measured);
    of_the_statement();
    std::map<std::string, double> largest;
    for (const Find& find : worst_finds) {
      const std::string what = find.what;
      const double d = find.d;
      const double x = find.x;
      const Point at = point_at(d, x);
      const auto error = [&]() -> std::pair<double, double> {
        if (what == "tail")
          return {error_in_epsilons(law.upper(d, x), at.tail), score_precision::cdf};
        if (what == "cdf")
          return {error_in_epsilons(law.lower(d, x), at.lower), score_precision::cdf};
        if (what == "density")
          return {error_in_epsilons(law.pdf(d, x), at.density), score_precision::pdf};
        if (what == "hazard")
          return {error_in_epsilons(law.hazard(d, x), at.density / at.tail),
                  score_precision::hazard};
        if (what == "central")
          return {error_in_epsilons(law.central(d, x), at.central), score_precision::central_cdf};
        if (what == "log_tail")
          return {error_in_epsilons(law.log_upper(d, x), at.log_tail), score_precision::logarithms};
        if (what == "log_density")
          return {error_in_epsilons(law.logpdf(d, x), at.log_density), score_precision::logarithms};
        return {quantile_error(law, at), score_precision::quantile};
      }();
      expect_within(error.first, error.second, what + ", " + place(d, x));
      if (error.first <= largest[what]) continue;
      largest[what] = error.first;
      publish(what, digits(error.first, 3));
      publish(what + "_at", "d = " + digits(d, 6) + ", x = " + digits(x, 6));
    }
    enumerated(std::size(worst_finds));
  });
}

TEST(ScorePrecision, TheSmallestScoresKeepTheirDigits) {
  judge(precision_mutants, [](const Laws& law) {
    evidence().weaken(Grade::measured);
    for (const double x : {0x1p-1074, 0x1p-1040, 0x1p-1000}) {
      // The mass between 0 and x is x f(0) for d > 1 to all digits; half a last place is added
      // where that is no normal number.
      for (const double d : {1.5, 2.0, 3.0, 64.0, 1000.0}) {
        const Wide want = struve_form_at(d, x);
        const Wide half_a_last_place = ldexp(Wide(1), -1075);
        const Wide error = abs(law.central(d, x) - want);
        EXPECT_LE(error, score_precision::central_cdf * epsilon * want + half_a_last_place)
            << place(d, x);
      }
      // For d = ½ and less it is larger than x by far, and the tail differs from one half.
      for (const double d : {0.5, 0x1p-6, 0x1p-9}) {
        const Wide central = struve_form_at(d, x);
        expect_within(error_in_epsilons(law.central(d, x), central), score_precision::central_cdf,
                      place(d, x));
        expect_within(error_in_epsilons(law.upper(d, x), Wide(0.5) - central), score_precision::cdf,
                      place(d, x));
      }
    }
    enumerated(24);
  });
}

TEST(ScorePrecision, EveryDimensionHasAnAnswer) {
  judge(precision_mutants, [](const Laws& law) {
    evidence().weaken(Grade::measured);
    constexpr double largest = std::numeric_limits<double>::max();
    const double sizes[] = {0, 0x1p-1074, 1e-308, 1e-160, 1e-17, 1e-3,
                            1, 30,        1e3,    1e9,    1e160, largest};
    int count = 0;
    for (const double d : sizes) {
      if (d == 0) continue;
      for (const double x : sizes) {
        const double tail = law.upper(d, x);
        const double central = law.central(d, x);
        // One half, after the roundings of two numbers that are at most that.
        EXPECT_LE(
            std::abs(tail + central - 0.5),
            (score_precision::cdf * tail + score_precision::central_cdf * central + 1) * epsilon)
            << place(d, x);
        EXPECT_LE(law.log_upper(d, x), 0) << place(d, x);
        ++count;
      }
      for (const double p : {0x1p-1074, 1e-300, 1e-20, 0.1, 0.25, 0.4}) {
        const double x = law.upper_quantile(d, p);
        EXPECT_GE(x, 0) << "d = " << exact_text(d) << ", p = " << p;
        EXPECT_LE(x, largest) << "d = " << exact_text(d) << ", p = " << p;
        ++count;
      }
      const double distance = normal_distance(Score(d));
      EXPECT_GE(distance, 0) << "d = " << exact_text(d);
      EXPECT_LE(distance, 0.5) << "d = " << exact_text(d);
    }
    enumerated(static_cast<std::uint64_t>(count));
  });
}

}  // namespace
