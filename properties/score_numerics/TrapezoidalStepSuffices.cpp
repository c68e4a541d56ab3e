#include "properties/score_numerics/fixture.hpp"

namespace sqrtdk::properties::TrapezoidalStepSuffices {

using namespace sqrtdk::reference;

constexpr double infinity = std::numeric_limits<double>::infinity();

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

/// 2 (cos θ)^{−N−2} / (e^{2πθ/ℓ} − 1) by the tangent, more accurate near a right angle.
double trapezoid_bound(double total, double step, double tangent) {
  return 2 * std::exp((total / 2 + 1) * std::log1p(tangent * tangent)) /
         std::expm1(constants::two_pi<double>() * std::atan(tangent) / step);
}

double tangent_of_the_code(double total, double type_epsilon) {
  return std::sqrt(2 * (2 - std::log(type_epsilon)) / total);
}

struct Subject {
  float (*single_step)(float) = [](float total) { return parts::trapezoid_step(total); };
  double (*double_step)(double) = [](double total) { return parts::trapezoid_step(total); };
  double (*growth)(double) = [](double total) { return total + 1.5; };
  double (*bound)(double, double, double) = trapezoid_bound;
};

/// The cases of the claim: a = d/2 and x with N below 35, where the code takes this rule.
struct StepCase {
  double a, x;
};
constexpr std::array<StepCase, 7> step_cases = {
    {{0.25, 0.01}, {0.25, 1}, {0.5, 20}, {3, 0.1}, {4, 12}, {17, 2}, {17, 30}}};

double step_without_growth(double total) {
  const double precision = 2 - std::log(epsilon);
  return constants::two_pi<double>() * std::atan(std::sqrt(2 * precision / total)) / precision;
}

//! [TrapezoidalStepSuffices]
STATEMENT(TrapezoidalStepSuffices, TheErrorIsWithinItsBound) {
  evidence().rests_on(EvidenceLevel::bounded);
  static std::map<std::pair<std::size_t, Integrand>, Quad> known;  // the integrals themselves
  for (std::size_t i = 0; i < step_cases.size(); ++i)
    for (const Integrand what : {Integrand::root, Integrand::scaled_error_function}) {
      const auto at = parts::make_saddle<Quad>(step_cases[i].a, step_cases[i].x);
      const auto total = static_cast<double>(at.total);
      const auto entry = known.try_emplace({i, what});
      Quad& integral = entry.first->second;
      if (entry.second)
        integral = trapezoidal_sum(at, what, Quad(parts::trapezoid_step<double>(total)) / 2);
      // The page's promise: 2 e⁻² ε (1 + 2L/N). 2 e⁻² is 0.27067…, and the eighth of a per cent
      // above it is for the roundings of the step: its exponent 2πθ/ℓ is at most 60 for these
      // cases in double, 31 in single precision, so that a hundred roundings change the promise
      // by less than a fifth of that.
      const auto expect = [&](const Quad& step, double type_epsilon) {
        const Quad error = trapezoidal_sum(at, what, step) / integral - 1;
        const double promised =
            0.271 * type_epsilon * (1 + 2 * (2 - std::log(type_epsilon)) / total);
        expect_within(static_cast<double>(abs(error)), promised,
                      place(2 * step_cases[i].a, step_cases[i].x));
        EXPECT_LE(subject.bound(total, static_cast<double>(step),
                                tangent_of_the_code(total, type_epsilon)),
                  promised);
      };
      expect(subject.single_step(static_cast<float>(total)), 0x1p-23);
      expect(subject.double_step(total), epsilon);
    }
  enumerated(step_cases.size() * 4);
}
//! [TrapezoidalStepSuffices]
KILLS("the step is a quarter too large",
      {.double_step = [](double total) { return parts::trapezoid_step(total) * 1.25; }});
KILLS("the growth of the integrand in the strip is forgotten",
      {.double_step = step_without_growth});
KILLS("the step of single precision serves for double", {.double_step = [](double total) -> double {
        return parts::trapezoid_step(static_cast<float>(total));
      }});

//! [TrapezoidalStepSuffices: every strip]
STATEMENT(TrapezoidalStepSuffices, TheErrorIsWithinTheBoundOfEveryStrip) {
  evidence().rests_on(EvidenceLevel::bounded);
  const auto is_within = [&](const StepCase& c, Integrand what, double times, double tangent) {
    const auto at = parts::make_saddle<Quad>(c.a, c.x);
    const auto total = static_cast<double>(at.total);
    const double fine = parts::trapezoid_step(total);
    const Quad integral = trapezoidal_sum(at, what, Quad(fine) / 2);
    const Quad error = trapezoidal_sum(at, what, Quad(times * fine)) / integral - 1;
    const auto size = static_cast<double>(abs(error));
    const double bound = subject.bound(total, times * fine, tangent);
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
            1 +
            *rc::gen::inRange(0, 113).as("16ths of the code's steps in one step, less one") / 16.0;
        const double theta = *rc::gen::inRange(1, 256).as("256ths of a right angle") *
                             constants::half_pi<double>() / 256;
        RC_ASSERT(is_within({a, x}, what, times, std::tan(theta)));
      },
      60);
}
//! [TrapezoidalStepSuffices: every strip]
KILLS("the integrand does not grow in the strip",
      {.bound = [](double, double step, double tangent) {
        return trapezoid_bound(0, step, tangent);
      }});
KILLS("the strip is as wide above and below as both together",
      {.bound = [](double total, double step, double tangent) {
        return trapezoid_bound(total, step / 2, tangent);
      }});

ASIDE(TrapezoidalStepSuffices, TheIntegralGrowsByAPowerOfTheCosine) {
  evidence().rests_on(EvidenceLevel::bounded);
  for (const auto& [a, x] : {StepCase{0.05, 1}, {0.25, 1}, {3, 0.1}, {4, 12}})
    for (const Integrand what : {Integrand::root, Integrand::scaled_error_function})
      for (const double b : {0.9, 0.5, 0.2}) {
        const auto at = parts::make_saddle<Quad>(a, x);
        const Quad growth =
            trapezoidal_sum(at, what, Quad(0.2), b) / trapezoidal_sum(at, what, Quad(0.2));
        expect_within(static_cast<double>(log(growth)),
                      subject.growth(static_cast<double>(at.total)) * -std::log(b),
                      place(2 * a, x) + ", b = " + exact_text(b));
      }
  enumerated(24);
}
KILLS("the integral grows by (cos θ)^−N only", {.growth = [](double total) { return total; }});

ASIDE(TrapezoidalStepSuffices, EveryPositiveSizeHasAStep) {
  for (double total = std::numeric_limits<double>::denorm_min(); total < infinity; total *= 1e4) {
    const Rational step(subject.double_step(total));
    EXPECT_EXACTLY(step > 0) << exact_text(total);
    EXPECT_EXACTLY(step < Rational(1, 3)) << exact_text(total);
  }
  enumerated(158);
}
KILLS("the smallest N has no step", {.double_step = [](double total) {
        return total < 1e-306 ? 0 : parts::trapezoid_step(total);
      }});

ASIDE(TrapezoidalStepSuffices, AFunctionThatTurnsWithTheGridIsNotSeen) {
  // g(t) = 1 + cos(2πt/ℓ) is 2 at every point of the grid, and its mean is nearly 1. That the two
  // sums' ratio is 2 to forty bits is what was seen.
  evidence().rests_on(EvidenceLevel::measured);
  const double step = subject.double_step(17);
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
}
KILLS("the step is one, whatever N is", {.double_step = [](double) { return 1.0; }});

}  // namespace sqrtdk::properties::TrapezoidalStepSuffices
