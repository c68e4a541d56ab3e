#include "properties/kernels/fixture.hpp"

namespace sqrtdk::properties::BlockedAccumulation {

Rational exact_sum(const List& terms) {
  Rational sum = 0;
  for (const double term : terms) sum += Rational(term);
  return sum;
}

/// The error allowed in a sum of products: γ_k Σ(|ab| + λ′).
Rational allowed(const Accumulator& by, const List& products, double u, double lambda) {
  Rational sizes = 0;
  for (const double p : products) sizes += Rational(std::abs(p) + by.underflow_threshold(lambda));
  return gamma(by.roundings(static_cast<double>(products.size()), u), Rational(u)) * sizes;
}

/// The error of a sum whose every operation errs by as much as the model allows. Besides, doubles
/// round by much less than u².
Rational error(
    const Accumulator& by, double u, const List& terms, int (*way)() = [] { return 1; }) {
  EmulatedSum sum({{.roundoff = u}, false, false, way}, by);
  sum.add(terms, List(terms.size(), 1));
  return abs(Rational(Rational(sum.total()) - exact_sum(terms)));
}

//! [BlockedAccumulation]
STATEMENT(BlockedAccumulation, NoOrderErrsByMore) {
  for_all([&] {
    const auto below = [](std::size_t most, const char* name) {
      return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::size_t>(1, most)).as(name);
    };
    Accumulator by = Accumulator::in_lanes(below(6, "L"));
    by.promoted = below(9, "N, if it is less than 6") % 6;
    const int digits = *rc::gen::element(0, 7, 53).as("digits of w, 0 for u");
    if (digits > 0) by = by.in_format({std::ldexp(1.0, -digits), std::ldexp(1.0, -digits - 3)});
    const auto numbers =
        *rc::gen::container<std::vector<int>>(below(13, "n"), rc::gen::inRange(-8, 9))
             .as("products");
    ways = *rc::gen::container<std::vector<float>>(61, rc::gen::element(-1.F, 1.F))
                .as("which way each operation errs");
    if (*rc::gen::arbitrary<bool>().as("but all upward")) ways = {1};
    next_way = 0;
    // The underflow of a product is one more error.
    List products(numbers.begin(), numbers.end()), terms;
    for (const double p : products)
      terms.push_back(p + next_of_ways() * (digits > 0 ? by.smallest / 2 : 0x1p-24 * 0x1p-5));
    const Rational lost = abs(Rational(exact_sum(terms) - exact_sum(products)));
    EXPECT_EXACTLY(error(by, 0x1p-24, terms, &next_of_ways) + lost <=
                   allowed(subject.accumulator(by), products, 0x1p-24, 0x1p-5));
  });
}
//! [BlockedAccumulation]
KILLS("lanes are joined for nothing", sums([](auto& by) { by.halvings = 0; }));
KILLS("there are twice as many lanes", sums([](auto& by) { by.lanes *= 2; }));
KILLS("a narrow format rounds as the other", sums([](auto& by) { by.step = 0; }));
KILLS("products underflow as in the other format", sums([](auto& by) { by.smallest = 0; }));

STATEMENT(BlockedAccumulation, WithOneRoundingFewerItWouldBeFalse) {
  for (const std::size_t lanes : {1U, 2U, 3U, 4U, 7U})
    for (const std::size_t n : {lanes, lanes + 1, 23UL}) {
      // The first is much larger than all others.
      List products(n, 0x1p-60);
      products[0] = 1;
      const Accumulator by = Accumulator::in_lanes(lanes);
      const double k = subject.accumulator(by).roundings(static_cast<double>(n), 0x1p-20);
      EXPECT_EXACTLY(error(by, 0x1p-20, products) > gamma(k - 1, Rational(0x1p-20)));
      enumerated(1);
    }
}
KILLS("lanes are joined one after the other",
      sums([](auto& by) { by.halvings = static_cast<unsigned>(by.lanes); }));

//! [BlockedAccumulation: exact check]
STATEMENT(BlockedAccumulation, CountsOfSomeSums) {
  const auto count = [&](const Accumulator& by, double n, double u = 0x1p-24) {
    return Rational(subject.accumulator(by).roundings(n, u));
  };
  const Accumulator lanes = Accumulator::in_lanes(16), any;
  EXPECT_EXACTLY(count(any, 4096) == 4096);
  EXPECT_EXACTLY(count(lanes, 4096) == 260);
  EXPECT_EXACTLY(count(lanes, 3) == 3);
  EXPECT_EXACTLY(count(any.promoted_every(128), 4096) == 128 + 32);
  EXPECT_EXACTLY(count(lanes.promoted_every(128), 300) == 12 + 3);
  EXPECT_EXACTLY(count(lanes.promoted_every(128), 128) == 12);
  // A format of one digit: w/(1 − w) = 1.
  EXPECT_EXACTLY(count(any.in_format({.roundoff = 0.5}), 3, 0x1p-4) == 48);
  enumerated(7);
  record_value("half", format_fixed(any.in_format(half_limits).roundings(1, 0x1p-24), 0));
}
//! [BlockedAccumulation: exact check]
KILLS("partial sums are never added", sums([](auto& by) { by.promoted = 0; }));
KILLS("any order is in lanes", sums([](auto& by) {
        by.known_order = true;
        by.lanes = 16;
      }));

STATEMENT(BlockedAccumulation, SumsOfProcessorsAreWithinTheBound) {
  evidence().rests_on(EvidenceLevel::bounded);
  // So small that all sums are in range.
  const InputSpace<float> space{.axes = {{'n', 1, 12}},
                                .arrays = {{"a", "n", -50, 50}, {"b", "n", -50, 50}}};
  const auto search = [&](const Accumulator& by, const std::string& prefix) {
    const auto law = [&](const Arrays<float>& x) {
      const List a(x.list("a").begin(), x.list("a").end()),
          b(x.list("b").begin(), x.list("b").end());
      EmulatedSum sum({format_limits<float>()}, by);
      sum.add(a, b);
      List products;
      for (std::size_t l = 0; l < a.size(); ++l) products.push_back(a[l] * b[l]);  // exactly
      const Rational off = abs(Rational(Rational(sum.total()) - exact_sum(products))),
                     bound = allowed(subject.accumulator(by), products, 0x1p-24, 0x1p-126);
      return Outcome{off.convert_to<double>(), bound.convert_to<double>(), false, {}};
    };
    expect_bound_holds(worst_case(space, searched(1500), law), prefix);
  };
  search(Accumulator::in_lanes(4), "lanes_");
  search(Accumulator().in_format(format_limits<double>()), "wide_");
  search(Accumulator().in_format(half_limits), "half_");
  search(Accumulator().in_format(half_limits).promoted_every(8), "promoted_");
}
KILLS("half precision has a digit more", sums([](auto& by) { by.step /= 2; }));

ASIDE(BlockedAccumulation, ZerosCountAndNarrowSumsOverflow) {
  // Of 32 terms the 11 that are not 0 are those of the first lane, and one for each of the others.
  const Accumulator by = Accumulator::in_lanes(4);
  List products(32, 0), others(11, 0x1p-60);
  for (std::size_t l = 0; l < 32; l += l < 4 ? 1 : 4) products[l] = others[0];
  products[0] = others[0] = 1;
  const Rational off = error(by, 0x1p-20, products);
  EXPECT_EXACTLY(off > allowed(by, others, 0x1p-20, 0));
  EXPECT_EXACTLY(off <= allowed(subject.accumulator(by), products, 0x1p-20, 0));
  counterexample_without("counted terms");

  EmulatedSum sum({format_limits<float>()},
                  subject.accumulator(Accumulator().in_format(half_limits)));
  sum.add(List{60000, 60000, -60000}, List{1, 1, 1});
  EXPECT_EXACTLY(bits_of(sum.total()) == bits_of(std::numeric_limits<double>::infinity()));
  counterexample_without("no overflow");
  enumerated(2);
}
KILLS("a lane has a quarter of the terms", sums([](auto& by) { by.lanes *= 4; }));
KILLS("what is added in half precision may have any size",
      sums([](auto& by) { by.largest = std::numeric_limits<double>::infinity(); }));

}  // namespace sqrtdk::properties::BlockedAccumulation
