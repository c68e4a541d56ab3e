#include <sqrtdk/numbers/powers.hpp>
#include <sqrtdk/testing/reporting/source_location.hpp>

#include "properties/scale/fixture.hpp"
#include "properties/support/rational_distributions.hpp"

namespace sqrtdk::properties::AlternativeScales {

/// The largest ln d, and size of a number of a rule, that log_variance_left() takes in doubles.
const double largest_log_dimension = std::ldexp(1.0, 508);

rc::Gen<Rational> half_integer(int least, int most) {
  return rc::gen::map(rc::gen::inRange(2 * least, 2 * most + 1),
                      [](int twice) { return Rational(twice, 2); });
}

/// Exponents that are multiples of ½, at most 5 in absolute value, and factors from 1/100 to 100.
rc::Gen<ScalingRule> any_rule() {
  const auto often_zero = [](const Rational& usual) {
    return rc::gen::weightedOneOf<Rational>({{1, rc::gen::just(usual)}, {1, half_integer(-5, 5)}});
  };
  const auto factor =
      rc::gen::map(rc::gen::pair(rc::gen::inRange(1, 101), rc::gen::inRange(1, 101)),
                   [](const std::pair<int, int>& f) { return Rational(f.first, f.second); });
  return rc::gen::build<ScalingRule>(rc::gen::set(&ScalingRule::factor, factor),
                                     rc::gen::set(&ScalingRule::power, often_zero(Rational(1, 2))),
                                     rc::gen::set(&ScalingRule::log_power, often_zero(0)),
                                     rc::gen::set(&ScalingRule::pi_rate, often_zero(0)));
}

/// ln(d/c(d)²) at ln d, to fifty digits.
Wide exact_log_variance_left(const ScalingRule& rule, const Wide& log_d) {
  Wide result = static_cast<Wide>(1 - 2 * rule.power) * log_d;
  if (rule.log_power != 0) result -= static_cast<Wide>(2 * rule.log_power) * log(log_d);
  if (rule.pi_rate != 0)
    result -= static_cast<Wide>(2 * rule.pi_rate) * boost::math::constants::pi<Wide>() * exp(log_d);
  return result - 2 * log(static_cast<Wide>(rule.factor));
}

/// Certain facts about ln(d/c(d)²) at a very large d.
struct FarOut {
  int side;           // −1 if it is below zero, 1 if above, 0 if c is a multiple of the root
  Rational at_least;  // how far from zero it is at least
};

/// The side that a rule's variance is on at ln d = eᵐ, by terms between rational numbers.
FarOut far_out(const ScalingRule& rule, unsigned m) {
  // L = ln d lies between 2ᵐ and 3ᵐ, and ln L is m. Further e^L > L²/2, π > 3, and |2 ln a| < 10
  // for a from 1/100 to 100, since e⁵ > 2.7⁵ > 100.
  const Rational least = integer_power(Rational(2), m);
  const Rational most = integer_power(Rational(3), m);
  const Rational slope = 1 - 2 * rule.power;
  const Rational logarithm = 2 * abs(rule.log_power) * m;
  if (rule.pi_rate != 0)
    return {rule.pi_rate > 0 ? -1 : 1,
            3 * abs(rule.pi_rate) * least * least - abs(slope) * most - logarithm - 10};
  if (slope != 0) return {slope > 0 ? 1 : -1, abs(slope) * least - logarithm - 10};
  return {-rule.log_power.sign(), logarithm - 10};
}

/// True if a double is within a bound of the exact number; notes how near it comes.
bool within(double computed, const Wide& exact, double bound) {
  const double error = Wide(abs(computed - exact)).convert_to<double>();
  evidence().rests_on(EvidenceLevel::bounded);
  evidence().worst(error, bound);
  return error <= bound;
}

/// The bound of the page for the double that ln d was rounded to.
double error_of_rounded(const Subject& subject, const ScalingRule& rule, double log_d) {
  // The effect of the rounding of ln d itself.
  double slope = std::abs((1 - 2 * rule.power).convert_to<double>()) * log_d +
                 2 * std::abs(rule.log_power.convert_to<double>());
  if (rule.pi_rate != 0)
    slope += 2 * boost::math::constants::pi<double>() *
             std::abs(rule.pi_rate.convert_to<double>()) * std::exp(log_d) * log_d;
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  return subject.log_variance_left_error(rule, log_d) + epsilon * (1 + epsilon) * slope;
}

double error_at_dimension(const Subject& subject, const ScalingRule& rule, std::size_t d) {
  return error_of_rounded(subject, rule, std::log(static_cast<double>(d)));
}

bool within_at_dimension(const Subject& subject, const ScalingRule& rule, std::size_t d,
                         const Wide& exact) {
  return within(subject.log_variance_left(rule, std::log(static_cast<double>(d))), exact,
                error_at_dimension(subject, rule, d));
}

/// Rules with numbers from 10^-30 to 10^30, many of which leave a term out.
rc::Gen<ScalingRule> any_rule_in_range() {
  const auto often = [](const Rational& usual) {
    return rc::gen::weightedOneOf<Rational>({{1, rc::gen::just(usual)}, {1, any_rational()}});
  };
  return rc::gen::build<ScalingRule>(rc::gen::set(&ScalingRule::factor, positive_rational()),
                                     rc::gen::set(&ScalingRule::power, often(Rational(1, 2))),
                                     rc::gen::set(&ScalingRule::log_power, often(0)),
                                     rc::gen::set(&ScalingRule::pi_rate, often(0)));
}

/// Logarithms of dimensions: ordinary, near 1, at the ends of what is allowed, and about where e^L
/// overflows.
rc::Gen<double> any_log_dimension() {
  const auto ordinary = rc::gen::map(rc::gen::inRange(1, 40000), [](int x) { return x / 997.0; });
  const auto near_overflow =
      rc::gen::map(rc::gen::inRange(6000, 8000), [](int x) { return x / 10.0; });
  const auto edge = rc::gen::element(
      std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::min(), 1.0,
      std::nextafter(1., 0.), std::nextafter(1., 2.), 1e100, largest_log_dimension);
  return rc::gen::oneOf(ordinary, near_overflow, edge);
}

//! [AlternativeScales]
STATEMENT(AlternativeScales, EachScaleOfTheDocumentsLeavesItsVariance) {
  for (std::size_t i = 1; i <= 512; ++i) {
    const Rational d(i);
    EXPECT_EXACTLY(subject.variance_left(unscaled, i) == d);
    EXPECT_EXACTLY(subject.variance_left(subject.constant_scale(2), i) == d / 4);
    EXPECT_EXACTLY(subject.variance_left(subject.constant_scale(10), i) == d / 100);
    EXPECT_EXACTLY(subject.variance_left(root_scale, i) == 1);
    EXPECT_EXACTLY(subject.variance_left(linear_scale, i) == 1 / d);
    EXPECT_EXACTLY(
        subject.variance_left(fifth_power_scale, i) * d * d * d * d * d * d * d * d * d == 1);
  }
  enumerated(6 * 512);
}
//! [AlternativeScales]
KILLS("the divisor is not squared", {.variance_left = [](auto& rule, auto d) -> Rational {
        const ScalingRule root{.factor = rule.factor, .power = rule.power / 2};
        return variance_left(root, d) * rule.factor;
      }});
KILLS("the score is taken to have variance 1",
      {.variance_left = [](auto& rule, auto d) { return variance_left(rule, d) / Rational(d); }});

//! [AlternativeScales: limit]
STATEMENT(AlternativeScales, OnlyMultiplesOfTheRootHaveAPositiveLimit) {
  for_all([&] {
    const ScalingRule rule = *any_rule().as("rule");
    const auto m = *rc::gen::inRange(100U, 1000U).as("ln ln d");
    const bool is_multiple_of_the_root =
        rule.power == Rational(1, 2) && rule.log_power == 0 && rule.pi_rate == 0;
    const FarOut far = far_out(rule, m);
    EXPECT_EXACTLY((far.side == 0) == is_multiple_of_the_root);
    EXPECT_EXACTLY((is_multiple_of_the_root || far.at_least >= m - 10));
    const Limit limit = far.side < 0   ? Limit::zero
                        : far.side > 0 ? Limit::infinite
                                       : Limit::positive;
    EXPECT_EXACTLY(subject.limit_of_variance_left(rule) == limit);
  });
}
//! [AlternativeScales: limit]
KILLS("the logarithm's power is ignored", {.limit_of_variance_left = [](auto& rule) {
        return limit_of_variance_left({.power = rule.power, .pi_rate = rule.pi_rate});
      }});
KILLS("the exponential's rate is ignored", {.limit_of_variance_left = [](auto& rule) {
        return limit_of_variance_left({.power = rule.power, .log_power = rule.log_power});
      }});
KILLS("the variance is compared with d² instead of d", {.limit_of_variance_left = [](auto& rule) {
        ScalingRule halved = rule;
        halved.power -= Rational(1, 2);
        return limit_of_variance_left(halved);
      }});

ASIDE(AlternativeScales, TheVarianceGoesToItsLimitBeyondEveryBound) {
  // The accuracy of the exponential of fifty digits was measured.
  evidence().rests_on(EvidenceLevel::measured);
  const auto goes_to_its_limit = [&](const ScalingRule& rule, int m) {
    // The page shows that ln(variance) is more than m − 10 away from 0 at ln d = eᵐ.
    const Wide bound = m - 10;
    const Wide log_variance = subject.far_log_variance_left(rule, exp(Wide(m)));
    switch (subject.limit_of_variance_left(rule)) {
      case Limit::zero:
        return log_variance <= -bound;
      case Limit::infinite:
        return log_variance >= bound;
      case Limit::positive:
        return abs(log_variance) < bound;
    }
    return false;
  };
  // The slowest of all: the root of d ln d, with the factor that works against it.
  const ScalingRule slowest_to_zero{
      .factor = Rational(1, 100), .power = Rational(1, 2), .log_power = Rational(1, 2)};
  const ScalingRule slowest_to_infinity{
      .factor = 100, .power = Rational(1, 2), .log_power = Rational(-1, 2)};
  for (const int m : {100, 101, 1000, 99999}) {
    EXPECT_TRUE(goes_to_its_limit(slowest_to_zero, m)) << "ln ln d = " << m;
    EXPECT_TRUE(goes_to_its_limit(slowest_to_infinity, m)) << "ln ln d = " << m;
  }
  enumerated(8);
  for_all([&] {
    const ScalingRule rule = *any_rule().as("rule");
    RC_ASSERT(goes_to_its_limit(rule, *rc::gen::inRange(100, 100000).as("ln ln d")));
  });
}
KILLS("a power beats the exponential", {.limit_of_variance_left = [](auto& rule) {
        if (rule.power > Rational(1, 2)) return Limit::zero;
        if (rule.power < Rational(1, 2)) return Limit::infinite;
        return limit_of_variance_left(rule);
      }});
KILLS("zero and infinity are exchanged", {.limit_of_variance_left = [](auto& rule) {
        const Limit limit = limit_of_variance_left(rule);
        if (limit == Limit::positive) return limit;
        return limit == Limit::zero ? Limit::infinite : Limit::zero;
      }});

STATEMENT(AlternativeScales, AMultipleOfTheRootLeavesOneOverItsSquare) {
  for_all([&] {
    const Rational factor = (*any_rule().as("rule")).factor;
    const std::size_t d = *dimension(1000000).as("d");
    const ScalingRule rule{.factor = factor, .power = Rational(1, 2)};
    EXPECT_EXACTLY(subject.variance_left(rule, d) == 1 / (factor * factor));
  });
}
KILLS("the constant is ignored", {.variance_left = [](auto& rule, auto d) -> Rational {
        return variance_left(ScalingRule{.power = rule.power}, d);
      }});

ASIDE(AlternativeScales, BothFormsOfTheVarianceAgree) {
  const auto agree = [&](const ScalingRule& rule, std::size_t d) {
    return within_at_dimension(subject, rule, d,
                               log(static_cast<Wide>(subject.variance_left(rule, d))));
  };
  EXPECT_TRUE(agree({.power = -5}, 3276));
  for_all([&] {
    const ScalingRule any = *any_rule().as("rule");
    RC_ASSERT(agree({.factor = any.factor, .power = any.power}, *dimension(1000000).as("d")));
  });
}
KILLS("the constant's logarithm is not doubled",
      {.log_variance_left = [](const ScalingRule& rule, const double& log_d) -> double {
        return log_variance_left(rule, log_d) + std::log(rule.factor.convert_to<double>());
      }});
KILLS("the power is not doubled",
      {.log_variance_left = [](const ScalingRule& rule, const double& log_d) -> double {
        return log_variance_left(rule, log_d) + rule.power.convert_to<double>() * log_d;
      }});

//! [AlternativeScales: bound]
STATEMENT(AlternativeScales, IsWithinItsBoundAtEveryDimension) {
  const auto is_within = [&](const ScalingRule& rule, double log_d) {
    const Wide exact = exact_log_variance_left(rule, log_d);
    const double computed = subject.log_variance_left(rule, log_d);
    if (std::isinf(computed))  // only if the true value is about as large as a double can be
      return abs(exact) > std::numeric_limits<double>::max() / 2 && (exact > 0) == (computed > 0);
    const double bound = subject.log_variance_left_error(rule, log_d);
    return std::isfinite(bound) && within(computed, exact, bound);
  };
  // The double stands for a logarithm from which it differs by the part ε, up or down.
  const auto error_as_rounded = [&](const ScalingRule& rule, double log_d, int side) {
    const Wide truth = Wide(log_d) * (1 + side * Wide(std::numeric_limits<double>::epsilon()));
    return Wide(abs(subject.log_variance_left(rule, log_d) - exact_log_variance_left(rule, truth)));
  };
  const auto is_within_of_rounded = [&](const ScalingRule& rule, double log_d, int side) {
    return std::isinf(subject.log_variance_left(rule, log_d)) ||
           error_as_rounded(rule, log_d, side) <= error_of_rounded(subject, rule, log_d);
  };
  const auto expect_within = [&](const ScalingRule& rule, double log_d, int side = 0,
                                 SourceLocation place = SourceLocation::current()) {
    if (side == 0 ? is_within(rule, log_d) : is_within_of_rounded(rule, log_d, side)) return;
    expect_at(false,
              to_text(rule) + " at ln d = " + to_text(log_d) + ": the logarithm is " +
                  to_text(subject.log_variance_left(rule, log_d)) + " instead of " +
                  exact_log_variance_left(rule, log_d).str(17) + ", give or take " +
                  format_significant(subject.log_variance_left_error(rule, log_d), 2),
              place);
  };
  const Rational tiny = 1 / sqrtdk::testing::ten_to_the_thirtieth();
  const Rational half(1, 2);
  expect_within({.factor = 1 + tiny, .power = half}, 1);         // rounds to factor 1
  expect_within({.power = half + tiny}, largest_log_dimension);  // rounds to power 1/2
  expect_within({.power = -5, .pi_rate = 1}, largest_log_dimension);
  expect_within({.power = half, .pi_rate = tiny}, 715);  // e^715 is no double
  expect_within({.power = half, .pi_rate = 1}, 6);
  expect_within({.power = half, .log_power = 1}, std::nextafter(1.0, 2.0));
  enumerated(6);
  const ScalingRule growing{.power = half, .pi_rate = 1};
  expect_within(growing, 700, 1);
  EXPECT_GT(error_as_rounded(growing, 700, 1), subject.log_variance_left_error(growing, 700))
      << "the rounding of ln d costs more than all others";
  enumerated(1);
  for_all([&] {
    const ScalingRule rule = *any_rule_in_range().as("rule");
    const double log_d = *any_log_dimension().as("ln d");
    expect_within(rule, log_d);
    if (log_d * log_d > 1 / std::numeric_limits<double>::epsilon()) return;
    for (const int side : {-1, 1}) expect_within(rule, log_d, side);
  });
}
//! [AlternativeScales: bound]
KILLS("e^L overflows before a small rate is multiplied to it",
      {.log_variance_left = [](const ScalingRule& rule, const double& log_d) -> double {
        const ScalingRule rest{
            .factor = rule.factor, .power = rule.power, .log_power = rule.log_power};
        return log_variance_left(rest, log_d) -
               (rule.pi_rate == 0 ? 0
                                  : 2 * rule.pi_rate.convert_to<double>() *
                                        boost::math::constants::pi<double>() * std::exp(log_d));
      }});
KILLS("the power is rounded before 1 − 2·power is computed",
      {.log_variance_left = [](const ScalingRule& rule, const double& log_d) -> double {
        ScalingRule rounded = rule;
        rounded.power = Rational(rule.power.convert_to<double>());
        return log_variance_left(rounded, log_d);
      }});
KILLS("the logarithm of ln d is computed in single precision",
      {.log_variance_left = [](const ScalingRule& rule, const double& log_d) -> double {
        const ScalingRule rest{.factor = rule.factor, .power = rule.power, .pi_rate = rule.pi_rate};
        return log_variance_left(rest, log_d) -
               (rule.log_power == 0 ? 0
                                    : 2 * rule.log_power.convert_to<double>() *
                                          static_cast<double>(std::log(static_cast<float>(log_d))));
      }});
KILLS("the bound forgets the term with e^L",
      {.log_variance_left_error = [](auto& rule, auto& log_d) -> double {
        return log_variance_left_error(
            {.factor = rule.factor, .power = rule.power, .log_power = rule.log_power}, log_d);
      }});
KILLS("the bound forgets that the factor is rounded",
      {.log_variance_left_error = [](auto& rule, auto& log_d) -> double {
        return log_variance_left_error(rule, log_d) - 7 * std::numeric_limits<double>::epsilon();
      }});

ASIDE(AlternativeScales, ALooseLogarithmOrExponentialBreaksTheBound) {
  // A hundred digits show that the exponential of fifty is off by more than a unit.
  evidence().rests_on(EvidenceLevel::measured);
  const Wider epsilon(std::numeric_limits<Wide>::epsilon());
  Wider worst = 0;
  bool broken = false;
  for (int log_d = 1; log_d <= 400; ++log_d) {
    const Wider truth = exp(Wider(log_d));
    worst = std::max<Wider>(worst, abs(Wider(exp(Wide(log_d))) - truth) / (epsilon * truth));
    const Wider computed(subject.far_log_variance_left(exponential_scale, Wide(log_d)));
    const Wider exact = log_d - 2 * boost::math::constants::pi<Wider>() * truth;
    const Wider bound(log_variance_left_error<Wide>(exponential_scale, Wide(log_d)));
    broken = broken || abs(computed - exact) > bound;
    EXPECT_TRUE(within(subject.log_variance_left(exponential_scale, log_d), Wide(exact),
                       subject.log_variance_left_error(exponential_scale, log_d)));
  }
  EXPECT_GT(worst, 1);
  EXPECT_TRUE(broken);
  record_value("exponential", worst.str(3));
  enumerated(400);
  counterexample_without("accurate functions");
}
KILLS("the bound is that of fifty digits",
      {.log_variance_left_error = [](const ScalingRule& rule, const double& log_d) -> double {
        return log_variance_left_error<Wide>(rule, log_d).convert_to<double>();
      }});

STATEMENT(AlternativeScales, TheExponentialLeavesDTimesItsSquaredInverse) {
  for (unsigned d = 1; d <= 512; ++d) {
    const Wide exponent = 2 * boost::math::constants::pi<Wide>() * d;
    EXPECT_TRUE(within_at_dimension(subject, exponential_scale, d, log(d * exp(-exponent))))
        << "d = " << d;
  }
  enumerated(512);
}
KILLS("the exponential's π is forgotten",
      {.log_variance_left = [](const ScalingRule& rule, const double& log_d) -> double {
        return log_variance_left(ScalingRule{.power = rule.power}, log_d) -
               2 * rule.pi_rate.convert_to<double>() * std::exp(log_d);
      }});

STATEMENT(AlternativeScales, TheLogarithmLeavesLeastAtTheSquareOfE) {
  const Wide least = exp(Wide(2)) / 4;
  EXPECT_TRUE(within(subject.log_variance_left(logarithmic_scale, 2), log(least),
                     subject.log_variance_left_error(logarithmic_scale, 2)));
  const auto enclosed = [&](unsigned d) {
    const double y = subject.log_variance_left(logarithmic_scale, std::log(d));
    const double error = error_at_dimension(subject, logarithmic_scale, d);
    return Interval<double>{y - error, y + error};
  };
  Interval<double> before = enclosed(2);
  for (unsigned d = 3; d <= 4096; ++d) {
    const Interval<double> now = enclosed(d);
    EXPECT_TRUE(d <= 7 ? now.upper < before.lower : now.lower > before.upper) << "d = " << d;
    EXPECT_GT(now.lower, log(least)) << "d = " << d;
    before = now;
  }
  record_value("least", least.str(5));
  enumerated(4095);
}
KILLS("ln d is not squared",
      {.log_variance_left = [](const ScalingRule& rule, const double& log_d) -> double {
        return log_variance_left(rule, log_d) +
               rule.log_power.convert_to<double>() * std::log(log_d);
      }});

ASIDE(AlternativeScales, TheLogarithmOfOneIsNoDivisor) {
  expect_refusal<std::domain_error>(
      [&] { subject.log_variance_left(logarithmic_scale, std::log(1.0)); });
  enumerated(1);
  counterexample_without("positive divisor");
}
KILLS("c(1) = 0 is taken for 1", {.log_variance_left = [](auto& rule, auto& log_d) {
        return log_d == 0 ? 0 : log_variance_left(rule, log_d);
      }});

ASIDE(AlternativeScales, RefusesWhatIsNoScale) {
  expect_refusal<std::domain_error>([&] { subject.constant_scale(0); });
  expect_refusal<std::domain_error>([&] { subject.constant_scale(-2); });
  expect_refusal<std::domain_error>([&] { subject.variance_left(root_scale, 0); });
  expect_refusal<std::domain_error>([&] { subject.variance_left(logarithmic_scale, 8); });
  expect_refusal<std::domain_error>([&] { subject.variance_left(exponential_scale, 8); });
  expect_refusal<std::domain_error>([&] { subject.variance_left({.power = Rational(1, 3)}, 8); });
  expect_refusal<std::domain_error>([&] { subject.variance_left({.factor = -1}, 8); });
  expect_refusal<std::domain_error>([&] { subject.limit_of_variance_left({.factor = 0}); });
  expect_refusal<std::domain_error>([&] { subject.log_variance_left(root_scale, -1); });
  const double beyond = std::nextafter(largest_log_dimension, 2 * largest_log_dimension);
  expect_refusal<std::domain_error>([&] { subject.log_variance_left(root_scale, beyond); });
  expect_refusal<std::domain_error>([&] { subject.log_variance_left(root_scale, std::nan("")); });
  expect_refusal<std::domain_error>(
      [&] { subject.log_variance_left({.factor = Rational(Integer(1) << 509)}, 1); });
  expect_refusal<std::domain_error>([&] {
    subject.log_variance_left({.power = Rational(1, Integer(1) << 2000) / 2 + Rational(1, 2)}, 1);
  });
}
KILLS("a divisor of 0 is accepted",
      {.constant_scale = [](auto& divisor) { return ScalingRule{.factor = divisor}; }});
KILLS("a dimension of 0 is accepted", {.variance_left = [](auto& rule, auto d) {
        return d == 0 ? Rational(0) : variance_left(rule, d);
      }});
KILLS("a negative ln d is accepted", {.log_variance_left = [](auto& rule, auto& log_d) {
        return log_d < 0 ? 0 : log_variance_left(rule, log_d);
      }});
KILLS("a ln d without limit is accepted", {.log_variance_left = [](auto& rule, auto& log_d) {
        return log_variance_left(rule, log_d > largest_log_dimension ? 1 : log_d);
      }});
KILLS("a factor below zero is accepted", {.variance_left = [](auto& rule, auto d) {
        ScalingRule positive = rule;
        if (rule.factor < 0) positive.factor = -rule.factor;
        return variance_left(positive, d);
      }});
KILLS("a power whose double is no integer is rounded",
      {.variance_left = [](const ScalingRule& rule, std::size_t d) {
        ScalingRule rounded = rule;
        rounded.power = Rational((2 * rule.power).convert_to<int>(), 2);
        return variance_left(rounded, d);
      }});
KILLS("a logarithm is left out of the rational form", {.variance_left = [](auto& rule, auto d) {
        return variance_left({.factor = rule.factor, .power = rule.power}, d);
      }});

}  // namespace sqrtdk::properties::AlternativeScales
