#include "properties/odds/fixture.hpp"

namespace sqrtdk::properties::WhenOddsFail {

//! [WhenOddsFail]
STATEMENT(WhenOddsFail, NoMoreCellsThanSquaresBreakNothing) {
  for_all([&] {
    using Size = std::size_t;
    const Size n = *rc::gen::inRange<Size>(1, 20), K = *rc::gen::inRange<Size>(1, n + 1);
    const auto c = *rc::gen::container<std::vector<int>>(n, rc::gen::inRange(-100, 101)).as("c");
    const auto cells =
        *rc::gen::container<std::vector<Size>>(n, rc::gen::inRange<Size>(0, K)).as("groups");
    const Eigen::VectorXd costs =
        Eigen::Map<const Eigen::VectorXi>(c.data(), static_cast<Index>(n)).cast<double>();
    const Rational sum(costs.lpNorm<1>());
    EXPECT_EXACTLY(sum * sum <= K * Rational(subject.squares(cells, costs)));
  });
}
//! [WhenOddsFail]
KILLS("costs of a cell are squared before they are added",
      {.squares = [](auto&, auto& c) { return c.squaredNorm(); }});

//! [WhenOddsFail: exact check]
STATEMENT(WhenOddsFail, NumbersWithinAUnitLieInFewCells) {
  const auto count = [&](const Eigen::VectorXd& x, double width) {
    const std::vector<std::size_t> cells = subject.cells(x, width);
    return *std::max_element(cells.begin(), cells.end()) + 1;
  };
  EXPECT_EXACTLY(count(Eigen::VectorXd::LinSpaced(64, 0, 63), 1) == 64);
  for (const double from : {0.0, 0.5, -0.25, 1000.125})
    EXPECT_EXACTLY(count(Eigen::VectorXd::LinSpaced(1009, from, from + 63), 1) == 64);
  EXPECT_EXACTLY(count(Eigen::VectorXd::LinSpaced(9, -4, 4), 0) == 1);
  enumerated(6);
}
//! [WhenOddsFail: exact check]
KILLS("each number has a cell of its own",
      {.cells = [](auto& x, double) { return cells_of(x, 1e-300); }});

/// The error of single precision that adds terms one after the other, each sum rounded in some way.
double off_by(const Eigen::VectorXf& x, float (*round)(double)) {
  float sum = x[0];
  for (const float term : x.tail(x.size() - 1))
    sum = round(static_cast<double>(sum) + static_cast<double>(term));
  return std::abs(static_cast<double>(sum) - x.cast<double>().sum());
}

float nearest(double x) { return static_cast<float>(x); }
float truncated(double x) {
  return static_cast<double>(nearest(x)) > x ? std::nextafter(nearest(x), 0.0F) : nearest(x);
}

ASIDE(WhenOddsFail, WhatAgreesIsOneGroup) {
  evidence().rests_on(EvidenceLevel::measured);
  const auto expect_kept = [](const std::string& what, double error, double alone, double cells) {
    EXPECT_GT(error, alone) << what;
    EXPECT_LE(error, cells) << what;
    record_value(what + "_alone", format_significant(error / alone, 2));
    record_value(what + "_in_cells", format_significant(error / cells, 2));
    enumerated(1);
  };
  const auto expect_sum_kept = [&](const std::string& what, const Eigen::VectorXf& x) {
    double sum = x[0], squares = 0;
    for (const float term : x.tail(x.size() - 1)) sum += term, squares += sum * sum;
    expect_kept(what, off_by(x, nearest), 8 * 0x1p-24 * std::sqrt(squares),
                subject.dot_product(x.cast<double>(), 0x1p-24));
  };
  expect_sum_kept("equal", Eigen::VectorXf::Constant(16384, 1.0F / 3));
  Eigen::VectorXf tiny = 0x1p-24F * Eigen::VectorXf::LinSpaced(4096, 0.3F, 0.9F);
  tiny[0] = 1;
  expect_sum_kept("tiny", tiny);
  const auto row = Matrix<double>::Ones(300, 1);
  const auto a = arithmetic_of<float>().stored_weights<Eigen::bfloat16>();
  const auto weight = static_cast<double>(static_cast<float>(Eigen::bfloat16(1 / 300.0F)));
  expect_kept("constant", std::abs(300 * weight - 1), 8 * a.weight_roundoff / std::sqrt(300.0),
              subject.attention({row.row(0), 0 * row, row, {}, {}}, a).bound(0));
  // Scores near 8 that bfloat16 takes for 8, with values of the sign of what is lost.
  const Index m = 4096;
  AttentionCase<double> near{
      8 * Matrix<double>::Ones(1, 1), Matrix<double>::Ones(m, 1), {}, {}, {}};
  near.values = normal_entries(m, 1, "near").cwiseSign();
  near.keys += near.values.cwiseProduct(Eigen::VectorXd::LinSpaced(m, 0, 0x1p-9));
  near.options.scale = 1;
  const double exact =
      scaled_dot_product_attention(near.queries, near.keys, near.values, near.options).output(0);
  const double error = std::abs(near.values.mean() - exact);
  const auto by = arithmetic_of<float>().stored_scores(format_limits<Eigen::bfloat16>());
  const double bound = subject.attention(near, by).bound(0);
  EXPECT_LE(error, bound);
  record_value("scores_in_cells", format_significant(error / bound, 2));
  enumerated(1);
  counterexample_without("cells");
}
KILLS("terms that differ",
      adding([](auto& p, auto&, auto&) { p = p.cwiseProduct(p).cwiseProduct(p).eval() / 16; }));
KILLS("tiny terms are not added",
      adding([](auto& p, auto&, auto&) { p = (p.array() > 0x1p-24).select(p, 0).eval(); }));
KILLS("stored weights are exact",
      {.of_attention = [](auto&, SoftmaxArithmetic& a, auto&) { a.weight_roundoff = 0; }});

STATEMENT(WhenOddsFail, ScoresThatDifferByLessThanARoundingAreOneGroup) {
  evidence().rests_on(EvidenceLevel::bounded);
  // One cell for z = 1.5, as wide as ω = 2(u + u Σ|qk|) = 18u for four products of 2.
  const double u = 0x1p-20;
  SoftmaxArithmetic a = arithmetic_of<double>();
  a.unit_roundoff = u;
  a = a.scores_by(in_turn).sums_by(in_turn).outputs_by(in_turn);
  const auto bound = [&](double apart) {
    AttentionCase<double> x{Matrix<double>::Ones(1, 4),
                            Matrix<double>::Constant(2, 4, 2),
                            Eigen::Vector2d(1, -1),
                            {},
                            {}};
    x.options.scale = 1;
    x.keys(1, 3) -= apart * 18 * u;
    return subject.output(x, a, 1.5);
  };
  const double together = bound(0.4), separate = bound(1.2);
  EXPECT_GT(together, 1.25 * separate) << together << " and " << separate;
  EXPECT_LT(together, 1.5 * separate) << together << " and " << separate;
  enumerated(2);
}
KILLS("places are finer than they are rounded",
      {.of_attention = [](auto&, SoftmaxArithmetic& a, auto&) { a.unit_roundoff /= 4; }});

ASIDE(WhenOddsFail, TruncationAndGridsBreakIt) {
  evidence().rests_on(EvidenceLevel::measured);
  const Eigen::VectorXf x = normal_entries(4096, 1, "truncation").cwiseAbs().cast<float>();
  Eigen::VectorXf grid = 0x1p-11F * Eigen::VectorXf::LinSpaced(2001, 0.45F, 2000.45F);
  grid[0] = 4096;
  const auto expect_broken = [&](const char* what, double error, double bound) {
    EXPECT_GT(error, bound) << what;
    record_value(what, format_significant(error / bound, 2));
    enumerated(1);
  };
  expect_broken("truncated", off_by(x, truncated), subject.dot_product(x.cast<double>(), 0x1p-23));
  expect_broken("grid", off_by(grid, nearest), subject.dot_product(grid.cast<double>(), 0x1p-24));
}
KILLS("a bound that grows with all terms", bounding([](double bound) { return 64 * bound; }));

ASIDE(WhenOddsFail, KeysThatShareACoordinateBreakIt) {
  evidence().rests_on(EvidenceLevel::measured);
  // Two kinds of keys: in single precision the product with the first coordinate is rounded up, or down.
  const float query = 1.1F;
  const auto off = [&](float key) {
    const double product = static_cast<double>(query) * static_cast<double>(key);
    return static_cast<double>(static_cast<float>(product)) - product;
  };
  float up = 117, down = 117;  // products just above 128
  for (float key = 117; key < 118; key += 0x1p-10F) {
    if (off(key) > off(up)) up = key;
    if (off(key) < off(down)) down = key;
  }
  const SoftmaxArithmetic a = arithmetic_of<float>().any_order();
  for (const Index m : {64, 1024, 4096}) {
    AttentionCase<double> x{
        Matrix<double>(1, 2), Matrix<double>(m, 2), Matrix<double>(m, 1), {}, {}};
    x.queries << query, 1;
    x.options.scale = 1;
    const Eigen::MatrixXd drawn = normal_entries(m, 2, "shared coordinate");
    for (Index j = 0; j < m; ++j) {
      const float shared = drawn(j, 1) > 0 ? up : down;
      const double rest = drawn(j, 0) - static_cast<double>(query) * static_cast<double>(shared);
      x.keys.row(j) << shared, static_cast<double>(static_cast<float>(rest));
      x.values(j) = drawn(j, 1) > 0 ? 1 : -1;
    }
    AttentionCase<float> rounded{
        x.queries.cast<float>(), x.keys.cast<float>(), x.values.cast<float>(), {}, {}};
    rounded.options.scale = 1.0F;
    const double computed = EmulatedKernel{.arithmetic = a}(rounded)(0);
    const double exact =
        scaled_dot_product_attention(x.queries, x.keys, x.values, x.options).output(0);
    const double error = std::abs(computed - exact), bound = subject.attention(x, a).bound(0);
    EXPECT_EQ(error > bound, m > 64) << m << " keys: " << error << ", bound " << bound;
    record_value("shared_" + std::to_string(m), format_significant(error / bound, 2));
    if (m == 4096) {
      const auto certain =
          attention_error_bound<Extended>(x.queries, x.keys, x.values, x.options, a);
      record_value("certain_4096", format_significant(error / certain.output(0), 2));
    }
    enumerated(1);
  }
}
KILLS("units are large",
      {.of_attention = [](auto&, SoftmaxArithmetic& a, auto&) { a.unit_roundoff *= 16; }});

STATEMENT(WhenOddsFail, WhatTheModelDoesNotCoverHasNoOdds) {
  const SoftmaxArithmetic a = arithmetic_of<float>();
  const auto expect_none = [&](const SoftmaxArithmetic& by, const char* reason, bool usual = true) {
    EXPECT_EXACTLY(subject.why_none(by, {.usual_orders = usual}).find(reason) != std::string::npos);
    enumerated(1);
  };
  const Accumulator lanes = Accumulator::in_lanes(8), core = Accumulator::tensor_core(8, 24);
  const SoftmaxArithmetic known = a.scores_by(lanes).outputs_by(lanes);
  expect_none(a.scores_by(core), "truncates");
  expect_none(a.outputs_by(core), "truncates");
  expect_none(a.by_log_sum_exp(), "lse");
  expect_none(a, "order", false);
  expect_none(known, "order", false);  // within blocks any order is allowed
  expect_none(known.any_order(), "order", false);
  EXPECT_EXACTLY(subject.why_none(a, {}).empty());
  EXPECT_EXACTLY(subject.why_none(known.sums_by(lanes), {.usual_orders = false}).empty());
  // Inputs that are rounded, if they are not numbers of the format already.
  const Matrix<double> quarters = Matrix<double>::NullaryExpr(
      64, 16, [](Index i, Index l) { return static_cast<double>((7 * i + 3 * l) % 11) / 4; });
  AttentionCase<double> input{quarters.row(0), quarters, quarters, {}, {}};
  const SoftmaxArithmetic rounds = a.rounded_inputs(half_limits);
  EXPECT_EXACTLY(bits_of(subject.attention(input, rounds).bound.sum()) ==
                 bits_of(subject.attention(input, a).bound.sum()));
  input.values(0) = 1 / 3.0;
  EXPECT_EXACTLY(subject.attention(input, rounds).no_odds.find("inputs") != std::string::npos);
  enumerated(4);
}
KILLS("every arithmetic has odds", {.why_none = [](auto&, auto&) { return std::string(); }});

}  // namespace sqrtdk::properties::WhenOddsFail
