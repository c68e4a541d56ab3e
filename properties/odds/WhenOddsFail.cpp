// SPDX-License-Identifier: BSL-1.0
#include <sqrtdk/attention_odds.hpp>
#include <sqrtdk/numbers/number_text.hpp>
#include <sqrtdk/testing/mutants.hpp>
#include <sqrtdk/testing/property.hpp>
#include <sqrtdk/testing/reporting/evidence.hpp>
#include <sqrtdk/testing/reporting/expect_exactly.hpp>

#include "properties/odds/fixture.hpp"

#include <Eigen/Core>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

namespace sqrtdk::properties::WhenOddsFail {

using namespace sqrtdk::testing;

const Mutants when_odds_fail_mutants = {
    {"costs of a cell are squared before they are added",
     "NoMoreCellsThanSquaresBreakNothing",
     {.squares = [](const std::vector<std::size_t>&,
                    const Eigen::VectorXd& c) { return c.squaredNorm(); }}},
    {"each number has a cell of its own",
     "NumbersWithinAUnitLieInFewCells",
     {.cells = [](const Eigen::VectorXd& x, double) { return cells_of(x, 1e-300); }}},
    {"terms that differ", "EqualTermsAreOneGroup",
     adding([](auto& p, auto&, auto&) { p = p.cwiseProduct(p).cwiseProduct(p).eval() / 16; })},
    {"tiny terms are not added", "TermsThatAreTooSmallAreOneGroup",
     adding([](auto& p, auto&, auto&) { p = (p.array() > 0x1p-24).select(p, 0).eval(); })},
    {"stored weights are exact",
     "ConstantRowsAreOneGroup",
     {.of_attention = [](auto&, SoftmaxArithmetic& a, auto&) { a.weight_roundoff = 0; }}},
    {"a bound that grows with all terms", "TruncationHasNoOdds",
     bounding([](double bound) { return 64 * bound; })},
    {"every arithmetic has odds",
     "WhatTheModelDoesNotCoverHasNoOdds",
     {.why_none = [](const SoftmaxArithmetic&, const Odds&) { return std::string(); }}},
};

//! [WhenOddsFail]
TEST(WhenOddsFail, NoMoreCellsThanSquaresBreakNothing) {
  check_statement(when_odds_fail_mutants, [](const Bounds& bounds) {
    for_all([&] {
      const auto whole =
          *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(-100, 101)))
               .as("costs");
      const int K = *rc::gen::inRange(1, 6);
      std::vector<std::size_t> cells;
      Eigen::VectorXd costs(static_cast<Index>(whole.size()));
      for (std::size_t i = 0; i < whole.size(); ++i) {
        costs[static_cast<Index>(i)] = whole[i];
        cells.push_back(static_cast<std::size_t>(*rc::gen::inRange(0, K)));
      }
      const Rational sum(costs.lpNorm<1>());
      EXPECT_EXACTLY(sum * sum <= K * Rational(bounds.squares(cells, costs)));
    });
  });
}
//! [WhenOddsFail]

//! [WhenOddsFail: exact check]
TEST(WhenOddsFail, NumbersWithinAUnitLieInFewCells) {
  check_statement(when_odds_fail_mutants, [](const Bounds& bounds) {
    const auto count = [&](const Eigen::VectorXd& x, double width) {
      const std::vector<std::size_t> cells = bounds.cells(x, width);
      return *std::max_element(cells.begin(), cells.end()) + 1;
    };
    EXPECT_EXACTLY(count(Eigen::VectorXd::LinSpaced(64, 0, 63), 1) == 64);
    for (const double from : {0.0, 0.5, -0.25, 1000.125})
      EXPECT_EXACTLY(count(Eigen::VectorXd::LinSpaced(1009, from, from + 63), 1) == 64);
    EXPECT_EXACTLY(count(Eigen::VectorXd::LinSpaced(9, -4, 4), 0) == 1);
    enumerated(6);
  });
}
//! [WhenOddsFail: exact check]

/// What terms are off that a format adds one after the other.
template <class Add>
double off_by(const Eigen::VectorXf& x, const Add& add) {
  float sum = x[0];
  for (Index i = 1; i < x.size(); ++i) sum = add(sum, x[i]);
  return std::abs(static_cast<double>(sum) - x.cast<double>().sum());
}

float plus(float a, float b) { return a + b; }

/// z u √(Σ S²), with each rounding its own group.
double alone(const Eigen::VectorXf& x) {
  double sum = x[0], squares = 0;
  for (Index i = 1; i < x.size(); ++i) sum += static_cast<double>(x[i]), squares += sum * sum;
  return 8 * 0x1p-24 * std::sqrt(squares);
}

/// Records an error beside the bound that it exceeds and the one that it keeps.
void expect_kept_in_cells(double error, double alone, double in_cells) {
  evidence().rests_on(EvidenceLevel::measured);
  EXPECT_GT(error, alone);
  EXPECT_LE(error, in_cells);
  record_value("alone", format_significant(error / alone, 2));
  record_value("in_cells", format_significant(error / in_cells, 2));
  enumerated(1);
}

TEST(WhenOddsFail, EqualTermsAreOneGroup) {
  check_with_mutants(when_odds_fail_mutants, [](const Bounds& bounds) {
    const Eigen::VectorXf x = Eigen::VectorXf::Constant(16384, 1.0F / 3);
    expect_kept_in_cells(
        off_by(x, plus), alone(x),
        bounds.dot_product(x.cast<double>(), Accumulator::in_lanes(1), 0x1p-24, {}));
    counterexample_without("cells");
  });
}

TEST(WhenOddsFail, TermsThatAreTooSmallAreOneGroup) {
  check_with_mutants(when_odds_fail_mutants, [](const Bounds& bounds) {
    Eigen::VectorXf x = 0x1p-24F * Eigen::VectorXf::LinSpaced(4096, 0.3F, 0.9F);
    x[0] = 1;
    expect_kept_in_cells(
        off_by(x, plus), alone(x),
        bounds.dot_product(x.cast<double>(), Accumulator::in_lanes(1), 0x1p-24, {}));
  });
}

TEST(WhenOddsFail, ConstantRowsAreOneGroup) {
  check_with_mutants(when_odds_fail_mutants, [](const Bounds& bounds) {
    const Index n = 300;
    AttentionCase<double> input{
        Matrix<double>::Zero(1, 1), Matrix<double>::Zero(n, 1), Matrix<double>::Ones(n, 1), {}, {}};
    const SoftmaxArithmetic a = arithmetic_of<float>().stored_weights<Eigen::bfloat16>();
    const auto weight = static_cast<double>(static_cast<float>(Eigen::bfloat16(1 / 300.0F)));
    const double each = std::sqrt(n) / n * a.weight_roundoff * 8;
    expect_kept_in_cells(std::abs(n * weight - 1), each, bounds.attention(input, a).bound(0));
  });
}

TEST(WhenOddsFail, TruncationHasNoOdds) {
  check_with_mutants(when_odds_fail_mutants, [](const Bounds& bounds) {
    evidence().rests_on(EvidenceLevel::measured);
    const Eigen::VectorXf x = normal_entries(4096, 1, "truncation").cwiseAbs().cast<float>();
    const double error = off_by(x, [](float a, float b) {
      const double exact = static_cast<double>(a) + static_cast<double>(b);
      const auto nearest = static_cast<float>(exact);
      return static_cast<double>(nearest) > exact ? std::nextafter(nearest, 0.0F) : nearest;
    });
    const double bound =
        bounds.dot_product(x.cast<double>(), Accumulator::in_lanes(1), 0x1p-23, {});
    EXPECT_GT(error, bound);
    record_value("ratio", format_significant(error / bound, 2));
    enumerated(1);
  });
}

TEST(WhenOddsFail, WhatTheModelDoesNotCoverHasNoOdds) {
  check_statement(when_odds_fail_mutants, [](const Bounds& bounds) {
    const SoftmaxArithmetic a = arithmetic_of<float>();
    const auto why = [&](const SoftmaxArithmetic& by, const Odds& odds = {}) {
      return bounds.why_none(by, odds);
    };
    EXPECT_EXACTLY(why(a).empty());
    for (const auto& by : {a.scores_by(Accumulator::tensor_core(8, 24)),
                           a.outputs_by(Accumulator::tensor_core(8, 24))})
      EXPECT_EXACTLY(why(by).find("truncates") != std::string::npos);
    EXPECT_EXACTLY(why(a.by_log_sum_exp()).find("lse") != std::string::npos);
    const Odds known{.usual_orders = false};
    EXPECT_EXACTLY(why(a, known).find("order") != std::string::npos);
    const Accumulator lanes = Accumulator::in_lanes(8);
    EXPECT_EXACTLY(why(a.scores_by(lanes).outputs_by(lanes), known).empty());
    EXPECT_EXACTLY(!why(a.any_order().scores_by(lanes).outputs_by(lanes), known).empty());
    // Inputs that are rounded, if they are not numbers of the format already.
    const auto quarters = [](Index rows) {
      return Matrix<double>::NullaryExpr(
          rows, 16, [](Index i, Index l) { return static_cast<double>((7 * i + 3 * l) % 11) / 4; });
    };
    AttentionCase<double> input{quarters(1), quarters(64), quarters(64), {}, {}};
    const SoftmaxArithmetic rounds = a.rounded_inputs(half_limits);
    EXPECT_EXACTLY(Rational(bounds.attention(input, rounds).bound.sum()) ==
                   Rational(bounds.attention(input, a).bound.sum()));
    input.values(0) = 1 / 3.0;
    EXPECT_EXACTLY(bounds.attention(input, rounds).no_odds.find("inputs") != std::string::npos);
    enumerated(8);
  });
}

}  // namespace sqrtdk::properties::WhenOddsFail
