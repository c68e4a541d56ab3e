#include <sqrtdk/numbers/powers.hpp>

#include "properties/variants/fixture.hpp"

namespace sqrtdk::properties::HalfPrecisionRange {

using Subject = Formats;

/// A size of entries, in steps of 1/16: with few entries half of the raw scores overflow.
rc::Gen<Rational> any_size() {
  return rc::gen::map(rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, 16 * 400)),
                      [](int sixteenths) { return Rational(sixteenths, 16); });
}

rc::Gen<unsigned> any_count(unsigned most) {
  return rc::gen::resize(rc::kNominalSize, rc::gen::inRange(1U, most + 1));
}

/// Two fractions, 2^−20 apart, between which √d lies.
Interval<Rational> root_between(unsigned d) {
  const Integer unit = Integer(1) << 20, root = sqrt(Integer(d * unit * unit));
  return {Rational(root, unit), Rational(root + 1, unit)};
}

/// The largest B, in steps of 2^−20, for which scores of 128 products are finite.
Rational limit_at_128(bool (*is_finite)(unsigned, const Rational&)) {
  Rational finite = 0;
  for (Rational step = 1024; step >= Rational(1, 1 << 20); step /= 2)
    if (is_finite(128, finite + step)) finite += step;
  return finite;
}

//! [HalfPrecisionRange]
STATEMENT(HalfPrecisionRange, ARawScoreIsFiniteWhileDTimesBSquaredIsBelow65520) {
  for_all([&] {
    const unsigned d = *any_count(8).as("d");
    const Rational b = *any_size().as("B");
    Rational score = 0, largest = 0;
    for (unsigned i = 0; i < d; ++i) {
      score += b * *rc::gen::inRange(-8, 9).as("8q/B") / 8 * b;
      largest += b * b;
    }
    EXPECT_EXACTLY(abs(score) <= largest);
    EXPECT_EXACTLY(subject.raw(d, b) == subject.is_finite(largest, binary16_format));
    EXPECT_EXACTLY((!subject.raw(d, b) || subject.is_finite(score, binary16_format)));
  });
}
KILLS("one product for the sum of d", {.raw = [](unsigned, auto& b) { return b * b < 65520; }});

STATEMENT(HalfPrecisionRange, DividedQueriesMayBeLargerByTheFourthRoot) {
  for_all([&] {
    const Rational b = *any_size().as("B");
    const unsigned root = *any_count(12).as("root of d");
    Rational largest = 0;
    for (unsigned i = 0; i < root * root; ++i) largest += b / root * b;
    EXPECT_EXACTLY(subject.divided(root * root, b) == subject.is_finite(largest, binary16_format));
    const unsigned fourth_root = *any_count(6).as("fourth root of d");
    const unsigned d = integer_power(fourth_root, 4);
    EXPECT_EXACTLY(subject.divided(d, fourth_root * b) == subject.raw(d, b));
  });
}
KILLS("divided by d", {.divided = [](unsigned, auto& b) { return b * b < 65520; }});

STATEMENT(HalfPrecisionRange, TheLimitIsThatOfTheRootOfAnyDimension) {
  for_all([&] {
    const unsigned d = *any_count(150).as("d");
    const int thousandths = *rc::gen::inRange(950, 1051).as("1000 B, of about the limit");
    const Rational b(static_cast<int>(std::sqrt(65520 / std::sqrt(d)) * thousandths), 1000);
    const auto [below, above] = root_between(d);
    EXPECT_EXACTLY((below * below <= d && d < above * above));
    // Between the two the score of q = k = B, and so between the two roundings.
    if (subject.divided(d, b))
      EXPECT_EXACTLY(subject.is_finite(below * b * b, binary16_format));
    else
      EXPECT_EXACTLY(!subject.is_finite(above * b * b, binary16_format));
  });
}
//! [HalfPrecisionRange]
KILLS("the root rounded down", {.divided = [](unsigned d, auto& b) {
        return static_cast<unsigned>(std::sqrt(d)) * b * b < 65520;
      }});

//! [HalfPrecisionRange: exact check]
STATEMENT(HalfPrecisionRange, TheTieAt65520IsTheFirstToOverflow) {
  EXPECT_EXACTLY(!subject.raw(64, 32));
  EXPECT_EXACTLY(subject.divided(64, 32));
  EXPECT_EXACTLY(!subject.divided(65520U * 65520U, 1));
  EXPECT_EXACTLY(subject.divided(65520U * 65520U - 1, 1));
  EXPECT_EXACTLY(subject.rounded_to(65536, binary16_format) == 65536);
  EXPECT_EXACTLY(!subject.raw(4095, 4));  // 65520, halfway between 65504 and 65536
  EXPECT_EXACTLY(!subject.is_finite(65520, binary16_format));
  EXPECT_EXACTLY(subject.raw(65519, 1));
  EXPECT_EXACTLY(subject.is_finite(65519, binary16_format));
  EXPECT_EXACTLY(subject.rounded_to(65519, binary16_format) == 65504);
  enumerated(10);
}
KILLS("the largest number is the threshold",
      {.raw = [](unsigned d, auto& b) { return d * b * b <= 65504; }});
KILLS("the tie is finite", {.raw = [](unsigned d, auto& b) { return d * b * b <= 65520; }});
KILLS("what is not rounded is compared with the largest number",
      {.is_finite = [](auto& x, auto& f) { return x <= f.largest; }});

STATEMENT(HalfPrecisionRange, TheLimitsAt128) {
  EXPECT_EXACTLY((subject.raw(128, 22) && !subject.raw(128, 23)));
  EXPECT_EXACTLY((subject.divided(128, 76) && !subject.divided(128, 77)));
  EXPECT_EXACTLY((subject.divided(64, 90) && !subject.divided(64, 91)));
  enumerated(3);
  record_value("raw_at_128", format_fixed(limit_at_128(subject.raw).convert_to<double>(), 2));
  record_value("divided_at_128",
               format_fixed(limit_at_128(subject.divided).convert_to<double>(), 2));
}
KILLS("the root rounded up", {.divided = [](unsigned d, auto& b) {
        return static_cast<unsigned>(std::ceil(std::sqrt(d))) * b * b < 65520;
      }});

ASIDE(HalfPrecisionRange, EightDigitsAreCoarseFrom64On) {
  const BinaryFormat bfloat16{.digits = 8, .fraction = 133, .largest = 1U << 16};
  const auto rounded = [&](const Rational& x) { return subject.rounded_to(x, bfloat16); };
  EXPECT_EXACTLY(rounded(Rational(643, 10)) == Rational(129, 2));   // 64.3: a half
  EXPECT_EXACTLY(rounded(Rational(1277, 10)) == Rational(255, 2));  // 127.7
  EXPECT_EXACTLY(rounded(Rational(1286, 10)) == 129);               // 128.6: a unit
  EXPECT_EXACTLY((rounded(257) == 256 && rounded(258) == 258));     // and two
  enumerated(5);
}
//! [HalfPrecisionRange: exact check]
KILLS("a digit more", {.rounded_to = [](auto& x, auto& f) {
        return sqrtdk::rounded_to(x, {f.digits + 1, f.fraction, f.largest});
      }});

//! [HalfPrecisionRange: second route]
ASIDE(HalfPrecisionRange, RoundingIsThatOfTheCompiledFormat) {
  const auto check = [&](float x) {
    const auto compiled = static_cast<float>(Eigen::half(x));
    EXPECT_EXACTLY(subject.is_finite(Rational(x), binary16_format) == std::isfinite(compiled));
    if (std::isfinite(compiled))
      EXPECT_EXACTLY(subject.rounded_to(Rational(x), binary16_format) == Rational(compiled));
  };
  // Numbers with few digits are often halfway between two numbers of the format.
  for_all([&] {
    const int digits = *rc::gen::inRange(10, 25).as("digits");
    const auto mantissa = *rc::gen::inRange(-(1 << 24), 1 << 24).as("mantissa");
    const int exponent = *rc::gen::inRange(-28, 18).as("exponent");
    check(std::ldexp(static_cast<float>(mantissa >> (24 - digits)), exponent - digits));
  });
  for (const float x : {0x1p-24F, 0x1p-25F, 0x1.8p-24F, 0x1.002p0F, 0x1.006p0F, 65519.F, -65520.F})
    check(x);
  enumerated(7);
}
//! [HalfPrecisionRange: second route]
KILLS("rounded towards 0", {.rounded_to = [](auto& x, auto& f) {
        Rational nearest = sqrtdk::rounded_to(x, f);
        if (abs(nearest) > abs(x)) nearest -= nearest - sqrtdk::rounded_to(2 * x - nearest, f);
        return nearest;
      }});
KILLS("a digit less", {.rounded_to = [](auto& x, auto& f) {
        return sqrtdk::rounded_to(x, {f.digits - 1, f.fraction, f.largest});
      }});

ASIDE(HalfPrecisionRange, SumsThatAreRoundedAtEachStepStopAt2048) {
  Rational sum = 2040;
  for (int i = 0; i < 20; ++i) sum = subject.rounded_to(sum + 1, binary16_format);
  EXPECT_EXACTLY(sum == 2048);
  EXPECT_EXACTLY(!subject.raw(70000, 1));
  counterexample_without("one rounding");
}
KILLS("ties go up", {.rounded_to = [](auto& x, auto& f) {
        return sqrtdk::rounded_to(x + Rational(1, 1 << 30), f);
      }});

}  // namespace sqrtdk::properties::HalfPrecisionRange
