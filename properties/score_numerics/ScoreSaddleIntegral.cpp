#include <sqrtdk/moments.hpp>
#include <sqrtdk/numbers/larger_or_nan.hpp>

#include "properties/score_numerics/fixture.hpp"

#include <boost/math/distributions/normal.hpp>

namespace sqrtdk::properties::ScoreSaddleIntegral {

using namespace sqrtdk::reference;

/// The form of the two formulas; the values here are those of the page.
struct SaddleForm {
  Wide power_of_ratio = 0.5;  // of r, before the integral
  Wide stirling = 1;          // what δ is multiplied by
  Wide twice = 2;             // the 2 of E = 2B − a log(1 + η)
  int sign = 1;               // of t in e^{−t/2}
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

struct Subject {
  Reference (*form)(double, double) = [](double d, double x) { return saddle_form(d, x, {}); };
  double (*pdf)(double, double) = [](double d, double x) { return sqrtdk::pdf(Score(d), x); };
  /// Of M[y], at t.
  Wide (*integrand)(const parts::SaddlePoint<Wide>&,
                    const Wide& t) = [](const parts::SaddlePoint<Wide>& at, const Wide& t) -> Wide {
    return exp(-at.total * (cosh(t) - 1 + at.ratio * (sinh(t) - t)) - t / 2);
  };
};

//! [ScoreSaddleIntegral]
STATEMENT(ScoreSaddleIntegral, TheIntegralIsTailAndDensity) {
  evidence().rests_on(EvidenceLevel::measured);
  const auto check = [](const Reference& form, const Reference& want) {
    const Wide factor = exp(form.log_scale - want.log_scale);
    double worst = 0;
    for (const Wide& error :
         {Wide(form.tail * factor / want.tail - 1), Wide(form.density * factor / want.density - 1)})
      worst = sqrtdk::detail::larger_or_nan(worst, static_cast<double>(abs(error)));
    evidence().worst(worst, 1e-30);
    return worst <= 1e-30;
  };
  // The exact sums of even dimensions.
  for (const unsigned m : {1U, 20U})
    for (const double x : {0.25, 12.0}) {
      const Reference want{-Wide(x), Wide(even_tail(m, Rational(x))),
                           Wide(even_density(m, Rational(x)))};
      EXPECT_TRUE(check(subject.form(2 * m, x), want)) << place(2 * m, x);
      enumerated(1);
    }
  for_all(
      [&] {
        const auto exponent = *rc::gen::inRange(-16, 177).as("16 log2 d");
        const auto deviation = *rc::gen::inRange(-160, 80).as("16 log2 of the deviations");
        const double d = std::exp2(exponent / 16.0);
        const double x = std::sqrt(d) * std::exp2(deviation / 16.0);
        RC_ASSERT(check(subject.form(d, x), reference_at(d, x)));
      },
      40);
}
//! [ScoreSaddleIntegral]
KILLS("the remainder of Stirling's series is left out",
      {.form = [](double d, double x) { return saddle_form(d, x, {.stirling = 0}); }});
KILLS("the root of a/N is left out",
      {.form = [](double d, double x) { return saddle_form(d, x, {.power_of_ratio = 0}); }});
KILLS("the exponent is B − a log(1 + η)",
      {.form = [](double d, double x) { return saddle_form(d, x, {.twice = 1}); }});
KILLS("larger keys give smaller scores",
      {.form = [](double d, double x) { return saddle_form(d, x, {.sign = -1}); }});

ASIDE(ScoreSaddleIntegral, AtZeroTheDensityOfOneDimensionHasNoIntegral) {
  evidence().rests_on(EvidenceLevel::measured);
  // a = N = ½, r = 1: exp(½ − eᵗ/2) ≥ 1 for t ≤ 0 and tends to √e, so from −T on it is at least T.
  const auto at = parts::make_saddle<Wide>(Wide(0.5), Wide(0));
  const auto integrand = [&](const Wide& t) { return subject.integrand(at, t); };
  for (int t = 0; t >= -100; --t) EXPECT_GE(integrand(t), 1) << "t = " << t;
  EXPECT_LT(abs(integrand(-100) - exp(Wide(0.5))), Wide(1e-40));
  expect_refusal<std::overflow_error>([&] { subject.pdf(1, 0); });
  expect_refusal<std::overflow_error>([&] { subject.pdf(0.5, 0); });
  EXPECT_LT(subject.pdf(1.5, 0), 1);
  enumerated(3 + 102);
  counterexample_without("positive score");
}
KILLS("the density at zero is that at a small score",
      {.pdf = [](double d, double x) { return pdf(Score(d), x == 0 ? 1e-300 : x); }});
KILLS("the integrand falls on both sides, whatever a and x are",
      {.integrand = [](auto& at, auto& t) -> Wide { return exp(-at.total * t * t / 2); }});

}  // namespace sqrtdk::properties::ScoreSaddleIntegral
