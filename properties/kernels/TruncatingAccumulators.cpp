#include "properties/kernels/fixture.hpp"

namespace sqrtdk::properties::TruncatingAccumulators {

struct Core {
  unsigned terms;
  int fraction, output;

  Accumulator accumulator() const {
    return Accumulator::tensor_core(terms, static_cast<unsigned>(fraction),
                                    static_cast<unsigned>(output));
  }
};
constexpr Core volta{4, 23, 23}, ampere{8, 24, 23}, hopper{16, 25, 23}, hopper_fp8{32, 13, 13};

/// x cut towards zero to a multiple of 2^exponent.
Rational cut(const Rational& x, int exponent) {
  const Rational unit =
      exponent < 0 ? Rational(1, Integer(1) << -exponent) : Rational(Integer(1) << exponent);
  const Rational units = x / unit;
  return Integer(numerator(units) / denominator(units)) * unit;
}

/// A core's sum of products of halves, by the page, and exactly.
struct Added {
  Rational exact = 0, sizes = 0, of_the_page = 0;
  Rational part_of_a_step = 0;  ///< the greatest that one step loses of |c| + Σ|p| + NM

  Added(const Core& core, const List& a, const List& b, double least_factor = 0x1p-14) {
    double most = 1;  // M
    for (const List* factors : {&a, &b})
      for (const double x : *factors) most = std::max(most, std::abs(x));
    const auto leading = [](const Rational& x) { return std::ilogb(x.convert_to<double>()); };
    const auto exponent = [](double x) { return std::ilogb(std::max(std::abs(x), 0x1p-14)); };
    for (std::size_t l = 0; l < a.size();) {
      const std::size_t end = std::min<std::size_t>(a.size(), l + core.terms);
      int e = of_the_page == 0 ? -1000 : leading(of_the_page);
      for (std::size_t i = l; i < end; ++i)
        if (a[i] * b[i] != 0) e = std::max(e, exponent(a[i]) + exponent(b[i]));
      const Rational before = of_the_page - exact;
      Rational sum = cut(of_the_page, e - core.fraction);
      Rational reach = abs(of_the_page) + Rational(0x1p-14 * most);
      for (; l < end; ++l) {
        const Rational product = Rational(a[l]) * Rational(b[l]), size = abs(product);
        exact += product, sum += cut(product, e - core.fraction);
        reach += size, sizes += size + Rational(least_factor * most) / core.terms;
      }
      of_the_page = sum == 0 ? sum : cut(sum, leading(sum) - core.output);
      const Rational lost = abs(Rational(of_the_page - exact - before));
      part_of_a_step = std::max<Rational>(part_of_a_step, lost / reach);
    }
  }

  Rational error() const { return abs(of_the_page - exact); }
};

List drawn_halves(std::size_t n, const char* name) {
  const auto half = rc::gen::apply([](int digits, int power) { return std::ldexp(digits, power); },
                                   rc::gen::inRange(-2047, 2048), rc::gen::inRange(-24, 5));
  return *rc::gen::container<List>(n, half).as(name);
}

/// A one, and others of which nearly all is cut off by so many bits.
List nearly_lost(std::size_t n, int bits) {
  List terms(n, std::ldexp(1 - 0x1p-10, -bits));
  terms[0] = 1;
  return terms;
}

/// The product of a subnormal and a large factor, and others that it cuts off.
const List beside_a_subnormal[] = {{0x1p-24, 0x1p-14, 0x1p-14}, {0x1p15, 0x1.ffcp-14, 0x1.ffcp-14}};

double emulated(const Accumulator& by, const List& a, const List& b) {
  EmulatedSum sum({format_limits<float>()}, by);
  sum.add(a, b);
  return sum.total();
}

//! [TruncatingAccumulators]
STATEMENT(TruncatingAccumulators, NoSumLosesMore) {
  const auto loses_no_more = [&](const Core& core, const List& a, const List& b) {
    const Accumulator by = subject.accumulator(core.accumulator());
    const Added added(core, a, b, by.least_factor);
    const double k = by.roundings(static_cast<double>(a.size()), 0x1p-24);
    EXPECT_EXACTLY(added.error() <= Rational(gamma(k, Rational(0x1p-24)) * added.sizes));
    EXPECT_EXACTLY(added.part_of_a_step <= Rational(by.step));
    EXPECT_EXACTLY(Rational(emulated(core.accumulator(), a, b)) == added.of_the_page);
  };
  for (const Core& core : {volta, ampere, hopper, hopper_fp8}) {
    loses_no_more(core, nearly_lost(3 * core.terms, core.fraction), List(3 * core.terms, 1));
    loses_no_more(core, beside_a_subnormal[0], beside_a_subnormal[1]);
    // A last step of one product with a subnormal factor, which cuts off all that came before.
    List a(core.terms + 1, 0), b(core.terms + 1, 0x1p-12);
    a[0] = std::ldexp(1 - 0x1p-10, 13 - core.fraction);
    a.back() = 0x1p-24, b.back() = 0x1p15;
    loses_no_more(core, a, b);
    enumerated(3);
  }
  // A step of one product, of which nearly as much is cut off as all steps may lose.
  loses_no_more(hopper_fp8, {0x1p-24}, {0x1.1fcp12});
  enumerated(1);
  for_all([&] {
    const Core core =
        *rc::gen::element(volta, ampere, hopper, hopper_fp8, Core{3, 9, 8}).as("core");
    const auto n = *rc::gen::inRange<std::size_t>(1, 65).as("n");
    loses_no_more(core, drawn_halves(n, "a"), drawn_halves(n, "b"));
  });
}
//! [TruncatingAccumulators]
KILLS("steps lose half as much", sums([](auto& by) { by.step /= 2; }));
KILLS("steps take in twice as many products", sums([](auto& by) { by.lanes *= 2; }));
KILLS("small factors count by half", sums([](auto& by) { by.least_factor /= 2; }));

//! [TruncatingAccumulators: exact check]
STATEMENT(TruncatingAccumulators, LossesOfKnownCores) {
  const auto units = [&](const Core& core) {
    return Rational(subject.accumulator(core.accumulator()).step * std::ldexp(1.0, core.fraction));
  };
  EXPECT_EXACTLY(units(volta) == 6);
  EXPECT_EXACTLY(units(ampere) == 11);
  EXPECT_EXACTLY(units(hopper) == 21);
  EXPECT_EXACTLY(units(hopper_fp8) == 34);
  // All but the first of thirty-two products are cut off.
  EXPECT_EXACTLY(Added(hopper_fp8, nearly_lost(32, 13), List(32, 1)).of_the_page == 1);
  enumerated(5);
}
//! [TruncatingAccumulators: exact check]
KILLS("what was added before is not cut off",
      sums([](auto& by) { by.step -= by.step / static_cast<double>(by.lanes + 2); }));

ASIDE(TruncatingAccumulators, EqualSignsAddUp) {
  const auto part_lost = [&](int sign) {
    List a, b;
    for (int l = 0; l < 4096; ++l) {
      // Numbers of four digits, in an order that has no pattern.
      a.push_back((8 + l * l % 7) * (l % 2 == 0 ? 1 : sign) / 8.0);
      b.push_back((8 + l * 5 % 8) / 8.0);
    }
    double exact = 0, sizes = 0;  // without a rounding
    for (std::size_t l = 0; l < a.size(); ++l) {
      exact += a[l] * b[l];
      sizes += std::abs(a[l] * b[l]);
    }
    const double sum = emulated(subject.accumulator(hopper_fp8.accumulator()), a, b);
    return Rational(100 * abs(Rational(sum) - Rational(exact)) / Rational(sizes));
  };
  EXPECT_EXACTLY(part_lost(1) > 1);
  EXPECT_EXACTLY(part_lost(-1) < Rational(1, 10));
  enumerated(2);
  record_value("equal", format_significant(part_lost(1).convert_to<double>(), 2));
  record_value("both", format_significant(part_lost(-1).convert_to<double>(), 2));
}
KILLS("equal signs are added in single precision", sums([](auto& by) { by = {}; }));

ASIDE(TruncatingAccumulators, RoundedProductsAndFewerBitsAreOutside) {
  // (1 + 2⁻¹⁰)² in half precision, before it is aligned.
  const Rational product = Rational(1 + 0x1p-10) * Rational(1 + 0x1p-10);
  const Rational w(subject.accumulator(ampere.accumulator()).step);
  EXPECT_EXACTLY(abs(Rational(EmulatedFormat{half_limits}(product.convert_to<double>())) -
                     product) > Rational(w * product));
  counterexample_without("exact products");

  const Added added({32, 12, 13}, nearly_lost(32, 12), List(32, 1));
  const Rational coarse(subject.accumulator(hopper_fp8.accumulator()).step);
  EXPECT_EXACTLY(added.error() > Rational(coarse * added.sizes));
  enumerated(2);
  counterexample_without("cut towards zero");
}
KILLS("one bit fewer is as good", sums([](auto& by) { by.step *= 2; }));

}  // namespace sqrtdk::properties::TruncatingAccumulators
