#include "properties/odds/fixture.hpp"

namespace sqrtdk::properties::DotProductWithOdds {

/// The error of a sum, added in lanes, whose products and additions of nonzeros are off by ±u.
double error_of(const Eigen::VectorXd& p, std::size_t lanes, double u, unsigned bits) {
  const auto rounded = [&](double x) {
    const double delta = bits & 1U ? u : -u;
    bits >>= 1U;
    return x * (1 + delta);
  };
  const auto add = [&](double& x, double y) { x = x == 0 || y == 0 ? x + y : rounded(x + y); };
  std::vector<double> sums(lanes);
  for (Index l = 0; l < p.size(); ++l)
    add(sums[static_cast<std::size_t>(l) % lanes], rounded(p[l]));
  for (std::size_t lane = 1; lane < lanes; ++lane) add(sums[0], sums[lane]);
  return sums[0] - p.sum();
}

//! [DotProductWithOdds]
STATEMENT(DotProductWithOdds, NoMoreSignsThanTheChanceAreBeyondIt) {
  evidence().rests_on(EvidenceLevel::bounded);
  const auto has_odds = [&](const Eigen::VectorXd& p, double u) {
    bool has = true;
    for (const std::size_t lanes : {1U, 2U})
      for (const double z : {1.1, 1.5, 2.0, 2.5, 3.0}) {
        const double bound = subject.dot_product(p, u, {z}, Accumulator::in_lanes(lanes));
        const auto error = [&](unsigned bits) { return error_of(p, lanes, u, bits); };
        has = has && part_beyond(2 * p.size() - 1, bound, error) <= Odds{z}.chance();
      }
    return has;
  };
  EXPECT_TRUE(has_odds((Eigen::VectorXd(5) << 1, 1.25, 1.5, -1.75, -2).finished(), 0x1p-20));
  EXPECT_TRUE(has_odds((Eigen::VectorXd(5) << 7, 6, 8, 0, 0).finished(), 0x1p-4));
  enumerated(20);
  const auto property = [&] {
    const auto p = *rc::gen::container<std::vector<int>>(5, rc::gen::inRange(-8, 9)).as("terms");
    RC_ASSERT(has_odds(Eigen::Map<const Eigen::VectorXi>(p.data(), 5).cast<double>() / 4,
                       *rc::gen::element(0x1p-4, 0x1p-20).as("u")));
  };
  for_all(property, 20);
}
//! [DotProductWithOdds]
KILLS("half of the deviations", bounding([](double bound) { return bound / 2; }));
KILLS("halves", adding([](auto&, auto& order, auto&) { order = Accumulator::in_lanes(64); }));

//! [DotProductWithOdds: exact check]
STATEMENT(DotProductWithOdds, SevenTermsInSomeOrders) {
  ColumnOf<Rational> x(7);
  x << 1, 2, 4, 8, 16, 32, 64;
  const auto expect_sums = [&](const Accumulator& order, const std::vector<int>& wanted,
                               std::size_t block = 0) {
    const ColumnOf<Rational> sums = subject.rounded_sums(x, order, block);
    for (Index l = 0; l < 7; ++l) EXPECT_EXACTLY(sums[l] == wanted[static_cast<std::size_t>(l)]);
  };
  expect_sums(Accumulator::in_lanes(1), {0, 3, 7, 15, 31, 63, 127});
  for (const std::size_t lanes : {4U, 7U})
    expect_sums(Accumulator::in_lanes(lanes), {0, 127, 85, 42, 17, 34, 68});
  expect_sums(Accumulator::in_lanes(1).promoted_every(3), {0, 3, 7, 63, 24, 56, 127});
  // Neighbours: halves down to one term, three, four in two lanes, and all in four lanes.
  expect_sums(Accumulator::in_lanes(1), {0, 7, 6, 127, 24, 120, 96}, 1);
  expect_sums(Accumulator::in_lanes(1), {0, 3, 7, 127, 24, 120, 96}, 3);
  expect_sums(Accumulator::in_lanes(2), {0, 3, 127, 12, 124, 48, 112}, 4);
  expect_sums(Accumulator::in_lanes(4), {0, 3, 15, 12, 31, 63, 127}, 7);
  x[1] = x[4] = 0;
  expect_sums(Accumulator::in_lanes(4), {0, 0, 69, 40, 0, 109, 68});
  enumerated(9);
}
//! [DotProductWithOdds: exact check]
KILLS("terms come one after the other",
      {.rounded_sums = [](auto& x, auto&, auto) { return rounded_sums(x, in_turn); }});
KILLS("halves are the usual ones",
      {.rounded_sums = [](auto& x, auto& order, auto) { return rounded_sums(x, order); }});

ASIDE(DotProductWithOdds, TheBoundOfThreeTerms) {
  evidence().rests_on(EvidenceLevel::bounded);
  const double u = 0x1p-10;
  for (const double w : {u, 0x1p-8, 0x1p-14}) {
    Accumulator order = in_turn;
    if (w != u) order.step = w;
    // Squares 9 + 4 + 1 of the products, and 1 + 4 of the sums, which have 3 roundings at most; of
    // more digits, they are rounded once more at the end.
    const Wide coarse = pow(Wide(w / u), 2);
    const Wide squares = 14 + 5 * coarse + (w < u ? Wide(4) : w > u ? Wide(14 * coarse) : Wide(0));
    const Wide k = 3 * (w == u ? Wide(u) : Wide(w) / (1 - Wide(w))) + (w < u ? Wide(u) : Wide(0));
    EXPECT_TRUE(is_raised(subject.dot_product(Eigen::Vector3d(3, -2, 1), u, {4}, order),
                          Wide(4 * u * sqrt(squares) + 2 * std::max(u, w) * k / (1 - k) * 6)));
  }
  enumerated(3);
}
KILLS("no root", bounding([](double bound) { return bound * bound; }));
KILLS("a rounding too few", adding([](auto& p, auto&, auto&) { p[2] = 0; }));

ASIDE(DotProductWithOdds, AnOrderThatIsNotDeclaredIsTheWorstOfTheUsual) {
  evidence().rests_on(EvidenceLevel::bounded);
  // Lanes of an even number see terms of one sign only.
  const Eigen::VectorXd p = Eigen::VectorXd::NullaryExpr(
      256, [](Index l) { return (l % 2 ? -1 : 1) * (1 + static_cast<double>(l) / 1024); });
  const auto in_lanes = [&](std::size_t lanes) {
    return subject.dot_product(p, 0x1p-40, {}, Accumulator::in_lanes(lanes));
  };
  const double worst = subject.dot_product(p, 0x1p-40, {}, {});
  for (const std::size_t lanes : {1U, 4U, 8U, 16U, 32U, 64U, 256U})
    EXPECT_LE(in_lanes(lanes), worst) << lanes;
  EXPECT_LE(worst, in_lanes(4) * 1.001);
  EXPECT_GT(worst, in_lanes(1) * 2);
  enumerated(7);
}
KILLS("an order that is not declared is that of terms",
      adding([](auto&, auto& order, auto&) { order.known_order = true; }));

/// The same of neighbours that are added by halves.
double error_of_halves(const Eigen::VectorXd& p, double u, unsigned bits) {
  const auto rounded = [&](double x) {
    const double delta = bits & 1U ? u : -u;
    bits >>= 1U;
    return x * (1 + delta);
  };
  const auto sum = [&](const auto& self, Index begin, Index size) -> double {
    if (size == 1) return rounded(p[begin]);
    const double first = self(self, begin, size / 2);
    return rounded(first + self(self, begin + size / 2, size - size / 2));
  };
  return sum(sum, 0, p.size()) - p.sum();
}

STATEMENT(DotProductWithOdds, HalvesOfNeighboursAreUsual) {
  evidence().rests_on(EvidenceLevel::bounded);
  // Their partial sums are large; those in other orders are not.
  Eigen::VectorXd p(8);
  p << 1, 1.125, -3, -4, 3.25, 2, 2.125, 3.5;
  for (const double z : {2.5, 3.0}) {
    const double bound = subject.dot_product(p, 0x1p-20, {z}, {});
    const auto error = [&](unsigned bits) { return error_of_halves(p, 0x1p-20, bits); };
    EXPECT_LE(part_beyond(15, bound, error), Odds{z}.chance()) << z;
    enumerated(1U << 15U);
  }
}
KILLS("halves of neighbours are not usual",
      adding([](auto&, auto& order, auto&) { order = Accumulator::in_lanes(8); }));

STATEMENT(DotProductWithOdds, TermsOfAnySize) {
  evidence().rests_on(EvidenceLevel::bounded);
  const Eigen::VectorXd p = Eigen::VectorXd::LinSpaced(64, 1, 2);
  const double bound = subject.dot_product(p, 0x1p-53);
  for (const int exponent : {-960, -600, -540, 540, 960}) {
    const double scale = std::ldexp(1.0, exponent);
    const double off = std::abs(subject.dot_product(scale * p, 0x1p-53) / scale / bound - 1);
    EXPECT_LE(off, bound_margin) << "2^" << exponent;
    enumerated(1);
  }
}
KILLS("squares underflow",
      adding([](auto& p, auto&, auto&) { p = p.cwiseProduct(p).cwiseSqrt().eval(); }));

ASIDE(DotProductWithOdds, EachHypothesisCounts) {
  evidence().rests_on(EvidenceLevel::bounded);
  const double u = 0x1p-24;
  const Eigen::VectorXd p = Eigen::VectorXd::LinSpaced(200, 1, 2);
  double sum = p[0] * (1 + u);
  for (const double product : p.tail(199)) sum = (sum + product * (1 + u)) * (1 + u);
  const double ratio = (sum - p.sum()) / subject.dot_product(p, u);
  EXPECT_GT(ratio, 1);
  record_value("ratio", format_significant(ratio, 3));
  counterexample_without("mean 0");
  // Terms that are added by their sign.
  Eigen::VectorXd declared(8), added(8);
  declared << 8, -8.25, 8.5, -8.75, 9, -9.25, 9.5, -9.75;
  added << 8, 8.5, 9, 9.5, -8.25, -8.75, -9.25, -9.75;
  const double part = part_beyond(15, subject.dot_product(declared, u, {2}),
                                  [&](unsigned bits) { return error_of(added, 1, u, bits); });
  EXPECT_GT(part, Odds{2}.chance());
  record_value("chance", format_significant(part, 3));
  counterexample_without("declared order");
  const volatile float small = 0x1p-80F;
  const Eigen::VectorXd exact = Eigen::VectorXd::Constant(1, 0x1p-160);
  EXPECT_GT(exact[0] - static_cast<double>(small * small), subject.dot_product(exact, u));
  counterexample_without("no underflow");
  enumerated(1U << 15U);
}
KILLS("the certain bound", bounding([](double bound) { return 8 * bound; }));
KILLS("terms without signs", adding([](auto& p, auto&, auto&) { p = p.cwiseAbs().eval(); }));
KILLS("an absolute term", bounding([](double bound) { return bound + 1e-40; }));

ASIDE(DotProductWithOdds, OneDeviationIsRefused) {
  for (const double z : {1.0, 0.0, -8.0, std::nan("")})
    expect_refusal<std::domain_error>(
        [&] { subject.dot_product(Eigen::Vector2d(1, 1), 0x1p-24, {z}); });
}
KILLS("any deviations", adding([](auto&, auto&, Odds& odds) { odds.deviations = 2; }));

}  // namespace sqrtdk::properties::DotProductWithOdds
