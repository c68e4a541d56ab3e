// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/accumulator.hpp>
#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/testing/generators/emulated_kernel.hpp>
#include <sqrtdk/testing/generators/worst_case.hpp>
#include <sqrtdk/testing/laws/outcome.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>
#include <sqrtdk/testing/reporting/expect_worst.hpp>

#include "properties/kernels/fixture.hpp"

#include <Eigen/Core>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace sqrtdk::properties::BlockedAccumulation {

using namespace sqrtdk::testing;

/// What a sum is counted as, and an emulated one.
struct Sums {
  std::function<double(const Accumulator&, double, double)> roundings = &Accumulator::roundings;
  std::function<double(const Accumulator&, double)> threshold = &Accumulator::underflow_threshold;
  std::function<EmulatedSum(const EmulatedFormat&, const Accumulator&)> sum =
      [](const auto& format, const auto& by) { return EmulatedSum(format, by); };
};

template <class Change>
Sums counted_as(Change change) {
  return {.roundings = [change](Accumulator by, double n, double u) {
    change(by);
    return by.roundings(n, u);
  }};
}

const std::vector<Mutant<Sums>> blocked_accumulation_mutants = {
    {"lanes are joined for nothing", "NoOrderErrsByMore",
     counted_as([](Accumulator& by) { by.halvings = 0; })},
    {"partial sums are added for nothing",
     "NoOrderErrsByMore",
     {.roundings =
          [](const Accumulator& by, double n, double u) {
            return by.roundings(std::min(n, by.promoted > 0 ? static_cast<double>(by.promoted) : n),
                                u);
          }}},
    {"a narrow format rounds as the other", "NoOrderErrsByMore",
     counted_as([](Accumulator& by) { by.step = 0; })},
    {"more digits are kept at the end",
     "NoOrderErrsByMore",
     {.roundings =
          [](const Accumulator& by, double n, double u) {
            return by.roundings(n, u) - (by.step > 0 && by.step < u ? 1 : 0);
          }}},
    {"products underflow as in the other format",
     "NoOrderErrsByMore",
     {.threshold = [](const Accumulator&, double lambda) { return lambda; }}},
    {"lanes are joined one after the other", "WithOneRoundingFewerItWouldBeFalse",
     counted_as([](Accumulator& by) {
       by.halvings = static_cast<unsigned>(by.lanes) - (by.lanes < 2 ? 1 : 0);
     })},
    {"lanes add more terms than there are",
     "CountsOfSomeSums",
     {.roundings =
          [](const Accumulator& by, double n, double u) {
            return by.roundings(n, u) + (by.halvings > n ? by.halvings : 0);
          }}},
    {"what is narrow errs by its roundoff alone",
     "CountsOfSomeSums",
     {.roundings = [](const Accumulator& by, double n,
                      double u) { return by.step > u ? n * by.step / u : by.roundings(n, u); }}},
    {"a sum in half precision is kept in bfloat16",
     "SumsOfProcessorsAreWithinTheBound",
     {.sum =
          [](const EmulatedFormat& format, const Accumulator& by) {
            return EmulatedSum(format,
                               by.step > 0 ? by.in_format(format_limits<Eigen::bfloat16>()) : by);
          }}},
    {"the terms that are 0 are not counted",
     "TermsThatAreZeroCount",
     {.roundings = [](const Accumulator& by, double n,
                      double u) { return by.roundings(std::min(n, 11.0), u); }}},
    {"what is added in half precision may reach any size",
     "AnOverflowOfANarrowSumIsOutside",
     {.sum =
          [](const EmulatedFormat& format, Accumulator by) {
            by.largest = std::numeric_limits<double>::infinity();
            return EmulatedSum(format, by);
          }}},
};

/// Products and sums that err by as much as the model allows, in the order of an accumulator.
struct ErringSum {
  Rational u, lambda;
  std::function<int()> direction;

  Rational rounded(const Rational& x, const Rational& unit) const {
    return x == 0 ? x : Rational(x * (1 + direction() * unit));
  }

  Rational operator()(Accumulator by, const Rationals& products) const {
    Rational total = 0;
    if (const std::size_t n = std::exchange(by.promoted, 0); n > 0 && n < products.size()) {
      for (auto first = products.begin(); first != products.end();) {
        const auto last = first + std::min<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(n),
                                                           products.end() - first);
        const Rational part = (*this)(by, {first, last});
        total = total == 0 ? part : rounded(total + part, u);
        first = last;
      }
      return total;
    }
    const Rational w = by.step > 0 ? Rational(by.step) : u;
    const Rational lost = by.step > 0 ? Rational(by.smallest) / 2 : Rational(u * lambda);
    Rationals lanes(by.lanes);
    for (std::size_t l = 0; l < products.size(); ++l) {
      Rational& lane = lanes[l % lanes.size()];
      const Rational product = rounded(products[l], w) + direction() * lost;
      lane = lane == 0 ? product : rounded(lane + product, w);
    }
    for (std::size_t left = lanes.size(); left > 1; left = (left + 1) / 2)
      for (std::size_t i = 0; i + (left + 1) / 2 < left; ++i)
        if (const Rational& other = lanes[i + (left + 1) / 2]; other != 0)
          lanes[i] = rounded(lanes[i] + other, w);
    return w < u ? Rational(rounded(lanes[0], u) + direction() * u * lambda) : lanes[0];
  }
};

Rational exact_sum(const Rationals& terms) {
  Rational sum = 0;
  for (const Rational& term : terms) sum += term;
  return sum;
}

//! [BlockedAccumulation]
TEST(BlockedAccumulation, NoOrderErrsByMore) {
  check_statement(blocked_accumulation_mutants, [](const Sums& sums) {
    for_all([&] {
      const auto below = [](std::size_t most, const char* name) {
        return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::size_t>(1, most + 1))
                    .as(name);
      };
      Accumulator by = Accumulator::in_lanes(below(5, "lanes"));
      if (*rc::gen::inRange(0, 3).as("promoted, if 0") == 0) by.promoted = below(5, "N");
      const double w = *rc::gen::element(0.0, 0x1p-7, 0x1p-14).as("w");
      if (w > 0) by = by.in_format({.roundoff = w, .smallest = w * 0x1p-3});
      const auto numbers =
          *rc::gen::container<std::vector<int>>(below(12, "terms"), rc::gen::inRange(-8, 9))
               .as("products");
      const auto ways = *rc::gen::container<std::vector<bool>>(61, rc::gen::arbitrary<bool>())
                             .as("which way each operation errs");
      const bool upward = *rc::gen::arbitrary<bool>().as("all upward");
      const ErringSum computed{Rational(0x1p-10), Rational(0x1p-5),
                               [&, place = std::size_t{0}]() mutable {
                                 return upward || ways[place++ % ways.size()] ? 1 : -1;
                               }};
      const Rationals products(numbers.begin(), numbers.end());
      Rational sizes = 0;
      for (const Rational& product : products)
        sizes += abs(product) + Rational(sums.threshold(by, 0x1p-5));
      const double k = sums.roundings(by, static_cast<double>(products.size()), 0x1p-10);
      const Rational error = computed(by, products) - exact_sum(products);
      EXPECT_EXACTLY(abs(error) <= Rational(gamma(k, computed.u) * sizes));
    });
  });
}
//! [BlockedAccumulation]

TEST(BlockedAccumulation, WithOneRoundingFewerItWouldBeFalse) {
  check_statement(blocked_accumulation_mutants, [](const Sums& sums) {
    const ErringSum upward{Rational(0x1p-20), 0, [] { return 1; }};
    for (const std::size_t lanes : {1U, 2U, 3U, 4U, 7U})
      for (const std::size_t n : {lanes, lanes + 1, 23UL}) {
        // The first is much larger than all others.
        Rationals products(n, Rational(0x1p-60));
        products[0] = 1;
        const Accumulator by = Accumulator::in_lanes(lanes);
        const double k = sums.roundings(by, static_cast<double>(n), 0x1p-20);
        const Rational error = upward(by, products) - exact_sum(products);
        EXPECT_EXACTLY(error > gamma(k - 1, upward.u));
        enumerated(1);
      }
  });
}

//! [BlockedAccumulation: exact check]
TEST(BlockedAccumulation, CountsOfSomeSums) {
  check_statement(blocked_accumulation_mutants, [](const Sums& sums) {
    const auto count = [&](const Accumulator& by, double n, double u = 0x1p-24) {
      return Rational(sums.roundings(by, n, u));
    };
    const Accumulator lanes = Accumulator::in_lanes(16);
    EXPECT_EXACTLY(count({}, 4096) == 4096);
    EXPECT_EXACTLY(count(lanes, 4096) == 260);
    EXPECT_EXACTLY(count(lanes, 3) == 3);
    EXPECT_EXACTLY(count(Accumulator().promoted_every(128), 4096) == 128 + 32);
    EXPECT_EXACTLY(count(lanes.promoted_every(128), 300) == 12 + 3);
    EXPECT_EXACTLY(count(lanes.promoted_every(128), 128) == 12);
    // A format of one digit, whose ω is 1/u.
    EXPECT_EXACTLY(count(Accumulator().in_format({.roundoff = 0.5}), 3, 0x1p-4) == 48);
    const Accumulator half = Accumulator().in_format(format_limits<Eigen::half>());
    EXPECT_EXACTLY(Rational(sums.threshold(half, 0x1p-126)) == Rational(0x1p-14));
    EXPECT_EXACTLY(Rational(sums.threshold(lanes, 0x1p-126)) == Rational(0x1p-126));
    enumerated(9);
    record_value("half", format_fixed(sums.roundings(half, 1, 0x1p-24), 0));
  });
}
//! [BlockedAccumulation: exact check]

/// A sum of processor's numbers beside its bound.
Outcome sum_law(const Sums& sums, const Accumulator& by, const std::vector<double>& a,
                const std::vector<double>& b) {
  const double u = format_limits<float>().roundoff;
  const double lambda = format_limits<float>().smallest / (2 * u);
  EmulatedSum sum = sums.sum({format_limits<float>()}, by);
  sum.add(a, b);
  Rational exact = 0, sizes = 0;
  for (std::size_t l = 0; l < a.size(); ++l) {
    exact += Rational(a[l]) * Rational(b[l]);
    sizes += abs(Rational(a[l]) * Rational(b[l])) + Rational(sums.threshold(by, lambda));
  }
  Outcome outcome;
  outcome.vacuous = 2 * sizes > Rational(std::min(by.largest, 1e38));
  if (outcome.vacuous) return outcome;
  const Rational error = abs(Rational(sum.total()) - exact);
  outcome.error = error.convert_to<double>();
  const double k = sums.roundings(by, static_cast<double>(a.size()), u);
  outcome.bound = Rational(gamma(k, Rational(u)) * sizes).convert_to<double>();
  return outcome;
}

TEST(BlockedAccumulation, SumsOfProcessorsAreWithinTheBound) {
  check_statement(blocked_accumulation_mutants, [](const Sums& sums) {
    evidence().rests_on(EvidenceLevel::bounded);
    const auto search = [&](const Accumulator& by, const std::string& prefix) {
      const InputSpace<float> space{.axes = {{'n', 1, 24}},
                                    .arrays = {{"a", "n", -64, 64}, {"b", "n", -64, 64}}};
      const auto law = [&](const Arrays<float>& x) {
        const auto list = [&](const char* name) {
          return std::vector<double>(x.list(name).begin(), x.list(name).end());
        };
        return sum_law(sums, by, list("a"), list("b"));
      };
      expect_bound_holds(worst_case(space, searched(1000), law), prefix);
    };
    search(Accumulator::in_lanes(4), "lanes_");
    search(Accumulator().in_format(format_limits<double>()), "wide_");
    search(Accumulator().in_format(format_limits<Eigen::half>()), "half_");
    search(Accumulator().in_format(format_limits<Eigen::half>()).promoted_every(8), "promoted_");
  });
}

TEST(BlockedAccumulation, TermsThatAreZeroCount) {
  check_with_mutants(blocked_accumulation_mutants, [](const Sums& sums) {
    // Of 32 terms the 11 that are not 0 are those of the first lane, and one for each of the others.
    const ErringSum upward{Rational(0x1p-20), 0, [] { return 1; }};
    const Accumulator by = Accumulator::in_lanes(4);
    Rationals products(32, Rational(0));
    for (std::size_t l = 0; l < 32; l += 4) products[l] = Rational(0x1p-60);
    for (std::size_t l = 0; l < 4; ++l) products[l] = l == 0 ? Rational(1) : Rational(0x1p-60);
    const Rational error = upward(by, products) - exact_sum(products);
    const Rational sizes = exact_sum(products);
    EXPECT_EXACTLY(error > Rational(gamma(by.roundings(11, 0x1p-20), upward.u) * sizes));
    EXPECT_EXACTLY(error <= Rational(gamma(sums.roundings(by, 32, 0x1p-20), upward.u) * sizes));
    enumerated(1);
    counterexample_without("counted terms");
  });
}

TEST(BlockedAccumulation, AnOverflowOfANarrowSumIsOutside) {
  check_with_mutants(blocked_accumulation_mutants, [](const Sums& sums) {
    EmulatedSum sum =
        sums.sum({format_limits<float>()}, Accumulator().in_format(format_limits<Eigen::half>()));
    sum.add(std::vector<double>{60000, 60000, -60000}, std::vector<double>{1, 1, 1});
    EXPECT_EXACTLY(bits_of(sum.total()) == bits_of(std::numeric_limits<double>::infinity()));
    enumerated(1);
    counterexample_without("no overflow");
  });
}

}  // namespace sqrtdk::properties::BlockedAccumulation
