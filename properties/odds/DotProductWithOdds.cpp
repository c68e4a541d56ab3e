// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/attention_odds.hpp>
#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/numbers/rational.hpp>
#include <sqrtdk/testing/laws/raised_bound.hpp>
#include <sqrtdk/testing/laws/wide.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>
#include <sqrtdk/testing/reporting/expect_refusal.hpp>

#include "properties/odds/fixture.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <stdexcept>
#include <vector>

namespace sqrtdk::properties::DotProductWithOdds {

using namespace sqrtdk::testing;

const Mutants dot_product_with_odds_mutants = {
    {"half of the deviations", "NoMoreSignsThanTheChanceAreBeyondIt",
     bounding([](double bound) { return bound / 2; })},
    {"halves in the place of the declared order", "NoMoreSignsThanTheChanceAreBeyondIt",
     adding([](auto&, auto& order, auto&) { order = Accumulator::in_lanes(64); })},
    {"the squares without a root", "TheBoundOfThreeTerms",
     bounding([](double bound) { return bound * bound; })},
    {"a rounding too few", "TheBoundOfThreeTerms", adding([](auto& p, auto&, auto&) { p[2] = 0; })},
    {"roundings of the last lane are forgotten",
     "SevenTermsInFourOrders",
     {.rounded_sums =
          [](const ColumnOf<Rational>& x, const Accumulator& order) {
            auto sums = rounded_sums(x, order);
            sums.pop_back();
            return sums;
          }}},
    {"terms come one after the other", "AnOrderThatIsNotDeclaredIsTheWorstOfTheUsual",
     adding([](auto&, auto& order, auto&) {
       if (!order.known_order) order = Accumulator::in_lanes(1);
     })},
    {"the certain bound", "AllRoundingsUpBreakIt",
     bounding([](double bound) { return 8 * bound; })},
    {"terms without signs", "AnotherOrderBreaksIt",
     adding([](auto& p, auto&, auto&) { p = p.cwiseAbs().eval(); })},
    {"an absolute term", "UnderflowBreaksIt", bounding([](double bound) { return bound + 1e-40; })},
    {"any number of deviations", "OneDeviationIsRefused",
     adding([](auto&, auto&, Odds& odds) { odds.deviations = 2; })},
};

/// What a sum is off whose products and additions are off by ±u, in the order in which lanes add.
double error_of(const Eigen::VectorXd& p, std::size_t lanes, double u, unsigned bits) {
  const auto rounded = [&](double x) {
    const double delta = bits & 1U ? u : -u;
    bits >>= 1U;
    return x * (1 + delta);
  };
  std::vector<double> sums(lanes);
  std::vector<bool> begun(lanes);
  for (Index l = 0; l < p.size(); ++l) {
    const std::size_t lane = static_cast<std::size_t>(l) % lanes;
    const double product = rounded(p[l]);
    sums[lane] = begun[lane] ? rounded(sums[lane] + product) : product;
    begun[lane] = true;
  }
  double sum = sums[0];
  for (std::size_t lane = 1; lane < lanes; ++lane) sum = rounded(sum + sums[lane]);
  return sum - p.sum();
}

//! [DotProductWithOdds]
TEST(DotProductWithOdds, NoMoreSignsThanTheChanceAreBeyondIt) {
  check_statement(dot_product_with_odds_mutants, [](const Bounds& bounds) {
    evidence().rests_on(EvidenceLevel::bounded);
    const auto has_odds = [&](const Eigen::VectorXd& p, double u) {
      bool has = true;
      for (const std::size_t lanes : {std::size_t{1}, std::size_t{2}})
        for (const double z : {1.1, 1.5, 2.0, 2.5, 3.0}) {
          const Odds odds{.deviations = z};
          const double bound = bounds.dot_product(p, Accumulator::in_lanes(lanes), u, odds);
          has = has && part_beyond(2 * p.size() - 1, bound, [&](unsigned bits) {
                         return error_of(p, lanes, u, bits);
                       }) <= odds.chance();
        }
      return has;
    };
    EXPECT_TRUE(has_odds((Eigen::VectorXd(5) << 1, 1.25, 1.5, -1.75, -2).finished(), 0x1p-20));
    enumerated(10);
    for_all(
        [&] {
          const auto terms =
              *rc::gen::container<std::vector<int>>(5, rc::gen::inRange(-8, 9)).as("terms");
          const Eigen::VectorXd p = Eigen::VectorXd::NullaryExpr(
              5, [&](Index l) { return terms[static_cast<std::size_t>(l)] / 4.0; });
          RC_ASSERT(has_odds(p, *rc::gen::element(0x1p-4, 0x1p-20).as("u")));
        },
        20);
  });
}
//! [DotProductWithOdds]

//! [DotProductWithOdds: exact check]
TEST(DotProductWithOdds, SevenTermsInFourOrders) {
  check_statement(dot_product_with_odds_mutants, [](const Bounds& bounds) {
    ColumnOf<Rational> x(7);
    x << 1, 2, 4, 8, 16, 32, 64;
    const auto expect_sums = [&](const Accumulator& order, std::initializer_list<int> wanted) {
      const auto sums = bounds.rounded_sums(x, order);
      EXPECT_EXACTLY(sums.size() == wanted.size());
      for (std::size_t i = 0; i < std::min(sums.size(), wanted.size()); ++i)
        EXPECT_EXACTLY(sums[i].sum == Rational(wanted.begin()[i]));
    };
    expect_sums(Accumulator::in_lanes(1), {3, 7, 15, 31, 63, 127});
    expect_sums(Accumulator::in_lanes(4), {17, 34, 68, 85, 42, 127});
    expect_sums(Accumulator::in_lanes(7), {17, 34, 68, 85, 42, 127});
    expect_sums(Accumulator::in_lanes(1).promoted_every(3), {3, 7, 24, 56, 63, 127});
    x[1] = x[4] = 0;
    expect_sums(Accumulator::in_lanes(4), {68, 69, 40, 109});
    enumerated(5);
  });
}
//! [DotProductWithOdds: exact check]

TEST(DotProductWithOdds, TheBoundOfThreeTerms) {
  check_with_mutants(dot_product_with_odds_mutants, [](const Bounds& bounds) {
    evidence().rests_on(EvidenceLevel::bounded);
    const Eigen::VectorXd p = (Eigen::VectorXd(3) << 3, -2, 1).finished();
    const double u = 0x1p-10;
    for (const double w : {u, 0x1p-8, 0x1p-14}) {
      Accumulator order = Accumulator::in_lanes(1);
      if (w != u) order.step = w;
      // Squares 9 + 4 + 1 of the products, and 1 + 4 of the sums, which have 3 roundings at most; of
      // more digits, they are rounded once more at the end.
      const Wide squares = 14 + 5 * pow(Wide(w / u), 2) + (w < u ? 4 : 0);
      const Wide roundings =
          3 * (w == u ? Wide(u) : Wide(w) / (1 - Wide(w))) + (w < u ? Wide(u) : Wide(0));
      EXPECT_TRUE(is_raised(
          bounds.dot_product(p, order, u, {.deviations = 4}),
          Wide(4 * u * sqrt(squares) + 2 * std::max(u, w) * roundings / (1 - roundings) * 6)));
    }
    enumerated(3);
  });
}

TEST(DotProductWithOdds, AnOrderThatIsNotDeclaredIsTheWorstOfTheUsual) {
  check_with_mutants(dot_product_with_odds_mutants, [](const Bounds& bounds) {
    evidence().rests_on(EvidenceLevel::bounded);
    // Lanes of an even number see terms of one sign only.
    const Eigen::VectorXd p = Eigen::VectorXd::NullaryExpr(
        256, [](Index l) { return (l % 2 ? -1 : 1) * (1 + static_cast<double>(l) / 1024); });
    const auto bound = [&](const Accumulator& order) {
      return bounds.dot_product(p, order, 0x1p-40, {});
    };
    const double worst = bound({});
    for (const std::size_t lanes : {1U, 4U, 8U, 16U, 32U, 64U, 256U})
      EXPECT_LE(bound(Accumulator::in_lanes(lanes)), worst) << lanes;
    EXPECT_LE(worst, bound(Accumulator::in_lanes(4)) * 1.001);
    EXPECT_GT(worst, bound(Accumulator::in_lanes(1)) * 2);
    enumerated(7);
  });
}

TEST(DotProductWithOdds, AllRoundingsUpBreakIt) {
  check_with_mutants(dot_product_with_odds_mutants, [](const Bounds& bounds) {
    evidence().rests_on(EvidenceLevel::bounded);
    const Eigen::VectorXd p = Eigen::VectorXd::LinSpaced(200, 1, 2);
    const double u = 0x1p-24;
    double sum = 0;
    for (Index l = 0; l < p.size(); ++l)
      sum = l == 0 ? p[l] * (1 + u) : (sum + p[l] * (1 + u)) * (1 + u);
    const double ratio = (sum - p.sum()) / bounds.dot_product(p, Accumulator::in_lanes(1), u, {});
    EXPECT_GT(ratio, 1);
    record_value("ratio", format_significant(ratio, 3));
    enumerated(1);
    counterexample_without("mean 0");
  });
}

TEST(DotProductWithOdds, AnotherOrderBreaksIt) {
  check_with_mutants(dot_product_with_odds_mutants, [](const Bounds& bounds) {
    evidence().rests_on(EvidenceLevel::bounded);
    const Odds odds{.deviations = 2};
    Eigen::VectorXd declared(8), added(8);
    declared << 8, -8.25, 8.5, -8.75, 9, -9.25, 9.5, -9.75;
    added << 8, 8.5, 9, 9.5, -8.25, -8.75, -9.25, -9.75;
    const double u = 0x1p-20;
    const double bound = bounds.dot_product(declared, Accumulator::in_lanes(1), u, odds);
    const double part =
        part_beyond(15, bound, [&](unsigned bits) { return error_of(added, 1, u, bits); });
    EXPECT_GT(part, odds.chance());
    record_value("chance", format_significant(part, 3));
    enumerated(1U << 15U);
    counterexample_without("declared order");
  });
}

TEST(DotProductWithOdds, UnderflowBreaksIt) {
  check_with_mutants(dot_product_with_odds_mutants, [](const Bounds& bounds) {
    evidence().rests_on(EvidenceLevel::bounded);
    const volatile float small = 0x1p-80F;
    const double exact = 0x1p-160;
    EXPECT_GT(exact - static_cast<double>(small * small),
              bounds.dot_product(Eigen::VectorXd::Constant(1, exact), Accumulator::in_lanes(1),
                                 0x1p-24, {}));
    enumerated(1);
    counterexample_without("no underflow");
  });
}

TEST(DotProductWithOdds, OneDeviationIsRefused) {
  check_with_mutants(dot_product_with_odds_mutants, [](const Bounds& bounds) {
    for (const double z : {1.0, 0.0, -8.0, std::nan("")})
      expect_refusal<std::domain_error>([&] {
        bounds.dot_product(Eigen::VectorXd::Ones(2), Accumulator::in_lanes(1), 0x1p-24,
                           {.deviations = z});
      });
  });
}

}  // namespace sqrtdk::properties::DotProductWithOdds
