// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/accumulator.hpp>
#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/testing/generators/emulated_kernel.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>

#include "properties/kernels/fixture.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace sqrtdk::properties::TruncatingAccumulators {

using namespace sqrtdk::testing;

using List = std::vector<double>;

/// What is declared of a tensor core, and what one returns.
struct Cores {
  std::function<Accumulator(std::size_t, unsigned, unsigned)> declared =
      [](std::size_t terms, unsigned fraction, unsigned output) {
        return Accumulator::tensor_core(terms, fraction, output);
      };
  std::function<double(const Accumulator&, const List&, const List&)> sum =
      [](const Accumulator& core, const List& a, const List& b) {
        EmulatedSum emulated({format_limits<float>()}, core);
        emulated.add(a, b);
        return emulated.total();
      };
};

Accumulator with_step(Accumulator core, double step) {
  core.step = step;
  return core;
}

const std::vector<Mutant<Cores>> truncating_accumulators_mutants = {
    {"one addend is cut off in the place of all",
     "NoSumLosesMore",
     {.declared =
          [](std::size_t terms, unsigned fraction, unsigned output) {
            return with_step(Accumulator::tensor_core(terms, fraction, output),
                             std::ldexp(1.0, -static_cast<int>(fraction)));
          }}},
    {"steps are counted as if each took in twice as many products",
     "NoSumLosesMore",
     {.declared =
          [](std::size_t terms, unsigned fraction, unsigned output) {
            Accumulator core = Accumulator::tensor_core(terms, fraction, output);
            core.lanes *= 2;
            return core;
          }}},
    {"the sum is rounded to the nearest",
     "ACoreKeepsWhatThePageSays",
     {.sum =
          [](const Accumulator& core, const List& a, const List& b) {
            const double sum = Cores().sum(core, a, b);
            return sum + std::ldexp(sum, -20);
          }}},
    {"the bits of the result cost nothing",
     "LossesOfKnownCores",
     {.declared =
          [](std::size_t terms, unsigned fraction, unsigned) {
            return with_step(
                Accumulator::tensor_core(terms, fraction, 23),
                std::ldexp(static_cast<double>(terms + 1), -static_cast<int>(fraction)));
          }}},
    {"what has been added before is not cut off",
     "LossesOfKnownCores",
     {.declared =
          [](std::size_t terms, unsigned fraction, unsigned output) {
            const Accumulator core = Accumulator::tensor_core(terms, fraction, output);
            return with_step(core, core.step - std::ldexp(1.0, -static_cast<int>(fraction)));
          }}},
    {"equal signs are added in single precision",
     "EqualSignsAddUp",
     {.sum = [](const Accumulator&, const List& a,
                const List& b) { return Cores().sum(Accumulator(), a, b); }}},
    {"products that were rounded are as good",
     "RoundedProductsAreOutside",
     {.declared =
          [](std::size_t terms, unsigned fraction, unsigned output) {
            const Accumulator core = Accumulator::tensor_core(terms, fraction, output);
            return with_step(core, 2 * core.step);
          }}},
    {"a bit fewer is as good",
     "FewerBitsAreOutside",
     {.declared =
          [](std::size_t terms, unsigned fraction, unsigned output) {
            return Accumulator::tensor_core(terms, fraction - 1, output);
          }}},
};

/// x cut towards zero to a multiple of 2^exponent.
Rational cut(const Rational& x, int exponent) {
  const Rational unit =
      exponent < 0 ? Rational(1, Integer(1) << -exponent) : Rational(Integer(1) << exponent);
  const Rational units = abs(x) / unit;
  const Rational size = Rational(Integer(numerator(units) / denominator(units))) * unit;
  return x < 0 ? Rational(-size) : size;
}

/// e with 2^e ≤ |x| < 2^(e + 1), for x that is not 0.
int leading(const Rational& x) { return std::ilogb(x.convert_to<double>()); }

/// A step as the page has it.
Rational step_of_the_page(const Rational& c, const Rationals& products, int fraction, int output) {
  Rational largest = abs(c);
  for (const Rational& p : products) largest = std::max<Rational>(largest, abs(p));
  if (largest == 0) return 0;
  Rational sum = cut(c, leading(largest) - fraction);
  for (const Rational& p : products) sum += cut(p, leading(largest) - fraction);
  return sum == 0 ? sum : cut(sum, leading(sum) - output);
}

/// The cores that are known: b, F and F′.
struct Core {
  std::size_t terms;
  unsigned fraction, output;
};
constexpr Core volta{4, 23, 23}, ampere{8, 24, 23}, hopper{16, 25, 23}, hopper_fp8{32, 13, 13};

/// Products that a core adds, and what it makes of them.
struct Added {
  Rational exact = 0, sizes = 0, of_the_page = 0;

  Added(const Core& core, const List& a, const List& b) {
    for (std::size_t l = 0; l < a.size(); l += core.terms) {
      Rationals products;
      for (std::size_t i = l; i < std::min(a.size(), l + core.terms); ++i) {
        products.push_back(Rational(a[i]) * Rational(b[i]));
        exact += products.back();
        sizes += abs(products.back());
      }
      of_the_page = step_of_the_page(of_the_page, products, static_cast<int>(core.fraction),
                                     static_cast<int>(core.output));
    }
  }
  Rational error() const { return abs(of_the_page - exact); }
};

/// Numbers of eleven digits, normal in half precision.
List drawn_halves(std::size_t n, const char* name) {
  const auto digits = *rc::gen::container<List>(n, rc::gen::map(rc::gen::inRange(-2047, 2048),
                                                                [](int x) { return 0.0 + x; }))
                           .as(name);
  const auto powers =
      *rc::gen::container<std::vector<int>>(n, rc::gen::inRange(-14, 1)).as("powers");
  List numbers;
  for (std::size_t l = 0; l < n; ++l) numbers.push_back(std::ldexp(digits[l], powers[l]));
  return numbers;
}

//! [TruncatingAccumulators]
TEST(TruncatingAccumulators, NoSumLosesMore) {
  check_statement(truncating_accumulators_mutants, [](const Cores& cores) {
    const auto loses_no_more = [&](const Core& core, const List& a, const List& b) {
      const Accumulator by = cores.declared(core.terms, core.fraction, core.output);
      const Rational u(0x1p-24);
      const double k = by.roundings(static_cast<double>(a.size()), 0x1p-24);
      const Added added(core, a, b);
      EXPECT_EXACTLY(added.error() <= Rational(gamma(k, u) * added.sizes));
    };
    // A great product, and others of which nearly all is cut off.
    for (const Core& core : {volta, ampere, hopper, hopper_fp8}) {
      List terms(3 * core.terms, std::ldexp(1 - 0x1p-10, -static_cast<int>(core.fraction)));
      terms[0] = 1;
      loses_no_more(core, terms, List(terms.size(), 1));
      enumerated(1);
    }
    for_all([&] {
      const Core core =
          *rc::gen::element(volta, ampere, hopper, hopper_fp8, Core{3, 9, 8}).as("core");
      const auto n = *rc::gen::inRange<std::size_t>(1, 65).as("terms");
      loses_no_more(core, drawn_halves(n, "a"), drawn_halves(n, "b"));
    });
  });
}
//! [TruncatingAccumulators]

TEST(TruncatingAccumulators, ACoreKeepsWhatThePageSays) {
  check_with_mutants(truncating_accumulators_mutants, [](const Cores& cores) {
    for_all([&] {
      const Core core = *rc::gen::element(volta, ampere, hopper, hopper_fp8).as("core");
      const auto n = *rc::gen::inRange<std::size_t>(1, 65).as("terms");
      const List a = drawn_halves(n, "a"), b = drawn_halves(n, "b");
      const double sum = cores.sum(cores.declared(core.terms, core.fraction, core.output), a, b);
      EXPECT_EXACTLY(Rational(sum) == Added(core, a, b).of_the_page);
    });
  });
}

//! [TruncatingAccumulators: exact check]
TEST(TruncatingAccumulators, LossesOfKnownCores) {
  check_statement(truncating_accumulators_mutants, [](const Cores& cores) {
    const auto in_units = [&](const Core& core) {
      return Rational(cores.declared(core.terms, core.fraction, core.output).step) *
             Rational(std::ldexp(1.0, static_cast<int>(core.fraction)));
    };
    EXPECT_EXACTLY(in_units(volta) == 6);
    EXPECT_EXACTLY(in_units(ampere) == 11);
    EXPECT_EXACTLY(in_units(hopper) == 21);
    EXPECT_EXACTLY(in_units(hopper_fp8) == 34);
    // All but the first of thirty-two products are cut off.
    List terms(32, std::ldexp(1 - 0x1p-10, -13));
    terms[0] = 1;
    const Added added(hopper_fp8, terms, List(32, 1));
    EXPECT_EXACTLY(added.of_the_page == 1);
    EXPECT_EXACTLY(added.error() == Rational(31 * (1 - 0x1p-10) * 0x1p-13));
    enumerated(5);
    record_value("part",
                 format_fixed(Rational(added.error() /
                                       (added.sizes * Rational(cores.declared(32, 13, 13).step)))
                                  .convert_to<double>(),
                              2));
  });
}
//! [TruncatingAccumulators: exact check]

TEST(TruncatingAccumulators, EqualSignsAddUp) {
  check_with_mutants(truncating_accumulators_mutants, [](const Cores& cores) {
    const auto part_lost = [&](int sign) {
      List a, b;
      for (int l = 0; l < 4096; ++l) {
        // Numbers of four digits, in an order that has no pattern.
        a.push_back((8 + l * l % 7) * (l % 2 == 0 ? 1 : sign) / 8.0);
        b.push_back((8 + l * 5 % 8) / 8.0);
      }
      const Added added(hopper_fp8, a, b);
      const double sum = cores.sum(cores.declared(32, 13, 13), a, b);
      return Rational(abs(Rational(sum) - added.exact) / added.sizes);
    };
    EXPECT_EXACTLY(part_lost(1) > Rational(1, 100));
    EXPECT_EXACTLY(part_lost(-1) < Rational(1, 1000));
    enumerated(2);
    record_value("equal", format_significant(Rational(100 * part_lost(1)).convert_to<double>(), 2));
    record_value("both", format_significant(Rational(100 * part_lost(-1)).convert_to<double>(), 2));
  });
}

TEST(TruncatingAccumulators, RoundedProductsAreOutside) {
  check_with_mutants(truncating_accumulators_mutants, [](const Cores& cores) {
    // (1 + 2⁻¹⁰)² in half precision, before it is aligned.
    const Rational product = Rational(1 + 0x1p-10) * Rational(1 + 0x1p-10);
    const Rational rounded = 1 + Rational(0x1p-9);
    const Rational w(cores.declared(8, 24, 23).step);
    EXPECT_EXACTLY(abs(rounded - product) > Rational(w * product));
    enumerated(1);
    counterexample_without("exact products");
  });
}

TEST(TruncatingAccumulators, FewerBitsAreOutside) {
  check_with_mutants(truncating_accumulators_mutants, [](const Cores& cores) {
    List terms(32, std::ldexp(1 - 0x1p-10, -12));
    terms[0] = 1;
    const Added added({32, 12, 13}, terms, List(32, 1));
    EXPECT_EXACTLY(added.error() > Rational(cores.declared(32, 13, 13).step) * added.sizes);
    enumerated(1);
    counterexample_without("cut towards zero");
  });
}

}  // namespace sqrtdk::properties::TruncatingAccumulators
